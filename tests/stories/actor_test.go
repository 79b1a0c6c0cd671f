package stories

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// actor is a rank, as its director sees it. Only the director's goroutine touches it.
type actor struct {
	rank    int
	process *exec.Cmd
	stdin   io.WriteCloser
	threads map[int]*acts
	said    []string // on standard error
	stopped bool
	closing bool   // its input was closed
	end     string // how the process ended; "" while it runs
}

// acts are what a thread has done and is to do.
type acts struct {
	told    []string // commands without an answer
	history []string
}

// event is a line that an actor has written, or its end.
type event struct {
	rank int
	kind kind
	text string
}

type kind int

const (
	answered kind = iota // standard output
	said                 // standard error
	ended
)

// startActor starts a rank; what becomes of it comes as events.
func startActor(program string, rank int, env []string, events chan<- event) (*actor, error) {
	a := &actor{rank: rank, process: exec.Command(program), threads: map[int]*acts{}}
	a.process.Env = env
	a.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := a.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := a.process.StderrPipe()
	if err != nil {
		return nil, err
	}
	if a.stdin, err = a.process.StdinPipe(); err != nil {
		return nil, err
	}
	if err := a.process.Start(); err != nil {
		return nil, err
	}
	go a.watch(stdout, stderr, events)
	return a, nil
}

// watch turns what the process does into events, its end last.
func (a *actor) watch(stdout, stderr io.Reader, events chan<- event) {
	read := make(chan struct{})
	pass := func(from io.Reader, k kind) {
		for in := bufio.NewScanner(from); in.Scan(); {
			events <- event{a.rank, k, in.Text()}
		}
	}
	go func() {
		pass(stderr, said)
		close(read)
	}()
	pass(stdout, answered)
	<-read
	a.process.Wait() // its error says what ProcessState says
	events <- event{a.rank, ended, a.process.ProcessState.String()}
}

func (a *actor) thread(number int) *acts {
	if a.threads[number] == nil {
		a.threads[number] = &acts{}
	}
	return a.threads[number]
}

// tell gives a command; more is what the story does not show.
func (a *actor) tell(number int, command, more string) error {
	if a.end != "" {
		return fmt.Errorf("rank %d has ended (%s)", a.rank, a.end)
	}
	t := a.thread(number)
	t.told = append(t.told, command)
	_, err := fmt.Fprintf(a.stdin, "%d %s%s\n", number, command, more)
	return err
}

func (a *actor) happen(e event) error {
	switch e.kind {
	case said:
		a.said = append(a.said, e.text)
	case ended:
		a.finish(e.text)
	case answered:
		var number int
		_, text, _ := strings.Cut(e.text, " ")
		if _, err := fmt.Sscan(e.text, &number); err != nil || len(a.thread(number).told) == 0 {
			return fmt.Errorf("rank %d answers %q, and was not asked", a.rank, e.text)
		}
		t := a.thread(number)
		t.history = append(t.history, t.told[0]+": "+text)
		t.told = t.told[1:]
	}
	return nil
}

// leaving are the commands whose answer is the end of the process.
var leaving = []string{"return", "exit", "_exit", "kill"}

// finish notes that the process has ended.
func (a *actor) finish(how string) {
	a.end = how
	expected := a.closing && how == "exit status 0"
	for _, t := range a.threads {
		for _, command := range t.told {
			verb, _, _ := strings.Cut(command, " ")
			if slices.Contains(leaving, verb) {
				t.history = append(t.history, command+": "+how)
				expected = true
			} else {
				t.history = append(t.history, command+": never returns")
			}
		}
		t.told = nil
	}
	if !expected {
		first := a.thread(1)
		first.history = append(first.history, "ends: "+how)
	}
}

// idle says that the actor has answered everything.
func (a *actor) idle() bool {
	for _, t := range a.threads {
		if len(t.told) > 0 {
			return false
		}
	}
	return true
}

// tale is what has happened to the rank, a line each.
func (a *actor) tale() string {
	var text strings.Builder
	for number := range 5 {
		t := a.threads[number]
		if t == nil {
			continue
		}
		who := thread{a.rank, number}
		for _, act := range t.history {
			fmt.Fprintf(&text, "rank %v: %s\n", who, act)
		}
		for _, command := range t.told {
			fmt.Fprintf(&text, "rank %v: %s: no answer\n", who, command)
		}
	}
	for _, s := range a.said {
		fmt.Fprintf(&text, "rank %d writes: %s\n", a.rank, s)
	}
	return text.String()
}

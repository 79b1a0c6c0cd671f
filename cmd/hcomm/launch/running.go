package launch

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// running is a job under way. All of it belongs to the goroutine of [Job.run].
type running struct {
	job    *Job
	ranks  []*rank
	byPid  map[int]*rank
	out    *output
	in     *terminal // rank 0's input where that is a terminal; otherwise nil
	sig    *signals
	status int   // of the first failure
	first  *rank // the first rank that failed by itself
	forced bool  // the end was ordered: do not wait for a reader that does not read
	alarm  *time.Timer
}

func newRunning(j *Job) (*running, error) {
	out, err := newOutput(j)
	if err != nil {
		return nil, err
	}
	r := &running{job: j, byPid: map[int]*rank{}, out: out, sig: listen(), alarm: time.NewTimer(time.Hour)}
	r.alarm.Stop()
	return r, nil
}

func (r *running) close() {
	r.alarm.Stop()
	r.sig.stop()
	r.in.close()
	r.out.close()
}

// start starts the ranks. When it fails, those already started are in r.ranks and run.
func (r *running) start(path string, env []string, cpus []int) (status int, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return StatusFailed, err
	}
	defer null.Close()
	for n := range r.job.Ranks {
		stdin := null
		if n == 0 {
			if stdin, err = r.input(); err != nil {
				return StatusFailed, err
			}
			if stdin != r.job.Stdin {
				defer stdin.Close()
			}
		}
		if cpus != nil {
			if err := bindThread(cpus[n]); err != nil {
				return StatusFailed, err
			}
		}
		if status, err := r.startRank(n, path, env, stdin); err != nil {
			return status, err
		}
	}
	return 0, nil
}

// input gives what rank 0 reads: the launcher's own input, or, since a terminal stops readers that are not in its
// foreground group, a pipe that is filled from it.
func (r *running) input() (*os.File, error) {
	if !isTerminal(r.job.Stdin) {
		return r.job.Stdin, nil
	}
	var end *os.File
	var err error
	r.in, end, err = readTerminal(r.job.Stdin)
	return end, err
}

func (r *running) startRank(n int, path string, env []string, stdin *os.File) (status int, err error) {
	stdout, err := r.out.pipe(n, toStdout)
	if err != nil {
		return StatusFailed, fmt.Errorf("rank %d: %w", n, err)
	}
	defer stdout.Close()
	stderr, err := r.out.pipe(n, toStderr)
	if err != nil {
		return StatusFailed, fmt.Errorf("rank %d: %w", n, err)
	}
	defer stderr.Close()
	k := &rank{number: n}
	if err := k.spawn(path, r.job.Args, env, [3]*os.File{stdin, stdout, stderr}); err != nil {
		return refusal(path, err)
	}
	r.ranks = append(r.ranks, k)
	r.byPid[k.pid] = k
	return 0, nil
}

// loop is the job's life: one thing after the other, until all ranks are gone and all they printed is passed on.
func (r *running) loop() int {
	var timeout <-chan time.Time
	if r.job.Timeout > 0 {
		timeout = time.After(r.job.Timeout)
	}
	r.reap()
	for !r.gone() {
		r.setAlarm()
		select {
		case <-r.sig.child:
			r.reap()
		case s := <-r.sig.other:
			r.forward(s)
		case <-timeout:
			r.timedOut()
		case <-r.alarm.C:
			r.advance()
		case err := <-r.out.broken:
			r.cannotWrite(err)
		}
	}
	r.lastWords()
	return r.status
}

func (r *running) gone() bool {
	return !slices.ContainsFunc(r.ranks, func(k *rank) bool { return !k.gone })
}

// reap takes note of all children that have ended. Ranks that are found at once may have ended in any order; one that
// was ended by a signal is then held for the cause, as the others may have failed because of it.
func (r *running) reap() {
	var ended []*rank
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			break
		}
		if k := r.byPid[pid]; k != nil && !k.ended {
			k.ended, k.status = true, status
			ended = append(ended, k)
		}
	}
	slices.SortStableFunc(ended, func(a, b *rank) int { return bySignalFirst(a) - bySignalFirst(b) })
	for _, k := range ended {
		if k.failed() {
			r.rankFailed(k)
		}
	}
	now := time.Now()
	for _, k := range r.ranks {
		if k.look(); k.ended {
			k.grant(now, afterRank)
		}
	}
}

func bySignalFirst(k *rank) int {
	if k.status.Signaled() {
		return 0
	}
	return 1
}

// rankFailed reports a failure unless it follows from what the launcher did itself, and gives the others their time.
func (r *running) rankFailed(k *rank) {
	r.fail(k.exitStatus())
	ordered := k.leave >= asked || k.status.Signaled() && r.sig.sent[k.status.Signal()]
	if !ordered && (r.first == nil || r.job.NoKill) {
		r.out.say("%s", k.story())
	}
	if r.first != nil || r.job.NoKill {
		return
	}
	r.first = k
	now := time.Now()
	for _, other := range r.ranks {
		other.grant(now, r.job.Grace)
	}
}

// fail sets the job's status if nothing has failed before.
func (r *running) fail(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *running) endAll(to leaving) {
	now := time.Now()
	for _, k := range r.ranks {
		k.end(now, to)
	}
}

func (r *running) timedOut() {
	r.out.say("the time of %v is over; ending %s", r.job.Timeout, r.names(func(k *rank) bool { return !k.ended }))
	r.fail(StatusTimeout)
	r.forced = true
	r.endAll(asked)
}

// advance goes on with the groups whose time is over.
func (r *running) advance() {
	now := time.Now()
	late := func(k *rank) bool { return !k.ended && k.leave == granted && !k.due.After(now) }
	if slices.ContainsFunc(r.ranks, late) {
		r.out.say("%s went on for the %v of grace; ending them", r.names(late), r.job.Grace)
	}
	for _, k := range r.ranks {
		k.advance(now)
	}
}

func (r *running) setAlarm() {
	var next time.Time
	for _, k := range r.ranks {
		if !k.due.IsZero() && (next.IsZero() || k.due.Before(next)) {
			next = k.due
		}
	}
	r.alarm.Stop()
	if !next.IsZero() {
		r.alarm.Reset(max(0, time.Until(next)))
	}
}

// cannotWrite ends the job because nobody can get its output. A reader that has gone away, as head does, is not worth
// a word.
func (r *running) cannotWrite(err error) {
	if errors.Is(err, unix.EPIPE) {
		r.fail(statusSignal + int(unix.SIGPIPE))
	} else {
		r.out.say("cannot pass on what the ranks print: %v", err)
		r.fail(StatusFailed)
	}
	r.forced = true
	r.endAll(asked)
}

// lastWords waits until what the ranks have printed, and what the launcher has to say about it, is passed on.
func (r *running) lastWords() {
	var enough <-chan time.Time
	if r.forced {
		enough = time.After(afterTerm)
	}
	if r.await(r.out.finish(), enough) {
		r.out.hush()
		r.await(r.out.spoken, enough)
	}
}

// await waits for done; false when there is no time or no patience left.
func (r *running) await(done <-chan struct{}, enough <-chan time.Time) bool {
	for {
		select {
		case <-done:
			select { // a failure to write may have come with it
			case err := <-r.out.broken:
				r.cannotWrite(err)
			default:
			}
			return true
		case err := <-r.out.broken:
			r.cannotWrite(err)
		case <-enough:
			return false
		case s := <-r.sig.other:
			if isEnd(s) {
				r.fail(statusSignal + int(s.(syscall.Signal)))
				return false
			}
		}
	}
}

// names lists the ranks that are meant: "rank 3", "ranks 0, 2 and 3".
func (r *running) names(meant func(*rank) bool) string {
	var list []string
	for _, k := range r.ranks {
		if meant(k) {
			list = append(list, fmt.Sprint(k.number))
		}
	}
	const most = 16
	switch n := len(list); {
	case n == 0:
		return "what the ranks left behind"
	case n == 1:
		return "rank " + list[0]
	case n > most:
		return fmt.Sprintf("ranks %s and %d more", strings.Join(list[:most], ", "), n-most)
	default:
		return "ranks " + strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}

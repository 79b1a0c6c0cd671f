package launch

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// signals is what the launcher hears.
type signals struct {
	child chan os.Signal          // SIGCHLD: some child has ended, perhaps several
	other chan os.Signal          // to be passed on
	pipe  chan os.Signal          // SIGPIPE: not read; a write then returns EPIPE instead of ending the process
	sent  map[syscall.Signal]bool // a rank that ends by one of these needs no words
	ends  int                     // how many of SIGINT and SIGTERM have come
}

// forwarded are the signals that ranks get from the launcher.
var forwarded = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGTSTP, unix.SIGCONT,
}

func listen() *signals {
	s := &signals{
		child: make(chan os.Signal, 1),
		other: make(chan os.Signal, 64),
		pipe:  make(chan os.Signal, 1),
		sent:  map[syscall.Signal]bool{},
	}
	signal.Notify(s.child, unix.SIGCHLD)
	signal.Notify(s.pipe, unix.SIGPIPE)
	for _, f := range forwarded {
		if !signal.Ignored(f) { // as nohup wants it for SIGHUP
			signal.Notify(s.other, f)
		}
	}
	return s
}

func (s *signals) stop() {
	signal.Stop(s.child)
	signal.Stop(s.pipe)
	signal.Stop(s.other)
}

func isEnd(s os.Signal) bool { return s == unix.SIGINT || s == unix.SIGTERM }

// forward passes a signal on to all ranks; the second one that asks for the end is not a question any more.
func (r *running) forward(s os.Signal) {
	number := s.(syscall.Signal)
	if isEnd(s) {
		if r.sig.ends++; r.sig.ends > 1 {
			r.out.say("a second signal; killing %s", r.names(func(k *rank) bool { return !k.ended }))
			r.fail(statusSignal + int(number))
			r.forced = true
			r.endAll(killed)
			return
		}
	}
	r.sig.sent[number] = number != unix.SIGUSR1 && number != unix.SIGUSR2
	for _, k := range r.ranks {
		k.signal(number)
	}
	if number == unix.SIGTSTP { // the ranks stop, and so do we, as the shell expects, until SIGCONT
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	}
}

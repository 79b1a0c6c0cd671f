package launch

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// MaxRanks is the largest number of ranks that a communicator has.
const MaxRanks = 4096

// Statuses of a job beside those of its ranks. They are the ones of timeout(1), env(1) and the shell.
const (
	StatusTimeout       = 124
	StatusFailed        = 125 // the launcher itself could not go on
	StatusNotExecutable = 126
	StatusNotFound      = 127
	statusSignal        = 128 // and the signal's number
)

// Job says what is to run, and how.
type Job struct {
	Name        string   // begins each of the launcher's own lines: "hcomm run"
	Args        []string // the program and its arguments
	Env         []string // added to each rank's environment
	Ranks       int      // 1 to MaxRanks
	Bind        Binding
	TagOutput   bool          // begin each line with its rank
	Timeout     time.Duration // 0: none
	Grace       time.Duration // what the others get when a rank has failed
	NoKill      bool          // when a rank has failed, let the others run on
	Stdin       *os.File      // for rank 0
	Stdout      *os.File
	Stderr      *os.File
	Interactive bool // rank 0 is the only one that writes: pass on what is not a whole line yet
}

// Run starts the job's ranks and returns its status: 0, or that of the first rank that failed, or one of the Status
// constants. The reason is on Stderr by then.
//
// It waits for all children of this process, so the process must have no others. It may be called again.
func (j *Job) Run() int {
	status := make(chan int)
	go func() {
		// A rank is killed when the thread that started it ends (PDEATHSIG), and it inherits that thread's affinity: one
		// thread is kept for the job from its start to its end. It is not unlocked, and so ends with the goroutine: what
		// was done to its affinity is done to no one else.
		runtime.LockOSThread()
		status <- j.run()
	}()
	return <-status
}

func (j *Job) run() int {
	// What a rank leaves behind becomes our child, so that we learn of its end. Cannot fail on Linux 3.4 or newer.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	path, status, err := find(j.Args[0])
	if err != nil {
		j.complain(err)
		return status
	}
	cpus, err := j.places()
	if err != nil {
		j.complain(err)
		return StatusFailed
	}
	env, err := j.environment()
	if err != nil {
		j.complain(err)
		return StatusFailed
	}
	r, err := newRunning(j)
	if err != nil {
		j.complain(err)
		return StatusFailed
	}
	defer r.close()
	if status, err := r.start(path, env, cpus); err != nil {
		r.out.say("%v", err)
		r.fail(status)
		r.endAll(asked)
	}
	return r.loop()
}

func (j *Job) complain(err error) { fmt.Fprintf(j.Stderr, "%s: %v\n", j.Name, err) }

package engine

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// fewest descriptors must be free at the first communicator: Go's network poller takes two and hcomm one for ever, one for
// each rank of another process, and the meeting some more for a while.
const fewest = 8

var pollerRuns atomic.Bool

// enoughDescriptors makes a lack of descriptors an error as long as it can be one: the Go runtime starts its poller sooner
// or later, and ends the process if it cannot. So it is started here, once there is room for it.
func enoughDescriptors() error {
	if pollerRuns.Load() {
		return nil
	}
	if n, err := openMany(fewest); err != nil {
		return errorf(SystemError, "this process can open only %d more descriptors (%v); hcomm needs %d to start (ulimit -n)", n, err, fewest).on("descriptors")
	}
	time.Sleep(time.Nanosecond) // a timer starts the poller
	pollerRuns.Store(true)
	return nil
}

// openMany tries to have n more descriptors at once, and says how many it got.
func openMany(n int) (got int, err error) {
	for ; got < n; got++ {
		fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return got, err
		}
		defer unix.Close(fd)
	}
	return got, nil
}

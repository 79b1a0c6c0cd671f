//go:build !valgrind

package engine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// selfPIDFD is a descriptor by which the peers learn of this process's end.
func selfPIDFD() (int, error) {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return -1, fmt.Errorf("pidfd_open, by which ranks learn of each other's death (Linux 5.3 or newer): %w", err)
	}
	return fd, nil
}

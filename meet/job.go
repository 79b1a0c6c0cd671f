package meet

import (
	"net"
	"strconv"
	"strings"
)

// Limits of the package; a peer's value beyond them is refused.
const (
	// MaxRanks is the largest size of a job.
	MaxRanks = 4096
	// MaxData is the largest number of bytes in a card.
	MaxData = 4096
	// MaxFDs is the largest number of descriptors in a card.
	MaxFDs = 4

	maxSocketName = 107 // sun_path less the leading NUL
)

// Job is what a process knows from its launcher about its place.
type Job struct {
	Rank, Size int
	At         Point
	// Source says who told: "HCOMM_RANK", "torchrun", "Slurm", "Open MPI" or "MPICH"; anything for a place that did not come from [FromEnv].
	Source string
	// Attendance, if it is not nil, says during Join who has come.
	Attendance *Attendance
}

// Point is where the ranks of a job meet. A job of more than one rank has exactly one of TCP and Socket.
type Point struct {
	// TCP is the "host:port" to meet at first; "" if none.
	TCP string
	// Socket is the name of the abstract Unix socket (without the leading NUL) where rank 0 meets the others; "" when it is learned over TCP.
	Socket string
	// Secret is what every rank must know. It may be empty: then it is enough to run as the same user, which is asked for in any case.
	Secret []byte
}

// String is the point as error texts name it.
func (p Point) String() string {
	if p.Socket != "" {
		return "@" + p.Socket
	}
	return p.TCP
}

// check says what is wrong with the job.
func (j Job) check() error {
	if j.Size < 1 || j.Size > MaxRanks {
		return failf(ErrUsage, "the job has %d ranks; it must have 1 to %d", j.Size, MaxRanks)
	}
	if j.Rank < 0 || j.Rank >= j.Size {
		return failf(ErrUsage, "rank %d is outside a job of %d ranks, whose ranks are 0 to %d", j.Rank, j.Size, j.Size-1)
	}
	if j.Size == 1 {
		return nil
	}
	switch {
	case j.At.TCP == "" && j.At.Socket == "":
		return failf(ErrUsage, "rank %d of %d has no meeting point: set HCOMM_ROOT=host:port, or give a unique id", j.Rank, j.Size)
	case j.At.TCP != "" && j.At.Socket != "":
		return failf(ErrUsage, "rank %d has two meeting points, %s over TCP and the socket @%s; it must have one", j.Rank, j.At.TCP, j.At.Socket)
	case len(j.At.Socket) > maxSocketName || strings.ContainsRune(j.At.Socket, 0):
		return failf(ErrUsage, "the socket name %q has %d bytes; it must have at most %d and no NUL", j.At.Socket, len(j.At.Socket), maxSocketName)
	case j.At.TCP != "":
		_, _, err := splitHostPort("the meeting point", j.At.TCP)
		return err
	}
	return nil
}

// splitHostPort takes "host:port" apart; name is what the value is called in the error.
func splitHostPort(name, value string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(value)
	if err != nil || host == "" {
		return "", 0, failf(ErrUsage, "%s=%s is not host:port (an IPv6 address needs brackets: [::1]:5000)", name, value)
	}
	port, err = parsePort(name, text)
	return host, port, err
}

// parsePort reads a port number; name is what the value is called in the error.
func parsePort(name, value string) (int, error) {
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 0 {
		return 0, failf(ErrUsage, "%s: the port %q is not a number from 1 to 65535", name, value)
	}
	return int(n), nil
}

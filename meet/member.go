package meet

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// member is another process of the session: for rank 0 each of the others, for the others rank 0.
type member struct {
	fd        int
	rank      int
	pid, uid  int
	farewell  string // what it said when it left
	departing bool
}

// heard reads from a member that has nothing to say but goodbye. EAGAIN: it is silent; io.EOF: it is gone; else it broke the rules.
func (m *member) heard() error {
	buf := make([]byte, 2+maxNotice)
	n, _, err := receive(m.fd, buf, 0)
	if err != nil {
		return err
	}
	note, err := decodeNotice(buf[:n])
	if err != nil {
		return err
	}
	m.departing, m.farewell = true, note.text
	return io.EOF
}

// gone is the error when a member is lost, with when it happened.
func (m *member) gone(when string) error {
	if !m.departing {
		m.heard() // perhaps it said why
	}
	who := fmt.Sprintf("rank %d (%s)", m.rank, pidText(m.pid))
	switch {
	case m.departing && m.farewell != "":
		return failf(ErrGone, "%s left %s: %s", who, when, m.farewell)
	case m.departing:
		return failf(ErrGone, "%s left %s", who, when)
	}
	return failf(ErrGone, "%s died or was cut off %s", who, when)
}

// failFrame tells the other ranks why rank 0 ends it. An error that is not ours is what rank 0's caller said to stop.
func failFrame(err error) []byte {
	text := err.Error()
	if f := (*failure)(nil); !errors.As(err, &f) {
		return notice{kind: kindNumber(ErrGone), text: fmt.Sprintf("rank 0 (%s) was told to stop: %s", pidText(os.Getpid()), text)}.encode()
	}
	return notice{kind: kindNumber(err), text: text}.encode()
}

// leaveFrame tells rank 0, or the others, that this rank goes.
func leaveFrame(why string) []byte { return notice{leave: true, text: why}.encode() }

// told is the error that the root's last word stands for.
func told(n notice) error { return &failure{kindOf(n.kind), n.text} }

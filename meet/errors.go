package meet

import (
	"errors"
	"fmt"
)

// The kinds of failure that a caller may want to tell apart with errors.Is.
// The error that is returned carries its own full sentence.
var (
	// ErrTimeout: not everybody came, or gave a card, in time.
	ErrTimeout = errors.New("meet: time is over")
	// ErrRefused: somebody is there who is not a rank of this job.
	ErrRefused = errors.New("meet: refused")
	// ErrDisagree: the ranks contradict each other about the job.
	ErrDisagree = errors.New("meet: the ranks disagree")
	// ErrUsage: an argument or an environment variable is wrong; nothing was sent.
	ErrUsage = errors.New("meet: wrong usage")
	// ErrGone: a rank that had come died or left.
	ErrGone = errors.New("meet: a rank is gone")
	// ErrSystem: the operating system did not give what was needed.
	ErrSystem = errors.New("meet: system error")
)

// kinds gives each kind its number on the wire.
var kinds = [...]error{ErrSystem, ErrTimeout, ErrRefused, ErrDisagree, ErrUsage, ErrGone}

// failure is an error of one kind whose text is a sentence of its own.
type failure struct {
	kind error
	text string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

func failf(kind error, format string, args ...any) error {
	return &failure{kind, fmt.Sprintf(format, args...)}
}

// kindNumber is the wire number of err's kind.
func kindNumber(err error) byte {
	for i, kind := range kinds {
		if errors.Is(err, kind) {
			return byte(i)
		}
	}
	return 0
}

// kindOf is the kind with the wire number n; an unknown number is ErrSystem.
func kindOf(n byte) error {
	if int(n) < len(kinds) {
		return kinds[n]
	}
	return ErrSystem
}

// again is why one attempt to reach the root failed; the next attempt may succeed.
type again struct {
	cause cause
	text  string
}

// cause says what an attempt that failed has shown about the meeting point.
type cause int

const (
	nobody   cause = iota // nobody listens, or cannot take us yet
	silent                // somebody listens, and our time was over before it said anything
	closed                // somebody listens, and hung up on us
	stranger              // somebody listens who is not the root of this job
)

func (a *again) Error() string { return a.text }

func againf(c cause, format string, args ...any) error {
	return &again{c, fmt.Sprintf(format, args...)}
}

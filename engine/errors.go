package engine

import "fmt"

// Code is the kind of an error, with the numbers of hcommResult_t.
type Code int

// The codes.
const (
	Success         Code = 0
	SystemError     Code = 2
	InternalError   Code = 3
	InvalidArgument Code = 4
	InvalidUsage    Code = 5
	RemoteError     Code = 6
	Timeout         Code = 8
	Mismatch        Code = 64
	Truncated       Code = 65 // of the MPI-style half only
)

// Error is what every function of this package returns when it fails.
type Error struct {
	Code     Code
	Argument string // the C name of the bad argument, for InvalidArgument
	Text     string // one sentence: the thing, its value, the rule, the way out
}

func (e *Error) Error() string { return e.Text }

func errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

func badArgument(name, format string, args ...any) *Error {
	return &Error{Code: InvalidArgument, Argument: name, Text: fmt.Sprintf(format, args...)}
}

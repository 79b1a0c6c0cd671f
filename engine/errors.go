package engine

import (
	"fmt"
	"strings"
)

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
	Page     string // of docs/errors, without .md; "": that of its code
	Culprits []int  // the ranks for which a communicator is given up, if that is known
}

// Error is the sentence, and where it is explained.
func (e *Error) Error() string {
	if strings.Contains(e.Text, pages) { // a verdict brings its own
		return e.Text
	}
	page := e.Page
	if page == "" {
		page = pageOf[e.Code]
	}
	return e.Text + " (" + pages + page + ".md)"
}

// pages is the folder of the pages that explain errors: symptom, cause, what to do.
const pages = "docs/errors/"

// pageOf is the page of an error that has none of its own.
var pageOf = map[Code]string{
	Success: "internal", SystemError: "system", InternalError: "internal", InvalidArgument: "bad-argument",
	InvalidUsage: "bad-call", RemoteError: "dead-rank", Timeout: "missing-rank", Mismatch: "mismatch", Truncated: "truncated",
}

// by names the ranks for which a communicator is given up.
func (e *Error) by(ranks ...int) *Error {
	e.Culprits = ranks
	return e
}

// on names the page that explains the error.
func (e *Error) on(page string) *Error {
	e.Page = page
	return e
}

func errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

func badArgument(name, format string, args ...any) *Error {
	return &Error{Code: InvalidArgument, Argument: name, Text: fmt.Sprintf(format, args...)}
}

package main

/*
#include "internal.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"hcomm/engine"
)

// report keeps the sentence of an error as the thread's last one and returns its code.
func report(function string, err error) C.int {
	if err == nil {
		return C.hcommSuccess
	}
	text := []byte(function + ": " + err.Error())
	C.set_error((*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text)))
	var e *engine.Error
	if errors.As(err, &e) && e.Code != engine.Success {
		return C.int(e.Code)
	}
	return C.hcommSystemError
}

func badArgument(name, format string, args ...any) error {
	return &engine.Error{Code: engine.InvalidArgument, Argument: name, Text: fmt.Sprintf(format, args...)}
}

func badUsage(format string, args ...any) error {
	return &engine.Error{Code: engine.InvalidUsage, Text: fmt.Sprintf(format, args...)}
}

// prefixed puts words before the sentence of an error.
func prefixed(words string, err error) error {
	code := engine.SystemError
	var e *engine.Error
	if errors.As(err, &e) {
		code = e.Code
	}
	return &engine.Error{Code: code, Text: words + ": " + err.Error()}
}

// renamed puts the names that a function has for its arguments into a sentence about one: old, new, old, new, …
func renamed(err error, names ...string) error {
	if err == nil {
		return nil
	}
	var e *engine.Error
	if !errors.As(err, &e) || e.Code != engine.InvalidArgument {
		return err
	}
	told := *e
	told.Text = strings.NewReplacer(names...).Replace(e.Text)
	return &told
}

// recovered, deferred, turns a panic into an error and gives up the communicator: what state it is in nobody knows.
func recovered(function string, handle uintptr, result *C.int) {
	if p := recover(); p != nil {
		*result = report(function, afterPanic(p, handle))
	}
}

// afterPanic is the error that a panic becomes; it gives up the communicator.
func afterPanic(panicked any, handle uintptr) error { return mistake(lookup(handle), panicked) }

// mistake is the error that a panic becomes; it gives up the communicator, if there is one.
func mistake(c *engine.Comm, panicked any) error {
	err := &engine.Error{Code: engine.InternalError, Text: fmt.Sprintf("a mistake in hcomm, please report it: panic: %v", panicked)}
	if c != nil {
		c.Poison(err.Text)
	}
	return err
}

package main

/*
#include "internal.h"
*/
import "C"

import (
	"sync"

	"hcomm/engine"
)

// making is a communicator that is made while the program goes on.
type making struct {
	sync.Mutex
	aborted bool
	err     error // why it could not be made
}

// maker makes a communicator; stop is asked now and then, and its error ends the making. nil: there is none for this rank.
type maker func(stop func() error) (*engine.Comm, error)

// later has a communicator made, out of parent if that is not nil, by a goroutine, and returns its handle, which is 0 when
// there are too many.
func later(parent *engine.Comm, make maker) uintptr {
	m := new(making)
	h := reserve(m)
	if h != 0 {
		go parent.Aside(func() { m.run(h, make) })
	}
	return h
}

func (m *making) run(h uintptr, make maker) {
	defer func() {
		if p := recover(); p != nil {
			m.end(mistake(lookup(h), p))
		}
	}()
	c, err := make(m.stopped)
	if err != nil {
		m.end(err)
	} else if !fill(h, &entry{comm: c}) {
		c.Abort()
	}
}

func (m *making) end(err error) {
	m.Lock()
	defer m.Unlock()
	m.err = err
}

func (m *making) abort() {
	m.Lock()
	defer m.Unlock()
	m.aborted = true
}

func (m *making) stopped() error {
	m.Lock()
	defer m.Unlock()
	if m.aborted {
		return badUsage("the communicator was aborted while it was made")
	}
	return nil
}

// failure is why it could not be made, nil while it is being made.
func (m *making) failure() error {
	m.Lock()
	defer m.Unlock()
	if m.err == nil {
		return nil
	}
	return prefixed("the communicator could not be made", m.err)
}

// refusal is the error of a call on it.
func (m *making) refusal() error {
	if m != nil {
		if err := m.failure(); err != nil {
			return err
		}
	}
	return badUsage("the communicator is still being made: hcommCommGetAsyncError tells when it is there")
}

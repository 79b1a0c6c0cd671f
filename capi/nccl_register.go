package main

/*
#include "internal.h"
*/
import "C"

import (
	"errors"
	"sync"

	"hcomm/engine"
	"hcomm/hmm"
)

// registrations are those of all communicators, by their handles: numbers, each of which is given once.
var registrations struct {
	sync.Mutex
	last uintptr
	all  map[uintptr]*registration
}

type registration struct {
	comm   uintptr // its handle
	memory *hmm.Registered
}

//export goCommRegister
func goCommRegister(comm, buff uintptr, size C.size_t, handle uintptr) (result C.int) {
	const function = "hcommCommRegister"
	defer recovered(function, comm, &result)
	if _, err := find(comm); err != nil {
		return report(function, err)
	}
	to, err := pointer[uintptr]("handle", handle)
	if err != nil {
		return report(function, err)
	}
	p, err := buffer("buff", buff)
	if err == nil && p == nil && size > 0 {
		err = badArgument("buff", "buff is NULL, and size is %d", size)
	}
	if err != nil {
		return report(function, err)
	}
	memory, err := hmm.Register(p, uint64(size))
	if refusal := hmm.Refusal(""); errors.As(err, &refusal) {
		err = badArgument("buff", "the %d bytes at buff, %#x, cannot be registered: %v", size, buff, err)
	}
	if err != nil {
		return report(function, err)
	}
	*to = keepRegistration(&registration{comm, memory})
	return C.hcommSuccess
}

//export goCommDeregister
func goCommDeregister(comm, handle uintptr) (result C.int) {
	const function = "hcommCommDeregister"
	defer recovered(function, comm, &result)
	r := takeRegistration(comm, handle)
	if r == nil {
		return report(function, badArgument("handle", "handle is %#x, which is none of a registration on comm, %#x, or was deregistered already", handle, comm))
	}
	done, err := r.memory.Close()
	if !done {
		restoreRegistration(handle, r)
	}
	if refusal := hmm.Refusal(""); errors.As(err, &refusal) {
		err = &engine.Error{Code: engine.InvalidUsage, Text: err.Error()}
	}
	return report(function, err)
}

// keepRegistration makes a handle.
func keepRegistration(r *registration) uintptr {
	registrations.Lock()
	registrations.last++
	h := registrations.last
	registrations.Unlock()
	restoreRegistration(h, r)
	return h
}

// takeRegistration makes a handle invalid; nil if it is none of the communicator's.
func takeRegistration(comm, handle uintptr) *registration {
	registrations.Lock()
	defer registrations.Unlock()
	r := registrations.all[handle]
	if r == nil || r.comm != comm {
		return nil
	}
	delete(registrations.all, handle)
	return r
}

// restoreRegistration makes it valid.
func restoreRegistration(handle uintptr, r *registration) {
	registrations.Lock()
	defer registrations.Unlock()
	if registrations.all == nil {
		registrations.all = map[uintptr]*registration{}
	}
	registrations.all[handle] = r
}

// retireRegistrations has the memory that is registered on a communicator, which is being freed, sent as ordinary memory:
// whoever forgets to deregister it, and frees it, need not find stale bytes sent.
func retireRegistrations(comm uintptr) {
	registrations.Lock()
	defer registrations.Unlock()
	for _, r := range registrations.all {
		if r.comm == comm {
			r.memory.Retire()
		}
	}
}

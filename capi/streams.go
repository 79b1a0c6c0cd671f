package main

/*
#include "internal.h"
*/
import "C"

import (
	"sync"

	"hcomm/engine"
	"hcomm/stack"
)

// streams are those that were created and not destroyed, by their handles. A handle is never used again, and is neither
// an address nor a communicator's.
var streams = openStreams{open: map[uintptr]*engine.Stream{}}

const firstStream = 1 << 62

type openStreams struct {
	sync.RWMutex
	open map[uintptr]*engine.Stream
	made uintptr
}

func (o *openStreams) create() uintptr {
	o.Lock()
	defer o.Unlock()
	h := firstStream + o.made
	o.made++
	o.open[h] = new(engine.Stream)
	return h
}

func (o *openStreams) get(h uintptr) *engine.Stream {
	o.RLock()
	defer o.RUnlock()
	return o.open[h]
}

// take is get, for the last time.
func (o *openStreams) take(h uintptr) *engine.Stream {
	o.Lock()
	defer o.Unlock()
	s := o.open[h]
	delete(o.open, h)
	return s
}

// findStream finds the stream of a call; the NULL stream is nil.
func findStream(h uintptr) (*engine.Stream, error) {
	if h == 0 {
		return nil, nil
	}
	if s := streams.get(h); s != nil {
		return s, nil
	}
	return nil, noStream("stream", h)
}

// theStream is findStream where it must not be NULL.
func theStream(name string, h uintptr) (*engine.Stream, error) {
	stack.Reserve()
	if s := streams.get(h); s != nil {
		return s, nil
	}
	return nil, noStream(name, h)
}

func noStream(name string, h uintptr) error {
	if h == 0 {
		return badArgument(name, "%s is NULL; it must be a stream from hcommStreamCreate", name)
	}
	return badArgument(name, "%s is %#x, which is no stream from hcommStreamCreate, or was destroyed", name, h)
}

//export goStreamCreate
func goStreamCreate(stream uintptr) (result C.int) {
	const function = "hcommStreamCreate"
	defer recovered(function, 0, &result)
	to, err := pointer[uintptr]("stream", stream)
	if err == nil {
		*to = streams.create()
	}
	return report(function, err)
}

//export goStreamDestroy
func goStreamDestroy(stream uintptr) (result C.int) {
	const function = "hcommStreamDestroy"
	defer recovered(function, 0, &result)
	s, err := theStream("stream", stream)
	if err == nil && streams.take(stream) == nil {
		err = noStream("stream", stream)
	}
	if err == nil {
		err = s.Synchronize()
	}
	return report(function, err)
}

//export goStreamSynchronize
func goStreamSynchronize(stream uintptr) (result C.int) {
	const function = "hcommStreamSynchronize"
	defer recovered(function, 0, &result)
	s, err := theStream("stream", stream)
	if err == nil {
		err = s.Synchronize()
	}
	return report(function, err)
}

//export goStreamQuery
func goStreamQuery(stream uintptr) (result C.int) {
	const function = "hcommStreamQuery"
	defer recovered(function, 0, &result)
	s, err := theStream("stream", stream)
	if err != nil {
		return report(function, err)
	}
	done, err := s.IsDone()
	if err == nil && !done {
		return C.hcommInProgress
	}
	return report(function, err)
}

//export goStreamWait
func goStreamWait(stream, other uintptr) (result C.int) {
	const function = "hcommStreamWait"
	defer recovered(function, 0, &result)
	s, err := theStream("stream", stream)
	if err != nil {
		return report(function, err)
	}
	o, err := theStream("other", other)
	if err == nil {
		s.After(o)
	}
	return report(function, err)
}

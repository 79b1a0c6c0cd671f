package main

/*
#include "internal.h"
*/
import "C"

import (
	"slices"
	"sync"

	"hcomm/engine"
	"hcomm/stack"
)

// group is what a thread has called since hcommGroupStart. That thread alone uses it.
type group struct {
	calls   engine.Group
	comms   []*engine.Comm // of the calls
	streams []uintptr      // of the calls
	jobs    []*job
	err     error // of the first call that failed
}

// job is a call of a group that makes a communicator or completes one.
type job struct {
	function string
	comm     *engine.Comm // that all its ranks call it on; nil if there is none yet
	do       func() error
	later    bool // what it makes is there later
	err      error
}

// groups are those of all threads, by their numbers.
var groups = openGroups{open: map[uint64]*group{}}

type openGroups struct {
	sync.Mutex
	open map[uint64]*group
}

func (o *openGroups) of(number uint64) *group {
	o.Lock()
	defer o.Unlock()
	g := o.open[number]
	if g == nil {
		g = new(group)
		o.open[number] = g
	}
	return g
}

// take is of, for the last time.
func (o *openGroups) take(number uint64) *group {
	o.Lock()
	defer o.Unlock()
	g := o.open[number]
	delete(o.open, number)
	return g
}

func (g *group) add(c *engine.Comm, w engine.Work, s *engine.Stream, stream uintptr) error {
	if err := g.calls.Add(c, w, s); err != nil {
		return err
	}
	if !slices.Contains(g.comms, c) {
		g.comms = append(g.comms, c)
	}
	if s != nil && !slices.Contains(g.streams, stream) {
		g.streams = append(g.streams, stream)
	}
	return nil
}

// addJob is add for a job. Those come before all calls, so on its communicator there must be none yet.
func (g *group) addJob(j *job) error {
	if j.comm != nil && slices.Contains(g.comms, j.comm) {
		return badUsage("the group has calls on comm already, and this one comes before them: call it first, or in another group")
	}
	g.jobs = append(g.jobs, j)
	return nil
}

func (g *group) failed(function string, err error) {
	if g.err == nil {
		g.err = prefixed("nothing was done, since a call in the group failed: "+function, err)
	}
}

// isLater says whether a communicator is still being made when the group has ended.
func (g *group) isLater() bool {
	return slices.ContainsFunc(g.jobs, func(j *job) bool { return j.later })
}

// run does what the group has, or nothing if there was an error.
func (g *group) run() error {
	if g.err != nil {
		return g.err
	}
	for _, h := range g.streams {
		if s, _ := findStream(h); s == nil {
			return badUsage("nothing was done, since stream %#x was destroyed while the group had calls for it", h)
		}
	}
	if err := g.runJobs(); err != nil {
		return err
	}
	return g.calls.Run()
}

// runJobs does the jobs at once, but for those on one communicator, which have an order. The error is that of the first
// that has one.
func (g *group) runJobs() error {
	var running sync.WaitGroup
	for _, chain := range g.chains() {
		running.Go(func() {
			for _, j := range chain {
				if j.run(); j.err != nil {
					return
				}
			}
		})
	}
	engine.Attend(running.Wait)
	for _, j := range g.jobs {
		if j.err != nil {
			return prefixed(j.function, j.err)
		}
	}
	return nil
}

// chains are the jobs by communicator.
func (g *group) chains() [][]*job {
	var all [][]*job
	for _, j := range g.jobs {
		i := slices.IndexFunc(all, func(chain []*job) bool { return j.comm != nil && chain[0].comm == j.comm })
		if i < 0 {
			all = append(all, []*job{j})
		} else {
			all[i] = append(all[i], j)
		}
	}
	return all
}

// run does a job; a panic is its error.
func (j *job) run() {
	defer func() {
		if p := recover(); p != nil {
			j.err = mistake(j.comm, p)
		}
	}()
	j.comm.Aside(func() { j.err = j.do() })
}

//export goGroupEnd
func goGroupEnd(number C.uint64_t) (result C.int) {
	const function = "hcommGroupEnd"
	g := groups.take(uint64(number))
	if g == nil {
		return C.hcommSuccess
	}
	defer g.recovered(function, &result)
	stack.Reserve()
	provoke(function)
	if err := g.run(); err != nil || !g.isLater() {
		return report(function, err)
	}
	return C.hcommInProgress
}

// recovered, deferred, is recovered for all communicators of the group.
func (g *group) recovered(function string, result *C.int) {
	p := recover()
	if p == nil {
		return
	}
	for _, c := range g.comms {
		mistake(c, p)
	}
	*result = report(function, mistake(nil, p))
}

//export goDropGroup
func goDropGroup(number C.uint64_t) { groups.take(uint64(number)) }

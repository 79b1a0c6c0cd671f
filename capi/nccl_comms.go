package main

/*
#include "internal.h"
*/
import "C"

import (
	"unsafe"

	"hcomm/engine"
	"hcomm/meet"
)

// give stores the handle of a new communicator at to; nil is NULL.
func give(to *uintptr, c *engine.Comm) error {
	if c == nil {
		*to = 0
		return nil
	}
	h := publish(c)
	if h == 0 {
		c.Destroy()
		return tooMany()
	}
	*to = h
	return nil
}

func tooMany() error {
	return &engine.Error{Code: engine.SystemError, Text: "there are 65536 communicators already"}
}

// bringing is a call that makes a communicator.
type bringing struct {
	function string
	parent   *engine.Comm // nil if there is none
	to       *uintptr
	later    bool
	make     maker
}

// do makes the communicator, or has it made while the program goes on. The error is none if that is so.
func (b *bringing) do() error {
	if b.later {
		if *b.to = later(b.parent, b.make); *b.to == 0 {
			return tooMany()
		}
		return nil
	}
	c, err := b.make(nil)
	if err == nil {
		err = give(b.to, c)
	}
	return err
}

// bring makes the communicator now, or at the end of the thread's group.
func (b *bringing) bring(group C.uint64_t) C.int {
	if group != 0 {
		err := groups.of(uint64(group)).addJob(&job{function: b.function, comm: b.parent, do: b.do, later: b.later})
		return conclude(b.function, group, err)
	}
	var err error
	if b.later {
		if err = b.do(); err == nil {
			return C.hcommInProgress
		}
	} else {
		engine.Beside(b.parent, func() { err = b.do() })
	}
	return report(b.function, err)
}

//export goCommInitRank
func goCommInitRank(comm uintptr, nranks C.int, id *C.hcommUniqueId, rank C.int, group C.uint64_t) (result C.int) {
	const function = "hcommCommInitRank"
	defer recovered(function, 0, &result)
	return initRank(function, comm, nranks, id, rank, 0, group)
}

//export goCommInitRankConfig
func goCommInitRankConfig(comm uintptr, nranks C.int, id *C.hcommUniqueId, rank C.int, cfg uintptr, group C.uint64_t) (result C.int) {
	const function = "hcommCommInitRankConfig"
	defer recovered(function, 0, &result)
	return initRank(function, comm, nranks, id, rank, cfg, group)
}

func initRank(function string, comm uintptr, nranks C.int, id *C.hcommUniqueId, rank C.int, cfg uintptr, group C.uint64_t) C.int {
	to, err := pointer[uintptr]("comm", comm)
	if err != nil {
		return conclude(function, group, err)
	}
	k, err := readConfig(cfg)
	if err != nil {
		return conclude(function, group, err)
	}
	key := *(*meet.ID)(unsafe.Pointer(id))
	if err := engine.CheckRank(int(nranks), key, int(rank)); err != nil {
		return conclude(function, group, err)
	}
	env := engine.Environment(getenv)
	if k.later {
		env = environment() // the program may change its own meanwhile
	}
	b := &bringing{function: function, to: to, later: k.later, make: func(stop func() error) (*engine.Comm, error) {
		k.Stop = stop
		return engine.InitRank(env, int(nranks), key, int(rank), &k.Config)
	}}
	return b.bring(group)
}

//export goCommInitAll
func goCommInitAll(comms uintptr, ndev C.int) (result C.int) {
	const function = "hcommCommInitAll"
	defer recovered(function, 0, &result)
	first, err := pointer[uintptr]("comms", comms)
	if err != nil {
		return report(function, err)
	}
	made, err := engine.InitAll(getenv, int(ndev))
	if err != nil {
		return report(function, err)
	}
	to := unsafe.Slice(first, len(made))
	clear(to)
	for i, c := range made {
		if err := give(&to[i], c); err != nil {
			for j, c := range made {
				if j < i {
					retire(to[j])
				}
				c.Destroy()
			}
			clear(to)
			return report(function, err)
		}
	}
	return C.hcommSuccess
}

// initEnv joins the job of the environment.
func initEnv() (c *engine.Comm, err error) {
	engine.Beside(nil, func() { c, err = engine.InitEnv(getenv) })
	return c, err
}

//export goCommInitEnv
func goCommInitEnv(comm uintptr) (result C.int) {
	const function = "hcommCommInitEnv"
	defer recovered(function, 0, &result)
	to, err := pointer[uintptr]("comm", comm)
	if err != nil {
		return report(function, err)
	}
	c, err := initEnv()
	if err == nil {
		err = give(to, c)
	}
	return report(function, err)
}

// from is what the calls have in common that make a communicator out of another.
func from(function string, comm, newcomm, cfg uintptr) (*bringing, config, error) {
	c, err := find(comm)
	if err != nil {
		return nil, config{}, err
	}
	to, err := pointer[uintptr]("newcomm", newcomm)
	if err != nil {
		return nil, config{}, err
	}
	k, err := readConfig(cfg)
	provoke(function)
	return &bringing{function: function, parent: c, to: to, later: k.later}, k, err
}

//export goCommSplit
func goCommSplit(comm uintptr, color, key C.int, newcomm, cfg uintptr, group C.uint64_t) (result C.int) {
	const function = "hcommCommSplit"
	defer recovered(function, comm, &result)
	b, k, err := from(function, comm, newcomm, cfg)
	if err == nil && color < engine.NoColor {
		err = badArgument("color", "color is %d; it must be 0 or more, or HCOMM_SPLIT_NOCOLOR", color)
	}
	if err != nil {
		return conclude(function, group, err)
	}
	b.later = b.later && color != engine.NoColor // there would be nobody to tell how it ended
	b.make = func(stop func() error) (*engine.Comm, error) {
		k.Stop = stop
		return b.parent.Split(int(color), int(key), &k.Config)
	}
	return b.bring(group)
}

//export goCommDup
func goCommDup(comm, newcomm uintptr, group C.uint64_t) (result C.int) {
	const function = "hcommCommDup"
	defer recovered(function, comm, &result)
	b, _, err := from(function, comm, newcomm, 0)
	if err != nil {
		return conclude(function, group, err)
	}
	b.make = func(func() error) (*engine.Comm, error) { return b.parent.Dup(nil) }
	return b.bring(group)
}

//export goCommShrink
func goCommShrink(comm, list uintptr, count C.int, newcomm, cfg uintptr, flags C.int, group C.uint64_t) (result C.int) {
	const function = "hcommCommShrink"
	defer recovered(function, comm, &result)
	b, k, err := from(function, comm, newcomm, cfg)
	var exclude []int
	if err == nil {
		exclude, err = readRanks(b.parent, list, count)
	}
	if err == nil && flags != C.HCOMM_SHRINK_DEFAULT && flags != C.HCOMM_SHRINK_ABORT {
		err = badArgument("shrinkFlags", "shrinkFlags is %d; it must be HCOMM_SHRINK_DEFAULT or HCOMM_SHRINK_ABORT", flags)
	}
	if err != nil {
		return conclude(function, group, err)
	}
	b.make = func(stop func() error) (*engine.Comm, error) {
		k.Stop = stop
		return b.parent.Shrink(exclude, flags == C.HCOMM_SHRINK_ABORT, &k.Config)
	}
	return b.bring(group)
}

func readRanks(c *engine.Comm, list uintptr, count C.int) ([]int, error) {
	if count < 0 || int(count) >= c.Size() {
		return nil, badArgument("excludeRanksCount", "excludeRanksCount is %d; with %d ranks it must be 0 to %d", count, c.Size(), c.Size()-1)
	}
	if count == 0 {
		return nil, nil
	}
	first, err := buffer("excludeRanksList", list)
	if err != nil {
		return nil, err
	}
	if first == nil {
		return nil, badArgument("excludeRanksList", "excludeRanksList is NULL, but excludeRanksCount is %d: only a count of 0 allows it", count)
	}
	var ranks []int
	for _, q := range unsafe.Slice((*C.int)(first), int(count)) {
		ranks = append(ranks, int(q))
	}
	return ranks, nil
}

//export goCommFinalize
func goCommFinalize(comm uintptr, group C.uint64_t) (result C.int) {
	const function = "hcommCommFinalize"
	defer recovered(function, comm, &result)
	c, err := find(comm)
	switch {
	case err != nil:
	case group != 0:
		err = groups.of(uint64(group)).addJob(&job{function: function, comm: c, do: c.Complete})
	default:
		provoke(function)
		err = c.Complete()
	}
	return conclude(function, group, err)
}

//export goCommRevoke
func goCommRevoke(comm uintptr, flags C.int) (result C.int) {
	const function = "hcommCommRevoke"
	defer recovered(function, comm, &result)
	c, err := find(comm)
	if err == nil && flags != 0 {
		err = badArgument("revokeFlags", "revokeFlags is %d; it must be 0", flags)
	}
	if err == nil {
		err = c.Revoke()
	}
	return report(function, err)
}

//export goCommGetFailedRanks
func goCommGetFailedRanks(comm, ranks, count uintptr) (result C.int) {
	const function = "hcommCommGetFailedRanks"
	defer recovered(function, comm, &result)
	c, err := find(comm)
	if err != nil {
		return report(function, err)
	}
	n, err := pointer[C.int]("count", count)
	if err != nil {
		return report(function, err)
	}
	room := int(*n)
	if room < 0 {
		return report(function, badArgument("count", "*count is %d; it must be the number of ranks for which there is room, 0 or more", room))
	}
	to, err := buffer("ranks", ranks)
	if err == nil && to == nil && room > 0 {
		err = badArgument("ranks", "ranks is NULL, but *count is %d: only 0 allows it", room)
	}
	if err != nil {
		return report(function, err)
	}
	failed := c.Failed()
	for i, q := range failed[:min(len(failed), room)] {
		unsafe.Slice((*C.int)(to), room)[i] = C.int(q)
	}
	*n = C.int(len(failed))
	return C.hcommSuccess
}

//export goCommGetAsyncError
func goCommGetAsyncError(comm, asyncError uintptr) (result C.int) {
	const function = "hcommCommGetAsyncError"
	defer recovered(function, comm, &result)
	e := entryOf(comm)
	if e == nil {
		return report(function, noCommunicator(comm))
	}
	to, err := pointer[C.int]("asyncError", asyncError)
	if err != nil {
		return report(function, err)
	}
	if e.comm != nil {
		*to = report(function, e.comm.Failure())
	} else if *to = report(function, e.making.failure()); *to == C.hcommSuccess {
		*to = C.hcommInProgress
	}
	return C.hcommSuccess
}

//export goCommDestroy
func goCommDestroy(comm uintptr) (result C.int) {
	const function = "hcommCommDestroy"
	defer recovered(function, comm, &result)
	if e := entryOf(comm); e != nil && e.comm == nil && e.making.failure() != nil && retireUnmade(comm) {
		return C.hcommSuccess
	}
	c, err := find(comm)
	if err == nil {
		err = c.Destroy()
	}
	if err == nil {
		retire(comm)
	}
	return report(function, err)
}

//export goCommAbort
func goCommAbort(comm uintptr) (result C.int) {
	const function = "hcommCommAbort"
	defer recovered(function, comm, &result)
	if e := entryOf(comm); e != nil && e.comm == nil && retireUnmade(comm) {
		e.making.abort()
		return C.hcommSuccess
	}
	c := lookup(comm)
	if c == nil || !aborting.move(comm, c) {
		return report(function, noCommunicator(comm))
	}
	c.Abort()
	if c.Freed() {
		aborting.drop(comm) // also when a Destroy came first
	}
	return C.hcommSuccess
}

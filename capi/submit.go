package main

/*
#include "internal.h"
*/
import "C"

import (
	"unsafe"

	"hcomm/engine"
	"hcomm/plan"
	"hcomm/simd"
)

// submit makes a call: now, in a stream, or at the end of the thread's group.
func submit(c *engine.Comm, w engine.Work, at C.struct_target) error {
	if at.stream == 0 && at.group == 0 {
		return c.Do(w)
	}
	s, err := findStream(uintptr(at.stream))
	if err != nil {
		return err
	}
	if at.group != 0 {
		return groups.of(uint64(at.group)).add(c, w, s, uintptr(at.stream))
	}
	return s.Enqueue(c, w)
}

// collective is submit of a collective. One that is made now is handed over without a Work, which takes 20 ns.
func collective(c *engine.Comm, k plan.Collective, send, recv unsafe.Pointer, count C.size_t, t simd.Type, op simd.Op, root C.int, at C.struct_target) error {
	if at.stream == 0 && at.group == 0 {
		return c.Collective(k, send, recv, uint64(count), t, op, int(root))
	}
	return submit(c, engine.CollectiveWork(k, send, recv, uint64(count), t, op, int(root)), at)
}

// conclude is report for what may be in a group: the first error there is the group's.
func conclude(function string, group C.uint64_t, err error) C.int {
	if err != nil && group != 0 {
		groups.of(uint64(group)).failed(function, err)
	}
	return report(function, err)
}

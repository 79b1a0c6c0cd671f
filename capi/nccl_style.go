package main

/*
#include <stdlib.h>
#include "internal.h"
extern char **environ;
*/
import "C"

import (
	"strings"
	"unsafe"

	"hcomm/engine"
	"hcomm/forked"
	"hcomm/hmm"
	"hcomm/meet"
)

func main() {}

func init() {
	C.watch_fork((*C.uint64_t)(&forked.Table[0]), C.size_t(len(forked.Table)))
	engine.PrepareProcess(environ)
}

// getenv reads the C environment, in which a program's setenv is seen.
func getenv(name string) string {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	return C.GoString(C.getenv(n))
}

// environ lists the C environment, NAME=value.
func environ() []string {
	var all []string
	for at := unsafe.Pointer(C.environ); at != nil && *(**C.char)(at) != nil; at = unsafe.Add(at, unsafe.Sizeof(at)) {
		all = append(all, C.GoString(*(**C.char)(at)))
	}
	return all
}

// environment reads a copy of the C environment.
func environment() engine.Environment {
	copied := map[string]string{}
	for _, line := range environ() {
		name, value, _ := strings.Cut(line, "=")
		copied[name] = value
	}
	return func(name string) string { return copied[name] }
}

//export goGetUniqueId
func goGetUniqueId(id uintptr) (result C.int) {
	const function = "hcommGetUniqueId"
	defer recovered(function, 0, &result)
	to, err := pointer[meet.ID]("id", id)
	if err != nil {
		return report(function, err)
	}
	*to, err = meet.NewID()
	return report(function, err)
}

//export goCommCount
func goCommCount(comm, count uintptr) (result C.int) {
	const function = "hcommCommCount"
	defer recovered(function, comm, &result)
	return report(function, query(comm, "count", count, (*engine.Comm).Size))
}

//export goCommUserRank
func goCommUserRank(comm, rank uintptr) (result C.int) {
	const function = "hcommCommUserRank"
	defer recovered(function, comm, &result)
	return report(function, query(comm, "rank", rank, (*engine.Comm).Rank))
}

func query(comm uintptr, name string, to uintptr, ask func(*engine.Comm) int) error {
	c, err := find(comm)
	if err != nil {
		return err
	}
	p, err := pointer[C.int](name, to)
	if err == nil {
		*p = C.int(ask(c))
	}
	return err
}

//export goMemAlloc
func goMemAlloc(ptr uintptr, size C.size_t) (result C.int) {
	const function = "hcommMemAlloc"
	defer recovered(function, 0, &result)
	to, err := pointer[unsafe.Pointer]("ptr", ptr)
	if err == nil {
		*to, err = hmm.Alloc(uint64(size))
	}
	return report(function, err)
}

//export goMemFree
func goMemFree(ptr uintptr) (result C.int) {
	const function = "hcommMemFree"
	defer recovered(function, 0, &result)
	p, err := buffer("ptr", ptr)
	if err == nil && hmm.Free(p) != nil {
		err = badArgument("ptr", "ptr is %#x, which is no memory from hcommMemAlloc, or was freed already", ptr)
	}
	return report(function, err)
}

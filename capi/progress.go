package main

/*
#include "internal.h"
*/
import "C"

import "hcomm/engine"

//export goSetProgress
func goSetProgress(has C.int) {
	if has != 0 {
		engine.SetForeign(callProgress)
	} else {
		engine.SetForeign(nil)
	}
}

// callProgress calls the program's function. A thread that has called Go is called back on the stack that it came with.
func callProgress() { C.call_progress() }

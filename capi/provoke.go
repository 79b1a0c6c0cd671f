//go:build hcomm_provoke

package main

/*
#include <stdlib.h>
*/
import "C"

// provoke panics in the function that HCOMM_TEST_PANIC names.
func provoke(function string) {
	if getenv("HCOMM_TEST_PANIC") == function {
		panic("provoked in " + function)
	}
}

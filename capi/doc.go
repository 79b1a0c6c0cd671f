// Command capi is libhcomm.so: the C interface of include/hcomm.h over package engine.
//
// The exported functions are in nccl_*.c and mpi_*.c, the last error is in thread.c; what they call in Go has names
// that begin with go and is hidden by hcomm.map. This package knows handles, the user's pointers, error codes and the
// fork guard. small.c and message.c do small collectives and messages without entering Go; see engine/small.go for why.
// Start at nccl_style.go.
//
// May import: engine, hmm, meet, forked, link/shm (for the layout of its queues), plan (for the names of collectives),
// simd (for its types), stack. Imported by: nobody.
package main

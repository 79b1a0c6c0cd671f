// Command kernels measures the kernels of package simd against what gcc makes of the same loop.
//
// For each type and operator, and for buffers that fit the caches and such that do not, it runs hcomm's kernel and
// gcc's loop in turns on one processor, in one process, on the same buffers. A guest's processor may be twice as fast
// in one minute as in the next, so only measurements that follow each other are compared: the ratio is the median of
// those of such pairs. Both go over the buffers 64 KiB at a time, which is what the engine gives a kernel. The results
// of all are compared before they are measured.
//
// The loops of gcc are in C, a file for each kind: integer.c, float.c, float16.c, bfloat16.c, float8.c and bytes.c;
// intrinsics.c has those that a person would write for the 16-bit floats. Start at contests.go, which says what is
// measured against what; contest.go has the measuring.
//
// May import: simd. Imported by: nobody.
package main

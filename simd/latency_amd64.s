//go:build !race && !purego

#include "textflag.h"

// func readTicks(p *byte) uint64
TEXT ·readTicks(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI

	// Page faults and walks are not to count. These lines are not among those below.
	MOVQ 64(SI), AX
	MOVQ 1792(SI), AX
	LFENCE
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, R8
	LFENCE

	// The next address waits for what was read, for AND with 0 is no zeroing idiom; and no prefetcher knows it.
	MOVQ 1088(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 256(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 1856(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 704(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 0(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 1472(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 512(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	MOVQ 1664(SI), AX
	ANDQ $0, AX
	ADDQ AX, SI
	LFENCE
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	SUBQ R8, AX
	MOVQ AX, ret+8(FP)
	RET

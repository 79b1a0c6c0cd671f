//go:build !race && !purego

#include "textflag.h"

// amd64 keeps stores in order, and no store passes an earlier load: a plain MOV is a release store and a plain load an acquire load.

// func StoreRelease64(p *uint64, v uint64)
TEXT ·StoreRelease64(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), CX
	MOVQ CX, (AX)
	RET

// func FenceAcquire()
TEXT ·FenceAcquire(SB), NOSPLIT, $0-0
	RET

// func FenceRelease()
TEXT ·FenceRelease(SB), NOSPLIT, $0-0
	RET

// func Pause(n int)
TEXT ·Pause(SB), NOSPLIT, $0-8
	MOVQ  n+0(FP), CX
	TESTQ CX, CX
	JLE   done

again:
	PAUSE
	DECQ CX
	JNZ  again

done:
	RET

//go:build !race && !purego

#include "textflag.h"

// func StoreRelease64(p *uint64, v uint64)
TEXT ·StoreRelease64(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	RET

// func FenceAcquire()
TEXT ·FenceAcquire(SB), NOSPLIT, $0-0
	DMB $0x9 // ISHLD
	RET

// func FenceRelease()
TEXT ·FenceRelease(SB), NOSPLIT, $0-0
	DMB $0xb // ISH
	RET

// func Pause(n int)
TEXT ·Pause(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	CMP  $0, R0
	BLE  done

again:
	YIELD
	SUBS $1, R0
	BNE  again

done:
	RET

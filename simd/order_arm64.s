//go:build !race && !purego

#include "textflag.h"

// func StoreRelease64(p *uint64, v uint64)
TEXT ·StoreRelease64(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	RET

// func StoreRelease32(p *uint32, v uint32)
TEXT ·StoreRelease32(SB), NOSPLIT, $0-12
	MOVD  p+0(FP), R0
	MOVWU v+8(FP), R1
	STLRW R1, (R0)
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

// func WaitChange64(p *uint64, old uint64, spins int) uint64
TEXT ·WaitChange64(SB), NOSPLIT, $0-32
	MOVD p+0(FP), R0
	MOVD old+8(FP), R1
	MOVD spins+16(FP), R2
	LDAR (R0), R3
	CMP  $0, R2
	BLE  done

again:
	CMP  R1, R3
	BNE  done
	YIELD
	LDAR (R0), R3
	SUBS $1, R2
	BNE  again

done:
	MOVD R3, ret+24(FP)
	RET

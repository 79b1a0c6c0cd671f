#include "textflag.h"

// func Reserve()
//
// The frame is all there is to it: the assembler puts the check for it, and the call that grows the stack, in front.
TEXT ·Reserve(SB), 0, $65536-0
	RET

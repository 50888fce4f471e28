/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function with a known value in every register which matters, and keep
 * what is in them afterwards.
 */
#include <asm/ppc_asm.h>

#include "call.h"

/* Header, 8 arguments in registers, one on the stack, ours, r14 to r31 */
#define ARG9	(32 + 64)
#define OURS	(ARG9 + 8)
#define SAVED	(OURS + 8)
#define FRAME	(SAVED + 18 * 8)

	/* Let the 18 registers from r14 on be in memory at off(base) */
	.macro	op_saved op, off, base
	.set	reg, 14
	.rept	18
	\op	reg, \off + (reg - 14) * 8(\base)
	.set	reg, reg + 1
	.endr
	.endm

/* void ot_call_asm(unsigned long func, struct ot_call *call) */
_GLOBAL(ot_call_asm)
	mflr	r0
	std	r0, 16(r1)
	stdu	r1, -FRAME(r1)
	std	r2, 24(r1)
	std	r4, OURS(r1)
	op_saved std, SAVED, r1
	mr	r12, r3
	mtctr	r12
	mr	r11, r4
	op_saved ld, OT_CALL_SAVED, r11
	ld	r0, OT_CALL_STACK(r11)
	std	r0, ARG9(r1)
	ld	r3, 0(r11)
	ld	r4, 8(r11)
	ld	r5, 16(r11)
	ld	r6, 24(r11)
	ld	r7, 32(r11)
	ld	r8, 40(r11)
	ld	r9, 48(r11)
	ld	r10, 56(r11)
	bctrl
	.globl	ot_call_asm_ret
ot_call_asm_ret:
	ld	r2, 24(r1)
	ld	r11, OURS(r1)
	std	r3, 0(r11)
	std	r4, 8(r11)
	op_saved std, OT_CALL_SAVED, r11
	/* Where the frame is according to r1, and to the back chain */
	std	r1, OT_CALL_SP(r11)
	ld	r12, 0(r1)
	addi	r12, r12, -FRAME
	std	r12, OT_CALL_FP(r11)
	op_saved ld, SAVED, r1
	addi	r1, r1, FRAME
	ld	r0, 16(r1)
	mtlr	r0
	blr

_GLOBAL(ot_scratch_leaf)
	nop
	blr

	/* Let r0 and r5 to r12 be in memory at 0(r3) */
	.macro	op_scratch op
	\op	r0, 0(r3)
	\op	r5, 8(r3)
	\op	r6, 16(r3)
	\op	r7, 24(r3)
	\op	r8, 32(r3)
	\op	r9, 40(r3)
	\op	r10, 48(r3)
	\op	r11, 56(r3)
	\op	r12, 64(r3)
	.endm

/* void ot_scratch_asm(u64 scratch[OT_NR_SCRATCH]): these, CTR, XER, CR but CR2 to CR4 */
_GLOBAL(ot_scratch_asm)
	mflr	r0
	std	r0, 16(r1)
	stdu	r1, -64(r1)
	std	r3, 32(r1)
	ld	r4, 72(r3)
	mtctr	r4
	ld	r4, 80(r3)
	mtxer	r4
	ld	r4, 88(r3)
	mtcrf	0xc7, r4
	op_scratch ld
	bl	ot_scratch_leaf
	.globl	ot_scratch_asm_ret
ot_scratch_asm_ret:
	ld	r3, 32(r1)
	op_scratch std
	mfctr	r4
	std	r4, 72(r3)
	mfxer	r4
	std	r4, 80(r3)
	mfcr	r4
	lis	r5, 0xff00
	ori	r5, r5, 0x0fff
	and	r4, r4, r5
	clrldi	r4, r4, 32
	std	r4, 88(r3)
	addi	r1, r1, 64
	ld	r0, 16(r1)
	mtlr	r0
	blr

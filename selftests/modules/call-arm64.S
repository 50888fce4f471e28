/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function with a known value in every register which matters, and keep
 * what is in them afterwards.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

#include "call.h"

/* A frame record, x19 to x28, and ours */
#define SAVED	16
#define OURS	96
#define FRAME	112

	/* Let x19 to x28 be in memory at off(base) */
	.macro	op_saved op, off, base
	\op	x19, x20, [\base, #\off]
	\op	x21, x22, [\base, #\off + 16]
	\op	x23, x24, [\base, #\off + 32]
	\op	x25, x26, [\base, #\off + 48]
	\op	x27, x28, [\base, #\off + 64]
	.endm

/* void ot_call_asm(unsigned long func, struct ot_call *call) */
SYM_FUNC_START(ot_call_asm)
	stp	x29, x30, [sp, #-FRAME]!
	mov	x29, sp
	op_saved stp, SAVED, sp
	str	x1, [sp, #OURS]
	mov	x16, x0
	mov	x17, x1
	op_saved ldp, OT_CALL_SAVED, x17
	ldr	x10, [x17, #OT_CALL_STACK]
	str	x10, [sp, #-16]!
	ldp	x0, x1, [x17]
	ldp	x2, x3, [x17, #16]
	ldp	x4, x5, [x17, #32]
	ldp	x6, x7, [x17, #48]
	ldr	x8, [x17, #64]
	blr	x16
SYM_INNER_LABEL(ot_call_asm_ret, SYM_L_GLOBAL)
	add	sp, sp, #16
	ldr	x17, [sp, #OURS]
	stp	x0, x1, [x17]
	op_saved stp, OT_CALL_SAVED, x17
	str	x29, [x17, #OT_CALL_FP]
	mov	x10, sp
	str	x10, [x17, #OT_CALL_SP]
	op_saved ldp, SAVED, sp
	ldp	x29, x30, [sp], #FRAME
	ret
SYM_FUNC_END(ot_call_asm)

SYM_FUNC_START(ot_scratch_leaf)
	nop
	ret
SYM_FUNC_END(ot_scratch_leaf)

	/* Let x8 to x17 be in memory at 0(x0) */
	.macro	op_scratch op
	\op	x8, x9, [x0]
	\op	x10, x11, [x0, #16]
	\op	x12, x13, [x0, #32]
	\op	x14, x15, [x0, #48]
	\op	x16, x17, [x0, #64]
	.endm

/* void ot_scratch_asm(u64 scratch[OT_NR_SCRATCH]): x8 to x17, NZCV */
SYM_FUNC_START(ot_scratch_asm)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x0, [sp, #16]
	op_scratch ldp
	ldr	x1, [x0, #80]
	msr	nzcv, x1
	bl	ot_scratch_leaf
SYM_INNER_LABEL(ot_scratch_asm_ret, SYM_L_GLOBAL)
	mrs	x1, nzcv
	ldr	x0, [sp, #16]
	op_scratch stp
	str	x1, [x0, #80]
	ldp	x29, x30, [sp], #32
	ret
SYM_FUNC_END(ot_scratch_asm)

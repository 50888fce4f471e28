/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function with a known value in every register which matters, and keep
 * what is in them afterwards.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

#include "call.h"

#define FRAME	112

/* void ot_call_asm(unsigned long func, struct ot_call *call) */
SYM_FUNC_START(ot_call_asm)
	stp	x29, x30, [sp, #-FRAME]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	str	x1, [sp, #96]
	mov	x16, x0
	mov	x17, x1
	ldp	x19, x20, [x17, #OT_CALL_SAVED]
	ldp	x21, x22, [x17, #OT_CALL_SAVED + 16]
	ldp	x23, x24, [x17, #OT_CALL_SAVED + 32]
	ldp	x25, x26, [x17, #OT_CALL_SAVED + 48]
	ldp	x27, x28, [x17, #OT_CALL_SAVED + 64]
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
	ldr	x17, [sp, #96]
	stp	x0, x1, [x17]
	stp	x19, x20, [x17, #OT_CALL_SAVED]
	stp	x21, x22, [x17, #OT_CALL_SAVED + 16]
	stp	x23, x24, [x17, #OT_CALL_SAVED + 32]
	stp	x25, x26, [x17, #OT_CALL_SAVED + 48]
	stp	x27, x28, [x17, #OT_CALL_SAVED + 64]
	str	x29, [x17, #OT_CALL_FP]
	mov	x10, sp
	str	x10, [x17, #OT_CALL_SP]
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #FRAME
	ret
SYM_FUNC_END(ot_call_asm)

SYM_FUNC_START(ot_scratch_leaf)
	nop
	ret
SYM_FUNC_END(ot_scratch_leaf)

/* void ot_scratch_asm(u64 scratch[OT_NR_SCRATCH]): x8 to x17, NZCV */
SYM_FUNC_START(ot_scratch_asm)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x0, [sp, #16]
	ldp	x8, x9, [x0]
	ldp	x10, x11, [x0, #16]
	ldp	x12, x13, [x0, #32]
	ldp	x14, x15, [x0, #48]
	ldp	x16, x17, [x0, #64]
	ldr	x1, [x0, #80]
	msr	nzcv, x1
	bl	ot_scratch_leaf
SYM_INNER_LABEL(ot_scratch_asm_ret, SYM_L_GLOBAL)
	mrs	x1, nzcv
	ldr	x0, [sp, #16]
	stp	x8, x9, [x0]
	stp	x10, x11, [x0, #16]
	stp	x12, x13, [x0, #32]
	stp	x14, x15, [x0, #48]
	stp	x16, x17, [x0, #64]
	str	x1, [x0, #80]
	ldp	x29, x30, [sp], #32
	ret
SYM_FUNC_END(ot_scratch_asm)

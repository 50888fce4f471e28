/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function with a known value in every register which matters, and keep
 * what is in them afterwards.
 */
#include <linux/linkage.h>

#include "call.h"

/* One argument on the stack, ours, s2 to s11, and a frame record on top */
#define OURS	8
#define SAVED	16
#define FP	(OT_CALL_FRAME - 16)
#define RA	(OT_CALL_FRAME - 8)

	/* Let s2 to s11 be in memory at off(base) */
	.macro	op_saved op, off, base
	\op	s2, \off(\base)
	\op	s3, \off + 8(\base)
	\op	s4, \off + 16(\base)
	\op	s5, \off + 24(\base)
	\op	s6, \off + 32(\base)
	\op	s7, \off + 40(\base)
	\op	s8, \off + 48(\base)
	\op	s9, \off + 56(\base)
	\op	s10, \off + 64(\base)
	\op	s11, \off + 72(\base)
	.endm

/* void ot_call_asm(unsigned long func, struct ot_call *call) */
SYM_FUNC_START(ot_call_asm)
	addi	sp, sp, -OT_CALL_FRAME
	sd	ra, RA(sp)
	sd	s0, FP(sp)
	addi	s0, sp, OT_CALL_FRAME
	op_saved sd, SAVED, sp
	sd	a1, OURS(sp)
	mv	t1, a0
	mv	t2, a1
	op_saved ld, OT_CALL_SAVED, t2
	ld	t3, OT_CALL_STACK(t2)
	sd	t3, 0(sp)
	ld	a0, 0(t2)
	ld	a1, 8(t2)
	ld	a2, 16(t2)
	ld	a3, 24(t2)
	ld	a4, 32(t2)
	ld	a5, 40(t2)
	ld	a6, 48(t2)
	ld	a7, 56(t2)
	jalr	t1
SYM_INNER_LABEL(ot_call_asm_ret, SYM_L_GLOBAL)
	ld	t2, OURS(sp)
	sd	a0, 0(t2)
	sd	a1, 8(t2)
	op_saved sd, OT_CALL_SAVED, t2
	addi	t3, s0, -OT_CALL_FRAME
	sd	t3, OT_CALL_FP(t2)
	sd	sp, OT_CALL_SP(t2)
	op_saved ld, SAVED, sp
	ld	s0, FP(sp)
	ld	ra, RA(sp)
	addi	sp, sp, OT_CALL_FRAME
	ret
SYM_FUNC_END(ot_call_asm)

SYM_FUNC_START(ot_scratch_leaf)
	nop
	ret
SYM_FUNC_END(ot_scratch_leaf)

	/* Let t0 to t6 and a1 to a7 be in memory at 0(a0) */
	.macro	op_scratch op
	\op	t0, 0(a0)
	\op	t1, 8(a0)
	\op	t2, 16(a0)
	\op	t3, 24(a0)
	\op	t4, 32(a0)
	\op	t5, 40(a0)
	\op	t6, 48(a0)
	\op	a1, 56(a0)
	\op	a2, 64(a0)
	\op	a3, 72(a0)
	\op	a4, 80(a0)
	\op	a5, 88(a0)
	\op	a6, 96(a0)
	\op	a7, 104(a0)
	.endm

/* void ot_scratch_asm(u64 scratch[OT_NR_SCRATCH]) */
SYM_FUNC_START(ot_scratch_asm)
	addi	sp, sp, -32
	sd	ra, 24(sp)
	sd	s0, 16(sp)
	sd	a0, 8(sp)
	addi	s0, sp, 32
	op_scratch ld
	jal	ot_scratch_leaf
SYM_INNER_LABEL(ot_scratch_asm_ret, SYM_L_GLOBAL)
	ld	a0, 8(sp)
	op_scratch sd
	ld	s0, 16(sp)
	ld	ra, 24(sp)
	addi	sp, sp, 32
	ret
SYM_FUNC_END(ot_scratch_asm)

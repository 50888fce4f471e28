/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct trampolines of one side.
 *
 * On entry ra holds the return address of the tracee and t0 the address behind
 * its call site. All registers but t1 to t6 are live. All trampolines count by
 * an atomic addition, as several CPUs may be in here at a time.
 */
#include <linux/linkage.h>

#include "side.h"

#ifdef OT_FAR
#define SIDE(name) ot_far_##name
#else
#define SIDE(name) ot_near_##name
#endif

	.macro	count_hit hits
	lla	t1, \hits
	li	t2, 1
	amoadd.d zero, t2, (t1)
	.endm

SYM_CODE_START(SIDE(count0))
	count_hit SIDE(count0_hits)
	jr	t0
SYM_CODE_END(SIDE(count0))

SYM_CODE_START(SIDE(count1))
	count_hit SIDE(count1_hits)
	jr	t0
SYM_CODE_END(SIDE(count1))

/* Stores what a trampoline may rely on, see struct ot_state. */
SYM_CODE_START(SIDE(state))
	lla	t3, SIDE(found)
	sd	a0, 0(t3)
	sd	a1, 8(t3)
	sd	a2, 16(t3)
	sd	a3, 24(t3)
	sd	a4, 32(t3)
	sd	a5, 40(t3)
	sd	a6, 48(t3)
	sd	a7, 56(t3)
	sd	ra, OT_STATE_X9(t3)
	sd	s0, OT_STATE_X29(t3)
	sd	t0, OT_STATE_X30(t3)
	sd	sp, OT_STATE_SP(t3)
	count_hit SIDE(state_hits)
	jr	t0
SYM_CODE_END(SIDE(state))

/*
 * Like a BPF trampoline with fexit programs: calls the tracee's body, changes
 * what it returns, and returns to the tracee's caller. The frame would be in
 * the way of arguments on the stack, so there must not be any.
 */
SYM_CODE_START(SIDE(wrap))
	addi	sp, sp, -32
	sd	ra, 24(sp)
	sd	s0, 16(sp)
	addi	s0, sp, 32
	count_hit SIDE(wrap_hits)
	jalr	t0
	addi	a0, a0, OT_WRAP_ADDS
	ld	s0, 16(sp)
	ld	ra, 24(sp)
	addi	sp, sp, 32
	ret
SYM_CODE_END(SIDE(wrap))

SYM_CODE_START(SIDE(clobber))
	li	a1, -1
	count_hit SIDE(clobber_hits)
	jr	t0
SYM_CODE_END(SIDE(clobber))

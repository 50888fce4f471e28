/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions without a call site that begin with a hint, for kprobes on that. They
 * return what is in LR then, and return to where LR says without its signature.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	.macro	hint_function, name, nr
SYM_CODE_START(\name)
	hint	\nr
	mov	x0, x30
	hint	7			// XPACLRI
	ret
SYM_CODE_END(\name)
	.endm

	hint_function	ot_hint_bti_c, 34
	hint_function	ot_hint_bti_jc, 38
	hint_function	ot_hint_paciasp, 25

/* A call may not land on a NOP. */
SYM_CODE_START(ot_hint_bti_nop)
	bti	c
SYM_INNER_LABEL(ot_hint_nop, SYM_L_GLOBAL)
	nop
	mov	x0, x30
	ret
SYM_CODE_END(ot_hint_bti_nop)

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FTRACE_OPS_TEST_CALL_H
#define FTRACE_OPS_TEST_CALL_H

/* Offsets into struct ot_call for the assembly. */
#define OT_CALL_STACK	72
#define OT_CALL_SAVED	80
#define OT_CALL_FP	160
#define OT_CALL_SP	168

#ifndef __ASSEMBLY__
#include <linux/types.h>

/**
 * struct ot_call - registers of a call
 * @x: in: x0 to x8; out: x0 and x1
 * @stack: in: the ninth integer argument
 * @saved: in: x19 to x28; out: what they hold after the call
 * @fp: out: x29 after the call
 * @sp: out: the stack pointer after the call, which is the one of the caller;
 *	the same as @fp if the callee left both alone
 */
struct ot_call {
	u64 x[9];
	u64 stack;
	u64 saved[10];
	u64 fp;
	u64 sp;
};

void ot_call_asm(unsigned long func, struct ot_call *call);
/* Where calls made by ot_call_asm() return to: their parent_ip. */
extern const char ot_call_asm_ret[];
#endif

#endif /* FTRACE_OPS_TEST_CALL_H */

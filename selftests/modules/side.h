/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What both ftrace_ops_test and ftrace_ops_test_far have: a set of functions
 * to trace, and a set of direct trampolines to send them to. Whatever is in
 * one module is in branch range of the rest of that module and out of range of
 * the other one.
 */
#ifndef FTRACE_OPS_TEST_SIDE_H
#define FTRACE_OPS_TEST_SIDE_H

/* Offsets into struct ot_state for the trampoline. */
#define OT_STATE_X9	72
#define OT_STATE_X29	80
#define OT_STATE_X30	88
#define OT_STATE_SP	96

/* What the trampoline "wrap" adds to the return value of the tracee. */
#define OT_WRAP_ADDS	1000
/* What the trampoline "skip" returns instead of calling the tracee. */
#define OT_SKIP_RETURNS	77

#ifndef __ASSEMBLY__
#include <linux/atomic.h>
#include <linux/types.h>

#define OT_NR_GEN	64

/**
 * struct ot_pair - passed and returned in two registers
 * @lo: first half
 * @hi: second half
 */
struct ot_pair {
	u64 lo;
	u64 hi;
};

/**
 * struct ot_big - passed by reference, and returned through x8
 * @v: anything
 */
struct ot_big {
	u64 v[5];
};

/**
 * struct ot_tracees - the functions to trace
 * @gen: many functions, the n-th one of which returns 64 * x + n
 * @sum2: the one most tests are about: the sum
 * @other: the same signature: the difference
 * @sum9: nine integers, the last one on the stack: weighted sum
 * @ptr: pointers: @s behind the first v[0] characters
 * @by_value: a structure in registers
 * @by_ref: a structure by reference to a copy
 * @ret16: returns a structure in x0 and x1
 * @ret_big: returns a structure through x8
 * @sleepy: sleeps for so many milliseconds, and returns them
 */
struct ot_tracees {
	int (*gen[OT_NR_GEN])(int x);
	int (*sum2)(int a, int b);
	int (*other)(int a, int b);
	u64 (*sum9)(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h,
		    u64 i);
	const char *(*ptr)(const struct ot_big *big, const char *s);
	u64 (*by_value)(struct ot_pair pair, u64 k);
	u64 (*by_ref)(struct ot_big big, u64 k);
	struct ot_pair (*ret16)(u64 a, u64 b);
	struct ot_big (*ret_big)(u64 a, u64 b);
	int (*sleepy)(int ms);
};

/**
 * struct ot_state - registers as the trampoline "state" found them
 * @x: x0 to x8, a0 to a7, or r3 to r10
 * @x9: return address of the tracee: x9, ra, or r0
 * @x29: frame pointer: x29, s0, or, as there is none, r2
 * @x30: return address of the trampoline: x30, t0, or LR
 * @sp: stack pointer
 */
struct ot_state {
	u64 x[9];
	u64 x9;
	u64 x29;
	u64 x30;
	u64 sp;
};

/**
 * struct ot_tramp - a direct trampoline
 * @addr: where it is
 * @hits: counts the calls; written by the trampoline
 */
struct ot_tramp {
	unsigned long addr;
	atomic64_t *hits;
};

/**
 * struct ot_side - what one of the two modules has
 * @name: "near" or "far", as seen from the kernel
 * @tracees: functions to trace
 * @count: trampolines that do nothing else
 * @state: stores the registers in @found
 * @wrap: calls the rest of the tracee and changes what that returns
 * @clobber: loses the second argument, for the tests of the tests
 * @found: what @state stored
 */
struct ot_side {
	const char *name;
	struct ot_tracees tracees;
	struct ot_tramp count[2];
	struct ot_tramp state;
	struct ot_tramp wrap;
	struct ot_tramp clobber;
	struct ot_state *found;
};

extern const struct ot_side ot_near_side;
extern const struct ot_side ot_far_side;

#endif /* __ASSEMBLY__ */
#endif /* FTRACE_OPS_TEST_SIDE_H */

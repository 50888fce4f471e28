/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FTRACE_OPS_TEST_H
#define FTRACE_OPS_TEST_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/ftrace.h>
#include <linux/seq_buf.h>
#include <linux/types.h>

#include "call.h"
#include "side.h"

/* Calls of each function in every step of a test. */
#define OT_CALLS	3
#define OT_NR_OPS	3
/* How often a callback that is told to calls its own tracee again. */
#define OT_MAX_DEPTH	8
/*
 * The guard lets a callback recurse once, as it takes the first recursion for
 * an interrupt that comes at a bad time.
 */
#define OT_GUARDED_HITS		2

/* Functions of a side by number. */
enum ot_func {
	OT_SUM2,
	OT_OTHER,
	OT_SUM9,
	OT_PTR,
	OT_BY_VALUE,
	OT_BY_REF,
	OT_RET16,
	OT_RET_BIG,
	OT_NR_FUNCS,
};

/* The two functions that ot_step() calls, and those of ot_check_args(). */
#define OT_STEP_FUNCS	(BIT(OT_SUM2) | BIT(OT_OTHER))
#define OT_ARGS_FUNCS	(GENMASK(OT_NR_FUNCS - 1, 0) & ~OT_STEP_FUNCS)

struct ot_ctx;

/**
 * struct ot_ops - an ops whose callback checks what it is given
 * @ops: what ftrace knows
 * @ctx: the test it belongs to
 * @funcs: the functions in its filter, as a mask
 * @registered: it is registered
 * @recurse: its callback calls the tracee
 * @depth: how many of these calls it is in
 * @hits: calls of the callback by the task that runs the test, per function
 * @no_regs: of @hits those that were given no registers
 * @bad: of @hits those that were given something wrong
 * @bad_what: what was wrong in the last of them
 * @others: calls of the callback by any other task
 */
struct ot_ops {
	struct ftrace_ops ops;
	struct ot_ctx *ctx;
	unsigned int funcs;
	bool registered;
	bool recurse;
	unsigned int depth;
	unsigned int hits[OT_NR_FUNCS];
	unsigned int no_regs;
	unsigned int bad;
	const char *bad_what;
	atomic64_t others;
};

/* The two interfaces for direct calls. */
enum ot_api {
	OT_LEGACY,
	OT_MULTI,
	OT_NR_APIS,
};

/**
 * struct ot_load - a task which calls tracees all the time
 * @task: the kernel thread, NULL if there is none
 * @side: whose functions it calls
 * @calls: calls so far
 * @wrong: of these the ones that returned a wrong value
 */
struct ot_load {
	struct task_struct *task;
	const struct ot_side *side;
	atomic64_t calls;
	atomic64_t wrong;
};

/**
 * struct ot_ctx - one test, and what it has attached
 *
 * Tests attach and detach by functions that keep track of it here. ot_step()
 * works out from that what has to happen in a call, and compares.
 *
 * @out: where the lines of KTAP go
 * @name: name of the test
 * @side: where its tracees are
 * @away: the other side
 * @task: who runs it
 * @ops: ops to use
 * @direct: where the direct call of each function goes to, NULL for none
 * @direct_api: the interface that made @direct
 * @multi: the ops of %OT_MULTI, if @multi_funcs is not 0
 * @multi_funcs: the functions in the filter of @multi
 * @regs: functions which may have all registers saved, as a mask
 * @load: a task which calls the tracees meanwhile
 * @in: the registers of the current call
 * @in_valid: @in is set: ot_call_asm() makes the call
 * @no_memory: there is no memory while an ops gets registered
 * @may_fail: what gets attached or detached may fail for lack of memory; then
 *	      it has to leave all as it was
 * @sabotage: spoil the next comparison
 * @failed: number of failed comparisons
 * @skip: why the test was given up, NULL if it was not
 */
struct ot_ctx {
	struct seq_buf *out;
	const char *name;
	const struct ot_side *side;
	const struct ot_side *away;
	struct task_struct *task;
	struct ot_ops ops[OT_NR_OPS];
	const struct ot_tramp *direct[OT_NR_FUNCS];
	enum ot_api direct_api[OT_NR_FUNCS];
	struct ftrace_ops multi;
	unsigned int multi_funcs;
	unsigned int regs;
	struct ot_load load;
	struct ot_call in;
	bool in_valid;
	bool no_memory;
	bool may_fail;
	bool sabotage;
	unsigned int failed;
	const char *skip;
};

#define OT_NEEDS_DIRECT		BIT(0)	/* direct calls */
#define OT_NEEDS_CALL_OPS	BIT(1)	/* call sites that name their ops */
#define OT_NEEDS_AWAY		BIT(2)	/* sides out of range of each other */
#define OT_NEEDS_SETS		BIT(3)	/* call sites that name several ops */

/**
 * struct ot_test - a test
 * @name: as written to the file "run"
 * @needs: OT_NEEDS_*, else the test is skipped
 * @run: the test
 */
struct ot_test {
	const char *name;
	unsigned int needs;
	void (*run)(struct ot_ctx *c);
};

#define OT_NR_KINDS	3
extern const unsigned long ot_kinds[OT_NR_KINDS];

int ot_init_multi(struct ftrace_ops *ops, unsigned long ip);

extern const struct ot_test ot_ops_tests[];
extern const unsigned int ot_nr_ops_tests;
extern const struct ot_test ot_kprobes_tests[];
extern const unsigned int ot_nr_kprobes_tests;
extern const struct ot_test ot_sets_tests[];
extern const unsigned int ot_nr_sets_tests;
extern const struct ot_test ot_direct_tests[];
extern const unsigned int ot_nr_direct_tests;
extern const struct ot_test ot_livepatch_tests[];
extern const unsigned int ot_nr_livepatch_tests;

extern unsigned int ot_toggles;
extern unsigned int ot_seed;
/* Calls that the test does not know of, for the tests of the tests. */
extern unsigned int ot_extra_calls;

__printf(2, 3)
void ot_note(struct ot_ctx *c, const char *fmt, ...);
__printf(4, 5)
bool ot_expect(struct ot_ctx *c, s64 got, s64 want, const char *fmt, ...);

unsigned long ot_func(const struct ot_side *side, unsigned int nr);
const struct ot_tramp *ot_tramp(const struct ot_side *side, unsigned int nr);
bool ot_in_range(unsigned long from, unsigned long to);
u64 ot_call_at(struct ot_ctx *c, unsigned int nr, unsigned long addr);
bool ot_have_sets(void);
u64 ot_call(struct ot_ctx *c, unsigned int nr);
void ot_step(struct ot_ctx *c, const char *what);
void ot_check_args(struct ot_ctx *c, const char *what);
void ot_reset_hits(struct ot_ctx *c);

void ot_add_ops(struct ot_ctx *c, unsigned int i, unsigned long flags,
		unsigned int funcs);
void ot_set_filter(struct ot_ctx *c, unsigned int i, unsigned int funcs);
void ot_del_ops(struct ot_ctx *c, unsigned int i);

void ot_add_direct(struct ot_ctx *c, enum ot_api api, unsigned int funcs,
		   const struct ot_tramp *tramp);
void ot_modify_direct(struct ot_ctx *c, enum ot_api api, unsigned int funcs,
		      const struct ot_tramp *tramp);
void ot_del_direct(struct ot_ctx *c, enum ot_api api, unsigned int funcs);
void ot_detach_all(struct ot_ctx *c);

void ot_random(struct ot_ctx *c, unsigned int steps, bool direct);

/* For ot_fail(): not one allocation, but each of them. */
#define OT_FAIL_ALL	0

int ot_fail_start(void);
void ot_fail_stop(void);
void ot_fail(unsigned int nth);
bool ot_fail_done(void);

/* Functions for kprobes on hints; arm64 only */
extern const char ot_hint_bti_c[], ot_hint_bti_jc[], ot_hint_paciasp[];
extern const char ot_hint_bti_nop[], ot_hint_nop[];

/* Further trampolines, and what ot_near_nap() calls; powerpc only */
extern const char ot_near_skip[], ot_near_nap[];
void ot_nap(void);

void ot_load_start(struct ot_ctx *c);
void ot_load_continue(struct ot_ctx *c);
void ot_load_stop(struct ot_ctx *c);

#endif /* FTRACE_OPS_TEST_H */

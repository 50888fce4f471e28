// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of direct calls of live patched functions, which powerpc has: the trampoline
 * gets called as before, and what it returns to, or calls, is the new function. That
 * is decided when it does so, not when it gets called.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "lookup.h"
#include "many.h"
#include "ops_test.h"

#define DIRECT	(OT_NEEDS_DIRECT | OT_NEEDS_AWAY)

static const struct ot_side *ot_lp_side;
static struct ftrace_ops ot_lp_ops, ot_lp_direct[2], ot_lp_extra;
static unsigned int ot_lp_extra_hits;
/* Replacements that call the other function, naps that do and that sleep. */
static bool ot_lp_nested, ot_nap_calls, ot_nap_sleeps;
static unsigned int ot_naps;
static DECLARE_COMPLETION(ot_napping);
static DECLARE_COMPLETION(ot_wake_up);

static int ot_new_sum2(int a, int b)
{
	if (READ_ONCE(ot_lp_nested))
		return a * b + 100 * ot_lp_side->tracees.other(a, b);
	return a * b;
}

static int ot_new_other(int a, int b)
{
	return a - b + 7;
}

static void ot_lp_callback(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	int (*new)(int a, int b);

	/* The call site comes after the loading of the TOC pointer, if any */
	new = ip - ot_func(ot_lp_side, OT_SUM2) <= 8 ? ot_new_sum2 :
						       ot_new_other;
	ftrace_instruction_pointer_set(fregs, (unsigned long)new);
}

static void ot_lp_count(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ot_lp_extra_hits++;
}

static int ot_lp_share(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd)
{
	return 0;
}

void ot_nap(void)
{
	ot_naps++;
	if (ot_nap_calls)
		ot_lp_side->tracees.other(1, 2);
	if (ot_nap_sleeps) {
		complete(&ot_napping);
		wait_for_completion(&ot_wake_up);
	}
}

static void ot_lp_init(struct ot_ctx *c)
{
	ot_lp_side = c->side;
	ot_lp_nested = false;
	ot_nap_calls = false;
	ot_nap_sleeps = false;
	memset(&ot_lp_ops, 0, sizeof(ot_lp_ops));
	ot_lp_ops.func = ot_lp_callback;
	ot_lp_ops.flags = FTRACE_OPS_FL_IPMODIFY;
	ot_expect(c, ftrace_set_filter_ip(&ot_lp_ops,
					  ot_func(c->side, OT_SUM2), 0, 0),
		  0, "filter");
	ot_expect(c, ftrace_set_filter_ip(&ot_lp_ops,
					  ot_func(c->side, OT_OTHER), 0, 0),
		  0, "filter of the other one");
}

static bool ot_lp_attach(struct ot_ctx *c, unsigned int nr, unsigned long addr)
{
	struct ftrace_ops *ops = &ot_lp_direct[nr];

	ot_expect(c, ot_init_multi(ops, ot_func(c->side, nr)), 0,
		  "filter of direct call %u", nr);
	ops->ops_func = ot_lp_share;
	return ot_expect(c, register_ftrace_direct_multi(ops, addr), 0,
			 "direct call %u", nr);
}

static void ot_lp_detach(struct ot_ctx *c, unsigned int nr, unsigned long addr)
{
	ot_expect(c, unregister_ftrace_direct_multi(&ot_lp_direct[nr], addr), 0,
		  "end of direct call %u", nr);
	ftrace_free_filter(&ot_lp_direct[nr]);
}

static bool ot_lp_enable(struct ot_ctx *c)
{
	return ot_expect(c, register_ftrace_function(&ot_lp_ops), 0,
			 "live patch");
}

static void ot_lp_disable(struct ot_ctx *c)
{
	ot_expect(c, unregister_ftrace_function(&ot_lp_ops), 0,
		  "end of live patch");
}

/* Calls of sum2 that have to return @want, and hit the trampoline if @hit */
static void ot_lp_calls(struct ot_ctx *c, const struct ot_tramp *tramp,
			int want, bool hit, const char *what)
{
	s64 hits = atomic64_read(tramp->hits);
	unsigned int i;

	for (i = 0; i < OT_CALLS; i++)
		ot_expect(c, c->side->tracees.sum2(6, 7), want, "%s", what);
	ot_expect(c, atomic64_read(tramp->hits) - hits, hit ? OT_CALLS : 0,
		  "%s: hits", what);
}

static void ot_lp_round(struct ot_ctx *c, const struct ot_tramp *tramp,
			int adds, bool first, const char *what)
{
	if (first) {
		if (!ot_lp_attach(c, OT_SUM2, tramp->addr))
			return;
		ot_lp_calls(c, tramp, 13 + adds, true, what);
	}
	if (ot_lp_enable(c)) {
		if (!first) {
			ot_lp_calls(c, tramp, 42, false, what);
			if (!ot_lp_attach(c, OT_SUM2, tramp->addr)) {
				ot_lp_disable(c);
				return;
			}
		}
		ot_lp_calls(c, tramp, 42 + adds, true, what);
		if (!first) {
			ot_lp_detach(c, OT_SUM2, tramp->addr);
			ot_lp_calls(c, tramp, 42, false, what);
		}
		ot_lp_disable(c);
	}
	if (first) {
		ot_lp_calls(c, tramp, 13 + adds, true, what);
		ot_lp_detach(c, OT_SUM2, tramp->addr);
	}
	ot_lp_calls(c, tramp, 13, false, what);
}

static void test_direct_livepatch(struct ot_ctx *c)
{
	const struct ot_tramp *tramps[] = {
		&c->side->count[0], &c->away->count[1],
		&c->side->wrap, &c->away->wrap,
	};
	unsigned int i, kind, order, adds;
	char what[40];

	ot_lp_init(c);
	for (i = 0; i < ARRAY_SIZE(tramps) * 4; i++) {
		adds = i % 4 >= 2 ? OT_WRAP_ADDS : 0;
		order = i / 4 % 2;
		/* Alone, or with one more ops of each kind */
		kind = (i + i / 8 * 2) % 4;
		snprintf(what, sizeof(what), "tramp %u, order %u, kind %u",
			 i % 4, order, kind);
		memset(&ot_lp_extra, 0, sizeof(ot_lp_extra));
		ot_lp_extra.func = ot_lp_count;
		ot_lp_extra.flags = kind ? ot_kinds[kind - 1] : 0;
		ot_lp_extra_hits = 0;
		if (kind) {
			unsigned long ip = ot_func(c->side, OT_SUM2);

			ot_expect(c, ftrace_set_filter_ip(&ot_lp_extra, ip, 0,
							  0),
				  0, "filter of one more");
			ot_expect(c, register_ftrace_function(&ot_lp_extra), 0,
				  "one more");
		}
		ot_lp_round(c, tramps[i % 4], adds, !order, what);
		if (kind) {
			ot_expect(c, unregister_ftrace_function(&ot_lp_extra),
				  0, "end of one more");
			ftrace_free_filter(&ot_lp_extra);
			/* Only who replaces a function is called again */
			ot_expect(c, ot_lp_extra_hits,
				  4 * OT_CALLS, "%s: hits of one more", what);
		}
	}
	ftrace_free_filter(&ot_lp_ops);
}

/* One function inside the other one, and trampolines that never return */
static void test_direct_livepatch_nested(struct ot_ctx *c)
{
	unsigned long wrap = c->side->wrap.addr;
	unsigned int i;

	ot_lp_init(c);
	ot_lp_nested = true;
	if (!ot_lp_enable(c))
		goto out;
	if (ot_lp_attach(c, OT_SUM2, wrap) && ot_lp_attach(c, OT_OTHER, wrap))
		for (i = 0; i < OT_CALLS; i++)
			ot_expect(c, c->side->tracees.sum2(6, 7),
				  42 + 100 * (6 + OT_WRAP_ADDS) + OT_WRAP_ADDS,
				  "one in the other one");
	ot_lp_detach(c, OT_OTHER, wrap);

	/* More often than there could be something left behind for */
	if (ot_lp_attach(c, OT_OTHER, (unsigned long)ot_near_skip))
		for (i = 0; i < 2000; i++)
			ot_expect(c, c->side->tracees.sum2(6, 7),
				  42 + 100 * OT_SKIP_RETURNS + OT_WRAP_ADDS,
				  "skip within");
	ot_lp_detach(c, OT_SUM2, wrap);

	/* The same from the frame of a trampoline, before the tracee */
	ot_nap_calls = true;
	ot_naps = 0;
	if (ot_lp_attach(c, OT_SUM2, (unsigned long)ot_near_nap)) {
		for (i = 0; i < 2000; i++)
			ot_expect(c, c->side->tracees.sum2(6, 7),
				  42 + 100 * OT_SKIP_RETURNS, "skip before");
		ot_expect(c, ot_naps, 2000, "hits of the trampoline");
		ot_lp_detach(c, OT_SUM2, (unsigned long)ot_near_nap);
	}
	ot_lp_detach(c, OT_OTHER, (unsigned long)ot_near_skip);
	ot_lp_disable(c);
out:
	ftrace_free_filter(&ot_lp_ops);
}

static int ot_new_many(int x)
{
	return -x;
}

static void ot_lp_many_callback(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ot_new_many);
}

/* Calls of all, which have to return what the old or the new ones do */
static void ot_lp_many_calls(struct ot_ctx *c, const struct ot_tramp *tramp,
			     int adds, bool new, const char *what)
{
	s64 hits = atomic64_read(tramp->hits);
	int i;

	for (i = 0; i < OT_NR_MANY; i++)
		ot_expect(c, ot_many[i](1000), (new ? -1000 : 1000 + i) + adds,
			  "%s: function %d", what, i);
	ot_expect(c, atomic64_read(tramp->hits) - hits, OT_NR_MANY, "%s: hits",
		  what);
}

/* Trampolines have to tell functions apart, however many there are. */
static void test_direct_livepatch_many(struct ot_ctx *c)
{
	const struct ot_tramp *tramps[] = { &c->side->count[0], &c->away->wrap };
	static struct ftrace_ops lp, direct;
	static unsigned long ips[OT_NR_MANY];
	unsigned int i;
	int adds;

	for (i = 0; i < OT_NR_MANY; i++)
		ips[i] = (unsigned long)ot_many[i];
	memset(&lp, 0, sizeof(lp));
	lp.func = ot_lp_many_callback;
	lp.flags = FTRACE_OPS_FL_IPMODIFY;
	memset(&direct, 0, sizeof(direct));
	ot_expect(c, ftrace_set_filter_ips(&lp, ips, OT_NR_MANY, 0, 1), 0,
		  "filter of the live patch");
	ot_expect(c, ftrace_set_filter_ips(&direct, ips, OT_NR_MANY, 0, 1), 0,
		  "filter of direct calls");
	direct.ops_func = ot_lp_share;
	for (i = 0; i < ARRAY_SIZE(tramps) && !c->failed; i++) {
		unsigned long addr = tramps[i]->addr;

		adds = i ? OT_WRAP_ADDS : 0;
		if (!ot_expect(c, register_ftrace_direct_multi(&direct, addr),
			       0, "direct calls"))
			break;
		ot_lp_many_calls(c, tramps[i], adds, false, "before");
		if (ot_expect(c, register_ftrace_function(&lp), 0,
			      "live patch")) {
			ot_lp_many_calls(c, tramps[i], adds, true, "while");
			ot_expect(c, unregister_ftrace_function(&lp), 0,
				  "end of live patch");
			ot_lp_many_calls(c, tramps[i], adds, false, "after");
		}
		ot_expect(c, unregister_ftrace_direct_multi(&direct, addr), 0,
			  "end of direct calls");
	}
	ftrace_free_filter(&direct);
	ftrace_free_filter(&lp);
}

static int ot_lp_napper(void *arg)
{
	int ret = ot_lp_side->tracees.sum2(6, 7);

	while (!kthread_should_stop())
		msleep(20);
	return ret;
}

/* The live patch comes, stays or goes while a task sleeps in the trampoline */
static void test_direct_livepatch_sleep(struct ot_ctx *c)
{
	static const int wants[] = { 13, 13, 13, 42 };
	unsigned long nap = (unsigned long)ot_near_nap;
	struct task_struct *task;
	unsigned int i;

	ot_lp_init(c);
	if (!ot_lp_attach(c, OT_SUM2, nap))
		goto out;
	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		bool before = i & 2, after = i & 1;

		ot_nap_sleeps = true;
		ot_naps = 0;
		reinit_completion(&ot_napping);
		reinit_completion(&ot_wake_up);
		if (before)
			ot_lp_enable(c);
		task = kthread_run(ot_lp_napper, NULL, "ftrace_nap");
		if (ot_expect(c, PTR_ERR_OR_ZERO(task), 0, "start a task"))
			ot_expect(c, !wait_for_completion_timeout(&ot_napping,
								  10 * HZ),
				  0, "the task naps");
		ot_nap_sleeps = false;
		if (before && !after)
			ot_lp_disable(c);
		if (!before && after)
			ot_lp_enable(c);
		ot_expect(c, c->side->tracees.sum2(6, 7), after ? 42 : 13,
			  "%u: another task", i);
		complete(&ot_wake_up);
		if (!IS_ERR(task)) {
			msleep(50);
			ot_expect(c, kthread_stop(task), wants[i],
				  "%u: what the sleeper returned", i);
		}
		ot_expect(c, ot_naps, 2, "%u: hits", i);
		if (after)
			ot_lp_disable(c);
	}
	ot_lp_detach(c, OT_SUM2, nap);
out:
	ftrace_free_filter(&ot_lp_ops);
}

static int ot_new_sleepy(int ms)
{
	complete(&ot_napping);
	wait_for_completion(&ot_wake_up);
	return ms;
}

static void ot_lp_sleepy_callback(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op,
				  struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ot_new_sleepy);
}

static noinline int ot_calls_sleepy(void *arg)
{
	int ret = ot_lp_side->tracees.sleepy(1);

	while (!kthread_should_stop())
		msleep(20);
	return ret;
}

typedef int (*ot_reliable_t)(struct task_struct *task, unsigned long *store,
			     unsigned int size);

/* How often does a function whose name begins like that call another one? */
static unsigned int ot_on_stack(const unsigned long *entries, int nr,
				const char *function)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned int found = 0;
	int i;

	for (i = 0; i < nr; i++) {
		sprint_symbol_no_offset(name, entries[i]);
		found += !strncmp(name, function, strlen(function));
	}
	return found;
}

/* Start a task that calls @func, which @callback replaces, and sleeps. */
static struct task_struct *ot_lp_task(struct ot_ctx *c, unsigned long func,
				      ftrace_func_t callback,
				      int (*calls)(void *arg))
{
	struct task_struct *task;

	ot_lp_side = c->side;
	reinit_completion(&ot_napping);
	reinit_completion(&ot_wake_up);
	memset(&ot_lp_ops, 0, sizeof(ot_lp_ops));
	ot_lp_ops.func = callback;
	ot_lp_ops.flags = FTRACE_OPS_FL_IPMODIFY;
	ot_expect(c, ftrace_set_filter_ip(&ot_lp_ops, func, 0, 0), 0, "filter");
	if (!ot_lp_enable(c))
		return NULL;
	task = kthread_run(calls, NULL, "ftrace_unwind");
	if (!ot_expect(c, PTR_ERR_OR_ZERO(task), 0, "start a task")) {
		ot_lp_disable(c);
		return NULL;
	}
	ot_expect(c, !wait_for_completion_timeout(&ot_napping, 10 * HZ), 0,
		  "the task sleeps");
	msleep(50);
	return task;
}

/* A task in a function that replaces another one has the caller on its stack */
static void test_livepatch_unwind(struct ot_ctx *c)
{
	ot_reliable_t reliable =
		lookup_function("stack_trace_save_tsk_reliable");
	unsigned long entries[32];
	struct task_struct *task;
	int nr;

	if (!reliable) {
		c->skip = "no reliable stack traces";
		return;
	}
	task = ot_lp_task(c, (unsigned long)c->side->tracees.sleepy,
			  ot_lp_sleepy_callback, ot_calls_sleepy);
	if (task) {
		nr = reliable(task, entries, ARRAY_SIZE(entries));
		ot_expect(c, nr > 0, 1, "the stack is reliable");
		ot_expect(c, ot_on_stack(entries, nr, "ot_calls_sleepy"), 1,
			  "times that the caller is there");
		complete(&ot_wake_up);
		msleep(50);
		ot_expect(c, kthread_stop(task), 1, "what the sleeper returned");
		ot_lp_disable(c);
	}
	ftrace_free_filter(&ot_lp_ops);
}

static int ot_lp_waits(void *arg)
{
	complete(&ot_napping);
	wait_for_completion(&ot_wake_up);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* By itself, behind its call site */
static void ot_lp_same_callback(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op,
				struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, ip + 2 * MCOUNT_INSN_SIZE);
}

/* The outermost function of a task has been replaced, and returns to no caller */
static void test_livepatch_outermost(struct ot_ctx *c)
{
	ot_reliable_t reliable =
		lookup_function("stack_trace_save_tsk_reliable");
	unsigned long func = (unsigned long)lookup_function("kthread");
	unsigned long entries[32];
	struct task_struct *task;

	ot_expect(c, reliable && func, 1, "functions found");
	if (c->failed)
		return;
	task = ot_lp_task(c, func, ot_lp_same_callback, ot_lp_waits);
	if (task) {
		ot_expect(c, reliable(task, entries, ARRAY_SIZE(entries)) > 0, 1,
			  "the stack is reliable");
		complete(&ot_wake_up);
		ot_expect(c, kthread_stop(task), 0, "what the task returned");
		ot_lp_disable(c);
	}
	ftrace_free_filter(&ot_lp_ops);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static int (*ot_lp_sleepy)(int ms);
static bool ot_lp_inner;
static unsigned int ot_lp_hooked;

static int ot_new_outer(int ms)
{
	complete(&ot_napping);
	wait_for_completion(&ot_wake_up);
	WRITE_ONCE(ot_lp_inner, true);
	return ot_lp_side->tracees.sleepy(2000 * ms);
}

/* First by a function without a call site, then by one that has one */
static void ot_lp_nested_callback(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op,
				  struct ftrace_regs *fregs)
{
	int (*new)(int ms) = READ_ONCE(ot_lp_inner) ? ot_lp_sleepy :
						      ot_new_outer;

	ftrace_instruction_pointer_set(fregs, (unsigned long)new);
}

static int ot_lp_graph_entry(struct ftrace_graph_ent *trace)
{
	if (trace->func - (unsigned long)ot_lp_side->tracees.sleepy > 8 &&
	    trace->func - (unsigned long)ot_lp_sleepy > 8)
		return 0;
	WRITE_ONCE(ot_lp_hooked, ot_lp_hooked + 1);
	return 1;
}

static void ot_lp_graph_return(struct ftrace_graph_ret *trace)
{
}

/*
 * Both functions of the inner one of two such calls get hooked: either the stack
 * is not reliable, or it has the callers of both
 */
static void test_livepatch_hooked(struct ot_ctx *c)
{
	struct fgraph_ops graph = {
		.entryfunc = ot_lp_graph_entry,
		.retfunc = ot_lp_graph_return,
	};
	ot_reliable_t reliable =
		lookup_function("stack_trace_save_tsk_reliable");
	int (*start)(struct fgraph_ops *gops) =
		lookup_function("register_ftrace_graph");
	void (*end)(struct fgraph_ops *gops) =
		lookup_function("unregister_ftrace_graph");
	unsigned long entries[32];
	struct task_struct *task;
	unsigned int i;
	int nr;

	ot_expect(c, reliable && start && end, 1, "functions found");
	if (c->failed)
		return;
	ot_lp_inner = false;
	ot_lp_hooked = 0;
	ot_lp_sleepy = c->away->tracees.sleepy;
	task = ot_lp_task(c, (unsigned long)c->side->tracees.sleepy,
			  ot_lp_nested_callback, ot_calls_sleepy);
	if (task) {
		if (ot_expect(c, start(&graph), 0, "graph tracer")) {
			complete(&ot_wake_up);
			for (i = 0; i < 100 && READ_ONCE(ot_lp_hooked) < 2; i++)
				msleep(20);
			msleep(50);
			nr = reliable(task, entries, ARRAY_SIZE(entries));
			ot_expect(c, ot_lp_hooked, 2, "returns hooked");
			ot_expect(c, nr < 0 ||
				  ot_on_stack(entries, nr, "ot_calls_sleepy"), 1,
				  "outer caller found");
			ot_expect(c, nr < 0 ||
				  ot_on_stack(entries, nr, "ot_new_outer"), 1,
				  "inner caller found");
			end(&graph);
		} else {
			complete(&ot_wake_up);
		}
		ot_expect(c, kthread_stop(task), 2000,
			  "what the sleeper returned");
		ot_lp_disable(c);
	}
	ftrace_free_filter(&ot_lp_ops);
}
#endif

static bool ot_lp_wrong(int ret)
{
	return ret != 13 && ret != 42;
}

static int ot_lp_caller(void *arg)
{
	const int adds = arg ? OT_WRAP_ADDS : 0;
	int wrong = 0, calls = 0;

	while (!kthread_should_stop()) {
		wrong += ot_lp_wrong(ot_lp_side->tracees.sum2(6, 7) - adds);
		/* Whoever detaches waits for tasks to switch */
		if (!(++calls % 256))
			cond_resched_tasks_rcu_qs();
	}
	return wrong;
}

/* Comes at any point of a call, and has a stack of its own */
static void ot_lp_interrupt(void *arg)
{
	const int adds = *(int *)arg;

	if (ot_lp_wrong(ot_lp_side->tracees.sum2(6, 7) - adds))
		*(int *)arg = -1;
}

static void ot_lp_interrupts(struct ot_ctx *c, int adds)
{
	unsigned int cpu = cpumask_last(cpu_online_mask), i;
	int arg = adds;

	for (i = 0; i < 100; i++)
		smp_call_function_single(cpu, ot_lp_interrupt, &arg, 1);
	ot_expect(c, arg, adds, "calls by interrupts");
}

/*
 * The live patch comes and goes while another task makes calls, and interrupts
 * of that task do
 */
static void test_direct_livepatch_load(struct ot_ctx *c)
{
	const struct ot_tramp *tramps[] = {
		&c->side->count[0], &c->away->wrap,
	};
	struct task_struct *task;
	unsigned int i, j;
	s64 hits;

	ot_lp_init(c);
	for (i = 0; i < ARRAY_SIZE(tramps); i++) {
		hits = atomic64_read(tramps[i]->hits);
		if (!ot_lp_attach(c, OT_SUM2, tramps[i]->addr))
			break;
		task = kthread_create(ot_lp_caller, i ? c : NULL,
				      "ftrace_load");
		if (!ot_expect(c, PTR_ERR_OR_ZERO(task), 0, "start a task")) {
			ot_lp_detach(c, OT_SUM2, tramps[i]->addr);
			break;
		}
		kthread_bind(task, cpumask_last(cpu_online_mask));
		wake_up_process(task);
		/* Each takes two grace periods */
		for (j = 0; j <= ot_toggles / 4; j++) {
			if (!ot_lp_enable(c))
				break;
			ot_lp_interrupts(c, i ? OT_WRAP_ADDS : 0);
			ot_lp_disable(c);
		}
		ot_expect(c, kthread_stop(task), 0, "wrong return values");
		ot_lp_detach(c, OT_SUM2, tramps[i]->addr);
		hits = atomic64_read(tramps[i]->hits) - hits;
		ot_expect(c, hits > 0, 1, "any calls");
		ot_note(c, "%lld calls under load", hits);
	}
	ftrace_free_filter(&ot_lp_ops);
}

const struct ot_test ot_livepatch_tests[] = {
	{ "direct_livepatch", DIRECT, test_direct_livepatch },
	{ "direct_livepatch_many", DIRECT, test_direct_livepatch_many },
	{ "direct_livepatch_nested", DIRECT, test_direct_livepatch_nested },
	{ "direct_livepatch_sleep", DIRECT, test_direct_livepatch_sleep },
	{ "direct_livepatch_load", DIRECT, test_direct_livepatch_load },
	{ "livepatch_unwind", DIRECT, test_livepatch_unwind },
	{ "livepatch_outermost", DIRECT, test_livepatch_outermost },
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	{ "livepatch_hooked", DIRECT, test_livepatch_hooked },
#endif
};

const unsigned int ot_nr_livepatch_tests = ARRAY_SIZE(ot_livepatch_tests);

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ordinary ftrace_ops. All but one hold on any kernel; what they
 * guard against is that a call site bound to an ops misses a change.
 */
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/string.h>

#include "many.h"
#include "ops_test.h"

/* None, one, two, one, none: all kinds, all orders of removal. */
static void test_ops_pairs(struct ot_ctx *c)
{
	unsigned int first, second, i, j;
	char what[80];

	for (i = 0; i < ARRAY_SIZE(ot_kinds); i++) {
		for (j = 0; j < ARRAY_SIZE(ot_kinds); j++) {
			for (first = 0; first < 2; first++) {
				second = !first;
				snprintf(what, sizeof(what),
					 "flags %lx and %lx, ops %u first out",
					 ot_kinds[i], ot_kinds[j], first);
				ot_step(c, what);
				ot_add_ops(c, 0, ot_kinds[i], BIT(OT_SUM2));
				ot_step(c, what);
				ot_add_ops(c, 1, ot_kinds[j], BIT(OT_SUM2));
				ot_step(c, what);
				ot_del_ops(c, first);
				ot_step(c, what);
				ot_del_ops(c, second);
				ot_step(c, what);
			}
		}
	}
}

/* Three ops of different kinds, in every order in and out. */
static void test_ops_three(struct ot_ctx *c)
{
	static const u8 orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	unsigned int i, j;
	char what[80];

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		for (j = 0; j < 3; j++) {
			snprintf(what, sizeof(what), "order %u: %u in", i, j);
			ot_add_ops(c, j, ot_kinds[j], OT_STEP_FUNCS);
			ot_step(c, what);
		}
		for (j = 0; j < 3; j++) {
			snprintf(what, sizeof(what), "order %u: %u out", i,
				 orders[i][j]);
			ot_del_ops(c, orders[i][j]);
			ot_step(c, what);
		}
	}
}

/* The functions of a registered ops change. */
static void test_ops_filter(struct ot_ctx *c)
{
	unsigned int i, j;
	char what[80];

	for (i = 0; i < ARRAY_SIZE(ot_kinds); i++) {
		for (j = 0; j < ARRAY_SIZE(ot_kinds); j++) {
			snprintf(what, sizeof(what), "flags %lx and %lx",
				 ot_kinds[i], ot_kinds[j]);
			ot_add_ops(c, 0, ot_kinds[i], BIT(OT_SUM2));
			ot_step(c, what);
			ot_set_filter(c, 0, OT_STEP_FUNCS);
			ot_step(c, what);
			ot_add_ops(c, 1, ot_kinds[j], BIT(OT_OTHER));
			ot_step(c, what);
			ot_set_filter(c, 0, BIT(OT_SUM2));
			ot_step(c, what);
			ot_set_filter(c, 1, OT_STEP_FUNCS);
			ot_step(c, what);
			ot_set_filter(c, 0, BIT(OT_OTHER));
			ot_step(c, what);
			ot_del_ops(c, 0);
			ot_step(c, what);
			ot_del_ops(c, 1);
			ot_step(c, what);
		}
	}
}

/* Hits of an ops in one call of sum2() if its callback calls sum2(), too. */
static void ot_expect_recursion(struct ot_ctx *c, unsigned int i,
				unsigned int want, const char *what)
{
	ot_reset_hits(c);
	ot_call(c, OT_SUM2);
	ot_expect(c, c->ops[i].hits[OT_SUM2], want, "%s: hits of ops %u", what,
		  i);
}

/* An ops that asks for protection has it, whoever comes and goes beside it. */
static void test_ops_guard(struct ot_ctx *c)
{
	bool sets = ot_have_sets();
	unsigned int kind, beside;
	char what[80];

	for (kind = 0; kind < ARRAY_SIZE(ot_kinds); kind++) {
		/* Without sets the guard is in front of everybody. */
		beside = OT_GUARDED_HITS;
		if (sets && !(ot_kinds[kind] & FTRACE_OPS_FL_RECURSION))
			beside++;
		snprintf(what, sizeof(what), "alone, before flags %lx",
			 ot_kinds[kind]);
		ot_add_ops(c, 0, FTRACE_OPS_FL_RECURSION, BIT(OT_SUM2));
		c->ops[0].recurse = true;
		ot_expect_recursion(c, 0, OT_GUARDED_HITS, what);

		snprintf(what, sizeof(what), "with flags %lx beside it",
			 ot_kinds[kind]);
		ot_add_ops(c, 1, ot_kinds[kind], BIT(OT_SUM2));
		ot_expect_recursion(c, 0, OT_GUARDED_HITS, what);
		ot_expect(c, c->ops[1].hits[OT_SUM2], beside,
			  "%s: hits of ops 1", what);

		snprintf(what, sizeof(what), "alone, after flags %lx",
			 ot_kinds[kind]);
		ot_del_ops(c, 1);
		ot_expect_recursion(c, 0, OT_GUARDED_HITS, what);

		/* Again, the other one leaving by a change of its filter. */
		ot_add_ops(c, 1, ot_kinds[kind], BIT(OT_SUM2));
		ot_set_filter(c, 1, BIT(OT_OTHER));
		snprintf(what, sizeof(what), "flags %lx went to other()",
			 ot_kinds[kind]);
		ot_expect_recursion(c, 0, OT_GUARDED_HITS, what);
		ot_del_ops(c, 1);
		ot_del_ops(c, 0);
	}
}

/*
 * The counterpart: the sole ops without need of help is called by the call site
 * itself. As the list function guards against recursion, and the direct way
 * does not, the callback sees all of its own calls. So it does beside others if
 * call sites can name several ops.
 */
static void test_call_ops(struct ot_ctx *c)
{
	unsigned int beside = ot_have_sets() ? 1 + OT_MAX_DEPTH :
			      OT_GUARDED_HITS;

	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	c->ops[0].recurse = true;
	ot_expect_recursion(c, 0, 1 + OT_MAX_DEPTH, "alone");

	ot_add_ops(c, 1, FTRACE_OPS_FL_RECURSION, BIT(OT_OTHER));
	ot_expect_recursion(c, 0, 1 + OT_MAX_DEPTH, "another one elsewhere");

	ot_set_filter(c, 1, OT_STEP_FUNCS);
	ot_expect_recursion(c, 0, beside, "another one beside it");

	ot_set_filter(c, 1, BIT(OT_OTHER));
	ot_expect_recursion(c, 0, 1 + OT_MAX_DEPTH, "the other one gone");
	ot_del_ops(c, 1);

	ot_add_ops(c, 1, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_SUM2));
	ot_expect_recursion(c, 0, beside, "regs ops beside it");
	ot_del_ops(c, 1);
	ot_expect_recursion(c, 0, 1 + OT_MAX_DEPTH, "regs ops gone");
	ot_del_ops(c, 0);

	ot_add_ops(c, 0, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_SUM2));
	c->ops[0].recurse = true;
	ot_expect_recursion(c, 0, 1 + OT_MAX_DEPTH, "regs ops alone");
}

#ifdef CONFIG_PPC64
/* In front of the code of the stub, which the call site branches to */
static unsigned long ot_ops_end(unsigned long func)
{
	return func + sign_extend64(*(u32 *)func & 0x3fffffc, 25);
}

/* The stub has four instructions, which are not for kprobes either. */
#define OT_STUB_SIZE	16
#else
/* In front of the function */
static unsigned long ot_ops_end(unsigned long func)
{
	return func;
}

#define OT_STUB_SIZE	0
#endif

/*
 * The ops that a call site names lies between instructions, where a breakpoint
 * would become a part of a pointer.
 */
static void test_call_ops_kprobe(struct ot_ctx *c)
{
	struct kprobe kp;
	int offset, err;

	ot_add_ops(c, 0, 0, BIT(OT_OTHER));
	for (offset = -8; offset < OT_STUB_SIZE; offset += 4) {
		memset(&kp, 0, sizeof(kp));
		/* Not of the first function: kprobes want a symbol. */
		kp.addr = (void *)(ot_ops_end(ot_func(c->side, OT_OTHER)) +
				   offset);
		err = register_kprobe(&kp);
		ot_expect(c, err, -EINVAL, "kprobe at %d", offset);
		if (!err)
			unregister_kprobe(&kp);
	}
	ot_step(c, "kprobes refused");
}

#ifdef CONFIG_PPC64
/*
 * A task may be interrupted behind the first instruction of a call site, and
 * go on with the second one when tracing has been turned on meanwhile. It must
 * not get to the entry code, which would take R0 for a return address.
 */
static void test_call_ops_resume(struct ot_ctx *c)
{
	unsigned long second = ot_func(c->side, OT_SUM2) + 4;
	unsigned int i, calls;

	for (i = 0; i < ARRAY_SIZE(ot_kinds); i++) {
		ot_add_ops(c, 0, ot_kinds[i], BIT(OT_SUM2));
		ot_reset_hits(c);
		for (calls = 0; calls < OT_CALLS; calls++)
			ot_expect(c, ot_call_at(c, OT_SUM2, second),
				  c->in.x[0] + c->in.x[1],
				  "flags %lx: resumed, and returned",
				  ot_kinds[i]);
		ot_expect(c, c->ops[0].hits[OT_SUM2], 0, "flags %lx: hits",
			  ot_kinds[i]);
		ot_del_ops(c, 0);
	}
}
#endif

static int ot_replacement(int a, int b)
{
	return a * b;
}

static void ot_ipmodify_callback(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *op,
				 struct ftrace_regs *fregs)
{
	instruction_pointer_set(ftrace_get_regs(fregs),
				(unsigned long)ot_replacement);
}

static unsigned int ot_ip_hits;

static void ot_ip_callback(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ot_ip_hits++;
}

/* Each of them is called by its ops, or none, as @in says. */
static void ot_ip_calls(struct ot_ctx *c, const bool *in, unsigned int step)
{
	unsigned int i;

	for (i = 0; i < OT_NR_MANY && !c->failed; i++) {
		ot_ip_hits = 0;
		ot_expect(c, ot_many[i](1000), 1000 + i, "step %u: function %u",
			  step, i);
		ot_expect(c, ot_ip_hits, in[i], "step %u: hits of function %u",
			  step, i);
	}
}

/* So many steps there are between two looks at all functions. */
#define OT_IP_STEPS	61

/*
 * Functions come to the filter of a registered ops and leave it, one by one, as
 * kprobes have it done: those of modules, and more than a hash begins with.
 */
static void ot_filter_ip(struct ot_ctx *c, unsigned long flags)
{
	static struct ftrace_ops ops, other;
	static bool in[OT_NR_MANY];
	unsigned int step, i = 0;

	memset(in, 0, sizeof(in));
	memset(&ops, 0, sizeof(ops));
	memset(&other, 0, sizeof(other));
	ops.func = ot_ip_callback;
	ops.flags = flags;
	other = ops;

	in[0] = true;
	ot_expect(c, ftrace_set_filter_ip(&ops, (unsigned long)ot_many[0], 0, 0),
		  0, "first function");
	if (!ot_expect(c, register_ftrace_function(&ops), 0, "register"))
		goto out;

	/* All of them, at a distance that has no factor in common with their number. */
	for (step = 1; step < OT_NR_MANY && !c->failed; step++) {
		i = (i + 305) % OT_NR_MANY;
		in[i] = true;
		ot_expect(c, ftrace_set_filter_ip(&ops, (unsigned long)ot_many[i],
						  0, 0), 0, "function %u comes", i);
		/* Once more makes no difference. */
		ot_expect(c, ftrace_set_filter_ip(&ops, (unsigned long)ot_many[i],
						  0, 0), 0, "function %u is there", i);
		if (!(step % OT_IP_STEPS))
			ot_ip_calls(c, in, step);
	}
	ot_ip_calls(c, in, step);

	ot_expect(c, ftrace_set_filter_ip(&ops, (unsigned long)&ops, 0, 0), -EINVAL,
		  "no function");

	/* Two cannot modify the same, and the one that tries does not get it. */
	if (flags & FTRACE_OPS_FL_IPMODIFY) {
		ot_expect(c, ftrace_set_filter_ip(&other, ot_func(c->side, OT_SUM2),
						  0, 0), 0, "another function");
		ot_expect(c, ftrace_set_filter_ip(&other, ot_func(c->side, OT_OTHER),
						  0, 0), 0, "and another one");
		if (ot_expect(c, register_ftrace_function(&other), 0, "register another")) {
			ot_expect(c, ftrace_set_filter_ip(&other, (unsigned long)ot_many[1],
							  0, 0), -EBUSY, "conflict");
			ot_ip_calls(c, in, step);
			ot_expect(c, unregister_ftrace_function(&other), 0,
				  "unregister another");
		}
	}

	for (step = 1, i = 0; step < OT_NR_MANY && !c->failed; step++) {
		i = (i + 131) % OT_NR_MANY;
		in[i] = false;
		ot_expect(c, ftrace_set_filter_ip(&ops, (unsigned long)ot_many[i],
						  1, 0), 0, "function %u leaves", i);
		ot_expect(c, ftrace_set_filter_ip(&ops, (unsigned long)ot_many[i],
						  1, 0), -ENOENT, "function %u is gone", i);
		if (!(step % OT_IP_STEPS))
			ot_ip_calls(c, in, step);
	}
	ot_ip_calls(c, in, step);
	ot_expect(c, unregister_ftrace_function(&ops), 0, "unregister");
	in[0] = false;
	ot_ip_calls(c, in, step);
out:
	ftrace_free_filter(&ops);
	ftrace_free_filter(&other);
}

static void test_ops_filter_ip(struct ot_ctx *c)
{
	ot_filter_ip(c, 0);
	ot_filter_ip(c, FTRACE_OPS_FL_SAVE_REGS);
	ot_filter_ip(c, FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY);
}

struct ot_unregister {
	struct ftrace_ops *ops;
	struct completion done;
	int err;
};

static int ot_unregister_thread(void *data)
{
	struct ot_unregister *u = data;

	u->err = unregister_ftrace_function(u->ops);
	/* Not by a return to here: the module may be gone by then. */
	kthread_complete_and_exit(&u->done, 0);
}

/*
 * While a task unregisters an ops, and waits for those that may be using it, another
 * one cannot register it. A kernel that holds ftrace_lock meanwhile makes the other one
 * wait, too.
 */
static void test_call_ops_unregistering(struct ot_ctx *c)
{
	static struct ftrace_ops ops;
	struct ot_unregister u = { .ops = &ops };
	bool late = true;
	int tries, err = 0;

	memset(&ops, 0, sizeof(ops));
	ops.func = ot_ip_callback;
	ot_expect(c, ftrace_set_filter_ip(&ops, ot_func(c->side, OT_SUM2), 0, 0), 0,
		  "filter");
	/* The wait may be over before this task gets to it. */
	for (tries = 0; late && tries < 20; tries++) {
		struct task_struct *task;

		if (!ot_expect(c, register_ftrace_function(&ops), 0, "register"))
			goto out;
		init_completion(&u.done);
		task = kthread_run(ot_unregister_thread, &u, "ftrace_ops_unreg");
		if (!ot_expect(c, IS_ERR(task), false, "thread")) {
			unregister_ftrace_function(&ops);
			goto out;
		}
		while (READ_ONCE(ops.flags) & FTRACE_OPS_FL_ENABLED &&
		       !completion_done(&u.done))
			schedule_timeout_uninterruptible(1);
		err = register_ftrace_function(&ops);
		late = completion_done(&u.done);
		wait_for_completion(&u.done);
		ot_expect(c, u.err, 0, "unregister in a thread");
		if (!err)
			ot_expect(c, unregister_ftrace_function(&ops), 0, "unregister");
	}
	ot_expect(c, late, false, "another task registers it meanwhile");
	ot_expect(c, err, -EBUSY, "register while it is being unregistered");

	ot_ip_hits = 0;
	ot_expect(c, register_ftrace_function(&ops), 0, "register again");
	ot_expect(c, c->side->tracees.sum2(6, 7), 13, "sum");
	ot_expect(c, ot_ip_hits, 1, "hits");
	ot_expect(c, unregister_ftrace_function(&ops), 0, "unregister again");
out:
	ftrace_free_filter(&ops);
}

/* What live patching does: the callback sends the call to another function. */
static void test_ops_ipmodify(struct ot_ctx *c)
{
	static struct ftrace_ops ipmodify;
	int (*sum2)(int a, int b) = c->side->tracees.sum2;

	memset(&ipmodify, 0, sizeof(ipmodify));
	ipmodify.func = ot_ipmodify_callback;
	ipmodify.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
	ot_expect(c, ftrace_set_filter_ip(&ipmodify, (unsigned long)sum2, 0, 0),
		  0, "filter");
	if (!ot_expect(c, register_ftrace_function(&ipmodify), 0, "register"))
		goto out;
	ot_expect(c, sum2(6, 7), 42, "replaced");
	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	ot_expect(c, sum2(6, 7), 42, "replaced, with a plain ops");
	ot_expect(c, c->ops[0].hits[OT_SUM2], 1, "hits of the plain ops");
	ot_del_ops(c, 0);
	ot_expect(c, sum2(6, 7), 42, "replaced again");
	ot_add_ops(c, 0, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_SUM2));
	ot_expect(c, unregister_ftrace_function(&ipmodify), 0, "unregister");
	ot_expect(c, sum2(6, 7), 13, "not replaced");
	ot_expect(c, c->ops[0].hits[OT_SUM2], 1, "hits of the regs ops");
out:
	ftrace_free_filter(&ipmodify);
}

/* Arguments and return values of all sorts, for one and two ops. */
static void test_ops_args(struct ot_ctx *c)
{
	const unsigned int funcs = OT_STEP_FUNCS | OT_ARGS_FUNCS;
	unsigned int i, j;
	char what[80];

	ot_check_args(c, "no ops");
	for (i = 0; i < ARRAY_SIZE(ot_kinds); i++) {
		ot_add_ops(c, 0, ot_kinds[i], funcs);
		snprintf(what, sizeof(what), "flags %lx", ot_kinds[i]);
		ot_check_args(c, what);
		for (j = 0; j <= i; j++) {
			ot_add_ops(c, 1, ot_kinds[j], funcs);
			snprintf(what, sizeof(what), "flags %lx and %lx",
				 ot_kinds[i], ot_kinds[j]);
			ot_check_args(c, what);
			ot_del_ops(c, 1);
		}
		ot_del_ops(c, 0);
	}
}

static void test_ops_random(struct ot_ctx *c)
{
	ot_random(c, ot_toggles, false);
}

/* Ops come and go while another CPU keeps calling. */
static void test_load_ops(struct ot_ctx *c)
{
	unsigned int i;
	s64 others = 0;

	ot_load_start(c);
	for (i = 0; i < ot_toggles && !c->failed; i++) {
		ot_add_ops(c, 0, ot_kinds[i % 3], OT_STEP_FUNCS);
		ot_step(c, "one");
		/* Now and then a second one, which leaves last or first. */
		if (i % 4 == 1) {
			ot_add_ops(c, 1, ot_kinds[i / 4 % 3], BIT(OT_SUM2));
			ot_step(c, "two");
		}
		if (i % 8 == 1) {
			ot_del_ops(c, 1);
			ot_step(c, "one again");
		}
		others += atomic64_read(&c->ops[0].others);
		ot_del_ops(c, 0);
		ot_del_ops(c, 1);
		ot_step(c, "none");
	}
	ot_load_stop(c);
	ot_expect(c, others > 0, true, "ops called by the load");
}

/* Like load_ops, but the ops stay and their filters change. */
static void test_load_filter(struct ot_ctx *c)
{
	unsigned int i;
	s64 others = 0;

	ot_load_start(c);
	ot_add_ops(c, 0, 0, BIT(OT_OTHER));
	ot_add_ops(c, 1, FTRACE_OPS_FL_RECURSION, BIT(OT_OTHER));
	ot_add_ops(c, 2, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_OTHER));
	/* It may take longer for the other CPU to begin than for all of these. */
	for (i = 0; i < 10 * ot_toggles && !c->failed; i++) {
		if (!(i % 10))
			ot_load_continue(c);
		ot_set_filter(c, i % 3, c->ops[i % 3].funcs ^ BIT(OT_SUM2));
		ot_set_filter(c, i / 3 % 3,
			      c->ops[i / 3 % 3].funcs ^ BIT(OT_SUM2));
		ot_step(c, "changed");
	}
	for (i = 0; i < OT_NR_OPS; i++)
		others += atomic64_read(&c->ops[i].others);
	ot_load_stop(c);
	ot_expect(c, others > 0, true, "ops called by the load");
}

const struct ot_test ot_ops_tests[] = {
	{ "ops_pairs", 0, test_ops_pairs },
	{ "ops_three", 0, test_ops_three },
	{ "ops_filter", 0, test_ops_filter },
	{ "ops_filter_ip", 0, test_ops_filter_ip },
	{ "ops_guard", 0, test_ops_guard },
	{ "ops_ipmodify", 0, test_ops_ipmodify },
	{ "ops_args", 0, test_ops_args },
	{ "ops_random", 0, test_ops_random },
	{ "load_ops", 0, test_load_ops },
	{ "load_filter", 0, test_load_filter },
	{ "call_ops", OT_NEEDS_CALL_OPS, test_call_ops },
	{ "call_ops_kprobe", OT_NEEDS_CALL_OPS, test_call_ops_kprobe },
	{ "call_ops_unregistering", OT_NEEDS_CALL_OPS, test_call_ops_unregistering },
#ifdef CONFIG_PPC64
	{ "call_ops_resume", OT_NEEDS_CALL_OPS, test_call_ops_resume },
#endif
};

const unsigned int ot_nr_ops_tests = ARRAY_SIZE(ot_ops_tests);

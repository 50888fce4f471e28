// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of direct calls: trampolines near and far, alone and with ops on the
 * same function, by both interfaces.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "ops_test.h"

static const char * const ot_places[] = { "near", "far" };

/* A trampoline in branch range of the tracees (0), or out of it (1). */
static const struct ot_tramp *ot_placed(struct ot_ctx *c, unsigned int place,
					unsigned int nr)
{
	return ot_tramp(place ? c->away : c->side, nr);
}

/* Register, modify to all other trampolines, unregister. */
static void ot_check_modify(struct ot_ctx *c, enum ot_api api,
			    unsigned int funcs)
{
	unsigned int from, to, nr;
	char what[80];

	for (from = 0; from < 2; from++) {
		for (to = 0; to < 2; to++) {
			for (nr = 0; nr < 2; nr++) {
				if (from == to && !nr)
					continue;
				snprintf(what, sizeof(what),
					 "%s 0 to %s %u, functions %u",
					 ot_places[from], ot_places[to], nr,
					 funcs);
				ot_add_direct(c, api, funcs,
					      ot_placed(c, from, 0));
				ot_step(c, what);
				ot_modify_direct(c, api, funcs,
						 ot_placed(c, to, nr));
				ot_step(c, what);
				ot_del_direct(c, api, funcs);
				ot_step(c, what);
			}
		}
	}
}

static void test_direct_legacy(struct ot_ctx *c)
{
	ot_check_modify(c, OT_LEGACY, BIT(OT_SUM2));
	ot_check_modify(c, OT_LEGACY, OT_STEP_FUNCS);
}

static void test_direct_multi(struct ot_ctx *c)
{
	ot_check_modify(c, OT_MULTI, BIT(OT_SUM2));
	ot_check_modify(c, OT_MULTI, OT_STEP_FUNCS);
}

/* Functions with different targets, all of which are in one ops. */
static void test_direct_two_targets(struct ot_ctx *c)
{
	unsigned int a, b;
	char what[80];

	for (a = 0; a < 2; a++) {
		for (b = 0; b < 2; b++) {
			snprintf(what, sizeof(what), "%s and %s", ot_places[a],
				 ot_places[b]);
			ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2),
				      ot_placed(c, a, 0));
			ot_step(c, what);
			ot_add_direct(c, OT_LEGACY, BIT(OT_OTHER),
				      ot_placed(c, b, 1));
			ot_step(c, what);
			ot_add_ops(c, 0, 0, OT_STEP_FUNCS);
			ot_step(c, what);
			/* Crosswise, and for a while to the same one. */
			ot_modify_direct(c, OT_LEGACY, BIT(OT_SUM2),
					 ot_placed(c, b, 1));
			ot_step(c, what);
			ot_modify_direct(c, OT_LEGACY, BIT(OT_OTHER),
					 ot_placed(c, a, 0));
			ot_step(c, what);
			ot_del_ops(c, 0);
			ot_step(c, what);
			ot_del_direct(c, OT_LEGACY, BIT(a));
			ot_step(c, what);
			ot_del_direct(c, OT_LEGACY, OT_STEP_FUNCS);
			ot_step(c, what);
		}
	}

	/* Two functions, one target; one of them goes elsewhere. */
	ot_add_direct(c, OT_LEGACY, OT_STEP_FUNCS, ot_placed(c, 0, 0));
	ot_step(c, "shared");
	ot_modify_direct(c, OT_LEGACY, BIT(OT_OTHER), ot_placed(c, 1, 1));
	ot_step(c, "no longer shared");
	ot_modify_direct(c, OT_LEGACY, BIT(OT_OTHER), ot_placed(c, 0, 0));
	ot_step(c, "shared again");
	ot_del_direct(c, OT_LEGACY, BIT(OT_SUM2));
	ot_step(c, "one left");
}

/* A direct call and an ops on one function, in every order. */
static void test_direct_ops(struct ot_ctx *c)
{
	unsigned int place, kind, order;
	enum ot_api api;
	char what[80];

	for (place = 0; place < 2; place++) {
		for (kind = 0; kind < ARRAY_SIZE(ot_kinds); kind++) {
			for (order = 0; order < 4; order++) {
				api = (order + kind) % OT_NR_APIS;
				snprintf(what, sizeof(what),
					 "%s, flags %lx, order %u, api %u",
					 ot_places[place], ot_kinds[kind],
					 order, api);
				if (order & 1)
					ot_add_ops(c, 0, ot_kinds[kind],
						   OT_STEP_FUNCS);
				ot_add_direct(c, api, BIT(OT_SUM2),
					      ot_placed(c, place, 0));
				ot_step(c, what);
				if (!(order & 1)) {
					ot_add_ops(c, 0, ot_kinds[kind],
						   OT_STEP_FUNCS);
					ot_step(c, what);
				}
				if (order & 2)
					ot_del_direct(c, api, BIT(OT_SUM2));
				else
					ot_del_ops(c, 0);
				ot_step(c, what);
				ot_detach_all(c);
				ot_step(c, what);
			}
		}
	}
}

/* A direct call and two ops, in every order of removal. */
static void test_direct_two_ops(struct ot_ctx *c)
{
	static const u8 orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	unsigned int i, j;
	enum ot_api api;
	char what[80];

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		api = i % OT_NR_APIS;
		snprintf(what, sizeof(what), "api %u, order %u", api, i);
		ot_add_ops(c, 0, ot_kinds[i / 2], BIT(OT_SUM2));
		ot_add_direct(c, api, OT_STEP_FUNCS, ot_placed(c, i & 1, 0));
		ot_add_ops(c, 1, 0, OT_STEP_FUNCS);
		ot_step(c, what);
		for (j = 0; j < 3; j++) {
			if (orders[i][j] == 2)
				ot_del_direct(c, api, OT_STEP_FUNCS);
			else
				ot_del_ops(c, orders[i][j]);
			ot_step(c, what);
		}
	}
}

/* The target changes while ops are on the same function. */
static void test_direct_modify_shared(struct ot_ctx *c)
{
	unsigned int api, kind;
	char what[80];

	for (api = 0; api < OT_NR_APIS; api++) {
		for (kind = 0; kind < ARRAY_SIZE(ot_kinds); kind++) {
			snprintf(what, sizeof(what), "api %u, flags %lx", api,
				 ot_kinds[kind]);
			ot_add_direct(c, api, OT_STEP_FUNCS,
				      ot_placed(c, 0, 0));
			ot_add_ops(c, 0, ot_kinds[kind], BIT(OT_SUM2));
			ot_step(c, what);
			ot_modify_direct(c, api, OT_STEP_FUNCS,
					 ot_placed(c, 1, 0));
			ot_step(c, what);
			ot_modify_direct(c, api, OT_STEP_FUNCS,
					 ot_placed(c, 0, 1));
			ot_step(c, what);
			/* What was set meanwhile must hold afterwards. */
			ot_del_ops(c, 0);
			ot_step(c, what);
			ot_del_direct(c, api, OT_STEP_FUNCS);
			ot_step(c, what);
		}
	}
}

static void test_direct_args(struct ot_ctx *c)
{
	const unsigned int funcs = OT_STEP_FUNCS | OT_ARGS_FUNCS;
	unsigned int place, kind;
	enum ot_api api;
	char what[80];

	for (place = 0; place < 2; place++) {
		api = place ? OT_LEGACY : OT_MULTI;
		ot_add_direct(c, api, funcs, ot_placed(c, place, 0));
		snprintf(what, sizeof(what), "%s", ot_places[place]);
		ot_check_args(c, what);
		for (kind = 0; kind < ARRAY_SIZE(ot_kinds); kind++) {
			snprintf(what, sizeof(what), "%s and flags %lx",
				 ot_places[place], ot_kinds[kind]);
			ot_add_ops(c, 0, ot_kinds[kind], funcs);
			ot_check_args(c, what);
			ot_add_ops(c, 1, 0, funcs);
			ot_check_args(c, what);
			ot_del_ops(c, 0);
			ot_del_ops(c, 1);
		}
		ot_del_direct(c, api, funcs);
	}
}

/* Does the trampoline return into the tracee? */
static void ot_check_return(struct ot_ctx *c, const struct ot_state *s,
			    const char *what)
{
	long offset = s->x30 - ot_func(c->side, OT_SUM9);

#ifdef CONFIG_PPC64
	/* By the stub: MTLR R0, and a branch to behind the call site. */
	ot_expect(c, *(u32 *)s->x30, 0x7c0803a6, "%s: LR", what);
	offset += 4 + sign_extend64(*(u32 *)(s->x30 + 4) & 0x3fffffc, 25);
	ot_expect(c, offset == 4 || offset == 12, true, "%s: stub", what);
#else
	/* The instruction behind the call site, with or without a BTI. */
	ot_expect(c, offset == 8 || offset == 12, true, "%s: x30", what);
	/* ot_call_asm() has its frame below the ninth argument. */
	ot_expect(c, s->x29, s->sp + OT_CALL_FRAME, "%s: x29", what);
#endif
}

/* One call through the trampoline "state": are all registers as they must? */
static void ot_check_state(struct ot_ctx *c, const struct ot_side *tramp_side,
			   const char *what, u64 *sp)
{
	const struct ot_state *s = tramp_side->found;
	unsigned int i;

	memset(tramp_side->found, 0, sizeof(*s));
	ot_call(c, OT_SUM9);
	for (i = 0; i < OT_NR_ARGS; i++)
		ot_expect(c, s->x[i], c->in.x[i], "%s: argument %u", what, i);
	ot_expect(c, s->x9, (unsigned long)ot_call_asm_ret,
		  "%s: return address of the tracee", what);
	ot_check_return(c, s, what);
	/* All calls are made at the same depth of the stack. */
	if (!*sp)
		*sp = s->sp;
	ot_expect(c, s->sp, *sp, "%s: sp", what);
}

/* A trampoline finds the same state whichever way it is called. */
static void test_direct_state(struct ot_ctx *c)
{
	unsigned int place, kind;
	enum ot_api api;
	char what[80];
	u64 sp = 0;

	for (place = 0; place < 2; place++) {
		const struct ot_side *side = place ? c->away : c->side;

		for (api = 0; api < OT_NR_APIS; api++) {
			snprintf(what, sizeof(what), "%s, api %u",
				 ot_places[place], api);
			ot_add_direct(c, api, BIT(OT_SUM9), &side->state);
			ot_check_state(c, side, what, &sp);
			for (kind = 0; kind < ARRAY_SIZE(ot_kinds); kind++) {
				snprintf(what, sizeof(what),
					 "%s, api %u, flags %lx",
					 ot_places[place], api, ot_kinds[kind]);
				ot_add_ops(c, 0, ot_kinds[kind], BIT(OT_SUM9));
				ot_check_state(c, side, what, &sp);
				ot_del_ops(c, 0);
			}
			ot_del_direct(c, api, BIT(OT_SUM9));
		}
	}
}

/* A trampoline that calls the tracee and changes what it returns. */
static void test_direct_wrap(struct ot_ctx *c)
{
	unsigned int place;
	enum ot_api api;
	char what[80];

	for (place = 0; place < 2; place++) {
		const struct ot_side *side = place ? c->away : c->side;

		for (api = 0; api < OT_NR_APIS; api++) {
			snprintf(what, sizeof(what), "%s, api %u",
				 ot_places[place], api);
			ot_add_direct(c, api, OT_STEP_FUNCS, &side->wrap);
			ot_step(c, what);
			ot_add_ops(c, 0, 0, BIT(OT_SUM2));
			ot_step(c, what);
			ot_modify_direct(c, api, OT_STEP_FUNCS,
					 ot_placed(c, !place, 0));
			ot_step(c, what);
			ot_modify_direct(c, api, OT_STEP_FUNCS, &side->wrap);
			ot_step(c, what);
			ot_detach_all(c);
		}
	}
}

static int ot_sleeper(void *arg)
{
	const struct ot_side *side = arg;

	return side->tracees.sleepy(500);
}

/* The trampoline is detached while a task sleeps in the tracee it called. */
static void test_direct_sleep(struct ot_ctx *c)
{
	unsigned long ip = (unsigned long)c->side->tracees.sleepy;
	unsigned int place, ms;
	struct task_struct *task;

	for (place = 0; place < 2; place++) {
		const struct ot_tramp *wrap;
		int err;

		wrap = place ? &c->away->wrap : &c->side->wrap;
		atomic64_set(wrap->hits, 0);
		err = register_ftrace_direct(ip, wrap->addr);
		if (!ot_expect(c, err, 0, "%s: register", ot_places[place]))
			return;
		task = kthread_create(ot_sleeper, (void *)c->side,
				      "ftrace_sleep");
		if (!ot_expect(c, PTR_ERR_OR_ZERO(task), 0, "start a task")) {
			unregister_ftrace_direct(ip, wrap->addr);
			return;
		}
		/* It may be gone before we ask for what it returned. */
		get_task_struct(task);
		wake_up_process(task);
		for (ms = 0; ms < 10000 && !atomic64_read(wrap->hits); ms++)
			msleep(1);
		ot_expect(c, unregister_ftrace_direct(ip, wrap->addr), 0,
			  "%s: unregister", ot_places[place]);
		ot_expect(c, c->side->tracees.sleepy(1), 1,
			  "%s: called afterwards", ot_places[place]);
		ot_expect(c, kthread_stop(task), 500 + OT_WRAP_ADDS,
			  "%s: what the sleeper returned", ot_places[place]);
		put_task_struct(task);
		ot_expect(c, atomic64_read(wrap->hits), 1, "%s: hits",
			  ot_places[place]);
	}
}

static void test_direct_legacy_errors(struct ot_ctx *c)
{
	unsigned long ip = ot_func(c->side, OT_SUM2);
	unsigned long other = ot_func(c->side, OT_OTHER);
	unsigned long tramp = ot_placed(c, 0, 0)->addr;
	unsigned long tramp2 = ot_placed(c, 1, 1)->addr;
	/* Code without a call site. */
	unsigned long nothing = (unsigned long)ot_call_asm_ret;

	ot_expect(c, register_ftrace_direct(nothing, tramp), -ENODEV,
		  "register where there is no call site");
	ot_expect(c, modify_ftrace_direct(nothing, tramp, tramp2), -ENODEV,
		  "modify where there is no call site");
	ot_expect(c, unregister_ftrace_direct(nothing, tramp), -ENODEV,
		  "unregister where there is no call site");
	ot_expect(c, modify_ftrace_direct(ip, tramp, tramp2), -ENODEV,
		  "modify what is not registered");
	ot_expect(c, unregister_ftrace_direct(ip, tramp), -ENODEV,
		  "unregister what is not registered");
	ot_step(c, "nothing was registered");

	ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2), ot_placed(c, 0, 0));
	ot_expect(c, register_ftrace_direct(ip, tramp), -EBUSY,
		  "register twice");
	ot_expect(c, register_ftrace_direct(ip, tramp2), -EBUSY,
		  "register another one");
	ot_expect(c, modify_ftrace_direct(ip, tramp2, tramp2), -EINVAL,
		  "modify with the wrong old one");
	ot_expect(c, modify_ftrace_direct(other, tramp, tramp2), -ENODEV,
		  "modify another function");
	ot_expect(c, unregister_ftrace_direct(other, tramp), -ENODEV,
		  "unregister another function");
	ot_step(c, "one was registered");
}

/* A multi direct ops for one function; nothing else is set. */
int ot_init_multi(struct ftrace_ops *ops, unsigned long ip)
{
	memset(ops, 0, sizeof(*ops));
	return ftrace_set_filter_ip(ops, ip, 0, 0);
}

static void test_direct_multi_errors(struct ot_ctx *c)
{
	static struct ftrace_ops ops;
	unsigned long ip = ot_func(c->side, OT_SUM2);
	unsigned long tramp = ot_placed(c, 0, 0)->addr;
	unsigned long tramp2 = ot_placed(c, 1, 1)->addr;

	memset(&ops, 0, sizeof(ops));
	ot_expect(c, register_ftrace_direct_multi(&ops, tramp), -EINVAL,
		  "register without functions");
	ot_expect(c, modify_ftrace_direct_multi(&ops, tramp), -EINVAL,
		  "modify what was never set up");

	ot_expect(c, ot_init_multi(&ops, ip), 0, "filter");
	ot_expect(c, modify_ftrace_direct_multi(&ops, tramp), -EINVAL,
		  "modify what is not registered");
	ot_expect(c, unregister_ftrace_direct_multi(&ops, tramp), -EINVAL,
		  "unregister what is not registered");
	ot_step(c, "nothing was registered");

	/* Whoever comes second fails, and takes nothing away. */
	ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2), ot_placed(c, 0, 0));
	ot_expect(c, register_ftrace_direct_multi(&ops, tramp2), -EBUSY,
		  "multi after legacy");
	ot_step(c, "legacy stays");
	ot_del_direct(c, OT_LEGACY, BIT(OT_SUM2));

	ot_add_direct(c, OT_MULTI, OT_STEP_FUNCS, ot_placed(c, 0, 0));
	ot_expect(c, register_ftrace_direct_multi(&c->multi, tramp2), -EINVAL,
		  "register twice");
	ot_expect(c, register_ftrace_direct_multi(&ops, tramp2), -EBUSY,
		  "multi after multi");
	ot_expect(c, register_ftrace_direct(ip, tramp2), -EBUSY,
		  "legacy after multi");
	ot_step(c, "multi stays");
	ot_del_direct(c, OT_MULTI, OT_STEP_FUNCS);

	/* The one that failed is as good as new. */
	ot_expect(c, register_ftrace_direct_multi(&ops, tramp2), 0,
		  "register after failures");
	c->direct[OT_SUM2] = ot_placed(c, 1, 1);
	ot_step(c, "registered after failures");
	ot_expect(c, unregister_ftrace_direct_multi(&ops, tramp2), 0,
		  "unregister after failures");
	c->direct[OT_SUM2] = NULL;
	ot_step(c, "unregistered after failures");
	ftrace_free_filter(&ops);
}

static void ot_ipmodify_nothing(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op,
				struct ftrace_regs *fregs)
{
}

/*
 * One step with the @n-th allocation failing; true if there were fewer. What goes
 * does not need any: its trampoline is about to be freed.
 */
static bool ot_without_memory(struct ot_ctx *c, unsigned int n,
			      enum ot_api api, const struct ot_tramp *from,
			      const struct ot_tramp *to)
{
	bool failed;

	c->may_fail = to;
	ot_fail(n);
	if (!from)
		ot_add_direct(c, api, OT_STEP_FUNCS, to);
	else if (to)
		ot_modify_direct(c, api, OT_STEP_FUNCS, to);
	else
		ot_del_direct(c, api, OT_STEP_FUNCS);
	failed = ot_fail_done();
	c->may_fail = false;
	return !failed;
}

/* Attach to those functions that have no direct call yet. */
static void ot_complete_direct(struct ot_ctx *c, enum ot_api api,
			       const struct ot_tramp *tramp)
{
	unsigned int nr, missing = 0;

	for (nr = 0; OT_STEP_FUNCS & BIT(nr); nr++) {
		if (!c->direct[nr])
			missing |= BIT(nr);
	}
	if (missing)
		ot_add_direct(c, api, missing, tramp);
}

/* Whichever allocation fails: an error, and direct calls as they were. */
static void test_direct_memory(struct ot_ctx *c)
{
	const struct ot_tramp *from = ot_placed(c, 0, 0);
	const struct ot_tramp *to = ot_placed(c, 1, 1);
	unsigned int n, done, failures = 0;
	enum ot_api api;
	char what[40];

	if (ot_fail_start()) {
		c->skip = "no way to have allocations fail";
		return;
	}
	for (api = 0; api < OT_NR_APIS; api++) {
		for (n = 1, done = 0; done < 3 && n < 200 && !c->failed; n++) {
			snprintf(what, sizeof(what), "api %u, allocation %u",
				 api, n);
			done = ot_without_memory(c, n, api, NULL, from);
			ot_step(c, what);
			/* What has failed is possible with memory. */
			ot_complete_direct(c, api, from);
			ot_step(c, what);
			done += ot_without_memory(c, n, api, from, to);
			ot_step(c, what);
			done += ot_without_memory(c, n, api, to, NULL);
			ot_step(c, what);
			ot_del_direct(c, api, OT_STEP_FUNCS);
			ot_step(c, what);
			failures += 3 - done;
		}
	}
	ot_fail_stop();
	ot_note(c, "%u allocations failed one by one", failures);
	ot_expect(c, failures > 0, true, "allocations that failed");
}

/* An ops that changes where a call goes to, and a direct call, exclude. */
static void test_direct_ipmodify(struct ot_ctx *c)
{
	static struct ftrace_ops ipmodify, multi;
	unsigned long ip = ot_func(c->side, OT_SUM2);
	const struct ot_tramp *tramp = ot_placed(c, 0, 0);
	unsigned int api;

	memset(&ipmodify, 0, sizeof(ipmodify));
	ipmodify.func = ot_ipmodify_nothing;
	ipmodify.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
	ot_expect(c, ftrace_set_filter_ip(&ipmodify, ip, 0, 0), 0, "filter");
	for (api = 0; api < OT_NR_APIS; api++) {
		ot_add_direct(c, api, BIT(OT_SUM2), tramp);
		ot_expect(c, register_ftrace_function(&ipmodify), -EBUSY,
			  "api %u: ipmodify second", api);
		ot_step(c, "ipmodify refused");
		ot_del_direct(c, api, BIT(OT_SUM2));
	}

	ot_expect(c, register_ftrace_function(&ipmodify), 0, "ipmodify alone");
	ot_expect(c, register_ftrace_direct(ip, tramp->addr), -EBUSY,
		  "legacy second");
	ot_expect(c, ot_init_multi(&multi, ip), 0, "filter of multi");
	ot_expect(c, register_ftrace_direct_multi(&multi, tramp->addr), -EBUSY,
		  "multi second");
	ftrace_free_filter(&multi);
	ot_step(c, "direct refused");
	ot_expect(c, unregister_ftrace_function(&ipmodify), 0, "unregister");
	ftrace_free_filter(&ipmodify);
	/* Failures must not be in the way later. */
	for (api = 0; api < OT_NR_APIS; api++) {
		ot_add_direct(c, api, BIT(OT_SUM2), tramp);
		ot_step(c, "after failures");
		ot_del_direct(c, api, BIT(OT_SUM2));
	}
}

static void ot_call_gen(struct ot_ctx *c, const struct ot_tramp *tramp,
			unsigned int want, const char *what)
{
	unsigned int i;

	if (!c->load.task)
		atomic64_set(tramp->hits, 0);
	for (i = 0; i < OT_NR_GEN; i++)
		ot_expect(c, c->side->tracees.gen[i](7), 7 * OT_NR_GEN + i,
			  "%s: function %u", what, i);
	if (!c->load.task)
		ot_expect(c, atomic64_read(tramp->hits), want, "%s: hits",
			  what);
}

/*
 * Many functions at once, so that the table of direct functions is replaced by
 * larger ones while sum2() and other() are in it.
 */
static void ot_check_many(struct ot_ctx *c)
{
	static struct ftrace_ops ops;
	const struct ot_tramp *near = ot_placed(c, 0, 1);
	const struct ot_tramp *far = ot_placed(c, 1, 1);
	unsigned int i;
	int err = 0;

	memset(&ops, 0, sizeof(ops));
	for (i = 0; i < OT_NR_GEN; i++) {
		unsigned long ip = (unsigned long)c->side->tracees.gen[i];

		err = err ?: ftrace_set_filter_ip(&ops, ip, 0, 0);
	}
	ot_expect(c, err, 0, "filter");
	ot_call_gen(c, near, 0, "before");
	if (!ot_expect(c, register_ftrace_direct_multi(&ops, near->addr), 0,
		       "register"))
		goto out;
	ot_call_gen(c, near, OT_NR_GEN, "near");
	ot_expect(c, modify_ftrace_direct_multi(&ops, far->addr), 0, "modify");
	ot_call_gen(c, far, OT_NR_GEN, "far");
	ot_step(c, "with many others");
	ot_expect(c, unregister_ftrace_direct_multi(&ops, far->addr), 0,
		  "unregister");
	ot_call_gen(c, far, 0, "after");
out:
	ftrace_free_filter(&ops);
}

static void test_direct_many(struct ot_ctx *c)
{
	ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2), ot_placed(c, 0, 0));
	ot_add_direct(c, OT_MULTI, BIT(OT_OTHER), ot_placed(c, 1, 0));
	ot_check_many(c);
	ot_step(c, "many others gone");
	ot_check_many(c);
}

static void test_direct_random(struct ot_ctx *c)
{
	ot_random(c, ot_toggles, true);
}

/* Direct calls come and go while another CPU keeps calling. */
static void test_load_direct(struct ot_ctx *c)
{
	unsigned int i;
	enum ot_api api;

	ot_load_start(c);
	for (i = 0; i < ot_toggles && !c->failed; i++) {
		api = i % OT_NR_APIS;
		ot_add_direct(c, api, OT_STEP_FUNCS,
			      ot_placed(c, i / 2 % 2, 0));
		ot_step(c, "on");
		ot_del_direct(c, api, OT_STEP_FUNCS);
		ot_step(c, "off");
	}
	ot_load_stop(c);
}

/* The target changes all the time, also while an ops is there. */
static void test_load_modify(struct ot_ctx *c)
{
	unsigned int i;
	enum ot_api api;

	ot_load_start(c);
	for (api = 0; api < OT_NR_APIS; api++) {
		ot_add_direct(c, api, OT_STEP_FUNCS, ot_placed(c, 0, 0));
		for (i = 1; i < ot_toggles / 2 && !c->failed; i++) {
			if (i % 16 == 8)
				ot_add_ops(c, 0, ot_kinds[i / 16 % 3],
					   BIT(OT_SUM2));
			/* Every pair of the four, one after the other. */
			ot_modify_direct(c, api, OT_STEP_FUNCS,
					 ot_placed(c, i & 1, i >> 1 & 1));
			ot_step(c, "modified");
			if (i % 16 == 0)
				ot_del_ops(c, 0);
		}
		ot_detach_all(c);
	}
	ot_load_stop(c);
}

/* The table of direct functions is replaced under the load. */
static void test_load_many(struct ot_ctx *c)
{
	unsigned int i;

	ot_add_direct(c, OT_LEGACY, BIT(OT_SUM2), ot_placed(c, 0, 0));
	ot_add_direct(c, OT_MULTI, BIT(OT_OTHER), ot_placed(c, 1, 0));
	ot_add_ops(c, 0, 0, OT_STEP_FUNCS);
	ot_load_start(c);
	for (i = 0; i < ot_toggles / 10 + 1 && !c->failed; i++)
		ot_check_many(c);
	ot_load_stop(c);
}

static void test_load_random(struct ot_ctx *c)
{
	ot_load_start(c);
	ot_random(c, ot_toggles, true);
	ot_load_stop(c);
}

#define DIRECT	(OT_NEEDS_DIRECT | OT_NEEDS_AWAY)

const struct ot_test ot_direct_tests[] = {
	{ "direct_legacy", DIRECT, test_direct_legacy },
	{ "direct_multi", DIRECT, test_direct_multi },
	{ "direct_two_targets", DIRECT, test_direct_two_targets },
	{ "direct_ops", DIRECT, test_direct_ops },
	{ "direct_two_ops", DIRECT, test_direct_two_ops },
	{ "direct_modify_shared", DIRECT, test_direct_modify_shared },
	{ "direct_args", DIRECT, test_direct_args },
	{ "direct_state", DIRECT, test_direct_state },
	{ "direct_wrap", DIRECT, test_direct_wrap },
	{ "direct_sleep", DIRECT, test_direct_sleep },
	{ "direct_legacy_errors", DIRECT, test_direct_legacy_errors },
	{ "direct_multi_errors", DIRECT, test_direct_multi_errors },
	{ "direct_memory", DIRECT, test_direct_memory },
	{ "direct_ipmodify", DIRECT, test_direct_ipmodify },
	{ "direct_many", DIRECT, test_direct_many },
	{ "direct_random", DIRECT, test_direct_random },
	{ "load_direct", DIRECT, test_load_direct },
	{ "load_modify", DIRECT, test_load_modify },
	{ "load_many", DIRECT, test_load_many },
	{ "load_random", DIRECT, test_load_random },
};

const unsigned int ot_nr_direct_tests = ARRAY_SIZE(ot_direct_tests);

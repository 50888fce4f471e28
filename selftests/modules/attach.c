// SPDX-License-Identifier: GPL-2.0
/*
 * Attach tracers to the tracees, and check that every call of a tracee reaches
 * those which are attached, exactly once, and no others.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "ops_test.h"
#include "regs.h"

/* Offsets of call sites in their functions, as a mask */
#if defined(CONFIG_RISCV)
/* Behind the AUIPC, which is the call site on stock */
#define SITE_OFFSETS	(BIT(4) | BIT(0))
#elif defined(CONFIG_PPC64)
/* Behind what sets the TOC pointer, if there is; an instruction more on stock */
#define SITE_OFFSETS	(BIT(0) | BIT(8) | BIT(4) | BIT(12))
#else
/* BTI C comes first in a function that may be called indirectly. */
#define SITE_OFFSETS	(BIT(4) | BIT(8))
#endif

static const char * const ot_api_names[] = {
	[OT_LEGACY]	= "legacy",
	[OT_MULTI]	= "multi",
};

/**
 * ot_func - address of a tracee
 * @side: the module that has it
 * @nr: which one, see &enum ot_func
 *
 * Return: the address.
 */
unsigned long ot_func(const struct ot_side *side, unsigned int nr)
{
	const struct ot_tracees *t = &side->tracees;

	switch (nr) {
	case OT_SUM2: return (unsigned long)t->sum2;
	case OT_OTHER: return (unsigned long)t->other;
	case OT_SUM9: return (unsigned long)t->sum9;
	case OT_PTR: return (unsigned long)t->ptr;
	case OT_BY_VALUE: return (unsigned long)t->by_value;
	case OT_BY_REF: return (unsigned long)t->by_ref;
	case OT_RET16: return (unsigned long)t->ret16;
	default: return (unsigned long)t->ret_big;
	}
}

/**
 * ot_in_range - can a BL at one address reach the other?
 * @from: address of the branch
 * @to: where it is to go
 *
 * Return: true if the distance is at most 128 MiB; never on powerpc and riscv,
 *	   where no call site branches to anything but the entry of ftrace.
 */
bool ot_in_range(unsigned long from, unsigned long to)
{
	const long range = IS_ENABLED(CONFIG_ARM64) ? SZ_128M : 0;
	long offset = to - from;

	return offset >= -range && offset < range;
}

/* Does an ops get registers only if it asked for them? */
#define REGS_ARE_EXTRA							\
	(IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS) &&		\
	 (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) ||		\
	  !IS_ENABLED(CONFIG_RISCV)))

/* Registers that are wrong, or NULL. */
static const char *ot_bad_regs(const struct ot_ctx *c, unsigned long ip,
			       unsigned long parent_ip, bool all,
			       const struct pt_regs *regs)
{
	unsigned long stack = (unsigned long)task_stack_page(current);
	unsigned int i;

	if (regs_pc(regs) != ip + 4)
		return "pc";
	if (regs_lr(regs) != parent_ip)
		return "lr";
	if (regs_sp(regs) < stack || regs_sp(regs) >= stack + THREAD_SIZE)
		return "sp";
	if (!c->in_valid)
		return NULL;
	for (i = 0; i < OT_NR_ARGS; i++) {
		if (regs_arg(regs, i) != c->in.x[i])
			return "arguments";
	}
	for (i = 0; all && i < OT_NR_SAVED; i++) {
		if (regs_saved(regs, i) != c->in.saved[i])
			return "registers to be preserved";
	}
	return NULL;
}

/* The same for who did not ask for them: there are arguments, nevertheless. */
static const char *ot_bad_args(const struct ot_ctx *c, struct ftrace_regs *fregs)
{
#ifdef ftrace_regs_get_argument
	unsigned int i;

	/* There may be another register that gets restored. */
	for (i = 0; c->in_valid && i < 8; i++) {
		if (ftrace_regs_get_argument(fregs, i) != c->in.x[i])
			return "arguments without registers";
	}
#endif
	return NULL;
}

static int ot_func_of_ip(const struct ot_ctx *c, unsigned long ip)
{
	unsigned int nr;
	long offset;

	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		offset = ip - ot_func(c->side, nr);
		if (offset >= 0 && offset < 16 && (SITE_OFFSETS & BIT(offset)))
			return nr;
	}
	return -1;
}

static void ot_callback(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ot_ops *o = container_of(op, struct ot_ops, ops);
	struct ot_ctx *c = o->ctx;
	struct pt_regs *regs = ftrace_get_regs(fregs);
	const char *bad;
	int nr;

	if (current != c->task) {
		atomic64_inc(&o->others);
		return;
	}
	nr = ot_func_of_ip(c, ip);
	if (nr < 0) {
		o->bad_what = "ip";
		o->bad++;
		return;
	}
	o->hits[nr]++;
	bad = ot_bad_args(c, fregs);
	if (!regs)
		o->no_regs++;
	else if (!bad)
		bad = ot_bad_regs(c, ip, parent_ip,
				  op->flags & FTRACE_OPS_FL_SAVE_REGS, regs);
	if (c->in_valid && parent_ip != (unsigned long)ot_call_asm_ret)
		bad = "parent_ip";
	if (bad) {
		o->bad_what = bad;
		o->bad++;
	}
	if (o->recurse && o->depth < OT_MAX_DEPTH) {
		o->depth++;
		ot_call(c, nr);
		o->depth--;
	}
}

/*
 * Note which functions may have all registers saved: those that an ops with
 * SAVE_REGS traces, and those that such an ops left by a change of its filter
 * while another one stayed, as ftrace then errs on the safe side.
 */
static void ot_update_regs(struct ot_ctx *c)
{
	unsigned int i, nr;
	bool traced;

	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		traced = c->direct[nr];
		for (i = 0; i < OT_NR_OPS; i++) {
			if (!c->ops[i].registered ||
			    !(c->ops[i].funcs & BIT(nr)))
				continue;
			traced = true;
			if (c->ops[i].ops.flags & FTRACE_OPS_FL_SAVE_REGS)
				c->regs |= BIT(nr);
		}
		if (!traced)
			c->regs &= ~BIT(nr);
	}
}

/* Has a direct call changed? If memory may be short, it need not. */
static bool ot_changed(struct ot_ctx *c, int err, enum ot_api api,
		       const char *what, unsigned int nr)
{
	if (c->may_fail && err == -ENOMEM)
		return false;
	return ot_expect(c, err, 0, "%s: %s for function %u", ot_api_names[api],
			 what, nr);
}

/**
 * ot_set_filter - change the functions that an ops traces
 * @c: the test
 * @i: number of the ops, registered or not
 * @funcs: mask of functions; not 0, which would be all of the kernel
 */
void ot_set_filter(struct ot_ctx *c, unsigned int i, unsigned int funcs)
{
	struct ot_ops *o = &c->ops[i];
	unsigned int nr;

	/* Add first: an empty filter in between would trace everything. */
	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		if (funcs & ~o->funcs & BIT(nr))
			ot_expect(c, ftrace_set_filter_ip(&o->ops,
							  ot_func(c->side, nr),
							  0, 0),
				  0, "ops %u: add function %u", i, nr);
	}
	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		if (o->funcs & ~funcs & BIT(nr))
			ot_expect(c, ftrace_set_filter_ip(&o->ops,
							  ot_func(c->side, nr),
							  1, 0),
				  0, "ops %u: remove function %u", i, nr);
	}
	o->funcs = funcs;
	ot_update_regs(c);
}

/**
 * ot_add_ops - register an ops
 * @c: the test
 * @i: number of the ops
 * @flags: FTRACE_OPS_FL_*
 * @funcs: mask of functions to trace
 */
void ot_add_ops(struct ot_ctx *c, unsigned int i, unsigned long flags,
		unsigned int funcs)
{
	struct ot_ops *o = &c->ops[i];
	int err;

	memset(o, 0, sizeof(*o));
	o->ctx = c;
	o->ops.func = ot_callback;
	o->ops.flags = flags;
	ot_set_filter(c, i, funcs);
	if (c->no_memory)
		ot_fail(OT_FAIL_ALL);
	err = register_ftrace_function(&o->ops);
	if (c->no_memory)
		ot_fail_done();
	if (ot_expect(c, err, 0, "ops %u: register", i))
		o->registered = true;
	else
		ftrace_free_filter(&o->ops);
	ot_update_regs(c);
}

/**
 * ot_del_ops - unregister an ops
 * @c: the test
 * @i: number of the ops
 */
void ot_del_ops(struct ot_ctx *c, unsigned int i)
{
	struct ot_ops *o = &c->ops[i];

	if (!o->registered)
		return;
	ot_expect(c, unregister_ftrace_function(&o->ops), 0,
		  "ops %u: unregister", i);
	ftrace_free_filter(&o->ops);
	o->registered = false;
	if (o->ops.flags & FTRACE_OPS_FL_SAVE_REGS)
		c->regs &= ~o->funcs;
	ot_update_regs(c);
}

static int ot_register_multi(struct ot_ctx *c, unsigned int funcs,
			     const struct ot_tramp *tramp)
{
	unsigned int nr;
	int err = 0;

	memset(&c->multi, 0, sizeof(c->multi));
	for (nr = 0; nr < OT_NR_FUNCS && !err; nr++) {
		if (funcs & BIT(nr))
			err = ftrace_set_filter_ip(&c->multi,
						   ot_func(c->side, nr), 0, 0);
	}
	if (!err)
		err = register_ftrace_direct_multi(&c->multi, tramp->addr);
	if (err)
		ftrace_free_filter(&c->multi);
	else
		c->multi_funcs = funcs;
	return err;
}

/**
 * ot_add_direct - make calls of functions go to a trampoline
 * @c: the test
 * @api: the interface to use
 * @funcs: mask of functions
 * @tramp: the trampoline
 */
void ot_add_direct(struct ot_ctx *c, enum ot_api api, unsigned int funcs,
		   const struct ot_tramp *tramp)
{
	unsigned int nr;
	int err = 0;

	if (api == OT_MULTI)
		err = ot_register_multi(c, funcs, tramp);
	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		if (!(funcs & BIT(nr)))
			continue;
		if (api == OT_LEGACY)
			err = register_ftrace_direct(ot_func(c->side, nr),
						     tramp->addr);
		if (ot_changed(c, err, api, "register", nr)) {
			c->direct[nr] = tramp;
			c->direct_api[nr] = api;
		}
	}
}

/**
 * ot_modify_direct - change where direct calls go to
 * @c: the test
 * @api: the interface which made them
 * @funcs: mask of functions; %OT_MULTI can only change all at once
 * @tramp: the new trampoline
 */
void ot_modify_direct(struct ot_ctx *c, enum ot_api api, unsigned int funcs,
		      const struct ot_tramp *tramp)
{
	unsigned int nr;
	int err = 0;

	if (api == OT_MULTI) {
		funcs = c->multi_funcs;
		err = modify_ftrace_direct_multi(&c->multi, tramp->addr);
	}
	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		if (!(funcs & BIT(nr)) || !c->direct[nr])
			continue;
		if (api == OT_LEGACY)
			err = modify_ftrace_direct(ot_func(c->side, nr),
						   c->direct[nr]->addr,
						   tramp->addr);
		if (ot_changed(c, err, api, "modify", nr))
			c->direct[nr] = tramp;
	}
}

/**
 * ot_del_direct - end direct calls
 * @c: the test
 * @api: the interface which made them
 * @funcs: mask of functions; %OT_MULTI can only end all at once
 */
void ot_del_direct(struct ot_ctx *c, enum ot_api api, unsigned int funcs)
{
	unsigned int nr;
	int err = 0;

	if (api == OT_MULTI) {
		if (!c->multi_funcs)
			return;
		for (nr = 0; !(c->multi_funcs & BIT(nr)); nr++)
			;
		err = unregister_ftrace_direct_multi(&c->multi,
						     c->direct[nr]->addr);
		if (err == -ENOMEM && c->may_fail)
			return;
		ftrace_free_filter(&c->multi);
		funcs = c->multi_funcs;
		c->multi_funcs = 0;
	}
	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		if (!(funcs & BIT(nr)) || !c->direct[nr])
			continue;
		if (api == OT_LEGACY)
			err = unregister_ftrace_direct(ot_func(c->side, nr),
						       c->direct[nr]->addr);
		if (ot_changed(c, err, api, "unregister", nr) || !c->may_fail)
			c->direct[nr] = NULL;
	}
}

/**
 * ot_detach_all - detach whatever is still attached
 * @c: the test
 */
void ot_detach_all(struct ot_ctx *c)
{
	unsigned int i, nr;

	for (i = 0; i < OT_NR_OPS; i++)
		ot_del_ops(c, i);
	ot_del_direct(c, OT_MULTI, 0);
	for (nr = 0; nr < OT_NR_FUNCS; nr++)
		ot_del_direct(c, OT_LEGACY, BIT(nr));
}

/* The trampolines of both sides by number; NULL behind the last one. */
static const struct ot_tramp *ot_any_tramp(const struct ot_ctx *c,
					   unsigned int i)
{
	const struct ot_tramp *const all[] = {
		&c->side->count[0], &c->away->count[0],
		&c->side->count[1], &c->away->count[1],
		&c->side->state, &c->away->state,
		&c->side->wrap, &c->away->wrap,
		&c->side->clobber, &c->away->clobber,
	};

	return i < ARRAY_SIZE(all) ? all[i] : NULL;
}

/**
 * ot_reset_hits - set all counters of calls to zero
 * @c: the test
 */
void ot_reset_hits(struct ot_ctx *c)
{
	const struct ot_tramp *tramp;
	unsigned int i;

	for (i = 0; i < OT_NR_OPS; i++) {
		memset(c->ops[i].hits, 0, sizeof(c->ops[i].hits));
		c->ops[i].no_regs = 0;
		c->ops[i].bad = 0;
	}
	for (i = 0; (tramp = ot_any_tramp(c, i)); i++)
		atomic64_set(tramp->hits, 0);
}

static void ot_check_tramp(struct ot_ctx *c, const struct ot_tramp *tramp,
			   unsigned int nr, const char *what)
{
	s64 want = c->direct[nr] == tramp ? OT_CALLS : 0;
	s64 hits = atomic64_read(tramp->hits);

	/* The counters of trampolines do not tell tasks apart. */
	if (c->load.task && hits > want)
		return;
	ot_expect(c, hits, want, "%s: function %u: hits of %ps", what, nr,
		  (void *)tramp->addr);
}

/* After OT_CALLS calls of one function: did everybody get its share? */
static void ot_compare(struct ot_ctx *c, const char *what, unsigned int nr)
{
	const struct ot_tramp *tramp;
	unsigned int i, f, want;
	struct ot_ops *o;

	for (i = 0; i < OT_NR_OPS; i++) {
		o = &c->ops[i];
		for (f = 0; f < OT_NR_FUNCS; f++) {
			want = f == nr && o->registered &&
			       (o->funcs & BIT(nr)) ? OT_CALLS : 0;
			ot_expect(c, o->hits[f], want,
				  "%s: function %u: hits of ops %u for function %u",
				  what, nr, i, f);
		}
		ot_expect(c, o->bad, 0, "%s: function %u: ops %u got a bad %s",
			  what, nr, i, o->bad_what);
		if (o->ops.flags & FTRACE_OPS_FL_SAVE_REGS)
			ot_expect(c, o->no_regs, 0,
				  "%s: function %u: ops %u got no registers",
				  what, nr, i);
		else if (REGS_ARE_EXTRA && !(c->regs & BIT(nr)))
			ot_expect(c, o->no_regs, o->hits[nr],
				  "%s: function %u: calls of ops %u without registers",
				  what, nr, i);
	}
	for (i = 0; (tramp = ot_any_tramp(c, i)); i++)
		ot_check_tramp(c, tramp, nr, what);

	if (c->load.task)
		ot_expect(c, atomic64_read(&c->load.wrong), 0,
			  "%s: wrong return values under load", what);
}

static bool ot_is_wrap(const struct ot_ctx *c, const struct ot_tramp *tramp)
{
	return tramp && (tramp == &c->side->wrap || tramp == &c->away->wrap);
}

/**
 * ot_call_at - call a function of the test's side by ot_call_asm()
 * @c: the test
 * @nr: %OT_SUM2, %OT_OTHER or %OT_SUM9
 * @addr: where to begin
 *
 * Return: what it returned, cut to 32 bits for those returning an int.
 */
u64 ot_call_at(struct ot_ctx *c, unsigned int nr, unsigned long addr)
{
	bool outer = !c->in_valid;
	struct ot_call call;
	unsigned int i;

	if (outer) {
		for (i = 0; i < ARRAY_SIZE(c->in.x); i++)
			c->in.x[i] = 0x5500 + 7 * i;
		for (i = 0; i < ARRAY_SIZE(c->in.saved); i++)
			c->in.saved[i] = 0x1122334400000000 + i;
		c->in.stack = 0x9999;
		c->in_valid = true;
	}
	call = c->in;
	ot_call_asm(addr, &call);
	if (outer)
		c->in_valid = false;

	for (i = 0; i < ARRAY_SIZE(c->in.saved); i++)
		ot_expect(c, call.saved[i], c->in.saved[i],
			  "function %u: register %u after the call", nr,
			  OT_FIRST_SAVED + i);
	ot_expect(c, call.fp, call.sp,
		  "function %u: frame and stack pointer after the call", nr);
	return nr == OT_SUM9 ? call.x[0] : (u32)call.x[0];
}

/* The same from the start of the function on */
u64 ot_call(struct ot_ctx *c, unsigned int nr)
{
	return ot_call_at(c, nr, ot_func(c->side, nr));
}

/**
 * ot_step - call sum2() and other(), and check all there is to check
 * @c: the test
 * @what: what was done last, for messages
 */
void ot_step(struct ot_ctx *c, const char *what)
{
	unsigned int nr, i;
	u32 want;

	for (nr = 0; OT_STEP_FUNCS & BIT(nr); nr++) {
		ot_reset_hits(c);
		for (i = 0; i < OT_CALLS + ot_extra_calls; i++) {
			u32 got = ot_call(c, nr);

			want = nr == OT_SUM2 ? c->in.x[0] + c->in.x[1] :
			       c->in.x[0] - c->in.x[1];
			if (ot_is_wrap(c, c->direct[nr]))
				want += OT_WRAP_ADDS;
			ot_expect(c, got, want, "%s: function %u returned",
				  what, nr);
		}
		ot_compare(c, what, nr);
	}
	/* A test may take minutes: what others wait for must not. */
	cond_resched_tasks_rcu_qs();
}

static void ot_check_one_arg(struct ot_ctx *c, const char *what,
			     unsigned int nr)
{
	static const char text[] = "a string";
	const struct ot_tracees *t = &c->side->tracees;
	struct ot_big big = { .v = { 3, 1000, 4, 5, 1000000 } };
	struct ot_pair pair = { .lo = 0x12345678, .hi = 0x9abcdef0 };

	switch (nr) {
	case OT_SUM9:
		ot_expect(c, t->sum9(1, 20, 300, 4000, 50000, 600000, 7000000,
				     80000000, 900000000),
			  1 + 40 + 900 + 16000 + 250000 + 3600000 + 49000000 +
			  640000000 + 8100000000, "%s: nine arguments", what);
		break;
	case OT_PTR:
		ot_expect(c, t->ptr(&big, text) - text, 3, "%s: pointers",
			  what);
		break;
	case OT_BY_VALUE:
		ot_expect(c, t->by_value(pair, 16),
			  16 * 0x12345678ULL + 0x9abcdef0,
			  "%s: structure by value", what);
		break;
	case OT_BY_REF:
		ot_expect(c, t->by_ref(big, 7), 3 + 7000 + 49000000,
			  "%s: large structure by value", what);
		break;
	case OT_RET16:
		pair = t->ret16(17, 18);
		ot_expect(c, pair.lo, 18, "%s: structure returned, x0", what);
		ot_expect(c, pair.hi, 17, "%s: structure returned, x1", what);
		break;
	case OT_RET_BIG:
		big = t->ret_big(90, 12);
		ot_expect(c, big.v[0], 90, "%s: large structure [0]", what);
		ot_expect(c, big.v[1], 12, "%s: large structure [1]", what);
		ot_expect(c, big.v[2], 102, "%s: large structure [2]", what);
		ot_expect(c, big.v[3], 78, "%s: large structure [3]", what);
		ot_expect(c, big.v[4], 86, "%s: large structure [4]", what);
		break;
	}
}

/**
 * ot_check_args - check that arguments and return values get through
 * @c: the test
 * @what: what is attached, for messages
 */
void ot_check_args(struct ot_ctx *c, const char *what)
{
	unsigned int nr, i;

	for (nr = 0; nr < OT_NR_FUNCS; nr++) {
		if (!(OT_ARGS_FUNCS & BIT(nr)))
			continue;
		ot_reset_hits(c);
		for (i = 0; i < OT_CALLS + ot_extra_calls; i++)
			ot_check_one_arg(c, what, nr);
		ot_compare(c, what, nr);
	}
	ot_step(c, what);
}

/* Any trampoline other than @not; away from the tracees half of the time. */
static const struct ot_tramp *ot_random_tramp(struct ot_ctx *c,
					      struct rnd_state *rnd,
					      const struct ot_tramp *not)
{
	const struct ot_tramp *tramp;

	do {
		u32 r = prandom_u32_state(rnd);
		const struct ot_side *side = r & 1 ? c->side : c->away;

		tramp = (r >> 1) % 3 == 2 ? &side->wrap :
			ot_tramp(side, (r >> 1) % 3);
	} while (tramp == not);
	return tramp;
}

static void ot_random_direct(struct ot_ctx *c, struct rnd_state *rnd,
			     char *what, size_t size)
{
	unsigned int nr = prandom_u32_state(rnd) & 1, funcs = BIT(nr);
	const struct ot_tramp *old = c->direct[nr];
	enum ot_api api;

	if (old) {
		api = c->direct_api[nr];
		if (prandom_u32_state(rnd) & 1) {
			snprintf(what, size, "modify %s for %u",
				 ot_api_names[api], nr);
			ot_modify_direct(c, api, funcs,
					 ot_random_tramp(c, rnd, old));
		} else {
			snprintf(what, size, "delete %s for %u",
				 ot_api_names[api], nr);
			ot_del_direct(c, api, funcs);
		}
		return;
	}
	api = prandom_u32_state(rnd) % OT_NR_APIS;
	if (c->multi_funcs)
		api = OT_LEGACY;
	else if (api == OT_MULTI && !c->direct[!nr] &&
		 prandom_u32_state(rnd) & 1)
		funcs = OT_STEP_FUNCS;
	snprintf(what, size, "add %s for mask %u", ot_api_names[api], funcs);
	ot_add_direct(c, api, funcs, ot_random_tramp(c, rnd, NULL));
}

static void ot_random_ops(struct ot_ctx *c, struct rnd_state *rnd, char *what,
			  size_t size)
{
	unsigned int i = prandom_u32_state(rnd) % OT_NR_OPS;
	unsigned int funcs = 1 + prandom_u32_state(rnd) % OT_STEP_FUNCS;
	u32 r = prandom_u32_state(rnd);
	unsigned long flags = 0;

	if (c->ops[i].registered && r & 1) {
		snprintf(what, size, "ops %u to mask %u", i, funcs);
		ot_set_filter(c, i, funcs);
	} else if (c->ops[i].registered) {
		snprintf(what, size, "delete ops %u", i);
		ot_del_ops(c, i);
	} else {
		if (r & 2)
			flags |= FTRACE_OPS_FL_RECURSION;
		if ((r & 12) == 12)
			flags |= FTRACE_OPS_FL_SAVE_REGS;
		snprintf(what, size, "add ops %u, flags %lx, mask %u", i, flags,
			 funcs);
		ot_add_ops(c, i, flags, funcs);
	}
}

/**
 * ot_random - attach and detach at random, and check after every step
 * @c: the test
 * @steps: number of steps
 * @direct: use direct calls, too
 */
void ot_random(struct ot_ctx *c, unsigned int steps, bool direct)
{
	struct rnd_state rnd;
	unsigned int i, len;
	char what[80];

	prandom_seed_state(&rnd, ot_seed);
	for (i = 0; i < steps && !c->failed; i++) {
		len = snprintf(what, sizeof(what), "seed %u, step %u: ",
			       ot_seed, i);
		if (direct && prandom_u32_state(&rnd) & 1)
			ot_random_direct(c, &rnd, what + len,
					 sizeof(what) - len);
		else
			ot_random_ops(c, &rnd, what + len, sizeof(what) - len);
		ot_step(c, what);
	}
	ot_detach_all(c);
	ot_step(c, "after all");
}

/* A direct call to "wrap" may come and go at any time. */
static bool ot_load_is_wrong(int got, int want)
{
	return got != want && got != want + OT_WRAP_ADDS;
}

static int ot_load_thread(void *arg)
{
	struct ot_load *load = arg;
	const struct ot_tracees *t = &load->side->tracees;
	unsigned int n = 0, wrong;
	struct ot_big big;

	while (!kthread_should_stop()) {
		wrong = ot_load_is_wrong(t->sum2(n, 5), n + 5);
		wrong += ot_load_is_wrong(t->other(n, 5), n - 5);
		wrong += t->sum9(n, 0, 0, 0, 0, 0, 0, 0, 1) != n + 9;
		big = t->ret_big(n, 1);
		wrong += big.v[0] != n || big.v[2] != n + 1;
		wrong += t->gen[n % OT_NR_GEN](n) !=
			 n * OT_NR_GEN + n % OT_NR_GEN;
		if (wrong)
			atomic64_add(wrong, &load->wrong);
		atomic64_add(5, &load->calls);
		if (++n == SZ_1M)
			n = 0;
		/* Without this, unregistering would wait for the end. */
		if (!(n % 64))
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/**
 * ot_load_start - have the tracees called all the time on another CPU
 * @c: the test
 *
 * With a single CPU the calls are interrupted by the test instead.
 */
void ot_load_start(struct ot_ctx *c)
{
	struct task_struct *task;

	c->load.side = c->side;
	atomic64_set(&c->load.calls, 0);
	atomic64_set(&c->load.wrong, 0);
	task = kthread_create(ot_load_thread, &c->load, "ftrace_ops_load");
	if (!ot_expect(c, PTR_ERR_OR_ZERO(task), 0, "start the load"))
		return;
	kthread_bind(task, cpumask_last(cpu_online_mask));
	c->load.task = task;
	wake_up_process(task);
}

/**
 * ot_load_continue - wait until the load has called tracees once more
 * @c: the test
 */
void ot_load_continue(struct ot_ctx *c)
{
	s64 calls = atomic64_read(&c->load.calls);
	int ms;

	for (ms = 0; c->load.task && ms < 10000; ms++) {
		if (atomic64_read(&c->load.calls) != calls)
			break;
		msleep(1);
	}
}

/**
 * ot_load_stop - end what ot_load_start() started
 * @c: the test
 */
void ot_load_stop(struct ot_ctx *c)
{
	s64 calls;

	if (!c->load.task)
		return;
	kthread_stop(c->load.task);
	c->load.task = NULL;
	calls = atomic64_read(&c->load.calls);
	ot_note(c, "%lld calls under load", calls);
	ot_expect(c, calls > 0, true, "calls under load");
	ot_expect(c, atomic64_read(&c->load.wrong), 0,
		  "wrong return values under load");
}

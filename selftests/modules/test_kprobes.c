// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of kprobes on the entry of a function. They hold for breakpoints as well
 * as for kprobes that are called by ftrace.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ops_test.h"
#include "regs.h"

/* In registers, so that no two of them have the same value */
#define OT_VALUE(i)	(0x1111111100000000ULL + 0x100 * (i))

/* What the pre_handler does */
enum ot_probe_action {
	OT_WATCH,
	OT_WRITE_ARG,		/* changes an argument */
	OT_WRITE_SAVED,		/* changes what a function preserves */
	OT_OVERRIDE,		/* returns instead of the function */
	OT_REDIRECT,		/* goes to another function */
};

/**
 * struct ot_probe - a kprobe whose handlers check what they are given
 * @kp: what kprobes know
 * @c: the test it belongs to
 * @action: what the pre_handler does
 * @hits: calls of the pre_handler
 * @posts: calls of the post_handler
 * @bad: of these calls the ones with something wrong
 * @bad_what: what was wrong in the last of them
 */
struct ot_probe {
	struct kprobe kp;
	struct ot_ctx *c;
	enum ot_probe_action action;
	unsigned int hits;
	unsigned int posts;
	unsigned int bad;
	const char *bad_what;
};

static void ot_probe_bad(struct ot_probe *p, const char *what)
{
	p->bad++;
	p->bad_what = what;
}

static int ot_probe_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct ot_probe *p = container_of(kp, struct ot_probe, kp);
	unsigned int i;

	if (current != p->c->task)
		return 0;

	p->hits++;
	if (regs_pc(regs) != (unsigned long)kp->addr)
		ot_probe_bad(p, "pc");
	if (regs_arg(regs, 1) != OT_VALUE(1) + 1)
		ot_probe_bad(p, "second argument");
	for (i = 0; i < OT_NR_SAVED; i++)
		if (regs_saved(regs, i) != OT_VALUE(16 + i))
			ot_probe_bad(p, "preserved register");
	if (regs_lr(regs) != (unsigned long)ot_call_asm_ret)
		ot_probe_bad(p, "return address");
	if (preemptible())
		ot_probe_bad(p, "preemption");
	if (user_mode(regs))
		ot_probe_bad(p, "mode");

	switch (p->action) {
	case OT_WATCH:
		break;
	case OT_WRITE_ARG:
		regs_arg(regs, 0) += 1000;
		break;
	case OT_WRITE_SAVED:
		for (i = 0; i < OT_NR_SAVED; i++)
			regs_saved(regs, i) += 7;
		break;
	case OT_OVERRIDE:
		regs_set_return_value(regs, 4711);
		instruction_pointer_set(regs, regs_lr(regs));
		return 1;
	case OT_REDIRECT:
		instruction_pointer_set(regs, ot_func(p->c->side, OT_OTHER));
#ifdef CONFIG_PPC64
		regs->gpr[12] = regs->nip;
#endif
		return 1;
	}
	return 0;
}

static void ot_probe_post(struct kprobe *kp, struct pt_regs *regs,
			  unsigned long flags)
{
	struct ot_probe *p = container_of(kp, struct ot_probe, kp);

	if (current != p->c->task)
		return;

	p->posts++;
	if (regs_pc(regs) != (unsigned long)kp->addr + 4)
		ot_probe_bad(p, "pc afterwards");
}

static bool ot_add_probe(struct ot_probe *p, struct ot_ctx *c,
			 unsigned long addr, enum ot_probe_action action,
			 bool post)
{
	memset(p, 0, sizeof(*p));
	p->c = c;
	p->action = action;
	p->kp.addr = (kprobe_opcode_t *)addr;
	p->kp.pre_handler = ot_probe_pre;
	if (post)
		p->kp.post_handler = ot_probe_post;
	return ot_expect(c, register_kprobe(&p->kp), 0, "register");
}

/* Call sum2() with a known value in each register. */
static u64 ot_probe_call(struct ot_ctx *c, struct ot_call *call)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(call->x); i++)
		call->x[i] = OT_VALUE(i) + i;
	call->stack = 0;
	for (i = 0; i < OT_NR_SAVED; i++)
		call->saved[i] = OT_VALUE(16 + i);
	ot_call_asm(ot_func(c->side, OT_SUM2), call);
	return (u32)call->x[0];
}

/* Call it, and expect a return value and what the registers hold then. */
static void ot_probe_calls(struct ot_ctx *c, u32 ret, u64 more,
			   const char *what)
{
	struct ot_call call;
	unsigned int i, j;

	for (i = 0; i < OT_CALLS; i++) {
		ot_expect(c, ot_probe_call(c, &call), ret, "%s: returned",
			  what);
		for (j = 0; j < OT_NR_SAVED; j++)
			ot_expect(c, call.saved[j], OT_VALUE(16 + j) + more,
				  "%s: preserved register %u", what, j);
		ot_expect(c, call.sp, call.fp, "%s: stack", what);
	}
}

static void ot_probe_expect(struct ot_ctx *c, struct ot_probe *p,
			    unsigned int hits, unsigned int posts,
			    const char *what)
{
	ot_expect(c, p->hits, hits, "%s: hits", what);
	ot_expect(c, p->posts, posts, "%s: hits of the post_handler", what);
	ot_expect(c, p->bad, 0, "%s: bad %s", what,
		  p->bad_what ?: "nothing");
	ot_expect(c, p->kp.nmissed, 0, "%s: missed", what);
	p->hits = 0;
	p->posts = 0;
}

#define OT_PROBE_SUM	((u32)(OT_VALUE(0) + OT_VALUE(1) + 1))

/* One, two, one disabled, none; alone, and beside ops of all kinds. */
static void ot_probes(struct ot_ctx *c, const char *what)
{
	static struct ot_probe p, q;
	unsigned long func = ot_func(c->side, OT_SUM2);

	if (!ot_add_probe(&p, c, func, OT_WATCH, false))
		return;
	ot_probe_calls(c, OT_PROBE_SUM, 0, what);
	ot_probe_expect(c, &p, OT_CALLS, 0, what);

	ot_expect(c, disable_kprobe(&p.kp), 0, "disable");
	ot_probe_calls(c, OT_PROBE_SUM, 0, what);
	ot_probe_expect(c, &p, 0, 0, "disabled");
	ot_expect(c, enable_kprobe(&p.kp), 0, "enable");

	if (!ot_add_probe(&q, c, func, OT_WATCH, true))
		goto out;
	ot_expect(c, (long)q.kp.addr, (long)p.kp.addr, "place of the second");
	ot_probe_calls(c, OT_PROBE_SUM, 0, what);
	ot_probe_expect(c, &p, OT_CALLS, 0, "first of two");
	ot_probe_expect(c, &q, OT_CALLS, OT_CALLS, "second of two");

	ot_expect(c, disable_kprobe(&p.kp), 0, "disable the first");
	ot_probe_calls(c, OT_PROBE_SUM, 0, what);
	ot_probe_expect(c, &p, 0, 0, "first disabled");
	ot_probe_expect(c, &q, OT_CALLS, OT_CALLS, "second left");
	ot_expect(c, enable_kprobe(&p.kp), 0, "enable the first");
	unregister_kprobe(&q.kp);
out:
	ot_probe_calls(c, OT_PROBE_SUM, 0, what);
	ot_probe_expect(c, &p, OT_CALLS, 0, "first again");
	unregister_kprobe(&p.kp);
	ot_probe_calls(c, OT_PROBE_SUM, 0, what);
	ot_probe_expect(c, &p, 0, 0, "unregistered");
}

static void test_kprobes(struct ot_ctx *c)
{
	ot_probes(c, "alone");
	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	ot_probes(c, "with an ops");
	ot_add_ops(c, 1, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_SUM2));
	ot_probes(c, "with two ops");
	ot_del_ops(c, 0);
	ot_probes(c, "with an ops that needs registers");
	ot_del_ops(c, 1);
}

/* Where the livepatch stack of this task ends, if it has one */
static unsigned long ot_livepatch_sp(void)
{
#ifdef CONFIG_LIVEPATCH_64
	return (unsigned long)task_thread_info(current)->livepatch_sp;
#else
	return 0;
#endif
}

/* What handlers write to the registers is what the function goes on with. */
static void ot_write(struct ot_ctx *c, bool post)
{
	static struct ot_probe p;
	unsigned long func = ot_func(c->side, OT_SUM2);
	unsigned int posts = post ? OT_CALLS : 0;
	unsigned long sp;

	if (ot_add_probe(&p, c, func, OT_WRITE_ARG, post)) {
		ot_probe_calls(c, OT_PROBE_SUM + 1000, 0, "argument");
		ot_probe_expect(c, &p, OT_CALLS, posts, "argument");
		unregister_kprobe(&p.kp);
	}
	/* The handlers of ftrace do without on powerpc. */
	if (!IS_ENABLED(CONFIG_PPC64) &&
	    ot_add_probe(&p, c, func, OT_WRITE_SAVED, post)) {
		ot_probe_calls(c, OT_PROBE_SUM, 7, "preserved");
		ot_probe_expect(c, &p, OT_CALLS, posts, "preserved");
		unregister_kprobe(&p.kp);
	}
	if (ot_add_probe(&p, c, func, OT_OVERRIDE, post)) {
		sp = ot_livepatch_sp();
		ot_probe_calls(c, 4711, 0, "override");
		ot_probe_expect(c, &p, OT_CALLS, 0, "override");
		ot_expect(c, ot_livepatch_sp() - sp, 0,
			  "override: left on the livepatch stack");
		unregister_kprobe(&p.kp);
	}
	ot_probe_calls(c, OT_PROBE_SUM, 0, "unregistered");
}

static void test_kprobes_write(struct ot_ctx *c)
{
	ot_write(c, false);
	ot_write(c, true);
	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	ot_write(c, false);
	ot_del_ops(c, 0);
}

#define OT_PROBE_DIFFERENCE	((u32)(OT_VALUE(0) - OT_VALUE(1) - 1))

/* What a handler tells to be called instead is, also if there is a direct call. */
static void test_kprobes_redirect(struct ot_ctx *c)
{
	static struct ot_probe p;
	unsigned long func = ot_func(c->side, OT_SUM2);

	if (!ot_add_probe(&p, c, func, OT_REDIRECT, false))
		return;
	ot_probe_calls(c, OT_PROBE_DIFFERENCE, 0, "redirect");
	ot_probe_expect(c, &p, OT_CALLS, 0, "redirect");
	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	ot_probe_calls(c, OT_PROBE_DIFFERENCE, 0, "redirect, traced");
	ot_probe_expect(c, &p, OT_CALLS, 0, "redirect, traced");
	ot_del_ops(c, 0);
	ot_add_direct(c, OT_MULTI, BIT(OT_SUM2), &c->side->count[0]);
	ot_probe_calls(c, OT_PROBE_DIFFERENCE, 0, "redirect, direct call");
	ot_probe_expect(c, &p, OT_CALLS, 0, "redirect, direct call");
	ot_del_direct(c, OT_MULTI, BIT(OT_SUM2));
	unregister_kprobe(&p.kp);
	ot_probe_calls(c, OT_PROBE_SUM, 0, "unregistered");
}

/* At each of the first instructions, whatever is done with the call site. */
static void test_kprobes_offset(struct ot_ctx *c)
{
	static struct ot_probe p;
	unsigned long func = ot_func(c->side, OT_SUM2);
	unsigned int offset;

	for (offset = 0; offset <= 12; offset += 4) {
		memset(&p, 0, sizeof(p));
		p.c = c;
		p.kp.addr = (kprobe_opcode_t *)(func + offset);
		p.kp.pre_handler = ot_probe_pre;
		/* An instruction that kprobes do not know, or in a call site */
		if (register_kprobe(&p.kp)) {
			ot_expect(c, !offset, 0, "offset %u: refused", offset);
			continue;
		}
		ot_probe_calls(c, OT_PROBE_SUM, 0, "offset");
		ot_expect(c, p.hits, OT_CALLS, "offset %u: hits", offset);
		ot_add_ops(c, 0, 0, BIT(OT_SUM2));
		ot_probe_calls(c, OT_PROBE_SUM, 0, "offset, traced");
		ot_expect(c, p.hits, 2 * OT_CALLS, "offset %u, traced: hits",
			  offset);
		ot_del_ops(c, 0);
		unregister_kprobe(&p.kp);
	}
	ot_probe_calls(c, OT_PROBE_SUM, 0, "unregistered");
}

static struct ot_retprobe {
	struct kretprobe rp;
	unsigned int entries;
	unsigned int returns;
	unsigned int bad;
} ot_retprobe;

static int ot_ret_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ot_retprobe.entries++;
	if (regs_arg(regs, 1) != OT_VALUE(1) + 1)
		ot_retprobe.bad++;
	return 0;
}

static int ot_ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ot_retprobe.returns++;
	if ((u32)regs_return_value(regs) != OT_PROBE_SUM ||
	    get_kretprobe_retaddr(ri) != (unsigned long)ot_call_asm_ret)
		ot_retprobe.bad++;
	regs_set_return_value(regs, 42);
	return 0;
}

static void ot_return(struct ot_ctx *c, const char *what)
{
	struct ot_retprobe *r = &ot_retprobe;

	memset(r, 0, sizeof(*r));
	r->rp.kp.addr = (void *)ot_func(c->side, OT_SUM2);
	r->rp.entry_handler = ot_ret_entry;
	r->rp.handler = ot_ret_handler;
	if (!ot_expect(c, register_kretprobe(&r->rp), 0, "register"))
		return;
	ot_probe_calls(c, 42, 0, what);
	ot_expect(c, r->entries, OT_CALLS, "%s: entries", what);
	ot_expect(c, r->returns, OT_CALLS, "%s: returns", what);
	ot_expect(c, r->bad, 0, "%s: bad registers", what);
	unregister_kretprobe(&r->rp);
	ot_probe_calls(c, OT_PROBE_SUM, 0, "unregistered");
}

static void test_kprobes_return(struct ot_ctx *c)
{
	static struct ot_probe p;

	ot_return(c, "return");
	ot_add_ops(c, 0, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_SUM2));
	ot_return(c, "return, traced");
	ot_del_ops(c, 0);
	/* The kretprobe comes first, so this one finds its return address. */
	if (ot_add_probe(&p, c, ot_func(c->side, OT_SUM2), OT_WATCH, false)) {
		ot_return(c, "return, with a kprobe");
		ot_expect(c, p.hits, 2 * OT_CALLS, "kprobe: hits");
		unregister_kprobe(&p.kp);
	}
}

static unsigned int ot_scratch_returns, ot_scratch_bad;

static int ot_scratch_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ot_scratch_returns++;
	if (get_kretprobe_retaddr(ri) != (unsigned long)ot_scratch_asm_ret)
		ot_scratch_bad++;
	return 0;
}

static void ot_scratch_calls(struct ot_ctx *c, const char *what)
{
	u64 scratch[OT_NR_SCRATCH], want[OT_NR_SCRATCH];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		want[i] = OT_VALUE(i) + i;
#ifdef OT_SCRATCH_FLAGS
	want[ARRAY_SIZE(want) - 1] = OT_SCRATCH_FLAGS;
#endif
#ifdef CONFIG_PPC64
	/* XER: carry, the only bit that code uses */
	want[ARRAY_SIZE(want) - 2] = 0x20000000;
#endif
	for (i = 0; i < OT_CALLS; i++) {
		memcpy(scratch, want, sizeof(scratch));
		ot_scratch_asm(scratch);
		for (j = 0; j < ARRAY_SIZE(want); j++)
			ot_expect(c, scratch[j], want[j], "%s: register %u", what, j);
	}
}

/*
 * The caller of a function without a call site may know which registers that leaves
 * alone: assembly, or the compiler if it sees both.
 */
static void test_kprobes_scratch(struct ot_ctx *c)
{
	static struct kretprobe rp, second;

	rp = (struct kretprobe){
		.kp.addr = (kprobe_opcode_t *)ot_scratch_leaf,
		.handler = ot_scratch_handler,
	};
	second = rp;
	ot_scratch_returns = 0;
	ot_scratch_bad = 0;
	ot_scratch_calls(c, "no probe");
	if (!ot_expect(c, register_kretprobe(&rp), 0, "register"))
		return;
	ot_scratch_calls(c, "kretprobe");
	ot_expect(c, ot_scratch_returns, OT_CALLS, "returns");
	if (ot_expect(c, register_kretprobe(&second), 0, "register another one")) {
		ot_scratch_calls(c, "two kretprobes");
		ot_expect(c, ot_scratch_returns, 3 * OT_CALLS, "returns of both");
		unregister_kretprobe(&second);
	}
	ot_expect(c, ot_scratch_bad, 0, "wrong return addresses");
	unregister_kretprobe(&rp);
}

#ifdef CONFIG_ARM64
/**
 * struct ot_hint - a kprobe on a hint
 * @kp: what kprobes know
 * @before: the registers that the pre_handler was given last
 * @hits: calls of the post_handler
 * @bad: of these calls the ones with something wrong
 * @bad_what: what was wrong in the last of them
 */
static struct ot_hint {
	struct kprobe kp;
	struct pt_regs before;
	unsigned int hits;
	unsigned int bad;
	const char *bad_what;
} ot_hint;

static int ot_hint_pre(struct kprobe *kp, struct pt_regs *regs)
{
	ot_hint.before = *regs;
	return 0;
}

static void ot_hint_bad(const char *what)
{
	ot_hint.bad++;
	ot_hint.bad_what = what;
}

static void ot_hint_post(struct kprobe *kp, struct pt_regs *regs,
			 unsigned long flags)
{
	const struct pt_regs *before = &ot_hint.before;

	ot_hint.hits++;
	if (regs->pc != (unsigned long)kp->addr + 4)
		ot_hint_bad("pc afterwards");
	/* Or the next instruction would have to be one that calls may land on. */
	if (regs->pstate != (before->pstate & ~PSR_BTYPE_MASK))
		ot_hint_bad("pstate");
	if (memcmp(regs->regs, before->regs, 30 * sizeof(regs->regs[0])) ||
	    regs->sp != before->sp)
		ot_hint_bad("register");
	/*
	 * The frame record of the exception says where it came from: a second one
	 * comes from the copy of the instruction. Stock kernels have that.
	 */
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) &&
	    regs->stackframe[1] != (unsigned long)kp->addr)
		ot_hint_bad("number of exceptions");
}

static u64 ot_hint_call(struct ot_ctx *c, const char *func)
{
	struct ot_call call = { };

	ot_call_asm((unsigned long)func, &call);
	ot_expect(c, call.sp, call.fp, "stack");
	return call.x[0];
}

/* Instructions that do not need a second exception, with and without a kprobe */
static void test_kprobes_hints(struct ot_ctx *c)
{
	static const struct {
		const char *name, *func, *addr;
	} hints[] = {
		{ "BTI C", ot_hint_bti_c, ot_hint_bti_c },
		{ "BTI JC", ot_hint_bti_jc, ot_hint_bti_jc },
		{ "NOP", ot_hint_bti_nop, ot_hint_nop },
		{ "PACIASP", ot_hint_paciasp, ot_hint_paciasp },
	};
	unsigned int i, j;
	u64 lr;

	for (i = 0; i < ARRAY_SIZE(hints); i++) {
		lr = ot_hint_call(c, hints[i].func);
		memset(&ot_hint, 0, sizeof(ot_hint));
		ot_hint.kp.addr = (kprobe_opcode_t *)hints[i].addr;
		ot_hint.kp.pre_handler = ot_hint_pre;
		ot_hint.kp.post_handler = ot_hint_post;
		if (!ot_expect(c, register_kprobe(&ot_hint.kp), 0, "register"))
			continue;
		for (j = 0; j < OT_CALLS; j++)
			ot_expect(c, ot_hint_call(c, hints[i].func), lr,
				  "%s: LR", hints[i].name);
		unregister_kprobe(&ot_hint.kp);
		ot_expect(c, ot_hint.hits, OT_CALLS, "%s: hits", hints[i].name);
		ot_expect(c, ot_hint.bad, 0, "%s: bad %s", hints[i].name,
			  ot_hint.bad_what ?: "nothing");
	}
	if (lr == (unsigned long)ot_call_asm_ret)
		ot_note(c, "this processor does not sign LR");
}
#endif

/* Stock powerpc cannot change a call site with a kprobe on its MFLR: ftrace_bug() */
#ifdef CONFIG_PPC64
#define OFFSET	OT_NEEDS_DIRECT
#else
#define OFFSET	0
#endif

const struct ot_test ot_kprobes_tests[] = {
	/* The first of them cannot pass with kprobes on ftrace in 6.1 itself. */
	{ "kprobes", OT_NEEDS_DIRECT, test_kprobes },
	{ "kprobes_write", OT_NEEDS_DIRECT, test_kprobes_write },
	{ "kprobes_redirect", OT_NEEDS_DIRECT, test_kprobes_redirect },
	{ "kprobes_offset", OFFSET, test_kprobes_offset },
	{ "kprobes_return", 0, test_kprobes_return },
	{ "kprobes_scratch", 0, test_kprobes_scratch },
#ifdef CONFIG_ARM64
	/* The last part of the series is there, then, and the one with these, too. */
	{ "kprobes_hints", OT_NEEDS_SETS, test_kprobes_hints },
#endif
};

const unsigned int ot_nr_kprobes_tests = ARRAY_SIZE(ot_kprobes_tests);

// SPDX-License-Identifier: GPL-2.0
/*
 * Corrupt a call site, and have ftrace find it.
 *
 * After that ftrace is dead until the next boot, which is what it does about such a
 * finding, and this module cannot be unloaded. The parameter "when" tells whether an
 * ops, the "victim", is being registered, also as a direct call, or unregistered
 * then, or its filter is being changed, and it is unregistered after that. It traces
 * all the functions here, one in the middle of which gets corrupted: some call sites
 * have been dealt with when ftrace comes to that one, and others are left as they
 * are. Still no call may reach the victim once its owner may have freed it. The first
 * function is traced by a "witness", too, which has to be called all the time, and
 * the second one by a "bystander", until that is unregistered after all of this.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "side.h"

/*
 * What no call site has. As it does nothing, the function stays right with it, and
 * it does not matter whether a processor executes this or what was there before.
 */
#if defined(CONFIG_ARM64)
#define INSN	0xaa1003f0	/* MOV X16, X16 */
#elif defined(CONFIG_RISCV)
#define INSN	0x00030313	/* mv t1, t1 */
#elif defined(CONFIG_PPC64)
#define INSN	0x7d6b5b78	/* mr r11, r11 */
#endif

#define NR_TRACEES	8

#define TRACEE(n)							\
static noinline __noclone int ftrace_broken_site_##n(int x)		\
{									\
	return 10 * x + (n);						\
}

TRACEE(0)
TRACEE(1)
TRACEE(2)
TRACEE(3)
TRACEE(4)
TRACEE(5)
TRACEE(6)
TRACEE(7)

static int (*const tracees[NR_TRACEES])(int x) = {
	ftrace_broken_site_0, ftrace_broken_site_1, ftrace_broken_site_2,
	ftrace_broken_site_3, ftrace_broken_site_4, ftrace_broken_site_5,
	ftrace_broken_site_6, ftrace_broken_site_7,
};

static char *when = "";
module_param(when, charp, 0444);
MODULE_PARM_DESC(when, "What ftrace does when it finds out: register, direct, unregister or filter");

static unsigned int hits, late_hits, witness_hits, bystander_hits;
static unsigned long last_ip;

static void notrace count_hit(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	hits++;
	last_ip = ip;
}

/* In place of what may be there once the ops has been freed */
static void notrace count_late(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	late_hits++;
}

static void notrace count_witness(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	witness_hits++;
}

static void notrace count_bystander(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	bystander_hits++;
}

static struct ftrace_ops bystander = { .func = count_bystander };
static struct ftrace_ops witness = { .func = count_witness };
/* Of all functions; does not come to be registered */
static struct ftrace_ops other = { .func = count_hit };

static bool __init expect(long got, long want, const char *what)
{
	if (got != want)
		pr_err("FAILED: %s: got %ld, want %ld\n", what, got, want);
	return got == want;
}

static int __init register_direct(struct ftrace_ops *ops)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	return register_ftrace_direct_multi(ops, ot_near_side.count[0].addr);
#else
	return -EOPNOTSUPP;
#endif
}

static int __init trace(struct ftrace_ops *ops, unsigned int first, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = first; !err && i < first + nr; i++)
		err = ftrace_set_filter_ip(ops, (unsigned long)tracees[i], 0, 0);
	if (err)
		return err;
	return ops->func ? register_ftrace_function(ops) : register_direct(ops);
}

/* Call all, and return how many returned what they should. */
static unsigned int __init call_all(void)
{
	unsigned int i, good = 0;

	for (i = 0; i < NR_TRACEES; i++) {
		int (*tracee)(int x) = tracees[i];

		OPTIMIZER_HIDE_VAR(tracee);
		good += tracee(i) == 11 * i;
	}
	return good;
}

/* Where is the call site of the function? It knows who is called from there. */
static unsigned long __init find_site(unsigned int i)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	int err;

	if (!ops)
		return 0;
	ops->func = count_hit;
	last_ip = 0;
	err = trace(ops, i, 1);
	if (!err) {
		call_all();
		err = unregister_ftrace_function(ops);
	}
	ftrace_free_filter(ops);
	kfree(ops);
	return err ? 0 : last_ip;
}

/* Text is read-only where it is; write to it elsewhere. */
static int __init corrupt(unsigned long ip)
{
	struct page *page = vmalloc_to_page((void *)ip);
	void *alias = page ? vmap(&page, 1, VM_MAP, PAGE_KERNEL) : NULL;

	if (!alias)
		return -ENOMEM;
	*(u32 *)(alias + offset_in_page(ip)) = INSN;
	vunmap(alias);
	return 0;
}

static int __init run(struct ftrace_ops *victim)
{
	bool direct = !strcmp(when, "direct");
	bool registered = !direct && strcmp(when, "register");
	unsigned long site;
	bool good = true;
	int err;

	site = find_site(NR_TRACEES / 2);
	if (!site) {
		pr_err("no call site found\n");
		return -ENOENT;
	}
	victim->func = direct ? NULL : count_hit;
	err = trace(&witness, 0, 1) ?: trace(&bystander, 1, 1);
	if (!err && registered)
		err = trace(victim, 0, NR_TRACEES);
	if (err) {
		pr_err("cannot trace: %d\n", err);
		return err;
	}

	hits = 0;
	good &= expect(call_all(), NR_TRACEES, "good calls before");
	good &= expect(hits, registered ? NR_TRACEES : 0, "hits before");
	good &= expect(witness_hits, 1, "hits of the witness before");
	good &= expect(bystander_hits, 1, "hits of the bystander before");

	err = corrupt(site);
	if (err)
		return err;
	/* Only the function of the witness is left */
	if (!strcmp(when, "filter"))
		ftrace_set_filter_ip(victim, (unsigned long)tracees[0], 0, 1);
	if (registered)
		good &= expect(unregister_ftrace_function(victim), -ENODEV,
			       "unregistering");
	else
		good &= expect(trace(victim, 0, NR_TRACEES), -ENODEV,
			       "registering");

	/* Which is when the owner may free it */
	victim->func = count_late;
	hits = 0;
	witness_hits = 0;
	bystander_hits = 0;
	good &= expect(call_all(), NR_TRACEES, "good calls after");
	good &= expect(hits, 0, "hits after");
	good &= expect(late_hits, 0, "hits of what may have been freed");
	good &= expect(atomic64_read(ot_near_side.count[0].hits), 0,
		       "hits of a trampoline that may have been freed");
	good &= expect(witness_hits, 1, "hits of the witness after");
	good &= expect(bystander_hits, 1, "hits of the bystander after");

	good &= expect(unregister_ftrace_function(&bystander), -ENODEV,
		       "unregistering the bystander");
	good &= expect(call_all(), NR_TRACEES, "good calls without the bystander");
	good &= expect(bystander_hits, 1, "hits of the bystander when it is gone");
	good &= expect(witness_hits, 2, "hits of the witness without the bystander");

	good &= expect(register_ftrace_function(&other), -ENODEV,
		       "registering another one");
	return good ? 0 : -EIO;
}

static int __init broken_site_init(void)
{
	static const char * const valid[] = { "register", "direct", "unregister", "filter" };
	struct ftrace_ops *victim;
	int err;

	if (match_string(valid, ARRAY_SIZE(valid), when) < 0) {
		pr_err("bad when=%s; valid are register, direct, unregister and filter\n", when);
		return -EINVAL;
	}
	victim = kzalloc(sizeof(*victim), GFP_KERNEL);
	if (!victim)
		return -ENOMEM;
	err = run(victim);
	pr_info("when=%s: %s\n", when, err ? "FAILED" : "passed");
	/* The witness stays, and perhaps something that calls the victim. */
	return 0;
}
module_init(broken_site_init);

MODULE_DESCRIPTION("Corrupt a call site; ends all tracing until the next boot");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of fprobes, and of what shares the return of a function with them;
 * fprobe_main.c runs them.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/gcd.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmstat.h>

#include "fprobe_test.h"
#include "fprobe_tracee.h"

#ifndef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
/* An unpatched 6.1 on powerpc, where there are no fprobes to test either. */
static unsigned long regs_get_kernel_argument(struct pt_regs *regs,
					      unsigned int n)
{
	return 0;
}
#endif

#define FPT_FUNCS	"fpt_*"

/**
 * struct probe - an fprobe that counts
 * @fp: the fprobe
 * @task: count what this task does; NULL for all of them
 * @entries: calls of the entry handler
 * @exits: calls of the exit handler
 * @wrong: of these, the ones with something wrong
 * @ret: what the function has to return
 * @callee: handlers call fpt_callee()
 */
struct probe {
	struct fprobe fp;
	struct task_struct *task;
	atomic_t entries;
	atomic_t exits;
	atomic_t wrong;
	unsigned long ret;
	bool callee;
};

/* In entry_data; handlers know by it that they belong together. */
struct data {
	unsigned long ip;
	unsigned long arg;
	struct task_struct *task;
};

static bool fpt_mine(struct probe *p)
{
	return !p->task || p->task == current;
}

static void fpt_entry(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
		      void *entry_data)
{
	struct probe *p = container_of(fp, struct probe, fp);
	struct data *data = entry_data;

	if (data) {
		data->ip = ip;
		data->arg = regs ? regs_get_kernel_argument(regs, 0) : 0;
		data->task = current;
	}
	if (!fpt_mine(p))
		return;
	atomic_inc(&p->entries);
	if (regs && regs_get_kernel_argument(regs, 1) != 22 && p->ret == 33)
		atomic_inc(&p->wrong);
	if (p->callee)
		fpt_callee(1);
}

static void fpt_exit(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
		     void *entry_data)
{
	struct probe *p = container_of(fp, struct probe, fp);
	struct data *data = entry_data;

	if (!fpt_mine(p))
		return;
	atomic_inc(&p->exits);
	if (p->ret && regs_return_value(regs) != p->ret)
		atomic_inc(&p->wrong);
	if (user_mode(regs))
		atomic_inc(&p->wrong);
	if (data && (data->ip != ip || data->task != current))
		atomic_inc(&p->wrong);
	if (data && p->ret == 33 && p->fp.ops.flags & FTRACE_OPS_FL_SAVE_REGS &&
	    data->arg != 11)
		atomic_inc(&p->wrong);
	if (p->callee)
		fpt_callee(1);
}

static struct probe *fpt_new(bool entry, bool exit)
{
	struct probe *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p) {
		expect("memory", -ENOMEM, 0);
		return NULL;
	}
	if (entry)
		p->fp.entry_handler = fpt_entry;
	if (exit)
		p->fp.exit_handler = fpt_exit;
	p->task = current;
	return p;
}

/* NULL, and the test fails, if it cannot be registered. */
static struct probe *fpt_on(struct probe *p, const char *filter)
{
	if (p && expect("register", register_fprobe(&p->fp, filter, NULL), 0))
		return p;
	kfree(p);
	return NULL;
}

static void fpt_off(struct probe *p)
{
	if (p) {
		expect("unregister", unregister_fprobe(&p->fp), 0);
		kfree(p);
	}
}

static void fpt_counts(const char *what, struct probe *p, int entries, int exits,
		       int missed)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%s: entries", what);
	expect(buf, atomic_read(&p->entries), entries);
	snprintf(buf, sizeof(buf), "%s: exits", what);
	expect(buf, atomic_read(&p->exits), exits);
	snprintf(buf, sizeof(buf), "%s: wrong", what);
	expect(buf, atomic_read(&p->wrong), 0);
	if (missed < 0)
		return;
	snprintf(buf, sizeof(buf), "%s: missed", what);
	expect(buf, p->fp.nmissed, missed);
}

static void fpt_call(int n)
{
	while (n--)
		expect("fpt_add(11, 22)", fpt_add(11, 22), 33);
}

static void test_one(bool entry, bool exit, bool data)
{
	struct probe *p = fpt_new(entry, exit);

	if (!p)
		return;
	p->ret = 33;
	if (data)
		p->fp.entry_data_size = sizeof(struct data);
	if (!fpt_on(p, "fpt_add"))
		return;
	fpt_call(5);
	fpt_counts("on", p, entry ? 5 : 0, exit ? 5 : 0, 0);
	disable_fprobe(&p->fp);
	fpt_call(1);
	enable_fprobe(&p->fp);
	fpt_call(1);
	fpt_counts("disabled and enabled", p, entry ? 6 : 0, exit ? 6 : 0, 0);
	expect("unregister", unregister_fprobe(&p->fp), 0);
	fpt_call(1);
	fpt_counts("off", p, entry ? 6 : 0, exit ? 6 : 0, 0);
	kfree(p);
}

static void test_entry(void)
{
	test_one(true, false, false);
}

static void test_exit(void)
{
	test_one(false, true, false);
}

static void test_entry_exit(void)
{
	test_one(true, true, false);
}

static void test_data(void)
{
	test_one(true, true, true);
}

/* Who needs no registers does not get an entry that saves them. */
static void test_regs(void)
{
#ifdef CONFIG_HAVE_RETHOOK_WITH_FTRACE_REGS
	struct probe *p = fpt_on(fpt_new(true, false), "fpt_add");

	if (p)
		expect("entry", !!(p->fp.ops.flags & FTRACE_OPS_FL_SAVE_REGS), 1);
	fpt_off(p);

	p = fpt_on(fpt_new(false, true), "fpt_add");
	if (p)
		expect("exit", !(p->fp.ops.flags & FTRACE_OPS_FL_SAVE_REGS), 1);
	fpt_off(p);
#else
	fpt_skip = "all fprobes save all registers on this kernel";
#endif
}

static void test_shared(void)
{
	struct probe *p = fpt_new(true, true);

	if (p)
		p->fp.flags = FPROBE_FL_KPROBE_SHARED;
	p = fpt_on(p, "fpt_add");
	if (!p)
		return;
	fpt_call(3);
	fpt_counts("shared with kprobes", p, 3, 3, 0);
	fpt_off(p);
}

/* A function of the kernel, where the call sites of a module reach it. */
static void test_kernel_function(void)
{
	struct probe *p = fpt_on(fpt_new(true, true), "gcd");

	if (!p)
		return;
	expect("gcd(12, 18)", gcd(12, 18), 6);
	fpt_counts("gcd()", p, 1, 1, 0);
	fpt_off(p);
}

/*
 * Handlers which call a function that has the fprobe, too. ftrace lets one such
 * call pass, as it cannot tell it from one by an interrupt which has not got to
 * where the context changes. The calls from its handlers are missed, which the
 * list function does not tell: it has the same protection, and takes one of them
 * for each call of ours before the fprobe sees it.
 */
static void test_recursion(void)
{
	bool list = !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS);
	struct probe *p = fpt_new(true, true);

	if (p)
		p->callee = true;
	p = fpt_on(p, FPT_FUNCS);
	if (!p)
		return;
	fpt_call(3);
	fpt_counts("handlers call a probed function", p, 9, 9,
		   fpt_beside ? -1 : list ? 9 : 12);
	fpt_off(p);

	p = fpt_new(false, true);
	if (p)
		p->callee = true;
	p = fpt_on(p, FPT_FUNCS);
	if (!p)
		return;
	fpt_call(3);
	fpt_counts("the exit handler calls one", p, 0, 6, fpt_beside ? -1 : 3);
	fpt_off(p);
}

static void test_maxactive(void)
{
	struct probe *p = fpt_new(true, true);
	int i;

	if (p)
		p->fp.nr_maxactive = 3;
	p = fpt_on(p, "fpt_nest");
	if (!p)
		return;
	for (i = 1; i <= 4; i++) {
		expect("fpt_nest(8)", fpt_nest(8), 8);
		fpt_counts("8 deep, 3 nodes", p, 3 * i, 3 * i, 5 * i);
	}
	/* They all came back */
	expect("fpt_nest(3)", fpt_nest(3), 3);
	fpt_counts("3 deep", p, 15, 15, 20);
	fpt_off(p);
}

/* A CPU that keeps the only node for itself gives it to another one. */
static void test_maxactive_cpus(void)
{
	struct probe *p = fpt_new(false, true);
	int cpu, calls = 0;

	if (p)
		p->fp.nr_maxactive = 1;
	p = fpt_on(p, "fpt_add");
	if (!p)
		return;
	for_each_online_cpu(cpu) {
		expect("move to another CPU",
		       set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
		fpt_call(2);
		calls += 2;
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	fpt_counts("one node, calls on all CPUs", p, 0, calls, 0);
	fpt_off(p);
}

struct sleeper {
	struct completion inside;
	struct completion go;
	struct completion done;
	int want;
	int got;
};

static int sleeper_thread(void *arg)
{
	struct sleeper *s = arg;

	s->got = fpt_sleep(&s->inside, &s->go, s->want);
	/* The module may be gone as soon as the other one knows. */
	kthread_complete_and_exit(&s->done, 0);
}

static struct sleeper *sleeper_start(int want)
{
	struct sleeper *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct task_struct *task;

	if (!s)
		return NULL;
	init_completion(&s->inside);
	init_completion(&s->go);
	init_completion(&s->done);
	s->want = want;
	task = kthread_run(sleeper_thread, s, "fpt_sleep");
	if (IS_ERR(task)) {
		kfree(s);
		return NULL;
	}
	wait_for_completion(&s->inside);
	return s;
}

static void sleeper_end(struct sleeper *s)
{
	if (!s) {
		expect("start a thread", 0, 1);
		return;
	}
	complete(&s->go);
	wait_for_completion(&s->done);
	expect("what it returned", s->got, s->want);
	kfree(s);
}

#define SLEEPERS 8

/* Tasks are in the function when the fprobe goes, and its memory with it. */
static void test_unregister_inside(void)
{
	struct sleeper *s[SLEEPERS];
	struct probe *p, *other;
	int i;

	p = fpt_new(true, true);
	if (p) {
		/* By default there are as many as two for each CPU. */
		p->fp.nr_maxactive = SLEEPERS;
		p->task = NULL;
	}
	p = fpt_on(p, "fpt_sleep");
	if (!p)
		return;
	for (i = 0; i < SLEEPERS; i++)
		s[i] = sleeper_start(100 + i);
	/* Half of them return as usual. */
	for (i = 0; i < SLEEPERS / 2; i++)
		sleeper_end(s[i]);
	fpt_counts("half of them returned", p, SLEEPERS, SLEEPERS / 2, 0);
	fpt_off(p);

	/* Another one gets on top of those that are in there. */
	other = fpt_new(true, true);
	if (other)
		other->task = NULL;
	other = fpt_on(other, "fpt_sleep");
	for (; i < SLEEPERS; i++)
		sleeper_end(s[i]);
	if (other) {
		fpt_counts("another fprobe", other, 0, 0, 0);
		sleeper_end(sleeper_start(7));
		fpt_counts("another fprobe", other, 1, 1, 0);
	}
	fpt_off(other);
}

/* Nodes are limited over all tasks, and a task that sleeps keeps its one. */
static void test_maxactive_inside(void)
{
	struct sleeper *a, *b;
	struct probe *p = fpt_new(false, true);

	if (p) {
		p->fp.nr_maxactive = 1;
		p->task = NULL;
	}
	p = fpt_on(p, "fpt_sleep");
	if (!p)
		return;
	a = sleeper_start(1);
	b = sleeper_start(2);
	expect("missed", p->fp.nmissed, 1);
	sleeper_end(b);
	fpt_counts("the missed one returned", p, 0, 0, 1);
	sleeper_end(a);
	fpt_counts("the other one returned", p, 0, 1, 1);
	sleeper_end(sleeper_start(3));
	fpt_counts("the next one", p, 0, 2, 1);
	fpt_off(p);
}

/* A task that sleeps in a function keeps its own node, and not those in use by nobody. */
static void test_idle_nodes(void)
{
	/* The kernel counts pages, but not each of them at once. */
	const int nodes = 4096 * (PAGE_SIZE / SZ_4K);
	long pages = -global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B), taken;
	struct probe *p = fpt_new(false, true);
	struct sleeper *s;

	if (p) {
		p->fp.nr_maxactive = nodes;
		p->fp.entry_data_size = 900;
		p->task = NULL;
	}
	p = fpt_on(p, "fpt_sleep");
	if (!p)
		return;
	s = sleeper_start(1);
	taken = pages + global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B);
	expect("memory for nodes", taken * PAGE_SIZE >= nodes * 900L, 1);
	fpt_off(p);
	rcu_barrier();
	pages += global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B);
	if (IS_ENABLED(CONFIG_KASAN))
		fpt_skip = "KASAN keeps memory that has been freed";
	else
		expect("that memory is still taken", pages > taken / 4, 0);
	sleeper_end(s);
}

/* Several on one function */
static void test_two(void)
{
	struct probe *p = fpt_on(fpt_new(true, true), "fpt_add");
	struct probe *q = fpt_on(fpt_new(false, true), "fpt_add");
	struct probe *r = fpt_on(fpt_new(true, false), "fpt_add");

	if (p && q && r) {
		fpt_call(3);
		fpt_counts("first", p, 3, 3, 0);
		fpt_counts("second", q, 0, 3, 0);
		fpt_counts("third", r, 3, 0, 0);
		fpt_off(p);
		p = NULL;
		fpt_call(3);
		fpt_counts("second that stays", q, 0, 6, 0);
	}
	fpt_off(q);
	fpt_call(1);
	fpt_off(r);
	fpt_off(p);
}

static atomic_t kret_entries, kret_exits, kret_wrong;

static int kret_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kret_entries);
	return 0;
}

static int kret_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kret_exits);
	if (regs_return_value(regs) != 33)
		atomic_inc(&kret_wrong);
	return 0;
}

/* A kretprobe on the same function, which comes first and last */
static void test_kretprobe(void)
{
	struct kretprobe rp;
	struct probe *p = NULL;
	int last;

	for (last = 0; last < 2; last++) {
		memset(&rp, 0, sizeof(rp));
		rp.kp.symbol_name = "fpt_add";
		rp.entry_handler = kret_entry;
		rp.handler = kret_exit;
		atomic_set(&kret_entries, 0);
		atomic_set(&kret_exits, 0);
		atomic_set(&kret_wrong, 0);
		if (last)
			p = fpt_on(fpt_new(true, true), "fpt_add");
		if (!expect("register a kretprobe", register_kretprobe(&rp), 0))
			break;
		if (!last)
			p = fpt_on(fpt_new(true, true), "fpt_add");
		fpt_call(4);
		expect("entries of the kretprobe", atomic_read(&kret_entries), 4);
		expect("exits of the kretprobe", atomic_read(&kret_exits), 4);
		expect("wrong ones", atomic_read(&kret_wrong), 0);
		expect("missed by the kretprobe", rp.nmissed, 0);
		if (p)
			fpt_counts("beside a kretprobe", p, 4, 4, 0);
		if (last) {
			fpt_off(p);
			p = NULL;
			fpt_call(1);
			unregister_kretprobe(&rp);
		} else {
			unregister_kretprobe(&rp);
			fpt_call(1);
			fpt_off(p);
			p = NULL;
		}
	}
	fpt_off(p);
}

static void test_types(void)
{
	static const long values[] = {
		0, 1, -1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff,
		0x123456789abcdef0,
	};
	struct probe *p = fpt_on(fpt_new(true, true), FPT_FUNCS);
	struct fpt_two two;
	__int128 big;
	int i;

	if (!p)
		return;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		expect("s8", fpt_s8(values[i]), (signed char)values[i]);
		expect("u32", fpt_u32(values[i]), (u32)values[i]);
		expect("u64", fpt_u64(values[i]), values[i]);
		two = fpt_two(values[i], ~values[i]);
		expect("first half", two.a, values[i] + 1);
		expect("second half", two.b, ~values[i] + 2);
		big = fpt_i128(values[i], ~values[i]);
		expect("upper half", (u64)(big >> 64), values[i]);
		expect("lower half", (u64)big, ~values[i]);
	}
	fpt_counts("types", p, 5 * ARRAY_SIZE(values), 5 * ARRAY_SIZE(values), 0);
	fpt_off(p);
}

/* Functions in a stack trace, by bits, and the trampoline among them */
enum {
	SEEN_LEAF = 1,
	SEEN_INNER = 2,
	SEEN_OUTER = 4,
	SEEN_TEST = 8,
	SEEN_TRAMPOLINE = 16,
};

static unsigned int fpt_seen;

static unsigned int fpt_symbols(const unsigned long *entries, unsigned int nr)
{
	static char name[KSYM_SYMBOL_LEN];
	unsigned int i, seen = 0;

	for (i = 0; i < nr; i++) {
		sprint_symbol(name, entries[i]);
		if (strstr(name, "fpt_leaf+"))
			seen |= SEEN_LEAF;
		else if (strstr(name, "fpt_inner+"))
			seen |= SEEN_INNER;
		else if (strstr(name, "fpt_outer+"))
			seen |= SEEN_OUTER;
		else if (strstr(name, "test_stack+"))
			seen |= SEEN_TEST;
		else if (strstr(name, "arch_rethook_trampoline+0x0") ||
			 strstr(name, "return_to_handler+0x0"))
			seen |= SEEN_TRAMPOLINE;
	}
	return seen;
}

#define DEPTH 48

static void fpt_look(void)
{
	static unsigned long entries[DEPTH];

	fpt_seen = fpt_symbols(entries, stack_trace_save(entries, DEPTH, 0));
}

static void fpt_look_at_exit(struct fprobe *fp, unsigned long ip,
			     struct pt_regs *regs, void *entry_data)
{
	if (container_of(fp, struct probe, fp)->task == current)
		fpt_look();
}

/* Stack traces below functions that are hooked, and from an exit handler */
static noinline void test_stack(void)
{
	struct probe *p, *q;

	p = fpt_on(fpt_new(false, true), FPT_FUNCS);
	q = fpt_on(fpt_new(true, true), "fpt_inner");
	if (p && q) {
		fpt_leaf_hook = fpt_look;
		expect("fpt_outer(1)", fpt_outer(1), 4);
		fpt_leaf_hook = NULL;
		expect("what is seen below", fpt_seen,
		       SEEN_LEAF | SEEN_INNER | SEEN_OUTER | SEEN_TEST);
	}
	fpt_off(q);
	fpt_off(p);

	p = fpt_new(false, true);
	if (p)
		p->fp.exit_handler = fpt_look_at_exit;
	p = fpt_on(p, "fpt_inner");
	if (p) {
		fpt_seen = 0;
		expect("fpt_outer(1)", fpt_outer(1), 4);
		expect("what an exit handler sees",
		       fpt_seen & (SEEN_OUTER | SEEN_TEST | SEEN_TRAMPOLINE),
		       SEEN_OUTER | SEEN_TEST);
	}
	fpt_off(p);
}

/* A function which ends in another one has one return for both. */
static void test_tail(void)
{
	struct probe *p = fpt_on(fpt_new(true, true), FPT_FUNCS);
	struct probe *q = fpt_on(fpt_new(false, true), "fpt_inner");

	if (p && q) {
		fpt_leaf_hook = fpt_look;
		expect("fpt_tail(1)", fpt_tail(1), 3);
		fpt_leaf_hook = NULL;
		fpt_counts("three functions", p, 3, 3, 0);
		fpt_counts("the middle one", q, 0, 1, 0);
		expect("trampolines in the trace", fpt_seen & SEEN_TRAMPOLINE, 0);
	}
	fpt_off(q);
	fpt_off(p);
}

/*
 * A function that does not return, as those do not which are left when a CPU resumes: its
 * node must not be taken for that of the function where it goes on. (Function graph
 * would not survive that, and does not trace these.)
 */
static void test_left(void)
{
#ifdef CONFIG_CC_IS_GCC
	struct probe *p = fpt_new(true, true);
	int i;

	if (p)
		p->fp.nr_maxactive = 2;
	p = fpt_on(p, "left_*er");
	if (!p)
		return;
	for (i = 1; i <= 4; i++) {
		expect("left_outer(1)", left_outer(1), 2);
		fpt_counts("one of two is left", p, 2 * i, i, i);
	}
	fpt_off(p);
#else
	fpt_skip = "clang has no __builtin_longjmp() here";
#endif
}

static void test_errors(void)
{
	static const char *unknown[] = { "fpt_add", "fpt_there_is_no_such" };
	unsigned long ips[] = { (unsigned long)fpt_add,
				(unsigned long)&fpt_skip };
	struct probe *p = fpt_new(true, true);

	if (!p)
		return;
	expect("no match", register_fprobe(&p->fp, "fpt_there_is_no_such", NULL),
	       -EINVAL);
	expect("unknown symbol", register_fprobe_syms(&p->fp, unknown, 2),
	       -ENOENT);
	expect("no function", register_fprobe_ips(&p->fp, ips, 2), -EINVAL);
	p->fp.nr_maxactive = -1;
	expect("negative number", register_fprobe(&p->fp, "fpt_add", NULL),
	       -EINVAL);
	expect("registered", p->fp.ops.flags & FTRACE_OPS_FL_ENABLED, 0);
	fpt_call(1);
	fpt_counts("nothing left", p, 0, 0, 0);
	p->fp.nr_maxactive = 0;
	if (fpt_on(p, "fpt_add")) {
		fpt_call(1);
		fpt_counts("good after all", p, 1, 1, 0);
		fpt_off(p);
	}
}

struct load {
	struct task_struct *task;
	atomic_t *stop;
	unsigned int calls;
	unsigned int wrong;
	u64 ns;
};

static int load_thread(void *arg)
{
	struct load *l = arg;

	/* An fprobe that goes waits for all tasks to pass a quiescent state. */
	while (!kthread_should_stop()) {
		l->wrong += fpt_add(l->calls, 1) != l->calls + 1;
		l->wrong += fpt_outer(l->calls) != l->calls + 3;
		if (!(++l->calls % 64))
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static struct load *load_start(int (*thread)(void *arg), unsigned int nr)
{
	struct load *l = kcalloc(nr, sizeof(*l), GFP_KERNEL);
	unsigned int i;

	for (i = 0; l && i < nr; i++) {
		l[i].task = kthread_create(thread, &l[i], "fpt_load%u", i);
		if (IS_ERR(l[i].task)) {
			l[i].task = NULL;
			break;
		}
		get_task_struct(l[i].task);
	}
	for (i = 0; l && i < nr && l[i].task; i++) {
		kthread_bind(l[i].task, cpumask_local_spread(i, NUMA_NO_NODE));
		wake_up_process(l[i].task);
	}
	return l;
}

static void load_stop(struct load *l, unsigned int nr)
{
	unsigned int i;

	for (i = 0; l && i < nr && l[i].task; i++) {
		kthread_stop(l[i].task);
		put_task_struct(l[i].task);
	}
}

/* Comes and goes while all CPUs call the functions */
static void test_load(void)
{
	unsigned int nr = num_online_cpus(), i;
	struct load *l = load_start(load_thread, nr);
	u64 calls = 0;

	for (i = 0; l && i < fpt_toggles && !fpt_failed; i++) {
		struct probe *p = fpt_new(i % 3 != 0, i % 3 != 1);

		if (p)
			p->fp.nr_maxactive = i % 4 ? 0 : 1 + i % 5;
		p = fpt_on(p, i & 1 ? FPT_FUNCS : "fpt_inner");
		if (!p)
			break;
		expect("fpt_outer(1)", fpt_outer(1), 4);
		if (i % 4)
			expect("missed", p->fp.nmissed, 0);
		fpt_off(p);
	}
	load_stop(l, nr);
	for (i = 0; l && i < nr; i++) {
		expect("wrong return values", l[i].wrong, 0);
		calls += l[i].calls;
	}
	expect("any calls", calls > 0, 1);
	fpt_note("%llu calls by %u tasks", calls, nr);
	kfree(l);
}

static int hot_thread(void *arg)
{
	struct load *l = arg;
	u64 start = ktime_get_ns();

	while (l->calls < fpt_loops) {
		l->wrong += fpt_add(l->calls, 1) != l->calls + 1;
		if (!(++l->calls % 1024))
			cond_resched_tasks_rcu_qs();
	}
	l->ns = ktime_get_ns() - start;
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

/*
 * All CPUs in one function that has an exit handler: none of them runs out of
 * nodes. How long that takes is printed, and no reason to fail.
 */
static void test_contention(void)
{
	unsigned int nr, i;

	for (nr = 1; nr <= num_online_cpus(); nr *= 2) {
		struct probe *p = fpt_new(false, true);
		struct load *l;
		u64 ns = 0;

		if (p)
			p->task = NULL;
		p = fpt_on(p, "fpt_add");
		if (!p)
			return;
		l = load_start(hot_thread, nr);
		for (i = 0; l && i < nr; i++) {
			while (l[i].task && READ_ONCE(l[i].calls) < fpt_loops)
				msleep(1);
		}
		load_stop(l, nr);
		for (i = 0; l && i < nr; i++) {
			expect("wrong return values", l[i].wrong, 0);
			ns += l[i].ns;
		}
		fpt_counts("all calls", p, 0, nr * fpt_loops, 0);
		fpt_note("%u CPUs: %llu ns per call", nr,
			 div_u64(ns, nr * fpt_loops));
		kfree(l);
		fpt_off(p);
	}
}

const struct fpt_test fpt_tests[] = {
	{ "entry", test_entry },
	{ "exit", test_exit },
	{ "entry_exit", test_entry_exit },
	{ "data", test_data },
	{ "regs", test_regs },
	{ "shared", test_shared },
	{ "kernel_function", test_kernel_function },
	{ "recursion", test_recursion },
	{ "maxactive", test_maxactive },
	{ "maxactive_cpus", test_maxactive_cpus },
	{ "maxactive_inside", test_maxactive_inside },
	{ "unregister_inside", test_unregister_inside },
	{ "idle_nodes", test_idle_nodes },
	{ "two", test_two },
	{ "kretprobe", test_kretprobe },
	{ "types", test_types },
	{ "stack", test_stack },
	{ "tail", test_tail },
	{ "cursor", test_cursor },
	{ "left", test_left },
	{ "errors", test_errors },
	{ "load", test_load },
	{ "contention", test_contention },
};

const unsigned int fpt_nr_tests = ARRAY_SIZE(fpt_tests);

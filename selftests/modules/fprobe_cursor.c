// SPDX-License-Identifier: GPL-2.0
/*
 * What rethook_find_ret_addr() tells an unwinder about frames that it knows and others.
 * Ask it directly: an unwinder does not come to the trampoline in a frame that it does
 * not know but by chance, when a task wakes up while its stack is read; or on powerpc,
 * when it reads what is left in a frame where no return address has been saved yet.
 */
#include <linux/fprobe.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "fprobe_test.h"
#include "fprobe_tracee.h"
#include "lookup.h"

#ifdef CONFIG_RETHOOK
static unsigned long (*cursor_find)(struct task_struct *tsk, unsigned long frame,
				    struct llist_node **cur);

/* There can be no kprobe on rethook's functions. */
static void *cursor_lookup(const char *name)
{
	unsigned long (*lookup)(const char *name);

	lookup = lookup_function("kallsyms_lookup_name");
	return lookup ? (void *)lookup(name) : NULL;
}

static void cursor_expect(const char *what, struct llist_node *node,
			  struct llist_node **cur)
{
	struct rethook_node *rhn = container_of(node, struct rethook_node, llist);

	expect(what, cursor_find(current, rhn->frame, cur), rhn->ret_addr);
	expect("the cursor is there", *cur == node, 1);
}

/* The frame is the one of this function, whose return nobody hooks. */
static void cursor_miss(const char *what, struct llist_node **cur)
{
	struct llist_node *old = *cur;
	unsigned long frame = (unsigned long)__builtin_frame_address(0);

	expect(what, cursor_find(current, frame, cur), 0);
	expect("the cursor stays", *cur == old, 1);
}

static void cursor_walk(void)
{
	struct llist_node *inner = READ_ONCE(current->rethooks.first), *outer;
	struct llist_node *cur = NULL;

	outer = inner ? inner->next : NULL;
	if (!expect("hooked functions", !!outer, 1))
		return;

	cursor_miss("before the first one", &cur);
	cursor_miss("before the first one, again", &cur);
	cursor_expect("the caller of fpt_inner()", inner, &cur);
	cursor_miss("between them", &cur);
	cursor_expect("the caller of fpt_outer()", outer, &cur);
	cursor_miss("behind them", &cur);

	/* Those which are passed over are not missing */
	cur = NULL;
	cursor_expect("the caller of fpt_outer() only", outer, &cur);
}

static void cursor_exit(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			void *entry_data)
{
}

/* A frame which is not found does not keep the next ones from being found. */
void test_cursor(void)
{
	static struct fprobe fp;

	memset(&fp, 0, sizeof(fp));
	fp.exit_handler = cursor_exit;
	cursor_find = cursor_lookup("rethook_find_ret_addr");
	if (!expect("rethook_find_ret_addr()", !!cursor_find, 1) ||
	    !expect("register", register_fprobe(&fp, "fpt_*er", NULL), 0))
		return;
	fpt_leaf_hook = cursor_walk;
	expect("fpt_outer(1)", fpt_outer(1), 4);
	fpt_leaf_hook = NULL;
	expect("missed", fp.nmissed, 0);
	expect("unregister", unregister_fprobe(&fp), 0);
}
#else
void test_cursor(void)
{
	fpt_skip = "no rethook on this kernel";
}
#endif

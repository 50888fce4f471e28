// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of functions that several ops trace: who gets called, in which order,
 * and with what help. Except for the help, the answer is the same on any
 * kernel.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ops_test.h"

/* Ops of the random tests, and of the one with many. */
#define ST_NR_OPS	16
#define ST_MAX_OPS	100
/* The first ones trace all of the kernel, in the random test of such. */
#define ST_NR_ALL	3
#define ST_MAGIC	0x600d0b5
/* A call site is within so many bytes of the start of its function. */
#define ST_SITE_MAX	32

/**
 * struct st_ops - an ops, which lives as long as it is registered
 * @ops: what ftrace knows
 * @magic: %ST_MAGIC unless it has been freed
 * @nr: its number
 * @all: traces all of the kernel but for a notrace list
 * @funcs: which of the functions "gen" it traces
 * @filter: which are in its filter, of one that changes both lists
 * @hidden: which are in its notrace list
 */
struct st_ops {
	struct ftrace_ops ops;
	u32 magic;
	unsigned int nr;
	bool all;
	u64 funcs;
	u64 filter;
	u64 hidden;
};

/*
 * The model, a stack of what is registered, and what really happened in the
 * current call. Tests run one at a time.
 */
static struct {
	struct ot_ctx *c;
	struct st_ops *ops[ST_MAX_OPS];
	struct st_ops *stack[ST_MAX_OPS];
	unsigned int nr;
	struct rnd_state rnd;
	unsigned long func;
	unsigned int calls;
	u8 called[2 * ST_MAX_OPS];
	atomic_t bad;
	const char *bad_what;
	atomic64_t others;
} st;

static void st_bad(const char *what)
{
	st.bad_what = what;
	atomic_inc(&st.bad);
}

static void st_callback(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct st_ops *o = container_of(op, struct st_ops, ops);

	if (o->magic != ST_MAGIC) {
		st_bad("ops that is gone");
		return;
	}
	if (op->flags & FTRACE_OPS_FL_SAVE_REGS && !ftrace_get_regs(fregs))
		st_bad("ops without its registers");
	if (current != st.c->task) {
		atomic64_inc(&st.others);
		return;
	}
	if (!st.func || ip - st.func >= ST_SITE_MAX) {
		if (!o->all)
			st_bad("ops for a function that was not called");
		return;
	}
	if (st.calls < ARRAY_SIZE(st.called))
		st.called[st.calls] = o->nr;
	st.calls++;
}

/* Compare one call with the model: the newest ops comes first. */
static void st_check(unsigned int f, const char *what)
{
	int (*gen)(int x) = st.c->side->tracees.gen[f];
	unsigned int want = 0, i, wrong = 0;
	int got;

	st.calls = 0;
	barrier();
	WRITE_ONCE(st.func, (unsigned long)gen);
	got = gen(f + 3);
	if (ot_extra_calls)
		gen(f + 3);
	WRITE_ONCE(st.func, 0);
	barrier();

	ot_expect(st.c, got, OT_NR_GEN * (f + 3) + f, "%s: gen %u returned",
		  what, f);
	for (i = st.nr; i--; ) {
		if (!(st.stack[i]->funcs & BIT_ULL(f)))
			continue;
		if (want < min_t(unsigned int, st.calls, sizeof(st.called)) &&
		    st.called[want] != st.stack[i]->nr)
			wrong++;
		want++;
	}
	ot_expect(st.c, st.calls, want, "%s: ops called for gen %u", what, f);
	ot_expect(st.c, wrong, 0, "%s: of these in the wrong order", what);
}

static void st_check_all(const char *what)
{
	unsigned int f;

	for (f = 0; f < OT_NR_GEN && !st.c->failed; f++)
		st_check(f, what);
	ot_expect(st.c, atomic_read(&st.bad), 0, "%s: called an %s", what,
		  st.bad_what ?: "-");
}

static void st_init(struct ot_ctx *c)
{
	memset(&st, 0, sizeof(st));
	st.c = c;
	prandom_seed_state(&st.rnd, ot_seed);
}

/* Few functions half of the time, so that some sets are shared, some not. */
static u64 st_random_funcs(void)
{
	u64 funcs;

	do {
		u32 r = prandom_u32_state(&st.rnd);

		funcs = (u64)prandom_u32_state(&st.rnd) << 32 |
			prandom_u32_state(&st.rnd);
		if (r & 1)
			funcs &= 0xffULL << (r >> 8) % 57;
		else if (r & 2)
			funcs |= 0xffffULL << (r >> 8) % 49;
	} while (!funcs);
	return funcs;
}

static int st_set_filter(struct st_ops *o, u64 funcs)
{
	unsigned long ips[OT_NR_GEN];
	unsigned int f, nr = 0;
	int err;

	for (f = 0; f < OT_NR_GEN; f++) {
		if (funcs & BIT_ULL(f))
			ips[nr++] = (unsigned long)st.c->side->tracees.gen[f];
	}
	err = ftrace_set_filter_ips(&o->ops, ips, nr, 0, 1);
	if (!err)
		o->funcs = funcs;
	return err;
}

static struct st_ops *st_new_ops(unsigned int nr, unsigned long flags)
{
	struct st_ops *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!ot_expect(st.c, !!o, 1, "memory for an ops"))
		return NULL;
	o->ops.func = st_callback;
	o->ops.flags = flags;
	o->magic = ST_MAGIC;
	o->nr = nr;
	return o;
}

static void st_free(struct st_ops *o)
{
	ftrace_free_filter(&o->ops);
	/* Nobody may have any use for it, not even for a moment. */
	memset(o, 0x6b, sizeof(*o));
	kfree(o);
}

static void st_register(struct st_ops *o)
{
	if (!o)
		return;
	if (!ot_expect(st.c, register_ftrace_function(&o->ops), 0,
		       "register ops %u", o->nr)) {
		st_free(o);
		return;
	}
	st.ops[o->nr] = o;
	st.stack[st.nr++] = o;
}

static void st_add(unsigned int nr, unsigned long flags, u64 funcs)
{
	struct st_ops *o = st_new_ops(nr, flags);

	if (o && ot_expect(st.c, st_set_filter(o, funcs), 0, "filter"))
		st_register(o);
}

static void st_del(unsigned int nr)
{
	struct st_ops *o = st.ops[nr];
	unsigned int i;

	if (!o)
		return;
	ot_expect(st.c, unregister_ftrace_function(&o->ops), 0,
		  "unregister ops %u", nr);
	for (i = 0; st.stack[i] != o; i++)
		;
	for (st.nr--; i < st.nr; i++)
		st.stack[i] = st.stack[i + 1];
	st.ops[nr] = NULL;
	st_free(o);
}

static void st_del_all(void)
{
	unsigned int nr;

	for (nr = 0; nr < ST_MAX_OPS; nr++)
		st_del(nr);
}

/* One random step with the ops from @from on, described in @what. */
static void st_random_step(unsigned int from, char *what, size_t size)
{
	static const unsigned long flags[] = {
		0, 0, 0, FTRACE_OPS_FL_RECURSION, FTRACE_OPS_FL_RCU,
		FTRACE_OPS_FL_SAVE_REGS,
		FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION,
		FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU,
	};
	unsigned int nr = from + prandom_u32_state(&st.rnd) % (ST_NR_OPS - from);
	u32 r = prandom_u32_state(&st.rnd);
	u64 funcs = st_random_funcs();

	if (!st.ops[nr]) {
		snprintf(what, size, "add ops %u, flags %lx, %llx", nr,
			 flags[r % 8], funcs);
		st_add(nr, flags[r % 8], funcs);
	} else if (r & 3) {
		snprintf(what, size, "ops %u to %llx", nr, funcs);
		ot_expect(st.c, st_set_filter(st.ops[nr], funcs), 0,
			  "change filter");
	} else {
		snprintf(what, size, "delete ops %u", nr);
		st_del(nr);
	}
}

static void st_random(unsigned int from, unsigned int steps)
{
	unsigned int i, len;
	char what[96];

	for (i = 0; i < steps && !st.c->failed; i++) {
		len = snprintf(what, sizeof(what), "seed %u, step %u: ",
			       ot_seed, i);
		st_random_step(from, what + len, sizeof(what) - len);
		st_check_all(what);
	}
}

/* Many ops on many functions: each pair, in the right order. */
static void test_sets_random(struct ot_ctx *c)
{
	st_init(c);
	st_random(0, 4 * ot_toggles);
	st_del_all();
	st_check_all("after all");
}

/* The same while another CPU calls the functions. */
static void test_sets_load(struct ot_ctx *c)
{
	st_init(c);
	ot_load_start(c);
	st_random(0, 2 * ot_toggles);
	st_del_all();
	st_check_all("after all");
	ot_load_stop(c);
	ot_expect(c, atomic64_read(&st.others) > 0, true,
		  "ops called by the load");
}

/*
 * More and more ops on a function, with other functions that have some of them
 * in common, while another CPU calls these. Then less and less, from the middle.
 */
static void test_sets_many(struct ot_ctx *c)
{
	unsigned int max = min_t(unsigned int, ST_MAX_OPS, 10 * ot_toggles);
	unsigned int counts[] = { 1, 2, 3, 10, max };
	unsigned int i, nr = 0;
	char what[32];

	st_init(c);
	ot_load_start(c);
	for (i = 0; i < ARRAY_SIZE(counts) && !c->failed; i++) {
		for (; nr < counts[i]; nr++)
			st_add(nr, nr % 7 ? 0 : FTRACE_OPS_FL_RECURSION,
			       1 | BIT_ULL(nr % OT_NR_GEN));
		snprintf(what, sizeof(what), "up to %u", nr);
		st_check_all(what);
	}
	for (i = ARRAY_SIZE(counts); i-- && !c->failed; ) {
		while (st.nr > counts[i])
			st_del(st.stack[st.nr / 2]->nr);
		snprintf(what, sizeof(what), "down to %u", st.nr);
		st_check_all(what);
	}
	st_del_all();
	st_check_all("after all");
	ot_load_stop(c);
}

/* One ops traces all of the kernel except for a changing list. */
static void test_sets_all(struct ot_ctx *c)
{
	const char *prefix = c->side == &ot_near_side ? "" : "far_";
	unsigned int i, row, len;
	struct st_ops *o;
	char name[40];

	st_init(c);
	st_random(1, 4);
	o = st_new_ops(0, 0);
	if (o) {
		o->all = true;
		o->funcs = ~0ULL;
		st_register(o);
	}
	for (i = 0; i < 2 + ot_toggles / 10 && st.ops[0] && !c->failed; i++) {
		st_check_all("all but a list");
		st_random(1, 2);
		row = prandom_u32_state(&st.rnd) % 8;
		len = snprintf(name, sizeof(name), "ftrace_test_%sgen_%u?",
			       prefix, row);
		ot_expect(c, ftrace_set_notrace(&o->ops, name, len, 1), 0,
			  "notrace");
		o->funcs = ~(0xffULL << 8 * row);
	}
	st_check_all("all, at the end");
	st_del(0);
	st_check_all("without all");
	st_del_all();
}

/* Have an ops trace all but @hidden of what is in its filter, if there is one. */
static void st_change_all(struct st_ops *o, u32 r, char *what, size_t size)
{
	const char *prefix = st.c->side == &ot_near_side ? "" : "far_";
	unsigned int row = (r >> 8) % 8, len;
	u64 funcs = st_random_funcs();
	char name[40];

	if (r & 1) {
		snprintf(what, size, "ops %u to all but row %u", o->nr, row);
		len = snprintf(name, sizeof(name), "ftrace_test_%sgen_%u?",
			       prefix, row);
		ot_expect(st.c, ftrace_set_notrace(&o->ops, name, len, 1), 0,
			  "notrace");
		o->hidden = 0xffULL << 8 * row;
	} else if (r & 2) {
		snprintf(what, size, "ops %u to all", o->nr);
		ot_expect(st.c, ftrace_set_notrace(&o->ops, NULL, 0, 1), 0,
			  "no notrace");
		ot_expect(st.c, ftrace_set_filter(&o->ops, NULL, 0, 1), 0,
			  "no filter");
		o->filter = ~0ULL;
		o->hidden = 0;
	} else {
		snprintf(what, size, "ops %u to %llx", o->nr, funcs);
		ot_expect(st.c, st_set_filter(o, funcs), 0, "filter");
		o->filter = funcs;
	}
	o->funcs = o->filter & ~o->hidden;
}

/*
 * Several ops that trace all of the kernel come, go, and change their minds, among
 * others that trace few functions.
 */
static void test_sets_all_random(struct ot_ctx *c)
{
	static const unsigned long flags[] = {
		0, 0, 0, FTRACE_OPS_FL_RECURSION, FTRACE_OPS_FL_SAVE_REGS,
	};
	unsigned int i, nr, len;
	struct st_ops *o;
	char what[96];
	u32 r;

	st_init(c);
	for (i = 0; i < 20 + ot_toggles && !c->failed; i++) {
		len = snprintf(what, sizeof(what), "seed %u, step %u: ",
			       ot_seed, i);
		r = prandom_u32_state(&st.rnd);
		nr = (r >> 16) % ST_NR_ALL;
		o = st.ops[nr];
		if (!(r & 3)) {
			st_random_step(ST_NR_ALL, what + len, sizeof(what) - len);
		} else if (!o) {
			snprintf(what + len, sizeof(what) - len,
				 "add ops %u of all, flags %lx", nr,
				 flags[(r >> 8) % ARRAY_SIZE(flags)]);
			o = st_new_ops(nr, flags[(r >> 8) % ARRAY_SIZE(flags)]);
			if (!o)
				break;
			o->all = true;
			o->filter = ~0ULL;
			o->funcs = ~0ULL;
			st_register(o);
		} else if (r & 4) {
			snprintf(what + len, sizeof(what) - len,
				 "delete ops %u of all", nr);
			st_del(nr);
		} else {
			st_change_all(o, r >> 3, what + len, sizeof(what) - len);
		}
		st_check_all(what);
	}
	st_del_all();
	st_check_all("after all");
}

/* Calls of sum2() that one call of it leads to, if @i keeps calling it. */
static void st_expect_recursion(struct ot_ctx *c, unsigned int i,
				unsigned int want0, unsigned int want1,
				const char *what)
{
	c->ops[i].recurse = true;
	ot_reset_hits(c);
	ot_call(c, OT_SUM2);
	ot_expect(c, c->ops[0].hits[OT_SUM2], want0, "%s: hits of ops 0", what);
	ot_expect(c, c->ops[1].hits[OT_SUM2], want1, "%s: hits of ops 1", what);
	c->ops[i].recurse = false;
}

/* Each ops has the help that it asked for; nobody else's help gets in its way. */
static void test_sets_help(struct ot_ctx *c)
{
	const unsigned int all = 1 + OT_MAX_DEPTH;

	ot_add_ops(c, 0, 0, BIT(OT_SUM2));
	ot_add_ops(c, 1, FTRACE_OPS_FL_RECURSION, OT_STEP_FUNCS);
	st_expect_recursion(c, 0, all, all, "the other one is guarded");
	/* The third call is the one which the guard stops. */
	st_expect_recursion(c, 1, 3, 2, "guarded one");
	ot_step(c, "guarded and not");

	ot_set_filter(c, 1, BIT(OT_OTHER));
	st_expect_recursion(c, 0, all, 0, "alone");
	ot_set_filter(c, 1, OT_STEP_FUNCS);
	st_expect_recursion(c, 0, all, all, "two again");
	ot_del_ops(c, 0);
	st_expect_recursion(c, 1, 0, 2, "guarded one alone");
	ot_del_ops(c, 1);

	ot_add_ops(c, 0, FTRACE_OPS_FL_SAVE_REGS, BIT(OT_SUM2));
	ot_add_ops(c, 1, 0, BIT(OT_SUM2));
	st_expect_recursion(c, 0, all, all, "registers and not");
	ot_step(c, "registers and not");
}

/* Ops come to a direct call and leave it, and it changes meanwhile. */
static void st_share_direct(struct ot_ctx *c, enum ot_api api)
{
	static const unsigned long flags[] = {
		0, FTRACE_OPS_FL_RECURSION, FTRACE_OPS_FL_SAVE_REGS,
	};
	unsigned int i;

	ot_add_direct(c, api, BIT(OT_SUM2), ot_tramp(c->side, 0));
	ot_step(c, "direct call");
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ot_add_ops(c, i, flags[i], OT_STEP_FUNCS);
		ot_step(c, "one more ops");
		ot_modify_direct(c, api, BIT(OT_SUM2),
				 ot_tramp(i & 1 ? c->side : c->away, 1));
		ot_step(c, "another trampoline");
	}
	ot_set_filter(c, 1, BIT(OT_OTHER));
	ot_step(c, "one less");
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ot_del_ops(c, i);
		ot_step(c, "ops unregistered");
	}
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		ot_add_ops(c, i, flags[i], OT_STEP_FUNCS);
	ot_del_direct(c, api, BIT(OT_SUM2));
	ot_step(c, "the ops that are left");
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		ot_del_ops(c, i);
}

static void test_sets_direct(struct ot_ctx *c)
{
	ot_load_start(c);
	st_share_direct(c, OT_LEGACY);
	st_share_direct(c, OT_MULTI);
	ot_load_stop(c);
}

/* Fail each allocation in turn: no registration fails, and no call gets lost. */
static void test_sets_memory(struct ot_ctx *c)
{
	unsigned int n, failed = 0;
	struct st_ops *o;
	bool done = false;
	int err;

	st_init(c);
	if (ot_fail_start()) {
		c->skip = "no way to have allocations fail";
		return;
	}
	st_add(0, 0, 0xff);
	st_add(1, FTRACE_OPS_FL_RECURSION, 0xf0);
	for (n = 1; !done && n < 200 && !c->failed; n++) {
		o = st_new_ops(2, 0);
		if (!o)
			break;
		ot_expect(c, st_set_filter(o, 0x3c3c), 0, "filter");
		ot_fail(n);
		st_register(o);
		done = !ot_fail_done();
		failed += !done;
		st_check_all("register");

		if (!st.ops[2])
			break;

		/* A change of its functions may fail, for memory of its own. */
		ot_fail(n);
		err = st_set_filter(o, 0xffc0);
		done &= !ot_fail_done();
		ot_expect(c, !err || err == -ENOMEM, true, "change: error %d",
			  err);
		st_check_all("change");

		ot_fail(n);
		st_del(2);
		done &= !ot_fail_done();
		st_check_all("unregister");
	}
	ot_fail_stop();
	ot_note(c, "%u allocations failed one by one, %u of them to register",
		n - 2, failed);
	ot_expect(c, failed > 0, true, "allocations that failed");
	st_add(3, 0, ~0ULL);
	st_check_all("with memory again");
	st_del_all();
}

const struct ot_test ot_sets_tests[] = {
	{ "sets_random", 0, test_sets_random },
	{ "sets_load", 0, test_sets_load },
	{ "sets_many", 0, test_sets_many },
	{ "sets_all", 0, test_sets_all },
	{ "sets_all_random", 0, test_sets_all_random },
	{ "sets_help", OT_NEEDS_SETS, test_sets_help },
	{ "sets_direct", OT_NEEDS_DIRECT, test_sets_direct },
	{ "sets_memory", OT_NEEDS_SETS, test_sets_memory },
};

const unsigned int ot_nr_sets_tests = ARRAY_SIZE(ot_sets_tests);

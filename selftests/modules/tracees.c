// SPDX-License-Identifier: GPL-2.0
/*
 * A module with many functions to trace, for tests which load and unload it.
 * Writing a number to its parameter "call" calls all of them that many times;
 * reading it gives the number of calls made that returned the right value. The
 * parameter "types" does so for some functions with other arguments and return
 * values. Writing to "returned" calls ftrace_typed_u64() with that value, and
 * reading it tells what came back. "widened" does so for all types, and tells what
 * each becomes when it is converted to 64 bits. Writing an address to "bad" calls
 * ftrace_typed_bad() with that, or with a pointer to where nothing is if it is 0;
 * "bad_locked" does so with the mmap_lock of the task held.
 * Writing to "variadic" calls functions with a variable number of arguments, which
 * look at the stack, and reading it tells how many of them have found their caller.
 * Writing a number to "unwatched" calls functions that many times where RCU is not
 * watching, and reading it tells how many have seen that.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/compiler.h>
#include <linux/context_tracking.h>
#include <linux/error-injection.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "namesake.h"

#ifdef CONFIG_RISCV
/* A call site that is nowhere, like those of discarded functions: it has to be skipped. */
asm(".pushsection __patchable_function_entries, \"awo\", @progbits, .text\n"
    "	.balign	8\n"
    "	.8byte	0\n"
    ".popsection\n");
#endif

#define GEN(h, l)						\
static noinline __noclone int ftrace_tracee_##h##l(int x)	\
{								\
	return x + 8 * (h) + (l);				\
}

#include "gen.h"
#undef GEN

static int (*const tracees[])(int x) = {
#define GEN(h, l)	ftrace_tracee_##h##l,
#include "gen.h"
#undef GEN
};

/* As many arguments as there are registers for, of all widths, and one more. */
static noinline __noclone u64 ftrace_typed_args8(u64 a, int b, short c,
						  signed char d, u64 e, int f,
						  unsigned short g, u64 h)
{
	return a + b + c + d + e + f + g + h;
}

static noinline __noclone u64 ftrace_typed_args9(u64 a, u64 b, u64 c, u64 d,
						  u64 e, u64 f, u64 g, u64 h,
						  u64 i)
{
	return a + b + c + d + e + f + g + h + i;
}

struct ftrace_typed_two {
	u64 a;
	u32 b;
};

/* An argument that takes two registers. */
static noinline __noclone u64 ftrace_typed_pair(int x,
						 struct ftrace_typed_two two,
						 u64 y)
{
	return x + two.a + two.b + y;
}

/* As many arguments as a program can see. */
static noinline __noclone u64 ftrace_typed_args12(u64 a, int b, u64 c, u64 d,
						   u64 e, u64 f, u64 g, u64 h,
						   int i, signed char j,
						   unsigned short k, u64 l)
{
	return a + b + c + d + e + f + g + h + i + j + k + l;
}

struct ftrace_typed_three {
	u64 a, b, c;
};

struct ftrace_typed_small {
	u32 a;
	u8 b;
};

/* Where seven registers are taken, an argument for two may be on the stack. */
static noinline __noclone u64 ftrace_typed_mixed(u64 a, u64 b, u64 c, u64 d,
						  u64 e, u64 f, u64 g,
						  struct ftrace_typed_two two,
						  struct ftrace_typed_small small,
						  int h)
{
	return a + b + c + d + e + f + g + two.a + two.b + small.a + small.b +
	       h;
}

/* What BTF does not tell of an argument: where it is may depend on its alignment. */
struct ftrace_typed_aligned {
	u64 a __aligned(16);
	u64 b;
};

static noinline __noclone u64 ftrace_typed_align(int x,
						  struct ftrace_typed_aligned two,
						  int y,
						  struct ftrace_typed_aligned more)
{
	return x + two.a + two.b + y + more.a + more.b;
}

static noinline __noclone u64 ftrace_typed_int128(int x, unsigned __int128 wide,
						 u64 y)
{
	return x + wide + (wide >> 64) + y;
}

/* If the alignment were 16 bytes, the last one would be on the stack. */
static noinline __noclone u64 ftrace_typed_unsure(int x,
						   struct ftrace_typed_two two,
						   int y,
						   struct ftrace_typed_two more,
						   int z)
{
	return x + two.a + two.b + y + more.a + more.b + z;
}

/* BTF may have that of namesake.c, without arguments. */
static noinline __noclone u64 ftrace_namesake(u64 a, u64 b, u64 c, u64 d, u64 e,
					       u64 f, u64 g, u64 h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

/* Likewise. The caller passes the address of the result, on arm64 in x8. */
static noinline __noclone struct ftrace_typed_three ftrace_namesake_three(u64 a)
{
	return (struct ftrace_typed_three){ a, a + 1, a + 2 };
}

/* The kernel has one of this name, too, in drivers/char/random.c. */
static noinline __noclone u64 proc_do_uuid(u64 a)
{
	return a + 1;
}

/* Fields which are further away than a load can reach by one instruction */
struct ftrace_typed_far {
	u64 a;
	u8 space[2040], byte;
	u16 half;
	u32 word;
};

/* For programs to read what its argument points to */
static noinline __noclone bool ftrace_typed_bad(const struct ftrace_typed_far *bad)
{
	return bad;
}

/*
 * Functions which return their argument in all widths. The conversions have to
 * happen here, not in the caller, which may look at a whole register.
 */
#define TYPES(do)					\
	do(s8, s8) do(u8, u8) do(s16, s16) do(u16, u16)	\
	do(s32, s32) do(u32, u32) do(s64, s64) do(u64, u64) do(bool, bool)

#define TRACEE(name, type)						\
static noinline __noclone type ftrace_typed_##name(long x)		\
{									\
	return x;							\
}
TYPES(TRACEE)

/* Programs may change what they return. */
#define INJECT(name, type)	ALLOW_ERROR_INJECTION(ftrace_typed_##name, ERRNO);
TYPES(INJECT)

/*
 * A trampoline has no argument to save. Of a static function it saves all registers,
 * see BTF_FMODEL_UNSURE.
 */
int ftrace_typed_nothing(void);
noinline __noclone int ftrace_typed_nothing(void)
{
	return 7;
}
ALLOW_ERROR_INJECTION(ftrace_typed_nothing, ERRNO);

/*
 * Call a function that the compiler must not recognize: what it knows of one, such as
 * that a result depends on arguments alone, it may use where the function is called
 * even if it must not be inlined.
 */
#define CALL_UNKNOWN(func, ...) ({			\
	typeof(&(func)) unknown = &(func);		\
							\
	OPTIMIZER_HIDE_VAR(unknown);			\
	unknown(__VA_ARGS__); })

static unsigned int good_calls, good_types;
static u64 returned;
static s64 widened[9];

static int set_types(const char *val, const struct kernel_param *kp)
{
	static const long values[] = {
		0, 1, -1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
		0x80000000, 0xffffffff, 0x123456789abcdef0,
	};
	const struct ftrace_typed_two two = { 0x2222222222222222, 3 };
	const struct ftrace_typed_small small = { 0x90000009, 10 };
	const struct ftrace_typed_aligned aligned = { 2, 3 }, more = { 5, 6 };
	struct ftrace_typed_three three;
	unsigned int i;

	good_types += CALL_UNKNOWN(ftrace_typed_args8, 0x8000000000000001, -2,
				   -3, -4, 0x5555555555555555, 6, 0xfff7,
				   0x8888888800000000) == 0x5ddddddd5556554a;
	good_types += CALL_UNKNOWN(ftrace_typed_args9, 1, 2, 3, 4, 5, 6, 7, 8,
				   9) == 45;
	good_types += CALL_UNKNOWN(ftrace_typed_pair, 1, two,
				   0x4444444444444444) == 0x666666666666666a;
	good_types += CALL_UNKNOWN(ftrace_typed_args12, 1, -2, 3, 4, 5, 6, 7, 8,
				   -9, -10, 0xfff7, 0x4444444444444444) ==
		      0x4444444444454448;
	good_types += CALL_UNKNOWN(ftrace_typed_mixed, 1, 2, 3, 4, 5, 6, 7, two,
				   small, -11) == 0x22222222b2222249;
	good_types += CALL_UNKNOWN(ftrace_typed_align, 1, aligned, 4, more) ==
		      21;
	good_types += CALL_UNKNOWN(ftrace_typed_int128, 1,
				   (unsigned __int128)3 << 64 | 2, 4) == 10;
	good_types += CALL_UNKNOWN(ftrace_namesake, 1, 2, 3, 4, 5, 6, 7, 8) == 204;
	three = CALL_UNKNOWN(ftrace_namesake_three, 1);
	good_types += three.a == 1 && three.b == 2 && three.c == 3;
	good_types += CALL_UNKNOWN(proc_do_uuid, ftrace_call_namesake()) > 0;
	good_types += CALL_UNKNOWN(ftrace_typed_unsure, 1, two, -2, two, 3) ==
		      0x444444444444444c;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
#define CALL(name, type)						\
		good_types += CALL_UNKNOWN(ftrace_typed_##name,		\
					   values[i]) == (type)values[i];
		TYPES(CALL)
#undef CALL
	}
	return 0;
}

static int get_types(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n", good_types);
}

static const struct kernel_param_ops types_ops = {
	.set = set_types,
	.get = get_types,
};

module_param_cb(types, &types_ops, NULL, 0644);
MODULE_PARM_DESC(types, "Call functions of various types");

static int get_nothing(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%d\n", CALL_UNKNOWN(ftrace_typed_nothing));
}

static const struct kernel_param_ops nothing_ops = {
	.get = get_nothing,
};

module_param_cb(nothing, &nothing_ops, NULL, 0444);
MODULE_PARM_DESC(nothing, "What a function without arguments returns");

static int set_returned(const char *val, const struct kernel_param *kp)
{
	long x;
	int err = kstrtol(val, 0, &x);

	if (!err)
		returned = CALL_UNKNOWN(ftrace_typed_u64, x);
	return err;
}

static int get_returned(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%#llx\n", returned);
}

static const struct kernel_param_ops returned_ops = {
	.set = set_returned,
	.get = get_returned,
};

module_param_cb(returned, &returned_ops, NULL, 0644);
MODULE_PARM_DESC(returned, "What ftrace_typed_u64() returns");

static int set_widened(const char *val, const struct kernel_param *kp)
{
	unsigned int i = 0;
	long x;
	int err = kstrtol(val, 0, &x);

	if (err)
		return err;
	/* Where the ABI says that it has been done, the compiler does nothing. */
#define WIDEN(name, type)	widened[i++] = CALL_UNKNOWN(ftrace_typed_##name, x);
	TYPES(WIDEN)
#undef WIDEN
	return 0;
}

static int get_widened(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < ARRAY_SIZE(widened); i++)
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%lld\n", widened[i]);
	return n;
}

static const struct kernel_param_ops widened_ops = {
	.set = set_widened,
	.get = get_widened,
};

module_param_cb(widened, &widened_ops, NULL, 0644);
MODULE_PARM_DESC(widened, "What functions of various types return, as 64 bits");

static int set_bad(const char *val, const struct kernel_param *kp)
{
	char *page = NULL;
	unsigned long bad;
	int err;

	err = kstrtoul(val, 0, &bad);
	if (err)
		return err;
	if (!bad) {
		page = vmalloc(PAGE_SIZE);
		if (!page)
			return -ENOMEM;
		/* Behind it there is a page where nothing gets mapped. */
		bad = (unsigned long)page + PAGE_SIZE;
	}
	CALL_UNKNOWN(ftrace_typed_bad, (void *)bad);
	vfree(page);
	return 0;
}

static const struct kernel_param_ops bad_ops = {
	.set = set_bad,
};

module_param_cb(bad, &bad_ops, NULL, 0200);
MODULE_PARM_DESC(bad, "Call a function with a bad pointer");

static int set_bad_locked(const char *val, const struct kernel_param *kp)
{
	int err;

	mmap_write_lock(current->mm);
	err = set_bad(val, kp);
	mmap_write_unlock(current->mm);
	return err;
}

static const struct kernel_param_ops bad_locked_ops = {
	.set = set_bad_locked,
};

module_param_cb(bad_locked, &bad_locked_ops, NULL, 0200);
MODULE_PARM_DESC(bad_locked, "The same, with mmap_lock held");

/* Is the caller of a function of this name the next one in a stack trace? */
static noinline bool finds_caller(const char *func, const char *caller)
{
	static char name[KSYM_SYMBOL_LEN];
	unsigned long entries[16];
	unsigned int i, nr;

	nr = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i + 1 < nr; i++) {
		sprint_symbol(name, entries[i]);
		if (!str_has_prefix(name, func))
			continue;
		sprint_symbol(name, entries[i + 1]);
		return str_has_prefix(name, caller);
	}
	return false;
}

static unsigned int good_variadic;

/*
 * Those which may be in registers are stored next to the others, on the stack of
 * the caller: so many as there are registers left for them.
 */
#define VARIADIC(do)							\
	do(1, (int a, ...), a, (1, 2, 3))				\
	do(3, (int a, int b, int c, ...), c, (1, 2, 3, 4))		\
	do(5, (int a, int b, int c, int d, int e, ...), e,		\
	   (1, 2, 3, 4, 5, 6))						\
	do(7, (int a, int b, int c, int d, int e, int f, int g, ...), g, \
	   (1, 2, 3, 4, 5, 6, 7, 8))					\
	do(8, (int a, int b, int c, int d, int e, int f, int g, int h,	\
	       ...), h, (1, 2, 3, 4, 5, 6, 7, 8, 9))

#define VARIADIC_FUNC(nr, params, last, args)				\
static noinline __noclone int ftrace_variadic_##nr params		\
{									\
	va_list list;							\
	int next;							\
									\
	va_start(list, last);						\
	good_variadic += finds_caller("ftrace_variadic_" #nr "+",	\
				      "set_variadic+");			\
	next = va_arg(list, int);					\
	va_end(list);							\
	return next;							\
}
VARIADIC(VARIADIC_FUNC)

static noinline int set_variadic(const char *val, const struct kernel_param *kp)
{
	int good = 0;

#define VARIADIC_CALL(nr, params, last, args)	good += ftrace_variadic_##nr args;
	VARIADIC(VARIADIC_CALL)
#undef VARIADIC_CALL
	/* Each returns its first argument without a name. */
	return good == 2 + 4 + 6 + 8 + 9 ? 0 : -EIO;
}

static int get_variadic(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n", good_variadic);
}

static const struct kernel_param_ops variadic_ops = {
	.set = set_variadic,
	.get = get_variadic,
};

module_param_cb(variadic, &variadic_ops, NULL, 0644);
MODULE_PARM_DESC(variadic, "Call functions that look at the stack");

static unsigned int good_unwatched;

/* As the idle loop does it: RCU stops watching, does not watch, and watches again. */
static noinline __noclone void ftrace_rcu_leaves(void)
{
	ct_idle_enter();
}

static noinline __noclone int ftrace_rcu_away(int x)
{
	good_unwatched += !rcu_is_watching();
	return x + 1;
}

static noinline __noclone void ftrace_rcu_returns(void)
{
	ct_idle_exit();
}

static int set_unwatched(const char *val, const struct kernel_param *kp)
{
	unsigned int times;
	unsigned long flags;
	int err;

	err = kstrtouint(val, 0, &times);
	if (err)
		return err;
	/* This wants to see the idle task do it. */
	if (IS_ENABLED(CONFIG_RCU_EQS_DEBUG))
		return 0;
	while (times--) {
		local_irq_save(flags);
		/* RCU always watches other tasks than idle ones. */
		current->flags |= PF_IDLE;
		ftrace_rcu_leaves();
		ftrace_rcu_away(times);
		ftrace_rcu_returns();
		current->flags &= ~PF_IDLE;
		local_irq_restore(flags);
	}
	return 0;
}

static int get_unwatched(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n", good_unwatched);
}

static const struct kernel_param_ops unwatched_ops = {
	.set = set_unwatched,
	.get = get_unwatched,
};

module_param_cb(unwatched, &unwatched_ops, NULL, 0644);
MODULE_PARM_DESC(unwatched, "Call functions where RCU is not watching");

static int set_call(const char *val, const struct kernel_param *kp)
{
	unsigned int i, times;
	int err;

	err = kstrtouint(val, 0, &times);
	if (err)
		return err;
	while (times--) {
		for (i = 0; i < ARRAY_SIZE(tracees); i++)
			good_calls += tracees[i](times) == times + i;
	}
	return 0;
}

static int get_call(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n", good_calls);
}

static const struct kernel_param_ops call_ops = {
	.set = set_call,
	.get = get_call,
};

module_param_cb(call, &call_ops, NULL, 0644);
MODULE_PARM_DESC(call, "Call all functions so many times");

/*
 * For programs to call. They leave anything in the bits of a register that are not part of
 * the argument, and on some architectures callers have to extend it.
 */
static noinline __used u32 ftrace_widths(s8 a, u8 b, s16 c, u16 d, s32 e)
{
	s64 sum = (s64)a + 3 * (s64)b + 5 * (s64)c + 7 * (s64)d + 11 * (s64)e;

	return sum ^ sum >> 32;
}

BTF_SET8_START(ftrace_tracees_kfuncs)
BTF_ID_FLAGS(func, ftrace_widths)
BTF_SET8_END(ftrace_tracees_kfuncs)

static const struct btf_kfunc_id_set ftrace_tracees_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &ftrace_tracees_kfuncs,
};

static int __init ftrace_tracees_init(void)
{
	/* Without BTF there is no program to miss it. */
	register_btf_kfunc_id_set(BPF_PROG_TYPE_SYSCALL, &ftrace_tracees_kfunc_set);

	return 0;
}

static void __exit ftrace_tracees_exit(void)
{
}

module_init(ftrace_tracees_init);
module_exit(ftrace_tracees_exit);

MODULE_DESCRIPTION("Many functions to trace");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of bpf_runner --test. All of them count only what the task "tid"
 * does, so that user space can compare exactly while others use the same
 * functions.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EPERM	1

__u32 tid;
/* Per program: calls, and of these the ones with the right arguments. */
__u64 entry_hits[8], entry_good[8];
__u64 exit_hits[8], exit_good[8];
/* Order of events: each takes the next number. */
__u64 seq, entry_seq, mod_seq, exit_seq;
__u64 mod_hits;
__s64 mod_ret, exit_ret, exit_arg;
__u64 func_ip, func_ip_exit, func_ip_kprobe, arg_cnt, arg_0, ret_0;
__u64 kprobe_hits, kretprobe_hits;
__u64 sleep_entry, sleep_exit;
__u64 lsm_hits;
__u32 lsm_deny;	/* not bool: the verifier has to see a range of 0 to 1 */
__u64 bench_entry, bench_exit, bench_bad, bench_mod;
/* The functions of the module ftrace_tracees. */
__u64 args_entry, args_exit, args_wrong, args_ip;
__u64 ret_hits[10], ret_good[10];
__u64 mod_u64;
__u64 tail_loops, new_hits;

static __always_inline bool mine(void)
{
	return (__u32)bpf_get_current_pid_tgid() == tid;
}

static __always_inline int entry(int nr, bool good)
{
	if (mine()) {
		entry_hits[nr]++;
		entry_good[nr] += good;
	}
	return 0;
}

static __always_inline int exit(int nr, bool good)
{
	if (mine()) {
		exit_hits[nr]++;
		exit_good[nr] += good;
	}
	return 0;
}

/* Loaded for BPF_PROG_TEST_RUN only, which calls the functions below. */
SEC("?fentry/bpf_fentry_test8")
int driver(void *ctx)
{
	return 0;
}

SEC("?fentry/bpf_fentry_test1")
int BPF_PROG(entry1, int a)
{
	return entry(0, a == 1);
}

SEC("?fentry/bpf_fentry_test2")
int BPF_PROG(entry2, int a, __u64 b)
{
	return entry(1, a == 2 && b == 3);
}

SEC("?fentry/bpf_fentry_test3")
int BPF_PROG(entry3, char a, int b, __u64 c)
{
	return entry(2, a == 4 && b == 5 && c == 6);
}

SEC("?fentry/bpf_fentry_test4")
int BPF_PROG(entry4, __u64 a, char b, int c, __u64 d)
{
	return entry(3, a == 7 && b == 8 && c == 9 && d == 10);
}

SEC("?fentry/bpf_fentry_test5")
int BPF_PROG(entry5, __u64 a, __u64 b, short c, int d, __u64 e)
{
	return entry(4, a == 11 && b == 12 && c == 13 && d == 14 && e == 15);
}

SEC("?fentry/bpf_fentry_test6")
int BPF_PROG(entry6, __u64 a, __u64 b, short c, int d, __u64 e, __u64 f)
{
	return entry(5, a == 16 && b == 17 && c == 18 && d == 19 && e == 20 &&
		     f == 21);
}

SEC("?fentry/bpf_fentry_test7")
int BPF_PROG(entry7, struct bpf_fentry_test_t *arg)
{
	return entry(6, !arg);
}

SEC("?fentry/bpf_fentry_test8")
int BPF_PROG(entry8, struct bpf_fentry_test_t *arg)
{
	return entry(7, arg && !arg->a);
}

SEC("?fexit/bpf_fentry_test1")
int BPF_PROG(exit1, int a, int ret)
{
	return exit(0, a == 1 && ret == 2);
}

SEC("?fexit/bpf_fentry_test2")
int BPF_PROG(exit2, int a, __u64 b, int ret)
{
	return exit(1, a == 2 && b == 3 && ret == 5);
}

SEC("?fexit/bpf_fentry_test3")
int BPF_PROG(exit3, char a, int b, __u64 c, int ret)
{
	return exit(2, a == 4 && b == 5 && c == 6 && ret == 15);
}

SEC("?fexit/bpf_fentry_test4")
int BPF_PROG(exit4, __u64 a, char b, int c, __u64 d, int ret)
{
	return exit(3, a == 7 && b == 8 && c == 9 && d == 10 && ret == 34);
}

SEC("?fexit/bpf_fentry_test5")
int BPF_PROG(exit5, __u64 a, __u64 b, short c, int d, __u64 e, int ret)
{
	return exit(4, a == 11 && b == 12 && c == 13 && d == 14 && e == 15 &&
		    ret == 65);
}

SEC("?fexit/bpf_fentry_test6")
int BPF_PROG(exit6, __u64 a, __u64 b, short c, int d, __u64 e, __u64 f, int ret)
{
	return exit(5, a == 16 && b == 17 && c == 18 && d == 19 && e == 20 &&
		    f == 21 && ret == 111);
}

/* This one returns its argument. */
SEC("?fexit/bpf_fentry_test7")
int BPF_PROG(exit7, struct bpf_fentry_test_t *arg, int ret)
{
	return exit(6, !ret);
}

SEC("?fexit/bpf_fentry_test8")
int BPF_PROG(exit8, struct bpf_fentry_test_t *arg, int ret)
{
	return exit(7, arg && !ret);
}

/* Further ones of the same function, to share its trampoline. */
SEC("?fentry/bpf_fentry_test1")
int BPF_PROG(entry1_too, int a)
{
	return entry(1, a == 1);
}

SEC("?fexit/bpf_fentry_test1")
int BPF_PROG(exit1_too, int a, int ret)
{
	return exit(1, a == 1 && ret == 2);
}

SEC("?fentry/bpf_modify_return_test")
int BPF_PROG(mod_entry, int a, int *b)
{
	entry_seq = ++seq;
	return 0;
}

SEC("?fmod_ret/bpf_modify_return_test")
int BPF_PROG(mod, int a, int *b, int ret)
{
	mod_seq = ++seq;
	mod_hits++;
	return mod_ret;
}

SEC("?fexit/bpf_modify_return_test")
int BPF_PROG(mod_exit, int a, int *b, int ret)
{
	exit_seq = ++seq;
	exit_arg = a;
	exit_ret = ret;
	return 0;
}

SEC("?fentry/bpf_fentry_test2")
int helpers_entry(void *ctx)
{
	if (mine()) {
		func_ip = bpf_get_func_ip(ctx);
		arg_cnt = bpf_get_func_arg_cnt(ctx);
		bpf_get_func_arg(ctx, 0, &arg_0);
	}
	return 0;
}

SEC("?fexit/bpf_fentry_test2")
int helpers_exit(void *ctx)
{
	if (mine()) {
		func_ip_exit = bpf_get_func_ip(ctx);
		bpf_get_func_ret(ctx, &ret_0);
	}
	return 0;
}

/* On powerpc this one begins by the TOC, behind which the probe is. */
SEC("?kprobe/bpf_prog_test_run_tracing")
int helpers_kprobe(void *ctx)
{
	if (mine())
		func_ip_kprobe = bpf_get_func_ip(ctx);
	return 0;
}

SEC("?kprobe/bpf_fentry_test1")
int kprobe1(void *ctx)
{
	if (mine())
		kprobe_hits++;
	return 0;
}

SEC("?kretprobe/bpf_fentry_test1")
int kretprobe1(void *ctx)
{
	if (mine())
		kretprobe_hits++;
	return 0;
}

/* Return from the function before it starts. */
SEC("?kprobe/bpf_modify_return_test")
int override(struct pt_regs *ctx)
{
	kprobe_hits++;
	bpf_override_return(ctx, -22);
	return 0;
}

SEC("?fentry/hrtimer_nanosleep")
int sleep_in(void *ctx)
{
	if (mine())
		sleep_entry++;
	return 0;
}

SEC("?fexit/hrtimer_nanosleep")
int sleep_out(void *ctx)
{
	if (mine())
		sleep_exit++;
	return 0;
}

SEC("?lsm/file_open")
int BPF_PROG(open_hook, struct file *file)
{
	if (!mine())
		return 0;
	lsm_hits++;
	return lsm_deny ? -EPERM : 0;
}

/* For all tasks in a cgroup, where 0 is what denies */
SEC("?lsm_cgroup/file_open")
int BPF_PROG(open_in_cgroup, struct file *file)
{
	lsm_hits++;
	return !lsm_deny;
}

/* A program to be traced by the two after it. */
SEC("?tc")
int target(struct __sk_buff *skb)
{
	return skb->len + 7;
}

SEC("?fentry")
int BPF_PROG(target_in, struct sk_buff *skb)
{
	return entry(0, skb->len == 64);
}

SEC("?fexit")
int BPF_PROG(target_out, struct sk_buff *skb, int ret)
{
	return exit(0, skb->len == 64 && ret == 71);
}

/*
 * Calls of a function that is a program of its own to the kernel. It returns
 * more than 32 bits to its caller.
 */
__noinline __u64 wide(__u64 len)
{
	asm volatile ("" : "+r" (len));
	return len << 32 | 5;
}

SEC("?tc")
int wide_caller(struct __sk_buff *skb)
{
	__u64 ret = wide(skb->len);

	if ((__u32)ret == 5)
		return ret >> 32;
	return (__u32)ret == 6 ? 1000 + (ret >> 32) : -1;
}

SEC("?fentry")
int BPF_PROG(wide_in, __u64 len)
{
	return entry(0, len == 64);
}

SEC("?fexit")
int BPF_PROG(wide_out, __u64 len, __u64 ret)
{
	return exit(0, len == 64 && ret == (64ULL << 32 | 5));
}

SEC("?freplace")
__u64 wide_new(__u64 len)
{
	new_hits++;
	return len << 32 | 6;
}

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} jumps SEC(".maps");

/* Jumps to tail_to. */
SEC("?tc")
int tail_from(struct __sk_buff *skb)
{
	bpf_tail_call(skb, &jumps, 0);
	return -1;
}

SEC("?tc")
int tail_to(struct __sk_buff *skb)
{
	return skb->len + 9;
}

/* Jumps to itself until the kernel has enough of it. */
SEC("?tc")
int tail_loop(struct __sk_buff *skb)
{
	tail_loops++;
	bpf_tail_call(skb, &jumps, 1);
	return skb->len;
}

SEC("?fentry")
int BPF_PROG(tail_in, struct sk_buff *skb)
{
	return entry(0, skb->len == 64);
}

SEC("?fexit")
int BPF_PROG(tail_out, struct sk_buff *skb, int ret)
{
	return exit(0, skb->len == 64 && ret == 73);
}

SEC("?fentry")
int BPF_PROG(loop_in, struct sk_buff *skb)
{
	return entry(1, skb->len == 64);
}

SEC("?fexit")
int BPF_PROG(loop_out, struct sk_buff *skb, int ret)
{
	return exit(1, skb->len == 64 && ret == 64);
}

/* Longer than one branch instruction spans on some architectures. */
SEC("?tc")
int big(struct __sk_buff *skb)
{
	__u64 len = skb->len;

	asm volatile (".rept 10000\n"
		      "%0 = be64 %0\n"
		      ".endr" : "+r" (len));
	return len + 9;
}

static __always_inline bool args_good(__u64 a, int b, short c, signed char d,
				      __u64 e, int f, unsigned short g, __u64 h)
{
	return a == 0x8000000000000001 && b == -2 && c == -3 && d == -4 &&
	       e == 0x5555555555555555 && f == 6 && g == 0xfff7 &&
	       h == 0x8888888800000000;
}

SEC("?fentry/ftrace_typed_args8")
int BPF_PROG(args_in, __u64 a, int b, short c, signed char d, __u64 e, int f,
	     unsigned short g, __u64 h)
{
	args_entry++;
	args_ip = bpf_get_func_ip(ctx);
	args_wrong += !args_good(a, b, c, d, e, f, g, h);
	return 0;
}

SEC("?fexit/ftrace_typed_args8")
int BPF_PROG(args_out, __u64 a, int b, short c, signed char d, __u64 e, int f,
	     unsigned short g, __u64 h, __u64 ret)
{
	args_exit++;
	args_wrong += !args_good(a, b, c, d, e, f, g, h) ||
		      ret != a + b + c + d + e + f + g + h;
	return 0;
}

/* The ninth argument is on the stack. */
static __always_inline bool args9_good(const __u64 *ctx)
{
	return ctx[0] == 1 && ctx[1] == 2 && ctx[2] == 3 && ctx[3] == 4 &&
	       ctx[4] == 5 && ctx[5] == 6 && ctx[6] == 7 && ctx[7] == 8 &&
	       ctx[8] == 9;
}

SEC("?fentry/ftrace_typed_args9")
int args9_in(__u64 *ctx)
{
	args_entry++;
	args_wrong += !args9_good(ctx);
	return 0;
}

SEC("?fexit/ftrace_typed_args9")
int args9_out(__u64 *ctx)
{
	args_exit++;
	args_wrong += !args9_good(ctx) || ctx[9] != 45;
	return 0;
}

/* The argument is 2 * 8 bytes. */
SEC("?fentry/ftrace_typed_pair")
int pair_in(__u64 *ctx)
{
	args_entry++;
	args_wrong += (__u32)ctx[0] != 1 || ctx[1] != 0x2222222222222222 ||
		      (__u32)ctx[2] != 3 || ctx[3] != 0x4444444444444444;
	return 0;
}

SEC("?fexit/ftrace_typed_pair")
int pair_out(__u64 *ctx)
{
	args_exit++;
	args_wrong += (__u32)ctx[0] != 1 || ctx[1] != 0x2222222222222222 ||
		      (__u32)ctx[2] != 3 || ctx[3] != 0x4444444444444444 ||
		      ctx[4] != 0x6666666666666666 + 4;
	return 0;
}

static __always_inline bool args12_good(const __u64 *ctx)
{
	return ctx[0] == 1 && (int)ctx[1] == -2 && ctx[2] == 3 &&
	       ctx[3] == 4 && ctx[4] == 5 && ctx[5] == 6 && ctx[6] == 7 &&
	       ctx[7] == 8 && (int)ctx[8] == -9 &&
	       (signed char)ctx[9] == -10 && (unsigned short)ctx[10] == 0xfff7 &&
	       ctx[11] == 0x4444444444444444;
}

SEC("?fentry/ftrace_typed_args12")
int args12_in(__u64 *ctx)
{
	args_entry++;
	args_wrong += !args12_good(ctx);
	return 0;
}

/* There is no way to look at ctx[12]. */
SEC("?fexit/ftrace_typed_args12")
int args12_out(__u64 *ctx)
{
	__u64 ret = 0;

	args_exit++;
	bpf_get_func_ret(ctx, &ret);
	args_wrong += !args12_good(ctx) || ret != 0x4444444444454448;
	return 0;
}

/* The arguments are 11 * 8 bytes. */
static __always_inline bool mixed_good(__u64 *ctx)
{
	return ctx[0] == 1 && ctx[1] == 2 && ctx[2] == 3 && ctx[3] == 4 &&
	       ctx[4] == 5 && ctx[5] == 6 && ctx[6] == 7 &&
	       ctx[7] == 0x2222222222222222 && (__u32)ctx[8] == 3 &&
	       (__u32)ctx[9] == 0x90000009 && (__u8)(ctx[9] >> 32) == 10 &&
	       (int)ctx[10] == -11 && bpf_get_func_arg_cnt(ctx) == 11;
}

SEC("?fentry/ftrace_typed_mixed")
int mixed_in(__u64 *ctx)
{
	args_entry++;
	args_wrong += !mixed_good(ctx);
	return 0;
}

SEC("?fexit/ftrace_typed_mixed")
int mixed_out(__u64 *ctx)
{
	args_exit++;
	args_wrong += !mixed_good(ctx) || ctx[11] != 0x22222222b2222249;
	return 0;
}

SEC("?fentry/ftrace_typed_align")
int align_in(__u64 *ctx)
{
	args_entry++;
	return 0;
}

SEC("?fexit/ftrace_typed_align")
int align_out(__u64 *ctx)
{
	__u64 ret = 0;

	args_exit++;
	bpf_get_func_ret(ctx, &ret);
	args_wrong += ret != 21;
	return 0;
}

/* A value of 128 bits is not to be looked at, but what comes after it is. */
SEC("?fentry/ftrace_typed_int128")
int int128_in(__u64 *ctx)
{
	args_entry++;
	args_wrong += (int)ctx[0] != 1 || ctx[3] != 4;
	return 0;
}

SEC("?fexit/ftrace_typed_int128")
int int128_out(__u64 *ctx)
{
	args_exit++;
	args_wrong += (int)ctx[0] != 1 || ctx[3] != 4 || ctx[4] != 10;
	return 0;
}

SEC("?fentry/ftrace_typed_unsure")
int unsure_in(__u64 *ctx)
{
	args_entry++;
	return 0;
}

#define RETURNS(nr, name, type)					\
SEC("?fexit/ftrace_typed_" #name)				\
int BPF_PROG(returns_##name, long x, type ret)			\
{								\
	ret_hits[nr]++;						\
	ret_good[nr] += ret == (type)x;				\
	return 0;						\
}

RETURNS(0, s8, signed char)
RETURNS(1, u8, unsigned char)
RETURNS(2, s16, short)
RETURNS(3, u16, unsigned short)
RETURNS(4, s32, int)
RETURNS(5, u32, unsigned int)
RETURNS(6, s64, long)
RETURNS(7, u64, unsigned long)
RETURNS(8, bool, bool)

/* This one sees what the next one returns. */
SEC("?fexit/ftrace_typed_u64")
int BPF_PROG(modified_u64, long x, unsigned long ret)
{
	ret_hits[9]++;
	ret_good[9] += ret == mod_u64;
	return 0;
}

SEC("?fmod_ret/ftrace_typed_u64")
__u64 BPF_PROG(modify_u64, long x, unsigned long ret)
{
	return mod_u64;
}

/* These return more than fits, and nothing in it is extended. */
#define MODIFY(name)						\
SEC("?fmod_ret/ftrace_typed_" #name)				\
__u64 BPF_PROG(modify_##name, long x, unsigned long ret)	\
{								\
	return mod_u64;						\
}

MODIFY(s8)
MODIFY(u8)
MODIFY(s16)
MODIFY(u16)
MODIFY(s32)
MODIFY(u32)
MODIFY(s64)

SEC("?fentry/ftrace_typed_u64")
int BPF_PROG(patched_entry, long x)
{
	entry_hits[0]++;
	entry_good[0] += x == 5;
	return 0;
}

SEC("?fmod_ret/ftrace_typed_u64")
__u64 BPF_PROG(patched_mod, long x, unsigned long ret)
{
	mod_hits++;
	return mod_ret;
}

SEC("?fexit/ftrace_typed_u64")
int BPF_PROG(patched_exit, long x, unsigned long ret)
{
	exit_hits[0]++;
	exit_ret = ret;
	return 0;
}

SEC("?fentry.s/bpf_modify_return_test")
int BPF_PROG(sleep_mod_in, int a, int *b)
{
	entry_seq = ++seq;
	return 0;
}

SEC("?fmod_ret.s/bpf_modify_return_test")
int BPF_PROG(sleep_mod, int a, int *b, int ret)
{
	mod_seq = ++seq;
	return mod_ret;
}

SEC("?fexit.s/bpf_modify_return_test")
int BPF_PROG(sleep_mod_out, int a, int *b, int ret)
{
	exit_seq = ++seq;
	exit_ret = ret;
	return 0;
}

/* Sleep until the page is there that is read, except in the task which lets it in. */
__u64 pinned_from;
__u64 pinned_value;
int pinned_error;
int pinned_cpus[2];	/* where it ran before and afterwards */

static __always_inline int sleep_for_page(void)
{
	if (mine()) {
		entry_hits[0]++;
		return 0;
	}
	pinned_cpus[0] = bpf_get_smp_processor_id();
	pinned_error = bpf_copy_from_user(&pinned_value, sizeof(pinned_value),
					  (void *)pinned_from);
	pinned_cpus[1] = bpf_get_smp_processor_id();
	return 0;
}

SEC("?fentry.s/bpf_modify_return_test")
int BPF_PROG(pinned, int a, int *b)
{
	return sleep_for_page();
}

SEC("?fexit.s/bpf_modify_return_test")
int BPF_PROG(pinned_out, int a, int *b, int ret)
{
	return sleep_for_page();
}

/* For the tasks of one process, of which the first one is not to open files */
SEC("?lsm.s/file_open")
int BPF_PROG(open_pinned, struct file *file)
{
	if (bpf_get_current_pid_tgid() >> 32 != tid)
		return 0;
	sleep_for_page();
	return mine() ? -EPERM : 0;
}

/* These two call the functions that they are attached to. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} outer SEC(".maps"), inner SEC(".maps");

static __always_inline void delete_inner(struct bpf_map *map)
{
	__u32 key = 0;

	if (map == (void *)&outer)
		bpf_map_delete_elem(&inner, &key);
}

SEC("?fentry/htab_map_delete_elem")
int BPF_PROG(recursing_in, struct bpf_map *map)
{
	if (mine())
		entry_hits[0]++;
	delete_inner(map);
	return 0;
}

SEC("?fexit/htab_map_delete_elem")
int BPF_PROG(recursing_out, struct bpf_map *map)
{
	if (mine())
		exit_hits[0]++;
	delete_inner(map);
	return 0;
}

/* The cookies of the programs below, the outer ones' before and after the others ran */
__u64 cookies[2], cookies_after[2], inner_cookies[2];

static __always_inline int run_inner(void *ctx, int nr)
{
	__u32 key = 0;

	if (!mine())
		return 0;
	cookies[nr] = bpf_get_attach_cookie(ctx);
	bpf_map_delete_elem(&inner, &key);
	cookies_after[nr] = bpf_get_attach_cookie(ctx);
	return 0;
}

SEC("?fentry/bpf_fentry_test1")
int outer_in(void *ctx)
{
	return run_inner(ctx, 0);
}

SEC("?fexit/bpf_fentry_test1")
int outer_out(void *ctx)
{
	return run_inner(ctx, 1);
}

SEC("?fentry/htab_map_delete_elem")
int inner_in(void *ctx)
{
	if (mine())
		inner_cookies[0] = bpf_get_attach_cookie(ctx);
	return entry(0, true);
}

SEC("?fexit/htab_map_delete_elem")
int inner_out(void *ctx)
{
	if (mine())
		inner_cookies[1] = bpf_get_attach_cookie(ctx);
	return exit(0, true);
}

SEC("?fentry/ftrace_bench_tracee")
int BPF_PROG(bench_in, int a, int b)
{
	if (mine()) {
		bench_entry++;
		bench_bad += b != 3;
	}
	return 0;
}

SEC("?fexit/ftrace_bench_tracee")
int BPF_PROG(bench_out, int a, int b, int ret)
{
	if (mine()) {
		bench_exit++;
		bench_bad += a + b != ret;
	}
	return 0;
}

SEC("?fmod_ret/ftrace_bench_tracee")
int BPF_PROG(bench_modify, int a, int b, int ret)
{
	if (mine())
		bench_mod++;
	return 0;
}

static long no_step(__u32 index, void *ctx)
{
	return 0;
}

/* Most of the time that the function takes is in here. */
SEC("?fentry/bpf_fentry_test1")
int BPF_PROG(long_entry, int a)
{
	bpf_loop(20000, no_step, NULL, 0);
	return 0;
}

struct ftrace_typed_far {
	__u64 a;
	__u8 space[2040], byte;
	__u16 half;
	__u32 word;
};

/*
 * The argument points to where nothing is. The number of instructions decides where
 * the table of those begins that may fault: they have two or four bytes on riscv.
 * Loads that must be extended, from fields too far away for one instruction, count, too.
 */
#define FAULTS(nr)						\
SEC("?fentry/ftrace_typed_bad")					\
int BPF_PROG(faults_##nr, struct ftrace_typed_far *bad)		\
{								\
	__u64 value = bad->a;					\
								\
	asm volatile ("%0 |= %1\n%0 |= %2\n%0 |= %3\n"		\
		      ".rept " #nr "\n"				\
		      "%0 += %0\n"				\
		      ".endr" : "+r" (value) : "r" ((__u64)bad->byte), \
		      "r" ((__u64)bad->half), "r" ((__u64)bad->word)); \
	return entry(nr, !value);				\
}

FAULTS(0)
FAULTS(1)
FAULTS(2)
FAULTS(3)

/* Finds their entries in these tables. */
SEC("?fexit/search_bpf_extables")
int fault_found(void *ctx)
{
	__u64 found = 0;

	bpf_get_func_ret(ctx, &found);
	return found ? exit(0, !(found & 3)) : 0;
}

#define UNWATCHED(nr, name)					\
SEC("?fentry/ftrace_rcu_" #name)				\
int BPF_PROG(name##_in)						\
{								\
	return entry(nr, true);					\
}								\
								\
SEC("?fexit/ftrace_rcu_" #name)					\
int BPF_PROG(name##_out)					\
{								\
	return exit(nr, true);					\
}

UNWATCHED(0, leaves)
UNWATCHED(1, away)
UNWATCHED(2, returns)

char LICENSE[] SEC("license") = "GPL";

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
__u64 func_ip, func_ip_exit, arg_cnt, arg_0, ret_0;
__u64 kprobe_hits, kretprobe_hits;
__u64 sleep_entry, sleep_exit;
__u64 lsm_hits;
bool lsm_deny;
__u64 bench_entry, bench_exit, bench_bad, bench_mod;

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

char LICENSE[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0
/*
 * Programs which do nothing, to measure what calling them costs. Those of system
 * calls count, as others' benchmarks of that kind do.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("?kprobe/ftrace_bench_tracee")
int bench_kprobe(void *ctx)
{
	return 0;
}

SEC("?kretprobe/ftrace_bench_tracee")
int bench_kretprobe(void *ctx)
{
	return 0;
}

SEC("?kprobe.multi/ftrace_bench_tracee")
int bench_kprobe_multi(void *ctx)
{
	return 0;
}

SEC("?kretprobe.multi/ftrace_bench_tracee")
int bench_kretprobe_multi(void *ctx)
{
	return 0;
}

SEC("?fentry/ftrace_bench_tracee")
int bench_fentry(void *ctx)
{
	return 0;
}

SEC("?fexit/ftrace_bench_tracee")
int bench_fexit(void *ctx)
{
	return 0;
}

SEC("?fmod_ret/ftrace_bench_tracee")
int bench_fmod_ret(void *ctx)
{
	return 0;
}

__u64 sys_hits;

/* getpgid() calls the function once. */
#define COUNT_CALLS(name, kind)				\
SEC("?" kind "/pid_vnr")				\
int name(void *ctx)					\
{							\
	__sync_fetch_and_add(&sys_hits, 1);		\
	return 0;					\
}

COUNT_CALLS(sys_kprobe, "kprobe")
COUNT_CALLS(sys_kretprobe, "kretprobe")
COUNT_CALLS(sys_kprobe_multi, "kprobe.multi")
COUNT_CALLS(sys_kretprobe_multi, "kretprobe.multi")
COUNT_CALLS(sys_fentry, "fentry")
COUNT_CALLS(sys_fexit, "fexit")

char LICENSE[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0
/* Programs which do nothing, to measure what calling them costs. */
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

char LICENSE[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of bpf_runner --test for links to many functions at once. The cookie
 * of a function is its number, by which user space finds what it is about.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define MAX_FUNCS	128
#define DEPTH		32

__u32 tid;
/* What has to be there, by number */
__u64 want_ip[MAX_FUNCS], want_ret[MAX_FUNCS], want_arg[MAX_FUNCS];
/* Calls, and of these the ones with the right address and value */
__u64 entry_hits[MAX_FUNCS], entry_good[MAX_FUNCS];
__u64 exit_hits[MAX_FUNCS], exit_good[MAX_FUNCS];
/* Calls with a number that is none, and all calls of any task */
__u64 lost, total;
/* Stack traces of the last calls, and their sizes in bytes */
__u64 entry_stack[DEPTH], exit_stack[DEPTH];
__s64 entry_size, exit_size;

static __always_inline bool mine(void)
{
	return (__u32)bpf_get_current_pid_tgid() == tid;
}

SEC("?kprobe.multi")
int multi_entry(struct pt_regs *ctx)
{
	__u64 nr = bpf_get_attach_cookie(ctx);

	if (!mine())
		return 0;
	if (nr >= MAX_FUNCS) {
		lost++;
		return 0;
	}
	entry_hits[nr]++;
	entry_good[nr] += bpf_get_func_ip(ctx) == want_ip[nr] &&
			  (__u32)PT_REGS_PARM1(ctx) == (__u32)want_arg[nr];
	return 0;
}

SEC("?kretprobe.multi")
int multi_exit(struct pt_regs *ctx)
{
	__u64 nr = bpf_get_attach_cookie(ctx);

	if (!mine())
		return 0;
	if (nr >= MAX_FUNCS) {
		lost++;
		return 0;
	}
	exit_hits[nr]++;
	exit_good[nr] += bpf_get_func_ip(ctx) == want_ip[nr] &&
			 (__u32)PT_REGS_RC(ctx) == (__u32)want_ret[nr];
	return 0;
}

SEC("?kprobe.multi")
int multi_entry_stack(struct pt_regs *ctx)
{
	if (mine())
		entry_size = bpf_get_stack(ctx, entry_stack, sizeof(entry_stack), 0);
	return 0;
}

SEC("?kretprobe.multi")
int multi_exit_stack(struct pt_regs *ctx)
{
	if (mine())
		exit_size = bpf_get_stack(ctx, exit_stack, sizeof(exit_stack), 0);
	return 0;
}

/* For many functions, which anybody may call */
SEC("?kprobe.multi")
int multi_count(struct pt_regs *ctx)
{
	__sync_fetch_and_add(&total, 1);
	return 0;
}

SEC("?kretprobe.multi")
int multi_count_exit(struct pt_regs *ctx)
{
	__sync_fetch_and_add(&total, 1);
	return 0;
}

/* Where the idle tasks return to from the function */
SEC("?kretprobe.multi")
int multi_exit_idle(struct pt_regs *ctx)
{
	if (!bpf_get_current_pid_tgid()) {
		__sync_fetch_and_add(&total, 1);
		exit_stack[0] = PT_REGS_IP(ctx);
	}
	return 0;
}

/* Return from the function before it starts. */
SEC("?kprobe.multi")
int multi_override(struct pt_regs *ctx)
{
	if (mine()) {
		entry_hits[0]++;
		bpf_override_return(ctx, -22);
	}
	return 0;
}

/* Loaded for BPF_PROG_TEST_RUN only, which calls the functions. */
SEC("?fentry/bpf_fentry_test8")
int multi_driver(void *ctx)
{
	return 0;
}

SEC("?fmod_ret/bpf_modify_return_test")
int BPF_PROG(multi_mod_driver, int a, int *b, int ret)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";

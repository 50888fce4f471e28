// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of bpf_runner --test which are the functions of a structure.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifdef NO_BPF_DUMMY_OPS
/* A kernel without BPF JIT has none, and refuses the programs. */
struct bpf_dummy_ops_state {
	int val;
};

struct bpf_dummy_ops {
	int (*test_1)(struct bpf_dummy_ops_state *cb);
	int (*test_2)(struct bpf_dummy_ops_state *cb, int a1, unsigned short a2,
		      char a3, unsigned long a4);
};
#endif

__u64 wrong_args, inits, acks;

SEC("struct_ops/test_1")
int BPF_PROG(one, struct bpf_dummy_ops_state *state)
{
	int ret;

	if (!state)
		return 0xf2f3f4f5;
	ret = state->val;
	state->val = 0x5a;
	return ret;
}

SEC("struct_ops/test_2")
int BPF_PROG(two, struct bpf_dummy_ops_state *state, int a1, unsigned short a2,
	     char a3, unsigned long a4)
{
	wrong_args += a1 != -100 || a2 != 0x8a5f || a3 != 'c' ||
		      a4 != 0x1234567887654321;
	return -7;
}

SEC(".struct_ops")
struct bpf_dummy_ops dummy = {
	.test_1 = (void *)one,
	.test_2 = (void *)two,
};

/* A way to congest the network. */
SEC("struct_ops/init")
void BPF_PROG(congest_init, struct sock *sk)
{
	inits++;
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(congest_ssthresh, struct sock *sk)
{
	return 2;
}

/* Functions of the kernel that programs may call */
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

SEC("struct_ops/cong_avoid")
void BPF_PROG(congest_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	acks++;
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(congest_undo, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops congest = {
	.init = (void *)congest_init,
	.ssthresh = (void *)congest_ssthresh,
	.cong_avoid = (void *)congest_avoid,
	.undo_cwnd = (void *)congest_undo,
	.name = "bpf_congest",
};

char LICENSE[] SEC("license") = "GPL";

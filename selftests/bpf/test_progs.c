// SPDX-License-Identifier: GPL-2.0
/* The tracee is a BPF program, or one of its functions. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "load.h"

/*
 * The tracee is a BPF program. ftrace has no part in it, and must have none.
 * What was attached to a program cannot be attached again, so load it afresh.
 */
static void trace_prog(struct bpf_program *prog, const char *function,
		       const char *names, int nr, __u32 ret)
{
	struct test_bpf *skel;
	int i;

	for (i = 0; i < 3 && !test_failed; i++) {
		skel = load_onto(prog, function, names);
		if (!skel)
			break;
		if (attach_tests(skel))
			expect("return value", packet_run(prog), ret);
		test_bpf__detach(skel);
		expect("return value when detached", packet_run(prog), ret);
		expect("fentry hits", skel->bss->entry_hits[nr], 1 + sabotage);
		expect("fentry, right values", skel->bss->entry_good[nr], 1);
		expect("fexit hits", skel->bss->exit_hits[nr], 1 + sabotage);
		expect("fexit, right values", skel->bss->exit_good[nr], 1);
		test_bpf__destroy(skel);
	}
}

TEST(prog_to_prog)
{
	struct test_bpf *target = load_tests("target");

	if (target)
		trace_prog(target->progs.target, "target",
			   "target_in target_out", 0, 71);
	test_bpf__destroy(target);
}

/* The tracee is a function of a program, called by that. */
TEST(prog_function)
{
	struct test_bpf *target = load_tests("wide_caller");

	if (target)
		trace_prog(target->progs.wide_caller, "wide",
			   "wide_in wide_out", 0, 64);
	test_bpf__destroy(target);
}

static void expect_busy(const char *what, struct bpf_program *prog)
{
	struct bpf_link *link = bpf_program__attach(prog);

	expect(what, link ? 0 : errno, EBUSY);
	bpf_link__destroy(link);
}

/* Replace a function of a program by another program. */
TEST(freplace)
{
	struct test_bpf *target = load_tests("wide_caller"), *new, *skel;
	struct bpf_program *caller;
	int i;

	if (!target)
		return;
	caller = target->progs.wide_caller;
	for (i = 0; i < 3 && !test_failed; i++) {
		new = load_onto(caller, "wide", "wide_new");
		skel = new ? load_onto(caller, "wide", "wide_in") : NULL;
		if (skel && attach_tests(new)) {
			expect("return value", packet_run(caller), 1064);
			expect("hits", new->bss->new_hits, 1 + sabotage);
			expect_busy("trace what is replaced",
				    skel->progs.wide_in);
			test_bpf__detach(new);
		}
		test_bpf__destroy(skel);
		expect("return value when detached", packet_run(caller), 64);
		test_bpf__destroy(new);

		new = load_onto(caller, "wide", "wide_new");
		skel = new ? load_onto(caller, "wide", "wide_in") : NULL;
		if (skel && attach_tests(skel)) {
			expect_busy("replace what is traced",
				    new->progs.wide_new);
			expect("return value when traced", packet_run(caller),
			       64);
			expect("hits of the tracer", skel->bss->entry_good[0],
			       1);
		}
		test_bpf__destroy(skel);
		test_bpf__destroy(new);
	}
	test_bpf__destroy(target);
}

/* Trace and replace a function of a program that runs all the time. */
TEST(prog_reattach)
{
	struct test_bpf *target = load_tests("wide_caller"), *skel, *new;
	struct bpf_program *caller;
	struct runner r;
	int i;

	if (!target)
		return;
	caller = target->progs.wide_caller;
	if (!start_runner(&r, caller, 0))
		goto out;
	for (i = 0; i < (toggles + 1) / 2 && !test_failed; i++) {
		skel = load_onto(caller, "wide", "wide_in wide_out");
		if (!skel)
			break;
		if (attach_tests(skel))
			expect("traced", packet_run(caller), 64);
		test_bpf__detach(skel);
		expect("fentry", skel->bss->entry_good[0], 1 + sabotage);
		expect("fexit", skel->bss->exit_good[0], 1 + sabotage);
		test_bpf__destroy(skel);
		new = load_onto(caller, "wide", "wide_new");
		if (new && attach_tests(new))
			expect("replaced", packet_run(caller), 1064);
		test_bpf__destroy(new);
		expect("neither", packet_run(caller), 64);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(target);
}

static void set_jump(struct test_bpf *skel, __u32 index,
		     const struct bpf_program *prog)
{
	int fd = bpf_program__fd(prog);

	expect("update the map of programs",
	       bpf_map_update_elem(bpf_map__fd(skel->maps.jumps), &index, &fd,
				   0), 0);
}

/* What a kernel allows, and the program that begins with it. */
#define TAIL_LOOPS	(33 + 1)

static void count_tail_calls(struct test_bpf *target, const char *when)
{
	target->bss->tail_loops = 0;
	expect("return value of a loop", packet_run(target->progs.tail_loop),
	       64);
	expect(when, target->bss->tail_loops, TAIL_LOOPS + sabotage);
}

/* Tail calls from and to programs that are traced. */
TEST(tail_call)
{
	struct test_bpf *target = load_tests("tail_from tail_to tail_loop");
	struct test_bpf *to, *loop;

	if (!target)
		return;
	set_jump(target, 0, target->progs.tail_to);
	set_jump(target, 1, target->progs.tail_loop);
	to = load_onto(target->progs.tail_to, "tail_to", "tail_in");
	loop = load_onto(target->progs.tail_loop, "tail_loop",
			 "loop_in loop_out");
	if (!to || !loop || !attach_tests(to))
		goto out;
	trace_prog(target->progs.tail_from, "tail_from", "tail_in tail_out",
		   0, 73);

	count_tail_calls(target, "loops when not traced");
	if (attach_tests(loop))
		count_tail_calls(target, "loops when traced");
	expect("fexit hits of the loop", loop->bss->exit_good[1], 1 + sabotage);
	test_bpf__detach(loop);
	count_tail_calls(target, "loops when no longer traced");
out:
	test_bpf__destroy(loop);
	test_bpf__destroy(to);
	test_bpf__destroy(target);
}

/* A program of some megabytes, called and jumped to. */
TEST(big_prog)
{
	struct test_bpf *target = load_tests("big tail_from");

	if (!target)
		return;
	trace_prog(target->progs.big, "big", "tail_in tail_out", 0, 73);
	set_jump(target, 0, target->progs.big);
	trace_prog(target->progs.tail_from, "tail_from", "tail_in tail_out",
		   0, 73);
	test_bpf__destroy(target);
}

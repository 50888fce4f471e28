// SPDX-License-Identifier: GPL-2.0
/* Programs on functions of the kernel and of a module: what they see, and in which order. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "load.h"

/* Compare the counters of all eight functions after @runs test runs. */
static void expect_all(const char *what, const __u64 *hits, const __u64 *good,
		       unsigned int runs)
{
	char func[32], buf[80];
	unsigned int calls;
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(func, sizeof(func), "bpf_fentry_test%d", i + 1);
		calls = calls_of(func, runs) + sabotage;
		snprintf(buf, sizeof(buf), "%s: hits of %s", what, func);
		expect(buf, hits[i], calls);
		snprintf(buf, sizeof(buf), "%s: right values in %s", what, func);
		expect(buf, good[i], calls);
	}
}

#define ENTRY_ALL "entry1 entry2 entry3 entry4 entry5 entry6 entry7 entry8"
#define EXIT_ALL "exit1 exit2 exit3 exit4 exit5 exit6 exit7 exit8"

TEST(fentry)
{
	struct test_bpf *skel = attached_tests(ENTRY_ALL);
	int i;

	if (!skel)
		return;
	for (i = 0; i < 3; i++)
		test_run(skel->progs.driver);
	expect_all("fentry", skel->bss->entry_hits, skel->bss->entry_good, 3);
	test_bpf__detach(skel);
	test_run(skel->progs.driver);
	expect_all("detached", skel->bss->entry_hits, skel->bss->entry_good, 3);
	test_bpf__destroy(skel);
}

TEST(fexit)
{
	struct test_bpf *skel = attached_tests(EXIT_ALL);
	int i;

	if (!skel)
		return;
	for (i = 0; i < 3; i++)
		test_run(skel->progs.driver);
	expect_all("fexit", skel->bss->exit_hits, skel->bss->exit_good, 3);
	test_bpf__detach(skel);
	test_run(skel->progs.driver);
	expect_all("detached", skel->bss->exit_hits, skel->bss->exit_good, 3);
	test_bpf__destroy(skel);
}

/* Two and more programs share the trampoline of a function. */
TEST(fentry_fexit)
{
	struct test_bpf *skel = attached_tests(ENTRY_ALL " " EXIT_ALL);
	struct test_bpf *more;

	if (!skel)
		return;
	test_run(skel->progs.driver);
	expect_all("fentry", skel->bss->entry_hits, skel->bss->entry_good, 1);
	expect_all("fexit", skel->bss->exit_hits, skel->bss->exit_good, 1);

	more = attached_tests("entry1 entry1_too exit1 exit1_too");
	if (more) {
		test_run(skel->progs.driver);
		expect_all("fentry, more", skel->bss->entry_hits,
			   skel->bss->entry_good, 2);
		expect_all("fexit, more", skel->bss->exit_hits,
			   skel->bss->exit_good, 2);
		expect("third fentry", more->bss->entry_good[0], 1);
		expect("fourth fentry", more->bss->entry_good[1], 1);
		expect("third fexit", more->bss->exit_good[0], 1);
		expect("fourth fexit", more->bss->exit_good[1], 1);
		test_bpf__destroy(more);
		test_run(skel->progs.driver);
		expect_all("fentry, less", skel->bss->entry_hits,
			   skel->bss->entry_good, 3);
		expect_all("fexit, less", skel->bss->exit_hits,
			   skel->bss->exit_good, 3);
	}
	test_bpf__destroy(skel);
}

/*
 * bpf_modify_return_test(1, &b) with b = 2 adds one to b and returns a + b. The
 * test run tells b's change in the upper and the return value in the lower half
 * of its result.
 */
TEST(fmod_ret)
{
	struct test_bpf *skel = attached_tests("mod_entry mod mod_exit");
	__u32 result;

	if (!skel)
		return;
	result = test_run(skel->progs.mod);
	expect("unmodified: side effect", result >> 16, 1);
	expect("unmodified: return value", (__s16)result, 4);
	expect("unmodified: fmod_ret hits", skel->bss->mod_hits, 1);
	expect("unmodified: fentry is first", skel->bss->entry_seq,
	       1 + sabotage);
	expect("unmodified: fmod_ret is second", skel->bss->mod_seq,
	       2 + sabotage);
	expect("unmodified: fexit is third", skel->bss->exit_seq,
	       3 + sabotage);
	expect("unmodified: fexit sees the argument", skel->bss->exit_arg, 1);
	expect("unmodified: fexit sees the return value", skel->bss->exit_ret,
	       4);

	skel->bss->mod_ret = -22;
	result = test_run(skel->progs.mod);
	expect("modified: side effect", result >> 16, 0);
	expect("modified: return value", (__s16)result, -22);
	expect("modified: fmod_ret hits", skel->bss->mod_hits, 2);
	expect("modified: fentry is first", skel->bss->entry_seq, 4);
	expect("modified: fmod_ret is second", skel->bss->mod_seq, 5);
	expect("modified: fexit is third", skel->bss->exit_seq, 6);
	expect("modified: fexit sees the return value", skel->bss->exit_ret,
	       -22);

	test_bpf__detach(skel);
	result = test_run(skel->progs.mod);
	expect("detached: side effect", result >> 16, 1);
	expect("detached: return value", (__s16)result, 4);
	expect("detached: fmod_ret hits", skel->bss->mod_hits, 2);
	test_bpf__destroy(skel);
}

TEST(helpers)
{
	unsigned long long address = symbol_address("bpf_fentry_test2");
	struct test_bpf *skel =
		attached_tests("helpers_entry helpers_exit helpers_kprobe");

	if (!skel)
		return;
	test_run(skel->progs.driver);
	expect("address in kallsyms", address != 0, 1);
	expect("bpf_get_func_ip() in fentry", skel->bss->func_ip, address);
	expect("bpf_get_func_ip() in fexit", skel->bss->func_ip_exit, address);
	expect("bpf_get_func_ip() in kprobe", skel->bss->func_ip_kprobe,
	       symbol_address("bpf_prog_test_run_tracing"));
	expect("bpf_get_func_arg_cnt()", skel->bss->arg_cnt, 2 + sabotage);
	expect("bpf_get_func_arg()", (__u32)skel->bss->arg_0, 2);
	expect("bpf_get_func_ret()", (__u32)skel->bss->ret_0, 5);
	test_bpf__destroy(skel);
}

/* Have the benchmark call its tracee. The number of calls, or -1. */
static long long call_bench(void)
{
	long long before = read_number(BENCH "calls");
	int err = write_file(BENCH "external", "bpf-scratch");

	if (err) {
		fail("write to " BENCH "external: %s", error_text(err));
		return -1;
	}
	return read_number(BENCH "calls") - before;
}

/* A module that was built with headers alone, as by DKMS, has no types. */
static bool have_bench(void)
{
	if (access(BENCH "external", W_OK))
		skip("module ftrace_bench is not loaded");
	else if (access("/sys/kernel/btf/ftrace_bench", R_OK))
		skip("module ftrace_bench has no types");
	else
		return true;
	return false;
}

TEST(module)
{
	struct test_bpf *skel;
	long long calls, more;

	if (!have_bench())
		return;
	skel = attached_tests("bench_in bench_out");
	if (!skel)
		return;
	calls = call_bench();
	expect("any calls", calls > 0, 1);
	expect("fentry hits", skel->bss->bench_entry, calls + sabotage);
	expect("fexit hits", skel->bss->bench_exit, calls + sabotage);
	expect("wrong values", skel->bss->bench_bad, 0);
	test_bpf__detach(skel);
	more = call_bench();
	expect("any calls after detaching", more > 0, 1);
	expect("fentry hits after detaching", skel->bss->bench_entry, calls);
	test_bpf__destroy(skel);
}

/* Programs which may sleep, on a function where that is allowed. */
TEST(sleepable)
{
	struct test_bpf *skel = attached_tests("sleep_mod_in sleep_mod sleep_mod_out");
	__u32 result;

	if (!skel)
		return;
	result = test_run(skel->progs.sleep_mod);
	expect("unmodified: return value", (__s16)result, 4);
	skel->bss->mod_ret = -22;
	result = test_run(skel->progs.sleep_mod);
	expect("modified: return value", (__s16)result, -22);
	expect("fentry is first", skel->bss->entry_seq, 4 + sabotage);
	expect("fmod_ret is second", skel->bss->mod_seq, 5 + sabotage);
	expect("fexit is third", skel->bss->exit_seq, 6 + sabotage);
	expect("fexit sees the return value", skel->bss->exit_ret, -22);
	test_bpf__destroy(skel);
}

/* BPF_MAX_TRAMP_LINKS of the kernel */
#define MAX_LINKS	38

/* As many programs as a function can have, and one more. */
TEST(full)
{
	struct test_bpf *skels[MAX_LINKS / 2], *skel = NULL;
	struct bpf_link *link;
	int i, nr;

	for (nr = 0; nr < MAX_LINKS / 2; nr++) {
		skels[nr] = attached_tests("entry1 exit1");
		if (!skels[nr])
			goto out;
	}
	skel = load_tests("entry1_too");
	if (!skel)
		goto out;
	link = bpf_program__attach(skel->progs.entry1_too);
	expect("attach one more", link ? 0 : errno, E2BIG);
	bpf_link__destroy(link);
	test_run(skel->progs.driver);
	for (i = 0; i < nr; i++) {
		expect("fentry hits", skels[i]->bss->entry_good[0],
		       1 + sabotage);
		expect("fexit hits", skels[i]->bss->exit_good[0], 1 + sabotage);
	}
out:
	test_bpf__destroy(skel);
	while (nr--)
		test_bpf__destroy(skels[nr]);
}

/* The kernel's own count of how often programs ran, in 5 of the 7 runs of @driver */
static void expect_run_count(const struct bpf_program *driver, const struct bpf_program *in,
			     const struct bpf_program *out)
{
	int i, stats;

	test_run(driver);
	expect("fentry runs without statistics", run_count(in), 0);
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (expect("enable statistics", stats >= 0, 1)) {
		for (i = 0; i < 5; i++)
			test_run(driver);
		close(stats);
	}
	test_run(driver);
	expect("fentry runs", run_count(in), 5 + sabotage);
	expect("fexit runs", run_count(out), 5 + sabotage);
}

TEST(run_stats)
{
	struct test_bpf *skel = attached_tests("entry1 exit1");

	if (!skel)
		return;
	expect_run_count(skel->progs.driver, skel->progs.entry1, skel->progs.exit1);
	expect("fentry hits", skel->bss->entry_good[0], 7);
	expect("fexit hits", skel->bss->exit_good[0], 7);
	test_bpf__destroy(skel);
}

TEST(run_stats_sleepable)
{
	struct test_bpf *skel = attached_tests("sleep_mod_in sleep_mod sleep_mod_out");

	if (!skel)
		return;
	expect_run_count(skel->progs.sleep_mod, skel->progs.sleep_mod_in,
			 skel->progs.sleep_mod_out);
	expect("runs of the three", skel->bss->seq, 3 * 7);
	test_bpf__destroy(skel);
}

static void expect_info(const char *what, const struct bpf_program *prog,
			__u64 runs, __u64 misses)
{
	struct bpf_prog_info info;

	expect(what, prog_info(prog, &info), 0);
	expect(what, info.run_cnt, runs + sabotage);
	expect(what, info.recursion_misses, misses + sabotage);
	/* What it adds up is the time since boot if a start was lost. */
	expect(what, info.run_time_ns < 1000000000, 1);
}

/*
 * A program is not run while it runs, and not counted then. Both of these run
 * when the outer map is asked, and ask the inner one. What they miss is the
 * call by themselves; the one of the other runs and asks nothing.
 */
TEST(recursion)
{
	struct test_bpf *skel = load_tests("recursing_in recursing_out");
	__u32 key = 0;
	int stats;

	if (!skel)
		return;
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	expect("enable statistics", stats >= 0, 1);
	if (attach_tests(skel))
		expect("delete what is not there",
		       bpf_map__delete_elem(skel->maps.outer, &key,
					    sizeof(key), 0), -ENOENT);
	test_bpf__detach(skel);
	close(stats);
	expect("fentry hits", skel->bss->entry_hits[0], 2 + sabotage);
	expect("fexit hits", skel->bss->exit_hits[0], 2 + sabotage);
	expect_info("fentry", skel->progs.recursing_in, 2, 1);
	expect_info("fexit", skel->progs.recursing_out, 2, 1);
	test_bpf__destroy(skel);
}

#define OUTER_COOKIE	0x1111222233334440
#define INNER_COOKIE	0x5555666677778880

static struct bpf_link *attach_cookie(const struct bpf_program *prog, __u64 cookie)
{
	LIBBPF_OPTS(bpf_trace_opts, opts, .cookie = cookie);
	struct bpf_link *link = bpf_program__attach_trace_opts(prog, &opts);

	if (!link)
		fail("attach %s: %s", bpf_program__name(prog), error_text(errno));
	return link;
}

/* A program has its own cookie, also after others were run in what it called. */
TEST(cookies)
{
	struct test_bpf *skel = load_tests("outer_in outer_out inner_in inner_out");
	int i;

	if (!skel)
		return;
	skel->links.outer_in = attach_cookie(skel->progs.outer_in, OUTER_COOKIE);
	skel->links.outer_out = attach_cookie(skel->progs.outer_out, OUTER_COOKIE + 1);
	skel->links.inner_in = attach_cookie(skel->progs.inner_in, INNER_COOKIE);
	skel->links.inner_out = attach_cookie(skel->progs.inner_out, INNER_COOKIE + 1);
	test_run(skel->progs.driver);
	test_bpf__detach(skel);
	expect("inner fentry hits", skel->bss->entry_hits[0], 2 + sabotage);
	expect("inner fexit hits", skel->bss->exit_hits[0], 2 + sabotage);
	/* First the ones of fentry, then of fexit */
	for (i = 0; i < 2; i++) {
		expect("cookie", skel->bss->cookies[i], OUTER_COOKIE + i);
		expect("inner cookie", skel->bss->inner_cookies[i], INNER_COOKIE + i);
		expect("cookie afterwards", skel->bss->cookies_after[i], OUTER_COOKIE + i);
	}
	test_bpf__destroy(skel);
}

/*
 * A program is not run, and a miss is counted, if a task calls the function that has
 * preempted another one in the program. That task is preemptible itself, unlike one that
 * recurses.
 */
TEST(preempted)
{
	struct sched_param low = { }, high = { .sched_priority = 1 };
	struct test_bpf *skel;
	struct runner other;
	cpu_set_t set;
	int turn;

	if (!is_preemptible()) {
		skip("needs a kernel that can be preempted");
		return;
	}
	skel = attached_tests("long_entry");
	if (!skel)
		return;
	if (start_runner(&other, skel->progs.driver, 0)) {
		pthread_getaffinity_np(other.thread, sizeof(set), &set);
		sched_setaffinity(0, sizeof(set), &set);
		expect("become a real-time task", sched_setscheduler(0, SCHED_FIFO, &high), 0);
		for (turn = 0; turn < 200 && !miss_count(skel->progs.long_entry); turn++) {
			sleep_ms(1);
			test_run(skel->progs.driver);
		}
		sched_setscheduler(0, SCHED_OTHER, &low);
		stop_runner(&other);
		expect("any miss", miss_count(skel->progs.long_entry) > 0, !sabotage);
	}
	test_bpf__destroy(skel);
}

/*
 * Programs are not run where RCU is not watching, and that is counted: on the way into
 * and out of a function in which it stops, or is stopped, or starts to watch.
 */
TEST(unwatched)
{
	struct test_bpf *skel;
	int calls, stats;

	if (!have_tracees())
		return;
	skel = load_tests("leaves_in leaves_out away_in away_out returns_in returns_out");
	if (!skel)
		return;
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	expect("enable statistics", stats >= 0, 1);
	if (attach_tests(skel)) {
		calls = call_unwatched(3);
		test_bpf__detach(skel);
		if (calls) {
			expect("calls", calls, 3);
			expect_info("fentry before", skel->progs.leaves_in, 3, 0);
			expect_info("fexit after it stops", skel->progs.leaves_out, 0, 3);
			expect_info("fentry", skel->progs.away_in, 0, 3);
			expect_info("fexit", skel->progs.away_out, 0, 3);
			expect_info("fentry before it starts", skel->progs.returns_in, 0, 3);
			expect_info("fexit after", skel->progs.returns_out, 3, 0);
			expect("hits of fentry", skel->bss->entry_hits[0], 3);
			expect("hits of fexit", skel->bss->exit_hits[2], 3);
		}
	}
	close(stats);
	test_bpf__destroy(skel);
}

#define INIT		"ftrace_failing_init"
/* powerpc does not treat init sections of modules as such: they stay. */
#ifdef __powerpc__
#define INIT_GOES	false
#else
#define INIT_GOES	true
#endif

static struct test_bpf *load_for_init(void)
{
	struct test_bpf *skel = test_bpf__open();

	if (!skel)
		return NULL;
	bpf_program__set_autoload(skel->progs.driver, true);
	if (bpf_program__set_attach_target(skel->progs.driver, 0, INIT) ||
	    test_bpf__load(skel)) {
		test_bpf__destroy(skel);
		return NULL;
	}
	return skel;
}

/*
 * The init code of a module goes when the module is there to stay, except on powerpc. A
 * program that was loaded before that is not attached any more, even if another one was.
 */
TEST(init_gone)
{
	struct test_bpf *first = NULL, *second = NULL;
	struct bpf_link *link, *late;
	pid_t pid = begin_failing("stay=1");
	int i, status = -1;
	bool live = false;
	char *text;

	if (pid < 0)
		return;
	for (i = 0; i < 300 && !live; i++) {
		usleep(100000);
		text = read_file(FAILING "initstate");
		live = text && !strncmp(text, "live", 4);
		free(text);
	}
	if (expect("initialized", live, 1 - sabotage)) {
		first = load_for_init();
		second = load_for_init();
	}
	link = first ? bpf_program__attach(first->progs.driver) : NULL;
	expect("attached to init code", link != NULL, 1);
	expect("tell it to go", write_file(FAILING "parameters/fail", "1"), 0);
	waitpid(pid, &status, 0);
	expect("error of loading", status, 0);
	bpf_link__destroy(link);
	late = second ? bpf_program__attach(second->progs.driver) : NULL;
	expect("error after that", late ? 0 : errno, INIT_GOES ? ENOENT : 0);
	bpf_link__destroy(late);
	test_bpf__destroy(second);
	test_bpf__destroy(first);
	/* What has been detached keeps the module for a while. */
	for (i = 0; i < 600; i++) {
		if (!syscall(SYS_delete_module, "ftrace_failing", O_NONBLOCK) ||
		    errno == ENOENT)
			break;
		usleep(100000);
	}
	expect("unloaded", i < 600, 1);
}

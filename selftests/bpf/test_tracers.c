// SPDX-License-Identifier: GPL-2.0
/* Programs on functions that tracers and kprobes are on as well. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load.h"

#define TEST1		"bpf_fentry_test1"

/* Lines of the trace buffer with @text, comments not counted. */
static int count_trace(const char *path, const char *text)
{
	char *trace = read_file(path), *line, *save = NULL;
	int count = 0;

	if (!trace) {
		fail("read %s: %s", path, error_text(errno));
		return -1;
	}
	for (line = strtok_r(trace, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (line[0] != '#' && strstr(line, text))
			count++;
	}
	free(trace);
	return count;
}

/* Write to a file in tracefs; a failure fails the test. */
static bool set_tracing(const char *file, const char *text)
{
	int err = write_file(file, text);

	if (err)
		fail("write '%s' to %s: %s", text, file, error_text(err));
	return !err;
}

#define INSTANCE	TRACING "instances/bpf_runner/"

static bool function_tracer(bool on)
{
	if (on) {
		if (mkdir(INSTANCE, 0755) && errno != EEXIST) {
			fail("mkdir " INSTANCE ": %s", error_text(errno));
			return false;
		}
		return set_tracing(INSTANCE "set_ftrace_filter", TEST1) &&
		       set_tracing(INSTANCE "current_tracer", "function");
	}
	return set_tracing(INSTANCE "current_tracer", "nop") &&
	       expect("rmdir", rmdir(INSTANCE), 0);
}

static void expect_both(struct test_bpf *skel, const char *what,
			const char *trace, int runs)
{
	char buf[80];

	write_file(trace, "");
	expect("trace when cleared", count_trace(trace, TEST1), 0);
	memset(skel->bss->entry_good, 0, sizeof(skel->bss->entry_good));
	memset(skel->bss->exit_good, 0, sizeof(skel->bss->exit_good));
	while (runs--) {
		test_run(skel->progs.driver);
		snprintf(buf, sizeof(buf), "%s: lines in the trace", what);
	}
	expect(buf, count_trace(trace, TEST1), skel->bss->entry_good[0]);
	snprintf(buf, sizeof(buf), "%s: fentry hits", what);
	expect(buf, skel->bss->entry_good[0], 5 + sabotage);
	snprintf(buf, sizeof(buf), "%s: fexit hits", what);
	expect(buf, skel->bss->exit_good[0], 5);
}

/* The function tracer is on the same function, coming first and last. */
TEST(function_tracer)
{
	struct test_bpf *skel = load_tests("entry1 exit1");

	if (!skel)
		return;
	if (!function_tracer(true))
		goto out;
	if (attach_tests(skel)) {
		expect_both(skel, "tracer first", INSTANCE "trace", 5);
		test_bpf__detach(skel);
		write_file(INSTANCE "trace", "");
		test_run(skel->progs.driver);
		expect("lines in the trace when detached",
		       count_trace(INSTANCE "trace", TEST1), 1);
	}
	function_tracer(false);

	if (attach_tests(skel) && function_tracer(true)) {
		expect_both(skel, "tracer last", INSTANCE "trace", 5);
		function_tracer(false);
		memset(skel->bss->entry_good, 0,
		       sizeof(skel->bss->entry_good));
		test_run(skel->progs.driver);
		expect("fentry hits when the tracer is gone",
		       skel->bss->entry_good[0], 1);
	}
out:
	test_bpf__destroy(skel);
}

static bool graph_there(void)
{
	char *tracers = read_file(TRACING "available_tracers");
	bool there = tracers && strstr(tracers, "function_graph");

	free(tracers);
	return there;
}

static bool graph_tracer(bool on)
{
	if (on)
		return set_tracing(TRACING "set_ftrace_filter", TEST1) &&
		       set_tracing(TRACING "current_tracer", "function_graph");
	return set_tracing(TRACING "current_tracer", "nop") &&
	       set_tracing(TRACING "set_ftrace_filter", "");
}

/* The same with function graph, which changes where the function returns to. */
TEST(function_graph)
{
	struct kept filter, tracer, on;
	struct test_bpf *skel;

	if (!graph_there()) {
		skip("no function graph in this kernel");
		return;
	}
	if (!getenv("MAY_DESTROY")) {
		skip("the trace buffer is cleared; for virtual machines");
		return;
	}
	skel = load_tests("entry1 exit1");
	if (!skel)
		return;
	filter = keep_file(TRACING "set_ftrace_filter");
	tracer = keep_file(TRACING "current_tracer");
	/* Who has used trace-cmd has turned that off. */
	on = keep_file(TRACING "tracing_on");
	if (!set_tracing(TRACING "tracing_on", "1") || !graph_tracer(true))
		goto out;
	if (attach_tests(skel)) {
		expect_both(skel, "graph first", TRACING "trace", 5);
		test_bpf__detach(skel);
		write_file(TRACING "trace", "");
		test_run(skel->progs.driver);
		expect("lines in the trace when detached",
		       count_trace(TRACING "trace", TEST1), 1);
	}
	graph_tracer(false);

	if (attach_tests(skel) && graph_tracer(true)) {
		expect_both(skel, "graph last", TRACING "trace", 5);
		graph_tracer(false);
		memset(skel->bss->exit_good, 0, sizeof(skel->bss->exit_good));
		test_run(skel->progs.driver);
		expect("fexit hits when graph is gone",
		       skel->bss->exit_good[0], 1);
	}
out:
	graph_tracer(false);
	restore_file(&on);
	restore_file(&tracer);
	restore_file(&filter);
	test_bpf__destroy(skel);
}

/* A kprobe and a kretprobe on the same function, coming first and last. */
TEST(kprobe)
{
	struct test_bpf *probes = load_tests("kprobe1 kretprobe1");
	struct test_bpf *skel = probes ? load_tests("entry1 exit1") : NULL;
	int last;

	for (last = 0; skel && last < 2; last++) {
		const char *what = last ? "probes last" : "probes first";

		if (!attach_tests(last ? skel : probes) ||
		    !attach_tests(last ? probes : skel))
			break;
		skel->bss->entry_good[0] = 0;
		skel->bss->exit_good[0] = 0;
		probes->bss->kprobe_hits = 0;
		probes->bss->kretprobe_hits = 0;
		test_run(skel->progs.driver);
		test_run(skel->progs.driver);
		expect(what, skel->bss->entry_good[0], 2);
		expect(what, skel->bss->exit_good[0], 2);
		expect(what, probes->bss->kprobe_hits, 2 + sabotage);
		expect(what, probes->bss->kretprobe_hits, 2);
		/* The one that came first leaves first. */
		test_bpf__detach(last ? skel : probes);
		test_run(skel->progs.driver);
		expect(what, skel->bss->exit_good[0], last ? 2 : 3);
		expect(what, probes->bss->kretprobe_hits, last ? 3 : 2);
		test_bpf__detach(last ? probes : skel);
	}
	test_bpf__destroy(skel);
	test_bpf__destroy(probes);
}

/*
 * A kprobe that makes the function return at once, with and without fexit on
 * the same function. Whether fexit notices depends on where the kprobe is.
 */
TEST(override)
{
	struct test_bpf *skel = load_tests("mod mod_exit override");
	struct bpf_link *links[2] = { NULL, NULL };
	__u32 result;
	int first;

	if (!skel)
		return;
	for (first = 0; first < 2 && !test_failed; first++) {
		links[first] = bpf_program__attach(skel->progs.override);
		result = test_run(skel->progs.mod);
		expect("override: return value", (__s16)result, -22);

		links[!first] = bpf_program__attach(skel->progs.mod_exit);
		result = test_run(skel->progs.mod);
		expect("with fexit: side effect", result >> 16, 0 + sabotage);
		expect("with fexit: return value", (__s16)result, -22);

		/* The first to come is the first to go, and then the last. */
		bpf_link__destroy(links[0]);
		result = test_run(skel->progs.mod);
		expect("one of them: return value", (__s16)result,
		       first ? -22 : 4);
		bpf_link__destroy(links[1]);
		result = test_run(skel->progs.mod);
		expect("none of them: return value", (__s16)result, 4);
	}
	expect("hits of the kprobe", skel->bss->kprobe_hits, 5);
	test_bpf__destroy(skel);
}

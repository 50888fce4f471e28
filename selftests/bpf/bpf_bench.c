// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of BPF programs, and of the kernel's tracers.
 *
 * bpf_bench --calls
 *	Attach programs that do nothing to the tracee of the module
 *	ftrace_bench, and the kernel's own tracers, and have it measure the
 *	calls. Prints the module's results.
 * bpf_bench --syscalls
 *	Have a program called by each of many system calls, and measure these.
 *	Prints a JSON array.
 * bpf_bench --cost [bpf|perf|full]
 *	Measure what it takes to turn tracing of many functions on and off, and
 *	to attach programs and detach them; with "bpf" the latter only, with
 *	"perf" perf's event of functions only, with "full" up to a thousand. Prints a JSON array.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_bench.h"
#include "bench.skel.h"

static const struct bench_row {
	const char *name;
	const char *progs[2];
} bench_rows[] = {
	{ "bpf-kprobe", { "bench_kprobe" } },
	{ "bpf-kretprobe", { "bench_kretprobe" } },
	{ "bpf-kprobe-multi", { "bench_kprobe_multi" } },
	{ "bpf-kretprobe-multi", { "bench_kretprobe_multi" } },
	{ "bpf-fentry", { "bench_fentry" } },
	{ "bpf-fexit", { "bench_fexit" } },
	{ "bpf-fentry-fexit", { "bench_fentry", "bench_fexit" } },
	{ "bpf-fmod_ret", { "bench_fmod_ret" } },
};

/* In which contexts the tracee is called: as usual, and the variants. */
static const char * const contexts[] = {
	"", "@irqs-off", "@migration-off", "@in-bpf",
};

/* Tell the module what it cannot know of a row. */
static int report(const char *name, const char *verb, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int report(const char *name, const char *verb, const char *fmt, ...)
{
	char text[256];
	va_list args;
	int len;

	len = snprintf(text, sizeof(text), "%s %s ", name, verb);
	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, args);
	va_end(args);
	return write_file(BENCH "report", text);
}

/*
 * Measure with programs that do nothing, so nothing but the way to them is in
 * the numbers. How often they ran is counted by the kernel in a second pass
 * with its BPF statistics on, which would add to the cost of the first one.
 */
static int measure_row(const char *name, struct bpf_program **progs,
		       unsigned int nr)
{
	const char *context = strchr(name, '@');
	long long before[2], calls, hits = -1;
	char again[32];
	unsigned int i;
	int err, stats;

	err = write_file(BENCH "external", name);
	if (err)
		return report(name, "failed", "%s", error_text(err));
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0)
		return report(name, "failed", "no BPF statistics");
	for (i = 0; i < nr; i++)
		before[i] = run_count(progs[i]);
	calls = read_number(BENCH "calls");
	/* A row that is not kept */
	snprintf(again, sizeof(again), "-%s", context ?: "");
	err = write_file(BENCH "external", again);
	calls = err ? -1 : read_number(BENCH "calls") - calls;
	for (i = 0; i < nr; i++) {
		long long ran = run_count(progs[i]) - before[i];

		if (hits < 0 || ran != calls)
			hits = ran;
	}
	close(stats);
	return report(name, "hits", "%lld %lld", hits, calls);
}

static int bench_one(const struct bench_row *row)
{
	struct bench_bpf *skel = bench_bpf__open();
	struct bpf_program *progs[2];
	const char *step = "load";
	unsigned int i, nr = 0;
	char name[64];
	int err;

	if (!skel)
		return report(row->name, "failed", "open: %s", error_text(errno));
	for (i = 0; i < 2 && row->progs[i]; i++) {
		progs[nr] = bpf_object__find_program_by_name(skel->obj,
							     row->progs[i]);
		bpf_program__set_autoload(progs[nr++], true);
	}
	err = bench_bpf__load(skel);
	if (!err) {
		step = "attach";
		err = bench_bpf__attach(skel);
	}
	if (err) {
		err = report(row->name, "unsupported", "%s: %s", step,
			     error_text(err));
	} else {
		for (i = 0; i < ARRAY_SIZE(contexts) && !err; i++) {
			snprintf(name, sizeof(name), "%s%s", row->name,
				 contexts[i]);
			err = measure_row(name, progs, nr);
		}
	}
	bench_bpf__destroy(skel);
	return err;
}

/* The tracers of the kernel itself, for comparison. */
static const struct tracer_row {
	const char *name;
	const char *tracer;
	/* What one call leaves in the ring buffer. */
	unsigned int events;
} tracer_rows[] = {
	{ "function-tracer", "function", 1 },
	{ "function-graph", "function_graph", 2 },
};

/* All events that went into the ring buffers, overwritten ones included. */
static long long count_events(void)
{
	long long sum = 0;
	char path[80];
	int cpu;

	for (cpu = 0; ; cpu++) {
		static const char * const keys[] = { "entries: ", "overrun: " };
		char *text, *line;
		unsigned int i;

		snprintf(path, sizeof(path), TRACING "per_cpu/cpu%d/stats",
			 cpu);
		text = read_file(path);
		if (!text)
			return cpu ? sum : -1;
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			line = strstr(text, keys[i]);
			if (line)
				sum += atoll(line + strlen(keys[i]));
		}
		free(text);
	}
}

static int measure_tracer(const struct tracer_row *t)
{
	long long calls = read_number(BENCH "calls"), events;
	int err;

	events = count_events();
	err = write_file(BENCH "external", t->name);
	events = count_events() - events;
	calls = read_number(BENCH "calls") - calls;
	if (err)
		return report(t->name, "failed", "%s", error_text(err));
	return report(t->name, "hits", "%lld %lld", events / t->events, calls);
}

/* Measuring a tracer takes the place of another one, and ends with no events. */
static bool somebody_traces(void)
{
	char *tracer = read_file(TRACING "current_tracer");
	char *trace = read_file(TRACING "trace");
	bool used;

	used = !tracer || strcmp(tracer, "nop\n") || !trace ||
	       !strstr(trace, "entries-in-buffer/entries-written: 0/");
	free(trace);
	free(tracer);
	return used;
}

static int bench_tracer(const struct tracer_row *t)
{
	struct kept filter, tracer;
	int err;

	if (somebody_traces())
		return report(t->name, "unsupported",
			      "a tracer is on, or has left events");
	filter = keep_file(TRACING "set_ftrace_filter");
	tracer = keep_file(TRACING "current_tracer");
	/*
	 * Without a newline it is not said if there is no such function. Stock
	 * 6.1 on riscv knows those of modules by their mapping symbols only.
	 */
	err = write_file(TRACING "set_ftrace_filter", "ftrace_bench_tracee\n");
	if (!err)
		err = write_file(TRACING "current_tracer", t->tracer);
	if (err)
		err = report(t->name, "unsupported", "no tracer %s: %s",
			     t->tracer, error_text(err));
	else
		err = measure_tracer(t);
	write_file(TRACING "current_tracer", "nop");
	write_file(TRACING "trace", "");
	restore_file(&tracer);
	restore_file(&filter);
	return err;
}

/* The module has all rows then, its own ones as well. */
static int run_calls(void)
{
	unsigned int i;
	char *json;
	int err = 0;

	if (access(BENCH "external", W_OK)) {
		fprintf(stderr, "bpf_bench: " BENCH
			"external: %s (load the module ftrace_bench first)\n",
			strerror(errno));
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(bench_rows) && !err; i++)
		err = bench_one(&bench_rows[i]);
	for (i = 0; i < ARRAY_SIZE(tracer_rows) && !err; i++)
		err = bench_tracer(&tracer_rows[i]);
	json = err ? NULL : read_file(BENCH "results.json");
	if (!json) {
		fprintf(stderr, "bpf_bench: " BENCH ": %s\n",
			error_text(err ?: -errno));
		return 1;
	}
	fputs(json, stdout);
	free(json);
	return 0;
}

long long clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/*
 * What is left of the speed of a system call, when a program is attached to a
 * function that it calls. The BPF selftests of the kernel measure this way.
 */
static const struct sys_row {
	const char *name, *prog;
} sys_rows[] = {
	{ "none", NULL },
	{ "kprobe", "sys_kprobe" },
	{ "kprobe-multi", "sys_kprobe_multi" },
	{ "fentry", "sys_fentry" },
	{ "kretprobe", "sys_kretprobe" },
	{ "kretprobe-multi", "sys_kretprobe_multi" },
	{ "fexit", "sys_fexit" },
};

#define SYS_CALLS	2000
#define SYS_RUNS	5

static int compare_costs(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Fills @cost, sorted. Returns the hits of the last run, which ends this if wrong. */
static __u64 measure_syscall(const struct bench_bpf *skel, __u64 expected,
			     double *cost)
{
	__u64 start, hits;
	int i, run;

	/* The first run warms up. */
	for (run = -1; run < SYS_RUNS; run++) {
		hits = skel->bss->sys_hits;
		start = clock_ns(CLOCK_MONOTONIC);
		for (i = 0; i < SYS_CALLS; i++)
			syscall(SYS_getpgid, 0);
		if (run >= 0)
			cost[run] = (double)(clock_ns(CLOCK_MONOTONIC) - start) /
				    SYS_CALLS;
		hits = skel->bss->sys_hits - hits;
		if (hits != expected)
			break;
	}
	qsort(cost, SYS_RUNS, sizeof(*cost), compare_costs);
	return hits;
}

static void bench_syscall(const struct sys_row *row)
{
	struct bench_bpf *skel = bench_bpf__open();
	__u64 hits, expected = row->prog ? SYS_CALLS : 0;
	double cost[SYS_RUNS] = {};
	int err = skel ? 0 : -errno;

	if (!err && row->prog)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(skel->obj, row->prog),
			true);
	err = err ?: bench_bpf__load(skel);
	err = err ?: bench_bpf__attach(skel);
	printf("{\"name\":\"%s\",\"calls\":%d,", row->name, SYS_CALLS);
	if (err) {
		printf("\"hits\":null,\"min\":null,\"median\":null,"
		       "\"max\":null,\"status\":\"unsupported\","
		       "\"reason\":\"%s\"}", error_text(err));
	} else {
		hits = measure_syscall(skel, expected, cost);
		printf("\"hits\":%llu,\"min\":%.3f,\"median\":%.3f,"
		       "\"max\":%.3f,\"status\":\"%s\",\"reason\":%s}",
		       (unsigned long long)hits, cost[0], cost[SYS_RUNS / 2],
		       cost[SYS_RUNS - 1], hits == expected ? "ok" : "failed",
		       hits == expected ? "null" : "\"other hits than calls\"");
	}
	bench_bpf__destroy(skel);
}

static int run_syscalls(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sys_rows); i++) {
		printf("%s", i ? ",\n" : "[\n");
		bench_syscall(&sys_rows[i]);
		fflush(stdout);
	}
	printf("\n]\n");
	return 0;
}

/* Results which nobody can read are none. */
static int flush_results(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "bpf_bench: cannot write the results: %s\n",
			strerror(errno));
		return 1;
	}
	return code;
}

static void print_usage(FILE *f)
{
	fprintf(f,
		"usage: bpf_bench [-v] --calls     calls of a function with programs or tracers\n"
		"       bpf_bench [-v] --syscalls  a system call with programs\n"
		"       bpf_bench [-v] --cost [bpf|perf|full]\n"
		"                                  turning tracing on and off; programs or\n"
		"                                  perf's event only, or up to a thousand\n"
		"Each prints JSON.\n");
}

/* A thousand fentry and fexit programs and their links have a file each. */
static void allow_files(void)
{
	struct rlimit files = { 8192, 8192 };

	setrlimit(RLIMIT_NOFILE, &files);
}

int main(int argc, char **argv)
{
	const char *what;

	print_libbpf_if(false);
	argv += argc > 0;
	if (*argv && !strcmp(*argv, "-v")) {
		print_libbpf_if(true);
		argv++;
	}
	if (*argv && !strcmp(*argv, "--calls") && !argv[1])
		return flush_results(run_calls());
	if (*argv && !strcmp(*argv, "--syscalls") && !argv[1])
		return flush_results(run_syscalls());
	if (*argv && !strcmp(*argv, "--cost") && (!argv[1] || !argv[2])) {
		what = argv[1] ?: "";
		allow_files();
		if (!*what || !strcmp(what, "bpf") || !strcmp(what, "perf") ||
		    !strcmp(what, "full"))
			return flush_results(run_cost(what));
	}
	if (*argv && (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))) {
		print_usage(stdout);
		return 0;
	}
	print_usage(stderr);
	return 2;
}

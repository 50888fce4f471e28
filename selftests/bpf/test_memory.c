// SPDX-License-Identifier: GPL-2.0
/*
 * Links of kprobe.multi and kprobes of perf when there is no memory: one allocation
 * fails, the next one each time. Then there is an error and nothing else is different,
 * and the next one to attach can do so. To detach does not fail.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "load.h"
#include "multi.h"

#define KPROBES		"/sys/kernel/debug/kprobes/list"
#define REFERENCES	"/sys/module/ftrace_tracees/refcnt"

/* A way to attach: gives a file to be closed for that, or an error */
struct way {
	const char *what;
	int (*attach)(bool ret);
	/* Call the functions, and tell how often this one and another one have run. */
	void (*call)(bool ret, long long *hits, long long *others);
	bool ret;
	int want;
	/* The other one is there. */
	bool beside;
};

static struct multi_bpf *multi;
static struct test_bpf *probes;
static int kprobe_type;

/* Called once each in a test run, and one that is not, of a module */
static const char *multi_names[] = {
	"bpf_fentry_test3", "bpf_fentry_test1", "bpf_fentry_test2",
};

#define NR_CALLED	((int)ARRAY_SIZE(multi_names))

static unsigned long multi_addrs[NR_CALLED + 1];
static const __u64 multi_cookies[NR_CALLED + 1];

static int attach_multi(bool ret)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.cookies = multi_cookies,
		.kprobe_multi.cnt = NR_CALLED);

	if (ret) {
		opts.kprobe_multi.addrs = multi_addrs;
		opts.kprobe_multi.cnt += multi_addrs[NR_CALLED] != 0;
		opts.kprobe_multi.flags = BPF_F_KPROBE_MULTI_RETURN;
	} else {
		opts.kprobe_multi.syms = multi_names;
	}
	return bpf_link_create(bpf_program__fd(ret ? multi->progs.multi_count_exit :
					       multi->progs.multi_count),
			       0, BPF_TRACE_KPROBE_MULTI, &opts);
}

static void call_multi(bool ret, long long *hits, long long *others)
{
	multi->bss->total = 0;
	multi->bss->entry_hits[0] = 0;
	test_run(multi->progs.multi_driver);
	*hits = multi->bss->total;
	*others = multi->bss->entry_hits[0];
}

static int attach_kprobe(bool ret)
{
	int err, fd = open_kprobe(kprobe_type, "bpf_fentry_test1", ret);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF,
		  bpf_program__fd(ret ? probes->progs.kretprobe1 : probes->progs.kprobe1))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static void call_kprobe(bool ret, long long *hits, long long *others)
{
	probes->bss->kprobe_hits = 0;
	probes->bss->kretprobe_hits = 0;
	test_run(probes->progs.driver);
	*hits = ret ? probes->bss->kretprobe_hits : probes->bss->kprobe_hits;
	*others = ret ? probes->bss->kprobe_hits : probes->bss->kretprobe_hits;
}

static void expect_calls(const struct way *way, const char *when, int nth, bool attached)
{
	long long hits, others;
	char buf[96];

	way->call(way->ret, &hits, &others);
	snprintf(buf, sizeof(buf), "%s: allocation %d: hits, %s", way->what, nth, when);
	expect(buf, hits, attached ? way->want + sabotage : 0);
	snprintf(buf, sizeof(buf), "%s: allocation %d: others, %s", way->what, nth, when);
	expect(buf, others, way->beside ? way->want : 0);
}

/* What can be seen of who is attached */
struct seen {
	char *traced;
	int kprobes;
	long long references;
};

static int count_kprobes(void)
{
	char *text = read_file(KPROBES), *at;
	int nr = 0;

	for (at = text; at && *at; at++)
		nr += *at == '\n';
	free(text);
	return nr;
}

static void look(struct seen *seen)
{
	seen->traced = traced();
	seen->kprobes = count_kprobes();
	/* Without the module, as many */
	seen->references = read_number(REFERENCES);
}

static void expect_seen(const struct way *way, const char *when, int nth,
			const struct seen *before)
{
	char buf[96];

	snprintf(buf, sizeof(buf), "%s: allocation %d: traced, %s", way->what, nth, when);
	expect_traced(buf, before->traced);
	snprintf(buf, sizeof(buf), "%s: allocation %d: kprobes, %s", way->what, nth, when);
	expect(buf, count_kprobes(), before->kprobes);
	snprintf(buf, sizeof(buf), "%s: allocation %d: modules, %s", way->what, nth, when);
	expect(buf, read_number(REFERENCES), before->references);
}

static int attach_failing(const struct way *way, int fail, int nth, bool *failed)
{
	int fd;

	fail_nth(fail, nth);
	fd = way->attach(way->ret);
	*failed = has_failed(fail);
	if (fd < 0 && (!*failed || fd != -ENOMEM))
		fail("%s: allocation %d: attach: %s", way->what, nth, error_text(fd));
	return fd;
}

static void try_way(const struct way *way, int fail)
{
	int fd, nth, refused = 0, detached = 0;
	struct seen before;
	bool failed = true;

	/* What has allocations fail are kprobes, too. */
	fail_nth(fail, 1);
	has_failed(fail);
	look(&before);
	for (nth = 1; nth < 1000 && failed && !test_failed; nth++) {
		fd = attach_failing(way, fail, nth, &failed);
		expect_calls(way, "attached", nth, fd >= 0);
		if (fd < 0) {
			refused++;
			expect_seen(way, "refused", nth, &before);
			fd = way->attach(way->ret);
			if (fd < 0)
				fail("%s: allocation %d: attach again: %s", way->what,
				     nth, error_text(fd));
			expect_calls(way, "attached again", nth, true);
		}
		fail_nth(fail, nth);
		close(fd);
		detached += has_failed(fail);
		expect_calls(way, "detached", nth, false);
		expect_seen(way, "detached", nth, &before);
	}
	free(before.traced);
	printf("# %s: %s: refused %d times, each of %d allocations; %d when detached\n",
	       test_name, way->what, refused, nth - 2, detached);
	expect("any failure to attach", refused > 0, 1);
	expect("attached in the end", failed, false);
}

static void try_ways(const struct way *ways, int nr)
{
	int i, fail = open_fail();
	struct kept printk;

	if (fail < 0)
		return;
	/* A page that is missing makes vmalloc() print where. */
	printk = keep_file("/proc/sys/kernel/printk");
	write_file("/proc/sys/kernel/printk", "1");
	for (i = 0; i < nr && !test_failed; i++)
		try_way(&ways[i], fail);
	restore_file(&printk);
	close(fail);
}

TEST(multi_memory)
{
	static const struct way ways[] = {
		{ "entries", attach_multi, call_multi, false, NR_CALLED, false },
		{ "exits", attach_multi, call_multi, true, NR_CALLED, false },
	}, beside[] = {
		{ "entries beside", attach_multi, call_multi, false, NR_CALLED, true },
		{ "exits beside", attach_multi, call_multi, true, NR_CALLED, true },
	};
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.syms = multi_names,
		.kprobe_multi.cookies = multi_cookies,
		.kprobe_multi.cnt = NR_CALLED);
	int i, fd, programs = count_programs();

	multi = load_multi("multi_count multi_count_exit multi_entry multi_driver");
	if (!multi)
		return;
	for (i = 0; i < NR_CALLED; i++)
		multi_addrs[i] = symbol_address(multi_names[i]);
	multi_addrs[NR_CALLED] = symbol_address("ftrace_tracee_00");
	fd = bpf_link_create(bpf_program__fd(multi->progs.multi_entry), 0,
			     BPF_TRACE_KPROBE_MULTI, &opts);
	if (fd == -EOPNOTSUPP) {
		skip("no kprobe_multi on this kernel");
		goto out;
	}
	if (expect("attach the other one", fd >= 0, 1)) {
		try_ways(beside, ARRAY_SIZE(beside));
		close(fd);
	}
	try_ways(ways, ARRAY_SIZE(ways));
out:
	multi_bpf__destroy(multi);
	expect_freed("programs that are left", programs);
}

TEST(kprobe_memory)
{
	static const struct way ways[] = {
		{ "kprobe", attach_kprobe, call_kprobe, false, 1, false },
		{ "kretprobe", attach_kprobe, call_kprobe, true, 1, false },
	}, beside[] = {
		{ "kprobe beside", attach_kprobe, call_kprobe, false, 1, true },
		{ "kretprobe beside", attach_kprobe, call_kprobe, true, 1, true },
	};
	int i, fd, programs = count_programs();

	kprobe_type = read_number("/sys/bus/event_source/devices/kprobe/type");
	probes = load_tests("kprobe1 kretprobe1");
	if (!probes)
		return;
	for (i = 0; i < (int)ARRAY_SIZE(beside) && !test_failed; i++) {
		fd = attach_kprobe(!beside[i].ret);
		if (!expect("attach the other one", fd >= 0, 1))
			break;
		try_ways(&beside[i], 1);
		close(fd);
	}
	try_ways(ways, ARRAY_SIZE(ways));
	test_bpf__destroy(probes);
	expect_freed("programs that are left", programs);
}

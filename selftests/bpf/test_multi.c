// SPDX-License-Identifier: GPL-2.0
/* Links of one program to many functions. */
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
#include "multi.h"

/* Open the object and load the programs in @names, separated by spaces. */
struct multi_bpf *load_multi(const char *names)
{
	struct multi_bpf *skel = multi_bpf__open();
	char *copy, *name, *save = NULL;
	struct bpf_program *prog;
	int err;

	if (!skel) {
		fail("open: %s", error_text(errno));
		return NULL;
	}
	copy = strdup(names);
	for (name = strtok_r(copy, " ", &save); name;
	     name = strtok_r(NULL, " ", &save)) {
		prog = bpf_object__find_program_by_name(skel->obj, name);
		if (prog)
			bpf_program__set_autoload(prog, true);
		else
			fail("no program %s", name);
	}
	free(copy);
	err = multi_bpf__load(skel);
	if (err) {
		fail("load %s: %s", names, error_text(err));
		multi_bpf__destroy(skel);
		return NULL;
	}
	skel->bss->tid = syscall(SYS_gettid);
	return skel;
}

/* One link to the functions in @syms, or to the ones at @addrs */
static struct bpf_link *attach_multi(const struct bpf_program *prog,
				     const char **syms,
				     const unsigned long *addrs,
				     const __u64 *cookies, size_t cnt, bool ret)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts,
		    .syms = syms,
		    .addrs = addrs,
		    .cookies = cookies,
		    .cnt = cnt,
		    .retprobe = ret);
	struct bpf_link *link;

	link = bpf_program__attach_kprobe_multi_opts(prog, NULL, &opts);
	if (!link && errno == EOPNOTSUPP)
		skip("no kprobe_multi on this kernel");
	else if (!link)
		fail("attach: %s", error_text(errno));
	return link;
}

#define NR_TEST_FUNCS	8

static const char *test_funcs[NR_TEST_FUNCS] = {
	/* Not in their order: whoever sorts them has to move the cookies. */
	"bpf_fentry_test4", "bpf_fentry_test1", "bpf_fentry_test8",
	"bpf_fentry_test2", "bpf_fentry_test7", "bpf_fentry_test3",
	"bpf_fentry_test6", "bpf_fentry_test5",
};

/* By number of the function, as test_run() has them */
static const __u64 test_args[] = { 1, 2, 4, 7, 11, 16, 0, 0 };
static const __u64 test_rets[] = { 2, 5, 15, 34, 65, 111, 0, 0 };

static void expect_multi(struct multi_bpf *skel, const char *what, int entries,
			 int exits)
{
	unsigned int calls;
	char buf[80];
	int i;

	for (i = 0; i < NR_TEST_FUNCS; i++) {
		snprintf(buf, sizeof(buf), "%s: entries of %s", what,
			 test_funcs[i]);
		calls = calls_of(test_funcs[i], entries);
		expect(buf, skel->bss->entry_hits[i], calls);
		/* The argument of the last ones is a pointer. */
		if (strcmp(test_funcs[i], "bpf_fentry_test8"))
			expect(buf, skel->bss->entry_good[i], calls);
		snprintf(buf, sizeof(buf), "%s: exits of %s", what,
			 test_funcs[i]);
		calls = calls_of(test_funcs[i], exits);
		expect(buf, skel->bss->exit_hits[i], calls);
		expect(buf, skel->bss->exit_good[i], calls);
	}
	snprintf(buf, sizeof(buf), "%s: calls without a number", what);
	expect(buf, skel->bss->lost, 0);
}

TEST(multi)
{
	struct multi_bpf *skel = load_multi("multi_entry multi_exit multi_driver");
	unsigned long addrs[NR_TEST_FUNCS];
	__u64 cookies[NR_TEST_FUNCS];
	struct bpf_link *in, *out;
	int i, nr, by_address;

	if (!skel)
		return;
	for (i = 0; i < NR_TEST_FUNCS; i++) {
		nr = test_funcs[i][strlen(test_funcs[i]) - 1] - '1';
		cookies[i] = i;
		addrs[i] = symbol_address(test_funcs[i]);
		skel->bss->want_ip[i] = addrs[i];
		skel->bss->want_arg[i] = test_args[nr];
		skel->bss->want_ret[i] = test_rets[nr] + sabotage;
	}
	for (by_address = 0; by_address < 2; by_address++) {
		const char **syms = by_address ? NULL : test_funcs;
		const unsigned long *at = by_address ? addrs : NULL;
		int runs = 3 * by_address;

		in = attach_multi(skel->progs.multi_entry, syms, at, cookies,
				  NR_TEST_FUNCS, false);
		if (!in)
			break;
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "entry", runs + 1, runs);
		out = attach_multi(skel->progs.multi_exit, syms, at, cookies,
				   NR_TEST_FUNCS, true);
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "entry and exit", runs + 2, runs + 1);
		bpf_link__destroy(in);
		/* Two more exits, to have as many of them */
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "exit", runs + 2, runs + 2);
		in = attach_multi(skel->progs.multi_entry, syms, at, cookies,
				  NR_TEST_FUNCS, false);
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "both again", runs + 3, runs + 3);
		bpf_link__destroy(out);
		bpf_link__destroy(in);
		test_run(skel->progs.multi_driver);
		expect_multi(skel, "detached", runs + 3, runs + 3);
	}
	multi_bpf__destroy(skel);
}

#define NR_TRACEES	64

/* All of the module's tracees */
static void tracee_addresses(unsigned long addrs[NR_TRACEES])
{
	const struct symbol *symbols;
	unsigned int i, nr, high, low;

	memset(addrs, 0, NR_TRACEES * sizeof(*addrs));
	symbols = all_symbols(&nr);
	for (i = 0; i < nr; i++) {
		if (sscanf(symbols[i].name, "ftrace_tracee_%1o%1o", &high,
			   &low) == 2)
			addrs[8 * high + low] = symbols[i].address;
	}
}

/* The functions of a module, by their addresses */
TEST(multi_module)
{
	unsigned long addrs[NR_TRACEES];
	__u64 cookies[NR_TRACEES];
	struct bpf_link *in, *out;
	struct multi_bpf *skel;
	int i;

	if (!have_tracees())
		return;
	skel = load_multi("multi_entry multi_exit");
	if (!skel)
		return;
	tracee_addresses(addrs);
	for (i = 0; i < NR_TRACEES; i++) {
		cookies[i] = i;
		skel->bss->want_ip[i] = addrs[i];
		skel->bss->want_arg[i] = 0;
		skel->bss->want_ret[i] = i;
	}
	in = attach_multi(skel->progs.multi_entry, NULL, addrs, cookies,
			  NR_TRACEES, false);
	out = in ? attach_multi(skel->progs.multi_exit, NULL, addrs, cookies,
				NR_TRACEES, true) : NULL;
	if (out) {
		write_file(TRACEES "call", "1");
		for (i = 0; i < NR_TRACEES; i++) {
			expect("entries", skel->bss->entry_hits[i], 1 + sabotage);
			expect("good entries", skel->bss->entry_good[i], 1);
			expect("exits", skel->bss->exit_hits[i], 1 + sabotage);
			expect("good exits", skel->bss->exit_good[i], 1);
		}
	}
	bpf_link__destroy(out);
	bpf_link__destroy(in);
	multi_bpf__destroy(skel);
}

/* The module of a function stays while a link is on it: one reference for all */
TEST(multi_module_held)
{
	unsigned long addrs[NR_TRACEES];
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.addrs = addrs,
		.kprobe_multi.cnt = NR_TRACEES);
	struct bpf_link *link;
	struct multi_bpf *skel;
	int before, fd;

	if (!have_tracees())
		return;
	skel = load_multi("multi_entry");
	if (!skel)
		return;
	tracee_addresses(addrs);
	before = module_references();
	link = attach_multi(skel->progs.multi_entry, NULL, addrs, NULL, NR_TRACEES,
			    false);
	if (link) {
		expect("references with a link", module_references(),
		       before + 1 + sabotage);
		expect("error of unloading",
		       syscall(SYS_delete_module, "ftrace_tracees", O_NONBLOCK) ?
		       errno : 0, EWOULDBLOCK);
		bpf_link__destroy(link);
		expect("references without", module_references(), before);
	}
	/* Nor does a link that fails, as the last one is no function, keep it. */
	addrs[NR_TRACEES - 1] = sizeof(long);
	fd = bpf_link_create(bpf_program__fd(skel->progs.multi_entry), 0,
			     BPF_TRACE_KPROBE_MULTI, &opts);
	expect("error without a function", fd, -EINVAL);
	expect("references after it", module_references(), before);
	multi_bpf__destroy(skel);
}

/* A module whose init function is going to fail cannot be held. */
TEST(multi_module_failing)
{
	unsigned long addr = 0;
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.addrs = &addr,
		.kprobe_multi.cnt = 1);
	struct multi_bpf *skel;
	int i, link, status = -1;
	char *text;
	pid_t pid;

	skel = load_multi("multi_entry");
	if (!skel)
		return;
	pid = begin_failing("");
	if (pid < 0)
		goto out;
	for (i = 0; i < 300 && access(FAILING "parameters/tracee", R_OK); i++)
		usleep(100000);
	text = read_file(FAILING "parameters/tracee");
	addr = text ? strtoul(text, NULL, 10) : 0;
	free(text);
	expect("address", addr != 0, 1);
	link = bpf_link_create(bpf_program__fd(skel->progs.multi_entry), 0,
			       BPF_TRACE_KPROBE_MULTI, &opts);
	expect("error while it is initialized", link, -ENOENT + sabotage);
	write_file(FAILING "parameters/fail", "1");
	waitpid(pid, &status, 0);
	expect("error of its init function", WEXITSTATUS(status), ENODEV);
	if (link >= 0)
		close(link);
out:
	multi_bpf__destroy(skel);
}

/* Is any address of a stack trace in the function that @name begins? */
static bool in_stack(const __u64 *stack, long long size, const char *name)
{
	unsigned long long start = symbol_address(name), end = ~0ULL, address;
	const struct symbol *symbols;
	unsigned int n, nr;
	size_t i;

	symbols = all_symbols(&nr);
	for (n = 0; n < nr; n++) {
		address = symbols[n].address;
		if (address > start && address < end)
			end = address;
	}
	for (i = 0; start && size > 0 && i < size / sizeof(*stack); i++) {
		if (stack[i] >= start && stack[i] < end)
			return true;
	}
	return false;
}

static void expect_stack(const char *what, const __u64 *stack, long long size)
{
	char buf[80];

	printf("# %s: %s: %lld addresses\n", test_name, what,
	       size / (long long)sizeof(*stack));
	snprintf(buf, sizeof(buf), "%s: any stack", what);
	if (!expect(buf, size > 0, 1 - sabotage))
		return;
	snprintf(buf, sizeof(buf), "%s: the system call", what);
	expect(buf, in_stack(stack, size, "__sys_bpf"), 1);
	snprintf(buf, sizeof(buf), "%s: the trampoline", what);
	expect(buf, in_stack(stack, size, "arch_rethook_trampoline"), 0);
}

TEST(multi_stack)
{
	static const char *one[] = { "bpf_fentry_test1" };
	/* What calls that; the compiler may call one of two by the other name */
	static const char *all[] = { "bpf_prog_test_run_tracing", "bpf_fentry_test1" };
	struct bpf_link *in = NULL, *out = NULL, *outer = NULL;
	struct multi_bpf *skel;

	skel = load_multi("multi_entry_stack multi_exit_stack multi_count_exit multi_driver");
	if (!skel)
		return;
	out = attach_multi(skel->progs.multi_exit_stack, one, NULL, NULL, 1, true);
	in = out ? attach_multi(skel->progs.multi_entry_stack, one, NULL, NULL, 1,
				false) : NULL;
	if (in) {
		test_run(skel->progs.multi_driver);
		expect_stack("entry", skel->bss->entry_stack,
			     skel->bss->entry_size);
		expect("the function", in_stack(skel->bss->entry_stack,
						skel->bss->entry_size, one[0]), 1);
		expect_stack("exit", skel->bss->exit_stack, skel->bss->exit_size);
		expect("the caller", in_stack(skel->bss->exit_stack,
					      skel->bss->exit_size, all[0]), 1);

		/* And when the caller is to return to the trampoline, too */
		outer = attach_multi(skel->progs.multi_count_exit, all, NULL, NULL,
				     2, true);
		test_run(skel->progs.multi_driver);
		expect_stack("entry below", skel->bss->entry_stack,
			     skel->bss->entry_size);
		expect_stack("exit below", skel->bss->exit_stack,
			     skel->bss->exit_size);
		expect("other exits", skel->bss->total >= 2, 1);
	}
	bpf_link__destroy(outer);
	bpf_link__destroy(in);
	bpf_link__destroy(out);
	multi_bpf__destroy(skel);
}

/*
 * In the idle task, which RCU does not always watch, kretprobes have a trampoline of
 * their own. One that comes first must not show to others.
 */
TEST(multi_return_idle)
{
	static const char * const trampolines[] = {
		"arch_rethook_trampoline", "arch_rethook_regs_trampoline",
	};
	static const char *one[] = { "tick_nohz_idle_enter" };
	int type = read_number("/sys/bus/event_source/devices/kprobe/type");
	struct multi_bpf *skel;
	struct bpf_link *link;
	unsigned int i;
	int fd;

	if (type < 0 || !symbol_address(one[0])) {
		skip("no kprobes of perf, or no %s()", one[0]);
		return;
	}
	skel = load_multi("multi_exit_idle");
	if (!skel)
		return;
	link = attach_multi(skel->progs.multi_exit_idle, one, NULL, NULL, 1, true);
	/* What comes last is called first. */
	fd = link ? open_kprobe(type, one[0], true) : -1;
	if (link && expect("kretprobe", fd >= 0, 1)) {
		skel->bss->total = 0;
		for (i = 0; i < 100 && !skel->bss->total; i++)
			usleep(100000);
		expect("returns of the idle task", skel->bss->total > 0, 1 - sabotage);
		for (i = 0; i < ARRAY_SIZE(trampolines); i++)
			expect(trampolines[i],
			       in_stack(skel->bss->exit_stack, sizeof(__u64),
					trampolines[i]), 0);
	}
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	multi_bpf__destroy(skel);
}

/* Whoever is on a function that a program makes return at once */
TEST(multi_override)
{
	static const char *one[] = { "bpf_modify_return_test" };
	struct multi_bpf *skel;
	struct bpf_link *links[2];
	__u32 result;
	int first;

	if (!have_injection())
		return;
	skel = load_multi("multi_override multi_count_exit multi_mod_driver");
	if (!skel)
		return;
	for (first = 0; first < 2 && !test_failed; first++) {
		links[first] = attach_multi(skel->progs.multi_override, one, NULL,
					    NULL, 1, false);
		if (!links[first])
			break;
		links[!first] = attach_multi(skel->progs.multi_count_exit, one,
					     NULL, NULL, 1, true);
		skel->bss->total = 0;
		result = test_run(skel->progs.multi_mod_driver);
		expect("return value", (__s16)result, -22 + sabotage);
		expect("side effect", result >> 16, 0);
		expect("exits", skel->bss->total, 1);
		bpf_link__destroy(links[0]);
		bpf_link__destroy(links[1]);
		result = test_run(skel->progs.multi_mod_driver);
		expect("return value when detached", (__s16)result, 4);
	}
	expect("hits", skel->bss->entry_hits[0], skip_reason[0] ? 0 : 2);
	multi_bpf__destroy(skel);
}

static void expect_attach_error(const char *what, const struct bpf_program *prog,
				const char **syms, const unsigned long *addrs,
				__u32 cnt, int want)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .kprobe_multi.syms = syms,
		    .kprobe_multi.addrs = addrs,
		    .kprobe_multi.cnt = cnt);
	int fd = bpf_link_create(bpf_program__fd(prog), 0, BPF_TRACE_KPROBE_MULTI,
				 &opts);

	if (fd == -EOPNOTSUPP && want != EOPNOTSUPP)
		skip("no kprobe_multi on this kernel");
	else
		expect(what, fd, -want - sabotage);
	if (fd >= 0)
		close(fd);
}

TEST(multi_errors)
{
	static const char *unknown[] = { "bpf_fentry_test1", "there_is_no_such" };
	unsigned long addrs[2] = { symbol_address("bpf_fentry_test1") };
	struct multi_bpf *skel = load_multi("multi_count multi_driver");
	const struct bpf_program *prog;

	if (!skel)
		return;
	prog = skel->progs.multi_count;
	addrs[1] = symbol_address("jiffies_64");
	expect_attach_error("unknown symbol", prog, unknown, NULL, 2, ESRCH);
	expect_attach_error("no function", prog, NULL, addrs, 2, EINVAL);
	expect_attach_error("neither", prog, NULL, NULL, 2, EINVAL);
	expect_attach_error("both", prog, unknown, addrs, 2, EINVAL);
	expect_attach_error("none", prog, NULL, addrs, 0, EINVAL);
	expect_attach_error("not in memory of ours", prog, NULL, (void *)4096, 2,
			    EFAULT);
	/* In bytes, that is 8 in 32 bits. */
	expect_attach_error("too many", prog, NULL, addrs, 0x20000001, E2BIG);
	test_run(skel->progs.multi_driver);
	expect("hits of what is not attached", skel->bss->total, 0);
	multi_bpf__destroy(skel);
}

/* Call some of the functions. Others do as well: the runner, for one. */
static void expect_counted(struct multi_bpf *skel, const char *what, bool hits)
{
	expect("read a file", read_number("/proc/sys/kernel/pid_max") > 0, 1);
	printf("# %s: %s: %llu hits\n", test_name, what,
	       (unsigned long long)skel->bss->total);
	expect(what, skel->bss->total > 0, hits - sabotage);
}

/* One link for a thousand functions, while they are in use */
TEST(multi_many)
{
	static const char *names[MANY * 2];
	static unsigned long addrs[MANY * 2];
	struct bpf_link *in, *out = NULL;
	struct multi_bpf *skel;
	char *text = NULL;
	struct runner r;
	int i, nr;

	skel = load_multi("multi_count multi_count_exit multi_driver");
	if (!skel)
		return;
	nr = many_names(&text, names, MANY * 2);
	nr = unique_names(names, addrs, nr);
	if (nr > MANY)
		nr = MANY;
	printf("# %s: %d functions\n", test_name, nr);
	/*
	 * An emulator lets a busy processor go on for long before it has it
	 * follow a change of code, of which there are thousands here.
	 */
	if (!expect("start", start_runner(&r, skel->progs.multi_driver, 1000), 1))
		goto out;
	for (i = 0; i < 3; i++) {
		skel->bss->total = 0;
		in = attach_multi(skel->progs.multi_count, i & 1 ? NULL : names,
				  i & 1 ? addrs : NULL, NULL, nr, false);
		if (!in)
			break;
		out = attach_multi(skel->progs.multi_count_exit,
				   i & 1 ? NULL : names, i & 1 ? addrs : NULL,
				   NULL, nr, true);
		expect_counted(skel, "both", true);
		bpf_link__destroy(i & 1 ? in : out);
		skel->bss->total = 0;
		expect_counted(skel, i & 1 ? "exits" : "entries", true);
		bpf_link__destroy(i & 1 ? out : in);
		skel->bss->total = 0;
		expect_counted(skel, "detached", false);
	}
	stop_runner(&r);
out:
	free(text);
	multi_bpf__destroy(skel);
}

/*
 * Programs go while a task sleeps in the function: what it returns to then must not
 * call them. Other calls of theirs are counted.
 */
TEST(multi_sleeping)
{
	static const char *one[] = { "hrtimer_nanosleep" };
	struct multi_bpf *skel = load_multi("multi_entry multi_exit");
	static const __u64 cookie[1];
	struct bpf_link *in, *out;
	struct sleeper s;

	if (!skel)
		return;
	out = attach_multi(skel->progs.multi_exit, one, NULL, cookie, 1, true);
	in = out ? attach_multi(skel->progs.multi_entry, one, NULL, cookie, 1,
				false) : NULL;
	if (in) {
		sleep_ms(1);
		expect("entries", skel->bss->entry_hits[0], 1 + sabotage);
		expect("exits", skel->bss->exit_hits[0], 1 + sabotage);
	}
	if (in && start_sleeper(&s)) {
		skel->bss->tid = s.tid;
		let_sleep(&s);
		expect("entries of the sleeper", skel->bss->entry_hits[0], 2);
		bpf_link__destroy(out);
		bpf_link__destroy(in);
		out = in = NULL;
		wake_sleeper(&s);
		expect("exits when detached", skel->bss->exit_hits[0], 1);
	}
	bpf_link__destroy(in);
	bpf_link__destroy(out);
	multi_bpf__destroy(skel);
}

/*
 * Detach after ftrace has found a call site that it does not know, and given up:
 * functions go on calling what was attached, so that must not be freed.
 */
TEST(given_up)
{
	struct multi_bpf *multi;
	struct test_bpf *skel;
	struct bpf_link *in, *out;
	char command[4096];
	int i;

	if (!getenv("GIVEN_UP")) {
		skip("it ends all tracing; scripts/check-broken-site runs it");
		return;
	}
	skel = attached_tests("entry1 exit1 entry2");
	multi = load_multi("multi_count multi_count_exit");
	if (!skel || !multi)
		return;
	in = attach_multi(multi->progs.multi_count, test_funcs, NULL, NULL,
			  NR_TEST_FUNCS, false);
	out = attach_multi(multi->progs.multi_count_exit, test_funcs, NULL, NULL,
			   NR_TEST_FUNCS, true);
	snprintf(command, sizeof(command),
		 "insmod %s/ftrace_broken_site.ko when=register", own_dir);
	expect("load the module", system(command), 0);
	bpf_link__destroy(in);
	bpf_link__destroy(out);
	test_bpf__detach(skel);
	/* Links are freed after a grace period. */
	sleep_ms(1000);
	multi->bss->total = 0;
	for (i = 0; i < 100; i++)
		test_run(skel->progs.driver);
	expect("calls seen by links that are gone", multi->bss->total, sabotage);
	multi_bpf__destroy(multi);
	test_bpf__destroy(skel);
	skel = load_tests("");
	sleep_ms(1000);
	for (i = 0; skel && i < 100; i++)
		test_run(skel->progs.driver);
	test_bpf__destroy(skel);
}

/* Are @cnt functions and @missed calls what the kernel tells of a link? */
static bool link_tells(const struct bpf_link *link, int cnt, int missed)
{
	char path[64], want[64], *text;
	bool tells;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", bpf_link__fd(link));
	snprintf(want, sizeof(want), "kprobe_cnt:\t%d\nmissed:\t%d\n", cnt, missed);
	text = read_file(path);
	tells = text && strstr(text, want);
	free(text);
	return tells;
}

/* What there is to see of a link */
TEST(multi_fdinfo)
{
	struct multi_bpf *skel = load_multi("multi_count_exit");
	struct bpf_link *link;

	if (!skel)
		return;
	link = attach_multi(skel->progs.multi_count_exit, test_funcs, NULL, NULL,
			    NR_TEST_FUNCS, true);
	if (link) {
		expect("number of functions and of misses",
		       link_tells(link, NR_TEST_FUNCS + sabotage, 0), 1);
		bpf_link__destroy(link);
	}
	multi_bpf__destroy(skel);
}

/* The program of a link is not run where RCU is not watching, either. */
TEST(multi_unwatched)
{
	const unsigned long addrs[] = {
		symbol_address("ftrace_rcu_leaves"), symbol_address("ftrace_rcu_away"),
		symbol_address("ftrace_rcu_returns"),
	};
	struct multi_bpf *skel;
	struct bpf_link *link;
	int ret, hits;

	if (!have_tracees())
		return;
	skel = load_multi("multi_count multi_count_exit");
	if (!skel)
		return;
	for (ret = 0; ret < 2 && !skip_reason[0]; ret++) {
		link = attach_multi(ret ? skel->progs.multi_count_exit :
				    skel->progs.multi_count, NULL, addrs, NULL,
				    ARRAY_SIZE(addrs), ret);
		if (!link)
			break;
		skel->bss->total = 0;
		if (call_unwatched(5)) {
			/* No function has both its entry and its return watched. */
			hits = ret ? 0 : 5;
			expect("hits", skel->bss->total, hits + sabotage);
			expect("misses", link_tells(link, 3, 15 - hits), 1);
		}
		bpf_link__destroy(link);
	}
	multi_bpf__destroy(skel);
}

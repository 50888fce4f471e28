// SPDX-License-Identifier: GPL-2.0
/* Programs come and go while the function is called, or sleeps, or memory is short. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/capability.h>

#include "load.h"

/* Programs come and go while another thread keeps calling the functions. */
TEST(reattach)
{
	struct test_bpf *skel = load_tests("entry1 exit1 entry2 exit6");
	struct runner r;
	int i;

	if (!skel)
		return;
	if (!start_runner(&r, skel->progs.driver, 0))
		goto out;
	for (i = 1; i <= toggles && !test_failed; i++) {
		if (!attach_tests(skel))
			break;
		test_run(skel->progs.driver);
		expect("fentry of test1", skel->bss->entry_good[0],
		       i + sabotage);
		expect("fexit of test1", skel->bss->exit_good[0], i);
		expect("fentry of test2", skel->bss->entry_good[1], i);
		expect("fexit of test6", skel->bss->exit_good[5], i);
		test_bpf__detach(skel);
		test_run(skel->progs.driver);
		expect("fentry when detached", skel->bss->entry_hits[0], i);
		expect("fexit when detached", skel->bss->exit_hits[0], i);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(skel);
}

/* The other way round: the function has one program all the time. */
TEST(replace)
{
	struct test_bpf *skel = attached_tests("entry1 exit1");
	struct test_bpf *more = skel ? load_tests("entry1_too exit1_too") : NULL;
	struct runner r;
	int i;

	if (!more)
		goto out;
	if (!start_runner(&r, skel->progs.driver, 0))
		goto out;
	for (i = 1; i <= toggles && !test_failed; i++) {
		if (!attach_tests(more))
			break;
		test_run(skel->progs.driver);
		expect("first fentry", skel->bss->entry_good[0], 2 * i - 1);
		expect("second fentry", more->bss->entry_good[1], i + sabotage);
		expect("second fexit", more->bss->exit_good[1], i);
		test_bpf__detach(more);
		test_run(skel->progs.driver);
		expect("fentry that stays", skel->bss->entry_good[0], 2 * i);
		expect("fexit that stays", skel->bss->exit_good[0], 2 * i);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(more);
	test_bpf__destroy(skel);
}

#define KILLS	20

/*
 * A process that attaches programs, says so, and gets killed: either while they
 * stay attached, or while it keeps attaching and detaching them.
 */
static pid_t start_attacher(struct test_bpf *skel, bool stay)
{
	int said[2];
	char byte;
	pid_t pid;

	if (pipe(said))
		return -1;
	pid = fork();
	if (!pid) {
		bool again = false;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		do {
			if (test_bpf__attach(skel) ||
			    (!again && write(said[1], "", 1) != 1))
				_exit(1);
			again = true;
			while (stay)
				pause();
			test_bpf__detach(skel);
		} while (true);
	}
	close(said[1]);
	if (pid > 0 && read(said[0], &byte, 1) != 1)
		fail("the child has not attached");
	close(said[0]);
	return pid;
}

/*
 * Whoever attached programs gets killed. They are gone with him, those of others
 * are not, and the function can be attached to again.
 */
TEST(killed)
{
	struct test_bpf *skel = attached_tests("entry1 exit1");
	struct test_bpf *more = NULL;
	__u64 entries = 0, exits = 0;
	unsigned int runs = 0;
	struct runner r;
	int i, status;
	pid_t pid;

	if (skel)
		more = load_tests("entry1_too exit1_too");
	if (!more || !start_runner(&r, skel->progs.driver, 0))
		goto out;
	for (i = 1; i <= KILLS && !test_failed; i++) {
		bool stay = i % 2;

		pid = start_attacher(more, stay);
		if (pid < 0) {
			fail("start a process: %s", error_text(errno));
			break;
		}
		entries = more->bss->entry_good[1];
		exits = more->bss->exit_good[1];
		if (stay) {
			test_run(skel->progs.driver);
			expect("fentry of another process",
			       more->bss->entry_good[1], ++entries);
			expect("fexit of another process",
			       more->bss->exit_good[1], ++exits);
		} else {
			/* Some of these times are in the middle of something. */
			sleep_ms(7 * i);
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		/* Not if it could not attach again */
		expect("ended by a signal", WIFSIGNALED(status), 1);
		test_run(skel->progs.driver);
		expect("fentry of a dead process", more->bss->entry_good[1],
		       entries);
		expect("fexit of a dead process", more->bss->exit_good[1], exits);
		runs += 1 + stay;
		expect("fentry that stays", skel->bss->entry_good[0],
		       runs + sabotage);
		expect("fexit that stays", skel->bss->exit_good[0], runs);
	}
	if (attach_tests(more)) {
		test_run(skel->progs.driver);
		expect("fentry again", more->bss->entry_good[1], entries + 1);
		expect("fexit again", more->bss->exit_good[1], exits + 1);
	}
	stop_runner(&r);
out:
	test_bpf__destroy(more);
	test_bpf__destroy(skel);
}

enum when_asleep {
	DETACH,
	ATTACH,
	REATTACH,
};

/* Programs come or go while the function that they trace sleeps. */
static void sleep_with(const char *names, enum when_asleep when,
		       __u64 entries, __u64 exits)
{
	struct test_bpf *skel = load_tests(names);
	struct sleeper s;

	if (!skel)
		return;
	if (!start_sleeper(&s))
		goto out;
	skel->bss->tid = s.tid;
	if (when != ATTACH)
		attach_tests(skel);
	let_sleep(&s);
	if (when != ATTACH)
		test_bpf__detach(skel);
	if (when != DETACH)
		attach_tests(skel);
	wake_sleeper(&s);
	expect("fentry hits", skel->bss->sleep_entry, entries);
	expect("fexit hits", skel->bss->sleep_exit, exits);
	if (when == DETACH)
		goto out;
	/* What was attached meanwhile is for the calls after that. */
	skel->bss->tid = syscall(SYS_gettid);
	sleep_ms(1);
	if (strstr(names, "sleep_in"))
		entries++;
	if (strstr(names, "sleep_out"))
		exits++;
	expect("fentry hits of the next call", skel->bss->sleep_entry, entries);
	expect("fexit hits of the next call", skel->bss->sleep_exit, exits);
out:
	test_bpf__destroy(skel);
}

TEST(detach_sleeping)
{
	/* When the sleeper returns there is no program to be called. */
	sleep_with("sleep_in", DETACH, 1, 0);
	sleep_with("sleep_out", DETACH, 0, 0);
	sleep_with("sleep_in sleep_out", DETACH, 1, 0);
}

TEST(attach_sleeping)
{
	sleep_with("sleep_in", ATTACH, 0, 0);
	sleep_with("sleep_out", ATTACH, 0, 0);
	sleep_with("sleep_in sleep_out", ATTACH, 0, 0);
}

TEST(reattach_sleeping)
{
	/* The sleeper is in the trampoline of the programs that are gone. */
	sleep_with("sleep_in", REATTACH, 1, 0);
	sleep_with("sleep_out", REATTACH, 0, 0);
	sleep_with("sleep_in sleep_out", REATTACH, 1, 0);
}

#define SLEEPERS	3

/* How many images there are of what the program is attached to */
static int count_images(const struct bpf_program *prog)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);
	char name[64], *text, *at;
	int nr = 0;

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return -1;
	/* As bpf_trampoline_compute_key() does it for functions of the kernel */
	snprintf(name, sizeof(name), " bpf_trampoline_%llu\t",
		 (unsigned long long)info.attach_btf_obj_id << 32 | 0x80000000U |
		 info.attach_btf_id);
	text = read_file("/proc/kallsyms");
	if (!text)
		return -1;
	for (at = text; (at = strstr(at, name)); at++)
		nr++;
	free(text);
	return nr;
}

static int images_later(const struct bpf_program *prog, int wanted)
{
	int nr, i;

	for (i = 0; i < FREE_MS / 100; i++) {
		nr = count_images(prog);
		if (nr == wanted)
			break;
		sleep_ms(100);
	}
	return nr;
}

/* As long as a task sleeps in the function its image stays, and no longer. */
TEST(image_freed)
{
	struct test_bpf *skel = load_tests("sleep_out"), *other = NULL;
	struct sleeper s[SLEEPERS];
	int i, started = 0;
	__u32 id;

	if (skel)
		other = load_tests("sleep_out");
	if (!other)
		goto out;
	expect("images before", images_later(other->progs.sleep_out, 0), 0);
	while (started < SLEEPERS && start_sleeper(&s[started]))
		started++;
	attach_tests(skel);
	for (i = 0; i < started; i++)
		let_sleep(&s[i]);
	expect("images of what sleeps", count_images(other->progs.sleep_out), 1);
	id = program_id(skel->progs.sleep_out);
	test_bpf__destroy(skel);
	skel = NULL;
	/* The image has dropped its programs, and looks who is inside. */
	for (i = 0; i < FREE_MS / 20 && program_exists(id); i++)
		sleep_ms(20);
	expect("the program is there", program_exists(id), 0);
	for (i = 0; i < started; i++) {
		sleep_ms(1000);
		expect("images, before the next one wakes up",
		       count_images(other->progs.sleep_out), 1);
		wake_sleeper(&s[i]);
	}
	expect("images after all", images_later(other->progs.sleep_out, 0), sabotage);
out:
	test_bpf__destroy(other);
	test_bpf__destroy(skel);
}

/*
 * Attach with the @nth allocation failing. Sets @enough if there are fewer.
 * NULL if it fails; the only good reason is the lack of memory.
 */
static struct bpf_link *attach_failing(int fd, const struct bpf_program *prog,
				       int nth, bool *enough)
{
	struct bpf_link *link;
	int err;

	fail_nth(fd, nth);
	link = bpf_program__attach(prog);
	err = link ? 0 : errno;
	*enough = !has_failed(fd);
	if (!link && (*enough || err != ENOMEM))
		fail("%s, allocation %d: attach: %s",
		     bpf_program__name(prog), nth, error_text(err));
	return link;
}

/* Whichever allocation fails: an error, and what was attached still works. */
TEST(memory)
{
	struct test_bpf *skel = load_tests("entry1 exit1");
	int fd = open_fail(), nth, failures = 0;
	bool enough[2] = { false, false };
	struct bpf_link *links[2];
	struct kept printk;

	if (!skel)
		goto out;
	if (fd < 0)
		goto out;
	/* A page that is missing makes vmalloc() print where. */
	printk = keep_file("/proc/sys/kernel/printk");
	write_file("/proc/sys/kernel/printk", "1");
	for (nth = 1; nth < 1000 && !(enough[0] && enough[1]); nth++) {
		skel->bss->entry_hits[0] = skel->bss->exit_hits[0] = 0;
		links[0] = attach_failing(fd, skel->progs.entry1, nth,
					  &enough[0]);
		links[1] = attach_failing(fd, skel->progs.exit1, nth,
					  &enough[1]);
		test_run(skel->progs.driver);
		expect("fentry hits", skel->bss->entry_hits[0],
		       !!links[0] + sabotage);
		expect("fexit hits", skel->bss->exit_hits[0],
		       !!links[1] + sabotage);
		failures += !links[0] + !links[1];
		bpf_link__destroy(links[0]);
		bpf_link__destroy(links[1]);
		test_run(skel->progs.driver);
		expect("detached: fentry hits", skel->bss->entry_hits[0],
		       !!links[0]);
		expect("detached: fexit hits", skel->bss->exit_hits[0],
		       !!links[1]);
		if (test_failed)
			break;
	}
	restore_file(&printk);
	printf("# %s: attaching failed %d times, each of %d allocations\n",
	       test_name, failures, nth - 1);
	expect("any failure to attach", failures > 0, 1);
out:
	/* Nothing is left to fail when this is closed. */
	if (fd >= 0)
		close(fd);
	test_bpf__destroy(skel);
}

/* What the JIT may use without a capability: at 1, to attach is refused. */
#define LIMIT	"/proc/sys/net/core/bpf_jit_limit"

/* Other threads keep their capabilities. */
static void *destroy_without_capabilities(void *link)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { };

	expect("drop capabilities", syscall(SYS_capset, &header, none), 0);
	bpf_link__destroy(link);
	return NULL;
}

/* An agent may have dropped its capabilities when it detaches. */
TEST(detach_at_limit)
{
	struct kept limit = keep_file(LIMIT);
	struct test_bpf *skel = attached_tests("entry1 exit1");
	pthread_t thread;

	if (!skel)
		goto out;
	expect("lower the limit", write_file(LIMIT, "1"), 0);
	if (expect("start a thread",
		   pthread_create(&thread, NULL, destroy_without_capabilities,
				  skel->links.exit1), 0)) {
		pthread_join(thread, NULL);
		skel->links.exit1 = NULL;
		test_run(skel->progs.driver);
		expect("fentry hits", skel->bss->entry_hits[0], 1 + sabotage);
		expect("fexit hits, detached", skel->bss->exit_hits[0], sabotage);
	}
	test_bpf__destroy(skel);
out:
	restore_file(&limit);
}

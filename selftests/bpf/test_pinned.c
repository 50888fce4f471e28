// SPDX-License-Identifier: GPL-2.0
/* Programs that sleep stay on their processor, which others use, or which goes off line. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/userfaultfd.h>

#include "load.h"

#define CPU		1
#define ONLINE		"/sys/devices/system/cpu/cpu1/online"

/* A page that whoever touches it has to wait for, until let_page_in() */
static void *missing_page(int *uffd)
{
	size_t size = getpagesize();
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	/* Only one that does not block can be polled. */
	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	reg.range.start = (unsigned long)page;
	reg.range.len = size;
	if (*uffd < 0 || ioctl(*uffd, UFFDIO_API, &api) ||
	    ioctl(*uffd, UFFDIO_REGISTER, &reg)) {
		munmap(page, size);
		return NULL;
	}
	return page;
}

static int let_page_in(int uffd, void *page)
{
	struct uffdio_zeropage zero = {
		.range = { .start = (unsigned long)page, .len = getpagesize() },
	};

	return ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
}

/* On CPU, run the function that the program is attached to. */
static void *run_pinned(void *arg)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(CPU, &cpus);
	if (!sched_setaffinity(0, sizeof(cpus), &cpus))
		test_run(arg);
	return NULL;
}

static pid_t go_off_line(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(write_file(ONLINE, "0") ? 1 : 0);
}

/* A program that sleeps while its processor is asked to go off line */
TEST(pinned_offline)
{
	struct test_bpf *skel = NULL;
	struct pollfd fault = { .fd = -1, .events = POLLIN };
	struct kept kept;
	pthread_t thread;
	int status = -1;
	void *page;
	pid_t pid;

	if (access(ONLINE, W_OK)) {
		skip("no processor can go off line");
		return;
	}
	if (!getenv("MAY_DESTROY")) {
		skip("a processor goes off line; for virtual machines");
		return;
	}
	page = missing_page(&fault.fd);
	if (!page) {
		skip("no userfaultfd");
		goto out;
	}
	skel = attached_tests("pinned sleep_mod");
	if (!skel)
		goto out;
	skel->bss->pinned_from = (unsigned long)page;
	skel->bss->pinned_cpus[0] = -1;
	skel->bss->pinned_cpus[1] = -1;
	kept = keep_file(ONLINE);
	if (kept.fd < 0 ||
	    pthread_create(&thread, NULL, run_pinned, skel->progs.sleep_mod)) {
		fail("cannot start: %s", error_text(errno));
		goto out;
	}
	expect("fault of the program", poll(&fault, 1, 10000) == 1 ? fault.revents : 0,
	       POLLIN);
	expect("its processor", skel->bss->pinned_cpus[0], CPU);

	pid = go_off_line();
	sleep_ms(1000);
	expect("the processor waits", waitpid(pid, &status, WNOHANG), 0);
	expect("the program still sleeps", skel->bss->pinned_cpus[1], -1);

	expect("the page comes in", let_page_in(fault.fd, page), 0);
	/* If it does not: that there is nobody to wait for any more. */
	close(fault.fd);
	fault.fd = -1;
	pthread_join(thread, NULL);
	if (pid > 0 && status == -1)
		waitpid(pid, &status, 0);
	expect("the processor goes off line", status, 0);
	expect("error in the program", skel->bss->pinned_error, 0);
	expect("its processor afterwards", skel->bss->pinned_cpus[1], CPU + sabotage);
	restore_file(&kept);
out:
	test_bpf__destroy(skel);
	if (page)
		munmap(page, getpagesize());
	if (fault.fd >= 0)
		close(fault.fd);
}

static void *run_once(void *arg)
{
	test_run(arg);
	return NULL;
}

static void *open_once(void *arg)
{
	int fd = open("/dev/null", O_RDONLY);

	expect("open, asleep", fd >= 0, 1);
	close(fd);
	return NULL;
}

/* A task that sleeps in a program, on the processor that this one stays on meanwhile */
struct neighbour {
	pthread_t thread;
	int uffd;
	void *page;
	cpu_set_t cpus;		/* where this task was before */
};

static bool let_neighbour_sleep(struct neighbour *n, struct test_bpf *skel,
				void *(*run)(void *), void *arg)
{
	struct pollfd fault = { .events = POLLIN };
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(0, &here);
	n->page = missing_page(&n->uffd);
	if (!n->page) {
		skip("no userfaultfd");
		return false;
	}
	skel->bss->pinned_from = (unsigned long)n->page;
	sched_getaffinity(0, sizeof(n->cpus), &n->cpus);
	sched_setaffinity(0, sizeof(here), &here);
	if (!expect("start a thread", pthread_create(&n->thread, NULL, run, arg), 0)) {
		sched_setaffinity(0, sizeof(n->cpus), &n->cpus);
		close(n->uffd);
		munmap(n->page, getpagesize());
		return false;
	}
	fault.fd = n->uffd;
	expect("fault of the program", poll(&fault, 1, 10000) == 1 ? fault.revents : 0,
	       POLLIN);
	return true;
}

static void wake_neighbour(struct neighbour *n, struct test_bpf *skel)
{
	expect("the page comes in", let_page_in(n->uffd, n->page), 0);
	close(n->uffd);
	pthread_join(n->thread, NULL);
	munmap(n->page, getpagesize());
	sched_setaffinity(0, sizeof(n->cpus), &n->cpus);
	expect("error in the program", skel->bss->pinned_error, 0);
}

static void enter_asleep(const char *name)
{
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	struct bpf_program *prog;
	struct neighbour other;
	struct test_bpf *skel;
	char names[64];

	snprintf(names, sizeof(names), "%s sleep_mod", name);
	skel = attached_tests(names);
	if (!skel)
		goto out;
	prog = bpf_object__find_program_by_name(skel->obj, name);
	if (let_neighbour_sleep(&other, skel, run_once, skel->progs.sleep_mod)) {
		test_run(skel->progs.sleep_mod);
		expect("hits while another one sleeps", skel->bss->entry_hits[0], 0);
		expect("misses", miss_count(prog), 1 + sabotage);
		wake_neighbour(&other, skel);
		expect("runs", run_count(prog), 1 + sabotage);
		test_run(skel->progs.sleep_mod);
		expect("hits afterwards", skel->bss->entry_hits[0], 1);
		expect("misses afterwards", miss_count(prog), 1 + sabotage);
		expect("runs afterwards", run_count(prog), 2 + sabotage);
	}
	test_bpf__destroy(skel);
out:
	close(stats);
}

/*
 * A program is not run on a processor where another task sleeps in it, and a miss is
 * counted. It cannot recurse by itself: no helper calls a function where programs may sleep.
 */
TEST(recursion_sleepable)
{
	enter_asleep("pinned");
	enter_asleep("pinned_out");
}

/* Whoever sleeps in a program that decides must not open the door to others. */
TEST(lsm_sleepable)
{
	struct neighbour other;
	struct test_bpf *skel;
	int fd;

	if (!have_lsm())
		return;
	skel = attached_tests("open_pinned");
	if (!skel)
		return;
	if (let_neighbour_sleep(&other, skel, open_once, NULL)) {
		fd = open("/dev/null", O_RDONLY);
		expect("error while another one sleeps", fd < 0 ? errno : 0, EPERM);
		if (fd >= 0)
			close(fd);
		expect("hits while another one sleeps", skel->bss->entry_hits[0],
		       1 + sabotage);
		wake_neighbour(&other, skel);
	}
	test_bpf__destroy(skel);
}

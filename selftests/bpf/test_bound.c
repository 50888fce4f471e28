// SPDX-License-Identifier: GPL-2.0
/*
 * How much memory is held by what has been detached, and waits for grace periods that do
 * not end.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "load.h"

/*
 * A program that comes and goes has all processors execute a fence, and emulators let
 * them wait for each other if one is busy all the time: use one.
 */
#define MAX_OTHERS	63

static int others_off_line(struct kept *kept)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	char path[64];
	int nr = 0;

	for (cpu = 1; cpu < cpus && nr < MAX_OTHERS; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
		if (access(path, W_OK))
			continue;
		kept[nr] = keep_file(path);
		/* Not without somebody to bring it back */
		if (kept[nr].fd < 0)
			continue;
		nr++;
		write_file(path, "0");
	}
	return nr;
}

/* What the code of images takes that may be waited for, see BPF_TRAMP_MAX_DYING */
#define DYING_BYTES	(16 << 20)
#define STUCK_MS	3000
/* For some thousand times; a grace period of all tasks takes a tenth of a second. */
#define TURNS_MS	60000

/* Attach and detach @turns times, and have @done tell how often that was. */
static pid_t start_turns(int prog, long turns, volatile long *done)
{
	pid_t pid = fork();
	int link;

	if (pid)
		return pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (*done < turns) {
		link = bpf_raw_tracepoint_open(NULL, prog);
		if (link < 0)
			_exit(1);
		close(link);
		++*done;
	}
	_exit(0);
}

static long long vmalloc_bytes(void)
{
	char *text = read_file("/proc/meminfo");
	const char *line = text ? strstr(text, "VmallocUsed:") : NULL;
	long long kb = line ? strtoll(line + strlen("VmallocUsed:"), NULL, 10) : 0;

	free(text);
	return kb * 1024;
}

/*
 * Who attaches and detaches all the time while no grace period of all tasks ends
 * holds so much memory and no more: the one that detaches waits then, until it ends.
 */
TEST(many_bound)
{
	struct test_bpf *skel = load_tests("entry1");
	long bound = DYING_BYTES / getpagesize(), last = -1;
	volatile long *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int idle, status = -1, ended = 0, fd, link, others = 0;
	static struct kept kept[MAX_OTHERS];
	pid_t reader = -1, pid = -1;
	long long before;

	if (!skel || done == MAP_FAILED)
		goto out;
	if (!is_preemptible()) {
		skip("needs a kernel that can be preempted");
		goto out;
	}
	if (!getenv("MAY_DESTROY") && sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		skip("processors go off line; for virtual machines");
		goto out;
	}
	others = others_off_line(kept);
	fd = bpf_program__fd(skel->progs.entry1);
	/* What is allocated once is not counted. */
	link = bpf_raw_tracepoint_open(NULL, fd);
	close(link);
	sleep_ms(1000);
	before = vmalloc_bytes();

	reader = start_reader(0);
	sleep_ms(500);
	pid = start_turns(fd, bound + bound / 4, done);
	if (!expect("start both tasks", reader > 0 && pid > 0, 1))
		goto out;
	for (idle = 0; idle < STUCK_MS && waitpid(pid, &status, WNOHANG) != pid;
	     idle += 100) {
		if (*done != last)
			idle = 0;
		last = *done;
		sleep_ms(100);
	}
	if (waitpid(reader, &ended, WNOHANG)) {
		reader = -1;
		fail("the busy task ended with %x after %ld times", ended, *done);
		goto out;
	}
	if (idle < STUCK_MS) {
		pid = -1;
		fail("nobody waits after %ld times, exit code %d", *done, status);
		goto out;
	}
	printf("# %s: waits after %ld times, %lld kB of vmalloc()\n", test_name,
	       *done, (vmalloc_bytes() - before) / 1024);
	/* The first ones may have been freed by a grace period that had begun before. */
	expect("the bound was reached", *done >= bound, 1);
	expect("the bound was kept", *done <= bound + bound / 16, !sabotage);
	expect("the memory is what is promised",
	       vmalloc_bytes() - before <= DYING_BYTES + DYING_BYTES / 16, 1);
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	reader = -1;
	/* All is freed by the one that waited. Not each of those behind it has to wait. */
	for (idle = 0; idle < TURNS_MS && waitpid(pid, &status, WNOHANG) != pid;
	     idle += 100)
		sleep_ms(100);
	if (!expect("it does not wait each time", idle < TURNS_MS, 1))
		goto out;
	pid = -1;
	expect("exit code of the one that waited", status, 0);
	for (idle = 0; idle < FREE_MS / 20 &&
	     vmalloc_bytes() - before > DYING_BYTES / 16; idle++)
		sleep_ms(20);
	expect("memory is free again", vmalloc_bytes() - before <= DYING_BYTES / 16, 1);
out:
	if (reader > 0) {
		kill(reader, SIGKILL);
		waitpid(reader, NULL, 0);
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	/* Who keeps the later ones has the pipes of the earlier ones, too. */
	while (others)
		restore_file(&kept[--others]);
	if (done != MAP_FAILED)
		munmap((void *)done, sizeof(*done));
	test_bpf__destroy(skel);
}

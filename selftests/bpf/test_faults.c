// SPDX-License-Identifier: GPL-2.0
/* Programs read from where nothing is. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"

/* The programs, and how often each reads */
#define FAULTS	4
#define LOADS	4

/*
 * Each reads zero. The kernel gets there by a table of what may fault, behind the
 * program, whose entries consist of words: it must be aligned to these, for there are
 * processors that load no others, wherever the program ends.
 */
TEST(faults)
{
	struct test_bpf *skel;
	int i;

	if (!have_tracees())
		return;
	skel = attached_tests("faults_0 faults_1 faults_2 faults_3 fault_found");
	if (!skel)
		return;
	expect("call with a bad pointer", write_file(TRACEES "bad", "0"), 0);
	for (i = 0; i < FAULTS; i++) {
		expect("hits", skel->bss->entry_hits[i], 1 + sabotage);
		expect("zero is read", skel->bss->entry_good[i], 1);
	}
	expect("faults", skel->bss->exit_hits[0], FAULTS * LOADS + sabotage);
	expect("aligned entries", skel->bss->exit_good[0], FAULTS * LOADS);
	test_bpf__destroy(skel);
}

/*
 * Nor does a program read from a page of user space that is not there yet: to get it may
 * sleep. If it is there, the kernel may read it or not.
 */
TEST(user_pointer)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	unsigned char resident = 1;
	struct test_bpf *skel;
	char address[32];
	int there;
	volatile __u64 *page;

	if (!have_tracees())
		return;
	skel = attached_tests("faults_0");
	if (!skel)
		return;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (expect("map a page", page != MAP_FAILED, 1)) {
		snprintf(address, sizeof(address), "%p", (void *)page);
		for (there = 0; there < 2; there++) {
			expect("call with a user pointer",
			       write_file(TRACEES "bad", address), 0);
			expect("hits", skel->bss->entry_hits[0], there + 1 + sabotage);
			expect("look at the page", mincore((void *)page, size, &resident), 0);
			expect("the page is there", resident & 1, there);
			if (there)
				break;
			expect("zero is read", skel->bss->entry_good[0], 1);
			*page = 1;
		}
		munmap((void *)page, size);
	}
	test_bpf__destroy(skel);
}

/*
 * Nor does it wait for mmap_lock, which another thread may hold, or this one, if its
 * pointer is stale and holds the address of anything, here what list_del() leaves.
 */
TEST(kernel_pointer)
{
	struct test_bpf *skel;
	int i, status = 0;
	pid_t pid, done = 0;

	if (!have_tracees())
		return;
	skel = attached_tests("faults_0");
	if (!skel)
		return;
	pid = fork();
	if (!pid) {
		skel->bss->tid = getpid();
		_exit(write_file(TRACEES "bad_locked", "0xdead000000000100") != 0);
	}
	if (!expect("start a process", pid > 0, 1)) {
		test_bpf__destroy(skel);
		return;
	}
	for (i = 0; i < 200 && !done; i++) {
		usleep(100000);
		done = waitpid(pid, &status, WNOHANG);
	}
	if (!expect("the call has returned", done == pid, 1)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	expect("error of the call", status, 0);
	expect("hits", skel->bss->entry_hits[0], 1 + sabotage);
	expect("zero is read", skel->bss->entry_good[0], 1);
	test_bpf__destroy(skel);
}

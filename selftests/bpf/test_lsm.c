// SPDX-License-Identifier: GPL-2.0
/* Programs that decide, on hooks of LSMs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/mount.h>

#include "load.h"

/* Files opened while a program decides about it. */
TEST(lsm)
{
	struct test_bpf *skel;
	int i, fd;

	if (!have_lsm())
		return;
	skel = attached_tests("open_hook");
	if (!skel)
		return;
	for (i = 0; i < 7; i++) {
		fd = open("/dev/null", O_RDONLY);
		expect("open", fd >= 0, 1);
		close(fd);
	}
	expect("hits", skel->bss->lsm_hits, 7 + sabotage);
	skel->bss->lsm_deny = true;
	fd = open("/dev/null", O_RDONLY);
	expect("error of a denied open", fd < 0 ? errno : 0, EPERM);
	expect("hits of a denied open", skel->bss->lsm_hits, 8);
	test_bpf__detach(skel);
	fd = open("/dev/null", O_RDONLY);
	expect("open when detached", fd >= 0, 1);
	close(fd);
	expect("hits when detached", skel->bss->lsm_hits, 8);
	test_bpf__destroy(skel);
}

#define CGROUP	"bpf_runner"

/* The root of all cgroups, mounted where nobody else sees it */
static int mount_cgroups(void)
{
	int fs = syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), root = -1;

	if (fs >= 0 && !syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		root = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (fs >= 0)
		close(fs);
	return root;
}

/* 0, or what error there is to open a file, @times times the same */
static int open_error(int times)
{
	int fd, err = 0, i;

	for (i = 0; i < times; i++) {
		fd = open("/dev/null", O_RDONLY);
		if (i && err != (fd < 0 ? errno : 0))
			return -1;
		err = fd < 0 ? errno : 0;
		if (fd >= 0)
			close(fd);
	}
	return err;
}

/* The same in the cgroup */
static int open_error_in(int cgroup, int times)
{
	int procs, status = -1;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		procs = openat(cgroup, "cgroup.procs", O_WRONLY);
		_exit(write(procs, "0", 1) == 1 ? open_error(times) : -1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A program decides for the tasks in a cgroup, and is not run for others. */
TEST(lsm_cgroup)
{
	int root = -1, cgroup = -1;
	struct test_bpf *skel;
	struct bpf_link *link;
	char *before;

	if (!have_lsm())
		return;
	if (symbol_address("__cgroup_bpf_run_lsm_current"))
		root = mount_cgroups();
	if (root < 0) {
		skip("no programs for cgroups in this kernel");
		return;
	}
	skel = load_tests("open_in_cgroup");
	/* It may be there, if this was killed. */
	mkdirat(root, CGROUP, 0755);
	cgroup = openat(root, CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!skel || !expect("make a cgroup", cgroup >= 0, 1))
		goto out;

	before = traced();
	link = bpf_program__attach_cgroup(skel->progs.open_in_cgroup, cgroup);
	expect("attach", link ? 0 : errno, 0);
	expect("error inside", open_error_in(cgroup, 3), 0);
	expect("hits inside", skel->bss->lsm_hits, 3 + sabotage);
	skel->bss->lsm_deny = true;
	expect("error inside when denied", open_error_in(cgroup, 2), EPERM);
	expect("hits inside when denied", skel->bss->lsm_hits, 5);
	expect("error outside", open_error(4), 0);
	expect("hits outside", skel->bss->lsm_hits, 5);
	bpf_link__destroy(link);
	expect("error inside when detached", open_error_in(cgroup, 2), 0);
	expect("hits when detached", skel->bss->lsm_hits, 5);
	expect_traced("what is traced when detached", before);
	free(before);
out:
	if (cgroup >= 0)
		close(cgroup);
	unlinkat(root, CGROUP, AT_REMOVEDIR);
	close(root);
	test_bpf__destroy(skel);
}

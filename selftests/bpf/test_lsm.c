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
#include <bpf/btf.h>
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
/* Programs of cgroups can be on this many hooks at a time, not far below the limit. */
#define HOOKS	6

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

static int load_hook(const struct btf *btf, const char *name)
{
	/* r0 = 1; exit */
	static const struct bpf_insn allow[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = BPF_LSM_CGROUP,
		    .attach_btf_id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC));

	return bpf_prog_load(BPF_PROG_TYPE_LSM, "hook", "GPL", allow,
			     ARRAY_SIZE(allow), &opts);
}

static void detach_hooks(int cgroup, const int *progs, int nr)
{
	while (nr--)
		expect("detach", bpf_prog_detach2(progs[nr], cgroup, BPF_LSM_CGROUP), 0);
}

static void attach_hooks(int cgroup, const int *progs)
{
	int i, err = 0;

	for (i = 0; i < HOOKS; i++) {
		err = bpf_prog_attach(progs[i], cgroup, BPF_LSM_CGROUP, BPF_F_ALLOW_MULTI);
		if (err)
			break;
	}
	expect("hooks attached", i, HOOKS + sabotage);
	expect("error of attaching", err, 0);
	detach_hooks(cgroup, progs, i);
}

/* Hooks that have been left make room for others at once. */
TEST(lsm_cgroup_hooks)
{
	static const char * const names[2 * HOOKS] = {
		"bpf_lsm_inode_mkdir", "bpf_lsm_inode_rmdir", "bpf_lsm_inode_link",
		"bpf_lsm_inode_symlink", "bpf_lsm_inode_rename", "bpf_lsm_inode_mknod",
		"bpf_lsm_file_open", "bpf_lsm_file_lock", "bpf_lsm_file_ioctl",
		"bpf_lsm_file_fcntl", "bpf_lsm_mmap_file", "bpf_lsm_task_setnice",
	};
	int progs[2 * HOOKS], root = -1, cgroup = -1, nr = 0, i;
	struct btf *btf;

	if (!have_lsm())
		return;
	if (symbol_address("__cgroup_bpf_run_lsm_current"))
		root = mount_cgroups();
	if (root < 0) {
		skip("no programs for cgroups in this kernel");
		return;
	}
	btf = btf__load_vmlinux_btf();
	mkdirat(root, CGROUP, 0755);
	cgroup = openat(root, CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	expect("make a cgroup", cgroup >= 0, 1);
	while (!test_failed && nr < 2 * HOOKS) {
		progs[nr] = load_hook(btf, names[nr]);
		if (expect(names[nr], progs[nr] < 0 ? progs[nr] : 0, 0))
			nr++;
	}
	for (i = 0; i < 4 && !test_failed; i++)
		attach_hooks(cgroup, &progs[i % 2 * HOOKS]);
	while (nr)
		close(progs[--nr]);
	btf__free(btf);
	if (cgroup >= 0)
		close(cgroup);
	unlinkat(root, CGROUP, AT_REMOVEDIR);
	close(root);
}

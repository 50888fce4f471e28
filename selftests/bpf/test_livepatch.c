// SPDX-License-Identifier: GPL-2.0
/* Programs on functions that get live patched. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "load.h"

/* The live patch of the module ftrace_livepatch */
#define LIVEPATCH	"/sys/kernel/livepatch/ftrace_livepatch/"

#define LIVEPATCH_ADDS	5000

/* A task that sleeps in the kernel moves on soon, and then it is patched. */
static bool livepatch_done(void)
{
	int i;

	for (i = 0; i < 300; i++) {
		if (read_number(LIVEPATCH "transition") <= 0)
			return true;
		usleep(100000);
	}
	return expect("live patch in transition", 1, 0);
}

static void disable_livepatch(void)
{
	int i;

	expect("disable live patch", write_file(LIVEPATCH "enabled", "0"), 0);
	if (!livepatch_done())
		return;
	for (i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, "ftrace_livepatch", O_NONBLOCK))
			return;
		usleep(100000);
	}
	fail("unload ftrace_livepatch: %s", error_text(errno));
}

static bool enable_livepatch(void)
{
	char path[4096];
	int fd, err;

	snprintf(path, sizeof(path), "%s/ftrace_livepatch.ko", own_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		skip("no module ftrace_livepatch");
		return false;
	}
	err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	if (!expect("load ftrace_livepatch", err, 0))
		return false;
	if (livepatch_done())
		return true;
	disable_livepatch();
	return false;
}

/* One call of the function; which programs are attached is for @skel to say. */
static void livepatched_call(struct test_bpf *skel, bool patched)
{
	const long long want = 5 + (patched ? LIVEPATCH_ADDS : 0);
	const char *state = patched ? "patched" : "not patched";
	__u64 entries = skel->bss->entry_hits[0];
	__u64 exits = skel->bss->exit_hits[0];
	__u64 mods = skel->bss->mod_hits;
	long long got;
	char what[64];

#define WHAT(text) (snprintf(what, sizeof(what), "%s: %s", state, text), what)
	write_file(TRACEES "returned", "5");
	got = read_number(TRACEES "returned");
	expect(WHAT("returned"), got, skel->bss->mod_ret ?: want + sabotage);
	if (skel->links.patched_entry)
		expect(WHAT("fentry"), skel->bss->entry_hits[0] - entries, 1);
	if (skel->links.patched_mod)
		expect(WHAT("fmod_ret"), skel->bss->mod_hits - mods, 1);
	if (skel->links.patched_exit) {
		expect(WHAT("fexit"), skel->bss->exit_hits[0] - exits, 1);
		expect(WHAT("fexit sees"), skel->bss->exit_ret, got);
	}
#undef WHAT
}

static void livepatched_calls(struct test_bpf *skel, bool patched)
{
	livepatched_call(skel, patched);
	if (!skel->links.patched_mod)
		return;
	/* Instead of the function, and of the one that replaces it */
	skel->bss->mod_ret = -7;
	livepatched_call(skel, patched);
	skel->bss->mod_ret = 0;
	livepatched_call(skel, patched);
}

/*
 * Programs on a live patched function go on with the new one. The live patch
 * comes first, or last, and goes while the programs are attached.
 */
TEST(livepatch)
{
	static const char * const progs[] = {
		"patched_entry", "patched_exit", "patched_mod",
		"patched_entry patched_mod patched_exit",
	};
	struct test_bpf *skel;
	unsigned int i;

	if (!have_tracees())
		return;
	for (i = 0; i < ARRAY_SIZE(progs); i++) {
		skel = attached_tests(progs[i]);
		if (!skel)
			return;
		livepatched_calls(skel, false);
		if (!enable_livepatch()) {
			test_bpf__destroy(skel);
			return;
		}
		livepatched_calls(skel, true);
		test_bpf__destroy(skel);

		skel = attached_tests(progs[i]);
		if (skel)
			livepatched_calls(skel, true);
		disable_livepatch();
		if (skel) {
			livepatched_calls(skel, false);
			test_bpf__destroy(skel);
		}
	}
}

// SPDX-License-Identifier: GPL-2.0
/* Programs read from where nothing is. */
#include "load.h"

#define FAULTS	4

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
	expect("call with a bad pointer", write_file(TRACEES "bad", "1"), 0);
	for (i = 0; i < FAULTS; i++) {
		expect("hits", skel->bss->entry_hits[i], 1 + sabotage);
		expect("zero is read", skel->bss->entry_good[i], 1);
	}
	expect("faults", skel->bss->exit_hits[0], FAULTS + sabotage);
	expect("aligned entries", skel->bss->exit_good[0], FAULTS);
	test_bpf__destroy(skel);
}

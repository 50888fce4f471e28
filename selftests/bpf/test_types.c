// SPDX-License-Identifier: GPL-2.0
/* Arguments and return values of all types. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "load.h"

/* What set_types() in that module calls, and ftrace_typed_u64() among that */
#define TYPE_CALLS	(8 + 13 * 9)

static void call_types(void)
{
	long long before = read_number(TRACEES "types");
	int err = write_file(TRACEES "types", "1");

	if (err)
		fail("write to " TRACEES "types: %s", error_text(err));
	expect("right values for the caller",
	       read_number(TRACEES "types") - before, TYPE_CALLS);
}

#define RETURNS_INT "returns_s8 returns_u8 returns_s16 returns_u16 returns_s32"
#define RETURNS_ALL RETURNS_INT " returns_u32 returns_s64 returns_u64 returns_bool"

/* All registers for arguments; return values of all sizes. */
TEST(types)
{
	unsigned long long address = symbol_address("ftrace_typed_args8");
	struct test_bpf *skel;
	int i;

	if (!have_tracees())
		return;
	skel = attached_tests("args_in args_out " RETURNS_ALL);
	if (!skel)
		return;
	call_types();
	expect("fentry hits", skel->bss->args_entry, 1 + sabotage);
	expect("fexit hits", skel->bss->args_exit, 1 + sabotage);
	expect("wrong values", skel->bss->args_wrong, 0);
	expect("bpf_get_func_ip()", skel->bss->args_ip, address);
	for (i = 0; i < 9; i++) {
		expect("fexit of a type", skel->bss->ret_hits[i],
		       13 + sabotage);
		expect("right values of a type", skel->bss->ret_good[i], 13);
	}
	test_bpf__destroy(skel);
}

/*
 * Attach the programs @names, of which the first is an fentry program and another one
 * an fexit program, if attaching does what it should: return @want.
 */
static void call_with(const char *names, int want)
{
	int exits = strchr(names, ' ') != NULL;
	struct test_bpf *skel;
	int err;

	skel = load_tests(names);
	if (!skel)
		return;
	err = test_bpf__attach(skel);
	expect(names, err, want + sabotage);
	call_types();
	if (!err) {
		expect("fentry hits", skel->bss->args_entry, 1 + sabotage);
		expect("fexit hits", skel->bss->args_exit, exits + sabotage);
		expect("wrong values", skel->bss->args_wrong, 0);
	}
	test_bpf__destroy(skel);
}

/* More arguments than registers, which not all JITs can cope with. */
TEST(stack_args)
{
#if defined(__powerpc64__) || defined(__aarch64__)
	static const int want;
#else
	static const int want = -ENOTSUPP;
#endif

	if (!have_tracees())
		return;
	call_with("args9_in", want);
	call_with("args9_in args9_out", want);
	call_with("args12_in", want);
	call_with("args12_in args12_out", want);
}

TEST(struct_arg)
{
	if (!have_tracees())
		return;
	call_with("pair_in", 0);
	call_with("pair_in pair_out", 0);
}

/* Structures where some arguments are on the stack. */
TEST(struct_stack)
{
#ifdef __aarch64__
	static const int want;
#else
	static const int want = -ENOTSUPP;
#endif

	if (!have_tracees())
		return;
	call_with("mixed_in", want);
	call_with("mixed_in mixed_out", want);
}

/* The function gets its arguments even if programs might not. */
TEST(args_align)
{
	if (!have_tracees())
		return;
	call_with("align_in", 0);
	call_with("align_in align_out", 0);
	call_with("int128_in", 0);
	call_with("int128_in int128_out", 0);
#if defined(__powerpc64__) || defined(__aarch64__)
	call_with("unsure_in", -ENOTSUPP);
#endif
}

/* Modify a value of 64 bits. */
TEST(fmod_ret_wide)
{
	static const char * const values[] = {
		"0x1234567800000000", "0x80000000", "-1",
	};
	struct test_bpf *skel;
	unsigned int i;

	if (!have_tracees())
		return;
	skel = attached_tests("modify_u64 modified_u64");
	if (!skel)
		return;
	write_file(TRACEES "returned", "5");
	expect("unmodified", read_number(TRACEES "returned"), 5);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		skel->bss->mod_u64 = strtoll(values[i], NULL, 0);
		write_file(TRACEES "returned", "5");
		expect(values[i],
		       read_number(TRACEES "returned"),
		       skel->bss->mod_u64 + sabotage);
	}
	expect("fexit hits", skel->bss->ret_hits[9], 4);
	expect("fexit sees what is modified", skel->bss->ret_good[9], 3);
	test_bpf__destroy(skel);
}

#define MODIFY_ALL "modify_s8 modify_u8 modify_s16 modify_u16 modify_s32 modify_u32 " \
	"modify_s64 modify_u64"

/* Modify values of all sizes: each has to be as the function itself returns it. */
TEST(fmod_ret_narrow)
{
	static const unsigned long long values[] = {
		0x1234567887658381, 0xffffffffffff0f7f, 0x7f80, -1,
	};
	struct test_bpf *skel;
	unsigned int i, j;

	if (!have_tracees())
		return;
	skel = attached_tests(MODIFY_ALL);
	if (!skel)
		return;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		unsigned long long v = values[i];
		const struct {
			const char *type;
			long long value;
		} want[] = {
			{ "s8", (signed char)v }, { "u8", (unsigned char)v },
			{ "s16", (short)v }, { "u16", (unsigned short)v },
			{ "s32", (int)v }, { "u32", (unsigned int)v },
			{ "s64", (long long)v }, { "u64", (long long)v },
		};
		char *text, *line;

		skel->bss->mod_u64 = v;
		write_file(TRACEES "widened", "5");
		text = line = read_file(TRACEES "widened");
		for (j = 0; j < ARRAY_SIZE(want); j++) {
			expect(want[j].type, line ? strtoll(line, &line, 0) : 0,
			       want[j].value + sabotage);
		}
		free(text);
	}
	test_bpf__destroy(skel);
}

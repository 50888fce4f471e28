// SPDX-License-Identifier: GPL-2.0
/* Arguments and return values of all types. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "load.h"

/* What set_types() in that module calls, and ftrace_typed_u64() among that */
#define TYPE_CALLS	(11 + 13 * 9)

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

/* The BTF of the module, and a descriptor of it; or NULL */
static struct btf *tracees_btf(struct btf *kernel, int *fd)
{
	struct bpf_btf_info info;
	char name[64];
	__u32 id = 0, len;

	while (!bpf_btf_get_next_id(id, &id)) {
		*fd = bpf_btf_get_fd_by_id(id);
		if (*fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		info.name = (__u64)(unsigned long)name;
		info.name_len = sizeof(name);
		len = sizeof(info);
		if (!bpf_obj_get_info_by_fd(*fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, "ftrace_tracees"))
			return btf__load_from_kernel_by_id_split(id, kernel);
		close(*fd);
	}
	return NULL;
}

/* The function of the module, with so many arguments, or -1 */
static int find_function(const struct btf *kernel, const struct btf *btf,
			 const char *name, int args)
{
	int id, types = btf__type_cnt(btf);

	for (id = btf__type_cnt(kernel); id < types; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t) &&
		    !strcmp(btf__name_by_offset(btf, t->name_off), name) &&
		    btf_vlen(btf__type_by_id(btf, t->type)) == args)
			return id;
	}
	return -1;
}

/*
 * A program for a function of the module, or -1. It has a helper clear memory, which
 * takes all registers that a function need not keep, also x8 in arm64's memset().
 */
static int load_onto_tracee(const char *name, int args, enum bpf_attach_type type)
{
	/* bpf_probe_read_kernel(fp - 64, 64, 0); return 0 */
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -64 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 64 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);
	struct btf *kernel = btf__load_vmlinux_btf(), *btf = NULL;
	int fd = -1, prog = -1;

	if (kernel)
		btf = tracees_btf(kernel, &fd);
	if (!btf) {
		skip("no BTF");
	} else {
		opts.attach_btf_obj_fd = fd;
		opts.attach_btf_id = find_function(kernel, btf, name, args);
		if ((int)opts.attach_btf_id < 0)
			skip("BTF has no %s() with %d arguments", name, args);
		else
			prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tracee", "GPL",
					     insns, ARRAY_SIZE(insns), &opts);
		if (prog < 0 && !*skip_reason)
			fail("load onto %s: %s", name, error_text(prog));
		close(fd);
	}
	btf__free(btf);
	btf__free(kernel);
	return prog;
}

/* Attach a program to the function of the module, and call it once. */
static void call_namesake(const char *name, int args, enum bpf_attach_type type)
{
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	int prog = load_onto_tracee(name, args, type);
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);
	int link;

	if (prog >= 0) {
		link = bpf_raw_tracepoint_open(NULL, prog);
		if (expect("attach", link < 0 ? link : 0, 0)) {
			call_types();
			bpf_obj_get_info_by_fd(prog, &info, &len);
			expect("hits", info.run_cnt, 1 + sabotage);
			close(link);
		}
		close(prog);
	}
	close(stats);
}

/* What BTF says of a function may be true of another one that is not there. */
TEST(namesake)
{
	if (!have_tracees())
		return;
	call_namesake("ftrace_namesake", 0, BPF_TRACE_FENTRY);
	call_namesake("ftrace_namesake", 0, BPF_TRACE_FEXIT);
	call_namesake("ftrace_namesake_three", 0, BPF_TRACE_FENTRY);
	call_namesake("ftrace_namesake_three", 0, BPF_TRACE_FEXIT);
}

/* A function of a module may have the name of one of the kernel. */
TEST(namesake_of_kernel)
{
	if (have_tracees())
		call_namesake("proc_do_uuid", 1, BPF_TRACE_FENTRY);
}

/* What a kprobe sets is in a register that may hold no argument. */
TEST(override_nothing)
{
	static const enum bpf_attach_type types[] = { BPF_TRACE_FENTRY, BPF_TRACE_FEXIT };
	struct test_bpf *skel = have_tracees() ? load_tests("override") : NULL;
	struct bpf_link *kprobe;
	unsigned int i;
	int prog, link;

	if (!skel)
		return;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		prog = load_onto_tracee("ftrace_typed_nothing", 0, types[i]);
		link = prog < 0 ? -1 : bpf_raw_tracepoint_open(NULL, prog);
		if (prog < 0 || !expect("attach", link < 0 ? link : 0, 0))
			break;
		expect("return value", read_number(TRACEES "nothing"), 7);
		kprobe = bpf_program__attach_kprobe(skel->progs.override, false,
						    "ftrace_typed_nothing");
		expect("attach a kprobe", kprobe != NULL, 1);
		expect(i ? "overridden, with fexit" : "overridden, with fentry",
		       read_number(TRACEES "nothing"), -22 + sabotage);
		bpf_link__destroy(kprobe);
		close(link);
		close(prog);
	}
	test_bpf__destroy(skel);
}

/* Where the function was may be another one when its program is attached. */
TEST(module_gone)
{
	char command[4096];
	int prog, link;

	if (!have_tracees())
		return;
	prog = load_onto_tracee("ftrace_typed_args8", 8, BPF_TRACE_FENTRY);
	if (prog < 0)
		return;
	expect("unload the module",
	       syscall(SYS_delete_module, "ftrace_tracees", O_NONBLOCK), 0);
	snprintf(command, sizeof(command), "insmod %s/ftrace_tracees.ko", own_dir);
	expect("load it again", system(command), 0);
	forget_symbols();
	link = bpf_raw_tracepoint_open(NULL, prog);
	expect("attach", link < 0 ? link : 0, -ENOENT + sabotage);
	if (link >= 0)
		close(link);
	close(prog);
}

static struct bpf_insn *load_value(struct bpf_insn *insn, int reg, long long value)
{
	insn[0] = (struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = reg,
				     .imm = value };
	insn[1] = (struct bpf_insn){ .imm = value >> 32 };
	return insn + 2;
}

/* What a program passes to a function of the kernel may be wider than the argument. */
TEST(kfunc_args)
{
	static const long long args[] = {
		0x1122334455667785, 0x11223344556677f0, 0x1122334455668001,
		0x112233445566fffe, 0x1122334480000003,
	};
	struct bpf_insn insns[2 * ARRAY_SIZE(args) + 2] = { }, *insn = insns;
	struct btf *kernel = btf__load_vmlinux_btf(), *btf = NULL;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int fds[2] = { -1, -1 }, prog = -1, id = -1, before = module_references();
	long long sum = (signed char)args[0] + 3LL * (unsigned char)args[1] +
			5LL * (short)args[2] + 7LL * (unsigned short)args[3] +
			11LL * (int)args[4];
	unsigned int i;

	if (!have_tracees())
		return;
	if (kernel)
		btf = tracees_btf(kernel, &fds[1]);
	if (btf)
		id = find_function(kernel, btf, "ftrace_widths", ARRAY_SIZE(args));
	if (id < 0) {
		skip("no BTF of the function");
		goto out;
	}
	for (i = 0; i < ARRAY_SIZE(args); i++)
		insn = load_value(insn, BPF_REG_1 + i, args[i]);
	*insn++ = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = id, .off = 1,
				     .src_reg = BPF_PSEUDO_KFUNC_CALL };
	insn->code = BPF_JMP | BPF_EXIT;
	opts.fd_array = fds;
	prog = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "widths", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
#ifdef __powerpc64__
	if (prog == -EINVAL) {
		skip("a call does not reach functions of modules");
		goto out;
	}
#endif
	if (expect("load", prog < 0 ? prog : 0, 0) &&
	    expect("run", bpf_prog_test_run_opts(prog, &run), 0))
		expect("sum of what arrives", run.retval,
		       (unsigned int)(sum ^ sum >> 32) + sabotage);
	close(prog);
	/* It keeps the module until it is freed, after a grace period. */
	for (i = 0; i < 100 && module_references() > before; i++)
		usleep(100000);
	expect("references to the module", module_references(), before);
out:
	close(fds[1]);
	btf__free(btf);
	btf__free(kernel);
}

/*
 * Have a program call a function of the kernel itself. Its first argument is the socket
 * of the packet, these values come next. A test run tells 32 bits of what a program
 * returns, so that is both halves of what the function has returned, combined.
 */
static void call_kernel(const char *name, const long long *args, int nr,
			unsigned long long want)
{
	static const struct bpf_insn begin[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_1, .off = offsetof(struct __sk_buff, sk) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = -1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_sk_fullsock },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = -1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static const struct bpf_insn end[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_1, .imm = 32 },
		{ .code = BPF_ALU64 | BPF_XOR | BPF_X, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_insn insns[64], *insn = insns;
	struct btf *kernel = btf__load_vmlinux_btf();
	static const char packet[64];
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet,
		    .data_size_in = sizeof(packet));
	int id, prog, i;

	id = kernel ? btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC) : -1;
	btf__free(kernel);
	if (id < 0) {
		skip("no BTF of %s()", name);
		return;
	}
	memcpy(insn, begin, sizeof(begin));
	insn += ARRAY_SIZE(begin);
	for (i = 0; i < nr; i++)
		insn = load_value(insn, BPF_REG_2 + i, args[i]);
	*insn++ = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = id,
				     .src_reg = BPF_PSEUDO_KFUNC_CALL };
	memcpy(insn, end, sizeof(end));
	insn += ARRAY_SIZE(end);
	prog = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "kernel", "GPL", insns,
			     insn - insns, NULL);
	if (!expect("load", prog < 0 ? prog : 0, 0))
		return;
	if (expect("run", bpf_prog_test_run_opts(prog, &run), 0))
		expect(name, run.retval, (__u32)(want ^ want >> 32) + sabotage);
	close(prog);
}

/*
 * The same on architectures where a call does not reach modules: two arguments and a
 * value returned have 32 bits. A program gets the latter without its sign.
 */
TEST(kfunc_args_kernel)
{
	static const long long a = 0x1122334480000003, b = 0x1122334455667788;
	static const long long c = 0x5566778870000010, d = 0x7766554433221100;

	call_kernel("bpf_kfunc_call_test1", (long long[]){ a, b, c, d }, 4,
		    (__u32)a + b + (__u32)c + d);
	call_kernel("bpf_kfunc_call_test2", (long long[]){ a, c }, 2, (__u32)(a + c));
}

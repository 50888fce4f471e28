#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# BPF programs on functions: run the tests in bpf/.

. "${0%/*}/lib.sh"

# Some tests need to know which LSMs are active, some the functions of modules, one
# to have allocations fail.
[ -e /sys/kernel/security/lsm ] ||
	mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
is_loaded ftrace_bench || load ftrace_bench warmup_ms=1 duration_ms=1 2>/dev/null ||
	note "no module ftrace_bench"
load_ops_test 2>/dev/null || note "no module ftrace_ops_test"
is_loaded ftrace_tracees || load ftrace_tracees 2>/dev/null ||
	note "no module ftrace_tracees"

# No trampoline goes to a program that is interpreted, as all are by default on ppc64el,
# and what there is of trampolines is seen by their symbols.
for jit in /proc/sys/net/core/bpf_jit_enable /proc/sys/net/core/bpf_jit_kallsyms; do
	if [ -e "$jit" ] && [ "$(cat "$jit")" = 0 ]; then
		save "$jit"
		write_to "$jit" 1
	fi
done

# In case the program below is killed
is_loaded ftrace_failing || echo ftrace_failing >>"$lib_tmp/loaded"
own_events bpf_runner_many
own_instances bpf_runner bpf_runner_many_a bpf_runner_many_b

! may_destroy || export MAY_DESTROY=1
# selfcheck.sh has all of them fail.
"$TESTS/bpf_runner" ${SABOTAGE:+--sabotage} --test "$@"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the tests: each test of the modules ftrace_ops_test and ftrace_fprobe_test and
# each of the BPF tests must fail when it is sabotaged.
# Usage: selfcheck.sh; not part of run.sh

. "${0%/*}/lib.sh"

FPROBE=/sys/kernel/debug/ftrace_fprobe_test
export TOGGLES=4 SABOTAGE=1
# That many functions tell as much as a thousand here.
export SURVIVE=vfs_read,vfs_write,do_sys_openat2

# tests_of MODULE DIR: the names of its tests
tests_of() {
	load "$1" && cat "$2/tests" && unload "$1"
}

# check NAME FILE TEST: did the test whose result is in the file fail?
check() {
	check_skip=$(sed -n "s/^ok [0-9]* $3 # SKIP //p" "$2")
	if grep -q -E "^not ok [0-9]+ $3\$" "$2"; then
		ktap_result "ok 0 $1"
	elif [ -n "$check_skip" ]; then
		ktap_result "ok 0 $1 # SKIP $check_skip"
	else
		grep "^# $3" "$2"
		ktap_result "not ok 0 $1"
	fi
}

# sabotage_module MODULE DIR NAME HOW TEST [PARAMETER...]
sabotage_module() {
	sabotage_name=$1
	sabotage_dir=$2
	sabotage_check=$3
	sabotage_how=$4
	sabotage_test=$5
	shift 5
	: >"$lib_tmp/results"
	if load "$sabotage_name" toggles=4 sabotage="$sabotage_how" "$@"; then
		echo "$sabotage_test" >"$sabotage_dir/run"
		cat "$sabotage_dir/results" >"$lib_tmp/results"
		unload "$sabotage_name"
	fi
	check "$sabotage_check" "$lib_tmp/results" "$sabotage_test"
}

load ftrace_ops_test_far || exit 1
ops=$(tests_of ftrace_ops_test "$OPS") || exit 1
fprobe=$(tests_of ftrace_fprobe_test "$FPROBE") || exit 1
# The one that is left out ends all tracing.
bpf=$("$TESTS/bpf_runner" --list | grep -v -x given_up) || exit 1

# Besides a spoiled comparison for each: an extra call must be noticed by the
# counters, and a trampoline that loses an argument by what the tracee returns.
pairs=$(for test in $ops; do echo "$test:$test"; done)
pairs="$pairs extra-call:ops_pairs extra-call:ops_args extra-call:direct_legacy
	extra-call:direct_args clobber:direct_legacy clobber:direct_multi
	clobber:direct_ops clobber:direct_args"
# shellcheck disable=SC2086	# words
set -- $pairs $fprobe $bpf
ktap_plan $#
for pair in $pairs; do
	test=${pair#*:}
	[ "$pair" = "$test:$test" ] || test=$pair
	sabotage_module ftrace_ops_test "$OPS" "ops.$test" "${pair%:*}" \
		"${pair#*:}.near"
done
unload ftrace_ops_test_far
for test in $fprobe; do
	sabotage_module ftrace_fprobe_test "$FPROBE" "fprobe.$test" "$test" \
		"$test" loops=200
done
# shellcheck disable=SC2086	# words
"$TESTS/bpf.sh" $bpf >"$lib_tmp/bpf"
for test in $bpf; do
	check "bpf.$test" "$lib_tmp/bpf" "$test"
done
ktap_exit

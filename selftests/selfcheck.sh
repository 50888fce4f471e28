#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the tests: each test of ftrace_ops_test must fail when it is sabotaged.
# Usage: selfcheck.sh; not part of run.sh

. "${0%/*}/lib.sh"

# sabotage HOW TEST: exit code 0 if the test failed as it should
sabotage() {
	load_ops_test toggles=4 sabotage="$1" || return 1
	echo "$2.near" >"$OPS/run"
	grep -q "^not ok 1 $2.near" "$OPS/results"
	sabotage_rc=$?
	if grep -q '# SKIP' "$OPS/results"; then
		sabotage_rc=4
	fi
	unload ftrace_ops_test
	return "$sabotage_rc"
}

load_ops_test || exit 1
tests=$(cat "$OPS/tests")
unload ftrace_ops_test

# Besides a spoiled comparison for each: an extra call must be noticed by the
# counters, and a trampoline that loses an argument by what the tracee returns.
pairs=$(for test in $tests; do echo "$test:$test"; done)
pairs="$pairs extra-call:ops_pairs extra-call:ops_args extra-call:direct_legacy
	extra-call:direct_args clobber:direct_legacy clobber:direct_multi
	clobber:direct_ops clobber:direct_args"
# shellcheck disable=SC2086
set -- $pairs
echo "KTAP version 1"
echo "1..$#"
number=0
failed=0
for pair; do
	number=$((number + 1))
	rc=0
	sabotage "${pair%:*}" "${pair#*:}" || rc=$?
	case $rc in
	0) echo "ok $number $pair" ;;
	4) echo "ok $number $pair # SKIP not on this kernel" ;;
	*)
		failed=1
		echo "not ok $number $pair"
		;;
	esac
done
exit "$failed"

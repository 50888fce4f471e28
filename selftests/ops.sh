#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests of the module ftrace_ops_test.
# Usage: ops.sh [TEST...]

. "${0%/*}/lib.sh"

# Not each kernel lists _text.
distance_to_kernel() {
	distance_text=$(awk '$3 == "_stext" { print $1; exit }' /proc/kallsyms)
	distance_func=$(awk -v f="$1" '$3 == f { print $1; exit }' /proc/kallsyms)
	[ -n "$distance_func" ] || return 0
	note "$1 is $(distance "$distance_text" "$distance_func") bytes from _stext"
}

load_ops_test toggles="${TOGGLES:-60}" || exit 1

if [ $# -eq 0 ]; then
	# The names; the module knows which of them every kernel must pass.
	# shellcheck disable=SC2046
	set -- $(cat "$OPS/tests")
fi
# Each test has one result for near functions and one for far ones.
ktap_plan $(($# * 2))
distance_to_kernel "$FUNC"
distance_to_kernel ftrace_test_far_sum2
for test; do
	echo "$test" >"$OPS/run" || exit 1
	ktap_results "$OPS/results"
done
ktap_exit

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests of the module ftrace_ops_test.
# Usage: ops.sh [TEST...]

. "${0%/*}/lib.sh"

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

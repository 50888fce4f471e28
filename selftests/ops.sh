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
echo "KTAP version 1"
echo "1..$(($# * 2))"
distance_to_kernel "$FUNC"
distance_to_kernel ftrace_test_far_sum2
number=0
failed=0
skipped=0
for test; do
	echo "$test" >"$OPS/run" || exit 1
	cat "$OPS/results" >"$lib_tmp/results"
	while IFS= read -r line; do
		case $line in
		'not ok '*)
			number=$((number + 1))
			failed=$((failed + 1))
			echo "$line" | sed "s/ok [0-9]*/ok $number/"
			;;
		'ok '*)
			number=$((number + 1))
			case $line in
			*'# SKIP'*) skipped=$((skipped + 1)) ;;
			esac
			echo "$line" | sed "s/ok [0-9]*/ok $number/"
			;;
		'# '*' functions: '*|'KTAP '*|1..*) ;;
		*) echo "$line" ;;
		esac
	done <"$lib_tmp/results"
done
[ "$failed" -eq 0 ] || exit 1
[ "$skipped" -lt "$number" ] || exit 4
exit 0

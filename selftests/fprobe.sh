#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests of the module ftrace_fprobe_test, alone and with function graph
# on the same functions, and look at what the kernel's own tests said at boot.
# Usage: fprobe.sh [TEST...]

. "${0%/*}/lib.sh"

FPROBE=/sys/kernel/debug/ftrace_fprobe_test
KUNIT=/sys/kernel/debug/kunit
SUITES='fprobe_test kprobes_test'

load ftrace_fprobe_test toggles="${TOGGLES:-60}" || exit 1
suites=''
if [ $# -eq 0 ]; then
	# The names
	# shellcheck disable=SC2046
	set -- $(cat "$FPROBE/tests")
	suites=$SUITES
fi

# run_all PREFIX TEST...
run_all() {
	run_prefix=$1
	shift
	for test; do
		echo "$test" >"$FPROBE/run" || exit 1
		ktap_results "$FPROBE/results" "$run_prefix"
	done
}

nr_suites=0
for suite in $suites; do
	nr_suites=$((nr_suites + 1))
done
ktap_plan $(($# * 2 + nr_suites))

run_all '' "$@"

# Whoever hooks the return of a function may find it hooked by the other one.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
if may_destroy && echo 'fpt_*' 2>/dev/null >"$TRACING/set_ftrace_filter" &&
   echo function_graph >"$TRACING/current_tracer"; then
	echo 1 >/sys/module/ftrace_fprobe_test/parameters/beside
	run_all graph. "$@"
	echo nop >"$TRACING/current_tracer"
	echo >"$TRACING/set_ftrace_filter"
else
	for test; do
		ktap_result "ok 1 graph.$test # SKIP no function graph, or no --destructive"
	done
fi

for suite in $suites; do
	if [ ! -e "$KUNIT/$suite/results" ]; then
		ktap_result "ok 1 $suite # SKIP not in this kernel"
	elif grep -q "^ok .* $suite" "$KUNIT/$suite/results"; then
		ktap_result "ok 1 $suite"
	else
		sed 's/^/# /' "$KUNIT/$suite/results"
		ktap_result "not ok 1 $suite"
	fi
done
ktap_exit

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Large copies to user space while what they call is traced and tasks take each
# other's place. A copy must not be interrupted by a tracer which schedules: where
# the right to write to user space belongs to the CPU, as on powerpc, it is gone
# afterwards.

. "${0%/*}/lib.sh"

SECONDS_LONG=5

# Read a file over and over, at least once; says "copied" or "failed" each time.
copies() {
	while
		if dd if="$lib_tmp/from" of="$lib_tmp/to.$1" bs=64k 2>/dev/null &&
		   cmp -s "$lib_tmp/from" "$lib_tmp/to.$1"; then
			echo copied
		else
			echo failed
		fi
		[ -e "$lib_tmp/go" ]
	do
		:
	done >"$lib_tmp/said.$1"
}

busy() {
	while [ -e "$lib_tmp/go" ]; do
		:
	done
}

case_traced() {
	dd if=/dev/urandom of="$lib_tmp/from" bs=64k count=16 2>/dev/null
	# Also what is called in the middle, if it can be traced.
	write_to "$TRACING/set_ftrace_filter" '*copy*'
	! grep -q '^preempt_count_' "$TRACING/available_filter_functions" ||
		echo 'preempt_count_*' >>"$TRACING/set_ftrace_filter" ||
		fail "cannot trace preempt_count_add()"
	write_to "$TRACING/current_tracer" function
	touch "$lib_tmp/go"
	for copy in 1 2 3; do
		copies "$copy" &
		background $!
	done
	busy &
	background $!
	sleep "$SECONDS_LONG"
	rm "$lib_tmp/go"
	wait
	: >"$lib_tmp/pids"
	note "copied $(cat "$lib_tmp"/said.* | grep -c copied) times"
	expect "failed copies" "$(cat "$lib_tmp"/said.* | grep -c failed)" 0
	# Not to the end: the trace grows as long as it is being read.
	grep -qv '^#' "$TRACING/trace" || fail "nothing has been traced"
}

destructive "the trace buffer is cleared"
# Put back in reverse: first no tracer, then no filter.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
run_cases traced

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Large copies to user space while what they call is traced and tasks take each
# other's place. A copy must not be interrupted by a tracer which schedules: where
# the right to write to user space belongs to the CPU, as on powerpc, it is gone
# afterwards.

. "${0%/*}/lib.sh"

SECONDS_LONG=5

# Read a file over and over; says "copied" or "failed" for each time.
copies() {
	while [ -e "$lib_tmp/go" ]; do
		if dd if="$lib_tmp/from" of="$lib_tmp/to.$1" bs=64k 2>/dev/null &&
		   cmp -s "$lib_tmp/from" "$lib_tmp/to.$1"; then
			echo copied
		else
			echo failed
		fi
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
	write_to "$TRACING/current_tracer" function
	touch "$lib_tmp/go"
	copies 1 & copies 2 & copies 3 & busy &
	sleep "$SECONDS_LONG"
	rm "$lib_tmp/go"
	wait
	note "copied $(cat "$lib_tmp"/said.* | grep -c copied) times"
	expect "failed copies" "$(cat "$lib_tmp"/said.* | grep -c failed)" 0
	for traced_reader in 1 2 3; do
		grep -q copied "$lib_tmp/said.$traced_reader" ||
			fail "reader $traced_reader did not copy anything"
	done
	[ "$(grep -cv '^#' "$TRACING/trace")" -gt 0 ] ||
		fail "nothing has been traced"
}

save "$TRACING/current_tracer" "$TRACING/set_ftrace_filter"
run_cases traced

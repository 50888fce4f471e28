#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Large copies to user space while what they call is traced and tasks take each
# other's place. A copy must not be interrupted by a tracer which schedules, or which
# reads user memory itself: where the right to write to user space belongs to the CPU,
# as on powerpc, it is gone afterwards.

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

# Copy for some time, while there is more to do than there are processors.
copy_meanwhile() {
	dd if=/dev/urandom of="$lib_tmp/from" bs=64k count=16 2>/dev/null
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
	copied=$(cat "$lib_tmp"/said.* | grep -c copied) || :
	[ "$copied" -gt 0 ] || fail "nothing has been copied"
	note "copied $copied times"
	expect "failed copies" "$(cat "$lib_tmp"/said.* | grep -c failed)" 0
}

case_traced() {
	# Also what is called in the middle, if it can be traced.
	write_to "$TRACING/set_ftrace_filter" '*copy*'
	! grep -q '^preempt_count_' "$TRACING/available_filter_functions" ||
		echo 'preempt_count_*' >>"$TRACING/set_ftrace_filter" ||
		fail "cannot trace preempt_count_add()"
	write_to "$TRACING/current_tracer" function
	copy_meanwhile
	# Not to the end: the trace grows as long as it is being read.
	grep -qv '^#' "$TRACING/trace" || fail "nothing has been traced"
	write_to "$TRACING/current_tracer" nop
}

# Kprobes which read user memory, at whatever copies and what it calls if that can be
# traced: where arguments point to that is user memory, and where nothing is. To try
# it makes no difference to the right. The buffer of vfs_read() is there.
case_reading() {
	[ -e "$TRACING/kprobe_events" ] || { skip "no kprobe events"; return; }
	grep -E -e '^[a-z_]*copy[a-z_]*(user|iter)[a-z_]*$' -e '^[a-z_]*_altivec$' \
		-e '^(enter|exit)_vmx_[a-z]*$' -e '^copy(in|out)$' -e '^vfs_read$' \
		"$TRACING/available_filter_functions" | sort | uniq -u >"$lib_tmp/functions"
	# Some may not be probed.
	while read -r function; do
		cat 2>/dev/null >>"$TRACING/kprobe_events" <<-EOF
			p:$GROUP/$function $function $FETCH
		EOF
	done <"$lib_tmp/functions"
	note "probes at $(grep -c ":$GROUP/" "$TRACING/kprobe_events") functions"
	echo >"$TRACING/trace"
	write_to "$TRACING/events/$GROUP/enable" 1
	copy_meanwhile
	write_to "$TRACING/events/$GROUP/enable" 0
	grep -q ' vfs_read: .* b=[0-9]' "$TRACING/trace" || fail "no user memory has been read"
	remove_events "$GROUP" || fail "cannot remove the kprobes"
}

# The same at each instruction of filldir64(), which opens user space, writes the name of
# a file there and closes it. A branch in place of a breakpoint leads to the handler. If
# the kernel's pages are small there is room for nine of those: eight at a time. Emulators
# look at the right when a page is written to for the first time: the list takes several.
case_optimized() {
	[ -e /proc/sys/debug/kprobes-optimization ] || { skip "no optimized kprobes"; return; }
	[ -e "$TRACING/kprobe_events" ] || { skip "no kprobe events"; return; }
	# On powerpc these run meanwhile, so no tracer may.
	for function in optimized_callback emulate_step emulate_update_regs analyse_instr; do
		[ "$(uname -m)" != ppc64le ] ||
			! grep -q -x "$function" "$TRACING/available_filter_functions" ||
			fail "$function can be traced"
	done
	# From its address to that of the next one
	size=$(($(grep -A1 ' [tT] filldir64$' /proc/kallsyms |
		sed -e 's/^.\{8\}\(.\{8\}\) .*/0x\1/' -e '1s/^/-/' -e '2s/^/+/')))
	mkdir "$lib_tmp/list"
	for nr in $(seq 500); do
		: >"$lib_tmp/list/$nr"
	done
	ls "$lib_tmp/list" >"$lib_tmp/from"
	echo >"$TRACING/trace"
	offset=0 optimized=0 hits=0
	while [ "$offset" -lt "$size" ]; do
		optimize_to=$((offset + 32))
		while [ "$offset" -lt "$optimize_to" ]; do
			# Some may not be probed.
			cat 2>/dev/null >>"$TRACING/kprobe_events" <<-EOF
				p:$GROUP/at_$offset filldir64+$offset $FETCH_NOTHING
			EOF
			offset=$((offset + 4))
		done
		[ -d "$TRACING/events/$GROUP" ] || continue
		write_to "$TRACING/events/$GROUP/enable" 1
		# They are breakpoints first.
		sleep 1
		nr=$(grep -c ' filldir64+0x.*\[OPTIMIZED\]' /sys/kernel/debug/kprobes/list)
		optimized=$((optimized + nr))
		ls "$lib_tmp/list" >"$lib_tmp/to" 2>/dev/null
		cmp -s "$lib_tmp/from" "$lib_tmp/to" ||
			fail "a list of files is not complete, kprobes up to +$offset"
		write_to "$TRACING/events/$GROUP/enable" 0
		hits=$((hits + $(grep -c ' at_[0-9]*: (filldir64+' "$TRACING/trace")))
		remove_events "$GROUP" || { fail "cannot remove the kprobes"; return; }
	done
	note "$optimized kprobes have been optimized, $hits hits"
	[ "$optimized" -ge 20 ] || fail "too few kprobes get optimized"
	[ "$hits" -ge 1000 ] || fail "too few hits"
}

GROUP=ftrace_user_copy
# shellcheck disable=SC2016	# for the kernel
FETCH='a=+u0($arg1):u64 b=+u0($arg2):u64 c=+u0(\65536):u64'
FETCH_NOTHING='c=+u0(\65536):u64'
destructive "the trace buffer is cleared"
# Put back in reverse: first no tracer, then no filter.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
own_events "$GROUP"
run_cases traced reading optimized

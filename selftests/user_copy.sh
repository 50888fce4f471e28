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
	note "copied $(cat "$lib_tmp"/said.* | grep -c copied) times"
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

# The same at each instruction of what opens user space and closes it, where a branch in
# place of a breakpoint leads to the handler.
case_optimized() {
	[ -e /proc/sys/debug/kprobes-optimization ] || { skip "no optimized kprobes"; return; }
	[ -e "$TRACING/kprobe_events" ] || { skip "no kprobe events"; return; }
	case $(uname -m) in
	ppc64*) ;;
	*) skip "no register to open user space is known here"; return ;;
	esac
	for function in copyout _copy_to_user; do
		probe_each_instruction "$function"
	done
	echo >"$TRACING/trace"
	write_to "$TRACING/events/$GROUP/enable" 1
	# They are breakpoints first.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		nr=$(grep -c "$OPTIMIZED" /sys/kernel/debug/kprobes/list)
		[ "$nr" -lt 20 ] || break
		sleep 1
	done
	note "$nr kprobes are optimized"
	[ "$nr" -ge 20 ] || fail "too few kprobes are optimized"
	copy_meanwhile
	write_to "$TRACING/events/$GROUP/enable" 0
	grep -q " (\(copyout\|_copy_to_user\)+.* a=[0-9]" "$TRACING/trace" ||
		fail "no user memory has been read"
	remove_events "$GROUP" || fail "cannot remove the kprobes"
}

# probe_each_instruction FUNCTION: where there is such a one. Some may not be probed.
probe_each_instruction() {
	# From its address to that of the next one
	probe_size=$(($(grep -A1 " [tT] $1\$" /proc/kallsyms |
		sed -e 's/^.\{8\}\(.\{8\}\) .*/0x\1/' -e '1s/^/-/' -e '2s/^/+/')))
	while [ "$probe_size" -gt 0 ]; do
		probe_size=$((probe_size - 4))
		cat 2>/dev/null >>"$TRACING/kprobe_events" <<-EOF
			p:$GROUP/$1_$probe_size $1+$probe_size $FETCH_R3
		EOF
	done
}

GROUP=ftrace_user_copy
# shellcheck disable=SC2016	# for the kernel
FETCH='a=+u0($arg1):u64 b=+u0($arg2):u64 c=+u0(\65536):u64'
FETCH_R3='a=+u0(%gpr3):u64 c=+u0(\65536):u64'
OPTIMIZED=' \(copyout\|_copy_to_user\)+0x.*\[OPTIMIZED\]'
destructive "the trace buffer is cleared"
# Put back in reverse: first no tracer, then no filter.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
own_events "$GROUP"
run_cases traced reading optimized

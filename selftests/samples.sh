#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own samples of direct calls: load, see what they print into the
# trace, unload, and all over again.

. "${0%/*}/lib.sh"

LOOPS=5

have_sample() {
	if [ "$direct" = no ]; then
		skip "no direct calls on this kernel"
		return 1
	fi
	if ! has_module "$1"; then
		skip "no module $1"
		return 1
	fi
}

# Wait up to 10 seconds until the trace has a line with this text.
traced() {
	for traced_try in 1 2 3 4 5 6 7 8 9 10; do
		# Starting processes is what the samples look at.
		if grep -q "$1" "$TRACING/trace"; then
			return 0
		fi
		sleep 1
	done
	fail "nothing like '$1' in the trace after $traced_try seconds"
}

# sample MODULE LOOPS TEXT...
sample() {
	sample_name=$1
	sample_loops=$2
	shift 2
	have_sample "$sample_name" || return
	while [ "$sample_loops" -gt 0 ] && [ "$case_failed" -eq 0 ]; do
		sample_loops=$((sample_loops - 1))
		echo >"$TRACING/trace"
		load "$sample_name" || { fail "cannot load it"; return; }
		for sample_text; do
			traced "$sample_text"
		done
		unload "$sample_name" || fail "cannot unload it"
	done
	# Nothing may come any more.
	echo >"$TRACING/trace"
	sleep 1
	expect "lines after unloading" "$(grep -vc '^#' "$TRACING/trace")" 0
}

case_direct() {
	sample ftrace-direct "$LOOPS" 'waking up'
}

case_direct_too() {
	sample ftrace-direct-too "$LOOPS" 'handle mm fault'
}

case_direct_multi() {
	sample ftrace-direct-multi "$LOOPS" 'ip '
}

# These two go to another trampoline every other second.
case_direct_modify() {
	sample ftrace-direct-modify 2 'my direct func1' 'my direct func2'
}

case_direct_multi_modify() {
	sample ftrace-direct-multi-modify 2 'my direct func1' 'my direct func2'
}

# Two at once, on different functions; a third one finds its function taken.
case_together() {
	have_sample ftrace-direct || return
	have_sample ftrace-direct-multi || return
	echo >"$TRACING/trace"
	load ftrace-direct || fail "cannot load ftrace-direct"
	load ftrace-direct-too || fail "cannot load ftrace-direct-too"
	traced 'waking up'
	traced 'handle mm fault'
	if refusal=$(modprobe ftrace-direct-multi 2>&1); then
		fail "two direct calls on one function"
		rmmod ftrace-direct-multi
	fi
	case $refusal in
	*busy*) ;;
	*) fail "the third one: $refusal" ;;
	esac
	unload ftrace-direct || fail "cannot unload ftrace-direct"
	echo >"$TRACING/trace"
	traced 'handle mm fault'
	unload ftrace-direct-too || fail "cannot unload ftrace-direct-too"
}

destructive "the trace buffer is cleared"
save "$TRACING/tracing_on"
load_ops_test || exit 1
direct=no
! have direct || direct=yes
unload ftrace_ops_test
write_to "$TRACING/tracing_on" 1
run_cases direct direct_too direct_multi direct_modify direct_multi_modify \
	together

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Modules come and go while all functions are traced: the functions of a new
# module are traced at once, and in the same way as those of the kernel.

. "${0%/*}/lib.sh"

NR_TRACEES=64
CALL=/sys/module/ftrace_tracees/parameters/call

# read_enabled: the lines of enabled_functions that are for the module. To read it
# takes a while, when everything is traced.
read_enabled() {
	grep '\[ftrace_tracees\] ([0-9]*)' "$TRACING/enabled_functions" |
		sed -e 's/	.*//' >"$lib_tmp/enabled"
}

# Of the lines last read those of tracees; with an argument those with O
nr_enabled() {
	grep -c "ftrace_tracee_.*${1:-}" "$lib_tmp/enabled"
}

load_and_call() {
	load ftrace_tracees || { fail "cannot load the module"; return 1; }
	read_enabled
	expect "$1: enabled functions" "$(nr_enabled)" "$NR_TRACEES"
	if [ "$call_ops" = yes ]; then
		expect "$1: call sites that name their ops" \
			"$(nr_enabled ') .*O')" "$2"
	fi
	# Everything is traced, so be quick: the buffer is not endless.
	echo 0 >"$TRACING/tracing_on"
	echo >"$TRACING/trace"
	echo 1 >"$TRACING/tracing_on"
	echo 1 >"$CALL"
	echo 0 >"$TRACING/tracing_on"
	expect "$1: good calls" "$(cat "$CALL")" "$NR_TRACEES"
	expect "$1: traced calls" \
		"$(grep -c ': ftrace_tracee_[0-9]* .*<-' "$TRACING/trace")" \
		"$NR_TRACEES"
	echo 1 >"$TRACING/tracing_on"
}

unload_tracees() {
	unload ftrace_tracees || fail "$1: cannot unload the module"
	read_enabled
	expect "$1: functions left" "$(nr_enabled)" 0
}

case_function_tracer() {
	write_to "$TRACING/current_tracer" function
	for pass in 1 2; do
		load_and_call "pass $pass" "$NR_TRACEES" || break
		unload_tracees "pass $pass"
	done
	write_to "$TRACING/current_tracer" nop
}

# The init function of a module is in memory of its own.
case_init_function() {
	write_to "$TRACING/set_ftrace_filter" ':mod:ftrace_tracees'
	write_to "$TRACING/current_tracer" function
	echo >"$TRACING/trace"
	load ftrace_tracees || fail "cannot load the module"
	# The second name is an alias of the first one.
	expect "calls of the init function" "$(grep -c -E \
		': (ftrace_tracees_init|init_module) <-' "$TRACING/trace")" 1
	unload_tracees "init function"
	write_to "$TRACING/current_tracer" nop
	echo >"$TRACING/set_ftrace_filter"
}

# Functions which cannot be traced, as they are not aligned, and next to them some
# which can: the module works, only the latter are traced, and the kernel says so, on
# arm64 once.
case_misaligned() {
	traceable=. says=
	# Where the pointer to the ops is in front of the function.
	case $call_ops-$(uname -m) in
	yes-aarch64)
		traceable='[08]'
		says='functions that are not 8-byte aligned cannot be traced'
		;;
	yes-riscv64)
		traceable='[08]'
		says='ftrace_misaligned: [0-9]* functions are not aligned'
		;;
	esac
	write_to "$TRACING/set_ftrace_filter" ':mod:ftrace_misaligned'
	write_to "$TRACING/current_tracer" function
	echo >"$TRACING/trace"
	load ftrace_misaligned || fail "cannot load the module"
	sed -n "s/^[0-9a-f]*$traceable . \(ftrace_misaligned_[0-9]\)[^0-9].*/\1/p" \
		/proc/kallsyms | sort >"$lib_tmp/traceable"
	sed -n 's/.*: \(ftrace_misaligned_[0-9]\) <-.*/\1/p' \
		"$TRACING/trace" | sort >"$lib_tmp/traced"
	expect "traced functions" "$(cat "$lib_tmp/traced")" \
		"$(cat "$lib_tmp/traceable")"
	dmesg >"$lib_tmp/dmesg"
	if [ -n "$says" ]; then
		if [ "$(wc -l <"$lib_tmp/traceable")" -eq 4 ]; then
			skip "the compiler aligns functions with -Os, too"
		elif grep -q 'Linux version' "$lib_tmp/dmesg" &&
				! grep -q "ftrace: $says" "$lib_tmp/dmesg"; then
			fail "the kernel does not say '$says'"
		fi
	fi
	unload ftrace_misaligned || fail "cannot unload the module"
	write_to "$TRACING/current_tracer" nop
	echo >"$TRACING/set_ftrace_filter"
}

# A module with nothing to be traced leaves nothing behind, and does not confuse those
# that come and go after it. Pages and groups of them are those with call sites.
case_none_aligned() {
	grep -o '[0-9]* pages:.*' "$TRACING/dyn_ftrace_total_info" >"$lib_tmp/pages"
	[ -s "$lib_tmp/pages" ] || { fail "no number of pages"; return; }
	for pass in 1 2; do
		load ftrace_none_aligned || { fail "cannot load the module"; return; }
		traceable=$(grep -c -x 'ftrace_none_aligned \[.*' \
			"$TRACING/available_filter_functions")
		load ftrace_tracees || fail "cannot load another module"
		unload_tracees "pass $pass"
		unload ftrace_none_aligned || fail "cannot unload the module"
		expect "$pass: pages" "$(grep -o '[0-9]* pages:.*' \
			"$TRACING/dyn_ftrace_total_info")" "$(cat "$lib_tmp/pages")"
	done
	case $call_ops-$(uname -m) in
	yes-aarch64|yes-riscv64)
		[ "$traceable" -eq 0 ] ||
			skip "the compiler aligns functions with -Os, too"
		;;
	esac
}

# The tracer comes after the module, and goes before it.
case_tracer_later() {
	load ftrace_tracees || { fail "cannot load the module"; return; }
	read_enabled
	expect "before" "$(nr_enabled)" 0
	write_to "$TRACING/current_tracer" function
	read_enabled
	expect "enabled functions" "$(nr_enabled)" "$NR_TRACEES"
	write_to "$TRACING/current_tracer" nop
	read_enabled
	expect "afterwards" "$(nr_enabled)" 0
	echo 1 >"$CALL"
	expect "good calls" "$(cat "$CALL")" "$NR_TRACEES"
	unload_tracees "tracer later"
}

# Two tracers of everything: call sites name both if they can.
case_two_tracers() {
	mkdir "$TRACING/instances/module_load" || fail "mkdir of an instance"
	write_to "$TRACING/instances/module_load/current_tracer" function
	write_to "$TRACING/current_tracer" function
	load_and_call "two tracers" "$nr_two"
	write_to "$TRACING/instances/module_load/current_tracer" nop
	if [ "$call_ops" = yes ]; then
		read_enabled
		expect "one tracer: call sites that name their ops" \
			"$(nr_enabled ') .*O')" "$NR_TRACEES"
	fi
	unload_tracees "two tracers"
	write_to "$TRACING/current_tracer" nop
	rmdir "$TRACING/instances/module_load" || fail "rmdir of an instance"
}

# The graph tracer lives on the same list, and hooks the return as well.
case_graph_tracer() {
	need_graph || return
	write_to "$TRACING/current_tracer" function_graph
	for pass in 1 2; do
		load ftrace_tracees || { fail "cannot load the module"; break; }
		read_enabled
		expect "$pass: enabled functions" "$(nr_enabled)" "$NR_TRACEES"
		echo 1 >"$CALL"
		expect "$pass: good calls" "$(cat "$CALL")" "$NR_TRACEES"
		unload_tracees "graph $pass"
	done
	write_to "$TRACING/current_tracer" nop
}

destructive "the trace buffer is cleared"
own_instances module_load
# Put back in reverse: first no tracer, then no filter.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer" \
	"$TRACING/tracing_on" "$TRACING/buffer_size_kb"
write_to "$TRACING/current_tracer" nop
write_to "$TRACING/set_ftrace_filter" ''
# The buffer is tiny if the first tracer of all was one in an instance.
write_to "$TRACING/buffer_size_kb" 16384
load_ops_test || exit 1
call_ops=no
! have call_ops || call_ops=yes
nr_two=0
! have ops_sets || nr_two=$NR_TRACEES
unload ftrace_ops_test
run_cases function_tracer init_function misaligned none_aligned tracer_later \
	two_tracers graph_tracer

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The stack tracer, and filters by task and by caller, while callers are preempted by
# a real-time task or get called on another processor meanwhile.

. "${0%/*}/lib.sh"
. "${0%/*}/tracers.inc"

# It comes and goes while callers are preempted on the way to it, and in it. It leaves
# nothing behind that keeps it from looking at the stack of the next one there.
case_stack_load() {
	if [ ! -e "$STACK" ]; then
		skip "no stack tracer in this kernel"
		return
	fi
	need_two_cpus || return
	save "$STACK" "$TRACING/stack_trace_filter"
	write_to "$TRACING/stack_trace_filter" "$FUNC"
	start_crowd
	end=$(($(date +%s) + LOAD_SECONDS))
	changes=0
	found=0
	# Longer where the machine is slow, as not every round finds one.
	while now=$(date +%s); [ "$now" -lt "$end" ] ||
	      { [ "$found" -eq 0 ] && [ "$now" -lt $((end + 9 * LOAD_SECONDS)) ]; }; do
		write_to "$TRACING/stack_max_size" 0
		write_to "$STACK" 1
		sleep 0.2
		write_to "$STACK" 0
		stack_size=$(cat "$TRACING/stack_max_size")
		[ "$stack_size" -lt 60000 ] || fail "a stack of $stack_size bytes"
		[ "$stack_size" -lt 100 ] || found=$((found + 1))
		changes=$((changes + 2))
	done
	stop_crowd
	note "$changes changes, $found stacks"
	[ "$found" -gt 0 ] || fail "no stack"
	write_to "$TRACING/stack_max_size" 0
	write_to "$STACK" 1
	crowded_calls 1
	write_to "$STACK" 0
	[ "$(cat "$TRACING/stack_max_size")" -ge 100 ] ||
		fail "afterwards: no stack"
	grep -q "$FUNC" "$TRACING/stack_trace" ||
		fail "afterwards: not the stack of $FUNC"
	write_to "$TRACING/stack_max_size" 0
	echo >"$TRACING/stack_trace_filter"
}

# The filter by task follows the tasks of a processor: one that is traced, one that is
# not, and one that preempts both.
case_pid_crowded() {
	need_two_cpus || return
	make_instance || return
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	for with in none ops; do
		hold "$with"
		write_to "$INSTANCE/set_ftrace_pid" 1
		write_to "$INSTANCE/current_tracer" function
		# Only one of them can have calls made at a time.
		"$TESTS/crowded" 1 sh -c "
			exec 2>/dev/null
			while [ -e $OPS/call ]; do echo 20 >$OPS/call; done &
			echo \$\$ >>$INSTANCE/set_ftrace_pid
			i=0
			while [ \$i -lt 20 ]; do
				[ -e $OPS/call ] || exit
				! echo 20 >$OPS/call || i=\$((i + 1))
			done
			kill \$!" || fail "crowded calls"
		expect "$with: one of two tasks" "$(events)" 400
		write_to "$INSTANCE/current_tracer" nop
		write_to "$INSTANCE/set_ftrace_pid" ''
	done
	hold none

	# Lists of tasks come and go, with never the one in it that calls.
	write_to "$INSTANCE/set_ftrace_pid" 1
	write_to "$INSTANCE/current_tracer" function
	start_crowd
	end=$(($(date +%s) + LOAD_SECONDS))
	changes=0
	while [ "$(date +%s)" -lt "$end" ]; do
		add_to "$INSTANCE/set_ftrace_pid" $$
		changes=$((changes + 1))
	done
	stop_crowd
	note "$changes changes"
	expect "none of the tasks" "$(events)" 0
	write_to "$INSTANCE/current_tracer" nop
	write_to "$INSTANCE/set_ftrace_pid" ''
	remove_instance
}

# Calls are in the trace once each when the caller is preempted in between. Then the list
# of functions is replaced, and the old one freed, while tasks are preempted which look
# at it.
case_graph_function_load() {
	need_graph && need_two_cpus || return
	save "$TRACING/set_graph_function"
	printf '%s\n' "$FUNC" vfs_read >"$TRACING/set_ftrace_filter"
	write_to "$TRACING/set_graph_function" "$FUNC"
	for with in none ops; do
		hold "$with"
		write_to "$TRACING/current_tracer" function_graph
		echo >"$TRACING/trace"
		crowded_calls 2
		cat /proc/self/stat >/dev/null
		expect "$with: crowded" "$(graphed "$FUNC")" 40
		expect "$with: others" "$(graphed vfs_read)" 0
		write_to "$TRACING/current_tracer" nop
	done
	hold none
	write_to "$TRACING/current_tracer" function_graph
	start_crowd
	end=$(($(date +%s) + LOAD_SECONDS))
	changes=0
	while [ "$(date +%s)" -lt "$end" ]; do
		add_to "$TRACING/set_graph_function" "$OTHER"
		add_to "$TRACING/set_graph_function" "!$OTHER"
		changes=$((changes + 2))
	done
	stop_crowd
	note "$changes changes"
	echo >"$TRACING/trace"
	cat /proc/self/stat >/dev/null
	calls 3
	expect "afterwards" "$(graphed "$FUNC")" 3
	expect "afterwards: others" "$(graphed vfs_read)" 0
	write_to "$TRACING/current_tracer" nop
	write_to "$TRACING/set_graph_function" ''
	echo >"$TRACING/set_ftrace_filter"
}

# The filter is replaced, and the old one freed, while tasks are on their way to the
# graph tracer, and may be preempted there. KASAN, or slub_debug=P, would tell if one
# looked at the old filter.
case_graph_load() {
	need_graph && need_two_cpus || return
	make_instance || return
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	write_to "$INSTANCE/current_tracer" function
	write_to "$TRACING/set_ftrace_filter" "$FUNC"
	write_to "$TRACING/current_tracer" function_graph
	start_crowd
	end=$(($(date +%s) + LOAD_SECONDS))
	changes=0
	while [ "$(date +%s)" -lt "$end" ]; do
		echo "$OTHER" >>"$TRACING/set_ftrace_filter"
		echo "!$OTHER" >>"$TRACING/set_ftrace_filter"
		changes=$((changes + 2))
	done
	stop_crowd
	note "$changes changes"
	[ "$changes" -gt 0 ] || fail "no change"
	echo >"$TRACING/trace"
	calls 3
	expect "afterwards" "$(graphed "$FUNC")" 3
	write_to "$TRACING/current_tracer" nop
	remove_instance
	echo >"$TRACING/set_ftrace_filter"
}

run_cases stack_load pid_crowded graph_function_load graph_load

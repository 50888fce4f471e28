#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What else calls functions of its own when functions are called: the profiler, the
# stack tracer, filters by task and by caller, and perf on all processors. Each also
# beside a real-time task that preempts whoever calls.

. "${0%/*}/lib.sh"
. "${0%/*}/tracers.inc"

# profiled: how often $FUNC was called, on all processors
profiled() {
	cat "$TRACING"/trace_stat/function* |
		awk -v f="$FUNC" '$1 == f { n += $2 } END { print n + 0 }'
}

case_profiler() {
	if [ ! -e "$TRACING/function_profile_enabled" ]; then
		skip "no function profiler in this kernel"
		return
	fi
	write_to "$TRACING/set_ftrace_filter" "$FUNC"
	write_to "$TRACING/function_profile_enabled" 1
	calls 7
	write_to "$TRACING/function_profile_enabled" 0
	expect "alone" "$(profiled)" 7
	calls 3
	expect "off" "$(profiled)" 7
	make_instance || return
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	write_to "$INSTANCE/current_tracer" function
	write_to "$TRACING/function_profile_enabled" 1
	calls 9
	expect "with a tracer" "$(profiled)" 9
	if need_two_cpus; then
		crowded_calls 20
		expect "crowded" "$(profiled)" 409
	fi
	case_skip=''
	write_to "$TRACING/function_profile_enabled" 0
	remove_instance
	echo >"$TRACING/set_ftrace_filter"
}

case_stack_tracer() {
	if [ ! -e "$STACK" ]; then
		skip "no stack tracer in this kernel"
		return
	fi
	save "$STACK" "$TRACING/stack_trace_filter"
	write_to "$TRACING/stack_trace_filter" "$FUNC"
	write_to "$TRACING/stack_max_size" 0
	for with in none ops; do
		hold "$with"
		write_to "$STACK" 1
		calls 1
		write_to "$STACK" 0
		stack_size=$(cat "$TRACING/stack_max_size")
		if [ "$stack_size" -lt 100 ] || [ "$stack_size" -gt 60000 ]; then
			fail "$with: a stack of $stack_size bytes"
		fi
		grep -q "$FUNC" "$TRACING/stack_trace" ||
			fail "$with: not the stack of $FUNC"
		write_to "$TRACING/stack_max_size" 0
	done
	hold none
	echo >"$TRACING/stack_trace_filter"
}

case_pid() {
	make_instance || return
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	for with in none ops; do
		hold "$with"
		write_to "$INSTANCE/current_tracer" function
		echo >"$INSTANCE/trace"
		write_to "$INSTANCE/set_ftrace_pid" $$
		calls 3
		expect "$with: this task" "$(events)" 3
		(echo 4 >"$OPS/call")
		expect "$with: not its child" "$(events)" 3
		write_to "$INSTANCE/set_ftrace_pid" 1
		calls 3
		expect "$with: another task" "$(events)" 3
		write_to "$INSTANCE/set_ftrace_pid" ''
		write_to "$INSTANCE/set_ftrace_notrace_pid" $$
		calls 3
		expect "$with: all but this task" "$(events)" 3
		(echo 4 >"$OPS/call")
		expect "$with: its child" "$(events)" 7
		write_to "$INSTANCE/set_ftrace_notrace_pid" ''
		calls 3
		expect "$with: all tasks" "$(events)" 10
		write_to "$INSTANCE/current_tracer" nop
	done
	hold none
	remove_instance
}

# The tracer gets another callback, for which it is unregistered for a moment. Nobody
# is to be traced then who was not before. On 6.1 somebody is, now and then. The moment
# is long if all functions are traced, as those of modules are the last ones.
case_pid_option() {
	! defect_of_base || return
	make_instance || return
	hold none
	write_to "$INSTANCE/set_ftrace_pid" 1
	write_to "$INSTANCE/current_tracer" function
	sh -c "while :; do echo 2000 >$OPS/call; done" &
	caller=$!
	background "$caller"
	for _ in 1 2 3 4 5; do
		write_to "$INSTANCE/options/func_stack_trace" 1
		write_to "$INSTANCE/options/func_stack_trace" 0
	done
	end_background "$caller"
	expect "events of others" "$(events)" 0
	remove_instance
}

# Those that are called by others are in the trace only if their callers are.
case_graph_function() {
	need_graph || return
	save "$TRACING/set_graph_function" "$TRACING/set_graph_notrace"
	printf '%s\n' "$FUNC" vfs_read >"$TRACING/set_ftrace_filter"
	for with in none ops; do
		hold "$with"
		write_to "$TRACING/set_graph_function" "$FUNC"
		write_to "$TRACING/current_tracer" function_graph
		echo >"$TRACING/trace"
		cat /proc/self/stat >/dev/null
		calls 3
		expect "$with: graph_function" "$(graphed "$FUNC")" 3
		expect "$with: others" "$(graphed vfs_read)" 0
		write_to "$TRACING/set_graph_function" ''
		write_to "$TRACING/set_graph_notrace" "$FUNC"
		echo >"$TRACING/trace"
		cat /proc/self/stat >/dev/null
		calls 3
		expect "$with: graph_notrace" "$(graphed "$FUNC")" 0
		[ "$(graphed vfs_read)" -gt 0 ] || fail "$with: no others"
		write_to "$TRACING/set_graph_notrace" ''
		write_to "$TRACING/current_tracer" nop
	done
	hold none
	echo >"$TRACING/set_ftrace_filter"
}

# One ops for each processor
case_perf() {
	for with in none ops; do
		hold "$with"
		perf_sum=$("$TESTS/perf_function" "$FUNC" \
			sh -c "echo 11 >$OPS/call")
		rc=$?
		if [ "$rc" -eq 4 ]; then
			skip "no event for functions in this kernel"
			return
		fi
		expect "$with: exit code" "$rc" 0
		expect "$with: events" "$perf_sum" 11
	done
	hold none
	need_two_cpus || { case_skip=''; return; }
	expect "crowded" "$("$TESTS/perf_function" "$FUNC" \
		"$TESTS/crowded" 1 sh -c "echo 1000 >$OPS/call")" 1000
}

run_cases profiler stack_tracer pid pid_option graph_function perf

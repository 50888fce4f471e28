#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The function graph tracer comes and goes on a function that others trace; and stack
# traces below functions that it traces, also of another task.

. "${0%/*}/lib.sh"

graph() {
	case $1 in
	on) write_to "$TRACING/current_tracer" function_graph ;;
	off) write_to "$TRACING/current_tracer" nop ;;
	esac
	echo >"$TRACING/trace"
}

traced() {
	grep -c " $FUNC \[ftrace_ops_test\]()" "$TRACING/trace"
}

# with WHAT COUNTER: WHAT is attached before, and afterwards
with() {
	need_graph || return
	hold "$1"
	calls 3
	expect "$1: alone" "$(hits "$2")" 3
	graph on
	calls 3
	expect "$1: with graph" "$(hits "$2")" 3
	expect "$1: graph itself" "$(traced)" 3
	graph off
	calls 3
	expect "$1: alone again" "$(hits "$2")" 3
	expect "$1: graph is off" "$(traced)" 0

	hold none
	graph on
	calls 3
	expect "graph alone" "$(traced)" 3
	hold "$1"
	echo >"$TRACING/trace"
	calls 3
	expect "$1: came second" "$(hits "$2")" 3
	expect "$1: graph came first" "$(traced)" 3
	hold none
	echo >"$TRACING/trace"
	calls 3
	expect "$1: graph stays" "$(traced)" 3
	graph off
}

case_ops() {
	with ops ops0
}

case_two_ops() {
	with "ops ops2" ops1
}

case_guarded() {
	with guarded ops2
}

case_regs() {
	with regs ops2
}

with_direct() {
	if have direct; then
		with "$1" direct
	else
		skip "no direct calls on this kernel"
	fi
}

case_direct() {
	with_direct direct
}

case_direct_far() {
	with_direct direct-far
}

case_direct_ops() {
	with_direct "direct ops"
}

case_legacy() {
	with_direct legacy
}

# Whose frame is not like that of other functions, for the unwinder to know
case_variadic() {
	# Stock powerpc does not find their callers while the graph tracer has hooked them.
	[ "$(uname -m)" != ppc64le ] || ! defect_of_base || return
	need_graph || return
	load ftrace_tracees || { fail "cannot load the module"; return; }
	variadic=/sys/module/ftrace_tracees/parameters/variadic
	write_to "$variadic" 1
	expect "callers found without graph" "$(cat "$variadic")" 5
	write_to "$TRACING/set_ftrace_filter" 'ftrace_variadic_*'
	graph on
	write_to "$variadic" 1
	# One that returns on another CPU than it was called on has its name there, too.
	expect "traced" "$(grep -c ' ftrace_variadic_[0-9] \[ftrace_tracees\]()' \
		"$TRACING/trace")" 5
	graph off
	expect "callers found" "$(cat "$variadic")" 10
	write_to "$TRACING/set_ftrace_filter" "$FUNC"
	unload ftrace_tracees || fail "cannot unload the module"
}

# The test of the filter, in which a task may be preempted while the hashes that it looks
# at are freed, is for kernels whose graph tracer is no ops. Only its symbol tells, other
# than chance. One next to it says that there are any.
case_filter_test() {
	! defect_of_base || return
	need_graph || return
	expect "symbols" "$(awk '$3 ~ /^(register_ftrace_graph|ftrace_graph_entry_test)$/ {
		printf " %s", $3 }' /proc/kallsyms)" " register_ftrace_graph"
}

# printed_stack PID: what the kernel prints of it, as for a task that hangs. Addresses
# that just are on the stack have a question mark, on x86; and powerpc has the trampoline
# of the graph tracer beside the address that was there.
printed_stack() {
	echo t >/proc/sysrq-trigger
	dmesg | sed -n "/ task:.* pid: *$1 /,/ task:/p" |
		sed -e '/ ? /d' -e 's/ return_to_handler+[^ ]*//'
}

proc_stack() {
	cat "/proc/$1/stack"
}

# sleeping SOURCE: set $stack to that of a task which sleeps, from proc_stack or
# printed_stack
sleeping() {
	sleep 1000 &
	sleeper=$!
	background "$sleeper"
	tries=0
	until grep -q ' hrtimer_nanosleep+' "/proc/$sleeper/stack"; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || break
		sleep 0.1
	done
	# Where the task was switched is not for certain, on powerpc.
	stack=$("$1" "$sleeper" | grep -o '[[:alnum:]_.]*+0x[0-9a-f]*/0x[0-9a-f]*' |
		sed -n '/^hrtimer_nanosleep+/,$p')
	end_background "$sleeper"
}

# same_stack SOURCE [FUNCTION]: this is from where functions were called, traced or not;
# who reads it calls FUNCTION
same_stack() {
	if [ ! -e /proc/self/stack ]; then
		skip "no stacks in /proc"
		return
	fi
	echo >"$TRACING/set_ftrace_filter"
	for function in hrtimer_nanosleep do_nanosleep '*sys_nanosleep*' \
			'*sys_clock_nanosleep*' 'common_nsleep*' ${2:-}; do
		# Not each kernel has all of them.
		echo "$function" 2>/dev/null >>"$TRACING/set_ftrace_filter"
	done
	sleeping "$1"
	want=$stack
	[ -n "$want" ] || fail "no stack from hrtimer_nanosleep"
	graph on
	sleeping "$1"
	for function in hrtimer_nanosleep ${2:-}; do
		grep -q " $function()" "$TRACING/trace" ||
			fail "$function is not traced"
	done
	graph off
	expect "stack" "$stack" "$want"
	write_to "$TRACING/set_ftrace_filter" "$FUNC"
}

# Who reads the stack is in a traced function as well, so has return addresses, too.
case_other_task() {
	! defect_of_base || return
	need_graph || return
	same_stack proc_stack proc_single_show
}

case_printed_task() {
	! defect_of_base || return
	need_graph || return
	if [ ! -w /proc/sysrq-trigger ]; then
		skip "no SysRq"
		return
	fi
	# Not all tasks on the console
	save /proc/sys/kernel/printk
	dmesg -n 1
	same_stack printed_stack write_sysrq_trigger
}

destructive "the trace buffer is cleared"
save "$TRACING/current_tracer" "$TRACING/set_ftrace_filter" "$TRACING/tracing_on"
load_ops_test || exit 1
write_to "$TRACING/set_ftrace_filter" "$FUNC"
write_to "$TRACING/tracing_on" 1
run_cases ops two_ops guarded regs direct direct_far direct_ops legacy variadic \
	filter_test other_task printed_task

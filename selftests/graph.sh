#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The function graph tracer comes and goes on a function that others trace; and stack
# traces below functions that it traces.

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
	need_graph || return
	load ftrace_tracees || { fail "cannot load the module"; return; }
	variadic=/sys/module/ftrace_tracees/parameters/variadic
	write_to "$variadic" 1
	expect "callers found without graph" "$(cat "$variadic")" 5
	write_to "$TRACING/set_ftrace_filter" 'ftrace_variadic_*'
	graph on
	write_to "$variadic" 1
	expect "traced" "$(grep -c ' ftrace_variadic_[0-9] ' "$TRACING/trace")" 5
	graph off
	expect "callers found" "$(cat "$variadic")" 10
	write_to "$TRACING/set_ftrace_filter" "$FUNC"
	unload ftrace_tracees || fail "cannot unload the module"
}

destructive "the trace buffer is cleared"
save "$TRACING/current_tracer" "$TRACING/set_ftrace_filter" "$TRACING/tracing_on"
load_ops_test || exit 1
write_to "$TRACING/set_ftrace_filter" "$FUNC"
write_to "$TRACING/tracing_on" 1
run_cases ops two_ops guarded regs direct direct_far direct_ops legacy variadic

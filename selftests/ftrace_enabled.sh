#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The sysctl kernel.ftrace_enabled switches all tracing off and on again.

. "${0%/*}/lib.sh"

# switch WHAT COUNTER: what is attached sees calls when enabled, only then
switch() {
	hold "$1"
	calls 3
	expect "$1: at first" "$(hits "$2")" 3
	write_to "$SYSCTL" 0
	calls 3
	expect "$1: switched off" "$(hits "$2")" 0
	write_to "$SYSCTL" 1
	calls 3
	expect "$1: on again" "$(hits "$2")" 3
	write_to "$SYSCTL" 0
	hold none
	calls 3
	write_to "$SYSCTL" 1
	calls 3
	expect "$1: detached while off" "$(hits "$2")" ""
	write_to "$SYSCTL" 0
	hold "$1"
	calls 3
	expect "$1: attached while off" "$(hits "$2")" 0
	write_to "$SYSCTL" 1
	calls 3
	expect "$1: on after that" "$(hits "$2")" 3
	hold none
}

case_ops() {
	switch ops ops0
}

case_two_ops() {
	switch "ops ops2" ops1
}

case_guarded() {
	switch guarded ops2
}

case_regs() {
	switch regs ops2
}

need_direct() {
	have direct || skip "no direct calls on this kernel"
}

case_direct() {
	need_direct
	[ -n "$case_skip" ] || switch direct direct
}

case_direct_far() {
	need_direct
	[ -n "$case_skip" ] || switch direct-far direct
}

case_direct_ops() {
	need_direct
	[ -n "$case_skip" ] || switch "direct ops" direct
}

# The ops of register_ftrace_direct() must not be switched off.
case_legacy() {
	need_direct
	[ -z "$case_skip" ] || return
	for legacy in legacy legacy-far; do
		hold "$legacy"
		if echo 0 2>/dev/null >"$SYSCTL"; then
			fail "$legacy: could be switched off"
		fi
		expect "$legacy: sysctl" "$(cat "$SYSCTL")" 1
		calls 3
		expect "$legacy: still on" "$(hits direct)" 3
	done
	hold none
}

# Who wanted all registers while tracing was off leaves nothing behind: not for the
# next one on the function, and not when there is none.
case_regs_left() {
	if [ "${REGRESSION:-0}" -ne 0 ]; then
		skip "a defect of 6.1"
		return
	fi
	for left_next in "$FUNC" ftrace_test_other; do
		hold none
		write_to "$SYSCTL" 0
		hold regs
		hold none
		write_to "$SYSCTL" 1
		mkdir "$INSTANCE" || { fail "mkdir"; return; }
		write_to "$INSTANCE/set_ftrace_filter" "$left_next"
		write_to "$INSTANCE/current_tracer" function
		! grep "^$FUNC .*([0-9]*) R" "$TRACING/enabled_functions" ||
			fail "still saves all registers"
		# Checks all functions if there is no other ops.
		write_to "$INSTANCE/current_tracer" nop
		rmdir "$INSTANCE" || fail "rmdir"
	done
}

# calls_of_module WHAT COUNT: what the instance has seen of one call of each
calls_of_module() {
	echo >"$INSTANCE/trace"
	echo 1 >/sys/module/ftrace_tracees/parameters/call
	expect "$1" "$(grep -c ': ftrace_tracee_' "$INSTANCE/trace")" "$2"
}

# A module that gets loaded meanwhile is not traced either, and its call sites
# have nothing to do with a tracer that goes away then.
case_module() {
	hold none
	mkdir "$INSTANCE" || fail "mkdir"
	# Everything but what is there by now.
	write_to "$INSTANCE/set_ftrace_notrace" '*'
	write_to "$INSTANCE/current_tracer" function
	for pass in 1 2; do
		write_to "$SYSCTL" 0
		load ftrace_tracees || { fail "cannot load"; break; }
		calls_of_module "$pass: off" 0
		write_to "$SYSCTL" 1
		calls_of_module "$pass: on" 64
		unload ftrace_tracees || { fail "cannot unload"; break; }
	done
	write_to "$SYSCTL" 0
	load ftrace_tracees || fail "cannot load"
	write_to "$INSTANCE/current_tracer" nop
	rmdir "$INSTANCE" || fail "rmdir"
	echo 1 >/sys/module/ftrace_tracees/parameters/call
	expect "good calls" "$(cat /sys/module/ftrace_tracees/parameters/call)" \
		64
	write_to "$SYSCTL" 1
	unload ftrace_tracees || fail "cannot unload"
}

INSTANCE=$TRACING/instances/ftrace_enabled
destructive "all tracing is turned off meanwhile"
own_instances ftrace_enabled
save "$SYSCTL"
load_ops_test || exit 1
trap '[ ! -d "$INSTANCE" ] || rmdir "$INSTANCE"; lib_cleanup' EXIT
run_cases ops two_ops guarded regs direct direct_far direct_ops legacy regs_left \
	module

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Several tracers on one function as tracefs makes and changes them: instances,
# pid filters, lists of functions not to trace, one that leaves after another.

. "${0%/*}/lib.sh"

# instance NAME FILE TEXT
instance() {
	write_to "$TRACING/instances/$1/$2" "$3"
}

# Lines in the trace of an instance which are calls of $FUNC
traced() {
	grep -c ": $FUNC .*<-" "$TRACING/instances/$1/trace"
}

# new NAME: an instance with the function tracer on $FUNC alone
new() {
	mkdir "$TRACING/instances/$1" || fail "mkdir instance $1"
	instance "$1" set_ftrace_filter "$FUNC"
	instance "$1" current_tracer function
}

remove() {
	for remove_name; do
		instance "$remove_name" current_tracer nop
		rmdir "$TRACING/instances/$remove_name" ||
			fail "rmdir instance $remove_name"
	done
}

# see WHAT OPS0 A B: call three times, and see how many get where
see() {
	echo >"$TRACING/instances/a/trace"
	echo >"$TRACING/instances/b/trace"
	calls 3
	expect "$1: ops" "$(hits ops0)" "$2"
	expect "$1: instance a" "$(traced a)" "$3"
	expect "$1: instance b" "$(traced b)" "$4"
}

case_instances() {
	hold ops
	new a
	new b
	see "all" 3 3 3
	instance a current_tracer nop
	see "without a" 3 0 3
	instance a current_tracer function
	see "a again" 3 3 3
	remove a b
	calls 3
	expect "alone" "$(hits ops0)" 3
}

# The callbacks of instances change under the call sites.
case_pids() {
	hold ops
	new a
	new b
	instance a set_ftrace_pid 1
	see "a wants process 1" 3 0 3
	instance b set_ftrace_notrace_pid $$
	see "b does not want this process" 3 0 0
	instance a set_ftrace_pid $$
	see "a wants this process" 3 3 0
	instance b set_ftrace_notrace_pid ''
	see "b wants all" 3 3 3
	instance a set_ftrace_pid ''
	see "all" 3 3 3
	remove a b
}

# Instances which trace everything but $FUNC, and $FUNC again.
case_notrace() {
	hold ops
	new a
	new b
	for pass in 1 2; do
		instance a set_ftrace_notrace "$FUNC"
		see "$pass: not a" 3 0 3
		instance b set_ftrace_notrace "$FUNC"
		see "$pass: neither" 3 0 0
		instance a set_ftrace_notrace ''
		see "$pass: not b" 3 3 0
		instance b set_ftrace_notrace ''
		see "$pass: both" 3 3 3
	done
	remove a b
}

# Off and on again, with changes between.
case_sysctl() {
	hold ops
	new a
	new b
	write_to "$SYSCTL" 0
	see "off" 0 0 0
	instance b set_ftrace_notrace "$FUNC"
	write_to "$SYSCTL" 1
	see "on without b" 3 3 0
	write_to "$SYSCTL" 0
	instance b set_ftrace_notrace ''
	instance a current_tracer nop
	write_to "$SYSCTL" 1
	see "on without a" 3 0 3
	remove a b
}

# The function profiler and the stack tracer are ops of the kernel image.
case_builtin() {
	hold ops
	new a
	new b
	if [ -e "$TRACING/function_profile_enabled" ]; then
		write_to "$TRACING/function_profile_enabled" 1
		see "profiler" 3 3 3
		write_to "$TRACING/function_profile_enabled" 0
	fi
	if [ -e /proc/sys/kernel/stack_tracer_enabled ]; then
		write_to /proc/sys/kernel/stack_tracer_enabled 1
		see "stack tracer" 3 3 3
		write_to /proc/sys/kernel/stack_tracer_enabled 0
	fi
	see "neither" 3 3 3
	remove a b
}

# What is called has to be in the module while that is there, and not later.
case_module() {
	hold none
	mkdir "$TRACING/instances/a" "$TRACING/instances/b" || fail "mkdir"
	load ftrace_tracees || { fail "cannot load the module"; return; }
	for pass in 1 2; do
		instance a set_ftrace_filter ':mod:ftrace_tracees'
		instance b set_ftrace_filter ':mod:ftrace_tracees'
		instance a current_tracer function
		instance b current_tracer function
		echo 1 >/sys/module/ftrace_tracees/parameters/call
		for name in a b; do
			expect "$pass: calls in $name" \
				"$(grep -c ': ftrace_tracee_' \
				"$TRACING/instances/$name/trace")" 64
		done
		unload ftrace_tracees || fail "cannot unload the module"
		load ftrace_tracees || { fail "cannot load the module"; break; }
		instance a current_tracer nop
		instance b current_tracer nop
	done
	unload ftrace_tracees
	rmdir "$TRACING/instances/a" "$TRACING/instances/b" || fail "rmdir"
}

# A direct call is one of several: enabled_functions names all of them.
case_direct() {
	if ! have direct; then
		skip "no direct calls on this kernel"
		return
	fi
	for direct in direct direct-far legacy; do
		hold "$direct" ops
		new a
		new b
		see "$direct" 3 3 3
		expect "$direct: hits" "$(hits direct)" 3
		[ "$sets" = no ] || expect "$direct: ops" "$(nr_ops)" 4
		instance a set_ftrace_notrace "$FUNC"
		see "$direct: not a" 3 0 3
		expect "$direct: hits, not a" "$(hits direct)" 3
		remove a b
	done
}

# nr_ops: how many ops the call site of $FUNC names; 0 if that is the list
nr_ops() {
	grep "^$FUNC \[" "$TRACING/enabled_functions" |
		sed -n -e '/ops: list/d' -e 's/.*	ops: //p' |
		grep -o ' (' | wc -l
}

# Without memory the call site calls the list of all ops, and says so. The next
# ops that comes or goes makes another attempt.
case_memory() {
	if ! echo "no-memory ops ops2" 2>/dev/null >"$OPS/hold"; then
		skip "no kprobe on should_failslab()"
		return
	fi
	expect "ops of the call site" "$(nr_ops)" 0
	see2 "without memory"
	new a
	[ "$sets" = no ] || expect "with memory again" "$(nr_ops)" 3
	see2 "with memory again"
	remove a
	[ "$sets" = no ] || expect "two are left" "$(nr_ops)" 2
	see2 "two are left"
}

# see2 WHAT: call three times, and see that both ops get that
see2() {
	calls 3
	expect "$1: first ops" "$(hits ops0)" 3
	expect "$1: second ops" "$(hits ops1)" 3
}

destructive "all tracing is turned off meanwhile"
own_instances a b
save "$SYSCTL"
save_if_there "$TRACING/function_profile_enabled" /proc/sys/kernel/stack_tracer_enabled
load_ops_test || exit 1
sets=no
! have ops_sets || sets=yes
note "call sites name several ops: $sets"
run_cases instances pids notrace sysctl builtin module direct memory

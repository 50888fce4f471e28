#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Commands for functions in set_ftrace_filter: what they do once or any number of
# times when a function is called, and that they can be taken away at any time.

. "${0%/*}/lib.sh"
. "${0%/*}/commands.inc"
. "${0%/*}/memory.inc"

# switches COMMAND FROM TO: it sets tracing_on to TO
switches() {
	add "$1"
	listed "$1" "$1:unlimited" yes
	for round in 1 2 3; do
		write_to "$ON" "$2"
		calls 2
		expect "$1: round $round" "$(cat "$ON")" "$3"
	done
	drop "$1"

	add "$1:2"
	listed "$1" "$1:count=2" yes
	for want in "$3" "$3" "$2"; do
		write_to "$ON" "$2"
		calls 2
		expect "$1: counted" "$(cat "$ON")" "$want"
	done
	listed "$1" "$1:count=0" yes
	drop "$1:0"
	write_to "$ON" "$2"
	calls 2
	expect "$1: removed" "$(cat "$ON")" "$2"
	write_to "$ON" 1
}

case_traceoff() {
	switches traceoff 1 0
}

case_traceon() {
	switches traceon 0 1
}

# The function tracer and others see the calls as well.
case_together() {
	mkdir "$INSTANCE" || { fail "mkdir"; return; }
	hold ops
	add traceoff:3
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	write_to "$INSTANCE/current_tracer" function
	calls 4
	expect "off" "$(cat "$ON")" 0
	expect "hits" "$(hits ops0)" 4
	expect "events" "$(grep -c ": $FUNC <-" "$INSTANCE/trace")" 4
	listed "once" "traceoff:count=2" yes
	write_to "$ON" 1
	write_to "$INSTANCE/current_tracer" nop
	rmdir "$INSTANCE" || fail "rmdir"
	drop traceoff:0
	hold none
}

# A part of the functions goes, the others keep what they have.
case_part() {
	add traceoff:2
	write_to "$FILTER" "$OTHER:traceoff:5"
	calls 1
	expect "first" "$(cat "$ON")" 0
	write_to "$ON" 1
	write_to "$FILTER" "!$OTHER:traceoff:0"
	! grep -q "^$OTHER " "$FILTER" || fail "$OTHER is still there"
	calls 1
	expect "second" "$(cat "$ON")" 0
	write_to "$ON" 1
	calls 1
	expect "third" "$(cat "$ON")" 1
	drop traceoff:0
}

case_snapshot() {
	if [ ! -e "$TRACING/snapshot" ]; then
		skip "no snapshots in this kernel"
		return
	fi
	for limit in '' :1; do
		add "snapshot$limit"
		echo 0 >"$TRACING/snapshot"
		echo 1 >"$TRACING/snapshot"
		echo >"$TRACING/trace"
		write_to "$TRACING/trace_marker" "commands: mark"
		calls 1
		expect "snapshot$limit" "$(markers "$TRACING/snapshot")" 1
		write_to "$TRACING/trace_marker" "commands: mark"
		write_to "$TRACING/trace_marker" "commands: mark"
		calls 1
		expect "snapshot$limit, again" "$(markers "$TRACING/snapshot")" \
			"$([ "$limit" ] && echo 1 || echo 2)"
		drop "snapshot${limit:+:0}"
	done
	echo 0 >"$TRACING/snapshot"
	echo >"$TRACING/trace"
}

# The traces of the stack start with the function itself.
case_stacktrace() {
	case $(uname -m) in
	riscv64|ppc64le)
		skip "how many frames are in front of the function differs here"
		return
		;;
	esac
	for limit in '' :2; do
		echo >"$TRACING/trace"
		add "stacktrace$limit"
		calls 3
		expect "stacktrace$limit" \
			"$(grep -c '<stack trace>' "$TRACING/trace")" \
			"$([ "$limit" ] && echo 2 || echo 3)"
		expect "stacktrace$limit: first function" \
			"$(grep -A 1 '<stack trace>' "$TRACING/trace" |
			   grep -c "=> $FUNC")" \
			"$([ "$limit" ] && echo 2 || echo 3)"
		drop "stacktrace${limit:+:0}"
	done
	echo >"$TRACING/trace"
}

# The marker stays in the buffer. Tracing is off after a dump.
case_dump() {
	echo >"$TRACING/trace"
	write_to "$TRACING/trace_marker" "commands: mark"
	begin=$(dumps)
	add dump:1
	calls 3
	expect "dump" "$(($(dumps) - begin))" 1
	listed "dump" "dump:count=0" yes
	write_to "$ON" 1
	drop dump:0
	echo >"$TRACING/trace"
}

case_enable_event() {
	event "at first" 0
	add enable_event:sched:sched_wakeup
	event "not called" '0*'
	calls 1
	event "called" '1*'
	drop enable_event:sched:sched_wakeup
	event "stays when the command is removed" 1
	write_to "$TRACING/$EVENT" 0

	add enable_event:sched:sched_wakeup:1
	add disable_event:sched:sched_wakeup:1
	calls 1
	listed "enabled or disabled" "able_event:sched:sched_wakeup:count=0" yes
	drop disable_event:sched:sched_wakeup:0
	drop enable_event:sched:sched_wakeup:0
	write_to "$TRACING/$EVENT" 0
	event "both removed" 0
}

# A command was added without memory. If it could do without, it is dropped.
add_failed() {
	event "allocation $memory_n failed" '0*'
	echo "!ftrace_test_sum*:$command" 2>/dev/null >"$FILTER" || :
}

# What cannot be added for lack of memory leaves the event to who has it.
case_memory() {
	! defect_of_base || return
	command=enable_event:sched:sched_wakeup
	write_to "$FILTER" "$OTHER:$command"
	event "one command" '0*'
	without_memory "add a command to two functions" \
		"echo 'ftrace_test_sum*:$command' >$FILTER" add_failed
	if [ -z "$case_skip" ]; then
		listed "with memory" "$command" yes
		write_to "$FILTER" "!ftrace_test_sum*:$command"
	fi
	event "the other command is left" '0*'
	write_to "$FILTER" "!$OTHER:$command"
	event "both removed" 0
}

# The commands on many functions, among them those which the commands need.
# No stacks of all functions with lockdep: 6.1 traces functions that an idle processor
# calls while RCU is not watching it, where unwinding warns.
case_all_functions() {
	for command in stacktrace:2 snapshot:1 traceon:3 enable_event:sched:sched_wakeup:2; do
		[ "$command" != stacktrace:2 ] || [ ! -e /proc/lockdep ] || continue
		[ "$command" != snapshot:1 ] || [ -e "$TRACING/snapshot" ] ||
			continue
		write_to "$FILTER" "*:$command"
		cat /proc/self/stat >/dev/null
		calls 2
		write_to "$FILTER" "!*:${command%:*}:0"
		! grep -q ":${command%%:*}" "$FILTER" ||
			fail "$command: still there"
	done
	[ ! -e "$TRACING/snapshot" ] || echo 0 >"$TRACING/snapshot"
	echo >"$TRACING/trace"
}

run_cases traceoff traceon together part snapshot stacktrace dump enable_event \
	memory all_functions

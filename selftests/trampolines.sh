#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trampolines which the kernel allocates for each ops if it is told to, with the
# parameter ftrace.trampolines.

. "${0%/*}/lib.sh"

PARAMETER=/sys/module/ftrace/parameters/trampolines
INSTANCE=$TRACING/instances/trampolines
# What holds on any kernel; the test of the call sites' ops does not.
TESTS_OPS='ops_pairs ops_three ops_filter ops_guard ops_ipmodify ops_args
	ops_random load_ops load_filter'

# switch VALUE
switch() {
	write_to "$PARAMETER" "$1"
	expect "parameter" "$(cat "$PARAMETER")" "$1"
}

# The line of $FUNC in enabled_functions
line_of() {
	grep "^$FUNC \[" "$TRACING/enabled_functions"
}

# has WHAT TEXT WANT: does the line have it?
has() {
	case $(line_of) in
	*"$2"*) has_got=yes ;;
	*) has_got=no ;;
	esac
	expect "$1: '$2' in '$(line_of)'" "$has_got" "$3"
}

# trampolines: how many there are
trampolines() {
	grep -c '__builtin__ftrace' /proc/kallsyms
}

# run_tests: those of the module, near and far functions
run_tests() {
	# What is held, even if that is nothing, keeps tests from running.
	if ! unload ftrace_ops_test ||
	   ! load_ops_test toggles="${TOGGLES:-60}"; then
		fail "cannot load the module again"
		return
	fi
	for run_name in $TESTS_OPS; do
		write_to "$OPS/run" "$run_name"
		if grep '^not ok' "$OPS/results"; then
			sed 's/^/# /' "$OPS/results"
			fail "$run_name"
		fi
	done
	expect "trampolines left" "$(trampolines)" 0
}

# Does $FUNC reach ops' callback, once per call?
counts() {
	calls 3
	expect "$1: hits" "$(hits ops0)" 3
}

case_parameter() {
	expect "default" "$(cat "$PARAMETER")" off
	for value in on far off; do
		switch "$value"
	done
	echo nonsense 2>/dev/null >"$PARAMETER" && fail "nonsense accepted"
	expect "after nonsense" "$(cat "$PARAMETER")" off
	hold ops
	has "off" "tramp: " no
	expect "trampolines" "$(trampolines)" 0
	counts "off"
	hold none
}

case_near() {
	switch on
	hold ops
	has "near" "tramp: " yes
	has "near" "ot_callback" yes
	expect "trampolines" "$(trampolines)" 1
	counts "near"
	hold none
	expect "line" "$(line_of)" ""
	expect "trampolines" "$(trampolines)" 0
}

# The call site calls the entry code, which finds the trampoline in the ops.
case_far() {
	switch far
	hold ops
	has "far" "tramp: " yes
	has "far" "	ops: " "$(have call_ops && echo yes || echo no)"
	counts "far"
	tramp=$(grep '__builtin__ftrace' /proc/kallsyms | cut -d' ' -f1)
	func=$(awk -v f="$FUNC" '$3 == f { print $1; exit }' /proc/kallsyms)
	away=$(distance "$func" "$tramp")
	note "trampoline $away bytes from $FUNC"
	[ "${away#-}" -gt 134217728 ] || fail "it is near"
	hold none
	expect "trampolines" "$(trampolines)" 0
}

# Ops that need the help of the kernel get it from the trampoline as well.
case_guarded() {
	for value in on far; do
		switch "$value"
		hold guarded
		has "$value" "tramp: " yes
		calls 3
		expect "$value: hits" "$(hits ops2)" 3
		hold none
	done
}

# Beside one that needs the help of the kernel, a tracer of all functions comes and goes.
case_guarded_all() {
	for value in on far; do
		switch "$value"
		hold guarded
		switch off
		mkdir "$INSTANCE" || fail "mkdir"
		write_to "$INSTANCE/tracing_on" 0
		write_to "$INSTANCE/current_tracer" function
		has "$value: both" "tramp: " no
		write_to "$INSTANCE/tracing_on" 1
		calls 3
		write_to "$INSTANCE/tracing_on" 0
		expect "$value: hits" "$(hits ops2)" 3
		expect "$value: events" \
			"$(grep -c ": $FUNC <-" "$INSTANCE/trace")" 3
		write_to "$INSTANCE/current_tracer" nop
		rmdir "$INSTANCE" || fail "rmdir"
		has "$value: alone again" "tramp: " yes
		hold none
	done
}

case_registers() {
	switch on
	hold regs
	has "registers" "tramp: " no
	calls 3
	expect "hits" "$(hits ops2)" 3
	hold none
}

case_two() {
	for value in on far; do
		switch "$value"
		hold ops ops2
		has "$value" "tramp: " no
		calls 3
		expect "$value: hits of the first" "$(hits ops0)" 3
		expect "$value: hits of the second" "$(hits ops1)" 3
		hold none
	done
}

# One with a trampoline, then the function tracer of an instance, which gets one
# as well; either goes first.
case_tracer() {
	for value in on far; do
		switch "$value"
		hold ops
		mkdir "$INSTANCE" || fail "mkdir"
		write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
		write_to "$INSTANCE/current_tracer" function
		has "$value: both" "tramp: " no
		counts "$value: both"
		expect "$value: events" "$(grep -c "$FUNC" "$INSTANCE/trace")" 3
		hold none
		has "$value: the tracer alone" "tramp: " yes
		echo >"$INSTANCE/trace"
		write_to "$OPS/call" 5
		expect "$value: events, alone" \
			"$(grep -c "$FUNC" "$INSTANCE/trace")" 5
		# Its function changes while the trampoline is in use.
		write_to "$INSTANCE/set_ftrace_pid" 1
		echo >"$INSTANCE/trace"
		write_to "$OPS/call" 5
		expect "$value: events of another task" \
			"$(grep -c "$FUNC" "$INSTANCE/trace")" 0
		echo >"$INSTANCE/set_ftrace_pid"
		write_to "$OPS/call" 5
		expect "$value: events of all tasks" \
			"$(grep -c "$FUNC" "$INSTANCE/trace")" 5
		write_to "$INSTANCE/current_tracer" nop
		rmdir "$INSTANCE" || fail "rmdir"
		expect "$value: trampolines" "$(trampolines)" 0
	done
}

# Two tracers of all functions, from before trampolines were asked for. A trampoline that
# the first one got now would know nothing of the second one.
case_late() {
	switch off
	hold none
	for i in 1 2; do
		mkdir "$INSTANCE$i" || fail "mkdir"
		write_to "$INSTANCE$i/tracing_on" 0
		# All calls of all tasks, on a slow machine with every kind of debugging
		write_to "$INSTANCE$i/buffer_size_kb" 16384
		write_to "$INSTANCE$i/current_tracer" function
	done
	switch on
	for pid in $$ 1; do
		write_to "${INSTANCE}1/set_ftrace_pid" "$pid"
		for i in 1 2; do
			echo >"$INSTANCE$i/trace"
			write_to "$INSTANCE$i/tracing_on" 1
		done
		calls 3
		for i in 2 1; do
			write_to "$INSTANCE$i/tracing_on" 0
		done
		late_want=3
		[ "$pid" != 1 ] || late_want=0
		expect "task $pid: first" \
			"$(grep -c ": $FUNC <-" "${INSTANCE}1/trace")" "$late_want"
		expect "task $pid: second" \
			"$(grep -c ": $FUNC <-" "${INSTANCE}2/trace")" 3
	done
	expect "trampolines" "$(trampolines)" 0
	for i in 1 2; do
		write_to "$INSTANCE$i/current_tracer" nop
		rmdir "$INSTANCE$i" || fail "rmdir"
	done
}

case_tests_near() {
	switch on
	run_tests
}

case_tests_far() {
	switch far
	run_tests
}

if [ ! -e "$PARAMETER" ]; then
	ktap_plan 1
	ktap_result "ok 1 trampolines # SKIP the kernel allocates none"
	ktap_exit
fi
load_ops_test toggles="${TOGGLES:-60}" || exit 1
own_instances trampolines trampolines1 trampolines2
save "$PARAMETER"
run_cases parameter near far guarded guarded_all registers two tracer late tests_near tests_far

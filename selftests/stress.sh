#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Everything at once: tests of the module, which count every call of their
# tracees, while others load and unload modules, trace everything, change
# filters, set kprobes, attach BPF programs, and take processors off line.
# --toggles makes it longer: there are at least 20 times as many changes. What is
# chosen at random comes from the seed, which the first line of the output tells:
# SEED=N repeats it as far as the timing does.

. "${0%/*}/lib.sh"

SEED=${SEED:-$(($(date +%s) % 32768))}
CHANGES=$((${TOGGLES:-60} * 20))
TOGGLES_OF_A_TEST=10
CALL=/sys/module/ftrace_tracees/parameters/call
CPU=/sys/devices/system/cpu/cpu1/online
INSTANCE=$TRACING/instances/stress
# Of the module's tests those which only count, by turns.
TESTS_UNDER_LOAD='sets_random.near load_random.far ops_random.near'
DIRECT_UNDER_LOAD='direct_random.far load_random.near load_modify.far'

# One step of each worker.
#
# Modules with tracees come, are called right and go.
step_modules() {
	insmod "$TESTS/ftrace_tracees.ko" || { fail "insmod"; return; }
	random 3
	[ "$r" -eq 0 ] || {
		echo 3 >"$CALL"
		expect "good calls of a module" "$(cat "$CALL")" 192
	}
	rmmod ftrace_tracees || fail "rmmod"
}

# Not all functions of the kernel: an emulator takes minutes to change these while
# they are being used.
step_tracer() {
	write_to "$TRACING/current_tracer" nop
	pick 'vfs_*' '*_read*' 'ftrace_test_*' "$FUNC"
	write_to "$TRACING/set_ftrace_filter" "$picked"
	case $picked in
	# The graph tracer changes the return address that the tests compare.
	ftrace_*) pick nop function ;;
	*)
		# shellcheck disable=SC2086	# words
		pick nop function $graph
		;;
	esac
	write_to "$TRACING/current_tracer" "$picked"
}

step_instance() {
	pick 'vfs_*' '*_write*' 'ftrace_test_*' "$FUNC"
	write_to "$INSTANCE/set_ftrace_filter" "$picked"
	pick nop function function
	write_to "$INSTANCE/current_tracer" "$picked"
	pick '' $$ 1
	write_to "$INSTANCE/set_ftrace_pid" "$picked"
	pick '' "$FUNC" 'vfs_read*'
	write_to "$INSTANCE/set_ftrace_notrace" "$picked"
}

step_kprobes() {
	pick ksys_read ksys_write do_sys_openat2
	add_to "$TRACING/kprobe_events" "p:ftrace_stress/entry $picked"
	add_to "$TRACING/kprobe_events" "r:ftrace_stress/return $picked"
	write_to "$TRACING/events/ftrace_stress/enable" 1
	cat /proc/self/stat >/dev/null
	remove_events ftrace_stress || fail "cannot remove the kprobes"
}

# These check hits and arguments of their own.
step_bpf() {
	pick fentry fexit fentry_fexit fmod_ret helpers freplace
	"$TESTS/bpf_runner" -v --test "$picked" >"$lib_tmp/bpf" 2>&1 || {
		fail "bpf_runner --test $picked"
		sed 's/^/# /' "$lib_tmp/bpf"
	}
}

step_cpu() {
	write_to "$CPU" 0
	random 3
	sleep "$r"
	write_to "$CPU" 1
	random 3
	sleep "$r"
}

# changes_of NAME: to what is traced, or could be, by a step of a worker, at least
changes_of() {
	case $1 in
	instance|kprobes) echo 4 ;;
	*) echo 2 ;;
	esac
}

# worker NAME SEED: its steps, until there is the file "stop"
worker() {
	seed=$2
	steps=0
	# Without the folder whoever started this is gone.
	while [ -d "$lib_tmp" ] && [ ! -e "$lib_tmp/stop" ] && [ "$case_failed" -eq 0 ]; do
		"step_$1"
		steps=$((steps + 1))
		# Whoever reads it meanwhile finds the old or the new one.
		echo "$steps $case_failed" >"$lib_tmp/new-$1"
		mv "$lib_tmp/new-$1" "$lib_tmp/worker-$1"
	done
}

# count_changes WORKER...: set $changes to those of all tests and steps so far
count_changes() {
	changes=$((stress_tests * TOGGLES_OF_A_TEST))
	for stress_name; do
		read -r stress_steps _ <"$lib_tmp/worker-$stress_name"
		changes=$((changes + stress_steps * $(changes_of "$stress_name")))
	done
}

# The tests of the module once more, with another seed.
round() {
	echo $((SEED + $1)) >/sys/module/ftrace_ops_test/parameters/seed
	for round_test in $tests; do
		echo "$round_test" >"$OPS/run"
		cat "$OPS/results" >>"$lib_tmp/results"
	done
}

# anything_failed: of the workers' steps and the module's tests so far?
anything_failed() {
	grep -q '^not ok' "$lib_tmp/results" ||
		grep -q ' 1$' "$lib_tmp"/worker-*
}

# stress WORKER...: the module's tests beside these workers
stress() {
	rm -f "$lib_tmp/stop"
	: >"$lib_tmp/results"
	stress_seed=$SEED
	for stress_name; do
		stress_seed=$((stress_seed + 1000))
		echo "0 0" >"$lib_tmp/worker-$stress_name"
		worker "$stress_name" "$stress_seed" &
		echo $! >>"$lib_tmp/workers"
	done
	stress_round=0
	changes=0
	while [ "$changes" -lt "$CHANGES" ] && ! anything_failed; do
		round "$stress_round"
		stress_round=$((stress_round + 1))
		stress_tests=$((stress_round * $(echo "$tests" | wc -w)))
		count_changes "$@"
	done
	touch "$lib_tmp/stop"
	wait
	count_changes "$@"
	for stress_name; do
		read -r stress_steps stress_failed <"$lib_tmp/worker-$stress_name"
		note "$case_name: $stress_steps steps of $stress_name"
		[ "$stress_steps" -gt 0 ] || fail "no step of $stress_name"
		[ "$stress_failed" -eq 0 ] || fail "$stress_name"
	done
	note "$case_name: $(sed -n 's/.*: \([0-9]*\) calls under load/\1/p' \
		"$lib_tmp/results" | awk '{ n += $1 } END { print n }')" \
		"calls under load, $changes changes"
	expect "passed tests" "$(grep -c '^ok' "$lib_tmp/results")" \
		"$stress_tests"
	! grep '^not ok' "$lib_tmp/results" || {
		grep '^# ' "$lib_tmp/results"
		fail "tests of the module failed"
	}
}

case_all() {
	! is_loaded ftrace_tracees || { skip "ftrace_tracees is loaded"; return; }
	# A worker loads it, and may be killed.
	echo ftrace_tracees >>"$lib_tmp/loaded"
	workers='modules tracer instance kprobes'
	if have direct; then
		"$TESTS/bpf_runner" --test fentry >/dev/null 2>&1
		if [ $? -eq 4 ]; then
			note "no BPF programs to attach"
		else
			workers="$workers bpf"
		fi
	fi
	if [ -w "$CPU" ]; then
		workers="$workers cpu"
	else
		note "no processor that can go off line"
	fi
	# shellcheck disable=SC2086	# words
	stress $workers
}

note "SEED=$SEED"
destructive "processors go off line"
own_instances stress
own_events ftrace_stress
[ ! -w "$CPU" ] || save "$CPU"
# Put back in reverse: first no tracer, then no filter.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
load_ops_test toggles=$TOGGLES_OF_A_TEST || exit 1
tests=$TESTS_UNDER_LOAD
graph=''
if need_graph; then
	graph=function_graph
else
	note "$case_skip"
fi
! have direct || tests="$tests $DIRECT_UNDER_LOAD"
mkdir "$INSTANCE" || exit 1
run_cases all

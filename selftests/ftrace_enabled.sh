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
	! defect_of_base || return
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
	! defect_of_base || return
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

# What comes and goes in the random test
step_tracer() {
	pick a b
	tracer_of=$INSTANCE-$picked
	pick 'vfs_*' 'tcp_*' "$FUNC" 'ftrace_test_*' 'vfs_*read* vfs_*write*' \
		'ftrace_tracee_*' '*_read*'
	# Changes the filter of a tracer that is on, or of one that is not.
	echo "$picked" 2>/dev/null >"$tracer_of/set_ftrace_filter"
	pick '' '' "$FUNC" 'vfs_read*'
	write_to "$tracer_of/set_ftrace_notrace" "$picked"
	pick function function nop
	write_to "$tracer_of/current_tracer" "$picked"
}

# The callers have the module most of the time.
step_hold() {
	pick none ops "ops ops2" guarded regs regs-left "ops ops2 regs" \
		direct "direct ops"
	for hold_try in $(seq 1000); do
		! echo "$picked" 2>/dev/null >"$OPS/hold" || return 0
	done
	fail "cannot hold '$picked', $hold_try times"
}

# soon_hit NAME: is this kprobe called? Only for what the callers do.
soon_hit() {
	hit_tries=100
	until awk -v name="$1" '$1 == name { hits = $2 } END { exit !hits }' \
		"$TRACING/kprobe_profile"
	do
		hit_tries=$((hit_tries - 1))
		[ "$hit_tries" -gt 0 ] || return
		sleep 0.1
	done
}

# Names of functions that no other one has
functions_for_kprobes() {
	awk 'NR == FNR { known[$1] += NF == 1 && /^(vfs|seq)_[a-z_]*$/; next }
		known[$3] == 1 { seen[$3]++ }
		END { for (name in seen) if (seen[name] == 1) print name }' \
		"$TRACING/available_filter_functions" /proc/kallsyms | sort | head -n 40
}

# All kprobes share an ops. The first of them is registered with it, and the last one
# unregistered; those in between come to its filter, or leave it, one by one.
step_kprobe() {
	random 12
	if [ "$r" -eq 0 ]; then
		remove_events ftrace_enabled || fail "cannot remove the kprobes"
		kprobes_on=0
		return
	fi
	# shellcheck disable=SC2086	# words
	pick "$FUNC" "$FUNC" vfs_read vfs_read $kprobe_functions
	kprobe_event=$TRACING/events/ftrace_enabled/$picked
	if [ -d "$kprobe_event" ]; then
		write_to "$kprobe_event/enable" 0
		add_to "$TRACING/kprobe_events" "-:ftrace_enabled/$picked"
		kprobes_on=$((kprobes_on - 1))
	else
		add_to "$TRACING/kprobe_events" "p:ftrace_enabled/$picked $picked"
		write_to "$kprobe_event/enable" 1
		kprobes_on=$((kprobes_on + 1))
		case $picked:$(cat "$SYSCTL") in
		"$FUNC:1"|vfs_read:1)
			soon_hit "$picked" || fail "$picked: no hits" ;;
		esac
	fi
	[ "$kprobes_on" -lt 2 ] || kprobes_in_place=$((kprobes_in_place + 1))
}

step_module() {
	if is_loaded ftrace_tracees; then
		unload ftrace_tracees || fail "cannot unload"
	else
		load ftrace_tracees || fail "cannot load"
	fi
}

step_sysctl() {
	write_to "$SYSCTL" $((1 - $(cat "$SYSCTL")))
}

# Calls what is traced until the test ends: $FUNC, and functions that read.
callers() {
	while [ -d "$lib_tmp" ]; do
		# Somebody may have the module.
		echo 20 >"$OPS/call"
		while read -r caller_what caller_number; do
			[ "$caller_what" != wrong ] || [ "$caller_number" -eq 0 ] ||
				echo "$caller_number" >>"$lib_tmp/wrong"
		done <"$OPS/hits"
		sleep 0.01
	done 2>/dev/null
}

# An update visits only what has changed since the last one. When all records are
# visited, as when tracing is turned off and on, nothing may be left to do: as many
# functions are traced, by the same ops. Functions are called meanwhile.
case_random() {
	have direct || {
		skip "each update visits all records on this kernel"
		return
	}
	seed=${SEED:-1}
	random_steps=$((${TOGGLES:-60} * 4))
	kprobe_functions=$(functions_for_kprobes)
	kprobes_on=0
	kprobes_in_place=0
	hold none
	: >"$lib_tmp/wrong"
	callers &
	random_callers=$!
	background "$random_callers"
	mkdir "$INSTANCE-a" "$INSTANCE-b" || { fail "mkdir"; return; }
	for random_step in $(seq "$random_steps"); do
		pick tracer tracer tracer hold hold kprobe kprobe kprobe module sysctl
		random_what="$random_step, $picked"
		"step_$picked"
		[ "$(cat "$SYSCTL")" -eq 1 ] || continue
		cat "$TRACING/enabled_functions" >"$lib_tmp/some"
		write_to "$SYSCTL" 0
		expect "step $random_what: traced while off" \
			"$(wc -l <"$TRACING/enabled_functions")" 0
		write_to "$SYSCTL" 1
		cat "$TRACING/enabled_functions" >"$lib_tmp/all"
		cmp -s "$lib_tmp/some" "$lib_tmp/all" || {
			fail "step $random_what: an update was missing"
			diff "$lib_tmp/some" "$lib_tmp/all" | head -n 20 |
				sed 's/^/# /'
		}
		[ "$case_failed" -eq 0 ] || break
	done
	note "SEED=${SEED:-1}, $random_step steps, $kprobes_in_place in place"
	[ "$kprobes_in_place" -gt 0 ] || fail "nothing was changed in place"
	end_background "$random_callers"
	expect "wrong return values" "$(cat "$lib_tmp/wrong")" ""
	write_to "$SYSCTL" 1
	hold none
	remove_events ftrace_enabled
	! is_loaded ftrace_tracees || unload ftrace_tracees
	for random_name in a b; do
		write_to "$INSTANCE-$random_name/current_tracer" nop
		rmdir "$INSTANCE-$random_name" || fail "rmdir"
	done
	expect "traced in the end" "$(cat "$TRACING/enabled_functions")" ""
}

INSTANCE=$TRACING/instances/ftrace_enabled
destructive "all tracing is turned off meanwhile"
own_instances ftrace_enabled ftrace_enabled-a ftrace_enabled-b
own_events ftrace_enabled
save "$SYSCTL"
load_ops_test || exit 1
run_cases ops two_ops guarded regs direct direct_far direct_ops legacy regs_left \
	module random

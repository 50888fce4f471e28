#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Commands for functions in set_ftrace_filter, while callers are preempted by a
# real-time task or get called on another processor meanwhile.

. "${0%/*}/lib.sh"
. "${0%/*}/commands.inc"

# Each call counts once, and no call is lost, when the caller is preempted in between.
# 40 calls make it even for those that swap something.
case_crowded() {
	need_two_cpus || return
	for limit in '' :30; do
		echo >"$TRACING/trace"
		add "stacktrace$limit"
		crowded_calls 2
		expect "stacktrace$limit" \
			"$(grep -c '<stack trace>' "$TRACING/trace")" \
			"$([ "$limit" ] && echo 30 || echo 40)"
		drop "stacktrace${limit:+:0}"
		echo >"$TRACING/trace"
	done

	if [ -e "$TRACING/snapshot" ]; then
		for limit in '' :29; do
			add "snapshot$limit"
			echo 1 >"$TRACING/snapshot"
			echo >"$TRACING/trace"
			write_to "$TRACING/trace_marker" "commands: mark"
			crowded_calls 2
			expect "snapshot$limit" \
				"$(markers "$TRACING/snapshot")" \
				"$([ "$limit" ] && echo 1 || echo 0)"
			drop "snapshot${limit:+:0}"
			echo 0 >"$TRACING/snapshot"
			echo >"$TRACING/trace"
		done
	fi

	write_to "$TRACING/trace_marker" "commands: mark"
	begin=$(dumps)
	add dump
	crowded_calls 2
	expect "dump" "$(($(dumps) - begin))" 1
	write_to "$ON" 1
	drop dump:0
	echo >"$TRACING/trace"

	for limit in '' :1; do
		add "enable_event:sched:sched_wakeup$limit"
		crowded_calls 2
		event "enable_event$limit" '1*'
		drop "enable_event:sched:sched_wakeup${limit:+:0}"
		write_to "$TRACING/$EVENT" 0
	done
	# Each has the other one's state to change, until no call is left.
	add enable_event:sched:sched_wakeup:7 disable_event:sched:sched_wakeup:7
	crowded_calls 2
	listed "enabled" ":enable_event:sched:sched_wakeup:count=0" yes
	listed "disabled" ":disable_event:sched:sched_wakeup:count=0" yes
	event "as often enabled as disabled" '0*'
	drop disable_event:sched:sched_wakeup:0
	drop enable_event:sched:sched_wakeup:0
	write_to "$TRACING/$EVENT" 0
}

# reset_effect COMMAND, has_effect COMMAND: what it does is undone, or there again
reset_effect() {
	case $1 in
	traceon*) write_to "$ON" 0 ;;
	*) write_to "$ON" 1 ;;
	esac
	case $1 in
	stacktrace*) echo >"$TRACING/trace" ;;
	snapshot*)
		echo 2 >"$TRACING/snapshot"
		echo >"$TRACING/trace"
		write_to "$TRACING/trace_marker" "commands: mark"
		;;
	disable_event*) write_to "$TRACING/$EVENT" 0 ;;
	esac
}

has_effect() {
	case $1 in
	traceon*) grep -q 1 "$ON" ;;
	traceoff*|dump*) grep -q 0 "$ON" ;;
	stacktrace*) grep -q '<stack trace>' "$TRACING/trace" ;;
	snapshot*) [ "$(markers "$TRACING/snapshot")" -ne 0 ] ;;
	disable_event*) grep -q -F '*' "$TRACING/$EVENT" ;;
	esac
}

# The crowd may have to wait for a processor before it calls the function.
soon_has_effect() {
	for _ in $(seq 100); do
		sleep 0.4
		! has_effect "$1" || return 0
	done
	return 1
}

# Once a command is taken away it has no effect any more, even if somebody was on the
# way to it and had no processor. It stays for another function, so its ops does.
case_removed() {
	need_two_cpus || return
	mkdir "$INSTANCE" || { fail "mkdir"; return; }
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	[ ! -e "$TRACING/snapshot" ] || echo 1 >"$TRACING/snapshot"
	start_crowd
	for command in traceon traceoff traceoff:99999 stacktrace stacktrace:99999 \
		snapshot snapshot:99999 dump:1 disable_event:sched:sched_wakeup \
		disable_event:sched:sched_wakeup:99999; do
		[ "${command%:*}" != snapshot ] || [ -e "$TRACING/snapshot" ] ||
			continue
		what=$(echo "$command" | sed 's/:[0-9]*$/:0/')
		# An event that somebody has a command for shows that.
		other=$(echo "$OTHER:$command" | sed 's/sched_wakeup/sched_switch/')
		write_to "$FILTER" "$other"
		# Newer, so it is called first
		write_to "$INSTANCE/current_tracer" function
		reset_effect "$command"
		add "$command"
		case $command in
		snapshot*) sleep 0.4 ;;
		*) soon_has_effect "$command" || fail "$command: no effect" ;;
		esac
		drop "$what"
		reset_effect "$command"
		sleep 0.7
		! has_effect "$command" || fail "$command: called when removed"
		write_to "$INSTANCE/current_tracer" nop
		write_to "$FILTER" "!$(echo "$other" | sed 's/:[0-9]*$/:0/')"
	done
	stop_crowd
	rmdir "$INSTANCE" || fail "rmdir"
	[ ! -e "$TRACING/snapshot" ] || echo 0 >"$TRACING/snapshot"
	write_to "$ON" 1
	echo >"$TRACING/trace"
}

# Called by many while it comes and goes, which needs no memory of those who are
# on their way to it. The newer ops is called first, so the probe comes before.
# A task is preempted between the two, until the counter has been removed.
case_load() {
	need_two_cpus || return
	mkdir "$INSTANCE" || { fail "mkdir"; return; }
	write_to "$FILTER" "$OTHER:traceon:9"
	add traceon:9
	write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
	write_to "$INSTANCE/current_tracer" function
	start_crowd
	end=$(($(date +%s) + LOAD_SECONDS))
	changes=0
	while [ "$(date +%s)" -lt "$end" ]; do
		write_to "$FILTER" "!$FUNC:traceon:0"
		write_to "$FILTER" "$FUNC:traceon:9"
		changes=$((changes + 1))
	done
	stop_crowd
	note "$changes changes"
	[ "$changes" -gt 0 ] || fail "no change"
	write_to "$INSTANCE/current_tracer" nop
	rmdir "$INSTANCE" || fail "rmdir"
	drop traceon:0
	write_to "$FILTER" "!$OTHER:traceon:0"
}

run_cases crowded removed load

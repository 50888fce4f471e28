# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034
#
# What the shell tests share. Source it, define functions case_<name>, and end
# with "run_cases <name>...".
#
# Within a case: "expect what got want" and "fail text" fail it, "skip reason"
# and a return skip it.
#
# The machine may be somebody's. "save file..." has files of tracefs and sysctl put
# back when the test ends, "load module" has it unloaded, "own_instances name..." and
# "own_events group" have these removed, "background pid" has it ended; also when the
# test is killed. What cannot be put back, as what is in the kernel's own trace
# buffer, is for scripts that say "destructive what".

TESTS=$(cd "$(dirname "$0")" && pwd)
TRACING=/sys/kernel/tracing
# The files of the module ftrace_ops_test.
OPS=/sys/kernel/debug/ftrace_ops_test
# The function that is traced in most tests.
FUNC=ftrace_test_sum2
SYSCTL=/proc/sys/kernel/ftrace_enabled

# The script's arguments: what run_cases is to run
wanted=$*
case_name=''
case_failed=0
case_skip=''
# What is to be put back is in files here: who does that may not be who did it.
lib_tmp=$(mktemp -d)
for lib_file in saved loaded instances events pids workers; do
	: >"$lib_tmp/$lib_file"
done

note() {
	echo "# $*"
}

fail() {
	echo "# $case_name: $*"
	case_failed=1
}

skip() {
	case_skip=$*
}

# expect WHAT GOT WANT
expect() {
	[ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
}

# write_to FILE TEXT...: fails the case when the kernel refuses
write_to() {
	write_file=$1
	shift
	echo "$*" 2>/dev/null >"$write_file" ||
		fail "cannot write '$*' to $write_file"
}

# add_to FILE TEXT...: to a file that is a list
add_to() {
	add_file=$1
	shift
	echo "$*" 2>/dev/null >>"$add_file" ||
		fail "cannot add '$*' to $add_file"
}

# in_vm: is this a virtual machine?
in_vm() {
	if command -v systemd-detect-virt >/dev/null; then
		systemd-detect-virt -q --vm
	else
		grep -q '^flags.* hypervisor' /proc/cpuinfo ||
			grep -q -a -E 'linux,dummy-virt|virtio|qemu' \
				/proc/device-tree/compatible 2>/dev/null ||
			[ -e /proc/device-tree/hypervisor ]
	fi
}

# may_destroy: was that asked for, or is this nobody's machine?
may_destroy() {
	[ "${DESTRUCTIVE:-0}" -eq 1 ] || in_vm
}

# destructive WHAT: skips the script unless that may be
destructive() {
	may_destroy && return
	echo "KTAP version 1"
	echo "1..0 # SKIP $1; for virtual machines, or with --destructive"
	exit 4
}

# save FILE...
save() {
	for save_file; do
		save_key=$(echo "$save_file" | tr / _)
		[ ! -e "$lib_tmp/$save_key" ] || continue
		# Lines like "#### all functions enabled ####" are no value,
		# and of "7 (expanded: 1408)" the buffer gets the second.
		sed -e '/^#/d' -e 's/^[0-9]* (expanded: \([0-9]*\))/\1/' \
			"$save_file" >"$lib_tmp/$save_key"
		echo "$save_file" >>"$lib_tmp/saved"
	done
}

# The last one first
restore() {
	sed '1!G;h;$!d' "$lib_tmp/saved" | while read -r restore_file; do
		restore_key=$(echo "$restore_file" | tr / _)
		if [ -s "$lib_tmp/$restore_key" ]; then
			cat "$lib_tmp/$restore_key" >"$restore_file"
		else
			echo >"$restore_file"
		fi 2>/dev/null || echo "# cannot restore $restore_file"
		rm -f "$lib_tmp/$restore_key"
	done
	: >"$lib_tmp/saved"
}

# own_instances NAME...: of tracefs; somebody else's of this name is left alone
own_instances() {
	for own_name; do
		[ ! -e "$TRACING/instances/$own_name" ] || {
			echo "${0##*/}: there is an instance $own_name" >&2
			exit 1
		}
		echo "$own_name" >>"$lib_tmp/instances"
	done
}

remove_instances() {
	while read -r remove_instance; do
		remove_instance=$TRACING/instances/$remove_instance
		[ -d "$remove_instance" ] || continue
		echo nop >"$remove_instance/current_tracer"
		rmdir "$remove_instance"
	done <"$lib_tmp/instances"
}

# own_events GROUP: of kprobes
own_events() {
	echo "$1" >>"$lib_tmp/events"
}

# remove_events GROUP: all of its kprobes, and no others
remove_events() {
	[ -d "$TRACING/events/$1" ] || return 0
	echo 0 >"$TRACING/events/$1/enable"
	sed -n "s,^[pr][0-9]*:\($1/[^ ]*\) .*,-:\1,p" "$TRACING/kprobe_events" \
		>"$lib_tmp/removed"
	while read -r remove_event; do
		echo "$remove_event" >>"$TRACING/kprobe_events" || return
	done <"$lib_tmp/removed"
}

# background PID...: has these ended
background() {
	for background_pid; do
		echo "$background_pid" >>"$lib_tmp/pids"
	done
}

# is_loaded MODULE
is_loaded() {
	grep -q "^$(echo "$1" | tr - _) " /proc/modules
}

# has_module MODULE: is it among the modules of the kernel?
has_module() {
	find "/lib/modules/$(uname -r)" -name "$1.ko*" | grep -q .
}

# load MODULE [PARAMETER...]: from the folder of the tests, else the kernel's
load() {
	load_name=$1
	shift
	if [ -e "$TESTS/$load_name.ko" ]; then
		insmod "$TESTS/$load_name.ko" "$@" || return 1
	else
		modprobe "$load_name" "$@" || return 1
	fi
	echo "$load_name" >>"$lib_tmp/loaded"
}

# unload MODULE
unload() {
	rmmod "$1" || return 1
	grep -vx "$1" "$lib_tmp/loaded" >"$lib_tmp/left"
	mv "$lib_tmp/left" "$lib_tmp/loaded"
}

# load_ops_test [PARAMETER...]
load_ops_test() {
	is_loaded ftrace_ops_test_far || load ftrace_ops_test_far || return 1
	load ftrace_ops_test "$@"
}

# have FEATURE: does the kernel have it? Needs ftrace_ops_test.
have() {
	grep -qx "$1" "$OPS/features"
}

# need_graph: skips the case where there is no function graph
need_graph() {
	grep -qw function_graph "$TRACING/available_tracers" || {
		skip "no function graph in this kernel"
		return 1
	}
}

# hold WHAT...: attach this to $FUNC, and nothing else
hold() {
	write_to "$OPS/hold" "$*"
}

# calls N: call $FUNC so many times
calls() {
	write_to "$OPS/call" "$1"
	expect "wrong return values" "$(hits wrong)" 0
}

# hits WHAT: how many of them WHAT has seen
hits() {
	awk -v what="$1" '$1 == what { print $2 }' "$OPS/hits"
}

# A distance in bytes; shell arithmetic has 64 bits.
distance_to_kernel() {
	distance_text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
	distance_func=$(awk -v f="$1" '$3 == f { print $1; exit }' /proc/kallsyms)
	[ -n "$distance_func" ] || return 0
	note "$1 is $((0x$distance_func - 0x$distance_text)) bytes from _text"
}

lib_cleanup() {
	trap '' INT TERM
	[ ! -e "$lib_tmp/guard" ] || kill "$(cat "$lib_tmp/guard")"
	touch "$lib_tmp/stop"
	while read -r cleanup_pid; do
		kill "$cleanup_pid" 2>/dev/null
	done <"$lib_tmp/pids"
	wait
	[ ! -e "$OPS/hold" ] || echo none >"$OPS/hold"
	restore
	while read -r cleanup_group; do
		remove_events "$cleanup_group"
	done <"$lib_tmp/events"
	remove_instances
	sed '1!G;h;$!d' "$lib_tmp/loaded" | while read -r cleanup_name; do
		rmmod "$cleanup_name"
	done
	rm -rf "$lib_tmp"
}

# Who puts things back when the test is killed. Not a child of this shell, which may
# wait for all of its own, and with nothing of it open.
guard() {
	trap '' INT HUP
	trap 'exit 0' TERM
	while kill -0 $$ 2>/dev/null; do
		sleep 2
	done
	rm -f "$lib_tmp/guard"
	# Workers see that it is over, and finish what they are at.
	touch "$lib_tmp/stop"
	while read -r guard_pid; do
		while kill -0 "$guard_pid" 2>/dev/null; do
			sleep 1
		done
	done <"$lib_tmp/workers"
	lib_cleanup
}
(
	(
		# A redirected function would have the old files as well.
		exec </dev/null >/dev/null 2>&1
		guard
	) &
	echo $! >"$lib_tmp/guard"
)

trap lib_cleanup EXIT
trap 'exit 1' INT TERM

# run_cases NAME...: run functions case_NAME, or only those that are wanted, print
# KTAP, exit
run_cases() {
	for case_name in $wanted; do
		case " $* " in
		*" $case_name "*) ;;
		*)
			echo "${0##*/}: no test '$case_name'; valid are: $*" >&2
			exit 2
			;;
		esac
	done
	# shellcheck disable=SC2086	# words
	[ -z "$wanted" ] || set -- $wanted
	run_number=0
	run_failed=0
	run_skipped=0
	echo "KTAP version 1"
	echo "1..$#"
	for case_name; do
		run_number=$((run_number + 1))
		case_failed=0
		case_skip=''
		"case_$case_name"
		if [ "$case_failed" -ne 0 ]; then
			run_failed=$((run_failed + 1))
			echo "not ok $run_number $case_name"
		elif [ -n "$case_skip" ]; then
			run_skipped=$((run_skipped + 1))
			echo "ok $run_number $case_name # SKIP $case_skip"
		else
			echo "ok $run_number $case_name"
		fi
	done
	[ "$run_failed" -eq 0 ] || exit 1
	[ "$run_skipped" -lt "$run_number" ] || exit 4
	exit 0
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154
#
# How the shell tests leave the machine as it was; part of lib.sh.
#
# "save file..." has files of tracefs and sysctl put back when the test ends,
# "own_instances name...", "own_commands" and "own_events group" have these removed,
# "background pid" has it ended; also when the test is killed.

# What is to be put back is in files here: who does that may not be who did it.
lib_tmp=$(mktemp -d)
for lib_file in saved loaded instances events pids workers; do
	: >"$lib_tmp/$lib_file"
done

# save FILE...
save() {
	for save_file; do
		save_key=$(echo "$save_file" | tr / _)
		[ ! -e "$lib_tmp/$save_key" ] || continue
		# Lines like "#### all functions enabled ####" are no value,
		# and of "7 (expanded: 1408)" the buffer gets the second. Of a
		# function the kernel takes no module as it prints it; commands
		# are listed there as well, and stay when the functions go.
		case $save_file in
		*/set_ftrace_*|*/set_graph_*|*/stack_trace_filter)
			save_also='s/ \[.*\]$//;/:mod:/!{/:/d;}' ;;
		*) save_also='' ;;
		esac
		sed -e '/^#/d' -e 's/^[0-9]* (expanded: \([0-9]*\))/\1/' \
			-e "$save_also" "$save_file" >"$lib_tmp/$save_key"
		echo "$save_file" >>"$lib_tmp/saved"
	done
}

# save_if_there FILE...: those that this kernel has
save_if_there() {
	for there_file; do
		[ ! -e "$there_file" ] || save "$there_file"
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

# own_commands: of set_ftrace_filter, where nobody knows whose they are
own_commands() {
	! sed '/:mod:/d' "$TRACING/set_ftrace_filter" | grep -q : || {
		echo "${0##*/}: there are commands in set_ftrace_filter" >&2
		exit 1
	}
	: >"$lib_tmp/commands"
}

# Those with a count are others than those without.
remove_commands() {
	[ -e "$lib_tmp/commands" ] || return 0
	sed -E -n '/:mod:/d; s/^[^:]*:((en|dis)able_event:[^:]*:[^:]*|[a-z]+):.*/\1/p' \
		"$TRACING/set_ftrace_filter" | sort -u |
	while read -r remove_command; do
		echo "!*:$remove_command" >>"$TRACING/set_ftrace_filter"
		echo "!*:$remove_command:0" >>"$TRACING/set_ftrace_filter"
	done 2>/dev/null
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

# end_background PID: now; returns its exit code. Its number may be that of somebody
# else from here on.
end_background() {
	kill "$1"
	wait "$1"
	end_status=$?
	sed -i "/^$1\$/d" "$lib_tmp/pids"
	return "$end_status"
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
	remove_commands
	restore
	while read -r cleanup_group; do
		remove_events "$cleanup_group"
	done <"$lib_tmp/events"
	remove_instances
	sed '1!G;h;$!d' "$lib_tmp/loaded" | while read -r cleanup_name; do
		# Who is killed in there may have a hundred tracers to detach.
		cleanup_tries=60
		while [ -e "/sys/module/$cleanup_name" ] && ! rmmod "$cleanup_name" &&
		      [ "$cleanup_tries" -gt 0 ]; do
			cleanup_tries=$((cleanup_tries - 1))
			sleep 1
		done
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

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kprobes beside tracers of a function, and with kprobe_example.ko loaded, whose
# handlers are in a section that kprobes have to stay out of; on a function that is
# left without a return; where a module with a kprobe on it has been; and where none
# may be.

. "${0%/*}/lib.sh"

EVENTS=$TRACING/kprobe_events
KPROBES=/sys/kernel/debug/kprobes
GROUP=ftrace_selftest

probe_hits() {
	awk -v name="$1" '$1 == name { print $2 }' "$TRACING/kprobe_profile"
}

probes() {
	case $1 in
	on)
		add_to "$EVENTS" "p:$GROUP/ft_entry $FUNC"
		add_to "$EVENTS" "r:$GROUP/ft_return $FUNC"
		write_to "$TRACING/events/$GROUP/enable" 1
		;;
	off)
		remove_events "$GROUP" || fail "cannot remove the kprobes"
		;;
	esac
}

# beside WHAT COUNTER: kprobes come after and before WHAT
beside() {
	hold "$1"
	probes on
	calls 3
	expect "$1 first: its hits" "$(hits "$2")" 3
	expect "$1 first: kprobe" "$(probe_hits ft_entry)" 3
	expect "$1 first: kretprobe" "$(probe_hits ft_return)" 3
	hold none
	calls 3
	expect "$1 gone: kprobe" "$(probe_hits ft_entry)" 6
	hold "$1"
	calls 3
	expect "$1 last: its hits" "$(hits "$2")" 3
	expect "$1 last: kprobe" "$(probe_hits ft_entry)" 9
	expect "$1 last: kretprobe" "$(probe_hits ft_return)" 9
	probes off
	calls 3
	expect "kprobes gone: hits of $1" "$(hits "$2")" 3
	hold none
}

case_ops() {
	beside ops ops0
}

case_two_ops() {
	beside "ops ops2" ops1
}

case_direct() {
	if have direct; then
		beside direct direct
		beside direct-far direct
		beside "direct ops" direct
	else
		skip "no direct calls on this kernel"
	fi
}

case_example() {
	if ! has_module kprobe_example; then
		skip "no module kprobe_example"
		return
	fi
	for example in 1 2 3; do
		load kprobe_example || fail "$example: cannot load the module"
		expect "$example: handlers that may not be probed" \
			"$(grep -c -E '\bhandler_(pre|post)\b' "$KPROBES/blacklist")" 2
		probes on
		calls 3
		expect "$example: kprobe" "$(probe_hits ft_entry)" 3
		expect "$example: kretprobe" "$(probe_hits ft_return)" 3
		probes off
		unload kprobe_example || fail "$example: cannot unload it"
	done
}

# in_list: how kprobes/list has the kprobe and the kretprobe on $FUNC
in_list() {
	awk -v f="$FUNC+" '$2 ~ /^[kr]$/ && index($3, f) == 1 {
		print $2, /\[FTRACE\]/ ? "[FTRACE]" : "trap"
	}' "$KPROBES/list" | sort -u | tr '\n' ' '
}

# Kprobes that are called by ftrace go with it, and come back with it.
case_ftrace() {
	if ! have kprobes_on_ftrace; then
		skip "no kprobes on ftrace on this kernel"
		return
	fi
	if ! may_destroy; then
		skip "all tracing is turned off meanwhile; for virtual machines"
		return
	fi
	save "$SYSCTL" "$KPROBES/enabled"
	probes on
	calls 3
	expect "kprobes/list" "$(in_list)" "k [FTRACE] r [FTRACE] "
	for switch in "$SYSCTL" "$KPROBES/enabled"; do
		before=$(probe_hits ft_entry)
		write_to "$switch" 0
		calls 3
		expect "$switch 0" "$(probe_hits ft_entry)" "$before"
		write_to "$switch" 1
		calls 3
		expect "$switch 1" "$(probe_hits ft_entry)" $((before + 3))
	done
	probes off
}

# What must not be probed must not be at its call site either, wherever that is. What
# can be traced has one.
case_blacklist() {
	name=$(awk 'NR == FNR { traced[$1]; next } $2 in traced { print $2; exit }' \
		"$TRACING/available_filter_functions" "$KPROBES/blacklist")
	if [ -z "$name" ]; then
		skip "no function can be traced, but not probed"
		return
	fi
	for offset in 0 4 8; do
		if echo "p:$GROUP/ft_black $name+$offset" >>"$EVENTS" 2>/dev/null; then
			fail "a kprobe at $name+$offset"
			remove_events "$GROUP"
		fi
	done
}

# The idle task of a CPU that goes off line never returns from where it ends. There
# is one node for that, and more CPUs than that have to do.
case_offline() {
	! defect_of_base || return
	cpu=/sys/devices/system/cpu/cpu1/online
	if [ ! -w "$cpu" ]; then
		skip "no CPU can go off line"
		return
	fi
	if ! may_destroy; then
		skip "a CPU goes off line; for virtual machines"
		return
	fi
	if ! echo "r1:$GROUP/ft_dead arch_cpu_idle_dead" 2>/dev/null >>"$EVENTS"; then
		skip "no kretprobe on arch_cpu_idle_dead"
		return
	fi
	save "$cpu"
	write_to "$TRACING/events/$GROUP/enable" 1
	for try in 1 2 3; do
		write_to "$cpu" 0
		write_to "$cpu" 1
	done
	expect "$try times off line: missed" \
		"$(awk '$1 == "ft_dead" { print $3 }' "$TRACING/kprobe_profile")" 0
	remove_events "$GROUP" || fail "cannot remove the kretprobe"
}

# The kernel does not reuse the addresses of unloaded modules before enough address space
# has been freed. Loading a large file that is no module frees its buffer.
reuse_addresses() {
	dd if=/dev/zero of="$lib_tmp/no_module" bs=1M count=0 seek=32 2>/dev/null
	for _ in 1 2 3 4; do
		! insmod "$lib_tmp/no_module" 2>/dev/null || fail "loaded what is no module"
	done
	sleep 1
}

# probed_by MODULE: load it where the first one was; false if it does not get there
probed_by() {
	for try in 1 2 3 4 5; do
		reuse_addresses
		load "$1" || { fail "cannot load $1"; return 1; }
		probed_text=$(cat "/sys/module/$1/sections/.text")
		: "${text:=$probed_text}"
		[ "$probed_text" != "$text" ] || return 0
		unload "$1" || { fail "cannot unload $1"; return 1; }
	done
	skip "modules do not take the place of others"
	return 1
}

# kind_of EVENT PLACE MODULE: probe, call, and count; set $kind to what the list says
kind_of() {
	add_to "$EVENTS" "p:$GROUP/$1 $2"
	write_to "$TRACING/events/$GROUP/$1/enable" 1
	write_to "/sys/module/$3/parameters/call" 3
	expect "hits of $1 in $3" "$(probe_hits "$1")" 3
	kind=$(sed -n "s/^$site .*\(\[FTRACE\]\).*/\1/p" "$KPROBES/list" | sort -u)
}

# stale MODULE PLACE KIND MODULE PLACE KIND: a kprobe at this place of the first
# module, and one there when the second module has taken its place
stale() {
	probed_by "$1" || return
	kind_of ft_stale "$2" "$1"
	expect "kind in $1" "$kind" "$3"
	unload "$1" || fail "cannot unload $1"
	if probed_by "$4"; then
		kind_of ft_new "$5" "$4"
		expect "kind in $4" "$kind" "$6"
		expect "hits of the stale one" "$(probe_hits ft_stale)" 3
	fi
	remove_events "$GROUP" || fail "cannot remove the kprobes"
	! is_loaded "$4" || unload "$4" || fail "cannot unload $4"
}

# A kprobe on a module that is unloaded stays, and may be found there by another one.
case_stale() {
	! defect_of_base || return
	if ! have kprobes_on_ftrace; then
		skip "no kprobes on ftrace on this kernel"
		return
	fi
	text=''
	probed_by ftrace_probed || return
	add_to "$EVENTS" "p:$GROUP/ft_site ftrace_probed"
	site=$(awk '/ ftrace_probed\+/ { print $1 }' "$KPROBES/list")
	remove_events "$GROUP" || fail "cannot remove the kprobe"
	unload ftrace_probed || fail "cannot unload the module"
	stale ftrace_probed_plain "0x$site" '' ftrace_probed ftrace_probed '[FTRACE]'
	stale ftrace_probed ftrace_probed '[FTRACE]' ftrace_probed_plain "0x$site" ''
}

[ -e "$EVENTS" ] || skip_all "no kprobe events in this kernel"
save "$TRACING/tracing_on"
own_events "$GROUP"
load_ops_test || exit 1
hold none
write_to "$TRACING/tracing_on" 1
run_cases ops two_ops direct example ftrace blacklist offline stale

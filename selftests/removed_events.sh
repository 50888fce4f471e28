#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The files of events that are gone. Who has one open, or is just about to open it,
# must get an error, and not what the memory is used for now.

. "${0%/*}/lib.sh"
. "${0%/*}/memory.inc"

INSTANCE=$TRACING/instances/removed_events
PROBES=$TRACING/kprobe_events
PROBE=$TRACING/events/removed_events/probe

make_probe="echo p:removed_events/probe schedule >>$PROBES"
remove_probe="echo -:removed_events/probe >>$PROBES"

need_probes() {
	[ -e "$PROBES" ] && return
	skip "no kprobe events in this kernel"
	return 1
}

# gone WHAT COMMAND...: it is told that there is no such event any more
gone() {
	gone_what=$1
	shift
	if "$@" >"$lib_tmp/text" 2>&1; then
		fail "$gone_what: can be read, $(wc -c <"$lib_tmp/text") bytes"
	elif ! grep -q 'No such device' "$lib_tmp/text"; then
		fail "$gone_what: an error, but not that there is no such event"
	fi
}

# The trigger file does not keep its instance.
case_trigger() {
	mkdir "$INSTANCE" || { fail "cannot make an instance"; return; }
	exec 3<"$INSTANCE/events/sched/sched_switch/trigger"
	rmdir "$INSTANCE" || fail "cannot remove the instance"
	gone trigger cat <&3
	exec 3<&-
}

# The format file does not keep a dynamic event.
case_format() {
	need_probes || return
	sh -c "$make_probe" || { fail "cannot make a probe"; return; }
	exec 3<"$PROBE/format"
	sh -c "$remove_probe" || fail "cannot remove the probe"
	gone format cat <&3
	exec 3<&-
}

# A file that has been looked up before, and gets opened when its event is gone and
# another one has the memory.
case_open() {
	need_probes || return
	sh -c "$make_probe" || { fail "cannot make a probe"; return; }
	for open_file in enable filter enable filter; do
		gone "$open_file" "$TESTS/open_path" "$PROBE/$open_file" sh -c "
			$remove_probe && $make_probe && cat /proc/self/fd/3"
	done
	sh -c "$remove_probe" || fail "cannot remove the probe"
}

# What cannot be opened for lack of memory keeps nothing.
case_memory() {
	memory_file=$INSTANCE/events/sched/sched_switch/hist
	mkdir "$INSTANCE" || { fail "cannot make an instance"; return; }
	if ! [ -e "$memory_file" ]; then
		rmdir "$INSTANCE"
		skip "no histograms"
		return
	fi
	load_ops_test || { fail "cannot load the module"; return; }
	without_memory "open a file" "true 3<$memory_file"
	rmdir "$INSTANCE" || fail "cannot remove the instance"
}

own_events removed_events
own_instances removed_events
run_cases trigger format open memory

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The benchmark module and runner: what is wrong has to be refused with a clear
# error, and nothing may stay attached.

. "${0%/*}/lib.sh"

BENCH=/sys/kernel/debug/ftrace_bench
mark=0
# Runs that do not end while a test looks at them, and that are over soon
LONG='warmup_ms=600000'
SHORT='warmup_ms=1 duration_ms=1'

# no_tracer WHAT: nobody traces the functions of the benchmark, or all
no_tracer() {
	expect "$1: traced functions" "$(wc -l <"$TRACING/enabled_functions")" 0
}

# rows PATTERN: how many of the results are such ones
rows() {
	grep -c "$1" "$BENCH/results.json"
}

# refused WHAT TEXT COMMAND...: it has to fail, and to say TEXT
refused() {
	refused_what=$1
	refused_text=$2
	shift 2
	if refused_out=$("$@" 2>&1); then
		fail "$refused_what: no failure"
	fi
	case $refused_out in
	*"$refused_text"*) ;;
	*) fail "$refused_what: '$refused_out' has no '$refused_text'" ;;
	esac
}

# A command of its own, so that a shell's redirection can fail
put() {
	sh -c "echo '$2' >$BENCH/$1"
}

# listen: what the kernel's log has up to here is old
listen() {
	mark=$((mark + 1))
	echo "ftrace selftests: $$.$mark" >/dev/kmsg
}

# said TEXT: the kernel's log has this since the last call
said() {
	dmesg | sed "1,/ftrace selftests: $$\.$mark\$/d" | grep -q -F -e "$1" ||
		fail "the log has no '$1'"
	listen
}

# reload [PARAMETER...]
reload() {
	! is_loaded ftrace_bench || unload ftrace_bench || return 1
	load ftrace_bench "$@"
}

reload_short() {
	# shellcheck disable=SC2086	# parameters
	reload $SHORT "$@"
}

# start_run: a run of minutes, in $run_pid
start_run() {
	# shellcheck disable=SC2086	# parameters
	reload $LONG || { fail "cannot load"; return 1; }
	# The writer itself, so that a signal gets there
	sh -c "echo ops100 >$BENCH/run" 2>/dev/null &
	run_pid=$!
	background "$run_pid"
	until grep -q ftrace_bench_tracee "$TRACING/enabled_functions"; do
		kill -0 "$run_pid" || { fail "the run ended"; return 1; }
	done
}

# end_run: by a signal, not by itself
end_run() {
	listen
	end_background "$run_pid"
	said "run: interrupted in ops100"
}

case_unknown_case() {
	reload_short
	listen
	refused "unknown" "nvalid argument" put run 'ops1,nonsense'
	said "unknown case 'nonsense'; valid are: all untraced"
	refused "none" "nvalid argument" put run ' '
	refused "name of a case" "nvalid argument" put external ops1
	refused "bad name" "nvalid argument" put external 'a b'
	refused "unknown context" "nvalid argument" put run 'ops1@nowhere'
	said "unknown context 'nowhere'; valid are task"
	refused "report of no row" "" put report 'nobody hits 1 1'
	refused "report of a case" "nvalid argument" put report 'ops1 hits 1 1'
	expect "rows" "$(rows '"name"')" 0
	no_tracer "afterwards"
}

case_bad_parameters() {
	! is_loaded ftrace_bench || unload ftrace_bench
	listen
	for parameter in duration_ms=0 duration_ms=600001 warmup_ms=0 \
			 warmup_ms=600001 batch_us=0 batch_us=10001; do
		refused "$parameter" "" modprobe ftrace_bench "$parameter"
		said "bad ${parameter%%=*}=${parameter#*=}; valid are 1 to"
	done
	for parameter in cpu=-2 cpu=100000; do
		refused "$parameter" "" modprobe ftrace_bench "$parameter"
		said "bad $parameter; valid are those that are online"
	done
	refused "batch_us=-1" "" modprobe ftrace_bench batch_us=-1
	said "\`-1' invalid for parameter \`batch_us'"
	refused "cases=x" "" modprobe ftrace_bench cases=x
	said "unknown case 'x'; valid are: all "
	[ ! -e "$BENCH" ] || fail "$BENCH is there"
}

case_while_running() {
	start_run || return
	refused "second run" "busy" put run untraced
	refused "external run" "busy" put external other
	refused "toggle" "busy" put toggle 'set 1'
	refused "unloading" "" rmmod ftrace_bench
	is_loaded ftrace_bench || fail "it was unloaded"
	end_run
	no_tracer "afterwards"
}

case_interrupted() {
	start_run || return
	end_run
	no_tracer "afterwards"
	reload_short || fail "cannot load again"
	put run ops2
	expect "a row" "$(rows '"name":"ops2".*"status":"\(ok\|noisy\)"')" 1
}

# nobody COMMAND: as another user; the pid file says that it runs not yet
nobody() {
	start-stop-daemon -S -p /run/ftrace-bench-none -c nobody -x /bin/sh -- \
		-c "$1"
}

case_not_root() {
	reload_short
	if ! nobody_out=$(nobody true 2>&1); then
		skip "no way to be another user: $nobody_out"
		return
	fi
	refused "a run" "ermission denied" nobody "echo untraced >$BENCH/run"
	refused "BPF" "ermission denied" nobody "\"$TESTS/bpf_bench\" --calls"
}

# toggle COMMAND: to the file that is open as 3
toggle() {
	sh -c "echo '$1' >&3"
}

case_toggle() {
	reload_short
	exec 3>"$BENCH/toggle"
	refused "on, without functions" "" toggle on
	for command in 'set 0' 'set 10001' 'set x' up; do
		refused "$command" "nvalid argument" toggle "$command"
	done
	toggle 'set 5'
	toggle on
	expect "functions" "$(wc -l <"$TRACING/enabled_functions")" 5
	refused "on, twice" "busy" toggle on
	refused "other functions" "busy" toggle 'set 6'
	toggle off
	toggle off
	no_tracer "off"
	toggle on
	expect "functions again" "$(wc -l <"$TRACING/enabled_functions")" 5
	refused "unloading" "" rmmod ftrace_bench
	# Each file has an ops of its own, which ends with it.
	sh -c "exec 4>$BENCH/toggle && echo 'set 7' >&4 && echo on >&4 &&
		[ \$(wc -l <$TRACING/enabled_functions) -eq 7 ]" ||
		fail "a second file's functions"
	expect "functions after it" "$(wc -l <"$TRACING/enabled_functions")" 5
	exec 3>&-
	no_tracer "closed"
	unload ftrace_bench
}

case_count() {
	reload_short
	exec 3<>"$BENCH/count"
	refused "no such function" "o such file" toggle no_such_function
	toggle ftrace_bench_tracee
	refused "another one" "busy" toggle ftrace_bench_other
	put external -
	expect "calls" "$(cat <&3)" "$(cat "$BENCH/calls")"
	exec 3>&-
	expect "kprobes" "$(grep -c ftrace_bench_ /sys/kernel/debug/kprobes/list)" 0
	unload ftrace_bench
}

# The tracee is called in the context that the row names, and each row is proved.
case_contexts() {
	reload_short cpu=0
	put run 'ops1 ops1@irqs-off ops1@migration-off ops1@in-bpf'
	expect "good rows" "$(rows '"case":"ops1".*"status":"\(ok\|noisy\)"')" 4
	for context in task irqs-off migration-off in-bpf; do
		expect "$context" "$(grep -c "\"context\":\"$context\"" \
			"$BENCH/results.json")" 1
	done
	expect "the CPU" "$(rows '"cpu":0,')" 1
	no_tracer "afterwards"
}

# Rows of user space: their path is read, and their hits are what it reports.
case_external() {
	reload_short
	put external mine
	expect "path" "$(rows '"mine".*"path":"none"')" 1
	put report 'mine hits 5 5'
	expect "hits" "$(rows '"mine".*"hits":5,"expected_hits":5')" 1
	put report 'mine hits 4 5'
	expect "lost hits" "$(rows '"mine".*"status":"failed","reason":"4 hits in 5 calls"')" 1
	put report 'other unsupported no "such" thing'
	expect "unsupported" "$(rows '"other".*"reason":"no  such  thing"')" 1
	expect "rows" "$(rows '"name"')" 2
	put external -
	expect "rows after one that is not kept" "$(rows '"name"')" 2
	# Something else than a tracer that can be told must not pass for a result.
	if echo 'p:ftrace_selftest/bench ftrace_bench_tracee' \
			>>"$TRACING/kprobe_events"; then
		echo 1 >"$TRACING/events/ftrace_selftest/enable"
		put external probed
		expect "path of a kprobe" "$(rows '"probed".*"path":"unknown')" 0
		remove_events ftrace_selftest || fail "cannot remove the kprobe"
	fi
	# The twin is what all is compared with.
	echo ftrace_bench_twin >"$TRACING/set_ftrace_filter"
	echo function >"$TRACING/current_tracer"
	put external -
	put external twin
	echo nop >"$TRACING/current_tracer"
	echo >"$TRACING/set_ftrace_filter"
	expect "a traced twin" "$(rows '"twin".*"status":"failed","reason":"the untraced twin is traced')" 1
	grep -q '0x[0-9a-f]\{12\}' "$BENCH/results" && fail "an address in the results"
	no_tracer "afterwards"
}

# hidden COMMAND...: run it where nothing has the kernel's types. libbpf looks for
# them there, and nowhere that this guest has. Nobody else sees the mount.
hidden() {
	unshare -m sh -c 'mount -o bind /dev/null /sys/kernel/btf/vmlinux && exec "$@"' \
		sh "$@"
}

case_no_btf() {
	reload_short
	if ! hidden true 2>/dev/null; then
		skip "cannot hide the kernel's BTF"
		return
	fi
	hidden "$TESTS/bpf_bench" --calls >/dev/null || fail "exit code $?"
	expect "fentry without BTF" "$(rows '"bpf-fentry".*"status":"unsupported"')" 1
	out=$(hidden "$TESTS/bpf_bench" --cost bpf) || fail "exit code $?"
	echo "$out" | grep -q 'no BTF of the kernel' || fail "cost without BTF: $out"
	no_tracer "afterwards"
}

case_in_use() {
	reload_short
	: >"$TRACING/trace"
	echo 'somebody was here' >"$TRACING/trace_marker"
	"$TESTS/bpf_bench" --calls >/dev/null || fail "exit code $?"
	expect "tracers" "$(rows '"status":"unsupported","reason":"a tracer is on')" 2
	expect "what was traced" "$(grep -c 'somebody was here' "$TRACING/trace")" 1
	no_tracer "afterwards"
}

case_no_module() {
	! is_loaded ftrace_bench || unload ftrace_bench
	refused "rows" "load the module ftrace_bench" "$TESTS/bpf_bench" --calls
	refused "cost" "load the module ftrace_bench" "$TESTS/bpf_bench" --cost
}

case_no_space() {
	reload_short
	refused "results" "write" sh -c "\"$TESTS/bpf_bench\" --calls >/dev/full"
	no_tracer "afterwards"
}

destructive "the kernel's tracers take the place of others"
has_module ftrace_bench || skip_all "no module ftrace_bench"
own_events ftrace_selftest
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
write_to "$TRACING/current_tracer" nop
run_cases unknown_case bad_parameters while_running interrupted not_root \
	toggle count contexts external no_btf in_use no_module no_space

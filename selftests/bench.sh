#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The benchmark module and runner: what is wrong has to be refused with a clear
# error, and nothing may stay attached.

. "${0%/*}/lib.sh"

BENCH=/sys/kernel/debug/ftrace_bench
# Minutes for ops100, but not for the untraced calls, which are measured first
LONG='loops=1000000 nruns=30 batch=1000'

# no_tracer WHAT: nobody traces the functions of the benchmark, or all
no_tracer() {
	expect "$1: traced functions" "$(wc -l <"$TRACING/enabled_functions")" 0
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

# said TEXT: the kernel's log has this since the last call
said() {
	dmesg | grep -q -F -e "$1" || fail "the log has no '$1'"
	dmesg -c >/dev/null
}

# reload [PARAMETER...]
reload() {
	! is_loaded ftrace_bench || unload ftrace_bench || return 1
	load ftrace_bench "$@"
}

# start_run: a run of minutes, in $run_pid
start_run() {
	# shellcheck disable=SC2086	# parameters
	reload $LONG || { fail "cannot load"; return 1; }
	# The writer itself, so that a signal gets there
	sh -c "echo ops100 >$BENCH/run" 2>/dev/null &
	run_pid=$!
	until grep -q ftrace_bench_tracee "$TRACING/enabled_functions"; do
		kill -0 "$run_pid" || { fail "the run ended"; return 1; }
	done
}

# end_run: by a signal, not by itself
end_run() {
	dmesg -c >/dev/null
	kill -TERM "$run_pid"
	wait "$run_pid"
	said "run: interrupted in ops100"
}

case_unknown_case() {
	reload loops=1000
	dmesg -c >/dev/null
	refused "unknown" "nvalid argument" put run 'ops1,nonsense'
	said "unknown case 'nonsense'; valid are: all untraced"
	refused "none" "nvalid argument" put run ' '
	refused "name of a case" "nvalid argument" put external ops1
	refused "bad name" "nvalid argument" put external 'a b'
	expect "rows" "$(grep -c name "$BENCH/results.json")" 0
	no_tracer "afterwards"
}

case_bad_parameters() {
	! is_loaded ftrace_bench || unload ftrace_bench
	for parameter in loops=0 loops=100000001 nruns=0 nruns=1001 batch=0 \
			 batch=100000001; do
		dmesg -c >/dev/null
		refused "$parameter" "" modprobe ftrace_bench "$parameter"
		said "bad ${parameter%%=*}=${parameter#*=}; valid are 1 to"
	done
	refused "loops=-1" "" modprobe ftrace_bench loops=-1
	refused "cases=x" "" modprobe ftrace_bench cases=x
	is_loaded ftrace_bench && fail "it got loaded"
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
	reload loops=1000 || fail "cannot load again"
	put run ops2
	expect "a row" "$(grep -c '"name":"ops2".*"status":"ok"' \
		"$BENCH/results.json")" 1
}

# nobody COMMAND: as another user; the pid file says that it runs not yet
nobody() {
	start-stop-daemon -S -p /run/ftrace-bench-none -c nobody -x /bin/sh -- \
		-c "$1"
}

case_not_root() {
	reload loops=1000
	if ! nobody_out=$(nobody true 2>&1); then
		skip "no way to be another user: $nobody_out"
		return
	fi
	refused "a run" "ermission denied" nobody "echo untraced >$BENCH/run"
	refused "BPF" "ermission denied" nobody "\"$TESTS/bpf_runner\" --bench"
}

case_toggle() {
	reload loops=1000
	refused "on, without functions" "" put toggle on
	refused "no functions" "nvalid argument" put toggle 'set 0'
	refused "too many" "nvalid argument" put toggle 'set 100001'
	refused "no number" "nvalid argument" put toggle 'set x'
	refused "no command" "nvalid argument" put toggle 'up'
	put toggle 'set 5'
	put toggle on
	expect "functions" "$(wc -l <"$TRACING/enabled_functions")" 5
	refused "on, twice" "busy" put toggle on
	refused "other functions" "busy" put toggle 'set 6'
	put toggle off
	put toggle off
	no_tracer "off"
	put toggle on
	expect "functions again" "$(wc -l <"$TRACING/enabled_functions")" 5
	unload ftrace_bench
	no_tracer "unloaded"
}

# libbpf looks for the types there, and nowhere that this guest has
case_no_btf() {
	reload loops=1000
	if ! mount -o bind /dev/null /sys/kernel/btf/vmlinux; then
		skip "cannot hide the kernel's BTF"
		return
	fi
	out=$("$TESTS/bpf_runner" --bench) || fail "exit code $?"
	case $out in
	*'"bpf-fentry"'*'"status":"unsupported"'*) ;;
	*) fail "fentry without BTF: $out" ;;
	esac
	out=$("$TESTS/bpf_runner" --cost bpf) || fail "exit code $?"
	case $out in
	*'no BTF of the kernel'*) ;;
	*) fail "cost without BTF: $out" ;;
	esac
	umount /sys/kernel/btf/vmlinux
	no_tracer "afterwards"
}

case_no_module() {
	! is_loaded ftrace_bench || unload ftrace_bench
	refused "rows" "load the module ftrace_bench" "$TESTS/bpf_runner" --bench
	refused "cost" "load the module ftrace_bench" "$TESTS/bpf_runner" --cost
}

case_no_space() {
	reload loops=1000
	refused "results" "write" sh -c "\"$TESTS/bpf_runner\" --bench >/dev/full"
	no_tracer "afterwards"
}

# Whoever ends this early must not leave the kernel's types hidden.
trap 'umount /sys/kernel/btf/vmlinux 2>/dev/null; lib_cleanup' EXIT
run_cases unknown_case bad_parameters while_running interrupted not_root \
	toggle no_btf no_module no_space

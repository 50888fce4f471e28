# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034
#
# What the shell tests share. Source it, define functions case_<name>, and end
# with "run_cases <name>...".
#
# Within a case: "expect what got want" and "fail text" fail it, "skip reason"
# and a return skip it.
#
# The machine may be somebody's. restore.sh leaves it as it was; "load module" has that
# unloaded. What cannot be put back, as what is in the kernel's own trace buffer, is
# for scripts that say "destructive what".

unset CDPATH
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

# skip_all WHY: there is nothing here that this script could test
skip_all() {
	printf 'KTAP version 1\n1..0 # SKIP %s\n' "$*"
	exit 4
}

[ "$(id -u)" -eq 0 ] || skip_all "must be root"
[ -d "$TRACING/events" ] || skip_all "no tracefs on $TRACING"
# shellcheck source=selftests/restore.sh
. "$TESTS/restore.sh"

# Many look for functions in /proc/kallsyms.
KPTR=/proc/sys/kernel/kptr_restrict
if [ "$(cat "$KPTR" 2>/dev/null)" = 2 ]; then
	save "$KPTR"
	echo 1 >"$KPTR"
fi

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

# Skips a case that Linux 6.1 itself fails, where what any kernel passes is tested
defect_of_base() {
	[ "${REGRESSION:-0}" -ne 0 ] && skip "a defect of 6.1"
}

# expect WHAT GOT WANT
expect() {
	[ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
}

# random N: set $r to 0 to N - 1, the next one of the sequence in $seed
random() {
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	r=$((seed / 65536 % $1))
}

# pick WORD...: set $picked to one of them
pick() {
	random $#
	shift "$r"
	picked=$1
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

# ktap_plan N: what the script prints begins here
ktap_plan() {
	ktap_number=0
	ktap_failed=0
	ktap_skipped=0
	echo "KTAP version 1"
	echo "1..$1"
}

# ktap_result LINE: a line of KTAP, which gets the next number
ktap_result() {
	ktap_number=$((ktap_number + 1))
	case $1 in
	'not ok '*) ktap_failed=$((ktap_failed + 1)) ;;
	*'# SKIP'*) ktap_skipped=$((ktap_skipped + 1)) ;;
	esac
	echo "$1" | sed "s/ok [0-9]*/ok $ktap_number/"
}

# ktap_results FILE [PREFIX]: what a module says, with this before the names of tests
ktap_results() {
	# While it is open the module is busy.
	cat "$1" >"$lib_tmp/results"
	while IFS= read -r ktap_line; do
		case $ktap_line in
		'not ok '*|'ok '*)
			ktap_result "$(echo "$ktap_line" |
				sed "s/\(ok [0-9]* \)/\1${2:-}/")" ;;
		'# '*' functions: '*|'KTAP '*|1..*) ;;
		*) echo "$ktap_line" ;;
		esac
	done <"$lib_tmp/results"
}

# ktap_exit: with the exit code that run.sh and the guests go by
ktap_exit() {
	[ "$ktap_failed" -eq 0 ] || exit 1
	[ "$ktap_skipped" -lt "$ktap_number" ] || exit 4
	exit 0
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
	may_destroy || skip_all "$1; for virtual machines, or with --destructive"
}

# is_loaded MODULE
is_loaded() {
	grep -q "^$(echo "$1" | tr - _) " /proc/modules
}

# has_module MODULE: is it among the modules of the kernel?
has_module() {
	find "/lib/modules/$(uname -r)" -name "$1.ko*" | grep -q .
}

# not_loaded MODULE: no need to unload it any more
not_loaded() {
	grep -vx "$1" "$lib_tmp/loaded" >"$lib_tmp/left"
	mv "$lib_tmp/left" "$lib_tmp/loaded"
}

# load MODULE [PARAMETER...]: from the folder of the tests, else the kernel's
load() {
	load_name=$1
	shift
	# First, as this script may be killed meanwhile
	echo "$load_name" >>"$lib_tmp/loaded"
	if [ -e "$TESTS/$load_name.ko" ]; then
		insmod "$TESTS/$load_name.ko" "$@" && return
	else
		modprobe "$load_name" "$@" && return
	fi
	not_loaded "$load_name"
	return 1
}

# unload MODULE
unload() {
	rmmod "$1" || return 1
	not_loaded "$1"
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

# need_two_cpus: skips the case where processor 1 is not on line
need_two_cpus() {
	if [ ! -e /sys/devices/system/cpu/cpu1 ] ||
	   [ "$(cat /sys/devices/system/cpu/cpu1/online 2>/dev/null)" = 0 ]; then
		skip "needs two processors"
		return 1
	fi
}

# crowded_calls N: 20 times as many calls on processor 1, where somebody else runs
# nearly all the time
crowded_calls() {
	"$TESTS/crowded" 1 sh -c "i=0
		while [ \$i -lt $1 ]; do
			echo 20 >$OPS/call || exit
			i=\$((i + 1))
		done" || fail "crowded calls"
}

# start_crowd: have calls made there until stop_crowd
start_crowd() {
	"$TESTS/crowded" 1 sh -c "while :; do echo 2000 >$OPS/call; done" &
	crowd=$!
	background "$crowd"
}

# It has not ended by itself.
stop_crowd() {
	end_background "$crowd"
	expect "exit code of the crowd" "$?" 143
}

# distance FROM TO: in bytes, of addresses in hexadecimal. A shell's numbers have a
# sign, and dash takes greater ones for the greatest, so the first digit is left out.
distance() {
	echo $((0x${2#?} - 0x${1#?}))
}

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
	ktap_plan $#
	for case_name; do
		case_failed=0
		case_skip=''
		"case_$case_name"
		if [ "$case_failed" -ne 0 ]; then
			ktap_result "not ok 0 $case_name"
		else
			ktap_result "ok 0 $case_name${case_skip:+ # SKIP $case_skip}"
		fi
	done
	ktap_exit
}

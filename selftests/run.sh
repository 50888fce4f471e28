#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests, and print one stream of KTAP with a subtest for each.
# Usage: run.sh [--destructive] [--regression] [--toggles N] [--list] [TEST...]
#
#   --destructive also what cannot be undone: trace buffers are cleared, all tracing
#                 is turned off for a while, processors go off line. Virtual
#                 machines need not be asked.
#   --regression  run what any kernel has to pass, even if the kernel has none
#                 of the features that the tests are about, but not the tests of
#                 defects that are in 6.1 itself
#   --toggles N   steps of the load and random tests (default 60)
#   --list        print the names of the tests and exit
#
# Exits with 0 if nothing failed, 1 if something did, 4 if all was skipped.

set -eu

unset CDPATH
dir=$(cd "$(dirname "$0")" && pwd)
# REPAIRED: defects of 6.1 itself, which may crash kernels that have them.
ALL='ops ops_sets enabled_functions ftrace_enabled graph kprobes module_load samples bpf'
REPAIRED='user_copy removed_events'
ALL="$ALL commands commands_load tracers tracers_load bench trampolines fprobe $REPAIRED stress"

# Seconds after which a test counts as hung; emulated machines are slow.
timeout_of() {
	case $1 in
	ops|stress) echo 3600 ;;
	bpf) [ "${SURVIVE:-}" = all ] && echo 14400 || echo 3600 ;;
	*) echo 1800 ;;
	esac
}

usage() {
	sed -n 's/^# \{0,1\}//p' "$0" | sed -n '4,/^Exits/p'
}

die() {
	echo "run.sh: $*" >&2
	exit 2
}

# skip_all WHY
skip_all() {
	printf 'KTAP version 1\n1..0 # SKIP %s\n' "$*"
	exit 4
}

tests=''
REGRESSION=0
TOGGLES=60
DESTRUCTIVE=0
while [ $# -gt 0 ]; do
	case $1 in
	-h|--help) usage; exit 0 ;;
	--list) echo "$ALL" | tr ' ' '\n'; exit 0 ;;
	--destructive) DESTRUCTIVE=1 ;;
	--regression) REGRESSION=1 ;;
	--toggles)
		[ $# -gt 1 ] || die "--toggles needs a number"
		shift
		TOGGLES=$1
		case $TOGGLES in
		''|*[!0-9]*|0*) die "--toggles: '$TOGGLES' is no positive number" ;;
		esac
		;;
	-*) die "unknown option '$1', see --help" ;;
	*)
		case " $ALL " in
		*" $1 "*) tests="$tests $1" ;;
		*) die "unknown test '$1', see --list" ;;
		esac
		;;
	esac
	shift
done
tests=${tests:-$ALL}
export REGRESSION TOGGLES DESTRUCTIVE

[ "$(id -u)" -eq 0 ] || skip_all "must be root"
[ -d /sys/kernel/tracing/events ] ||
	mount -t tracefs tracefs /sys/kernel/tracing ||
	skip_all "no tracefs on /sys/kernel/tracing"
[ -d /sys/kernel/debug/tracing ] ||
	mount -t debugfs debugfs /sys/kernel/debug ||
	skip_all "no debugfs on /sys/kernel/debug"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Behaviour counts, not the version: can a direct call be registered?
probe() {
	insmod "$dir/ftrace_ops_test_far.ko" ||
		die "cannot load the test modules, see dmesg"
	insmod "$dir/ftrace_ops_test.ko" || {
		rmmod ftrace_ops_test_far
		die "cannot load the test modules, see dmesg"
	}
	cat /sys/kernel/debug/ftrace_ops_test/features
	rmmod ftrace_ops_test
	rmmod ftrace_ops_test_far
}

# A warning or an oops leaves a mark, even if the test did not notice.
has_splat() {
	[ $(($(cat /proc/sys/kernel/tainted) & (128 | 512))) -ne 0 ]
}

# The verdict on a test from its output and exit code: "ok", "not ok" or a
# reason to skip it.
verdict() {
	awk -v rc="$1" '
	/^1\.\.0 # SKIP / { plan = 0; reason = substr($0, 13) }
	/^1\.\.[0-9]+$/ { plan = substr($0, 4) }
	/^ok / { results++ }
	/^ok .*# SKIP/ { skipped++; reason = $0; sub(/.*# SKIP */, "", reason) }
	/^not ok / { results++; failed++ }
	END {
		if (rc == 124 || rc == 143)
			print "fail timed out"
		else if (plan == "" || results != plan)
			print "fail " results + 0 " of " plan + 0 " results"
		else if (failed || (rc != 0 && rc != 4))
			print "fail " failed + 0 " failures, exit code " rc
		else if (skipped == results + 0)
			print "skip " reason
		else
			print "pass"
	}' "$tmp/out"
}

run_test() {
	[ "$splat" -eq 0 ] || { echo "fail after a splat" >"$tmp/verdict"; return; }
	{
		rc=0
		timeout "$(timeout_of "$1")" "$dir/$1.sh" || rc=$?
		echo "$rc" >"$tmp/rc"
	} | tee "$tmp/out" | awk -v name="$1" '
		{ print "  " $0 }
		$0 == "KTAP version 1" { print "  # Subtest: " name }
		{ fflush() }'
	verdict "$(cat "$tmp/rc")" >"$tmp/verdict"
	if has_splat; then
		splat=1
		echo "fail the kernel complained, see dmesg" >"$tmp/verdict"
	fi
}

features=$(probe)
reason=''
case " $(echo "$features" | tr '\n' ' ') " in
*' direct '*) ;;
*) reason='no direct calls on this kernel' ;;
esac

splat=0
! has_splat || splat=1
number=0
failed=0
skipped=0
echo "KTAP version 1"
# shellcheck disable=SC2086
set -- $tests
echo "1..$#"
echo "# kernel $(uname -r), features: $(echo "${features:-none}" | tr '\n' ' ')"
for test; do
	number=$((number + 1))
	why=''
	if [ "$REGRESSION" -eq 0 ]; then
		why=$reason
	else
		case " $REPAIRED " in
		*" $test "*) why='a defect of 6.1' ;;
		esac
	fi
	if [ -n "$why" ]; then
		skipped=$((skipped + 1))
		echo "ok $number $test # SKIP $why"
		continue
	fi
	begin=$(date +%s)
	run_test "$test"
	echo "# $test: $(($(date +%s) - begin)) s"
	read -r result text <"$tmp/verdict" || :
	case $result in
	pass) echo "ok $number $test" ;;
	skip)
		skipped=$((skipped + 1))
		echo "ok $number $test # SKIP $text"
		;;
	*)
		failed=$((failed + 1))
		echo "# $test: $text"
		echo "not ok $number $test"
		;;
	esac
done
[ "$failed" -eq 0 ] || exit 1
[ "$skipped" -lt "$number" ] || exit 4

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared functions of the scripts in this folder.
# Usage: . "${0%/*}/lib.sh" from a bash script that did `set -euo pipefail`.

# shellcheck disable=SC2034	# variables are for the scripts that source this
SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(dirname "$SCRIPTS")
CACHE=${FTRACE_LTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ftrace-lts}
SERIES_DIR=${FTRACE_LTS_SERIES:-$TOP/patches/v6.1}
ME=${0##*/}

# One clock for a whole run, however many scripts it starts.
FTRACE_LTS_START=${FTRACE_LTS_START:-$(date +%s)}
export FTRACE_LTS_START

# Print the comment block at the head of a script as its help text.
usage() {
	sed -n -e '1,/^[^#]/{/^#!/d;/SPDX/d;s/^# \{0,1\}//p}' "$0" | sed '1{/^$/d}'
}

elapsed() {
	local s=$(($(date +%s) - FTRACE_LTS_START))

	printf '%02d:%02d' $((s / 60)) $((s % 60))
}

note() {
	echo "[$(elapsed)] $*" >&2
}

die() {
	echo "$ME: $*" >&2
	exit 1
}

# Bad usage: same as die, with a pointer to the help text.
die_usage() {
	die "$* (see $ME --help)"
}

# An option's value must be there and must not look like the next option.
need_value() {
	if [ $# -lt 2 ] || [ -z "$2" ]; then
		die_usage "$1 needs a value"
	fi
}

# need_options NAME VALUE...: options without which a script cannot work
need_options() {
	while [ $# -gt 0 ]; do
		[ -n "$2" ] || die_usage "$1 is needed"
		shift 2
	done
}

# need_number OPTION VALUE: a positive decimal number
need_number() {
	need_value "$@"
	case $2 in
	*[!0-9]*|0*) die_usage "$1: '$2' is not a positive number" ;;
	esac
}

show_progress() {
	[ -t 2 ] || [ "${CI:-}" = true ]
}

# run_logged LOG WHAT COMMAND...: run a command of more than a few seconds with
# its output in LOG, say every 15 seconds that it still runs, and show the end
# of the log when it fails. A function given as COMMAND must pass on failures
# itself: the shell's errexit is off below an "if" or "||" of the caller.
run_logged() {
	local log=$1 what=$2 pid='' ticker='' rc=0
	shift 2

	note "$what"
	mkdir -p "$(dirname "$log")"
	# Waiting must not outlive the command, and a signal must end both.
	trap 'kill -- ${pid:+"-$pid"} $ticker 2>/dev/null; exit 130' INT TERM HUP
	# In a process group of its own, to be ended with all it started.
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	if show_progress; then
		while sleep 15; do
			note "$what..."
		done &
		ticker=$!
	fi
	wait "$pid" || rc=$?
	trap - INT TERM HUP
	if [ -n "$ticker" ]; then
		kill "$ticker" 2>/dev/null || :
		wait "$ticker" 2>/dev/null || :
	fi
	if [ "$rc" -ne 0 ]; then
		echo "---- end of $log" >&2
		tail -n 25 "$log" >&2
		echo "$ME: $what: failed (exit $rc), log: $log" >&2
	fi
	return "$rc"
}

# with_lock NAME: hold the cache's lock NAME until the script ends, so that two
# runs never fill the same part of the cache at once.
with_lock() {
	mkdir -p "$CACHE/locks"
	exec 9>"$CACHE/locks/$1"
	if ! flock -n 9; then
		note "waiting for another run that holds $CACHE/locks/$1"
		flock 9
	fi
}

# run_parallel N COMMAND LINE...: run COMMAND with the words of each LINE, N at a
# time, in the order of the lines; fails if one failed. COMMAND may be a function.
run_parallel() {
	local count=$1 command=$2 queue p n rc=0
	local -a pids=()
	shift 2

	queue=$(mktemp)
	printf '%s\n' "$@" >"$queue"
	trap 'for p in "${pids[@]}"; do kill -- "-$p"; done 2>/dev/null
		rm -f "$queue" "$queue.lock"; exit 130' INT TERM HUP
	# In process groups of their own, to be ended with all they started.
	set -m
	for ((n = 0; n < count; n++)); do
		run_queue "$queue" "$command" &
		pids+=($!)
	done
	set +m
	for p in "${pids[@]}"; do
		wait "$p" || rc=1
	done
	trap - INT TERM HUP
	rm -f "$queue" "$queue.lock"
	return "$rc"
}

# A worker of run_parallel: takes the next line until none is left.
run_queue() {
	local line rc=0

	while line=$(flock "$1.lock" sed -i -e '1{w /dev/stdout' -e 'd}' "$1")
	      [ -n "$line" ]; do
		# shellcheck disable=SC2086	# the line's words
		"$2" $line || rc=1
	done
	return "$rc"
}

# arch_setup ARCH: everything that differs between architectures.
# DEB_SUITE is the release of Debian that has packages of the architecture.
# QEMU_CPU_MAX is a processor with all extensions, if kernel and modules behave
# otherwise there. QEMU_ICOUNT_SMP tells whether it can count the instructions of
# several processors. PATCHED_CONFIGS are the fragments with what the series adds.
ARCHES='arm64 riscv powerpc'
# The control: its 6.1 has trampolines for each ops. What the series changes in the
# core must not cost anything there.
CONTROL_ARCHES=x86_64
arch_setup() {
	PATCHED_CONFIGS='direct fprobe'
	QEMU_ICOUNT_SMP=true
	case $1 in
	arm64)
		ARCH=arm64
		CROSS_COMPILE=aarch64-linux-gnu-
		DEB_ARCH=arm64
		DEB_SUITE=bookworm
		KERNEL_IMAGE=arch/arm64/boot/Image
		KERNEL_TARGET=Image
		QEMU=qemu-system-aarch64
		QEMU_MACHINE=virt
		QEMU_CPU=cortex-a72
		QEMU_CPU_MAX=max,pauth-impdef=on
		CONSOLE=ttyAMA0
		ARCH_PACKAGES='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm'
		;;
	riscv)
		ARCH=riscv
		CROSS_COMPILE=riscv64-linux-gnu-
		DEB_ARCH=riscv64
		DEB_SUITE=trixie
		KERNEL_IMAGE=arch/riscv/boot/Image
		KERNEL_TARGET=Image
		QEMU=qemu-system-riscv64
		QEMU_MACHINE=virt
		QEMU_CPU=rv64
		# QEMU 7.2 gives the first processor all the time up to
		# the next timer, if it spins. OpenSBI does, until the others
		# have executed the fence that it was asked for.
		QEMU_ICOUNT_SMP=false
		CONSOLE=ttyS0
		QEMU_CPU_MAX=
		ARCH_PACKAGES='gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
			qemu-system-misc opensbi dpkg-dev m4'
		;;
	powerpc)
		ARCH=powerpc
		CROSS_COMPILE=powerpc64le-linux-gnu-
		DEB_ARCH=ppc64el
		DEB_SUITE=bookworm
		KERNEL_IMAGE=vmlinux
		KERNEL_TARGET=vmlinux
		QEMU=qemu-system-ppc64
		# Without what TCG cannot do, and asking for which makes it warn.
		QEMU_MACHINE=pseries,cap-cfpc=broken,cap-sbbc=broken
		QEMU_MACHINE+=,cap-ibs=broken,cap-ccf-assist=off
		# For disable_radix: without large pages it takes minutes to
		# make text read-only. Who does so flushes the TLBs page by page,
		# and has the other processors spin, which take turns with it.
		QEMU_MACHINE+=,cap-hpt-max-page-size=16M
		QEMU_CPU=power9
		QEMU_CPU_MAX=
		CONSOLE=hvc0
		ARCH_PACKAGES='gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross qemu-system-ppc'
		;;
	x86_64)
		ARCH=x86_64
		CROSS_COMPILE=x86_64-linux-gnu-
		DEB_ARCH=amd64
		DEB_SUITE=bookworm
		KERNEL_IMAGE=arch/x86/boot/bzImage
		KERNEL_TARGET=bzImage
		QEMU=qemu-system-x86_64
		PATCHED_CONFIGS=''
		QEMU_MACHINE=pc
		QEMU_CPU=qemu64
		QEMU_CPU_MAX=
		# As on riscv; here it spins until the other one has started.
		QEMU_ICOUNT_SMP=false
		CONSOLE=ttyS0
		# Under icount the TSC counts instructions as well; no need
		# to find out how fast it is, which would be inexact.
		X86_CMDLINE='tsc=reliable tsc_early_khz=1000000 mitigations=off'
		ARCH_PACKAGES='gcc-x86-64-linux-gnu libc6-dev-amd64-cross qemu-system-x86'
		[ "$(dpkg --print-architecture)" != amd64 ] ||
			ARCH_PACKAGES='gcc qemu-system-x86'
		;;
	*)
		die "unknown architecture '$1' (known: $ARCHES $CONTROL_ARCHES)"
		;;
	esac
}

# use_ccache: what this script compiles goes through the cache's ccache, which knows
# files by their names in there. A file is known by its own contents and those of
# the headers its compilation read: to run the preprocessor once more for each new
# file would make the first build of a kernel a quarter dearer.
use_ccache() {
	export CCACHE_DIR=$CACHE/ccache CCACHE_BASEDIR=$CACHE \
		CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
}

# hash_of FILE...: one short hash over the contents of files.
hash_of() {
	cat "$@" | sha256sum | cut -c1-12
}

# build_log BUILD: where scripts/build has put what the compilers said.
build_log() {
	local tree=${1%/*}

	echo "$CACHE/logs/${tree##*/}-${1##*/}.log"
}

# kernel_release BUILD: the release string of a kernel's build folder.
kernel_release() {
	[ -s "$1/include/config/kernel.release" ] ||
		die "$1 is not the folder of a finished kernel build"
	cat "$1/include/config/kernel.release"
}

# kernel_tools BUILD: the make variables that name the tools a kernel was built
# with, one per line, for building modules.
kernel_tools() {
	local version

	echo "CROSS_COMPILE=$CROSS_COMPILE"
	version=$(sed -n 's/^CONFIG_CLANG_VERSION=//p' "$1/.config")
	[ "${version:-0}" -eq 0 ] || echo "LLVM=-$((version / 10000))"
}

# series_names: the patches of the series, in order.
series_names() {
	[ -s "$SERIES_DIR/series" ] || die "no series file in $SERIES_DIR"
	sed -E -e 's/[ \t]*(#.*)?$//' -e '/^$/d' "$SERIES_DIR/series"
}

# series_paths: the files in the kernel's tree that the series touches.
series_paths() {
	# Not in a folder of a repository: that would limit what git shows.
	series_names | sed "s,^,$SERIES_DIR/," |
		(cd / && xargs -d '\n' git apply --numstat) |
		cut -f3- | LC_ALL=C sort -u
}

# series_hash: a short hash over what the series changes; a commit message does
# not make another kernel.
series_hash() {
	(cd "$SERIES_DIR" && series_names |
		xargs awk 'FNR == 1 { on = 0 } /^diff --git/ { on = 1 } on') |
		sha256sum | cut -c1-12
}

# A KTAP suite: queue tests with ktap_test NAME COMMAND..., then ktap_run.
# A command fails the test with a non-zero exit, or skips it with exit code 4;
# what it printed becomes diagnostics or, its last line, the skip's reason.
KTAP_TESTS=()
ktap_test() {
	KTAP_TESTS+=("$(printf '%q ' "$@")")
}

ktap_run() {
	local i=0 failed=0 t out rc
	local -a words

	echo "KTAP version 1"
	echo "1..${#KTAP_TESTS[@]}"
	for t in "${KTAP_TESTS[@]}"; do
		i=$((i + 1))
		eval "words=($t)"
		# Not below "if" or "||": errexit must work in the test.
		set +e
		out=$(set -e; "${words[@]:1}" 2>&1 </dev/null)
		rc=$?
		set -e
		case $rc in
		0)
			echo "ok $i ${words[0]}"
			;;
		4)
			echo "ok $i ${words[0]} # SKIP $(tail -n 1 <<<"$out")"
			;;
		*)
			echo "not ok $i ${words[0]}"
			echo "# ${out//$'\n'/$'\n'# }"
			failed=1
			;;
		esac
	done
	return "$failed"
}

# mini_tree PRISTINE DIR: the files that the series touches, the ones that
# scripts/apply looks at, and the one that tells git diff what the head of a
# function looks like.
mini_tree() {
	local f

	mkdir -p "$2"
	{
		series_paths
		echo .gitattributes
		echo Makefile
	} | sort -u | while read -r f; do
		[ -e "$1/$f" ] || continue
		mkdir -p "$2/$(dirname "$f")"
		cp -p "$1/$f" "$2/$f"
	done
}

# mini_git_tree PRISTINE DIR: the same as a git tree with one commit.
mini_git_tree() {
	mini_tree "$1" "$2"
	git -C "$2" init -q
	git -C "$2" config user.name ftrace-lts
	git -C "$2" config user.email ftrace-lts@localhost
	git -C "$2" config commit.gpgsign false
	git -C "$2" add -A -f
	git -C "$2" commit -q -m pristine
	git -C "$2" tag pristine
}

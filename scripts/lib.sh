# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared functions of the scripts in this folder.
# Usage: . "${0%/*}/lib.sh" from a bash script that did `set -euo pipefail`.

# Settings of the user that would change what is built, or what it is called by: with
# CDPATH cd prints a folder, and with the kernel's variables modules go elsewhere, or
# another linker makes what is taken for GCC's. Programs have to speak English, as what
# they say is looked at, and Debian has depmod where only root looks.
unset CDPATH KBUILD_OUTPUT KAFLAGS KCPPFLAGS LLVM LLVM_IAS MAKEFLAGS MFLAGS
unset LANGUAGE LC_MESSAGES
export LANG=C.UTF-8 LC_ALL=C.UTF-8
PATH=$PATH:/usr/sbin:/sbin
# What goes into a guest is also for users there that are not root.
umask 022

# shellcheck disable=SC2034	# variables are for the scripts that source this
SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(dirname "$SCRIPTS")
CACHE=${FTRACE_LTS_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/ftrace-lts}
SERIES_DIR=${FTRACE_LTS_SERIES:-$TOP/patches/v6.1}
ME=${0##*/}

# One clock for a whole run, however many scripts it starts.
FTRACE_LTS_START=${FTRACE_LTS_START:-$(date +%s)}
export FTRACE_LTS_START

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

[ -n "${FTRACE_LTS_CACHE:-${XDG_CACHE_HOME:-${HOME:-}}}" ] ||
	die "HOME is not set, and neither is FTRACE_LTS_CACHE, the folder for what is built"
[ "${CACHE#/}" != "$CACHE" ] || die "the cache must be an absolute path, not $CACHE"

show_progress() {
	[ -t 2 ] || [ "${CI:-}" = true ]
}

# shellcheck source=scripts/lib/arch
. "$SCRIPTS/lib/arch"
# shellcheck source=scripts/lib/jobs
. "$SCRIPTS/lib/jobs"
# shellcheck source=scripts/lib/options
. "$SCRIPTS/lib/options"
# shellcheck source=scripts/lib/ktap
. "$SCRIPTS/lib/ktap"
# shellcheck source=scripts/lib/series
. "$SCRIPTS/lib/series"

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared functions of the scripts in this folder.
# Usage: . "${0%/*}/lib.sh" from a bash script that did `set -euo pipefail`.

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

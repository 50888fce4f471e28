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

# shellcheck source=scripts/lib/arch
. "$SCRIPTS/lib/arch"
# shellcheck source=scripts/lib/jobs
. "$SCRIPTS/lib/jobs"
# shellcheck source=scripts/lib/ktap
. "$SCRIPTS/lib/ktap"
# shellcheck source=scripts/lib/series
. "$SCRIPTS/lib/series"

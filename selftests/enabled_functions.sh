#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What tracefs says about call sites: which there are, and in enabled_functions
# about one of them: "O" and the ops if the call
# site names its ops. On kernels where it cannot name several, that is when there
# is one which needs no help.

. "${0%/*}/lib.sh"

INSTANCE=$TRACING/instances/enabled_functions
OTHER=ftrace_test_other

# The line of a function in enabled_functions
line_of() {
	grep "^$1 \[" "$TRACING/enabled_functions"
}

# flag LETTER: "yes" if the line in $line has that flag. The flags are between
# the count in parentheses and the first tab or the end.
flag() {
	flag_text=$(echo "$line" | sed -e 's/^[^(]*([0-9]*)//' -e 's/	.*//')
	case $flag_text in
	*"$1"*) echo yes ;;
	*) echo no ;;
	esac
}

# shows NAME WANT TEXT: does the line have this text?
shows() {
	case $line in
	*"$3"*) shows_got=yes ;;
	*) shows_got=no ;;
	esac
	expect "$1" "$shows_got" "$2"
}

# check WHAT COUNT FLAG_O: of $FUNC
check() {
	line=$(line_of "$FUNC")
	shows "$1: count" yes "($2)"
	expect "$1: O" "$(flag O)" "$3"
	if [ "$3" = yes ]; then
		shows "$1: list" no "ops: list"
		shows "$1: ops" yes "ops: "
	else
		shows "$1: list" yes "ops: list"
	fi
}

instance() {
	case $1 in
	on)
		mkdir "$INSTANCE" || fail "mkdir $INSTANCE"
		write_to "$INSTANCE/set_ftrace_filter" "$FUNC"
		write_to "$INSTANCE/current_tracer" function
		;;
	off)
		write_to "$INSTANCE/current_tracer" nop
		rmdir "$INSTANCE" || fail "rmdir $INSTANCE"
		;;
	esac
}

case_none() {
	hold none
	expect "line" "$(line_of "$FUNC")" ""
}

case_one() {
	hold ops
	check "one" 1 yes
	shows "its function" yes "(ot_callback"
	expect "R" "$(flag R)" no
	calls 3
	expect "hits" "$(hits ops0)" 3
	line=$(line_of "$OTHER")
	expect "another function" "$line" ""
}

case_two() {
	hold ops ops2
	check "two" 2 "$sets"
	if [ "$sets" = yes ]; then
		# Two names, in the order in which they get called.
		two=$(echo "$line" | sed -n 's/.*ops: \([^ ]*\) (ot_callback.*), \([^ ]*\) (ot_callback.*)/\1 \2/p')
		expect "names" "$(echo "$two" | wc -w)" 2
		[ "${two% *}" != "${two#* }" ] || fail "the same name twice"
	fi
	calls 3
	expect "hits of the first" "$(hits ops0)" 3
	expect "hits of the second" "$(hits ops1)" 3
}

case_tracer_comes_and_goes() {
	hold ops
	check "before" 1 yes
	instance on
	check "with the function tracer" 2 "$sets"
	instance off
	check "afterwards" 1 yes
	shows "its function" yes "(ot_callback"
	calls 3
	expect "hits" "$(hits ops0)" 3
}

case_tracer_stays() {
	hold ops
	instance on
	check "both" 2 "$sets"
	hold none
	check "the function tracer" 1 yes
	shows "its function" yes "(function_trace_call"
	instance off
	expect "none" "$(line_of "$FUNC")" ""
}

# One ops, but it asked to be protected from recursion.
case_guarded() {
	hold guarded
	check "guarded" 1 "$sets"
	calls 3
	expect "hits" "$(hits ops2)" 3
}

# The one that stays decides, not the one that goes.
case_guarded_stays() {
	hold guarded
	instance on
	check "both" 2 "$sets"
	instance off
	check "guarded stays" 1 "$sets"
}

case_regs() {
	hold regs
	check "regs" 1 yes
	expect "R" "$(flag R)" yes
	instance on
	check "with the function tracer" 2 "$sets"
	expect "R for both" "$(flag R)" yes
	hold none
	check "the function tracer alone" 1 yes
	expect "R afterwards" "$(flag R)" no
	instance off
}

# An ops with registers stays registered, but goes to another function.
case_regs_left() {
	hold ops regs-left
	check "the one without registers" 1 yes
	expect "R" "$(flag R)" no
	calls 3
	expect "hits" "$(hits ops0)" 3
}

# held_direct WHAT TRAMPOLINE
held_direct() {
	hold "$1"
	line=$(line_of "$FUNC")
	expect "$1: D" "$(flag D)" yes
	calls 3
	expect "$1: hits" "$(hits direct)" 3
	grep -q "direct-->$2" "$TRACING/enabled_functions" ||
		fail "$1: no direct-->$2"
	hold "$1" ops
	line=$(line_of "$FUNC")
	expect "$1 and ops: D" "$(flag D)" yes
	expect "$1 and ops: O" "$(flag O)" "$sets"
	calls 3
	expect "$1 and ops: hits" "$(hits direct)" 3
	expect "$1 and ops: hits of ops" "$(hits ops0)" 3
	hold none
}

case_direct() {
	if ! have direct; then
		skip "no direct calls on this kernel"
		return
	fi
	held_direct direct ot_near_count0
	held_direct direct-far ot_far_count0
	held_direct legacy ot_near_count0
	held_direct legacy-far ot_far_count0
}

need_series() {
	have direct || {
		skip "no direct calls on this kernel"
		return 1
	}
}

address_of() {
	awk -v f="$1" '$3 == f { print "0x" $1; exit }' /proc/kallsyms
}

# For each function of the kernel, ftrace finds the call site of that and of no
# other, such as a weak one behind it that has been overridden.
case_locations() {
	need_series || return
	for location in ftrace_location ftrace_location_range \
		kallsyms_on_each_symbol; do
		set -- "$@" "$location=$(address_of "$location")"
	done
	load ftrace_locations "$@" || {
		fail "cannot load ftrace_locations"
		return
	}
	location=/sys/module/ftrace_locations/parameters
	note "$(cat "$location/sites") call sites"
	[ "$(cat "$location/sites")" -gt 1000 ] || fail "too few call sites"
	expect "wrong locations" "$(cat "$location/wrong")" 0
	unload ftrace_locations
}

# listed_once FILE: no function is in there more often than kallsyms has it.
listed_once() {
	listed_what=$(sed -e 's/\t.*//' -e 's/ (.*//' "$TRACING/$1" |
		awk 'NR == FNR { there[$3]++; next }
			++seen[$1] > there[$1] { print $1 }' /proc/kallsyms - |
		head -n 5 | tr '\n' ' ')
	expect "$1" "$listed_what" ""
}

# numbered NUMBER...: the numbers of lines are those of functions, too
numbered() {
	write_to "$TRACING/set_ftrace_filter" "$*"
	expect "functions $*" "$(sed 's/ .*//' "$TRACING/set_ftrace_filter")" \
		"$(awk -v numbers="$*" 'BEGIN { n = split(numbers, a)
				for (i = 1; i <= n; i++) want[a[i]] = 1 }
			NR in want { print $1 }' "$TRACING/available_filter_functions")"
}

# What has no symbol is neither listed nor patched.
case_listed() {
	need_series || return
	if ! may_destroy; then
		skip "the trace buffer is cleared; for virtual machines, or with --destructive"
		return
	fi
	listed_once available_filter_functions
	[ "$(wc -l <"$TRACING/available_filter_functions")" -gt 1000 ] ||
		fail "too few functions"
	write_to "$TRACING/current_tracer" function
	listed_once enabled_functions
	write_to "$TRACING/current_tracer" nop
	numbered 1000
	# The search for one goes on from where the one before was found.
	numbered 1000 998 999 1200 1000 1201
	last=$(wc -l <"$TRACING/available_filter_functions")
	load ftrace_probed || { fail "cannot load the first module"; return; }
	next=$(wc -l <"$TRACING/available_filter_functions")
	load ftrace_tracees || { fail "cannot load the second module"; return; }
	numbered $((next + 1))
	unload ftrace_probed || fail "cannot unload the first module"
	# What was found is in another place now.
	numbered $((next + 2))
	unload ftrace_tracees || fail "cannot unload the second module"
	numbered $((last - 1)) "$last"
}

own_instances enabled_functions
# Put back in reverse: first no tracer, then no filter.
save "$TRACING/set_ftrace_filter" "$TRACING/current_tracer"
load_ops_test || exit 1
sets=no
! have ops_sets || sets=yes
if have call_ops; then
	run_cases locations listed none one two tracer_comes_and_goes tracer_stays guarded \
		guarded_stays regs regs_left direct
fi
run_cases locations listed none direct

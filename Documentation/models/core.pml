/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core: the ops, the sets of ops and the members of sets that a task uses when it
 * comes from a call site, against those who change and free them. What a call site
 * does is in the models of the architectures; here it is one pointer, to an ops or
 * to a set. See README.rst for how to read this.
 *
 *	call site F ---> ops A, alone or with members { D, A }
 *	call site G ---> the same, or set ---> members { D, B, A } ---> ops D, B, A
 *
 * A traces both functions, and stays. B comes and goes on G alone: the call site gets
 * another set. D traces all functions and comes and goes: the sets get other members,
 * and A, which has no filter, gets members or calls itself alone again. (Not modelled:
 * the filter of D is written, so that a call may miss D, and A goes.) B and D have
 * owners who know nothing of each other, and share ftrace_lock. G may be in a module
 * that goes (MODULE), and a worker may free sets, too (WORK). B may be a direct call
 * that is removed without a wait (NOWAIT), and may come again meanwhile, in other
 * memory: B2. D may go without giving up the lock for the wait (LOCKED).
 *
 * There is a single call, at any time: others do not matter to it. It consists of loads
 * that depend on each other, so a load that gets an old value is the same as one that
 * was made earlier. What has to be modelled is that the call may get to memory before
 * it can see what has been stored there: the "seen" bits.
 */

#ifndef ROUNDS
#define ROUNDS		1	/* so often B comes and goes, */
#endif
#ifndef D_ROUNDS
#define D_ROUNDS	1	/* and D */
#endif

#define A		1
#define B		2
#define D		4
#define B2		8

#define F		0
#define G		1
#define traces(x)	((x) == F -> A | D : A | B | B2 | D)
#define several(m)	((m) & ((m) - 1))

#define SETS		6	/* from 1 on */
#define LISTS		10
#define NONE		LISTS
#define bit(n)		(1 << (n))

/* What a call site points to: 0 is A itself, else a set */
byte site[2];

/* A.members, and whether A.call is ftrace_members_func */
byte a_members = NONE;
bool a_calls_members;

/* Sets, and lists of members, by number; bits for those of which something is true */
byte members[SETS], sites[SETS], list[LISTS];
byte hashed;			/* sets in the hash ftrace_ops_sets */
byte unused_sets;		/* ftrace_unused_sets */
short unused_lists;
byte sets_freed = 255, ops_freed = B | B2 | D;
short lists_freed = 1023;
byte sets_seen;			/* who gets there sees what has been stored there */
short lists_seen;

bool lock;			/* ftrace_lock */
bool stopped;			/* somebody who holds it */
bool module = true;
byte detached;			/* ops for which there will be callbacks */

/* Who is registered; who was so in some, in each of the states that calls may see */
byte registered = A, some_now = A, each_now = A, some, each;

#define NO		0
#define TASK		1	/* waited for by RCU tasks: it can be preempted */
#define IDLE		2	/* ... by the rude one: RCU does not watch the CPU */
byte in_call, at;

inline lock_ftrace()
{
	if
	:: atomic { !lock -> lock = true }
	:: stopped -> goto out
	fi
}

/* Writers may stop for ever here, with the lock */
inline may_stop()
{
	if
	:: skip
	:: stopped = true; goto out
	fi
}

/*
 * synchronize_rcu_tasks_rude(), call_rcu_tasks_rude(): each CPU schedules. Who is
 * preempted is not waited for. Nor is he by a grace period of RCU, which does not
 * wait for idle CPUs either.
 */
inline wait_rude()
{
#ifndef NO_RUDE
	in_call != IDLE
#else
	skip
#endif
}

/* synchronize_rcu_tasks(), call_rcu_tasks(): who is preempted goes on and leaves */
inline wait_tasks()
{
#ifndef NO_TASKS
	in_call != TASK
#else
	skip
#endif
}

/* kernel/trace/ftrace.c:ftrace_wait_for_callers */
inline wait_for_callers()
{
	wait_rude();
	wait_tasks()
}

/* kernel/trace/ftrace.c:ftrace_alloc_members, ftrace_init_member */
inline new_list(m)
{
	d_step {
		l = 0;
		do
		:: l < LISTS && !(lists_freed & bit(l)) -> l++
		:: else -> break
		od;
		assert(l < LISTS);
		lists_freed = lists_freed & ~bit(l);
		lists_seen = lists_seen & ~bit(l);
		list[l] = m
	}
}

/* kernel/trace/ftrace.c:ftrace_find_set */
inline find_set(m)
{
	d_step {
		s = 1;
		do
		:: s < SETS && !(hashed & bit(s) && list[members[s]] == (m)) -> s++
		:: else -> break
		od
	}
}

/* kernel/trace/ftrace.c:ftrace_new_set */
inline new_set(m)
{
	new_list(m);
	d_step {
		s = 1;
		do
		:: s < SETS && !(sets_freed & bit(s)) -> s++
		:: else -> break
		od;
		assert(s < SETS);
		sets_freed = sets_freed & ~bit(s);
		sets_seen = sets_seen & ~bit(s);
		members[s] = l;
		sites[s] = 0;
		hashed = hashed | bit(s)
	};
#ifndef NO_SET_WMB
	/* smp_wmb() */
	d_step { sets_seen = sets_seen | bit(s); lists_seen = lists_seen | bit(l) }
#endif
}

/* kernel/trace/ftrace.c:ftrace_put_set */
inline put_set(set)
{
	d_step {
		if
		:: set != 0 ->
			sites[set]--;
			if
			:: sites[set] == 0 ->
#ifndef NO_HASH_DEL
				hashed = hashed & ~bit(set);
#endif
				unused_sets = unused_sets | bit(set)
			:: else
			fi
		:: else
		fi
	}
}

/*
 * kernel/trace/ftrace.c:ftrace_rec_update, ftrace_rec_update_second,
 * ftrace_rec_keeps_ops - if the ops is one of all functions, the set knows already,
 * with several before and after, and so does A
 */
#define bound_otherwise(x)	\
	(((before ^ registered) & traces(x)) && \
	 !((before ^ registered) == D && \
	   (site[x] == 0 || several(before & registered & traces(x)))))

/* kernel/trace/ftrace.c:ftrace_rec_bind, ftrace_rec_call_ops, __ftrace_replace_code */
inline bind(x)
{
	if
	:: bound_otherwise(x) ->
		old = site[x];
		s = 0;
		if
		:: several(registered & traces(x)) ->
			find_set(registered & traces(x));
			if
			:: s == SETS -> new_set(registered & traces(x))
			:: else
			fi
		:: else
		fi;
		site[x] = s;
		/* kernel/trace/ftrace.c:ftrace_get_set */
		sites[s] = (s -> sites[s] + 1 : 0);
		put_set(old);
		may_stop()
	:: else
	fi
}

/* kernel/trace/ftrace.c:ftrace_change_sets, ftrace_change_members */
inline change_sets()
{
	s = 1;
	do
	/* Not those of which it is the only member */
	:: s < SETS && hashed & bit(s) && (registered & D || list[members[s]] != D) ->
		new_list((list[members[s]] & ~D) | (registered & D));
#ifndef NO_MEMBERS_RELEASE
		lists_seen = lists_seen | bit(l);	/* smp_store_release() */
#endif
		d_step {
			unused_lists = unused_lists | bit(members[s]);
			members[s] = l
		};
		s++
	:: s < SETS && !(hashed & bit(s) && (registered & D || list[members[s]] != D)) ->
		s++
	:: s == SETS -> break
	od;
	/* kernel/trace/ftrace.c:ftrace_change_owner, ftrace_publish_members */
	if
	:: registered & D ->
		new_list(D | A);
#ifndef NO_OWNER_RELEASE
		lists_seen = lists_seen | bit(l);	/* smp_store_release() */
#endif
		a_members = l;
		a_calls_members = true
	:: else ->
#ifndef MEMBERS_STAY
		/* kernel/trace/ftrace.c:ftrace_disown_members, ftrace_retire_members */
		a_calls_members = false;
		d_step {
			unused_lists = unused_lists | bit(a_members);
			a_members = NONE
		}
#else
		skip
#endif
	fi
}

/*
 * kernel/trace/ftrace.c:__ftrace_hash_rec_update, and ftrace_run_update_code(). From
 * the first step to the last one, calls may find it as it was or as it will be.
 */
inline change(now)
{
	d_step {
		before = registered;
		registered = now;
		some_now = before | registered;
		each_now = before & registered;
		some = some | registered;
		each = each & registered
	};
	if
	:: (before ^ registered) == D -> change_sets()
	:: else
	fi;
	bind(F);
	if
	:: module -> bind(G)
	:: !module
	fi;
	d_step {
		some_now = registered;
		each_now = registered;
		/* Nobody finds a set with an ops that may be gone soon */
		s = 1;
		do
		:: s < SETS ->
			assert(!(hashed & bit(s)) ||
			       !(list[members[s]] & ~registered));
			s++
		:: else -> break
		od;
		s = 0; l = 0; old = 0; before = 0
	}
}

/* kernel/trace/ftrace.c:ftrace_take_unused_sets */
inline take_unused_sets()
{
	d_step {
		my_sets = unused_sets;
		my_lists = unused_lists;
		unused_sets = 0;
		unused_lists = 0
	}
}

/* kernel/trace/ftrace.c:ftrace_free_sets - what was unused before the wait */
inline free_sets()
{
#ifdef FREE_ALL_UNUSED
	/* ... or has become so since */
	take_unused_sets();
#endif
	d_step {
		s = 1;
		do
		:: s < SETS && my_sets & bit(s) ->
			lists_freed = lists_freed | bit(members[s]);
			s++
		:: s < SETS && !(my_sets & bit(s)) -> s++
		:: else -> break
		od;
		sets_freed = sets_freed | my_sets;
		lists_freed = lists_freed | my_lists;
		my_sets = 0; my_lists = 0; s = 0
	}
}

inline register(o)
{
	lock_ftrace();
	ops_freed = ops_freed & ~o;
	change(registered | o);
	lock = false
}

/*
 * kernel/trace/ftrace.c:ftrace_shutdown_unlocked - and the owner frees the ops.
 * __unregister_ftrace_direct_multi does the same, but for the sets. An ops has one
 * owner here: to register it again during the wait is -EBUSY.
 */
inline unregister(o)
{
#ifdef WAIT_BEFORE_CHANGE
	wait_for_callers();
#endif
	lock_ftrace();
	change(registered & ~o);
	take_unused_sets();
	lock = false;
#ifndef WAIT_BEFORE_CHANGE
	wait_for_callers();
#endif
	free_sets();
	ops_freed = ops_freed | o
}

/* kernel/trace/ftrace.c:ftrace_shutdown, ftrace_free_unused_sets - locked all along */
inline unregister_locked(o)
{
	lock_ftrace();
	change(registered & ~o);
	wait_for_callers();
	take_unused_sets();
	free_sets();
	lock = false;
	ops_freed = ops_freed | o
}

/*
 * kernel/trace/ftrace.c:unregister_ftrace_direct_multi_nowait,
 * __unregister_ftrace_direct_multi, ftrace_shutdown_nowait
 */
inline unregister_nowait(o)
{
	lock_ftrace();
	change(registered & ~o);
	lock = false;
	detached = detached | o;
#ifndef OPS_AGAIN
	/* kernel/bpf/trampoline.c:bpf_trampoline_alloc_fops */
	o = B2
#endif
}

/*
 * kernel/bpf/trampoline.c:bpf_tramp_image_put, bpf_tramp_call_rcu,
 * __bpf_tramp_image_put_rcu_rude, __bpf_tramp_image_put_rcu_tasks,
 * __bpf_tramp_image_left, bpf_tramp_image_free_fops - all detached ops share them
 */
proctype callbacks()
{
	byte dying;

end_idle:
	do
	:: atomic { detached -> dying = detached; detached = 0 };
#ifndef NO_RUDE_CALLBACK
		wait_rude();
#endif
#ifndef NO_TASKS_CALLBACK
		wait_tasks();
#endif
		d_step { ops_freed = ops_freed | dying; dying = 0 }
	od
}

proctype owner(byte o; byte rounds)
{
	byte n, before, old, s, l, my_sets;
	short my_lists;

	do
	:: n < rounds ->
		n++;
		register(o);
		if
#ifdef NOWAIT
		:: o != D -> unregister_nowait(o)
#else
		:: o != D -> unregister(o)
#endif
#ifdef LOCKED
		:: o == D -> unregister_locked(o)
#endif
		:: o == D -> unregister(o)
		fi
	:: n == rounds -> break
	od;
out:
	skip
}

/* kernel/trace/ftrace.c:ftrace_sets_workfn */
proctype work()
{
	byte s, my_sets;
	short my_lists;

	lock_ftrace();
	take_unused_sets();
	lock = false;
	wait_for_callers();
	free_sets();
out:
	skip
}

/*
 * kernel/trace/ftrace.c:ftrace_release_mod, ftrace_free_mem - nobody is in the module
 * any more, or will be
 */
proctype unload()
{
	if
	:: atomic { !lock && !(in_call && at == G) -> lock = true; module = false }
	:: stopped -> goto out
	fi;
#ifndef NO_PUT_REC
	/* kernel/trace/ftrace.c:ftrace_put_rec */
	put_set(site[G]);
#endif
	lock = false;
out:
	skip
}

/* A task may be preempted between any two of these */
inline use(o)
{
	assert(!(lists_freed & bit(l)));
	if
	:: list[l] & o ->
		assert(!(ops_freed & o));
		reached = reached | o
	:: else
	fi
}

/* kernel/trace/ftrace.c:ftrace_call_set, ftrace_members_func, ftrace_call_members */
proctype call()
{
	byte s, l, reached;
	bool several_called;

	atomic {
		if
		:: in_call = TASK
		:: in_call = IDLE
		fi;
		if
		:: at = F
		:: module -> at = G
		fi;
		some = some_now;
		each = each_now
	}
#ifdef CALL_TAKES_LOCK
	!lock;
#endif
	s = site[at];
	if
	:: s == 0 ->
		/* Two loads, in no order */
		if
		:: several_called = a_calls_members; l = a_members
		:: l = a_members; several_called = a_calls_members
		fi;
		if
		:: several_called && l != NONE ->
			assert(lists_seen & bit(l));
			use(D);
			use(A)
		:: else -> reached = A
		fi
	:: else ->
		assert(!(sets_freed & bit(s)));
		assert(sets_seen & bit(s));
		l = members[s];
		assert(lists_seen & bit(l));
		use(D);
#ifdef NOWAIT
		use(B2);
#endif
		use(B);
		use(A)
	fi;
	atomic {
		assert(!(reached & ~some));
		assert(!(each & traces(at) & ~reached));
		in_call = NO;
		s = 0; l = 0; several_called = false;
		reached = 0; some = 0; each = 0; at = F
	}
}

init
{
	atomic {
		run owner(D, D_ROUNDS);
		run owner(B, ROUNDS);
#ifdef NOWAIT
		run callbacks();
#endif
#ifdef WORK
		run work();
#endif
#ifdef MODULE
		run unload();
#endif
		run call()
	}
}

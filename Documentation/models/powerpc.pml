/* SPDX-License-Identifier: GPL-2.0 */
/*
 * powerpc64: the ops in the stub of a function, the BL of the stub and the branch of
 * the call site, which others execute while they change. See README.rst for how to
 * read this and for what is assumed of the architecture.
 *
 *	f+8:	nop or b stub		what changes
 *	f+12:	nop			what follows the nop at f+8
 *
 *	stub-8:	ops			data: the ops to call
 *	stub:	mflr r0
 *		bl <entry>		ftrace_caller or ftrace_regs_caller
 *		mtlr r0
 *		b f+12
 *
 * There are three ops: A, R, which wants all registers, and D, a direct call, or
 * with LIVEPATCH A, D, and L, which replaces the function. Each gets registered
 * and unregistered once, in any order, and D may be modified meanwhile.
 */

#ifndef CHANGES
#define CHANGES		4	/* steps of the writer, of at most 7 */
#endif
#ifndef CALLS
#define CALLS		2
#endif

/* Ops, as members of a set, and what a call may reach: D's two targets */
#define A		1
#define R		2	/* or L */
#define D		4
#define D2		8

/* What a stub names: the nop ops, one of the ops, or a set from SET on */
#define NOP_OPS		0
#define A_OPS		1
#define R_OPS		2
#define D_OPS		3
#define SET		4
#define OBJECTS		14

/* What an instruction is: of the site, of the stub, or what redirect is */
#define NOP		0
#define BRANCH		1
#define CALLER		1
#define REGS		2
#define T1		4
#define T2		5

#define VERSIONS	14

/* As in arm64.pml: all values of what is stored while others read it */
byte ops[VERSIONS], ops_cur, ops_seen;
short ops_view[VERSIONS];	/* objects whose contents come before the ops */
byte site[VERSIONS], site_cur, site_pou, site_floor;
byte entry[VERSIONS], entry_cur, entry_pou, entry_floor;
byte direct_cur, direct_seen;	/* D's ops->redirect: 0 for T1, 1 for T2 */

byte members[OBJECTS];
byte objects = SET;
short stored, ordered, synced, freed;	/* objects, see arm64.pml */
bool tramp_freed[6];
bool patch_freed;		/* the function of the live patch */

byte mask;			/* who is registered */
byte unused = NOP_OPS;		/* a set that the stub does not name any more */
bool in_call, asleep, in_patch, text_mutex;

/* What calls may reach: a bit for each state between "known" and now */
short legal = 1, allowed = 1;
#define STATE(m, d)	(1 << ((m & 3) | (m & D -> (d -> D2 : D) : 0)))

#define ptr_bit(p)	(1 << (p))

/* One of the values between "from" and "to" */
inline any(k, from, to)
{
	k = from;
	do
	:: k < to -> k++
	:: break
	od
}

inline context_sync()
{
	site_floor = site_pou;
	entry_floor = entry_pou
}

inline sees_all()
{
	ops_seen = ops_cur;
	direct_seen = direct_cur;
	synced = stored
}

inline may_stop()
{
	if
	:: skip
	:: goto stopped
	fi
}

/*
 * synchronize_rcu_tasks() or call_rcu_tasks(). No context synchronization: a CPU
 * that polls while it is idle may get there without an interrupt. Who sleeps in
 * a trampoline is not waited for.
 */
inline wait_tasks()
{
#ifndef NO_TASKS
	atomic { !in_call || asleep -> sees_all() };
#endif
	skip
}

/* kernel/trace/ftrace.c:ftrace_wait_for_callers, see arm64.pml for both waits */
inline wait_for_callers()
{
	wait_tasks()
}

/*
 * arch/powerpc/lib/code-patching.c:patch_batch_u64, __patch_u64 - no barrier, neither
 * before what is stored next
 */
inline patch_u64(ptr)
{
	d_step {
		ops_cur++;
		assert(ops_cur < VERSIONS);
		ops[ops_cur] = ptr;
		ops_view[ops_cur] = ordered
	}
}

/*
 * arch/powerpc/lib/code-patching.c:patch_batch_instruction, __patch_instruction -
 * dcbst; sync; icbi; sync; isync. Nobody fetches the old one any more after that.
 */
inline patch_entry(new)
{
	if
	:: entry[entry_cur] != new ->
		d_step {
			entry_cur++;
			assert(entry_cur < VERSIONS);
			entry[entry_cur] = new
		};
#ifndef NO_CACHE_MAINTENANCE
		entry_pou = entry_cur
#endif
	:: else
	fi
}

inline patch_site(new)
{
	if
	:: site[site_cur] != new ->
		d_step {
			site_cur++;
			assert(site_cur < VERSIONS);
			site[site_cur] = new
		};
#ifndef NO_CACHE_MAINTENANCE
		site_pou = site_cur
#endif
	:: else
	fi
}

/* kernel/trace/ftrace.c:ftrace_rec_bind, ftrace_rec_call_ops, ftrace_new_set */
inline call_ops()
{
	if
	:: m == 0 -> p = NOP_OPS
	:: m == A -> p = A_OPS
	:: m == R -> p = R_OPS
	:: m == D -> p = D_OPS
	:: else ->
		p = objects;
		d_step {
			objects++;
			assert(objects <= OBJECTS);
			members[p] = m;
			stored = stored | ptr_bit(p)
		}
#ifndef NO_SET_WMB
		ordered = stored	/* smp_wmb() */
#endif
	fi
}

/* arch/powerpc/kernel/trace/ftrace_64_mprofile.c:arch_ftrace_set_ops */
inline set_ops()
{
	if
#ifdef NO_NOP_OPS
	:: m == 0 -> skip
#endif
	:: else -> patch_u64(p)
	fi
}

/* arch/powerpc/kernel/trace/ftrace_64_mprofile.c:ftrace_stub_set_entry */
inline set_entry()
{
	if
	:: m == 0 -> skip	/* ftrace_make_nop(): the BL stays as it is */
#ifndef LIVEPATCH
	:: m != 0 && m & R -> patch_entry(REGS)
	:: m != 0 && !(m & R) -> patch_entry(CALLER)
#else
	:: else
#endif
	fi
}

/*
 * arch/powerpc/kernel/trace/ftrace_64_mprofile.c:ftrace_make_call,
 * ftrace_modify_call, ftrace_make_nop
 */
inline change(members_now)
{
	d_step {
		m = members_now;
		legal = legal | STATE(m, direct_cur);
		allowed = allowed | STATE(m, direct_cur);
		unused = (ops[ops_cur] >= SET -> ops[ops_cur] : NOP_OPS);
		mask = m
	}
	text_mutex = true;
	call_ops();
	set_ops();
	may_stop();
	set_entry();
	patch_site((m -> BRANCH : NOP));
	text_mutex = false;
	legal = STATE(m, direct_cur)
}

/* What core.pml is about: sets that no call site points to any more */
inline free_sets()
{
	if
	:: unused != NOP_OPS -> freed = freed | ptr_bit(unused)
	:: else
	fi
}

/* kernel/trace/ftrace.c:__register_ftrace_function, register_ftrace_direct_multi */
inline register(o, ptr)
{
	stored = stored | ptr_bit(ptr);
#ifndef NO_INIT_ORDER
	/*
	 * include/linux/rcupdate.h:rcu_assign_pointer of add_ftrace_ops(): a
	 * smp_store_release(), which here is a lwsync before the store
	 */
	ordered = stored;
#endif
	change(mask | o);
	wait_for_callers();	/* ftrace_sets_workfn() */
	free_sets()
}

/* kernel/trace/ftrace.c:ftrace_shutdown */
inline unregister(o, ptr)
{
#ifdef LIVEPATCH
	/* A live patch does not go while its function is on somebody's stack */
	if
	:: ptr == R_OPS -> !in_patch
	:: else
	fi;
#endif
	change(mask & ~o);
#ifndef NO_SHUTDOWN_WAIT
	wait_for_callers();
#endif
	free_sets();
	freed = freed | ptr_bit(ptr);
#ifdef LIVEPATCH
	if
	:: ptr == R_OPS -> !in_patch; patch_freed = true
	:: else
	fi
#endif
}

/* kernel/trace/ftrace.c:__modify_ftrace_direct_multi, see riscv.pml */
inline modify()
{
	d_step {
		direct_cur = 1;
		legal = legal | STATE(mask, 1);
		allowed = allowed | STATE(mask, 1)
	}
	wait_tasks();		/* of the owner */
#ifndef LIVEPATCH
	tramp_freed[T1] = true;
#endif
	legal = STATE(mask, 1)
}

proctype writer()
{
	byte done_ops, m, p, n;

	do
	:: n < CHANGES ->
		n++;
		if
		:: !(done_ops & A) -> done_ops = done_ops | A; register(A, A_OPS)
		:: mask & A -> unregister(A, A_OPS)
		:: !(done_ops & R) -> done_ops = done_ops | R; register(R, R_OPS)
		:: mask & R -> unregister(R, R_OPS)
		:: !(done_ops & D) -> done_ops = done_ops | D; register(D, D_OPS)
		:: mask & D ->
			unregister(D, D_OPS);
#ifndef LIVEPATCH
			/* Those that sleep in it are its owner's affair */
			tramp_freed[T1] = true;
			tramp_freed[T2] = true
#endif
		:: (mask & D) && !direct_cur -> modify()
		:: done_ops == (A|R|D) && !mask -> break
		fi
	:: n == CHANGES -> break
	od;
	goto done;
stopped:
end_stopped:
	false;
done:
	skip
}

#define ALIVE(ptr)	(!(freed & ptr_bit(ptr)))

inline deref(ptr, k)
{
	assert(ALIVE(ptr));
	assert(ptr == NOP_OPS || ops_view[k] & ptr_bit(ptr) ||
	       synced & ptr_bit(ptr))
}

/* arch/powerpc/kernel/trace/ftrace_64_mprofile_entry.S:ftrace_regs_entry, STUB_OPS */
inline load_ops()
{
	atomic {
		any(k, ops_seen, ops_cur);
		ops_seen = k;
		r11 = ops[k]
	}
}

/* D's ops->redirect, which may change at any time */
inline load_direct()
{
	atomic {
		any(j, direct_seen, direct_cur);
		direct_seen = j;
		r12 = (j -> T2 : T1)
	}
}

/* the call in ftrace_regs_entry, kernel/trace/ftrace.c:ftrace_call_set */
inline call_func(regs)
{
	deref(r11, k);
	r12 = 0;
	m = (r11 == A_OPS -> A : (r11 == R_OPS -> R : (r11 == D_OPS -> D :
	    (r11 == NOP_OPS -> 0 : members[r11]))));
	if
#ifdef LIVEPATCH
	:: m & R -> assert(ALIVE(R_OPS)); nip = true
#else
	:: m & R -> assert(regs && ALIVE(R_OPS)); reached = reached | R
#endif
	:: else
	fi;
	if
	:: m & A -> assert(ALIVE(A_OPS)); reached = reached | A
	:: else
	fi;
	if
	:: m & D -> assert(ALIVE(D_OPS)); load_direct()
	:: else
	fi
}

inline run_trampoline()
{
	assert(!tramp_freed[r12]);
	reached = reached | (r12 == T1 -> D : D2);
#ifdef LIVEPATCH
	if
	:: nip -> asleep = true; asleep = false
	:: else
	fi;
#endif
	assert(!tramp_freed[r12])
}

/*
 * arch/powerpc/kernel/trace/ftrace_64_mprofile.c:livepatch_direct_redo: the ops
 * that replaces the function now, whoever did it before the trampoline. Which
 * function that is the trampoline has kept in R11; here there is only one.
 */
inline redo()
{
#ifndef KEEP_NIP
	nip = (mask & R -> true : false)
#endif
	skip
}

inline call()
{
	/* Perhaps the caller has learnt of the last change, and its CPU has
	 * synchronized its context since
	 */
	atomic {
		in_call = true;
		if
		:: allowed = legal; sees_all(); context_sync()
		:: skip
		fi
	}
#ifdef CALL_TAKES_LOCK
	!text_mutex;
#endif
	reached = 0;
	nip = false;
	atomic { any(k, site_floor, site_cur); pc = site[k] }
#ifdef MFLR_AT_SITE
	/*
	 * If the two instructions were mflr r0 and bl while traced, and nops else
	 */
	r0 = (pc == BRANCH);
	atomic { any(k, site_floor, site_cur); pc = site[k] }
	assert(pc == NOP || r0);
#endif
	if
	:: pc == NOP
	:: pc == BRANCH ->
		/* The BL of the stub */
		atomic { any(k, entry_floor, entry_cur); pc = entry[k] }
		if
		:: pc == CALLER ->
			/* arch/powerpc/kernel/trace/ftrace_64_mprofile_entry.S:ftrace_caller */
			load_ops();
			deref(r11, k);
			if
			:: r11 == D_OPS -> load_direct()
#ifndef LIVEPATCH
			:: r11 == R_OPS || (r11 >= SET && members[r11] & R) ->
#ifndef NO_REGS_DIRECT_CALL
				r12 = REGS
#else
				r12 = 0
#endif
#endif
			:: else -> r12 = 0
			fi;
			if
			:: r12 == 0 -> call_func(false)
			:: r12 == REGS -> load_ops(); call_func(true)
			:: r12 == T1 || r12 == T2
			fi
		:: pc == REGS ->
			/* arch/powerpc/kernel/trace/ftrace_64_mprofile_entry.S:ftrace_regs_caller */
			load_ops();
			call_func(true)
		fi;
		if
		:: r12 == T1 || r12 == T2 ->	/* ftrace_hand_over */
			run_trampoline();
#ifdef LIVEPATCH
			/* livepatch_direct_again */
			if
			:: nip -> redo()
			:: else
			fi
#endif
		:: else
		fi
	fi;
#ifdef LIVEPATCH
	/*
	 * livepatch_handler: from here on the function is on the stack. Until
	 * then the task has not slept since it asked for the function.
	 */
	if
	:: nip ->
		assert(!patch_freed);
		in_patch = true;
		in_call = false;
		reached = reached | R;
		assert(!patch_freed);
		in_patch = false
	:: else
	fi;
	atomic {
		in_call = false;
		/* Who is called all the time, and who is called at all */
		d_step {
			i = 0; some = 0; all = 15;
			do
			:: i < 16 ->
				if
				:: allowed & (1 << i) ->
					some = some | i; all = all & i
				:: else
				fi;
				i++
			:: i == 16 -> break
			od;
			i = 0
		}
		assert(!(reached & ~some) && !(all & ~reached));
		some = 0; all = 0; reached = 0
	}
#else
	atomic {
		assert((1 << reached) & allowed);
		in_call = false
	}
#endif
}

proctype reader()
{
	byte pc, r11, r12, reached, m, n, j, k, i, some, all;
	bool nip, r0;

	do
	:: n < CALLS -> n++; call()
	:: n == CALLS -> break
	od
}

init
{
	atomic {
		stored = ptr_bit(NOP_OPS);
		/* arch/powerpc/kernel/trace/ftrace_64_mprofile.c:ftrace_init_nop */
		entry[0] = CALLER;
		run writer();
		run reader()
	}
}

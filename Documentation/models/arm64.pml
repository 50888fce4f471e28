/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64: the literal and the branch of one call site, which others execute while
 * they change. See README.rst for how to read this and for what is assumed of
 * the architecture.
 *
 *	f-8:	literal		data: the ops to call
 *	f:	MOV X9, LR	written by ftrace_init_nop()
 *	f+4:	NOP or BL	what changes
 *
 * There are three ops: A, which may have a trampoline of its own (ops_tramp), R,
 * which wants all registers, and D, a direct call. Each gets registered and
 * unregistered once, in any order, and D may be modified meanwhile.
 */

#ifndef CHANGES
#define CHANGES		4	/* steps of the writer, of at most 7 */
#endif
#ifndef CALLS
#define CALLS		2
#endif

/* Ops, as members of a set, and what a call may reach: D's two targets */
#define A		1
#define R		2
#define D		4
#define D2		8
#define TMP		16	/* tmp_ops of __modify_ftrace_direct_multi() */

/* What a literal points to: the nop ops, one of the ops, or a set from SET on */
#define NOP_OPS		0
#define A_OPS		1
#define R_OPS		2
#define D_OPS		3
#define SET		4
#define OBJECTS		16

/* What the instruction is */
#define NOP		0
#define CALLER		1	/* BL ftrace_caller, perhaps by a PLT */
#define REGS		2	/* BL ftrace_regs_caller, perhaps by a PLT */
#define OPS_TRAMP	3	/* BL to the trampoline of A */
#define T1		4	/* BL to the first target of D */
#define T2		5	/* BL to the second one */

#define VERSIONS	16

/*
 * Words that the writer stores while others read them: all values they had.
 * A reader gets any of them between the last one that it has to see and the one
 * that was stored last. For a load that is also not older than what the same
 * task loaded before; for a fetch not even that is certain.
 */
byte lit[VERSIONS], lit_cur, lit_seen;
short lit_view[VERSIONS];	/* objects whose contents come before the literal */
byte insn[VERSIONS], insn_cur, insn_pou, insn_floor;
byte mov_cur, mov_pou, mov_floor;
byte direct_cur, direct_seen;	/* D's ops->redirect: 0 for T1, 1 for T2 */

byte members[OBJECTS];
byte objects = SET;
short stored;			/* objects whose contents have been stored, ... */
short ordered;			/* ... before the last barrier, ... */
short synced;			/* ... and seen by the reader in any case */
short freed;			/* objects whose memory is free */
bool tramp_freed[6];

byte mask;			/* who is registered */
byte unused = NOP_OPS;		/* a set that the call site has left */
bool in_call, live, text_mutex;

/* What calls may reach: a bit for each state between "known" and now */
short legal = 1, allowed = 1;
#define STATE(m, d)	(1 << ((m & 3) | (m & D -> (d -> D2 : D) : 0)))

#define ptr_bit(p)	(1 << (p))

/* The reader's CPU executes a context synchronization event */
inline context_sync()
{
	insn_floor = insn_pou;
	mov_floor = mov_pou;
}

/* ... and the reader sees all that the writer has stored */
inline sees_all()
{
	lit_seen = lit_cur;
	direct_seen = direct_cur;
	synced = stored;
}

/* A writer may be away for any time, and no call may wait for it */
inline may_stop()
{
	if
	:: skip
	:: goto stopped
	fi
}

/* kernel/trace/ftrace.c:ftrace_wait_for_callers */
inline wait_for_callers()
{
	/*
	 * synchronize_rcu_tasks_rude(): all CPUs schedule. That is all if the
	 * caller is in an idle task; who is preempted is not waited for.
	 */
#ifdef IDLE
#ifndef NO_RUDE
	atomic { !in_call -> sees_all();
#ifndef NO_CONTEXT_SYNC
		context_sync();
#endif
	}
#endif
#else
	/* synchronize_rcu_tasks(): all tasks have been off a call */
	wait_tasks();
#endif
	skip
}

/* synchronize_rcu_tasks() or call_rcu_tasks(), of the owner of a trampoline, too */
inline wait_tasks()
{
#ifndef NO_TASKS
	atomic { !in_call -> sees_all();
#ifndef NO_CONTEXT_SYNC
		context_sync();
#endif
	}
#endif
	skip
}

/* arch/arm64/kernel/patching.c:aarch64_insn_patch_batch_literal */
inline write_literal(p)
{
#ifndef NO_INIT_ORDER
	/* smp_wmb(): whatever was stored before comes before the literal */
	ordered = stored;
#endif
	d_step {
		lit_cur++;
		assert(lit_cur < VERSIONS);
		lit[lit_cur] = p;
		lit_view[lit_cur] = ordered;
	}
}

/* arch/arm64/kernel/patching.c:aarch64_insn_patch_batch_insn */
inline patch_text(new)
{
	if
	:: insn[insn_cur] != new ->
		d_step {
			insn_cur++;
			assert(insn_cur < VERSIONS);
			insn[insn_cur] = new;
		}
#ifndef NO_CACHE_MAINTENANCE
		/* caches_clean_inval_pou(): nobody fetches the old one any more */
		insn_pou = insn_cur;
#endif
	:: else
	fi
}

/* kernel/trace/ftrace.c:ftrace_rec_bind, ftrace_rec_call_ops, ftrace_new_set */
inline call_ops(m)
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
			stored = stored | ptr_bit(p);
		}
#ifndef NO_SET_WMB
		ordered = stored;	/* smp_wmb() */
#endif
	fi
}

/* kernel/trace/ftrace.c:ftrace_get_addr_new, and what of that a BL reaches:
 * arch/arm64/kernel/ftrace.c:ftrace_find_callable_addr
 */
inline get_addr(m)
{
	if
	:: m == 0 -> addr = NOP
#ifndef FAR
	:: m == D -> addr = (direct_cur -> T2 : T1)
#ifdef TRAMPOLINE
	:: m == A -> addr = OPS_TRAMP
#endif
#else
	:: m == D -> addr = CALLER
#endif
	:: m != D && (m & R) -> addr = REGS
#if defined(TRAMPOLINE) && !defined(FAR)
	:: m != D && m != A && m != 0 && !(m & R) -> addr = CALLER
#else
	:: m != D && m != 0 && !(m & R) -> addr = CALLER
#endif
	fi
}

/* arch/arm64/kernel/ftrace.c:ftrace_make_call, ftrace_modify_call, ftrace_make_nop:
 * they differ in what they expect to be there
 */
inline change(members_now)
{
	d_step {
		m = members_now;
		legal = legal | STATE(m, direct_cur);
		allowed = allowed | STATE(m, direct_cur);
		unused = (lit[lit_cur] >= SET -> lit[lit_cur] : NOP_OPS);
		mask = m;
	}
	text_mutex = true;
	call_ops(m);
	get_addr(m);
#ifdef NO_NOP_OPS
	if
	:: m == 0 -> skip	/* the literal stays */
	:: else ->
#endif
	/* arch/arm64/kernel/ftrace.c:arch_ftrace_set_ops */
	write_literal(p);
#ifdef NO_NOP_OPS
	fi;
#endif
	may_stop();
	patch_text(addr);
	text_mutex = false;
	legal = STATE(m, direct_cur);
}

/* What core.pml is about: sets that no call site points to any more */
inline free_sets()
{
	if
	:: unused != NOP_OPS -> freed = freed | ptr_bit(unused)
	:: else
	fi
}

/* kernel/trace/ftrace.c:__register_ftrace_function, register_ftrace_direct_multi:
 * call and redirect of the ops; arch/arm64/kernel/ftrace.c:create_trampoline
 */
inline register(o, ptr)
{
	stored = stored | ptr_bit(ptr);
	change(mask | o);
	/* ftrace_sets_workfn() for the set that is not used any more */
	wait_for_callers();
	free_sets();
}

/* kernel/trace/ftrace.c:ftrace_shutdown, ftrace_trampoline_free */
inline unregister(o, ptr)
{
	change(mask & ~o);
#ifndef NO_SHUTDOWN_WAIT
	wait_for_callers();
#endif
	free_sets();
	freed = freed | ptr_bit(ptr);
	if
	:: ptr == A_OPS -> tramp_freed[OPS_TRAMP] = true
	:: else
	fi
}

/* kernel/trace/ftrace.c:__modify_ftrace_direct_multi */
inline modify()
{
	stored = stored | ptr_bit(0);
#ifndef NO_TMP_OPS
	change(mask | TMP);
#endif
	d_step {
		direct_cur = 1;		/* WRITE_ONCE(ops->redirect, addr) */
		legal = legal | STATE(mask, 1);
		allowed = allowed | STATE(mask, 1);
	}
#ifndef NO_TMP_OPS
	change(mask & ~TMP);
#endif
	/* The owner waits before it frees what was called */
	wait_tasks();
	free_sets();
	tramp_freed[T1] = true;
	legal = STATE(mask, 1)
}

proctype writer()
{
	byte done_ops, m, p, addr, n;

#ifdef MODULE
	/* arch/arm64/kernel/ftrace.c:ftrace_init_nop */
	write_literal(NOP_OPS);
	mov_cur = 1;
	mov_pou = 1;
	/* kernel/trace/ftrace.c:ftrace_module_enable */
	if
	:: stored = ptr_bit(A_OPS); done_ops = A; change(A)
	:: skip
	fi;
	/*
	 * Whoever calls into the module has been told of it, and its CPU has
	 * taken an exception since.
	 */
	d_step {
		sees_all();
#ifndef NO_MODULE_SYNC
		context_sync();
#endif
		allowed = legal;
		live = true
	}
#endif
	do
	:: n < CHANGES ->
		n++;
		if
		:: !(done_ops & A) -> done_ops = done_ops | A; register(A, A_OPS)
		:: mask & A -> unregister(A, A_OPS)
		:: !(done_ops & R) -> done_ops = done_ops | R; register(R, R_OPS)
		:: mask & R -> unregister(R, R_OPS)
#ifndef IDLE
		:: !(done_ops & D) -> done_ops = done_ops | D; register(D, D_OPS)
		:: mask & D ->
			unregister(D, D_OPS);
			tramp_freed[T1] = true;
			tramp_freed[T2] = true
		:: (mask & D) && !direct_cur -> modify()
#endif
		:: done_ops == (A|R|D) && !mask -> break
#ifdef IDLE
		:: done_ops == (A|R) && !mask -> break
#endif
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

/* One of the values between "from" and "to" */
inline any(k, from, to)
{
	k = from;
	do
	:: k < to -> k++
	:: break
	od
}

#define ALIVE(ptr)	(!(freed & ptr_bit(ptr)))

/* A load by way of a pointer from version k of the literal: address dependency */
inline deref(ptr, k)
{
	assert(ALIVE(ptr));
	assert(ptr == NOP_OPS || lit_view[k] & ptr_bit(ptr) ||
	       synced & ptr_bit(ptr))
}

/* arch/arm64/kernel/entry-ftrace.S:ftrace_load_ops */
inline load_ops()
{
	atomic {
		any(k, lit_seen, lit_cur);
		lit_seen = k;
		x11 = lit[k]
	}
}

/* The target of D: ops->redirect may change at any time */
inline load_direct()
{
	atomic {
		any(j, direct_seen, direct_cur);
		direct_seen = j;
		x17 = (j -> T2 : T1)
	}
}

/* arch/arm64/kernel/entry-ftrace.S:ftrace_call_func, blr x4, and for a set
 * kernel/trace/ftrace.c:ftrace_call_set
 */
inline call_func(regs)
{
	deref(x11, k);
	x17 = 0;
	m = (x11 == A_OPS -> A : (x11 == R_OPS -> R : (x11 == D_OPS -> D :
	    (x11 == NOP_OPS -> 0 : members[x11]))));
	if
	:: m & R -> assert(regs && ALIVE(R_OPS)); reached = reached | R
	:: else
	fi;
	if
	:: m & A -> assert(ALIVE(A_OPS)); reached = reached | A
	:: else
	fi;
	if
	:: m & D -> assert(ALIVE(D_OPS)); load_direct()	/* call_direct_funcs */
	:: else
	fi
}

/* Another instruction stream: it has to be there as long as somebody is in it */
inline run_trampoline(t)
{
	assert(!tramp_freed[t]);
	reached = reached | (t == OPS_TRAMP -> A : (t == T1 -> D : D2));
	assert(!tramp_freed[t])
}

inline call()
{
	/* Perhaps the caller has learnt of the last change, and its CPU has
	 * executed a context synchronization event since
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
	atomic { any(i, mov_floor, mov_cur); any(k, insn_floor, insn_cur) }
	pc = insn[k];
	assert(pc == NOP || i == 1);	/* X9 is the return address */
	if
	:: pc == NOP
	:: pc == CALLER ->
		/* arch/arm64/kernel/entry-ftrace.S:ftrace_caller */
		load_ops();
		deref(x11, k);
		if
		:: x11 == D_OPS -> load_direct()
		:: x11 == R_OPS || (x11 >= SET && members[x11] & R) ->
			/* __register_ftrace_function, ftrace_new_set: redirect */
#ifndef NO_REGS_DIRECT_CALL
			x17 = REGS
#else
			x17 = 0
#endif
#ifdef TRAMPOLINE
		:: x11 == A_OPS -> x17 = OPS_TRAMP
		:: else -> x17 = 0
#else
		:: else -> x17 = 0
#endif
		fi;
		if
		:: x17 == 0 -> call_func(false)
		:: x17 == REGS -> load_ops(); call_func(true)
		:: x17 == OPS_TRAMP || x17 == T1 || x17 == T2 -> skip
		fi
	:: pc == REGS -> load_ops(); call_func(true)
	:: pc == OPS_TRAMP || pc == T1 || pc == T2 -> x17 = pc
	fi;
	/* BR x17 or the target of the BL itself */
	if
	:: pc != NOP && x17 >= OPS_TRAMP -> run_trampoline(x17)
	:: else
	fi;
	atomic {
		assert((1 << reached) & allowed);
		in_call = false
	}
}

proctype reader()
{
	byte pc, x11, x17, reached, m, n, i, j, k;

end_not_live:
	live;
	do
	:: n < CALLS -> n++; call()
	:: n == CALLS -> break
	od
}

init
{
	atomic {
		stored = ptr_bit(NOP_OPS);
#ifndef MODULE
		mov_cur = 1; mov_pou = 1; mov_floor = 1;
		live = true;
#endif
		run writer();
		run reader()
	}
}

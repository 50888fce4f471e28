/* SPDX-License-Identifier: GPL-2.0 */
/*
 * riscv: the literal and the instruction of one call site, which harts execute
 * while it changes. Harts come online and go meanwhile. See README.rst for how
 * to read this and for what is assumed of the architecture.
 *
 *	f-8:	literal			data: the ops to call
 *	f:	auipc t0, <page>	written by ftrace_init_nop()
 *	f+4:	nop or jalr t0, ..(t0)	what changes
 *
 * There are three ops: A, R, which wants all registers, and D, a direct call.
 * Each gets registered and unregistered once, in any order, and D may be
 * modified meanwhile. The writer is on hart 0, callers are on both.
 */

#ifndef CHANGES
#define CHANGES		3	/* steps of the writer, of at most 7 */
#endif
#ifndef CALLS
#define CALLS		2
#endif

/* Ops, as members of a set, and what a call may reach: D's two targets */
#define A		1
#define R		2
#define D		4
#define D2		8

/* What a literal points to: the nop ops, one of the ops, or a set from SET on */
#define NOP_OPS		0
#define A_OPS		1
#define R_OPS		2
#define D_OPS		3
#define SET		4
#define OBJECTS		14

/* What the instruction is */
#define NOP		0
#define JALR		1

/* What ftrace_caller goes on to */
#define REGS		2
#define T1		4
#define T2		5

#define VERSIONS	14

/*
 * Words that the writer stores while others read them: all values they had.
 * A load gets any of them between the last one that the task has to see, which
 * includes what it loaded before, and the one that was stored last. A fetch gets
 * any since the last fence.i of the hart, that one as it was visible then.
 */
byte lit[VERSIONS], lit_cur, lit_seen;
short lit_view[VERSIONS];	/* objects whose contents come before the literal */
byte insn[VERSIONS], insn_cur;
byte insn_visible;		/* to all harts: stores before the last mb() */
byte insn_floor[2];
bool auipc_cur, auipc_visible, auipc_floor[2];
byte direct_cur, direct_seen;	/* D's ops->redirect: 0 for T1, 1 for T2 */

byte members[OBJECTS];
byte objects = SET;
short stored, ordered, synced, freed;	/* objects, see arm64.pml */
bool tramp_freed[6];

byte mask;			/* who is registered */
byte unused = NOP_OPS;		/* a set that the call site has left */
bool in_call, live, text_mutex;
byte hart;			/* where the caller is */

bool online = ONLINE;		/* hart 1: whether it is in cpu_online_mask */
bool online_visible = ONLINE;	/* ... for hart 0, too */
bool stopped_hart = !ONLINE;	/* does not answer any more, or not yet */
bool asked;			/* a fence.i of hart 1, by SBI */
bool preempt_off;		/* the writer cannot be stopped by stop_machine() */

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

/* Fetches see what is visible to the hart, and that is what mb() made so, or more */
inline fence_i(h, k, n)
{
	atomic {
		n = (insn_floor[h] < insn_visible -> insn_visible : insn_floor[h]);
		any(k, n, insn_cur);
		insn_floor[h] = (h == 0 -> insn_cur : k);
		if
		:: auipc_visible || h == 0 -> auipc_floor[h] = auipc_cur
		:: else
		fi;
		k = 0; n = 0
	}
}

inline sees_all()
{
	lit_seen = lit_cur;
	direct_seen = direct_cur;
	synced = stored;
}

inline may_stop()
{
	if
	:: skip
	:: goto stopped
	fi
}

/* synchronize_rcu_tasks() or call_rcu_tasks() */
inline wait_tasks()
{
#ifndef NO_TASKS
	atomic { !in_call -> sees_all() };
#endif
	skip
}

/* kernel/trace/ftrace.c:ftrace_wait_for_callers, see arm64.pml for both waits */
inline wait_for_callers()
{
	wait_tasks()
}

/*
 * arch/riscv/kernel/patch.c:patch_literal_u64, patch_batch_write, patch_write.
 * The fixmap window is not here: the writer stays on its hart.
 */
inline patch_literal(ptr)
{
	d_step {
		lit_cur++;
		assert(lit_cur < VERSIONS);
		lit[lit_cur] = ptr;
		lit_view[lit_cur] = ordered;
	}
}

/*
 * arch/riscv/kernel/patch.c:patch_batch_insn, patch_batch_write; and, before the site
 * is live, with a fence.i on this hart, arch/riscv/kernel/patch.c:patch_text_local,
 * patch_write
 */
inline patch_insn(new)
{
	if
	:: insn[insn_cur] != new ->
		d_step {
			insn_cur++;
			assert(insn_cur < VERSIONS);
			insn[insn_cur] = new;
			insns_written = true;
#ifdef LOCAL_FENCE
			/* local_flush_icache_all() */
			insn_floor[0] = insn_cur;
#endif
			skip
		}
	:: else
	fi
}

/* arch/riscv/mm/cacheflush.c:flush_icache_all, arch/riscv/kernel/sbi.c:__sbi_rfence_v02 */
inline flush_icache_all()
{
#ifndef NO_RFENCE_PREEMPT_DISABLE
	preempt_off = true;
#endif
	/* local_flush_icache_all() */
	d_step { insn_floor[0] = insn_cur; auipc_floor[0] = auipc_cur };
#ifndef NO_FLUSH_MB
	/* mb() */
	insn_visible = insn_cur;
	auipc_visible = auipc_cur;
#endif
	if
	:: online_visible ->
		may_stop();
		/* The SBI call returns when all harts have executed it */
		asked = true;
		!asked
	:: !online_visible
	fi;
	preempt_off = false
}

/*
 * arch/riscv/kernel/ftrace.c:ftrace_arch_code_modify_post_process
 * arch/riscv/kernel/patch.c:patch_batch_end
 */
inline post_process()
{
#ifndef NO_REMOTE_FENCE
	if
	:: insns_written -> flush_icache_all()
	:: else
	fi;
#else
	/* local_flush_icache_all() is all that is left of it */
	d_step { insn_floor[0] = insn_cur; auipc_floor[0] = auipc_cur };
#endif
	insns_written = false;
	text_mutex = false
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
			stored = stored | ptr_bit(p);
		}
#ifndef NO_SET_WMB
		ordered = stored;	/* smp_wmb() */
#endif
	fi
}

/*
 * arch/riscv/kernel/ftrace.c:ftrace_make_call, ftrace_modify_call,
 * ftrace_make_nop, ftrace_modify_insn, ftrace_arch_code_modify_prepare
 * arch/riscv/kernel/patch.c:patch_batch_begin
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
	call_ops();
#ifdef NO_NOP_OPS
	if
	:: m == 0 -> skip	/* the literal stays */
	:: else ->
#endif
	/* arch/riscv/kernel/ftrace.c:arch_ftrace_set_ops */
	patch_literal(p);
#ifdef NO_NOP_OPS
	fi;
#endif
	may_stop();
#ifdef AUIPC_CHANGES
	/* An auipc that comes and goes */
	d_step {
		auipc_cur = (m != 0);
		auipc_floor[0] = auipc_cur;
	}
#endif
	patch_insn((m -> JALR : NOP));
	post_process();
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

/* kernel/trace/ftrace.c:__register_ftrace_function, register_ftrace_direct_multi */
inline register(o, ptr)
{
	stored = stored | ptr_bit(ptr);
#ifndef NO_INIT_ORDER
	/*
	 * include/linux/rcupdate.h:rcu_assign_pointer of add_ftrace_ops(): a
	 * smp_store_release(), which here is a fence rw,w before the store
	 */
	ordered = stored;
#endif
	change(mask | o);
	wait_for_callers();	/* ftrace_sets_workfn() */
	free_sets();
}

/* kernel/trace/ftrace.c:ftrace_shutdown */
inline unregister(o, ptr)
{
	change(mask & ~o);
#ifndef NO_SHUTDOWN_WAIT
	wait_for_callers();
#endif
	free_sets();
	freed = freed | ptr_bit(ptr);
}

/*
 * kernel/trace/ftrace.c:__modify_ftrace_direct_multi: all there is to it here is
 * what ftrace_caller loads. What it does with tmp_ops is for arm64.
 */
inline modify()
{
	d_step {
		direct_cur = 1;
		legal = legal | STATE(mask, 1);
		allowed = allowed | STATE(mask, 1);
	}
	wait_tasks();		/* of the owner */
	tramp_freed[T1] = true;
	legal = STATE(mask, 1)
}

proctype writer()
{
	byte done_ops, m, p, n;
	bool insns_written;

#ifdef MODULE
	/* arch/riscv/kernel/ftrace.c:ftrace_init_nop: the site is NOPs before */
	patch_literal(NOP_OPS);
	d_step { auipc_cur = 1; auipc_floor[0] = 1; }
	patch_insn(NOP);
	/* kernel/trace/ftrace.c:ftrace_module_enable */
	if
	:: d_step { stored = ptr_bit(NOP_OPS) | ptr_bit(A_OPS); ordered = stored;
		    done_ops = A }; change(A)
	:: skip
	fi;
#ifndef NO_MODULE_FENCE
	/* arch/riscv/kernel/ftrace.c:ftrace_module_notify */
	flush_icache_all();
#endif
	d_step { sees_all(); allowed = legal; live = true }
#endif
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
			tramp_freed[T1] = true;
			tramp_freed[T2] = true
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
	assert(ptr == NOP_OPS || lit_view[k] & ptr_bit(ptr) ||
	       synced & ptr_bit(ptr))
}

/* arch/riscv/kernel/mcount-dyn.S:ftrace_caller, REG_L a2, FTRACE_T0_TO_LITERAL(t0) */
inline load_ops()
{
	atomic {
		any(k, lit_seen, lit_cur);
		lit_seen = k;
		a2 = lit[k]
	}
}

/* D's ops->redirect, which may change at any time */
inline load_direct()
{
	atomic {
		any(j, direct_seen, direct_cur);
		direct_seen = j;
		t1 = (j -> T2 : T1)
	}
}

/* jalr t1 to the function of the ops, kernel/trace/ftrace.c:ftrace_call_set */
inline call_func(regs)
{
	deref(a2, k);
	t1 = 0;
	m = (a2 == A_OPS -> A : (a2 == R_OPS -> R : (a2 == D_OPS -> D :
	    (a2 == NOP_OPS -> 0 : members[a2]))));
	if
	:: m & R -> assert(regs && ALIVE(R_OPS)); reached = reached | R
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

/* The task may be preempted, and go on on another hart, between any two steps */
inline migrate()
{
	atomic {
		if
		:: online && !stopped_hart -> hart = 1
		:: hart = 0
		fi
	}
}

inline call()
{
	migrate();
	/* Perhaps the caller has learnt of the last change, by whatever message */
	atomic {
		in_call = true;
		if
		:: allowed = legal; sees_all()
		:: skip
		fi
	}
#ifdef CALL_TAKES_LOCK
	!text_mutex;
#endif
	reached = 0;
	/* auipc t0 */
	atomic { any(i, auipc_floor[hart], auipc_cur) }
#ifdef AUIPC_CHANGES
	atomic {
		if
		:: i = 0
		:: i = 1
		fi;
		if
		:: auipc_floor[hart] == auipc_cur -> i = auipc_cur
		:: else
		fi
	}
#endif
	migrate();
	/* nop or jalr t0, ..(t0) */
	atomic { any(k, insn_floor[hart], insn_cur) }
	if
	:: insn[k] == NOP
	:: insn[k] == JALR ->
		assert(i == 1);		/* t0 is what the auipc has left */
		/* arch/riscv/kernel/mcount-dyn.S:ftrace_caller */
		load_ops();
		deref(a2, k);
		if
		:: a2 == D_OPS -> load_direct()
		:: a2 == R_OPS || (a2 >= SET && members[a2] & R) ->
#ifndef NO_REGS_DIRECT_CALL
			t1 = REGS
#else
			t1 = 0
#endif
		:: else -> t1 = 0
		fi;
		if
		:: t1 == 0 -> call_func(false)
		:: t1 == REGS ->
			/* arch/riscv/kernel/mcount-dyn.S:ftrace_regs_caller */
			load_ops();
			call_func(true)
		:: t1 == T1 || t1 == T2
		fi;
		if
		:: t1 == T1 || t1 == T2 ->	/* jr t1 */
			assert(!tramp_freed[t1]);
			reached = reached | (t1 == T1 -> D : D2);
			assert(!tramp_freed[t1])
		:: else
		fi
	fi;
	atomic {
		assert((1 << reached) & allowed);
		in_call = false
	}
}

proctype reader()
{
	byte a2, t1, reached, m, n, i, j, k;

end_not_live:
	live;
	do
	:: n < CALLS -> n++; call()
	:: n == CALLS -> break
	od
}

/* Hart 1, which nobody else can be on before it has come online */
proctype hart1()
{
	byte k, n;

	if
	:: !ONLINE ->
		/* arch/riscv/kernel/smpboot.c:smp_callin */
		online = true;		/* set_cpu_online() */
#ifndef NO_CALLIN_MB
		online_visible = true;	/* smp_mb() */
#endif
#ifndef NO_CALLIN_FENCE
		fence_i(1, k, n);
#endif
		online_visible = true;
		stopped_hart = false
	:: else
	fi;
end_run:
	do
	:: asked && !stopped_hart -> fence_i(1, k, n); asked = false
#ifdef OFFLINE
	/*
	 * arch/riscv/kernel/cpu-hotplug.c:__cpu_disable by stop_machine(),
	 * which takes part on all CPUs, then the HSM call
	 */
	:: atomic { online && !stopped_hart && !preempt_off && hart == 0 ->
		    online = false; online_visible = false };
		if
		:: asked -> fence_i(1, k, n); asked = false	/* before that */
		:: skip
		fi;
		stopped_hart = true;
		break
#endif
	od;
end_off:
	false
}

init
{
	atomic {
		stored = ptr_bit(NOP_OPS);
#ifndef MODULE
#ifndef AUIPC_CHANGES
		auipc_cur = 1; auipc_visible = 1;
		auipc_floor[0] = 1; auipc_floor[1] = 1;
#endif
		live = true;
#endif
		run writer();
		run reader();
		run hart1()
	}
}

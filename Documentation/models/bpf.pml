/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is attached to a BPF program, on riscv (RISCV) and powerpc64 (otherwise), the
 * instruction by which a trampoline skips the programs that run after the traced
 * function, and how long trampolines and programs live. See README.rst for how to
 * read this and for what is assumed of the architectures.
 *
 *	program:  nop or branch		trampoline:	call two fentry programs
 *		  ...					call what is traced
 *	stub:	  load target, go	ip_after_call:	nop or branch to epilogue
 *		  target: data				call a fexit program
 *					epilogue:	return
 *
 * Without fexit programs (FENTRY), the trampoline returns to what is traced. The
 * first of the programs (SLEEPABLE=1), or both fentry programs (SLEEPABLE=2), can
 * sleep.
 *
 * The writer attaches one trampoline, perhaps replaces it with another one, and
 * detaches it, perhaps several times.
 */

#ifndef CHANGES
#define CHANGES		4
#endif
#ifndef CALLS
#define CALLS		2
#endif
#ifndef SLEEPABLE
#define SLEEPABLE	0
#endif

#define IMAGES		(CHANGES + 1)	/* from 1 on */
#define UNUSED		0	/* the target that leads back to the program */
#define GARBAGE		15
#define VERSIONS	(CHANGES + 1)

/* As in arm64.pml: all values of what is stored while others read it */
byte target[VERSIONS], target_cur, target_seen;
bool insn[VERSIONS];		/* of the program: is it the branch? */
byte insn_cur, insn_pou, insn_floor;
bool after_cur[IMAGES], after_pou[IMAGES], after_floor[IMAGES];	/* ip_after_call */

byte images = 1;		/* used so far */
bool image_freed[IMAGES], prog_freed[IMAGES];
byte attached;
byte in_prog;			/* of which image: rcu_read_lock(), or ..._trace() */
byte refs;			/* what bpf_tramp_image::inside adds up to, see image.pml */
bool in_call, asleep, text_mutex;

/* What calls may reach: a bit for each image between "known" and now */
short legal = 1, allowed = 1;

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
	d_step {
		insn_floor = insn_pou;
		i = 0;
		do
		:: i < IMAGES -> after_floor[i] = after_pou[i]; i++
		:: i == IMAGES -> break
		od;
		i = 0
	}
}

inline may_stop()
{
	if
	:: skip
	:: goto stopped
	fi
}

/*
 * call_rcu_tasks(): nobody is left who was preempted. Who sleeps is not waited for.
 * Before the first one, there is one of call_rcu_tasks_rude(), for who is where RCU
 * does not watch; that is in core.pml.
 */
inline wait_tasks()
{
	atomic { !in_call || asleep -> target_seen = target_cur }
}

/* arch/riscv/kernel/patch.c:patch_literal_u64, arch/powerpc/lib/code-patching.c:patch_u64 */
inline set_target(t)
{
	d_step {
		target_cur++;
		assert(target_cur < VERSIONS);
		target[target_cur] = t
	}
}

/*
 * arch/riscv/kernel/patch.c:patch_text_nosync - and all harts execute a fence.i;
 * arch/powerpc/lib/code-patching.c:patch_instruction - they may go on with what
 * they have fetched
 */
inline set_insn(b)
{
	if
	:: insn[insn_cur] != b ->
		d_step {
			insn_cur++;
			assert(insn_cur < VERSIONS);
			insn[insn_cur] = b
		};
		insn_pou = insn_cur
	:: else
	fi
}

/*
 * Fetch anew: the fence.i of all harts, or arch/powerpc/net/bpf_trampoline64.c:do_isync
 * on all CPUs
 */
inline sync_all()
{
	context_sync()
}

/*
 * arch/riscv/net/bpf_jit_comp64.c:poke_entry, bpf_arch_text_poke,
 * arch/powerpc/net/bpf_trampoline64.c:poke_prog, bpf_arch_text_poke
 */
inline poke_prog(new)
{
	d_step {
		old = attached;
		attached = new;
		legal = legal | (1 << attached);
		allowed = allowed | legal
	}
	text_mutex = true;
#ifdef RISCV
#ifdef NO_UNUSED
	if
	:: new == UNUSED -> skip
	:: new != UNUSED -> set_target(new)
	fi;
#else
	set_target(new);
#endif
	may_stop();
	set_insn(new != UNUSED);
#ifndef NO_ATTACH_SYNC
	sync_all();
#endif
#else
	if
	:: new == UNUSED ->
		set_insn(0);
		may_stop();
#ifndef NO_UNUSED
		set_target(UNUSED)
#endif
	:: new != UNUSED ->
		set_target(new);
		may_stop();
		set_insn(1)
	fi;
#endif
	text_mutex = false;
	legal = 1 << attached
}

/*
 * kernel/bpf/trampoline.c:bpf_tramp_image_put_progs - a program is freed after a grace
 * period of RCU, or of RCU tasks trace if it is a sleepable one
 */
inline put_progs(im)
{
	in_prog != im;
	prog_freed[im] = true
}

/*
 * kernel/bpf/trampoline.c:__bpf_tramp_image_put_rcu_trace, __bpf_tramp_image_put_round
 * - nobody counts. Whoever was in a sleepable program has left it, and may sleep in the
 * next one.
 */
inline wait_rounds(im)
{
	left = SLEEPABLE;
	do
	:: true ->
#ifndef NO_TRACE
		/* call_rcu_tasks_trace(); call_rcu() where none is sleepable */
		in_prog != im;
#endif
#ifndef NO_ROUND_TASKS
		wait_tasks();
#endif
		left = (left -> left - 1 : 0);
		if
#ifndef ONE_ROUND
		:: left
#endif
		:: else -> break
		fi
	od
}

/* kernel/bpf/trampoline.c:bpf_tramp_image_put and what it calls later */
inline image_put(im)
{
	if
	:: im != UNUSED ->
#ifndef FENTRY
#ifndef NO_SKIP
		/*
		 * arch/powerpc/net/bpf_trampoline64.c:poke_trampoline,
		 * arch/riscv/net/bpf_jit_comp64.c:poke_insn
		 */
		d_step { after_cur[im] = 1; after_pou[im] = 1 };
#ifndef NO_SKIP_SYNC
		sync_all();
#endif
#endif
#endif
#ifdef NO_REFERENCES
		/* Linux 6.1: the programs do not depend on the image */
		put_progs(im);
#endif
#ifndef NO_FIRST_TASKS
		/* kernel/bpf/trampoline.c:__bpf_tramp_image_put_rcu_rude */
		wait_tasks();
#endif
		/* kernel/bpf/trampoline.c:__bpf_tramp_image_left */
		if
#ifdef DROP_SLEEPABLE
		:: skip -> put_progs(im)
#else
		:: !SLEEPABLE -> put_progs(im)
#endif
		:: else
		fi;
#ifndef FENTRY
#ifndef NO_REF
		/* kernel/bpf/trampoline.c:bpf_tramp_image_close, bpf_tramp_image_release */
		refs != im;
#endif
#ifndef NO_SECOND_TASKS
		wait_tasks();
#endif
#else
		wait_rounds(im);
#endif
		/* kernel/bpf/trampoline.c:bpf_tramp_image_free */
		put_progs(im);
		image_freed[im] = true
	:: else
	fi
}

proctype writer()
{
	byte n, old, i, left;

	do
	:: n < CHANGES ->
		n++;
		if
		/*
		 * kernel/bpf/trampoline.c:bpf_trampoline_update,
		 * bpf_tramp_image_get_progs - attach, or replace what is attached
		 */
		:: images < IMAGES ->
			images++;
			poke_prog(images - 1);
			image_put(old)
		:: attached != UNUSED ->
			poke_prog(UNUSED);
			image_put(old)
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

inline load_target()
{
	atomic {
		any(k, target_seen, target_cur);
#ifdef MISALIGNED
		/* Half of one value and half of another one */
		any(i, target_seen, target_cur);
		t = (i == k -> target[k] : GARBAGE);
		i = 0;
#else
		t = target[k];
#endif
		target_seen = k
	}
}

/* A task may be preempted for any time, here as between any two steps */
inline run_prog(sleepable)
{
	assert(!image_freed[t]);
	in_prog = t;	/* __bpf_prog_enter(): rcu_read_lock(), or ..._trace() */
	assert(!prog_freed[t]);
	if
	:: sleepable ->
		asleep = true;
		asleep = false;
		assert(!prog_freed[t])
	:: else
	fi;
	in_prog = 0;
	assert(!image_freed[t])
}

/* The image of arch_prepare_bpf_trampoline() */
inline run_image()
{
	assert(t < IMAGES);
	assert(!image_freed[t]);
#ifdef FENTRY
	run_prog(SLEEPABLE >= 1);
	run_prog(SLEEPABLE >= 2)
#else
	refs = t;			/* __bpf_tramp_enter() */
	run_prog(SLEEPABLE >= 1);
	run_prog(SLEEPABLE >= 2);
	/* What is traced: may sleep, even until other programs have gone */
	asleep = true;
	asleep = false;
	assert(!image_freed[t]);
	atomic {
		any(i, after_floor[t], after_cur[t]);
		after = i;
		i = 0
	}
	if
	:: !after -> run_prog(false)
	:: after
	fi;
	assert(!image_freed[t]);
	refs = 0;			/* __bpf_tramp_exit() */
	assert(!image_freed[t])
#endif
}

inline call()
{
	atomic {
		in_call = true;
		if
#ifdef RISCV
		/* The caller has learnt of the last change */
		:: allowed = legal; target_seen = target_cur
#else
		/* ... and its CPU has synchronized its context since */
		:: allowed = legal; target_seen = target_cur; context_sync()
#endif
		:: skip
		fi
	}
#ifdef CALL_TAKES_LOCK
	!text_mutex;
#endif
	t = UNUSED;
	atomic { any(k, insn_floor, insn_cur); branch = insn[k] }
	if
	:: branch -> load_target()
	:: !branch
	fi;
	if
	:: t != UNUSED -> run_image()
	:: else
	fi;
	atomic {
		assert((1 << t) & allowed);
		in_call = false
	}
}

proctype reader()
{
	byte t, n, i, k;
	bool branch, after;

	do
	:: n < CALLS -> n++; call()
	:: n == CALLS -> break
	od
}

init
{
	atomic {
		run writer();
		run reader()
	}
}

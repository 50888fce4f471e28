/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is in the image of a trampoline that calls the traced function: tasks count
 * themselves on the CPU that they are on, and the last one to leave after the image
 * has been closed has it freed. See README.rst for how to read this.
 *
 *	writer			task
 *	------			----
 *	call site changes	enter: count up
 *	IMAGE_LEFT		the traced function, which may sleep
 *	grace periods		exit: count down, look at IMAGE_LEFT; if set:
 *	IMAGE_CLOSED		  full barrier, look at IMAGE_CLOSED by a load
 *	full barrier		  acquire; if set: add up, and release if zero
 *	add up, and release if zero
 *
 * Counting is one atomic operation without order: others may see it later than what
 * the task reads after it. Without the load acquire, what the task adds up could be
 * read before the bit.
 */

#ifndef TASKS
#define TASKS	2
#endif
#define CPUS	2

short inside[CPUS];		/* bpf_tramp_image::inside */
bool gone;			/* no call site leads to the image */
bool left, closed, released;	/* the bits of bpf_tramp_image::state */
bool image_freed;
byte on_the_way;		/* tasks between a call site and the count */
byte unseen;			/* ... that missed IMAGE_LEFT, not counted down yet */
byte leaving;			/* ... in the image's last instructions */

/* The counts of the CPUs, one after the other, in any order */
inline add_up()
{
	if
	:: first = 0
	:: first = 1
	fi;
	sum = inside[first];
	assert(!image_freed);
	sum = sum + inside[1 - first];
	assert(!image_freed)
}

/* The end of kernel/bpf/trampoline.c:bpf_tramp_image_release */
inline release_if_zero()
{
	atomic {
		if
#ifdef NO_RELEASED
		:: sum == 0 ->
#else
		:: sum == 0 && !released ->
#endif
			assert(!released);
			released = true
		:: else
		fi
	}
}

inline count_down()
{
	atomic {
		assert(!image_freed);
		inside[cpu]--;
		down = true;
		unseen = unseen - missed;
		missed = 0
	}
}

inline any_cpu()
{
	if
	:: cpu = 0
	:: cpu = 1
	fi
}

proctype task()
{
	byte cpu, first, missed;
	bool down, seen;
	short sum;

	atomic {
		if
		:: !gone -> on_the_way++
		:: gone -> goto done
		fi
	}
	/* kernel/bpf/trampoline.c:__bpf_tramp_enter */
	any_cpu();
	atomic {
		assert(!image_freed);
		inside[cpu]++;
		on_the_way--
	}
	/* What is traced. kernel/bpf/trampoline.c:__bpf_tramp_exit */
	any_cpu();
	leaving++;
	if
	:: count_down()
	:: skip
	fi;
	atomic {
		assert(!image_freed);
		seen = left;
		missed = (seen || down -> 0 : 1);
		unseen = unseen + missed
	}
	if
	:: seen ->
		/* kernel/bpf/trampoline.c:bpf_tramp_image_release */
#ifdef NO_EXIT_MB
		if
		:: !down -> count_down()
		:: skip
		fi;
#else
		if
		:: !down -> count_down()
		:: down
		fi;
#endif
		assert(!image_freed);
#ifdef NO_ACQUIRE
		add_up();
		if
		:: closed -> release_if_zero()
		:: !closed
		fi
#else
		if
		:: closed -> add_up(); release_if_zero()
		:: !closed
		fi
#endif
	:: !seen
	fi;
	if
	:: !down -> count_down()
	:: down
	fi;
	leaving--;
done:
	skip
}

proctype writer()
{
	byte first;
	short sum;

	gone = true;
	/* kernel/bpf/trampoline.c:bpf_tramp_image_put */
	left = true;
	/*
	 * call_rcu_tasks_rude(), call_rcu_tasks(): nobody is on the way, and each CPU has
	 * had a full barrier
	 */
#ifndef NO_ENTER_WAIT
	on_the_way == 0;
#endif
#ifndef NO_BARRIERS
	unseen == 0;
#endif
	/* kernel/bpf/trampoline.c:bpf_tramp_image_close */
#ifdef NO_CLOSE_MB
	add_up();
	closed = true;
#else
	closed = true;
	add_up();
#endif
	release_if_zero();
	/* call_rcu_tasks(); stuck if nobody finds that all have left */
	released;
#ifndef NO_TASKS
	leaving == 0;
#endif
	image_freed = true
}

init
{
	byte n;

	atomic {
		run writer();
		do
		:: n < TASKS -> n++; run task()
		:: n == TASKS -> break
		od
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rethook: the nodes of an fprobe, taken by tasks that enter a function and given
 * back when they return, when they exit, or when their CPU dies in the function,
 * against the end of the fprobe. See README.rst for how to read this.
 *
 * There are two nodes on the free list, which is assumed to work: taking one and
 * putting one back are single steps. Each CPU may keep one outside it. Tasks enter a
 * function, take a node if there is one, may stay there for any time, and return, or
 * never do. They access the list and what is kept on any CPU, possibly both tasks on
 * the same one at a time, as one of them may be an interrupt. Somebody may print
 * their stacks meanwhile.
 */

#ifndef CALLS
#define CALLS		1
#endif
#ifndef TASKS
#define TASKS		2
#endif
#define NODES		2
#define NONE		NODES
#define CPUS		2

bool handler = true;		/* rethook::handler */
byte ref = NODES + 1;		/* rethook::ref */
byte free = 3;			/* rethook::pool */
byte kept[CPUS] = NONE;		/* rethook::kept */
byte owner[NODES];		/* who has the node: what is in it */
bool rh_freed, fp_freed;	/* the memory of the rethook, of the fprobe */
bool node_freed[NODES];

bool traced = true;		/* the function has the call */
bool preempt_off[TASKS];	/* what RCU and ftrace_shutdown() wait for */
bool walker_reads;
byte hooked[TASKS] = NONE;	/* task_struct::rethooks */
byte done;
bool pending[NODES];		/* call_rcu() of a node */
bool unregistered;

/* Who has preemption disabled now will not have, at some time */
inline synchronize()
{
	i = 0;
	do
	:: i < TASKS -> !preempt_off[i]; i++
	:: i == TASKS -> break
	od;
	!walker_reads;
	i = 0
}

/* What this CPU keeps against n, by xchg_relaxed() or xchg_release() */
inline exchange(n)
{
	if
	:: cpu = 0
	:: cpu = 1
	fi;
#ifndef LOAD_AND_STORE
	atomic { f = kept[cpu]; kept[cpu] = n };
#else
	f = kept[cpu];
	kept[cpu] = n;
#endif
	n = f;
	f = 0
}

/* kernel/trace/rethook.c:rethook_recycle, __rethook_recycle */
inline recycle(n)
{
	assert(!rh_freed && !node_freed[n]);
	h = handler;
	if
	:: h ->
#ifndef NO_RELEASE
		assert(owner[n] == me);		/* our last look at it */
		exchange(n);
#else
		last = n;
		exchange(n);
		assert(owner[last] == me);
#endif
		/* freelist_add() of what was there */
		if
		:: n != NONE -> free = free | (1 << n)
		:: else
		fi
	:: !h ->
#ifndef FREE_AT_ONCE
		pending[n] = true		/* call_rcu() */
#else
		atomic {
			node_freed[n] = true;
			ref--;
			rh_freed = (ref == 0)
		}
#endif
	fi;
	h = 0
}

/* kernel/trace/rethook.c:rethook_get_pooled */
inline get_pooled()
{
	/* freelist_try_get() */
	do
	:: true ->
		assert(!rh_freed);
		f = free;
		if
		:: f == 0 -> break
		:: f -> skip
		fi;
#ifndef TWO_STEPS
		atomic {
			if
			:: free == f ->
				free = free & (f - 1);
				n = (f & 1 -> 0 : 1);
				break
			:: else
			fi
		}
#else
		free = f & (f - 1);
		n = (f & 1 -> 0 : 1);
		break
#endif
	od;
	/* What other CPUs keep */
	cpu = 0;
	do
	:: n == NONE && cpu < CPUS ->
		atomic { n = kept[cpu]; kept[cpu] = NONE };
		cpu++
	:: n != NONE || cpu == CPUS -> break
	od
}

/* kernel/trace/fprobe.c:fprobe_enter, include/linux/rethook.h:rethook_try_get */
inline enter()
{
	assert(!fp_freed);
	h = handler;
	if
	:: h ->
		assert(!rh_freed);
		exchange(n);
		if
		:: n == NONE -> get_pooled()
		:: else
		fi
	:: !h
	fi;
	if
	:: n != NONE ->
		owner[n] = me;		/* entry_ip, data */
		assert(!node_freed[n]);
		/* include/linux/rethook.h:rethook_hook */
		hooked[me] = n
	:: else
	fi;
	preempt_off[me] = false;
	h = 0; f = 0; cpu = 0
}

/*
 * kernel/trace/rethook.c:rethook_trampoline_handler, rethook_run_handlers,
 * rethook_drop_left - whether there is one node or several of them: call the handler,
 * take the node off the list and recycle it, with preemption disabled
 */
inline leave()
{
	preempt_off[me] = true;
	n = hooked[me];
	assert(!rh_freed && !node_freed[n]);
	h = handler;
	if
	:: h ->
		/* kernel/trace/fprobe.c:fprobe_exit_handler */
		assert(!fp_freed);
		assert(owner[n] == me)
	:: !h
	fi;
	h = 0;
	hooked[me] = NONE;
	recycle(n);
	preempt_off[me] = false;
	n = NONE
}

/*
 * kernel/trace/rethook.c:rethook_flush_task, for tasks that have exited and for the
 * idle task of a CPU that is dead
 */
inline flush_task()
{
#ifndef NO_FLUSH
	n = hooked[me];
	hooked[me] = NONE;
#ifndef FLUSH_PREEMPTIBLE
	preempt_off[me] = true;
#endif
	recycle(n);
	preempt_off[me] = false;
#endif
	n = NONE
}

proctype task(byte me)
{
	byte c, n, f, cpu, last;
	bool h;

	do
	:: c < CALLS && traced ->
		c++;
		if
		:: atomic { traced -> preempt_off[me] = true; n = NONE };
		   enter()
		:: !traced
		fi;
		if
		:: hooked[me] != NONE ->
			/* In the function, for any time */
			if
			:: leave()
			:: flush_task(); break
			fi
		:: else
		fi
	:: c == CALLS || !traced -> break
	od;
	done++
}

/*
 * kernel/trace/rethook.c:rethook_find_ret_addr, of somebody who prints the stack of
 * a task that may wake up meanwhile, in a section of RCU
 */
proctype walker()
{
	byte n;
	bool stay = true;

	do
	:: stay ->
		walker_reads = true;
		n = hooked[0];
		if
		:: n != NONE -> assert(!node_freed[n])
		:: else
		fi;
		walker_reads = false;
		if
		:: stay = false
		:: skip
		fi
	:: !stay -> break
	od
}

/* kernel/trace/fprobe.c:unregister_fprobe */
proctype unregister()
{
	byte i, count;

	if
	:: skip
	:: goto stopped
	fi;
#ifndef NO_STOP
	handler = false;	/* kernel/trace/rethook.c:rethook_stop */
#endif
	traced = false;		/* unregister_ftrace_function() ... */
#ifndef STATIC_OPS
#ifndef NO_SHUTDOWN_WAIT
	synchronize();		/* kernel/trace/ftrace.c:ftrace_shutdown */
#endif
	fp_freed = true;
#endif
#ifdef NO_STOP
	handler = false;
#endif
	/* kernel/trace/rethook.c:rethook_free, behind call_rcu() */
#ifndef NO_RCU
	synchronize();
#endif
	/* kernel/trace/rethook.c:rethook_free_rcu */
	atomic {
#ifndef KEPT_STAYS
		do
		:: i < CPUS ->
			free = (kept[i] != NONE -> free | (1 << kept[i]) : free);
			kept[i] = NONE;
			i++
		:: i == CPUS -> break
		od;
#endif
		count = 1 + (free & 1) + (free >> 1);
		node_freed[0] = node_freed[0] || (free & 1);
		node_freed[1] = node_freed[1] || (free >> 1);
		ref = ref - count;
		if
		:: ref == 0 -> rh_freed = true
		:: else
		fi
	};
	unregistered = true;
	goto out;
stopped:
end_stopped:
	false;
out:
	skip
}

/* kernel/trace/rethook.c:free_rethook_node_rcu */
proctype rcu()
{
	byte n, i;

end_idle:
	do
	:: atomic {
		if
		:: pending[0] -> n = 0
		:: pending[1] -> n = 1
		fi;
		pending[n] = false };
		synchronize();
		atomic {
			assert(!rh_freed);
			ref--;
			if
			:: ref == 0 -> rh_freed = true
			:: else
			fi;
			node_freed[n] = true;
			n = 0
		}
	:: atomic { rh_freed -> break }
	:: atomic { unregistered && done == TASKS && !rh_freed &&
		    !pending[0] && !pending[1] -> assert(false) }	/* leak */
	od
}

init
{
	atomic {
		run rcu();
		run unregister();
		run task(0);
		run task(1);
		run walker()
	}
}

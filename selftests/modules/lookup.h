/* SPDX-License-Identifier: GPL-2.0 */
/* The addresses of functions that are not exported */
#ifndef _LOOKUP_H
#define _LOOKUP_H

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

/* By a kprobe, which has to be allowed on the function; NULL if there is none. */
static inline void *lookup_function(const char *name)
{
	struct kprobe kp = { .symbol_name = name };
	char buf[KSYM_SYMBOL_LEN], *offset;
	unsigned long addr, off;

	if (register_kprobe(&kp))
		return NULL;
	addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);

	/* On powerpc the probe is behind the loading of the TOC pointer. */
	sprint_symbol(buf, addr);
	offset = strchr(buf, '+');
	if (!offset || sscanf(offset, "+%lx", &off) != 1)
		return NULL;
	return (void *)(addr - off);
}

#endif

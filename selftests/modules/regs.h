/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FTRACE_OPS_TEST_REGS_H
#define FTRACE_OPS_TEST_REGS_H

#include <linux/ptrace.h>

#include "call.h"

#if defined(CONFIG_ARM64)
#define regs_pc(regs)		((regs)->pc)
#define regs_lr(regs)		((regs)->regs[30])
#define regs_sp(regs)		((regs)->sp)
#define regs_arg(regs, i)	((regs)->regs[i])
#define regs_saved(regs, i)	((regs)->regs[OT_FIRST_SAVED + (i)])
#elif defined(CONFIG_RISCV)
#define regs_pc(regs)		((regs)->epc)
#define regs_lr(regs)		((regs)->ra)
#define regs_sp(regs)		((regs)->sp)
#define regs_arg(regs, i)	((&(regs)->a0)[i])
#define regs_saved(regs, i)	((&(regs)->s2)[i])
#elif defined(CONFIG_PPC64)
#define regs_pc(regs)		((regs)->nip)
#define regs_lr(regs)		((regs)->link)
#define regs_sp(regs)		((regs)->gpr[1])
#define regs_arg(regs, i)	((regs)->gpr[3 + (i)])
#define regs_saved(regs, i)	((regs)->gpr[OT_FIRST_SAVED + (i)])
#endif

#endif /* FTRACE_OPS_TEST_REGS_H */

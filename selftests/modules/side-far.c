// SPDX-License-Identifier: GPL-2.0
/*
 * The far side: functions and trampolines which are out of branch range of the
 * kernel as well as of ftrace_ops_test.
 *
 * The module region next to the kernel has 128 MiB. A module that needs more is
 * placed elsewhere, which is what the padding is for. With KASLR the region may
 * be anywhere, and then the padding, which lies behind the text, keeps at least
 * the modules loaded afterwards away. The tests measure the distance, and skip
 * what makes no sense with the one they find.
 */
#include <linux/module.h>
#include <linux/sizes.h>

#define OT_FAR
#include "side.c"

#ifdef CONFIG_ARM64 /* elsewhere no trampoline is in range anyway */
static char ot_padding[SZ_128M] __used;
#endif

MODULE_DESCRIPTION("Functions out of branch range for ftrace_ops_test");
MODULE_LICENSE("GPL");

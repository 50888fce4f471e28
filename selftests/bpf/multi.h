/* SPDX-License-Identifier: GPL-2.0 */
/* Load the programs in multi.bpf.c, which are for links to many functions. */
#ifndef MULTI_H
#define MULTI_H

#include "multi.skel.h"

struct multi_bpf *load_multi(const char *names);

#endif

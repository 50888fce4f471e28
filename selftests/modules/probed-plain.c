// SPDX-License-Identifier: GPL-2.0
/* The one without a call site in the middle. */
#define PROBED_PLAIN
#include "probed.c"

/* SPDX-License-Identifier: GPL-2.0 */
#define OT_FAR
#include "tramp-powerpc.S"

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BPF_BENCH_H
#define BPF_BENCH_H

#include <stdbool.h>

#include "util.h"

long long clock_ns(clockid_t id);
int run_cost(const char *what);

#endif

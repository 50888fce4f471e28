/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMESAKE_H
#define NAMESAKE_H

int ftrace_call_namesake(void);

#endif

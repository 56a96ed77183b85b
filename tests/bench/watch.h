/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts of the watching library. */
#ifndef BENCH_WATCH_H
#define BENCH_WATCH_H

#include <stdbool.h>

/** Begins to count the system calls of this thread. Returns 0, or -1 where the kernel cannot. */
int dispatch_start(void (*before_exit)(void));
/** How many there were. */
extern unsigned long dispatch_calls;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts of the watching library. */
#ifndef BENCH_WATCH_H
#define BENCH_WATCH_H

#include <stdbool.h>

/** Begins to count the system calls of this thread. Returns 0, or -1 where the kernel cannot. */
int dispatch_start(void (*before_exit)(void));
/** Whether they are counted now. Takes no system call. */
void dispatch_pause(bool paused);
/** How many there were. */
extern unsigned long dispatch_calls;
/** Set: the next call does not count if it is a fcntl(F_GETFL). */
extern bool dispatch_after_answer;

#endif

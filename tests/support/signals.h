/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals of a test program, whoever started it. */
#ifndef TESTS_SUPPORT_SIGNALS_H
#define TESTS_SUPPORT_SIGNALS_H

#include <signal.h>

/** A shell in the background, nohup or Python starts programs with signals ignored, and a shell
 * that a test starts could not change that. */
static inline void heed_signals(void)
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The same as faults_large.c on built-in platforms whose firmware is reached through the mailbox
 * alone, or not at all, and on those of several packages. */
#include "transaction/support/loops.h"

RUN_ON(sampled_kinds_and_undos_fail, "cascadelake-6230n", "cooperlake", "icelake-2s36c",
       "sapphirerapids-4s40c")

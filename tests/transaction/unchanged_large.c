/* SPDX-License-Identifier: BSD-3-Clause */
/* As unchanged.c, on large machines of both firmware interfaces. */
#include "transaction/support/repeated.h"

RUN_ON(repeated_requests_write_nothing, "guide", "graniterapids-unlocked", "sapphirerapids-2s56c",
       "emeraldrapids-2s64c")

/* SPDX-License-Identifier: BSD-3-Clause */
/* What mailbox firmware answers of a level (command 0x7f): of a platform, or captured. */
#ifndef EMULATOR_MAILBOX_LEVELS_H
#define EMULATOR_MAILBOX_LEVELS_H

#include "emulator/model/platform.h"

static inline uint32_t get_bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (uint32_t)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

/** The answer to a sub-command. Returns 0 or -ENXIO. */
int mailbox_level_answer(const struct platform_domain *domain, uint32_t sub, uint32_t data,
			 uint32_t *answer);

/** Looks up the answer to a sub-command; false: there is none. */
typedef bool mailbox_answer_get(const void *source, uint32_t sub, uint32_t data, uint32_t *answer);

/** Fills in what the answers to such requests report of a level, whose features are known. */
void mailbox_level_describe(struct platform_level *level, mailbox_answer_get *get,
			    const void *source);

#endif

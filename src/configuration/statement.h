/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A statement while it is parsed: its words, where it is for, and the readers of numbers,
 * frequencies and lists that all keywords share. Knows no keyword.
 */
#ifndef ISST_CONFIGURATION_STATEMENT_H
#define ISST_CONFIGURATION_STATEMENT_H

#include "configuration/configuration.h"
#include "configuration/words.h"

struct statement {
	struct configuration *configuration;
	const char *keyword, *usage; /* usage: what may follow the keyword */
	enum subject subject;	     /* the keyword's */
	struct origin origin;
	struct words words;
	bool optional;
	struct scope scope; /* what stands in front of it */
};

/*
 * The functions that take words return 0, -EINVAL after adding a problem that names the word, or
 * -ENOMEM.
 */

/** Adds the problem that a word is not what is expected; @word NULL: that one is missing. */
int statement_reject(struct statement *statement, const char *word, const char *expected);

/** The same where @expected contains a place: `X after Y`. */
int statement_expect(struct statement *statement, const char *word, const char *expected);

/** Takes a number up to @max; @expected: in words. */
int statement_number(struct statement *statement, const char *expected, uint64_t max,
		     uint64_t *number);

/** Takes a list of numbers up to @max, as the kernel writes lists. *@set is to be freed. */
int statement_list(struct statement *statement, const char *expected, unsigned int max,
		   struct isst_cpuset **set);

/** Takes a list of CPUs, which is not empty. */
int statement_cpus(struct statement *statement, struct isst_cpuset **set);

/** Which words a frequency may be, besides a number. */
#define FREQUENCY_NONE 1U
#define FREQUENCY_BASE 2U
#define FREQUENCY_TURBO 4U
#define FREQUENCY_LOWEST 8U
#define FREQUENCY_ANY 15U
/** It is stored in multiples of 100 MHz, up to 25500. */
#define FREQUENCY_RATIO 16U
/** It is a limit that 0 does not take away: none does. */
#define FREQUENCY_NOT_ZERO 32U
/** It is stored in multiples of 100 MHz, up to 12700. */
#define FREQUENCY_UNCORE (64U | FREQUENCY_RATIO)

/** Takes a frequency: a word that @allowed names, or MHz, with the unit `MHz` or `kHz` behind the
 * number if need be. */
int statement_frequency(struct statement *statement, unsigned int allowed, enum wanted_kind *wanted,
			uint64_t *khz);

/** Adds a setting for where the statement is for. The sets of @setting become the configuration's,
 * also on error. */
int statement_add(struct statement *statement, struct setting *setting);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of configurations share: random statements, and problems as text. */
#ifndef TESTS_CONFIGURATION_STATEMENTS_H
#define TESTS_CONFIGURATION_STATEMENTS_H

#include "configuration/configuration.h"
#include "support/check.h"

static inline unsigned int random_below(unsigned int *seed, unsigned int limit)
{
	*seed = *seed * 1103515245U + 12345U;
	return (*seed >> 16) % limit;
}

/** What is before a statement, in a third of cases nothing. @put_list: writes a list of numbers. */
static inline void put_scope(FILE *text, unsigned int *seed,
			     void (*put_list)(FILE *text, unsigned int *seed))
{
	unsigned int kind = random_below(seed, 3);

	if (kind == 0)
		return;
	fputs("package ", text);
	put_list(text, seed);
	if (kind == 2) {
		fputs(" powerdomain ", text);
		put_list(text, seed);
	}
	fputs(": ", text);
}

/** The problems, a line for each. To be freed. */
static inline char *problems_text(const struct configuration *configuration)
{
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	for (size_t i = 0; i < configuration->problem_count; i++)
		fprintf(stream, "%u: %s\n", configuration->problems[i].origin.line,
			configuration->problems[i].text);
	assert_int_equal(fclose(stream), 0);
	return text;
}

#endif

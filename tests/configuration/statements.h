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

/** What is before a statement, in a third of cases no package. @own: a place of the statement's
 * own, or `cpu`, behind which a list is written; @put_list: writes a list of numbers. */
static inline void put_places(FILE *text, unsigned int *seed, const char *own,
			      void (*put_list)(FILE *text, unsigned int *seed))
{
	unsigned int kind = random_below(seed, 4);

	if (kind == 0 && !*own)
		return;
	if (kind == 1 || kind == 2) {
		fputs("package ", text);
		put_list(text, seed);
	}
	if (kind >= 2) {
		fputs(kind == 2 ? " domain " : "domain ", text);
		put_list(text, seed);
	}
	fprintf(text, "%s%s", kind && *own ? " " : "", own);
	if (strcmp(own, "cpu") == 0) {
		fputc(' ', text);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* The keywords of configurations, and what may follow each. */
#ifndef ISST_CONFIGURATION_KEYWORDS_H
#define ISST_CONFIGURATION_KEYWORDS_H

#include "configuration/statement.h"

struct keyword {
	const char *name;
	const char *usage; /* what may follow */
	int (*parse)(struct statement *statement);
	enum subject subject;
	bool is_condition; /* of the machine as a whole: neither for parts of it, nor optional */
};

/** The keyword of that name, or NULL. */
const struct keyword *keyword_find(const char *name);

/** The keyword that was probably meant, or NULL. */
const char *keyword_suggest(const char *name);

#endif

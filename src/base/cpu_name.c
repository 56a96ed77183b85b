/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of CPUs. */
#include "base/cpu_name.h"
#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HIGHEST_CLOS = 3 };

/** How many numbers follow a name. */
static const struct {
	const char *word;
	enum cpu_name_kind kind;
	unsigned int numbers;
} WORDS[] = {
	{ "clos", CPU_NAME_CLOS, 1 },	    { "high-priority", CPU_NAME_HIGH_PRIORITY, 0 },
	{ "package", CPU_NAME_PACKAGE, 1 }, { "domain", CPU_NAME_DOMAIN, 2 },
	{ "node", CPU_NAME_NODE, 1 },	    { "isolated", CPU_NAME_ISOLATED, 0 },
};

int cpu_name_parse(const char *text, struct cpu_name *name)
{
	size_t length = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		const char *digits = text + length;

		if (strlen(WORDS[i].word) != length || memcmp(WORDS[i].word, text, length) != 0)
			continue;
		*name = (struct cpu_name){ .kind = WORDS[i].kind };
		/* Behind a colon, and the second behind a dot. */
		for (unsigned int j = 0; j < WORDS[i].numbers; j++) {
			bool last = j + 1 == WORDS[i].numbers;
			size_t size = *digits ? strcspn(digits + 1, last ? "" : ".") : 0;
			char *copy = *digits ? strndup(digits + 1, size) : NULL;
			uint64_t value;
			int error = copy ? number_parse(copy, 10, UINT32_MAX, &value) : -EINVAL;

			free(copy);
			if (error)
				return -EINVAL;
			*(j == 0 ? &name->number : &name->domain) = (unsigned int)value;
			digits += 1 + size;
		}
		return *digits || (name->kind == CPU_NAME_CLOS && name->number > HIGHEST_CLOS)
			       ? -EINVAL
			       : 0;
	}
	return -EINVAL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of numbers (`CPU 5`, `packages 0-1`) and of several domains (`packages 0-1, die 0`). */
#ifndef ISST_COMMON_NUMBERED_H
#define ISST_COMMON_NUMBERED_H

#include "isst.h"

#include <stdbool.h>
#include <stddef.h>

/** The word (plural for several numbers) and their list. To be freed; NULL without memory. */
char *name_numbers(const char *word, const struct isst_cpuset *numbers);

/** Domains by name; empty when zeroed. Functions return 0 or -ENOMEM. */
struct domain_list {
	struct domain_list_entry *entries;
	size_t count;
};

/** Length of the domain name (isst_domain_name()) at the start of a text; 0: there is none. */
size_t domain_list_name_length(const char *text);

/** Adds the domain whose name starts the text. */
int domain_list_add_name(struct domain_list *list, const char *text);
int domain_list_join(struct domain_list *list, const struct domain_list *other);

/**
 * Joins packages with the same numbers, and whole packages even if their numbers differ:
 * `packages 0-7`. @machine: all known domains. To be freed; NULL without memory.
 */
char *domain_list_to_text(const struct domain_list *list, const struct domain_list *machine);

void domain_list_clear(struct domain_list *list);

#endif

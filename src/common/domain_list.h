/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of several domains as one, such as `packages 0-1, power domains 0-3`. Must not know what
 * they are named for. */
#ifndef ISST_COMMON_DOMAIN_LIST_H
#define ISST_COMMON_DOMAIN_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct domain_list_entry;

/** Empty where all is zero. */
struct domain_list {
	struct domain_list_entry *entries;
	size_t count;
};

/** The length of the name of a domain that a text begins with, as isst_domain_name() has it; 0: it
 * does not. */
size_t domain_list_name_length(const char *text);

/** Adds the domain whose name a text begins with. Returns 0 or -ENOMEM. */
int domain_list_add_name(struct domain_list *list, const char *text);

/** Adds the domains of another list. Returns 0 or -ENOMEM. */
int domain_list_join(struct domain_list *list, const struct domain_list *other);

/**
 * Packages with the same numbers stand together, and whole ones also where they have different
 * numbers: `packages 0-7`.
 *
 * @machine: all domains that there are, as far as that is known
 * Returns the text, to be freed; NULL without memory.
 */
char *domain_list_to_text(const struct domain_list *list, const struct domain_list *machine);

void domain_list_clear(struct domain_list *list);

#endif

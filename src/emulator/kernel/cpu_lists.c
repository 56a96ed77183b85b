/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of CPUs as the kernel reads them, which is more than it writes: see "cpu lists" in its
 * admin-guide/kernel-parameters. Not the library's parser, which takes lists of users.
 */
#include "emulator/kernel/views.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

/** CPUs of a list: the first @used of each @group from @first to @last. */
struct region {
	uint64_t first, last, used, group;
};

static bool ends_list(char c)
{
	return c == '\0' || c == '\n';
}

static bool ends_region(char c)
{
	return c == ',' || isspace((unsigned char)c) || ends_list(c);
}

/** A decimal number, or N for the last CPU. */
static int read_number(const char **text, unsigned int cpu_ids, uint64_t *number)
{
	if (**text == 'N') {
		(*text)++;
		*number = cpu_ids - 1;
		return 0;
	}
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (*number = 0; isdigit((unsigned char)**text); (*text)++) {
		*number = *number * 10 + (uint64_t)(**text - '0');
		if (*number > UINT32_MAX)
			return -EOVERFLOW;
	}
	return 0;
}

/** `N`, `N-N` or `all`. @single: nothing may follow. */
static int read_range(const char **text, unsigned int cpu_ids, struct region *region, bool *single)
{
	int result;

	*single = false;
	if (strncasecmp(*text, "all", 3) == 0) {
		*text += 3;
		region->first = 0;
		region->last = cpu_ids - 1;
		return 0;
	}
	result = read_number(text, cpu_ids, &region->first);
	if (result)
		return result;
	*single = **text != '-';
	region->last = region->first;
	if (*single)
		return 0;
	(*text)++;
	return read_number(text, cpu_ids, &region->last);
}

/** `RANGE` or `RANGE:USED/GROUP`. */
static int read_region(const char **text, unsigned int cpu_ids, struct region *region)
{
	bool single;
	int result = read_range(text, cpu_ids, region, &single);

	if (result)
		return result;
	region->used = region->group = 1;
	if (**text == ':' && !single) {
		(*text)++;
		result = read_number(text, cpu_ids, &region->used);
		if (!result && *(*text)++ != '/')
			result = -EINVAL;
		if (!result)
			result = read_number(text, cpu_ids, &region->group);
	}
	return result || ends_region(**text) ? result : -EINVAL;
}

static int add_region(struct isst_cpuset *set, const struct region *region, unsigned int cpu_ids)
{
	if (region->first > region->last || region->group == 0 || region->used > region->group)
		return -EINVAL;
	if (region->last >= cpu_ids)
		return -ERANGE;
	for (uint64_t cpu = region->first; cpu <= region->last && region->used;
	     cpu += region->group) {
		uint64_t last = cpu + region->used - 1;
		int result = isst_cpuset_add(
			set, (unsigned int)cpu,
			(unsigned int)(last < region->last ? last : region->last));

		if (result)
			return result;
	}
	return 0;
}

int parse_cpu_list(const char *text, unsigned int cpu_ids, struct isst_cpuset *set)
{
	int result = 0;

	while (!result) {
		struct region region;

		while (!ends_list(*text) && ends_region(*text))
			text++;
		if (ends_list(*text))
			break;
		result = read_region(&text, cpu_ids, &region);
		if (!result)
			result = add_region(set, &region, cpu_ids);
	}
	return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How the kernel writes and reads sets, numbers and names of CPUs. */
#include "common/number.h"
#include "common/numbered.h"
#include "emulator/kernel/views.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int print_set(FILE *stream, const struct isst_cpuset *set)
{
	char *list = isst_cpuset_to_list(set);

	if (!list)
		return -ENOMEM;
	fprintf(stream, "%s\n", list);
	free(list);
	return 0;
}

int print_made(FILE *stream, struct isst_cpuset *set, int result)
{
	if (!result)
		result = print_set(stream, set);
	isst_cpuset_free(set);
	return result;
}

int print_cpus(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->platform;
	struct isst_cpuset *set = isst_cpuset_new();
	int result = set ? 0 : -ENOMEM;
	char *mask;

	for (size_t i = 0; i < platform->cpu_count && !result; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (cpu_online(place->server, cpu) && place->view->cpus(place, cpu))
			result = isst_cpuset_add(set, cpu->number, cpu->number);
	}
	if (result || !place->view->mask)
		return print_made(stream, set, result);
	mask = numbers_mask(set, platform->cpu_ids);
	isst_cpuset_free(set);
	if (mask)
		fprintf(stream, "%s\n", mask);
	free(mask);
	return mask ? 0 : -ENOMEM;
}

int parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value)
{
	bool prefixed;

	if (*text == '+')
		text++;
	prefixed = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	if (base == 0)
		base = prefixed ? 16 : text[0] == '0' && text[1] ? 8 : 10;
	return number_parse(text, base, max, value) ? -EINVAL : 0;
}

int parse_switch(const char *text, bool *on)
{
	static const char words[][3] = { "1", "y", "t", "e", "on", "0", "n", "f", "d", "of" };
	enum { WORDS = sizeof(words) / sizeof(*words), FIRST_OFF = 5 };

	for (size_t i = 0; i < WORDS; i++)
		if (strncasecmp(text, words[i], strlen(words[i])) == 0) {
			*on = i < FIRST_OFF;
			return 0;
		}
	return -EINVAL;
}

int scan_number(const char *text, uint32_t *value)
{
	uint64_t number = 0;

	while (isspace((unsigned char)*text))
		text++;
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	for (; isdigit((unsigned char)*text) && number < UINT32_MAX; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	*value = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	return 0;
}

bool number_of_name(const char *name, const char *begin, unsigned int *number)
{
	size_t length = strlen(begin);
	uint64_t value;

	if (strncmp(name, begin, length) != 0 || (name[length] == '0' && name[length + 1]) ||
	    number_parse(name + length, 10, UINT32_MAX, &value))
		return false;
	*number = (unsigned int)value;
	return true;
}

/* ---- CPUs by name and by number, and their policies of cpufreq ---- */

/** What is in front of the number. */
static const char *name_begin(const struct place *place)
{
	if (place->view->each == &each_policy)
		return "policy";
	return place->view->each == &each_cpu_number ? "" : "cpu";
}

static bool cpu_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;

	if (index >= platform->cpu_count)
		return false;
	place->cpu = &platform->cpus[index];
	snprintf(name, VIEW_NAME, "%s%u", name_begin(place), place->cpu->number);
	return true;
}

static bool find_cpu(struct place *place, const char *name)
{
	unsigned int number;

	place->cpu = number_of_name(name, name_begin(place), &number)
			     ? platform_cpu(place->platform, number)
			     : NULL;
	return place->cpu;
}

const struct instances each_cpu = { cpu_at, find_cpu };
const struct instances each_cpu_number = { cpu_at, find_cpu };
const struct instances each_policy = { cpu_at, find_cpu };

/* ---- Lists of CPUs: "cpu lists" in admin-guide/kernel-parameters ---- */

static bool ends_region(char c)
{
	return c == ',' || isspace((unsigned char)c) || c == '\0';
}

/** A decimal number, or N for the last CPU. */
static int read_cpu_number(const char **text, unsigned int cpu_ids, uint64_t *number)
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

/** `N`, `N-N` or `all`, and of ranges `:USED/GROUP`: the first @used of each @group. */
static int read_region(const char **text, unsigned int cpu_ids, struct isst_cpuset *set)
{
	uint64_t first = 0, last = cpu_ids - 1, used = 1, group = 1;
	bool single = false;
	int result = 0;

	if (strncasecmp(*text, "all", 3) == 0) {
		*text += 3;
	} else {
		result = read_cpu_number(text, cpu_ids, &first);
		last = first;
		single = **text != '-';
		if (!result && !single) {
			(*text)++;
			result = read_cpu_number(text, cpu_ids, &last);
		}
	}
	if (!result && **text == ':' && !single) {
		(*text)++;
		result = read_cpu_number(text, cpu_ids, &used);
		if (!result && *(*text)++ != '/')
			result = -EINVAL;
		if (!result)
			result = read_cpu_number(text, cpu_ids, &group);
	}
	if (result)
		return result;
	if (!ends_region(**text) || first > last || group == 0 || used > group)
		return -EINVAL;
	if (last >= cpu_ids)
		return -ERANGE;
	for (uint64_t cpu = first; cpu <= last && used && !result; cpu += group)
		result = isst_cpuset_add(
			set, (unsigned int)cpu,
			(unsigned int)(cpu + used - 1 < last ? cpu + used - 1 : last));
	return result;
}

int parse_cpu_list(const char *text, unsigned int cpu_ids, struct isst_cpuset *set)
{
	int result = 0;

	while (!result) {
		while (*text && *text != '\n' && ends_region(*text))
			text++;
		if (*text == '\0' || *text == '\n')
			break;
		result = read_region(&text, cpu_ids, set);
	}
	return result;
}

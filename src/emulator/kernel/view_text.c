/* SPDX-License-Identifier: BSD-3-Clause */
/* How the kernel writes sets and reads numbers. Nothing of single files. */
#include "base/number.h"
#include "emulator/kernel/views.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** Takes over the text. */
static int print_text(FILE *stream, char *text)
{
	if (!text)
		return -ENOMEM;
	fprintf(stream, "%s\n", text);
	free(text);
	return 0;
}

int print_set(FILE *stream, const struct isst_cpuset *set)
{
	return print_text(stream, isst_cpuset_to_list(set));
}

int print_and_free(FILE *stream, struct isst_cpuset *set)
{
	int result = set ? print_set(stream, set) : -ENOMEM;

	isst_cpuset_free(set);
	return result;
}

struct isst_cpuset *collect_cpus(const struct place *place, bool online,
				 bool (*belongs)(const struct place *place,
						 const struct platform_cpu *cpu))
{
	const struct platform *platform = place->server->platform;
	struct isst_cpuset *set = isst_cpuset_new();
	int result = set ? 0 : -ENOMEM;

	for (size_t i = 0; i < platform->cpu_count && !result; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (cpu_online(place->server, cpu) == online && belongs(place, cpu))
			result = isst_cpuset_add(set, cpu->number, cpu->number);
	}
	if (!result)
		return set;
	isst_cpuset_free(set);
	return NULL;
}

int print_cpus(const struct place *place, FILE *stream, struct isst_cpuset *set, bool mask)
{
	int result = -ENOMEM;

	if (set)
		result = mask ? print_text(stream, isst_cpuset_to_mask(
							   set, place->server->platform->cpu_ids))
			      : print_set(stream, set);
	isst_cpuset_free(set);
	return result;
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
	    isst_parse_number(name + length, 10, UINT32_MAX, &value))
		return false;
	*number = (unsigned int)value;
	return true;
}

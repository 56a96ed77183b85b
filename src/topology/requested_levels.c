/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the registers of levels from what debugfs shows of TPMI devices. */
#include "topology/requested_levels.h"
#include "base/array.h"
#include "base/capture_format.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the kernel prints them: `TPMI Instance:N offset:...`, then lines of an offset and words. */
static const char INSTANCE[] = "TPMI Instance:";

/* In registers of 64 bits: the header of an instance, which names its bank of levels in 8 bits, and
 * in that bank. */
enum { SST_HEADER = 0, PP_CONTROL = 3, PP_STATUS = 4, REGISTERS = 0xff + PP_STATUS + 1 };
enum { ABSENT = 0xff, HAS_LEVELS = 1 << 9, LEVEL_BITS = 7 };

/** The registers of one instance, as far as they were read. */
struct instance {
	const struct isst_domain *domain; /* NULL: none is known */
	uint32_t words[2 * REGISTERS];
	size_t count;
};

static uint64_t register_of(const struct instance *instance, size_t index)
{
	if (2 * index + 1 >= instance->count)
		return UINT64_MAX;
	return instance->words[2 * index] | (uint64_t)instance->words[2 * index + 1] << 32;
}

static int add_level(struct requested_levels *all, const struct instance *instance)
{
	uint64_t header = register_of(instance, SST_HEADER);
	size_t bank = header >> 24 & 0xff;
	uint64_t control = register_of(instance, bank + PP_CONTROL);
	uint64_t status = register_of(instance, bank + PP_STATUS);

	if (!instance->domain || (header & ABSENT) == ABSENT || !(header & HAS_LEVELS) ||
	    control == UINT64_MAX || status == UINT64_MAX)
		return 0;
	if (ARRAY_GROW(all->levels, all->count))
		return -ENOMEM;
	all->levels[all->count++] = (struct requested_level){ instance->domain,
							      control & LEVEL_BITS,
							      status & LEVEL_BITS };
	return 0;
}

static const struct isst_domain *find_domain(const struct isst_context *context,
					     unsigned int package, const char *number)
{
	uint64_t value;

	if (isst_parse_number(number, 10, UINT_MAX, &value))
		return NULL;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (domain->package == package && domain->number == value)
			return domain;
	}
	return NULL;
}

/** Takes the words of a line. Of what is no number, and behind it, nothing is known. */
static void read_words(struct instance *instance, char *line)
{
	char *word;
	uint64_t value;

	strsep(&line, ":");
	while ((word = strsep(&line, " ")) && instance->count < 2 * REGISTERS) {
		if (!*word)
			continue;
		if (isst_parse_number(word, 16, UINT32_MAX, &value)) {
			instance->domain = NULL;
			return;
		}
		instance->words[instance->count++] = (uint32_t)value;
	}
}

static int read_dump(const struct isst_context *context, struct requested_levels *all, char *text,
		     unsigned int package)
{
	struct instance instance = { 0 };
	int error = 0;
	char *line;

	while (!error && (line = strsep(&text, "\n"))) {
		if (strncmp(line, INSTANCE, strlen(INSTANCE)) != 0) {
			read_words(&instance, line);
			continue;
		}
		error = add_level(all, &instance);
		line += strlen(INSTANCE);
		instance.domain = find_domain(context, package, strsep(&line, " "));
		instance.count = 0;
	}
	return error ? error : add_level(all, &instance);
}

static int read_device(struct isst_context *context, struct requested_levels *all,
		       const char *device, unsigned int package)
{
	char *path, *text;
	int error;

	if (asprintf(&path, "/" CAPTURE_DEBUGFS "/%s/" CAPTURE_REGISTERS, device) < 0)
		return -ENOMEM;
	error = kernel_files_text(&context->files, path, &text);
	free(path);
	if (error)
		return error;
	error = read_dump(context, all, text, package);
	free(text);
	return error;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/** A package is a PCI device, in the order of their addresses; one with two is not understood. */
static int read_devices(struct isst_context *context, struct requested_levels *all, char **names,
			size_t count)
{
	size_t domains = isst_domain_count(context), next = 0;
	int error = 0;

	qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count && !error; i++) {
		unsigned int package;

		if (strncmp(names[i], CAPTURE_DEVICE, strlen(CAPTURE_DEVICE)) != 0)
			continue;
		if (next == domains)
			return -ENOENT;
		package = context_domain(context, next)->package;
		while (next < domains && context_domain(context, next)->package == package)
			next++;
		error = read_device(context, all, names[i], package);
	}
	return error || next == domains ? error : -ENOENT;
}

int requested_levels_read(struct isst_context *context, struct requested_levels *all)
{
	const char *before = context->messages.error;
	char **names = NULL;
	size_t count = 0;
	int error;

	*all = (struct requested_levels){ 0 };
	if (!context_has_power_domains(context))
		return 0;
	error = kernel_files_list(&context->files, "/" CAPTURE_DEBUGFS, &names, &count);
	if (!error)
		error = read_devices(context, all, names, count);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	if (error)
		requested_levels_clear(all);
	if (error && error != -ENOMEM && error != -ENOENT && error != -EPERM)
		message_failure(&context->messages, &all->failure, error, "%s",
				isst_error(context));
	context->messages.error = before;
	return error == -ENOMEM ? error : 0;
}

void requested_levels_clear(struct requested_levels *all)
{
	free(all->levels);
	*all = (struct requested_levels){ 0 };
}

const struct requested_level *requested_level_of(const struct requested_levels *all,
						 const struct isst_domain *domain)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->levels[i].domain == domain)
			return &all->levels[i];
	return NULL;
}

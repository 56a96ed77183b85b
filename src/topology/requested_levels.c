/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the registers of levels from the dumps of TPMI devices in debugfs. */
#include "topology/requested_levels.h"
#include "base/array.h"
#include "common/number.h"
#include "firmware/firmware.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel prints `TPMI Instance:N offset:...`, then lines of an offset and words. */
static const char INSTANCE[] = "TPMI Instance:";

/** The registers of one instance. */
struct instance {
	const struct isst_domain *domain; /* NULL: none is known */
	uint32_t words[TPMI_DUMP_WORDS];
	size_t count;
};

static int add_level(struct requested_levels *all, const struct instance *instance)
{
	struct requested_level level = { .domain = instance->domain };

	if (!level.domain ||
	    !tpmi_dump_levels(instance->words, instance->count, &level.requested, &level.present))
		return 0;
	if (ARRAY_GROW(all->levels, all->count))
		return -ENOMEM;
	all->levels[all->count++] = level;
	return 0;
}

static const struct isst_domain *find_domain(const struct isst_context *context,
					     unsigned int package, const char *number)
{
	uint64_t value;

	if (number_parse(number, 10, UINT_MAX, &value))
		return NULL;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (domain->package == package && domain->number == value)
			return domain;
	}
	return NULL;
}

/** Takes the words of a line; after one that is no number the domain counts as unknown. */
static void read_words(struct instance *instance, char *line)
{
	char *word;
	uint64_t value;

	strsep(&line, ":");
	while ((word = strsep(&line, " ")) && instance->count < TPMI_DUMP_WORDS) {
		if (!*word)
			continue;
		if (number_parse(word, 16, UINT32_MAX, &value)) {
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

/** The walk over devices: domains before @next have been assigned. */
struct walk {
	struct isst_context *context;
	struct requested_levels *all;
	size_t next;
};

/** Packages are PCI devices in the order of their addresses; two per package are not supported. */
static int read_device(void *data, const char *device)
{
	struct walk *walk = data;
	struct isst_context *context = walk->context;
	const size_t domains = isst_domain_count(context);
	unsigned int package;
	char *text;
	int error;

	if (walk->next == domains)
		return -ENOENT;
	package = context_domain(context, walk->next)->package;
	while (walk->next < domains && context_domain(context, walk->next)->package == package)
		walk->next++;
	error = kernel_files_text(&context->files,
				  kernel_files_path(&context->files,
						    "/sys/kernel/debug/%s/tpmi-id-05/mem_dump",
						    device),
				  &text);
	if (error)
		return error;
	error = read_dump(context, walk->all, text, package);
	free(text);
	return error;
}

int requested_levels_read(struct isst_context *context, struct requested_levels *all)
{
	struct walk walk = { .context = context, .all = all };
	const char *before = context->messages.error;
	int error;

	*all = (struct requested_levels){ 0 };
	if (!context_has_power_domains(context))
		return 0;
	error = kernel_files_each(&context->files, "/sys/kernel/debug", "tpmi-", read_device,
				  &walk);
	if (error || walk.next < isst_domain_count(context))
		requested_levels_clear(all);
	if (error && error != -ENOMEM && error != -ENOENT && error != -EPERM)
		message_failure(&context->messages, &all->failure, of_machine(), error, "%s",
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

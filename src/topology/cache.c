/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that remembers where CPUs are while they are offline: text, versioned, replaced as a
 * whole. */
#include "topology/cache.h"
#include "base/array.h"
#include "base/messages.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "topology"
/* The first line; another layout gets another number. */
#define HEADER "isst topology 1 boot %s\n"
#define COLUMNS "# cpu package die domain core thread\n"

/** Parses one line of six numbers. */
static bool parse_line(char *line, struct cached_cpu *cpu)
{
	unsigned int *const members[] = { &cpu->number, &cpu->package, &cpu->die,
					  &cpu->domain, &cpu->core,    &cpu->thread };
	char *rest = line;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		char *word = strsep(&rest, " ");
		uint64_t value;

		if (!word || isst_parse_number(word, 10, UINT32_MAX - 1, &value))
			return false;
		*members[i] = (unsigned int)value;
	}
	return rest == NULL;
}

/** Parses all lines behind the header. Returns 0, -EINVAL or -ENOMEM. */
static int parse_lines(struct topology_cache *cache, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (line = strsep(&rest, "\n")) && (*line || rest)) {
		error = ARRAY_GROW(cache->cpus, cache->count);
		if (error)
			break;
		if (!parse_line(line, &cache->cpus[cache->count]))
			error = -EINVAL;
		else
			cache->count++;
	}
	free(copy);
	return error;
}

int topology_cache_read(struct topology_cache *cache, const struct runtime_directory *directory,
			const char *boot_id, struct messages *messages)
{
	char *header;
	int error;

	*cache = (struct topology_cache){ 0 };
	error = runtime_file_read(directory, FILE_NAME, &cache->text);
	if (error && error != -ENOENT)
		message_trace(messages, "%s/" FILE_NAME " is not used: %s", directory->path,
			      runtime_file_strerror(error));
	if (error)
		return error == -ENOMEM ? error : 0;
	if (asprintf(&header, HEADER COLUMNS, boot_id) < 0)
		return -ENOMEM;
	error = -EINVAL;
	if (strncmp(cache->text, header, strlen(header)) == 0)
		error = parse_lines(cache, cache->text + strlen(header));
	if (error == -EINVAL) {
		message_trace(messages,
			      "%s/" FILE_NAME
			      " belongs to another boot or version, or is damaged: not used",
			      directory->path);
		cache->count = 0;
		error = 0;
	}
	free(header);
	return error;
}

static char *format(const char *boot_id, const struct cached_cpu *cpus, size_t count)
{
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	fprintf(text.stream, HEADER COLUMNS, boot_id);
	for (size_t i = 0; i < count; i++)
		fprintf(text.stream, "%u %u %u %u %u %u\n", cpus[i].number, cpus[i].package,
			cpus[i].die, cpus[i].domain, cpus[i].core, cpus[i].thread);
	return memory_stream_text(&text);
}

void topology_cache_update(const struct topology_cache *old,
			   const struct runtime_directory *directory, const char *boot_id,
			   const struct cached_cpu *cpus, size_t count, struct messages *messages)
{
	char *text = format(boot_id, cpus, count);
	int error = text ? 0 : -ENOMEM;

	if (text && (!old->text || strcmp(old->text, text) != 0))
		error = runtime_file_replace(directory, FILE_NAME, text);
	if (error)
		message_trace(messages, "%s/" FILE_NAME " is not written: %s", directory->path,
			      runtime_file_strerror(error));
	free(text);
}

void topology_cache_clear(struct topology_cache *cache)
{
	free(cache->text);
	free(cache->cpus);
}

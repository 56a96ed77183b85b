/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that were captured of a machine and that the emulator does not compose. */
#include "emulator/capture/capture.h"
#include "emulator/kernel/views.h"

#include <string.h>

/** Files of CPUs, and of what the emulator has of its own, are never taken over: they move. */
static bool is_kept(const struct captured_entry *entry)
{
	static const char *const others[] = {
		"/sys/devices/system/cpu/cpu",
		"/sys/fs/cgroup/",
		"/sys/kernel/debug/",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strncmp(entry->path, others[i], strlen(others[i])) == 0)
			return false;
	return true;
}

static const char *captured_value(const struct place *place)
{
	return place->server->platform->capture->entries[place->entry].value;
}

static const struct view no_views[] = { VIEW_END };
static const struct view captured_file = { "", .text = captured_value };
static const struct view captured_directory = { "", .below = no_views };

/** What follows the path of a directory in that of an entry; NULL: it is not below it. */
static const char *below(const struct captured_entry *entry, const char *directory)
{
	size_t length = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	return is_kept(entry) && strncmp(entry->path, directory, length) == 0 &&
			       entry->path[length] == '/'
		       ? entry->path + length + 1
		       : NULL;
}

bool captured_find(struct place *place, const char *path)
{
	const struct capture *capture = place->server->platform->capture;

	for (size_t i = 0; capture && i < capture->entry_count; i++) {
		const struct captured_entry *entry = &capture->entries[i];

		place->entry = i;
		place->view = &captured_file;
		if (is_kept(entry) && strcmp(entry->path, path) == 0)
			return true;
		place->view = &captured_directory;
		if (below(entry, path))
			return true;
	}
	place->view = NULL;
	return false;
}

bool captured_next(const struct server *server, const char *path, size_t *entry,
		   char name[VIEW_NAME], bool *directory)
{
	const struct capture *capture = server->platform->capture;

	while (capture && *entry < capture->entry_count) {
		const char *rest = below(&capture->entries[(*entry)++], path);
		size_t length = rest ? strcspn(rest, "/") : 0;

		/* They are in order, so that those of one directory follow each other. */
		if (!rest || length >= VIEW_NAME ||
		    (strncmp(name, rest, length) == 0 && name[length] == '\0'))
			continue;
		memcpy(name, rest, length);
		name[length] = '\0';
		*directory = rest[length] == '/';
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the row of the table that a path leads to, and has it read, written or listed. */
#include "emulator/kernel/kernel.h"
#include "emulator/kernel/views.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- From one directory to the next ---- */

static const struct view root = { "", .below = root_views };

static bool exists(const struct place *place)
{
	return !place->view->exists || place->view->exists(place);
}

static bool find_instance(struct place *place, const struct instances *each, const char *name)
{
	char known[VIEW_NAME];

	if (each->find)
		return each->find(place, name);
	for (size_t i = 0; each->at(place, i, known); i++)
		if (strcmp(known, name) == 0)
			return true;
	return false;
}

/** What is called @name in the directory that is @place now. */
static bool enter(struct place *place, const char *name)
{
	for (const struct view *row = place->view->below; !VIEW_IS_END(row); row++) {
		struct place found;

		/* Most names differ in the first letter, which saves the call. */
		if (!row->each && (row->name[0] != name[0] || strcmp(row->name, name) != 0))
			continue;
		found = *place;
		found.view = row;
		if ((row->each && !find_instance(&found, row->each, name)) || !exists(&found))
			continue;
		*place = found;
		return true;
	}
	return false;
}

/* ---- Paths ---- */

/** Goes on from @place by the next part of a path; @walked is the path so far, which grows by it.
 */
static int step(struct place *place, char *walked, const char *part, size_t size)
{
	size_t length = strlen(walked);
	char name[VIEW_NAME];

	if (!place->view->below)
		return -ENOTDIR;
	if (size >= sizeof(name) || length + size + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(name, part, size);
	name[size] = '\0';
	walked[length] = '/';
	memcpy(walked + length + 1, name, size + 1);
	return enter(place, name) || captured_find(place, walked) ? 0 : -ENOENT;
}

/** Removes the last part of a path. */
static void go_up(char *walked)
{
	char *end = strrchr(walked, '/');

	*(end ? end : walked) = '\0';
}

/** Replaces the path to a link by its target; @rest: what follows in the path. */
static int follow(const struct place *place, char *walked, const char *rest, char *path)
{
	char *target, *whole;
	struct text text;
	int length;

	if (!text_open(&text))
		return -ENOMEM;
	place->view->target(place, text.stream);
	target = text_close(&text);
	if (!target)
		return -ENOMEM;
	go_up(walked);
	for (const char *up = target; strncmp(up, "../", 3) == 0; up += 3)
		go_up(walked);
	length = asprintf(&whole, "%s/%s%s", walked, target + strspn(target, "./"), rest);
	free(target);
	if (length < 0)
		return -ENOMEM;
	if (length < PATH_MAX)
		memcpy(path, whole, (size_t)length + 1);
	free(whole);
	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/** The same path without links on the way, one after the other. Returns 1 where there was one. */
static int walk(struct server *server, char *path, bool follow_last, struct place *place,
		char *walked)
{
	const char *part = path;

	*place = (struct place){ .server = server, .view = &root };
	*walked = '\0';
	for (;;) {
		size_t size;
		int result;

		while (*part == '/')
			part++;
		if (!*part)
			break;
		size = (size_t)(strchrnul(part, '/') - part);
		result = size == 1 && *part == '.' ? 0 : step(place, walked, part, size);
		if (result)
			return result;
		part += size;
		if (place->view->target && (follow_last || *part)) {
			result = follow(place, walked, part, path);
			return result ? result : 1;
		}
	}
	/* A slash in the end is for directories. */
	if (part > path + 1 && part[-1] == '/' && !place->view->below)
		return -ENOTDIR;
	return 0;
}

static int find(struct server *server, const char *path, bool follow_last, struct place *place,
		char *walked)
{
	enum { MOST_LINKS = 40 };
	const size_t size = strlen(path) + 1;
	char copy[PATH_MAX];
	int result = 1;

	if (size > sizeof(copy))
		return -ENAMETOOLONG;
	memcpy(copy, path, size);
	for (unsigned int links = 0; result == 1; links++)
		result = links < MOST_LINKS ? walk(server, copy, follow_last, place, walked)
					    : -ELOOP;
	return result;
}

/* ---- Looking and reading ---- */

/** What needs no stream, which takes longer to open than all the rest: one number or word. */
static int read_line(const struct place *place, char **content, size_t *size)
{
	const struct view *view = place->view;
	int length = view->number ? asprintf(content, "%u\n", view->number(place))
				  : asprintf(content, "%s\n", view->text(place));

	if (length < 0) {
		*content = NULL;
		return -ENOMEM;
	}
	*size = (size_t)length;
	return 0;
}

static int read_value(const struct place *place, char **content, size_t *size)
{
	const struct view *view = place->view;
	struct text text;
	int result;

	if (!view->target && !view->read)
		return read_line(place, content, size);
	if (!text_open(&text))
		return -ENOMEM;
	result = view->target ? view->target(place, text.stream) : view->read(place, text.stream);
	*content = text_close(&text);
	*size = text.size;
	if (result) {
		free(*content);
		*content = NULL;
		return result;
	}
	return *content ? 0 : -ENOMEM;
}

int kernel_read(struct server *server, const char *path, char **content, size_t *size)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find(server, path, true, &place, walked);

	if (!result && place.view->below)
		result = -EISDIR;
	if (!result && place.view->access)
		result = -EINVAL;
	if (!result && place.view->refuse)
		result = place.view->refuse(&place, false);
	return result ? result : read_value(&place, content, size);
}

int kernel_access(struct server *server, const char *path, bool write, uint64_t position,
		  uint64_t *value)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find(server, path, true, &place, walked);

	/* It was there when it was opened. */
	if (result == -ENOENT)
		result = -ENXIO;
	if (!result && !place.view->access)
		result = -EINVAL;
	return result ? result : place.view->access(&place, write, position, value);
}

int kernel_resolve(struct server *server, const char *path, bool follow_last, char **resolved)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find(server, path, follow_last, &place, walked);

	if (result)
		return result;
	*resolved = strdup(*walked ? walked : "/");
	return *resolved ? 0 : -ENOMEM;
}

/* ---- Listing ---- */

static int add_name(char ***names, size_t *count, char kind, const char *name)
{
	char **longer = reallocarray(*names, *count + 1, sizeof(*longer));

	if (!longer)
		return -ENOMEM;
	*names = longer;
	if (asprintf(&longer[*count], "%c%s", kind, name) < 0)
		return -ENOMEM;
	(*count)++;
	return 0;
}

static char kind_of(const struct view *view)
{
	return view->below ? 'd' : view->target ? 'l' : view->access ? 'c' : 'f';
}

static int list_row(const struct place *directory, const struct view *row, char ***names,
		    size_t *count)
{
	struct place place = *directory;
	char name[VIEW_NAME];
	int result = 0;

	place.view = row;
	if (!row->each)
		return exists(&place) ? add_name(names, count, kind_of(row), row->name) : 0;
	for (size_t i = 0; !result && row->each->at(&place, i, name); i++)
		if (exists(&place))
			result = add_name(names, count, kind_of(row), name);
	return result;
}

static bool has_name(char **names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i] + 1, name) == 0)
			return true;
	return false;
}

static int list_captured(const struct server *server, const char *path, char ***names,
			 size_t *count)
{
	char name[VIEW_NAME] = "";
	size_t entry = 0, own = *count;
	bool directory;
	int result = 0;

	while (!result && captured_next(server, *path ? path : "/", &entry, name, &directory))
		if (!has_name(*names, own, name))
			result = add_name(names, count, directory ? 'd' : 'f', name);
	return result;
}

void kernel_free_list(char **names, size_t count)
{
	while (count > 0)
		free(names[--count]);
	free(names);
}

int kernel_list(struct server *server, const char *path, char ***names, size_t *count)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find(server, path, true, &place, walked);

	if (!result && !place.view->below)
		result = -ENOTDIR;
	if (result)
		return result;
	*count = 0;
	*names = calloc(1, sizeof(**names));
	if (!*names)
		return -ENOMEM;
	for (const struct view *row = place.view->below; !VIEW_IS_END(row) && !result; row++)
		result = list_row(&place, row, names, count);
	if (!result)
		result = list_captured(server, walked, names, count);
	if (result)
		kernel_free_list(*names, *count);
	return result;
}

/* ---- Status ---- */

static mode_t mode_of(const struct view *view)
{
	if (view->mode)
		return view->mode;
	if (view->below)
		return 0755;
	return view->target ? 0777 : view->write ? 0644 : 0444;
}

static enum kernel_type type_of(const struct view *view)
{
	if (view->below)
		return KERNEL_DIRECTORY;
	if (view->target)
		return KERNEL_LINK;
	return view->access ? KERNEL_DEVICE : KERNEL_FILE;
}

static int measure(struct server *server, const struct place *place, const char *path,
		   struct kernel_status *status)
{
	char **names, *content;
	size_t count;
	int result;

	if (status->type == KERNEL_DEVICE)
		return 0;
	if (status->type != KERNEL_DIRECTORY) {
		result = read_value(place, &content, &status->size);
		if (!result && status->type == KERNEL_LINK)
			status->target = content;
		else if (!result)
			free(content);
		return result;
	}
	result = kernel_list(server, *path ? path : "/", &names, &count);
	if (result)
		return result;
	for (size_t i = 0; i < count; i++)
		status->links += names[i][0] == 'd';
	kernel_free_list(names, count);
	return 0;
}

int kernel_look(struct server *server, const char *path, bool follow_last,
		struct kernel_status *status)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find(server, path, follow_last, &place, walked);

	if (result)
		return result;
	*status = (struct kernel_status){
		.type = type_of(place.view),
		.mode = mode_of(place.view),
	};
	return measure(server, &place, walked, status);
}

/* ---- Writing ---- */

static int write_value(const struct place *place, const char *content, size_t size)
{
	enum { PAGE_BYTES = 4096 };
	const struct view *view = place->view;
	char *text, *start;
	int result;

	if (size > (view->longest ? view->longest : PAGE_BYTES))
		return -E2BIG;
	text = strndup(content, size);
	if (!text)
		return -ENOMEM;
	start = text;
	if (view->stripped)
		start = trim(text);
	else if (*text && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = '\0';
	result = view->write(place, start);
	free(text);
	return result;
}

int kernel_write(struct server *server, const char *path, const char *content, size_t size)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find(server, path, true, &place, walked);

	if (!result && place.view->below)
		result = -EISDIR;
	if (!result && !place.view->write)
		result = -EACCES;
	if (!result && place.view->refuse)
		result = place.view->refuse(&place, true);
	return result ? result : write_value(&place, content, size);
}

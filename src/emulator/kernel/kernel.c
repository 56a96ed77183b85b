/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the row of the table that a path leads to, and has it read, written or listed. */
#include "emulator/kernel/kernel.h"
#include "common/memory_stream.h"
#include "emulator/capture/capture.h"
#include "emulator/kernel/views.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files that were captured and that no row makes ---- */

/** Files of CPUs, and of what the emulator has of its own, are never taken over: they move. */
static bool is_taken_over(const struct captured_entry *entry)
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
	return place->platform->capture->entries[place->entry].value;
}

static const struct view no_views[] = { VIEW_END };
static const struct view captured_file = { "", .text = captured_value };
static const struct view captured_directory = { "", .below = no_views };

/** What follows the path of a directory in that of an entry; NULL: it is not below it. */
static const char *rest_below(const struct captured_entry *entry, const char *directory)
{
	size_t length = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	return is_taken_over(entry) && strncmp(entry->path, directory, length) == 0 &&
			       entry->path[length] == '/'
		       ? entry->path + length + 1
		       : NULL;
}

static bool captured_find(struct place *place, const char *path)
{
	const struct capture *capture = place->platform->capture;

	for (size_t i = 0; capture && i < capture->entry_count; i++) {
		const struct captured_entry *entry = &capture->entries[i];

		place->entry = i;
		place->view = &captured_file;
		if (is_taken_over(entry) && strcmp(entry->path, path) == 0)
			return true;
		place->view = &captured_directory;
		if (rest_below(entry, path))
			return true;
	}
	place->view = NULL;
	return false;
}

/* ---- From one directory to the next ---- */

static const struct view root = { "", .below = root_views };

static const char *words_of(const struct place *place)
{
	const struct text_value *words = (const void *)((const char *)place->platform +
							place->view->words);

	return words->text;
}

static bool view_exists(const struct place *place)
{
	const struct platform *platform = place->platform;
	const struct view *view = place->view;
	const struct number_value *needed = (const void *)((const char *)platform + view->needs);

	if (view->needs && (view->is ? needed->value != view->is : !needed->value))
		return false;
	return platform->kernel.value >= view->since &&
	       (!view->tpmi || platform_is_tpmi(platform)) && (!view->words || words_of(place)) &&
	       (!view->exists || view->exists(place));
}

/** What is called @name in the directory that is @place now. */
static bool enter_row(struct place *place, const char *name)
{
	for (const struct view *row = place->view->below; !VIEW_IS_END(row); row++) {
		char known[VIEW_NAME];
		struct place found;
		bool is_there = true;

		/* Most names differ in the first letter, which saves the call. */
		if (!row->each && (row->name[0] != name[0] || strcmp(row->name, name) != 0))
			continue;
		found = *place;
		found.view = row;
		if (row->refuse)
			found.refuse = row->refuse;
		if (row->each && row->each->find) {
			is_there = row->each->find(&found, name);
		} else if (row->each) {
			is_there = false;
			for (size_t i = 0; !is_there && row->each->at(&found, i, known); i++)
				is_there = strcmp(known, name) == 0;
		}
		if (!is_there || !view_exists(&found))
			continue;
		*place = found;
		return true;
	}
	return false;
}

/* ---- Paths ---- */

/** Goes on from @place by the next part of a path; @walked, the path so far, grows. */
static int step_into(struct place *place, char *walked, const char *part, size_t size)
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
	return enter_row(place, name) || captured_find(place, walked) ? 0 : -ENOENT;
}

/** Removes the last part of a path. */
static void go_up(char *walked)
{
	char *end = strrchr(walked, '/');

	*(end ? end : walked) = '\0';
}

static bool is_link(const struct view *view)
{
	return view->directory || view->target;
}

/** @walked is the path to the link. */
static int print_target(const struct place *place, const char *walked, char **target)
{
	if (place->view->target)
		return place->view->target(place, target);
	return asprintf(target, "%s/%s", place->view->directory, strrchr(walked, '/') + 1);
}

/** Replaces what is left of a path, @rest of it, by the target of the link to which @walked leads.
 * Returns how many parts of @walked that is above. */
static int follow_link(const struct place *place, char *walked, const char *rest, char *path)
{
	char *target, left[PATH_MAX];
	int length, ups = 1;

	if (print_target(place, walked, &target) < 0)
		return -ENOMEM;
	go_up(walked);
	for (const char *up = target; strncmp(up, "../", 3) == 0; up += 3, ups++)
		go_up(walked);
	length = snprintf(left, sizeof(left), "%s%s", target + strspn(target, "./"), rest);
	free(target);
	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path, left, (size_t)length + 1);
	return ups;
}

/** Goes from part to part of a path, and on from links by their targets. @walked: the same path
 * without links */
static int find_place(struct server *server, const char *path, bool follow_last,
		      struct place *place, char *walked)
{
	enum { MOST_LINKS = 40, MOST_PARTS = 64 };
	struct place above[MOST_PARTS]; /* of the parts of @walked */
	char left[PATH_MAX], *part = left;
	unsigned int links = 0, parts = 0;
	const size_t length = strlen(path) + 1;

	*place = (struct place){ .server = server, .platform = server->platform, .view = &root };
	*walked = '\0';
	if (length > sizeof(left))
		return -ENAMETOOLONG;
	memcpy(left, path, length);
	while (*(part += strspn(part, "/"))) {
		size_t size = strcspn(part, "/");
		int result = 0;

		if (parts == MOST_PARTS)
			return -ENAMETOOLONG;
		above[parts] = *place;
		if (size > 1 || *part != '.') {
			result = step_into(place, walked, part, size);
			parts++;
		}
		part += size;
		if (!result && is_link(place->view) && (follow_last || *part)) {
			result = ++links < MOST_LINKS ? follow_link(place, walked, part, left)
						      : -ELOOP;
			if (result > 0 && (unsigned int)result <= parts) {
				*place = above[parts -= (unsigned int)result];
				part = left;
				result = 0;
			}
		}
		if (result)
			return result;
	}
	/* A slash in the end is for directories. */
	if (part > left + 1 && part[-1] == '/' && !place->view->below)
		return -ENOTDIR;
	return 0;
}

/* ---- Looking and reading ---- */

static int print_stored(const struct place *place, char **content)
{
	const struct view *view = place->view;
	const void *from = place->server->state;
	uint64_t value = 0;

	if (view->stored.of == OF_CPU)
		from = place->cpu;
	else if (view->stored.of == OF_CPU_STATE)
		from = cpu_of(place);
	else if (view->stored.of == OF_DOMAIN)
		from = domain_of(place);
	memcpy(low_bytes(&value, view->stored.bytes), (const char *)from + view->stored.at,
	       view->stored.bytes);
	return view->stored.has_sign ? asprintf(content, "%d\n", (int32_t)value)
				     : asprintf(content, "%u\n", (uint32_t)value);
}

/** Links show where they lead to; @walked is the path. */
static int read_view(const struct place *place, const char *walked, char **content, size_t *size)
{
	const struct view *view = place->view;
	struct memory_stream text;
	int result, length;

	if (!view->cpus && !view->read) {
		/* Without a stream, which takes longer to open than all the rest. */
		length = is_link(view)	   ? print_target(place, walked, content)
			 : view->stored.of ? print_stored(place, content)
			 : view->number	   ? asprintf(content, "%u\n", view->number(place))
			 : view->constant  ? asprintf(content, "%s\n", view->constant)
			 : view->text	   ? asprintf(content, "%s\n", view->text(place))
					   : asprintf(content, "%s\n", words_of(place));
		*size = (size_t)length;
		if (length < 0)
			*content = NULL;
		return length < 0 ? -ENOMEM : 0;
	}
	if (memory_stream_open(&text))
		return -ENOMEM;
	result = view->cpus ? print_cpus(place, text.stream) : view->read(place, text.stream);
	*content = memory_stream_text(&text);
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
	int result = find_place(server, path, true, &place, walked);

	if (!result && place.view->below)
		result = -EISDIR;
	if (!result && place.view->access)
		result = -EINVAL;
	if (!result && place.refuse)
		result = place.refuse(&place, false);
	return result ? result : read_view(&place, walked, content, size);
}

int kernel_access(struct server *server, const char *path, bool write, uint64_t position,
		  uint64_t *value)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find_place(server, path, true, &place, walked);

	/* It was there when it was opened. */
	if (result == -ENOENT)
		result = -ENXIO;
	if (!result && !place.view->access)
		result = -EINVAL;
	return result ? result : place.view->access(&place, write, position, value);
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

static enum kernel_type type_of(const struct view *view)
{
	if (view->below)
		return KERNEL_DIRECTORY;
	if (is_link(view))
		return KERNEL_LINK;
	return view->access ? KERNEL_DEVICE : KERNEL_FILE;
}

/** Adds what a capture has there and no row has. */
static int list_captured(const struct server *server, const char *path, char ***names,
			 size_t *count)
{
	const struct capture *capture = server->platform->capture;
	int result = 0;

	for (size_t entry = 0; capture && entry < capture->entry_count && !result; entry++) {
		const char *rest = rest_below(&capture->entries[entry], *path ? path : "/");
		size_t length = rest ? strcspn(rest, "/") : 0, i = 0;
		char name[VIEW_NAME];

		if (!rest || length >= VIEW_NAME)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)length, rest);
		while (i < *count && strcmp((*names)[i] + 1, name) != 0)
			i++;
		if (i == *count)
			result = add_name(names, count, rest[length] == '/' ? 'd' : 'f', name);
	}
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
	int result = find_place(server, path, true, &place, walked);

	if (!result && !place.view->below)
		result = -ENOTDIR;
	if (result)
		return result;
	*count = 0;
	*names = calloc(1, sizeof(**names));
	if (!*names)
		return -ENOMEM;
	for (const struct view *row = place.view->below; !VIEW_IS_END(row) && !result; row++) {
		struct place here = place;
		char name[VIEW_NAME];

		here.view = row;
		for (size_t i = 0; !result && (row->each ? row->each->at(&here, i, name) : i == 0);
		     i++)
			if (view_exists(&here))
				result = add_name(names, count, "fdlc"[type_of(row)],
						  row -> each ? name : row -> name);
	}
	if (!result)
		result = list_captured(server, walked, names, count);
	if (result)
		kernel_free_list(*names, *count);
	return result;
}

int kernel_type(struct server *server, const char *path, enum kernel_type *type)
{
	char walked[PATH_MAX];
	struct place place;
	int result = find_place(server, path, false, &place, walked);

	if (!result)
		*type = type_of(place.view);
	return result;
}

int kernel_look(struct server *server, const char *path, bool follow_last,
		struct kernel_status *status)
{
	char walked[PATH_MAX], **names, *content;
	struct place place;
	int result = find_place(server, path, follow_last, &place, walked);
	const struct view *view = place.view;
	size_t count;

	if (result)
		return result;
	*status = (struct kernel_status){ .type = type_of(view), .mode = view->mode };
	switch (status->type) {
	case KERNEL_DIRECTORY:
		if (!view->mode)
			status->mode = 0755;
		result = kernel_list(server, *walked ? walked : "/", &names, &count);
		if (result)
			return result;
		for (size_t i = 0; i < count; i++)
			status->links += names[i][0] == 'd';
		kernel_free_list(names, count);
		return 0;
	case KERNEL_DEVICE:
		return 0;
	default:
		if (!view->mode)
			status->mode = is_link(view) ? 0777 : view->write ? 0644 : 0444;
		/* Only files of sysfs have a size. */
		if (status->type == KERNEL_FILE && strncmp(walked, "/sys/", 5) != 0)
			return 0;
		result = read_view(&place, walked, &content, &status->size);
		if (!result && status->type == KERNEL_LINK)
			status->target = content;
		else if (!result)
			free(content);
		return result;
	}
}

/* ---- Writing ---- */

int kernel_write(struct server *server, const char *path, const char *content, size_t size)
{
	enum { PAGE_BYTES = 4096 };
	char walked[PATH_MAX], *text, *start;
	struct place place;
	int result = find_place(server, path, true, &place, walked);
	const struct view *view = place.view;

	if (!result && view->below)
		result = -EISDIR;
	if (!result && !view->write)
		result = -EACCES;
	if (!result && place.refuse)
		result = place.refuse(&place, true);
	if (result)
		return result;
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
	result = view->write(&place, start);
	free(text);
	return result;
}

/* ---- Making and removing directories: groups below /sys/fs/cgroup ---- */

/** The directory that groups are made in. */
static const char *root_group(const struct server *server)
{
	return server->platform->cgroup_tree.value == CGROUP_HYBRID ? "/sys/fs/cgroup/cpuset"
								    : "/sys/fs/cgroup";
}

/** The name of the group that a directory is, within @directory, which has no links. */
static const char *group_of(const struct server *server, const char *directory)
{
	const char *above = root_group(server);

	for (; *above; above++, directory++)
		if (*directory != *above)
			return NULL;
	return *directory == '/' ? directory + 1 : NULL;
}

/** The length of a path without slashes at its end. */
static size_t path_length(const char *path)
{
	size_t length = strlen(path);

	while (length > 0 && path[length - 1] == '/')
		length--;
	return length;
}

int kernel_mkdir(struct server *server, const char *path)
{
	char walked[PATH_MAX], *parent, *name;
	struct place place;
	int result = find_place(server, path, false, &place, walked);

	if (result != -ENOENT)
		return result ? result : -EEXIST;
	parent = strndup(path, path_length(path));
	if (!parent)
		return -ENOMEM;
	name = strrchr(parent, '/'); /* the root exists */
	*name++ = '\0';
	result = find_place(server, parent, true, &place, walked);
	/* The limit of depth, so to speak: groups below groups are not emulated. */
	if (!result && group_of(server, walked))
		result = -EAGAIN;
	else if (!result && strcmp(walked, root_group(server)) != 0)
		result = -EPERM;
	else if (!result)
		result = strchr(name, '\n') ? -EINVAL : groups_make(server, name);
	free(parent);
	return result;
}

int kernel_rmdir(struct server *server, const char *path)
{
	static const char *const mounted[] = { "",
					       "/dev",
					       "/proc",
					       "/sys",
					       "/sys/fs/cgroup",
					       "/sys/fs/cgroup/unified",
					       "/sys/kernel/debug" };
	const size_t length = path_length(path);
	char walked[PATH_MAX];
	struct place place;
	const char *name;
	int result = find_place(server, path, false, &place, walked);

	if (result)
		return result;
	if (!place.view->below)
		return -ENOTDIR;
	/* A path that ends with a dot names no entry of a directory. */
	if (length > 1 && path[length - 1] == '.' && path[length - 2] == '/')
		return -EINVAL;
	name = group_of(server, walked);
	if (name) {
		groups_remove(server, name);
		return 0;
	}
	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted); i++)
		if (strcmp(mounted[i], walked) == 0)
			return -EBUSY;
	return strcmp(root_group(server), walked) == 0 ? -EBUSY : -EPERM;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files as programs meet them: read, written, listed, one operation at a time, with
 * the faults that rules ask for. What a write does is in writes.c and cgroup.c.
 */
#include "emulator/front/faults.h"
#include "emulator/state/server.h"
#include "emulator/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A name below the root directory, or NULL where it would leave that. */
static const char *inside(const char *path)
{
	const char *part = path;

	if (*path != '/')
		return NULL;
	while ((part = strstr(part, ".."))) {
		if (part[-1] == '/' && (part[2] == '/' || part[2] == '\0'))
			return NULL;
		part += 2;
	}
	path += strspn(path, "/");
	return *path ? path : ".";
}

static bool changes_something(enum fault_place place)
{
	return place == FAULT_WRITE || place == FAULT_MKDIR || place == FAULT_RMDIR;
}

/** Takes the lock, counts, and looks for a fault rule. The lock is held where it returns 0. */
static int begin_operation(struct server *server, enum fault_place place, const char *path,
			   struct fault_effect *effect)
{
	const struct fault_event event = {
		.place = place,
		.path = path,
		.change = changes_something(place),
	};
	int result = inside(path) ? state_lock(server) : -EINVAL;

	if (result)
		return result;
	result = faults_load(server, NULL);
	if (result && !is_shortage(result))
		result = -EIO;
	if (!result) {
		state_count(&server->state->statistics.files_opened, 1);
		*effect = faults_find(server, &event);
	}
	if (effect->action == ACTION_ERROR)
		result = -(int)effect->value;
	if (result)
		state_unlock(server);
	return result;
}

static int end_operation(struct server *server, const struct fault_effect *effect, int result)
{
	state_unlock(server);
	faults_finish(effect);
	return result;
}

/* ---- Reading ---- */

static int files_read(void *data, const char *path, char **content, size_t *size)
{
	struct server *server = data;
	struct fault_effect effect = { 0 };
	int result = begin_operation(server, FAULT_READ, path, &effect);

	if (result)
		return result;
	if (effect.action == ACTION_CONTENT) {
		*size = strlen(effect.content);
		*content = strdup(effect.content);
		result = *content ? 0 : -ENOMEM;
	} else {
		result = read_refusal(server, path);
		if (!result)
			result = debugfs_refresh(server, path);
		if (!result)
			result = tree_refresh_current(server, path);
		if (!result)
			result = text_read(server->root, inside(path), content, size);
	}
	return end_operation(server, &effect, result);
}

/* ---- Listing ---- */

static int add_name(char ***names, size_t *count, const char *name)
{
	char **longer = reallocarray(*names, *count + 1, sizeof(*longer));

	if (!longer)
		return -ENOMEM;
	*names = longer;
	longer[*count] = strdup(name);
	if (!longer[*count])
		return -ENOMEM;
	(*count)++;
	return 0;
}

static int list_directory(DIR *stream, char ***names, size_t *count)
{
	struct dirent *entry;
	int result = 0;

	*names = calloc(1, sizeof(**names));
	*count = 0;
	if (!*names)
		return -ENOMEM;
	while (!result && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = add_name(names, count, entry->d_name);
	if (!result)
		return 0;
	while (*count > 0)
		free((*names)[--*count]);
	free(*names);
	return result;
}

static int files_list(void *data, const char *path, char ***names, size_t *count)
{
	struct server *server = data;
	struct fault_effect effect = { 0 };
	int result = begin_operation(server, FAULT_LIST, path, &effect);
	DIR *stream;
	int directory;

	if (result)
		return result;
	directory = openat(server->root, inside(path),
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	stream = directory < 0 ? NULL : fdopendir(directory);
	result = stream ? list_directory(stream, names, count) : -errno;
	if (stream)
		closedir(stream);
	else if (directory >= 0)
		close(directory);
	return end_operation(server, &effect, result);
}

/* ---- Changing ---- */

static int files_write(void *data, const char *path, const char *content, size_t size)
{
	struct server *server = data;
	struct fault_effect effect = { 0 };
	int result = begin_operation(server, FAULT_WRITE, path, &effect);

	if (result)
		return result;
	if (effect.action != ACTION_IGNORED)
		result = write_react(server, path, content, size);
	return end_operation(server, &effect, result);
}

static int change_directory(struct server *server, enum fault_place place, const char *path,
			    int (*change)(struct server *server, const char *path))
{
	struct fault_effect effect = { 0 };
	int result = begin_operation(server, place, path, &effect);

	if (result)
		return result;
	if (effect.action != ACTION_IGNORED)
		result = change(server, path);
	return end_operation(server, &effect, result);
}

static int files_mkdir(void *data, const char *path)
{
	return change_directory(data, FAULT_MKDIR, path, groups_mkdir);
}

static int files_rmdir(void *data, const char *path)
{
	return change_directory(data, FAULT_RMDIR, path, groups_rmdir);
}

const struct files_operations emulated_files = {
	.read = files_read,
	.write = files_write,
	.list = files_list,
	.mkdir = files_mkdir,
	.rmdir = files_rmdir,
};

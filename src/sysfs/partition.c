/* SPDX-License-Identifier: BSD-3-Clause */
/* Cpuset partitions: made, verified and removed. */
#include "sysfs/partition.h"
#include "base/cpuset.h"
#include "base/machine.h"
#include "base/messages.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CGROUP_DIRECTORY "/sys/fs/cgroup"

static const char *group_path(struct kernel_files *files, const char *name, const char *file)
{
	return kernel_files_path(files, CGROUP_DIRECTORY "/%s%s%s", name, *file ? "/" : "", file);
}

static int read_group(struct kernel_files *files, const char *name, const char *file, char **text)
{
	return kernel_files_text(files, group_path(files, name, file), text);
}

static int write_group(struct kernel_files *files, const char *name, const char *file,
		       const char *text)
{
	const char *path = group_path(files, name, file);
	int error = kernel_files_write(files, path, text);

	if (error == -ENOENT)
		error = message_error(files->messages, -EIO, "%s is missing", path);
	return error;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (*list) {
		size_t next = strcspn(list, " ");

		if (next == length && strncmp(list, word, length) == 0)
			return true;
		list += next;
		list += strspn(list, " ");
	}
	return false;
}

static int check_cpusets(struct kernel_files *files)
{
	char *controllers;
	int error = kernel_files_text(files, CGROUP_DIRECTORY "/cgroup.controllers", &controllers);
	bool available;

	if (error && error != -ENOENT)
		return error;
	available = !error && has_word(controllers, "cpuset");
	if (!error)
		free(controllers);
	if (available)
		return 0;
	return message_error(files->messages, -EOPNOTSUPP,
			     CGROUP_DIRECTORY
			     " has no cpuset controller: isolating CPUs requires cgroup v2 with "
			     "this controller");
}

/** A group without the controller is no partition, but not absent: reading its directory shows it.
 */
static int read_without_cpusets(struct kernel_files *files, const char *name, char **state)
{
	struct isst_machine *machine = files->machine;
	const char *path = group_path(files, name, "");
	char *text = NULL;
	size_t size;
	int error = path ? machine->files->read(machine->data, path, &text, &size) : -ENOMEM;

	free(text);
	if (error == -EISDIR || error == -ENOENT) {
		*state = strdup(error == -EISDIR ? "member " : "absent");
		error = *state ? 0 : -ENOMEM;
	} else if (error != -ENOMEM) {
		error = message_error(files->messages, -EIO,
				      "%s is not the directory of a group: %s", path,
				      strerror(-error));
	}
	return error;
}

int partition_read(struct kernel_files *files, const char *name, char **state)
{
	char *type = NULL, *cpus = NULL;
	int error = check_cpusets(files);

	if (error)
		return error;
	error = read_group(files, name, "cpuset.cpus.partition", &type);
	if (error == -ENOENT)
		return read_without_cpusets(files, name, state);
	if (!error)
		error = read_group(files, name, "cpuset.cpus", &cpus);
	if (error == -ENOENT)
		error = message_error(files->messages, -EIO,
				      CGROUP_DIRECTORY "/%s has no cpuset.cpus", name);
	if (!error && asprintf(state, "%s%s%s", type, *cpus ? " " : "", cpus) < 0)
		error = -ENOMEM;
	free(type);
	free(cpus);
	return error;
}

#define CONTROL_PATH CGROUP_DIRECTORY "/cgroup.subtree_control"

int cpusets_read(struct kernel_files *files, bool *enabled)
{
	char *controllers;
	int error = kernel_files_text(files, CONTROL_PATH, &controllers);

	if (error)
		return error;
	*enabled = has_word(controllers, "cpuset");
	free(controllers);
	return 0;
}

int cpusets_write(struct kernel_files *files, bool enable)
{
	return kernel_files_write(files, CONTROL_PATH, enable ? "+cpuset" : "-cpuset");
}

static int remove_group(struct kernel_files *files, const char *name)
{
	char *text = NULL;
	int error = read_group(files, name, "cpuset.cpus.partition", &text);
	bool with_cpusets = error != -ENOENT;

	free(text);
	text = NULL;
	if (!with_cpusets)
		error = read_without_cpusets(files, name, &text);
	if (!error && with_cpusets)
		error = write_group(files, name, "cpuset.cpus.partition", "member");
	if (!error && with_cpusets)
		/* A newline clears the list; an empty write need not reach the file. */
		error = write_group(files, name, "cpuset.cpus", "\n");
	if (!error && (with_cpusets || (text && strcmp(text, "absent") != 0)))
		error = kernel_files_rmdir(files, group_path(files, name, ""));
	free(text);
	return error;
}

/** The name of another group with CPUs of a list, to be freed, or NULL. */
static char *find_sharer(struct kernel_files *files, const char *name, const char *list)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	char **names = NULL, *sharer = NULL;
	size_t count = 0;

	if (cpus && isst_cpuset_add_list(cpus, list, NULL) == 0)
		(void)kernel_files_list(files, CGROUP_DIRECTORY, &names, &count);
	for (size_t i = 0; i < count; i++) {
		struct isst_cpuset *others = sharer ? NULL : isst_cpuset_new();
		char *text = NULL;

		/* An unreadable group counts as having none. */
		if (others && strcmp(names[i], name) != 0 &&
		    read_group(files, names[i], "cpuset.cpus", &text) == 0 &&
		    isst_cpuset_add_list(others, text, NULL) == 0 && cpuset_overlaps(others, cpus))
			sharer = names[i];
		else
			free(names[i]);
		free(text);
		isst_cpuset_free(others);
	}
	free(names);
	isst_cpuset_free(cpus);
	return sharer;
}

/** Reports an invalid partition, and the group that shares its CPUs: before 7.0 any cpuset.cpus
 * does. */
static int refuse_partition(struct kernel_files *files, const char *name, const char *type,
			    const char *now)
{
	char *list = NULL, *sharer = NULL;
	int error;

	if (strstr(now, "not exclusive") && read_group(files, name, "cpuset.cpus", &list) == 0)
		sharer = find_sharer(files, name, list);
	error = message_error(files->messages, -EIO,
			      "the partition " CGROUP_DIRECTORY
			      "/%s did not become %s: the kernel reports '%.256s'%s%s",
			      name, type, now,
			      sharer ? "; it shares CPUs with " CGROUP_DIRECTORY "/" : "",
			      sharer ? sharer : "");
	free(list);
	free(sharer);
	return error;
}

/** Writes the type and verifies that it became @expected: the kernel may accept a type, and call
 * the partition invalid. Falls back from `isolated` to `root`. */
static int set_type(struct kernel_files *files, const char *name, const char *type,
		    const char *expected)
{
	int error = write_group(files, name, "cpuset.cpus.partition", type);
	bool refused = error == -EIO && files->answer == -EINVAL;
	const char *invalid = NULL;
	char *now;

	if (!error) {
		error = read_group(files, name, "cpuset.cpus.partition", &now);
		if (error)
			return error;
		refused = strcmp(now, expected) != 0;
		if (refused) {
			error = refuse_partition(files, name, expected, now);
			invalid = files->messages->error;
		}
		free(now);
	}
	/* Other failed writes do not depend on the type. */
	if (!refused || strcmp(expected, "isolated") != 0)
		return error;
	if (set_type(files, name, "root", "root") == 0)
		return 0;
	if (invalid)
		files->messages->error = invalid;
	return error;
}

static int make_group(struct kernel_files *files, const char *name, const char *type,
		      const char *expected, const char *cpus)
{
	bool enabled = true;
	int error = cpusets_read(files, &enabled);

	if (error == -ENOENT)
		error = check_cpusets(files);
	else if (!error && !enabled)
		error = cpusets_write(files, true);
	if (!error)
		error = kernel_files_mkdir(files, group_path(files, name, ""));
	if (!error)
		error = write_group(files, name, "cpuset.cpus", *cpus ? cpus : "\n");
	if (!error)
		error = set_type(files, name, type, expected);
	return error;
}

/** The blank before the CPUs of a state: `isolated 2-3`, `isolated invalid (why) 2-3`. NULL: it has
 * none. */
static const char *find_cpus(const char *state)
{
	const char *reason_end = strrchr(state, ')');
	const char *blank = strchr(reason_end ? reason_end : state, ' ');
	static const char INVALID[] = " invalid";

	/* Early kernels give no reason. */
	if (blank && !reason_end && strncmp(blank, INVALID, sizeof(INVALID) - 1) == 0)
		blank = strchr(blank + 1, ' ');
	return blank;
}

const char *partition_cpus(const char *state)
{
	size_t type = strcspn(state, " ");
	const char *cpus = find_cpus(state);

	if (strncmp(state, "root", type) != 0 && strncmp(state, "isolated", type) != 0)
		return NULL;
	return cpus ? cpus + 1 : "";
}

int partition_write(struct kernel_files *files, const char *name, const char *state)
{
	const char *cpus = find_cpus(state);
	char *expected, *type;
	int error = -ENOMEM;

	if (strcmp(state, "absent") == 0)
		return remove_group(files, name);
	expected = strndup(state, cpus ? (size_t)(cpus - state) : strlen(state));
	/* An invalid partition is restored by its type: the kernel finds the same reason again. */
	type = expected ? strndup(expected, strcspn(expected, " ")) : NULL;
	if (type)
		error = make_group(files, name, type, expected, cpus ? cpus + 1 : "");
	free(type);
	free(expected);
	return error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of cgroup v1 cpusets: reading, comparison, and return of lost CPUs. */
#include "sysfs/cpuset_groups.h"
#include "base/array.h"
#include "base/cpuset.h"
#include "base/messages.h"
#include "common/memory_stream.h"
#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A state as text ---- */

struct group {
	const char *name;
	int name_length;
	const char *cpus;
	int cpus_length;
};

/** Takes the group at *@at; false: there is none. */
static bool next_group(const char **at, struct group *group)
{
	const char *begin = *at + strspn(*at, " ");
	const char *end = begin + strcspn(begin, " ");
	const char *equals = memchr(begin, '=', (size_t)(end - begin));

	*at = end;
	if (!equals)
		return false;
	*group = (struct group){ begin, (int)(equals - begin), equals + 1,
				 (int)(end - equals - 1) };
	return true;
}

/** Finds the group with the name of @other. */
static bool find_group(const char *state, const struct group *other, struct group *group)
{
	while (next_group(&state, group))
		if (group->name_length == other->name_length &&
		    memcmp(group->name, other->name, (size_t)group->name_length) == 0)
			return true;
	return false;
}

static bool same_cpus(const struct group *a, const struct group *b)
{
	return a->cpus_length == b->cpus_length &&
	       memcmp(a->cpus, b->cpus, (size_t)a->cpus_length) == 0;
}

bool cpuset_groups_equal(const char *a, const char *b)
{
	struct group one, other;

	while (next_group(&a, &one))
		if (find_group(b, &one, &other) && !same_cpus(&one, &other))
			return false;
	return true;
}

/** To be freed; NULL without memory. */
static struct isst_cpuset *cpus_of(const struct group *group)
{
	struct isst_cpuset *set = isst_cpuset_new();
	char *list = strndup(group->cpus, (size_t)group->cpus_length);

	if (!set || !list || isst_cpuset_add_list(set, list, NULL)) {
		isst_cpuset_free(set);
		set = NULL;
	}
	free(list);
	return set;
}

/** The path of a group's list; to be freed. */
static char *path_of(const struct group *group)
{
	const char *at = group->name, *end = at + group->name_length;
	struct memory_stream memory;

	if (memory_stream_open(&memory))
		return NULL;
	fputs(CPUSET_GROUPS_DIRECTORY "/", memory.stream);
	while (at < end) {
		char digits[3] = "";
		uint64_t byte;

		if (*at == '%' && end - at > 2)
			memcpy(digits, at + 1, 2);
		if (number_parse(digits, 16, UINT8_MAX, &byte) == 0) {
			putc((int)byte, memory.stream);
			at += 3;
		} else {
			putc(*at++, memory.stream);
		}
	}
	fputs("/cpuset.cpus", memory.stream);
	return memory_stream_text(&memory);
}

/* ---- The kernel's files ---- */

static int read_list(struct kernel_files *files, const char *path, struct isst_cpuset **cpus)
{
	const char *before = files->messages->error;
	int error;

	*cpus = isst_cpuset_new();
	error = *cpus ? kernel_files_cpulist(files, path, *cpus) : -ENOMEM;
	/* There is no such group, or not any more. */
	if (error &&
	    (files->answer == -ENOENT || files->answer == -ENOTDIR || files->answer == -ENODEV)) {
		files->messages->error = before;
		error = -ENOENT;
	}
	if (error) {
		isst_cpuset_free(*cpus);
		*cpus = NULL;
	}
	return error;
}

static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-:@+";

static int read_below(struct kernel_files *files, const char *path, FILE *stream);

/** Prints a group and those below it, if the name is a group's. */
static int read_group(struct kernel_files *files, const char *parent, const char *name,
		      FILE *stream)
{
	struct isst_cpuset *cpus = NULL;
	char *path = NULL, *list = NULL;
	int error = -ENOMEM;

	if (asprintf(&path, "%s/%s", parent, name) < 0)
		path = NULL;
	if (path)
		error = read_list(files, kernel_files_path(files, "%s/cpuset.cpus", path), &cpus);
	if (!error) {
		list = isst_cpuset_to_list(cpus);
		error = list ? 0 : -ENOMEM;
	}
	if (!error) {
		putc(' ', stream);
		for (const char *c = path + strlen(CPUSET_GROUPS_DIRECTORY "/"); *c; c++)
			fprintf(stream, strchr(PLAIN, *c) ? "%c" : "%%%02x", (unsigned char)*c);
		fprintf(stream, "=%s", list);
		error = read_below(files, path, stream);
	}
	isst_cpuset_free(cpus);
	free(list);
	free(path);
	return error == -ENOENT ? 0 : error;
}

static int read_below(struct kernel_files *files, const char *path, FILE *stream)
{
	char **names = NULL;
	size_t count = 0;
	int error = kernel_files_list(files, path, &names, &count);

	for (size_t i = 0; i < count; i++) {
		if (!error)
			error = read_group(files, path, names[i], stream);
		free(names[i]);
	}
	free(names);
	return error;
}

/** Ends a state, and drops its first blank. Returns 0 or -ENOMEM. */
static int end_state(struct memory_stream *memory, char **state)
{
	int error = memory_stream_close(memory);

	*state = memory->text;
	if (*state && **state == ' ')
		memmove(*state, *state + 1, strlen(*state));
	return error;
}

int cpuset_groups_read(struct kernel_files *files, char **state)
{
	/* No group of v2 has this file. */
	static const char OF_V1[] = CPUSET_GROUPS_DIRECTORY "/cpuset.effective_cpus";
	struct memory_stream memory;
	struct isst_cpuset *cpus;
	int error = read_list(files, OF_V1, &cpus);

	*state = NULL;
	isst_cpuset_free(cpus);
	if (!error)
		error = memory_stream_open(&memory);
	if (error)
		return error;
	error = read_below(files, CPUSET_GROUPS_DIRECTORY, memory.stream);
	if (error) {
		memory_stream_drop(&memory);
		return error;
	}
	return end_state(&memory, state);
}

/** Writes a group's CPUs; @grow: its present ones stay. */
static int write_group(struct kernel_files *files, const struct group *group, bool grow)
{
	struct isst_cpuset *now = NULL, *cpus = cpus_of(group);
	char *path = path_of(group), *list = NULL, *before = NULL;
	int error = cpus && path ? read_list(files, path, &now) : -ENOMEM;

	if (!error && grow)
		error = isst_cpuset_add_set(cpus, now);
	if (!error) {
		list = isst_cpuset_to_list(cpus);
		before = isst_cpuset_to_list(now);
		error = list && before ? 0 : -ENOMEM;
	}
	if (!error && strcmp(list, before) != 0)
		error = kernel_files_write(files, path, *list ? list : "\n");
	isst_cpuset_free(now);
	isst_cpuset_free(cpus);
	free(before);
	free(list);
	free(path);
	return error == -ENOENT ? 0 : error;
}

/* The CPUs of a group are among those of its parent: parents grow first, and shrink last. */
int cpuset_groups_write(struct kernel_files *files, const char *state)
{
	struct group *groups = NULL, group;
	size_t count = 0;
	int error = 0;

	while (!error && next_group(&state, &group)) {
		error = ARRAY_GROW(groups, count);
		if (!error) {
			groups[count++] = group;
			error = write_group(files, &group, true);
		}
	}
	while (!error && count > 0)
		error = write_group(files, &groups[--count], false);
	free(groups);
	return error;
}

/* ---- What groups lose, and get back ---- */

int cpuset_groups_name(const char *state, const struct isst_cpuset *cpus, char **names)
{
	enum { MOST = 8 };
	struct memory_stream memory;
	struct group group;
	size_t count = 0;
	int error = memory_stream_open(&memory);

	*names = NULL;
	while (!error && next_group(&state, &group)) {
		struct isst_cpuset *all = cpus_of(&group), *lost = isst_cpuset_new();
		char *list = NULL;

		if (all && cpuset_add_common(lost, all, cpus) == 0)
			list = isst_cpuset_to_list(lost);
		error = list ? 0 : -ENOMEM;
		if (list && *list && count++ < MOST)
			fprintf(memory.stream, "%s%.*s (%s)", count > 1 ? ", " : "",
				group.name_length, group.name, list);
		free(list);
		isst_cpuset_free(lost);
		isst_cpuset_free(all);
	}
	if (!error && count > MOST)
		fprintf(memory.stream, " and %zu more", count - MOST);
	if (error || count == 0) {
		memory_stream_drop(&memory);
		return error;
	}
	error = memory_stream_close(&memory);
	*names = memory.text;
	return error;
}

/** Whether a group lost nothing but some of @cpus, and gained nothing. */
static bool has_lost(const struct group *before, const struct group *now,
		     const struct isst_cpuset *cpus)
{
	struct isst_cpuset *former = cpus_of(before), *present = cpus_of(now);
	struct isst_cpuset *gone = isst_cpuset_new();
	bool lost = former && present && cpuset_add_except(gone, former, present) == 0 &&
		    cpuset_contains(cpus, gone) && cpuset_contains(former, present);

	isst_cpuset_free(gone);
	isst_cpuset_free(former);
	isst_cpuset_free(present);
	return lost;
}

bool cpuset_groups_lost(const char *before, const char *now, const struct isst_cpuset *cpus)
{
	struct group group, former;

	while (next_group(&now, &group))
		if (find_group(before, &group, &former) && !has_lost(&former, &group, cpus))
			return false;
	return true;
}

/** The former state of a group, if it is still as it was @left. */
static bool find_former(const struct group *now, const char *before, const char *left,
			struct group *former)
{
	struct group then;

	return find_group(before, now, former) && find_group(left, now, &then) &&
	       same_cpus(now, &then);
}

int cpuset_groups_before(const char *now, const char *before, const char *left, char **state)
{
	struct memory_stream memory;
	struct group group, former;
	int error = memory_stream_open(&memory);

	*state = NULL;
	if (error)
		return error;
	while (next_group(&now, &group)) {
		if (!find_former(&group, before, left, &former))
			former = group;
		fprintf(memory.stream, " %.*s=%.*s", former.name_length, former.name,
			former.cpus_length, former.cpus);
	}
	return end_state(&memory, state);
}

/** Prints a group with the CPUs that it gets back. Returns 1 if it gets any, 0, or -ENOMEM. */
static int regain(const struct group *now, const struct group *before,
		  const struct isst_cpuset *online, FILE *stream)
{
	struct isst_cpuset *present = cpus_of(now), *former = cpus_of(before);
	struct isst_cpuset *back = isst_cpuset_new();
	char *list = NULL;
	int any = -ENOMEM;
	bool known = present && former && cpuset_add_common(back, former, online) == 0;

	if (known && cpuset_contains(present, back))
		any = 0;
	else if (known && isst_cpuset_add_set(present, back) == 0)
		list = isst_cpuset_to_list(present);
	if (list) {
		fprintf(stream, " %.*s=%s", now->name_length, now->name, list);
		any = 1;
	}
	free(list);
	isst_cpuset_free(back);
	isst_cpuset_free(former);
	isst_cpuset_free(present);
	return any;
}

int cpuset_groups_regain(const char *now, const char *before, const char *left,
			 const struct isst_cpuset *online, char **state)
{
	struct group present, former;
	struct memory_stream memory;
	int error = memory_stream_open(&memory);
	bool any = false;

	*state = NULL;
	while (error >= 0 && next_group(&now, &present))
		if (find_former(&present, before, left, &former)) {
			error = regain(&present, &former, online, memory.stream);
			any |= error > 0;
		}
	if (error < 0 || !any) {
		memory_stream_drop(&memory);
		return error < 0 ? error : 0;
	}
	return end_state(&memory, state);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For cases: the emulated kernel's files, of the machine that the environment names.
 *
 *   kernel-files [-C DIRECTORY] cat|grep|ls PATTERN...
 *   kernel-files [-C DIRECTORY] set NAME=TEXT...
 *   kernel-files [-C DIRECTORY] mkdir|rmdir NAME...
 *
 * cat prints what they hold, grep each line that is not empty behind the file's name, ls the names
 * in directories. Patterns are those of the shell. set writes a text, with \n and \t for a newline
 * and a tabulator, and prints it with what the file holds then. These three print errors, too.
 */
#include "base/machine.h"
#include "emulator/model/machines.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct isst_machine *machine;
static const char *start = "";

/** Where a name leads to, to be freed. */
static char *path_of(const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s%s", *name == '/' ? "" : start, *name == '/' ? "" : "/", name) < 0)
		abort();
	return path;
}

/* ---- Patterns, by the names that the machine has ---- */

struct listing {
	char **names;
	size_t count, next;
	struct dirent entry;
};

static void *open_listing(const char *name)
{
	struct listing *listing = calloc(1, sizeof(*listing));
	char *path = path_of(name);
	int error = listing ? -machine->files->list(machine->data, path, &listing->names,
						    &listing->count)
			    : ENOMEM;

	free(path);
	if (!error)
		return listing;
	free(listing);
	errno = error;
	return NULL;
}

static struct dirent *read_listing(void *data)
{
	struct listing *listing = data;

	if (listing->next == listing->count)
		return NULL;
	listing->entry = (struct dirent){ .d_ino = 1, .d_type = DT_UNKNOWN };
	snprintf(listing->entry.d_name, sizeof(listing->entry.d_name), "%s",
		 listing->names[listing->next++]);
	return &listing->entry;
}

static void close_listing(void *data)
{
	struct listing *listing = data;

	while (listing->count > 0)
		free(listing->names[--listing->count]);
	free(listing->names);
	free(listing);
}

static int look(const char *name, struct stat *status)
{
	void *listing = open_listing(name);
	char *path, *content;
	size_t size;
	int error;

	*status = (struct stat){ .st_mode = S_IFDIR };
	if (listing) {
		close_listing(listing);
		return 0;
	}
	status->st_mode = S_IFREG;
	path = path_of(name);
	error = -machine->files->read(machine->data, path, &content, &size);
	free(path);
	if (!error)
		free(content);
	/* One that answers otherwise is there all the same. */
	errno = error;
	return error == ENOENT || error == ENOTDIR ? -1 : 0;
}

/* ---- What is printed ---- */

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int print_names(const char *name)
{
	struct listing *listing = open_listing(name);

	if (!listing)
		return -errno;
	qsort(listing->names, listing->count, sizeof(*listing->names), compare_names);
	for (size_t i = 0; i < listing->count; i++)
		puts(listing->names[i]);
	close_listing(listing);
	return 0;
}

static void print_lines(const char *name, char *content)
{
	char *rest = content, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			printf("%s:%s\n", name, line);
}

static int print_content(const char *name, bool names)
{
	char *path = path_of(name), *content;
	size_t size;
	int error = machine->files->read(machine->data, path, &content, &size);

	free(path);
	if (error)
		return error;
	if (names)
		print_lines(name, content);
	else
		fwrite(content, 1, size, stdout);
	free(content);
	return 0;
}

static int print(const char *how, const char *pattern)
{
	glob_t found = {
		.gl_opendir = open_listing,
		.gl_readdir = read_listing,
		.gl_closedir = close_listing,
		.gl_stat = look,
		.gl_lstat = look,
	};
	int status = 0;

	/* As the shell: what nothing matches is a name. */
	glob(pattern, GLOB_ALTDIRFUNC | GLOB_NOCHECK, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = found.gl_pathv[i];
		int error = strcmp(how, "ls") == 0 ? print_names(name)
						   : print_content(name, *how == 'g');

		if (!error)
			continue;
		fprintf(stderr, "%s: %s\n", name, strerror(-error));
		status = 1;
	}
	globfree(&found);
	return status;
}

/* ---- What is changed ---- */

/** Replaces \n and \t in place. */
static char *unescape(char *text)
{
	char *end = text;

	for (const char *at = text; *at; at++)
		if (*at == '\\' && (at[1] == 'n' || at[1] == 't'))
			*end++ = *++at == 'n' ? '\n' : '\t';
		else
			*end++ = *at;
	*end = '\0';
	return text;
}

/** Prints what a file holds, each line behind a blank; returns 0 or a negative errno. */
static int print_after(const char *path)
{
	char *content, *rest, *line;
	size_t size;
	int error = machine->files->read(machine->data, path, &content, &size);

	if (error)
		return error;
	rest = content;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			printf(" %s", line);
	putchar('\n');
	free(content);
	return 0;
}

static void change(const char *how, char *argument)
{
	char *text = *how == 's' ? strchr(argument, '=') : NULL;
	char *path;
	int error;

	printf("%s:", argument);
	if (text)
		*text++ = '\0';
	path = path_of(unescape(argument));
	if (text)
		error = machine->files->write(machine->data, path, unescape(text), strlen(text));
	else
		error = (*how == 'm' ? machine->files->mkdir : machine->files->rmdir)(machine->data,
										      path);
	if (!error && text)
		error = print_after(path);
	else if (!error)
		puts(" done");
	free(path);
	if (error)
		printf(" %s\n", strerror(-error));
}

int main(int argc, char **argv)
{
	const struct isst_emulator_target target = {
		.platform = getenv("ISST_EMULATE"),
		.state_directory = getenv("ISST_EMULATE_STATE"),
		.unlock = getenv("ISST_EMULATE_UNLOCK"),
	};
	int first = 1, status = 0;
	char *error = NULL;

	if (argc > 3 && strcmp(argv[1], "-C") == 0) {
		start = argv[2];
		first = 3;
	}
	if (argc < first + 2 || !target.platform) {
		fprintf(stderr, "usage: kernel-files [-C DIRECTORY] "
				"cat|grep|ls PATTERN...|set NAME=TEXT...|mkdir|rmdir NAME...\n");
		return 2;
	}
	if (isst_emulator_open(&target, &machine, &error)) {
		fprintf(stderr, "%s\n", error);
		free(error);
		return 1;
	}
	for (int i = first + 1; i < argc; i++)
		if (strstr("set mkdir rmdir", argv[first]))
			change(argv[first], argv[i]);
		else
			status |= print(argv[first], argv[i]);
	machine->release(machine);
	return status;
}

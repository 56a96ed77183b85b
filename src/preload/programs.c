/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that this one starts: they are to meet the same machine, whatever environment they are
 * given, and if they cannot, a warning is printed.
 */
#include "preload/preload.h"

#include "emulator/front/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wordexp.h>

#define PRELOAD_LIST "LD_PRELOAD"

static const char *const passed_on[] = {
	PRELOAD_LIST, LAUNCH_PLATFORM, LAUNCH_STATE, LAUNCH_UNLOCK, LAUNCH_USER, LAUNCH_MEMORY,
};
enum { PASSED_ON = sizeof(passed_on) / sizeof(*passed_on) };

/** As it was when this program began: it may have taken them out of its own environment. */
static char *values[PASSED_ON];

/** This library, as the dynamic linker was given it, and what was there then. */
static const char *library;
static struct stat library_status;

__attribute__((constructor)) static void remember(void)
{
	bool begun = preload_begin(); /* what is asked here is not the program's */
	Dl_info information;

	if (dladdr(passed_on, &information)) {
		library = information.dli_fname;
		if (syscall(SYS_newfstatat, AT_FDCWD, library, &library_status, 0))
			library_status.st_size = 0;
	}
	for (size_t i = 0; i < PASSED_ON; i++) {
		const char *value = getenv(passed_on[i]);

		if (value && asprintf(&values[i], "%s=%s", passed_on[i], value) < 0)
			values[i] = NULL;
	}
	if (begun)
		preload_end(false);
}

/** The value of a variable; NULL: it is not set. Of several the last, which the dynamic linker
 * takes. */
static const char *value_of(char *const environment[], const char *name)
{
	const char *value = NULL;
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			value = *environment + length + 1;
	return value;
}

/** Whether a list of libraries to preload, which may be NULL, is without this one. */
static bool lacks_library(const char *list)
{
	for (; library && list && *list; list += strspn(list, " :")) {
		size_t length = strcspn(list, " :");

		if (length == strlen(library) && strncmp(list, library, length) == 0)
			return false;
		list += length;
	}
	return library;
}

/** What complete() takes: pointers, and behind them the value of LD_PRELOAD. */
static size_t space_for(char *const environment[], size_t *count)
{
	const char *list = value_of(environment, PRELOAD_LIST);

	*count = 0;
	while (environment && environment[*count])
		(*count)++;
	return (*count + PASSED_ON + 2) * sizeof(char *) + sizeof(PRELOAD_LIST "=:") +
	       (list ? strlen(list) : 0) + (library ? strlen(library) : 0);
}

/** Sets @whole to the environment of @count variables with what is missing. */
static void complete(char *const environment[], size_t count, char **whole)
{
	char *text = (char *)(whole + count + PASSED_ON + 2);
	const char *list = value_of(environment, PRELOAD_LIST), *affinity = affinity_variable();
	size_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (!list || environment[i] != list - sizeof(PRELOAD_LIST) || !lacks_library(list))
			whole[end++] = environment[i];
	if (list && lacks_library(list)) {
		/* The first: one of a C library would come before it. */
		sprintf(text, PRELOAD_LIST "=%s%s%s", library, *list ? ":" : "", list);
		whole[end++] = text;
	}
	for (size_t i = 0; i < PASSED_ON; i++)
		if (values[i] && !value_of(environment, passed_on[i]))
			whole[end++] = values[i];
	if (affinity && !value_of(environment, LAUNCH_AFFINITY))
		whole[end++] = (char *)affinity;
	whole[end] = NULL;
}

/* On the stack: a child of vfork(2) shares the memory of its parent. */
#define COMPLETE(environment, whole) \
	do { \
		size_t variables; \
		(whole) = __builtin_alloca(space_for((environment), &variables)); \
		complete((environment), variables, (whole)); \
	} while (0)

/** Whether this process may change what the kernel shows of the real CPUs. */
static bool could_change_the_real_machine(void)
{
	return syscall(SYS_faccessat, AT_FDCWD, "/sys/devices/system/cpu", W_OK) == 0;
}

/** Whether the user or group in effect is another than the process's own: as for a program with
 * set-user-ID. */
static bool is_distrusted(void)
{
	return syscall(SYS_geteuid) != syscall(SYS_getuid) ||
	       syscall(SYS_getegid) != syscall(SYS_getgid);
}

/**
 * The dynamic linker looks for the library by its path, in the root directory of this process. Only
 * the file that this program was given is known to be one that it can load.
 */
static const char *find_library_obstacle(void)
{
	struct stat status;

	if (syscall(SYS_newfstatat, AT_FDCWD, library, &status, 0) ||
	    syscall(SYS_faccessat, AT_FDCWD, library, R_OK))
		return "the preload library is not in its root directory";
	if (status.st_dev != library_status.st_dev || status.st_ino != library_status.st_ino ||
	    status.st_size != library_status.st_size)
		return "the preload library was replaced since this program started";
	return NULL;
}

/** @words: of the program; the dynamic linker may be one, that starts what they name. */
static const char *find_obstacle(const char *path, char *const words[])
{
	const char *obstacle = launch_obstacle(path);

	for (size_t i = 1; !obstacle && launch_is_linker(path) && words && words[0] && words[i];
	     i++)
		obstacle = launch_obstacle(words[i]);

	if (!obstacle && is_distrusted())
		obstacle =
			"its user or group in effect is not that of the process, so the dynamic linker ignores the preload library";
	if (!obstacle && library && syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
		obstacle = find_library_obstacle();
	return obstacle;
}

/** What would be without the machine is warned of, and is not started where it could do harm:
 * returns -1 and errno. */
static int check(const char *name, char *const words[])
{
	const char *obstacle = NULL;
	char path[PATH_MAX];
	bool refused;

	if (!name || !preload_begin())
		return 0;
	if (launch_find(name, path))
		obstacle = find_obstacle(path, words);
	refused = obstacle && could_change_the_real_machine();
	if (refused)
		preload_warn("%s is not started: %s, and could change the real machine", path,
			     obstacle);
	else if (obstacle)
		preload_warn("%s sees the real machine: %s", path, obstacle);
	preload_end(obstacle != NULL);
	if (refused)
		errno = EPERM;
	return refused ? -1 : 0;
}

/** Whether programs that this one starts are to meet the machine. */
static bool passes_on(void)
{
	return preload_machine && !preload_inside();
}

/** What is called by a path is where that leads to. Of the kernel's files none is a program:
 * returns -1 and errno for them, else 0. */
static int find_program(const char **name, char *found)
{
	struct stat status;

	if (!*name || !strchr(*name, '/') || !path_begin(AT_FDCWD, name, true, found))
		return 0;
	if (status_get(found, &status) == 0)
		errno = EACCES;
	preload_end(true);
	return -1;
}

/* ---- In place of this program ---- */

/** The same of a program by a path that is relative to a directory. */
static int check_at(int directory, const char *path, char *const words[])
{
	char whole[PATH_MAX];

	if (!path || *path == '/' || directory == AT_FDCWD)
		return check(path, words);
	if (snprintf(whole, sizeof(whole), "/proc/self/fd/%d%s%s", directory, *path ? "/" : "",
		     path) >= (int)sizeof(whole))
		return 0;
	return check(whole, words);
}

typedef int replacer(const char *name, char *const words[], char *const environment[]);

static int replace(replacer *real, const char *name, char *const words[], char *const environment[])
{
	char found[PATH_MAX], **whole;

	if (!passes_on())
		return real(name, words, environment);
	if (find_program(&name, found) || check(name, words))
		return -1;
	COMPLETE(environment, whole);
	return real(name, words, whole);
}

INTERPOSED int execve(const char *path, char *const words[], char *const environment[])
{
	return replace(REAL(execve), path, words, environment);
}

INTERPOSED int execv(const char *path, char *const words[])
{
	return execve(path, words, environ);
}

INTERPOSED int execvpe(const char *name, char *const words[], char *const environment[])
{
	return replace(REAL(execvpe), name, words, environment);
}

INTERPOSED int execvp(const char *name, char *const words[])
{
	return execvpe(name, words, environ);
}

INTERPOSED int fexecve(int descriptor, char *const words[], char *const environment[])
{
	char path[40], **whole;

	if (!passes_on())
		return REAL(fexecve)(descriptor, words, environment);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	if (check(path, words))
		return -1;
	COMPLETE(environment, whole);
	return REAL(fexecve)(descriptor, words, whole);
}

/* glibc before 2.34 has no such function. */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
int execveat(int directory, const char *path, char *const words[], char *const environment[],
	     int flags);

INTERPOSED int execveat(int directory, const char *path, char *const words[],
			char *const environment[], int flags)
{
	char *const *given = environment;
	char **whole;

	if (passes_on()) {
		if (check_at(directory, path, words))
			return -1;
		COMPLETE(environment, whole);
		given = whole;
	}
	return (int)REAL(syscall)(SYS_execveat, directory, path, words, given, flags);
}

/* The words of a program, which end with NULL; @last is left behind them. */
#define LIST_WORDS(list, first, last) \
	do { \
		size_t words = 0; \
		va_start(last, first); \
		while (words++, va_arg(last, char *)) \
			; \
		va_end(last); \
		(list) = __builtin_alloca((words + 1) * sizeof(*(list))); \
		(list)[0] = (char *)(first); \
		va_start(last, first); \
		for (size_t i = 1; i <= words; i++) \
			(list)[i] = va_arg(last, char *); \
	} while (0)

INTERPOSED int execl(const char *path, const char *word, ...)
{
	va_list last;
	char **list;

	LIST_WORDS(list, word, last);
	va_end(last);
	return execve(path, list, environ);
}

INTERPOSED int execlp(const char *name, const char *word, ...)
{
	va_list last;
	char **list;

	LIST_WORDS(list, word, last);
	va_end(last);
	return execvpe(name, list, environ);
}

INTERPOSED int execle(const char *path, const char *word, ...)
{
	char **list, **environment;
	va_list last;

	LIST_WORDS(list, word, last);
	environment = va_arg(last, char **);
	va_end(last);
	return execve(path, list, environment);
}

/* ---- As children ---- */

typedef int spawner(pid_t *process, const char *name, const posix_spawn_file_actions_t *actions,
		    const posix_spawnattr_t *attributes, char *const words[],
		    char *const environment[]);

static int spawn(spawner *real, pid_t *process, const char *name,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const words[], char *const environment[])
{
	char found[PATH_MAX], **whole;
	int error;

	if (!passes_on())
		return real(process, name, actions, attributes, words, environment);
	/* Without a slash it is looked for in the directories of this program's PATH. */
	if (find_program(&name, found) ||
	    check_at(name && strchr(name, '/') ? spawn_actions_directory(actions) : AT_FDCWD, name,
		     words))
		return errno;
	COMPLETE(environment, whole);
	error = spawn_actions_begin(actions);
	if (!error)
		error = real(process, name, actions, attributes, words, whole);
	spawn_actions_end(actions);
	return error;
}

INTERPOSED int posix_spawn(pid_t *process, const char *path,
			   const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const words[],
			   char *const environment[])
{
	return spawn(REAL(posix_spawn), process, path, actions, attributes, words, environment);
}

INTERPOSED int posix_spawnp(pid_t *process, const char *name,
			    const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const words[],
			    char *const environment[])
{
	return spawn(REAL(posix_spawnp), process, name, actions, attributes, words, environment);
}

/**
 * Before the C library itself starts a shell, with this program's environment: what the program
 * has taken out of that is restored. Returns -1 and errno where no shell may be started.
 */
static int restore(void)
{
	const char *list;
	char *longer;

	if (!passes_on())
		return 0;
	if (check("/bin/sh", NULL))
		return -1;
	for (size_t i = 0; i < PASSED_ON; i++)
		if (values[i] && !getenv(passed_on[i]))
			setenv(passed_on[i], values[i] + strlen(passed_on[i]) + 1, 0);
	if (affinity_variable() && !getenv(LAUNCH_AFFINITY))
		setenv(LAUNCH_AFFINITY, strchr(affinity_variable(), '=') + 1, 0);
	list = getenv(PRELOAD_LIST);
	if (!lacks_library(list) || asprintf(&longer, "%s:%s", library, list ? list : "") < 0)
		return 0;
	setenv(PRELOAD_LIST, longer, 1);
	free(longer);
	return 0;
}

INTERPOSED int system(const char *command)
{
	/* Without a command no shell is started. */
	return command && restore() ? -1 : REAL(system)(command);
}

INTERPOSED FILE *popen(const char *command, const char *mode)
{
	return restore() ? NULL : REAL(popen)(command, mode);
}

/** A name space of its own has a C library of its own, of which nothing is replaced. */
INTERPOSED void *dlmopen(Lmid_t space, const char *file, int mode)
{
	bool leaves = space == LM_ID_NEWLM && passes_on();

	if (leaves && could_change_the_real_machine()) {
		preload_warn(
			"dlmopen() of %s is refused: what it loads could change the real machine",
			file);
		return NULL;
	}
	if (leaves)
		preload_warn("dlmopen(): what is loaded with %s sees the real machine", file);
	return REAL(dlmopen)(space, file, mode);
}

int preload_expand(const char *words, wordexp_t *expanded, int flags)
{
	bool has_commands = words && (strstr(words, "$(") || strchr(words, '`'));

	if (has_commands && restore())
		flags |= WRDE_NOCMD;
	return REAL(wordexp)(words, expanded, flags);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that this one starts: they are to meet the same machine, whatever environment they are
 * given, and if they cannot, a warning is printed.
 */
#include "preload/preload.h"

#include "emulator/front/launch.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const passed_on[] = {
	"LD_PRELOAD", LAUNCH_PLATFORM, LAUNCH_STATE, LAUNCH_UNLOCK, LAUNCH_USER, LAUNCH_AFFINITY,
};
enum { PASSED_ON = sizeof(passed_on) / sizeof(*passed_on) };

/** As it was when this program began: it may have taken them out of its own environment. */
static char *values[PASSED_ON];

__attribute__((constructor)) static void remember(void)
{
	for (size_t i = 0; i < PASSED_ON; i++) {
		const char *value = getenv(passed_on[i]);

		if (value && asprintf(&values[i], "%s=%s", passed_on[i], value) < 0)
			values[i] = NULL;
	}
}

/** The value of a variable; NULL: it is not set. */
static const char *value_of(char *const environment[], const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/** The environment with what is missing; to be freed, its strings not. */
static char **complete(char *const environment[])
{
	size_t count = 0, end;
	char **whole;

	while (environment && environment[count])
		count++;
	whole = calloc(count + PASSED_ON + 1, sizeof(*whole));
	end = count;
	if (!whole)
		return NULL;
	if (count > 0)
		memcpy(whole, environment, count * sizeof(*whole));
	for (size_t i = 0; i < PASSED_ON; i++)
		if (values[i] && !value_of(environment, passed_on[i]))
			whole[end++] = values[i];
	return whole;
}

static void warn(const char *name, char *const environment[])
{
	const char *preloaded = value_of(environment, passed_on[0]), *obstacle = NULL;
	char path[PATH_MAX];

	if (!preload_begin())
		return;
	if (name && launch_find(name, path)) {
		obstacle = launch_obstacle(path);
		if (!obstacle && preloaded && !strstr(preloaded, LAUNCH_LIBRARY))
			obstacle = "its LD_PRELOAD does not contain the preload library";
	}
	if (obstacle)
		preload_warn("%s sees the real machine: %s", path, obstacle);
	preload_end(false);
}

typedef int replacer(const char *name, char *const words[], char *const environment[]);

static int replace(replacer *real, const char *name, char *const words[], char *const environment[])
{
	char **whole;
	int error;

	if (!preload_machine || preload_inside() || !(whole = complete(environment)))
		return real(name, words, environment);
	warn(name, environment);
	real(name, words, whole);
	error = errno;
	free(whole);
	errno = error;
	return -1;
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

typedef int spawner(pid_t *process, const char *name, const posix_spawn_file_actions_t *actions,
		    const posix_spawnattr_t *attributes, char *const words[],
		    char *const environment[]);

static int spawn(spawner *real, pid_t *process, const char *name,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const words[], char *const environment[])
{
	char **whole;
	int result;

	if (!preload_machine || preload_inside() || !(whole = complete(environment)))
		return real(process, name, actions, attributes, words, environment);
	warn(name, environment);
	result = real(process, name, actions, attributes, words, whole);
	free(whole);
	return result;
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

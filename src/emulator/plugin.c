/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in for the emulator in a command that loads it (EMULATOR=plugin): libisst-emulator.so,
 * from where it was installed and nowhere else, and only for an emulated machine. Used by one
 * thread.
 */
#include "isst-emulator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef ISST_EMULATOR_LIBRARY
#define ISST_EMULATOR_LIBRARY "/usr/local/lib/libisst-emulator.so.0"
#endif
#define PACKAGE "isst-emulator"

/* The functions of the library. */
static struct {
	__typeof__(isst_emulator_platform_name) *platform_name;
	__typeof__(isst_emulator_platform_title) *platform_title;
	__typeof__(isst_emulator_platform_is_synthetic) *platform_is_synthetic;
	__typeof__(isst_emulator_target_new) *target_new;
	__typeof__(isst_emulator_target_free) *target_free;
	__typeof__(isst_emulator_target_set_state) *target_set_state;
	__typeof__(isst_emulator_target_set_flags) *target_set_flags;
	__typeof__(isst_emulator_open) *open;
	__typeof__(isst_emulator_show) *show;
	__typeof__(isst_emulator_reset) *reset;
	__typeof__(isst_emulator_read_statistics) *read_statistics;
	__typeof__(isst_emulator_statistics_free) *statistics_free;
	__typeof__(isst_emulator_statistics_count) *statistics_count;
	__typeof__(isst_emulator_run) *run;
} emulator;

static const struct {
	const char *name;
	void *function; /* a member of the struct above */
} functions[] = {
	{ "isst_emulator_platform_name", &emulator.platform_name },
	{ "isst_emulator_platform_title", &emulator.platform_title },
	{ "isst_emulator_platform_is_synthetic", &emulator.platform_is_synthetic },
	{ "isst_emulator_target_new", &emulator.target_new },
	{ "isst_emulator_target_free", &emulator.target_free },
	{ "isst_emulator_target_set_state", &emulator.target_set_state },
	{ "isst_emulator_target_set_flags", &emulator.target_set_flags },
	{ "isst_emulator_open", &emulator.open },
	{ "isst_emulator_show", &emulator.show },
	{ "isst_emulator_reset", &emulator.reset },
	{ "isst_emulator_read_statistics", &emulator.read_statistics },
	{ "isst_emulator_statistics_free", &emulator.statistics_free },
	{ "isst_emulator_statistics_count", &emulator.statistics_count },
	{ "isst_emulator_run", &emulator.run },
};

static char *problem; /* NULL: there was no memory for its text */

static void set_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void set_problem(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&problem, format, arguments) < 0)
		problem = NULL;
	va_end(arguments);
}

static const char *problem_text(void)
{
	return problem ? problem : "cannot load the emulator: out of memory";
}

/** Looks up all functions in the library. Returns false, with the problem, without one of them. */
static bool find_functions(void *library)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function) {
			set_problem("%s is of another version: it has no %s", ISST_EMULATOR_LIBRARY,
				    functions[i].name);
			return false;
		}
		memcpy(functions[i].function, &function, sizeof(function));
	}
	return true;
}

static bool load(void)
{
	void *library = dlopen(ISST_EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (library)
		return find_functions(library);
	if (access(ISST_EMULATOR_LIBRARY, F_OK))
		set_problem("the emulator is not installed (package %s): no %s", PACKAGE,
			    ISST_EMULATOR_LIBRARY);
	else
		set_problem("cannot load the emulator: %s", dlerror());
	return false;
}

bool isst_emulator_is_available(void)
{
	static enum { NOT_TRIED, LOADED, FAILED } state;

	if (state == NOT_TRIED)
		state = load() ? LOADED : FAILED;
	return state == LOADED;
}

const char *isst_emulator_unavailable_text(void)
{
	return isst_emulator_is_available() ? NULL : problem_text();
}

static int refuse_call(char **error)
{
	if (error)
		*error = strdup(problem_text());
	return -EOPNOTSUPP;
}

const char *isst_emulator_platform_name(size_t index)
{
	return isst_emulator_is_available() ? emulator.platform_name(index) : NULL;
}

const char *isst_emulator_platform_title(size_t index)
{
	return isst_emulator_is_available() ? emulator.platform_title(index) : NULL;
}

bool isst_emulator_platform_is_synthetic(size_t index)
{
	return isst_emulator_is_available() && emulator.platform_is_synthetic(index);
}

struct isst_emulator_target *isst_emulator_target_new(const char *platform)
{
	return isst_emulator_is_available() ? emulator.target_new(platform) : NULL;
}

void isst_emulator_target_free(struct isst_emulator_target *target)
{
	if (target)
		emulator.target_free(target);
}

int isst_emulator_target_set_state(struct isst_emulator_target *target, const char *directory)
{
	return target ? emulator.target_set_state(target, directory) : -EINVAL;
}

int isst_emulator_target_set_flags(struct isst_emulator_target *target, unsigned int flags)
{
	return target ? emulator.target_set_flags(target, flags) : -EINVAL;
}

int isst_emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
		       char **error)
{
	if (isst_emulator_is_available())
		return emulator.open(target, machine, error);
	if (machine)
		*machine = NULL;
	return refuse_call(error);
}

int isst_emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	if (isst_emulator_is_available())
		return emulator.show(target, text, error);
	if (text)
		*text = NULL;
	return refuse_call(error);
}

int isst_emulator_reset(const struct isst_emulator_target *target, char **error)
{
	return isst_emulator_is_available() ? emulator.reset(target, error) : refuse_call(error);
}

int isst_emulator_read_statistics(const struct isst_emulator_target *target, unsigned int flags,
				  struct isst_emulator_statistics **statistics, char **error)
{
	if (isst_emulator_is_available())
		return emulator.read_statistics(target, flags, statistics, error);
	if (statistics)
		*statistics = NULL;
	return refuse_call(error);
}

void isst_emulator_statistics_free(struct isst_emulator_statistics *statistics)
{
	if (statistics)
		emulator.statistics_free(statistics);
}

uint64_t isst_emulator_statistics_count(const struct isst_emulator_statistics *statistics,
					int counter)
{
	return statistics ? emulator.statistics_count(statistics, counter) : 0;
}

int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
		      unsigned int flags, unsigned int user, char **error)
{
	return isst_emulator_is_available() ? emulator.run(target, words, flags, user, error)
					    : refuse_call(error);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of a configuration, and which one of them counts. Knows neither text nor machine. */
#include "configuration/configuration.h"
#include "base/array.h"
#include "base/cpuset.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool subject_is_of_cpus(enum subject subject)
{
	return subject == SUBJECT_ASSOCIATION || subject == SUBJECT_SCALING_MIN ||
	       subject == SUBJECT_SCALING_MAX;
}

struct isst_cpuset **setting_list(struct setting *setting, enum cpu_list list)
{
	return list == LIST_CPUS     ? &setting->cpus
	       : list == LIST_WITHIN ? &setting->choice.within
				     : &setting->choice.avoid;
}

int cpu_list_add(const char *list, struct isst_cpuset *cpus,
		 int (*add_name)(void *data, const struct cpu_name *name, struct isst_cpuset *cpus),
		 void *data)
{
	char *copy = strdup(list), *rest = copy, *part;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (part = strsep(&rest, ",")) != NULL) {
		struct cpu_name name;

		if (*part != '@')
			error = *part ? isst_cpuset_add_list(cpus, part, NULL) : -EINVAL;
		else if (cpu_name_parse(part + 1, &name))
			error = -EINVAL;
		else
			error = add_name(data, &name, cpus);
	}
	free(copy);
	return error;
}

void setting_clear(struct setting *setting)
{
	isst_cpuset_free(setting->scope.packages);
	isst_cpuset_free(setting->scope.power_domains);
	isst_cpuset_free(setting->cpus);
	isst_cpuset_free(setting->choice.within);
	isst_cpuset_free(setting->choice.avoid);
	for (size_t i = 0; i < LISTS; i++)
		free(setting->named[i]);
	*setting = (struct setting){ 0 };
}

int configuration_add(struct configuration *configuration, struct setting *setting)
{
	if (ARRAY_GROW(configuration->settings, configuration->setting_count)) {
		setting_clear(setting);
		return -ENOMEM;
	}
	configuration->settings[configuration->setting_count++] = *setting;
	*setting = (struct setting){ 0 };
	return 0;
}

int configuration_add_source(struct configuration *configuration, const char *name)
{
	char *copy = strdup(name);

	if (!copy || ARRAY_GROW(configuration->sources, configuration->source_count)) {
		free(copy);
		return -ENOMEM;
	}
	configuration->sources[configuration->source_count++] = copy;
	return 0;
}

void configuration_drop_sources(struct configuration *configuration, size_t count)
{
	while (configuration->source_count > count)
		free(configuration->sources[--configuration->source_count]);
}

int configuration_problem(struct configuration *configuration, struct origin origin,
			  const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	if (ARRAY_GROW(configuration->problems, configuration->problem_count))
		return -ENOMEM;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	configuration->problems[configuration->problem_count++] =
		(struct problem){ .origin = origin, .text = text };
	return -EINVAL;
}

unsigned int setting_precision(const struct setting *setting)
{
	/* CPUs first: a statement that names them would be without effect, unnoticed, beside one of
	 * their package. */
	return (subject_is_of_cpus(setting->subject) && setting->cpus ? 8U : 0U) +
	       (setting->scope.power_domains ? 4U : 0U) + (setting->scope.packages ? 2U : 0U) +
	       (setting->index != INDEX_ALL ? 1U : 0U);
}

bool setting_counts_more(const struct setting *setting, const struct setting *other)
{
	const struct origin *one = &setting->origin, *two = &other->origin;
	unsigned int precision = setting_precision(setting),
		     other_precision = setting_precision(other);
	/* Several --set are lines of one file, but that they may state the same thing twice. */
	bool by_precision = one->source == two->source || (one->statement && two->statement);

	if (by_precision && precision != other_precision)
		return precision > other_precision;
	return one->source > two->source;
}

/** Whether a set names a number; without a set, each one is named. */
static bool names(const struct isst_cpuset *set, unsigned int number)
{
	return !set || isst_cpuset_has(set, number);
}

const struct setting *configuration_find(const struct configuration *configuration,
					 enum subject subject, const struct place *place)
{
	const struct setting *found = NULL;

	for (size_t i = 0; i < configuration->setting_count; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject == subject && names(setting->scope.packages, place->package) &&
		    names(setting->scope.power_domains, place->power_domain) &&
		    (setting->index == INDEX_ALL || setting->index == place->index) &&
		    (!subject_is_of_cpus(subject) || names(setting->cpus, place->cpu)) &&
		    (!found || setting_counts_more(setting, found)))
			found = setting;
	}
	return found;
}

bool configuration_is_state(const struct configuration *configuration, size_t source)
{
	for (size_t i = 0; i < configuration->match_count; i++)
		if (configuration->matches[i].unedited &&
		    configuration->matches[i].origin.source == source)
			return true;
	return false;
}

void configuration_clear(struct configuration *configuration)
{
	configuration_drop_sources(configuration, 0);
	for (size_t i = 0; i < configuration->setting_count; i++)
		setting_clear(&configuration->settings[i]);
	for (size_t i = 0; i < configuration->match_count; i++)
		isst_cpuset_free(configuration->matches[i].cpus);
	for (size_t i = 0; i < configuration->problem_count; i++)
		free(configuration->problems[i].text);
	free(configuration->sources);
	free(configuration->settings);
	free(configuration->matches);
	free(configuration->problems);
	*configuration = (struct configuration){ 0 };
}

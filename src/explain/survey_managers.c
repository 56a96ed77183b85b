/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for programs that set frequencies, too: by their processes, and by units of systemd. */
#include "base/array.h"
#include "explain/survey.h"
#include "sysfs/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char UNITS[] = "/run/systemd/units";

/* What others are found by: the begin of a process's name, or a unit that was started. */
static const struct manager MANAGERS[] = {
	{ .name = "tuned",
	  .process = "tuned",
	  .effect = "it sets governor, energy performance preference, limits of frequencies and "
		    "isolated CPUs as its profile demands, and can set them again",
	  .advice =
		  "see tuned-adm active; select a profile without these settings, or, without all "
		  "that the profile sets, systemctl disable --now tuned" },
	{ .name = "power-profiles-daemon",
	  .process = "power-profiles-daemon",
	  .effect =
		  "it sets the energy performance preference and no_turbo as its profile demands, "
		  "and can set them again",
	  .advice = "see powerprofilesctl; systemctl disable --now power-profiles-daemon" },
	{ .name = "thermald",
	  .process = "thermald",
	  .effect = "it lowers power limits and frequencies while the processor is hot",
	  .advice = "systemctl disable --now thermald, if the firmware cools well enough" },
	{ .name = "cpupower",
	  .unit = "cpupower",
	  .effect = "it has set governor and limits of frequencies when it was started",
	  .advice = "systemctl disable cpupower, and see /etc/default/cpupower" },
	{ .name = "kubelet with a resource plugin",
	  .process = "kubelet",
	  .plugins = { "nri-resource-policy", "cri-resmgr", "power-node-agent" },
	  .effect = "a resource plugin of kubelet sets frequencies, classes of service and CPUs "
		    "of containers, and can set them again",
	  .advice = "make such settings in the configuration of the plugin" },
};

enum { MANAGER_COUNT = sizeof(MANAGERS) / sizeof(MANAGERS[0]) };

/** Whether a process has that name, of which the kernel keeps the begin alone. */
static bool has_name(const char *process, const char *name)
{
	size_t length = strlen(name);

	if (length > PROCESS_NAME_LENGTH)
		length = PROCESS_NAME_LENGTH;
	return strncmp(process, name, length) == 0 &&
	       (process[length] == '\0' || length == PROCESS_NAME_LENGTH);
}

static bool has_plugin_name(const struct manager *manager, const char *process)
{
	for (size_t i = 0; i < MANAGER_PLUGINS && manager->plugins[i]; i++)
		if (has_name(process, manager->plugins[i]))
			return true;
	return false;
}

/** What was seen of each so far. */
struct search {
	struct survey *survey;
	unsigned int processes[MANAGER_COUNT], plugins[MANAGER_COUNT];
};

/** The lowest number is that of the first of its processes. */
static void keep_first(unsigned int *kept, unsigned int number)
{
	if (!*kept || number < *kept)
		*kept = number;
}

static int look_at_process(void *data, unsigned int number, const char *name)
{
	struct search *search = data;

	for (size_t i = 0; i < MANAGER_COUNT; i++) {
		if (MANAGERS[i].process && has_name(name, MANAGERS[i].process))
			keep_first(&search->processes[i], number);
		if (has_plugin_name(&MANAGERS[i], name))
			keep_first(&search->plugins[i], number);
	}
	return 0;
}

static int add_seen(struct survey *survey, const struct manager *manager, unsigned int process,
		    unsigned int plugin)
{
	int error = ARRAY_GROW(survey->managers, survey->manager_count);

	if (!error)
		survey->managers[survey->manager_count++] = (struct manager_seen){ manager, process,
										   plugin };
	return error;
}

static int add_processes(const struct search *search)
{
	int error = 0;

	for (size_t i = 0; i < MANAGER_COUNT && !error; i++)
		if (search->processes[i] && (!MANAGERS[i].plugins[0] || search->plugins[i]))
			error = add_seen(search->survey, &MANAGERS[i], search->processes[i],
					 search->plugins[i]);
	return error;
}

/** systemd has a link `invocation:NAME.service` for each unit that is active, also for those whose
 * processes have ended. */
static int look_at_unit(void *data, const char *name)
{
	struct survey *survey = data;
	char *unit;
	int error = 0;

	for (size_t i = 0; i < MANAGER_COUNT && !error; i++) {
		if (!MANAGERS[i].unit)
			continue;
		if (asprintf(&unit, "invocation:%s.service", MANAGERS[i].unit) < 0)
			return -ENOMEM;
		if (strcmp(name, unit) == 0)
			error = add_seen(survey, &MANAGERS[i], 0, 0);
		free(unit);
	}
	return error;
}

int survey_read_managers(struct survey *survey)
{
	struct search search = { .survey = survey };
	int error = survey_note_file(
		survey, processes_each(&survey->context->files, look_at_process, &search));

	if (!error)
		error = add_processes(&search);
	return error ? error
		     : survey_note_file(survey, kernel_files_each(&survey->context->files, UNITS,
								  "", look_at_unit, survey));
}

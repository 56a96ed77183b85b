/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs that set frequencies, by their processes and by units of systemd. */
#include "explain/findings.h"
#include "sysfs/system.h"

#include <string.h>

enum { PLUGINS = 4 };

/** A program that sets frequencies, too. */
struct manager {
	const char *process;	      /* NULL: it has none that stays, with: */
	const char *name, *unit;      /* of systemd: as a link has it */
	const char *plugins[PLUGINS]; /* processes without one of which it sets nothing */
	const char *effect, *advice;
};

/* What others are found by: the begin of a process's name, or a unit that was started. */
static const struct manager TABLE[] = {
	{ .process = "tuned",
	  .effect = "it sets governor, energy performance preference, limits of frequencies and "
		    "isolated CPUs as its profile demands, and can set them again",
	  .advice =
		  "see tuned-adm active; select a profile without these settings, or, without all "
		  "that the profile sets, systemctl disable --now tuned" },
	{ .process = "power-profiles-daemon",
	  .effect =
		  "it sets the energy performance preference and no_turbo as its profile demands, "
		  "and can set them again",
	  .advice = "see powerprofilesctl; systemctl disable --now power-profiles-daemon" },
	{ .process = "thermald",
	  .effect = "it lowers power limits and frequencies while the processor is hot",
	  .advice = "systemctl disable --now thermald, if the firmware cools well enough" },
	{ .process = "kubelet",
	  .plugins = { "nri-resource-policy", "cri-resmgr", "power-node-agent" },
	  .effect = "a resource plugin of kubelet sets frequencies, classes of service and CPUs "
		    "of containers, and can set them again",
	  .advice = "make such settings in the configuration of the plugin" },
	{ .name = "cpupower",
	  .unit = "invocation:cpupower.service",
	  .effect = "it has set governor and limits of frequencies when it was started",
	  .advice = "systemctl disable cpupower, and see /etc/default/cpupower" },
};

_Static_assert(sizeof(TABLE) / sizeof(TABLE[0]) == MANAGERS, "each has its place in the survey");

/** Whether a process has that name, of which the kernel keeps the begin alone. */
static bool has_process_name(const char *process, const char *name)
{
	size_t length = strlen(name);

	if (length > PROCESS_NAME_LENGTH)
		length = PROCESS_NAME_LENGTH;
	return strncmp(process, name, length) == 0 &&
	       (process[length] == '\0' || length == PROCESS_NAME_LENGTH);
}

/** The lowest number is that of the first of its processes. */
static int note_process(void *data, unsigned int number, const char *name)
{
	struct survey *survey = data;

	for (size_t i = 0; i < MANAGERS; i++) {
		struct manager_seen *seen = &survey->managers[i];

		if (TABLE[i].process && has_process_name(name, TABLE[i].process) &&
		    (!seen->process || number < seen->process))
			seen->process = number;
		for (size_t j = 0; j < PLUGINS && TABLE[i].plugins[j]; j++)
			if (has_process_name(name, TABLE[i].plugins[j]) &&
			    (!seen->plugin || number < seen->plugin))
				seen->plugin = number;
	}
	return 0;
}

/** systemd has a link for each unit that is active, also for those whose processes have ended. */
static int note_unit(void *data, const char *name)
{
	struct survey *survey = data;

	for (size_t i = 0; i < MANAGERS; i++)
		survey->managers[i].active |= TABLE[i].unit && strcmp(name, TABLE[i].unit) == 0;
	return 0;
}

void survey_read_managers(struct survey *survey)
{
	struct kernel_files *files = &survey->context->files;

	survey_note_file(survey, processes_each(files, note_process, survey));
	for (size_t i = 0; i < MANAGERS; i++)
		if (TABLE[i].plugins[0] && !survey->managers[i].plugin)
			survey->managers[i].process = 0;
	survey_note_file(survey,
			 kernel_files_each(files, "/run/systemd/units", "", note_unit, survey));
}

void check_managers(struct findings *findings)
{
	for (size_t i = 0; i < MANAGERS; i++) {
		const struct manager_seen *seen = &findings->survey->managers[i];
		const struct found found = { ISST_FINDING_MANAGER_AT_WORK,
					     .meaning = TABLE[i].effect,
					     .remedy = TABLE[i].advice };

		if (seen->process && seen->plugin)
			findings_add(findings, &found,
				     "%s is process %u, and its resource plugin process %u "
				     "(/proc/%u/comm)",
				     TABLE[i].process, seen->process, seen->plugin, seen->plugin);
		else if (seen->process)
			findings_add(findings, &found, "%s is process %u (/proc/%u/comm)",
				     TABLE[i].process, seen->process, seen->process);
		else if (seen->active)
			findings_add(findings, &found, "%s is active (/run/systemd/units)",
				     TABLE[i].name);
	}
}

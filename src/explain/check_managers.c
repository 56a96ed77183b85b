/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs that set frequencies. */
#include "explain/checks.h"

static struct isst_finding *note(struct findings *findings, const struct manager_seen *seen)
{
	const char *name = seen->manager->process;

	if (!seen->process)
		return findings_note(findings, ISST_FINDING_MANAGER_AT_WORK,
				     "%s is active (/run/systemd/units)", seen->manager->name);
	if (!seen->plugin)
		return findings_note(findings, ISST_FINDING_MANAGER_AT_WORK,
				     "%s is process %u (/proc/%u/comm)", name, seen->process,
				     seen->process);
	return findings_note(findings, ISST_FINDING_MANAGER_AT_WORK,
			     "%s is process %u, and its resource plugin process %u (/proc/%u/comm)",
			     name, seen->process, seen->plugin, seen->plugin);
}

void check_managers(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->manager_count; i++) {
		const struct manager_seen *seen = &survey->managers[i];

		finding_explain(findings, note(findings, seen), seen->manager->effect,
				seen->manager->advice);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What limits packages. Must not know what is reported of them. */
#include "limits_found.h"

#include <errno.h>

/** Reports what could not be read, unless something was reported before: most of it would stand
 * there twice. */
static void report_unread(struct run *run, const struct isst_explanation *explanation, int error)
{
	const char *unread;

	if (error == -ENOMEM) {
		run_error(run, STATUS_FAILED, "out of memory");
		return;
	}
	if (run->status != STATUS_DONE)
		return;
	if (error < 0)
		run_call(run, error);
	for (size_t i = 0; (unread = isst_explanation_unread_at(explanation, i)) != NULL; i++)
		run_error(run, STATUS_FAILED, "%s", unread);
}

const struct isst_explanation *limits_explanation(struct machine_status *status)
{
	struct run *run = status->run;
	struct isst_targets *targets;
	int error;

	if (status->limits_explained)
		return status->limits;
	status->limits_explained = true;
	targets = isst_targets_new(run->context);
	error = targets ? 0 : -ENOMEM;
	for (size_t i = 0; i < status->domain_count && !error; i++)
		error = isst_targets_add_domain(targets, run->targets.domains[i]);
	if (!error)
		error = isst_explain(run->context, targets, NULL, ISST_EXPLAIN_LIMITS,
				     &status->limits);
	report_unread(run, status->limits, error);
	isst_targets_free(targets);
	return status->limits;
}

bool finding_is_limit_of(const struct isst_finding *finding, unsigned int package)
{
	static const int CODES[] = {
		ISST_FINDING_LIMITED_THERMAL,	ISST_FINDING_LIMITED_PLATFORM,
		ISST_FINDING_LIMITED_POWER,	ISST_FINDING_LIMITED_CURRENT,
		ISST_FINDING_LIMITED_RAS,	ISST_FINDING_LIMITED_MCP,
		ISST_FINDING_LIMITED_DFC,	ISST_FINDING_LIMITED_QOS,
		ISST_FINDING_LIMITED_MISC,	ISST_FINDING_LIMITED_FREQUENCY,
		ISST_FINDING_LIMITED_OTHERWISE,
	};

	for (size_t i = 0; i < sizeof(CODES) / sizeof(CODES[0]); i++)
		if (CODES[i] == isst_finding_code(finding))
			return isst_cpuset_has(isst_finding_packages(finding), package);
	return false;
}

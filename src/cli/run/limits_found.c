/* SPDX-License-Identifier: BSD-3-Clause */
/* What limits single packages. Must not know what is reported of them. */
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

struct isst_explanation *package_explanation(struct run *run, unsigned int package)
{
	struct isst_targets *targets = isst_targets_new(run->context);
	struct isst_explanation *explanation = NULL;
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 0; i < isst_domain_count(run->context) && !error; i++) {
		const struct isst_domain *domain = isst_domain_at(run->context, i);

		if (isst_domain_package(domain) == package)
			error = isst_targets_add_domain(targets, domain);
	}
	if (!error)
		error = isst_explain(run->context, targets, NULL, ISST_EXPLAIN_LIMITS,
				     &explanation);
	report_unread(run, explanation, error);
	isst_targets_free(targets);
	return explanation;
}

bool finding_is_limit(int code)
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
		if (CODES[i] == code)
			return true;
	return false;
}

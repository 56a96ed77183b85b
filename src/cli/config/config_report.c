/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems and differences of configurations as nodes and messages of a report. */
#include "config_report.h"

#include <string.h>

static void report_problems(struct run *run, const struct isst_config *config, int error)
{
	const char *problem;
	size_t count = 0;

	for (; (problem = isst_config_problem_at(config, count)) != NULL; count++)
		if (count < CONFIG_LISTED)
			run_failure(run, &(struct failure){ .error = error, .message = problem });
	if (count > CONFIG_LISTED)
		run_error(run, status_of_error(error), "and %zu more problem%s",
			  count - CONFIG_LISTED, count - CONFIG_LISTED > 1 ? "s" : "");
}

int config_call(struct run *run, const struct isst_config *config, int error)
{
	const char *problem = config ? isst_config_problem_at(config, 0) : NULL;

	if (error >= 0)
		return error;
	if (!problem && run->context)
		return run_call(run, error);
	if (!problem)
		run_error(run, status_of_error(error), "%s", strerror(-error));
	else
		report_problems(run, config, error);
	return error;
}

unsigned int config_report_differences(struct report_node *top, enum key_id key,
				       const struct isst_config *config)
{
	const struct isst_config_difference *difference;
	unsigned int count = 0;

	while ((difference = isst_config_difference_at(config, count)) != NULL) {
		struct report_node *node = report_branch(top, key, count++);
		const char *origin = isst_config_difference_origin(difference);

		report_text(node, KEY_CONFIG_TARGET, isst_config_difference_target(difference));
		report_text(node, KEY_CONFIG_WANTED, isst_config_difference_wanted(difference));
		report_text(node, KEY_CONFIG_PRESENT, isst_config_difference_present(difference));
		/* Defaults are stated nowhere. */
		if (origin && *origin)
			report_text(node, KEY_CONFIG_ORIGIN, origin);
	}
	return count;
}

bool config_report_comparison(struct run *run, struct report_node *top)
{
	bool equal = !isst_config_difference_at(run->config, 0);

	/* What discovery left out was not compared, which its messages are errors of. */
	if (equal && isst_left_out_at(run->context, 0))
		report_word(top, KEY_CONFIG_CHECK, "incomplete");
	else
		report_state(top, KEY_CONFIG_CHECK, equal);
	config_report_differences(top, KEY_CONFIG_DIFFERENCE, run->config);
	return equal;
}

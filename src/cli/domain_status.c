/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `status` ask for domains. Must not know output formats. */
#include "machine_status.h"

#include <errno.h>

const struct domain_status *status_of_domain(const struct machine_status *status,
					     const struct isst_domain *domain)
{
	for (size_t i = 0; i < status->domain_count; i++)
		if (status->domains[i].domain == domain)
			return &status->domains[i];
	return NULL;
}

struct isst_results *status_read(struct machine_status *status, reader read, unsigned int flags,
				 bool (*wanted)(const struct domain_status *domain))
{
	struct run *run = status->run;
	struct isst_targets *targets = isst_targets_new(run->context);
	struct isst_results *results = NULL;
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 0; i < status->domain_count && !error; i++)
		if (wanted(&status->domains[i]))
			error = isst_targets_add_domain(targets, status->domains[i].domain);
	if (!error && isst_targets_count(targets) > 0) {
		error = read(run->context, targets, NULL, flags, &results);
		if (results)
			error = 0;
	}
	isst_targets_free(targets);
	if (error)
		run_error(run, STATUS_FAILED, "%s",
			  error == -ENOMEM ? "out of memory" : isst_error(run->context));
	return results;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `status` ask for domains and CPUs. Must not know output formats. */
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

/** Reads for targets, which are freed; nothing where there are none. @error: making them failed */
static struct isst_results *read_targets(struct run *run, reader read, unsigned int flags,
					 struct isst_targets *targets, int error)
{
	struct isst_results *results = NULL;

	if (!error && isst_targets_count(targets) > 0) {
		error = read(run->context, targets, NULL, flags, &results);
		if (results)
			error = 0;
	}
	isst_targets_free(targets);
	if (error)
		run_not_asked(run, error);
	return results;
}

struct isst_results *status_read(struct machine_status *status, reader read, unsigned int flags,
				 bool (*wanted)(const struct domain_status *domain))
{
	struct run *run = status->run;
	struct isst_targets *targets = isst_targets_new(run->context);
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 0; i < status->domain_count && !error; i++)
		if (wanted(&status->domains[i]))
			error = isst_targets_add_domain(targets, status->domains[i].domain);
	return read_targets(run, read, flags, targets, error);
}

int status_choose_cpus(const struct machine_status *status, const struct isst_cpuset *except,
		       struct isst_cpuset *cpus, struct isst_cpuset *left_out)
{
	int error = 0;

	for (size_t i = 0; i < status->cores.count; i++) {
		const struct core *core = &status->cores.all[i];
		const struct domain_status *domain = status_of_domain(status, core->domain);
		unsigned int cpu;

		if (!domain || !domain->node)
			continue;
		isst_cpuset_for_each (cpu, core->online)
			if (is_named(status->run, cpu) && !error)
				error = isst_cpuset_add(
					isst_cpuset_has(except, cpu) ? left_out : cpus, cpu, cpu);
	}
	return error;
}

struct isst_results *status_read_cpus(struct machine_status *status, reader read,
				      const struct isst_cpuset *cpus)
{
	struct isst_targets *targets = isst_targets_new(status->run->context);

	return read_targets(status->run, read, 0, targets,
			    targets ? isst_targets_add_cpus(targets, cpus) : -ENOMEM);
}

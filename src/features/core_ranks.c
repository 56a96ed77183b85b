/* SPDX-License-Identifier: BSD-3-Clause */
/* Highest frequencies of the cores of a domain, or while these are not shown, which cores have
 * priority. */
#include "features/core_ranks.h"
#include "features/features.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/** Where the kernel does not report it, none is preferred. */
static int read_max_khz(struct isst_context *context, unsigned int cpu, unsigned int *khz)
{
	uint64_t value = 0;
	int error = cpufreq_read(&context->files, cpu, "cpuinfo_max_freq", &value);

	*khz = error || value > UINT_MAX ? 0 : (unsigned int)value;
	return error == -ENOENT ? 0 : error;
}

/** The kernel reports nothing of a core that is offline as yet: it is taken to be one like most, as
 * only few have a higher frequency than others. */
static void fill_unknown(struct core_candidate *cores, size_t count)
{
	unsigned int lowest = UINT_MAX;

	for (size_t i = 0; i < count; i++)
		if (cores[i].rank > 0 && cores[i].rank < lowest)
			lowest = cores[i].rank;
	for (size_t i = 0; i < count && lowest < UINT_MAX; i++)
		if (cores[i].rank == 0)
			cores[i].rank = lowest;
}

static int rank_by_frequency(struct isst_context *context, struct core_candidate *cores,
			     const unsigned int *cpus, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = read_max_khz(context, cpus[i], &cores[i].rank);
	fill_unknown(cores, count);
	return error;
}

static int rank_by_clos(struct isst_context *context, struct core_candidate *cores,
			const unsigned int *cpus, size_t count)
{
	struct isst_clos_association *now = calloc(count + 1, sizeof(*now));
	int error = now ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		now[i].cpu = context_cpu(context, cpus[i]);
	if (!error)
		error = clos_association_read(context, now, count);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_failure *failure = &now[i].failure;

		cores[i].rank = !failure->error && now[i].clos == 0;
		if (failure->error && failure->error != -EOPNOTSUPP)
			error = message_error(&context->messages, failure->error, "%s",
					      failure->message);
	}
	free(now);
	return error;
}

/** Whether any core does not show its highest frequency. */
static int find_hidden(struct isst_context *context, enum turbo_state turbo,
		       const unsigned int *cpus, size_t count, bool *hidden)
{
	int error = 0;

	*hidden = false;
	for (size_t i = 0; i < count && !*hidden && !error; i++)
		error = cpufreq_hides_limit(&context->files, cpus[i], turbo, hidden);
	return error;
}

int core_ranks_read(struct isst_context *context, enum turbo_state turbo,
		    struct core_candidate *cores, const unsigned int *cpus, size_t count)
{
	bool hidden;
	int error = find_hidden(context, turbo, cpus, count, &hidden);

	if (error)
		return error;
	return hidden ? rank_by_clos(context, cores, cpus, count)
		      : rank_by_frequency(context, cores, cpus, count);
}

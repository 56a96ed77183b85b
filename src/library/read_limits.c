/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading frequency limits in the kernel's files, for a set of targets. */
#include "features/features.h"
#include "library/read_kind.h"

#include <errno.h>
#include <stdlib.h>

enum { KHZ_PER_MHZ = 1000 };

/** A frequency that the kernel shows. */
static struct isst_value mhz_of(uint64_t khz)
{
	return (struct isst_value){ .state = ISST_KNOWN,
				    .value = (unsigned int)(khz / KHZ_PER_MHZ) };
}

/** A limit, or that there is none. @absent: what stands for none */
static struct isst_value limit_of(uint64_t khz, uint64_t absent)
{
	const struct isst_value none = { .state = ISST_ABSENT };

	return khz == absent ? none : mhz_of(khz);
}

/* ---- The uncore ---- */

/** A limit that was set is another one than that of boot, where the kernel shows this. */
static void take_fabric(struct uncore_values *values, const struct uncore_limits *limits)
{
	const struct frequency_limits *now = &limits->now, *initial = &limits->initial;
	unsigned int fabric = limits->fabric;

	values->min_mhz[fabric] = limit_of(now->min_khz, initial->min_khz);
	values->max_mhz[fabric] = limit_of(now->max_khz, initial->max_khz);
	values->initial_min_mhz[fabric] = limit_of(initial->min_khz, 0);
	values->initial_max_mhz[fabric] = limit_of(initial->max_khz, 0);
}

static void fail_fabric(struct uncore_values *values, unsigned int fabric,
			const struct isst_failure *failure)
{
	const struct isst_value unreadable = { .state = ISST_UNREADABLE };

	/* A fabric that the kernel does not have is none of the domain's. */
	if (failure->error == -EOPNOTSUPP && fabric > 0)
		return;
	failure_join(&values->failure, failure);
	if (failure->error == -EOPNOTSUPP)
		return;
	values->min_mhz[fabric] = values->max_mhz[fabric] = unreadable;
	values->initial_min_mhz[fabric] = values->initial_max_mhz[fabric] = unreadable;
}

static int read_domain(struct isst_context *context, struct uncore_values *values)
{
	struct uncore_limits limits[UNCORE_FABRICS] = { 0 };
	unsigned int count = 0;
	int error;

	if (!context_accepts_domain(context, values->domain, &values->failure))
		return 0;
	error = uncore_fabric_count(context, values->domain, &count);
	if (error == -ENOMEM)
		return error;
	/* The first one shows why there are none. */
	if (error || count == 0)
		count = 1;
	if (count > UNCORE_FABRICS)
		count = UNCORE_FABRICS;
	for (unsigned int fabric = 0; fabric < count; fabric++) {
		limits[fabric].domain = values->domain;
		limits[fabric].fabric = fabric;
	}
	error = uncore_limits_read(context, limits, count);
	for (unsigned int fabric = 0; fabric < count && !error; fabric++) {
		if (limits[fabric].failure.error)
			fail_fabric(values, fabric, &limits[fabric].failure);
		else
			take_fabric(values, &limits[fabric]);
	}
	return error;
}

static int read_uncore(struct isst_context *context, void *structs, size_t count)
{
	struct uncore_values *values = structs;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = read_domain(context, &values[i]);
	return error;
}

int isst_read_uncore_limits(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct uncore_values, domain, read_uncore,
							 CARRIES(UNCORE)) };

	return read_domains(&KIND, context, targets, request, flags, results);
}

/* ---- cpufreq ---- */

static void take_limits(struct scaling_values *values, const struct scaling_limits *limits)
{
	values->failure = limits->failure;
	if (limits->failure.error)
		return;
	values->min_mhz = limit_of(limits->now.min_khz, LIMIT_NONE);
	values->max_mhz = limit_of(limits->now.max_khz, LIMIT_NONE);
	values->processor_min_mhz = mhz_of(limits->processor.min_khz);
	values->processor_max_mhz = mhz_of(limits->processor.max_khz);
}

static int read_scaling(struct isst_context *context, void *structs, size_t count)
{
	struct scaling_limits *limits = calloc(count + 1, sizeof(*limits));
	struct scaling_values *values = structs;
	int error = limits ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		limits[i].cpu = values[i].cpu;
	if (!error)
		error = scaling_limits_read(context, limits, count);
	for (size_t i = 0; i < count && !error; i++)
		take_limits(&values[i], &limits[i]);
	free(limits);
	return error;
}

int isst_read_scaling_limits(struct isst_context *context, const struct isst_targets *targets,
			     const struct isst_request *request, unsigned int flags,
			     struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct scaling_values, cpu, read_scaling,
							 CARRIES(SCALING)) };

	return read_cpus(&KIND, context, targets, request, flags, results);
}

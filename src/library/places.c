/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs may ask of a platform, a domain and a CPU. */
#include "base/messages.h"
#include "firmware/platform.h"
#include "library/getters.h"
#include "sysfs/cpufreq.h"
#include "sysfs/system.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Platform ---- */

const char *isst_platform_name(struct isst_context *context)
{
	const char *before, *kept = NULL;
	char *name = NULL;
	int error;

	if (!context)
		return NULL;
	before = message_begin(&context->messages);
	error = model_name_read(&context->files, &name);
	if (!error && name) {
		kept = message_make(&context->messages, "%s", name);
		if (strcmp(kept, name) != 0) {
			kept = NULL;
			error = -ENOMEM;
		}
	}
	free(name);
	message_end(&context->messages, before, error);
	errno = error ? -error : 0;
	return kept;
}

GETTER(const char *, isst_platform_emulated_name, isst_context, platform.emulated, NULL)

static int is_turbo_disabled(struct isst_context *context)
{
	const char *before = message_begin(&context->messages);
	enum turbo_state state;
	int error = cpufreq_turbo_state(&context->files, &state);

	if (!error && state == TURBO_UNKNOWN)
		error = message_error(&context->messages, -ENODATA,
				      "intel_pstate, which shows whether turbo is disabled, is "
				      "not in use");
	error = message_end(&context->messages, before, error);
	return error ? error : state == TURBO_OFF;
}

static int read_percentage(struct isst_context *context)
{
	const char *before = message_begin(&context->messages);
	unsigned int percentage;
	int error = cpufreq_percentage(&context->files, CPUFREQ_MAX, &percentage);

	if (!error && percentage == 0)
		error = message_error(&context->messages, -ENODATA,
				      "intel_pstate, which has limits for all CPUs, is not in use");
	error = message_end(&context->messages, before, error);
	return error ? error : (int)percentage;
}

static unsigned int count_trl_types(const struct isst_context *context)
{
	unsigned int count = ISST_TRL_TYPES;

	while (count > 0 && !isst_trl_type_name(context, count - 1))
		count--;
	return count;
}

/** Packages with an online CPU, or (@offline) all of them. */
static int count_packages(const struct topology *topology, bool offline)
{
	struct isst_cpuset *packages = isst_cpuset_new();
	int error = packages ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; topology && i < topology->domain_count && !error; i++)
		error = isst_cpuset_add(packages, topology->domains[i]->public.package,
					topology->domains[i]->public.package);
	for (i = 0; topology && i < topology->unserved_count && !error; i++)
		error = isst_cpuset_add(packages, topology->unserved[i].package,
					topology->unserved[i].package);
	for (i = 0; topology && offline && i < topology->unreachable_count && !error; i++)
		error = isst_cpuset_add(packages, topology->unreachable[i].package,
					topology->unreachable[i].package);
	if (!error && (!offline || (topology && !topology->may_have_packages)))
		error = (int)isst_cpuset_count(packages);
	else if (!error)
		error = -ENODATA;
	isst_cpuset_free(packages);
	return error;
}

int isst_platform_fact(struct isst_context *context, int fact)
{
	const struct isst_platform *platform = context ? &context->platform : NULL;

	switch (context ? fact : 0) {
	case ISST_FACT_INTEL:
		return platform->intel;
	case ISST_FACT_MAILBOX:
		return platform->mailbox;
	case ISST_FACT_MMIO:
		return platform->mmio;
	case ISST_FACT_PRESET:
		return context_is_preset(context);
	case ISST_FACT_POWER_DOMAINS:
		return platform_has(platform, PLATFORM_POWER_DOMAINS);
	case ISST_FACT_CLOS_WEIGHT:
		return platform_has(platform, PLATFORM_CLOS_WEIGHT);
	case ISST_FACT_CLOS_EPP:
		return platform_has(platform, PLATFORM_CLOS_EPP);
	case ISST_FACT_PROPORTIONAL_PRIORITY:
		return platform_has(platform, PLATFORM_PROPORTIONAL_PRIORITY);
	case ISST_FACT_TRL_TYPES_ARE_LEVELS:
		return platform_has(platform, PLATFORM_TRL_TYPES_ARE_LEVELS);
	case ISST_FACT_TURBO_DISABLED:
		return is_turbo_disabled(context);
	case ISST_FACT_MAX_PERF_PCT:
		return read_percentage(context);
	case ISST_FACT_CLOS_DESIRED:
		return platform_has(platform, PLATFORM_CLOS_DESIRED);
	case ISST_FACT_COUNTS_MODULES:
		return platform_has(platform, PLATFORM_COUNTS_MODULES);
	case ISST_FACT_RECOVERED:
		return context->recovered;
	case ISST_FACT_FAMILY:
		return (int)platform->family;
	case ISST_FACT_MODEL:
		return (int)platform->model;
	case ISST_FACT_STEPPING:
		return (int)platform->stepping;
	case ISST_FACT_API_VERSION:
		return (int)platform->api_version;
	case ISST_FACT_DRIVER_VERSION:
		return (int)platform->driver_version;
	case ISST_FACT_TRL_TYPES:
		return (int)count_trl_types(context);
	case ISST_FACT_MASK_BITS:
		return context->topology ? (int)context->topology->mask_bits : 0;
	case ISST_FACT_CLOS_COUNT:
		return ISST_CLOS_COUNT;
	case ISST_FACT_PACKAGES:
	case ISST_FACT_ONLINE_PACKAGES:
		return count_packages(context->topology, fact == ISST_FACT_PACKAGES);
	default:
		return context_refuse(context,
				      "this version of the library does not know the fact");
	}
}

/* ---- Domains ---- */

const struct isst_domain *isst_domain_at(const struct isst_context *context, size_t index)
{
	return context_domain(context, index);
}

const struct isst_domain *isst_domain_by_number(const struct isst_context *context,
						unsigned int package, unsigned int number)
{
	const struct isst_domain *domain;

	for (size_t i = 0; (domain = context_domain(context, i)) != NULL; i++)
		if (domain->package == package && domain_number(context, domain) == number)
			return domain;
	return NULL;
}

GETTER(const char *, isst_domain_name, isst_domain, name, NULL)
GETTER(size_t, isst_domain_index, isst_domain, index, 0)
GETTER(unsigned int, isst_domain_package, isst_domain, package, 0)

int isst_domain_die(const struct isst_domain *domain, unsigned int *die)
{
	if (!domain || !die)
		return -EINVAL;
	*die = domain->die_known ? domain->die : 0;
	return domain->die_known ? 0 : -ENODATA;
}

GETTER(unsigned int, isst_domain_number, isst_domain, number, 0)
GETTER(const struct isst_cpuset *, isst_domain_present_cpus, isst_domain, present, NULL)
GETTER(const struct isst_cpuset *, isst_domain_online_cpus, isst_domain, online, NULL)
GETTER(bool, isst_domain_is_complete, isst_domain, cpus_known, false)

/* ---- CPUs ---- */

const struct isst_cpu *isst_cpu_by_number(const struct isst_context *context, unsigned int number)
{
	const struct isst_cpu *cpu = context_cpu(context, number);

	return cpu && cpu->domain ? cpu : NULL;
}

GETTER(unsigned int, isst_cpu_number, isst_cpu, number, 0)
GETTER(const struct isst_domain *, isst_cpu_domain, isst_cpu, domain, NULL)

int isst_cpu_core(const struct isst_cpu *cpu, unsigned int *core)
{
	if (!cpu || !core)
		return -EINVAL;
	*core = cpu->core_known ? cpu->core : 0;
	return cpu->core_known ? 0 : -ENODATA;
}

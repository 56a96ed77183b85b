/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what CPUs run at, what has limited them, and what packages draw. Writes nothing. */
#include "base/cpuset.h"
#include "base/messages.h"
#include "features/features.h"
#include "sysfs/cpufreq.h"
#include "sysfs/limit_reasons.h"
#include "sysfs/powercap.h"
#include "sysfs/system.h"

#include <errno.h>

/* ---- Frequencies ---- */

int frequencies_read(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	const char *before = message_begin(&context->messages);
	int error = context_check_discovered(context);

	for (size_t i = 0; i < count && !error; i++) {
		struct isst_failure *failure = &cpus[i].failure;
		uint64_t khz = 0;

		cpus[i] = (struct cpu_running){ .cpu = cpus[i].cpu };
		if (!context_accepts_cpu(context, cpus[i].cpu, failure))
			continue;
		error = cpufreq_read(&context->files, cpus[i].cpu->number, "scaling_cur_freq",
				     &khz);
		if (error == -ENOMEM)
			break;
		cpus[i].mhz = (unsigned int)(khz / KHZ_PER_MHZ);
		if (error == -ENOENT)
			message_failure(&context->messages, failure,
					of_cpu(cpus[i].cpu->domain, cpus[i].cpu->number),
					-EOPNOTSUPP, "CPU %u: cpufreq has no frequency for it",
					cpus[i].cpu->number);
		else if (error)
			message_failure(&context->messages, failure,
					of_cpu(cpus[i].cpu->domain, cpus[i].cpu->number), error,
					"CPU %u: %s", cpus[i].cpu->number, isst_error(context));
		error = 0;
	}
	return message_end(&context->messages, before, error);
}

/* ---- Reasons ---- */

/** Takes the lines of a file, the first of which is that of the domain: it is meant for all CPUs
 * where the others have no words. Returns the number of the lines. */
static size_t take_file(const struct limit_reasons *reasons, size_t first, struct cpu_running *cpus,
			size_t count)
{
	uint64_t all = limit_words_of(reasons->lines[first].words);
	size_t end = first + 1;

	for (; end < reasons->count && !reasons->lines[end].of_domain; end++)
		if (*reasons->lines[end].words)
			all = 0;
	for (size_t i = first + 1; i < end; i++) {
		const struct limit_line *line = &reasons->lines[i];

		for (size_t j = 0; j < count; j++)
			if ((all || *line->words) && cpus[j].cpu->number == line->cpu)
				cpus[j].reasons = all ? all : limit_words_of(line->words);
	}
	return end - first;
}

int reasons_read(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	const char *before = message_begin(&context->messages);
	struct limit_reasons reasons = { 0 };
	int error = context_check_discovered(context);

	if (error || count == 0)
		return message_end(&context->messages, before, error);
	for (size_t i = 0; i < count; i++) {
		cpus[i] = (struct cpu_running){ .cpu = cpus[i].cpu };
		context_accepts_cpu(context, cpus[i].cpu, &cpus[i].failure);
	}
	error = context_has_power_domains(context)
			? limit_reasons_read(&context->files, context->topology->online, &reasons)
			: -ENOENT;
	for (size_t i = 0; !error && i < reasons.count;)
		i += take_file(&reasons, i, cpus, count);
	/* Files that do not exist, or must not be read, are the same for all CPUs. */
	for (size_t i = 0; error && error != -ENOMEM && i < count; i++)
		if (cpus[i].failure.error)
			continue;
		else if (error == -ENOENT)
			message_failure(&context->messages, &cpus[i].failure, of_machine(),
					-EOPNOTSUPP,
					context_has_power_domains(context)
						? "limit reasons are not known: they need "
						  "intel_plr_tpmi (Linux 6.11)"
						: "limit reasons are read on TPMI servers only");
		else
			message_failure(&context->messages, &cpus[i].failure, of_machine(), error,
					"%s", isst_error(context));
	limit_reasons_clear(&reasons);
	return message_end(&context->messages, before, error == -ENOMEM ? error : 0);
}

/* ---- Power ---- */

/** Reads the energy of the zone of domains, and what was drawn since an earlier reading. Its
 * failure is that of all of them. */
static int read_zone(struct isst_context *context, struct power_zones *zones,
		     struct power_zone *zone, struct domain_power *domains, size_t count)
{
	enum { UW_PER_MW = 1000 };
	int error = powercap_continue(&context->files, zone, &context->power);

	if (error == -ENOMEM)
		return error;
	for (size_t i = 0; i < count; i++) {
		const struct isst_domain *domain = domains[i].domain;

		if (domains[i].failure.error ||
		    powercap_zone(zones, domain->package, domain->die) != zone)
			continue;
		if (error)
			/* A zone that has gone meanwhile is one that the kernel has not. */
			message_failure(&context->messages, &domains[i].failure, of_machine(),
					error == -ENOENT ? -EOPNOTSUPP : error, "%s",
					isst_error(context));
		else
			domains[i].limit_mw = (struct isst_value){
				.state = ISST_KNOWN,
				.value = (unsigned int)(zone->limit_uw / UW_PER_MW)
			};
		if (!error && zone->time_ns > 0)
			domains[i].power_mw = (struct isst_value){
				.state = ISST_KNOWN, .value = (unsigned int)powercap_mw(zone)
			};
		else if (!error)
			domains[i].power_mw = (struct isst_value){ .state = ISST_ABSENT };
	}
	return 0;
}

int power_find_zones(struct isst_context *context, const struct isst_cpuset *undisturbed,
		     struct isst_cpuset *packages, struct power_zones *zones, const char **why_not)
{
	struct isst_cpuset *left = isst_cpuset_new();
	int error = left ? 0 : -ENOMEM;
	unsigned int first;

	*why_not = NULL;
	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const unsigned int package = domain->package;

		if (context_has_power_domains(context) || !isst_cpuset_has(packages, package) ||
		    !isst_cpuset_next(domain->online, 0, &first) ||
		    !isst_cpuset_has(undisturbed, first))
			continue;
		/* One die of several is enough. */
		error = isst_cpuset_add(left, package, package);
		if (!error)
			error = isst_cpuset_remove(packages, package, package);
	}
	if (isst_cpuset_count(left) > 0)
		*why_not = message_make(
			&context->messages,
			"%s: the power limit is not read: the kernel would interrupt the first "
			"CPU, which is isolated or nohz_full",
			message_numbers(&context->messages, "package", left));
	isst_cpuset_free(left);
	return error ? error : powercap_find(&context->files, packages, zones);
}

int power_read(struct isst_context *context, struct domain_power *domains, size_t count)
{
	const char *before = message_begin(&context->messages), *why_not = NULL;
	struct isst_cpuset *packages, *undisturbed;
	struct messages *messages = &context->messages;
	struct power_zones zones = { 0 };
	int error = context_check_discovered(context), found;

	if (error || count == 0)
		return message_end(&context->messages, before, error);
	packages = isst_cpuset_new();
	undisturbed = isst_cpuset_new();
	found = packages && undisturbed ? undisturbed_cpus(&context->files, undisturbed) : -ENOMEM;
	for (size_t i = 0; i < isst_domain_count(context) && !found; i++)
		found = isst_cpuset_add(packages, context_domain(context, i)->package,
					context_domain(context, i)->package);
	if (!found)
		found = power_find_zones(context, undisturbed, packages, &zones, &why_not);
	for (size_t i = 0; i < count; i++) {
		const struct isst_domain *domain = domains[i].domain;

		domains[i] = (struct domain_power){ .domain = domain };
		if (!context_accepts_domain(context, domain, &domains[i].failure))
			continue;
		if (found && found != -ENOENT)
			message_failure(messages, &domains[i].failure, of_machine(), found, "%s",
					isst_error(context));
		else if (why_not && !isst_cpuset_has(packages, domain->package))
			message_failure(messages, &domains[i].failure, of_machine(), -ENODATA, "%s",
					why_not);
		else if (!powercap_zone(&zones, domain->package, domain->die))
			message_failure(messages, &domains[i].failure, of_package(domain->package),
					-EOPNOTSUPP,
					"package %u: the kernel has no power limit for it "
					"(powercap: intel-rapl)",
					domain->package);
	}
	for (size_t i = 0; i < zones.count && !error; i++)
		error = read_zone(context, &zones, &zones.zones[i], domains, count);
	isst_cpuset_free(packages);
	isst_cpuset_free(undisturbed);
	powercap_clear(&context->power);
	context->power = zones;
	return message_end(&context->messages, before, found == -ENOMEM ? found : error);
}

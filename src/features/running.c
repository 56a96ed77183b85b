/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what CPUs run at, what has limited them, and what packages draw. Writes nothing. */
#include "features/running.h"
#include "base/messages.h"
#include "sysfs/cpufreq.h"
#include "sysfs/limit_reasons.h"
#include "sysfs/powercap.h"

#include <errno.h>

enum { KHZ_PER_MHZ = 1000 };

/* ---- Frequencies ---- */

static int read_frequency(struct isst_context *context, struct cpu_running *cpu)
{
	uint64_t khz = 0;
	int error = cpufreq_read(&context->files, cpu->cpu->number, "scaling_cur_freq", &khz);

	if (error == -ENOMEM)
		return error;
	cpu->mhz = (unsigned int)(khz / KHZ_PER_MHZ);
	if (error == -ENOENT)
		message_failure(&context->messages, &cpu->failure, -EOPNOTSUPP,
				"CPU %u: cpufreq has no frequency for it", cpu->cpu->number);
	else if (error)
		message_failure(&context->messages, &cpu->failure, error, "CPU %u: %s",
				cpu->cpu->number, isst_error(context));
	return 0;
}

static int read_frequencies(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	int error = context_check_discovered(context);

	for (size_t i = 0; i < count && !error; i++) {
		cpus[i] = (struct cpu_running){ .cpu = cpus[i].cpu };
		if (context_accepts_cpu(context, cpus[i].cpu, &cpus[i].failure))
			error = read_frequency(context, &cpus[i]);
	}
	return error;
}

int frequencies_read(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, read_frequencies(context, cpus, count));
}

/* ---- Reasons ---- */

static void take_reasons(struct cpu_running *cpus, size_t count, unsigned int number,
			 uint64_t reasons)
{
	for (size_t i = 0; i < count; i++)
		if (cpus[i].cpu->number == number)
			cpus[i].reasons = reasons;
}

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

		if (all || *line->words)
			take_reasons(cpus, count, line->cpu,
				     all ? all : limit_words_of(line->words));
	}
	return end - first;
}

/** Files that do not exist, or must not be read, are the same for all CPUs. */
static void fail_all(struct isst_context *context, int error, struct cpu_running *cpus,
		     size_t count)
{
	struct messages *messages = &context->messages;

	for (size_t i = 0; i < count; i++)
		if (cpus[i].failure.error)
			continue;
		else if (error == -ENOENT)
			message_failure(messages, &cpus[i].failure, -EOPNOTSUPP,
					context_has_power_domains(context)
						? "limit reasons are not known: they need "
						  "intel_plr_tpmi (Linux 6.11)"
						: "limit reasons are read on TPMI servers only");
		else
			message_failure(messages, &cpus[i].failure, error, "%s",
					isst_error(context));
}

static int read_reasons(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	struct limit_reasons reasons = { 0 };
	int error = context_check_discovered(context);

	if (error || count == 0)
		return error;
	for (size_t i = 0; i < count; i++) {
		cpus[i] = (struct cpu_running){ .cpu = cpus[i].cpu };
		context_accepts_cpu(context, cpus[i].cpu, &cpus[i].failure);
	}
	error = context_has_power_domains(context)
			? limit_reasons_read(&context->files, context->topology->online, &reasons)
			: -ENOENT;
	if (error && error != -ENOMEM) {
		fail_all(context, error, cpus, count);
		error = 0;
	} else if (!error) {
		for (size_t i = 0; i < reasons.count;)
			i += take_file(&reasons, i, cpus, count);
	}
	limit_reasons_clear(&reasons);
	return error;
}

int reasons_read(struct isst_context *context, struct cpu_running *cpus, size_t count)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, read_reasons(context, cpus, count));
}

/* ---- Power ---- */

static void take_zone(const struct power_zone *zone, struct domain_power *domain)
{
	enum { UW_PER_MW = 1000 };
	const struct isst_value unknown = { .state = ISST_ABSENT };

	domain->limit_mw = (struct isst_value){
		.state = ISST_KNOWN, .value = (unsigned int)(zone->limit_uw / UW_PER_MW)
	};
	domain->power_mw = unknown;
	if (zone->time_ns > 0)
		domain->power_mw = (struct isst_value){ .state = ISST_KNOWN,
							.value = (unsigned int)powercap_mw(zone) };
}

/** Reads the energy of the zone of domains, and what was drawn since an earlier reading. Its
 * failure is that of all of them. */
static int read_zone(struct isst_context *context, struct power_zones *zones,
		     struct power_zone *zone, struct domain_power *domains, size_t count)
{
	int error = powercap_continue(&context->files, zone, &context->power);

	if (error == -ENOMEM)
		return error;
	for (size_t i = 0; i < count; i++) {
		const struct isst_domain *domain = domains[i].domain;

		if (domains[i].failure.error ||
		    powercap_zone(zones, domain->package, domain->die) != zone)
			continue;
		if (error)
			message_failure(&context->messages, &domains[i].failure, error, "%s",
					isst_error(context));
		else
			take_zone(zone, &domains[i]);
	}
	return 0;
}

static int read_power(struct isst_context *context, struct domain_power *domains, size_t count)
{
	struct messages *messages = &context->messages;
	struct power_zones zones = { 0 };
	int error = context_check_discovered(context), found;

	if (error || count == 0)
		return error;
	found = powercap_find(&context->files, &zones);
	for (size_t i = 0; i < count; i++) {
		const struct isst_domain *domain = domains[i].domain;

		domains[i] = (struct domain_power){ .domain = domain };
		if (!context_accepts_domain(context, domain, &domains[i].failure))
			continue;
		if (found && found != -ENOENT)
			message_failure(messages, &domains[i].failure, found, "%s",
					isst_error(context));
		else if (!powercap_zone(&zones, domain->package, domain->die))
			message_failure(messages, &domains[i].failure, -EOPNOTSUPP,
					"package %u: the kernel has no power limit for it "
					"(powercap: intel-rapl)",
					domain->package);
	}
	for (size_t i = 0; i < zones.count && !error; i++)
		error = read_zone(context, &zones, &zones.zones[i], domains, count);
	powercap_clear(&context->power);
	context->power = zones;
	return found == -ENOMEM ? found : error;
}

int power_read(struct isst_context *context, struct domain_power *domains, size_t count)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, read_power(context, domains, count));
}

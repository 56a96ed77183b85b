/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `status --watch`: what CPUs run at, what the hardware limits them for, and what packages
 * draw. Without --include-isolated it reads no file of isolated and nohz_full CPUs. Must not know
 * output formats.
 */
#include "machine_status.h"

#include <errno.h>
#include <stdlib.h>

/* What is closer together than this is shown as one. */
enum { STEP_MHZ = 100 };
enum { MW_PER_W = 1000 };

/** A CPU, and a value by which CPUs are grouped. */
struct member {
	const struct isst_domain *domain;
	unsigned int cpu;
	uint64_t value;
};

/** How the value of a result is found, and reported. */
struct grouping {
	reader read;
	enum key_id key;
	uint64_t (*value)(const struct isst_result *result);
	void (*report)(struct report_node *node, uint64_t value);
};

/* ---- Values ---- */

static uint64_t frequency_of(const struct isst_result *result)
{
	unsigned int mhz = value_of(result, ISST_VALUE_CURRENT_MHZ);

	return (mhz + STEP_MHZ / 2) / STEP_MHZ * STEP_MHZ;
}

static void report_frequency(struct report_node *node, uint64_t mhz)
{
	report_number(node, KEY_STATUS_CURRENT, mhz);
}

static uint64_t reasons_of(const struct isst_result *result)
{
	uint64_t reasons;

	return isst_result_value64(result, ISST_VALUE_LIMIT_REASONS, &reasons) == 0 ? reasons : 0;
}

static void report_reasons(struct report_node *node, uint64_t reasons)
{
	char words[256] = "";
	size_t length = 0;

	for (int reason = 0; isst_limit_reason_name(reason); reason++)
		if (reasons >> reason & 1 && length < sizeof(words))
			length += (size_t)snprintf(words + length, sizeof(words) - length, "%s%s",
						   length > 0 ? " " : "",
						   isst_limit_reason_name(reason));
	report_text(node, KEY_STATUS_REASON, words);
}

static const struct grouping FREQUENCIES = { isst_read_frequencies, KEY_STATUS_RUNNING,
					     frequency_of, report_frequency };
static const struct grouping REASONS = { isst_read_limit_reasons, KEY_STATUS_REASONS, reasons_of,
					 report_reasons };

/* ---- Groups ---- */

/** The highest value below another one that a CPU of a domain has; 0: there is none. */
static uint64_t next_value(const struct member *members, size_t count,
			   const struct isst_domain *domain, uint64_t below)
{
	uint64_t next = 0;

	for (size_t i = 0; i < count; i++)
		if (members[i].domain == domain && members[i].value < below &&
		    members[i].value > next)
			next = members[i].value;
	return next;
}

static int report_group(const struct grouping *grouping, struct report_node *node,
			const struct member *members, size_t count,
			const struct isst_domain *domain, uint64_t value)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		if (members[i].domain == domain && members[i].value == value)
			error = isst_cpuset_add(cpus, members[i].cpu, members[i].cpu);
	if (!error) {
		grouping->report(node, value);
		report_cpu_ranges(node, KEY_STATUS_CPUS, 0, cpus);
	}
	isst_cpuset_free(cpus);
	return error;
}

static int report_groups(const struct machine_status *status, const struct grouping *grouping,
			 const struct member *members, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < status->domain_count; i++) {
		const struct domain_status *domain = &status->domains[i];
		uint64_t value = UINT64_MAX;
		unsigned int index = 0;

		if (!domain->node)
			continue;
		while (!error && (value = next_value(members, count, domain->domain, value)) > 0)
			error = report_group(grouping,
					     report_branch(domain->node, grouping->key, index++),
					     members, count, domain->domain, value);
	}
	return error;
}

/** Whether it is worth a note that the kernel does not have a value: that reasons are not known,
 * where it may have them. None are shown then. */
static bool lacks_reasons(const struct run *run, const struct grouping *grouping)
{
	return grouping->key == KEY_STATUS_REASONS &&
	       isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0;
}

/** What the kernel does not have is no failure; what only root may read is worth a note. */
static void report_failure(struct run *run, const struct grouping *grouping,
			   const struct failure *failure)
{
	if (failure->error == -EPERM ||
	    (failure->error == -EOPNOTSUPP && lacks_reasons(run, grouping)))
		run_note(run, failure);
	else if (failure->error != -EOPNOTSUPP)
		run_failure(run, failure);
}

/** Lists the CPUs that have a value. The first failure is reported: it is mostly that of all.
 * Returns their number. */
static size_t list_members(struct run *run, const struct grouping *grouping,
			   const struct isst_results *results, struct member *members)
{
	const struct isst_result *result;
	bool failed = false;
	size_t count = 0;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		if (failure.error) {
			if (!failed)
				report_failure(run, grouping, &failure);
			failed |= failure.error != -EOPNOTSUPP || lacks_reasons(run, grouping);
			continue;
		}
		members[count++] = (struct member){ .domain = isst_result_domain(result),
						    .cpu = isst_cpu_number(isst_result_cpu(result)),
						    .value = grouping->value(result) };
	}
	return count;
}

static void report_grouping(struct machine_status *status, const struct grouping *grouping,
			    const struct isst_cpuset *cpus)
{
	struct isst_results *results = status_read_cpus(status, grouping->read, cpus);
	struct member *members = calloc(isst_results_count(results) + 1, sizeof(*members));
	int error = members ? 0 : -ENOMEM;

	if (!error)
		error = report_groups(status, grouping, members,
				      list_members(status->run, grouping, results, members));
	if (error)
		run_error(status->run, STATUS_FAILED, "out of memory");
	free(members);
	isst_results_free(results);
}

/* ---- Power ---- */

static bool is_shown(const struct domain_status *domain)
{
	return domain->node;
}

static void report_mw(struct report_node *node, enum key_id key, const struct isst_result *power,
		      int id)
{
	unsigned int mw;

	/* The first round knows no power. */
	if (isst_result_value(power, id, &mw) == 0)
		report_number(node, key, (mw + MW_PER_W / 2) / MW_PER_W);
}

/** The first failure is mostly that of all. Only root may read energy: that is none. */
static void report_power_failure(struct run *run, const struct failure *failure, bool *failed)
{
	if (*failed || failure->error == -EOPNOTSUPP)
		return;
	if (failure->error == -EACCES || failure->error == -EPERM)
		run_note(run, failure);
	else
		run_failure(run, failure);
	*failed = true;
}

/** The power of the level stands on the same screen: a lower limit leaves open which counts. */
static void report_lower_limit(const struct machine_status *status, const struct isst_result *power)
{
	const struct isst_domain *domain = isst_result_domain(power);
	unsigned int limit_mw, tdp_w;

	for (size_t i = 0; i < status->run->targets.unit_count; i++) {
		const struct unit *unit = &status->run->targets.units[i];

		if (unit->domain == domain &&
		    isst_result_value(power, ISST_VALUE_POWER_LIMIT_MW, &limit_mw) == 0 &&
		    isst_result_value(status_properties(status, unit), ISST_VALUE_TDP_W, &tdp_w) ==
			    0 &&
		    limit_mw / MW_PER_W < tdp_w)
			report_message(status->run->report, ENTRY_NOTE,
				       "%s: the power limit of %u W counts, not the TDP of %u W",
				       isst_domain_name(domain), limit_mw / MW_PER_W, tdp_w);
	}
}

/** Power is the package's where it has power domains, which share it, else the die's. */
void power_status_report(struct machine_status *status)
{
	struct run *run = status->run;
	bool shared = isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0;
	struct isst_results *results = status_read(status, isst_read_power, 0, is_shown);
	const struct isst_result *power, *before = NULL;
	bool failed = false;

	for (size_t i = 0; (power = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_domain *domain = isst_result_domain(power);
		struct report_step path = { &keys[KEY_PACKAGE], isst_domain_package(domain) };
		struct failure failure = failure_of(power, ISST_PART_RESULT);
		struct report_node *node;

		if (shared && before &&
		    isst_domain_package(isst_result_domain(before)) == path.index)
			continue;
		before = power;
		if (failure.error) {
			report_power_failure(run, &failure, &failed);
			continue;
		}
		node = shared ? report_unit(run->report, &path, 1)
			      : status_of_domain(status, domain)->node;
		node = report_branch(node, KEY_STATUS_POWER, 0);
		report_mw(node, KEY_STATUS_DRAWN, power, ISST_VALUE_POWER_MW);
		report_mw(node, KEY_STATUS_POWER_LIMIT, power, ISST_VALUE_POWER_LIMIT_MW);
		report_lower_limit(status, power);
	}
	isst_results_free(results);
}

/* ---- The whole ---- */

/** Sets *@cpus to those whose files are not read; NULL: all are. Returns false after an error. */
static bool find_undisturbed(struct run *run, struct isst_cpuset **cpus)
{
	*cpus = NULL;
	return request_has(run->request, OPTION_INCLUDE_ISOLATED) ||
	       run_call(run, isst_undisturbed_cpus(run->context, cpus)) == 0;
}

void running_status_report(struct machine_status *status)
{
	struct isst_cpuset *undisturbed = NULL, *all = isst_cpuset_new(), *cpus = isst_cpuset_new(),
			   *left_out = isst_cpuset_new();
	struct run *run = status->run;

	if (!all || !cpus || !left_out || status_choose_cpus(status, NULL, all, all) != 0) {
		run_error(run, STATUS_FAILED, "out of memory");
	} else {
		/* Reasons are read by power domain: no CPU takes part in it. */
		report_grouping(status, &REASONS, all);
		if (find_undisturbed(run, &undisturbed)) {
			if (status_choose_cpus(status, undisturbed, cpus, left_out) != 0)
				run_error(run, STATUS_FAILED, "out of memory");
			else
				report_grouping(status, &FREQUENCIES, cpus);
			if (isst_cpuset_count(left_out) > 0)
				report_cpu_ranges(report_unit(run->report, NULL, 0),
						  KEY_STATUS_NO_FREQUENCY, 0, left_out);
		}
	}
	isst_cpuset_free(undisturbed);
	isst_cpuset_free(all);
	isst_cpuset_free(cpus);
	isst_cpuset_free(left_out);
}

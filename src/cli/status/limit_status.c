/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits; with --watch also frequencies and power. Disturbs no isolated CPU, reads no MSR on TPMI
 * machines. */
#include "../../common/judge.h"
#include "../process/xalloc.h"
#include "machine_status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Turbo ratio limits that are lower than the level allows ---- */

enum { BUCKETS = 8, MHZ_PER_RATIO = 100 };

/* What the hardware cannot be limited by. */
static const uint64_t NO_LIMITS = UINT64_MAX;

static bool has_turbo_freq(const struct domain_status *domain)
{
	return domain->reads_limits && domain->turbo_freq_state == ISST_FEATURE_ENABLED;
}

static bool reads_limits(const struct domain_status *domain)
{
	return domain->reads_limits;
}

/** Finds the domains whose limits can be compared. Returns whether there are any. */
static bool find_domains(struct machine_status *status)
{
	struct run *run = status->run;
	struct isst_cpuset *undisturbed = NULL;
	bool any = false;

	if (isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0 ||
	    isst_platform_fact(run->context, ISST_FACT_PRESET) > 0 ||
	    run_call(run, isst_undisturbed_cpus(run->context, &undisturbed)) != 0)
		return false;
	for (size_t i = 0; i < status->domain_count; i++) {
		struct domain_status *domain = &status->domains[i];
		const struct isst_result *level = status_properties(status, domain);

		domain->reads_limits = domain->node && level &&
				       has_value(level, ISST_VALUE_TURBO_LIMIT_MHZ) &&
				       domain_has_reader(domain->domain, undisturbed);
		any |= domain->reads_limits;
	}
	isst_cpuset_free(undisturbed);
	return any;
}

/** The highest frequency of a bucket, by the level or SST-TF; 0: there is no such bucket. */
static unsigned int allowed_mhz(const struct isst_result *level, const struct isst_result *buckets,
				unsigned int bucket)
{
	unsigned int mhz;

	if (isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, bucket, &mhz) != 0 || !mhz)
		return 0;
	if (buckets &&
	    isst_result_value_at(buckets, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, 0, 0, &mhz) != 0)
		return 0;
	return mhz;
}

/** In json-v2 an array without elements is there, and null where a domain could not be read. Of
 * CPUs those that could not are a group. */
static void report_lists(struct machine_status *status, enum key_id key,
			 const struct isst_results *results)
{
	const struct isst_domain *domain = NULL;
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		int error = isst_result_error(result, ISST_PART_RESULT);
		const struct domain_status *of = status_of_domain(status,
								  isst_result_domain(result));

		if (error == -EOPNOTSUPP || !of || of->domain == domain)
			continue;
		domain = of->domain;
		if (error && !isst_result_cpu(result))
			report_unknown(report_v2(of->node), key);
		else
			report_list(of->node, key);
	}
}

void turbo_limits_report(struct machine_status *status)
{
	struct isst_results *limits, *buckets = NULL;
	const struct isst_result *result;
	bool limited = false;
	uint64_t ratios;

	if (!find_domains(status))
		return;
	limits = status_read(status, ISST_READ_TURBO_RATIO_LIMITS, 0, reads_limits);
	report_lists(status, KEY_STATUS_TURBO_LIMITS, limits);
	for (size_t i = 0; (result = isst_results_at(limits, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		if (failure.error != -EOPNOTSUPP)
			run_failure(status->run, failure);
		limited |= isst_result_bits(result, ISST_VALUE_TURBO_RATIO_LIMITS, 0, 0, &ratios) ==
				   0 &&
			   ratios != NO_LIMITS;
	}
	/* SST-TF is read only where limits could be in its way: enabling it removes them. */
	if (limited)
		buckets = status_read(status, ISST_READ_LEVELS,
				      ISST_LEVELS_CURRENT | ISST_LEVELS_TURBO_FREQ, has_turbo_freq);
	for (size_t i = 0; (result = isst_results_at(limits, i)) != NULL; i++) {
		const struct domain_status *domain = status_of_domain(status,
								      isst_result_domain(result));
		const struct isst_result *turbo_freq = result_of_domain(buckets, domain->domain);

		if (isst_result_bits(result, ISST_VALUE_TURBO_RATIO_LIMITS, 0, 0, &ratios) != 0)
			continue;
		for (unsigned int bucket = 0; bucket < BUCKETS && ratios != NO_LIMITS; bucket++) {
			unsigned int mhz = (unsigned int)(ratios >> 8 * bucket & 0xff) *
					   MHZ_PER_RATIO;
			unsigned int allowed = allowed_mhz(status_properties(status, domain),
							   turbo_freq, bucket);
			struct report_node *node;

			if (mhz >= allowed)
				continue;
			node = report_branch(domain->node, KEY_STATUS_TURBO_LIMITS, bucket);
			report_number(node, KEY_STATUS_MAX, mhz);
			report_number(node, KEY_STATUS_LEVEL_MAX, allowed);
		}
	}
	isst_results_free(buckets);
	isst_results_free(limits);
}

/* ---- The uncore ---- */

static void report_uncore(struct machine_status *status)
{
	static const struct {
		int set, initial;
		enum key_id present, at_boot;
	} ENDS[2] = { { ISST_VALUE_UNCORE_MIN_MHZ, ISST_VALUE_UNCORE_INITIAL_MIN_MHZ,
			KEY_STATUS_MIN, KEY_STATUS_LOWEST },
		      { ISST_VALUE_UNCORE_MAX_MHZ, ISST_VALUE_UNCORE_INITIAL_MAX_MHZ,
			KEY_STATUS_MAX, KEY_STATUS_HIGHEST } };
	struct isst_results *results = status_read(status, ISST_READ_UNCORE_LIMITS, 0, is_shown);
	const struct isst_result *limits;

	report_lists(status, KEY_STATUS_UNCORE, results);
	for (size_t i = 0; (limits = isst_results_at(results, i)) != NULL; i++) {
		const struct domain_status *domain = status_of_domain(status,
								      isst_result_domain(limits));
		struct failure failure = failure_of(limits, ISST_PART_RESULT);
		unsigned int fabrics, mhz[2];

		if (failure.error != -EOPNOTSUPP)
			run_failure(status->run, failure);
		isst_result_extent(limits, ISST_VALUE_UNCORE_MIN_MHZ, &fabrics, NULL);
		for (unsigned int at = 0; domain && at < fabrics; at++) {
			struct report_node *node;
			int error[2];

			for (size_t end = 0; end < 2; end++)
				error[end] = isst_result_value_at(limits, ENDS[end].set, at, 0,
								  &mhz[end]);
			/* What could not be read may be set. */
			if (error[0] == -ENODATA && error[1] == -ENODATA)
				continue;
			node = report_branch(domain->node, KEY_STATUS_UNCORE, at);
			/* What was set, or else what it was at boot. */
			for (size_t end = 0; end < 2; end++) {
				if (error[end] == -ENODATA)
					error[end] = isst_result_value_at(limits, ENDS[end].initial,
									  at, 0, &mhz[end]);
				if (!error[end])
					report_number(node, ENDS[end].present, mhz[end]);
				else if (error[end] != -ENODATA)
					report_unknown(node, ENDS[end].present);
			}
			/* The screen has no column of such values if none is known. */
			for (size_t end = 0; end < 2; end++)
				if (isst_result_value_at(limits, ENDS[end].initial, at, 0,
							 &mhz[end]) == 0)
					report_number(node, ENDS[end].at_boot, mhz[end]);
		}
	}
	isst_results_free(results);
}

/* ---- CPUs of a domain that have the same values ---- */

enum { VALUES = 4 };

struct member {
	const struct isst_domain *domain;
	unsigned int cpu;
	uint64_t values[VALUES];
	bool unknown, done;
};

struct grouping {
	int what; /* enum isst_reading */
	enum key_id key;
	/** Fills in the values. Returns false if there is nothing to report of them. */
	bool (*take)(const struct isst_result *result, uint64_t values[VALUES]);
	void (*report)(struct report_node *node, const struct member *member);
	bool limits; /* CPUs whose limits could not be read may have some */
};

/* What is closer together than this is shown as one. */
enum { STEP_MHZ = 100 };

static bool take_frequency(const struct isst_result *result, uint64_t values[VALUES])
{
	unsigned int mhz = value_of(result, ISST_VALUE_CURRENT_MHZ);

	values[0] = (mhz + STEP_MHZ / 2) / STEP_MHZ * STEP_MHZ;
	return values[0] > 0;
}

static void report_frequency(struct report_node *node, const struct member *member)
{
	report_number(node, KEY_STATUS_CURRENT, member->values[0]);
}

static bool take_reasons(const struct isst_result *result, uint64_t values[VALUES])
{
	return isst_result_bits(result, ISST_VALUE_LIMIT_REASONS, 0, 0, values) == 0 &&
	       values[0] > 0;
}

static void report_reasons(struct report_node *node, const struct member *member)
{
	char words[256] = "";
	size_t length = 0;

	for (int reason = 0; isst_limit_reason_name(reason); reason++)
		if (member->values[0] >> reason & 1 && length < sizeof(words))
			length += (size_t)snprintf(words + length, sizeof(words) - length, "%s%s",
						   length > 0 ? " " : "",
						   isst_limit_reason_name(reason));
	report_text(node, KEY_STATUS_REASON, words);
}

enum { MIN, MAX, LOWEST, HIGHEST };

static bool take_limits(const struct isst_result *result, uint64_t values[VALUES])
{
	values[MIN] = value_of(result, ISST_VALUE_SCALING_MIN_MHZ);
	values[MAX] = value_of(result, ISST_VALUE_SCALING_MAX_MHZ);
	values[LOWEST] = value_of(result, ISST_VALUE_PROCESSOR_MIN_MHZ);
	values[HIGHEST] = value_of(result, ISST_VALUE_PROCESSOR_MAX_MHZ);
	return values[MIN] > 0 || values[MAX] > 0;
}

static void report_limits(struct report_node *node, const struct member *member)
{
	const uint64_t *values = member->values;

	if (member->unknown) {
		report_unknown(node, KEY_STATUS_MIN);
		report_unknown(node, KEY_STATUS_MAX);
		return;
	}
	report_number(node, KEY_STATUS_MIN, values[MIN] ? values[MIN] : values[LOWEST]);
	report_number(node, KEY_STATUS_MAX, values[MAX] ? values[MAX] : values[HIGHEST]);
	report_number(node, KEY_STATUS_LOWEST, values[LOWEST]);
	report_number(node, KEY_STATUS_HIGHEST, values[HIGHEST]);
}

static const struct grouping FREQUENCIES = { ISST_READ_FREQUENCIES, KEY_STATUS_RUNNING,
					     take_frequency, report_frequency, .limits = false };
static const struct grouping REASONS = { ISST_READ_LIMIT_REASONS, KEY_STATUS_REASONS, take_reasons,
					 report_reasons, .limits = false };
static const struct grouping LIMITS = { ISST_READ_SCALING_LIMITS, KEY_STATUS_SCALING, take_limits,
					report_limits, .limits = true };

/** Lists CPUs that have values, and reports the first failure. Returns their number. */
static size_t list_members(struct run *run, const struct grouping *grouping,
			   const struct isst_results *results, struct member *members)
{
	/* It is worth a note that the kernel does not have reasons, where it may have them. */
	bool lacks_reasons = grouping == &REASONS &&
			     isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0;
	const struct isst_result *result;
	bool failed = false;
	size_t count = 0;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);
		struct member *member = &members[count];

		*member = (struct member){ .domain = isst_result_domain(result),
					   .cpu = isst_cpu_number(isst_result_cpu(result)) };
		if (!failure.error) {
			count += grouping->take(result, member->values);
			continue;
		}
		/* What the kernel does not have is no failure. */
		if (failure.error == -EOPNOTSUPP && !lacks_reasons)
			continue;
		/* What only root may read is worth a note. */
		if (!failed && !grouping->limits &&
		    (failure.error == -EPERM || failure.error == -EOPNOTSUPP))
			run_note(run, failure);
		else if (!failed)
			run_failure(run, failure);
		failed = true;
		member->unknown = true;
		count += grouping->limits;
	}
	return count;
}

static void report_groups(const struct machine_status *status, const struct grouping *grouping,
			  struct member *members, size_t count)
{
	for_each_domain (domain, status) {
		struct member *next = domain->node ? members : NULL;

		for (unsigned int index = 0; next; index++) {
			struct report_node *node;

			/* The first CPU in no group, of frequencies one of the highest. */
			next = NULL;
			for (size_t i = 0; i < count && !(next && grouping->limits); i++)
				if (members[i].domain == domain->domain && !members[i].done &&
				    (!next || members[i].values[0] > next->values[0]))
					next = &members[i];
			if (!next)
				break;
			node = report_branch(domain->node, grouping->key, index);
			grouping->report(node, next);
			node = report_cpu_ranges(node, KEY_STATUS_CPUS, 0, NULL);
			for (size_t k = 0; k < count; k++) {
				if (members[k].domain != next->domain ||
				    members[k].unknown != next->unknown ||
				    memcmp(members[k].values, next->values, sizeof(next->values)) !=
					    0)
					continue;
				xcall(isst_cpuset_add(node->cpus, members[k].cpu, members[k].cpu));
				members[k].done = true;
			}
		}
	}
}

/** Reports the CPUs that are shown, but for some, which are reported by a key of their own. */
static void report_cpus(struct machine_status *status, const struct grouping *grouping,
			const struct isst_cpuset *except, enum key_id left_out_key)
{
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new()), *left_out = xcheck(isst_cpuset_new());
	struct isst_results *results;
	struct run *run = status->run;
	struct member *members;
	unsigned int cpu;

	for_each_domain (domain, status)
		isst_cpuset_for_each (cpu, isst_domain_online_cpus(domain->domain))
			if (domain->node && is_named(run, cpu))
				xcall(isst_cpuset_add(
					isst_cpuset_has(except, cpu) ? left_out : cpus, cpu, cpu));
	results = status_read_cpus(status, grouping->what, cpus);
	members = xcalloc(isst_results_count(results) + 1, sizeof(*members));
	report_lists(status, grouping->key, results);
	report_groups(status, grouping, members, list_members(run, grouping, results, members));
	if (isst_cpuset_count(left_out) > 0)
		report_cpu_ranges(report_at_top(run->report), left_out_key, 0, left_out);
	free(members);
	isst_results_free(results);
	isst_cpuset_free(cpus);
	isst_cpuset_free(left_out);
}

void limit_status_report(struct machine_status *status)
{
	struct isst_cpuset *isolated = NULL;
	int error;

	report_uncore(status);
	error = isst_cpus_by_name(status->run->context, "isolated", 0, &isolated);
	if (error)
		run_call(status->run, error);
	else
		report_cpus(status, &LIMITS, isolated, KEY_STATUS_NOT_READ);
	isst_cpuset_free(isolated);
}

void running_status_report(struct machine_status *status)
{
	struct isst_cpuset *undisturbed = NULL;
	struct run *run = status->run;

	/* Reasons are read by power domain: no CPU takes part in it. */
	report_cpus(status, &REASONS, NULL, KEYS);
	if (request_has(run->request, OPTION_INCLUDE_ISOLATED) ||
	    run_call(run, isst_undisturbed_cpus(run->context, &undisturbed)) == 0)
		report_cpus(status, &FREQUENCIES, undisturbed, KEY_STATUS_NO_FREQUENCY);
	isst_cpuset_free(undisturbed);
}

/* ---- Power ---- */

enum { MW_PER_W = 1000 };

/** Power is the package's where it has power domains, which share it, else the die's. */
void power_status_report(struct machine_status *status)
{
	struct run *run = status->run;
	bool shared = isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0, failed = false;
	struct isst_results *results = status_read(status, ISST_READ_POWER, 0, is_shown);
	const struct isst_result *power, *before = NULL;

	for (size_t i = 0; (power = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_domain *domain = isst_result_domain(power);
		struct report_step path = { &keys[KEY_PACKAGE], isst_domain_package(domain) };
		const struct domain_status *of = status_of_domain(status, domain);
		struct failure failure = failure_of(power, ISST_PART_RESULT);
		unsigned int mw, tdp_w;
		struct report_node *node;
		char package[32];

		if (shared && before &&
		    isst_domain_package(isst_result_domain(before)) == path.index)
			continue;
		before = power;
		if (failure.error) {
			/* The first failure is mostly that of all. Only root may read energy;
			 * isolated CPUs are left alone. */
			if (!failed && (failure.error == -EACCES || failure.error == -EPERM ||
					failure.error == -ENODATA))
				run_note(run, failure);
			else if (!failed && failure.error != -EOPNOTSUPP)
				run_failure(run, failure);
			failed |= failure.error != -EOPNOTSUPP;
			continue;
		}
		node = report_branch(shared ? report_unit(run->report, &path, 1) : of->node,
				     KEY_STATUS_POWER, 0);
		/* The first round knows no power. */
		if (isst_result_value(power, ISST_VALUE_POWER_MW, &mw) == 0)
			report_number(node, KEY_STATUS_DRAWN, (mw + MW_PER_W / 2) / MW_PER_W);
		if (isst_result_value(power, ISST_VALUE_POWER_LIMIT_MW, &mw) != 0)
			continue;
		report_number(node, KEY_STATUS_POWER_LIMIT, (mw + MW_PER_W / 2) / MW_PER_W);
		/* The power of the level stands on the same screen: a lower limit leaves open which
		 * counts. */
		if (isst_result_value(status_properties(status, of), ISST_VALUE_TDP_W, &tdp_w) ==
			    0 &&
		    power_limit_is_below_tdp(mw, tdp_w)) {
			snprintf(package, sizeof(package), "package %u", path.index);
			report_message(run->report, ENTRY_NOTE,
				       "%s: the power limit of %u W counts, not the TDP of %u W",
				       shared ? package : isst_domain_name(domain), mw / MW_PER_W,
				       tdp_w);
		}
	}
	isst_results_free(results);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../common/judge.h"
#include "../../common/numbered.h"
#include "../process/xalloc.h"
#include "machine_status.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Classes of service ---- */

static bool has_classes(const struct domain_status *domain)
{
	return domain->node && domain->core_power_state >= ISST_FEATURE_DISABLED;
}

/** Whether the weights of classes have a meaning. */
static bool has_weights(const struct domain_status *domain)
{
	return value_of(domain->core_power, ISST_VALUE_PRIORITY) == ISST_PRIORITY_PROPORTIONAL;
}

/** Whether a class has other values than after boot. Those of one that could not be read may be. */
static bool is_configured(const struct domain_status *domain, const struct isst_result *clos)
{
	return isst_result_error(clos, ISST_PART_RESULT) ||
	       value_of(clos, ISST_VALUE_CLOS_MIN_MHZ) > 0 ||
	       value_of(clos, ISST_VALUE_CLOS_MAX_MHZ) != ISST_CLOS_NO_LIMIT_MHZ ||
	       (has_weights(domain) && value_of(clos, ISST_VALUE_CLOS_WEIGHT) > 0);
}

static void report_value_or_unknown(struct report_node *node, enum key_id key,
				    const struct isst_result *clos, int id)
{
	if (isst_result_error(clos, ISST_PART_RESULT))
		report_unknown(node, key);
	else
		report_value(node, key, clos, id);
}

static void report_class(const struct machine_status *status, const struct domain_status *domain,
			 const struct isst_result *clos)
{
	unsigned int number = value_of(clos, ISST_VALUE_CLOS);
	const struct isst_cpuset *cpus = domain->class_cpus[number];
	bool empty = isst_cpuset_count(cpus) == 0;
	bool shown = !empty || domain->has_unknown || is_configured(domain, clos);
	struct report_node *node = shown || status->run->complete
					   ? report_branch(domain->node, KEY_STATUS_CLOS, number)
					   : NULL;

	/* Those of which a CPU is online. The firmware counts those of a module as one. */
	if (status->run->complete && !domain->has_unknown)
		report_number(node, KEY_CORE_COUNT, domain->online_cores[number]);
	if (!shown)
		return;
	report_value_or_unknown(node, KEY_STATUS_MIN, clos, ISST_VALUE_CLOS_MIN_MHZ);
	report_value_or_unknown(node, KEY_STATUS_MAX, clos, ISST_VALUE_CLOS_MAX_MHZ);
	if (has_weights(domain))
		report_value_or_unknown(node, KEY_STATUS_WEIGHT, clos, ISST_VALUE_CLOS_WEIGHT);
	if (empty && domain->has_unknown)
		report_unknown(node, KEY_STATUS_CPUS);
	else
		report_cpu_ranges(node, KEY_STATUS_CPUS, 0, cpus);
}

/** Whether classes do not hold, and all cores and classes are as after boot. */
static bool is_unused(const struct machine_status *status, const struct domain_status *domain,
		      const struct isst_results *results)
{
	const struct isst_result *clos;

	if (!is_off(domain->clos_state) || status->run->complete || domain->has_unknown ||
	    domain->has_assigned)
		return false;
	for (size_t i = 0; (clos = isst_results_at(results, i)) != NULL; i++)
		if (isst_result_domain(clos) == domain->domain && is_configured(domain, clos))
			return false;
	return true;
}

void clos_status_report(struct machine_status *status)
{
	struct isst_results *results = status_read(status, ISST_READ_CLOS, 0, has_classes);
	const struct isst_domain *failed = NULL;
	const struct isst_result *clos;

	for (size_t i = 0; (clos = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_domain *of = isst_result_domain(clos);
		const struct domain_status *domain = status_of_domain(status, of);
		struct failure failure = failure_of(clos, ISST_PART_RESULT);
		unsigned int number = value_of(clos, ISST_VALUE_CLOS);

		if (!domain || number >= STATUS_CLASSES || is_unused(status, domain, results))
			continue;
		/* One message for the classes of a domain. */
		if (failure.error && of != failed) {
			run_failure(status->run, failure);
			failed = of;
		}
		report_class(status, domain, clos);
		/* For the report of high priority cores. */
		if (!failure.error)
			status->domains[domain - status->domains].clos_max_mhz[number] = value_of(
				clos, ISST_VALUE_CLOS_MAX_MHZ);
	}
	isst_results_free(results);
}

/* ---- The map of --map ---- */

/** The word of a core without a class in use. */
static const char *word_without_class(const struct domain_status *domain, const struct core *core,
				      const char *otherwise)
{
	unsigned int cpu;

	if (!domain->high_base)
		return otherwise;
	isst_cpuset_for_each (cpu, core->cpus)
		if (isst_cpuset_has(domain->high_base, cpu))
			return "high-base";
	return "low-base";
}

/** The word of a core; NULL: it is not known. */
static const char *word_of(const struct domain_status *domain, const struct core *core)
{
	static const char *const CLASSES[] = { "clos-0", "clos-1", "clos-2", "clos-3" };
	size_t clos = (size_t)core->clos;

	if (isst_cpuset_count(core->online) == 0)
		return "offline";
	if (domain->core_power_state == ISST_FEATURE_UNKNOWN || core->clos == CLOS_UNKNOWN)
		return isst_result_error(domain->core_power, ISST_PART_RESULT) == -EOPNOTSUPP
			       ? word_without_class(domain, core, "none")
			       : NULL;
	if (core->clos == CLOS_NONE || clos >= sizeof(CLASSES) / sizeof(CLASSES[0]))
		return word_without_class(domain, core, "none");
	/* Whether it has a priority depends on SST-TF. */
	if (!knows_priorities(domain) && !is_off(domain->clos_state))
		return NULL;
	/* Whether classes hold by SST-TF alone was measured on some machines. */
	if (is_off(domain->clos_state) && is_off(domain->turbo_freq_state))
		return word_without_class(domain, core, "unused");
	if (has_priorities(domain))
		return core->clos <= LAST_HIGH_CLOS ? "high" : "low";
	return CLASSES[clos];
}

static void report_core(struct report_node *parent, const struct domain_status *domain,
			const struct core *core, unsigned int index)
{
	struct report_node *node = report_branch(parent, KEY_MAP_CORE, index);
	const char *word = word_of(domain, core);

	report_cpu_ranges(node, KEY_MAP_CPUS, 0, core->cpus);
	if (word)
		report_word(node, KEY_MAP_MARK, word);
	else
		report_unknown(node, KEY_MAP_MARK);
}

/** Cores are numbered as the firmware does, or within their module. */
static void report_map(const struct machine_status *status, const struct domain_status *domain)
{
	struct report_node *module = NULL;
	unsigned int inside = 0, cpu;

	for_each_core (core, &status->cores, domain->domain) {
		bool shown = false;

		isst_cpuset_for_each (cpu, core->cpus)
			shown |= is_named(status->run, cpu);
		if (!shown)
			continue;
		if (!core->in_module) {
			report_core(domain->node, domain, core,
				    core->number_known ? core->number : core->lowest);
			continue;
		}
		if (!module || module->index != core->number) {
			module = report_branch(domain->node, KEY_MAP_MODULE, core->number);
			inside = 0;
		}
		report_core(module, domain, core, inside++);
	}
}

static bool has_base_freq(const struct domain_status *domain)
{
	return domain->base_freq_state == ISST_FEATURE_ENABLED &&
	       !isst_domain_is_io(domain->domain);
}

void core_map_report(struct machine_status *status)
{
	struct level_memory once = { 0 }, *memory = status->run->level_memory;
	const struct isst_result *base;

	if (!memory)
		memory = &once;
	status_keep_levels(status, ISST_LEVELS_BASE_FREQ, has_base_freq, &memory->base_freq);
	for (size_t i = 0; (base = isst_results_at(memory->base_freq, i)) != NULL; i++) {
		level_failures(status->run, base);
		for (size_t j = 0; j < status->domain_count; j++)
			if (status->domains[j].domain == isst_result_domain(base))
				status->domains[j].high_base = cpus_of(
					base, ISST_VALUE_BASE_FREQ_HIGH_CPUS);
	}
	for_each_domain (domain, status) {
		const struct isst_result *level = levels_get(&status->levels, domain->unit, 0);
		struct failure failure = failure_of(domain->core_power, ISST_PART_RESULT);

		if (!domain->node)
			continue;
		if (level)
			level_failures(status->run, level);
		if (failure.error != -EOPNOTSUPP)
			run_failure(status->run, failure);
		report_map(status, domain);
	}
	for (size_t j = 0; j < status->domain_count; j++)
		status->domains[j].high_base = NULL;
	isst_results_free(once.base_freq);
}

/* ---- High priority cores of SST-BF ---- */

void base_freq_status_report(struct machine_status *status)
{
	struct level_memory once = { 0 }, *memory = status->run->level_memory;
	const struct isst_result *level;

	if (!memory)
		memory = &once;
	status_keep_levels(status, ISST_LEVELS_BASE_FREQ, has_base_freq, &memory->base_freq);
	for (size_t i = 0; (level = isst_results_at(memory->base_freq, i)) != NULL; i++) {
		const struct domain_status *domain = status_of_domain(status,
								      isst_result_domain(level));
		const struct isst_cpuset *cpus = cpus_of(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS);
		struct report_node *node;

		if (!domain || !domain->node)
			continue;
		level_failures(status->run, level);
		node = report_branch(domain->node, KEY_STATUS_BASE_FREQ, 0);
		report_value(node, KEY_HIGH_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_HIGH_MHZ);
		report_value(node, KEY_LOW_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_LOW_MHZ);
		if (cpus)
			report_cpu_ranges(node, KEY_HIGH_CPU_LIST, 0, cpus);
		else
			report_unknown(node, KEY_HIGH_CPU_LIST);
	}
	isst_results_free(once.base_freq);
}

/* ---- High priority cores of SST-TF ---- */

struct package_cores {
	unsigned int package, count;
	bool known;
};

static unsigned int package_of(const struct isst_result *result)
{
	return isst_domain_package(isst_result_domain(result));
}

/** Counts as the firmware does: a module is one. */
static struct package_cores count_cores(const struct machine_status *status, unsigned int package)
{
	struct package_cores cores = { .package = package, .known = true };

	for_each_domain (domain, status) {
		if (isst_domain_package(domain->domain) != package)
			continue;
		if (has_priorities(domain)) {
			cores.count += domain->high_cores;
			cores.known = cores.known && !domain->has_unknown;
		} else if (!isst_domain_is_io(domain->domain) && !knows_priorities(domain)) {
			cores.known = false;
		}
	}
	return cores;
}

/* ---- Buckets ---- */

/** Whether what a level has for SST-TF could be read: also which level it is, and its features. */
static bool is_read(const struct isst_result *level)
{
	return !isst_result_error(level, ISST_PART_PERF_PROFILE) &&
	       !isst_result_error(level, ISST_PART_RESULT) &&
	       !isst_result_error(level, ISST_PART_TURBO_FREQ);
}

/** Whether the buckets of all power domains of a package with cores could be read. */
static bool has_buckets(const struct isst_results *levels, unsigned int package)
{
	const struct isst_result *level;

	for (size_t i = 0; (level = isst_results_at(levels, i)) != NULL; i++)
		if (package_of(level) == package && !isst_domain_is_io(isst_result_domain(level)) &&
		    !is_read(level))
			return false;
	return true;
}

/** The bucket that holds the cores in all domains of the package; the number of buckets: none. */
static unsigned int find_bucket(const struct isst_results *levels, const struct isst_result *level,
				const struct package_cores *cores)
{
	const unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);
	const struct isst_result *other;
	unsigned int bucket = 0;

	for (size_t i = 0; (other = isst_results_at(levels, i)) != NULL; i++) {
		unsigned int own = bucket_of(other, cores->count);

		if (package_of(other) != cores->package)
			continue;
		if (own > 0 && own == value_of(other, ISST_VALUE_TURBO_FREQ_BUCKETS))
			return buckets;
		bucket = own > bucket ? own : bucket;
	}
	return bucket < buckets ? bucket : buckets;
}

/** The first TRL type is that of instructions without vectors. */
static void report_type_0(struct report_node *node, enum key_id key,
			  const struct isst_result *level, int id, unsigned int bucket)
{
	if (!is_read(level))
		report_unknown(node, key);
	else
		report_value_at(node, key, level, id, 0, bucket);
}

/** Reports the bucket of the cores, and its frequency, if there is one. */
static void report_bucket(const struct run *run, struct report_node *node,
			  const struct isst_results *levels, const struct isst_result *level,
			  const struct package_cores *cores)
{
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS), bucket;

	if (cores->known)
		report_number(node, KEY_STATUS_CORE_COUNT, cores->count);
	else
		report_unknown(node, KEY_STATUS_CORE_COUNT);
	report_core_unit(run, node);
	if (cores->known && cores->count == 0)
		return;
	if (!cores->known || !has_buckets(levels, cores->package)) {
		report_unknown(node, KEY_STATUS_BUCKET);
		report_unknown(node, KEY_STATUS_HIGH_MAX);
		return;
	}
	bucket = find_bucket(levels, level, cores);
	report_number(node, KEY_STATUS_BUCKET, bucket < buckets ? bucket : STATUS_NO_BUCKET);
	if (bucket < buckets)
		report_type_0(node, KEY_STATUS_HIGH_MAX, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ,
			      bucket);
}

/* ---- Notes ---- */

/** A note for each package with more cores than its last bucket holds. */
static void note_overfull(const struct machine_status *status, const struct isst_results *levels)
{
	const struct isst_result *level, *before = NULL;

	for (size_t i = 0; (level = isst_results_at(levels, i)) != NULL; i++) {
		unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);
		struct package_cores cores;

		if (buckets == 0 || (before && package_of(before) == package_of(level)))
			continue;
		before = level;
		cores = count_cores(status, package_of(level));
		if (cores.known && has_buckets(levels, cores.package) &&
		    find_bucket(levels, level, &cores) == buckets)
			report_message(status->run->report, ENTRY_NOTE,
				       "package %u: %u high priority %s are more than the last "
				       "bucket holds: their turbo frequencies may be lower",
				       cores.package, cores.count, run_cores_word(status->run));
	}
}

/** Notes CPUs of high priority that are held below the frequency of the bucket. */
static void note_classes(const struct machine_status *status, const struct domain_status *domain,
			 const struct isst_result *level, const struct package_cores *cores)
{
	unsigned int mhz;

	if (!cores->known || !is_read(level) ||
	    isst_result_value_at(level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, 0,
				 bucket_of(level, cores->count), &mhz) != 0)
		return;
	for (int clos = 0; clos <= LAST_HIGH_CLOS; clos++) {
		const struct isst_cpuset *cpus = domain->class_cpus[clos];
		char *list;

		if (isst_cpuset_count(cpus) == 0 ||
		    !clos_max_is_below_bucket(domain->clos_max_mhz[clos], mhz))
			continue;
		list = xcheck(name_numbers("CPU", cpus));
		report_message(status->run->report, ENTRY_NOTE,
			       "%s: %s: high priority, but no more than %u MHz, the maximum of "
			       "CLOS %d",
			       isst_domain_name(domain->domain), list, domain->clos_max_mhz[clos],
			       clos);
		free(list);
	}
}

/* ---- Whole packages ---- */

static bool has_turbo_freq(const struct domain_status *domain)
{
	return domain->turbo_freq_state >= ISST_FEATURE_DISABLED &&
	       !isst_domain_is_io(domain->domain);
}

struct isst_results *high_priority_levels(struct machine_status *status)
{
	return status_read(status, ISST_READ_LEVELS, ISST_LEVELS_CURRENT | ISST_LEVELS_TURBO_FREQ,
			   has_turbo_freq);
}

/** A package has as many cores in a bucket as the power domain with the fewest. */
static unsigned int package_bucket_cores(const struct isst_results *levels, unsigned int package,
					 unsigned int bucket)
{
	unsigned int fewest = 0;
	const struct isst_result *level;

	for (size_t i = 0; (level = isst_results_at(levels, i)) != NULL; i++) {
		unsigned int cores = bucket_cores(level, bucket);

		if (package_of(level) == package && cores > 0 && (fewest == 0 || cores < fewest))
			fewest = cores;
	}
	return fewest;
}

void high_priority_package_report(const struct machine_status *status,
				  const struct isst_results *levels, unsigned int package,
				  struct report_node *node)
{
	const struct package_cores cores = count_cores(status, package);
	const struct isst_result *level;
	size_t first = 0;

	/* Its first power domain; without any it has no SST-TF. */
	while ((level = isst_results_at(levels, first)) != NULL && package_of(level) != package)
		first++;
	if (!level || !has_buckets(levels, package))
		return;
	for (unsigned int i = 0; i < value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS); i++) {
		struct report_node *bucket = report_branch(node, KEY_BUCKET, i);

		report_number(bucket, KEY_HIGH_CORES_COUNT,
			      package_bucket_cores(levels, package, i));
		report_core_unit(status->run, bucket);
		report_type_0(bucket, KEY_STATUS_HIGH_MAX, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ,
			      i);
	}
	node = report_branch(node, KEY_STATUS_HIGH_PRIORITY, 0);
	report_bucket(status->run, node, levels, level, &cores);
	report_type_0(node, KEY_STATUS_LOW_MAX, level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 0);
}

/* ---- The rows ---- */

/** Adds the CPUs of high priority. */
static void add_high_cpus(const struct domain_status *domain, struct isst_cpuset *cpus)
{
	for (size_t clos = 0; clos <= LAST_HIGH_CLOS; clos++)
		xcall(isst_cpuset_add_set(cpus, domain->class_cpus[clos]));
}

static void report_domain(const struct machine_status *status, const struct domain_status *domain,
			  const struct isst_results *levels, const struct isst_result *level)
{
	const struct package_cores cores = count_cores(status, isst_domain_package(domain->domain));
	struct report_node *node = report_branch(domain->node, KEY_STATUS_HIGH_PRIORITY, 0);
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new());

	report_bucket(status->run, node, levels, level, &cores);
	note_classes(status, domain, level, &cores);
	report_type_0(node, KEY_STATUS_LOW_MAX, level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 0);
	add_high_cpus(domain, cpus);
	if (isst_cpuset_count(cpus) == 0 && domain->has_unknown)
		report_unknown(node, KEY_STATUS_CPUS);
	else
		report_cpu_ranges(node, KEY_STATUS_CPUS, 0, cpus);
	isst_cpuset_free(cpus);
}

/** Reports the high priority CPUs of the machine, for programs. */
static void report_top(const struct machine_status *status)
{
	struct report_node *top = report_at_top(status->run->report);
	struct isst_cpuset *cpus = xcheck(isst_cpuset_new());
	bool known = true;

	for_each_domain (domain, status) {
		if (!domain->node || isst_domain_is_io(domain->domain))
			continue;
		known &= knows_priorities(domain);
		if (!has_priorities(domain))
			continue;
		known &= !domain->has_unknown;
		add_high_cpus(domain, cpus);
	}
	if (!known)
		report_unknown(report_v2(top), KEY_HIGH_PRIORITY_CPUS);
	else
		report_cpu_ranges(top, KEY_HIGH_PRIORITY_CPUS, 0, cpus)->hidden = true;
	isst_cpuset_free(cpus);
}

void high_priority_status_report(struct machine_status *status)
{
	struct level_memory once = { 0 }, *memory = status->run->level_memory;
	const struct isst_result *level;
	struct isst_results *levels;

	if (!memory)
		memory = &once;
	status_keep_levels(status, ISST_LEVELS_TURBO_FREQ, has_priorities, &memory->buckets);
	levels = memory->buckets;

	report_top(status);
	note_overfull(status, levels);
	for (size_t i = 0; (level = isst_results_at(levels, i)) != NULL; i++) {
		const struct isst_domain *of = isst_result_domain(level);
		const struct domain_status *domain = status_of_domain(status, of);

		if (!domain || !domain->node || isst_domain_is_io(of))
			continue;
		run_failure(status->run, failure_of(level, ISST_PART_PERF_PROFILE));
		level_failures(status->run, level);
		report_domain(status, domain, levels, level);
	}
	isst_results_free(once.buckets);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_MACHINE_STATUS_H
#define ISST_CLI_MACHINE_STATUS_H

#include "../run/cores.h"
#include "../run/levels.h"

enum { STATUS_CLASSES = 4 };

/** Results of levels that rounds of --watch keep while these are the same; NULL: none. */
struct level_memory {
	struct isst_results *properties, *buckets, *base_freq;
};

struct domain_status {
	const struct isst_domain *domain;
	const struct unit *unit;
	const struct isst_result *core_power; /* NULL: it could not be read */
	struct report_node *node;	      /* of its unit; NULL: --cpu names no CPU of it */
	/* enum isst_feature_state; of @clos: whether limits and priorities of classes hold */
	unsigned int core_power_state, clos_state, turbo_freq_state, base_freq_state;
	bool reads_limits; /* its turbo ratio limits are read */
	/* Of its cores: whether the class of one that is online could not be read, or one is in
	 * another than 0; how many have high priority, a module as one; by class, how many are
	 * online, and their CPUs that are shown. */
	bool has_unknown, has_assigned;
	unsigned int high_cores, online_cores[STATUS_CLASSES];
	struct isst_cpuset *class_cpus[STATUS_CLASSES];
	/* By core_map_report(): the CPUs with the higher base frequency of SST-BF, while that is
	 * on; NULL: not known. */
	const struct isst_cpuset *high_base;
	/* Maxima of classes by clos_status_report(); 0: not known. */
	unsigned int clos_max_mhz[STATUS_CLASSES];
};

/** The machine, or the packages with the CPUs that --cpu names. */
struct machine_status {
	struct run *run;
	struct levels levels; /* their states at least */
	/* With their properties; belongs to the run's memory. NULL: @levels has them. */
	const struct isst_results *properties;
	struct isst_results *core_power;
	struct domain_status *domains; /* by the slots of the run's targets, as their units are */
	size_t domain_count;
	struct cores cores;
};

#define for_each_domain(domain, status) \
	for (const struct domain_status *domain = (status)->domains; \
	     domain < (status)->domains + (status)->domain_count; domain++)

/** Makes all domains of the named packages units. */
void machine_status_find(struct run *run);

/** Whether a CPU of a domain may be interrupted. */
bool domain_has_reader(const struct isst_domain *domain, const struct isst_cpuset *undisturbed);

/** Whether the firmware is asked by MSRs, which interrupt a CPU: before Ice Lake, without EPP. */
bool firmware_is_asked_by_msr(struct isst_context *context);
const struct domain_status *status_of_domain(const struct machine_status *status,
					     const struct isst_domain *domain);

/** Whether cores of a domain have high and low priority: SST-TF is on, and classes hold. */
static inline bool has_priorities(const struct domain_status *domain)
{
	return domain->turbo_freq_state == ISST_FEATURE_ENABLED &&
	       domain->clos_state == ISST_FEATURE_ENABLED;
}

static inline bool is_off(unsigned int feature_state)
{
	return feature_state == ISST_FEATURE_DISABLED || feature_state == ISST_FEATURE_UNSUPPORTED;
}

/** Whether has_priorities() is certain: SST-TF with core-power off was not measured. */
static inline bool knows_priorities(const struct domain_status *domain)
{
	return has_priorities(domain) || is_off(domain->turbo_freq_state) ||
	       domain->clos_state == ISST_FEATURE_UNSUPPORTED;
}

/** Whether a CPU is shown: without --cpu all are. */
static inline bool is_named(const struct run *run, unsigned int cpu)
{
	return !run->cpus || isst_cpuset_has(run->cpus, cpu);
}

static inline bool is_shown(const struct domain_status *domain)
{
	return domain->node;
}

const struct isst_result *result_of_domain(const struct isst_results *results,
					   const struct isst_domain *domain);

/** Reads for domains that are wanted. To be freed; NULL: none, or an error is reported. */
struct isst_results *status_read(struct machine_status *status, int what, unsigned int flags,
				 bool (*wanted)(const struct domain_status *domain));
struct isst_results *status_read_cpus(struct machine_status *status, int what,
				      const struct isst_cpuset *cpus);

/** Reads parts of current levels, unless *@kept is complete and current; NULL: none, or an error
 * is reported. */
void status_keep_levels(struct machine_status *status, unsigned int parts,
			bool (*wanted)(const struct domain_status *domain),
			struct isst_results **kept);

/** Reads all levels, in further rounds only what may have changed. Returns 0, or a negative errno
 * after reporting it. */
int status_read_levels(struct machine_status *status, unsigned int parts);
/** The result with these parts of a domain's level; NULL if there is none. */
const struct isst_result *status_properties(const struct machine_status *status,
					    const struct domain_status *domain);

void turbo_limits_report(struct machine_status *status);
void clos_status_report(struct machine_status *status);
void core_map_report(struct machine_status *status);
void base_freq_status_report(struct machine_status *status);
void high_priority_status_report(struct machine_status *status);
void limit_status_report(struct machine_status *status);
void running_status_report(struct machine_status *status);
void power_status_report(struct machine_status *status);
/** The buckets and high priority cores of a package. */
void high_priority_package_report(const struct machine_status *status,
				  const struct isst_results *levels, unsigned int package,
				  struct report_node *node);
/** The levels of domains with SST-TF. To be freed; NULL: none, or an error is reported. */
struct isst_results *high_priority_levels(struct machine_status *status);

/* ---- Rounds of --watch ---- */

struct output;

/** Watches until the user or the terminal ends it. @ask: carries the command out; the run's report
 * has its notes. Returns the exit status; a signal that ended it is raised on release. */
enum exit_status rounds_run(struct run *run, struct output *output, void (*ask)(struct run *run));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `status` share: what was read of the machine. Must not know output formats. */
#ifndef ISST_CLI_MACHINE_STATUS_H
#define ISST_CLI_MACHINE_STATUS_H

#include "../run/cores.h"
#include "../run/levels.h"

/* Classes of service. */
enum { STATUS_CLASSES = 4 };

/** What a command that is carried out again keeps of levels, for as long as the levels are the
 * same: results of isst_read_levels(); NULL: none are kept. */
struct level_memory {
	struct isst_results *properties, *buckets;
};

/** A domain of the run's targets. */
struct domain_status {
	const struct isst_domain *domain;
	const struct unit *unit;
	const struct isst_result *core_power; /* NULL: it could not be read */
	struct report_node *node;	      /* of its unit; NULL: --cpu names no CPU of it */
	/* enum isst_feature_state; of @clos: whether limits and priorities of classes hold */
	unsigned int core_power_state, clos_state, turbo_freq_state;
	bool reads_limits; /* its turbo ratio limits are read */
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

/** Makes the units those of all domains of the packages that --cpu names. Returns false after an
 * error. */
bool machine_status_find(struct run *run);

/** Whether a CPU of a domain may be interrupted. */
bool domain_has_reader(const struct isst_domain *domain, const struct isst_cpuset *undisturbed);

/** Whether the firmware is asked through MSRs, for each of which the kernel interrupts a CPU: that
 * is so before Ice Lake, whose classes were the first with an energy preference. */
bool firmware_is_asked_by_msr(struct isst_context *context);

/** The status of a domain; NULL: it is none of the run's targets. */
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

/** Whether has_priorities() is certain. What cores have with SST-TF where core-power is off and
 * classes do not hold by SST-TF alone was not measured. */
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

/** Whether a domain is shown. */
static inline bool is_shown(const struct domain_status *domain)
{
	return domain->node;
}

/** The first result of a domain; NULL: there is none. */
const struct isst_result *result_of_domain(const struct isst_results *results,
					   const struct isst_domain *domain);

/** Reads for the domains that are wanted, in the order of the slots. To be freed; NULL where there
 * are none, or after reporting why. */
struct isst_results *status_read(struct machine_status *status, reader read, unsigned int flags,
				 bool (*wanted)(const struct domain_status *domain));

/** Reads for CPUs in the same way. */
struct isst_results *status_read_cpus(struct machine_status *status, reader read,
				      const struct isst_cpuset *cpus);

/**
 * Reads parts of the current levels for the domains that are wanted, unless what is kept of them is
 * of the same domains and levels, and complete. *@kept is read into, and to be freed in the end; it
 * is NULL where there are none, or after reporting why.
 */
void status_keep_levels(struct machine_status *status, unsigned int parts,
			bool (*wanted)(const struct domain_status *domain),
			struct isst_results **kept);

/** Reads the levels of all domains; of a command that is carried out again, which asks for the
 * current ones, parts that stay as they are, only where they may be others by now. Returns 0, or a
 * negative errno after reporting it. */
int status_read_levels(struct machine_status *status, unsigned int parts);
/** The result with these parts of a domain's level; NULL if there is none. */
const struct isst_result *status_properties(const struct machine_status *status,
					    const struct domain_status *domain);

/** Adds the online CPUs that are shown: those of a set to @left_out, all others to @cpus. Returns 0
 * or -ENOMEM. */
int status_choose_cpus(const struct machine_status *status, const struct isst_cpuset *except,
		       struct isst_cpuset *cpus, struct isst_cpuset *left_out);

/** Adds the online CPUs that are shown of a domain's cores in classes from @first to @last. Returns
 * 0 or -ENOMEM. */
int status_add_class(const struct machine_status *status, const struct isst_domain *domain,
		     int first, int last, struct isst_cpuset *cpus);

/** The parts of the report. */
void turbo_limits_report(struct machine_status *status);
void clos_status_report(struct machine_status *status);
void core_map_report(struct machine_status *status);
void high_priority_status_report(struct machine_status *status);
void limit_status_report(struct machine_status *status);
void running_status_report(struct machine_status *status);
void power_status_report(struct machine_status *status);
/** The buckets and the high priority cores of a package, below its unit. @levels: of all domains,
 * with SST-TF. */
void high_priority_package_report(const struct machine_status *status,
				  const struct isst_results *levels, unsigned int package,
				  struct report_node *node);
/** The levels of all domains with SST-TF. To be freed; NULL where there are none, or after
 * reporting why. */
struct isst_results *high_priority_levels(struct machine_status *status);

/* ---- Rounds of --watch ---- */

struct output;

/**
 * Watches until the user or the terminal ends it. The machine is discovered, and again only where
 * other CPUs are online.
 *
 * @run: its report has what was reported before
 * @ask: carries the command out once
 * Returns the status that the program ends with; a signal that ended it arrives when those of the
 * run are released.
 */
enum exit_status rounds_run(struct run *run, struct output *output, void (*ask)(struct run *run));

#endif

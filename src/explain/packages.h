/* SPDX-License-Identifier: BSD-3-Clause */
/* High and low priority of SST-TF, by domain and by package, whose cores share buckets. */
#ifndef ISST_EXPLAIN_PACKAGES_H
#define ISST_EXPLAIN_PACKAGES_H

#include "explain/findings.h"

/** SST-TF takes CLOS 0 and 1 for high priority. */
bool has_high_priority(const struct survey_cpu *cpu);
bool has_low_priority(const struct survey_cpu *cpu);

/** How the CPUs of the domains of a package are divided. */
struct division {
	size_t high, low, unknown; /* CPUs */
	size_t high_cores, low_cores;
	size_t low_asked_cores; /* of the CPUs that findings can name */
};

/** Whether a domain has CPUs of high and of low priority. */
bool is_divided(const struct survey_domain *domain);

/** The domains of a package that count. */
struct package {
	size_t first, end; /* positions in the survey */
	struct division cpus;
	const struct isst_level *level;	    /* with the smallest last bucket; NULL: none, with: */
	const struct isst_turbo_freq *info; /* of the level */
	unsigned int bucket; /* the first that holds the high priority cores; info->buckets: none */
	unsigned int gaining; /* buckets of high priority cores faster than all without SST-TF */
	bool gains;	      /* @bucket is one of these, or there is no level */
};

typedef bool domain_filter(const struct survey_domain *domain);

domain_filter turbo_freq_is_supported; /* by the current level */
domain_filter turbo_freq_is_on;
domain_filter has_priorities; /* SST-TF is on, and classes hold */

/** Whether limits or weights distinguish classes of high and low priority. A minimum above the base
 * frequency counts on turbo frequencies. */
domain_filter classes_have_purpose;

/** The package of a domain. */
struct package find_package(const struct survey_domain *domain, domain_filter *counts);

/** The maximum of the class of a CPU, while that counts; UINT_MAX: none, or it is unknown. */
unsigned int clos_max_mhz(const struct survey_domain *domain, const struct survey_cpu *cpu);

/** The frequency of the bucket for so many cores at the domain's own level; 0: none, or unknown. */
unsigned int bucket_mhz(const struct survey_domain *domain, size_t cores);

/** What SST-TF clips a CPU to; 0: nothing, or unknown. */
unsigned int clip_mhz(const struct survey_domain *domain, const struct survey_cpu *cpu);

/** What so many cores of a package are called: buckets of E-cores count modules. */
const char *package_cores_word(struct findings *findings, size_t count);

/** The first bucket that is large enough; the number of buckets: none is. */
unsigned int used_bucket(const struct isst_turbo_freq *info, size_t cores);

#endif

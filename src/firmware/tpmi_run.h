/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TPMI requests that several answers come of: each is sent once in the life of a batch, until
 * something is written. Knows the driver alone, and nothing of planned requests.
 */
#ifndef ISST_FIRMWARE_TPMI_RUN_H
#define ISST_FIRMWARE_TPMI_RUN_H

#include "driver/abi.h"
#include "isst.h"

struct driver;

/** The TPMI requests of a batch, over all its runs. */
struct tpmi_run {
	struct driver *driver;
	/* The summaries that were read: several answers come out of one. */
	struct tpmi_summary {
		const struct isst_domain *domain;
		struct abi_perf_level_info info;
	} * summaries;
	size_t summary_count;
	/* The same for the states of core-power: CLOS and associations are asked for only where
	 * there is core-power. */
	struct abi_core_power *core_powers;
	size_t core_power_count;
};

void tpmi_run_clear(struct tpmi_run *run);

/** What was read before a write is read again for it, and may have changed after it. */
void tpmi_run_forget(struct tpmi_run *run);
void tpmi_run_forget_core_power(struct tpmi_run *run);

/** Asks for the summary of levels of a domain, once in the life of a batch. Returns 0 or the
 * driver's negative errno. */
int tpmi_summary(struct tpmi_run *run, const struct isst_domain *domain,
		 struct abi_perf_level_info *info);

/** Asks for the state of core-power of a domain, once in the life of a batch. As above. */
int tpmi_core_power(struct tpmi_run *run, const struct isst_domain *domain,
		    struct abi_core_power *state);

/**
 * As above; -EOPNOTSUPP: there is no core-power. The kernel does not check that: it would read and
 * write what is in the place of the registers that are not there.
 */
int tpmi_check_core_power(struct tpmi_run *run, const struct isst_domain *domain,
			  struct abi_core_power *state);

/** Asks for the configuration of a CLOS; -EOPNOTSUPP: there is no core-power. */
int tpmi_clos(struct tpmi_run *run, const struct isst_domain *domain, unsigned int clos,
	      struct abi_clos_param *config);

/**
 * Sets the error of associations in domains that have no core-power: the kernel does not check
 * that, and such a request would crash it.
 */
void tpmi_check_associations(struct tpmi_run *run, const struct abi_clos_assoc *entries,
			     int *errors, size_t count);

#endif

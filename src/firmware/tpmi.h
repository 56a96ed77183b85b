/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the TPMI interface share: reading (tpmi.c) and setting (tpmi_settings.c). */
#ifndef ISST_FIRMWARE_TPMI_H
#define ISST_FIRMWARE_TPMI_H

#include "firmware/batch.h"

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

/** Notes that a domain has no CPU through which a register could be reached. */
void tpmi_note_no_cpu(struct firmware_batch *batch, const struct isst_domain *domain,
		      struct isst_failure *failure, const char *what);

int tpmi_plan_get(struct firmware_batch *batch, const struct setting_request *request);
int tpmi_plan_set(struct firmware_batch *batch, const struct setting_request *request);

#endif

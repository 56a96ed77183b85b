/* SPDX-License-Identifier: BSD-3-Clause */
/* TPMI requests that several answers come of. */
#include "base/array.h"
#include "base/place.h"
#include "driver/driver.h"
#include "firmware/batch.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_LEVELS = 32 }; /* a larger number is no level, but a broken answer */

void tpmi_run_clear(struct tpmi_run *run)
{
	free(run->summaries);
	free(run->core_powers);
}

void tpmi_run_forget(struct tpmi_run *run)
{
	run->summary_count = run->core_power_count = 0;
}

void tpmi_run_forget_core_power(struct tpmi_run *run)
{
	run->core_power_count = 0;
}

int tpmi_summary(struct tpmi_run *run, const struct isst_domain *domain,
		 struct abi_perf_level_info *info)
{
	int error;

	for (size_t i = 0; i < run->summary_count; i++)
		if (run->summaries[i].domain == domain) {
			*info = run->summaries[i].info;
			return 0;
		}
	*info = (struct abi_perf_level_info){ OF_DOMAIN(domain) };
	error = driver_request(run->driver, "PERF_LEVELS", ABI_PERF_LEVELS, info);
	if (error)
		return error;
	/* The hardware numbers levels with three bits. */
	if (info->max_level >= MOST_LEVELS || info->current_level >= MOST_LEVELS)
		return -EBADMSG;
	/* Without memory it is asked for again. */
	if (ARRAY_GROW(run->summaries, run->summary_count))
		return 0;
	run->summaries[run->summary_count++] = (struct tpmi_summary){ domain, *info };
	return 0;
}

/** Answers from what was asked before, or asks, and keeps the answer. */
static int ask_state(struct tpmi_run *run, struct abi_core_power *state)
{
	int error;

	for (size_t i = 0; i < run->core_power_count; i++)
		if (run->core_powers[i].socket_id == state->socket_id &&
		    run->core_powers[i].power_domain_id == state->power_domain_id) {
			*state = run->core_powers[i];
			return 0;
		}
	error = driver_request(run->driver, "CORE_POWER_STATE", ABI_CORE_POWER_STATE, state);
	if (error)
		return error;
	if (ARRAY_GROW(run->core_powers, run->core_power_count))
		return 0;
	run->core_powers[run->core_power_count++] = *state;
	return 0;
}

int tpmi_core_power(struct tpmi_run *run, const struct isst_domain *domain,
		    struct abi_core_power *state)
{
	*state = (struct abi_core_power){ OF_DOMAIN(domain) };
	return ask_state(run, state);
}

int tpmi_check_core_power(struct tpmi_run *run, const struct isst_domain *domain,
			  struct abi_core_power *state)
{
	int error = tpmi_core_power(run, domain, state);

	return !error && !state->supported ? -EOPNOTSUPP : error;
}

int tpmi_clos(struct tpmi_run *run, const struct isst_domain *domain, unsigned int clos,
	      struct abi_clos_param *config)
{
	struct abi_core_power state;
	int error = tpmi_check_core_power(run, domain, &state);

	if (error)
		return error;
	*config = (struct abi_clos_param){ OF_DOMAIN(domain), .clos = (uint8_t)clos };
	return driver_request(run->driver, "CLOS_PARAM", ABI_CLOS_PARAM, config);
}

void tpmi_check_associations(struct tpmi_run *run, const struct abi_clos_assoc *entries,
			     int *errors, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct abi_core_power state = { .socket_id = entries[i].socket_id,
						.power_domain_id = entries[i].power_domain_id };

		if (i > 0 && entries[i].socket_id == entries[i - 1].socket_id &&
		    entries[i].power_domain_id == entries[i - 1].power_domain_id) {
			errors[i] = errors[i - 1];
			continue;
		}
		errors[i] = ask_state(run, &state);
		if (!errors[i] && !state.supported)
			errors[i] = -EOPNOTSUPP;
	}
}

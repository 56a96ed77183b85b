/* SPDX-License-Identifier: BSD-3-Clause */
/* The uncore limits of each die or power domain, as the current level has them. Nothing of files.
 */
#include "emulator/firmware/firmware.h"

/* The limits of the hardware, if the firmware does not report those of a level. */
enum { USUAL_MIN_MHZ = 800, USUAL_MAX_MHZ = 2400 };

static unsigned int khz_or(unsigned int mhz, unsigned int otherwise)
{
	return (mhz ? mhz : otherwise) * 1000;
}

void uncore_set_limits(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct level_facts facts = level_facts(server, index);
	struct domain_state *state = state_domain(server, index);

	state->uncore_min_khz = khz_or(facts.uncore_min_mhz, USUAL_MIN_MHZ);
	state->uncore_max_khz = khz_or(facts.uncore_max_mhz, USUAL_MAX_MHZ);
	if (domain->uncore_min.line)
		state->uncore_min_khz = domain->uncore_min.value * 1000;
	if (domain->uncore_max.line)
		state->uncore_max_khz = domain->uncore_max.value * 1000;
}

void uncore_follow_level(const struct server *server, size_t domain)
{
	if (server->platform->uncore_follows_level.value)
		uncore_set_limits(server, domain);
}

unsigned int uncore_current_khz(const struct server *server, size_t index)
{
	const struct domain_state *state = state_domain(server, index);
	unsigned int khz = khz_or(level_facts(server, index).uncore_base_mhz, USUAL_MIN_MHZ);

	if (khz < state->uncore_min_khz)
		khz = state->uncore_min_khz;
	return khz > state->uncore_max_khz ? state->uncore_max_khz : khz;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a machine right after power-on, as platform or capture have it. */
#include "emulator/firmware/captured.h"
#include "emulator/firmware/firmware.h"

#include <string.h>

static uint32_t clos_word(const struct platform_clos *clos)
{
	return clos->epp.value | clos->weight.value << 4 | clos->min.value / 100 << 8 |
	       clos->max.value / 100 << 16 | clos->desired.value / 100 << 24;
}

/** The package's turbo limits are those of its first domain that has some. */
static void init_turbo_ratios(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	struct domain_state *state = state_msrs(server, index);

	if (domain->turbo_ratios_known)
		state->turbo_ratio_limits = domain->turbo_ratios;
	else if (!state->turbo_ratio_limits)
		state->turbo_ratio_limits = level_facts(server, index).turbo_ratios;
}

static void init_mailbox(struct domain_state *state, const struct platform_domain *domain)
{
	state->level = domain->level.value;
	state->features = domain->turbo_freq_enabled.value << 16 | domain->base_freq_enabled.value
									   << 17;
	state->core_power_enabled = domain->core_power_enabled.value;
	state->qos_config = domain->clos_enabled.value << 1 | domain->priority.value << 2;
	for (size_t i = 0; i < CLOS_COUNT; i++)
		state->clos[i] = clos_word(&domain->clos[i]);
}

static void init_registers(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	struct domain_state *state = state_domain(server, index);

	state->first_register = (uint32_t)domain->first_register;
	state->register_count = (uint32_t)domain->register_count;
	if (domain->registers)
		memcpy(state_registers(server, index).word, domain->registers,
		       domain->register_count * sizeof(uint64_t));
}

static void init_firmware(const struct server *server, size_t index)
{
	if (platform_is_tpmi(server->platform))
		init_registers(server, index);
	else
		init_mailbox(state_domain(server, index), &server->platform->domains[index]);
	init_turbo_ratios(server, index);
	captured_init_msrs(server, index);
}

void firmware_power_on(struct server *server)
{
	for (size_t i = 0; i < server->platform->domain_count; i++) {
		struct domain_state *state = state_domain(server, i);

		state->turbo_ratio_limits = state->turbo_ratio_limits_2 = 0;
		memset(state->association, 0, sizeof(state->association));
	}
	for (size_t i = 0; i < server->platform->domain_count; i++)
		init_firmware(server, i);
}

static void init_domains(const struct server *server)
{
	const struct platform *platform = server->platform;

	for (size_t i = 0; i < platform->domain_count; i++) {
		init_firmware(server, i);
		uncore_set_limits(server, i);
		captured_init_domain(server, i);
		state_domain(server, i)->initial_min_khz = state_domain(server, i)->uncore_min_khz;
		state_domain(server, i)->initial_max_khz = state_domain(server, i)->uncore_max_khz;
	}
}

static void init_cpu(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	const struct platform_cpu *cpu = &platform->cpus[index];
	bool online = smt_allows(server, cpu) &&
		      (!platform->offline.set ||
		       !isst_cpuset_has(platform->offline.set, cpu->number));

	*state_cpu(server, cpu) = (struct cpu_state){
		.online = online,
		.seen = online,
		.requested_max_khz = NO_LIMIT_KHZ,
	};
	captured_init_cpu(server, index);
}

void firmware_first_state(struct server *server)
{
	const struct platform *platform = server->platform;
	struct level_facts facts;

	server->state->no_turbo = platform->no_turbo.value;
	server->state->smt = platform->smt.value;
	init_domains(server);
	for (size_t i = 0; i < platform->cpu_count; i++)
		init_cpu(server, i);
	facts = level_facts(server, platform->cpus[0].domain);
	server->state->first_base_mhz = facts.base_mhz;
	server->state->first_highest_mhz = facts.highest_mhz;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a state file can be the state of its platform: a damaged one is refused, for its numbers
 * are used as levels and indices. How the state is stored is not known here.
 */
#include "emulator/front/driver.h"
#include "emulator/state/server.h"

#include <string.h>

static const char *check_counts(const struct server *server)
{
	const struct platform *platform = server->platform;
	const struct state *state = server->state;

	if (state->domain_count != platform->domain_count ||
	    state->cpu_count != platform->cpu_count ||
	    state->register_count != platform->register_count)
		return "the numbers of domains, CPUs and registers are not those of the platform";
	if (state->unfinished_domain > state->domain_count ||
	    state->unfinished_cpu > state->cpu_count || state->unfinished_turbo > 1 ||
	    state->unfinished_groups > 1)
		return "an unfinished change is of something that the platform lacks";
	if (state->no_turbo > 1)
		return "turbo is neither on nor off";
	if (state->smt > SMT_NOT_IMPLEMENTED)
		return "SMT is in a state that there is not";
	if (deferred_check(server))
		return "what is to take effect later is not in the file deferred";
	return NULL;
}

static const char *check_cpus(const struct server *server)
{
	for (size_t i = 0; i < server->platform->cpu_count; i++) {
		const struct cpu_state *cpu = state_cpu(server, i);

		if (cpu->online > 1 || cpu->seen > 1 || cpu->online > cpu->seen)
			return "a CPU is neither online nor offline";
		if (cpu->kept_msrs >> KEPT_MSRS)
			return "an MSR was kept that there is not";
		if (cpu->requested_min_khz > NO_LIMIT_KHZ || cpu->requested_max_khz > NO_LIMIT_KHZ)
			return "a frequency limit is beyond what the kernel takes";
	}
	return NULL;
}

/* ---- Firmware with a mailbox ---- */

static const char *check_mailbox(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct domain_state *state = state_domain(server, index);

	if (!platform_level(domain, state->level))
		return "a domain is at a level that it lacks";
	if (state->features & ~(UINT32_C(3) << 16) || state->core_power_enabled > 1)
		return "a feature is neither on nor off";
	return NULL;
}

/* ---- Registers of TPMI ---- */

/** The registers that driver and firmware write, as distances from the begin of their bank. */
static const struct {
	enum tpmi_bank bank;
	size_t first, last;
} written[] = {
	{ TPMI_CP, 1, 10 }, /* control, status, four classes, four registers of associations */
	{ TPMI_PP, 3, 4 },  /* control, status */
};

static bool is_written(const struct tpmi_registers *registers, size_t word)
{
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		size_t start = tpmi_bank_start(registers, written[i].bank, 0);

		if (word >= start + written[i].first && word <= start + written[i].last)
			return true;
	}
	return false;
}

/** All others hold what the platform has there, such as where the banks begin. */
static const char *check_registers(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct tpmi_registers made = { domain->registers, domain->register_count };
	const struct tpmi_registers now = state_registers(server, index);
	const struct domain_state *state = state_domain(server, index);
	bool absent = tpmi_absent(&made);

	if (state->first_register != domain->first_register || state->register_count != made.count)
		return "a power domain's registers are not where they belong";
	for (size_t i = 0; i < made.count; i++)
		if (now.word[i] != made.word[i] && (absent || !is_written(&made, i)))
			return "a register that nothing writes is not as the platform has it";
	if (!absent &&
	    !(tpmi_get(&now, PP_LEVELS, 0, 0) >> tpmi_get(&now, PP_STATUS_LEVEL, 0, 0) & 1) &&
	    tpmi_get(&now, PP_STATUS_LEVEL, 0, 0) != tpmi_get(&made, PP_STATUS_LEVEL, 0, 0))
		return "a power domain is at a level that it lacks";
	return NULL;
}

const char *state_mistake(const struct server *server)
{
	const char *(*const check)(const struct server *, size_t) =
		platform_is_tpmi(server->platform) ? check_registers : check_mailbox;
	const char *mistake = check_counts(server);

	if (!mistake)
		mistake = check_cpus(server);
	for (size_t i = 0; i < server->platform->domain_count && !mistake; i++)
		mistake = check(server, i);
	return mistake;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A captured machine at work: its first state, and how mailbox, registers and MSRs answer as they
 * were captured, except for what has been changed since.
 */
#include "emulator/firmware/firmware.h"

#include "emulator/capture/capture.h"

#include <errno.h>

enum {
	MSR_PM_LOGICAL_ID = 0x54,
	MSR_TURBO_RATIO_LIMIT = 0x1ad,
	MSR_TURBO_RATIO_LIMIT_2 = 0x1af,
	MSR_TDP_CONTROL = 0x64b,
};

enum { CLOS_WITHOUT_LIMIT = 0xff << 16 };

/* ---- The first state ---- */

/** The value of an MSR in a domain: that of its lowest CPU which was online. */
static bool domain_msr(const struct platform *platform, size_t index, uint32_t address,
		       uint64_t *value)
{
	const struct captured_msr *msr = capture_msr(platform->capture, address);

	for (size_t i = 0; i < platform->cpu_count && msr; i++) {
		ssize_t cpu = capture_cpu(platform->capture, platform->cpus[i].number);

		if (platform->cpus[i].domain != index || cpu < 0)
			continue;
		*value = msr->values[cpu];
		return true;
	}
	return false;
}

/** A word of core-power: a register or, where that did not answer, that of a mailbox command. */
static uint32_t core_power_word(const struct platform *platform,
				const struct platform_domain *domain, uint32_t offset,
				uint32_t command, uint32_t parameter, uint32_t otherwise)
{
	const struct captured_answer *answer = capture_answer(
		platform->capture, &(struct captured_answer){ .kind = ANSWER_MMIO,
							      .package = domain->package,
							      .die = domain->die,
							      .command = offset });

	if (!answer || answer->error)
		answer = capture_mailbox(platform->capture, domain, command, parameter, 0);
	return answer && !answer->error ? answer->value : otherwise;
}

void captured_init_firmware(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	const struct platform_domain *domain = &platform->domains[index];
	struct domain_state *state = state_domain(server, index), *msrs = state_msrs(server, index);
	const struct captured_answer *qos;
	uint64_t value;

	if (!platform->capture)
		return;
	if (domain_msr(platform, index, MSR_TURBO_RATIO_LIMIT, &value))
		msrs->turbo_ratio_limits = value;
	if (domain_msr(platform, index, MSR_TURBO_RATIO_LIMIT_2, &value))
		msrs->turbo_ratio_limits_2 = value;
	if (platform_is_tpmi(platform))
		return;
	qos = capture_mailbox(platform->capture, domain, 0xd002, 0, 0);
	if (qos && !qos->error)
		state->qos_config = qos->value;
	for (unsigned int i = 0; i < CLOS_COUNT; i++)
		state->clos[i] = core_power_word(platform, domain, 0x08 + 4 * i, 0xd001, i,
						 CLOS_WITHOUT_LIMIT);
}

void captured_init_domain(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	const struct platform_domain *domain = &platform->domains[index];
	struct domain_state *state = state_domain(server, index);
	unsigned int khz, core;

	if (!platform->capture)
		return;
	if (!capture_uncore_khz(platform->capture, platform, domain, "min_freq_khz", &khz))
		state->uncore_min_khz = khz;
	if (!capture_uncore_khz(platform->capture, platform, domain, "max_freq_khz", &khz))
		state->uncore_max_khz = khz;
	if (platform_is_tpmi(platform))
		return;
	isst_cpuset_for_each (core, domain->cores.set)
		state->association[core] = core_power_word(platform, domain, 0x20 + 4 * core,
							   0xd000, core, 0);
}

void captured_init_cpu(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	const struct platform_cpu *cpu = &platform->cpus[index];
	struct cpu_state *state = state_cpu(server, cpu);
	const struct captured_cpu *captured;
	ssize_t found = platform->capture ? capture_cpu(platform->capture, cpu->number) : -1;

	if (found < 0)
		return;
	/* Limits at the lowest and at the highest frequency are none. */
	captured = &platform->capture->cpus[found];
	if (captured->min_khz > platform->min_mhz.value * 1000)
		state->requested_min_khz = captured->min_khz;
	if (captured->max_khz && captured->max_khz < cpu->highest_khz)
		state->requested_max_khz = captured->max_khz;
}

/* ---- Answers ---- */

bool captured_as_was(const struct server *server, size_t domain)
{
	const struct platform_domain *described = &server->platform->domains[domain];
	const struct domain_state *state = state_domain(server, domain);

	if (platform_is_tpmi(server->platform)) {
		const struct tpmi_registers before = { described->registers,
						       described->register_count };
		const struct tpmi_registers now = state_registers(server, domain);

		return tpmi_get(&now, PP_STATUS_LEVEL, 0, 0) ==
			       tpmi_get(&before, PP_STATUS_LEVEL, 0, 0) &&
		       tpmi_get(&now, PP_STATUS_FEATURES, 0, 0) ==
			       tpmi_get(&before, PP_STATUS_FEATURES, 0, 0);
	}
	return state->level == described->level.value &&
	       state->features == (described->turbo_freq_enabled.value << 16 |
				   described->base_freq_enabled.value << 17);
}

int captured_mailbox(const struct server *server, size_t domain, uint32_t command,
		     uint32_t parameter, uint32_t data, uint32_t *response)
{
	const struct captured_answer *answer = capture_mailbox(server->platform->capture,
							       &server->platform->domains[domain],
							       command, parameter, data);
	uint32_t moving = 0; /* bits that changes move */

	if (!answer)
		return -ENXIO;
	if (answer->error)
		return answer->error;
	if (command == 0x7f00)
		moving = UINT32_C(0x01ff) << 16; /* current level, lock */
	else if (command == 0x7f01)
		moving = captured_as_was(server, domain) ? 0 : UINT32_C(3) << 16;
	else if (command == 0x9403)
		moving = UINT32_C(1) << 16;
	else if (command == 0xd000 || command == 0xd001 || command == 0xd002)
		moving = UINT32_MAX;
	*response = (answer->value & ~moving) | (*response & moving);
	return 0;
}

int captured_mmio(const struct server *server, size_t domain, uint32_t offset)
{
	const struct captured_answer request = {
		.kind = ANSWER_MMIO,
		.package = server->platform->domains[domain].package,
		.die = server->platform->domains[domain].die,
		.command = offset,
	};
	const struct captured_answer *answer = capture_answer(server->platform->capture, &request);

	return answer ? answer->error : -ENXIO;
}

int captured_msr(const struct server *server, const struct platform_cpu *cpu, uint32_t address,
		 uint64_t *value)
{
	const struct capture *capture = server->platform->capture;
	const struct captured_msr *msr = capture_msr(capture, address);
	ssize_t index = capture_cpu(capture, cpu->number);

	/* One that was offline when the others were captured answers as they do. */
	if (index < 0)
		index = 0;
	if (!msr)
		return -EIO;
	if (address == MSR_PM_LOGICAL_ID || address == MSR_TURBO_RATIO_LIMIT ||
	    address == MSR_TURBO_RATIO_LIMIT_2)
		return 0; /* as it is now */
	*value = msr->values[index];
	if (address == MSR_TDP_CONTROL && capture->unlocked)
		*value &= ~(UINT64_C(1) << 31);
	return 0;
}

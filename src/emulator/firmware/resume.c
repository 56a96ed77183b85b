/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Suspend to memory, and resume: firmware begins as at power-on, and the driver writes back what it
 * has saved. Drivers of TPMI saved the first power domain of a package alone at first.
 */
#include "emulator/firmware/tpmi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first kernels that restore all power domains: core-power, and level with features. */
enum { KERNEL_CORE_POWER = KERNEL(7, 0), KERNEL_LEVELS = KERNEL(7, 2) };

enum { ASSOCIATION_WORDS = 4 };

/* ---- TPMI ---- */

static bool is_first_of_package(const struct platform *platform, size_t domain)
{
	return domain == 0 ||
	       platform->domains[domain - 1].socket != platform->domains[domain].socket;
}

static void copy_field(const struct tpmi_registers *to, const struct tpmi_registers *from,
		       enum tpmi_field field, unsigned int index)
{
	tpmi_set(to, field, 0, index, tpmi_get(from, field, 0, index));
}

static void restore_core_power(struct server *server, size_t domain,
			       const struct tpmi_registers *saved)
{
	const struct tpmi_registers registers = state_registers(server, domain);

	copy_field(&registers, saved, CP_CONTROL, 0);
	firmware_core_power(server, domain);
	for (unsigned int clos = 0; clos < CLOS_COUNT; clos++) {
		copy_field(&registers, saved, CP_CLOS_WEIGHT, clos);
		copy_field(&registers, saved, CP_CLOS_MIN, clos);
		copy_field(&registers, saved, CP_CLOS_MAX, clos);
	}
	for (unsigned int word = 0; word < ASSOCIATION_WORDS; word++)
		copy_field(&registers, saved, CP_ASSOCIATION, word);
}

static void restore_levels(struct server *server, size_t domain, const struct tpmi_registers *saved)
{
	const struct tpmi_registers registers = state_registers(server, domain);

	copy_field(&registers, saved, PP_CONTROL_LEVEL, 0);
	copy_field(&registers, saved, PP_CONTROL_FEATURES, 0);
	firmware_perf_profile(server, domain);
}

static int resume_tpmi(struct server *server, size_t domain)
{
	const struct platform *platform = server->platform;
	const struct tpmi_registers registers = state_registers(server, domain);
	struct tpmi_registers saved = { calloc(registers.count + 1, sizeof(uint64_t)),
					registers.count };
	bool first = is_first_of_package(platform, domain);

	if (!saved.word)
		return -ENOMEM;
	if (!tpmi_absent(&registers)) {
		memcpy(saved.word, registers.word, registers.count * sizeof(uint64_t));
		memcpy(registers.word, platform->domains[domain].registers,
		       registers.count * sizeof(uint64_t));
		if (first || platform->kernel.value >= KERNEL_CORE_POWER)
			restore_core_power(server, domain, &saved);
		if (first || platform->kernel.value >= KERNEL_LEVELS)
			restore_levels(server, domain, &saved);
	}
	free(saved.word);
	return 0;
}

/* ---- Mailbox ---- */

/** The driver repeats changes of level and features, and writes back the registers that it has; it
 * does not know core-power's switch for a change. */
static void resume_mailbox(struct server *server, size_t domain)
{
	const struct domain_state saved = *state_domain(server, domain);
	struct domain_state *state = state_domain(server, domain);

	firmware_power_on(server, domain);
	state->level = saved.level;
	state->features = saved.features;
	if (!server->platform->mmio.value)
		return;
	state->qos_config = saved.qos_config;
	memcpy(state->clos, saved.clos, sizeof(state->clos));
	memcpy(state->association, saved.association, sizeof(state->association));
}

int firmware_resume(struct server *server)
{
	int result = 0;

	for (size_t i = 0; i < server->platform->domain_count && !result; i++) {
		if (platform_is_tpmi(server->platform))
			result = resume_tpmi(server, i);
		else
			resume_mailbox(server, i);
	}
	return result;
}

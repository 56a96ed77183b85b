/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Suspend to memory, and resume: firmware begins as at power-on, and the driver writes back what it
 * has saved. Drivers of TPMI saved the first power domain of a partition alone at first (a package
 * has one or two; here it has one), without a look at what it supports, and write no MSR again.
 * Where there is a mailbox the driver sends again what it took for a change.
 */
#include "emulator/firmware/tpmi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first kernels that restore all power domains: core-power, and level with features. */
enum { KERNEL_CORE_POWER = KERNEL(7, 0), KERNEL_LEVELS = KERNEL(7, 2) };

enum { ASSOCIATION_WORDS = 4 };

/* ---- TPMI ---- */

static bool is_first_of_partition(const struct platform *platform, size_t domain)
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

static void resume_tpmi(struct server *server, const struct server *before, size_t domain)
{
	const struct platform *platform = server->platform;
	const struct tpmi_registers registers = state_registers(server, domain);
	const struct tpmi_registers saved = state_registers(before, domain);
	uint64_t supported = tpmi_get(&registers, SST_CAPABILITIES, 0, 0);
	bool first = is_first_of_partition(platform, domain);

	if (tpmi_absent(&registers))
		return;
	if (platform->kernel.value >= KERNEL_CORE_POWER ? supported & TPMI_HAS_CORE_POWER : first)
		restore_core_power(server, domain, &saved);
	if (platform->kernel.value >= KERNEL_LEVELS ? supported & TPMI_HAS_PERF_PROFILE : first)
		restore_levels(server, domain, &saved);
}

/* ---- Mailbox ---- */

/*
 * The order in which the driver sends again what it has kept, which is that of a hash table and not
 * of time: features come before the level, which turns them off. Of the same command by several
 * CPUs the one that was first kept comes last: a level that was replaced since, by another CPU, is
 * the one that stays. Both were seen with Linux 6.1 and 6.12 in a virtual machine; places of the
 * others follow from the table.
 *
 * Where the mailbox is a PCI device the driver sends all of it again for each of these devices. It
 * is sent once here: firmware that turns the features off with each level, as was seen, is left
 * with the same.
 */
static const struct {
	bool mailbox;
	uint32_t command;
} ORDER[] = {
	{ true, MAILBOX_COMMAND(0x95, 0x03) },
	{ true, MAILBOX_COMMAND(0x7f, 0x02) },
	{ false, 0x1af },
	{ true, MAILBOX_COMMAND(0x7f, 0x08) },
	{ false, 0x1ad },
};

/** By MSR a set is carried by the CPU itself. */
static bool can_carry(const struct server *server, const struct kept_set *set)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, set->cpu);

	return cpu && (cpu_online(server, cpu) ||
		       (set->mailbox && server->platform->mailbox.value == MAILBOX_PCI));
}

static void send_again(struct server *server, const struct kept_set *set)
{
	struct abi_mbox_cmd command = { .logical_cpu = set->cpu,
					.parameter = set->parameter,
					.req_data = (uint32_t)set->data,
					.command = (uint16_t)(set->command >> 16),
					.sub_command = (uint16_t)set->command };

	if (!can_carry(server, set))
		return;
	if (set->mailbox)
		mailbox_run(server, &command);
	else
		msr_write_kept(server, set);
}

static void replay(struct server *server)
{
	server->replaying = true;
	for (size_t place = 0; place < sizeof(ORDER) / sizeof(ORDER[0]); place++)
		for (size_t i = server->state->kept_count; i-- > 0;) {
			const struct kept_set set = state_kept(server)[i];

			if (set.mailbox == ORDER[place].mailbox &&
			    set.command == ORDER[place].command)
				send_again(server, &set);
		}
	server->replaying = false;
}

/** MMIO registers are written back as they were. Classes that are set by the mailbox, and
 * core-power's switch, the driver does not know for changes. */
static void restore_mmio(struct server *server, const struct server *before, size_t domain)
{
	const struct domain_state *saved = state_domain(before, domain);
	struct domain_state *state = state_domain(server, domain);

	state->qos_config = saved->qos_config;
	memcpy(state->clos, saved->clos, sizeof(state->clos));
	memcpy(state->association, saved->association, sizeof(state->association));
}

/* ---- All of it ---- */

/** All CPUs but the first one went offline, and come online first of all. */
static void bring_online(struct server *server)
{
	for (size_t i = 0; i < server->platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &server->platform->cpus[i];

		if (cpu->number > 0 && cpu_online(server, cpu))
			msr_cpu_online(server, cpu);
	}
}

int firmware_resume(struct server *server)
{
	const struct platform *platform = server->platform;
	struct server before = *server;

	before.state = malloc(server->size);
	if (!before.state)
		return -ENOMEM;
	memcpy(before.state, server->state, server->size);
	firmware_power_on(server);
	bring_online(server);
	if (!platform_is_tpmi(platform))
		replay(server);
	for (size_t i = 0; i < platform->domain_count; i++) {
		if (platform_is_tpmi(platform))
			resume_tpmi(server, &before, i);
		else if (platform->mmio.value)
			restore_mmio(server, &before, i);
	}
	free(before.state);
	return 0;
}

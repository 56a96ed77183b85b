/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a machine right after power-on, and what comes of it at a resume. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- What was captured of the first state; nothing on other machines ---- */

enum { MSR_TURBO_RATIO_LIMIT = 0x1ad, MSR_TURBO_RATIO_LIMIT_2 = 0x1af };
enum { CLOS_WITHOUT_LIMIT = 0xff << 16 };

/** A word of core-power: a register or, where that did not answer, that of a mailbox command. */
static uint32_t core_power_word(const struct platform *platform,
				const struct platform_domain *domain, uint32_t offset,
				uint32_t command, uint32_t parameter, uint32_t otherwise)
{
	const struct captured_answer *answer = capture_domain_answer(platform->capture, ANSWER_MMIO,
								     domain, offset, 0, 0);

	if (!answer || answer->error)
		answer = capture_domain_answer(platform->capture, ANSWER_MAILBOX, domain, command,
					       parameter, 0);
	return answer && !answer->error ? (uint32_t)answer->value : otherwise;
}

static void captured_init_firmware(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	const struct platform_domain *domain = &platform->domains[index];
	struct domain_state *state = state_domain(server, index), *msrs = state_msrs(server, index);
	const struct captured_answer *qos, *limits;

	if (!platform->capture)
		return;
	limits = capture_domain_msr(platform, domain, MSR_TURBO_RATIO_LIMIT);
	if (limits)
		msrs->turbo_ratio_limits = limits->value;
	limits = capture_domain_msr(platform, domain, MSR_TURBO_RATIO_LIMIT_2);
	if (limits)
		msrs->turbo_ratio_limits_2 = limits->value;
	if (platform_is_tpmi(platform))
		return;
	qos = capture_domain_answer(platform->capture, ANSWER_MAILBOX, domain, 0xd002, 0, 0);
	if (qos && !qos->error)
		state->qos_config = (uint32_t)qos->value;
	for (unsigned int i = 0; i < CLOS_COUNT; i++)
		state->clos[i] = core_power_word(platform, domain, 0x08 + 4 * i, 0xd001, i,
						 CLOS_WITHOUT_LIMIT);
}

static void captured_init_domain(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	const struct platform_domain *domain = &platform->domains[index];
	struct domain_state *state = state_domain(server, index);
	unsigned int core;
	int result = 0; /* all of them are numbers */

	if (!platform->capture)
		return;
	state->uncore_min_khz = capture_uncore_khz(platform, domain, "min_freq_khz",
						   state->uncore_min_khz, &result);
	state->uncore_max_khz = capture_uncore_khz(platform, domain, "max_freq_khz",
						   state->uncore_max_khz, &result);
	if (platform_is_tpmi(platform))
		return;
	isst_cpuset_for_each (core, domain->cores.set)
		state->association[core] = core_power_word(platform, domain, 0x20 + 4 * core,
							   0xd000, core, 0);
}

/* ---- The first state ---- */

static void init_firmware(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	struct domain_state *state = state_domain(server, index), *msrs = state_msrs(server, index);

	if (platform_is_tpmi(server->platform)) {
		state->first_register = (uint32_t)domain->first_register;
		state->register_count = (uint32_t)domain->register_count;
		if (domain->registers)
			memcpy(state_registers(server, index).word, domain->registers,
			       domain->register_count * sizeof(uint64_t));
	} else {
		state->level = domain->level.value;
		state->features = domain->turbo_freq_enabled.value << 16 |
				  domain->base_freq_enabled.value << 17;
		state->core_power_enabled = domain->core_power_enabled.value;
		state->qos_config = domain->clos_enabled.value << 1 | domain->priority.value << 2;
		for (size_t i = 0; i < CLOS_COUNT; i++) {
			const struct platform_clos *clos = &domain->clos[i];

			state->clos[i] = clos->epp.value | clos->weight.value << 4 |
					 clos->min.value / 100 << 8 | clos->max.value / 100 << 16 |
					 clos->desired.value / 100 << 24;
		}
	}
	/* The package's turbo limits are those of its first domain that has some. */
	if (domain->turbo_ratios_known)
		msrs->turbo_ratio_limits = domain->turbo_ratios;
	else if (!msrs->turbo_ratio_limits)
		msrs->turbo_ratio_limits = level_facts(server, index).turbo_ratios;
	captured_init_firmware(server, index);
}

void firmware_first_state(struct server *server)
{
	const struct platform *platform = server->platform;
	struct level_facts facts;

	server->state->no_turbo = platform->no_turbo.value;
	server->state->smt = platform->smt.value;
	for (size_t i = 0; i < platform->domain_count; i++) {
		struct domain_state *state = state_domain(server, i);

		init_firmware(server, i);
		uncore_set_limits(server, i);
		captured_init_domain(server, i);
		state->initial_min_khz = state->uncore_min_khz;
		state->initial_max_khz = state->uncore_max_khz;
		/* As three captured servers have them. */
		state->latency_control[ELC_LOW] = 13;
		state->latency_control[ELC_HIGH] = 120;
		state->latency_control[ELC_HIGH_ENABLE] = 1;
		state->latency_control[ELC_FLOOR] =
			(uint8_t)(level_facts(server, i).uncore_base_mhz / 100);
	}
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];
		const struct captured_cpu *captured;
		ssize_t found;
		bool online = smt_allows(server, cpu) &&
			      (!platform->offline.set ||
			       !isst_cpuset_has(platform->offline.set, cpu->number));

		*state_cpu(server, cpu) = (struct cpu_state){
			.online = online,
			.seen = online,
			.energy_bias = NORMAL_ENERGY_BIAS,
			.requested_max_khz = NO_LIMIT_KHZ,
		};
		found = platform->capture ? capture_cpu(platform->capture, cpu->number) : -1;
		if (found < 0)
			continue;
		/* Limits at the lowest and at the highest frequency are none. */
		captured = &platform->capture->cpus[found];
		if (captured->min_khz > platform->min_mhz.value * 1000)
			state_cpu(server, cpu)->requested_min_khz = captured->min_khz;
		if (captured->max_khz && captured->max_khz < cpu->highest_khz)
			state_cpu(server, cpu)->requested_max_khz = captured->max_khz;
	}
	facts = level_facts(server, platform->cpus[0].domain);
	server->state->first_base_mhz = facts.base_mhz;
	server->state->first_highest_mhz = facts.highest_mhz;
}

/* ---- Resume: firmware begins as at power-on, the driver writes back what it saved ---- */

/* The first kernels that restore all power domains: core-power, and level with features. */
enum { KERNEL_CORE_POWER = KERNEL(7, 0), KERNEL_LEVELS = KERNEL(7, 2) };

enum { ASSOCIATION_WORDS = 4 };

static void copy_field(const struct tpmi_registers *to, const struct tpmi_registers *from,
		       enum tpmi_field field, unsigned int index)
{
	tpmi_set(to, field, 0, index, tpmi_get(from, field, 0, index));
}

/** Drivers of TPMI saved the first power domain of a partition alone at first (a package has one or
 * two; here it has one), without a look at what it supports, and write no MSR again. */
static void resume_tpmi(struct server *server, const struct server *before, size_t domain)
{
	const struct platform *platform = server->platform;
	const struct tpmi_registers registers = state_registers(server, domain);
	const struct tpmi_registers saved = state_registers(before, domain);
	const uint64_t supported = tpmi_get(&registers, SST_CAPABILITIES, 0, 0);
	const bool first_of_partition = domain == 0 || platform->domains[domain - 1].socket !=
							       platform->domains[domain].socket;

	if (tpmi_absent(&registers))
		return;
	if (platform->kernel.value >= KERNEL_CORE_POWER ? supported & TPMI_HAS_CORE_POWER
							: first_of_partition) {
		copy_field(&registers, &saved, CP_CONTROL, 0);
		firmware_core_power(server, domain);
		for (unsigned int clos = 0; clos < CLOS_COUNT; clos++) {
			copy_field(&registers, &saved, CP_CLOS_WEIGHT, clos);
			copy_field(&registers, &saved, CP_CLOS_MIN, clos);
			copy_field(&registers, &saved, CP_CLOS_MAX, clos);
		}
		for (unsigned int word = 0; word < ASSOCIATION_WORDS; word++)
			copy_field(&registers, &saved, CP_ASSOCIATION, word);
	}
	if (platform->kernel.value >= KERNEL_LEVELS ? supported & TPMI_HAS_PERF_PROFILE
						    : first_of_partition) {
		copy_field(&registers, &saved, PP_CONTROL_LEVEL, 0);
		copy_field(&registers, &saved, PP_CONTROL_FEATURES, 0);
		firmware_perf_profile(server, domain);
	}
}

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
} replay_order[] = {
	{ true, MAILBOX_COMMAND(0x95, 0x03) },
	{ true, MAILBOX_COMMAND(0x7f, 0x02) },
	{ false, 0x1af },
	{ true, MAILBOX_COMMAND(0x7f, 0x08) },
	{ false, 0x1ad },
};

static void send_again(struct server *server, const struct kept_set *set)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, set->cpu);
	struct abi_mbox_cmd command = { .logical_cpu = set->cpu,
					.parameter = set->parameter,
					.req_data = (uint32_t)set->data,
					.command = (uint16_t)(set->command >> 8),
					.sub_command = set->command & 0xff };

	/* By MSR a set is carried by the CPU itself. */
	if (!cpu || !(cpu_online(server, cpu) ||
		      (set->mailbox && server->platform->mailbox.value == MAILBOX_PCI)))
		return;
	if (set->mailbox)
		mailbox_run(server, &command);
	else
		msr_write_kept(server, set);
}

int firmware_resume(struct server *server)
{
	const struct platform *platform = server->platform;
	struct server before = *server;

	before.state = malloc(server->size);
	if (!before.state)
		return -ENOMEM;
	memcpy(before.state, server->state, server->size);
	for (size_t i = 0; i < platform->domain_count; i++) {
		struct domain_state *state = state_domain(server, i);

		state->turbo_ratio_limits = state->turbo_ratio_limits_2 = 0;
		memset(state->association, 0, sizeof(state->association));
	}
	for (size_t i = 0; i < platform->domain_count; i++)
		init_firmware(server, i);
	/* All CPUs but the first one went offline, and come online first of all. */
	for (size_t i = 0; i < platform->cpu_count; i++)
		if (platform->cpus[i].number > 0 && cpu_online(server, &platform->cpus[i]))
			msr_cpu_online(server, &platform->cpus[i]);
	server->replaying = true;
	for (size_t place = 0;
	     place < sizeof(replay_order) / sizeof(*replay_order) && !platform_is_tpmi(platform);
	     place++)
		for (size_t i = server->state->kept_count; i-- > 0;) {
			const struct kept_set set = state_kept(server)[i];

			if (set.mailbox == replay_order[place].mailbox &&
			    set.command == replay_order[place].command)
				send_again(server, &set);
		}
	server->replaying = false;
	for (size_t i = 0; i < platform->domain_count; i++) {
		if (platform_is_tpmi(platform)) {
			resume_tpmi(server, &before, i);
		} else if (platform->mmio.value) {
			/* MMIO registers are written back as they were. Classes that are set by
			 * the mailbox, and core-power's switch, the driver does not know for
			 * changes. */
			const struct domain_state *saved = state_domain(&before, i);
			struct domain_state *state = state_domain(server, i);

			state->qos_config = saved->qos_config;
			memcpy(state->clos, saved->clos, sizeof(state->clos));
			memcpy(state->association, saved->association, sizeof(state->association));
		}
	}
	free(before.state);
	return 0;
}

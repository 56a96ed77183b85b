/* SPDX-License-Identifier: BSD-3-Clause */
/* The MSRs that the driver lets through. */
#include "emulator/firmware/captured.h"
#include "emulator/firmware/firmware.h"

#include <errno.h>

static uint64_t *turbo_ratio_limit(struct domain_state *state)
{
	return &state->turbo_ratio_limits;
}

static uint64_t *turbo_ratio_limit_2(struct domain_state *state)
{
	return &state->turbo_ratio_limits_2;
}

static uint64_t turbo_ratio_limit_cores(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	uint64_t value = 0;

	for (unsigned int i = 0; i < domain->turbo_cores.count; i++)
		value |= (uint64_t)domain->turbo_cores.value[i] << (8 * i);
	return value;
}

static uint64_t config_tdp_control(const struct server *server, size_t index)
{
	const struct tpmi_registers registers = state_registers(server, index);
	uint64_t locked = server->platform->domains[index].locked.value;

	if (platform_is_tpmi(server->platform))
		locked = tpmi_get(&registers, PP_STATUS_LOCK, 0, 0);
	return locked << 31;
}

static const struct {
	uint32_t number;
	unsigned int kernel;					       /* allowed since */
	uint64_t *(*stored)(struct domain_state *state);	       /* can be written */
	uint64_t (*fixed)(const struct server *server, size_t domain); /* cannot */
} msrs[] = {
	{ 0x1ad, 0, turbo_ratio_limit, NULL },	 { 0x1ae, 0, NULL, turbo_ratio_limit_cores },
	{ 0x1af, 0, turbo_ratio_limit_2, NULL }, { 0x64b, 0, NULL, config_tdp_control },
	{ 0x54, KERNEL(6, 12), NULL, NULL }, /* only TPMI CPUs have it: faults */
};

static int keep_msr(struct server *server, const struct platform_cpu *cpu, uint32_t number,
		    uint64_t value)
{
	return state_keep(
		server, &(struct kept_set){ .cpu = cpu->number, .command = number, .data = value });
}

void msr_write_kept(struct server *server, const struct kept_set *set)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, set->cpu);

	for (size_t i = 0; i < sizeof(msrs) / sizeof(*msrs) && cpu; i++)
		if (msrs[i].number == set->command && msrs[i].stored)
			*msrs[i].stored(state_msrs(server, cpu->domain)) = set->data;
}

/* The first kernel that does not write them again as a CPU comes online. */
enum { KERNEL_WITHOUT_RESTORING = KERNEL(6, 16) };

void msr_cpu_online(struct server *server, const struct platform_cpu *cpu)
{
	if (server->platform->kernel.value >= KERNEL_WITHOUT_RESTORING)
		return;
	for (size_t i = 0; i < server->state->kept_count; i++) {
		const struct kept_set *set = &state_kept(server)[i];

		if (!set->mailbox && set->cpu == cpu->number)
			msr_write_kept(server, set);
	}
}

enum { MSR_PM_LOGICAL_ID = 0x54 };

static int access_msr(struct server *server, size_t index, const struct platform_cpu *cpu,
		      struct abi_msr_cmd *access, bool driver)
{
	size_t domain = cpu->domain;
	uint64_t *stored = msrs[index].stored ? msrs[index].stored(state_msrs(server, domain))
					      : NULL;

	if (msrs[index].number == MSR_PM_LOGICAL_ID && !access->read_write &&
	    platform_is_tpmi(server->platform)) {
		access->data = cpu->punit;
		return 0;
	}

	if (access->read_write) {
		if (!stored)
			return -EIO;
		*stored = access->data;
		return driver ? keep_msr(server, cpu, msrs[index].number, access->data) : 0;
	}
	if (!stored && !msrs[index].fixed)
		return -EIO;
	access->data = stored ? *stored : msrs[index].fixed(server, domain);
	return 0;
}

static int run(struct server *server, struct abi_msr_cmd *access, bool driver)
{
	const struct platform *platform = server->platform;
	const struct platform_cpu *cpu;
	size_t index = 0, count = sizeof(msrs) / sizeof(*msrs);
	int result;

	/* The driver compares the low half only. */
	while (index < count && (msrs[index].number != (uint32_t)access->msr ||
				 msrs[index].kernel > platform->kernel.value))
		index++;
	if (index == count || access->logical_cpu >= platform->cpu_ids)
		return -EINVAL;
	if (driver && access->read_write && !server->may_administer(server))
		return -EPERM;
	cpu = platform_cpu(platform, access->logical_cpu);
	if (!cpu || !(server->replaying || cpu_online(server, cpu)))
		return -ENXIO;
	result = access_msr(server, index, cpu, access, driver);
	if (platform->capture && !access->read_write)
		result = captured_msr(server, cpu, (uint32_t)access->msr, &access->data);
	return result;
}

int msr_run(struct server *server, struct abi_msr_cmd *access)
{
	return run(server, access, true);
}

int msr_access(struct server *server, struct abi_msr_cmd *access)
{
	return run(server, access, false);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers that the driver passes on: MMIO (classes, associations) and MSRs. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"

#include <errno.h>

/* ---- MMIO ---- */

const struct platform_cpu *pci_cpu(const struct server *server, unsigned int number)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, number);

	/* The driver keeps the bus numbers that it read when the CPU was last online. */
	return cpu && state_cpu(server, cpu)->seen ? cpu : NULL;
}

static const struct {
	unsigned int device;
	uint32_t last; /* offset of the last register */
} mmio_devices[] = {
	{ 0x3451, 0xd0 },
	{ 0x3251, 0x11c },
};

enum { FIRST_REGISTER = 0x04, MMIO_DEVICES = sizeof(mmio_devices) / sizeof(*mmio_devices) };

static const struct {
	uint32_t first, last;
	size_t words;	   /* offset in struct domain_state */
	uint32_t writable; /* bits */
} mmio_registers[] = {
	{ 0x04, 0x04, offsetof(struct domain_state, qos_config), UINT32_MAX },
	{ 0x08, 0x14, offsetof(struct domain_state, clos), UINT32_MAX },
	{ 0x20, 0x11c, offsetof(struct domain_state, association), UINT32_C(3) << 16 },
};

/** Reserved registers (0x18, 0x1c) read as 0 and forget what is written. */
static void access_mmio(struct domain_state *state, struct abi_io_reg *access)
{
	for (size_t i = 0; i < sizeof(mmio_registers) / sizeof(*mmio_registers); i++) {
		uint32_t *word = (void *)((char *)state + mmio_registers[i].words);

		if (access->reg < mmio_registers[i].first || access->reg > mmio_registers[i].last)
			continue;
		word += (access->reg - mmio_registers[i].first) / 4;
		if (access->read_write)
			*word = access->value & mmio_registers[i].writable;
		else
			access->value = *word;
		return;
	}
	if (!access->read_write)
		access->value = 0;
}

int mmio_run(struct server *server, void *entry)
{
	struct abi_io_reg *access = entry;
	const struct captured_answer *answer;
	const struct platform_cpu *cpu;
	size_t device = 0;
	int result = 0;

	while (device < MMIO_DEVICES && mmio_devices[device].device != server->platform->mmio.value)
		device++;
	if (device == MMIO_DEVICES || access->reg % 4 != 0 || access->reg < FIRST_REGISTER ||
	    access->reg > mmio_devices[device].last)
		return -EINVAL;
	if (access->read_write && !server->may_administer(server))
		return -EPERM;
	cpu = pci_cpu(server, access->logical_cpu);
	if (!cpu)
		return -EINVAL;
	if (server->platform->capture) {
		answer = capture_domain_answer(server->platform->capture, ANSWER_MMIO,
					       &server->platform->domains[cpu->domain], access->reg,
					       0, 0);
		result = answer ? answer->error : -ENXIO;
	}
	if (!result)
		access_mmio(state_domain(server, cpu->domain), access);
	return result;
}

/* ---- MSRs ---- */

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
	unsigned int kernel; /* allowed since */
	size_t stored;	     /* offset in struct domain_state; 0: cannot be written */
	uint64_t (*fixed)(const struct server *server, size_t domain); /* cannot */
} msrs[] = {
	{ 0x1ad, 0, offsetof(struct domain_state, turbo_ratio_limits), NULL },
	{ 0x1ae, 0, 0, turbo_ratio_limit_cores },
	{ 0x1af, 0, offsetof(struct domain_state, turbo_ratio_limits_2), NULL },
	{ 0x64b, 0, 0, config_tdp_control },
	{ 0x54, KERNEL(6, 12), 0, NULL }, /* only TPMI CPUs have it: faults */
};

static uint64_t *stored_msr(const struct server *server, size_t domain, size_t offset)
{
	return (void *)((char *)state_msrs(server, domain) + offset);
}

void msr_write_kept(struct server *server, const struct kept_set *set)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, set->cpu);

	for (size_t i = 0; i < sizeof(msrs) / sizeof(*msrs) && cpu; i++)
		if (msrs[i].number == set->command && msrs[i].stored)
			*stored_msr(server, cpu->domain, msrs[i].stored) = set->data;
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

enum {
	MSR_PM_LOGICAL_ID = 0x54,
	MSR_TURBO_RATIO_LIMIT = 0x1ad,
	MSR_TURBO_RATIO_LIMIT_2 = 0x1af,
	MSR_TDP_CONTROL = 0x64b,
};

/** An MSR of a captured machine that is read, unless the state has a newer value. */
static int captured_msr(const struct server *server, const struct platform_cpu *cpu,
			uint32_t address, uint64_t *value)
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

/** Sets of the driver need privilege, and are kept. */
int msr_access(struct server *server, struct abi_msr_cmd *access, bool driver)
{
	const struct platform *platform = server->platform;
	const uint32_t number = (uint32_t)access->msr; /* the driver compares the low half only */
	const size_t count = sizeof(msrs) / sizeof(*msrs);
	const struct platform_cpu *cpu;
	uint64_t *stored;
	size_t index = 0;
	int result = 0;

	while (index < count &&
	       (msrs[index].number != number || msrs[index].kernel > platform->kernel.value))
		index++;
	if (index == count || access->logical_cpu >= platform->cpu_ids)
		return -EINVAL;
	if (driver && access->read_write && !server->may_administer(server))
		return -EPERM;
	cpu = platform_cpu(platform, access->logical_cpu);
	if (!cpu || !(server->replaying || cpu_online(server, cpu)))
		return -ENXIO;
	stored = msrs[index].stored ? stored_msr(server, cpu->domain, msrs[index].stored) : NULL;
	if (access->read_write) {
		const struct kept_set set = {
			.cpu = cpu->number,
			.command = number,
			.data = access->data,
		};

		if (!stored)
			return -EIO;
		*stored = access->data;
		return driver ? state_keep(server, &set) : 0;
	}
	if (number == MSR_PM_LOGICAL_ID && platform_is_tpmi(platform))
		access->data = cpu->punit;
	else if (stored)
		access->data = *stored;
	else if (msrs[index].fixed)
		access->data = msrs[index].fixed(server, cpu->domain);
	else
		result = -EIO;
	if (platform->capture)
		result = captured_msr(server, cpu, number, &access->data);
	return result;
}

int msr_run(struct server *server, void *entry)
{
	return msr_access(server, entry, true);
}

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

enum {
	MSR_PM_LOGICAL_ID = 0x54, /* only TPMI CPUs have it: faults */
	MSR_TURBO_RATIO_LIMIT = 0x1ad,
	MSR_TURBO_RATIO_LIMIT_CORES = 0x1ae,
	MSR_TURBO_RATIO_LIMIT_2 = 0x1af,
	MSR_TDP_CONTROL = 0x64b,
};

/** One that can be written; NULL: it cannot. */
static uint64_t *stored_msr(const struct server *server, size_t domain, uint32_t number)
{
	struct domain_state *state = state_msrs(server, domain);

	return number == MSR_TURBO_RATIO_LIMIT	   ? &state->turbo_ratio_limits
	       : number == MSR_TURBO_RATIO_LIMIT_2 ? &state->turbo_ratio_limits_2
						   : NULL;
}

void msr_write_kept(struct server *server, const struct kept_set *set)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, set->cpu);
	uint64_t *stored = cpu ? stored_msr(server, cpu->domain, set->command) : NULL;

	if (stored)
		*stored = set->data;
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

/** An MSR of a captured machine that is read, unless the state has a newer value. */
static int captured_msr(const struct server *server, const struct platform_cpu *cpu,
			uint32_t address, uint64_t *value)
{
	const struct capture *capture = server->platform->capture;
	const struct captured_answer *msr = capture_msr(capture, address, cpu->number);

	/* One that was offline when the others were captured answers as they do. */
	if (!msr)
		msr = capture_msr(capture, address, capture->cpus[0].number);
	if (!msr)
		return -EIO;
	if (address == MSR_PM_LOGICAL_ID || address == MSR_TURBO_RATIO_LIMIT ||
	    address == MSR_TURBO_RATIO_LIMIT_2)
		return 0; /* as it is now */
	*value = msr->value;
	if (address == MSR_TDP_CONTROL && capture->unlocked)
		*value &= ~(UINT64_C(1) << 31);
	return 0;
}

/** Sets of the driver need privilege, and are kept. */
int msr_access(struct server *server, struct abi_msr_cmd *access, bool driver)
{
	const struct platform *platform = server->platform;
	const uint32_t number = (uint32_t)access->msr; /* the driver compares the low half only */
	const struct platform_domain *domain;
	const struct platform_cpu *cpu;
	struct tpmi_registers registers;
	uint64_t *stored;
	int result = 0;

	if (!(number >= MSR_TURBO_RATIO_LIMIT && number <= MSR_TURBO_RATIO_LIMIT_2) &&
	    number != MSR_TDP_CONTROL &&
	    !(number == MSR_PM_LOGICAL_ID && platform->kernel.value >= KERNEL(6, 12)))
		return -EINVAL;
	if (access->logical_cpu >= platform->cpu_ids)
		return -EINVAL;
	if (driver && access->read_write && !server->may_administer(server))
		return -EPERM;
	cpu = platform_cpu(platform, access->logical_cpu);
	if (!cpu || !(server->replaying || cpu_online(server, cpu)))
		return -ENXIO;
	domain = &platform->domains[cpu->domain];
	stored = stored_msr(server, cpu->domain, number);
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
	if (stored) {
		access->data = *stored;
	} else if (number == MSR_TURBO_RATIO_LIMIT_CORES) {
		access->data = 0;
		for (unsigned int i = 0; i < domain->turbo_cores.count; i++)
			access->data |= (uint64_t)domain->turbo_cores.value[i] << (8 * i);
	} else if (number == MSR_TDP_CONTROL) {
		registers = state_registers(server, cpu->domain);
		access->data = (platform_is_tpmi(platform)
					? tpmi_get(&registers, PP_STATUS_LOCK, 0, 0)
					: domain->locked.value)
			       << 31;
	} else if (platform_is_tpmi(platform)) {
		access->data = cpu->punit;
	} else {
		result = -EIO;
	}
	if (platform->capture)
		result = captured_msr(server, cpu, number, &access->data);
	return result;
}

int msr_run(struct server *server, void *entry)
{
	return msr_access(server, entry, true);
}

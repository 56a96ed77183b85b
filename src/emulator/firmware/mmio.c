/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MMIO registers of a package: classes of service and associations. Nothing of the mailbox.
 */
#include "emulator/firmware/captured.h"
#include "emulator/firmware/firmware.h"

#include <errno.h>

const struct platform_cpu *pci_cpu(const struct server *server, unsigned int number)
{
	const struct platform_cpu *cpu = platform_cpu(server->platform, number);

	/* The driver keeps the bus numbers that it read when the CPU was last online. */
	return cpu && state_cpu(server, cpu)->seen ? cpu : NULL;
}

static const struct {
	unsigned int device;
	uint32_t last; /* offset of the last register */
} devices[] = {
	{ 0x3451, 0xd0 },
	{ 0x3251, 0x11c },
};

enum { FIRST_REGISTER = 0x04 };

static uint32_t *qos_register(struct domain_state *state, uint32_t index)
{
	(void)index;
	return &state->qos_config;
}

static uint32_t *clos_register(struct domain_state *state, uint32_t index)
{
	return &state->clos[index];
}

static uint32_t *association_register(struct domain_state *state, uint32_t index)
{
	return &state->association[index];
}

static const struct {
	uint32_t first, last;
	uint32_t *(*find)(struct domain_state *state, uint32_t index);
	uint32_t writable; /* bits */
} registers[] = {
	{ 0x04, 0x04, qos_register, UINT32_MAX },
	{ 0x08, 0x14, clos_register, UINT32_MAX },
	{ 0x20, 0x11c, association_register, UINT32_C(3) << 16 },
};

static bool in_range(const struct platform *platform, uint32_t offset)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (devices[i].device == platform->mmio.value)
			return offset >= FIRST_REGISTER && offset <= devices[i].last;
	return false;
}

/** Reserved registers (0x18, 0x1c) read as 0 and forget what is written. */
static void access_register(struct domain_state *state, struct abi_io_reg *access)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		uint32_t *word;

		if (access->reg < registers[i].first || access->reg > registers[i].last)
			continue;
		word = registers[i].find(state, (access->reg - registers[i].first) / 4);
		if (access->read_write)
			*word = access->value & registers[i].writable;
		else
			access->value = *word;
		return;
	}
	if (!access->read_write)
		access->value = 0;
}

int mmio_run(struct server *server, struct abi_io_reg *access)
{
	const struct platform_cpu *cpu;
	int result = 0;

	if (access->reg % 4 != 0 || !in_range(server->platform, access->reg))
		return -EINVAL;
	if (access->read_write && !server->may_administer(server))
		return -EPERM;
	cpu = pci_cpu(server, access->logical_cpu);
	if (!cpu)
		return -EINVAL;
	if (server->platform->capture)
		result = captured_mmio(server, cpu->domain, access->reg);
	if (!result)
		access_register(state_domain(server, cpu->domain), access);
	return result;
}

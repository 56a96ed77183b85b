/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /dev/cpu/N/msr: registers of a CPU, eight bytes at the position that is the register's number.
 * Those that show what files show are computed from it; those of the driver come from the firmware.
 */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>

static uint64_t ratio_of_khz(unsigned int khz)
{
	return khz / 100000 & 0xff;
}

static uint64_t perf_status(const struct place *place)
{
	return ratio_of_khz(busy_khz(place)) << 8;
}

/** Enhanced SpeedStep, and what servers have besides; turbo disabled by the BIOS is bit 38. */
static uint64_t misc_enable(const struct place *place)
{
	const uint64_t usual = 0x850089;

	return usual | (uint64_t)!place->server->platform->bios_turbo.value << 38;
}

static uint64_t platform_info(const struct place *place)
{
	const uint64_t programmable = UINT64_C(1) << 28; /* turbo ratio_of_khz limits */

	return ratio_of_khz(base_khz(place)) << 8 | programmable |
	       ratio_of_khz(lowest_khz(place)) << 40;
}

static uint64_t uncore_limits(const struct place *place)
{
	const struct domain_state *state = state_domain(place->server, place->cpu->domain);

	return ratio_of_khz(state->uncore_max_khz) | ratio_of_khz(state->uncore_min_khz) << 8;
}

static uint64_t hwp_enable(const struct place *place)
{
	return place->server->platform->hwp.value;
}

static uint64_t hwp_request(const struct place *place)
{
	return ratio_of_khz(scaling_min_khz(place)) | ratio_of_khz(scaling_max_khz(place)) << 8 |
	       (uint64_t)energy_preference(place) << 24;
}

/* MSR 0x64f: reasons at present in bits 15:0, since they were last cleared in 31:16. */
enum { REASONS_LOGGED = 16 };

static uint64_t limit_reasons(const struct place *place)
{
	const size_t domain = place->cpu->domain;
	const uint32_t value = place->server->platform->domains[domain].limit_register.value;

	return state_domain(place->server, domain)->reasons_cleared
		       ? value & ((UINT32_C(1) << REASONS_LOGGED) - 1)
		       : value;
}

/** Zeros clear what is logged; here all of it or nothing. */
static void clear_reasons(const struct place *place, uint64_t value)
{
	if (!(value >> REASONS_LOGGED & UINT16_MAX))
		state_domain(place->server, place->cpu->domain)->reasons_cleared = 1;
}

static bool has_hwp(const struct platform *platform)
{
	return platform->hwp.value;
}

/** Servers with TPMI are not asked for their uncore or limit reasons by MSR. */
static bool lacks_tpmi(const struct platform *platform)
{
	return !platform_is_tpmi(platform);
}

static const struct {
	uint32_t number;
	uint64_t (*read)(const struct place *place);
	bool (*exists)(const struct platform *platform);	  /* NULL: always */
	void (*write)(const struct place *place, uint64_t value); /* NULL: it cannot be written */
} registers[] = {
	{ 0xce, platform_info, NULL, NULL },
	{ 0xe7, base_cycles, NULL, NULL },
	{ 0xe8, actual_cycles, NULL, NULL },
	{ 0x198, perf_status, NULL, NULL },
	{ 0x1a0, misc_enable, NULL, NULL },
	{ 0x620, uncore_limits, lacks_tpmi, NULL },
	{ 0x64f, limit_reasons, lacks_tpmi, clear_reasons },
	{ 0x770, hwp_enable, NULL, NULL },
	{ 0x774, hwp_request, has_hwp, NULL },
};

/** The low half of the position is the number of a register. Those that are not listed are the
 * driver's, which come from the firmware. */
static int access_register(const struct place *place, bool write, uint64_t position,
			   uint64_t *value)
{
	struct abi_msr_cmd access = {
		.read_write = write,
		.logical_cpu = place->cpu->number,
		.msr = (uint32_t)position,
		.data = *value,
	};
	int result;

	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		if (registers[i].number != (uint32_t)position)
			continue;
		if ((write && !registers[i].write) ||
		    (registers[i].exists && !registers[i].exists(place->server->platform)))
			return -EIO;
		if (write)
			registers[i].write(place, *value);
		else
			*value = registers[i].read(place);
		return 0;
	}
	result = msr_access(place->server, &access);
	*value = access.data;
	return result ? -EIO : 0;
}

static const struct view cpu_msr_views[] = {
	{ "msr", .access = access_register, .mode = 0600 },
	VIEW_END,
};

/* ---- /dev/cpu/N ---- */

const struct view msr_views[] = {
	{ .each = &each_cpu_number, .below = cpu_msr_views, .exists = is_online },
	VIEW_END,
};

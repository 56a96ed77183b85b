/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /dev/cpu/N/msr: registers of a CPU, eight bytes at the position that is the register's number.
 * Those that show what files show are computed from it; those of the driver come from the firmware.
 */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t ratio(unsigned int khz)
{
	return khz / 100000 & 0xff;
}

static uint64_t perf_status(const struct place *place)
{
	return ratio(busy_khz(place)) << 8;
}

/** Enhanced SpeedStep, and what servers have besides; turbo disabled by the BIOS is bit 38. */
static uint64_t misc_enable(const struct place *place)
{
	const uint64_t usual = 0x850089;

	return usual | (uint64_t)!place->server->platform->bios_turbo.value << 38;
}

static uint64_t platform_info(const struct place *place)
{
	const uint64_t programmable = UINT64_C(1) << 28; /* turbo ratio limits */

	return ratio(base_khz(place)) << 8 | programmable | ratio(lowest_khz(place)) << 40;
}

static uint64_t uncore_limits(const struct place *place)
{
	const struct domain_state *state = state_domain(place->server, place->cpu->domain);

	return ratio(state->uncore_max_khz) | ratio(state->uncore_min_khz) << 8;
}

static uint64_t hwp_enable(const struct place *place)
{
	return place->server->platform->hwp.value;
}

static uint64_t hwp_request(const struct place *place)
{
	return ratio(scaling_min_khz(place)) | ratio(scaling_max_khz(place)) << 8 |
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

static uint64_t mperf(const struct place *place)
{
	return base_cycles(place);
}

static uint64_t aperf(const struct place *place)
{
	return actual_cycles(place);
}

static bool has_hwp(const struct platform *platform)
{
	return platform->hwp.value;
}

/** Servers with TPMI are not asked for it. */
static bool has_limit_register(const struct platform *platform)
{
	return !platform_is_tpmi(platform);
}

static bool has_uncore_register(const struct platform *platform)
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
	{ 0xe7, mperf, NULL, NULL },
	{ 0xe8, aperf, NULL, NULL },
	{ 0x198, perf_status, NULL, NULL },
	{ 0x1a0, misc_enable, NULL, NULL },
	{ 0x620, uncore_limits, has_uncore_register, NULL },
	{ 0x64f, limit_reasons, has_limit_register, clear_reasons },
	{ 0x770, hwp_enable, NULL, NULL },
	{ 0x774, hwp_request, has_hwp, NULL },
};

/** The driver's registers are those of the firmware. */
static int access_firmware(const struct place *place, bool write, uint32_t number, uint64_t *value)
{
	struct abi_msr_cmd access = {
		.read_write = write,
		.logical_cpu = place->cpu->number,
		.msr = number,
		.data = *value,
	};
	int result = msr_access(place->server, &access);

	*value = access.data;
	return result ? -EIO : 0;
}

/** The low half of the position is the number of a register. */
static int access_register(const struct place *place, bool write, uint64_t position,
			   uint64_t *value)
{
	const uint32_t number = (uint32_t)position;

	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		if (registers[i].number != number)
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
	return access_firmware(place, write, number, value);
}

static const struct view cpu_msr_views[] = {
	{ "msr", .access = access_register, .mode = 0600 },
	VIEW_END,
};

/* ---- /dev/cpu/N ---- */

static bool number_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

	if (index >= platform->cpu_count)
		return false;
	place->cpu = &platform->cpus[index];
	snprintf(name, VIEW_NAME, "%u", place->cpu->number);
	return true;
}

static bool find_number(struct place *place, const char *name)
{
	unsigned int number;

	place->cpu = number_of_name(name, "", &number)
			     ? platform_cpu(place->server->platform, number)
			     : NULL;
	return place->cpu;
}

static const struct instances each_number = { number_at, find_number };

static bool is_online(const struct place *place)
{
	return cpu_online(place->server, place->cpu);
}

const struct view msr_views[] = {
	{ .each = &each_number, .below = cpu_msr_views, .exists = is_online },
	VIEW_END,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers as files: /dev/cpu/N/msr, eight bytes at the position that is the register's number;
 * and those of TPMI in debugfs, a device for each package, with performance limit reasons. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

/* ---- MSRs. Those that show what files show are computed from it; those of the driver come from
 * the firmware ---- */

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

	return usual | (uint64_t)!place->platform->bios_turbo.value << 38;
}

static uint64_t platform_info(const struct place *place)
{
	const uint64_t programmable = UINT64_C(1) << 28; /* turbo ratio limits */

	return ratio_of_khz(base_khz(place)) << 8 | programmable |
	       ratio_of_khz(lowest_khz(place)) << 40;
}

static uint64_t uncore_limits(const struct place *place)
{
	const struct domain_state *state = state_domain(place->server, place->cpu->domain);

	return ratio_of_khz(state->uncore_max_khz) | ratio_of_khz(state->uncore_min_khz) << 8;
}

static bool has_hwp(const struct place *place)
{
	return place->platform->hwp.value;
}

static uint64_t hwp_enable(const struct place *place)
{
	return has_hwp(place);
}

/** Servers with TPMI are not asked for their uncore or limit reasons by MSR. */
static bool lacks_tpmi(const struct place *place)
{
	return !platform_is_tpmi(place->platform);
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
	const uint32_t value = place->platform->domains[domain].limit_register.value;

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

static const struct {
	uint32_t number;
	uint64_t (*read)(const struct place *place);
	bool (*exists)(const struct place *place);		  /* NULL: always */
	void (*write)(const struct place *place, uint64_t value); /* NULL: it cannot be written */
} msr_rows[] = {
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

	for (size_t i = 0; i < sizeof(msr_rows) / sizeof(*msr_rows); i++) {
		if (msr_rows[i].number != (uint32_t)position)
			continue;
		if ((write && !msr_rows[i].write) ||
		    (msr_rows[i].exists && !msr_rows[i].exists(place)))
			return -EIO;
		if (write)
			msr_rows[i].write(place, *value);
		else
			*value = msr_rows[i].read(place);
		return 0;
	}
	result = msr_access(place->server, &access, false);
	*value = access.data;
	return result ? -EIO : 0;
}

static const struct view cpu_msr_views[] = {
	{ "msr", .access = access_register, .mode = 0600 },
	VIEW_END,
};

const struct view msr_views[] = {
	{ .each = &each_cpu_number, .below = cpu_msr_views, .exists = is_online },
	VIEW_END,
};

/* ---- Performance limit reasons of the platform, until they are cleared (intel_plr_tpmi) ---- */

/** Of the power domains with cores of the package of a device. */
static bool plr_domain_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;

	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (domain->socket != place->socket || domain->type.value != DOMAIN_COMPUTE ||
		    index-- > 0)
			continue;
		place->domain = i;
		snprintf(name, VIEW_NAME, "domain%u", domain->power_domain);
		return true;
	}
	return false;
}

static const struct instances each_plr_domain = { plr_domain_at, NULL };

/** Prints who is limited, and why: of a domain its coarse words, which have no underscore. */
static void print_reason_line(const char *who, const char *words, bool coarse, FILE *stream)
{
	bool any = false;

	fputs(who, stream);
	while (*words) {
		size_t length = strcspn(words, " \t");

		if (length > 0 && !(coarse && memchr(words, '_', length))) {
			fprintf(stream, " %.*s", (int)length, words);
			any = true;
		}
		words += length;
		words += strspn(words, " \t");
	}
	fputs(any ? "\n" : " none\n", stream);
}

static int print_reasons(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->platform;
	const struct platform_domain *domain = &platform->domains[place->domain];
	const struct mask_value *limited = &domain->limited_cores;
	const char *words = domain->limit_reasons.text;
	size_t at = 0;

	if (!words || state_domain(place->server, place->domain)->reasons_cleared)
		words = "";
	print_reason_line("cpus", words, true, stream);
	for (unsigned int number = 0; number < platform->cpu_ids; number++) {
		const struct platform_cpu *cpu = NULL;
		char who[VIEW_NAME];
		unsigned int core;
		bool is_limited, seen;

		if (at < platform->cpu_count && platform->cpus[at].number == number)
			cpu = &platform->cpus[at++];
		/* The driver knows the place of a CPU that was online once; any other is core 0 of
		 * package 0, power domain 0, to it. */
		seen = cpu && state_cpu(place->server, cpu)->seen;
		core = seen ? cpu->core : 0;
		if (seen ? cpu->domain != place->domain : domain->package || domain->power_domain)
			continue;
		snprintf(who, sizeof(who), "cpu%u", number);
		is_limited = !limited->line || (core < MASK_CORES && limited->cores >> core & 1);
		print_reason_line(who, is_limited ? words : "", false, stream);
	}
	return 0;
}

/** Only 0 can be written, which clears them. */
static int write_reasons(const struct place *place, const char *text)
{
	uint64_t value;

	if (parse_number(text, 0, UINT64_MAX, &value) || value != 0)
		return -EINVAL;
	state_domain(place->server, place->domain)->reasons_cleared = 1;
	return 0;
}

/** Files of debugfs that can be written are out of bounds under lockdown. */
static int refuse_locked_down(const struct place *place, bool write)
{
	(void)write;
	return place->platform->lockdown.value != LOCKDOWN_NONE ? -EPERM : 0;
}

static const struct view plr_domain_views[] = {
	{ "status", .read = print_reasons, .write = write_reasons, .refuse = refuse_locked_down },
	VIEW_END,
};

static const struct view plr_views[] = {
	{ .each = &each_plr_domain, .below = plr_domain_views },
	VIEW_END,
};

/* ---- Registers, of which a capture of such a machine is made ---- */

enum { WORDS_PER_LINE = 8, FIRST_ADDRESS = 0x7000 };

/** Named by the PCI address: buses are dealt out evenly, as on real servers. */
static bool device_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;
	size_t packages = platform->domains[platform->domain_count - 1].socket + 1;

	place->socket = (unsigned int)index;
	if (platform->capture && index < platform->capture->dump_count)
		snprintf(name, VIEW_NAME, "tpmi-%s", platform->capture->dumps[index].address);
	else
		snprintf(name, VIEW_NAME, "tpmi-0000:%02zx:03.1", index * 256 / packages);
	return index < packages;
}

static const struct instances each_device = { device_at, NULL };

/** @word: NULL for an instance that reads all ones. */
static void print_instance(unsigned int number, uint64_t offset, const uint64_t *word, size_t count,
			   FILE *stream)
{
	fprintf(stream, "TPMI Instance:%u offset:0x%llx\n", number, (unsigned long long)offset);
	for (size_t i = 0; i < count; i++) {
		uint64_t value = word ? word[i] : UINT64_MAX;

		if (i % (WORDS_PER_LINE / 2) == 0)
			fprintf(stream, "%s %08zx:", i > 0 ? "\n" : "", i * sizeof(uint64_t));
		fprintf(stream, " %08x %08x", (uint32_t)value, (uint32_t)(value >> 32));
	}
	fputc('\n', stream);
}

static int print_dump(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->platform;
	const struct captured_dump *dump = NULL;
	unsigned int next = 0;

	if (platform->capture && place->socket < platform->capture->dump_count)
		dump = &platform->capture->dumps[place->socket];
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];
		const unsigned int number = domain->power_domain;
		struct tpmi_registers registers;
		uint64_t offset = UINT64_C(0x90000000) + ((uint64_t)domain->socket << 28) +
				  FIRST_ADDRESS +
				  number * domain->register_count * sizeof(uint64_t);

		if (domain->socket != place->socket)
			continue;
		/* Instances between those that the platform has are there as well. */
		for (; next < number; next++)
			print_instance(next, 0, NULL, domain->register_count, stream);
		if (dump && number < dump->count)
			offset = dump->instances[number].offset;
		registers = state_registers(place->server, i);
		print_instance(number, offset, registers.word, registers.count, stream);
		next++;
	}
	return 0;
}

static const struct view sst_views[] = {
	{ "mem_dump", .read = print_dump },
	VIEW_END,
};

static const struct view device_views[] = {
	{ "tpmi-id-05", .below = sst_views },
	{ "plr", .below = plr_views, .since = KERNEL(6, 11) },
	VIEW_END,
};

const struct view debug_views[] = {
	{ .each = &each_device, .below = device_views },
	VIEW_END,
};

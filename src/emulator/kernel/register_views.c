/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers as files: /dev/cpu/N/msr, eight bytes at the position that is the register's number;
 * and those of TPMI in debugfs, a device for each package, with performance limit reasons. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- MSRs: computed where files show the same, else those of the firmware ---- */

static uint64_t ratio_of_khz(unsigned int khz)
{
	return khz / 100000 & 0xff;
}

/* MSR 0x64f: reasons at present in bits 15:0, since they were last cleared in 31:16. */
enum { REASONS_PRESENT = UINT16_MAX, REASONS_LOGGED = 16 };

/** Reads a register that shows what files show. Returns 0, -EIO where the processor has none, or
 * -ENOENT for those of the driver. Servers with TPMI are not asked for their uncore or limit
 * reasons by MSR. */
static int read_register(const struct place *place, uint32_t number, uint64_t *value)
{
	const struct platform *platform = place->platform;
	const struct domain_state *state = state_domain(place->server, place->cpu->domain);
	const bool tpmi = platform_is_tpmi(platform), hwp = platform->hwp.value;

	switch (number) {
	case 0x10: /* as fast as MPERF: all CPUs are busy */
		*value = base_cycles(place);
		return 0;
	case 0xce: /* turbo ratio limits can be programmed */
		*value = ratio_of_khz(base_khz(place)) << 8 | UINT64_C(1) << 28 |
			 ratio_of_khz(lowest_khz(place)) << 40;
		return 0;
	case 0xe2: /* package C6, locked by the BIOS */
		*value = 0x8002;
		return 0;
	case 0xe7:
		*value = base_cycles(place);
		return 0;
	case 0xe8:
		*value = actual_cycles(place);
		return 0;
	case 0x198:
		*value = ratio_of_khz(busy_khz(place)) << 8;
		return 0;
	case 0x1a0: /* Enhanced SpeedStep, and what servers have besides; turbo off in the BIOS */
		*value = 0x850089 | (uint64_t)!platform->bios_turbo.value << 38;
		return 0;
	case 0x1b0:
		*value = cpu_of(place)->energy_bias;
		return 0;
	case 0x620:
		*value = ratio_of_khz(state->uncore_max_khz) | ratio_of_khz(state->uncore_min_khz)
								       << 8;
		return tpmi ? -EIO : 0;
	case 0x64f:
		*value = domain_of(place)->limit_register.value;
		if (state->reasons_cleared)
			*value &= REASONS_PRESENT;
		return tpmi ? -EIO : 0;
	case 0x770:
		*value = hwp;
		return 0;
	case 0x771: /* highest, guaranteed, most efficient and lowest */
		*value = ratio_of_khz(highest_khz(place)) | ratio_of_khz(base_khz(place)) << 8 |
			 ratio_of_khz(lowest_khz(place)) * 0x01010000;
		return hwp ? 0 : -EIO;
	case 0x774:
		*value = ratio_of_khz(scaling_min_khz(place)) |
			 ratio_of_khz(scaling_max_khz(place)) << 8 |
			 (uint64_t)energy_preference(place) << 24;
		return hwp ? 0 : -EIO;
	}
	return -ENOENT;
}

/** Writes one of these. Returns 0, or -EIO where the processor does not let it be written so. */
static int write_register(const struct place *place, uint32_t number, uint64_t value)
{
	enum { RATIO = 0x7f, MIN_SHIFT = 8, KHZ = 100000 };
	struct domain_state *state = state_domain(place->server, place->cpu->domain);
	const uint64_t max = value & RATIO, min = value >> MIN_SHIFT & RATIO;

	switch (number) {
	case 0x1b0:
		if (value > MOST_ENERGY_BIAS)
			return -EIO;
		cpu_of(place)->energy_bias = (uint8_t)value;
		return 0;
	case 0x620:
		if (value != (max | min << MIN_SHIFT) || !place->platform->uncore_writable.value)
			return -EIO;
		state->uncore_max_khz = (uint32_t)max * KHZ;
		state->uncore_min_khz = (uint32_t)min * KHZ;
		return 0;
	case 0x64f:
		/* Zeros clear what is logged; here all of it or nothing. */
		if (!(value >> REASONS_LOGGED & UINT16_MAX))
			state->reasons_cleared = 1;
		return 0;
	}
	return -EIO;
}

/** The position's low half is the register's number. The driver's are the firmware's. */
static int access_register(const struct place *place, bool write, uint64_t position,
			   uint64_t *value)
{
	struct abi_msr_cmd access = {
		.read_write = write,
		.logical_cpu = place->cpu->number,
		.msr = (uint32_t)position,
		.data = *value,
	};
	uint64_t before;
	int result = read_register(place, (uint32_t)position, &before);

	if (!result && write)
		return write_register(place, (uint32_t)position, *value);
	if (!result)
		*value = before;
	if (result != -ENOENT)
		return result;
	result = msr_access(place->server, &access, false);
	*value = access.data;
	return result ? -EIO : 0;
}

const struct view msr_views[] = {
	{ .each = &each_cpu_number,
	  BELOW({ "msr", .access = access_register, .mode = 0600 }),
	  .exists = is_online },
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

/* ---- Registers, of which a capture of such a machine is made ---- */

enum { SST = 0x05, INFO = 0x81 }; /* features */
enum { WORDS_PER_LINE = 8, FIRST_ADDRESS = 0x7000, INFO_ADDRESS = 0xd000, INFO_WORDS = 2 };

/** Of the PCI device of a package: buses are dealt out evenly, as on real servers. */
static void print_address(const struct platform *platform, size_t index, char name[VIEW_NAME])
{
	const size_t packages = platform->domains[platform->domain_count - 1].socket + 1;

	if (platform->capture && index < platform->capture->dump_count)
		snprintf(name, VIEW_NAME, "%s", platform->capture->dumps[index].address);
	else
		snprintf(name, VIEW_NAME, "0000:%02zx:03.1", index * 256 / packages);
}

static bool device_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;
	char address[VIEW_NAME];

	place->socket = (unsigned int)index;
	print_address(platform, index, address);
	snprintf(name, VIEW_NAME, "tpmi-%.*s", VIEW_NAME - 6, address);
	return index <= platform->domains[platform->domain_count - 1].socket;
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

/** Where the features of a package begin. */
static uint64_t device_start(const struct place *place)
{
	const struct capture *capture = place->platform->capture;

	if (capture && place->socket < capture->dump_count &&
	    capture->dumps[place->socket].count > 0)
		return capture->dumps[place->socket].instances[0].offset - FIRST_ADDRESS;
	return UINT64_C(0x90000000) + ((uint64_t)place->socket << 28);
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
		uint64_t offset = device_start(place) + FIRST_ADDRESS +
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

/** Three numbers: power domain, offset in bytes, value of 32 bits. */
static int write_memory(const struct place *place, const char *text)
{
	const struct platform *platform = place->platform;
	const unsigned int which = place->view->which;
	char copy[64], *rest = copy, *part;
	uint64_t number[3] = { 0 };
	size_t count = 0, size = INFO_WORDS * sizeof(uint64_t), last = 0, domain = SIZE_MAX;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = strsep(&rest, ",")))
		if (count == 3 || parse_number(part, 0, UINT32_MAX, &number[count++]))
			return -EINVAL;
	for (size_t i = 0; i < platform->domain_count && which == SST; i++) {
		if (platform->domains[i].socket != place->socket)
			continue;
		size = platform->domains[i].register_count * sizeof(uint64_t);
		last = platform->domains[i].power_domain;
		if (last == number[0])
			domain = i;
	}
	if (count != 3 || number[0] > last || number[1] >= size)
		return -EINVAL;
	/* What describes the device is fixed, and nothing is between the instances. */
	if (domain != SIZE_MAX)
		firmware_write_register(place->server, domain, number[1], (uint32_t)number[2]);
	return 0;
}

static int print_nothing(const struct place *place, FILE *stream)
{
	(void)place;
	(void)stream;
	return 0;
}

/** Which package the device is of: function, device, bus, package, segment, and the dies with
 * cores. */
static int print_info(const struct place *place, FILE *stream)
{
	enum { BUS = 8, PACKAGE = 16, SEGMENT = 24, DIES = 34, DEVICE = 3, VERSION = 2 };
	const struct platform *platform = place->platform;
	uint64_t word[INFO_WORDS] = { VERSION };
	unsigned long number[4]; /* segment, bus, device, function */
	char address[VIEW_NAME], *rest = address;

	print_address(platform, place->socket, address);
	for (int i = 0; i < 4; i++, rest++)
		number[i] = strtoul(rest, &rest, 16);
	word[1] = number[3] | number[2] << DEVICE | number[1] << BUS | number[0] << SEGMENT;
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (domain->socket != place->socket)
			continue;
		word[1] |= (uint64_t)domain->package << PACKAGE;
		if (domain->type.value == DOMAIN_COMPUTE)
			word[1] |= UINT64_C(1) << (DIES + domain->power_domain);
	}
	print_instance(0, device_start(place) + INFO_ADDRESS, word, INFO_WORDS, stream);
	return 0;
}

/** The features of a device that have a directory here; sizes are in words of 32 bits. */
static int print_features(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->platform;
	const uint64_t start = device_start(place);
	size_t entries = 0, words = 0;

	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].socket == place->socket) {
			entries = platform->domains[i].power_domain + 1;
			words = platform->domains[i].register_count * 2;
		}
	fprintf(stream,
		"tpmi PFS start offset 0x:%llx\n"
		"tpmi_id\t\tentries\t\tsize\t\tcap_offset\tattribute\tvsec_offset\tlocked\t"
		"disabled\tread_blocked\twrite_blocked\n",
		(unsigned long long)start);
#define FEATURE "0x%02x\t\t0x%02zx\t\t0x%04zx\t\t0x%04x\t\t0x01\t\t0x%016llx\tY\tN\t\tN\t\tN\n"
	fprintf(stream, FEATURE FEATURE, SST, entries, words, FIRST_ADDRESS >> 10,
		(unsigned long long)start + FIRST_ADDRESS, INFO, (size_t)1, (size_t)INFO_WORDS * 2,
		INFO_ADDRESS >> 10, (unsigned long long)start + INFO_ADDRESS);
	return 0;
}

#define MEM_WRITE(id) \
	{ \
		"mem_write", .read = print_nothing, .write = write_memory, .which = (id), \
			     .refuse = refuse_locked_down \
	}

const struct view debug_views[] = {
	{ .each = &each_device,
	  BELOW({ "pfs_dump", .read = print_features },
		{ "tpmi-id-05", BELOW({ "mem_dump", .read = print_dump }, MEM_WRITE(SST)) },
		{ "tpmi-id-81", BELOW({ "mem_dump", .read = print_info }, MEM_WRITE(INFO)) },
		{ "plr",
		  BELOW({ .each = &each_plr_domain,
			  BELOW({ "status", .read = print_reasons, .write = write_reasons,
				  .refuse = refuse_locked_down }) }),
		  .since = KERNEL(6, 11) }) },
	VIEW_END,
};

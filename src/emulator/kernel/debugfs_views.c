/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the drivers of TPMI show in debugfs, a device for each package: the registers, of which a
 * capture of such a machine is made, and performance limit reasons.
 */
#include "emulator/capture/capture.h"
#include "emulator/kernel/views.h"

enum { WORDS_PER_LINE = 8, FIRST_ADDRESS = 0x7000 };

static size_t count_packages(const struct platform *platform)
{
	return platform->domains[platform->domain_count - 1].socket + 1;
}

/** Named by the PCI address: buses are dealt out evenly, as on real servers. */
static bool device_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;
	size_t packages = count_packages(platform);

	place->socket = (unsigned int)index;
	if (platform->capture && index < platform->capture->dump_count)
		snprintf(name, VIEW_NAME, "tpmi-%s", platform->capture->dumps[index].address);
	else
		snprintf(name, VIEW_NAME, "tpmi-0000:%02zx:03.1", index * 256 / packages);
	return index < packages;
}

static const struct instances each_device = { device_at, NULL };

/** Where the registers of a domain are in the memory of the device. */
static uint64_t instance_offset(const struct platform *platform,
				const struct platform_domain *domain)
{
	const struct captured_dump *dump = NULL;

	if (platform->capture && domain->socket < platform->capture->dump_count)
		dump = &platform->capture->dumps[domain->socket];
	if (dump && domain->power_domain < dump->count)
		return dump->instances[domain->power_domain].offset;
	return UINT64_C(0x90000000) + ((uint64_t)domain->socket << 28) + FIRST_ADDRESS +
	       domain->power_domain * domain->register_count * sizeof(uint64_t);
}

static void print_instance(const struct server *server, size_t index, FILE *stream)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct tpmi_registers registers = state_registers(server, index);

	fprintf(stream, "TPMI Instance:%u offset:0x%llx\n", domain->power_domain,
		(unsigned long long)instance_offset(server->platform, domain));
	for (size_t i = 0; i < registers.count; i++) {
		if (i % (WORDS_PER_LINE / 2) == 0)
			fprintf(stream, "%s %08zx:", i > 0 ? "\n" : "", i * sizeof(uint64_t));
		fprintf(stream, " %08x %08x", (uint32_t)registers.word[i],
			(uint32_t)(registers.word[i] >> 32));
	}
	fputc('\n', stream);
}

/** Instances between those that the platform has are there as well, and read all ones. */
static void print_hole(unsigned int power_domain, size_t count, FILE *stream)
{
	fprintf(stream, "TPMI Instance:%u offset:0x0\n", power_domain);
	for (size_t i = 0; i < count; i++) {
		if (i % (WORDS_PER_LINE / 2) == 0)
			fprintf(stream, "%s %08zx:", i > 0 ? "\n" : "", i * sizeof(uint64_t));
		fputs(" ffffffff ffffffff", stream);
	}
	fputc('\n', stream);
}

static int print_dump(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->server->platform;
	unsigned int next = 0;

	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (domain->socket != place->socket)
			continue;
		while (next < domain->power_domain)
			print_hole(next++, domain->register_count, stream);
		print_instance(place->server, i, stream);
		next++;
	}
	return 0;
}

/** Only drivers of TPMI have files there. */
bool debugfs_exists(const struct place *place)
{
	return platform_is_tpmi(place->server->platform);
}

static const struct view sst_views[] = {
	{ "mem_dump", .read = print_dump },
	VIEW_END,
};

static const struct view device_views[] = {
	{ "tpmi-id-05", .below = sst_views },
	{ "plr", .below = plr_views, .exists = plr_exists },
	VIEW_END,
};

const struct view debug_views[] = {
	{ .each = &each_device, .below = device_views },
	VIEW_END,
};

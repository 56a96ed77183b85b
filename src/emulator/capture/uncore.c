/* SPDX-License-Identifier: BSD-3-Clause */
/* The uncore limits of a captured machine, and which of its directories is which domain's. */
#include "emulator/capture/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool has_entry_below(const struct capture *capture, const char *directory)
{
	for (size_t i = 0; i < capture->entry_count; i++)
		if (strncmp(capture->entries[i].path, directory, strlen(directory)) == 0)
			return true;
	return false;
}

#define UNCORE_DIRECTORY CPU_DIRECTORY "/intel_uncore_frequency/"

/** The directory of a domain's uncore limits: by its die, or, with TPMI, by what is in it. */
static int find_uncore(const struct capture *capture, const struct platform *platform,
		       const struct platform_domain *domain, char *directory, size_t size)
{
	enum { MOST_CLUSTERS = 256 };

	snprintf(directory, size, UNCORE_DIRECTORY "package_%02u_die_%02u", domain->package,
		 domain->die);
	if (!platform_is_tpmi(platform))
		return 0;
	for (unsigned int i = 0; i < MOST_CLUSTERS; i++) {
		unsigned int package, power_domain;
		char path[128];
		int result;

		snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/package_id", i);
		result = capture_number(capture, capture_entry(capture, path), HIGHEST_ID,
					&package);
		if (result)
			return result;
		/* Where dies are enumerated domain_id of I/O dies is another number. */
		snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/instance_id", i);
		if (domain->type.value != DOMAIN_IO || !capture_entry(capture, path))
			snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/domain_id", i);
		result = capture_number(capture, capture_entry(capture, path), HIGHEST_ID,
					&power_domain);
		if (result)
			return result;
		snprintf(directory, size, UNCORE_DIRECTORY "uncore%02u", i);
		if (package == domain->package && power_domain == domain->power_domain)
			return 0;
	}
	return -ENOENT;
}

int capture_uncore_khz(const struct capture *capture, const struct platform *platform,
		       const struct platform_domain *domain, const char *name, unsigned int *khz)
{
	char directory[128], path[192];
	int result = find_uncore(capture, platform, domain, directory, sizeof(directory));

	if (result)
		return result;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return capture_number(capture, capture_entry(capture, path), HIGHEST_KHZ, khz);
}

/** The limits are those of the first state (firmware/captured.c); here they only have to be
 * numbers. */
int capture_fill_uncore(const struct capture *capture, struct platform *platform)
{
	static const char *const names[] = { "min_freq_khz", "max_freq_khz" };
	unsigned int khz;

	platform->uncore = known_number(has_entry_below(capture, UNCORE_DIRECTORY));
	for (size_t i = 0; i < 2 * platform->domain_count; i++)
		if (capture_uncore_khz(capture, platform, &platform->domains[i / 2], names[i % 2],
				       &khz) == -EINVAL)
			return -EINVAL;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads zones of powercap. */
#include "sysfs/powercap.h"
#include "base/array.h"
#include "common/monotonic.h"
#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POWERCAP "/sys/class/powercap"

static const char *zone_path(struct kernel_files *files, const struct power_zone *zone,
			     const char *name)
{
	return kernel_files_path(files, "%s/%s", zone->directory, name);
}

static bool parse_id(const char *text, unsigned int *id)
{
	uint64_t value = 0;
	int error = number_parse(text, 10, INT32_MAX, &value);

	*id = (unsigned int)value;
	return !error;
}

/** Parses `package-N` or `package-N-die-M`, and changes it. */
static bool parse_name(char *text, struct power_zone *zone)
{
	static const char PACKAGE[] = "package-", DIE[] = "-die-";
	char *die = strstr(text, DIE);

	if (strncmp(text, PACKAGE, strlen(PACKAGE)) != 0)
		return false;
	zone->of_die = die;
	if (die)
		*die = '\0';
	return parse_id(text + strlen(PACKAGE), &zone->package) &&
	       (!die || parse_id(die + strlen(DIE), &zone->die));
}

/** The long-term limit, or the short-term one where that is lower; 0 where there is none. */
static int read_limit(struct kernel_files *files, struct power_zone *zone)
{
	enum { CONSTRAINTS = 2 };
	int error = 0;

	for (unsigned int i = 0; i < CONSTRAINTS && !error; i++) {
		char *name = NULL;
		bool short_term;
		uint64_t uw = 0;

		error = kernel_files_text(
			files,
			kernel_files_path(files, "%s/constraint_%u_name", zone->directory, i),
			&name);
		short_term = !error && strcmp(name, "short_term") == 0;
		if (short_term || (!error && strcmp(name, "long_term") == 0))
			error = kernel_files_number(
				files,
				kernel_files_path(files, "%s/constraint_%u_power_limit_uw",
						  zone->directory, i),
				UINT64_MAX, &uw);
		if (uw > 0 && (!zone->limit_uw || uw < zone->limit_uw)) {
			zone->limit_uw = uw;
			zone->constraint = i;
			zone->short_term = short_term;
		}
		free(name);
	}
	return error == -ENOENT ? 0 : error;
}

struct search {
	struct kernel_files *files;
	const struct isst_cpuset *packages;
	struct power_zones *zones;
};

/** Adds a package's zone with a limit. */
static int add_zone(void *data, const char *name)
{
	static const char PREFIX[] = "intel-rapl:";
	const struct search *search = data;
	struct kernel_files *files = search->files;
	struct power_zones *zones = search->zones;
	struct power_zone zone = { 0 };
	char *text = NULL;
	int error;

	/* Others are below packages (`intel-rapl:0:0`), or of another interface. */
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || strchr(name + strlen(PREFIX), ':'))
		return 0;
	if (asprintf(&zone.directory, POWERCAP "/%s", name) < 0)
		return -ENOMEM;
	error = kernel_files_text(files, zone_path(files, &zone, "name"), &text);
	if (!error && (!parse_name(text, &zone) ||
		       (search->packages && !isst_cpuset_has(search->packages, zone.package))))
		error = -ENOENT;
	free(text);
	if (!error)
		error = kernel_files_number(files, zone_path(files, &zone, "max_energy_range_uj"),
					    UINT64_MAX, &zone.range_uj);
	if (!error)
		error = read_limit(files, &zone);
	if (!error && zone.limit_uw && ARRAY_GROW(zones->zones, zones->count))
		error = -ENOMEM;
	if (error || !zone.limit_uw) {
		free(zone.directory);
		/* It is none of these packages, or has gone meanwhile. */
		return error == -ENOENT ? 0 : error;
	}
	zones->zones[zones->count++] = zone;
	return 0;
}

int powercap_find(struct kernel_files *files, const struct isst_cpuset *packages,
		  struct power_zones *zones)
{
	struct search search = { files, packages, zones };

	*zones = (struct power_zones){ 0 };
	return kernel_files_each(files, POWERCAP, "", add_zone, &search);
}

void powercap_clear(struct power_zones *zones)
{
	for (size_t i = 0; i < zones->count; i++)
		free(zones->zones[i].directory);
	free(zones->zones);
	*zones = (struct power_zones){ 0 };
}

struct power_zone *powercap_zone(const struct power_zones *zones, unsigned int package,
				 unsigned int die)
{
	for (size_t i = 0; i < zones->count; i++) {
		struct power_zone *zone = &zones->zones[i];

		if (zone->package == package && (!zone->of_die || zone->die == die))
			return zone;
	}
	return NULL;
}

/** Reads the counter and its time; repeated where reading took long. */
static int read_counter(struct kernel_files *files, const struct power_zone *zone,
			uint64_t *counter_uj, int64_t *at_ns)
{
	enum { TRIES = 5, LONG_NS = NS_PER_MS };
	int error = 0;

	for (unsigned int i = 0; i < TRIES && !error; i++) {
		int64_t before = monotonic_ns(), after;

		error = kernel_files_number(files, zone_path(files, zone, "energy_uj"), UINT64_MAX,
					    counter_uj);
		after = monotonic_ns();
		*at_ns = before + (after - before) / 2;
		if (after - before < LONG_NS)
			break;
	}
	return error;
}

int powercap_begin(struct kernel_files *files, struct power_zone *zone)
{
	int error = read_counter(files, zone, &zone->counter_uj, &zone->at_ns);

	zone->energy_uj = zone->time_ns = 0;
	if (error)
		zone->at_ns = 0;
	return error;
}

int powercap_add(struct kernel_files *files, struct power_zone *zone)
{
	uint64_t counter_uj = 0;
	int64_t at_ns;
	int error = read_counter(files, zone, &counter_uj, &at_ns);

	if (error)
		return error;
	zone->energy_uj += counter_uj - zone->counter_uj;
	/* It has wrapped around. */
	if (counter_uj < zone->counter_uj)
		zone->energy_uj += zone->range_uj + 1;
	zone->time_ns += (uint64_t)(at_ns - zone->at_ns);
	zone->counter_uj = counter_uj;
	zone->at_ns = at_ns;
	return 0;
}

int powercap_continue(struct kernel_files *files, struct power_zone *zone,
		      const struct power_zones *before)
{
	enum { EXCEEDED = 2, FAR_EXCEEDED = 10, UW_PER_W = 1000000 };
	uint64_t allowed_uj;
	int error;

	for (size_t i = 0; i < before->count; i++) {
		const struct power_zone *other = &before->zones[i];

		if (strcmp(other->directory, zone->directory) != 0 || !other->at_ns)
			continue;
		zone->counter_uj = other->counter_uj;
		zone->at_ns = other->at_ns;
		error = powercap_add(files, zone);
		/* The counter may have wrapped twice, or been reset by a suspend. Limits may be
		 * exceeded for a while, but not on average by so much. */
		allowed_uj = zone->time_ns / NS_PER_US * (zone->limit_uw / UW_PER_W + 1);
		if (!error && (allowed_uj * EXCEEDED > zone->range_uj ||
			       zone->energy_uj > allowed_uj * FAR_EXCEEDED))
			zone->energy_uj = zone->time_ns = 0;
		return error;
	}
	return powercap_begin(files, zone);
}

uint64_t powercap_mw(const struct power_zone *zone)
{
	enum { MW_PER_W = 1000 };
	uint64_t time_us = zone->time_ns / NS_PER_US;

	return time_us ? zone->energy_uj * MW_PER_W / time_us : 0;
}

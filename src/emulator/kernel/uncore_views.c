/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * intel_uncore_frequency: with TPMI each power domain has a directory, uncoreNN, and each package,
 * unless its dies are enumerated, package_PP_die_00, which stands for all domains of its first PCI
 * device. Else each die has one, package_PP_die_DD.
 */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

static bool has_uncore(const struct platform_domain *domain)
{
	return domain->type.value != DOMAIN_ABSENT;
}

static bool first_of_package(const struct platform *platform, size_t index)
{
	return index == 0 ||
	       platform->domains[index - 1].package != platform->domains[index].package;
}

/* ---- PCI devices of a package, which share its power domains ---- */

/** The number of a power domain in its device: early kernels with two devices are emulated, too. */
static unsigned int number_in_device(const struct platform *platform, size_t index, bool *second)
{
	const struct platform_domain *domain = &platform->domains[index];
	unsigned int before = 0, all = 0;

	*second = false;
	if (platform->uncore_ids.value == UNCORE_IDS_UNIQUE)
		return domain->power_domain;
	for (size_t i = 0; i < platform->domain_count; i++) {
		if (platform->domains[i].package != domain->package ||
		    !has_uncore(&platform->domains[i]))
			continue;
		all++;
		before += i < index;
	}
	*second = before >= (all + 1) / 2;
	return *second ? before - (all + 1) / 2 : before;
}

/** Whether the package's own directory is of a domain, too. */
static bool is_of_package(const struct platform *platform, size_t index, unsigned int package)
{
	bool second;

	if (platform->domains[index].package != package || !has_uncore(&platform->domains[index]))
		return false;
	(void)number_in_device(platform, index, &second);
	return !second;
}

/* ---- Their directories ---- */

static void name_domain(const struct platform *platform, size_t index, char name[VIEW_NAME])
{
	const struct platform_domain *domain = &platform->domains[index];
	unsigned int number = 0;

	if (!platform_is_tpmi(platform)) {
		snprintf(name, VIEW_NAME, "package_%02u_die_%02u", domain->package, domain->die);
		return;
	}
	for (size_t i = 0; i < index; i++)
		number += has_uncore(&platform->domains[i]);
	snprintf(name, VIEW_NAME, "uncore%02u", number);
}

/** By MSR the uncore is reached through a CPU. */
static bool is_reached(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;

	return platform_is_tpmi(platform) ? has_uncore(&platform->domains[index])
					  : die_is_online(server, index);
}

static bool domain_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

	for (place->domain = 0; place->domain < platform->domain_count; place->domain++)
		if (is_reached(place->server, place->domain) && index-- == 0) {
			place->package = false;
			name_domain(platform, place->domain, name);
			return true;
		}
	return false;
}

/** By TPMI the name is that of the index. */
static bool find_domain(struct place *place, const char *name)
{
	const struct platform *platform = place->server->platform;
	char known[VIEW_NAME];
	unsigned int number;

	if (platform_is_tpmi(platform))
		return (number_of_name(name, "uncore0", &number) ||
			number_of_name(name, "uncore", &number)) &&
		       domain_at(place, number, known) && strcmp(known, name) == 0;
	place->package = false;
	for (place->domain = 0; place->domain < platform->domain_count; place->domain++) {
		name_domain(platform, place->domain, known);
		if (strcmp(known, name) == 0)
			return is_reached(place->server, place->domain);
	}
	return false;
}

static const struct instances each_domain = { domain_at, find_domain };

static bool package_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

	for (place->domain = 0; place->domain < platform->domain_count; place->domain++)
		if (first_of_package(platform, place->domain) && index-- == 0) {
			place->package = true;
			snprintf(name, VIEW_NAME, "package_%02u_die_00",
				 platform->domains[place->domain].package);
			return true;
		}
	return false;
}

static const struct instances each_package = { package_at, NULL };

static bool is_tpmi(const struct place *place)
{
	return platform_is_tpmi(place->server->platform);
}

static bool has_packages(const struct place *place)
{
	return is_tpmi(place) && platform_dies(place->server->platform) == 1;
}

/* ---- Limits ---- */

struct limits {
	uint32_t min_khz, max_khz;
};

static struct limits domain_limits(const struct server *server, size_t index, bool initial)
{
	const struct domain_state *state = state_domain(server, index);

	return initial ? (struct limits){ state->initial_min_khz, state->initial_max_khz }
		       : (struct limits){ state->uncore_min_khz, state->uncore_max_khz };
}

/** Of a package: the widest among its domains. */
static struct limits limits_of(const struct place *place, bool initial)
{
	const struct platform *platform = place->server->platform;
	struct limits limits = { UINT32_MAX, 0 };

	if (!place->package)
		return domain_limits(place->server, place->domain, initial);
	for (size_t i = place->domain; i < platform->domain_count; i++) {
		struct limits one = domain_limits(place->server, i, initial);

		if (!is_of_package(platform, i, platform->domains[place->domain].package))
			continue;
		if (one.min_khz < limits.min_khz)
			limits.min_khz = one.min_khz;
		if (one.max_khz > limits.max_khz)
			limits.max_khz = one.max_khz;
	}
	return limits;
}

static unsigned int min_khz(const struct place *place)
{
	return limits_of(place, false).min_khz;
}

static unsigned int max_khz(const struct place *place)
{
	return limits_of(place, false).max_khz;
}

static unsigned int initial_min_khz(const struct place *place)
{
	return limits_of(place, true).min_khz;
}

static unsigned int initial_max_khz(const struct place *place)
{
	return limits_of(place, true).max_khz;
}

static unsigned int current_khz(const struct place *place)
{
	return uncore_current_khz(place->server, place->domain);
}

/* ---- Writing them ---- */

static void set_limit(struct server *server, size_t index, uint32_t khz, bool max)
{
	struct domain_state *state = state_domain(server, index);

	*(max ? &state->uncore_max_khz : &state->uncore_min_khz) = khz;
}

/** A power domain stays within what was last set for its package. */
static bool within_package(const struct server *server, size_t index, uint32_t khz, bool max)
{
	const struct domain_state *package = state_msrs(server, index);
	bool second;

	(void)number_in_device(server->platform, index, &second);
	if (second)
		return true;
	return max ? !package->package_max_khz || khz <= package->package_max_khz
		   : !package->package_min_khz || khz >= package->package_min_khz;
}

/** All power domains of a package, which begins with domain @index. */
static void set_package_limit(struct server *server, size_t index, uint32_t khz, bool max)
{
	const struct platform *platform = server->platform;
	struct domain_state *package = state_domain(server, index);

	*(max ? &package->package_max_khz : &package->package_min_khz) = khz;
	for (size_t i = index; i < platform->domain_count; i++)
		if (is_of_package(platform, i, platform->domains[index].package))
			set_limit(server, i, khz, max);
}

/** Nothing compares the two limits. */
static int write_limit(const struct place *place, const char *text, bool max)
{
	enum { STEP_KHZ = 100000, MOST_STEPS = 127 };
	struct server *server = place->server;
	uint64_t khz;

	if (parse_number(text, 10, UINT32_MAX, &khz) || khz / STEP_KHZ < 1 ||
	    khz / STEP_KHZ > MOST_STEPS)
		return -EINVAL;
	if (!server->platform->uncore_writable.value)
		return -EPERM;
	khz = khz / STEP_KHZ * STEP_KHZ;
	if (!place->package && !within_package(server, place->domain, (uint32_t)khz, max))
		return -EINVAL;
	if (place->package)
		set_package_limit(server, place->domain, (uint32_t)khz, max);
	else
		set_limit(server, place->domain, (uint32_t)khz, max);
	return 0;
}

static int write_min(const struct place *place, const char *text)
{
	return write_limit(place, text, false);
}

static int write_max(const struct place *place, const char *text)
{
	return write_limit(place, text, true);
}

/* ---- Which domain a directory is for; root alone may read that ---- */

static const struct platform_domain *domain_of(const struct place *place)
{
	return &place->server->platform->domains[place->domain];
}

static unsigned int package_id(const struct place *place)
{
	return domain_of(place)->package;
}

static bool since_7_0(const struct place *place)
{
	return is_tpmi(place) && place->server->platform->kernel.value >= KERNEL(7, 0);
}

static bool is_io(const struct place *place)
{
	return domain_of(place)->type.value == DOMAIN_IO;
}

/** How many numbers the compute domains of a package take up: those that are not there count. */
static unsigned int compute_range(const struct platform *platform, unsigned int package)
{
	unsigned int range = 0;

	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].package == package &&
		    platform->domains[i].type.value == DOMAIN_COMPUTE)
			range = platform->domains[i].power_domain + 1;
	return range;
}

/** The number of a power domain in its device; kernels that know the agents of a domain number
 * those without cores on from the dies that a package may have, which are a power of two. */
static unsigned int domain_id(const struct place *place)
{
	const struct platform *platform = place->server->platform;
	unsigned int dies = platform_dies(platform), range;
	bool second;
	unsigned int number = number_in_device(platform, place->domain, &second);

	range = compute_range(platform, domain_of(place)->package);
	return since_7_0(place) && is_io(place) && dies > range ? number + dies - range : number;
}

static unsigned int fabric_cluster_id(const struct place *place)
{
	(void)place;
	return 0;
}

static unsigned int instance_id(const struct place *place)
{
	bool second;

	return number_in_device(place->server->platform, place->domain, &second);
}

static unsigned int die_id(const struct place *place)
{
	return domain_of(place)->die;
}

static const char *agent_types(const struct place *place)
{
	return is_io(place) ? "io" : "core cache memory";
}

static bool since_7_2(const struct place *place)
{
	return is_tpmi(place) && place->server->platform->kernel.value >= KERNEL(7, 2);
}

static bool has_die_id(const struct place *place)
{
	return since_7_2(place) && !is_io(place) && platform_dies(place->server->platform) > 1;
}

/* ---- The tables ---- */

#define LIMIT_VIEWS \
	{ "max_freq_khz", .number = max_khz, .write = write_max }, \
		{ "min_freq_khz", .number = min_khz, .write = write_min }, \
		{ "initial_max_freq_khz", .number = initial_max_khz }, \
	{ \
		"initial_min_freq_khz", .number = initial_min_khz \
	}

static bool has_elc(const struct place *place)
{
	return place->server->platform->uncore_elc.value;
}

/** It has no effect. */
static unsigned int elc_threshold(const struct place *place)
{
	(void)place;
	return 0;
}

static const struct view package_views[] = { LIMIT_VIEWS, VIEW_END };

static const struct view domain_views[] = {
	LIMIT_VIEWS,
	{ "current_freq_khz", .number = current_khz, .mode = 0400 },
	{ "package_id", .exists = is_tpmi, .number = package_id, .mode = 0400 },
	{ "domain_id", .exists = is_tpmi, .number = domain_id, .mode = 0400 },
	{ "fabric_cluster_id", .exists = is_tpmi, .number = fabric_cluster_id, .mode = 0400 },
	{ "instance_id", .exists = since_7_2, .number = instance_id, .mode = 0400 },
	{ "die_id", .exists = has_die_id, .number = die_id, .mode = 0400 },
	{ "elc_low_threshold_percent", .exists = has_elc, .number = elc_threshold },
	{ "agent_types", .exists = since_7_0, .text = agent_types },
	VIEW_END,
};

const struct view uncore_views[] = {
	{ .each = &each_domain, .below = domain_views },
	{ .each = &each_package, .below = package_views, .exists = has_packages },
	VIEW_END,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* intel_uncore_frequency: uncoreNN of each power domain, and package_PP_die_00 for all domains of
 * the package's first PCI device unless dies are enumerated; else package_PP_die_DD of each die. */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_uncore(const struct platform_domain *domain)
{
	return domain->type.value != DOMAIN_ABSENT;
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

/** @number: how many there are before it; TPMI machines number them so. */
static void name_domain(const struct platform *platform, size_t index, size_t number,
			char name[VIEW_NAME])
{
	const struct platform_domain *domain = &platform->domains[index];

	if (platform_is_tpmi(platform))
		snprintf(name, VIEW_NAME, "uncore%02zu", number);
	else
		snprintf(name, VIEW_NAME, "package_%02u_die_%02u", domain->package, domain->die);
}

/** By MSR the uncore is reached through a CPU. */
static bool is_reached(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;

	return platform_is_tpmi(platform) ? has_uncore(&platform->domains[index])
					  : die_is_online(server, index);
}

static bool uncore_domain_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	size_t number = 0;

	place->package = false;
	for (place->domain = 0; place->domain < place->platform->domain_count; place->domain++)
		if (is_reached(place->server, place->domain) && number++ == index) {
			name_domain(place->platform, place->domain, index, name);
			return true;
		}
	return false;
}

static bool find_uncore_domain(struct place *place, const char *name)
{
	char known[VIEW_NAME];

	if (platform_is_tpmi(place->platform)) {
		size_t number = strtoul(name + strcspn(name, "0123456789"), NULL, 10);

		return uncore_domain_at(place, number, known) && strcmp(known, name) == 0;
	}
	place->package = false;
	for (place->domain = 0; place->domain < place->platform->domain_count; place->domain++) {
		name_domain(place->platform, place->domain, 0, known);
		if (strcmp(known, name) == 0 && is_reached(place->server, place->domain))
			return true;
	}
	return false;
}

static const struct instances each_uncore_domain = { uncore_domain_at, find_uncore_domain };

static bool uncore_package_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;

	for (place->domain = 0; place->domain < platform->domain_count; place->domain++)
		if ((place->domain == 0 || platform->domains[place->domain - 1].package !=
						   platform->domains[place->domain].package) &&
		    index-- == 0) {
			place->package = true;
			snprintf(name, VIEW_NAME, "package_%02u_die_00",
				 platform->domains[place->domain].package);
			return true;
		}
	return false;
}

static const struct instances each_uncore_package = { uncore_package_at, NULL };

/* ---- Limits ---- */

/* Bits of a row. */
enum { MAX = 1, INITIAL = 2 };

static uint32_t *uncore_limit(const struct server *server, size_t domain, unsigned int which)
{
	struct domain_state *state = state_domain(server, domain);

	if (which & INITIAL)
		return which & MAX ? &state->initial_max_khz : &state->initial_min_khz;
	return which & MAX ? &state->uncore_max_khz : &state->uncore_min_khz;
}

/** Of a package: the widest among its domains. */
static unsigned int read_uncore_limit(const struct place *place)
{
	const struct platform *platform = place->platform;
	const unsigned int which = place->view->which;
	unsigned int widest = which & MAX ? 0 : UINT32_MAX;

	if (!place->package)
		return *uncore_limit(place->server, place->domain, which);
	for (size_t i = place->domain; i < platform->domain_count; i++) {
		uint32_t khz = *uncore_limit(place->server, i, which);

		if (is_of_package(platform, i, platform->domains[place->domain].package) &&
		    (which & MAX ? khz > widest : khz < widest))
			widest = khz;
	}
	return widest;
}

/** The level's base frequency, as far as the limits let it. */
static unsigned int read_current_khz(const struct place *place)
{
	enum { USUAL_KHZ = 800000 };
	const struct domain_state *state = state_domain(place->server, place->domain);
	const unsigned int mhz = level_facts(place->server, place->domain).uncore_base_mhz;
	unsigned int khz = mhz ? mhz * 1000 : USUAL_KHZ;

	if (khz < state->uncore_min_khz)
		khz = state->uncore_min_khz;
	return least(khz, state->uncore_max_khz);
}

/** A power domain stays within what was last set for its package, and a package's limit is set in
 * all of its domains. Nothing compares the two limits. */
static int write_uncore_limit(const struct place *place, const char *text)
{
	enum { STEP_KHZ = 100000, MOST_STEPS = 127 };
	const bool max = place->view->which & MAX;
	const struct platform *platform = place->platform;
	struct domain_state *package = state_msrs(place->server, place->domain);
	uint32_t *of_package = max ? &package->package_max_khz : &package->package_min_khz, khz;
	uint64_t value;
	bool second;

	if (parse_number(text, 10, UINT32_MAX, &value) || value / STEP_KHZ < 1 ||
	    value / STEP_KHZ > MOST_STEPS)
		return -EINVAL;
	if (!platform->uncore_writable.value)
		return -EPERM;
	khz = (uint32_t)(value / STEP_KHZ * STEP_KHZ);
	if (!place->package) {
		(void)number_in_device(platform, place->domain, &second);
		if (!second && *of_package && (max ? khz > *of_package : khz < *of_package))
			return -EINVAL;
		*uncore_limit(place->server, place->domain, max) = khz;
		return 0;
	}
	*of_package = khz;
	for (size_t i = place->domain; i < platform->domain_count; i++)
		if (is_of_package(platform, i, platform->domains[place->domain].package))
			*uncore_limit(place->server, i, max) = khz;
	return 0;
}

/* ---- Which domain a directory is for; root alone may read that ---- */

/** The number of a power domain in its device; kernels that know the agents of a domain number
 * those without cores on from the dies that a package may have, which are a power of two. Numbers
 * of compute domains that are not there count. */
static unsigned int domain_id(const struct place *place)
{
	const struct platform *platform = place->platform;
	const struct platform_domain *domain = domain_of(place);
	unsigned int dies = platform_dies(platform), range = 0, number;
	bool second;

	number = number_in_device(platform, place->domain, &second);
	if (platform->kernel.value < KERNEL(7, 0) || domain->type.value != DOMAIN_IO)
		return number;
	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].package == domain->package &&
		    platform->domains[i].type.value == DOMAIN_COMPUTE)
			range = platform->domains[i].power_domain + 1;
	return dies > range ? number + dies - range : number;
}

static unsigned int instance_id(const struct place *place)
{
	bool second;

	return number_in_device(place->platform, place->domain, &second);
}

static const char *agent_types(const struct place *place)
{
	return domain_of(place)->type.value == DOMAIN_IO ? "io" : "core cache memory";
}

static bool has_die_id(const struct place *place)
{
	return domain_of(place)->type.value != DOMAIN_IO && platform_dies(place->platform) > 1;
}

/* ---- Efficiency latency control: busy CPUs keep the uncore above both thresholds, so it has no
 * effect here ---- */

enum { ELC_PARTS = 127, ELC_STEP_KHZ = 100000 };

/** Captured machines show what was captured. */
static bool has_latency_control(const struct place *place)
{
	return !place->platform->capture;
}

static unsigned int read_latency_control(const struct place *place)
{
	const enum latency_control which = place->view->which;
	const unsigned int value =
		state_domain(place->server, place->domain)->latency_control[which];

	if (which == ELC_FLOOR)
		return value * ELC_STEP_KHZ;
	return which == ELC_HIGH_ENABLE ? value : (value * 100 + ELC_PARTS - 1) / ELC_PARTS;
}

static int write_latency_control(const struct place *place, const char *text)
{
	const enum latency_control which = place->view->which;
	uint64_t value = 0;
	bool on = false;
	int result = which == ELC_HIGH_ENABLE ? parse_switch(text, &on)
					      : parse_number(text, 10, UINT32_MAX, &value);

	if (result)
		return result;
	if (!place->platform->uncore_writable.value)
		return -EPERM;
	if (which == ELC_HIGH_ENABLE)
		value = on;
	else if (which == ELC_FLOOR)
		value /= ELC_STEP_KHZ;
	else
		value = value > 100 ? UINT32_MAX : value * ELC_PARTS / 100;
	if (value > ELC_PARTS)
		return -EINVAL;
	state_domain(place->server, place->domain)->latency_control[which] = (uint8_t)value;
	return 0;
}

#define ELC_VIEW(file, value) \
	{ \
		(file), .since = KERNEL(6, 12), .tpmi = true, NEEDS(uncore_elc), \
			.exists = has_latency_control, .number = read_latency_control, \
			.write = write_latency_control, .which = (value) \
	}

static bool has_packages(const struct place *place)
{
	return platform_dies(place->platform) == 1;
}

#define LIMIT_VIEWS \
	{ "max_freq_khz", .number = read_uncore_limit, .which = MAX, \
	  .write = write_uncore_limit }, \
		{ "min_freq_khz", .number = read_uncore_limit, .write = write_uncore_limit }, \
		{ "initial_max_freq_khz", .number = read_uncore_limit, .which = MAX | INITIAL }, \
	{ \
		"initial_min_freq_khz", .number = read_uncore_limit, .which = INITIAL \
	}

static const struct view uncore_package_views[] = { LIMIT_VIEWS, VIEW_END };

static const struct view uncore_domain_views[] = {
	LIMIT_VIEWS,
	{ "current_freq_khz", .number = read_current_khz, .mode = 0400 },
	{ "package_id", .tpmi = true, STORED(DOMAIN, platform_domain, package), .mode = 0400 },
	{ "domain_id", .tpmi = true, .number = domain_id, .mode = 0400 },
	{ "fabric_cluster_id", .tpmi = true, .constant = "0", .mode = 0400 },
	{ "instance_id", .since = KERNEL(7, 2), .tpmi = true, .number = instance_id, .mode = 0400 },
	{ "die_id", .since = KERNEL(7, 2), .tpmi = true, .exists = has_die_id,
	  STORED(DOMAIN, platform_domain, die), .mode = 0400 },
	ELC_VIEW("elc_low_threshold_percent", ELC_LOW),
	ELC_VIEW("elc_high_threshold_percent", ELC_HIGH),
	ELC_VIEW("elc_high_threshold_enable", ELC_HIGH_ENABLE),
	ELC_VIEW("elc_floor_freq_khz", ELC_FLOOR),
	{ "agent_types", .since = KERNEL(7, 0), .tpmi = true, .text = agent_types },
	VIEW_END,
};

const struct view uncore_views[] = {
	{ .each = &each_uncore_domain, .below = uncore_domain_views },
	{ .each = &each_uncore_package,
	  .below = uncore_package_views,
	  .tpmi = true,
	  .exists = has_packages },
	VIEW_END,
};

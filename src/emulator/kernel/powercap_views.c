/* SPDX-License-Identifier: BSD-3-Clause */
/* Power of packages as intel_rapl shows it: online CPUs are busy, each draws its share. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <time.h>

enum { EIGHTHS = 8, UW_PER_EIGHTH = 125000, MOST_WATTS = 3500 };

/* What an energy counter of 32 bits in units of 2^-14 J holds, in uJ. */
static const uint64_t range_uj = 262143328850;

/* ---- Packages: with several dies each has a zone of its own, unless it is reached by TPMI ---- */

static bool has_die_zones(const struct platform *platform)
{
	return platform->dies.value > 1 && !platform_is_tpmi(platform);
}

static bool is_of_zone(const struct place *place, size_t domain)
{
	return has_die_zones(place->platform)
		       ? domain == place->domain
		       : place->platform->domains[domain].socket == place->socket;
}

/** The domain that counts of the zone that a domain is in. */
static size_t first_of_zone(const struct platform *platform, size_t domain)
{
	while (!has_die_zones(platform) && domain > 0 &&
	       platform->domains[domain - 1].socket == platform->domains[domain].socket)
		domain--;
	return domain;
}

static bool zone_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->platform;
	size_t zone = 0;

	for (size_t i = 0; i < platform->domain_count; i++) {
		if (first_of_zone(platform, i) != i || zone++ != index)
			continue;
		place->domain = i;
		place->socket = platform->domains[i].socket;
		snprintf(name, VIEW_NAME, "intel-rapl:%zu", index);
		return true;
	}
	return false;
}

static const struct instances each_zone = { .at = zone_at };

/* ---- Limits, in eighths of a watt ---- */

/** That of the processor: of the first level of the platform file, unless that states it. */
static unsigned int usual_limit(const struct place *place)
{
	const struct platform *platform = place->platform;

	if (domain_of(place)->power_limit_w.line)
		return domain_of(place)->power_limit_w.value * EIGHTHS;
	for (size_t i = 0; i < platform->domain_count; i++)
		if (is_of_zone(place, i) && platform->domains[i].level_count > 0)
			return least(platform->domains[i].levels[0].power_w.value, MOST_WATTS) *
			       EIGHTHS;
	return 0;
}

static unsigned int long_term(const struct place *place)
{
	unsigned int set = state_domain(place->server, place->domain)->long_term;

	return set ? set : usual_limit(place);
}

/** For a short time the usual one is exceeded by a fifth. */
static unsigned int short_term(const struct place *place)
{
	unsigned int set = state_domain(place->server, place->domain)->short_term;

	return set ? set : usual_limit(place) * 6 / 5;
}

/** The one that holds the package. */
static unsigned int lower_limit(const struct place *place)
{
	return least(long_term(place), short_term(place));
}

bool powercap_exists(const struct place *place)
{
	struct place first = { .server = place->server, .platform = place->platform };
	char name[VIEW_NAME];

	return place->platform->powercap.value && zone_at(&first, 0, name) &&
	       usual_limit(&first) > 0;
}

/* ---- What is drawn ---- */

/** Without a limit, in eighths of a watt: four fifths of it unless the file states it. */
static unsigned int wanted_eighths(const struct place *place)
{
	const struct number_value *draw = &domain_of(place)->power_draw_w;
	unsigned int whole = draw->line ? draw->value * EIGHTHS : usual_limit(place) * 4 / 5;
	unsigned int present = 0, online = 0;

	for (size_t i = 0; i < place->platform->domain_count; i++) {
		if (!is_of_zone(place, i))
			continue;
		for (const struct platform_cpu *cpu = place->platform->domains[i].first_cpu; cpu;
		     cpu = cpu->next_of_domain) {
			present++;
			online += cpu_online(place->server, cpu);
		}
	}
	return present ? (unsigned int)((uint64_t)whole * online / present) : 0;
}

unsigned int power_limited_khz(const struct place *place)
{
	const struct number_value *mhz;
	struct place zone = *place;

	zone.domain = first_of_zone(place->platform, place->cpu->domain);
	zone.socket = place->platform->domains[zone.domain].socket;
	zone.cpu = NULL;
	mhz = &domain_of(&zone)->power_limited_mhz;
	return powercap_exists(place) && mhz->line && wanted_eighths(&zone) >= lower_limit(&zone)
		       ? mhz->value * 1000
		       : 0;
}

/** As if it had drawn what it draws now since boot. */
static int print_energy(const struct place *place, FILE *stream)
{
	unsigned int eighths = least(wanted_eighths(place), lower_limit(place));
	struct timespec now;
	uint64_t us;

	clock_gettime(CLOCK_MONOTONIC, &now);
	us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	fprintf(stream, "%llu\n", (unsigned long long)(us * eighths / EIGHTHS % (range_uj + 1)));
	return 0;
}

/* ---- Files ---- */

static int print_zone_name(const struct place *place, FILE *stream)
{
	const struct platform_domain *zone = domain_of(place);

	fprintf(stream, "package-%u", zone->package);
	if (has_die_zones(place->platform))
		fprintf(stream, "-die-%u", zone->die);
	fputc('\n', stream);
	return 0;
}

/* Of a row. */
enum { LONG_TERM, SHORT_TERM, MOST };

static unsigned int limit_uw(const struct place *place)
{
	if (place->view->which == LONG_TERM)
		return long_term(place) * UW_PER_EIGHTH;
	if (place->view->which == MOST)
		return usual_limit(place) * UW_PER_EIGHTH;
	return short_term(place) * UW_PER_EIGHTH;
}

/** In units of the register, which has 15 bits for them. */
static int write_limit(const struct place *place, const char *text)
{
	struct domain_state *state = state_domain(place->server, place->domain);
	uint64_t uw;

	if (parse_number(text, 10, INT64_MAX, &uw) || uw / UW_PER_EIGHTH == 0 ||
	    uw / UW_PER_EIGHTH > INT16_MAX)
		return -EINVAL;
	*(place->view->which == SHORT_TERM ? &state->short_term
					   : &state->long_term) = (uint16_t)(uw / UW_PER_EIGHTH);
	return 0;
}

static const struct view zone_views[] = {
	{ "name", .read = print_zone_name },
	{ "enabled", .constant = "1" },
	/* Only root may know what others compute. */
	{ "energy_uj", .read = print_energy, .mode = 0400 },
	{ "max_energy_range_uj", .constant = "262143328850" },
	{ "constraint_0_name", .constant = "long_term" },
	{ "constraint_0_power_limit_uw", .number = limit_uw, .write = write_limit },
	{ "constraint_0_time_window_us", .constant = "999424" },
	{ "constraint_0_max_power_uw", .number = limit_uw, .which = MOST },
	{ "constraint_1_name", .constant = "short_term" },
	{ "constraint_1_power_limit_uw", .number = limit_uw, .which = SHORT_TERM,
	  .write = write_limit },
	{ "constraint_1_time_window_us", .constant = "1952" },
	VIEW_END,
};

const struct view virtual_powercap_views[] = {
	{ "intel-rapl",
	  BELOW({ .each = &each_zone, .below = zone_views }, { "enabled", .constant = "1" }) },
	VIEW_END,
};

const struct view class_powercap_views[] = {
	{ "intel-rapl", .directory = "../../devices/virtual/powercap" },
	{ .each = &each_zone, .directory = "../../devices/virtual/powercap/intel-rapl" },
	VIEW_END,
};

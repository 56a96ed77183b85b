/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance limit reasons of power domains (intel_plr_tpmi, Linux 6.11 and later): those of the
 * platform, until they are cleared.
 */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

bool plr_exists(const struct place *place)
{
	return place->server->platform->kernel.value >= KERNEL(6, 11);
}

/** Of the power domains with cores of the package of a device. */
static bool domain_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

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

static const struct instances each_domain = { domain_at, NULL };

/** The words that stand at present; "" for none. */
static const char *reasons_of(const struct place *place)
{
	const char *words = place->server->platform->domains[place->domain].limit_reasons.text;

	return words && !state_domain(place->server, place->domain)->reasons_cleared ? words : "";
}

/** Prints who is limited, and why: of a domain its coarse words, which have no underscore. */
static void print_line(const char *who, const char *words, bool coarse, FILE *stream)
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

static bool is_limited(const struct platform_domain *domain, unsigned int core)
{
	return !domain->limited_cores.line ||
	       (core < MASK_CORES && domain->limited_cores.cores >> core & 1);
}

/** The driver knows the place of a CPU that was online once; any other is core 0 of package 0,
 * power domain 0, to it. */
static bool has_cpu(const struct place *place, const struct platform_cpu *cpu, unsigned int *core)
{
	const struct platform *platform = place->server->platform;
	const struct platform_domain *domain = &platform->domains[place->domain];

	*core = 0;
	if (!cpu || !state_cpu(place->server, cpu)->seen)
		return domain->package == 0 && domain->power_domain == 0;
	*core = cpu->core;
	return cpu->domain == place->domain;
}

static int print_status(const struct place *place, FILE *stream)
{
	const struct platform *platform = place->server->platform;
	const struct platform_domain *domain = &platform->domains[place->domain];
	const char *words = reasons_of(place);
	size_t at = 0;

	print_line("cpus", words, true, stream);
	for (unsigned int number = 0; number < platform->cpu_ids; number++) {
		const struct platform_cpu *cpu = NULL;
		char who[VIEW_NAME];
		unsigned int core;

		if (at < platform->cpu_count && platform->cpus[at].number == number)
			cpu = &platform->cpus[at++];
		if (!has_cpu(place, cpu, &core))
			continue;
		snprintf(who, sizeof(who), "cpu%u", number);
		print_line(who, is_limited(domain, core) ? words : "", false, stream);
	}
	return 0;
}

/** Only 0 can be written, which clears them. */
static int clear(const struct place *place, const char *text)
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
	return is_locked_down(place) ? -EPERM : 0;
}

static const struct view domain_views[] = {
	{ "status", .read = print_status, .write = clear, .refuse = refuse_locked_down },
	VIEW_END,
};

const struct view plr_views[] = {
	{ .each = &each_domain, .below = domain_views },
	VIEW_END,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* --info: what the machine supports, package by package. Must not know output formats. */
#include "handlers.h"
#include "levels.h"

#include <errno.h>
#include <stdlib.h>

/** What is told of a package, by its first power domain. */
struct summary {
	const struct unit *unit;
	bool known; /* the level summary could be read */
	bool enabled, locked;
	unsigned int highest_level;
	/* ISST_FEATURE_ENABLED stands for supported, whether on or off */
	enum isst_feature_state turbo_freq, base_freq, core_power;
};

static bool same(const struct summary *one, const struct summary *other)
{
	return one->known == other->known && one->enabled == other->enabled &&
	       one->locked == other->locked && one->highest_level == other->highest_level &&
	       one->turbo_freq == other->turbo_freq && one->base_freq == other->base_freq &&
	       one->core_power == other->core_power;
}

static void report_platform(struct report_node *node, const struct isst_platform *platform)
{
	report_sentence(report_number(node, KEY_API_VERSION, platform->api_version),
			"Platform: API version : %u", platform->api_version);
	report_sentence(report_number(node, KEY_DRIVER_VERSION, platform->driver_version),
			"Platform: Driver version : %u", platform->driver_version);
	report_sentence(report_state(node, KEY_MBOX_SUPPORTED, platform->mailbox),
			"Platform: mbox supported : %d", platform->mailbox);
	report_sentence(report_state(node, KEY_MMIO_SUPPORTED, platform->mmio),
			"Platform: mmio supported : %d", platform->mmio);
}

static const struct {
	const char *word, *sentence;
} support[] = {
	[ISST_FEATURE_UNKNOWN] = { "unknown", "status is unknown" },
	[ISST_FEATURE_UNSUPPORTED] = { "unsupported", "is not supported" },
	[ISST_FEATURE_DISABLED] = { "supported", "is supported" },
	[ISST_FEATURE_ENABLED] = { "supported", "is supported" },
};

static void report_support(struct report_node *node, enum key_id key, const char *short_name,
			   enum isst_feature_state state)
{
	report_sentence(report_word(node, key, support[state].word), "Intel(R) %s (feature %s) %s",
			short_name, keys[key].name, support[state].sentence);
}

static void report_levels(struct report_node *node, const struct summary *summary)
{
	struct report_node *leaf = report_state(node, KEY_INFO_PERF_PROFILE, summary->enabled);

	report_sentence(leaf, "Intel(R) SST-PP (feature perf-profile) is %ssupported%s",
			summary->enabled ? "" : "not ",
			summary->enabled ? ""
					 : "\nOnly performance level 0 (base level) is present");
	leaf = report_state(node, KEY_INFO_LOCK, summary->locked);
	if (summary->locked)
		report_sentence(leaf, "TDP level change control is locked");
	else
		report_sentence(leaf, "TDP level change control is unlocked, max level: %u",
				summary->highest_level);
	leaf = report_number(node, KEY_INFO_MAX_LEVEL, summary->highest_level);
	report_sentence(leaf, "%s", ""); /* the sentence before tells it */
}

static void report_summary(struct report_node *node, const struct summary *summary)
{
	if (summary->known)
		report_levels(node, summary);
	report_support(node, KEY_INFO_TURBO_FREQ, "SST-TF", summary->turbo_freq);
	report_support(node, KEY_INFO_BASE_FREQ, "SST-BF", summary->base_freq);
	report_support(node, KEY_INFO_CORE_POWER, "SST-CP", summary->core_power);
}

/** The state of a feature over levels: supported if any has it, unknown before unsupported. */
static void merge_state(enum isst_feature_state *state, enum isst_feature_state level)
{
	if (level >= ISST_FEATURE_DISABLED)
		*state = ISST_FEATURE_ENABLED;
	else if (level == ISST_FEATURE_UNKNOWN && *state == ISST_FEATURE_UNSUPPORTED)
		*state = ISST_FEATURE_UNKNOWN;
}

static void merge_levels(struct run *run, const struct levels *levels, struct summary *summary)
{
	size_t count;
	const struct isst_level *level = levels_of(levels, summary->unit, &count);
	bool known = count > 0;

	summary->turbo_freq = known ? ISST_FEATURE_UNSUPPORTED : ISST_FEATURE_UNKNOWN;
	summary->base_freq = summary->turbo_freq;
	for (size_t i = 0; i < count; i++) {
		if (level_is_missing(&level[i]))
			continue;
		run_failure(run, &level[i].failure);
		merge_state(&summary->turbo_freq, level[i].turbo_freq);
		merge_state(&summary->base_freq, level[i].base_freq);
	}
}

static void summarise(struct run *run, const struct levels *levels,
		      const struct isst_core_power *core_power, struct summary *summary)
{
	const struct isst_perf_profile *profile = &levels->profiles[summary->unit->slot];

	summary->known = !profile->failure.error;
	if (summary->known) {
		summary->enabled = profile->enabled;
		summary->locked = profile->locked;
		summary->highest_level = profile->highest_level;
	}
	merge_levels(run, levels, summary);
	run_failure(run, &core_power->failure);
	if (core_power->failure.error)
		summary->core_power = ISST_FEATURE_UNKNOWN;
	else
		summary->core_power = core_power->supported ? ISST_FEATURE_ENABLED
							    : ISST_FEATURE_UNSUPPORTED;
}

/** Leaves the first unit of each package: all that --info looks at. */
static void keep_first_of_packages(struct targets *targets)
{
	size_t kept = 0;

	for (size_t i = 0; i < targets->unit_count; i++) {
		const struct isst_domain *domain = targets->units[i].domain;
		size_t k = 0;

		while (k < kept && targets->domains[k]->package != domain->package)
			k++;
		if (k < kept)
			continue;
		targets->units[kept] = targets->units[i];
		targets->units[kept].slot = kept;
		targets->units[kept].first = true;
		targets->domains[kept++] = domain;
	}
	targets->unit_count = kept;
	targets->domain_count = kept;
}

static struct isst_core_power *read_core_power(struct run *run)
{
	size_t count = run->targets.domain_count;
	struct isst_core_power *states = calloc(count + 1, sizeof(*states));

	if (!states) {
		run_error(run, STATUS_FAILED, "out of memory");
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		states[i].domain = run->targets.domains[i];
	if (run_call(run, isst_core_power_read(run->context, states, count)) == 0)
		return states;
	free(states);
	return NULL;
}

static void report_packages(struct run *run, const struct levels *levels,
			    const struct isst_core_power *core_power, struct report_node *top)
{
	struct summary first = { 0 };

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		struct summary summary = { .unit = &run->targets.units[i] };
		unsigned int package = summary.unit->domain->package;
		struct report_node *node = top;

		summarise(run, levels, &core_power[i], &summary);
		if (i == 0) {
			first = summary;
		} else if (same(&first, &summary)) {
			continue;
		} else {
			node = report_branch(top, KEY_PACKAGE, package);
			report_sentence(node, "Package %u differs:", package);
		}
		report_summary(node, &summary);
	}
}

void show_info(struct run *run)
{
	struct report_node *top = report_unit(run->report, NULL, 0);
	struct isst_core_power *core_power;
	struct levels levels;

	report_platform(top, isst_platform(run->context));
	keep_first_of_packages(&run->targets);
	if (levels_read(run, LEVELS_ALL, ISST_LEVEL_FEATURES, &levels) == 0) {
		core_power = read_core_power(run);
		if (core_power)
			report_packages(run, &levels, core_power, top);
		free(core_power);
	}
	levels_clear(&levels);
}

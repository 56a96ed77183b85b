/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the CPUs of high priority cores, as many as the buckets of SST-TF hold. */
#include "features/high_priority.h"
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "features/features.h"
#include "features/planning.h"
#include "features/snapshot.h"
#include "firmware/platform.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A choice ---- */

enum { CORES = 64 }; /* of a domain, that the firmware can name */

/** A choice at work. */
struct chooser {
	struct isst_context *context;
	const struct core_choice *choice;
	const struct isst_cpuset *cpus; /* as of high_priority_choose() */
	/* To choose from: those with CPUs, with their levels. Buckets hold cores of a package,
	 * which its power domains report one by one: the smallest counts. */
	struct domain_snapshot *domains;
	size_t domain_count;
	struct core_candidate *candidates;
	size_t count;
};

static const struct isst_turbo_freq *info_of(const struct chooser *chooser, size_t i)
{
	return &chooser->domains[i].level.turbo_freq_info;
}

static bool is_of_package(const struct chooser *chooser, size_t i, unsigned int package)
{
	return chooser->domains[i].domain->package == package && info_of(chooser, i)->buckets > 0;
}

/** Power domains share the buckets of their package: one may leave them to the others. */
static bool has_turbo_freq(const struct chooser *chooser, size_t i)
{
	bool buckets = info_of(chooser, i)->buckets > 0;

	for (size_t j = 0; j < chooser->domain_count && context_has_power_domains(chooser->context);
	     j++)
		buckets |= is_of_package(chooser, j, chooser->domains[i].domain->package);
	return chooser->domains[i].level.turbo_freq >= ISST_FEATURE_DISABLED && buckets;
}

/* ---- Buckets ---- */

/** How many cores a bucket of a package holds. Returns 0, or -EOPNOTSUPP with a message. */
static int find_bucket(const struct chooser *chooser, unsigned int package, unsigned int bucket,
		       unsigned int *cores)
{
	bool found = false;

	for (size_t i = 0; i < chooser->domain_count; i++) {
		const struct isst_turbo_freq *info = info_of(chooser, i);

		if (!is_of_package(chooser, i, package))
			continue;
		if (bucket >= info->buckets)
			return message_error_at(
				&chooser->context->messages, of_domain(chooser->domains[i].domain),
				-EOPNOTSUPP, "Invalid bucket %u at level %u (%s): %s%u exist%s",
				bucket, chooser->domains[i].level.level,
				chooser->domains[i].domain->name,
				info->buckets > 1 ? "buckets 0 to " : "only bucket ",
				info->buckets - 1, info->buckets > 1 ? "" : "s");
		if (!found || info->high_priority_cores[bucket] < *cores)
			*cores = info->high_priority_cores[bucket];
		found = true;
	}
	return 0;
}

char *turbo_freq_buckets_text(const struct isst_platform *platform,
			      const struct isst_turbo_freq *info)
{
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	for (unsigned int i = 0; i < info->buckets; i++)
		fprintf(text.stream, "%sup to %u %s at %u MHz", i ? ", " : "",
			info->high_priority_cores[i],
			platform_cores_word(platform, info->high_priority_cores[i]),
			info->mhz[0][i].value);
	return memory_stream_text(&text);
}

/** The most cores of a package that gain, and what @cores would get beside it. Those that no bucket
 * holds reach no more than the cores of the last one. NULL: out of memory. */
static char *gain_text(const struct isst_level *level, unsigned int cores)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;
	unsigned int gaining = level_gaining_buckets(level), bucket = 0;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	while (bucket + 1 < info->buckets && info->high_priority_cores[bucket] < cores)
		bucket++;
	if (gaining == 0)
		fputs("no number gains", text.stream);
	else
		fprintf(text.stream, "%u/package is the most%s",
			info->high_priority_cores[gaining - 1],
			gaining < info->buckets ? " that gains" : "");
	fprintf(text.stream, ": with %u, these reach up to %u MHz", cores,
		info->mhz[0][bucket].value);
	if (info->clip_mhz[0].state == ISST_KNOWN)
		fprintf(text.stream, " and all others %u MHz", info->clip_mhz[0].value);
	if (level_all_cores_mhz(level) > 0)
		fprintf(text.stream, ", without turbo-freq all up to %u MHz",
			level_all_cores_mhz(level));
	return memory_stream_text(&text);
}

/** Notes where the cores of a bucket are no faster than all cores without turbo-freq. */
static int note_no_gain(const struct chooser *chooser, unsigned int package, unsigned int cores,
			const struct isst_level *level)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;
	unsigned int gaining = level_gaining_buckets(level);
	char *gain;

	if (gaining == info->buckets ||
	    (gaining > 0 && info->high_priority_cores[gaining - 1] >= cores))
		return 0;
	gain = gain_text(level, cores);
	if (!gain)
		return -ENOMEM;
	message_notice(&chooser->context->messages, of_package(package),
		       "package %u: turbo-freq gains nothing for %u high priority %s: %s", package,
		       cores, platform_cores_word(&chooser->context->platform, cores), gain);
	free(gain);
	return 0;
}

/** Whether the last bucket of a package holds so many cores. Returns 0, or -EINVAL with a message
 * that has by how many they are too many, unless the choice allows that. */
static int check_last_bucket(const struct chooser *chooser, unsigned int package,
			     unsigned int cores)
{
	const struct isst_turbo_freq *info = NULL;
	const struct isst_level *smallest = NULL;
	const char *word = platform_cores_word(&chooser->context->platform, cores);
	unsigned int last = cores, all, gaining;
	char *buckets, without[128] = "";
	int error;

	/* The domain with the smallest number of cores in its last bucket. */
	for (size_t i = 0; i < chooser->domain_count; i++) {
		const struct isst_turbo_freq *own = info_of(chooser, i);

		if (!is_of_package(chooser, i, package) ||
		    (info && own->high_priority_cores[own->buckets - 1] >= last))
			continue;
		info = own;
		smallest = &chooser->domains[i].level;
		last = own->high_priority_cores[own->buckets - 1];
	}
	if (!info)
		return 0;
	if (cores <= last || chooser->choice->allow_lower_turbo)
		return cores == 0 || chooser->choice->quiet
			       ? 0
			       : note_no_gain(chooser, package, cores, smallest);
	buckets = turbo_freq_buckets_text(&chooser->context->platform, info);
	if (!buckets)
		return -ENOMEM;
	all = level_all_cores_mhz(smallest);
	if (info->clip_mhz[0].state == ISST_KNOWN)
		snprintf(without, sizeof(without), ", and all others at %u MHz",
			 info->clip_mhz[0].value);
	if (all > 0)
		snprintf(without + strlen(without), sizeof(without) - strlen(without),
			 "; without turbo-freq all at %u MHz", all);
	gaining = level_gaining_buckets(smallest);
	if (gaining < info->buckets && gaining > 0)
		snprintf(without + strlen(without), sizeof(without) - strlen(without),
			 ", so %u/package is the most that gains",
			 info->high_priority_cores[gaining - 1]);
	error = message_error_at(
		&chooser->context->messages, of_package(package), -EINVAL,
		"package %u: %u high priority %s are %u more than the last bucket of "
		"level %u holds (%s%s). isst levels shows the buckets of each level%s",
		package, cores, word, cores - last, smallest->level, buckets, without,
		chooser->choice->quiet ? "; high-priority in isst-config(5) has the "
					 "statements that choose so many"
				       : "");
	free(buckets);
	return error;
}

/* ---- What is known ---- */

/** What a choice depends on has to be known of each domain. */
static int check_level(const struct chooser *chooser, size_t i)
{
	const struct isst_level *level = &chooser->domains[i].level;
	const struct isst_failure *failure = &level->turbo_freq_info.failure;

	if (chooser->domains[i].profile.failure.error)
		failure = &chooser->domains[i].profile.failure;
	else if (level->features_assumed)
		return message_error_at(
			&chooser->context->messages, of_domain(level->domain), -EIO,
			"%s: the driver reports turbo-freq of the current level only "
			"(API version 2): cores can be chosen for level %u once it is set",
			level->domain->name, level->level);
	else if (level->turbo_freq == ISST_FEATURE_UNKNOWN)
		failure = &level->failure;
	else if (level->turbo_freq == ISST_FEATURE_UNSUPPORTED)
		return 0;
	if (!failure->error)
		return 0;
	return message_error(&chooser->context->messages, failure->error, "%s", failure->message);
}

/** Refuses where no domain has cores that could get a higher turbo frequency. */
static int check_any(const struct chooser *chooser)
{
	bool feature = false;

	for (size_t i = 0; i < chooser->domain_count; i++) {
		if (has_turbo_freq(chooser, i))
			return 0;
		feature |= chooser->domains[i].level.turbo_freq >= ISST_FEATURE_DISABLED;
	}
	if (chooser->domain_count == 0)
		return message_error(&chooser->context->messages, -EOPNOTSUPP,
				     "there are no cores to choose from");
	if (feature)
		return message_error(&chooser->context->messages, -EOPNOTSUPP,
				     "the firmware reports no bucket of turbo-freq at level %u",
				     chooser->domains[0].level.level);
	return message_error(&chooser->context->messages, -EOPNOTSUPP,
			     "turbo-freq feature is not present at level %u%s",
			     chooser->domains[0].level.level,
			     feature_levels_text(chooser->context, chooser->domains,
						 chooser->domain_count, FEATURE_TURBO_FREQ));
}

/* ---- What decides between the cores of a domain ---- */

/** The highest frequency. Where the kernel reports none, none is preferred; a core that is offline
 * as yet is taken to be one like most. */
static int rank_by_frequency(struct isst_context *context, struct core_candidate *cores,
			     const unsigned int *cpus, size_t count)
{
	unsigned int lowest = UINT_MAX;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		uint64_t khz = 0;

		error = cpufreq_read(&context->files, cpus[i], "cpuinfo_max_freq", &khz);
		cores[i].rank = error || khz > UINT_MAX ? 0 : (unsigned int)khz;
		error = error == -ENOENT ? 0 : error;
		if (cores[i].rank > 0 && cores[i].rank < lowest)
			lowest = cores[i].rank;
	}
	for (size_t i = 0; i < count && lowest < UINT_MAX; i++)
		if (cores[i].rank == 0)
			cores[i].rank = lowest;
	return error;
}

static int rank_by_clos(struct isst_context *context, struct core_candidate *cores,
			const unsigned int *cpus, size_t count)
{
	struct isst_clos_association *now = calloc(count + 1, sizeof(*now));
	int error = now ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		now[i].cpu = context_cpu(context, cpus[i]);
	if (!error)
		error = clos_association_read(context, now, count);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_failure *failure = &now[i].failure;

		cores[i].rank = !failure->error && now[i].clos == 0;
		if (failure->error && failure->error != -EOPNOTSUPP)
			error = message_error(&context->messages, failure->error, "%s",
					      failure->message);
	}
	free(now);
	return error;
}

/* ---- Cores to choose from ---- */

/** Whether a CPU will be online, and the level of domain @i enables it. */
static bool has_cpu(const struct chooser *chooser, size_t i, unsigned int cpu)
{
	const struct isst_cpuset *online = chooser->cpus ? chooser->cpus
							 : chooser->domains[i].domain->online;
	const struct isst_cpuset *enabled = chooser->domains[i].level.cpus;

	return isst_cpuset_has(online, cpu) && (!enabled || isst_cpuset_has(enabled, cpu));
}

/** The firmware's number of a CPU's core; CORES where it has none. */
static unsigned int core_of(const struct chooser *chooser, unsigned int cpu)
{
	const struct isst_cpu *place = context_cpu(chooser->context, cpu);

	return place && place->core_known && place->core < CORES ? place->core : CORES;
}

static bool is_wanted(const struct core_choice *choice, unsigned int cpu)
{
	return (!choice->within || isst_cpuset_has(choice->within, cpu)) &&
	       !isst_cpuset_has(choice->avoid, cpu);
}

/** The first CPU of each core that may be chosen, rather one that is online as yet; UINT_MAX: none.
 * A CPU that is not wanted keeps its siblings out. */
static void find_cores(const struct chooser *chooser, size_t i, unsigned int first[CORES])
{
	const struct isst_cpuset *online = chooser->domains[i].domain->online;
	uint64_t unwanted = 0;
	unsigned int cpu;

	for (unsigned int core = 0; core < CORES; core++)
		first[core] = UINT_MAX;
	isst_cpuset_for_each (cpu, chooser->domains[i].domain->present) {
		unsigned int core = core_of(chooser, cpu);

		if (core == CORES || !has_cpu(chooser, i, cpu))
			continue;
		if (!is_wanted(chooser->choice, cpu))
			unwanted |= UINT64_C(1) << core;
		else if (first[core] == UINT_MAX ||
			 (!isst_cpuset_has(online, first[core]) && isst_cpuset_has(online, cpu)))
			first[core] = cpu;
	}
	for (unsigned int core = 0; core < CORES; core++)
		if (unwanted >> core & 1)
			first[core] = UINT_MAX;
}

/** Adds the cores of a domain that may be chosen. While turbo is off most kernels give the base
 * frequency as their highest, which SST-BF and levels move: then those of CLOS 0 are before the
 * others, so that a choice made with turbo on stays. */
static int add_cores(struct chooser *chooser, size_t i, enum turbo_state turbo)
{
	struct core_candidate *candidates = &chooser->candidates[chooser->count];
	const struct isst_domain *domain = chooser->domains[i].domain;
	unsigned int first[CORES];
	size_t count = 0;
	bool hidden = false;
	int error = 0;

	find_cores(chooser, i, first);
	for (unsigned int core = 0; core < CORES; core++) {
		if (first[core] == UINT_MAX)
			continue;
		candidates[count] = (struct core_candidate){ .package = domain->package,
							     .domain = domain->index,
							     .core = core };
		first[count++] = first[core];
	}
	chooser->count += count;
	for (size_t j = 0; j < count && !hidden && !error; j++)
		error = cpufreq_hides_limit(&chooser->context->files, first[j], turbo, &hidden);
	if (error)
		return error;
	return hidden ? rank_by_clos(chooser->context, candidates, first, count)
		      : rank_by_frequency(chooser->context, candidates, first, count);
}

/** Finds the candidates. Returns 0 or a negative errno with a message. */
static int find_candidates(struct chooser *chooser)
{
	size_t domains = chooser->domain_count;
	enum turbo_state turbo;
	int error;

	chooser->candidates = calloc(domains * CORES + 1, sizeof(*chooser->candidates));
	if (!chooser->candidates)
		return -ENOMEM;
	error = cpufreq_turbo_state(&chooser->context->files, &turbo);
	for (size_t i = 0; i < domains && !error; i++) {
		const struct isst_domain *domain = chooser->domains[i].domain;
		const char *unknown = topology_domain(domain)->unknown_core;

		if (!has_turbo_freq(chooser, i))
			continue;
		error = unknown ? message_error_at(&chooser->context->messages, of_domain(domain),
						   -EIO, "%s: %s", domain->name, unknown)
				: add_cores(chooser, i, turbo);
	}
	return error;
}

/* ---- Sibling threads ---- */

/** How the threads of cores are, of which some have siblings that are not wanted. */
struct siblings {
	bool any;
	struct isst_cpuset *excluded; /* siblings of wanted ones */
};

static int add_excluded(const struct chooser *chooser, size_t i, struct siblings *siblings)
{
	uint64_t wanted = 0, seen = 0;
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, chooser->domains[i].domain->present) {
		unsigned int core = core_of(chooser, cpu);

		if (core == CORES || !has_cpu(chooser, i, cpu))
			continue;
		siblings->any |= seen >> core & 1;
		seen |= UINT64_C(1) << core;
		if (is_wanted(chooser->choice, cpu))
			wanted |= UINT64_C(1) << core;
	}
	isst_cpuset_for_each (cpu, chooser->domains[i].domain->present) {
		unsigned int core = core_of(chooser, cpu);

		if (!error && core < CORES && wanted >> core & 1 && has_cpu(chooser, i, cpu) &&
		    !is_wanted(chooser->choice, cpu))
			error = isst_cpuset_add(siblings->excluded, cpu, cpu);
	}
	return error;
}

/** What a user has to know of sibling threads, as the end of a sentence, to be freed; empty without
 * siblings, NULL without memory. @package: NULL: of all packages */
static char *siblings_text(const struct chooser *chooser, const unsigned int *package)
{
	struct siblings siblings = { .excluded = isst_cpuset_new() };
	const char *unit = platform_has(&chooser->context->platform, PLATFORM_COUNTS_MODULES)
				   ? "; cores of a module count as one"
				   : "; sibling threads count as one core";
	char *list, *text = NULL;
	int error = siblings.excluded ? 0 : -ENOMEM;

	for (size_t i = 0; i < chooser->domain_count && !error; i++)
		if (has_turbo_freq(chooser, i) &&
		    (!package || chooser->domains[i].domain->package == *package))
			error = add_excluded(chooser, i, &siblings);
	list = error ? NULL : name_numbers("CPU", siblings.excluded);
	if (list && isst_cpuset_count(siblings.excluded) > 0) {
		bool several = isst_cpuset_count(siblings.excluded) > 1;

		if (asprintf(&text, "%s, and %s %s excluded", unit, list, several ? "are" : "is") <
		    0)
			text = NULL;
	} else if (list) {
		text = strdup(siblings.any ? unit : "");
	}
	free(list);
	isst_cpuset_free(siblings.excluded);
	return text;
}

/* ---- Choosing ---- */

/** What keeps cores out, as the end of a sentence: ` within CPUs 0-3`; NULL without memory. */
static char *describe_places(const struct core_choice *choice)
{
	char *within = choice->within ? isst_cpuset_to_list(choice->within) : strdup("");
	char *avoid = choice->avoid ? isst_cpuset_to_list(choice->avoid) : strdup("");
	char *text = NULL;

	if (within && avoid &&
	    asprintf(&text, "%s%s%s%s%s%s", choice->within ? " within CPU" : "",
		     !choice->within	     ? ""
		     : strpbrk(within, ",-") ? "s "
					     : " ",
		     within, choice->avoid ? " without CPU" : "",
		     !choice->avoid	    ? ""
		     : strpbrk(avoid, ",-") ? "s "
					    : " ",
		     avoid) < 0)
		text = NULL;
	free(within);
	free(avoid);
	return text;
}

/** Reports how many cores are missing. @package: NULL: of all packages */
static int refuse_missing(const struct chooser *chooser, const unsigned int *package,
			  unsigned int wanted, size_t missing)
{
	const struct isst_platform *platform = &chooser->context->platform;
	struct messages *messages = &chooser->context->messages;
	char *places = describe_places(chooser->choice);
	char *siblings = siblings_text(chooser, package);
	char where[32] = "";
	int error = -ENOMEM;

	if (package)
		snprintf(where, sizeof(where), "package %u: ", *package);
	if (places && siblings && chooser->count == 0)
		error = message_error(messages, -EOPNOTSUPP, "no %s can get high priority%s%s",
				      platform_cores_word(platform, 1), places, siblings);
	else if (places && siblings)
		error = message_error(messages, -EINVAL,
				      "%sonly %zu of %u %s can get high priority%s: %zu %s "
				      "missing%s",
				      where, wanted - missing, wanted,
				      platform_cores_word(platform, wanted), places, missing,
				      missing == 1 ? "is" : "are", siblings);
	free(places);
	free(siblings);
	return error;
}

/** The number of candidates of a package from @first on; *@chosen: of those that were chosen. */
static size_t count_package(const struct chooser *chooser, size_t first, unsigned int *chosen)
{
	const struct core_candidate *candidates = chooser->candidates;
	size_t end = first;

	*chosen = 0;
	for (; end < chooser->count && candidates[end].package == candidates[first].package; end++)
		*chosen += candidates[end].chosen;
	return end - first;
}

static int by_package(const void *one, const void *other)
{
	const struct core_candidate *a = one, *b = other;

	return (a->package > b->package) - (a->package < b->package);
}

static int make_choice(struct chooser *chooser)
{
	const struct core_choice *choice = chooser->choice;
	unsigned int wanted = choice->number, chosen;
	size_t missing, count;
	int error = 0;

	if (chooser->count == 0)
		return refuse_missing(chooser, NULL, 0, 0);
	qsort(chooser->candidates, chooser->count, sizeof(*chooser->candidates), by_package);
	if (choice->kind == CHOICE_COUNT) {
		missing = core_choice_make(chooser->candidates, chooser->count, wanted, false);
		if (missing > 0)
			return refuse_missing(chooser, NULL, wanted, missing);
	}
	for (size_t i = 0; i < chooser->count && choice->kind != CHOICE_COUNT; i += count) {
		unsigned int package = chooser->candidates[i].package;

		count = count_package(chooser, i, &chosen);
		wanted = choice->number;
		if (choice->kind == CHOICE_BUCKET)
			error = find_bucket(chooser, package, choice->number, &wanted);
		if (error)
			return error;
		missing = core_choice_make(&chooser->candidates[i], count, wanted, true);
		if (missing > 0)
			return refuse_missing(chooser, &package, wanted, missing);
	}
	/* Whether the last bucket of each package holds what was chosen there. */
	for (size_t i = 0; i < chooser->count && !error; i += count) {
		count = count_package(chooser, i, &chosen);
		error = check_last_bucket(chooser, chooser->candidates[i].package, chosen);
	}
	return error;
}

/* ---- What was chosen ---- */

static int collect_chosen(const struct chooser *chooser, struct isst_cpuset *cpus)
{
	int error = 0;

	for (size_t i = 0; i < chooser->domain_count; i++) {
		const struct isst_domain *domain = chooser->domains[i].domain;
		uint64_t cores = 0;
		unsigned int cpu;

		for (size_t j = 0; j < chooser->count; j++)
			if (chooser->candidates[j].chosen &&
			    chooser->candidates[j].domain == domain->index)
				cores |= UINT64_C(1) << chooser->candidates[j].core;
		isst_cpuset_for_each (cpu, domain->present) {
			unsigned int core = core_of(chooser, cpu);

			if (!error && core < CORES && cores >> core & 1 && has_cpu(chooser, i, cpu))
				error = isst_cpuset_add(cpus, cpu, cpu);
		}
	}
	return error;
}

/** Refuses CPUs that do not exist. @list: the word for them that commands and configurations have
 */
static int check_cpus(struct isst_context *context, const struct isst_cpuset *cpus,
		      const char *list)
{
	struct isst_cpuset *absent = isst_cpuset_new();
	char *named = NULL, *online = NULL;
	int error = cpuset_add_except(absent, cpus, context->topology->present);

	if (!error && isst_cpuset_count(absent) > 0) {
		bool one = isst_cpuset_count(absent) == 1;

		named = isst_cpuset_to_list(absent);
		online = isst_cpuset_to_list(context->topology->online);
		error = !named || !online
				? -ENOMEM
				: message_error(&context->messages, -EOPNOTSUPP,
						"%s: CPU%s %s do%s not exist on this machine; CPUs "
						"that are online: %s",
						list, one ? "" : "s", named, one ? "es" : "",
						online);
	}
	free(named);
	free(online);
	isst_cpuset_free(absent);
	return error;
}

int high_priority_choose(struct isst_context *context, const struct domain_snapshot *domains,
			 size_t count, const struct isst_cpuset *cpus,
			 const struct core_choice *choice, struct isst_cpuset *chosen)
{
	const char *before = message_begin(&context->messages);
	struct chooser chooser = { .context = context,
				   .choice = choice,
				   .cpus = cpus,
				   .domains = calloc(count + 1, sizeof(*domains)) };
	struct isst_cpuset *found = isst_cpuset_new();
	int error = found && chooser.domains ? context_check_discovered(context) : -ENOMEM;

	if (!error && choice->kind != CHOICE_BUCKET && choice->number == 0)
		error = message_error(&context->messages, -EINVAL,
				      "the number of high priority cores is 0");
	if (!error)
		error = check_cpus(context, choice->within, "within");
	if (!error)
		error = check_cpus(context, choice->avoid, "avoid");
	/* There are no cores in domains without CPUs, whatever they report. */
	for (size_t i = 0; i < count && !error; i++)
		if (domains[i].counts && isst_cpuset_count(domains[i].domain->present) > 0)
			chooser.domains[chooser.domain_count++] = domains[i];
	for (size_t i = 0; i < chooser.domain_count && !error; i++)
		error = check_level(&chooser, i);
	if (!error)
		error = check_any(&chooser);
	if (!error)
		error = find_candidates(&chooser);
	if (!error)
		error = make_choice(&chooser);
	if (!error)
		error = collect_chosen(&chooser, found);
	if (!error)
		cpuset_swap(chosen, found);
	isst_cpuset_free(found);
	free(chooser.domains);
	free(chooser.candidates);
	return message_end(&context->messages, before, error);
}

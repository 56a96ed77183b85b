/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks, by what other commands call as well. */
#include "look.h"

#include "../../common/hash.h"

#include "../../common/memory_stream.h"
#include "../status/machine_status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fail(struct look *look, const char *why)
{
	if (!look->failure)
		look->failure = strdup(why && *why ? why : "out of memory");
}

void found_clear(struct found *found)
{
	free(found->key);
	free(found->target);
	free(found->stated);
	free(found->present);
}

void look_clear(struct look *look)
{
	for (size_t i = 0; i < look->count; i++)
		found_clear(&look->found[i]);
	free(look->found);
	free(look->failure);
	*look = (struct look){ 0 };
}

/** Adds a value of a place, or of CPUs of that place. */
static void add(const struct looker *looker, struct look *look, const char *place, const char *cpus,
		const char *what, const char *stated, const char *present)
{
	struct found found = { .stated = stated ? strdup(stated) : NULL,
			       .present = strdup(present) };
	const bool file = looker->file;
	struct found *more = look->found;

	/* What is compared with a file is another thing than the value itself. */
	if (asprintf(&found.key, "%s: %s%s%s", place, cpus ? "CPUs: " : "", what,
		     stated && file ? " as stated" : "") < 0)
		found.key = NULL;
	if (asprintf(&found.target, "%s: %s", cpus ? cpus : place, what) < 0)
		found.target = NULL;
	if (look->count == look->space) {
		look->space = look->space ? 2 * look->space : 32;
		more = realloc(look->found, look->space * sizeof(*more));
	}
	if (more)
		look->found = more;
	if (more && found.key && found.target && found.present && (found.stated || !stated)) {
		look->found[look->count++] = found;
		return;
	}
	look->space = look->count;
	found_clear(&found);
	fail(look, NULL);
}

/* ---- The small look ---- */

/** Whether a domain is read without interrupting a CPU that is isolated. */
static bool is_read_undisturbed(const struct looker *looker, const struct isst_domain *domain)
{
	return isst_domain_is_io(domain) || domain_has_reader(domain, looker->undisturbed);
}

static bool is_watched(const struct looker *looker, const struct isst_domain *domain)
{
	unsigned int cpu;

	if (firmware_is_asked_by_msr(looker->context) && !is_read_undisturbed(looker, domain))
		return false;
	if (!looker->cpus)
		return true;
	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		if (isst_cpuset_has(looker->cpus, cpu))
			return true;
	return false;
}

/** Adds a number of a domain, which is part of the digest; @what: NULL: of that alone. */
static void add_number(const struct looker *looker, struct look *look,
		       const struct isst_result *result, int id, const char *what,
		       const char *const *words)
{
	const char *place = isst_domain_name(isst_result_domain(result));
	unsigned int number;
	char text[16];
	int error = isst_result_value(result, id, &number);

	if (error && error != -ENODATA)
		fail(look, "a value could not be read");
	if (error)
		return;
	snprintf(text, sizeof(text), "%u", number);
	look->digest = hash_string(hash_string(look->digest, place), text);
	if (what)
		add(looker, look, place, NULL, what, NULL, words ? words[number != 0] : text);
}

/** A domain that does not support what is read has none of it; of one that fails nothing is known.
 */
static bool can_read(struct look *look, const struct isst_result *result)
{
	for (int part = ISST_PART_RESULT; part <= ISST_PART_PERF_PROFILE; part++) {
		int error = isst_result_error(result, part);

		if (error && error != -EOPNOTSUPP)
			fail(look, isst_result_message(result, part));
		if (error)
			return false;
	}
	return true;
}

static void add_levels(const struct looker *looker, struct look *look,
		       const struct isst_results *results)
{
	static const char *const locks[] = { "unlocked", "locked" };
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		if (!can_read(look, result))
			continue;
		add_number(looker, look, result, ISST_VALUE_CURRENT_LEVEL, "level", NULL);
		add_number(looker, look, result, ISST_VALUE_LOCKED, "lock", locks);
		add_number(looker, look, result, ISST_VALUE_TURBO_FREQ_STATE, NULL, NULL);
		add_number(looker, look, result, ISST_VALUE_BASE_FREQ_STATE, NULL, NULL);
	}
}

static void read_levels(const struct looker *looker, struct look *look)
{
	struct isst_targets *targets = isst_targets_new(looker->context);
	struct isst_results *results = NULL;
	const struct isst_domain *domain;
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 0; (domain = isst_domain_at(looker->context, i)) != NULL && !error; i++)
		if (is_watched(looker, domain))
			error = isst_targets_add_domain(targets, domain);
	if (!error)
		error = isst_read_levels(looker->context, targets, NULL, ISST_READ_LEVELS_CURRENT,
					 &results);
	if (error < 0 && !results)
		fail(look, isst_error(looker->context));
	add_levels(looker, look, results);
	isst_results_free(results);
	isst_targets_free(targets);
}

/** Whether the kernel or the BIOS has disabled turbo for all CPUs. */
static void read_turbo(const struct looker *looker, struct look *look)
{
	int disabled = isst_platform_fact(looker->context, ISST_FACT_TURBO_DISABLED);
	const char *turbo = disabled > 0 ? "disabled" : "enabled";

	if (disabled < 0 && disabled != -ENODATA)
		fail(look, isst_error(looker->context));
	if (disabled < 0)
		return;
	look->digest = hash_string(look->digest, turbo);
	add(looker, look, "machine", NULL, "turbo", NULL, turbo);
}

/** Adds which CPUs of a domain are offline. */
static void add_cpus(const struct looker *looker, struct look *look,
		     const struct isst_domain *domain)
{
	struct isst_cpuset *offline = isst_cpuset_new();
	char *list = NULL, *text = NULL;
	unsigned int cpu;
	int error = offline ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		if (!error && !isst_cpuset_has(isst_domain_online_cpus(domain), cpu))
			error = isst_cpuset_add(offline, cpu, cpu);
	if (!error)
		list = isst_cpuset_to_list(offline);
	if (!list || asprintf(&text, "%s%s", *list ? "offline " : "online", list) < 0)
		fail(look, NULL);
	else
		add(looker, look, isst_domain_name(domain), NULL, "CPUs", NULL, text);
	free(text);
	free(list);
	isst_cpuset_free(offline);
}

/** CPUs that are on- or offline, and those that the kernel isolates. */
static void read_cpus(const struct looker *looker, struct look *look)
{
	struct isst_cpuset *isolated = NULL;
	const struct isst_domain *domain;
	char *list;
	int error = isst_cpus_by_name(looker->context, "isolated", 0, &isolated);

	for (size_t i = 0; (domain = isst_domain_at(looker->context, i)) != NULL; i++)
		if (is_watched(looker, domain) && !isst_domain_is_io(domain))
			add_cpus(looker, look, domain);
	list = isst_cpuset_to_list(isolated);
	if (!list || (error && error != -EOPNOTSUPP)) {
		fail(look, isst_error(looker->context));
	} else {
		look->digest = hash_string(look->digest, list);
		add(looker, look, "machine", NULL, "isolated CPUs", NULL, *list ? list : "none");
	}
	free(list);
	isst_cpuset_free(isolated);
}

void looker_close(struct looker *looker)
{
	isst_close(looker->context);
	looker->context = NULL;
}

/** Which CPUs are isolated may change. Returns false after an error. */
static bool read_undisturbed(struct looker *looker, struct look *look)
{
	isst_cpuset_free(looker->undisturbed);
	if (isst_undisturbed_cpus(looker->context, &looker->undisturbed) == 0)
		return true;
	fail(look, isst_error(looker->context));
	return false;
}

/** Opens the machine, or follows CPUs that came or went. Returns false after an error. */
static bool follow_machine(struct looker *looker, struct look *look)
{
	int error;

	if (!looker->context) {
		looker->context = looker->open(looker->data);
		error = looker->context ? isst_discover(looker->context) : -ENOMEM;
	} else {
		error = isst_cpus_changed(looker->context);
		if (error > 0)
			error = isst_rediscover(looker->context);
	}
	if (error)
		fail(look, looker->context ? isst_error(looker->context) : NULL);
	return !error && (looker->undisturbed || read_undisturbed(looker, look));
}

static void look_at_values(const struct looker *looker, struct look *look)
{
	char *online = isst_cpuset_to_list(isst_online_cpus(looker->context));

	look->digest = hash_string(HASH_START, online ? online : "");
	free(online);
	read_levels(looker, look);
	if (!looker->file) {
		read_turbo(looker, look);
		read_cpus(looker, look);
	}
}

void look_small(struct looker *looker, struct look *look)
{
	*look = (struct look){ 0 };
	if (follow_machine(looker, look))
		look_at_values(looker, look);
	/* What went wrong may be the driver's going, or that of CPUs. */
	if (look->failure)
		looker_close(looker);
	else
		isst_close_device(looker->context);
}

/* ---- The whole look ---- */

/** The domain of the CPUs of a target, which are all of one: `CPU 0-3: CLOS`. NULL: the target is
 * none of CPUs, or they are of no known domain. */
static const struct isst_domain *domain_of_cpus(const struct looker *looker, const char *target)
{
	const struct isst_cpu *cpu = NULL;

	if (strncmp(target, "CPU ", 4) == 0)
		cpu = isst_cpu_by_number(looker->context,
					 (unsigned int)strtoul(target + 4, NULL, 10));
	return cpu ? isst_cpu_domain(cpu) : NULL;
}

static const struct isst_domain *domain_by_name(const struct looker *looker, const char *name)
{
	const struct isst_domain *domain;

	for (size_t i = 0; (domain = isst_domain_at(looker->context, i)) != NULL; i++)
		if (strcmp(isst_domain_name(domain), name) == 0)
			return domain;
	return NULL;
}

/** Whether the small look reads it: what is saved of CPUs may depend on the level. */
static bool is_small(const char *end)
{
	return !end || strcmp(end, ": level") == 0 || strcmp(end, ": CPUs") == 0;
}

static void add_difference(const struct looker *looker, struct look *look,
			   const struct isst_config_difference *difference)
{
	const char *target = isst_config_difference_target(difference);
	const char *end = strstr(target, ": ");
	char *place = strndup(target, end ? (size_t)(end - target) : strlen(target));
	const struct isst_domain *of_cpus = domain_of_cpus(looker, target), *domain;

	domain = of_cpus || !place ? of_cpus : domain_by_name(looker, place);
	if (!place)
		fail(look, NULL);
	else if ((!domain || is_watched(looker, domain)) && (looker->file || !is_small(end)))
		add(looker, look, of_cpus ? isst_domain_name(of_cpus) : place,
		    of_cpus ? place : NULL, end ? end + 2 : "CPUs",
		    isst_config_difference_wanted(difference),
		    isst_config_difference_present(difference));
	free(place);
}

/** Compares with a configuration. Returns false after an error. */
static bool compare(struct looker *looker, struct look *look, struct isst_config *config)
{
	const struct isst_config_difference *difference;
	const char *problem;
	int error = isst_config_check(config, looker->context, ISST_CONFIG_CHECK_SEPARATELY);

	for (size_t i = 0; (difference = isst_config_difference_at(config, i)) != NULL; i++)
		add_difference(looker, look, difference);
	problem = isst_config_problem_at(config, 0);
	if (error)
		fail(look, problem ? problem : isst_error(looker->context));
	return error == 0;
}

void look_write_place(const struct isst_domain *domain, FILE *stream)
{
	const char *name = isst_domain_name(domain);

	fprintf(stream, "%.*s %s%s: ", (int)strcspn(name, ","), name,
		strstr(name, ", power domain ") ? "powerdomain" : "die", strrchr(name, ' '));
}

/** What a domain is without that which only isolated CPUs can be asked for. */
static void write_unmanaged(const struct looker *looker, const struct isst_domain *domain,
			    FILE *stream)
{
	static const char *const subjects[] = {
		"turbo-ratio-limits", "level",	"turbo-freq", "base-freq", "core-power",
		"clos-enable",	      "clos 0", "clos 1",     "clos 2",	   "clos 3",
		"associations",
	};
	size_t count = firmware_is_asked_by_msr(looker->context)
			       ? sizeof(subjects) / sizeof(subjects[0])
			       : 1;

	for (size_t i = 0; i < count; i++) {
		look_write_place(domain, stream);
		fprintf(stream, "%s unmanaged\n", subjects[i]);
	}
}

/** Each comparison would interrupt isolated CPUs for what is read from MSRs. Returns 0 or a
 * negative errno. */
static int leave_isolated_alone(const struct looker *looker, struct isst_config *config)
{
	const struct isst_domain *domain;
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return error;
	for (size_t i = 0; (domain = isst_domain_at(looker->context, i)) != NULL; i++)
		if (!is_read_undisturbed(looker, domain))
			write_unmanaged(looker, domain, text.stream);
	error = memory_stream_close(&text);
	if (!error && text.size > 0)
		error = isst_config_add_text(config, "watch", text.text, text.size, 0);
	free(text.text);
	return error;
}

/** Reads what the machine is. Returns NULL after an error. */
static struct isst_config *read_all(struct looker *looker, struct look *look)
{
	struct isst_config *config;
	int error = isst_config_read(looker->context, ISST_CONFIG_READ_ALL, &config);

	if (!error)
		error = leave_isolated_alone(looker, config);
	if (!error)
		return config;
	fail(look, config ? "isolated CPUs cannot be left alone" : isst_error(looker->context));
	isst_config_free(config);
	return NULL;
}

void look_whole(struct looker *looker, struct look *look)
{
	struct isst_config *config = looker->file ? looker->file : looker->before;
	size_t count = look->count;

	if (look->failure || !read_undisturbed(looker, look))
		return;
	if (!config)
		config = read_all(looker, look);
	if (config && compare(looker, look, config) && !looker->file && !looker->before) {
		/* What was read is what the machine was if it still is so. */
		if (look->count == count)
			looker->before = config;
		else
			fail(look, "it changed while it was read");
	}
	if (config != looker->file && config != looker->before)
		isst_config_free(config);
	if (look->failure)
		looker_close(looker);
	else
		isst_close_device(looker->context);
}

bool looker_accept(struct looker *looker)
{
	struct look look = { 0 };
	struct isst_config *now = looker->file ? NULL : read_all(looker, &look);
	bool accepted = now && compare(looker, &look, now) && look.count == 0;

	if (accepted) {
		isst_config_free(looker->before);
		looker->before = now;
		now = NULL;
	}
	isst_config_free(now);
	look_clear(&look);
	isst_close_device(looker->context);
	return accepted;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The state after boot: kept before the first change, and extended by CPUs that are seen later. */
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "configuration/write.h"
#include "firmware/platform.h"
#include "isst-config.h"
#include "state/facts.h"
#include "state/read.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Defaults ---- */

/* No two parts state the same thing, so that the statements of all of them are one text, too. */
static const struct {
	unsigned int part;
	const char *statements;
	const char *proportional; /* instead, where CLOS have this priority; NULL: the same */
} DEFAULTS[] = {
	/* Where nothing else than ordered priority works, firmware may begin with either. */
	{ ISST_CONFIG_FEATURES,
	  "? turbo-freq off\n"
	  "? base-freq off\n"
	  "? core-power off\n",
	  "? turbo-freq off\n"
	  "? base-freq off\n"
	  "? core-power off proportional\n" },
	{ ISST_CONFIG_CLOS, "? clos 0-3: min 0 max none desired 0 epp 0 weight 0\n", NULL },
	{ ISST_CONFIG_ASSOCIATIONS, "? association 0\n", NULL },
	{ ISST_CONFIG_LIMITS,
	  "? turbo-ratio-limits level\n"
	  "? scaling-min none\n"
	  "? scaling-max none\n"
	  "? uncore-min none\n"
	  "? uncore-max none\n",
	  NULL },
	{ ISST_CONFIG_CPUS, "? cpus online\n", NULL },
};

int configuration_add_defaults(struct configuration *configuration,
			       const struct isst_context *context, unsigned int parts)
{
	bool proportional = platform_has(&context->platform, PLATFORM_PROPORTIONAL_PRIORITY);
	int error = 0;

	for (size_t i = 0; i < sizeof(DEFAULTS) / sizeof(DEFAULTS[0]) && !error; i++) {
		const char *statements = proportional && DEFAULTS[i].proportional
						 ? DEFAULTS[i].proportional
						 : DEFAULTS[i].statements;

		if (parts & DEFAULTS[i].part)
			error = configuration_add_text(configuration, "defaults", statements,
						       strlen(statements), TEXT_STATEMENT);
	}
	return error ? -ENOMEM : 0;
}

/* ---- The state after boot ---- */

static const struct domain_set everything;

/* ---- CPUs that were seen since ---- */

struct extension {
	struct isst_context *context;
	struct configuration *boot;
	struct configuration now;
	const struct isst_cpuset *before; /* CPUs that were seen then */
	struct isst_cpuset *seen;	  /* those that were since */
	struct origin origin;
};

static bool is_same_value(const struct setting *one, const struct setting *other)
{
	bool number = other->wanted == WANTED_NUMBER || other->wanted == WANTED_KHZ;

	return one && one->wanted == other->wanted && (!number || one->number == other->number);
}

/** Adds what a CPU has of a subject, unless that is stated: to the setting that was added for other
 * CPUs with the same value, if there is one. @first: of the settings added. */
static int add_of_cpu(struct extension *extension, size_t first, enum subject subject,
		      unsigned int number)
{
	struct configuration *boot = extension->boot;
	const struct isst_cpu *cpu = context_cpu(extension->context, number);
	const struct place place = { .package = cpu->domain->package,
				     .power_domain = domain_number(extension->context, cpu->domain),
				     .cpu = number,
				     .index = INDEX_ALL };
	const struct setting *now = configuration_find(&extension->now, subject, &place);
	struct setting setting;
	int error;

	if (!now || is_same_value(configuration_find(boot, subject, &place), now))
		return 0;
	for (size_t i = first; i < boot->setting_count; i++)
		if (boot->settings[i].subject == subject && is_same_value(&boot->settings[i], now))
			return isst_cpuset_add(boot->settings[i].cpus, number, number);
	setting = (struct setting){ .subject = subject,
				    .index = now->index,
				    .wanted = now->wanted,
				    .number = now->number,
				    .cpus = isst_cpuset_new(),
				    .origin = extension->origin };
	error = setting.cpus ? isst_cpuset_add(setting.cpus, number, number) : -ENOMEM;
	if (!error)
		return configuration_add(boot, &setting);
	setting_clear(&setting);
	return error;
}

static int add_of_cpus(struct extension *extension)
{
	size_t first = extension->boot->setting_count;
	unsigned int cpu;
	int error = 0;

	for (int subject = 0; subject < SUBJECTS && !error; subject++)
		isst_cpuset_for_each (cpu, extension->seen)
			if (!error && subject_is_of_cpus((enum subject)subject) &&
			    context_cpu(extension->context, cpu))
				error = add_of_cpu(extension, first, (enum subject)subject, cpu);
	return error;
}

/** Adds a setting of a domain, unless that is stated. */
static int add_of_domain(struct extension *extension, const struct isst_domain *domain,
			 const struct setting *now)
{
	const struct setting setting = { .subject = now->subject,
					 .index = now->index,
					 .wanted = now->wanted,
					 .number = now->number,
					 .origin = extension->origin };

	if (domain_setting(extension->context, &extension->now, now->subject, domain, now->index) !=
		    now ||
	    is_same_value(domain_setting(extension->context, extension->boot, now->subject, domain,
					 now->index),
			  now))
		return 0;
	return settings_add(extension->boot, extension->context, domain, setting);
}

static int add_of_packages(struct extension *extension)
{
	size_t count = isst_domain_count(extension->context);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_domain *domain = context_domain(extension->context, i);
		bool seen = false;

		/* Where no CPU was seen before nothing was stated, nor could be changed. */
		for (size_t j = 0; j < count; j++)
			seen |= context_domain(extension->context, j)->package == domain->package &&
				cpuset_overlaps(context_domain(extension->context, j)->present,
						extension->before);
		for (size_t j = 0; j < extension->now.setting_count && !error && !seen; j++) {
			const struct setting *now = &extension->now.settings[j];

			if (!subject_is_of_cpus(now->subject) && now->subject != SUBJECT_CPUS)
				error = add_of_domain(extension, domain, now);
		}
	}
	return error;
}

int configuration_add_seen(struct configuration *boot, struct isst_context *context, bool *any)
{
	struct extension extension = { .context = context, .boot = boot };
	int error;

	*any = false;
	error = configuration_find_seen(boot, context, &extension.before, &extension.seen);
	if (error || isst_cpuset_count(extension.seen) == 0)
		goto out;
	error = configuration_read_state(&extension.now, context, &everything, NULL);
	if (error == -EIO) {
		error = 0;
		message_notice(&context->messages, of_cpus(NULL, extension.seen),
			       "the state after boot does not include %s, seen since: %s",
			       message_numbers(&context->messages, "CPU", extension.seen),
			       extension.now.problem_count > 0 ? extension.now.problems[0].text
							       : isst_error(context));
		goto out;
	}
	if (!error)
		error = add_of_packages(&extension);
	if (!error)
		error = add_of_cpus(&extension);
	if (!error)
		error = configuration_note_seen(boot, context);
	*any = !error;
out:
	configuration_clear(&extension.now);
	isst_cpuset_free(extension.seen);
	return error;
}

int configuration_boot_state(struct isst_context *context, const char *kept, char **text)
{
	struct configuration state = { 0 };
	struct memory_stream memory;
	bool any = !kept;
	int error;

	*text = NULL;
	if (!kept) {
		error = configuration_read_state(&state, context, &everything, NULL);
		if (error == -EIO)
			error = 0;
	} else {
		error = configuration_add_text(&state, "state after boot", kept, strlen(kept),
					       TEXT_FILE);
		/* A damaged one is reported when it is returned to. */
		if (error == -EINVAL)
			error = 0;
		else if (!error)
			error = configuration_add_seen(&state, context, &any);
	}
	if (!error && any)
		error = memory_stream_open(&memory);
	if (!error && any) {
		error = configuration_write(memory.stream, &state);
		/* What is missing, as lines that are no statements; and as notices. */
		for (size_t i = 0; i < state.problem_count && !kept; i++) {
			const char *missing = state.problems[i].text;

			fprintf(memory.stream, CONFIGURATION_NOT_READ "%s\n", missing);
			message_notice(&context->messages, of_machine(), "this is not kept: %s",
				       missing);
		}
		/* Those of the text are written again. */
		for (const char *line = kept; line && (line = strstr(line, CONFIGURATION_NOT_READ));
		     line++)
			fprintf(memory.stream, "%.*s\n", (int)strcspn(line, "\n"), line);
		if (error)
			memory_stream_drop(&memory);
		else
			*text = memory_stream_text(&memory);
		error = !error && !*text ? -ENOMEM : error;
	}
	configuration_clear(&state);
	return error;
}

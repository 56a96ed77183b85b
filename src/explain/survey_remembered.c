/* SPDX-License-Identifier: BSD-3-Clause */
/* What is remembered since boot: the state after boot, the last configuration, saved settings. */
#include "base/cpuset.h"
#include "base/runtime_file.h"
#include "explain/survey.h"
#include "features/planning.h"
#include "state/applied.h"
#include "state/facts.h"
#include "state/read.h"
#include "state/wanted.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What a configuration states ---- */

/** A setting for a domain, or for a CPU of it; one that may be skipped states nothing for sure. */
static const struct setting *find_setting(const struct survey_domain *domain,
					  const struct survey_cpu *cpu,
					  const struct configuration *configuration,
					  enum subject subject, unsigned int index)
{
	const struct isst_context *context = domain->survey->context;
	const struct isst_domain *place = domain->domain;
	const struct place here = { .package = place->package,
				    .power_domain = domain_number(context, place),
				    .cpu = cpu ? cpu->cpu->number : 0,
				    .index = index };
	const struct setting *setting = cpu ? configuration_find(configuration, subject, &here)
					    : domain_setting(context, configuration, subject, place,
							     index);

	return setting && !setting->optional ? setting : NULL;
}

int survey_stated(const struct survey_domain *domain, const struct survey_cpu *cpu,
		  const struct configuration *configuration, enum subject subject)
{
	const struct setting *setting = find_setting(domain, cpu, configuration, subject,
						     INDEX_ALL);

	/* High priority cores imply turbo-freq and core-power. */
	if ((subject == SUBJECT_TURBO_FREQ || subject == SUBJECT_CORE_POWER) &&
	    !domain_setting(domain->survey->context, configuration, subject, domain->domain,
			    INDEX_ALL)) {
		setting = find_setting(domain, NULL, configuration, SUBJECT_HIGH_PRIORITY,
				       INDEX_ALL);
		return setting && setting->wanted == WANTED_CORES ? 1 : NOT_STATED;
	}
	return setting && setting->wanted == WANTED_NUMBER ? (int)setting->number : NOT_STATED;
}

bool survey_applies(const struct survey_domain *domain, const struct survey_cpu *cpu,
		    enum subject subject, unsigned int index, uint64_t value)
{
	const struct setting *setting = find_setting(domain, cpu, &domain->survey->applied, subject,
						     index);
	struct isst_value mhz;

	switch (setting ? setting->wanted : WANTED_UNMANAGED) {
	case WANTED_NUMBER:
	case WANTED_KHZ:
		return setting->number == value;
	case WANTED_LOWEST:
		return cpu && cpu->limits.processor.min_khz == value;
	case WANTED_BASE:
	case WANTED_TURBO:
		/* The level is the one that is in force now. */
		mhz = wanted_of_level(&domain->now->level, setting->wanted);
		return survey_has_level(domain) && mhz.state == ISST_KNOWN &&
		       mhz.value * UINT64_C(1000) == value;
	case WANTED_OFFLINE:
		return cpuset_contains(setting->cpus, domain->cpus_state.offline);
	default:
		return false;
	}
}

bool survey_applies_offline(const struct survey *survey, unsigned int cpu)
{
	for (size_t i = 0; i < survey->applied.setting_count; i++) {
		const struct setting *setting = &survey->applied.settings[i];

		if (setting->wanted == WANTED_OFFLINE && isst_cpuset_has(setting->cpus, cpu))
			return true;
	}
	return false;
}

/* ---- The state after boot ---- */

static int read_boot_state(struct survey *survey)
{
	char *text;
	int error = boot_state_read(survey->context, &text);

	if (!error)
		error = configuration_add_text(&survey->boot, "state after boot", text,
					       strlen(text), TEXT_FILE);
	free(text);
	survey->has_boot_state = !error;
	/* Without TPMI, once all CPUs of a die were offline, the kernel shows set limits as boot's.
	 */
	if (error || context_has_power_domains(survey->context))
		return error;
	survey_for_each_domain (domain, survey)
		for (unsigned int i = 0; i < domain->fabrics; i++) {
			const struct setting *max = domain_setting(survey->context, &survey->boot,
								   SUBJECT_UNCORE_MAX,
								   domain->domain, i);

			if (max && max->wanted == WANTED_KHZ &&
			    max->number > domain->uncore[i].initial.max_khz)
				domain->uncore[i].initial.max_khz = max->number;
		}
	return 0;
}

/* ---- The configuration that was applied last ---- */

/** Reads a regular file; *@text, to be freed. Returns 0 or a negative errno. */
static int read_file(const char *path, char **text)
{
	int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error;
	struct stat status;

	if (file < 0)
		return -errno;
	error = fstat(file, &status) || !S_ISREG(status.st_mode) ? -EINVAL
								 : file_read_text(file, text);
	close(file);
	return error;
}

static int read_applied(struct survey *survey)
{
	/* The shell takes a name of these for one word. */
	static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._+-,:@%";
	struct configuration configuration = { 0 };
	char digest[SHA256_DIGITS + 1];
	struct applied applied;
	struct sha256 hash;
	char *text = NULL;
	int error = applied_read(survey->context, &applied);
	const char *source = error ? NULL : applied.source;
	bool same = false;

	if (source)
		error = read_file(source, &text);
	if (text && !error) {
		sha256_begin(&hash);
		sha256_add(&hash, text, strlen(text));
		sha256_print(&hash, digest);
		same = strcmp(digest, applied.digest) == 0;
	}
	/* For the remedy: a relative name may mean another file by now, a dash begins an option. */
	if (source && *source && *source != '-' && source[strspn(source, PLAIN)] == '\0' &&
	    (same || *source == '/'))
		survey->applied_file = message_make(&survey->context->messages, "%s", source);
	/* What the text states counts where it is for this machine. */
	if (same && applied.succeeded)
		error = configuration_add_text(&configuration, source, text, strlen(text),
					       TEXT_FILE);
	if (same && applied.succeeded && !error)
		error = configuration_match(&configuration, survey->context);
	if (same && applied.succeeded && !error)
		survey->applied = configuration;
	else
		configuration_clear(&configuration);
	free(text);
	applied_clear(&applied);
	return error;
}

/* ---- Saved settings ---- */

static int read_saved(struct survey *survey)
{
	struct item_lines saved;
	int error = settings_read(survey->context, &saved);

	for (size_t i = 0; i < survey->count && !error; i++) {
		const struct item domain = item_of(ITEM_ASSOCIATION, survey->domains[i].domain, 0);

		for (size_t j = 0; j < saved.count; j++) {
			const struct item_line *line = &saved.items[j];

			if (settings_is_mark(line) || line->item.kind == ITEM_CPUSET_GROUPS ||
			    !item_same_domain(&line->item, &domain))
				continue;
			if (line->item.kind == ITEM_ASSOCIATION && line->written.number > 0)
				survey->domains[i].has_saved_classes = true;
			if (survey_has_level(&survey->domains[i]) &&
			    line->level == survey->domains[i].now->profile.current_level)
				survey->domains[i].saved |=
					strcmp(line->owner, feature_name(FEATURE_BASE_FREQ)) == 0
						? FEATURE_BASE_FREQ
						: FEATURE_TURBO_FREQ;
		}
	}
	item_lines_clear(&saved);
	/* Findings and remedies depend on it. */
	if (error)
		survey_note_file(survey, error);
	return error;
}

/* ---- All of them ---- */

void survey_read_remembered(struct survey *survey)
{
	struct messages *messages = &survey->context->messages;
	struct message_list notices = messages_take_notices(messages);
	const char *before = messages->error;
	const int errors[] = {
		read_boot_state(survey),
		read_applied(survey),
		read_saved(survey),
	};
	struct message_list made = messages_take_notices(messages);

	message_list_free(&made);
	messages_put_notices(messages, notices);
	messages->error = before;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] == -ENOMEM)
			survey_take_error(survey, errors[i]);
}

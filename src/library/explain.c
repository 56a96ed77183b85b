/* SPDX-License-Identifier: BSD-3-Clause */
/* Why CPUs run as they do, as programs see it. */
#include "base/cpuset.h"
#include "configuration/configuration.h"
#include "explain/findings.h"
#include "features/planning.h"
#include "library/getters.h"
#include "library/targets.h"
#include "state/applied.h"
#include "state/facts.h"
#include "state/match.h"
#include "state/wanted.h"
#include "transaction/boot_state.h"
#include "transaction/saved_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What a configuration states of a domain ---- */

/** The number of a setting; one that may be skipped states nothing for sure. */
static int stated_number(const struct setting *setting)
{
	return setting && setting->wanted == WANTED_NUMBER && !setting->optional
		       ? (int)setting->number
		       : NOT_STATED;
}

static int stated(struct isst_context *context, const struct configuration *configuration,
		  const struct isst_domain *domain, enum subject subject)
{
	return stated_number(domain_setting(context, configuration, subject, domain, INDEX_ALL));
}

/** High priority cores imply turbo-freq and core-power. */
static int stated_or_implied(struct isst_context *context,
			     const struct configuration *configuration,
			     const struct isst_domain *domain, enum subject subject)
{
	const struct setting *cores = domain_setting(context, configuration, SUBJECT_HIGH_PRIORITY,
						     domain, INDEX_ALL);

	if (domain_setting(context, configuration, subject, domain, INDEX_ALL))
		return stated(context, configuration, domain, subject);
	return cores && cores->wanted == WANTED_CORES && !cores->optional ? 1 : NOT_STATED;
}

static struct survey_stated stated_of(struct isst_context *context,
				      const struct configuration *configuration,
				      const struct isst_domain *domain)
{
	return (struct survey_stated){
		.level = stated(context, configuration, domain, SUBJECT_LEVEL),
		.turbo_freq = stated_or_implied(context, configuration, domain, SUBJECT_TURBO_FREQ),
		.base_freq = stated(context, configuration, domain, SUBJECT_BASE_FREQ),
		.core_power = stated_or_implied(context, configuration, domain, SUBJECT_CORE_POWER),
	};
}

/* ---- The state after boot ---- */

static int read_boot_state(struct survey *survey)
{
	struct configuration boot = { 0 };
	size_t size;
	char *text;
	int error = boot_state_read(survey->context, &text, &size);

	if (!error)
		error = configuration_add_text(&boot, "state after boot", text, size, true);
	for (size_t i = 0; i < survey->count && !error; i++) {
		struct survey_domain *domain = &survey->domains[i];

		domain->boot = stated_of(survey->context, &boot, domain->domain);
		/* What the kernel has for the uncore limits of boot can be limits that were set
		 * before all CPUs of a die were offline, but by TPMI. */
		for (unsigned int j = 0;
		     j < domain->fabrics && !context_has_power_domains(survey->context); j++) {
			const struct setting *max = domain_setting(
				survey->context, &boot, SUBJECT_UNCORE_MAX, domain->domain, j);

			if (max && max->wanted == WANTED_KHZ &&
			    max->number > domain->uncore[j].initial.max_khz)
				domain->uncore[j].initial.max_khz = max->number;
		}
	}
	survey->has_boot_state = !error;
	configuration_clear(&boot);
	free(text);
	return error;
}

/* ---- The configuration that was applied last ---- */

enum { LARGEST_FILE = 1 << 20 };

/** Reads a regular file; *@text, to be freed. Returns 0 or a negative errno. */
static int read_file(const char *path, char **text, size_t *size)
{
	int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	ssize_t length = 0;

	*text = NULL;
	*size = 0;
	if (file < 0)
		return -errno;
	if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size > LARGEST_FILE) {
		close(file);
		return -EINVAL;
	}
	*text = malloc((size_t)status.st_size + 1);
	while (*text && *size < (size_t)status.st_size &&
	       (length = read(file, *text + *size, (size_t)status.st_size - *size)) > 0)
		*size += (size_t)length;
	close(file);
	if (!*text)
		return -ENOMEM;
	(*text)[*size] = '\0';
	return length < 0 ? -EIO : 0;
}

/** Whether a setting states a frequency as it is. The level is the one that is in force now. */
static bool states_khz(const struct setting *setting, const struct survey_domain *domain,
		       const struct frequency_limits *processor, uint64_t khz)
{
	struct isst_value mhz;

	if (!setting || setting->optional)
		return false;
	switch (setting->wanted) {
	case WANTED_KHZ:
		return setting->number == khz;
	case WANTED_LOWEST:
		return processor && processor->min_khz == khz;
	case WANTED_BASE:
	case WANTED_TURBO:
		mhz = wanted_of_level(&domain->now->level, setting->wanted);
		return survey_has_level(domain) && mhz.state == ISST_KNOWN &&
		       mhz.value * UINT64_C(1000) == khz;
	default:
		return false;
	}
}

/** What the configuration that was applied states of a domain as it is. */
static void take_domain(struct isst_context *context, const struct configuration *configuration,
			struct survey_domain *domain)
{
	const struct isst_domain *place = domain->domain;
	const struct setting *limits = domain_setting(context, configuration,
						      SUBJECT_TURBO_RATIO_LIMITS, place, INDEX_ALL);
	const struct setting *cpus = domain_setting(context, configuration, SUBJECT_CPUS, place,
						    INDEX_ALL);

	domain->applied = stated_of(context, configuration, place);
	domain->offline_applied = cpus && cpus->wanted == WANTED_OFFLINE && !cpus->optional &&
				  cpuset_contains(cpus->cpus, domain->cpus_state.offline);
	domain->limits_applied = limits && limits->wanted == WANTED_NUMBER && !limits->optional &&
				 limits->number == domain->limits.value;
	for (unsigned int i = 0; i < ISST_CLOS_COUNT; i++)
		domain->clos_max_applied[i] = states_khz(
			domain_setting(context, configuration, SUBJECT_CLOS_MAX, place, i), domain,
			NULL, domain->clos[i].max_mhz * UINT64_C(1000));
	for (unsigned int i = 0; i < domain->fabrics; i++)
		domain->uncore_max_applied[i] = states_khz(
			domain_setting(context, configuration, SUBJECT_UNCORE_MAX, place, i),
			domain, NULL, domain->uncore[i].now.max_khz);
	survey_for_each_cpu (cpu, domain) {
		const struct place here = { .package = place->package,
					    .power_domain = domain_number(context, place),
					    .cpu = cpu->cpu->number,
					    .index = INDEX_ALL };
		uint64_t khz = cpu->limits.now.max_khz;

		cpu->applied_clos = stated_number(
			configuration_find(configuration, SUBJECT_ASSOCIATION, &here));
		cpu->max_applied = cpu->has_cpufreq && khz != LIMIT_NONE &&
				   states_khz(configuration_find(configuration, SUBJECT_SCALING_MAX,
								 &here),
					      domain, &cpu->limits.processor, khz);
	}
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
	size_t size = 0;
	int error = applied_read(survey->context, &applied);
	const char *source = error ? NULL : applied.source;
	bool same = false;

	if (source)
		error = read_file(source, &text, &size);
	if (source && !error) {
		sha256_begin(&hash);
		sha256_add(&hash, text, size);
		sha256_print(&hash, digest);
		same = strcmp(digest, applied.digest) == 0;
	}
	/* For the remedy. A relative name may be that of another file by now, unless it was read,
	 * and one with a dash would be an option. */
	if (source && *source && *source != '-' && source[strspn(source, PLAIN)] == '\0' &&
	    (same || *source == '/'))
		survey->applied_file = message_make(&survey->context->messages, "%s", source);
	/* What the text states counts where it is for this machine. */
	if (same && applied.succeeded)
		error = configuration_add_text(&configuration, source, text, size, true);
	if (same && applied.succeeded && !error)
		error = configuration_match(&configuration, survey->context);
	if (same && applied.succeeded && !error)
		survey_for_each_domain (domain, survey)
			take_domain(survey->context, &configuration, domain);
	configuration_clear(&configuration);
	free(text);
	applied_clear(&applied);
	return error;
}

/* ---- Saved settings ---- */

static int read_saved(struct survey *survey, const char *name)
{
	struct item_lines saved;
	int error = settings_file_read(survey->context, name, &saved);

	for (size_t i = 0; i < survey->count && !error; i++) {
		const struct item domain = item_of(ITEM_ASSOCIATION, survey->domains[i].domain, 0);

		for (size_t j = 0; j < saved.count; j++) {
			const struct item_line *line = &saved.items[j];

			if (line->item.kind == ITEM_ASSOCIATION && !settings_is_mark(line) &&
			    item_same_domain(&line->item, &domain) && line->written.number > 0)
				survey->domains[i].has_saved_classes = true;
		}
	}
	item_lines_clear(&saved);
	return error;
}

/* ---- All of them ---- */

/** As `read_records` of struct survey_scope. */
static int explain_read_records(struct survey *survey)
{
	struct messages *messages = &survey->context->messages;
	struct notices notices = messages_take_notices(messages);
	const char *before = messages->error;
	const bool resumed = survey->resumes > 0;
	const int errors[] = {
		read_boot_state(survey),
		read_applied(survey),
		resumed ? read_saved(survey, feature_name(FEATURE_TURBO_FREQ)) : 0,
		resumed ? read_saved(survey, feature_name(FEATURE_BASE_FREQ)) : 0,
	};
	struct notices made = messages_take_notices(messages);

	notices_free(&made);
	messages_put_notices(messages, notices);
	messages->error = before;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] == -ENOMEM || errors[i] == -EINTR)
			return errors[i];
	return 0;
}

/* ---- Explaining ---- */

struct isst_explanation {
	ISST_MAY_GROW;
	struct survey survey;
	struct findings findings;
	struct isst_cpuset *named; /* NULL: the targets were domains */
	bool measure, limits_only;
};

int isst_finding_code_at(size_t index)
{
	for (size_t i = 0; i <= index; i++)
		if (!finding_codes[i].code)
			return 0;
	return finding_codes[index].code;
}

const char *isst_finding_code_name(int code)
{
	return finding_code(code)->name;
}

void isst_explanation_free(struct isst_explanation *explanation)
{
	if (!explanation)
		return;
	findings_clear(&explanation->findings);
	survey_clear(&explanation->survey);
	isst_cpuset_free(explanation->named);
	free(explanation);
}

/** Looks for everything in a survey. Returns 0 or -ENOMEM. */
static int run_checks(const struct survey *survey, struct findings *findings)
{
	static void (*const ALL[])(struct findings * findings) = {
		check_clos,	check_turbo_freq, check_levels,	    check_resume,
		check_cpufreq,	check_reasons,	  check_registers,  check_managers,
		check_measured, check_choices,	  check_advisories, NULL,
	};
	static void (*const LIMITS[])(struct findings * findings) = { check_reasons,
								      check_registers, NULL };
	void (*const *checks)(struct findings * findings) = survey->limits_only ? LIMITS : ALL;

	*findings = (struct findings){ .survey = survey };
	for (size_t i = 0; checks[i] && !findings->error; i++)
		checks[i](findings);
	return findings->error ? findings->error : findings_finish(findings);
}

static int find_findings(struct isst_context *context, const struct target_list *list,
			 struct isst_explanation *explanation)
{
	int error = 0;

	for (size_t i = 0; i < list->domain_count && !error; i++)
		error = context_check_domain(context, list->domains[i]);
	if (!error && list->cpu_count > 0) {
		explanation->named = isst_cpuset_new();
		error = explanation->named ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < list->cpu_count && !error; i++)
		error = isst_cpuset_add(explanation->named, list->cpus[i]->number,
					list->cpus[i]->number);
	if (!error)
		error = survey_read(&explanation->survey, context,
				    &(struct survey_scope){ .domains = list->domains,
							    .count = list->domain_count,
							    .cpus = explanation->named,
							    .measure = explanation->measure,
							    .limits_only = explanation->limits_only,
							    .read_records = explain_read_records });
	return error ? error : run_checks(&explanation->survey, &explanation->findings);
}

int isst_explain(struct isst_context *context, const struct isst_targets *targets,
		 const struct isst_request *request, unsigned int flags,
		 struct isst_explanation **explanation)
{
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .flags = flags,
				   .known_flags = ISST_EXPLAIN_MEASURE | ISST_EXPLAIN_LIMITS };
	struct isst_explanation *made;
	struct target_list list;
	const char *before;
	bool lost;
	int error;

	if (!context || !explanation)
		return context_refuse(context, "there is nowhere to put the explanation (NULL)");
	*explanation = NULL;
	error = call_check(&call, &list);
	if (!error && (flags & ISST_EXPLAIN_MEASURE) && (flags & ISST_EXPLAIN_LIMITS))
		error = context_refuse(context, "ISST_EXPLAIN_LIMITS measures nothing");
	if (error)
		return error;
	before = message_begin(&context->messages);
	made = calloc(1, sizeof(*made));
	if (made) {
		made->measure = flags & ISST_EXPLAIN_MEASURE;
		made->limits_only = flags & ISST_EXPLAIN_LIMITS;
	}
	/* A text that could not be made is an error: findings consist of texts. */
	lost = context->messages.lost;
	context->messages.lost = false;
	error = made ? find_findings(context, &list, made) : -ENOMEM;
	if (!error && context->messages.lost)
		error = -ENOMEM;
	context->messages.lost |= lost;
	error = message_end(&context->messages, before, error);
	if (error || !made) {
		isst_explanation_free(made);
		return error;
	}
	*explanation = made;
	return made->survey.unread.count > 0 ? ISST_PARTIAL : 0;
}

const struct isst_finding *isst_explanation_finding_at(const struct isst_explanation *explanation,
						       size_t index)
{
	return explanation && index < explanation->findings.count
		       ? explanation->findings.items[index]
		       : NULL;
}

static const char *text_at(const struct survey_texts *list, size_t index)
{
	return index < list->count ? list->texts[index] : NULL;
}

const char *isst_explanation_unread_at(const struct isst_explanation *explanation, size_t index)
{
	return explanation ? text_at(&explanation->survey.unread, index) : NULL;
}

const char *isst_explanation_note_at(const struct isst_explanation *explanation, size_t index)
{
	return explanation ? text_at(&explanation->survey.notes, index) : NULL;
}

unsigned int isst_explanation_measured_mhz(const struct isst_explanation *explanation,
					   unsigned int cpu)
{
	enum { KHZ_PER_MHZ = 1000 };

	if (!explanation || !explanation->measure)
		return 0;
	for (size_t i = 0; i < explanation->survey.count; i++) {
		const struct survey_domain *domain = &explanation->survey.domains[i];

		survey_for_each_cpu (other, domain)
			if (other->cpu->number == cpu)
				return (unsigned int)(other->measured_khz / KHZ_PER_MHZ);
	}
	return 0;
}

GETTER(int, isst_finding_code, isst_finding, code, 0)
GETTER(const char *, isst_finding_name, isst_finding, name, NULL)
GETTER(int, isst_finding_severity, isst_finding, severity, 0)
GETTER(const char *, isst_finding_place, isst_finding, place, NULL)
GETTER(const struct isst_cpuset *, isst_finding_cpus, isst_finding, cpus, NULL)
GETTER(const struct isst_cpuset *, isst_finding_packages, isst_finding, packages, NULL)
GETTER(const char *, isst_finding_evidence, isst_finding, read, NULL)
GETTER(const char *, isst_finding_meaning, isst_finding, meaning, NULL)
GETTER(const char *, isst_finding_remedy, isst_finding, remedy, NULL)

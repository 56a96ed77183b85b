/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations as programs see them, and the record of the last one that was applied. */
#include "common/memory_stream.h"
#include "configuration/write.h"
#include "library/getters.h"
#include "library/targets.h"
#include "state/applied.h"
#include "state/apply.h"
#include "state/compare.h"
#include "state/read.h"
#include "sysfs/cpufreq.h"
#include "sysfs/system.h"
#include "transaction/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct isst_config {
	struct configuration configuration;
	struct sha256 hash; /* of all texts */
	char *source;	    /* NULL: no file was added */
	size_t text_count;  /* those that were added */
	bool of_machine;    /* it begins with what was read of a machine, or its defaults */
	const struct isst_targets *targets; /* the caller's; NULL: the machine as a whole */
	/* Of the last call: */
	struct messages texts;
	struct message_list problems, skipped; /* each with the place of its statement */
	struct differences differences;
	struct isst_cpuset *high_priority;
};

struct isst_config *isst_config_new(void)
{
	struct isst_config *config = calloc(1, sizeof(struct isst_config));

	if (config)
		sha256_begin(&config->hash);
	return config;
}

/** Each call begins with it: results are of the last call, also of one that was refused. */
static void forget_results(struct isst_config *config)
{
	if (!config)
		return;
	message_list_free(&config->problems);
	message_list_free(&config->skipped);
	messages_free(&config->texts);
	config->texts = (struct messages){ 0 };
	differences_clear(&config->differences);
	isst_cpuset_free(config->high_priority);
	config->high_priority = NULL;
}

void isst_config_free(struct isst_config *config)
{
	if (!config)
		return;
	forget_results(config);
	configuration_clear(&config->configuration);
	free(config->source);
	free(config);
}

/** `FILE:3`, or the name alone of a text that is no file. @lines: `FILE:3-5`; NULL: one line */
static char *origin_text(const struct configuration *configuration, const struct origin *origin,
			 const struct isst_cpuset *lines)
{
	const char *name = origin->source < configuration->source_count
				   ? configuration->sources[origin->source]
				   : "";
	char *text,
		*list = lines && isst_cpuset_count(lines) > 1 ? isst_cpuset_to_list(lines) : NULL;
	int length;

	if (list)
		length = asprintf(&text, "%s:%s", name, list);
	else
		length = origin->line > 0 ? asprintf(&text, "%s:%u", name, origin->line)
					  : asprintf(&text, "%s", name);
	free(list);
	return length < 0 ? NULL : text;
}

/** Adds what was found of a statement; @context: NULL: of its text alone. Returns 0 or -ENOMEM. */
static int keep(struct isst_config *config, const struct isst_context *context,
		struct message_list *list, const struct origin *origin, const char *what, int code,
		int level, int error)
{
	/* A user does not know the lines of a state of the machine itself. */
	const bool own = config->of_machine && origin->source == 0;
	const struct origin place = { .source = origin->source, .line = own ? 0 : origin->line };
	char *where = origin_text(&config->configuration, &place, NULL);
	const struct isst_message *message = NULL;

	if (where)
		message = message_find(
			&config->texts,
			message_make_at(&config->texts,
					context ? of_text(&context->messages, what) : of_machine(),
					"%s%s%s", where, *where ? ": " : "", what));
	free(where);
	if (!message || config->texts.lost)
		return -ENOMEM;
	message_mark(message, code, level, error);
	return message_list_add(list, message);
}

/** Takes over what a call found. Returns @error, or -ENOMEM. */
static int keep_problems(struct isst_config *config, const struct isst_context *context, int error)
{
	struct configuration *configuration = &config->configuration;
	int result = error;

	for (size_t i = 0; i < configuration->problem_count; i++) {
		struct problem *problem = &configuration->problems[i];

		if (keep(config, context, &config->problems, &problem->origin, problem->text, 0,
			 ISST_LOG_ERROR, error < 0 ? error : 0))
			result = -ENOMEM;
		free(problem->text);
	}
	free(configuration->problems);
	configuration->problems = NULL;
	configuration->problem_count = 0;
	return result;
}

/** The error of a call, which is its first problem. */
static int report_problem(const struct isst_config *config, struct isst_context *context, int error)
{
	const struct isst_message *problem = message_at(&config->problems, 0);

	return error < 0 && problem ? message_error_at(&context->messages, problem->place, error,
						       "%s", problem->text)
				    : error;
}

int isst_config_add_text(struct isst_config *config, const char *name, const char *text,
			 size_t size, unsigned int flags)
{
	bool file = flags & ISST_CONFIG_ADD_FILE;
	const char *newline;
	char *source = NULL;
	size_t sources;
	int error;

	forget_results(config);
	if (!config || !name || !text || flags & ~ISST_CONFIG_ADD_FILE)
		return -EINVAL;
	if (file && !config->source) {
		source = strdup(name);
		if (!source)
			return -ENOMEM;
	}
	sources = config->configuration.source_count;
	newline = memchr(text, '\n', size);
	error = configuration_add_text(&config->configuration, name, text, size,
				       file				      ? TEXT_FILE
				       : newline && newline + 1 < text + size ? TEXT_LINES
									      : TEXT_STATEMENT);
	error = keep_problems(config, NULL, error);
	if (error) {
		/* The problems are texts now, which have the name in them. */
		configuration_drop_sources(&config->configuration, sources);
		free(source);
		return error;
	}
	if (source)
		config->source = source;
	config->text_count++;
	/* The digest has a file as it is, a statement as a line. */
	sha256_add(&config->hash, text, size);
	if (!file)
		sha256_add(&config->hash, "\n", 1);
	return 0;
}

ITEM_GETTER(const struct isst_message *, isst_config_problem_at, isst_config, problems.count,
	    problems.items[index], NULL)
ITEM_GETTER(const struct isst_message *, isst_config_skipped_at, isst_config, skipped.count,
	    skipped.items[index], NULL)

int isst_config_to_text(const struct isst_config *config, unsigned int flags, char **text)
{
	struct memory_stream memory;

	if (text)
		*text = NULL;
	if (!config || !text || flags)
		return -EINVAL;
	/* One text cannot state what of an earlier one a later one overrides. */
	if (config->text_count + config->of_machine > 1)
		return -ENODATA;
	if (memory_stream_open(&memory))
		return -ENOMEM;
	if (configuration_write(memory.stream, &config->configuration))
		memory_stream_drop(&memory);
	else
		*text = memory_stream_text(&memory);
	return *text ? 0 : -ENOMEM;
}

/* ---- Configurations of a machine ---- */

/** Ends a call that makes a configuration: hands it out, or fails with its first problem. */
static int hand_out(struct isst_context *context, struct isst_config *made, int error,
		    struct isst_config **config)
{
	*config = NULL;
	if (!made)
		return call_no_memory(context);
	error = keep_problems(made, context, error);
	if (!error) {
		made->of_machine = true;
		*config = made;
		return 0;
	}
	error = error == -ENOMEM ? call_no_memory(context) : report_problem(made, context, error);
	isst_config_free(made);
	return error;
}

/** Adds the state after boot. Returns as boot_state_read(), or -EIO with a message. */
static int add_boot_state(struct isst_context *context, struct configuration *configuration)
{
	bool any;
	char *text;
	int error = boot_state_read(context, &text);
	const char *line = error ? NULL : strstr(text, CONFIGURATION_NOT_READ);

	for (; line; line = strstr(line, CONFIGURATION_NOT_READ)) {
		line += strlen(CONFIGURATION_NOT_READ);
		message_notice(&context->messages, of_machine(),
			       "the state after boot is incomplete: when it was kept, this could "
			       "not be read: %.*s",
			       (int)strcspn(line, "\n"), line);
	}
	if (!error)
		error = configuration_add_text(configuration, "state after boot", text,
					       strlen(text), TEXT_FILE);
	free(text);
	if (!error)
		return configuration_add_seen(configuration, context, &any);
	if (error != -EINVAL)
		return error;
	error = message_error(&context->messages, -EIO, "the state after boot is damaged: %s",
			      configuration->problem_count > 0 ? configuration->problems[0].text
							       : "it cannot be parsed");
	/* The message stands for all of them. */
	configuration_clear(configuration);
	return error;
}

/** What is left out of a state by default. */
static int add_ordinary(struct isst_context *context, struct configuration *ordinary)
{
	int error = add_boot_state(context, ordinary);

	if (error == 0 || error == -ENOMEM)
		return error;
	/* Without a change since boot there is none. */
	if (error != -ENOENT)
		message_notice(&context->messages, of_machine(),
			       "what is left out is what the defaults have, not the state after "
			       "boot: %s",
			       isst_error(context));
	configuration_clear(ordinary);
	return configuration_add_defaults(ordinary, context,
					  ISST_CONFIG_CLOS | ISST_CONFIG_ASSOCIATIONS |
						  ISST_CONFIG_FEATURES | ISST_CONFIG_LIMITS |
						  ISST_CONFIG_CPUS);
}

static int check_targets(struct isst_context *context, const struct isst_targets *targets,
			 bool undisturbed, struct domain_set *domains)
{
	const struct call call = { .context = context, .targets = targets };
	struct target_list list = { 0 };
	int error = targets ? call_check(&call, &list) : 0;

	*domains = (struct domain_set){ targets, list.domains, list.domain_count, undisturbed };
	if (undisturbed)
		undisturbed_forget(&context->files);
	return error;
}

int isst_config_read(struct isst_context *context, const struct isst_targets *targets,
		     unsigned int flags, struct isst_config **config)
{
	struct configuration ordinary = { 0 };
	enum turbo_state turbo = TURBO_UNKNOWN;
	struct isst_config *made;
	struct domain_set domains;
	bool unseen = false;
	unsigned int cpu;
	int error;

	if (!context || !config || flags & ~(ISST_CONFIG_READ_ALL | ISST_CONFIG_READ_UNDISTURBED))
		return context_refuse(context, "the flags of isst_config_read() are not known, or "
					       "there is nowhere to put the configuration (NULL)");
	*config = NULL;
	error = context_check_discovered(context);
	if (!error)
		error = check_targets(context, targets, flags & ISST_CONFIG_READ_UNDISTURBED,
				      &domains);
	if (error)
		return error;
	made = isst_config_new();
	error = made ? 0 : -ENOMEM;
	if (!error && !(flags & ISST_CONFIG_READ_ALL))
		error = add_ordinary(context, &ordinary);
	if (!error)
		error = configuration_read_state(&made->configuration, context, &domains,
						 flags & ISST_CONFIG_READ_ALL ? NULL : &ordinary);
	/* An upper limit that turbo hides reads as none, and is saved as that. */
	if (!error)
		error = cpufreq_turbo_state(&context->files, &turbo);
	if (!error && isst_cpuset_next(isst_online_cpus(context), 0, &cpu))
		error = cpufreq_hides_limit(&context->files, cpu, turbo, &unseen);
	if (unseen && !error)
		message_notice(&context->messages, of_machine(),
			       "scaling limits from the base frequency up are not visible while "
			       "turbo is disabled (intel_pstate/no_turbo): they are read as none");
	if (!error && made->configuration.setting_count == 0)
		message_notice(&context->messages, of_machine(),
			       "the configuration states nothing: nothing was found that differs "
			       "from the state after boot, or from the defaults; config save --all "
			       "states everything");
	configuration_clear(&ordinary);
	return hand_out(context, made, error, config);
}

/** Adds the levels after boot; nothing where no change was made since. */
static int add_boot_levels(struct isst_context *context, struct configuration *configuration)
{
	struct configuration boot = { 0 };
	const struct origin origin = { .source = configuration->source_count };
	int error = add_boot_state(context, &boot);

	/* A source of its own, so that texts which are added later count before it. */
	if (!error)
		error = configuration_add_source(configuration, "defaults");
	for (size_t i = 0; i < boot.setting_count && !error; i++)
		if (boot.settings[i].subject == SUBJECT_LEVEL) {
			boot.settings[i].origin = origin;
			boot.settings[i].optional = true;
			error = configuration_add(configuration, &boot.settings[i]);
		}
	configuration_clear(&boot);
	if (error == -EIO)
		message_notice(&context->messages, of_machine(), "the level stays unchanged: %s",
			       isst_error(context));
	return error == -ENOENT || error == -EIO ? 0 : error;
}

int isst_config_defaults(struct isst_context *context, unsigned int flags,
			 struct isst_config **config)
{
	const unsigned int all = ISST_CONFIG_CLOS | ISST_CONFIG_ASSOCIATIONS |
				 ISST_CONFIG_FEATURES | ISST_CONFIG_LIMITS | ISST_CONFIG_LEVEL |
				 ISST_CONFIG_CPUS;
	struct isst_config *made;
	int error;

	if (!context || !config || flags & ~all)
		return context_refuse(context, "the parts of the defaults are not known, or there "
					       "is nowhere to put the configuration (NULL)");
	*config = NULL;
	error = context_check_discovered(context);
	if (error)
		return error;
	made = isst_config_new();
	if (flags == 0)
		flags = all;
	error = made ? configuration_add_defaults(&made->configuration, context, flags) : -ENOMEM;
	if (!error && flags & ISST_CONFIG_LEVEL)
		error = add_boot_levels(context, &made->configuration);
	return hand_out(context, made, error, config);
}

int isst_config_boot(struct isst_context *context, unsigned int flags, struct isst_config **config)
{
	struct isst_config *made;
	int error;

	if (!context || !config || flags)
		return context_refuse(context, "isst_config_boot() has no flags, or there is "
					       "nowhere to put the configuration (NULL)");
	*config = NULL;
	error = context_check_discovered(context);
	if (error)
		return error;
	made = isst_config_new();
	error = made ? add_boot_state(context, &made->configuration) : -ENOMEM;
	if (error == -ENOENT)
		message_error(&context->messages, error, "no change was made since boot");
	return hand_out(context, made, error, config);
}

/* ---- Comparing and changing ---- */

int isst_config_match(struct isst_config *config, struct isst_context *context, unsigned int flags)
{
	int error;

	forget_results(config);
	if (!config || !context || flags)
		return context_refuse(context, "isst_config_match() has no flags, or there is no "
					       "configuration (NULL)");
	error = keep_problems(config, context,
			      configuration_match(&config->configuration, context));
	return report_problem(config, context, error);
}

/** Takes over what was skipped. Returns @error, or -ENOMEM. */
static int keep_skips(struct isst_config *config, const struct isst_context *context,
		      struct wanted *wanted, int error)
{
	for (size_t i = 0; i < wanted->skip_count; i++) {
		struct skip *skip = &wanted->skips[i];
		char *why = join_places(context, &skip->reasons) == 0 ? folds_text(&skip->reasons)
								      : NULL;

		if (!why || keep(config, context, &config->skipped, &skip->origin, why,
				 ISST_MESSAGE_STATEMENT_SKIPPED, ISST_LOG_NOTICE, skip->error))
			error = -ENOMEM;
		free(why);
	}
	return error;
}

static int conclude(struct isst_config *config, struct isst_context *context, struct wanted *wanted,
		    int error)
{
	config->high_priority = wanted->high_priority;
	wanted->high_priority = NULL;
	error = keep_skips(config, context, wanted, error);
	wanted_clear(wanted);
	error = keep_problems(config, context, error);
	return error == -ENOMEM ? call_no_memory(context) : report_problem(config, context, error);
}

void isst_config_set_targets(struct isst_config *config, const struct isst_targets *targets)
{
	if (config)
		config->targets = targets;
}

static int find_wanted(struct isst_config *config, struct isst_context *context, bool undisturbed,
		       struct wanted *wanted, bool to_change)
{
	int error = check_targets(context, config->targets, undisturbed, &wanted->targets);

	if (!error && config->text_count > 0 && config->configuration.setting_count == 0)
		message_notice(&context->messages, of_machine(),
			       "the configuration states nothing");
	wanted->context = context;
	wanted->configuration = &config->configuration;
	return error ? error : wanted_find(wanted, to_change);
}

int isst_config_check(struct isst_config *config, struct isst_context *context, unsigned int flags)
{
	struct wanted wanted = { .separate = flags & ISST_CONFIG_CHECK_SEPARATELY };
	int error;

	forget_results(config);
	if (flags & ~(ISST_CONFIG_CHECK_SEPARATELY | ISST_CONFIG_CHECK_UNDISTURBED))
		return context_refuse(context, "the flags of isst_config_check() are not known");
	error = config && context ? context_check_discovered(context) : -EINVAL;
	if (!error)
		error = isst_config_match(config, context, 0);
	if (error)
		return error;
	forget_results(config);
	error = find_wanted(config, context, flags & ISST_CONFIG_CHECK_UNDISTURBED, &wanted, false);
	if (!error)
		error = wanted_compare(&wanted, &config->differences);
	if (!error)
		error = cpus_compare(&wanted, &config->differences);
	if (!error)
		error = wanted.error;
	for (size_t i = 0; i < config->differences.count && !error; i++) {
		struct isst_config_difference *difference = &config->differences.items[i];

		difference->origin_text = origin_text(&config->configuration, &difference->origin,
						      difference->lines);
		if (!difference->origin_text)
			error = -ENOMEM;
	}
	/* Those of a call that failed are not complete. */
	if (error)
		differences_clear(&config->differences);
	return conclude(config, context, &wanted, error);
}

static int refuse_addition(struct isst_change *change, const char *why)
{
	return change ? call_spoil(change, context_refuse(change->context, why)) : -EINVAL;
}

int isst_change_add_config(struct isst_change *change, struct isst_config *config,
			   unsigned int flags)
{
	struct isst_context *context = change ? change->context : NULL;
	struct wanted wanted = { 0 };
	int error;

	forget_results(config);
	if (!change || flags)
		return refuse_addition(change, "isst_change_add_config() has no flags");
	if (change->ran)
		return context_refuse(context, "the change was already made or attempted: no "
					       "configuration can be added");
	if (change->count > 0)
		return refuse_addition(change,
				       "the change has requests already: a configuration is "
				       "planned from the machine as it is");
	error = isst_config_match(config, context, 0);
	if (error == ISST_CONFIG_SKIPPED)
		return error;
	if (!error) {
		forget_results(config);
		change->quiet = true;
		error = find_wanted(config, context, false, &wanted, true);
		if (!error)
			error = wanted_plan(&wanted, change);
		error = conclude(config, context, &wanted, error);
	}
	return error ? call_spoil(change, error) : 0;
}

ITEM_GETTER(const struct isst_config_difference *, isst_config_difference_at, isst_config,
	    differences.count, differences.items + index, NULL)

GETTER(const char *, isst_config_difference_target, isst_config_difference, target, NULL)
GETTER(const struct isst_domain *, isst_config_difference_domain, isst_config_difference, domain,
       NULL)
GETTER(const struct isst_cpuset *, isst_config_difference_cpus, isst_config_difference, cpus, NULL)

const char *isst_config_difference_subject(const struct isst_config_difference *difference)
{
	if (!difference)
		return NULL;
	return difference->subject ? difference->target + difference->subject : "CPUs";
}

GETTER(const char *, isst_config_difference_wanted, isst_config_difference, wanted, NULL)
GETTER(const char *, isst_config_difference_present, isst_config_difference, present, NULL)
GETTER(const char *, isst_config_difference_origin, isst_config_difference, origin_text, NULL)
GETTER(const struct isst_cpuset *, isst_config_high_priority_cpus, isst_config, high_priority, NULL)

int isst_config_record_apply(const struct isst_config *config, struct isst_context *context,
			     int error, unsigned int flags)
{
	struct applied applied = { .succeeded = error >= 0 };

	if (!context || flags || (!config && error))
		return context_refuse(context, "isst_config_record_apply() has no flags, and "
					       "without a configuration (NULL) no error");
	if (!config)
		return applied_forget(context);
	/* A record names a text by its digest. */
	if (config->of_machine || config->text_count == 0)
		return context_refuse(context, "only a configuration that consists of texts which "
					       "were added can be recorded");
	applied.time_s = time(NULL);
	applied.source = config->source;
	sha256_print(&config->hash, applied.digest);
	error = applied_write(context, &applied);
	return error == -ENOMEM ? call_no_memory(context) : error;
}

struct isst_apply_record {
	struct applied applied;
};

int isst_read_apply_record(struct isst_context *context, unsigned int flags,
			   struct isst_apply_record **record)
{
	struct isst_apply_record *read;
	int error;

	if (!context || !record || flags)
		return context_refuse(context, "isst_read_apply_record() has no flags, or there is "
					       "nowhere to put the record (NULL)");
	*record = NULL;
	read = calloc(1, sizeof(*read));
	error = read ? applied_read(context, &read->applied) : -ENOMEM;
	if (!error) {
		*record = read;
		return 0;
	}
	isst_apply_record_free(read);
	if (error == -ENOMEM)
		return call_no_memory(context);
	if (error == -ENOENT)
		return message_error(&context->messages, error,
				     "no configuration was applied since boot");
	return error;
}

void isst_apply_record_free(struct isst_apply_record *record)
{
	if (!record)
		return;
	applied_clear(&record->applied);
	free(record);
}

GETTER(int64_t, isst_apply_record_time_s, isst_apply_record, applied.time_s, -1)
GETTER(bool, isst_apply_record_succeeded, isst_apply_record, applied.succeeded, false)
GETTER(const char *, isst_apply_record_source, isst_apply_record, applied.source, NULL)
GETTER(const char *, isst_apply_record_sha256, isst_apply_record, applied.digest, NULL)

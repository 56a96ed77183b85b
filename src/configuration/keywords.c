/* SPDX-License-Identifier: BSD-3-Clause */
/* The keywords of configurations, each with the function that takes what follows it. */
#include "base/array.h"
#include "common/suggest.h"
#include "configuration/statement.h"

#include <limits.h>
#include <string.h>

enum {
	HIGHEST_LEVEL = 255,
	HIGHEST_CLOS = 3,
	HIGHEST_WEIGHT = 15,
	HIGHEST_FABRIC = 255,
	HIGHEST_BUCKET = 7,
};

static int add_simple(struct statement *statement, enum subject subject, enum wanted_kind wanted,
		      uint64_t number)
{
	return statement_add(statement, &(struct setting){
						.subject = subject,
						.index = INDEX_ALL,
						.wanted = wanted,
						.number = number,
					});
}

/** Adds what was parsed of a setting with sets of its own, which become the configuration's. */
static int end_setting(struct statement *statement, struct setting *setting, int error)
{
	if (!error)
		error = statement_add(statement, setting);
	setting_clear(setting);
	return error;
}

static bool take_unmanaged(struct statement *statement)
{
	return words_take_if(&statement->words, "unmanaged");
}

static int parse_level(struct statement *statement)
{
	uint64_t level;
	int error = statement_number(statement, "a performance level", HIGHEST_LEVEL, &level);
	return error ? error : add_simple(statement, SUBJECT_LEVEL, WANTED_NUMBER, level);
}

/** Takes `on` or `off`. @expected: all that may be there, in words */
static int take_switch(struct statement *statement, const char *expected, bool *on)
{
	const char *word;

	*on = words_take_if(&statement->words, "on");
	if (*on || words_take_if(&statement->words, "off"))
		return 0;
	word = words_take(&statement->words);
	return statement_reject(statement, word, expected);
}

static int parse_feature(struct statement *statement)
{
	bool on;
	int error = take_switch(statement, "on or off", &on);
	return error ? error : add_simple(statement, statement->subject, WANTED_NUMBER, on);
}

static int take_priority(struct statement *statement, bool *taken)
{
	bool ordered = words_take_if(&statement->words, "ordered");

	*taken = ordered || words_take_if(&statement->words, "proportional");
	return *taken ? add_simple(statement, SUBJECT_PRIORITY, WANTED_NUMBER,
				   ordered ? ISST_PRIORITY_ORDERED : ISST_PRIORITY_PROPORTIONAL)
		      : 0;
}

static int parse_core_power(struct statement *statement)
{
	bool on, taken;
	int error;

	if (take_unmanaged(statement)) {
		error = add_simple(statement, SUBJECT_CORE_POWER, WANTED_UNMANAGED, 0);
		return error ? error : add_simple(statement, SUBJECT_PRIORITY, WANTED_UNMANAGED, 0);
	}
	error = take_priority(statement, &taken);
	if (error || taken)
		return error;
	error = take_switch(statement, "on, off, ordered or proportional", &on);
	if (!error)
		error = add_simple(statement, SUBJECT_CORE_POWER, WANTED_NUMBER, on);
	return error ? error : take_priority(statement, &taken);
}

/** What may be configured of a CLOS, by its word. */
static const struct {
	const char *name;
	enum subject subject;
	unsigned int frequencies; /* 0: it is a number */
} CLOS_FIELDS[] = {
	{ "min", SUBJECT_CLOS_MIN, FREQUENCY_RATIO | (FREQUENCY_ANY & ~WORD(NONE)) },
	{ "max", SUBJECT_CLOS_MAX, FREQUENCY_RATIO | FREQUENCY_ANY },
	{ "desired", SUBJECT_CLOS_DESIRED, FREQUENCY_RATIO | (FREQUENCY_ANY & ~WORD(NONE)) },
	{ "epp", SUBJECT_CLOS_EPP, 0 },
	{ "weight", SUBJECT_CLOS_WEIGHT, 0 },
};
enum { CLOS_FIELD_COUNT = sizeof(CLOS_FIELDS) / sizeof(CLOS_FIELDS[0]) };

static int add_clos(struct statement *statement, const struct isst_cpuset *clos, size_t field,
		    enum wanted_kind wanted, uint64_t number)
{
	unsigned int index;
	int error = 0;

	isst_cpuset_for_each (index, clos)
		if (!error)
			error = statement_add(statement,
					      &(struct setting){
						      .subject = CLOS_FIELDS[field].subject,
						      .index = index,
						      .wanted = wanted,
						      .number = number,
					      });
	return error;
}

static int parse_clos_field(struct statement *statement, const struct isst_cpuset *clos)
{
	enum wanted_kind wanted = WANTED_NUMBER;
	uint64_t number;
	size_t field = 0;
	int error;

	while (field < CLOS_FIELD_COUNT &&
	       !words_take_if(&statement->words, CLOS_FIELDS[field].name))
		field++;
	if (field == CLOS_FIELD_COUNT)
		return statement_reject(statement, words_take(&statement->words),
					"min, max, desired, epp, weight or unmanaged");
	if (CLOS_FIELDS[field].frequencies > 0)
		error = statement_frequency(statement, CLOS_FIELDS[field].frequencies, &wanted,
					    &number);
	else
		error = statement_number(statement, "a number from 0 to 15", HIGHEST_WEIGHT,
					 &number);
	return error ? error : add_clos(statement, clos, field, wanted, number);
}

static int parse_clos(struct statement *statement)
{
	struct isst_cpuset *clos;
	int error = statement_list(statement, "a CLOS from 0 to 3", HIGHEST_CLOS, &clos);

	if (!error && take_unmanaged(statement)) {
		for (size_t field = 0; field < CLOS_FIELD_COUNT && !error; field++)
			error = add_clos(statement, clos, field, WANTED_UNMANAGED, 0);
	} else if (!error) {
		do
			error = parse_clos_field(statement, clos);
		while (!error && words_peek(&statement->words));
	}
	isst_cpuset_free(clos);
	return error;
}

static int take_count(struct statement *statement, struct core_choice *choice)
{
	static const char EXPECTED[] = "a number of cores, N/package, bucket B, none or unmanaged";
	static const char PER_PACKAGE[] = "/package";
	const char *word = words_take(&statement->words);
	uint64_t number;
	size_t digits;
	char text[12];
	int error;

	if (word && strcmp(word, "bucket") == 0) {
		choice->kind = CHOICE_BUCKET;
		error = statement_number(statement, "a bucket from 0 to 7", HIGHEST_BUCKET,
					 &number);
		choice->number = error ? 0 : (unsigned int)number;
		return error;
	}
	if (!word)
		return statement_reject(statement, NULL, EXPECTED);
	digits = strspn(word, "0123456789");
	if (digits >= sizeof(text) ||
	    (word[digits] != '\0' && strcmp(word + digits, PER_PACKAGE) != 0))
		return statement_reject(statement, word, EXPECTED);
	memcpy(text, word, digits);
	text[digits] = '\0';
	if (isst_parse_number(text, 10, ISST_CPU_NUMBER_LIMIT, &number) || number == 0)
		return statement_reject(statement, word, EXPECTED);
	choice->kind = word[digits] ? CHOICE_PER_PACKAGE : CHOICE_COUNT;
	choice->number = (unsigned int)number;
	return 0;
}

static int parse_high_priority(struct statement *statement)
{
	struct setting setting = { .subject = SUBJECT_HIGH_PRIORITY,
				   .index = INDEX_ALL,
				   .wanted = WANTED_CORES };
	int error = take_count(statement, &setting.choice);
	while (!error && words_peek(&statement->words)) {
		if (!setting.choice.within && words_take_if(&statement->words, "within"))
			error = statement_cpus(statement, &setting.choice.within);
		else if (!setting.choice.avoid && words_take_if(&statement->words, "avoid"))
			error = statement_cpus(statement, &setting.choice.avoid);
		else
			break; /* named as what follows the statement */
	}
	return end_setting(statement, &setting, error);
}

/** Takes CPUs behind a `=`: a list, or `all`, which is also what it is without. */
static int take_equal_cpus(struct statement *statement, bool required, struct isst_cpuset **cpus)
{
	*cpus = NULL;
	if (!words_take_if(&statement->words, "=")) {
		if (!required)
			return 0;
		return statement_expect(statement, words_take(&statement->words),
					"'=' with a list of CPUs or all");
	}
	return words_take_if(&statement->words, "all") ? 0 : statement_cpus(statement, cpus);
}

static int parse_association(struct statement *statement)
{
	struct setting setting = { .subject = SUBJECT_ASSOCIATION,
				   .index = INDEX_ALL,
				   .wanted = WANTED_NUMBER };
	int error = statement_number(statement, "a CLOS from 0 to 3", HIGHEST_CLOS,
				     &setting.number);

	if (!error)
		error = take_equal_cpus(statement, true, &setting.cpus);
	return end_setting(statement, &setting, error);
}

static int parse_associations(struct statement *statement)
{
	return statement_expect(statement, words_take(&statement->words), "unmanaged");
}

static int parse_turbo_ratio_limits(struct statement *statement)
{
	const char *word;
	uint64_t limits;

	if (words_take_if(&statement->words, "level"))
		return add_simple(statement, statement->subject, WANTED_OF_LEVEL, 0);
	word = words_take(&statement->words);
	/* Without 0x it would be meant as MHz, or as one ratio. */
	if (!word || word[0] != '0' || (word[1] != 'x' && word[1] != 'X') ||
	    isst_parse_number(word, 0, UINT64_MAX, &limits) || limits == 0)
		return statement_reject(
			statement, word,
			"level, none, or a ratio of two digits for each bucket such "
			"as 0x1b1b1d1d20202323");
	return add_simple(statement, statement->subject, WANTED_NUMBER, limits);
}

static int parse_scaling_limit(struct statement *statement)
{
	struct setting setting = { .subject = statement->subject, .index = INDEX_ALL };
	int error = 0;

	if (!statement_take_wanted(statement, WORD(UNMANAGED), &setting.wanted))
		error = statement_frequency(statement, FREQUENCY_ANY | FREQUENCY_NOT_ZERO,
					    &setting.wanted, &setting.number);
	if (!error)
		error = take_equal_cpus(statement, false, &setting.cpus);
	return end_setting(statement, &setting, error);
}

static int parse_uncore_limit(struct statement *statement)
{
	struct setting setting = { .subject = statement->subject, .index = INDEX_ALL };
	uint64_t fabric;
	int error = 0;

	if (!statement_take_wanted(statement, WORD(UNMANAGED), &setting.wanted))
		error = statement_frequency(statement,
					    WORD(NONE) | FREQUENCY_NOT_ZERO | FREQUENCY_UNCORE,
					    &setting.wanted, &setting.number);
	if (!error && words_take_if(&statement->words, "fabric")) {
		error = statement_number(statement, "the number of a fabric", HIGHEST_FABRIC,
					 &fabric);
		setting.index = error ? 0 : (unsigned int)fabric;
	}
	return error ? error : statement_add(statement, &setting);
}

static int parse_cpus(struct statement *statement)
{
	struct setting setting = { .subject = SUBJECT_CPUS,
				   .index = INDEX_ALL,
				   .wanted = WANTED_OFFLINE };

	if (!words_take_if(&statement->words, "offline"))
		return statement_reject(statement, words_take(&statement->words),
					"by-level, isolated, online, offline CPUS or unmanaged");
	return end_setting(statement, &setting, statement_cpus(statement, &setting.cpus));
}

/** What a machine as a whole can be required to be. */
static const struct {
	const char *name, *expected;
	enum match_kind kind;
	uint64_t max;
} CONDITIONS[] = {
	{ "family", "a CPU family", MATCH_FAMILY, UINT_MAX },
	{ "model", "a CPU model such as 0xad", MATCH_MODEL, UINT_MAX },
	{ "packages", "a number of packages", MATCH_PACKAGES, UINT_MAX },
	{ "cpus", "a number of CPUs", MATCH_CPUS, ISST_CPU_NUMBER_LIMIT },
	{ "topology", "a checksum, as isst config save writes it", MATCH_TOPOLOGY, UINT64_MAX },
	{ "state", "a checksum, as isst config save writes it", MATCH_STATE, UINT64_MAX },
};
enum { CONDITION_COUNT = sizeof(CONDITIONS) / sizeof(CONDITIONS[0]) };

static int take_condition(struct statement *statement)
{
	struct configuration *configuration = statement->configuration;
	struct match match = { .origin = statement->origin };
	size_t row = 0;
	int error;

	while (row < CONDITION_COUNT && !words_take_if(&statement->words, CONDITIONS[row].name))
		row++;
	if (row == CONDITION_COUNT)
		return statement_reject(statement, words_take(&statement->words),
					"family, model, packages, cpus, topology or state");
	match.kind = CONDITIONS[row].kind;
	error = statement_number(statement, CONDITIONS[row].expected, CONDITIONS[row].max,
				 &match.number);
	if (!error && match.kind == MATCH_TOPOLOGY && words_take_if(&statement->words, "of"))
		error = statement_cpus(statement, &match.cpus);
	if (!error && ARRAY_GROW(configuration->matches, configuration->match_count))
		error = -ENOMEM;
	if (!error)
		configuration->matches[configuration->match_count++] = match;
	else
		isst_cpuset_free(match.cpus);
	return error;
}

static int parse_conditions(struct statement *statement)
{
	struct configuration *configuration = statement->configuration;
	size_t first = configuration->match_count;
	bool skip = false;
	int error;

	do {
		error = take_condition(statement);
		if (!error && words_take_if(&statement->words, "else")) {
			skip = words_take_if(&statement->words, "skip");
			if (!skip)
				error = statement_expect(statement, words_take(&statement->words),
							 "'skip' after 'else'");
		}
	} while (!error && !skip && words_peek(&statement->words));
	for (size_t i = first; i < configuration->match_count; i++) {
		configuration->matches[i].otherwise_skip = skip;
		configuration->matches[i].statement = first;
	}
	return error;
}

#define LIMIT_USAGE "MHZ|none|base|turbo|lowest|unmanaged [= CPUS]"

static const struct keyword KEYWORDS[] = {
	{ "match", "model M|family F|packages N|cpus N|topology T [of CPUS]... [else skip]",
	  parse_conditions, SUBJECTS, 0 },
	{ "machine", "model M|family F|packages N|cpus N|topology T [of CPUS]... [else skip]",
	  parse_conditions, SUBJECTS, 0 },
	{ "level", "N|unmanaged", parse_level, SUBJECT_LEVEL, WORD(UNMANAGED) },
	{ "turbo-freq", "on|off|unmanaged", parse_feature, SUBJECT_TURBO_FREQ, WORD(UNMANAGED) },
	{ "base-freq", "on|off|unmanaged", parse_feature, SUBJECT_BASE_FREQ, WORD(UNMANAGED) },
	{ "core-power", "[on|off] [ordered|proportional]|unmanaged", parse_core_power,
	  SUBJECT_CORE_POWER, 0 },
	{ "clos-enable", "on|off|unmanaged", parse_feature, SUBJECT_CLOS_ENABLE, WORD(UNMANAGED) },
	{ "clos", "LIST [min MHZ] [max MHZ|none] [desired MHZ] [epp N] [weight N]|unmanaged",
	  parse_clos, SUBJECT_CLOS_MIN, 0 },
	{ "high-priority", "CORES|CORES/package|bucket B [within CPUS] [avoid CPUS]|none|unmanaged",
	  parse_high_priority, SUBJECT_HIGH_PRIORITY, WORD(UNMANAGED) | WORD(NONE) },
	{ "association", "CLOS = CPUS|all", parse_association, SUBJECT_ASSOCIATION, 0 },
	{ "associations", "unmanaged", parse_associations, SUBJECT_ASSOCIATION, WORD(UNMANAGED) },
	{ "turbo-ratio-limits", "level|none|0xHEX|unmanaged", parse_turbo_ratio_limits,
	  SUBJECT_TURBO_RATIO_LIMITS, WORD(UNMANAGED) | WORD(NONE) },
	{ "scaling-min", LIMIT_USAGE, parse_scaling_limit, SUBJECT_SCALING_MIN, 0 },
	{ "scaling-max", LIMIT_USAGE, parse_scaling_limit, SUBJECT_SCALING_MAX, 0 },
	{ "uncore-min", "MHZ|none|unmanaged [fabric N]", parse_uncore_limit, SUBJECT_UNCORE_MIN,
	  0 },
	{ "uncore-max", "MHZ|none|unmanaged [fabric N]", parse_uncore_limit, SUBJECT_UNCORE_MAX,
	  0 },
	{ "cpus", "by-level|isolated|online|offline CPUS|unmanaged", parse_cpus, SUBJECT_CPUS,
	  WORD(UNMANAGED) | WORD(OF_LEVEL) | WORD(ISOLATED) | WORD(ALL_ONLINE) },
};
enum { KEYWORD_COUNT = sizeof(KEYWORDS) / sizeof(KEYWORDS[0]) };

const struct keyword *keyword_find(const char *name)
{
	for (size_t i = 0; i < KEYWORD_COUNT; i++)
		if (strcmp(KEYWORDS[i].name, name) == 0)
			return &KEYWORDS[i];
	return NULL;
}

const char *keyword_suggest(const char *name)
{
	struct suggestion suggestion = { .word = name };

	for (size_t i = 0; i < KEYWORD_COUNT; i++)
		suggestion_consider(&suggestion, KEYWORDS[i].name);
	suggestion_consider(&suggestion, "package");
	return suggestion.best;
}

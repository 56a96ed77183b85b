/* SPDX-License-Identifier: BSD-3-Clause */
/* The keywords of configurations, each with the function that takes what follows it. */
#include "base/array.h"
#include "common/number.h"
#include "common/suggest.h"
#include "configuration/statement.h"

#include <limits.h>
#include <string.h>

enum {
	HIGHEST_LEVEL = 255,
	HIGHEST_WEIGHT = 15,
	HIGHEST_BUCKET = 7,
};

static int add_simple(struct statement *statement, enum subject subject, enum wanted_kind wanted,
		      uint64_t number)
{
	return statement_add(statement, &(struct setting){
						.subject = subject,
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
	{ "min", SUBJECT_CLOS_MIN, FREQUENCY_RATIO | FREQUENCY_ANY },
	{ "max", SUBJECT_CLOS_MAX, FREQUENCY_RATIO | FREQUENCY_ANY },
	{ "desired", SUBJECT_CLOS_DESIRED, FREQUENCY_RATIO | FREQUENCY_ANY },
	{ "epp", SUBJECT_CLOS_EPP, 0 },
	{ "weight", SUBJECT_CLOS_WEIGHT, 0 },
};
enum { CLOS_FIELD_COUNT = sizeof(CLOS_FIELDS) / sizeof(CLOS_FIELDS[0]) };

static int parse_clos_field(struct statement *statement)
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
	/* The hardware has no other word for none. */
	if (!error && wanted == WANTED_NONE && CLOS_FIELDS[field].subject != SUBJECT_CLOS_MAX)
		wanted = WANTED_KHZ;
	return error ? error : add_simple(statement, CLOS_FIELDS[field].subject, wanted, number);
}

static int parse_clos(struct statement *statement)
{
	int error = 0;

	if (take_unmanaged(statement)) {
		for (size_t field = 0; field < CLOS_FIELD_COUNT && !error; field++)
			error = add_simple(statement, CLOS_FIELDS[field].subject, WANTED_UNMANAGED,
					   0);
		return error;
	}
	do
		error = parse_clos_field(statement);
	while (!error && words_peek(&statement->words));
	return error;
}

static int take_count(struct statement *statement, struct core_choice *choice)
{
	static const char EXPECTED[] = "a number of cores, N/package, bucket B or unmanaged";
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
	if (number_parse(text, 10, ISST_CPU_NUMBER_LIMIT, &number) || number == 0)
		return statement_reject(statement, word, EXPECTED);
	choice->kind = word[digits] ? CHOICE_PER_PACKAGE : CHOICE_COUNT;
	choice->number = (unsigned int)number;
	return 0;
}

static int parse_high_priority(struct statement *statement)
{
	struct setting setting = { .subject = SUBJECT_HIGH_PRIORITY, .wanted = WANTED_CORES };
	int error = take_count(statement, &setting.choice);
	while (!error && words_peek(&statement->words)) {
		if (!setting.choice.within && words_take_if(&statement->words, "within"))
			error = statement_cpus(statement, &setting.choice.within,
					       &setting.named[LIST_WITHIN]);
		else if (!setting.choice.avoid && words_take_if(&statement->words, "avoid"))
			error = statement_cpus(statement, &setting.choice.avoid,
					       &setting.named[LIST_AVOID]);
		else
			break; /* named as what follows the statement */
	}
	return end_setting(statement, &setting, error);
}

static int parse_association(struct statement *statement)
{
	uint64_t clos;
	int error = statement_number(statement, "a CLOS from 0 to 3", HIGHEST_CLOS, &clos);

	return error ? error : add_simple(statement, SUBJECT_ASSOCIATION, WANTED_NUMBER, clos);
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
	    number_parse(word, 0, UINT64_MAX, &limits) || limits == 0)
		return statement_reject(
			statement, word,
			"level, none, or a ratio of two digits for each bucket such "
			"as 0x1b1b1d1d20202323");
	return add_simple(statement, statement->subject, WANTED_NUMBER, limits);
}

static int parse_limit(struct statement *statement)
{
	bool uncore = statement->subject == SUBJECT_UNCORE_MIN ||
		      statement->subject == SUBJECT_UNCORE_MAX;
	unsigned int allowed = uncore ? WORD(NONE) | FREQUENCY_UNCORE : FREQUENCY_ANY;
	enum wanted_kind wanted;
	uint64_t khz;
	int error = statement_frequency(statement, allowed | FREQUENCY_NOT_ZERO, &wanted, &khz);

	return error ? error : add_simple(statement, statement->subject, wanted, khz);
}

static int parse_cpus(struct statement *statement)
{
	struct setting setting = { .subject = SUBJECT_CPUS, .wanted = WANTED_OFFLINE };

	if (!words_take_if(&statement->words, "offline"))
		return statement_reject(statement, words_take(&statement->words),
					"by-level, isolated, online, offline CPUS or unmanaged; "
					"'cpu CPUS:' names those of a statement");
	/* Names are those of CPUs that are online. */
	return end_setting(
		statement, &setting,
		statement_list(statement, "a list of CPUs such as 0-3,8", UINT_MAX, &setting.cpus));
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
		error = statement_list(statement, "a list of CPUs such as 0-3,8", UINT_MAX,
				       &match.cpus);
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

#define SCALING_VALUES "MHZ|none|base|turbo|lowest|unmanaged"
#define UNCORE_VALUES "MHZ|none|unmanaged"

static const struct keyword KEYWORDS[] = {
	{ "match",
	  "match model M|family F|packages N|cpus N|topology T [of CPUS]|state S... [else skip]",
	  parse_conditions, SUBJECTS, 0, PLACES },
	{ "level", "level N|unmanaged", parse_level, SUBJECT_LEVEL, WORD(UNMANAGED), PLACES },
	{ "turbo-freq", "turbo-freq on|off|unmanaged", parse_feature, SUBJECT_TURBO_FREQ,
	  WORD(UNMANAGED), PLACES },
	{ "base-freq", "base-freq on|off|unmanaged", parse_feature, SUBJECT_BASE_FREQ,
	  WORD(UNMANAGED), PLACES },
	{ "core-power", "core-power [on|off] [ordered|proportional]|unmanaged", parse_core_power,
	  SUBJECT_CORE_POWER, 0, PLACES },
	{ "clos-enable", "clos-enable on|off|unmanaged", parse_feature, SUBJECT_CLOS_ENABLE,
	  WORD(UNMANAGED), PLACES },
	{ "clos",
	  "clos LIST: [min MHZ] [max MHZ] [desired MHZ] [epp N] [weight N]|unmanaged; each MHZ "
	  "also none, base, turbo or lowest",
	  parse_clos, SUBJECT_CLOS_MIN, 0, PLACE_CLOS },
	{ "high-priority",
	  "high-priority CORES|CORES/package|bucket B [within CPUS] [avoid CPUS]|unmanaged",
	  parse_high_priority, SUBJECT_HIGH_PRIORITY, WORD(UNMANAGED), PLACES },
	{ "association", "[cpu CPUS:] association CLOS|unmanaged", parse_association,
	  SUBJECT_ASSOCIATION, WORD(UNMANAGED), PLACE_CPU },
	{ "turbo-ratio-limits", "turbo-ratio-limits level|none|0xHEX|unmanaged",
	  parse_turbo_ratio_limits, SUBJECT_TURBO_RATIO_LIMITS, WORD(UNMANAGED) | WORD(NONE),
	  PLACES },
	{ "scaling-min", "[cpu CPUS:] scaling-min " SCALING_VALUES, parse_limit,
	  SUBJECT_SCALING_MIN, WORD(UNMANAGED), PLACE_CPU },
	{ "scaling-max", "[cpu CPUS:] scaling-max " SCALING_VALUES, parse_limit,
	  SUBJECT_SCALING_MAX, WORD(UNMANAGED), PLACE_CPU },
	{ "uncore-min", "[fabric LIST:] uncore-min " UNCORE_VALUES, parse_limit, SUBJECT_UNCORE_MIN,
	  WORD(UNMANAGED), PLACE_FABRIC },
	{ "uncore-max", "[fabric LIST:] uncore-max " UNCORE_VALUES, parse_limit, SUBJECT_UNCORE_MAX,
	  WORD(UNMANAGED), PLACE_FABRIC },
	{ "cpus", "cpus by-level|isolated|online|offline CPUS|unmanaged", parse_cpus, SUBJECT_CPUS,
	  WORD(UNMANAGED) | WORD(OF_LEVEL) | WORD(ISOLATED) | WORD(ALL_ONLINE), PLACES },
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
	for (size_t i = 0; i < CLOS_FIELD_COUNT; i++)
		if (strcmp(CLOS_FIELDS[i].name, name) == 0)
			return "clos LIST: min|max|desired|epp|weight";
	return suggestion.best;
}

/* ---- Former spellings ---- */

static const struct {
	const char *word, *with; /* with: another word behind it; NULL: always */
	const char *now;
} FORMER[] = {
	{ "machine", NULL, "'match CONDITION ...'" },
	{ "powerdomain", NULL, "'domain LIST: STATEMENT'" },
	{ "die", NULL, "'domain LIST: STATEMENT'" },
	{ "associations", NULL, "'association unmanaged'" },
	{ "association", "=", "'cpu CPUS: association CLOS', of all CPUs 'association CLOS'" },
	{ "scaling-min", "=", "'cpu CPUS: scaling-min MHZ'" },
	{ "scaling-max", "=", "'cpu CPUS: scaling-max MHZ'" },
	{ "uncore-min", "fabric", "'fabric LIST: uncore-min MHZ'" },
	{ "uncore-max", "fabric", "'fabric LIST: uncore-max MHZ'" },
	{ "high-priority", "none", "'high-priority unmanaged', or 'turbo-freq off'" },
};

int keyword_reject_former(struct statement *statement, const char *word)
{
	const struct words *words = &statement->words;

	for (size_t i = 0; i < sizeof(FORMER) / sizeof(FORMER[0]); i++) {
		const char *with = FORMER[i].with;
		bool found = strcmp(FORMER[i].word, word) == 0;

		for (size_t j = words->next; found && with && j < words->count; j++)
			if (strcmp(words->words[j], with) == 0)
				with = NULL;
		if (found && !with)
			return statement_problem(statement, "former spelling '%s%s%s': write %s",
						 word, FORMER[i].with ? " ... " : "",
						 FORMER[i].with ? FORMER[i].with : "",
						 FORMER[i].now);
	}
	return 0;
}

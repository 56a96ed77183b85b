/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a configuration: its header, its lines, and what stands in front of a keyword. All
 * that is wrong with any line is reported, not only the first thing. Knows no machine.
 */
#include "common/number.h"
#include "configuration/statement.h"
#include "configuration/write.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Some editors put it before the text of a file. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static const struct {
	const char *name, *expected;
	unsigned int highest;
} PLACE_WORDS[PLACES] = {
	[PLACE_PACKAGE] = { "package", "a list of packages", UINT_MAX },
	[PLACE_DOMAIN] = { "domain", "a list of power domains or dies", UINT_MAX },
	[PLACE_CPU] = { "cpu", NULL, 0 },
	[PLACE_FABRIC] = { "fabric", "a list of fabrics", 255 },
	[PLACE_CLOS] = { "clos", "a CLOS from 0 to 3", HIGHEST_CLOS },
};

#define PLACES_USAGE "package LIST, domain LIST, cpu CPUS, fabric LIST and clos LIST, then ':'"

/** Takes the parts of the machine in front of a colon. */
static int take_places(struct statement *statement)
{
	struct words *words = &statement->words;
	bool any = false;
	int error = 0;

	for (size_t place = 0; place < PLACES && !error; place++) {
		if (statement->places[place] || !words_take_if(words, PLACE_WORDS[place].name))
			continue;
		any = true;
		statement->keyword = PLACE_WORDS[place].name;
		statement->usage = place == PLACE_CLOS ? keyword_find("clos")->usage : PLACES_USAGE;
		if (place == PLACE_CPU)
			error = statement_cpus(statement, &statement->places[place],
					       &statement->named_cpus);
		else
			error = statement_list(statement, PLACE_WORDS[place].expected,
					       PLACE_WORDS[place].highest,
					       &statement->places[place]);
		place = (size_t)-1; /* in any order */
	}
	if (!any || error || words_take_if(words, ":"))
		return error;
	if (words_peek(words))
		error = keyword_reject_former(statement, words_peek(words));
	return error ? error
		     : statement_expect(statement, words_take(words),
					"':' and a statement after the list");
}

static int reject_keyword(struct statement *statement, const char *word)
{
	const char *meant;

	if (!word)
		return statement_problem(statement, "a statement is missing");
	if (strcmp(word, "?") == 0)
		return statement_problem(statement,
					 "only one '?' is allowed, at the start of the line");
	for (size_t i = 0; i < PLACES; i++)
		if (strcmp(word, PLACE_WORDS[i].name) == 0)
			return statement_problem(statement,
						 "all places of a statement stand in front of one "
						 "':' (" PLACES_USAGE ")");
	meant = keyword_suggest(word);
	return statement_problem(statement, "unknown word '%.*s'%s%s%s", LONGEST_WORD, word,
				 meant ? ", did you mean '" : "", meant ? meant : "",
				 meant ? "'?" : ": no setting has this name, see isst-config(5)");
}

/** Whether a statement may have the places in front of it. */
static int check_places(struct statement *statement, const struct keyword *keyword)
{
	if (keyword->subject == SUBJECTS && statement->optional)
		return statement_problem(statement, "%s is never optional: no '?' is allowed",
					 keyword->name);
	for (size_t place = 0; place < PLACES; place++) {
		bool general = place <= PLACE_DOMAIN && keyword->subject != SUBJECTS;

		if (statement->places[place] && !general && keyword->place != place)
			return statement_problem(
				statement, "%s: '%s' is not allowed in front of it (%s)",
				keyword->name, PLACE_WORDS[place].name, keyword->usage);
	}
	return 0;
}

static int parse_keyword(struct statement *statement)
{
	const char *word = statement->places[PLACE_CLOS] ? "clos" : words_take(&statement->words);
	const struct keyword *keyword = word ? keyword_find(word) : NULL;
	int error = word ? keyword_reject_former(statement, word) : 0;
	struct setting setting = { 0 };

	if (!error &&
	    (!keyword || (keyword->place == PLACE_CLOS && !statement->places[PLACE_CLOS])))
		return reject_keyword(statement, word);
	if (error)
		return error;
	statement->keyword = keyword->name;
	statement->usage = keyword->usage;
	statement->subject = setting.subject = keyword->subject;
	error = check_places(statement, keyword);
	if (!error && words_take_if(&statement->words, ":"))
		error = statement_problem(statement,
					  "%s: ':' is only for a part of the machine, in front "
					  "of the statement (%s)",
					  keyword->name, keyword->usage);
	if (!error && statement_take_wanted(statement, keyword->words, &setting.wanted))
		error = statement_add(statement, &setting);
	else if (!error)
		error = keyword->parse(statement);
	if (!error && words_peek(&statement->words)) {
		word = words_take(&statement->words);
		error = statement_problem(statement, "%s: unexpected '%.*s' (%s)", keyword->name,
					  LONGEST_WORD, word, keyword->usage);
	}
	return error;
}

/** Reports the first byte that no statement has: a control character, or one that is not ASCII. */
static int check_bytes(struct configuration *configuration, struct origin origin, const char *line,
		       size_t length, bool is_header)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)line[i];

		if (!is_header && words_is_comment(line, i))
			break;
		if (byte >= ' ' && byte < 127)
			continue;
		if (byte == '\t' || (byte == '\r' && i + 1 == length))
			continue;
		return configuration_problem(
			configuration, origin,
			"column %zu: byte 0x%02x is not a character of any "
			"statement%s",
			i + 1, byte, byte >= 0x80 ? " (a dash or blank that is not ASCII?)" : "");
	}
	return 0;
}

static void drop_from(struct configuration *configuration, size_t setting, size_t match)
{
	while (configuration->setting_count > setting)
		setting_clear(&configuration->settings[--configuration->setting_count]);
	while (configuration->match_count > match)
		isst_cpuset_free(configuration->matches[--configuration->match_count].cpus);
}

static int parse_line(struct configuration *configuration, struct origin origin, const char *line,
		      size_t length)
{
	struct statement statement = { .configuration = configuration, .origin = origin };
	size_t settings = configuration->setting_count, matches = configuration->match_count;
	int error = check_bytes(configuration, origin, line, length, false);

	if (!error)
		error = words_split(&statement.words, line, length);
	if (!error && words_peek(&statement.words)) {
		statement.optional = words_take_if(&statement.words, "?");
		error = take_places(&statement);
		if (!error)
			error = parse_keyword(&statement);
	}
	/* Half a statement contradicts nothing. */
	if (error)
		drop_from(configuration, settings, matches);
	words_free(&statement.words);
	for (size_t i = 0; i < PLACES; i++)
		isst_cpuset_free(statement.places[i]);
	free(statement.named_cpus);
	return error;
}

/** Looks for the header line, before which blank lines and comments may stand. @found: it, or a
 * statement in its place */
static int find_header(struct configuration *configuration, struct origin origin, const char *line,
		       size_t length, bool *found)
{
	size_t prefix = strlen(CONFIGURATION_HEADER " "), blanks = 0;
	char version[16] = "";
	uint64_t number;
	int error;

	if (origin.line == 1 && length >= strlen(BYTE_ORDER_MARK) &&
	    memcmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
		*found = true;
		return configuration_problem(configuration, origin,
					     "the file begins with a byte order mark (EF BB BF): "
					     "save it without one");
	}
	while (length > 0 && isspace((unsigned char)line[length - 1]))
		length--;
	while (blanks < length && isspace((unsigned char)line[blanks]))
		blanks++;
	*found = length > prefix && memcmp(line, CONFIGURATION_HEADER " ", prefix) == 0 &&
		 isdigit((unsigned char)line[prefix]);
	if (!*found && (blanks == length || line[blanks] == '#'))
		return 0;
	if (!*found) {
		*found = true;
		return configuration_problem(configuration, origin,
					     "the line '" CONFIGURATION_HEADER " %d' is missing "
					     "before the first statement",
					     CONFIGURATION_VERSION);
	}
	error = check_bytes(configuration, origin, line, length, true);
	if (error)
		return error;
	if (length - prefix < sizeof(version))
		memcpy(version, line + prefix, length - prefix);
	if (number_parse(version, 10, CONFIGURATION_VERSION, &number) == 0 &&
	    number == CONFIGURATION_VERSION)
		return 0;
	return configuration_problem(
		configuration, origin,
		"version '%.*s' of the format is not known: this is version "
		"%d",
		(int)(length - prefix < LONGEST_WORD ? length - prefix : LONGEST_WORD),
		line + prefix, CONFIGURATION_VERSION);
}

/** What all lines come to: a lack of memory ends it, a problem does not. */
static int parse_lines(struct configuration *configuration, size_t source, const char *text,
		       size_t size, enum text_kind kind)
{
	struct origin origin = { .source = source,
				 .line = kind != TEXT_STATEMENT,
				 .statement = kind != TEXT_FILE };
	const char *end = text + size;
	bool wrong = false, has_header = kind != TEXT_FILE;

	do {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		bool is_statement = has_header;
		int error = has_header
				    ? 0
				    : find_header(configuration, origin, text, length, &has_header);

		if (is_statement)
			error = parse_line(configuration, origin, text, length);
		text = newline ? newline + 1 : end;
		if (text == end && !has_header)
			error = configuration_problem(
				configuration, (struct origin){ source, 1, false },
				"the line '" CONFIGURATION_HEADER " %d' is missing",
				CONFIGURATION_VERSION);
		if (error && error != -EINVAL)
			return error;
		wrong = wrong || error;
		if (origin.line > 0)
			origin.line++;
	} while (text < end);
	return wrong ? -EINVAL : 0;
}

/** Sorts problems by line, from @first on: contradictions were found after mistakes. */
static void order_problems(struct configuration *configuration, size_t first)
{
	struct problem *problems = configuration->problems;

	for (size_t i = first + 1; i < configuration->problem_count; i++) {
		const struct problem problem = problems[i];
		size_t place = i;

		for (; place > first && problems[place - 1].origin.line > problem.origin.line;
		     place--)
			problems[place] = problems[place - 1];
		problems[place] = problem;
	}
}

int configuration_add_text(struct configuration *configuration, const char *source,
			   const char *text, size_t size, enum text_kind kind)
{
	size_t settings = configuration->setting_count, matches = configuration->match_count;
	size_t number = configuration->source_count, problems = configuration->problem_count;
	int contradictions, error = configuration_add_source(configuration, source);

	if (error)
		return error;
	error = parse_lines(configuration, number, text, size, kind);
	/* Statements that were edited since they were saved are checked like others. */
	for (size_t i = matches; i < configuration->match_count && !error; i++) {
		struct match *match = &configuration->matches[i];
		uint64_t checksum = 0;

		if (match->kind == MATCH_STATE)
			error = configuration_checksum(configuration, number, &checksum);
		match->unedited = match->kind == MATCH_STATE && !error && checksum == match->number;
	}
	if (!error || error == -EINVAL) {
		contradictions = configuration_find_contradictions(configuration, number);
		order_problems(configuration, problems);
		error = contradictions ? contradictions : error;
	}
	if (error)
		drop_from(configuration, settings, matches);
	return error;
}

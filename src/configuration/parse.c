/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a configuration: its header, its lines, and what stands in front of a keyword. All
 * that is wrong with any line is reported, not only the first thing. Knows no machine.
 */
#include "configuration/statement.h"
#include "configuration/write.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Some editors put it before the text of a file. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/** Takes `package LIST` and `powerdomain LIST`, or `die LIST`, in front of a colon. */
static int take_scope(struct statement *statement)
{
	struct words *words = &statement->words;
	int error = 0;

	statement->keyword = "package";
	statement->usage = "N [powerdomain N|die N]: STATEMENT";
	if (!words_take_if(words, statement->keyword))
		return 0;
	error = statement_list(statement, "a list of packages", UINT_MAX,
			       &statement->scope.packages);
	if (!error && (words_take_if(words, "powerdomain") || words_take_if(words, "die")))
		error = statement_list(statement, "a list of power domains or dies", UINT_MAX,
				       &statement->scope.power_domains);
	if (!error && !words_take_if(words, ":"))
		error = statement_expect(statement, words_take(words),
					 "':' and a statement after the list");
	return error;
}

static int reject_keyword(struct statement *statement, const char *word)
{
	const char *meant;

	if (!word)
		return statement_problem(statement, "a statement is missing");
	if (strcmp(word, "?") == 0)
		return statement_problem(statement,
					 "only one '?' is allowed, at the start of the line");
	if (strcmp(word, "package") == 0)
		return statement_problem(statement,
					 "only one 'package' prefix is allowed (package %s)",
					 statement->usage);
	meant = keyword_suggest(word);
	if (strcmp(word, "powerdomain") == 0 || strcmp(word, "die") == 0)
		return statement_problem(statement,
					 "%s: the package is missing (package N %s N: STATEMENT)",
					 word, word);
	return statement_problem(statement, "unknown word '%.*s'%s%s%s", LONGEST_WORD, word,
				 meant ? ", did you mean '" : "", meant ? meant : "",
				 meant ? "'?" : "");
}

static int parse_keyword(struct statement *statement)
{
	const char *word = words_take(&statement->words);
	const struct keyword *keyword = word ? keyword_find(word) : NULL;
	struct setting setting = { .index = INDEX_ALL };
	int error = 0;

	if (!keyword)
		return reject_keyword(statement, word);
	statement->keyword = keyword->name;
	statement->usage = keyword->usage;
	statement->subject = setting.subject = keyword->subject;
	if (keyword->subject == SUBJECTS && (statement->scope.packages || statement->optional))
		error = statement_problem(statement,
					  "%s is for the whole machine and never optional: "
					  "neither 'package' nor '?' is allowed in front of it",
					  keyword->name);
	if (!error && words_take_if(&statement->words, ":"))
		error = statement_problem(statement,
					  "%s: ':' is only for a part of the machine, in front "
					  "of the statement (%s %s)",
					  keyword->name, keyword->name, keyword->usage);
	if (!error && statement_take_wanted(statement, keyword->words, &setting.wanted))
		error = statement_add(statement, &setting);
	else if (!error)
		error = keyword->parse(statement);
	if (!error && words_peek(&statement->words))
		error = statement_problem(statement, "%s: unexpected '%.*s' (%s %s)", keyword->name,
					  LONGEST_WORD, words_peek(&statement->words),
					  keyword->name, keyword->usage);
	return error;
}

/** Reports the first byte that no statement has: a control character, or one that is not ASCII. */
static int check_bytes(struct configuration *configuration, struct origin origin, const char *line,
		       size_t length)
{
	/* The header line is one, too. */
	bool is_header = origin.line == 1;

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
	int error = check_bytes(configuration, origin, line, length);

	if (!error)
		error = words_split(&statement.words, line, length);
	if (!error && words_peek(&statement.words)) {
		statement.optional = words_take_if(&statement.words, "?");
		error = take_scope(&statement);
		if (!error)
			error = parse_keyword(&statement);
	}
	/* Half a statement contradicts nothing. */
	if (error)
		drop_from(configuration, settings, matches);
	words_free(&statement.words);
	isst_cpuset_free(statement.scope.packages);
	isst_cpuset_free(statement.scope.power_domains);
	return error;
}

static int check_header(struct configuration *configuration, struct origin origin, const char *line,
			size_t length)
{
	size_t prefix = strlen(CONFIGURATION_HEADER " ");
	char version[16];
	int error;

	if (length >= strlen(BYTE_ORDER_MARK) &&
	    memcmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
		return configuration_problem(configuration, origin,
					     "the file begins with a byte order mark (EF BB BF): "
					     "save it without one");
	error = check_bytes(configuration, origin, line, length);
	if (error)
		return error;
	while (length > 0 && isspace((unsigned char)line[length - 1]))
		length--;
	if (length <= prefix || memcmp(line, CONFIGURATION_HEADER " ", prefix) != 0)
		return configuration_problem(configuration, origin,
					     "the first line is not '" CONFIGURATION_HEADER " %d'",
					     CONFIGURATION_VERSION);
	if (length - prefix < sizeof(version)) {
		uint64_t number;

		memcpy(version, line + prefix, length - prefix);
		version[length - prefix] = '\0';
		if (isst_parse_number(version, 10, CONFIGURATION_VERSION, &number) == 0 &&
		    number == CONFIGURATION_VERSION)
			return 0;
	}
	return configuration_problem(
		configuration, origin,
		"version '%.*s' of the format is not known: this is version "
		"%d",
		(int)(length - prefix < LONGEST_WORD ? length - prefix : LONGEST_WORD),
		line + prefix, CONFIGURATION_VERSION);
}

/** What all lines come to: a lack of memory ends it, a problem does not. */
static int parse_lines(struct configuration *configuration, size_t source, const char *text,
		       size_t size, bool is_file)
{
	struct origin origin = { .source = source, .line = is_file ? 1 : 0, .statement = !is_file };
	const char *end = text + size;
	bool wrong = false;

	do {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		int error = origin.line == 1 ? check_header(configuration, origin, text, length)
					     : parse_line(configuration, origin, text, length);

		if (error && error != -EINVAL)
			return error;
		wrong = wrong || error;
		if (origin.line > 0)
			origin.line++;
		text = newline ? newline + 1 : end;
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
			   const char *text, size_t size, bool is_file)
{
	size_t settings = configuration->setting_count, matches = configuration->match_count;
	size_t number = configuration->source_count, problems = configuration->problem_count;
	int contradictions, error = configuration_add_source(configuration, source);

	if (error)
		return error;
	error = parse_lines(configuration, number, text, size, is_file);
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

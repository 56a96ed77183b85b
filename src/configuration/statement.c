/* SPDX-License-Identifier: BSD-3-Clause */
/* What all keywords share: words, numbers, frequencies, lists, and settings for each place. */
#include "configuration/statement.h"
#include "base/array.h"
#include "base/result.h"
#include "common/number.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words of a line ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_mark(char c)
{
	return c == '=' || c == ':' || c == '?';
}

bool words_is_comment(const char *line, size_t i)
{
	return line[i] == '#' && (i == 0 || is_space(line[i - 1]) || is_mark(line[i - 1]));
}

/** Whether a name of CPUs ends before a character: `node:0` goes on behind the colon. */
static bool ends_name(const char *line, size_t i, size_t length)
{
	return is_mark(line[i]) &&
	       !(line[i] == ':' && i + 1 < length && line[i + 1] >= '0' && line[i + 1] <= '9');
}

int words_split(struct words *words, const char *line, size_t length)
{
	size_t used = 0;
	int error = 0;

	*words = (struct words){ 0 };
	/* Behind each word there is a NUL: at most as many as there are characters. */
	words->text = malloc(2 * length + 1);
	if (!words->text)
		return -ENOMEM;
	for (size_t i = 0; i < length && !error;) {
		char *word = words->text + used;
		bool is_name = false;

		if (is_space(line[i])) {
			i++;
			continue;
		}
		if (words_is_comment(line, i))
			break;
		do {
			is_name = line[i] == '@' || (is_name && line[i] != ',');
			words->text[used++] = line[i++];
		} while (i < length && !is_space(line[i]) &&
			 (is_name ? !ends_name(line, i, length)
				  : !is_mark(line[i - 1]) && !is_mark(line[i])));
		words->text[used++] = '\0';
		error = ARRAY_GROW(words->words, words->count);
		if (!error)
			words->words[words->count++] = word;
	}
	return error;
}

void words_free(struct words *words)
{
	free(words->words);
	free(words->text);
	*words = (struct words){ 0 };
}

const char *words_peek(const struct words *words)
{
	return words->next < words->count ? words->words[words->next] : NULL;
}

const char *words_take(struct words *words)
{
	const char *word = words_peek(words);

	if (word)
		words->next++;
	return word;
}

bool words_take_if(struct words *words, const char *word)
{
	const char *next = words_peek(words);

	if (!next || strcmp(next, word) != 0)
		return false;
	words->next++;
	return true;
}

/* ---- Numbers, lists and frequencies ---- */

#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)

int statement_reject(struct statement *statement, const char *word, const char *expected)
{
	/* `level=0` is three words. */
	const char *next = word && strcmp(word, "=") == 0 ? words_peek(&statement->words) : NULL;

	if (!word)
		return statement_problem(statement, "%s: %s is missing (%s)", statement->keyword,
					 expected, statement->usage);
	return statement_problem(statement, "%s: '%.*s%.*s' is not %s (%s)", statement->keyword,
				 LONGEST_WORD, word, LONGEST_WORD, next ? next : "", expected,
				 statement->usage);
}

int statement_expect(struct statement *statement, const char *word, const char *expected)
{
	return statement_problem(statement, "%s: expected %s%s%.*s%s (%s)", statement->keyword,
				 expected, word ? ", found '" : "", LONGEST_WORD, word ? word : "",
				 word ? "'" : "", statement->usage);
}

int statement_number(struct statement *statement, const char *expected, uint64_t max,
		     uint64_t *number)
{
	const char *word = words_take(&statement->words);

	if (!word || number_parse(word, 0, max, number))
		return statement_reject(statement, word, expected);
	return 0;
}

int statement_list(struct statement *statement, const char *expected, unsigned int max,
		   struct isst_cpuset **set)
{
	const char *word = words_take(&statement->words);
	unsigned int above;
	int error;

	*set = NULL;
	if (!word)
		return statement_reject(statement, word, expected);
	*set = isst_cpuset_new();
	error = *set ? isst_cpuset_add_list(*set, word, NULL) : -ENOMEM;
	if (error == -ERANGE)
		expected = "a list of numbers below " TEXT_OF(ISST_CPU_NUMBER_LIMIT);
	if (!error && (isst_cpuset_count(*set) == 0 ||
		       (max != UINT_MAX && isst_cpuset_next(*set, max + 1, &above))))
		error = -ERANGE;
	if (!error)
		return 0;
	isst_cpuset_free(*set);
	*set = NULL;
	return error == -ENOMEM ? error : statement_reject(statement, word, expected);
}

/** A configuration is a state: what names mean must not depend on what it states. */
static int check_name(void *data, const struct cpu_name *name, struct isst_cpuset *cpus)
{
	(void)data;
	(void)cpus;
	return name->kind == CPU_NAME_CLOS || name->kind == CPU_NAME_HIGH_PRIORITY ? -ENOTSUP : 0;
}

int statement_cpus(struct statement *statement, struct isst_cpuset **set, char **named)
{
	const char *word = words_peek(&statement->words);
	const char *expected = "a list of CPUs such as 0-3,8 or @node:1";
	int error;

	*named = NULL;
	if (!word || !strchr(word, '@'))
		return statement_list(statement, expected, UINT_MAX, set);
	words_take(&statement->words);
	*set = isst_cpuset_new();
	*named = strdup(word);
	error = *set && *named ? cpu_list_add(word, *set, check_name, NULL) : -ENOMEM;
	if (!error)
		return 0;
	isst_cpuset_free(*set);
	free(*named);
	*set = NULL;
	*named = NULL;
	if (error == -ENOTSUP)
		expected = "a list of CPUs that stays the same: @package:N, @domain:P.D, @node:N "
			   "and @isolated do";
	return error == -ENOMEM ? error : statement_reject(statement, word, expected);
}

const char *const wanted_words[WANTED_KINDS] = {
	[WANTED_UNMANAGED] = "unmanaged", [WANTED_NONE] = "none",
	[WANTED_BASE] = "base",		  [WANTED_TURBO] = "turbo",
	[WANTED_LOWEST] = "lowest",	  [WANTED_OF_LEVEL] = "by-level",
	[WANTED_ISOLATED] = "isolated",	  [WANTED_ALL_ONLINE] = "online",
};

bool statement_take_wanted(struct statement *statement, unsigned int allowed,
			   enum wanted_kind *wanted)
{
	for (int kind = 0; kind < WANTED_KINDS; kind++) {
		const char *word = allowed >> kind & 1 ? wanted_words[kind] : NULL;

		if (word && words_take_if(&statement->words, word)) {
			*wanted = (enum wanted_kind)kind;
			return true;
		}
	}
	return false;
}

enum { HIGHEST_MHZ = 25500, HIGHEST_UNCORE_MHZ = 12700 };

/** A frequency as a number with or without unit, and with decimals behind a point. Returns 0,
 * -EINVAL or -ERANGE. */
static int parse_khz(const char *word, uint64_t *khz)
{
	static const struct {
		const char *name;
		size_t decimals; /* that kHz have */
	} UNITS[] = { { "", 3 }, { "MHz", 3 }, { "GHz", 6 }, { "kHz", 0 } };
	size_t digits = strspn(word, "0123456789"), decimals = 0, unit = 0;
	const char *rest = word + digits;
	char number[16] = "";

	if (digits > 0 && *rest == '.' && (decimals = strspn(rest + 1, "0123456789")) > 0)
		rest += 1 + decimals;
	while (unit < sizeof(UNITS) / sizeof(UNITS[0]) && strcmp(rest, UNITS[unit].name) != 0)
		unit++;
	if (unit == sizeof(UNITS) / sizeof(UNITS[0]) || decimals > UNITS[unit].decimals)
		return -EINVAL;
	if (digits + UNITS[unit].decimals >= sizeof(number))
		return -ERANGE;
	memcpy(number, word, digits);
	memset(number + digits, '0', UNITS[unit].decimals);
	memcpy(number + digits, word + digits + 1, decimals);
	return number_parse(number, 10, HIGHEST_MHZ * KHZ_PER_MHZ, khz);
}

int statement_frequency(struct statement *statement, unsigned int allowed, enum wanted_kind *wanted,
			uint64_t *khz)
{
	const char *expected = "a frequency in MHz, base, turbo or lowest", *word;
	int error;

	if ((allowed & FREQUENCY_ANY) == FREQUENCY_ANY)
		expected = "a frequency in MHz, none, base, turbo or lowest";
	else if ((allowed & FREQUENCY_ANY) == WORD(NONE))
		expected = "a frequency in MHz, or none";
	*khz = 0;
	if (statement_take_wanted(statement, allowed & FREQUENCY_ANY, wanted))
		return 0;
	word = words_take(&statement->words);
	error = word ? parse_khz(word, khz) : -EINVAL;
	*wanted = WANTED_KHZ;
	if (error == -ERANGE)
		expected = "a frequency of 0 to 25500 MHz";
	else if (!error && allowed & FREQUENCY_NOT_ZERO && *khz == 0)
		expected = "a frequency above 0, or none for no limit";
	else if (!error && allowed & FREQUENCY_RATIO && *khz % (MHZ_PER_RATIO * KHZ_PER_MHZ) != 0)
		expected = "a multiple of 100 MHz, as the hardware stores it";
	/* A ratio of 7 bits. */
	else if (!error && (allowed & FREQUENCY_UNCORE) == FREQUENCY_UNCORE &&
		 *khz > HIGHEST_UNCORE_MHZ * KHZ_PER_MHZ)
		expected = "a frequency of 100 to 12700 MHz";
	else if (!error)
		return 0;
	return statement_reject(statement, word, expected);
}

static int copy_set(const struct isst_cpuset *set, struct isst_cpuset **copy)
{
	*copy = NULL;
	if (!set)
		return 0;
	*copy = isst_cpuset_new();
	return *copy ? isst_cpuset_add_set(*copy, set) : -ENOMEM;
}

/** Adds a setting of an index; takes over its sets, also on error. */
static int add_indexed(struct statement *statement, struct setting *setting, unsigned int index)
{
	int error = copy_set(statement->places[PLACE_PACKAGE], &setting->scope.packages);

	if (!error)
		error = copy_set(statement->places[PLACE_DOMAIN], &setting->scope.power_domains);
	if (!error && statement->places[PLACE_CPU])
		error = copy_set(statement->places[PLACE_CPU], &setting->cpus);
	if (!error && statement->named_cpus) {
		setting->named[LIST_CPUS] = strdup(statement->named_cpus);
		error = setting->named[LIST_CPUS] ? 0 : -ENOMEM;
	}
	if (error) {
		setting_clear(setting);
		return error;
	}
	setting->index = index;
	setting->origin = statement->origin;
	setting->optional = statement->optional;
	return configuration_add(statement->configuration, setting);
}

int statement_add(struct statement *statement, struct setting *setting)
{
	const struct isst_cpuset *indexes = statement->places[PLACE_CLOS];
	unsigned int index;
	int error = 0;

	if (!indexes)
		indexes = statement->places[PLACE_FABRIC];
	if (!indexes)
		return add_indexed(statement, setting, INDEX_ALL);
	/* Settings with an index have no sets. */
	isst_cpuset_for_each (index, indexes)
		if (!error)
			error = add_indexed(statement,
					    &(struct setting){ .subject = setting->subject,
							       .wanted = setting->wanted,
							       .number = setting->number },
					    index);
	return error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"
#include "../../common/memory_stream.h"
#include "../../common/suggest.h"
#include "../process/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Why a word is no option ---- */

#define PLATFORM "platform"
#define EMULATE "emulate"

struct unknown {
	const char *word; /* as given */
	const char *name; /* in it; of @length */
	size_t length;
	bool letter;	   /* the name is a letter behind one dash */
	const char *shown; /* the word or, of letters joined in it, the one with its dash */
};

static const struct option_row *find_letter(const struct option_row *rows, char letter)
{
	for (; rows && rows->name; rows++)
		if (rows->letter == letter)
			return rows;
	return NULL;
}

static const struct option_row *find_exact(const struct option_row *rows,
					   const struct unknown *unknown)
{
	if (unknown->letter)
		return find_letter(rows, *unknown->name);
	for (; rows && rows->name; rows++)
		if (strlen(rows->name) == unknown->length &&
		    memcmp(rows->name, unknown->name, unknown->length) == 0)
			return rows;
	return NULL;
}

/** An option of another place: the message names the place. NULL: there is none. */
static char *explain_misplaced(const struct option_place *place, const struct unknown *unknown)
{
	const struct option_row *before = find_exact(place->before, unknown);
	const struct option_row *behind = find_exact(place->behind, unknown);
	char *elsewhere = NULL, *problem = NULL;

	if (!before && !behind && place->find_elsewhere && !unknown->letter)
		elsewhere = place->find_elsewhere(place->of, unknown->name, unknown->length);
	if (place->command && (behind || (elsewhere && *elsewhere)))
		problem = xasprintf("option '%s' is not an option of %s%s%s%s", unknown->shown,
				    place->command, before ? "; before the feature it is --" : "",
				    before ? before->name : "", elsewhere ? elsewhere : "");
	/* Beside those two there is no command. */
	else if (before && !behind && place->command && before->id != OPTION_INFO &&
		 before->id != OPTION_OOB)
		problem = xasprintf("option '%s' belongs before the feature: --%s%s%s %s",
				    unknown->shown, before->name, before->argument ? " " : "",
				    before->argument ? before->argument : "", place->command);
	else if (before || behind || (elsewhere && *elsewhere))
		problem = xasprintf(
			"option '%s' belongs %s%s%s%s", unknown->shown,
			before ? "before the feature" : "", before && behind ? " or " : "",
			before && !behind ? "" : "after the command", elsewhere ? elsewhere : "");
	free(elsewhere);
	return problem;
}

/** Names the options that a name may stand for. NULL: it can stand for one at most. */
static char *explain_ambiguous(const struct option_row *rows, const struct unknown *unknown)
{
	struct memory_stream memory;
	char *names, *problem = NULL;
	size_t count = 0;

	xcall(memory_stream_open(&memory));
	for (; unknown->length > 1 && rows && rows->name; rows++)
		if (strncmp(unknown->name, rows->name, unknown->length) == 0)
			fprintf(memory.stream, "%s--%s", count++ > 0 ? " or " : "", rows->name);
	names = xcheck(memory_stream_text(&memory));
	if (count > 1)
		problem = xasprintf("option '%s' is ambiguous: %s", unknown->word, names);
	free(names);
	return problem;
}

static const char *nearest_name(const struct option_row *rows, const char *name)
{
	struct suggestion suggestion = { .word = name };

	for (; rows && rows->name; rows++)
		suggestion_consider(&suggestion, rows->name);
	return suggestion.best;
}

/** The option that has a word as its value; NULL: none. */
static const struct option_row *row_with_word(const struct option_row *rows, const char *word)
{
	for (; rows && rows->name; rows++)
		for (size_t i = 0; rows->words && rows->words[i]; i++)
			if (strcmp(rows->words[i], word) == 0)
				return rows;
	return NULL;
}

static char *explain_name(const struct option_row *rows, const struct unknown *unknown)
{
	const struct unknown letter = { .name = unknown->name, .letter = true };
	char *name = xstrndup(unknown->name, unknown->length);
	const char *nearest = nearest_name(rows, name);
	const struct option_row *row = row_with_word(rows, name);
	char *problem;

	if (!row)
		row = row_with_word(global_options, name);
	if (unknown->length == 1 && find_exact(rows, &letter))
		problem = xasprintf("unknown option '%s'; did you mean '-%s'?", unknown->word,
				    name);
	else if (row)
		problem = xasprintf("unknown option '%s'; did you mean '--%s %s'?", unknown->word,
				    row->name, name);
	else if (nearest)
		problem = xasprintf("unknown option '%s'; did you mean '--%s'?", unknown->word,
				    nearest);
	else
		problem = xasprintf("unknown option '%s'", unknown->word);
	free(name);
	return problem;
}

/** Reports an option that @place does not have. @word: as given; @name: in it, or the letter. */
static char *option_unknown(const struct option_place *place, const char *word, const char *name,
			    size_t length)
{
	const bool letter = length == 1 && word[1] != '-';
	const char one[] = { '-', *name, '\0' };
	struct unknown unknown = { word, name, length, letter, letter ? one : word };
	char *problem = explain_ambiguous(place->rows, &unknown);

	/* The machine is a platform in all other words. */
	if (length == strlen(PLATFORM) && memcmp(name, PLATFORM, length) == 0) {
		unknown.name = EMULATE;
		unknown.length = strlen(EMULATE);
	}
	if (!problem)
		problem = explain_misplaced(place, &unknown);
	if (problem)
		return problem;
	if (!letter)
		return explain_name(place->rows, &unknown);
	return word[2] ? xasprintf("unknown option '%s' in '%s'", one, word)
		       : xasprintf("unknown option '%s'", one);
}

static const struct {
	const char *dash;
	const char *name;
} foreign_dashes[] = {
	{ "\u2010", "U+2010" }, { "\u2011", "U+2011" }, { "\u2012", "U+2012" },
	{ "\u2013", "U+2013" }, { "\u2014", "U+2014" }, { "\u2015", "U+2015" },
	{ "\u2212", "U+2212" }, { "\ufe58", "U+FE58" }, { "\ufe63", "U+FE63" },
	{ "\uff0d", "U+FF0D" },
};

/** The name of the dash that @word begins with; NULL: none, or ASCII's. Moves @word behind it. */
static const char *skip_foreign_dash(const char **word)
{
	for (size_t i = 0; i < sizeof(foreign_dashes) / sizeof(foreign_dashes[0]); i++) {
		size_t length = strlen(foreign_dashes[i].dash);

		if (strncmp(*word, foreign_dashes[i].dash, length) == 0) {
			*word += length;
			return foreign_dashes[i].name;
		}
	}
	return NULL;
}

char *option_foreign_dash(const struct option_row *rows, const char *word)
{
	const char *name = word, *dash = skip_foreign_dash(&name), *nearest;

	if (!dash)
		return NULL;
	while (*name == '-' || skip_foreign_dash(&name))
		name += *name == '-';
	if (*name && !name[1] &&
	    find_exact(rows, &(struct unknown){ .name = name, .letter = true }))
		return xasprintf("'%s' begins with %s, not '-': did you mean -%s?", word, dash,
				 name);
	nearest = nearest_name(rows, name);
	if (nearest)
		return xasprintf("'%s' begins with %s, not '-': did you mean --%s?", word, dash,
				 nearest);
	return xasprintf("'%s' begins with %s, not '-'", word, dash);
}

/* ---- The options ---- */

static const char *const format_words[] = { "text", "json",  "json-v2", "openmetrics",
					    "nfd",  "facts", NULL };

const struct option_row global_options[] = {
	{ OPTION_ALL_ONLINE, 'a', "all-cpus-online", .help = "Bring all CPUs online first" },
	{ OPTION_CPU, 'c', "cpu", "LIST", VALUE_CPU_LIST,
	  .help = "Only these CPUs, such as 1,3-5,8..10; may be repeated. Also @clos:N, "
		  "@high-priority, @package:N, @domain:P.D, @node:N, @isolated. Default: all "
		  "power domains of the machine" },
	{ OPTION_CGROUP, 'g', "cgroupv2", .idle_on_preset = true,
	  .help = "Isolate CPUs in cgroup v2 partitions instead of taking them offline" },
	{ OPTION_CPU0_WORKAROUND, 'u', "cpu0-workaround", .idle_on_preset = true,
	  .help = "Isolate CPU 0 in a cgroup v2 partition; never take it offline" },
	{ OPTION_DEBUG, 'd', "debug", .help = "Trace driver requests and replies" },
	{ OPTION_DRY_RUN, 0, "dry-run", .own = true,
	  .help = "Check everything and list what would be written, but write nothing" },
	{ OPTION_FORMAT, 'f', "format", "FORMAT", VALUE_WORD, .words = format_words,
	  .help = "Write results as text, json (keys as those of the kernel tree's tool, all "
		  "values strings) or json-v2 (numbers, keys with units); those of status also as "
		  "openmetrics (Prometheus), nfd or facts. Default: text" },
	{ OPTION_GET, 0, "get", "PATH", VALUE_TEXT, .own = true,
	  .help = "Write one value of json-v2, such as domains[0].current_level" },
	{ OPTION_HELP, 'h', "help", .help = "Print help for the program, FEATURE or COMMAND" },
	{ OPTION_INFO, 'i', "info", .idle_on_preset = true,
	  .help = "Print the supported features of this machine" },
	{ OPTION_LOCK_TIMEOUT, 0, "lock-timeout", "SECONDS", VALUE_NUMBER, 0, 3600, .own = true,
	  .help = "Time to wait for another run that changes the machine; 0: do not wait. "
		  "Default: 9" },
	{ OPTION_NO_DAEMON, 'n', "no-daemon", .idle_on_preset = true,
	  .help = "With --oob: stay in the foreground" },
	{ OPTION_OOB, 'b', "oob", .idle_on_preset = true,
	  .help = "Take CPUs on- and offline after level changes of other programs, as a daemon: "
		  "the older form of `watch --follow`" },
	{ OPTION_OUT, 'o', "out", "FILE", VALUE_TEXT, .help = "Write results to FILE" },
	{ OPTION_PAUSE, 'p', "pause", "MS", VALUE_NUMBER, 0, 60000, .idle_on_preset = true,
	  .help = "Pause before each mailbox command, in milliseconds" },
	{ OPTION_POLL_INTERVAL, 'w', "poll-interval", "SECONDS", VALUE_NUMBER, 1, 3600,
	  .idle_on_preset = true,
	  .help = "With --oob: look every SECONDS, without waiting for events; stay in the "
		  "foreground" },
	{ OPTION_RETRY, 'r', "retry", "COUNT", VALUE_NUMBER, 1, 1000, .idle_on_preset = true,
	  .help = "Attempts for a mailbox command while the firmware is busy. Default: 3" },
	{ OPTION_VERSION, 'v', "version", .help = "Print the version" },
	{ OPTION_EMULATE, 0, "emulate", "NAME|PATH", VALUE_TEXT, .own = true,
	  .help = "Use an emulated machine: a platform from `platform list`, a platform file, or "
		  "the directory of a captured machine (a path contains a slash). Also: "
		  "ISST_EMULATE in the environment" },
	{ OPTION_EMULATE_STATE, 0, "emulate-state", "DIR", VALUE_TEXT, .own = true,
	  .help = "State directory of the emulated machine, which is kept between runs: `platform "
		  "reset` begins afresh. Default: a private directory for each user and platform. "
		  "Also: ISST_EMULATE_STATE in the environment" },
	{ OPTION_EMULATE_UNLOCK, 0, "emulate-unlock", .own = true,
	  .help = "Remove the lock that prevents level changes on an emulated machine, such as a "
		  "captured one" },
	{ OPTION_REAL, 0, "real", .own = true, .help = "Refuse to run on an emulated machine" },
	{ .name = NULL },
};

const struct option_row anywhere_options[] = { ANYWHERE_ROWS };

/** The row of a name, or the only one that begins so, with two letters or more. @reference: own
 * options do not make the reference tool's ambiguous. */
static const struct option_row *find_name(const struct option_row *rows, const char *name,
					  size_t length, bool reference)
{
	const struct option_row *found = NULL;
	size_t count = 0;

	for (; rows && rows->name; rows++) {
		if (strncmp(rows->name, name, length) != 0)
			continue;
		if (!rows->name[length])
			return rows;
		if (reference && found && rows->own && !found->own)
			continue;
		/* What was found before does not count any more. */
		if (reference && found && found->own && !rows->own)
			count = 0;
		found = rows;
		count++;
	}
	return count == 1 && length > 1 ? found : NULL;
}

/* ---- Reading ---- */

struct reader {
	const struct option_place *place;
	const struct option_row *idle; /* accepted here though they have no meaning; NULL: none */
	struct option_values *values;
	char **words; /* ended by NULL */
	int next;     /* the first word not yet read */
};

static char *read_value(struct reader *reader, const struct option_row *row, const char *value)
{
	const struct option_value before = reader->values->value[row->id];
	char *problem = option_read_value(row, value, reader->values);

	/* A repeated switch changes nothing; CPUs and texts add up. */
	if (problem || !before.given || row->kind == VALUE_NONE || row->kind == VALUE_CPU_LIST ||
	    row->kind == VALUE_TEXTS)
		return problem;
	/* The last one holds, or it is refused. */
	if (reader->place->reference) {
		option_values_note(reader->values, "option --%s is repeated: %s replaces %s",
				   row->name, value, before.text);
		return NULL;
	}
	return xasprintf(
		"option --%s is repeated: '%s', then '%s'%s", row->name, before.text, value,
		row->id == OPTION_CLOS ? "; specify CPUs before the feature, with --cpu" : "");
}

/** Takes in an option. @value: joined to it; NULL: nothing was. */
static char *take(struct reader *reader, const struct option_row *row, const char *word,
		  const char *value)
{
	const char *next = reader->words[reader->next];

	if (row->kind == VALUE_NONE && value)
		return xasprintf("option --%s takes no value: '%s'", row->name, word);
	if (row->kind == VALUE_NONE)
		return read_value(reader, row, "");
	if (row->otherwise && !value && !(next && *next && *next != '-'))
		return read_value(reader, row, row->otherwise);
	if (!value && !next)
		return xasprintf("option --%s requires a value: %s", row->name, row->argument);
	return read_value(reader, row, value ? value : reader->words[reader->next++]);
}

/** Skips an option without a meaning here, and its value unless that begins with a dash. */
static void pass_over(struct reader *reader, const struct option_row *row, const char *word,
		      size_t length, const char *value)
{
	const char *next = reader->words[reader->next];
	const struct option_row *before = NULL;

	if (row->kind != VALUE_NONE && !value && next && *next != '-')
		reader->next++;
	if (word[1] != '-' && length == 2)
		before = find_letter(reader->place->before, word[1]);
	/* Without the CPUs that were meant the command is for the whole machine. */
	if (before && before->kind == VALUE_CPU_LIST && !reader->values->cpus.numbers)
		option_values_note(reader->values,
				   "option %.*s has no effect on %s: here it means --%s; it "
				   "selects CPUs (--%s) only before the feature",
				   (int)length, word, reader->place->command, row->name,
				   before->name);
	else
		option_values_note(reader->values, "option %.*s has no effect on %s", (int)length,
				   word, reader->place->command);
}

/** Reads letters behind one dash; the rest of the word may be a value, also behind a '='. */
static char *read_letters(struct reader *reader, const char *word)
{
	char *problem = NULL;

	for (const char *rest = word + 1; *rest && !problem;) {
		const char letter[] = { '-', *rest++, '\0' };
		const struct option_row *row = find_letter(reader->place->rows, letter[1]);
		const struct option_row *idle = find_letter(reader->idle, letter[1]);
		const char *value = NULL;

		if (!row && !idle)
			return option_unknown(reader->place, word, letter + 1, 1);
		if ((row ? row : idle)->kind != VALUE_NONE && *rest) {
			value = rest + (*rest == '=');
			rest += strlen(rest);
		}
		if (row)
			problem = take(reader, row, word, value);
		else
			pass_over(reader, idle, letter, 2, value);
	}
	return problem;
}

static char *read_option(struct reader *reader)
{
	const struct option_place *place = reader->place;
	const char *word = reader->words[reader->next++];
	const bool one_dash = word[1] != '-';
	const char *name = word + (one_dash ? 1 : 2);
	const size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	const struct option_row *row;

	if (one_dash && !name[1])
		return read_letters(reader, word);
	/* What could be a long name behind one dash is no row of letters. */
	row = find_name(place->rows, name, length, place->reference);
	if (row)
		return take(reader, row, word, value);
	row = find_name(reader->idle, name, length, place->reference);
	if (row) {
		pass_over(reader, row, word, (size_t)(name - word) + length, value);
		return NULL;
	}
	if (one_dash && (find_letter(place->rows, *name) || find_letter(reader->idle, *name)))
		return read_letters(reader, word);
	return option_unknown(place, word, name, length);
}

char *options_read(int argc, char **argv, const struct option_place *place,
		   struct option_values *values, int *end)
{
	struct reader reader = {
		.place = place,
		.idle = place->reference && place->command ? place->behind : NULL,
		.values = values,
		.words = argv,
		.next = 1,
	};
	char *problem = NULL, *further;

	while (reader.next < argc && !values->value[OPTION_HELP].given) {
		const char *word = argv[reader.next];

		if (word[0] != '-' || !word[1])
			break;
		if (strcmp(word, "--") == 0) {
			reader.next++;
			break;
		}
		further = read_option(&reader);
		/* A second problem does not hide the first. */
		if (problem)
			free(further);
		else
			problem = further;
	}
	*end = reader.next;
	return problem;
}

void option_values_note(struct option_values *values, const char *format, ...)
{
	va_list arguments;

	values->notes = xreallocarray(values->notes, values->note_count + 1,
				      sizeof(*values->notes));
	va_start(arguments, format);
	values->notes[values->note_count++] = xvasprintf(format, arguments);
	va_end(arguments);
}

void option_values_clear(struct option_values *values)
{
	for (size_t i = 0; i < values->note_count; i++)
		free(values->notes[i]);
	free(values->notes);
	free(values->texts);
	cpu_list_clear(&values->cpus);
	cpu_list_clear(&values->within);
	cpu_list_clear(&values->avoid);
	*values = (struct option_values){ 0 };
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A statement while it is parsed: its words, where it is for, and what all keywords share. */
#ifndef ISST_CONFIGURATION_STATEMENT_H
#define ISST_CONFIGURATION_STATEMENT_H

#include "configuration/configuration.h"

/** The longest part of a wrong word that a message repeats. */
enum { LONGEST_WORD = 40, HIGHEST_CLOS = 3 };

struct words {
	char *text; /* what the words are in */
	char **words;
	size_t count, next;
};

/**
 * Takes a line apart at white space; `=`, `:` and `?` are words of their own, and a `#` at the
 * beginning of a word begins a comment. Returns 0 or -ENOMEM; to be freed with words_free() in
 * either case.
 */
int words_split(struct words *words, const char *line, size_t length);
void words_free(struct words *words);

/** Whether a comment begins at a character, before which there is none. */
bool words_is_comment(const char *line, size_t i);

/** The next word, which stays the next; NULL behind the last one. */
const char *words_peek(const struct words *words);
/** The next word, which is taken; NULL behind the last one. */
const char *words_take(struct words *words);
/** Takes the next word if it is that one. */
bool words_take_if(struct words *words, const char *word);

/** What may stand in front of a statement. */
enum place_kind { PLACE_PACKAGE, PLACE_DOMAIN, PLACE_CPU, PLACE_FABRIC, PLACE_CLOS, PLACES };

struct statement {
	struct configuration *configuration;
	const char *keyword, *usage; /* usage: the form of the whole statement */
	enum subject subject;	     /* the keyword's */
	struct origin origin;
	struct words words;
	bool optional;
	struct isst_cpuset *places[PLACES]; /* NULL: none is named */
	char *named_cpus;		    /* of PLACE_CPU, where names are in it */
};

/* Functions that take words return 0, -EINVAL with a problem that names the word, or -ENOMEM. */

/** Adds a problem of the statement. Returns -EINVAL or -ENOMEM. */
#define statement_problem(statement, ...) \
	configuration_problem((statement)->configuration, (statement)->origin, __VA_ARGS__)

/** Adds the problem that a word is not what is expected; @word NULL: that one is missing. */
int statement_reject(struct statement *statement, const char *word, const char *expected);

/** The same where @expected contains a place: `X after Y`. */
int statement_expect(struct statement *statement, const char *word, const char *expected);

/** Takes a number up to @max; @expected: in words. */
int statement_number(struct statement *statement, const char *expected, uint64_t max,
		     uint64_t *number);

/** Takes a list of numbers up to @max, as the kernel writes lists. *@set is to be freed. */
int statement_list(struct statement *statement, const char *expected, unsigned int max,
		   struct isst_cpuset **set);

/** Takes a list of CPUs, which is not empty. *@named: the list, if it contains names, of which the
 * CPUs are not in *@set; to be freed. */
int statement_cpus(struct statement *statement, struct isst_cpuset **set, char **named);

/** What may be wanted by a word. */
extern const char *const wanted_words[WANTED_KINDS];
#define WORD(kind) (1U << WANTED_##kind)

/** Takes such a word, if it is one of those allowed. */
bool statement_take_wanted(struct statement *statement, unsigned int allowed,
			   enum wanted_kind *wanted);

/** The words that a frequency may be, besides a number. */
#define FREQUENCY_ANY (WORD(NONE) | WORD(BASE) | WORD(TURBO) | WORD(LOWEST))
/** It is stored in multiples of 100 MHz, up to 25500. */
#define FREQUENCY_RATIO (1U << WANTED_KINDS)
/** It is a limit that 0 does not take away: none does. */
#define FREQUENCY_NOT_ZERO (2U << WANTED_KINDS)
/** It is stored in multiples of 100 MHz, up to 12700. */
#define FREQUENCY_UNCORE (4U << WANTED_KINDS | FREQUENCY_RATIO)

/** Takes a frequency: a word that @allowed names, or a number of MHz or of the unit behind it. */
int statement_frequency(struct statement *statement, unsigned int allowed, enum wanted_kind *wanted,
			uint64_t *khz);

/** Adds a setting for the places of the statement; takes over its sets, also on error. */
int statement_add(struct statement *statement, struct setting *setting);

/* ---- keywords.c ---- */

struct keyword {
	const char *name;
	const char *usage; /* of the whole statement, with the places that are its own */
	int (*parse)(struct statement *statement);
	enum subject subject;  /* SUBJECTS: a condition of the whole machine, never optional */
	unsigned int words;    /* one of which may follow alone: WORD() */
	enum place_kind place; /* of its own, besides packages and domains; PLACES: none */
};

/** The keyword of that name, or NULL. */
const struct keyword *keyword_find(const char *name);

/** The keyword that was probably meant, or NULL. */
const char *keyword_suggest(const char *name);

/** Reports a word that former versions had, alone or with another one behind it. Returns 0 if it is
 * none, or as statement_problem(). */
int keyword_reject_former(struct statement *statement, const char *word);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_KEYS_H
#define ISST_CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

/** Types of json-v2. docs/json-v2.md and docs/isst.schema.json contain the same. */
enum type_v2 {
	V2_OBJECT,
	V2_ARRAY, /* of objects */
	V2_NUMBER,
	V2_BOOLEAN,
	V2_STRING,
	V2_RESULT, /* a word; of a failure `failed`, with the member errno */
	V2_CPUS,   /* an object: the CPUs as a list of the kernel, and as numbers */
};

struct key {
	/** The key as scripts know it. '#' stands for the node's index, '*' for its variant. */
	const char *name;
	/** The key of json-v2 in snake_case with its unit, and its type. */
	const char *name_v2;
	enum type_v2 type;
	/** Of what the report has several times: the member with the index or variant of each. */
	const char *index;
	/** Of an array of single values: the member with the value, and its type. */
	const char *value;
	enum type_v2 value_type;
	/** Of a leaf in such an array, without a number in its name: the index of its element. */
	unsigned int element;
	/** Of the last step of a path: the array of the units. NULL: domains. */
	const char *units;
	/** An array that stands in this object, or beside this value, even without elements. */
	const char *list;
	/** A word that stands for a value that is not known: null. */
	const char *unknown;
	/** The variant that scripts know without a name of its own: "*-" is left out for it. */
	const char *plain_variant;
	/** How states are written: off, on. */
	const char *off, *on;
	/** In text written behind a branch that is marked. */
	const char *mark;
	/** Written behind a number. */
	const char *suffix;
	/** A number that is none: written as words, and not at all in json-v2. */
	uint64_t special;
	const char *special_text;
	/** The lines of a node in text, "": none. `{}` is its value, `{KEY}` that of a node below
	 * or behind it, `{#}` its index, `{*N}` its variant in N columns. @sentence_off: of a
	 * state that is off. */
	const char *sentence, *sentence_off;
	/** Of reports that are screens: the sentence is broken into lines of the page. */
	bool wrapped;
	/** What stands for a value in sentences and cells, where that is not the value itself. */
	const struct phrase *phrases;
	/** On screens: the name of a step, or of CPUs in sentences; NULL: not shown. @optional:
	 * shown only where units differ in it. */
	const char *place;
	bool optional;
	/** On screens: a branch is a row of the table with this heading, a leaf a cell in the
	 * column with it. @index_heading: of the column of a branch's index. */
	const char *heading, *index_heading;
	/** The sentence in a cell; NULL: the value. A branch with one is a cell, too. @legend: its
	 * meaning, below the table, or only below a cell that is @legend_of. */
	const char *cell, *legend, *legend_of;
	/** How a value stands out (STYLE_...), and which one does; of a row: its heading. */
	unsigned char style;
	const char *notable;
	/** Of a branch: what changes in it is not marked, since it does all the time. */
	bool restless;
	/** Of a leaf: it is a cell of a map, and these are what it can be. */
	const struct map_mark *marks;
};

/** A mark of a map. The last of a list has no value, and stands for all others. */
struct map_mark {
	const char *value;
	char letter;
	const char *meaning;
	unsigned char style;
};

/** The last one of a list has no value: its text precedes all others. */
struct phrase {
	const char *value, *text;
};

/* Parameters of SGR; 0: none. Red and magenta are legible on dark and light terminals. */
enum { STYLE_BOLD = 1, STYLE_CHANGED = 7, STYLE_WRONG = 31, STYLE_OFF = 35 };

enum key_id {
#define KEY(id, ...) KEY_##id,
#include "keys.def"
#undef KEY
	KEYS,
};

/** Of KEY_STATUS_BUCKET: more cores than any bucket holds. */
#define STATUS_NO_BUCKET UINT32_MAX

extern const struct key keys[KEYS];

#endif

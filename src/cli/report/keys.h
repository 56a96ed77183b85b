/* SPDX-License-Identifier: BSD-3-Clause */
/* The key table: every name that can stand in a report. keys.def has its rows. */
#ifndef ISST_CLI_KEYS_H
#define ISST_CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

/** Types of json-v2. docs/json-v2.md and docs/isst.schema.json contain the same. */
enum type_v2 {
	V2_OBJECT,
	V2_ARRAY, /* of objects */
	V2_NUMBER,
	V2_LIMIT, /* a number, or the string "none" */
	V2_BOOLEAN,
	V2_STRING,
	V2_CPUS, /* an object: the CPUs as a list of the kernel, and as numbers */
};

struct key {
	/** The key as scripts know it. '#' stands for the node's index, '*' for its variant. */
	const char *name;
	/** The key of json-v2: snake_case, with the unit; and its type, the same wherever it
	 * stands. */
	const char *name_v2;
	enum type_v2 type;
	/** Of what the report has several times: the member with the index or variant of each. */
	const char *index;
	/** Of an array whose elements are single values: the member with the value, and its type.
	 */
	const char *value;
	enum type_v2 value_type;
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
	/** A number that is written as words instead. */
	uint64_t special;
	const char *special_text;
	/**
	 * Where not NULL: the lines that stand for the node in text; "": none. `{}` stands for its
	 * value,
	 * `{KEY}` for that of a node below it or behind it, `{#}` for its index, `{*}` for its
	 * variant, with a number behind it in a column of that width. @sentence_off: of a state
	 * that is off.
	 */
	const char *sentence, *sentence_off;
	/** Of reports that are screens: the sentence is broken into lines of the page. */
	bool wrapped;
	/** What stands for a value in sentences and cells, where that is not the value itself. */
	const struct phrase *phrases;
	/**
	 * Of reports that are screens. Of a step of a path, or of CPUs in sentences: what one is
	 * called; NULL: a step is called by the others alone, CPUs by their numbers. @optional: the
	 * same where all units are different without it.
	 */
	const char *place;
	bool optional;
	/**
	 * Of a branch: it is a row of a table, which has this heading; of a leaf: it is a cell of
	 * its branch's row, in a column with this heading. @index_heading: of a branch, of a column
	 * with its index.
	 */
	const char *heading, *index_heading;
	/** What stands in the cell, as a sentence; NULL: the value. A branch that has one is a cell
	 * as well, with all others of its key. @legend: what it means, below the table, or only
	 * below one with a cell that is @legend_of. */
	const char *cell, *legend, *legend_of;
	/** How a value stands out (STYLE_...), and which one does; of a row: its heading. */
	unsigned char style;
	const char *notable;
	/** Of a branch: what changes in it is not marked, since it does all the time. */
	bool restless;
	/** Of a leaf: it is a cell of a map, and these are what it can be. */
	const struct map_mark *marks;
};

/** What stands for a value in a map. The last one of a list has no value, and stands for all
 * others. */
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

/* How something stands out on a terminal, as a parameter of SGR; 0: not at all. Of the basic
 * colours red and magenta alone can be read on dark and on light ones. */
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

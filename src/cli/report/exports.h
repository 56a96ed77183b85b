/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a value of a report is called by programs that watch many machines: as a metric, as a label
 * of a node, as a fact. Must not know how these are written.
 */
#ifndef ISST_CLI_EXPORTS_H
#define ISST_CLI_EXPORTS_H

#include "report.h"

/** What is made of a node. */
enum export_kind {
	EXPORT_VALUE,	/* the number; states are 0 and 1, of words disabled and enabled */
	EXPORT_WORD,	/* the word or the text */
	EXPORT_CPUS,	/* CPUs; as a metric their number, of all nodes of a unit together */
	EXPORT_PRESENT, /* that the node is there: 1 */
	EXPORT_COUNT,	/* how many such nodes there are behind one of @of */
};

/** Where values are: of the machine, of packages, of power domains. */
enum export_place { EXPORT_MACHINE, EXPORT_PACKAGE, EXPORT_DOMAIN };

/** A branch of a report in which values are. */
struct export_branch {
	enum key_id key;
	const char *fact;  /* the member that it is */
	const char *index; /* that has its index, also as a label of metrics; NULL: none */
	bool single;	   /* an object; else it is an element of an array */
};

struct export_row {
	enum export_place place;
	enum key_id branch; /* KEYS: the value is in none */
	enum key_id key;
	enum export_kind kind;
	const char *fact;	/* NULL: none */
	const char *metric;	/* without the unit; NULL: none */
	const char *unit;	/* of the metric; NULL: none */
	unsigned int factor;	/* that makes it of the value of the report; 0: 1 */
	const char *label;	/* of the metric, with one value; NULL: none */
	const char *label_text; /* that value; NULL: the word of the node, or of the one @of */
	const char *feature;	/* the name of the label of a node; NULL: none */
	const char *help;
	enum key_id of; /* of EXPORT_COUNT; of EXPORT_VALUE: the node beside with the label */
};

/** Ended by a row without place in any format: @fact, @metric and @feature are NULL. */
extern const struct export_row export_rows[];

/** Ended by KEYS. */
extern const struct export_branch export_branches[];

/** The branch with a key; NULL: none of its values is exported. */
const struct export_branch *export_branch_find(const struct key *key);

/** Whether a row is the last. */
bool export_row_ends(const struct export_row *row);

/** What a unit of a report is. */
enum export_place export_place_of(const struct report_entry *entry);

/** Whether a row is about a node of a unit, below @branch or, where that is NULL, below the unit
 * itself. */
bool export_row_matches(const struct export_row *row, const struct report_entry *entry,
			const struct report_node *branch, const struct report_node *node);

/** Whether the word of a node is that the machine does not have the feature. */
bool export_is_unsupported(const struct report_node *node);

/** The number of a node: false if it has none, such as an unsupported feature. *@unlimited: it is
 * a limit that there is none. */
bool export_number(const struct export_row *row, const struct report_node *node, uint64_t *number,
		   bool *unlimited);

#endif

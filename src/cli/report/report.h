/* SPDX-License-Identifier: BSD-3-Clause */
/* A report: an ordered list of units (trees of typed values) and messages, made by handlers,
 * written by renderers. */
#ifndef ISST_CLI_REPORT_H
#define ISST_CLI_REPORT_H

#include "../../common/numbered.h"
#include "isst.h"
#include "keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_kind {
	NODE_BRANCH,	 /* holds other nodes */
	NODE_NUMBER,	 /* an unsigned number */
	NODE_STATE,	 /* on or off, in the key's words */
	NODE_WORD,	 /* one of a few words */
	NODE_TEXT,	 /* any text */
	NODE_CPU_LIST,	 /* CPUs, written out */
	NODE_CPU_RANGES, /* CPUs as a list of the kernel */
	NODE_CPU_MASK,	 /* CPUs as a mask */
	NODE_HEX,	 /* a 64-bit pattern */
	NODE_UNKNOWN,	 /* a value that could not be read: a cell of a screen, null in json-v2 */
	NODE_LIST,	 /* an array of json-v2 that may stay empty */
};

struct report;

/** Of a branch that is one of several: whether it is the one in force. */
enum node_standing { STANDING_UNKNOWN, STANDING_OTHER, STANDING_CURRENT };

struct report_node {
	struct report *report;
	enum node_kind kind;
	const struct key *key; /* NULL: the root of a unit */
	unsigned int index;
	char *variant;	 /* NULL: none */
	uint64_t number; /* of a mask its bits */
	char *text;
	struct isst_cpuset *cpus;
	bool hidden;  /* from people, who find it elsewhere; of a root: it has no results */
	bool marked;  /* a branch: in text, as its key has it */
	bool changed; /* since another report, see report_mark_changes() */
	enum node_standing standing;	  /* in json-v2 alone */
	struct report_node *first, *last; /* children */
	struct report_node *next;
};

struct report_step {
	const struct key *key;
	unsigned int index;
};

enum { REPORT_PATH_STEPS = 4 };

enum entry_kind {
	ENTRY_UNIT,
	ENTRY_ERROR,
	ENTRY_NOTE,
	ENTRY_REMARK,	   /* a note that scripts know as a bare line of text */
	ENTRY_PROGRESS,	   /* a note that was printed already where there is no document */
	ENTRY_UNSUPPORTED, /* a unit does not support the request: an error or a note, see
		      report_resolve_unsupported() */
};

struct report_entry {
	enum entry_kind kind;
	struct report_step path[REPORT_PATH_STEPS];
	size_t steps;
	struct report_node *root;
	char *message;		  /* NULL: it is a unit */
	uint64_t hash;		  /* of the message */
	const char *code;	  /* for programs; NULL: that of the kind */
	struct isst_cpuset *cpus; /* that a message is about; NULL: none, or all of its place */
	bool of_cpu;		  /* a unit is a CPU, not what the CPU stands for */
	struct report_entry *next;
};

struct report_header {
	/* Words that live as long as the program; NULL: none, or none that is known. */
	const char *feature, *command;
	bool has_machine;
	unsigned int family, model, stepping;
	char *processor; /* NULL: not known */
	char *emulated;	 /* the name of an emulated machine; NULL: it is a real one */
	int exit_status;
};

/** Units and messages in their order. */
struct report {
	struct report_entry *first, *last;
	/* For people units are tables and maps. @whole: of the whole machine. */
	bool screen, whole;
	bool v2; /* it is for json-v2, or a value of it */
	struct report_header header;
};

struct report *report_new(void);
void report_free(struct report *report);
bool report_has_units(const struct report *report);
void report_make_screen(struct report *report, bool whole);

/** A new unit at that path; without steps: what stands at the top itself. Returns its root. */
struct report_node *report_unit(struct report *report, const struct report_step *path,
				size_t steps);
void report_message(struct report *report, enum entry_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
struct report_entry *report_find_message(const struct report *report, enum entry_kind kind,
					 const char *text);

/** Adds what a message is about: a path, and CPUs, which are added to those that it has. */
void report_place_message(struct report_entry *entry, const struct report_step *path, size_t steps,
			  const struct isst_cpuset *cpus);

/** The next message behind an entry (NULL: the first); NULL: none. */
struct report_entry *report_next_message(struct report *report, const struct report_entry *entry);

/** As folds_join(), on the machine of a context, or NULL. */
void report_join(struct folds *folds, const struct isst_context *context);

/** Joins messages that differ in numbers of places alone. @context: of the machine, or NULL */
void report_fold_messages(struct report *report, const struct isst_context *context);

/** Marks leaves whose text is new since an earlier report of the command. Units are the same if
 * their places are. */
void report_mark_changes(struct report *report, const struct report *before);

/** Removes all entries; the header stays. */
void report_empty(struct report *report);
/** Gives the message that was added last a code, which lives as long as the report. */
void report_code(struct report *report, const char *code);

/** Turns all ENTRY_UNSUPPORTED into @kind: ENTRY_NOTE or ENTRY_ERROR. Returns their number. */
size_t report_resolve_unsupported(struct report *report, enum entry_kind kind);

/* Nodes: added behind the last child of @parent, and returned. */

/** What stands at the top of a report, and a branch of it. */
#define report_at_top(report) report_unit(report, NULL, 0)
#define report_section(report, key) report_branch(report_at_top(report), key, 0)

/** @number: of branches and of CPUs in ranges their index. @text: of branches and of numbers their
 * variant. @text and @cpus, which may be NULL, are copied. */
struct report_node *report_add(struct report_node *parent, enum node_kind kind, enum key_id key,
			       uint64_t number, const char *text, const struct isst_cpuset *cpus);

#define report_number(parent, key, n) report_add(parent, NODE_NUMBER, key, n, NULL, NULL)
#define report_state(parent, key, on) report_add(parent, NODE_STATE, key, on, NULL, NULL)
#define report_hex(parent, key, bits) report_add(parent, NODE_HEX, key, bits, NULL, NULL)
#define report_word(parent, key, word) report_add(parent, NODE_WORD, key, 0, word, NULL)
#define report_text(parent, key, text) report_add(parent, NODE_TEXT, key, 0, text, NULL)
#define report_cpu_list(parent, key, set) report_add(parent, NODE_CPU_LIST, key, 0, NULL, set)
#define report_branch(parent, key, index) report_add(parent, NODE_BRANCH, key, index, NULL, NULL)
#define report_variant(parent, key, variant) report_add(parent, NODE_BRANCH, key, 0, variant, NULL)
#define report_variant_number(parent, key, variant, n) \
	report_add(parent, NODE_NUMBER, key, n, variant, NULL)
/** @cpus: NULL: those that are added to the leaf. */
#define report_cpu_ranges(parent, key, index, cpus) \
	report_add(parent, NODE_CPU_RANGES, key, index, NULL, cpus)
#define report_cpu_mask(parent, key, cpus, bits) \
	report_add(parent, NODE_CPU_MASK, key, bits, NULL, cpus)
/** A value that could not be read, of which a message reports why. */
#define report_unknown(parent, key) report_add(parent, NODE_UNKNOWN, key, 0, NULL, NULL)

/** A parent for what json-v2 alone has: NULL in the other formats. */
static inline struct report_node *report_v2(struct report_node *parent)
{
	return parent && parent->report->v2 ? parent : NULL;
}
/** An array that is there in json-v2 also if it stays empty. */
#define report_list(parent, key) report_add(report_v2(parent), NODE_LIST, key, 0, NULL, NULL)

/* ---- How names and values are written in the formats that scripts know ---- */

/* Each returns a text to be freed. */
/* Of steps that lead to a unit, with colons between them: package-0:die-0:cpu-0. */
char *wording_of_path(const struct report_step *steps, size_t count);
char *wording_of_key(const struct report_node *node);
char *wording_of_value(const struct report_node *leaf);

/** The lines for a node; NULL: its key and value, "": none. */
char *wording_of_sentence(const struct report_node *node);
char *wording_of_cell(const struct report_node *leaf);

/** How a leaf stands out where there are colours: STYLE_..., 0: it does not. */
unsigned int wording_style(const struct report_node *leaf);

/** "Error" or "Information". */
const char *wording_of_message(const struct report_entry *entry);

#endif

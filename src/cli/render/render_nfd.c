/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes values of a report as a feature file of node-feature-discovery: lines `name=value`, which
 * become labels of the node. A label is about the whole machine: values that differ between its
 * parts are `mixed`. Must know nothing of Speed Select: exports.c has the names.
 */
#include "../report/exports.h"
#include "render.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* What a label of Kubernetes can be. */
enum { LONGEST_LABEL = 63 };

struct label_value {
	char text[LONGEST_LABEL + 1];
	bool given, mixed;
};

/** Makes text the value of a label: letters, digits, and dashes between them. */
static void make_label(char label[LONGEST_LABEL + 1], const char *text)
{
	size_t length = 0;

	for (; *text && length < LONGEST_LABEL; text++) {
		bool usual = isalnum((unsigned char)*text) || *text == '.' || *text == '_';

		if (usual)
			label[length++] = *text;
		else if (length > 0 && label[length - 1] != '-')
			label[length++] = '-';
	}
	while (length > 0 && !isalnum((unsigned char)label[length - 1]))
		length--;
	label[length] = '\0';
}

static void take_text(struct label_value *value, const char *text)
{
	char label[LONGEST_LABEL + 1];

	make_label(label, text);
	if (!*label)
		return;
	value->mixed = value->mixed || (value->given && strcmp(value->text, label) != 0);
	if (!value->given)
		memcpy(value->text, label, sizeof(label));
	value->given = true;
}

static void take_node(struct label_value *value, const struct export_row *row,
		      const struct report_node *node)
{
	uint64_t number;
	bool unlimited;
	char text[24];

	if (row->kind == EXPORT_WORD) {
		/* A part of the machine without it is no reason to leave out the others. */
		if (!export_is_unsupported(node))
			take_text(value, node->text);
		return;
	}
	if (!export_number(row, node, &number, &unlimited) || unlimited)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, number);
	take_text(value, node->kind != NODE_STATE ? text : number ? "true" : "false");
}

static void take_nodes(struct label_value *value, const struct export_row *row,
		       const struct report_entry *entry, const struct report_node *branch,
		       const struct report_node *first)
{
	for (const struct report_node *node = first; node; node = node->next) {
		if (node->kind == NODE_BRANCH && !branch)
			take_nodes(value, row, entry, node, node->first);
		if (export_row_matches(row, entry, branch, node))
			take_node(value, row, node);
	}
}

int render_nfd(const struct report *report, bool messages, FILE *stream)
{
	(void)messages;
	fprintf(stream, "isst.version=%s\n", ISST_VERSION);
	for (const struct export_row *row = export_rows; !export_row_ends(row); row++) {
		struct label_value value = { .given = false };

		if (!row->feature)
			continue;
		for (const struct report_entry *entry = report_first(report); entry;
		     entry = entry->next)
			if (entry->kind == ENTRY_UNIT)
				take_nodes(&value, row, entry, NULL, entry->root->first);
		if (value.given)
			fprintf(stream, "%s=%s\n", row->feature,
				value.mixed ? "mixed" : value.text);
	}
	return 0;
}

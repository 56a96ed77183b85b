/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes values of a report as the JSON object of Ansible's local facts: those of the machine at
 * its top, those of its parts as lists. Must know nothing of Speed Select: exports.c has the names.
 */
#include "../report/exports.h"
#include "../text/json_value.h"
#include "render.h"

#include <errno.h>
#include <stdlib.h>

static int add_cpus(struct json *parent, const char *name, const struct isst_cpuset *cpus)
{
	char *list = isst_cpuset_to_list(cpus);

	if (!list)
		return -ENOMEM;
	json_add_string(parent, name, list);
	free(list);
	return 0;
}

static int add_value(struct json *parent, const struct export_row *row,
		     const struct report_node *node)
{
	uint64_t number;
	bool unlimited;

	if (row->kind == EXPORT_CPUS)
		return add_cpus(parent, row->fact, node->cpus);
	if (row->kind == EXPORT_WORD)
		json_add_string(parent, row->fact, node->text);
	else if (!export_number(row, node, &number, &unlimited))
		return 0;
	else if (unlimited)
		json_add(parent, row->fact, JSON_NULL);
	else if (node->kind == NODE_STATE && row->kind == EXPORT_VALUE)
		json_add_boolean(parent, row->fact, number);
	else
		json_add_number(parent, row->fact, number);
	return 0;
}

static int add_node(struct json *parent, const struct report_entry *entry,
		    const struct report_node *branch, const struct report_node *node)
{
	int error = 0;

	for (const struct export_row *row = export_rows; !export_row_ends(row) && !error; row++)
		if (row->fact && export_row_matches(row, entry, branch, node))
			error = add_value(parent, row, node);
	return error;
}

/** Adds the object that a branch is. */
static int add_branch(struct json *parent, const struct report_entry *entry,
		      const struct report_node *node)
{
	const struct export_branch *branch = export_branch_find(node->key);
	struct json *object;
	int error = 0;

	if (!branch)
		return 0;
	if (branch->single) {
		object = json_add(parent, branch->fact, JSON_OBJECT);
	} else {
		object = json_add(json_array_of(parent, branch->fact), NULL, JSON_OBJECT);
	}
	if (branch->index)
		json_add_number(object, branch->index, node->index);
	for (const struct report_node *child = node->first; child && !error; child = child->next)
		error = add_node(object, entry, node, child);
	return error;
}

/** A CPU only stands for its domain. */
static void add_place(struct json *parent, const struct report_entry *entry)
{
	for (size_t i = 0; i < entry->steps; i++) {
		const struct report_step *step = &entry->path[i];

		if (step->key == &keys[KEY_DIE_IO])
			json_add(parent, step->key->name_v2, JSON_NULL);
		else if (step->key != &keys[KEY_CPU] && step->key != &keys[KEY_NO_CPU])
			json_add_number(parent, step->key->name_v2, step->index);
	}
}

static int add_unit(struct json *root, const struct report_entry *entry)
{
	struct json *parent = root;
	int error = 0;

	if (entry->steps > 0) {
		const char *name = export_place_of(entry) == EXPORT_PACKAGE ? "packages"
									    : "domains";

		parent = json_add(json_array_of(root, name), NULL, JSON_OBJECT);
		add_place(parent, entry);
	}
	for (const struct report_node *node = entry->root->first; node && !error; node = node->next)
		error = node->kind == NODE_BRANCH ? add_branch(parent, entry, node)
						  : add_node(parent, entry, NULL, node);
	return error;
}

int render_facts(const struct report *report, bool messages, FILE *stream)
{
	struct json *document = json_new_sorted();
	int error = document ? 0 : -ENOMEM;

	(void)messages;
	if (document) {
		json_add_string(document, "version", ISST_VERSION);
		/* Playbooks go through them on every server, also on one without Speed Select. */
		json_array_of(document, "packages");
		json_array_of(document, "domains");
	}
	for (const struct report_entry *entry = report_first(report); entry && !error;
	     entry = entry->next)
		if (entry->kind == ENTRY_UNIT)
			error = add_unit(document, entry);
	if (!error && json_failed(document))
		error = -ENOMEM;
	if (!error) {
		json_write(document, stream);
		fputc('\n', stream);
	}
	json_free(document);
	return error;
}

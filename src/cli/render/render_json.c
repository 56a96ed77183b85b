/* SPDX-License-Identifier: BSD-3-Clause */
#include "../text/json.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- json: all values are strings, units at the same path are one object ---- */

/** Adds nodes as members. Branches with the same name are one; of leaves the first one counts. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_members(struct json *object, const struct report_node *node)
{
	for (; node; node = node->next) {
		char *name = node->kind == NODE_UNKNOWN ? NULL : wording_of_key(node), *value;
		struct json *member = name ? json_member(object, name) : NULL;

		if (node->kind == NODE_UNKNOWN)
			continue;
		if (!name) {
			json_fail(object);
		} else if (node->kind == NODE_BRANCH) {
			if (!member)
				member = json_add(object, name, JSON_OBJECT);
			add_members(member, node->first);
		} else if (!member) {
			value = wording_of_value(node);
			if (!value)
				json_fail(object);
			json_add_string(object, name, value);
			free(value);
		}
		free(name);
	}
}

/** Adds the unit at a path; at the top all units that are there, where the first one is. */
static void add_unit(struct json *document, const struct report_entry *unit, bool first_at_top)
{
	char *path = unit->steps > 0 ? wording_of_path(unit->path, unit->steps) : NULL;
	struct json *object = path ? json_member(document, path) : NULL;

	if (path) {
		if (!object)
			object = json_add(document, path, JSON_OBJECT);
		add_members(object, unit->root->first);
	} else if (unit->steps > 0) {
		json_fail(document);
	}
	for (; unit && first_at_top; unit = unit->next)
		if (unit->kind == ENTRY_UNIT && unit->steps == 0)
			add_members(document, unit->root->first);
	free(path);
}

struct json *make_json(const struct report *report, bool messages)
{
	struct json *document = json_new(false);
	unsigned int number = 0;
	bool at_top = false;

	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		char name[40];

		if (entry->kind == ENTRY_UNIT) {
			add_unit(document, entry, entry->steps == 0 && !at_top);
			at_top |= entry->steps == 0;
		} else if (messages) {
			snprintf(name, sizeof(name), "%s%s%u", wording_of_message(entry),
				 entry->kind == ENTRY_ERROR ? "" : ":", number++);
			json_add_string(json_add(document, name, JSON_OBJECT), "message",
					entry->message);
		}
	}
	return document;
}

/* ---- json-v2: values ---- */

static void add_cpus(struct json *parent, const char *name, const struct isst_cpuset *cpus)
{
	struct json *value = json_add(parent, name, JSON_OBJECT), *list;
	char *ranges = isst_cpuset_to_list(cpus);
	unsigned int cpu;

	json_add_string(value, "ranges", ranges);
	if (!ranges)
		json_fail(value);
	list = json_add(value, "list", JSON_ARRAY);
	isst_cpuset_for_each (cpu, cpus)
		json_add_number(list, NULL, cpu);
	free(ranges);
}

/* ---- json-v2: trees ---- */

/** Whether an element of an array stands for a node: it has its index or its variant. */
static bool is_element(const struct json *element, const struct report_node *node)
{
	const struct json *index = json_member(element, node->key->index);

	if (!index)
		return false;
	if (node->variant)
		return index->text && strcmp(index->text, node->variant) == 0;
	return index->kind == JSON_NUMBER && index->number == node->index;
}

/** The object that stands for a node, which may have been begun by another one with its key. */
static struct json *object_of(struct json *parent, const struct report_node *node)
{
	const struct key *key = node->key;
	struct json *object, *array;

	if (key->type == V2_ARRAY) {
		array = json_array_of(parent, key->name_v2);
		for (object = array ? array->first : NULL; object; object = object->next)
			if (is_element(object, node))
				return object;
		object = json_add(array, NULL, JSON_OBJECT);
	} else {
		object = json_member(parent, key->name_v2);
		if (object)
			return object;
		object = json_add(parent, key->name_v2, JSON_OBJECT);
	}
	if (key->index && node->variant)
		json_add_string(object, key->index, node->variant);
	else if (key->index)
		json_add_number(object, key->index, node->index);
	return object;
}

/** Where units have the same path the first value of a key counts. */
static void add_leaf(struct json *parent, const struct report_node *leaf)
{
	const struct key *key = leaf->key;
	struct json *object = key->type == V2_ARRAY ? object_of(parent, leaf) : parent;
	const char *name = key->type == V2_ARRAY ? key->value : key->name_v2;

	if (!json_member(object, name)) {
		char *bits;

		switch (leaf->kind) {
		case NODE_NUMBER:
			/* No limit, or nothing that it could be: text has other words for that. */
			if (key->special_text && leaf->number == key->special)
				json_add_string(object, name, "none");
			else
				json_add_number(object, name, leaf->number);
			break;
		case NODE_STATE:
			json_add_boolean(object, name, leaf->number);
			break;
		case NODE_WORD:
		case NODE_TEXT:
			/* A word in place of yes or no is for neither. */
			if (key->type == V2_BOOLEAN || !leaf->text ||
			    (key->unknown && strcmp(leaf->text, key->unknown) == 0))
				json_add(object, name, JSON_NULL);
			else
				json_add_string(object, name, leaf->text);
			break;
		case NODE_CPU_LIST:
		case NODE_CPU_RANGES:
			add_cpus(object, name, leaf->cpus);
			break;
		case NODE_CPU_MASK:
		case NODE_HEX:
			/* Readers that take numbers for floating point lose bits of them. */
			bits = wording_of_value(leaf);
			json_add_string(object, name, bits);
			if (!bits)
				json_fail(object);
			free(bits);
			break;
		default:
			json_add(object, name, JSON_NULL);
		}
	}
}

/* Reports are a few levels deep. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_nodes(struct json *parent, const struct report_node *node)
{
	for (; node; node = node->next) {
		struct json *object = parent;

		if (node->kind != NODE_BRANCH) {
			add_leaf(parent, node);
		} else {
			object = object_of(parent, node);
			if (node->standing != STANDING_UNKNOWN && !json_member(object, "current"))
				json_add_boolean(object, "current",
						 node->standing == STANDING_CURRENT);
			add_nodes(object, node->first);
		}
		/* Programs go through such a list without a look at whether it is there. */
		if (node->key->list)
			json_array_of(object, node->key->list);
	}
}

/** Whether a unit is at a place: steps such as die-IO have no number there. */
static bool is_unit(const struct json *element, const struct report_entry *unit)
{
	for (size_t i = 0; i < unit->steps; i++) {
		const struct key *key = unit->path[i].key;
		const struct json *place = json_member(element, key->name_v2);
		bool numbered = strchr(key->name, '#') != NULL;

		if (!place || (place->kind == JSON_NUMBER) != numbered ||
		    place->number != (numbered ? unit->path[i].index : 0))
			return false;
	}
	return true;
}

/** The object of a unit: the document for what stands at the top, else an element of an array. */
static struct json *place_of(struct json *document, const struct report_entry *unit)
{
	const struct report_step *step = unit->path, *end = step + unit->steps;
	struct json *units, *element;

	if (unit->steps == 0)
		return document;
	units = json_array_of(document, end[-1].key->units ? end[-1].key->units : "domains");
	for (element = units ? units->first : NULL; element; element = element->next)
		if (is_unit(element, unit))
			return element;
	element = json_add(units, NULL, JSON_OBJECT);
	for (; step < end; step++)
		if (strchr(step->key->name, '#'))
			json_add_number(element, step->key->name_v2, step->index);
		else
			json_add(element, step->key->name_v2, JSON_NULL);
	return element;
}

/* ---- json-v2: the document ---- */

static void add_header(struct json *document, const struct report_header *header)
{
	struct json *program, *machine;
	char *command = NULL;

	json_add_number(document, "schema_version", JSON_V2_SCHEMA_VERSION);
	program = json_add(document, "program", JSON_OBJECT);
	json_add_string(program, "name", "isst");
	json_add_string(program, "version", ISST_VERSION);
	if (header->command && asprintf(&command, "%s%s%s", header->feature ? header->feature : "",
					header->feature ? " " : "", header->command) < 0) {
		command = NULL;
		json_fail(document);
	}
	json_add_string(document, "command", command);
	free(command);
	machine = json_add(document, "machine", header->has_machine ? JSON_OBJECT : JSON_NULL);
	if (!header->has_machine)
		return;
	json_add_number(machine, "family", header->family);
	json_add_number(machine, "model", header->model);
	json_add_number(machine, "stepping", header->stepping);
	json_add_string(machine, "processor", header->processor);
	json_add_string(machine, "emulated", header->emulated);
}

struct json *make_json_v2(const struct report *report, bool messages)
{
	const struct report_header *header = &report->header;
	struct json *document = json_new(false);

	if (!document)
		return NULL;
	add_header(document, header);
	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT)
			add_nodes(place_of(document, entry), entry->root->first);
	json_array_of(document, "domains");
	if (messages) {
		static const struct {
			const char *severity, *code;
		} kinds[] = {
			[ENTRY_ERROR] = { "error", "failed" },
			[ENTRY_NOTE] = { "note", "note" },
			[ENTRY_REMARK] = { "note", "note" },
			[ENTRY_PROGRESS] = { "progress", "progress" },
			[ENTRY_UNSUPPORTED] = { "note", "unsupported" },
		};
		struct json *list = json_add(document, "messages", JSON_ARRAY), *message;

		for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
			if (entry->kind == ENTRY_UNIT)
				continue;
			message = json_add(list, NULL, JSON_OBJECT);
			json_add_string(message, "severity", kinds[entry->kind].severity);
			json_add_string(message, "code",
					entry->code ? entry->code : kinds[entry->kind].code);
			json_add_string(message, "text", entry->message);
		}
	}
	json_add_number(document, "exit_status", (uint64_t)header->exit_status);
	return document;
}

int render_value(const struct report *report, const char *path, FILE *stream, char **problem)
{
	struct json *document = make_json_v2(report, true);
	const struct json *value = NULL;

	*problem = NULL;
	if (document && !document->failed)
		value = json_path_find(document, path, problem);
	if (value) {
		json_write_raw(value, stream);
		fputc('\n', stream);
	}
	json_free(document);
	return value || *problem ? 0 : -ENOMEM;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "../process/xalloc.h"
#include "../text/json.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* ---- json: all values are strings, units at the same path are one object ---- */

/** Adds nodes as members. Branches with the same name are one; of leaves the first one counts. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_members(struct json *object, const struct report_node *node)
{
	for (; node; node = node->next) {
		struct json *member;
		char *name, *value;

		if (node->kind == NODE_UNKNOWN)
			continue;
		name = wording_of_key(node);
		member = json_member(object, name);
		if (node->kind == NODE_BRANCH) {
			if (!member)
				member = json_add(object, name, JSON_OBJECT);
			add_members(member, node->first);
		} else if (!member) {
			value = wording_of_value(node);
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
	char *ranges = xcheck(isst_cpuset_to_list(cpus));
	unsigned int cpu;

	json_add_string(value, "ranges", ranges);
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
		for (object = array->first; object; object = object->next)
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

static void add_text(struct json *object, const char *name, const struct report_node *leaf)
{
	const struct key *key = leaf->key;

	/* A word in place of yes or no is for neither. */
	if (key->type == V2_BOOLEAN || !leaf->text ||
	    (key->unknown && strcmp(leaf->text, key->unknown) == 0)) {
		json_add(object, name, JSON_NULL);
	} else if (key->type == V2_RESULT && leaf->number > 0) {
		json_add_string(object, name, "failed");
		json_add_number(object, "errno", leaf->number);
	} else {
		json_add_string(object, name, leaf->text);
	}
}

/** Where units have the same path the first value of a key counts. */
static void add_leaf(struct json *parent, const struct report_node *leaf)
{
	const struct key *key = leaf->key;
	struct json *object = key->value ? object_of(parent, leaf) : parent;
	const char *name = key->value ? key->value : key->name_v2;
	char *bits;

	if (json_member(object, name))
		return;
	switch (leaf->kind) {
	case NODE_NUMBER:
		/* What there is none of is absent. */
		if (!key->special_text || leaf->number != key->special)
			json_add_number(object, name, leaf->number);
		break;
	case NODE_STATE:
		json_add_boolean(object, name, leaf->number);
		break;
	case NODE_WORD:
	case NODE_TEXT:
		add_text(object, name, leaf);
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
		free(bits);
		break;
	case NODE_LIST:
		json_add(object, name, JSON_ARRAY);
		break;
	default:
		json_add(object, name, JSON_NULL);
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

/** Whether a step of a path is a number: a domain for I/O may have no die, and has no CPU. */
static bool is_numbered(const struct report_step *step)
{
	return strchr(step->key->name, '#') != NULL;
}

static bool is_unit(const struct json *element, const struct report_entry *unit)
{
	for (size_t i = 0; i < unit->steps; i++) {
		const struct json *place = json_member(element, unit->path[i].key->name_v2);

		if (is_numbered(&unit->path[i]) ? !place || place->number != unit->path[i].index
						: place != NULL)
			return false;
	}
	return true;
}

static void add_place(struct json *object, const struct report_entry *entry)
{
	for (size_t i = 0; i < entry->steps; i++)
		if (is_numbered(&entry->path[i]))
			json_add_number(object, entry->path[i].key->name_v2, entry->path[i].index);
}

/** The object of a unit: the document for what stands at the top, else an element of an array. */
static struct json *place_of(struct json *document, const struct report_entry *unit)
{
	const char *name = unit->of_cpu ? "cpus" : "domains";
	struct json *units, *element;

	if (unit->steps == 0)
		return document;
	if (unit->path[unit->steps - 1].key->units)
		name = unit->path[unit->steps - 1].key->units;
	units = json_array_of(document, name);
	for (element = units->first; element; element = element->next)
		if (is_unit(element, unit))
			return element;
	element = json_add(units, NULL, JSON_OBJECT);
	add_place(element, unit);
	return element;
}

/* ---- json-v2: the document ---- */

static void add_header(struct json *document, const struct report_header *header)
{
	struct json *program, *machine;
	char *command;

	json_add_number(document, "schema_version", JSON_V2_SCHEMA_VERSION);
	program = json_add(document, "program", JSON_OBJECT);
	json_add_string(program, "name", "isst");
	json_add_string(program, "version", ISST_VERSION);
	if (header->command) {
		command = xasprintf("%s%s%s", header->feature ? header->feature : "",
				    header->feature ? " " : "", header->command);
		json_add_string(document, "command", command);
		free(command);
	}
	if (!header->has_machine)
		return;
	machine = json_add(document, "machine", JSON_OBJECT);
	json_add_number(machine, "family", header->family);
	json_add_number(machine, "model", header->model);
	json_add_number(machine, "stepping", header->stepping);
	json_add_string(machine, "processor", header->processor);
	if (header->emulated)
		json_add_string(machine, "emulated", header->emulated);
}

struct json *make_json_v2(const struct report *report, bool messages)
{
	const struct report_header *header = &report->header;
	struct json *document = json_new(false);

	add_header(document, header);
	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT)
			add_nodes(place_of(document, entry), entry->root->first);
	json_array_of(document, "domains");
	json_array_of(document, "cpus");
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
			add_place(message, entry);
			if (entry->cpus)
				add_cpus(message, "cpus", entry->cpus);
			json_add_string(message, "text", entry->message);
		}
	}
	json_add_number(document, "exit_status", (uint64_t)header->exit_status);
	return document;
}

void render_value(const struct report *report, const char *path, FILE *stream, char **problem)
{
	struct json *document = make_json_v2(report, true);
	const struct json *value = json_path_find(document, path, problem);

	if (value) {
		json_write_raw(value, stream);
		fputc('\n', stream);
	}
	json_free(document);
}

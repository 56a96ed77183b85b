/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a report as json-v2: one document with numbers as numbers, units and whatever is numbered
 * as arrays. docs/json-v2.md describes it. Must know nothing of Speed Select.
 */
#include "render_json_v2.h"

#include "isst.h"
#include "json_path.h"
#include "keys_v2.h"
#include "render.h"
#include "wording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Single values ---- */

static void add_cpus(struct json *parent, const char *name, const struct isst_cpuset *cpus)
{
	struct json *value = json_add(parent, name, JSON_OBJECT), *list;
	char *ranges = isst_cpuset_to_list(cpus);
	unsigned int cpu;

	json_add_string(value, "ranges", ranges);
	if (value && !ranges)
		value->root->failed = true;
	list = json_add(value, "list", JSON_ARRAY);
	isst_cpuset_for_each (cpu, cpus)
		json_add_number(list, NULL, cpu);
	free(ranges);
}

static void add_number(struct json *parent, const char *name, const struct report_node *leaf)
{
	/* No limit, or nothing that it could be: text has other words for that. */
	if (leaf->key->special_text && leaf->number == leaf->key->special)
		json_add_string(parent, name, "none");
	else
		json_add_number(parent, name, leaf->number);
}

static void add_text(struct json *parent, const char *name, const struct report_node *leaf)
{
	const char *unknown = key_v2_of(leaf->key)->unknown;
	bool known = leaf->text && !(unknown && strcmp(leaf->text, unknown) == 0);

	json_add_string(parent, name, known ? leaf->text : NULL);
}

/** Patterns of bits are text: readers that take numbers for floating point lose some of them. */
static void add_bits(struct json *parent, const char *name, const struct report_node *leaf)
{
	char *text = wording_of_value(leaf);

	json_add_string(parent, name, text);
	if (parent && !text)
		parent->root->failed = true;
	free(text);
}

static void add_value(struct json *parent, const char *name, const struct report_node *leaf)
{
	switch (leaf->kind) {
	case NODE_NUMBER:
		add_number(parent, name, leaf);
		break;
	case NODE_STATE:
		json_add_boolean(parent, name, leaf->number);
		break;
	case NODE_WORD:
	case NODE_TEXT:
		add_text(parent, name, leaf);
		break;
	case NODE_CPU_LIST:
	case NODE_CPU_RANGES:
		add_cpus(parent, name, leaf->cpus);
		break;
	case NODE_CPU_MASK:
	case NODE_HEX:
		add_bits(parent, name, leaf);
		break;
	default:
		json_add(parent, name, JSON_NULL);
	}
}

/* ---- Trees ---- */

/** Whether an element of an array stands for a node: it has its index or its variant. */
static bool is_element(const struct json *element, const struct report_node *node)
{
	const struct json *index = json_member(element, key_v2_of(node->key)->index);

	if (!index)
		return false;
	if (node->variant)
		return index->text && strcmp(index->text, node->variant) == 0;
	return index->kind == JSON_NUMBER && index->number == node->index;
}

static void add_index(struct json *element, const struct report_node *node)
{
	const char *name = key_v2_of(node->key)->index;

	if (node->variant)
		json_add_string(element, name, node->variant);
	else
		json_add_number(element, name, node->index);
}

/** The array of that name, which is added where there is none. */
static struct json *array_of(struct json *parent, const char *name)
{
	struct json *array = json_member(parent, name);

	return array ? array : json_add(parent, name, JSON_ARRAY);
}

/** The element of an array that stands for a node; *@is_new: it was added. */
static struct json *element_of(struct json *parent, const struct report_node *node, bool *is_new)
{
	struct json *array = array_of(parent, node->key->name_v2), *element;

	*is_new = false;
	for (element = array ? array->first : NULL; element; element = element->next)
		if (is_element(element, node))
			return element;
	*is_new = true;
	element = json_add(array, NULL, JSON_OBJECT);
	add_index(element, node);
	return element;
}

/** The object that stands for a branch, which may have been begun by another one with its key. */
static struct json *object_of(struct json *parent, const struct report_node *node)
{
	const struct key_v2 *key = key_v2_of(node->key);
	struct json *object;
	bool is_new;

	if (key->type == V2_ARRAY)
		return element_of(parent, node, &is_new);
	object = json_member(parent, node->key->name_v2);
	if (object)
		return object;
	object = json_add(parent, node->key->name_v2, JSON_OBJECT);
	if (key->index)
		add_index(object, node);
	return object;
}

/** Where units have the same path the first value of a key counts. */
static void add_leaf(struct json *parent, const struct report_node *leaf)
{
	const struct key_v2 *key = key_v2_of(leaf->key);
	struct json *element;
	bool is_new;

	if (key->type == V2_ARRAY) {
		element = element_of(parent, leaf, &is_new);
		if (is_new)
			add_value(element, key->value, leaf);
		return;
	}
	if (!json_member(parent, leaf->key->name_v2))
		add_value(parent, leaf->key->name_v2, leaf);
}

/* Reports are a few levels deep. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_nodes(struct json *parent, const struct report_node *node)
{
	for (; node; node = node->next) {
		struct json *object;

		if (node->kind != NODE_BRANCH) {
			add_leaf(parent, node);
			continue;
		}
		object = object_of(parent, node);
		if (node->standing != STANDING_UNKNOWN && !json_member(object, "current"))
			json_add_boolean(object, "current", node->standing == STANDING_CURRENT);
		add_nodes(object, node->first);
	}
}

/* ---- Units ---- */

/** Steps such as die-IO have no number. */
static bool has_number(const struct report_step *step)
{
	return strchr(step->key->name, '#') != NULL;
}

static bool is_unit(const struct json *element, const struct report_entry *unit)
{
	for (size_t i = 0; i < unit->steps; i++) {
		const struct report_step *step = &unit->path[i];
		const struct json *place = json_member(element, step->key->name_v2);

		if (!place || (place->kind == JSON_NUMBER) != has_number(step) ||
		    place->number != (has_number(step) ? step->index : 0))
			return false;
	}
	return true;
}

static struct json *add_unit(struct json *units, const struct report_entry *unit)
{
	struct json *element = json_add(units, NULL, JSON_OBJECT);

	for (size_t i = 0; i < unit->steps; i++) {
		const struct report_step *step = &unit->path[i];

		if (has_number(step))
			json_add_number(element, step->key->name_v2, step->index);
		else
			json_add(element, step->key->name_v2, JSON_NULL);
	}
	return element;
}

/** The object of a unit: the document for what stands at the top, else an element of an array. */
static struct json *place_of(struct json *document, const struct report_entry *unit)
{
	const char *name;
	struct json *units, *element;

	if (unit->steps == 0)
		return document;
	name = key_v2_of(unit->path[unit->steps - 1].key)->units;
	units = array_of(document, name ? name : "domains");
	for (element = units ? units->first : NULL; element; element = element->next)
		if (is_unit(element, unit))
			return element;
	return add_unit(units, unit);
}

/* ---- The document ---- */

static void add_machine(struct json *document, const struct report_header *header)
{
	struct json *machine = json_add(document, "machine",
					header->has_machine ? JSON_OBJECT : JSON_NULL);

	if (!header->has_machine)
		return;
	json_add_number(machine, "family", header->family);
	json_add_number(machine, "model", header->model);
	json_add_number(machine, "stepping", header->stepping);
	json_add_string(machine, "processor", header->processor);
	json_add_string(machine, "emulated", header->emulated);
}

static void add_command(struct json *document, const struct report_header *header)
{
	char *command = NULL;

	if (header->command && asprintf(&command, "%s%s%s", header->feature ? header->feature : "",
					header->feature ? " " : "", header->command) < 0) {
		command = NULL;
		document->failed = true;
	}
	json_add_string(document, "command", command);
	free(command);
}

static void add_header(struct json *document, const struct report_header *header)
{
	struct json *program;

	json_add_number(document, "schema_version", JSON_V2_SCHEMA_VERSION);
	program = json_add(document, "program", JSON_OBJECT);
	json_add_string(program, "name", "isst");
	json_add_string(program, "version", ISST_VERSION);
	add_command(document, header);
	add_machine(document, header);
}

static const struct {
	const char *severity, *code;
} message_kinds[] = {
	[ENTRY_ERROR] = { "error", "failed" },
	[ENTRY_NOTE] = { "note", "note" },
	[ENTRY_REMARK] = { "note", "note" },
	[ENTRY_PROGRESS] = { "progress", "progress" },
	[ENTRY_UNSUPPORTED] = { "note", "unsupported" },
};

static void add_message(struct json *messages, const struct report_entry *entry)
{
	struct json *message = json_add(messages, NULL, JSON_OBJECT);

	json_add_string(message, "severity", message_kinds[entry->kind].severity);
	json_add_string(message, "code",
			entry->code ? entry->code : message_kinds[entry->kind].code);
	json_add_string(message, "text", entry->message);
}

static void add_messages(struct json *document, const struct report *report)
{
	struct json *messages = json_add(document, "messages", JSON_ARRAY);

	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next)
		if (entry->kind != ENTRY_UNIT)
			add_message(messages, entry);
}

/** The report as a document; NULL without memory. */
static struct json *make_document(const struct report *report, bool messages)
{
	const struct report_header *header = report_get_header(report);
	struct json *document = json_new();

	if (!document)
		return NULL;
	add_header(document, header);
	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT)
			add_nodes(place_of(document, entry), entry->root->first);
	if (!json_member(document, "domains"))
		json_add(document, "domains", JSON_ARRAY);
	if (messages)
		add_messages(document, report);
	json_add_number(document, "exit_status", (uint64_t)header->exit_status);
	if (!json_failed(document))
		return document;
	json_free(document);
	return NULL;
}

int render_json_v2(const struct report *report, bool messages, FILE *stream)
{
	struct json *document = make_document(report, messages);

	if (!document)
		return -ENOMEM;
	json_write(document, stream);
	fputc('\n', stream);
	json_free(document);
	return 0;
}

int render_json_v2_value(const struct report *report, const char *path, FILE *stream,
			 char **problem)
{
	struct json *document = make_document(report, true);
	const struct json *value;

	*problem = NULL;
	if (!document)
		return -ENOMEM;
	value = json_path_find(document, path, problem);
	if (value) {
		json_write_raw(value, stream);
		fputc('\n', stream);
	}
	json_free(document);
	return value || *problem ? 0 : -ENOMEM;
}

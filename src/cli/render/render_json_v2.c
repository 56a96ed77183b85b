/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a report as json-v2: one document with numbers as numbers, units and whatever is numbered
 * as arrays. docs/json-v2.md describes it. Must know nothing of Speed Select.
 */
#include "render_json_v2.h"

#include "../report/keys.h"
#include "../text/json_path.h"
#include "isst.h"
#include "json_nodes.h"
#include "render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	name = unit->path[unit->steps - 1].key->units;
	units = json_array_of(document, name ? name : "domains");
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
			json_add_nodes(place_of(document, entry), entry->root->first);
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

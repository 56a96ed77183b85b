/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints tables of the program as JSON, for schema.py: what text and json call a value, and what
 * json-v2 does; the codes of warnings. */
#include "cli/report/keys.h"
#include "cli/text/json.h"
#include "isst.h"

static const char *const types[] = {
	[V2_OBJECT] = "object",	  [V2_ARRAY] = "array",	  [V2_NUMBER] = "number",
	[V2_BOOLEAN] = "boolean", [V2_STRING] = "string", [V2_RESULT] = "result",
	[V2_CPUS] = "CPUs",
};

static void add_key(struct json *keys_array, size_t i)
{
	struct json *key = json_add(keys_array, NULL, JSON_OBJECT);
	const struct key *row = &keys[i];

	json_add_string(key, "key", row->name);
	json_add_string(key, "name", row->name_v2);
	json_add_string(key, "type", types[row->type]);
	json_add_string(key, "index", row->index);
	json_add_number(key, "element", row->element);
	json_add_string(key, "value", row->value);
	json_add_string(key, "value_type", row->value ? types[row->value_type] : NULL);
	json_add_string(key, "plain_variant", row->plain_variant);
	json_add_string(key, "suffix", row->suffix);
	json_add_string(key, "special", row->special_text);
	json_add_string(key, "off", row->off);
	json_add_string(key, "on", row->on);
	json_add_string(key, "unknown", row->unknown);
	/* The first rows are steps of paths. */
	json_add_boolean(key, "step", i <= KEY_NO_CPU);
}

static void add_message_codes(struct json *document)
{
	struct json *array = json_add(document, "codes", JSON_ARRAY);
	int code;

	for (size_t i = 0; (code = isst_message_code_at(i)) != 0; i++)
		json_add_string(array, NULL, isst_message_code_name(code));
}

int main(void)
{
	struct json *document = json_new(false), *array = json_add(document, "keys", JSON_ARRAY);

	for (size_t i = 0; i < KEYS; i++)
		add_key(array, i);
	add_message_codes(document);
	json_write(document, stdout);
	json_free(document);
	return 0;
}

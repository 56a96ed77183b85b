/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_value.h"

#include "../../common/printable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct json *json_new(void)
{
	struct json *root = calloc(1, sizeof(*root));

	if (root) {
		root->kind = JSON_OBJECT;
		root->root = root;
	}
	return root;
}

struct json *json_new_sorted(void)
{
	struct json *root = json_new();

	if (root)
		root->sorted = true;
	return root;
}

void json_free(struct json *root)
{
	while (root) {
		struct json *next = root->next;

		json_free(root->first);
		free(root->name);
		free(root->text);
		free(root);
		root = next;
	}
}

bool json_failed(const struct json *root)
{
	return root->failed;
}

void json_fail(struct json *value)
{
	if (value)
		value->root->failed = true;
}

static void insert(struct json *parent, struct json *value)
{
	struct json **at = parent->last ? &parent->last->next : &parent->first;

	if (parent->root->sorted && value->name)
		for (at = &parent->first; *at && strcmp((*at)->name, value->name) < 0;)
			at = &(*at)->next;
	value->next = *at;
	*at = value;
	if (!value->next)
		parent->last = value;
}

struct json *json_add(struct json *parent, const char *name, enum json_kind kind)
{
	struct json *value = parent ? calloc(1, sizeof(*value)) : NULL;
	char *copy = value && name ? strdup(name) : NULL;

	if (!value || (name && !copy)) {
		json_fail(parent);
		free(value);
		return NULL;
	}
	*value = (struct json){ .kind = kind, .name = copy, .root = parent->root };
	insert(parent, value);
	return value;
}

struct json *json_add_number(struct json *parent, const char *name, uint64_t number)
{
	struct json *value = json_add(parent, name, JSON_NUMBER);

	if (value)
		value->number = number;
	return value;
}

struct json *json_add_boolean(struct json *parent, const char *name, bool truth)
{
	struct json *value = json_add(parent, name, JSON_BOOLEAN);

	if (value)
		value->number = truth;
	return value;
}

struct json *json_add_string(struct json *parent, const char *name, const char *text)
{
	struct json *value = json_add(parent, name, text ? JSON_STRING : JSON_NULL);

	if (value && text) {
		value->text = strdup(text);
		if (!value->text)
			json_fail(value);
	}
	return value;
}

struct json *json_member_n(const struct json *object, const char *name, size_t length)
{
	struct json *member = object ? object->first : NULL;

	while (member && !(member->name && strlen(member->name) == length &&
			   strncmp(member->name, name, length) == 0))
		member = member->next;
	return member;
}

struct json *json_member(const struct json *object, const char *name)
{
	return json_member_n(object, name, strlen(name));
}

struct json *json_array_of(struct json *parent, const char *name)
{
	struct json *array = json_member(parent, name);

	return array ? array : json_add(parent, name, JSON_ARRAY);
}

/* ---- Writing ---- */

void json_string_write(const char *text, FILE *stream)
{
	static const char ESCAPED[] = "\"\\\b\f\n\r\t", LETTERS[] = "\"\\bfnrt";
	const unsigned char *c = (const unsigned char *)text;

	fputc('"', stream);
	while (*c) {
		unsigned int code;
		size_t length = utf8_decode(c, &code);
		const char *escaped = strchr(ESCAPED, *c);

		if (escaped)
			fprintf(stream, "\\%c", LETTERS[escaped - ESCAPED]);
		/* JSON permits some, but documents are shown on terminals, too. */
		else if (length > 0 && is_control(code) && code > 0xffff)
			/* Beyond 16 bits two of UTF-16 stand for a character. */
			fprintf(stream, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
				0xdc00 + (code & 0x3ff));
		else if (length > 0 && is_control(code))
			fprintf(stream, "\\u%04x", code);
		else if (length > 0)
			fwrite(c, 1, length, stream);
		else
			fputs("\\ufffd", stream);
		c += length > 0 ? length : 1;
	}
	fputc('"', stream);
}

static bool holds_others(const struct json *value)
{
	return value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
}

static void begin_line(unsigned int depth, FILE *stream)
{
	fprintf(stream, "\n%*s", (int)(2 * depth), "");
}

/* Values are as deep as the reports that they are made from: a few levels. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void write_at(const struct json *value, unsigned int depth, FILE *stream)
{
	bool one_line = !value->first || (!value->root->sorted && value->kind == JSON_ARRAY &&
					  !holds_others(value->first)),
	     object = value->kind == JSON_OBJECT;

	if (!holds_others(value)) {
		switch (value->kind) {
		case JSON_BOOLEAN:
			fputs(value->number ? "true" : "false", stream);
			break;
		case JSON_NUMBER:
			fprintf(stream, "%" PRIu64, value->number);
			break;
		case JSON_STRING:
			json_string_write(value->text ? value->text : "", stream);
			break;
		default:
			fputs("null", stream);
		}
		return;
	}
	fputc(object ? '{' : '[', stream);
	for (const struct json *child = value->first; child; child = child->next) {
		if (!one_line)
			begin_line(depth + 1, stream);
		if (child->name) {
			json_string_write(child->name, stream);
			fputs(": ", stream);
		}
		write_at(child, depth + 1, stream);
		if (child->next)
			fputs(one_line ? ", " : ",", stream);
	}
	if (!one_line)
		begin_line(depth, stream);
	fputc(object ? '}' : ']', stream);
}

void json_write(const struct json *value, FILE *stream)
{
	write_at(value, 0, stream);
}

void json_write_raw(const struct json *value, FILE *stream)
{
	if (value->kind == JSON_STRING)
		write_printable(value->text ? value->text : "", "\n\t", stream);
	else
		json_write(value, stream);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"
#include "../../common/memory_stream.h"
#include "../../common/printable.h"
#include "../process/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- How paths are written ---- */

/** Checks what is between brackets: digits, or NAME=VALUE pairs, separated by commas. */
static bool is_selector(const char *text, size_t length)
{
	const char *end = text + length;

	if (length > 0 && strspn(text, "0123456789") == length)
		return true;
	for (;;) {
		size_t pair = strcspn(text, ",]");
		const char *equals = memchr(text, '=', pair);

		if (!equals || equals == text || equals + 1 == text + pair)
			return false;
		text += pair;
		if (text >= end)
			return true;
		text++;
	}
}

const char *json_path_check(const char *path)
{
	for (;;) {
		size_t length = strcspn(path, ".[]");

		if (length == 0)
			return "a name is missing";
		path += length;
		while (*path == '[') {
			size_t selector = strcspn(++path, "]");

			if (!path[selector])
				return "a ']' is missing";
			if (!is_selector(path, selector))
				return "what is between '[' and ']' is neither a number nor NAME=VALUE";
			path += selector + 1;
		}
		if (!*path)
			return NULL;
		if (*path++ != '.')
			return "a '.' is missing";
	}
}

/* ---- Finding ---- */

/** Whether an element has all members of a selector. */
static bool matches(const struct json *element, const char *selector, size_t length)
{
	const char *end = selector + length;

	while (selector < end) {
		size_t pair = strcspn(selector, ",]"), name = strcspn(selector, "=");
		const struct json *member = json_member_n(element, selector, name);
		struct memory_stream memory;
		char *text;
		bool equal;

		if (!member)
			return false;
		xcall(memory_stream_open(&memory));
		if (member->kind == JSON_STRING)
			fputs(member->text, memory.stream);
		else if (member->kind != JSON_ARRAY && member->kind != JSON_OBJECT)
			json_write(member, memory.stream);
		text = xcheck(memory_stream_text(&memory));
		equal = strlen(text) == pair - name - 1 &&
			strncmp(text, selector + name + 1, pair - name - 1) == 0;
		free(text);
		if (!equal)
			return false;
		selector += pair + 1;
	}
	return true;
}

struct search {
	const char *path;
	size_t done; /* what of the path was found */
	char **problem;
};

/** Sets the message: what there is instead of the value. */
static const struct json *fail(const struct search *search, const char *what)
{
	*search->problem = xasprintf("no value '%s': %.*s%s%s", search->path, (int)search->done,
				     search->path, search->done > 0 ? " " : "the result ", what);
	return NULL;
}

/** Names several elements by the first member that two of them have different values of. */
static const struct json *fail_for_several(const struct search *search, const struct json *first,
					   const char *selector, size_t length, size_t count)
{
	struct memory_stream memory;
	bool differ = false;
	char *what = NULL;

	for (const struct json *by = first->first; by && !differ; by = by->next) {
		if (by->kind != JSON_NUMBER)
			continue;
		free(what);
		xcall(memory_stream_open(&memory));
		fprintf(memory.stream, "has %zu such elements: %s", count, by->name);
		for (const struct json *other = first; other; other = other->next) {
			const struct json *member = json_member(other, by->name);

			if (!member || !matches(other, selector, length))
				continue;
			differ |= member->number != by->number;
			fprintf(memory.stream, "%s %" PRIu64, other == first ? "" : ",",
				member->number);
		}
		what = xcheck(memory_stream_text(&memory));
	}
	if (!differ) {
		free(what);
		what = xasprintf("has %zu such elements", count);
	}
	fail(search, what);
	free(what);
	return NULL;
}

static const struct json *find_element(const struct search *search, const struct json *array,
				       const char *selector, size_t length)
{
	bool numbered = strspn(selector, "0123456789") == length;
	unsigned long long number = numbered ? strtoull(selector, NULL, 10) : 0;
	const struct json *found = NULL;
	size_t elements = 0, count = 0;
	char what[64];

	if (array->kind != JSON_ARRAY)
		return fail(search, "is no array");
	for (const struct json *element = array->first; element; element = element->next) {
		bool match = numbered ? elements == number : matches(element, selector, length);

		elements++;
		if (!match)
			continue;
		found = found ? found : element;
		count++;
	}
	if (count == 1)
		return found;
	if (count > 0)
		return fail_for_several(search, found, selector, length, count);
	if (numbered && elements > 0)
		snprintf(what, sizeof(what), "has elements 0 to %zu", elements - 1);
	else
		return fail(search, numbered ? "is empty" : "has no such element");
	return fail(search, what);
}

/** The names of members, for who looks for another one. */
static const struct json *fail_for_name(const struct search *search, const struct json *object)
{
	const char *separator = "has only ";
	struct memory_stream memory;
	char *what;

	if (object->kind != JSON_OBJECT)
		return fail(search, object->kind == JSON_ARRAY ? "is an array" : "is no object");
	if (!object->first)
		return fail(search, "is empty");
	xcall(memory_stream_open(&memory));
	for (const struct json *member = object->first; member; member = member->next) {
		fprintf(memory.stream, "%s%s", separator, member->name);
		separator = ", ";
	}
	what = xcheck(memory_stream_text(&memory));
	fail(search, what);
	free(what);
	return NULL;
}

/** Finds what the next part of the path is about, and moves on behind that part. */
static const struct json *find_next(struct search *search, const struct json *value)
{
	const char *part = search->path + search->done;
	const struct json *found;
	size_t length;

	if (*part == '[') {
		length = strcspn(++part, "]");
		found = find_element(search, value, part, length);
		length++;
	} else {
		part += *part == '.';
		length = strcspn(part, ".[]");
		found = json_member_n(value, part, length);
		if (!found)
			return fail_for_name(search, value);
	}
	search->done = (size_t)(part - search->path) + length;
	return found;
}

const struct json *json_path_find(const struct json *root, const char *path, char **problem)
{
	struct search search = { .path = path, .problem = problem };
	const struct json *value = root;

	*problem = NULL;
	while (value && path[search.done])
		value = find_next(&search, value);
	return value;
}

/* ---- Documents ---- */

struct json *json_new(bool sorted)
{
	struct json *root = xcalloc(1, sizeof(*root));

	*root = (struct json){ .kind = JSON_OBJECT, .root = root, .sorted = sorted };
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
	struct json *value = xcalloc(1, sizeof(*value));

	value->kind = kind;
	value->name = name ? xstrdup(name) : NULL;
	value->root = parent->root;
	insert(parent, value);
	return value;
}

struct json *json_add_single(struct json *parent, const char *name, enum json_kind kind,
			     uint64_t number)
{
	struct json *value = json_add(parent, name, kind);

	value->number = number;
	return value;
}

struct json *json_add_string(struct json *parent, const char *name, const char *text)
{
	struct json *value = json_add(parent, name, text ? JSON_STRING : JSON_NULL);

	if (text)
		value->text = xstrdup(text);
	return value;
}

struct json *json_member_n(const struct json *object, const char *name, size_t length)
{
	struct json *member = object->first;

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
			json_string_write(value->text, stream);
			break;
		default:
			fputs("null", stream);
		}
		return;
	}
	fputc(object ? '{' : '[', stream);
	for (const struct json *child = value->first; child; child = child->next) {
		if (!one_line)
			fprintf(stream, "\n%*s", (int)(2 * depth + 2), "");
		if (child->name) {
			json_string_write(child->name, stream);
			fputs(": ", stream);
		}
		write_at(child, depth + 1, stream);
		if (child->next)
			fputs(one_line ? ", " : ",", stream);
	}
	if (!one_line)
		fprintf(stream, "\n%*s", (int)(2 * depth), "");
	fputc(object ? '}' : ']', stream);
}

void json_write(const struct json *value, FILE *stream)
{
	write_at(value, 0, stream);
}

void json_write_raw(const struct json *value, FILE *stream)
{
	if (value->kind == JSON_STRING)
		write_printable(value->text, "\n\t", stream);
	else
		json_write(value, stream);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_path.h"

#include "../../common/memory_stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- How paths are written ---- */

/** Behind a name: a dot, a bracket, or the end of the path. */
static size_t name_length(const char *text)
{
	return strcspn(text, ".[]");
}

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
		size_t length = name_length(path);

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

/** Whether an element has all members of a selector. Returns 1, 0, or -1 without memory. */
static int matches(const struct json *element, const char *selector, size_t length)
{
	const char *end = selector + length;

	while (selector < end) {
		size_t pair = strcspn(selector, ",]"), name = strcspn(selector, "=");
		const struct json *member = json_member_n(element, selector, name);
		struct memory_stream memory;
		char *text;
		bool equal;

		if (!member)
			return 0;
		if (memory_stream_open(&memory))
			return -1;
		if (member->kind == JSON_STRING)
			fputs(member->text ? member->text : "", memory.stream);
		else if (member->kind != JSON_ARRAY && member->kind != JSON_OBJECT)
			json_write(member, memory.stream);
		text = memory_stream_text(&memory);
		if (!text)
			return -1;
		equal = strlen(text) == pair - name - 1 &&
			strncmp(text, selector + name + 1, pair - name - 1) == 0;
		free(text);
		if (!equal)
			return 0;
		selector += pair + 1;
	}
	return 1;
}

struct search {
	const char *path;
	size_t done; /* what of the path was found */
	char **problem;
};

/** Sets the message: what there is instead of the value. */
static const struct json *fail(const struct search *search, const char *what)
{
	if (asprintf(search->problem, "no value '%s': %.*s%s%s", search->path, (int)search->done,
		     search->path, search->done > 0 ? " " : "the result ", what) < 0)
		*search->problem = NULL;
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
		int match = numbered ? elements == number : matches(element, selector, length);

		elements++;
		if (match < 0) {
			*search->problem = NULL;
			return NULL;
		}
		if (match == 0)
			continue;
		found = found ? found : element;
		count++;
	}
	if (count == 1)
		return found;
	if (numbered && elements > 0)
		snprintf(what, sizeof(what), "has elements 0 to %zu", elements - 1);
	else if (count > 0)
		snprintf(what, sizeof(what), "has %zu such elements", count);
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
	*search->problem = NULL;
	if (memory_stream_open(&memory))
		return NULL;
	for (const struct json *member = object->first; member; member = member->next) {
		fprintf(memory.stream, "%s%s", separator, member->name ? member->name : "");
		separator = ", ";
	}
	what = memory_stream_text(&memory);
	if (what)
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
		length = name_length(part);
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

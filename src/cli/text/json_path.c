/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds values of JSON documents by paths; must not know what documents describe. */
#include "json_path.h"

#include "../../common/memory_stream.h"
#include "isst.h"

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

/** The text of a single value, as it is compared; NULL without memory. */
static char *text_of(const struct json *value)
{
	struct memory_stream memory;

	if (memory_stream_open(&memory))
		return NULL;
	if (value->kind == JSON_STRING)
		fputs(value->text ? value->text : "", memory.stream);
	else if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT)
		json_write(value, memory.stream);
	return memory_stream_text(&memory);
}

/** Whether an element has all members of a selector. Returns 1, 0, or -1 without memory. */
static int matches(const struct json *element, const char *selector, size_t length)
{
	const char *end = selector + length;

	while (selector < end) {
		size_t pair = strcspn(selector, ",]"), name = strcspn(selector, "=");
		const struct json *member = json_member_n(element, selector, name);
		const char *wanted = selector + name + 1;
		size_t wanted_length = pair - name - 1;
		char *text;
		bool equal;

		if (!member)
			return 0;
		text = text_of(member);
		if (!text)
			return -1;
		equal = strlen(text) == wanted_length && strncmp(text, wanted, wanted_length) == 0;
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

static size_t count_elements(const struct json *array)
{
	size_t count = 0;

	for (const struct json *element = array->first; element; element = element->next)
		count++;
	return count;
}

static const struct json *fail_for_number(const struct search *search, const struct json *array)
{
	char what[64];
	size_t count = count_elements(array);

	if (count == 0)
		return fail(search, "is empty");
	snprintf(what, sizeof(what), "has elements 0 to %zu", count - 1);
	return fail(search, what);
}

static const struct json *find_by_number(const struct search *search, const struct json *array,
					 const char *selector)
{
	const struct json *element = array->first;
	unsigned long long number = strtoull(selector, NULL, 10);

	for (; element && number > 0; number--)
		element = element->next;
	return element ? element : fail_for_number(search, array);
}

static const struct json *find_by_members(const struct search *search, const struct json *array,
					  const char *selector, size_t length)
{
	const struct json *found = NULL;
	char what[64];
	size_t count = 0;

	for (const struct json *element = array->first; element; element = element->next) {
		int match = matches(element, selector, length);

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
	if (count == 0)
		return fail(search, "has no such element");
	snprintf(what, sizeof(what), "has %zu such elements", count);
	return fail(search, what);
}

static const struct json *find_element(const struct search *search, const struct json *array,
				       const char *selector, size_t length)
{
	if (array->kind != JSON_ARRAY)
		return fail(search, "is no array");
	if (strspn(selector, "0123456789") == length)
		return find_by_number(search, array, selector);
	return find_by_members(search, array, selector, length);
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

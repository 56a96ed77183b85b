/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths to values of documents: how they are written, what they find, and the messages. */
#include "check.h"

#include "cli/text/json.h"

/** { "level": 2, "name": "a \"b\"", "none": null, "on": true, "empty": [], "domains": [ {
 * "package": 0, "cpu": 0, "cpus": [3, 4] }, { "package": 1, "cpu": 14 }, { "package": 1, "cpu": 20
 * } ] } */
static struct json *make_document(void)
{
	struct json *document = json_new(false), *domains, *domain, *cpus;
	static const unsigned int places[][2] = { { 0, 0 }, { 1, 14 }, { 1, 20 } };

	json_add_number(document, "level", 2);
	json_add_string(document, "name", "a \"b\"");
	json_add_string(document, "none", NULL);
	json_add_boolean(document, "on", true);
	json_add(document, "empty", JSON_ARRAY);
	domains = json_add(document, "domains", JSON_ARRAY);
	for (size_t i = 0; i < 3; i++) {
		domain = json_add(domains, NULL, JSON_OBJECT);
		json_add_number(domain, "package", places[i][0]);
		json_add_number(domain, "cpu", places[i][1]);
	}
	cpus = json_add(domains->first, "cpus", JSON_ARRAY);
	json_add_number(cpus, NULL, 3);
	json_add_number(cpus, NULL, 4);
	assert_false(document->failed);
	return document;
}

static const struct {
	const char *path, *value;
} found[] = {
	{ "level", "2" },
	{ "name", "a \"b\"" },
	{ "none", "null" },
	{ "on", "true" },
	{ "empty", "[]" },
	{ "domains[1].cpu", "14" },
	{ "domains[package=0].cpu", "0" },
	{ "domains[package=1,cpu=20].cpu", "20" },
	{ "domains[cpu=20,package=1].package", "1" },
	{ "domains[0].cpus", "[3, 4]" },
	{ "domains[0].cpus[1]", "4" },
	{ "domains[2]", "{\n  \"package\": 1,\n  \"cpu\": 20\n}" },
};

TEST(a_path_finds_its_value)
{
	struct json *document = make_document();

	for (size_t i = 0; i < COUNT(found); i++) {
		char *problem, *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);
		const struct json *value = json_path_find(document, found[i].path, &problem);

		assert_null(json_path_check(found[i].path));
		assert_null(problem);
		assert_non_null(value);
		json_write_raw(value, stream);
		assert_int_equal(fclose(stream), 0);
		assert_string_equal(text, found[i].value);
		free(text);
	}
	json_free(document);
}

static const struct {
	const char *path, *problem;
} missing[] = {
	{ "nothing",
	  "no value 'nothing': the result has only level, name, none, on, empty, domains" },
	{ "level.more", "no value 'level.more': level is no object" },
	{ "domains.cpu", "no value 'domains.cpu': domains is an array" },
	{ "level[0]", "no value 'level[0]': level is no array" },
	{ "domains[3]", "no value 'domains[3]': domains has elements 0 to 2" },
	{ "domains[18446744073709551616]",
	  "no value 'domains[18446744073709551616]': domains has elements 0 to 2" },
	{ "empty[0]", "no value 'empty[0]': empty is empty" },
	{ "domains[package=2].cpu",
	  "no value 'domains[package=2].cpu': domains has no such element" },
	{ "domains[die=0]", "no value 'domains[die=0]': domains has no such element" },
	{ "domains[package=1].cpu",
	  "no value 'domains[package=1].cpu': domains has 2 such elements: cpu 14, 20" },
	{ "domains[1].cpus", "no value 'domains[1].cpus': domains[1] has only package, cpu" },
};

TEST(where_there_is_no_value_the_message_lists_what_there_is)
{
	struct json *document = make_document();

	for (size_t i = 0; i < COUNT(missing); i++) {
		char *problem;

		assert_null(json_path_check(missing[i].path));
		assert_null(json_path_find(document, missing[i].path, &problem));
		assert_non_null(problem);
		assert_string_equal(problem, missing[i].problem);
		free(problem);
	}
	json_free(document);
}

TEST(a_path_that_is_written_wrong_is_refused)
{
	static const char *const wrong[] = { "",	".",	   "a.",       ".a",	"a..b",
					     "[0]",	"a[",	   "a[]",      "a[0",	"a]",
					     "a[b]",	"a[=1]",   "a[b=]",    "a[-1]", "a[0]b",
					     "a[b=1,]", "a[,b=1]", "a[b=1,c]", "a[0].", "a[0x1]" };

	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_non_null(json_path_check(wrong[i]));
}

/** The expected text is what `jq -S .` prints for the same document. */
TEST(a_sorted_document_is_written_in_lines)
{
	struct json *document = json_new(true), *list, *object;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	json_add_number(document, "beta", 2);
	list = json_add(document, "list", JSON_ARRAY);
	json_add_number(list, NULL, 9);
	json_add_number(list, NULL, 4);
	json_add(document, "none", JSON_ARRAY);
	object = json_add(document, "alpha", JSON_OBJECT);
	json_add_string(object, "z", "last");
	json_add_boolean(object, "a", true);
	json_write(document, stream);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text, "{\n"
				  "  \"alpha\": {\n"
				  "    \"a\": true,\n"
				  "    \"z\": \"last\"\n"
				  "  },\n"
				  "  \"beta\": 2,\n"
				  "  \"list\": [\n"
				  "    9,\n"
				  "    4\n"
				  "  ],\n"
				  "  \"none\": []\n"
				  "}");
	free(text);
	json_free(document);
}

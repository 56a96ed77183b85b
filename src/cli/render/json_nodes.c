/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the nodes of reports into values of json-v2, by the key table; must know nothing of Speed
 * Select. */
#include "json_nodes.h"

#include "../report/keys.h"
#include "../report/wording.h"
#include "isst.h"

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
	const struct key *row = leaf->key;
	/* A word in place of yes or no is for neither. */
	bool known = leaf->text && row->type != V2_BOOLEAN &&
		     !(row->unknown && strcmp(leaf->text, row->unknown) == 0);

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
	const struct json *index = json_member(element, node->key->index);

	if (!index)
		return false;
	if (node->variant)
		return index->text && strcmp(index->text, node->variant) == 0;
	return index->kind == JSON_NUMBER && index->number == node->index;
}

static void add_index(struct json *element, const struct report_node *node)
{
	const char *name = node->key->index;

	if (node->variant)
		json_add_string(element, name, node->variant);
	else
		json_add_number(element, name, node->index);
}

/** The element of an array that stands for a node; *@is_new: it was added. */
static struct json *element_of(struct json *parent, const struct report_node *node, bool *is_new)
{
	struct json *array = json_array_of(parent, node->key->name_v2), *element;

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
	const struct key *key = node->key;
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

/** Programs go through such a list without a look at whether it is there. */
static void add_list(struct json *object, const struct key *key)
{
	if (key->list)
		json_array_of(object, key->list);
}

/** Where units have the same path the first value of a key counts. */
static void add_leaf(struct json *parent, const struct report_node *leaf)
{
	const struct key *key = leaf->key;
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
	add_list(parent, key);
}

/* Reports are a few levels deep. */
/* NOLINTNEXTLINE(misc-no-recursion) */
void json_add_nodes(struct json *parent, const struct report_node *node)
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
		json_add_nodes(object, node->first);
		add_list(object, node->key);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A JSON document in memory. */
#ifndef ISST_CLI_JSON_VALUE_H
#define ISST_CLI_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Paths ---- */

/** Checks how a path is written. Returns NULL, or what is wrong with it. */
const char *json_path_check(const char *path);
const struct json *json_path_find(const struct json *root, const char *path, char **problem);

/* ---- Documents ---- */

enum json_kind {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_kind kind;
	char *name;	 /* of a member of an object; NULL: of none */
	uint64_t number; /* of a number, or 0 and 1 of a boolean */
	char *text;	 /* of a string */
	struct json *first, *last, *next;
	struct json *root;
	bool sorted; /* of the root: see json_new() */
};

/** A new object. @sorted: members are in order, each value on a line of its own, as `jq -S` writes
 * them. */
struct json *json_new(bool sorted);
void json_free(struct json *root);

/* Values are added last, or sorted, and returned. @name: NULL in an array. */

struct json *json_add(struct json *parent, const char *name, enum json_kind kind);
struct json *json_add_single(struct json *parent, const char *name, enum json_kind kind,
			     uint64_t number);
#define json_add_number(parent, name, n) json_add_single(parent, name, JSON_NUMBER, n)
#define json_add_boolean(parent, name, b) json_add_single(parent, name, JSON_BOOLEAN, b)
/** @text: NULL adds null. */
struct json *json_add_string(struct json *parent, const char *name, const char *text);

/** The array of that name in an object, which is added where there is none. */
struct json *json_array_of(struct json *parent, const char *name);

/** The member of that name, of the first @length bytes of a name; NULL if there is none. */
struct json *json_member(const struct json *object, const char *name);
struct json *json_member_n(const struct json *object, const char *name, size_t length);

/** Writes text as a string, quotes included; what is no UTF-8 becomes U+FFFD. */
void json_string_write(const char *text, FILE *stream);

/** Writes a value, indented, without a line end behind it. */
void json_write(const struct json *value, FILE *stream);

/** Writes a value as scripts take it: text as it is, anything else as in a document. */
void json_write_raw(const struct json *value, FILE *stream);

#endif

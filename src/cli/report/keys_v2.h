/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the key table leaves open for json-v2: the type of each member, and which of them are
 * arrays. A name has one type wherever it stands. docs/json-v2.md and docs/isst.schema.json contain
 * the same.
 */
#ifndef ISST_CLI_KEYS_V2_H
#define ISST_CLI_KEYS_V2_H

#include "keys.h"

enum type_v2 {
	V2_OBJECT,
	V2_ARRAY, /* of objects */
	V2_NUMBER,
	V2_LIMIT, /* a number, or the string "none" */
	V2_BOOLEAN,
	V2_STRING,
	V2_CPUS, /* an object: the CPUs as a list of the kernel, and as numbers */
};

struct key_v2 {
	enum type_v2 type;
	/** Of what the report has several times: the member with the index or variant of each. */
	const char *index;
	/** Of an array whose elements are single values: the member with the value. */
	const char *value;
	/** The type of that value. */
	enum type_v2 value_type;
	/** Of the last step of a path: the array of the units. NULL: domains. */
	const char *units;
	/** An array that stands in this object, or beside this value, even if it has no elements.
	 */
	const char *list;
	/** A word that stands for a value that is not known: null. */
	const char *unknown;
};

extern const struct key_v2 keys_v2[KEYS];

/** The row of a key. */
static inline const struct key_v2 *key_v2_of(const struct key *key)
{
	return &keys_v2[key - keys];
}

#endif

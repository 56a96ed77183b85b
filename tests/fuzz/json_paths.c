/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of --get, in a document with every kind of value. */
#include "cli/text/json.h"
#include "fuzz/support/fuzz.h"

#include <stdlib.h>

static struct json *make_document(void)
{
	struct json *document = json_new(false);
	struct json *array = json_add(document, "a", JSON_ARRAY);

	for (unsigned int i = 0; i < 3; i++) {
		struct json *element = json_add(array, NULL, JSON_OBJECT);

		json_add_number(element, "n", i);
		json_add_number(element, "one", 1);
		json_add_string(element, "s", i == 0 ? NULL : "text");
		json_add_boolean(json_add(element, "o", JSON_OBJECT), "b", i == 2);
	}
	json_add_number(json_add(document, "b", JSON_ARRAY), NULL, 7);
	json_add(document, "c", JSON_ARRAY);
	return document;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = fuzz_text(data, size), *problem = NULL;
	struct json *document = make_document();
	const struct json *value;

	/* Only what is written correctly is looked for. */
	if (!json_path_check(path)) {
		value = json_path_find(document, path, &problem);
		if (!value == !problem)
			abort(); /* either a value, or why there is none */
	}
	free(problem);
	free(path);
	json_free(document);
	return 0;
}

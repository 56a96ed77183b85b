/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program asks for: values by number. */
#include "library/targets.h"
#include "library/values.h"

#include <errno.h>
#include <stdlib.h>

/** A value that is asked for. */
struct asked {
	int id;
	uint64_t number;
	struct isst_cpuset *cpus;
};

struct isst_request {
	ISST_MAY_GROW;
	struct asked *values;
	size_t count;
};

struct isst_request *isst_request_new(void)
{
	return calloc(1, sizeof(struct isst_request));
}

void isst_request_free(struct isst_request *request)
{
	if (!request)
		return;
	for (size_t i = 0; i < request->count; i++)
		isst_cpuset_free(request->values[i].cpus);
	free(request->values);
	free(request);
}

static struct asked *find_asked(const struct isst_request *request, int id)
{
	for (size_t i = 0; request && i < request->count; i++)
		if (request->values[i].id == id)
			return &request->values[i];
	return NULL;
}

/** The place of a value, which may be a new one; NULL without memory. */
static struct asked *find_or_add(struct isst_request *request, int id)
{
	struct asked *found = find_asked(request, id), *larger;

	if (found)
		return found;
	larger = reallocarray(request->values, request->count + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	request->values = larger;
	larger[request->count] = (struct asked){ .id = id };
	return &larger[request->count++];
}

static bool is_possible(int id, bool cpus)
{
	const struct value_row *row = value_row(id);

	return row && row->of_requests && (row->type == ISST_TYPE_CPUS) == cpus;
}

int isst_request_set64(struct isst_request *request, int id, uint64_t value)
{
	struct asked *asked;

	if (!request || !is_possible(id, false))
		return -EINVAL;
	if (value > UINT32_MAX && isst_value_type(id) != ISST_TYPE_BITS)
		return -EINVAL;
	asked = find_or_add(request, id);
	if (!asked)
		return -ENOMEM;
	asked->number = value;
	return 0;
}

int isst_request_set(struct isst_request *request, int id, unsigned int value)
{
	return isst_request_set64(request, id, value);
}

int isst_request_set_cpus(struct isst_request *request, int id, const struct isst_cpuset *cpus)
{
	struct isst_cpuset *copy;
	struct asked *asked;

	if (!request || !is_possible(id, true))
		return -EINVAL;
	copy = isst_cpuset_new();
	asked = copy && !isst_cpuset_add_set(copy, cpus) ? find_or_add(request, id) : NULL;
	if (!asked) {
		isst_cpuset_free(copy);
		return -ENOMEM;
	}
	isst_cpuset_free(asked->cpus);
	asked->cpus = copy;
	return 0;
}

bool request_get(const struct isst_request *request, int id, uint64_t *value)
{
	const struct asked *asked = find_asked(request, id);

	*value = asked ? asked->number : 0;
	return asked && !asked->cpus;
}

unsigned int request_get_number(const struct isst_request *request, int id, unsigned int otherwise)
{
	uint64_t value;

	return request_get(request, id, &value) ? (unsigned int)value : otherwise;
}

const struct isst_cpuset *request_get_cpus(const struct isst_request *request, int id)
{
	const struct asked *asked = find_asked(request, id);

	return asked ? asked->cpus : NULL;
}

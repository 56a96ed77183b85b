/* SPDX-License-Identifier: BSD-3-Clause */
/* Results, and how values are looked up in them by the table. */
#include "library/results.h"
#include "features/snapshot.h"
#include "library/getters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

struct isst_results *results_new(const struct call *call, const struct target_list *list,
				 unsigned int each, unsigned int carried)
{
	size_t count = each * (call->for_cpus ? list->cpu_count : list->domain_count);
	struct isst_results *results = calloc(1, sizeof(*results));

	if (!results)
		return NULL;
	results->items = calloc(count + 1, sizeof(*results->items));
	if (!results->items) {
		free(results);
		return NULL;
	}
	results->count = count;
	for (size_t i = 0; i < count; i++) {
		struct isst_result *result = &results->items[i];

		result->carried = carried;
		result->target = i / each;
		if (call->for_cpus && list->cpus)
			result->cpu = list->cpus[i / each];
		if (result->cpu)
			result->domain = result->cpu->domain;
		else if (list->domains)
			result->domain = list->domains[i / each];
	}
	return results;
}

void isst_results_free(struct isst_results *results)
{
	if (!results)
		return;
	for (size_t i = 0; i < results->count && results->finished; i++)
		for (size_t part = 0; part < PARTS; part++)
			free((char *)results->items[i].parts[part].message);
	snapshot_clear(results->levels, results->level_count);
	free(results->levels);
	free(results->structs);
	free(results->items);
	free(results);
}

/* ---- What a call returns ---- */

static bool is_io(const struct isst_result *result)
{
	return !result->cpu && isst_domain_is_io(result->domain);
}

int results_finish(struct isst_context *context, struct isst_results *results, bool passes_io,
		   struct isst_results **out)
{
	bool failed = false, good = false, lost = false, all_io = true;
	const struct isst_failure *first = NULL;
	const char *before;
	int error = 0;

	for (size_t i = 0; i < results->count; i++)
		all_io &= is_io(&results->items[i]);
	for (size_t i = 0; i < results->count; i++) {
		struct isst_result *result = &results->items[i];
		const struct isst_failure *failure = &result->parts[ISST_PART_PERF_PROFILE];
		bool counts = !passes_io || all_io || !is_io(result);

		for (size_t part = 0; part < PARTS; part++) {
			struct isst_failure *own = &result->parts[part];

			if (!own->error)
				continue;
			own->message = strdup(own->message ? own->message : strerror(-own->error));
			lost |= !own->message;
			/* The use of CLOS may be unknown where core-power is not supported. */
			failed |= counts && part != ISST_PART_CLOS;
		}
		if (!failure->error)
			failure = &result->parts[ISST_PART_RESULT];
		good |= counts && !failure->error;
		if (counts && failure->error && !first)
			first = failure;
	}
	results->finished = true;
	before = message_begin(&context->messages);
	if (lost)
		error = -ENOMEM;
	else if (failed && good)
		error = ISST_PARTIAL;
	else if (failed)
		error = message_error(&context->messages, first->error, "%s", first->message);
	message_end(&context->messages, before, error < 0 ? error : 0);
	if (lost || !out)
		isst_results_free(results);
	else
		*out = results;
	return error;
}

/* ---- Reading ---- */

GETTER(size_t, isst_results_count, isst_results, count, 0)

const struct isst_result *isst_results_at(const struct isst_results *results, size_t index)
{
	return index < isst_results_count(results) ? &results->items[index] : NULL;
}

const struct isst_result *isst_results_by_cpu(const struct isst_results *results, unsigned int cpu)
{
	for (size_t i = 0; i < isst_results_count(results); i++)
		if (results->items[i].cpu && results->items[i].cpu->number == cpu)
			return &results->items[i];
	return NULL;
}

GETTER(size_t, isst_result_target, isst_result, target, 0)
GETTER(const struct isst_domain *, isst_result_domain, isst_result, domain, NULL)
GETTER(const struct isst_cpu *, isst_result_cpu, isst_result, cpu, NULL)

static const struct isst_failure *part_of(const struct isst_result *result, int part)
{
	static const struct isst_failure UNKNOWN = { .error = -EINVAL };

	return result && part >= 0 && part < PARTS ? &result->parts[part] : &UNKNOWN;
}

int isst_result_error(const struct isst_result *result, int part)
{
	return part_of(result, part)->error;
}

const char *isst_result_message(const struct isst_result *result, int part)
{
	return part_of(result, part)->message;
}

unsigned int isst_result_more_errors(const struct isst_result *result, int part)
{
	return part_of(result, part)->more;
}

#define PART(part) (1U << ISST_PART_##part)

/** Of each source: the part whose error is its own, and those of which an error leaves nothing. */
static const struct {
	enum isst_part part;
	unsigned int whole;
} SOURCE_PARTS[SOURCES] = {
	[SOURCE_PERF_PROFILE] = { ISST_PART_PERF_PROFILE, PART(PERF_PROFILE) },
	[SOURCE_LEVEL] = { ISST_PART_RESULT, 0 },
	[SOURCE_PROPERTIES] = { ISST_PART_RESULT, 0 },
	[SOURCE_BASE_FREQ] = { ISST_PART_BASE_FREQ, 0 },
	[SOURCE_TURBO_FREQ] = { ISST_PART_TURBO_FREQ, 0 },
	[SOURCE_CORE_POWER] = { ISST_PART_RESULT, PART(RESULT) },
	[SOURCE_CLOS_USE] = { ISST_PART_CLOS, PART(RESULT) | PART(CLOS) },
	[SOURCE_CLOS] = { ISST_PART_RESULT, 0 },
	[SOURCE_CLOS_CONFIG] = { ISST_PART_RESULT, PART(RESULT) },
	[SOURCE_ASSOCIATION] = { ISST_PART_RESULT, PART(RESULT) },
	[SOURCE_LIMITS] = { ISST_PART_RESULT, PART(RESULT) },
};

/** What stands for a value that a source does not have: it could not be read, or there is none. */
static int why_none(const struct isst_result *result, enum source source)
{
	const enum isst_part parts[] = { SOURCE_PARTS[source].part, ISST_PART_RESULT,
					 ISST_PART_PERF_PROFILE };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (result->parts[parts[i]].error)
			return result->parts[parts[i]].error == -EOPNOTSUPP ? -ENODATA : -EIO;
	return -ENODATA;
}

/** Those that a row of the table leaves out are one. */
static unsigned int extent(unsigned int count)
{
	return count ? count : 1;
}

static int find_value(const struct isst_result *result, int id, unsigned int i, unsigned int column,
		      const struct value_row **row, const void **place)
{
	const struct value_row *found = result ? value_row_of(id, result->carried) : NULL;
	const struct isst_failure *failure;
	const char *source;
	bool lost;

	*row = found;
	if (!found)
		return -EINVAL;
	if (i >= extent(found->rows) || column >= extent(found->columns))
		return -ENODATA;
	source = result->sources[found->source];
	lost = !source;
	for (size_t part = 0; part < PARTS; part++)
		lost |= SOURCE_PARTS[found->source].whole & 1U << part && result->parts[part].error;
	/* It may mean nothing because of another one. */
	if (lost ||
	    (found->needs_cpus && !*(struct isst_cpuset *const *)(source + found->needs_cpus)) ||
	    (found->column_count &&
	     column >= *(const unsigned int *)(source + found->column_count)))
		return why_none(result, found->source);
	source += i * found->row_size;
	failure = (const void *)(source + found->row_failure);
	if (found->row_failure && failure->error)
		return failure->error == -EOPNOTSUPP ? -ENODATA : -EIO;
	*place = source + found->offset + column * found->column_size;
	if (found->none_at && memcmp(*place, source + found->none_at, sizeof(uint64_t)) == 0)
		return -ENODATA;
	return 0;
}

int isst_result_bits(const struct isst_result *result, int id, unsigned int i, unsigned int column,
		     uint64_t *number)
{
	const struct isst_value *value;
	const struct value_row *row;
	const void *place;
	int error;

	if (!number)
		return -EINVAL;
	*number = 0;
	error = find_value(result, id, i, column, &row, &place);
	if (error)
		return error;
	switch (row->store) {
	case STORE_VALUE:
		value = place;
		if (value->state == ISST_KNOWN)
			*number = value->value;
		else if (value->state == ISST_UNREADABLE)
			return -EIO;
		return value->state == ISST_KNOWN ? 0 : -ENODATA;
	case STORE_NUMBER:
	case STORE_ENUM:
	case STORE_STATE:
		*number = *(const unsigned int *)place;
		break;
	case STORE_FLAG:
		*number = *(const bool *)place;
		break;
	case STORE_BITS:
		*number = *(const uint64_t *)place;
		break;
	case STORE_KHZ:
		*number = *(const uint64_t *)place / KHZ_PER_MHZ;
		break;
	case STORE_CPUS:
	case STORE_NOWHERE:
		return -EINVAL;
	}
	if (row->store == STORE_STATE && *number == ISST_FEATURE_UNKNOWN)
		return why_none(result, row->source);
	return row->zero_is_none && *number == 0 ? -ENODATA : 0;
}

int isst_result_value_at(const struct isst_result *result, int id, unsigned int row,
			 unsigned int column, unsigned int *value)
{
	uint64_t number = 0;
	int error;

	if (!value)
		return -EINVAL;
	error = isst_value_type(id) == ISST_TYPE_BITS
			? -EINVAL
			: isst_result_bits(result, id, row, column, &number);
	*value = (unsigned int)number;
	return error;
}

int isst_result_value(const struct isst_result *result, int id, unsigned int *value)
{
	return isst_result_value_at(result, id, 0, 0, value);
}

int isst_result_extent(const struct isst_result *result, int id, unsigned int *rows,
		       unsigned int *columns)
{
	const struct value_row *row = result ? value_row_of(id, result->carried) : NULL;

	if (rows)
		*rows = row ? extent(row->rows) : 0;
	if (columns)
		*columns = row ? extent(row->columns) : 0;
	return row ? 0 : -EINVAL;
}

int isst_result_cpus(const struct isst_result *result, int id, const struct isst_cpuset **cpus)
{
	const struct value_row *row;
	const void *place;
	int error;

	if (!cpus)
		return -EINVAL;
	*cpus = NULL;
	error = find_value(result, id, 0, 0, &row, &place);
	if (error)
		return error;
	if (row->store != STORE_CPUS)
		return -EINVAL;
	*cpus = *(struct isst_cpuset *const *)place;
	return *cpus ? 0 : why_none(result, row->source);
}

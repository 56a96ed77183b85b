/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of CPU numbers, kept as sorted runs: neither memory nor time depends on the highest number.
 */
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "isst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	unsigned int first, last;
};

struct isst_cpuset {
	struct run *runs; /* ascending, neither overlapping nor adjacent */
	size_t count, space;
};

struct isst_cpuset *isst_cpuset_new(void)
{
	return calloc(1, sizeof(struct isst_cpuset));
}

void isst_cpuset_free(struct isst_cpuset *set)
{
	if (!set)
		return;
	free(set->runs);
	free(set);
}

void cpuset_swap(struct isst_cpuset *one, struct isst_cpuset *other)
{
	struct isst_cpuset kept = *one;

	*one = *other;
	*other = kept;
}

void cpuset_clear(struct isst_cpuset *set)
{
	set->count = 0;
}

bool isst_cpuset_is_equal(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	size_t count = one ? one->count : 0;

	if (count != (other ? other->count : 0))
		return false;
	for (size_t i = 0; i < count; i++)
		if (one->runs[i].first != other->runs[i].first ||
		    one->runs[i].last != other->runs[i].last)
			return false;
	return true;
}

bool cpuset_overlaps(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	size_t i = 0, k = 0;

	if (!one || !other)
		return false;
	while (i < one->count && k < other->count) {
		if (one->runs[i].last < other->runs[k].first)
			i++;
		else if (other->runs[k].last < one->runs[i].first)
			k++;
		else
			return true;
	}
	return false;
}

/** Index of the first run that ends at @cpu or above, or the number of runs. */
static size_t find_run(const struct isst_cpuset *set, unsigned int cpu)
{
	size_t low = 0, high = set ? set->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->runs[middle].last < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool cpuset_next_run(const struct isst_cpuset *set, unsigned int from, unsigned int *first,
		     unsigned int *last)
{
	size_t at = find_run(set, from);

	if (!set || at == set->count)
		return false;
	*first = set->runs[at].first;
	*last = set->runs[at].last;
	return true;
}

bool cpuset_contains(const struct isst_cpuset *set, const struct isst_cpuset *part)
{
	for (size_t i = 0; part && i < part->count; i++) {
		unsigned int first, last;

		if (!cpuset_next_run(set, part->runs[i].first, &first, &last) ||
		    first > part->runs[i].first || last < part->runs[i].last)
			return false;
	}
	return true;
}

static int make_space(struct isst_cpuset *set, size_t count)
{
	size_t space = set->space ? set->space * 2 : 4;
	struct run *runs;

	if (count <= set->space)
		return 0;
	runs = reallocarray(set->runs, space, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	set->runs = runs;
	set->space = space;
	return 0;
}

int isst_cpuset_add(struct isst_cpuset *set, unsigned int first, unsigned int last)
{
	size_t begin, end;
	int error;

	if (!set || last < first)
		return -EINVAL;
	/* isst_cpuset_for_each() ends at the next number. */
	if (last == UINT32_MAX)
		return -ERANGE;
	/* Runs begin..end-1 touch the new one, and are merged into it. */
	begin = end = find_run(set, first > 0 ? first - 1 : 0);
	while (end < set->count && set->runs[end].first <= last + 1)
		end++;
	if (begin == end) {
		error = make_space(set, set->count + 1);
		if (error)
			return error;
		memmove(&set->runs[begin + 1], &set->runs[begin],
			(set->count - begin) * sizeof(struct run));
		set->runs[begin] = (struct run){ first, last };
		set->count++;
		return 0;
	}
	if (set->runs[begin].first < first)
		first = set->runs[begin].first;
	if (set->runs[end - 1].last > last)
		last = set->runs[end - 1].last;
	set->runs[begin] = (struct run){ first, last };
	memmove(&set->runs[begin + 1], &set->runs[end], (set->count - end) * sizeof(struct run));
	set->count -= end - begin - 1;
	return 0;
}

int isst_cpuset_add_set(struct isst_cpuset *set, const struct isst_cpuset *other)
{
	if (!set)
		return -EINVAL;
	for (size_t i = 0; other && i < other->count; i++) {
		int error = isst_cpuset_add(set, other->runs[i].first, other->runs[i].last);

		if (error)
			return error;
	}
	return 0;
}

static int add_where(struct isst_cpuset *set, const struct isst_cpuset *from,
		     const struct isst_cpuset *other, bool is_in)
{
	unsigned int cpu;
	int error = set ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, from)
		if (!error && isst_cpuset_has(other, cpu) == is_in)
			error = isst_cpuset_add(set, cpu, cpu);
	return error;
}

int cpuset_add_common(struct isst_cpuset *set, const struct isst_cpuset *from,
		      const struct isst_cpuset *other)
{
	return add_where(set, from, other, true);
}

int cpuset_add_except(struct isst_cpuset *set, const struct isst_cpuset *from,
		      const struct isst_cpuset *other)
{
	return add_where(set, from, other, false);
}

/** Keeps of a set the CPUs that are in @other, or are not. */
static int keep_where(struct isst_cpuset *set, const struct isst_cpuset *other, bool is_in)
{
	struct isst_cpuset *kept = isst_cpuset_new();
	int error = set ? add_where(kept, set, other, is_in) : -EINVAL;

	if (!error)
		cpuset_swap(set, kept);
	isst_cpuset_free(kept);
	return error;
}

int isst_cpuset_remove_set(struct isst_cpuset *set, const struct isst_cpuset *other)
{
	return keep_where(set, other, false);
}

int isst_cpuset_intersect(struct isst_cpuset *set, const struct isst_cpuset *other)
{
	return keep_where(set, other, true);
}

int isst_cpuset_remove(struct isst_cpuset *set, unsigned int first, unsigned int last)
{
	struct run rest[2] = { { 0 } };
	size_t begin, end, kept = 0;
	int error;

	if (!set || last < first)
		return -EINVAL;
	if (last == UINT32_MAX)
		return -ERANGE;
	/* Of the runs begin..end-1 what is before and behind the range stays. */
	begin = end = find_run(set, first);
	while (end < set->count && set->runs[end].first <= last)
		end++;
	if (begin == end)
		return 0;
	if (set->runs[begin].first < first)
		rest[kept++] = (struct run){ set->runs[begin].first, first - 1 };
	if (set->runs[end - 1].last > last)
		rest[kept++] = (struct run){ last + 1, set->runs[end - 1].last };
	error = make_space(set, set->count - (end - begin) + kept);
	if (error)
		return error;
	memmove(&set->runs[begin + kept], &set->runs[end], (set->count - end) * sizeof(struct run));
	memcpy(&set->runs[begin], rest, kept * sizeof(struct run));
	set->count = set->count - (end - begin) + kept;
	return 0;
}

/** Parses the number at *@text, and moves it on. */
static int parse_cpu(const char **text, unsigned int *cpu)
{
	const char *at = *text;
	unsigned int value = 0;

	if (*at < '0' || *at > '9')
		return -EINVAL;
	for (; *at >= '0' && *at <= '9'; at++) {
		value = 10 * value + (unsigned int)(*at - '0');
		if (value >= ISST_CPU_NUMBER_LIMIT)
			return -ERANGE;
	}
	*cpu = value;
	*text = at;
	return 0;
}

/** Parses `7`, `3-5` or `3..5` at *@text, and moves it on. */
static int parse_range(const char **text, struct run *run)
{
	const char *start;
	int error = parse_cpu(text, &run->first);

	if (error)
		return error;
	run->last = run->first;
	if (**text == '-')
		(*text)++;
	else if (strncmp(*text, "..", 2) == 0)
		*text += 2;
	else
		return 0;
	start = *text;
	error = parse_cpu(text, &run->last);
	if (error)
		return error;
	if (run->last < run->first) {
		*text = start;
		return -EINVAL;
	}
	return 0;
}

/** Files of the kernel end with a newline. */
static bool is_end(const char *text)
{
	return strcmp(text, "") == 0 || strcmp(text, "\n") == 0;
}

static int add_list(struct isst_cpuset *set, const char **text)
{
	struct run run;
	int error;

	if (is_end(*text))
		return 0;
	for (;;) {
		error = parse_range(text, &run);
		if (!error)
			error = isst_cpuset_add(set, run.first, run.last);
		if (error || is_end(*text))
			return error;
		if (**text != ',')
			return -EINVAL;
		(*text)++;
	}
}

int isst_cpuset_add_list(struct isst_cpuset *set, const char *text, const char **bad)
{
	struct isst_cpuset *list;
	const char *at = text;
	int error;

	if (!set || !text)
		return -EINVAL;
	list = isst_cpuset_new();
	if (!list)
		return -ENOMEM;
	error = add_list(list, &at);
	if (!error)
		error = isst_cpuset_add_set(set, list);
	else if (bad)
		*bad = at;
	isst_cpuset_free(list);
	return error;
}

bool isst_cpuset_has(const struct isst_cpuset *set, unsigned int cpu)
{
	size_t i = find_run(set, cpu);

	return set && i < set->count && set->runs[i].first <= cpu;
}

size_t isst_cpuset_count(const struct isst_cpuset *set)
{
	size_t count = 0;

	for (size_t i = 0; set && i < set->count; i++)
		count += (size_t)set->runs[i].last - set->runs[i].first + 1;
	return count;
}

bool isst_cpuset_next(const struct isst_cpuset *set, unsigned int from, unsigned int *cpu)
{
	size_t i = find_run(set, from);

	if (!set || !cpu || i == set->count)
		return false;
	*cpu = set->runs[i].first > from ? set->runs[i].first : from;
	return true;
}

char *isst_cpuset_to_list(const struct isst_cpuset *set)
{
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	for (size_t i = 0; set && i < set->count; i++) {
		const struct run *run = &set->runs[i];

		fprintf(text.stream, "%s%u", i ? "," : "", run->first);
		if (run->last > run->first)
			fprintf(text.stream, "-%u", run->last);
	}
	return memory_stream_text(&text);
}

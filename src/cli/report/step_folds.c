/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds the numbers of CPUs and cores first, then the domains that have the same ones. */
#include "step_folds.h"

#include "../../common/domain_list.h"
#include "../../common/numbered.h"
#include "message_folds.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Steps that differ only in a number within the target. */
struct fold {
	/* The target around the number and the blank in front of it. */
	char *before, *behind;
	struct isst_cpuset *numbers; /* NULL: the target has none that is folded */
	char *texts[STEP_FOLD_TEXTS];
};

struct step_folds {
	struct fold *folds;
	size_t count;
};

struct step_folds *step_folds_new(void)
{
	return calloc(1, sizeof(struct step_folds));
}

static void clear_fold(struct fold *fold)
{
	free(fold->before);
	free(fold->behind);
	isst_cpuset_free(fold->numbers);
	for (size_t i = 0; i < STEP_FOLD_TEXTS; i++)
		free(fold->texts[i]);
}

void step_folds_free(struct step_folds *folds)
{
	if (!folds)
		return;
	for (size_t i = 0; i < folds->count; i++)
		clear_fold(&folds->folds[i]);
	free(folds->folds);
	free(folds);
}

/* ---- Adding ---- */

/** Where the number stands that is folded; at the end of the target: there is none. */
static const char *find_number(int kind, const char *target)
{
	static const char *const WORDS[] = { "CPU ", "package " };
	const char *end = target + strlen(target), *number = end;

	/* Of a package as a whole: nothing more of its place follows. */
	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		const char *first = target + strlen(WORDS[i]);

		if (strncmp(target, WORDS[i], strlen(WORDS[i])) == 0 &&
		    first[strspn(first, "0123456789")] == ':')
			return first;
	}
	if (kind != ISST_ITEM_CLOS_ASSOCIATION && kind != ISST_ITEM_CLOS)
		return end;
	/* The last one: a field may stand behind it. */
	while (number > target && !isdigit((unsigned char)number[-1]))
		number--;
	while (number > target && isdigit((unsigned char)number[-1]))
		number--;
	return number;
}

/** Returns 0 or -ENOMEM. */
static int copy_texts(struct fold *fold, const struct step_texts *texts)
{
	for (size_t i = 0; i < STEP_FOLD_TEXTS; i++) {
		fold->texts[i] = texts->text[i] ? strdup(texts->text[i]) : NULL;
		if (texts->text[i] && !fold->texts[i])
			return -ENOMEM;
	}
	return 0;
}

/** Fills a fold with one step. Returns 0 or -ENOMEM; it is to be cleared in both cases. */
static int fill(struct fold *fold, int kind, const char *target, const struct step_texts *texts)
{
	const char *number = find_number(kind, target);
	char *behind = NULL;
	unsigned long value = *number ? strtoul(number, &behind, 10) : 0;

	*fold = (struct fold){ .before = strndup(target,
						 (size_t)(number - target) - (*number != '\0')),
			       .behind = strdup(behind ? behind : ""),
			       .numbers = *number ? isst_cpuset_new() : NULL };
	if (copy_texts(fold, texts) != 0 || !fold->before || !fold->behind ||
	    (*number && !fold->numbers))
		return -ENOMEM;
	return fold->numbers
		       ? isst_cpuset_add(fold->numbers, (unsigned int)value, (unsigned int)value)
		       : 0;
}

static bool is_same_text(const char *text, const char *other)
{
	return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool has_same_texts(const struct fold *fold, const struct fold *other)
{
	for (size_t i = 0; i < STEP_FOLD_TEXTS; i++)
		if (!is_same_text(fold->texts[i], other->texts[i]))
			return false;
	return true;
}

static bool is_same(const struct fold *fold, const struct fold *other)
{
	return !fold->numbers == !other->numbers && strcmp(fold->before, other->before) == 0 &&
	       strcmp(fold->behind, other->behind) == 0 && has_same_texts(fold, other);
}

/** Takes over what @fold holds, or joins it with another one. */
static int take(struct step_folds *folds, struct fold *fold)
{
	struct fold *grown;

	for (size_t i = 0; i < folds->count; i++) {
		struct fold *other = &folds->folds[i];

		if (!is_same(fold, other))
			continue;
		return fold->numbers ? isst_cpuset_add_set(other->numbers, fold->numbers) : 0;
	}
	grown = realloc(folds->folds, (folds->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	folds->folds = grown;
	grown[folds->count++] = *fold;
	*fold = (struct fold){ .before = NULL };
	return 0;
}

int step_folds_add(struct step_folds *folds, int kind, const char *target,
		   const struct step_texts *texts)
{
	struct fold fold;
	int error = fill(&fold, kind, target, texts);

	if (!error)
		error = take(folds, &fold);
	clear_fold(&fold);
	return error;
}

/* ---- Visiting ---- */

/** The target of a fold, with all its numbers; NULL without memory. */
static char *target_of(const struct fold *fold)
{
	char *name = fold->numbers ? name_numbers(fold->before, fold->numbers)
				   : strdup(fold->before);
	char *target;

	if (!name || asprintf(&target, "%s%s", name, fold->behind) < 0)
		target = NULL;
	free(name);
	return target;
}

/** All folds as they are visited: those that were joined with an earlier one have no target. */
struct visit {
	const struct step_folds *folds;
	struct domain_list machine;
	char **targets;
};

/** The part of a target behind the name of its domain; NULL: it has none. */
static const char *thing_of(const char *target)
{
	size_t length = domain_list_name_length(target);

	return length > 0 && target[length] == ':' ? strstr(target, ": ") : NULL;
}

static unsigned int count_of(const struct fold *fold)
{
	return fold->numbers ? (unsigned int)isst_cpuset_count(fold->numbers) : 1;
}

/** Joins the domains with the same texts as the one of @first. Counts their steps, and returns the
 * target; NULL without memory. */
static char *join_domains(struct visit *visit, size_t first, unsigned int *count)
{
	const struct fold *folds = visit->folds->folds;
	char *target = visit->targets[first], *joined = NULL, *names;
	const char *thing = thing_of(target);
	struct domain_list list = { .entries = NULL };
	int error = domain_list_add_name(&list, target);

	for (size_t i = first + 1; i < visit->folds->count && !error; i++) {
		char *other = visit->targets[i];
		const char *other_thing = other ? thing_of(other) : NULL;

		if (!other_thing || strcmp(thing, other_thing) != 0 ||
		    !has_same_texts(&folds[first], &folds[i]))
			continue;
		error = domain_list_add_name(&list, other);
		*count += count_of(&folds[i]);
		free(other);
		visit->targets[i] = NULL;
	}
	names = error ? NULL : domain_list_to_text(&list, &visit->machine);
	if (names && asprintf(&joined, "%s%s", names, thing) < 0)
		joined = NULL;
	free(names);
	domain_list_clear(&list);
	return joined;
}

static int visit_one(struct visit *visit, size_t i, step_folds_visitor visitor, void *data)
{
	const struct fold *fold = &visit->folds->folds[i];
	struct step_group group = { .target = visit->targets[i], .count = count_of(fold) };
	char *joined = NULL;

	if (thing_of(group.target)) {
		joined = join_domains(visit, i, &group.count);
		if (!joined)
			return -ENOMEM;
		group.target = joined;
	}
	memcpy(group.texts.text, fold->texts, sizeof(group.texts.text));
	visitor(data, &group);
	free(joined);
	return 0;
}

int step_folds_visit(const struct step_folds *folds, const struct isst_context *context,
		     step_folds_visitor visitor, void *data)
{
	struct visit visit = { .folds = folds,
			       .targets = calloc(folds->count + 1, sizeof(*visit.targets)) };
	int error = visit.targets ? list_domains(context, &visit.machine) : -ENOMEM;

	for (size_t i = 0; i < folds->count && !error; i++) {
		visit.targets[i] = target_of(&folds->folds[i]);
		error = visit.targets[i] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < folds->count && !error; i++)
		if (visit.targets[i])
			error = visit_one(&visit, i, visitor, data);
	for (size_t i = 0; i < folds->count && visit.targets; i++)
		free(visit.targets[i]);
	free(visit.targets);
	domain_list_clear(&visit.machine);
	return error;
}

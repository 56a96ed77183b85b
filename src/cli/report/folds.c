/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins texts that differ in names alone: first cores and classes, which are those of a domain,
 * then domains. */
#include "folds.h"

#include "../../common/memory_stream.h"
#include "../../common/numbered.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What stands in the rest of a text for a name that was taken out. */
#define SLOT_MARK '\1'

enum { SLOTS = 4 };

enum slot_kind { SLOT_DOMAINS, SLOT_CORES, SLOT_CPUS };

/** One name of a text, or the names at this place of all that are alike. */
struct slot {
	enum slot_kind kind;
	struct domain_list domains;
	struct isst_cpuset *numbers; /* of all but domains */
	const char *word;	     /* what one of these is called */
	bool in_front;		     /* named by a directory alone: no mark in the rest */
};

struct fold {
	struct report_entry *entry; /* the first message of these; NULL: these are steps */
	struct step_texts texts;    /* of a message its code */
	unsigned int count;	    /* of messages or steps */
	char *rest;
	struct slot slots[SLOTS];
	size_t slot_count;
};

static void clear_slot(struct slot *slot)
{
	domain_list_clear(&slot->domains);
	isst_cpuset_free(slot->numbers);
}

static void clear_fold(struct fold *fold)
{
	for (size_t i = 0; i < fold->slot_count; i++)
		clear_slot(&fold->slots[i]);
	free(fold->rest);
}

static void clear_folds(struct step_folds *folds)
{
	for (size_t i = 0; i < folds->count; i++)
		clear_fold(&folds->all[i]);
	free(folds->all);
}

/* ---- Taking a text apart ---- */

static int add_numbers(struct slot *slot, const char *text, size_t length)
{
	char *list = strndup(text, length);
	int error;

	slot->numbers = isst_cpuset_new();
	error = list && slot->numbers ? isst_cpuset_add_list(slot->numbers, list, NULL) : -ENOMEM;
	free(list);
	return error;
}

/** Takes the name that a text begins with. Returns its length; 0: none, or no memory (@lost). */
static size_t take_name(struct slot *slot, const char *text, bool step, bool *lost)
{
	static const struct {
		const char *begin, *word;
		enum slot_kind kind;
		bool of_step;
	} WORDS[] = { { "core ", "core", SLOT_CORES, false },
		      { "CPU ", "CPU", SLOT_CPUS, false },
		      { "CPUs ", "CPU", SLOT_CPUS, false },
		      { "CLOS ", "CLOS", SLOT_CORES, true },
		      { "package ", "package", SLOT_CORES, false } };
	size_t length = domain_list_name_length(text);
	int error;

	*slot = (struct slot){ .kind = SLOT_DOMAINS };
	if (length > 0) {
		error = domain_list_add_name(&slot->domains, text);
		*lost |= error == -ENOMEM;
		return error ? 0 : length;
	}
	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		size_t before = strlen(WORDS[i].begin);

		if ((WORDS[i].of_step && !step) || strncmp(text, WORDS[i].begin, before) != 0)
			continue;
		text += before;
		length = isdigit((unsigned char)*text) ? strspn(text, "0123456789,-") : 0;
		while (length > 0 && !isdigit((unsigned char)text[length - 1]))
			length--;
		text -= before;
		/* Of a package as a whole: nothing more of its place follows. */
		if (length == 0 || (*text == 'p' && text[before + length] != ':'))
			continue;
		slot->kind = WORDS[i].kind;
		slot->word = WORDS[i].word;
		error = add_numbers(slot, text + before, length);
		*lost |= error == -ENOMEM;
		return error ? 0 : before + length;
	}
	return 0;
}

/** Takes `/cpuN` of a path: N joins the CPU's name, or stands in front. Returns its length, or 0.
 */
static size_t take_directory(struct fold *fold, const char *text, bool *lost)
{
	static const char DIRECTORY[] = "/cpu";
	size_t before = sizeof(DIRECTORY) - 1, digits;
	struct slot slot = { .kind = SLOT_CPUS, .word = "CPU", .in_front = true };
	unsigned int cpu = 0;
	int error;

	if (strncmp(text, DIRECTORY, before) != 0)
		return 0;
	digits = strspn(text + before, "0123456789");
	if (digits == 0 || text[before + digits] != '/')
		return 0;
	error = add_numbers(&slot, text + before, digits);
	*lost |= error == -ENOMEM;
	if (!error && isst_cpuset_next(slot.numbers, 0, &cpu)) {
		size_t i = 0;

		while (i < fold->slot_count && !(fold->slots[i].kind == SLOT_CPUS &&
						 isst_cpuset_count(fold->slots[i].numbers) == 1 &&
						 isst_cpuset_has(fold->slots[i].numbers, cpu)))
			i++;
		if (i == fold->slot_count && i < SLOTS) {
			fold->slots[fold->slot_count++] = slot;
			return before + digits;
		}
		error = i == fold->slot_count;
	}
	clear_slot(&slot);
	return error ? 0 : before + digits;
}

/** Takes a text apart, but for names that stay; always to be cleared. Returns 0 or -ENOMEM. */
static int take_apart(struct fold *fold, const char *text, enum slot_kind stays, bool step)
{
	struct memory_stream memory;
	bool in_word = false, lost = false;

	*fold = (struct fold){ .count = 1 };
	if (memory_stream_open(&memory) != 0)
		return -ENOMEM;
	while (*text) {
		size_t directory = take_directory(fold, text, &lost), length = 0;
		struct slot slot;

		if (!in_word && directory == 0 && fold->slot_count < SLOTS) {
			length = take_name(&slot, text, step, &lost);
			if (length > 0 && slot.kind != stays) {
				fold->slots[fold->slot_count++] = slot;
			} else {
				clear_slot(&slot);
				length = 0;
			}
		}
		if (directory > 0)
			fputs("/cpu*", memory.stream);
		else
			fputc(length > 0 ? SLOT_MARK : *text, memory.stream);
		in_word = length > 0 || directory > 0 || isalnum((unsigned char)*text);
		text += length + directory > 0 ? length + directory : 1;
	}
	fold->rest = memory_stream_text(&memory);
	return fold->rest && !lost ? 0 : -ENOMEM;
}

/* ---- Joining ---- */

static bool is_same_text(const char *text, const char *other)
{
	return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool is_alike(const struct fold *one, const struct fold *other)
{
	bool alike = one->slot_count == other->slot_count && strcmp(one->rest, other->rest) == 0 &&
		     (!one->entry || one->entry->kind == other->entry->kind);

	for (size_t i = 0; i < STEP_FOLD_TEXTS && alike; i++)
		alike = is_same_text(one->texts.text[i], other->texts.text[i]);
	for (size_t i = 0; i < one->slot_count && alike; i++)
		alike = one->slots[i].kind == other->slots[i].kind &&
			is_same_text(one->slots[i].word, other->slots[i].word) &&
			one->slots[i].in_front == other->slots[i].in_front;
	return alike;
}

/** Adds a fold, or joins it with one that is alike. Returns 1 if joined, 0, or -ENOMEM. */
static int add_fold(struct step_folds *folds, struct fold *fold)
{
	struct fold *all = folds->all, *like = all;
	int error = 0;

	while (like < all + folds->count && !is_alike(like, fold))
		like++;
	if (like < all + folds->count) {
		for (size_t i = 0; i < like->slot_count && !error; i++)
			error = like->slots[i].kind == SLOT_DOMAINS
					? domain_list_join(&like->slots[i].domains,
							   &fold->slots[i].domains)
					: isst_cpuset_add_set(like->slots[i].numbers,
							      fold->slots[i].numbers);
		like->count += fold->count;
		clear_fold(fold);
		return error ? error : 1;
	}
	all = realloc(all, (folds->count + 1) * sizeof(*all));
	if (!all) {
		clear_fold(fold);
		return -ENOMEM;
	}
	folds->all = all;
	all[folds->count++] = *fold;
	return 0;
}

static bool put_slot(const struct slot *slot, const struct domain_list *machine, FILE *stream)
{
	char *names = slot->kind == SLOT_DOMAINS ? domain_list_to_text(&slot->domains, machine)
						 : name_numbers(slot->word, slot->numbers);

	if (!names)
		return false;
	fputs(names, stream);
	free(names);
	return true;
}

/** The text with all names; NULL without memory. */
static char *put_together(const struct fold *fold, const struct domain_list *machine)
{
	const struct slot *slot = fold->slots;
	struct memory_stream memory;
	bool complete = true;

	if (memory_stream_open(&memory) != 0)
		return NULL;
	for (size_t i = 0; i < fold->slot_count && complete; i++)
		if (fold->slots[i].in_front) {
			complete = put_slot(&fold->slots[i], machine, memory.stream);
			fputs(": ", memory.stream);
		}
	for (const char *text = fold->rest; *text && complete; text++) {
		while (*text == SLOT_MARK && slot->in_front)
			slot++;
		if (*text == SLOT_MARK)
			complete = put_slot(slot++, machine, memory.stream);
		else
			fputc(*text, memory.stream);
	}
	if (complete)
		return memory_stream_text(&memory);
	memory_stream_drop(&memory);
	return NULL;
}

/** Lists all domains of a machine. Returns 0 or -ENOMEM; to be cleared in both cases. */
static int list_domains(const struct isst_context *context, struct domain_list *machine)
{
	const struct isst_domain *domain;
	int error = 0;

	for (size_t i = 0; (domain = isst_domain_at(context, i)) != NULL && !error; i++)
		error = domain_list_add_name(machine, isst_domain_name(domain));
	return error;
}

/* ---- Messages ---- */

/** Joins the messages that differ in names of other kinds than the one that stays. */
static void join_messages(struct report *report, const struct domain_list *machine,
			  enum slot_kind stays)
{
	struct report_entry *entry = report_next_message(report, NULL), *next;
	struct step_folds folds = { NULL, 0 };

	for (; entry; entry = next) {
		struct fold fold;

		bool any = false;

		next = report_next_message(report, entry);
		if (take_apart(&fold, entry->message, stays, false) == 0)
			for (size_t i = 0; i < fold.slot_count; i++)
				any |= stays != SLOT_DOMAINS || fold.slots[i].kind == SLOT_CORES;
		if (!any) {
			clear_fold(&fold);
			continue;
		}
		fold.entry = entry;
		fold.texts.text[0] = entry->code;
		if (add_fold(&folds, &fold) > 0)
			report_remove(report, entry);
	}
	for (size_t i = 0; i < folds.count; i++)
		if (folds.all[i].count > 1)
			report_replace_message(report, folds.all[i].entry,
					       put_together(&folds.all[i], machine));
	clear_folds(&folds);
}

void message_folds_apply(struct report *report, const struct isst_context *context)
{
	struct domain_list machine = { .entries = NULL };

	if (list_domains(context, &machine) == 0) {
		join_messages(report, &machine, SLOT_DOMAINS);
		join_messages(report, &machine, SLOT_CORES);
	}
	domain_list_clear(&machine);
}

/* ---- Steps ---- */

static void free_texts(struct step_texts *texts)
{
	for (size_t i = 0; i < STEP_FOLD_TEXTS; i++)
		free((char *)texts->text[i]);
}

void step_folds_clear(struct step_folds *folds)
{
	for (size_t i = 0; i < folds->count; i++)
		free_texts(&folds->all[i].texts);
	clear_folds(folds);
	*folds = (struct step_folds){ NULL, 0 };
}

int step_folds_add(struct step_folds *folds, const char *target, const struct step_texts *texts)
{
	struct fold fold;
	struct step_texts copies = { { NULL } };
	int error = take_apart(&fold, target, SLOT_DOMAINS, true);

	for (size_t i = 0; i < STEP_FOLD_TEXTS && !error; i++) {
		copies.text[i] = texts->text[i] ? strdup(texts->text[i]) : NULL;
		if (texts->text[i] && !copies.text[i])
			error = -ENOMEM;
	}
	fold.texts = copies;
	if (error)
		clear_fold(&fold);
	else
		error = add_fold(folds, &fold);
	if (error)
		free_texts(&copies);
	return error > 0 ? 0 : error;
}

int step_folds_visit(const struct step_folds *folds, const struct isst_context *context,
		     step_folds_visitor visitor, void *data)
{
	struct domain_list machine = { .entries = NULL };
	struct step_folds joined = { NULL, 0 };
	int error = folds->count > 0 ? list_domains(context, &machine) : 0;

	for (size_t i = 0; i < folds->count && error >= 0; i++) {
		const struct fold *fold = &folds->all[i];
		char *target = put_together(fold, &machine);
		struct fold with_domains;

		error = take_apart(&with_domains, target ? target : "", SLOT_CORES, true);
		with_domains.texts = fold->texts;
		/* A step that was added twice is one. */
		for (size_t k = 0; k < fold->slot_count; k++)
			with_domains.count *= (unsigned int)isst_cpuset_count(
				fold->slots[k].numbers);
		if (!target || error) {
			clear_fold(&with_domains);
			error = -ENOMEM;
		} else {
			error = add_fold(&joined, &with_domains);
		}
		free(target);
	}
	for (size_t i = 0; i < joined.count && error >= 0; i++) {
		const struct fold *fold = &joined.all[i];
		char *target = put_together(fold, &machine);
		const struct step_group group = { target, fold->count, fold->texts };

		error = target ? 0 : -ENOMEM;
		if (target)
			visitor(data, &group);
		free(target);
	}
	clear_folds(&joined);
	domain_list_clear(&machine);
	return error > 0 ? 0 : error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the names of domains, cores and CPUs out of each message: messages with the same rest
 * become one, with all of their names. Cores are those of one domain, so that they are joined
 * first, and then domains with the same cores. A CPU's directory in a path goes with its name,
 * which is put in front where the message has none. */
#include "message_folds.h"

#include "../../common/domain_list.h"
#include "../../common/memory_stream.h"
#include "../../common/numbered.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What stands in the rest of a message for a name that was taken out. */
#define SLOT_MARK '\1'

enum { SLOTS = 4 };

enum slot_kind { SLOT_DOMAINS, SLOT_CORES, SLOT_CPUS };

/** One name of a message, or the names at this place of all that are alike. */
struct slot {
	enum slot_kind kind;
	struct domain_list domains;
	struct isst_cpuset *numbers; /* of cores or CPUs */
	bool in_front;		     /* named by a directory alone: no mark in the rest */
};

struct fold {
	struct report_entry *entry; /* the first message of these */
	unsigned int messages;
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

/* ---- Taking a message apart ---- */

static size_t list_length(const char *text)
{
	size_t length = isdigit((unsigned char)*text) ? strspn(text, "0123456789,-") : 0;

	while (length > 0 && !isdigit((unsigned char)text[length - 1]))
		length--;
	return length;
}

static int add_numbers(struct slot *slot, const char *text, size_t length)
{
	char *list = strndup(text, length);
	int error;

	slot->numbers = isst_cpuset_new();
	error = list && slot->numbers ? isst_cpuset_add_list(slot->numbers, list, NULL) : -1;
	free(list);
	return error;
}

/** Numbers behind a word; the length of both, 0: there is none. */
static size_t numbers_length(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0 || list_length(text + length) == 0)
		return 0;
	return length + list_length(text + length);
}

/** Takes a name that a text begins with. Returns its length; 0: it does not begin with any. */
static size_t take_name(struct slot *slot, const char *text)
{
	static const struct {
		const char *word;
		enum slot_kind kind;
	} words[] = { { "core ", SLOT_CORES }, { "CPU ", SLOT_CPUS }, { "CPUs ", SLOT_CPUS } };
	size_t length = domain_list_name_length(text);

	*slot = (struct slot){ .kind = SLOT_DOMAINS };
	if (length > 0)
		return domain_list_add_name(&slot->domains, text) == 0 ? length : 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t before = strlen(words[i].word);

		length = numbers_length(text, words[i].word);
		slot->kind = words[i].kind;
		if (length > 0)
			return add_numbers(slot, text + before, length - before) == 0 ? length : 0;
	}
	return 0;
}

/** Takes a name that stands next in a message, if it does, and is not of the kind that stays.
 * Returns its length, or 0. */
static size_t take_slot(struct fold *fold, const char *text, enum slot_kind stays)
{
	struct slot slot;
	size_t length = fold->slot_count < SLOTS ? take_name(&slot, text) : 0;

	if (length > 0 && slot.kind == stays) {
		clear_slot(&slot);
		return 0;
	}
	if (length > 0)
		fold->slots[fold->slot_count++] = slot;
	else if (fold->slot_count < SLOTS)
		clear_slot(&slot);
	return length;
}

/** Whether a name that was taken is that of a CPU, and of no other. */
static bool is_taken(const struct fold *fold, unsigned int cpu)
{
	for (size_t i = 0; i < fold->slot_count; i++)
		if (fold->slots[i].kind == SLOT_CPUS &&
		    isst_cpuset_count(fold->slots[i].numbers) == 1 &&
		    isst_cpuset_has(fold->slots[i].numbers, cpu))
			return true;
	return false;
}

/** Takes the directory of a CPU, as in the path of a file of it, that a text begins with. Returns
 * its length, or 0. */
static size_t take_directory(struct fold *fold, const char *text)
{
	static const char DIRECTORY[] = "/cpu";
	size_t before = sizeof(DIRECTORY) - 1, digits;
	struct slot slot = { .kind = SLOT_CPUS, .in_front = true };
	unsigned int cpu = 0;
	bool taken;

	if (strncmp(text, DIRECTORY, before) != 0)
		return 0;
	digits = strspn(text + before, "0123456789");
	if (digits == 0 || text[before + digits] != '/')
		return 0;
	if (add_numbers(&slot, text + before, digits) == 0)
		isst_cpuset_next(slot.numbers, 0, &cpu);
	taken = is_taken(fold, cpu);
	if (!taken && isst_cpuset_has(slot.numbers, cpu) && fold->slot_count < SLOTS) {
		fold->slots[fold->slot_count++] = slot;
		return before + digits;
	}
	clear_slot(&slot);
	return taken ? before + digits : 0;
}

/** Fills a fold with one message, in whose rest names of one kind stay; it is to be cleared in any
 * case. Returns whether it was. */
static bool take_apart(struct fold *fold, struct report_entry *entry, enum slot_kind stays)
{
	const char *text = entry->message;
	struct memory_stream memory;
	bool in_word = false;

	*fold = (struct fold){ .entry = entry, .messages = 1 };
	if (memory_stream_open(&memory) != 0)
		return false;
	while (*text) {
		size_t directory = take_directory(fold, text);
		size_t length = in_word || directory > 0 ? 0 : take_slot(fold, text, stays);

		if (directory > 0)
			fputs("/cpu*", memory.stream);
		else
			fputc(length > 0 ? SLOT_MARK : *text, memory.stream);
		in_word = length > 0 || directory > 0 || isalnum((unsigned char)*text);
		text += length + directory > 0 ? length + directory : 1;
	}
	fold->rest = memory_stream_text(&memory);
	return fold->rest;
}

/* ---- Joining messages ---- */

static bool has_slot(const struct fold *fold, enum slot_kind kind)
{
	for (size_t i = 0; i < fold->slot_count; i++)
		if (fold->slots[i].kind == kind)
			return true;
	return false;
}

static bool is_alike(const struct fold *one, const struct fold *other)
{
	const char *code = one->entry->code, *other_code = other->entry->code;
	bool alike = one->entry->kind == other->entry->kind &&
		     (code && other_code ? strcmp(code, other_code) == 0 : code == other_code) &&
		     one->slot_count == other->slot_count && strcmp(one->rest, other->rest) == 0;

	for (size_t i = 0; i < one->slot_count && alike; i++)
		alike = one->slots[i].kind == other->slots[i].kind &&
			one->slots[i].in_front == other->slots[i].in_front;
	return alike;
}

/** Adds the names of a message to those of others. Returns whether there was memory. */
static bool join(struct fold *fold, const struct fold *message)
{
	int error = 0;

	for (size_t i = 0; i < fold->slot_count && !error; i++)
		error = fold->slots[i].kind == SLOT_DOMAINS
				? domain_list_join(&fold->slots[i].domains,
						   &message->slots[i].domains)
				: isst_cpuset_add_set(fold->slots[i].numbers,
						      message->slots[i].numbers);
	fold->messages++;
	return !error;
}

static bool put_slot(const struct slot *slot, const struct domain_list *machine, FILE *stream)
{
	char *names = slot->kind == SLOT_DOMAINS
			      ? domain_list_to_text(&slot->domains, machine)
			      : name_numbers(slot->kind == SLOT_CORES ? "core" : "CPU",
					     slot->numbers);

	if (!names)
		return false;
	fputs(names, stream);
	free(names);
	return true;
}

/** The message with all names; NULL without memory. */
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

/* ---- All messages ---- */

struct folds {
	struct fold *folds;
	size_t count;
};

/** Joins a message with those like it. Returns whether there is one. */
static bool join_message(struct folds *folds, const struct fold *message)
{
	for (size_t i = 0; i < folds->count; i++)
		if (is_alike(&folds->folds[i], message))
			return join(&folds->folds[i], message);
	return false;
}

/** Takes in one message, if it names what is joined. Returns whether its names are in another one
 * now. */
static bool add_message(struct folds *folds, struct report_entry *entry, enum slot_kind stays)
{
	struct fold fold, *grown;
	bool joined;

	if (!take_apart(&fold, entry, stays) || fold.slot_count == 0 ||
	    (stays == SLOT_DOMAINS && !has_slot(&fold, SLOT_CORES))) {
		clear_fold(&fold);
		return false;
	}
	joined = join_message(folds, &fold);
	grown = joined ? NULL : realloc(folds->folds, (folds->count + 1) * sizeof(*grown));
	if (!grown) {
		clear_fold(&fold);
		return joined;
	}
	folds->folds = grown;
	grown[folds->count++] = fold;
	return false;
}

/** Joins the messages that differ in names of other kinds than the one that stays. */
static void join_messages(struct report *report, const struct domain_list *machine,
			  enum slot_kind stays)
{
	struct folds folds = { NULL, 0 };
	struct report_entry *entry = report_next_message(report, NULL), *next;

	for (; entry; entry = next) {
		next = report_next_message(report, entry);
		if (add_message(&folds, entry, stays))
			report_remove(report, entry);
	}
	for (size_t i = 0; i < folds.count; i++) {
		struct fold *fold = &folds.folds[i];

		if (fold->messages > 1)
			report_replace_message(report, fold->entry, put_together(fold, machine));
		clear_fold(fold);
	}
	free(folds.folds);
}

int list_domains(const struct isst_context *context, struct domain_list *machine)
{
	const struct isst_domain *domain;
	int error = 0;

	for (size_t i = 0; (domain = isst_domain_at(context, i)) != NULL && !error; i++)
		error = domain_list_add_name(machine, isst_domain_name(domain));
	return error;
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

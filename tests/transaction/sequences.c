/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random sequences of changes, kills, recoveries, hotplug and what other processes write, compared
 * with a model: the machine is as the last change that was completed left it, with what others
 * wrote since.
 *
 * ISST_SEQUENCES: how many of each platform, in place of a few; ISST_SEED: the first one.
 */
#include "support/snapshot.h"
#include "transaction/support/chance.h"
#include "transaction/support/foreign.h"
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPERATIONS = 6 };

/* ---- What was done, for who reads of a failure ---- */

struct story {
	const struct machine *machine;
	unsigned long seed;
	char *text;
};

__attribute__((format(printf, 2, 3))) static void note(struct story *story, const char *format, ...)
{
	char *what, *longer;

	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&what, format, arguments) >= 0);
	va_end(arguments);
	longer = formatted("%s%s\n", story->text, what);
	free(story->text);
	free(what);
	story->text = longer;
}

static void check_model(const struct story *story, const char *model)
{
	autofree char *now = machine_picture(story->machine);

	if (strcmp(now, model) != 0)
		fail_msg("%s, ISST_SEED=%lu: the machine differs from the model:\n%s\nafter:\n%s",
			 story->machine->name, story->seed, snapshot_difference(model, now),
			 story->text);
}

static bool differs(const struct machine *machine, const char *picture)
{
	autofree char *now = machine_picture(machine);
	bool other = strcmp(now, picture) != 0;

	return other;
}

/* ---- Operations, each of which leaves the machine as the model that it returns ---- */

static const struct request *some_request(void)
{
	size_t count = 0;

	while (REQUESTS[count].name)
		count++;
	return &REQUESTS[any_of(count)];
}

/** Made to its end: done, or refused and nothing changed; asked for once more it is there. */
static char *complete(struct story *story, char *model)
{
	const struct request *request = some_request();
	const struct outcome *outcome;
	int error;

	note(story, "%s", request->name);
	outcome = machine_make(story->machine, request, NULL);
	error = outcome_error(outcome);
	if (error)
		note(story, "  refused: %s", outcome->message);
	if (!error && outcome->here) {
		free(model);
		model = machine_picture(story->machine);
	}
	check_model(story, model);
	return model;
}

/** A child that is killed right after its k-th change; with no request it only recovers. */
static bool run_and_kill(const struct machine *machine, const struct request *request,
			 unsigned int k)
{
	pid_t child;
	int status;

	machine_faults(machine, "change any after %u times 1 signal KILL", k - 1);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (request)
			machine_make(machine, request, NULL);
		else
			machine_look(machine);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	machine_faults(machine, "%s", "");
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/** The next run, which recovers. Returns whether it left that to be decided. */
static bool recovery_stops(struct story *story)
{
	struct isst_context *context = machine_lock(story->machine);
	bool stops;

	stops = isst_discover(context) != 0;
	if (stops && !strstr(isst_error(context), "isst journal apply"))
		fail_msg("%s, ISST_SEED=%lu: the next run fails: %s\nafter:\n%s",
			 story->machine->name, story->seed, isst_error(context), story->text);
	if (stops)
		note(story, "  left to be decided: %s", isst_error(context));
	isst_close(context);
	return stops;
}

static void apply(struct story *story)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(story->machine);
	freed_by(isst_journal_free) struct isst_journal *journal = NULL;

	note(story, "  journal apply");
	isst_journal_keep(context);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_journal_open(context, 0, &journal), 0);
	assert_non_null(journal);
	if (isst_journal_apply(journal, 0))
		fail_msg("%s, ISST_SEED=%lu: %s\nafter:\n%s", story->machine->name, story->seed,
			 isst_error(context), story->text);
}

/** How many changes a request makes on the machine as it is now, which it stays. */
static unsigned int count_changes(const struct machine *machine, const struct request *request,
				  const struct moment *before)
{
	const struct making making = { .seam = &seam_counting };
	const struct outcome *outcome;
	unsigned int changes;

	outcome = machine_make(machine, request, &making);
	changes = outcome_error(outcome) || !outcome->here ? 0 : outcome->counts.changes;
	moment_return(before);
	return changes;
}

/** Some request is killed in the middle. Returns whether there was one that could be. */
static bool kill_some(struct story *story, const struct moment *before)
{
	const struct request *request = some_request();
	unsigned int changes = count_changes(story->machine, request, before), k;

	if (changes == 0)
		return false;
	k = 1 + any_of(changes);
	note(story, "%s, killed after change %u of %u", request->name, k, changes);
	if (!run_and_kill(story->machine, request, k))
		fail_msg("%s, ISST_SEED=%lu: not killed\nafter:\n%s", story->machine->name,
			 story->seed, story->text);
	return true;
}

/** Killed, and recovered from: as before. */
static char *die(struct story *story, char *model)
{
	struct moment before = moment_take(story->machine);

	if (kill_some(story, &before)) {
		if (recovery_stops(story))
			fail_msg("%s, ISST_SEED=%lu: no other process wrote\nafter:\n%s",
				 story->machine->name, story->seed, story->text);
		check_model(story, model);
	}
	moment_clear(&before);
	return model;
}

/** Killed, and so is the run that recovers. */
static char *die_twice(struct story *story, char *model)
{
	struct moment before = moment_take(story->machine);

	if (kill_some(story, &before)) {
		unsigned int k = 1 + any_of(4);

		note(story, "  the recovery is killed after its change %u", k);
		(void)run_and_kill(story->machine, request_find("level 0"), k);
		if (recovery_stops(story))
			apply(story);
		/* It may have come to make its own request. */
		machine_try(story->machine, "level 0");
		moment_return(&before);
	}
	moment_clear(&before);
	return model;
}

/** Killed, and then another process writes something: that stays, unless it is reported and then
 * rolled back by who decides so. */
static char *die_among_others(struct story *story, char *model)
{
	struct moment before = moment_take(story->machine);
	struct foreign foreign;

	if (foreign_choose_limit(story->machine, &foreign)) {
		char *wanted = NULL;

		/* What it alone would make of the machine. */
		if (foreign_write(story->machine, &foreign))
			wanted = machine_picture(story->machine);
		moment_return(&before);
		if (wanted && kill_some(story, &before)) {
			note(story, "  another process: %s = %.*s", foreign.path,
			     (int)strcspn(foreign.value, "\n"), foreign.value);
			if (!foreign_write(story->machine, &foreign)) {
				/* The CPU was gone by then. */
				note(story, "  which was refused");
				free(wanted);
				wanted = strdup(model);
			}
			autofree char *found = machine_picture(story->machine);
			if (recovery_stops(story)) {
				check_model(story, found);
				apply(story);
				if (differs(story->machine, model))
					check_model(story, wanted);
			} else {
				check_model(story, wanted);
			}
			free(model);
			model = machine_picture(story->machine);
		}
		free(wanted);
		free(foreign.path);
	}
	moment_clear(&before);
	return model;
}

/** What others write while nothing is at work. */
static char *others(struct story *story, char *model)
{
	struct foreign foreign;

	if (any_of(2) ? foreign_choose_limit(story->machine, &foreign)
		      : foreign_choose_cpu(story->machine, &foreign)) {
		note(story, "another process: %s = %.*s", foreign.path,
		     (int)strcspn(foreign.value, "\n"), foreign.value);
		(void)foreign_write(story->machine, &foreign);
		free(foreign.path);
	}
	free(model);
	return machine_picture(story->machine);
}

/* ---- Sequences ---- */

static char *(*const OPERATION[])(struct story *story, char *model) = {
	complete, complete, die, die, die_among_others, die_among_others, die_twice, others,
};

static void run_sequence(const struct machine *machine, unsigned long seed)
{
	struct story story = { machine, seed, strdup("") };
	char *model;

	chance_begin(seed);
	assert_true(machine_restart(machine, NULL));
	model = machine_picture(machine);
	for (unsigned int i = 0; i < OPERATIONS; i++)
		model = OPERATION[any_of(COUNT(OPERATION))](&story, model);
	free(model);
	free(story.text);
}

TEST_ON(sequences_end_as_in_the_model, "tests/tiny", "tests/tpmi-tiny", "tests/multi-die", "guide",
	"graniterapids-unlocked")
{
	bool small = strncmp(*state, "tests/", 6) == 0;
	unsigned long first = number_of("ISST_SEED", 1);
	unsigned long count = number_of("ISST_SEQUENCES", small ? 8 : 1);

	automachine struct machine machine = machine_begin(*state);
	for (unsigned long seed = first; seed < first + count; seed++)
		run_sequence(&machine, seed);
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}

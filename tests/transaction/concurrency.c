/* SPDX-License-Identifier: BSD-3-Clause */
/* Several processes that change one machine at the same time, and their lock. */
#include "transaction/support/loops.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8 };

/** Requests that write the same items, each of them differently; so the last one is what counts. */
static const char *const CONFLICTING[MOST] = {
	"turbo-freq enable auto",
	"turbo-freq enable auto cpus",
	"association",
	"clos",
	"level 0",
	"turbo ratio limits",
	"level 1",
	"turbo-freq disable auto",
};

static pid_t start(const struct machine *machine, const char *name, const int *gate)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		const struct outcome *outcome;
		char byte;
		bool refused;

		/* All begin together. */
		if (close(gate[1]) || read(gate[0], &byte, 1) < 0)
			_exit(9);
		outcome = machine_try(machine, name);
		/* Turbo-freq is not to be had at every level that another run may have chosen. */
		refused = outcome->refusals && *outcome->refusals;
		_exit(outcome_error(outcome) && !refused ? 1 : 0);
	}
	return child;
}

/** Makes requests at the same time. */
static void race(const struct machine *machine, const char *const *names, size_t count)
{
	pid_t children[MOST];
	int gate[2];

	assert_int_equal(pipe(gate), 0);
	for (size_t i = 0; i < count; i++)
		children[i] = start(machine, names[i], gate);
	assert_int_equal(close(gate[1]), 0);
	assert_int_equal(close(gate[0]), 0);
	for (size_t i = 0; i < count; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		if (status)
			fail_msg("%s: %s ended with 0x%x", machine->name, names[i],
				 (unsigned int)status);
	}
}

MACHINE_TEST(two_runs_end_in_the_result_of_one_order, "guide", "tests/tpmi-tiny",
	     "graniterapids-unlocked")
{
	static const char *const PAIRS[][2] = {
		{ "level 1 online", "turbo-freq enable auto cpus" },
		{ "turbo-freq enable auto", "turbo-freq enable auto cpus" },
		{ "association", "base-freq enable auto" },
		{ "level 1", "level 2" },
	};

	for (size_t i = 0; i < COUNT(PAIRS); i++) {
		char *orders[2], *now;

		for (size_t j = 0; j < 2; j++) {
			machine_restart(machine, PAIRS[i][j]);
			machine_prepare(machine, PAIRS[i][1 - j]);
			orders[j] = machine_picture(machine);
		}
		machine_restart(machine, NULL);
		race(machine, PAIRS[i], 2);
		now = machine_picture(machine);
		if (strcmp(now, orders[0]) != 0 && strcmp(now, orders[1]) != 0)
			fail_msg("%s: %s and %s at once left a mixture", machine->name, PAIRS[i][0],
				 PAIRS[i][1]);
		free(now);
		free(orders[0]);
		free(orders[1]);
	}
}

/** Every run puts all cores into a CLOS of its own: afterwards they are all in the same one. */
MACHINE_TEST(eight_runs_leave_no_mixture, "tests/tpmi-tiny", "graniterapids-2s128c", "guide",
	     "icelake-2s40c")
{
	static const char *const CLOS_COUNT[] = { "association", "association 0", "association 1",
						  "association 3" };
	const char *names[MOST];
	char *results[COUNT(CLOS_COUNT)], *now;
	bool found = false;

	for (size_t i = 0; i < COUNT(CLOS_COUNT); i++) {
		machine_restart(machine, CLOS_COUNT[i]);
		results[i] = machine_picture(machine);
	}
	for (size_t i = 0; i < MOST; i++)
		names[i] = CLOS_COUNT[i % COUNT(CLOS_COUNT)];
	machine_restart(machine, NULL);
	race(machine, names, MOST);
	now = machine_picture(machine);
	for (size_t i = 0; i < COUNT(CLOS_COUNT); i++) {
		found |= strcmp(now, results[i]) == 0;
		free(results[i]);
	}
	assert_true(found);
	free(now);
}

MACHINE_TEST(eight_different_runs_all_end_well, "tests/tpmi-tiny", "graniterapids-2s128c", "guide")
{
	race(machine, CONFLICTING, MOST);
}

/* ---- The lock ---- */

MACHINE_TEST(no_other_run_gets_the_lock_and_the_holder_is_named, "tests/tiny")
{
	struct isst_context *holder;
	const struct outcome *outcome;
	char name[40];

	holder = machine_lock(machine);
	outcome = machine_make(machine, request_find("level 1"), &(struct making){ .lock_ms = 50 });
	assert_int_equal(outcome->lock, -EBUSY);
	snprintf(name, sizeof(name), "process %d", getpid());
	check_holds(outcome->message, name);
	isst_close(holder);
	outcome = machine_make(machine, request_find("level 1"), &(struct making){ .lock_ms = 1 });
	assert_int_equal(outcome_error(outcome), 0);
}

MACHINE_TEST(the_lock_ends_with_its_process, "tests/tiny")
{
	const struct outcome *outcome;
	pid_t child;
	int status;

	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct isst_options options = { .machine = machine_open(machine) };
		struct isst_context *context;

		if (isst_open(&options, &context) || isst_lock(context, 0, 0))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	outcome = machine_make(machine, request_find("level 1"), &(struct making){ .lock_ms = 1 });
	assert_int_equal(outcome_error(outcome), 0);
}

MACHINE_TEST(E12_the_lock_can_be_opened_by_its_owner_only, "tests/tiny")
{
	freed_by(isst_close) struct isst_context *holder = NULL;
	struct stat status;

	autofree char *path = formatted("%s/run/lock", machine->state);
	holder = machine_lock(machine);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
}

MACHINE_TEST(a_change_needs_the_lock, "tests/tiny")
{
	struct isst_options options = { 0 };
	const struct isst_change_options change_options = { 0 };
	freed_by(isst_close) struct isst_context *context = NULL;
	struct isst_change *change;

	options.machine = machine_open(machine);
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_change_new(context, &change_options, &change), -EINVAL);
	assert_int_equal(isst_lock(context, 0, 0), 0);
	/* What was discovered before may be another by now. */
	assert_int_equal(isst_change_new(context, &change_options, &change), -EINVAL);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_change_new(context, &change_options, &change), 0);
	isst_change_free(change);
}

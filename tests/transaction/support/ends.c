/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that end in the middle: interrupted, or killed, immediately after one of their changes. */
#include "transaction/support/ends.h"
#include "support/snapshot.h"

#include <unistd.h>

/* ---- Signals that a program catches ---- */

static bool interrupted_now;

static void interrupt_now(void)
{
	interrupted_now = true;
}

static int is_interrupted(void *data)
{
	(void)data;
	return interrupted_now;
}

/** Whether no other step comes behind change @k. */
static bool in_last_step(const struct course *course, unsigned int k)
{
	const char *kind = course->kinds[k - 1];

	for (; k < course->changes; k++)
		if (strcmp(course->kinds[k], kind) != 0 &&
		    !(strstr(kind, "/sys/fs/cgroup") && strstr(course->kinds[k], "/sys/fs/cgroup")))
			return false;
	return true;
}

static void interrupt_after(const struct machine *machine, const struct request *request,
			    const struct course *course, unsigned int k)
{
	const struct seam_plan plan = { .after_change = k, .then = interrupt_now };
	const struct making making = { .seam = &plan, .interrupted = is_interrupted };
	const struct outcome *outcome;

	interrupted_now = false;
	outcome = machine_make(machine, request, &making);
	if (!interrupted_now)
		fail_msg("%s, %s: change %u of %u was not made", machine->name, request->name, k,
			 course->changes);
	if (outcome_error(outcome) == 0) {
		/* Nothing was left to be interrupted. */
		if (!in_last_step(course, k))
			fail_msg("%s, %s: interrupted after change %u of %u, it went on",
				 machine->name, request->name, k, course->changes);
		machine_check(machine, course->after, "%s, interrupted after the last step",
			      request->name);
		moment_return(&course->before);
	} else {
		if (k == course->changes)
			fail_msg("%s, %s: interrupted after the last change, it was rolled back",
				 machine->name, request->name);
		assert_int_equal(outcome_error(outcome), -EINTR);
		moment_check(machine, &course->before, "%s, interrupted after change %u of %u",
			     request->name, k, course->changes);
		assert_null(machine_text(machine, "run/journal"));
		course_forget_offline(machine, course);
	}
}

static void interrupt_chosen(const struct machine *machine, const struct request *request,
			     const struct course *course, course_choice chosen)
{
	for (unsigned int k = 1; k <= course->changes; k++)
		if (chosen(course, k))
			interrupt_after(machine, request, course, k);
}

void every_interruption(void **state)
{
	for_each_request(*state, true, interrupt_chosen, course_all);
}

/* ---- SIGKILL ---- */

static void kill_chosen(const struct machine *machine, const struct request *request,
			const struct course *course, course_choice chosen)
{
	for (unsigned int k = 1; k <= course->changes; k++) {
		if (!chosen(course, k))
			continue;
		machine_kill_after(machine, request, NULL, k);
		course_check_recovery(machine, request, course, k,
				      "rolled back the incomplete change");
	}
}

void every_kill(void **state)
{
	for_each_request(*state, true, kill_chosen, course_all);
}

/* ---- SIGKILL, and then another process changes something ---- */

/** Another process does not look at the journal. */
static void change_meanwhile(const struct machine *machine, const char *name)
{
	char *journal = machine_text(machine, "run/journal"), *path, *away;

	path = formatted("%s/run/journal", machine->state);
	away = formatted("%s.away", path);
	if (journal)
		assert_int_equal(rename(path, away), 0);
	machine_try(machine, name);
	if (journal)
		assert_int_equal(rename(away, path), 0);
	free(journal);
	free(path);
	free(away);
}

/** What holds values that are written, not what follows from them: a level moves limits of CPUs
 * that the killed run wrote. */
static bool is_written(const char *line, const char *other)
{
	return strncmp(line, "domain ", strlen("domain ")) == 0 ||
	       (strncmp(other, "level ", strlen("level ")) != 0 &&
		strstr(line, "/cpufreq/scaling_m"));
}

/** Whether what @there contains, and @before does not, is in @now, unless it disappeared with its
 * CPU. */
static bool keeps_what_came(const char *before, const char *there, const char *now,
			    const char *other)
{
	char *copy = strdup(there), *rest = copy, *line;
	bool kept = true;

	assert_non_null(copy);
	while ((line = strsep(&rest, "\n"))) {
		char *value = strstr(line, ": ");

		if (!is_written(line, other) || !value || strstr(before, line) || strstr(now, line))
			continue;
		value[1] = '\0';
		if (strstr(now, line)) {
			print_message("lost: %s %s\n", line, value + 2);
			kept = false;
		}
	}
	free(copy);
	return kept;
}

static void kill_and_change(const struct machine *machine, const struct request *request,
			    unsigned int k, const char *other)
{
	struct isst_context *context;

	machine_kill_after(machine, request, NULL, k);
	autofree char *killed = machine_picture(machine);
	change_meanwhile(machine, other);
	autofree char *changed = machine_picture(machine);
	context = machine_lock(machine);
	if (isst_discover(context))
		check_holds(isst_error(context), "isst journal apply");
	isst_close(context);
	autofree char *recovered = machine_picture(machine);
	if (!keeps_what_came(killed, changed, recovered, other))
		fail_msg("%s, %s killed after change %u, then %s: the recovery took it back:\n%s",
			 machine->name, request->name, k, other,
			 snapshot_difference(changed, recovered));
}

/** What another process wrote between the kill and the recovery stays. */
static void kill_and_change_all(const struct machine *machine, const struct request *request,
				const struct course *course, course_choice chosen)
{
	static const char *const OTHERS[] = { "clos",
					      "association",
					      "turbo ratio limits",
					      "core-power enable ordered",
					      "turbo-mode disable",
					      "level 1",
					      "base-freq enable" };

	for (unsigned int k = 1; k <= course->changes; k++)
		for (size_t i = 0; chosen(course, k) && i < COUNT(OTHERS); i++) {
			if (!suite_is_large() && i != (k + strlen(request->name)) % COUNT(OTHERS))
				continue;
			/* Two processes that write the same value cannot be distinguished. */
			if (strstr(request->name, OTHERS[i]) ||
			    (request->before && strstr(request->before, OTHERS[i])))
				continue;
			kill_and_change(machine, request, k, OTHERS[i]);
			moment_return(&course->before);
		}
}

void every_change_after_a_kill(void **state)
{
	for_each_request(*state, false, kill_and_change_all, course_middle_of_kind);
}

/* ---- Both, on large machines ---- */

/** Requests that differ from another one in a number only are left to the small ones. */
static void interrupt_and_kill(const struct machine *machine, const struct request *request,
			       const struct course *course, course_choice chosen)
{
	interrupt_chosen(machine, request, course, chosen);
	kill_chosen(machine, request, course, chosen);
}

void sampled_ends(void **state)
{
	for_each_request(*state, false, interrupt_and_kill, course_sample_kind);
}

void few_ends(void **state)
{
	for_each_request(*state, false, interrupt_and_kill, course_middle_of_kind);
}

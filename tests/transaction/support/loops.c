/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops in which each operation fails in turn. */
#include "transaction/support/loops.h"
#include "support/snapshot.h"
#include "transaction/support/differences.h"

#include <limits.h>

/** What an operation fails with, in turn; mailboxes are busy until their tries are used up. */
static const int ERRORS[] = { -EIO, -ENXIO, -EBUSY };
/** With ENXIO the firmware also reports missing support, which need not be a failure. */
static const int READ_ERRORS[] = { -EIO, -EBUSY };

/* ---- Requests and their courses ---- */

/** Requests that the firmware refuses unpredictably (tpmi.c tests these separately). */
static bool is_refused(const struct machine *machine, const struct request *request)
{
	return strcmp(machine->name, "tests/tpmi-tiny") == 0 && request->level == 3;
}

bool course_run(const struct machine *machine, const struct request *request, struct course *course)
{
	const struct making making = { .seam = &seam_counting };
	struct outcome *outcome;
	bool here = machine_restart(machine, request->before);

	*course = (struct course){ 0 };
	if (!here || is_refused(machine, request))
		return false;
	course->before = moment_take(machine);
	outcome = machine_make(machine, request, &making);
	here = outcome->here;
	if (here && outcome_error(outcome))
		fail_msg("%s, %s: %s", machine->name, request->name, outcome->message);
	course->after = machine_picture(machine);
	course->changes = outcome->counts.changes;
	course->reads = outcome->counts.reads;
	course->kinds = outcome->counts.kinds;
	outcome->counts.kinds = NULL;
	moment_return(&course->before);
	moment_check(machine, &course->before, "%s: the restored machine", request->name);
	machine_look(machine);
	course->cache = machine_text(machine, "run/topology");
	moment_return(&course->before);
	if (!here)
		course_clear(course);
	return here;
}

void for_each_request(const char *platform, bool variants, request_test test, course_choice chosen)
{
	/* To look at one of them alone. */
	const char *only = getenv("ISST_REQUEST");
	unsigned int count = 0;

	automachine struct machine machine = machine_begin(platform);
	for (const struct request *request = REQUESTS; request->name; request++) {
		struct course course;

		if ((only ? strcmp(only, request->name) != 0 : request->variant && !variants) ||
		    !course_run(&machine, request, &course))
			continue;
		test(&machine, request, &course, chosen);
		course_clear(&course);
		count++;
	}
	assert_true(count > 0 || only);
}

void course_clear(struct course *course)
{
	for (unsigned int i = 0; course->kinds && course->kinds[i]; i++)
		free(course->kinds[i]);
	free(course->kinds);
	moment_clear(&course->before);
	free(course->after);
	free(course->cache);
}

/** Where change @k stands among those of its kind, from 1 on, and how many there are. */
static unsigned int place_in_kind(const struct course *course, unsigned int k, unsigned int *count)
{
	unsigned int place = 0;

	*count = 0;
	for (unsigned int i = 1; i <= course->changes; i++)
		if (strcmp(course->kinds[i - 1], course->kinds[k - 1]) == 0) {
			++*count;
			place += i <= k;
		}
	return place;
}

/** Builds in which everything is slow take fewer samples; `make check` takes all. */
static bool is_coarse(void)
{
	return getenv("ISST_COARSE") != NULL;
}

bool course_sample(const struct course *course, unsigned int k)
{
	const char *kind = course->kinds[k - 1];
	unsigned int first = k, last = k;

	if (is_coarse())
		return course_middle_of_kind(course, k);
	while (first > 1 && strcmp(course->kinds[first - 2], kind) == 0)
		first--;
	while (last < course->changes && strcmp(course->kinds[last], kind) == 0)
		last++;
	return k == first || k == last || k == (first + last) / 2;
}

bool course_sample_kind(const struct course *course, unsigned int k)
{
	unsigned int count, place = place_in_kind(course, k, &count);

	if (is_coarse())
		return course_middle_of_kind(course, k);
	return place == 1 || place == count || place == (count + 1) / 2;
}

bool course_middle_of_kind(const struct course *course, unsigned int k)
{
	unsigned int count, place = place_in_kind(course, k, &count);

	return place == (count + 1) / 2;
}

bool course_all(const struct course *course, unsigned int k)
{
	(void)course;
	(void)k;
	return true;
}

/* CPUs that were offline ever since are remembered once they were seen, and brought online no more:
 * without that the course would not be the one that was run at first. */
void course_forget_offline(const struct machine *machine, const struct course *course)
{
	autofree char *cache = machine_text(machine, "run/topology");

	if (cache && course->cache && strcmp(cache, course->cache) != 0)
		moment_return(&course->before);
}

void course_check_recovery(const struct machine *machine, const struct request *request,
			   const struct course *course, unsigned int k, const char *notice)
{
	autofree char *journal = machine_text(machine, "run/journal");
	struct isst_context *context = machine_lock(machine);
	const struct isst_message *text = NULL;

	if (isst_discover(context))
		fail_msg("%s, %s, killed after change %u: the next run reports: %s", machine->name,
			 request->name, k, isst_error(context));
	for (size_t i = 0;
	     (text = isst_notice_at(context, i)) && !strstr(isst_message_text(text), notice);)
		i++;
	/* Without a journal only what is there was written, to see whether the kernel takes it. */
	if (journal && !text)
		fail_msg("%s, %s, killed after change %u: no notice reports '%s'", machine->name,
			 request->name, k, notice);
	isst_close(context);
	moment_check(machine, &course->before, "%s, killed after change %u", request->name, k);
	machine_check_no_journal(machine, request->name);
	/* Nothing of it matters to the next run but what CPUs it remembers. */
	course_forget_offline(machine, course);
}

/* ---- Failures ---- */

static void check_clean(const struct machine *machine, const struct course *course,
			const struct request *request, const char *what, unsigned int k,
			const struct outcome *outcome)
{
	char *journal = machine_text(machine, "run/journal");

	moment_check(machine, &course->before, "%s: %s %u of %u (%s) failed", request->name, what,
		     k, course->changes, outcome->counts.target);
	if (journal)
		fail_msg("%s, %s: %s %u failed and left a journal", machine->name, request->name,
			 what, k);
}

/** A failure that the request survives, since there is another way, is none: `root` in place of
 * `isolated`, hotplug in place of partitions. */
static bool found_another_way(const struct request *request, const struct outcome *outcome)
{
	return (request->partitions || request->partition_for_cpu0) && outcome->counts.target &&
	       strstr(outcome->counts.target, "/sys/fs/cgroup/");
}

/**
 * A failure of a power domain without CPUs leaves that one out; where it is not known to be without
 * CPUs, that or the change fails. Returns what lines of a picture
 * that are about it begin with (`domain 2 `), to be freed; NULL where it is another failure.
 */
static char *find_spared(const struct outcome *outcome)
{
	const char *place = outcome->counts.target ? strstr(outcome->counts.target, " of ") : NULL,
		   *line;
	char *spared = NULL;

	if (!place || !strchr(place, ',') || (outcome->cpus_unknown && outcome_error(outcome)))
		return NULL;
	autofree char *name = formatted("%.*s, ", (int)strcspn(place, ","), place);
	line = strstr(outcome->without_cpus, name);
	if (line) {
		line += strlen(name);
		spared = strndup(line, strcspn(line, "\n"));
	}
	return spared;
}

/** The machine is as the request makes it, but for the domain that was left out; and that was
 * said. */
static void check_spared(const struct machine *machine, const struct request *request,
			 const struct course *course, const struct outcome *outcome,
			 const char *spared)
{
	char *now = machine_picture(machine), *name;
	unsigned int package, domain;

	machine_check_without(machine, course->after, now, spared, request->name);
	assert_int_equal(
		sscanf(strstr(outcome->counts.target, " of "), " of %u.%u", &package, &domain), 2);
	name = formatted("package %u, power domain %u: ", package, domain);
	if (strcmp(now, course->after) != 0 && !strstr(outcome->warnings, name) &&
	    !strstr(outcome->refusals, name))
		fail_msg("%s, %s: %s failed, and no message reports it", machine->name,
			 request->name, outcome->counts.target);
	free(now);
	free(name);
}

/** Turbo ratio limits are what turbo-freq does without, where they cannot be written. */
static bool did_without_limits(const struct outcome *outcome)
{
	return strstr(outcome->counts.target, "msr 0x1ad") &&
	       strstr(outcome->warnings, "left unchanged");
}

static void fail_change(const struct machine *machine, const struct request *request,
			const struct course *course, unsigned int k)
{
	const struct seam_plan plan = { .fail_change = k, .error = ERRORS[k % COUNT(ERRORS)] };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;
	int error;

	outcome = machine_make(machine, request, &making);
	error = outcome_error(outcome);
	autofree char *spared = find_spared(outcome);
	if (!outcome->counts.failed)
		fail_msg("%s, %s: change %u was not reached", machine->name, request->name, k);
	if (error && spared)
		fail_msg("%s, %s: %s failed, and that kept the others from it: %s", machine->name,
			 request->name, outcome->counts.target, outcome->message);
	if (spared)
		check_spared(machine, request, course, outcome, spared);
	if (!error && did_without_limits(outcome)) {
		machine_check_but_limits(machine, course->after, request->name);
		moment_return(&course->before);
	} else if (!error && (spared || found_another_way(request, outcome))) {
		moment_return(&course->before);
	} else if (!error && outcome_did_without_haste(outcome)) {
		machine_check(machine, course->after, "%s: without expedited grace periods",
			      request->name);
		moment_return(&course->before);
	} else {
		if (!error || error == -ENOTRECOVERABLE)
			fail_msg(
				"%s, %s: change %u of %u (%s) failed, and the result is %d: %s\n%s",
				machine->name, request->name, k, course->changes,
				outcome->counts.target, error, outcome->message,
				outcome->differences);
		assert_string_equal(outcome->differences, "");
		check_clean(machine, course, request, "change", k, outcome);
		course_forget_offline(machine, course);
	}
}

static void all_changes_fail(const struct machine *machine, const struct request *request,
			     const struct course *course, course_choice chosen)
{
	for (unsigned int k = 1; k <= course->changes; k++)
		if (chosen(course, k))
			fail_change(machine, request, course, k);
	/* And after all of that it still can be done. */
	assert_true(machine_prepare(machine, request->name));
	machine_check(machine, course->after, "%s: after its changes had failed", request->name);
}

void every_change_fails(void **state)
{
	for_each_request(*state, true, all_changes_fail, course_all);
}

void sampled_changes_fail(void **state)
{
	for_each_request(*state, true, all_changes_fail, course_sample);
}

static void fail_read(const struct machine *machine, const struct request *request,
		      const struct course *course, unsigned int k)
{
	const struct seam_plan plan = { .fail_read = k,
					.error = READ_ERRORS[k % COUNT(READ_ERRORS)] };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;
	int error;

	outcome = machine_make(machine, request, &making);
	error = outcome_error(outcome);
	autofree char *spared = find_spared(outcome);
	if (error == -ENOTRECOVERABLE)
		fail_msg("%s, %s: read %u (%s) failed: %s\n%s", machine->name, request->name, k,
			 outcome->counts.target, outcome->message, outcome->differences);
	if (error) {
		check_clean(machine, course, request, "read", k, outcome);
		course_forget_offline(machine, course);
	} else {
		/* A CPU whose core is unknown is left out, with a message. */
		if (outcome->here && spared)
			check_spared(machine, request, course, outcome, spared);
		else if (outcome->here &&
			 strstr(outcome->warnings, "turbo ratio limits are left unchanged"))
			machine_check_but_limits(machine, course->after, request->name);
		else if (outcome->here && !found_another_way(request, outcome) &&
			 !strstr(outcome->warnings, "left unchanged") &&
			 !strstr(outcome->notices, "does not report the core of CPU"))
			machine_check(machine, course->after,
				      "%s: read %u (%s) failed without an error", request->name, k,
				      outcome->counts.target);
		moment_return(&course->before);
	}
}

/** All reads, or nine of them. */
static void all_reads_fail(const struct machine *machine, const struct request *request,
			   const struct course *course, course_choice chosen)
{
	unsigned int stride = chosen == course_all || course->reads < 9 ? 1 : course->reads / 9;

	for (unsigned int k = 1; k <= course->reads; k += stride)
		fail_read(machine, request, course, k);
}

void sampled_reads_fail(void **state)
{
	for_each_request(*state, true, all_reads_fail, course_sample);
}

void every_read_fails(void **state)
{
	for_each_request(*state, true, all_reads_fail, course_all);
}

/* ---- The rollback fails ---- */

static void fail_undo(const struct machine *machine, const struct request *request,
		      const struct course *course, unsigned int k, unsigned int stuck)
{
	const struct seam_plan plan = { .fail_change = k, .error = -EIO, .stuck_change = stuck };
	const struct making making = { .seam = &plan };
	const char *before = course->before.picture;
	const struct outcome *outcome;
	char *wrong;
	int error;

	outcome = machine_make(machine, request, &making);
	error = outcome_error(outcome);
	autofree char *now = machine_picture(machine);
	autofree char *spared = find_spared(outcome);
	if (error == 0 && !spared && !found_another_way(request, outcome) &&
	    !did_without_limits(outcome) && !outcome_did_without_haste(outcome))
		fail_msg("%s, %s: change %u failed without a report", machine->name, request->name,
			 k);
	wrong = error ? differences_check(before, now, outcome->differences) : NULL;
	if (wrong || (error && (strcmp(now, before) == 0) == (error == -ENOTRECOVERABLE)))
		fail_msg("%s, %s: change %u fails, %u cannot be undone, the result is %d (%s)\n%s"
			 "The machine differs in\n%slisted as\n%s",
			 machine->name, request->name, k, stuck, error, outcome->message,
			 wrong ? wrong : "", snapshot_difference(before, now),
			 outcome->differences);
	moment_return(&course->before);
}

/** The last change fails after one that is chosen; and the one right behind it, where all are. */
static void all_undos_fail(const struct machine *machine, const struct request *request,
			   const struct course *course, course_choice chosen)
{
	for (unsigned int stuck = 1; stuck < course->changes; stuck++) {
		if (!chosen(course, stuck))
			continue;
		fail_undo(machine, request, course, course->changes, stuck);
		if (chosen == course_all && stuck + 1 < course->changes)
			fail_undo(machine, request, course, stuck + 1, stuck);
	}
}

void sampled_undos_fail(void **state)
{
	for_each_request(*state, true, all_undos_fail, course_sample);
}

/** On large machines, where it takes long to make a course: both in one go, and without requests
 * that differ from another one in a number only. */
static void changes_and_undos_fail(const struct machine *machine, const struct request *request,
				   const struct course *course, course_choice chosen)
{
	all_undos_fail(machine, request, course, chosen);
	all_changes_fail(machine, request, course, chosen);
}

void sampled_kinds_fail(void **state)
{
	for_each_request(*state, false, all_changes_fail, course_sample_kind);
}

void sampled_kinds_and_undos_fail(void **state)
{
	for_each_request(*state, false, changes_and_undos_fail, course_sample_kind);
}

void every_undo_fails(void **state)
{
	for_each_request(*state, true, all_undos_fail, course_all);
}

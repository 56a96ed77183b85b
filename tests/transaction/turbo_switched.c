/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another process switches turbo at one operation of a change after the other: either the change is
 * made as with turbo constant, or it fails and everything is as before. What limits are is seen
 * once turbo is as it was.
 */
#include "features/planning.h"
#include "transaction/support/machines.h"
#include "transaction/support/rests.h"

#include <errno.h>

#define CPU "/sys/devices/system/cpu/"
#define NO_TURBO CPU "intel_pstate/no_turbo"

static struct {
	const struct machine *machine;
	bool off;    /* turbo, before it is switched */
	bool hidden; /* without turbo not all limits are seen */
} test;

static void set_no_turbo(const struct machine *machine, bool off)
{
	machine_set_file(machine, NO_TURBO, off ? "1" : "0");
}

static void switch_turbo(void)
{
	set_no_turbo(test.machine, !test.off);
}

/* ---- Requests ---- */

static const struct frequency_limits LIMITS = { 1500 * 1000, 2600 * 1000 };

static int plan_limits(struct isst_context *context, struct isst_change *change,
		       const struct request *request, struct objections *objections)
{
	struct limit_request requests[] = {
		{ .cpu = context_cpu(context, 0), .wanted = LIMITS },
		{ .cpu = context_cpu(context, 3), .wanted = LIMITS },
	};
	int error = plan_scaling_limits(change, requests, COUNT(requests));

	(void)request;
	for (size_t i = 0; i < COUNT(requests); i++)
		assert_int_equal(requests[i].failure.error, 0);
	objections->planned = true;
	return error;
}

/** CPU 3 comes online first, with limits that nobody has read before. */
static int plan_no_limits(struct isst_context *context, struct isst_change *change,
			  const struct request *request, struct objections *objections)
{
	struct limit_request asked = { .cpu = context_cpu(context, 3),
				       .wanted = { LIMIT_NONE, LIMIT_NONE } };
	int error = change_plan_all_online(change);

	(void)request;
	if (!error)
		error = plan_scaling_limits(change, &asked, 1);
	objections->planned = true;
	return error;
}

static const struct request ONLINE = { .name = "online without limits", .plan = plan_no_limits };
static const struct request ASKED = { .name = "limits", .plan = plan_limits };

static const struct request *find(const char *name)
{
	if (!name)
		return &ASKED;
	return strcmp(name, ONLINE.name) == 0 ? &ONLINE : request_find(name);
}

/** As with turbo constantly as it is. Returns a picture of the machine with turbo on. */
static char *made_without_switch(const struct machine *machine, const struct moment *before,
				 const struct request *request, bool off, unsigned int *changes,
				 unsigned int *reads)
{
	const struct making making = { .seam = &seam_counting };
	const struct outcome *outcome;
	char *picture;

	moment_return(before);
	set_no_turbo(machine, off);
	outcome = machine_make(machine, request, &making);
	if (outcome_error(outcome))
		fail_msg("%s, %s: %s", machine->name, request->name, outcome->message);
	*changes = outcome->counts.changes;
	*reads = outcome->counts.reads;
	set_no_turbo(machine, false);
	picture = machine_picture(machine);
	return picture;
}

/** What a machine may be like in the end. */
struct ends {
	const char *before, *on, *off;
};

static void check_end(const struct machine *machine, const struct ends *ends,
		      const struct outcome *outcome, const struct seam_plan *plan,
		      const struct request *request)
{
	bool same;

	set_no_turbo(machine, false);
	autofree char *now = machine_picture(machine);
	if (outcome_error(outcome))
		same = strcmp(now, ends->before) == 0;
	else
		same = strcmp(now, ends->on) == 0 || strcmp(now, ends->off) == 0;
	if (!same) {
		fprintf(stderr, "%s, %s, turbo %s, switched %s %u%s: %s\n", machine->name,
			request->name, test.off ? "off" : "on",
			plan->before_read ? "before read" : "after change",
			plan->before_read ? plan->before_read : plan->after_change,
			plan->fail_change ? ", and a write fails" : "",
			outcome_error(outcome) ? outcome->message : "made");
		machine_check(machine, outcome_error(outcome) ? ends->before : ends->on, "%s",
			      request->name);
		fail();
	}
}

/** Makes the request with one operation at which turbo is switched. Returns whether it was made. */
static bool make_switched(const struct machine *machine, const struct moment *before,
			  const struct request *request, const struct ends *ends,
			  const struct seam_plan *plan)
{
	const struct making making = { .seam = plan };
	const struct outcome *outcome;
	bool made;

	moment_return(before);
	set_no_turbo(machine, test.off);
	outcome = machine_make(machine, request, &making);
	made = !outcome_error(outcome);
	check_end(machine, ends, outcome, plan, request);
	return made;
}

static void switch_everywhere(const struct machine *machine, const struct moment *before,
			      const struct request *request, const struct ends *ends,
			      unsigned int changes, unsigned int reads)
{
	unsigned int made = 0;

	for (unsigned int i = 1; i <= reads; i++)
		made += make_switched(
			machine, before, request, ends,
			&(struct seam_plan){ .before_read = i, .first = switch_turbo });
	for (unsigned int i = 1; i <= changes; i++) {
		made += make_switched(
			machine, before, request, ends,
			&(struct seam_plan){ .after_change = i, .then = switch_turbo });
		/* What was written is rolled back, whatever it reads as; what could not be seen
		 * before is not. */
		if (i < changes && !(test.off && test.hidden))
			make_switched(machine, before, request, ends,
				      &(struct seam_plan){ .after_change = i,
							   .then = switch_turbo,
							   .fail_change = changes,
							   .error = -EIO });
	}
	/* It is not for every switch that a change fails. */
	assert_true(made >= changes);
}

/** @before: requests that are made with turbo on. */
static void check_request(const char *platform, const char *name, const char *requests)
{
	const struct request *request = find(name);
	struct moment before;

	automachine struct machine machine = machine_begin(platform);
	machine_look(&machine);
	machine_prepare(&machine, requests);
	if (request == &ONLINE)
		machine_set_file(&machine, CPU "cpu3/online", "0");
	set_no_turbo(&machine, false);
	before = moment_take(&machine);
	test.machine = &machine;
	test.hidden = requests != NULL;
	for (int off = 0; off < 2; off++) {
		unsigned int changes, reads, others;
		autofree char *same = made_without_switch(&machine, &before, request, off, &changes,
							  &reads);
		autofree char *other = made_without_switch(&machine, &before, request, !off,
							   &others, &others);
		const struct ends ends = { before.picture, off ? other : same, off ? same : other };

		assert_true(changes > 0);
		test.off = off;
		switch_everywhere(&machine, &before, request, &ends, changes, reads);
	}
	moment_clear(&before);
}

TEST(turbo_mode_is_switched_as_a_whole)
{
	check_request("tests/tiny", "turbo-mode disable", NULL);
	check_request("tests/tiny", "turbo-mode enable", "turbo-mode disable");
}

TEST(limits_are_those_that_were_asked_for)
{
	check_request("tests/tiny", NULL, NULL);
	check_request("tests/tiny", NULL, "turbo-mode disable");
	check_request("tests/tiny", ONLINE.name, "turbo-mode disable");
}

TEST(base_freq_comes_and_goes_with_its_limits)
{
	check_request("tests/tiny", "base-freq enable auto", NULL);
	check_request("tests/tiny", "base-freq enable auto", "turbo-mode disable");
	check_request("tests/tiny", "base-freq disable auto", "base-freq enable auto");
}

TEST(preset_platforms_do_the_same_by_limits_alone)
{
	check_request("tests/preset-unnamed", "base-freq enable auto", NULL);
	check_request("tests/preset-unnamed", "base-freq disable auto", "base-freq enable auto");
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}

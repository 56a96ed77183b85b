/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which answers of the firmware a change depends on. Each query is refused in turn: a change that
 * needs the answer is not made, and the machine is as before; any other one is made all the same.
 */
#include "transaction/support/machines.h"

#include <errno.h>

/** A query, and the rule that lets it fail. */
struct query {
	const char *name, *rule;
};

/** The queries whose answers a request needs: their names, each between spaces. */
struct dependence {
	const char *request, *needs;
};

static const struct query MAILBOX[] = {
	{ "levels", "mailbox 0x7f/0x00" },
	{ "features", "mailbox 0x7f/0x01" },
	{ "power", "mailbox 0x7f/0x03" },
	{ "power-range", "mailbox 0x7f/0x04" },
	{ "temperature", "mailbox 0x7f/0x05" },
	{ "cores", "mailbox 0x7f/0x06" },
	{ "limits", "mailbox 0x7f/0x07" },
	{ "uncore", "mailbox 0x7f/0x09" },
	{ "base", "mailbox 0x7f/0x0a" },
	{ "memory", "mailbox 0x7f/0x0b" },
	{ "ratios", "mailbox 0x7f/0x0c" },
	{ "tf-cores", "mailbox 0x7f/0x10" },
	{ "tf-ratios", "mailbox 0x7f/0x11" },
	{ "tf-clip", "mailbox 0x7f/0x12" },
	{ "bf-cores", "mailbox 0x7f/0x20" },
	{ "bf-ratios", "mailbox 0x7f/0x21" },
	{ "bf-temperature", "mailbox 0x7f/0x22" },
	{ "bf-power", "mailbox 0x7f/0x23" },
	{ "core-power", "mailbox 0x94/0x03" },
	{ "qos", "mailbox 0xd0/0x02 get" },
	{ "clos", "mmio any get" },
	{ "msr-limits", "msr 0x1ad get" },
	{ "msr-cores", "msr 0x1ae get" },
	{ "msr-lock", "msr 0x64b get" },
};

static const struct dependence BY_MAILBOX[] = {
	/* A lock that cannot be read may be closed. */
	{ "level 1", " levels features msr-lock " },
	{ "level 1 online", " levels features msr-lock cores base ratios " },
	{ "level 1 partitions", " levels features msr-lock cores base ratios " },
	{ "base-freq enable", " levels features " },
	{ "base-freq disable", " levels features " },
	{ "base-freq enable auto", " levels features bf-cores bf-ratios core-power qos clos " },
	/* What was saved is compared with what is there now. */
	{ "base-freq disable auto", " levels features core-power qos clos " },
	{ "base-freq disable auto without record", " levels features core-power qos " },
	{ "turbo-freq enable", " levels features core-power qos " },
	{ "turbo-freq enable limits", " levels features core-power qos msr-limits " },
	{ "turbo-freq disable", " levels features " },
	{ "turbo-freq enable auto cpus", " levels features core-power qos clos " },
	{ "turbo-freq disable auto", " levels features core-power qos clos msr-limits " },
	{ "turbo-freq disable auto without record", " levels features core-power qos " },
	{ "core-power enable", " core-power qos " },
	/* Not while turbo-freq is on. */
	{ "core-power disable", " levels features core-power qos " },
	{ "clos", " core-power clos " },
	{ "association", " core-power clos " },
	{ "turbo ratio limits", " msr-limits " },
	{ "turbo-mode disable", " " },
};

static const struct query TPMI[] = {
	{ "levels", "tpmi perf-levels" },	  { "core-power", "tpmi core-power get" },
	{ "clos", "tpmi clos-param get" },	  { "associations", "tpmi clos-assoc get" },
	{ "properties", "tpmi perf-level-info" }, { "cores", "tpmi perf-level-mask" },
	{ "fabric", "tpmi perf-level-fabric" },	  { "bf", "tpmi base-freq-info" },
	{ "bf-cores", "tpmi base-freq-mask" },	  { "tf", "tpmi turbo-freq-info" },
	{ "msr-limits", "msr 0x1ad get" },
};

static const struct dependence BY_TPMI[] = {
	{ "level 1", " levels " },
	{ "level 1 online", " levels properties cores " },
	{ "level 1 partitions", " levels properties cores " },
	{ "base-freq enable", " levels " },
	{ "base-freq disable", " levels " },
	{ "base-freq enable auto", " levels bf bf-cores core-power clos associations " },
	{ "base-freq disable auto", " levels core-power clos associations " },
	{ "turbo-freq enable", " levels core-power " },
	{ "turbo-freq disable", " levels " },
	{ "turbo-freq enable auto cpus", " levels core-power clos associations " },
	{ "turbo-freq disable auto", " levels core-power clos associations msr-limits " },
	{ "core-power enable", " core-power " },
	{ "core-power disable", " core-power " },
	{ "clos", " core-power clos " },
	{ "association", " core-power associations " },
	{ "turbo ratio limits", " msr-limits " },
};

static bool needs(const struct dependence *dependence, const struct query *query)
{
	bool found;

	autofree char *word = formatted(" %s ", query->name);
	found = strstr(dependence->needs, word) != NULL;
	return found;
}

/** Whether the outcome is that of a request that was made as a whole. */
static bool was_made(const struct outcome *outcome)
{
	return outcome_error(outcome) == 0 && outcome->here && !outcome->unchanged;
}

static void check_one(const struct machine *machine, const struct dependence *dependence,
		      const struct query *query, const struct moment *before)
{
	bool needed = needs(dependence, query);
	const struct outcome *outcome;

	moment_return(before);
	machine_faults(machine, "%s EBUSY", query->rule);
	outcome = machine_make(machine, request_find(dependence->request), NULL);
	machine_faults(machine, "%s", "");
	if (!needed && !was_made(outcome))
		fail_msg("%s: %s needs no %s, but: %s%s", machine->name, dependence->request,
			 query->name, outcome->message ? outcome->message : "",
			 outcome->refusals ? outcome->refusals : "");
	if (needed && outcome_error(outcome) == 0)
		fail_msg("%s: %s was made without %s", machine->name, dependence->request,
			 query->name);
	if (needed)
		moment_check(machine, before, "%s without %s", dependence->request, query->name);
}

static void check_all(const char *platform, const struct dependence *dependences, size_t count,
		      const struct query *queries, size_t query_count)
{
	automachine struct machine machine = machine_begin(platform);
	for (size_t i = 0; i < count; i++) {
		struct moment before;

		assert_true(
			machine_restart(&machine, request_find(dependences[i].request)->before));
		before = moment_take(&machine);
		for (size_t j = 0; j < query_count; j++)
			check_one(&machine, &dependences[i], &queries[j], &before);
		moment_return(&before);
		moment_clear(&before);
	}
}

TEST(a_query_that_is_not_needed_stops_no_change_by_mailbox)
{
	check_all("tests/tiny", BY_MAILBOX, COUNT(BY_MAILBOX), MAILBOX, COUNT(MAILBOX));
}

TEST(a_query_that_is_not_needed_stops_no_change_by_tpmi)
{
	check_all("tests/tpmi-tiny", BY_TPMI, COUNT(BY_TPMI), TPMI, COUNT(TPMI));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "../process/xalloc.h"
#include "../run/handlers.h"
#include "../run/reading.h"
#include "isst-explain.h"

#include <string.h>

static const char *const severities[] = {
	[ISST_SEVERITY_CRITICAL] = "critical",
	[ISST_SEVERITY_WARNING] = "warning",
	[ISST_SEVERITY_NOTE] = "note",
	[ISST_SEVERITY_ADVISORY] = "advisory",
};

static void report_text_unless_empty(struct report_node *parent, enum key_id key, const char *text)
{
	if (text && *text)
		report_text(parent, key, text);
}

static void report_finding(struct report_node *top, enum key_id key, unsigned int index,
			   const struct isst_finding *finding)
{
	struct report_node *node = report_branch(top, key, index);
	const struct isst_cpuset *cpus = isst_finding_cpus(finding);
	const char *remedy = isst_finding_remedy(finding);
	/* People copy a command; anything else is advice. */
	bool command = remedy &&
		       (strncmp(remedy, "isst ", 5) == 0 || strncmp(remedy, "echo ", 5) == 0);

	report_word(node, KEY_FINDING_SEVERITY, severities[isst_finding_severity(finding)]);
	report_word(node, KEY_FINDING_CODE, isst_finding_name(finding));
	report_text(node, KEY_FINDING_PLACE, isst_finding_place(finding));
	if (isst_cpuset_count(cpus) > 0)
		report_cpu_ranges(node, KEY_FINDING_CPUS, 0, cpus);
	report_text_unless_empty(node, KEY_FINDING_READ, isst_finding_evidence(finding));
	report_text_unless_empty(node, KEY_FINDING_MEANING, isst_finding_meaning(finding));
	report_text_unless_empty(node, command ? KEY_FINDING_COMMAND : KEY_FINDING_REMEDY, remedy);
}

/** Whether a finding concerns one of the CPUs (NULL: all), or the machine. */
static bool concerns(const struct isst_finding *finding, const struct isst_cpuset *only)
{
	const struct isst_cpuset *cpus = isst_finding_cpus(finding);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus)
		if (isst_cpuset_has(only, cpu))
			return true;
	return !only || (isst_cpuset_count(cpus) == 0 &&
			 isst_cpuset_count(isst_finding_packages(finding)) == 0);
}

/** Reports findings. Advisories are the same every day: text has only their number, unless asked.
 */
static void report_findings(struct run *run, struct report_node *top,
			    const struct isst_explanation *explanation,
			    const struct isst_cpuset *only)
{
	bool all = request_has(run->request, OPTION_ADVISORIES) ||
		   request_format(run->request) != FORMAT_TEXT;
	const struct isst_finding *finding;
	unsigned int advisories = 0;
	const char *machine = isst_platform_emulated_name(run->context);
	bool writes = false;

	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++) {
		bool advisory = isst_finding_severity(finding) == ISST_SEVERITY_ADVISORY;
		const char *remedy = isst_finding_remedy(finding);

		if (!concerns(finding, only))
			continue;
		writes |= remedy && strncmp(remedy, "echo ", 5) == 0;
		if (!advisory)
			report_finding(top, KEY_FINDING, (unsigned int)i, finding);
		else if (all)
			report_finding(top, KEY_ADVISORY, advisories, finding);
		advisories += advisory;
	}
	if (machine && writes)
		report_message(
			run->report, ENTRY_NOTE,
			"the machine is emulated: echo ... > FILE changes it as isst emulate "
			"-- bash -c 'echo ... > FILE'");
	if (advisories > 0 && !all)
		report_message(run->report, ENTRY_NOTE,
			       "%u %s about this kernel: isst explain --advisories", advisories,
			       advisories == 1 ? "advisory" : "advisories");
}

/* ---- Measured CPUs ---- */

/** One line for the CPUs of each frequency, in the order of the first CPU of each. */
static void report_measured(struct run *run, struct report_node *top,
			    const struct isst_explanation *explanation)
{
	enum { SAME_MHZ = 50 }; /* a little more or less is the same */
	const struct isst_cpuset *online = isst_online_cpus(run->context);
	struct isst_cpuset *reported = xcheck(isst_cpuset_new());
	unsigned int cpu, other, index = 0;

	isst_cpuset_for_each (cpu, online) {
		unsigned int mhz = isst_explanation_measured_mhz(explanation, cpu);
		struct report_node *node, *cpus;

		if (mhz == 0 || isst_cpuset_has(reported, cpu))
			continue;
		node = report_branch(top, KEY_MEASURED, index++);
		cpus = report_cpu_ranges(node, KEY_MEASURED_CPUS, 0, NULL);
		report_number(node, KEY_MEASURED_MHZ, mhz);
		isst_cpuset_for_each (other, online) {
			unsigned int its = isst_explanation_measured_mhz(explanation, other);

			if (its == 0 || isst_cpuset_has(reported, other) || its + SAME_MHZ < mhz ||
			    its > mhz + SAME_MHZ)
				continue;
			xcall(isst_cpuset_add(cpus->cpus, other, other));
			xcall(isst_cpuset_add(reported, other, other));
		}
	}
	isst_cpuset_free(reported);
}

/** The most severe of the findings, at least ISST_SEVERITY_ADVISORY. */
static int worst_severity(const struct isst_explanation *explanation,
			  const struct isst_cpuset *only)
{
	const struct isst_finding *finding;
	int worst = ISST_SEVERITY_ADVISORY;

	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++)
		if (isst_finding_severity(finding) < worst && concerns(finding, only))
			worst = isst_finding_severity(finding);
	return worst;
}

/** Whether a CPU is named that is in no domain: it is offline. */
static bool names_unplaced(const struct run *run)
{
	unsigned int cpu;
	bool any = false;

	isst_cpuset_for_each (cpu, run->cpus)
		any |= !isst_cpu_by_number(run->context, cpu);
	return any;
}

/** All domains, for findings about CPUs that are in none. */
static struct isst_targets *all_targets(const struct run *run)
{
	struct isst_targets *targets = xcheck(isst_targets_new(run->context));

	xcall(isst_targets_add_all_domains(targets, 0));
	return targets;
}

/** Whether a CPU is named whose files are left alone. */
static bool names_undisturbed(struct run *run)
{
	struct isst_cpuset *undisturbed = NULL;
	unsigned int cpu;
	bool any = false;

	if (!run->cpus || run_call(run, isst_undisturbed_cpus(run->context, &undisturbed)) != 0)
		return false;
	isst_cpuset_for_each (cpu, run->cpus)
		any |= isst_cpuset_has(undisturbed, cpu);
	isst_cpuset_free(undisturbed);
	return any;
}

void explain(struct run *run)
{
	const struct isst_cpuset *only = names_unplaced(run) ? run->cpus : NULL;
	struct isst_targets *targets = only		    ? all_targets(run)
				       : run->targets.named ? cpu_targets(run)
							    : domain_targets(run);
	struct isst_explanation *explanation;
	int error;

	if (!targets)
		return;
	report_make_screen(run->report, false);
	error = isst_explain(
		run->context, targets, NULL,
		request_has(run->request, OPTION_MEASURE) && !only ? ISST_EXPLAIN_MEASURE : 0,
		&explanation);
	if (error >= 0) {
		struct report_node *top = report_section(run->report, KEY_EXPLAIN);
		int worst = worst_severity(explanation, only);
		const struct isst_message *message;
		const char *result;

		for (size_t i = 0; (message = isst_explanation_unread_at(explanation, i)) != NULL;
		     i++)
			run_message_error(run, -EIO, message);
		for (size_t i = 0; (message = isst_explanation_note_at(explanation, i)) != NULL;
		     i++)
			run_message(run, ENTRY_NOTE, message, "");
		/* Notes are context, and advisories are of every such kernel. */
		if (worst < ISST_SEVERITY_NOTE)
			result = "found";
		else if (isst_explanation_unread_at(explanation, 0) ||
			 (!run->targets.named && isst_left_out_at(run->context, 0)))
			result = "incomplete";
		else if (names_undisturbed(run))
			result = "not all read";
		else
			result = worst == ISST_SEVERITY_NOTE ? "only notes" : "nothing found";
		report_word(top, KEY_EXPLAIN_RESULT, result);
		report_findings(run, top, explanation, only);
		if (request_has(run->request, OPTION_MEASURE))
			report_measured(run, top, explanation);
		if (worst < ISST_SEVERITY_NOTE)
			run->status = status_worse(run->status, STATUS_FAILED);
	} else {
		run_call(run, error);
	}
	isst_explanation_free(explanation);
	isst_targets_free(targets);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Why CPUs run as they do, as programs see it. */
#include "explain/findings.h"
#include "library/getters.h"
#include "library/targets.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Explaining ---- */

struct isst_explanation {
	struct survey survey;
	struct findings findings;
};

const char *isst_finding_code_name(int code)
{
	return finding_code(code)->name;
}

void isst_explanation_free(struct isst_explanation *explanation)
{
	if (!explanation)
		return;
	findings_clear(&explanation->findings);
	survey_clear(&explanation->survey);
	free(explanation);
}

static int run_checks(const struct survey *survey, struct findings *findings)
{
	static void (*const ALL[])(struct findings * findings) = {
		check_turbo_freq, check_levels,	    check_resume,   check_cpufreq,
		check_reasons,	  check_registers,  check_managers, check_power,
		check_choices,	  check_advisories, NULL,
	};
	static void (*const LIMITS[])(struct findings * findings) = { check_reasons,
								      check_registers, NULL };
	void (*const *checks)(struct findings * findings) = survey->limits_only ? LIMITS : ALL;

	*findings = (struct findings){ .survey = survey };
	for (size_t i = 0; checks[i] && !findings->error; i++)
		checks[i](findings);
	return findings->error ? findings->error : findings_finish(findings);
}

static int find_findings(const struct target_list *list, struct isst_explanation *explanation)
{
	struct survey *survey = &explanation->survey;
	int error = 0;

	for (size_t i = 0; i < list->domain_count && !error; i++)
		error = context_check_domain(survey->context, list->domains[i]);
	if (!error && list->cpu_count > 0) {
		survey->named = isst_cpuset_new();
		error = survey->named ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < list->cpu_count && !error; i++)
		error = isst_cpuset_add(survey->named, list->cpus[i]->number,
					list->cpus[i]->number);
	if (!error)
		error = survey_read(survey, list->domains, list->domain_count);
	return error ? error : run_checks(survey, &explanation->findings);
}

int isst_explain(struct isst_context *context, const struct isst_targets *targets,
		 const struct isst_request *request, unsigned int flags,
		 struct isst_explanation **explanation)
{
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .flags = flags,
				   .known_flags = ISST_EXPLAIN_MEASURE | ISST_EXPLAIN_LIMITS };
	struct isst_explanation *made;
	struct target_list list;
	const char *before;
	bool lost;
	int error;

	if (!context || !explanation)
		return context_refuse(context, "there is nowhere to put the explanation (NULL)");
	*explanation = NULL;
	error = call_check(&call, &list);
	if (!error && (flags & ISST_EXPLAIN_MEASURE) && (flags & ISST_EXPLAIN_LIMITS))
		error = context_refuse(context, "ISST_EXPLAIN_LIMITS measures nothing");
	if (error)
		return error;
	before = message_begin(&context->messages);
	made = calloc(1, sizeof(*made));
	if (made) {
		made->survey = (struct survey){ .context = context,
						.measure = flags & ISST_EXPLAIN_MEASURE,
						.limits_only = flags & ISST_EXPLAIN_LIMITS };
	}
	/* A text that could not be made is an error: findings consist of texts. */
	lost = context->messages.lost;
	context->messages.lost = false;
	error = made ? find_findings(&list, made) : -ENOMEM;
	if (!error && context->messages.lost)
		error = -ENOMEM;
	context->messages.lost |= lost;
	error = message_end(&context->messages, before, error);
	if (error || !made) {
		isst_explanation_free(made);
		return error;
	}
	*explanation = made;
	return made->survey.unread.count > 0 ? ISST_PARTIAL : 0;
}

ITEM_GETTER(const struct isst_finding *, isst_explanation_finding_at, isst_explanation,
	    findings.count, findings.items[index], NULL)
ITEM_GETTER(const struct isst_message *, isst_explanation_unread_at, isst_explanation,
	    survey.unread.count, survey.unread.items[index], NULL)
ITEM_GETTER(const struct isst_message *, isst_explanation_note_at, isst_explanation,
	    survey.notes.count, survey.notes.items[index], NULL)

unsigned int isst_explanation_measured_mhz(const struct isst_explanation *explanation,
					   unsigned int cpu)
{
	for (size_t i = 0; explanation && i < explanation->survey.count; i++) {
		const struct survey_domain *domain = &explanation->survey.domains[i];

		survey_for_each_cpu (other, domain)
			if (other->cpu->number == cpu)
				return (unsigned int)(other->measured_khz / KHZ_PER_MHZ);
	}
	return 0;
}

GETTER(int, isst_finding_code, isst_finding, code, 0)
GETTER(const char *, isst_finding_name, isst_finding, name, NULL)
GETTER(int, isst_finding_severity, isst_finding, severity, 0)
GETTER(const char *, isst_finding_place, isst_finding, place, NULL)
GETTER(const struct isst_cpuset *, isst_finding_cpus, isst_finding, cpus, NULL)
GETTER(const struct isst_cpuset *, isst_finding_packages, isst_finding, packages, NULL)
GETTER(const char *, isst_finding_evidence, isst_finding, read, NULL)
GETTER(const char *, isst_finding_meaning, isst_finding, meaning, NULL)
GETTER(const char *, isst_finding_remedy, isst_finding, remedy, NULL)

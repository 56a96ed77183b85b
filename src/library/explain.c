/* SPDX-License-Identifier: BSD-3-Clause */
/* Why CPUs run as they do, as programs see it. */
#include "explain/explain.h"
#include "library/explain_records.h"
#include "library/targets.h"

#include <errno.h>
#include <stdlib.h>

struct isst_explanation {
	ISST_MAY_GROW;
	struct survey survey;
	struct findings findings;
	struct isst_cpuset *named; /* NULL: the targets were domains */
	bool measure, limits_only;
};

int isst_finding_code_at(size_t index)
{
	for (size_t i = 0; i <= index; i++)
		if (!finding_codes[i].code)
			return 0;
	return finding_codes[index].code;
}

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
	isst_cpuset_free(explanation->named);
	free(explanation);
}

static int name_cpus(struct isst_explanation *explanation, const struct target_list *list)
{
	int error = 0;

	if (list->cpu_count == 0)
		return 0;
	explanation->named = isst_cpuset_new();
	if (!explanation->named)
		return -ENOMEM;
	for (size_t i = 0; i < list->cpu_count && !error; i++)
		error = isst_cpuset_add(explanation->named, list->cpus[i]->number,
					list->cpus[i]->number);
	return error;
}

static int find(struct isst_context *context, const struct target_list *list,
		struct isst_explanation *explanation)
{
	int error = 0;

	for (size_t i = 0; i < list->domain_count && !error; i++)
		error = context_check_domain(context, list->domains[i]);
	if (!error)
		error = name_cpus(explanation, list);
	if (!error)
		error = survey_read(&explanation->survey, context,
				    &(struct survey_scope){ .domains = list->domains,
							    .count = list->domain_count,
							    .cpus = explanation->named,
							    .measure = explanation->measure,
							    .limits_only = explanation->limits_only,
							    .read_records = explain_read_records });
	return error ? error : explain(&explanation->survey, &explanation->findings);
}

/** As find(), but that a text that could not be made is an error: findings consist of texts. */
static int find_all(struct isst_context *context, const struct target_list *list,
		    struct isst_explanation *explanation)
{
	struct messages *messages = &context->messages;
	bool before = messages->lost;
	int error;

	messages->lost = false;
	error = find(context, list, explanation);
	if (!error && messages->lost)
		error = -ENOMEM;
	messages->lost |= before;
	return error;
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
		made->measure = flags & ISST_EXPLAIN_MEASURE;
		made->limits_only = flags & ISST_EXPLAIN_LIMITS;
	}
	error = message_end(&context->messages, before,
			    made ? find_all(context, &list, made) : -ENOMEM);
	if (error || !made) {
		isst_explanation_free(made);
		return error;
	}
	*explanation = made;
	return made->survey.unread.count > 0 ? ISST_PARTIAL : 0;
}

const struct isst_finding *isst_explanation_finding_at(const struct isst_explanation *explanation,
						       size_t index)
{
	return explanation && index < explanation->findings.count
		       ? explanation->findings.items[index]
		       : NULL;
}

static const char *text_at(const struct survey_texts *list, size_t index)
{
	return index < list->count ? list->texts[index] : NULL;
}

const char *isst_explanation_unread_at(const struct isst_explanation *explanation, size_t index)
{
	return explanation ? text_at(&explanation->survey.unread, index) : NULL;
}

const char *isst_explanation_note_at(const struct isst_explanation *explanation, size_t index)
{
	return explanation ? text_at(&explanation->survey.notes, index) : NULL;
}

unsigned int isst_explanation_measured_mhz(const struct isst_explanation *explanation,
					   unsigned int cpu)
{
	enum { KHZ_PER_MHZ = 1000 };

	if (!explanation || !explanation->measure)
		return 0;
	for (size_t i = 0; i < explanation->survey.count; i++) {
		const struct survey_domain *domain = &explanation->survey.domains[i];

		for (size_t j = 0; j < domain->cpu_count; j++)
			if (domain->cpus[j].cpu->number == cpu)
				return (unsigned int)(domain->cpus[j].measured_khz / KHZ_PER_MHZ);
	}
	return 0;
}

int isst_finding_code(const struct isst_finding *finding)
{
	return finding ? finding->code : 0;
}

const char *isst_finding_name(const struct isst_finding *finding)
{
	return finding ? finding->name : NULL;
}

int isst_finding_severity(const struct isst_finding *finding)
{
	return finding ? finding->severity : 0;
}

const char *isst_finding_place(const struct isst_finding *finding)
{
	return finding ? finding->place : NULL;
}

const struct isst_cpuset *isst_finding_cpus(const struct isst_finding *finding)
{
	return finding ? finding->cpus : NULL;
}

const struct isst_cpuset *isst_finding_packages(const struct isst_finding *finding)
{
	return finding ? finding->packages : NULL;
}

const char *isst_finding_evidence(const struct isst_finding *finding)
{
	return finding ? finding->read : NULL;
}

const char *isst_finding_meaning(const struct isst_finding *finding)
{
	return finding ? finding->meaning : NULL;
}

const char *isst_finding_remedy(const struct isst_finding *finding)
{
	return finding ? finding->remedy : NULL;
}

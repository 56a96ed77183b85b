/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects findings, and puts them in order. */
#include "explain/findings.h"
#include "base/array.h"
#include "features/planning.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void finding_free(struct isst_finding *finding)
{
	isst_cpuset_free(finding->cpus);
	isst_cpuset_free(finding->packages);
	free(finding->domains);
	free(finding);
}

static struct isst_finding *add_finding(struct findings *findings, const struct finding_code *row,
					const char *read)
{
	struct isst_finding *finding = calloc(1, sizeof(*finding));

	if (!finding || ARRAY_GROW(findings->items, findings->count)) {
		free(finding);
		return NULL;
	}
	findings->items[findings->count] = finding;
	*finding = (struct isst_finding){
		.findings = findings,
		.code = row->code,
		.order = findings->count++,
		.name = row->name,
		.severity = row->severity,
		.kind = row->kind,
		.remedy_template = row->remedy,
		.read = read,
		.meaning = row->meaning ? row->meaning : "",
		.cpus = isst_cpuset_new(),
		.packages = isst_cpuset_new(),
		.domains = calloc(findings->survey->count + 1, sizeof(*finding->domains)),
		.whole = true,
	};
	return finding->domains && finding->cpus && finding->packages ? finding : NULL;
}

struct isst_finding *findings_note(struct findings *findings, int code, const char *format, ...)
{
	struct isst_finding *finding;
	va_list arguments;
	const char *read;

	va_start(arguments, format);
	read = message_make_list(&findings->texts, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i]->code == code && findings->items[i]->read == read)
			return findings->items[i];
	finding = add_finding(findings, finding_code(code), read);
	if (finding)
		return finding;
	findings->error = -ENOMEM;
	findings->lost.findings = findings;
	return &findings->lost;
}

void finding_explain(struct isst_finding *finding, const char *meaning, const char *remedy)
{
	if (meaning)
		finding->meaning = meaning;
	if (remedy)
		finding->remedy_template = remedy;
}

bool finding_disable(struct isst_finding *finding, const struct survey_domain *domain,
		     unsigned int features)
{
	unsigned int saved = domain->saved & features;

	if (!saved)
		return false;
	finding->kind = REMEDY_COMMAND;
	finding->remedy_template = saved & FEATURE_TURBO_FREQ ? "turbo-freq disable --auto"
							      : "base-freq disable --auto";
	return true;
}

void finding_is_choice(struct isst_finding *finding, bool applied)
{
	if (applied)
		finding->severity = ISST_SEVERITY_NOTE;
}

void finding_add_place(struct isst_finding *finding, const struct survey_domain *domain)
{
	struct findings *findings = finding->findings;

	if (!finding->domains)
		return;
	finding->domains[domain - findings->survey->domains] = true;
	finding->whole = false;
	if (isst_cpuset_add(finding->packages, domain->domain->package, domain->domain->package))
		findings->error = -ENOMEM;
}

void finding_add_cpu(struct isst_finding *finding, const struct survey_domain *domain,
		     unsigned int cpu)
{
	finding_add_place(finding, domain);
	if (finding->domains && isst_cpuset_add(finding->cpus, cpu, cpu))
		finding->findings->error = -ENOMEM;
}

void finding_add_domain(struct isst_finding *finding, const struct survey_domain *domain)
{
	finding_add_place(finding, domain);
	survey_for_each_cpu (cpu, domain)
		if (cpu->asked)
			finding_add_cpu(finding, domain, cpu->cpu->number);
}

/* ---- The end ---- */

/** By severity, the order of codes, the number of CPUs, then the order in which they were found. */
static int compare_findings(const void *one, const void *other)
{
	const struct isst_finding *const *a = one, *const *b = other;
	const struct finding_code *first = finding_code((*a)->code);
	const struct finding_code *second = finding_code((*b)->code);
	size_t cpus = isst_cpuset_count((*a)->cpus), others = isst_cpuset_count((*b)->cpus);

	if ((*a)->severity != (*b)->severity)
		return (*a)->severity < (*b)->severity ? -1 : 1;
	if (first != second)
		return first < second ? -1 : 1;
	if (cpus != others)
		return cpus > others ? -1 : 1;
	return (*a)->order < (*b)->order ? -1 : (*a)->order > (*b)->order;
}

int findings_finish(struct findings *findings)
{
	if (findings->count > 1)
		qsort(findings->items, findings->count, sizeof(struct isst_finding *),
		      compare_findings);
	for (size_t i = 0; i < findings->count && !findings->error; i++) {
		findings->items[i]->place = finding_place(findings->items[i]);
		findings->items[i]->remedy = finding_remedy(findings->items[i]);
	}
	return findings->texts.lost ? -ENOMEM : findings->error;
}

void findings_clear(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		finding_free(findings->items[i]);
	free(findings->items);
	messages_free(&findings->texts);
	*findings = (struct findings){ 0 };
}

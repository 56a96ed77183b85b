/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects findings, and puts them in order. */
#include "explain/findings.h"
#include "base/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finding_free(struct isst_finding *finding)
{
	if (!finding)
		return;
	isst_cpuset_free(finding->cpus);
	isst_cpuset_free(finding->packages);
	free(finding->domains);
	free(finding->read);
	free(finding->meaning);
	free(finding->place);
	free(finding->remedy);
	free(finding);
}

static struct isst_finding *finding_new(const struct findings *findings, int code, char *read)
{
	struct isst_finding *finding = calloc(1, sizeof(*finding));
	const struct finding_code *row = finding_code(code);

	if (!finding) {
		free(read);
		return NULL;
	}
	finding->code = code;
	finding->order = findings->count;
	finding->name = row->name;
	finding->severity = row->severity;
	finding->kind = row->kind;
	finding->remedy_template = row->remedy;
	finding->read = read;
	finding->meaning = strdup(row->meaning ? row->meaning : "");
	finding->cpus = isst_cpuset_new();
	finding->packages = isst_cpuset_new();
	finding->domains = calloc(findings->survey->count + 1, sizeof(*finding->domains));
	finding->whole = true;
	if (finding->meaning && finding->cpus && finding->packages && finding->domains)
		return finding;
	finding_free(finding);
	return NULL;
}

struct isst_finding *findings_note(struct findings *findings, int code, const char *format, ...)
{
	struct isst_finding *finding = NULL;
	va_list arguments;
	char *read;
	int length;

	va_start(arguments, format);
	length = vasprintf(&read, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < findings->count && length >= 0; i++)
		if (findings->items[i]->code == code &&
		    strcmp(findings->items[i]->read, read) == 0) {
			free(read);
			return findings->items[i];
		}
	if (length >= 0 && ARRAY_GROW(findings->items, findings->count) == 0)
		finding = finding_new(findings, code, read);
	else if (length >= 0)
		free(read);
	if (finding) {
		findings->items[findings->count++] = finding;
		return finding;
	}
	findings->error = -ENOMEM;
	return &findings->lost;
}

void finding_explain(struct findings *findings, struct isst_finding *finding, const char *meaning,
		     const char *remedy)
{
	char *copy = meaning && finding->meaning ? strdup(meaning) : NULL;

	if (remedy)
		finding->remedy_template = FINDING_TEXT(findings, "%s", remedy);
	if (copy) {
		free(finding->meaning);
		finding->meaning = copy;
	} else if (meaning) {
		findings->error = -ENOMEM;
	}
}

void finding_lift_max(struct findings *findings, struct isst_finding *finding, unsigned int clos)
{
	finding_explain(findings, finding, NULL, FINDING_TEXT(findings, "clos %u max none", clos));
}

void finding_is_choice(struct isst_finding *finding, bool applied)
{
	if (applied)
		finding->severity = ISST_SEVERITY_NOTE;
}

void finding_add_place(struct findings *findings, struct isst_finding *finding,
		       const struct survey_domain *domain)
{
	if (!finding->domains)
		return;
	finding->domains[domain - findings->survey->domains] = true;
	finding->whole = false;
	if (isst_cpuset_add(finding->packages, domain->domain->package, domain->domain->package))
		findings->error = -ENOMEM;
}

void finding_add_cpu(struct findings *findings, struct isst_finding *finding,
		     const struct survey_domain *domain, unsigned int cpu)
{
	finding_add_place(findings, finding, domain);
	if (finding->domains && isst_cpuset_add(finding->cpus, cpu, cpu))
		findings->error = -ENOMEM;
}

void finding_add_domain(struct findings *findings, struct isst_finding *finding,
			const struct survey_domain *domain)
{
	finding_add_place(findings, finding, domain);
	survey_for_each_cpu (cpu, domain)
		if (cpu->asked)
			finding_add_cpu(findings, finding, domain, cpu->cpu->number);
}

/* ---- The end ---- */

/** The most important one first: by severity, which for some findings is not that of their code, by
 * the table of codes, then the one with the most CPUs, then the one that was found first. */
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
		struct isst_finding *finding = findings->items[i];

		finding->place = finding_place(findings->survey, finding);
		finding->remedy = finding_remedy(findings->survey, finding);
		if (!finding->place || !finding->remedy)
			findings->error = -ENOMEM;
	}
	return findings->error;
}

void findings_clear(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		finding_free(findings->items[i]);
	free(findings->items);
	*findings = (struct findings){ 0 };
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects findings, and puts them in order. */
#include "explain/findings.h"
#include "base/array.h"
#include "features/planning.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
		.kind = row->kind ? row->kind : REMEDY_TEXT,
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

struct isst_finding *findings_add(struct findings *findings, const struct found *found,
				  const char *format, ...)
{
	const struct finding_code *row = finding_code(found->code);
	struct isst_finding *finding = NULL;
	va_list arguments;
	const char *read;

	va_start(arguments, format);
	read = message_new(&findings->texts, of_machine(), format, arguments)->text;
	va_end(arguments);
	if (found->applied)
		read = FINDING_TEXT(
			findings, "%s, as stated by the configuration that was applied last", read);
	for (size_t i = 0; i < findings->count && !finding; i++)
		if (findings->items[i]->code == found->code && findings->items[i]->read == read)
			finding = findings->items[i];
	if (!finding)
		finding = add_finding(findings, row, read);
	if (!finding) {
		findings->error = -ENOMEM;
		findings->lost.findings = findings;
		return &findings->lost;
	}
	if (found->applied || found->severity)
		finding->severity = found->applied ? ISST_SEVERITY_NOTE : found->severity;
	/* The first one with another kind of remedy than that of the code stays. */
	if (finding->kind == (row->kind ? row->kind : REMEDY_TEXT)) {
		finding->meaning = found->meaning ? found->meaning : finding->meaning;
		finding->remedy_template = found->remedy ? found->remedy : finding->remedy_template;
		finding->kind = found->kind ? found->kind : finding->kind;
	}
	if (found->cpu)
		finding_add_cpu(finding, found->domain, found->cpu->cpu->number);
	else if (found->domain)
		finding_add_place(finding, found->domain);
	if (found->domain && !found->cpu && !found->without_cpus)
		survey_for_each_cpu (cpu, found->domain)
			if (cpu->asked)
				finding_add_cpu(finding, found->domain, cpu->cpu->number);
	return finding;
}

bool found_disable(struct found *found, const struct survey_domain *domain, unsigned int features)
{
	unsigned int saved = domain->saved & features;

	if (!saved)
		return false;
	found->kind = REMEDY_COMMAND;
	found->remedy = saved & FEATURE_TURBO_FREQ ? "turbo-freq disable --auto"
						   : "base-freq disable --auto";
	return true;
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
	if (domain)
		finding_add_place(finding, domain);
	if (finding->domains && isst_cpuset_add(finding->cpus, cpu, cpu))
		finding->findings->error = -ENOMEM;
}

/* ---- The end ---- */

/** How many CPUs a finding concerns; of the machine: more than any, but that a CPU which was named
 * is offline. */
static size_t concerned_cpus(const struct isst_finding *finding)
{
	const struct survey *survey = finding->findings->survey;
	size_t count = isst_cpuset_count(finding->cpus);

	if (survey->named && (finding->code == ISST_FINDING_CPU_OFFLINE ||
			      finding->code == ISST_FINDING_CPU_OFFLINE_OF_LEVEL))
		return SIZE_MAX;
	if (count > 0 || finding->whole)
		return count > 0 ? count : SIZE_MAX - 1;
	for (size_t i = 0; i < survey->count && finding->domains; i++)
		if (finding->domains[i])
			count += survey->domains[i].cpu_count;
	return count;
}

/** By severity, the number of CPUs, the order of codes, then the order in which they were found.
 * Notes are by codes first: a choice counts for what it is. */
static int compare_findings(const void *one, const void *other)
{
	const struct isst_finding *const *a = one, *const *b = other;
	const struct finding_code *first = finding_code((*a)->code);
	const struct finding_code *second = finding_code((*b)->code);
	size_t cpus = concerned_cpus(*a), others = concerned_cpus(*b);

	if ((*a)->severity != (*b)->severity)
		return (*a)->severity < (*b)->severity ? -1 : 1;
	if (cpus != others && ((*a)->severity < ISST_SEVERITY_NOTE || first == second))
		return cpus > others ? -1 : 1;
	if (first != second)
		return first < second ? -1 : 1;
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
	for (size_t i = 0; i < findings->count; i++) {
		isst_cpuset_free(findings->items[i]->cpus);
		isst_cpuset_free(findings->items[i]->packages);
		free(findings->items[i]->domains);
		free(findings->items[i]);
	}
	free(findings->items);
	messages_free(&findings->texts);
	*findings = (struct findings){ 0 };
}

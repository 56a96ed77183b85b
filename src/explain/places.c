/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the places of a finding, and the command for exactly these. */
#include "base/cpuset.h"
#include "common/numbered.h"
#include "explain/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Takes a text over, which is NULL without memory. Equal texts are the same pointer. */
static const char *keep_text(struct findings *findings, char *text)
{
	const char *kept = text ? FINDING_TEXT(findings, "%s", text) : "";

	if (!text)
		findings->error = -ENOMEM;
	free(text);
	return kept;
}

/** Packages that have the same domains in a finding. */
struct group {
	struct isst_cpuset *packages;
	const char *domains; /* `power domains 0-1`, or empty: all of these packages */
};

struct groups {
	struct group *items;
	size_t count;
	bool all; /* the finding is about all domains of the machine */
};

static void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		isst_cpuset_free(groups->items[i].packages);
	free(groups->items);
}

/** Adds the package that begins at @first. Statements leave other domains without CPUs alone. */
static void add_package(struct findings *findings, const bool *members, size_t first,
			struct groups *groups)
{
	const struct survey *survey = findings->survey;
	const unsigned int package = survey->domains[first].domain->package;
	const char *word = context_has_power_domains(survey->context) ? "power domain" : "die";
	struct isst_cpuset *numbers = isst_cpuset_new();
	const char *domains = "";
	bool complete = true;
	int error = numbers ? 0 : -ENOMEM;
	size_t i = 0;

	for (size_t j = first; j < survey->count && !error; j++) {
		const struct isst_domain *domain = survey->domains[j].domain;
		unsigned int number = domain_number(survey->context, domain);

		if (domain->package != package)
			break;
		if (members[j])
			error = isst_cpuset_add(numbers, number, number);
		else if (domain->has_cpu)
			complete = false;
	}
	groups->all = groups->all && complete && isst_cpuset_count(numbers) > 0;
	if (!complete && isst_cpuset_count(numbers) > 0)
		domains = keep_text(findings, name_numbers(word, numbers));
	while (i < groups->count && groups->items[i].domains != domains)
		i++;
	if (!error && isst_cpuset_count(numbers) > 0) {
		if (i == groups->count)
			groups->items[groups->count++] = (struct group){ isst_cpuset_new(),
									 domains };
		error = groups->items[i].packages
				? isst_cpuset_add(groups->items[i].packages, package, package)
				: -ENOMEM;
	}
	isst_cpuset_free(numbers);
	if (error)
		findings->error = error;
}

/** @members NULL: there was no memory for them. */
static void find_groups(struct findings *findings, const bool *members, struct groups *groups)
{
	const struct survey *survey = findings->survey;

	*groups = (struct groups){ .all = survey->count == isst_domain_count(survey->context) };
	groups->items = calloc(survey->count + 1, sizeof(*groups->items));
	if (!groups->items || !members)
		findings->error = -ENOMEM;
	for (size_t i = 0; i < survey->count && !findings->error; i++)
		if (i == 0 ||
		    survey->domains[i].domain->package != survey->domains[i - 1].domain->package)
			add_package(findings, members, i, groups);
}

const char *finding_place(struct isst_finding *finding)
{
	struct findings *findings = finding->findings;
	const char *text = "";
	struct groups groups;

	if (finding->whole)
		return "machine";
	find_groups(findings, finding->domains, &groups);
	for (size_t i = 0; i < groups.count; i++)
		text = FINDING_TEXT(
			findings, "%s%s%s%s%s", text, i > 0 ? "; " : "",
			keep_text(findings, name_numbers("package", groups.items[i].packages)),
			*groups.items[i].domains ? ", " : "", groups.items[i].domains);
	groups_free(&groups);
	return text;
}

/* ---- Remedies ---- */

static const char *list_text(struct findings *findings, const struct isst_cpuset *set)
{
	return keep_text(findings, isst_cpuset_to_list(set));
}

/** The CPUs as bash expands them: `3`, `{0..3}` or `{{0..3},8}`. */
static const char *brace_text(struct findings *findings, const struct isst_cpuset *cpus)
{
	unsigned int first, last, runs = 0;
	const char *text = "";

	for (unsigned int from = 0; cpuset_next_run(cpus, from, &first, &last); from = last + 1) {
		text = FINDING_TEXT(findings, "%s%s", text, runs++ > 0 ? "," : "");
		text = first == last ? FINDING_TEXT(findings, "%s%u", text, first)
				     : FINDING_TEXT(findings, "%s{%u..%u}", text, first, last);
	}
	return runs > 1 ? FINDING_TEXT(findings, "{%s}", text) : text;
}

static const char *fill_template(struct isst_finding *finding, const char *text)
{
	static const char LIST[] = "{cpus}", BRACES[] = "{braces}";
	struct findings *findings = finding->findings;
	const char *at;

	while ((at = strstr(text, LIST)))
		text = FINDING_TEXT(findings, "%.*s%s%s", (int)(at - text), text,
				    list_text(findings, finding->cpus), at + strlen(LIST));
	while ((at = strstr(text, BRACES)))
		text = FINDING_TEXT(findings, "%.*s%s%s", (int)(at - text), text,
				    brace_text(findings, finding->cpus), at + strlen(BRACES));
	return text;
}

/** The domains that a remedy is for, to be freed: of whole packages all, or those with SST-TF,
 * without which the statement would be refused. */
static bool *domains_of_remedy(const struct survey *survey, const struct isst_finding *finding)
{
	bool *domains = calloc(survey->count + 1, sizeof(*domains));

	for (size_t i = 0; i < survey->count && domains; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		domains[i] = finding->domains[i];
		if (finding->kind == REMEDY_WHOLE_PACKAGE_STATEMENT)
			domains[i] = isst_cpuset_has(finding->packages, domain->domain->package);
		if (finding->kind == REMEDY_PACKAGE_STATEMENT && domain->domain->has_cpu)
			domains[i] = isst_cpuset_has(finding->packages, domain->domain->package) &&
				     survey_has_level(domain) &&
				     domain->now->level.turbo_freq >= ISST_FEATURE_DISABLED;
	}
	return domains;
}

/** All statements of a finding, which semicolons divide, for a group or for all (NULL). */
static const char *statements_text(struct isst_finding *finding, const struct group *group)
{
	struct findings *findings = finding->findings;
	const char *statements = finding->remedy_template, *place = "", *text = "";

	if (group)
		place = FINDING_TEXT(findings, "package %s%s%s",
				     list_text(findings, group->packages),
				     *group->domains ? " domain" : "",
				     *group->domains ? strrchr(group->domains, ' ') : "");
	while (*statements) {
		size_t length = strcspn(statements, ";");

		/* All places share a colon. */
		text = FINDING_TEXT(findings, "%s --set '%s%s%s'", text, place,
				    !*place			      ? ""
				    : memchr(statements, ':', length) ? " "
								      : ": ",
				    fill_template(finding, FINDING_TEXT(findings, "%.*s",
									(int)length, statements)));
		statements += length;
		statements += strspn(statements, ";");
	}
	return text;
}

static const char *configuration_text(struct isst_finding *finding)
{
	struct findings *findings = finding->findings;
	bool *domains = domains_of_remedy(findings->survey, finding);
	const char *text = "isst config apply";
	struct groups groups;

	find_groups(findings, domains, &groups);
	/* One that names its CPUs has no need of a place. */
	if (groups.all || strstr(finding->remedy_template, "{cpus}"))
		text = FINDING_TEXT(findings, "%s%s", text, statements_text(finding, NULL));
	else
		for (size_t i = 0; i < groups.count; i++)
			text = FINDING_TEXT(findings, "%s%s", text,
					    statements_text(finding, &groups.items[i]));
	groups_free(&groups);
	free(domains);
	return text;
}

/** A command without CPUs is for all domains; with them it names the first one of each. */
static const char *command_text(struct isst_finding *finding)
{
	struct findings *findings = finding->findings;
	const struct survey *survey = findings->survey;
	struct isst_cpuset *cpus = isst_cpuset_new();
	const char *list = "";
	struct groups groups;

	find_groups(findings, finding->domains, &groups);
	for (size_t i = 0; i < survey->count && !groups.all; i++)
		if (finding->domains[i] && survey->domains[i].domain->has_cpu &&
		    isst_cpuset_add(cpus, survey->domains[i].domain->cpu,
				    survey->domains[i].domain->cpu))
			findings->error = -ENOMEM;
	if (isst_cpuset_count(cpus) > 0)
		list = FINDING_TEXT(findings, "--cpu %s ", list_text(findings, cpus));
	groups_free(&groups);
	isst_cpuset_free(cpus);
	return FINDING_TEXT(findings, "isst %s%s", list, finding->remedy_template);
}

const char *finding_remedy(struct isst_finding *finding)
{
	if (!finding->remedy_template)
		return "";
	if (finding->kind == REMEDY_TEXT)
		return fill_template(finding, finding->remedy_template);
	if (finding->kind == REMEDY_COMMAND)
		return command_text(finding);
	return configuration_text(finding);
}

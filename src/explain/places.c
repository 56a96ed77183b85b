/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the places of a finding, and the command for exactly these. */
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "explain/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Packages that have the same domains in a finding. */
struct group {
	struct isst_cpuset *packages, *numbers;
	bool complete; /* all domains of these packages */
};

struct groups {
	struct group *items;
	size_t count;
	bool all; /* the finding is about all domains of the machine */
};

static void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		isst_cpuset_free(groups->items[i].packages);
		isst_cpuset_free(groups->items[i].numbers);
	}
	free(groups->items);
}

/** Adds the domains of the package that begins at @first. @members: those that are meant;
 * statements for all leave others without CPUs alone. */
static int add_package(const struct survey *survey, const bool *members, size_t first,
		       struct groups *groups)
{
	const unsigned int package = survey->domains[first].domain->package;
	struct isst_cpuset *numbers = isst_cpuset_new();
	bool complete = true;
	int error = numbers ? 0 : -ENOMEM;
	struct group *group;

	for (size_t i = first; i < survey->count && !error; i++) {
		const struct isst_domain *domain = survey->domains[i].domain;
		unsigned int number = domain_number(survey->context, domain);

		if (domain->package != package)
			break;
		if (members[i])
			error = isst_cpuset_add(numbers, number, number);
		else if (domain->has_cpu)
			complete = false;
	}
	group = groups->items;
	while (group < groups->items + groups->count && !(group->complete && complete) &&
	       !cpuset_is_equal(group->numbers, numbers))
		group++;
	if (!error && isst_cpuset_count(numbers) > 0) {
		if (group == groups->items + groups->count) {
			*group = (struct group){ .packages = isst_cpuset_new(),
						 .numbers = numbers,
						 .complete = complete };
			numbers = NULL;
			groups->count++;
		}
		group->complete = group->complete && complete;
		error = group->packages ? isst_cpuset_add(group->packages, package, package)
					: -ENOMEM;
	} else {
		groups->all = false;
	}
	groups->all = groups->all && complete;
	isst_cpuset_free(numbers);
	return error;
}

static int find_groups(const struct survey *survey, const bool *members, struct groups *groups)
{
	int error;

	*groups = (struct groups){ .all = survey->count == isst_domain_count(survey->context) };
	groups->items = calloc(survey->count + 1, sizeof(*groups->items));
	error = groups->items ? 0 : -ENOMEM;
	for (size_t i = 0; i < survey->count && !error; i++)
		if (i == 0 ||
		    survey->domains[i].domain->package != survey->domains[i - 1].domain->package)
			error = add_package(survey, members, i, groups);
	return error;
}

char *finding_place(const struct survey *survey, const struct isst_finding *finding)
{
	const char *word = context_has_power_domains(survey->context) ? "power domain" : "die";
	struct memory_stream text;
	struct groups groups;
	int error;

	if (finding->whole)
		return strdup("machine");
	if (memory_stream_open(&text))
		return NULL;
	error = find_groups(survey, finding->domains, &groups);
	for (size_t i = 0; i < groups.count && !error; i++) {
		const struct group *group = &groups.items[i];
		char *packages = name_numbers("package", group->packages);
		char *numbers = group->complete ? strdup("") : name_numbers(word, group->numbers);

		error = packages && numbers ? 0 : -ENOMEM;
		if (!error)
			fprintf(text.stream, "%s%s%s%s", i > 0 ? "; " : "", packages,
				group->complete ? "" : ", ", numbers);
		free(packages);
		free(numbers);
	}
	groups_free(&groups);
	if (!error)
		return memory_stream_text(&text);
	memory_stream_drop(&text);
	return NULL;
}

/* ---- Remedies ---- */

/** The CPUs as bash expands them: `3`, `{0..3}` or `{{0..3},8}`. */
static void print_braces(const struct isst_cpuset *cpus, FILE *stream)
{
	unsigned int first, last, runs = 0;

	for (unsigned int from = 0; cpuset_next_run(cpus, from, &first, &last); from = last + 1)
		runs++;
	fputs(runs > 1 ? "{" : "", stream);
	runs = 0;
	for (unsigned int from = 0; cpuset_next_run(cpus, from, &first, &last); from = last + 1) {
		fputs(runs++ > 0 ? "," : "", stream);
		if (first == last)
			fprintf(stream, "%u", first);
		else
			fprintf(stream, "{%u..%u}", first, last);
	}
	fputs(runs > 1 ? "}" : "", stream);
}

/** Prints a template with what stands in it for CPUs. */
static int print_template(const struct isst_finding *finding, const char *text, size_t length,
			  FILE *stream)
{
	char *list = isst_cpuset_to_list(finding->cpus);

	if (!list)
		return -ENOMEM;
	for (const char *c = text; c < text + length; c++) {
		if (strncmp(c, "{cpus}", strlen("{cpus}")) == 0) {
			fputs(list, stream);
			c += strlen("{cpus}") - 1;
		} else if (strncmp(c, "{braces}", strlen("{braces}")) == 0) {
			print_braces(finding->cpus, stream);
			c += strlen("{braces}") - 1;
		} else {
			fputc(*c, stream);
		}
	}
	free(list);
	return 0;
}

static bool is_package_of(const struct survey *survey, const struct isst_finding *finding,
			  unsigned int package)
{
	for (size_t i = 0; i < survey->count; i++)
		if (finding->domains[i] && survey->domains[i].domain->package == package)
			return true;
	return false;
}

/** The domains that the remedy of a finding is for, to be freed: of whole packages all, or those
 * whose level has SST-TF, without which the statement would be refused. */
static bool *domains_of_remedy(const struct survey *survey, const struct isst_finding *finding)
{
	bool *domains = calloc(survey->count + 1, sizeof(*domains));

	for (size_t i = 0; i < survey->count && domains; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		domains[i] = finding->domains[i];
		if (finding->kind == REMEDY_WHOLE_PACKAGE_STATEMENT)
			domains[i] = is_package_of(survey, finding, domain->domain->package);
		if (finding->kind == REMEDY_PACKAGE_STATEMENT && domain->domain->has_cpu)
			domains[i] = is_package_of(survey, finding, domain->domain->package) &&
				     survey_has_level(domain) &&
				     domain->now->level.turbo_freq >= ISST_FEATURE_DISABLED;
	}
	return domains;
}

static int print_statement(const struct isst_finding *finding, const char *text, size_t length,
			   const struct group *group, FILE *stream)
{
	char *packages = group ? isst_cpuset_to_list(group->packages) : NULL;
	char *numbers = group ? isst_cpuset_to_list(group->numbers) : NULL;
	int error = !group || (packages && numbers) ? 0 : -ENOMEM;

	fputs(" --set '", stream);
	if (!error && group)
		fprintf(stream, "package %s", packages);
	if (!error && group && !group->complete)
		fprintf(stream, " powerdomain %s", numbers);
	fputs(group ? ": " : "", stream);
	if (!error)
		error = print_template(finding, text, length, stream);
	fputc('\'', stream);
	free(packages);
	free(numbers);
	return error;
}

/** All statements of a finding, which semicolons divide. */
static int print_group(const struct isst_finding *finding, const struct group *group, FILE *stream)
{
	const char *text = finding->remedy_template;
	int error = 0;

	while (*text && !error) {
		size_t length = strcspn(text, ";");

		error = print_statement(finding, text, length, group, stream);
		text += length;
		text += strspn(text, ";");
	}
	return error;
}

static int print_statements(const struct survey *survey, const struct isst_finding *finding,
			    FILE *stream)
{
	bool *domains = domains_of_remedy(survey, finding);
	struct groups groups = { 0 };
	int error = domains ? find_groups(survey, domains, &groups) : -ENOMEM;

	fputs("isst config apply", stream);
	/* One that names its CPUs has no need of a place. */
	if (!error && (groups.all || strstr(finding->remedy_template, "{cpus}")))
		error = print_group(finding, NULL, stream);
	else
		for (size_t i = 0; i < groups.count && !error; i++)
			error = print_group(finding, &groups.items[i], stream);
	groups_free(&groups);
	free(domains);
	return error;
}

/** A command without CPUs is for all domains; with them it names the first one of each. */
static int print_command(const struct survey *survey, const struct isst_finding *finding,
			 FILE *stream)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct groups groups = { 0 };
	char *list = NULL;
	int error = cpus ? find_groups(survey, finding->domains, &groups) : -ENOMEM;

	for (size_t i = 0; i < survey->count && !error && !groups.all; i++)
		if (finding->domains[i] && survey->domains[i].domain->has_cpu)
			error = isst_cpuset_add(cpus, survey->domains[i].domain->cpu,
						survey->domains[i].domain->cpu);
	if (!error && isst_cpuset_count(cpus) > 0) {
		list = isst_cpuset_to_list(cpus);
		error = list ? 0 : -ENOMEM;
	}
	fprintf(stream, "isst %s%s%s%s", list ? "--cpu " : "", list ? list : "", list ? " " : "",
		finding->remedy_template);
	groups_free(&groups);
	isst_cpuset_free(cpus);
	free(list);
	return error;
}

char *finding_remedy(const struct survey *survey, const struct isst_finding *finding)
{
	struct memory_stream text;
	int error;

	if (memory_stream_open(&text))
		return NULL;
	if (!finding->remedy_template)
		error = 0;
	else if (finding->kind == REMEDY_TEXT)
		error = print_template(finding, finding->remedy_template,
				       strlen(finding->remedy_template), text.stream);
	else if (finding->kind == REMEDY_COMMAND)
		error = print_command(survey, finding, text.stream);
	else
		error = print_statements(survey, finding, text.stream);
	if (!error)
		return memory_stream_text(&text);
	memory_stream_drop(&text);
	return NULL;
}

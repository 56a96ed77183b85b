/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance limit reasons: what their words mean. A coarse word stands alone; a fine one
 * begins with it.
 */
#include "explain/checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last one is for all other words. */
static const struct {
	int code;
	const char *meaning;
} COARSE[] = {
	[LIMIT_THERMAL] = { ISST_FINDING_LIMITED_THERMAL, "the processor was too hot" },
	[LIMIT_PLATFORM] = { ISST_FINDING_LIMITED_PLATFORM,
			     "the platform asked the processor to slow down" },
	[LIMIT_POWER] = { ISST_FINDING_LIMITED_POWER, "a power limit was reached" },
	[LIMIT_CURRENT] = { ISST_FINDING_LIMITED_CURRENT, "a limit of the current was reached" },
	[LIMIT_RAS] = { ISST_FINDING_LIMITED_RAS,
			"a function for reliability (RAS) limited the frequency" },
	[LIMIT_MCP] = { ISST_FINDING_LIMITED_MCP,
			"a limit that the processor calls MCP was reached" },
	[LIMIT_DFC] = { ISST_FINDING_LIMITED_DFC,
			"a limit that the processor calls DFC was reached" },
	[LIMIT_QOS] = { ISST_FINDING_LIMITED_QOS,
			"the limits of a class of service (CLOS) were reached" },
	[LIMIT_MISC] = { ISST_FINDING_LIMITED_MISC, "a reason that the processor does not name" },
	[LIMIT_FREQUENCY] = { ISST_FINDING_LIMITED_FREQUENCY,
			      "the turbo frequency for so many active cores was reached, as it is without faults" },
	[LIMIT_WORDS] = { ISST_FINDING_LIMITED_OTHERWISE, "a reason that is not known here" },
};

/** Parts of fine words, which stand between underscores. */
static const struct {
	const char *part, *meaning;
} FINE[] = {
	{ "CDYN", "by the kind of instructions" },
	{ "TRL", "turbo ratio limits" },
	{ "PKG", "of the package" },
	{ "PL1", "long-term power limit" },
	{ "PL2", "short-term power limit" },
	{ "MSR", "set by MSR" },
	{ "MMIO", "set by MMIO" },
	{ "TPMI", "set by TPMI" },
	{ "PER_CORE", "of single cores" },
	{ "PROCHOT", "the signal PROCHOT" },
};

/** Whether a fine word contains a part: between underscores, digits behind it. */
static bool has_part(const char *word, size_t length, const char *part)
{
	size_t size = strlen(part);

	for (size_t at = 1; at + size <= length; at++) {
		size_t end = at + size;

		if (word[at - 1] != '_' || memcmp(word + at, part, size) != 0)
			continue;
		if (end == length || word[end] == '_' || (word[end] >= '0' && word[end] <= '9'))
			return true;
	}
	return false;
}

/** What a line has of one coarse reason. */
struct reason {
	char *words;	/* of the line, that belong to it */
	char *meanings; /* of its fine words: ` (THERMAL_PER_CORE: of single cores)` */
	bool given;
};

static int append(char **text, const char *separator, const char *more, size_t length)
{
	char *joined;

	if (asprintf(&joined, "%s%s%.*s", *text ? *text : "", *text ? separator : "", (int)length,
		     more) < 0)
		return -ENOMEM;
	free(*text);
	*text = joined;
	return 0;
}

static int explain_word(struct reason *reason, const char *word, size_t length)
{
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < sizeof(FINE) / sizeof(FINE[0]) && !error; i++) {
		if (!has_part(word, length, FINE[i].part))
			continue;
		if (!any) {
			error = append(&reason->meanings, "; ", word, length);
			if (!error)
				error = append(&reason->meanings, ": ", "", 0);
		}
		if (!error)
			error = append(&reason->meanings, any ? ", " : "", FINE[i].meaning,
				       strlen(FINE[i].meaning));
		any = true;
	}
	return error;
}

/** Divides the words of a line among coarse reasons, the last of which is for all others. */
static int divide(const char *words, struct reason reasons[LIMIT_WORDS + 1])
{
	int error = 0;

	while (*words && !error) {
		size_t length = strcspn(words, " ");
		struct reason *reason = &reasons[limit_word_of(words, length)];

		error = append(&reason->words, " ", words, length);
		reason->given = true;
		if (!error)
			error = explain_word(reason, words, length);
		words += length;
		words += strspn(words, " ");
	}
	return error;
}

static void note_reason(struct findings *findings, const struct survey_domain *domain,
			const struct limit_line *line, size_t coarse, const struct reason *reason)
{
	const char *meaning = COARSE[coarse].meaning;
	struct isst_finding *finding;

	finding = findings_note(findings, COARSE[coarse].code,
				"performance limit reasons %s (debugfs, "
				"tpmi-*/plr/domain*/status)",
				reason->words);
	finding_explain(findings, finding,
			message_make(&findings->survey->context->messages,
				     "%s, once or more often since the reasons were last cleared%s"
				     "%s%s",
				     meaning, reason->meanings ? " (" : "",
				     reason->meanings ? reason->meanings : "",
				     reason->meanings ? ")" : ""),
			NULL);
	if (line->of_domain)
		finding_add_place(findings, finding, domain);
	else
		finding_add_cpu(findings, finding, domain, line->cpu);
}

static void check_line(struct findings *findings, const struct survey_domain *domain,
		       const struct limit_line *line)
{
	struct reason reasons[LIMIT_WORDS + 1] = { 0 };

	if (divide(line->words, reasons))
		findings->error = -ENOMEM;
	for (size_t i = 0; i <= LIMIT_WORDS; i++) {
		if (reasons[i].given && !findings->error)
			note_reason(findings, domain, line, i, &reasons[i]);
		free(reasons[i].words);
		free(reasons[i].meanings);
	}
}

/** The domain of a CPU; NULL where it is not asked for. */
static const struct survey_domain *domain_of(const struct survey *survey, unsigned int cpu)
{
	for (size_t i = 0; i < survey->count; i++)
		if (survey->domains[i].asked &&
		    isst_cpuset_has(survey->domains[i].domain->present, cpu))
			return &survey->domains[i];
	return NULL;
}

/** The line of all CPUs of a domain counts where those of single CPUs are empty. */
static bool names_cpus(const struct limit_reasons *reasons, size_t first)
{
	for (size_t i = first + 1; i < reasons->count && !reasons->lines[i].of_domain; i++)
		if (*reasons->lines[i].words)
			return true;
	return false;
}

static void check_domain_line(struct findings *findings, size_t i)
{
	const struct survey *survey = findings->survey;
	const struct limit_reasons *reasons = &survey->reasons;
	const struct survey_domain *domain;

	if (i + 1 >= reasons->count || reasons->lines[i + 1].of_domain || names_cpus(reasons, i))
		return;
	domain = domain_of(survey, reasons->lines[i + 1].cpu);
	if (domain)
		check_line(findings, domain, &reasons->lines[i]);
}

void check_reasons(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->reasons.count; i++) {
		const struct limit_line *line = &survey->reasons.lines[i];
		const struct survey_domain *domain;

		if (!*line->words)
			continue;
		if (line->of_domain) {
			check_domain_line(findings, i);
			continue;
		}
		domain = domain_of(survey, line->cpu);
		if (domain && (!survey->named || isst_cpuset_has(survey->named, line->cpu)))
			check_line(findings, domain, line);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what the kernel's files show of the machine as a whole, and notes what cannot be read. */
#include "base/array.h"
#include "explain/survey.h"
#include "sysfs/system.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Notes of what could not be read ---- */

static void add_note(struct survey *survey, struct message_list *list, int level, int error,
		     const struct isst_message *message)
{
	if (!message)
		return;
	message_mark(message, message->code, level, error);
	survey_take_error(survey, message_list_add(list, message));
}

void survey_note_failure(struct survey *survey, const struct isst_failure *failure)
{
	const struct isst_message *message;

	if (!failure->error || failure->error == -EOPNOTSUPP)
		return;
	message = message_find(&survey->context->messages, failure->message);
	survey->denied |= failure->error == -EPERM;
	if (failure->error == -EPERM)
		add_note(survey, &survey->notes, ISST_LOG_NOTICE, failure->error, message);
	else
		add_note(survey, &survey->unread, ISST_LOG_ERROR, failure->error, message);
}

void survey_note_file(struct survey *survey, int error)
{
	const struct isst_failure failure = { .error = error,
					      .message = isst_error(survey->context) };

	if (error == -ENOMEM)
		survey_take_error(survey, error);
	else if (error != -ENOENT)
		survey_note_failure(survey, &failure);
}

void survey_note(struct survey *survey, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_note(survey, &survey->notes, ISST_LOG_NOTICE, 0,
		 message_new(&survey->context->messages, of_machine(), format, arguments));
	va_end(arguments);
}

/* ---- Lockdown and containers, which hide files: where some could not be read ---- */

/* What is there in containers alone. */
static const struct {
	const char *path;
	bool named;		    /* the content is the name of what made the container */
	const char *const words[5]; /* one of which it contains there; none: it is enough that the
				       file is there */
} SIGNS[] = {
	{ "/run/systemd/container", true, { NULL } },
	{ "/run/.containerenv", false, { NULL } },
	{ "/.dockerenv", false, { NULL } },
	{ "/proc/1/cgroup", false, { "docker", "kubepods", "libpod", "lxc", NULL } },
};

static bool has_word(const char *text, const char *const *words)
{
	if (!words[0])
		return true;
	while (*words && !strstr(text, *words))
		words++;
	return *words;
}

void survey_read_hidden(struct survey *survey)
{
	struct kernel_files *files = &survey->context->files;
	char *text, *begin, *end;
	bool found = false;
	int error;

	if (!survey->denied)
		return;
	/* The file has all modes, the one in force in brackets: none [integrity] confidentiality */
	error = kernel_files_text(files, "/sys/kernel/security/lockdown", &text);
	begin = error ? NULL : strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end && end > begin + 1 && strncmp(begin, "[none]", strlen("[none]")) != 0)
		survey_note(survey,
			    "kernel lockdown is in force (%.*s, /sys/kernel/security/lockdown): "
			    "files of debugfs cannot be read, not even by root",
			    (int)(end - begin - 1), begin + 1);
	if (!error)
		free(text);
	survey_take_error(survey, error == -ENOMEM ? error : 0);
	for (size_t i = 0; i < sizeof(SIGNS) / sizeof(SIGNS[0]) && !found && !survey->error; i++) {
		text = NULL;
		error = kernel_files_text(files, SIGNS[i].path, &text);
		found = !error && has_word(text, SIGNS[i].words);
		if (found)
			survey_note(survey,
				    "this is a container (%s%s%s): files and processes of "
				    "the host can be hidden",
				    SIGNS[i].path, SIGNS[i].named ? ": " : "",
				    SIGNS[i].named ? text : "");
		survey_take_error(survey, error == -ENOMEM ? error : 0);
		free(text);
	}
}

/* ---- The machine as a whole ---- */

static void read_text(struct survey *survey, const char *path, char **text)
{
	survey_note_file(survey, kernel_files_text(&survey->context->files, path, text));
}

/** The version at the beginning of a release, such as 6.12.117-1; 0: not understood. */
static unsigned long parse_release(const char *release)
{
	unsigned long numbers[3] = { 0 };
	size_t count = 0;

	for (const char *at = release; at && isdigit((unsigned char)*at) && count < 3; count++) {
		char *end;

		numbers[count] = strtoul(at, &end, 10);
		/* They would not compare, and no kernel has them. */
		if (numbers[count] > 999)
			return 0;
		at = *end == '.' ? end + 1 : end;
	}
	return count < 2 ? 0 : KERNEL_VERSION(numbers[0], numbers[1], numbers[2]);
}

static int note_efficiency_control(void *survey, const char *name)
{
	(void)name;
	((struct survey *)survey)->has_efficiency_control = true;
	return 0;
}

void survey_read_whole(struct survey *survey)
{
	struct kernel_files *files = &survey->context->files;
	uint64_t resumes = 0;

	survey_note_file(survey, cpufreq_turbo_state(files, &survey->turbo));
	survey_note_file(survey, hotplug_smt_control(files, &survey->smt));
	read_text(survey, "/proc/sys/kernel/osrelease", &survey->release);
	survey->kernel_version = parse_release(survey->release);
	survey_note_file(survey, cpufreq_percentage(files, CPUFREQ_MAX, &survey->max_perf_pct));
	survey_note_file(survey, cpufreq_percentage(files, CPUFREQ_MIN, &survey->min_perf_pct));
	survey_note_file(survey, kernel_files_number(files, RESUMES_FILE, UINT32_MAX, &resumes));
	survey->resumes = (unsigned int)resumes;
	/* One fabric cluster is like all others. */
	if (context_has_power_domains(survey->context))
		survey_note_file(survey,
				 kernel_files_each(files,
						   CPU_DIRECTORY "/intel_uncore_frequency/uncore00",
						   "elc_", note_efficiency_control, survey));
	survey->undisturbed = isst_cpuset_new();
	survey_take_error(survey, survey->undisturbed ? undisturbed_cpus(files, survey->undisturbed)
						      : -ENOMEM);
}

/* ---- Why there is no cpufreq, or no HWP ---- */

/** Whether a CPU has no cpufreq, or not what that has with HWP. */
static bool lacks_cpufreq(const struct survey *survey)
{
	survey_for_each_domain (domain, survey)
		survey_for_each_cpu (cpu, domain) {
			if (cpu->read && (!cpu->has_cpufreq || !cpu->base_khz))
				return true;
		}
	return false;
}

void survey_read_causes(struct survey *survey)
{
	char *text = NULL, *line, *end;

	if (!lacks_cpufreq(survey))
		return;
	read_text(survey, "/proc/cmdline", &survey->command_line);
	read_text(survey, CPU_DIRECTORY "/intel_pstate/status", &survey->pstate);
	/* The flags of the first processor, between blanks. */
	read_text(survey, "/proc/cpuinfo", &text);
	line = text ? strstr(text, "\nflags\t") : NULL;
	end = line ? strchr(line + 1, '\n') : NULL;
	if (line && end) {
		*end = ' ';
		end[1] = '\0';
		survey->flags = strdup(line);
		survey_take_error(survey, survey->flags ? 0 : -ENOMEM);
	}
	free(text);
}

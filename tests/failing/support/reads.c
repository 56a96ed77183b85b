/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the built command with one read of the machine failing for good, and checks the result. */
#include "failing/support/failing.h"
#include "failing/support/runs.h"

#include <regex.h>
#include <sys/wait.h>
#include <unistd.h>

/* What reads and what changes, of each row of the command table that has to do with a machine. */
static const struct command COMMANDS[] = {
	{ "--info", NULL, false, NULL },
	{ "perf-profile info", NULL, false, NULL },
	{ "perf-profile get-lock-status", NULL, false, NULL },
	{ "perf-profile get-config-current-level", NULL, false, NULL },
	{ "base-freq info", NULL, false, NULL },
	{ "turbo-freq info -l 0", NULL, false, NULL },
	{ "turbo-freq plan --high-priority 1/package", NULL, false, NULL },
	{ "core-power info", NULL, false, NULL },
	{ "core-power get-config -c 0", NULL, false, NULL },
	{ "-c 0-3 core-power get-assoc", NULL, false, NULL },
	{ "core-power get-assoc --by-clos", NULL, false, NULL },
	{ "turbo-mode get-trl", NULL, false, NULL },
	{ "status", NULL, false, NULL },
	{ "levels", NULL, false, NULL },
	{ "-f json-v2 levels", NULL, false, NULL },
	{ "-f json status --map", "turbo-freq enable auto cpus", false, NULL },
	{ "-f json-v2 status", NULL, false, NULL },
	{ "-f openmetrics status", "core-power enable", false, NULL },
	{ "-f facts status", NULL, false, NULL },
	{ "-f nfd status", NULL, false, NULL },
	{ "explain", NULL, false, NULL },
	{ "explain", "turbo-freq enable auto cpus", false, NULL },
	/* Power domains alone: classes hold by SST-TF. */
	{ "explain", "turbo-freq enable auto cpus; core-power disable", false, NULL },
	{ "config save", "core-power enable", false, NULL },
	{ "config save --all", NULL, false, NULL },
	{ "config check --set 'level 0' --set 'cpus online' --set '? turbo-freq off'", NULL, false,
	  NULL },
	{ "config check --set '? core-power off' --set '? clos 0: max none' --set '? clos 1: min 0'",
	  NULL, false, NULL },
	{ "config check --set '? association 0' --set '? scaling-max none'", NULL, false, NULL },
	{ "config check --set '? uncore-max none' --set 'level 0' --set '? scaling-min none'", NULL,
	  false, NULL },
	{ "config check --set '? scaling-max base' --set '? clos 2: max base'",
	  "turbo-mode disable", false, NULL },
	{ "perf-profile set-config-level -l 1", NULL, true, NULL },
	{ "perf-profile set-config-level -l 1 -o", NULL, true, NULL },
	{ "base-freq enable", NULL, true, NULL },
	{ "base-freq enable -a", NULL, true, NULL },
	{ "base-freq disable -a", "base-freq enable auto", true, NULL },
	{ "turbo-freq enable -a", NULL, true, NULL },
	{ "turbo-freq enable -a --high-priority 1/package", NULL, true, NULL },
	{ "turbo-freq disable -a", "turbo-freq enable auto", true, NULL },
	{ "core-power enable", NULL, true, NULL },
	{ "core-power disable", "core-power enable", true, NULL },
	{ "core-power config -c 1 --min 1200 --max 1900", NULL, true, NULL },
	{ "-c 0-3 core-power assoc -c 2", NULL, true, NULL },
	{ "turbo-mode disable", NULL, true, NULL },
	{ "turbo-mode set-trl -t 0x1414141414141414", NULL, true, NULL },
	{ "config apply --set '? clos 0: max base' --set '? turbo-ratio-limits level' "
	  "--set '? scaling-max base' --set '? level 0'",
	  NULL, true, NULL },
	{ "config apply --set '? level 1' --set '? cpus by-level'", NULL, true, NULL },
	{ "config apply --set '? high-priority 1/package'", NULL, true, NULL },
	{ "config reset", "core-power enable", true, NULL },
	{ "config reset --boot", "core-power enable", true, NULL },
	{ "--dry-run config apply --set '? level 1' --set '? core-power on'", NULL, false, NULL },
	{ "with --set '? scaling-max base' --set '? core-power on' -- true", NULL, false, NULL },
};

/* Messages of what the answer does not depend on, or of what is left out with the command's
 * promise kept for the rest. */
static const struct notice {
	const char *pattern; /* of a line */
	const char *reason;
	bool left_out; /* the rest of the output, or the machine, is without what the line names */
} NOTICES[] = {
	{ "the state after boot: this is not kept", "it is for later commands", false },
	{ "the time of this run is not recorded", "it is for `status`", false },
	{ "a rollback would leave .*unchanged$", "only a rollback would need it", false },
	{ "could not be discovered again", "the change was verified before", false },
	{ "core-power is disabled: if turbo-freq is enabled there",
	  "that it may be on is what the message says", false },
	{ "package 0, power domain [12]: .*(left unchanged.*|the result is unknown|\\(EIO\\)( "
	  "\\(and [0-9]+ more\\))?)$",
	  "an I/O die follows the others of a changing command (docs/internals/transactions.md)",
	  true },
	{ "cannot read the turbo ratio limits .*(left unchanged|the result is unknown)",
	  "turbo-freq does without (docs/internals/transactions.md)", true },
	{ "^Information: the driver does not report the core of CPU.*: left out$",
	  "a CPU that is not named", false },
	{ "whether what was left out differs is unknown", "the result is `incomplete`", true },
	{ "^Information: which CPUs the level has otherwise is not known",
	  "the level is set, and verified", false },
	{ "^Information: CPUs? [0-9,-]+ (is|are) (online, though not|offline, though) enabled by the",
	  "the level is set, and verified", false },
	{ "^Information: .*: enable only limits each CPU to the base frequency that the BIOS",
	  "it explains what the change costs", false },
	{ "^Information: .* the uncore minimum of fabric .* at boot it was",
	  "it explains what the level did", false },
	{ "^Information: .* feature is not present at (this )?level [0-9]+(;.*)?$",
	  "what follows is which other levels have it", false },
	{ "cannot read the name of the processor", "nothing depends on it", true },
};

/** The problems of all runs, so that one hides no other. */
static unsigned int failures, runs;

static bool matches(const char *line, const char *pattern)
{
	regex_t expression;
	bool found;

	assert_int_equal(regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB), 0);
	found = regexec(&expression, line, 0, NULL, 0) == 0;
	regfree(&expression);
	return found;
}

/** Drops lines of notices that stand for nothing else. Returns whether something was left out. */
static bool drop_notices(char *text)
{
	bool left_out = false;
	char *to = text, *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && (rest || *line)) {
		const struct notice *notice = NULL;

		for (size_t i = 0; i < COUNT(NOTICES) && !notice; i++)
			if (matches(line, NOTICES[i].pattern))
				notice = &NOTICES[i];
		left_out |= notice && notice->left_out;
		if (notice)
			continue;
		to = memmove(to, line, strlen(line));
		to += strlen(line);
		*to++ = '\n';
	}
	*to = '\0';
	return left_out;
}

/** What a run printed, on both streams. */
struct printed {
	char *text;
	bool left_out;
};

static struct printed take_output(const struct machine *machine, struct end *end)
{
	char *errors = stream_text(machine, "stderr");
	struct printed printed;

	assert_true(asprintf(&printed.text, "%s\n%s\n", end->output, errors) >= 0);
	printed.left_out = drop_notices(printed.text);
	free(errors);
	free(end->output);
	return printed;
}

/** What the undisturbed run does. */
struct course {
	struct moment before;
	int status;
	struct printed printed;
	char *after;
};

/** The operation that failed, as the emulator names it; NULL: there were fewer. */
static char *failed_read(const struct machine *machine)
{
	static const char LINE[] = "fault rule sticks: ";
	char *log = machine_text(machine, "log"), *found = log ? strstr(log, LINE) : NULL, *name;

	name = found ? strndup(found + strlen(LINE), strcspn(found + strlen(LINE), "\n")) : NULL;
	free(log);
	return name;
}

static bool claims_success(const char *text)
{
	return matches(text,
		       ":success|check:equal|Nothing found[.]|already in the requested state");
}

/** Why a run is wrong; NULL: it is not. */
static const char *find_mistake(const struct machine *machine, const struct command *command,
				const struct course *course, const struct end *end,
				const struct printed *printed)
{
	enum { ROLLBACK_INCOMPLETE = 5, PROGRAM_NOT_RUN = 125 };
	int status = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1;
	const char *mistake = NULL;
	char *picture = NULL;

	if (status < 0 || status == 126)
		return "it did not end by itself";
	if (command->changes)
		picture = machine_picture(machine);
	if (status == course->status && strcmp(printed->text, course->printed.text) == 0)
		mistake = picture && !printed->left_out && strcmp(picture, course->after) != 0
				  ? "it is not done"
				  : NULL;
	else if (!printed->left_out && (status == 0 || !strstr(printed->text, "Error")))
		mistake = "another output, and no error";
	else if (status != 0 && claims_success(printed->text))
		mistake = "it failed, and claims success";
	else if (status != 0 && status != ROLLBACK_INCOMPLETE && status != PROGRAM_NOT_RUN &&
		 picture && strcmp(picture, course->before.picture) != 0)
		mistake = "it failed, and the machine is not as before";
	free(picture);
	return mistake;
}

/** Returns false where there are fewer reads. */
static bool fail_one(const struct machine *machine, const struct command *command,
		     const struct course *course, unsigned long at)
{
	const struct disturbance disturbance = { "reads", false, at };
	struct printed printed;
	const char *mistake;
	struct end end;
	char *read;

	moment_return(&course->before);
	end = run_command(machine, command, &disturbance);
	read = failed_read(machine);
	printed = take_output(machine, &end);
	mistake = read ? find_mistake(machine, command, course, &end, &printed) : NULL;
	if (mistake) {
		failures++;
		print_error("%s: isst %s, read %lu (%s), status %d: %s\n%s", machine->name,
			    command->line, at, read, WEXITSTATUS(end.status), mistake,
			    printed.text);
	}
	runs += read != NULL;
	free(printed.text);
	free(read);
	return read != NULL;
}

static bool is_here(int status)
{
	enum { UNKNOWN_ANYWHERE = 2, UNKNOWN_HERE = 3 };

	return WIFEXITED(status) && WEXITSTATUS(status) != UNKNOWN_ANYWHERE &&
	       WEXITSTATUS(status) != UNKNOWN_HERE;
}

static bool takes_all(void)
{
	return suite_is_large() || getenv("ISST_EVERY") || getenv("ISST_COMMAND");
}

/** `make check` takes some of them, others for each command and machine. */
static unsigned long stride(size_t index)
{
	return takes_all() ? 1 : 61 + index % 7;
}

static void fail_reads(const struct machine *machine, const struct command *command, size_t index)
{
	static const struct disturbance none = { "reads", false, 0 };
	unsigned long at = 1 + (index * 7 + strlen(machine->name)) % stride(index);
	struct course course = { 0 };
	struct end end;

	if (!machine_restart(machine, command->before))
		return;
	/* What is remembered of the machine is there. */
	machine_look(machine);
	course.before = moment_take(machine);
	end = run_command(machine, command, &none);
	course.status = WEXITSTATUS(end.status);
	course.printed = take_output(machine, &end);
	course.after = machine_picture(machine);
	while (is_here(end.status) && fail_one(machine, command, &course, at))
		at += stride(index);
	moment_return(&course.before);
	moment_clear(&course.before);
	free(course.printed.text);
	free(course.after);
}

void each_read_fails(const char *platform)
{
	static unsigned int machines; /* each command has two of them in `make check` */
	const char *only = getenv("ISST_COMMAND");

	skip_where_impossible();
	machines++;
	failures = runs = 0;
	automachine struct machine machine = machine_begin(platform);
	for (size_t i = 0; i < COUNT(COMMANDS); i++)
		if (only ? strstr(COMMANDS[i].line, only) != NULL
			 : takes_all() || (i + machines) % 3 == 0)
			fail_reads(&machine, &COMMANDS[i], i);
	print_message("%s: %u reads failed\n", platform, runs);
	assert_true(runs > 0);
	assert_int_equal(failures, 0);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the built command with failures, and checks the result. */
#include "failing/support/failing.h"
#include "failing/support/runs.h"

#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct command commands[] = {
	{ "--info", NULL, false, NULL },
	{ "perf-profile info", NULL, false, NULL },
	{ "-f json -c 0-1 core-power get-assoc", NULL, false, NULL },
	{ "turbo-freq info -l 0", NULL, false, NULL },
	{ "turbo-freq plan --high-priority 1/package --within @package:0", NULL, false, NULL },
	{ "-c 0,@clos:0,@node:0 core-power get-assoc --by-clos", NULL, false, NULL },
	{ "status", "turbo-freq enable auto cpus", false, NULL },
	{ "levels", NULL, false, NULL },
	{ "-f json -c 0 status --map", NULL, false, NULL },
	{ "-f json-v2 -c 0 core-power get-config -c 0", NULL, false, NULL },
	{ "--get cpus[cpu=1].levels[level=0].enabled_cpus.ranges -c 0-1 perf-profile info", NULL,
	  false, NULL },
	{ "-f openmetrics status", "turbo-freq enable auto cpus", false, NULL },
	{ "-f facts -c 0 status", "turbo-freq enable auto cpus", false, NULL },
	{ "explain", NULL, false, NULL },
	{ "-f json explain -c 0-1", NULL, false, NULL },
	{ "perf-profile set-config-level -l 1", NULL, true, NULL },
	{ "perf-profile set-config-level -l 1 -o", NULL, true, NULL },
	{ "base-freq enable -a", NULL, true, NULL },
	{ "turbo-freq enable -a", NULL, true, NULL },
	{ "turbo-freq enable -a --high-priority 1/package --avoid 0", NULL, true, NULL },
	{ "-c @high-priority core-power get-assoc", "turbo-freq enable auto cpus", false, NULL },
	{ "core-power config -c 1 --min 1200 --max 1900", NULL, true, NULL },
	{ "core-power config -c 1 --min 1200 --max 1900", NULL, true, "level 1 online" },
	{ "core-power config -c 1 --min 1200 --max 1900", NULL, true, "base-freq enable auto" },
	{ "--dry-run core-power enable", NULL, false, NULL },
	{ "journal show", NULL, false, "core-power enable" },
	/* Without partitions: those of the run before it go away. */
	{ "perf-profile set-config-level -l 0 -o", "level 1 partitions", true, NULL },
};

static char *build_path(const char *name)
{
	char self[PATH_MAX], *path;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(length > 0);
	self[length] = '\0';
	/* BUILD/tests/failing/PROGRAM */
	for (unsigned int i = 0; i < 3; i++)
		*strrchr(self, '/') = '\0';
	assert_true(asprintf(&path, "%s/%s", self, name) >= 0);
	return path;
}

static void redirect(const struct machine *machine, int descriptor, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", machine->scratch, name) < 0 ||
	    !freopen(path, "w", descriptor == STDOUT_FILENO ? stdout : stderr))
		_exit(126);
}

static void set_rule(const struct machine *machine, const struct disturbance *disturbance)
{
	if (disturbance->fail_at > 0)
		machine_faults(machine, "query any EIO after %lu times 1 sticks\n",
			       disturbance->fail_at - 1);
	else
		machine_faults(machine, "%s", "");
}

static void set_environment(const struct machine *machine, const struct disturbance *disturbance)
{
	char *library = build_path("tests/failing/fail.so"), *count, at[24];

	assert_true(asprintf(&count, "%s/count", machine->scratch) >= 0);
	snprintf(at, sizeof(at), "%lu", disturbance->fail_at);
	setenv("LD_PRELOAD", library, 1);
	setenv("ISST_FAIL", disturbance->what, 1);
	setenv("ISST_FAIL_AT", at, 1);
	setenv("ISST_FAIL_COUNT", count, 1);
	if (disturbance->on)
		setenv("ISST_FAIL_ON", "yes", 1);
	/* What is used after it was freed, or before it was set, is to be noticed. */
	setenv("MALLOC_PERTURB_", "165", 1);
	setenv("ISST_EMULATE", machine->platform, 1);
	setenv("ISST_EMULATE_STATE", machine->state, 1);
	setenv("LC_ALL", "C", 1);
}

/** The next word of a line; one in quotes may hold spaces. NULL: none is left. */
static char *next_word(char **line)
{
	char *word;

	*line += strspn(*line, " ");
	word = *line;
	if (*word == '\0')
		return NULL;
	if (*word == '\'')
		word = ++*line;
	*line += strcspn(*line, word > *line - 1 && word[-1] == '\'' ? "'" : " ");
	if (**line)
		*(*line)++ = '\0';
	return word;
}

static void exec_command(const struct machine *machine, const struct command *command,
			 const struct disturbance *disturbance)
{
	char *program = build_path("isst"), *line = strdup(command->line), *words[32];
	size_t count = 0;

	words[count++] = program;
	while ((words[count] = next_word(&line)))
		count++;
	redirect(machine, STDOUT_FILENO, "stdout");
	redirect(machine, STDERR_FILENO, "stderr");
	set_environment(machine, disturbance);
	alarm(60);
	execv(program, words);
	_exit(127);
}

char *stream_text(const struct machine *machine, const char *name)
{
	char *path, *text = NULL;
	size_t space = 0;
	FILE *file;

	assert_true(asprintf(&path, "%s/%s", machine->scratch, name) >= 0);
	file = fopen(path, "r");
	assert_non_null(file);
	if (getdelim(&text, &space, '\0', file) < 0)
		*text = '\0';
	fclose(file);
	free(path);
	return text;
}

/** What the library counted; nothing where the run did not come to its end. */
static void read_counts(const struct machine *machine, struct end *end)
{
	char *text = stream_text(machine, "count"), *rest;

	end->count = strtoul(text, &rest, 10);
	end->blocks = strtoul(rest, NULL, 10);
	free(text);
}

static void empty_file(const struct machine *machine, const char *name)
{
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/%s", machine->scratch, name) >= 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	free(path);
}

struct end run_command(const struct machine *machine, const struct command *command,
		       const struct disturbance *disturbance)
{
	struct end end;
	pid_t child;

	empty_file(machine, "count");
	if (strcmp(disturbance->what, "reads") == 0)
		set_rule(machine, disturbance);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		exec_command(machine, command, disturbance);
	assert_int_equal(waitpid(child, &end.status, 0), child);
	end.output = stream_text(machine, "stdout");
	read_counts(machine, &end);
	return end;
}

const struct disturbance undisturbed = { .what = "" };

/** What a command does when nothing fails. */
struct course {
	struct moment before;
	char *after; /* a picture */
	char *output;
	unsigned long count, blocks;
	unsigned long *places; /* numbers for those that can fail: from where they are called */
};

/* Of all runs, so that one that goes wrong hides no other; and how many
 * ended at once, in all tests: no place fails twice. */
static unsigned int failures, ended;

static void note_failure(const struct machine *machine, const struct command *command,
			 const struct disturbance *disturbance, const char *what)
{
	char *errors = stream_text(machine, "stderr");

	failures++;
	print_error("%s: isst %s%s%s, %s %lu%s: %s\n%s", machine->name, command->line,
		    command->killed ? " behind a killed " : "",
		    command->killed ? command->killed : "", disturbance->what, disturbance->fail_at,
		    disturbance->on ? " and all that follow" : "", what, errors);
	free(errors);
}

/** Whether two outputs are alike but for the age of a journal, which grows. */
static bool same_output(const char *one, const char *other)
{
	static const char AGE[] = "age(s):";

	while (*one && *other) {
		if (strncmp(one, AGE, strlen(AGE)) == 0 && strncmp(other, AGE, strlen(AGE)) == 0) {
			one += strcspn(one, "\n");
			other += strcspn(other, "\n");
		}
		if (*one++ != *other++)
			return false;
	}
	return *one == *other;
}

/** Whether the command ended at once, since it had no memory: by its status and one message. */
static bool ends_without_memory(const struct machine *machine, const struct command *command,
				const struct disturbance *disturbance, const struct end *end)
{
	enum { NO_MEMORY = 1 };
	static const char MESSAGE[] = "Error: cannot allocate memory\n";
	char *errors = stream_text(machine, "stderr"), *message = strstr(errors, MESSAGE);
	bool last = message && strcmp(message, MESSAGE) == 0;

	if (message && (!last || !WIFEXITED(end->status) || WEXITSTATUS(end->status) != NO_MEMORY))
		note_failure(machine, command, disturbance,
			     "the want of memory is not what it ends with");
	free(errors);
	ended += last;
	return last;
}

static void check_end(const struct machine *machine, const struct command *command,
		      const struct course *course, const struct disturbance *disturbance,
		      const struct end *end)
{
	enum { ROLLBACK_INCOMPLETE = 5 };
	int status = WEXITSTATUS(end->status);
	char *picture, *errors;
	bool made, noted, at_once;

	if (!WIFEXITED(end->status)) {
		note_failure(machine, command, disturbance, strsignal(WTERMSIG(end->status)));
		return;
	}
	if (status >= 126)
		note_failure(machine, command, disturbance, "not started, or found by a sanitizer");
	at_once = ends_without_memory(machine, command, disturbance, end);
	picture = machine_picture(machine);
	errors = stream_text(machine, "stderr");
	/*
	 * What a domain without CPUs refuses, and an uncore that cannot be read, are left with a
	 * note; so is what the emulated kernel had no memory, or no descriptor, for.
	 */
	noted = strstr(errors, "left unchanged") || strstr(errors, "does not report the core");
	noted = noted || strstr(errors, "cannot read the name of the processor");
	/* The emulated firmware does not answer then: `journal show` reports it as unknown. */
	noted = noted || strstr(end->output, "now:unknown");
	/* But whose CPUs a partition has is no question of memory. */
	noted = noted && !strstr(errors, "it is not a partition of CPUs of");
	if (status == 0 && !noted && !same_output(end->output, course->output))
		note_failure(machine, command, disturbance, "status 0 with another output");
	if (status == 0 && !noted && strcmp(picture, course->after) != 0)
		note_failure(machine, command, disturbance, "status 0, but it is not done");
	made = strstr(errors, "the change was made") && strcmp(picture, course->after) == 0;
	/* The journal of a failed recovery is kept for the next run, as is that of a change which
	 * ended at once. */
	if (status != 0 && status != ROLLBACK_INCOMPLETE && !made && !command->killed &&
	    !(at_once && command->changes) && strcmp(picture, course->before.picture) != 0)
		note_failure(machine, command, disturbance,
			     "partially changed, and the status does not show it");
	/* What the C library keeps for itself, such as buffers of streams, it keeps in any run. */
	if (end->blocks > course->blocks && !at_once)
		note_failure(machine, command, disturbance, "memory is not freed");
	if (status != 0 && *errors == '\0' && *end->output == '\0')
		note_failure(machine, command, disturbance, "it failed without a message");
	if (strstr(errors, "Error: ;") || strstr(errors, "Error: \n"))
		note_failure(machine, command, disturbance,
			     "the message does not contain the cause");
	free(errors);
	free(picture);
}

/**
 * A run that could not even look at what its step had moved leaves that to be decided: the next one
 * stops, and reports how.
 */
static bool stops_at_journal(const struct machine *machine, const struct end *end)
{
	char *errors = stream_text(machine, "stderr");
	bool stops = WIFEXITED(end->status) && WEXITSTATUS(end->status) == 1 &&
		     strstr(errors, "`isst journal apply`");

	free(errors);
	return stops;
}

/** Whatever is left, the next run makes it right, once what an earlier one left is decided. */
static void check_next(const struct machine *machine, const struct command *command,
		       const struct course *course, const struct disturbance *disturbance)
{
	static const struct command apply = { .line = "journal apply" };
	struct end end = run_command(machine, command, &undisturbed);
	char *picture;

	if (disturbance->on && stops_at_journal(machine, &end)) {
		free(end.output);
		end = run_command(machine, &apply, &undisturbed);
		free(end.output);
		end = run_command(machine, command, &undisturbed);
	}
	picture = machine_picture(machine);
	if (end.status != 0)
		note_failure(machine, command, disturbance, "the next run fails");
	if (strcmp(picture, course->after) != 0)
		note_failure(machine, command, disturbance, "the next run does not do it");
	free(picture);
	free(end.output);
}

static unsigned long *read_places(const struct machine *machine, unsigned long count)
{
	unsigned long *places = calloc(count + 1, sizeof(*places));
	char *text = stream_text(machine, "count"), *rest = strchr(text, '\n');

	assert_non_null(places);
	assert_non_null(rest);
	for (unsigned long i = 0; i < count; i++)
		places[i] = strtoul(rest, &rest, 10);
	free(text);
	return places;
}

static bool begin_course(const struct machine *machine, const struct command *command,
			 const char *what, struct course *course)
{
	const struct disturbance counted = { .what = what };
	struct end end;

	if (!machine_restart(machine, command->before))
		return false;
	if (command->killed)
		machine_try_killed(machine, command->killed, "change any times 1 signal KILL");
	course->before = moment_take(machine);
	end = run_command(machine, command, &counted);
	if (end.status != 0)
		note_failure(machine, command, &counted, "it fails undisturbed");
	course->output = end.output;
	course->count = end.count;
	course->blocks = end.blocks;
	course->places = read_places(machine, end.count);
	course->after = machine_picture(machine);
	assert_true(course->count > 0);
	assert_int_equal(strcmp(course->after, course->before.picture) != 0, command->changes);
	return true;
}

static void end_course(struct course *course)
{
	moment_return(&course->before);
	moment_clear(&course->before);
	free(course->after);
	free(course->output);
	free(course->places);
}

/** Of thousands of allocations some are chosen, others for each command, and more with the large
 * machines. ISST_EVERY: all. */
static unsigned long stride_of(unsigned long count, size_t command)
{
	unsigned long most = suite_is_large() ? 60 : 5;
	unsigned long stride = (count + most - 1) / most;

	if (getenv("ISST_EVERY") || stride <= 1)
		return 1;
	return stride + command % 3;
}

/** Whether no other one failed yet that was asked for from the same place. */
static bool is_at_new_place(unsigned long place)
{
	static bool known[1 << 20];
	bool new = !known[place % COUNT(known)];

	known[place % COUNT(known)] = true;
	return new || getenv("ISST_EVERY");
}

static void fail_command(const struct machine *machine, size_t index, const char *what, bool on)
{
	const struct command *command = &commands[index];
	struct course course;
	unsigned long stride;

	if (!begin_course(machine, command, what, &course))
		return;
	/* One of each place; whether all that follow fail is a question of time. */
	stride = on ? stride_of(course.count, index) : 1;
	for (unsigned long at = 1 + index % stride; at <= course.count; at += stride) {
		const struct disturbance disturbance = { what, on, at };
		struct end end;

		if (!on && !is_at_new_place(course.places[at - 1]))
			continue;
		moment_return(&course.before);
		end = run_command(machine, command, &disturbance);
		check_end(machine, command, &course, &disturbance, &end);
		if (command->changes)
			check_next(machine, command, &course, &disturbance);
		free(end.output);
	}
	end_course(&course);
}

void each_fails(const char *platform, const char *what, bool on)
{
	skip_where_impossible();
	failures = 0;
	automachine struct machine machine = machine_begin(platform);
	for (size_t i = 0; i < COUNT(commands); i++)
		fail_command(&machine, i, what, on);
	assert_int_equal(failures, 0);
	assert_true(ended > 0 || strcmp(what, "memory") != 0);
}

void allocations_fail(const char *platform, const char *const *lines, size_t count,
		      unsigned long stride)
{
	enum { WRONG_REQUEST = 2 };

	skip_where_impossible();
	failures = 0;
	automachine struct machine machine = machine_begin(platform);
	machine_look(&machine);
	for (size_t i = 0; i < count; i++) {
		const struct command command = { .line = lines[i] };
		struct disturbance disturbance = { .what = "memory" };
		struct end whole = run_command(&machine, &command, &disturbance), end;

		assert_true(whole.count > 0);
		for (unsigned long at = 1 + i % stride; at <= whole.count; at += stride) {
			disturbance.fail_at = at;
			end = run_command(&machine, &command, &disturbance);
			if (!ends_without_memory(&machine, &command, &disturbance, &end) &&
			    end.blocks > whole.blocks)
				note_failure(&machine, &command, &disturbance,
					     "memory is not freed");
			if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) == WRONG_REQUEST)
				note_failure(&machine, &command, &disturbance,
					     "lack of memory is taken for a wrong request");
			free(end.output);
		}
		free(whole.output);
	}
	assert_int_equal(failures, 0);
}

void skip_where_impossible(void)
{
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
	skip(); /* the functions of memory are taken, or have other names */
#endif
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Emulated machines in scratch directories, and requests on them. */
#include "transaction/support/machines.h"
#include "emulator/kernel/kernel.h"
#include "support/snapshot.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCK_MS = 20000 };

/** The last pictures: most of a loop's failures end in a state that was there before. */
struct drawn_pictures {
	char *picture[16];
	unsigned int next;
};

/** Of the last requests, until as many others were made. */
struct outcomes {
	struct outcome outcome[8];
	unsigned int next;
};

static char *join(const char *directory, const char *name)
{
	return formatted("%s/%s", directory, name);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t space = 0;

	if (file && getdelim(&text, &space, '\0', file) < 0) {
		free(text);
		text = strdup("");
	}
	if (file)
		fclose(file);
	return text;
}

/** A machine that was opened as its layers below the seams know it. */
static struct server *server_of(const struct isst_machine *opened)
{
	return opened->data;
}

/** A file of the kernel, past the fault rules, and not counted. */
static char *kernel_text(const struct machine *machine, const char *path)
{
	struct isst_machine *opened = machine_open(machine);
	struct server *server = server_of(opened);
	char *text = NULL;
	size_t size;

	assert_int_equal(state_lock(server), 0);
	if (kernel_read(server, path, &text, &size))
		text = NULL;
	state_unlock(server);
	opened->release(opened);
	return text;
}

char *machine_text(const struct machine *machine, const char *path)
{
	char *text;

	if (*path == '/')
		return kernel_text(machine, path);
	autofree char *full = join(machine->state, path);
	text = read_file(full);
	return text;
}

void machine_check_file(const struct machine *machine, const char *path, const char *expected)
{
	autofree char *text = machine_text(machine, path);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	if (!text || !expected ? text != expected : strcmp(text, expected) != 0)
		fail_msg("%s: %s is '%s', expected '%s'", machine->name, path, text, expected);
}

void machine_check_no_journal(const struct machine *machine, const char *what)
{
	autofree char *journal = machine_text(machine, "run/journal");

	if (journal)
		fail_msg("%s, %s: a journal is left:\n%s", machine->name, what, journal);
}

void machine_set_file(const struct machine *machine, const char *path, const char *text)
{
	struct isst_machine *opened = machine_open(machine);

	assert_int_equal(opened->files->write(opened->data, path, text, strlen(text)), 0);
	opened->release(opened);
}

void machine_set_online(const struct machine *machine, unsigned int first, unsigned int last,
			bool online)
{
	for (unsigned int cpu = first; cpu <= last; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		machine_set_file(machine, path, online ? "1" : "0");
	}
}

void machine_write(const struct machine *machine, const char *path, const char *text)
{
	autofree char *full = join(machine->state, path);

	write_file(full, text);
}

/** A machine without a file of rules is the faster one. */
static void remove_rules(const struct machine *machine)
{
	autofree char *path = join(machine->state, "faults");

	assert_true(unlink(path) == 0 || errno == ENOENT);
}

void machine_faults(const struct machine *machine, const char *format, ...)
{
	char *rules;

	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&rules, format, arguments) >= 0);
	va_end(arguments);
	if (*rules)
		machine_write(machine, "faults", rules);
	else
		remove_rules(machine);
	free(rules);
}

static char *platform_path(const char *name)
{
	const char *platforms = getenv("ISST_PLATFORMS");
	char *path;

	if (strncmp(name, "tests/", 6) != 0)
		return strdup(name);
	path = formatted("%s/%s.platform", platforms ? platforms : "tests/platforms", name + 6);
	return path;
}

static struct machine begin(const char *name)
{
	const char *temporary = getenv("TMPDIR");
	struct machine machine = { .name = name,
				   .fresh = calloc(1, sizeof(struct kept *)),
				   .drawn = calloc(1, sizeof(*machine.drawn)),
				   .outcomes = calloc(1, sizeof(*machine.outcomes)) };

	assert_true(machine.fresh && machine.drawn && machine.outcomes);
	machine.scratch = join(temporary ? temporary : "/tmp", "transaction-XXXXXX");
	assert_non_null(mkdtemp(machine.scratch));
	machine.state = join(machine.scratch, "state");
	assert_int_equal(mkdir(machine.state, 0700), 0);
	machine_faults(&machine, "%s", "");
	return machine;
}

/** Opening is what makes it. The runtime directory is part of it from then on: if each run made it
 * anew, the emulator would have to look up its files again after that. */
static void power_on(const struct machine *machine)
{
	struct isst_machine *opened = machine_open(machine);

	assert_true(mkdir(opened->runtime_directory, 0755) == 0 || errno == EEXIST);
	opened->release(opened);
}

/** Captured machines are locked; these tests need the unlocked behaviour of the firmware. */
static struct machine begun(struct machine machine)
{
	machine.target = (struct isst_emulator_target){ .platform = machine.platform,
							.state_directory = machine.state,
							.unlock = strncmp(machine.name, "tests/",
									  6) != 0 };
	power_on(&machine);
	return machine;
}

struct machine machine_begin(const char *name)
{
	struct machine machine = begin(name);

	machine.platform = platform_path(name);
	return begun(machine);
}

struct machine machine_begin_with(const char *name, const char *from, const char *to)
{
	autofree char *path = platform_path(name);
	autofree char *text = NULL;
	char *at, *error = NULL;
	struct isst_emulator_target target = { .platform = path };
	struct machine machine = begin(name);

	if (isst_emulator_show(&target, &text, &error))
		fail_msg("%s: %s", name, error);
	at = strstr(text, from);
	if (!at)
		fail_msg("%s has no '%s'", name, from);
	*at = '\0';
	autofree char *changed = formatted("%s%s%s", text, to, at + strlen(from));
	machine.platform = join(machine.scratch, "changed.platform");
	write_file(machine.platform, changed);
	return begun(machine);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static void outcome_clear(struct outcome *outcome)
{
	free(outcome->message);
	free(outcome->refusals);
	free(outcome->notices);
	free(outcome->warnings);
	free(outcome->differences);
	free(outcome->steps);
	free(outcome->without_cpus);
	seam_counts_clear(&outcome->counts);
	*outcome = (struct outcome){ 0 };
}

void machine_end(struct machine *machine)
{
	kept_free(*machine->fresh);
	free(machine->fresh);
	for (size_t i = 0; i < COUNT(machine->drawn->picture); i++)
		free(machine->drawn->picture[i]);
	free(machine->drawn);
	for (size_t i = 0; i < COUNT(machine->outcomes->outcome); i++)
		outcome_clear(&machine->outcomes->outcome[i]);
	free(machine->outcomes);
	assert_int_equal(nftw(machine->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(machine->scratch);
	free(machine->state);
	free(machine->platform);
}

void machine_change(struct machine *machine, const char *from, const char *to)
{
	const char *name = machine->name;

	machine_end(machine);
	*machine = machine_begin_with(name, from, to);
}

int machine_setup(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	assert_non_null(machine);
	*machine = machine_begin(*state);
	*state = machine;
	return 0;
}

int machine_teardown(void **state)
{
	machine_end(*state);
	free(*state);
	return 0;
}

struct isst_machine *machine_open(const struct machine *machine)
{
	struct isst_machine *opened;
	char *error = NULL;

	if (isst_emulator_open(&machine->target, &opened, &error))
		fail_msg("%s cannot be opened: %s", machine->name, error);
	return opened;
}

bool machine_restart(const struct machine *machine, const char *before)
{
	char *error = NULL;

	if (*machine->fresh) {
		kept_restore(*machine->fresh);
		return machine_prepare(machine, before);
	}
	if (isst_emulator_reset(&machine->target, &error))
		fail_msg("%s cannot be reset: %s", machine->name, error);
	machine_faults(machine, "%s", "");
	power_on(machine);
	*machine->fresh = kept_take(machine->state);
	return machine_prepare(machine, before);
}

struct isst_emulator_statistics machine_statistics(const struct machine *machine)
{
	struct isst_emulator_statistics *statistics, counted;
	char *error = NULL;

	if (isst_emulator_read_statistics(&machine->target, 0, &statistics, &error))
		fail_msg("%s has no statistics: %s", machine->name, error);
	counted = *statistics;
	isst_emulator_statistics_free(statistics);
	return counted;
}

/* ---- Pictures ---- */

/** What a CPU runs at follows from its limits and its CLOS. */
static void print_lines(FILE *stream, const char *path, char *content)
{
	char *rest = content, *line;

	while ((line = strsep(&rest, "\n")) && (*line || rest || line == content))
		if (strncmp(line, "cpu MHz\t", 8) != 0)
			fprintf(stream, "%s: %s\n", path, line);
}

/** Each boot has another id; registers are among what firmware holds; energy and times of CPUs
 * grow; the other is as above. */
static bool is_shown(const char *name)
{
	return strcmp(name, "boot_id") != 0 && strcmp(name, "stat") != 0 &&
	       strcmp(name, "mem_dump") != 0 && strcmp(name, "scaling_cur_freq") != 0 &&
	       strcmp(name, "energy_uj") != 0;
}

static void print_files(FILE *stream, struct server *server, const char *directory)
{
	char **names;
	size_t count;

	assert_int_equal(kernel_list(server, *directory ? directory : "/", &names, &count), 0);
	fprintf(stream, "%s/\n", directory);
	for (size_t i = 0; i < count; i++) {
		char *path = join(directory, names[i] + 1), *content;
		size_t size;

		if (names[i][0] == 'd') {
			print_files(stream, server, path);
		} else if (names[i][0] == 'f' && is_shown(names[i] + 1) &&
			   kernel_read(server, path, &content, &size) == 0) {
			print_lines(stream, path, content);
			free(content);
		}
		free(path);
	}
	kernel_free_list(names, count);
}

static void print_identities(FILE *stream, const struct platform *platform)
{
	for (size_t i = 0; i < platform->domain_count; i++)
		fprintf(stream, "domain %zu package: %u\ndomain %zu die: %u\n", i,
			platform->domains[i].package, i, platform->domains[i].die);
}

/** The files that follow from the state in @memory. */
static char *draw(const struct machine *machine, const char *memory)
{
	struct isst_machine *opened = machine_open(machine);
	struct server *server = server_of(opened);
	char *picture = NULL;
	size_t size;
	FILE *stream = open_memstream(&picture, &size);

	assert_non_null(stream);
	fputs(memory, stream);
	assert_int_equal(state_lock(server), 0);
	print_identities(stream, server->platform);
	print_files(stream, server, "");
	state_unlock(server);
	opened->release(opened);
	assert_int_equal(fclose(stream), 0);
	return picture;
}

/** Whether a picture is of the state in @memory. */
static bool is_of(const char *picture, const char *memory)
{
	static const char BEHIND[] = "domain 0 package";
	size_t length = strlen(memory);

	return strncmp(picture, memory, length) == 0 &&
	       strncmp(picture + length, BEHIND, strlen(BEHIND)) == 0;
}

static const char *find_drawn(const struct drawn_pictures *drawn, const char *memory)
{
	for (size_t i = 0; i < COUNT(drawn->picture); i++)
		if (drawn->picture[i] && is_of(drawn->picture[i], memory))
			return drawn->picture[i];
	return NULL;
}

static void keep_drawn(struct drawn_pictures *drawn, const char *picture)
{
	char **place = &drawn->picture[drawn->next++ % COUNT(drawn->picture)];

	free(*place);
	*place = strdup(picture);
	assert_non_null(*place);
}

/** The state, then what follows from it. Reading the files takes much longer than comparing states.
 */
char *machine_picture(const struct machine *machine)
{
	char *memory = machine_snapshot(machine->state), *picture;
	const char *drawn;

	assert_non_null(memory);
	drawn = find_drawn(machine->drawn, memory);
	picture = drawn ? strdup(drawn) : draw(machine, memory);
	assert_non_null(picture);
	/* What is deferred may take effect while the files are being read. */
	if (!drawn && !strstr(memory, "\ndeferred "))
		keep_drawn(machine->drawn, picture);
	free(memory);
	return picture;
}

/** Whether a picture is of what the machine holds now. */
static bool is_pictured(const struct machine *machine, const char *picture)
{
	autofree char *memory = machine_snapshot(machine->state);
	bool equal;

	assert_non_null(memory);
	equal = is_of(picture, memory);
	return equal;
}

int outcome_error(const struct outcome *outcome)
{
	const int errors[] = { outcome->lock, outcome->discovery, outcome->planning,
			       outcome->result };

	for (size_t i = 0; i < COUNT(errors); i++)
		if (errors[i])
			return errors[i];
	return 0;
}

__attribute__((format(printf, 3, 0))) static void check_picture(const struct machine *machine,
								const char *before,
								const char *format,
								va_list arguments)
{
	char *difference = NULL, *what;

	if (is_pictured(machine, before))
		return;
	autofree char *now = machine_picture(machine);
	if (strcmp(now, before) != 0) {
		difference = snapshot_difference(before, now);
		assert_true(vasprintf(&what, format, arguments) >= 0);
		fail_msg("%s, %s: the machine is not as before:\n%s", machine->name, what,
			 difference);
	}
}

void machine_check(const struct machine *machine, const char *before, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	check_picture(machine, before, format, arguments);
	va_end(arguments);
}

/** Takes the lines that begin with @prefix out of a text. */
static void drop_lines(char *text, const char *prefix)
{
	char *to = text;

	for (const char *line = text, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	*to = '\0';
}

/** A picture without the lines of a domain; to be freed. */
static char *picture_without(const char *picture, const char *domain)
{
	char *rest = strdup(picture);

	assert_non_null(rest);
	drop_lines(rest, domain);
	/* These files show the same values as the lines of domains. */
	drop_lines(rest, "/sys/devices/system/cpu/intel_uncore_frequency/");
	return rest;
}

char *machine_answers(const struct machine *machine)
{
	char *picture = machine_picture(machine), *rest = picture, *line, *to = picture;

	while ((line = strsep(&rest, "\n"))) {
		size_t length = strlen(line);

		if (strstr(line, " register 0x078: "))
			continue;
		memmove(to, line, length);
		to[length] = '\n';
		to += length + 1;
	}
	to[to > picture ? -1 : 0] = '\0';
	return picture;
}

void machine_check_without(const struct machine *machine, const char *before, const char *now,
			   const char *domain, const char *what)
{
	char *then = picture_without(before, domain), *rest = picture_without(now, domain);

	if (strcmp(rest, then) != 0)
		fail_msg("%s, %s: the machine, but for %s, is not as it would be:\n%s",
			 machine->name, what, domain, snapshot_difference(then, rest));
	free(rest);
	free(then);
}

/** Drops the lines that hold a word. */
static void drop_lines_with(char *text, const char *word)
{
	char *found;

	while ((found = strstr(text, word))) {
		char *begin = found, *next = found + strcspn(found, "\n");

		while (begin > text && begin[-1] != '\n')
			begin--;
		next += *next == '\n';
		memmove(begin, next, strlen(next) + 1);
	}
}

void machine_check_but_limits(const struct machine *machine, const char *before, const char *what)
{
	char *now = machine_picture(machine), *then = strdup(before);

	assert_non_null(then);
	drop_lines_with(now, " msr 0x1ad: ");
	drop_lines_with(then, " msr 0x1ad: ");
	if (strcmp(now, then) != 0)
		fail_msg(
			"%s, %s: the machine, but for turbo ratio limits, is not as it would be:\n%s",
			machine->name, what, snapshot_difference(then, now));
	free(now);
	free(then);
}

/* ---- Moments ---- */

struct moment moment_take(const struct machine *machine)
{
	return (struct moment){ .picture = machine_picture(machine),
				.kept = kept_take(machine->state) };
}

void moment_return(const struct moment *moment)
{
	kept_restore(moment->kept);
}

void moment_check(const struct machine *machine, const struct moment *moment, const char *format,
		  ...)
{
	va_list arguments;

	va_start(arguments, format);
	check_picture(machine, moment->picture, format, arguments);
	va_end(arguments);
}

void moment_clear(struct moment *moment)
{
	free(moment->picture);
	kept_free(moment->kept);
	*moment = (struct moment){ 0 };
}

/* ---- Looking ---- */

struct isst_context *machine_discover(const struct machine *machine)
{
	struct isst_options options = { .machine = machine_open(machine) };
	struct isst_context *context;

	assert_int_equal(isst_open(&options, &context), 0);
	if (isst_discover(context))
		fail_msg("%s cannot be discovered: %s", machine->name, isst_error(context));
	return context;
}

void machine_look(const struct machine *machine)
{
	isst_close(machine_discover(machine));
}

/* ---- Requests ---- */

static char *gather(const char *(*next)(const void *object, size_t index), const void *object)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	const char *line;

	assert_non_null(stream);
	for (size_t i = 0; (line = next(object, i)); i++)
		fprintf(stream, "%s\n", line);
	assert_int_equal(fclose(stream), 0);
	return text;
}

/** What was left out, then the notices. */
static const char *next_notice(const void *context, size_t index)
{
	size_t left_out = 0;

	while (isst_left_out_at(context, left_out))
		left_out++;
	return isst_message_text(index < left_out ? isst_left_out_at(context, index)
						  : isst_notice_at(context, index - left_out));
}

static const char *next_warning(const void *change, size_t index)
{
	return isst_message_text(isst_change_warning_at(change, index));
}

static const char *next_difference(const void *change, size_t index)
{
	return isst_message_text(isst_change_difference_at(change, index));
}

/** By the emulator's own account. */
static char *list_without_cpus(const struct isst_machine *machine)
{
	const struct server *server = machine->data;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	for (size_t i = 0; i < server->platform->domain_count; i++) {
		const struct platform_domain *domain = &server->platform->domains[i];

		if (domain->type.value == DOMAIN_IO)
			fprintf(stream, " of %u.%u, domain %zu \n", domain->socket,
				domain->power_domain, i);
	}
	assert_int_equal(fclose(stream), 0);
	return text;
}

/** Whether some CPU may be of any domain: it is offline, unless a request brings it online. */
static bool has_unknown_cpus(const struct isst_machine *machine)
{
	return ((const struct server *)machine->data)->platform->offline.set;
}

static void list_written(struct isst_change *change, struct outcome *outcome)
{
	const struct isst_change_step *step;
	size_t size;
	FILE *stream = open_memstream(&outcome->steps, &size);

	assert_non_null(stream);
	for (size_t i = 0; (step = change_listed_step(change, i)); i++) {
		if (!step->written)
			continue;
		outcome->written++;
		fprintf(stream, "%s: %s -> %s\n", step->target, step->old_value, step->new_value);
	}
	assert_int_equal(fclose(stream), 0);
}

static void make_change(struct isst_context *context, const struct request *request,
			const struct making *making, struct outcome *outcome)
{
	const struct isst_change_options options = {
		.targets = making->dauntless ? ISST_SKIP_FAILED : ISST_SKIP_UNSUPPORTED,
		.partitions = request->partitions,
		.partition_for_cpu0 = request->partition_for_cpu0,
		.progress = making->progress,
		.hold = making->held != NULL,
		.reversible = making->reversible,
	};
	struct objections objections = { .lines = strdup("") };
	freed_by(isst_change_free) struct isst_change *change = NULL;

	assert_int_equal(isst_change_new(context, &options, &change), 0);
	outcome->planning = request_plan(context, change, request, &objections);
	outcome->refusals = objections.lines;
	outcome->here = !outcome->planning && objections.planned && !objections.error;
	/* A change that cannot be completed is not begun; missing support is not an error here.
	 */
	if (!outcome->planning)
		outcome->planning = isst_change_check(change);
	if (outcome->planning == -EOPNOTSUPP && !objections.error)
		outcome->planning = 0;
	if (!outcome->planning && objections.planned)
		outcome->result = change_run(change);
	if (making->held && isst_change_is_held(change))
		outcome->result = making->held(context, change);
	outcome->unchanged = isst_change_is_unchanged(change);
	outcome->warnings = gather(next_warning, change);
	outcome->differences = gather(next_difference, change);
	list_written(change, outcome);
	if (outcome->planning || outcome->result) {
		free(outcome->message);
		outcome->message = strdup(objections.error ? objections.lines
							   : isst_error(context));
	}
}

static void make(const struct machine *machine, const struct request *request,
		 const struct making *making, struct outcome *outcome)
{
	static const struct making PLAIN;
	struct isst_options options = { .machine = machine_open(machine) };
	freed_by(isst_close) struct isst_context *context = NULL;

	if (!making)
		making = &PLAIN;
	options.interrupted = making->interrupted;
	*outcome = (struct outcome){ .without_cpus = list_without_cpus(options.machine),
				     .cpus_unknown = has_unknown_cpus(options.machine) };
	if (making->seam)
		options.machine = seam_open(options.machine, making->seam, &outcome->counts);
	assert_int_equal(isst_open(&options, &context), 0);
	outcome->lock = isst_lock(context, making->lock_ms ? making->lock_ms : LOCK_MS, 0);
	if (!outcome->lock)
		outcome->discovery = isst_discover(context);
	outcome->message = strdup(outcome->lock || outcome->discovery ? isst_error(context) : "");
	if (!outcome->lock && !outcome->discovery)
		make_change(context, request, making, outcome);
	outcome->notices = gather(next_notice, context);
}

bool outcome_did_without_haste(const struct outcome *outcome)
{
	const char *target = outcome->counts.target;

	return target && strcmp(target, "/sys/kernel/rcu_expedited") == 0 &&
	       strstr(outcome->warnings, "/sys/kernel/rcu_expedited cannot be written");
}

struct outcome *machine_make(const struct machine *machine, const struct request *request,
			     const struct making *making)
{
	struct outcomes *outcomes = machine->outcomes;
	struct outcome *outcome = &outcomes->outcome[outcomes->next++ % COUNT(outcomes->outcome)];

	outcome_clear(outcome);
	make(machine, request, making, outcome);
	return outcome;
}

const struct outcome *machine_try(const struct machine *machine, const char *name)
{
	return machine_make(machine, request_find(name), NULL);
}

const struct outcome *machine_try_under(const struct machine *machine, const char *rules,
					const char *name)
{
	const struct outcome *outcome;

	machine_faults(machine, "%s", rules);
	outcome = machine_try(machine, name);
	machine_faults(machine, "%s", "");
	return outcome;
}

static void check_error(const struct machine *machine, const char *name, const char *rules,
			const struct outcome *outcome, int error)
{
	if (outcome_error(outcome) != error)
		fail_msg("%s, %s under '%s': %d and not %d: %s", machine->name, name, rules,
			 outcome_error(outcome), error, outcome->message);
}

const struct outcome *machine_expect_under(const struct machine *machine, const char *rules,
					   const char *name, int error)
{
	const struct outcome *outcome = machine_try_under(machine, rules, name);

	check_error(machine, name, rules, outcome, error);
	return outcome;
}

const struct outcome *machine_expect(const struct machine *machine, const char *name, int error)
{
	const struct outcome *outcome = machine_try(machine, name);

	check_error(machine, name, "", outcome, error);
	return outcome;
}

bool machine_prepare(const struct machine *machine, const char *requests)
{
	char *copy = strdup(requests ? requests : ""), *rest = copy, *name;
	bool here = true;

	while (here && (name = strsep(&rest, ";"))) {
		struct outcome outcome;

		name += strspn(name, " ");
		if (!*name)
			continue;
		make(machine, request_find(name), NULL, &outcome);
		if (outcome_error(&outcome) && !(outcome.refusals && *outcome.refusals))
			fail_msg("%s, %s: %s", machine->name, name, outcome.message);
		here = outcome.here;
		outcome_clear(&outcome);
	}
	free(copy);
	return here;
}

void machine_make_killed(const struct machine *machine, const struct request *request,
			 const struct making *making, const char *rules)
{
	pid_t child;
	int status;

	machine_faults(machine, "%s", rules);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		machine_make(machine, request, making);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		fail_msg("%s, %s: the run was not killed under '%s', status 0x%x", machine->name,
			 request->name, rules, (unsigned int)status);
	machine_faults(machine, "%s", "");
}

void machine_try_killed(const struct machine *machine, const char *name, const char *rules)
{
	machine_make_killed(machine, request_find(name), NULL, rules);
}

void machine_kill_after(const struct machine *machine, const struct request *request,
			const struct making *making, unsigned int k)
{
	autofree char *rule = formatted("change any after %u times 1 signal KILL", k - 1);

	machine_make_killed(machine, request, making, rule);
}

struct isst_context *machine_lock(const struct machine *machine)
{
	struct isst_options options = { .machine = machine_open(machine) };
	struct isst_context *context;

	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_lock(context, 1000, 0), 0);
	return context;
}

void machine_next_run(const struct machine *machine, int error, const char *part)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	int found = isst_discover(context);

	if (found != error || (error && !strstr(isst_error(context), part)))
		fail_msg("%s: the next run ends with %d and not %d (%s): %s", machine->name, found,
			 error, part, isst_error(context));
}

void machine_refuses(const struct machine *machine, const struct request *request, int error,
		     const char *refusals)
{
	autofree char *before = machine_picture(machine);
	const struct outcome *outcome = machine_make(machine, request, NULL);

	if (error != -EOPNOTSUPP)
		assert_int_equal(outcome_error(outcome), error);
	assert_string_equal(outcome->refusals, refusals);
	assert_int_equal(outcome->written, 0);
	machine_check(machine, before, "%s is refused", request->name);
}

bool suite_is_large(void)
{
	const char *large = getenv("ISST_LARGE");

	return large && strcmp(large, "yes") == 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The state that the first changing run since boot found: when it is kept, and what of its file is
 * believed. */
#include "transaction/run.h"
#include "transaction/support/machines.h"

#include <sys/resource.h>

#define FILE_PATH "run/boot-state"

/* ---- The file ---- */

/** A machine whose lock a context holds. */
struct locked {
	struct machine machine;
	struct isst_context *context;
};

/** Whether something is kept, readable or not. */
static bool exists(struct isst_context *context)
{
	char *text;
	int error = boot_state_read(context, &text);

	free(text);
	return error != -ENOENT;
}

static void locked_begin(struct locked *locked)
{
	locked->machine = machine_begin("tests/tiny");
	locked->context = machine_lock(&locked->machine);
	assert_int_equal(isst_discover(locked->context), 0);
}

static void locked_end(struct locked *locked)
{
	isst_close(locked->context);

	machine_end(&locked->machine);
}

TEST(what_is_kept_is_read_byte_for_byte)
{
	static const char *const TEXTS[] = { "", "level 1\nturbo-freq on\n", "end\n", "\n\nend\n" };

	for (size_t i = 0; i < COUNT(TEXTS); i++) {
		struct locked locked;
		char *text;

		locked_begin(&locked);
		assert_false(exists(locked.context));
		assert_int_equal(boot_state_read(locked.context, &text), -ENOENT);
		assert_int_equal(boot_state_write(locked.context, TEXTS[i]), 0);
		assert_true(exists(locked.context));
		assert_int_equal(boot_state_read(locked.context, &text), 0);
		assert_string_equal(text, TEXTS[i]);
		free(text);
		locked_end(&locked);
	}
}

TEST(the_file_of_another_boot_is_none)
{
	struct locked locked;
	char *text;

	locked_begin(&locked);
	machine_write(&locked.machine, FILE_PATH,
		      "isst boot-state 1 boot 00000000-0000-0000-0000-000000000000\n"
		      "level 1\nend\n");
	assert_false(exists(locked.context));
	assert_int_equal(boot_state_read(locked.context, &text), -ENOENT);
	assert_null(text);
	locked_end(&locked);
}

/** Puts a file of this boot, or with another first line, there, which must be refused. */
static void check_refused(const char *first, const char *rest, const char *message)
{
	struct locked locked;
	char *text;

	locked_begin(&locked);
	autofree char *boot_id = machine_text(&locked.machine, "/proc/sys/kernel/random/boot_id");
	autofree char *file = formatted("%s%s%s", first, boot_id, rest);
	machine_write(&locked.machine, FILE_PATH, file);
	/* It is not replaced by what is found now. */
	assert_true(exists(locked.context));
	assert_int_equal(boot_state_read(locked.context, &text), -EIO);
	assert_null(text);
	check_holds(isst_error(locked.context), FILE_PATH);
	check_holds(isst_error(locked.context), message);
	locked_end(&locked);
}

TEST(a_damaged_file_is_refused)
{
	static const char FIRST[] = "isst boot-state 1 boot ";

	check_refused(FIRST, "", "damaged");
	check_refused(FIRST, "level 1\n", "damaged");
	check_refused(FIRST, "\nlevel 1\nend", "damaged");
	check_refused(FIRST, "\nlevel 1\nfriend\n", "damaged");
	check_refused(FIRST, "\nlevel 1\nend\n\n", "damaged");
	check_refused("isst boot-state 2 boot ", "\nlevel 1\nend\n", "does not support");
}

/* ---- When it is kept ---- */

/** What the function of the context saw and is to do. */
static struct {
	const struct machine *machine;
	unsigned int calls, calls_again; /* for the first time; with what is kept */
	char *found;			 /* a picture */
	int error;
	size_t size;
	const char *longer; /* what becomes of what is kept; NULL: it stays */
} hook;

static int extend(struct isst_context *context, const char *kept, char **text)
{
	hook.calls_again++;
	assert_string_equal(kept, "xxxxxxxxx\n");
	*text = NULL;
	if (hook.error)
		return message_error(&context->messages, hook.error, "a CPU is unreadable");
	if (!hook.longer)
		return 0;
	*text = strdup(hook.longer);
	assert_non_null(*text);
	return 0;
}

static int describe(struct isst_context *context, const char *kept, char **text)
{
	if (kept)
		return extend(context, kept, text);
	hook.calls++;
	free(hook.found);
	hook.found = machine_picture(hook.machine);
	if (hook.error)
		return message_error(&context->messages, hook.error, "the state is unreadable");
	*text = malloc(hook.size + 1);
	assert_non_null(*text);
	memset(*text, 'x', hook.size);
	strcpy(*text + hook.size - 1, "\n");
	return 0;
}

static void hook_begin(const struct machine *machine)
{
	free(hook.found);
	memset(&hook, 0, sizeof(hook));
	hook.machine = machine;
	hook.size = 10;
}

/** Configures a CLOS of the first domain; returns warnings, to be freed. */
static char *change_clos(const struct machine *machine, unsigned int weight, bool dry_run)
{
	const struct isst_change_options options = { .dry_run = dry_run };
	struct isst_context *context = machine_lock(machine);
	const struct isst_clos clos = { .clos = 1, .weight = weight, .max_mhz = 2000 };
	struct domain_request request = { 0 };
	struct isst_change *change;
	char *warnings = strdup(""), *longer;
	const struct isst_message *warning;

	context->boot_state = describe;
	assert_int_equal(isst_discover(context), 0);
	request.domain = context_domain(context, 0);
	assert_int_equal(isst_change_new(context, &options, &change), 0);
	assert_int_equal(change_plan_clos(change, &request, 1, &clos, UINT32_MAX), 0);
	assert_int_equal(isst_change_run(change), 0);
	for (size_t i = 0; (warning = isst_change_warning_at(change, i)); i++) {
		longer = formatted("%s%s\n", warnings, isst_message_text(warning));
		free(warnings);
		warnings = longer;
	}
	isst_change_free(change);
	isst_close(context);
	return warnings;
}

static void check_text(const struct machine *machine, const char *expected)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	char *text;

	assert_int_equal(boot_state_read(context, &text), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void check_kept(const struct machine *machine, int expected)
{
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	char *text;

	assert_int_equal(boot_state_read(context, &text), expected);
	if (!expected)
		assert_string_equal(text, "xxxxxxxxx\n");
	free(text);
}

MACHINE_TEST(the_first_write_since_boot_is_preceded_by_it, "tests/tiny")
{
	hook_begin(machine);
	autofree char *before = machine_picture(machine);
	free(change_clos(machine, 3, true));
	assert_int_equal(hook.calls, 0);
	check_kept(machine, -ENOENT);
	free(change_clos(machine, 3, false));
	assert_int_equal(hook.calls, 1);
	assert_string_equal(hook.found, before);
	check_kept(machine, 0);
	assert_int_equal(hook.calls_again, 0);
	free(change_clos(machine, 4, false));
	assert_int_equal(hook.calls, 1);
}

MACHINE_TEST(later_runs_add_what_was_not_seen, "tests/tiny")
{
	char *warnings;

	hook_begin(machine);
	free(change_clos(machine, 3, false));
	free(change_clos(machine, 4, true));
	assert_int_equal(hook.calls_again, 0);
	free(change_clos(machine, 4, false));
	assert_int_equal(hook.calls_again, 1);
	check_kept(machine, 0);
	hook.error = -EIO;
	warnings = change_clos(machine, 5, false);
	assert_string_equal(warnings, "CPUs that were seen since are not added to the state after "
				      "boot: a CPU is unreadable\n");
	check_kept(machine, 0);
	free(warnings);
	hook.error = 0;
	hook.longer = "longer\n";
	warnings = change_clos(machine, 6, false);
	assert_string_equal(warnings, "");
	check_text(machine, "longer\n");
	assert_int_equal(hook.calls, 1);
	free(warnings);
}

MACHINE_TEST(a_run_that_writes_nothing_keeps_nothing, "tests/tiny")
{
	hook_begin(machine);
	free(change_clos(machine, 3, false));
	assert_int_equal(hook.calls, 1);
	/* As if an earlier version, which keeps no state, had made the change. */
	autofree char *path = formatted("%s/" FILE_PATH, machine->state);
	assert_int_equal(remove(path), 0);
	free(change_clos(machine, 3, false));
	assert_int_equal(hook.calls, 1);
	check_kept(machine, -ENOENT);
}

MACHINE_TEST(a_state_that_cannot_be_read_is_a_warning, "tests/tiny")
{
	hook_begin(machine);
	hook.error = -EIO;
	autofree char *warnings = change_clos(machine, 3, false);
	assert_string_equal(warnings,
			    "the state after boot is not kept: the state is unreadable\n");
	/* What a later run finds is not the state after boot. */
	hook.error = 0;
	free(change_clos(machine, 4, false));
	assert_int_equal(hook.calls, 1);
	check_kept(machine, -EIO);
}

MACHINE_TEST(without_space_for_it_the_change_goes_on, "tests/tiny")
{
	enum { LIMIT = 1 << 20 };
	struct rlimit before, limit;

	hook_begin(machine);
	hook.size = 2 * (size_t)LIMIT;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = LIMIT;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	autofree char *warnings = change_clos(machine, 3, false);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	check_holds(warnings, "the state after boot is not kept: cannot write ");
	check_holds(warnings, FILE_PATH);
	hook.size = 10;
	free(change_clos(machine, 4, false));
	assert_int_equal(hook.calls, 1);
	check_kept(machine, -EIO);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Held changes that a program gives up, and whose rollback fails: how it gets to know. */
#include "check.h"

/** What the log received. */
struct errors {
	unsigned int count;
	char last[400];
};

struct holding {
	struct fixture fixture;
	struct isst_change *change;
	struct errors errors;
};

static void take_error(void *data, int level, const char *message)
{
	struct errors *errors = data;

	assert_int_equal(level, ISST_LOG_ERROR);
	errors->count++;
	snprintf(errors->last, sizeof(errors->last), "%s", message);
}

static struct isst_change *begin_change(struct isst_context *context)
{
	freed_by(isst_change_options_free) struct isst_change_options *options =
		isst_change_options_new();
	struct isst_change *change;

	ok(isst_change_options_set_flags(options, ISST_CHANGE_HOLD));
	ok(isst_change_new(context, options, &change));
	return change;
}

/** Holds level 3 of both packages. */
static void hold(struct holding *holding)
{
	static const char TEXT[] = "level 3\n";
	struct isst_options *options = isst_options_new();
	freed_by(isst_config_free) struct isst_config *config = isst_config_new();
	struct isst_context *context;

	holding->errors = (struct errors){ 0 };
	fixture_begin(&holding->fixture, "guide");
	isst_options_set_log(options, ISST_LOG_ERROR, take_error, &holding->errors);
	context = holding->fixture.context = fixture_open(&holding->fixture, options);
	isst_options_free(options);
	ok(isst_lock(context, 0, 0));
	ok(isst_discover(context));
	ok(isst_config_add_text(config, "test", TEXT, strlen(TEXT), 0));
	holding->change = begin_change(context);
	ok(isst_change_add_config(holding->change, config, 0));
	ok(isst_change_run(holding->change));
	assert_true(isst_change_is_held(holding->change));
}

static void remove_faults(const struct holding *holding)
{
	char *path;

	assert_true(asprintf(&path, "%s/faults", holding->fixture.directory) > 0);
	ok(remove(path));
	free(path);
}

/** What the machine has, by another context that may roll back (@lock). */
static void check_level(struct holding *holding, bool lock, unsigned int expected)
{
	struct isst_context *context = fixture_open(&holding->fixture, NULL);
	struct isst_results *results;
	unsigned int level = 99;

	if (lock)
		ok(isst_lock(context, 0, 0));
	ok(isst_discover(context));
	ok(isst_read(context, ISST_READ_PERF_PROFILES, all_domains(context), NULL, 0, &results));
	isst_result_value(isst_results_at(results, 0), ISST_VALUE_CURRENT_LEVEL, &level);
	assert_int_equal(level, expected);
	isst_results_free(results);
	isst_close(context);
}

/** The rollback was not begun: the next process under the lock makes up for it. */
static void check_left_to_the_next(struct holding *holding)
{
	remove_faults(holding);
	check_level(holding, false, 3);
	check_level(holding, true, 0);
	fixture_end(&holding->fixture);
}

#define ONLINE "/sys/devices/system/cpu/online"

MACHINE_TEST(abandoning_rolls_back)
{
	struct holding holding;

	hold(&holding);
	ok(isst_change_abandon(holding.change));
	assert_false(isst_change_is_held(holding.change));
	/* Nothing is left to do. */
	ok(isst_change_abandon(holding.change));
	refused(isst_change_roll_back(holding.change));
	isst_change_free(holding.change);
	ok(isst_unlock(holding.fixture.context));
	check_level(&holding, false, 0);
	fixture_end(&holding.fixture);
}

MACHINE_TEST(abandoning_returns_why_nothing_was_rolled_back)
{
	struct holding holding;

	hold(&holding);
	fixture_fault(&holding.fixture, "read " ONLINE " EIO");
	assert_int_equal(isst_change_abandon(holding.change), -EIO);
	assert_false(isst_change_is_held(holding.change));
	assert_non_null(strstr(isst_error(holding.fixture.context), ONLINE));
	assert_int_equal(holding.errors.count, 1);
	isst_change_free(holding.change);
	assert_int_equal(holding.errors.count, 1);
	ok(isst_unlock(holding.fixture.context));
	check_left_to_the_next(&holding);
}

MACHINE_TEST(abandoning_lists_what_differs)
{
	struct holding holding;

	hold(&holding);
	fixture_fault(&holding.fixture, "mailbox 0x7f/0x08 EIO");
	assert_int_equal(isst_change_abandon(holding.change), -ISST_ERR_ROLLBACK);
	assert_false(isst_change_is_held(holding.change));
	assert_string_equal(isst_message_text(isst_change_difference_at(holding.change, 0)),
			    "package 0, die 0: level is 3, was 0");
	isst_change_free(holding.change);
	ok(isst_unlock(holding.fixture.context));
	check_left_to_the_next(&holding);
}

MACHINE_TEST(freeing_logs_why_nothing_was_rolled_back)
{
	struct holding holding;

	hold(&holding);
	fixture_fault(&holding.fixture, "read " ONLINE " EIO");
	isst_change_free(holding.change);
	assert_int_equal(holding.errors.count, 1);
	assert_string_equal(isst_error(holding.fixture.context), holding.errors.last);
	assert_non_null(strstr(holding.errors.last, ONLINE));
	ok(isst_unlock(holding.fixture.context));
	check_left_to_the_next(&holding);
}

MACHINE_TEST(closing_logs_why_nothing_was_rolled_back)
{
	struct holding holding;

	hold(&holding);
	fixture_fault(&holding.fixture, "read " ONLINE " EIO");
	isst_close(holding.fixture.context);
	holding.fixture.context = NULL;
	assert_int_equal(holding.errors.count, 1);
	assert_non_null(strstr(holding.errors.last, ONLINE));
	isst_change_free(holding.change);
	check_left_to_the_next(&holding);
}

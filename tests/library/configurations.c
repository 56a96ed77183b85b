/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations by the public interface: texts, conditions, and changes that cannot be made. */
#include "check.h"

#include <time.h>

_Static_assert(ISST_CONFIG_SKIPPED != ISST_PARTIAL, "a change may return either");

static struct isst_config *config_of(const char *text)
{
	struct isst_config *config = isst_config_new();

	assert_non_null(config);
	ok(isst_config_add_text(config, "test", text, strlen(text), 0));
	return config;
}

static void check_text(const struct isst_config *config, const char *expected)
{
	char *text;

	ok(isst_config_to_text(config, 0, &text));
	assert_string_equal(text, expected);
	free(text);
}

MACHINE_TEST(conditions_without_lines_stay_apart)
{
	freed_by(isst_config_free) struct isst_config *config = config_of(
		"match model 0x1 else skip\nmatch cpus 4\nlevel 1\n");

	check_text(config, "# isst configuration 1\nmatch model 0x1 else skip\nmatch cpus 4\n"
			   "level 1\n");
}

MACHINE_TEST(several_texts_are_not_one)
{
	freed_by(isst_config_free) struct isst_config *config = config_of("package 0: level 1\n");
	char *text;

	check_text(config, "# isst configuration 1\npackage 0: level 1\n");
	ok(isst_config_add_text(config, "later", "level 2\n", 8, 0));
	assert_int_equal(isst_config_to_text(config, 0, &text), -ENODATA);
	assert_null(text);
}

/** Prints a configuration that was made of a machine, and reads it again: the text of what was read
 * is the same. */
static void check_printed(const struct isst_config *made)
{
	freed_by(isst_config_free) struct isst_config *read = isst_config_new();
	char *text;

	ok(isst_config_to_text(made, 0, &text));
	ok(isst_config_add_text(read, "printed", text, strlen(text), ISST_CONFIG_ADD_FILE));
	check_text(read, text);
	free(text);
}

/** Each part of the defaults, and all, with and without the level after boot. */
static void check_defaults(void)
{
	struct isst_config *config;
	char *text;

	for (unsigned int flags = 0; flags <= ISST_CONFIG_CPUS;
	     flags = flags ? flags << 1 : ISST_CONFIG_CLOS) {
		ok(isst_config_defaults(fixture.context, flags, &config));
		check_printed(config);
		ok(isst_config_add_text(config, "later", "level 2\n", 8, 0));
		assert_int_equal(isst_config_to_text(config, 0, &text), -ENODATA);
		isst_config_free(config);
	}
}

/** Where CLOS have proportional priority, and where they do not. */
MACHINE_TEST(what_a_machine_made_is_one_text)
{
	static const char *const PLATFORMS[] = { "guide", "cascadelake-6230n",
						 "graniterapids-2s64c" };
	struct isst_config *config;
	struct isst_change *change;

	for (size_t i = 0; i < sizeof(PLATFORMS) / sizeof(PLATFORMS[0]); i++) {
		lock_and_discover(PLATFORMS[i]);
		check_defaults();
		config = config_of("? clos 1: weight 1\nscaling-max 2000\n");
		ok(isst_change_new(fixture.context, NULL, &change));
		ok(isst_change_add_config(change, config, 0));
		run_and_free(change, 0);
		isst_config_free(config);
		check_defaults();
		ok(isst_config_boot(fixture.context, 0, &config));
		check_printed(config);
		isst_config_free(config);
		ok(isst_config_read(fixture.context, NULL, 0, &config));
		check_printed(config);
		isst_config_free(config);
	}
}

MACHINE_TEST(what_is_for_another_machine_is_not_compared)
{
	freed_by(isst_config_free) struct isst_config *config = config_of(
		"match model 0x1 else skip\nlevel 1\n");
	struct isst_change *change;

	lock_and_discover("guide");
	assert_int_equal(isst_config_check(config, fixture.context, 0), ISST_CONFIG_SKIPPED);
	assert_null(isst_config_difference_at(config, 0));
	ok(isst_change_new(fixture.context, NULL, &change));
	assert_int_equal(isst_change_add_config(change, config, 0), ISST_CONFIG_SKIPPED);
	ok(isst_change_run(change));
	assert_null(isst_change_step_at(change, 0));
	isst_change_free(change);
}

MACHINE_TEST(a_change_without_its_configuration_is_not_made)
{
	freed_by(isst_config_free) struct isst_config *config = config_of("level 1\n");
	struct isst_change *change;

	lock_and_discover("guide");
	ok(isst_change_new(fixture.context, NULL, &change));
	refused(isst_change_add_config(change, config, 1));
	refused(isst_change_check(change));
	run_and_free(change, -EINVAL);
}

/** What a difference is of, apart from its text. */
static void check_difference(const struct isst_config *config, size_t index,
			     const struct isst_domain *domain, const char *cpus,
			     const char *subject)
{
	const struct isst_config_difference *difference = isst_config_difference_at(config, index);
	char *list = isst_cpuset_to_list(isst_config_difference_cpus(difference));

	assert_non_null(difference);
	assert_ptr_equal(isst_config_difference_domain(difference), domain);
	assert_string_equal(list, cpus ? cpus : "");
	assert_true((isst_config_difference_cpus(difference) != NULL) == (cpus != NULL));
	assert_string_equal(isst_config_difference_subject(difference), subject);
	free(list);
}

MACHINE_TEST(differences_have_domains_cpus_and_subjects)
{
	struct isst_config *config = config_of("clos 2: max 2000\ncpu 14,20: association 1\n"
					       "package 1: cpus offline 20-21\n");
	const struct isst_domain *first, *second;

	fixture_discover(&fixture, "guide");
	first = isst_domain_at(fixture.context, 0);
	second = isst_domain_at(fixture.context, 1);
	ok(isst_config_check(config, fixture.context, 0));
	check_difference(config, 0, NULL, NULL, "CLOS 2 max");
	check_difference(config, 1, second, "14,20,42,48", "CLOS");
	check_difference(config, 2, second, "20-21", "CPUs");
	assert_null(isst_config_difference_at(config, 3));
	ok(isst_config_check(config, fixture.context, ISST_CONFIG_CHECK_SEPARATELY));
	check_difference(config, 0, first, NULL, "CLOS 2 max");
	check_difference(config, 1, second, NULL, "CLOS 2 max");
	isst_config_free(config);
}

/** What else is stated is neither compared nor changed. */
MACHINE_TEST(a_configuration_may_be_for_some_domains_alone)
{
	freed_by(isst_config_free) struct isst_config *config = config_of(
		"level 1\nclos 2: max 2000\ncpus by-level\n");
	struct isst_targets *targets;
	struct isst_change *change;
	struct fixture other = { 0 };

	lock_and_discover("guide");
	targets = new_targets(fixture.context);
	ok(isst_targets_add_domain(targets, isst_domain_at(fixture.context, 1)));
	isst_config_set_targets(config, targets);
	ok(isst_config_check(config, fixture.context, 0));
	for (size_t i = 0; i < 2; i++)
		assert_ptr_equal(
			isst_config_difference_domain(isst_config_difference_at(config, i)),
			isst_domain_at(fixture.context, 1));
	ok(isst_change_new(fixture.context, NULL, &change));
	ok(isst_change_add_config(change, config, 0));
	run_and_free(change, 0);
	/* As nothing was changed of the other one. */
	ok(isst_discover(fixture.context));
	isst_config_set_targets(config, NULL);
	ok(isst_config_check(config, fixture.context, 0));
	check_difference(config, 0, isst_domain_at(fixture.context, 0), NULL, "level");
	check_difference(config, 1, isst_domain_at(fixture.context, 0), NULL, "CLOS 2 max");
	/* Those that level 1 disables. */
	check_difference(config, 2, isst_domain_at(fixture.context, 0), "13,41", "CPUs");
	assert_null(isst_config_difference_at(config, 3));
	/* Targets of another context. */
	fixture_discover(&other, "guide");
	targets = all_domains(other.context);
	isst_config_set_targets(config, targets);
	refused(isst_config_check(config, fixture.context, 0));
	fixture_end(&other);
}

/** Without the domains that cannot be read. */
MACHINE_TEST(the_state_of_some_domains_can_be_read_alone)
{
	struct isst_targets *targets;
	freed_by(isst_config_free) struct isst_config *config = NULL;

	fixture_discover(&fixture, "guide");
	fixture_fault(&fixture, "mailbox any package 1 EIO");
	assert_int_equal(isst_config_read(fixture.context, NULL, ISST_CONFIG_READ_ALL, &config),
			 -EIO);
	targets = isst_targets_new(fixture.context);
	ok(isst_targets_add_domain(targets, isst_domain_at(fixture.context, 0)));
	ok(isst_config_read(fixture.context, targets, ISST_CONFIG_READ_ALL, &config));
	isst_config_set_targets(config, targets);
	ok(isst_config_check(config, fixture.context, 0));
	assert_null(isst_config_difference_at(config, 0));
	isst_targets_free(targets);
}

/** Registers of a package all of whose CPUs are isolated. */
MACHINE_TEST(isolated_cpus_can_be_left_undisturbed)
{
	struct isst_config *config = config_of("turbo-ratio-limits 0x2323232323232323\n");
	char platform[] = "/tmp/isst-isolated-XXXXXX", *command;

	close(mkstemp(platform));
	assert_true(asprintf(&command, "sed 's/^isolcpus = 3/isolcpus = 0-3/' '%s' > '%s'",
			     of_tests("isolcpus"), platform) > 0);
	ok(system(command)); /* NOLINT(cert-env33-c) */
	free(command);
	fixture_discover(&fixture, platform);
	ok(isst_config_check(config, fixture.context, 0));
	check_difference(config, 0, isst_domain_at(fixture.context, 0), NULL, "turbo ratio limits");
	fixture_fault(&fixture, "msr any EIO");
	ok(isst_config_check(config, fixture.context, ISST_CONFIG_CHECK_UNDISTURBED));
	assert_null(isst_config_difference_at(config, 0));
	isst_config_free(config);
	assert_int_equal(isst_config_read(fixture.context, NULL, ISST_CONFIG_READ_ALL, &config),
			 -EIO);
	ok(isst_config_read(fixture.context, NULL,
			    ISST_CONFIG_READ_ALL | ISST_CONFIG_READ_UNDISTURBED, &config));
	isst_config_free(config);
	fixture_end(&fixture);
	unlink(platform);
}

/** What a call left: one of each kind, or none. */
static void check_results(const struct isst_config *config, bool any)
{
	assert_true((isst_config_difference_at(config, 0) != NULL) == any);
	assert_true((isst_config_skipped_at(config, 0) != NULL) == any);
	assert_true((isst_config_high_priority_cpus(config) != NULL) == any);
	assert_null(isst_config_problem_at(config, 0));
}

/** Calls that are refused before they look at the machine. */
static int refused_call(struct isst_config *config, struct isst_context *context,
			struct isst_change *change, unsigned int call)
{
	switch (call) {
	case 0:
		return isst_config_check(config, context, ISST_CONFIG_CHECK_UNDISTURBED << 1);
	case 1:
		return isst_config_match(config, context, 1);
	case 2:
		return isst_config_add_text(config, "flags", "", 0, 4);
	case 3: /* was run */
		return isst_change_add_config(change, config, 0);
	case 4:
		return isst_change_add_config(NULL, config, 0);
	default:
		return isst_change_add_config(change, config, 1);
	}
}

MACHINE_TEST(a_refused_call_leaves_nothing_of_an_earlier_one)
{
	static const char WRONG[] = "nonsense\n";
	freed_by(isst_config_free) struct isst_config *config = config_of(
		"turbo-freq on\nhigh-priority bucket 0\n? level 9\n");
	struct isst_context *undiscovered;
	struct isst_change *change;

	fixture_begin(&fixture, "guide");
	undiscovered = fixture_open(&fixture, NULL);
	fixture.context = fixture_open(&fixture, NULL);
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	ok(isst_change_new(fixture.context, NULL, &change));
	ok(isst_change_run(change));
	for (unsigned int call = 0; call < 6; call++) {
		ok(isst_config_check(config, fixture.context, 0));
		check_results(config, true);
		refused(refused_call(config, fixture.context, change, call));
		check_results(config, false);
		refused(isst_config_add_text(config, "wrong", WRONG, strlen(WRONG), 0));
		assert_non_null(isst_config_problem_at(config, 0));
		refused(refused_call(config, fixture.context, change, call));
		check_results(config, false);
	}
	ok(isst_config_check(config, fixture.context, 0));
	refused(isst_config_check(config, undiscovered, 0));
	check_results(config, false);
	isst_change_free(change);
	isst_close(undiscovered);
}

/** Checks the last run that is stored, as another context finds it. */
static void check_run(bool succeeded, const char *source, const char *sha256)
{
	struct isst_context *other = fixture_open(&fixture, NULL);
	struct isst_apply_record *record;

	ok(isst_read_apply_record(other, 0, &record));
	assert_in_range(isst_apply_record_time_s(record), time(NULL) - 60, time(NULL));
	assert_int_equal(isst_apply_record_succeeded(record), succeeded);
	if (source)
		assert_string_equal(isst_apply_record_source(record), source);
	else
		assert_null(isst_apply_record_source(record));
	assert_string_equal(isst_apply_record_sha256(record), sha256);
	isst_apply_record_free(record);
	isst_close(other);
}

/** Digests as sha256sum(1) prints them for these texts. */
MACHINE_TEST(the_last_run_is_stored)
{
	static const char FILE_TEXT[] = "# isst configuration 1\nlevel 1\n";
	freed_by(isst_config_free) struct isst_config *config = isst_config_new();
	struct isst_apply_record *record;

	fixture_discover(&fixture, "guide");
	assert_int_equal(isst_read_apply_record(fixture.context, 0, &record), -ENOENT);
	assert_null(record);
	assert_non_null(strstr(isst_error(fixture.context), "since boot"));
	ok(isst_config_add_text(config, "a file", FILE_TEXT, strlen(FILE_TEXT),
				ISST_CONFIG_ADD_FILE));
	ok(isst_config_record_apply(config, fixture.context, ISST_PARTIAL, 0));
	check_run(true, "a file",
		  "3e9493dcb1b5baa1b85ac0e9184dd6f7ebbe8a31b27f30bb50e153629c8ca4fc");
	ok(isst_config_add_text(config, "--set", "level 0", 7, 0));
	ok(isst_config_record_apply(config, fixture.context, -EIO, 0));
	check_run(false, "a file",
		  "902621cf34ab27e379ff301e49adf0d93887ff61d0bd9b5ce91c46284d1c40f1");
	/* The name stays that of the first file. */
	ok(isst_config_add_text(config, "another file", FILE_TEXT, strlen(FILE_TEXT),
				ISST_CONFIG_ADD_FILE));
	ok(isst_config_record_apply(config, fixture.context, 0, 0));
	check_run(true, "a file",
		  "928ffd51cc4c7cf3f60700489be1f0313ec1ef9dc5c19d734d87e55a738fb345");
	/* The machine was reset. */
	ok(isst_config_record_apply(NULL, fixture.context, 0, 0));
	assert_int_equal(isst_read_apply_record(fixture.context, 0, &record), -ENOENT);
}

MACHINE_TEST(a_run_of_statements_alone_has_no_source)
{
	freed_by(isst_config_free) struct isst_config *config = isst_config_new();

	fixture_discover(&fixture, "guide");
	ok(isst_config_add_text(config, "a statement", "level 0", 7, 0));
	ok(isst_config_record_apply(config, fixture.context, 0, 0));
	check_run(true, NULL, "f1df98bcc57210040e330a8f8796228d5652d257ee6cef1dc6f44a2b71350c29");
}

/** What a machine made, with or without a text, and nothing at all: status would show them as
 * statements of the command line. */
MACHINE_TEST(what_has_no_texts_is_not_recorded)
{
	struct isst_config *configs[3] = { isst_config_new() };
	struct isst_apply_record *record;

	fixture_discover(&fixture, "guide");
	ok(isst_config_defaults(fixture.context, 0, &configs[1]));
	ok(isst_config_read(fixture.context, NULL, 0, &configs[2]));
	ok(isst_config_add_text(configs[2], "a statement", "level 0", 7, 0));
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		refused(isst_config_record_apply(configs[i], fixture.context, 0, 0));
		assert_non_null(strstr(isst_error(fixture.context), "texts"));
		isst_config_free(configs[i]);
	}
	assert_int_equal(isst_read_apply_record(fixture.context, 0, &record), -ENOENT);
}

/** The digest is that of a_run_of_statements_alone_has_no_source(). */
MACHINE_TEST(a_text_that_was_refused_does_not_count)
{
	static const char WRONG[] = "# isst configuration 1\nnonsense\n";
	freed_by(isst_config_free) struct isst_config *config = isst_config_new();
	char *text;

	fixture_discover(&fixture, "guide");
	refused(isst_config_add_text(config, "wrong", WRONG, strlen(WRONG), ISST_CONFIG_ADD_FILE));
	assert_string_equal(isst_message_text(isst_config_problem_at(config, 0)),
			    "wrong:2: unknown word 'nonsense': no setting has this name, "
			    "see isst-config(5)");
	ok(isst_config_add_text(config, "a statement", "level 0", 7, 0));
	ok(isst_config_to_text(config, 0, &text));
	assert_string_equal(text, "# isst configuration 1\nlevel 0\n");
	free(text);
	ok(isst_config_record_apply(config, fixture.context, 0, 0));
	check_run(true, NULL, "f1df98bcc57210040e330a8f8796228d5652d257ee6cef1dc6f44a2b71350c29");
}

/** Why a statement is skipped, where it is by itself. */
static void check_skipped(const char *statement, const char *why, int because)
{
	freed_by(isst_config_free) struct isst_config *config = config_of(statement);

	ok(isst_config_check(config, fixture.context, 0));
	assert_string_equal(isst_message_text(isst_config_skipped_at(config, 0)), why);
	assert_int_equal(isst_message_error(isst_config_skipped_at(config, 0)), because);
	assert_int_equal(isst_message_code(isst_config_skipped_at(config, 0)),
			 ISST_MESSAGE_STATEMENT_SKIPPED);
	/* Once, however many domains are without. */
	assert_null(isst_config_skipped_at(config, 1));
	/* What was skipped is that of the last call. */
	ok(isst_config_match(config, fixture.context, 0));
	assert_null(isst_config_skipped_at(config, 0));
}

MACHINE_TEST(skipped_statements_have_reasons)
{
	fixture_discover(&fixture, "guide");
	check_skipped("? level 9\n", "test: packages 0-1, die 0: level 9 does not exist",
		      -EOPNOTSUPP);
	fixture_end(&fixture);
	fixture_discover(&fixture, of_tests("no-cpufreq"));
	check_skipped("? uncore-max 1600\n",
		      "test: package 0, die 0: uncore limits: the kernel provides none (module "
		      "intel_uncore_frequency)",
		      -ENODEV);
}

/* The level after boot is a statement that a machine with a locked level does without. */
MACHINE_TEST(defaults_have_the_parts_that_were_asked_for)
{
	static const unsigned int unknown[] = { ISST_CONFIG_CPUS << 1, ISST_CONFIG_CPUS << 1 | 1,
						1U << 31 };
	struct isst_config *config;

	fixture_discover(&fixture, "guide");
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		config = (struct isst_config *)&fixture;
		refused(isst_config_defaults(fixture.context, unknown[i], &config));
	}
	/* Nothing was changed since boot. */
	ok(isst_config_defaults(fixture.context, ISST_CONFIG_LEVEL, &config));
	check_text(config, "# isst configuration 1\n");
	isst_config_free(config);
	apply_config(fixture.context, "level 1");
	ok(isst_config_defaults(fixture.context, ISST_CONFIG_LEVEL, &config));
	check_text(config, "# isst configuration 1\n? level 0\n");
	isst_config_free(config);
}

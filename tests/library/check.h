/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the public interface share: they know the installed headers alone. */
#ifndef TESTS_LIBRARY_CHECK_H
#define TESTS_LIBRARY_CHECK_H

#include "isst-config.h"
#include "isst-explain.h"
#include "support/test.h"

#include <unistd.h>

#include <isst-emulator.h>

enum { KEPT = 64 };

/** An emulated machine with a state of its own, and a context on it; targets and results
 * that end with it. */
struct fixture {
	char *directory;
	struct isst_emulator_target *target;
	struct isst_context *context;
	struct isst_targets *targets[KEPT];
	struct isst_results *results[KEPT];
	size_t target_count, result_count;
};

/** The machine of a test, which ends with it. */
static struct fixture fixture;

CAN_BE_FREED_BY(isst_request_free, struct isst_request *)
CAN_BE_FREED_BY(isst_explanation_free, struct isst_explanation *)
CAN_BE_FREED_BY(isst_options_free, struct isst_options *)
CAN_BE_FREED_BY(isst_change_options_free, struct isst_change_options *)

#define ok(call) assert_int_equal((call), 0)
#define refused(call) assert_int_equal((call), -EINVAL)

/** A platform of the tests: its path, until the next call. */
static inline const char *of_tests(const char *name)
{
	const char *directory = getenv("ISST_PLATFORMS");
	static char path[4096];

	assert_in_range(snprintf(path, sizeof(path), "%s/%s.platform",
				 directory ? directory : "tests/platforms", name),
			1, sizeof(path) - 1);
	return path;
}

static inline void fixture_end(struct fixture *of)
{
	char *command, *error;

	if (!of->directory)
		return;
	for (size_t i = 0; i < of->result_count; i++)
		isst_results_free(of->results[i]);
	for (size_t i = 0; i < of->target_count; i++)
		isst_targets_free(of->targets[i]);
	isst_close(of->context);
	ok(isst_emulator_reset(of->target, &error));
	isst_emulator_target_free(of->target);
	assert_true(asprintf(&command, "rm -rf '%s'", of->directory) > 0);
	ok(system(command)); /* NOLINT(cert-env33-c) */
	free(command);
	free(of->directory);
	*of = (struct fixture){ 0 };
}

static inline int end_test(__attribute__((unused)) void **state)
{
	fixture_end(&fixture);
	return 0;
}

#define MACHINE_TEST(name) TEST_WITH(name, NULL, end_test)

/** The emulator's target of a platform, in the fixture's directory; that of a test ends an earlier
 * one. */
static inline void fixture_begin(struct fixture *of, const char *platform)
{
	const char *scratch = getenv("TMPDIR");

	if (of == &fixture)
		fixture_end(of);
	*of = (struct fixture){ 0 };
	assert_true(asprintf(&of->directory, "%s/isst-library-XXXXXX", scratch ? scratch : "/tmp") >
		    0);
	assert_non_null(mkdtemp(of->directory));
	of->target = isst_emulator_target_new(platform);
	assert_non_null(of->target);
	ok(isst_emulator_target_set_state(of->target, of->directory));
}

/** Another context on the machine, not discovered. */
static inline struct isst_context *fixture_open(struct fixture *of,
						const struct isst_options *options)
{
	struct isst_context *context;
	struct isst_machine *machine;
	char *error;

	ok(isst_emulator_open(of->target, &machine, &error));
	ok(isst_open_machine(machine, options, &context));
	return context;
}

static inline void fixture_discover(struct fixture *of, const char *platform)
{
	fixture_begin(of, platform);
	of->context = fixture_open(of, NULL);
	ok(isst_discover(of->context));
}

static inline void open_and_discover(void)
{
	fixture.context = fixture_open(&fixture, NULL);
	ok(isst_discover(fixture.context));
}

/** Discovers the machine of a test under the lock. */
static inline void lock_and_discover(const char *platform)
{
	fixture_begin(&fixture, platform);
	fixture.context = fixture_open(&fixture, NULL);
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
}

static inline void run_and_free(struct isst_change *change, int expected)
{
	assert_int_equal(isst_change_run(change), expected);
	isst_change_free(change);
}

/** Makes the machine what a configuration states. */
static inline void apply_config(struct isst_context *context, const char *text)
{
	struct isst_config *config = isst_config_new();
	struct isst_change *change;

	ok(isst_config_add_text(config, "test", text, strlen(text), 0));
	ok(isst_lock(context, 0, 0));
	ok(isst_discover(context));
	ok(isst_change_new(context, NULL, &change));
	ok(isst_change_add_config(change, config, 0));
	run_and_free(change, 0);
	ok(isst_unlock(context));
	isst_config_free(config);
}

/** Makes a file of the emulated machine fail or be slow, by a fault rule. */
static inline void fixture_fault(const struct fixture *of, const char *rule)
{
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/faults", of->directory) > 0);
	file = fopen(path, "a");
	free(path);
	assert_non_null(file);
	fprintf(file, "%s\n", rule);
	ok(fclose(file));
}

static inline struct isst_targets *new_targets(struct isst_context *context)
{
	struct isst_targets *targets = isst_targets_new(context);

	assert_non_null(targets);
	assert_in_range(fixture.target_count, 0, KEPT - 1);
	return fixture.targets[fixture.target_count++] = targets;
}

/** All domains of the context. */
static inline struct isst_targets *all_domains(struct isst_context *context)
{
	struct isst_targets *targets = new_targets(context);

	ok(isst_targets_add_all_domains(targets, 0));
	return targets;
}

/** The CPUs of a list. */
static inline struct isst_targets *cpus_of_list(struct isst_context *context, const char *list)
{
	struct isst_targets *targets = new_targets(context);
	struct isst_cpuset *cpus = isst_cpuset_new();

	ok(isst_cpuset_add_list(cpus, list, NULL));
	ok(isst_targets_add_cpus(targets, cpus));
	isst_cpuset_free(cpus);
	return targets;
}

/** What isst_read() reads of targets on the machine of the test, with what it returns. */
static inline struct isst_results *read_of(int what, const struct isst_targets *targets,
					   int expected)
{
	struct isst_results **results = &fixture.results[fixture.result_count++];

	assert_in_range(fixture.result_count, 1, KEPT);
	assert_int_equal(isst_read(fixture.context, what, targets, NULL, 0, results), expected);
	return *results;
}

#define check_value(result, id, expected) \
	do { \
		unsigned int check_value_; \
		ok(isst_result_value((result), (id), &check_value_)); \
		assert_int_equal(check_value_, (expected)); \
	} while (0)

#define check_value_at(result, id, row, column, expected) \
	do { \
		unsigned int check_value_; \
		assert_int_equal( \
			isst_result_value_at((result), (id), (row), (column), &check_value_), 0); \
		assert_int_equal(check_value_, (expected)); \
	} while (0)

/** Fails unless looking up the value ends with that errno. */
#define check_no_value(result, id, errno_) \
	do { \
		unsigned int check_value_; \
		assert_int_equal(isst_result_value((result), (id), &check_value_), -(errno_)); \
	} while (0)

#endif

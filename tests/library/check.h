/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the public interface share: they know isst.h and isst-emulator.h alone. */
#ifndef TESTS_LIBRARY_CHECK_H
#define TESTS_LIBRARY_CHECK_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <isst-emulator.h>

/** An emulated machine with a state of its own, and a context on it. */
struct fixture {
	char *directory;
	struct isst_emulator_target *target;
	struct isst_context *context;
};

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

/** The emulator's target of a platform, in the fixture's directory. */
static inline void fixture_begin(struct fixture *fixture, const char *platform)
{
	const char *scratch = getenv("TMPDIR");

	*fixture = (struct fixture){ 0 };
	assert_true(asprintf(&fixture->directory, "%s/isst-library-XXXXXX",
			     scratch ? scratch : "/tmp") > 0);
	assert_non_null(mkdtemp(fixture->directory));
	fixture->target = isst_emulator_target_new(platform);
	assert_non_null(fixture->target);
	assert_int_equal(isst_emulator_target_set_state(fixture->target, fixture->directory), 0);
}

/** Another context on the machine, not discovered. */
static inline struct isst_context *fixture_open(struct fixture *fixture,
						const struct isst_options *options)
{
	struct isst_context *context;
	struct isst_machine *machine;
	char *error;

	assert_int_equal(isst_emulator_open(fixture->target, &machine, &error), 0);
	assert_int_equal(isst_open_machine(machine, options, &context), 0);
	return context;
}

static inline void fixture_discover(struct fixture *fixture, const char *platform)
{
	fixture_begin(fixture, platform);
	fixture->context = fixture_open(fixture, NULL);
	assert_int_equal(isst_discover(fixture->context), 0);
}

/** Makes the machine what a configuration states. */
static inline void apply_config(struct isst_context *context, const char *text)
{
	struct isst_config *config = isst_config_new();
	struct isst_change *change;

	assert_int_equal(isst_config_add_text(config, "test", text, strlen(text), 0), 0);
	assert_int_equal(isst_lock(context, 0, 0), 0);
	assert_int_equal(isst_rediscover(context), 0);
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	assert_int_equal(isst_change_add_config(change, config, 0), 0);
	assert_int_equal(isst_change_run(change), 0);
	isst_change_free(change);
	assert_int_equal(isst_unlock(context), 0);
	isst_config_free(config);
}

/** Makes a file of the emulated machine fail or be slow, by a fault rule. */
static inline void fixture_fault(const struct fixture *fixture, const char *rule)
{
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/faults", fixture->directory) > 0);
	file = fopen(path, "a");
	free(path);
	assert_non_null(file);
	fprintf(file, "%s\n", rule);
	assert_int_equal(fclose(file), 0);
}

static inline void fixture_end(struct fixture *fixture)
{
	char *command, *error;

	isst_close(fixture->context);
	assert_int_equal(isst_emulator_reset(fixture->target, &error), 0);
	isst_emulator_target_free(fixture->target);
	assert_true(asprintf(&command, "rm -rf '%s'", fixture->directory) > 0);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
	free(command);
	free(fixture->directory);
}

/** All domains of the context. */
static inline struct isst_targets *all_domains(struct isst_context *context)
{
	struct isst_targets *targets = isst_targets_new(context);

	assert_non_null(targets);
	assert_int_equal(isst_targets_add_all_domains(targets, 0), 0);
	return targets;
}

/** The CPUs of a list. */
static inline struct isst_targets *cpus_of_list(struct isst_context *context, const char *list)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct isst_cpuset *cpus = isst_cpuset_new();

	assert_non_null(targets);
	assert_int_equal(isst_cpuset_add_list(cpus, list, NULL), 0);
	assert_int_equal(isst_targets_add_cpus(targets, cpus), 0);
	isst_cpuset_free(cpus);
	return targets;
}

#define check_value(result, id, expected) \
	do { \
		unsigned int check_value_; \
		assert_int_equal(isst_result_value((result), (id), &check_value_), 0); \
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

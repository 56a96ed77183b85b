/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that a command line and the environment select. */
#include "check.h"

#include "cli/run/run.h"

#include <errno.h>

/** Chooses for a command line. Returns the status; *@problem is to be freed. */
static enum exit_status choose(const char *line, struct emulation *target, char **problem)
{
	struct request request;
	enum exit_status status;

	*target = (struct emulation){ 0 };
	assert_accepted(&request, line);
	status = machine_choose(&request, target, problem);
	request_clear(&request);
	return status;
}

static void assert_chosen(const char *line, const char *platform, const char *directory)
{
	struct emulation target;
	char *problem;
	enum exit_status status = choose(line, &target, &problem);

	if (platform && !isst_emulator_is_available()) {
		assert_int_equal(status, STATUS_UNSUPPORTED);
		free(problem);
		return;
	}
	assert_int_equal(status, STATUS_DONE);
	assert_null(problem);
	assert_true(platform ? strcmp(target.platform, platform) == 0 : !target.platform);
	if (directory)
		assert_string_equal(target.state_directory, directory);
	else if (platform)
		assert_null(target.state_directory);
}

static void assert_no_choice(const char *line, const char *message)
{
	struct emulation target;
	char *problem;

	assert_int_equal(choose(line, &target, &problem), STATUS_USAGE);
	assert_string_equal(problem, message);
	free(problem);
}

static int clear_environment(void **state)
{
	unsetenv("ISST_EMULATE");
	unsetenv("ISST_EMULATE_STATE");
	return 0;
}

TEST_WITH(the_real_machine_is_meant_unless_another_is_named, clear_environment, NULL)
{
	assert_chosen("--info", NULL, NULL);
	assert_chosen("--real --info", NULL, NULL);
	setenv("ISST_EMULATE", "", 1);
	assert_chosen("--real --info", NULL, NULL);
	assert_chosen("--info", NULL, NULL);
}

TEST_WITH(an_option_goes_before_the_environment, clear_environment, NULL)
{
	setenv("ISST_EMULATE", "one", 1);
	setenv("ISST_EMULATE_STATE", "there", 1);
	assert_chosen("--info", "one", "there");
	assert_chosen("--emulate two --info", "two", "there");
	assert_chosen("--emulate two --emulate-state here --info", "two", "here");
	assert_chosen("--emulate two platform reset three", "three", "there");
}

TEST_WITH(a_state_needs_a_machine, clear_environment, NULL)
{
	assert_no_choice("--emulate-state here --info",
			 "option --emulate-state requires --emulate");
	setenv("ISST_EMULATE", "one", 1);
	assert_chosen("--emulate-state here --info", "one", "here");
}

TEST_WITH(real_refuses_the_machine_of_the_environment, clear_environment, NULL)
{
	setenv("ISST_EMULATE", "one", 1);
	assert_no_choice("--real --info",
			 "option --real refuses the emulated machine 'one' selected "
			 "by ISST_EMULATE");
}

TEST(errors_of_the_emulator_have_their_statuses)
{
	static const struct {
		int error;
		enum exit_status status;
	} cases[] = { { -ENOENT, STATUS_USAGE },
		      { -EINVAL, STATUS_USAGE },
		      { -EPERM, STATUS_NOT_PERMITTED },
		      { -EIO, STATUS_FAILED } };
	const struct emulation target = { .platform = "no-such-machine" };

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *message = strdup("told");

		assert_int_equal(machine_problem(cases[i].error, &target, &message),
				 cases[i].status);
		assert_string_equal(message, "told");
		free(message);
	}
}

TEST(a_misspelt_platform_finds_its_name)
{
	struct emulation target = { .platform = "giude" };
	char *message = strdup("no 'giude'");

	assert_int_equal(machine_problem(-ENOENT, &target, &message), STATUS_USAGE);
	assert_string_equal(message, isst_emulator_is_available()
					     ? "no 'giude'; did you mean 'guide'?"
					     : "no 'giude'");
	free(message);
}

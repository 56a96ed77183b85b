/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing high priority cores by the public interface. */
#include "check.h"

/** A request for a number of cores of one kind. */
static struct isst_request *ask(int id, unsigned int number)
{
	struct isst_request *request = isst_request_new();

	assert_non_null(request);
	ok(isst_request_set(request, id, number));
	return request;
}

static void add_cpus(struct isst_request *request, int id, const char *list)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = isst_cpuset_new();

	ok(isst_cpuset_add_list(cpus, list, NULL));
	ok(isst_request_set_cpus(request, id, cpus));
}

/** Fails unless the request gives the CPUs of a list. Frees the request. */
static void check_chosen(struct isst_context *context, const struct isst_targets *targets,
			 struct isst_request *request, unsigned int flags, const char *expected)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = NULL;
	char *list;

	if (isst_choose_high_priority_cpus(context, targets, request, flags, &cpus))
		fail_msg("%s", isst_error(context));
	list = isst_cpuset_to_list(cpus);
	assert_string_equal(list, expected);
	free(list);
	isst_request_free(request);
}

/** Fails unless the request is refused. Frees the request. */
static void check_refused(struct isst_context *context, const struct isst_targets *targets,
			  struct isst_request *request, int error, const char *message)
{
	struct isst_cpuset *cpus = isst_cpuset_new(), *unused = cpus;

	assert_int_equal(isst_choose_high_priority_cpus(context, targets, request, 0, &cpus),
			 error);
	assert_null(cpus);
	assert_non_null(strstr(isst_error(context), message));
	isst_cpuset_free(unused);
	isst_request_free(request);
}

MACHINE_TEST(cores_are_chosen_by_number_and_by_bucket)
{
	struct isst_targets *targets, *one;
	struct isst_request *request;

	fixture_discover(&fixture, "guide");
	targets = all_domains(fixture.context);
	one = cpus_of_list(fixture.context, "20");
	check_chosen(fixture.context, targets, ask(ISST_VALUE_HIGH_PRIORITY_CORES, 3), 0,
		     "0-1,14,28-29,42");
	check_chosen(fixture.context, targets, ask(ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE, 3),
		     0, "0-2,14-16,28-30,42-44");
	check_chosen(fixture.context, targets, ask(ISST_VALUE_HIGH_PRIORITY_BUCKET, 1), 0,
		     "0-3,14-17,28-31,42-45");
	check_chosen(fixture.context, one, ask(ISST_VALUE_HIGH_PRIORITY_CORES, 1), 0, "14,42");
	request = ask(ISST_VALUE_HIGH_PRIORITY_CORES, 2);
	add_cpus(request, ISST_VALUE_WITHIN_CPUS, "3-6,31-34");
	add_cpus(request, ISST_VALUE_AVOID_CPUS, "32");
	check_chosen(fixture.context, targets, request, 0, "3,5,31,33");
	/* Level 4 enables cores 0-3, 5 and 7-11, and its last bucket holds 4. */
	request = ask(ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE, 5);
	ok(isst_request_set(request, ISST_VALUE_LEVEL, 4));
	check_chosen(fixture.context, targets, request, ISST_CHOOSE_ALLOW_LOWER_TURBO,
		     "0-3,5,14-17,19,28-31,33,42-45,47");
}

MACHINE_TEST(what_cannot_be_chosen_is_refused)
{
	struct isst_cpuset *cpus = NULL;
	struct isst_targets *targets;
	freed_by(isst_request_free) struct isst_request *request = NULL;

	fixture_discover(&fixture, "guide");
	targets = all_domains(fixture.context);
	check_refused(fixture.context, targets, ask(ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE, 7),
		      -EINVAL, "1 more than the last bucket");
	check_refused(fixture.context, targets, ask(ISST_VALUE_HIGH_PRIORITY_BUCKET, 3),
		      -EOPNOTSUPP, "Invalid bucket 3");
	check_refused(fixture.context, targets, ask(ISST_VALUE_HIGH_PRIORITY_CORES, 0), -EINVAL,
		      "is 0");
	check_refused(fixture.context, targets, ask(ISST_VALUE_CLOS, 0), -EINVAL,
		      "no use for the value clos");
	request = ask(ISST_VALUE_HIGH_PRIORITY_CORES, 1);
	ok(isst_request_set(request, ISST_VALUE_HIGH_PRIORITY_BUCKET, 0));
	check_refused(fixture.context, targets, request, -EINVAL, "either a number");
	check_refused(fixture.context, targets, NULL, -EINVAL, "either a number");
	request = ask(ISST_VALUE_HIGH_PRIORITY_CORES, 1);
	refused(isst_choose_high_priority_cpus(fixture.context, targets, request, 2, &cpus));
}

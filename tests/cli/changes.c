/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run makes of the ways in which a change can end. The library is a fake here: the tested
 * files are compiled into this one against functions that answer what a test wants them to.
 */
#define isst_change_new fake_change_new
#define isst_change_free fake_change_free
#define isst_change_run fake_change_run
#define isst_change_check fake_change_check
#define isst_change_step_at fake_change_get_step
#define isst_change_is_unchanged fake_change_unchanged
#define isst_change_has_left_out fake_change_left_out
#define isst_change_warning_at fake_change_warning
#define isst_change_warning_code_at fake_change_warning_code
#define isst_change_difference_at fake_change_difference
#define isst_change_add_all_online fake_change_add_all_online
#define isst_offline_part_at fake_offline_part
#define isst_domain_count fake_domain_count
#define isst_error fake_error
#define change_machine tested_change_machine
#define change_all_online tested_change_all_online
#define change_begin tested_change_begin
#define change_make tested_change_make
#define change_report_warnings tested_change_report_warnings
#define change_report_failure tested_change_report_failure
#define change_note_unchanged tested_change_note_unchanged
#define change_note_late_signal tested_change_note_late_signal
#define change_note_offline_parts tested_change_note_offline_parts
#define change_finish tested_change_finish
#define change_fold_step tested_change_fold_step
#define domain_targets fake_targets
#define cpu_targets fake_targets
#define unit_report fake_unit_report
#define run_call fake_run_call
#include "cli/run/change.c" /* NOLINT(bugprone-suspicious-include) */

#include "check.h"

/* What the library returns is made here. */
#include "library/results.h"
#include "transaction/change.h"

#include <unistd.h>

/** What the library answers. */
struct answers {
	int planned;		       /* by the planning call as a whole */
	struct isst_failure domain[2]; /* by planning, of each domain */
	int result;		       /* of the run */
	const char *error;	       /* message */
	bool unchanged;
	const struct isst_domain *left_out; /* by the run */
	const char *warnings[3], *differences[3];
	struct isst_change_step steps[5];
	bool progress; /* the run reports CPU 3 */
	const char *offline_parts[3];
	const char *units[3]; /* what stands against each CPU */
	/* what it was asked */
	struct isst_change_options options;
	unsigned int runs;
};

static struct answers library;

static struct run run;

int fake_change_new(struct isst_context *context, const struct isst_change_options *options,
		    struct isst_change **change)
{
	library.options = *options;
	*change = NULL;
	return 0;
}

void fake_change_free(struct isst_change *change)
{
}

int fake_change_run(struct isst_change *change)
{
	library.runs++;
	if (library.progress)
		library.options.progress(library.options.progress_data, 3, 1, 1, 1);
	if (run_is_interrupted(&run))
		return -EINTR;
	return library.result;
}

const struct isst_change_step *fake_change_get_step(const struct isst_change *change, size_t index)
{
	return library.steps[index].target ? &library.steps[index] : NULL;
}

bool fake_change_unchanged(const struct isst_change *change)
{
	return library.unchanged;
}

bool fake_change_left_out(const struct isst_change *change, const struct isst_domain *domain)
{
	return domain == library.left_out;
}

const char *fake_change_warning(const struct isst_change *change, size_t index)
{
	return library.warnings[index];
}

int fake_change_warning_code(const struct isst_change *change, size_t index)
{
	return library.warnings[index] ? ISST_WARNING_CLIPPED : 0;
}

const char *fake_change_difference(const struct isst_change *change, size_t index)
{
	return library.differences[index];
}

const char *fake_offline_part(const struct isst_context *context, size_t index)
{
	return library.offline_parts[index];
}

/** Those that are asked for are all that there are. */
size_t fake_domain_count(const struct isst_context *context)
{
	return 0;
}

int fake_change_add_all_online(struct isst_change *change, const struct isst_targets *targets,
			       const struct isst_request *asked, unsigned int flags,
			       struct isst_results **results)
{
	return library.planned;
}

/** The fakes that add requests know whom they are for. */
struct isst_targets *fake_targets(struct run *unused)
{
	static struct isst_context context;

	return isst_targets_new(&context);
}

const char *fake_error(const struct isst_context *context)
{
	return library.error;
}

int fake_run_call(struct run *caller, int error)
{
	if (error)
		run_error(caller, status_of_error(error), "%s%s%s",
			  caller->interrupted_by ? caller->interrupted_by : "",
			  caller->interrupted_by ? ": " : "", library.error);
	return error;
}

struct report_node *fake_unit_report(const struct unit *unit, const struct isst_context *context,
				     struct report *report)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], unit->domain->package },
					    { &keys[KEY_CPU], unit->cpu } };

	return report_unit(report, path, 2);
}

/** What planning found last, of which domains. */
static struct found {
	const struct isst_domain *domain;
	struct isst_failure failure;
} found[4];
static size_t found_count;

static void note_found(const struct isst_domain *domain, const struct isst_failure *failure)
{
	assert_true(found_count < COUNT(found));
	found[found_count++] = (struct found){ .domain = domain, .failure = *failure };
}

/** By the rule of the options: which targets may be left out. */
int fake_change_check(const struct isst_change *change)
{
	size_t targets = 0, unsupported = 0;

	for (size_t i = 0; i < found_count; i++) {
		int error = found[i].failure.error;

		if (isst_domain_is_io(found[i].domain))
			continue;
		if (error && error != -EOPNOTSUPP)
			return error;
		unsupported += error != 0;
		targets++;
	}
	if (library.options.targets == ISST_SKIP_UNSUPPORTED && unsupported < targets)
		return 0;
	return unsupported ? -EOPNOTSUPP : 0;
}

static struct request request;

static struct isst_results *make_results(size_t count)
{
	struct isst_results *results = calloc(1, sizeof(*results));

	assert_non_null(results);
	results->items = calloc(count + 1, sizeof(*results->items));
	assert_non_null(results->items);
	results->count = count;
	return results;
}

/** What stands against a target, as a result of planning. */
static void put_failure(struct isst_result *result, const struct isst_domain *domain,
			struct isst_failure failure)
{
	note_found(domain, &failure);
	result->domain = domain;
	result->parts[ISST_PART_RESULT] = failure;
	if (failure.message)
		result->parts[ISST_PART_RESULT].message = strdup(failure.message);
}

static int add_both(struct isst_change *change, const struct isst_targets *targets,
		    const struct isst_request *asked, unsigned int flags,
		    struct isst_results **results)
{
	size_t count = run.targets.domain_count;

	assert_true(count <= 2);
	*results = NULL;
	if (library.planned)
		return library.planned;
	*results = make_results(count);
	for (size_t i = 0; i < count; i++)
		put_failure(&(*results)->items[i], run.targets.domains[i],
			    library.domain[run.targets.domains[i]->package]);
	return 0;
}

static int add_each_cpu(struct isst_change *change, const struct isst_targets *targets,
			const struct isst_request *asked, unsigned int flags,
			struct isst_results **results)
{
	*results = make_results(run.targets.unit_count);
	for (size_t i = 0; i < run.targets.unit_count; i++) {
		const struct isst_domain *domain = run.targets.units[i].domain;
		struct isst_failure failure = library.domain[domain->package];

		if (i < 3 && library.units[i])
			failure = (struct isst_failure){ .error = -EIO,
							 .message = library.units[i] };
		put_failure(&(*results)->items[i], domain, failure);
	}
	return library.planned;
}

static const struct change_command enable = { .add = add_both,
					      .feature = KEY_TURBO_FREQ,
					      .result = KEY_ENABLE };
static const struct change_command enable_automatic = { .add = add_both,
							.feature = KEY_TURBO_FREQ,
							.result = KEY_ENABLE,
							.extra_result = KEY_TURBO_FREQ_AUTO };
static const struct change_command disable_each = {
	.add = add_each_cpu, .for_cpus = true, .feature = KEY_TURBO_MODE, .result = KEY_DISABLE
};

/** Two packages; --cpu, where it is named, names two CPUs of the first and one of the second. */
#define DOMAIN_0 \
	{ \
		.name = "package 0, die 0", .package = 0, .has_cpu = true, .cpu = 0 \
	}
#define DOMAIN_1 \
	{ \
		.name = "package 1, die 0", .package = 1, .has_cpu = true, .cpu = 14 \
	}
#define PLACE_0 \
	{ \
		.package = 0, .die_known = true, .has_cpu = true \
	}
#define PLACE_1 \
	{ \
		.package = 1, .die_known = true, .has_cpu = true \
	}
static const struct isst_domain domains[] = { DOMAIN_0, DOMAIN_1 };
static const struct isst_domain *domain_list[] = { &domains[0], &domains[1] };
static struct unit all_units[] = {
	{ .domain = &domains[0], .place = PLACE_0, .cpu = 0, .slot = 0, .first = true },
	{ .domain = &domains[1], .place = PLACE_1, .cpu = 14, .slot = 1, .first = true },
};
static struct unit named_units[] = {
	{ .domain = &domains[0], .place = PLACE_0, .cpu = 12, .slot = 0, .first = true },
	{ .domain = &domains[0], .place = PLACE_0, .cpu = 13, .slot = 0, .first = false },
	{ .domain = &domains[1], .place = PLACE_1, .cpu = 20, .slot = 1, .first = true },
};

static int start(void **state)
{
	memset(&library, 0, sizeof(library));
	found_count = 0;
	memset(&request, 0, sizeof(request));
	request.command = command_find(feature_find("turbo-freq"), "enable");
	run = (struct run){
		.request = &request,
		.report = report_new(),
		.targets = { .units = all_units,
			     .unit_count = 2,
			     .domains = domain_list,
			     .domain_count = 2 },
	};
	return 0;
}

static int end(void **state)
{
	report_free(run.report);
	return 0;
}

static void name_cpus(void)
{
	run.targets.units = named_units;
	run.targets.unit_count = 3;
	run.targets.named = true;
}

static void count_cpus(void)
{
	name_cpus();
	run.targets.named = false;
}

static void assert_outcome(enum exit_status status, const char *text)
{
	assert_int_equal(run.status, status);
	assert_rendered(run.report, FORMAT_TEXT, text);
}

#define UNIT(package, cpu, node, leaf) \
	" package-" package "\n  cpu-" cpu "\n    " node "\n      " leaf "\n"

TEST_WITH(a_signal_is_named, start, end)
{
	library.error = "interrupted; all changes were rolled back";
	assert_int_equal(signals_block(&run.signals), 0);
	raise(SIGTERM);
	change_machine(&run, &enable);
	/* Taken in, so that letting go does not end the test. */
	assert_int_equal(sigwaitinfo(&run.signals.ours, NULL), SIGTERM);
	signals_release(&run.signals);
	assert_outcome(STATUS_FAILED,
		       "Error: SIGTERM: interrupted; all changes were rolled back\n" UNIT(
			       "0", "0", "turbo-freq", "enable:failed(error -4)")
			       UNIT("1", "14", "turbo-freq", "enable:failed(error -4)"));
}

/** The second domain is one of I/O. */
static void without_cpus(void)
{
	static struct isst_domain io = { .name = "package 0, power domain 2",
					 .number = 2,
					 .cpus_known = true };
	static const struct isst_domain *list[] = { &domains[0], &io };
	static struct unit units[] = {
		{ .domain = &domains[0], .place = PLACE_0, .first = true },
		{ .domain = &io, .place = { .number = 2 }, .slot = 1, .first = true },
	};

	if (!io.present)
		io.present = isst_cpuset_new();
	assert_non_null(io.present);
	run.targets.domains = list;
	run.targets.units = units;
	units[0].slot = 0;
	units[1].slot = 1;
}

TEST_WITH(a_domain_without_cpus_that_refuses_is_left_out, start, end)
{
	without_cpus();
	library.left_out = run.targets.domains[1];
	library.warnings[0] = "power domain 2 refused";
	change_machine(&run, &enable);
	assert_outcome(STATUS_DONE, "Information: power domain 2 refused\n" UNIT(
					    "0", "0", "turbo-freq", "enable:success"));
}

/** Only the last one has something against it. */
static int add_all_but_the_last(struct isst_change *change, const struct isst_targets *targets,
				const struct isst_request *asked, unsigned int flags,
				struct isst_results **results)
{
	size_t count = run.targets.domain_count;

	*results = make_results(count);
	for (size_t i = 0; i < count; i++)
		put_failure(&(*results)->items[i], run.targets.domains[i],
			    i + 1 == count ? library.domain[0] : (struct isst_failure){ 0 });
	return 0;
}

/* ---- Ways in which one change can end ---- */

#define EACH(node, leaf) UNIT("0", "0", node, leaf) UNIT("1", "14", node, leaf)
#define EACH_NAMED(node, leaf) \
	UNIT("0", "12", node, leaf) UNIT("0", "13", node, leaf) UNIT("1", "20", node, leaf)
#define ENABLED EACH("turbo-freq", "enable:success")
#define NAMED_ENABLED EACH_NAMED("turbo-freq", "enable:success")
#define FAILED(error) EACH("turbo-freq", "enable:failed(error -" error ")")
#define NAMED_FAILED EACH_NAMED("turbo-mode", "disable:failed(error -5)")
#define LACKS(package) \
	{ \
		.error = -EOPNOTSUPP, .message = "package " package " does not support it" \
	}
#define LACKING(package) "package " package " does not support it\n"

#define END(what, command, choose, runs, status, outcome, ...) \
	{ \
		what, command, choose, runs, status, outcome, \
		{ \
			__VA_ARGS__ \
		} \
	}

static const struct change_command enable_last = { .add = add_all_but_the_last,
						   .feature = KEY_TURBO_FREQ,
						   .result = KEY_ENABLE };

static const struct {
	const char *what;
	const struct change_command *command;
	void (*choose)(void); /* its targets; NULL: all */
	unsigned int runs;
	enum exit_status status;
	const char *outcome;
	struct answers library;
} ends[] = {
	END("success is printed for each unit", &enable, NULL, 1, STATUS_DONE,
	    "Information: it became less\n" ENABLED, .warnings = { "it became less" }),
	END("offline parts are reported", &disable_each, NULL, 1, STATUS_DONE,
	    "Information: package 2 is offline; not changed\n" EACH("turbo-mode",
								    "disable:success"),
	    .offline_parts = { "package 2 is offline" }),
	END("but for named CPUs; D49: a domain of several is changed once", &enable, name_cpus, 1,
	    STATUS_DONE, NAMED_ENABLED, .offline_parts = { "package 2 is offline" }),
	END("D58: --auto is printed under the lowest CPU of each domain", &enable_automatic,
	    name_cpus, 1, STATUS_DONE,
	    NAMED_ENABLED UNIT("0", "12", "turbo-freq --auto", "enable:success")
		    UNIT("1", "20", "turbo-freq --auto", "enable:success"),
	    .planned = 0),
	END("a machine that is as asked is unchanged", &enable, NULL, 1, STATUS_DONE,
	    "Information: unchanged: already in the requested state\n" ENABLED, .unchanged = true),
	END("what was left out completely is not called so", &enable, NULL, 1, STATUS_DONE,
	    "Information: nothing to disable\n" ENABLED, .unchanged = true,
	    .warnings = { "nothing to disable" }),
	END("what was left out in parts is", &enable, NULL, 1, STATUS_DONE,
	    "Information: nothing to disable\n"
	    "Information: unchanged: already in the requested state\n" ENABLED,
	    .unchanged = true, .warnings = { "nothing to disable" },
	    .steps = { { .target = "CLOS 1", .old_value = "1", .new_value = "1" } }),
	END("D48: a failure is one of all units", &enable_automatic, NULL, 1, STATUS_FAILED,
	    "Error: refused; all changes were rolled back\n" FAILED("5"), .result = -EIO,
	    .unchanged = true, .error = "refused; all changes were rolled back"),
	END("what could not be rolled back is listed", &enable, NULL, 1, STATUS_ROLLBACK_INCOMPLETE,
	    "Error: refused\nError: CLOS 0 is 1, was 0\nError: CLOS 1 is 1, was 0\n" FAILED("131"),
	    .result = -ENOTRECOVERABLE, .error = "refused",
	    .differences = { "CLOS 0 is 1, was 0", "CLOS 1 is 1, was 0" }),
	END("a domain without the feature is skipped", &enable_automatic, NULL, 1, STATUS_DONE,
	    "Information: " LACKING("1") UNIT("0", "0", "turbo-freq", "enable:success")
		    UNIT("0", "0", "turbo-freq --auto", "enable:success"),
	    .domain = { [1] = LACKS("1") }),
	END("a domain without CPUs follows", &enable_automatic, without_cpus, 1, STATUS_DONE,
	    UNIT("0", "0", "turbo-freq", "enable:success")
		    UNIT("0", "0", "turbo-freq", "enable:success")
			    UNIT("0", "0", "turbo-freq --auto", "enable:success"),
	    .planned = 0),
	END("its planning failures are notes", &enable_last, without_cpus, 1, STATUS_DONE,
	    "Information: power domain 2 cannot be read\n" UNIT("0", "0", "turbo-freq",
								"enable:success"),
	    .domain = { { .error = -EIO, .message = "power domain 2 cannot be read" } }),
	END("a named domain must have the feature", &enable, name_cpus, 0, STATUS_UNSUPPORTED,
	    "Error: " LACKING("1") EACH_NAMED("turbo-freq", "enable:failed(error -95)"),
	    .domain = { [1] = LACKS("1") }),
	END("nothing is done where no domain has the feature", &enable, NULL, 0, STATUS_UNSUPPORTED,
	    "Error: " LACKING("0") "Error: " LACKING("1") FAILED("95"),
	    .domain = { LACKS("0"), LACKS("1") }),
	END("nor where the state of one domain forbids it", &enable, NULL, 0, STATUS_FAILED,
	    "Error: " LACKING("0") "Error: package 1 is locked\n" FAILED("5"),
	    .domain = { LACKS("0"), { .error = -EIO, .message = "package 1 is locked" } }),
	END("CPUs that were not named are counted", &disable_each, count_cpus, 0, STATUS_FAILED,
	    "Error: CPU 12: refused (and 1 more)\n" NAMED_FAILED,
	    .domain = { { .error = -EIO, .message = "CPU 12: refused" } }),
	END("named ones are reported one by one", &disable_each, name_cpus, 0, STATUS_FAILED,
	    "Error: CPU 12: refused\nError: CPU 13: refused\n" NAMED_FAILED,
	    .units = { "CPU 12: refused", "CPU 13: refused" }),
	END("an obstacle of several named ones is reported once", &disable_each, name_cpus, 0,
	    STATUS_FAILED, "Error: package 0: refused\nError: CPU 13: refused\n" NAMED_FAILED,
	    .units = { "package 0: refused", "CPU 13: refused", "package 0: refused" }),
	END("planning that fails as a whole changes nothing", &enable, NULL, 0, STATUS_USAGE,
	    "Error: wrong anywhere\n" FAILED("22"), .planned = -EINVAL, .error = "wrong anywhere"),
};

TEST_WITH(a_change_ends_as_the_library_has_it, start, end)
{
	for (size_t i = 0; i < COUNT(ends); i++) {
		print_message("# %s\n", ends[i].what);
		report_free(run.report);
		start(state);
		library = ends[i].library;
		if (ends[i].choose)
			ends[i].choose();
		change_machine(&run, ends[i].command);
		assert_int_equal(library.runs, ends[i].runs);
		assert_outcome(ends[i].status, ends[i].outcome);
	}
}

TEST_WITH(a_domain_without_cpus_is_not_enough, start, end)
{
	static const struct isst_domain *list[2];

	without_cpus();
	list[0] = run.targets.domains[1];
	list[1] = run.targets.domains[0];
	run.targets.domains = list;
	run.targets.units[0].slot = 1;
	run.targets.units[1].slot = 0;
	library.domain[0] = (struct isst_failure){ .error = -EOPNOTSUPP,
						   .message = "package 0 does not support it" };
	change_machine(&run, &enable_last);
	assert_int_equal(library.runs, 0);
	assert_outcome(STATUS_UNSUPPORTED,
		       "Error: package 0 does not support it\n" UNIT("0", "0", "turbo-freq",
								     "enable:failed(error -95)")
			       UNIT("0", "0", "turbo-freq", "enable:failed(error -95)"));
}

static void ask_for(enum option_id option)
{
	request.options.value[option].given = true;
}

TEST_WITH(options_reach_the_library, start, end)
{
	change_machine(&run, &enable);
	assert_false(library.options.dry_run || library.options.partitions ||
		     library.options.partition_for_cpu0);
	ask_for(OPTION_DRY_RUN);
	ask_for(OPTION_CGROUP);
	ask_for(OPTION_CPU0_WORKAROUND);
	change_machine(&run, &enable);
	assert_true(library.options.dry_run && library.options.partitions &&
		    library.options.partition_for_cpu0);
	change_finish(&run);
}

TEST_WITH(a_dry_run_lists_what_differs, start, end)
{
	ask_for(OPTION_DRY_RUN);
	library.unchanged = true;
	library.steps[0] = (struct isst_change_step){ .target = "CLOS 0",
						      .old_value = "0",
						      .new_value = "0x11",
						      .written = true,
						      .fields = { { "CLOS 0 epp", "0", "1" },
								  { "CLOS 0 weight", "0", "1" } },
						      .field_count = 2 };
	library.steps[1] =
		(struct isst_change_step){ .target = "CLOS 1", .old_value = "1", .new_value = "1" };
	library.steps[2] = (struct isst_change_step){ .target = "CLOS 2",
						      .old_value = "unknown",
						      .new_value = "3",
						      .written = true,
						      .fields = { { "CLOS 2", "unknown", "3" } },
						      .field_count = 1 };
	library.steps[3] = (struct isst_change_step){ .target = "CLOS 3",
						      .old_value = "4",
						      .new_value = "4",
						      .written = true,
						      .fields = { { "CLOS 3", "4", "4" } },
						      .field_count = 1 };
	change_machine(&run, &enable);
	change_finish(&run);
	assert_outcome(STATUS_DONE, "Would change CLOS 0 epp: 0 -> 1\n"
				    "Would change CLOS 0 weight: 0 -> 1\n"
				    "Would change CLOS 2: unknown -> 3\n"
				    "Would change CLOS 3: 4 -> written again\n");
}

/** Each step is in documents, as it is written. */
TEST_WITH(a_dry_run_lists_all_in_documents, start, end)
{
	ask_for(OPTION_DRY_RUN);
	request.options.value[OPTION_FORMAT].number = FORMAT_JSON;
	library.steps[0] = (struct isst_change_step){
		.target = "CLOS 0", .old_value = "0x0", .new_value = "0x11", .written = true
	};
	library.steps[1] =
		(struct isst_change_step){ .target = "CLOS 1", .old_value = "1", .new_value = "1" };
	library.steps[2] = (struct isst_change_step){
		.target = "CLOS 2", .old_value = "unknown", .new_value = "3", .written = true
	};
	change_machine(&run, &enable);
	change_finish(&run);
	assert_document(
		run.report, FORMAT_JSON,
		"{\"dry-run\": {\"step-0\": {\"target\": \"CLOS 0\", \"old\": \"0x0\", "
		"\"new\": \"0x11\"}, \"step-1\": {\"target\": \"CLOS 2\", \"old\": \"unknown\", "
		"\"new\": \"3\"}}}");
}

TEST_WITH(a_dry_run_may_find_nothing_to_do, start, end)
{
	ask_for(OPTION_DRY_RUN);
	library.steps[0] =
		(struct isst_change_step){ .target = "CLOS 1", .old_value = "1", .new_value = "1" };
	change_machine(&run, &enable);
	change_finish(&run);
	assert_outcome(STATUS_DONE, "Information: nothing would be changed\n");
	assert_document(
		run.report, FORMAT_JSON,
		"{\"dry-run\": {}, \"Information:0\": {\"message\": \"nothing would be changed\"}}");
}

TEST_WITH(a_dry_run_fails_as_the_run_would, start, end)
{
	ask_for(OPTION_DRY_RUN);
	library.domain[1] = (struct isst_failure){ .error = -EIO,
						   .message = "package 1 is locked" };
	change_machine(&run, &enable);
	change_finish(&run);
	assert_int_equal(library.runs, 0);
	assert_outcome(STATUS_FAILED, "Error: package 1 is locked\n");
}

TEST_WITH(all_cpus_online_is_a_change_of_its_own, start, end)
{
	ask_for(OPTION_ALL_ONLINE);
	library.progress = true;
	assert_true(change_all_online(&run));
	assert_document(run.report, FORMAT_JSON,
			"{\"Information:0\": {\"message\": \"Forcing all CPUs online\"}, "
			"\"Information:1\": {\"message\": \"online cpu 3\"}}");
	assert_outcome(STATUS_DONE, "");
}

TEST_WITH(all_cpus_online_can_fail, start, end)
{
	ask_for(OPTION_ALL_ONLINE);
	library.result = -EIO;
	library.error = "CPU 3 does not come online";
	assert_false(change_all_online(&run));
	assert_outcome(STATUS_FAILED, "Error: CPU 3 does not come online\n");
}

#define UNFORESEEN \
	"Information: 1 CPU would come online first (--all-cpus-online): further changes of " \
	"the command on it, and on packages, dies and power domains that are completely " \
	"offline, are not listed\n"

static const struct isst_change_step comes_online = { .target = "CPU 3",
						      .old_value = "offline",
						      .new_value = "online",
						      .item.item.kind = ITEM_ONLINE,
						      .written = true,
						      .fields = { { "CPU 3: online", "off",
								    "on" } },
						      .field_count = 1 };

TEST_WITH(all_cpus_online_is_planned_in_a_dry_run, start, end)
{
	ask_for(OPTION_ALL_ONLINE);
	ask_for(OPTION_DRY_RUN);
	library.steps[0] = comes_online;
	assert_true(change_all_online(&run));
	change_finish(&run);
	assert_outcome(STATUS_DONE, "Would change CPU 3: online: off -> on\n" UNFORESEEN);
}

TEST_WITH(a_dry_run_does_not_print_unchanged_if_cpus_come_online, start, end)
{
	ask_for(OPTION_ALL_ONLINE);
	ask_for(OPTION_DRY_RUN);
	library.steps[0] = comes_online;
	library.offline_parts[0] = "package 1: all its CPUs (3) are offline";
	assert_true(change_all_online(&run));
	change_machine(&run, &enable);
	change_finish(&run);
	assert_outcome(STATUS_DONE, "Would change CPU 3: online: off -> on\n" UNFORESEEN);
}

TEST_WITH(a_dry_run_that_brings_nothing_online_names_what_is_offline, start, end)
{
	ask_for(OPTION_ALL_ONLINE);
	ask_for(OPTION_DRY_RUN);
	library.offline_parts[0] = "package 1: all its CPUs (3) are offline";
	assert_true(change_all_online(&run));
	change_machine(&run, &enable);
	change_finish(&run);
	assert_outcome(STATUS_DONE,
		       "Information: package 1: all its CPUs (3) are offline; not changed\n"
		       "Information: nothing would be changed\n");
}

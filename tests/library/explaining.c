/* SPDX-License-Identifier: BSD-3-Clause */
/* isst_explain(): what it finds, in which order, for whom; and what it leaves alone. */
#include "check.h"

#include <stdbool.h>

static struct isst_explanation *explain(struct isst_context *context, struct isst_targets *targets,
					int expected)
{
	struct isst_explanation *explanation;

	assert_int_equal(isst_explain(context, targets, NULL, 0, &explanation), expected);
	assert_non_null(explanation);
	return explanation;
}

/** Makes what a configuration of these statements states. */
static void apply(const char *statements)
{
	struct isst_context *context = fixture_open(&fixture, NULL);
	freed_by(isst_config_free) struct isst_config *config = isst_config_new();
	struct isst_change *change;

	ok(isst_lock(context, 0, 0));
	ok(isst_discover(context));
	ok(isst_config_add_text(config, "test", statements, strlen(statements), 0));
	ok(isst_change_new(context, NULL, &change));
	ok(isst_change_add_config(change, config, 0));
	run_and_free(change, 0);
	isst_close(context);
}

static void check_cpus(const struct isst_finding *finding, const char *expected)
{
	char *list = isst_cpuset_to_list(isst_finding_cpus(finding));

	assert_string_equal(list, expected);
	free(list);
}

MACHINE_TEST(every_code_has_a_name_of_its_own)
{
	for (int code = ISST_FINDING_CLOS_MAX_ZERO; code <= ISST_FINDING_CPU_OFFLINE; code++) {
		assert_non_null(isst_finding_code_name(code));
		for (int other = ISST_FINDING_CLOS_MAX_ZERO; other < code; other++)
			assert_string_not_equal(isst_finding_code_name(other),
						isst_finding_code_name(code));
	}
}

/* A maximum of 0 comes before a limit of cpufreq, which was set first. */
MACHINE_TEST(findings_are_in_order_and_complete)
{
	struct isst_explanation *explanation;
	const struct isst_finding *finding;

	fixture_begin(&fixture, "guide");
	apply("cpu 2-3: scaling-max 1500");
	apply("core-power on\ncpu 14: association 2\nclos 2: max 0");
	open_and_discover();
	explanation = explain(fixture.context, all_domains(fixture.context), 0);
	finding = isst_explanation_finding_at(explanation, 0);
	assert_int_equal(isst_finding_code(finding), ISST_FINDING_CLOS_MAX_ZERO);
	assert_int_equal(isst_finding_severity(finding), ISST_SEVERITY_CRITICAL);
	assert_string_equal(isst_finding_name(finding), "clos-max-zero");
	assert_string_equal(isst_finding_place(finding), "package 1");
	assert_int_equal(isst_cpuset_count(isst_finding_packages(finding)), 1);
	assert_true(isst_cpuset_has(isst_finding_packages(finding), 1));
	/* The class is the core's: 42 is the sibling of 14. */
	check_cpus(finding, "14,42");
	assert_string_equal(isst_finding_evidence(finding),
			    "CLOS 2: maximum 0 MHz (core-power get-config)");
	assert_string_equal(isst_finding_remedy(finding),
			    "isst config apply --set 'package 1 clos 2: max none'");
	finding = isst_explanation_finding_at(explanation, 1);
	assert_int_equal(isst_finding_code(finding), ISST_FINDING_SCALING_LIMIT);
	check_cpus(finding, "2-3");
	finding = isst_explanation_finding_at(explanation, 2);
	/* Cores in CLOS 0 and 2: what SST-TF takes for priorities. */
	assert_int_equal(isst_finding_code(finding), ISST_FINDING_PRIORITY_WITHOUT_TURBO_FREQ);
	assert_string_equal(isst_finding_place(finding), "package 1");
	isst_explanation_free(explanation);
	explanation = explain(fixture.context, cpus_of_list(fixture.context, "3"), 0);
	finding = isst_explanation_finding_at(explanation, 0);
	assert_int_equal(isst_finding_code(finding), ISST_FINDING_SCALING_LIMIT);
	check_cpus(finding, "3");
	assert_string_equal(isst_finding_remedy(finding),
			    "isst config apply --set 'cpu 3: scaling-max none'");
	isst_explanation_free(explanation);
}

static unsigned int count_findings(const struct isst_explanation *explanation)
{
	const struct isst_finding *finding;
	unsigned int count = 0;

	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++)
		count += isst_finding_severity(finding) != ISST_SEVERITY_ADVISORY;
	return count;
}

/* What cannot be read is reported, and the rest is looked for all the same. */
MACHINE_TEST(what_cannot_be_read_is_named)
{
	freed_by(isst_explanation_free) struct isst_explanation *explanation = NULL;

	fixture_begin(&fixture, "guide");
	apply("cpu 2-3: scaling-max 1500");
	fixture_fault(&fixture, "mailbox 0xd0/0x02 package 1 get EIO");
	open_and_discover();
	explanation = explain(fixture.context, all_domains(fixture.context), ISST_PARTIAL);
	assert_non_null(isst_explanation_unread_at(explanation, 0));
	assert_non_null(
		strstr(isst_message_text(isst_explanation_unread_at(explanation, 0)), "package 1"));
	assert_int_equal(count_findings(explanation), 1);
}

/* Neither MSR 0x64f is read on TPMI servers, nor cpufreq of isolated and nohz_full CPUs anywhere:
 * where they fail nothing is unread, and a limit there is not found. */
MACHINE_TEST(what_must_not_be_disturbed_is_left_alone)
{
	static const char *const PLATFORMS[] = { "graniterapids-unlocked", "guide" };

	for (size_t i = 0; i < 2; i++) {
		freed_by(isst_explanation_free) struct isst_explanation *explanation = NULL;

		fixture_begin(&fixture, PLATFORMS[i]);
		apply("cpu 2-3: scaling-max 1500");
		if (i == 0)
			fixture_fault(&fixture, "msr 0x64f EIO");
		fixture_fault(&fixture, "read /sys/devices/system/cpu/isolated content \"2\\n\"");
		fixture_fault(&fixture, "read /sys/devices/system/cpu/nohz_full content \"3\\n\"");
		fixture_fault(&fixture, "read /sys/devices/system/cpu/cpu[23]/cpufreq/* EIO");
		open_and_discover();
		explanation = explain(fixture.context, all_domains(fixture.context), 0);
		assert_int_equal(count_findings(explanation), 0);
		assert_null(isst_explanation_unread_at(explanation, 0));
		assert_string_equal(
			isst_message_text(isst_explanation_note_at(explanation, 0)),
			"CPUs 2-3: isolated or nohz_full: files of cpufreq and MSRs are not read");
	}
}

/* Of domains all CPUs are measured but those that are to be left alone, of CPUs just these. */
MACHINE_TEST(cpus_are_measured_where_it_is_asked_for)
{
	struct isst_explanation *explanation;
	struct isst_targets *targets;

	fixture_begin(&fixture, "guide");
	apply("cpu 2-3: scaling-max 1500");
	fixture_fault(&fixture, "read /sys/devices/system/cpu/isolated content \"3\\n\"");
	open_and_discover();
	explanation = explain(fixture.context, all_domains(fixture.context), 0);
	assert_int_equal(isst_explanation_measured_mhz(explanation, 2), 0);
	isst_explanation_free(explanation);
	targets = all_domains(fixture.context);
	refused(isst_explain(fixture.context, targets, NULL, ISST_EXPLAIN_LIMITS << 1,
			     &explanation));
	assert_null(explanation);
	ok(isst_explain(fixture.context, targets, NULL, ISST_EXPLAIN_MEASURE, &explanation));
	assert_int_equal(isst_explanation_measured_mhz(explanation, 2), 1500);
	assert_int_equal(isst_explanation_measured_mhz(explanation, 3), 0);
	assert_int_equal(isst_explanation_measured_mhz(explanation, 4), 3100);
	assert_int_equal(isst_explanation_measured_mhz(explanation, 4000), 0);
	isst_explanation_free(explanation);
	targets = cpus_of_list(fixture.context, "3");
	ok(isst_explain(fixture.context, targets, NULL, ISST_EXPLAIN_MEASURE, &explanation));
	assert_int_equal(isst_explanation_measured_mhz(explanation, 3), 1500);
	assert_int_equal(isst_explanation_measured_mhz(explanation, 2), 0);
	assert_int_equal(isst_finding_code(isst_explanation_finding_at(explanation, 0)),
			 ISST_FINDING_MEASURED_BELOW_BASE);
	isst_explanation_free(explanation);
}

static int interrupt_third(void *data)
{
	return ++*(unsigned int *)data > 2;
}

/* Only measuring takes so long that it is interrupted: before the next CPU. */
MACHINE_TEST(measuring_can_be_interrupted)
{
	freed_by(isst_options_free) struct isst_options *options = isst_options_new();
	struct isst_explanation *explanation;
	unsigned int asked = 0;

	isst_options_set_interrupted(options, interrupt_third, &asked);
	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, options);
	ok(isst_discover(fixture.context));
	asked = 0;
	assert_int_equal(isst_explain(fixture.context, all_domains(fixture.context), NULL,
				      ISST_EXPLAIN_MEASURE, &explanation),
			 -EINTR);
	assert_null(explanation);
	assert_int_equal(asked, 3);
}

/** Whether a kernel of that release has an advisory. */
static bool is_advised(const char *platform, const char *release, const char *name)
{
	freed_by(isst_explanation_free) struct isst_explanation *explanation = NULL;
	const struct isst_finding *finding;
	bool advised = false;
	char rule[128];

	fixture_begin(&fixture, platform);
	snprintf(rule, sizeof(rule), "read /proc/sys/kernel/osrelease content \"%s\\n\"", release);
	fixture_fault(&fixture, rule);
	open_and_discover();
	explanation = explain(fixture.context, all_domains(fixture.context), 0);
	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++) {
		assert_int_equal(isst_finding_severity(finding), ISST_SEVERITY_ADVISORY);
		assert_int_equal(isst_finding_code(finding), ISST_FINDING_ADVISORY);
		advised |= strcmp(isst_finding_name(finding), name) == 0;
	}
	fixture_end(&fixture);
	return advised;
}

/* The versions are those of the fixes; some series of their own have them as well. */
MACHINE_TEST(advisories_follow_the_kernel)
{
	static const struct {
		const char *platform, *release, *name;
		bool advised;
	} ROWS[] = {
		{ "graniterapids-unlocked", "6.18.39", "resume-loses-levels", true },
		{ "graniterapids-unlocked", "6.18.40-1-amd64", "resume-loses-levels", false },
		{ "graniterapids-unlocked", "6.19.2", "resume-loses-levels", true },
		{ "graniterapids-unlocked", "7.1.4", "resume-loses-levels", true },
		{ "graniterapids-unlocked", "7.1.5", "resume-loses-levels", false },
		{ "graniterapids-unlocked", "7.2.0-rc1", "resume-loses-levels", false },
		{ "graniterapids-unlocked", "6.12.116", "tpmi-write-permission", true },
		{ "graniterapids-unlocked", "6.12.117+deb13-amd64", "tpmi-write-permission",
		  false },
		{ "graniterapids-unlocked", "6.12.116", "core-power-write-block", true },
		{ "graniterapids-unlocked", "6.12.117", "core-power-write-block", false },
		{ "graniterapids-unlocked", "6.12.116", "lock-status-width", true },
		{ "graniterapids-unlocked", "6.12.117", "lock-status-width", false },
		{ "graniterapids-unlocked", "6.13.0", "tpmi-write-permission", true },
		{ "graniterapids-unlocked", "7.0", "tpmi-write-permission", false },
		{ "graniterapids-unlocked", "6.18.3", "hwp-not-checked", false },
		{ "graniterapids-unlocked", "5.10.1", "stale-turbo-ratio-limits", false },
		{ "guide", "6.15.11", "stale-turbo-ratio-limits", true },
		{ "guide", "6.16.0", "stale-turbo-ratio-limits", false },
		{ "guide", "5.14.0-503.el9", "sub-numa-mapping", true },
		{ "guide", "5.15.1", "sub-numa-mapping", true },
		{ "guide", "5.16.0", "sub-numa-mapping", false },
		{ "guide", "6.1.0", "tpmi-write-permission", false },
		{ "guide", "unheard-of", "stale-turbo-ratio-limits", false },
	};

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
		if (is_advised(ROWS[i].platform, ROWS[i].release, ROWS[i].name) != ROWS[i].advised)
			fail_msg("%s: %s", ROWS[i].release, ROWS[i].name);
}

static bool is_of_hardware(const struct isst_finding *finding)
{
	return strncmp(isst_finding_name(finding), "limited-", strlen("limited-")) == 0;
}

/** Neither cpufreq files nor names of processes are read for it. */
MACHINE_TEST(what_limits_the_hardware_is_found_alone)
{
	struct isst_explanation *all, *limits;
	const struct isst_finding *finding;
	size_t count = 0;

	fixture_begin(&fixture, of_tests("tpmi-limited"));
	apply("cpu 2-3: scaling-max 1500");
	open_and_discover();
	all = explain(fixture.context, all_domains(fixture.context), 0);
	fixture_fault(&fixture, "read /proc/[1-9]*/comm EIO");
	fixture_fault(&fixture, "read /sys/devices/system/cpu/cpu*/cpufreq/* EIO");
	ok(isst_explain(fixture.context, all_domains(fixture.context), NULL, ISST_EXPLAIN_LIMITS,
			&limits));
	for (size_t i = 0; (finding = isst_explanation_finding_at(all, i)); i++) {
		const struct isst_finding *same;

		if (!is_of_hardware(finding))
			continue;
		same = isst_explanation_finding_at(limits, count++);
		assert_non_null(same);
		assert_string_equal(isst_finding_name(same), isst_finding_name(finding));
		assert_true(isst_cpuset_count(isst_finding_cpus(same)) ==
			    isst_cpuset_count(isst_finding_cpus(finding)));
	}
	assert_true(count > 0);
	assert_null(isst_explanation_finding_at(limits, count));
	assert_null(isst_explanation_unread_at(limits, 0));
	isst_explanation_free(limits);
	isst_explanation_free(all);
	all = explain(fixture.context, all_domains(fixture.context), ISST_PARTIAL);
	assert_non_null(isst_explanation_unread_at(all, 0));
	isst_explanation_free(all);
}

/* Counters of throttling are events of the past: they are neither read nor found. */
MACHINE_TEST(what_limited_the_hardware_once_is_left_out)
{
	struct isst_explanation *limits;
	struct isst_targets *targets;

	fixture_discover(&fixture, "guide");
	fixture_fault(&fixture, "read /sys/devices/system/cpu/cpu*/thermal_throttle/* EIO");
	targets = all_domains(fixture.context);
	ok(isst_explain(fixture.context, targets, NULL, ISST_EXPLAIN_LIMITS, &limits));
	assert_null(isst_explanation_unread_at(limits, 0));
	isst_explanation_free(limits);
	/* The rule is one that other explanations notice. */
	isst_explanation_free(explain(fixture.context, targets, ISST_PARTIAL));
}

/** The finding of a code at a place; NULL: there is none. */
static const struct isst_finding *find_at(const struct isst_explanation *explanation, int code,
					  const char *place)
{
	const struct isst_finding *finding;

	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++)
		if (isst_finding_code(finding) == code &&
		    strcmp(isst_finding_place(finding), place) == 0)
			return finding;
	return NULL;
}

/* Where the class of a single core is unknown the others are not all cores of the package. */
MACHINE_TEST(a_core_of_unknown_class_is_not_taken_for_another)
{
	const int code = ISST_FINDING_TURBO_FREQ_WITHOUT_PRIORITIES;
	freed_by(isst_explanation_free) struct isst_explanation *explanation = NULL;

	fixture_begin(&fixture, "guide");
	apply("turbo-freq on\ncore-power on ordered");
	fixture_fault(&fixture, "mmio 0x38 package 1 get EIO");
	open_and_discover();
	explanation = explain(fixture.context, all_domains(fixture.context), ISST_PARTIAL);
	assert_non_null(find_at(explanation, code, "package 0"));
	assert_null(find_at(explanation, code, "package 1"));
}

/* With SST-BF the base frequency that each core has at least is the lower one: 1800 MHz, not 2000.
 */
MACHINE_TEST(a_maximum_is_held_against_the_low_base_frequency)
{
	static const struct {
		const char *statements;
		bool found;
	} ROWS[] = {
		{ "cpu 2: association 3\nclos 3: max 1800", false },
		{ "clos 3: max 1700", true },
		{ "base-freq off\nclos 3: max 1800", true },
	};

	fixture_begin(&fixture, of_tests("features-on"));
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		freed_by(isst_explanation_free) struct isst_explanation *explanation = NULL;

		apply(ROWS[i].statements);
		open_and_discover();
		explanation = explain(fixture.context, all_domains(fixture.context), 0);
		if ((find_at(explanation, ISST_FINDING_CLOS_MAX_BELOW_BASE, "package 0") != NULL) !=
		    ROWS[i].found)
			fail_msg("%s", ROWS[i].statements);
		isst_close(fixture.context);
	}
	fixture.context = NULL;
}

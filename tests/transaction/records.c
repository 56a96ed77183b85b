/* SPDX-License-Identifier: BSD-3-Clause */
/* What `enable --auto` records and `disable --auto` puts back (D38, D42). */
#include "transaction/support/loops.h"

#define RECORD "run/record-base-freq"

/** The lines of the picture that begin with @start, to be freed. */
static char *lines_of(const struct machine *machine, const char *start)
{
	char *picture = machine_picture(machine), *rest = picture, *line, *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	while ((line = strsep(&rest, "\n")))
		if (strncmp(line, start, strlen(start)) == 0)
			fprintf(stream, "%s\n", line);
	assert_int_equal(fclose(stream), 0);
	free(picture);
	return text;
}

static void check_lines(const struct machine *machine, const char *start, const char *expected)
{
	char *lines = lines_of(machine, start);

	assert_string_equal(lines, expected);
	free(lines);
}

static void D38_disable_puts_back_all_that_enable_replaced(void **state)
{
	static const char *const PAIRS[][2] = {
		{ "base-freq enable auto", "base-freq disable auto" },
		{ "turbo-freq enable auto cpus", "turbo-freq disable auto" },
	};
	static const char *const BEFORE[] = { NULL, "clos; association",
					      "core-power enable ordered; clos" };
	struct machine machine;

	machine_begin(&machine, *state);
	for (size_t i = 0; i < COUNT(PAIRS) * COUNT(BEFORE); i++) {
		const char *const *pair = PAIRS[i % COUNT(PAIRS)];
		char *before;

		machine_restart(&machine, BEFORE[i / COUNT(PAIRS)]);
		before = machine_picture(&machine);
		assert_true(machine_prepare(&machine, pair[0]));
		assert_true(machine_prepare(&machine, pair[1]));
		machine_check(&machine, before, "%s after %s after %s", pair[1], pair[0],
			      BEFORE[i / COUNT(PAIRS)] ? BEFORE[i / COUNT(PAIRS)] : "nothing");
		free(before);
	}
	machine_end(&machine);
}

/** Cut off anywhere, they do not say all that was replaced. */
static void saved_settings_that_are_cut_off_are_followed_in_nothing(void **state)
{
	struct machine machine;
	char *text, *enabled;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	assert_true(machine_prepare(&machine, "base-freq enable auto"));
	enabled = machine_picture(&machine);
	text = machine_text(&machine, RECORD);
	assert_non_null(text);
	for (size_t length = 0; length < strlen(text); length += length % 7 + 1) {
		char *part = strndup(text, length);
		struct outcome outcome;

		assert_non_null(part);
		machine_write(&machine, RECORD, part);
		machine_try(&machine, "base-freq disable auto", &outcome);
		if (outcome_error(&outcome) != -EIO)
			fail_msg("%zu of %zu bytes: %d, %s", length, strlen(text),
				 outcome_error(&outcome), outcome.message);
		check_holds(outcome.message, "is cut off");
		check_holds(outcome.message, "remove the file");
		machine_check(&machine, enabled, "%zu bytes of saved settings", length);
		outcome_clear(&outcome);
		free(part);
	}
	machine_write(&machine, RECORD, text);
	assert_true(machine_prepare(&machine, "base-freq disable auto"));
	free(text);
	free(enabled);
	machine_end(&machine);
}

static void D38_what_the_user_changed_since_is_left_alone(void **state)
{
	struct machine machine;
	struct outcome outcome;
	char *before;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	before = lines_of(&machine, "domain 0 core ");
	machine_prepare(&machine, "base-freq enable auto; clos");
	machine_try(&machine, "base-freq disable auto", &outcome);
	assert_int_equal(outcome_error(&outcome), 0);
	check_holds(outcome.warnings, "package 0, die 0: CLOS 2");
	check_holds(outcome.warnings, "left as it is");
	check_lines(&machine, "domain 0 clos 2", "domain 0 clos 2: 0x00160a53\n");
	check_lines(&machine, "domain 0 clos 1", "domain 0 clos 1: 0x00ff0000\n");
	check_lines(&machine, "domain 0 core ", before);
	free(before);
	outcome_clear(&outcome);
	machine_end(&machine);
}

static void a_second_enable_keeps_the_first_record(void **state)
{
	struct machine machine;
	char *before, *first, *second;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	machine_prepare(&machine, "clos");
	before = machine_picture(&machine);
	machine_prepare(&machine, "base-freq enable auto");
	first = machine_text(&machine, RECORD);
	machine_prepare(&machine, "base-freq enable auto");
	second = machine_text(&machine, RECORD);
	assert_non_null(first);
	assert_string_equal(first, second);
	/* Other cores: what was there before the first one still counts. */
	machine_restart(&machine,
			"clos; turbo-freq enable auto cpus; turbo-freq enable auto more cpus;"
			" turbo-freq disable auto");
	machine_check(&machine, before, "two enables and one disable");
	free(before);
	free(first);
	free(second);
	machine_end(&machine);
}

static void a_record_of_another_boot_is_no_record(void **state)
{
	struct machine machine;
	struct outcome outcome;
	char *record, *at;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	machine_prepare(&machine, "base-freq enable auto");
	record = machine_text(&machine, RECORD);
	at = strstr(record, " boot ");
	assert_non_null(at);
	at[6] = at[6] == '0' ? '1' : '0';
	machine_write(&machine, RECORD, record);
	machine_try(&machine, "base-freq disable auto", &outcome);
	assert_int_equal(outcome_error(&outcome), 0);
	/* As the reference tool: CLOS and associations stay, core-power goes off. */
	check_lines(&machine, "domain 0 clos 1", "domain 0 clos 1: 0x00ff12ff\n");
	check_lines(&machine, "domain 0 core-power", "domain 0 core-power: 0\n");
	free(record);
	outcome_clear(&outcome);
	machine_end(&machine);
}

static void a_record_of_another_level_is_no_record(void **state)
{
	struct machine machine;

	(void)state;
	machine_begin_with(&machine, "tests/tiny", "[level 1]\n",
			   "[level 1]\nbase-freq-cores = 0\nbase-freq-high = 2700\n"
			   "base-freq-low = 2400\n");
	assert_true(machine_prepare(&machine, "base-freq enable auto; level 1"));
	assert_true(machine_prepare(&machine, "base-freq disable auto"));
	check_lines(&machine, "domain 0 clos 0", "domain 0 clos 0: 0x00ff1700\n");
	/* Back at its level it counts again. */
	assert_true(machine_prepare(&machine, "level 0; base-freq disable auto"));
	machine_end(&machine);
}

/** A record of which nothing but marks is left: lines that say what was put back already. */
static void check_nothing_recorded(const struct machine *machine)
{
	char *record = machine_text(machine, RECORD), *rest = record, *line;

	assert_non_null(record);
	check_holds(record, "\nlevel ");
	assert_non_null(strsep(&rest, "\n"));
	while ((line = strsep(&rest, "\n")))
		if (*line && strncmp(line, "level ", strlen("level ")) != 0 &&
		    strcmp(line, "end") != 0)
			fail_msg("still recorded: %s", line);
	free(record);
}

static void hotplug(const struct machine *machine, unsigned int cpu, bool online)
{
	struct isst_machine *opened = machine_open(machine);
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	assert_int_equal(opened->files->write(opened->data, path, online ? "1" : "0", 1), 0);
	opened->release(opened);
}

/** The limits of a CPU that is offline can be neither read nor written, with old kernels and new
 * ones: what is recorded of them waits. */
static void limits_of_an_offline_cpu_are_put_back_once_it_is_online(void **state)
{
	static const char *const FILES[] = { "offline-cpufreq = busy", "offline-cpufreq = gone" };

	(void)state;
	for (size_t i = 0; i < COUNT(FILES); i++) {
		struct machine machine;
		struct outcome outcome;
		char *before, *lines;

		assert_true(asprintf(&lines, "[files]\n%s\n\n[topology]", FILES[i]) >= 0);
		machine_begin_with(&machine, "tests/tiny", "[topology]", lines);
		machine_restart(&machine, NULL);
		before = machine_picture(&machine);
		assert_true(machine_prepare(&machine, "base-freq enable auto"));
		hotplug(&machine, 1, false);
		hotplug(&machine, 3, false);
		machine_try(&machine, "base-freq disable auto", &outcome);
		if (outcome_error(&outcome))
			fail_msg("%s: %s", FILES[i], outcome.message);
		check_holds(outcome.warnings, "CPU 1,3: offline");
		assert_null(strstr(outcome.warnings, "was changed after"));
		outcome_clear(&outcome);
		hotplug(&machine, 1, true);
		hotplug(&machine, 3, true);
		assert_true(machine_prepare(&machine, "base-freq disable auto"));
		machine_check(&machine, before, "%s", FILES[i]);
		check_nothing_recorded(&machine);
		free(lines);
		free(before);
		machine_end(&machine);
	}
}

/** With @cpus offline and forgotten, nobody can tell on which die their power domain is. */
static void take_offline(const struct machine *machine, const unsigned int *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hotplug(machine, cpus[i], false);
	machine_write(machine, "run/topology", "");
}

/** A power domain without online CPUs gets back what the firmware holds for it; the limits of its
 * CPUs wait until they are online. */
static void B4_a_power_domain_without_online_cpus_is_put_back(void **state)
{
	static const unsigned int CPUS[] = { 4, 5, 6, 7, 12, 13, 14, 15 };
	static const char *const PAIRS[][2] = {
		{ "base-freq enable auto", "base-freq disable auto" },
		{ "turbo-freq enable auto cpus", "turbo-freq disable auto" },
	};
	struct machine machine;

	machine_begin(&machine, *state);
	for (size_t i = 0; i < COUNT(PAIRS); i++) {
		struct outcome outcome;
		char *before, *domain, *changed;

		machine_restart(&machine, "core-power enable; clos; association");
		before = machine_picture(&machine);
		domain = lines_of(&machine, "domain 1 ");
		assert_true(machine_prepare(&machine, PAIRS[i][0]));
		changed = lines_of(&machine, "domain 1 ");
		assert_string_not_equal(changed, domain);
		take_offline(&machine, CPUS, COUNT(CPUS));
		machine_try(&machine, PAIRS[i][1], &outcome);
		assert_int_equal(outcome_error(&outcome), 0);
		assert_null(strstr(outcome.warnings, "was changed after"));
		outcome_clear(&outcome);
		check_lines(&machine, "domain 1 ", domain);
		for (size_t j = 0; j < COUNT(CPUS); j++)
			hotplug(&machine, CPUS[j], true);
		machine_try(&machine, PAIRS[i][1], &outcome);
		assert_int_equal(outcome_error(&outcome), 0);
		outcome_clear(&outcome);
		machine_check(&machine, before, "%s", PAIRS[i][1]);
		free(before);
		free(domain);
		free(changed);
	}
	machine_end(&machine);
}

static void D38_core_power_stays_on_while_the_other_feature_is_on(void **state)
{
	struct machine machine;
	struct outcome outcome;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	machine_prepare(&machine, "base-freq enable auto; turbo-freq enable auto cpus");
	machine_try(&machine, "base-freq disable auto", &outcome);
	assert_int_equal(outcome_error(&outcome), 0);
	check_holds(outcome.warnings, "turbo-freq");
	check_lines(&machine, "domain 0 core-power", "domain 0 core-power: 1\n");
	outcome_clear(&outcome);
	/* Without a record as well. */
	machine_restart(&machine, "turbo-freq enable; base-freq enable");
	machine_try(&machine, "base-freq disable auto", &outcome);
	assert_int_equal(outcome_error(&outcome), 0);
	check_lines(&machine, "domain 0 core-power", "domain 0 core-power: 1\n");
	outcome_clear(&outcome);
	machine_end(&machine);
}

static void D42_the_priority_type_is_kept(void **state)
{
	struct machine machine;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	machine_prepare(&machine, "core-power enable ordered");
	check_lines(&machine, "domain 0 qos", "domain 0 qos: 0x00000006\n");
	machine_prepare(&machine, "core-power enable");
	check_lines(&machine, "domain 0 qos", "domain 0 qos: 0x00000006\n");
	machine_prepare(&machine, "core-power disable");
	check_lines(&machine, "domain 0 qos", "domain 0 qos: 0x00000004\n");
	machine_end(&machine);
}

static void D39_core_power_is_not_disabled_under_turbo_freq(void **state)
{
	struct machine machine;
	struct outcome outcome;
	char *before;

	(void)state;
	machine_begin(&machine, "guide");
	machine_prepare(&machine, "turbo-freq enable");
	before = machine_picture(&machine);
	machine_try(&machine, "core-power disable", &outcome);
	assert_int_equal(outcome_error(&outcome), -EIO);
	check_holds(outcome.message, "turbo-freq feature is still enabled");
	machine_check(&machine, before, "core-power disable");
	free(before);
	outcome_clear(&outcome);
	machine_end(&machine);
}

/** There is nothing but cpufreq's limits: those of the user come back. */
static void D38_limits_of_a_preset_platform_are_put_back(void **state)
{
	static const char *const PLATFORMS[] = { "tests/preset-unnamed", "cascadelake-6230n" };
	static const char *const BEFORE[] = { NULL, "turbo-mode disable" };
	struct machine machine;

	(void)state;
	for (size_t i = 0; i < COUNT(PLATFORMS) * COUNT(BEFORE); i++) {
		char *before;

		machine_begin(&machine, PLATFORMS[i / COUNT(BEFORE)]);
		machine_restart(&machine, BEFORE[i % COUNT(BEFORE)]);
		before = machine_picture(&machine);
		assert_true(machine_prepare(&machine, "base-freq enable auto"));
		assert_true(machine_prepare(&machine, "base-freq disable auto"));
		machine_check(&machine, before, "base-freq disable after enable");
		free(before);
		machine_end(&machine);
	}
}

#define TEST(test, platform) \
	{ \
		platform ": " #test, test, NULL, NULL, platform \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(D38_disable_puts_back_all_that_enable_replaced, "tests/tiny"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "tests/multi-die"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "guide"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "sapphirerapids-2s56c"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "tests/tpmi-tiny"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "tests/tpmi-modules"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "graniterapids-2s128c"),
		TEST(D38_disable_puts_back_all_that_enable_replaced, "graniterapids-6776p"),
		cmocka_unit_test(D38_limits_of_a_preset_platform_are_put_back),
		cmocka_unit_test(D38_what_the_user_changed_since_is_left_alone),
		cmocka_unit_test(limits_of_an_offline_cpu_are_put_back_once_it_is_online),
		TEST(B4_a_power_domain_without_online_cpus_is_put_back, "tests/tpmi-dies"),
		TEST(B4_a_power_domain_without_online_cpus_is_put_back, "tests/tpmi-tiny"),
		cmocka_unit_test(a_second_enable_keeps_the_first_record),
		cmocka_unit_test(a_record_of_another_boot_is_no_record),
		cmocka_unit_test(a_record_of_another_level_is_no_record),
		cmocka_unit_test(saved_settings_that_are_cut_off_are_followed_in_nothing),
		cmocka_unit_test(D38_core_power_stays_on_while_the_other_feature_is_on),
		cmocka_unit_test(D42_the_priority_type_is_kept),
		cmocka_unit_test(D39_core_power_is_not_disabled_under_turbo_freq),
	};

	return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}

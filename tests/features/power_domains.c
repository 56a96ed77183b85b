/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes for one power domain of a package, on emulated machines: core-power and CLOS are the
 * package's, features the domain's own. What became of a machine is asked of its driver
 * and not of the library.
 */
#include "driver/abi.h"
#include "transaction/support/machines.h"

/** A request for one power domain; its machine's other domains are not asked for. */
struct one_request {
	struct request request; /* first: a pointer to it is a pointer to this */
	unsigned int package, number;
	const char *high_priority; /* CPUs, or NULL */
};

static const struct one_request *of(const struct request *request)
{
	return (const struct one_request *)request;
}

static const struct isst_domain *domain_of(const struct isst_context *context,
					   const struct request *request)
{
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (domain->package == of(request)->package &&
		    domain->number == of(request)->number)
			return domain;
	}
	fail_msg("package %u has no power domain %u", of(request)->package, of(request)->number);
	return NULL;
}

static void note(struct objections *objections, const struct domain_request *request)
{
	objections->planned = request->failure.error == 0;
	objections->error = request->failure.error;
	if (objections->planned)
		return;
	free(objections->lines);
	objections->lines = strdup(request->failure.message);
	assert_non_null(objections->lines);
}

static int plan_core_power(struct isst_context *context, struct isst_change *change,
			   const struct request *request, struct objections *objections)
{
	struct domain_request one = { .domain = domain_of(context, request) };
	int error = change_plan_core_power(change, &one, 1, request->enable, request->priority);

	note(objections, &one);
	return error;
}

static int plan_clos(struct isst_context *context, struct isst_change *change,
		     const struct request *request, struct objections *objections)
{
	struct domain_request one = { .domain = domain_of(context, request) };
	int error = change_plan_clos(change, &one, 1, &request->clos, UINT32_MAX);

	note(objections, &one);
	return error;
}

static int plan_base_freq(struct isst_context *context, struct isst_change *change,
			  const struct request *request, struct objections *objections)
{
	struct domain_request one = { .domain = domain_of(context, request) };
	int error = change_plan_base_freq(change, &one, 1, request->enable, request->automatic);

	note(objections, &one);
	return error;
}

static int plan_turbo_freq(struct isst_context *context, struct isst_change *change,
			   const struct request *request, struct objections *objections)
{
	const char *cpus = of(request)->high_priority;
	struct isst_cpuset *high = cpus ? check_set(cpus) : NULL;
	const struct turbo_freq_request turbo_freq = { .enable = request->enable,
						       .automatic = request->automatic,
						       .high_priority = high };
	struct domain_request one = { .domain = domain_of(context, request) };
	int error = change_plan_turbo_freq(change, &one, 1, &turbo_freq);

	note(objections, &one);
	isst_cpuset_free(high);
	return error;
}

static int plan_level(struct isst_context *context, struct isst_change *change,
		      const struct request *request, struct objections *objections)
{
	struct domain_request one = { .domain = domain_of(context, request) };
	int error = change_plan_level(change, &one, 1, request->level, request->online);

	note(objections, &one);
	return error;
}

/** The same as plan_turbo_freq() for all power domains; those that lack it are left out. */
static int plan_turbo_freq_everywhere(struct isst_context *context, struct isst_change *change,
				      const struct request *request, struct objections *objections)
{
	struct isst_cpuset *high = check_set(of(request)->high_priority);
	const struct turbo_freq_request turbo_freq = { .enable = true,
						       .automatic = true,
						       .high_priority = high };
	struct domain_request all[8] = { 0 };
	size_t count = isst_domain_count(context);
	int error;

	assert_in_range(count, 1, COUNT(all));
	for (size_t i = 0; i < count; i++)
		all[i].domain = context_domain(context, i);
	error = change_plan_turbo_freq(change, all, count, &turbo_freq);
	for (size_t i = 0; i < count; i++)
		objections->planned |= all[i].failure.error == 0;
	isst_cpuset_free(high);
	return error;
}

static const struct outcome *make(const struct machine *machine, const struct one_request *wanted)
{
	const struct outcome *outcome = machine_make(machine, &wanted->request, NULL);

	assert_int_equal(outcome->lock, 0);
	assert_int_equal(outcome->discovery, 0);
	return outcome;
}

/** Makes a request that has to succeed, and to do something. */
static void succeed(const struct machine *machine, const struct one_request *wanted)
{
	const struct outcome *outcome = make(machine, wanted);

	if (!outcome->here || outcome->result)
		fail_msg("%s: %d %s%s", wanted->request.name, outcome->result, outcome->refusals,
			 outcome->message);
	assert_false(outcome->unchanged);
}

/** Makes a request that has to be refused, and to change nothing. */
static const struct outcome *refuse(const struct machine *machine, const struct one_request *wanted,
				    const char *message)
{
	autofree char *before = machine_picture(machine);
	const struct outcome *outcome = make(machine, wanted);

	assert_false(outcome->here);
	check_holds(outcome->refusals, message);
	machine_check(machine, before, "%s of power domain %u", wanted->request.name,
		      wanted->number);
	return outcome;
}

static struct one_request core_power(unsigned int package, unsigned int number, bool enable)
{
	return (struct one_request){ { .name = enable ? "core-power enable" : "core-power disable",
				       .plan = plan_core_power,
				       .enable = enable,
				       .priority = enable ? ISST_MAKE_ORDERED
							  : ISST_KEEP_PRIORITY },
				     package,
				     number,
				     NULL };
}

static struct one_request clos_1(unsigned int package, unsigned int number)
{
	return (struct one_request){
		{ .name = "clos",
		  .plan = plan_clos,
		  .clos = { .clos = 1, .weight = 5, .min_mhz = 1200, .max_mhz = 2200 } },
		package,
		number,
		NULL
	};
}

static struct one_request base_freq(unsigned int number, bool enable, bool automatic)
{
	return (struct one_request){ { .name = enable ? "base-freq enable" : "base-freq disable",
				       .plan = plan_base_freq,
				       .enable = enable,
				       .automatic = automatic },
				     0,
				     number,
				     NULL };
}

static struct one_request turbo_freq(unsigned int number, bool enable, bool automatic,
				     const char *cpus)
{
	return (struct one_request){ { .name = enable ? "turbo-freq enable" : "turbo-freq disable",
				       .plan = plan_turbo_freq,
				       .enable = enable,
				       .automatic = automatic },
				     0,
				     number,
				     cpus };
}

/* ---- Answers of the driver ---- */

static void ask(const struct machine *machine, unsigned long request, void *structure)
{
	struct isst_machine *open = machine_open(machine);
	int device = open->device->open(open->data);

	assert_true(device >= 0);
	assert_int_equal(open->device->ioctl(open->data, device, request, structure), 0);
	assert_int_equal(open->device->close(open->data, device), 0);
	open->release(open);
}

static struct abi_core_power power_of(const struct machine *machine, unsigned int package,
				      unsigned int number)
{
	struct abi_core_power state = { .socket_id = (uint8_t)package,
					.power_domain_id = (uint8_t)number };

	ask(machine, ABI_CORE_POWER_STATE, &state);
	return state;
}

static struct abi_clos_param clos_of(const struct machine *machine, unsigned int package,
				     unsigned int number, unsigned int clos)
{
	struct abi_clos_param config = { .socket_id = (uint8_t)package,
					 .power_domain_id = (uint8_t)number,
					 .clos = (uint8_t)clos };

	ask(machine, ABI_CLOS_PARAM, &config);
	return config;
}

/** Bit 0 base-freq, bit 1 turbo-freq. */
static unsigned int features_of(const struct machine *machine, unsigned int number)
{
	struct abi_perf_level_info info = { .power_domain_id = (uint8_t)number };

	ask(machine, ABI_PERF_LEVELS, &info);
	return info.feature_state;
}

static unsigned int association_of(const struct machine *machine, unsigned int number,
				   unsigned int core)
{
	struct {
		uint16_t count, set, punit_cpu_map;
		struct abi_clos_assoc entry;
	} batch = { 1, 0, 1, { 0, (uint8_t)number, (uint16_t)core, 0 } };

	ask(machine, ABI_CLOS_ASSOC, &batch);
	return batch.entry.clos;
}

static void check_power(const struct machine *machine, unsigned int package, unsigned int number,
			bool enabled)
{
	struct abi_core_power state = power_of(machine, package, number);

	assert_true(state.supported);
	if (state.enable != enabled)
		fail_msg("core-power of package %u, power domain %u is %s", package, number,
			 state.enable ? "on" : "off");
}

/** The same of all three power domains of a package of tests/tpmi-tiny. */
static void check_package_power(const struct machine *machine, unsigned int package, bool enabled)
{
	for (unsigned int number = 0; number < 3; number++)
		check_power(machine, package, number, enabled);
}

/* ---- Core-power and CLOS ---- */

MACHINE_TEST(core_power_of_one_power_domain_is_its_packages, "tests/tpmi-tiny")
{
	const struct one_request on = core_power(0, 1, true), off = core_power(0, 2, false);

	succeed(machine, &on);
	check_package_power(machine, 0, true);
	for (unsigned int number = 0; number < 3; number++)
		assert_int_equal(power_of(machine, 0, number).priority_type, 1);
	succeed(machine, &off);
	check_package_power(machine, 0, false);
	for (unsigned int number = 0; number < 3; number++)
		assert_int_equal(power_of(machine, 0, number).priority_type, 1);
}

MACHINE_TEST(power_domains_without_core_power_are_left_alone, "tests/tpmi-odd")
{
	static const unsigned int REACHED[] = { 0, 3, 4, 5, 6 };
	const struct one_request on = core_power(0, 0, true);

	succeed(machine, &on);
	for (size_t i = 0; i < COUNT(REACHED); i++)
		check_power(machine, 0, REACHED[i], true);
	assert_false(power_of(machine, 0, 2).supported);
	assert_false(power_of(machine, 0, 2).enable);
}

MACHINE_TEST(other_packages_are_left_alone, "tests/tpmi-tiny")
{
	const struct one_request power = core_power(1, 1, true), clos = clos_1(1, 0);

	machine_change(machine, "packages = 0", "packages = 0-1");
	succeed(machine, &power);
	succeed(machine, &clos);
	for (unsigned int package = 0; package < 2; package++) {
		check_package_power(machine, package, package == 1);
		for (unsigned int number = 0; number < 3; number++)
			assert_int_equal(clos_of(machine, package, number, 1).min_freq_mhz,
					 package ? 1200 : 0);
	}
}

MACHINE_TEST(a_neighbour_without_performance_profiles_takes_part, "tests/tpmi-tiny")
{
	const struct one_request on = core_power(0, 0, true);

	machine_change(machine, "type = io", "type = io\nperf-profile = no");
	succeed(machine, &on);
	check_package_power(machine, 0, true);
}

MACHINE_TEST(a_power_domain_without_core_power_is_refused_and_so_is_nothing_else, "tests/tpmi-odd")
{
	const struct one_request requests[] = { core_power(0, 2, true), clos_1(0, 2) };
	const struct one_request off = core_power(0, 2, false);
	const struct outcome *outcome;

	machine_look(machine);
	/* An unsupported feature need not be disabled. */
	autofree char *before = machine_picture(machine);
	outcome = make(machine, &off);
	assert_true(outcome->here && outcome->unchanged);
	check_holds(outcome->warnings,
		    "package 0, power domain 2: core-power not supported: nothing to disable");
	machine_check(machine, before, "core-power disable");
	for (size_t i = 0; i < COUNT(requests); i++)
		refuse(machine, &requests[i],
		       "package 0, power domain 2: core-power not supported");
}

MACHINE_TEST(a_clos_of_one_power_domain_is_its_packages, "tests/tpmi-odd")
{
	static const unsigned int REACHED[] = { 0, 3, 4, 5, 6 };
	const struct one_request request = clos_1(0, 3);

	succeed(machine, &request);
	for (size_t i = 0; i < COUNT(REACHED); i++) {
		struct abi_clos_param config = clos_of(machine, 0, REACHED[i], 1);

		assert_int_equal(config.min_freq_mhz, 1200);
		assert_int_equal(config.max_freq_mhz, 2200);
		assert_int_equal(config.prop_prio, 5);
		assert_int_equal(clos_of(machine, 0, REACHED[i], 2).min_freq_mhz, 0);
	}
}

MACHINE_TEST(D39_disabling_core_power_under_turbo_freq_is_reported, "tests/tpmi-tiny")
{
	const struct one_request on = turbo_freq(1, true, false, NULL);
	const struct one_request off = turbo_freq(1, false, false, NULL);

	succeed(machine, &on);
	for (unsigned int number = 0; number < 3; number++) {
		const struct one_request disable = core_power(0, number, false);
		const struct one_request enable = core_power(0, number, true);
		const struct outcome *outcome;

		check_power(machine, 0, number, true);
		outcome = make(machine, &disable);
		assert_true(outcome->here && !outcome->unchanged);
		/* The message names the power domain that uses it. */
		check_holds(
			outcome->warnings,
			"package 0, power domain 1: core-power is disabled, turbo-freq stays enabled");
		check_package_power(machine, 0, false);
		assert_int_equal(features_of(machine, 1), 2);
		/* Where turbo-freq is on already core-power is left alone; elsewhere it goes on. */
		outcome = make(machine, &on);
		assert_true(outcome->here && outcome->unchanged);
		succeed(machine, &enable);
	}
	succeed(machine, &off);
}

/* ---- Features with all that goes with them ---- */

/** Begins with the picture that the machine has to have again at the end. */
static char *begin_with_picture(struct machine *machine, const char *platform)
{
	*machine = machine_begin(platform);
	machine_look(machine);
	return machine_picture(machine);
}

static void end_as(struct machine *machine, char *before, const char *what)
{
	machine_check(machine, before, "%s", what);
	free(before);
	machine_end(machine);
}

TEST(base_freq_of_one_power_domain_comes_and_goes)
{
	const struct one_request on = base_freq(1, true, true), off = base_freq(1, false, true);
	struct machine machine;
	char *before;

	before = begin_with_picture(&machine, "tests/tpmi-tiny");
	succeed(&machine, &on);
	assert_int_equal(features_of(&machine, 0), 0);
	assert_int_equal(features_of(&machine, 1), 1);
	assert_int_equal(features_of(&machine, 2), 0);
	check_package_power(&machine, 0, true);
	for (unsigned int number = 0; number < 3; number++) {
		assert_int_equal(clos_of(&machine, 0, number, 0).min_freq_mhz, 2300);
		assert_int_equal(clos_of(&machine, 0, number, 3).min_freq_mhz, 1800);
	}
	/* Of this domain cores 0 and 3 have high priority; the other's cores stay where they are.
	 */
	for (unsigned int core = 0; core < 4; core++) {
		assert_int_equal(association_of(&machine, 1, core), core % 3 ? 3 : 0);
		assert_int_equal(association_of(&machine, 0, core), 0);
	}
	succeed(&machine, &off);
	end_as(&machine, before, "base-freq disable");
}

TEST(turbo_freq_of_one_power_domain_comes_and_goes)
{
	/* CPUs of a core of power domain 0. */
	const struct one_request on = turbo_freq(0, true, true, "1");
	const struct one_request off = turbo_freq(0, false, true, NULL);
	struct machine machine;
	char *before;

	before = begin_with_picture(&machine, "tests/tpmi-tiny");
	succeed(&machine, &on);
	assert_int_equal(features_of(&machine, 0), 2);
	assert_int_equal(features_of(&machine, 1), 0);
	check_package_power(&machine, 0, true);
	for (unsigned int core = 0; core < 4; core++) {
		assert_int_equal(association_of(&machine, 0, core), core == 1 ? 0 : 3);
		assert_int_equal(association_of(&machine, 1, core), 3);
	}
	succeed(&machine, &off);
	end_as(&machine, before, "turbo-freq disable");
}

TEST(modules_have_priority_as_a_whole)
{
	/* One CPU of module 2. */
	const struct one_request on = turbo_freq(0, true, true, "9");
	const struct one_request off = turbo_freq(0, false, true, NULL);
	struct machine machine;
	char *before;

	before = begin_with_picture(&machine, "tests/tpmi-modules");
	succeed(&machine, &on);
	for (unsigned int module = 0; module < 4; module++)
		assert_int_equal(association_of(&machine, 0, module), module == 2 ? 0 : 3);
	check_power(&machine, 0, 3, true);
	succeed(&machine, &off);
	end_as(&machine, before, "turbo-freq disable");
}

/** What base-freq and turbo-freq of two power domains begin with. */
static const struct start {
	const char *name;
	bool core_power;
} STARTS[] = { { "core-power off before", false }, { "core-power on before", true } };

static char *begin_with(struct machine *machine, const struct start *start)
{
	const struct one_request on = core_power(0, 0, true), clos = clos_1(0, 0);

	*machine = machine_begin("tests/tpmi-tiny");
	machine_look(machine);
	if (start->core_power) {
		succeed(machine, &on);
		succeed(machine, &clos);
	}
	return machine_picture(machine);
}

/** Features of the two compute domains that go on one after the other, and off in either order. */
static void both_come_and_go(const struct one_request on[2], const struct one_request off[2],
			     const unsigned int bits[2])
{
	for (size_t i = 0; i < COUNT(STARTS); i++)
		for (unsigned int first = 0; first < 2; first++) {
			struct abi_clos_param config;
			struct machine machine;
			autofree char *before = begin_with(&machine, &STARTS[i]);

			succeed(&machine, &on[0]);
			succeed(&machine, &on[1]);
			config = clos_of(&machine, 0, !first, 0);
			succeed(&machine, &off[first]);
			/* The one that is on keeps all that it needs. */
			assert_int_equal(features_of(&machine, first), 0);
			assert_int_equal(features_of(&machine, !first), bits[!first]);
			check_power(&machine, 0, !first, true);
			assert_int_equal(clos_of(&machine, 0, !first, 0).min_freq_mhz,
					 config.min_freq_mhz);
			assert_int_equal(association_of(&machine, !first, 2), first ? 0 : 3);
			succeed(&machine, &off[!first]);
			machine_check(&machine, before, "%s, the %s off first", STARTS[i].name,
				      first ? "second" : "first");
			machine_end(&machine);
		}
}

TEST(D38_base_freq_of_two_power_domains_comes_and_goes)
{
	const struct one_request on[2] = { base_freq(0, true, true), base_freq(1, true, true) };
	const struct one_request off[2] = { base_freq(0, false, true), base_freq(1, false, true) };

	both_come_and_go(on, off, (const unsigned int[2]){ 1, 1 });
}

TEST(D38_turbo_freq_of_two_power_domains_comes_and_goes)
{
	const struct one_request on[2] = { turbo_freq(0, true, true, "2,5"),
					   turbo_freq(1, true, true, "2,5") };
	const struct one_request off[2] = { turbo_freq(0, false, true, NULL),
					    turbo_freq(1, false, true, NULL) };

	both_come_and_go(on, off, (const unsigned int[2]){ 2, 2 });
}

/** CPUs that lose the high priority that an earlier run gave them are named, also those of another
 * power domain. */
MACHINE_TEST(cores_of_another_power_domain_that_lose_their_priority_are_named, "tests/tpmi-tiny")
{
	const struct one_request first = turbo_freq(0, true, true, "2");
	const struct one_request second = turbo_freq(1, true, true, "5");
	const struct outcome *outcome;

	succeed(machine, &first);
	outcome = make(machine, &second);
	assert_true(outcome->here);
	assert_int_equal(outcome->result, 0);
	assert_int_equal(association_of(machine, 0, 2), 3);
	/* Core 2 of power domain 0 is of CPUs 2 and 10. */
	check_holds(outcome->warnings, "CPUs 2,10 had high priority before");
}

MACHINE_TEST(too_many_cores_are_reported_also_if_the_first_power_domain_has_none, "tests/tpmi-tiny")
{
	static const struct one_request ALL = {
		{ .name = "turbo-freq enable", .plan = plan_turbo_freq_everywhere, .enable = true },
		0,
		0,
		"4-8"
	};
	const struct outcome *outcome;

	/* Buckets are of 2 and 4 cores; the first power domain can have none of them. */
	machine_change(machine, "[domain power-domain 2]",
		       "[domain power-domain 0]\ncore-power = no\n\n"
		       "[domain power-domain 1]\ncores = 0-5\n\n[domain power-domain 2]");
	outcome = make(machine, &ALL);
	assert_true(outcome->here);
	assert_int_equal(outcome->result, 0);
	check_holds(outcome->warnings, "package 0: 5 cores have high priority");
}

/* ---- The uncore ---- */

#define PACKAGE_UNCORE "/sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/"
#define DOMAIN_UNCORE "/sys/devices/system/cpu/intel_uncore_frequency/uncore00/"

static void write_khz(const struct machine *machine, const char *path, unsigned int khz)
{
	struct isst_machine *open = machine_open(machine);
	char text[16];

	snprintf(text, sizeof(text), "%u", khz);
	assert_int_equal(open->files->write(open->data, path, text, strlen(text)), 0);
	open->release(open);
}

static void check_khz(const struct machine *machine, const char *path, unsigned int expected)
{
	struct isst_machine *open = machine_open(machine);
	char *text;
	size_t size;

	assert_int_equal(open->files->read(open->data, path, &text, &size), 0);
	assert_int_equal(strtoul(text, NULL, 10), expected);
	free(text);
	open->release(open);
}

static const struct one_request LEVELS[] = {
	{ { .name = "level 0", .plan = plan_level, .level = 0, .online = true }, 0, 0, NULL },
	{ { .name = "level 1", .plan = plan_level, .level = 1, .online = true }, 0, 0, NULL },
};

/** Level 1 of power domain 0 is for an uncore of 800 to 2000 MHz. The package's own directory has
 * the last word, by what was written there; the domain was at @own_max before. */
TEST(D8_uncore_limits_of_a_level_stay_within_those_set_for_the_package)
{
	static const struct {
		unsigned int package_min, package_max, own_max, min, max;
		const char *warning;
	} CASES[] = {
		{ 400, 2500, 2500, 800, 2000, NULL }, /* wider: the level's own */
		{ 1000, 1800, 1800, 1000, 1800, "wrote 2000000 kHz, read back 1800000" },
		{ 400, 1800, 1200, 800, 1800, "wrote 2000000 kHz, read back 1800000" },
		{ 1000, 2500, 2500, 1000, 2000, "wrote 800000 kHz, read back 1000000" },
		{ 2100, 2400, 2400, 2100, 2000, "wrote 800000 kHz, read back 2100000" },
		{ 500, 700, 700, 800, 700, "wrote 2000000 kHz, read back 700000" },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		const struct outcome *outcome;

		automachine struct machine machine = machine_begin_with(
			"tests/tpmi-tiny", "[topology]",
			"[files]\nuncore-follows-level = no\n\n[topology]");
		write_khz(&machine, PACKAGE_UNCORE "min_freq_khz", CASES[i].package_min * 1000);
		write_khz(&machine, PACKAGE_UNCORE "max_freq_khz", CASES[i].package_max * 1000);
		write_khz(&machine, DOMAIN_UNCORE "max_freq_khz", CASES[i].own_max * 1000);
		outcome = make(&machine, &LEVELS[1]);
		if (!outcome->here || outcome->result)
			fail_msg("package %u to %u: %d %s", CASES[i].package_min,
				 CASES[i].package_max, outcome->result, outcome->message);
		check_khz(&machine, DOMAIN_UNCORE "min_freq_khz", CASES[i].min * 1000);
		check_khz(&machine, DOMAIN_UNCORE "max_freq_khz", CASES[i].max * 1000);
		if (CASES[i].warning)
			check_holds(outcome->warnings, CASES[i].warning);
		else
			assert_null(strstr(outcome->warnings, "uncore"));
	}
}

/** The package's directory shows the widest limits of the moment, which are no limits to others. */
TEST(uncore_limits_are_restored_with_the_level)
{
	static const char *const FILES[] = { NULL,
					     "[files]\nuncore-follows-level = no\n\n[topology]" };

	for (size_t i = 0; i < COUNT(FILES); i++) {
		struct machine machine;

		if (FILES[i])
			machine = machine_begin_with("tests/tpmi-api2", "[topology]", FILES[i]);
		else
			machine = machine_begin("tests/tpmi-api2");
		for (size_t j = 0; j < 3; j++) {
			size_t level = j % 2 ? 0 : 1;
			const struct outcome *outcome;

			outcome = make(&machine, &LEVELS[level]);
			assert_int_equal(outcome->result, 0);
			assert_null(strstr(outcome->warnings, "uncore"));
			check_khz(&machine, DOMAIN_UNCORE "max_freq_khz",
				  level ? 1700000 : 1800000);
		}
		machine_end(&machine);
	}
}

/** The owner of each directory is unknown: it is left unchanged, with a message. */
MACHINE_TEST(uncore_limits_whose_numbers_are_not_unique_are_left_alone, "tests/tpmi-tiny")
{
	const struct outcome *outcome;

	machine_change(machine, "[topology]",
		       "[files]\nuncore-follows-level = no\nuncore-ids = repeated\n\n"
		       "[topology]");
	outcome = make(machine, &LEVELS[1]);
	assert_int_equal(outcome->result, 0);
	check_holds(outcome->warnings, "package 0, power domain 0: uncore limits of fabric 0 are "
				       "left unchanged: the kernel's numbers (domain_id, "
				       "instance_id) do not show which of its directories is this "
				       "power domain's");
	check_khz(machine, DOMAIN_UNCORE "max_freq_khz", 2200000);
}

/** Messages about one fabric do not mention the other. */
MACHINE_TEST(a_fabric_that_the_kernel_does_not_show_is_named, "tests/tpmi-tiny")
{
	const struct outcome *outcome;

	machine_change(machine, "[topology]",
		       "[files]\nuncore-follows-level = no\n\n[driver]\nkernel = 7.2\n\n"
		       "[domain]\nversion = 2\n\n[level 1]\nuncore-2-max = 1900\n"
		       "uncore-2-base = 1200\nuncore-2-min = 800\n\n[topology]");
	outcome = make(machine, &LEVELS[1]);
	if (outcome->result)
		fail_msg("%s", outcome->message);
	check_holds(outcome->warnings, "package 0, power domain 0: uncore limits of fabric 1 are "
				       "left unchanged: the kernel provides no such fabric");
	assert_null(strstr(outcome->warnings, "fabric 0"));
	check_khz(machine, DOMAIN_UNCORE "max_freq_khz", 2000000);
}

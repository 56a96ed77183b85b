/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests, and how each is planned. */
#include "transaction/support/requests.h"
#include "support/check.h"

static void add_line(struct objections *objections, const struct isst_failure *failure)
{
	char *more;

	more = formatted("%s%d: %s\n", objections->lines, failure->error, failure->message);
	free(objections->lines);
	objections->lines = more;
}

static void note(struct objections *objections, const struct isst_failure *failure)
{
	if (!failure->error) {
		objections->planned = true;
		return;
	}
	add_line(objections, failure);
	if (!objections->error && failure->error != -EOPNOTSUPP)
		objections->error = failure->error;
}

/** Domains without CPUs are left out, whatever stands against them. */
static void note_domain(struct objections *objections, const struct domain_request *request)
{
	if (!isst_domain_is_io(request->domain))
		note(objections, &request->failure);
	else if (request->failure.error)
		add_line(objections, &request->failure);
}

/* ---- Requests for domains ---- */

static int plan_for_domains(struct isst_context *context, struct isst_change *change,
			    const struct request *request, struct objections *objections)
{
	size_t all = isst_domain_count(context), count = 0;
	struct domain_request *requests = calloc(all, sizeof(*requests));
	int error;

	assert_non_null(requests);
	for (size_t i = 0; i < all; i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if ((!request->one_package ||
		     domain->package == context_domain(context, 0)->package) &&
		    (!request->one_domain || i == 0))
			requests[count++].domain = domain;
	}
	error = request->domains(change, request, requests, count);
	for (size_t i = 0; i < count && !error; i++)
		note_domain(objections, &requests[i]);
	free(requests);
	return error;
}

static int plan_level(struct isst_change *change, const struct request *request,
		      struct domain_request *requests, size_t count)
{
	return change_plan_level(change, requests, count, request->level, request->online);
}

static int plan_base_freq(struct isst_change *change, const struct request *request,
			  struct domain_request *requests, size_t count)
{
	return change_plan_base_freq(change, requests, count, request->enable, request->automatic);
}

/** The lowest CPUs of different cores in each package. */
static struct isst_cpuset *name_cpus(const struct isst_context *context, unsigned int cores)
{
	struct isst_cpuset *set = isst_cpuset_new();

	assert_non_null(set);
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		uint64_t seen = 0;
		unsigned int cpu, count = 0;

		isst_cpuset_for_each (cpu, context_domain(context, i)->online) {
			uint64_t bit = UINT64_C(1) << (context_cpu(context, cpu)->core & 63);

			if (count == cores || seen & bit)
				continue;
			seen |= bit;
			count++;
			assert_int_equal(isst_cpuset_add(set, cpu, cpu), 0);
		}
	}
	return set;
}

static int plan_turbo_freq(struct isst_change *change, const struct request *request,
			   struct domain_request *requests, size_t count)
{
	struct isst_cpuset *named = request->named ? name_cpus(change->context, request->named)
						   : NULL;
	const struct turbo_freq_request turbo_freq = {
		.enable = request->enable,
		.automatic = request->automatic,
		.high_priority = named,
		.limits_given = request->limits_given,
		.limits = request->limits,
	};
	int error = change_plan_turbo_freq(change, requests, count, &turbo_freq);

	isst_cpuset_free(named);
	return error;
}

static int plan_core_power(struct isst_change *change, const struct request *request,
			   struct domain_request *requests, size_t count)
{
	return change_plan_core_power(change, requests, count, request->enable, request->priority);
}

static int plan_clos(struct isst_change *change, const struct request *request,
		     struct domain_request *requests, size_t count)
{
	return change_plan_clos(change, requests, count, &request->clos, UINT32_MAX);
}

static int plan_limits(struct isst_change *change, const struct request *request,
		       struct domain_request *requests, size_t count)
{
	return change_plan_turbo_ratio_limits(change, requests, count, request->limits);
}

/* ---- Requests for CPUs ---- */

static int plan_for_cpus(struct isst_context *context, struct isst_change *change,
			 const struct request *request, struct objections *objections)
{
	size_t count = isst_cpuset_count(isst_online_cpus(context)), at = 0;
	struct domain_request *requests = calloc(count, sizeof(*requests));
	unsigned int cpu;
	int error;

	assert_non_null(requests);
	/* The driver may show no power domain for some. */
	isst_cpuset_for_each (cpu, isst_online_cpus(context))
		if (context_cpu(context, cpu))
			requests[at++].cpu = context_cpu(context, cpu);
	error = request->cpus(change, request, requests, at);
	for (size_t i = 0; i < at && !error; i++)
		note(objections, &requests[i].failure);
	free(requests);
	return error;
}

static int plan_association(struct isst_change *change, const struct request *request,
			    struct domain_request *requests, size_t count)
{
	return change_plan_association(change, requests, count, request->clos.clos);
}

static int plan_turbo_mode(struct isst_change *change, const struct request *request,
			   struct domain_request *requests, size_t count)
{
	return change_plan_turbo_mode(change, requests, count, request->enable);
}

static int plan_all_online(struct isst_context *context, struct isst_change *change,
			   const struct request *request, struct objections *objections)
{
	(void)context;
	(void)request;
	objections->planned = true;
	return change_plan_all_online(change);
}

/* ---- Configurations ---- */

static int add_config(struct isst_change *change, struct isst_config *config,
		      struct objections *objections)
{
	int error = isst_change_add_config(change, config, 0);

	/* What the machine does not take is not looked at: a level that is locked, say. */
	objections->planned = !error;
	objections->error = isst_change_check(change);
	if (objections->error)
		add_line(objections, &change->objection);
	isst_config_free(config);
	return error;
}

static int plan_config(struct isst_context *context, struct isst_change *change,
		       const struct request *request, struct objections *objections)
{
	struct isst_config *config = isst_config_new();

	(void)context;
	assert_non_null(config);
	assert_int_equal(
		isst_config_add_text(config, "text", request->config, strlen(request->config), 0),
		0);
	return add_config(change, config, objections);
}

static int plan_defaults(struct isst_context *context, struct isst_change *change,
			 const struct request *request, struct objections *objections)
{
	struct isst_config *config;
	int error = isst_config_defaults(context, 0, &config);

	(void)request;
	return error ? error : add_config(change, config, objections);
}

static int plan_boot(struct isst_context *context, struct isst_change *change,
		     const struct request *request, struct objections *objections)
{
	struct isst_config *config;
	int error = isst_config_boot(context, 0, &config);

	(void)request;
	return error ? error : add_config(change, config, objections);
}

/** A bit of everything, as far as a machine has it. */
#define MIXED \
	"? level 1\n? turbo-freq on\n? core-power on ordered\n" \
	"? clos 0: min 1000 max none\n? clos 3: max base weight 15\n" \
	"? association 3\n? cpu 0: association 0\n? cpu 0-1: scaling-max 1900\n" \
	"? uncore-max 1900\n"

/* ---- The table ---- */

#define LEVEL(number) \
	{ \
		.name = "level " #number, .domains = plan_level, .level = number, \
		.variant = (number) > 1 \
	}
#define LEVEL_ONLINE(number) \
	{ \
		.name = "level " #number " online", .domains = plan_level, .level = number, \
		.online = true, .variant = (number) > 1 \
	}

const struct request REQUESTS[] = {
	LEVEL(0),
	LEVEL(1),
	LEVEL(2),
	LEVEL(3),
	LEVEL(4),
	LEVEL_ONLINE(1),
	LEVEL_ONLINE(2),
	LEVEL_ONLINE(3),
	LEVEL_ONLINE(4),
	{ .name = "level 0 online",
	  .before = "level 1 online",
	  .domains = plan_level,
	  .online = true },
	{ .name = "level 1 partitions",
	  .domains = plan_level,
	  .level = 1,
	  .online = true,
	  .partitions = true },
	{ .name = "level 0 partitions",
	  .before = "level 1 partitions",
	  .domains = plan_level,
	  .online = true,
	  .partitions = true },
	{ .name = "level 1 cpu 0",
	  .domains = plan_level,
	  .level = 1,
	  .online = true,
	  .partition_for_cpu0 = true },
	{ .name = "level 0 cpu 0",
	  .before = "level 1 cpu 0",
	  .domains = plan_level,
	  .online = true,
	  .partition_for_cpu0 = true },
	{ .name = "level 1 with features on",
	  .before = "base-freq enable auto; turbo-freq enable",
	  .domains = plan_level,
	  .level = 1,
	  .online = true,
	  .partition_for_cpu0 = true },
	{ .name = "base-freq enable", .domains = plan_base_freq, .enable = true },
	{ .name = "base-freq disable", .before = "base-freq enable", .domains = plan_base_freq },
	{ .name = "base-freq enable auto",
	  .domains = plan_base_freq,
	  .enable = true,
	  .automatic = true },
	{ .name = "base-freq disable auto",
	  .before = "base-freq enable auto",
	  .domains = plan_base_freq,
	  .automatic = true },
	{ .name = "base-freq disable auto without record",
	  .before = "core-power enable ordered; base-freq enable",
	  .domains = plan_base_freq,
	  .automatic = true },
	{ .name = "turbo-freq enable", .domains = plan_turbo_freq, .enable = true },
	{ .name = "turbo-freq enable limits",
	  .domains = plan_turbo_freq,
	  .enable = true,
	  .limits_given = true,
	  .limits = 0x1b1b1b1b1c1c1c1c },
	{ .name = "turbo-freq disable", .before = "turbo-freq enable", .domains = plan_turbo_freq },
	{ .name = "turbo-freq enable auto",
	  .domains = plan_turbo_freq,
	  .enable = true,
	  .automatic = true },
	{ .name = "turbo-freq enable auto cpus",
	  .domains = plan_turbo_freq,
	  .enable = true,
	  .automatic = true,
	  .named = 1 },
	{ .name = "turbo-freq enable auto more cpus",
	  .before = "turbo-freq enable auto cpus",
	  .domains = plan_turbo_freq,
	  .enable = true,
	  .automatic = true,
	  .named = 2 },
	{ .name = "turbo-freq disable auto",
	  .before = "turbo-freq enable auto cpus",
	  .domains = plan_turbo_freq,
	  .automatic = true },
	{ .name = "turbo-freq disable auto without record",
	  .before = "turbo-freq enable",
	  .domains = plan_turbo_freq,
	  .automatic = true },
	/* The user's previous settings are restored, and stay when the command is repeated. */
	{ .name = "base-freq disable auto over core-power",
	  .before = "core-power enable ordered; turbo-mode disable; base-freq enable auto",
	  .domains = plan_base_freq,
	  .automatic = true },
	{ .name = "turbo-freq disable auto over core-power",
	  .before = "core-power enable ordered; turbo ratio limits; turbo-freq enable auto cpus",
	  .domains = plan_turbo_freq,
	  .automatic = true },
	{ .name = "core-power enable",
	  .domains = plan_core_power,
	  .enable = true,
	  .priority = ISST_KEEP_PRIORITY },
	{ .name = "core-power enable ordered",
	  .domains = plan_core_power,
	  .enable = true,
	  .priority = ISST_MAKE_ORDERED },
	{ .name = "core-power enable proportional",
	  .before = "core-power enable ordered",
	  .domains = plan_core_power,
	  .enable = true,
	  .priority = ISST_MAKE_PROPORTIONAL },
	{ .name = "core-power disable",
	  .before = "core-power enable ordered",
	  .domains = plan_core_power,
	  .priority = ISST_KEEP_PRIORITY },
	{ .name = "clos",
	  .domains = plan_clos,
	  .clos = { .clos = 2, .epp = 3, .weight = 5, .min_mhz = 1000, .max_mhz = 2200 } },
	{ .name = "association", .cpus = plan_association, .clos.clos = 2 },
	{ .name = "association 0", .cpus = plan_association, .clos.clos = 0, .variant = true },
	{ .name = "association 1", .cpus = plan_association, .clos.clos = 1, .variant = true },
	{ .name = "association 3", .cpus = plan_association, .clos.clos = 3, .variant = true },
	{ .name = "turbo-mode disable", .cpus = plan_turbo_mode },
	{ .name = "turbo-mode enable",
	  .before = "turbo-mode disable",
	  .cpus = plan_turbo_mode,
	  .enable = true },
	/* The lower limits are above what becomes the upper one. */
	{ .name = "turbo-mode disable below lower limits",
	  .before = "base-freq enable auto",
	  .cpus = plan_turbo_mode },
	{ .name = "turbo ratio limits", .domains = plan_limits, .limits = 0x1a1a1a1a1a1a1a1a },
	{ .name = "all online", .before = "level 1 online", .plan = plan_all_online },
	{ .name = "first package: level 1 online",
	  .domains = plan_level,
	  .level = 1,
	  .online = true,
	  .one_package = true },
	/* What is the package's reaches power domains that were not named. */
	{ .name = "first domain: core-power enable ordered",
	  .domains = plan_core_power,
	  .enable = true,
	  .priority = ISST_MAKE_ORDERED,
	  .one_domain = true },
	{ .name = "first domain: clos",
	  .domains = plan_clos,
	  .clos = { .clos = 2, .epp = 3, .weight = 5, .min_mhz = 1000, .max_mhz = 2200 },
	  .one_domain = true,
	  .variant = true },
	{ .name = "first domain: base-freq enable auto",
	  .domains = plan_base_freq,
	  .enable = true,
	  .automatic = true,
	  .one_domain = true },
	{ .name = "first domain: turbo-freq enable auto cpus",
	  .domains = plan_turbo_freq,
	  .enable = true,
	  .automatic = true,
	  .named = 1,
	  .one_domain = true,
	  .variant = true },
	{ .name = "first domain: level 1 with features on",
	  .before = "base-freq enable auto; turbo-freq enable",
	  .domains = plan_level,
	  .level = 1,
	  .online = true,
	  .one_domain = true },
	{ .name = "config mixed", .plan = plan_config, .config = MIXED },
	{ .name = "config cpus",
	  .plan = plan_config,
	  .online = true,
	  .config = "? level 1\n? cpus by-level\n",
	  .variant = true },
	{ .name = "config cpus isolated",
	  .plan = plan_config,
	  .online = true,
	  .config = "? level 1\n? cpus isolated\n",
	  .variant = true },
	{ .name = "config limits",
	  .plan = plan_config,
	  .config = "? cpu 0-3: scaling-min 900\n? cpu 0-3: scaling-max 2100\n"
		    "? uncore-min 900\n? uncore-max 2100\n",
	  .variant = true },
	{ .name = "config reset", .before = "config mixed", .plan = plan_defaults, .online = true },
	{ .name = "config reset boot",
	  .before = "config mixed",
	  .plan = plan_boot,
	  .online = true,
	  .variant = true },
	/* Nothing but what is another for each package. */
	{ .name = "config package",
	  .plan = plan_config,
	  .config = "? package 0 clos 1: min 1200 max 1800\n"
		    "? package 0: turbo-ratio-limits 0x1a1a1a1a1a1a1a1a\n"
		    "? package 1: association 2\n"
		    "? package 0: scaling-min 1000\n? package 0: base-freq on\n",
	  .variant = true },
	{ 0 },
};

int request_plan(struct isst_context *context, struct isst_change *change,
		 const struct request *request, struct objections *objections)
{
	if (request->plan)
		return request->plan(context, change, request, objections);
	return request->cpus ? plan_for_cpus(context, change, request, objections)
			     : plan_for_domains(context, change, request, objections);
}

const struct request *request_find(const char *name)
{
	for (const struct request *request = REQUESTS; request->name; request++)
		if (strcmp(request->name, name) == 0)
			return request;
	fail_msg("there is no request '%s'", name);
	return NULL;
}

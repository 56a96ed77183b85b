/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots of domains: summaries and core-power first, then levels with SST-BF and SST-TF. Those
 * of all domains are read together, in phases: a later one depends on what an earlier one found. */
#include "features/snapshot.h"
#include "features/features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Summaries of levels ---- */

static int perf_profile_plan(struct isst_context *context, struct firmware_batch *batch,
			     void *result)
{
	struct isst_perf_profile *profile = result;

	*profile = (struct isst_perf_profile){ .domain = profile->domain };
	if (!context_accepts_domain(context, profile->domain, &profile->failure))
		return 0;
	return context->firmware.operations->plan_perf_profile(batch, profile);
}

/** Firmware that refuses to report a property does not have it. Where other domains do report it,
 * that is no lack but a failure: else half a machine would be taken for the whole. */
static void perf_profile_check_refusal(struct isst_failure *failure, bool answered_elsewhere)
{
	if (failure->error == -EOPNOTSUPP && answered_elsewhere)
		failure->error = -EIO;
}

static void perf_profiles_check_refusals(struct isst_perf_profile *profiles, size_t count,
					 size_t stride)
{
	char *first = (char *)profiles;
	bool answered = false;

	for (size_t i = 0; i < count; i++) {
		const struct isst_perf_profile *profile = (void *)(first + i * stride);

		answered |= profile->domain && !profile->failure.error;
	}
	for (size_t i = 0; i < count; i++) {
		struct isst_perf_profile *profile = (void *)(first + i * stride);

		perf_profile_check_refusal(&profile->failure, answered);
	}
}

int perf_profile_read(struct isst_context *context, struct isst_perf_profile *profiles,
		      size_t count)
{
	int error = context_read(context, profiles, count, sizeof(*profiles), perf_profile_plan);

	if (!error)
		perf_profiles_check_refusals(profiles, count, sizeof(*profiles));
	return error;
}

bool perf_profile_has_level(const struct isst_perf_profile *profile, unsigned int level)
{
	if (level > profile->highest_level)
		return false;
	/* A mask describes as many levels as it has bits. */
	return !profile->level_mask || (level < 32 && profile->level_mask >> level & 1);
}

/* ---- Levels ---- */

/** What the levels of one domain share. */
struct domain_state {
	bool has_level; /* one that is being read */
	const struct isst_perf_profile *profile;
	struct level_features current; /* of the current level */
	struct isst_core_power core_power;
	struct isst_failure bucket_failure;
	struct isst_value bucket_cores[ISST_BUCKETS];
};

/** A call of levels_read() at work. */
struct level_reader {
	struct isst_context *context;
	const struct firmware_operations *operations;
	struct firmware_batch *batch;
	unsigned int parts;
	struct level_request *requests;
	size_t count;
	struct domain_state *domains; /* by index of the domain */
};

static struct domain_state *state_of(const struct level_reader *reader,
				     const struct level_request *request)
{
	return &reader->domains[request->level->domain->index];
}

static bool is_current(const struct level_request *request)
{
	return request->level->level == request->level->profile->current_level;
}

const char *perf_profile_levels_text(struct messages *messages,
				     const struct isst_perf_profile *profile)
{
	unsigned int highest = profile->highest_level, count = 0;
	const char *text;
	bool first = true;

	if (highest == 0)
		return "level 0";
	for (unsigned int level = 0; level <= highest; level++)
		count += perf_profile_has_level(profile, level);
	if (count == highest + 1)
		return message_make(messages, "levels 0 to %u", highest);
	text = count == 1 ? "level" : "levels";
	for (unsigned int level = 0; level <= highest; level++) {
		if (!perf_profile_has_level(profile, level))
			continue;
		text = message_make(messages, "%s%s %u", text, first ? "" : ",", level);
		first = false;
	}
	return text;
}

/** Takes up the requests. Nothing is asked of a domain that is not one of the machine, nor of a
 * level that the domain does not have. */
static void start_requests(struct level_reader *reader, struct isst_level *levels, size_t stride)
{
	struct messages *messages = &reader->context->messages;

	for (size_t i = 0; i < reader->count; i++) {
		struct isst_level *level = (void *)((char *)levels + i * stride);
		const struct topology_domain *domain = topology_domain(level->domain);
		const struct isst_perf_profile *profile = level->profile;
		struct level_request *request = &reader->requests[i];
		struct domain_state *state;

		request->level = level;
		request->refused = true;
		if (!level->domain)
			continue;
		level_clear(level);
		*level = (struct isst_level){ .domain = level->domain,
					      .level = level->level,
					      .profile = profile };
		if (!context_accepts_domain(reader->context, level->domain, &level->failure))
			continue;
		state = state_of(reader, request);
		state->profile = profile;
		state->core_power.domain = level->domain;
		request->may_have_high_cores = domain->may_have_high_cores;
		request->has_high_cores = domain->has_high_cores;
		request->refused = profile->failure.error ||
				   !perf_profile_has_level(profile, level->level);
		if (!request->refused)
			state->has_level = true;
		else if (profile->failure.error)
			level->failure = profile->failure;
		else
			message_failure(messages, &level->failure, of_domain(level->domain),
					-EOPNOTSUPP, "%s: no level %u, only %s",
					level->domain->name, level->level,
					perf_profile_levels_text(messages, profile));
	}
}

/** Phase 1: which features the levels support, and what the levels of a domain share. The current
 * level is there: firmware refuses to report its features everywhere, or has failed. */
static int read_features(struct level_reader *reader)
{
	const struct firmware_operations *operations = reader->operations;
	bool properties = reader->parts & ISST_LEVELS_PROPERTIES, answered = false;
	size_t domains = isst_domain_count(reader->context);
	int error = 0;

	for (size_t i = 0; i < domains && !error; i++) {
		struct domain_state *state = &reader->domains[i];
		const struct isst_domain *domain = state->core_power.domain;

		if (!state->has_level)
			continue;
		error = operations->plan_features(reader->batch, domain,
						  state->profile->current_level, &state->current);
		if (!error && properties)
			error = operations->plan_core_power_switch(reader->batch,
								   &state->core_power);
		if (!error && properties && operations->plan_bucket_cores)
			error = operations->plan_bucket_cores(
				reader->batch, domain, &state->bucket_failure, state->bucket_cores);
	}
	for (size_t i = 0; i < reader->count && !error; i++) {
		struct level_request *request = &reader->requests[i];

		if (!request->refused && !is_current(request))
			error = operations->plan_features(reader->batch, request->level->domain,
							  request->level->level,
							  &request->features);
	}
	if (!error)
		error = firmware_run(reader->batch);
	for (size_t i = 0; i < domains; i++)
		answered |= reader->domains[i].has_level &&
			    !reader->domains[i].current.failure.error;
	for (size_t i = 0; i < domains && !error; i++)
		perf_profile_check_refusal(&reader->domains[i].current.failure, answered);
	return error;
}

/** Levels may be missing: the firmware refuses to report their features in all domains. */
static void drop_missing_level(struct level_reader *reader, struct level_request *request)
{
	struct isst_level *level = request->level;
	bool elsewhere = false;

	if (request->refused || is_current(request) ||
	    request->features.failure.error != -EOPNOTSUPP)
		return;
	for (size_t i = 0; i < reader->count; i++) {
		const struct level_request *other = &reader->requests[i];

		if (other->level->level == level->level && !other->refused)
			elsewhere |= !(is_current(other)
					       ? state_of(reader, other)->current.failure.error
					       : other->features.failure.error);
	}
	perf_profile_check_refusal(&request->features.failure, elsewhere);
	if (request->features.failure.error != -EOPNOTSUPP)
		return;
	request->refused = true;
	message_failure(&reader->context->messages, &level->failure, of_domain(level->domain),
			-EOPNOTSUPP, "%s: no level %u, although the highest is %u",
			level->domain->name, level->level, level->profile->highest_level);
}

static enum isst_feature_state feature_state(bool known, bool supported, bool on)
{
	if (known && !supported)
		return ISST_FEATURE_UNSUPPORTED;
	if (!known)
		return ISST_FEATURE_UNKNOWN;
	return on ? ISST_FEATURE_ENABLED : ISST_FEATURE_DISABLED;
}

/** A feature has the state that the firmware reports for that level. */
static void resolve_features(struct level_reader *reader, struct level_request *request)
{
	const struct domain_state *state = state_of(reader, request);
	struct isst_level *level = request->level;
	bool known;

	if (is_current(request))
		request->features = state->current;
	known = !request->features.failure.error;
	level->base_freq = feature_state(known, request->features.base_freq_supported,
					 request->features.base_freq_on);
	level->turbo_freq = feature_state(known, request->features.turbo_freq_supported,
					  request->features.turbo_freq_on);
	level->features_assumed = known && request->features.assumed;
	failure_join(&level->failure, &request->features.failure);
	if (!(reader->parts & ISST_LEVELS_PROPERTIES))
		return;
	level->core_power = feature_state(!state->core_power.failure.error,
					  state->core_power.supported, state->core_power.enabled);
	failure_join(&level->failure, &state->core_power.failure);
	failure_join(&level->failure, &state->bucket_failure);
}

static bool wants_base_freq(const struct level_reader *reader, const struct level_request *request)
{
	return reader->parts & ISST_LEVELS_BASE_FREQ && request->features.base_freq_supported;
}

static bool wants_turbo_freq(const struct level_reader *reader, const struct level_request *request)
{
	return reader->parts & ISST_LEVELS_TURBO_FREQ && request->features.turbo_freq_supported;
}

/** Turns a core mask into CPUs. A list that may lack a CPU would be worse than none: where the core
 * of any CPU of the domain is not known, that is the failure. */
static int cpus_of_mask(struct level_reader *reader, const struct isst_domain *domain,
			const struct core_mask *mask, struct isst_failure *failure,
			struct isst_cpuset **cpus)
{
	const struct topology_domain *place = topology_domain(domain);
	uint64_t cores = (uint64_t)mask->half[1].value << 32 | mask->half[0].value;

	/* Where no firmware is asked, the CPUs are known already. */
	if (*cpus)
		return 0;
	if (mask->half[0].state != ISST_KNOWN || mask->half[1].state == ISST_UNREADABLE)
		return 0;
	/* No cores are no CPUs, whatever is not known. */
	if (cores && place->unknown_core) {
		message_failure(&reader->context->messages, failure, of_domain(domain), -EIO,
				"%s: %s", domain->name, place->unknown_core);
		return 0;
	}
	if (cores && place->unknown_cpus && isst_cpuset_count(place->present) == 0) {
		message_failure(&reader->context->messages, failure, of_domain(domain), -EIO,
				"%s: the CPUs of its cores are unknown: %s; bring CPUs online "
				"(--all-cpus-online, or " CPU_DIRECTORY "/cpuN/online)",
				domain->name, place->unknown_cpus);
		return 0;
	}
	*cpus = topology_cpus_of_cores(reader->context->topology, domain, cores);
	return *cpus ? 0 : -ENOMEM;
}

static int finish_level(struct level_reader *reader, struct level_request *request)
{
	const struct firmware_operations *operations = reader->operations;
	const struct domain_state *state = request->refused ? NULL : state_of(reader, request);
	struct isst_level *level = request->level;
	struct isst_turbo_freq *turbo_freq = &level->turbo_freq_info;
	int error = 0;

	if (request->refused)
		return 0;
	if (reader->parts & ISST_LEVELS_PROPERTIES) {
		if (operations->finish_properties)
			operations->finish_properties(&reader->context->platform, request);
		for (unsigned int type = 0; type < ISST_TRL_TYPES; type++) {
			struct isst_turbo_limit *limit = &level->limit[type];

			if (operations->plan_bucket_cores)
				memcpy(limit->core_count, state->bucket_cores,
				       sizeof(state->bucket_cores));
			limit->present = limit->mhz[0].state == ISST_KNOWN &&
					 limit->mhz[0].value > 0;
		}
		level->cores = (uint64_t)request->cores.half[1].value << 32 |
			       request->cores.half[0].value;
		/* A domain without CPUs that has no cores is one of I/O: it has no list of them. */
		if (level->cores || isst_cpuset_count(level->domain->present) > 0)
			error = cpus_of_mask(reader, level->domain, &request->cores,
					     &level->failure, &level->cpus);
	}
	if (wants_turbo_freq(reader, request)) {
		turbo_freq->buckets = firmware_valid_buckets(request->turbo_freq_cores);
		for (unsigned int i = 0; i < turbo_freq->buckets; i++)
			turbo_freq->high_priority_cores[i] = request->turbo_freq_cores[i].value;
		for (unsigned int type = 0; type < ISST_TRL_TYPES; type++)
			for (unsigned int i = turbo_freq->buckets; i < ISST_BUCKETS; i++)
				turbo_freq->mhz[type][i] = (struct isst_value){ ISST_ABSENT, 0 };
	}
	if (!error && wants_base_freq(reader, request))
		error = cpus_of_mask(reader, level->domain, &request->high_priority,
				     &level->base_freq_info.failure,
				     &level->base_freq_info.high_priority);
	return error;
}

static int read_levels(struct level_reader *reader)
{
	const struct firmware_operations *operations = reader->operations;
	bool properties = reader->parts & ISST_LEVELS_PROPERTIES;
	int error = read_features(reader);

	for (size_t i = 0; i < reader->count && !error; i++) {
		drop_missing_level(reader, &reader->requests[i]);
		if (!reader->requests[i].refused)
			resolve_features(reader, &reader->requests[i]);
	}
	/* Phase 2: properties of the levels, and the features that they support. */
	for (size_t i = 0; i < reader->count && !error; i++) {
		struct level_request *request = &reader->requests[i];

		if (request->refused)
			continue;
		request->disabled = !request->level->profile->enabled;
		if (properties)
			error = operations->plan_properties(reader->batch, request);
		if (!error && wants_base_freq(reader, request))
			error = operations->plan_base_freq(reader->batch, request);
		if (!error && wants_turbo_freq(reader, request))
			error = operations->plan_turbo_freq(reader->batch, request);
	}
	if (!error)
		error = firmware_run(reader->batch);
	/* Phase 3: properties that this found to need another command, and turbo-freq buckets. */
	for (size_t i = 0; i < reader->count && !error; i++) {
		struct level_request *request = &reader->requests[i];

		if (request->refused)
			continue;
		if (properties && operations->plan_properties_rest)
			error = operations->plan_properties_rest(reader->batch, request);
		if (!error && wants_turbo_freq(reader, request) && operations->plan_turbo_freq_rest)
			error = operations->plan_turbo_freq_rest(reader->batch, request);
	}
	if (!error)
		error = firmware_run(reader->batch);
	for (size_t i = 0; i < reader->count && !error; i++)
		error = finish_level(reader, &reader->requests[i]);
	return error;
}

int levels_read(struct isst_context *context, struct isst_level *levels, size_t count,
		size_t stride, unsigned int parts)
{
	const char *before = message_begin(&context->messages);
	struct level_reader reader = { .context = context,
				       .operations = context->firmware.operations,
				       .parts = parts,
				       .count = count };
	int error = context_check_discovered(context);

	if (!error && parts & ~ISST_LEVELS_ALL)
		error = message_error(
			&context->messages, -EINVAL,
			"%#x is not a valid set of parts of a level (ISST_LEVELS_...)", parts);
	if (error || count == 0)
		return message_end(&context->messages, before, error);
	reader.batch = context_batch_new(context);
	reader.requests = calloc(count, sizeof(*reader.requests));
	reader.domains = calloc(isst_domain_count(context), sizeof(*reader.domains));
	if (reader.batch && reader.requests && reader.domains) {
		start_requests(&reader, levels, stride);
		error = read_levels(&reader);
	} else {
		error = -ENOMEM;
	}
	firmware_batch_free(reader.batch);
	free(reader.requests);
	free(reader.domains);
	return message_end(&context->messages, before, error);
}

void level_clear(struct isst_level *level)
{
	isst_cpuset_free(level->cpus);
	isst_cpuset_free(level->base_freq_info.high_priority);
	level->cpus = NULL;
	level->base_freq_info.high_priority = NULL;
}

unsigned int level_all_cores_mhz(const struct isst_level *level)
{
	unsigned int mhz = 0;

	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		if (level->limit[0].mhz[i].state == ISST_KNOWN && level->limit[0].mhz[i].value > 0)
			mhz = level->limit[0].mhz[i].value;
	return mhz;
}

unsigned int level_gaining_buckets(const struct isst_level *level)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;
	unsigned int count = info->buckets, all = level_all_cores_mhz(level);

	while (count > 0 && info->mhz[0][count - 1].state == ISST_KNOWN &&
	       info->mhz[0][count - 1].value <= all)
		count--;
	return count;
}

/* ---- Snapshots ---- */

static int plan_snapshot(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	const struct firmware_operations *operations = context->firmware.operations;
	struct domain_snapshot *snapshot = result;
	int error = 0;

	if (snapshot->parts & SNAPSHOT_PROFILES) {
		snapshot->profile.domain = snapshot->domain;
		error = perf_profile_plan(context, batch, &snapshot->profile);
	}
	if (error || !(snapshot->parts & ~(unsigned int)(SNAPSHOT_PROFILES | SNAPSHOT_LEVEL)))
		return error;
	snapshot->core_power = (struct isst_core_power){ .domain = snapshot->domain };
	return snapshot->parts & SNAPSHOT_CORE_POWER_SWITCH
		       ? operations->plan_core_power_switch(batch, &snapshot->core_power)
		       : operations->plan_core_power(batch, &snapshot->core_power);
}

int snapshot_read(struct isst_context *context, struct domain_snapshot *snapshots, size_t count)
{
	unsigned int parts = 0;
	int error;

	for (size_t i = 0; i < count; i++)
		parts |= snapshots[i].parts;
	if (!parts)
		return 0;
	error = context_read(context, snapshots, count, sizeof(*snapshots), plan_snapshot);
	if (!error && parts & SNAPSHOT_PROFILES)
		perf_profiles_check_refusals(&snapshots->profile, count, sizeof(*snapshots));
	for (size_t i = 0; i < count && !error; i++)
		if (snapshots[i].parts & SNAPSHOT_CLOS_IN_FORCE)
			core_power_find_clos_in_force(context, &snapshots[i].core_power);
	return error;
}

int snapshot_read_levels(struct isst_context *context, struct domain_snapshot *snapshots,
			 size_t count, unsigned int parts)
{
	for (size_t i = 0; i < count; i++) {
		struct domain_snapshot *snapshot = &snapshots[i];

		snapshot->level.domain = snapshot->parts & SNAPSHOT_LEVEL ? snapshot->domain : NULL;
		snapshot->level.profile = &snapshot->profile;
	}
	return count == 0
		       ? 0
		       : levels_read(context, &snapshots->level, count, sizeof(*snapshots), parts);
}

int snapshot_read_at(struct isst_context *context, struct domain_snapshot *snapshots, size_t count,
		     const unsigned int *level, unsigned int parts)
{
	int error;

	for (size_t i = 0; i < count; i++)
		snapshots[i].parts |= SNAPSHOT_PROFILES | SNAPSHOT_LEVEL;
	error = snapshot_read(context, snapshots, count);
	for (size_t i = 0; i < count; i++)
		snapshots[i].level.level = level ? *level : snapshots[i].profile.current_level;
	return error ? error : snapshot_read_levels(context, snapshots, count, parts);
}

void snapshot_clear(struct domain_snapshot *snapshots, size_t count)
{
	for (size_t i = 0; i < count && snapshots; i++)
		level_clear(&snapshots[i].level);
}

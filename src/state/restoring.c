/* SPDX-License-Identifier: BSD-3-Clause */
/* What `disable --auto` restores: the values that `enable --auto` saved before it replaced
 * them. */
#include "base/array.h"
#include "state/apply.h"
#include "topology/context.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Limits at base frequencies ---- */

int preset_find_limits(struct kernel_files *files, unsigned int cpu, const char **missing,
		       struct preset_limits *limits)
{
	uint64_t base_khz = 0, highest_khz = 0, lowest_khz = 0;
	const struct {
		const char *name;
		uint64_t *khz;
	} values[] = { { "base_frequency", &base_khz },
		       { "cpuinfo_max_freq", &highest_khz },
		       { "cpuinfo_min_freq", &lowest_khz } };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		int error = cpufreq_read(files, cpu, values[i].name, values[i].khz);

		*missing = values[i].name;
		if (error)
			return error;
	}
	limits->max_khz = base_khz < highest_khz || limits->hidden ? base_khz : CPUFREQ_NO_LIMIT;
	limits->min_khz = base_khz > lowest_khz ? base_khz : 0;
	return 0;
}

/** Whether every online CPU of a domain is held at its own base frequency; one without cpufreq is
 * not in the way. Returns 0 or 1, or a negative errno with a message. */
static int preset_base_freq_is_on(struct isst_context *context, const struct isst_domain *domain)
{
	struct kernel_files *files = &context->files;
	unsigned int cpu;
	bool held = true;
	int error = 0;

	isst_cpuset_for_each (cpu, domain->online) {
		struct preset_limits base = { 0 }, now;
		const char *missing;

		if (!held || error)
			break;
		error = preset_find_limits(files, cpu, &missing, &base);
		if (!error)
			error = cpufreq_read_limit(files, cpu, CPUFREQ_MAX, &now.max_khz);
		if (!error)
			error = cpufreq_read_limit(files, cpu, CPUFREQ_MIN, &now.min_khz);
		held = error || (now.max_khz == base.max_khz && now.min_khz == base.min_khz);
		error = error == -ENOENT ? 0 : error;
	}
	return error ? error : held;
}

/* ---- Restoring ---- */

/** Restoring the saved settings of one feature in one domain. */
struct restoring {
	struct isst_change *change;
	const char *name;
	const char *user; /* the other feature, where it is on and needs core-power; NULL if not */
	const struct isst_domain *domain;
	unsigned int level;
	bool chosen; /* turbo-freq, which is @user, has other classes since */
	/* Of the domain at its level: the lines of the feature, and those of the other one. */
	struct item_lines saved, others;
	struct isst_journal *now; /* what has become of @saved */
	/* CPUs whose items of a kind were changed since; [1]: that @user needs. */
	struct isst_cpuset *left[2];
};

/** Takes the lines of both features. An item goes back to what the other one has set, if that was
 * enabled before. Returns 0 or -ENOMEM. */
static int take_lines(struct restoring *work, const struct item_lines *saved, const char *other)
{
	for (size_t i = 0; i < saved->count; i++) {
		const struct item_line *line = &saved->items[i];
		bool own = settings_is_of(line, work->name, work->domain, work->level);
		struct item_lines *lines = own ? &work->saved : &work->others;

		if (!own && !settings_is_of(line, other, work->domain, work->level))
			continue;
		if (ARRAY_GROW(lines->items, lines->count))
			return -ENOMEM;
		lines->items[lines->count] = *line;
		for (size_t j = 0; j < work->others.count && own; j++)
			if (line->item.kind != ITEM_FEATURES &&
			    item_is(&work->others.items[j].item, &line->item))
				lines->items[lines->count].old = work->others.items[j].written;
		lines->count++;
	}
	return 0;
}

/** Whether the other feature, which is on, needs an item as it is. */
static bool is_needed(const struct restoring *work, const struct tracked *tracked)
{
	const struct item *item = &tracked->item;
	const struct item_lines *lines = &work->others;

	if (work->user && (item->kind == ITEM_CORE_POWER || item->kind == ITEM_QOS))
		return true;
	if (work->chosen && (item->kind == ITEM_CLOS || item->kind == ITEM_ASSOCIATION))
		return true;
	for (size_t j = 0; j < lines->count && work->user; j++)
		if (item_is(&lines->items[j].item, item))
			return item_value_equal(item, lines->items[j].written, tracked->now);
	return false;
}

static void warn_unrestored(const struct restoring *work, bool needed, const char *what)
{
	if (needed)
		change_warn(
			work->change, ISST_MESSAGE_NEEDED_BY_FEATURE, of_cause(work->change, what),
			"%s: left unchanged, because %s is enabled and needs it", what, work->user);
	else
		change_warn(work->change, ISST_MESSAGE_CHANGED_SINCE, of_cause(work->change, what),
			    "%s: left unchanged, because it was changed after %s enable", what,
			    work->name);
}

/** Warns of an item that is not restored; what is of CPUs is collected instead. */
static int note_unrestored(const struct restoring *work, const struct item *item, bool needed)
{
	struct isst_context *context = work->change->context;
	struct isst_cpuset *cpus, *noted = work->left[needed];
	int error;

	if (item_is_limit(item))
		return isst_cpuset_add(noted, item->index, item->index);
	if (item->kind != ITEM_ASSOCIATION || item->index >= 64) {
		warn_unrestored(work, needed, item_describe(context, item));
		return 0;
	}
	cpus = topology_cpus_of_cores(context->topology, work->domain, UINT64_C(1) << item->index);
	error = cpus ? isst_cpuset_add_set(noted, cpus) : -ENOMEM;
	isst_cpuset_free(cpus);
	return error;
}

static int restore_kind(struct restoring *work, enum item_kind kind)
{
	const char *what = kind == ITEM_SCALING_MIN   ? "scaling_min_freq"
			   : kind == ITEM_SCALING_MAX ? "scaling_max_freq"
						      : "CLOS";
	struct step *step = NULL;
	int error = 0;

	for (size_t i = 0; i < 2; i++) {
		work->left[i] = isst_cpuset_new();
		error = work->left[i] ? error : -ENOMEM;
	}
	for (size_t i = 0; i < work->now->count && !error; i++) {
		const struct tracked *tracked = &work->now->tracked[i];
		bool moved = tracked->finding != FOUND_WRITTEN, needed;
		uint64_t bits = WHOLE_VALUE, shown_khz = 0;
		struct entry *entry;

		/* Absent limits wait for their CPU. */
		if (tracked->item.kind != kind || tracked->finding == FOUND_OLD ||
		    (tracked->unreadable && item_is_limit(&tracked->item)))
			continue;
		needed = !tracked->unreadable && is_needed(work, tracked);
		/* The use of CLOS and the priority are settings of their own: core-power that went
		 * off since leaves the priority behind. */
		if (kind == ITEM_QOS && !tracked->unreadable) {
			bits = (tracked->old.number ^ tracked->last.number) &
			       ~(tracked->now.number ^ tracked->last.number);
			moved = false;
		}
		if (moved || needed)
			error = note_unrestored(work, &tracked->item, needed);
		if (moved || needed || !bits)
			continue;
		if (tracked->concealed)
			error = limit_shown(work->change->context, &tracked->item,
					    tracked->old.number, &shown_khz);
		if (error)
			break;
		if (!step)
			step = change_step(work->change, kind);
		entry = step_set(step, tracked->item, bits, tracked->old.number);
		entry->restores = true;
		entry->hidden = tracked->concealed;
		entry->shown = shown_khz;
	}
	for (int needed = 0; needed < 2; needed++) {
		struct messages *texts = &work->change->texts;

		if (!error && isst_cpuset_count(work->left[needed]) > 0)
			warn_unrestored(
				work, needed,
				message_make(texts, "%s: %s",
					     message_numbers(texts, "CPU", work->left[needed]),
					     what));
		isst_cpuset_free(work->left[needed]);
	}
	return error;
}

static int forget(const struct restoring *work, const struct item *item)
{
	return settings_forget(work->change, work->name, work->user != NULL, item, work->level);
}

/** Whether the CPUs of a domain are offline. */
static bool is_offline(const struct isst_domain *domain)
{
	return !domain->has_cpu && !isst_domain_is_io(domain);
}

/** Turbo ratio limits stay saved until turbo-freq is disabled in all power domains of a package.
 * The kernel may write former ones again as CPUs come online: those of a package with a domain
 * without one stay saved, too, although another domain puts them back. So do limits of offline
 * CPUs. @limits_stay: another power domain needs the turbo ratio limits as they are */
static int restore_domain(struct restoring *work, const struct facts *facts, bool limits_stay)
{
	bool limits_return = false;
	struct isst_cpuset *offline = isst_cpuset_new();
	struct item_lines *saved = &work->saved;
	size_t kept = 0;
	int error = offline ? 0 : -ENOMEM;

	facts_for_each_domain (other, facts)
		limits_return |= other->shares && other->domain->package == work->domain->package &&
				 is_offline(other->domain);
	for (size_t i = 0; i < saved->count && !error; i++) {
		const struct item_line line = saved->items[i];

		if (line.item.kind == ITEM_TURBO_RATIO_LIMITS &&
		    (limits_stay || is_offline(work->domain)))
			continue;
		/* The feature itself is the caller's business. */
		if (line.item.kind >= ITEM_CORE_POWER)
			saved->items[kept++] = line;
		else
			error = forget(work, &line.item);
	}
	if (!error) {
		saved->count = kept;
		error = journal_judge(work->change->context, saved, &work->now);
	}
	for (size_t i = 0; i < saved->count && !error; i++) {
		const struct tracked *tracked = work->now->of_line[i];
		const struct item *item = &tracked->item;

		/* Without saved settings of its own, as a configuration enables it: half of the
		 * classes would be those from before, and its cores more than it has buckets for.
		 */
		work->chosen |= (item->kind == ITEM_CLOS || item->kind == ITEM_ASSOCIATION) &&
				work->user &&
				strcmp(work->user, feature_name(FEATURE_TURBO_FREQ)) == 0 &&
				work->others.count == 0 &&
				!item_value_equal(item, tracked->now, tracked->last);
		if (tracked->unreadable && item_is_limit(item))
			error = isst_cpuset_add(offline, item->index, item->index);
		else if (!(limits_return && item_is_shared(item)))
			error = forget(work, item);
	}
	if (!error && isst_cpuset_count(offline) > 0)
		change_warn(work->change, ISST_MESSAGE_SAVED_LIMITS_KEPT, of_cpus(NULL, offline),
			    "%s: offline; the frequency limits from before %s enable are kept, and "
			    "restored by %s disable --auto when online",
			    message_numbers(&work->change->texts, "CPU", offline), work->name,
			    work->name);
	isst_cpuset_free(offline);
	for (int kind = ITEM_CORE_POWER; kind < ITEM_KINDS && !error; kind++)
		error = restore_kind(work, (enum item_kind)kind);
	return error;
}

/** Whether the feature is on in a domain of the same package that was asked for, and was not
 * enabled with saved settings: these would have been kept of all domains that it reached. Returns
 * 0 or 1, or a negative errno with a message. */
static int find_unsaved(const struct planned_command *command, unsigned int feature,
			const struct isst_domain *domain)
{
	struct isst_context *context = command->change->context;

	facts_for_each_domain (other, &command->facts) {
		int on;

		if (!other->shares || other->domain->package != domain->package)
			continue;
		on = context->platform.preset ? preset_base_freq_is_on(context, other->domain)
					      : feature_is_on(&other->level, feature);
		if (on < 0)
			return on;
		if (on && !settings_find(context, &command->saved, feature_name(feature),
					 other->domain, 0)
				   .any)
			return 1;
	}
	return 0;
}

/** Whether saved settings contain turbo ratio limits, or show that there were none to replace:
 * where each domain has its own, turbo-freq was off before, and they were as it wants them. */
static bool has_limits(const struct isst_context *context, const struct item_lines *saved)
{
	for (size_t i = 0; i < saved->count; i++) {
		const struct item_line *line = &saved->items[i];

		if (line->item.kind == ITEM_TURBO_RATIO_LIMITS ||
		    (line->item.kind == ITEM_FEATURES && !context_has_power_domains(context) &&
		     !(line->old.number & FEATURE_TURBO_FREQ)))
			return true;
	}
	return false;
}

/**
 * Without saved settings for its level a domain gets the reference tool's values, unless they were
 * restored before: then what `disable` finds was restored, or is the user's. Where packages
 * share core-power, one of their domains stands for all.
 */
static int plan_domain(struct planned_command *command, unsigned int feature,
		       struct domain_snapshot *domain, struct restoring *work)
{
	struct isst_context *context = command->change->context;
	size_t i = (size_t)(domain - command->facts.domains);
	const struct item mark = item_of(ITEM_LEVEL, domain->domain, 0);
	int error = take_lines(work, &command->saved, feature_name(other_feature(feature)));

	if (!error && work->saved.count == 0) {
		bool restored = settings_find(context, &command->saved, work->name, domain->domain,
					      work->level)
					.restored;
		int unsaved = restored ? find_unsaved(command, feature, domain->domain) : 0;

		domain->restored = restored && !unsaved;
		domain->limits_settled |= domain->restored;
		return unsaved < 0 ? unsaved : 0;
	}
	domain->restored = true;
	facts_for_each_domain (other, &command->facts)
		other->limits_settled |= (other == domain ||
					  (context_has_power_domains(context) &&
					   other->domain->package == domain->domain->package)) &&
					 has_limits(context, &work->saved);
	if (!error)
		error = restore_domain(work, &command->facts,
				       limits_user(context, command->facts.domains, i));
	if (!error)
		error = forget(work, &mark);
	return error;
}

int plan_restoring(struct planned_command *command, unsigned int feature)
{
	struct isst_change *change = command->change;
	struct facts *facts = &command->facts;
	enum turbo_state turbo;
	/* Limits are compared with what they were written as: only base-freq has saved some. */
	int error = feature == FEATURE_BASE_FREQ ? change_turbo_state(change, &turbo) : 0;

	for (size_t i = 0; i < facts->count && !error; i++) {
		unsigned int other = other_feature(feature);
		struct restoring work = { .change = change,
					  .name = feature_name(feature),
					  .domain = facts->domains[i].domain,
					  .level = facts->domains[i].profile.current_level };

		facts->domains[i].restored = false;
		if (!facts->domains[i].shares)
			continue;
		if (feature_in_use(change->context, facts->domains, i, other))
			work.user = feature_name(other);
		error = plan_domain(command, feature, &facts->domains[i], &work);
		isst_journal_free(work.now);
		item_lines_clear(&work.saved);
		item_lines_clear(&work.others);
	}
	return error || feature != FEATURE_BASE_FREQ ? error : change_turbo_state(change, &turbo);
}

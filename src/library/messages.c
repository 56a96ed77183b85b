/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages as programs see them, and the names of their codes. */
#include "base/messages.h"
#include "library/getters.h"

#include <errno.h>

#define ROW(code_, name_) \
	{ \
		.code = ISST_MESSAGE_##code_, .name = (name_) \
	}

static const struct {
	int code;
	const char *name;
} message_codes[] = {
	ROW(LEFT_OUT, "left-out"),
	ROW(CPUS_LEFT_OUT, "cpus-left-out"),
	ROW(NOTHING_TO_DISABLE, "nothing-to-disable"),
	ROW(CLIPPED, "clipped"),
	ROW(RESULT_UNKNOWN, "result-unknown"),
	ROW(FEATURES_DISABLED, "features-disabled"),
	ROW(FEATURES_CHECKED_LATER, "features-checked-later"),
	ROW(NEEDED_BY_FEATURE, "needed-by-feature"),
	ROW(TURBO_FREQ_WITHOUT_CORE_POWER, "turbo-freq-without-core-power"),
	ROW(BUCKET_OVERFULL, "bucket-overfull"),
	ROW(HIGH_PRIORITY_LOST, "high-priority-lost"),
	ROW(NO_HIGH_PRIORITY_CPUS, "no-high-priority-cpus"),
	ROW(CLOS_MAX_ZERO, "clos-max-zero"),
	ROW(CLOS_MIN_TOO_HIGH, "clos-min-too-high"),
	ROW(CLOS_SETTINGS_KEPT, "clos-settings-kept"),
	ROW(TURBO_RATIO_LIMITS_KEPT, "turbo-ratio-limits-kept"),
	ROW(TURBO_RATIO_LIMITS_LOW, "turbo-ratio-limits-low"),
	ROW(FORMER_LIMITS_MAY_RETURN, "former-limits-may-return"),
	ROW(SCALING_LIMIT, "scaling-limit"),
	ROW(SCALING_LIMIT_REPLACED, "scaling-limit-replaced"),
	ROW(CPUFREQ_INTERFERES, "cpufreq-interferes"),
	ROW(GOVERNOR, "governor"),
	ROW(HWP_OFF, "hwp-off"),
	ROW(UNCORE_LIMITS_KEPT, "uncore-limits-kept"),
	ROW(CPUS_STAY_OFFLINE, "cpus-stay-offline"),
	ROW(CPU_ISOLATED, "cpu-isolated"),
	ROW(PARTITION_KEPT, "partition-kept"),
	ROW(PARTITIONS_UNAVAILABLE, "partitions-unavailable"),
	ROW(CHANGED_SINCE, "changed-since"),
	ROW(NO_SAVED_SETTINGS, "no-saved-settings"),
	ROW(SAVED_FOR_OTHER_LEVEL, "saved-for-other-level"),
	ROW(SAVED_LIMITS_KEPT, "saved-limits-kept"),
	ROW(SETTINGS_NOT_SAVED, "settings-not-saved"),
	ROW(SAVED_SETTINGS_LOST, "saved-settings-lost"),
	ROW(SAVED_SETTINGS_REMAIN, "saved-settings-remain"),
	ROW(IRREVERSIBLE, "irreversible"),
	ROW(OUT_OF_REACH, "out-of-reach"),
	ROW(BOOT_STATE, "boot-state"),
	ROW(JOURNAL_KEPT, "journal-kept"),
	ROW(REDISCOVERY_FAILED, "rediscovery-failed"),
	ROW(LOST_OVER_SUSPEND, "lost-over-suspend"),
	ROW(WRITTEN_BACK, "written-back"),
	ROW(CPUSETS_LOSE_CPUS, "cpusets-lose-cpus"),
	ROW(TURBO_DISABLED, "turbo-disabled"),
	ROW(STATEMENT_SKIPPED, "statement-skipped"),
	ROW(PART_LEFT_OUT, "part-left-out"),
	ROW(PART_OFFLINE, "part-offline"),
};

enum { CODES = sizeof(message_codes) / sizeof(message_codes[0]) };

int isst_message_code_at(size_t index)
{
	return index < CODES ? message_codes[index].code : 0;
}

const char *isst_message_code_name(int code)
{
	for (size_t i = 0; i < CODES; i++)
		if (message_codes[i].code == code)
			return message_codes[i].name;
	return NULL;
}

GETTER(const char *, isst_message_text, isst_message, text, NULL)
GETTER(int, isst_message_code, isst_message, code, 0)
GETTER(int, isst_message_level, isst_message, level, 0)
GETTER(int, isst_message_error, isst_message, error, 0)
GETTER(const struct isst_domain *, isst_message_domain, isst_message, place.domain, NULL)
GETTER(const struct isst_cpuset *, isst_message_cpus, isst_message, place.cpus, NULL)

int isst_message_package(const struct isst_message *message, unsigned int *package)
{
	if (!message || !package)
		return -EINVAL;
	*package = message->place.domain       ? message->place.domain->package
		   : message->place.in_package ? message->place.package
					       : 0;
	return message->place.domain || message->place.in_package ? 0 : -ENODATA;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes of other processes to files of the kernel. */
#include "transaction/support/foreign.h"
#include "transaction/support/chance.h"

#define CPUS "/sys/devices/system/cpu"
#define UNCORE CPUS "/intel_uncore_frequency"

bool foreign_write(const struct machine *machine, const struct foreign *foreign)
{
	struct isst_machine *opened = machine_open(machine);
	int error = opened->files->write(opened->data, foreign->path, foreign->value,
					 strlen(foreign->value));

	opened->release(opened);
	return error == 0;
}

/** The name of some entry of a directory that begins with @prefix and a digit; to be freed. */
static char *some_entry(const struct machine *machine, const char *directory, const char *prefix)
{
	struct isst_machine *opened = machine_open(machine);
	char **names = NULL, *chosen = NULL;
	size_t count = 0, fitting = 0, length = strlen(prefix);

	if (opened->files->list(opened->data, directory, &names, &count))
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (strncmp(names[i], prefix, length) == 0 && names[i][length] >= '0' &&
		    names[i][length] <= '9' && any_of(++fitting) == 0) {
			free(chosen);
			chosen = strdup(names[i]);
		}
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	opened->release(opened);
	return chosen;
}

bool foreign_choose_limit(const struct machine *machine, struct foreign *foreign)
{
	static const struct {
		const char *directory, *prefix, *file, *value;
	} CHOICES[] = {
		{ CPUS, "cpu", "cpufreq/scaling_max_freq", "1700000\n" },
		{ CPUS, "cpu", "cpufreq/scaling_min_freq", "1100000\n" },
		{ UNCORE, "uncore", "max_freq_khz", "1900000\n" },
		{ UNCORE, "uncore", "min_freq_khz", "1300000\n" },
		/* Where there are those of power domains this one bounds what they can be. */
		{ UNCORE, "package_", "max_freq_khz", "1900000\n" },
	};
	unsigned int which = any_of(COUNT(CHOICES));
	char *entry = some_entry(machine, CHOICES[which].directory, CHOICES[which].prefix);
	char *split = strcmp(CHOICES[which].prefix, "package_") == 0
			      ? some_entry(machine, UNCORE, "uncore")
			      : NULL;

	if (!entry || split) {
		free(entry);
		free(split);
		return false;
	}
	foreign->value = CHOICES[which].value;
	assert_true(asprintf(&foreign->path, "%s/%s/%s", CHOICES[which].directory, entry,
			     CHOICES[which].file) >= 0);
	free(entry);
	return true;
}

bool foreign_choose_cpu(const struct machine *machine, struct foreign *foreign)
{
	autofree char *entry = some_entry(machine, CPUS, "cpu");

	if (!entry)
		return false;
	foreign->value = any_of(2) ? "1" : "0";
	assert_true(asprintf(&foreign->path, CPUS "/%s/online", entry) >= 0);
	return true;
}

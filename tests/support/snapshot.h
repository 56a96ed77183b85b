/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The complete state of an emulated machine as a text, so that two moments can be compared: what
 * firmware holds for every domain, what is to take effect later, CPUs and the user's cpufreq
 * limits, control groups. What the kernel's files show follows from it. Not in it: statistics,
 * logs, locks, fault counters, the runtime directory, the boot id, and whether the driver has seen
 * a CPU online. Machines of one platform that have come to the same are equal.
 */
#ifndef TESTS_SUPPORT_SNAPSHOT_H
#define TESTS_SUPPORT_SNAPSHOT_H

/**
 * The machine in that state directory, as it is on disk: no process may be changing it, and what is
 * late takes effect only when somebody uses the machine. To be freed; NULL (and errno) where there
 * is no machine or the emulator has another state format.
 */
char *machine_snapshot(const char *state_directory);

/** The lines of @before that @after lacks, behind "- ", and the other way round, behind "+ "; to be
 * freed. Empty for equal snapshots; NULL without memory. */
char *snapshot_difference(const char *before, const char *after);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the launcher and its preload object agree on. */
#ifndef EMULATOR_LAUNCH_CPUID_H
#define EMULATOR_LAUNCH_CPUID_H

#define CPUID_LIBRARY "libisst-emulator-preload.so"

/* The processor, in the environment: whether it is Intel's, family, model, stepping, whether it has
 * hardware P-states; decimal numbers with colons between them. */
#define CPUID_VARIABLE "ISST_EMULATE_CPUID"

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The preload object by which dynamically linked programs see the CPUID of the machine. */
#include "emulator/launch/launch.h"

int cpuid_preload(char **error)
{
	(void)error;
	return 0;
}

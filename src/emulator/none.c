/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for the emulator in a build without it (EMULATOR=no). */
#include "isst-emulator.h"

const struct isst_emulator *isst_emulator(void)
{
	return NULL;
}

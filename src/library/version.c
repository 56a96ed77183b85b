/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the library that runs. */
#include "isst.h"

const char *isst_version(void)
{
	return ISST_VERSION;
}

unsigned int isst_version_number(void)
{
	return ISST_VERSION_NUMBER(ISST_VERSION_MAJOR, ISST_VERSION_MINOR, ISST_VERSION_PATCH);
}

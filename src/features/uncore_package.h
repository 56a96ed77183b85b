/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit of the uncore of a package, beyond which the kernel lets no power domain go. */
#ifndef ISST_FEATURES_UNCORE_PACKAGE_H
#define ISST_FEATURES_UNCORE_PACKAGE_H

#include "features/limit_steps.h"

/**
 * Where the steps set a limit of all that a package has, they may move that of the package: behind
 * one that was held back by it, steps are added that move it, and set the limits again. Returns 0
 * or -ENOMEM.
 */
int uncore_package_plan(const struct limit_steps *steps, unsigned int package);

#endif

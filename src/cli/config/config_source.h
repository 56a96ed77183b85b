/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration that a command line names: a file, and statements. Must not know machines. */
#ifndef ISST_CLI_CONFIG_SOURCE_H
#define ISST_CLI_CONFIG_SOURCE_H

#include "../run/run.h"

/**
 * Reads the configuration of a command that has one, with the rights of the caller. All that is
 * wrong with it is reported, not only the first thing.
 *
 * Sets run->config, which the caller frees. Returns false after an error.
 */
bool config_source_read(struct run *run);

#endif

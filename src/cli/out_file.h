/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of --out. The functions do nothing if there is no such option; they return STATUS_DONE,
 * or what the program ends with.
 */
#ifndef ISST_CLI_OUT_FILE_H
#define ISST_CLI_OUT_FILE_H

#include "output.h"
#include "request.h"
#include "status.h"

/** Waits for the reader of a FIFO; must not be called while the lock is held. */
enum exit_status out_file_wait_for_reader(const struct request *request, struct output *output);

/** Creates or truncates the file, unless it is a FIFO that is open already. */
enum exit_status out_file_create(const struct request *request, struct output *output);

/** Does both, for commands that take no lock. */
enum exit_status out_file_open(const struct request *request, struct output *output);

#endif

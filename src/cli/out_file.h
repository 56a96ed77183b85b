/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of --out. The functions do nothing if there is no such option; those that return a
 * status return STATUS_DONE, or what the program ends with.
 */
#ifndef ISST_CLI_OUT_FILE_H
#define ISST_CLI_OUT_FILE_H

#include "arguments/request.h"
#include "process/exit_status.h"
#include "render/output.h"

/** Waits for the reader of a FIFO; must not be called while the lock is held. */
enum exit_status out_file_wait_for_reader(const struct request *request, struct output *output);

/** Creates or truncates the file, unless it is a FIFO that is open already. Returns 0 or a negative
 * errno, which is to be reported when the lock is released. */
int out_file_create(const struct request *request, struct output *output);

/** Reports why the file could not be created. @error: 0: it could */
enum exit_status out_file_refuse(const struct request *request, struct output *output, int error);

/** Does both, for commands that take no lock. */
enum exit_status out_file_open(const struct request *request, struct output *output);

#endif

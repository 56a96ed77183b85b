/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the fuzzers. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct isst_emulator_target;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** The input as a text, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/** A scratch directory of this process, made at the first call and removed at its end. */
const char *fuzz_scratch(void);

/* The output of the program is discarded; findings of a sanitizer are still visible. */
void fuzz_silence(void);

/* command.c: the whole command in this process */

/** What happens at the two seams is led by these bytes; without them the machine is a healthy one.
 */
void command_disturb(const uint8_t *data, size_t size);
/** Runs a command line, its words separated by single blanks. */
void command_run(const char *line);
/** Puts the machine back to its first state. */
void command_reset(void);
/** Writes a file of the machine's runtime directory; `@BOOT@` stands for the boot id. */
void command_put(const char *name, const char *text);
/** Which of the platforms the command runs on from now on. */
void command_platform(unsigned int which);

#endif

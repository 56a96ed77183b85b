/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions of x86-64 in a program's code: how long each is, where it leads, and which bytes are
 * instructions without doubt. Knows nothing of what they are replaced by.
 */
#ifndef PRELOAD_INSTRUCTIONS_H
#define PRELOAD_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* instructions.c */

enum instruction_flow {
	FLOW_ON,     /* to the next instruction */
	FLOW_CALL,   /* to a target, and later to the next one */
	FLOW_BRANCH, /* to a target or the next one */
	FLOW_JUMP,   /* to a target */
	FLOW_END,    /* where the instruction does not name */
};

struct instruction {
	size_t size;
	enum instruction_flow flow;
	int32_t distance; /* from the next instruction to the target */
};

/** Returns false for an instruction that is not known to be valid, or is longer than @size. */
bool instruction_decode(const unsigned char *at, size_t size, struct instruction *instruction);

/* reached.c */

/**
 * Calls @found for each instruction of a function that has these bytes and is certainly executed as
 * one: it is reached from the start through instructions that are all known, and is not part of
 * another one that is reached. Bytes that are reached in no such way may be data.
 */
void reached_find(const unsigned char *function, size_t size, const unsigned char *bytes,
		  size_t count, void (*found)(const unsigned char *instruction, void *data),
		  void *data);

/* functions.c */

struct dl_phdr_info;

/** Calls @found for each function of a program or library that its unwind tables name. */
void functions_each(const struct dl_phdr_info *object,
		    void (*found)(const unsigned char *start, size_t size, void *data), void *data);

#endif

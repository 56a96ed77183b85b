/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reasons for which the hardware has limited frequencies, as intel_plr_tpmi (Linux 6.11 and
 * later) shows them in debugfs. They stay until they are cleared.
 */
#ifndef ISST_SYSFS_LIMIT_REASONS_H
#define ISST_SYSFS_LIMIT_REASONS_H

#include "sysfs/kernel_files.h"

/** A line of a file. */
struct limit_line {
	const char *path; /* of the file; belongs to the reasons */
	bool of_domain;	  /* of all CPUs of the power domain together */
	unsigned int cpu; /* else of this one */
	char *words;	  /* separated by single blanks; "" for none */
};

struct limit_reasons {
	char **paths;
	size_t path_count;
	struct limit_line *lines; /* of one file after the other, that of the domain first */
	size_t count;
};

/** The coarse words, by the number of their bit; a word of none of these is the bit behind them. */
enum limit_word {
	LIMIT_FREQUENCY,
	LIMIT_CURRENT,
	LIMIT_POWER,
	LIMIT_THERMAL,
	LIMIT_PLATFORM,
	LIMIT_MCP,
	LIMIT_RAS,
	LIMIT_MISC,
	LIMIT_QOS,
	LIMIT_DFC,
	LIMIT_WORDS
};

extern const char *const limit_words[LIMIT_WORDS];

/** The coarse word that a word is, or begins with; LIMIT_WORDS: none. */
unsigned int limit_word_of(const char *word, size_t length);

/** Which coarse words a line has, a bit for each: a fine one begins with it, and an underscore. */
uint64_t limit_words_of(const char *words);

/**
 * Reads the reasons of all power domains. Which one a file is of follows from the CPUs of its
 * lines, of which those that are not @online are left out: the kernel has lines for these, too, and
 * one that was never online is core 0 of the first power domain in them. To be cleared, also on
 * error. Returns 0, -ENOENT (the kernel has none, or debugfs is not mounted; no message is set),
 * -EPERM (only root may read them, and no process under kernel lockdown), -EIO or -ENOMEM.
 */
int limit_reasons_read(struct kernel_files *files, const struct isst_cpuset *online,
		       struct limit_reasons *reasons);
void limit_reasons_clear(struct limit_reasons *reasons);

#endif

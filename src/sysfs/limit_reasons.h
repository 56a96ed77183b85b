/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons for which hardware has limited frequencies since they were cleared, as intel_plr_tpmi
 * (Linux 6.11 and later) shows them in debugfs. */
#ifndef ISST_SYSFS_LIMIT_REASONS_H
#define ISST_SYSFS_LIMIT_REASONS_H

#include "sysfs/kernel_files.h"

struct limit_line {
	bool of_domain;	  /* of all CPUs of the power domain together */
	unsigned int cpu; /* else of this one */
	char *words;	  /* separated by single blanks; "" for none */
};

struct limit_reasons {
	struct limit_line *lines; /* of one file after the other, that of the domain first */
	size_t count;
	bool found; /* there is a file */
};

/** Coarse words by their bit; LIMIT_WORDS is the bit of all others. */
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

/** The coarse word of a word such as POWER or POWER_PL1; LIMIT_WORDS: none. */
unsigned int limit_word_of(const char *word, size_t length);

/** A bit for each coarse word of a line. */
uint64_t limit_words_of(const char *words);

/**
 * Reads the reasons of all power domains. The CPUs of its lines identify the domain of a file;
 * lines of offline CPUs are left out, since the kernel takes CPUs never online for core 0 of the
 * first domain. To be cleared, also on error. Returns 0, -ENOENT (kernel without it, or no debugfs;
 * no message), -EPERM (not root, or kernel lockdown), -EIO or -ENOMEM.
 */
int limit_reasons_read(struct kernel_files *files, const struct isst_cpuset *online,
		       struct limit_reasons *reasons);
void limit_reasons_clear(struct limit_reasons *reasons);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault rules (docs/internals/emulator.md): what shall go wrong at the seams. */
#ifndef EMULATOR_FAULTS_H
#define EMULATOR_FAULTS_H

#include "driver/abi.h"
#include "emulator/state/state.h"

#include <signal.h>
#include <time.h>

struct fault;

/** Which rules counts belong to: they begin the file of counts. Then it has for each rule its
 * count, and what it sticks to. */
struct rules_identity {
	uint64_t hash, inode, size;
	int64_t seconds, nanoseconds; /* of the last change */
};

/** The rules of a machine. */
struct faults {
	struct fault *rules;
	size_t count;
	bool present, malformed;
	struct rules_identity identity;
	int counts;    /* the file that counts matches; -1: none */
	int directory; /* of the machine's files, the server's */
};

enum fault_place {
	FAULT_OPEN,
	FAULT_IOCTL,
	FAULT_MAILBOX,
	FAULT_MMIO,
	FAULT_MSR,
	FAULT_PHY_ID,
	FAULT_TPMI,
	FAULT_PLATFORM_INFO,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_LIST,
	FAULT_MKDIR,
	FAULT_RMDIR,
	FAULT_CAPABILITY,
	/* These gather what happens at the places above. */
	FAULT_COMMAND, /* any entry of a batch, any other call */
	FAULT_CHANGE,  /* any command that sets something, any change of a file or directory */
	FAULT_QUERY,   /* any other command, any file that is read, any directory listed */
	FAULT_PLACES,
};

/** What a rule's numbers are compared with. */
enum fault_number {
	NUMBER_WHICH, /* request code, command << 8 | sub-command, register, MSR */
	NUMBER_PACKAGE,
	NUMBER_DIE,
	NUMBER_POWER_DOMAIN,
	NUMBER_CPU,
	NUMBER_DATA,
	NUMBER_PARAMETER,
	NUMBER_SET, /* 1: a command that sets something */
	FAULT_NUMBERS,
};

/** Something that happens: where, and the numbers that are known of it. */
struct fault_event {
	enum fault_place place;
	bool known[FAULT_NUMBERS];
	uint64_t number[FAULT_NUMBERS];
	const char *path;
	bool command, change; /* also one of FAULT_COMMAND, of FAULT_CHANGE */
	bool last_of_several; /* the last entry of a batch of two or more */
};

/** Notes a number that is known of something that happens. */
void fault_event_set(struct fault_event *event, enum fault_number number, uint64_t value);

enum fault_action {
	ACTION_NONE,
	ACTION_ERROR,	/* @value: errno */
	ACTION_VALUE,	/* @value is the answer */
	ACTION_RETURN,	/* the call returns @value */
	ACTION_SHORT,	/* the batch ends before this entry */
	ACTION_IGNORED, /* success, but nothing happens */
	ACTION_CONTENT, /* @content is the file's */
	ACTION_DENIED,
	ACTION_GRANTED,
	ACTION_REAL,	 /* the caller's own capabilities count */
	ACTION_SIGNAL,	 /* the caller gets signal @value, right after the operation */
	ACTION_REFUSED,	 /* firmware leaves what it has and answers with error code @value */
	ACTION_DEFERRED, /* accepted now, carried out @value milliseconds later */
	ACTION_INFO,	 /* the rule changes fields of the platform information */
};

/** What another agent does right after a call, before the next one. */
struct agent_action {
	enum {
		AGENT_IDLE,
		AGENT_SETS_LEVEL, /* a management controller, past the driver */
		AGENT_WRITES,	  /* another program, a file of the kernel */
	} kind;
	uint64_t level;
	bool given[FAULT_NUMBERS]; /* of the domains whose level is set */
	uint64_t number[FAULT_NUMBERS];
	char *path, *content;
};

struct fault_effect {
	enum fault_action action;
	uint64_t value;
	const char *content;
};

/** Reads the rules again if their file has changed. The lock must be held. Returns 0, -EINVAL with
 * *@error set to `FILE:LINE: what`, or another negative errno. */
int faults_load(struct faults *faults, const struct server *server, char **error);
void faults_clear(struct faults *faults);

/** What shall happen instead of @event; counts the matches, and sleeps where a rule asks for it. */
struct fault_effect faults_find(const struct faults *faults, const struct fault_event *event);
/** An action that a rule asked for in this call, each once; NULL: there is none left. */
const struct agent_action *faults_take_agent(const struct faults *faults);
/** The process on whose behalf this one accesses the machine from now on, which gets the signals of
 * rules; 0, as at first: none. */
void faults_set_caller(pid_t caller);
pid_t faults_caller(void);
/** To be called when the operation that @effect is about was carried out. Returns whether the
 * caller is interrupted: a pending signal ends a batch. */
bool faults_finish(const struct fault_effect *effect);
/** ACTION_GRANTED, ACTION_DENIED or ACTION_REAL if a rule grants or denies a capability. */
enum fault_action faults_capability(const struct faults *faults, int capability);
void faults_platform_info(const struct faults *faults, struct abi_platform_info *info);

/* ---- Rules as they are kept, for faults.c and fault_parse.c alone ---- */

struct fault {
	enum fault_place place;
	bool given[FAULT_NUMBERS];
	uint64_t number[FAULT_NUMBERS];
	char *path; /* a pattern */
	enum fault_action action;
	uint64_t value;
	char *content;
	/* Bytes of the platform information, and which of them (0xff) are changed. */
	unsigned char info[sizeof(struct abi_platform_info)];
	unsigned char info_given[sizeof(struct abi_platform_info)];
	uint64_t delay_us;
	uint64_t after; /* matches that pass before it acts */
	uint64_t times; /* that it acts */
	bool sticks;	/* acts for ever on what it acted on first */
	struct agent_action then;
	bool acted; /* in this call: @then is due */
};

/** Takes the rules in @text apart (and @text with them); @file names it in messages. */
int faults_parse(struct faults *faults, const char *file, char *text, char **error);

/** What happened as the place and the conditions of a rule, to be freed; NULL: no memory. */
char *fault_describe(const struct fault_event *event);

#endif

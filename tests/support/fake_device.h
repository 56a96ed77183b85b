/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scripted device: a table says what each entry of a batch is answered, and every call is
 * recorded. Its layouts are written from the reference, by offset and not
 * with the structures of src/driver, so that these are checked as well. It has no state: a server
 * in software is what the emulator is.
 */
#ifndef TESTS_SUPPORT_FAKE_DEVICE_H
#define TESTS_SUPPORT_FAKE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_operations;

/* Request codes. */
#define FAKE_PLATFORM_INFO 0x8008FE00UL
#define FAKE_PHY_ID 0xC008FE01UL
#define FAKE_IO 0x4008FE02UL
#define FAKE_MAILBOX 0xC008FE03UL
#define FAKE_MSR 0xC008FE04UL
#define FAKE_INSTANCES 0x8008FE05UL
#define FAKE_CORE_POWER 0xC008FE06UL
#define FAKE_CLOS 0xC008FE07UL
#define FAKE_ASSOCIATION 0xC008FE08UL
#define FAKE_LEVELS 0xC008FE09UL
#define FAKE_SET_LEVEL 0x4008FE0AUL
#define FAKE_SET_FEATURE 0x4008FE0BUL
#define FAKE_LEVEL_INFO 0x8008FE0CUL
#define FAKE_LEVEL_MASK 0x8008FE0DUL
#define FAKE_BASE_FREQ_INFO 0x8008FE0EUL
#define FAKE_BASE_FREQ_MASK 0x8008FE0FUL
#define FAKE_TURBO_FREQ_INFO 0x8008FE10UL
#define FAKE_FABRIC_INFO 0x8008FE11UL

#define FAKE_ANY_CPU UINT32_MAX

enum { FAKE_STRUCTURE = 160 }; /* bytes; the largest one of TPMI has 154 */

/**
 * One entry of a batch, or a TPMI request; what a kind does not have is 0. Of a TPMI request:
 * @address is FAKE_DOMAIN(socket, domain), @data what besides is told with it, its bytes as they
 * lie in the structure (a level, say, or what is to be set). Of an association @cpu is the core.
 */
struct fake_entry {
	unsigned long request; /* code */
	uint32_t cpu;
	uint32_t address;   /* mailbox command << 8 | sub-command, register, or MSR */
	uint32_t parameter; /* of the mailbox; of the others 1 for a write */
	uint64_t data;	    /* of the mailbox; of the others what is written */
};

#define FAKE_DOMAIN(socket, domain) ((uint32_t)(socket) << 8 | (uint32_t)(domain))

/** What entries that equal @entry are answered. The newest rule that fits counts. */
struct fake_rule {
	struct fake_entry entry;
	uint64_t answer;
	/* Of a TPMI request: the structure, of which what was told with the request is kept. */
	unsigned char structure[FAKE_STRUCTURE];
	int error;	    /* negative errno instead of the answer */
	unsigned int times; /* the rule is good for; 0: always */
	unsigned int used;
};

/** A call that was made. */
struct fake_call {
	unsigned long request;
	int descriptor;
	size_t first, count; /* of the entries recorded, those that were sent with it */
	int answer;
};

/** As the answer of a call: the entries are looked up, as without a script. */
#define FAKE_SERVE INT32_MIN

struct fake_device {
	/* What GET_PLATFORM_INFO tells, and its return value. */
	uint16_t api_version, driver_version, max_commands;
	uint8_t mailbox, mmio;
	int info_answer;
	int open_error; /* 0 or what open returns */
	int close_error;
	bool is_open;
	/* Whether it may be opened once more meanwhile, and is. */
	bool may_be_tried, is_tried;
	unsigned int opens, closes;

	struct fake_rule *rules;
	size_t rule_count;
	/* Return values of the next batches, whatever they hold; a value above 0 and at most the
	 * count completes that many. */
	const int *script;
	size_t script_count, script_at;
	/* 0: an entry that no rule fits fails the test; otherwise what it is answered. */
	int unexpected_error;

	struct fake_call *calls;
	size_t call_count;
	struct fake_entry *entries;
	size_t entry_count;
};

/** A device of API version 1 with both transports and 64 commands in a call. */
void fake_device_init(struct fake_device *device);
void fake_device_clear(struct fake_device *device);

/** Its operations; @data is the struct fake_device. */
int fake_device_open(struct fake_device *device);
int fake_device_ioctl(struct fake_device *device, int descriptor, unsigned long request,
		      void *argument);
int fake_device_close(struct fake_device *device, int descriptor);

void fake_rule(struct fake_device *device, const struct fake_rule *rule);

/* Rules for any CPU, by kind. @address of the mailbox: 0x7f00 is command 0x7f, sub-command 0. */
void fake_mailbox(struct fake_device *device, uint32_t address, uint32_t parameter, uint32_t data,
		  uint32_t answer);
void fake_mailbox_error(struct fake_device *device, uint32_t address, uint32_t parameter,
			uint32_t data, int error);
void fake_io(struct fake_device *device, uint32_t address, uint32_t answer);
void fake_io_error(struct fake_device *device, uint32_t address, int error);
void fake_msr(struct fake_device *device, uint32_t address, uint64_t answer);
void fake_msr_error(struct fake_device *device, uint32_t address, int error);
/** Of a TPMI request that reads: @structure has @size bytes, or is NULL for one of zeros. */
void fake_tpmi(struct fake_device *device, unsigned long request, uint32_t domain, uint64_t data,
	       const void *structure, size_t size);
/** Of one that writes, and of one that fails. */
void fake_tpmi_write(struct fake_device *device, unsigned long request, uint32_t domain,
		     uint64_t data);
void fake_tpmi_error(struct fake_device *device, unsigned long request, uint32_t domain,
		     uint64_t data, int error);
/** The CLOS of a core. */
void fake_association(struct fake_device *device, uint32_t domain, uint32_t core,
		      unsigned int clos);
/** What GET_PHY_ID tells of a CPU. */
void fake_phy_id(struct fake_device *device, uint32_t cpu, uint32_t answer);
void fake_phy_id_error(struct fake_device *device, uint32_t cpu, int error);

/** How often an entry was sent, whatever became of it; @cpu may be FAKE_ANY_CPU. */
size_t fake_sent(const struct fake_device *device, unsigned long request, uint32_t cpu,
		 uint32_t address, uint32_t parameter, uint64_t data);

/** Number of calls of a kind. */
size_t fake_calls(const struct fake_device *device, unsigned long request);

/** Forgets the calls and entries recorded so far. */
void fake_forget(struct fake_device *device);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server with Speed Select, played to the kernel's own drivers by a module: what the files of the
 * module share. It is written from the description of the registers alone and shares nothing with
 * the tool, so that the two do not confirm each other's mistakes.
 */
#ifndef ISST_HARDWARE_H
#define ISST_HARDWARE_H

#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define MAX_PACKAGES 2
#define MAX_DIES 2
#define MAX_CPUS 256
#define LEVELS 2
#define TRL_TYPES 3
#define BUCKETS 8
#define CLASSES 4
#define MAX_CORES 32
#define FEATURE_BASE_FREQ BIT(0)
#define FEATURE_TURBO_FREQ BIT(1)

/* Each package has this much of the memory that memmap= takes from the kernel. */
#define PACKAGE_MEMORY 0x100000UL
#define DIE_MEMORY 0x10000UL

enum hw_transport { HW_MAILBOX, HW_MSR, HW_TPMI };

/* What a performance level is. Ratios are in units of 100 MHz; cores are bits of firmware ids. */
struct hw_level {
	u64 cores;
	u8 base[4]; /* SSE, AVX2, AVX-512, AMX */
	u16 power_w;
	u8 tjunction_c;
	u8 uncore_max, uncore_base, uncore_min;
	u8 memory_code, memory_ratio;
	u8 trl[TRL_TYPES][BUCKETS];
	u8 bucket_cores[BUCKETS];
	struct {
		u64 cores;
		u8 high, low;
		u8 tjunction_c, tcontrol_c;
		u16 power_w;
	} base_freq;
	struct {
		u8 cores[BUCKETS];
		u8 trl[TRL_TYPES][BUCKETS];
		u8 clip[TRL_TYPES];
	} turbo_freq;
};

#define HW_REFUSE_LEVEL BIT(0)
#define HW_REFUSE_FEATURES BIT(1)
#define HW_REFUSE_CORE_POWER BIT(2)

/* In place of a die's index: the domains of I/O, in all packages. */
#define HW_IO -1

/* A refused command: which, by which die, and after how many that are still accepted. */
struct hw_refusal {
	bool armed;
	u8 command, sub_command;
	int die, after;
};

/* Out of band: a management controller sets the level of a die, after so many further changes. The
 * registers in which the host requests levels stay as they are. */
struct hw_oob {
	bool armed;
	int die, level, after;
};

/* Faults that the control file enables. */
struct hw_faults {
	bool locked;
	int slow_ms;	    /* so long a level that was accepted takes to become the current one */
	bool halved;	    /* level 1 has fewer cores */
	bool frozen;	    /* TPMI: the firmware takes no notice of control registers */
	int busy;	    /* as many mailbox commands take longer than the driver waits */
	ktime_t busy_until; /* the mailbox is busy until then */
	struct hw_refusal refusal;
	struct hw_oob oob;
	u8 tpmi_refused; /* what the domain of tpmi_die refuses, of HW_REFUSE_ */
	int tpmi_die;	 /* index of the die, or HW_IO */
};

/* What the firmware controls as one: a die of a package. */
struct hw_die {
	int package, number; /* number: within the package */
	int index;	     /* within the machine */
	u8 level;
	u8 features;	/* of FEATURE_ */
	u8 level_due;	/* mailbox: the level that is on its way */
	ktime_t due_at; /* 0: none is */
	bool core_power;
	u32 qos;
	u64 turbo_limits;
	u32 mailbox_data, mailbox_interface;
	int busy_looks;
	u32 msr_classes[CLASSES];
	u32 msr_associations[MAX_CORES];
	void *memory; /* registers of mailbox machines */
};

struct hw_cpu {
	bool known;
	struct hw_die *die;
	u8 core; /* the firmware's id, which has gaps */
	u8 thread;
};

struct hw_machine {
	enum hw_transport transport;
	int packages, dies_per_package, cores_per_die;
	struct hw_die dies[MAX_PACKAGES * MAX_DIES];
	struct hw_cpu cpus[MAX_CPUS];
	void *memory[MAX_PACKAGES];
	struct hw_faults faults;
	spinlock_t lock; /* of everything that a command of the firmware changes */
};

extern struct hw_machine machine;
extern const struct hw_level hw_levels[LEVELS];
extern unsigned long base;

/* The firmware's id of the nth core of a die: some cores are fused off. */
static inline int hw_core_id(int n)
{
	return n + n / 2;
}

static inline int hw_dies(void)
{
	return machine.packages * machine.dies_per_package;
}

static inline int hw_bus_number(const struct hw_die *die, int bus)
{
	return 0x40 + die->package * 0x40 + die->number * 2 + bus;
}

u64 hw_level_cores(int level);
u64 hw_level_turbo_limits(int level);
void hw_set_turbo_limits(struct hw_die *die, u64 limits);
void hw_set_level(struct hw_die *die, int level);
void hw_reset(void);
u32 hw_base_ratio(const struct hw_cpu *cpu);

/* Answers a mailbox command; the completion code, 0 for success. */
int mailbox_command(struct hw_die *die, u32 interface, u32 data, u32 *response);
/* A write to, and a read of, the interface register, with what makes a mailbox busy. */
void mailbox_write_interface(struct hw_die *die, u32 value);
u32 mailbox_read_interface(struct hw_die *die);
void mailbox_reset(struct hw_die *die);

int pci_start(void);
void pci_stop(void);
int msr_start(void);
void msr_stop(void);
int tpmi_start(void);
void tpmi_stop(void);
void tpmi_reset(void);
void tpmi_show_level(const struct hw_die *die);
struct seq_file;
void tpmi_show(struct seq_file *file);
int cpufreq_start(void);
void cpufreq_stop(void);
int control_start(void);
void control_stop(void);
/* Remembers a changing command for the control directory's "changes" file. */
void control_note(const struct hw_die *die, const char *what, u64 value);
/* Lets the management controller act, if its time has come; between two commands of the host. */
void control_act_oob(void);

#endif

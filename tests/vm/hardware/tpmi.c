// SPDX-License-Identifier: BSD-3-Clause
/*
 * TPMI: the tables that the drivers find in a device's memory, and a thread that plays the
 * firmware: it answers the control mailbox of TPMI itself and copies what is written to control
 * registers to the status registers.
 *
 * A package has a power domain for each die and, behind these, one of an IO die, without cores.
 */
#include <linux/delay.h>
#include <linux/isst_if.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "hardware.h"

#define FEATURES_AT 0x1000 /* table of features, in which offsets are in KiB from here */
#define CONTROL_KIB 1
#define INFO_KIB 2
#define SST_KIB 3

/* Of one SST instance, in registers of 8 bytes. */
#define CP 2
#define PP 16
#define CP_CONTROL (CP + 1)
#define CP_STATUS (CP + 2)
#define CP_CLASSES (CP + 3)
#define CP_ASSOCIATIONS (CP + 7)
#define PP_CONTROL (PP + 3)
#define PP_STATUS (PP + 4)
#define LEVEL_SIZE 32
#define LEVEL_AT(level) (8 + LEVEL_SIZE * (level))
#define LEVEL_BASE_FREQ 14
#define LEVEL_TURBO_FREQ 18

#define PP_LEVEL 0x7ULL
#define PP_LOCK BIT_ULL(3)
#define PP_FEATURES 0x300ULL
#define PP_ERROR (1ULL << 4) /* not allowed */
#define PP_FEATURE_ERROR (1ULL << 32)
#define CP_BITS 0x3ULL

static struct task_struct *firmware;

/* What the firmware knows of the requests for level and features of a domain. */
static struct request {
	u64 seen; /* the control register, when it was last looked at */
	ktime_t due;
} requests[MAX_PACKAGES][MAX_DIES + 1];

static volatile u64 *feature_at(int package, int kib)
{
	return machine.memory[package] + FEATURES_AT + kib * 1024;
}

static volatile u64 *domain_at(int package, int domain)
{
	return feature_at(package, SST_KIB + domain);
}

static int domains_per_package(void)
{
	return machine.dies_per_package + 1;
}

/* The die that is a domain; NULL for that of the IO die. */
static struct hw_die *domain_die(int package, int domain)
{
	if (domain >= machine.dies_per_package)
		return NULL;
	return &machine.dies[package * machine.dies_per_package + domain];
}

static u64 eight_bytes(const u8 *bytes)
{
	u64 value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static int count_cores(u64 cores)
{
	return hweight64(cores);
}

static u64 feature_entry(u64 id, u64 instances, u64 words, u64 kib)
{
	return id | instances << 8 | words << 16 | kib << 32 | 1ULL << 48;
}

static void fill_features(int package)
{
	volatile u64 *table = feature_at(package, 0), *info = feature_at(package, INFO_KIB);

	table[0] = feature_entry(0x80, 1, 256, CONTROL_KIB);
	table[1] = feature_entry(0x81, 1, 4, INFO_KIB);
	table[2] = feature_entry(0x05, domains_per_package(), 256, SST_KIB);
	info[0] = 0;
	info[1] = 1 | 3 << 3 | hw_bus_number(domain_die(package, 0), 0) << 8 | (u64)package << 16;
}

static void fill_base_freq(volatile u64 *info, const struct hw_level *level, bool cores)
{
	info[0] = 2 | 1 << 4 | BIT(12) | level->base_freq.high << 13 | level->base_freq.low << 21 |
		  (u64)level->base_freq.tjunction_c << 38 | (u64)level->base_freq.power_w * 8 << 46;
	info[1] = cores ? level->base_freq.cores : 0;
}

static void fill_turbo_freq(volatile u64 *info, const struct hw_level *level, bool cores)
{
	int i;

	info[0] = 3 | 1 << 4 | BIT(12);
	info[1] = cores ? eight_bytes(level->turbo_freq.cores) : 0;
	for (i = 0; i < TRL_TYPES; i++) {
		info[0] |= (u64)level->turbo_freq.clip[i] << (16 + 8 * i);
		info[2 + i] = eight_bytes(level->turbo_freq.trl[i]);
	}
}

static void fill_level(volatile u64 *info, int number, bool cores)
{
	const struct hw_level *level = &hw_levels[number];
	int i;

	info[0] = level->base[0] | level->base[1] << 8 | level->base[2] << 16 |
		  (u64)level->base[3] << 24;
	info[1] = (u64)level->power_w * 8 << 32 | (u64)level->tjunction_c << 47 |
		  (u64)level->memory_ratio << 55;
	if (cores)
		info[1] |= count_cores(hw_level_cores(0)) | count_cores(hw_level_cores(number))
								    << 8;
	info[2] = cores ? hw_level_cores(number) : 0;
	for (i = 0; i < TRL_TYPES; i++)
		info[4 + i] = eight_bytes(level->trl[i]);
	info[10] = eight_bytes(level->bucket_cores);
	info[11] = level->trl[0][0] | level->base[0] << 8 | 8 << 16 | 5 << 24 |
		   (u64)level->uncore_max << 32 | (u64)level->uncore_base << 40 |
		   (u64)level->uncore_min << 48;
	fill_base_freq(info + LEVEL_BASE_FREQ, level, cores);
	fill_turbo_freq(info + LEVEL_TURBO_FREQ, level, cores);
}

static void fill_domain(volatile u64 *domain, bool cores)
{
	int i;

	domain[0] = 1 | 3 << 8 | CP << 16 | PP << 24;
	domain[CP] = 0 | 1 << 4;
	domain[CP_CONTROL] = domain[CP_STATUS] = 0;
	for (i = 0; i < CLASSES; i++) {
		domain[CP_CLASSES + i] = 0xff0000;
		domain[CP_ASSOCIATIONS + i] = 0;
	}
	domain[PP] = 1 | 1 << 4 | 3 << 12 | 3 << 20 | (u64)LEVEL_SIZE << 34 | BIT_ULL(42);
	domain[PP + 1] = 0 | LEVEL_BASE_FREQ << 8 | LEVEL_TURBO_FREQ << 16;
	domain[PP + 2] = 0;
	domain[PP_CONTROL] = domain[PP_STATUS] = 0;
	for (i = 0; i < LEVELS; i++) {
		domain[PP + 2] |= (u64)LEVEL_AT(i) << (8 * i);
		fill_level(domain + PP + LEVEL_AT(i), i, cores);
	}
}

void tpmi_reset(void)
{
	int package, domain;

	memset(requests, 0, sizeof(requests));
	for (package = 0; package < machine.packages; package++)
		for (domain = 0; domain < domains_per_package(); domain++)
			fill_domain(domain_at(package, domain), domain_die(package, domain));
}

/* The mailbox by which the driver asks whether a feature may be used: everything may. */
static void answer_control_mailbox(int package)
{
	volatile u64 *control = feature_at(package, CONTROL_KIB);
	volatile u32 *words = (volatile u32 *)control;
	u64 state = control[0];
	u32 feature;

	if (state & BIT(6)) {
		control[0] = 0;
	} else if (state & BIT(0)) {
		feature = words[3] >> 8 & 0xff;
		words[2] = 0;
		words[3] = 1 | feature << 8;
		control[0] = 1 << 4 | 0x40 << 8;
	} else if (!(state >> 4 & 3) && (words[2] & 0xff) == 0x10) {
		control[0] = 1 << 4;
	}
}

static bool refuses(const struct hw_die *die, u8 what)
{
	return machine.faults.tpmi_refused & what &&
	       machine.faults.tpmi_die == (die ? die->index : HW_IO);
}

static void take_core_power(volatile u64 *domain, struct hw_die *die)
{
	u64 wanted = domain[CP_CONTROL] & CP_BITS;

	if (wanted == (domain[CP_STATUS] & CP_BITS) || refuses(die, HW_REFUSE_CORE_POWER))
		return;
	domain[CP_STATUS] = wanted;
	if (die)
		control_note(die, "core-power", wanted);
}

/* Whether a level is not there yet, as the firmware is slow; *due is 0 while none is on its way. */
static bool is_on_its_way(ktime_t *due)
{
	if (!machine.faults.slow_ms)
		return false;
	if (!*due)
		*due = ktime_add_ms(ktime_get(), machine.faults.slow_ms);
	if (ktime_before(ktime_get(), *due))
		return true;
	*due = 0;
	return false;
}

static u64 take_level(u64 wanted, u64 status, struct hw_die *die, ktime_t *due)
{
	if ((wanted & PP_LEVEL) == (status & PP_LEVEL)) {
		*due = 0;
		return status & ~PP_ERROR;
	}
	if (machine.faults.locked || refuses(die, HW_REFUSE_LEVEL))
		return status | PP_ERROR;
	if (is_on_its_way(due))
		return status;
	if (die) {
		hw_set_level(die, wanted & PP_LEVEL);
		control_note(die, "level", die->level);
	}
	return (status & ~(PP_LEVEL | PP_ERROR)) | (wanted & PP_LEVEL);
}

static u64 take_features(u64 wanted, u64 status, struct hw_die *die)
{
	if ((wanted & PP_FEATURES) == (status & PP_FEATURES))
		return status & ~PP_FEATURE_ERROR;
	if (refuses(die, HW_REFUSE_FEATURES))
		return status | PP_FEATURE_ERROR;
	if (die) {
		die->features = (wanted & PP_FEATURES) >> 8;
		control_note(die, "features", die->features);
	}
	return (status & ~(PP_FEATURES | PP_FEATURE_ERROR)) | (wanted & PP_FEATURES);
}

/* The firmware acts on a write of the control register, as far as a change of it shows that: what a
 * management controller has set since stays until then. */
static void take_profile(volatile u64 *domain, struct hw_die *die, struct request *request)
{
	u64 status = domain[PP_STATUS] & ~PP_LOCK, wanted = domain[PP_CONTROL];

	if (wanted != request->seen || request->due) {
		status = take_level(wanted, status, die, &request->due);
		status = take_features(wanted, status, die);
	}
	request->seen = wanted;
	domain[PP_STATUS] = status | (machine.faults.locked ? PP_LOCK : 0);
}

void tpmi_show_level(const struct hw_die *die)
{
	volatile u64 *domain = domain_at(die->package, die->number);

	domain[PP_STATUS] = (domain[PP_STATUS] & ~PP_LEVEL) | die->level;
}

static void look_at_controls(void)
{
	int package, domain;

	for (package = 0; package < machine.packages; package++)
		for (domain = 0; domain < domains_per_package(); domain++) {
			take_core_power(domain_at(package, domain), domain_die(package, domain));
			take_profile(domain_at(package, domain), domain_die(package, domain),
				     &requests[package][domain]);
		}
	control_act_oob();
}

static int play_firmware(void *unused)
{
	unsigned long flags;
	int package;

	while (!kthread_should_stop()) {
		spin_lock_irqsave(&machine.lock, flags);
		for (package = 0; package < machine.packages; package++)
			answer_control_mailbox(package);
		if (!machine.faults.frozen)
			look_at_controls();
		spin_unlock_irqrestore(&machine.lock, flags);
		usleep_range(500, 1000);
	}
	return 0;
}

static void show(struct seq_file *file, int package, int domain, const char *what, u64 value)
{
	seq_printf(file, "package-%d domain-%d %s 0x%llx\n", package, domain, what, value);
}

void tpmi_show(struct seq_file *file)
{
	volatile u64 *domain;
	char name[16];
	int p, d, i;

	for (p = 0; p < machine.packages; p++)
		for (d = 0; d < domains_per_package(); d++) {
			domain = domain_at(p, d);
			show(file, p, d, "profile-control", domain[PP_CONTROL]);
			show(file, p, d, "profile-status", domain[PP_STATUS]);
			show(file, p, d, "core-power-control", domain[CP_CONTROL]);
			show(file, p, d, "core-power-status", domain[CP_STATUS]);
			for (i = 0; i < CLASSES; i++) {
				snprintf(name, sizeof(name), "class-%d", i);
				show(file, p, d, name, domain[CP_CLASSES + i]);
			}
			show(file, p, d, "associations", domain[CP_ASSOCIATIONS]);
			if (domain_die(p, d))
				show(file, p, d, "turbo-limits", domain_die(p, d)->turbo_limits);
		}
}

#ifdef ISST_IF_PERF_SET_LEVEL

/* A level that is requested once more does not change the register: the driver's call shows it. */
static int on_call(struct kprobe *probe, struct pt_regs *regs)
{
	struct isst_perf_level_control call;

	if (regs->si != ISST_IF_PERF_SET_LEVEL ||
	    copy_from_user_nofault(&call, (void __user *)regs->dx, sizeof(call)))
		return 0;
	if (call.socket_id < machine.packages && call.power_domain_id < domains_per_package() &&
	    call.level == (domain_at(call.socket_id, call.power_domain_id)[PP_CONTROL] & PP_LEVEL))
		requests[call.socket_id][call.power_domain_id].seen = ~0ULL;
	return 0;
}

static struct kprobe calls;

static int on_module(struct notifier_block *block, unsigned long state, void *data)
{
	struct module *driver = data;

	if (strcmp(driver->name, "isst_tpmi_core"))
		return NOTIFY_OK;
	if (calls.pre_handler)
		unregister_kprobe(&calls);
	calls = (struct kprobe){ .symbol_name = "isst_tpmi_core:isst_if_def_ioctl",
				 .pre_handler = on_call };
	if (state == MODULE_STATE_GOING || register_kprobe(&calls))
		calls.pre_handler = NULL;
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = on_module };

static void watch_calls(void)
{
	register_module_notifier(&notifier);
}

static void stop_watching(void)
{
	unregister_module_notifier(&notifier);
	if (calls.pre_handler)
		unregister_kprobe(&calls);
}

#else /* no driver of TPMI yet */

static void watch_calls(void)
{
}

static void stop_watching(void)
{
}

#endif

int tpmi_start(void)
{
	int package;

	if (machine.transport != HW_TPMI)
		return 0;
	for (package = 0; package < machine.packages; package++)
		fill_features(package);
	firmware = kthread_run(play_firmware, NULL, "isst_hardware");
	if (IS_ERR(firmware)) {
		firmware = NULL;
		return -ENOMEM;
	}
	watch_calls();
	return 0;
}

void tpmi_stop(void)
{
	if (!firmware)
		return;
	kthread_stop(firmware);
	stop_watching();
	firmware = NULL;
}

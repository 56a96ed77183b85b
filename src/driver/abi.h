/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel ABI of /dev/isst_interface, defined here because a distribution's <linux/isst_if.h>
 * has no newer requests. Layout only. */
#ifndef ISST_DRIVER_ABI_H
#define ISST_DRIVER_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* Request codes contain the size of a pointer, and the driver has no handler for 32-bit programs.
 */
static_assert(sizeof(void *) == 8,
	      "32-bit and x32 programs cannot use the driver of a 64-bit kernel");

#define ABI_DEVICE_PATH "/dev/isst_interface"

#define ABI_MAGIC 0xfe
#define ABI_READ(number) _IOC(_IOC_READ, ABI_MAGIC, (number), 8)
#define ABI_WRITE(number) _IOC(_IOC_WRITE, ABI_MAGIC, (number), 8)
#define ABI_READ_WRITE(number) _IOC(_IOC_READ | _IOC_WRITE, ABI_MAGIC, (number), 8)

#define ABI_GET_PLATFORM_INFO ABI_READ(0)
#define ABI_GET_PHY_ID ABI_READ_WRITE(1)
#define ABI_IO_COMMAND ABI_WRITE(2)
#define ABI_MAILBOX_COMMAND ABI_READ_WRITE(3)
#define ABI_MSR_COMMAND ABI_READ_WRITE(4)
#define ABI_COUNT_TPMI_INSTANCES ABI_READ(5)
#define ABI_CORE_POWER_STATE ABI_READ_WRITE(6)
#define ABI_CLOS_PARAM ABI_READ_WRITE(7)
#define ABI_CLOS_ASSOC ABI_READ_WRITE(8)
#define ABI_PERF_LEVELS ABI_READ_WRITE(9)
#define ABI_PERF_SET_LEVEL ABI_WRITE(10)
#define ABI_PERF_SET_FEATURE ABI_WRITE(11)
#define ABI_GET_PERF_LEVEL_INFO ABI_READ(12)
#define ABI_GET_PERF_LEVEL_CPU_MASK ABI_READ(13)
#define ABI_GET_BASE_FREQ_INFO ABI_READ(14)
#define ABI_GET_BASE_FREQ_CPU_MASK ABI_READ(15)
#define ABI_GET_TURBO_FREQ_INFO ABI_READ(16)
#define ABI_GET_PERF_LEVEL_FABRIC_INFO ABI_READ(17)

#ifdef __x86_64__
static_assert(ABI_GET_PLATFORM_INFO == 0x8008FE00, "request code");
static_assert(ABI_IO_COMMAND == 0x4008FE02, "request code");
static_assert(ABI_MAILBOX_COMMAND == 0xC008FE03, "request code");
static_assert(ABI_GET_PERF_LEVEL_FABRIC_INFO == 0x8008FE11, "request code");
#endif

#define ABI_LAYOUT(type, field, at) \
	static_assert(offsetof(struct type, field) == (at), #type "." #field)
#define ABI_SIZE(type, size) static_assert(sizeof(struct type) == (size), #type)

struct abi_platform_info {
	uint16_t api_version;
	uint16_t driver_version;
	uint16_t max_cmds_per_ioctl;
	uint8_t mbox_supported;
	uint8_t mmio_supported;
};
ABI_SIZE(abi_platform_info, 8);
ABI_LAYOUT(abi_platform_info, max_cmds_per_ioctl, 4);
ABI_LAYOUT(abi_platform_info, mmio_supported, 7);

struct abi_cpu_map {
	uint32_t logical_cpu;
	uint32_t physical_cpu;
};
struct abi_cpu_maps {
	uint32_t cmd_count;
	struct abi_cpu_map cpu_map[];
};
ABI_SIZE(abi_cpu_map, 8);
ABI_LAYOUT(abi_cpu_maps, cpu_map, 4);

struct abi_io_reg {
	uint32_t read_write; /* 0 read */
	uint32_t logical_cpu;
	uint32_t reg; /* offset in bytes */
	uint32_t value;
};
struct abi_io_regs {
	uint32_t req_count;
	struct abi_io_reg io_reg[];
};
ABI_SIZE(abi_io_reg, 16);
ABI_LAYOUT(abi_io_reg, value, 12);
ABI_LAYOUT(abi_io_regs, io_reg, 4);

struct abi_mbox_cmd {
	uint32_t logical_cpu;
	uint32_t parameter;
	uint32_t req_data;
	uint32_t resp_data;
	uint16_t command;
	uint16_t sub_command;
	uint32_t reserved;
};
struct abi_mbox_cmds {
	uint32_t cmd_count;
	struct abi_mbox_cmd mbox_cmd[];
};
ABI_SIZE(abi_mbox_cmd, 24);
ABI_LAYOUT(abi_mbox_cmd, resp_data, 12);
ABI_LAYOUT(abi_mbox_cmd, sub_command, 18);
ABI_LAYOUT(abi_mbox_cmds, mbox_cmd, 4);

struct abi_msr_cmd {
	uint32_t read_write; /* 0 read */
	uint32_t logical_cpu;
	uint64_t msr;
	uint64_t data;
};
struct abi_msr_cmds {
	uint32_t cmd_count;
	struct abi_msr_cmd msr_cmd[];
};
ABI_SIZE(abi_msr_cmd, 24);
ABI_LAYOUT(abi_msr_cmd, data, 16);
ABI_LAYOUT(abi_msr_cmds, msr_cmd, 8);

struct abi_core_power {
	uint8_t get_set;
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint8_t enable;
	uint8_t supported;
	uint8_t priority_type;
};
ABI_SIZE(abi_core_power, 6);

struct abi_clos_param {
	uint8_t get_set;
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint8_t clos;
	uint16_t min_freq_mhz;
	uint16_t max_freq_mhz;
	uint8_t prop_prio;
	uint8_t reserved; /* named, so that it is 0: the driver copies all of a structure */
};
ABI_SIZE(abi_clos_param, 10);
ABI_LAYOUT(abi_clos_param, prop_prio, 8);

struct abi_clos_assoc {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint16_t logical_cpu;
	uint16_t clos;
};
struct abi_clos_assoc_cmds {
	uint16_t cmd_count;
	uint16_t get_set;
	uint16_t punit_cpu_map;
	struct abi_clos_assoc assoc_info[];
};
ABI_SIZE(abi_clos_assoc, 6);
ABI_LAYOUT(abi_clos_assoc_cmds, assoc_info, 6);

struct abi_tpmi_instance_count {
	uint8_t socket_id;
	uint8_t count;
	uint16_t valid_mask;
};
ABI_SIZE(abi_tpmi_instance_count, 4);

struct abi_perf_level_info {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint8_t max_level;
	uint8_t feature_rev;
	uint8_t level_mask;
	uint8_t current_level;
	uint8_t feature_state;
	uint8_t locked;
	uint8_t enabled;
	uint8_t sst_tf_support;
	uint8_t sst_bf_support;
};
ABI_SIZE(abi_perf_level_info, 11);

struct abi_perf_level_control {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint8_t level;
};
ABI_SIZE(abi_perf_level_control, 3);

struct abi_perf_feature_control {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint8_t feature;
};
ABI_SIZE(abi_perf_feature_control, 3);

enum { ABI_MAX_TRL_LEVELS = 6, ABI_MAX_BUCKETS = 8, ABI_MAX_FABRICS = 8 };

struct abi_perf_level_data_info {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint16_t level;
	uint16_t tdp_ratio;
	uint16_t base_freq_mhz;
	uint16_t base_freq_avx2_mhz;
	uint16_t base_freq_avx512_mhz;
	uint16_t base_freq_amx_mhz;
	uint16_t thermal_design_power_w;
	uint16_t tjunction_max_c;
	uint16_t max_memory_freq_mhz;
	uint16_t cooling_type;
	uint16_t p0_freq_mhz;
	uint16_t p1_freq_mhz;
	uint16_t pn_freq_mhz;
	uint16_t pm_freq_mhz;
	uint16_t p0_fabric_freq_mhz;
	uint16_t p1_fabric_freq_mhz;
	uint16_t pn_fabric_freq_mhz;
	uint16_t pm_fabric_freq_mhz;
	uint16_t max_buckets;
	uint16_t max_trl_levels;
	uint16_t bucket_core_counts[ABI_MAX_BUCKETS];
	uint16_t trl_freq_mhz[ABI_MAX_TRL_LEVELS][ABI_MAX_BUCKETS];
};
ABI_SIZE(abi_perf_level_data_info, 154);
ABI_LAYOUT(abi_perf_level_data_info, thermal_design_power_w, 14);
ABI_LAYOUT(abi_perf_level_data_info, p0_fabric_freq_mhz, 30);
ABI_LAYOUT(abi_perf_level_data_info, bucket_core_counts, 42);
ABI_LAYOUT(abi_perf_level_data_info, trl_freq_mhz, 58);

struct abi_perf_level_fabric_info {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint16_t level;
	uint16_t max_fabrics;
	uint16_t p0_fabric_freq_mhz[ABI_MAX_FABRICS];
	uint16_t p1_fabric_freq_mhz[ABI_MAX_FABRICS];
	uint16_t pm_fabric_freq_mhz[ABI_MAX_FABRICS];
};
ABI_SIZE(abi_perf_level_fabric_info, 54);
ABI_LAYOUT(abi_perf_level_fabric_info, pm_fabric_freq_mhz, 38);

struct abi_perf_level_cpu_mask {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint8_t level;
	uint8_t punit_cpu_map; /* 1 */
	uint8_t reserved[4];
	uint64_t mask;
	uint16_t cpu_buffer_size;
	int8_t cpu_buffer[1];
	uint8_t reserved_end[5];
};
ABI_SIZE(abi_perf_level_cpu_mask, 24);
ABI_LAYOUT(abi_perf_level_cpu_mask, mask, 8);
ABI_LAYOUT(abi_perf_level_cpu_mask, cpu_buffer, 18);

struct abi_base_freq_info {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint16_t level;
	uint16_t high_base_freq_mhz;
	uint16_t low_base_freq_mhz;
	uint16_t tjunction_max_c;
	uint16_t thermal_design_power_w;
};
ABI_SIZE(abi_base_freq_info, 12);

struct abi_turbo_freq_info {
	uint8_t socket_id;
	uint8_t power_domain_id;
	uint16_t level;
	uint16_t max_clip_freqs;
	uint16_t max_buckets;
	uint16_t max_trl_levels;
	uint16_t lp_clip_freq_mhz[ABI_MAX_TRL_LEVELS];
	uint16_t bucket_core_counts[ABI_MAX_BUCKETS];
	uint16_t trl_freq_mhz[ABI_MAX_TRL_LEVELS][ABI_MAX_BUCKETS];
};
ABI_SIZE(abi_turbo_freq_info, 134);
ABI_LAYOUT(abi_turbo_freq_info, lp_clip_freq_mhz, 10);
ABI_LAYOUT(abi_turbo_freq_info, trl_freq_mhz, 38);

#endif

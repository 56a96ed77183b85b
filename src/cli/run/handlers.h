/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of commands, each in the file of its feature. */
#ifndef ISST_CLI_HANDLERS_H
#define ISST_CLI_HANDLERS_H

struct isst_context;
struct report_node;
struct run;

/** What the driver offers, for --version, too. */
void report_platform(struct report_node *node, struct isst_context *context);

void show_info(struct run *run);
void machine_status(struct run *run);
void machine_levels(struct run *run);
void emulate_program(struct run *run);
void with_program(struct run *run);
void explain(struct run *run);

void perf_profile_info(struct run *run);
void perf_profile_get_lock_status(struct run *run);
void perf_profile_get_config_levels(struct run *run);
void perf_profile_get_config_version(struct run *run);
void perf_profile_get_config_enabled(struct run *run);
void perf_profile_get_config_current_level(struct run *run);
void perf_profile_set_config_level(struct run *run);

void base_freq_info(struct run *run);
void base_freq_enable(struct run *run);
void base_freq_disable(struct run *run);

void turbo_freq_info(struct run *run);
void turbo_freq_plan(struct run *run);
void turbo_freq_enable(struct run *run);
void turbo_freq_disable(struct run *run);

void core_power_info(struct run *run);
void core_power_get_config(struct run *run);
void core_power_get_assoc(struct run *run);
void core_power_enable(struct run *run);
void core_power_disable(struct run *run);
void core_power_config(struct run *run);
void core_power_assoc(struct run *run);

void turbo_mode_get_trl(struct run *run);
void turbo_mode_set_trl(struct run *run);
void turbo_mode_enable(struct run *run);
void turbo_mode_disable(struct run *run);

void journal_show(struct run *run);
void journal_apply(struct run *run);
void journal_discard(struct run *run);

void config_save(struct run *run);
void config_check(struct run *run);
void config_apply(struct run *run);
void config_reset(struct run *run);
void config_try(struct run *run);

void platform_list(struct run *run);
void platform_show(struct run *run);
void platform_reset(struct run *run);
void platform_statistics(struct run *run);
void platform_capture(struct run *run);

#endif

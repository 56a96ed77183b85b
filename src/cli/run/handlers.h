/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_HANDLERS_H
#define ISST_CLI_HANDLERS_H

#include <stdbool.h>

struct isst_context;
struct isst_request;
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
void perf_profile_set_config_level(struct run *run);
void base_freq_info(struct run *run);
void turbo_freq_info(struct run *run);
void turbo_freq_plan(struct run *run);
void turbo_freq_enable(struct run *run);
void core_power_get_assoc(struct run *run);
/* Of changes, see struct change_command: */
bool core_power_check_enable(struct run *run);
bool core_power_check_config(struct run *run);
void core_power_fill_config(const struct run *run, struct isst_request *request);
bool turbo_mode_check(struct run *run);
void base_freq_announce(struct run *run);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a watcher that was asked to does about what it found: CPUs follow a level, or the machine
 * becomes what the file states again. */
#ifndef ISST_CLI_WATCH_ANSWER_H
#define ISST_CLI_WATCH_ANSWER_H

#include "watcher.h"

/** Acts where that is due. The machine was looked at just now. */
void watcher_answer(struct watcher *watcher, int64_t now_ms);

/** When something is to be done again that could not be done; INT64_MAX: nothing is. */
int64_t watcher_retry_ms(const struct watcher *watcher);

/** Notes which CPUs went on- or offline since the last look, against what their level wants: by
 * hand. They are left so. Returns false without memory. */
bool watcher_note_hotplug(struct watcher *watcher);

/** Reports that others, or a watcher and others, set the same values again and again. */
void watcher_report_fight(struct watcher *watcher, const struct watched_part *part);

#endif

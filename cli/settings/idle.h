// SPDX-License-Identifier: GPL-3.0-or-later
// Options that a workload does not use: a run with one of them is refused,
// since who gave it expects something of it.
#ifndef CLI_SETTINGS_IDLE_H
#define CLI_SETTINGS_IDLE_H

#include "cli/settings/settings.h"

// Does the option change anything of runs of this workload?
bool setting_counts(const struct setting *setting,
                    const struct workload *workload);

// Was the option given a value besides its default, which the workload does not
// use?
bool setting_is_idle(const struct settings *settings,
                     const struct setting *setting);

// Back to its default, as if nobody had given it.
void setting_take_back(struct settings *settings,
                       const struct setting *setting);

// -1 with a sentence that names the first idle option, and the workloads that
// use it.
int settings_refuse_idle(const struct settings *settings, struct error *error);

#endif

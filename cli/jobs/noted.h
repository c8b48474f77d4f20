// SPDX-License-Identifier: GPL-3.0-or-later
// The settings that a run noted in its history.
#ifndef CLI_JOBS_NOTED_H
#define CLI_JOBS_NOTED_H

#include "recorder/history.h"

// "serializable" for "isolation", to be freed; NULL: the run noted none.
char *noted_setting(const struct history *history, const char *name);

#endif

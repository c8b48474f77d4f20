// SPDX-License-Identifier: GPL-3.0-or-later
// The shares of a workload's shapes as a user writes them.
#ifndef CLI_SETTINGS_SHARES_H
#define CLI_SETTINGS_SHARES_H

#include "base/error.h"
#include "workload/workload.h"

// Reads "SHAPE:SHARE,SHAPE:SHARE..." into `shares`, one per row of the
// workload's table of shapes; those that are not named become zero.  -1 with a
// sentence.
int shares_read(const struct workload *workload, const char *text,
                double shares[WORKLOAD_MAX_SHAPES], struct error *error);

// Reads the shares of conditions: "eq:N,range:N,mod:N".
int predicates_read(const char *text, double shares[3], struct error *error);

#endif

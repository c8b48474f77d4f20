// SPDX-License-Identifier: GPL-3.0-or-later
// Which option of a workload brings chances of an anomaly.
#ifndef REPORT_MORE_CHANCES_H
#define REPORT_MORE_CHANCES_H

#include "checker/chances/chances.h"

#include <stddef.h>

enum { MORE_CHANCES = 64 };

// "--aim=LostUpdate", in `option`: with it the workload has chances of the
// anomaly.  NULL: isostress knows no such option of this workload.
const char *more_chances(const char *workload, const char *anomaly,
                         char option[MORE_CHANCES]);

// So many sessions at least have a chance of that sort.
uint32_t sessions_for(enum chance_of of);

#endif

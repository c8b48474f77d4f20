// SPDX-License-Identifier: GPL-3.0-or-later
// A history in figures as text, one line per figure: what `isostress stat`
// prints.
#ifndef REPORT_TEXT_STATISTICS_H
#define REPORT_TEXT_STATISTICS_H

#include "recorder/statistics.h"

#include <stdio.h>

void statistics_print(const struct history *history,
                      const struct history_statistics *statistics, FILE *out);

#endif

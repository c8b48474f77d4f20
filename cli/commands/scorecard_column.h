// SPDX-License-Identifier: GPL-3.0-or-later
// The loads of a scorecard, summed up in the column of their level.
#ifndef CLI_COMMANDS_SCORECARD_COLUMN_H
#define CLI_COMMANDS_SCORECARD_COLUMN_H

#include "report/report.h"
#include "report/words/guarantees.h"

#include <stdbool.h>

#define SCORECARD_RUNS "runs" // the directory of the loads, in that of the card

// Takes the report of one load; the column keeps none of it.  `is_first`: its
// shares of aborts and its throughput count; `is_of_rows`: it has SQL with
// conditions.
void column_take_report(struct guarantee_column *column,
                        const struct report *report, bool is_first,
                        bool is_of_rows);

// When all loads are over: makes the counts of anomalies rates, in a thousand
// committed transactions of all loads.
void column_sum_up(struct guarantee_column *column);

#endif

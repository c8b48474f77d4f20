// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: their letters, and their course over time.
#ifndef REPORT_PAGE_PAGE_COMPARE_H
#define REPORT_PAGE_PAGE_COMPARE_H

#include "report/stored.h"

#include <stdint.h>
#include <stdio.h>

// "A" of the first run, "B"...; numbers where letters end.
enum { COMPARE_LETTER = 12 };
const char *compare_letter(uint32_t i, char text[COMPARE_LETTER]);

// A value of an interval of a run, which lasted so many seconds: committed
// transactions per second, and the percentage of attempts that aborted.
typedef double compare_value(const struct json_value *interval, double seconds);
double compare_commits(const struct json_value *interval, double seconds);
double compare_aborts(const struct json_value *interval, double seconds);

// Draws the runs over each other, over the time that all of them lasted.
void compare_put_courses(FILE *out, const struct stored *runs, uint32_t n);

#endif

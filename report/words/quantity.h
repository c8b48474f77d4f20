// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them.
#ifndef REPORT_WORDS_QUANTITY_H
#define REPORT_WORDS_QUANTITY_H

#include <stdint.h>
#include <stdio.h>

struct quantity {
  char number[24];
  const char *unit;
};

// "412" "us", "1.20" "ms", "3.50" "s": three digits that matter.
struct quantity quantity_duration(double ns);

enum { QUANTITY_GROUPED = 28 };

// With commas between thousands: "17,117".  Returns `text`.
const char *quantity_grouped(uint64_t number, char text[QUANTITY_GROUPED]);

// Puts it.
void quantity_put_grouped(FILE *out, uint64_t number);

static inline double quantity_seconds(uint64_t ns) { return (double)ns / 1e9; }

// The rate of so many in `ns`; 0 if there is no time.
double quantity_per_second(uint64_t count, uint64_t ns);

// This rate as the nearest whole number, which is what every output shows.
uint64_t quantity_whole_rate(uint64_t count, uint64_t ns);

// The share of a whole in percent; 0 of nothing.
double quantity_percent(uint64_t part, uint64_t whole);

#endif

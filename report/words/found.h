// SPDX-License-Identifier: GPL-3.0-or-later
// How often an anomaly was found, and what was counted
// (checker/explain/count.h).
#ifndef REPORT_WORDS_FOUND_H
#define REPORT_WORDS_FOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Puts "in 140 writes" for LostUpdate, "in 1 read" for AbortedRead, "3 times"
// for an anomaly of several transactions; with `more` "in at least 140 writes".
void found_put(FILE *out, const char *anomaly, uint64_t count, bool more);

// Puts a rate so: "in 22.9 writes", "0.25 times".  The caller says of how many.
void found_put_rate(FILE *out, const char *anomaly, double rate);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people write them: 10k, 1M, 100ms, 5m, 10%.  A reader returns
// false if the text is not such a number; ranges are the caller's business.
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { UNITS_TEXT = 32 }; // room for any number that is written here

// "8", "1.5k", "1e6", "2M", "4G": thousands, not 1024s.
bool units_read_number(const char *text, double *number);

// "100ms", "1.5s", "5m", "2h", "20us", "7ns"; a bare number is in seconds.  The
// result is in nanoseconds, rounded.
bool units_read_time(const char *text, double *ns);

// "0.1" or "10%".
bool units_read_share(const char *text, double *share);

// The shortest text that reads back as the same number.
void units_write_number(double number, char text[UNITS_TEXT]);
void units_write_time(uint64_t ns, char text[UNITS_TEXT]);

#endif

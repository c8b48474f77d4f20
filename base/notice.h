// SPDX-License-Identifier: GPL-3.0-or-later
// A line for a person who wonders why nothing happens, from where no caller
// could say it: the wait goes on below.
#ifndef BASE_NOTICE_H
#define BASE_NOTICE_H

// Writes "isostress: " and the sentence as one line on stderr.  A progress line
// on a terminal is overwritten; the next one appears below.
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

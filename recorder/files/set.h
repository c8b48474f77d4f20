// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that several processes recorded, each a part of the sessions in a
// file of its own, with a text beside them that lists the files: read as one
// history, on the time line of the first part (recorder/native/FORMAT.md).
#ifndef RECORDER_FILES_SET_H
#define RECORDER_FILES_SET_H

#include "recorder/history.h"

#include <stdio.h>

// Clocks of two machines drift apart by so many ns in each million, at most:
// that is assumed.
enum { SET_DRIFT_PPM = 200 };

// Writes the list; part[i] is in the file `history.i` beside it.
void set_write(FILE *file, uint64_t run, uint32_t nsessions,
               const struct history_parts *parts);

bool set_recognise(const unsigned char *head, size_t bytes);

// As native_read, of such a list.  Parts that are missing, cut off or of
// another run are left out as far as they are not there, which a sentence says.
int set_read(const char *path, const volatile bool *stop,
             struct history *history, struct error *error);

// ---- Between set_read.c and set_clock.c

// Bounds of what has to be added to a part's times to make them those of the
// first part, in the order of time.
struct set_bounds {
  struct set_bound {
    int64_t at, low, high;
  } * all;
  uint32_t n, room;
};

// Puts the times of a history on one line: each transaction begins as early and
// ends as late as the bounds of its part allow.  Sets the parts' widths, and
// counts what is unordered.
void set_align(struct history *history, struct set_bounds *bounds);

#endif

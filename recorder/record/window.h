// SPDX-License-Identifier: GPL-3.0-or-later
// The newest part of a recording, while it is being written: as a history that
// can be checked, of bounded size however long the run lasts.
#ifndef RECORDER_RECORD_WINDOW_H
#define RECORDER_RECORD_WINDOW_H

#include "recorder/history.h"

struct tail_window;

// The file need not be there yet.  `path` must outlive the window.
struct tail_window *window_open(const char *path);
void window_close(struct tail_window *window);

// Reads what was appended since the last time.  1: `history` is that and what
// came before, as much as makes about `bytes` of the file, but at least what
// the last few advances read; what it breaks, the whole history breaks, while
// the reverse need not hold (recorder/native/past.c).  Where more was
// appended than fits, the newest is taken.  Free it.  0: there is nothing new.
// -1 with a sentence.
int window_advance(struct tail_window *window, size_t bytes,
                   struct history *history, struct error *error);

// How much of the file there was in all advances, and is in the last one.
uint64_t window_offset(const struct tail_window *window);
size_t window_bytes(const struct tail_window *window);

#endif

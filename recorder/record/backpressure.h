// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a recording from running ahead of somebody who reads it while it is
// written: where the reader is too far behind, sessions wait.  One reader, the
// thread that writes the file, and any number of sessions share it.
#ifndef RECORDER_RECORD_BACKPRESSURE_H
#define RECORDER_RECORD_BACKPRESSURE_H

#include <stdbool.h>
#include <stdint.h>

struct pace;

struct pace_limits {
  uint64_t hand_over;    // ns: sessions hand over what is older...
  uint32_t transactions; // ...or so many of them; 0: any number
  uint64_t bytes; // of the file that the reader may be behind, 0: any number
  uint64_t lag;   // ns, for which something may be in the file unread; 0: any
  uint64_t patience; // ns of a session's waiting after which the reader should
                     // leave what it is at; 0: any
};

struct pace *pace_new(const struct pace_limits *limits);
void pace_free(struct pace *pace);
const struct pace_limits *pace_limits(const struct pace *pace);

// The writer: so many bytes are in the file.
void pace_written(struct pace *pace, uint64_t bytes);

// A session, between transactions: waits while the reader is too far behind.
// Returns whether it did.
bool pace_wait(struct pace *pace);

// The reader: it has dealt with so many bytes, and what is behind them was
// written after `when`.
void pace_read(struct pace *pace, uint64_t bytes, uint64_t when);

// Is somebody waiting who should not?  Set until the next pace_read.
const volatile bool *pace_hurry(const struct pace *pace);

// The reader rests until `when`, or until a session waits for it.  False once
// nothing more is to be read.
bool pace_rest(struct pace *pace, uint64_t when);
bool pace_has_ended(struct pace *pace);

// The reader stops, or nothing more is recorded: nobody waits any more, and
// pace_hurry is set.
void pace_end(struct pace *pace);

// ns that all sessions together have waited.
uint64_t pace_waited(struct pace *pace);

#endif

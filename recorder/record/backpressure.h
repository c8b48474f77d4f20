// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a recording from running ahead of somebody who reads it while it is
// written: where the reader is too far behind, sessions wait.  One reader, the
// thread that writes the file, and any number of sessions share it.
#ifndef RECORDER_RECORD_BACKPRESSURE_H
#define RECORDER_RECORD_BACKPRESSURE_H

#include <stdbool.h>
#include <stdint.h>

struct backpressure;

struct backpressure_limits {
  uint64_t hand_over;    // ns: sessions hand over what is older...
  uint32_t transactions; // ...or so many of them; 0: any number
  uint64_t bytes; // of the file that the reader may be behind, 0: any number
  uint64_t lag;   // ns, for which something may be in the file unread; 0: any
  uint64_t patience; // ns of a session's waiting after which the reader should
                     // leave what it is at; 0: any
};

struct backpressure *backpressure_new(const struct backpressure_limits *limits);
void backpressure_free(struct backpressure *backpressure);
const struct backpressure_limits *
backpressure_limits(const struct backpressure *backpressure);

// The writer: so many bytes are in the file.
void backpressure_written(struct backpressure *backpressure, uint64_t bytes);

// A session, between transactions: waits while the reader is too far behind.
// Returns whether it did.
bool backpressure_wait(struct backpressure *backpressure);

// The reader: it has dealt with so many bytes, and what is behind them was
// written after `when`.
void backpressure_read(struct backpressure *backpressure, uint64_t bytes,
                       uint64_t when);

// Is somebody waiting who should not?  Set until the next backpressure_read.
const volatile bool *
backpressure_hurry(const struct backpressure *backpressure);

// The reader rests until `when`, or until a session waits for it.  False once
// nothing more is to be read.
bool backpressure_rest(struct backpressure *backpressure, uint64_t when);
bool backpressure_has_ended(struct backpressure *backpressure);

// The reader stops, or nothing more is recorded: nobody waits any more, and
// backpressure_hurry is set.
void backpressure_end(struct backpressure *backpressure);

// ns that all sessions together have waited.
uint64_t backpressure_waited(struct backpressure *backpressure);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A history on its way from a format into another one: in a temporary file,
// transaction by transaction, so that of its length nothing is in memory; what
// is there are its sessions, its keys, and values that are texts.  Who wrote
// what was read is not known, but what a key held at first.
#ifndef RECORDER_TRANSIT_H
#define RECORDER_TRANSIT_H

#include "recorder/content.h"
#include "recorder/spool.h"

struct transit;

// As history_read_with; the temporary file is beside `out`; `path` must
// outlive the transit.  First reads can not be taken for initial values, for
// these come to be known at the end.  A value that is written twice is not
// noticed, but for the initial one.
// -1 with a sentence, and no transit.
int transit_read(const char *path, const struct read_options *options,
                 const char *out, struct transit **transit,
                 struct error *error);
void transit_free(struct transit *transit);

const struct content *transit_content(const struct transit *transit);

// The sessions, keys and texts of all, and of the transactions the one at hand:
// it is transaction 0, and what its reads saw is the initial value or from thin
// air.  The values that its compare-and-sets expected stand behind its
// operations, and are what they saw.
const struct history *transit_at_hand(const struct transit *transit);

// Where somebody is who goes through a session; zero-initialised is before its
// first transaction.
struct transit_cursor {
  struct spool_cursor records;
  const unsigned char *after; // the transaction
  uint32_t txns;              // so far
};

// Takes the next one in hand: 1; 0: there is none, -1 with a sentence.
int transit_next(struct transit *transit, uint32_t session,
                 struct transit_cursor *cursor, struct error *error);
// Takes the one in hand that the cursor is at.
void transit_again(struct transit *transit,
                   const struct transit_cursor *cursor);
void transit_cursor_free(struct transit_cursor *cursor);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A history on its way from a format into another one: in a temporary file,
// transaction by transaction, so that of its length nothing is in memory; what
// is there are its sessions, its keys, and values that are texts.  Who wrote
// what was read is known only where it is asked for.
#ifndef RECORDER_TRANSIT_H
#define RECORDER_TRANSIT_H

#include "recorder/content.h"
#include "recorder/spool.h"

struct transit;

// As history_read_with; temporary files are beside `out`; `path`, or what it is
// called, must outlive the transit.  A value that is written twice is noticed
// only by transit_find_writers, but for the initial one, or where first reads
// are taken for initial values.
// Where transactions come in pieces the file is read once more, from its start.
// -1 with a sentence, and no transit.
int transit_read(const char *path, const struct read_options *options,
                 const char *out, struct transit **transit,
                 struct error *error);
void transit_free(struct transit *transit);

// What there is to lose; duplicates only where writers have been found.
const struct content *transit_content(const struct transit *transit);

// Finds who wrote what was read, named as the format names writers, and which
// unknown transactions count, where the format needs it; what was found for
// another format before is forgotten.  -1 with a sentence, also of a value that
// was written twice, if that was not allowed.
int transit_find_writers(struct transit *transit,
                         const struct history_format *format,
                         struct error *error);
// To the start of the history, before somebody goes through it once more.  With
// a format that names writers they have to go through it in its order.
void transit_rewind(struct transit *transit);

// The sessions, keys and texts of all, and of the transactions the one at hand:
// it is transaction 0.  What its reads saw is the initial value, from thin air
// or, where writers were found, one of the values that stand behind its
// operations.  What its compare-and-sets expected always stands there, if it is
// not the initial value.
const struct history *transit_at_hand(const struct transit *transit);

// Where somebody is who goes through a session; zero-initialised is before its
// first transaction.
struct transit_cursor {
  struct spool_cursor records;
  const unsigned char *after; // the transaction
  uint32_t txns;              // so far
  uint64_t ops, writes;       // likewise; of writes those that have names
};

// Takes the next one in hand: 1; 0: there is none, -1 with a sentence.
int transit_next(struct transit *transit, uint32_t session,
                 struct transit_cursor *cursor, struct error *error);
// Takes the one in hand that the cursor is at.
void transit_again(struct transit *transit,
                   const struct transit_cursor *cursor);
void transit_cursor_free(struct transit_cursor *cursor);

// Of the one that was taken last: its number in the history; what a write of it
// is called, or the one that wrote what stands behind its operations,
// UINT64_MAX if nobody did; and whether it counts, of an unknown one where
// outcomes were to be decided.
uint64_t transit_number(const struct transit *transit);
uint64_t transit_name(const struct transit *transit, uint32_t op);
bool transit_counts(const struct transit *transit);

#endif

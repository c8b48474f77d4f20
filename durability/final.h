// SPDX-License-Identifier: GPL-3.0-or-later
// The final reads of a history, by key: what they showed.  Only files of this
// room include it.
#ifndef DURABILITY_FINAL_H
#define DURABILITY_FINAL_H

#include "recorder/history.h"

#define NO_LIST UINT32_MAX

// The findings of final reads about a key, and who wrote it last.
struct final_key {
  bool read;           // a final read returned it, be it as never written
  uint64_t latest;     // the latest end of a transaction whose value was shown;
                       // 0: the initial value; TIME_UNKNOWN: one that is not
                       // known to have ended, or of no known writer
  uint32_t list;       // the longest list that was shown, or NO_LIST
  uint32_t writer;     // the committed or unknown transaction that wrote it and
  uint64_t writer_end; // ended last; TIME_UNKNOWN: it may not have ended
  uint64_t other_end;  // the latest end of all others; 0: there are none
  uint32_t counted;    // for who counts: 1 + the transaction that was counted
};

struct final {
  const struct history *history;
  uint32_t ntransactions;
  struct final_key *keys;
  uint8_t *seen;        // per operation: a final read shows what it wrote
  uint32_t *statements; // SELECTs of final reads
  uint32_t nstatements;
};

// The history has times.
void final_find(struct final *final, const struct history *history);
void final_free(struct final *final);

// Had a final SELECT to return the row as this operation wrote it or, if it
// deleted the row, as it was before?
bool final_looks_for_row(const struct final *final, uint32_t op);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The reads of a history with SQL statements by the definitions of the
// mixed-isolation paper: each event reads one version of every row of its table
// that its transaction has not written before.  Of a row that came back that
// version is known; of any other it is one that the statement does not find.
#ifndef CHECKER_VERIFY_ROWS_ROW_READS_H
#define CHECKER_VERIFY_ROWS_ROW_READS_H

#include "base/ids.h"
#include "recorder/history.h"

// Member 0 wrote the first version of every key.
enum { FIRST_WRITER = 0 };

// A version that may be read: the last that a member wrote of a key.
struct member_version {
  uint32_t member, version;
};

struct row_read {
  uint32_t member, event, key; // the event's place in its transaction
  uint32_t statement;          // UINT32_MAX: of a register
  bool is_unseen;      // of a row that did not come back, or was found absent
  bool is_latest;      // of what was committed last: no more than an order
  uint32_t first, end; // in `writers`: which it may have read
};

struct row_reads {
  const struct history *h;
  uint32_t nmembers;
  const uint32_t *id; // per member from 1 on: its transaction
  // Per key, and one more: its versions, that of member 0 first.
  uint32_t *version_first;
  struct member_version *versions;
  struct row_read *reads; // of one member after the other, in their order
  uint32_t nreads, room;
  uint32_t *first_read; // per member, and one more
  struct ids writers;   // places in `versions`
};

// The members are transactions id[1] to id[nmembers - 1].  Those whose
// `is_bound` is 0 read nothing.  False: an event returned what it can return at
// no level; there is nothing but to close then.  Unless `all`, a row that any
// of its versions explains is no read; if `by_items`, no row is that did not
// come back.  If `plain`, reads of statements that are not plain SELECTs are of
// what was committed last, as far as they came back.
bool row_reads_open(struct row_reads *reads, const struct history *history,
                    const uint32_t *id, uint32_t nmembers,
                    const uint8_t *is_bound, bool all, bool by_items,
                    bool plain);
void row_reads_close(struct row_reads *reads);

#endif

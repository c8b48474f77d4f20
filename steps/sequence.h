// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which the transactions of a counterexample begin, act and end:
// that of their times, or side by side where these are not known; but a read
// comes after what it saw was committed, and nobody commits before those have
// read who missed what it wrote.
#ifndef STEPS_SEQUENCE_H
#define STEPS_SEQUENCE_H

#include "recorder/history.h"
#include "recorder/rows.h"

enum { NO_EVENT = UINT32_MAX };

// A step to be: the beginning or end of a transaction, or an act of it, which
// is an operation or a statement.
struct sequence_event {
  uint32_t txn;        // position among the chosen ones
  uint32_t first, end; // the operations of the act; none: 0, 0
  uint32_t statement;  // ROWS_NONE: it is none
  bool is_begin, is_end;
  double when;
  bool taken;
};

struct sequence {
  const struct history *history;
  const uint8_t *key; // by key: is it chosen?  NULL: all are
  uint32_t *txns;     // ascending
  uint32_t ntxns;
  struct sequence_event *events; // transaction by transaction
  uint32_t nevents;
  uint32_t *first_event; // of each transaction; ntxns + 1 entries
};

// Orders some operations, ascending; or some statements, as far as they are
// about chosen keys, by number.  What is given must live as long as the order.
// Free with sequence_free.
void sequence_ops(struct sequence *order, const struct history *history,
                  const uint32_t *ops, uint32_t nops);
void sequence_statements(struct sequence *order, const struct history *history,
                         const uint8_t *statement, const uint8_t *key);
void sequence_free(struct sequence *order);

// The next event, which is taken; there must be one.  `*sees_last` becomes
// false if it reads what is not what was committed last at that time.
uint32_t sequence_next(struct sequence *order, bool *sees_last);

// The event of an operation; NO_EVENT if it is not chosen, or no operation.
uint32_t sequence_event_of(const struct sequence *order, uint32_t op);

// Are two of the transactions, by position, of one session?
bool sequence_same_session(const struct sequence *order, uint32_t i,
                           uint32_t j);

#endif

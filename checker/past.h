// SPDX-License-Identifier: GPL-3.0-or-later
// What causal consistency asks of an order of commits while it is searched for
// what the reads saw: whoever a reader had observed, through others or not, and
// wrote a key committed before the writer that the reader saw (dbcop, section
// 2).
#ifndef CHECKER_PAST_H
#define CHECKER_PAST_H

#include "checker/choices.h"
#include "checker/model.h"

struct past {
  const struct model *m;
  const uint32_t *open_of;           // per operation: open read, or NO_ID
  const struct open_writer *writers; // events are transactions

  uint32_t *key_first, *key_writers; // per key: transactions, ascending
  // Sessions; but one in the midst of its session that does not lead it is a
  // line of its own.
  uint32_t *line_of;    // per transaction
  uint32_t *line_first; // per line: its first transaction
  uint32_t nlines;
  // Per transaction and line: it has observed those of the line below the
  // bound; of which it knows by the transaction that is the cause.
  uint32_t *bound, *cause;
  struct seen_writer {
    uint32_t op, txn; // NO_ID: the initial value
    uint32_t writer;  // if it was open
  } * reads;          // of the transaction at hand
  uint32_t nreads, reads_room;
  uint32_t next; // place in the order to go on from
  // Of what was found: the open writers that were seen, and all transactions
  // that it is about.
  struct past_list {
    uint32_t *items, count, room;
  } why, about;
};

// False: it would take too much memory, or there is no session order.  All that
// is given is kept.
bool past_open(struct past *past, const struct model *m,
               const uint32_t *open_of, const struct open_writer *writers);
void past_close(struct past *past);

// For struct choice_problem; the context is the past.
bool past_consequence(void *context, const uint32_t *seen,
                      const struct toporder *order, struct consequence *found);

#endif

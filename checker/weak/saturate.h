// SPDX-License-Identifier: GPL-3.0-or-later
// The demands that the axioms of RC, RA and CC (dbcop, section 2) make on the
// commit order beyond session order and write-read: none of them speaks of the
// commit order in its premise, so one pass finds everything (dbcop,
// theorem 3.1).
#ifndef CHECKER_WEAK_SATURATE_H
#define CHECKER_WEAK_SATURATE_H

#include "checker/model/model.h"

// `read` saw a version of its key that `write` did not make, though the axiom
// says that the reader had observed the writer of `write`.  So that writer
// comes before the one of what was read: `before` and `after`.  Where the
// initial version was read there is no place for it: what has to come `before`
// it is then the reader itself, which it is known to precede.
struct demand {
  uint32_t before, after; // transactions
  uint32_t write, read;   // operations; NO_ID if no read is the reason
};

struct demands {
  struct demand *items; // owned; free with demands_free
  uint32_t count, room;
};

// The demands of the level on all transactions that count; if they have levels
// of their own, on those that are at this one.  Of the writers that
// a reader observed in one session only the last is named: the others come
// before it.  At CC neither are those that are known to come before what was
// read, or before what the reader's session had read before.  Added to the
// demands that are there; not all of them if the model is stopped.  `order` has
// these transactions, each after those of its session and those that it read
// from (only CC looks at it).
void saturate(const struct model *m, enum isolation level,
              const uint32_t *order, uint32_t norder, struct demands *demands);

// The demands of real time at RA and CC, where m->real_time; added to those
// that are there.  `order` as above, but it also keeps real time.
void saturate_in_time(const struct model *m, enum isolation level,
                      const uint32_t *order, uint32_t norder,
                      struct demands *demands);
void demands_free(struct demands *demands);

#endif

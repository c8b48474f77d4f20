// SPDX-License-Identifier: GPL-3.0-or-later
// What the levels below PC ask of an order of commits as soon as two reads of a
// transaction are known to have seen what they did: whoever was read from (at
// RC before) and wrote a key committed before the writer that a read of the key
// saw; from RA up likewise whoever is before the reader in its session (dbcop,
// section 2).  What the reader had observed of others through these is for
// checker/past.h.
#ifndef CHECKER_FIRSTHAND_H
#define CHECKER_FIRSTHAND_H

#include "checker/choices.h"
#include "checker/model.h"

struct firsthand {
  const struct model *m;
  enum isolation level;              // RC, RA or CC
  const uint32_t *open_of;           // per operation: open read, or NO_ID
  const uint32_t *place_of;          // per open read: operation
  const struct open_writer *writers; // events are transactions
  uint32_t *before; // per open read: the last one of the session before the
                    // reader that wrote the key, or NO_ID
  struct sight_demand *demands;
  uint32_t ndemands, room;
};

// All that is given is kept.
void firsthand_open(struct firsthand *f, const struct model *m,
                    enum isolation level, const uint32_t *open_of,
                    const uint32_t *place_of, uint32_t nreads,
                    const struct open_writer *writers);
void firsthand_close(struct firsthand *f);

// For struct choice_problem; the context is the struct firsthand.
uint32_t firsthand_demands(void *context, uint32_t writer, const uint32_t *seen,
                           const struct sight_demand **demands);

#endif

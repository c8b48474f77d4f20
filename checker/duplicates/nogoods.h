// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for a way to take all ambiguous reads that avoids what is known to be
// broken, by backjumping and learning (Prosser, "Hybrid algorithms for the
// constraint satisfaction problem", 1993; Dechter, "Enhancement schemes for
// constraint processing", 1990).  What it learns is a resolution, so that it
// can be checked step by step that no way is left.
#ifndef CHECKER_DUPLICATES_NOGOODS_H
#define CHECKER_DUPLICATES_NOGOODS_H

#include "checker/duplicates/candidates.h"

struct literal { // place i is taken to have seen member c of its group
  uint32_t i, c;
  uint32_t nogood; // that it belongs to
  uint32_t next;   // another one of the place
};

// Literals that cannot all be true.
struct nogood {
  uint32_t first, end; // literals
  bool learnt;
  uint32_t reason_first, reason_end; // in `reasons`
  uint32_t place;                    // where it was learnt
  uint32_t number;                   // of a case: which one
};

struct nogoods {
  const struct ambiguity *a;
  struct nogood *nogoods;
  uint32_t nnogoods, nogoods_room, ncases;
  struct literal *literals;
  uint32_t nliterals, literals_room;
  uint32_t *reasons;
  uint32_t nreasons, reasons_room;

  uint32_t *value;  // per place: member of its group; UINT32_MAX: not taken yet
  uint32_t *newest; // per place: a literal of it
  uint32_t *depth;  // per place: in `order`; UINT32_MAX: in no nogood
  uint32_t *order;  // the places that are in some nogood
  uint32_t norder;
  uint32_t *excluded; // scratch: by which nogood
  uint64_t effort;    // literals looked at
  uint32_t empty;     // a nogood without literals: no way is left; UINT32_MAX
};

void nogoods_open(struct nogoods *n, const struct ambiguity *a);
void nogoods_close(struct nogoods *n);

// Case number ncases: these cannot all be true.  `next` and `nogood` of the
// literals are not looked at.
void nogoods_add(struct nogoods *n, const struct literal *literals,
                 uint32_t count);

// Sets `value` of all places; what is in no nogood is as likely as can be.
enum nogoods_answer { NOGOODS_FOUND, NOGOODS_NONE_LEFT, NOGOODS_STOPPED };
enum nogoods_answer nogoods_solve(struct nogoods *n, uint64_t effort,
                                  const volatile bool *stop);

// After NOGOODS_NONE_LEFT: the steps that show it, and which cases they need,
// in `needed` (for each a byte), numbered in their order.
void nogoods_explain(const struct nogoods *n, struct cover *cover,
                     uint8_t *needed);

#endif

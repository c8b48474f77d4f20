// SPDX-License-Identifier: GPL-3.0-or-later
// Which swaps are made (explore/swap.h), the cheapest tests first.
//
// The flag of a read says that a swap gave it its writer.  The paper tells it
// from the history instead, by a condition that, as it is printed, takes some
// reads for swapped that are not, and so loses histories: PROOF.md.
#include "config.h"

#include "explore/swap.h"

static uint32_t block_of_read(const struct partial *p, uint32_t r) {
  uint32_t block = 0;
  while (r >= p->blocks[block].end_read)
    block++;
  return block;
}

static bool may_be_deleted(const struct partial *p, uint32_t r) {
  return !(p->reads[r].flags & READ_FAR) && !partial_is_swapped(p, r);
}

// Writers in the causal past of the read, later than its own in the history,
// that were valid when it was added.
static uint64_t later_candidates(const struct partial *p, uint32_t r) {
  const struct program_read *read = &p->reads[r];
  const uint32_t place = read->writer ? p->position[read->writer] : 0;
  uint64_t later = 0;
  FOR_EACH_BIT(w, read->causal & ~bit(read->writer))
  if (w && p->position[w] > place)
    later |= bit((uint32_t)w);
  return later;
}

// Does the read see the last writer that its causal past offers, now that the
// swap keeps what is in `kept` (readLatest)?
static bool reads_the_latest(const struct partial *p, uint32_t block,
                             uint32_t r, uint64_t kept,
                             struct partial *scratch) {
  const uint64_t later = later_candidates(p, r);
  if (!later)
    return true;
  partial_without(scratch, p, block, r, kept, false);
  FOR_EACH_BIT(w, later)
  if (partial_is_valid(scratch, p->reads[r], (uint32_t)w))
    return false;
  return true;
}

struct swap_candidate {
  uint32_t block, r;
  uint64_t kept; // t and its causal past
};

// Calls the test for each read that the swap deletes, and for r.
static bool all_can_go(const struct partial *p, const struct swap_candidate *c,
                       struct partial *scratch) {
  for (uint32_t i = c->block; i + 1 < p->nblocks; i++) {
    const struct program_block *b = &p->blocks[i];
    if (i > c->block && c->kept & bit(b->t))
      continue;
    for (uint32_t r = i == c->block ? c->r : b->first_read; r < b->end_read;
         r++)
      if (scratch ? !reads_the_latest(p, i, r, c->kept, scratch)
                  : !may_be_deleted(p, r))
        return false;
  }
  return true;
}

static bool wrote(const struct partial *p, const struct program_block *b,
                  uint32_t key) {
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    if (p->writes[i].key == key)
      return true;
  return false;
}

bool swap_next(const struct partial *p, uint32_t *next, struct partial *to,
               struct partial *scratch, struct program_read *swapped) {
  const struct program_block *last = &p->blocks[p->nblocks - 1];
  const uint32_t t = last->t;
  struct swap_candidate c = {.kept = p->past[t] | bit(t)};
  while (*next < last->first_read) {
    c.r = (*next)++;
    if (!wrote(p, last, p->reads[c.r].key))
      continue;
    c.block = block_of_read(p, c.r);
    if (c.kept & bit(p->blocks[c.block].t) || !all_can_go(p, &c, NULL) ||
        !all_can_go(p, &c, scratch))
      continue;
    *swapped = p->reads[c.r];
    swapped->writer = (uint8_t)t;
    swapped->v = partial_written(p, t, swapped->key);
    // Whether it locks depends on what it reads, but at mysql-rr.
    swapped->flags = READ_SWAPPED | (swapped->flags & READ_NEWEST);
    partial_without(to, p, c.block, c.r, c.kept, true);
    if (partial_is_valid(to, *swapped, t))
      return true;
  }
  return false;
}

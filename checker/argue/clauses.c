// SPDX-License-Identifier: GPL-3.0-or-later
// Which sides of a clause can still hold (checker/argue/refutation.h).
#include "config.h"

#include "checker/argue/refutation.h"

#include <assert.h>

static uint32_t end_of_side(const struct clause *clause, uint32_t a) {
  assert(clause->first <= a && a < clause->end);
  return a + (a < clause->first + clause->nsingle ? 1 : clause->width);
}

// The first atom of the side that is not known to hold; its end if all are.
static uint32_t open_atom(const struct refutation *r, uint32_t first,
                          uint32_t end) {
  uint32_t a = first;
  while (a < end && is_before(r, r->atoms[a].from, r->atoms[a].to))
    a++;
  return a;
}

static bool side_can_hold(const struct refutation *r, uint32_t first,
                          uint32_t end) {
  for (uint32_t a = first; a < end; a++)
    if (is_before(r, r->atoms[a].to, r->atoms[a].from))
      return false;
  return true;
}

uint32_t clause_only_atom(const struct refutation *r,
                          const struct clause *clause) {
  uint32_t only = clause->first, n = 0;
  for (uint32_t a = clause->first, end; a < clause->end; a = end) {
    end = end_of_side(clause, a);
    const uint32_t open = open_atom(r, a, end);
    if (open == end)
      return clause->end;
    if (!side_can_hold(r, a, end))
      continue;
    only = open;
    n++;
  }
  return n > 1 ? clause->end : only;
}

bool clause_holds(const struct refutation *r, const struct clause *clause) {
  for (uint32_t a = clause->first, end; a < clause->end; a = end) {
    end = end_of_side(clause, a);
    if (open_atom(r, a, end) == end)
      return true;
  }
  return false;
}

uint32_t clause_first_possible(const struct refutation *r,
                               const struct clause *clause) {
  uint32_t a = clause->first;
  while (!side_can_hold(r, a, end_of_side(clause, a)))
    a = end_of_side(clause, a);
  return open_atom(r, a, end_of_side(clause, a));
}

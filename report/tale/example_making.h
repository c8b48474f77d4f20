// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample under construction (report/tale/example.c), of which the
// dependencies are made apart (report/tale/example_edges.c).
#ifndef REPORT_TALE_EXAMPLE_MAKING_H
#define REPORT_TALE_EXAMPLE_MAKING_H

#include "report/tale/argue.h"
#include "report/tale/example.h"
#include "report/tale/names.h"

#include <stdbool.h>
#include <stdint.h>

// Each item once.  Per number its place among the items, + 1.
struct taken_items {
  uint32_t *items, count, room;
  uint32_t *place, nplaces;
};

// A counterexample under construction.
struct example_making {
  struct example *e;
  const struct history *h;
  const struct verdict *v;
  struct argue argue;
  struct names names, raw; // short ones unless they are to be raw
  struct taken_items txns, shown, matters; // of the history
  struct taken_items searches;             // statements that met no row of it
  uint32_t *search_op;                     // per search: its operation
  uint32_t *op_place;                      // per operation, + 1, in the example
  // Per operation of the example, and last for none: one more than the last
  // edge that leads to it; per edge, the one before it.
  uint32_t *drawn, *drawn_before;
};

// The place of an item among those taken, or EXAMPLE_NONE.
static inline uint32_t place_of_taken(const struct taken_items *list,
                                      uint32_t item) {
  return item < list->nplaces && list->place[item] ? list->place[item] - 1
                                                   : EXAMPLE_NONE;
}

static inline bool has_taken(const struct taken_items *list, uint32_t item) {
  return place_of_taken(list, item) != EXAMPLE_NONE;
}

// The place of an operation in the example, or EXAMPLE_NONE.
static inline uint32_t op_in(const struct example_making *m, uint32_t op) {
  return op < m->h->nops && m->op_place[op] ? m->op_place[op] - 1
                                            : EXAMPLE_NONE;
}

// Makes the edges: those of the cycle, those of the reasons, and the reads that
// are not among these.  The transactions and operations have to be made before.
void example_make_edges(struct example_making *m);

#endif

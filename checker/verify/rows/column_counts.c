// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of rows by the value of a column
// (checker/verify/rows/column_counts.h): an open hash table of tables, columns
// and values.
#include "config.h"

#include "checker/verify/rows/column_counts.h"

#include "base/memory.h"
#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct slot {
  uint32_t place; // of table and column, from 1; 0: free
  uint32_t rows;
  int64_t number;
};

struct column_counts {
  const struct history *h;
  uint8_t *asked; // per table and column: is a condition about it?
  struct slot *slots;
  uint32_t nslots, used; // a power of two
};

static uint32_t place_of_column(uint32_t table, uint32_t column) {
  return table * PREDICATE_COLUMNS + column;
}

// The slot that has the value, or the free one where it belongs.
static struct slot *find_slot(const struct column_counts *c, uint32_t place,
                              int64_t number) {
  uint64_t at = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) ^
                place * UINT64_C(0xbf58476d1ce4e5b9);
  at ^= at >> 32;
  for (;; at++) {
    struct slot *slot = &c->slots[at & (c->nslots - 1)];
    if (!slot->place || (slot->place == place + 1 && slot->number == number))
      return slot;
  }
}

static void grow_slots(struct column_counts *c) {
  const struct column_counts old = *c;
  c->nslots = old.nslots * 2;
  c->slots = xcalloc(c->nslots, sizeof *c->slots);
  for (uint32_t i = 0; i < old.nslots; i++)
    if (old.slots[i].place)
      *find_slot(c, old.slots[i].place - 1, old.slots[i].number) = old.slots[i];
  free(old.slots);
}

struct column_counts *column_counts_open(const struct history *h) {
  const struct rows *rows = h->rows;
  struct column_counts *c = xcalloc(1, sizeof *c);
  c->h = h;
  c->asked = xcalloc(rows->ntables, PREDICATE_COLUMNS);
  c->nslots = 1024;
  c->slots = xcalloc(c->nslots, sizeof *c->slots);
  for (uint32_t s = 0; s < rows->nstatements; s++) {
    uint32_t column;
    int64_t number;
    if (condition_names_value(h, &rows->statements[s], &column, &number))
      c->asked[place_of_column(rows->statements[s].table, column)] = 1;
  }
  return c;
}

void column_counts_close(struct column_counts *c) {
  free(c->asked);
  free(c->slots);
  free(c);
}

void column_counts_note(struct column_counts *c, uint32_t table,
                        const int64_t *columns, int change) {
  for (uint32_t i = 0; i < c->h->rows->tables[table].ncolumns; i++) {
    const uint32_t place = place_of_column(table, i);
    if (!c->asked[place])
      continue;
    struct slot *slot = find_slot(c, place, columns[i]);
    if (!slot->place && ++c->used > c->nslots / 2) {
      grow_slots(c);
      slot = find_slot(c, place, columns[i]);
    }
    assert(change > 0 || slot->rows);
    *slot = (struct slot){place + 1, slot->rows + (uint32_t)change, columns[i]};
  }
}

uint32_t column_counts_of(const struct column_counts *c, uint32_t table,
                          uint32_t column, int64_t number) {
  assert(c->asked[place_of_column(table, column)]);
  return find_slot(c, place_of_column(table, column), number)->rows;
}

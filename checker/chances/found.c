// SPDX-License-Identifier: GPL-3.0-or-later
// Counts rows that were found (checker/chances/found.h).
#include "config.h"

#include "checker/chances/found.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A set of columns of a table, of which there are at most 32.
typedef uint32_t columns;
enum { ALL_COLUMNS = UINT32_MAX };

static_assert(PREDICATE_COLUMNS <= 32, "a bit for each column");

// The columns in which two images of a row differ.
static columns difference(const int64_t *one, const int64_t *other,
                          uint32_t ncolumns) {
  columns set = 0;
  assert(ncolumns <= PREDICATE_COLUMNS);
  if (!one || !other)
    return ALL_COLUMNS;
  for (uint32_t i = 0; i < ncolumns; i++)
    set |= (columns)(one[i] != other[i]) << i;
  return set;
}

// Per key: the columns that some transaction changed, or all where the row was
// not there at some time.  Only an aborted transaction changed nothing.
static columns *changed_columns(const struct history *h,
                                struct patience *patience) {
  const struct rows *rows = h->rows;
  columns *changed = xcalloc(h->nkeys + (size_t)1, sizeof *changed);
  for (uint32_t key = 0; key < h->nkeys; key++)
    changed[key] = rows->key_image[key] == ROWS_NONE ? ALL_COLUMNS : 0;
  for (uint32_t t = 0;
       t < h->ntxns &&
       !patience_ends(patience, 1 + h->txn_first[t + 1] - h->txn_first[t]);
       t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] != OUTCOME_ABORTED && op < h->txn_first[t + 1]; op++) {
      const uint32_t key = h->key[op];
      if (op_is_row(h->kind[op]) && op_writes(h->kind[op]) &&
          changed[key] != ALL_COLUMNS)
        changed[key] |=
            difference(rows_version(h, h->nops + key), rows_version(h, op),
                       rows->tables[rows->key_table[key]].ncolumns);
    }
  return changed;
}

// Per condition: the columns that it looks at.
static columns *columns_in_conditions(const struct rows *rows) {
  columns *in = xcalloc(rows->ntemplates + (size_t)1, sizeof *in);
  for (uint32_t i = 0; i < rows->ntemplates; i++) {
    const struct predicate *p = &rows->templates[i].predicate;
    for (uint32_t n = 0; n < p->nnodes; n++)
      if (p->nodes[n].op >= PREDICATE_EQUAL && p->nodes[n].op <= PREDICATE_IN &&
          p->nodes[n].column != PREDICATE_KEY)
        in[i] |= (columns)1 << p->nodes[n].column;
  }
  return in;
}

void found_rows_count(struct found_rows *found, const struct history *h,
                      const uint8_t *counted, bool plain_reads,
                      struct patience *patience) {
  const struct rows *rows = h->rows;
  columns *changed = changed_columns(h, patience);
  columns *in = columns_in_conditions(rows);
  *found = (struct found_rows){0};
  for (uint32_t t = 0;
       t < h->ntxns &&
       !patience_ends(patience, 1 + h->txn_first[t + 1] - h->txn_first[t]);
       t++)
    for (uint32_t i = rows->txn_statement[t];
         counted[t] && i < rows->txn_statement[t + 1]; i++) {
      const struct recorded_statement *s = &rows->statements[i];
      const bool binds = !plain_reads || s->sort == STATEMENT_SELECT;
      for (uint32_t op = s->first; op < s->end && s->condition != NO_CONDITION;
           op++) {
        const columns since = changed[h->key[op]];
        found->all += op_reads(h->kind[op]);
        found->unchanged += op_reads(h->kind[op]) && binds &&
                            since != ALL_COLUMNS && !(since & in[s->condition]);
      }
    }
  FREE_EACH(changed, in);
}

uint8_t *kinds_that_count(const struct history *h, bool plain_reads) {
  const struct rows *rows = h->rows;
  uint8_t *kinds = xmalloc(h->nops + (size_t)1);
  memcpy(kinds, h->kind, h->nops);
  for (uint32_t i = 0; plain_reads && i < rows->nstatements; i++)
    for (uint32_t op = rows->statements[i].first;
         rows->statements[i].sort != STATEMENT_SELECT &&
         op < rows->statements[i].end;
         op++)
      kinds[op] &= (uint8_t)~OP_IS_READ;
  return kinds;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Takes away what a condition need not say (checker/rows/conjuncts.h).
#include "config.h"

#include "checker/rows/conjuncts.h"

#include "base/memory.h"

#include <assert.h>

// A row as the operation, or the key from nops on, has it; NULL: there is none.
static const int64_t *row_of_version(const struct history *h,
                                     uint32_t version) {
  return version < h->nops ? rows_image(h->rows, h->rows->image[version])
                           : rows_version(h, version);
}

static bool chooses_same_rows(const struct history *h,
                              const struct recorded_statement *s,
                              const struct predicate *p,
                              const struct predicate *q) {
  const struct rows *rows = h->rows;
  const int64_t *parameters = rows->parameters + s->parameters;
  bool alike = true;
  for (uint32_t v = 0; alike && v < h->nops + h->nkeys; v++) {
    const uint32_t key = v < h->nops ? h->key[v] : v - h->nops;
    const int64_t *row =
        rows->key_table[key] == s->table ? row_of_version(h, v) : NULL;
    alike = !row || predicate_holds(p, rows->key_id[key], row, parameters) ==
                        predicate_holds(q, rows->key_id[key], row, parameters);
  }
  return alike;
}

// Leaves out one of two that an AND combines, if the rest is enough.  What is
// equal to something says most, and is tried last.
static bool shorten(const struct history *h, const struct recorded_statement *s,
                    struct predicate *p) {
  for (int equal = 0; equal < 2; equal++)
    for (uint32_t i = 0; i < p->nnodes; i++)
      for (int second = 0; p->nodes[i].op == PREDICATE_AND && second < 2;
           second++) {
        const uint32_t node = second ? p->nodes[i].end : p->nodes[i].first;
        struct predicate shorter;
        if ((p->nodes[node].op == PREDICATE_EQUAL) != equal)
          continue;
        predicate_without(&shorter, p, node);
        if (chooses_same_rows(h, s, p, &shorter)) {
          *p = shorter;
          return true;
        }
      }
  return false;
}

static uint32_t template_of(struct rows *rows, uint32_t table,
                            const struct predicate *p) {
  uint32_t i = 0;
  while (i < rows->ntemplates &&
         (rows->templates[i].table != table ||
          !predicate_equals(&rows->templates[i].predicate, p)))
    i++;
  if (i == rows->ntemplates) {
    rows->templates =
        xrealloc(rows->templates, i + (size_t)1, sizeof *rows->templates);
    rows->templates[rows->ntemplates++] = (struct row_template){table, *p};
  }
  assert(i < rows->ntemplates);
  return i;
}

void leave_out_conjuncts(struct history *part) {
  struct rows *rows = part->rows;
  assert(rows);
  for (uint32_t i = 0; i < rows->nstatements; i++) {
    struct recorded_statement *s = &rows->statements[i];
    if (s->condition == NO_CONDITION || s->sort == STATEMENT_INSERT_NEW)
      continue;
    assert(s->condition < rows->ntemplates);
    struct predicate p = rows->templates[s->condition].predicate;
    while (shorten(part, s, &p))
      ;
    s->condition = template_of(rows, s->table, &p);
  }
}

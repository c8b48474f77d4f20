// SPDX-License-Identifier: GPL-3.0-or-later
// Finds places in scripts (cli/jobs/own_places.h).  A history knows the sort,
// the table and the condition of a statement.  The statements of a transaction
// stand in its script in the order in which they were sent, with others between
// them that a branch left out.
#include "config.h"

#include "cli/jobs/own_places.h"

#include "base/memory.h"
#include "recorder/rows.h"

#include <string.h>

enum { NO_STEP = UINT32_MAX };

uint32_t own_table(const struct sql_scripts *all, const char *name) {
  uint32_t t = 0;
  while (t < all->ntables && strcmp(all->tables[t].name, name) != 0)
    t++;
  return t < all->ntables ? t : UINT32_MAX;
}

static enum statement_sort sort_of(const struct sql_step *step) {
  bool adds = step->sort == STATEMENT_UPDATE && step->nsets > 0;
  for (uint32_t i = 0; adds && i < step->nsets; i++)
    adds = step->sets[i].adds;
  return adds ? STATEMENT_ADD : step->sort;
}

static bool is_statement_of(const struct sql_scripts *all,
                            const struct sql_step *step,
                            const struct history *h, uint32_t statement) {
  const struct recorded_statement *s = &h->rows->statements[statement];
  return step->kind == SQL_STEP_STATEMENT && sort_of(step) == s->sort &&
         !strcmp(all->tables[step->table].name,
                 h->rows->tables[s->table].name) &&
         (s->condition == NO_CONDITION ||
          predicate_equals(&all->templates[step->template].predicate,
                           &h->rows->templates[s->condition].predicate));
}

// The steps of a script from `first` to `end`, for a transaction of a history.
struct place_finding {
  const struct sql_scripts *all;
  const struct sql_script *script;
  uint32_t first, end;
  const struct history *h;
  uint32_t txn;
};

static bool is_step(const struct place_finding *f, uint32_t step, uint32_t s) {
  return is_statement_of(f->all, f->script->steps[step], f->h, s);
}

// As early in the script as they can stand.
static bool find_early(const struct place_finding *f, uint32_t *steps) {
  const uint32_t *all = f->h->rows->txn_statement;
  uint32_t step = f->first;
  for (uint32_t s = all[f->txn]; s < all[f->txn + 1]; s++, step++) {
    while (step < f->end && !is_step(f, step, s))
      step++;
    if (step >= f->end)
      return false;
    steps[s - all[f->txn]] = step;
  }
  return true;
}

// Can they stand later, too?
static bool can_be_later(const struct place_finding *f, const uint32_t *steps) {
  const uint32_t *all = f->h->rows->txn_statement;
  uint32_t step = f->end;
  bool later = false;
  for (uint32_t s = all[f->txn + 1]; s-- > all[f->txn] && !later;) {
    do
      step--;
    while (!is_step(f, step, s));
    later = step != steps[s - all[f->txn]];
  }
  return later;
}

static uint32_t end_of_script_txn(const struct sql_script *script,
                                  uint32_t transaction) {
  return transaction + 1 < script->ntransactions
             ? script->first[transaction + 1]
             : script->nsteps;
}

// The ways in which the statements can stand in the script: 0, 1 or more.
static uint32_t count_ways_of_finding(struct place_finding *f, uint32_t *steps,
                                      uint32_t *found) {
  uint32_t ways = 0;
  for (uint32_t t = 0; t < f->script->ntransactions; t++) {
    f->first = f->script->first[t];
    f->end = end_of_script_txn(f->script, t);
    if (!find_early(f, steps))
      continue;
    ways += 1 + can_be_later(f, steps);
    memcpy(found, steps,
           (f->h->rows->txn_statement[f->txn + 1] -
            f->h->rows->txn_statement[f->txn]) *
               sizeof *found);
  }
  return ways;
}

bool own_places_find(const struct sql_scripts *all, const struct history *h,
                     uint32_t txn, struct arena *arena,
                     struct own_places *places) {
  const uint32_t n =
      h->rows->txn_statement[txn + 1] - h->rows->txn_statement[txn];
  uint32_t *steps = arena_take(arena, (n + (size_t)1) * sizeof *steps);
  uint32_t *found = arena_take(arena, (n + (size_t)1) * sizeof *found);
  uint32_t ways = 0;
  *places = (struct own_places){.step = found};
  for (uint32_t i = 0; n && i < all->nscripts; i++) {
    struct place_finding f = {
        .all = all, .script = &all->scripts[i], .h = h, .txn = txn};
    const uint32_t more = count_ways_of_finding(&f, steps, found);
    places->script = more ? f.script : places->script;
    ways += more;
  }
  return ways == 1;
}

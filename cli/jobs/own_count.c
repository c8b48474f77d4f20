// SPDX-License-Identifier: GPL-3.0-or-later
// Counts statements (cli/jobs/own_count.h).
#include "config.h"

#include "cli/jobs/own_count.h"

#include "base/memory.h"
#include "recorder/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void list_counted_statements(struct own_counts *c) {
  uint32_t room = 0;
  for (uint32_t i = 0; i < c->scripts->nscripts; i++) {
    const struct sql_script *script = &c->scripts->scripts[i];
    for (uint32_t k = 0; k < script->nsteps; k++) {
      if (script->steps[k]->kind != SQL_STEP_STATEMENT)
        continue;
      ARRAY_RESERVE(c->all, c->n, room);
      c->all[c->n++] =
          (struct own_count){.script = script, .step = script->steps[k]};
    }
  }
}

static struct own_count *find_own_count(const struct own_counts *c,
                                        const struct sql_step *step) {
  uint32_t i = 0;
  while (c->all[i].step != step)
    i++;
  return &c->all[i];
}

// The last operation of the transaction on the row before this one; UINT32_MAX:
// there is none.
static uint32_t before(const struct history *h, uint32_t txn, uint32_t op) {
  uint32_t last = UINT32_MAX;
  for (uint32_t o = h->txn_first[txn]; o < op; o++)
    if (h->key[o] == h->key[op])
      last = o;
  return last;
}

// Had the transaction read another version of the row before?
static bool finds_another(const struct history *h, uint32_t txn, uint32_t op) {
  const uint32_t last = before(h, txn, op);
  return last != UINT32_MAX && !op_writes(h->kind[last]) &&
         op_reads(h->kind[op]) && h->saw[op] != h->saw[last];
}

// Did another write replace the very version that this one replaced?  Then one
// of the two was lost, even if each had read that version.
static bool is_second(const struct history *h, uint8_t *replaced, uint32_t op) {
  const uint32_t saw = h->saw[op];
  const uint32_t version = saw == SAW_INITIAL ? h->nops + h->key[op] : saw;
  const bool writes_over = op_reads(h->kind[op]) && op_writes(h->kind[op]) &&
                           version < h->nops + h->nkeys;
  const bool second = writes_over && replaced[version];
  if (writes_over)
    replaced[version] = true;
  return second;
}

static void count_transaction(struct own_counts *c, const struct history *h,
                              uint8_t *replaced, uint32_t txn) {
  struct arena arena = {0};
  struct own_places places;
  const uint32_t first = h->rows->txn_statement[txn];
  if (own_places_find(c->scripts, h, txn, &arena, &places))
    for (uint32_t i = first; i < h->rows->txn_statement[txn + 1]; i++) {
      const struct recorded_statement *s = &h->rows->statements[i];
      struct own_count *count =
          find_own_count(c, places.script->steps[places.step[i - first]]);
      count->executed++;
      for (uint32_t op = s->first; op < s->end; op++) {
        const bool second = is_second(h, replaced, op);
        const bool another = finds_another(h, txn, op);
        const bool over = op_writes(h->kind[op]) && s->sort != STATEMENT_ADD;
        count->lost += second || (another && over);
        count->reread += another && !over;
      }
    }
  arena_free(&arena);
}

void own_counts_make(struct own_counts *c, const struct sql_scripts *scripts,
                     const struct history *h) {
  uint32_t nlost;
  *c = (struct own_counts){.scripts = scripts};
  list_counted_statements(c);
  uint8_t *counted = history_counted(h, &nlost);
  uint8_t *replaced = xcalloc((size_t)h->nops + h->nkeys + 1, 1);
  for (uint32_t txn = 0; txn < h->ntxns; txn++)
    if (counted[txn])
      count_transaction(c, h, replaced, txn);
  FREE_EACH(counted, replaced);
}

void own_counts_free(struct own_counts *c) {
  free(c->all);
  *c = (struct own_counts){0};
}

struct own_count *own_count_of(const struct own_counts *c,
                               const struct history *h, uint32_t op) {
  struct arena arena = {0};
  struct own_places places;
  const uint32_t txn = history_txn(h, op);
  const uint32_t first = h->rows->txn_statement[txn];
  struct own_count *count = NULL;
  if (own_places_find(c->scripts, h, txn, &arena, &places))
    for (uint32_t s = first; s < h->rows->txn_statement[txn + 1] && !count; s++)
      if (op >= h->rows->statements[s].first && op < h->rows->statements[s].end)
        count = find_own_count(c, places.script->steps[places.step[s - first]]);
  arena_free(&arena);
  return count;
}

const struct sql_script *own_script_of(const struct own_counts *c,
                                       const struct history *h, uint32_t txn) {
  struct arena arena = {0};
  struct own_places places;
  const struct sql_script *script =
      own_places_find(c->scripts, h, txn, &arena, &places) ? places.script
                                                           : NULL;
  arena_free(&arena);
  return script;
}

const char *own_row(struct arena *arena, const struct history *h, uint32_t op) {
  const uint32_t key = h->key[op];
  return arena_printf(arena, "%s %" PRId64,
                      h->rows->tables[h->rows->key_table[key]].name,
                      h->rows->key_id[key]);
}

const char *own_file(const struct sql_script *script) {
  const char *slash = strrchr(script->path, '/');
  return slash ? slash + 1 : script->path;
}

const char *own_place(struct arena *arena, const struct own_count *count) {
  return arena_printf(arena, "%s:%" PRIu32, own_file(count->script),
                      count->step->line);
}

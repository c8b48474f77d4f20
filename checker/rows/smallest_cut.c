// SPDX-License-Identifier: GPL-3.0-or-later
// Shrinks a part of a history with rows (checker/rows/smallest_cut.h): takes
// away rows, and statements that those that are left do not need, as long as
// the part breaks the level.
#include "config.h"

#include "checker/rows/smallest_cut.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/by_places.h"
#include "checker/rows/causal_rows.h"
#include "checker/rows/rows_refute.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTIONS = 2000, QUESTIONS_OF_ALL = 50, LARGE = 20000 }; // operations

struct shrinking {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  struct cut cut;
  uint32_t questions; // that may still be asked
};

// --- Does a part break the level?

static bool pasts_break(const struct history *part, const uint8_t *counted,
                        const struct check_options *options) {
  struct causal_rows d;
  causal_rows_decide(&d, part, counted, options);
  const bool breaks = d.d.answer == ROWS_BROKEN;
  causal_rows_free(&d);
  return breaks;
}

// At PC and above.
static bool search_breaks(const struct history *part,
                          const struct check_options *options) {
  struct history registers =
      rows_registers(part, options->question.plain_reads);
  struct verdict items;
  struct error error;
  bool breaks = false;
  struct rows_decision d = {.answer = ROWS_KEPT};
  assert(!level_saturates(options->question.level));
  if (!check(&registers, options, &items, &error)) {
    breaks = items.kind == VERDICT_VIOLATION;
    if (items.kind == VERDICT_PASS &&
        !rows_decide(&d, part, &registers, options, &error))
      breaks = d.answer == ROWS_BROKEN;
    verdict_free(&items);
  }
  rows_decision_free(&d);
  rows_as_registers_free(&registers);
  return breaks;
}

bool search_breaks_part(const struct history *part,
                        const struct check_options *options) {
  struct verdict_counts counts;
  if (options->question.recorded)
    return false;
  uint8_t *counted = settled_count(part, &counts);
  bool breaks = rows_wrong_statement(part, counted, options) != UINT32_MAX;
  if (!breaks && !level_saturates(options->question.level))
    breaks = search_breaks(part, options);
  else if (!breaks && !options->question.real_time &&
           !options->question.plain_reads)
    breaks = rows_break_by_places(part, options) ||
             (level_is_causal(options->question.level) &&
              pasts_break(part, counted, options));
  free(counted);
  return breaks;
}

static bool shrunk_breaks(const struct shrinking *s,
                          const struct history *part) {
  const enum referee_answer answer =
      rows_refute(part, s->options, ROWS_CASES_WORK / 4);
  if (answer != REFEREE_TOO_LARGE)
    return answer == REFEREE_BROKEN;
  return search_breaks_part(part, s->options);
}

static bool cut_breaks(struct shrinking *s) {
  struct rows_part part = cut_history(s->h, s->counted, &s->cut);
  const bool breaks = shrunk_breaks(s, &part.history);
  s->questions -= s->questions > 0;
  if (stop_is_set(s->options->stop))
    s->questions = 0;
  rows_part_free(&part);
  return breaks;
}

// --- Where to begin.

static void take_statements(struct shrinking *s, uint32_t t) {
  const struct rows *rows = s->h->rows;
  for (uint32_t i = rows->txn_statement[t]; i < rows->txn_statement[t + 1]; i++)
    s->cut.statement[i] = 1;
}

static void take_unseen_row(struct shrinking *s, const struct unseen *unseen) {
  const uint32_t *first = s->h->rows->txn_statement;
  uint32_t t = 0, end = s->h->ntxns;
  while (end - t > 1) {
    const uint32_t middle = t + (end - t) / 2;
    *(first[middle] <= unseen->statement ? &t : &end) = middle;
  }
  assert(first[t] <= unseen->statement && unseen->statement < first[t + 1]);
  s->cut.key[unseen->key] = 1;
  take_statements(s, t);
}

// Rows that at least so many of the transactions had to do with.
static void take_shared_keys(struct shrinking *s, const struct ids *txns,
                             uint8_t least) {
  const struct history *h = s->h;
  uint8_t *users = xcalloc(h->nkeys, 1);
  uint32_t *last = ids_none(h->nkeys);
  for (uint32_t i = 0; i < txns->count; i++)
    for (uint32_t op = h->txn_first[txns->items[i]];
         op < h->txn_first[txns->items[i] + 1]; op++) {
      const uint32_t key = h->key[op];
      users[key] += last[key] != i && users[key] < least;
      last[key] = i;
      s->cut.key[key] |= users[key] == least && op_is_row(h->kind[op]);
    }
  free(users);
  free(last);
}

static void take_all_rows(struct shrinking *s) {
  for (uint32_t key = 0; key < s->h->nkeys; key++)
    s->cut.key[key] = s->h->rows->key_table[key] != ROWS_NONE;
  memset(s->cut.statement, 1, s->h->rows->nstatements);
}

static bool begin_shrinking(struct shrinking *s,
                            const struct rows_decision *d) {
  for (uint32_t i = 0; i < d->nunseen; i++)
    take_unseen_row(s, &d->unseen[i]);
  for (uint32_t i = 0; i < d->txns.count; i++)
    take_statements(s, d->txns.items[i]);
  for (uint8_t least = 2; least > 0; least--) {
    take_shared_keys(s, &d->txns, least);
    if (cut_breaks(s))
      return true;
  }
  if (s->h->nops > LARGE)
    return false;
  take_all_rows(s);
  if (s->h->ntxns > ROWS_CASES_TXNS)
    s->questions = QUESTIONS_OF_ALL;
  return cut_breaks(s);
}

// --- Taking away.

static void list_members(const uint8_t *set, uint32_t n, struct ids *ids) {
  ids->count = 0;
  for (uint32_t i = 0; i < n; i++)
    if (set[i])
      ids_add(ids, i);
}

static void set_some(uint8_t *set, const struct ids *ids, uint32_t first,
                     uint32_t end, uint8_t value) {
  for (uint32_t i = first; i < end; i++)
    set[ids->items[i]] = value;
}

// Takes out as many members as can go, many at once first.  Returns whether any
// went.
static bool shrink(struct shrinking *s, uint8_t *set, uint32_t n) {
  bool went = false;
  uint32_t size = n;
  struct ids ids = {0};
  do {
    list_members(set, n, &ids);
    size = size > ids.count ? ids.count : size;
    size = size > 1 ? (size + 1) / 2 : 1;
    for (uint32_t i = 0; i < ids.count && s->questions; i += size) {
      const uint32_t end = ids.count - i < size ? ids.count : i + size;
      set_some(set, &ids, i, end, 0);
      if (cut_breaks(s))
        went = true;
      else
        set_some(set, &ids, i, end, 1);
    }
  } while (size > 1 && s->questions && !stop_is_set(s->options->stop));
  free(ids.items);
  return went;
}

bool smallest_cut(const struct history *h, const uint8_t *counted,
                  const struct check_options *options,
                  const struct rows_decision *d, struct rows_part *part) {
  struct shrinking s = {.h = h,
                        .counted = counted,
                        .options = options,
                        .cut = {.key = xcalloc(h->nkeys, 1),
                                .statement = xcalloc(h->rows->nstatements, 1)},
                        .questions = QUESTIONS};
  struct row_versions versions = row_versions_of(h, counted, options);
  if (!options->whole_rows)
    s.cut.versions = &versions;
  s.cut.options = options;
  const bool found = begin_shrinking(&s, d);
  bool more = found;
  while (more && s.questions && !stop_is_set(options->stop)) {
    more = shrink(&s, s.cut.key, h->nkeys);
    more |= shrink(&s, s.cut.statement, h->rows->nstatements);
  }
  if (found)
    *part = cut_history(h, counted, &s.cut);
  free(s.cut.key);
  free(s.cut.statement);
  row_versions_free(&versions);
  return found;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A history in figures (recorder/statistics.h).
#include "config.h"

#include "recorder/statistics.h"

#include "base/memory.h"
#include "recorder/told.h"

#include <assert.h>
#include <stdlib.h>

static void count_session_figures(const struct history *h,
                                  struct history_statistics *s) {
  s->sessions = h->nsessions;
  s->min_per_session = h->nsessions ? UINT32_MAX : 0;
  for (uint32_t i = 0; i < h->nsessions; i++) {
    uint32_t n = h->session_first[i + 1] - h->session_first[i];
    s->min_per_session = n < s->min_per_session ? n : s->min_per_session;
    s->max_per_session = n > s->max_per_session ? n : s->max_per_session;
  }
}

static uint32_t told_operations(const struct history *h,
                                const struct told_keys *told, uint32_t t) {
  uint32_t n = 0;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1];
       op = told_end(h, told, op))
    n++;
  return n;
}

static void count_transactions(const struct history *h,
                               const struct told_keys *told,
                               struct history_statistics *s) {
  s->transactions = h->ntxns;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t nops = told_operations(h, told, t);
    s->operations += nops;
    s->by_outcome[h->outcome[t]]++;
    s->by_level[h->level[t]]++;
    if (h->outcome[t] != OUTCOME_OK)
      s->by_cause[h->cause[t]]++;
    s->max_ops = nops > s->max_ops ? nops : s->max_ops;
  }
  s->mean_ops = h->ntxns ? (double)s->operations / h->ntxns : 0;
}

// Counts a reading operation by the worst that it saw.
static void count_reading_op(const struct history *h, uint32_t op,
                             struct history_statistics *s) {
  assert(op_reads(h->kind[op]));
  uint32_t first = h->saw[op], end = first;
  bool initial = first == SAW_INITIAL, thin_air = first == SAW_THIN_AIR;
  bool lost = first == SAW_LOST;
  if (h->kind[op] == OP_READ_LIST) {
    end = history_list_end(h, first);
    first = h->list[first].first;
    initial = first == end;
    thin_air = lost = false;
    s->elements += end - first;
    s->longest_list =
        end - first > s->longest_list ? end - first : s->longest_list;
    for (uint32_t i = first; i < end; i++) {
      thin_air |= h->element[i] == SAW_THIN_AIR;
      lost |= h->element[i] == SAW_LOST;
    }
  }
  s->initial_reads += initial;
  s->thin_air_reads += thin_air;
  s->lost_reads += lost && !thin_air;
}

// Counts a read of a set, likewise, from `op` to `end`.
static void count_set(const struct history *h, uint32_t op, uint32_t end,
                      struct history_statistics *s) {
  bool found = false, thin_air = false;
  for (; op < end; op++) {
    const bool is_there = history_op_value(h, op) != VALUE_NOBODYS;
    found |= is_there;
    thin_air |= h->saw[op] == SAW_THIN_AIR;
    s->set_elements += is_there;
  }
  s->set_reads++;
  s->initial_reads += !found;
  s->thin_air_reads += thin_air;
}

static void count_operation_figures(const struct history *h,
                                    const struct told_keys *told,
                                    struct history_statistics *s) {
  for (uint32_t op = 0, end; op < h->nops; op = end) {
    end = told_end(h, told, op);
    if (history_is_of_set(h, op)) {
      s->set_adds += op_writes(h->kind[op]) != 0;
      if (op_reads(h->kind[op]))
        count_set(h, op, end, s);
      continue;
    }
    s->by_kind[h->kind[op]]++;
    if (op_reads(h->kind[op]))
      count_reading_op(h, op, s);
  }
  s->sets = told->nsets;
}

// The last transactions to use each key, and the chains.
struct versions {
  uint32_t *reader, *writer; // last transaction that did, + 1
  uint32_t *chains;          // begun by those that may have committed
  uint32_t blind_writes;
};

static void follow_op(const struct history *h, uint32_t t, uint32_t op,
                      struct versions *v, bool *blind) {
  assert(op < h->nops);
  const uint32_t key = h->key[op];
  const bool was_read = v->reader[key] == t + 1 || op_reads(h->kind[op]);
  if (op_reads(h->kind[op]))
    v->reader[key] = t + 1;
  if (!op_writes(h->kind[op]))
    return;
  v->blind_writes +=
      h->kind[op] == OP_WRITE && !was_read && !history_is_of_set(h, op);
  const bool starts = !was_read && v->writer[key] != t + 1;
  *blind |= starts;
  v->chains[key] +=
      starts && h->kind[op] == OP_WRITE && h->outcome[t] != OUTCOME_ABORTED;
  v->writer[key] = t + 1;
}

static enum txn_shape find_txn_shape(const struct history *h, uint32_t t,
                                     struct versions *v) {
  assert(t < h->ntxns);
  bool reads = false, writes = false, blind = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    reads |= op_reads(h->kind[op]);
    writes |= op_writes(h->kind[op]);
    follow_op(h, t, op, v, &blind);
  }
  if (!writes)
    return reads ? SHAPE_READ_ONLY : SHAPE_EMPTY;
  if (!reads)
    return SHAPE_WRITE_ONLY;
  return blind ? SHAPE_MIXED : SHAPE_READ_MODIFY_WRITE;
}

static void count_shapes(const struct history *h,
                         struct history_statistics *s) {
  struct versions v = {xcalloc(h->nkeys, sizeof *v.reader),
                       xcalloc(h->nkeys, sizeof *v.writer),
                       xcalloc(h->nkeys, sizeof *v.chains), 0};
  for (uint32_t t = 0; t < h->ntxns; t++)
    s->by_shape[find_txn_shape(h, t, &v)]++;
  for (uint32_t k = 0; k < h->nkeys; k++) {
    const uint64_t n = v.chains[k];
    s->open_choices += n * (n - (n > 0)) / 2;
    s->open_keys += n > 1;
  }
  s->blind_writes = v.blind_writes;
  FREE_EACH(v.reader, v.writer, v.chains);
}

static int most_first(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x < y) - (x > y);
}

static void measure_skew(const struct history *h, const struct told_keys *told,
                         struct history_statistics *s) {
  uint32_t *uses = xcalloc(h->nkeys, sizeof *uses), max = 0;
  uint64_t top = 0;
  for (uint32_t op = 0; op < h->nops; op = told_end(h, told, op))
    uses[told->key ? told->key[h->key[op]] : h->key[op]]++;
  s->hottest_key = UINT32_MAX;
  for (uint32_t k = 0; k < h->nkeys; k++) {
    s->keys += uses[k] != 0;
    if (uses[k] > max) {
      max = uses[k];
      s->hottest_key = k;
    }
  }
  qsort(uses, h->nkeys, sizeof *uses, most_first);
  s->top_keys = s->keys / 100 + (s->keys % 100 != 0);
  for (uint32_t i = 0; i < s->top_keys; i++)
    top += uses[i];
  s->hottest_share = s->operations ? (double)max / s->operations : 0;
  s->top_share = s->operations ? (double)top / s->operations : 0;
  free(uses);
}

static void measure_time(const struct history *h,
                         struct history_statistics *s) {
  uint64_t first = UINT64_MAX, last = 0;
  double open = 0;
  for (uint32_t t = 0; h->begin && t < h->ntxns; t++) {
    if (h->begin[t] == TIME_UNKNOWN || h->end[t] == TIME_UNKNOWN)
      continue;
    s->times = true;
    first = h->begin[t] < first ? h->begin[t] : first;
    last = h->end[t] > last ? h->end[t] : last;
    open += (double)(h->end[t] - h->begin[t]);
  }
  s->duration = s->times ? last - first : 0;
  s->concurrency = s->duration ? open / (double)s->duration : 0;
}

static void count_statements(const struct history *h,
                             struct history_statistics *s) {
  const struct rows *rows = h->rows;
  s->statements = rows ? rows->nstatements : 0;
  s->tables = rows ? rows->ntables : 0;
  for (uint32_t i = 0; i < s->statements; i++)
    s->by_statement[rows->statements[i].sort]++;
  for (uint32_t key = 0; rows && key < h->nkeys; key++)
    s->rows += rows->key_table[key] != ROWS_NONE;
}

void history_statistics(const struct history *history,
                        struct history_statistics *statistics) {
  *statistics = (struct history_statistics){.complete = history->complete,
                                            .lost_txns = history->lost_txns};
  struct told_keys told = history_told_keys(history);
  count_session_figures(history, statistics);
  count_transactions(history, &told, statistics);
  count_operation_figures(history, &told, statistics);
  count_shapes(history, statistics);
  count_statements(history, statistics);
  measure_skew(history, &told, statistics);
  measure_time(history, statistics);
  told_keys_free(&told);
}

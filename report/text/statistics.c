// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a history's figures (report/text/statistics.h).
#include "config.h"

#include "report/text/statistics.h"

#include "base/clock.h"

#include <assert.h>
#include <inttypes.h>

// Prints `, COUNT NAME` for what there is of something, without the comma the
// first time.
static void print_count(FILE *out, bool *first, uint32_t count,
                        const char *name) {
  if (count)
    fprintf(out, "%s%" PRIu32 " %s", *first ? "" : ", ", count, name);
  *first &= count == 0;
}

static void print_kinds(const struct history_statistics *s, FILE *out) {
  bool first = true;
  fprintf(out, "operations      %" PRIu32, s->operations);
  if (s->operations)
    fputs(": ", out);
  for (unsigned kind = 0; kind < OP_KIND_COUNT; kind++)
    print_count(out, &first, s->by_kind[kind], op_kind_name(kind));
  print_count(out, &first, s->set_reads, "read set");
  print_count(out, &first, s->set_adds, "add");
  fprintf(out, "\n  per transaction %.2f on average, %" PRIu32 " at most\n",
          s->mean_ops, s->max_ops);
}

static void print_statements(const struct history_statistics *s, FILE *out) {
  bool first = true;
  if (!s->statements)
    return;
  fprintf(out, "statements      %" PRIu32 ": ", s->statements);
  for (int sort = 0; sort < STATEMENT_COUNT; sort++)
    print_count(out, &first, s->by_statement[sort],
                statement_word((enum statement_sort)sort));
  fprintf(out, "\n  on            %" PRIu32 " rows of %" PRIu32 " tables\n",
          s->rows, s->tables);
}

static void print_shapes(const struct history_statistics *s, FILE *out) {
  static const char *const names[] = {[SHAPE_EMPTY] = "empty",
                                      [SHAPE_READ_ONLY] = "read only",
                                      [SHAPE_WRITE_ONLY] = "write only",
                                      [SHAPE_READ_MODIFY_WRITE] =
                                          "read-modify-write",
                                      [SHAPE_MIXED] = "mixed"};
  bool first = true;
  if (!s->transactions)
    return;
  fputs("  shapes        ", out);
  for (int i = 0; i < SHAPE_COUNT; i++)
    print_count(out, &first, s->by_shape[i], names[i]);
  fputs("\n", out);
}

static void print_transactions(const struct history_statistics *s, FILE *out) {
  bool first = true;
  fprintf(out,
          "sessions        %" PRIu32 ", of %" PRIu32 " to %" PRIu32
          " transactions\n",
          s->sessions, s->min_per_session, s->max_per_session);
  fprintf(out, "transactions    %" PRIu32, s->transactions);
  if (s->transactions)
    fputs(": ", out);
  for (int i = 0; i < OUTCOME_COUNT; i++)
    print_count(out, &first, s->by_outcome[i], outcome_name((enum outcome)i));
  fputs("\n", out);
  print_shapes(s, out);
  if (s->by_outcome[OUTCOME_OK] < s->transactions) {
    fputs("  not committed ", out);
    first = true;
    for (int i = 0; i < CAUSE_COUNT; i++)
      print_count(out, &first, s->by_cause[i], cause_name((enum cause)i));
    fputs("\n", out);
  }
  if (s->by_level[ISOLATION_NONE] < s->transactions) {
    fputs("  run at        ", out);
    first = true;
    for (int i = 0; i < ISOLATION_COUNT; i++)
      print_count(out, &first, s->by_level[i],
                  isolation_title((enum isolation)i));
    fputs("\n", out);
  }
}

static void print_reads(const struct history_statistics *s, FILE *out) {
  fprintf(out, "reads of initial values %" PRIu32 ", out of thin air %" PRIu32,
          s->initial_reads, s->thin_air_reads);
  if (s->lost_reads)
    fprintf(out, ", of lost writes %" PRIu32, s->lost_reads);
  fprintf(out, "\nblind writes    %" PRIu32 "\n", s->blind_writes);
  fprintf(out,
          "open choices    %" PRIu64 " pairs of versions, of %" PRIu32
          " keys\n",
          s->open_choices, s->open_keys);
  if (s->by_kind[OP_READ_LIST])
    fprintf(out,
            "lists read      %" PRIu64 " elements, %" PRIu32
            " in the longest\n",
            s->elements, s->longest_list);
  if (s->sets)
    fprintf(out,
            "sets            %" PRIu32 ", in which reads found %" PRIu64
            " elements\n",
            s->sets, s->set_elements);
}

static void print_place(const struct history *h, uint32_t op, FILE *out) {
  assert(op < h->nops);
  const uint32_t t = history_txn(h, op), session = history_session(h, t);
  fprintf(out, "%" PRIu32 ":%" PRIu32, session, t - h->session_first[session]);
}

// Reads that may have seen several writes; of a list each element is one.
static uint64_t ambiguous_reads(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t op = 0; op < h->nops; op++) {
    const uint32_t saw = h->saw[op], key = h->key[op];
    if (h->kind[op] == OP_READ_LIST)
      for (uint32_t e = h->list[saw].first; e < history_list_end(h, saw); e++)
        n += history_is_ambiguous(h, key, h->element[e]);
    else if (op_reads(h->kind[op]))
      n += history_is_ambiguous(h, key, saw);
  }
  return n;
}

static void print_duplicates(const struct history *h, FILE *out) {
  char key[24], value[24];
  if (!h->nduplicates)
    return;
  fprintf(out,
          "values twice    %" PRIu32 " writes; the first %s to key %s, in ",
          h->nduplicates,
          history_value(h, history_op_value(h, h->duplicate), value),
          history_key(h, h->key[h->duplicate], key));
  if (h->duplicated == SAW_INITIAL)
    fputs("what it held at first", out);
  else
    print_place(h, h->duplicated, out);
  fputs(" and in ", out);
  print_place(h, h->duplicate, out);
  fprintf(out, "\n  their reads   %" PRIu64 " may have seen several writes\n",
          ambiguous_reads(h));
}

void statistics_print(const struct history *history,
                      const struct history_statistics *s, FILE *out) {
  char buffer[24];
  print_transactions(s, out);
  print_kinds(s, out);
  print_statements(s, out);
  print_reads(s, out);
  print_duplicates(history, out);
  fprintf(out, "keys            %" PRIu32 "\n", s->keys);
  if (s->keys)
    fprintf(out,
            "  the hottest   %s, with %.1f %% of the operations; the top 1 %% "
            "(%" PRIu32 ") have %.1f %%\n",
            history_key(history, s->hottest_key, buffer),
            s->hottest_share * 100, s->top_keys, s->top_share * 100);
  if (s->times)
    fprintf(out,
            "time            %.3f s, with %.2f transactions open on average\n",
            (double)s->duration / (double)NS_PER_SECOND, s->concurrency);
  else
    fputs("time            not recorded\n", out);
  if (s->complete)
    return;
  fputs("incomplete      a part of the file was lost", out);
  if (s->lost_txns)
    fprintf(out, ", with at least %" PRIu64 " transactions", s->lost_txns);
  fputs("\n", out);
}

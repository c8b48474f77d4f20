// SPDX-License-Identifier: GPL-3.0-or-later
// A history in figures.
#include "config.h"

#include "recorder/builder/builder.h"
#include "report/text/statistics.h"
#include "tests/tap.h"

#include <stdlib.h>

static struct history finish(struct builder *b) {
  struct history h;
  struct error error = {0};
  CHECK_INT(builder_finish(b, &h, &error), 0);
  return h;
}

static struct history make_history(void) {
  struct builder *b = builder_open();
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_SI, 1000, 4000);
  builder_op(b, OP_READ, 1, 0);
  builder_op(b, OP_WRITE, 1, 10);
  builder_op(b, OP_WRITE, 2, 20); // blind
  builder_txn(b, 0, OUTCOME_ABORTED, ISOLATION_SI, 4000, 5000);
  builder_cause(b, CAUSE_DEADLOCK);
  builder_op(b, OP_WRITE, 1, 11); // blind: it was another one that read
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SI, 2000, 3000);
  builder_op(b, OP_READ, 1, 77); // thin air
  builder_cas(b, 1, 10, 12);
  builder_op(b, OP_WRITE, 1, 13);
  builder_txn(b, 1, OUTCOME_UNKNOWN, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_cause(b, CAUSE_CONNECTION);
  builder_op(b, OP_APPEND, 3, 1);
  builder_list(b, 3, (const uint64_t[]){1, 5}, 2);
  builder_list(b, 3, NULL, 0);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SI, 3000, 3000);
  return finish(b);
}

static void everything_is_counted(void) {
  struct history h = make_history();
  struct history_statistics s;
  history_statistics(&h, &s);
  CHECK_INT(s.sessions, 2);
  CHECK_INT(s.min_per_session, 2);
  CHECK_INT(s.max_per_session, 3);
  CHECK_INT(s.transactions, 5);
  CHECK_INT(s.by_outcome[OUTCOME_OK], 3);
  CHECK_INT(s.by_cause[CAUSE_DEADLOCK], 1);
  CHECK_INT(s.by_cause[CAUSE_CONNECTION], 1);
  CHECK_INT(s.by_cause[CAUSE_NONE], 0);
  CHECK_INT(s.by_level[ISOLATION_SI], 4);
  CHECK_INT(s.operations, 10);
  CHECK_INT(s.by_kind[OP_READ], 2);
  CHECK_INT(s.by_kind[OP_WRITE], 4);
  CHECK_INT(s.by_kind[OP_READ_LIST], 2);
  CHECK(s.mean_ops == 2 && s.max_ops == 3);
  CHECK_INT(s.initial_reads, 2);
  CHECK_INT(s.thin_air_reads, 2);
  CHECK_INT(s.lost_reads, 0);
  CHECK_INT(s.blind_writes, 2);
  CHECK_INT(s.elements, 2);
  CHECK_INT(s.longest_list, 2);
  CHECK_INT(s.keys, 3);
  CHECK_INT(h.key_number[s.hottest_key], 1);
  CHECK(s.hottest_share == 0.6 && s.top_share == 0.6);
  CHECK_INT(s.top_keys, 1);
  CHECK_INT(s.duration, 4000);
  CHECK(s.concurrency == 5000.0 / 4000);
  history_free(&h);
}

static void an_empty_history_has_figures(void) {
  struct history h = finish(builder_open());
  struct history_statistics s;
  history_statistics(&h, &s);
  CHECK_INT(s.transactions + s.operations + s.keys + s.min_per_session, 0);
  CHECK(s.mean_ops == 0 && s.hottest_share == 0 && !s.times);
  history_free(&h);
}

// The printed statistics, in memory to be freed.
static char *print(const struct history *h) {
  struct history_statistics s;
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  history_statistics(h, &s);
  statistics_print(h, &s, out);
  CHECK(fclose(out) == 0);
  return text;
}

static void figures_are_printed(void) {
  struct history h = make_history();
  char *text = print(&h);
  CHECK_STR(
      text,
      "sessions        2, of 2 to 3 transactions\n"
      "transactions    5: 3 committed, 1 aborted, 1 unknown\n"
      "  shapes        1 empty, 1 write only, 1 read-modify-write, 2 mixed\n"
      "  not committed 1 deadlock, 1 connection lost\n"
      "  run at        4 snapshot isolation, 1 serializability\n"
      "operations      10: 2 read, 4 write, 1 cas, 2 read list, 1 append\n"
      "  per transaction 2.00 on average, 3 at most\n"
      "reads of initial values 2, out of thin air 2\n"
      "blind writes    2\n"
      "open choices    0 pairs of versions, of 0 keys\n"
      "lists read      2 elements, 2 in the longest\n"
      "keys            3\n"
      "  the hottest   1, with 60.0 % of the operations; the top 1 % (1) "
      "have 60.0 %\n"
      "time            0.000 s, with 1.25 transactions open on average\n");
  free(text);
  h.complete = false;
  h.lost_txns = 7;
  text = print(&h);
  CHECK(strstr(text, "incomplete      a part of the file was lost, with at "
                     "least 7 transactions\n"));
  free(text);
  history_free(&h);
}

// Three blind writes of one key: which of each pair came first is open; a write
// of what was read, an aborted one and another key's are not.
static void open_choices_are_counted(void) {
  struct builder *b = builder_open();
  struct history_statistics s;
  for (uint64_t i = 1; i <= 4; i++) {
    builder_txn(b, i, i == 4 ? OUTCOME_ABORTED : OUTCOME_OK, ISOLATION_NONE,
                TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_WRITE, 1, i);
    builder_op(b, OP_WRITE, 1, i + 100);
  }
  builder_txn(b, 5, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, OP_READ, 1, 101);
  builder_op(b, OP_WRITE, 1, 5);
  builder_op(b, OP_WRITE, 2, 6);
  struct history h = finish(b);
  history_statistics(&h, &s);
  CHECK_INT(s.open_choices, 3);
  CHECK_INT(s.open_keys, 1);
  CHECK_INT(s.by_shape[SHAPE_WRITE_ONLY], 4);
  CHECK_INT(s.by_shape[SHAPE_MIXED], 1);
  history_free(&h);
}

static void duplicates_are_placed(void) {
  struct builder *b = builder_open();
  builder_options(b)->allow_duplicates = true;
  for (uint64_t i = 0; i < 3; i++) {
    builder_txn(b, i, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_WRITE, 1, 7);
    builder_op(b, OP_WRITE, 2, 7 + i);
  }
  struct history h = finish(b);
  CHECK_INT(h.nduplicates, 2);
  char *text = print(&h);
  CHECK(strstr(text, "values twice    2 writes; the first 7 to key 1, in 0:0 "
                     "and in 1:0\n"));
  free(text);
  history_free(&h);
}

int main(void) {
  return TAP_RUN({"everything is counted", everything_is_counted},
                 {"an empty history has figures", an_empty_history_has_figures},
                 {"figures are printed", figures_are_printed},
                 {"open choices are counted", open_choices_are_counted},
                 {"duplicates are placed", duplicates_are_placed});
}

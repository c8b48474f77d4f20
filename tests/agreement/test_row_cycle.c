// SPDX-License-Identifier: GPL-3.0-or-later
// Cycles that say why no serial order of a part with rows exists: random tiny
// histories that the referee finds serializable have none, and most of the
// others have one.
#include "config.h"

#include "checker/part/rows_cut.h"
#include "checker/rows/row_cycle.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/rows/rows_question.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>

struct tally {
  uint64_t kept, broken;
  uint64_t wrong, told; // of the kept and of the broken: with a cycle
};

static uint64_t rounds(void) { return tap_inputs(4000, 50); }

static void show(const struct history *h) {
  struct error error = {0};
  printf("# this history is serializable, and has a cycle\n");
  fflush(stdout);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

static bool has_cycle(const struct history *h, const uint8_t *counted,
                      const struct check_options *options) {
  uint8_t key[64], statement[256];
  memset(key, 1, sizeof key);
  memset(statement, 1, sizeof statement);
  CHECK(h->nkeys <= sizeof key && h->rows->nstatements <= sizeof statement);
  const struct cut all = {.key = key, .statement = statement};
  struct rows_part part = cut_history(h, counted, &all);
  struct row_cycle cycle = {0};
  if (part.history.rows)
    row_cycle_find(&cycle, &part.history, options);
  for (uint32_t i = 0; i < cycle.nedges; i++)
    CHECK_INT(cycle.edges[i].to, cycle.edges[(i + 1) % cycle.nedges].from);
  const bool found = cycle.nedges > 0;
  free(cycle.edges);
  free(cycle.statements);
  free(cycle.leavers);
  rows_part_free(&part);
  return found;
}

static void compare(const struct history *h, bool real_time, bool by_items,
                    struct tally *tally) {
  const struct check_options options = {
      .question = {.level = real_time ? ISOLATION_SSER : ISOLATION_SER,
                   .session_order = true,
                   .by_items = by_items}};
  const struct referee_rows_options question = question_about_rows(h, &options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  struct verdict_counts counts;
  const enum referee_answer answer =
      referee_rows_decide(h, &question, order, &norder);
  if (answer == REFEREE_TOO_LARGE || !h->rows)
    return;
  uint8_t *counted = settled_count(h, &counts);
  const bool cycle = has_cycle(h, counted, &options);
  free(counted);
  tally->kept += answer == REFEREE_KEPT;
  tally->broken += answer == REFEREE_BROKEN;
  tally->told += answer == REFEREE_BROKEN && cycle;
  tally->wrong += answer == REFEREE_KEPT && cycle;
  if (answer == REFEREE_KEPT && cycle && tally->wrong < 3)
    show(h);
}

static void check_odds(struct rows_odds odds, uint64_t seed, bool real_time,
                       bool by_items) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, &odds);
    compare(&h, real_time, by_items, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, broken %llu, of these with a cycle %llu\n",
         (unsigned long long)tally.kept, (unsigned long long)tally.broken,
         (unsigned long long)tally.told);
  CHECK_INT(tally.wrong, 0);
  CHECK(tally.kept > rounds() / 10 && tally.broken > rounds() / 10);
  CHECK(tally.told > tally.broken / 3);
}

static void cycles_are_right(void) {
  check_odds((struct rows_odds){.ntxns = 6, .stray = 2}, 21, false, false);
  check_odds((struct rows_odds){.ntxns = 5, .stray = 8, .aborted = 20}, 22,
             false, false);
}

static void keys_are_used_again(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 4, .reuse = true}, 23,
             false, false);
}

static void time_counts(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 2, .times = true}, 24,
             true, false);
}

static void items_alone(void) {
  check_odds((struct rows_odds){.ntxns = 6, .stray = 8}, 25, false, true);
}

int main(void) {
  return TAP_RUN({"serializable rows have no cycle", cycles_are_right},
                 {"nor have keys that are used again", keys_are_used_again},
                 {"nor is there one in real time", time_counts},
                 {"nor one of the rows that came back", items_alone});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// On random tiny histories with SQL statements the engine gives the answer of
// the referee at PC, SI, SER and SSER, and what it keeps is verified.
//
// With ISOSTRESS_LONG places agreed with the referee on all that they decided
// of 1,750,000 histories at mixed levels: without CC all of 683,977, with CC
// 691,691 of 693,211.  In real time 2,351 of 2,381 were decided.
#include "config.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/part/rows_cut.h"
#include "checker/rows/by_places.h"
#include "checker/rows/show_rows.h"
#include "checker/rows/smallest_cut.h"
#include "checker/rows/verify_part.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/latest_reads.h"
#include "checker/verify/rows/rows_question.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static uint64_t rounds(void) { return tap_inputs(2500, 100); }

struct tally {
  uint64_t refused, kept, broken, open; // at SER
  uint64_t unseen;          // kept or broken where the registers are kept
  uint64_t proved, smaller; // parts, and such as have fewer transactions
  uint64_t undecided, different;
};

// A transaction that did nothing may come between two others, in its session
// and in time.  Parts have none, and then no part may show what is broken.
static bool has_empty(const struct history *h) {
  const uint32_t *first = h->rows->txn_statement;
  bool empty = false;
  for (uint32_t t = 0; t < h->ntxns; t++)
    empty |= first[t] == first[t + 1];
  return empty;
}

// The part that shows what is broken is one, however little was known of it.
static void check_part(const struct history *h, const uint8_t *counted,
                       const struct check_options *options,
                       const struct rows_decision *d, struct tally *tally) {
  struct rows_part part = {0};
  struct error error = {0};
  uint32_t ncases;
  const bool found = smallest_cut(h, counted, options, d, &part);
  CHECK(found || has_empty(h));
  if (!found)
    return;
  CHECK_INT(verify_rows_part(h, counted, &part.history, part.txns.items,
                             part.statements.items, NULL, options, &ncases,
                             &error),
            VERIFIED);
  CHECK_STR(error.text, "");
  tally->proved++;
  tally->smaller += part.history.ntxns < h->ntxns;
  rows_part_free(&part);
}

// As the checker goes about it.
static enum rows_answer answer_of(const struct history *h,
                                  const struct check_options *options,
                                  struct tally *tally) {
  struct history registers = rows_registers(h, options->question.plain_reads);
  struct verdict v = {0};
  struct error error = {0};
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&registers, &counts);
  struct rows_decision d = {.answer = ROWS_BROKEN};
  CHECK_INT(check(&registers, options, &v, &error), 0);
  CHECK(v.kind != VERDICT_UNDECIDED);
  if (v.kind == VERDICT_PASS &&
      rows_wrong_statement(h, counted, options) == UINT32_MAX) {
    CHECK_INT(rows_decide(&d, h, &registers, options, &error), 0);
    tally->unseen++;
  }
  if (d.answer == ROWS_KEPT) {
    const struct rows_proof kept = {
        .order = d.order, .norder = d.norder, .snapshot = d.snapshot};
    CHECK_INT(verify_rows(h, &registers, counted, options, &kept, &error), 0);
    CHECK_INT(
        verify_latest_reads(h, counted, options, d.order, d.norder, &error),
        VERIFIED);
    CHECK_STR(error.text, "");
  }
  if (d.answer == ROWS_BROKEN)
    check_part(h, counted, options, &d, tally);
  const enum rows_answer answer = d.answer;
  rows_decision_free(&d);
  verdict_free(&v);
  free(counted);
  rows_as_registers_free(&registers);
  return answer;
}

// Below PC, by places.
static enum rows_answer weak_answer_of(const struct history *h,
                                       const struct check_options *options) {
  struct verdict_counts counts;
  struct error error = {0};
  uint8_t *counted = settled_count(h, &counts);
  struct verdict v = {.kind = VERDICT_UNDECIDED};
  enum rows_answer answer = ROWS_STOPPED;
  if (rows_wrong_statement(h, counted, options) != UINT32_MAX ||
      rows_break_by_places(h, options)) {
    answer = ROWS_BROKEN;
  } else {
    CHECK_INT(rows_decide_by_places(h, options, &v, &error), 0);
    CHECK_STR(error.text, "");
    CHECK(v.kind != VERDICT_VIOLATION);
    answer = v.kind == VERDICT_PASS ? ROWS_KEPT : ROWS_STOPPED;
  }
  verdict_free(&v);
  free(counted);
  return answer;
}

static void show(const struct history *h, enum isolation level,
                 enum referee_answer referee) {
  struct error error = {0};
  printf("# %s: the referee says %s\n", isolation_name(level),
         referee == REFEREE_KEPT ? "kept" : "broken");
  fflush(stdout);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

// How statements are read.
struct reading {
  bool rc_sees_session, by_items, plain;
};

static void compare(const struct history *h, enum isolation level,
                    struct reading reading, struct tally *tally) {
  const struct check_options options = {
      .question = {.level = level,
                   .session_order = true,
                   .rc_sees_session = reading.rc_sees_session,
                   .by_items = reading.by_items,
                   .plain_reads = reading.plain}};
  const struct referee_rows_options question = question_about_rows(h, &options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer referee =
      referee_rows_decide(h, &question, order, &norder);
  tally->open += referee == REFEREE_TOO_LARGE;
  if (referee == REFEREE_TOO_LARGE)
    return;
  const enum rows_answer answer = level_saturates(level)
                                      ? weak_answer_of(h, &options)
                                      : answer_of(h, &options, tally);
  tally->undecided += answer == ROWS_STOPPED;
  if (answer == ROWS_STOPPED)
    return;
  tally->kept += referee == REFEREE_KEPT;
  tally->broken += referee == REFEREE_BROKEN;
  if (answer != (referee == REFEREE_KEPT ? ROWS_KEPT : ROWS_BROKEN) &&
      tally->different++ < 3)
    show(h, level, referee);
}

static struct tally compare_all(const struct rows_odds *odds, uint64_t seed,
                                struct reading reading) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, odds);
    for (int level = reading.plain ? ISOLATION_PC : ISOLATION_RC;
         level <= (odds->times ? ISOLATION_SSER : ISOLATION_SER); level++)
      if (level != ISOLATION_CC)
        compare(&h, (enum isolation)level, reading, &tally);
    reading.rc_sees_session = true;
    if (!reading.plain)
      compare(&h, ISOLATION_RC, reading, &tally);
    reading.rc_sees_session = false;
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, broken %llu, by rows that did not come back %llu, "
         "undecided %llu\n",
         (unsigned long long)tally.kept, (unsigned long long)tally.broken,
         (unsigned long long)tally.unseen, (unsigned long long)tally.undecided);
  return tally;
}

static void check_odds(struct rows_odds odds, uint64_t seed) {
  const struct tally tally = compare_all(&odds, seed, (struct reading){0});
  CHECK_INT(tally.different, 0);
  CHECK(tally.open < rounds() / 50);
  CHECK(tally.kept > rounds() / 8 && tally.broken > rounds() / 8);
  CHECK(tally.unseen > rounds() / 8);
  CHECK_INT(tally.undecided, 0);
  CHECK(tally.proved > rounds() / 8 && tally.smaller > rounds() / 16);
}

// Rows that statements missed bind nothing: less is broken.
static void check_items(struct rows_odds odds, uint64_t seed) {
  const struct tally all = compare_all(&odds, seed, (struct reading){0});
  const struct tally items =
      compare_all(&odds, seed, (struct reading){.by_items = true});
  CHECK_INT(items.different, 0);
  CHECK(items.open < rounds() / 50);
  CHECK(items.broken > rounds() / 8 && items.broken < all.broken);
}

// Only plain SELECTs are reads.
static void check_plain(struct rows_odds odds, uint64_t seed) {
  const struct tally plain =
      compare_all(&odds, seed, (struct reading){.plain = true});
  CHECK_INT(plain.different, 0);
  CHECK(plain.open < rounds() / 50);
  CHECK(plain.kept > rounds() / 8 && plain.broken > rounds() / 8);
  CHECK_INT(plain.undecided, 0);
  CHECK(plain.proved > rounds() / 8);
}

static void plain_reads_agree(void) {
  check_plain((struct rows_odds){.ntxns = 6, .stray = 2}, 7);
  check_plain((struct rows_odds){.ntxns = 5, .stray = 8, .aborted = 10}, 8);
  check_plain((struct rows_odds){.ntxns = 5, .stray = 4, .reuse = true}, 9);
}

static void items_agree(void) {
  check_items((struct rows_odds){.ntxns = 6, .stray = 2}, 5);
  check_items((struct rows_odds){.ntxns = 5, .stray = 8, .reuse = true}, 6);
}

static void chains_agree(void) {
  check_odds((struct rows_odds){.ntxns = 6, .stray = 2}, 1);
}

static void strays_agree(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 12, .aborted = 10}, 2);
}

static void used_keys_agree(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 4, .reuse = true}, 3);
}

static void real_time_agrees(void) {
  check_odds((struct rows_odds){.ntxns = 5, .stray = 3, .times = true}, 4);
}

static void give_levels(gsl_rng *random, struct history *h, bool causal) {
  static const enum isolation levels[] = {ISOLATION_RC,  ISOLATION_RA,
                                          ISOLATION_PC,  ISOLATION_SI,
                                          ISOLATION_SER, ISOLATION_CC};
  for (uint32_t t = 0; t < h->ntxns; t++)
    h->level[t] = (uint8_t)levels[gsl_rng_uniform_int(random, 5 + causal)];
}

// The rows that came back, as registers of which a statement reads all at once,
// against the referee of rows and that of registers.
static void compare_registers(const struct history *h,
                              const struct check_options *options, bool exact,
                              struct tally *tally) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  struct error error = {0};
  struct verdict_counts counts;
  struct history registers = rows_registers(h, false);
  uint8_t *counted = settled_count(&registers, &counts);
  const enum referee_answer referee =
      referee_rows_decide(h, &question, order, &norder);
  if (referee != REFEREE_TOO_LARGE &&
      rows_wrong_statement(h, counted, options) == UINT32_MAX) {
    struct verdict v;
    CHECK_INT(check(&registers, options, &v, &error), 0);
    CHECK_STR(error.text, "");
    const enum referee_answer other =
        referee_decide(&registers, &question.all, NULL, NULL);
    CHECK_INT(other == REFEREE_KEPT, v.kind == VERDICT_PASS);
    tally->kept += v.kind == VERDICT_PASS;
    tally->broken += v.kind == VERDICT_VIOLATION;
    const bool differs = (v.kind == VERDICT_PASS) != (referee == REFEREE_KEPT);
    if (differs && (exact || v.kind != VERDICT_PASS) && tally->different++ < 3)
      show(h, options->question.level, referee);
    verdict_free(&v);
  }
  free(counted);
  rows_as_registers_free(&registers);
}

static void check_registers(struct rows_odds odds, uint64_t seed) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, &odds);
    struct check_options options = {
        .question = {.session_order = true, .by_items = true}};
    for (int level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
      options.question.level = (enum isolation)level;
      compare_registers(&h, &options, !odds.reuse, &tally);
    }
    give_levels(random, &h, i % 2);
    options.question.recorded = true;
    options = settled_options(&h, &options);
    compare_registers(&h, &options, !odds.reuse, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, broken %llu\n", (unsigned long long)tally.kept,
         (unsigned long long)tally.broken);
  CHECK_INT(tally.different, 0);
  CHECK(tally.kept > rounds() / 4 && tally.broken > rounds() / 4);
}

static void registers_agree(void) {
  check_registers((struct rows_odds){.ntxns = 6, .stray = 8}, 13);
  check_registers((struct rows_odds){.ntxns = 5, .stray = 20, .aborted = 10},
                  14);
  check_registers((struct rows_odds){.ntxns = 5, .stray = 8, .reuse = true},
                  15);
}

// --- Parts.

// Rows and statements at random, with the versions that these need.
static struct rows_part random_part(gsl_rng *random, const struct history *h,
                                    const struct check_options *options,
                                    bool whole) {
  uint8_t *members = xcalloc(h->ntxns, 1);
  struct cut cut = {.key = xcalloc(h->nkeys, 1),
                    .statement = xcalloc(h->rows->nstatements, 1),
                    .options = options};
  for (uint32_t t = 0; t < h->ntxns; t++)
    members[t] = h->outcome[t] != OUTCOME_ABORTED;
  for (uint32_t key = 0; key < h->nkeys; key++)
    cut.key[key] = gsl_rng_uniform_int(random, 2) == 0;
  for (uint32_t s = 0; s < h->rows->nstatements; s++)
    cut.statement[s] = gsl_rng_uniform_int(random, 3) == 0;
  struct row_versions versions = row_versions_of(h, members, options);
  cut.versions = whole ? NULL : &versions;
  struct rows_part part = cut_history(h, members, &cut);
  row_versions_free(&versions);
  FREE_EACH(cut.key, cut.statement, members);
  return part;
}

struct parts {
  uint64_t kept, smaller, different, refused;
};

// A part forbids no more than the whole, and the verifier takes it for one.
static void compare_part(gsl_rng *random, const struct history *h,
                         const struct check_options *options,
                         struct parts *parts) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder, ncases;
  struct error error = {0};
  if (referee_rows_decide(h, &question, order, &norder) != REFEREE_KEPT)
    return;
  gsl_rng *again = gsl_rng_clone(random);
  struct rows_part part = random_part(random, h, options, false),
                   whole = random_part(again, h, options, true);
  const struct referee_rows_options of_part =
      question_about_rows(&part.history, options);
  uint8_t *members = rows_members(h);
  const bool kept = referee_rows_decide(&part.history, &of_part, order,
                                        &norder) == REFEREE_KEPT;
  const enum verified verified =
      verify_rows_part(h, members, &part.history, part.txns.items,
                       part.statements.items, NULL, options, &ncases, &error);
  parts->kept += kept;
  parts->smaller +=
      part.history.rows->nstatements < whole.history.rows->nstatements;
  if (!kept && parts->different++ < 3) {
    show(h, options->question.level, REFEREE_KEPT);
    show(&part.history, options->question.level, REFEREE_BROKEN);
  }
  CHECK(verified == VERIFY_REFUSED); // it breaks nothing
  if (!strstr(error.text, "does not break") && parts->refused++ < 3) {
    printf("# %s\n", error.text);
    show(h, options->question.level, REFEREE_KEPT);
    show(&part.history, options->question.level, REFEREE_KEPT);
  }
  free(members);
  gsl_rng_free(again);
  rows_part_free(&part);
  rows_part_free(&whole);
}

static void check_parts(struct rows_odds odds, uint64_t seed) {
  struct parts parts = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, &odds);
    struct check_options options = {.question = {.session_order = true}};
    for (int level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
      options.question.level = (enum isolation)level;
      options.question.rc_sees_session = level == ISOLATION_RC && i % 2;
      compare_part(random, &h, &options, &parts);
    }
    give_levels(random, &h, i % 2);
    options.question.recorded = true;
    options = settled_options(&h, &options);
    compare_part(random, &h, &options, &parts);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# parts kept %llu, with fewer versions %llu\n",
         (unsigned long long)parts.kept, (unsigned long long)parts.smaller);
  CHECK_INT(parts.different, 0);
  CHECK_INT(parts.refused, 0);
  CHECK(parts.kept > rounds() && parts.smaller > rounds() / 8);
}

static void parts_forbid_no_more(void) {
  check_parts((struct rows_odds){.ntxns = 7, .stray = 2}, 16);
  check_parts((struct rows_odds){.ntxns = 7, .stray = 6, .unknown = 10}, 17);
  check_parts((struct rows_odds){.ntxns = 6, .stray = 4, .reuse = true}, 18);
}

// As for histories that are too large to try everything.
static void compare_by_places(const struct history *h, bool real_time,
                              struct tally *tally) {
  const struct check_options asked = {.question = {.recorded = true,
                                                   .session_order = true,
                                                   .real_time = real_time}};
  const struct check_options options = settled_options(h, &asked);
  const struct referee_rows_options question = question_about_rows(h, &options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  struct verdict v = {.kind = VERDICT_UNDECIDED,
                      .question = {.recorded = true}};
  struct error error = {0};
  const enum referee_answer referee =
      referee_rows_decide(h, &question, order, &norder);
  if (referee == REFEREE_TOO_LARGE ||
      !options.question.recorded) // all at one level
    return;
  struct verdict_counts counts;
  uint8_t *counted = settled_count(h, &counts);
  CHECK_INT(rows_decide_by_places(h, &options, &v, &error), 0);
  CHECK_STR(error.text, "");
  tally->refused += !strncmp(v.why, "its levels seem", 15);
  tally->kept += v.kind == VERDICT_PASS;
  tally->broken += v.kind == VERDICT_VIOLATION;
  tally->undecided += v.kind == VERDICT_UNDECIDED &&
                      rows_wrong_statement(h, counted, &options) == UINT32_MAX;
  free(counted);
  if (v.kind != VERDICT_UNDECIDED &&
      (v.kind == VERDICT_PASS) != (referee == REFEREE_KEPT) &&
      tally->different++ < 3)
    show(h, options.question.level, referee);
  verdict_free(&v);
}

static void check_mixed(struct rows_odds odds, bool causal, uint64_t seed) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++) {
    struct history h = rows_random(random, &odds);
    give_levels(random, &h, causal);
    compare_by_places(&h, odds.times, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# kept %llu, broken %llu, undecided %llu, refused %llu\n",
         (unsigned long long)tally.kept, (unsigned long long)tally.broken,
         (unsigned long long)tally.undecided,
         (unsigned long long)tally.refused);
  CHECK_INT(tally.different, 0);
  CHECK(tally.kept > rounds() / 4 && tally.broken > rounds() / 16);
  CHECK(tally.undecided <= rounds() / (odds.times ? 50 : causal ? 250 : 1000));
}

static void mixed_levels_agree(void) {
  for (int causal = 0; causal < 2; causal++) {
    check_mixed((struct rows_odds){.ntxns = 6, .stray = 2}, causal, 10);
    check_mixed((struct rows_odds){.ntxns = 5, .stray = 8, .aborted = 10},
                causal, 11);
    check_mixed((struct rows_odds){.ntxns = 5, .stray = 4, .reuse = true},
                causal, 12);
  }
}

// Those at RA and CC are kept where PC is, or broken where real time does not
// count.
static void mixed_levels_in_time(void) {
  check_mixed((struct rows_odds){.ntxns = 5, .stray = 3, .times = true}, true,
              19);
}

// A key with two updates of one version, both deleted: the INSERT after one of
// the deletions need not come after the other.
static void inserts_follow_any_deletion(void) {
  const struct read_options options = {
      .text = "table t(b, v): 0{b=0,v=0} 1{b=1,v=0}\n"
              "[upd t{NOT b = 1}: 0@?{b=1,v=0}, ins t/3{b=0,v=1}, del t{b = "
              "0}: 3@w2]\n"
              "[ins t/4{b=0,v=1}, upd t{b = 0}: 1@w6{b=1,v=1} "
              "4@w4{b=0,v=0}, sel t{b = 0}: 4@w5]\n"
              "---\n"
              "[upd t{v < 1}: 0@?{b=1,v=0} 1@?{b=0,v=1}, del t{b > 0}: "
              "0@w6]\n"
              "[new t{id = 0}: 0{b=1,v=2}]\n"
              "[del t{id IN (0, 2, 3)}: 0@w1]\n",
  };
  struct read_options all = options;
  struct history h;
  struct error error = {0};
  struct tally tally = {0};
  all.text_bytes = strlen(options.text);
  CHECK_INT(history_read_with("text", &all, &h, &error), 0);
  CHECK_STR(error.text, "");
  for (int sees = 0; sees < 2; sees++)
    compare(&h, ISOLATION_RC,
            (struct reading){.by_items = true, .rc_sees_session = sees},
            &tally);
  CHECK_INT(tally.different, 0);
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"an INSERT may follow any deletion", inserts_follow_any_deletion},
      {"the checks agree on rows whose versions form chains", chains_agree},
      {"the checks agree on rows that statements read astray", strays_agree},
      {"the checks agree on keys that are used again", used_keys_agree},
      {"the checks agree on what came back alone", items_agree},
      {"the checks agree on what plain SELECTs read", plain_reads_agree},
      {"the checks agree in real time", real_time_agrees},
      {"parts forbid no more than the whole", parts_forbid_no_more},
      {"rows that came back are registers, a statement an event",
       registers_agree},
      {"the checks agree at mixed levels", mixed_levels_agree},
      {"the checks agree at mixed levels in real time", mixed_levels_in_time});
}

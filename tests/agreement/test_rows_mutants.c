// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of random tiny histories that keep a level, altered until they break
// it: each of them would prove what is not so, and the verifier refuses it.
// The last test cuts by rules that are broken on purpose.
#include "config.h"

#include "checker/part/rows_cut.h"
#include "checker/rows/rows_cases.h"
#include "checker/rows/verify_part.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/rows/rows_question.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { ALTERED = 12 }; // parts of a history

static uint64_t nmutants(void) { return tap_inputs(10000, 10); }

static uint32_t any(gsl_rng *random, uint32_t n) {
  return (uint32_t)gsl_rng_uniform_int(random, n);
}

// --- Alterations.  Each changes one thing, if there is such a thing.

static void another_version_seen(gsl_rng *random, struct rows_part *part) {
  struct history *h = &part->history;
  const uint32_t op = any(random, h->nops), other = any(random, h->nops + 2);
  if (!op_reads(h->kind[op]))
    return;
  if (other >= h->nops)
    h->saw[op] = other == h->nops ? SAW_INITIAL : SAW_THIN_AIR;
  else if (op_writes(h->kind[other]) && h->key[other] == h->key[op])
    h->saw[op] = other;
}

static void another_number(gsl_rng *random, struct rows_part *part) {
  struct rows *rows = part->history.rows;
  if (rows->nnumbers)
    rows->numbers[any(random, rows->nnumbers)] += any(random, 2) ? 1 : -1;
}

static void another_parameter(gsl_rng *random, struct rows_part *part) {
  struct rows *rows = part->history.rows;
  if (rows->nparameters)
    rows->parameters[any(random, rows->nparameters)] += any(random, 2) ? 1 : -1;
}

static void another_txn(gsl_rng *random, struct rows_part *part) {
  const uint32_t one = any(random, part->txns.count),
                 other = any(random, part->txns.count);
  const uint32_t t = part->txns.items[one];
  part->txns.items[one] = any(random, 2) ? part->txns.items[other] : t + 1;
  part->txns.items[other] = any(random, 2) ? part->txns.items[other] : t;
}

static void another_outcome(gsl_rng *random, struct rows_part *part) {
  const uint32_t t = any(random, part->history.ntxns);
  part->history.outcome[t] = any(random, 2) ? OUTCOME_OK : OUTCOME_ABORTED;
}

static void another_key(gsl_rng *random, struct rows_part *part) {
  struct rows *rows = part->history.rows;
  const uint32_t nkeys = part->history.nkeys, key = any(random, nkeys);
  const int64_t next = rows->key_id[key] + (any(random, 2) ? 1 : -1);
  rows->key_id[key] = any(random, 2) ? rows->key_id[any(random, nkeys)] : next;
}

static void no_first_version(gsl_rng *random, struct rows_part *part) {
  struct rows *rows = part->history.rows;
  rows->key_image[any(random, part->history.nkeys)] = ROWS_NONE;
}

static void at_most(uint32_t *place, uint32_t most) {
  *place = *place < most ? *place : most;
}

// The last row of all did not come back.
static void one_row_less(gsl_rng *random, struct rows_part *part) {
  struct history *h = &part->history;
  (void)random;
  if (op_writes(h->kind[h->nops - 1]))
    return;
  h->nops--;
  for (uint32_t t = 0; t <= h->ntxns; t++)
    at_most(&h->txn_first[t], h->nops);
  for (uint32_t s = 0; s < h->rows->nstatements; s++) {
    at_most(&h->rows->statements[s].first, h->nops);
    at_most(&h->rows->statements[s].end, h->nops);
  }
}

static void another_condition(gsl_rng *random, struct rows_part *part) {
  struct rows *rows = part->history.rows;
  const struct recorded_statement *from =
      &rows->statements[any(random, rows->nstatements)];
  struct recorded_statement *to =
      &rows->statements[any(random, rows->nstatements)];
  if (from->table != to->table || from->condition == NO_CONDITION ||
      to->condition == NO_CONDITION || to->sort == STATEMENT_INSERT_NEW)
    return; // the condition of the last names keys
  to->condition = from->condition;
  to->parameters = from->parameters;
}

static void (*const alterations[])(gsl_rng *, struct rows_part *) = {
    another_version_seen, another_number,  another_parameter,
    another_txn,          another_outcome, another_key,
    no_first_version,     one_row_less,    another_condition};
enum { ALTERATIONS = sizeof alterations / sizeof *alterations };

// --- Parts.

static struct rows_part any_part(gsl_rng *random, const struct history *h,
                                 const uint8_t *counted,
                                 const struct check_options *options) {
  uint8_t key[64] = {0}, statement[256] = {0};
  for (uint32_t k = 0; k < h->nkeys && k < sizeof key; k++)
    key[k] = any(random, 4) != 0;
  for (uint32_t s = 0; s < h->rows->nstatements && s < sizeof statement; s++)
    statement[s] = any(random, 4) != 0;
  struct row_versions versions = row_versions_of(h, counted, options);
  const struct cut cut = {.key = key,
                          .statement = statement,
                          .versions = any(random, 2) ? &versions : NULL,
                          .options = options};
  struct rows_part part = cut_history(h, counted, &cut);
  row_versions_free(&versions);
  return part;
}

static bool is_broken(const struct history *part,
                      const struct check_options *options) {
  const struct referee_rows_options question =
      question_about_rows(part, options);
  struct rows_cases cases = {.work = ROWS_CASES_WORK};
  return rows_small_decide(part, &question, &cases) == REFEREE_BROKEN;
}

struct tally {
  uint64_t mutants, believed;
  uint64_t by[ALTERATIONS]; // mutants, by their first alteration
};

static void show(const struct history *h, const struct rows_part *part) {
  struct error error = {0};
  printf("# believed as a part of the history that follows it\n");
  fflush(stdout);
  history_write("-", history_format_named("text", &error), &part->history, NULL,
                &error);
  history_write("-", history_format_named("text", &error), h, NULL, &error);
}

static void alter(gsl_rng *random, const struct history *h,
                  const uint8_t *counted, const struct check_options *options,
                  struct tally *tally) {
  struct rows_part part = any_part(random, h, counted, options);
  struct error error = {0};
  const uint32_t by = any(random, ALTERATIONS);
  uint32_t ncases;
  if (part.history.rows && part.history.ntxns && part.history.nops &&
      part.history.rows->nstatements) {
    CHECK(!is_broken(&part.history, options)); // it is a part
    alterations[by](random, &part);
    for (uint32_t more = any(random, 3); more && part.history.nops; more--)
      alterations[any(random, ALTERATIONS)](random, &part);
    if (part.history.nops && is_broken(&part.history, options)) {
      tally->mutants++;
      tally->by[by]++;
      if (verify_rows_part(h, counted, &part.history, part.txns.items,
                           part.statements.items, NULL, options, &ncases,
                           &error) == VERIFIED &&
          tally->believed++ < 3)
        show(h, &part);
    }
  }
  rows_part_free(&part);
}

static void check_history(gsl_rng *random, const struct history *h,
                          struct tally *tally) {
  const struct check_options options = {
      .question = {.level = (enum isolation)(ISOLATION_RC +
                                             any(random, ISOLATION_SSER - 1)),
                   .session_order = true,
                   .rc_sees_session = any(random, 2),
                   .plain_reads = !any(random, 4)}};
  const struct referee_rows_options question = question_about_rows(h, &options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  struct verdict_counts counts;
  if (referee_rows_decide(h, &question, order, &norder) != REFEREE_KEPT)
    return;
  uint8_t *counted = settled_count(h, &counts);
  for (int i = 0; i < ALTERED; i++)
    alter(random, h, counted, &options, tally);
  free(counted);
}

static void check_odds(struct rows_odds odds, uint64_t seed, uint64_t n) {
  struct tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  while (tally.mutants < n) {
    struct history h = rows_random(random, &odds);
    check_history(random, &h, &tally);
    history_free(&h);
  }
  gsl_rng_free(random);
  printf("# mutants %llu:", (unsigned long long)tally.mutants);
  for (unsigned i = 0; i < ALTERATIONS; i++) {
    printf(" %llu", (unsigned long long)tally.by[i]);
    CHECK(tally.by[i] > 0);
  }
  printf("\n");
  CHECK_INT(tally.believed, 0);
}

static void mutants_are_refused(void) {
  const uint64_t n = nmutants() / 2;
  check_odds((struct rows_odds){.ntxns = 6, .stray = 1}, 11, n);
  check_odds((struct rows_odds){.ntxns = 5, .stray = 1, .reuse = true}, 12, n);
}

// --- Rules of the cut (checker/part/rows_cut.h) that are broken on purpose.

// Takes those at RC and RA for transactions at CC, which may do more by rule 2
// if they do not write, and by rule 3 if they do.
enum broken_rule { RULE_2 = 2, RULE_3 = 3 };

static bool writes_any(const struct history *h, uint32_t t) {
  bool writes = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    writes |= op_writes(h->kind[op]) != 0;
  return writes;
}

struct broken_cuts {
  uint64_t cuts;  // with less than the rules leave
  uint64_t wrong; // that break the levels, which the whole keeps
  uint64_t refused, believed;
};

// A part by the history's levels, or by others that the part does not keep.
static struct rows_part cut_by_levels(const struct history *h,
                                      const uint8_t *counted,
                                      const struct check_options *options,
                                      uint8_t *levels, uint8_t *key,
                                      uint8_t *statement) {
  struct history other = *h;
  other.level = levels;
  struct row_versions versions = row_versions_of(&other, counted, options);
  const struct cut cut = {.key = key,
                          .statement = statement,
                          .versions = &versions,
                          .options = options};
  struct rows_part part = cut_history(&other, counted, &cut);
  for (uint32_t p = 0; p < part.txns.count; p++)
    part.history.level[p] = h->level[part.txns.items[p]];
  row_versions_free(&versions);
  return part;
}

static void judge_broken_cut(const struct history *h, const uint8_t *counted,
                             const struct rows_part *part,
                             const struct check_options *options,
                             struct broken_cuts *tally) {
  struct error error = {0};
  uint32_t ncases;
  const bool believed =
      verify_rows_part(h, counted, &part->history, part->txns.items,
                       part->statements.items, NULL, options, &ncases,
                       &error) == VERIFIED;
  tally->cuts++;
  tally->wrong += is_broken(&part->history, options);
  tally->refused += strstr(error.text, "is none of the history") != NULL;
  if (believed && tally->believed++ < 3)
    show(h, part);
}

static void cut_by_broken_rule(const struct history *h,
                               const struct check_options *options,
                               enum broken_rule rule, uint8_t *key,
                               uint8_t *statement, struct broken_cuts *tally) {
  struct verdict_counts counts;
  uint8_t *counted = settled_count(h, &counts), *levels = xmalloc(h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    levels[t] =
        writes_any(h, t) == (rule == RULE_3) ? ISOLATION_CC : h->level[t];
  struct rows_part part =
      cut_by_levels(h, counted, options, h->level, key, statement);
  struct rows_part less =
      cut_by_levels(h, counted, options, levels, key, statement);
  if (less.statements.count < part.statements.count)
    judge_broken_cut(h, counted, &less, options, tally);
  rows_part_free(&part);
  rows_part_free(&less);
  FREE_EACH(counted, levels);
}

static bool is_kept(const struct history *h,
                    const struct check_options *options) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  return referee_rows_decide(h, &question, order, &norder) == REFEREE_KEPT;
}

static const struct check_options at_their_levels = {
    .question = {.recorded = true, .session_order = true}};

static void break_rule_at_random(enum broken_rule rule) {
  const struct rows_odds odds = {.ntxns = 7, .stray = 2};
  const uint64_t n = nmutants() / 20;
  struct broken_cuts tally = {0};
  uint8_t key[64], statement[256];
  gsl_rng *random = random_stream(rule, 1, RANDOM_TEST);
  while (tally.cuts < n) {
    struct history h = rows_random(random, &odds);
    for (uint32_t t = 0; t < h.ntxns; t++)
      h.level[t] = any(random, 2) ? ISOLATION_RC : ISOLATION_RA;
    const bool kept = is_kept(&h, &at_their_levels) && h.nkeys <= sizeof key &&
                      h.rows->nstatements <= sizeof statement;
    for (int i = 0; kept && i < ALTERED; i++) {
      for (uint32_t k = 0; k < h.nkeys; k++)
        key[k] = any(random, 4) != 0;
      for (uint32_t s = 0; s < h.rows->nstatements; s++)
        statement[s] = any(random, 3) != 0;
      cut_by_broken_rule(&h, &at_their_levels, rule, key, statement, &tally);
    }
    history_free(&h);
  }
  gsl_rng_free(random);
  printf(
      "# rule %d: %llu parts with less, %llu refused, %llu break the levels\n",
      rule, (unsigned long long)tally.cuts, (unsigned long long)tally.refused,
      (unsigned long long)tally.wrong);
  CHECK(tally.refused >= tally.wrong && tally.refused > 0);
  CHECK_INT(tally.believed, 0);
}

// Without the second update the third transaction must have found, or
// replaced, what the first one wrote of x, and then may not miss what the first
// one wrote of y.
static const struct needed_rule {
  enum broken_rule rule;
  const char *text;
} needed_rules[] = {{RULE_2, "table x(v): 0{v=0}\n"
                             "table y(v): 0{v=0}\n"
                             "[upd x{id = 0}: 0@?{v=1}, "
                             "upd y{id = 0}: 0@?{v=1}]\n"
                             "---\n"
                             "[upd x{id = 0}: 0@w1{v=2}]\n"
                             "---\n"
                             "[sel x{v = 0}:, sel y{id = 0}: 0@?]\n"},
                    {RULE_3, "table x(v): 0{v=0}\n"
                             "table y(v): 0{v=0}\n"
                             "[upd x{id = 0}: 0@?{v=1}, "
                             "upd y{id = 0}: 0@?{v=1}]\n"
                             "---\n"
                             "[upd x{id = 0}: 0@w1{v=2}]\n"
                             "---\n"
                             "[upd x{id = 0}: 0@w3{v=3}, "
                             "sel y{id = 0}: 0@?]\n"}};
enum { NEEDED = sizeof needed_rules / sizeof *needed_rules };

// All of the history but the second update, if the rule lets that go.
static void need_rule(const struct needed_rule *needed) {
  const struct read_options text = {.text = needed->text,
                                    .text_bytes = strlen(needed->text)};
  uint8_t key[] = {1, 1}, statement[] = {1, 1, 0, 1, 1};
  struct broken_cuts tally = {0};
  struct history h;
  struct error error = {0};
  CHECK_INT(history_read_with("text", &text, &h, &error), 0);
  CHECK_STR(error.text, "");
  CHECK_INT(h.rows->nstatements, sizeof statement);
  CHECK_INT(h.nkeys, sizeof key);
  for (uint32_t t = 0; t < h.ntxns; t++)
    h.level[t] = ISOLATION_RA;
  CHECK(is_kept(&h, &at_their_levels));
  cut_by_broken_rule(&h, &at_their_levels, needed->rule, key, statement,
                     &tally);
  CHECK_INT(tally.cuts, 1);
  CHECK_INT(tally.wrong, 1);
  CHECK_INT(tally.refused, 1);
  CHECK_INT(tally.believed, 0);
  history_free(&h);
}

static void broken_rules_are_refused(void) {
  for (int i = 0; i < NEEDED; i++) {
    need_rule(&needed_rules[i]);
    break_rule_at_random(needed_rules[i].rule);
  }
}

int main(void) {
  return TAP_RUN({"altered parts are refused", mutants_are_refused},
                 {"parts by a broken rule of the cut are refused",
                  broken_rules_are_refused});
}

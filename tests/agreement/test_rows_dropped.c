// SPDX-License-Identifier: GPL-3.0-or-later
// A statement whose condition is not known is told by the rows that it found.
// On random tiny histories, conditions are dropped so, at random: what is left
// is kept wherever the whole is kept, the checker and the referee agree on it,
// and without any condition it is the history read by its rows alone.
#include "config.h"

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/rows/rows_question.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND_MOST = 16, NO_SUCH_KEY = 1000000000 };

static uint64_t rounds(void) { return tap_inputs(1000, 100); }

// ---- Conditions

static bool has_droppable_condition(const struct recorded_statement *s) {
  return s->condition != NO_CONDITION &&
         (s->sort == STATEMENT_SELECT || s->sort == STATEMENT_LOCKING_SELECT ||
          s->sort == STATEMENT_UPDATE || s->sort == STATEMENT_DELETE);
}

// "id IN ($1, $2)" of n parameters, of the table; its number.
static uint32_t add_condition(struct rows *rows, uint32_t table, uint32_t n) {
  const struct predicate_columns columns = row_columns(&rows->tables[table]);
  struct row_template made = {.table = table};
  struct error error;
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "%s$%" PRIu32, i ? ", " : "id IN (", i + 1);
  fputs(")", out);
  fclose(out);
  CHECK_INT(predicate_read(&made.predicate, text, &columns, &error), 0);
  free(text);
  rows->templates =
      xrealloc(rows->templates, rows->ntemplates + 1, sizeof *rows->templates);
  rows->templates[rows->ntemplates] = made;
  return rows->ntemplates++;
}

// The statement asks for the rows that it found, or for one that nobody knows.
static void drop_condition(struct history *h, uint32_t s) {
  struct rows *rows = h->rows;
  struct recorded_statement *statement = &rows->statements[s];
  int64_t keys[FOUND_MOST];
  uint32_t n = 0;
  for (uint32_t op = statement->first; op < statement->end && n < FOUND_MOST;
       op++)
    keys[n++] = rows->key_id[h->key[op]];
  if (!n)
    keys[n++] = NO_SUCH_KEY;
  rows->parameters = xrealloc(rows->parameters, rows->nparameters + n,
                              sizeof *rows->parameters);
  memcpy(rows->parameters + rows->nparameters, keys, n * sizeof *keys);
  statement->parameters = rows->nparameters;
  rows->nparameters += n;
  statement->condition = add_condition(rows, statement->table, n);
}

static void drop_conditions(gsl_rng *random, struct history *h,
                            unsigned share) {
  for (uint32_t s = 0; s < h->rows->nstatements; s++)
    if (has_droppable_condition(&h->rows->statements[s]) &&
        gsl_rng_uniform_int(random, 100) < share)
      drop_condition(h, s);
}

// ---- Answers

struct dropped_tally {
  uint64_t kept, broken, freed; // freed: broken as a whole, and then kept
  uint64_t stricter, different, undecided;
};

static enum referee_answer referee_of(const struct history *h,
                                      const struct check_options *options) {
  const struct referee_rows_options question = question_about_rows(h, options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  return referee_rows_decide(h, &question, order, &norder);
}

static enum verdict_kind verdict_of_rows(const struct history *h,
                                         const struct check_options *options) {
  struct verdict verdict;
  struct error error = {.text = ""};
  CHECK_INT(check(h, options, &verdict, &error), 0);
  CHECK_STR(error.text, "");
  const enum verdict_kind kind = verdict.kind;
  verdict_free(&verdict);
  return kind;
}

// The referees of the whole, by its rows alone or not, and of what is left.
static void compare_dropped(enum referee_answer whole,
                            const struct history *left,
                            const struct check_options *options, bool exact,
                            struct dropped_tally *tally) {
  const enum referee_answer referee = referee_of(left, options);
  if (whole == REFEREE_TOO_LARGE || referee == REFEREE_TOO_LARGE)
    return;
  const enum verdict_kind kind = verdict_of_rows(left, options);
  tally->kept += referee == REFEREE_KEPT;
  tally->broken += referee == REFEREE_BROKEN;
  tally->freed += whole == REFEREE_BROKEN && referee == REFEREE_KEPT;
  tally->stricter += whole == REFEREE_KEPT && referee == REFEREE_BROKEN;
  tally->undecided += kind == VERDICT_UNDECIDED;
  tally->different += kind != VERDICT_UNDECIDED &&
                      (kind == VERDICT_PASS) != (referee == REFEREE_KEPT);
  tally->different += exact && whole != referee;
}

static void drop_and_compare(gsl_rng *random, const struct rows_odds *odds,
                             unsigned share, struct dropped_tally *tally) {
  struct check_options options = {.question = {.session_order = true}};
  enum referee_answer whole[ISOLATION_COUNT] = {0};
  struct history h = rows_random(random, odds);
  const int last = odds->times ? ISOLATION_SSER : ISOLATION_SER;
  for (int level = ISOLATION_RC; level <= last; level++)
    if (level != ISOLATION_CC) {
      options.question.level = (enum isolation)level;
      options.question.by_items = share == 100;
      whole[level] = referee_of(&h, &options);
    }
  options.question.by_items = false;
  drop_conditions(random, &h, share);
  for (int level = ISOLATION_RC; level <= last; level++)
    if (level != ISOLATION_CC) {
      options.question.level = (enum isolation)level;
      compare_dropped(whole[level], &h, &options, share == 100, tally);
    }
  history_free(&h);
}

static void check_dropped(struct rows_odds odds, unsigned share,
                          uint64_t seed) {
  struct dropped_tally tally = {0};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  for (uint64_t i = 0; i < rounds(); i++)
    drop_and_compare(random, &odds, share, &tally);
  gsl_rng_free(random);
  printf("# kept %" PRIu64 ", broken %" PRIu64 ", freed %" PRIu64
         ", undecided %" PRIu64 "\n",
         tally.kept, tally.broken, tally.freed, tally.undecided);
  CHECK_INT(tally.stricter, 0);
  CHECK_INT(tally.different, 0);
  CHECK_INT(tally.undecided, 0);
  CHECK(tally.kept > rounds() && tally.broken > rounds() / 2);
  // A sanitizer's share is too small for a part of it.
  CHECK(share == 100 || tally.freed > (TAP_SHARE > 1 ? 0 : rounds() / 20));
}

static void half_is_dropped(void) {
  check_dropped((struct rows_odds){.ntxns = 6, .stray = 2}, 50, 21);
  check_dropped((struct rows_odds){.ntxns = 5, .stray = 8, .aborted = 10}, 50,
                22);
}

static void time_stays(void) {
  check_dropped((struct rows_odds){.ntxns = 5, .stray = 3, .times = true}, 30,
                23);
}

static void all_are_dropped(void) {
  check_dropped((struct rows_odds){.ntxns = 5, .stray = 6}, 100, 24);
}

int main(void) {
  return TAP_RUN({"conditions dropped at random", half_is_dropped},
                 {"and in the order of real time", time_stays},
                 {"all of them: by the rows that came back", all_are_dropped});
}

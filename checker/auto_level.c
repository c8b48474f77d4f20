// SPDX-License-Identifier: GPL-3.0-or-later
// Goes down from the strongest level (checker/auto_level.h).  A violation is
// put down to the weakest level that it breaks, where it is proved again; the
// search goes on below, until a level is kept.
#include "config.h"

#include "checker/auto_level.h"

#include "checker/engine.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>

static void score_levels(struct auto_level *card, enum isolation from,
                         enum isolation to, enum verdict_kind kind,
                         enum isolation by) {
  assert(from <= to);
  for (enum isolation level = from; level <= to; level++)
    card->score[level] = (struct score){kind, by};
}

// The weakest level that the violation of `level` proves to be broken.
static enum isolation put_down(struct engine *engine, enum isolation level,
                               struct verdict *violation) {
  const enum isolation weakest = violation->broken;
  return weakest < level && engine_proves(engine, weakest, violation) ? weakest
                                                                      : level;
}

// Decides the level below `lowest`, and those that its verdict decides as well;
// `lowest` is then the lowest of these.  Without an engine the level is a
// question of its own.
static int step(struct auto_level *card, const struct history *history,
                const struct check_options *options, struct engine *engine,
                enum isolation *lowest, struct error *error) {
  assert(*lowest > weakest_level);
  const enum isolation level = *lowest - 1;
  struct check_options asked = *options;
  struct verdict verdict;
  asked.question.level = level;
  if (engine ? engine_check(engine, level, &verdict, error)
             : check(history, &asked, &verdict, error)) {
    verdict_free(&verdict);
    return -1;
  }
  const bool kept = verdict.kind == VERDICT_PASS;
  *lowest = kept ? weakest_level : level;
  if (engine && verdict.kind == VERDICT_VIOLATION)
    *lowest = put_down(engine, level, &verdict);
  const enum isolation by = kept ? level : *lowest;
  verdict.question.level = by;
  if (engine)
    engine_find_others(engine, &verdict);
  if (kept)
    card->strongest = level;
  card->verdict[by] = verdict;
  score_levels(card, *lowest, level, verdict.kind, by);
  return 0;
}

// Levels above a broken level are broken, though they may have been left
// undecided.
static void infer(struct auto_level *card) {
  enum isolation level = weakest_level;
  while (level <= strongest_level &&
         card->score[level].kind != VERDICT_VIOLATION)
    level++;
  for (enum isolation above = level; above <= strongest_level; above++)
    if (card->score[above].kind != VERDICT_VIOLATION)
      card->score[above] = (struct score){VERDICT_VIOLATION, level};
}

static void take_stronger(const struct verdict *stronger,
                          struct verdict *violation) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    if (anomaly_weakest((enum anomaly)a) <= violation->question.level ||
        stronger->found[a] <= violation->found[a])
      continue;
    violation->found[a] = stronger->found[a];
    violation->found_more |= stronger->found_more;
  }
}

// A level's violation has what was found at the levels above it, too: also what
// a search found there.
static void gather_stronger(struct auto_level *card) {
  for (enum isolation level = weakest_level; level < strongest_level; level++)
    for (enum isolation above = level + 1; above <= strongest_level; above++)
      if (card->verdict[level].kind == VERDICT_VIOLATION &&
          card->verdict[above].kind == VERDICT_VIOLATION)
        take_stronger(&card->verdict[above], &card->verdict[level]);
}

// Without times a level that keeps real time is not told from the level below,
// unless that one is broken.
static enum isolation leave_out_real_time(struct auto_level *card) {
  enum isolation level = ISOLATION_COUNT;
  while (level_keeps_time(level - 1)) {
    level--;
    card->verdict[level] =
        (struct verdict){.kind = VERDICT_UNDECIDED,
                         .question = {.level = level},
                         .why = "this history has no times to decide it"};
    score_levels(card, level, level, VERDICT_UNDECIDED, level);
  }
  return level;
}

int auto_level_fill(struct auto_level *card, const struct history *history,
                    const struct check_options *options, struct error *error) {
  struct engine *engine = NULL;
  struct check_options asked = *options;
  *card = (struct auto_level){.strongest = ISOLATION_NONE};
  assert(!options->question.recorded);
  asked.count_stronger = true;
  const bool times = history->begin && history->end;
  enum isolation lowest = times || options->question.real_time
                              ? ISOLATION_COUNT
                              : leave_out_real_time(card);
  // The engine does not read rows, values that were written more than once, or
  // RC in this way.
  const bool one_by_one =
      history->again || history->rows || options->question.rc_sees_session;
  int result = one_by_one ? 0 : engine_open(&engine, history, &asked, error);
  if (result)
    return -1;
  while (!result && lowest > weakest_level)
    result = step(card, history, &asked, engine, &lowest, error);
  if (engine)
    engine_close(engine);
  gather_stronger(card);
  infer(card);
  return result;
}

void auto_level_give_up(struct auto_level *card,
                        const struct verdict *undecided) {
  for (enum isolation level = weakest_level; level <= strongest_level;
       level++) {
    if (card->score[level].by != ISOLATION_NONE)
      continue;
    card->verdict[level] = *undecided;
    card->verdict[level].question.level = level;
    score_levels(card, level, level, VERDICT_UNDECIDED, level);
  }
  infer(card);
}

void auto_level_free(struct auto_level *card) {
  for (enum isolation level = weakest_level; level <= strongest_level; level++)
    verdict_free(&card->verdict[level]);
  *card = (struct auto_level){.strongest = ISOLATION_NONE};
}

const struct verdict *auto_level_at(const struct auto_level *card,
                                    enum isolation level) {
  assert(level < ISOLATION_COUNT);
  assert(level >= weakest_level && level <= strongest_level);
  return &card->verdict[card->score[level].by];
}

// The level that the history is judged by.
static enum isolation level_of_claim(enum isolation claimed) {
  return claimed == ISOLATION_NONE ? weakest_level : claimed;
}

struct verdict auto_level_main(const struct auto_level *card,
                               enum isolation claimed) {
  const enum isolation level = level_of_claim(claimed);
  struct verdict verdict = *auto_level_at(card, level);
  if (verdict.kind == VERDICT_PASS)
    verdict.question.level = level;
  return verdict;
}

const struct verdict *auto_level_beyond(const struct auto_level *card,
                                        enum isolation claimed) {
  const enum isolation first = level_of_claim(claimed);
  for (enum isolation level = first; level <= strongest_level; level++)
    if (card->score[level].kind == VERDICT_VIOLATION)
      return level > first ? auto_level_at(card, level) : NULL;
  return NULL;
}

enum verdict_kind auto_level_claim(const struct auto_level *card,
                                   enum isolation claimed) {
  return card->score[level_of_claim(claimed)].kind;
}

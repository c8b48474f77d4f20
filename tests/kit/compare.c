// SPDX-License-Identifier: GPL-3.0-or-later
// Asks checker and referee, and tells where they disagree.
#include "config.h"

#include "tests/kit/compare.h"

#include "checker/part/subhistory.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/referee.h"
#include "tests/kit/machine.h"
#include "tests/kit/middle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOLD = 3 }; // per level

enum agree {
  AGREE_KEPT,
  AGREE_BROKEN,
  DISAGREE_UNPROVEN, // the checker did not believe itself
  DISAGREE_UNDECIDED,
  DISAGREE_MISSED,
  DISAGREE_FALSE_ALARM,
  DISAGREE_WITNESS,
  DISAGREE_MORE_THAN_ENOUGH,
};

static const char *const disagreements[] = {
    [DISAGREE_UNPROVEN] = "the checker's verdict failed its own proof",
    [DISAGREE_UNDECIDED] = "the checker is undecided",
    [DISAGREE_MISSED] = "the checker missed a violation",
    [DISAGREE_FALSE_ALARM] = "the checker found a violation",
    [DISAGREE_WITNESS] = "the checker's witness is none",
    [DISAGREE_MORE_THAN_ENOUGH] = "the checker's part is not minimal",
};

// --- The comparison.

static struct referee_options for_referee(const struct history *h,
                                          struct compared_question question) {
  return (struct referee_options){.level = question.level,
                                  .levels = question.recorded ? h->level : NULL,
                                  .session_order = question.session_order,
                                  .real_time = question.real_time};
}

static bool witness_keeps(const struct tiny *tiny, const struct history *h,
                          struct compared_question question,
                          const struct verdict *verdict) {
  const struct referee_options options = for_referee(h, question);
  if (verdict->norder > tiny->ntxns ||
      !referee_order_keeps(h, &options, verdict->order, verdict->norder))
    return false;
  if (question.recorded || question.level < ISOLATION_SI)
    return true;
  const struct rules rules = {question.level, question.session_order,
                              question.real_time};
  return machine_replays(tiny, rules, verdict->order, verdict->snapshot,
                         verdict->norder);
}

static bool history_keeps(const struct history *h,
                          struct compared_question question) {
  const struct referee_options options = for_referee(h, question);
  const enum referee_answer answer = referee_decide(h, &options, NULL, NULL);
  assert(answer != REFEREE_TOO_LARGE);
  return answer == REFEREE_KEPT;
}

bool referee_finds_minimal(const struct history *h,
                           struct compared_question question,
                           const struct verdict *verdict) {
  bool minimal = verdict->minimal >= verdict->broken;
  if (!verdict->question.recorded) {
    question.recorded = false;
    question.level = verdict->minimal;
  }
  for (uint32_t i = 0; i < verdict->npart && minimal; i++) {
    struct operations rest = {.op = calloc(verdict->npart, sizeof *rest.op)};
    struct history part;
    for (uint32_t k = 0; k < verdict->npart; k++)
      if (k != i)
        rest.op[rest.count++] = verdict->part[k];
    subhistory_close(h, &rest);
    subhistory_extract(h, &rest, &part, NULL);
    minimal = history_keeps(&part, question);
    history_free(&part);
    free(rest.op);
  }
  return minimal;
}

static enum agree judge(const struct tiny *tiny, const struct history *h,
                        struct compared_question question, bool kept,
                        const struct verdict *verdict) {
  if (verdict->kind == VERDICT_UNDECIDED)
    return DISAGREE_UNDECIDED;
  if (verdict->kind == VERDICT_VIOLATION && kept)
    return DISAGREE_FALSE_ALARM;
  if (verdict->kind == VERDICT_VIOLATION)
    return h->nops % 8 || referee_finds_minimal(h, question, verdict)
               ? AGREE_BROKEN
               : DISAGREE_MORE_THAN_ENOUGH;
  if (!kept)
    return DISAGREE_MISSED;
  return witness_keeps(tiny, h, question, verdict) ? AGREE_KEPT
                                                   : DISAGREE_WITNESS;
}

// The history that the referee is asked about.
static struct tiny for_the_referee(const struct tiny *tiny,
                                   struct compared_question question) {
  struct tiny expected = *tiny;
  if (question.middle)
    middle_expected(tiny, &expected);
  return expected;
}

bool referee_keeps(const struct tiny *tiny, struct compared_question question) {
  const struct tiny expected = for_the_referee(tiny, question);
  struct tiny_history room;
  return history_keeps(tiny_history(&expected, &room), question);
}

// `error` receives the checker's sentence where its proof failed.
static enum agree ask_both(const struct tiny *tiny,
                           struct compared_question question,
                           struct error *error) {
  struct tiny_history room;
  const struct tiny expected = for_the_referee(tiny, question);
  const struct history *h =
      question.middle ? middle_history(tiny, &room) : tiny_history(tiny, &room);
  const struct check_options check_options = {
      .question = {.level = question.level,
                   .recorded = question.recorded,
                   .session_order = question.session_order,
                   .real_time = question.real_time},
      .max_examples = h->nops % 4 == 0, // of some, all anomalies are counted
  };
  struct verdict verdict = {0};
  if (check(h, &check_options, &verdict, error) != 0)
    return DISAGREE_UNPROVEN;
  const enum agree agree =
      judge(&expected, h, question, referee_keeps(tiny, question), &verdict);
  verdict_free(&verdict);
  return agree;
}

// --- Telling about it.

struct disagreement {
  enum agree kind;
  struct compared_question question;
};

static bool still_disagrees(const struct tiny *tiny, void *context) {
  const struct disagreement *disagreement = context;
  struct error error;
  return ask_both(tiny, disagreement->question, &error) == disagreement->kind;
}

static void print_lines(const char *text) {
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    printf("#   %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static void tell(const struct tiny *tiny, struct disagreement disagreement) {
  struct tiny smallest = *tiny;
  tiny_shrink(&smallest, still_disagrees, &disagreement);
  char text[4096];
  tiny_print(&smallest, text, sizeof text);
  struct error error = {0};
  ask_both(&smallest, disagreement.question, &error);
  const struct compared_question question = disagreement.question;
  printf("# at %s%s%s%s, %s; the referee says %s; %s\n",
         question.recorded ? "recorded levels" : isolation_name(question.level),
         question.session_order ? "" : " without session order",
         question.real_time ? " in real time" : "",
         question.middle ? " from the middle" : "",
         disagreements[disagreement.kind],
         referee_keeps(&smallest, question) ? "kept" : "broken", error.text);
  print_lines(text);
}

// --- Public.

static void count(struct agreement *agreement, const struct tiny *tiny,
                  struct compared_question question) {
  struct error error;
  const enum agree agree = ask_both(tiny, question, &error);
  const enum isolation level =
      question.recorded ? ISOLATION_NONE : question.level;
  if (agree == AGREE_KEPT)
    agreement->kept[level]++;
  else if (agree == AGREE_BROKEN)
    agreement->broken[level]++;
  else if (agreement->disagreements[level]++ < MAX_TOLD)
    tell(tiny, (struct disagreement){agree, question});
}

void compare_question(struct agreement *agreement, const struct tiny *tiny,
                      struct compared_question question) {
  agreement->histories++;
  count(agreement, tiny, question);
}

void compare_at(struct agreement *agreement, const struct tiny *tiny,
                enum isolation level) {
  compare_question(
      agreement, tiny,
      (struct compared_question){.level = level, .session_order = true});
}

void compare(struct agreement *agreement, const struct tiny *tiny) {
  agreement->histories++;
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    count(agreement, tiny,
          (struct compared_question){.level = level, .session_order = true});
}

uint64_t agreement_failures(const struct agreement *agreement) {
  uint64_t sum = 0;
  for (enum isolation level = ISOLATION_NONE; level <= ISOLATION_SSER; level++)
    sum += agreement->disagreements[level];
  return sum;
}

void agreement_print(const struct agreement *agreement) {
  printf("# %" PRIu64 " histories\n", agreement->histories);
  for (enum isolation level = ISOLATION_NONE; level <= ISOLATION_SSER; level++)
    if (agreement->kept[level] + agreement->broken[level])
      printf("#   %-5s kept %" PRIu64 ", broken %" PRIu64 "\n",
             level ? isolation_name(level) : "mixed", agreement->kept[level],
             agreement->broken[level]);
}

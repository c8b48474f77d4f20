// SPDX-License-Identifier: GPL-3.0-or-later
// Asks checker and referee, and tells where they disagree.
#include "config.h"

#include "tests/agreement/compare.h"

#include "checker/checker.h"
#include "checker/referee.h"
#include "tests/agreement/machine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
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
};

static const char *const disagreements[] = {
    [DISAGREE_UNPROVEN] = "the checker's verdict failed its own proof",
    [DISAGREE_UNDECIDED] = "the checker is undecided",
    [DISAGREE_MISSED] = "the checker missed a violation",
    [DISAGREE_FALSE_ALARM] = "the checker found a violation",
    [DISAGREE_WITNESS] = "the checker's witness is none",
};

// --- The comparison.

static bool witness_keeps(const struct tiny *tiny, const struct history *h,
                          const struct referee_options *options,
                          const struct verdict *verdict) {
  if (verdict->norder > tiny->ntxns ||
      !referee_order_keeps(h, options, verdict->order, verdict->norder))
    return false;
  if (options->level < ISOLATION_SI)
    return true;
  return machine_replays(tiny, options->level, verdict->order,
                         verdict->snapshot, verdict->norder);
}

static enum agree judge(const struct tiny *tiny, const struct history *h,
                        const struct referee_options *options, bool kept,
                        const struct verdict *verdict) {
  if (verdict->kind == VERDICT_UNDECIDED)
    return DISAGREE_UNDECIDED;
  if (verdict->kind == VERDICT_VIOLATION)
    return kept ? DISAGREE_FALSE_ALARM : AGREE_BROKEN;
  if (!kept)
    return DISAGREE_MISSED;
  return witness_keeps(tiny, h, options, verdict) ? AGREE_KEPT
                                                  : DISAGREE_WITNESS;
}

// `error` receives the checker's sentence where its proof failed.
static enum agree ask_both(const struct tiny *tiny, enum isolation level,
                           struct error *error) {
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  const struct referee_options options = {.level = level,
                                          .session_order = true};
  const enum referee_answer answer = referee_decide(h, &options, NULL, NULL);
  assert(answer != REFEREE_TOO_LARGE);
  const struct check_options check_options = {.level = level,
                                              .session_order = true};
  struct verdict verdict = {0};
  if (check(h, &check_options, &verdict, error) != 0)
    return DISAGREE_UNPROVEN;
  const enum agree agree =
      judge(tiny, h, &options, answer == REFEREE_KEPT, &verdict);
  verdict_free(&verdict);
  return agree;
}

static bool keeps(const struct tiny *tiny, enum isolation level) {
  struct tiny_history room;
  const struct referee_options options = {.level = level,
                                          .session_order = true};
  return referee_decide(tiny_history(tiny, &room), &options, NULL, NULL) ==
         REFEREE_KEPT;
}

// --- Telling about it.

struct disagreement {
  enum agree kind;
  enum isolation level;
};

static bool still_disagrees(const struct tiny *tiny, void *context) {
  const struct disagreement *disagreement = context;
  struct error error;
  return ask_both(tiny, disagreement->level, &error) == disagreement->kind;
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
  ask_both(&smallest, disagreement.level, &error);
  printf("# at %s, %s; the referee says %s; %s\n",
         isolation_name(disagreement.level), disagreements[disagreement.kind],
         keeps(&smallest, disagreement.level) ? "kept" : "broken", error.text);
  print_lines(text);
}

// --- Public.

static void count(struct agreement *agreement, const struct tiny *tiny,
                  enum isolation level) {
  struct error error;
  const enum agree agree = ask_both(tiny, level, &error);
  if (agree == AGREE_KEPT)
    agreement->kept[level]++;
  else if (agree == AGREE_BROKEN)
    agreement->broken[level]++;
  else if (agreement->disagreements[level]++ < MAX_TOLD)
    tell(tiny, (struct disagreement){agree, level});
}

void compare_at(struct agreement *agreement, const struct tiny *tiny,
                enum isolation level) {
  agreement->histories++;
  count(agreement, tiny, level);
}

void compare(struct agreement *agreement, const struct tiny *tiny) {
  agreement->histories++;
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    count(agreement, tiny, level);
}

uint64_t agreement_failures(const struct agreement *agreement) {
  uint64_t sum = 0;
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    sum += agreement->disagreements[level];
  return sum;
}

void agreement_print(const struct agreement *agreement) {
  printf("# %" PRIu64 " histories\n", agreement->histories);
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    if (agreement->kept[level] + agreement->broken[level])
      printf("#   %-4s kept %" PRIu64 ", broken %" PRIu64 "\n",
             isolation_name(level), agreement->kept[level],
             agreement->broken[level]);
}

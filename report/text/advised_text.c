// SPDX-License-Identifier: GPL-3.0-or-later
// Advice for terminals and CI (report/text/advised_text.h).
#include "config.h"

#include "report/text/advised_text.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "report/text/junit.h"
#include "report/words/naming.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_COLUMN = 20, CELL_COLUMN = 20, INDENT = 8 };
enum { SIDE_BY_SIDE = 3 }; // further levels stand below

// ---- The table of scripts and levels

typedef void putting(FILE *out, const struct advised_trial *trial,
                     uint32_t script);

static void put_level_name(FILE *out, const struct advised_trial *trial,
                           uint32_t script) {
  (void)script;
  fputs(naming_level(trial->level), out);
}
static void put_refused(FILE *out, const struct advised_trial *trial,
                        uint32_t script) {
  (void)script;
  if (trial->tried)
    fprintf(out, "%.1f %%", advised_refused(trial));
}
static void put_rate(FILE *out, const struct advised_trial *trial,
                     uint32_t script) {
  (void)script;
  if (trial->tried)
    quantity_put_grouped(out, (uint64_t)(trial->rate + .5));
}
static void put_invariant_of(FILE *out, const struct advised_trial *trial,
                             uint32_t script) {
  (void)script;
  fputs(!trial->tried                       ? "not tried"
        : !trial->decided && !trial->answer ? "not decided"
        : trial->invariant                  ? "holds"
                                            : "broken",
        out);
}

static void put_explored_word(FILE *out, const struct advised_trial *trial,
                              uint32_t script) {
  (void)script;
  fputs(advised_explored_word(trial), out);
}

static void put_advised_row(FILE *out, const struct advised *a, uint32_t first,
                            const char *heading, putting *put,
                            uint32_t script) {
  const uint32_t end =
      first + SIDE_BY_SIDE < a->nlevels ? first + SIDE_BY_SIDE : a->nlevels;
  fprintf(out, "%-*.*s", HEAD_COLUMN, HEAD_COLUMN - 1, heading);
  for (uint32_t i = first; i < end; i++) {
    char *text;
    size_t bytes;
    FILE *cell = text_stream(&text, &bytes);
    put(cell, &a->levels[i], script);
    fclose(cell);
    if (i + 1 < end)
      fprintf(out, "%-*.*s", CELL_COLUMN, CELL_COLUMN - 1, text);
    else
      fprintf(out, "%.*s\n", CELL_COLUMN - 1, text);
    free(text);
  }
}

static void put_advised_table(FILE *out, const struct advised *a) {
  for (uint32_t first = 0; first < a->nlevels; first += SIDE_BY_SIDE) {
    putc('\n', out);
    put_advised_row(out, a, first, "", put_level_name, 0);
    for (uint32_t s = 0; s < a->nscripts; s++)
      put_advised_row(out, a, first, a->scripts[s], advised_put_cell, s);
    if (a->levels[first].asked)
      put_advised_row(out, a, first, "invariant", put_invariant_of, 0);
    if (advised_is_explored(a))
      put_advised_row(out, a, first, "explore", put_explored_word, 0);
    put_advised_row(out, a, first, "refused", put_refused, 0);
    put_advised_row(out, a, first, "per second", put_rate, 0);
  }
}

// ---- Lines

// "helps      TEXT", further lines below the text.
static void put_advised_line(FILE *out, const char *name, const char *text) {
  enum { NAME = 11 };
  fprintf(out, "%-*s", NAME, name);
  plain_put_outside(out, text, NAME, NAME);
}

static char *tell_remedy(const struct advised_remedy *r) {
  return xasprintf("%s: %s (tried: %s, %.1f %% refused, %.0f/s)", r->place,
                   r->instead,
                   advised_is_kept(&r->trial) ? "all kept"
                   : r->helps                 ? "this script is kept"
                                              : "it does not help",
                   advised_refused(&r->trial), r->trial.rate);
}

static void put_remedies_text(FILE *out, const struct advised *a) {
  for (uint32_t i = 0; i < a->nremedies; i++) {
    if (!a->remedies[i].helps)
      continue;
    char *text = tell_remedy(&a->remedies[i]);
    put_advised_line(out, a->remedies[i].chosen ? "change" : "or", text);
    free(text);
  }
}

static void put_places(FILE *out, const struct advised *a) {
  const struct advised_trial *now = &a->levels[a->default_level];
  for (uint32_t i = 0; now->cells && i < a->nscripts; i++) {
    const struct advised_cell *cell = &now->cells[i];
    if (cell->anomaly == ANOMALY_NONE)
      continue;
    char *text = xasprintf("%s: %s", cell->place,
                           anomaly_plain(anomaly_info(cell->anomaly)->name));
    put_advised_line(out, "found", text);
    free(text);
  }
}

static void put_open_levels(FILE *out, const struct advised *a) {
  for (uint32_t i = 0; i < a->nlevels; i++) {
    const char *why = advised_open(&a->levels[i]);
    if (!why)
      continue;
    char *text = xasprintf("%s: %s", naming_level(a->levels[i].level), why);
    put_advised_line(out, "undecided", text);
    free(text);
  }
}

static void put_marked_line(FILE *out, const char *name, const char *marked) {
  char *text = plain_make(marked);
  put_advised_line(out, name, text);
  free(text);
}

// The answers of explore, and where they differ from the runs.
static void put_explored_text(FILE *out, const struct advised *a) {
  for (uint32_t i = 0; i < a->nlevels; i++) {
    const struct advised_trial *trial = &a->levels[i];
    char *difference = advised_difference(a, trial);
    if (difference) {
      put_marked_line(out, "differ", difference);
    } else if (trial->explored.broken) {
      char *text =
          xasprintf("%s allows what is not serializable: %s",
                    naming_level(trial->level), trial->explored.broken);
      put_advised_line(out, "explore", text);
      free(text);
    }
    free(difference);
  }
  for (uint32_t i = 0; a->unexplored && i < a->nscripts; i++)
    if (a->unexplored[i]) {
      char *text =
          xasprintf("does not take %s: %s", a->scripts[i], a->unexplored[i]);
      put_advised_line(out, "explore", text);
      free(text);
    }
}

void text_put_advised(FILE *out, const struct advised *a, const char *page) {
  const struct advised_trial *now = &a->levels[a->default_level];
  const struct advised_trial *level = advised_level(a);
  char *sentence;
  size_t bytes;
  FILE *words = text_stream(&sentence, &bytes);
  advised_put_sentence(words, a);
  fclose(words);
  fputs("ADVICE: ", out);
  plain_put_wrapped(out, sentence, INDENT, INDENT);
  free(sentence);
  put_advised_table(out, a);
  putc('\n', out);
  put_places(out, a);
  put_open_levels(out, a);
  if (now->headline)
    put_advised_line(out, "case", now->headline);
  if (now->answer)
    put_advised_line(out, "invariant", now->answer);
  put_explored_text(out, a);
  put_remedies_text(out, a);
  if (level && level != now) {
    char *text = xasprintf("all at %s (tried: all kept, %.1f %% refused, "
                           "%.0f/s)",
                           naming_level(level->level), advised_refused(level),
                           level->rate);
    put_advised_line(out, "or", text);
    free(text);
  }
  for (uint32_t i = 0; i < a->nlevels; i++)
    if (a->levels[i].refusals) {
      char *text = xasprintf("%s: %s", naming_level(a->levels[i].level),
                             a->levels[i].refusals);
      put_advised_line(out, "refused", text);
      free(text);
    }
  if (a->interrupted)
    put_advised_line(out, "left out", "a signal came before all was tried");
  if (page)
    put_advised_line(out, "page", page);
}

// ---- JUnit

static void put_advised_test(FILE *tests, const struct advised *a,
                             const struct advised_trial *now, uint32_t script,
                             const char *page) {
  const struct advised_cell *cell = now->cells ? &now->cells[script] : NULL;
  const bool found = cell && cell->anomaly != ANOMALY_NONE;
  char *text = found
                   ? xasprintf("%s: %s at %s", cell->place,
                               anomaly_plain(anomaly_info(cell->anomaly)->name),
                               naming_level(now->level))
                   : xstrdup(now->decided ? "" : "not decided");
  const struct junit_test test = {.group = "advise",
                                  .name = a->scripts[script],
                                  .seconds = a->seconds,
                                  .ending = !now->decided ? JUNIT_ERROR
                                            : found       ? JUNIT_FAILURE
                                                          : JUNIT_PASSED,
                                  .text = text,
                                  .page = page};
  junit_put_test(tests, &test);
  free(text);
}

static void put_explored_test(FILE *tests, const struct advised *a,
                              const struct advised_trial *now,
                              const char *page) {
  const enum explored_answer answer = now->explored.answer;
  char *text =
      answer == EXPLORED_BREAKS
          ? xasprintf("%s allows what is not serializable: %s",
                      naming_level(now->level), now->explored.broken)
          : xstrdup(answer == EXPLORED_OPEN ? "not all orders were explored"
                                            : "");
  const struct junit_test test = {.group = "advise",
                                  .name = "explore",
                                  .seconds = a->seconds,
                                  .ending =
                                      answer == EXPLORED_BREAKS ? JUNIT_FAILURE
                                      : answer == EXPLORED_OPEN ? JUNIT_SKIPPED
                                                                : JUNIT_PASSED,
                                  .text = text,
                                  .page = page};
  junit_put_test(tests, &test);
  free(text);
}

char *junit_suite_of_advised(const struct advised *a, const char *page) {
  const struct advised_trial *now = &a->levels[a->default_level];
  const struct junit_property properties[] = {
      {"target", a->target}, {"server", a->server}, {"level", now->level}, {0}};
  char *tests;
  size_t bytes;
  FILE *out = text_stream(&tests, &bytes);
  for (uint32_t i = 0; i < a->nscripts; i++)
    put_advised_test(out, a, now, i, page);
  if (now->explored.answer != EXPLORED_NOT)
    put_explored_test(out, a, now, page);
  if (now->asked) {
    const struct junit_test test = {
        .group = "advise",
        .name = "invariant",
        .seconds = a->seconds,
        .ending = now->invariant ? JUNIT_PASSED
                  : now->answer  ? JUNIT_FAILURE
                                 : JUNIT_ERROR,
        .text = now->answer ? now->answer : "the invariant was not asked for",
        .page = page};
    junit_put_test(out, &test);
  }
  fclose(out);
  char *suite = junit_suite("advise", properties, tests, bytes);
  free(tests);
  return suite;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about a report, each made of the same blocks (report/text/blocks.h).
#include "config.h"

#include "report/text/text.h"

#include "base/memory.h"
#include "report/badge.h"
#include "report/own_scripts.h"
#include "report/text/blocks.h"

#include <stddef.h>
#include <stdlib.h>

enum { NEVER = -1 };

static const struct text_block {
  void (*put)(FILE *out, const struct telling *t);
  // On a terminal: how soon it gives way where the lines are too few; 0: it is
  // always shown.
  int rank;
  bool in_full, in_verdict;
} blocks[] = {
    {tell_figures, NEVER, true, false},   // load, attempts, causes, latency
    {tell_shortfall, NEVER, true, false}, // cut short, errors, invariant, model
    {tell_unmet, 0, true, false},         // requirements
    {tell_headline, 0, true, true},       // the level, or the words of the page
    {tell_proof, 0, true, true},          // and the transactions that count
    {tell_found, NEVER, true, true},      // how often
    {tell_note, 0, true, true},         // that the history itself may be wrong
    {tell_examples, NEVER, true, true}, // all of them, told
    {tell_chances, NEVER, true, true},  // a table
    {tell_beyond, 0, false, false},     // its headline
    {tell_shortfall, 0, false, false},  // as above
    {tell_warnings, 0, true, true},     // of what the run could not show
    {tell_trouble, 0, true, false},     // of isostress, and what is lost
    {tell_levels, 0, true, false},      // all levels
    {tell_beyond, NEVER, true, false},  // with its examples
    {tell_picture, 0, false, false},    // the smallest case
    {tell_legend, 2, false, false},     // its names
    {tell_cycle, 3, false, false},      // why it is a contradiction
    {tell_conclusion, 1, false, false}, // in a sentence
    {tell_facts, 1, true, false},       // promised, means, helps
    {tell_also, 1, false, false},       // the other anomalies
    {tell_scripts, 0, true, false},     // own scripts
    {tell_chances, 1, false, false},    // the first three
    {tell_run, 0, false, false},        // the figures in a line
    {tell_again, 2, true, false}, // the command that performs the case again
    {tell_place, 0, true, false}, // where the results are
};
enum { NBLOCKS = sizeof blocks / sizeof *blocks, RANKS = 4 };

// A PASS does not say what the scripts must change: the facts do.
static int rank_of(const struct telling *t, const struct text_block *block) {
  return block->put == tell_facts && tells_kept_scripts(t) ? 0 : block->rank;
}

// Puts what fits.
static void put_in_brief(FILE *out, const struct telling *t) {
  char *texts[NBLOCKS];
  bool shown[NBLOCKS] = {false};
  unsigned lines = 0;
  for (size_t i = 0; i < NBLOCKS; i++) {
    size_t bytes;
    FILE *text = text_stream(&texts[i], &bytes);
    if (blocks[i].rank != NEVER)
      blocks[i].put(text, t);
    fclose(text);
  }
  for (int rank = 0; rank < RANKS; rank++)
    for (size_t i = 0; i < NBLOCKS; i++) {
      // The smallest case has lines of its own.
      const unsigned more =
          blocks[i].put == tell_picture ? 0 : text_lines(texts[i]);
      if (rank_of(t, &blocks[i]) != rank ||
          (rank && lines + more > BRIEF_LINES))
        continue;
      shown[i] = true;
      lines += more;
    }
  for (size_t i = 0; i < NBLOCKS; i++) {
    if (shown[i])
      fputs(texts[i], out);
    free(texts[i]);
  }
}

static void put_whole(FILE *out, const struct telling *t) {
  for (size_t i = 0; i < NBLOCKS; i++)
    if (t->output == TEXT_FULL ? blocks[i].in_full : blocks[i].in_verdict)
      blocks[i].put(out, t);
}

// Takes the words of the page.
static void take_words(struct telling *t) {
  const struct report *report = t->report;
  size_t bytes;
  FILE *headline = text_stream(&t->headline, &bytes);
  shortfall_of(report, &t->shortfall);
  const bool kept = report->own_scripts &&
                    report->verdict->kind == VERDICT_PASS &&
                    t->shortfall.kind != SHORTFALL_INVARIANT;
  t->known = page_facts_in_brief(&t->facts, kept ? NULL : headline, t->stored);
  if (!t->known || kept)
    page_kept_headline(headline, t->stored);
  if (kept)
    own_scripts_put(headline, report->own_scripts, report->level);
  fclose(headline);
  if (report->figures && *report->figures->level_in_effect)
    t->known = false;
}

// Takes what the first line tells beside the verdict.
static void take_first(struct telling *t) {
  t->leads = t->known && t->shortfall.kind == SHORTFALL_INVARIANT;
  t->beside = t->shortfall.kind != SHORTFALL_NONE &&
              badge_of(t->stored) == BADGE_BESIDE;
}

void text_put_brief(FILE *out, const struct report *report,
                    const struct stored *stored, bool colour) {
  struct telling t = {.report = report,
                      .stored = stored,
                      .output = TEXT_BRIEF,
                      .colour = colour,
                      .picture = tell_make_picture(stored)};
  take_words(&t);
  take_first(&t);
  put_in_brief(out, &t);
  free(t.picture);
  free(t.headline);
}

void report_text(FILE *out, const struct report *report,
                 const struct stored *stored) {
  struct telling t = {.report = report, .stored = stored, .output = TEXT_FULL};
  if (stored && report->figures)
    take_words(&t);
  put_whole(out, &t);
  free(t.headline);
}

void report_verdict(FILE *out, const struct report *report) {
  put_whole(out, &(struct telling){.report = report, .output = TEXT_VERDICT});
}

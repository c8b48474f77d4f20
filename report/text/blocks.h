// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of which every text about a report is made.  report/text/text.c
// has their table: which text has which of them, and how much.
#ifndef REPORT_TEXT_BLOCKS_H
#define REPORT_TEXT_BLOCKS_H

#include "report/page/sections.h"
#include "report/report.h"
#include "report/shortfall.h"
#include "report/stored.h"

enum text_output {
  TEXT_BRIEF,   // the result of a run for a terminal of 80 columns
  TEXT_FULL,    // all: report.txt, `run --verbose`, `check`
  TEXT_VERDICT, // the verdict alone: `repro --show`, JUnit
};

// All that the blocks of one text are made from.
struct telling {
  const struct report *report;
  const struct stored *stored; // the same; NULL: it is of no run
  enum text_output output;
  bool colour;
  bool known; // facts and the headline of a violation
  struct facts_in_brief facts;
  char *headline; // a sentence (base/marks.h); NULL without `stored`
  char *picture;  // of the counterexample; NULL: none that fits
  struct shortfall shortfall;
  bool leads;  // a broken invariant: the headline begins with it
  bool beside; // the headline is about that, which is no property of the level
};

enum { LABEL = 11, INDENT = LABEL + 2 }; // columns of a terminal

// Each writes nothing where there is nothing to be told.
void tell_figures(FILE *out, const struct telling *t);
void tell_unmet(FILE *out, const struct telling *t);
void tell_headline(FILE *out, const struct telling *t);
void tell_proof(FILE *out, const struct telling *t);
void tell_found(FILE *out, const struct telling *t);
void tell_also(FILE *out, const struct telling *t);
void tell_note(FILE *out, const struct telling *t);
void tell_examples(FILE *out, const struct telling *t);
void tell_beyond(FILE *out, const struct telling *t);
void tell_shortfall(FILE *out, const struct telling *t);
void tell_warnings(FILE *out, const struct telling *t);
void tell_trouble(FILE *out, const struct telling *t);
void tell_levels(FILE *out, const struct telling *t);
void tell_picture(FILE *out, const struct telling *t);
void tell_legend(FILE *out, const struct telling *t);
void tell_cycle(FILE *out, const struct telling *t);
void tell_conclusion(FILE *out, const struct telling *t);
void tell_facts(FILE *out, const struct telling *t);
void tell_scripts(FILE *out, const struct telling *t);
void tell_chances(FILE *out, const struct telling *t);
void tell_run(FILE *out, const struct telling *t);
void tell_again(FILE *out, const struct telling *t);
void tell_place(FILE *out, const struct telling *t);

// Are own scripts told of that keep what the database promises, and are not
// serializable?
bool tells_kept_scripts(const struct telling *t);

// A picture of the counterexample for a terminal; NULL if none fits.  To be
// freed.
char *tell_make_picture(const struct stored *stored);

unsigned text_lines(const char *text);

// A line with a label, on a terminal as many lines as there must be: of a
// sentence (base/marks.h), and of text from outside.
void text_put_labelled(FILE *out, const struct telling *t, const char *label,
                       const char *sentence);
void text_put_said(FILE *out, const struct telling *t, const char *label,
                   const char *text);

#endif

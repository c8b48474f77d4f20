// SPDX-License-Identifier: GPL-3.0-or-later
// Why a run is no success although its level was kept in what was recorded: a
// signal ended it, the database or the way to it was at fault too often, or
// something else that the run promises was broken.
#ifndef REPORT_SHORTFALL_H
#define REPORT_SHORTFALL_H

#include "report/report.h"

// The gravest first.
enum shortfall_kind {
  SHORTFALL_TROUBLE,   // with a file, the database or the proof
  SHORTFALL_INVARIANT, // is broken
  SHORTFALL_MODEL,     // of a test of Jepsen: is broken
  SHORTFALL_LOST,      // acknowledged writes are
  SHORTFALL_INTERRUPTED,
  SHORTFALL_UNHARMED, // a run whose faults all failed to strike
  SHORTFALL_ERRORS,   // more than one attempt in a hundred ended in one, or the
                      // store was full
  SHORTFALL_NONE,
};

enum { SHORTFALL_TEXT = 1024 };

struct shortfall {
  enum shortfall_kind kind;
  const char *word; // of the first line of the result: "INTERRUPTED"
  const char *name; // in JSON: "interrupted"
  char sentence[SHORTFALL_TEXT];
};

// False, and SHORTFALL_NONE: nothing is missing.
bool shortfall_of(const struct report *report, struct shortfall *shortfall);

// The sentences of single kinds.  False, and nothing: it is not so.
bool shortfall_invariant(const struct report *report, char *text, size_t bytes);
bool shortfall_interrupted(const struct report *report, char *text,
                           size_t bytes);

// How many attempts ended in an error, which is no refusal, and in which one
// most often: "3 of 120 attempts (2.5 %) ended in errors, mostly other (13):
// database or disk is full".  False, and empty: none did.
bool shortfall_errors(const struct run_figures *figures, char *text,
                      size_t bytes);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own scripts, held against serializability whatever their level
// promises: a rule that holds when one of them runs alone may break when many
// do.
#ifndef REPORT_OWN_SCRIPTS_H
#define REPORT_OWN_SCRIPTS_H

#include "base/json.h"
#include "checker/verdict/verdict.h"

#include <stdio.h>

// An anomaly that a statement of theirs shows.
struct own_finding {
  enum anomaly anomaly;
  uint64_t found;             // times; 0: it was seen, and not counted
  const char *ruled_out_from; // as below
};

// The part of a statement that is held against a level.
enum own_tier {
  OWN_IN_FULL,    // the rows that came back or were changed, and no other fit
  OWN_BY_ROWS,    // the rows that came back or were changed
  OWN_NOT_JUDGED, // what it read is not known
  OWN_NOT_EXECUTED,
};

// "in full", "by rows", "not judged" or "never executed"; a constant string.
const char *own_tier_words(enum own_tier tier);

struct own_statement {
  const char *place; // "sell.pgbench:4"
  const char *text;  // as it stands there, on one line
  enum own_tier tier;
  const char *judged; // how isostress knows which rows it had to find, or why
                      // it does not
  uint64_t executed;  // in transactions that count
  const struct own_finding *findings;
  uint32_t nfindings;
};

// A statement that can take the place of another one, and of the SELECT before.
struct own_change {
  const char *place, *text;
};

struct own_scripts {
  const struct verdict *serializable; // of the whole run
  // The weakest level of the database, in its own words, whose documentation
  // rules out all that was found; NULL: none, or nothing was found.
  const char *ruled_out_from;
  // The counterexample in a sentence about the scripts' own tables, without a
  // full stop; NULL: it is of no such kind.
  const char *headline;
  // Remedies, in sentences; NULL: what helps against the anomaly.
  const char *helps;
  const struct own_statement *statements; // of all scripts, in their order
  uint32_t nstatements;
  const struct own_change *changes;
  uint32_t nchanges;
};

// Writes in sentences (base/marks.h), after the first sentence of a run that
// kept its level: "But these scripts are not serializable at READ COMMITTED:
// lost update 229 times. REPEATABLE READ rules that out."
void own_scripts_put(FILE *out, const struct own_scripts *scripts,
                     const char *level);

// Each one or more sentences or nothing: the case; "sell.pgbench:4:
// lost update 113 times, none from REPEATABLE READ on"; "3 of 4 statements in
// full, 1 by rows"; and the changes.
void own_scripts_put_case(FILE *out, const struct own_scripts *scripts);
void own_scripts_put_findings(FILE *out, const struct own_scripts *scripts);
void own_scripts_put_judged(FILE *out, const struct own_scripts *scripts);
void own_scripts_put_changes(FILE *out, const struct own_scripts *scripts);

void own_scripts_put_json(struct json *json, const struct own_scripts *scripts);

#endif

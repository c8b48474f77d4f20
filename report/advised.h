// SPDX-License-Identifier: GPL-3.0-or-later
// Advice about the user's own scripts: what each of them needs, so that all of
// them run as if one after another and the invariant holds.  Everything that is
// advised was tried in a run.
#ifndef REPORT_ADVISED_H
#define REPORT_ADVISED_H

#include "checker/verdict/verdict.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The finding of a run in one script.
struct advised_cell {
  enum anomaly anomaly; // ANOMALY_NONE: there is none
  const char *place;    // "place.sql:4"; NULL where there is none
};

// The answer of explore at a level: about every order of the statements of two
// or three sessions, each of which performs one of the scripts once.
enum explored_answer {
  EXPLORED_NOT,    // no script is taken, or the level promises nothing
  EXPLORED_KEPT,   // each order has a result of one script after the other
  EXPLORED_BREAKS, // one has another result
  EXPLORED_OPEN    // none that was looked at has, but these were not all
};
struct advised_exploration {
  enum explored_answer answer;
  const char *broken; // "place.sql twice; place.sql with restock.sql": groups
                      // of scripts that break; NULL: none
  uint32_t ngroups,
      open; // groups of scripts, and those not explored as a whole
};

// One run of all scripts.  Texts are of whoever made the advice.
struct advised_trial {
  const char *level;   // in the database's own words
  const char *changes; // of the scripts as they were given; NULL: none
  bool tried;          // to its end; else nothing that follows is known
  bool decided;        // else `trouble` or `open` says why not
  bool serializable;
  bool broke_level;        // the database did not keep what the level promises
  bool asked, invariant;   // an invariant was asked for, and held
  const char *answer;      // of the invariant, if it did not hold
  uint64_t begun, refused; // attempts
  uint64_t committed;
  double rate;                      // committed per second
  const struct advised_cell *cells; // of each script
  const char *headline;             // the smallest case in a sentence; or NULL
  const char *refusals; // in the database's words, with codes; NULL: none
  const char *run;      // its directory below that of the advice; NULL: none
  const char *trouble;  // NULL: none
  const char *open;     // why the checker did not decide; NULL: it did
  struct advised_exploration explored; // of the scripts as they were given
};

// One change of one script, which was tried.
struct advised_remedy {
  uint32_t script;
  const char *place;         // "place.sql:4"
  const char *now, *instead; // text of the script
  struct advised_trial trial;
  bool helps;  // the script had no finding any more
  bool chosen; // it is a part of the advice
};

// Why a level that was tried to its end is not decided; NULL: it is, or nobody
// knows.
const char *advised_open(const struct advised_trial *trial);

struct advised {
  const char *program, *command, *target, *server, *schema, *invariant;
  uint64_t date;              // ns since 1970
  double seconds;             // of each run of a level
  const char *const *scripts; // their names, "place.sql"
  const char *const *texts;   // as they were given
  uint32_t nscripts;
  const char *const *unexplored; // why explore does not take a script; NULL of
                                 // one that it takes
  struct advised_trial *levels;  // from the weakest on
  uint32_t nlevels;
  uint32_t default_level; // of `levels`
  struct advised_remedy *remedies;
  uint32_t nremedies;
  const struct advised_trial *after; // with all chosen remedies; NULL: they are
                                     // none, or not enough
  bool interrupted;
};

// Did everything hold that was asked for in the run?
bool advised_is_kept(const struct advised_trial *trial);
// Did it, and did explore find nothing that breaks the level?
bool advised_is_safe(const struct advised_trial *trial);

// Did explore take a script, at some level?
bool advised_is_explored(const struct advised *advised);
// The answer of explore in a word; "" for none.  A constant string.
const char *advised_explored_word(const struct advised_trial *trial);
// The difference between the run and explore, as a sentence to be freed
// (base/marks.h); NULL: they do not.
char *advised_difference(const struct advised *advised,
                         const struct advised_trial *trial);

// The weakest level from the default on at which the scripts do as they are;
// NULL: none.
const struct advised_trial *advised_level(const struct advised *advised);

// The advice in one or two sentences (base/marks.h).
void advised_put_sentence(FILE *out, const struct advised *advised);

// "place.sql:4 and tag.sql:3": the places of the chosen remedies (likewise).
void advised_put_chosen(FILE *out, const struct advised *advised);

// "lost update", "kept", or "none found": something was found in another
// script, and not all of what a run finds is looked at.
void advised_put_cell(FILE *out, const struct advised_trial *trial,
                      uint32_t script);
double advised_refused(const struct advised_trial *trial); // of 100 attempts

void advised_put_json(FILE *out, const struct advised *advised);

#endif

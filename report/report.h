// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of a run or a check, and as JSON for programs, whose schema is
// report/SCHEMA.md.
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "checker/auto_level.h"
#include "checker/chances/chances.h"
#include "checker/verdict/verdict.h"
#include "durability/durability.h"
#include "models/tests.h"
#include "recorder/events.h"
#include "recorder/history.h"
#include "report/badge.h"
#include "report/own_scripts.h"
#include "runner/runner.h"
#include "workload/invariant.h"

#include <stdio.h>

struct report_setting {
  const char *name, *value; // as in a job file, without secrets
  const char *usual;        // its default; NULL: not known
};

// A figure that was demanded, as typed, and the value that was measured.
struct report_requirement {
  const char *text, *is;
  bool met;
};

// A moment of the run.
struct moment {
  uint64_t time;      // ns of the run
  uint64_t committed; // transactions by then
};

// The result of checking while the run lasted.
struct notice_figures {
  bool seen;              // a violation, which ended the run
  struct moment happened; // when it was complete; 0: unknown
  struct moment noticed;  // when the check had found it
  uint64_t held_back;     // ns, mean of the sessions, that they waited for the
                          // check to keep up
  uint64_t undecided;     // parts whose check took too long
};

// The meaning of lost writes; from LOSS_UNSETTLED on it is undecided.
enum loss {
  LOSS_NONE,            // none is lost
  LOSS_AGAINST_PROMISE, // or against nothing that is known to allow it
  LOSS_ALLOWED,         // by the database's settings
  LOSS_UNSETTLED,       // the host that was read at the end may be late
  LOSS_UNACKNOWLEDGED,  // perhaps of transactions whose commit was found out:
                        // nobody acknowledged it
};
struct durable {
  struct durability is;
  enum loss loss;
};

// A step to type at a terminal: one or more lines.
struct report_command {
  const char *session; // the transactions of the terminal: "T1"; NULL: any
                       // terminal, before and after all
  const char *text;
  const char *place;    // in the user's own script: "sell.pgbench:3"; or NULL
  const char *returned; // in the run; NULL: nothing that is known
};

// Everything that is known; all pointers are the caller's.
struct report {
  const char *command;      // "run" or "check"
  const char *history_path; // NULL: not recorded
  const char *directory;    // of the run; NULL for a check
  bool unwritten;           // its page could not be written there
  bool unreachable;         // no run took place, and no other one can

  // A run; figures NULL for a check.
  const struct run_figures *figures;
  bool faulted;               // it had faults, some of which may be events
  const struct event *events; // what was done to the database's nodes
  uint32_t nevents;
  const char *target;         // without secrets
  const char *driver_command; // of a driver by a pipe; else NULL
  bool driver_tested;         // it passed the quick checks before the run
  const char *workload;
  const char *level;      // the database's own words
  enum isolation claimed; // what that level promises
  uint32_t clients;
  enum routing routing; // over several hosts
  bool rated;           // under --rate: latency from the intended start
  const struct report_setting *settings; // ends with a NULL name; may be NULL
  const struct report_requirement *requirements;
  uint32_t nrequirements;
  const struct invariant *invariant; // NULL: none was checked
  const struct test_answer *model;   // of a test of Jepsen; NULL: of no such
  const struct durable *durable;     // NULL: it has no history
  const char *trouble; // a sentence about what went wrong; NULL: nothing

  // A check; all NULL if nothing was checked, but for the level that was asked
  // about, where it is known.
  const char *asked;
  const struct notice_figures *notice; // NULL: not checked while it went on
  const struct history *history;
  const char *salvage; // what was lost of the file; NULL: nothing
  const struct verdict *verdict;
  const struct auto_level *auto_level; // NULL: one level was asked for; else
                                       // `verdict` is about the claimed one
  const struct verdict *beyond; // of all levels, on a level that is broken
                                // though the claimed one is not; or NULL
  const struct own_scripts *own_scripts; // NULL: it ran none, or none was asked
  const struct chances *chances; // of a verdict that passed; NULL: not counted
  double check_seconds;          // reading and checking
  bool streamed;   // it was checked as a stream, which counts no chances
  bool raw_values; // counterexamples with raw names
  const struct explored *explored; // NULL: the history is of no exploration
  // How to see the counterexample of statements by hand; none: 0.
  const struct report_command *commands;
  uint32_t ncommands;
};

// Writes the report as one JSON document, by report/SCHEMA.md.
void report_json(FILE *out, const struct report *report);

// Does the level of the run promise nothing, so that all levels were asked
// about?  `verdict` is then on the strongest level that was kept; if none was,
// a violation of the weakest one, which is no fault of the database.
bool report_is_open(const struct report *report);

// Does the documentation of the level rule out what the run's violation shows?
bool report_breaks_promise(const struct report *report);

// "pass", "violation" or "undecided"; a constant string.
const char *report_verdict_word(const struct verdict *verdict);

// Advice about a violation that another program may have caused by writing to
// the tables of a run, or that another start explains; NULL: no such sign.
enum { SUSPICION_ROOM = 400 };
const char *report_suspicion(const struct report *report,
                             char sentence[SUSPICION_ROOM]);

// The counterexamples of a violation: the verdict itself, then its others.
const struct verdict *report_violation(const struct verdict *verdict,
                                       uint32_t i);

// A sentence about a violation of which one program alone says that it is one.
const char *report_one_program(const struct verdict *verdict);

// Does a violation below SI have an INSERT, which is taken for a read?
#define REPORT_INSERT_READS                                                    \
  "An INSERT is taken here to have read that its key had no row; the paper "   \
  "on "                                                                        \
  "mixed isolation takes it for a write alone."
bool report_insert_reads(const struct verdict *verdict);

// Is the reason of a verdict that is undecided a limit, of which another check
// may have more?
bool report_hit_limit(const char *why);

// Does the level of the run rule out this counterexample of its verdict?  One
// of the first four, and BADGE_UNDOCUMENTED where another level was in effect.
enum badge report_badge(const struct report *report, const struct example *e);
// That of the violation which is told first; BADGE_UNDOCUMENTED if none is.
enum badge report_badge_told(const struct report *report);
// Is the violation of a run promised away, in one word for programs: "broken",
// "allowed" or "allowed across servers".  NULL: that is not known, or there is
// none.
const char *report_promise(const struct report *report);
// promise_among_serializable (report/words/promises.h) of the levels of a run.
const char *report_promise_among(const struct report *report);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The sections of the page of a run or check, each from the stored report, and
// what several of them say of a run.
#ifndef REPORT_PAGE_SECTIONS_H
#define REPORT_PAGE_SECTIONS_H

#include "report/stored.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The headline of a violation in the words of people who run databases, and
// four facts.  False if nothing was put: no run, or no violation of what it was
// asked for.
bool page_put_facts(FILE *out, const struct stored *stored);

// Words of the facts for a terminal: constant sentences (base/marks.h).
struct facts_in_brief {
  const char *answer, *tag; // is it promised?
  const char *means;
  const char *helps[3]; // of columns_help (report/page/columns.h)
  bool forbidden;
};
// Writes the headline as a sentence.  False, and nothing is written, where
// page_put_facts puts nothing.
bool page_facts_in_brief(struct facts_in_brief *brief, FILE *headline,
                         const struct stored *stored);

// The top of the page of a run that shows no violation: the level that was
// kept, or why nobody knows.  False if it is no such run.
bool page_put_kept(FILE *out, const struct stored *stored);
// Its headline as a sentence (base/marks.h).
bool page_kept_headline(FILE *out, const struct stored *stored);
// The top of the page of a history without a run: what was asked of it, and
// what it means.  False if it is no such history.
bool page_put_checked(FILE *out, const struct stored *stored);
// The top of the page of an exploration: what can happen, and four facts.
// False if nothing was put: no exploration, or the check of its history did not
// come to an end.
bool page_put_possible(FILE *out, const struct stored *stored);
// The levels.  Nothing if the document, a report, is of no exploration.
void page_put_explored(FILE *out, const struct json_value *document);
// ", and the model bank was broken by WrongTotal", of the member of a stored
// report; nothing if it was kept or is not there.
void page_put_model_words(FILE *out, const struct json_value *model);
// The section of a run that has a model of Jepsen's tests: at its top, if the
// model was broken.
void page_put_model(FILE *out, const struct stored *stored, bool at_top);
// And those of acknowledged writes that are lost.
void page_put_durable_words(FILE *out, const struct json_value *durability);
void page_put_durable(FILE *out, const struct stored *stored, bool at_top);
// Runs that would show more than one that kept its level.
void page_put_next(FILE *out, const struct json_value *document);
// Some milliseconds of a run, a row for each session.
void page_put_lanes(FILE *out, const struct json_value *run);

// Trouble, warnings and the like, which a reader should know before all else.
void page_put_notices(FILE *out, const struct stored *stored);
// The proof and the history, and how to have both checked again.  `told`: the
// head of the page tells of the anomaly.
void page_put_proof(FILE *out, const struct stored *stored, bool told);

// Options of `isostress replay` that ask the question of a verdict.
void page_put_question(FILE *out, const struct json_value *verdict);

// The verdict on each level, if all were checked.
void page_put_auto_level(FILE *out, const struct json_value *document);
// Does the level of the run promise nothing, so that all levels were asked
// about?
bool page_is_open(const struct json_value *document);

// The chances that it had of each anomaly, if they were counted.
void page_put_chances(FILE *out, const struct json_value *document);

// How many of the committed transactions of a history the figures of its run
// count, where they count fewer.  A sentence of words and numbers alone, for
// pages and terminals.
void page_put_counted(FILE *out, uint64_t history, uint64_t figures);
// The figures of a run.
void page_put_figures(FILE *out, const struct json_value *document);
// The plots among them, over time.
void page_put_plots(FILE *out, const struct json_value *run);
// The time per kind of transaction, and how the run was made.
void page_put_latency(FILE *out, const struct json_value *run);
void page_put_settings(FILE *out, const struct json_value *document);
// A space and the target, for a command that makes the run again; nothing if
// its options name a server.
void page_put_target(FILE *out, const struct json_value *run);
// The command that makes the run again, with another value of one option; NULL:
// with none.
void page_put_run_again(FILE *out, const struct json_value *run,
                        const char *option, const char *value);
// A counterexample with its picture.  `told`: the head of the page says what
// happened.
void page_put_example(FILE *out, const struct stored *stored, uint32_t index,
                      bool told);

// The name of a run's database, as its makers write it, or "The database"; a
// constant string.
const char *page_database(const struct json_value *run);
// "PostgreSQL 15.18": what the server of a run or scorecard says of itself, up
// to the first comma; its target if it says nothing.  As text, no markup.
void page_put_server(FILE *out, const struct json_value *run);
// Puts the name of the database within a sentence: "the built-in store".
void page_put_database(FILE *out, const struct json_value *run);
// The level that the run asked for: as SQL writes it, or "level si".
void page_put_level(FILE *out, const struct json_value *run);
// " (manual)" with its address, if it is known.
void page_put_manual(FILE *out, const struct json_value *run);
void page_put_manual_of(FILE *out, const char *target, const char *server);

// The user's own scripts: what prevents that which they show, and how each
// statement was judged.
void page_put_prevents(FILE *out, const struct json_value *document);
void page_put_judged(FILE *out, const struct json_value *document);

// How to see the first counterexample by hand, and how to have it replayed.
void page_put_hands(FILE *out, const struct stored *stored);

// In plain words: "VIOLATION: snapshot isolation was broken by LostUpdate".
void page_verdict_words(FILE *out, const struct stored *stored);

// The answers of explore about scripts for which advice was made.
struct advised;
void page_put_explored_scripts(FILE *out, const struct advised *advised);

#endif

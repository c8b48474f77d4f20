// SPDX-License-Identifier: GPL-3.0-or-later
// Reports as web pages: one file each, readable without a network and without
// scripts, on a phone, in print, in light and dark.
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/stored.h"
#include "report/words/guarantees.h"

#include <stdio.h>

// The page of a run or check.
void page_put_report(FILE *out, const struct stored *stored);

// A scorecard as a page.
void page_put_scorecard(FILE *out, const struct guarantees *guarantees);

// Several runs side by side, as a page, as a section of it that has all their
// figures, and as text; `names` are theirs.
// `all_results` as for page_bar; `links` lead from the page to those of the
// runs, NULL where there is none.
#define COMPARE_TITLE "Runs side by side" // of the page
void compare_put_page(FILE *out, const struct stored *runs,
                      const char *const *names, const char *const *links,
                      uint32_t nruns, const char *all_results);
void compare_put_figures(FILE *out, const struct stored *runs,
                         const char *const *names, uint32_t nruns);
void compare_put_text(FILE *out, const struct stored *runs,
                      const char *const *names, uint32_t nruns);

// The parts of a page.

// From the beginning to the open <main>, and from its end on.
void page_open(FILE *out, const char *title);
// By this line in its head a page is known to be one of ours.
#define PAGE_MARK "<meta name=\"generator\" content=\"isostress\">\n"
void page_close(FILE *out, const char *program);

// The headline of a violation in the words of people who run databases, and
// four facts.  False if nothing was put: no run, or no violation of what it was
// asked for.
bool page_put_facts(FILE *out, const struct stored *stored);

// Words of the facts for a terminal: constant strings in markup.
struct facts_in_brief {
  const char *answer, *tag; // is it promised?
  const char *means;
  const char *helps[3]; // of columns_help (report/page/columns.h)
  bool forbidden;
};
// Writes the headline as markup.  False, and nothing is written, where
// page_put_facts puts nothing.
bool page_facts_in_brief(struct facts_in_brief *brief, FILE *headline,
                         const struct stored *stored);

// The top of the page of a run that shows no violation: the level that was
// kept, or why nobody knows.  False if it is no such run.
bool page_put_kept(FILE *out, const struct stored *stored);
// Its headline as markup.
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
// count, where they count fewer.
void page_put_counted(FILE *out, uint64_t history, uint64_t figures);
// The figures of a run.
void page_put_figures(FILE *out, const struct json_value *document);
// The plots among them, over time.
void page_put_plots(FILE *out, const struct json_value *run);
// The time per kind of transaction, and how the run was made.
void page_put_latency(FILE *out, const struct json_value *run);
void page_put_settings(FILE *out, const struct json_value *document);
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
// The first line of a page: the program, the way to the page of all results
// (NULL: there is none), and what the page is about.
void page_bar(FILE *out, const char *all_results, const char *about,
              const char *when);
// The symbol of a colour, as below.
void page_symbol(FILE *out, const char *colour);
// A verdict in a few words; a symbol says as much as the colour, which is
// "bad", "warn", "good", "open" or, where there is no verdict, "many".
void page_tag(FILE *out, const char *colour, const char *text);
// A command between them, with a button that copies it.
void page_start_command(FILE *out);
void page_end_command(FILE *out);
// Puts a text as one word of a command.
void page_shell_word(FILE *out, const char *text);
// A path as the value of an href.
void page_href(FILE *out, const char *path);

// The user's own scripts: what prevents that which they show, and how each
// statement was judged.
void page_put_prevents(FILE *out, const struct json_value *document);
void page_put_judged(FILE *out, const struct json_value *document);

// How to see the first counterexample by hand, and how to have it replayed.
void page_put_hands(FILE *out, const struct stored *stored);

// Opens a section with a heading; close it with "</section>".
void page_section(FILE *out, const char *id, const char *heading);
// Opens a table that scrolls if it is too wide; close it with page_end_table.
// The names of its columns, in markup, stand between '|', with '#' before those
// of numbers; NULL: it has no head.
void page_table(FILE *out, const char *caption, const char *columns);
void page_end_table(FILE *out);
// A table whose head the caller writes: page_start_table, "<thead><tr>", the
// columns, PAGE_END_HEAD.
void page_start_table(FILE *out, const char *caption);
// As page_start_table; where there is no room, each row becomes a card, with
// the names of the columns, as page_table takes them, above its cells.
void page_start_cards(FILE *out, const char *caption, const char *columns);
void page_column(FILE *out, const char *name);
#define PAGE_END_HEAD "</tr></thead>\n<tbody>\n"
// Opens a row with its heading; close it with "</tr>\n".
void page_start_row(FILE *out, const char *heading);
// Cells of an open row.  `class` is empty: none.
void page_cell(FILE *out, const char *class, const char *text);
void page_number(FILE *out, uint64_t number);
// A row "heading, text" of a table; nothing if there is no text.
void page_row(FILE *out, const char *heading, const char *text);
// A cell with a duration; an empty one for 0.
void page_duration(FILE *out, double ns);

// In plain words: "VIOLATION: snapshot isolation was broken by LostUpdate".
void page_verdict_words(FILE *out, const struct stored *stored);

#endif

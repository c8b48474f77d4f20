// SPDX-License-Identifier: GPL-3.0-or-later
// Steps on texts (runner/text.h).
#include "config.h"

#include "runner/text.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "own/journal.h"
#include "own/noting.h"
#include "own/play.h"
#include "own/run.h"
#include "runner/program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct raw_log *log_of(struct session *s) {
  return &s->run->options->own->logs[s->number];
}

static bool is_told_to_stop(const void *run) {
  return run_is_told_to_stop(run);
}

static struct raw_pace pace_of(const struct session *s) {
  return (struct raw_pace){is_told_to_stop, s->run};
}

// The run ends with what a program did wrong.
static void fail_if_told(struct session *s, const struct error *error) {
  if (error->text[0])
    raw_run_fail(s->run->options->own, error);
}

bool text_take(struct session *s) {
  if (s->closing || program_question_is_due(s))
    return program_take(s);
  struct error error = {0};
  const struct raw_pace pace = pace_of(s);
  s->asks = false;
  s->first = s->last = 0;
  s->plan.shape = raw_play_take(s->workload_state, &pace, &error);
  fail_if_told(s, &error);
  if (s->plan.shape == UINT32_MAX)
    return false;
  s->raw_answer.all_rows = raw_play_is_program(s->workload_state);
  pack_note(&s->run->pack, s->number, ++s->nplans);
  return true;
}

static bool take_turn(struct session *s) {
  struct error error = {0};
  const struct raw_pace pace = pace_of(s);
  s->raw_place = RAW_NO_PLACE;
  s->turn = raw_play_next(s->workload_state, &pace, &s->raw_step, &s->raw_text,
                          &error);
  fail_if_told(s, &error);
  return s->turn == RAW_TURN_STATEMENT;
}

bool text_start(struct session *s) {
  if (s->asks)
    return program_start(s);
  raw_play_start(s->workload_state);
  return take_turn(s);
}

bool text_tries_again(const struct session *s) {
  return s->asks || !raw_play_is_program(s->workload_state);
}

bool text_reads_only(const struct session *s) {
  return !s->asks && !s->closing && raw_play_reads_only(s->workload_state);
}

bool text_rolls_back(const struct session *s) {
  return !s->asks && s->turn == RAW_TURN_ROLLBACK;
}

void text_note_begin(struct session *s, uint64_t now) {
  if (s->asks) // the history has no such transaction
    return;
  raw_log_begin(log_of(s), target_claim(s->connection->target, s->level), now);
}

void text_note_commit(struct session *s) {
  if (!s->asks)
    raw_journal_commit(s->run->options->own, s->number);
}

// Constraints that wait for the commit may have changed rows by then.
void text_note_end(struct session *s, enum outcome outcome, enum cause cause,
                   uint64_t now) {
  const struct statement_times times = {now, now};
  if (s->asks)
    return;
  if (s->raw_answer.nchanges && outcome != OUTCOME_ABORTED)
    raw_log_statement(log_of(s), RAW_NO_PLACE, false, &times, &s->raw_answer);
  instrument_answer_clear(&s->raw_answer);
  if (outcome != OUTCOME_OK && s->turn != RAW_TURN_ROLLBACK)
    raw_play_give_up(s->workload_state);
  struct error error = {0};
  const struct connection *c = s->connection;
  const bool wanted = outcome == OUTCOME_ABORTED && cause == CAUSE_CLIENT;
  raw_play_end(s->workload_state, wanted ? OUTCOME_OK : outcome,
               c ? c->code : "", c ? c->text : "", &error);
  fail_if_told(s, &error);
  raw_log_end(log_of(s), outcome, cause, now);
  raw_journal_end(s->run->options->own, s->number, now);
}

// A savepoint changes nothing but what the log has.
static void note_savepoint(struct session *s) {
  const struct raw_step *step = s->raw_step;
  if (step->kind == RAW_SAVEPOINT)
    raw_log_mark(log_of(s), step->name);
  else if (step->kind == RAW_ROLLBACK_TO)
    raw_log_go_back(log_of(s), step->name);
}

// A statement of a program has a place once it was read.
static uint32_t place_of_step(const struct session *s) {
  if (s->turn != RAW_TURN_STATEMENT || s->raw_step->kind != RAW_STATEMENT)
    return RAW_NO_PLACE;
  return raw_play_is_program(s->workload_state) ? s->raw_place
                                                : s->raw_step->place;
}

// A program says no line.
static void name_step(const struct session *s, struct place_count *row) {
  const struct raw_scripts *scripts = s->run->options->own->scripts;
  const struct raw_script *script = &scripts->scripts[s->plan.shape];
  const char *slash = strrchr(script->path, '/');
  const char *file = slash ? slash + 1 : script->path;
  const char *text = s->turn == RAW_TURN_STATEMENT ? s->raw_text : "COMMIT";
  if (script->program)
    snprintf(row->place, sizeof row->place, "%s", file);
  else
    snprintf(row->place, sizeof row->place, "%s:%" PRIu32, file,
             s->raw_step->line);
  snprintf(row->statement, sizeof row->statement, "%s", text);
}

bool text_place(const struct session *s, struct place_count *row) {
  const struct raw_scripts *scripts = s->run->options->own->scripts;
  const uint32_t place = place_of_step(s);
  *row = (struct place_count){0};
  if (s->asks || s->closing)
    return false;
  if (place == RAW_NO_PLACE) {
    name_step(s, row);
    return true;
  }
  snprintf(row->place, sizeof row->place, "%s", scripts->places[place].at);
  snprintf(row->statement, sizeof row->statement, "%s",
           scripts->places[place].text);
  return true;
}

// The statement failed, and its transaction goes on.
static void note_undone(struct session *s) {
  const struct connection *c = s->connection;
  struct place_count row;
  if (text_place(s, &row))
    tally_place(&s->tally, row, c->cause, c->code, c->text);
}

static enum outcome execute_text(struct session *s,
                                 const struct sql_outline *outline) {
  struct raw_run *own = s->run->options->own;
  struct instrument_way way = {0};
  struct statement_times times = {.begin = clock_read(s->clock)};
  if (s->raw_step->kind == RAW_STATEMENT)
    raw_run_choose(own, s->run->options->target, s->raw_place, s->raw_text,
                   &s->tokens, outline, &way);
  const enum outcome outcome = own->instrument->execute(
      s->connection, s->raw_text, outline, &way, &s->raw_answer);
  times.end = clock_read(s->clock);
  if (outcome == OUTCOME_OK && s->raw_step->kind != RAW_STATEMENT)
    note_savepoint(s);
  else if (s->raw_step->kind == RAW_STATEMENT)
    raw_note(own,
             &(struct raw_doing){.session = s->number,
                                 .place = s->raw_place,
                                 .text = s->raw_text,
                                 .outline = outline,
                                 .way = &way,
                                 .times = times,
                                 .succeeded = outcome == OUTCOME_OK},
             &s->raw_answer);
  if (s->raw_answer.undone && s->raw_step->kind == RAW_STATEMENT)
    note_undone(s);
  return outcome;
}

static enum outcome refuse_bypass(struct session *s) {
  struct connection *c = s->connection;
  c->cause = CAUSE_OTHER;
  snprintf(c->code, sizeof c->code, "bypassed");
  snprintf(c->text, sizeof c->text, "the instrument was bypassed");
  return OUTCOME_ABORTED;
}

// Variables may make another statement of a text, or several.
static bool is_one_statement(const struct session *s) {
  for (uint32_t i = 0; i < s->tokens.n; i++)
    if (sql_token_is(&s->tokens, i, ";"))
      return false;
  return s->tokens.n > 0;
}

static bool read_text(struct session *s, struct sql_outline *outline) {
  struct connection *c = s->connection;
  *outline = (struct sql_outline){.why = "it is no statement"};
  s->tokens.dialect = s->run->options->own->instrument->dialect;
  if (sql_tokens_read(&s->tokens, s->raw_text) && is_one_statement(s))
    sql_outline_read(outline, &s->tokens);
  else
    outline->verb = SQL_VERB_REFUSED;
  if (outline->verb != SQL_VERB_REFUSED)
    return true;
  c->cause = CAUSE_OTHER;
  snprintf(c->code, sizeof c->code, "refused");
  snprintf(c->text, sizeof c->text, "%s", outline->why);
  return false;
}

// Scripts know their places, and statements of programs are told apart here.
static bool place_statement(struct session *s,
                            const struct sql_outline *outline) {
  const bool made = s->raw_step->kind == RAW_STATEMENT &&
                    raw_play_is_program(s->workload_state);
  s->raw_place = made ? raw_run_place(s->run->options->own, s->plan.shape,
                                      &s->tokens, outline->verb)
                      : s->raw_step->place;
  return !made || s->raw_place != RAW_NO_PLACE;
}

// The statement was executed, or undone alone, which a script goes past.
static void tell_play(struct session *s) {
  struct raw_play *play = s->workload_state;
  struct error error = {0};
  if (s->raw_answer.undone && raw_play_is_program(play))
    raw_play_end(play, OUTCOME_ABORTED, s->connection->code,
                 s->connection->text, &error);
  else
    raw_play_keep(play, &s->raw_answer, &error);
  fail_if_told(s, &error);
}

enum outcome text_step(struct session *s, bool *goes_on) {
  struct sql_outline outline;
  if (s->asks)
    return program_step(s, goes_on);
  *goes_on = false;
  s->next++;
  if (!read_text(s, &outline))
    return OUTCOME_ABORTED;
  if (!place_statement(s, &outline))
    return refuse_bypass(s);
  enum outcome outcome = execute_text(s, &outline);
  if (outcome == OUTCOME_OK && s->raw_step->kind == RAW_STATEMENT &&
      !raw_run_hold(s->run->options->own, s->raw_place, &outline,
                    &s->raw_answer))
    outcome = refuse_bypass(s);
  if (outcome == OUTCOME_OK)
    tell_play(s);
  instrument_answer_clear(&s->raw_answer);
  *goes_on = outcome == OUTCOME_OK && take_turn(s);
  return outcome;
}

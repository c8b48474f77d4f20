// SPDX-License-Identifier: GPL-3.0-or-later
// Rehearses scripts (own/rehearse.h).
#include "config.h"

#include "own/rehearse.h"

#include "base/memory.h"
#include "drivers/driver.h"
#include "own/conditions.h"
#include "own/noting.h"
#include "own/play.h"

#include <stdlib.h>
#include <string.h>

// A script with branches is played again, until each statement was reached.
enum { PLAYS_MOST = 20 };

struct rehearsal {
  struct raw_run *run;
  struct connection *connection;
  const struct driver_level *level;
  struct raw_rehearsed *places;
  struct sql_tokens tokens;
  struct instrument_answer answer;
};

// ---- A statement

static void note_refusal(struct rehearsal *r, uint32_t place) {
  const struct connection *c = r->connection;
  struct raw_rehearsed *at = &r->places[place];
  if (!at->refused)
    at->refused = *c->code ? xasprintf("%s (%s)", c->text, c->code)
                           : xstrdup(*c->text ? c->text : "it says nothing");
}

// The reason why the rows that fit are not known, before any value is ranked.
static const char *why_not_whole(const struct rehearsal *r,
                                 const struct sql_outline *o,
                                 const struct instrument_way *way) {
  if (o->verb == SQL_VERB_SELECT && !way->adds)
    return NULL;
  if (o->verb == SQL_VERB_INSERT)
    return "what it does depends on rows that are there";
  if (way->ntables > 1 || o->ntables > 1)
    return "it has more than one table, so rows that it left out are not "
           "judged";
  if (!o->whole || !way->ntables)
    return "it has a LIMIT, a HAVING, a call or the like, so rows that it left "
           "out are not judged";
  const struct instrument_table *table =
      &r->run->tables.all[way->tables[0].table];
  if (table->silent)
    return "rows of its table change by cascades that InnoDB shows to nobody";
  if (table->hides)
    return r->run->instrument->dialect == &sql_dialect_postgresql
               ? "a rule, a policy or a trigger of its table may hide rows"
               : "a trigger of its table may hide rows";
  return r->answer.cut ? "it came to more rows than are kept" : NULL;
}

static void log_statement(struct rehearsal *r, const struct raw_step *step,
                          const char *text, const struct sql_outline *o,
                          const struct instrument_way *way) {
  const struct raw_doing doing = {.place = step->place,
                                  .text = text,
                                  .outline = o,
                                  .way = way,
                                  .succeeded = true};
  r->places[step->place].why_rows = why_not_whole(r, o, way);
  raw_note(r->run, &doing, &r->answer);
}

// False: the database refused it, or it is none that a run sends.
static bool rehearse_statement(struct rehearsal *r, const struct raw_step *step,
                               const char *text) {
  const struct instrument *instrument = r->run->instrument;
  struct sql_outline outline = {.verb = SQL_VERB_REFUSED};
  struct instrument_way way = {0};
  const bool places = step->kind == RAW_STATEMENT;
  if (sql_tokens_read(&r->tokens, text))
    sql_outline_read(&outline, &r->tokens);
  if (places) {
    raw_run_choose(r->run, r->connection->target, step->place, text, &r->tokens,
                   &outline, &way);
    r->places[step->place].reached = true;
    r->places[step->place].way = way;
  }
  const enum outcome outcome =
      instrument->execute(r->connection, text, &outline, &way, &r->answer);
  if (outcome != OUTCOME_OK && places)
    note_refusal(r, step->place);
  else if (places)
    log_statement(r, step, text, &outline, &way);
  return outcome == OUTCOME_OK;
}

// ---- A script

static void rehearse_transaction(struct rehearsal *r, struct raw_play *play) {
  const struct driver *driver = r->connection->target->driver;
  const struct raw_step *step;
  const char *text;
  const struct raw_pace pace = {0}; // no program is rehearsed
  struct error error = {0};
  bool goes_on = driver->begin(r->connection, r->level) == OUTCOME_OK;
  raw_play_start(play);
  raw_log_begin(&r->run->logs[0], ISOLATION_NONE, 0);
  while (goes_on && raw_play_next(play, &pace, &step, &text, &error) ==
                        RAW_TURN_STATEMENT) {
    goes_on = rehearse_statement(r, step, text);
    if (goes_on)
      raw_play_keep(play, &r->answer, &error);
    instrument_answer_clear(&r->answer);
  }
  if (!goes_on)
    raw_play_give_up(play);
  driver->rollback(r->connection);
  raw_log_end(&r->run->logs[0], OUTCOME_OK, CAUSE_NONE, 0);
}

static uint32_t count_transactions(const struct raw_script *script) {
  uint32_t n = 0;
  bool open = false;
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const enum raw_step_kind kind = script->steps[i].kind;
    n += kind == RAW_BEGIN || (kind == RAW_STATEMENT && !open);
    open = kind == RAW_BEGIN ||
           (open && kind != RAW_COMMIT && kind != RAW_ROLLBACK);
  }
  return n;
}

static bool is_rehearsed(const struct rehearsal *r,
                         const struct raw_script *script) {
  bool done = true, refused = false;
  for (uint32_t i = 0; i < script->nsteps; i++)
    if (script->steps[i].kind == RAW_STATEMENT) {
      const struct raw_rehearsed *at = &r->places[script->steps[i].place];
      done &= at->reached;
      refused |= at->refused != NULL;
    }
  return done || refused;
}

static void rehearse_script(struct rehearsal *r,
                            const struct workload_options *options,
                            uint32_t script) {
  struct raw_workload workload;
  struct workload_options alone = *options;
  const struct raw_script *of = &r->run->scripts->scripts[script];
  raw_workload_make(&workload, r->run->scripts);
  memset(alone.shape_share, 0, sizeof alone.shape_share);
  alone.shape_share[script] = 1;
  alone.nsessions = 1;
  const struct raw_pace pace = {0};
  struct error error = {0};
  struct raw_play *play = workload.workload.open(&alone, 0);
  for (uint32_t i = 0;
       i < PLAYS_MOST && !is_rehearsed(r, of) && !r->connection->broken; i++)
    for (uint32_t t = count_transactions(of); t && !r->connection->broken;
         t--) {
      raw_play_take(play, &pace, &error);
      rehearse_transaction(r, play);
    }
  workload.workload.close(play);
}

// ---- What is known of conditions

static void note_versions(const struct raw_run *run,
                          struct known_versions *versions) {
  for (uint32_t i = 0; i < run->tables.nfirst; i++)
    versions_at(versions, &run->tables.first[i].after)->image =
        run->tables.first[i].image;
  for (uint32_t i = 0; i < run->logs[0].nchanges; i++)
    if (run->logs[0].changes[i].image)
      versions_at(versions, &run->logs[0].changes[i].after)->image =
          run->logs[0].changes[i].image;
}

// The database ranks the values of the first rows, as it will those of a run.
static void judge_conditions(struct rehearsal *r, struct target *target) {
  struct raw_run *run = r->run;
  struct known_versions versions = {0};
  struct raw_conditions conditions;
  note_versions(run, &versions);
  versions_number(&versions);
  conditions_make(&conditions, run, target, &versions);
  for (uint32_t s = 0; s < run->logs[0].nstatements; s++) {
    const struct raw_statement *statement = &run->logs[0].statements[s];
    struct predicate predicate;
    int64_t parameters[PREDICATE_PARAMETERS];
    if (!statement->where || statement->place == RAW_NO_PLACE)
      continue;
    struct raw_rehearsed *at = &r->places[statement->place];
    at->whole =
        conditions_predicate(&conditions, run, 0, s, &predicate, parameters);
    at->why_rows = at->whole ? NULL
                   : !conditions.steady
                       ? "a script has SET, which may change how values compare"
                       : "its condition has more than comparisons of columns "
                         "with constants";
  }
  conditions_free(&conditions);
  versions_free(&versions);
}

int raw_rehearse(struct raw_run *run, struct target *target,
                 const struct driver_level *level,
                 const struct workload_options *options,
                 struct raw_rehearsed *places, struct error *error) {
  struct rehearsal r = {.run = run,
                        .level = level,
                        .places = places,
                        .tokens = {.dialect = run->instrument->dialect}};
  if (target->driver->connect(target, 0, &r.connection, error))
    return -1;
  for (uint32_t i = 0; i < run->scripts->nscripts; i++)
    rehearse_script(&r, options, i);
  const bool broken = r.connection->broken;
  target->driver->disconnect(r.connection);
  if (!broken)
    judge_conditions(&r, target);
  sql_tokens_free(&r.tokens);
  instrument_answer_free(&r.answer);
  return 0;
}

void raw_rehearsed_free(struct raw_rehearsed *places, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    free(places[i].refused);
  free(places);
}

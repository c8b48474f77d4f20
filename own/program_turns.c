// SPDX-License-Identifier: GPL-3.0-or-later
// Turns of a program (own/program_turns.h).
#include "config.h"

#include "own/program_turns.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "own/log.h"
#include "own/program.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE (60 * NS_PER_SECOND)

struct program_turns {
  const struct raw_script *script;
  struct raw_program *process; // NULL: not started yet, or over
  uint32_t session;
  uint64_t seed;
  bool over;
  bool alone; // the transaction is one statement
  bool given; // which has had its turn
  bool owed;  // the program waits for an answer
  char *kept; // the answer to a statement alone, until its commit
  size_t kept_bytes;
  struct sql_tokens tokens;
  struct raw_step step; // the statement at hand
};

struct program_turns *program_turns_open(const struct raw_script *script,
                                         const struct sql_dialect *dialect,
                                         uint32_t session, uint64_t seed) {
  struct program_turns *t = xcalloc(1, sizeof *t);
  t->script = script;
  t->session = session;
  t->seed = seed;
  t->tokens.dialect = dialect;
  return t;
}

void program_turns_close(struct program_turns *t) {
  if (!t)
    return;
  raw_program_stop(t->process);
  sql_tokens_free(&t->tokens);
  FREE_EACH(t->step.text, t->step.name, t->kept, t);
}

// ---- Answers

static void send_line(struct program_turns *t, const char *line, size_t bytes,
                      struct error *error) {
  t->owed = false;
  if (t->process && raw_program_write(t->process, line, bytes, error))
    t->over = true;
}

// "{"count": 0, "rows": []}" and its like.
static char *make_answer(const struct instrument_answer *answer,
                         size_t *bytes) {
  struct json json;
  char *line;
  FILE *out = text_stream(&line, bytes);
  json_begin_line(&json, out);
  json_put_object(&json, NULL);
  json_put_unsigned(&json, "count", answer ? answer->affected : 0);
  json_put_array(&json, "columns");
  for (uint32_t i = 0; answer && i < answer->ncolumns; i++)
    json_put_string(&json, NULL, answer->names[i]);
  json_close(&json, ']');
  json_put_array(&json, "rows");
  for (uint32_t r = 0; answer && r < answer->nrows; r++) {
    json_put_array(&json, NULL);
    for (uint32_t i = 0; i < answer->ncolumns; i++)
      json_put_string(&json, NULL,
                      answer->values[(size_t)r * answer->ncolumns + i]);
    json_close(&json, ']');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
  fclose(out);
  return line;
}

static void answer_with(struct program_turns *t,
                        const struct instrument_answer *answer,
                        struct error *error) {
  size_t bytes;
  char *line = make_answer(answer, &bytes);
  send_line(t, line, bytes, error);
  free(line);
}

static void answer_failure(struct program_turns *t, const char *code,
                           const char *text, struct error *error) {
  struct json json;
  char *line;
  size_t bytes;
  FILE *out = text_stream(&line, &bytes);
  json_begin_line(&json, out);
  json_put_object(&json, NULL);
  json_put_string(&json, "error", code);
  json_put_string(&json, "message", text);
  json_close(&json, '}');
  json_end(&json);
  fclose(out);
  send_line(t, line, bytes, error);
  free(line);
}

void program_turns_keep(struct program_turns *t,
                        const struct instrument_answer *answer,
                        struct error *error) {
  if (!t->alone)
    answer_with(t, answer, error);
  else
    t->kept = make_answer(answer, &t->kept_bytes);
}

void program_turns_end(struct program_turns *t, enum outcome outcome,
                       const char *code, const char *text,
                       struct error *error) {
  if (t->owed && outcome == OUTCOME_ABORTED)
    answer_failure(t, code, text, error);
  else if (t->owed && outcome == OUTCOME_UNKNOWN)
    answer_failure(t, "unknown", "whether it was committed is not known",
                   error);
  else if (t->owed && t->kept)
    send_line(t, t->kept, t->kept_bytes, error);
  else if (t->owed)
    answer_with(t, NULL, error);
  free(t->kept);
  t->kept = NULL;
}

// ---- Requests

enum request {
  REQUEST_BEGIN,
  REQUEST_COMMIT,
  REQUEST_ROLLBACK,
  REQUEST_STATEMENT,
  REQUEST_NONE, // the program is done, or the run, or there is a sentence
};

// BEGIN, COMMIT and ROLLBACK may be SQL, too.  What is no statement is refused
// where it is executed.
static enum request note_statement(struct program_turns *t, const char *sql) {
  static const enum raw_step_kind kinds[] = {
      [SQL_VERB_SAVEPOINT] = RAW_SAVEPOINT,
      [SQL_VERB_ROLLBACK_TO] = RAW_ROLLBACK_TO,
      [SQL_VERB_RELEASE] = RAW_RELEASE,
      [SQL_VERB_REFUSED] = 0,
  };
  struct sql_outline o = {.verb = SQL_VERB_OTHER};
  FREE_EACH(t->step.text, t->step.name);
  t->step = (struct raw_step){.kind = RAW_STATEMENT, .place = RAW_NO_PLACE};
  size_t n = strlen(sql);
  while (n && strchr(" \t\r\n;", sql[n - 1]))
    n--;
  t->step.text = xasprintf("%.*s", (int)n, sql);
  if (sql_tokens_read(&t->tokens, t->step.text) && t->tokens.n)
    sql_outline_read(&o, &t->tokens);
  if (o.verb == SQL_VERB_BEGIN)
    return REQUEST_BEGIN;
  if (o.verb == SQL_VERB_COMMIT)
    return REQUEST_COMMIT;
  if (o.verb == SQL_VERB_ROLLBACK)
    return REQUEST_ROLLBACK;
  t->step.verb = o.verb;
  if (kinds[o.verb])
    t->step.kind = kinds[o.verb];
  if (o.name.end)
    t->step.name = xasprintf("%.*s", (int)(o.name.end - o.name.begin),
                             t->step.text + o.name.begin);
  return REQUEST_STATEMENT;
}

static bool start_program(struct program_turns *t, struct error *error) {
  if (!t->process && !t->over)
    t->process = raw_program_start(t->script->path, t->session, t->seed,
                                   PATIENCE, error);
  t->over |= !t->process;
  return !t->over;
}

static enum request read_request(struct program_turns *t,
                                 const struct raw_pace *pace,
                                 struct error *error) {
  const struct json_value *m = NULL;
  const enum raw_said said = start_program(t, error)
                                 ? raw_program_read(t->process, pace->stopped,
                                                    pace->context, &m, error)
                                 : RAW_SAID_TROUBLE;
  t->over |= said != RAW_SAID_LINE;
  if (t->over)
    return REQUEST_NONE;
  t->owed = true;
  const char *sql = json_text(m, "sql", NULL);
  if (sql)
    return note_statement(t, sql);
  if (json_member(m, "begin"))
    return REQUEST_BEGIN;
  if (json_member(m, "commit"))
    return REQUEST_COMMIT;
  if (json_member(m, "rollback"))
    return REQUEST_ROLLBACK;
  t->over = true;
  error_set(error,
            "the program %s of session %u wrote an object without \"sql\", "
            "\"begin\", \"commit\" or \"rollback\"",
            t->script->path, t->session);
  return REQUEST_NONE;
}

bool program_turns_take(struct program_turns *t, const struct raw_pace *pace,
                        struct error *error) {
  enum request request;
  // The end of a transaction that the database has ended.
  while ((request = read_request(t, pace, error)) == REQUEST_COMMIT ||
         request == REQUEST_ROLLBACK)
    answer_with(t, NULL, error);
  t->alone = request == REQUEST_STATEMENT;
  t->given = false;
  return request != REQUEST_NONE;
}

static enum raw_turn hand_out(struct program_turns *t,
                              const struct raw_step **step, const char **text) {
  *step = &t->step;
  *text = t->step.text;
  return RAW_TURN_STATEMENT;
}

enum raw_turn program_turns_next(struct program_turns *t,
                                 const struct raw_pace *pace,
                                 const struct raw_step **step,
                                 const char **text, struct error *error) {
  if (t->alone) {
    const bool again = t->given;
    t->given = true;
    return again ? RAW_TURN_COMMIT : hand_out(t, step, text);
  }
  if (t->owed) // the answer to its BEGIN
    answer_with(t, NULL, error);
  enum request request;
  while (!t->over && (request = read_request(t, pace, error)) != REQUEST_NONE) {
    if (request == REQUEST_STATEMENT)
      return hand_out(t, step, text);
    if (request != REQUEST_BEGIN)
      return request == REQUEST_COMMIT ? RAW_TURN_COMMIT : RAW_TURN_ROLLBACK;
    answer_failure(t, "begun", "a transaction is open already", error);
  }
  if (!error->text[0] && !pace->stopped(pace->context))
    error_set(error,
              "the program %s of session %u ended in the middle of a "
              "transaction",
              t->script->path, t->session);
  return RAW_TURN_ROLLBACK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads step scripts line by line (steps/script.h).
#include "config.h"

#include "steps/script.h"

#include "base/nearest.h"
#include "steps/modes.h"
#include "steps/reading.h"
#include "steps/written.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN_WORDS = 16 };

static void add_script_value(struct script_reading *r, const char *name,
                             uint32_t key) {
  struct script *s = r->script;
  ARRAY_RESERVE(s->values, s->nvalues, r->values_room);
  s->values[s->nvalues++] = (struct script_value){name, key, s->nsteps};
}

// ---- Actions.  `name` is there; the rest of the action follows.

static int read_key_name(struct script_reading *r, struct step *step) {
  const char *name = reading_word(r);
  if (!name)
    return reading_complain(r, "expected the name of a key");
  step->key = reading_key(r, name);
  return 0;
}

static int read_new_value(struct script_reading *r, struct step *step) {
  const char *name = reading_word(r);
  const struct script *s = r->script;
  if (!name)
    return reading_complain(r, "expected a value to write to %s",
                            s->keys[step->key]);
  const uint32_t value = script_value_named(s, step->key, name);
  if (value == SCRIPT_INITIAL)
    return reading_complain(r, "initial is what a key holds before anything is "
                               "written to it; choose another value");
  if (value != SCRIPT_NO_VALUE)
    return reading_complain(r,
                            "%s is written to %s a second time (before on line "
                            "%u): values must be told apart",
                            name, s->keys[step->key],
                            s->steps[s->values[value].step].line);
  step->value = s->nvalues;
  add_script_value(r, name, step->key);
  return 0;
}

// A level, and modes, which commas may stand between.
static int read_begin_step(struct script_reading *r, struct step *step) {
  const char *words[BEGIN_WORDS];
  uint32_t nwords = 0, taken;
  while (!reading_at_end(r) && strncmp(r->p, "=>", 2)) {
    if (nwords && reading_accept(r, ","))
      continue;
    const char *word = nwords < BEGIN_WORDS ? reading_word(r) : NULL;
    if (!word)
      return reading_complain(r, "expected an isolation level, or a mode such "
                                 "as \"read only\", behind begin");
    words[nwords++] = word;
  }
  for (uint32_t i = 0; i < nwords; i += taken) {
    taken = modes_phrase(words + i, nwords - i, &step->modes);
    if (taken)
      continue;
    step->text = step->text ? arena_printf(&r->script->arena, "%s %s",
                                           step->text, words[i])
                            : words[i];
    taken = 1;
  }
  return 0;
}

static int read_write_step(struct script_reading *r, struct step *step) {
  return read_key_name(r, step) || read_new_value(r, step) ? -1 : 0;
}

// A key and a value that it is to hold.
static int read_expected_value(struct script_reading *r, struct step *step) {
  if (read_key_name(r, step))
    return -1;
  const char *expected = reading_word(r);
  if (!expected)
    return reading_complain(r, "expected the value that %s is to hold",
                            r->script->keys[step->key]);
  step->expects = script_value_named(r->script, step->key, expected);
  return step->expects == SCRIPT_NO_VALUE
             ? reading_complain(r, "nothing has written %s to %s before",
                                expected, r->script->keys[step->key])
             : 0;
}

static int read_cas_step(struct script_reading *r, struct step *step) {
  return read_expected_value(r, step) || read_new_value(r, step) ? -1 : 0;
}

static int read_statement(struct script_reading *r, struct step *step) {
  step->text = reading_quoted(r);
  r->script->uses_sql |= step->kind == STEP_SQL && !r->written;
  r->script->uses_commands |= step->kind == STEP_COMMAND;
  return step->text ? 0 : -1;
}

static int read_admin(struct script_reading *r, struct step *step) {
  step->text = reading_quoted(r);
  return step->text ? 0 : -1;
}

static int read_host_number(struct script_reading *r, struct step *step) {
  const char *word = reading_word(r);
  if (!word || !isdigit((unsigned char)*word) || strlen(word) > 2)
    return reading_complain(r, "expected the number of a host, from 0");
  step->host = (uint32_t)atoi(word);
  return 0;
}

static int read_node(struct script_reading *r, struct step *step) {
  if (read_host_number(r, step))
    return -1;
  step->text = reading_word(r);
  return step->text ? 0
                    : reading_complain(r,
                                       "expected what is done to node %u, "
                                       "such as pause",
                                       step->host);
}

static int read_resumes(struct script_reading *r, struct step *step) {
  const struct script *s = r->script;
  uint32_t i = s->nsteps;
  while (i && (s->steps[i - 1].session != step->session ||
               s->steps[i - 1].kind == STEP_RESUMES))
    i--;
  if (!i)
    return reading_complain(r, "%s has taken no step before that could resume",
                            s->sessions[step->session]);
  step->resumed = i - 1;
  step->key = s->steps[i - 1].key;
  return 0;
}

static int read_nothing(struct script_reading *r, struct step *step) {
  (void)r;
  (void)step;
  return 0;
}

// The condition that must hold before a step.
enum need { NEEDS_NO_TRANSACTION, NEEDS_TRANSACTION, NEEDS_NOTHING };

static const struct action {
  const char *name;
  enum step_kind kind;
  enum need need;
  int (*read)(struct script_reading *r, struct step *step);
} actions[] = {
    {"begin", STEP_BEGIN, NEEDS_NO_TRANSACTION, read_begin_step},
    {"read", STEP_READ, NEEDS_TRANSACTION, read_key_name},
    {"write", STEP_WRITE, NEEDS_TRANSACTION, read_write_step},
    {"append", STEP_APPEND, NEEDS_TRANSACTION, read_write_step},
    {"cas", STEP_CAS, NEEDS_TRANSACTION, read_cas_step},
    {"select", STEP_ROWS, NEEDS_TRANSACTION, reading_select},
    {"insert", STEP_ROWS, NEEDS_TRANSACTION, reading_insert},
    {"update", STEP_ROWS, NEEDS_TRANSACTION, reading_update},
    {"delete", STEP_ROWS, NEEDS_TRANSACTION, reading_delete},
    {"sql", STEP_SQL, NEEDS_TRANSACTION, read_statement},
    {"command", STEP_COMMAND, NEEDS_TRANSACTION, read_statement},
    {"admin", STEP_ADMIN, NEEDS_NO_TRANSACTION, read_admin},
    {"at", STEP_AT, NEEDS_NO_TRANSACTION, read_host_number},
    {"awaits", STEP_AWAITS, NEEDS_NO_TRANSACTION, read_expected_value},
    {"node", STEP_NODE, NEEDS_NOTHING, read_node},
    {"commit", STEP_COMMIT, NEEDS_TRANSACTION, read_nothing},
    {"rollback", STEP_ROLLBACK, NEEDS_TRANSACTION, read_nothing},
    {"resumes", STEP_RESUMES, NEEDS_NOTHING, read_resumes},
};
enum { NACTIONS = sizeof actions / sizeof *actions };

static const struct action *find_action(struct script_reading *r,
                                        const char *name) {
  const char *names[NACTIONS + 1] = {NULL};
  for (size_t i = 0; i < NACTIONS; i++) {
    if (!strcmp(actions[i].name, name))
      return &actions[i];
    names[i] = actions[i].name;
  }
  const char *near = nearest(name, names);
  reading_complain(
      r,
      near ? "there is no step \"%s\"; did you mean %s?"
           : "there is no step \"%s\"; there are begin, read, write, "
             "append, cas, select, insert, update, delete, sql, command, "
             "commit, rollback, resumes, admin, at, awaits and node",
      name, near);
  return NULL;
}

// ---- Lines

static int keep_transaction(struct script_reading *r,
                            const struct action *action, uint32_t session,
                            const char *name) {
  if (action->need == NEEDS_NOTHING)
    return 0;
  if (r->open[session] && action->need == NEEDS_NO_TRANSACTION)
    return reading_complain(r,
                            "%s has a transaction open; commit or roll it back "
                            "first",
                            name);
  if (!r->open[session] && action->need == NEEDS_TRANSACTION)
    return reading_complain(r, "%s has no open transaction; begin one first",
                            name);
  const bool ends =
      action->kind == STEP_COMMIT || action->kind == STEP_ROLLBACK;
  r->open[session] = action->kind == STEP_BEGIN || (r->open[session] && !ends);
  return 0;
}

static int read_step(struct script_reading *r, const char *session) {
  struct script *s = r->script;
  const char *name = reading_word(r);
  if (!name)
    return reading_complain(r, "expected a step behind \"%s:\"", session);
  const struct action *action = find_action(r, name);
  if (!action)
    return -1;
  struct step step = {.kind = action->kind,
                      .line = r->line,
                      .session = reading_session(r, session),
                      .value = SCRIPT_NO_VALUE,
                      .expects = SCRIPT_NO_VALUE};
  if (keep_transaction(r, action, step.session, session) ||
      (action->kind == STEP_ROWS && r->written
           ? written_statement(r, name, &step)
           : action->read(r, &step)))
    return -1;
  if (!step_is_upkeep(step.kind) && reading_accept(r, "=>") &&
      reading_expectations(r, &step))
    return -1;
  if (!reading_at_end(r))
    return reading_complain(
        r,
        step_is_upkeep(step.kind)
            ? "expected the end of the line behind \"%s\", of which nothing is "
              "expected but that it takes effect, in front of \"%.40s\""
            : "expected the end of the line, or => and what \"%s\" "
              "is expected to do, in front of \"%.40s\"",
        name, r->p);
  ARRAY_RESERVE(s->steps, s->nsteps, r->steps_room);
  s->steps[s->nsteps++] = step;
  return 0;
}

static int read_setup(struct script_reading *r) {
  struct script *s = r->script;
  const char *statement = reading_quoted(r);
  if (!statement)
    return -1;
  if (!reading_at_end(r))
    return reading_complain(r, "expected the end of the line");
  ARRAY_RESERVE(s->setup, s->nsetup, r->setup_room);
  s->setup[s->nsetup++] = statement;
  s->uses_sql = true;
  return 0;
}

static void read_script_title(struct script_reading *r) {
  if (*r->p != '#' || r->script->title[0])
    return;
  r->p++;
  reading_skip_blanks(r);
  r->script->title = arena_strdup(&r->script->arena, r->p);
}

static int read_script_line(struct script_reading *r) {
  if (reading_at_end(r)) {
    read_script_title(r);
    return 0;
  }
  const char *name = reading_word(r);
  const bool colon = name && reading_accept(r, ":");
  if (name && !colon && !strcmp(name, "table"))
    return r->written ? written_table(r) : reading_table(r);
  if (colon && !strcmp(name, "schema"))
    return written_schema(r);
  if (!colon)
    return reading_complain(r, "expected \"SESSION: STEP\", \"setup: "
                               "STATEMENT\" or \"table NAME (COLUMN, ...)\"");
  return strcmp(name, "setup") ? read_step(r, name) : read_setup(r);
}

// ---- The whole

static int check_awaited(struct script_reading *r) {
  const struct script *s = r->script;
  for (uint32_t i = 0; s->lists && i < s->nsteps; i++) {
    r->line = s->steps[i].line;
    if (s->steps[i].kind == STEP_AWAITS)
      return reading_complain(r, "a key that holds a list cannot be awaited");
  }
  return 0;
}

static int check_script_whole(struct script_reading *r) {
  if (!r->script->nsteps)
    return error_set(r->error, "%s: holds no step", r->script->path);
  return reading_find_lists(r) || reading_resolve(r) || check_awaited(r) ||
                 reading_check_tables(r)
             ? -1
             : 0;
}

// Is one of the lines such that all tables are the database's own SQL?
static bool some_line_asks(FILE *file) {
  char line[LINE_MAX_BYTES];
  bool asks = false;
  while (!asks && fgets(line, sizeof line, file))
    asks = written_asks(line);
  rewind(file);
  return asks;
}

static int read_script_lines(struct script_reading *r, FILE *file) {
  char line[LINE_MAX_BYTES];
  r->written = some_line_asks(file);
  while (fgets(line, sizeof line, file)) {
    const size_t n = strlen(line);
    r->line++;
    if (n == sizeof line - 1 && line[n - 1] != '\n')
      return reading_complain(r, "the line is longer than %d bytes",
                              LINE_MAX_BYTES - 2);
    line[strcspn(line, "\r\n")] = '\0';
    r->p = line;
    if (read_script_line(r))
      return -1;
  }
  if (ferror(file))
    return error_set(r->error, "%s: %s", r->script->path, strerror(errno));
  return check_script_whole(r);
}

int script_read(const char *path, struct script *script, struct error *error) {
  *script = (struct script){.title = ""};
  script->path = arena_strdup(&script->arena, path);
  struct script_reading r = {.script = script, .error = error};
  FILE *file = fopen(path, "r");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  add_script_value(&r, "initial", UINT32_MAX);
  const int failed = read_script_lines(&r, file);
  fclose(file);
  free(r.pending);
  free(r.open);
  return failed;
}

void script_free(struct script *script) {
  free(script->sessions);
  free(script->keys);
  free(script->setup);
  free(script->values);
  free(script->steps);
  free(script->tables);
  free(script->templates);
  arena_free(&script->arena);
  *script = (struct script){0};
}

static void put_quoted(FILE *out, const char *text) {
  putc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      putc('\\', out);
    putc(*text, out);
  }
  putc('"', out);
}

static const char *action_name(enum step_kind kind) {
  size_t i = 0;
  while (actions[i].kind != kind)
    i++;
  return actions[i].name;
}

void script_put_step(FILE *out, const struct script *script,
                     const struct step *step) {
  fprintf(out, "%s: %s", script->sessions[step->session],
          step->words       ? step->words
          : step->statement ? statement_verb(step->statement)
                            : action_name(step->kind));
  if (step->words)
    return;
  if (step->statement)
    statement_put(out, script, step->statement);
  if (step->kind == STEP_AT || step->kind == STEP_NODE)
    fprintf(out, " %u", step->host);
  if (step_is_statement(step->kind)) {
    putc(' ', out);
    put_quoted(out, step->text);
  } else if (step->text) {
    fprintf(out, " %s", step->text);
  }
  if (step->modes)
    putc(' ', out);
  modes_put(out, step->modes);
  if ((step->kind >= STEP_READ && step->kind <= STEP_CAS) ||
      step->kind == STEP_AWAITS)
    fprintf(out, " %s", script->keys[step->key]);
  if (step->expects != SCRIPT_NO_VALUE)
    fprintf(out, " %s", script->values[step->expects].name);
  if (step->value != SCRIPT_NO_VALUE)
    fprintf(out, " %s", script->values[step->value].name);
}

char *script_step_text(const struct script *script, const struct step *step) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  script_put_step(out, script, step);
  fclose(out);
  return text;
}

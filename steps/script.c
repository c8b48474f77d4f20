// SPDX-License-Identifier: GPL-3.0-or-later
// Reads step scripts line by line (steps/script.h).  Values are names while a
// file is read; only when all of it is known are they resolved, since a step
// may expect what a later line writes.
#include "config.h"

#include "steps/script.h"

#include "base/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, ALTERNATIVES_MAX = 8, LIST_MAX = 64 };

// An expectation of values by name, until these are resolved.
struct pending {
  struct expectation *expectation;
  unsigned line;
  uint32_t key;
  const char *names[LIST_MAX];
  uint32_t nnames;
};

struct reading {
  struct script *script;
  const char *p; // the rest of the line
  unsigned line;
  struct pending *pending;
  uint32_t npending, pending_room;
  uint32_t sessions_room, keys_room, setup_room, values_room, steps_room;
  bool *open; // by session: is a transaction open?
  uint32_t open_room;
  bool reads_list; // some expectation is a list
  struct error *error;
};

static int complain(const struct reading *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int complain(const struct reading *r, const char *format, ...) {
  va_list args;
  char text[400];
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return error_set(r->error, "%s:%u: %s", r->script->path, r->line, text);
}

// ---- Words

static bool is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(struct reading *r) {
  while (isspace((unsigned char)*r->p))
    r->p++;
}

static bool at_end(struct reading *r) {
  skip_blanks(r);
  return !*r->p || *r->p == '#';
}

// The next word, or NULL if none stands here.
static const char *read_word(struct reading *r) {
  skip_blanks(r);
  const char *start = r->p;
  while (is_word_char(*r->p))
    r->p++;
  if (r->p == start)
    return NULL;
  return arena_printf(&r->script->arena, "%.*s", (int)(r->p - start), start);
}

static bool accept(struct reading *r, const char *token) {
  skip_blanks(r);
  const size_t n = strlen(token);
  const bool there = !strncmp(r->p, token, n);
  r->p += there ? n : 0;
  return there;
}

// A text between double quotes, in which \ stands before a quote or itself;
// NULL with a sentence.
static const char *read_quoted(struct reading *r) {
  char text[LINE_MAX_BYTES];
  size_t n = 0;
  if (!accept(r, "\"")) {
    complain(r, "expected a text between double quotes");
    return NULL;
  }
  for (; *r->p && *r->p != '"'; r->p++) {
    if (*r->p == '\\' && r->p[1])
      r->p++;
    text[n++] = *r->p;
  }
  if (*r->p != '"') {
    complain(r, "the text lacks its closing quote");
    return NULL;
  }
  r->p++;
  return arena_printf(&r->script->arena, "%.*s", (int)n, text);
}

// ---- Names

static uint32_t find_name(const char *const *names, uint32_t count,
                          const char *name) {
  uint32_t i = 0;
  while (i < count && strcmp(names[i], name))
    i++;
  return i;
}

static uint32_t key_named(struct reading *r, const char *name) {
  struct script *s = r->script;
  const uint32_t key = find_name(s->keys, s->nkeys, name);
  if (key == s->nkeys) {
    ARRAY_RESERVE(s->keys, s->nkeys, r->keys_room);
    s->keys[s->nkeys++] = name;
  }
  return key;
}

static uint32_t session_named(struct reading *r, const char *name) {
  struct script *s = r->script;
  const uint32_t session = find_name(s->sessions, s->nsessions, name);
  if (session == s->nsessions) {
    ARRAY_RESERVE(s->sessions, s->nsessions, r->sessions_room);
    s->sessions[s->nsessions++] = name;
    if (s->nsessions > r->open_room) {
      r->open_room = r->sessions_room;
      r->open = xrealloc(r->open, r->open_room, sizeof *r->open);
    }
    r->open[session] = false;
  }
  return session;
}

static bool is_initial(const char *name) { return !strcmp(name, "initial"); }

// SCRIPT_NO_VALUE if nobody writes it to the key.
static uint32_t value_named(const struct script *s, uint32_t key,
                            const char *name) {
  if (is_initial(name))
    return SCRIPT_INITIAL;
  for (uint32_t v = SCRIPT_INITIAL + 1; v < s->nvalues; v++)
    if (s->values[v].key == key && !strcmp(s->values[v].name, name))
      return v;
  return SCRIPT_NO_VALUE;
}

static void add_value(struct reading *r, const char *name, uint32_t key) {
  struct script *s = r->script;
  ARRAY_RESERVE(s->values, s->nvalues, r->values_room);
  s->values[s->nvalues++] = (struct script_value){name, key, s->nsteps};
}

// ---- Actions.  `name` is there; the rest of the action follows.

static int read_key(struct reading *r, struct step *step) {
  const char *name = read_word(r);
  if (!name)
    return complain(r, "expected the name of a key");
  step->key = key_named(r, name);
  return 0;
}

static int read_new_value(struct reading *r, struct step *step) {
  const char *name = read_word(r);
  const struct script *s = r->script;
  if (!name)
    return complain(r, "expected a value to write to %s", s->keys[step->key]);
  const uint32_t value = value_named(s, step->key, name);
  if (value == SCRIPT_INITIAL)
    return complain(r, "initial is what a key holds before anything is "
                       "written to it; choose another value");
  if (value != SCRIPT_NO_VALUE)
    return complain(r,
                    "%s is written to %s a second time (before on line "
                    "%u): values must be told apart",
                    name, s->keys[step->key],
                    s->steps[s->values[value].step].line);
  step->value = s->nvalues;
  add_value(r, name, step->key);
  return 0;
}

static int read_begin(struct reading *r, struct step *step) {
  char text[LINE_MAX_BYTES];
  size_t n = 0;
  while (!at_end(r) && strncmp(r->p, "=>", 2)) {
    const char *word = read_word(r);
    if (!word)
      return complain(r, "expected an isolation level behind begin");
    n +=
        (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", word);
  }
  step->text = n ? arena_strdup(&r->script->arena, text) : NULL;
  return 0;
}

static int read_write(struct reading *r, struct step *step) {
  return read_key(r, step) || read_new_value(r, step) ? -1 : 0;
}

static int read_cas(struct reading *r, struct step *step) {
  if (read_key(r, step))
    return -1;
  const char *expected = read_word(r);
  if (!expected)
    return complain(r, "expected the value that cas expects");
  step->expects = value_named(r->script, step->key, expected);
  if (step->expects == SCRIPT_NO_VALUE)
    return complain(r, "nothing has written %s to %s before", expected,
                    r->script->keys[step->key]);
  return read_new_value(r, step);
}

static int read_statement(struct reading *r, struct step *step) {
  step->text = read_quoted(r);
  r->script->uses_sql |= step->kind == STEP_SQL;
  r->script->uses_commands |= step->kind == STEP_COMMAND;
  return step->text ? 0 : -1;
}

static int read_resumes(struct reading *r, struct step *step) {
  const struct script *s = r->script;
  uint32_t i = s->nsteps;
  while (i && (s->steps[i - 1].session != step->session ||
               s->steps[i - 1].kind == STEP_RESUMES))
    i--;
  if (!i)
    return complain(r, "%s has taken no step before that could resume",
                    s->sessions[step->session]);
  step->resumed = i - 1;
  step->key = s->steps[i - 1].key;
  return 0;
}

static int read_nothing(struct reading *r, struct step *step) {
  (void)r;
  (void)step;
  return 0;
}

// What must hold before a step, and what holds afterwards.
enum need { NEEDS_NO_TRANSACTION, NEEDS_TRANSACTION, NEEDS_NOTHING };

static const struct action {
  const char *name;
  enum step_kind kind;
  enum need need;
  int (*read)(struct reading *r, struct step *step);
} actions[] = {
    {"begin", STEP_BEGIN, NEEDS_NO_TRANSACTION, read_begin},
    {"read", STEP_READ, NEEDS_TRANSACTION, read_key},
    {"write", STEP_WRITE, NEEDS_TRANSACTION, read_write},
    {"append", STEP_APPEND, NEEDS_TRANSACTION, read_write},
    {"cas", STEP_CAS, NEEDS_TRANSACTION, read_cas},
    {"sql", STEP_SQL, NEEDS_TRANSACTION, read_statement},
    {"command", STEP_COMMAND, NEEDS_TRANSACTION, read_statement},
    {"commit", STEP_COMMIT, NEEDS_TRANSACTION, read_nothing},
    {"rollback", STEP_ROLLBACK, NEEDS_TRANSACTION, read_nothing},
    {"resumes", STEP_RESUMES, NEEDS_NOTHING, read_resumes},
};
enum { NACTIONS = sizeof actions / sizeof *actions };

static const struct action *find_action(struct reading *r, const char *name) {
  const char *names[NACTIONS + 1] = {NULL};
  for (size_t i = 0; i < NACTIONS; i++) {
    if (!strcmp(actions[i].name, name))
      return &actions[i];
    names[i] = actions[i].name;
  }
  const char *near = nearest(name, names);
  complain(r,
           near ? "there is no step \"%s\"; did you mean %s?"
                : "there is no step \"%s\"; there are begin, read, write, "
                  "append, cas, sql, command, commit, rollback and resumes",
           name, near);
  return NULL;
}

// ---- Expectations

// What kind of step is it that is expected to do something?
static enum step_kind answering_kind(const struct reading *r,
                                     const struct step *step) {
  return step->kind == STEP_RESUMES ? r->script->steps[step->resumed].kind
                                    : step->kind;
}

static void postpone(struct reading *r, const struct step *step,
                     const struct pending *names) {
  ARRAY_RESERVE(r->pending, r->npending, r->pending_room);
  r->pending[r->npending] = *names;
  r->pending[r->npending].line = r->line;
  r->pending[r->npending++].key = step->key;
}

static int read_expected_list(struct reading *r, const struct step *step,
                              struct expectation *expectation) {
  struct pending pending = {.expectation = expectation};
  if (answering_kind(r, step) != STEP_READ)
    return complain(r, "only read returns a list");
  expectation->kind = EXPECTED_LIST;
  r->reads_list = true;
  while (!accept(r, "]")) {
    const char *name = read_word(r);
    if (!name)
      return complain(r, "expected values and ']'");
    if (pending.nnames == LIST_MAX)
      return complain(r, "a list of more than %d values", LIST_MAX);
    pending.names[pending.nnames++] = name;
  }
  postpone(r, step, &pending);
  return 0;
}

static int read_expected_word(struct reading *r, const struct step *step,
                              struct expectation *expectation) {
  const enum step_kind kind = answering_kind(r, step);
  const char *word = read_word(r);
  if (!word)
    return complain(r, "expected ok, blocks, aborts, a value, [a list] or "
                       "\"rows\" behind =>");
  if (!strcmp(word, "ok")) {
    expectation->kind = EXPECTED_OK;
  } else if (!strcmp(word, "blocks")) {
    expectation->kind = EXPECTED_BLOCKS;
  } else if (!strcmp(word, "aborts")) {
    expectation->kind = EXPECTED_ABORTS;
    expectation->text = read_word(r);
  } else if (kind == STEP_READ || kind == STEP_CAS) {
    struct pending pending = {.expectation = expectation, .nnames = 1};
    pending.names[0] = word;
    expectation->kind = EXPECTED_VALUE;
    postpone(r, step, &pending);
  } else {
    return complain(r,
                    "only read and cas return a value; \"%s\" is none of "
                    "ok, blocks and aborts",
                    word);
  }
  return 0;
}

static int read_expected_rows(struct reading *r, const struct step *step,
                              struct expectation *expectation) {
  if (!step_is_statement(answering_kind(r, step)))
    return complain(r, "only sql and command return rows");
  expectation->kind = EXPECTED_ROWS;
  expectation->text = read_quoted(r);
  return expectation->text ? 0 : -1;
}

static int read_alternative(struct reading *r, const struct step *step,
                            struct expectation *expectation) {
  int failed;
  skip_blanks(r);
  if (*r->p == '"')
    failed = read_expected_rows(r, step, expectation);
  else if (accept(r, "["))
    failed = read_expected_list(r, step, expectation);
  else
    failed = read_expected_word(r, step, expectation);
  expectation->seen = !failed && accept(r, "(seen)");
  r->script->marks_seen |= expectation->seen;
  return failed;
}

static int read_expectations(struct reading *r, struct step *step) {
  struct expectation *alternatives =
      arena_take(&r->script->arena, ALTERNATIVES_MAX * sizeof *alternatives);
  step->expectations = alternatives;
  do {
    if (step->nexpectations == ALTERNATIVES_MAX)
      return complain(r, "more than %d alternatives", ALTERNATIVES_MAX);
    if (read_alternative(r, step, &alternatives[step->nexpectations++]))
      return -1;
  } while (accept(r, "|"));
  return 0;
}

// ---- Lines

static int keep_transaction(struct reading *r, const struct action *action,
                            uint32_t session, const char *name) {
  if (action->need == NEEDS_NOTHING)
    return 0;
  if (r->open[session] && action->need == NEEDS_NO_TRANSACTION)
    return complain(r,
                    "%s has a transaction open; commit or roll it back "
                    "first",
                    name);
  if (!r->open[session] && action->need == NEEDS_TRANSACTION)
    return complain(r, "%s has no open transaction; begin one first", name);
  r->open[session] =
      action->kind != STEP_COMMIT && action->kind != STEP_ROLLBACK;
  return 0;
}

static int read_step(struct reading *r, const char *session) {
  struct script *s = r->script;
  const char *name = read_word(r);
  if (!name)
    return complain(r, "expected a step behind \"%s:\"", session);
  const struct action *action = find_action(r, name);
  if (!action)
    return -1;
  struct step step = {.kind = action->kind,
                      .line = r->line,
                      .session = session_named(r, session),
                      .value = SCRIPT_NO_VALUE,
                      .expects = SCRIPT_NO_VALUE};
  if (keep_transaction(r, action, step.session, session) ||
      action->read(r, &step))
    return -1;
  if (accept(r, "=>") && read_expectations(r, &step))
    return -1;
  if (!at_end(r))
    return complain(r,
                    "expected the end of the line, or => and what \"%s\" "
                    "is expected to do, in front of \"%.40s\"",
                    name, r->p);
  ARRAY_RESERVE(s->steps, s->nsteps, r->steps_room);
  s->steps[s->nsteps++] = step;
  return 0;
}

static int read_setup(struct reading *r) {
  struct script *s = r->script;
  const char *statement = read_quoted(r);
  if (!statement)
    return -1;
  if (!at_end(r))
    return complain(r, "expected the end of the line");
  ARRAY_RESERVE(s->setup, s->nsetup, r->setup_room);
  s->setup[s->nsetup++] = statement;
  s->uses_sql = true;
  return 0;
}

static void read_title(struct reading *r) {
  if (*r->p != '#' || r->script->title[0])
    return;
  r->p++;
  skip_blanks(r);
  r->script->title = arena_strdup(&r->script->arena, r->p);
}

static int read_line(struct reading *r) {
  if (at_end(r)) {
    read_title(r);
    return 0;
  }
  const char *name = read_word(r);
  if (!name || !accept(r, ":"))
    return complain(r, "expected \"SESSION: STEP\" or \"setup: STATEMENT\"");
  return strcmp(name, "setup") ? read_step(r, name) : read_setup(r);
}

// ---- The whole

static int resolve_values(struct reading *r) {
  struct script *s = r->script;
  for (uint32_t i = 0; i < r->npending; i++) {
    const struct pending *p = &r->pending[i];
    uint32_t *values = arena_take(&s->arena, (p->nnames + 1) * sizeof *values);
    for (uint32_t j = 0; j < p->nnames; j++) {
      values[j] = value_named(s, p->key, p->names[j]);
      r->line = p->line;
      if (values[j] == SCRIPT_NO_VALUE)
        return complain(r, "no step writes %s to %s", p->names[j],
                        s->keys[p->key]);
    }
    p->expectation->values = values;
    p->expectation->nvalues = p->nnames;
  }
  return 0;
}

// Keys hold lists or registers, all of them.
static int find_lists(struct reading *r) {
  struct script *s = r->script;
  s->lists = r->reads_list;
  for (uint32_t i = 0; i < s->nsteps; i++)
    s->lists |= s->steps[i].kind == STEP_APPEND;
  for (uint32_t i = 0; i < s->nsteps; i++) {
    const enum step_kind kind = s->steps[i].kind;
    r->line = s->steps[i].line;
    if (s->lists && (kind == STEP_WRITE || kind == STEP_CAS))
      return complain(r, "the keys of a script hold lists or single values, "
                         "not both");
  }
  for (uint32_t i = 0; s->lists && i < r->npending; i++) {
    r->line = r->pending[i].line;
    if (r->pending[i].expectation->kind == EXPECTED_VALUE)
      return complain(r, "the keys hold lists: expect [%s]",
                      r->pending[i].names[0]);
  }
  return 0;
}

static int check_whole(struct reading *r) {
  if (!r->script->nsteps)
    return error_set(r->error, "%s: holds no step", r->script->path);
  return find_lists(r) || resolve_values(r) ? -1 : 0;
}

static int read_lines(struct reading *r, FILE *file) {
  char line[LINE_MAX_BYTES];
  while (fgets(line, sizeof line, file)) {
    const size_t n = strlen(line);
    r->line++;
    if (n == sizeof line - 1 && line[n - 1] != '\n')
      return complain(r, "the line is longer than %d bytes",
                      LINE_MAX_BYTES - 2);
    line[strcspn(line, "\r\n")] = '\0';
    r->p = line;
    if (read_line(r))
      return -1;
  }
  if (ferror(file))
    return error_set(r->error, "%s: %s", r->script->path, strerror(errno));
  return check_whole(r);
}

int script_read(const char *path, struct script *script, struct error *error) {
  *script = (struct script){.title = ""};
  script->path = arena_strdup(&script->arena, path);
  struct reading r = {.script = script, .error = error};
  FILE *file = fopen(path, "r");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  add_value(&r, "initial", UINT32_MAX);
  const int failed = read_lines(&r, file);
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
          action_name(step->kind));
  if (step_is_statement(step->kind)) {
    putc(' ', out);
    put_quoted(out, step->text);
  } else if (step->text) {
    fprintf(out, " %s", step->text);
  }
  if (step->kind >= STEP_READ && step->kind <= STEP_CAS)
    fprintf(out, " %s", script->keys[step->key]);
  if (step->expects != SCRIPT_NO_VALUE)
    fprintf(out, " %s", script->values[step->expects].name);
  if (step->value != SCRIPT_NO_VALUE)
    fprintf(out, " %s", script->values[step->value].name);
}

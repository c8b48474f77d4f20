// SPDX-License-Identifier: GPL-3.0-or-later
// Reads scripts (own/script.h): commands to the end of their lines, statements
// up to a semicolon or to \gset.
#include "config.h"

#include "own/script.h"

#include "base/memory.h"
#include "own/compute.h"
#include "own/program.h"
#include "sql/calculates.h"
#include "sql/reading.h"
#include "sql/script_list.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITIONS_MOST = 32 }; // \if inside of \if

struct raw_reading {
  struct raw_scripts *all;
  struct raw_script *script;
  const char *text;
  uint32_t at, end, line;
  struct sql_tokens tokens;
  // The open \if: the step that leaves the branch at hand, and those that go to
  // the \endif.
  struct {
    uint32_t unless, line;
    uint32_t *go;
    uint32_t ngo, room;
    bool last; // \else was read
  } open[CONDITIONS_MOST];
  uint32_t nopen;
  uint32_t begun; // line of the BEGIN of the open transaction; 0: none is open
  struct error *error;
};

static int refuse_line(struct raw_reading *r, const char *what,
                       const char *of) {
  return error_set_usage(r->error, "%s:%u: %s%s%s", r->script->path, r->line,
                         what, *of ? " " : "", of);
}

static struct raw_step *add_raw_step(struct raw_reading *r,
                                     enum raw_step_kind kind) {
  struct raw_script *s = r->script;
  ARRAY_RESERVE(s->steps, s->nsteps, s->room);
  s->steps[s->nsteps] = (struct raw_step){.kind = kind, .line = r->line};
  return &s->steps[s->nsteps++];
}

// ---- Commands

// Takes the next word of a command; NULL: there is none.
static char *take_word(const char **p) {
  while (isspace((unsigned char)**p))
    (*p)++;
  const char *begin = *p;
  while (**p && !isspace((unsigned char)**p))
    (*p)++;
  return *p == begin ? NULL : xasprintf("%.*s", (int)(*p - begin), begin);
}

static int check_expression(struct raw_reading *r, const char *expression) {
  const struct raw_variables none = {0};
  struct error error;
  char *result;
  if (raw_compute(expression, &none, NULL, &result, &error))
    return refuse_line(r, error.text, "");
  free(result);
  return 0;
}

static int read_set(struct raw_reading *r, const char *p) {
  char *name = take_word(&p);
  if (!name)
    return refuse_line(r, "\\set needs a variable and an expression", "");
  struct raw_step *step = add_raw_step(r, RAW_SET);
  step->name = name;
  step->text = xstrdup(p);
  return check_expression(r, p);
}

static int read_if(struct raw_reading *r, const char *p) {
  if (r->nopen == CONDITIONS_MOST)
    return refuse_line(r, "too many \\if are open", "");
  r->open[r->nopen].unless = r->script->nsteps;
  r->open[r->nopen].line = r->line;
  r->open[r->nopen].ngo = 0;
  r->open[r->nopen++].last = false;
  add_raw_step(r, RAW_UNLESS)->text = xstrdup(p);
  return check_expression(r, p);
}

// \elif and \else: ends the branch at hand.
static int read_branch(struct raw_reading *r, const char *condition) {
  if (!r->nopen || r->open[r->nopen - 1].last)
    return refuse_line(r, "there is no \\if for",
                       condition ? "\\elif" : "\\else");
  const uint32_t i = r->nopen - 1;
  ARRAY_RESERVE(r->open[i].go, r->open[i].ngo, r->open[i].room);
  r->open[i].go[r->open[i].ngo++] = r->script->nsteps;
  add_raw_step(r, RAW_GO);
  r->script->steps[r->open[i].unless].target = r->script->nsteps;
  r->open[i].last = !condition;
  if (!condition)
    return 0;
  r->open[i].unless = r->script->nsteps;
  add_raw_step(r, RAW_UNLESS)->text = xstrdup(condition);
  return check_expression(r, condition);
}

static int read_endif(struct raw_reading *r) {
  if (!r->nopen)
    return refuse_line(r, "there is no \\if for", "\\endif");
  const uint32_t i = --r->nopen, here = r->script->nsteps;
  if (!r->open[i].last)
    r->script->steps[r->open[i].unless].target = here;
  for (uint32_t k = 0; k < r->open[i].ngo; k++)
    r->script->steps[r->open[i].go[k]].target = here;
  return 0;
}

static int read_sleep(struct raw_reading *r, const char *p) {
  char *number = take_word(&p), *unit = take_word(&p);
  const char *factor = !unit || !strcmp(unit, "s") ? " * 1000000"
                       : !strcmp(unit, "ms")       ? " * 1000"
                       : !strcmp(unit, "us")       ? " * 1"
                                                   : NULL;
  const bool wrong = !number || !factor;
  if (!wrong)
    add_raw_step(r, RAW_SLEEP)->text = xasprintf("%s%s", number, factor);
  FREE_EACH(number, unit);
  return wrong ? refuse_line(r, "\\sleep needs a number and us, ms or s", "")
               : 0;
}

static int read_command(struct raw_reading *r) {
  char *line =
      xasprintf("%.*s", (int)strcspn(r->text + r->at, "\n"), r->text + r->at);
  const char *p = line;
  r->at += (uint32_t)strlen(line);
  char *word = take_word(&p);
  assert(word); // it begins with a backslash
  const int failed = !strcmp(word, "\\set")     ? read_set(r, p)
                     : !strcmp(word, "\\if")    ? read_if(r, p)
                     : !strcmp(word, "\\elif")  ? read_branch(r, p)
                     : !strcmp(word, "\\else")  ? read_branch(r, NULL)
                     : !strcmp(word, "\\endif") ? read_endif(r)
                     : !strcmp(word, "\\sleep")
                         ? read_sleep(r, p)
                         : refuse_line(r, "a run has no", word);
  FREE_EACH(word, line);
  return failed;
}

// ---- Statements

// On one line: a run of blanks becomes one, outside of quotes or not.
static char *make_one_line(const char *text) {
  char *line = xstrdup(text), *to = line;
  for (const char *c = text; *c; c++)
    if (!isspace((unsigned char)*c))
      *to++ = *c;
    else if (to > line && to[-1] != ' ')
      *to++ = ' ';
  while (to > line && to[-1] == ' ')
    to--;
  *to = '\0';
  return line;
}

static bool changes_rows(const struct sql_tokens *tokens, enum sql_verb verb) {
  return verb == SQL_VERB_INSERT || verb == SQL_VERB_UPDATE ||
         verb == SQL_VERB_DELETE || sql_token_is(tokens, 0, "merge");
}

static bool inserts_values(const struct sql_tokens *tokens,
                           enum sql_verb verb) {
  bool values = sql_token_is(tokens, 0, "insert") && verb == SQL_VERB_INSERT;
  for (uint32_t i = 0; i < tokens->n && values; i++)
    values = !sql_token_is(tokens, i, "select") &&
             !sql_token_is(tokens, i, "conflict") &&
             !sql_token_is(tokens, i, "duplicate");
  return values;
}

static void note_place(struct raw_reading *r, struct raw_step *step) {
  struct raw_scripts *all = r->all;
  const char *slash = strrchr(r->script->path, '/');
  ARRAY_RESERVE(all->places, all->nplaces, all->places_room);
  step->place = all->nplaces;
  all->places[all->nplaces++] = (struct raw_place){
      .at = xasprintf("%s:%u", slash ? slash + 1 : r->script->path, step->line),
      .text = make_one_line(step->text),
      .changes_rows = changes_rows(&r->tokens, step->verb),
      .only_inserts = inserts_values(&r->tokens, step->verb),
      .calculates = sql_calculates(&r->tokens)};
}

// "UPDATE account SET balance = ? WHERE id = ?"
static char *text_without_values(const struct sql_tokens *tokens) {
  char *text;
  size_t bytes;
  uint32_t last = 0;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < tokens->n; i++) {
    const struct sql_token *t = &tokens->all[i];
    fputs(i && t->begin > last ? " " : "", out);
    if (t->kind == SQL_TOKEN_TEXT || t->kind == SQL_TOKEN_NUMBER)
      putc('?', out);
    else
      fprintf(out, "%.*s", (int)(t->end - t->begin), tokens->text + t->begin);
    last = t->end;
  }
  fclose(out);
  return text;
}

struct raw_place raw_place_of_program(const struct raw_script *script,
                                      const struct sql_tokens *tokens,
                                      enum sql_verb verb) {
  const char *slash = strrchr(script->path, '/');
  char *text = text_without_values(tokens);
  return (struct raw_place){
      .at = xasprintf("%s:\"%.60s%s\"", slash ? slash + 1 : script->path, text,
                      strlen(text) > 60 ? "..." : ""),
      .text = text,
      .changes_rows = changes_rows(tokens, verb),
      .only_inserts = inserts_values(tokens, verb),
      .calculates = sql_calculates(tokens)};
}

static int note_boundary(struct raw_reading *r, enum raw_step_kind kind) {
  if (kind == RAW_BEGIN && r->begun)
    return refuse_line(r, "a transaction is open already at this", "BEGIN");
  if (kind != RAW_BEGIN && !r->begun && !r->nopen)
    return refuse_line(r, "no transaction is open at this",
                       kind == RAW_COMMIT ? "COMMIT" : "ROLLBACK");
  if (kind == RAW_BEGIN)
    r->begun = r->line;
  else if (!r->nopen) // in a branch, another one may end it, too
    r->begun = 0;
  add_raw_step(r, kind);
  return 0;
}

// From the beginning of a statement to its end, without the semicolon.
static int read_raw_statement(struct raw_reading *r, char *text, char *kept) {
  static const enum raw_step_kind kinds[] = {
      [SQL_VERB_SELECT] = RAW_STATEMENT,
      [SQL_VERB_INSERT] = RAW_STATEMENT,
      [SQL_VERB_UPDATE] = RAW_STATEMENT,
      [SQL_VERB_DELETE] = RAW_STATEMENT,
      [SQL_VERB_OTHER] = RAW_STATEMENT,
      [SQL_VERB_BEGIN] = RAW_BEGIN,
      [SQL_VERB_COMMIT] = RAW_COMMIT,
      [SQL_VERB_ROLLBACK] = RAW_ROLLBACK,
      [SQL_VERB_SAVEPOINT] = RAW_SAVEPOINT,
      [SQL_VERB_ROLLBACK_TO] = RAW_ROLLBACK_TO,
      [SQL_VERB_RELEASE] = RAW_RELEASE,
  };
  struct sql_outline o;
  if (!sql_tokens_read(&r->tokens, text))
    return refuse_line(r, "brackets close that are not open", "");
  sql_outline_read(&o, &r->tokens);
  if (o.verb == SQL_VERB_REFUSED)
    return refuse_line(r, o.why, "");
  const enum raw_step_kind kind = kinds[o.verb];
  if (kind == RAW_BEGIN || kind == RAW_COMMIT || kind == RAW_ROLLBACK)
    return note_boundary(r, kind);
  struct raw_step *step = add_raw_step(r, kind);
  step->text = xstrdup(text);
  step->kept = kept ? xstrdup(kept) : NULL;
  step->verb = o.verb;
  step->reads = o.verb == SQL_VERB_SELECT && !o.locks;
  if (o.name.end)
    step->name = xasprintf("%.*s", (int)(o.name.end - o.name.begin),
                           text + o.name.begin);
  if (kind == RAW_STATEMENT)
    note_place(r, step);
  else if (!r->begun && !r->nopen)
    return refuse_line(r, "no transaction is open at this", "savepoint");
  return 0;
}

// Behind the end of a statement, \gset may keep what it returned.
static int read_gset(struct raw_reading *r, char **kept) {
  char *line =
      xasprintf("%.*s", (int)strcspn(r->text + r->at, "\n"), r->text + r->at);
  const char *p = line;
  char *word = take_word(&p);
  assert(word); // it begins with a backslash
  r->at += (uint32_t)strlen(line);
  const bool known = !strcmp(word, "\\gset");
  if (known) {
    *kept = take_word(&p);
    *kept = *kept ? *kept : xstrdup("");
  }
  const int failed = known ? 0 : refuse_line(r, "a run has no", word);
  FREE_EACH(word, line);
  return failed;
}

static uint32_t lines_between(const char *text, uint32_t from, uint32_t to) {
  uint32_t n = 0;
  for (; from < to; from++)
    n += text[from] == '\n';
  return n;
}

// A statement ends at a semicolon, at \gset or with the file.
static int read_up_to_end(struct raw_reading *r) {
  const uint32_t begin = r->at;
  uint32_t end = begin;
  struct sql_token token;
  char *kept = NULL;
  int found, failed = 0;
  while ((found = sql_token_find(r->all->dialect, r->text, &r->at, r->end,
                                 &token)) > 0) {
    const char sign =
        token.kind == SQL_TOKEN_SIGN ? r->text[token.begin] : '\0';
    if (sign == ';')
      break;
    if (sign == '\\') {
      r->at = token.begin;
      failed = read_gset(r, &kept);
      break;
    }
    end = token.end;
  }
  if (found < 0)
    failed = refuse_line(r,
                         "a quote or a comment that begins here or behind "
                         "has no end",
                         "");
  char *text = xasprintf("%.*s", (int)(end - begin), r->text + begin);
  if (!failed && end > begin)
    failed = read_raw_statement(r, text, kept);
  r->line += lines_between(r->text, begin, r->at);
  FREE_EACH(text, kept);
  return failed;
}

static int check_raw_end(struct raw_reading *r) {
  bool statement = false;
  for (uint32_t i = 0; i < r->script->nsteps; i++)
    statement |= r->script->steps[i].kind == RAW_STATEMENT;
  if (r->nopen) {
    r->line = r->open[r->nopen - 1].line;
    return refuse_line(r, "an \\if that begins here has no", "\\endif");
  }
  if (r->begun && r->script->steps[r->script->nsteps - 1].kind < RAW_COMMIT) {
    r->line = r->begun;
    return refuse_line(
        r, "the transaction that begins here has no COMMIT or ROLLBACK", "");
  }
  return statement ? 0
                   : error_set_usage(r->error, "%s: there is no statement",
                                     r->script->path);
}

static int read_raw_steps(struct raw_reading *r) {
  struct sql_token token;
  int found = 1, failed = 0;
  r->line = 1;
  while (!failed && found > 0) {
    uint32_t at = r->at;
    const uint32_t before = at;
    found = sql_token_find(r->all->dialect, r->text, &at, r->end, &token);
    const uint32_t begin = found > 0 ? token.begin : at;
    r->line += lines_between(r->text, before, begin);
    r->at = begin;
    if (found < 0)
      failed = refuse_line(r, "a quote or a comment has no end", "");
    else if (found)
      failed = r->text[begin] == '\\' ? read_command(r) : read_up_to_end(r);
  }
  return failed ? -1 : check_raw_end(r);
}

// ---- Files

static int read_raw_script(struct raw_scripts *all,
                           const struct listed_script *listed,
                           struct error *error) {
  ARRAY_RESERVE(all->scripts, all->nscripts, all->scripts_room);
  struct raw_script *script = &all->scripts[all->nscripts++];
  *script = (struct raw_script){.path = xstrdup(listed->path),
                                .name = xstrdup(listed->name),
                                .share = listed->share,
                                .program = raw_program_is(listed->path)};
  if (script->program)
    return 0;
  char *text = sql_text_of(script->path, error);
  if (!text)
    return -1;
  struct raw_reading r = {.all = all,
                          .script = script,
                          .text = text,
                          .end = (uint32_t)strlen(text),
                          .tokens = {.dialect = all->dialect},
                          .error = error};
  const int failed = read_raw_steps(&r);
  sql_tokens_free(&r.tokens);
  for (uint32_t i = 0; i < CONDITIONS_MOST; i++)
    free(r.open[i].go);
  free(text);
  return failed;
}

static int read_raw_list(struct raw_scripts *all, const char *list,
                         uint32_t most, struct error *error) {
  uint32_t n;
  struct listed_script *scripts = script_list_read(list, most, &n, error);
  int failed = scripts ? 0 : -1;
  for (uint32_t i = 0; !failed && i < n; i++)
    failed = read_raw_script(all, &scripts[i], error);
  if (scripts)
    script_list_free(scripts, n);
  return failed;
}

struct raw_scripts *raw_scripts_read(const char *schema, const char *list,
                                     uint32_t most,
                                     const struct sql_dialect *dialect,
                                     struct error *error) {
  struct raw_scripts *all = xcalloc(1, sizeof *all);
  all->dialect = dialect;
  all->schema_path = xstrdup(schema);
  all->schema = sql_text_of(schema, error);
  if (all->schema && !read_raw_list(all, list, most, error))
    return all;
  raw_scripts_free(all);
  return NULL;
}

void raw_scripts_free(struct raw_scripts *all) {
  if (!all)
    return;
  for (uint32_t i = 0; i < all->nscripts; i++) {
    struct raw_script *s = &all->scripts[i];
    for (uint32_t k = 0; k < s->nsteps; k++)
      FREE_EACH(s->steps[k].text, s->steps[k].name, s->steps[k].kept);
    FREE_EACH(s->path, s->name, s->steps);
  }
  for (uint32_t i = 0; i < all->nplaces; i++)
    FREE_EACH(all->places[i].at, all->places[i].text);
  FREE_EACH(all->scripts, all->places, all->schema_path, all->schema);
  free(all);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds a SELECT ... \gset, perhaps an \if, and an UPDATE of the same row that
// one UPDATE can say (sql/sql.h):
//
//     SELECT n FROM t WHERE id = 1 \gset          UPDATE t SET n = n - 1
//     \if :n > 0                              ->    WHERE id = 1 AND n > 0;
//     UPDATE t SET n = :n - 1 WHERE id = 1;
//     \endif
//
// The script may use the variables nowhere else, for they are gone then.
#include "config.h"

#include "sql/reading.h"
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

struct script_token {
  enum sql_kind kind;
  char text[64];
  uint32_t line;
  const char *begin, *end; // in the script
};

struct token_range { // of tokens
  uint32_t first, end;
};

struct atomic_finding {
  const char *script;
  struct script_token *tokens;
  uint32_t n, room;
  uint32_t at; // the next token
  // The statements that are found.
  struct token_range all, where, condition, update;
  uint32_t nvariables;
  struct {
    char name[64], column[64];
  } variables[SQL_COLUMNS_MAX];
};

// ---- Tokens

static bool is_token_text(const struct atomic_finding *f, uint32_t i,
                          const char *text) {
  const struct script_token *t = &f->tokens[i];
  return (t->kind == SQL_WORD || t->kind == SQL_SYMBOL) &&
         !strcmp(t->text, text);
}

static bool is_command(const struct atomic_finding *f, const char *name) {
  const struct script_token *t = &f->tokens[f->at];
  return t->kind == SQL_COMMAND && !strcmp(t->text, name);
}

static enum sql_kind kind_at(const struct atomic_finding *f, uint32_t i) {
  return f->tokens[i].kind;
}

static bool accept_token(struct atomic_finding *f, const char *text) {
  const bool is = is_token_text(f, f->at, text);
  f->at += is;
  return is;
}

// A script that was read before, so that no token is refused.
static void take_tokens(struct atomic_finding *f) {
  struct error error;
  struct sql_reader r = {
      .path = "", .p = f->script, .line = 1, .error = &error};
  do {
    if (sql_advance(&r))
      r.kind = SQL_END;
    r.lines = r.kind == SQL_COMMAND || (r.lines && r.kind != SQL_LINE);
    ARRAY_RESERVE(f->tokens, f->n, f->room);
    struct script_token *t = &f->tokens[f->n++];
    *t = (struct script_token){
        .kind = r.kind, .line = r.at, .begin = r.token, .end = r.p};
    memcpy(t->text, r.text, sizeof t->text);
  } while (r.kind != SQL_END);
}

static bool same_tokens(const struct atomic_finding *f, struct token_range a,
                        struct token_range b) {
  bool same = a.end - a.first == b.end - b.first;
  for (uint32_t i = 0; same && i < a.end - a.first; i++)
    same = f->tokens[a.first + i].kind == f->tokens[b.first + i].kind &&
           !strcmp(f->tokens[a.first + i].text, f->tokens[b.first + i].text);
  return same;
}

// The column that the variable held; NULL: it is another one.
static const char *column_of_variable(const struct atomic_finding *f,
                                      const struct script_token *t) {
  for (uint32_t i = 0; i < f->nvariables && t->kind == SQL_VARIABLE; i++)
    if (!strcmp(f->variables[i].name, t->text))
      return f->variables[i].column;
  return NULL;
}

static uint32_t uses(const struct atomic_finding *f, struct token_range range) {
  uint32_t n = 0;
  for (uint32_t i = range.first; i < range.end; i++)
    n += column_of_variable(f, &f->tokens[i]) != NULL;
  return n;
}

// ---- Statements

// a, b AS c FROM
static bool find_columns(struct atomic_finding *f) {
  f->nvariables = 0;
  do {
    const struct script_token *column = &f->tokens[f->at];
    if (column->kind != SQL_WORD || f->nvariables == SQL_COLUMNS_MAX)
      return false;
    f->at++;
    const struct script_token *name =
        accept_token(f, "as") ? &f->tokens[f->at++] : column;
    memcpy(f->variables[f->nvariables].column, column->text, 64);
    memcpy(f->variables[f->nvariables++].name, name->text, 64);
  } while (accept_token(f, ","));
  return accept_token(f, "from");
}

static void name_variables(struct atomic_finding *f, const char *prefix) {
  for (uint32_t i = 0; i < f->nvariables; i++) {
    char *name = xasprintf("%.14s%.48s", prefix, f->variables[i].name);
    snprintf(f->variables[i].name, sizeof f->variables[i].name, "%s", name);
    free(name);
  }
}

// WHERE ..., up to a token that is none of an expression.
static bool find_where(struct atomic_finding *f, struct token_range *where) {
  if (!accept_token(f, "where"))
    return false;
  where->first = f->at;
  while (kind_at(f, f->at) != SQL_COMMAND && kind_at(f, f->at) != SQL_END &&
         !is_token_text(f, f->at, ";") && !is_token_text(f, f->at, "for"))
    f->at++;
  where->end = f->at;
  return true;
}

static bool ends_line(struct atomic_finding *f) {
  const bool ends = kind_at(f, f->at) == SQL_LINE;
  f->at += ends;
  return ends;
}

static bool find_select(struct atomic_finding *f, const char **table) {
  if (!accept_token(f, "select") || !find_columns(f))
    return false;
  *table = f->tokens[f->at++].text;
  if (!find_where(f, &f->where) || !is_command(f, "gset"))
    return false;
  f->at++;
  name_variables(f, kind_at(f, f->at) == SQL_WORD ? f->tokens[f->at].text : "");
  f->at += kind_at(f, f->at) == SQL_WORD;
  return ends_line(f) && !uses(f, f->where);
}

// Comparisons between AND and OR, which SQL takes as pgbench does.
static bool is_condition(const struct atomic_finding *f,
                         struct token_range range) {
  static const char *const compare[] = {"=", "<", ">", "<=", ">=", "<>", "!="};
  uint32_t ncomparisons = 0, njoins = 0;
  for (uint32_t i = range.first; i < range.end; i++) {
    njoins += is_token_text(f, i, "and") || is_token_text(f, i, "or");
    for (size_t c = 0; c < sizeof compare / sizeof *compare; c++)
      ncomparisons += is_token_text(f, i, compare[c]);
  }
  return ncomparisons == njoins + 1;
}

static bool find_condition(struct atomic_finding *f) {
  f->condition = (struct token_range){f->at, f->at};
  if (!is_command(f, "if"))
    return true;
  f->condition.first = ++f->at;
  while (kind_at(f, f->at) != SQL_LINE && kind_at(f, f->at) != SQL_END)
    f->at++;
  f->condition.end = f->at;
  return ends_line(f) && is_condition(f, f->condition);
}

static bool find_update(struct atomic_finding *f, const char *table) {
  struct token_range where;
  f->update.first = f->at;
  if (!accept_token(f, "update") || !accept_token(f, table))
    return false;
  while (kind_at(f, f->at) != SQL_END && !is_token_text(f, f->at, "where") &&
         !is_token_text(f, f->at, ";"))
    f->at++;
  if (!find_where(f, &where) || !same_tokens(f, where, f->where))
    return false;
  f->update.end = f->at;
  return accept_token(f, ";");
}

static bool find_endif(struct atomic_finding *f) {
  if (f->condition.first == f->condition.end)
    return true;
  if (!is_command(f, "endif"))
    return false;
  f->at++;
  return ends_line(f);
}

static bool find_all(struct atomic_finding *f, uint32_t first) {
  const char *table;
  f->at = first;
  if (!find_select(f, &table) || !find_condition(f) || !find_update(f, table) ||
      !find_endif(f))
    return false;
  f->all = (struct token_range){first, f->at};
  const uint32_t used = uses(f, f->condition) + uses(f, f->update);
  return used && used == uses(f, (struct token_range){0, f->n});
}

// ---- The one statement

static void put_tokens(FILE *out, const struct atomic_finding *f,
                       struct token_range range) {
  for (uint32_t i = range.first; i < range.end; i++) {
    const struct script_token *t = &f->tokens[i];
    const char *column = column_of_variable(f, t);
    if (i > range.first && t->begin > t[-1].end)
      fputc(' ', out);
    if (column)
      fputs(column, out);
    else
      fprintf(out, "%.*s", (int)(t->end - t->begin), t->begin);
  }
}

static char *single_statement(const struct atomic_finding *f) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put_tokens(out, f, f->update);
  if (f->condition.first < f->condition.end) {
    bool either = false;
    for (uint32_t i = f->condition.first; i < f->condition.end; i++)
      either |= is_token_text(f, i, "or");
    fputs(either ? " AND (" : " AND ", out);
    put_tokens(out, f, f->condition);
    fputs(either ? ")" : "", out);
  }
  fclose(out);
  return text;
}

// The script with the statement in the line of the UPDATE; the other lines keep
// their numbers.
static char *script_with(const struct atomic_finding *f,
                         const char *statement) {
  const struct script_token *first = &f->tokens[f->all.first];
  const struct script_token *update = &f->tokens[f->update.first];
  const char *rest = f->tokens[f->all.end - 1].end;
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "%.*s", (int)(first->begin - f->script), f->script);
  for (const char *c = first->begin; c < update->begin; c++)
    fputs(*c == '\n' ? "\n" : "", out);
  fprintf(out, "%s;", statement);
  for (const char *c = update->begin; c < rest; c++)
    fputs(*c == '\n' ? "\n" : "", out);
  fputs(rest, out);
  fclose(out);
  return text;
}

// Where a script is: which transaction, and whether BEGIN opened it.
struct script_place {
  uint32_t ntransactions, depth;
  bool open, starts; // a statement starts
};

static bool is_any(const struct atomic_finding *f, uint32_t i,
                   const char *const *names) {
  bool is = false;
  for (; *names; names++)
    is |= is_token_text(f, i, *names);
  return is;
}

static void go_to_token(struct script_place *p, const struct atomic_finding *f,
                        uint32_t i) {
  static const char *const statements[] = {"select", "insert", "update",
                                           "delete", NULL};
  static const char *const ends[] = {"commit", "end", "rollback", NULL};
  const struct script_token *t = &f->tokens[i];
  p->depth += t->kind == SQL_COMMAND && !strcmp(t->text, "if");
  p->depth -= t->kind == SQL_COMMAND && !strcmp(t->text, "endif");
  p->starts = !i || is_token_text(f, i - 1, ";") || t[-1].kind == SQL_LINE;
  const bool begins = p->starts && (is_token_text(f, i, "begin") ||
                                    is_token_text(f, i, "start"));
  p->ntransactions +=
      begins || (p->starts && !p->open && is_any(f, i, statements));
  if (begins || (p->starts && !p->depth && is_any(f, i, ends)))
    p->open = begins;
}

bool sql_find_atomic(const char *script, uint32_t number,
                     struct sql_change *change) {
  struct atomic_finding f = {.script = script};
  struct script_place place = {0};
  bool found = false;
  take_tokens(&f);
  for (uint32_t i = 0; i < f.n && !found; i++) {
    go_to_token(&place, &f, i);
    found = place.open && place.starts && find_all(&f, i) && !number--;
  }
  if (found) {
    *change = (struct sql_change){.number = place.ntransactions,
                                  .select_line = f.tokens[f.all.first].line,
                                  .update_line = f.tokens[f.update.first].line,
                                  .last_line = f.tokens[f.all.end - 1].line,
                                  .statement = single_statement(&f)};
    change->text = script_with(&f, change->statement);
  }
  free(f.tokens);
  return found;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a pgbench script (sql/tree.h): statements, the edges of transactions,
// and pgbench's meta-commands.  A statement outside of BEGIN and COMMIT is a
// transaction of its own.
#include "config.h"

#include "sql/tree.h"

#include <string.h>

// ---- Commands

int sql_end_of_line(struct sql_parser *p) {
  if (p->r->kind != SQL_LINE && p->r->kind != SQL_END)
    return sql_expected(p->r, "the end of the line");
  p->r->lines = false;
  return sql_advance(p->r);
}

static int parse_set(struct sql_parser *p) {
  struct sql_item item = {.kind = SQL_ITEM_SET};
  char name[64];
  p->r->lines = true;
  if (sql_advance(p->r) || sql_name(p->r, "a variable", name))
    return -1;
  p->sets = name;
  const int failed = sql_parse_condition(p, &item.value);
  p->sets = NULL;
  const int number = sql_new_variable(p, name);
  if (failed || number < 0)
    return -1;
  item.variable = (uint32_t)number;
  if (!p->runs)
    p->numbers[number] = p->nifs ? (struct sql_number){.none = true}
                                 : sql_known_number(p, item.value);
  return p->emit(p->emitter, &item) ? -1 : sql_end_of_line(p);
}

static int parse_if(struct sql_parser *p) {
  struct sql_item item = {.kind = SQL_ITEM_IF};
  if (!p->open && !p->refused)
    return sql_refuse(p->r, "\\if must stand between BEGIN and COMMIT");
  p->r->lines = true;
  if (sql_advance(p->r))
    return -1;
  const int failed = sql_parse_condition(p, &item.value);
  if (failed)
    item.value = NULL;
  const int refused = p->emit(p->emitter, &item);
  p->nifs += !refused;
  return failed || refused ? -1 : sql_end_of_line(p);
}

static int refuse_command(const struct sql_parser *p, const char *name) {
  const char *instead = sql_advice(name);
  return sql_refuse(
      p->r, "expected \\set, \\if, \\else, \\endif or \\gset, not \\%s%s%s",
      name, instead ? "; " : "", instead ? instead : "");
}

static int parse_command(struct sql_parser *p) {
  const char *name = p->r->text;
  if (!strcmp(name, "set"))
    return parse_set(p);
  if (!strcmp(name, "if"))
    return parse_if(p);
  const bool ends = !strcmp(name, "endif");
  if (!ends && strcmp(name, "else"))
    return refuse_command(p, name);
  if (!p->nifs && p->refused)
    return error_set_usage(p->r->error, "%s", "");
  if (!p->nifs)
    return sql_refuse(p->r, "\\%s without \\if", name);
  const struct sql_item item = {.kind = ends ? SQL_ITEM_ENDIF : SQL_ITEM_ELSE};
  if (p->emit(p->emitter, &item))
    return -1;
  p->nifs -= ends;
  p->r->lines = true;
  return sql_advance(p->r) ? -1 : sql_end_of_line(p);
}

// ---- Transactions

// Passes over the level and the mode that BEGIN names: --isolation names the
// level.
static int pass_modes(struct sql_parser *p, bool begins) {
  static const char *const ends[] = {"work", "transaction", NULL};
  static const char *const modes[] = {
      "work",       "transaction", "isolation",    "level",
      "read",       "committed",   "uncommitted",  "repeatable",
      "only",       "write",       "serializable", "not",
      "deferrable", "with",        "consistent",   "snapshot",
      "immediate",  "deferred",    "exclusive",    ",",
      NULL};
  bool passed = true;
  while (passed) {
    passed = false;
    for (const char *const *word = begins ? modes : ends; *word; word++)
      passed |= sql_at(p->r, *word);
    if (passed && sql_advance(p->r))
      return -1;
  }
  return sql_require(p->r, ";");
}

// SET TRANSACTION ISOLATION LEVEL ...
static int pass_set(struct sql_parser *p) {
  if (sql_advance(p->r))
    return -1;
  return sql_at(p->r, "transaction") ? pass_modes(p, true)
                                     : sql_expected(p->r, "TRANSACTION");
}

static int parse_edge(struct sql_parser *p) {
  const bool starts = sql_at(p->r, "start"), rolls = sql_at(p->r, "rollback");
  const bool begins = starts || sql_at(p->r, "begin");
  if (begins == p->open && !p->refused)
    return sql_refuse(p->r, begins ? "there is an open transaction already"
                                   : "no transaction is open");
  if (!begins && !rolls && p->nifs)
    return sql_refuse(p->r, "COMMIT must stand behind \\endif");
  const struct sql_item item = {.kind = begins  ? SQL_ITEM_BEGIN
                                        : rolls ? SQL_ITEM_ROLLBACK
                                                : SQL_ITEM_COMMIT};
  if (p->emit(p->emitter, &item))
    return -1;
  p->open = begins || (rolls && p->nifs);
  if (sql_advance(p->r))
    return -1;
  if (starts && !sql_at(p->r, "transaction"))
    return sql_expected(p->r, "\"TRANSACTION\"");
  return pass_modes(p, begins);
}

static int emit_edge(struct sql_parser *p, enum sql_item_kind kind) {
  const struct sql_item item = {.kind = kind};
  return p->emit(p->emitter, &item);
}

// An INSERT of several rows is one for each, in a transaction.
static int emit_statement_rows(struct sql_parser *p, struct sql_item *item) {
  const bool wraps = item->more && item->alone;
  int failed = wraps ? emit_edge(p, SQL_ITEM_BEGIN) : 0;
  for (; !failed && item; item = item->more) {
    item->alone &= !wraps;
    failed = p->emit(p->emitter, item);
  }
  return failed || (wraps && emit_edge(p, SQL_ITEM_COMMIT)) ? -1 : 0;
}

static int parse_statement(struct sql_parser *p) {
  static const struct {
    const char *name;
    enum sql_item_kind kind;
    int (*parse)(struct sql_parser *p, struct sql_item *item);
  } statements[] = {{"select", SQL_ITEM_SELECT, sql_parse_select},
                    {"update", SQL_ITEM_UPDATE, sql_parse_update},
                    {"delete", SQL_ITEM_DELETE, sql_parse_delete},
                    {"insert", SQL_ITEM_INSERT, sql_parse_insert}};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    if (!sql_at(p->r, statements[i].name))
      continue;
    struct sql_item item = {.kind = statements[i].kind,
                            .alone = !p->open,
                            .line = p->r->at,
                            .begin = p->r->token};
    if (sql_advance(p->r) || statements[i].parse(p, &item) ||
        emit_statement_rows(p, &item))
      return -1;
    return item.keeps ? sql_end_of_line(p) : sql_require(p->r, ";");
  }
  return sql_expected(p->r, "BEGIN, COMMIT, ROLLBACK, SELECT, INSERT, UPDATE "
                            "or DELETE");
}

static int parse_item(struct sql_parser *p) {
  const struct sql_reader *r = p->r;
  return r->kind == SQL_COMMAND ? parse_command(p)
         : sql_at(r, "set")     ? pass_set(p)
         : sql_at(r, "start") || sql_at(r, "begin") || sql_at(r, "commit") ||
                 sql_at(r, "end") || sql_at(r, "rollback")
             ? parse_edge(p)
             : parse_statement(p);
}

static void note_script_refusal(struct sql_parser *p) {
  p->refused = true;
  sql_note(&p->schema->refusals, p->r->error);
}

int sql_parse(struct sql_parser *p) {
  struct sql_reader *r = p->r;
  int failed = sql_new_variable(p, "client_id") || sql_advance(r);
  while (failed || r->kind != SQL_END) {
    p->nesting = 0;
    p->table = NULL;
    failed = failed || parse_item(p);
    if (!failed)
      continue;
    note_script_refusal(p);
    sql_skip_statement(r);
    failed = sql_advance(r);
  }
  if (p->open && !p->refused) {
    sql_expected(r, "COMMIT");
    note_script_refusal(p);
  }
  arena_free(&p->arena);
  return sql_tell(&p->schema->refusals, false, r->error);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the user's schema on MariaDB and MySQL (drivers/mysql/instrument.h).
// Statements of definition cannot be taken back there, so a table lists what a
// run has made in the database; else it has to be empty.
#include "config.h"

#include "drivers/mysql/instrument.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char what[] = "cannot prepare the tables";

int mysqldb_own_do(struct mysqldb_own_making *m, char *sql) {
  const int failed = mysql_real_query(m->mysql, sql, strlen(sql))
                         ? mysqldb_say(m->error, m->target, m->mysql, what)
                         : 0;
  free(sql);
  return failed;
}

int mysqldb_own_note(struct mysqldb_own_making *m) {
  return mysqldb_own_do(
      m, xasprintf("INSERT INTO %s SELECT CAST(o.kind AS BINARY), "
                   "CAST(o.name AS BINARY) FROM (" MYSQLDB_OWN_OBJECTS
                   ") o WHERE NOT EXISTS (SELECT 1 FROM %s m WHERE m.kind = "
                   "CAST(o.kind AS BINARY) AND m.name = CAST(o.name AS "
                   "BINARY))",
                   m->mark, m->mark));
}

// ---- Versions

enum { DENIED = 1142, NEEDS_TRUST = 1419 }; // errors

int mysqldb_own_trigger(struct mysqldb_own_making *m, const char *table,
                        char *sql) {
  const int failed = mysql_real_query(m->mysql, sql, strlen(sql));
  free(sql);
  if (!failed)
    return 0;
  char server[MYSQLDB_NAME_ROOM];
  mysqldb_name_server(m->target, server, sizeof server);
  if (mysql_errno(m->mysql) == DENIED)
    return error_set(m->error,
                     "%s: the account may not create triggers on %s, by which "
                     "a run sees what scripts change: GRANT TRIGGER",
                     server, table);
  if (mysql_errno(m->mysql) == NEEDS_TRUST)
    return error_set(m->error,
                     "%s: the account may not create triggers while the server "
                     "writes a binary log: SET GLOBAL "
                     "log_bin_trust_function_creators = 1",
                     server);
  return mysqldb_say(m->error, m->target, m->mysql, what);
}

static int refuse_table(const struct mysqldb_own_making *m, const char *table,
                        const char *engine) {
  return error_set_usage(
      m->error,
      "%s: the table %s %s%s, where a run cannot see what transactions do",
      m->path, table, engine ? "is kept by " : "is system-versioned",
      engine ? engine : "");
}

// A table made like another one has its column, too, which would be called
// like the other one's.
static int give_versions(struct mysqldb_own_making *m, const char *name,
                         const char *column) {
  const uint32_t n = m->nversions++;
  if (*column &&
      mysqldb_own_do(
          m, xasprintf("ALTER TABLE `%s` DROP COLUMN `%s`", name, column)))
    return -1;
  return mysqldb_own_do(m, xasprintf("ALTER TABLE `%s` ADD COLUMN " MYSQLDB_OWN
                                     "%u BIGINT UNSIGNED NOT NULL DEFAULT 0 "
                                     "INVISIBLE",
                                     name, n)) ||
                 mysqldb_own_do(m, xasprintf("UPDATE `%s` SET " MYSQLDB_OWN
                                             "%u = UUID_SHORT()",
                                             name, n)) ||
                 mysqldb_own_trigger(
                     m, name,
                     xasprintf("CREATE TRIGGER " MYSQLDB_OWN "bi_%u BEFORE "
                               "INSERT ON `%s` FOR EACH ROW SET "
                               "NEW." MYSQLDB_OWN "%u = UUID_SHORT()",
                               n, name, n))
             ? -1
             : 0;
}

// Before the user's own triggers are there, which an UPDATE would call.
static int give_versions_to_new(struct mysqldb_own_making *m) {
  static const char query[] =
      "SELECT REPLACE(t.TABLE_NAME, '`', '``'), IFNULL((SELECT "
      "MIN(c.COLUMN_NAME) FROM information_schema.COLUMNS c WHERE "
      "c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = t.TABLE_NAME AND "
      "c.COLUMN_NAME LIKE 'isostress\\_%'), ''), t.ENGINE, (SELECT "
      "e.TRANSACTIONS FROM information_schema.ENGINES e WHERE e.ENGINE = "
      "t.ENGINE), t.TABLE_TYPE FROM information_schema.TABLES t WHERE "
      "t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM "
      "VERSIONED') AND t.TABLE_COMMENT NOT LIKE '" SQL_COMMENT
      "%' AND NOT EXISTS (SELECT 1 FROM information_schema.TRIGGERS g WHERE "
      "g.EVENT_OBJECT_SCHEMA = DATABASE() AND g.EVENT_OBJECT_TABLE = "
      "t.TABLE_NAME AND g.TRIGGER_NAME LIKE 'isostress\\_bi\\_%')";
  MYSQL_RES *rows = mysqldb_query(m->target, m->mysql, query, what, m->error);
  MYSQL_ROW row;
  int failed = rows ? 0 : -1;
  while (!failed && (row = mysql_fetch_row(rows)))
    failed = strcmp(row[4], "BASE TABLE") != 0 ? refuse_table(m, row[0], NULL)
             : row[3] && !strcmp(row[3], "YES")
                 ? give_versions(m, row[0], row[1])
                 : refuse_table(m, row[0], row[2] ? row[2] : "no engine");
  mysql_free_result(rows);
  return failed;
}

// ---- Statements

static int refuse_at(const struct mysqldb_own_making *m, uint32_t line,
                     const char *why) {
  return error_set_usage(m->error, "%s:%u: %s", m->path, line, why);
}

enum schema_kind {
  SCHEMA_RUN,
  SCHEMA_ROWS, // makes no table
  SCHEMA_PASS, // without meaning here
  SCHEMA_REFUSED
};

static const struct {
  const char *first, *second; // `second` may be NULL: any
  enum schema_kind kind;
} schema_words[] = {
    {"begin", NULL, SCHEMA_PASS},
    {"start", NULL, SCHEMA_PASS},
    {"commit", NULL, SCHEMA_PASS},
    {"lock", NULL, SCHEMA_PASS},
    {"unlock", NULL, SCHEMA_PASS},
    {"insert", NULL, SCHEMA_ROWS},
    {"replace", NULL, SCHEMA_ROWS},
    {"update", NULL, SCHEMA_ROWS},
    {"delete", NULL, SCHEMA_ROWS},
    {"set", NULL, SCHEMA_ROWS},
    {"use", NULL, SCHEMA_REFUSED},
    {"create", "database", SCHEMA_REFUSED},
    {"create", "schema", SCHEMA_REFUSED},
    {"drop", "database", SCHEMA_REFUSED},
    {"drop", "schema", SCHEMA_REFUSED},
    {"alter", "database", SCHEMA_REFUSED},
    {"alter", "schema", SCHEMA_REFUSED},
};

static enum schema_kind kind_of_schema(const char *text) {
  struct sql_tokens tokens = {.dialect = &sql_dialect_mysql};
  enum schema_kind kind = SCHEMA_RUN;
  if (sql_tokens_read(&tokens, text) && !tokens.n)
    kind = SCHEMA_PASS;
  for (size_t i = 0; i < sizeof schema_words / sizeof *schema_words; i++)
    if (sql_token_is(&tokens, 0, schema_words[i].first) &&
        (!schema_words[i].second ||
         sql_token_is(&tokens, 1, schema_words[i].second)))
      kind = schema_words[i].kind;
  sql_tokens_free(&tokens);
  return kind;
}

static int run_of_schema(struct mysqldb_own_making *m, const char *text,
                         uint32_t line) {
  char words[300], *sentence;
  const enum schema_kind kind = kind_of_schema(text);
  if (kind == SCHEMA_PASS)
    return 0;
  if (kind == SCHEMA_REFUSED)
    return refuse_at(m, line,
                     "the run uses the database of the target: leave USE and "
                     "statements about databases away");
  if (!mysql_real_query(m->mysql, text, strlen(text))) {
    mysql_free_result(mysql_store_result(m->mysql));
    return kind == SCHEMA_ROWS ? 0
                               : mysqldb_own_note(m) || give_versions_to_new(m);
  }
  error_one_line(words, sizeof words, mysql_error(m->mysql));
  sentence = xasprintf("the database refused it: %s", words);
  refuse_at(m, line, sentence);
  free(sentence);
  return -1;
}

// ---- The file

struct mysql_schema {
  struct mysqldb_own_making *making;
  const char *text;
  uint32_t at, end;
  uint32_t begin, first; // of the statement: the text, its first token
  char delimiter[20];
};

static uint32_t line_of_schema(const char *text, uint32_t at) {
  uint32_t line = 1;
  for (uint32_t i = 0; i < at; i++)
    line += text[i] == '\n';
  return line;
}

// "DELIMITER //", as the client has it.
static bool take_delimiter(struct mysql_schema *s,
                           const struct sql_token *token) {
  static const char word[] = "delimiter";
  const char *p = s->text + token->begin;
  if (token->end - token->begin != strlen(word) ||
      strncasecmp(p, word, strlen(word)) != 0)
    return false;
  p += strlen(word);
  p += strspn(p, " \t");
  const size_t n = strcspn(p, " \t\r\n");
  snprintf(s->delimiter, sizeof s->delimiter, "%.*s", (int)n, p);
  s->at = s->begin = (uint32_t)(p - s->text) + (uint32_t)strcspn(p, "\n");
  return s->delimiter[0];
}

// Where the delimiter begins in a token that is no quote; UINT32_MAX: nowhere.
static uint32_t find_delimiter(const struct mysql_schema *s,
                               const struct sql_token *token) {
  const size_t n = strlen(s->delimiter);
  if (token->kind == SQL_TOKEN_NAME || token->kind == SQL_TOKEN_TEXT)
    return UINT32_MAX;
  for (uint32_t i = token->begin; i < token->end; i++)
    if (!strncmp(s->text + i, s->delimiter, n))
      return i;
  return UINT32_MAX;
}

static int end_of_statement(struct mysql_schema *s, uint32_t end) {
  char *text = xasprintf("%.*s", (int)(end - s->begin), s->text + s->begin);
  const int failed =
      s->first == UINT32_MAX
          ? 0
          : run_of_schema(s->making, text, line_of_schema(s->text, s->first));
  free(text);
  s->first = UINT32_MAX;
  return failed;
}

int mysqldb_own_schema(struct mysqldb_own_making *m, const char *text) {
  struct mysql_schema s = {.making = m,
                           .text = text,
                           .end = (uint32_t)strlen(text),
                           .first = UINT32_MAX,
                           .delimiter = ";"};
  struct sql_token token;
  int found = 1, failed = 0;
  while (!failed && (found = sql_token_find(&sql_dialect_mysql, text, &s.at,
                                            s.end, &token)) > 0) {
    if (s.first == UINT32_MAX && take_delimiter(&s, &token))
      continue;
    const uint32_t end = find_delimiter(&s, &token);
    if (end == UINT32_MAX || end > token.begin)
      s.first = s.first == UINT32_MAX ? token.begin : s.first;
    if (end == UINT32_MAX)
      continue;
    failed = end_of_statement(&s, end);
    s.at = s.begin = end + (uint32_t)strlen(s.delimiter);
  }
  if (!failed && found < 0)
    return refuse_at(m, line_of_schema(text, s.begin),
                     "a quote or a comment that begins here or behind has no "
                     "end");
  return failed ? -1 : end_of_statement(&s, s.end);
}

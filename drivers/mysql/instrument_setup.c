// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the tables of the user's own SQL in the database of the target
// (drivers/mysql/instrument.h), which has to hold nothing else but tables of
// isostress.  Statements of definition cannot be taken back, so that a setup
// that fails drops what it has made.
#include "config.h"

#include "drivers/mysql/instrument.h"

#include "base/memory.h"
#include "drivers/mysql/target.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "cannot prepare the tables";

// ---- The list of what runs have made

static char *name_of_mark(const struct mysqldb_target *target) {
  const char *table = target->shape.table, *dot = strrchr(table, '.');
  return xasprintf("`%s_own`", dot ? dot + 1 : table);
}

// 1: there is such a table; 0: there is none; -1 with a sentence.
static int is_marked(const struct mysqldb_target *target, MYSQL *mysql,
                     const char *mark, struct error *error) {
  char *sql =
      xasprintf("SELECT TABLE_COMMENT LIKE '" SQL_COMMENT "%%' FROM "
                "information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND "
                "TABLE_NAME = '%.*s'",
                (int)strlen(mark) - 2, mark + 1);
  MYSQL_RES *rows = mysqldb_query(target, mysql, sql, what, error);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  const int marked = !rows ? -1 : row && row[0] && !strcmp(row[0], "1");
  free(sql);
  mysql_free_result(rows);
  return marked;
}

static int run_sql(const struct mysqldb_target *target, MYSQL *mysql, char *sql,
                   struct error *error) {
  const int failed = mysql_real_query(mysql, sql, strlen(sql))
                         ? mysqldb_say(error, target, mysql, what)
                         : 0;
  free(sql);
  return failed;
}

static int drop_listed(const struct mysqldb_target *target, MYSQL *mysql,
                       const char *mark, uint64_t *removed,
                       struct error *error) {
  char *sql = xasprintf("SELECT kind, REPLACE(name, '`', '``') FROM %s", mark);
  MYSQL_RES *rows = mysqldb_query(target, mysql, sql, what, error);
  MYSQL_ROW row;
  int failed = rows ? 0 : -1;
  free(sql);
  while (!failed && (row = mysql_fetch_row(rows))) {
    failed =
        run_sql(target, mysql,
                xasprintf("DROP %s IF EXISTS `%s`", row[0], row[1]), error);
    *removed += !strcmp(row[0], "TABLE");
  }
  mysql_free_result(rows);
  return failed;
}

int mysqldb_own_drop(const struct mysqldb_target *target, MYSQL *mysql,
                     uint64_t *removed, struct error *error) {
  char *mark = name_of_mark(target);
  const int marked = is_marked(target, mysql, mark, error);
  int failed = marked < 0 ? -1 : 0;
  if (marked > 0)
    failed =
        run_sql(target, mysql, xstrdup("SET SESSION foreign_key_checks = 0"),
                error) ||
                drop_listed(target, mysql, mark, removed, error) ||
                run_sql(target, mysql, xasprintf("DROP TABLE %s", mark),
                        error) ||
                run_sql(target, mysql,
                        xstrdup("SET SESSION foreign_key_checks = 1"), error)
            ? -1
            : 0;
  free(mark);
  return failed;
}

// ---- Nothing else is touched

static int refuse_strangers(struct mysqldb_own_making *m, bool marked) {
  char *listed =
      marked ? xasprintf("WHERE NOT EXISTS (SELECT 1 FROM %s m WHERE m.kind = "
                         "CAST(o.kind AS BINARY) AND m.name = CAST(o.name AS "
                         "BINARY))",
                         m->mark)
             : xstrdup("");
  char *sql = xasprintf("SELECT LOWER(o.kind), o.name, DATABASE() FROM "
                        "(" MYSQLDB_OWN_OBJECTS ") o %s LIMIT 1",
                        listed);
  MYSQL_RES *rows = mysqldb_query(m->target, m->mysql, sql, what, m->error);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  char server[MYSQLDB_NAME_ROOM];
  mysqldb_name_server(m->target, server, sizeof server);
  if (row)
    error_set(m->error,
              "%s: the database %s has a %s %s that was not made by isostress: "
              "scripts as they are need a database of their own",
              server, row[2], row[0], row[1]);
  const int failed = !rows || row ? -1 : 0;
  mysql_free_result(rows);
  FREE_EACH(listed, sql);
  return failed;
}

static int make_mark(struct mysqldb_own_making *m) {
  uint64_t removed = 0;
  const int marked = is_marked(m->target, m->mysql, m->mark, m->error);
  return marked < 0 || refuse_strangers(m, marked > 0) ||
                 mysqldb_own_drop(m->target, m->mysql, &removed, m->error) ||
                 mysqldb_own_do(m, xasprintf("CREATE TABLE %s (kind "
                                             "VARBINARY(16) NOT NULL, name "
                                             "VARBINARY(256) NOT NULL) COMMENT "
                                             "'" SQL_COMMENT "'",
                                             m->mark))
             ? -1
             : 0;
}

// ---- Columns

// How a trigger writes a value as SQL takes it, and compares two: texts byte by
// byte, since a collation may see no difference.  Types that are not here are
// texts.
static const struct {
  const char *type, *image, *compared; // `%s` once in each
} column_types[] = {
#define NUMBER_TYPE "COALESCE(%s, 'NULL')", "%s"
#define FLOAT_TYPE "COALESCE(%s + 0e0, 'NULL')", "%s"
#define MOMENT_TYPE "QUOTE(%s)", "%s"
#define BYTES_TYPE                                                             \
  "COALESCE(CONCAT('x''', HEX(%s), ''''), 'NULL')", "CAST(%s AS BINARY)"
    {"tinyint", NUMBER_TYPE},
    {"smallint", NUMBER_TYPE},
    {"mediumint", NUMBER_TYPE},
    {"int", NUMBER_TYPE},
    {"bigint", NUMBER_TYPE},
    {"decimal", NUMBER_TYPE},
    {"year", NUMBER_TYPE},
    {"bit", "COALESCE(%s + 0, 'NULL')", "%s"},
    {"float", FLOAT_TYPE},
    {"double", FLOAT_TYPE},
    {"date", MOMENT_TYPE},
    {"time", MOMENT_TYPE},
    {"datetime", MOMENT_TYPE},
    {"timestamp", MOMENT_TYPE},
    {"binary", BYTES_TYPE},
    {"varbinary", BYTES_TYPE},
    {"tinyblob", BYTES_TYPE},
    {"blob", BYTES_TYPE},
    {"mediumblob", BYTES_TYPE},
    {"longblob", BYTES_TYPE},
    {"geometry", BYTES_TYPE},
    {"point", BYTES_TYPE},
    {"linestring", BYTES_TYPE},
    {"polygon", BYTES_TYPE},
    {"multipoint", BYTES_TYPE},
    {"multilinestring", BYTES_TYPE},
    {"multipolygon", BYTES_TYPE},
    {"geometrycollection", BYTES_TYPE},
    {NULL, "QUOTE(CONVERT(%s USING utf8mb4))", "CAST(%s AS BINARY)"},
};

static size_t type_of_column(const char *type) {
  size_t i = 0;
  while (column_types[i].type && strcmp(column_types[i].type, type) != 0)
    i++;
  return i;
}

// Puts the name of a column, in backticks and behind OLD. or NEW., in place of
// the form's %s.
static void put_column(FILE *out, const char *form, const char *row,
                       const char *name) {
  const char *place = strstr(form, "%s");
  fprintf(out, "%.*s%s`%s`%s", (int)(place - form), form, row, name, place + 2);
}

enum { COLUMN_NAME, COLUMN_TYPE, COLUMN_EXTRA, COLUMN_KEY, COLUMN_MOMENT };

static MYSQL_RES *list_columns(struct mysqldb_own_making *m,
                               const char *table) {
  char *sql = xasprintf(
      "SELECT REPLACE(COLUMN_NAME, '`', '``'), DATA_TYPE, LOWER(EXTRA), "
      "COLUMN_KEY, IFNULL(DATETIME_PRECISION, 0) FROM "
      "information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND "
      "TABLE_NAME = '%s' AND COLUMN_NAME NOT LIKE 'isostress\\_%%' ORDER BY "
      "ORDINAL_POSITION",
      table);
  MYSQL_RES *rows = mysqldb_query(m->target, m->mysql, sql, what, m->error);
  free(sql);
  return rows;
}

// The value of the row as a list of SQL's values.
static void put_image(FILE *out, MYSQL_RES *columns, const char *row) {
  MYSQL_ROW column;
  fputs("CONCAT_WS(','", out);
  mysql_data_seek(columns, 0);
  while ((column = mysql_fetch_row(columns))) {
    fputs(", ", out);
    put_column(out, column_types[type_of_column(column[COLUMN_TYPE])].image,
               row, column[COLUMN_NAME]);
  }
  putc(')', out);
}

// Before an UPDATE, a column that changes by itself has the time at hand
// already, even if nothing else changes and the row is therefore left alone.
static void put_same(FILE *out, MYSQL_RES *columns) {
  MYSQL_ROW column;
  fputs("TRUE", out);
  mysql_data_seek(columns, 0);
  while ((column = mysql_fetch_row(columns))) {
    const char *form =
        column_types[type_of_column(column[COLUMN_TYPE])].compared;
    if (strstr(column[COLUMN_EXTRA], " generated"))
      continue;
    fputs(" AND (", out);
    put_column(out, form, "NEW.", column[COLUMN_NAME]);
    fputs(" <=> ", out);
    put_column(out, form, "OLD.", column[COLUMN_NAME]);
    if (strstr(column[COLUMN_EXTRA], "on update"))
      fprintf(out, " OR NEW.`%s` <=> NOW(%s)", column[COLUMN_NAME],
              column[COLUMN_MOMENT]);
    putc(')', out);
  }
}

// A primary key of one whole number tells rows apart for people.
static void put_key(FILE *out, MYSQL_RES *columns, const char *row) {
  static const char *const whole[] = {"tinyint", "smallint", "mediumint", "int",
                                      "bigint"};
  MYSQL_ROW column;
  char *key = NULL;
  uint32_t n = 0;
  mysql_data_seek(columns, 0);
  while ((column = mysql_fetch_row(columns)))
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
      if (!strcmp(column[COLUMN_KEY], "PRI")) {
        n += i == 0;
        if (strcmp(column[COLUMN_TYPE], whole[i]) != 0)
          continue;
        free(key);
        key = xasprintf("%s`%s`", row, column[COLUMN_NAME]);
      }
  fputs(n == 1 && key ? key : "-1", out);
  free(key);
}

static int note_own_columns(MYSQL_RES *columns, struct mysqldb_own_table *own,
                            struct instrument_table *table) {
  const uint32_t n = (uint32_t)mysql_num_rows(columns);
  char **names = xcalloc((size_t)n + 1, sizeof *names);
  own->moves = xcalloc((size_t)n + 1, sizeof *own->moves);
  mysql_data_seek(columns, 0);
  for (uint32_t i = 0; i < n; i++) {
    const MYSQL_ROW column = mysql_fetch_row(columns);
    names[i] = column[COLUMN_NAME];
    if (!strcmp(column[COLUMN_KEY], "PRI") && i < 64)
      table->key |= UINT64_C(1) << i;
    own->moves[i] = strstr(column[COLUMN_EXTRA], "on update") != NULL;
  }
  table->columns = texts_copy(names, NULL, n);
  table->ncolumns = n;
  free(names);
  return 0;
}

// ---- Triggers

static char *text_of_trigger(const struct mysqldb_own_table *own, uint32_t t,
                             char kind, MYSQL_RES *columns) {
  static const char log[] = "@" MYSQLDB_OWN "log";
  const char *row = kind == 'D' ? "OLD." : "NEW.";
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out,
          "CREATE TRIGGER " MYSQLDB_OWN "a%c_%u AFTER %s ON %s FOR EACH ROW "
          "SET %s = CONCAT(%s, '%c%u ', ",
          kind, t,
          kind == 'I'   ? "INSERT"
          : kind == 'U' ? "UPDATE"
                        : "DELETE",
          own->name, log, log, kind, t);
  fprintf(out, kind == 'I' ? "'0'" : "OLD.%s", own->version);
  fputs(", ' ', ", out);
  fprintf(out, kind == 'D' ? "'0'" : "NEW.%s", own->version);
  fputs(", ' ', ", out);
  put_key(out, columns, row);
  fputs(", ' ', ", out);
  if (kind == 'D')
    fputs("'-'", out);
  else
    put_image(out, columns, row);
  fputs(", '\\n')", out);
  fclose(out);
  return text;
}

static char *text_of_version_trigger(const struct mysqldb_own_table *own,
                                     uint32_t t, MYSQL_RES *columns) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out,
          "CREATE TRIGGER " MYSQLDB_OWN "bu_%u BEFORE UPDATE ON %s FOR EACH "
          "ROW SET NEW.%s = IF(",
          t, own->name, own->version);
  put_same(out, columns);
  fprintf(out, ", OLD.%s, UUID_SHORT())", own->version);
  fclose(out);
  return text;
}

static char *text_of_select(const struct mysqldb_own_table *own,
                            MYSQL_RES *columns) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "SELECT %s, ", own->version);
  put_key(out, columns, "");
  fputs(", ", out);
  put_image(out, columns, "");
  fprintf(out, " FROM %s", own->name);
  fclose(out);
  return text;
}

static int make_triggers(struct mysqldb_own_making *m, uint32_t t,
                         const char *name, MYSQL_RES *columns) {
  const struct mysqldb_own_table *own = &m->target->own->tables[t];
  int failed =
      mysqldb_own_trigger(m, name, text_of_version_trigger(own, t, columns));
  for (const char *kind = "IUD"; *kind && !failed; kind++)
    failed =
        mysqldb_own_trigger(m, name, text_of_trigger(own, t, *kind, columns));
  return failed;
}

// ---- Tables

// InnoDB's cascades call no triggers.
static MYSQL_RES *list_mysql_tables(struct mysqldb_own_making *m) {
  static const char query[] =
      "SELECT t.TABLE_NAME, REPLACE(t.TABLE_NAME, '`', '``'), c.COLUMN_NAME, "
      "EXISTS (SELECT 1 FROM information_schema.REFERENTIAL_CONSTRAINTS r "
      "WHERE r.CONSTRAINT_SCHEMA = DATABASE() AND r.TABLE_NAME = t.TABLE_NAME "
      "AND (r.DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION') OR r.UPDATE_RULE "
      "NOT IN ('RESTRICT', 'NO ACTION'))) FROM information_schema.TABLES t "
      "JOIN information_schema.COLUMNS c ON c.TABLE_SCHEMA = DATABASE() AND "
      "c.TABLE_NAME = t.TABLE_NAME AND c.COLUMN_NAME LIKE 'isostress\\_%' "
      "WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE' ORDER "
      "BY 1";
  return mysqldb_query(m->target, m->mysql, query, what, m->error);
}

static int instrument_table(struct mysqldb_own_making *m, const MYSQL_ROW row,
                            struct instrument_tables *tables) {
  struct mysqldb_instrument *own = m->target->own;
  const uint32_t t = tables->n;
  MYSQL_RES *columns = list_columns(m, row[0]);
  if (!columns)
    return -1;
  const bool cascades = !strcmp(row[3], "1");
  ARRAY_RESERVE(tables->all, tables->n, tables->room);
  tables->all[tables->n++] = (struct instrument_table){
      .name = xstrdup(row[0]), .hides = cascades, .silent = cascades};
  ARRAY_RESERVE(own->tables, own->ntables, own->room);
  own->tables[own->ntables++] = (struct mysqldb_own_table){
      .name = xasprintf("`%s`", row[1]), .version = xasprintf("`%s`", row[2])};
  own->tables[t].select = text_of_select(&own->tables[t], columns);
  note_own_columns(columns, &own->tables[t], &tables->all[t]);
  const int failed = make_triggers(m, t, row[0], columns);
  mysql_free_result(columns);
  return failed;
}

static int instrument_tables(struct mysqldb_own_making *m,
                             struct instrument_tables *tables) {
  MYSQL_RES *list = list_mysql_tables(m);
  int failed = list ? 0 : -1;
  MYSQL_ROW row;
  while (!failed && (row = mysql_fetch_row(list)))
    failed = instrument_table(m, row, tables);
  if (!failed && !tables->n)
    failed = error_set_usage(m->error, "%s: it makes no table", m->path);
  mysql_free_result(list);
  return failed;
}

// Functions may change rows; events do so on their own.
static int look_at_routines(struct mysqldb_own_making *m) {
  char *sql = xasprintf("SELECT MAX(kind = 'FUNCTION'), MAX(kind = 'EVENT') "
                        "FROM %s",
                        m->mark);
  MYSQL_RES *rows = mysqldb_query(m->target, m->mysql, sql, what, m->error);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  m->target->own->functions = row && row[0] && !strcmp(row[0], "1");
  const bool events = row && row[1] && !strcmp(row[1], "1");
  mysql_free_result(rows);
  free(sql);
  return events ? error_set_usage(m->error,
                                  "%s: an event changes rows on its own: leave "
                                  "CREATE EVENT away",
                                  m->path)
                : -!row;
}

// ---- All of it

static int check_server(struct mysqldb_own_making *m) {
  const unsigned long version = mysql_get_server_version(m->mysql);
  const bool mariadb = mariadb_connection(m->mysql);
  if (version < (mariadb ? 100300 : 80023))
    return error_set(m->error,
                     "scripts as they are need invisible columns, which "
                     "MariaDB has from 10.3 on, and MySQL from 8.0.23 on");
  return m->target->database
             ? 0
             : error_set_usage(m->error,
                               "scripts as they are need a database of their "
                               "own: name it behind the server, as in "
                               "mysql://HOST/DATABASE");
}

static int finish_session(struct mysqldb_own_making *m) {
  return mysqldb_own_session(m->mysql)
             ? mysqldb_say(m->error, m->target, m->mysql, what)
             : 0;
}

static int make_in_database(struct mysqldb_own_making *m, const char *schema,
                            struct instrument_tables *tables) {
  if (mysqldb_own_schema(m, schema) || finish_session(m) ||
      look_at_routines(m) || instrument_tables(m, tables) ||
      mysqldb_own_note(m) ||
      mysqldb_read_versions(&m->target->base, tables, tables, m->error))
    return -1;
  return 0;
}

static int own_setup_failed(struct mysqldb_own_making *m) {
  struct error ignored;
  uint64_t removed = 0;
  mysqldb_own_drop(m->target, m->mysql, &removed, &ignored);
  return -1;
}

int mysqldb_own_setup(struct target *base, const char *path, const char *schema,
                      struct instrument_tables *tables, struct error *error) {
  struct mysqldb_target *target = mysqldb_of(base);
  char *mark = name_of_mark(target);
  struct mysqldb_own_making m = {
      .target = target, .path = path, .mark = mark, .error = error};
  target->own = xcalloc(1, sizeof *target->own);
  m.mysql = target->claim = mysqldb_claim(target, error);
  int failed = m.mysql ? 0 : -1;
  if (!failed) {
    mysqldb_note_claims(target, m.mysql, true);
    failed = check_server(&m) || finish_session(&m) || make_mark(&m);
  }
  if (!failed && make_in_database(&m, schema, tables))
    failed = own_setup_failed(&m);
  free(mark);
  return failed ? -1 : 0;
}

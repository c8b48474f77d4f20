// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses how versions are asked for (drivers/mysql/instrument_ask.h).  The
// database is the judge of each guess about a statement: it has to accept the
// columns, to describe the rest of the result as before, and to say where the
// columns come from.
#include "config.h"

#include "drivers/mysql/instrument_ask.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Texts

char *mysqldb_own_text(const struct mysqldb_instrument *own, const char *text,
                       const struct sql_outline *outline,
                       const struct instrument_way *way) {
  char *made;
  size_t bytes;
  FILE *out = text_stream(&made, &bytes);
  fprintf(out, "%.*s", (int)outline->at, text);
  for (uint32_t i = 0; i < way->ntables; i++) {
    const struct sql_place place =
        outline->tables[way->tables[i].reference].alias;
    const int n = (int)(place.end - place.begin);
    const char *alias = text + place.begin,
               *version = own->tables[way->tables[i].table].version;
    if (way->gathers)
      fprintf(out,
              ", GROUP_CONCAT(%.*s.%s SEPARATOR ' ') AS isostress_g%u, "
              "COUNT(%.*s.%s) AS isostress_n%u",
              n, alias, version, i, n, alias, version, i);
    else
      fprintf(out, ", %.*s.%s", n, alias, version);
  }
  fprintf(out, " %s", text + outline->at);
  fclose(out);
  return made;
}

// ---- Tables

// With or without backticks, in which a doubled one is one.
static char *bare_name(const char *text, struct sql_place place) {
  char *name =
      xasprintf("%.*s", (int)(place.end - place.begin), text + place.begin);
  if (*name != '`')
    return name;
  char *to = name;
  for (const char *c = name + 1; c[1]; c++) {
    *to++ = *c;
    c += *c == '`' && c[1] == '`';
  }
  *to = '\0';
  return name;
}

// A server may see no difference between large and small letters; two tables
// whose names differ by them alone are then not there.
static uint32_t find_own_table(const struct instrument_tables *tables,
                               const char *name) {
  uint32_t found = UINT32_MAX;
  for (uint32_t t = 0; t < tables->n; t++)
    if (!strcmp(tables->all[t].name, name))
      return t;
    else if (!strcasecmp(tables->all[t].name, name))
      found = t;
  return found;
}

static void find_named_tables(const char *text,
                              const struct sql_outline *outline,
                              const struct instrument_tables *tables,
                              struct instrument_way *way) {
  for (uint32_t i = 0; i < outline->ntables; i++) {
    char *name = bare_name(text, outline->tables[i].name);
    const uint32_t table = find_own_table(tables, name);
    free(name);
    if (table == UINT32_MAX)
      continue;
    way->tables[way->ntables].reference = i;
    way->tables[way->ntables++].table = table;
  }
}

// ---- Descriptions

struct mysql_asking {
  MYSQL *mysql;
  const struct mysqldb_instrument *own;
  const char *text;
  const struct sql_outline *outline;
  const struct instrument_tables *tables;
  MYSQL_STMT *before;
};

// A statement that knows its result, to be closed with mysql_stmt_close; NULL:
// the database does not accept it.
static MYSQL_STMT *describe_statement(MYSQL *mysql, const char *text) {
  MYSQL_STMT *stmt = mysql_stmt_init(mysql);
  if (!stmt)
    out_of_memory(0);
  if (!mysql_stmt_prepare(stmt, text, strlen(text)) &&
      mysql_stmt_field_count(stmt))
    return stmt;
  mysql_stmt_close(stmt);
  return NULL;
}

static void close_description(MYSQL_STMT *stmt) {
  if (stmt)
    mysql_stmt_close(stmt);
}

static bool is_same_field(const MYSQL_FIELD *a, const MYSQL_FIELD *b) {
  return a->type == b->type && a->charsetnr == b->charsetnr &&
         !strcmp(a->name, b->name) && !strcmp(a->org_name, b->org_name) &&
         !strcmp(a->org_table, b->org_table) && !strcmp(a->db, b->db);
}

// "`isostress_3`" and "isostress_3".
static bool is_quoted(const char *quoted, const char *name) {
  const size_t n = strlen(name);
  return strlen(quoted) == n + 2 && !strncmp(quoted + 1, name, n);
}

static bool comes_from(const struct mysql_asking *a, const MYSQL_FIELD *field,
                       uint32_t table) {
  return is_quoted(a->own->tables[table].version, field->org_name) &&
         !strcasecmp(field->org_table, a->tables->all[table].name);
}

static bool describes_alike(const struct mysql_asking *a, MYSQL_STMT *after,
                            const struct instrument_way *way) {
  MYSQL_RES *x = mysql_stmt_result_metadata(a->before),
            *y = mysql_stmt_result_metadata(after);
  const unsigned n = mysql_stmt_field_count(a->before),
                 added = way->ntables * (way->gathers ? 2 : 1);
  bool same = x && y && mysql_stmt_field_count(after) == n + added;
  for (unsigned i = 0; i < n && same; i++)
    same = is_same_field(mysql_fetch_field_direct(x, i),
                         mysql_fetch_field_direct(y, i));
  for (uint32_t i = 0; i < way->ntables && same && !way->gathers; i++)
    same =
        comes_from(a, mysql_fetch_field_direct(y, n + i), way->tables[i].table);
  mysql_free_result(x);
  mysql_free_result(y);
  return same;
}

// No two tables have a version column of the same name, so whoever has it is
// the table.
static bool accepts_columns(const struct mysql_asking *a,
                            const struct instrument_way *way) {
  char *text = mysqldb_own_text(a->own, a->text, a->outline, way);
  MYSQL_STMT *after = describe_statement(a->mysql, text);
  const bool accepted = after && describes_alike(a, after, way);
  close_description(after);
  free(text);
  return accepted;
}

static void set_grouping(MYSQL *mysql, bool strict) {
  const char *sql = strict ? "SET SESSION sql_mode = CONCAT(" MYSQLDB_OWN_MODE
                             ", ',ONLY_FULL_GROUP_BY')"
                           : "SET SESSION sql_mode = " MYSQLDB_OWN_MODE;
  mysql_real_query(mysql, sql, strlen(sql));
}

// ---- Plans

// EXPLAIN waits for a row that the statement would lock.
static char *leave_lock_out(const char *text) {
  struct sql_tokens tokens = {.dialect = &sql_dialect_mysql};
  uint32_t end = (uint32_t)strlen(text);
  if (sql_tokens_read(&tokens, text))
    for (uint32_t i = tokens.n; i > 0; i--) {
      const bool begins =
          !tokens.all[i - 1].depth && ((sql_token_is(&tokens, i - 1, "for") &&
                                        (sql_token_is(&tokens, i, "update") ||
                                         sql_token_is(&tokens, i, "share"))) ||
                                       (sql_token_is(&tokens, i - 1, "lock") &&
                                        sql_token_is(&tokens, i, "in")));
      end = begins ? tokens.all[i - 1].begin : end;
    }
  sql_tokens_free(&tokens);
  return xasprintf("EXPLAIN %.*s", (int)end, text);
}

// How many tables and indexes a plan reads as a whole.
struct whole_scans {
  int all;     // -1: there is no plan
  int indexes; // of them, indexes that are read without the rows
};

static struct whole_scans count_whole_scans(MYSQL *mysql, const char *text) {
  char *sql = leave_lock_out(text);
  MYSQL_RES *plan = mysql_real_query(mysql, sql, strlen(sql))
                        ? NULL
                        : mysql_store_result(mysql);
  struct whole_scans n = {.all = plan ? 0 : -1};
  MYSQL_ROW row;
  int type = -1, key = -1, extra = -1;
  free(sql);
  for (int i = 0; plan && i < (int)mysql_num_fields(plan); i++) {
    const char *name = mysql_fetch_field_direct(plan, (unsigned)i)->name;
    type = !strcmp(name, "type") ? i : type;
    key = !strcmp(name, "key") ? i : key;
    extra = !strcmp(name, "Extra") ? i : extra;
  }
  while (type >= 0 && key >= 0 && extra >= 0 && (row = mysql_fetch_row(plan)))
    if (row[type]) {
      const bool index = !strcmp(row[type], "index");
      n.all += index || !strcmp(row[type], "ALL");
      n.indexes += index && row[key] && strcmp(row[key], "PRIMARY") != 0 &&
                   row[extra] && strstr(row[extra], "Using index");
    }
  mysql_free_result(plan);
  return n;
}

// A SELECT that locks what it reads, as all do at SERIALIZABLE, locks each row
// of the table where an index alone was enough before.
static bool keeps_scans(const struct mysql_asking *a,
                        const struct instrument_way *way) {
  const bool locks = a->outline->locks || atomic_load(&a->own->reads_lock);
  char *text = mysqldb_own_text(a->own, a->text, a->outline, way);
  const struct whole_scans before = count_whole_scans(a->mysql, a->text),
                           after = count_whole_scans(a->mysql, text);
  free(text);
  return after.all <= before.all && (!locks || after.indexes >= before.indexes);
}

// ---- Ways

// HAVING alone may be WHERE by another name, or a group of all rows.
static bool has_odd_having(const char *text) {
  struct sql_tokens tokens = {.dialect = &sql_dialect_mysql};
  bool having = false, group = false;
  if (sql_tokens_read(&tokens, text))
    for (uint32_t i = 0; i < tokens.n; i++)
      if (!tokens.all[i].depth) {
        having |= sql_token_is(&tokens, i, "having");
        group |= sql_token_is(&tokens, i, "group");
      }
  sql_tokens_free(&tokens);
  return having && !group;
}

// By ONLY_FULL_GROUP_BY, which refuses a column that a group has several
// values of, the database says whether a statement groups.
static void choose_way_of_asking(struct mysql_asking *a,
                                 struct instrument_way *way) {
  set_grouping(a->mysql, true);
  way->adds = accepts_columns(a, way);
  way->gathers = !way->adds;
  way->adds = way->adds || accepts_columns(a, way);
  if (!way->adds) {
    MYSQL_STMT *plain = describe_statement(a->mysql, a->text);
    const bool groups = !plain && !has_odd_having(a->text);
    close_description(plain);
    set_grouping(a->mysql, false);
    way->adds = groups && accepts_columns(a, way);
  }
  set_grouping(a->mysql, false);
  if (!way->adds)
    way->why = "the database shows no versions of what it reads";
  else if (!(way->adds = keeps_scans(a, way)))
    way->why = "the database would read whole tables to show versions";
}

void mysqldb_choose_way(struct target *base, const char *text,
                        const struct sql_outline *outline,
                        const struct instrument_tables *tables,
                        struct instrument_way *way) {
  const struct mysqldb_target *target = mysqldb_of(base);
  *way = (struct instrument_way){.why = outline->why};
  if (outline->whole || outline->verb == SQL_VERB_SELECT)
    find_named_tables(text, outline, tables, way);
  if (outline->verb != SQL_VERB_SELECT || outline->why)
    return;
  if (!way->ntables) {
    way->why = "it names no table that the schema makes";
    return;
  }
  struct mysql_asking a = {.mysql = target->claim,
                           .own = target->own,
                           .text = text,
                           .outline = outline,
                           .tables = tables,
                           .before = describe_statement(target->claim, text)};
  if (a.before)
    choose_way_of_asking(&a, way);
  else
    way->why = "the database does not accept it";
  close_description(a.before);
}

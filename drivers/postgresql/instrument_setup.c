// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the tables of the user's own SQL (drivers/postgresql/instrument.h) in a
// schema of the run's own, in one transaction: on a failure nothing has
// changed, and what else the database holds is never touched.
#include "config.h"

#include "drivers/postgresql/instrument.h"

#include "base/memory.h"
#include "drivers/postgresql/rows.h"
#include "sql/tokens.h"

#include <stdlib.h>
#include <string.h>

struct own_making {
  struct postgresql_target *target;
  struct postgresql_instrument *own;
  PGconn *pg;
  const char *path;
  struct instrument_tables *tables;
  struct error *error;
};

static const char preparing[] = "cannot prepare the tables";

// Executes a composed text, which is freed.
static int do_sql(struct own_making *m, char *sql) {
  const int failed = postgresql_make(m->pg, sql, preparing, m->error);
  free(sql);
  return failed;
}

// The rows of a query, to be freed with PQclear; NULL with a sentence.
static PGresult *query_own(struct own_making *m, char *sql) {
  PGresult *result = PQexec(m->pg, sql);
  free(sql);
  if (postgresql_succeeded(result))
    return result;
  postgresql_say(m->error, m->pg, result, preparing);
  PQclear(result);
  return NULL;
}

// ---- The schema of the run

static int drop_old_schema(struct own_making *m) {
  PGresult *found = query_own(
      m, xasprintf("SELECT obj_description(oid, 'pg_namespace') FROM "
                   "pg_namespace WHERE '\"' || nspname || '\"' = '%s'",
                   m->own->schema));
  if (!found)
    return -1;
  const bool exists = PQntuples(found) > 0;
  const bool ours = exists && sql_is_ours(PQgetvalue(found, 0, 0));
  PQclear(found);
  if (exists && !ours)
    return error_set(m->error,
                     "PostgreSQL at %s:%s has a schema %s that was not made by "
                     "isostress; choose another name with table=NAME",
                     PQhost(m->pg), PQport(m->pg), m->own->schema);
  return exists ? do_sql(m, xasprintf("DROP SCHEMA %s CASCADE", m->own->schema))
                : 0;
}

static int make_new_schema(struct own_making *m) {
  const char *name = m->own->schema;
  return do_sql(m, xasprintf("CREATE SCHEMA %s", name)) ||
         do_sql(m,
                xasprintf("COMMENT ON SCHEMA %s IS '" SQL_COMMENT "'", name)) ||
         do_sql(m, xasprintf("SET LOCAL search_path = %s", name));
}

static int note_schema_oid(struct own_making *m) {
  PGresult *found =
      query_own(m, xasprintf("SELECT '%s'::regnamespace::oid", m->own->schema));
  if (found)
    m->own->schema_oid = (Oid)strtoul(PQgetvalue(found, 0, 0), NULL, 10);
  PQclear(found);
  return found ? 0 : -1;
}

// ---- The user's statements

static int refuse_of_schema(const struct own_making *m, uint32_t line,
                            const char *what) {
  return error_set_usage(m->error, "%s:%u: %s", m->path, line, what);
}

static int execute_of_schema(struct own_making *m, char *text, uint32_t line) {
  char words[300];
  PGresult *result = PQexec(m->pg, text);
  int failed = 0;
  if (PQresultStatus(result) == PGRES_COPY_IN) {
    failed = refuse_of_schema(m, line,
                              "rows cannot come by COPY FROM STDIN: write "
                              "INSERT, as pg_dump --inserts does");
  } else if (!postgresql_succeeded(result)) {
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    error_one_line(words, sizeof words,
                   primary ? primary : PQerrorMessage(m->pg));
    failed = error_set_usage(m->error, "%s:%u: the database refused it: %s",
                             m->path, line, words);
  }
  PQclear(result);
  free(text);
  return failed;
}

// Tables come and go as a whole, so its own transactions have no meaning.
static bool is_boundary_of_schema(const char *text, uint32_t at, uint32_t end) {
  static const char *const words[] = {"begin", "start", "commit", "end"};
  struct sql_token token;
  struct sql_tokens tokens = {
      .dialect = &sql_dialect_postgresql, .text = text, .all = &token, .n = 1};
  if (sql_token_find(&sql_dialect_postgresql, text, &at, end, &token) <= 0)
    return true; // nothing but a comment
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (sql_token_is(&tokens, 0, words[i]))
      return true;
  return false;
}

static uint32_t line_at(const char *text, uint32_t at) {
  uint32_t line = 1;
  for (uint32_t i = 0; i < at; i++)
    line += text[i] == '\n';
  return line;
}

static int execute_statements(struct own_making *m, const char *text) {
  const uint32_t end = (uint32_t)strlen(text);
  struct sql_token token;
  uint32_t at = 0, begin = 0, first = UINT32_MAX;
  int found, failed = 0;
  while (!failed && (found = sql_token_find(&sql_dialect_postgresql, text, &at,
                                            end, &token)) > 0) {
    const char sign = token.kind == SQL_TOKEN_SIGN ? text[token.begin] : '\0';
    if (sign == '\\')
      return refuse_of_schema(m, line_at(text, token.begin),
                              "a command of psql is no SQL: leave it away");
    first = first == UINT32_MAX ? token.begin : first;
    if (sign != ';')
      continue;
    if (!is_boundary_of_schema(text, begin, token.begin))
      failed = execute_of_schema(
          m, xasprintf("%.*s", (int)(token.begin - begin), text + begin),
          line_at(text, first));
    begin = at;
    first = UINT32_MAX;
  }
  if (!failed && found < 0)
    return refuse_of_schema(m, line_at(text, begin),
                            "a quote or a comment that begins here or behind "
                            "has no end");
  return failed || first == UINT32_MAX ||
                 is_boundary_of_schema(text, begin, end)
             ? failed
             : execute_of_schema(m, xstrdup(text + begin),
                                 line_at(text, first));
}

// Whoever names another schema would make tables there.
static int refuse_outside(struct own_making *m) {
  PGresult *outside = query_own(
      m,
      xasprintf("SELECT c.oid::regclass FROM pg_class c JOIN pg_namespace n "
                "ON n.oid = c.relnamespace WHERE '\"' || n.nspname || '\"' <> "
                "'%s' AND n.nspname !~ '^pg_toast' AND "
                "c.xmin = pg_current_xact_id()::xid AND c.relkind IN ('r', "
                "'p', 'v', 'm', 'S') LIMIT 1",
                m->own->schema));
  if (!outside)
    return -1;
  const int failed =
      PQntuples(outside)
          ? error_set_usage(m->error,
                            "%s: it makes %s outside of the run's own schema: "
                            "leave the name of the schema away",
                            m->path, PQgetvalue(outside, 0, 0))
          : 0;
  PQclear(outside);
  return failed;
}

// ---- Triggers

enum { OWN_OID, OWN_NAME, OWN_QUOTED, OWN_KEY, OWN_KIND, OWN_HIDES }; // columns

// A primary key of one whole number tells rows apart for people.
static PGresult *list_own_tables(struct own_making *m) {
  return query_own(
      m,
      xasprintf(
          "SELECT c.oid, c.relname, format('%%I.%%I', n.nspname, c.relname),"
          " (SELECT quote_ident(a.attname) FROM pg_index i JOIN pg_attribute a"
          " ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indrelid ="
          " c.oid AND i.indisprimary AND i.indnatts = 1 AND a.atttypid IN"
          " ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)), c.relkind,"
          " c.relkind <> 'r' OR c.relrowsecurity OR c.relhasrules OR EXISTS"
          " (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhparent, "
          "i.inhrelid))"
          " OR EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT"
          " g.tgisinternal AND g.tgtype & 3 = 3 AND g.tgtype & 24 <> 0)"
          " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
          " WHERE '\"' || n.nspname || '\"' = '%s' AND c.relkind IN ('r', 'p')"
          " AND NOT c.relispartition ORDER BY c.relname",
          m->own->schema));
}

// Triggers tell the versions of a row, its key, and the row itself.
static const struct {
  char kind;
  const char *event, *versions, *row, *image;
} told_events[] = {
    {'I', "INSERT", "'-', '0', NEW.ctid, NEW.xmin", "NEW", "NEW"},
    {'U', "UPDATE", "OLD.ctid, OLD.xmin, NEW.ctid, NEW.xmin", "NEW", "NEW"},
    {'D', "DELETE", "OLD.ctid, OLD.xmin, '-', '0'", "OLD", "'-'"},
};
enum { TOLD_EVENTS = sizeof told_events / sizeof *told_events };

// A function for each event costs the server a tenth less than one that asks
// for the event.
static int instrument_one(struct own_making *m, const PGresult *list, int row) {
  const char *table = PQgetvalue(list, row, OWN_QUOTED);
  const bool keyed = !PQgetisnull(list, row, OWN_KEY);
  const char *key = keyed ? PQgetvalue(list, row, OWN_KEY) : "'-1'";
  int failed = 0;
  for (int i = 0; i < TOLD_EVENTS && !failed; i++) {
    char *name = xasprintf("\"!isostress %d%c\"", row, told_events[i].kind);
    failed =
        do_sql(m, xasprintf("CREATE FUNCTION %s.%s() RETURNS trigger LANGUAGE "
                            "plpgsql AS $isostress$ BEGIN\n"
                            "RAISE INFO USING MESSAGE = concat_ws(E'\\t', "
                            "'isostress', '%c', TG_RELID, %s, %s%s%s, %s);\n"
                            "RETURN NULL; END $isostress$",
                            m->own->schema, name, told_events[i].kind,
                            told_events[i].versions,
                            keyed ? told_events[i].row : "", keyed ? "." : "",
                            key, told_events[i].image)) ||
        do_sql(m, xasprintf("CREATE TRIGGER \"!isostress %c\" AFTER %s ON %s "
                            "FOR EACH ROW EXECUTE FUNCTION %s.%s()",
                            told_events[i].kind, told_events[i].event, table,
                            m->own->schema, name));
    free(name);
  }
  return failed;
}

static void note_own_table(struct own_making *m, const PGresult *list,
                           int row) {
  struct instrument_tables *tables = m->tables;
  struct postgresql_instrument *own = m->own;
  const bool keyed = !PQgetisnull(list, row, OWN_KEY);
  ARRAY_RESERVE(tables->all, tables->n, tables->room);
  tables->all[tables->n++] = (struct instrument_table){
      .name = xstrdup(PQgetvalue(list, row, OWN_NAME)),
      .hides = *PQgetvalue(list, row, OWN_HIDES) == 't'};
  own->select = xrealloc(own->select, own->nselects + 1, sizeof *own->select);
  own->select[own->nselects++] = xasprintf(
      "SELECT tableoid, ctid, xmin, %s, isostress_row::text FROM %s%s AS "
      "isostress_row",
      keyed ? PQgetvalue(list, row, OWN_KEY) : "-1",
      *PQgetvalue(list, row, OWN_KIND) == 'r' ? "ONLY " : "",
      PQgetvalue(list, row, OWN_QUOTED));
}

// The relations of a table: itself and its partitions.
static int note_relations(struct own_making *m, const char *oid,
                          uint32_t table) {
  struct postgresql_instrument *own = m->own;
  PGresult *list =
      query_own(m, xasprintf("SELECT %s::oid UNION SELECT relid::oid FROM "
                             "pg_partition_tree(%s::oid::regclass)",
                             oid, oid));
  for (int i = 0; list && i < PQntuples(list); i++) {
    ARRAY_RESERVE(own->relations, own->nrelations, own->room);
    own->relations[own->nrelations++] = (struct postgresql_relation){
        (Oid)strtoul(PQgetvalue(list, i, 0), NULL, 10), table};
  }
  PQclear(list);
  return list ? 0 : -1;
}

static int note_columns(struct own_making *m, const char *oid,
                        struct instrument_table *table) {
  PGresult *list = query_own(
      m,
      xasprintf("SELECT attname, EXISTS (SELECT FROM pg_index WHERE indrelid "
                "= attrelid AND indisprimary AND attnum = ANY (indkey)) "
                "FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND "
                "NOT attisdropped ORDER BY attnum",
                oid));
  if (!list)
    return -1;
  const uint32_t n = (uint32_t)PQntuples(list);
  char **names = xcalloc((size_t)n + 1, sizeof *names);
  for (uint32_t i = 0; i < n; i++) {
    names[i] = PQgetvalue(list, (int)i, 0);
    if (*PQgetvalue(list, (int)i, 1) == 't' && i < 64)
      table->key |= UINT64_C(1) << i;
  }
  table->columns = texts_copy(names, NULL, n);
  table->ncolumns = n;
  free(names);
  PQclear(list);
  return 0;
}

static int compare_relations(const void *a, const void *b) {
  const Oid x = ((const struct postgresql_relation *)a)->oid,
            y = ((const struct postgresql_relation *)b)->oid;
  return (x > y) - (x < y);
}

static int instrument_all(struct own_making *m) {
  PGresult *list = list_own_tables(m);
  int failed = list ? 0 : -1;
  for (int row = 0; !failed && row < PQntuples(list); row++) {
    const char *oid = PQgetvalue(list, row, OWN_OID);
    note_own_table(m, list, row);
    failed = instrument_one(m, list, row) ||
             note_relations(m, oid, (uint32_t)row) ||
             note_columns(m, oid, &m->tables->all[row]);
  }
  if (!failed && !PQntuples(list))
    failed = error_set_usage(m->error, "%s: it makes no table", m->path);
  PQclear(list);
  if (m->own->nrelations)
    qsort(m->own->relations, m->own->nrelations, sizeof *m->own->relations,
          compare_relations);
  return failed;
}

// ---- All of it

static int make_own_tables(struct own_making *m, const char *schema) {
  return do_sql(m, xstrdup("BEGIN")) || drop_old_schema(m) ||
                 make_new_schema(m) || note_schema_oid(m) ||
                 execute_statements(m, schema) || refuse_outside(m) ||
                 instrument_all(m) || do_sql(m, xstrdup("COMMIT")) ||
                 (!m->own->pooled &&
                  do_sql(m, xasprintf("SET search_path = %s", m->own->schema)))
             ? -1
             : 0;
}

char *postgresql_own_schema(const struct postgresql_target *target) {
  const char *table = target->shape.table, *dot = strrchr(table, '.');
  return xasprintf("\"%s_own\"", dot ? dot + 1 : table);
}

int postgresql_own_setup(struct target *base, const char *path,
                         const char *schema, struct instrument_tables *tables,
                         struct error *error) {
  struct postgresql_target *target = postgresql_of(base);
  struct postgresql_instrument *own = xcalloc(1, sizeof *own);
  struct own_making m = {.target = target,
                         .own = own,
                         .path = path,
                         .tables = tables,
                         .error = error};
  target->own = own;
  own->schema = postgresql_own_schema(target);
  if (postgresql_claim(target, &m.pg, error))
    return -1;
  own->asking = m.pg;
  own->pooled = target->pooled;
  if (make_own_tables(&m, schema)) {
    PQclear(PQexec(m.pg, "ROLLBACK"));
    return -1;
  }
  return postgresql_read_versions(base, tables, tables, error);
}

// The schema of an earlier run has another number, and its tables came with it.
int postgresql_own_follow(struct target *base, const struct target *first_base,
                          struct error *error) {
  struct postgresql_target *target = postgresql_of(base);
  const struct postgresql_instrument *first =
      ((const struct postgresql_target *)first_base)->own;
  PGconn *pg = postgresql_find_pooler(target, error)
                   ? NULL
                   : postgresql_connect(target, error);
  if (!pg)
    return -1;
  char *query =
      xasprintf("SELECT 1 FROM pg_namespace WHERE oid = %u", first->schema_oid);
  PGresult *found = PQexec(pg, query);
  const int answer =
      postgresql_succeeded(found)
          ? PQntuples(found)
          : postgresql_say(error, pg, found, "cannot look for the tables");
  PQclear(found);
  PQfinish(pg);
  free(query);
  if (answer <= 0)
    return answer;
  struct postgresql_instrument *own = xcalloc(1, sizeof *own);
  own->schema = xstrdup(first->schema);
  own->nrelations = first->nrelations;
  own->relations = xcalloc(first->nrelations, sizeof *own->relations);
  memcpy(own->relations, first->relations,
         first->nrelations * sizeof *own->relations);
  target->own = own;
  return 1;
}

void postgresql_instrument_free(struct postgresql_instrument *own) {
  if (!own)
    return;
  if (own->pooled)
    PQfinish(own->asking);
  for (uint32_t i = 0; i < own->nselects; i++)
    free(own->select[i]);
  FREE_EACH(own->schema, own->relations, own->select);
  free(own);
}

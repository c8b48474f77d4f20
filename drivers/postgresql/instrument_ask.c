// SPDX-License-Identifier: GPL-3.0-or-later
// Asks with added columns (drivers/postgresql/instrument_ask.h).  The database
// is the judge of each guess about a statement: it has to accept the columns,
// to describe the rest of the result as before, and to take the columns from
// the tables that the outline names.
#include "config.h"

#include "drivers/postgresql/instrument_ask.h"

#include "base/memory.h"
#include "drivers/rows.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { VERSIONS_MOST = 4096 }; // of one statement; reads of more are left out

// ---- Texts

enum own_text {
  OWN_PLAIN,    // three columns of each table
  OWN_GATHERED, // one of each table
  OWN_PROBE,    // likewise, with a proof of which table it is
};

static int columns_of(const struct instrument_way *way) {
  return !way->adds ? 0 : (int)way->ntables * (way->gathers ? 1 : 3);
}

static void put_added(FILE *out, const char *text,
                      const struct sql_outline *outline,
                      const struct instrument_way *way, enum own_text kind,
                      char *const *probes) {
  for (uint32_t i = 0; i < way->ntables; i++) {
    const struct sql_place place =
        outline->tables[way->tables[i].reference].alias;
    const int n = (int)(place.end - place.begin);
    const char *a = text + place.begin;
    if (kind == OWN_PLAIN)
      fprintf(out, ", %.*s.tableoid, %.*s.ctid, %.*s.xmin", n, a, n, a, n, a);
    else
      fprintf(out,
              ", string_agg(%.*s.tableoid || '/' || %.*s.ctid || '/' || "
              "%.*s.xmin, ' ')",
              n, a, n, a, n, a);
    assert(kind != OWN_PROBE || probes);
    if (kind == OWN_PROBE) // fails for the rows of any other table
      fprintf(out, ", count((%.*s.*)::%s)", n, a, probes[i]);
  }
}

static char *compose_own(const char *text, const struct sql_outline *outline,
                         const struct instrument_way *way, enum own_text kind,
                         char *const *probes) {
  char *made;
  size_t bytes;
  FILE *out = text_stream(&made, &bytes);
  fprintf(out, "%.*s", (int)outline->at, text);
  put_added(out, text, outline, way, kind, probes);
  fprintf(out, " %s", text + outline->at);
  fclose(out);
  return made;
}

// ---- Choosing

// As the catalogue has the name: small letters unless it is quoted.
static bool names_table(const char *text, struct sql_place place,
                        const char *name) {
  if (text[place.begin] != '"') {
    for (; place.begin < place.end; place.begin++, name++)
      if (tolower((unsigned char)text[place.begin]) != *name)
        return false;
    return !*name;
  }
  for (place.begin++; place.begin + 1 < place.end; place.begin++, name++) {
    place.begin += text[place.begin] == '"';
    if (text[place.begin] != *name)
      return false;
  }
  return !*name;
}

static void find_known_tables(const char *text,
                              const struct sql_outline *outline,
                              const struct instrument_tables *tables,
                              struct instrument_way *way) {
  for (uint32_t i = 0; i < outline->ntables; i++)
    for (uint32_t t = 0; t < tables->n; t++)
      if (names_table(text, outline->tables[i].name, tables->all[t].name)) {
        way->tables[way->ntables].reference = i;
        way->tables[way->ntables++].table = t;
      }
}

// Behind a pooler only a transaction keeps what a session was told.
static void enter_schema(const struct postgresql_instrument *own) {
  char *sql = xasprintf("BEGIN; SET LOCAL search_path = %s", own->schema);
  if (own->pooled)
    PQclear(PQexec(own->asking, sql));
  free(sql);
}

static void leave_schema(const struct postgresql_instrument *own) {
  if (own->pooled)
    PQclear(PQexec(own->asking, "ROLLBACK"));
}

static PGresult *ask_description(PGconn *pg, const char *text) {
  PGresult *result = PQprepare(pg, "", text, 0, NULL);
  const bool accepted = postgresql_succeeded(result);
  PQclear(result);
  if (!accepted)
    return NULL;
  result = PQdescribePrepared(pg, "");
  if (postgresql_succeeded(result))
    return result;
  PQclear(result);
  return NULL;
}

// The description of a statement's result; NULL: the database does not
// accept it.  Free with PQclear.
static PGresult *describe_own(const struct postgresql_instrument *own,
                              const char *text) {
  enter_schema(own);
  PGresult *result = ask_description(own->asking, text);
  leave_schema(own);
  return result;
}

static bool describes_as_before(const PGresult *before, const PGresult *after,
                                int added) {
  bool same = PQnfields(after) == PQnfields(before) + added;
  for (int i = 0; same && i < PQnfields(before); i++)
    same = !strcmp(PQfname(before, i), PQfname(after, i)) &&
           PQftype(before, i) == PQftype(after, i) &&
           PQftable(before, i) == PQftable(after, i) &&
           PQftablecol(before, i) == PQftablecol(after, i);
  return same;
}

static bool come_from_tables(const struct postgresql_instrument *own,
                             const PGresult *after, int first,
                             const struct instrument_way *way) {
  bool right = true;
  for (uint32_t i = 0; i < way->ntables; i++)
    for (int k = 0; k < 3; k++)
      right &=
          postgresql_table_of(own, PQftable(after, first + (int)i * 3 + k)) ==
          way->tables[i].table;
  return right;
}

// How many tables a plan reads as a whole; -1: there is no plan.
static int count_whole_reads(const struct postgresql_instrument *own,
                             const char *text) {
  char *sql = xasprintf("EXPLAIN (COSTS OFF) %s", text);
  enter_schema(own);
  PGresult *plan = PQexec(own->asking, sql);
  leave_schema(own);
  int n = postgresql_succeeded(plan) ? 0 : -1;
  for (int i = 0; n >= 0 && i < PQntuples(plan); i++)
    n += strstr(PQgetvalue(plan, i, 0), "Seq Scan") != NULL;
  PQclear(plan);
  free(sql);
  return n;
}

struct way_asking {
  const struct postgresql_instrument *own;
  const char *text;
  const struct sql_outline *outline;
  const PGresult *before;
  char *probes[SQL_REFERENCES_MOST]; // the types of the tables' rows
};

static bool accepts_way(const struct way_asking *a,
                        const struct instrument_way *way) {
  const enum own_text kind = way->gathers ? OWN_PROBE : OWN_PLAIN;
  const int added = (int)way->ntables * (way->gathers ? 2 : 3);
  char *text = compose_own(a->text, a->outline, way, kind, a->probes);
  PGresult *after = describe_own(a->own, text);
  const bool accepted =
      after && describes_as_before(a->before, after, added) &&
      (way->gathers ||
       come_from_tables(a->own, after, PQnfields(a->before), way));
  PQclear(after);
  free(text);
  return accepted;
}

// A whole table that is read for the added columns alone would be locked at
// SERIALIZABLE, and take its time.
static bool keeps_plan(const struct way_asking *a,
                       const struct instrument_way *way) {
  char *text = compose_own(a->text, a->outline, way,
                           way->gathers ? OWN_GATHERED : OWN_PLAIN, NULL);
  const bool kept =
      count_whole_reads(a->own, text) <= count_whole_reads(a->own, a->text);
  free(text);
  return kept;
}

static void choose_among_ways(struct way_asking *a,
                              const struct instrument_tables *tables,
                              struct instrument_way *way) {
  for (uint32_t i = 0; i < way->ntables; i++)
    a->probes[i] = xasprintf("%s.\"%s\"", a->own->schema,
                             tables->all[way->tables[i].table].name);
  way->adds = accepts_way(a, way);
  if (!way->adds) {
    way->gathers = true;
    way->adds = accepts_way(a, way);
  }
  if (!way->adds)
    way->why = "the database shows no versions of what it reads";
  else if (!(way->adds = keeps_plan(a, way)))
    way->why = "the database would read whole tables to show versions";
  for (uint32_t i = 0; i < way->ntables; i++)
    free(a->probes[i]);
}

void postgresql_choose_way(struct target *base, const char *text,
                           const struct sql_outline *outline,
                           const struct instrument_tables *tables,
                           struct instrument_way *way) {
  const struct postgresql_target *target = postgresql_of(base);
  *way = (struct instrument_way){.why = outline->why};
  if (outline->whole && outline->verb != SQL_VERB_SELECT)
    find_known_tables(text, outline, tables, way);
  if (outline->verb != SQL_VERB_SELECT || outline->why)
    return;
  find_known_tables(text, outline, tables, way);
  if (!way->ntables) {
    way->why = "it names no table that the schema makes";
    return;
  }
  struct way_asking a = {.own = target->own, .text = text, .outline = outline};
  PGresult *before = describe_own(a.own, text);
  a.before = before;
  if (before)
    choose_among_ways(&a, tables, way);
  else
    way->why = "the database does not accept it";
  PQclear(before);
}

// ---- Executing

static void add_seen(struct instrument_answer *answer,
                     struct seen_version version) {
  ARRAY_RESERVE(answer->seen, answer->nseen, answer->seen_room);
  answer->seen[answer->nseen++] = version;
}

static void see_plain(const struct postgresql_instrument *own,
                      const PGresult *result, int row, int first,
                      struct instrument_answer *answer) {
  struct seen_version version;
  const uint32_t table = postgresql_table_of(
      own, (Oid)strtoul(PQgetvalue(result, row, first), NULL, 10));
  if (!PQgetisnull(result, row, first + 1) &&
      postgresql_version(PQgetvalue(result, row, first + 1),
                         PQgetvalue(result, row, first + 2), table, &version))
    add_seen(answer, version);
}

// "16400/(0,1)/745 16400/(0,2)/745"
static void see_gathered(const struct postgresql_instrument *own,
                         const char *list, struct instrument_answer *answer) {
  struct seen_version version;
  for (const char *p = list; p && *p; p = strchr(p, ' ')) {
    p += *p == ' ';
    const char *ctid = strchr(p, '/'),
               *xmin = ctid ? strchr(ctid + 1, '/') : NULL;
    const uint32_t table = postgresql_table_of(own, (Oid)strtoul(p, NULL, 10));
    if (xmin && postgresql_version(ctid + 1, xmin + 1, table, &version))
      add_seen(answer, version);
  }
}

static void see_rows(const struct postgresql_instrument *own,
                     const PGresult *result, const struct instrument_way *way,
                     struct instrument_answer *answer) {
  const int first = PQnfields(result) - columns_of(way);
  for (int row = 0; row < PQntuples(result); row++)
    for (uint32_t i = 0; way->adds && i < way->ntables; i++)
      if (way->gathers)
        see_gathered(own, PQgetvalue(result, row, first + (int)i), answer);
      else
        see_plain(own, result, row, first + (int)i * 3, answer);
  answer->cut = answer->nseen > VERSIONS_MOST;
  if (answer->cut)
    answer->nseen = 0;
}

static void keep_rows(const PGresult *result, const struct instrument_way *way,
                      struct instrument_answer *answer) {
  const int n = PQnfields(result) - columns_of(way);
  struct arena *arena = &answer->arena;
  const char **values;
  if (n <= 0)
    return;
  answer->ncolumns = (uint32_t)n;
  answer->names = arena_take(arena, (size_t)n * sizeof *answer->names);
  for (int i = 0; i < n; i++)
    answer->names[i] = arena_strdup(arena, PQfname(result, i));
  for (int row = 0;
       row < PQntuples(result) && (values = instrument_answer_row(answer));
       row++)
    for (int i = 0; i < n; i++)
      values[i] = PQgetisnull(result, row, i)
                      ? NULL
                      : arena_strdup(arena, PQgetvalue(result, row, i));
  if (!answer->nrows && !answer->all_rows)
    answer->ncolumns = 0;
}

static void put_all_rows(const PGresult *result,
                         const struct instrument_way *way,
                         const struct instrument_answer *answer) {
  const int n = PQnfields(result) - columns_of(way);
  for (int row = 0; row < PQntuples(result); row++)
    for (int i = 0; i < n; i++)
      rows_add(answer->rows, answer->rows_room, i,
               PQgetisnull(result, row, i) ? NULL : PQgetvalue(result, row, i));
}

enum outcome postgresql_execute_own(struct connection *connection,
                                    const char *text,
                                    const struct sql_outline *outline,
                                    const struct instrument_way *way,
                                    struct instrument_answer *answer) {
  struct postgresql_session *session = postgresql_session_of(connection);
  const struct postgresql_instrument *own =
      postgresql_of(connection->target)->own;
  instrument_answer_clear(answer);
  session->notes = answer;
  char *sent = way->adds
                   ? compose_own(text, outline, way,
                                 way->gathers ? OWN_GATHERED : OWN_PLAIN, NULL)
                   : NULL;
  PQsendQuery(session->pg, sent ? sent : text);
  PGresult *result = postgresql_answer(session);
  free(sent);
  if (!result || !postgresql_succeeded(result))
    return postgresql_failed(session, result, false);
  answer->affected = strtoull(PQcmdTuples(result), NULL, 10);
  answer->returned = (uint64_t)PQntuples(result);
  see_rows(own, result, way, answer);
  keep_rows(result, way, answer);
  if (answer->rows)
    put_all_rows(result, way, answer);
  PQclear(result);
  return OUTCOME_OK;
}

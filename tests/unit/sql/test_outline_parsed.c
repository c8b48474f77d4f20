// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines (sql/outline.h) against PostgreSQL's own parser, as libpg_query has
// it.  An outline may know less than the parser, and nothing else.  Statements
// are random ones of a grammar that has what misleads: words of SQL in texts,
// comments and inner queries.  ISOSTRESS_LONG=1 tries many more.
#include "config.h"

#include "sql/outline.h"

#include "base/json_read.h"
#include "tests/tap.h"

#include <gsl/gsl_rng.h>
#include <pg_query.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- Random statements

struct drawing {
  FILE *out;
  gsl_rng *draw;
};

static unsigned draw_below(struct drawing *d, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(d->draw, n);
}

// One of the texts, the last of which is NULL; a "%" in it is replaced by
// another draw: "%e" an expression, "%c" a condition, "%t" a table, "%q" a
// query.
static void put_drawn(struct drawing *d, const char *const *texts,
                      unsigned depth);

static const char *const expressions[] = {
    "a",
    "x.b",
    "12",
    "-1.5e3",
    "'from where'",
    "$$ limit $$",
    "\"order\"",
    "E'\\' or'",
    "now()",
    "coalesce(%e, %e)",
    "(%e + %e)",
    "(SELECT %e FROM %t WHERE %c LIMIT 1)",
    "extract(year FROM a)",
    "substring(b FROM 2 FOR 3)",
    "(a IS DISTINCT FROM b)",
    "count(*) FILTER (WHERE %c)",
    "sum(%e) OVER (ORDER BY a)",
    "CASE WHEN %c THEN %e ELSE %e END",
    "a /* from t, u -- */",
    "b::text",
    NULL};
static const char *const conditions[] = {"a = %e",
                                         "%e < %e",
                                         "x.b IS NOT NULL",
                                         "a BETWEEN %e AND %e",
                                         "a IN (1, 2)",
                                         "a IN (%q)",
                                         "EXISTS (%q)",
                                         "(%c OR %c)",
                                         "%c AND %c",
                                         "NOT %c",
                                         "true",
                                         "b LIKE 'group by%'",
                                         NULL};
static const char *const tables[] = {"t",
                                     "t x",
                                     "t AS x",
                                     "shop.t x",
                                     "\"Limit\" x",
                                     "ONLY t",
                                     "t x, u",
                                     "t x JOIN u USING (a)",
                                     "t LEFT JOIN u y ON %c",
                                     "t x CROSS JOIN LATERAL (%q) z",
                                     "(%q) x",
                                     "generate_series(1, 3) x",
                                     "t x NATURAL JOIN (u y JOIN v ON %c)",
                                     "t TABLESAMPLE system (10)",
                                     NULL};
static const char *const queries[] = {
    "SELECT %e FROM %t WHERE %c", "SELECT %e, %e AS c FROM %t",
    "SELECT a FROM t UNION SELECT b FROM u", NULL};
static const char *const tails[] = {"",
                                    "",
                                    " GROUP BY a",
                                    " GROUP BY a HAVING count(*) > 1",
                                    " ORDER BY %e",
                                    " LIMIT 3",
                                    " ORDER BY a LIMIT 1 OFFSET 2",
                                    " FETCH FIRST 1 ROW ONLY",
                                    " FOR UPDATE",
                                    " FOR SHARE SKIP LOCKED",
                                    " FOR UPDATE OF t",
                                    " WINDOW w AS (ORDER BY a)",
                                    " UNION ALL SELECT 1",
                                    " -- where a = 1\n",
                                    NULL};
static const char *const wheres[] = {"", " WHERE %c", " WHERE %c",
                                     "\n  where /* x */ %c", NULL};
static const char *const statements[] = {
    "SELECT %e FROM %t%w%z",
    "SELECT %e, %e FROM %t%w%z",
    "SELECT * FROM t x%w%z",
    "SELECT DISTINCT %e FROM %t%w",
    "select count(*) from t where %c",
    "SELECT %e",
    "UPDATE t SET a = %e%w",
    "UPDATE t AS x SET a = %e, b = (%q)%w RETURNING a",
    "UPDATE ONLY t SET a = %e%w",
    "UPDATE t SET a = %e FROM u%w",
    "DELETE FROM t x%w",
    "DELETE FROM t USING u%w RETURNING *",
    "INSERT INTO t (a, b) VALUES (%e, %e)",
    "INSERT INTO t %q ON CONFLICT DO NOTHING",
    "WITH w AS (%q) SELECT * FROM w%w",
    "WITH w AS (%q) UPDATE t SET a = 1 FROM w%w",
    "VALUES (%e)",
    "(%q)",
    NULL};

static const struct {
  char letter;
  const char *const *texts;
} nonterminals[] = {{'e', expressions}, {'c', conditions}, {'t', tables},
                    {'q', queries},     {'z', tails},      {'w', wheres}};

static void put_nonterminal(struct drawing *d, char letter, unsigned depth) {
  for (size_t i = 0; i < sizeof nonterminals / sizeof *nonterminals; i++)
    if (nonterminals[i].letter == letter)
      put_drawn(d, nonterminals[i].texts, depth);
}

static void put_drawn(struct drawing *d, const char *const *texts,
                      unsigned depth) {
  unsigned n = 0;
  while (texts[n])
    n++;
  // The first ones have no inner parts.
  const char *text = texts[draw_below(d, depth ? n : n < 3 ? n : 3)];
  for (; *text; text++)
    if (*text == '%' && text[1] >= 'a' && text[1] <= 'z')
      put_nonterminal(d, *++text, depth ? depth - 1 : 0);
    else
      putc(*text, d->out);
}

// ---- What the parser says

// The only member of the statement, as "SelectStmt".
static const struct json_value *statement_of(struct arena *arena,
                                             const char *text) {
  struct error error;
  const PgQueryParseResult result = pg_query_parse(text);
  const struct json_value *tree = NULL;
  if (!result.error)
    tree = json_read(arena, arena_strdup(arena, result.parse_tree),
                     strlen(result.parse_tree), &error);
  pg_query_free_parse_result(result);
  const struct json_value *statement =
      json_member(json_first(tree, "stmts"), "stmt");
  return statement ? statement->first : NULL;
}

// Prints a tree without the places of its parts.
static void put_tree(FILE *out, const struct json_value *v) {
  if (!v || (v->name && strstr(v->name, "location")))
    return;
  fprintf(out, "%s:%s", v->name ? v->name : "", v->text ? v->text : "");
  if (v->type != JSON_ARRAY && v->type != JSON_OBJECT)
    return;
  putc('{', out);
  for (const struct json_value *child = v->first; child; child = child->next) {
    put_tree(out, child);
    putc(' ', out);
  }
  putc('}', out);
}

static char *text_of_tree(const struct json_value *v) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put_tree(out, v);
  fclose(out);
  return text;
}

// The tables of FROM itself, with their aliases, through joins.
static void put_ranges(FILE *out, const struct json_value *item) {
  const struct json_value *range = json_member(item, "RangeVar"),
                          *join = json_member(item, "JoinExpr"),
                          *sample = json_member(item, "RangeTableSample");
  if (range)
    fprintf(out, "%s %s, ", json_text(range, "relname", ""),
            json_text(json_member(range, "alias"), "aliasname",
                      json_text(range, "relname", "")));
  if (sample)
    put_ranges(out, json_member(sample, "relation"));
  if (join) {
    put_ranges(out, json_member(join, "larg"));
    put_ranges(out, json_member(join, "rarg"));
  }
}

static char *ranges_of_parser(const struct json_value *statement) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (const struct json_value *i = json_first(statement, "fromClause"); i;
       i = i->next)
    put_ranges(out, i);
  fclose(out);
  return text;
}

// Without the quotes of a name.
static void put_name(FILE *out, const char *text, struct sql_place place) {
  const bool quoted = text[place.begin] == '"';
  fprintf(out, "%.*s", (int)(place.end - place.begin - 2 * quoted),
          text + place.begin + quoted);
}

static char *ranges_of_outline(const struct sql_outline *o, const char *text) {
  char *ranges;
  size_t bytes;
  FILE *out = text_stream(&ranges, &bytes);
  for (uint32_t i = 0; i < o->ntables; i++) {
    put_name(out, text, o->tables[i].name);
    putc(' ', out);
    put_name(out, text, o->tables[i].alias);
    fputs(", ", out);
  }
  fclose(out);
  return ranges;
}

// ---- Both

static bool says_verb(const char *parsed, enum sql_verb verb) {
  static const char *const names[] = {[SQL_VERB_SELECT] = "SelectStmt",
                                      [SQL_VERB_INSERT] = "InsertStmt",
                                      [SQL_VERB_UPDATE] = "UpdateStmt",
                                      [SQL_VERB_DELETE] = "DeleteStmt"};
  return verb >= SQL_VERB_OTHER || !strcmp(parsed, names[verb]);
}

// Members of a statement that brings some rows in, or leaves some out.
static bool takes_all_rows(const struct json_value *s) {
  static const char *const none[] = {
      "distinctClause", "havingClause", "limitCount",  "limitOffset",
      "withClause",     "usingClause",  "windowClause"};
  bool all = json_count(s, "fromClause") <= 1;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    all &= !json_member(s, none[i]);
  return all && !strcmp(json_text(s, "op", "SETOP_NONE"), "SETOP_NONE") &&
         (strcmp(s->name, "UpdateStmt") || !json_member(s, "fromClause"));
}

// Is the one table named with its heirs?
static bool names_one_table(const struct json_value *s) {
  const struct json_value *range =
      !strcmp(s->name, "SelectStmt")
          ? json_member(json_first(s, "fromClause"), "RangeVar")
          : json_member(s, "relation");
  return json_is_true(range, "inh");
}

// Is the text between the places the condition of the statement?
static bool says_where(struct arena *arena, const struct json_value *s,
                       const struct sql_outline *o, const char *text) {
  const struct json_value *where = json_member(s, "whereClause");
  if (o->where.begin == o->where.end || !where)
    return o->where.begin == o->where.end && !where;
  const struct json_value *alone =
      statement_of(arena, arena_printf(arena, "SELECT WHERE %.*s",
                                       (int)(o->where.end - o->where.begin),
                                       text + o->where.begin));
  char *one = text_of_tree(where),
       *other = text_of_tree(json_member(alone, "whereClause"));
  const bool same = !strcmp(one, other);
  free(one);
  free(other);
  return same;
}

// Are all the tables of the outline tables of the parser, in their order?
static bool are_among(const char *ours, const char *parsed) {
  while (*ours) {
    const size_t n = (size_t)(strstr(ours, ", ") - ours) + 2;
    while (*parsed && strncmp(parsed, ours, n) != 0)
      parsed = strstr(parsed, ", ") + 2;
    if (!*parsed)
      return false;
    ours += n;
    parsed += n;
  }
  return true;
}

struct agreed {
  unsigned parsed, with_tables, whole;
};

static void check_outline(const char *text, struct agreed *agreed) {
  struct arena arena = {0};
  struct sql_tokens tokens = {0};
  struct sql_outline o;
  const struct json_value *s = statement_of(&arena, text);
  if (s && CHECK(sql_tokens_read(&tokens, text))) {
    sql_outline_read(&o, &tokens);
    bool fits = says_verb(s->name, o.verb);
    char *parsed = ranges_of_parser(s), *ours = ranges_of_outline(&o, text);
    if (o.verb == SQL_VERB_SELECT && !o.why) {
      fits &= are_among(ours, parsed);
      agreed->with_tables++;
    }
    if (o.verb == SQL_VERB_SELECT && json_member(s, "lockingClause"))
      fits &= o.locks || o.why;
    if (o.whole) {
      fits &= takes_all_rows(s) && names_one_table(s) &&
              says_where(&arena, s, &o, text);
      agreed->whole++;
    }
    if (!CHECK(fits))
      printf("# %s\n# tables %s parsed %s\n", text, ours, parsed);
    agreed->parsed++;
    free(parsed);
    free(ours);
  }
  sql_tokens_free(&tokens);
  arena_free(&arena);
}

static void random_outlines_agree(void) {
  const int n = getenv("ISOSTRESS_LONG") ? 100000 : 2000;
  struct drawing d = {.draw = gsl_rng_alloc(gsl_rng_mt19937)};
  struct agreed agreed = {0};
  for (int i = 0; i < n; i++) {
    char *text;
    size_t bytes;
    d.out = text_stream(&text, &bytes);
    put_drawn(&d, statements, 3);
    fclose(d.out);
    check_outline(text, &agreed);
    free(text);
  }
  printf("# of %d statements %u parsed, %u with tables, %u whole\n", n,
         agreed.parsed, agreed.with_tables, agreed.whole);
  CHECK(agreed.parsed > (unsigned)n / 2 &&
        agreed.with_tables > (unsigned)n / 9);
  CHECK(agreed.whole > (unsigned)n / 20);
  gsl_rng_free(d.draw);
}

int main(void) {
  return TAP_RUN({"random outlines agree with PostgreSQL's parser",
                  random_outlines_agree});
}

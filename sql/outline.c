// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the outline of a statement (sql/outline.h).
#include "config.h"

#include "sql/outline.h"

#include <stddef.h>

static bool is_one_of_words(const struct sql_tokens *t, uint32_t i,
                            const char *const *words) {
  for (; *words; words++)
    if (sql_token_is(t, i, *words))
      return true;
  return false;
}

// The first token from `i` on that is outermost and the word; t->n: none.
static uint32_t find_outermost(const struct sql_tokens *t, uint32_t i,
                               const char *word) {
  while (i < t->n && (t->all[i].depth || !sql_token_is(t, i, word)))
    i++;
  return i;
}

static struct sql_place place_of_token(const struct sql_tokens *t, uint32_t i) {
  return (struct sql_place){t->all[i].begin, t->all[i].end};
}

// ---- Verbs

// Every statement that changes rows unseen, or what the run rests on.
static const struct sql_refusal refusals[] = {
    {"truncate", NULL, "TRUNCATE changes rows that no trigger sees"},
    {"copy", NULL, "COPY needs a client that sends or takes its data"},
    {"create", NULL, "a script cannot change the schema while it runs"},
    {"alter", NULL, "a script cannot change the schema while it runs"},
    {"drop", NULL, "a script cannot change the schema while it runs"},
    {"comment", NULL, "a script cannot change the schema while it runs"},
    {"grant", NULL, "a script cannot change the schema while it runs"},
    {"revoke", NULL, "a script cannot change the schema while it runs"},
    {"vacuum", NULL, "VACUUM may move rows and runs in no transaction"},
    {"cluster", NULL, "CLUSTER moves rows"},
    {"reindex", NULL, "a script cannot change the schema while it runs"},
    {"prepare", "transaction", "a run has no second phase of a commit"},
    {"commit", "prepared", "a run has no second phase of a commit"},
    {"rollback", "prepared", "a run has no second phase of a commit"},
    {"discard", NULL, "DISCARD undoes what a session rests on"},
    {"reset", NULL, "RESET undoes what a session rests on"},
    {"set", "transaction", "--isolation says the level, not the script"},
    {"set", "session", "a script cannot change its session: write SET LOCAL"},
    {"set", "role", "a script cannot change its session: write SET LOCAL"},
    {"set", "search_path", "the run has a schema of its own"},
    {"set", "session_replication_role", "it switches triggers off"},
    {0},
};

static const struct {
  const char *word;
  enum sql_verb verb;
} verbs[] = {
    {"select", SQL_VERB_SELECT},   {"insert", SQL_VERB_INSERT},
    {"update", SQL_VERB_UPDATE},   {"delete", SQL_VERB_DELETE},
    {"replace", SQL_VERB_INSERT},  {"begin", SQL_VERB_BEGIN},
    {"start", SQL_VERB_BEGIN},     {"commit", SQL_VERB_COMMIT},
    {"end", SQL_VERB_COMMIT},      {"rollback", SQL_VERB_ROLLBACK},
    {"abort", SQL_VERB_ROLLBACK},  {"savepoint", SQL_VERB_SAVEPOINT},
    {"release", SQL_VERB_RELEASE},
};

static void refuse_outline(struct sql_outline *o, const char *why) {
  o->verb = SQL_VERB_REFUSED;
  o->why = why;
}

static bool find_refusal(struct sql_outline *o, const struct sql_tokens *t) {
  // SET LOCAL may change what SET may not, but for what the run rests on.
  const uint32_t second = 1 + sql_token_is(t, 1, "local");
  const struct sql_refusal *const lists[] = {refusals, t->dialect->refusals};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (const struct sql_refusal *r = lists[i]; r->first; r++)
      if (sql_token_is(t, 0, r->first) &&
          (!r->second || sql_token_is(t, second, r->second))) {
        refuse_outline(o, r->why);
        return true;
      }
  for (uint32_t i = 0; i + 1 < t->n; i++)
    if (sql_token_is(t, i, "public") && sql_token_is(t, i + 1, ".")) {
      refuse_outline(o,
                     "the run has a schema of its own: leave \"public.\" away");
      return true;
    }
  return false;
}

// The run sends a BEGIN of its own.
static bool begins_plainly(const struct sql_tokens *t) {
  static const char *const plain[] = {"work", "transaction", NULL};
  return t->n == 1 || (t->n == 2 && is_one_of_words(t, 1, plain));
}

static void read_boundary(struct sql_outline *o, const struct sql_tokens *t) {
  const uint32_t to = find_outermost(t, 0, "to");
  if (o->verb == SQL_VERB_ROLLBACK && to + 1 < t->n)
    o->verb = SQL_VERB_ROLLBACK_TO;
  else if (o->verb == SQL_VERB_BEGIN && sql_token_is(t, 1, "immediate"))
    refuse_outline(o, "the run begins each transaction itself: write BEGIN "
                      "alone, and ?begin=immediate behind the target");
  else if (o->verb == SQL_VERB_BEGIN && !begins_plainly(t))
    refuse_outline(o, "the run begins each transaction itself, at the level of "
                      "--isolation: write BEGIN alone");
  else if (o->verb <= SQL_VERB_ROLLBACK && find_outermost(t, 0, "chain") < t->n)
    refuse_outline(o, "the run begins each transaction itself: write BEGIN "
                      "behind it in place of CHAIN");
  if (o->verb > SQL_VERB_ROLLBACK && o->verb < SQL_VERB_REFUSED)
    o->name = place_of_token(t, t->n - 1);
}

// ---- FROM

static const char *const ends_of_from[] = {
    "where", "group", "having", "window",    "order",  "limit", "offset",
    "fetch", "for",   "union",  "intersect", "except", "lock",  NULL};
static const char *const joins[] = {
    "join", "left",  "right", "inner", "cross",       "full", "natural",
    "on",   "using", ",",     "as",    "tablesample", NULL};
static const char *const no_names[] = {"only", "lateral", NULL};

static bool is_sql_name(const struct sql_tokens *t, uint32_t i) {
  return i < t->n &&
         (t->all[i].kind == SQL_TOKEN_WORD || t->all[i].kind == SQL_TOKEN_NAME);
}

// [schema.]name [[AS] alias], from token i on; returns the token behind it.  A
// function, which a bracket follows, is no table.
static uint32_t read_reference(struct sql_outline *o,
                               const struct sql_tokens *t, uint32_t i,
                               uint32_t end) {
  while (sql_token_is(t, i + 1, ".") && is_sql_name(t, i + 2))
    i += 2;
  struct sql_table_reference reference = {place_of_token(t, i),
                                          place_of_token(t, i)};
  const bool function = sql_token_is(t, i + 1, "(");
  i++;
  if (i < end && sql_token_is(t, i, "as"))
    i++;
  if (i < end && is_sql_name(t, i) && !t->all[i].depth &&
      !is_one_of_words(t, i, joins) &&
      !is_one_of_words(t, i, t->dialect->no_aliases))
    reference.alias = place_of_token(t, i++);
  if (function || o->ntables == SQL_REFERENCES_MOST)
    return i;
  o->tables[o->ntables++] = reference;
  return i;
}

static void read_references(struct sql_outline *o, const struct sql_tokens *t,
                            uint32_t i, uint32_t end) {
  bool expected = true;
  while (i < end) {
    const bool outermost = !t->all[i].depth;
    if (outermost && expected && is_sql_name(t, i) &&
        !is_one_of_words(t, i, no_names)) {
      i = read_reference(o, t, i, end);
      expected = false;
      continue;
    }
    if (outermost && expected && sql_token_is(t, i, "("))
      expected = false; // a derived table
    if (outermost && (sql_token_is(t, i, ",") || sql_token_is(t, i, "join") ||
                      sql_token_is(t, i, "straight_join")))
      expected = true;
    i++;
  }
}

// The FROM of the list, not that of IS DISTINCT FROM.
static uint32_t find_from(const struct sql_tokens *t) {
  uint32_t i = find_outermost(t, 0, "from");
  while (i < t->n && i && sql_token_is(t, i - 1, "distinct"))
    i = find_outermost(t, i + 1, "from");
  return i;
}

static uint32_t find_end_of_from(const struct sql_tokens *t, uint32_t from) {
  uint32_t i = from + 1;
  while (i < t->n && (t->all[i].depth || !is_one_of_words(t, i, ends_of_from)))
    i++;
  return i;
}

// ---- SELECT

static const char *find_set_operator(const struct sql_tokens *t) {
  static const struct {
    const char *word, *why;
  } operators[] = {
      {"union", "UNION"}, {"intersect", "INTERSECT"}, {"except", "EXCEPT"}};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (find_outermost(t, 0, operators[i].word) < t->n)
      return operators[i].why;
  return NULL;
}

// Locks that leave the order open in which rows of several tables were read: at
// READ COMMITTED a row that is locked is as it was committed last, while one of
// another table may be older.
static const char *find_odd_lock(const struct sql_tokens *t, uint32_t lock) {
  bool key = false, of = false;
  for (uint32_t i = lock; i < t->n; i++) {
    key |= sql_token_is(t, i, "key") && sql_token_is(t, i + 1, "share");
    of |= sql_token_is(t, i, "of");
  }
  return key ? "FOR KEY SHARE" : of ? "FOR UPDATE OF" : NULL;
}

// The FOR of FOR UPDATE, or LOCK IN SHARE MODE, behind FROM; t->n: there is
// none.
static uint32_t find_lock(const struct sql_tokens *t, uint32_t from) {
  static const char *const strengths[] = {"update", "share", "no", "key", NULL};
  uint32_t i = find_outermost(t, from, "for");
  while (i < t->n && !is_one_of_words(t, i + 1, strengths))
    i = find_outermost(t, i + 1, "for");
  return i < t->n ? i : find_outermost(t, from, "lock");
}

static void read_select(struct sql_outline *o, const struct sql_tokens *t) {
  const uint32_t from = find_from(t), into = find_outermost(t, 0, "into");
  const uint32_t lock = find_lock(t, from);
  if (into < t->n) {
    refuse_outline(o, "SELECT INTO makes a table");
    return;
  }
  o->locks = lock < t->n;
  o->why = find_set_operator(t);
  if (!o->why && sql_token_is(t, 1, "distinct"))
    o->why = "DISTINCT";
  if (!o->why && o->locks)
    o->why = find_odd_lock(t, lock);
  if (!o->why && from == t->n)
    o->why = "it reads no table";
  if (o->why)
    return;
  o->at = t->all[from].begin;
  read_references(o, t, from + 1, find_end_of_from(t, from));
  if (!o->ntables)
    o->why = "it reads no table by its name";
}

// ---- All rows, or some of them

// Words that leave some rows of the table out, or bring others in.
static const char *const not_whole[] = {
    "limit",         "offset", "fetch", "having", "skip",   "join",
    "tablesample",   ",",      "with",  "using",  "window", "where",
    "straight_join", NULL};

// Functions that return one value for a row or a group, whatever the user's
// schema calls its own; others may return no row, or several.
static const char *const one_value[] = {
    "count",     "sum",        "min",    "max", "avg", "coalesce",
    "array_agg", "string_agg", "filter", "in",  "and", "or",
    "not",       "as",         ",",      "(",   "+",   "-",
    "*",         "=",          "select", NULL};

static bool calls_only_known(const struct sql_tokens *t, uint32_t first,
                             uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (sql_token_is(t, i, "(") && i > first &&
        !is_one_of_words(t, i - 1, one_value))
      return false;
  return true;
}

static bool has_outermost(const struct sql_tokens *t, uint32_t first,
                          const char *const *words) {
  for (uint32_t i = first; i < t->n; i++)
    if (!t->all[i].depth && is_one_of_words(t, i, words))
      return true;
  return false;
}

// Behind the condition: a list of columns leaves no row out.
static bool ends_whole(const struct sql_tokens *t, uint32_t first) {
  bool whole = true;
  for (uint32_t i = first; i < t->n; i++)
    whole &= t->all[i].depth || sql_token_is(t, i, ",") ||
             !is_one_of_words(t, i, not_whole);
  return whole;
}

static bool is_whole_condition(const struct sql_tokens *t, uint32_t first,
                               uint32_t end) {
  bool whole = end > first && ends_whole(t, first);
  for (uint32_t i = first; i < end; i++)
    whole &= t->all[i].depth || !sql_token_is(t, i, ",");
  return whole;
}

static void read_where(struct sql_outline *o, const struct sql_tokens *t,
                       uint32_t where) {
  static const char *const ends[] = {"group", "order",     "for",
                                     "lock",  "returning", NULL};
  uint32_t end = where + 1;
  while (end < t->n && (t->all[end].depth || !is_one_of_words(t, end, ends)))
    end++;
  if (where < t->n && end > where + 1)
    o->where = (struct sql_place){t->all[where + 1].begin, t->all[end - 1].end};
  o->whole &= where == t->n || is_whole_condition(t, where + 1, end);
}

static void read_whole_select(struct sql_outline *o,
                              const struct sql_tokens *t) {
  const uint32_t from = find_from(t), where = find_outermost(t, from, "where");
  const uint32_t end = find_end_of_from(t, from);
  o->whole = !o->why && o->ntables == 1 && end - from <= 4 &&
             calls_only_known(t, 1, from);
  for (uint32_t i = from + 1; i < end; i++)
    o->whole &= !is_one_of_words(t, i, not_whole) && !sql_token_is(t, i, "(") &&
                !sql_token_is(t, i, "only");
  if (o->whole && where == t->n)
    o->whole = ends_whole(t, end);
  read_where(o, t, where);
}

// UPDATE t [[AS] a] SET ..., DELETE FROM t [[AS] a] ...
static void read_whole_change(struct sql_outline *o,
                              const struct sql_tokens *t) {
  static const char *const others[] = {"from", "using", "only", NULL};
  const bool deletes = o->verb == SQL_VERB_DELETE;
  const uint32_t first = deletes ? 2 : 1;
  const uint32_t where = find_outermost(t, first, "where");
  const uint32_t end = deletes ? where : find_outermost(t, first, "set");
  if (!is_sql_name(t, first))
    return;
  // MySQL changes rows of several tables: UPDATE t JOIN u ... SET.
  const bool alone = read_reference(o, t, first, end) == end || deletes;
  o->whole = alone && o->ntables == 1 && !has_outermost(t, first, others) &&
             !sql_token_is(t, first + 1, "*") &&
             find_outermost(t, first, "current") == t->n;
  read_where(o, t, where);
}

void sql_outline_read(struct sql_outline *o, const struct sql_tokens *t) {
  *o = (struct sql_outline){.verb = SQL_VERB_OTHER};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (sql_token_is(t, 0, verbs[i].word))
      o->verb = verbs[i].verb;
  if (find_refusal(o, t))
    return;
  if (o->verb == SQL_VERB_SELECT) {
    read_select(o, t);
    if (o->verb == SQL_VERB_SELECT && !o->why)
      read_whole_select(o, t);
  } else if (o->verb == SQL_VERB_UPDATE || o->verb == SQL_VERB_DELETE)
    read_whole_change(o, t);
  else if (o->verb > SQL_VERB_OTHER)
    read_boundary(o, t);
  else if (o->verb == SQL_VERB_OTHER)
    o->why = sql_token_is(t, 0, "with")    ? "WITH"
             : sql_token_is(t, 0, "merge") ? NULL
                                           : "it is no query of rows";
}

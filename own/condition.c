// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the condition of a statement (own/condition.h).  NOT is pushed down to
// the comparisons while the text is read: a row satisfies NOT (a AND b) if it
// satisfies NOT a or NOT b, with NULL too, and NOT (x < 3) if x is not NULL and
// not below 3.
#include "config.h"

#include "own/condition.h"

#include <string.h>
#include <strings.h>

struct condition_reading {
  struct condition_tree *tree;
  const struct sql_tokens *t;
  const struct condition_listener *listener;
};

// A part of the tokens, all of which are in `depth` brackets or more.
struct token_span {
  uint32_t first, end, depth;
};

static bool is_at_depth(const struct condition_reading *r, uint32_t i,
                        const struct token_span *span, const char *word) {
  return r->t->all[i].depth == span->depth && sql_token_is(r->t, i, word);
}

// ---- Constants

// Texts that the database reads as the time at hand.
static bool is_moment(const char *text, const struct sql_token *token) {
  static const char *const moments[] = {"now",       "today",   "tomorrow",
                                        "yesterday", "current", "allballs"};
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
    for (uint32_t at = token->begin; at < token->end; at++)
      if (!strncasecmp(text + at, moments[i], strlen(moments[i])))
        return true;
  return false;
}

// "interval 2 day", as MySQL has it: behind a number, where a name would be an
// error.
static bool is_unit(const struct sql_tokens *t, uint32_t first, uint32_t i) {
  static const char *const units[] = {"year", "quarter", "month",  "week",
                                      "day",  "hour",    "minute", "second"};
  bool interval = false, unit = false;
  for (uint32_t k = first; k < i; k++)
    interval |= sql_token_is(t, k, "interval");
  for (size_t u = 0; u < sizeof units / sizeof *units; u++)
    unit |= sql_token_is(t, i, units[u]);
  return interval && unit &&
         (t->all[i - 1].kind == SQL_TOKEN_NUMBER ||
          sql_token_is(t, i - 1, ")"));
}

// A constant has numbers, texts, their types and arithmetic: nothing that
// another moment or another row could make another value of.
static bool is_constant(const struct sql_tokens *t, uint32_t first,
                        uint32_t end) {
  static const char *const words[] = {
      "interval", "timestamp", "timestamptz", "date",    "numeric", "int",
      "integer",  "bigint",    "smallint",    "text",    "uuid",    "boolean",
      "true",     "false",     "decimal",     "varchar", "+",       "-",
      "*",        "/",         "(",           ")",       ":",       "|"};
  bool value = false;
  for (uint32_t i = first; i < end; i++) {
    const enum sql_token_kind kind = t->all[i].kind;
    bool known = kind == SQL_TOKEN_NUMBER ||
                 (kind == SQL_TOKEN_TEXT && !is_moment(t->text, &t->all[i]));
    value |= known || sql_token_is(t, i, "true") || sql_token_is(t, i, "false");
    for (size_t w = 0; w < sizeof words / sizeof *words && !known; w++)
      known = sql_token_is(t, i, words[w]);
    if (t->dialect->bars_are_or && sql_token_is(t, i, "|"))
      return false;
    if (!known && !is_unit(t, first, i))
      return false;
  }
  return value;
}

// The constants of a list are taken if they are all numbers or all texts: a
// database may compare a mixed list by another type than each of its members.
static enum sql_token_kind kind_of_member(const struct sql_tokens *t,
                                          uint32_t first, uint32_t end) {
  const uint32_t at = first + (sql_token_is(t, first, "-") && end - first == 2);
  return end - at == 1 ? (enum sql_token_kind)t->all[at].kind : SQL_TOKEN_SIGN;
}

// ---- Nodes

static bool add_condition_node(struct condition_reading *r,
                               struct condition_node node) {
  if (r->tree->n == CONDITION_NODES)
    return false;
  r->tree->all[r->tree->n++] = node;
  return true;
}

// Joins the last node with the one at `before`; UINT32_MAX: it is the first.
static bool join_nodes(struct condition_reading *r, enum condition_kind kind,
                       uint32_t before) {
  return before == UINT32_MAX ||
         add_condition_node(
             r, (struct condition_node){.kind = (uint8_t)kind,
                                        .first = (uint8_t)before,
                                        .second = (uint8_t)(r->tree->n - 1)});
}

static bool add_compared(struct condition_reading *r, uint32_t column,
                         const char *sign, uint32_t first, uint32_t end,
                         bool negated) {
  const struct sql_tokens *t = r->t;
  if (!sign || !is_constant(t, first, end))
    return false;
  const uint32_t comparison = r->listener->comparison(
      r->listener->context, column, sign, t->text + t->all[first].begin,
      t->all[end - 1].end - t->all[first].begin);
  return comparison != UINT32_MAX &&
         add_condition_node(r,
                            (struct condition_node){.kind = CONDITION_COMPARES,
                                                    .negated = negated,
                                                    .column = column,
                                                    .comparison = comparison});
}

// ---- Comparisons

// The sign that begins at token i, and how many tokens it has.
static const char *take_sign(const struct sql_tokens *t, uint32_t i,
                             uint32_t *n) {
  static const char *const signs[] = {"<=", ">=", "<>", "!=", "<", ">", "="};
  for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
    *n = (uint32_t)strlen(signs[s]);
    const bool same = i + *n <= t->n &&
                      t->all[i + *n - 1].end - t->all[i].begin == *n &&
                      !strncmp(t->text + t->all[i].begin, signs[s], *n);
    if (same)
      return !strcmp(signs[s], "!=") ? "<>" : signs[s];
  }
  return NULL;
}

// "x", "a.x": the token of the name; UINT32_MAX: no name ends at `end`, or more
// stands before it.
static uint32_t name_of_column(const struct sql_tokens *t, uint32_t first,
                               uint32_t end) {
  if (end == first + 3 && sql_token_is(t, first + 1, "."))
    return first + 2;
  return end == first + 1 ? first : UINT32_MAX;
}

static uint32_t column_between(const struct condition_reading *r,
                               uint32_t first, uint32_t end) {
  const uint32_t name = name_of_column(r->t, first, end);
  return name == UINT32_MAX
             ? UINT32_MAX
             : r->listener->column(r->listener->context, r->t, name);
}

// "x IN (1, 2)", the list of which has the tokens of the span.
static bool read_list(struct condition_reading *r, uint32_t column,
                      const struct token_span *list, bool negated) {
  const enum condition_kind kind = negated ? CONDITION_AND : CONDITION_OR;
  uint32_t first = list->first, before = UINT32_MAX;
  enum sql_token_kind member = SQL_TOKEN_SIGN;
  for (uint32_t i = first; i <= list->end; i++) {
    if (i < list->end && !is_at_depth(r, i, list, ","))
      continue;
    const enum sql_token_kind one = kind_of_member(r->t, first, i);
    if (one == SQL_TOKEN_SIGN || (before != UINT32_MAX && one != member) ||
        !add_compared(r, column, "=", first, i, negated) ||
        !join_nodes(r, kind, before))
      return false;
    member = one;
    before = r->tree->n - 1;
    first = i + 1;
  }
  return true;
}

// "x BETWEEN 1 AND 3", from the token behind BETWEEN on.
static bool read_between(struct condition_reading *r, uint32_t column,
                         const struct token_span *span, bool negated) {
  uint32_t and = span->first;
  while (and < span->end && !is_at_depth(r, and, span, "and"))
    and++;
  if (and+1 >= span->end ||
      kind_of_member(r->t, span->first, and) !=
          kind_of_member(r->t, and+1, span->end) ||
      !add_compared(r, column, ">=", span->first, and, negated))
    return false;
  const uint32_t before = r->tree->n - 1;
  return add_compared(r, column, "<=", and+1, span->end, negated) &&
         join_nodes(r, negated ? CONDITION_OR : CONDITION_AND, before);
}

static bool read_is(struct condition_reading *r, uint32_t column, uint32_t i,
                    uint32_t end, bool negated) {
  const bool not = sql_token_is(r->t, i, "not");
  return i + not +1 == end && sql_token_is(r->t, i + not, "null") &&
         add_condition_node(r,
                            (struct condition_node){.kind = CONDITION_IS_NULL,
                                                    .negated = not != negated,
                                                    .column = column});
}

// Where the name at the front of the span ends: "x", "a.x".
static uint32_t end_of_name(const struct sql_tokens *t,
                            const struct token_span *span) {
  return span->first + 1 < span->end && sql_token_is(t, span->first + 1, ".")
             ? span->first + 3
             : span->first + 1;
}

// A column with a constant behind it, whose sign is told; "3 < x" is "x > 3".
static const char *turned_sign(const char *sign) {
  static const char *const turned[][2] = {
      {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
  for (size_t i = 0; i < sizeof turned / sizeof *turned; i++)
    if (!strcmp(sign, turned[i][0]))
      return turned[i][1];
  return sign;
}

static bool read_turned(struct condition_reading *r,
                        const struct token_span *span, bool negated) {
  const struct sql_tokens *t = r->t;
  uint32_t n;
  for (uint32_t i = span->first + 1; i < span->end; i++) {
    const char *sign =
        t->all[i].depth == span->depth ? take_sign(t, i, &n) : NULL;
    if (!sign)
      continue;
    const uint32_t column = column_between(r, i + n, span->end);
    return column != UINT32_MAX &&
           add_compared(r, column, turned_sign(sign), span->first, i, negated);
  }
  return false;
}

static bool read_comparison(struct condition_reading *r,
                            const struct token_span *span, bool negated) {
  const struct sql_tokens *t = r->t;
  const uint32_t behind = end_of_name(t, span);
  if (behind > span->end)
    return false;
  const uint32_t column = column_between(r, span->first, behind);
  if (column == UINT32_MAX)
    return read_turned(r, span, negated);
  // A column alone is a condition where it is not false.
  if (behind == span->end) {
    const uint32_t comparison =
        r->listener->comparison(r->listener->context, column, "<>", "false", 5);
    return comparison != UINT32_MAX &&
           add_condition_node(
               r, (struct condition_node){.kind = CONDITION_COMPARES,
                                          .negated = negated,
                                          .column = column,
                                          .comparison = comparison});
  }
  if (sql_token_is(t, behind, "is"))
    return read_is(r, column, behind + 1, span->end, negated);
  const bool not = sql_token_is(t, behind, "not");
  const uint32_t verb = behind + not ;
  if (sql_token_is(t, verb, "between"))
    return read_between(r, column,
                        &(struct token_span){verb + 1, span->end, span->depth},
                        negated != not );
  if (sql_token_is(t, verb, "in"))
    return sql_token_is(t, verb + 1, "(") &&
           sql_token_is(t, span->end - 1, ")") && span->end > verb + 3 &&
           read_list(
               r, column,
               &(struct token_span){verb + 2, span->end - 1, span->depth + 1},
               negated != not );
  uint32_t n = 0;
  const char *sign = take_sign(t, behind, &n);
  return add_compared(r, column, sign, behind + n, span->end, negated);
}

// ---- NOT, AND, OR and brackets

static bool read_junction(struct condition_reading *r,
                          const struct token_span *span, bool is_or,
                          bool negated);

// Do the first bracket and the last one of the span belong together?
static bool is_in_brackets(const struct condition_reading *r,
                           const struct token_span *span) {
  if (span->end - span->first < 3 || !sql_token_is(r->t, span->first, "("))
    return false;
  uint32_t i = span->first + 1;
  while (i < span->end && r->t->all[i].depth > span->depth)
    i++;
  return i == span->end - 1;
}

static bool read_unit(struct condition_reading *r,
                      const struct token_span *span, bool negated) {
  struct token_span inner = *span;
  while (inner.first < inner.end && is_at_depth(r, inner.first, span, "not")) {
    negated = !negated;
    inner.first++;
  }
  if (is_in_brackets(r, &inner))
    return read_junction(
        r,
        &(struct token_span){inner.first + 1, inner.end - 1, inner.depth + 1},
        true, negated);
  return inner.first < inner.end && read_comparison(r, &inner, negated);
}

// Units that are joined by OR, each of them by AND; the AND of BETWEEN joins
// none.
static bool read_junction(struct condition_reading *r,
                          const struct token_span *span, bool is_or,
                          bool negated) {
  const enum condition_kind kind =
      is_or != negated ? CONDITION_OR : CONDITION_AND;
  struct token_span unit = *span;
  uint32_t before = UINT32_MAX;
  bool between = false;
  for (uint32_t i = span->first; i <= span->end; i++) {
    if (i < span->end) {
      between |= is_at_depth(r, i, span, "between");
      if (!is_at_depth(r, i, span, is_or ? "or" : "and"))
        continue;
      if (between && !is_or) {
        between = false;
        continue;
      }
    }
    unit.end = i;
    if (!(is_or ? read_junction(r, &unit, false, negated)
                : read_unit(r, &unit, negated)) ||
        !join_nodes(r, kind, before))
      return false;
    before = r->tree->n - 1;
    unit.first = i + 1;
  }
  return true;
}

bool condition_read(struct condition_tree *tree, const struct sql_tokens *t,
                    const struct condition_listener *listener) {
  struct condition_reading r = {tree, t, listener};
  tree->n = 0;
  return !t->n ||
         read_junction(&r, &(struct token_span){.end = t->n}, true, false);
}

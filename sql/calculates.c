// SPDX-License-Identifier: GPL-3.0-or-later
// Finds out what the assignments of a statement are made of
// (sql/calculates.h).
#include "config.h"

#include "sql/calculates.h"

#include <strings.h>

// Behind SET, or behind ON DUPLICATE KEY UPDATE; the number of tokens: there is
// neither.
static uint32_t first_assignment(const struct sql_tokens *t) {
  uint32_t i = 0;
  const bool inserts = sql_token_is(t, 0, "insert");
  while (i < t->n && (t->all[i].depth ||
                      !(sql_token_is(t, i, "set") ||
                        (inserts && i > 1 && sql_token_is(t, i - 1, "key") &&
                         sql_token_is(t, i, "update")))))
    i++;
  return i < t->n ? i + 1 : t->n;
}

static bool ends_assignments(const struct sql_tokens *t, uint32_t i) {
  static const char *const words[] = {"where", "from", "returning", "order",
                                      "limit"};
  bool ends = i >= t->n;
  for (size_t w = 0; w < sizeof words / sizeof *words && !ends; w++)
    ends = !t->all[i].depth && sql_token_is(t, i, words[w]);
  return ends;
}

static bool is_same_name(const struct sql_tokens *t, uint32_t a, uint32_t b) {
  const struct sql_token *one = &t->all[a], *other = &t->all[b];
  const uint32_t one_quote = one->kind == SQL_TOKEN_NAME,
                 other_quote = other->kind == SQL_TOKEN_NAME;
  const uint32_t n = one->end - one->begin - 2 * one_quote;
  return n == other->end - other->begin - 2 * other_quote &&
         !strncasecmp(t->text + one->begin + one_quote,
                      t->text + other->begin + other_quote, n);
}

static bool is_a_name(const struct sql_tokens *t, uint32_t i) {
  return t->all[i].kind == SQL_TOKEN_WORD || t->all[i].kind == SQL_TOKEN_NAME;
}

// Is the name one of the row that the statement finds?  Not ":n", a variable;
// not excluded.n or VALUES(n), which are of the row that was to be inserted.
static bool is_of_found_row(const struct sql_tokens *t, uint32_t i) {
  return is_a_name(t, i) && !sql_token_is(t, i - 1, ":") &&
         !sql_token_is(t, i - 1, "@") &&
         !(sql_token_is(t, i - 1, ".") && sql_token_is(t, i - 2, "excluded")) &&
         !(sql_token_is(t, i - 1, "(") && sql_token_is(t, i - 2, "values"));
}

// A number, a text, a variable, or a SELECT of something else.
static bool is_from_elsewhere(const struct sql_tokens *t, uint32_t i) {
  static const char *const signs[] = {":",    "@",    "$",     "?",
                                      "null", "true", "false", "select"};
  bool is =
      t->all[i].kind == SQL_TOKEN_NUMBER || t->all[i].kind == SQL_TOKEN_TEXT;
  for (size_t s = 0; s < sizeof signs / sizeof *signs && !is; s++)
    is = sql_token_is(t, i, signs[s]);
  return is;
}

// The assignment "column = expression" that ends before `end`: does the column
// stand in its expression?  `harmless` says that nothing from elsewhere does.
static bool names_itself(const struct sql_tokens *t, uint32_t first,
                         uint32_t end, bool *harmless) {
  uint32_t sign = first;
  bool named = false;
  while (sign < end && !sql_token_is(t, sign, "="))
    sign++;
  *harmless = sign > first && sign < end;
  for (uint32_t i = sign + 1; i < end && sign > first; i++) {
    named |= is_of_found_row(t, i) && is_same_name(t, i, sign - 1);
    *harmless &= !is_from_elsewhere(t, i);
  }
  return named;
}

bool sql_calculates(const struct sql_tokens *t) {
  bool calculates = false, harmless = true;
  uint32_t first = first_assignment(t);
  for (uint32_t i = first; first < t->n; i++) {
    const bool ends = ends_assignments(t, i);
    if (!ends && (t->all[i].depth || !sql_token_is(t, i, ",")))
      continue;
    const bool named = names_itself(t, first, i, &harmless);
    if (!named && !harmless)
      return false;
    calculates |= named;
    if (ends)
      break;
    first = i + 1;
  }
  return calculates;
}

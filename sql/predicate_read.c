// SPDX-License-Identifier: GPL-3.0-or-later
// Reads predicates (sql/predicate.h) by recursive descent.
#include "config.h"

#include "sql/predicate.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct predicate_reading {
  struct predicate *p;
  const char *text, *at; // the whole, and what is left of it
  const struct predicate_columns *columns;
  uint32_t depth; // of brackets and NOT
  struct error *error;
};

static int expected(struct predicate_reading *r, const char *what) {
  return error_set_usage(r->error, "character %zu of \"%.200s\": expected %s",
                         (size_t)(r->at - r->text) + 1, r->text, what);
}

static void skip_predicate_blanks(struct predicate_reading *r) {
  while (isspace((unsigned char)*r->at))
    r->at++;
}

// The length of the word at `at`.
static size_t predicate_word_length(const struct predicate_reading *r) {
  size_t n = 0;
  if (isalpha((unsigned char)*r->at) || *r->at == '_')
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
      n++;
  return n;
}

// Goes past the sign, if it is there.
static bool takes_sign(struct predicate_reading *r, const char *sign) {
  skip_predicate_blanks(r);
  if (strncmp(r->at, sign, strlen(sign)) != 0)
    return false;
  r->at += strlen(sign);
  return true;
}

static bool takes_word(struct predicate_reading *r, const char *word) {
  skip_predicate_blanks(r);
  const size_t n = predicate_word_length(r);
  if (n != strlen(word) || strncasecmp(r->at, word, n) != 0)
    return false;
  r->at += n;
  return true;
}

static int refuse_predicate_length(struct predicate_reading *r) {
  return error_set_usage(
      r->error, "\"%.200s\" is too long: a predicate has at most %d parts",
      r->text, PREDICATE_NODES);
}

static int add_predicate_node(struct predicate_reading *r,
                              struct predicate_node node) {
  return predicate_add(r->p, node) ? 0 : refuse_predicate_length(r);
}

static uint8_t newest_node(const struct predicate_reading *r) {
  return (uint8_t)(r->p->nnodes - 1);
}

static int read_integer(struct predicate_reading *r, int64_t *number) {
  skip_predicate_blanks(r);
  char *end;
  errno = 0;
  const long long read = strtoll(r->at, &end, 10);
  if (end == r->at || errno)
    return expected(r, "an integer of 64 bits");
  r->at = end;
  *number = read;
  return 0;
}

static int read_predicate_value(struct predicate_reading *r,
                                struct predicate_value *value) {
  *value = (struct predicate_value){.parameter = takes_sign(r, "$")};
  if (read_integer(r, &value->number))
    return -1;
  if (!value->parameter)
    return 0;
  if (value->number < 1 || value->number > PREDICATE_PARAMETERS)
    return expected(r, "a parameter from $1 to $16 before this");
  if (r->p->nparameters < value->number)
    r->p->nparameters = (uint32_t)value->number;
  value->number--;
  return 0;
}

static int read_predicate_column(struct predicate_reading *r, uint8_t *column) {
  skip_predicate_blanks(r);
  const size_t n = predicate_word_length(r);
  const struct predicate_columns *c = r->columns;
  for (uint32_t i = 0; n && i <= c->count; i++) {
    const char *name = i < c->count ? c->names[i] : c->key;
    if (strlen(name) == n && strncasecmp(name, r->at, n) == 0) {
      *column = i < c->count ? (uint8_t)i : PREDICATE_KEY;
      r->at += n;
      return 0;
    }
  }
  if (!n)
    return expected(r, "a column");
  return error_set_usage(
      r->error, "character %zu of \"%.200s\": there is no column \"%.*s\"",
      (size_t)(r->at - r->text) + 1, r->text, (int)n, r->at);
}

static int read_predicate_list(struct predicate_reading *r,
                               struct predicate_node node) {
  struct predicate *p = r->p;
  node.first = (uint8_t)p->nvalues;
  if (!takes_sign(r, "("))
    return expected(r, "\"(\"");
  do {
    struct predicate_value value;
    if (read_predicate_value(r, &value))
      return -1;
    if (p->nnodes + p->nvalues >= PREDICATE_NODES)
      return refuse_predicate_length(r);
    p->values[p->nvalues++] = value;
  } while (takes_sign(r, ","));
  if (!takes_sign(r, ")"))
    return expected(r, "\",\" or \")\"");
  node.op = PREDICATE_IN;
  node.end = (uint8_t)p->nvalues;
  return add_predicate_node(r, node);
}

static int read_between(struct predicate_reading *r,
                        struct predicate_node node) {
  node.op = PREDICATE_AT_LEAST;
  if (read_predicate_value(r, &node.right) || add_predicate_node(r, node))
    return -1;
  const uint8_t low = newest_node(r);
  if (!takes_word(r, "AND"))
    return expected(r, "AND");
  node.op = PREDICATE_AT_MOST;
  if (read_predicate_value(r, &node.right) || add_predicate_node(r, node))
    return -1;
  return add_predicate_node(r, (struct predicate_node){.op = PREDICATE_AND,
                                                       .first = low,
                                                       .end = newest_node(r)});
}

static int read_remainder(struct predicate_reading *r,
                          struct predicate_node node) {
  node.op = PREDICATE_REMAINDER;
  if (read_integer(r, &node.modulus))
    return -1;
  if (node.modulus < 1)
    return expected(r, "a positive integer before this");
  if (!takes_sign(r, "="))
    return expected(r, "\"=\"");
  return read_predicate_value(r, &node.right) ? -1
                                              : add_predicate_node(r, node);
}

static int read_predicate_comparison(struct predicate_reading *r) {
  static const struct {
    const char *sign;
    uint8_t op;
  } signs[] = {{"<>", PREDICATE_UNEQUAL}, {"!=", PREDICATE_UNEQUAL},
               {"<=", PREDICATE_AT_MOST}, {">=", PREDICATE_AT_LEAST},
               {"=", PREDICATE_EQUAL},    {"<", PREDICATE_LESS},
               {">", PREDICATE_GREATER}};
  struct predicate_node node = {0};
  if (read_predicate_column(r, &node.column))
    return -1;
  if (takes_sign(r, "%"))
    return read_remainder(r, node);
  if (takes_word(r, "IN"))
    return read_predicate_list(r, node);
  if (takes_word(r, "BETWEEN"))
    return read_between(r, node);
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (takes_sign(r, signs[i].sign)) {
      node.op = signs[i].op;
      return read_predicate_value(r, &node.right) ? -1
                                                  : add_predicate_node(r, node);
    }
  return expected(r, "a comparison, %, IN or BETWEEN");
}

static int read_or(struct predicate_reading *r);

static int read_bracket(struct predicate_reading *r) {
  if (read_or(r))
    return -1;
  return takes_sign(r, ")") ? 0 : expected(r, "AND, OR or \")\"");
}

static int read_not(struct predicate_reading *r) {
  if (++r->depth > PREDICATE_NODES)
    return expected(r, "fewer brackets");
  int result;
  if (takes_word(r, "NOT"))
    result = read_not(r) ? -1
                         : add_predicate_node(r, (struct predicate_node){
                                                     .op = PREDICATE_NOT,
                                                     .first = newest_node(r)});
  else if (takes_sign(r, "("))
    result = read_bracket(r);
  else if (takes_word(r, "TRUE"))
    result =
        add_predicate_node(r, (struct predicate_node){.op = PREDICATE_TRUE});
  else
    result = read_predicate_comparison(r);
  r->depth--;
  return result;
}

// Reads one or more operands with `read`, joined by the word or the sign.
static int read_joined(struct predicate_reading *r,
                       int (*read)(struct predicate_reading *),
                       const char *word, const char *sign,
                       enum predicate_op op) {
  if (read(r))
    return -1;
  while (takes_word(r, word) || takes_sign(r, sign)) {
    const uint8_t first = newest_node(r);
    if (read(r) || add_predicate_node(
                       r, (struct predicate_node){
                              .op = op, .first = first, .end = newest_node(r)}))
      return -1;
  }
  return 0;
}

static int read_and(struct predicate_reading *r) {
  return read_joined(r, read_not, "AND", "&", PREDICATE_AND);
}

static int read_or(struct predicate_reading *r) {
  return read_joined(r, read_and, "OR", "|", PREDICATE_OR);
}

int predicate_read(struct predicate *p, const char *text,
                   const struct predicate_columns *columns,
                   struct error *error) {
  assert(columns->count <= PREDICATE_COLUMNS);
  *p = (struct predicate){0};
  struct predicate_reading r = {p, text, text, columns, 0, error};
  if (read_or(&r))
    return -1;
  skip_predicate_blanks(&r);
  return *r.at ? expected(&r, "AND, OR or the end") : 0;
}

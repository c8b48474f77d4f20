// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the expressions of a program, by precedence climbing
// (explore/parsing.h).
#include "config.h"

#include "explore/parsing.h"

#include "base/nearest.h"
#include "explore/interpret.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 24, LIST_ELEMENTS_MAX = 32 };

struct operator{
  const char *text;
  int precedence;
  enum opcode op;
};

static const struct operator operators[] = {
    {"or", 1, DO_OR},      {"and", 2, DO_AND},
    {"==", 3, DO_EQUAL},   {"!=", 3, DO_UNEQUAL},
    {"<", 3, DO_LESS},     {"<=", 3, DO_LESS_EQUAL},
    {">", 3, DO_GREATER},  {">=", 3, DO_GREATER_EQUAL},
    {"in", 3, DO_IN},      {"+", 4, DO_ADD},
    {"-", 4, DO_SUBTRACT}, {"*", 5, DO_MULTIPLY},
    {"/", 5, DO_DIVIDE},   {"%", 5, DO_MODULO},
};

static const struct {
  const char *name;
  enum opcode op;
} functions[] = {{"length", DO_LENGTH},
                 {"sum", DO_SUM},
                 {"min", DO_MIN},
                 {"max", DO_MAX},
                 {"sorted", DO_SORT}};

uint32_t emit(struct parser *p, enum opcode op, uint32_t a, uint32_t b) {
  struct program *program = p->program;
  ARRAY_RESERVE(program->code, program->ncode, program->code_room);
  program->code[program->ncode] = (struct instruction){
      .op = (uint8_t)op, .a = a, .b = b, .line = p->token.line};
  return program->ncode++;
}

uint32_t parser_constant(struct parser *p, datum v) {
  struct program *program = p->program;
  ARRAY_RESERVE(program->consts, program->nconsts, program->consts_room);
  program->consts[program->nconsts] = v;
  return program->nconsts++;
}

uint32_t parser_name_number(struct parser *p, const char *name) {
  struct program *program = p->program;
  for (uint32_t i = 0; i < program->nnames; i++)
    if (!strcmp(program->names[i], name))
      return i;
  ARRAY_RESERVE(program->names, program->nnames, program->names_room);
  program->names[program->nnames] = name;
  return program->nnames++;
}

uint32_t parser_find_local(const struct parser *p, const char *name) {
  for (uint32_t i = 0; i < p->program->nlocals; i++)
    if (!strcmp(p->program->locals[i], name))
      return i;
  return KEY_NONE;
}

uint32_t parser_local(struct parser *p, const char *name) {
  struct program *program = p->program;
  const uint32_t local = *name ? parser_find_local(p, name) : KEY_NONE;
  if (local != KEY_NONE)
    return local;
  if (program->nlocals == LOCALS_MAX - 1) // one is left for the complaint
    parser_complain(p, "a program has at most %d locals", LOCALS_MAX - 2);
  else
    program->nlocals++;
  program->locals[program->nlocals - 1] = name;
  return program->nlocals - 1;
}

uint32_t parser_hidden_local(struct parser *p) { return parser_local(p, ""); }

static bool is_notation_constant(const struct parser *p, const char *name,
                                 uint32_t *number) {
  for (uint32_t i = 0; i < p->program->nconstants; i++) {
    *number = p->program->constants[i].name;
    if (!strcmp(p->program->names[*number], name))
      return true;
  }
  return false;
}

static int refuse_word(const struct parser *p, const char *word) {
  const char *names[LOCALS_MAX + 1] = {NULL};
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->program->nlocals; i++)
    if (*p->program->locals[i])
      names[n++] = p->program->locals[i];
  const char *near = nearest(word, names);
  if (near)
    return parser_complain(
        p, "nothing above gives \"%s\" a value; did you mean %s?", word, near);
  return parser_complain(p,
                         "nothing above gives \"%s\" a value; use read, let or "
                         "a parameter first",
                         word);
}

int parser_arguments(struct parser *p, uint32_t *nargs) {
  *nargs = 0;
  if (!parser_at(p, "[") || !p->token.glued)
    return 0;
  do {
    if (*nargs == KEY_ARGS_MAX)
      return parser_complain(p, "a name has at most %d arguments",
                             KEY_ARGS_MAX);
    if (parser_advance(p) || parser_expression(p))
      return -1;
    ++*nargs;
  } while (parser_at(p, ","));
  return parser_require(p, "]");
}

static int word(struct parser *p) {
  char name[sizeof p->token.text];
  uint32_t number, nargs;
  memcpy(name, p->token.text, sizeof name);
  if (!strcmp(name, "none")) {
    emit(p, DO_PUSH, parser_constant(p, VALUE_NONE), 0);
    return parser_advance(p);
  }
  const uint32_t local = parser_find_local(p, name);
  if (local != KEY_NONE) {
    emit(p, DO_LOAD, local, 0);
    return parser_advance(p);
  }
  if (!is_notation_constant(p, name, &number))
    return refuse_word(p, name);
  if (parser_advance(p) || parser_arguments(p, &nargs))
    return -1;
  emit(p, DO_LOOKUP, number, nargs);
  return 0;
}

static int list(struct parser *p) {
  uint32_t n = 0;
  if (parser_advance(p))
    return -1;
  while (!parser_at(p, "]")) {
    if (n++ == LIST_ELEMENTS_MAX)
      return parser_complain(p, "a list is typed with at most %d elements",
                             LIST_ELEMENTS_MAX);
    if (parser_expression(p) || parser_accept(p, ",") < 0)
      return -1;
  }
  emit(p, DO_LIST, n, 0);
  return parser_advance(p);
}

static int function(struct parser *p, enum opcode op) {
  if (parser_advance(p) || parser_require(p, "(") || parser_expression(p))
    return -1;
  emit(p, op, 0, 0);
  return parser_require(p, ")");
}

static int primary(struct parser *p) {
  const struct notation_token *t = &p->token;
  if (t->kind == TOKEN_NUMBER) {
    emit(p, DO_PUSH, parser_constant(p, t->number), 0);
    return parser_advance(p);
  }
  if (parser_at(p, "["))
    return list(p);
  if (parser_at(p, "(")) {
    return parser_advance(p) || parser_expression(p) || parser_require(p, ")")
               ? -1
               : 0;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (parser_at(p, functions[i].name))
      return function(p, functions[i].op);
  return t->kind == TOKEN_WORD ? word(p) : parser_expected(p, "a value");
}

static int postfix(struct parser *p) {
  if (primary(p))
    return -1;
  while (parser_at(p, "[") && p->token.glued) {
    if (parser_advance(p) || parser_expression(p))
      return -1;
    emit(p, DO_INDEX, 0, 0);
    if (parser_require(p, "]"))
      return -1;
  }
  return 0;
}

static int climb(struct parser *p, int precedence);

static int prefix(struct parser *p) {
  const bool negates = parser_at(p, "-");
  if (!negates && !parser_at(p, "not"))
    return postfix(p);
  if (parser_advance(p) || climb(p, negates ? 6 : 3))
    return -1;
  emit(p, negates ? DO_NEGATE : DO_NOT, 0, 0);
  return 0;
}

static const struct operator* operator_here(const struct parser *p) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (parser_at(p, operators[i].text))
      return &operators[i];
  return NULL;
}

static int climb(struct parser *p, int precedence) {
  if (++p->depth > DEPTH_MAX)
    return parser_complain(p, "this expression is nested too deeply");
  if (prefix(p))
    return -1;
  const struct operator* o;
  while ((o = operator_here(p)) && o->precedence >= precedence) {
    const bool skips = o->op == DO_AND || o->op == DO_OR;
    const uint32_t at = skips ? emit(p, o->op, 0, 0) : 0;
    if (parser_advance(p) || climb(p, o->precedence + 1))
      return -1;
    if (skips)
      p->program->code[at].a = p->program->ncode;
    else
      emit(p, o->op, 0, 0);
  }
  p->depth--;
  return 0;
}

int parser_expression(struct parser *p) { return climb(p, 1); }

int parser_constant_expression(struct parser *p, datum *v) {
  const uint32_t entry = p->program->ncode;
  struct error error;
  if (parser_expression(p))
    return -1;
  for (uint32_t i = entry; i < p->program->ncode; i++)
    if (p->program->code[i].op == DO_LOAD)
      return parser_complain(
          p, "a constant is needed here, not a value that a session computes");
  const int failed = interpret_constant(p->program, entry, v, &error);
  p->program->ncode = entry;
  return failed ? parser_complain(p, "%s", error.text) : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Items of a program that give names values: what keys hold at first,
// constants, and families (explore/parsing.h).
#include "config.h"

#include "explore/parsing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY_MAX = 10000, WITH_MAX = 1000, RANGE_MAX = 1000 };

struct declared_name { // NAME or NAME[e,...] or NAME[from..to]
  uint32_t name, nargs;
  datum args[KEY_ARGS_MAX];
  datum last; // of a range over the only argument
};

static int constant_arguments(struct parser *p, struct declared_name *n) {
  do {
    if (n->nargs == KEY_ARGS_MAX)
      return parser_complain(p, "a name has at most %d arguments",
                             KEY_ARGS_MAX);
    if (parser_advance(p) || parser_constant_expression(p, &n->args[n->nargs]))
      return -1;
    n->last = n->args[n->nargs++];
  } while (parser_at(p, ","));
  if (n->nargs == 1 && parser_at(p, "..")) {
    if (parser_advance(p) || parser_constant_expression(p, &n->last))
      return -1;
    if (!value_is_integer(n->args[0]) || !value_is_integer(n->last) ||
        n->last < n->args[0] || n->last - n->args[0] >= RANGE_MAX)
      return parser_complain(p, "a range has 1 to %d numbers, the least first",
                             RANGE_MAX);
  }
  return parser_require(p, "]");
}

static int named_declaration(struct parser *p, struct declared_name *n) {
  const char *name;
  *n = (struct declared_name){.last = VALUE_NONE};
  if (parser_name(p, "a name", &name))
    return -1;
  n->name = parser_name_number(p, name);
  if (parser_at(p, "[") && p->token.glued)
    return constant_arguments(p, n);
  return 0;
}

static void set_initial(struct parser *p, const struct declared_name *n,
                        datum v) {
  struct pool *pool = &p->program->pool;
  datum args[KEY_ARGS_MAX];
  memcpy(args, n->args, sizeof args);
  for (;;) {
    const uint32_t key = pool_key(pool, n->name, args, n->nargs);
    pool->keys[key].initial = v;
    if (n->nargs != 1 || args[0] == n->last)
      return;
    args[0]++;
  }
}

int parser_initially(struct parser *p) {
  struct declared_name n;
  datum v;
  do {
    if (parser_accept(p, ",") < 0 || named_declaration(p, &n) ||
        parser_require(p, "=") || parser_constant_expression(p, &v))
      return -1;
    set_initial(p, &n, v);
  } while (parser_at(p, ","));
  return parser_end_of_line(p);
}

int parser_list(struct parser *p) {
  struct declared_name n;
  do {
    if (parser_accept(p, ",") < 0 || named_declaration(p, &n))
      return -1;
    set_initial(p, &n, pool_list(&p->program->pool, NULL, 0));
  } while (p->token.kind == TOKEN_WORD || parser_at(p, ","));
  return parser_end_of_line(p);
}

static void add_constant(struct program *program, const struct declared_name *n,
                         datum v) {
  struct constant c = {.name = n->name, .nargs = n->nargs, .is = v};
  ARRAY_RESERVE(program->constants, program->nconstants,
                program->constants_room);
  memcpy(c.args, n->args, n->nargs * sizeof *c.args);
  program->constants[program->nconstants++] = c;
}

int parser_let(struct parser *p) {
  struct declared_name n;
  datum v;
  if (named_declaration(p, &n) || parser_require(p, "=") ||
      parser_constant_expression(p, &v))
    return -1;
  add_constant(p->program, &n, v);
  while (n.nargs == 1 && n.args[0] != n.last) {
    n.args[0]++;
    add_constant(p->program, &n, v);
  }
  return parser_end_of_line(p);
}

// How tables are kept, for the statements behind it.
int parser_tables(struct parser *p) {
  const bool rows = parser_at(p, "rows");
  if (!rows && !parser_at(p, "lists"))
    return parser_expected(p, "rows or lists");
  if (p->program->ncode)
    return parser_complain(p, "\"tables\" stands before all transactions");
  p->program->rows = rows;
  return parser_advance(p) || parser_end_of_line(p) ? -1 : 0;
}

// One value of those listed, by the number of the member.
int parser_with(struct parser *p) {
  struct declared_name n;
  struct program *program = p->program;
  datum values[WITH_MAX];
  uint32_t count = 0;
  if (named_declaration(p, &n) || parser_require(p, "in"))
    return -1;
  while (p->token.kind > TOKEN_LINE) {
    if (count == WITH_MAX)
      return parser_complain(p, "a family has at most %d values of a name",
                             WITH_MAX);
    if (parser_constant_expression(p, &values[count++]) ||
        parser_accept(p, ",") < 0)
      return -1;
  }
  if (!count)
    return parser_expected(p, "a value");
  if (p->family > FAMILY_MAX / count)
    return parser_complain(p, "a family has at most %d programs", FAMILY_MAX);
  const datum chosen = values[p->member % count];
  p->member /= count;
  p->family *= count;
  add_constant(program, &n, chosen);
  char *text = value_text(&program->pool, chosen);
  char args[24 * KEY_ARGS_MAX] = "";
  for (uint32_t i = 0; i < n.nargs; i++)
    snprintf(args + strlen(args), sizeof args - strlen(args), "%s%" PRId64 "%s",
             i ? "," : "[", n.args[i], i + 1 < n.nargs ? "" : "]");
  program->member = arena_printf(&program->arena, "%s%s%s%s=%s",
                                 program->member, *program->member ? " " : "",
                                 program->names[n.name], args, text);
  free(text);
  return parser_end_of_line(p);
}

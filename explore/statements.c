// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the statements of a transaction (explore/parsing.h).  A table is the
// paper's (section 7.2): under its name a list of ids, under NAME[id] a row.
#include "config.h"

#include "explore/parsing.h"

#include "base/nearest.h"

#include <string.h>

enum { REPEAT_MAX = 10000, NESTING_MAX = 16 };

struct key { // as a statement names it, its arguments on the stack
  uint32_t name, nargs;
};

static int key(struct parser *p, struct key *k) {
  const char *name;
  if (parser_name(p, "a key", &name) || parser_arguments(p, &k->nargs))
    return -1;
  k->name = parser_name_number(p, name);
  return 0;
}

static void emit_get(struct parser *p, enum opcode op, struct key k,
                     uint32_t into) {
  const uint32_t at = emit(p, op, k.name, into);
  p->program->code[at].c = (uint8_t)k.nargs;
}

static int into(struct parser *p, uint32_t *local) {
  const char *name;
  if (parser_require(p, "into") || parser_name(p, "a name for it", &name))
    return -1;
  *local = parser_local(p, name);
  return 0;
}

static int read(struct parser *p) {
  struct key k;
  uint32_t local;
  if (key(p, &k) || into(p, &local))
    return -1;
  const int locks = parser_accept(p, "for");
  if (locks < 0 || (locks && parser_require(p, "update")))
    return -1;
  emit_get(p, locks ? DO_GET_LOCKED : DO_GET, k, local);
  p->program->code[p->program->ncode - 1].lockable = true;
  return 0;
}

static int write(struct parser *p) {
  struct key k;
  if (key(p, &k) || parser_expression(p))
    return -1;
  emit(p, DO_PUT, k.name, k.nargs);
  return 0;
}

// The arguments are computed once and kept, for both the read and the write.
static int update(struct parser *p) {
  struct key k;
  uint32_t local;
  if (key(p, &k))
    return -1;
  const uint32_t old = parser_local(p, "old");
  for (uint32_t i = k.nargs; i-- > 0;)
    emit(p, DO_STORE, p->scratch + i, 0);
  for (int writes = 0; writes < 2; writes++) {
    for (uint32_t i = 0; i < k.nargs; i++)
      emit(p, DO_LOAD, p->scratch + i, 0);
    if (!writes)
      emit_get(p, DO_GET_LOCKED, k, old);
  }
  if (parser_expression(p))
    return -1;
  if (parser_at(p, "into")) {
    if (into(p, &local))
      return -1;
    emit(p, DO_STORE, local, 0);
    emit(p, DO_LOAD, local, 0);
  }
  emit(p, DO_PUT, k.name, k.nargs);
  return 0;
}

static int let(struct parser *p) {
  const char *name;
  if (parser_name(p, "a name", &name) || parser_require(p, "=") ||
      parser_expression(p))
    return -1;
  emit(p, DO_STORE, parser_local(p, name), 0);
  return 0;
}

static int if_else(struct parser *p) {
  if (parser_expression(p))
    return -1;
  const uint32_t skip = emit(p, DO_JUMP_UNLESS, 0, 0);
  if (parser_end_of_line(p) || parser_block(p, "end", "else"))
    return -1;
  if (parser_at(p, "else")) {
    const uint32_t done = emit(p, DO_JUMP, 0, 0);
    p->program->code[skip].a = p->program->ncode;
    if (parser_advance(p) || parser_block(p, "end", NULL))
      return -1;
    p->program->code[done].a = p->program->ncode;
  } else {
    p->program->code[skip].a = p->program->ncode;
  }
  return parser_require(p, "end");
}

static void emit_zero(struct parser *p, uint32_t local) {
  emit(p, DO_PUSH, parser_constant(p, 0), 0);
  emit(p, DO_STORE, local, 0);
}

static int for_each(struct parser *p) {
  const char *name;
  if (parser_name(p, "a name", &name) || parser_require(p, "in") ||
      parser_expression(p))
    return -1;
  const uint32_t list = parser_hidden_local(p);
  const uint32_t position = parser_hidden_local(p);
  emit(p, DO_STORE, list, 0);
  emit_zero(p, position);
  const uint32_t next = emit(p, DO_NEXT, 0, list);
  emit(p, DO_STORE, parser_local(p, name), 0);
  if (parser_end_of_line(p) || parser_block(p, "end", NULL))
    return -1;
  emit(p, DO_JUMP, next, 0);
  p->program->code[next].a = p->program->ncode;
  return parser_require(p, "end");
}

static int repeat(struct parser *p) {
  datum times;
  const struct token at = p->token;
  if (parser_constant_expression(p, &times))
    return -1;
  if (!value_is_integer(times) || times < 0 || times > REPEAT_MAX) {
    p->token = at;
    return parser_complain(p, "a loop is repeated 0 to %d times", REPEAT_MAX);
  }
  const uint32_t count = parser_hidden_local(p);
  emit_zero(p, count);
  const uint32_t start = p->program->ncode;
  emit(p, DO_LOAD, count, 0);
  emit(p, DO_PUSH, parser_constant(p, times), 0);
  emit(p, DO_LESS, 0, 0);
  const uint32_t leave = emit(p, DO_JUMP_UNLESS, 0, 0);
  if (parser_end_of_line(p) || parser_block(p, "end", NULL))
    return -1;
  emit(p, DO_LOAD, count, 0);
  emit(p, DO_PUSH, parser_constant(p, 1), 0);
  emit(p, DO_ADD, 0, 0);
  emit(p, DO_STORE, count, 0);
  emit(p, DO_JUMP, start, 0);
  p->program->code[leave].a = p->program->ncode;
  return parser_require(p, "end");
}

static int assertion(struct parser *p) {
  struct program *program = p->program;
  struct assertion a = {p->token.line, "", p->transaction};
  if (parser_expression(p))
    return -1;
  if (p->token.kind == TOKEN_TEXT) {
    a.text = arena_strdup(&program->arena, p->token.text);
    if (parser_advance(p))
      return -1;
  }
  ARRAY_RESERVE(program->assertions, program->nassertions,
                program->assertions_room);
  program->assertions[program->nassertions] = a;
  emit(p, DO_ASSERT, program->nassertions++, 0);
  return 0;
}

static int rollback(struct parser *p) {
  emit(p, DO_ROLLBACK, 0, 0);
  return 0;
}

// ---- Tables

// `T`, and its ids into SCRATCH_LIST.
static int table(struct parser *p, struct key *t) {
  const char *name;
  t->nargs = 0;
  if (parser_name(p, "a table", &name))
    return -1;
  t->name = parser_name_number(p, name);
  return 0;
}

// `T i`, i into SCRATCH_ID and the ids into SCRATCH_LIST.
static int table_and_id(struct parser *p, struct key *t) {
  if (table(p, t) || parser_expression(p))
    return -1;
  emit(p, DO_STORE, p->scratch + SCRATCH_ID, 0);
  return 0;
}

static void emit_ids(struct parser *p, struct key t) {
  emit_get(p, DO_GET, t, p->scratch + SCRATCH_LIST);
}

static void emit_change_of_ids(struct parser *p, struct key t, enum opcode op) {
  emit_ids(p, t);
  emit(p, DO_LOAD, p->scratch + SCRATCH_LIST, 0);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit(p, DO_LIST, 1, 0);
  emit(p, op, 0, 0);
  emit(p, DO_PUT, t.name, 0);
}

static void emit_row(struct parser *p, struct key t) {
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_PUT, t.name, 1);
}

// Skips what follows unless the id is there: the jump whose target is open.
static uint32_t emit_if_there(struct parser *p) {
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit(p, DO_LOAD, p->scratch + SCRATCH_LIST, 0);
  emit(p, DO_IN, 0, 0);
  return emit(p, DO_JUMP_UNLESS, 0, 0);
}

static int insert(struct parser *p) {
  struct key t;
  if (table_and_id(p, &t))
    return -1;
  const bool has_row = p->token.kind > TOKEN_LINE;
  if (has_row) {
    if (parser_expression(p))
      return -1;
    emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  }
  emit_change_of_ids(p, t, DO_ADD);
  if (has_row)
    emit_row(p, t);
  return 0;
}

static int delete (struct parser *p) {
  struct key t;
  if (table_and_id(p, &t))
    return -1;
  emit_change_of_ids(p, t, DO_SUBTRACT);
  return 0;
}

static int lookup(struct parser *p) {
  struct key t;
  uint32_t local;
  if (table_and_id(p, &t) || into(p, &local))
    return -1;
  emit_ids(p, t);
  emit(p, DO_PUSH, parser_constant(p, VALUE_NONE), 0);
  emit(p, DO_STORE, local, 0);
  const uint32_t skip = emit_if_there(p);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit_get(p, DO_GET, (struct key){t.name, 1}, local);
  p->program->code[skip].a = p->program->ncode;
  return 0;
}

static int modify(struct parser *p) {
  struct key t;
  if (table_and_id(p, &t) || parser_expression(p))
    return -1;
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  emit_ids(p, t);
  const uint32_t skip = emit_if_there(p);
  emit_row(p, t);
  p->program->code[skip].a = p->program->ncode;
  return 0;
}

static void emit_read_of_row(struct parser *p, struct key t, uint32_t id,
                             uint32_t row) {
  emit(p, DO_LOAD, id, 0);
  emit_get(p, DO_GET, (struct key){t.name, 1}, row);
}

// Moves the instructions from `first` on behind `n` more.
static void shift_code(struct parser *p, uint32_t first, uint32_t n) {
  const uint32_t end = p->program->ncode;
  for (uint32_t i = 0; i < n; i++)
    emit(p, DO_END, 0, 0);
  struct instruction *code = p->program->code;
  memmove(code + first + n, code + first, (end - first) * sizeof *code);
  for (uint32_t i = first + n; i < end + n; i++)
    if (code[i].op == DO_AND || code[i].op == DO_OR)
      code[i].a += n;
  p->program->ncode = first;
}

// The condition, which is about `id` alone, so that only the rows that it holds
// of are read, or about `row`, too, so that all are.
static int where(struct parser *p, struct key t, uint32_t id, uint32_t row,
                 bool *reads_row) {
  const uint32_t first = p->program->ncode;
  if (parser_expression(p))
    return -1;
  for (uint32_t i = first; i < p->program->ncode; i++)
    *reads_row |=
        p->program->code[i].op == DO_LOAD && p->program->code[i].a == row;
  if (*reads_row) {
    const uint32_t n = p->program->ncode - first;
    shift_code(p, first, 2);
    emit_read_of_row(p, t, id, row);
    p->program->ncode += n;
  }
  return 0;
}

static int scan(struct parser *p) {
  struct key t;
  uint32_t local, skip = 0;
  bool reads_row = false;
  if (table(p, &t))
    return -1;
  const uint32_t id = parser_local(p, "id"), row = parser_local(p, "row");
  emit_ids(p, t);
  emit_zero(p, p->scratch + SCRATCH_POSITION);
  emit(p, DO_LIST, 0, 0);
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  const uint32_t next = emit(p, DO_NEXT, 0, p->scratch + SCRATCH_LIST);
  emit(p, DO_STORE, id, 0);
  const int chooses = parser_accept(p, "where");
  if (chooses < 0 || (chooses && where(p, t, id, row, &reads_row)))
    return -1;
  if (chooses)
    skip = emit(p, DO_JUMP_UNLESS, 0, 0);
  if (!reads_row)
    emit_read_of_row(p, t, id, row);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_LOAD, row, 0);
  emit(p, DO_LIST, 1, 0);
  emit(p, DO_ADD, 0, 0);
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  if (chooses)
    p->program->code[skip].a = p->program->ncode;
  emit(p, DO_JUMP, next, 0);
  p->program->code[next].a = p->program->ncode;
  if (into(p, &local))
    return -1;
  emit(p, DO_LOAD, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_STORE, local, 0);
  return 0;
}

// ---- Blocks

static const struct {
  const char *name;
  int (*take)(struct parser *p);
} statements[] = {
    {"read", read},     {"write", write},      {"update", update},
    {"let", let},       {"if", if_else},       {"for", for_each},
    {"repeat", repeat}, {"assert", assertion}, {"rollback", rollback},
    {"insert", insert}, {"delete", delete},    {"lookup", lookup},
    {"modify", modify}, {"scan", scan},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static int refuse_statement(const struct parser *p) {
  const char *names[STATEMENTS + 2] = {NULL};
  for (size_t i = 0; i < STATEMENTS; i++)
    names[i] = statements[i].name;
  names[STATEMENTS] = "end";
  const char *near =
      p->token.kind == TOKEN_WORD ? nearest(p->token.text, names) : NULL;
  if (near)
    return parser_complain(p,
                           "there is no statement \"%.64s\"; did you mean %s?",
                           p->token.text, near);
  return parser_expected(p, "a statement or \"end\"");
}

static int statement(struct parser *p) {
  for (size_t i = 0; i < STATEMENTS; i++)
    if (parser_at(p, statements[i].name)) {
      p->nstatements++;
      return parser_advance(p) || statements[i].take(p) ? -1 : 0;
    }
  return refuse_statement(p);
}

int parser_block(struct parser *p, const char *end, const char *or_end) {
  if (++p->nesting > NESTING_MAX)
    return parser_complain(p, "blocks are nested more than %d deep",
                           NESTING_MAX);
  for (;;) {
    if (parser_skip_lines(p))
      return -1;
    if (parser_at(p, end) || (or_end && parser_at(p, or_end)))
      break;
    if (p->token.kind == TOKEN_EOF)
      return parser_expected(p, "\"end\"");
    if (statement(p) || (!parser_at(p, end) && parser_end_of_line(p)))
      return -1;
  }
  p->nesting--;
  return 0;
}

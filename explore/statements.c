// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the statements of a transaction (explore/parsing.h), but for those
// about tables.
#include "config.h"

#include "explore/parsing.h"

#include "base/nearest.h"

#include <string.h>

enum { REPEAT_MAX = 10000, NESTING_MAX = 16 };

int parser_key(struct parser *p, struct named_key *k) {
  const char *name;
  if (parser_name(p, "a key", &name) || parser_arguments(p, &k->nargs))
    return -1;
  k->name = parser_name_number(p, name);
  return 0;
}

void emit_get(struct parser *p, enum opcode op, struct named_key k,
              uint32_t into) {
  const uint32_t at = emit(p, op, k.name, into);
  p->program->code[at].c = (uint8_t)k.nargs;
}

int parser_into(struct parser *p, uint32_t *local) {
  const char *name;
  if (parser_require(p, "into") || parser_name(p, "a name for it", &name))
    return -1;
  *local = parser_local(p, name);
  return 0;
}

// `where e`: the read locks, if it does, only what e holds for.
static int condition_of_lock(struct parser *p, uint32_t get) {
  const int chooses = parser_accept(p, "where");
  if (chooses <= 0)
    return chooses;
  if (parser_expression(p))
    return -1;
  p->program->code[get].chooses = true;
  emit(p, DO_HOLD, 0, 0);
  return 0;
}

// `for insert`: the read locks where there is nothing.
static void lock_if_none(struct parser *p, uint32_t get, uint32_t local) {
  emit(p, DO_LOAD, local, 0);
  emit(p, DO_PUSH, parser_constant(p, VALUE_NONE), 0);
  emit(p, DO_EQUAL, 0, 0);
  emit(p, DO_HOLD, 0, 0);
  p->program->code[get].chooses = p->program->code[get].inserts = true;
}

static int read(struct parser *p) {
  struct named_key k;
  uint32_t local;
  if (parser_key(p, &k) || parser_into(p, &local))
    return -1;
  emit_get(p, DO_GET, k, local);
  const uint32_t get = p->program->ncode - 1;
  p->program->code[get].lockable = true;
  const int locks = parser_accept(p, "for");
  if (locks <= 0)
    return locks < 0 ? -1 : condition_of_lock(p, get);
  const bool inserts = parser_at(p, "insert"), shares = parser_at(p, "share");
  p->program->code[get].op = shares ? DO_GET_SHARED : DO_GET_LOCKED;
  if (inserts)
    lock_if_none(p, get, local);
  if (inserts || shares ? parser_advance(p) : parser_require(p, "update"))
    return -1;
  return inserts ? 0 : condition_of_lock(p, get);
}

static int write(struct parser *p) {
  struct program *program = p->program;
  struct written_key w = {.first = program->ncode};
  struct named_key k;
  if (parser_key(p, &k))
    return -1;
  w.value = program->ncode;
  if (parser_expression(p))
    return -1;
  w.put = emit(p, DO_PUT, k.name, k.nargs);
  ARRAY_RESERVE(program->written, program->nwritten, program->written_room);
  program->written[program->nwritten++] = w;
  return 0;
}

// The arguments are computed once and kept, for both the read and the write.
static int update(struct parser *p) {
  struct named_key k;
  uint32_t local;
  if (parser_key(p, &k))
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
    if (parser_into(p, &local))
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

void emit_zero(struct parser *p, uint32_t local) {
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
  const struct notation_token at = p->token;
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

static int parse_answer(struct parser *p) {
  p->program->answers = true;
  if (parser_expression(p))
    return -1;
  emit(p, DO_ANSWER, 0, 0);
  return 0;
}

static int parse_rollback(struct parser *p) {
  emit(p, DO_ROLLBACK, 0, 0);
  return 0;
}

// ---- Blocks

static const struct {
  const char *name;
  int (*take)(struct parser *p);
} statements[] = {
    {"read", read},
    {"write", write},
    {"update", update},
    {"let", let},
    {"if", if_else},
    {"for", for_each},
    {"repeat", repeat},
    {"assert", assertion},
    {"rollback", parse_rollback},
    {"insert", table_insert},
    {"delete", table_delete},
    {"lookup", table_lookup},
    {"modify", table_modify},
    {"scan", table_scan},
    {"answer", parse_answer},
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

static int parse_notation_statement(struct parser *p) {
  for (size_t i = 0; i < STATEMENTS; i++)
    if (parser_at(p, statements[i].name))
      return parser_advance(p) || statements[i].take(p) ? -1 : 0;
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
    if (parse_notation_statement(p) ||
        (!parser_at(p, end) && parser_end_of_line(p)))
      return -1;
  }
  p->nesting--;
  return 0;
}

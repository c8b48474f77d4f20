// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the statements about tables (explore/parsing.h).
//
// Tables as lists are the paper's (section 7.2): under T a list of ids, under
// T[id] a row, so that inserts of different rows conflict.  Tables as rows have
// no list: T[id] is `none` where there is no row, and a scan reads the rows
// that `initially` names, in one event.
#include "config.h"

#include "explore/parsing.h"

#include <string.h>

static int table(struct parser *p, struct named_key *t) {
  const char *name;
  t->nargs = 0;
  if (parser_name(p, "a table", &name))
    return -1;
  t->name = parser_name_number(p, name);
  return 0;
}

// `T i`, i into SCRATCH_ID.
static int table_and_id(struct parser *p, struct named_key *t) {
  if (table(p, t) || parser_expression(p))
    return -1;
  emit(p, DO_STORE, p->scratch + SCRATCH_ID, 0);
  return 0;
}

static void emit_none(struct parser *p) {
  emit(p, DO_PUSH, parser_constant(p, VALUE_NONE), 0);
}

static void emit_ids(struct parser *p, struct named_key t) {
  emit_get(p, DO_GET, t, p->scratch + SCRATCH_LIST);
}

static void emit_change_of_ids(struct parser *p, struct named_key t,
                               enum opcode op) {
  emit_ids(p, t);
  emit(p, DO_LOAD, p->scratch + SCRATCH_LIST, 0);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit(p, DO_LIST, 1, 0);
  emit(p, op, 0, 0);
  emit(p, DO_PUT, t.name, 0);
}

// Writes SCRATCH_ROW under SCRATCH_ID.
static void emit_put_row(struct parser *p, struct named_key t) {
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_PUT, t.name, 1);
}

static void emit_get_row(struct parser *p, struct named_key t, uint32_t id,
                         uint32_t row) {
  emit(p, DO_LOAD, id, 0);
  emit_get(p, DO_GET, (struct named_key){t.name, 1}, row);
}

// Skips what follows unless the id is in the list: the jump, whose target is
// open.
static uint32_t emit_if_listed(struct parser *p) {
  emit(p, DO_LOAD, p->scratch + SCRATCH_ID, 0);
  emit(p, DO_LOAD, p->scratch + SCRATCH_LIST, 0);
  emit(p, DO_IN, 0, 0);
  return emit(p, DO_JUMP_UNLESS, 0, 0);
}

// Emits the test for a row that was read.
static uint32_t emit_if_row(struct parser *p, uint32_t row) {
  emit(p, DO_LOAD, row, 0);
  emit_none(p);
  emit(p, DO_UNEQUAL, 0, 0);
  return emit(p, DO_JUMP_UNLESS, 0, 0);
}

static void land(struct parser *p, uint32_t jump) {
  p->program->code[jump].a = p->program->ncode;
}

int table_insert(struct parser *p) {
  struct named_key t;
  if (table_and_id(p, &t))
    return -1;
  const bool has_row = p->token.kind > TOKEN_LINE;
  if (has_row ? parser_expression(p) : 0)
    return -1;
  if (!has_row)
    emit(p, DO_PUSH, parser_constant(p, 1), 0);
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  if (p->program->rows)
    emit(p, DO_KNOWN_ROW, t.name, p->scratch + SCRATCH_ID);
  else
    emit_change_of_ids(p, t, DO_ADD);
  if (has_row || p->program->rows)
    emit_put_row(p, t);
  return 0;
}

int table_delete(struct parser *p) {
  struct named_key t;
  if (table_and_id(p, &t))
    return -1;
  if (!p->program->rows) {
    emit_change_of_ids(p, t, DO_SUBTRACT);
    return 0;
  }
  emit_none(p);
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  emit_put_row(p, t);
  return 0;
}

int table_lookup(struct parser *p) {
  struct named_key t;
  uint32_t local;
  const uint32_t id = p->scratch + SCRATCH_ID;
  if (table_and_id(p, &t) || parser_into(p, &local))
    return -1;
  if (p->program->rows) {
    emit_get_row(p, t, id, local);
    return 0;
  }
  emit_ids(p, t);
  emit_none(p);
  emit(p, DO_STORE, local, 0);
  const uint32_t skip = emit_if_listed(p);
  emit_get_row(p, t, id, local);
  land(p, skip);
  return 0;
}

int table_modify(struct parser *p) {
  struct named_key t;
  uint32_t skip;
  const uint32_t old = p->scratch + SCRATCH_LIST;
  if (table_and_id(p, &t) || parser_expression(p))
    return -1;
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  if (p->program->rows) {
    emit_get_row(p, t, p->scratch + SCRATCH_ID, old);
    skip = emit_if_row(p, old);
  } else {
    emit_ids(p, t);
    skip = emit_if_listed(p);
  }
  emit_put_row(p, t);
  land(p, skip);
  return 0;
}

// ---- Scans

struct scanning {
  struct named_key table;
  uint32_t id, row;
  uint32_t next; // where the next row is taken
};

// Where the jump, which was just emitted, leads.
static void go_on_unless(struct parser *p, const struct scanning *s,
                         uint32_t jump) {
  p->program->code[jump].a = s->next;
}

// Reads the row; goes on to the next one if there is none.
static void emit_row(struct parser *p, const struct scanning *s) {
  emit_get_row(p, s->table, s->id, s->row);
  p->program->code[p->program->ncode - 1].joins = p->program->rows;
  if (p->program->rows)
    go_on_unless(p, s, emit_if_row(p, s->row));
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
static int where(struct parser *p, const struct scanning *s, bool *reads_row) {
  const uint32_t first = p->program->ncode;
  if (parser_expression(p))
    return -1;
  for (uint32_t i = first; i < p->program->ncode; i++)
    *reads_row |=
        p->program->code[i].op == DO_LOAD && p->program->code[i].a == s->row;
  if (*reads_row) {
    const uint32_t n = p->program->ncode - first;
    shift_code(p, first, p->program->rows ? 6 : 2);
    emit_row(p, s);
    p->program->ncode += n;
  }
  go_on_unless(p, s, emit(p, DO_JUMP_UNLESS, 0, 0));
  return 0;
}

// The ids to go through, into SCRATCH_LIST.
static void emit_candidates(struct parser *p, struct named_key t) {
  if (!p->program->rows) {
    emit_ids(p, t);
    return;
  }
  emit(p, DO_STATEMENT, 0, 0);
  emit(p, DO_ROWS, t.name, 0);
  emit(p, DO_STORE, p->scratch + SCRATCH_LIST, 0);
}

int table_scan(struct parser *p) {
  struct scanning s;
  uint32_t local;
  bool reads_row = false;
  if (table(p, &s.table))
    return -1;
  s.id = parser_local(p, "id");
  s.row = parser_local(p, "row");
  emit_candidates(p, s.table);
  emit_zero(p, p->scratch + SCRATCH_POSITION);
  emit(p, DO_LIST, 0, 0);
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  s.next = emit(p, DO_NEXT, 0, p->scratch + SCRATCH_LIST);
  emit(p, DO_STORE, s.id, 0);
  const int chooses = parser_accept(p, "where");
  if (chooses < 0 || (chooses && where(p, &s, &reads_row)))
    return -1;
  if (!reads_row)
    emit_row(p, &s);
  emit(p, DO_LOAD, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_LOAD, s.row, 0);
  emit(p, DO_LIST, 1, 0);
  emit(p, DO_ADD, 0, 0);
  emit(p, DO_STORE, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_JUMP, s.next, 0);
  land(p, s.next);
  if (parser_into(p, &local))
    return -1;
  emit(p, DO_LOAD, p->scratch + SCRATCH_ROW, 0);
  emit(p, DO_STORE, local, 0);
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Operations of a transaction (recorder/formats/micro_op.h).
//
//   [:r k v] [:w k v] [:append k v]                           Elle, Jepsen
//   [:read k v] [:write k v]                                  Knossos
//   [:add k v] [:r k #{v v}]                                  sets
//   [:r k v dead] [:w k v succeeded]                          Viper
//   [:i k v read dead succeeded] [:d k v read dead succeeded]
//   [:range from to [{:id k :val v}] [{:id k :val v}]]
//   ["cas",k,old,new] ["r",k,{"set":[v,v]}]                   our own
//
// Inserts and deletes of Viper's are read and written: a delete writes a value
// that marks the row as dead, which stays in the table.  So a range query finds
// every row of the range that was ever written.  It lists the rows that are
// alive, and then the dead ones; what is in neither list was not written yet.
#include "config.h"

#include "recorder/formats/micro_op.h"
#include "recorder/formats/values.h"

#include <assert.h>

static bool is_nothing(const struct micro_reading *r) {
  return token_is_nothing(r->t) || (r->says_nil && token_is(r->t, "nil"));
}

// Goes on behind the closing bracket of a vector.  Sets `*failed` if what comes
// as the `place`-th from here, from 0, is the word false.
static inline int close_micro_vector(struct micro_reading *r, int place,
                                     bool *failed) {
  if (r->plain)
    return token_next(r->t) == TOKEN_CLOSE
               ? 0
               : token_refuse(r->t, "']' at the end of the operation");
  for (;; place--) {
    switch (token_next(r->t)) {
    case TOKEN_CLOSE:
      return 0;
    case TOKEN_END:
    case TOKEN_WRONG:
      return token_refuse(r->t, "']'");
    default:
      *failed |= place == 0 && token_is(r->t, "false");
      if (token_skip(r->t))
        return token_refuse(r->t, "']'");
    }
  }
}

void micro_op_meet(struct micro_reading *r, bool written) {
  if (r->t->kind != TOKEN_OPEN || r->plain)
    return;
  struct parsing *parsing = r->parsing;
  parsing->collection_written |= written;
  if (written || parsing->collection_file)
    return;
  parsing->collection_file = parsing->input.path;
  parsing->collection_line = input_line(r->t->input);
}

bool micro_op_prints(struct micro_reading *r) {
  return r->t->kind == TOKEN_OPEN && !r->plain &&
         token_print(r->t, &r->printer);
}

static bool takes_anything(struct micro_reading *r) {
  return token_is_scalar(r->t) || micro_op_prints(r);
}

// A value of a register: no vector and no set, which would be read from a list
// or a set to which others were added, unless it is said that there are none.
static bool takes_value(struct micro_reading *r) {
  const struct tokens *t = r->t;
  return token_is_scalar(t) ||
         (((token_opens(t, '{') && !t->set) ||
           r->parsing->options->model == MODEL_REGISTER) &&
          micro_op_prints(r));
}

// Behind the opening bracket.
static int read_micro_list(struct micro_reading *r, struct micro_op *op) {
  struct tokens *t = r->t;
  struct value_list *elements = &r->ops->elements;
  op->kind = OP_READ_LIST;
  op->first = elements->count;
  while (token_next(t) != TOKEN_CLOSE) {
    if (!takes_anything(r) || (r->plain && is_nothing(r)))
      return token_refuse(r->t, "an element of the list, or ']'");
    value_list_push(elements, element_of_token(t, r->parsing->builder));
  }
  op->count = elements->count - op->first;
  return 0;
}

// Behind the opening bracket, to the one that closes.  An element counts as a
// value that is written does: 0 is a text.
static int read_micro_elements(struct micro_reading *r, struct micro_op *op) {
  struct value_list *elements = &r->ops->elements;
  op->kind = MICRO_SET;
  op->line = input_line(r->t->input);
  op->first = elements->count;
  while (token_next(r->t) != TOKEN_CLOSE) {
    if (!takes_anything(r) || is_nothing(r))
      return token_refuse(r->t, "an element of the set, or its end");
    value_list_push(elements, value_of_token(r->t, r->parsing->builder));
  }
  op->count = elements->count - op->first;
  return 0;
}

// Our own JSON: {"set":[...]}, from its bracket on.
static int read_named_set(struct micro_reading *r, struct micro_op *op) {
  struct tokens *t = r->t;
  token_next(t);
  if (!token_is_scalar(t) || !token_is(t, "set"))
    return token_refuse(t, "\"set\" and the elements that were read");
  token_next(t);
  if (!token_opens(t, '['))
    return token_refuse(t, "the elements of the set between [ and ]");
  if (read_micro_elements(r, op))
    return -1;
  return token_next(t) == TOKEN_CLOSE ? 0 : token_refuse(t, "'}'");
}

// Reads the result of [:r k v]; the current token is the first of v, or the
// bracket that closes a vector without it.
static int read_result(struct micro_reading *r, struct micro_op *op) {
  struct tokens *t = r->t;
  op->kind = MICRO_NOTHING;
  if ((t->kind == TOKEN_CLOSE && !r->plain) || is_nothing(r))
    return 0;
  micro_op_meet(r, false);
  if (takes_value(r)) {
    op->kind = OP_READ;
    op->value = value_of_token(t, r->parsing->builder);
    return 0;
  }
  if (t->kind == TOKEN_OPEN && t->bracket != '{')
    return read_micro_list(r, op);
  if (token_opens(t, '{') && t->set)
    return read_micro_elements(r, op);
  if (token_opens(t, '{') && r->plain)
    return read_named_set(r, op);
  return token_refuse(r->t, "what was read: nil, a value, a list or a set");
}

static int read_row_key(void *reading) {
  struct micro_reading *r = reading;
  if (!takes_anything(r))
    return token_refuse(r->t, "the key of a row");
  r->row.key = key_of_token(r->t, r->parsing->builder);
  r->row_parts |= 1;
  return 0;
}

static int read_row_value(void *reading) {
  struct micro_reading *r = reading;
  if (!takes_value(r))
    return token_refuse(r->t, "the value of a row");
  r->row.kind = is_nothing(r) ? MICRO_NOTHING : OP_READ;
  if (r->row.kind == OP_READ)
    r->row.value = value_of_token(r->t, r->parsing->builder);
  r->row_parts |= 2;
  return 0;
}

static int read_micro_row(void *reading) {
  static const struct member parts[] = {
      {"id", read_row_key}, {"val", read_row_value}, {NULL, NULL}};
  struct micro_reading *r = reading;
  r->row_parts = 0;
  if (token_members(r->t, parts, r))
    return -1;
  if (r->row_parts != 3)
    return token_refuse(r->t, "id and val before the end of the row");
  micro_ops_add(r->ops, r->row);
  return 0;
}

// An end of a range, which nil leaves open.
static int read_range_end(struct micro_reading *r, int64_t open,
                          uint64_t *end) {
  int64_t number = open;
  token_next(r->t);
  if (!is_nothing(r) && !token_is_signed(r->t, &number))
    return token_refuse(r->t, "an end of the range: a whole number, or nil");
  *end = (uint64_t)number;
  return 0;
}

// Behind the name: from, to, rows that are alive, dead ones.  Only who lists
// both says which rows were not there.
static int read_range(struct micro_reading *r) {
  const uint32_t before = r->ops->count;
  struct micro_op range = {.kind = MICRO_RANGE};
  bool failed = false;
  if (read_range_end(r, INT64_MIN, &range.key) ||
      read_range_end(r, INT64_MAX, &range.value))
    return -1;
  token_next(r->t);
  const bool lists_living = !is_nothing(r);
  if (lists_living && token_elements(r->t, read_micro_row, r))
    return -1;
  if (token_next(r->t) == TOKEN_CLOSE)
    return 0;
  const bool lists_dead = token_opens(r->t, '[');
  if (lists_dead && token_elements(r->t, read_micro_row, r))
    return -1;
  range.count = r->ops->count - before;
  if (lists_living && lists_dead)
    micro_ops_add(r->ops, range);
  return close_micro_vector(r, 0, &failed);
}

// Behind what an insert or a delete writes: what it read, and whether it
// succeeded.
static int read_update(struct micro_reading *r, uint64_t key, bool *failed) {
  struct micro_op read = {.kind = MICRO_NOTHING, .key = key};
  token_next(r->t);
  if (!takes_value(r))
    return token_refuse(r->t, "what was read: nil or a value");
  if (!is_nothing(r)) {
    read.kind = OP_READ;
    read.value = value_of_token(r->t, r->parsing->builder);
  }
  micro_ops_add(r->ops, read);
  return close_micro_vector(r, 1, failed);
}

// From what [:w k v] writes on.
static int read_micro_write(struct micro_reading *r, struct micro_op *op,
                            bool updates) {
  const bool appends = op->kind == OP_APPEND, adds = op->kind == MICRO_ADD;
  bool failed = false;
  op->line = adds ? input_line(r->t->input) : 0;
  micro_op_meet(r, true);
  if (!(appends || adds ? takes_anything(r) : takes_value(r)) || is_nothing(r))
    return token_refuse(
        r->t, r->t->kind == TOKEN_OPEN && !r->plain
                  ? "the value that is written, which may be a vector or a set "
                    "with --model=register"
                  : "the value that is written");
  op->value = appends ? element_of_token(r->t, r->parsing->builder)
                      : value_of_token(r->t, r->parsing->builder);
  if (updates ? read_update(r, op->key, &failed)
              : close_micro_vector(r, 0, &failed))
    return -1;
  if (appends || adds || !failed)
    micro_ops_add(r->ops, *op);
  return 0;
}

// From v of [:r k v] on, or from the closing bracket.
static int read_micro_read(struct micro_reading *r, struct micro_op *op) {
  bool failed = false;
  if (read_result(r, op))
    return -1;
  const bool closed = r->t->kind == TOKEN_CLOSE && op->kind == MICRO_NOTHING;
  if (!closed && close_micro_vector(r, 0, &failed))
    return -1;
  micro_ops_add(r->ops, *op);
  return 0;
}

// From what [cas k old new] expected on.
static int read_micro_cas(struct micro_reading *r, struct micro_op *op) {
  assert(r->t && r->ops);
  if (!takes_value(r))
    return token_refuse(r->t, "the value that is expected");
  op->expected = is_nothing(r) ? value_of_nothing(r->parsing->options->initial)
                               : value_of_token(r->t, r->parsing->builder);
  token_next(r->t);
  return read_micro_write(r, op, false);
}

static const struct name {
  const char *text;
  uint8_t kind; // enum op_kind, or MICRO_...
  bool updates, range;
} names[] = {{.text = "cas", .kind = OP_CAS},
             {.text = "r", .kind = OP_READ},
             {.text = "append", .kind = OP_APPEND},
             {.text = "w", .kind = OP_WRITE},
             {.text = "add", .kind = MICRO_ADD},
             {.text = "read", .kind = OP_READ},
             {.text = "write", .kind = OP_WRITE},
             {.text = "i", .kind = OP_WRITE, .updates = true},
             {.text = "d", .kind = OP_WRITE, .updates = true},
             {.text = "range", .range = true}};
enum { PLAIN_END = 5, NAMES = sizeof names / sizeof *names };

// NULL if it is none of these.
static const struct name *name_of_token(const struct tokens *t, int i,
                                        int end) {
  if (!token_is_scalar(t))
    return NULL;
  const char first = t->text[t->kind == TOKEN_KEYWORD];
  for (; i < end; i++)
    if (*names[i].text == first && token_names(t, names[i].text))
      return &names[i];
  return NULL;
}

bool micro_op_is_named(const struct tokens *t) {
  return name_of_token(t, 1, PLAIN_END);
}

int micro_op_read(struct micro_reading *r) {
  struct tokens *t = r->t;
  const struct name *name =
      r->plain ? name_of_token(t, 0, PLAIN_END) : name_of_token(t, 1, NAMES);
  if (!name)
    return token_refuse(r->t, r->plain ? "\"r\", \"w\", \"append\", \"add\" or "
                                         "\"cas\""
                                       : "r, w, append, add, i, d or range");
  if (name->range)
    return read_range(r);
  struct micro_op op = {.kind = name->kind};
  if ((op.kind == OP_APPEND || op.kind == MICRO_ADD) && !r->plain &&
      r->parsing->options->model == MODEL_REGISTER)
    return token_refuse(r->t, "r or w, with --model=register");
  token_next(t);
  if (!takes_anything(r))
    return token_refuse(r->t,
                        r->plain ? "a key: a string or a number" : "a key");
  op.key = key_of_token(t, r->parsing->builder);
  token_next(t);
  if (op.kind == OP_CAS)
    return read_micro_cas(r, &op);
  return op.kind == OP_READ ? read_micro_read(r, &op)
                            : read_micro_write(r, &op, name->updates);
}

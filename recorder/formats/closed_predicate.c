// SPDX-License-Identifier: GPL-3.0-or-later
// Elle's histories of predicates over a closed universe
// (elle.closed-predicate): events as Jepsen has them, of transactions on the
// rows of one table.
//
//   {:type :ok, :process 0, :f :init, :value {1 0, 2 1}}
//   {:type :ok, :process 1, :f :txn, :value [[:rp [:= 1] {2 1}] [:w 1 2]]}
//
// The rows that :init made are there before everything.  Each key is changed
// once at most, so that all versions of a row are known, and their order is:
// what [:w k v] or [:delete k] found is what :init made.
#include "config.h"

#include "recorder/builder/text_map.h"
#include "recorder/formats/elle.h"
#include "recorder/formats/jepsen.h"
#include "recorder/formats/values.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITION_MAX = 128 }; // bytes

// Conditions of reads: `expected` of the operation is which of these, `key`
// and `value` are the numbers in it.
enum condition { ALL, OF_KEY, EQUAL, REMAINDER };

struct closed_event {
  bool has_process, nobody;
  bool init, other;      // the function, if it is not :txn
  bool has_map, has_txn; // the value
  uint64_t process;
  struct micro_ops ops;       // of a transaction; rows that a read found are
                              // pairs of `elements`, key and value
  struct value_list universe; // likewise, of :init
};

struct row_state {
  bool there, changed; // at first; by some transaction
  int64_t first;       // value, if it was there
};

struct closed_reading {
  struct jepsen_members has;
  struct tokens *t;
  struct builder *builder;
  struct jepsen jepsen;
  struct closed_event event;
  bool begun; // transactions were told
  // Keys are all numbers, or all names, which become numbers as they come.
  bool some_numbers;
  struct text_map names;
  struct number_map keys;
  struct row_state *rows; // by key id
  uint32_t rows_room;
  struct text_map versions; // a key, a value and, of deletes, which
  int64_t ndeletes;
  const char *expected; // instead of something that was told; or NULL
};

// --- Tokens.

static int read_closed_key(struct closed_reading *r, int64_t *key) {
  const struct tokens *t = r->t;
  const bool number = token_is_signed(t, key);
  if (!token_is_scalar(t) || token_is_nothing(t))
    return token_refuse(t, "the key of a row");
  if (number ? r->names.count > 0 : r->some_numbers)
    return token_refuse(t, "keys that are all numbers, or all names");
  r->some_numbers |= number;
  if (!number)
    *key = (int64_t)text_map_id(&r->names, t->text, t->length) + 1;
  return 0;
}

static int read_closed_number(struct closed_reading *r, const char *what,
                              int64_t *number) {
  return token_is_signed(r->t, number) ? 0 : token_refuse(r->t, what);
}

#define VALUE "the value of a row, a whole number of 64 bits"

// A map from its bracket on: keys and values of rows.
static int read_map(struct closed_reading *r, struct value_list *pairs) {
  struct tokens *t = r->t;
  if (!token_opens(t, '{') || t->set)
    return token_refuse(t, "a map of keys and values");
  while (token_next(t) != TOKEN_CLOSE) {
    int64_t key, value;
    if (read_closed_key(r, &key))
      return -1;
    token_next(t);
    if (read_closed_number(r, VALUE, &value))
      return -1;
    value_list_push(pairs, (uint64_t)key);
    value_list_push(pairs, (uint64_t)value);
  }
  return 0;
}

static int close_closed_vector(struct closed_reading *r) {
  return token_next(r->t) == TOKEN_CLOSE ? 0 : token_refuse(r->t, "']'");
}

// --- Operations.

// Behind [:= or [:mod.
static int read_closed_comparison(struct closed_reading *r,
                                  struct micro_op *op) {
  struct tokens *t = r->t;
  int64_t number, remainder;
  const bool mod = token_names(t, "mod");
  token_next(t);
  if (read_closed_number(r, "a whole number of 64 bits", &number))
    return -1;
  op->key = (uint64_t)number;
  op->expected = EQUAL;
  if (!mod)
    return close_closed_vector(r);
  if (number <= 0)
    return token_refuse(t, "a modulus above 0");
  token_next(t);
  if (read_closed_number(r, "a remainder", &remainder))
    return -1;
  if (remainder < 0 || remainder >= number)
    return token_refuse(t, "a remainder from 0 to below the modulus");
  op->value = (uint64_t)remainder;
  op->expected = REMAINDER;
  return close_closed_vector(r);
}

static int read_predicate(struct closed_reading *r, struct micro_op *op) {
  struct tokens *t = r->t;
  op->expected = ALL;
  if (t->kind == TOKEN_KEYWORD && token_names(t, "true"))
    return 0;
  const bool vector = token_opens(t, '[');
  if (vector)
    token_next(t);
  return vector && (token_names(t, "=") || token_names(t, "mod"))
             ? read_closed_comparison(r, op)
             : token_refuse(t, "the predicate :true, [:= 1] or [:mod 2 1]");
}

// Reads what a read found; nil where it looked for one key is no row, else it
// is not known.
static int read_found(struct closed_reading *r, struct micro_op *op) {
  struct value_list *elements = &r->event.ops.elements;
  int64_t value;
  op->first = elements->count;
  token_next(r->t);
  if (token_is_nothing(r->t) && op->expected != OF_KEY)
    op->kind = MICRO_NOTHING;
  else if (op->expected != OF_KEY && read_map(r, elements))
    return -1;
  else if (op->expected == OF_KEY && !token_is_nothing(r->t)) {
    if (read_closed_number(r, VALUE, &value))
      return -1;
    value_list_push(elements, op->key);
    value_list_push(elements, (uint64_t)value);
  }
  op->count = elements->count - op->first;
  return close_closed_vector(r);
}

// Behind the key of [:w k v] or [:insert k v].
static int read_closed_write(struct closed_reading *r, struct micro_op *op) {
  int64_t value;
  token_next(r->t);
  if (read_closed_number(r, VALUE, &value))
    return -1;
  op->value = (uint64_t)value;
  return close_closed_vector(r);
}

// Behind the key of [:delete k], or of [:delete k nil].
static int read_delete(struct closed_reading *r) {
  struct tokens *t = r->t;
  if (token_next(t) == TOKEN_CLOSE)
    return 0;
  return token_is_nothing(t) ? close_closed_vector(r) : token_refuse(t, "']'");
}

static const struct operation_name {
  const char *name;
  uint8_t kind; // enum op_kind
} operations[] = {{"rp", OP_ROW},
                  {"r", OP_ROW},
                  {"insert", OP_ROW_INSERT},
                  {"w", OP_ROW_UPDATE},
                  {"delete", OP_ROW_DELETE}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static int read_rest(struct closed_reading *r, struct micro_op *op,
                     bool predicate) {
  int64_t key = 0;
  token_next(r->t);
  if (predicate ? read_predicate(r, op) : read_closed_key(r, &key))
    return -1;
  if (!predicate) {
    op->key = (uint64_t)key;
    op->expected = OF_KEY;
  }
  return op->kind == OP_ROW          ? read_found(r, op)
         : op->kind == OP_ROW_DELETE ? read_delete(r)
                                     : read_closed_write(r, op);
}

static int read_closed_operation(void *reading) {
  struct closed_reading *r = reading;
  int i = 0;
  if (!token_opens(r->t, '['))
    return token_refuse(r->t, "an operation such as [:r 1 nil]");
  token_next(r->t);
  while (i < OPERATIONS && !token_names(r->t, operations[i].name))
    i++;
  if (i == OPERATIONS)
    return token_refuse(r->t, "r, rp, w, insert or delete");
  struct micro_op op = {.kind = operations[i].kind};
  if (read_rest(r, &op, i == 0))
    return -1;
  micro_ops_add(&r->event.ops, op);
  return 0;
}

// --- Rows.

static struct row_state *find_row_state(struct closed_reading *r, int64_t key) {
  const uint32_t id = number_map_id(&r->keys, (uint64_t)key);
  ARRAY_COVER(r->rows, id, r->rows_room);
  return &r->rows[id];
}

// The stamp of the version of a row that has the value; or, from 1 on, of the
// which-th delete.
static uint64_t find_closed_stamp(struct closed_reading *r, int64_t key,
                                  int64_t value, int64_t which) {
  const int64_t version[] = {key, value, which};
  return 1 + (uint64_t)text_map_id(&r->versions, (const char *)version,
                                   sizeof version);
}

// A remainder of a number below 0 is 0 or below it in SQL, but not in Elle.
static void write_condition(char text[CONDITION_MAX],
                            const struct micro_op *op) {
  const int64_t a = (int64_t)op->key, b = (int64_t)op->value;
  switch ((enum condition)op->expected) {
  case ALL:
    snprintf(text, CONDITION_MAX, "TRUE");
    break;
  case OF_KEY:
    snprintf(text, CONDITION_MAX, ROW_KEY_COLUMN " = %" PRId64, a);
    break;
  case EQUAL:
    snprintf(text, CONDITION_MAX, "v = %" PRId64, a);
    break;
  case REMAINDER:
    snprintf(text, CONDITION_MAX, "v %% %" PRId64 " = %" PRId64, a, b);
    if (b)
      snprintf(text + strlen(text), CONDITION_MAX - strlen(text),
               " OR v %% %" PRId64 " = %" PRId64, a, b - a);
  }
}

static uint32_t
find_closed_condition(struct closed_reading *r, const struct micro_op *op,
                      int64_t parameters[PREDICATE_PARAMETERS]) {
  char text[CONDITION_MAX];
  struct predicate predicate;
  struct error error;
  const struct predicate_columns columns = builder_columns(r->builder, 0);
  write_condition(text, op);
  const int status = predicate_read(&predicate, text, &columns, &error);
  assert(!status);
  (void)status;
  // So that statements of one shape share a condition.
  predicate_lift(&predicate, parameters);
  return builder_condition(r->builder, 0, &predicate);
}

static void tell_closed_statement(struct closed_reading *r,
                                  enum statement_sort sort,
                                  const struct micro_op *op, uint64_t stamp,
                                  const struct told_row *rows, uint32_t nrows) {
  int64_t parameters[PREDICATE_PARAMETERS];
  const struct told_statement statement = {
      .sort = (uint8_t)sort,
      .condition = statement_has_condition(sort)
                       ? find_closed_condition(r, op, parameters)
                       : NO_CONDITION,
      .parameters = parameters,
      .stamp = stamp,
      .rows = rows,
      .nrows = nrows};
  builder_statement(r->builder, &statement);
}

static void tell_read(struct closed_reading *r, const struct micro_op *op) {
  const uint32_t n = op->count / 2;
  struct told_row *rows = xmalloc(n * sizeof *rows);
  const uint64_t *pairs = r->event.ops.elements.values;
  for (uint32_t i = 0; i < n; i++) {
    assert(pairs);
    const uint32_t at = op->first + 2 * i;
    const int64_t key = (int64_t)pairs[at],
                  *value = (const int64_t *)&pairs[at + 1];
    const struct row_state *state = find_row_state(r, key);
    rows[i] =
        (struct told_row){.key = key,
                          .kind = OP_ROW,
                          .saw = state->there && state->first == *value
                                     ? 0
                                     : find_closed_stamp(r, key, *value, 0),
                          .image = value};
  }
  tell_closed_statement(r, STATEMENT_SELECT, op, 0, rows, n);
  free(rows);
}

// Not of an aborted transaction, which may have been refused for that.
static void note_change(struct closed_reading *r, struct row_state *state,
                        const struct micro_op *op) {
  if (state->changed)
    r->expected = "at most one change of each key: the order of two is not "
                  "known";
  else if (op->kind == OP_ROW_INSERT && state->there)
    r->expected = "an insert of a key that :init did not make";
  state->changed = true;
}

static void tell_change(struct closed_reading *r, const struct micro_op *op,
                        enum outcome outcome) {
  const int64_t key = (int64_t)op->key, value = (int64_t)op->value;
  struct row_state *state = find_row_state(r, key);
  const bool is_delete = op->kind == OP_ROW_DELETE;
  const bool finds = state->there && op->kind != OP_ROW_INSERT;
  if (outcome != OUTCOME_ABORTED)
    note_change(r, state, op);
  if (!is_delete && state->there && state->first == value)
    r->expected = "a value that the key does not hold already";
  const uint64_t stamp =
      find_closed_stamp(r, key, value, is_delete ? ++r->ndeletes : 0);
  const struct told_row row = {.key = key,
                               .kind = (uint8_t)(is_delete ? OP_ROW_DELETE
                                                 : finds   ? OP_ROW_UPDATE
                                                           : OP_ROW_INSERT),
                               .image = is_delete ? NULL : &value};
  const enum statement_sort sort = is_delete ? STATEMENT_DELETE
                                   : op->kind == OP_ROW_INSERT
                                       ? STATEMENT_INSERT
                                       : STATEMENT_UPSERT;
  tell_closed_statement(r, sort, op, stamp, &row, !is_delete || finds);
}

static void tell_closed_txn(void *reading, const struct micro_op *ops,
                            uint32_t count, enum outcome outcome) {
  struct closed_reading *r = reading;
  r->begun = true;
  for (uint32_t i = 0; i < count; i++)
    if (op_writes(ops[i].kind))
      tell_change(r, &ops[i], outcome);
    else if (outcome == OUTCOME_OK && ops[i].kind == MICRO_NOTHING)
      r->expected = "the rows that :rp found, a map";
    else if (outcome == OUTCOME_OK)
      tell_read(r, &ops[i]);
}

// --- Events.

static int read_closed_function(void *reading) {
  struct closed_reading *r = reading;
  r->event.init = token_names(r->t, "init");
  r->event.other = !r->event.init && !token_names(r->t, "txn");
  return token_pass(r->t, "a function");
}

static int read_closed_process(void *reading) {
  struct closed_reading *r = reading;
  int64_t process;
  r->event.has_process = token_is_signed(r->t, &process);
  r->event.nobody = !r->event.has_process;
  r->event.process = (uint64_t)process;
  return token_pass(r->t, "a process");
}

static int read_closed_value(void *reading) {
  struct closed_reading *r = reading;
  struct closed_event *e = &r->event;
  if (e->nobody || e->other || token_is_nothing(r->t))
    return token_pass(r->t, "a value");
  e->has_map = token_opens(r->t, '{');
  e->has_txn = !e->has_map;
  return e->has_map ? read_map(r, &e->universe)
                    : token_elements(r->t, read_closed_operation, r);
}

static int take_init(struct closed_reading *r) {
  const struct value_list *pairs = &r->event.universe;
  if (r->has.completion == INVOKE)
    return 0;
  if (r->has.completion != COMPLETE_OK || !r->event.has_map || r->keys.count ||
      r->begun)
    return token_refuse(r->t, "one :init before all transactions that ended "
                              "with :ok and has a map");
  for (uint32_t i = 0; i < pairs->count; i += 2) {
    const int64_t key = (int64_t)pairs->values[i];
    const int64_t value = (int64_t)pairs->values[i + 1];
    *find_row_state(r, key) = (struct row_state){.there = true, .first = value};
    builder_preload(r->builder, 0, key, &value);
  }
  return 0;
}

static int refuse_told(struct closed_reading *r, const char *expected) {
  expected = expected ? expected : r->expected;
  return expected ? token_refuse(r->t, expected) : 0;
}

static int take_closed_event(struct closed_reading *r) {
  const struct closed_event *e = &r->event;
  if (e->nobody)
    return 0;
  if (!r->has.has_type || !e->has_process || e->other)
    return token_refuse(r->t, "a type, a process and the function init or txn "
                              "before the end of the operation");
  if (e->init)
    return take_init(r);
  if (r->has.completion == COMPLETE_OK && !e->has_txn)
    return token_refuse(r->t, "a value that is a vector of operations before "
                              "the end of the operation");
  return refuse_told(r, jepsen_event(&r->jepsen, r->has.completion, e->process,
                                     r->has.time, &e->ops));
}

static int read_closed_event(void *reading) {
  static const struct member members[] = {
      {"type", jepsen_read_type},   {"f", read_closed_function},
      {"value", read_closed_value}, {"process", read_closed_process},
      {"time", jepsen_read_time},   {NULL, NULL}};
  struct closed_reading *r = reading;
  struct closed_event *e = &r->event;
  e->ops.count = e->ops.elements.count = e->universe.count = 0;
  *e = (struct closed_event){.ops = e->ops, .universe = e->universe};
  r->has = (struct jepsen_members){.t = r->t, .time = TIME_UNKNOWN};
  return token_members(r->t, members, r) ? -1 : take_closed_event(r);
}

int closed_predicate_parse(struct parsing *parsing) {
  static const char *const columns[] = {"v"};
  struct closed_reading r = {.builder = parsing->builder,
                             .t = parsing_tokens(parsing, true)};
  r.jepsen = (struct jepsen){
      .builder = r.builder, .tell = tell_closed_txn, .reading = &r};
  builder_table(r.builder, "t", columns, 1);
  int status = token_objects(r.t, read_closed_event, &r);
  if (status == 0) {
    jepsen_end(&r.jepsen);
    status = refuse_told(&r, NULL);
  }
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.event.ops);
  value_list_free(&r.event.universe);
  text_map_free(&r.names);
  text_map_free(&r.versions);
  number_map_free(&r.keys);
  free(r.rows);
  return status;
}

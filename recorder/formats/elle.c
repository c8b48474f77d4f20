// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of Jepsen, Elle and Knossos: maps of EDN or JSON, one for each time
// that a process invokes or completes an operation, in a vector or just behind
// each other.
//
//   {:index 0, :type :invoke, :process 0, :f :txn, :value [[:r 1 nil]]}
//   {"index":1,"type":"ok","process":0,"f":"txn","value":[["r",1,[3,4]]]}
#include "config.h"

#include "recorder/formats/digits.h"
#include "recorder/formats/elle.h"
#include "recorder/formats/micro_op.h"
#include "recorder/formats/values.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The function :f of an operation: of a register, or else a transaction.
enum function { F_TXN, F_READ, F_WRITE, F_CAS, F_OTHER };

static const char *const functions[] = {
    [F_TXN] = "txn", [F_READ] = "read", [F_WRITE] = "write", [F_CAS] = "cas"};

// The shape of an operation's :value.  Where it is known that registers are
// read and written, a key may be anything.
enum shape {
  SHAPE_NOTHING,
  SHAPE_SCALAR,
  SHAPE_PAIR,   // [KEY VALUE], or [OLD NEW] of a compare-and-set
  SHAPE_TRIPLE, // [KEY [OLD NEW]], as jepsen.independent has it, or [KEY OLD
                // NEW]
  SHAPE_TXN,
  SHAPE_OTHER
};

// The process of an operation that does not name one: its own, or the only one
// of a file among others.  Its completion, if that names none either, is the
// next event without a process.
#define NO_PROCESS (UINT64_C(1) << 62)

struct elle_event {
  bool has_process;
  bool nobody; // the process is no client
  bool named;  // and has a name, other than nemesis
  uint64_t process;
  enum function f;
  uint64_t key; // of a register
  bool odd_key; // that was not understood
  enum shape shape;
  bool mistaken; // no client's :value looks so
  struct elle_value {
    bool nothing;
    uint64_t value;
  } scalar[2]; // of a pair or a triple, all but the first one
  struct micro_ops ops;
};

enum { NO_VALUES = 3 }; // more than any operation has

enum keyed { KEYED_UNKNOWN, KEYED_NO, KEYED_YES };

struct elle_reading {
  struct jepsen_members has;
  struct tokens *t;
  struct parsing *parsing;
  struct jepsen jepsen;
  struct elle_event event;
  struct error mistake;
  // The first scalar of a pair or triple, which may be a key or a value.
  struct tokens first;
  size_t first_room;
  struct micro_reading micro;
  enum keyed keyed; // whether registers' values stand behind keys
  uint64_t unnamed; // process of the open invocation that names none, or 0
};

// From the first operation, or the closing bracket, on.
static int read_elle_txn(struct elle_reading *r) {
  r->event.shape = SHAPE_TXN;
  for (; r->t->kind != TOKEN_CLOSE; token_next(r->t)) {
    if (r->t->kind != TOKEN_OPEN || r->t->bracket == '{')
      return token_refuse(r->t, "an operation such as [r 1 nil], or ']'");
    token_next(r->t);
    if (micro_op_read(&r->micro))
      return -1;
  }
  return 0;
}

static struct elle_value known(const struct tokens *t, struct elle_reading *r) {
  const bool nothing = token_is_nothing(t);
  return (struct elle_value){nothing,
                             nothing ? VALUE_INITIAL
                                     : value_of_token(t, r->parsing->builder)};
}

// Is it known that the operation reads and writes registers?  What other
// processes than clients have for values may be anything, of any size.
static bool is_of_register(const struct elle_reading *r) {
  return r->event.f >= F_READ && r->event.f <= F_CAS;
}

// A set is what a client saw that adds to one, a map what it saw of several
// registers at once, as Jepsen's tests of comments and of banks have it with
// :read, unless it is said that there are none.
static bool may_be_collection(const struct elle_reading *r) {
  return is_of_register(r) && r->parsing->options->model == MODEL_REGISTER;
}

static bool takes_scalar(struct elle_reading *r) {
  micro_op_meet(&r->micro, r->event.f != F_READ);
  return token_is_scalar(r->t) ||
         (may_be_collection(r) && micro_op_prints(&r->micro));
}

static int complain_of_collection(struct elle_reading *r) {
  return token_refuse(r->t,
                      "the value of a register, which may be a set or a map "
                      "with --model=register if one is written as a whole");
}

static void keep_first(struct elle_reading *r) {
  char *text = r->first.text;
  if (r->t->length > r->first_room || !text) {
    r->first_room = 2 * (size_t)r->t->length + 64;
    text = xrealloc(text, r->first_room, 1);
  }
  memcpy(text, r->t->text, r->t->length);
  r->first = *r->t;
  r->first.text = text;
}

// [KEY [OLD NEW]], behind the second bracket.
static int read_inner_pair(struct elle_reading *r) {
  struct tokens *t = r->t;
  uint32_t n = 0;
  for (; token_next(t) != TOKEN_CLOSE; n++)
    if (n == 2 || !takes_scalar(r))
      return token_refuse(r->t, "two values and ']'");
    else
      r->event.scalar[n] = known(t, r);
  return n == 2 ? 0 : token_refuse(r->t, "two values before ']'");
}

// Reads what is behind the first scalar of a pair or a triple.
static int read_pair(struct elle_reading *r) {
  struct tokens *t = r->t;
  const uint32_t most = r->event.f == F_CAS ? 2 : 1;
  uint32_t n = 0;
  keep_first(r);
  while (token_next(t) != TOKEN_CLOSE)
    if (n == 0 && token_opens(t, '[')) {
      if (read_inner_pair(r))
        return -1;
      n = 2;
    } else if (n < most && takes_scalar(r))
      r->event.scalar[n++] = known(t, r);
    else
      return token_opens(t, '{') && is_of_register(r)
                 ? complain_of_collection(r)
                 : token_refuse(r->t, "a pair, such as [1 2], and ']'");
  r->event.shape = n == 0 ? SHAPE_OTHER : n == 1 ? SHAPE_PAIR : SHAPE_TRIPLE;
  return 0;
}

// A pair whose key is a collection, from its bracket on; or operations.
static int read_pair_or_txn(struct elle_reading *r) {
  struct tokens *t = r->t;
  if (token_opens(t, '{'))
    return micro_op_prints(&r->micro) ? read_pair(r)
                                      : token_refuse(r->t, "a key");
  token_next(t);
  if (!micro_op_is_named(t))
    return token_print_vector(t, &r->micro.printer)
               ? read_pair(r)
               : token_refuse(r->t, "a key");
  if (micro_op_read(&r->micro))
    return -1;
  token_next(t);
  return read_elle_txn(r);
}

// Reads a bracket's content, behind the bracket.
static int read_in_brackets(struct elle_reading *r) {
  token_next(r->t);
  if (token_is_scalar(r->t))
    return read_pair(r);
  return r->t->kind == TOKEN_OPEN && is_of_register(r) ? read_pair_or_txn(r)
                                                       : read_elle_txn(r);
}

// Whether the value matters is known when the whole operation is.  Goes on
// behind it.
static int pass_mistake(struct elle_reading *r, uint32_t depth) {
  struct tokens *t = r->t;
  r->event.shape = SHAPE_OTHER;
  r->event.mistaken = true;
  r->mistake = *r->parsing->error;
  t->skipping = true;
  while (t->depth > depth && t->kind != TOKEN_END && t->kind != TOKEN_WRONG)
    token_next(t);
  t->skipping = false;
  if (t->depth > depth)
    return -1;
  r->parsing->error->text[0] = 0;
  return 0;
}

static int read_elle_value(void *reading) {
  struct elle_reading *r = reading;
  struct tokens *t = r->t;
  r->event.ops.count = r->event.ops.elements.count = 0;
  r->event.mistaken = false;
  r->event.shape = SHAPE_OTHER;
  if (token_is_nothing(t))
    r->event.shape = SHAPE_NOTHING;
  else if (token_is_scalar(t)) {
    r->event.shape = SHAPE_SCALAR;
    r->event.scalar[0] = known(t, r);
  } else if (t->kind != TOKEN_OPEN)
    return token_pass(r->t, "a value");
  else if (t->bracket != '{') {
    const uint32_t outside = t->depth - 1;
    if (read_in_brackets(r))
      return pass_mistake(r, outside);
  } else if (!is_of_register(r))
    return token_pass(r->t, "a value");
  else if (!may_be_collection(r)) {
    complain_of_collection(r);
    return pass_mistake(r, t->depth - 1);
  } else if (!takes_scalar(r))
    return token_refuse(r->t, "a value");
  else {
    r->event.shape = SHAPE_SCALAR;
    r->event.scalar[0] = known(t, r);
  }
  return 0;
}

static int read_elle_function(void *reading) {
  struct elle_reading *r = reading;
  enum function f = F_TXN;
  while (f < F_OTHER && !token_names(r->t, functions[f]))
    f++;
  r->event.f = token_is_nothing(r->t) ? F_TXN : f;
  return token_pass(r->t, "the function of the operation");
}

// Clients are whole numbers, be they below 0 or strings; others have names.
static bool is_client(const struct tokens *t, uint64_t *process) {
  enum { LONGEST = DIGITS_MAX + 2 };
  char text[LONGEST + 9] = "";
  *process = t->integer;
  if (t->kind == TOKEN_INTEGER || !token_is_scalar(t) || t->length > LONGEST)
    return t->kind == TOKEN_INTEGER;
  memcpy(text, t->text, t->length);
  const char *digits = text + (*text == '-');
  const size_t n = digits_read(digits, process);
  const bool fits = digits_fit(digits, n, *process);
  *process = digits > text ? -*process : *process;
  return fits && !digits[n];
}

static int read_elle_process(void *reading) {
  struct elle_reading *r = reading;
  r->event.has_process = is_client(r->t, &r->event.process);
  r->event.nobody = !r->event.has_process && !token_is_nothing(r->t);
  r->event.named = r->event.nobody && !token_names(r->t, "nemesis");
  return token_pass(r->t, "a process");
}

static int read_elle_key(void *reading) {
  struct elle_reading *r = reading;
  r->event.odd_key = !token_is_scalar(r->t) &&
                     !(is_of_register(r) && micro_op_prints(&r->micro));
  if (!r->event.odd_key)
    r->event.key = key_of_token(r->t, r->parsing->builder);
  return token_pass(r->t, "a key");
}

static const struct member members[] = {{"type", jepsen_read_type},
                                        {"f", read_elle_function},
                                        {"value", read_elle_value},
                                        {"time", jepsen_read_time},
                                        {"process", read_elle_process},
                                        {"key", read_elle_key},
                                        {NULL, NULL}};

// Does the value begin with a key?
static bool value_has_key(const struct elle_event *e) {
  return e->shape == SHAPE_TRIPLE || (e->shape == SHAPE_PAIR && e->f != F_CAS);
}

// Either all operations on registers have a key in their value, or none: else
// [1 2] might be the elements of a set.
static bool take_register_key(struct elle_reading *r) {
  struct elle_event *e = &r->event;
  const enum keyed keyed = value_has_key(e) ? KEYED_YES : KEYED_NO;
  const bool same = !r->keyed || r->keyed == keyed;
  if (value_has_key(e))
    e->key = key_of_token(&r->first, r->parsing->builder);
  r->keyed = keyed;
  return same;
}

// The values that the operation on a register has besides its key; returns how
// many there are.
static uint32_t take_register_values(struct elle_reading *r,
                                     struct elle_value *values) {
  const struct elle_event *e = &r->event;
  const bool pair_of_values = e->shape == SHAPE_PAIR && !value_has_key(e);
  values[0] = pair_of_values ? known(&r->first, r) : e->scalar[0];
  values[1] = pair_of_values ? e->scalar[0] : e->scalar[1];
  switch (e->shape) {
  case SHAPE_NOTHING:
    return 0;
  case SHAPE_SCALAR:
    return 1;
  case SHAPE_PAIR:
    return pair_of_values ? 2 : !values[0].nothing;
  case SHAPE_TRIPLE:
    return 2;
  default:
    return NO_VALUES;
  }
}

// The operation on a register as a transaction; false if it is not one.
static bool take_register_op(struct elle_reading *r) {
  struct elle_event *e = &r->event;
  struct elle_value values[2];
  if (e->odd_key || !take_register_key(r))
    return false;
  const uint32_t n = take_register_values(r, values);
  struct micro_op op = {.key = e->key, .value = values[0].value};
  if (e->f == F_READ && n <= 1)
    op.kind = n ? OP_READ : MICRO_NOTHING;
  else if (e->f == F_WRITE && n == 1)
    op.kind = OP_WRITE;
  else if (e->f == F_CAS && n == 2) {
    op.kind = OP_CAS;
    op.expected = values[0].nothing
                      ? value_of_nothing(r->parsing->options->initial)
                      : values[0].value;
    op.value = values[1].value;
  } else
    return false;
  e->ops.count = 0;
  micro_ops_add(&e->ops, op);
  return true;
}

// Makes the value one of operations; -1 with a sentence if it is none.
static int take_elle_value(struct elle_reading *r, uint64_t process) {
  struct elle_event *e = &r->event;
  const bool failed =
      r->has.completion == COMPLETE_FAIL || r->has.completion == COMPLETE_INFO;
  if (failed && jepsen_awaits(&r->jepsen, process)) {
    e->ops.count = 0; // what was invoked counts, whatever is said now
    return 0;
  }
  if (e->mistaken) {
    *r->parsing->error = r->mistake;
    return -1;
  }
  if (e->shape == SHAPE_TXN)
    return 0;
  if (e->shape == SHAPE_NOTHING && r->has.completion != COMPLETE_OK &&
      e->f != F_READ) {
    e->ops.count = 0; // the other one of invocation and completion says it
    return 0;
  }
  // [nil 3] may be a value behind its version, of which an invocation knows
  // nothing, as Jepsen's test of etcd has it.
  if (value_has_key(e) && token_is_nothing(&r->first))
    return token_refuse(
        r->t, "a key that is not nil before the end of the operation");
  if (take_register_op(r))
    return 0;
  return token_refuse(r->t,
                      "a member value that is a vector of operations, or the "
                      "value of a register, before the end of the operation");
}

// Operations without a process come one after the other: each has a process of
// its own, since nothing says that they are of one session.
static int name_process(struct elle_reading *r) {
  const bool invokes = r->has.has_type && r->has.completion == INVOKE;
  if (invokes && r->unnamed)
    return token_refuse(r->t, "a process, since another operation without one "
                              "has not come back, before the end of the "
                              "operation");
  r->event.process = r->unnamed ? r->unnamed : NO_PROCESS + r->jepsen.position;
  r->unnamed = invokes ? r->event.process : 0;
  return 0;
}

// Whether the map was an operation of a client at all is seen at its end.  What
// happens to a database is told as info; logs of a nemesis may have more.
static int take_elle_event(struct elle_reading *r) {
  struct elle_event *e = &r->event;
  if (e->named && r->has.has_type && r->has.completion != COMPLETE_INFO)
    return token_refuse(
        r->t, "a process of a client, which is a whole number, before "
              "the end of the operation");
  if (e->nobody)
    return 0;
  if (e->f == F_OTHER && e->shape != SHAPE_TXN)
    return token_refuse(r->t,
                        "the function txn, read, write or cas of a client "
                        "before the end of the operation");
  if (!r->has.has_type && !e->mistaken)
    return token_refuse(r->t, "a member type before the end of the operation");
  if (!e->has_process && !r->parsing->directory && name_process(r))
    return -1;
  const uint64_t process = e->process + (r->parsing->session << 32);
  if (take_elle_value(r, process))
    return -1;
  const char *expected = jepsen_event(&r->jepsen, r->has.completion, process,
                                      r->has.time, &e->ops);
  return expected ? token_refuse(r->t, expected) : 0;
}

static void begin_elle_event(struct elle_reading *r) {
  struct micro_ops ops = r->event.ops;
  ops.count = ops.elements.count = 0;
  r->event = (struct elle_event){.ops = ops};
  r->has = (struct jepsen_members){.t = r->t, .time = TIME_UNKNOWN};
}

static int read_elle_event(void *reading) {
  struct elle_reading *r = reading;
  begin_elle_event(r);
  if (token_members(r->t, members, r))
    return -1;
  return take_elle_event(r);
}

// PROCESS :TYPE :FUNCTION VALUE; what follows in the line is left out, as a
// missing value of a nemesis is.
static int read_elle_line(struct elle_reading *r) {
  static int (*const parts[])(void *reading) = {
      read_elle_process, jepsen_read_type, read_elle_function, read_elle_value};
  const struct input *in = r->t->input;
  begin_elle_event(r);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *next = in->p + strspn(in->p, " \t\r");
    if (i && (*next == '\n' || next == in->end))
      break;
    token_next(r->t);
    if (parts[i](r))
      return -1;
  }
  return take_elle_event(r);
}

static int read_elle_lines(struct elle_reading *r,
                           bool (*find)(struct input *)) {
  int status = 0;
  while (!status && find(r->t->input))
    status = read_elle_line(r);
  return status;
}

// A collection that nobody wrote as a whole was read from something else than a
// register: each such read would be out of thin air.
static int check_collections(const struct parsing *parsing) {
  if (parsing->options->model != MODEL_REGISTER || !parsing->collection_file ||
      parsing->collection_written)
    return 0;
  return error_set(parsing->error,
                   "%s: line %" PRIu64 " reads a list, a set or a map, and "
                   "none is written as a whole: with --model=register it "
                   "would be a value that nobody wrote; leave the option out",
                   parsing->collection_file, parsing->collection_line);
}

// With `find`, which goes to the next one, the events are lines.
static int parse_elle(struct parsing *parsing, bool edn,
                      bool (*find)(struct input *)) {
  struct elle_reading r = {
      .parsing = parsing,
      .t = parsing_tokens(parsing, edn),
      .jepsen = {.builder = parsing->builder, .apart = parsing->directory},
      .micro = {
          .t = &parsing->tokens, .parsing = parsing, .ops = &r.event.ops}};
  builder_options(parsing->builder)->writes_add = true;
  int status = find ? read_elle_lines(&r, find)
                    : token_objects(r.t, read_elle_event, &r);
  if (status == 0)
    jepsen_end(&r.jepsen);
  if (status == 0 && !parsing->more)
    status = check_collections(parsing);
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.event.ops);
  free(r.first.text);
  printer_free(r.micro.printer);
  return status;
}

int elle_parse_edn(struct parsing *parsing) {
  return parse_elle(parsing, true, NULL);
}
int elle_parse_json(struct parsing *parsing) {
  return parse_elle(parsing, false, NULL);
}
int elle_parse_lines(struct parsing *parsing, bool (*find)(struct input *)) {
  return parse_elle(parsing, true, find);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of Jepsen, Elle and Knossos: maps of EDN or JSON, one for each time
// that a process invokes or completes an operation, in a vector or just behind
// each other.
//
//   {:index 0, :type :invoke, :process 0, :f :txn, :value [[:r 1 nil]]}
//   {"index":1,"type":"ok","process":0,"f":"txn","value":[["r",1,[3,4]]]}
#include "config.h"

#include "recorder/formats/elle_write.h"
#include "recorder/formats/jepsen.h"
#include "recorder/formats/values.h"

#include <ctype.h>
#include <string.h>

// What an operation's :value is.
enum shape { SHAPE_NOTHING, SHAPE_SCALAR, SHAPE_PAIR, SHAPE_TXN, SHAPE_OTHER };

// The process of an operation that does not name one: its own.
#define NO_PROCESS (UINT64_C(1) << 62)

struct event {
  bool has_type, has_process;
  bool nobody; // the process is no client
  enum completion completion;
  uint64_t process, time;
  bool read, write, cas; // :f of a register; otherwise a transaction
  bool other;            // none of ours
  uint64_t key;          // of a register
  enum shape shape;
  uint64_t scalar[2];
  struct micro_ops ops;
};

struct reading {
  struct tokens t;
  struct parsing *parsing;
  struct jepsen jepsen;
  struct event event;
};

static int complain(struct reading *r, const char *expected) {
  return token_refuse(&r->t, expected, r->parsing->error);
}

static int skip(struct reading *r, const char *expected) {
  return token_skip(&r->t) ? complain(r, expected) : 0;
}

// Goes on behind the closing bracket of a vector.
static int close_vector(struct reading *r) {
  for (;;) {
    switch (token_next(&r->t)) {
    case TOKEN_CLOSE:
      return 0;
    case TOKEN_END:
    case TOKEN_WRONG:
      return complain(r, "']'");
    default:
      if (skip(r, "']'"))
        return -1;
    }
  }
}

// Behind the opening bracket.
static int read_list(struct reading *r, struct micro_op *op) {
  struct tokens *t = &r->t;
  struct value_list *elements = &r->event.ops.elements;
  op->kind = OP_READ_LIST;
  op->first = elements->count;
  while (token_next(t) != TOKEN_CLOSE) {
    if (!token_is_scalar(t))
      return complain(r, "an element of the list, or ']'");
    value_list_push(elements, element_of_token(t, r->parsing->builder));
  }
  op->count = elements->count - op->first;
  return 0;
}

// What [:r k v] read; the current token is the first of v, or the bracket that
// closes a vector without it.
static int read_result(struct reading *r, struct micro_op *op) {
  struct tokens *t = &r->t;
  op->kind = MICRO_NOTHING;
  if (t->kind == TOKEN_CLOSE || token_is_nothing(t))
    return 0;
  if (token_is_scalar(t)) {
    op->kind = OP_READ;
    op->value = value_of_token(t, r->parsing->builder);
    return 0;
  }
  return t->kind == TOKEN_OPEN && t->bracket != '{'
             ? read_list(r, op)
             : complain(r, "what was read: nil, a value or a list");
}

// [:r k v], [:w k v] or [:append k v], behind its bracket.
static int read_micro_op(struct reading *r) {
  struct tokens *t = &r->t;
  struct micro_op op = {0};
  token_next(t);
  const bool reads = token_names(t, "r"), appends = token_names(t, "append");
  if (!reads && !appends && !token_names(t, "w"))
    return complain(r, "r, w or append");
  token_next(t);
  if (!token_is_scalar(t))
    return complain(r, "a key: a number, a keyword or a string");
  op.key = key_of_token(t, r->parsing->builder);
  token_next(t);
  if (reads) {
    if (read_result(r, &op))
      return -1;
  } else if (!token_is_scalar(t) || token_is_nothing(t))
    return complain(r, "the value that is written");
  else {
    op.kind = appends ? OP_APPEND : OP_WRITE;
    op.value = appends ? element_of_token(t, r->parsing->builder)
                       : value_of_token(t, r->parsing->builder);
  }
  micro_ops_add(&r->event.ops, op);
  return t->kind == TOKEN_CLOSE && op.kind == MICRO_NOTHING ? 0
                                                            : close_vector(r);
}

static int read_txn(struct reading *r) {
  r->event.shape = SHAPE_TXN;
  for (; r->t.kind != TOKEN_CLOSE; token_next(&r->t)) {
    if (r->t.kind != TOKEN_OPEN || r->t.bracket == '{')
      return complain(r, "an operation such as [r 1 nil], or ']'");
    if (read_micro_op(r))
      return -1;
  }
  return 0;
}

// The two numbers of a compare-and-set, from the first one on.
static int read_pair(struct reading *r) {
  struct tokens *t = &r->t;
  uint32_t n = 0;
  r->event.shape = SHAPE_OTHER;
  for (; t->kind != TOKEN_CLOSE; token_next(t), n++) {
    if (!token_is_scalar(t)) {
      if (skip(r, "']'"))
        return -1;
    } else if (n < 2)
      r->event.scalar[n] = token_is_nothing(t)
                               ? VALUE_INITIAL
                               : value_of_token(t, r->parsing->builder);
  }
  r->event.shape = n == 2 ? SHAPE_PAIR : SHAPE_OTHER;
  return 0;
}

static int read_value(void *reading) {
  struct reading *r = reading;
  struct tokens *t = &r->t;
  r->event.ops.count = r->event.ops.elements.count = 0;
  r->event.shape = SHAPE_OTHER;
  if (token_is_nothing(t))
    r->event.shape = SHAPE_NOTHING;
  else if (token_is_scalar(t)) {
    r->event.shape = SHAPE_SCALAR;
    r->event.scalar[0] = value_of_token(t, r->parsing->builder);
  } else if (t->kind != TOKEN_OPEN || t->bracket == '{')
    return skip(r, "a value");
  else {
    token_next(t);
    return token_is_scalar(t) ? read_pair(r) : read_txn(r);
  }
  return 0;
}

static int read_f(void *reading) {
  struct reading *r = reading;
  struct event *e = &r->event;
  e->read = token_names(&r->t, "read");
  e->write = token_names(&r->t, "write");
  e->cas = token_names(&r->t, "cas");
  e->other = !e->read && !e->write && !e->cas && !token_names(&r->t, "txn") &&
             !token_is_nothing(&r->t);
  return skip(r, "the function of the operation");
}

static int read_type(void *reading) {
  struct reading *r = reading;
  struct event *e = &r->event;
  if (!token_is_scalar(&r->t) ||
      !completion_parse(r->t.text, r->t.length, &e->completion))
    return complain(r, "invoke, ok, fail or info");
  e->has_type = true;
  return 0;
}

static int read_process(void *reading) {
  struct reading *r = reading;
  r->event.has_process = r->t.kind == TOKEN_INTEGER;
  r->event.nobody = !r->event.has_process && !token_is_nothing(&r->t);
  r->event.process = r->t.integer;
  return skip(r, "a process");
}

static int read_time(void *reading) {
  struct reading *r = reading;
  if (r->t.kind == TOKEN_INTEGER)
    r->event.time = r->t.integer;
  return skip(r, "a time");
}

static int read_key(void *reading) {
  struct reading *r = reading;
  if (token_is_scalar(&r->t))
    r->event.key = key_of_token(&r->t, r->parsing->builder);
  return skip(r, "a key");
}

static const struct member members[] = {{"type", read_type},
                                        {"f", read_f},
                                        {"value", read_value},
                                        {"time", read_time},
                                        {"process", read_process},
                                        {"key", read_key},
                                        {NULL, NULL}};

// The operation on a register as a transaction; false if it is not one.
static bool take_register_op(struct event *e) {
  struct micro_op op = {.key = e->key, .value = e->scalar[0]};
  const bool scalar = e->shape == SHAPE_SCALAR;
  if (e->read && (scalar || e->shape == SHAPE_NOTHING))
    op.kind = scalar ? OP_READ : MICRO_NOTHING;
  else if (e->write && scalar)
    op.kind = OP_WRITE;
  else if (e->cas && e->shape == SHAPE_PAIR) {
    op.kind = OP_CAS;
    op.expected = e->scalar[0];
    op.value = e->scalar[1];
  } else
    return false;
  e->ops.count = 0;
  micro_ops_add(&e->ops, op);
  return true;
}

// Whether the map was an operation of a client at all is seen at its end.
static int take_event(struct reading *r) {
  struct event *e = &r->event;
  if (e->nobody || (e->other && e->shape != SHAPE_TXN))
    return 0;
  if (!e->has_process)
    e->process = NO_PROCESS + r->jepsen.position;
  if (!e->has_type)
    return complain(r, "a member type before the end of the operation");
  if (e->shape == SHAPE_NOTHING && e->completion != COMPLETE_OK && !e->read)
    e->ops.count = 0; // a completion need not repeat what was invoked
  else if (e->shape != SHAPE_TXN && !take_register_op(e))
    return complain(r, "a member value that is a vector of operations before "
                       "the end of the operation");
  const char *expected =
      jepsen_event(&r->jepsen, e->completion,
                   e->process + (r->parsing->session << 32), e->time, &e->ops);
  return expected ? complain(r, expected) : 0;
}

static int read_event(void *reading) {
  struct reading *r = reading;
  struct micro_ops ops = r->event.ops;
  ops.count = ops.elements.count = 0;
  r->event = (struct event){.ops = ops, .time = TIME_UNKNOWN};
  if (token_members(&r->t, members, r, r->parsing->error))
    return -1;
  return take_event(r);
}

static int parse(struct parsing *parsing, bool edn) {
  struct reading r = {.parsing = parsing,
                      .t = {.input = &parsing->input, .edn = edn},
                      .jepsen = {.builder = parsing->builder}};
  const int status = token_objects(&r.t, read_event, &r, parsing->error);
  if (status == 0)
    jepsen_end(&r.jepsen);
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.event.ops);
  return status;
}

static int parse_edn(struct parsing *parsing) { return parse(parsing, true); }
static int parse_json(struct parsing *parsing) { return parse(parsing, false); }

// The first map's content, behind the brackets and tags before it; NULL if
// there is none.
static const char *first_map(const char *p) {
  while (isspace((unsigned char)*p) || *p == ',' || *p == '[' || *p == '(' ||
         *p == ';' || *p == '#')
    p += *p == ';' ? strcspn(p, "\n") : *p == '#' ? strcspn(p, "{ ") : 1;
  return *p == '{' ? p + 1 : NULL;
}

static bool recognise_edn(const unsigned char *head, size_t bytes) {
  (void)bytes;
  const char *map = first_map((const char *)head);
  return map && map[strspn(map, " \t\r\n,")] == ':' &&
         (strstr(map, ":type") || strstr(map, ":process"));
}

static bool recognise_json(const unsigned char *head, size_t bytes) {
  (void)bytes;
  const char *map = first_map((const char *)head);
  return map && map[strspn(map, " \t\r\n")] == '"' && strstr(map, "\"type\"") &&
         strstr(map, "\"value\"");
}

enum {
  SAYS = SAYS_LISTS | SAYS_ABORTED | SAYS_DUPLICATES | SAYS_UNKNOWN |
         SAYS_TIMES | SAYS_NAMES | SAYS_VALUES
};

const struct history_format format_edn = {
    .name = "edn",
    .summary = "Jepsen, Elle and Knossos: EDN, lists or registers",
    .initial = INITIAL_IMPLICIT,
    .says = SAYS,
    .files = "J*.log", // Viper's
    .recognise = recognise_edn,
    .parse = parse_edn,
    .extension = "edn",
    .write = elle_write_edn,
};

const struct history_format format_elle_json = {
    .name = "elle-json",
    .summary = "the same as JSON (elle-cli)",
    .initial = INITIAL_IMPLICIT,
    .says = SAYS,
    .recognise = recognise_json,
    .parse = parse_json,
    .extension = "json",
    .write = elle_write_json,
};

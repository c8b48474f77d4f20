// SPDX-License-Identifier: GPL-3.0-or-later
// Viper's logs as JSON, a file per session: objects behind each other, or in an
// array.  The transaction that filled the tables came before all others.
//
//   {"value":[["w",1,5,true],["r",2,"nil",false]],"isInitial":false}
//
// The operations are those of Viper's EDN (recorder/formats/micro_op.h), but
// that the string "nil" is nothing.  Instead of writes, that first transaction
// may have a query of all rows, which says what was there.
#include "config.h"

#include "recorder/formats/micro_op.h"

#include <string.h>

struct viper_reading {
  struct tokens *t;
  struct parsing *parsing;
  struct micro_reading micro;
  struct micro_ops ops; // of the transaction
  bool has_value, initial;
};

static int read_viper_op(void *reading) {
  struct viper_reading *r = reading;
  if (r->t->kind != TOKEN_OPEN || r->t->bracket == '{')
    return token_refuse(r->t, "an operation such as [\"w\",1,5,true]");
  token_next(r->t);
  return micro_op_read(&r->micro);
}

static int read_viper_value(void *reading) {
  struct viper_reading *r = reading;
  r->has_value = true;
  return token_elements(r->t, read_viper_op, r);
}

static int read_viper_initial(void *reading) {
  struct viper_reading *r = reading;
  r->initial = token_is(r->t, "true");
  return token_pass(r->t, "true or false");
}

static const struct member members[] = {{"value", read_viper_value},
                                        {"isInitial", read_viper_initial},
                                        {NULL, NULL}};

// Where nothing is what a key held at first, a read of it is one of a register:
// another transaction may have said that the key held something.
static void tell_viper_ops(struct viper_reading *r) {
  for (uint32_t i = 0; i < r->ops.count && !tells_nothing(r->parsing); i++)
    if (r->ops.ops[i].kind == MICRO_NOTHING) {
      r->ops.ops[i].kind = OP_READ;
      r->ops.ops[i].value = VALUE_INITIAL;
    }
  micro_ops_tell(&r->ops, r->parsing->builder);
}

static void take_rows_as_written(struct micro_ops *ops) {
  const uint32_t n = ops->count - 1;
  if (!ops->count || ops->ops[n].kind != MICRO_RANGE || ops->ops[n].count != n)
    return;
  ops->count = n;
  for (uint32_t i = 0; i < n; i++)
    if (ops->ops[i].kind == OP_READ)
      ops->ops[i].kind = OP_WRITE;
}

static int read_viper_txn(void *reading) {
  struct viper_reading *r = reading;
  builder_txn(r->parsing->builder, r->parsing->session, OUTCOME_OK,
              ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  r->has_value = r->initial = false;
  r->ops.count = r->ops.elements.count = 0;
  if (token_members(r->t, members, r))
    return -1;
  if (!r->has_value)
    return token_refuse(r->t,
                        "a member value before the end of the transaction");
  if (r->initial)
    take_rows_as_written(&r->ops);
  tell_viper_ops(r);
  if (r->initial)
    builder_first(r->parsing->builder);
  return 0;
}

static int viper_json_parse(struct parsing *parsing) {
  struct viper_reading r = {.t = parsing_tokens(parsing, false),
                            .parsing = parsing};
  int status = 0;
  r.micro = (struct micro_reading){
      .t = r.t, .parsing = parsing, .ops = &r.ops, .says_nil = true};
  while (status == 0 && token_next(r.t) != TOKEN_END)
    status = token_opens(r.t, '[') ? token_elements(r.t, read_viper_txn, &r)
                                   : read_viper_txn(&r);
  micro_ops_free(&r.ops);
  printer_free(r.micro.printer);
  return status;
}

static bool viper_json_recognise(const char *p) {
  p += strspn(p, " \t\r\n[");
  return *p == '{' && text_has_member(p, 1, "value") &&
         !text_has_member(p, 1, "type");
}

const struct history_format format_viper_json = {
    .name = "viper-json",
    .summary = "Viper: directory of JSON, a file J*.log per session",
    .files = "J*.log",
    .initial = INITIAL_IMPLICIT,
    .recognise_text = viper_json_recognise,
    .parse = viper_json_parse,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of Jepsen's register tests, as Porcupine has them:
//
//   INFO  jepsen.util - 0	:invoke	:cas	[1 4]
//   INFO  jepsen.util - 0	:fail	:cas	[1 4]
//
// One register, of which nothing is known at first; lines that are none of
// these are left out, and what follows in a line: its logs of etcd have hints.
#include "config.h"

#include "recorder/formats/calls.h"
#include "recorder/formats/jepsen.h"
#include "recorder/formats/lines.h"
#include "recorder/formats/values.h"

#include <string.h>

static const char mark[] = "jepsen.util - "; // before an operation

struct porcupine_reading {
  struct tokens *t;
  struct parsing *parsing;
  struct jepsen jepsen;
  struct micro_ops ops;
};

static uint64_t read_porcupine_value(struct porcupine_reading *r) {
  return token_is_nothing(r->t) ? VALUE_INITIAL
                                : value_of_token(r->t, r->parsing->builder);
}

// [OLD NEW]
static int read_porcupine_cas(struct porcupine_reading *r,
                              struct micro_op *op) {
  if (r->t->kind != TOKEN_OPEN)
    return token_refuse(r->t, "'[' before the two values");
  token_next(r->t);
  if (!token_is_scalar(r->t))
    return token_refuse(r->t, "the value that is expected");
  op->expected = token_is_nothing(r->t)
                     ? value_of_nothing(r->parsing->options->initial)
                     : read_porcupine_value(r);
  token_next(r->t);
  if (!token_is_scalar(r->t) || token_is_nothing(r->t))
    return token_refuse(r->t, "the new value");
  op->kind = OP_CAS;
  op->value = read_porcupine_value(r);
  return token_next(r->t) == TOKEN_CLOSE ? 0 : token_refuse(r->t, "']'");
}

static int read_porcupine_op(struct porcupine_reading *r,
                             enum completion completion) {
  struct tokens *t = r->t;
  struct micro_op op = {.kind = MICRO_NOTHING};
  const bool reads = token_names(t, "read"), writes = token_names(t, "write");
  if (!reads && !writes && !token_names(t, "cas"))
    return token_refuse(r->t, ":read, :write or :cas");
  token_next(t);
  if (token_names(t, "timed-out"))
    r->ops.count = 0; // of what was invoked
  else if (!reads && !writes) {
    if (read_porcupine_cas(r, &op))
      return -1;
  } else if (!token_is_scalar(t))
    return token_refuse(r->t, "a value");
  else if (writes || (completion == COMPLETE_OK && !token_is_nothing(t))) {
    op.kind = writes ? OP_WRITE : OP_READ;
    op.value = read_porcupine_value(r);
  }
  micro_ops_add(&r->ops, op);
  return 0;
}

// Behind "jepsen.util - ".
static int read_porcupine_event(struct porcupine_reading *r) {
  enum completion completion;
  if (token_next(r->t) != TOKEN_INTEGER)
    return 0; // :nemesis, or no operation at all
  const uint64_t process = r->t->integer;
  token_next(r->t);
  if (r->t->kind != TOKEN_KEYWORD || !completion_parse(r->t, &completion))
    return token_refuse(r->t, ":invoke, :ok, :fail or :info");
  r->ops.count = 0;
  token_next(r->t);
  if (read_porcupine_op(r, completion))
    return -1;
  const char *expected =
      jepsen_event(&r->jepsen, completion, process, TIME_UNKNOWN, &r->ops);
  return expected ? token_refuse(r->t, expected) : 0;
}

static int porcupine_parse(struct parsing *parsing) {
  struct input *in = &parsing->input;
  struct porcupine_reading r = {.parsing = parsing,
                                .t = parsing_tokens(parsing, true),
                                .jepsen = {.builder = parsing->builder}};
  int status = 0;
  do {
    input_want(in);
    const char *feed = memchr(in->p, '\n', (size_t)(in->end - in->p));
    const size_t length = (size_t)((feed ? feed : in->end) - in->p);
    char *found = memmem(in->p, length, mark, sizeof mark - 1);
    if (!found)
      continue;
    in->p = found + sizeof mark - 1;
    status = read_porcupine_event(&r);
  } while (status == 0 && lines_next(in));
  if (status == 0)
    jepsen_end(&r.jepsen);
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.ops);
  return status;
}

// ":invoke" of an operation on a register.
static bool is_invocation(const char *p) {
  static const char *const functions[] = {":read", ":write", ":cas"};
  bool is = false;
  if (strncmp(p, ":invoke", 7) != 0)
    return false;
  p += 7 + strspn(p + 7, " \t");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    is |= strncmp(p, functions[i], strlen(functions[i])) == 0;
  return is;
}

static bool porcupine_recognise(const char *p) {
  while ((p = strstr(p, mark))) {
    p += sizeof mark - 1;
    const size_t process = strspn(p, "0123456789");
    const char *behind = p + process;
    const size_t blanks = strspn(behind, " \t");
    if (process && blanks && is_invocation(behind + blanks))
      return true;
  }
  return false;
}

const struct history_format format_porcupine = {
    .name = "porcupine",
    .summary = "Jepsen's log of a register, as Porcupine has it",
    .example = "INFO  jepsen.util - 0 :invoke :write 1\n"
               "INFO  jepsen.util - 0 :ok :write 1",
    .initial = INITIAL_IMPLICIT,
    .says = FEATURE_DUPLICATES | FEATURE_CAS | FEATURE_UNKNOWN | FEATURE_ORDER,
    .recognise_text = porcupine_recognise,
    .parse = porcupine_parse,
    .single = true,
    .extension = "porcupine",
    .write = calls_write_porcupine,
};

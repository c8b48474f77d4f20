// SPDX-License-Identifier: GPL-3.0-or-later
// Our own histories as JSON, a transaction per line (formats/FORMATS.md): to be
// written by hand or with jq.
//
//   {"session":0,"ops":[["w","x",1],["r","y",null]],"begin":10,"end":20}
#include "config.h"

#include "recorder/formats/export.h"
#include "recorder/formats/micro_op.h"
#include "recorder/formats/row_notation.h"
#include "recorder/formats/values.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct jsonl_reading {
  struct tokens *t;
  struct parsing *parsing;
  bool has_ops;
  uint64_t begin, end;
  struct micro_reading micro;
  struct micro_ops ops; // of the transaction, behind the last statement
  struct row_reading rows;
};

// Reads a statement or a table with `read` from the text of the token.
static int read_jsonl_rows(struct jsonl_reading *r,
                           const char *(*read)(struct row_reading *,
                                               const char *, uint64_t)) {
  char *text = xasprintf("%.*s", (int)r->t->length, r->t->text);
  const char *end = read(&r->rows, text, input_line(r->t->input));
  if (end && end[strspn(end, " \t")]) {
    r->rows.at = end;
    snprintf(r->rows.why, sizeof r->rows.why, "expected the end of the text");
    end = NULL;
  }
  if (!end)
    input_refuse(r->t->input, r->t->text + (r->rows.at - text), r->rows.why,
                 r->t->error);
  free(text);
  return end ? 0 : -1;
}

static int read_jsonl_table(void *reading) {
  struct jsonl_reading *r = reading;
  if (r->t->kind != TOKEN_STRING)
    return token_refuse(r->t, "a table such as \"t(b, v): 1{b=1,v=5}\"");
  return read_jsonl_rows(r, row_table_read);
}

static int read_tables(void *reading) {
  struct jsonl_reading *r = reading;
  if (!token_opens(r->t, '['))
    return token_refuse(r->t, "a list of tables");
  return token_elements(r->t, read_jsonl_table, r);
}

static int read_jsonl_op(void *reading) {
  struct jsonl_reading *r = reading;
  if (r->t->kind == TOKEN_STRING) {
    micro_ops_tell(&r->ops, r->parsing->builder); // those before it
    r->ops.count = r->ops.elements.count = 0;
    return read_jsonl_rows(r, row_statement_read);
  }
  if (r->t->kind != TOKEN_OPEN || r->t->bracket == '{')
    return token_refuse(r->t, "an operation such as [\"r\",\"x\",1]");
  token_next(r->t);
  return micro_op_read(&r->micro);
}

static int read_jsonl_ops(void *reading) {
  struct jsonl_reading *r = reading;
  if (r->has_ops)
    return token_refuse(r->t, "one member ops only");
  r->has_ops = true;
  r->ops.count = r->ops.elements.count = 0;
  if (token_elements(r->t, read_jsonl_op, r))
    return -1;
  micro_ops_tell(&r->ops, r->parsing->builder);
  return 0;
}

static int read_jsonl_session(void *reading) {
  struct jsonl_reading *r = reading;
  if (r->t->kind != TOKEN_INTEGER)
    return token_refuse(r->t, "the number of a session");
  builder_session(r->parsing->builder, r->t->integer);
  return 0;
}

static int read_jsonl_time(struct jsonl_reading *r, uint64_t *time) {
  if (r->t->kind != TOKEN_INTEGER && !token_is_nothing(r->t))
    return token_refuse(r->t, "a time in nanoseconds, or null");
  *time = r->t->kind == TOKEN_INTEGER ? r->t->integer : TIME_UNKNOWN;
  return 0;
}

static int read_jsonl_begin(void *reading) {
  struct jsonl_reading *r = reading;
  return read_jsonl_time(r, &r->begin);
}

static int read_end(void *reading) {
  struct jsonl_reading *r = reading;
  return read_jsonl_time(r, &r->end);
}

// The words that enum outcome, and Jepsen, have for it.
static int read_jsonl_outcome(void *reading) {
  static const char *const jepsen[] = {"ok", "fail", "info"};
  struct jsonl_reading *r = reading;
  int o = 0;
  while (o < OUTCOME_COUNT && !token_is(r->t, jepsen[o]) &&
         !token_is(r->t, outcome_name((enum outcome)o)))
    o++;
  if (o == OUTCOME_COUNT)
    return token_refuse(r->t, "committed, aborted or unknown");
  builder_outcome(r->parsing->builder, (enum outcome)o);
  return 0;
}

static int read_cause(void *reading) {
  struct jsonl_reading *r = reading;
  int c = 0;
  while (c < CAUSE_COUNT && !token_is(r->t, cause_name((enum cause)c)))
    c++;
  if (c == CAUSE_COUNT)
    return token_refuse(r->t, "the cause of an abort, such as deadlock");
  builder_cause(r->parsing->builder, (enum cause)c);
  return 0;
}

static int read_jsonl_level(void *reading) {
  struct jsonl_reading *r = reading;
  int level = 0;
  while (level < ISOLATION_COUNT &&
         !token_is(r->t, isolation_name((enum isolation)level)))
    level++;
  if (level == ISOLATION_COUNT)
    return token_refuse(r->t, "a level: none, rc, ra, cc, pc, si, ser or sser");
  builder_level(r->parsing->builder, (enum isolation)level);
  return 0;
}

static int read_endpoint(void *reading) {
  struct jsonl_reading *r = reading;
  if (r->t->kind != TOKEN_INTEGER || r->t->integer >= HISTORY_NO_ENDPOINT)
    return token_refuse(r->t, "the number of a host, from 0");
  builder_endpoint(r->parsing->builder, (uint8_t)r->t->integer);
  return 0;
}

static const struct member members[] = {
    {"ops", read_jsonl_ops},     {"session", read_jsonl_session},
    {"begin", read_jsonl_begin}, {"end", read_end},
    {"level", read_jsonl_level}, {"outcome", read_jsonl_outcome},
    {"cause", read_cause},       {"endpoint", read_endpoint},
    {"tables", read_tables},     {NULL, NULL}};

static int read_jsonl_txn(struct jsonl_reading *r) {
  struct builder *b = r->parsing->builder;
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  r->has_ops = false;
  r->begin = r->end = TIME_UNKNOWN;
  if (token_members(r->t, members, r))
    return -1;
  if (!r->has_ops)
    return token_refuse(r->t, "a member ops before the end of the transaction");
  if (r->end < r->begin && r->begin != TIME_UNKNOWN)
    return token_refuse(r->t, "an end that is not before the begin");
  builder_times(b, r->begin, r->end);
  return 0;
}

static int jsonl_parse(struct parsing *parsing) {
  struct jsonl_reading r = {.t = parsing_tokens(parsing, false),
                            .parsing = parsing};
  int status = 0;
  r.micro = (struct micro_reading){
      .t = r.t, .parsing = parsing, .ops = &r.ops, .plain = true};
  r.rows.builder = parsing->builder;
  while (status == 0 && token_next(r.t) != TOKEN_END)
    status = read_jsonl_txn(&r);
  if (status == 0)
    status = row_reading_check(&r.rows, parsing->input.path, parsing->error);
  row_reading_free(&r.rows);
  micro_ops_free(&r.ops);
  return status;
}

static void put_jsonl_op(struct export_writing *w,
                         const struct exported *said) {
  static const char *const names[] = {
      [OP_READ] = "r",       [OP_WRITE] = "w",       [OP_CAS] = "cas",
      [OP_READ_LIST] = "r",  [OP_APPEND] = "append", [EXPORTED_SET] = "r",
      [EXPORTED_ADD] = "add"};
  fprintf(w->out, "[\"%s\",", names[said->kind]);
  writing_put_key(w, said->key, false);
  fputc(',', w->out);
  if (said->kind == OP_CAS) {
    if (said->expects_nothing)
      fputs("null", w->out);
    else
      writing_put_value(w, said->expected, false);
    fputc(',', w->out);
  }
  if (said->kind == EXPORTED_SET)
    fputs("{\"set\":", w->out);
  if (said->kind == OP_READ_LIST || said->kind == EXPORTED_SET)
    writing_put_list(w, said, false);
  else if (said->nothing)
    fputs("null", w->out);
  else
    writing_put_value(w, said->value, false);
  fputs(said->kind == EXPORTED_SET ? "}]" : "]", w->out);
}

static void put_jsonl_time(struct export_writing *w, const char *name,
                           const uint64_t *times, uint32_t t) {
  assert(t < w->h->ntxns);
  if (times && times[t] != TIME_UNKNOWN)
    fprintf(w->out, ",\"%s\":%" PRIu64, name, times[t]);
}

static void put_jsonl_tables(struct export_writing *w) {
  const struct rows *rows = w->h->rows;
  for (uint32_t i = 0; i < rows->ntables; i++) {
    fprintf(w->out, i ? ",\"" : "\"tables\":[\"");
    row_table_write(w->out, w->h, i);
    fputc('"', w->out);
  }
  fputs("],", w->out);
}

static void put_jsonl_txn(struct export_writing *w, uint32_t s, uint32_t t,
                          bool tables, const struct row_stamps *stamps) {
  assert(s < w->h->nsessions && t < w->h->ntxns);
  const struct history *h = w->h;
  fputc('{', w->out);
  if (tables)
    put_jsonl_tables(w);
  fprintf(w->out, "\"session\":%" PRIu32 ",\"ops\":[", s);
  row_ops_write(w, t, stamps, "\"", ",", put_jsonl_op);
  fputc(']', w->out);
  put_jsonl_time(w, "begin", h->begin, t);
  put_jsonl_time(w, "end", h->end, t);
  if (h->outcome[t] != OUTCOME_OK)
    fprintf(w->out, ",\"outcome\":\"%s\",\"cause\":\"%s\"",
            outcome_name((enum outcome)h->outcome[t]),
            cause_name((enum cause)h->cause[t]));
  if (h->level[t] != ISOLATION_NONE)
    fprintf(w->out, ",\"level\":\"%s\"",
            isolation_name((enum isolation)h->level[t]));
  if (h->endpoint && h->endpoint[t] != HISTORY_NO_ENDPOINT)
    fprintf(w->out, ",\"endpoint\":%u", h->endpoint[t]);
  fputs("}\n", w->out);
}

static int jsonl_write(struct export_writing *w) {
  const struct history *h = w->h;
  if (row_versions_check(w))
    return -1;
  struct row_stamps stamps = row_stamps(w, false);
  bool tables = h->rows != NULL;
  for (uint32_t s = 0, t; s < h->nsessions; s++)
    for (writing_start(w, s); writing_next(w, s, &t); tables = false)
      put_jsonl_txn(w, s, t, tables, &stamps);
  row_stamps_free(&stamps);
  return 0;
}

// Tables with all of their rows may be longer than the beginning that is known.
static bool jsonl_recognise(const char *p) {
  return *p == '{' &&
         (text_has_member(p, 1, "ops") || text_has_member(p, 1, "tables"));
}

const struct history_format format_jsonl = {
    .name = "jsonl",
    .summary = "JSON, a transaction per line, for jq and by hand",
    .example = "{\"session\":0,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
               "{\"session\":1,\"ops\":[[\"r\",\"x\",1],[\"w\",\"x\",2]]}",
    .initial = INITIAL_IMPLICIT,
    .says = FEATURE_DUPLICATES | FEATURE_LISTS | FEATURE_CAS | FEATURE_ABORTED |
            FEATURE_UNKNOWN | FEATURE_TIMES | FEATURE_LEVELS | FEATURE_CAUSES |
            FEATURE_NAMES | FEATURE_VALUES | FEATURE_UNCOMMITTED_READS |
            FEATURE_ENDPOINTS | FEATURE_ROWS | FEATURE_SETS,
    .recognise_text = jsonl_recognise,
    .parse = jsonl_parse,
    .extension = "jsonl",
    .write = jsonl_write,
};

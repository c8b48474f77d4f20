// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of etcd's own robustness tests: client-1/operations.json and so on, a
// request and its answer in each line.
//
//   {"ClientId":1,"Input":{"Type":"txn","Txn":{"OperationsOnSuccess":[{"Type":
//   "put-operation","Put":{"Key":"lamp","Value":{"Value":"1"}}}]}},"Call":1,
//   "Output":{"Txn":{"Failure":false,"Results":[{}]},"Error":""},"Return":2}
//
// A request is a transaction of registers.  Left out are conditions, ranges of
// an old revision, and of a range of several keys those that are not there: a
// history with fewer reads breaks no more.  Nobody is told which keys a delete
// or a lease removes, so if there is any, reads that found nothing are left
// out, too.
#include "config.h"

#include "recorder/formats/formats.h"
#include "recorder/formats/values.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum etcd_kind { ETCD_NOTHING, ETCD_RANGE, ETCD_PUT };

struct etcd_op {
  enum etcd_kind kind;
  bool several, old; // a range of several keys, or of an old revision
  uint64_t key, value;
};

struct etcd_ops {
  struct etcd_op *all;
  uint32_t n, room;
};

struct etcd_found { // by the operation of that number
  uint32_t op;
  uint64_t key, value;
};

struct etcd_reading {
  struct parsing *parsing;
  struct tokens *t;
  bool vanishes; // keys may be gone without being told
  // The request and its answer.
  uint64_t client, call, came_back;
  bool counts; // a range or a transaction
  bool fails;  // its conditions do not hold
  bool unknown;
  struct etcd_op op; // at hand
  struct etcd_ops on_success, on_failure, *ops;
  struct etcd_found *found;
  uint32_t nfound, found_room, nresults;
};

// ---- Members

static bool is_null(const struct etcd_reading *r) {
  return token_is_nothing(r->t);
}

// An object, or null.
static int read_etcd_object(struct etcd_reading *r,
                            const struct member *members) {
  return is_null(r) ? 0 : token_members(r->t, members, r);
}

static int read_etcd_array(struct etcd_reading *r, int (*read)(void *reading)) {
  return is_null(r) ? 0 : token_elements(r->t, read, r);
}

static int read_etcd_key(void *reading) {
  struct etcd_reading *r = reading;
  if (r->t->kind != TOKEN_STRING)
    return token_refuse(r->t, "a key");
  r->op.key = key_of_token(r->t, r->parsing->builder);
  return 0;
}

static int read_etcd_value_text(void *reading) {
  struct etcd_reading *r = reading;
  if (r->t->kind != TOKEN_STRING)
    return token_refuse(r->t, "a value");
  r->op.value = value_of_token(r->t, r->parsing->builder);
  return 0;
}

// A long value has a hash, and no text.
static int read_etcd_hash(void *reading) {
  struct etcd_reading *r = reading;
  if (r->t->kind != TOKEN_INTEGER)
    return token_refuse(r->t, "a hash");
  if (r->t->integer)
    r->op.value = value_of_token(r->t, r->parsing->builder);
  return 0;
}

static const struct member value_members[] = {
    {"Value", read_etcd_value_text}, {"Hash", read_etcd_hash}, {NULL, NULL}};

static int read_etcd_value(void *reading) {
  return read_etcd_object(reading, value_members);
}

static int read_etcd_end(void *reading) {
  struct etcd_reading *r = reading;
  r->op.several = r->t->kind == TOKEN_STRING && r->t->length;
  return token_pass(r->t, "the end of the range");
}

static int read_etcd_revision(void *reading) {
  struct etcd_reading *r = reading;
  r->op.old = r->t->kind == TOKEN_INTEGER && r->t->integer;
  return token_pass(r->t, "a revision");
}

static const struct member range_members[] = {{"Start", read_etcd_key},
                                              {"End", read_etcd_end},
                                              {"Revision", read_etcd_revision},
                                              {NULL, NULL}};
static const struct member put_members[] = {
    {"Key", read_etcd_key}, {"Value", read_etcd_value}, {NULL, NULL}};

// ---- Requests

static int read_etcd_range(void *reading) {
  struct etcd_reading *r = reading;
  return r->op.kind == ETCD_RANGE ? read_etcd_object(r, range_members)
                                  : token_pass(r->t, "a range");
}

static int read_etcd_put(void *reading) {
  struct etcd_reading *r = reading;
  return r->op.kind == ETCD_PUT ? read_etcd_object(r, put_members)
                                : token_pass(r->t, "a put");
}

static int read_etcd_op_type(void *reading) {
  struct etcd_reading *r = reading;
  r->op.kind = token_names(r->t, "put-operation")     ? ETCD_PUT
               : token_names(r->t, "range-operation") ? ETCD_RANGE
                                                      : ETCD_NOTHING;
  return token_pass(r->t, "the type of an operation");
}

static const struct member op_members[] = {{"Type", read_etcd_op_type},
                                           {"Range", read_etcd_range},
                                           {"Put", read_etcd_put},
                                           {NULL, NULL}};

static void add_etcd_op(struct etcd_ops *ops, const struct etcd_op *op) {
  ARRAY_RESERVE(ops->all, ops->n, ops->room);
  ops->all[ops->n++] = *op;
}

static int read_etcd_op(void *reading) {
  struct etcd_reading *r = reading;
  r->op = (struct etcd_op){0};
  if (read_etcd_object(r, op_members))
    return -1;
  add_etcd_op(r->ops, &r->op);
  return 0;
}

static int read_etcd_success(void *reading) {
  struct etcd_reading *r = reading;
  r->ops = &r->on_success;
  return read_etcd_array(r, read_etcd_op);
}

static int read_etcd_failure(void *reading) {
  struct etcd_reading *r = reading;
  r->ops = &r->on_failure;
  return read_etcd_array(r, read_etcd_op);
}

static const struct member txn_members[] = {
    {"OperationsOnSuccess", read_etcd_success},
    {"OperationsOnFailure", read_etcd_failure},
    {NULL, NULL}};

static int read_etcd_txn(void *reading) {
  return read_etcd_object(reading, txn_members);
}

static int read_etcd_input_range(void *reading) {
  struct etcd_reading *r = reading;
  r->op = (struct etcd_op){.kind = ETCD_RANGE};
  if (is_null(r))
    return 0;
  if (read_etcd_object(r, range_members))
    return -1;
  add_etcd_op(&r->on_success, &r->op);
  return 0;
}

static int read_etcd_type(void *reading) {
  struct etcd_reading *r = reading;
  r->counts = token_names(r->t, "range") || token_names(r->t, "txn");
  return token_pass(r->t, "the type of a request");
}

static const struct member input_members[] = {{"Type", read_etcd_type},
                                              {"Range", read_etcd_input_range},
                                              {"Txn", read_etcd_txn},
                                              {NULL, NULL}};

static int read_etcd_input(void *reading) {
  return read_etcd_object(reading, input_members);
}

// ---- Answers

static int read_etcd_row(void *reading) {
  struct etcd_reading *r = reading;
  r->op = (struct etcd_op){0};
  if (read_etcd_object(r, put_members))
    return -1;
  ARRAY_RESERVE(r->found, r->nfound, r->found_room);
  r->found[r->nfound++] =
      (struct etcd_found){r->nresults, r->op.key, r->op.value};
  return 0;
}

static int read_etcd_rows(void *reading) {
  return read_etcd_array(reading, read_etcd_row);
}

static const struct member rows_members[] = {{"KVs", read_etcd_rows},
                                             {NULL, NULL}};

// The answer to a range; null of other requests.
static int read_etcd_output_range(void *reading) {
  return read_etcd_object(reading, rows_members);
}

static int read_etcd_result(void *reading) {
  struct etcd_reading *r = reading;
  const int failed = read_etcd_object(r, rows_members);
  r->nresults++;
  return failed;
}

static int read_etcd_results(void *reading) {
  return read_etcd_array(reading, read_etcd_result);
}

static int read_etcd_fails(void *reading) {
  struct etcd_reading *r = reading;
  r->fails = token_is(r->t, "true");
  return token_pass(r->t, "true or false");
}

static const struct member answer_members[] = {
    {"Failure", read_etcd_fails}, {"Results", read_etcd_results}, {NULL, NULL}};

static int read_etcd_answer(void *reading) {
  return read_etcd_object(reading, answer_members);
}

static int read_etcd_error(void *reading) {
  struct etcd_reading *r = reading;
  r->unknown |= r->t->kind == TOKEN_STRING && r->t->length;
  return token_pass(r->t, "an error");
}

static const struct member output_members[] = {
    {"Txn", read_etcd_answer},
    {"Range", read_etcd_output_range},
    {"Error", read_etcd_error},
    {"ClientError", read_etcd_error},
    {NULL, NULL}};

static int read_etcd_output(void *reading) {
  struct etcd_reading *r = reading;
  r->unknown |= is_null(r);
  return read_etcd_object(r, output_members);
}

// ---- Records

static int read_etcd_client(void *reading) {
  struct etcd_reading *r = reading;
  r->client = r->t->integer;
  return r->t->kind == TOKEN_INTEGER ? 0 : token_refuse(r->t, "a client");
}

static int read_etcd_call(void *reading) {
  struct etcd_reading *r = reading;
  r->call = r->t->integer;
  return r->t->kind == TOKEN_INTEGER ? 0 : token_refuse(r->t, "a time");
}

// A request that never came back has no time that fits.
static int read_etcd_return(void *reading) {
  struct etcd_reading *r = reading;
  const bool is = r->t->kind == TOKEN_INTEGER;
  r->came_back = is ? r->t->integer : TIME_UNKNOWN;
  r->unknown |= !is;
  return token_pass(r->t, "a time");
}

static const struct member record_members[] = {
    {"ClientId", read_etcd_client}, {"Input", read_etcd_input},
    {"Call", read_etcd_call},       {"Output", read_etcd_output},
    {"Return", read_etcd_return},   {NULL, NULL}};

static void tell_etcd_range(const struct etcd_reading *r,
                            const struct etcd_op *op, uint32_t number) {
  struct builder *b = r->parsing->builder;
  uint32_t n = 0;
  for (uint32_t i = 0; !op->old && i < r->nfound; i++)
    if (r->found[i].op == number) {
      builder_op(b, OP_READ, r->found[i].key, r->found[i].value);
      n++;
    }
  if (!n && !op->old && !op->several && !r->vanishes)
    builder_nothing(b, op->key);
}

static void tell_etcd_txn(const struct etcd_reading *r, uint64_t session,
                          const struct etcd_ops *ops) {
  struct builder *b = r->parsing->builder;
  builder_txn(b, session, r->unknown ? OUTCOME_UNKNOWN : OUTCOME_OK,
              ISOLATION_NONE, r->call,
              r->unknown ? TIME_UNKNOWN : r->came_back);
  for (uint32_t i = 0; i < ops->n; i++)
    if (ops->all[i].kind == ETCD_PUT)
      builder_op(b, OP_WRITE, ops->all[i].key, ops->all[i].value);
    else if (ops->all[i].kind == ETCD_RANGE && !r->unknown)
      tell_etcd_range(r, &ops->all[i], i);
}

// Where the answer was lost, either branch may have taken place, each as a
// session of its own.
static int read_etcd_record(void *reading) {
  struct etcd_reading *r = reading;
  struct etcd_reading next = {.parsing = r->parsing,
                              .t = r->t,
                              .vanishes = r->vanishes,
                              .on_success = r->on_success,
                              .on_failure = r->on_failure,
                              .found = r->found,
                              .found_room = r->found_room};
  next.on_success.n = next.on_failure.n = 0;
  *r = next;
  if (token_members(r->t, record_members, r))
    return -1;
  if (!r->unknown && r->came_back < r->call)
    return token_refuse(r->t, "a return that is not before the call");
  if (r->counts && (r->unknown || !r->fails))
    tell_etcd_txn(r, r->client, &r->on_success);
  if (r->counts && (r->unknown ? r->on_failure.n > 0 : r->fails))
    tell_etcd_txn(r, r->client + (r->unknown ? UINT64_C(1) << 40 : 0),
                  &r->on_failure);
  return 0;
}

// ---- Files

static bool has_word(const char *text, size_t bytes) {
  static const char *const words[] = {"\"delete-operation\"",
                                      "\"LeaseRevoke\":{"};
  static const char lease[] = "\"LeaseID\":";
  const char *end = text + bytes, *p = text;
  bool has = false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    has |= memmem(text, bytes, words[i], strlen(words[i])) != NULL;
  while (!has && (p = memmem(p, (size_t)(end - p), lease, sizeof lease - 1))) {
    p += sizeof lease - 1;
    has = p < end && *p != '0';
  }
  return has;
}

// Does a file say that keys vanish?  -1 with a sentence.
static int says_vanishing(const char *path, struct error *error) {
  enum { LONGEST = 32 };
  struct input in;
  bool says = false;
  if (input_open(&in, path, error))
    return -1;
  for (bool more = true; more && !says;) {
    const size_t bytes = (size_t)(in.end - in.p);
    says = has_word(in.p, bytes);
    more = !in.at_end;
    in.p += bytes > LONGEST && more ? bytes - LONGEST : 0;
    if (more)
      input_more(&in);
  }
  input_close(&in);
  return says;
}

static int find_vanishing(struct etcd_reading *r) {
  const struct parsing *parsing = r->parsing;
  const struct file_list *files = parsing->files;
  int says = 0;
  if (parsing->options->text) {
    r->vanishes =
        has_word(parsing->options->text, parsing->options->text_bytes);
    return 0;
  }
  for (uint32_t i = 0; says == 0 && i < (files ? files->count : 1); i++)
    says = says_vanishing(files ? files->paths[i] : parsing->input.path,
                          parsing->error);
  r->vanishes = says > 0;
  return says < 0 ? -1 : 0;
}

static int etcd_report_parse(struct parsing *parsing) {
  struct etcd_reading r = {.parsing = parsing,
                           .t = parsing_tokens(parsing, false)};
  const int failed =
      find_vanishing(&r) || token_objects(r.t, read_etcd_record, &r) ? -1 : 0;
  FREE_EACH(r.on_success.all, r.on_failure.all, r.found);
  return failed;
}

static bool etcd_report_recognise(const char *p) {
  return *p == '{' &&
         !strncmp(p + 1 + strspn(p + 1, " "), "\"ClientId\"", 10) &&
         strstr(p, "\"Input\"");
}

const struct history_format format_etcd_report = {
    .name = "etcd-report",
    .summary = "etcd's robustness tests: client-*/operations.json",
    .example = "{\"ClientId\":1,\"Input\":{\"Type\":\"range\"},\"Call\":1,"
               "\"Output\":{},\"Return\":2}",
    .initial = INITIAL_IMPLICIT,
    .files = "client-*/operations.json",
    .recognise_text = etcd_report_recognise,
    .parse = etcd_report_parse,
};

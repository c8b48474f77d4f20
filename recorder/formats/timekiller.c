// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of TimeKiller: an array of transactions with the database's own
// start and commit timestamps, of which the physical part is taken for the
// time.
//
//   [{"tid":1,"sid":0,"sts":{"p":10,"l":0},"cts":{"p":20,"l":0},
//     "ops":[{"t":"w","k":7,"v":2},{"t":"r","k":8,"v":null}]}]
#include "config.h"

#include "recorder/builder/text_map.h"
#include "recorder/formats/digits.h"
#include "recorder/formats/formats.h"
#include "recorder/formats/values.h"

#include <string.h>
#include <strings.h>

#define NAMED_SESSIONS (UINT64_C(1) << 62) // come behind those with numbers

struct timekiller_reading {
  struct tokens *t;
  struct parsing *parsing;
  struct text_map sessions; // that have names
  uint64_t session, begin, end, physical;
  // The operation at hand.
  char type; // r, w, a or 0
  bool has_key, nothing, is_list;
  uint64_t key, value;
  struct value_list list;
};

// A string of digits is the number, as it is there.
static void take_number_in_string(struct tokens *t) {
  char text[DIGITS_MAX + 8] = "";
  uint64_t number;
  if (t->kind != TOKEN_STRING || t->length > DIGITS_MAX)
    return;
  memcpy(text, t->text, t->length);
  const size_t n = digits_read(text, &number);
  if (n && n == t->length && number < TOKEN_INTEGER_END) {
    t->kind = TOKEN_INTEGER;
    t->integer = number;
  }
}

static uint64_t number_timekiller_value(struct timekiller_reading *r) {
  take_number_in_string(r->t);
  return r->t->kind == TOKEN_INTEGER
             ? r->t->integer
             : value_of_token(r->t, r->parsing->builder);
}

// "r", "w" or "a", or the whole word, in whatever letters.
static int read_timekiller_type(void *reading) {
  static const char *const words[] = {"read", "write", "append"};
  struct timekiller_reading *r = reading;
  const char *text = r->t->text;
  const size_t n = token_is_scalar(r->t) ? r->t->length : 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if ((n == 1 || n == strlen(words[i])) && !strncasecmp(text, words[i], n)) {
      r->type = *words[i];
      return 0;
    }
  return token_refuse(r->t, "r, w or a");
}

static int read_timekiller_key(void *reading) {
  struct timekiller_reading *r = reading;
  if (!token_is_scalar(r->t))
    return token_refuse(r->t, "a key");
  take_number_in_string(r->t);
  r->key = key_of_token(r->t, r->parsing->builder);
  r->has_key = true;
  return 0;
}

static int read_timekiller_element(void *reading) {
  struct timekiller_reading *r = reading;
  if (!token_is_scalar(r->t))
    return token_refuse(r->t, "an element of the list");
  value_list_push(&r->list, number_timekiller_value(r));
  return 0;
}

static int read_timekiller_value(void *reading) {
  struct timekiller_reading *r = reading;
  r->nothing = token_is_nothing(r->t);
  r->list.count = 0;
  r->is_list = !r->nothing && !token_is_scalar(r->t);
  if (r->is_list)
    return token_elements(r->t, read_timekiller_element, r);
  r->value = r->nothing ? VALUE_INITIAL : number_timekiller_value(r);
  return 0;
}

static const struct member op_members[] = {{"t", read_timekiller_type},
                                           {"k", read_timekiller_key},
                                           {"v", read_timekiller_value},
                                           {NULL, NULL}};

static int read_timekiller_op(void *reading) {
  struct timekiller_reading *r = reading;
  struct builder *b = r->parsing->builder;
  r->type = 0;
  r->has_key = r->is_list = false;
  r->nothing = true;
  if (token_members(r->t, op_members, r))
    return -1;
  if (!r->type || !r->has_key || (r->type != 'r' && (r->nothing || r->is_list)))
    return token_refuse(r->t, "t, k and v before the end of the operation");
  if (!r->nothing && !r->is_list && r->type != 'a' && !r->value)
    r->value = builder_zero(b, r->type == 'w');
  if (r->type != 'r')
    builder_op(b, r->type == 'w' ? OP_WRITE : OP_APPEND, r->key, r->value);
  else if (r->is_list)
    builder_list(b, r->key, r->list.values, r->list.count);
  else if (r->nothing)
    builder_nothing(b, r->key);
  else
    builder_op(b, OP_READ, r->key, r->value);
  return 0;
}

static int read_timekiller_ops(void *reading) {
  struct timekiller_reading *r = reading;
  return token_elements(r->t, read_timekiller_op, r);
}

static int read_physical(void *reading) {
  struct timekiller_reading *r = reading;
  take_number_in_string(r->t);
  if (r->t->kind == TOKEN_INTEGER)
    r->physical = r->t->integer;
  return token_pass(r->t, "a time");
}

static int read_timestamp(struct timekiller_reading *r, uint64_t *time) {
  static const struct member parts[] = {{"p", read_physical}, {NULL, NULL}};
  r->physical = TIME_UNKNOWN;
  if (token_is_nothing(r->t))
    return 0;
  if (token_members(r->t, parts, r))
    return -1;
  *time = r->physical;
  return 0;
}

static int read_timekiller_start(void *reading) {
  struct timekiller_reading *r = reading;
  return read_timestamp(r, &r->begin);
}

static int read_timekiller_commit(void *reading) {
  struct timekiller_reading *r = reading;
  return read_timestamp(r, &r->end);
}

static int read_timekiller_session(void *reading) {
  struct timekiller_reading *r = reading;
  take_number_in_string(r->t);
  if (r->t->kind == TOKEN_INTEGER)
    r->session = r->t->integer;
  else if (token_is_scalar(r->t))
    r->session =
        NAMED_SESSIONS + text_map_id(&r->sessions, r->t->text, r->t->length);
  else
    return token_refuse(r->t, "a session");
  return 0;
}

// The operations need their transaction, whose session may come behind them.
static const struct member txn_members[] = {{"sid", read_timekiller_session},
                                            {"sts", read_timekiller_start},
                                            {"cts", read_timekiller_commit},
                                            {"ops", read_timekiller_ops},
                                            {NULL, NULL}};

static int read_timekiller_txn(void *reading) {
  struct timekiller_reading *r = reading;
  struct builder *b = r->parsing->builder;
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  r->session = 0;
  r->begin = r->end = TIME_UNKNOWN;
  if (token_members(r->t, txn_members, r))
    return -1;
  builder_session(b, r->session);
  const bool ordered = r->begin <= r->end; // times of clocks that disagree
  builder_times(b, ordered ? r->begin : TIME_UNKNOWN,
                ordered ? r->end : TIME_UNKNOWN);
  return 0;
}

static int timekiller_parse(struct parsing *parsing) {
  struct timekiller_reading r = {.t = parsing_tokens(parsing, false),
                                 .parsing = parsing};
  token_next(r.t);
  int status = token_elements(r.t, read_timekiller_txn, &r);
  if (status == 0 && token_next(r.t) != TOKEN_END)
    status = token_refuse(r.t, "the end of the file");
  value_list_free(&r.list);
  text_map_free(&r.sessions);
  return status;
}

static bool timekiller_recognise(const char *p) {
  return *p == '[' && text_has_member(p, 2, "sid") &&
         text_has_member(p, 2, "ops");
}

const struct history_format format_timekiller = {
    .name = "timekiller",
    .summary = "TimeKiller: JSON with the database's timestamps",
    .example = "[{\"tid\":0,\"sid\":0,\"sts\":{\"p\":10,\"l\":0},\"cts\":{"
               "\"p\":20,\"l\":0},\n"
               "  \"ops\":[{\"t\":\"w\",\"k\":7,\"v\":1}]},\n"
               " {\"tid\":1,\"sid\":1,\"sts\":{\"p\":30,\"l\":0},\"cts\":{"
               "\"p\":40,\"l\":0},\n"
               "  \"ops\":[{\"t\":\"r\",\"k\":7,\"v\":1}]}]",
    .initial = INITIAL_BY_KEY,
    .recognise_text = timekiller_recognise,
    .parse = timekiller_parse,
};

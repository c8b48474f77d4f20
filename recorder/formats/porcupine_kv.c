// SPDX-License-Identifier: GPL-3.0-or-later
// Porcupine's logs of a key-value store of strings, as EDN:
//
//   {:process 0, :type :invoke, :f :append, :key "3", :value "x 0 1 y"}
//   {:process 0, :type :ok, :f :append, :key "3", :value "x 0 1 y"}
//   {:process 1, :type :ok, :f :get, :key "3", :value "x 2 0 yx 0 1 y"}
//
// A put replaces what a key holds, an append goes behind it.  Every string that
// is put or appended is given to its key once, so that a get shows, piece by
// piece, by which operations the key came to what it holds, from the last put
// on or from nothing.  It is a read of what its last piece wrote; and an append
// that a get shows behind another piece is a compare-and-set from that one, for
// nothing came between.  What no get shows is a write that nobody saw.  A get
// that cannot be taken apart so, or differs from one before, or from itself,
// in what a piece was appended to, shows what nobody wrote: an append that took
// place twice is there twice.
#include "config.h"

#include "recorder/formats/calls.h"
#include "recorder/formats/jepsen.h"
#include "recorder/formats/kv_pieces.h"
#include "recorder/formats/values.h"

#include "base/memory.h"
#include "recorder/builder/number_map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum function { CALL_OTHER, CALL_GET, CALL_PUT, CALL_APPEND };

// How much may be compared to split gets, for each byte of the log.  Where no
// piece begins with another it takes less than eleven: in a text of pieces of n
// bytes each is one of at most 256^n, found in 8 n steps by halving.
#define EFFORT UINT64_C(16)

#define NO_KEY UINT32_MAX

// An operation is invoked, or completes.
struct kv_call {
  uint8_t function, completion;
  bool has_process;
  uint32_t key, length; // length: of its string; 0: nothing
  uint64_t process, time;
  size_t at;      // where its string is
  uint32_t shown; // of a get: the last piece that it shows, or NO_PIECE
};

struct kv_reading {
  struct jepsen_members has;
  struct tokens *t;
  struct parsing *parsing;
  struct kv_call call; // at hand
  struct kv_call *calls;
  uint32_t ncalls, calls_room;
  struct number_map keys;
  struct kv_pieces pieces;
  struct jepsen jepsen;
  struct micro_ops ops;
};

// --- The events.

static int read_kv_function(void *reading) {
  struct kv_reading *r = reading;
  r->call.function = token_names(r->t, "get")      ? CALL_GET
                     : token_names(r->t, "put")    ? CALL_PUT
                     : token_names(r->t, "append") ? CALL_APPEND
                                                   : CALL_OTHER;
  return token_pass(r->t, "the function of the operation");
}

static int read_kv_process(void *reading) {
  struct kv_reading *r = reading;
  r->call.has_process = r->t->kind == TOKEN_INTEGER;
  r->call.process = r->t->integer;
  return token_pass(r->t, "a process");
}

static int read_kv_key(void *reading) {
  struct kv_reading *r = reading;
  if (!token_is_scalar(r->t))
    return token_refuse(r->t, "a key");
  r->call.key =
      number_map_id(&r->keys, key_of_token(r->t, r->parsing->builder));
  return 0;
}

static int read_kv_value(void *reading) {
  struct kv_reading *r = reading;
  if (!token_is_scalar(r->t))
    return token_pass(r->t, "a string");
  r->call.length = token_is_nothing(r->t) ? 0 : r->t->length;
  r->call.at = kv_keep(&r->pieces, r->t->text, r->call.length);
  return 0;
}

static const struct member members[] = {{"process", read_kv_process},
                                        {"type", jepsen_read_type},
                                        {"f", read_kv_function},
                                        {"key", read_kv_key},
                                        {"value", read_kv_value},
                                        {"time", jepsen_read_time},
                                        {NULL, NULL}};

static int read_call(void *reading) {
  struct kv_reading *r = reading;
  r->has = (struct jepsen_members){.t = r->t, .time = TIME_UNKNOWN};
  r->call = (struct kv_call){.key = NO_KEY, .shown = NO_PIECE};
  if (token_members(r->t, members, r))
    return -1;
  r->call.completion = (uint8_t)r->has.completion;
  r->call.time = r->has.time;
  if (r->call.function == CALL_OTHER && !r->call.has_process)
    return 0; // :nemesis
  if (r->call.function == CALL_OTHER)
    return token_refuse(
        r->t, "the function get, put or append of a client before the "
              "end of the operation");
  if (!r->call.has_process)
    return token_refuse(r->t,
                        "a process, which is a whole number, before the end of "
                        "the operation");
  if (!r->has.has_type)
    return token_refuse(r->t, "a member :type before the end of the operation");
  if (r->call.function != CALL_GET && r->call.completion <= COMPLETE_OK &&
      !r->call.length)
    return token_refuse(r->t,
                        "a string that is not empty before the end of the "
                        "operation");
  if (r->call.key == NO_KEY)
    r->call.key = number_map_id(&r->keys, 0);
  ARRAY_RESERVE(r->calls, r->ncalls, r->calls_room);
  r->calls[r->ncalls++] = r->call;
  return 0;
}

// --- What they show.

static int refuse_string(const struct kv_reading *r, size_t at, uint32_t length,
                         const char *what) {
  const int shown = length < 60 ? (int)length : 60;
  return error_set(r->parsing->error, "%s: \"%.*s\"%s %s",
                   r->parsing->input.path, shown, r->pieces.bytes + at,
                   length > 60 ? "..." : "", what);
}

// A string is given to its key by the event that tells of the operation for the
// first time, which is the completion where there is no invocation.
static void add_pieces(struct kv_reading *r) {
  struct number_map processes = {0};
  bool *open = xcalloc(r->ncalls, sizeof *open); // by process: it has invoked
  for (uint32_t i = 0; i < r->ncalls; i++) {
    const struct kv_call *c = &r->calls[i];
    bool *const waits = &open[number_map_id(&processes, c->process)];
    const bool first = c->completion == INVOKE || !*waits;
    *waits = c->completion == INVOKE;
    if (first && c->function != CALL_GET && c->length)
      kv_add(&r->pieces, c->key, c->at, c->length, c->function == CALL_PUT);
  }
  number_map_free(&processes);
  free(open);
}

static int split_get(struct kv_reading *r, struct kv_call *c) {
  switch (kv_split(&r->pieces, c->key, c->at, c->length, &c->shown)) {
  case KV_AMBIGUOUS:
    return refuse_string(r, c->at, c->length,
                         "can be taken apart in several ways");
  case KV_HARD:
    return refuse_string(r, c->at, c->length,
                         "cannot be taken apart: too many strings of its key "
                         "begin with others");
  default:
    return 0;
  }
}

// Splits the results of gets, which has to happen before appends are told.
static int split_gets(struct kv_reading *r) {
  add_pieces(r);
  const uint32_t twice = kv_sort(&r->pieces, r->keys.count);
  if (twice != NO_PIECE)
    return refuse_string(
        r, r->pieces.pieces[twice].at, r->pieces.pieces[twice].length,
        "is appended to its key twice: reads cannot be taken apart");
  r->pieces.effort = 0;
  r->pieces.most_effort = EFFORT * input_offset(&r->parsing->input);
  for (uint32_t i = 0; i < r->ncalls; i++) {
    struct kv_call *c = &r->calls[i];
    if (c->function == CALL_GET && c->completion == COMPLETE_OK && c->length &&
        split_get(r, c))
      return -1;
  }
  return 0;
}

// --- Telling it.

// A string as other formats have it.
static uint64_t number_kv_text(struct kv_reading *r, char *text,
                               uint32_t length) {
  const struct tokens string = {
      .kind = TOKEN_STRING, .edn = true, .text = text, .length = length};
  return value_of_token(&string, r->parsing->builder);
}

static uint64_t value_of_piece(struct kv_reading *r, uint32_t i) {
  const struct kv_piece *piece = &r->pieces.pieces[i];
  return number_kv_text(r, r->pieces.bytes + piece->at, piece->length);
}

// All of what a get returned, as what nobody wrote: also where it is a piece,
// that others show behind another one.
static uint64_t choose_unwritten_value(struct kv_reading *r,
                                       const struct kv_call *c) {
  static const char alone[] = " with nothing before it";
  uint32_t length = c->length;
  char *text = xmalloc(length);
  memcpy(text, r->pieces.bytes + c->at, length);
  while (kv_find(&r->pieces, c->key, text, length) != NO_PIECE) {
    text = xrealloc(text, length + sizeof alone, 1);
    memcpy(text + length, alone, sizeof alone - 1);
    length += sizeof alone - 1;
  }
  const uint64_t value = number_kv_text(r, text, length);
  free(text);
  return value;
}

static void add_get(struct kv_reading *r, const struct kv_call *c) {
  struct micro_op op = {.kind = OP_READ, .key = r->keys.numbers[c->key]};
  if (c->completion != COMPLETE_OK)
    return; // of it nothing is said
  op.value = !c->length             ? VALUE_INITIAL
             : c->shown == NO_PIECE ? choose_unwritten_value(r, c)
                                    : value_of_piece(r, c->shown);
  micro_ops_add(&r->ops, op);
}

static int add_update(struct kv_reading *r, const struct kv_call *c) {
  if (!c->length)
    return 0; // a completion need not repeat it
  const uint32_t i =
      kv_find(&r->pieces, c->key, r->pieces.bytes + c->at, c->length);
  if (i == NO_PIECE)
    return c->completion == COMPLETE_OK
               ? refuse_string(r, c->at, c->length,
                               "differs from the operation that was invoked")
               : 0;
  const struct kv_piece *piece = &r->pieces.pieces[i];
  struct micro_op op = {.kind = OP_WRITE,
                        .key = r->keys.numbers[c->key],
                        .value = value_of_piece(r, i)};
  if (!piece->put && piece->before != NO_PIECE) {
    op.kind = OP_CAS;
    op.expected = piece->before == NOTHING_BEFORE
                      ? VALUE_INITIAL
                      : value_of_piece(r, piece->before);
  }
  micro_ops_add(&r->ops, op);
  return 0;
}

static int tell_calls(struct kv_reading *r) {
  for (uint32_t i = 0; i < r->ncalls; i++) {
    const struct kv_call *c = &r->calls[i];
    r->ops.count = 0;
    if (c->function == CALL_GET)
      add_get(r, c);
    else if (add_update(r, c))
      return -1;
    const char *expected = jepsen_event(
        &r->jepsen, (enum completion)c->completion,
        c->process + (r->parsing->session << 32), c->time, &r->ops);
    if (expected)
      return error_set(r->parsing->error, "%s: operation %u: expected %s",
                       r->parsing->input.path, i, expected);
  }
  jepsen_end(&r->jepsen);
  return 0;
}

static int porcupine_kv_parse(struct parsing *parsing) {
  struct kv_reading r = {.parsing = parsing,
                         .t = parsing_tokens(parsing, true),
                         .jepsen = {.builder = parsing->builder}};
  const int status =
      token_objects(r.t, read_call, &r) || split_gets(&r) || tell_calls(&r) ? -1
                                                                            : 0;
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.ops);
  number_map_free(&r.keys);
  kv_free(&r.pieces);
  free(r.calls);
  return status;
}

static bool porcupine_kv_recognise(const char *p) {
  while (isspace((unsigned char)*p) || *p == '[')
    p++;
  return *p == '{' && strstr(p, ":key") &&
         (strstr(p, ":f :get") || strstr(p, ":f :put") ||
          strstr(p, ":f :append"));
}

const struct history_format format_porcupine_kv = {
    .name = "porcupine-kv",
    .summary = "Porcupine's log of a key-value store: get, put, append",
    .example =
        "{:process 0, :type :invoke, :f :put, :key \"x\", :value \"1\"}\n"
        "{:process 0, :type :ok, :f :put, :key \"x\", :value \"1\"}\n"
        "{:process 1, :type :invoke, :f :get, :key \"x\", :value nil}\n"
        "{:process 1, :type :ok, :f :get, :key \"x\", :value \"1\"}",
    .initial = INITIAL_IMPLICIT,
    .says = FEATURE_LISTS | FEATURE_UNKNOWN | FEATURE_ORDER,
    .recognise_text = porcupine_kv_recognise,
    .parse = porcupine_kv_parse,
    .single = true,
    .extension = "kv",
    .write = calls_write_porcupine_kv,
};

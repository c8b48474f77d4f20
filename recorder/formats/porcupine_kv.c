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
// that can not be taken apart so, or differs from one before, or from itself,
// in what a piece was appended to, shows what nobody wrote: an append that took
// place twice is there twice.
#include "config.h"

#include "recorder/formats/calls.h"
#include "recorder/formats/jepsen.h"
#include "recorder/formats/kv_texts.h"
#include "recorder/formats/values.h"

#include "base/memory.h"
#include "recorder/building.h"
#include "recorder/bytes.h"
#include "recorder/number_map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum function { CALL_OTHER, CALL_GET, CALL_PUT, CALL_APPEND };

enum {
  BLOCK_BYTES = 1 << 16,
  KEY_DIGITS = 9,                 // of small numbers
  CALL_MOST = 1 + 3 * PACKED_MAX, // bytes
};

// How much may be compared to take gets apart, for each byte of the log.  Where
// no piece begins with another it takes less than eleven: in a text of pieces
// of n bytes each is one of at most 256^n, found in 8 n steps by halving.
#define EFFORT UINT64_C(16)

#define INTEGER_KEY (UINT64_C(1) << 63)

// An operation is invoked, or completes.
struct call {
  uint8_t function, completion;
  uint32_t process; // by its place in `processes`
  uint32_t what;    // of a put or an append its piece, or NO_PIECE
  uint64_t time;
};

// How a call is kept: a byte with these, its function and its completion, and
// the numbers that do not follow from them.
enum {
  COMPLETION_SHIFT = 2,
  NO_WHAT = 1 << 4,
  SAME_WHAT = 1 << 5, // a piece, of what the process put or appended last
  HAS_TIME = 1 << 6,
};

struct block {
  struct block *next;
  uint32_t bytes;
  unsigned char calls[BLOCK_BYTES];
};

// What a process did last.
struct process {
  bool open; // it waits for the completion
  uint32_t piece;
};

// The event at hand.
struct event {
  uint8_t function, completion;
  bool has_type, has_process;
  uint32_t length; // of `text`; 0: nothing
  uint64_t process, time;
  uint32_t key;
};

struct reading {
  struct tokens t;
  struct parsing *parsing;
  struct event event;
  char *text; // of the event; then of a value, in quotes
  struct block *blocks, *last_block;
  struct number_map codes, processes; // codes: of keys, which are...
  uint64_t *keys;                     // ...these
  uint32_t nkeys, keys_room;
  struct process *process;
  uint32_t processes_room;
  uint32_t ntxns, ntold; // ntold: calls
  struct kv_texts texts;
  uint32_t nread; // gets that were told
  struct jepsen jepsen;
  struct micro_ops ops;
};

// --- The events.

static int complain(struct reading *r, const char *expected) {
  return token_refuse(&r->t, expected, r->parsing->error);
}

static int skip(struct reading *r, const char *expected) {
  return !token_is_scalar(&r->t) && token_skip(&r->t) ? complain(r, expected)
                                                      : 0;
}

static int read_type(void *reading) {
  struct reading *r = reading;
  enum completion completion;
  if (!token_is_scalar(&r->t) ||
      !completion_parse(r->t.text, r->t.length, &completion))
    return complain(r, ":invoke, :ok, :fail or :info");
  r->event.completion = (uint8_t)completion;
  r->event.has_type = true;
  return 0;
}

static int read_f(void *reading) {
  struct reading *r = reading;
  r->event.function = token_names(&r->t, "get")      ? CALL_GET
                      : token_names(&r->t, "put")    ? CALL_PUT
                      : token_names(&r->t, "append") ? CALL_APPEND
                                                     : CALL_OTHER;
  return skip(r, "the function of the operation");
}

static int read_process(void *reading) {
  struct reading *r = reading;
  r->event.has_process = r->t.kind == TOKEN_INTEGER;
  r->event.process = r->t.integer;
  return skip(r, "a process");
}

static int read_time(void *reading) {
  struct reading *r = reading;
  if (r->t.kind == TOKEN_INTEGER)
    r->event.time = r->t.integer;
  return skip(r, "a time");
}

// A number for the key that the token is, no other key's: small for "3", which
// most are, so that it is found at once.
static uint64_t code_of_key(const struct tokens *t, struct builder *b) {
  uint64_t n = 0;
  if (t->kind == TOKEN_INTEGER)
    return t->integer | INTEGER_KEY;
  if (t->kind != TOKEN_STRING || t->length > KEY_DIGITS ||
      (t->length > 1 && t->text[0] == '0'))
    return key_of_token(t, b);
  for (uint32_t i = 0; i < t->length; i++) {
    const unsigned digit = (unsigned)t->text[i] - '0';
    if (digit > 9)
      return key_of_token(t, b);
    n = 10 * n + digit;
  }
  return t->length ? n : key_of_token(t, b);
}

// By its place in `keys`; `t` NULL: there is none, as if it was 0.
static uint32_t place_of_key(struct reading *r, const struct tokens *t) {
  struct builder *b = r->parsing->builder;
  const uint32_t place =
      number_map_id(&r->codes, t ? code_of_key(t, b) : INTEGER_KEY);
  if (place == r->nkeys) {
    ARRAY_RESERVE(r->keys, r->nkeys, r->keys_room);
    r->keys[r->nkeys++] = t ? key_of_token(t, b) : 0;
  }
  return place;
}

static bool invokes_get(const struct event *e) {
  return e->function == CALL_GET && e->completion == INVOKE;
}

static int read_key(void *reading) {
  struct reading *r = reading;
  if (!token_is_scalar(&r->t))
    return complain(r, "a key");
  r->event.key = place_of_key(r, &r->t);
  if (invokes_get(&r->event))
    kv_expect_get(&r->texts, r->event.key);
  return 0;
}

static int read_value(void *reading) {
  struct reading *r = reading;
  if (!token_is_scalar(&r->t))
    return skip(r, "a string");
  r->event.length = token_is_nothing(&r->t) ? 0 : r->t.length;
  memcpy(r->text, r->t.text, r->event.length);
  return 0;
}

static const struct member members[] = {{"process", read_process},
                                        {"type", read_type},
                                        {"f", read_f},
                                        {"key", read_key},
                                        {"value", read_value},
                                        {"time", read_time},
                                        {NULL, NULL}};

static struct process *process_at(struct reading *r, uint32_t i) {
  if (i >= r->processes_room) {
    const uint32_t room = 2 * i + 8;
    r->process = xrealloc(r->process, room, sizeof *r->process);
    for (; r->processes_room < room; r->processes_room++)
      r->process[r->processes_room] = (struct process){.piece = NO_PIECE};
  }
  return &r->process[i];
}

static void keep_call(struct reading *r, const struct call *call,
                      unsigned flags) {
  if (!r->last_block || r->last_block->bytes > BLOCK_BYTES - CALL_MOST) {
    struct block *block = xmalloc(sizeof *block);
    block->next = NULL;
    block->bytes = 0;
    *(r->last_block ? &r->last_block->next : &r->blocks) = block;
    r->last_block = block;
  }
  if (call->time != TIME_UNKNOWN)
    flags |= HAS_TIME;
  unsigned char *p = r->last_block->calls + r->last_block->bytes;
  *p++ = (unsigned char)(call->function | call->completion << COMPLETION_SHIFT |
                         flags);
  p = store_packed(p, call->process);
  if (!(flags & (NO_WHAT | SAME_WHAT)))
    p = store_packed(p, call->what);
  if (flags & HAS_TIME)
    p = store_packed(p, call->time);
  r->last_block->bytes = (uint32_t)(p - r->last_block->calls);
}

static const unsigned char *load_call(struct reading *r, const unsigned char *p,
                                      struct call *call) {
  uint64_t process, what = NO_PIECE;
  const unsigned flags = *p++;
  call->function = flags & 3;
  call->completion = flags >> COMPLETION_SHIFT & 3;
  call->time = TIME_UNKNOWN;
  p = load_packed(p, &process);
  if (flags & SAME_WHAT)
    what = r->process[process].piece;
  else if (!(flags & NO_WHAT))
    p = load_packed(p, &what);
  if (!(flags & NO_WHAT))
    r->process[process].piece = (uint32_t)what;
  if (flags & HAS_TIME)
    p = load_packed(p, &call->time);
  call->process = (uint32_t)process;
  call->what = (uint32_t)what;
  return p;
}

// A completion mostly repeats what was invoked.  `first`: the event tells of
// the operation for the first time.
static uint32_t piece_of_event(struct reading *r, struct process *process,
                               bool first) {
  const struct event *e = &r->event;
  if (!e->length)
    return NO_PIECE;
  if (first || process->piece == NO_PIECE ||
      !kv_is_piece(&r->texts, process->piece, e->key, r->text, e->length))
    process->piece = kv_add_piece(&r->texts, e->key, r->text, e->length, first,
                                  e->function == CALL_PUT);
  return process->piece;
}

static void take_call(struct reading *r) {
  const struct event *e = &r->event;
  struct call call = {.function = e->function,
                      .completion = e->completion,
                      .process = number_map_id(&r->processes, e->process),
                      .time = e->time};
  struct process *process = process_at(r, call.process);
  const uint32_t before = process->piece;
  const bool first = e->completion == INVOKE || !process->open;
  unsigned flags = NO_WHAT;
  process->open = e->completion == INVOKE;
  r->ntxns += first;
  if (e->function != CALL_GET) {
    call.what = piece_of_event(r, process, first);
    flags = call.what == NO_PIECE ? NO_WHAT
            : call.what == before ? SAME_WHAT
                                  : 0;
  } else if (e->completion == COMPLETE_OK)
    kv_add_get(&r->texts, e->key, r->text, e->length);
  keep_call(r, &call, flags);
}

static int read_call(void *reading) {
  struct reading *r = reading;
  if (invokes_get(&r->event)) // that was invoked just now, and likely completes
    kv_expect_get_soon(&r->texts, r->event.key);
  r->event = (struct event){.time = TIME_UNKNOWN, .key = UINT32_MAX};
  if (token_members(&r->t, members, r, r->parsing->error))
    return -1;
  if (r->event.function == CALL_OTHER && !r->event.has_process)
    return 0; // :nemesis
  if (r->event.function == CALL_OTHER)
    return complain(r, "the function get, put or append of a client before the "
                       "end of the operation");
  if (!r->event.has_process)
    return complain(r, "a process, which is a whole number, before the end of "
                       "the operation");
  if (!r->event.has_type)
    return complain(r, "a member :type before the end of the operation");
  if (r->event.function != CALL_GET && r->event.completion <= COMPLETE_OK &&
      !r->event.length)
    return complain(r, "a string that is not empty before the end of the "
                       "operation");
  if (r->event.key == UINT32_MAX)
    r->event.key = place_of_key(r, NULL);
  take_call(r);
  return 0;
}

// --- What they show.

// What gets show has to be known before appends are told.
static int take_apart(struct reading *r) {
  const uint64_t effort = EFFORT * input_offset(&r->parsing->input);
  if (kv_take_apart(&r->texts, r->nkeys, effort, r->parsing->input.path,
                    r->parsing->error))
    return -1;
  kv_free_shown(&r->texts);
  kv_name_pieces(&r->texts, &r->parsing->builder->value_texts);
  kv_free_bytes(&r->texts);
  return 0;
}

// --- Telling it.

static void add_get(struct reading *r, const struct call *c) {
  if (c->completion != COMPLETE_OK)
    return; // of it nothing is said
  const struct kv_get *get = &r->texts.gets[r->nread++];
  micro_ops_add(
      &r->ops, (struct micro_op){.kind = OP_READ,
                                 .key = r->keys[get->key],
                                 .value = get->length ? VALUE_NAMED + get->shown
                                                      : VALUE_INITIAL});
}

static int add_update(struct reading *r, const struct call *c) {
  if (c->what == NO_PIECE)
    return 0; // a completion need not repeat it
  struct piece piece = r->texts.pieces[c->what];
  if (!piece.given && piece.before != NO_PIECE)
    piece = r->texts.pieces[piece.before];
  if (!piece.given)
    return c->completion == COMPLETE_OK
               ? kv_refuse(r->parsing->input.path,
                           text_map_text(&r->parsing->builder->value_texts,
                                         piece.text) +
                               1,
                           piece.length, "was not what had been invoked",
                           r->parsing->error)
               : 0;
  struct micro_op op = {.kind = OP_WRITE,
                        .key = r->keys[piece.key],
                        .value = VALUE_NAMED + piece.text};
  if (!piece.put && piece.before != NO_PIECE) {
    op.kind = OP_CAS;
    op.expected = piece.before == NOTHING_BEFORE ? VALUE_INITIAL
                                                 : VALUE_NAMED + piece.before;
  }
  micro_ops_add(&r->ops, op);
  return 0;
}

static int tell_call(struct reading *r, const struct call *c) {
  r->ops.count = 0;
  if (c->function == CALL_GET)
    add_get(r, c);
  else if (add_update(r, c))
    return -1;
  const char *expected = jepsen_event(
      &r->jepsen, (enum completion)c->completion,
      r->processes.numbers[c->process] + (r->parsing->session << 32), c->time,
      &r->ops);
  const uint32_t nth = r->ntold++;
  return expected
             ? error_set(r->parsing->error, "%s: operation %u: expected %s",
                         r->parsing->input.path, nth, expected)
             : 0;
}

static int tell_block(struct reading *r, const struct block *block) {
  const unsigned char *p = block->calls, *end = p + block->bytes;
  struct call call;
  while (p < end) {
    p = load_call(r, p, &call);
    if (tell_call(r, &call))
      return -1;
  }
  return 0;
}

static void free_block(struct reading *r) {
  struct block *block = r->blocks;
  r->blocks = block->next;
  free(block);
}

static int tell_calls(struct reading *r) {
  memory_give_back(); // of all that the texts took
  builder_expect_txns(r->parsing->builder, r->ntxns);
  builder_expect_ops(r->parsing->builder, r->ntxns);
  for (; r->blocks; free_block(r))
    if (tell_block(r, r->blocks))
      return -1;
  jepsen_end(&r->jepsen);
  return 0;
}

static int porcupine_kv_parse(struct parsing *parsing) {
  struct reading r = {.parsing = parsing,
                      .t = {.input = &parsing->input, .edn = true},
                      .text = xmalloc(KV_TEXT_MOST + 2),
                      .jepsen = {.builder = parsing->builder}};
  const int status = token_objects(&r.t, read_call, &r, parsing->error) ||
                             take_apart(&r) || tell_calls(&r)
                         ? -1
                         : 0;
  while (r.blocks)
    free_block(&r);
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.ops);
  number_map_free(&r.codes);
  number_map_free(&r.processes);
  kv_texts_free(&r.texts);
  free(r.process);
  free(r.keys);
  free(r.text);
  memory_give_back();
  return status;
}

static bool porcupine_kv_recognise(const unsigned char *head, size_t bytes) {
  (void)bytes;
  const char *p = (const char *)head;
  while (isspace((unsigned char)*p) || *p == '[')
    p++;
  return *p == '{' && strstr(p, ":key") &&
         (strstr(p, ":f :get") || strstr(p, ":f :put") ||
          strstr(p, ":f :append"));
}

const struct history_format format_porcupine_kv = {
    .name = "porcupine-kv",
    .summary = "Porcupine's log of a key-value store: get, put, append",
    .initial = INITIAL_IMPLICIT,
    .says = SAYS_LISTS | SAYS_UNKNOWN | SAYS_ORDER,
    .recognise = porcupine_kv_recognise,
    .parse = porcupine_kv_parse,
    .single = true,
    .extension = "kv",
    .write = calls_write_porcupine_kv,
};

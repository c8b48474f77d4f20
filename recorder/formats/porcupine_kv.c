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

#include "recorder/formats/jepsen.h"
#include "recorder/formats/values.h"

#include "base/memory.h"
#include "recorder/number_map.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum function { CALL_OTHER, CALL_GET, CALL_PUT, CALL_APPEND };

enum { STEP_MOST = 4 };       // times as much room
enum { TEXTS_AT_FIRST = 64 }; // never NULL, even if all strings are empty

#define NO_PIECE UINT32_MAX
#define NOTHING_BEFORE (UINT32_MAX - 1)

// An event.  Its string is in `texts`.
struct call {
  uint8_t function, completion;
  bool has_type, has_process;
  uint32_t length; // 0: nothing
  uint64_t process, time;
  size_t text;
  uint32_t key;  // by its place in `keys`
  uint32_t last; // of a get: its last piece, or NO_PIECE if it shows what
                 // nobody wrote
};

// A string that was put or appended.
struct piece {
  uint32_t key, length;
  size_t text;
  uint32_t before; // the piece that an append was seen behind, NOTHING_BEFORE,
                   // or NO_PIECE: not seen
  uint32_t value;  // its number as a value, from 1; 0: it has none yet
  bool put;
};

struct reading {
  struct tokens t;
  struct parsing *parsing;
  struct call call; // at hand
  struct call *calls;
  uint32_t ncalls;
  size_t calls_room;
  char *texts;
  size_t bytes, texts_room;
  struct number_map keys;
  struct piece *pieces; // by key and length
  uint32_t npieces, pieces_room;
  uint32_t *first_piece; // per key; the next entry is its end
  uint64_t *slots; // pieces + 1 by hash, of which one half is above; 0 is free
  uint64_t mask;   // of their number, a power of two
  uint32_t *found, *noted, found_room; // of a get, piece by piece
  uint8_t *ways;  // to take apart what is up to there: 0, 1 or more
  uint32_t *last; // the piece that ends there
  size_t ways_room;
  struct jepsen jepsen;
  struct micro_ops ops;
};

// --- The events.

static int complain(struct reading *r, const char *expected) {
  return token_refuse(&r->t, expected, r->parsing->error);
}

static int skip(struct reading *r, const char *expected) {
  return token_skip(&r->t) ? complain(r, expected) : 0;
}

// Room for more than is there: for what the rest of the file will take, by what
// it took so far.
static size_t larger_room(const struct reading *r, size_t there) {
  const struct input *in = &r->parsing->input;
  const double times = (double)in->size / ((double)input_offset(in) + 1);
  return (size_t)((double)there * 17 / 16 * fmin(fmax(times, 1), STEP_MOST)) +
         64;
}

static int read_type(void *reading) {
  struct reading *r = reading;
  enum completion completion;
  if (!token_is_scalar(&r->t) ||
      !completion_parse(r->t.text, r->t.length, &completion))
    return complain(r, ":invoke, :ok, :fail or :info");
  r->call.completion = (uint8_t)completion;
  r->call.has_type = true;
  return 0;
}

static int read_f(void *reading) {
  struct reading *r = reading;
  r->call.function = token_names(&r->t, "get")      ? CALL_GET
                     : token_names(&r->t, "put")    ? CALL_PUT
                     : token_names(&r->t, "append") ? CALL_APPEND
                                                    : CALL_OTHER;
  return skip(r, "the function of the operation");
}

static int read_process(void *reading) {
  struct reading *r = reading;
  r->call.has_process = r->t.kind == TOKEN_INTEGER;
  r->call.process = r->t.integer;
  return skip(r, "a process");
}

static int read_time(void *reading) {
  struct reading *r = reading;
  if (r->t.kind == TOKEN_INTEGER)
    r->call.time = r->t.integer;
  return skip(r, "a time");
}

static int read_key(void *reading) {
  struct reading *r = reading;
  if (!token_is_scalar(&r->t))
    return complain(r, "a key");
  r->call.key =
      number_map_id(&r->keys, key_of_token(&r->t, r->parsing->builder));
  return 0;
}

static int read_value(void *reading) {
  struct reading *r = reading;
  if (!token_is_scalar(&r->t))
    return skip(r, "a string");
  r->call.text = r->bytes;
  r->call.length = token_is_nothing(&r->t) ? 0 : r->t.length;
  if (r->bytes + r->call.length > r->texts_room) {
    r->texts_room = larger_room(r, r->bytes) + r->call.length;
    r->texts = xrealloc(r->texts, r->texts_room, 1);
  }
  if (r->call.length)
    memcpy(r->texts + r->bytes, r->t.text, r->call.length);
  r->bytes += r->call.length;
  return 0;
}

static const struct member members[] = {
    {"type", read_type}, {"f", read_f},         {"process", read_process},
    {"key", read_key},   {"value", read_value}, {"time", read_time},
    {NULL, NULL}};

static int read_call(void *reading) {
  struct reading *r = reading;
  r->call =
      (struct call){.time = TIME_UNKNOWN, .key = UINT32_MAX, .last = NO_PIECE};
  if (token_members(&r->t, members, r, r->parsing->error))
    return -1;
  if (r->call.function == CALL_OTHER || !r->call.has_process)
    return 0; // :nemesis
  if (!r->call.has_type)
    return complain(r, "a member :type before the end of the operation");
  if (r->call.function != CALL_GET && r->call.completion <= COMPLETE_OK &&
      !r->call.length)
    return complain(r, "a string that is not empty before the end of the "
                       "operation");
  if (r->call.key == UINT32_MAX)
    r->call.key = number_map_id(&r->keys, 0);
  if (r->ncalls == r->calls_room) {
    r->calls_room = larger_room(r, r->ncalls);
    r->calls = xrealloc(r->calls, r->calls_room, sizeof *r->calls);
  }
  r->calls[r->ncalls++] = r->call;
  return 0;
}

// --- The pieces.

static int by_length(const void *a, const void *b) {
  const struct piece *x = a, *y = b;
  if (x->key != y->key)
    return x->key > y->key ? 1 : -1;
  if (x->length != y->length)
    return x->length > y->length ? 1 : -1;
  return (x->text > y->text) - (x->text < y->text);
}

static bool is_piece(const struct reading *r, uint32_t i, uint32_t key,
                     uint32_t length, const char *text) {
  const struct piece *piece = &r->pieces[i];
  return piece->key == key && piece->length == length &&
         memcmp(r->texts + piece->text, text, length) == 0;
}

// The slot of a string of the key, or the free one where it belongs.
static uint64_t *slot_of(const struct reading *r, uint32_t key, uint32_t length,
                         const char *text, uint64_t *hash) {
  *hash = XXH3_64bits_withSeed(text, length, key);
  for (uint64_t i = *hash & r->mask;; i = (i + 1) & r->mask) {
    const uint64_t slot = r->slots[i];
    if (!slot || (slot >> 32 == *hash >> 32 &&
                  is_piece(r, (uint32_t)slot - 1, key, length, text)))
      return &r->slots[i];
  }
}

static int refuse_string(const struct reading *r, size_t text, uint32_t length,
                         const char *what) {
  const int shown = length < 60 ? (int)length : 60;
  return error_set(r->parsing->error, "%s: \"%.*s\"%s %s",
                   r->parsing->input.path, shown, r->texts + text,
                   length > 60 ? "..." : "", what);
}

// Events that tell of an operation for the first time.
struct first_events {
  struct number_map processes;
  uint8_t *open; // per process: it has invoked something
  uint32_t room;
};

static bool is_first(struct first_events *f, const struct call *c) {
  const uint32_t process = number_map_id(&f->processes, c->process);
  if (process >= f->room) {
    const uint32_t room = 2 * process + 8;
    f->open = xrealloc(f->open, room, 1);
    memset(f->open + f->room, 0, room - f->room);
    f->room = room;
  }
  const bool first = c->completion == INVOKE || !f->open[process];
  f->open[process] = c->completion == INVOKE;
  return first;
}

static void list_pieces(struct reading *r) {
  struct first_events first = {0};
  for (uint32_t i = 0; i < r->ncalls; i++) {
    const struct call *c = &r->calls[i];
    if (!is_first(&first, c) || c->function == CALL_GET || !c->length)
      continue;
    ARRAY_RESERVE(r->pieces, r->npieces, r->pieces_room);
    r->pieces[r->npieces++] = (struct piece){.key = c->key,
                                             .length = c->length,
                                             .text = c->text,
                                             .before = NO_PIECE,
                                             .put = c->function == CALL_PUT};
  }
  number_map_free(&first.processes);
  free(first.open);
}

static void sort_pieces(struct reading *r) {
  if (r->npieces)
    qsort(r->pieces, r->npieces, sizeof *r->pieces, by_length);
  r->first_piece = xcalloc((size_t)r->keys.count + 1, sizeof *r->first_piece);
  for (uint32_t i = 0; i < r->npieces; i++)
    r->first_piece[r->pieces[i].key + 1] = i + 1;
  for (uint32_t key = 0; key < r->keys.count; key++)
    if (!r->first_piece[key + 1])
      r->first_piece[key + 1] = r->first_piece[key];
}

static int find_pieces(struct reading *r) {
  list_pieces(r);
  sort_pieces(r);
  for (r->mask = 1; r->mask < 2 * (uint64_t)r->npieces; r->mask *= 2)
    ;
  r->slots = xcalloc(r->mask, sizeof *r->slots);
  r->mask--;
  for (uint32_t i = 0; i < r->npieces; i++) {
    const struct piece *piece = &r->pieces[i];
    uint64_t hash, *const slot = slot_of(r, piece->key, piece->length,
                                         r->texts + piece->text, &hash);
    if (*slot)
      return refuse_string(r, piece->text, piece->length,
                           "is given to its key twice: gets can not be taken "
                           "apart");
    *slot = (hash >> 32 << 32) | (i + 1);
  }
  return 0;
}

static uint32_t piece_of(const struct reading *r, uint32_t key, uint32_t length,
                         const char *text) {
  uint64_t hash;
  const uint64_t slot = *slot_of(r, key, length, text, &hash);
  return slot ? (uint32_t)slot - 1 : NO_PIECE;
}

// The next length, above this one, of a piece of the key; 0 if there is none.
static uint32_t next_length(const struct reading *r, uint32_t key,
                            uint32_t length) {
  const uint32_t end = r->first_piece[key + 1];
  uint32_t low = r->first_piece[key], high = end;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (r->pieces[middle].length <= length)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end ? r->pieces[low].length : 0;
}

// --- The gets.

// Finds in how many ways what a get returned can be taken apart, and how.
static void count_ways(struct reading *r, const struct call *get) {
  const char *text = r->texts + get->text;
  if (get->length + 1 > r->ways_room) {
    r->ways_room = 2 * (size_t)get->length + 1;
    r->ways = xrealloc(r->ways, r->ways_room, 1);
    r->last = xrealloc(r->last, r->ways_room, sizeof *r->last);
  }
  memset(r->ways, 0, get->length + 1);
  r->ways[0] = 1;
  for (uint32_t at = 0; at < get->length; at++)
    for (uint32_t n = 0; r->ways[at] && (n = next_length(r, get->key, n)) != 0;)
      if (n <= get->length - at) {
        const uint32_t piece = piece_of(r, get->key, n, text + at);
        const unsigned ways = r->ways[at + n] + r->ways[at];
        if (piece == NO_PIECE)
          continue;
        r->ways[at + n] = ways > 2 ? 2 : (uint8_t)ways;
        r->last[at + n] = piece;
      }
}

// Do the pieces of a get agree with those of the gets before it, and with each
// other?  They are in `found` from the last one on.  What each was appended to
// is noted if all do: a piece that is there twice was appended to two.
static bool agree(struct reading *r, uint32_t n) {
  bool agree = true;
  uint32_t i = 0, fresh = 0;
  for (; i < n && agree; i++) {
    struct piece *piece = &r->pieces[r->found[i]];
    const uint32_t before = i + 1 < n ? r->found[i + 1] : NOTHING_BEFORE;
    agree = piece->put ? before == NOTHING_BEFORE
                       : piece->before == NO_PIECE || piece->before == before;
    if (agree && piece->before == NO_PIECE) {
      piece->before = before;
      r->noted[fresh++] = r->found[i];
    }
  }
  while (!agree && fresh)
    r->pieces[r->noted[--fresh]].before = NO_PIECE;
  return agree;
}

static int take_apart(struct reading *r, struct call *get) {
  uint32_t n = 0;
  count_ways(r, get);
  if (r->ways[get->length] > 1)
    return refuse_string(r, get->text, get->length,
                         "can be taken apart in several ways");
  if (!r->ways[get->length])
    return 0;
  for (uint32_t at = get->length; at > 0; at -= r->pieces[r->last[at]].length) {
    if (n == r->found_room) {
      r->found_room = 2 * n + 16;
      r->found = xrealloc(r->found, r->found_room, sizeof *r->found);
      r->noted = xrealloc(r->noted, r->found_room, sizeof *r->noted);
    }
    r->found[n++] = r->last[at];
  }
  if (agree(r, n))
    get->last = r->found[0];
  return 0;
}

// --- Telling it.

// A string as other formats have it, in quotes.
static uint64_t value_of(struct reading *r, size_t text, uint32_t length) {
  char *quoted = xmalloc((size_t)length + 2);
  quoted[0] = quoted[length + 1] = '"';
  memcpy(quoted + 1, r->texts + text, length);
  const uint64_t value =
      builder_value_named(r->parsing->builder, quoted, (size_t)length + 2);
  free(quoted);
  return value;
}

static uint64_t value_of_piece(struct reading *r, uint32_t i) {
  struct piece *piece = &r->pieces[i];
  if (!piece->value)
    piece->value =
        (uint32_t)(value_of(r, piece->text, piece->length) - VALUE_NAMED) + 1;
  return VALUE_NAMED + (piece->value - 1);
}

static void add_get(struct reading *r, const struct call *c) {
  struct micro_op op = {.kind = OP_READ, .key = r->keys.numbers[c->key]};
  if (c->completion != COMPLETE_OK)
    op.kind = MICRO_NOTHING;
  else if (!c->length)
    op.value = VALUE_INITIAL;
  else
    op.value = c->last == NO_PIECE ? value_of(r, c->text, c->length)
                                   : value_of_piece(r, c->last);
  micro_ops_add(&r->ops, op);
}

static int add_update(struct reading *r, const struct call *c) {
  struct micro_op op = {.kind = OP_WRITE, .key = r->keys.numbers[c->key]};
  const uint32_t piece = piece_of(r, c->key, c->length, r->texts + c->text);
  if (piece == NO_PIECE) // a completion need not repeat it
    return c->completion == COMPLETE_OK
               ? refuse_string(r, c->text, c->length,
                               "was not what had been invoked")
               : 0;
  const uint32_t before = r->pieces[piece].before;
  op.value = value_of_piece(r, piece);
  if (!r->pieces[piece].put && before != NO_PIECE) {
    op.kind = OP_CAS;
    op.expected =
        before == NOTHING_BEFORE ? VALUE_INITIAL : value_of_piece(r, before);
  }
  micro_ops_add(&r->ops, op);
  return 0;
}

// What gets show has to be known before appends are told.
static int take_all_apart(struct reading *r) {
  for (uint32_t i = 0; i < r->ncalls; i++)
    if (r->calls[i].function == CALL_GET && r->calls[i].length &&
        r->calls[i].completion == COMPLETE_OK && take_apart(r, &r->calls[i]))
      return -1;
  return 0;
}

static int tell_calls(struct reading *r) {
  for (uint32_t i = 0; i < r->ncalls; i++) {
    const struct call *c = &r->calls[i];
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
  struct reading r = {.parsing = parsing,
                      .t = {.input = &parsing->input, .edn = true},
                      .texts = xmalloc(TEXTS_AT_FIRST),
                      .texts_room = TEXTS_AT_FIRST,
                      .jepsen = {.builder = parsing->builder}};
  const int status = token_objects(&r.t, read_call, &r, parsing->error) ||
                             find_pieces(&r) || take_all_apart(&r) ||
                             tell_calls(&r)
                         ? -1
                         : 0;
  jepsen_free(&r.jepsen);
  micro_ops_free(&r.ops);
  number_map_free(&r.keys);
  void *const owned[] = {r.calls, r.texts, r.pieces, r.first_piece, r.slots,
                         r.found, r.noted, r.ways,   r.last};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
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
    .says = SAYS_CAS | SAYS_ABORTED | SAYS_UNKNOWN | SAYS_TIMES | SAYS_NAMES |
            SAYS_VALUES,
    .recognise = porcupine_kv_recognise,
    .parse = porcupine_kv_parse,
};

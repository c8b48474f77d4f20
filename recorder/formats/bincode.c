// SPDX-License-Identifier: GPL-3.0-or-later
// Histories as dbcop wrote them at first and PolySI publishes them: Rust's
// bincode, little-endian and without padding.  After five numbers and three
// texts that describe the run come the sessions, each a counted sequence of
// transactions, each a counted sequence of events (write?, key, value,
// success?) and whether it committed.  The initial value of every key is 0.
#include "config.h"

#include "recorder/formats/export.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PARAMETERS = 5 * 8,
  TEXTS = 3, // info, start, end
  EVENT_BYTES = 1 + 8 + 8 + 1,
  TEXT_MAX = 1 << 20
};

static int complain_of_bincode(struct parsing *r, uint64_t at,
                               const char *expected) {
  char sentence[128];
  snprintf(sentence, sizeof sentence, "expected %s, but %s", expected,
           at < r->input.size ? "this is none" : "the file ends");
  input_refuse_byte(&r->input, at, sentence, r->error);
  return -1;
}

static int read_bincode_number(struct parsing *r, const char *what,
                               uint64_t *number) {
  const unsigned char *p = input_take(&r->input, 8);
  if (!p)
    return complain_of_bincode(r, r->input.size, what);
  *number = load64(p);
  return 0;
}

// A count of things that take at least `each` bytes, so that it cannot be more
// than the rest of the file holds.
static int read_bincode_count(struct parsing *r, const char *what, size_t each,
                              uint64_t *count) {
  if (read_bincode_number(r, what, count))
    return -1;
  if (*count <= input_rest(&r->input) / each)
    return 0;
  char sentence[128];
  snprintf(sentence, sizeof sentence,
           "expected %s that the rest of the file has room for", what);
  return input_refuse_byte(&r->input, input_offset(&r->input) - 8, sentence,
                           r->error);
}

static int skip_head(struct parsing *r) {
  if (!input_take(&r->input, PARAMETERS))
    return complain_of_bincode(r, r->input.size, "the parameters of the run");
  for (int i = 0; i < TEXTS; i++) {
    uint64_t length, n;
    if (read_bincode_count(r, "the length of a text", 1, &length))
      return -1;
    for (; length; length -= n) {
      n = length < INPUT_AHEAD ? length : INPUT_AHEAD;
      if (!input_take(&r->input, n))
        return complain_of_bincode(r, r->input.size, "a text");
    }
  }
  return 0;
}

static int refuse_event(struct parsing *r, const unsigned char *event) {
  const uint64_t at = input_offset(&r->input) - EVENT_BYTES;
  return event[0] > 1
             ? complain_of_bincode(r, at, "0 for a read or 1 for a write")
             : complain_of_bincode(r, at + EVENT_BYTES - 1,
                                   "0 or 1 for success");
}

// One that did not succeed is left out, as dbcop's own loader does.
static int read_bincode_event(struct parsing *r) {
  const unsigned char *event = input_take(&r->input, EVENT_BYTES);
  if (!event)
    return complain_of_bincode(r, r->input.size, "an event");
  if ((event[0] | event[EVENT_BYTES - 1]) > 1)
    return refuse_event(r, event);
  if (event[EVENT_BYTES - 1])
    builder_op(r->builder, event[0] ? OP_WRITE : OP_READ, load64(event + 1),
               load64(event + 9));
  return 0;
}

static int read_bincode_txn(struct parsing *r, uint64_t session) {
  uint64_t nevents;
  if (read_bincode_count(r, "a number of events", EVENT_BYTES, &nevents))
    return -1;
  builder_txn(r->builder, session, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN,
              TIME_UNKNOWN);
  for (uint64_t i = 0; i < nevents; i++)
    if (read_bincode_event(r))
      return -1;
  const unsigned char *success = input_take(&r->input, 1);
  if (!success)
    return complain_of_bincode(r, r->input.size,
                               "the outcome of a transaction");
  if (*success > 1)
    return complain_of_bincode(r, input_offset(&r->input) - 1,
                               "0 or 1 for the outcome of a transaction");
  if (!*success)
    builder_outcome(r->builder, OUTCOME_ABORTED);
  return 0;
}

static int bincode_parse(struct parsing *r) {
  uint64_t nsessions, ntxns;
  if (skip_head(r) ||
      read_bincode_count(r, "a number of sessions", 8, &nsessions))
    return -1;
  builder_expect_ops(r->builder, input_rest(&r->input) / EVENT_BYTES);
  for (uint64_t s = 0; s < nsessions; s++) {
    if (read_bincode_count(r, "a number of transactions", 9, &ntxns))
      return -1;
    for (uint64_t t = 0; t < ntxns; t++)
      if (read_bincode_txn(r, s))
        return -1;
  }
  const uint64_t rest = input_rest(&r->input);
  return rest ? complain_of_bincode(r, input_offset(&r->input),
                                    "the end of the file")
              : 0;
}

static void put_bincode_number(FILE *out, uint64_t number) {
  unsigned char bytes[8];
  store64(bytes, number);
  fwrite(bytes, 1, sizeof bytes, out);
}

static void put_bincode_txn(struct export_writing *w, uint32_t t) {
  const struct exported *said;
  const uint32_t n = export_txn(w, t, &said);
  put_bincode_number(w->out, n);
  for (uint32_t i = 0; i < n; i++) {
    fputc(said[i].kind == OP_WRITE, w->out);
    put_bincode_number(w->out, writing_key(w, said[i].key));
    put_bincode_number(w->out, said[i].value);
    fputc(1, w->out);
  }
  fputc(writing_outcome(w, t) == OUTCOME_OK, w->out);
}

// The numbers that are written before the sessions.
struct bincode_head {
  uint64_t keys, max_txns, max_ops; // of a session, of a transaction
  uint64_t *ntxns;                  // by session
};

static void count_txn(struct export_writing *w, uint32_t t, uint8_t *used,
                      struct bincode_head *head) {
  const struct history *h = w->h;
  const struct exported *said;
  const uint64_t nops = export_txn(w, t, &said);
  head->max_ops = nops > head->max_ops ? nops : head->max_ops;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    head->keys += !used[h->key[op]];
    used[h->key[op]] = 1;
  }
}

static struct bincode_head count_bincode_head(struct export_writing *w) {
  const struct history *h = w->h;
  struct bincode_head head = {.ntxns =
                                  xcalloc(h->nsessions, sizeof *head.ntxns)};
  uint8_t *used = xcalloc(h->nkeys, 1);
  for (uint32_t s = 0, t; s < h->nsessions; s++) {
    for (writing_start(w, s); writing_next(w, s, &t); head.ntxns[s]++)
      count_txn(w, t, used, &head);
    if (head.ntxns[s] > head.max_txns)
      head.max_txns = head.ntxns[s];
  }
  free(used);
  return head;
}

static void put_bincode_text(FILE *out, const char *text) {
  put_bincode_number(out, strlen(text));
  fputs(text, out);
}

// The parameters are an id, the numbers of sessions and keys, and the most
// transactions of a session and operations of a transaction.
static void put_bincode_head(struct export_writing *w,
                             const struct bincode_head *head) {
  const uint64_t parameters[] = {0, w->h->nsessions, head->keys, head->max_txns,
                                 head->max_ops};
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    put_bincode_number(w->out, parameters[i]);
  put_bincode_text(w->out, "");
  put_bincode_text(w->out, WRITING_RUN_TIME);
  put_bincode_text(w->out, WRITING_RUN_TIME);
}

static int bincode_write(struct export_writing *w) {
  const struct bincode_head head = count_bincode_head(w);
  put_bincode_head(w, &head);
  put_bincode_number(w->out, w->h->nsessions);
  for (uint32_t s = 0, t; s < w->h->nsessions; s++) {
    put_bincode_number(w->out, head.ntxns[s]);
    for (writing_start(w, s); writing_next(w, s, &t);)
      put_bincode_txn(w, t);
  }
  free(head.ntxns);
  return 0;
}

// There is no magic number: the three texts must be where the lengths before
// them say, and must be text.
static bool bincode_recognise(const unsigned char *head, size_t bytes) {
  size_t at = PARAMETERS;
  for (int i = 0; i < TEXTS; i++) {
    if (bytes < at || bytes - at < 8)
      return false;
    const uint64_t length = load64(head + at);
    at += 8;
    if (length > TEXT_MAX || length > bytes - at ||
        memchr(head + at, 0, length))
      return false;
    at += length;
  }
  return bytes - at >= 16 && load64(head + at) < VALUE_MAX_SESSIONS;
}

const struct history_format format_bincode = {
    .name = "bincode",
    .summary = "dbcop's and PolySI's history.bincode",
    .files = "history.bincode", // of the directories that dbcop writes
    .initial = INITIAL_IMPLICIT,
    .says = FEATURE_DUPLICATES | FEATURE_ABORTED | FEATURE_UNCOMMITTED_READS,
    .recognise = bincode_recognise,
    .parse = bincode_parse,
    .extension = "bincode",
    .write = bincode_write,
};

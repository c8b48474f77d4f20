// SPDX-License-Identifier: GPL-3.0-or-later
// Cobra's logs: a directory of files T<client>.log, one per session, of
// big-endian records.  A write has an id that is unique in all of them, which
// stands for the value; what was read of no transaction has numbers of its own.
//
//   S txn [time]   R write_txn write_id key value   W write_id key value
//   C txn [time]
#include "config.h"

#include "recorder/formats/export.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

enum { NUMBER = 8, NUMBERS_MAX = 4 };

struct cobra_reading {
  struct parsing *parsing;
  bool timed; // S and C have a time
  bool open;
  uint64_t begin;
};

// Ids of the transactions that were there first; they may be other ids as well.
static const uint64_t initial[] = {
    0xbebeebee, // INIT
    0xdeadbeef, // NULL
    0xadeafbee, // MISSING
    0x23332333, // ids that its garbage collector reads
    0x66666666,
};
enum { INITIAL_TXNS = 3, INITIAL_IDS = sizeof initial / sizeof *initial };

#define DELETED UINT64_C(0xabcdefab) // the id of all writes of nothing

static int complain_of_cobra(struct cobra_reading *r, const char *expected) {
  return input_refuse_byte(&r->parsing->input, input_offset(&r->parsing->input),
                           expected, r->parsing->error);
}

static int read_numbers(struct cobra_reading *r, uint64_t *numbers, int count) {
  assert(count > 0);
  const unsigned char *p =
      input_take(&r->parsing->input, (size_t)count * NUMBER);
  if (!p)
    return complain_of_cobra(
        r, "expected the numbers of a record, but the file ends");
  for (int i = 0; i < count; i++) {
    memcpy(&numbers[i], p + i * NUMBER, NUMBER);
    numbers[i] = be64toh(numbers[i]);
  }
  return 0;
}

static bool is_initial_in_cobra(uint64_t number, int count) {
  while (count && initial[count - 1] != number)
    count--;
  return count;
}

// The client never knew what became of it.
static void end_open(struct cobra_reading *r) {
  if (r->open)
    builder_outcome(r->parsing->builder, OUTCOME_UNKNOWN);
  r->open = false;
}

static int read_cobra_start(struct cobra_reading *r) {
  uint64_t numbers[2] = {0, TIME_UNKNOWN};
  end_open(r);
  if (read_numbers(r, numbers, r->timed ? 2 : 1))
    return -1;
  r->begin = numbers[1];
  r->open = true;
  builder_txn(r->parsing->builder, r->parsing->session, OUTCOME_OK,
              ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  return 0;
}

static int read_cobra_commit(struct cobra_reading *r) {
  uint64_t numbers[2] = {0, TIME_UNKNOWN};
  if (read_numbers(r, numbers, r->timed ? 2 : 1))
    return -1;
  if (r->timed && r->begin <= numbers[1])
    builder_times(r->parsing->builder, r->begin, numbers[1]);
  r->open = false;
  return 0;
}

static int read_cobra_read(struct cobra_reading *r) {
  uint64_t n[4] = {0};
  if (read_numbers(r, n, 4))
    return -1;
  const bool nobody = is_initial_in_cobra(n[0], INITIAL_TXNS);
  if (nobody && !is_initial_in_cobra(n[1], INITIAL_IDS))
    return complain_of_cobra(
        r,
        "expected the transaction to begin with the id of the initial state");
  builder_op(r->parsing->builder, OP_READ, n[2], nobody ? VALUE_INITIAL : n[1]);
  return 0;
}

// Who reads nothing does not say which delete it saw, if any.  What we write
// ourselves has the id for its value, and may have this one.
static int read_cobra_write(struct cobra_reading *r) {
  uint64_t n[3] = {0};
  if (read_numbers(r, n, 3))
    return -1;
  if (n[0] == DELETED && n[2] != DELETED)
    return complain_of_cobra(
        r, "expected no delete before here, since reads of nothing "
           "cannot tell one delete from another");
  builder_op(r->parsing->builder, OP_WRITE, n[1], n[0]);
  return 0;
}

static int read_record(struct cobra_reading *r, unsigned char what) {
  if (what == 'S')
    return read_cobra_start(r);
  if (what != 'R' && what != 'W' && what != 'C')
    return complain_of_cobra(r, "expected the letter S, R, W or C before here");
  if (!r->open)
    return complain_of_cobra(r,
                             "expected the start of a transaction before here");
  return what == 'C'   ? read_cobra_commit(r)
         : what == 'R' ? read_cobra_read(r)
                       : read_cobra_write(r);
}

static bool is_record(unsigned char c) { return c && strchr("RWC", c); }

// Records of a start are followed by another record, or by a time.
static bool cobra_has_times(struct input *in) {
  input_want(in);
  const char *p = in->p;
  return in->end - p > 17 && p[0] == 'S' && !is_record((unsigned char)p[9]);
}

static int cobra_parse(struct parsing *parsing) {
  struct cobra_reading r = {.parsing = parsing};
  const unsigned char *what;
  r.timed = cobra_has_times(&parsing->input);
  while ((what = input_take(&parsing->input, 1)))
    if (read_record(&r, *what))
      return -1;
  end_open(&r);
  return 0;
}

static void put_cobra_record(FILE *out, char what, const uint64_t *numbers,
                             int count) {
  fputc(what, out);
  for (int i = 0; i < count; i++) {
    const uint64_t big = htobe64(numbers[i]);
    fwrite(&big, sizeof big, 1, out);
  }
}

// Ids of transactions start at 1; what a read saw in nobody's transaction has
// the number behind them.
static void put_cobra_op(struct export_writing *w, FILE *out,
                         const struct exported *said) {
  const struct history *h = w->h;
  const uint32_t op = said->op;
  const uint32_t saw = h->kind[op] == OP_READ ? h->saw[op] : SAW_THIN_AIR;
  const uint64_t writer = saw < h->nops ? writing_name(w, saw) : w->ntxns;
  const uint64_t id = said->nothing ? initial[0] : said->value;
  const uint64_t key = writing_key(w, said->key);
  const uint64_t read[] = {said->nothing ? initial[0] : writer + 1, id, key,
                           id};
  if (said->kind == OP_READ)
    put_cobra_record(out, 'R', read, 4);
  else
    put_cobra_record(out, 'W', read + 1, 3);
}

static void put_cobra_txn(struct export_writing *w, FILE *out, uint32_t t) {
  const uint64_t id = (uint64_t)t + 1;
  const struct exported *said;
  const uint32_t n = export_txn(w, t, &said);
  put_cobra_record(out, 'S', &id, 1);
  for (uint32_t i = 0; i < n; i++)
    put_cobra_op(w, out, &said[i]);
  put_cobra_record(out, 'C', &id, 1);
}

static int cobra_write(struct export_writing *w) {
  const struct history *h = w->h;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    char name[32];
    snprintf(name, sizeof name, "T%" PRIu32 ".log", s);
    FILE *out = writing_open(w, name);
    if (!out)
      return -1;
    uint32_t t;
    for (writing_start(w, s); writing_next(w, s, &t);)
      put_cobra_txn(w, out, t);
    if (writing_close(w, out))
      return -1;
  }
  return 0;
}

static bool cobra_recognise(const unsigned char *head, size_t bytes) {
  return bytes >= 18 && head[0] == 'S' && !head[1] &&
         (is_record(head[9]) || (bytes >= 26 && is_record(head[17])));
}

const struct history_format format_cobra = {
    .name = "cobra",
    .summary = "Cobra: directory of logs, a file T*.log per session",
    .files = "T*.log",
    .initial = INITIAL_IMPLICIT,
    .says = FEATURE_DUPLICATES,
    .recognise = cobra_recognise,
    .parse = cobra_parse,
    .extension = "cobra",
    .write = cobra_write,
    .written_as = WRITTEN_DIRECTORY,
    .names = NAMES_TRANSACTIONS,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// Cobra's logs: a directory of files T<client>.log, one per session, of
// big-endian records.  A write has an id that is unique in all of them, which
// stands for the value; a few numbers stand for no write at all.
//
//   S txn [time]   R write_txn write_id key value   W write_id key value
//   C txn [time]
#include "config.h"

#include "recorder/formats/formats.h"

#include <endian.h>
#include <string.h>

enum { NUMBER = 8, NUMBERS_MAX = 4 };

struct reading {
  struct parsing *parsing;
  bool timed; // S and C have a time
  bool open;
  uint64_t begin;
};

static const uint64_t sentinels[] = {
    0xbebeebee, // INIT
    0xdeadbeef, // NULL
    0xadeafbee, // MISSING
    0x23332333, // reads that its garbage collector makes
    0x66666666,
};

static int complain(struct reading *r, const char *expected) {
  return input_refuse_byte(&r->parsing->input, input_offset(&r->parsing->input),
                           expected, r->parsing->error);
}

static int read_numbers(struct reading *r, uint64_t *numbers, int count) {
  const unsigned char *p =
      input_take(&r->parsing->input, (size_t)count * NUMBER);
  if (!p)
    return complain(r, "expected the numbers of a record, but the file ends");
  for (int i = 0; i < count; i++) {
    memcpy(&numbers[i], p + i * NUMBER, NUMBER);
    numbers[i] = be64toh(numbers[i]);
  }
  return 0;
}

static uint64_t value_of_id(uint64_t id) {
  for (size_t i = 0; i < sizeof sentinels / sizeof *sentinels; i++)
    if (id == sentinels[i])
      return VALUE_INITIAL;
  return id;
}

// The client never knew what became of it.
static void end_open(struct reading *r) {
  if (r->open)
    builder_outcome(r->parsing->builder, OUTCOME_UNKNOWN);
  r->open = false;
}

static int read_start(struct reading *r) {
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

static int read_commit(struct reading *r) {
  uint64_t numbers[2] = {0, TIME_UNKNOWN};
  if (read_numbers(r, numbers, r->timed ? 2 : 1))
    return -1;
  if (r->timed && r->begin <= numbers[1])
    builder_times(r->parsing->builder, r->begin, numbers[1]);
  r->open = false;
  return 0;
}

static int read_record(struct reading *r, unsigned char what) {
  uint64_t n[NUMBERS_MAX];
  if (what == 'S')
    return read_start(r);
  if (what != 'R' && what != 'W' && what != 'C')
    return complain(r, "expected the letter S, R, W or C before here");
  if (!r->open)
    return complain(r, "expected the start of a transaction before here");
  if (what == 'C')
    return read_commit(r);
  if (read_numbers(r, n, what == 'R' ? 4 : 3))
    return -1;
  if (what == 'R')
    builder_op(r->parsing->builder, OP_READ, n[2], value_of_id(n[1]));
  else
    builder_op(r->parsing->builder, OP_WRITE, n[1], n[0]);
  return 0;
}

static bool is_record(unsigned char c) { return c && strchr("RWC", c); }

// Records of a start are followed by another record, or by a time.
static bool has_times(struct input *in) {
  input_want(in);
  const char *p = in->p;
  return in->end - p > 17 && p[0] == 'S' && !is_record((unsigned char)p[9]);
}

static int cobra_parse(struct parsing *parsing) {
  struct reading r = {.parsing = parsing};
  const unsigned char *what;
  r.timed = has_times(&parsing->input);
  while ((what = input_take(&parsing->input, 1)))
    if (read_record(&r, *what))
      return -1;
  end_open(&r);
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
    .says = 0,
    .recognise = cobra_recognise,
    .parse = cobra_parse,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// The text of PolySI and Plume: lines r(KEY,VALUE,SESSION,TXN) and w(...).
// Those of a transaction need not stand together; a session's transactions come
// in the order of their first lines.  Transaction -1 is operations of aborted
// ones, each on its own.  In PolySI's files 0 is the initial value, which
// nobody wrote; in Plume's a session of its own did.
#include "config.h"

#include "base/memory.h"
#include "recorder/builder/number_map.h"
#include "recorder/formats/export.h"
#include "recorder/formats/lines.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Those of a transaction are a chain.
struct plume_line {
  uint64_t key, value;
  uint32_t next; // NO_LINE: none
  bool writes;
};

struct plume_txn {
  uint64_t session;
  uint32_t first, last; // of its lines
  bool aborted;
};

struct plume_reading {
  struct parsing *parsing;
  struct plume_line *lines;
  struct plume_txn *txns; // by the id of their name
  uint32_t nlines;
  size_t line_room, txn_room;
  struct number_map names;
  uint32_t nameless;                            // of them cannot be found again
  struct number_map large_sessions, large_txns; // their numbers
};

#define NO_LINE UINT32_MAX
#define ABORTED UINT64_MAX // as a transaction's number
#define LARGE (UINT64_C(1) << 30)

// In 32 bits.
static uint64_t shortened(struct number_map *large, uint64_t number) {
  return number < LARGE ? number : LARGE + number_map_id(large, number);
}

static uint64_t write_plume_name(struct plume_reading *r, uint64_t session,
                                 uint64_t txn) {
  return shortened(&r->large_sessions, session) << 32 |
         shortened(&r->large_txns, txn);
}

static uint64_t no_name(struct plume_reading *r) {
  return UINT64_C(0xffffffff) << 32 | r->nameless++;
}

static struct plume_txn *find_plume_txn(struct plume_reading *r,
                                        uint64_t session, uint64_t txn) {
  const bool aborted = txn == ABORTED;
  const uint32_t before = r->names.count;
  const uint32_t t = number_map_id(
      &r->names, aborted ? no_name(r) : write_plume_name(r, session, txn));
  if (t == before) {
    ARRAY_RESERVE(r->txns, t, r->txn_room);
    r->txns[t] = (struct plume_txn){session, r->nlines, r->nlines, aborted};
  }
  return &r->txns[t];
}

static void add_line(struct plume_reading *r, bool writes,
                     const uint64_t number[4]) {
  struct plume_txn *txn = find_plume_txn(r, number[2], number[3]);
  const uint32_t line = r->nlines++;
  ARRAY_RESERVE(r->lines, line, r->line_room);
  assert(txn->first == line || txn->last < line);
  if (txn->first != line)
    r->lines[txn->last].next = line;
  txn->last = line;
  r->lines[line] = (struct plume_line){number[0], number[1], NO_LINE, writes};
}

static void tell_plume_txn(const struct plume_reading *r,
                           const struct plume_txn *txn) {
  builder_txn(r->parsing->builder, txn->session,
              txn->aborted ? OUTCOME_ABORTED : OUTCOME_OK, ISOLATION_NONE,
              TIME_UNKNOWN, TIME_UNKNOWN);
  for (uint32_t i = txn->first; i != NO_LINE; i = r->lines[i].next)
    builder_op(r->parsing->builder, r->lines[i].writes ? OP_WRITE : OP_READ,
               r->lines[i].key, r->lines[i].value);
}

// r(KEY,VALUE,SESSION,TXN)
static int read_plume_line(struct plume_reading *r) {
  static const char *const what[] = {"a key", "a value", "a session",
                                     "a transaction"};
  char *p = r->parsing->input.p;
  uint64_t number[4];
  if ((*p != 'r' && *p != 'w') || p[1] != '(')
    return line_refuse(r->parsing, p, "expected r(KEY,VALUE,SESSION,TXN) or w");
  const bool writes = *p == 'w';
  p += 2;
  for (int i = 0; i < 4; i++) {
    const bool aborted = i == 3 && p[0] == '-' && p[1] == '1';
    p += aborted ? 2 : 0;
    number[i] = ABORTED;
    char *const start = p;
    if (!aborted && (!take_number(&p, &number[i]) ||
                     (i >= 2 && number[i] >= VALUE_NAMED))) {
      char expected[64] = "expected the number of ";
      return line_refuse(r->parsing, start, strcat(expected, what[i]));
    }
    if (*p != (i < 3 ? ',' : ')'))
      return line_refuse(r->parsing, p,
                         i < 3 ? "expected ','" : "expected ')'");
    p++;
  }
  r->parsing->input.p = p;
  if (writes || number[3] != ABORTED)
    add_line(r, writes, number);
  return 0;
}

// More than HISTORY_MAX lines are refused by the builder.
static int plume_parse(struct parsing *parsing) {
  struct plume_reading r = {.parsing = parsing};
  int status = 0;
  while (status == 0 && r.nlines < HISTORY_MAX && !lines_end(&parsing->input))
    status = read_plume_line(&r);
  for (uint32_t t = 0; t < r.names.count && status == 0; t++)
    tell_plume_txn(&r, &r.txns[t]);
  number_map_free(&r.names);
  number_map_free(&r.large_sessions);
  number_map_free(&r.large_txns);
  free(r.lines);
  free(r.txns);
  return status;
}

// An aborted transaction has no number, and `id` is not looked at.
static void put_plume_op(struct export_writing *w, const struct exported *said,
                         uint32_t s, bool committed, uint32_t id) {
  fprintf(w->out, "%c(%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",",
          said->kind == OP_READ ? 'r' : 'w', writing_key(w, said->key),
          said->value, s);
  if (committed)
    fprintf(w->out, "%" PRIu32 ")\n", id);
  else
    fputs("-1)\n", w->out);
}

static int plume_write(struct export_writing *w) {
  const struct history *h = w->h;
  uint32_t id = 0;
  for (uint32_t s = 0, t; s < h->nsessions; s++)
    for (writing_start(w, s); writing_next(w, s, &t);) {
      const struct exported *said;
      const uint32_t n = export_txn(w, t, &said);
      const bool committed = writing_outcome(w, t) == OUTCOME_OK;
      for (uint32_t i = 0; i < n; i++)
        put_plume_op(w, &said[i], s, committed, id);
      id += n && committed;
    }
  return 0;
}

static bool plume_recognise(const char *p) {
  return (*p == 'r' || *p == 'w') && p[1] == '(' && p[2] >= '0' && p[2] <= '9';
}

const struct history_format format_plume = {
    .name = "plume",
    .summary = "PolySI's and Plume's text: w(KEY,VALUE,SESSION,TXN)",
    .example = "w(1,5,0,0)\n"
               "r(1,5,1,1)",
    .initial = INITIAL_BY_SESSION,
    .says = FEATURE_DUPLICATES | FEATURE_ABORTED,
    .recognise_text = plume_recognise,
    .parse = plume_parse,
    .extension = "plume",
    .write = plume_write,
};

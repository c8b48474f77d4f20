// SPDX-License-Identifier: GPL-3.0-or-later
// The text of PolySI and Plume: lines r(KEY,VALUE,SESSION,TXN) and w(...).
// Those of a transaction need not stand together; a session's transactions come
// in the order of their first lines.  Transaction -1 is operations of aborted
// ones, each on its own.  In PolySI's files 0 is the initial value, which
// nobody wrote; in Plume's a session of its own did.
#include "config.h"

#include "recorder/formats/lines.h"
#include "recorder/formats/writing.h"
#include "recorder/number_map.h"

#include <inttypes.h>
#include <string.h>

struct reading {
  struct parsing *parsing;
  bool open; // a transaction is: that of the line before
  uint64_t session, txn;
  bool enough;            // was told
  struct number_map txns; // as the builder numbers them
  uint32_t nameless;      // of them can not be found again
  struct number_map large_sessions, large_txns; // their numbers
};

#define ABORTED UINT64_MAX // as a transaction's number
#define LARGE (UINT64_C(1) << 30)

// In 32 bits.
static uint64_t shortened(struct number_map *large, uint64_t number) {
  return number < LARGE ? number : LARGE + number_map_id(large, number);
}

static uint64_t name_of(struct reading *r, uint64_t session, uint64_t txn) {
  return shortened(&r->large_sessions, session) << 32 |
         shortened(&r->large_txns, txn);
}

static uint64_t no_name(struct reading *r) {
  return UINT64_C(0xffffffff) << 32 | r->nameless++;
}

static void start_txn(struct reading *r, uint64_t session, uint64_t txn) {
  const uint32_t before = r->txns.count;
  const uint32_t t = number_map_id(
      &r->txns, txn == ABORTED ? no_name(r) : name_of(r, session, txn));
  if (t < before)
    r->enough = !builder_go_on(r->parsing->builder, session, t);
  else
    builder_txn(r->parsing->builder, session,
                txn == ABORTED ? OUTCOME_ABORTED : OUTCOME_OK, ISOLATION_NONE,
                TIME_UNKNOWN, TIME_UNKNOWN);
  r->open = true;
  r->session = session;
  r->txn = txn;
}

// r(KEY,VALUE,SESSION,TXN)
static int read_line(struct reading *r) {
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
  const bool aborted = number[3] == ABORTED;
  if (aborted && !writes)
    return 0;
  if (!r->open || aborted || r->txn != number[3] || r->session != number[2])
    start_txn(r, number[2], number[3]);
  if (!r->enough)
    builder_op(r->parsing->builder, writes ? OP_WRITE : OP_READ, number[0],
               number[1]);
  return 0;
}

static int plume_parse(struct parsing *parsing) {
  struct reading r = {.parsing = parsing};
  int status = 0;
  while (status == 0 && !r.enough && !lines_end(&parsing->input))
    status = read_line(&r);
  number_map_free(&r.txns);
  number_map_free(&r.large_sessions);
  number_map_free(&r.large_txns);
  return status;
}

// An aborted transaction has no number, and `id` is not looked at.
static void put_txn(struct writing *w, uint32_t s, uint32_t t, uint32_t id) {
  const struct history *h = w->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    struct said said[SAID_MAX];
    const uint32_t n = writing_say(w, t, op, said);
    for (uint32_t i = 0; i < n; i++) {
      fprintf(w->out, "%c(%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",",
              said[i].kind == OP_READ ? 'r' : 'w', writing_key(w, said[i].key),
              said[i].value, s);
      if (writing_outcome(w, t) == OUTCOME_OK)
        fprintf(w->out, "%" PRIu32 ")\n", id);
      else
        fputs("-1)\n", w->out);
    }
  }
}

static int plume_write(struct writing *w) {
  const struct history *h = w->h;
  uint32_t id = 0;
  for (uint32_t s = 0, t; s < h->nsessions; s++)
    for (writing_start(w, s); writing_next(w, s, &t);) {
      if (!writing_count(w, t))
        continue;
      put_txn(w, s, t, id);
      id += writing_outcome(w, t) == OUTCOME_OK;
    }
  return 0;
}

static bool plume_recognise(const unsigned char *head, size_t bytes) {
  (void)bytes;
  const char *p = (const char *)head;
  p += strspn(p, " \t\r\n");
  return (*p == 'r' || *p == 'w') && p[1] == '(' && p[2] >= '0' && p[2] <= '9';
}

const struct history_format format_plume = {
    .name = "plume",
    .summary = "PolySI's and Plume's text: w(KEY,VALUE,SESSION,TXN)",
    .initial = INITIAL_BY_SESSION,
    .says = SAYS_DUPLICATES | SAYS_ABORTED,
    .recognise = plume_recognise,
    .parse = plume_parse,
    .extension = "plume",
    .write = plume_write,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// Short names for a counterexample (report/tale/names.h).
#include "config.h"

#include "report/tale/names.h"

#include "base/ids.h"
#include "base/memory.h"
#include "report/tale/row_label.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "xyzuvwabcdefghijklmnopqrs";

// --- What needs a name.

static void meet_write(struct names *n, uint32_t write) {
  const struct history *h = n->history;
  if (write >= h->nops || n->write_place[write])
    return;
  n->write_place[write] =
      n->txn_place[history_txn(h, write)] ? 1 : ++n->nhidden[h->key[write]];
}

static void meet_op(struct names *n, uint32_t op) {
  const struct history *h = n->history;
  if (!n->key_place[h->key[op]])
    n->key_place[h->key[op]] = ++n->nkeys;
  if (op_writes(h->kind[op]))
    meet_write(n, op);
  if (h->kind[op] == OP_READ_LIST)
    for (uint32_t i = h->list[h->saw[op]].first;
         i < history_list_end(h, h->saw[op]); i++)
      meet_write(n, h->element[i]);
  else if (op_reads(h->kind[op]))
    meet_write(n, h->saw[op]);
}

static void meet_shown(struct names *n, const uint32_t *txns, uint32_t ntxns,
                       const uint32_t *shown, uint32_t nshown) {
  const struct history *h = n->history;
  bool *is_shown = xcalloc(h->nops, sizeof *is_shown);
  for (uint32_t i = 0; i < nshown; i++)
    is_shown[shown[i]] = true;
  for (uint32_t t = 0; t < ntxns; t++)
    for (uint32_t op = h->txn_first[txns[t]]; op < h->txn_first[txns[t] + 1];
         op++)
      if (is_shown[op])
        meet_op(n, op);
  free(is_shown);
}

// A value that nobody wrote tells who compares it with the history of another
// program more than a name does.
static bool needs_values(const struct history *h, const uint32_t *shown,
                         uint32_t nshown) {
  bool needs = false;
  for (uint32_t i = 0; i < nshown && !h->about; i++)
    needs |= op_reads(h->kind[shown[i]]) && h->kind[shown[i]] != OP_READ_LIST &&
             h->saw[shown[i]] == SAW_THIN_AIR;
  return needs;
}

void names_init(struct names *names, const struct history *history, bool raw,
                const uint32_t *txns, uint32_t ntxns, const uint32_t *shown,
                uint32_t nshown) {
  const struct history *h = history;
  *names = (struct names){
      .history = h,
      .raw = raw,
      .raw_rows = raw || h->rows || h->member || needs_values(h, shown, nshown),
      .txns = ids_copy(txns, ntxns),
      .ntxns = ntxns,
      .txn_place = xcalloc(h->ntxns, sizeof *names->txn_place),
      .key_place = xcalloc(h->nkeys, sizeof *names->key_place),
      .nhidden = xcalloc(h->nkeys, sizeof *names->nhidden),
      .write_place = xcalloc(h->nops, sizeof *names->write_place)};
  if (h->rows)
    names->columns = row_label_columns(h, shown, nshown);
  for (uint32_t t = 0; t < ntxns; t++)
    names->txn_place[txns[t]] = t + 1;
  meet_shown(names, txns, ntxns, shown, nshown);
}

void names_free(struct names *names) {
  FREE_EACH(names->txns, names->txn_place, names->key_place, names->nhidden,
            names->write_place, names->columns);
}

// --- The names.

const char *names_raw_txn(const struct history *history, uint32_t txn,
                          char *buffer) {
  const uint32_t session = history_session(history, txn);
  snprintf(buffer, NAME_ROOM, "%" PRIu32 ":%" PRIu64, session,
           history_number(history, session, txn));
  return buffer;
}

const char *names_txn(const struct names *n, uint32_t txn, char *buffer) {
  assert(txn < n->history->ntxns);
  if (n->raw || !n->txn_place[txn])
    return names_raw_txn(n->history, txn, buffer);
  snprintf(buffer, NAME_ROOM, "T%" PRIu32, n->txn_place[txn]);
  return buffer;
}

enum { MOST_HEAD = 12, MOST_TAIL = 8 }; // bytes of a name that is cut

static bool starts_character(const char *byte) {
  return (*byte & 0xc0) != 0x80;
}

// A raw name or, if it is too long, its beginning and its end.
static const char *cut(const struct names *n, const char *name, char *buffer) {
  const size_t length = strlen(name);
  if (n->whole || length < NAME_ROOM)
    return name;
  size_t head = MOST_HEAD, tail = length - MOST_TAIL;
  while (head && !starts_character(name + head))
    head--;
  while (tail < length && !starts_character(name + tail))
    tail++;
  snprintf(buffer, NAME_ROOM, "%.*s\xe2\x80\xa6%s", (int)head, name,
           name + tail);
  return buffer;
}

const char *names_key(const struct names *n, uint32_t key, char *buffer) {
  const uint32_t nletters = sizeof letters - 1;
  assert(key < n->history->nkeys);
  if (n->raw_rows || !n->key_place[key])
    return cut(n, history_key(n->history, key, buffer), buffer);
  // After s come x', y', ..., and from the third round on x2', y2', ...
  const uint32_t place = n->key_place[key] - 1, round = place / nletters;
  const char letter = letters[place % nletters];
  if (round < 2)
    snprintf(buffer, NAME_ROOM, "%c%s", letter, round ? "'" : "");
  else
    snprintf(buffer, NAME_ROOM, "%c%" PRIu32 "'", letter, round);
  return buffer;
}

// A name of a value starts with that of its row.
static void start_value(const struct names *n, uint32_t key, char *buffer) {
  const char *name = names_key(n, key, buffer);
  if (name != buffer)
    snprintf(buffer, NAME_ROOM / 2, "%s", name);
}

// a, b, ..., z, aa, ab, ...
static void add_letters(uint32_t place, char *buffer) {
  if (place >= 26)
    add_letters(place / 26 - 1, buffer);
  const size_t length = strlen(buffer);
  snprintf(buffer + length, NAME_ROOM - length, "%c", 'a' + (int)(place % 26));
}

static void add_letter(uint32_t place, uint32_t count, char *buffer) {
  if (count > 1)
    add_letters(place, buffer);
}

static void add_author(const struct names *n, uint32_t write, uint32_t txn,
                       char *buffer) {
  const struct history *h = n->history;
  const size_t length = strlen(buffer);
  uint32_t place = 0, count = 0;
  for (uint32_t op = h->txn_first[txn]; op < h->txn_first[txn + 1]; op++)
    if (h->key[op] == h->key[write] && n->write_place[op]) {
      count++;
      place += op < write;
    }
  snprintf(buffer + length, NAME_ROOM - length, "%" PRIu32, n->txn_place[txn]);
  add_letter(place, count, buffer);
}

const char *names_written(const struct names *n, uint32_t write, char *buffer) {
  const struct history *h = n->history;
  assert(write < h->nops);
  if (n->raw_rows)
    return cut(n, history_value(h, history_op_value(h, write), buffer), buffer);
  const uint32_t txn = history_txn(h, write);
  start_value(n, h->key[write], buffer);
  if (n->txn_place[txn]) {
    add_author(n, write, txn, buffer);
    return buffer;
  }
  strcat(buffer, "*");
  add_letter(n->write_place[write] - (n->write_place[write] > 0),
             n->nhidden[h->key[write]], buffer);
  return buffer;
}

const char *names_element(const struct names *n, uint32_t key, char *buffer) {
  assert(n->history->member && key < n->history->nkeys);
  return cut(n, history_value(n->history, n->history->member[key], buffer),
             buffer);
}

const char *names_seen(const struct names *n, uint32_t key, uint32_t saw,
                       uint64_t value, char *buffer) {
  if (n->raw_rows)
    return cut(n, history_value(n->history, value, buffer), buffer);
  if (saw < n->history->nops)
    return names_written(n, saw, buffer);
  start_value(n, key, buffer);
  strcat(buffer, saw == SAW_INITIAL ? "0" : saw == SAW_LOST ? "*" : "?");
  return buffer;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads of what was committed last (checker/verify/rows/latest_reads.h).
#include "config.h"

#include "checker/verify/rows/latest_reads.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/condition.h"

#include <stdlib.h>

#define NOTHING UINT32_MAX

struct latest_check {
  const struct history *h;
  const struct check_options *options;
  struct error *error;
  uint32_t *place; // per operation: of its transaction if that counts, from 1,
                   // and if it wrote the key for the last time; or 0
  uint32_t *own;   // per key: the last write of the transaction at hand
  uint32_t *op_on; // per key: operation of the statement at hand
};

static int refuse_latest(const struct latest_check *c, uint32_t s,
                         const char *what) {
  return error_set(
      c->error, "the order that was found is wrong: statement %u %s", s, what);
}

// `place` is that of the transaction.
static int check_latest_op(const struct latest_check *c, uint32_t place,
                           uint32_t s, uint32_t op) {
  const struct history *h = c->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const uint32_t key = h->key[op], own = c->own[key];
  if (!op_reads(h->kind[op]))
    return h->kind[op] != OP_ROW_INSERT || own == NOTHING ||
                   condition_finds(h, statement, key, own)
               ? 0
               : refuse_latest(c, s, "inserted a row that was there");
  const uint32_t version =
      h->saw[op] == SAW_INITIAL ? h->nops + key : h->saw[op];
  if (version >= h->nops + h->nkeys)
    return refuse_latest(c, s, "found what nobody wrote");
  if (own != NOTHING ? version != own
                     : version < h->nops &&
                           (!c->place[version] || c->place[version] >= place))
    return refuse_latest(c, s, "found what had not been committed");
  return condition_met(h, statement, op, version) &&
                 condition_shows(h, op, version)
             ? 0
             : refuse_latest(c, s, "cannot have found a row");
}

// The rows that the transaction wrote before and the statement did not return.
static int check_own(const struct latest_check *c, uint32_t t, uint32_t s) {
  const struct history *h = c->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const bool binds =
      statement->condition != NO_CONDITION && !c->options->question.by_items;
  for (uint32_t op = h->txn_first[t]; binds && op < statement->first; op++) {
    const uint32_t key = h->key[op];
    if (c->own[key] != NOTHING && c->op_on[key] == NOTHING &&
        h->rows->key_table[key] == statement->table &&
        condition_finds(h, statement, key, c->own[key]))
      return refuse_latest(c, s, "missed a row of its own transaction");
  }
  return 0;
}

static int check_statement(struct latest_check *c, uint32_t t, uint32_t place,
                           uint32_t s) {
  const struct history *h = c->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  int result = 0;
  for (uint32_t op = statement->first; op < statement->end && !result; op++) {
    const uint32_t key = h->key[op];
    result = c->op_on[key] != NOTHING ? refuse_latest(c, s, "found a row twice")
                                      : check_latest_op(c, place, s, op);
    c->op_on[key] = op;
  }
  result = result ? result : check_own(c, t, s);
  for (uint32_t op = statement->first; op < statement->end; op++)
    c->op_on[h->key[op]] = NOTHING;
  return result;
}

static int check_latest_txn(struct latest_check *c, uint32_t t,
                            uint32_t place) {
  const struct history *h = c->h;
  const struct rows *rows = h->rows;
  uint32_t op = h->txn_first[t];
  int result = 0;
  for (uint32_t s = rows->txn_statement[t];
       s < rows->txn_statement[t + 1] && !result; s++) {
    if (reads_latest(c->options, &rows->statements[s]))
      result = check_statement(c, t, place, s);
    for (; op < rows->statements[s].end; op++)
      if (op_writes(h->kind[op]))
        c->own[h->key[op]] = op;
  }
  for (op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    c->own[h->key[op]] = NOTHING;
  return result;
}

// Notes the places of last writes.
static void place_writes(struct latest_check *c, uint32_t t, uint32_t place) {
  const struct history *h = c->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_writes(h->kind[op]))
      c->own[h->key[op]] = op;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (c->own[h->key[op]] != NOTHING)
      c->place[c->own[h->key[op]]] = place;
    c->own[h->key[op]] = NOTHING;
  }
}

enum verified verify_latest_reads(const struct history *h,
                                  const uint8_t *counted,
                                  const struct check_options *options,
                                  const uint32_t *order, uint32_t norder,
                                  struct error *error) {
  struct patience patience = {.stop = options->stop};
  struct latest_check c = {.h = h,
                           .options = options,
                           .error = error,
                           .place = xcalloc(h->nops, sizeof(uint32_t)),
                           .own = ids_none(h->nkeys),
                           .op_on = ids_none(h->nkeys)};
  int result = 0;
  if (!options->question.plain_reads)
    norder = 0;
  for (uint32_t i = 0; i < norder; i++)
    if (counted[order[i]])
      place_writes(&c, order[i], i + 1);
  for (uint32_t i = 0; i < norder && !result; i++)
    if (!proves_nothing(binding_level(h, options, order[i])))
      result = patience_ends(&patience, 1)
                   ? -1
                   : check_latest_txn(&c, order[i], i + 1);
  FREE_EACH(c.place, c.own, c.op_on);
  return verified(result, &patience);
}

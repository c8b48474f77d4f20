// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks as a history (checker/stream/batch.h).
#include "config.h"

#include "checker/stream/batch.h"

#include "base/memory.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "checker/stream/effects.h"
#include "checker/stream/value_map.h"
#include "recorder/builder/builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_OPERATIONS = 1 << 15 }; // are decided at once

// A key of the block.
struct block_key {
  uint64_t key;
  uint64_t last;  // value that it is left with, by the guess
  bool wrote;     // did anybody?
  uint32_t nends; // versions of it that nobody in the block overwrote
};

struct block_batch {
  const struct check_options *options;
  struct builder *builder;
  struct copies copies; // of all blocks
  char why[sizeof((struct verdict *)NULL)->why];
  bool had_open_ends;

  // The block at hand.
  struct block_key *keys;
  uint32_t nkeys, key_room;
  uint64_t first_key;      // in the history of the batch
  struct value_map ids;    // by key: place in `keys`
  struct value_map wrote;  // by value: the place of its key
  struct value_map passed; // by value: it was overwritten in the block
  struct key_effects effects;
};

struct block_batch *batch_open(const struct check_options *options) {
  struct block_batch *b = xcalloc(1, sizeof *b);
  b->options = options;
  return b;
}

void batch_close(struct block_batch *b) {
  if (b->builder)
    builder_free(b->builder);
  copies_free(&b->copies);
  value_map_free(&b->ids);
  value_map_free(&b->wrote);
  value_map_free(&b->passed);
  effects_free(&b->effects);
  FREE_EACH(b->keys, b);
}

struct copies *batch_copies(struct block_batch *b) {
  return &b->copies;
}

const char *batch_why(const struct block_batch *b) { return b->why; }

bool batch_had_open_ends(const struct block_batch *b) {
  return b->had_open_ends;
}

// --- Understanding a block.

static uint32_t key_of_block(struct block_batch *b, uint64_t key) {
  uint32_t i = value_map_get(&b->ids, key);
  if (i != UINT32_MAX)
    return i;
  i = b->nkeys;
  value_map_set(&b->ids, key, i);
  ARRAY_RESERVE(b->keys, b->nkeys, b->key_room);
  b->keys[b->nkeys++] = (struct block_key){.key = key};
  return i;
}

static void note_writes(struct block_batch *b, const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  for (uint32_t op = 0; op < txn->nops; op++) {
    const uint32_t key = key_of_block(b, txn->key[op]);
    if (op_writes(txn->kind[op]))
      value_map_set(&b->wrote, value_of_write(txn->session, write++), key);
  }
  effects_of(&b->effects, txn);
  for (uint32_t i = 0; i < b->effects.count; i++) {
    const struct effect *e = &b->effects.effect[i];
    if (e->reads && e->writes && e->saw != VALUE_INITIAL)
      value_map_set(&b->passed, e->saw, 0);
  }
}

static void note_ends(struct block_batch *b, const struct flow_txn *txn) {
  effects_of(&b->effects, txn);
  for (uint32_t i = 0; i < b->effects.count; i++) {
    const struct effect *e = &b->effects.effect[i];
    struct block_key *key = &b->keys[key_of_block(b, e->key)];
    const bool ends = value_map_get(&b->passed, e->wrote) == UINT32_MAX;
    if (e->writes && (ends || !key->nends))
      key->last = e->wrote;
    key->wrote |= e->writes;
    key->nends += e->writes && ends;
  }
}

static void understand_block(struct block_batch *b,
                             const struct copies *block) {
  b->first_key += b->nkeys;
  b->nkeys = 0;
  value_map_clear(&b->ids);
  value_map_clear(&b->wrote);
  value_map_clear(&b->passed);
  for (uint32_t i = 0; i < block->count; i++)
    note_writes(b, &block->txns[i]);
  for (uint32_t i = 0; i < block->count; i++)
    note_ends(b, &block->txns[i]);
}

// Does what the block leaves depend on its order?
static bool ends_are_open(const struct block_batch *b) {
  bool open = false;
  for (uint32_t i = 0; i < b->nkeys && !open; i++)
    open = b->keys[i].nends > 1;
  return open;
}

// Is every value that was read one of the block, or what the block began with?
static bool reads_are_known(const struct block_batch *b,
                            const struct copies *block,
                            struct value_store *store) {
  for (uint32_t i = 0; i < block->count; i++) {
    const struct flow_txn *txn = &block->txns[i];
    for (uint32_t op = 0; op < txn->nops; op++)
      if (op_reads(txn->kind[op]) &&
          value_map_get(&b->wrote, txn->saw[op]) == UINT32_MAX &&
          *store_at(store, txn->key[op]) != txn->saw[op])
        return false;
  }
  return true;
}

static void leave_ends(const struct block_batch *b, struct value_store *store) {
  for (uint32_t i = 0; i < b->nkeys; i++)
    if (b->keys[i].wrote)
      *store_at(store, b->keys[i].key) = b->keys[i].last;
}

// --- Telling it.

// A value of the block as it is, and what the block began with as the initial
// one.
static uint64_t told_value(const struct block_batch *b, uint64_t saw) {
  return value_map_get(&b->wrote, saw) != UINT32_MAX ? saw : VALUE_INITIAL;
}

static void tell_txn_of_block(struct block_batch *b,
                              const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  builder_txn(b->builder, txn->session, (enum outcome)txn->outcome,
              (enum isolation)txn->level, txn->begin, txn->end);
  for (uint32_t op = 0; op < txn->nops; op++) {
    const unsigned kind = txn->kind[op];
    const uint64_t key = b->first_key + key_of_block(b, txn->key[op]);
    const uint64_t written =
        op_writes(kind) ? value_of_write(txn->session, write++) : 0;
    if (kind == OP_CAS)
      builder_cas(b->builder, key, told_value(b, txn->saw[op]), written);
    else
      builder_op(b->builder, (enum op_kind)kind, key,
                 op_writes(kind) ? written : told_value(b, txn->saw[op]));
  }
}

static void tell_block(struct block_batch *b, struct copies *block) {
  if (!b->builder)
    b->builder = builder_open();
  copies_sort(block);
  for (uint32_t i = 0; i < block->count; i++)
    tell_txn_of_block(b, &block->txns[i]);
  copies_move(&b->copies, block);
}

// --- Deciding.

// Does the order leave what was guessed, of the block at hand?
static bool ends_as_guessed(const struct block_batch *b,
                            const struct history *h,
                            const struct verdict *verdict) {
  uint64_t *last = xcalloc((size_t)b->nkeys + 1, sizeof *last);
  bool same = true;
  for (uint32_t i = 0; i < verdict->norder; i++) {
    const uint32_t t = verdict->order[i];
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (op_writes(h->kind[op]) && h->key_number[h->key[op]] >= b->first_key)
        last[h->key_number[h->key[op]] - b->first_key] =
            history_op_value(h, op);
  }
  for (uint32_t i = 0; i < b->nkeys; i++)
    same &= !b->keys[i].wrote || last[i] == b->keys[i].last;
  free(last);
  return same;
}

static int answer_of_batch(struct block_batch *b, const struct history *h,
                           const struct verdict *verdict) {
  b->why[0] = 0;
  if (verdict->kind != VERDICT_PASS) {
    if (stop_is_set(b->options->stop))
      snprintf(b->why, sizeof b->why, "%s", verdict->why);
    return BATCH_BROKEN;
  }
  if (ends_are_open(b) && !ends_as_guessed(b, h, verdict)) {
    snprintf(b->why, sizeof b->why,
             "the order of versions that no read shows is not known");
    return BATCH_OPEN;
  }
  copies_clear(&b->copies);
  return BATCH_KEPT;
}

int batch_decide(struct block_batch *b, struct error *error) {
  struct history history;
  struct verdict verdict;
  struct check_options options = *b->options;
  if (!b->builder)
    return BATCH_KEPT;
  options.passes_only = true;
  options.count_stronger = false;
  options.max_examples = 0;
  options.progress = NULL;
  struct builder *builder = b->builder;
  b->builder = NULL;
  if (builder_finish(builder, &history, error))
    return -1;
  int answer = check(&history, &options, &verdict, error);
  if (!answer) {
    answer = answer_of_batch(b, &history, &verdict);
    verdict_free(&verdict);
  }
  history_free(&history);
  b->first_key = b->nkeys = 0;
  return answer;
}

// A block whose end is open is decided by itself.
static int decide_open_block(struct block_batch *b, struct copies *block,
                             struct error *error) {
  const uint32_t nkeys = b->nkeys;
  const uint64_t first_key = b->first_key;
  const int before = batch_decide(b, error);
  b->nkeys = nkeys;
  b->first_key = first_key;
  tell_block(b, block);
  return before == BATCH_KEPT ? batch_decide(b, error) : before;
}

int batch_add(struct block_batch *b, struct copies *block,
              struct value_store *store, struct error *error) {
  int answer = BATCH_LATER;
  understand_block(b, block);
  const bool known = reads_are_known(b, block, store);
  const bool open = ends_are_open(b);
  leave_ends(b, store);
  b->had_open_ends |= open;
  if (!known) {
    copies_move(&b->copies, block);
    b->why[0] = 0;
    return BATCH_WRONG;
  }
  if (open)
    answer = decide_open_block(b, block, error);
  else
    tell_block(b, block);
  if (answer == BATCH_LATER && b->copies.nops >= BATCH_OPERATIONS)
    answer = batch_decide(b, error);
  return answer;
}

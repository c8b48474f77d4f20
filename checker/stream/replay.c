// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the guessed order (checker/stream/replay.h).
#include "config.h"

#include "checker/stream/replay.h"

#include "base/memory.h"
#include "base/operation.h"
#include "checker/stream/batch.h"
#include "checker/stream/placing.h"
#include "checker/stream/store.h"
#include "checker/stream/value_map.h"
#include "recorder/builder/number_map.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  WINDOW = 2048,            // transactions that are kept behind one that
                            // overwrote what a suspect saw
  MOST_OPERATIONS = 1 << 18 // that are kept in all
};

struct replaying {
  struct order_replay *replay;
  const struct guess *guess;
  const struct replay_options *options;
  struct error *error;
  struct value_store store;
  struct block_batch *batch;
  struct patience patience;
  uint64_t next_block;   // of guess->blocks
  uint32_t next_suspect; // of guess->suspects
  struct copies block;   // the one at hand
  uint64_t block_size;
  bool block_is_suspect;
  struct value_map watched; // key and value of each suspect, mixed
  uint32_t window;          // transactions that are still to be kept
  bool failed;              // something was not proved
  bool over;                // what comes behind cannot be replayed
};

static void explain_failure(struct replaying *r, const char *why) {
  if (!r->failed || !r->replay->why[0])
    snprintf(r->replay->why, sizeof r->replay->why, "%s", why);
  r->failed = true;
}

static void keep(struct replaying *r, const struct flow_txn *txn) {
  if (r->replay->copies.nops < MOST_OPERATIONS)
    copies_add(&r->replay->copies, txn);
}

static void keep_copies(struct replaying *r, struct copies *copies) {
  for (uint32_t i = 0; i < copies->count; i++)
    keep(r, &copies->txns[i]);
  copies_clear(copies);
}

// --- Suspects.

static uint64_t watched_mark(uint64_t key, uint64_t value) {
  return number_mix(value + number_mix(key));
}

static void watch_suspects(struct replaying *r) {
  for (uint32_t i = 0; i < r->guess->nsuspects; i++)
    value_map_set(
        &r->watched,
        watched_mark(r->guess->suspects[i].key, r->guess->suspects[i].saw), i);
}

static bool writes_key(const struct flow_txn *txn, uint64_t key) {
  bool writes = false;
  for (uint32_t op = 0; op < txn->nops && !writes; op++)
    writes = op_writes(txn->kind[op]) && txn->key[op] == key;
  return writes;
}

// Did the transaction overwrite what a suspect saw, as its own read shows?
static bool overwrites_watched(const struct replaying *r,
                               const struct flow_txn *txn) {
  bool found = false;
  for (uint32_t op = 0; op < txn->nops && !found; op++)
    found =
        op_reads(txn->kind[op]) &&
        value_map_get(&r->watched, watched_mark(txn->key[op], txn->saw[op])) !=
            UINT32_MAX &&
        writes_key(txn, txn->key[op]);
  return found;
}

static void look_for_watched(struct replaying *r, const struct flow_txn *txn) {
  if (overwrites_watched(r, txn))
    r->window = WINDOW;
  if (r->window) {
    keep(r, txn);
    r->window--;
  }
}

static bool is_suspect(struct replaying *r, uint64_t position) {
  const struct guess *guess = r->guess;
  bool found = false;
  while (r->next_suspect < guess->nsuspects &&
         guess->suspects[r->next_suspect].position <= position)
    found |= guess->suspects[r->next_suspect++].position == position;
  return found;
}

// --- Single transactions.

static bool execute_single(struct replaying *r, const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  bool found = true;
  for (uint32_t op = 0; op < txn->nops; op++) {
    uint64_t *value = store_at(&r->store, txn->key[op]);
    if (op_reads(txn->kind[op]))
      found &= *value == txn->saw[op];
    if (op_writes(txn->kind[op]))
      *value = value_of_write(txn->session, write++);
  }
  return found;
}

static void heed_answer(struct replaying *r, int answer) {
  if (answer == BATCH_KEPT || answer == BATCH_LATER)
    return;
  explain_failure(r, batch_why(r->batch));
  keep_copies(r, batch_copies(r->batch));
  r->over |= answer == BATCH_OPEN;
}

// Something is wrong where nothing was found to be: the blocks that were left
// for later say what, or a block may have ended otherwise, or else the guess is
// refused.
static int doubt_guess(struct replaying *r, const struct flow_txn *txn) {
  if (!r->failed) {
    const int answer = batch_decide(r->batch, r->error);
    if (answer < 0)
      return -1;
    heed_answer(r, answer);
  }
  if (!r->failed && batch_had_open_ends(r->batch))
    explain_failure(r, "the order of versions that no read shows is not known");
  return r->failed ? 0
                   : error_set(r->error,
                               "the order that was found is wrong: transaction "
                               "%" PRIu64 " of session %" PRIu32
                               " does not find what it saw",
                               txn->number, txn->session);
}

static int pass_single(struct replaying *r, const struct placed *p) {
  const bool suspected = is_suspect(r, p->position);
  const bool found = execute_single(r, &p->txn);
  if (found && !suspected)
    return 0;
  if (!found && !suspected && doubt_guess(r, &p->txn))
    return -1;
  keep(r, &p->txn);
  explain_failure(r, "a read saw a version that was overwritten long before, "
                     "or one that nobody is known to have left");
  return 0;
}

// --- Blocks.

static void collect_placed(struct replaying *r, const struct placed *p,
                           bool last) {
  r->block_is_suspect |= is_suspect(r, p->position);
  if (r->block_size++ < r->options->most || last)
    copies_add(&r->block, &p->txn);
}

static void leave_block(struct replaying *r) {
  r->block_size = 0;
  r->block_is_suspect = false;
  r->next_block++;
}

// One that is too large: what is behind it cannot be replayed.
static void leave_large_block(struct replaying *r) {
  char why[sizeof r->replay->why];
  snprintf(why, sizeof why,
           "%" PRIu64 " transactions in a row have to be put in order at once, "
           "and %" PRIu32 " can be: a read missed what had been overwritten "
           "long before",
           r->block_size, r->options->most);
  explain_failure(r, why);
  keep_copies(r, &r->block);
  r->over = true;
}

static int leave_whole_block(struct replaying *r, const struct flow_txn *last) {
  struct order_replay *replay = r->replay;
  const bool suspected = r->block_is_suspect;
  replay->blocks++;
  replay->in_blocks += r->block_size;
  if (r->block_size > replay->largest)
    replay->largest = r->block_size;
  if (r->block_size > r->options->most) {
    leave_large_block(r);
    return 0;
  }
  const int answer = batch_add(r->batch, &r->block, &r->store, r->error);
  copies_clear(&r->block);
  if (answer < 0)
    return -1;
  if (answer == BATCH_WRONG && !suspected && doubt_guess(r, last))
    return -1;
  heed_answer(r, answer);
  leave_block(r);
  return 0;
}

static int pass_placed(struct replaying *r, const struct placed *p) {
  const struct spans *blocks = &r->guess->blocks;
  if (r->watched.count)
    look_for_watched(r, &p->txn);
  const struct position_span *block =
      r->next_block < blocks->count ? &blocks->span[r->next_block] : NULL;
  if (!block || p->position < block->first)
    return pass_single(r, p);
  const bool last = p->position == block->last;
  collect_placed(r, p, last);
  return last ? leave_whole_block(r, &p->txn) : 0;
}

// --- The pass.

static int pass_all(struct replaying *r, struct placing *placing) {
  struct placed placed = {.position = 0};
  int more = 1;
  while (!r->over && placed.position < r->guess->last &&
         (more = placing_next(placing, &placed, r->error)) > 0) {
    if (pass_placed(r, &placed))
      return -1;
    if (patience_ends(&r->patience, 1 + placed.txn.nops)) {
      explain_failure(r, "stopped before it was decided");
      return 0;
    }
  }
  if (more < 0)
    return -1;
  const int answer = batch_decide(r->batch, r->error);
  if (answer < 0)
    return -1;
  heed_answer(r, answer);
  return 0;
}

int replay_make(struct order_replay *replay, struct flow *flow,
                const struct guess *guess, const struct replay_options *options,
                struct error *error) {
  struct replaying r = {.replay = replay,
                        .guess = guess,
                        .options = options,
                        .error = error,
                        .patience = {.stop = options->check->stop}};
  *replay = (struct order_replay){0};
  r.batch = batch_open(options->check);
  watch_suspects(&r);
  struct placing *placing = placing_open(flow);
  const int result = pass_all(&r, placing);
  replay->kept = !result && !r.failed && !guess->nsuspects;
  placing_close(placing);
  batch_close(r.batch);
  copies_free(&r.block);
  store_free(&r.store);
  value_map_free(&r.watched);
  return result;
}

void replay_free(struct order_replay *replay) { copies_free(&replay->copies); }

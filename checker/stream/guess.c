// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the dependencies that go against the guessed order
// (checker/stream/guess.h).
#include "config.h"

#include "checker/stream/guess.h"

#include "base/memory.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "checker/stream/effects.h"
#include "recorder/builder/number_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A key and its last version.
struct head {
  uint64_t key, value;
  bool used;
};

enum { PLACES = 4 }; // of a version that was overwritten

// A version that was overwritten, by whom and with which value.  It is in one
// of a few places; where these are full, the one that was overwritten first
// makes room. Where whoever wrote last had read a value that is still to come,
// there is a gap between the version and the one that is said to have
// overwritten it.
struct overwritten {
  uint64_t key, value, by, next;
  bool gap;
};

struct guessing {
  struct guess *guess;
  const struct guess_options *options;
  struct head *heads;              // hashed
  uint64_t nheads;                 // a power of two
  struct overwritten *overwritten; // hashed
  struct key_effects effects;
  struct patience patience;
  uint64_t unknown; // position of the first of the last ones, if these are of
                    // unknown outcome; or 0
};

// --- The versions.

static struct head *slot_of_head(const struct guessing *g, uint64_t key) {
  const uint64_t mask = g->nheads - 1;
  uint64_t i = number_mix(key) & mask;
  while (g->heads[i].used && g->heads[i].key != key)
    i = (i + 1) & mask;
  return &g->heads[i];
}

static void widen_heads(struct guessing *g) {
  struct head *old = g->heads;
  const uint64_t n = g->nheads;
  g->nheads = n * 2;
  g->heads = xcalloc(g->nheads, sizeof *g->heads);
  for (uint64_t i = 0; i < n; i++)
    if (old[i].used)
      *slot_of_head(g, old[i].key) = old[i];
  free(old);
}

static struct head *head_of(struct guessing *g, uint64_t key) {
  struct head *head = slot_of_head(g, key);
  if (head->used)
    return head;
  if (4 * (g->guess->nkeys + 1) > 3 * g->nheads) {
    widen_heads(g);
    head = slot_of_head(g, key);
  }
  g->guess->nkeys++;
  *head = (struct head){.key = key, .value = VALUE_INITIAL, .used = true};
  return head;
}

// The first of the places where the version may be.
static struct overwritten *places_of_version(const struct guessing *g,
                                             uint64_t key, uint64_t value) {
  const uint64_t mixed = number_mix(value + number_mix(key));
  return &g->overwritten[mixed & (g->options->remembered - 1) &
                         ~(uint64_t)(PLACES - 1)];
}

static void remember(struct guessing *g, const struct overwritten *version) {
  struct overwritten *place =
                         places_of_version(g, version->key, version->value),
                     *taken = place;
  for (uint32_t i = 0; i < PLACES; i++) {
    if (place[i].key == version->key && place[i].value == version->value &&
        place[i].by) {
      taken = &place[i];
      break;
    }
    if (place[i].by < taken->by)
      taken = &place[i];
  }
  *taken = *version;
}

// NULL if it is not known any more, or was not overwritten.
static struct overwritten *find_overwritten(const struct guessing *g,
                                            uint64_t key, uint64_t value) {
  struct overwritten *place = places_of_version(g, key, value);
  for (uint32_t i = 0; i < PLACES; i++)
    if (place[i].by && place[i].key == key && place[i].value == value)
      return &place[i];
  return NULL;
}

// --- The dependencies.

static void suspect(struct guessing *g, uint64_t position, uint64_t key,
                    uint64_t saw) {
  struct guess *guess = g->guess;
  ARRAY_RESERVE(guess->suspects, guess->nsuspects, guess->suspect_room);
  guess->suspects[guess->nsuspects++] = (struct suspect){position, key, saw};
}

// Who read a version comes before who overwrote it.
static void depend_on_overwriter(struct guessing *g, uint64_t key, uint64_t saw,
                                 uint64_t position) {
  const struct overwritten *o = find_overwritten(g, key, saw);
  if (o) {
    if (!(g->options->broken & RULE_OVERWRITTEN))
      spans_add(&g->guess->blocks, o->by, position);
  } else {
    suspect(g, position, key, saw);
  }
}

static const struct early_read *early_of(const struct placed *p,
                                         uint64_t value) {
  for (uint32_t i = 0; i < p->nearly; i++)
    if (p->early[i].value == value)
      return &p->early[i];
  return NULL;
}

enum { LONGEST_CHAIN = 1000 };

// Who overwrote the last version left one that had been overwritten before it
// came: the last version is the one at the end of that chain, which only who
// had read a value still to come is said to have overwritten.
static void go_to_end(struct guessing *g, struct head *head,
                      const struct early_read *early, const struct placed *p,
                      const struct effect *e) {
  uint64_t end = early->left;
  struct overwritten *o = find_overwritten(g, e->key, end);
  for (uint32_t i = 0; i < LONGEST_CHAIN && o && !o->gap; i++) {
    end = o->next;
    o = find_overwritten(g, e->key, end);
  }
  if (!o || !o->gap) {
    suspect(g, p->position, e->key, e->saw);
    return;
  }
  o->by = 0;
  remember(g, &(struct overwritten){e->key, head->value, p->position, e->wrote,
                                    false});
  head->value = end;
}

// The new version belongs into a gap, was overwritten before it came, or is the
// last version now.
static void leave_version(struct guessing *g, const struct flow *flow,
                          const struct placed *p, const struct effect *e) {
  struct head *head = head_of(g, e->key);
  const struct early_read *early = early_of(p, e->wrote);
  const struct overwritten *below =
      e->reads ? find_overwritten(g, e->key, e->saw) : NULL;
  const bool fills = below && below->gap;
  const struct overwritten above = fills ? *below : (struct overwritten){0};
  if (fills)
    remember(
        g, &(struct overwritten){e->key, e->saw, p->position, e->wrote, false});
  if (early && early->overwriter != NO_POSITION) {
    remember(g, &(struct overwritten){e->key, e->wrote, early->overwriter,
                                      early->left, false});
    if (e->reads && e->saw == head->value)
      go_to_end(g, head, early, p, e);
  } else if (fills) {
    remember(
        g, &(struct overwritten){e->key, e->wrote, above.by, above.next, true});
  } else {
    const bool gap = e->reads && !flow_has_passed(flow, e->saw);
    remember(g, &(struct overwritten){e->key, head->value, p->position,
                                      e->wrote, gap});
    head->value = e->wrote;
  }
}

// A read of a value that is to come is a span when it comes.
static void depend_on_version(struct guessing *g, const struct flow *flow,
                              uint64_t key, uint64_t saw, uint64_t position) {
  if (saw != head_of(g, key)->value && flow_has_passed(flow, saw))
    depend_on_overwriter(g, key, saw, position);
}

// Who wrote a value before it was read in the guessed order, and one of unknown
// outcome and who shows that it took effect, are in one block.
static void join(struct guessing *g, const struct placed *p) {
  for (uint32_t i = 0; i < p->nearly; i++)
    if (!(g->options->broken & RULE_EARLY))
      spans_add(&g->guess->blocks, p->early[i].reader, p->position);
  if (p->txn.outcome == OUTCOME_UNKNOWN) {
    g->unknown = g->unknown ? g->unknown : p->position;
  } else if (g->unknown) {
    spans_add(&g->guess->blocks, g->unknown, p->position);
    g->unknown = 0;
  }
}

// One that read several versions of a key, or not its own write, is looked at
// by the engine.
static void go_through_odd(struct guessing *g, const struct flow *flow,
                           const struct placed *p) {
  const struct flow_txn *txn = &p->txn;
  spans_add(&g->guess->blocks, p->position, p->position);
  for (uint32_t op = 0; op < txn->nops; op++) {
    const uint64_t saw = op_reads(txn->kind[op]) ? txn->saw[op] : 0;
    const bool own = saw != VALUE_INITIAL &&
                     value_session(saw) == txn->session &&
                     value_sequence(saw) - txn->first_write < txn->nops;
    if (op_reads(txn->kind[op]) && !own)
      depend_on_version(g, flow, txn->key[op], saw, p->position);
  }
}

static void go_through(struct guessing *g, const struct flow *flow,
                       const struct placed *p) {
  bool odd = false;
  join(g, p);
  effects_of(&g->effects, &p->txn);
  for (uint32_t i = 0; i < g->effects.count; i++)
    odd |= g->effects.effect[i].odd;
  if (odd)
    go_through_odd(g, flow, p);
  for (uint32_t i = 0; i < g->effects.count; i++) {
    const struct effect *e = &g->effects.effect[i];
    if (e->reads && !odd)
      depend_on_version(g, flow, e->key, e->saw, p->position);
    if (e->writes)
      leave_version(g, flow, p, e);
  }
}

// --- The pass.

static int by_position(const void *a, const void *b) {
  const struct suspect *x = a, *y = b;
  return x->position < y->position ? -1 : x->position > y->position;
}

// Values that were read and never came.
static void suspect_missing(struct guessing *g, const struct placing *placing) {
  uint32_t at = 0;
  const struct early_read *read;
  while ((read = placing_missing(placing, &at)))
    suspect(g, read->reader, read->key, read->value);
  if (g->guess->nsuspects)
    qsort(g->guess->suspects, g->guess->nsuspects, sizeof *g->guess->suspects,
          by_position);
}

static int go_through_all(struct guessing *g, struct flow *flow,
                          struct placing *placing, struct error *error) {
  struct guess *guess = g->guess;
  struct placed placed;
  int more;
  while ((more = placing_next(placing, &placed, error)) > 0) {
    if (placing_facts(placing)->lists)
      break;
    go_through(g, flow, &placed);
    guess->last = placed.position;
    guess->stopped = patience_ends(&g->patience, 1 + placed.txn.nops);
    if (guess->stopped || guess->nsuspects >= g->options->suspects)
      break;
  }
  if (!more)
    suspect_missing(g, placing);
  return more < 0 ? -1 : 0;
}

int guess_places(struct guess *guess, struct flow *flow,
                 const struct guess_options *options, struct error *error) {
  assert(!(options->remembered & (options->remembered - 1)));
  struct guessing g = {.guess = guess,
                       .options = options,
                       .nheads = 1 << 10,
                       .patience = {.stop = options->stop}};
  *guess = (struct guess){0};
  g.heads = xcalloc(g.nheads, sizeof *g.heads);
  g.overwritten = xcalloc(options->remembered, sizeof *g.overwritten);
  struct placing *placing = placing_open(flow);
  const int result = go_through_all(&g, flow, placing, error);
  guess->facts = *placing_facts(placing);
  placing_close(placing);
  effects_free(&g.effects);
  FREE_EACH(g.heads, g.overwritten);
  return result;
}

void guess_leave(struct guess *guess) {
  spans_free(&guess->blocks);
  free(guess->suspects);
  *guess = (struct guess){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Checks verdicts on histories whose reads may have seen any of several writes
// of a value (checker/verify/verify.h).  A PASS is one of the history as it is
// taken, and so is a VIOLATION, without the reads that it says nothing of
// (checker/part/subhistory.h).  Those that it is about can have seen nothing
// else, or else an argument about the whole history leaves no way to take its
// reads.
#include "config.h"

#include "checker/verify/verify.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/assumed_reads.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/facts.h"
#include "checker/verify/look_up.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct taken_reads {
  const struct history *h;
  const struct check_options *options;
  const struct verdict *verdict;
  struct error *error;
  struct patience patience;
  struct history taken; // with arrays `kind`, `saw` and `element` of its own
  struct assumed_reads assumed_reads;
  uint8_t *certain; // took effect, whatever the reads saw
};

static void take_open(struct taken_reads *c) {
  const struct history *h = c->h;
  c->taken = *h;
  c->taken.kind = memcpy(xmalloc(h->nops), h->kind, h->nops);
  c->taken.saw = ids_copy(h->saw, h->nops);
  c->taken.element = ids_copy(h->element, h->nelements);
  assumed_reads_open(&c->assumed_reads, &c->taken);
}

static void take_close(struct taken_reads *c) {
  assumed_reads_close(&c->assumed_reads);
  free(c->taken.kind);
  free(c->taken.saw);
  free(c->taken.element);
}

// --- Violations.

static bool is_ambiguous(const struct history *h, uint32_t op) {
  if (!op_reads(h->kind[op]))
    return false;
  if (h->kind[op] != OP_READ_LIST)
    return history_is_ambiguous(h, h->key[op], h->saw[op]);
  bool any = false;
  const struct listed list = listed_by(h, op);
  for (const uint32_t *at = list.first; at < list.end; at++)
    any |= history_is_ambiguous(h, h->key[op], *at);
  return any;
}

// Leaves out all reads of values that were written more than once; and no more
// those that are assumed to have seen one write.
static void leave_out_reads(struct taken_reads *c) {
  for (uint32_t op = 0; op < c->h->nops; op++)
    if (is_ambiguous(c->h, op))
      c->taken.kind[op] &= (uint8_t)~OP_IS_READ;
}

static void take_in_reads(struct taken_reads *c) {
  for (uint32_t i = 0; i < c->verdict->nassumed_reads; i++) {
    const uint32_t place = c->verdict->assumed_reads[i].place;
    if (place < c->h->nops)
      c->taken.kind[place] = c->h->kind[place];
  }
}

// Can the read have seen nothing but what it is assumed to have seen?
static bool is_taken_read(struct taken_reads *c,
                          const struct assumed_read *read) {
  const struct history *h = c->h;
  const uint32_t place = read->place, nops = h->nops;
  if (place >= nops)
    return false;
  const struct write_facts facts = facts_about(h, c->options, place);
  const uint32_t start =
      read->writer == SAW_INITIAL ? nops + h->key[place] : read->writer;
  bool known = !patience_ends(&c->patience, nops);
  for (uint32_t v = h->again[start]; v != start && known; v = h->again[v])
    known = patience_ends(&c->patience, 1) ||
            facts_rule_out(&facts, v < nops ? v : SAW_INITIAL);
  return known;
}

static enum verified verify_all_ways(struct taken_reads *c) {
  const struct verdict *v = c->verdict;
  if (v->ways.nsteps)
    return verify_ways(c->h, c->certain, c->options, &v->ways, c->error);
  bool known = true;
  for (uint32_t i = 0; i < v->nassumed_reads && known; i++)
    known = is_taken_read(c, &v->assumed_reads[i]);
  if (!known)
    error_set(c->error, "the proof leaves another way to take reads of values "
                        "that were written more than once");
  return verified(known ? 0 : -1, &c->patience);
}

static enum verified verify_one_way(struct taken_reads *c) {
  take_in_reads(c);
  if (assumed_reads_take(&c->assumed_reads, c->verdict->assumed_reads,
                         c->verdict->nassumed_reads, c->error))
    return VERIFY_REFUSED;
  return verify_violation(&c->taken, c->options, c->verdict, c->error);
}

// --- Public.

static enum verified verify_taken_violation(struct taken_reads *c) {
  uint32_t nlost;
  leave_out_reads(c);
  c->certain = history_counted(&c->taken, &nlost);
  enum verified result = verify_one_way(c);
  if (result == VERIFIED)
    result = verify_all_ways(c);
  free(c->certain);
  return result;
}

static enum verified verify_taken_pass(struct taken_reads *c) {
  const struct verdict *v = c->verdict;
  if (assumed_reads_take(&c->assumed_reads, v->assumed_reads, v->nassumed_reads,
                         c->error))
    return VERIFY_REFUSED;
  struct history seen = c->taken;
  uint8_t *kind = settled_kinds(&seen, c->options);
  seen.kind = kind ? kind : seen.kind;
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&seen, &counts);
  const enum verified result =
      verify_pass(&c->taken, counted, c->options, v, c->error);
  free(counted);
  free(kind);
  return result;
}

static int check_ambiguous_claim(const struct history *h, struct error *error) {
  if (!h->again)
    return error_set(error, "no value was written more than once");
  if (lost_was_read(h)) // what counts would depend on what was seen
    return error_set(error, "part of the history is lost");
  return 0;
}

enum verified verify_ambiguous(const struct history *history,
                               const struct check_options *options,
                               const struct verdict *verdict,
                               struct error *error) {
  struct taken_reads c = {.patience = {.stop = options->stop},
                          .h = history,
                          .options = options,
                          .verdict = verdict,
                          .error = error};
  if (check_ambiguous_claim(history, error))
    return VERIFY_REFUSED;
  take_open(&c);
  const enum verified result = verdict->kind == VERDICT_PASS
                                   ? verify_taken_pass(&c)
                                   : verify_taken_violation(&c);
  take_close(&c);
  return result;
}

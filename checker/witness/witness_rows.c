// SPDX-License-Identifier: GPL-3.0-or-later
// Proofs about rows, from files (checker/witness/witness_rows.h).  A file does
// not say which verifier its commit order is for: a PASS is proved if one of
// them accepts it.
#include "config.h"

#include "checker/witness/witness_rows.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/part/rows_cut.h"
#include "checker/rows/rows_cases.h"
#include "checker/rows/verify_part.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/rows_question.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct proving {
  const struct history *h;
  const struct check_options *options;
  struct verdict *v;
  struct error *error;
};

static int refuse_proof(const struct proving *p, const char *why) {
  return error_set(p->error, "%s", why);
}

// --- Kept.

// The transactions of the order.  NULL with a sentence if one of those that
// committed is not in it, or one that was aborted is: which of the others
// committed, the proof may choose.
static uint8_t *members_of_order(const struct proving *p) {
  const struct history *h = p->h;
  uint8_t *members = xcalloc(h->ntxns, 1);
  for (uint32_t i = 0; i < p->v->norder; i++) {
    assert(p->v->order[i] < h->ntxns);
    members[p->v->order[i]] = 1;
  }
  for (uint32_t t = 0; t < h->ntxns; t++)
    if ((h->outcome[t] == OUTCOME_OK && !members[t]) ||
        (h->outcome[t] == OUTCOME_ABORTED && members[t])) {
      error_set(p->error, "transaction %u is %s the commit order", t,
                members[t] ? "aborted, and in" : "committed, and not in");
      free(members);
      return NULL;
    }
  return members;
}

static enum verified verify_proof(const struct proving *p,
                                  const uint8_t *members,
                                  const struct check_options *options,
                                  const struct rows_proof *proof) {
  struct history registers =
      rows_registers(p->h, options->question.plain_reads);
  const enum verified result =
      verify_rows(p->h, &registers, members, options, proof, p->error);
  rows_as_registers_free(&registers);
  return result;
}

// By an order that keeps the level, or PC if that is stronger, for all.
static enum verified prove_at_pc(const struct proving *p,
                                 const uint8_t *members) {
  struct check_options all = *p->options;
  all.question.recorded = false;
  if (!must_see_prefix(all.question.level))
    all.question.level = ISOLATION_PC;
  const struct rows_proof proof = rows_proof_of(p->v);
  return verify_proof(p, members, &all, &proof);
}

// By the level, or those of the transactions.  Before there were places a proof
// said by what was found alone what statements at RC and RA found; snapshots
// were then of PC and SI.
static enum verified prove_weak_order(const struct proving *p,
                                      const uint8_t *members, bool recorded,
                                      bool has_places) {
  struct check_options options = *p->options;
  const struct verdict *v = p->v;
  options.question.recorded = recorded;
  if (options.question.real_time ||
      (!recorded && must_see_prefix(options.question.level)))
    return refuse_proof(p, "the order does not keep real time");
  struct rows_proof proof = rows_proof_of(v);
  uint32_t *snapshot = ids_copy(v->snapshot, v->snapshot ? v->norder : 0);
  for (uint32_t i = 0; i < v->norder && v->snapshot && !has_places; i++)
    if (!must_see_prefix(binding_level(p->h, &options, v->order[i])))
      snapshot[i] = 0;
  proof.snapshot = v->snapshot ? snapshot : NULL;
  proof.place = has_places ? v->place : NULL;
  const enum verified result = verify_proof(p, members, &options, &proof);
  free(snapshot);
  return result;
}

static enum referee_answer ask_referee_of_all(const struct proving *p) {
  struct referee_rows_options question = question_about_rows(p->h, p->options);
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  return referee_rows_decide(p->h, &question, order, &norder);
}

static bool proof_lacks_times(const struct proving *p) {
  return (p->options->question.real_time ||
          must_keep_real_time(p->options->question.level)) &&
         !(p->h->begin && p->h->end);
}

static enum verified prove_by_levels(const struct proving *p,
                                     const uint8_t *members, bool recorded) {
  const enum verified result = prove_weak_order(p, members, recorded, true);
  return result == VERIFY_REFUSED
             ? prove_weak_order(p, members, recorded, false)
             : result;
}

// Is it held to PC, which is more?  Those at CC may be; and in real time those
// that must see what had ended before they began, or all below PC.
static bool is_raised(const struct question *question, enum isolation level,
                      bool all) {
  if (proves_nothing(level) || must_see_prefix(level))
    return false;
  return must_see_causes(level) ||
         (question->real_time && (all || must_see_reads_and_session(level) ||
                                  question->rc_sees_session));
}

static enum verified prove_raised(const struct proving *p,
                                  const uint8_t *members, bool all) {
  struct history raised = *p->h;
  uint8_t *levels = xmalloc(raised.ntxns);
  for (uint32_t t = 0; t < raised.ntxns; t++) {
    const enum isolation level = (enum isolation)p->h->level[t];
    levels[t] = is_raised(&p->options->question, level, all) ? ISOLATION_PC
                                                             : (uint8_t)level;
  }
  raised.level = levels;
  const struct proving of_raised = {&raised, p->options, p->v, p->error};
  const struct rows_proof proof = rows_proof_of(p->v);
  const enum verified result =
      verify_proof(&of_raised, members, p->options, &proof);
  free(levels);
  return result;
}

static enum verified prove_kept(const struct proving *p) {
  if (proof_lacks_times(p))
    return refuse_proof(p, "this history has no times to decide real time");
  uint8_t *members = members_of_order(p);
  if (!members)
    return VERIFY_REFUSED;
  enum verified result = prove_at_pc(p, members);
  if (result == VERIFY_REFUSED && !must_see_prefix(p->options->question.level))
    result = prove_by_levels(p, members, false);
  if (result == VERIFY_REFUSED && p->options->question.recorded)
    result = prove_by_levels(p, members, true);
  if (result == VERIFY_REFUSED && p->options->question.recorded)
    result = prove_raised(p, members, false);
  if (result == VERIFY_REFUSED && p->options->question.recorded)
    result = prove_raised(p, members, true);
  if (result == VERIFY_REFUSED && ask_referee_of_all(p) == REFEREE_KEPT)
    result = VERIFIED;
  free(members);
  return result;
}

// --- Broken.

static int refuse_lost(const struct proving *p) {
  return refuse_proof(p,
                      "a part of the history is lost, and with it perhaps the "
                      "statements that changed or deleted what others did not "
                      "return");
}

static bool rests_on_one_program(const struct proving *p,
                                 const struct history *h) {
  const struct referee_rows_options question =
      question_about_rows(h, p->options);
  return !rows_both_refute(h, &question);
}

static enum verified try_all(const struct proving *p) {
  if (!p->h->complete)
    return refuse_lost(p);
  p->v->tried = true;
  p->v->one_program = rests_on_one_program(p, p->h);
  return ask_referee_of_all(p) == REFEREE_BROKEN
             ? VERIFIED
             : refuse_proof(p,
                            "it is said that no commit order keeps the level, "
                            "which the referee does not confirm");
}

// All that were not aborted: who is in doubt may have written a row.
static uint8_t *members_of_witness(const struct history *h) {
  uint8_t *members = xmalloc(h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    members[t] = h->outcome[t] != OUTCOME_ABORTED;
  return members;
}

static void take_part(struct verdict *v, struct rows_part *part) {
  assert(!v->rows_part);
  v->tried = true;
  v->rows_part = xmalloc(sizeof *v->rows_part);
  *v->rows_part = part->history;
  v->rows_txns = part->txns.items;
  v->rows_statements = part->statements.items;
  v->part = part->ops.items;
  v->npart = part->ops.count;
}

static enum verified try_part(const struct proving *p,
                              const struct rows_claim *claim) {
  const struct history *h = p->h;
  if (!h->complete)
    return refuse_lost(p);
  struct cut cut = {.key = xcalloc(h->nkeys, 1),
                    .statement = xcalloc(h->rows->nstatements, 1)};
  bool all_rows = true;
  for (uint32_t i = 0; i < claim->keys.count; i++) {
    assert(claim->keys.items[i] < h->nkeys);
    cut.key[claim->keys.items[i]] = 1;
    all_rows &= h->rows->key_table[claim->keys.items[i]] != ROWS_NONE;
  }
  for (uint32_t i = 0; i < claim->statements.count; i++)
    cut.statement[claim->statements.items[i]] = 1;
  enum verified result = VERIFY_REFUSED;
  if (!all_rows)
    refuse_proof(p, "the part has a key that is no row");
  else {
    uint8_t *members = members_of_witness(h);
    struct row_versions versions = row_versions_of(h, members, p->options);
    cut.versions = &versions;
    cut.options = p->options;
    struct rows_part part = cut_history(h, members, &cut);
    take_part(p->v, &part);
    result = verify_rows_part(h, members, p->v->rows_part, p->v->rows_txns,
                              p->v->rows_statements, &p->v->argument,
                              p->options, &p->v->ncases_refuted, p->error);
    p->v->one_program =
        !p->v->argument.nsteps && rests_on_one_program(p, p->v->rows_part);
    row_versions_free(&versions);
    free(members);
  }
  free(cut.key);
  free(cut.statement);
  return result;
}

// Does some transaction of a mix bind no reads?  An INSERT may then follow the
// deletion of the row that it made, which registers do not know.
static bool has_unbound(const struct proving *p) {
  const struct history *h = p->h;
  bool any = false;
  for (uint32_t t = 0; t < h->ntxns && p->options->question.recorded; t++)
    any |= h->outcome[t] != OUTCOME_ABORTED &&
           proves_nothing((enum isolation)h->level[t]);
  return any;
}

// Rows that came back break a level as registers do, of which those of one
// statement are read at once.
static enum verified try_registers(const struct proving *p) {
  if (p->options->question.plain_reads || has_unbound(p))
    return refuse_proof(p,
                        "what rows break as registers says nothing about this "
                        "question");
  struct history registers = rows_registers(p->h, false);
  const enum verified result =
      verify_violation(&registers, p->options, p->v, p->error);
  rows_as_registers_free(&registers);
  return result;
}

enum verified verify_witness_of_rows(const struct history *history,
                                     const struct check_options *options,
                                     const struct rows_claim *claim,
                                     struct verdict *verdict,
                                     struct error *error) {
  const struct proving p = {history, options, verdict, error};
  if (verdict->kind == VERDICT_PASS)
    return prove_kept(&p);
  return claim->by == ROWS_ALL         ? try_all(&p)
         : claim->by == ROWS_REGISTERS ? try_registers(&p)
                                       : try_part(&p, claim);
}

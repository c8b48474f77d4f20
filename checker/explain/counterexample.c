// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a violation down and describes what is left
// (checker/explain/counterexample.h).
#include "config.h"

#include "checker/explain/counterexample.h"

#include "base/memory.h"
#include "checker/argue/argue.h"
#include "checker/decide/decide.h"
#include "checker/evidence/evidence.h"
#include "checker/explain/minimal_part.h"
#include "checker/graph/classify.h"
#include "checker/graph/lost_writes.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part_explanation {
  const struct model *m; // of the whole history
  const struct check_options *options;
  struct verdict *verdict;
  struct error *error;
  bool briefly;            // rather fail than try all operations of the history
  enum anomaly suspect;    // what was found; ANOMALY_NONE: it has no name yet
  struct wrong_read found; // in the whole; ANOMALY_NONE: it was no read
  struct cycle cycle;      // that was found in the whole; ANOMALY_NONE: none
  uint32_t lost;           // a lost append that it tells of, or NO_ID
  struct operations ops;   // of the part
  struct operations kept;  // that stay in it, though it may do without them

  // The part as a history.
  struct history part;
  uint32_t *txn_of_part;
};

static bool explanation_is_stopped(const struct part_explanation *b) {
  return stop_is_set(b->options->stop);
}

// The transactions of the part, as "0:3, 1:5" and how many more.
static void list_suspects(const struct history *h, const struct verdict *v,
                          char *text, size_t bytes) {
  enum { NAMED = 4 };
  uint32_t count = 0, last = NO_ID;
  size_t used = 0;
  *text = 0;
  for (uint32_t i = 0; i < v->npart; i++) {
    const uint32_t t = history_txn(h, v->part[i]);
    if (t == last)
      continue;
    last = t;
    if (count++ < NAMED) {
      const uint32_t session = history_session(h, t);
      used += (size_t)snprintf(text + used, bytes - used,
                               "%s%" PRIu32 ":%" PRIu64, count > 1 ? ", " : "",
                               session, history_number(h, session, t));
    }
  }
  if (count > NAMED)
    snprintf(text + used, bytes - used, " and %" PRIu32 " more", count - NAMED);
}

void leave_unproved(const struct history *h, struct verdict *verdict) {
  enum { SUSPECTS = 128 };
  char suspects[SUSPECTS];
  list_suspects(h, verdict, suspects, sizeof suspects);
  verdict->kind = VERDICT_UNDECIDED;
  snprintf(verdict->why, sizeof verdict->why,
           "stopped when %s had been found, but before it was proved, among "
           "transactions %s: a larger --timeout tells",
           verdict->anomaly == ANOMALY_NONE
               ? "a violation"
               : anomaly_info(verdict->anomaly)->name,
           suspects);
}

// Asks the question about all transactions at one level.
static struct check_options question_at_level(const struct part_explanation *b,
                                              enum isolation level) {
  struct check_options options = *b->options;
  options.question.level = level;
  options.question.recorded = false;
  return options;
}

// The question that was asked or, if levels are not mixed, at another level.
static struct check_options question_at(const struct part_explanation *b,
                                        enum isolation level) {
  return b->options->question.recorded ? *b->options
                                       : question_at_level(b, level);
}

// --- The part.

// Makes the operations a minimal part that breaks the level.  They may lack
// something that an inference over known edges rested on: then the transactions
// as a whole are tried, and at last everything.
static bool cut_down(struct part_explanation *b, enum isolation level) {
  const struct check_options options = question_at(b, level);
  if (part_minimise(&b->ops, b->m, &options, &b->kept))
    return true;
  if (explanation_is_stopped(b))
    return false;
  evidence_widen(b->m, &b->ops);
  if (explanation_is_stopped(b) ||
      part_minimise(&b->ops, b->m, &options, &b->kept))
    return !explanation_is_stopped(b);
  if (b->briefly)
    return false;
  evidence_everything(b->m, &b->ops);
  return part_minimise(&b->ops, b->m, &options, &b->kept);
}

static enum isolation weakest_broken(const struct part_explanation *b) {
  enum isolation level = weakest_level;
  for (; level < b->options->question.level; level++) {
    const struct check_options options = question_at_level(b, level);
    if (part_breaks(&b->part, &options))
      break;
  }
  return level;
}

// For which level is the part minimal, too?  Nearly always for the one that was
// asked for; but a part that breaks a weak level may hold a smaller one that
// breaks only a stronger one, and tells less.
static enum isolation strongest_minimal(const struct part_explanation *b) {
  enum isolation level = b->options->question.level;
  for (; level > b->verdict->broken; level--) {
    const struct check_options options = question_at_level(b, level);
    if (part_is_minimal(&b->part, &options))
      break;
  }
  return level;
}

// Does the part break the level without one of the operations that were kept?
static bool has_more(const struct part_explanation *b) {
  const struct check_options options = question_at(b, b->verdict->minimal);
  return b->kept.count && !part_is_minimal(&b->part, &options);
}

// --- Its name.

// Takes the cycle over.
static void take_cycle_over(struct verdict *v, struct cycle *cycle) {
  assert(cycle->anomaly != ANOMALY_NONE && cycle->nedges > 0);
  v->anomaly = cycle->anomaly;
  v->nedges = cycle->nedges;
  v->edges = cycle->edges;
  *cycle = (struct cycle){0};
}

static uint32_t find_id(const uint32_t *ids, uint32_t n, uint32_t id) {
  for (uint32_t i = 0; i < n && id != NO_ID; i++)
    if (ids[i] == id)
      return i;
  return NO_ID;
}

// Tells the cycle of the whole by the ids of the part.  Is it still there?  It
// may rest on less than a search of the part knows.
static bool has_first_cycle(struct part_explanation *b) {
  struct cycle *c = &b->cycle;
  struct error error;
  uint32_t nlost;
  uint8_t *counted = history_counted(&b->part, &nlost);
  const struct verdict v = {.anomaly = c->anomaly,
                            .op = NO_ID,
                            .nedges = c->nedges,
                            .edges = c->edges};
  for (uint32_t i = 0; i < c->nedges; i++) {
    struct edge *edge = &c->edges[i];
    edge->from = find_id(b->txn_of_part, b->part.ntxns, edge->from);
    edge->to = find_id(b->txn_of_part, b->part.ntxns, edge->to);
    edge->from_op = find_id(b->ops.op, b->ops.count, edge->from_op);
    edge->to_op = find_id(b->ops.op, b->ops.count, edge->to_op);
  }
  const bool there =
      verify_evidence(&b->part, counted, b->options, &v, &error) == VERIFIED;
  free(counted);
  return there;
}

static void take_wrong_read(struct part_explanation *b,
                            const struct wrong_read *wrong_read) {
  struct verdict *v = b->verdict;
  const uint32_t *op = b->ops.op;
  const struct wrong_read in_whole = {wrong_read->anomaly, op[wrong_read->op],
                                      NO_ID};
  v->anomaly = anomaly_of_read(b->m->h, &in_whole);
  v->op = wrong_read->op;
  v->other_op = wrong_read->other_op;
  // [l+=1 l+=2 l==[1]]: the part needs no append that the list shows.
  if (b->found.anomaly == ANOMALY_NOT_MY_LAST_WRITE &&
      wrong_read->anomaly == ANOMALY_NOT_MY_OWN_WRITE &&
      b->found.op == b->ops.op[wrong_read->op])
    v->anomaly = ANOMALY_NOT_MY_LAST_WRITE;
}

// Does the part, which breaks the level, keep it without real time?
static bool needs_real_time(const struct part_explanation *b) {
  struct check_options options = question_at_level(b, b->verdict->broken);
  options.question.real_time = false;
  return b->options->question.real_time && !part_breaks(&b->part, &options);
}

// The name of the cycle without a claim on what the whole shows.
static enum anomaly plain_name(const struct cycle *c) {
  return c->anomaly == ANOMALY_LOST_WRITE
             ? anomaly_of_seen_write(c->edges, c->nedges)
             : c->anomaly;
}

// Is it only in the part that nobody read the append, or does a read miss what
// was lost?
//
//   [x+=1]@1..2    [x+=2]@5..6    [x==[2]]@8..9
//
// Here the last transaction is stale by itself.
static enum anomaly name_in_whole(const struct part_explanation *b,
                                  const struct cycle *c) {
  const struct edge *edge = cycle_only_edge(c, EDGES_WW_RW);
  const uint32_t *op = b->ops.op;
  if (c->anomaly == ANOMALY_LOST_WRITE &&
      !write_is_lost(b->m, op[edge->to_op], op[edge->from_op]))
    return plain_name(c);
  return edge && op[edge->to_op] == b->lost ? ANOMALY_LOST_WRITE : c->anomaly;
}

// Does the anomaly break no stronger level than the part?
static bool anomaly_fits_part(const struct part_explanation *b,
                              enum anomaly anomaly) {
  return anomaly_weakest(anomaly) <= b->verdict->broken ||
         (anomaly == ANOMALY_STALE_READ && b->options->question.real_time);
}

// The name of a part that no cycle of its own names: the first cycle's, where
// levels are mixed or real time counts, so that no picture tells; or that of
// MTC's pictures.
static enum anomaly name_without_cycle(const struct part_explanation *b,
                                       const struct model *m) {
  const enum anomaly was = plain_name(&b->cycle);
  if (was != ANOMALY_NONE &&
      (b->options->question.recorded || b->options->question.real_time))
    return was;
  return needs_real_time(b) ? ANOMALY_STALE_READ
                            : anomaly_of_part(m, b->verdict->broken);
}

// The names by which a part without a wrong read may be called, the best first:
// that of a cycle which the part has and which shows that it breaks the level;
// that of such a cycle, without it, if it belongs to the level that is broken;
// what names the part without a cycle.  Of mixed levels a cycle does not tell
// which of them it breaks.
static void name_by_cycle(struct part_explanation *b, struct model *m) {
  struct verdict *v = b->verdict;
  struct tangle tangle = {0};
  struct cycle cycle;
  cycle_of_known_edges(&cycle, m, &tangle, b->options->question.level);
  tangle_free(&tangle);
  const enum anomaly plain = plain_name(&cycle);
  if (plain != ANOMALY_NONE)
    cycle.anomaly = name_in_whole(b, &cycle);
  if (plain != ANOMALY_NONE && !b->options->question.recorded &&
      anomaly_breaks(cycle.anomaly, b->options) &&
      anomaly_fits_part(b, cycle.anomaly))
    take_cycle_over(v, &cycle);
  else if (plain != ANOMALY_NONE && anomaly_weakest(plain) == v->broken)
    v->anomaly = plain;
  else
    v->anomaly = name_without_cycle(b, m);
  cycle_free(&cycle);
}

// By one read, if one is wrong in itself; else by the cycle that was found
// first, for the search of the part may know fewer edges; else by the best one
// that the part has; else by the level.
static void name_counterexample(struct part_explanation *b) {
  struct model m;
  b->verdict->broken = weakest_broken(b);
  struct check_options options = *b->options;
  options.stop = NULL; // it is small
  const int failed = model_build(&m, &b->part, &options, b->error);
  assert(!failed); // it is no larger than the whole
  (void)failed;
  if (decide_has_wrong_read(&m, b->options->question.level))
    take_wrong_read(b, &m.wrong_read);
  else if (b->cycle.nedges && anomaly_fits_part(b, b->cycle.anomaly) &&
           has_first_cycle(b))
    take_cycle_over(b->verdict, &b->cycle);
  else
    name_by_cycle(b, &m);
  model_free(&m);
}

// --- Its argument.

// -1 with a sentence: there is none.
static int find_argument(struct part_explanation *b) {
  const struct check_options options = question_at(b, b->verdict->broken);
  return argue(&b->verdict->argument, &b->part, &options) != ARGUE_NOT_BROKEN
             ? 0
             : error_set(b->error, "no argument can be found for %s",
                         anomaly_info(b->verdict->anomaly)->name);
}

// --- All of it.

// The weakest level that an anomaly breaks, of those up to the one asked for.
static enum isolation weakest_level_broken(const struct part_explanation *b,
                                           enum anomaly anomaly) {
  assert(anomaly != ANOMALY_NONE);
  const enum isolation weakest = anomaly_weakest(anomaly);
  return weakest < b->options->question.level ? weakest
                                              : b->options->question.level;
}

// Describes the part that is left.
static int describe_part(struct part_explanation *b) {
  struct verdict *v = b->verdict;
  int result = 0;
  subhistory_extract(b->m->h, &b->ops, &b->part, &b->txn_of_part);
  name_counterexample(b);
  v->minimal = b->options->question.recorded ? b->options->question.level
                                             : strongest_minimal(b);
  v->has_more = has_more(b);
  if (v->op == UINT32_MAX && !explanation_is_stopped(b))
    result = find_argument(b);
  verdict_rename(v, b->part.nops, b->ops.op, b->txn_of_part);
  history_free(&b->part);
  free(b->txn_of_part);
  return result;
}

// `weakest`: the level that the operations are known to break.
static int explain_operations(struct part_explanation *b,
                              enum isolation weakest) {
  struct verdict *v = b->verdict;
  int result = 0;
  assert(!v->part && !v->nedges);
  v->kind = VERDICT_VIOLATION;
  v->anomaly = b->suspect;
  if (cut_down(b, weakest))
    result = describe_part(b);
  else if (!explanation_is_stopped(b))
    result = error_set(b->error,
                       "the violation that was found does not break level %s",
                       isolation_name(weakest));
  v->part = b->ops.op;
  v->npart = b->ops.count;
  if (!result && explanation_is_stopped(b)) // the part may not be minimal
    leave_unproved(b->m->h, v);
  return result;
}

// Who reads a row, and changes it over another one's change, loses that change.
// The part needs less if the other one is of the same session:
//
//   [x:=1] [x:=2] [x==1 x:=3]
//
// The read alone, or the last write alone, misses what its session wrote.  That
// an update was lost is what hurts.
enum { LOST_UPDATE_OPERATIONS = 3 };

static void keep_lost_update(struct part_explanation *b, uint32_t *room) {
  const struct wrong_read *read = &b->found;
  const uint32_t ops[LOST_UPDATE_OPERATIONS] = {read->other_op, read->op,
                                                b->m->h->saw[read->op]};
  b->kept.op = room;
  for (int i = 0; i < LOST_UPDATE_OPERATIONS; i++)
    if (operations_find(&b->ops, ops[i]) != UINT32_MAX)
      room[b->kept.count++] = ops[i];
}

int counterexample_of_read(const struct model *m,
                           const struct check_options *options,
                           const struct wrong_read *wrong_read,
                           struct verdict *verdict, struct error *error) {
  struct part_explanation b = {.m = m,
                               .options = options,
                               .verdict = verdict,
                               .error = error,
                               .lost = NO_ID};
  b.suspect = anomaly_of_read(m->h, wrong_read);
  b.found = *wrong_read;
  b.ops =
      wrong_read->anomaly == ANOMALY_LOST_ELEMENT
          ? evidence_of_lost_element(m, wrong_read->op, wrong_read->other_op)
          : evidence_of_read(m, wrong_read->op, wrong_read->other_op);
  uint32_t room[LOST_UPDATE_OPERATIONS];
  if (b.suspect == ANOMALY_LOST_UPDATE)
    keep_lost_update(&b, room);
  return explain_operations(&b, weakest_level_broken(&b, wrong_read->anomaly));
}

// Do session or time alone say that the lost append came before the other one?
// Then it is lost, whatever the part shows; the verifier asks no more.
static bool is_lost_by_order(const struct cycle *c) {
  if (c->anomaly != ANOMALY_LOST_WRITE || c->nedges != 2)
    return false;
  const int before = c->edges[c->edges[0].kind == EDGE_WW ? 1 : 0].kind;
  return before == EDGE_SO || before == EDGE_RT;
}

int counterexample_of_cycle(const struct model *m,
                            const struct check_options *options,
                            struct cycle *cycle, bool briefly,
                            struct verdict *verdict, struct error *error) {
  struct part_explanation b = {.m = m,
                               .options = options,
                               .verdict = verdict,
                               .error = error,
                               .lost = NO_ID};
  b.suspect = cycle->anomaly;
  b.cycle = *cycle;
  b.briefly = briefly;
  if (is_lost_by_order(cycle))
    b.lost = cycle_only_edge(cycle, EDGES_WW_RW)->to_op;
  b.ops = evidence_of_cycle(m, cycle->edges, cycle->nedges);
  *cycle = (struct cycle){0};
  const int result =
      explain_operations(&b, weakest_level_broken(&b, plain_name(&b.cycle)));
  cycle_free(&b.cycle);
  return result;
}

int counterexample_of_part(const struct model *m,
                           const struct check_options *options,
                           struct operations *ops, enum isolation weakest,
                           struct verdict *verdict, struct error *error) {
  struct part_explanation b = {.m = m,
                               .options = options,
                               .verdict = verdict,
                               .error = error,
                               .lost = NO_ID,
                               .ops = *ops};
  *ops = (struct operations){0};
  return explain_operations(&b, weakest);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The anomalies by name, and which of them a cycle is.  Names and pictures are
// those of MTC, figure 5 and table I; the others are Adya's and Elle's.
#include "config.h"

#include "checker/graph/classify.h"

#include "checker/graph/lost_writes.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>

// Does the register version `op` come later than `version` because each was
// made from the one before?
static bool was_made_from(const struct model *m, uint32_t op,
                          uint32_t version) {
  while (!is_initial(m, op) && !(m->role[op] & ROLE_BLIND)) {
    op = m->over[op];
    if (op == version)
      return true;
  }
  return false;
}

// Is the order of the edge's versions known only from the rule that nothing
// comes between a read and a write of one transaction, which holds from SI up?
// A chain of read-modify-writes orders its versions at every level, and so does
// a list that was read; and the initial version comes first.
static bool needs_snapshots(const struct model *m, const struct edge *edge) {
  assert(edge->from < m->h->ntxns && edge->to < m->h->ntxns);
  const bool list = edge->to_op != NO_ID && op_is_list(m->h->kind[edge->to_op]);
  if (edge->kind == EDGE_WW)
    return list ? !(m->role[edge->from_op] & ROLE_LISTED)
                : !was_made_from(m, edge->to_op, edge->from_op);
  if (edge->kind != EDGE_RW || list)
    return false;
  const uint32_t seen = m->sees[edge->from_op];
  return !is_initial(m, seen) && !was_made_from(m, edge->to_op, seen);
}

// How many edges of each kind a cycle has, and how its RW edges lie.
struct cycle_shape {
  uint32_t count[EDGE_RW + 1];
  bool adjacent_rw; // two of them follow each other
  bool snapshots;   // some edge needs them
};

static struct cycle_shape
find_cycle_shape(const struct model *m, const struct edge *edges, uint32_t n) {
  struct cycle_shape s = {0};
  for (uint32_t i = 0; i < n; i++) {
    s.count[edges[i].kind]++;
    s.snapshots |= needs_snapshots(m, &edges[i]);
    s.adjacent_rw |=
        edges[i].kind == EDGE_RW && edges[(i + 1) % n].kind == EDGE_RW;
  }
  return s;
}

static bool same_key(const struct history *h, const struct edge *one,
                     const struct edge *other) {
  return one->to_op != UINT32_MAX && other->to_op != UINT32_MAX &&
         h->key[one->to_op] == h->key[other->to_op];
}

// Both read the key before the other wrote it; or one read it, the other wrote
// it, and the one wrote over that.
static bool cycle_is_lost_update(const struct history *h,
                                 const struct edge *edges, uint32_t n,
                                 const struct cycle_shape *s) {
  return n == 2 && same_key(h, &edges[0], &edges[1]) &&
         (s->count[EDGE_RW] == 2 ||
          (s->count[EDGE_RW] == 1 && s->count[EDGE_WW] == 1));
}

static enum anomaly without_rw(const struct cycle_shape *s) {
  return s->count[EDGE_WR] || !s->count[EDGE_WW] ? ANOMALY_CYCLE_G1C
                                                 : ANOMALY_CYCLE_G0;
}

// One RW edge from a transaction that missed a write; the others lead from that
// write to it, so that it should not have.
static enum anomaly with_one_rw(const struct history *h,
                                const struct edge *edges, uint32_t n,
                                const struct cycle_shape *s) {
  assert(n >= 2 && s->count[EDGE_RW] == 1);
  if (s->count[EDGE_WW])
    return ANOMALY_CYCLE_G_SINGLE;
  if (n > 2)
    return ANOMALY_CAUSALITY_VIOLATION;
  const struct edge *missed = &edges[edges[0].kind == EDGE_RW ? 0 : 1];
  const struct edge *other = &edges[edges[0].kind == EDGE_RW ? 1 : 0];
  if (other->kind == EDGE_SO)
    return ANOMALY_SESSION_GUARANTEE_VIOLATION;
  return other->to_op < history_event(h, missed->from_op)
             ? ANOMALY_NON_MONOTONIC_READ
             : ANOMALY_FRACTURED_READ;
}

// Is the cycle an append that nobody read and, although it must come before, a
// later one that somebody read?  Lists only grow, so that the append is lost.
//
//   [x+=1] [x+=2]    [x==[2]]
static bool is_lost_write(const struct model *m, const struct edge *edges,
                          const struct cycle_shape *s) {
  if (s->count[EDGE_WW] != 1 || s->count[EDGE_RW])
    return false;
  uint32_t i = 0;
  while (edges[i].kind != EDGE_WW)
    i++;
  return write_is_lost(m, edges[i].to_op, edges[i].from_op);
}

enum anomaly anomaly_of_cycle(const struct model *m, const struct edge *edges,
                              uint32_t n) {
  assert(n > 0);
  const struct cycle_shape s = find_cycle_shape(m, edges, n);
  if (is_lost_write(m, edges, &s))
    return ANOMALY_LOST_WRITE;
  if (s.count[EDGE_RT])
    return ANOMALY_STALE_READ;
  if (cycle_is_lost_update(m->h, edges, n, &s))
    return ANOMALY_LOST_UPDATE;
  if (s.adjacent_rw)
    return n == 2 ? ANOMALY_WRITE_SKEW : ANOMALY_CYCLE_G2_ITEM;
  if (s.snapshots && s.count[EDGE_RW] <= 1)
    return ANOMALY_CYCLE_G_SINGLE;
  if (s.count[EDGE_RW] == 0)
    return without_rw(&s);
  if (s.count[EDGE_RW] == 1)
    return with_one_rw(m->h, edges, n, &s);
  return s.count[EDGE_WW] || s.snapshots ? ANOMALY_CYCLE_G_NONADJACENT
                                         : ANOMALY_LONG_FORK;
}

enum anomaly anomaly_of_seen_write(const struct edge *edges, uint32_t n) {
  bool reads = false, time = false;
  for (uint32_t i = 0; i < n; i++) {
    reads |= edges[i].kind == EDGE_WR;
    time |= edges[i].kind == EDGE_RT;
  }
  return time    ? ANOMALY_STALE_READ
         : reads ? ANOMALY_CYCLE_G1C
                 : ANOMALY_CYCLE_G0;
}

// The last operation before `op` by which its transaction read the key.
static uint32_t last_read_before(const struct history *h, uint32_t op) {
  uint32_t read = op;
  do
    read--;
  while (h->key[read] != h->key[op] || !op_reads(h->kind[read]));
  return read;
}

bool is_read_anew(const struct history *h, uint32_t op) {
  return h->saw[last_read_before(h, op)] == h->saw[op];
}

// Did the database calculate the change from the row as it found it?
static bool adds_to_row(const struct history *h, uint32_t op) {
  return h->rows_behind && rows_adds(h->rows_behind, history_txn(h, op), op);
}

// Did the transaction read the row, and change it when somebody else had
// changed it since?  Not if it read the row again in between, and not if it
// added to what the other one left:
//
//   T1 reads 5    T2 writes 4    T1 does SET n = n - 1, which makes it 3
static bool loses_update(const struct history *h,
                         const struct wrong_read *read) {
  return h->of_rows && op_writes(h->kind[read->op]) &&
         !is_read_anew(h, read->op) && !adds_to_row(h, read->op);
}

enum anomaly anomaly_of_read(const struct history *h,
                             const struct wrong_read *read) {
  return read->anomaly == ANOMALY_NON_REPEATABLE_READS && loses_update(h, read)
             ? ANOMALY_LOST_UPDATE
         : read->anomaly == ANOMALY_THIN_AIR_READ &&
                 rows_rolled_back(h, read->op) != ROWS_NONE
             ? ANOMALY_ABORTED_READ
             : read->anomaly;
}

// No anomaly: there is nothing to forbid.
static bool is_any_level(enum isolation level) {
  (void)level;
  return true;
}

// The rule of a level (checker/verdict/level_rules.h) that forbids an anomaly.
static const struct anomaly_info anomalies[ANOMALY_COUNT] = {
    [ANOMALY_NONE] = {"none", "Nothing is wrong.", is_any_level},
    [ANOMALY_THIN_AIR_READ] = {"ThinAirRead",
                               "A transaction read a value that nobody wrote.",
                               level_binds_reads},
    [ANOMALY_ABORTED_READ] =
        {"AbortedRead",
         "A transaction read a value that an aborted transaction had written.",
         level_binds_reads},
    [ANOMALY_FUTURE_READ] =
        {"FutureRead",
         "A transaction read a value that it wrote itself only later.",
         level_binds_reads},
    [ANOMALY_NOT_MY_LAST_WRITE] =
        {"NotMyLastWrite",
         "A transaction read a value that it had written but already "
         "overwritten itself.",
         level_binds_reads},
    [ANOMALY_NOT_MY_OWN_WRITE] =
        {"NotMyOwnWrite",
         "A transaction did not read what it had itself written to the key.",
         level_binds_reads},
    [ANOMALY_INTERMEDIATE_READ] =
        {"IntermediateRead",
         "A transaction read a value that its writer overwrote before it "
         "committed.",
         level_binds_reads},
    [ANOMALY_NON_REPEATABLE_READS] =
        {"NonRepeatableReads",
         "A transaction read a key twice and found different values.",
         level_counts_session},
    [ANOMALY_INCOMPATIBLE_ORDER] =
        {"IncompatibleOrder",
         "Two reads of a list contradict each other: neither result is a "
         "prefix of the other.",
         level_binds_reads},
    [ANOMALY_DUPLICATE_ELEMENT] =
        {"DuplicateElement",
         "An element that was appended once stands in a list twice.",
         level_binds_reads},
    [ANOMALY_LOST_ELEMENT] =
        {"LostElement",
         "A read of a list lacks an element that another read shows before an "
         "element that both show.",
         level_binds_reads},
    [ANOMALY_SESSION_GUARANTEE_VIOLATION] =
        {"SessionGuaranteeViolation",
         "A transaction missed a write of an earlier transaction of its "
         "session.",
         level_counts_session},
    [ANOMALY_NON_MONOTONIC_READ] =
        {"NonMonotonicRead",
         "A transaction read from another transaction and then read a value "
         "that the other had overwritten.",
         level_binds_reads},
    [ANOMALY_FRACTURED_READ] =
        {"FracturedRead",
         "A transaction saw one write of another transaction and missed "
         "another write of it.",
         level_counts_session},
    [ANOMALY_CAUSALITY_VIOLATION] =
        {"CausalityViolation",
         "A transaction missed a write that had led to what it saw.",
         level_counts_causes},
    [ANOMALY_LONG_FORK] =
        {"LongFork",
         "Transactions saw independent writes in orders that contradict each "
         "other.",
         level_has_prefix},
    [ANOMALY_LOST_UPDATE] =
        {"LostUpdate",
         "Two transactions wrote the same key, and one of them did not know of "
         "the other's write, which is lost.",
         level_conflicts},
    [ANOMALY_WRITE_SKEW] =
        {"WriteSkew",
         "Two transactions each read what the other one overwrote.",
         level_sees_all},
    [ANOMALY_STALE_READ] =
        {"StaleRead",
         "The transactions took effect in another order than real time allows.",
         level_keeps_time},
    [ANOMALY_CYCLE_G0] = {"G0", "Transactions overwrote each other in a cycle.",
                          level_binds_reads},
    [ANOMALY_CYCLE_G1C] =
        {"G1c", "Transactions depend on each other's writes in a cycle.",
         level_binds_reads},
    [ANOMALY_CYCLE_G_SINGLE] =
        {"G-single",
         "A transaction missed a write on which it depends in another way.",
         level_conflicts},
    [ANOMALY_CYCLE_G_NONADJACENT] =
        {"G-nonadjacent",
         "Transactions form a cycle of missed writes that no choice of "
         "snapshots allows.",
         level_conflicts},
    [ANOMALY_CYCLE_G2_ITEM] =
        {"G2-item", "Transactions missed each other's writes in a cycle.",
         level_sees_all},
    [ANOMALY_PHANTOM] =
        {"Phantom", "Statements did not return rows that they had to find.",
         level_binds_reads},
    [ANOMALY_LOST_WRITE] =
        {"LostWrite",
         "No read shows a committed append, though reads show elements that "
         "were appended later.",
         level_binds_reads},
    [ANOMALY_EXTRA_ROW] =
        {"ExtraRow",
         "A statement returned a row twice, or one that it cannot have found.",
         level_binds_reads},
    [ANOMALY_MISSING_ROW] =
        {"MissingRow",
         "A statement did not return a row of which every version satisfies "
         "its condition.",
         level_binds_reads},
    [ANOMALY_FRACTURED_STATEMENT] =
        {"FracturedStatement",
         "A statement saw one row of another transaction and missed another "
         "row of it.",
         level_counts_session},
    [ANOMALY_PHANTOM_READ] =
        {"PhantomRead",
         "A statement missed a row of a transaction that another statement of "
         "its transaction saw.",
         level_counts_session},
    [ANOMALY_PHANTOM_LONG_FORK] =
        {"PhantomLongFork",
         "Statements missed rows of independent transactions in orders that "
         "contradict each other.",
         level_has_prefix},
    [ANOMALY_PHANTOM_WRITE_SKEW] =
        {"PhantomWriteSkew",
         "Transactions missed the rows that the others wrote, in a cycle.",
         level_sees_all},
};

bool anomaly_breaks(enum anomaly anomaly, const struct check_options *options) {
  if (anomaly == ANOMALY_STALE_READ && options->question.real_time)
    return level_conflicts(options->question.level);
  return anomaly_weakest(anomaly) <= options->question.level;
}

const struct anomaly_info *anomaly_info(enum anomaly anomaly) {
  assert(anomaly < ANOMALY_COUNT);
  return &anomalies[anomaly];
}

enum isolation anomaly_weakest(enum anomaly anomaly) {
  const struct anomaly_info *info = anomaly_info(anomaly);
  enum isolation level = strongest_level;
  while (level > 0 && info->is_forbidden(level - 1))
    level--;
  return level;
}

enum isolation violation_weakest(const struct verdict *v) {
  return anomaly_weakest(v->anomaly == ANOMALY_LOST_UPDATE &&
                                 v->op != UINT32_MAX
                             ? ANOMALY_NON_REPEATABLE_READS
                             : v->anomaly);
}

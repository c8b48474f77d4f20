// SPDX-License-Identifier: GPL-3.0-or-later
// From a history to a verdict with its proof.  Knows the history and base/, and
// nothing of databases, workloads or runs.
#ifndef CHECKER_VERDICT_VERDICT_H
#define CHECKER_VERDICT_VERDICT_H

#include "base/stop.h"
#include "checker/verdict/question.h"
#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

enum verdict_kind {
  VERDICT_PASS,
  VERDICT_VIOLATION,
  VERDICT_UNDECIDED,
};

// Why one transaction must come before another, or a read is wrong in itself.
enum edge_kind {
  EDGE_SO, // session order
  EDGE_RT, // real time: it had ended before the other began
  EDGE_WR, // write-read: the other one read what it wrote
  EDGE_WW, // write-write: the other one overwrote what it wrote
  EDGE_RW, // read-write: the other one overwrote what it had read
};

// An edge with the operations that justify it; for SO and RT both are
// UINT32_MAX.
//   WR: from_op wrote what to_op read.
//   WW: to_op wrote a version of the key that follows from_op's.
//   RW: from_op read a version of the key that comes before to_op's.
// Directly, or with other versions between, whose writers the cycle then skips.
struct edge {
  uint8_t kind; // enum edge_kind
  uint32_t from, to;
  uint32_t from_op, to_op;
};

// An operation that a violation which was counted rests on: the read that is
// wrong in itself; or of a cycle each read that missed a write, and where there
// is none each one that saw a write.
struct counted_op {
  uint32_t number;  // of the violation, from 0 on
  uint32_t op;      // of the history
  uint32_t anomaly; // enum anomaly
};

// Where values were written to a key more than once (history->again): the
// write that a read of such a value saw, or is taken to have seen.
struct assumed_read {
  uint32_t place;  // the read; of a list nops and the number of the element
  uint32_t writer; // operation, or SAW_INITIAL
};

// --- The argument that a part of a history breaks a level.
//
// It is about the order of events: 2t is what transaction t saw of others (its
// snapshot), 2t + 1 is its commit.  Of each transaction the first comes before
// the second, which is not said.  Every step says that the event `from` comes
// before `to`, and why:
//
//   REASON_HISTORY   it is in the history: `kind` is SO, RT or WR.
//   REASON_LIST      `read` shows the append from_op before to_op, or without
//                    it (kind WW).
//   REASON_READ      `read` leaves two orders: whoever wrote its key, too, does
//                    so before the writer that was read from (kind WW) or after
//                    the reader (kind RW).  This is one of them, and the other
//                    would close a cycle with the steps of the path.  No path,
//                    and kind RW, where the initial value was read.  At RC, RA
//                    and CC the path shows instead that the reader had observed
//                    the other writer, so that this one must be the earlier.
//   REASON_WRITERS   one of two writers of a key does not see the other, if
//                    that has not committed before its snapshot, and must then
//                    itself commit first (SI); the other order closes a cycle
//                    with the path (kind WW).
//   REASON_SUPPOSED  it is tried.  Suppositions stand together; what follows up
//                    to their contradiction holds only if they do.
//   REASON_CONTRADICTION  not an edge: the steps of the path are a cycle.  If
//                    something was supposed, not all of that can be; if
//                    nothing, this is the last step, and the part has no order.
//   REASON_LEMMA     step `lemma` is a contradiction, the paths show all of its
//                    suppositions but one, and this is that one turned around.
//
// Where reads may have seen any of several writes, an argument has claims: that
// a read saw one of them, or that a transaction of unknown outcome took effect.
// Claim c has two events of its own behind those of all ntxns transactions,
// 2 (ntxns + c) and the next one: it holds if the first comes before the
// second, and else the second before the first.  REASON_READ and REASON_WRITERS
// then hold unless the claim that the read saw what it did, or that a
// transaction took effect which is not known to, does not; and the path says
// that it does. Or the step is that the claim does not hold, from_op the other
// write.
//
//   REASON_SEEN      a read that saw a write comes after it (kind WR), and the
//                    write took effect; or the claim does not hold.  So none
//                    saw a write of its own transaction in this way.
//   REASON_SAW       the read, if it took effect, saw one of the writes of the
//                    value that checker/verify/facts.h does not rule out.
// An argument about a part with rows (struct verdict, rows_part) has the rows
// as registers (checker/part/row_registers.h).  Two more reasons are about a
// row that a statement did not return.  The statement found one
// version of the row, which its transaction had not written before.  A version
// V that the statement would have returned is there for it.  Then a version F,
// which it would not, comes between: V < F < the statement.  An INSERT finds in
// this way that there is no row.  `read` is the statement, `lemma` the key,
// from_op made V (UINT32_MAX: V is the first version), and to_op F.
//
//   REASON_UNRETURNED  from PC up.  The statement looks at the snapshot of its
//                    transaction, from SER up at the commit.  One of these
//                    holds, and the path refutes the others in this order: the
//                    place is before V (kind RW; not of a first version); or
//                    else of each F, in the order of operations, that F is
//                    before the place (kind WR) and after V (kind WW).  It is
//                    enough to refute one of these two.  An F is left out that
//                    replaced another F after V, or that V replaced, over any
//                    number of versions.
//   REASON_IN_SIGHT  at RC, RA and CC: the path shows first that the
//                    transaction had observed V, as in REASON_READ, unless V is
//                    a first version.  The rest is as above, and the place is
//                    the snapshot.  If no F is possible, the step is of kind RW
//                    and contradicts what was observed.
enum reason {
  REASON_HISTORY,
  REASON_LIST,
  REASON_READ,
  REASON_WRITERS,
  REASON_SUPPOSED,
  REASON_CONTRADICTION,
  REASON_LEMMA,
  REASON_SEEN,
  REASON_SAW,
  REASON_UNRETURNED,
  REASON_IN_SIGHT,
};

struct inference {
  uint8_t why;             // enum reason
  uint8_t kind;            // enum edge_kind
  uint32_t from, to;       // events
  uint32_t from_op, to_op; // as in struct edge; UINT32_MAX for SO and RT
  uint32_t read;  // the read that leaves the choice, or shows the list;
                  // UNRETURNED and IN_SIGHT: the statement
  uint32_t lemma; // REASON_LEMMA: an earlier step; SEEN, and READ of one that
                  // may have seen several: the claim; UNRETURNED and IN_SIGHT:
                  // the key
  // In argument.path: the steps (all earlier ones) that lead from `to` of the
  // order that cannot be to its `from`; of a lemma one run after the other,
  // for each supposition that holds.
  uint32_t first, end;
};

struct argument {
  uint32_t nsteps, npath, nclaims;
  struct inference *steps;
  uint32_t *path;
  struct assumed_read *claims; // writer CLAIM_TOOK_EFFECT: the transaction did
};
#define CLAIM_TOOK_EFFECT SAW_THIN_AIR

// DESIGN names; rows of the table in classify.c.
enum anomaly {
  ANOMALY_NONE,
  // A read that is wrong whatever the order of transactions.
  ANOMALY_THIN_AIR_READ,
  ANOMALY_ABORTED_READ,
  ANOMALY_FUTURE_READ,
  ANOMALY_NOT_MY_LAST_WRITE,
  ANOMALY_NOT_MY_OWN_WRITE,
  ANOMALY_INTERMEDIATE_READ,
  ANOMALY_NON_REPEATABLE_READS,
  // List reads that cannot be of one list.
  ANOMALY_INCOMPATIBLE_ORDER,
  ANOMALY_DUPLICATE_ELEMENT,
  ANOMALY_LOST_ELEMENT,
  // Cycles.
  ANOMALY_SESSION_GUARANTEE_VIOLATION,
  ANOMALY_NON_MONOTONIC_READ,
  ANOMALY_FRACTURED_READ,
  ANOMALY_CAUSALITY_VIOLATION,
  ANOMALY_LONG_FORK,
  ANOMALY_LOST_UPDATE,
  ANOMALY_WRITE_SKEW,
  ANOMALY_STALE_READ, // breaks real time only
  ANOMALY_CYCLE_G0,   // other cycles, by Adya's and Elle's names
  ANOMALY_CYCLE_G1C,
  ANOMALY_CYCLE_G_SINGLE,
  ANOMALY_CYCLE_G_NONADJACENT,
  ANOMALY_CYCLE_G2_ITEM,
  ANOMALY_PHANTOM,    // of rows that statements did not return
  ANOMALY_LOST_WRITE, // a cycle, and no read of the history shows the write
  // By rows that statements did not return, where more can be said.
  ANOMALY_EXTRA_ROW,
  ANOMALY_MISSING_ROW,
  ANOMALY_FRACTURED_STATEMENT,
  ANOMALY_PHANTOM_READ,
  ANOMALY_PHANTOM_LONG_FORK,
  ANOMALY_PHANTOM_WRITE_SKEW,
  ANOMALY_COUNT
};

struct anomaly_info {
  const char *name;     // "LostUpdate"; others are in base/anomaly_names.h
  const char *sentence; // what it means, one sentence
  bool (*is_forbidden)(enum isolation level);
};
const struct anomaly_info *anomaly_info(enum anomaly anomaly);

// The weakest level that forbids the anomaly.
enum isolation anomaly_weakest(enum anomaly anomaly);
// That of a violation.  A lost update which one read shows, of a row that its
// transaction then changed, breaks a weaker level than one that a cycle shows.
struct verdict;
enum isolation violation_weakest(const struct verdict *violation);

// How much of the history there was, by outcome.
struct verdict_counts {
  uint32_t committed, aborted, unknown; // as recorded
  uint32_t unknown_seen; // unknown ones that count since they were seen
  uint32_t lost;         // left out: depend on a lost part of the file
  uint64_t operations;   // of the transactions that count
};

// The statement is taken to have found this version of the row, which it did
// not return.  Of other rows that it did not return it is taken to have found
// the last one, by the commit order, that is visible to it.
struct found_unseen {
  uint32_t statement, key, version;
};

struct verdict {
  enum verdict_kind kind;
  struct question question; // that it answers, settled by settled_options
  // Decided by trying all commit orders, and whatever statements may have found
  // of rows that they did not return (checker/verify/rows/referee_rows.h), or
  // by an argument: a PASS has the order that was found.  A VIOLATION has a
  // history that is a part of the whole (checker/part/rows_cut.h) and from
  // which no row, and no statement that wrote none of its rows, can be taken;
  // or else all transactions are its part.
  bool tried;
  uint32_t ncases_refuted; // of the part, instead of all commit orders; or 0
  bool one_program; // VIOLATION: nothing but what refuted the part says that
                    // the part breaks the level
  struct history *rows_part; // or NULL
  uint32_t *rows_txns;       // of its transactions, numbers in the whole
  uint32_t *rows_statements; // of its statements, likewise
  // At SER, if there is one: a cycle of edges of this part, and per edge the
  // statement of the part that did not find the row that its operation wrote
  // and who made the row leave what it looks for, and comes after it
  // (checker/rows/row_cycle.h), or UINT32_MAX.
  uint32_t nrow_edges;
  struct edge *row_edges;
  uint32_t *row_statements, *row_leavers;
  enum anomaly anomaly; // UNDECIDED: what was found and not proved
  struct verdict_counts counts;

  // PASS: the transactions that count, in commit order.  For SI, `snapshot[i]`
  // says how many of them had committed when order[i] took its snapshot; of a
  // history with rows also at RA.
  uint32_t norder;
  uint32_t *order;
  uint32_t *snapshot; // NULL for SER and SSER
  // Where transactions of a history with rows are at RC, RA or CC: what
  // statements are taken to have found (checker/verify/rows/execute_rows.h).
  uint32_t nfound;
  struct found_unseen *found_unseen;
  // Where some are at RC: per statement how many had committed for it
  // (checker/verify/rows/execute_rows.h).  NULL: none for any.
  uint32_t *place;

  // VIOLATION: the counterexample.
  //
  // The operations of a part of the history, ascending, that breaks the level
  // by itself.  Every register read is there with the write that it saw, and
  // lists are read without what the part does not append, so that what the part
  // breaks the whole breaks (checker/part/subhistory.h).  It is minimal:
  // without any one operation (and the reads of registers that saw it) it keeps
  // `minimal`, which is `level` unless a smaller part breaks that.  `broken` is
  // the weakest level that the part breaks: broken <= minimal <= level.  Only
  // if it `has_more`, so that the anomaly is seen, a smaller part breaks
  // `minimal` by another anomaly.
  // UNDECIDED with an anomaly: where to look longer; not proved to break
  // anything, nor to be closed.
  uint32_t npart;
  uint32_t *part;
  enum isolation broken, minimal;
  bool has_more;
  // By a cycle of edges that the part has, whatever the order of what it leaves
  // open: edge i ends where edge i + 1 starts, the last one where edge 0
  // starts. None if there is only the argument.
  uint32_t nedges;
  struct edge *edges;
  // By one read: the reading operation and the other one that shows why: the
  // write that it saw, the own write that it should have seen, or the other
  // read of two that differ.  SAW_THIN_AIR if nobody wrote what it saw; op
  // itself if it shows an element twice.
  uint32_t op, other_op;
  // Unless by one read: why no order of the part's transactions keeps the
  // level.  It is about the ids of the history or, if there is one, of
  // rows_part; without a step of it all orders of that part were tried, or all
  // its cases refuted.
  struct argument argument;

  // Where values were written more than once, in the order of places.  PASS:
  // what all reads of such values are taken to have seen.  VIOLATION: what
  // those in the part are; what it says of the part holds then.  `ways` says of
  // the whole history that the level is broken whatever they saw; it is empty
  // if the reads in the part can have seen nothing else.
  uint32_t nassumed_reads;
  struct assumed_read *assumed_reads;
  struct argument ways;

  char why[256]; // UNDECIDED: one sentence

  // VIOLATION, if check_options asked for it: how often each anomaly that
  // breaks the level was found, and further violations by a read or a cycle,
  // the smallest ones of each anomaly, each proved like the first.  Empty
  // otherwise.
  uint32_t found[ANOMALY_COUNT];
  bool found_more; // the search was cut short: there may be more
  // Operations that counted violations rest on, by their numbers; of some
  // that `found` counts nothing is noted.
  uint32_t ncounted;
  struct counted_op *counted;
  uint32_t nothers;
  struct verdict *others;
};

// Is a violation told by neither a cycle nor a wrong read, but by its argument
// alone?
static inline bool verdict_by_argument(const struct verdict *verdict) {
  return verdict->kind == VERDICT_VIOLATION && !verdict->nedges &&
         verdict->op == UINT32_MAX;
}

// How far a search among the orders of versions has come.  A run of versions of
// a key that are known to follow each other is placed when nothing contradicts
// its place among the others.
struct check_progress {
  uint32_t runs, open; // all, and those still to be placed; no runs: no search
  uint64_t pairs;      // of runs that had to be put in order
  uint64_t conflicts;  // met in doing so
};

// A phrase about it, "" if there was no search, into a buffer of that size.
enum { CHECK_PROGRESS_TEXT = 160 };
void check_progress_text(const struct check_progress *progress, char *text);

struct check_options {
  struct question question;
  bool passes_only; // is it asked for a PASS alone?  What breaks the level is
                    // then left undecided, and not explained
  bool whole_rows;  // has a part of a violation all versions of its rows?  Who
                   // asks what holds whatever some transactions read needs that
  uint32_t max_examples; // of a violation: counterexamples of each anomaly to
                         // keep, the first one included; 0: stop at the first
  // Is what breaks no level as weak as the one that is asked about counted,
  // too?
  bool count_stronger;
  volatile const bool *stop;       // may be NULL; true: give up, undecided
  struct check_progress *progress; // may be NULL; kept up to date, so that it
                                   // is known also of a check that was left
};

// Checks and proves: the witness of a PASS has been executed and the evidence
// of a VIOLATION confirmed by separate code before this returns 0.  Returns -1
// with a sentence if a verdict failed its own proof, which is a bug.
int check(const struct history *history, const struct check_options *options,
          struct verdict *verdict, struct error *error);

// Makes a violation of a part of a history, of so many operations, one of the
// whole: `ops` and `txns` are the ids there.
void verdict_rename(struct verdict *violation, uint32_t nops,
                    const uint32_t *ops, const uint32_t *txns);
// As verdict_rename, of a part of so many transactions of a whole of so many.
void argument_rename(struct argument *argument, uint32_t nops,
                     const uint32_t *ops, uint32_t ntxns, const uint32_t *txns,
                     uint32_t ntxns_of_whole);
void verdict_free(struct verdict *verdict);

// A verdict on the question, undecided: nothing is known yet.
struct verdict verdict_open(const struct question *question);
void argument_free(struct argument *argument);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of engine.c: rows that statements did not return as open reads
// (checker/solver/version_order.h).
//
// At PC and above, and for a statement below that stands at a place of the
// commit order, an open read sees one of the runs of versions that follow each
// other and that the statement may have found: only what comes before the first
// and after the last of them matters.  A statement below PC that stands at no
// such place may have found any single version, as far as the axioms of RC and
// RA (dbcop, section 2) have what is visible to it come before.
#ifndef CHECKER_ROWS_OPEN_ROWS_H
#define CHECKER_ROWS_OPEN_ROWS_H

#include "checker/model/model.h"
#include "checker/rows/current_rows.h"
#include "checker/rows/places.h"
#include "checker/solver/events.h"

struct chain_end {
  uint32_t version, chain;
};

struct engine_of_rows {
  const struct history *h;                     // with rows
  bool by_items, plain_reads, rc_sees_session; // as in struct question
  struct model m;                              // of the registers
  struct problem p;
  bool chains_up; // a version may be known to follow another at once
  // The chains that are open, by the versions that end them.
  struct chain_end *chain_ends;
  uint32_t *final_first, *final_op; // by key: its versions that count
  struct current_rows current;
  // Executing: per key, the last statement that had an operation on it and the
  // last transaction, + 1, that had written it before.
  uint32_t *came_in, *wrote;

  // Below PC: statements that have an event of their own, ascending (of a
  // transaction at RA its first one stands for all); the transactions whose
  // statements found what they are taken to have found, and else the last
  // version that is visible, instead of standing at one place; and whether the
  // reads of two such statements exclude each other.
  struct ids events;
  uint8_t *is_explicit;
  uint32_t ndemoted; // times that some became explicit
  struct edge_of_two *both;
  uint32_t nboth, both_room;
  struct node_edge *edges; // of writers
  uint32_t nedges, edges_room;

  struct blocked_row *unseen; // per open read
  struct open_read *reads;
  uint32_t nreads, unseen_room, reads_room;
  struct open_writer *writers;
  uint32_t nwriters, writers_room;
  bool impossible; // some open read has no candidate
};

void open_rows_list_chains(struct engine_of_rows *e);
void open_rows_list_finals(struct engine_of_rows *e);

// Makes a row an open read of its transaction: at PC and above, or below at a
// place.
void open_rows_add(struct engine_of_rows *e, struct blocked_row row);

// Makes a row that did not come back an open read of a transaction that stands
// at no place.
void open_rows_add_explicit(struct engine_of_rows *e, struct unseen unseen,
                            uint32_t txn);

// The open reads of the transactions that stand at a place below PC and are
// marked are no more.
void open_rows_drop(struct engine_of_rows *e, const uint8_t *marked);

// The transaction of a statement.
uint32_t open_rows_txn(const struct engine_of_rows *e, uint32_t statement);

// The node of the event at which the statement's transaction, or below PC the
// statement, reads.
uint32_t open_rows_event(const struct engine_of_rows *e, uint32_t statement,
                         uint32_t txn);

// The version that a writer of an open read stands for, if it is one of a
// transaction that stands at no place.
uint32_t open_rows_version(const struct engine_of_rows *e, uint32_t writer);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Decides the order of version chains where a history leaves it open.  A chain
// is a run of versions of one key that are known to follow each other; of two
// chains of a key one comes wholly before the other.  Guided by an order of the
// events: only pairs that the order contradicts become choices, and a choice
// that turns out wrong is taken back without starting over (conflict-driven
// clause learning over the acyclicity of the event graph).
#ifndef CHECKER_SOLVER_VERSION_ORDER_H
#define CHECKER_SOLVER_VERSION_ORDER_H

#include "checker/graph/toporder.h"
#include "checker/verdict/verdict.h"

#include <stdbool.h>
#include <stdint.h>

// Versions that follow each other; the chain that starts with the initial
// version is not among them: the graph has it before all others.  Events are
// nodes of the graph.  One chain comes before another if
//   its `ww_from` comes before the other's `ww_to`, and
//   all its readers come before the other's `rw_to`.
struct version_chain {
  uint32_t ww_to, rw_to; // of the writer of the first version; ww_to comes
                         // before rw_to, or is the same event
  uint32_t ww_from;      // of the writer of the last one
  uint32_t first_reader, end_reader; // in `readers`: who read the last version
};

// A read that saw one of several versions of its key: which one is a choice,
// too.  All that wrote the key otherwise do so before that version, or after
// the reader.
struct open_read {
  bool decides;   // what it sees is decided, even if the order has it already
  uint32_t event; // of the reader: its snapshot
  uint32_t own;   // chain that its transaction starts, or UINT32_MAX
  uint32_t key;   // of those chains
  uint32_t first, end; // in `writers`
};
struct open_writer {
  uint32_t read;   // its index
  uint32_t commit; // event; UINT32_MAX: nobody wrote it
  uint32_t before; // the reader is before this node, too; or UINT32_MAX
  uint32_t chain;  // that the version is the last one of, or UINT32_MAX
  bool bottom;     // it comes before all chains of the key
  bool nothing;    // the last one: the read was not made
  uint32_t first_read, end_read; // if it was seen these reads were made
  uint32_t first_edge, end_edge; // if it was seen these edges hold
  uint32_t version;              // of no matter here
};

struct node_edge {
  uint32_t from, to; // nodes
};

// An edge that holds if two writers are both seen, of reads that decide.
struct edge_of_two {
  uint32_t first, other; // in `writers`
  struct node_edge edge;
};

struct choice_problem {
  const struct static_graph *graph; // of the known edges; acyclic
  const uint32_t *guess;            // a topological order of it
  uint32_t nkeys;
  const uint32_t *key_first; // nkeys + 1: chains of each key
  const struct version_chain *chains;
  const uint32_t *readers; // events
  uint32_t nreads;
  const struct open_read *reads;
  const struct open_writer *writers;
  const struct node_edge *edges; // of writers
  uint32_t nboth;
  const struct edge_of_two *both;
  uint64_t effort; // conflicts and nodes visited until it gives up; 0: any
  volatile const bool *stop;       // may be NULL; true: give up
  struct check_progress *progress; // may be NULL
};

enum choice_answer { CHOICES_ORDERED, CHOICES_IMPOSSIBLE, CHOICES_STOPPED };

struct choice_result {
  uint32_t *node_at; // CHOICES_ORDERED: an order of the nodes that keeps all
  uint32_t *seen;    // CHOICES_ORDERED: per open read the index of its writer
  uint32_t *core;    // CHOICES_IMPOSSIBLE: the nodes of all cycles that the
  uint32_t ncore;    // refutation rests on, and the chains whose order it was
  uint32_t *core_chains, ncore_chains; // about; each once
  uint32_t *core_reads, ncore_reads;   // likewise the open reads
  uint64_t work;                       // nodes visited
};

// Orders the chains of each key and gives each open read its writer, so that
// the graph stays acyclic.  The problem's arrays stay the caller's.  Fills
// *result, also for CHOICES_STOPPED, where effort or patience ended; free it
// with choice_result_free.
enum choice_answer choices_solve(const struct choice_problem *problem,
                                 struct choice_result *result);
void choice_result_free(struct choice_result *result);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as steps to type at a terminal for each session, in the own
// commands of a database: a table of shells.
#ifndef REPORT_HANDS_H
#define REPORT_HANDS_H

#include "report/example.h"

enum { HANDS_MOST_TERMINALS = 4, HANDS_MOST_TXNS = 12 };

enum hand_step {
  HAND_BEGIN,
  HAND_READ,
  HAND_WRITE,
  HAND_APPEND,
  HAND_READ_LIST,
  HAND_COMMIT,
  HAND_ROLLBACK,
  HAND_STEPS
};

struct hands_shell {
  const char *driver; // name or alias: what a target begins with
  const char *name;   // of the program to type into
  // %k: the number of a row; %v: a value; %l: the level; %h: the option that
  // names the host; %c: the one that a read needs at the level.  NULL: nothing
  // is typed.
  const char *setup, *list_setup;     // before all
  const char *preload, *list_preload; // of each row: 0, or an empty list
  const char *end;                    // after all
  const char *read_first;             // before a read, at the level "watch"
  const char *before_queue;           // before what is queued
  // At the commit, a transaction may compare what it read: how it reads, the
  // comparison of each key, and a note on them.
  const char *compared_read, *compare, *note;
  const char *lone_write; // instead of a commit of one write without reads
  const char *step[HAND_STEPS];
  bool queues;       // writes are typed at the commit
  const char *guard; // the level at which a commit without writes is typed
  const char *weak, *weak_option; // a level, and what %c is at it
  const char *host_option;        // what %h is before the host
};

// NULL: isostress knows no shell.
const struct hands_shell *hands_shell(const char *target);

// A step of a terminal, counted from 0.
struct hand {
  enum hand_step step;
  uint32_t txn, op; // of the example; op EXAMPLE_NONE: begin and end
  uint32_t terminal;
};

struct hands {
  struct hand *steps; // in the order of the run
  uint32_t nsteps;
  uint32_t sessions[HANDS_MOST_TERMINALS]; // of the terminals
  uint32_t nterminals;
  const char **keys; // of the rows, from row 1 on
  uint32_t nkeys;
  bool lists;
  bool guessed;  // places of statements within a transaction are not known
  bool overlaps; // some statements were under way at the same time
};

// Orders the steps.  False: they are too many for hands, or of another kind.
// Free in both cases.
bool hands_of(struct hands *hands, const struct example *example);
// Orders them to be looked at, whatever they are: reads stand for all.
bool hands_order(struct hands *hands, const struct example *example);
void hands_free(struct hands *hands);

// The number of a row, from 1.
uint32_t hands_row(const struct hands *hands, const char *key);
// The number that stands for a value such as "x3", "x3a" or "x0" in the label
// of an operation; -1: for none, as of a value that nobody shown wrote.
int hands_value(const char *label);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the steps of a script on a live database: a session is a thread with a
// connection of its own, so that one that waits for another is seen to block.
#ifndef STEPS_PERFORM_H
#define STEPS_PERFORM_H

#include "drivers/endpoints.h"
#include "steps/script.h"

// How long what was expected to end may take; databases' own lock time-outs are
// below.
#define STUCK_AFTER (120 * NS_PER_SECOND)

// The state of a step.
enum step_state {
  STEP_DONE,    // it was answered: see outcome
  STEP_SKIPPED, // its transaction had ended before
  STEP_STUCK,   // it never came back
};

struct step_result {
  enum step_state state;
  bool blocked;         // it waited for another session
  bool by_time;         // which is taken from the time alone, for the database
                        // did not say
  bool freed;           // it came back only when the script was over and the
                        // other sessions had been rolled back
  enum outcome outcome; // if it was done
  enum cause cause;     // if that is not OK; likewise the next two
  char code[32];
  char text[232];
  uint64_t value;         // written; read by STEP_READ; found by STEP_CAS;
                          // STEP_ROWS: the stamp of what it writes
  bool took_place;        // STEP_CAS: the comparison held
  struct value_list list; // STEP_READ of a list
  char *rows; // of statements: rows apart by blanks, columns by commas; or NULL
  struct row_list touched; // STEP_ROWS: the rows, ascending by their keys
  uint64_t begin, end;     // of clock_now
  uint8_t host;            // STEP_BEGIN: where the session was, if there are
                           // several; else HISTORY_NO_ENDPOINT
};

struct history;

struct stage_options {
  const char *target;
  const struct driver *loaded; // see target_open; may be NULL
  const char *const *extra;    // likewise
  const char *level;           // of transactions that do not say theirs; NULL:
                               // the database's default
  uint32_t repetitions;        // at most so many performances
  bool empty;                  // no key is there at first
  uint64_t blocked_after;      // ns without an answer
  uint64_t seed;
  // For STEP_NODE: does `action` to a node of the server, from 0.  -1 with a
  // sentence.  NULL: whose nodes they are is not known.
  int (*act_on_node)(void *server, uint32_t node, const char *action,
                     struct error *error);
  void *server;
};

// A script, a target and a connection for each session.
struct stage;

// Opens the target, on which every key of every repetition is new; tables of
// rows are new ones, and are as the script says for one performance.  -1 with a
// sentence.  `script` and the options' texts must live as long as the stage.
int stage_open(const struct script *script, const struct stage_options *options,
               struct stage **stage, struct error *error);
void stage_close(struct stage *stage);

const struct driver *stage_driver(const struct stage *stage);
// The level that a `begin` without one stands for.
const struct driver_level *stage_level(const struct stage *stage);
// The level that stage_level promises on the hosts.
enum isolation stage_claim(const struct stage *stage);
// One line about the server; `text` has `room` bytes.
void stage_describe(const struct stage *stage, char *text, size_t room);

// Takes all steps once and fills one result for each; free with
// step_results_free.  What the database does is in the results; -1 with a
// sentence if the setup or an upkeep of the servers fails, a connection cannot
// be replaced, or a step is STUCK, after which the stage can only be closed.
int stage_perform(struct stage *stage, uint32_t repetition,
                  struct step_result *results, struct error *error);

// Makes the history of what a script in SQL did (script->schema); called once
// after each performance.  -1 with a sentence.
int stage_history(struct stage *stage, struct history *history,
                  struct error *error);

void step_results_free(struct step_result *results, uint32_t nsteps);

#endif

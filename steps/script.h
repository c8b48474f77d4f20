// SPDX-License-Identifier: GPL-3.0-or-later
// A step script (STEPS.md): sessions that take steps in a given order, and what
// each step is expected to do.
#ifndef STEPS_SCRIPT_H
#define STEPS_SCRIPT_H

#include "base/error.h"
#include "base/memory.h"
#include "sql/tables.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum step_kind {
  STEP_BEGIN,
  STEP_READ,
  STEP_WRITE,
  STEP_APPEND,
  STEP_CAS,
  STEP_ROWS, // a statement on the rows of a table, which is in the history
  STEP_SQL,
  STEP_COMMAND, // like STEP_SQL, in the language of a database without SQL
  STEP_ADMIN,   // likewise, outside of any transaction and of the history
  STEP_AT,      // from now on the session speaks to another host
  STEP_AWAITS,  // a key holds a value, as the session's host has it
  STEP_NODE,    // something is done to a node of the server
  STEP_COMMIT,
  STEP_ROLLBACK,
  STEP_RESUMES, // no action: the session's blocked step comes back
};

// Is it a statement of the database's own?
static inline bool step_is_statement(enum step_kind kind) {
  return kind == STEP_SQL || kind == STEP_COMMAND || kind == STEP_ADMIN;
}

// Is it about the servers rather than the data?  Nothing is expected of such a
// step but that it takes effect, however long that takes.
static inline bool step_is_upkeep(enum step_kind kind) {
  return kind >= STEP_ADMIN && kind <= STEP_NODE;
}

enum expected {
  EXPECTED_OK,     // it took effect, whatever it read
  EXPECTED_BLOCKS, // it waits for another session
  EXPECTED_ABORTS, // with the database's code `text`; NULL: with any
  EXPECTED_VALUE,  // it read values[0]
  EXPECTED_LIST,   // it read values[0] to values[nvalues - 1]
  EXPECTED_ROWS,   // a statement returned the rows `text`
};

// One alternative behind `=>`.
struct expectation {
  enum expected kind;
  bool seen; // it is what the anomaly looks like
  const char *text;
  const uint32_t *values; // in script->values
  uint32_t nvalues;
};

// In script->values: what every register holds at first.
enum { SCRIPT_INITIAL = 0, SCRIPT_NO_VALUE = UINT32_MAX };

struct step {
  enum step_kind kind;
  unsigned line;
  uint32_t session; // in script->sessions
  uint32_t key;     // in script->keys; reads, writes, appends, CAS
  uint32_t resumed; // STEP_RESUMES: the step that comes back, in script->steps
  uint32_t value;   // written, in script->values
  uint32_t
      expects;   // STEP_CAS, STEP_AWAITS: the value that it expects, likewise
  uint32_t host; // STEP_AT, STEP_NODE: its number, from 0
  const char *words; // of a statement on a table that became SQL: as the script
                     // has it; else NULL
  const char *text;  // of step_is_statement(); STEP_BEGIN: the level, or NULL;
                     // STEP_NODE: what is done
  uint8_t modes;     // STEP_BEGIN: set of 1 << enum shell_mode
  const struct statement *statement; // STEP_ROWS: on script->tables
  uint32_t recorded; // STEP_ROWS of a history: the statement's number there
  // STEP_ROWS of the user's own script: what to type instead, what that returns
  // (NULL: nothing), and where it stands: "sell.pgbench:3"; or all NULL.
  const char *typed, *shows, *place;
  const struct expectation *expectations; // none: whatever it does is right
  uint32_t nexpectations;
};

// A table as the user's own schema has it.
struct table_words {
  const char *columns; // "(sku int PRIMARY KEY, n int NOT NULL)"
  const char *key;     // "sku"
};

// A value is a word that stands for a number; it belongs to the key that it is
// written to, at most once.
struct script_value {
  const char *name;
  uint32_t key;
  uint32_t step; // that writes it
};

struct script {
  struct arena arena; // of all texts and arrays
  const char *path;
  const char *title;            // the first comment; "" if there is none
  bool lists;                   // the keys hold lists
  bool uses_sql, uses_commands; // so that no history can be made of it
  bool marks_seen; // some expectation is what the anomaly looks like
  const char **sessions, **keys, **setup; // names; SQL statements
  uint32_t nsessions, nkeys, nsetup;
  // Tables of rows, instead of keys, with the rows that are there at first; and
  // the conditions of the statements on them, without parameters.
  struct table_spec *tables;
  struct template_spec *templates;
  uint32_t ntables, ntemplates;
  // Tables in the database's own SQL, of scripts with what rows of numbers
  // cannot express (steps/written.h): every STEP_SQL is then executed by the
  // instrument, and is in the history.  NULL: there are none.
  const char *schema;
  const struct table_words *table_words; // of each; NULL: they have none
  struct script_value *values;           // values[SCRIPT_INITIAL] is "initial"
  uint32_t nvalues;
  struct step *steps;
  uint32_t nsteps;
  const char *damage; // what the tables show after the steps, in words; or NULL
};

// Is each performance to begin with new tables?
static inline bool script_has_tables(const struct script *script) {
  return script->ntables || script->schema;
}

// Reads a script from a file.  -1 with a sentence that names file and line.
// Free in both cases.
int script_read(const char *path, struct script *script, struct error *error);
void script_free(struct script *script);

// The line of a table as it could be typed, without the end of the line.
void script_put_table(FILE *out, const struct table_spec *table);

// The step as it could be typed, without its expectations.
void script_put_step(FILE *out, const struct script *script,
                     const struct step *step);
// Returns this text, which the caller frees.
char *script_step_text(const struct script *script, const struct step *step);

#endif

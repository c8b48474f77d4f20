// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own scripts as they are: files of SQL transactions, with pgbench's
// commands between their statements.  Statements stay texts: the database reads
// them.
#ifndef OWN_SCRIPT_H
#define OWN_SCRIPT_H

#include "base/error.h"
#include "sql/outline.h"

#include <stdbool.h>
#include <stdint.h>

enum raw_step_kind {
  RAW_SET,       // the variable `name` to `text`
  RAW_UNLESS,    // goes to `target` if `text` is not true
  RAW_GO,        // to `target`
  RAW_SLEEP,     // for `text` microseconds
  RAW_BEGIN,     // of a transaction
  RAW_STATEMENT, // and what \gset keeps of it
  RAW_SAVEPOINT, // these three are sent, too; `name` is theirs
  RAW_RELEASE,
  RAW_ROLLBACK_TO,
  RAW_COMMIT,
  RAW_ROLLBACK,
};

struct raw_step {
  enum raw_step_kind kind;
  uint32_t line; // from 1
  uint32_t target;
  uint32_t place;     // of a RAW_STATEMENT: its number in raw_scripts.places
  char *text, *name;  // owned; or NULL
  char *kept;         // the prefix that \gset gives its variables; NULL: none
  enum sql_verb verb; // of a statement
  bool reads;         // it is a SELECT without FOR UPDATE
};

struct raw_script {
  char *path, *name; // "dir/pay.sql", and "pay" for figures
  bool program;      // it makes its statements itself (own/program.h)
  double share;
  struct raw_step *steps;
  uint32_t nsteps, room;
};

// A statement of the scripts, for telling.
struct raw_place {
  char *at;          // "pay.sql:6", or of a program "app.py:\"UPDATE...\""
  char *text;        // on one line
  bool changes_rows; // an INSERT, UPDATE, DELETE or MERGE
  bool only_inserts; // an INSERT of values that meets no row
  bool calculates;   // SET n = n + 1 (sql/calculates.h)
};

struct raw_scripts {
  struct raw_script *scripts;
  uint32_t nscripts, scripts_room;
  struct raw_place *places;
  uint32_t nplaces, places_room;
  char *schema_path, *schema;        // the text of the file
  const struct sql_dialect *dialect; // of all of them
};

// Reads a schema and a list "FILE@SHARE,FILE" of at most `most` scripts; NULL
// with a sentence, whose usage is set.  Nothing is asked of the database.
struct raw_scripts *raw_scripts_read(const char *schema, const char *list,
                                     uint32_t most,
                                     const struct sql_dialect *dialect,
                                     struct error *error);

// A statement of a program, without its numbers and texts; for a place.
struct raw_place raw_place_of_program(const struct raw_script *script,
                                      const struct sql_tokens *tokens,
                                      enum sql_verb verb);
void raw_scripts_free(struct raw_scripts *scripts);

#endif

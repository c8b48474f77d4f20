// SPDX-License-Identifier: GPL-3.0-or-later
// The outline of a statement in the user's own SQL: as much of its outermost
// level as tokens say.  An outline need not be right, only careful: the
// database is asked whether it would execute what an instrument makes of it,
// and which tables the added columns come from.
#ifndef SQL_OUTLINE_H
#define SQL_OUTLINE_H

#include "sql/tokens.h"

enum sql_verb {
  SQL_VERB_SELECT,
  SQL_VERB_INSERT,
  SQL_VERB_UPDATE,
  SQL_VERB_DELETE,
  SQL_VERB_OTHER, // executed as it is
  SQL_VERB_BEGIN,
  SQL_VERB_COMMIT,
  SQL_VERB_ROLLBACK,
  SQL_VERB_SAVEPOINT,
  SQL_VERB_ROLLBACK_TO,
  SQL_VERB_RELEASE,
  SQL_VERB_REFUSED, // `why` says so
};

struct sql_place { // of a part of the text
  uint32_t begin, end;
};

struct sql_table_reference {
  struct sql_place name;  // without the schema, with its quotes if it has any
  struct sql_place alias; // what columns of it are called by; maybe the name
};

enum { SQL_REFERENCES_MOST = 16 };

struct sql_outline {
  enum sql_verb verb;
  // REFUSED: why the statement cannot be executed in a run.  SELECT and OTHER:
  // why the rows that it reads are not known, NULL where they may be.  A
  // constant text that goes on "judged by nothing: ...".
  const char *why;
  bool locks; // SELECT ... FOR UPDATE and its like
  // SELECT: where columns may be added at the end of its list, and the tables
  // of its FROM.
  uint32_t at;
  struct sql_table_reference tables[SQL_REFERENCES_MOST];
  uint32_t ntables;
  // SELECT, UPDATE and DELETE: all rows of the first table that satisfy `where`
  // come back or are changed, and no other.  No WHERE: `where` is empty.
  bool whole;
  struct sql_place where; // behind the word
  struct sql_place name;  // of SAVEPOINT, ROLLBACK TO and RELEASE
};

// The statement has no semicolon.
void sql_outline_read(struct sql_outline *outline,
                      const struct sql_tokens *tokens);

#endif

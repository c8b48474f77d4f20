// SPDX-License-Identifier: GPL-3.0-or-later
// Notes statements (own/noting.h).
#include "config.h"

#include "own/noting.h"

#include "base/memory.h"

// Did the statement come to all rows that satisfy its condition?
static bool comes_to_all(const struct raw_run *run,
                         const struct raw_doing *doing,
                         const struct instrument_answer *answer) {
  const struct sql_outline *o = doing->outline;
  const struct instrument_way *way = doing->way;
  return doing->succeeded && !answer->undone && o->whole &&
         (o->verb != SQL_VERB_SELECT || way->adds) && way->ntables == 1 &&
         !answer->cut && !run->tables.all[way->tables[0].table].hides;
}

void raw_note(struct raw_run *run, const struct raw_doing *doing,
              struct instrument_answer *answer) {
  const struct sql_outline *o = doing->outline;
  struct raw_log *log = &run->logs[doing->session];
  raw_log_statement(log, doing->place, o->locks || o->verb == SQL_VERB_UPDATE,
                    &doing->times, answer);
  struct raw_statement *statement = &log->statements[log->nstatements - 1];
  statement->takes_back =
      o->verb == SQL_VERB_OTHER && raw_text_takes_back(doing->text);
  if (!comes_to_all(run, doing, answer))
    return;
  statement->where = xasprintf("%.*s", (int)(o->where.end - o->where.begin),
                               doing->text + o->where.begin);
  statement->table = doing->way->tables[0].table;
  statement->verb = o->verb;
  statement->affected = answer->affected;
}

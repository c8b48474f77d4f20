// SPDX-License-Identifier: GPL-3.0-or-later
// The words for sorts of statements (sql/statement.h).
#include "config.h"

#include "sql/statement.h"

#include <assert.h>

const char *statement_word(enum statement_sort sort) {
  static const char *const words[] = {
      [STATEMENT_SELECT] = "sel",     [STATEMENT_LOCKING_SELECT] = "selu",
      [STATEMENT_INSERT] = "ins",     [STATEMENT_UPSERT] = "ups",
      [STATEMENT_UPDATE] = "upd",     [STATEMENT_DELETE] = "del",
      [STATEMENT_INSERT_NEW] = "new", [STATEMENT_ADD] = "add",
  };
  assert((unsigned)sort < STATEMENT_COUNT);
  return words[sort];
}

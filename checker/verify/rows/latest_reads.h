// SPDX-License-Identifier: GPL-3.0-or-later
// Checks what is left of reads under --reads=plain: a statement that is not a
// plain SELECT read what was committed last, so that the writers of what it
// found commit before its own transaction.
#ifndef CHECKER_VERIFY_ROWS_LATEST_READS_H
#define CHECKER_VERIFY_ROWS_LATEST_READS_H

#include "checker/verify/verify.h"

// Is the statement one that read what was committed last?
static inline bool reads_latest(const struct check_options *options,
                                const struct recorded_statement *statement) {
  return options->question.plain_reads &&
         statement_may_read_latest((enum statement_sort)statement->sort);
}

// VERIFIED if all such statements of the transactions that count found what
// they can find: last writes of transactions that come earlier in the order, or
// their own; and if they returned their own rows.  Nothing else is checked.
enum verified verify_latest_reads(const struct history *history,
                                  const uint8_t *counted,
                                  const struct check_options *options,
                                  const uint32_t *order, uint32_t norder,
                                  struct error *error);

#endif

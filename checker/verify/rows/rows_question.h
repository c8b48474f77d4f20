// SPDX-License-Identifier: GPL-3.0-or-later
// The question that the referee gets about a history with rows, so that it
// decides what the checker was asked.
#ifndef CHECKER_VERIFY_ROWS_ROWS_QUESTION_H
#define CHECKER_VERIFY_ROWS_ROWS_QUESTION_H

#include "checker/verify/referee_question.h"
#include "checker/verify/rows/referee_rows.h"

static inline struct referee_rows_options
question_about_rows(const struct history *part,
                    const struct check_options *options) {
  return (struct referee_rows_options){
      .all = question_about(part, options),
      .rc_sees_session = options->question.rc_sees_session,
      .by_items = options->question.by_items,
      .plain_reads = options->question.plain_reads};
}

#endif

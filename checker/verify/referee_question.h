// SPDX-License-Identifier: GPL-3.0-or-later
// The question that the referee gets about a part of a history, so that it
// decides what the checker was asked.
#ifndef CHECKER_VERIFY_REFEREE_QUESTION_H
#define CHECKER_VERIFY_REFEREE_QUESTION_H

#include "checker/verdict/verdict.h"
#include "checker/verify/referee_rows.h"

static inline struct referee_options
question_about(const struct history *part,
               const struct check_options *options) {
  return (struct referee_options){
      .level = options->question.level,
      .levels = options->question.recorded ? part->level : NULL,
      .session_order = options->question.session_order,
      .real_time = options->question.real_time,
      .stop = options->stop};
}

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

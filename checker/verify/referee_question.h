// SPDX-License-Identifier: GPL-3.0-or-later
// The question that the referee gets about a part of a history, so that it
// decides what the checker was asked.
#ifndef CHECKER_VERIFY_REFEREE_QUESTION_H
#define CHECKER_VERIFY_REFEREE_QUESTION_H

#include "checker/verdict/verdict.h"
#include "checker/verify/referee.h"

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

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Refutes small histories with rows (checker/rows/rows_refute.h).
#include "config.h"

#include "checker/rows/rows_refute.h"

#include "checker/argue/argue.h"
#include "checker/part/row_registers.h"
#include "checker/verify/rows/rows_question.h"

// The order of so many transactions fits into a matrix that is quick to keep.
enum { ARGUED_TXNS = 1024 };

bool rows_argue(struct argument *argument, const struct history *h,
                const struct check_options *options) {
  *argument = (struct argument){0};
  if (h->ntxns > ARGUED_TXNS)
    return false;
  struct history registers = rows_registers(h, options->question.plain_reads);
  const enum argue_answer answer =
      argue_of_rows(argument, &registers, h, options);
  rows_as_registers_free(&registers);
  return answer == ARGUE_FOUND;
}

enum referee_answer rows_refute(const struct history *h,
                                const struct check_options *options,
                                uint64_t work) {
  const struct referee_rows_options question = question_about_rows(h, options);
  struct rows_cases cases = {.work = work};
  struct argument argument;
  uint32_t norder;
  const enum referee_answer answer =
      referee_rows_decide(h, &question, NULL, &norder);
  if (answer != REFEREE_TOO_LARGE)
    return answer;
  if (!rows_argue(&argument, h, options))
    return rows_cases_decide(h, &question, &cases);
  argument_free(&argument);
  return REFEREE_BROKEN;
}

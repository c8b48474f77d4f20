// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a history with rows as a proof (checker/rows/verify_part.h).
#include "config.h"

#include "checker/rows/verify_part.h"

#include "checker/rows/rows_cases.h"
#include "checker/verify/rows/rows_part.h"
#include "checker/verify/rows/rows_question.h"

static int refute_part(const struct history *part,
                       const struct check_options *options, uint32_t *ncases,
                       struct error *error) {
  const struct referee_rows_options question =
      question_about_rows(part, options);
  struct rows_cases cases = {.work = 16 * (uint64_t)ROWS_CASES_WORK};
  const enum referee_answer answer = rows_small_decide(part, &question, &cases);
  *ncases = cases.ncases;
  return answer == REFEREE_BROKEN
             ? 0
             : error_set(error, "the part that was found does not break %s",
                         isolation_title(options->question.level));
}

enum verified verify_rows_part(const struct history *h, const uint8_t *counted,
                               const struct history *part,
                               const uint32_t *txn_of,
                               const uint32_t *statement_of,
                               const struct check_options *options,
                               uint32_t *ncases, struct error *error) {
  int result =
      compare_rows_part(h, counted, part, txn_of, statement_of, options, error);
  result = result ? result : refute_part(part, options, ncases, error);
  return result ? VERIFY_REFUSED : VERIFIED;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a history with rows as a proof (checker/rows/verify_part.h).
#include "config.h"

#include "checker/rows/verify_part.h"

#include "checker/part/row_registers.h"
#include "checker/rows/rows_cases.h"
#include "checker/verify/rows/argument_rows.h"
#include "checker/verify/rows/rows_part.h"
#include "checker/verify/rows/rows_question.h"

static int deny(const struct check_options *options, struct error *error) {
  return error_set(error, "the part that was found does not break %s",
                   isolation_title(options->question.level));
}

// By all orders or, without an argument, by cases.
static int refute_part(const struct history *part,
                       const struct check_options *options, bool is_argued,
                       uint32_t *ncases, struct error *error) {
  const struct referee_rows_options question =
      question_about_rows(part, options);
  struct rows_cases cases = {.work = 16 * (uint64_t)ROWS_CASES_WORK};
  uint32_t norder;
  *ncases = 0;
  if (is_argued)
    return referee_rows_decide(part, &question, NULL, &norder) == REFEREE_KEPT
               ? deny(options, error)
               : 0;
  const enum referee_answer answer = rows_small_decide(part, &question, &cases);
  *ncases = cases.ncases;
  return answer == REFEREE_BROKEN ? 0 : deny(options, error);
}

static enum verified verify_argument_of_part(const struct history *part,
                                             const struct check_options *asked,
                                             const struct argument *argument,
                                             struct error *error) {
  struct history registers = rows_registers(part, asked->question.plain_reads);
  const enum verified result =
      verify_rows_argument(part, &registers, asked, argument, error);
  rows_as_registers_free(&registers);
  return result;
}

enum verified verify_rows_part(const struct history *h, const uint8_t *counted,
                               const struct history *part,
                               const uint32_t *txn_of,
                               const uint32_t *statement_of,
                               const struct argument *argument,
                               const struct check_options *options,
                               uint32_t *ncases, struct error *error) {
  const bool is_argued = argument && argument->nsteps;
  if (compare_rows_part(h, counted, part, txn_of, statement_of, options,
                        error) ||
      refute_part(part, options, is_argued, ncases, error))
    return VERIFY_REFUSED;
  return is_argued ? verify_argument_of_part(part, options, argument, error)
                   : VERIFIED;
}

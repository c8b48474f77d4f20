// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a performance of a step script: whether every step did what was
// expected, whether the anomaly was seen, and the history that the sessions
// saw.
#ifndef STEPS_JUDGE_H
#define STEPS_JUDGE_H

#include "recorder/history.h"
#include "steps/perform.h"

// Is what the step did among what was expected?  A step that blocked must have
// been expected to; what it did later is for `resumes`.  A skipped step is as
// expected: that its transaction aborted was judged before.
bool step_is_expected(const struct script *script, uint32_t step,
                      uint32_t repetition, const struct step_result *result);

// How a script that marks what an anomaly looks like came out.
enum judgement {
  JUDGED_NONE,      // the script marks nothing
  JUDGED_SEEN,      // every step did what is marked, or else expected
  JUDGED_ABORTED,   // not seen, and some step aborted
  JUDGED_BLOCKED,   // not seen, and some step had to wait
  JUDGED_PREVENTED, // not seen, without either
};
// `*by` is the first step that aborted or blocked, if that is the answer.
enum judgement script_judge(const struct script *script, uint32_t repetition,
                            const struct step_result *results, uint32_t *by);

// Makes a history of a performance.  -1 with a sentence, as builder_finish; the
// script uses no SQL.
int script_history(const struct script *script, uint32_t repetition,
                   const struct step_result *results, enum isolation level,
                   struct history *history, struct error *error);

// Writes the result of a step in the words of a script: "ok", "blocks", "aborts
// 40001", "x1", "[a b]".
void step_result_put(FILE *out, const struct script *script, uint32_t step,
                     uint32_t repetition, const struct step_result *result);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for a second opinion (cli/jobs/opinion.h).
#include "config.h"

#include "cli/jobs/opinion.h"

#include "checker/rows/sobound.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/rows_question.h"

#include <assert.h>
#include <stdio.h>

const char *opinion_method_name(enum method method) {
  static const char *const names[] = {
      [METHOD_SOBOUND] = "sobound", [METHOD_NAIVE] = "naive"};
  assert(method != METHOD_ENGINE);
  return names[method];
}

static uint32_t count_txns_of_opinion(const struct history *h) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += h->outcome[t] != OUTCOME_ABORTED;
  return n;
}

// Can the method speak of the history at all?  If not, `why` says so.
static bool can_answer(const struct history *h,
                       const struct check_options *options,
                       const struct referee_rows_options *question,
                       enum method method, struct error *why) {
  if (!h->rows)
    error_set(why,
              "--method=%s decides histories with SQL statements, and this one "
              "has none: leave out --method",
              opinion_method_name(method));
  else if (!level_binds_reads(options->question.level))
    error_set(why, "level none promises nothing that could be checked");
  else if (options->question.plain_reads)
    error_set(why, "the mixed-isolation paper has no --reads=plain: leave it "
                   "out, or --method");
  else if (options->question.real_time && !(h->begin && h->end))
    error_set(why, "this history has no times to decide real time");
  else
    return sobound_covers(h, question, why);
  return false;
}

void opinion_ask(struct opinion *opinion, const struct history *h,
                 const struct check_options *asked, enum method method) {
  static const enum verdict_kind kinds[] = {
      [REFEREE_KEPT] = VERDICT_PASS,
      [REFEREE_BROKEN] = VERDICT_VIOLATION,
      [REFEREE_TOO_LARGE] = VERDICT_UNDECIDED};
  const struct check_options options = settled_options(h, asked);
  const struct referee_rows_options question = question_about_rows(h, &options);
  struct sobound sobound = {.naive = method == METHOD_NAIVE,
                            .work = UINT64_MAX};
  struct error why;
  *opinion = (struct opinion){.kind = VERDICT_UNDECIDED,
                              .level = options.question.level,
                              .mixed = options.question.recorded,
                              .ntxns = count_txns_of_opinion(h)};
  if (!can_answer(h, &options, &question, method, &why)) {
    snprintf(opinion->why, sizeof opinion->why, "%.255s", why.text);
    return;
  }
  opinion->kind = kinds[sobound_decide(h, &question, &sobound)];
  opinion->nextensions = sobound.nextensions;
  opinion->stopped = opinion->kind == VERDICT_UNDECIDED;
}

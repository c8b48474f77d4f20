// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at statements while they are recorded (cli/jobs/watch_rows.h).
//
// A part of a history of registers shows nothing that the whole does not
// (recorder/native/past.c).  Of rows it may: a statement that did not return a
// row may have missed it because of a DELETE that is not in the part.  So what
// is judged are transactions that had ended at an instant, with all those that
// had begun by then: whatever their statements found was written by one of
// these.  What these others read, and what had begun later and they perhaps
// saw, is not known yet, so that nothing is made of it.
#include "config.h"

#include "cli/jobs/watch_rows.h"

#include "base/memory.h"
#include "checker/part/rows_cut.h"
#include "checker/rows/rows_cases.h"
#include "checker/verify/rows/rows_question.h"
#include "recorder/files/reader.h"

#include <stdlib.h>

// The latest instant at which all transactions that had begun are in the file:
// each session hands over what it did in order.  0: there is none.
static uint64_t known_until(const struct history *h, uint32_t nsessions) {
  uint64_t until = h->nsessions < nsessions || !h->begin ? 0 : UINT64_MAX;
  for (uint32_t s = 0; s < h->nsessions && until; s++) {
    const bool some = h->session_first[s] < h->session_first[s + 1];
    const uint64_t last =
        some ? h->begin[h->session_first[s + 1] - 1] : TIME_UNKNOWN;
    until = last == TIME_UNKNOWN ? 0 : last < until ? last : until;
  }
  return until;
}

// Did it see what somebody wrote who is left out, or is not in the file?
static bool sees_others(const struct history *h, const uint8_t *members,
                        uint32_t t) {
  bool sees = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (!op_reads(h->kind[op]))
      continue;
    const uint32_t saw = h->saw[op];
    const uint32_t writer = saw < h->nops ? history_txn(h, saw) : t;
    sees |= saw == SAW_LOST ||
            (h->outcome[writer] != OUTCOME_ABORTED && !members[writer]);
  }
  return sees;
}

// Those that had begun before the instant, but for those that saw others, who
// had ended later.
static uint8_t *members_until(const struct history *h, uint64_t until) {
  uint8_t *members = xcalloc(h->ntxns, 1);
  for (uint32_t t = 0; t < h->ntxns; t++)
    members[t] = h->outcome[t] != OUTCOME_ABORTED && h->begin[t] < until;
  for (bool fewer = true; fewer;) {
    fewer = false;
    for (uint32_t t = 0; t < h->ntxns; t++)
      if (members[t] && sees_others(h, members, t)) {
        members[t] = 0;
        fewer = true;
      }
  }
  return members;
}

static struct rows_part part_of(const struct history *h,
                                const uint8_t *members) {
  struct cut cut = {.key = xcalloc(h->nkeys, 1),
                    .statement = xmalloc(h->rows->nstatements)};
  for (uint32_t key = 0; key < h->nkeys; key++)
    cut.key[key] = h->rows->key_table[key] != ROWS_NONE;
  for (uint32_t s = 0; s < h->rows->nstatements; s++)
    cut.statement[s] = 1;
  struct rows_part part = cut_history(h, members, &cut);
  free(cut.key);
  free(cut.statement);
  return part;
}

// Does a small history break the level of those that had ended, whatever the
// others have read?
static bool others_do_not_matter(struct history *h, uint64_t until,
                                 const struct check_options *options) {
  struct check_options recorded = *options;
  struct rows_cases cases = {.work = 16 * (uint64_t)ROWS_CASES_WORK};
  recorded.question.recorded = true;
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->end[t] > until)
      h->level[t] = ISOLATION_NONE;
    else if (!options->question.recorded)
      h->level[t] = (uint8_t)options->question.level;
  const struct referee_rows_options question =
      question_about_rows(h, &recorded);
  return rows_small_decide(h, &question, &cases) == REFEREE_BROKEN;
}

// The rows that came back, if there is no part: they were written, whatever
// else happened.
static bool is_confirmed(struct history *part, const struct verdict *v,
                         uint64_t until, const struct check_options *options) {
  return !v->tried || others_do_not_matter(v->rows_part ? v->rows_part : part,
                                           until, options);
}

static int judge_row_part(struct history *part, uint64_t until,
                          const struct check_options *options,
                          struct rows_look *look, struct error *error) {
  struct verdict v = {0};
  struct check_options question = *options;
  question.whole_rows = true;
  if (check(part, &question, &v, error))
    return -1;
  look->kind = v.kind;
  if (v.kind == VERDICT_VIOLATION && !is_confirmed(part, &v, until, options))
    look->kind = VERDICT_PASS;
  verdict_free(&v);
  return 0;
}

int rows_look(const char *path, uint32_t nsessions,
              const struct check_options *options, struct rows_look *look,
              struct error *error) {
  struct history h;
  if (history_read(path, "isostress", &h, error))
    return -1;
  const uint64_t until = h.rows ? known_until(&h, nsessions) : 0;
  int result = 0;
  *look = (struct rows_look){.kind = VERDICT_PASS, .time = until};
  if (until) {
    uint8_t *members = members_until(&h, until);
    struct rows_part part = part_of(&h, members);
    result = judge_row_part(&part.history, until, options, look, error);
    rows_part_free(&part);
    free(members);
  }
  history_free(&h);
  return result;
}

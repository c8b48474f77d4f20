// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to decide a history with rows (checker/rows/decide.h).  They are tried
// in order, until one has decided.
#include "config.h"

#include "checker/rows/decide.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/by_cases.h"
#include "checker/rows/by_causes.h"
#include "checker/rows/by_places.h"
#include "checker/rows/by_search.h"
#include "checker/rows/engine.h"
#include "checker/rows/show_rows.h"
#include "checker/rows/tiny.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct row_decision_task {
  const struct history *h;
  const struct check_options *options;
  struct verdict *v;
  struct error *error;
  struct tried_orders tried;
  // For the ways at one level: the rows that came back, as registers; the
  // transactions that count; and a statement whose rows are wrong at any level,
  // or UINT32_MAX.
  struct history registers;
  uint8_t *counted;
  uint32_t wrong;
  bool counts_alike; // without the reads of the latest rows
  char why[sizeof((struct verdict *)0)->why]; // it breaks the level, which
                                              // cannot be shown; or ""
};

// The proof of an answer, checked before the way that found the answer gives
// it.
enum {
  // Each edge, read or step of an argument (checker/verify/verify.h).
  BY_REGISTERS = 1,
  // The order, executed (checker/verify/rows/execute_rows.h), at RC, RA and CC
  // with what statements found (checker/verify/rows/execute_rows.h).
  BY_EXECUTION = 2,
  // The part, refuted by the referee or by cases (checker/rows/verify_part.h).
  BY_PART = 4,
  // All orders were tried, and no separate code has more to say
  // (checker/rows/tiny.h).
  BY_REFEREE = 8,
};

struct way_to_decide {
  bool (*when)(struct row_decision_task *task); // NULL: always
  // Leaves the verdict undecided where it does not tell.  -1 with a sentence if
  // a proof is none.
  int (*how)(struct row_decision_task *task);
  unsigned verified; // BY_...: the proofs of its answers; 0: it has none
  bool is_last;      // the ways below it tell no more
};

static unsigned verified_by(const struct verdict *verdict) {
  if (verdict->kind == VERDICT_UNDECIDED)
    return 0;
  if (verdict->rows_part)
    return BY_PART;
  if (verdict->tried)
    return BY_REFEREE;
  return verdict->kind == VERDICT_PASS ? BY_EXECUTION : BY_REGISTERS;
}

// Tries the ways; -1 with a sentence if a proof is none.
static int try_ways(struct row_decision_task *task,
                    const struct way_to_decide *ways) {
  int result = 0;
  bool ends = false;
  for (const struct way_to_decide *way = ways;
       way->how && !result && !ends && task->v->kind == VERDICT_UNDECIDED;
       way++) {
    if (way->when && !way->when(task))
      continue;
    result = way->how(task);
    assert(result || !(verified_by(task->v) & ~way->verified));
    ends = way->is_last;
  }
  return result;
}

// --- One level for all transactions.

static bool has_wrong_statement(struct row_decision_task *task) {
  return task->wrong != UINT32_MAX;
}

static int show_wrong_statement(struct row_decision_task *task) {
  const struct history *h = task->h;
  uint8_t *members = rows_members(h);
  struct rows_decision d = {.answer = ROWS_BROKEN};
  uint32_t t = 0;
  while (h->rows->txn_statement[t + 1] <= task->wrong)
    t++;
  ids_add(&d.txns, t);
  const int result = rows_show(
      h, members, task->options, &d,
      "a statement returned rows that it could not find", task->v, task->error);
  free(members);
  rows_decision_free(&d);
  return result;
}

static bool hides_doubt(struct row_decision_task *task) {
  return !task->counts_alike;
}

static int leave_hidden_doubt(struct row_decision_task *task) {
  rows_leave(task->v, "only statements that read the latest rows show that "
                      "some transactions of unknown outcome committed");
  return 0;
}

// Who asks for a PASS alone is not told what breaks the level.
static bool may_break_by_returned(struct row_decision_task *task) {
  return !task->options->passes_only;
}

// Do the rows that came back break the level, or the levels, by themselves?
static int break_by_registers(struct row_decision_task *task,
                              const struct history *registers) {
  struct check_options asked = *task->options;
  struct verdict items;
  // An RC that sees no session is broken by less.
  asked.question.rc_sees_session = false;
  if (check(registers, &asked, &items, task->error))
    return -1;
  if (items.kind == VERDICT_VIOLATION)
    *task->v = items;
  else
    verdict_free(&items);
  return 0;
}

static int break_by_returned(struct row_decision_task *task) {
  return break_by_registers(task, &task->registers);
}

// At RC and RA real time is not among what places are looked for by.
static bool may_have_places(struct row_decision_task *task) {
  const struct question *question = &task->options->question;
  return !question->real_time && level_saturates(question->level) &&
         level_observes_directly(question->level);
}

static bool has_least_pasts(struct row_decision_task *task) {
  const struct question *question = &task->options->question;
  return !question->real_time && level_is_causal(question->level);
}

static bool may_pass_at_pc(struct row_decision_task *task) {
  return may_have_places(task) || has_least_pasts(task);
}

// RC, RA and CC are kept where PC is (dbcop, lemma 2.4), and it is mostly found
// out sooner whether PC is.
static int pass_at_pc(struct row_decision_task *task) {
  struct check_options briefly = *task->options;
  briefly.passes_only = true;
  return rows_decide_by_search(task->h, &task->registers, task->counted,
                               &briefly, task->v, task->error);
}

static int find_places(struct row_decision_task *task) {
  task->v->why[0] = 0;
  const int result =
      rows_decide_by_places(task->h, task->options, task->v, task->error);
  if (!task->options->question.plain_reads)
    memcpy(task->why, task->v->why, sizeof task->why);
  return result;
}

static int find_pasts(struct row_decision_task *task) {
  return rows_decide_by_causes(task->h, &task->registers, task->counted,
                               task->options, task->v, task->error);
}

static int search_at_one_level(struct row_decision_task *task) {
  struct verdict *v = task->v;
  const int result = rows_decide_by_search(
      task->h, &task->registers, task->counted, task->options, v, task->error);
  if (!result && v->kind == VERDICT_UNDECIDED && *task->why)
    memcpy(v->why, task->why, sizeof task->why);
  return result;
}

static const struct way_to_decide ways_at_one_level[] = {
    {.when = has_wrong_statement,
     .how = show_wrong_statement,
     .verified = BY_PART,
     .is_last = true},
    {.when = hides_doubt, .how = leave_hidden_doubt, .is_last = true},
    {.when = may_break_by_returned,
     .how = break_by_returned,
     .verified = BY_REGISTERS},
    {.when = may_pass_at_pc, .how = pass_at_pc, .verified = BY_EXECUTION},
    {.when = may_have_places,
     .how = find_places,
     .verified = BY_EXECUTION | BY_PART},
    {.when = has_least_pasts,
     .how = find_pasts,
     .verified = BY_EXECUTION | BY_PART},
    {.how = search_at_one_level, .verified = BY_EXECUTION | BY_PART},
    {.how = NULL}};

// Do the same transactions in doubt count without the reads of the latest rows?
static bool count_alike(const struct history *registers, uint32_t ntxns,
                        const uint8_t *counted) {
  struct verdict_counts counts;
  uint8_t *others = settled_count(registers, &counts);
  const bool alike = !memcmp(counted, others, ntxns);
  free(others);
  return alike;
}

// Where only plain SELECTs are reads, an order for these is looked for, and the
// other statements are checked in it.
static void open_one_level(struct row_decision_task *task) {
  task->registers = rows_registers(task->h, false);
  task->counted = settled_count(&task->registers, &task->v->counts);
  task->wrong = rows_wrong_statement(task->h, task->counted, task->options);
  task->counts_alike = true;
  if (!task->options->question.plain_reads)
    return;
  rows_as_registers_free(&task->registers);
  task->registers = rows_registers(task->h, true);
  task->counts_alike =
      count_alike(&task->registers, task->h->ntxns, task->counted);
}

static int decide_at_one_level(struct row_decision_task *task) {
  open_one_level(task);
  const int result = try_ways(task, ways_at_one_level);
  free(task->counted);
  rows_as_registers_free(&task->registers);
  return result;
}

// --- Each transaction at its own level.

static bool is_recorded(struct row_decision_task *task) {
  return task->options->question.recorded;
}

// A level that is at least each transaction's own is enough for a PASS.
static int pass_at_strongest(struct row_decision_task *task) {
  struct check_options all = *task->options;
  struct verdict strongest = *task->v;
  struct row_decision_task once = {
      .h = task->h, .options = &all, .v = &strongest, .error = task->error};
  all.question.recorded = false;
  all.max_examples = 0;
  all.passes_only = true;
  rows_leave(&strongest, "%s", "");
  const int result = decide_at_one_level(&once);
  if (!result && strongest.kind == VERDICT_PASS) {
    *task->v = strongest;
    return 0;
  }
  verdict_free(&strongest);
  rows_leave(task->v,
             "the levels of the transactions are kept or broken by rows that "
             "statements did not return, or by statements at read committed, "
             "in more transactions than can be decided case by case");
  return result;
}

// Has each transaction that took effect, or may have, a level that binds it to
// what it read?  A transaction at level none need not come behind the writers
// of what it read.  So its INSERT may come behind the deletion of the very row
// that it inserted, which a history of registers cannot say.
static bool binds_all_returned(struct row_decision_task *task) {
  const struct history *h = task->h;
  bool bound = is_recorded(task) && !task->options->question.plain_reads;
  for (uint32_t t = 0; t < h->ntxns; t++)
    bound &= h->outcome[t] == OUTCOME_ABORTED ||
             level_binds_reads((enum isolation)h->level[t]);
  return bound;
}

// Do the rows that came back break the levels of their transactions?
static int break_levels_by_returned(struct row_decision_task *task) {
  struct history registers = rows_registers(task->h, false);
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&registers, &counts);
  int result = 0;
  if (rows_wrong_statement(task->h, counted, task->options) == UINT32_MAX)
    result = break_by_registers(task, &registers);
  free(counted);
  rows_as_registers_free(&registers);
  return result;
}

static int decide_by_places(struct row_decision_task *task) {
  return rows_decide_by_places(task->h, task->options, task->v, task->error);
}

// --- All histories.

static bool promises_nothing(struct row_decision_task *task) {
  return !level_binds_reads(task->options->question.level);
}

static int leave_nothing(struct row_decision_task *task) {
  rows_leave(task->v, "level none promises nothing that could be checked");
  return 0;
}

static bool is_tiny(struct row_decision_task *task) {
  task->tried = rows_try_orders(task->h, task->options);
  return task->tried.answer != REFEREE_TOO_LARGE;
}

static int show_tried(struct row_decision_task *task) {
  return rows_show_tried(task->h, task->options, &task->tried, task->v,
                         task->error);
}

static bool has_one_level(struct row_decision_task *task) {
  return !is_recorded(task);
}

static bool is_complete(struct row_decision_task *task) {
  return task->h->complete;
}

static int decide_by_cases(struct row_decision_task *task) {
  return rows_decide_by_cases(task->h, task->options, task->v, task->error);
}

static const struct way_to_decide ways_of_all[] = {
    {.when = promises_nothing, .how = leave_nothing, .is_last = true},
    {.when = is_tiny,
     .how = show_tried,
     .verified = BY_EXECUTION | BY_PART | BY_REFEREE,
     .is_last = true},
    {.when = has_one_level,
     .how = decide_at_one_level,
     .verified = BY_EXECUTION | BY_PART | BY_REGISTERS},
    {.when = is_recorded, .how = pass_at_strongest, .verified = BY_EXECUTION},
    {.when = binds_all_returned,
     .how = break_levels_by_returned,
     .verified = BY_REGISTERS},
    {.when = is_recorded,
     .how = decide_by_places,
     .verified = BY_EXECUTION | BY_PART},
    {.when = is_complete,
     .how = decide_by_cases,
     .verified = BY_EXECUTION | BY_PART},
    {.how = NULL}};

int decide_rows(const struct history *history,
                const struct check_options *options, struct verdict *verdict,
                struct error *error) {
  assert(verdict->kind == VERDICT_UNDECIDED);
  struct row_decision_task task = {
      .h = history, .options = options, .v = verdict, .error = error};
  return try_ways(&task, ways_of_all);
}

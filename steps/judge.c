// SPDX-License-Identifier: GPL-3.0-or-later
// Judges performances of step scripts (steps/judge.h).
#include "config.h"

#include "steps/judge.h"

#include "base/memory.h"
#include "recorder/builder/builder.h"
#include "recorder/rows.h"
#include "steps/values.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_list_of(const struct script *script, uint32_t repetition,
                       const struct expectation *expectation,
                       const struct value_list *list) {
  bool equal = expectation->nvalues == list->count;
  for (uint32_t i = 0; equal && i < list->count; i++)
    equal = list->values[i] ==
            value_number(script, repetition, expectation->values[i]);
  return equal;
}

// Is this what the step did when it was answered?
static bool is_answer(const struct script *script, uint32_t repetition,
                      const struct expectation *expectation,
                      const struct step_result *result) {
  const bool ok = result->outcome == OUTCOME_OK;
  switch (expectation->kind) {
  case EXPECTED_OK:
    return ok;
  case EXPECTED_ABORTS:
    return !ok &&
           (!expectation->text || !strcmp(expectation->text, result->code));
  case EXPECTED_VALUE:
    return ok && result->value ==
                     value_number(script, repetition, expectation->values[0]);
  case EXPECTED_LIST:
    return ok && is_list_of(script, repetition, expectation, &result->list);
  case EXPECTED_ROWS:
    return ok && result->rows && !strcmp(expectation->text, result->rows);
  case EXPECTED_BLOCKS:
    break;
  }
  return false;
}

bool step_is_expected(const struct script *script, uint32_t i,
                      uint32_t repetition, const struct step_result *result) {
  const struct step *step = &script->steps[i];
  bool expected = !step->nexpectations || result->state == STEP_SKIPPED;
  const bool waits = result->blocked && step->kind != STEP_RESUMES;
  for (uint32_t e = 0; !expected && e < step->nexpectations; e++)
    expected =
        waits ? step->expectations[e].kind == EXPECTED_BLOCKS
              : is_answer(script, repetition, &step->expectations[e], result);
  return expected;
}

// ---- The anomaly

static bool has_mark(const struct step *step) {
  bool marked = false;
  for (uint32_t e = 0; e < step->nexpectations; e++)
    marked |= step->expectations[e].seen;
  return marked;
}

// Did the step, at last, what is marked or, without a mark, what is expected?
// An anomaly is none if its beginning went another way.
static bool did_its_part(const struct script *script, uint32_t repetition,
                         const struct step *step,
                         const struct step_result *result) {
  const bool marked = has_mark(step);
  bool did = !marked && (!step->nexpectations || result->state == STEP_SKIPPED);
  for (uint32_t e = 0; result->state == STEP_DONE && e < step->nexpectations;
       e++) {
    const struct expectation *expectation = &step->expectations[e];
    did |= (expectation->seen || !marked) &&
           (is_answer(script, repetition, expectation, result) ||
            (result->blocked && expectation->kind == EXPECTED_BLOCKS));
  }
  return did;
}

enum judgement script_judge(const struct script *script, uint32_t repetition,
                            const struct step_result *results, uint32_t *by) {
  uint32_t aborted = UINT32_MAX, blocked = UINT32_MAX;
  bool seen = script->marks_seen;
  for (uint32_t i = script->nsteps; i-- > 0;) {
    const struct step_result *result = &results[i];
    seen &= did_its_part(script, repetition, &script->steps[i], result);
    if (result->state == STEP_DONE && result->outcome != OUTCOME_OK)
      aborted = i;
    if (result->blocked)
      blocked = i;
  }
  *by = aborted != UINT32_MAX ? aborted : blocked;
  if (!script->marks_seen)
    return JUDGED_NONE;
  if (seen)
    return JUDGED_SEEN;
  if (aborted != UINT32_MAX)
    return JUDGED_ABORTED;
  return blocked != UINT32_MAX ? JUDGED_BLOCKED : JUDGED_PREVENTED;
}

// ---- The history

// A value as the script calls it, so that whoever is told of it finds it there.
static uint64_t value_as_named(struct builder *builder,
                               const struct script *script, uint32_t repetition,
                               uint64_t number) {
  const uint32_t value = value_of_number(script, repetition, number);
  if (value == SCRIPT_NO_VALUE || value == SCRIPT_INITIAL)
    return number;
  const char *name = script->values[value].name;
  return builder_value_named(builder, name, strlen(name));
}

static void add_judged_list(struct builder *builder,
                            const struct script *script, uint32_t repetition,
                            const struct step *step,
                            const struct value_list *list) {
  struct value_list named = {0};
  for (uint32_t i = 0; i < list->count; i++)
    value_list_push(
        &named, value_as_named(builder, script, repetition, list->values[i]));
  builder_list(builder, step->key, named.values, named.count);
  value_list_free(&named);
}

static void add_cas(struct builder *builder, const struct script *script,
                    uint32_t repetition, const struct step *step,
                    const struct step_result *result) {
  const uint64_t written =
      value_as_named(builder, script, repetition,
                     value_number(script, repetition, step->value));
  if (result->outcome != OUTCOME_OK)
    builder_op(builder, OP_WRITE, step->key, written);
  else if (result->took_place)
    builder_cas(builder, step->key,
                value_as_named(builder, script, repetition,
                               value_number(script, repetition, step->expects)),
                written);
  else
    builder_op(builder, OP_READ, step->key,
               value_as_named(builder, script, repetition, result->value));
}

static uint32_t condition_of_step(struct builder *builder,
                                  const struct script *script,
                                  const struct statement *s) {
  return statement_has_condition(s->sort)
             ? builder_condition(builder, s->table,
                                 &script->templates[s->template].predicate)
             : NO_CONDITION;
}

// An INSERT that was refused wrote nothing, and says of no row what it found.
static void add_judged_statement(struct builder *builder,
                                 const struct script *script,
                                 const struct step *step,
                                 const struct step_result *result) {
  const struct statement *s = step->statement;
  const struct row_list *touched = &result->touched;
  if (touched->refused)
    return;
  struct told_statement told = {
      .sort = (uint8_t)statement_recorded(s),
      .table = s->table,
      .condition = condition_of_step(builder, script, s),
      .parameters = s->params,
      .stamp = statement_writes(s->sort) ? result->value : 0,
      .nrows = touched->count};
  struct told_row *rows = xcalloc(touched->count + 1, sizeof *rows);
  for (uint32_t i = 0; i < touched->count; i++) {
    const struct seen_row *row = &touched->rows[i];
    rows[i] = (struct told_row){.key = (int64_t)row->key,
                                .kind = row->kind,
                                .saw = row->saw,
                                .image = row->kind == OP_ROW_DELETE
                                             ? NULL
                                             : row_list_image(touched, i)};
  }
  told.rows = rows;
  builder_statement(builder, &told);
  free(rows);
}

// Tables keep their numbers.
static void add_tables(struct builder *builder, const struct script *script) {
  for (uint32_t t = 0; t < script->ntables; t++) {
    const struct table_spec *table = &script->tables[t];
    const uint32_t width = 1 + table->columns.count;
    builder_table(builder, table->name, table->columns.names,
                  table->columns.count);
    for (uint32_t i = 0; i < table->nlisted; i++)
      builder_preload(builder, t, table->listed[i * width],
                      table->listed + i * width + 1);
  }
}

static void add_judged_op(struct builder *builder, const struct script *script,
                          uint32_t repetition, const struct step *step,
                          const struct step_result *result) {
  const bool read = step->kind == STEP_READ && result->outcome == OUTCOME_OK;
  if (read && script->lists)
    add_judged_list(builder, script, repetition, step, &result->list);
  else if (read)
    builder_op(builder, OP_READ, step->key,
               value_as_named(builder, script, repetition, result->value));
  else if (step->kind == STEP_WRITE || step->kind == STEP_APPEND)
    builder_op(builder, step->kind == STEP_WRITE ? OP_WRITE : OP_APPEND,
               step->key,
               value_as_named(builder, script, repetition,
                              value_number(script, repetition, step->value)));
  else if (step->kind == STEP_CAS)
    add_cas(builder, script, repetition, step, result);
  else if (step->kind == STEP_ROWS)
    add_judged_statement(builder, script, step, result);
}

// The steps of the transaction that begins with `first`, up to its end: the
// next step but one, NULL if it has none.  Says how it ended.
static uint32_t end_of_txn(const struct script *script, uint32_t first,
                           const struct step_result *results,
                           enum outcome *outcome, uint64_t *end) {
  const uint32_t session = script->steps[first].session;
  *outcome = OUTCOME_ABORTED; // what the script leaves open is rolled back
  *end = results[first].end;
  for (uint32_t i = first; i < script->nsteps; i++) {
    const struct step *step = &script->steps[i];
    const struct step_result *result = &results[i];
    if (step->session != session || result->state != STEP_DONE ||
        step->kind == STEP_RESUMES)
      continue;
    if (i > first && step->kind == STEP_BEGIN)
      return i;
    *end = result->end;
    if (step->kind == STEP_COMMIT)
      *outcome = result->outcome;
    if (step->kind == STEP_COMMIT || step->kind == STEP_ROLLBACK)
      return i;
  }
  return script->nsteps;
}

static void add_judged_txn(struct builder *builder, const struct script *script,
                           uint32_t repetition, uint32_t first,
                           const struct step_result *results, uint64_t start,
                           enum isolation level) {
  enum outcome outcome;
  uint64_t end;
  const uint32_t last = end_of_txn(script, first, results, &outcome, &end);
  builder_txn(builder, script->steps[first].session, outcome, level,
              results[first].begin - start, end - start);
  if (results[first].host != HISTORY_NO_ENDPOINT)
    builder_endpoint(builder, results[first].host);
  if (outcome != OUTCOME_OK)
    builder_cause(builder, CAUSE_OTHER);
  for (uint32_t i = first; i < last; i++)
    if (script->steps[i].session == script->steps[first].session &&
        results[i].state == STEP_DONE)
      add_judged_op(builder, script, repetition, &script->steps[i],
                    &results[i]);
}

int script_history(const struct script *script, uint32_t repetition,
                   const struct step_result *results, enum isolation level,
                   struct history *history, struct error *error) {
  assert(!script->uses_sql && !script->uses_commands);
  struct builder *builder = builder_open();
  add_tables(builder, script);
  uint64_t start = UINT64_MAX;
  for (uint32_t i = 0; i < script->nsteps; i++)
    if (results[i].state == STEP_DONE && results[i].begin < start)
      start = results[i].begin;
  for (uint32_t i = 0; i < script->nsteps; i++)
    if (script->steps[i].kind == STEP_BEGIN && results[i].state == STEP_DONE)
      add_judged_txn(builder, script, repetition, i, results, start, level);
  for (uint32_t k = 0; k < script->nkeys; k++)
    builder_name_key(builder, k, script->keys[k]);
  if (builder_finish(builder, history, error))
    return -1;
  history_separate_lists(history);
  return 0;
}

// ---- Words

static void put_value_name(FILE *out, const struct script *script,
                           uint32_t repetition, uint64_t number) {
  const uint32_t value = value_of_number(script, repetition, number);
  if (value == SCRIPT_NO_VALUE)
    fprintf(out, "%" PRIu64 "?", number);
  else
    fputs(script->values[value].name, out);
}

static void put_step_answer(FILE *out, const struct script *script, uint32_t i,
                            uint32_t repetition,
                            const struct step_result *result) {
  const enum step_kind kind = script->steps[i].kind == STEP_RESUMES
                                  ? script->steps[script->steps[i].resumed].kind
                                  : script->steps[i].kind;
  if (result->touched.refused) {
    fputs("refused: the key is taken", out);
  } else if (result->rows &&
             (kind == STEP_ROWS || script->schema || result->rows[0])) {
    fprintf(out, "\"%s\"", result->rows);
  } else if (kind == STEP_READ && script->lists) {
    putc('[', out);
    for (uint32_t j = 0; j < result->list.count; j++) {
      fputs(j ? " " : "", out);
      put_value_name(out, script, repetition, result->list.values[j]);
    }
    putc(']', out);
  } else if (kind == STEP_READ || (kind == STEP_CAS && !result->took_place)) {
    put_value_name(out, script, repetition, result->value);
  } else {
    fputs("ok", out);
  }
}

void step_result_put(FILE *out, const struct script *script, uint32_t i,
                     uint32_t repetition, const struct step_result *result) {
  if (result->state == STEP_SKIPPED) {
    fputs("skipped: its transaction had ended", out);
    return;
  }
  if (result->state == STEP_STUCK) {
    fputs("never came back", out);
    return;
  }
  if (result->blocked && script->steps[i].kind != STEP_RESUMES)
    fputs("blocks, then ", out);
  if (result->outcome == OUTCOME_OK)
    put_step_answer(out, script, i, repetition, result);
  else
    fprintf(out, "%s %s: %s",
            result->outcome == OUTCOME_UNKNOWN ? "unknown" : "aborts",
            result->code, result->text);
  if (result->freed)
    fputs(" (only once the others had been rolled back)", out);
}

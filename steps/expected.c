// SPDX-License-Identifier: GPL-3.0-or-later
// The expectation of a step, as it is written (steps/reading.h).  Values
// are names while a file is read; only when all of it is known are they
// resolved, since a step may expect what a later line writes.
#include "config.h"

#include "steps/reading.h"

#include <string.h>

// The kind of the step whose answer is expected.
static enum step_kind answering_kind(const struct script_reading *r,
                                     const struct step *step) {
  return step->kind == STEP_RESUMES ? r->script->steps[step->resumed].kind
                                    : step->kind;
}

static void postpone(struct script_reading *r, const struct step *step,
                     const struct pending *names) {
  ARRAY_RESERVE(r->pending, r->npending, r->pending_room);
  r->pending[r->npending] = *names;
  r->pending[r->npending].line = r->line;
  r->pending[r->npending++].key = step->key;
}

static int read_expected_list(struct script_reading *r, const struct step *step,
                              struct expectation *expectation) {
  struct pending pending = {.expectation = expectation};
  if (answering_kind(r, step) != STEP_READ)
    return reading_complain(r, "only read returns a list");
  expectation->kind = EXPECTED_LIST;
  r->reads_list = true;
  while (!reading_accept(r, "]")) {
    const char *name = reading_word(r);
    if (!name)
      return reading_complain(r, "expected values and ']'");
    if (pending.nnames == LIST_MAX)
      return reading_complain(r, "a list of more than %d values", LIST_MAX);
    pending.names[pending.nnames++] = name;
  }
  postpone(r, step, &pending);
  return 0;
}

static int read_expected_word(struct script_reading *r, const struct step *step,
                              struct expectation *expectation) {
  const enum step_kind kind = answering_kind(r, step);
  const char *word = reading_word(r);
  if (!word)
    return reading_complain(r,
                            "expected ok, blocks, aborts, a value, [a list] or "
                            "\"rows\" behind =>");
  if (!strcmp(word, "ok")) {
    expectation->kind = EXPECTED_OK;
  } else if (!strcmp(word, "blocks")) {
    expectation->kind = EXPECTED_BLOCKS;
  } else if (!strcmp(word, "aborts")) {
    expectation->kind = EXPECTED_ABORTS;
    expectation->text = reading_word(r);
  } else if (kind == STEP_READ || kind == STEP_CAS) {
    struct pending pending = {.expectation = expectation, .nnames = 1};
    pending.names[0] = word;
    expectation->kind = EXPECTED_VALUE;
    postpone(r, step, &pending);
  } else {
    return reading_complain(
        r,
        "only read and cas return a value; \"%s\" is none of "
        "ok, blocks and aborts",
        word);
  }
  return 0;
}

static int read_expected_rows(struct script_reading *r, const struct step *step,
                              struct expectation *expectation) {
  const enum step_kind kind = answering_kind(r, step);
  if (!step_is_statement(kind) && kind != STEP_ROWS)
    return reading_complain(r, "only statements return rows");
  expectation->kind = EXPECTED_ROWS;
  expectation->text = reading_quoted(r);
  return expectation->text ? 0 : -1;
}

static int read_alternative(struct script_reading *r, const struct step *step,
                            struct expectation *expectation) {
  int failed;
  reading_skip_blanks(r);
  if (*r->p == '"')
    failed = read_expected_rows(r, step, expectation);
  else if (reading_accept(r, "["))
    failed = read_expected_list(r, step, expectation);
  else
    failed = read_expected_word(r, step, expectation);
  expectation->seen = !failed && reading_accept(r, "(seen)");
  r->script->marks_seen |= expectation->seen;
  return failed;
}

int reading_expectations(struct script_reading *r, struct step *step) {
  struct expectation *alternatives =
      arena_take(&r->script->arena, ALTERNATIVES_MAX * sizeof *alternatives);
  step->expectations = alternatives;
  do {
    if (step->nexpectations == ALTERNATIVES_MAX)
      return reading_complain(r, "more than %d alternatives", ALTERNATIVES_MAX);
    if (read_alternative(r, step, &alternatives[step->nexpectations++]))
      return -1;
  } while (reading_accept(r, "|"));
  return 0;
}

int reading_resolve(struct script_reading *r) {
  struct script *s = r->script;
  for (uint32_t i = 0; i < r->npending; i++) {
    const struct pending *p = &r->pending[i];
    uint32_t *values = arena_take(&s->arena, (p->nnames + 1) * sizeof *values);
    for (uint32_t j = 0; j < p->nnames; j++) {
      values[j] = script_value_named(s, p->key, p->names[j]);
      r->line = p->line;
      if (values[j] == SCRIPT_NO_VALUE)
        return reading_complain(r, "no step writes %s to %s", p->names[j],
                                s->keys[p->key]);
    }
    p->expectation->values = values;
    p->expectation->nvalues = p->nnames;
  }
  return 0;
}

int reading_find_lists(struct script_reading *r) {
  struct script *s = r->script;
  s->lists = r->reads_list;
  for (uint32_t i = 0; i < s->nsteps; i++)
    s->lists |= s->steps[i].kind == STEP_APPEND;
  for (uint32_t i = 0; i < s->nsteps; i++) {
    const enum step_kind kind = s->steps[i].kind;
    r->line = s->steps[i].line;
    if (s->lists && (kind == STEP_WRITE || kind == STEP_CAS))
      return reading_complain(
          r, "the keys of a script hold lists or single values, "
             "not both");
  }
  for (uint32_t i = 0; s->lists && i < r->npending; i++) {
    r->line = r->pending[i].line;
    if (r->pending[i].expectation->kind == EXPECTED_VALUE)
      return reading_complain(r, "the keys hold lists: expect [%s]",
                              r->pending[i].names[0]);
  }
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Values of keys (steps/typed.h).
#include "config.h"

#include "steps/typed.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

uint32_t typed_number(const struct script *script, uint32_t value) {
  const char *name = script->values[value].name;
  const size_t letters = strcspn(name, "0123456789");
  char *end;
  const unsigned long number = strtoul(name + letters, &end, 10);
  if (letters != 1 || !number || number > 99 || (*end && end[1]))
    return value;
  return (uint32_t)(*end ? 100 * number + (unsigned)(*end - 'a' + 1) : number);
}

const char *typed_words(struct arena *arena, const struct script *script,
                        uint32_t value) {
  const char *name = script->values[value].name;
  const uint32_t number = typed_number(script, value);
  return number == value && (*name == 'v' || value == SCRIPT_INITIAL)
             ? arena_printf(arena, "%u", number)
             : arena_printf(arena, "%u (%s)", number, name);
}

// ---- What is left

struct keys_left {
  const struct script *script;
  const uint32_t *order;
  bool at_commit;
  uint32_t *holds;       // by key: the value
  uint32_t lost, writer; // a value that was replaced unseen, and the step that
                         // did it
};

// The place in the order of the end of a step's transaction.
static uint32_t end_of_txn_at(const struct keys_left *l, uint32_t at) {
  const uint32_t session = l->script->steps[l->order[at]].session;
  uint32_t end = at;
  while (end < l->script->nsteps) {
    const struct step *step = &l->script->steps[l->order[end]];
    if (step->session == session &&
        (step->kind == STEP_COMMIT || step->kind == STEP_ROLLBACK))
      break;
    end++;
  }
  return end;
}

static bool is_rolled_back(const struct keys_left *l, uint32_t at) {
  const uint32_t end = end_of_txn_at(l, at);
  return end < l->script->nsteps &&
         l->script->steps[l->order[end]].kind == STEP_ROLLBACK;
}

// The value of the key that the transaction of a write had read before it;
// SCRIPT_NO_VALUE: none.
static uint32_t value_read_before(const struct keys_left *l, uint32_t at) {
  const struct step *write = &l->script->steps[l->order[at]];
  uint32_t read = SCRIPT_NO_VALUE;
  for (uint32_t i = 0; i < at; i++) {
    const struct step *step = &l->script->steps[l->order[i]];
    if (step->session != write->session)
      continue;
    if (step->kind == STEP_BEGIN)
      read = SCRIPT_NO_VALUE;
    else if (step->kind == STEP_READ && step->key == write->key &&
             step->nexpectations && step->expectations[0].nvalues == 1)
      read = step->expectations[0].values[0];
  }
  return read;
}

static void take_write(struct keys_left *l, uint32_t at) {
  const struct step *step = &l->script->steps[l->order[at]];
  const uint32_t read = value_read_before(l, at);
  uint32_t *holds = &l->holds[step->key];
  if (read != SCRIPT_NO_VALUE && read != *holds && *holds != SCRIPT_INITIAL) {
    l->lost = *holds;
    l->writer = l->order[at];
  }
  *holds = step->value;
}

// A write takes effect at its own place, or at that of its commit.
static void take_typed_step(struct keys_left *l, uint32_t at) {
  for (uint32_t i = 0; i <= at; i++) {
    const struct step *step = &l->script->steps[l->order[i]];
    if (step->value != SCRIPT_NO_VALUE && !is_rolled_back(l, i) &&
        (l->at_commit ? end_of_txn_at(l, i) : i) == at)
      take_write(l, i);
  }
}

static bool only_writes_values(const struct script *script) {
  bool only = script->nkeys > 0 && !script->lists;
  for (uint32_t i = 0; i < script->nsteps; i++)
    only &= script->steps[i].kind != STEP_CAS;
  return only;
}

const char *values_left(struct arena *arena, const struct script *script,
                        const uint32_t *order, bool at_commit, bool keyed) {
  struct keys_left l = {
      .script = script, .order = order, .at_commit = at_commit};
  if (!only_writes_values(script))
    return NULL;
  l.holds = xcalloc(script->nkeys, sizeof *l.holds);
  l.lost = SCRIPT_NO_VALUE;
  for (uint32_t at = 0; at < script->nsteps; at++)
    take_typed_step(&l, at);
  const char *text = "returns";
  for (uint32_t k = 0; k < script->nkeys; k++) {
    const char *value = typed_words(arena, script, l.holds[k]);
    text = keyed ? arena_printf(arena, "%s %u,%s", text, k + 1, value)
                 : arena_printf(arena, "%s %s", text, value);
  }
  if (l.lost != SCRIPT_NO_VALUE)
    text = arena_printf(arena, "%s. %s had not seen %s when it replaced that.",
                        text, script->sessions[script->steps[l.writer].session],
                        typed_words(arena, script, l.lost));
  free(l.holds);
  return text;
}

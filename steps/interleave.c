// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the events of a counterexample, in their order, into steps
// (steps/interleave.h).
#include "config.h"

#include "steps/interleave.h"

#include "steps/sequence.h"
#include "steps/statements.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct script_making {
  struct sequence order;
  struct script *script;
  const struct script_names *names;
  uint32_t *session_of; // of each transaction, in script->sessions
  uint32_t *key_of;     // by key of the history, in script->keys; or UINT32_MAX
  uint32_t *table_of;   // likewise of tables; NULL: there are none
  uint32_t *value_of;   // by event: the value that it writes
  uint32_t *host_of;    // by session of the script: where it is; or UINT32_MAX
  bool mixed;           // the transactions are not all at one level
  struct expectation *alternatives; // of the step being made
  uint32_t sessions_room, keys_room, values_room, steps_room;
};

// ---- Names

// A word of a step script: a letter first, and no signs.
static char *script_word(struct script *s, const char *prefix,
                         const char *name) {
  char *word = arena_printf(
      &s->arena, "%s%s", isdigit((unsigned char)name[0]) ? prefix : "", name);
  for (char *c = word; *c; c++)
    if (!isalnum((unsigned char)*c))
      *c = '_';
  return word;
}

static char *session_word(struct script_making *m, uint32_t txn) {
  char buffer[SCRIPT_NAME];
  const struct script_names *n = m->names;
  return n->txn ? script_word(m->script, "S", n->txn(n->context, txn, buffer))
                : arena_printf(&m->script->arena, "S%u",
                               history_session(m->order.history, txn));
}

static void name_sessions(struct script_making *m) {
  struct script *s = m->script;
  m->session_of = xcalloc(m->order.ntxns, sizeof *m->session_of);
  for (uint32_t i = 0; i < m->order.ntxns; i++) {
    uint32_t j = 0;
    while (j < i && !sequence_same_session(&m->order, i, j))
      j++;
    char *word = session_word(m, m->order.txns[i]);
    if (j < i) {
      const uint32_t session = m->session_of[i] = m->session_of[j];
      if (m->names->txn)
        s->sessions[session] =
            arena_printf(&s->arena, "%s_%s", s->sessions[session], word);
      continue;
    }
    ARRAY_RESERVE(s->sessions, s->nsessions, m->sessions_room);
    m->session_of[i] = s->nsessions;
    s->sessions[s->nsessions++] = word;
  }
}

static uint32_t name_key(struct script_making *m, uint32_t key) {
  struct script *s = m->script;
  char buffer[SCRIPT_NAME];
  const struct script_names *n = m->names;
  if (m->key_of[key] != UINT32_MAX)
    return m->key_of[key];
  const char *name = n->key ? n->key(n->context, key, buffer)
                            : history_key(m->order.history, key, buffer);
  ARRAY_RESERVE(s->keys, s->nkeys, m->keys_room);
  s->keys[s->nkeys] = script_word(s, "k", name);
  m->key_of[key] = s->nkeys;
  return s->nkeys++;
}

static uint32_t add_made_value(struct script_making *m, const char *name,
                               uint32_t key, uint32_t step) {
  struct script *s = m->script;
  ARRAY_RESERVE(s->values, s->nvalues, m->values_room);
  s->values[s->nvalues] = (struct script_value){name, key, step};
  return s->nvalues++;
}

static uint32_t name_value(struct script_making *m, uint32_t op, uint32_t key,
                           uint32_t step) {
  struct script *s = m->script;
  char buffer[SCRIPT_NAME];
  const struct script_names *n = m->names;
  const char *name = n->value
                         ? n->value(n->context, op, buffer)
                         : arena_printf(&s->arena, "v%" PRIu32, s->nvalues);
  return add_made_value(m, script_word(s, "v", name), key, step);
}

// ---- Steps

enum { ALTERNATIVES = 4 }; // what was seen, and the three other endings

static struct expectation *expect(struct script_making *m, struct step *step,
                                  enum expected kind, bool seen) {
  assert(step->nexpectations < ALTERNATIVES);
  struct expectation *expectation = &m->alternatives[step->nexpectations++];
  *expectation = (struct expectation){.kind = kind, .seen = seen};
  m->script->marks_seen |= seen;
  return expectation;
}

// Did the chosen transactions see only this one among the values of a key that
// none of them wrote?  Then it can stand for the initial value.
static bool is_only_foreign(const struct script_making *m, uint32_t saw) {
  const struct history *h = m->order.history;
  bool only = true;
  for (uint32_t e = 0; e < m->order.nevents; e++) {
    const uint32_t op = m->order.events[e].first;
    if (op < m->order.events[e].end && op_reads(h->kind[op]) &&
        !op_is_list(h->kind[op]) && h->key[op] == h->key[saw])
      only &= h->saw[op] == saw ||
              sequence_event_of(&m->order, h->saw[op]) != NO_EVENT;
  }
  return only;
}

// The value that a read saw; SCRIPT_NO_VALUE if it cannot be said.
static uint32_t seen_value(const struct script_making *m, uint32_t saw) {
  if (saw == SAW_INITIAL)
    return SCRIPT_INITIAL;
  const uint32_t writer = sequence_event_of(&m->order, saw);
  if (writer == NO_EVENT)
    return saw < SAW_LOST && is_only_foreign(m, saw) ? SCRIPT_INITIAL
                                                     : SCRIPT_NO_VALUE;
  return m->order.events[writer].taken ? m->value_of[writer] : SCRIPT_NO_VALUE;
}

static void expect_values(struct script_making *m, struct step *step,
                          enum expected kind, const uint32_t *saw,
                          uint32_t count) {
  struct script *s = m->script;
  uint32_t *values = arena_take(&s->arena, (count + 1) * sizeof *values);
  bool known = true;
  for (uint32_t i = 0; i < count; i++) {
    values[i] = seen_value(m, saw[i]);
    known &= values[i] != SCRIPT_NO_VALUE;
  }
  if (!known)
    return;
  struct expectation *expectation = expect(m, step, kind, true);
  expectation->values = values;
  expectation->nvalues = count;
}

// Adds the other answers that a correct database may give.
static void expect_anything(struct script_making *m, struct step *step) {
  expect(m, step, EXPECTED_OK, false);
  expect(m, step, EXPECTED_ABORTS, false);
  expect(m, step, EXPECTED_BLOCKS, false);
}

static void make_step_of_read(struct script_making *m, struct step *step,
                              uint32_t op) {
  const struct history *h = m->order.history;
  step->kind = STEP_READ;
  if (op_is_list(h->kind[op]))
    expect_values(m, step, EXPECTED_LIST,
                  h->element + h->list[h->saw[op]].first,
                  history_list_end(h, h->saw[op]) - h->list[h->saw[op]].first);
  else
    expect_values(m, step, EXPECTED_VALUE, &h->saw[op], 1);
}

static void make_step_of_op(struct script_making *m, struct step *step,
                            uint32_t e) {
  const struct history *h = m->order.history;
  const uint32_t op = m->order.events[e].first;
  step->key = name_key(m, h->key[op]);
  if (!op_writes(h->kind[op])) {
    make_step_of_read(m, step, op);
  } else {
    const uint32_t expected =
        h->kind[op] == OP_CAS ? seen_value(m, h->saw[op]) : SCRIPT_NO_VALUE;
    step->kind = h->kind[op] == OP_APPEND      ? STEP_APPEND
                 : expected != SCRIPT_NO_VALUE ? STEP_CAS
                                               : STEP_WRITE;
    step->expects = expected;
    step->value = name_value(m, op, step->key, m->script->nsteps);
    m->value_of[e] = step->value;
    expect(m, step, EXPECTED_OK, true);
  }
  m->script->lists |= op_is_list(h->kind[op]);
}

static void make_step_of_statement(struct script_making *m, struct step *step,
                                   uint32_t e) {
  const uint32_t number = m->order.events[e].statement;
  const struct recorded_statement *s =
      &m->order.history->rows->statements[number];
  step->kind = STEP_ROWS;
  step->recorded = number;
  step->statement =
      statements_make(m->script, &m->order, number, m->table_of[s->table]);
  const char *answer = statements_answer(m->script, &m->order, number);
  if (answer)
    expect(m, step, EXPECTED_ROWS, true)->text = answer;
}

static void make_end(struct script_making *m, struct step *step, uint32_t txn) {
  const bool aborted =
      m->order.history->outcome[m->order.txns[txn]] == OUTCOME_ABORTED;
  step->kind = aborted ? STEP_ROLLBACK : STEP_COMMIT;
  expect(m, step, EXPECTED_OK, true);
}

static void add_made_step(struct script_making *m, const struct step *step) {
  struct script *s = m->script;
  ARRAY_RESERVE(s->steps, s->nsteps, m->steps_room);
  s->steps[s->nsteps++] = *step;
}

// Behind the title, the tables and the steps so far.
static unsigned line_of_next(const struct script *s) {
  return 2 + s->ntables + s->nsteps;
}

// Brings the session to the host that the transaction went to.
static void go_to_host(struct script_making *m, uint32_t txn) {
  const struct history *h = m->order.history;
  const uint32_t session = m->session_of[txn];
  const uint8_t host =
      h->endpoint ? h->endpoint[m->order.txns[txn]] : HISTORY_NO_ENDPOINT;
  if (host == HISTORY_NO_ENDPOINT || host == m->host_of[session])
    return;
  m->host_of[session] = host;
  add_made_step(m, &(struct step){.kind = STEP_AT,
                                  .session = session,
                                  .line = line_of_next(m->script),
                                  .host = host,
                                  .value = SCRIPT_NO_VALUE,
                                  .expects = SCRIPT_NO_VALUE});
}

static void begin_with_level(struct script_making *m, struct step *step,
                             uint32_t txn) {
  const struct history *h = m->order.history;
  if (m->mixed)
    step->text = isolation_name((enum isolation)h->level[m->order.txns[txn]]);
}

static void make_step(struct script_making *m, uint32_t e) {
  struct script *s = m->script;
  const struct sequence_event *event = &m->order.events[e];
  if (event->is_begin)
    go_to_host(m, event->txn);
  struct step step = {.kind = STEP_BEGIN,
                      .session = m->session_of[event->txn],
                      .line = line_of_next(s),
                      .value = SCRIPT_NO_VALUE,
                      .expects = SCRIPT_NO_VALUE};
  m->alternatives =
      arena_take(&s->arena, ALTERNATIVES * sizeof *m->alternatives);
  step.expectations = m->alternatives;
  if (event->is_end)
    make_end(m, &step, event->txn);
  else if (event->is_begin)
    begin_with_level(m, &step, event->txn);
  else if (event->statement == ROWS_NONE)
    make_step_of_op(m, &step, e);
  else
    make_step_of_statement(m, &step, e);
  if (step.kind == STEP_ROWS && !step.statement)
    return;
  if (step.nexpectations)
    expect_anything(m, &step);
  add_made_step(m, &step);
}

static bool has_several_levels(const struct script_making *m) {
  const uint8_t *level = m->order.history->level;
  for (uint32_t i = 1; i < m->order.ntxns; i++)
    if (level[m->order.txns[i]] != level[m->order.txns[0]])
      return true;
  return false;
}

// Makes the script in the order of the events.
static bool make_script_of_sequence(struct script_making *m) {
  struct script *script = m->script;
  const uint32_t nkeys = m->order.history->nkeys;
  bool sees_last = true;
  *script = (struct script){0};
  script->title = arena_strdup(&script->arena, m->names->title);
  script->path = "counterexample";
  m->key_of = xmalloc((nkeys + 1) * sizeof *m->key_of);
  memset(m->key_of, 0xff, nkeys * sizeof *m->key_of);
  m->value_of = xcalloc((size_t)m->order.nevents + 1, sizeof *m->value_of);
  add_made_value(m, "initial", UINT32_MAX, UINT32_MAX);
  name_sessions(m);
  m->host_of = xmalloc((script->nsessions + 1) * sizeof *m->host_of);
  memset(m->host_of, 0xff, (script->nsessions + 1) * sizeof *m->host_of);
  m->mixed = has_several_levels(m);
  if (m->order.history->rows)
    m->table_of = statements_add_tables(script, &m->order);
  for (uint32_t i = 0; i < m->order.nevents; i++)
    make_step(m, sequence_next(&m->order, &sees_last));
  sequence_free(&m->order);
  free(m->table_of);
  free(m->value_of);
  free(m->session_of);
  free(m->host_of);
  free(m->key_of);
  return sees_last;
}

bool script_of_history(const struct history *history, const uint32_t *ops,
                       uint32_t nops, const struct script_names *names,
                       struct script *script) {
  struct script_making m = {.script = script, .names = names};
  assert(!history->rows);
  sequence_ops(&m.order, history, ops, nops);
  return make_script_of_sequence(&m);
}

bool script_of_statements(const struct history *history,
                          const uint8_t *statement, const uint8_t *key,
                          const struct script_names *names,
                          struct script *script) {
  struct script_making m = {.script = script, .names = names};
  sequence_statements(&m.order, history, statement, key);
  return make_script_of_sequence(&m);
}

// ---- Writing

static void put_expectation(FILE *out, const struct script *script,
                            const struct expectation *expectation) {
  static const char *const words[] = {[EXPECTED_OK] = "ok",
                                      [EXPECTED_BLOCKS] = "blocks",
                                      [EXPECTED_ABORTS] = "aborts"};
  if (expectation->kind == EXPECTED_VALUE) {
    fputs(script->values[expectation->values[0]].name, out);
  } else if (expectation->kind == EXPECTED_ROWS) {
    fprintf(out, "\"%s\"", expectation->text);
  } else if (expectation->kind == EXPECTED_LIST) {
    putc('[', out);
    for (uint32_t i = 0; i < expectation->nvalues; i++)
      fprintf(out, "%s%s", i ? " " : "",
              script->values[expectation->values[i]].name);
    putc(']', out);
  } else {
    fputs(words[expectation->kind], out);
  }
  fputs(expectation->seen ? " (seen)" : "", out);
}

void script_put(FILE *out, const struct script *script) {
  fprintf(out, "# %s\n", script->title);
  for (uint32_t t = 0; t < script->ntables; t++) {
    script_put_table(out, &script->tables[t]);
    putc('\n', out);
  }
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[i];
    script_put_step(out, script, step);
    for (uint32_t e = 0; e < step->nexpectations; e++) {
      fputs(e ? " | " : " => ", out);
      put_expectation(out, script, &step->expectations[e]);
    }
    putc('\n', out);
  }
}

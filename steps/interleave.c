// SPDX-License-Identifier: GPL-3.0-or-later
// Orders the operations of a counterexample (steps/interleave.h).  These are
// few, so that every step is chosen by looking at all.
#include "config.h"

#include "steps/interleave.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NO_OP = UINT32_MAX };

// A step to be: the beginning or end of a transaction, or an operation of it.
struct event {
  uint32_t txn; // position among the chosen ones
  uint32_t op;  // NO_OP: begin or end
  bool is_end;
  double when;
  bool taken;
};

struct making {
  const struct history *history;
  const uint32_t *ops;
  uint32_t nops;
  uint32_t *txns; // of the operations, ascending
  uint32_t ntxns;
  uint32_t *first_op;   // of each transaction, in ops; ntxns + 1 entries
  struct event *events; // transaction by transaction
  uint32_t nevents;
  uint32_t *first_event; // of each transaction; ntxns + 1 entries
  struct script *script;
  uint32_t *session_of; // of each transaction, in script->sessions
  uint32_t *key_of;     // by key of the history, in script->keys; or UINT32_MAX
  uint32_t *value_of;   // by event: the value that it writes
  uint32_t *host_of;    // by session of the script: where it is; or UINT32_MAX
  bool mixed;           // the transactions are not all at one level
  struct expectation *alternatives; // of the step being made
  uint32_t sessions_room, keys_room, values_room, steps_room;
};

// ---- Events

static double time_of_event(const struct history *h, uint32_t txn, uint32_t op,
                            uint32_t position, uint32_t length) {
  if (!h->begin || h->begin[txn] == TIME_UNKNOWN || h->end[txn] == TIME_UNKNOWN)
    return position + 1 == length ? 1e9 : position; // ends come last
  if (op != NO_OP && h->op_begin && h->op_begin[op] &&
      h->op_begin[op] != TIME_UNKNOWN)
    return (double)h->op_begin[op];
  const double begin = (double)h->begin[txn], end = (double)h->end[txn];
  return begin + (end - begin) * position / (length - 1);
}

static void find_txns(struct making *m) {
  m->txns = xcalloc(m->nops, sizeof *m->txns);
  m->first_op = xcalloc((size_t)m->nops + 1, sizeof *m->first_op);
  for (uint32_t i = 0; i < m->nops; i++) {
    const uint32_t txn = history_txn(m->history, m->ops[i]);
    if (m->ntxns && m->txns[m->ntxns - 1] == txn)
      continue;
    m->first_op[m->ntxns] = i;
    m->txns[m->ntxns++] = txn;
  }
  m->first_op[m->ntxns] = m->nops;
}

static void add_events(struct making *m, uint32_t i) {
  const struct history *h = m->history;
  const uint32_t txn = m->txns[i];
  const uint32_t nops = m->first_op[i + 1] - m->first_op[i];
  m->first_event[i] = m->nevents;
  for (uint32_t j = 0; j < nops + 2; j++) {
    const bool outer = j == 0 || j == nops + 1;
    const uint32_t op = outer ? NO_OP : m->ops[m->first_op[i] + j - 1];
    m->events[m->nevents++] =
        (struct event){.txn = i,
                       .op = op,
                       .is_end = j == nops + 1,
                       .when = time_of_event(h, txn, op, j, nops + 2)};
  }
  m->first_event[i + 1] = m->nevents;
}

static void make_events(struct making *m) {
  const size_t n = m->nops + 2 * (size_t)m->ntxns;
  m->events = xcalloc(n, sizeof *m->events);
  m->value_of = xcalloc(n, sizeof *m->value_of);
  m->first_event = xcalloc((size_t)m->ntxns + 1, sizeof *m->first_event);
  for (uint32_t i = 0; i < m->ntxns; i++)
    add_events(m, i);
}

static bool same_session(const struct making *m, uint32_t i, uint32_t j) {
  return history_session(m->history, m->txns[i]) ==
         history_session(m->history, m->txns[j]);
}

// The event of an operation of a chosen transaction; UINT32_MAX if it is of
// another one, or no operation.
static uint32_t event_of_op(const struct making *m, uint32_t op) {
  uint32_t e = 0;
  while (e < m->nevents && (op >= SAW_LOST || m->events[e].op != op))
    e++;
  return e < m->nevents ? e : UINT32_MAX;
}

// Everything before it in its session has been taken.
static bool is_next(const struct making *m, uint32_t e) {
  const uint32_t i = m->events[e].txn;
  bool next = e == m->first_event[i] || m->events[e - 1].taken;
  for (uint32_t j = 0; next && e == m->first_event[i] && j < i; j++)
    next = !same_session(m, i, j) || m->events[m->first_event[j + 1] - 1].taken;
  return next;
}

// Has what the operation saw been committed, or at least written?
static bool has_been_written(const struct making *m, uint32_t e, uint32_t saw,
                             bool committed) {
  const uint32_t writer = event_of_op(m, saw);
  if (writer == UINT32_MAX || m->events[writer].txn == m->events[e].txn)
    return true;
  const uint32_t end = m->first_event[m->events[writer].txn + 1] - 1;
  const bool commits =
      m->history->outcome[m->txns[m->events[writer].txn]] != OUTCOME_ABORTED;
  return m->events[committed && commits ? end : writer].taken;
}

static bool can_see(const struct making *m, uint32_t e, bool committed) {
  const struct history *h = m->history;
  const uint32_t op = m->events[e].op;
  if (op == NO_OP || !op_reads(h->kind[op]))
    return true;
  if (!op_is_list(h->kind[op]))
    return has_been_written(m, e, h->saw[op], committed);
  bool seen = true;
  for (uint32_t i = h->list[h->saw[op]].first;
       seen && i < history_list_end(h, h->saw[op]); i++)
    seen = has_been_written(m, e, h->element[i], committed);
  return seen;
}

// The write that `writer`, which wrote the key, replaced, as far as it read the
// key itself; SAW_THIN_AIR if it did not.
static uint32_t replaced_by(const struct history *h, uint32_t writer) {
  const uint32_t txn = history_txn(h, writer);
  for (uint32_t op = h->txn_first[txn]; op <= writer; op++)
    if (h->key[op] == h->key[writer] && op_reads(h->kind[op]))
      return h->saw[op];
  return SAW_THIN_AIR;
}

// Did transaction `txn` write the version `version` of a key, or one that it
// replaced, directly or through others?
static bool comes_before(const struct history *h, uint32_t txn,
                         uint32_t version) {
  uint32_t left = h->ntxns; // wrong histories may go in circles
  while (version < SAW_LOST && history_txn(h, version) != txn && left--)
    version = replaced_by(h, version);
  return version < SAW_LOST && history_txn(h, version) == txn;
}

// Would this read, which is still to come, see more than it saw once the
// transaction has committed?
static bool would_see(const struct making *m, uint32_t e, uint32_t txn) {
  const struct history *h = m->history;
  const uint32_t op = m->events[e].op;
  bool sees = false;
  if (op == NO_OP || !op_reads(h->kind[op]) || m->events[e].taken ||
      m->txns[m->events[e].txn] == txn || op_is_list(h->kind[op]) ||
      comes_before(h, txn, h->saw[op]))
    return false;
  for (uint32_t w = h->txn_first[txn]; w < h->txn_first[txn + 1]; w++)
    sees |= op_writes(h->kind[w]) && h->key[w] == h->key[op];
  return sees;
}

// A commit that would show others more than they saw.
static bool is_too_early(const struct making *m, uint32_t e) {
  bool early = false;
  for (uint32_t r = 0; m->events[e].is_end && r < m->nevents; r++)
    early |= would_see(m, r, m->txns[m->events[e].txn]);
  return early;
}

// Demands on the next event, each given up if no event meets it.
enum demand {
  SEES_ONLY_COMMITTED,
  SEES_COMMITTED,
  SEES_WRITTEN,
  SEES_ANYTHING
};

static bool is_met(const struct making *m, uint32_t e, enum demand demand) {
  return demand == SEES_ANYTHING ||
         (can_see(m, e, demand <= SEES_COMMITTED) &&
          (demand != SEES_ONLY_COMMITTED || !is_too_early(m, e)));
}

static uint32_t earliest(const struct making *m, enum demand demand) {
  uint32_t best = UINT32_MAX;
  for (uint32_t e = 0; e < m->nevents; e++)
    if (!m->events[e].taken && is_next(m, e) && is_met(m, e, demand) &&
        (best == UINT32_MAX || m->events[e].when < m->events[best].when))
      best = e;
  return best;
}

// Is it a read of what is only being written, perhaps by one that will roll
// back?
static bool is_dirty(const struct making *m, uint32_t e) {
  const struct history *h = m->history;
  const uint32_t op = m->events[e].op;
  if (op == NO_OP || !op_reads(h->kind[op]) || op_is_list(h->kind[op]))
    return false;
  const uint32_t writer = event_of_op(m, h->saw[op]);
  return writer != UINT32_MAX && m->events[writer].txn != m->events[e].txn &&
         !m->events[m->first_event[m->events[writer].txn + 1] - 1].taken;
}

// `*demand` is what it meets.
static uint32_t next_event(const struct making *m, enum demand *demand) {
  uint32_t e = UINT32_MAX;
  *demand = SEES_ONLY_COMMITTED;
  while ((e = earliest(m, *demand)) == UINT32_MAX)
    ++*demand;
  return e;
}

// ---- Names

static void name_sessions(struct making *m) {
  struct script *s = m->script;
  m->session_of = xcalloc(m->ntxns, sizeof *m->session_of);
  for (uint32_t i = 0; i < m->ntxns; i++) {
    uint32_t j = 0;
    while (j < i && !same_session(m, i, j))
      j++;
    if (j < i) {
      m->session_of[i] = m->session_of[j];
      continue;
    }
    ARRAY_RESERVE(s->sessions, s->nsessions, m->sessions_room);
    m->session_of[i] = s->nsessions;
    s->sessions[s->nsessions++] =
        arena_printf(&s->arena, "S%u", history_session(m->history, m->txns[i]));
  }
}

static uint32_t name_key(struct making *m, uint32_t key) {
  struct script *s = m->script;
  char buffer[24];
  if (m->key_of[key] != UINT32_MAX)
    return m->key_of[key];
  const char *name = history_key(m->history, key, buffer);
  char *word = arena_printf(&s->arena, "%s%s",
                            isdigit((unsigned char)name[0]) ? "k" : "", name);
  for (char *c = word; *c; c++)
    if (!isalnum((unsigned char)*c))
      *c = '_';
  ARRAY_RESERVE(s->keys, s->nkeys, m->keys_room);
  s->keys[s->nkeys] = word;
  m->key_of[key] = s->nkeys;
  return s->nkeys++;
}

static uint32_t name_value(struct making *m, uint32_t key, uint32_t step) {
  struct script *s = m->script;
  ARRAY_RESERVE(s->values, s->nvalues, m->values_room);
  s->values[s->nvalues] = (struct script_value){
      arena_printf(&s->arena, s->nvalues ? "v%u" : "initial", s->nvalues), key,
      step};
  return s->nvalues++;
}

// ---- Steps

enum { ALTERNATIVES = 4 }; // what was seen, and the three other endings

static struct expectation *expect(struct making *m, struct step *step,
                                  enum expected kind, bool seen) {
  assert(step->nexpectations < ALTERNATIVES);
  struct expectation *expectation = &m->alternatives[step->nexpectations++];
  *expectation = (struct expectation){.kind = kind, .seen = seen};
  m->script->marks_seen |= seen;
  return expectation;
}

// Did the chosen transactions see only this one among the values of a key that
// none of them wrote?  Then it can stand for the initial value.
static bool is_only_foreign(const struct making *m, uint32_t saw) {
  const struct history *h = m->history;
  bool only = true;
  for (uint32_t e = 0; e < m->nevents; e++) {
    const uint32_t op = m->events[e].op;
    if (op != NO_OP && op_reads(h->kind[op]) && !op_is_list(h->kind[op]) &&
        h->key[op] == h->key[saw])
      only &= h->saw[op] == saw || event_of_op(m, h->saw[op]) != UINT32_MAX;
  }
  return only;
}

// The value that a read saw; SCRIPT_NO_VALUE if it cannot be said.
static uint32_t seen_value(const struct making *m, uint32_t saw) {
  if (saw == SAW_INITIAL)
    return SCRIPT_INITIAL;
  const uint32_t writer = event_of_op(m, saw);
  if (writer == UINT32_MAX)
    return saw < SAW_LOST && is_only_foreign(m, saw) ? SCRIPT_INITIAL
                                                     : SCRIPT_NO_VALUE;
  return m->events[writer].taken ? m->value_of[writer] : SCRIPT_NO_VALUE;
}

static void expect_values(struct making *m, struct step *step,
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
static void expect_anything(struct making *m, struct step *step) {
  expect(m, step, EXPECTED_OK, false);
  expect(m, step, EXPECTED_ABORTS, false);
  expect(m, step, EXPECTED_BLOCKS, false);
}

static void make_read(struct making *m, struct step *step, uint32_t op) {
  const struct history *h = m->history;
  step->kind = STEP_READ;
  if (op_is_list(h->kind[op]))
    expect_values(m, step, EXPECTED_LIST,
                  h->element + h->list[h->saw[op]].first,
                  history_list_end(h, h->saw[op]) - h->list[h->saw[op]].first);
  else
    expect_values(m, step, EXPECTED_VALUE, &h->saw[op], 1);
}

static void make_op(struct making *m, struct step *step, uint32_t e) {
  const struct history *h = m->history;
  const uint32_t op = m->events[e].op;
  step->key = name_key(m, h->key[op]);
  if (!op_writes(h->kind[op])) {
    make_read(m, step, op);
  } else {
    const uint32_t expected =
        h->kind[op] == OP_CAS ? seen_value(m, h->saw[op]) : SCRIPT_NO_VALUE;
    step->kind = h->kind[op] == OP_APPEND      ? STEP_APPEND
                 : expected != SCRIPT_NO_VALUE ? STEP_CAS
                                               : STEP_WRITE;
    step->expects = expected;
    step->value = name_value(m, step->key, m->script->nsteps);
    m->value_of[e] = step->value;
    expect(m, step, EXPECTED_OK, true);
  }
  m->script->lists |= op_is_list(h->kind[op]);
}

static void make_end(struct making *m, struct step *step, uint32_t txn) {
  const bool aborted = m->history->outcome[m->txns[txn]] == OUTCOME_ABORTED;
  step->kind = aborted ? STEP_ROLLBACK : STEP_COMMIT;
  expect(m, step, EXPECTED_OK, true);
}

static void add_step(struct making *m, const struct step *step) {
  struct script *s = m->script;
  ARRAY_RESERVE(s->steps, s->nsteps, m->steps_room);
  s->steps[s->nsteps++] = *step;
}

// Brings the session to the host that the transaction went to.
static void go_to_host(struct making *m, uint32_t txn) {
  const struct history *h = m->history;
  const uint32_t session = m->session_of[txn];
  const uint8_t host =
      h->endpoint ? h->endpoint[m->txns[txn]] : HISTORY_NO_ENDPOINT;
  if (host == HISTORY_NO_ENDPOINT || host == m->host_of[session])
    return;
  m->host_of[session] = host;
  add_step(m, &(struct step){.kind = STEP_AT,
                             .session = session,
                             .line = m->script->nsteps + 2,
                             .host = host,
                             .value = SCRIPT_NO_VALUE,
                             .expects = SCRIPT_NO_VALUE});
}

static void begin_txn(struct making *m, struct step *step, uint32_t txn) {
  const struct history *h = m->history;
  if (m->mixed)
    step->text = isolation_name((enum isolation)h->level[m->txns[txn]]);
}

static void make_step(struct making *m, uint32_t e) {
  struct script *s = m->script;
  struct event *event = &m->events[e];
  if (event->op == NO_OP && !event->is_end)
    go_to_host(m, event->txn);
  struct step step = {.kind = STEP_BEGIN,
                      .session = m->session_of[event->txn],
                      .line = s->nsteps + 2,
                      .value = SCRIPT_NO_VALUE,
                      .expects = SCRIPT_NO_VALUE};
  m->alternatives =
      arena_take(&s->arena, ALTERNATIVES * sizeof *m->alternatives);
  step.expectations = m->alternatives;
  event->taken = true;
  if (event->is_end)
    make_end(m, &step, event->txn);
  else if (event->op != NO_OP)
    make_op(m, &step, e);
  else
    begin_txn(m, &step, event->txn);
  if (step.nexpectations)
    expect_anything(m, &step);
  add_step(m, &step);
}

static bool has_several_levels(const struct making *m) {
  const uint8_t *level = m->history->level;
  for (uint32_t i = 1; i < m->ntxns; i++)
    if (level[m->txns[i]] != level[m->txns[0]])
      return true;
  return false;
}

bool script_of_history(const struct history *history, const uint32_t *ops,
                       uint32_t nops, const char *title,
                       struct script *script) {
  struct making m = {
      .history = history, .ops = ops, .nops = nops, .script = script};
  *script = (struct script){0};
  script->title = arena_strdup(&script->arena, title);
  script->path = "counterexample";
  m.key_of = xmalloc((history->nkeys + 1) * sizeof *m.key_of);
  memset(m.key_of, 0xff, history->nkeys * sizeof *m.key_of);
  name_value(&m, UINT32_MAX, UINT32_MAX);
  find_txns(&m);
  make_events(&m);
  name_sessions(&m);
  m.host_of = xmalloc((script->nsessions + 1) * sizeof *m.host_of);
  memset(m.host_of, 0xff, (script->nsessions + 1) * sizeof *m.host_of);
  m.mixed = has_several_levels(&m);
  bool sees_last = true;
  for (uint32_t i = 0; i < m.nevents; i++) {
    enum demand demand;
    const uint32_t e = next_event(&m, &demand);
    sees_last &= demand == SEES_ONLY_COMMITTED && !is_dirty(&m, e);
    make_step(&m, e);
  }
  free(m.txns);
  free(m.first_op);
  free(m.events);
  free(m.value_of);
  free(m.first_event);
  free(m.session_of);
  free(m.host_of);
  free(m.key_of);
  return sees_last;
}

// ---- Writing

static void put_expectation(FILE *out, const struct script *script,
                            const struct expectation *expectation) {
  static const char *const words[] = {[EXPECTED_OK] = "ok",
                                      [EXPECTED_BLOCKS] = "blocks",
                                      [EXPECTED_ABORTS] = "aborts"};
  if (expectation->kind == EXPECTED_VALUE) {
    fputs(script->values[expectation->values[0]].name, out);
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

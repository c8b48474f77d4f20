// SPDX-License-Identifier: GPL-3.0-or-later
// etcd through its JSON gateway: all that a plan reads is read in one
// transaction, then all that it writes is written in another one, if nothing
// that was read has changed since.  A plan that does one of the two only takes
// one.  Opening and setup are in etcd_target.c.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/etcd/codes.h"
#include "drivers/etcd/target.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct driver etcd_driver;

// Stale reads are served by a member from what it knows: a state that was
// current once.  Transactions that write are compared with the current state
// either way.
enum { STRICT, STALE, LEVELS };
static const struct driver_level levels[LEVELS + 1] = {
    [STRICT] = {"strict", ISOLATION_SSER},
    [STALE] = {"stale", ISOLATION_SER},
    {0},
};

static const char *etcd_prefix_of(const struct etcd_session *session) {
  return etcd_of(session->base.target)->prefix;
}

// ---- Failures

static void note_etcd_cause(struct etcd_session *session, enum cause cause,
                            const char *code, const char *text) {
  struct connection *base = &session->base;
  base->cause = cause;
  snprintf(base->code, sizeof base->code, "%s", code);
  snprintf(base->text, sizeof base->text, "%s", text);
}

// Notes why a request failed, and says what became of the transaction;
// `writes` if the request may have written.
static enum outcome note_failure(struct etcd_session *session, bool writes) {
  const struct etcd_link *link = &session->link;
  char number[32];
  if (link->failure != CURLE_OK) {
    snprintf(number, sizeof number, "curl %d", (int)link->failure);
    note_etcd_cause(session, CAUSE_CONNECTION, number, link->text);
    session->base.broken = true;
    return writes && etcd_link_was_sent(link) ? OUTCOME_UNKNOWN
                                              : OUTCOME_ABORTED;
  }
  const struct etcd_code *code = etcd_code(link->code);
  snprintf(number, sizeof number, "HTTP %ld", link->status);
  note_etcd_cause(session, code->cause, *code->name ? code->name : number,
                  link->text);
  session->base.broken |= code->breaks;
  return writes ? code->from_write : OUTCOME_ABORTED;
}

// ---- What the plan is about

static struct etcd_cell *cell_of_key(struct etcd_session *session,
                                     uint64_t key) {
  for (uint32_t i = 0; i < session->ncells; i++)
    if (session->cells[i].key == key)
      return &session->cells[i];
  assert(session->ncells < PLAN_MAX_OPS);
  struct etcd_cell *cell = &session->cells[session->ncells++];
  const struct value_list list = {cell->list.values, 0, cell->list.room};
  *cell = (struct etcd_cell){.key = key, .list = list};
  return cell;
}

// A list is stored as a whole, so appending reads it; what follows a
// compare-and-set becomes a read if that fails.
static void find_cells(struct etcd_session *session, const struct plan *plan) {
  bool cas = false;
  session->ncells = 0;
  for (uint32_t i = plan->first; i < plan->nops; i++) {
    const struct operation *op = &plan->ops[i];
    struct etcd_cell *cell = cell_of_key(session, op->key);
    cas |= op->kind == OP_CAS;
    cell->reads |= cas || op->kind != OP_WRITE;
  }
}

static bool reads_anything(const struct etcd_session *session) {
  for (uint32_t i = 0; i < session->ncells; i++)
    if (session->cells[i].reads)
      return true;
  return false;
}

static bool writes_anything(const struct etcd_session *session) {
  for (uint32_t i = 0; i < session->ncells; i++)
    if (session->cells[i].writes)
      return true;
  return false;
}

// ---- Reading

// A request that has no effect once another run has made the keys anew.
static void begin_request(struct etcd_session *session) {
  etcd_add(etcd_link_begin(&session->link), "{\"compare\":[%s",
           etcd_of(session->base.target)->claim);
}

static enum outcome note_other_run(struct etcd_session *session) {
  atomic_store(&etcd_of(session->base.target)->taken_over, true);
  note_etcd_cause(
      session, CAUSE_OTHER, "mark",
      "another run has taken over these keys; give each run its own prefix");
  session->base.broken = true;
  return OUTCOME_ABORTED;
}

static void add_cells_to_read(struct etcd_session *session, bool stale) {
  struct etcd_text *request = &session->link.request;
  const char *between = "";
  begin_request(session);
  etcd_add(request, "],\"success\":[");
  for (uint32_t i = 0; i < session->ncells; i++) {
    if (!session->cells[i].reads)
      continue;
    etcd_add(request, "%s{\"request_range\":{\"key\":", between);
    etcd_add_key(request, etcd_prefix_of(session), session->cells[i].key);
    etcd_add(request, "%s}}", stale ? ",\"serializable\":true" : "");
    between = ",";
  }
  etcd_add(request, "]}");
}

// "7" is a register, "[7,8]" a list.
static bool parse_value(const char *text, struct etcd_cell *cell) {
  char *end;
  if (*text != '[') {
    cell->value = strtoull(text, &end, 10);
    return end != text && !*end;
  }
  do {
    const uint64_t value = strtoull(++text, &end, 10);
    if (end == text)
      return !strcmp(text, "]") && !cell->list.count;
    value_list_push(&cell->list, value);
    text = end;
  } while (*text == ',');
  return !strcmp(text, "]");
}

static bool take_cell(const json_t *response, struct etcd_cell *cell) {
  const json_t *range = json_object_get(response, "response_range");
  const json_t *kv = json_array_get(json_object_get(range, "kvs"), 0);
  if (!range)
    return false;
  if (!kv)
    return true; // absent
  cell->revision = etcd_number(kv, "mod_revision");
  char *text = etcd_decoded(kv, "value");
  const bool valid = cell->revision && parse_value(text, cell);
  free(text);
  return valid;
}

static enum outcome read_cells(struct etcd_session *session, bool stale) {
  add_cells_to_read(session, stale);
  json_t *answer = etcd_link_post(&session->link, "/v3/kv/txn");
  if (!answer)
    return note_failure(session, false);
  const bool ours = json_is_true(json_object_get(answer, "succeeded"));
  const json_t *responses = json_object_get(answer, "responses");
  bool valid = ours;
  size_t next = 0;
  for (uint32_t i = 0; i < session->ncells && valid; i++)
    if (session->cells[i].reads)
      valid = take_cell(json_array_get(responses, next++), &session->cells[i]);
  json_decref(answer);
  if (valid)
    return OUTCOME_OK;
  if (!ours)
    return note_other_run(session);
  note_etcd_cause(session, CAUSE_OTHER, "value",
                  "a key does not hold what was stored");
  return OUTCOME_ABORTED;
}

// ---- Executing the plan on what was read

// Returns whether the plan goes on writing: false after a comparison that
// failed.
static bool execute_on_cell(struct operation *op, const struct plan *plan,
                            struct etcd_cell *cell, struct value_list *list,
                            bool writing) {
  if (op->kind == OP_CAS && cell->value != plan_expected(plan, op))
    writing = false;
  if (op_writes(op->kind) && !writing)
    op->kind = op_is_list(op->kind) ? OP_READ_LIST : OP_READ;
  if (op->kind == OP_APPEND) {
    value_list_push(&cell->list, op->value);
  } else if (op_writes(op->kind)) {
    cell->value = op->value;
  } else if (op->kind == OP_READ) {
    op->value = cell->value;
  } else {
    for (uint32_t i = 0; i < cell->list.count; i++)
      value_list_push(list, cell->list.values[i]);
  }
  cell->writes |= op_writes(op->kind);
  return writing;
}

static void execute_plan(struct etcd_session *session, struct plan *plan,
                         struct value_list *lists) {
  bool writing = true;
  for (uint32_t i = plan->first; i < plan->nops; i++)
    writing = execute_on_cell(&plan->ops[i], plan,
                              cell_of_key(session, plan->ops[i].key), &lists[i],
                              writing);
}

// ---- Writing

static void add_compares(struct etcd_session *session) {
  struct etcd_text *request = &session->link.request;
  begin_request(session);
  for (uint32_t i = 0; i < session->ncells; i++) {
    const struct etcd_cell *cell = &session->cells[i];
    if (!cell->reads)
      continue;
    etcd_add(request, ",{\"key\":");
    etcd_add_key(request, etcd_prefix_of(session), cell->key);
    etcd_add(request,
             ",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":"
             "\"%llu\"}",
             (unsigned long long)cell->revision);
  }
}

static void add_cell_value(struct etcd_text *request,
                           const struct etcd_cell *cell) {
  struct etcd_text text = {0};
  if (!cell->list.count)
    etcd_add(&text, "%llu", (unsigned long long)cell->value);
  for (uint32_t i = 0; i < cell->list.count; i++)
    etcd_add(&text, "%c%llu", i ? ',' : '[',
             (unsigned long long)cell->list.values[i]);
  if (cell->list.count)
    etcd_add(&text, "]");
  etcd_add_encoded(request, text.bytes, text.length);
  free(text.bytes);
}

static void add_writes(struct etcd_session *session) {
  struct etcd_text *request = &session->link.request;
  const char *between = "";
  etcd_add(request, "],\"success\":[");
  for (uint32_t i = 0; i < session->ncells; i++) {
    const struct etcd_cell *cell = &session->cells[i];
    if (!cell->writes)
      continue;
    etcd_add(request, "%s{\"request_put\":{\"key\":", between);
    etcd_add_key(request, etcd_prefix_of(session), cell->key);
    etcd_add(request, ",\"value\":\"");
    add_cell_value(request, cell);
    etcd_add(request, "\"}}");
    between = ",";
  }
  etcd_add(request, "]}");
}

static enum outcome write_cells(struct etcd_session *session) {
  add_compares(session);
  add_writes(session);
  json_t *answer = etcd_link_post(&session->link, "/v3/kv/txn");
  if (!answer)
    return note_failure(session, true);
  const bool succeeded = json_is_true(json_object_get(answer, "succeeded"));
  json_decref(answer);
  if (succeeded)
    return OUTCOME_OK;
  if (!reads_anything(session))
    return note_other_run(session);
  note_etcd_cause(session, CAUSE_SERIALIZATION, "compare",
                  "a key that was read has been changed since");
  return OUTCOME_ABORTED;
}

static enum outcome transact(struct connection *connection,
                             const struct driver_level *level,
                             struct plan *plan, struct value_list *lists) {
  struct etcd_session *session = etcd_session_of(connection);
  etcd_claim_renew(session);
  find_cells(session, plan);
  enum outcome outcome = OUTCOME_OK;
  if (reads_anything(session))
    outcome = read_cells(session, level == &levels[STALE]);
  if (outcome != OUTCOME_OK)
    return outcome;
  execute_plan(session, plan, lists);
  return writes_anything(session) ? write_cells(session) : OUTCOME_OK;
}

// A majority has what was acknowledged on its disks (the manual's page on
// guarantees).
static enum keeps_commits etcd_keeps(struct target *target, char *text,
                                     size_t room) {
  (void)target;
  snprintf(text, room, "a majority of members keeps each write");
  return KEEPS_COMMITS;
}

const struct driver etcd_driver = {
    .abi = DRIVER_ABI,
    .name = "etcd",
    .summary = "an etcd cluster, by transactions that compare revisions",
    .example = "etcd://localhost:2379",
    .options = etcd_options,
    .levels = levels,
    .hosts = true,
    .open = etcd_open,
    .close = etcd_close,
    .setup = etcd_setup,
    .follow = etcd_follow,
    .over = etcd_over,
    .clean = etcd_clean,
    .describe = etcd_describe,
    .keeps = etcd_keeps,
    .connect = etcd_connect,
    .disconnect = etcd_disconnect,
    .transacts = OP_ALL_KINDS,
    .transact = transact,
};

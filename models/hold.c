// SPDX-License-Identifier: GPL-3.0-or-later
// Holds a log against a model (models/models.h): functions that the model does
// not know are refused, since what they did would be told as a fault of the
// database; and each of jepsen.independent's keys has a log of its own.
//
//   {:type :invoke, :f :add, :process 0, :value [7 1]}
//   {:type :ok, :f :read, :process 1, :value [7 #{1}]}
//
// Such a log has a key in every operation. A read that returned nothing
// promises nothing: it is left out.
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_KEY UINT32_MAX

struct holding {
  const struct log *log;
  const struct log_model *model;
  struct value_numbers keys;
  bool keyed;
  uint32_t *key_of;   // by operation; NO_KEY: it is left out
  uint32_t *first;    // by key, and their end: the first place in `sorted`
  uint32_t *sorted;   // operations, key by key
  struct log_op *ops; // of one key
};

// ---- Functions

static int refuse_function(const struct holding *h, const struct log_op *op,
                           struct error *error) {
  char names[128] = "";
  for (const char *const *f = h->model->functions; *f; f++) {
    strcat(names, f == h->model->functions ? "" : f[1] ? ", " : " or ");
    strcat(names, *f);
  }
  return error_set(error,
                   "line %" PRIu64 ": expected the function %s, which the "
                   "model %s knows, not %s",
                   op->line, names, h->model->name,
                   text_map_text(&h->log->texts, op->f));
}

static bool is_log_read(const struct holding *h, const struct log_op *op) {
  return op->outcome == OUTCOME_OK && (log_op_is(h->log, op, "read") ||
                                       log_op_is(h->log, op, "strong-read"));
}

// ---- Keys

// Is it [KEY VALUE]?
static bool is_pair(const struct log *log, log_id id) {
  const struct log_value *v = log_value(log, id);
  if (v->kind != LOG_LIST || v->count != 2)
    return false;
  const enum log_kind key = log_value(log, v->first)->kind;
  return key == LOG_INTEGER || key == LOG_TEXT;
}

static log_id key_of_pair(const struct log *log, log_id pair) {
  return log_value(log, pair)->first;
}

static log_id value_of_pair(const struct log *log, log_id pair) {
  const log_id value = log_value(log, log_value(log, pair)->first)->next;
  return log_value(log, value)->kind == LOG_NIL ? LOG_NOTHING : value;
}

// Is there behind the key of an operation what may stand there?
static bool fits_model(const struct holding *h, const struct log_op *op) {
  const log_id pair = log_op_value(op), value = value_of_pair(h->log, pair);
  if (!h->model->reads) // locks have no values, but their answers may
    return op->invoked || !value;
  return !is_log_read(h, op) || !value || h->model->reads(h->log, value);
}

static bool has_key_of_part(const struct holding *h, const struct log_op *op) {
  if (op->invoked && !is_pair(h->log, op->asked))
    return false;
  if (op->invoked && !h->model->reads && value_of_pair(h->log, op->asked))
    return false;
  if (op->invoked && !op->answered)
    return true;
  return is_pair(h->log, log_op_value(op)) && fits_model(h, op);
}

// No log without keys has such an operation: a key, and what was read of it.
static bool shows_key(const struct holding *h, const struct log_op *op) {
  if (!has_key_of_part(h, op))
    return false;
  return !h->model->reads ||
         (is_log_read(h, op) && value_of_pair(h->log, log_op_value(op)));
}

// All operations have a key, or none. -1 with a sentence if one lacks it that
// another shows to be there.
static int find_keys(struct holding *h, struct error *error) {
  const struct log *log = h->log;
  const struct log_op *shows = NULL, *lacks = NULL;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    if (!shows && shows_key(h, op))
      shows = op;
    if (!lacks && !has_key_of_part(h, op))
      lacks = op;
  }
  h->keyed = log->nops && !lacks;
  if (!shows || !lacks)
    return 0;
  return error_set(error,
                   "line %" PRIu64 ": expected [KEY VALUE], as line %" PRIu64
                   " has it: keys of jepsen.independent are in all operations "
                   "or in none",
                   lacks->line, shows->line);
}

static bool returned_nothing(const struct holding *h, const struct log_op *op) {
  return is_log_read(h, op) &&
         !(h->keyed && op->answered ? value_of_pair(h->log, op->answered)
                                    : op->answered);
}

static void sort_by_key(struct holding *h) {
  const struct log *log = h->log;
  h->key_of = xmalloc((log->nops + 1) * sizeof *h->key_of);
  h->sorted = xmalloc((log->nops + 1) * sizeof *h->sorted);
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    h->key_of[i] =
        returned_nothing(h, op) ? NO_KEY
        : h->keyed
            ? value_number(
                  &h->keys, log,
                  key_of_pair(log, op->invoked ? op->asked : log_op_value(op)))
            : 0;
  }
  const uint32_t nkeys = h->keyed ? value_numbers_end(&h->keys) : 1;
  h->first = xcalloc(nkeys + 2, sizeof *h->first);
  for (uint32_t i = 0; i < log->nops; i++)
    if (h->key_of[i] != NO_KEY)
      h->first[h->key_of[i] + 2]++;
  for (uint32_t key = 0; key < nkeys; key++)
    h->first[key + 2] += h->first[key + 1];
  for (uint32_t i = 0; i < log->nops; i++)
    if (h->key_of[i] != NO_KEY)
      h->sorted[h->first[h->key_of[i] + 1]++] = i;
}

// ---- One key after the other

// The operations of one key as a log of their own, with the values of the
// whole.
static struct log log_of_key(struct holding *h, uint32_t key) {
  struct log part = *h->log;
  part.ops = h->ops;
  part.nops = h->first[key + 1] - h->first[key];
  for (uint32_t i = 0; i < part.nops; i++) {
    struct log_op *op = &part.ops[i];
    *op = h->log->ops[h->sorted[h->first[key] + i]];
    if (h->keyed && op->asked)
      op->asked = value_of_pair(h->log, op->asked);
    if (h->keyed && op->answered)
      op->answered = value_of_pair(h->log, op->answered);
  }
  return part;
}

// The operations that are shown of the key are shown of the whole log.
static void rename_shown(const struct holding *h, uint32_t key,
                         struct model_answer *is) {
  const uint32_t *op_of = &h->sorted[h->first[key]];
  for (uint32_t i = 0; i < is->nshown; i++)
    is->shown[i] = op_of[is->shown[i]];
  if (h->keyed && is->nshown) {
    const struct log_op *op = &h->log->ops[is->shown[0]];
    is->key = model_text(h->log, key_of_pair(h->log, log_op_value(op)), 8);
  }
}

static int hold_key(struct holding *h, uint32_t key, const int64_t *options,
                    struct model_answer *answer, struct error *error) {
  struct model_answer is = {.kind = VERDICT_PASS};
  const struct log part = log_of_key(h, key);
  const int status = h->model->check(&part, options, &is, error);
  rename_shown(h, key, &is);
  if (status == 0)
    model_add_answer(answer, &is);
  model_answer_free(&is);
  return status;
}

static int hold_keys(struct holding *h, const int64_t *options,
                     struct model_answer *answer, struct error *error) {
  const uint32_t nkeys = h->keyed ? value_numbers_end(&h->keys) : 1;
  h->ops = xmalloc((h->log->nops + 1) * sizeof *h->ops);
  int status = 0;
  for (uint32_t key = 0; key < nkeys && status == 0; key++)
    if (!h->keyed || h->first[key] < h->first[key + 1])
      status = hold_key(h, key, options, answer, error);
  if (!answer->sentence && answer->kind == VERDICT_UNDECIDED)
    model_leave_open(answer, "No read returned anything.");
  return status;
}

int log_model_hold(const struct log_model *model, const struct log *log,
                   const int64_t *options, struct model_answer *answer,
                   struct error *error) {
  struct holding h = {.log = log, .model = model};
  *answer = (struct model_answer){.kind = VERDICT_UNDECIDED};
  for (uint32_t i = 0; i < log->nops; i++)
    if (!log_model_knows(model, log, &log->ops[i]))
      return refuse_function(&h, &log->ops[i], error);
  int status = find_keys(&h, error);
  if (status == 0) {
    sort_by_key(&h);
    status = hold_keys(&h, options, answer, error);
  }
  value_numbers_free(&h.keys);
  FREE_EACH(h.key_of, h.first, h.sorted, h.ops);
  return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's long fork: each key is written once, and reads look at a group of
// keys.  Of two reads of the same group, one sees all that the other one sees:
// else they disagree on the order of writes.
//
//   {:type :ok, :f :read, :process 1, :value [[:r 0 1] [:r 1 nil]]}
//   {:type :ok, :f :read, :process 2, :value [[:r 0 nil] [:r 1 1]]}
//
// Among reads ordered by how many keys they see, it suffices that each one sees
// all that its predecessor sees: being contained is transitive.
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A key that a read looked at.
struct fork_look {
  uint32_t key;
  bool seen; // it had a value
};

struct fork_read {
  uint32_t op, nlooks, nseen;
  struct fork_look *looks; // by key
};

static int by_key_read(const void *a, const void *b) {
  const struct fork_look *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

static int compare_groups(const struct fork_read *x,
                          const struct fork_read *y) {
  if (x->nlooks != y->nlooks)
    return x->nlooks < y->nlooks ? -1 : 1;
  for (uint32_t i = 0; i < x->nlooks; i++)
    if (x->looks[i].key != y->looks[i].key)
      return x->looks[i].key < y->looks[i].key ? -1 : 1;
  return 0;
}

static int by_group(const void *a, const void *b) {
  const struct fork_read *x = a, *y = b;
  const int groups = compare_groups(x, y);
  if (groups)
    return groups;
  if (x->nseen != y->nseen)
    return x->nseen < y->nseen ? -1 : 1;
  return (x->op > y->op) - (x->op < y->op);
}

static bool is_list_of_lists(const struct log *log, log_id value) {
  return model_is_list(log, value) &&
         model_is_list(log, log_value(log, value)->first);
}

// The word of [:r KEY VALUE] or [:w KEY VALUE]; NULL: it is neither.
static const char *word_of_fork(const struct log *log, log_id id) {
  const struct log_value *v = log_value(log, id);
  if (v->kind != LOG_LIST || v->count != 3 ||
      log_value(log, v->first)->kind != LOG_TEXT)
    return NULL;
  const char *word = text_map_text(&log->texts, log_value(log, v->first)->text);
  word += *word == ':';
  return !strcmp(word, "r") || !strcmp(word, "w") ? word : NULL;
}

// One [:r KEY VALUE]; -1: it is none.
static int take_look(const struct log *log, log_id id,
                     struct value_numbers *keys, struct fork_look *look) {
  const char *verb = word_of_fork(log, id);
  if (!verb || *verb != 'r')
    return -1;
  const struct log_value *word = log_value(log, log_value(log, id)->first);
  const log_id value = log_value(log, word->next)->next;
  *look = (struct fork_look){value_number(keys, log, word->next),
                             log_value(log, value)->kind != LOG_NIL};
  return 0;
}

static int refuse_strange(const struct log *log, uint32_t op,
                          struct error *error) {
  const struct log_value *v = log_value(log, log_op_value(&log->ops[op]));
  bool known = v->kind == LOG_LIST && v->count;
  for (log_id id = v->first; known && id; id = log_value(log, id)->next)
    known = word_of_fork(log, id);
  return known ? 0
               : model_refuse(&log->ops[op],
                              "a vector of reads and writes, such as "
                              "[[:r 0 nil]]",
                              error);
}

// 1: taken; 0: it is no read.
static int take_read(const struct log *log, uint32_t op,
                     struct value_numbers *keys, struct fork_read *read) {
  const struct log_value *v = log_value(log, log_op_value(&log->ops[op]));
  *read = (struct fork_read){
      .op = op, .looks = xmalloc(v->count * sizeof(struct fork_look))};
  for (log_id id = v->first; id; id = log_value(log, id)->next) {
    struct fork_look *look = &read->looks[read->nlooks];
    if (take_look(log, id, keys, look)) {
      free(read->looks);
      return 0;
    }
    read->nseen += look->seen;
    read->nlooks++;
  }
  qsort(read->looks, read->nlooks, sizeof *read->looks, by_key_read);
  return 1;
}

static bool sees_all_of(const struct fork_read *more,
                        const struct fork_read *less) {
  assert(more->nlooks == less->nlooks);
  for (uint32_t i = 0; i < less->nlooks; i++)
    if (less->looks[i].seen && !more->looks[i].seen)
      return false;
  return true;
}

static void judge_reads_of_group(const struct log *log, struct fork_read *reads,
                                 uint32_t count, struct model_answer *answer) {
  if (count)
    qsort(reads, count, sizeof *reads, by_group);
  for (uint32_t i = 1; i < count; i++) {
    const struct fork_read *less = &reads[i - 1], *more = &reads[i];
    if (compare_groups(less, more) || sees_all_of(more, less) ||
        !model_break(answer, "LongFork",
                     "Two reads saw writes to different keys, and each one "
                     "lacks a write that the other one saw: they disagree on "
                     "the order of the writes."))
      continue;
    model_show(log, answer, less->op);
    model_show(log, answer, more->op);
  }
}

static int hold_long_fork(const struct log *log, const int64_t *options,
                          struct model_answer *answer, struct error *error) {
  (void)options;
  struct value_numbers keys = {0};
  struct fork_read *reads = NULL;
  uint32_t count = 0, room = 0;
  int status = 0;
  for (uint32_t i = 0; i < log->nops && status >= 0; i++) {
    if (log->ops[i].outcome != OUTCOME_OK ||
        log_op_is(log, &log->ops[i], "write"))
      continue;
    ARRAY_RESERVE(reads, count, room);
    status = refuse_strange(log, i, error);
    if (status == 0)
      status = take_read(log, i, &keys, &reads[count]);
    count += status > 0;
  }
  answer->checked = count;
  if (status >= 0)
    judge_reads_of_group(log, reads, count, answer);
  if (count < 2)
    model_leave_open(answer, "There are no two reads to compare.");
  for (uint32_t i = 0; i < count; i++)
    free(reads[i].looks);
  free(reads);
  value_numbers_free(&keys);
  return status < 0 ? -1 : 0;
}

const struct log_model model_long_fork = {
    .name = "long-fork",
    .summary = "all reads of a group of keys agree on the order of its writes",
    .functions = {"read", "write", "txn"},
    .reads = is_list_of_lists,
    .check = hold_long_fork};

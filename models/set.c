// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's set: elements are added, and a last read sees each one whose
// addition had succeeded before it, and none that nobody tried to add.
//
//   {:type :ok, :f :add, :process 0, :value 12}
//   {:type :ok, :f :read, :process 1, :value [12 13]}
#include "config.h"

#include "models/elements.h"

#include "base/memory.h"

static bool find_last_read(const struct log *log, uint32_t *last) {
  for (uint32_t i = log->nops; i--;)
    if (log->ops[i].outcome == OUTCOME_OK &&
        log_op_is(log, &log->ops[i], "read")) {
      *last = i;
      return true;
    }
  return false;
}

static bool was_added_before(const struct log_op *addition,
                             const struct log_op *read) {
  return addition->outcome == OUTCOME_OK &&
         addition->completed < log_op_began(read);
}

static int hold_set(const struct log *log, const int64_t *options,
                    struct model_answer *answer, struct error *error) {
  (void)options;
  struct elements elements = {.log = log};
  uint32_t last;
  int status = elements_note_additions(&elements, error);
  if (status == 0 && !find_last_read(log, &last)) {
    model_leave_open(answer, "No read of the set succeeded.");
  } else if (status == 0) {
    status = elements_mark(&elements, last, answer, error);
    answer->checked = 1;
    for (uint32_t i = 0; i < elements.count && status == 0; i++) {
      const struct element *e = &elements.list[i];
      if (e->addition == NO_ADDITION || e->stamp == last + 1 ||
          !was_added_before(&log->ops[e->addition], &log->ops[last]))
        continue;
      elements_break(&elements,
                     &(struct breach){i,
                                      "LostElement",
                                      "The last read lacks",
                                      ", whose addition had succeeded.",
                                      {e->addition, last}},
                     answer);
    }
  }
  elements_free(&elements);
  return status;
}

const struct log_model model_set = {
    .name = "set",
    .summary = "the last read sees every element that was added, and no other",
    .functions = {"read", "add"},
    .reads = model_is_list,
    .check = hold_set};

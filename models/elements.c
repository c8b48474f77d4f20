// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of a set (models/elements.h).
#include "config.h"

#include "models/elements.h"

#include "base/memory.h"

#include <stdlib.h>

static struct element *element_of(struct elements *s, log_id id) {
  const uint32_t number = value_number(&s->numbers, s->log, id);
  if (number >= s->count) {
    const uint32_t count = number * 2 + 16;
    s->list = xrealloc(s->list, count, sizeof *s->list);
    for (uint32_t i = s->count; i < count; i++)
      s->list[i] = (struct element){.addition = NO_ADDITION};
    s->count = count;
  }
  s->list[number].value = id;
  return &s->list[number];
}

// One of several additions of an element that succeeded says most, and one that
// failed nothing.
static bool says_more(const struct log_op *op, const struct log_op *than) {
  static const int rank[OUTCOME_COUNT] = {
      [OUTCOME_OK] = 2, [OUTCOME_UNKNOWN] = 1};
  return rank[op->outcome] > rank[than->outcome];
}

int elements_note_additions(struct elements *s, struct error *error) {
  const struct log *log = s->log;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    if (!log_op_is(log, op, "add"))
      continue;
    if (!op->asked && !op->answered)
      return model_refuse(op, "an element to add", error);
    struct element *e = element_of(s, op->asked ? op->asked : op->answered);
    if (e->addition == NO_ADDITION || says_more(op, &log->ops[e->addition]))
      e->addition = i;
  }
  return 0;
}

void elements_break(const struct elements *s, const struct breach *breach,
                    struct model_answer *answer) {
  char *value = answer->broken
                    ? NULL
                    : model_text(s->log, s->list[breach->element].value, 8);
  if (model_break(answer, breach->name, "%s %s%s", breach->before,
                  value ? value : "", breach->after))
    for (int i = 0; i < 2; i++)
      if (breach->shown[i] != NO_ADDITION)
        model_show(s->log, answer, breach->shown[i]);
  free(value);
}

int elements_mark(struct elements *s, uint32_t read,
                  struct model_answer *answer, struct error *error) {
  const struct log_op *op = &s->log->ops[read];
  const struct log_value *seen = log_value(s->log, log_op_value(op));
  if (seen->kind != LOG_LIST && seen->kind != LOG_NIL)
    return model_refuse(op, "a read of a set, such as #{1 2}", error);
  for (log_id id = seen->first; id; id = log_value(s->log, id)->next) {
    struct element *e = element_of(s, id);
    const uint32_t element = (uint32_t)(e - s->list);
    if (e->stamp == read + UINT64_C(1))
      elements_break(s,
                     &(struct breach){element,
                                      "TwiceInSet",
                                      "A read saw",
                                      " twice in the set.",
                                      {e->addition, read}},
                     answer);
    else if (e->addition == NO_ADDITION)
      elements_break(s,
                     &(struct breach){element,
                                      "ThinAirElement",
                                      "A read saw",
                                      ", which nobody tried to add.",
                                      {NO_ADDITION, read}},
                     answer);
    else if (s->log->ops[e->addition].outcome == OUTCOME_ABORTED)
      elements_break(s,
                     &(struct breach){element,
                                      "AbortedElement",
                                      "A read saw",
                                      ", whose addition had failed.",
                                      {e->addition, read}},
                     answer);
    e->stamp = read + UINT64_C(1);
  }
  return 0;
}

void elements_free(struct elements *s) {
  value_numbers_free(&s->numbers);
  free(s->list);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The table of models, and what they share (models/models.h).
#include "config.h"

#include "models/models.h"

#include "base/memory.h"
#include "base/nearest.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern const struct log_model model_bank, model_comments, model_counter,
    model_dirty_reads, model_long_fork, model_monotonic, model_mutex,
    model_sequential, model_set, model_set_full;

const struct log_model *const log_models[] = {&model_bank,
                                              &model_comments,
                                              &model_counter,
                                              &model_dirty_reads,
                                              &model_long_fork,
                                              &model_monotonic,
                                              &model_mutex,
                                              &model_sequential,
                                              &model_set,
                                              &model_set_full,
                                              NULL};

static const struct log_model *find_named_model(const char *text,
                                                size_t length) {
  for (size_t i = 0; log_models[i]; i++)
    if (strlen(log_models[i]->name) == length &&
        !memcmp(log_models[i]->name, text, length))
      return log_models[i];
  return NULL;
}

bool log_model_is_named(const char *text) {
  return find_named_model(text, strcspn(text, "?"));
}

static const struct log_model *refuse_model_name(const char *text,
                                                 struct error *error) {
  const char *names[32] = {NULL};
  for (size_t i = 0; log_models[i]; i++)
    names[i] = log_models[i]->name;
  const char *near = nearest(text, names);
  error_set_usage(error,
                  near ? "there is no model \"%s\"; did you mean %s?"
                       : "there is no model \"%s\"; `isostress list models` "
                         "names all",
                  text, near);
  return NULL;
}

// One NAME=NUMBER up to the next '&'; -1 with a sentence.
static int take_model_option(const struct log_model *model, const char *text,
                             int64_t *options, struct error *error) {
  char *end;
  for (int i = 0; i < LOG_MODEL_OPTIONS && model->options[i].name; i++) {
    const size_t length = strlen(model->options[i].name);
    if (strncmp(text, model->options[i].name, length) || text[length] != '=')
      continue;
    errno = 0;
    options[i] = strtoll(text + length + 1, &end, 10);
    if (errno || end == text + length + 1 || (*end && *end != '&'))
      return error_set_usage(error,
                             "the option %s of the model %s is a whole "
                             "number, not \"%.*s\"",
                             model->options[i].name, model->name,
                             (int)strcspn(text + length + 1, "&"),
                             text + length + 1);
    return 0;
  }
  return error_set_usage(error, "the model %s has no option \"%.*s\"",
                         model->name, (int)strcspn(text, "&"), text);
}

const struct log_model *log_model_find(const char *text,
                                       int64_t options[LOG_MODEL_OPTIONS],
                                       struct error *error) {
  const size_t length = strcspn(text, "?");
  const struct log_model *model = find_named_model(text, length);
  if (!model)
    return refuse_model_name(text, error);
  for (int i = 0; i < LOG_MODEL_OPTIONS; i++)
    options[i] = OPTION_NOT_GIVEN;
  for (const char *p = text + length; *p;) {
    if (take_model_option(model, ++p, options, error))
      return NULL;
    p += strcspn(p, "&");
  }
  return model;
}

bool log_model_knows(const struct log_model *model, const struct log *log,
                     const struct log_op *op) {
  const char *const *f = model->functions;
  while (*f && !log_op_is(log, op, *f))
    f++;
  return *f;
}

void model_answer_free(struct model_answer *answer) {
  free(answer->sentence);
  free(answer->key);
}

bool model_add_answer(struct model_answer *answer, struct model_answer *part) {
  const bool first =
      part->kind == VERDICT_VIOLATION && answer->kind != VERDICT_VIOLATION;
  const bool passes =
      part->kind == VERDICT_PASS && answer->kind == VERDICT_UNDECIDED;
  const uint64_t broken = answer->broken + part->broken,
                 checked = answer->checked + part->checked;
  if (first || passes || (!answer->sentence && !answer->checked)) {
    model_answer_free(answer);
    *answer = *part;
    part->sentence = part->key = NULL;
  }
  answer->broken = broken;
  answer->checked = checked;
  return first;
}

bool model_is_list(const struct log *log, log_id value) {
  return log_value(log, value)->kind == LOG_LIST;
}

bool model_is_integer(const struct log *log, log_id value) {
  return log_value(log, value)->kind == LOG_INTEGER;
}

bool model_break(struct model_answer *answer, const char *name,
                 const char *sentence, ...) {
  if (answer->broken++)
    return false;
  char text[512];
  va_list arguments;
  va_start(arguments, sentence);
  vsnprintf(text, sizeof text, sentence, arguments);
  va_end(arguments);
  answer->kind = VERDICT_VIOLATION;
  answer->name = name;
  answer->sentence = xstrdup(text);
  return true;
}

void model_show(const struct log *log, struct model_answer *answer,
                uint32_t op) {
  uint32_t at = answer->nshown;
  for (uint32_t i = 0; i < answer->nshown; i++)
    if (answer->shown[i] == op)
      return;
  assert(answer->nshown < MODEL_SHOWN);
  for (; at && log->ops[answer->shown[at - 1]].line > log->ops[op].line; at--)
    answer->shown[at] = answer->shown[at - 1];
  answer->shown[at] = op;
  answer->nshown++;
}

void model_leave_open(struct model_answer *answer, const char *sentence) {
  if (answer->kind == VERDICT_VIOLATION)
    return;
  answer->kind = VERDICT_UNDECIDED;
  free(answer->sentence);
  answer->sentence = xstrdup(sentence);
}

int model_refuse(const struct log_op *op, const char *expected,
                 struct error *error) {
  return error_set(error, "line %" PRIu64 ": expected %s", op->line, expected);
}

char *model_text(const struct log *log, log_id id, uint32_t elements) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  log_print(log, id, elements, out);
  fclose(out);
  return text;
}

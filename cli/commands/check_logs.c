// SPDX-License-Identifier: GPL-3.0-or-later
// Logs against models (cli/commands/check_logs.h).
#include "config.h"

#include "cli/commands/check_logs.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/jobs/checking.h"
#include "cli/jobs/histories.h"
#include "cli/process/signals.h"
#include "models/tests.h"
#include "recorder/files/reader.h"
#include "report/model.h"
#include "report/report.h"
#include "report/text/junit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ELEMENTS = 40 }; // of a collection

// The model, its options, and the log that is held against it.
struct log_question {
  const struct log_model *model;
  int64_t options[LOG_MODEL_OPTIONS];
  const char *path;
  struct log log;
  FILE *tests; // of JUnit; NULL: none are asked for
};

static const char *const outcome_words[OUTCOME_COUNT] = {
    [OUTCOME_OK] = "succeeded",
    [OUTCOME_ABORTED] = "failed",
    [OUTCOME_UNKNOWN] = "nobody knows whether it succeeded"};

static void put_logged_operation(FILE *out, const struct log *log,
                                 const struct log_op *op) {
  char *value = model_text(log, log_op_value(op), SHOWN_ELEMENTS);
  fprintf(out, "    line %" PRIu64 ": ", op->line);
  if (op->process != UINT64_MAX)
    fprintf(out, "process %" PRIu64 ", ", op->process);
  fprintf(out, "%s %s; %s.\n", text_map_text(&log->texts, op->f), value,
          outcome_words[op->outcome]);
  free(value);
}

static void put_log_text(FILE *out, const struct log_question *q,
                         const struct model_answer *answer) {
  switch (answer->kind) {
  case VERDICT_VIOLATION:
    fprintf(out, "VIOLATION: the model %s was broken by %s.\n", q->model->name,
            answer->name);
    break;
  case VERDICT_UNDECIDED:
    fprintf(out, "UNDECIDED: whether the model %s was kept.\n", q->model->name);
    break;
  default:
    fprintf(out, "PASS: the model %s was kept: %s.\n", q->model->name,
            q->model->summary);
  }
  fprintf(out, "  %" PRIu32 " operations, %" PRIu64 " %s checked.\n",
          q->log.nops, answer->checked,
          q->model->counts ? q->model->counts : "reads");
  if (answer->sentence && answer->key)
    fprintf(out, "  Key %s: %s\n", answer->key, answer->sentence);
  else if (answer->sentence)
    fprintf(out, "  %s\n", answer->sentence);
  for (uint32_t i = 0; i < answer->nshown; i++)
    put_logged_operation(out, &q->log, &q->log.ops[answer->shown[i]]);
  if (answer->broken > 1)
    fprintf(out, "  Broken %" PRIu64 " times in all; this is the first.\n",
            answer->broken);
}

static void json_put_value(struct json *json, const char *name,
                           const struct log *log, log_id id) {
  char *text = model_text(log, id, UINT32_MAX);
  json_put_string(json, name, text);
  free(text);
}

static void json_put_operation(struct json *json, const struct log *log,
                               const struct log_op *op) {
  json_put_object(json, NULL);
  json_put_unsigned(json, "line", op->line);
  if (op->process == UINT64_MAX)
    json_put_null(json, "process");
  else
    json_put_unsigned(json, "process", op->process);
  json_put_string(json, "function", text_map_text(&log->texts, op->f));
  json_put_value(json, "value", log, log_op_value(op));
  json_put_string(json, "outcome", outcome_name(op->outcome));
  json_close(json, '}');
}

static void begin_json(struct json *json, const struct log_question *q) {
  json_begin(json, stdout);
  json_put_object(json, NULL);
  json_put_string(json, "schema", "isostress-model/1");
  json_put_string(json, "program", "isostress " PACKAGE_VERSION);
  json_put_string(json, "path", q->path);
}

static void put_log_json(const struct log_question *q,
                         const struct model_answer *answer) {
  const struct verdict verdict = {.kind = answer->kind};
  struct json json;
  begin_json(&json, q);
  json_put_string(&json, "model", q->model->name);
  json_put_string(&json, "verdict", report_verdict_word(&verdict));
  json_put_string(&json, "broken_by", answer->name);
  json_put_string(&json, "meaning", answer->sentence);
  if (answer->key)
    json_put_string(&json, "key", answer->key);
  json_put_unsigned(&json, "times", answer->broken);
  json_put_unsigned(&json, "operations", q->log.nops);
  json_put_unsigned(&json, q->model->counts ? "checked" : "reads_checked",
                    answer->checked);
  json_put_array(&json, "shown");
  for (uint32_t i = 0; i < answer->nshown; i++)
    json_put_operation(&json, &q->log, &q->log.ops[answer->shown[i]]);
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
}

static void put_log_line(const struct log_question *q,
                         const struct model_answer *answer) {
  const struct verdict verdict = {.kind = answer->kind};
  printf("%s\t%s\t%s\t%s\n", q->path, q->model->name,
         report_verdict_word(&verdict), answer->name ? answer->name : "");
}

// A test of JUnit, whose text is freed.
static void put_log_test(const struct log_question *q, enum junit_ending ending,
                         uint64_t begin, char *text) {
  char *name = xasprintf("the model %s is kept", q->model->name);
  const double seconds = (double)(clock_now() - begin) / (double)NS_PER_SECOND;
  junit_put_test(q->tests, &(struct junit_test){q->path, name, seconds, ending,
                                                text, NULL});
  FREE_EACH(name, text);
}

static enum status complain_of_log(const struct log_question *q, uint64_t begin,
                                   enum status status,
                                   const struct error *error) {
  if (q->tests)
    put_log_test(q, JUNIT_ERROR, begin, xstrdup(error->text));
  return complain(status, error);
}

// ---- A log

static void put_test_of_log(const struct log_question *q,
                            const struct model_answer *answer, uint64_t begin) {
  char *text;
  size_t bytes;
  if (!q->tests)
    return;
  FILE *out = text_stream(&text, &bytes);
  put_log_text(out, q, answer);
  fclose(out);
  put_log_test(q, junit_ending_of(answer->kind), begin, text);
}

static enum status ask_log(struct log_question *q,
                           const struct settings *settings, bool line) {
  struct model_answer answer = {.kind = VERDICT_PASS};
  struct error error;
  enum status status;
  const uint64_t begin = clock_now();
  const volatile bool *stop = signals_start_check(settings->timeout);
  if (log_read(&q->log, q->path, stop, &error))
    status = complain_of_log(q, begin,
                             *stop ? STATUS_UNDECIDED : STATUS_TROUBLE, &error);
  else if (log_model_hold(q->model, &q->log, q->options, &answer, &error)) {
    error_prefix(&error, "%s", q->path);
    status = complain_of_log(q, begin, STATUS_TROUBLE, &error);
  } else {
    if (settings->output == OUTPUT_JSON)
      put_log_json(q, &answer);
    else if (line)
      put_log_line(q, &answer);
    else
      put_log_text(stdout, q, &answer);
    put_test_of_log(q, &answer, begin);
    status = status_of_verdict(answer.kind);
  }
  signals_end_check();
  model_answer_free(&answer);
  log_free(&q->log);
  return status;
}

void check_logs_suggest(const char *path, struct error *error) {
  struct log log = {0};
  struct error none;
  char names[128] = "";
  const int unread = log_read(&log, path, NULL, &none);
  for (size_t i = 0; !unread && log_models[i]; i++)
    if (log_model_fits(log_models[i], &log))
      snprintf(names + strlen(names), sizeof names - strlen(names),
               "%s--model=%s", *names ? " or " : "", log_models[i]->name);
  if (*names)
    error_set(error,
              "%s: this is no history of transactions, but may be a log of a "
              "test of Jepsen: check it with %s",
              path, names);
  log_free(&log);
}

// ---- A history of a run

static void put_log_answer(const struct log_question *q,
                           const struct test_answer *answer,
                           const struct settings *settings, bool line) {
  struct json json;
  if (settings->output == OUTPUT_JSON) {
    begin_json(&json, q);
    model_put_json(&json, answer);
    json_close(&json, '}');
    json_end(&json);
  } else if (line)
    put_log_line(q, &answer->is);
  else
    model_put_text(stdout, answer);
}

static void put_test_of_history(const struct log_question *q,
                                const struct test_answer *answer,
                                uint64_t begin) {
  char *text;
  size_t bytes;
  if (!q->tests)
    return;
  FILE *out = text_stream(&text, &bytes);
  model_put_text(out, answer);
  fclose(out);
  put_log_test(q, junit_ending_of(answer->is.kind), begin, text);
}

static enum status ask_history(struct log_question *q,
                               const struct settings *settings, bool line) {
  struct checking checking;
  struct test_answer answer = {0};
  struct error error;
  enum status status;
  const uint64_t begin = clock_now();
  if (checking_start(&checking, q->path, settings, &error))
    status = complain_of_log(
        q, begin, checking.unread ? STATUS_UNDECIDED : STATUS_TROUBLE, &error);
  else if (test_check_model(q->model, q->options, &checking.history, &answer,
                            &error)) {
    error_prefix(&error, "%s", q->path);
    status = complain_of_log(q, begin, STATUS_TROUBLE, &error);
  } else {
    if (checking.salvage[0])
      put_sentence(checking.salvage);
    put_log_answer(q, &answer, settings, line);
    put_test_of_history(q, &answer, begin);
    status = status_of_verdict(answer.is.kind);
  }
  test_answer_free(&answer);
  checking_end(&checking);
  return status;
}

// ---- All files

static bool is_log_of_run(const char *path) {
  struct error error;
  return history_format_of(path, &error) == history_formats[0];
}

// A directory is one of results.
static int find_files(const struct arguments *arguments,
                      const struct settings *settings, struct file_list *list,
                      struct error *error) {
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (histories_at(arguments->words[i], &settings->reading, list, error))
      return -1;
  return 0;
}

enum status check_logs(const struct arguments *arguments,
                       const struct settings *settings, FILE *tests) {
  struct log_question q = {.tests = tests};
  struct file_list list = {0};
  struct error error;
  enum status status = STATUS_KEPT;
  q.model = log_model_find(settings->log_model, q.options, &error);
  if (!q.model)
    return complain(STATUS_USAGE, &error);
  if (settings->levels || settings->explain || settings->witness) {
    error_set(&error,
              "--model=%s asks for no level, and has no page and no proof: "
              "leave out --level, --explain and --witness; --output=json "
              "tells the operations that break the promise",
              settings->log_model);
    return complain(STATUS_USAGE, &error);
  }
  if (find_files(arguments, settings, &list, &error))
    status = complain(STATUS_TROUBLE, &error);
  signals_catch();
  for (uint32_t i = 0; i < list.count && !*signals_stop(); i++) {
    q.path = list.paths[i];
    status =
        status_worse(status, (is_log_of_run(q.path) ? ask_history : ask_log)(
                                 &q, settings, list.count > 1));
    fflush(stdout);
  }
  file_list_free(&list);
  return *signals_stop() ? status_interrupted(status, "all logs") : status;
}

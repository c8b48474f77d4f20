// SPDX-License-Identifier: GPL-3.0-or-later
// isostress check: a verdict on recorded histories.
#include "config.h"

#include "cli/commands.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/commands/check_logs.h"
#include "cli/commands/collection.h"
#include "cli/commands/second_opinion.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/checking.h"
#include "cli/jobs/histories.h"
#include "cli/jobs/opinion.h"
#include "cli/jobs/results.h"
#include "cli/jobs/rundir.h"
#include "cli/process/jobs_pool.h"
#include "cli/process/signals.h"
#include "cli/process/stdin_input.h"
#include "cli/settings/levels.h"
#include "cli/status.h"
#include "report/report.h"
#include "report/stored.h"
#include "report/text/junit.h"
#include "report/text/text.h"
#include "report/words/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The request, which is the same for all files.
struct check_request {
  struct settings settings;
  bool lines;  // a line per file and level instead of a report
  FILE *tests; // of JUnit; NULL: none are asked for
};

// Whatever it is called, a file has one line, whose first tab is behind it.
static void put_checked_path(const char *path) {
  static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
  for (; *path; path++) {
    const char *const found = strchr(special, *path);
    if (found)
      printf("\\%c", letters[found - special]);
    else
      putchar(*path);
  }
}

static void put_check_line(const char *path, const char *level,
                           const struct verdict *verdict) {
  const bool named =
      verdict->kind == VERDICT_VIOLATION && verdict->anomaly != ANOMALY_NONE;
  put_checked_path(path);
  printf("\t%s\t%s\t%s\n", level, report_verdict_word(verdict),
         named ? anomaly_info(verdict->anomaly)->name : "");
}

static void put_check_lines(const struct checking *checking) {
  const struct verdict *verdict = checking->told;
  if (!checking->scored)
    put_check_line(checking->path,
                   verdict->question.recorded
                       ? "recorded"
                       : isolation_name(verdict->question.level),
                   verdict);
  for (int level = ISOLATION_SSER; checking->scored && level > 0; level--)
    put_check_line(checking->path, isolation_name((enum isolation)level),
                   auto_level_at(&checking->card, (enum isolation)level));
}

// A test of what could not be asked; `question` as for question_title.
static void put_lacking(const struct check_request *request, const char *path,
                        int question, const struct error *error) {
  const struct report report = {.command = "check",
                                .asked = question_title(question),
                                .trouble = error->text};
  if (request->tests)
    junit_put_report(request->tests, path, &report, NULL);
}

static void put_check_test(const struct check_request *request,
                           const struct report *report) {
  const char *explain = request->settings.explain;
  char *page = explain ? xasprintf("%s/report.html", explain) : NULL;
  if (request->tests)
    junit_put_report(request->tests, report->history_path, report, page);
  free(page);
}

// -1 with a sentence if what is to be explained could not be written.
static int put_check_report(const struct check_request *request,
                            const struct checking *checking,
                            struct error *error) {
  const char *explain = request->settings.explain;
  const struct report report = {
      .command = "check",
      .history_path = checking->path,
      .history = &checking->history,
      .events = checking->history.events,
      .nevents = checking->history.nevents,
      .salvage = checking->salvage[0] ? checking->salvage : NULL,
      .verdict = checking->told,
      .beyond = checking->beyond,
      .raw_values = request->settings.raw_values,
      .chances = checking->counted ? &checking->chances : NULL,
      .streamed = checking->flow != NULL,
      .auto_level = checking->scored ? &checking->card : NULL,
      .claimed = checking->claimed,
      .check_seconds = checking->seconds,
  };
  if (request->settings.output == OUTPUT_JSON)
    report_json(stdout, &report);
  else if (request->lines)
    put_check_lines(checking);
  else
    report_text(stdout, &report, NULL);
  fflush(stdout); // a long check may follow
  put_check_test(request, &report);
  if (!explain)
    return 0;
  const int failed = rundir_make_path(explain, error) ||
                     results_write(explain, &report, error);
  all_results_update(explain);
  return failed ? -1 : 0;
}

static enum status ask_another(const struct check_request *request,
                               struct checking *checking, int question) {
  static const enum junit_ending endings[] = {[STATUS_KEPT] = JUNIT_PASSED,
                                              [STATUS_VIOLATION] =
                                                  JUNIT_FAILURE,
                                              [STATUS_UNDECIDED] = JUNIT_ERROR};
  const enum status status =
      second_opinion(checking, question, &request->settings,
                     request->lines ? put_check_line : NULL);
  char *name = xasprintf("%s is kept", question_title(question));
  char *text = xasprintf("%s, says --method=%s",
                         status == STATUS_VIOLATION ? "VIOLATION" : "UNDECIDED",
                         opinion_method_name(request->settings.method));
  if (request->tests)
    junit_put_test(request->tests,
                   &(struct junit_test){checking->path, name, checking->seconds,
                                        endings[status], text, NULL});
  FREE_EACH(name, text);
  return status;
}

static enum status check_asked_level(const struct check_request *request,
                                     struct checking *checking, int question) {
  struct error error;
  if (request->settings.method != METHOD_ENGINE)
    return ask_another(request, checking, question);
  if (checking_check(checking, question, &request->settings, &error)) {
    if (!checking->unread)
      error_prefix(&error, "%s", checking->path);
    put_lacking(request, checking->path, question, &error);
    return complain(checking->unread ? STATUS_UNDECIDED : STATUS_TROUBLE,
                    &error);
  }
  if (put_check_report(request, checking, &error) ||
      checking_keep_witness(checking, &request->settings, &error))
    return complain(STATUS_TROUBLE, &error);
  return status_of_verdict(checking_result(checking));
}

// The level that the run which left the history was checked at, if its report
// is beside it.
static enum isolation level_of_report(const char *history) {
  struct arena arena = {0};
  struct error error;
  char *directory = file_directory(history);
  char *path = xasprintf("%s/report.json", directory);
  const struct json_value *verdict =
      json_member(stored_document(&arena, path, &error), KEY(verdict));
  enum isolation level;
  if (!isolation_parse(json_text(verdict, KEY(level), ""), &level))
    level = ISOLATION_NONE;
  arena_free(&arena);
  free(path);
  free(directory);
  return level;
}

static bool is_history_of_run(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && rundir_is_history(slash + 1);
}

// A run's history is asked again what its page answers.
static int usual_question(const struct checking *checking) {
  const int recorded = checking_recorded_level(checking);
  const enum isolation asked = is_history_of_run(checking->path)
                                   ? level_of_report(checking->path)
                                   : ISOLATION_NONE;
  if (asked == ISOLATION_NONE || (int)asked == recorded ||
      recorded == LEVEL_RECORDED)
    return recorded;
  tell_user("%s: checked for %s, as the run was; --level names another level",
            checking->path, isolation_title(asked));
  return (int)asked;
}

// The levels to check as a set; empty with a sentence if nobody says.
static unsigned levels_of(const struct check_request *request,
                          const struct checking *checking,
                          struct error *error) {
  if (request->settings.levels)
    return request->settings.levels;
  const int usual = usual_question(checking);
  if (usual != ISOLATION_NONE)
    return 1u << usual;
  error_set(error,
            "%s does not say at which level it was recorded, or that level "
            "promises nothing: name the level to check with --level",
            checking->path);
  return 0;
}

// The level that all histories are asked about; ISOLATION_NONE: there are
// several, or it depends on the history.
static int only_question(const struct check_request *request) {
  for (int q = 0; q < LEVEL_QUESTIONS; q++)
    if (request->settings.levels == 1u << q)
      return q;
  return ISOLATION_NONE;
}

static enum status
say_that_nothing_is_there(const struct check_request *request,
                          const struct checking *checking) {
  struct error error;
  if (checking->salvage[0])
    error_set(&error, "%s: there is nothing to check", checking->salvage);
  else
    error_set(&error, "%s holds no transaction: there is nothing to check",
              checking->path);
  put_lacking(request, checking->path, only_question(request), &error);
  return complain(STATUS_UNDECIDED, &error);
}

// The questions that one history is to be asked.
struct examination {
  const struct check_request *request;
  struct checking *checking;
  int questions[LEVEL_QUESTIONS];
};

// To be done on so many cores.
static struct check_request on_cores(const struct check_request *request,
                                     uint32_t cores) {
  struct check_request piece = *request;
  piece.settings.jobs = cores;
  return piece;
}

static enum status examine(void *context, uint32_t i, uint32_t cores) {
  const struct examination *e = context;
  const struct check_request request = on_cores(e->request, cores);
  return check_asked_level(&request, e->checking, e->questions[i]);
}

static enum status check_levels(const struct check_request *request,
                                struct checking *checking) {
  struct error error;
  if (!checking_count_txns(checking))
    return say_that_nothing_is_there(request, checking);
  struct examination e = {.request = request, .checking = checking};
  struct jobs_pool pool = {.work = examine,
                           .context = &e,
                           .beside = request->tests,
                           .jobs = jobs_pool_cores(request->settings.jobs)};
  const unsigned levels = levels_of(request, checking, &error);
  if (!levels) {
    put_lacking(request, checking->path, ISOLATION_NONE, &error);
    return complain(STATUS_USAGE, &error);
  }
  for (int question = 0; question < LEVEL_QUESTIONS; question++)
    if (levels >> question & 1)
      e.questions[pool.count++] = question;
  return jobs_pool_run(&pool);
}

static enum status check_file(const struct check_request *request,
                              const char *path) {
  struct checking checking;
  struct error error;
  enum status status;
  if (checking_start(&checking, path, &request->settings, &error)) {
    if (!checking.unread)
      check_logs_suggest(path, &error);
    put_lacking(request, path, only_question(request), &error);
    status =
        complain(checking.unread ? STATUS_UNDECIDED : STATUS_TROUBLE, &error);
  } else {
    if (checking.salvage[0] && request->lines)
      put_sentence(checking.salvage);
    status = check_levels(request, &checking);
  }
  checking_end(&checking);
  return status;
}

// All files that are asked for.
struct pile {
  const struct check_request *request;
  const struct file_list *list;
  const struct stdin_input *piped;
};

static enum status take_file(void *context, uint32_t i, uint32_t cores) {
  const struct pile *pile = context;
  const char *path = pile->list->paths[i];
  struct check_request request = on_cores(pile->request, cores);
  if (collection_starts(path))
    return collection_check(path, &request.settings, request.tests);
  request.settings.reading.called = stdin_input_word(pile->piped, path);
  return check_file(&request, path);
}

static enum status check_all_files(const struct check_request *request,
                                   const struct file_list *list,
                                   const struct stdin_input *piped) {
  struct pile pile = {request, list, piped};
  const struct jobs_pool pool = {.work = take_file,
                                 .context = &pile,
                                 .beside = request->tests,
                                 .count = list->count,
                                 .jobs =
                                     jobs_pool_cores(request->settings.jobs)};
  signals_catch();
  return jobs_pool_run(&pool);
}

static int find_checked_histories(const char *word,
                                  const struct check_request *request,
                                  struct file_list *list,
                                  struct stdin_input *piped,
                                  struct error *error) {
  const struct read_options *options = &request->settings.reading;
  const char *path = stdin_input_path(piped, word, options, error);
  return path ? histories_at(path, options, list, error) : -1;
}

// Is the history what the word names, or what the run in that directory left?
static bool is_only_history(const char *path, const char *word) {
  const size_t n = strlen(word);
  return !strcmp(path, word) ||
         (is_history_of_run(path) && !strncmp(path, word, n) &&
          !strchr(path + n + strspn(path + n, "/"), '/'));
}

// -1 with a sentence about options that do not go together.
static int check_request(const struct check_request *request,
                         struct error *error) {
  const struct settings *settings = &request->settings;
  const bool all = settings->levels >> LEVEL_AUTO & 1;
  if (settings->method != METHOD_ENGINE &&
      (settings->explain || settings->witness || all))
    return error_set(error,
                     "--method=%s answers without a proof at levels that you "
                     "name: leave out --explain, --witness and --level=auto",
                     opinion_method_name(settings->method));
  if (settings->stream == STREAM_ON &&
      (settings->witness || all || settings->method != METHOD_ENGINE))
    return error_set(error, "--stream=on keeps no order and answers levels "
                            "that you name: leave out --witness, --method and "
                            "--level=auto");
  if (settings->explain && request->lines)
    return error_set(error, "--explain takes one history and one level");
  if (settings->witness && (request->lines || all))
    return error_set(error, "--witness takes one history and one level");
  return 0;
}

static enum status check_words(struct check_request *request,
                               const struct arguments *arguments) {
  struct file_list list = {0};
  struct stdin_input piped = {0};
  struct error error;
  enum status status = STATUS_KEPT;
  const unsigned levels = request->settings.levels;
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *word = arguments->words[i];
    if (find_checked_histories(word, request, &list, &piped, &error)) {
      put_lacking(request, word, only_question(request), &error);
      status = status_worse(status, complain(STATUS_TROUBLE, &error));
    }
  }
  request->lines =
      arguments->nwords > 1 || list.count > 1 ||
      (list.count && !is_only_history(stdin_input_word(&piped, list.paths[0]),
                                      arguments->words[0])) ||
      (levels & (levels - 1));
  status = check_request(request, &error)
               ? complain(STATUS_USAGE, &error)
               : status_worse(status, check_all_files(request, &list, &piped));
  stdin_input_free(&piped);
  file_list_free(&list);
  return status;
}

// ---- JUnit

// All bytes of a file that was written; to be freed.
static char *read_back(FILE *file, size_t *bytes) {
  const long end = ftell(file);
  *bytes = end > 0 ? (size_t)end : 0;
  char *text = xmalloc(*bytes + 1);
  rewind(file);
  *bytes = fread(text, 1, *bytes, file);
  return text;
}

// A request that was refused has no tests, and leaves the file as it is.
static enum status write_suite(const struct check_request *request) {
  struct error error;
  size_t bytes;
  if (*signals_stop())
    junit_put_test(
        request->tests,
        &(struct junit_test){"check", "all was checked", 0, JUNIT_ERROR,
                             "interrupted before all checks had ended", NULL});
  char *tests = read_back(request->tests, &bytes);
  const struct junit_property properties[] = {{"program", PACKAGE_STRING},
                                              {NULL, NULL}};
  char *suite = junit_suite("check", properties, tests, bytes);
  const int failed =
      bytes && junit_write(request->settings.junit, &suite, 1, &error);
  FREE_EACH(tests, suite);
  return failed ? complain(STATUS_TROUBLE, &error) : STATUS_KEPT;
}

static enum status check_all(struct check_request *request,
                             const struct arguments *arguments) {
  return request->settings.log_model
             ? check_logs(arguments, &request->settings, request->tests)
             : check_words(request, arguments);
}

static enum status check_with_suite(struct check_request *request,
                                    const struct arguments *arguments) {
  struct error error;
  if (whole_file_check(request->settings.junit, &error))
    return complain(STATUS_TROUBLE, &error);
  request->tests = tmpfile();
  if (!request->tests) {
    error_set(&error, "cannot keep tests for %s: %s", request->settings.junit,
              strerror(errno));
    return complain(STATUS_TROUBLE, &error);
  }
  enum status status = check_all(request, arguments);
  status = status_worse(status, write_suite(request));
  fclose(request->tests);
  return status;
}

enum status check_command(const struct arguments *arguments) {
  struct check_request request = {0};
  struct error error;
  settings_default(&request.settings, FOR_CHECK);
  arguments_give(arguments, &request.settings);
  signals_leave();
  const char *witness = request.settings.witness;
  if (witness && whole_file_check(witness, &error))
    return complain(STATUS_TROUBLE, &error);
  if (arguments->nwords)
    return (request.settings.junit ? check_with_suite : check_all)(&request,
                                                                   arguments);
  error_set(&error, "say which history to check, such as `isostress check "
                    "results/runs/latest/history`");
  return complain(STATUS_USAGE, &error);
}

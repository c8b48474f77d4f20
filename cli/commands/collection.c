// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the histories of a collection (cli/commands/collection.h).
#include "config.h"

#include "cli/commands/collection.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "cli/jobs/opinion.h"
#include "cli/process/signals.h"
#include "cli/settings/levels.h"
#include "recorder/files/reader.h"
#include "report/report.h"
#include "report/text/junit.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool collection_starts(const char *path) {
  char head[32] = "";
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  const size_t n = fread(head, 1, sizeof head - 1, file);
  fclose(file);
  const char *p = head;
  for (const char *want = "{\"id\":"; *want; want++, p++) {
    while (p < head + n && isspace((unsigned char)*p))
      p++;
    if (*p != *want)
      return false;
  }
  return true;
}

// The history of one line.
struct entry {
  const char *id;
  const char *place; // PATH:LINE
  struct history history;
};

// The verdicts of one history, as they are printed.
struct verdicts {
  unsigned questions; // that were asked: levels, and LEVEL_RECORDED
  enum verdict_kind kind[LEVEL_QUESTIONS];
  enum anomaly anomaly[LEVEL_QUESTIONS];
  double seconds[LEVEL_QUESTIONS];
};

static const char *word_of_question(int question) {
  return question == LEVEL_RECORDED ? "recorded"
                                    : isolation_name((enum isolation)question);
}

static const char *word_of_kind(enum verdict_kind kind) {
  const struct verdict verdict = {.kind = kind};
  return report_verdict_word(&verdict);
}

static void print_line(const struct entry *entry, const struct verdicts *v) {
  struct json json;
  json_begin_line(&json, stdout);
  json_put_object(&json, NULL);
  json_put_string(&json, "id", entry->id);
  json_put_object(&json, "verdicts");
  for (int q = 0; q < LEVEL_QUESTIONS; q++)
    if (v->questions >> q & 1)
      json_put_string(&json, word_of_question(q), word_of_kind(v->kind[q]));
  json_close(&json, '}');
  json_put_object(&json, "anomalies");
  for (int q = 0; q < LEVEL_QUESTIONS; q++)
    if (v->questions >> q & 1 && v->kind[q] == VERDICT_VIOLATION &&
        v->anomaly[q] != ANOMALY_NONE)
      json_put_string(&json, word_of_question(q),
                      anomaly_info(v->anomaly[q])->name);
  json_close(&json, '}');
  json_close(&json, '}');
  json_end(&json);
}

static void print_text(const struct entry *entry, const struct verdicts *v) {
  for (int q = 0; q < LEVEL_QUESTIONS; q++)
    if (v->questions >> q & 1)
      printf("%s\t%s\t%s\t%s\n", entry->id, word_of_question(q),
             word_of_kind(v->kind[q]),
             v->kind[q] == VERDICT_VIOLATION ? anomaly_info(v->anomaly[q])->name
                                             : "");
}

// A test for each history and level; they have no texts of their own.
static void put_entry_tests(FILE *tests, const struct entry *entry,
                            const struct verdicts *v) {
  for (int q = 0; tests && q < LEVEL_QUESTIONS; q++) {
    if (!(v->questions >> q & 1))
      continue;
    const bool broken = v->kind[q] == VERDICT_VIOLATION;
    char *name = xasprintf("%s: %s is kept", entry->id, question_title(q));
    char *text =
        broken
            ? xasprintf("VIOLATION: %s was broken by %s.", question_title(q),
                        anomaly_info(v->anomaly[q])->name)
            : xasprintf("UNDECIDED: whether %s was kept.", question_title(q));
    junit_put_test(tests,
                   &(struct junit_test){.group = entry->place,
                                        .name = name,
                                        .seconds = v->seconds[q],
                                        .ending = junit_ending_of(v->kind[q]),
                                        .text = text});
    FREE_EACH(name, text);
  }
}

// -1 with a sentence if a verdict failed its own proof.
static int check_at(const struct entry *entry, int question,
                    const struct settings *settings, struct verdicts *v,
                    struct error *error) {
  const struct check_options options = {
      .question = settings_question(settings, question),
      .max_examples = 0,
      .stop = signals_start_check(settings->timeout),
  };
  if (settings->method != METHOD_ENGINE) {
    struct opinion opinion;
    opinion_ask(&opinion, &entry->history, &options, settings->method);
    signals_end_check();
    v->kind[question] = opinion.kind;
    v->anomaly[question] = ANOMALY_NONE;
    return 0;
  }
  struct verdict verdict = {0};
  const int result = check(&entry->history, &options, &verdict, error);
  signals_end_check();
  v->kind[question] = verdict.kind;
  v->anomaly[question] = verdict.anomaly;
  verdict_free(&verdict);
  return result;
}

static enum status complain_with_test(const char *place,
                                      const struct error *error, FILE *tests) {
  const struct report report = {.command = "check", .trouble = error->text};
  if (tests)
    junit_put_report(tests, place, &report, NULL);
  return complain(STATUS_TROUBLE, error);
}

static enum status check_entry(const struct entry *entry,
                               const struct settings *settings,
                               unsigned questions, FILE *tests) {
  struct verdicts v = {.questions = questions};
  enum status status = STATUS_KEPT;
  struct error error;
  for (int q = 0; q < LEVEL_QUESTIONS; q++) {
    if (!(questions >> q & 1))
      continue;
    const uint64_t begin = clock_now();
    if (check_at(entry, q, settings, &v, &error)) {
      error_prefix(&error, "%s: %s", entry->place, entry->id);
      return complain_with_test(entry->place, &error, tests);
    }
    v.seconds[q] = (double)(clock_now() - begin) / NS_PER_SECOND;
    status = status_worse(status, status_of_verdict(v.kind[q]));
  }
  (settings->output == OUTPUT_JSON ? print_line : print_text)(entry, &v);
  put_entry_tests(tests, entry, &v);
  return status;
}

// Reads the line and its history; -1 with a sentence.
static int read_entry(struct arena *arena, const char *line, size_t bytes,
                      const struct read_options *reading, struct entry *entry,
                      struct error *error) {
  const struct json_value *object = json_read(arena, line, bytes, error);
  if (!object)
    return error_prefix(error, "%s", entry->place);
  entry->id = json_text(object, "id", NULL);
  struct read_options options = *reading;
  options.text = json_text(object, "history", NULL);
  if (!entry->id || !options.text)
    return error_set(error,
                     "%s: expected {\"id\": TEXT, \"history\": TEXT}, the "
                     "content of a history",
                     entry->place);
  options.text_bytes = strlen(options.text);
  options.called = NULL;
  if (history_read_with(entry->place, &options, &entry->history, error))
    return -1;
  history_separate_lists(&entry->history);
  return 0;
}

static enum status take_entry_line(const char *place, const char *line,
                                   size_t bytes,
                                   const struct settings *settings,
                                   unsigned questions, FILE *tests) {
  struct arena arena = {0};
  struct entry entry = {.place = place};
  struct error error;
  enum status status =
      read_entry(&arena, line, bytes, &settings->reading, &entry, &error)
          ? complain_with_test(place, &error, tests)
          : check_entry(&entry, settings, questions, tests);
  history_free(&entry.history);
  arena_free(&arena);
  return status;
}

static bool is_blank_entry(const char *line) {
  return line[strspn(line, " \t\r\n")] == 0;
}

// All levels that a history can be asked about, where nothing was asked, or
// all.
static unsigned questions_of(const struct settings *settings) {
  const unsigned all = (1u << ISOLATION_COUNT) - (1u << ISOLATION_RC);
  const unsigned asked = settings->levels & ~(1u << LEVEL_AUTO);
  return asked == settings->levels && asked ? asked : asked | all;
}

enum status collection_check(const char *path, const struct settings *settings,
                             FILE *tests) {
  enum status status = STATUS_KEPT;
  struct error error;
  char *line = NULL;
  size_t room = 0;
  ssize_t bytes;
  FILE *file = fopen(path, "re");
  if (!file) {
    error_set(&error, "%s: %s", path, strerror(errno));
    return complain_with_test(path, &error, tests);
  }
  for (uint64_t n = 1;
       !*signals_stop() && (bytes = getline(&line, &room, file)) > 0; n++) {
    char *place = xasprintf("%s:%" PRIu64, path, n);
    if (!is_blank_entry(line))
      status = status_worse(
          status, take_entry_line(place, line, (size_t)bytes, settings,
                                  questions_of(settings), tests));
    free(place);
  }
  if (ferror(file)) {
    error_set(&error, "%s: %s", path, strerror(errno));
    status = status_worse(status, complain_with_test(path, &error, tests));
  }
  free(line);
  fclose(file);
  return *signals_stop() ? status_interrupted(status, "all histories") : status;
}

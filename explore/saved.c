// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads surveys (explore/saved.h).
#include "config.h"

#include "explore/saved.h"

#include "base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char heading[] = "isostress explore 1\n";

// The numbers of a survey, which have a line each.
static const struct {
  const char *name;
  size_t offset;
} numbers[] = {
    {"histories", offsetof(struct survey, result.histories)},
    {"leaves", offsetof(struct survey, result.leaves)},
    {"blocked", offsetof(struct survey, result.blocked)},
    {"not-serializable", offsetof(struct survey, not_serializable)},
    {"failing", offsetof(struct survey, failing)},
    {"refuted", offsetof(struct survey, refuted)},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static uint64_t *saved_number(struct survey *survey, size_t i) {
  return (uint64_t *)((char *)survey + numbers[i].offset);
}

static void free_one(struct saved_survey *s) {
  free(s->name);
  survey_free(&s->survey);
}

void saved_free(struct saved *saved) {
  for (uint32_t i = 0; i < saved->n; i++)
    free_one(&saved->all[i]);
  free(saved->all);
  *saved = (struct saved){0};
}

static struct saved_survey *add_saved(struct saved *saved, char *name,
                                      uint64_t digest) {
  ARRAY_RESERVE(saved->all, saved->n, saved->room);
  saved->all[saved->n] = (struct saved_survey){.name = name, .digest = digest};
  return &saved->all[saved->n++];
}

// ---- Which one it is

static char *saved_name_of(const struct program *program,
                           const struct explore_options *options) {
  return xasprintf("%s %s%s%s", level_name(options->level), program->path,
                   *program->member ? " " : "", program->member);
}

static uint64_t digest_of(const struct program *program,
                          const struct survey_options *options) {
  const struct explore_options *o = &options->explore;
  const uint64_t all[] = {program->digest,
                          program->max_ops,
                          program->rows,
                          o->level,
                          o->algorithm,
                          o->has_base,
                          o->has_base ? o->base : 0,
                          o->robust,
                          options->assert_only,
                          options->verify,
                          options->part,
                          options->nparts};
  return XXH3_64bits(all, sizeof all);
}

int saved_take(struct saved *saved, const char *path,
               const struct program *program,
               const struct survey_options *options, struct survey *survey,
               struct error *error) {
  char *name = saved_name_of(program, &options->explore);
  uint32_t i = 0;
  while (i < saved->n && strcmp(saved->all[i].name, name))
    i++;
  if (i == saved->n && !saved->taken)
    error_set_usage(error,
                    "%s holds no exploration of %s; resume with the programs "
                    "and levels that it was saved with",
                    path, name);
  free(name);
  if (i == saved->n)
    return saved->taken ? 0 : -1;
  saved->taken = true;
  struct saved_survey *s = &saved->all[i];
  if (s->digest != digest_of(program, options))
    return error_set_usage(error,
                           "%s: its exploration of %s has another program or "
                           "other options; resume with those it was saved with",
                           path, s->name);
  *survey = s->survey;
  s->survey = (struct survey){0};
  free_one(s);
  *s = saved->all[--saved->n];
  return 0;
}

void saved_keep(struct saved *saved, const struct program *program,
                const struct survey_options *options, struct survey *survey) {
  add_saved(saved, saved_name_of(program, &options->explore),
            digest_of(program, options))
      ->survey = *survey;
  *survey = (struct survey){0};
}

// ---- Writing

static void put_saved(FILE *out, struct saved_survey *s) {
  struct survey *v = &s->survey;
  fprintf(out, "survey %016" PRIx64 " %s\n", s->digest, s->name);
  for (size_t i = 0; i < NUMBERS; i++)
    fprintf(out, "%s %" PRIu64 "\n", numbers[i].name, *saved_number(v, i));
  fprintf(out, "most-operations %" PRIu32 "\n", v->most_operations);
  for (uint32_t i = 0; i < v->nfailures; i++)
    fprintf(out, "failure %u %" PRIu32 " %" PRIu32 " %" PRIu64 "\n",
            v->failures[i].failure.kind, v->failures[i].failure.at,
            v->failures[i].line, v->failures[i].histories);
  for (uint64_t i = 0; i < v->outcomes.nslots; i++)
    if (v->outcomes.slots[i].a)
      fprintf(out, "outcome %" PRIx64 " %" PRIx64 "\n", v->outcomes.slots[i].a,
              v->outcomes.slots[i].b);
  for (uint32_t i = 0; i < v->open.n; i++) {
    fputs("task", out);
    task_put(out, &v->open.all[i]);
  }
}

static void put_all_saved(FILE *out, const void *context) {
  const struct saved *saved = context;
  fputs(heading, out);
  for (uint32_t i = 0; i < saved->n; i++)
    put_saved(out, &saved->all[i]);
  fputs("end\n", out);
}

int saved_write(const char *path, const struct saved *saved,
                struct error *error) {
  return whole_file_write(path, put_all_saved, saved, error);
}

char *saved_text(const struct saved *saved, uint64_t *bytes) {
  char *text;
  size_t n;
  FILE *out = text_stream(&text, &n);
  put_all_saved(out, saved);
  fclose(out);
  *bytes = n;
  return text;
}

// ---- Reading

static bool read_saved_number(struct survey *survey, const char *word,
                              const char *rest) {
  uint64_t n;
  int end = 0;
  if (sscanf(rest, "%" SCNu64 "%n", &n, &end) != 1 || rest[end])
    return false;
  for (size_t i = 0; i < NUMBERS; i++)
    if (!strcmp(numbers[i].name, word)) {
      *saved_number(survey, i) = n;
      return true;
    }
  survey->most_operations = (uint32_t)n;
  return !strcmp(word, "most-operations");
}

static bool read_failure(struct survey *survey, const char *rest) {
  unsigned kind;
  uint32_t at, line;
  uint64_t histories;
  int end = 0;
  if (sscanf(rest, "%u %" SCNu32 " %" SCNu32 " %" SCNu64 "%n", &kind, &at,
             &line, &histories, &end) != 4 ||
      rest[end] || !kind || kind > FAILURE_NOT_SERIAL)
    return false;
  survey_add_failure(survey, (struct failure){(uint8_t)kind, at}, line,
                     histories);
  return true;
}

static bool read_saved_outcome(struct survey *survey, const char *rest) {
  struct outcome_key key;
  int end = 0;
  if (sscanf(rest, "%" SCNx64 " %" SCNx64 "%n", &key.a, &key.b, &end) != 2 ||
      rest[end] || !key.a)
    return false;
  outcomes_add(&survey->outcomes, key);
  return true;
}

static bool read_survey(struct saved *saved, const char *rest) {
  uint64_t digest;
  int at = 0;
  if (sscanf(rest, "%16" SCNx64 " %n", &digest, &at) != 1 || !rest[at])
    return false;
  add_saved(saved, xstrdup(rest + at), digest)->survey.goes_on = true;
  return true;
}

static bool read_saved_line(struct saved *saved, char *line) {
  const size_t n = strcspn(line, " ");
  const char *rest = line[n] ? line + n + 1 : line + n;
  struct survey *survey = saved->n ? &saved->all[saved->n - 1].survey : NULL;
  if (!strncmp(line, "task", n) && n == 4)
    return survey && tasks_read(&survey->open, line + n);
  line[n] = '\0';
  if (!strcmp(line, "survey"))
    return read_survey(saved, rest);
  if (!survey)
    return false;
  return !strcmp(line, "failure")   ? read_failure(survey, rest)
         : !strcmp(line, "outcome") ? read_saved_outcome(survey, rest)
                                    : read_saved_number(survey, line, rest);
}

static int read_saved_lines(FILE *file, const char *path, struct saved *saved,
                            struct error *error) {
  char *line = NULL;
  size_t room = 0;
  uint32_t number = 1;
  ssize_t n = getline(&line, &room, file);
  bool ok = n > 0 && !strcmp(line, heading), ends = false;
  while (ok && !ends && (n = getline(&line, &room, file)) > 0) {
    number++;
    ends = !strcmp(line, "end\n");
    ok = line[n - 1] == '\n' && strlen(line) == (size_t)n;
    line[n - 1] = '\0';
    ok = ok && (ends || read_saved_line(saved, line));
  }
  ok &= ends && getline(&line, &room, file) < 0;
  free(line);
  if (ok)
    return 0;
  return error_set_usage(error,
                         "%s:%u: `explore --save` did not write this line; "
                         "explore without --resume",
                         path, number);
}

int saved_parse(char *text, struct saved *saved, struct error *error) {
  FILE *file = fmemopen(text, strlen(text), "r");
  if (!file)
    out_of_memory(strlen(text));
  const int failed = read_saved_lines(file, "another process", saved, error);
  fclose(file);
  return failed;
}

int saved_read(const char *path, struct saved *saved, struct error *error) {
  FILE *file = fopen(path, "r");
  if (!file)
    return error_set_usage(error, "cannot read %s: %s", path, strerror(errno));
  const int failed = read_saved_lines(file, path, saved, error);
  fclose(file);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the file from which a stopped exploration is resumed
// (cli/explore/exploring.h).
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/memory.h"
#include "cli/process/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where it goes; NULL: nowhere.
static const char *file_of(const struct exploration *e) {
  const struct settings *s = e->settings;
  return s->save                                ? s->save
         : s->resume                            ? s->resume
         : *signals_stop() && !e->options.walks ? "explore.left"
                                                : NULL;
}

struct survey_options exploration_survey(const struct exploration *e,
                                         uint32_t level) {
  const struct settings *s = e->settings;
  struct survey_options options = {.explore = e->options,
                                   .assert_only = s->assert_only,
                                   .verify = s->verify,
                                   .first = s->first,
                                   .memory = s->memory,
                                   .threads = e->threads,
                                   .part = e->part,
                                   .nparts = e->nparts,
                                   .rank = ranks_number(e->ranks),
                                   .nranks = ranks_count(e->ranks)};
  options.explore.level = e->levels[level];
  return options;
}

void exploration_keep(struct exploration *e, uint32_t level) {
  const struct survey_options options = exploration_survey(e, level);
  struct survey *survey = &e->surveys[level];
  e->is_left |= survey->open.n != 0;
  if (file_of(e) && survey->goes_on)
    saved_keep(&e->saved, e->program, &options, survey);
  else
    survey_free(survey);
}

// A word of the shell.
static void put_left_word(const char *word) {
  if (*word && !word[strcspn(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}")]) {
    fprintf(stderr, " %s", word);
    return;
  }
  fputs(" '", stderr);
  for (; *word; word++)
    fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, stderr);
  fputc('\'', stderr);
}

static void put_left_option(const struct assignment *a) {
  const bool is_switch =
      a->setting->type == SETTING_SWITCH && !strcmp(a->text, "on");
  char *word = xasprintf("--%s%s%s", a->setting->name, is_switch ? "" : "=",
                         is_switch ? "" : a->text);
  put_left_word(word);
  free(word);
}

// The command as it was given, without a target, which may have a password.
static void put_left_command(const char *file,
                             const struct arguments *arguments) {
  char *whole = realpath(file, NULL);
  fprintf(stderr,
          "isostress: the rest of the exploration is in %s; go on with: "
          "isostress explore --resume",
          whole ? whole : file);
  free(whole);
  put_left_word(file);
  for (uint32_t i = 0; i < arguments->nassignments; i++) {
    const struct assignment *a = &arguments->assignments[i];
    if (!strcmp(a->setting->name, "save") ||
        !strcmp(a->setting->name, "resume") ||
        a->setting->type == SETTING_TARGET)
      continue;
    put_left_option(a);
  }
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (!word_is_target(arguments->words[i]))
      put_left_word(arguments->words[i]);
  fputc('\n', stderr);
}

enum status exploration_save(struct exploration *e,
                             const struct arguments *arguments,
                             enum status status) {
  const char *file = file_of(e);
  struct error error;
  if (file && e->is_left) {
    if (saved_write(file, &e->saved, &error))
      status = status_worse(status, complain(STATUS_TROUBLE, &error));
    else
      put_left_command(file, arguments);
    // A file of which nobody hears, as the terminal is gone, is only in the
    // way.
    if (ferror(stderr) && !e->settings->save && !e->settings->resume)
      unlink(file);
  }
  saved_free(&e->saved);
  return status;
}

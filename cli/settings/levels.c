// SPDX-License-Identifier: GPL-3.0-or-later
// The settings that name levels to check, or another question about levels.
#include "config.h"

#include "cli/settings/levels.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int refuse_unknown_level(const char *text, const char *extra,
                                struct error *error) {
  const char *words[2 * ISOLATION_COUNT + 1] = {NULL};
  size_t n = 0;
  for (int level = ISOLATION_NONE + 1; level < ISOLATION_COUNT; level++) {
    words[n++] = isolation_name(level);
    words[n++] = isolation_title(level);
  }
  const char *near = nearest(text, words);
  if (near)
    return error_set(error, "there is no level \"%s\", did you mean \"%s\"?",
                     text, near);
  return error_set(
      error, "there is no level \"%s\", only rc, ra, cc, pc, si, ser, sser%s",
      text, extra);
}

static const char *const questions[LEVEL_QUESTIONS] = {
    [LEVEL_AUTO] = "auto", [LEVEL_RECORDED] = "recorded"};

// A level, or another question about levels.
static bool parse_question(const char *text, int *question) {
  enum isolation level;
  for (int q = LEVEL_AUTO; q < LEVEL_QUESTIONS; q++)
    if (!strcasecmp(text, questions[q])) {
      *question = q;
      return true;
    }
  if (!isolation_parse(text, &level) || level == ISOLATION_NONE)
    return false;
  *question = (int)level;
  return true;
}

static const char *question_name(int question) {
  return question < ISOLATION_COUNT ? isolation_name((enum isolation)question)
                                    : questions[question];
}

const char *question_title(int question) {
  if (question == LEVEL_RECORDED)
    return "the level of each transaction";
  return question > ISOLATION_NONE && question < ISOLATION_COUNT
             ? isolation_title((enum isolation)question)
             : NULL;
}

int setting_read_check(const struct setting *setting, void *field,
                       const char *text, struct error *error) {
  (void)setting;
  if (!strcasecmp(text, "claimed"))
    *(int *)field = CHECK_CLAIMED;
  else if (!strcasecmp(text, "none"))
    *(int *)field = ISOLATION_NONE;
  else if (!parse_question(text, field))
    return refuse_unknown_level(text, ", claimed, auto, recorded and none",
                                error);
  return 0;
}

int setting_read_levels(const struct setting *setting, void *field,
                        const char *text, struct error *error) {
  (void)setting;
  unsigned levels = 0;
  while (*text) {
    char word[64] = "";
    int question;
    size_t length = strcspn(text, ",");
    strncat(word, text, length < sizeof word ? length : sizeof word - 1);
    if (!parse_question(word, &question))
      return refuse_unknown_level(word, ", auto and recorded", error);
    levels |= 1u << question;
    text += length + (text[length] == ',');
  }
  *(unsigned *)field |= levels;
  return 0;
}

void setting_write_check(const void *field, char *text) {
  const int check = *(const int *)field;
  snprintf(text, SETTING_MAX + 1, "%s",
           check == CHECK_CLAIMED ? "claimed" : question_name(check));
}

void setting_write_levels(const void *field, char *text) {
  unsigned levels = *(const unsigned *)field;
  text[0] = '\0';
  for (int question = 0; question < LEVEL_QUESTIONS; question++)
    if (levels >> question & 1)
      strcat(strcat(text, *text ? "," : ""), question_name(question));
}

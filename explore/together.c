// SPDX-License-Identifier: GPL-3.0-or-later
// Exchanges surveys between ranks (explore/together.h), as the text that a
// stopped exploration is saved as.
#include "config.h"

#include "explore/together.h"

#include "base/memory.h"
#include "explore/saved.h"

#include <stdlib.h>
#include <string.h>

bool together_all(struct ranks *ranks, bool here) {
  struct error error;
  if (!here)
    error_set(&error, "not here");
  return !ranks_agree(ranks, here ? 0 : -1, &error);
}

// The first byte says whether the survey is too large; the saved text follows.
static int give_survey(struct ranks *ranks, const struct program *program,
                       const struct survey_options *options,
                       struct survey *survey, struct error *error) {
  struct saved saved = {0};
  struct ranks_text *none;
  uint64_t bytes;
  const bool is_too_large = survey->is_too_large;
  saved_keep(&saved, program, options, survey);
  char *text = saved_text(&saved, &bytes);
  text = xrealloc(text, bytes + 1, 1);
  memmove(text + 1, text, bytes);
  text[0] = is_too_large ? 'L' : ' ';
  const int failed = ranks_gather(ranks, text, bytes + 1, &none, error);
  free(text);
  saved_free(&saved);
  return failed;
}

static int take_survey(struct ranks_text *text, struct survey *survey,
                       struct error *error) {
  struct saved saved = {0};
  const int failed = saved_parse(text->bytes + 1, &saved, error);
  if (!failed) {
    survey_add(survey, &saved.all[0].survey);
    survey->is_too_large |= text->bytes[0] == 'L';
  }
  saved_free(&saved);
  return failed;
}

static int take_surveys(struct ranks *ranks, struct survey *survey,
                        struct error *error) {
  struct ranks_text *all;
  int failed = ranks_gather(ranks, NULL, 0, &all, error);
  for (uint32_t i = 1; i < ranks_count(ranks) && !failed; i++)
    failed = take_survey(&all[i], survey, error);
  ranks_free_texts(ranks, all);
  return failed;
}

int together_add(struct ranks *ranks, const struct program *program,
                 const struct survey_options *options, struct survey *survey,
                 int failed, struct error *error) {
  if (ranks_count(ranks) == 1)
    return failed;
  if (ranks_agree(ranks, failed, error))
    return -1;
  return ranks_agree(ranks,
                     ranks_number(ranks)
                         ? give_survey(ranks, program, options, survey, error)
                         : take_surveys(ranks, survey, error),
                     error);
}

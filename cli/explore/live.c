// SPDX-License-Identifier: GPL-3.0-or-later
// Performs the story of a failure on a live database (cli/explore/exploring.h).
// That it is not seen there says nothing about other schedules.
#include "config.h"

#include "cli/explore/exploring.h"

#include "cli/process/signals.h"
#include "cli/repro/staging.h"
#include "steps/judge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The level of the target, in our words.
static const char *live_level(enum level level) {
  return level == LEVEL_RC_STATEMENT ? "rc" : level_name(level);
}

static int read_text(const char *text, struct script *script,
                     struct error *error) {
  char path[] = "/tmp/isostress-explore-XXXXXX";
  const int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  if (!file)
    return error_set(error, "cannot make a temporary file in /tmp");
  fputs(text, file);
  int failed = fclose(file)
                   ? error_set(error, "cannot write a temporary file in /tmp")
                   : 0;
  failed = failed ? failed : script_read(path, script, error);
  unlink(path);
  return failed;
}

static int perform(struct staging *staging, const struct settings *settings,
                   struct live *live, struct error *error) {
  uint32_t by;
  for (uint32_t r = 0; r < settings->repeat && !*signals_stop(); r++) {
    if (staging_perform(staging, r, settings, error))
      return -1;
    live->performed++;
    switch (script_judge(staging->script, r, staging->results, &by)) {
    case JUDGED_SEEN:
      live->seen++;
      break;
    case JUDGED_ABORTED:
      live->aborted++;
      break;
    case JUDGED_BLOCKED:
      live->blocked++;
      break;
    default:
      live->prevented++;
    }
  }
  return 0;
}

int live_perform(const struct exploration *e,
                 const struct weakest_failure *failure, const char *text,
                 struct live *live, struct error *error) {
  struct script script = {0};
  struct staging staging = {0};
  struct settings settings = *e->settings;
  *live = (struct live){0};
  settings.isolation = live_level(e->levels[failure->level]);
  int failed = read_text(text, &script, error);
  if (!failed) {
    failed = staging_start(&staging, &script, &settings,
                           (uint32_t)settings.repeat, error);
    if (!failed) {
      stage_describe(staging.stage, live->database, sizeof live->database);
      live->database[strcspn(live->database, ",")] = '\0';
      live->level = stage_level(staging.stage)->name;
      failed = perform(&staging, &settings, live, error);
    }
    staging_end(&staging);
  }
  script_free(&script);
  return failed;
}

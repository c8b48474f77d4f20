// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of pages about an anomaly (report/page/columns.h), from the table
// of words.
#include "config.h"

#include "report/page/columns.h"

#include "report/words/advice.h"
#include "report/words/html.h"
#include "report/words/naming.h"
#include "report/words/words.h"

#include <assert.h>
#include <string.h>

static bool is_forbidden(const struct subject *s) {
  return s->badge == BADGE_FORBIDDEN;
}

const char *columns_answer(enum badge badge) {
  return badge == BADGE_FORBIDDEN ? "Yes."
         : badge == BADGE_ALLOWED ? "No."
         : badge == BADGE_SERVERS ? "No."
                                  : "Unknown.";
}

void columns_put_documented(FILE *out, const struct promised_level *level) {
  const struct promise_words *words = promise_words(level);
  if (!words) {
    if (level->claimed == ISOLATION_NONE)
      fputs("The level promises none of what is checked.", out);
    else
      fprintf(out, "The level promises %s: %s.",
              isolation_title(level->claimed), words_level(level->claimed));
    return;
  }
  if (words->setting)
    fprintf(out, "<code>%s</code>: ", words->setting);
  html_put(out, words->says);
  if (words->source)
    fprintf(out, " (<a href=\"%s\">manual</a>)", words->source);
}

static void put_level_promise(FILE *out, const struct subject *s) {
  columns_put_documented(out, &s->level);
  fputs(s->unseen && s->badge != BADGE_ALLOWED ? " That rules this out."
        : is_forbidden(s)
            ? " This is a bug in the database or in how it is set up."
        : s->badge == BADGE_SERVERS
            ? " That is for sessions that stay with one server: it is no bug, "
              "and the application has to expect it."
            : " That does not rule this out, and it is no bug: the "
              "application has to expect it.",
        out);
}

void columns_put_promise(FILE *out, const struct subject *s) {
  const bool kept = s->unseen && is_forbidden(s);
  assert(s->badge <= BADGE_UNDOCUMENTED);
  fprintf(out, "<div class=\"%s\"><h2>Does ",
          kept ? "good" : badge_words[s->badge].colour);
  naming_put_database(out, s->level.target, s->level.server);
  fprintf(out, " promise it?</h2><p><b>%s</b> ", columns_answer(s->badge));
  if (s->badge == BADGE_UNDOCUMENTED)
    fputs("isostress knows no sentence of a manual about the level that was in "
          "effect.",
          out);
  else
    put_level_promise(out, s);
  if (is_forbidden(s) && !s->unseen && strstr(s->level.server, "bug="))
    fputs(" Here it was asked for: the run says <code>--bug</code>.", out);
  fputs("</p></div>\n", out);
}

void columns_put_application(FILE *out, enum anomaly anomaly) {
  fputs("<div><h2>In your application</h2><p>", out);
  html_put(out, words_of(anomaly)->means);
  fputs("</p></div>\n", out);
}

// The advice for any database beside "Report it", without the first sentence
// where that one says to report it, or names a level.
static const char *beside_report(const struct anomaly_words *words) {
  const char *helps = words->helps;
  const char *next = strstr(helps, ". ");
  if (strncmp(helps, "Use ", strlen("Use ")) != 0 &&
      strncmp(helps, "Report ", strlen("Report ")) != 0)
    return helps;
  return next ? next + strlen(". ") : NULL;
}

void columns_help(const struct subject *s, const char *helps[COLUMNS_HELPS]) {
  const struct anomaly_words *words = words_of(s->anomaly);
  const struct advice *advice[2];
  const uint32_t n = advice_for(&s->level, s->anomaly, advice);
  helps[0] = helps[1] = helps[2] = NULL;
  if (is_forbidden(s)) {
    helps[0] = "Report it: this page, \fhistory\f and \fjob.ini\f "
               "are what its makers need.";
    helps[1] = beside_report(words);
  } else if (s->helps) {
    helps[0] = s->helps;
  } else if (n) {
    bool tried = true;
    for (uint32_t i = 0; i < n; i++) {
      helps[i] = advice[i]->text;
      tried &= advice[i]->attempt != NULL;
    }
    helps[n] = tried ? NULL : "(Not tried by isostress' own tests.)";
  } else {
    helps[0] = words->helps;
    helps[1] = words_replicas(words, driver_words_of_target(s->level.target));
  }
}

void columns_put_help(FILE *out, const struct subject *s) {
  const struct driver_words *database = driver_words_of_target(s->level.target);
  const char *helps[COLUMNS_HELPS];
  columns_help(s, helps);
  fputs("<div><h2>What helps</h2>", out);
  for (int i = 0; i < COLUMNS_HELPS && helps[i]; i++) {
    fputs("<p>", out);
    html_put_about(out, helps[i], database);
    fputs("</p>", out);
  }
}

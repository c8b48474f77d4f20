// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of pages about an anomaly (report/columns.h), from the table of
// words.
#include "config.h"

#include "report/columns.h"

#include "report/page.h"
#include "report/words.h"

#include <assert.h>
#include <string.h>

static bool is_forbidden(const struct subject *s) {
  return s->badge == BADGE_FORBIDDEN;
}

const char *columns_answer(enum badge badge) {
  return badge == BADGE_FORBIDDEN ? "Yes."
         : badge == BADGE_ALLOWED ? "No."
         : badge == BADGE_SERVERS ? "Not across servers."
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
  fputs(words->says, out);
  if (words->source)
    fprintf(out, " (<a href=\"%s\">manual</a>)", words->source);
}

static void put_level_promise(FILE *out, const struct subject *s) {
  columns_put_documented(out, &s->level);
  fputs(s->unseen && s->badge != BADGE_ALLOWED ? " That rules this out."
        : is_forbidden(s)
            ? " This is a bug in the database or in how it is set up."
        : s->badge == BADGE_SERVERS
            ? " That is for sessions that stay with one server."
            : " That does not rule this out, and it is no bug: the "
              "application has to expect it.",
        out);
}

void columns_put_promise(FILE *out, const struct subject *s) {
  const bool kept = s->unseen && is_forbidden(s);
  assert(s->badge <= BADGE_UNDOCUMENTED);
  fprintf(out, "<div class=\"%s\"><h2>Does ",
          kept ? "good" : badge_words[s->badge].colour);
  page_put_database_of(out, s->level.target, s->level.server);
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
  fprintf(out, "<div><h2>In your application</h2><p>%s</p></div>\n",
          words_of(anomaly)->means);
}

// The advice for any database, which is about SQL: nothing for a database of
// keys that has its own, and without the first sentence where that one says no
// more than the database's own remedy, or than to report it.
static const char *other_help(const struct subject *s, const char *remedy) {
  const char *helps = words_of(s->anomaly)->helps;
  if (remedy && !is_forbidden(s) && words_of_target(s->level.target)->has_keys)
    return "";
  const bool is_level = !strncmp(helps, "Use ", strlen("Use "));
  const bool is_report = !strncmp(helps, "Report ", strlen("Report "));
  if (!(remedy && is_level) && !(is_forbidden(s) && (is_level || is_report)))
    return helps;
  const char *next = strstr(helps, ". ");
  return next ? next + strlen(". ") : "";
}

void columns_put_help(FILE *out, const struct subject *s) {
  const struct database_words *database = words_of_target(s->level.target);
  const char *remedy = words_remedy(database, s->level.server, s->anomaly);
  const char *replicas = words_replicas(words_of(s->anomaly), database);
  fputs("<div><h2>What helps</h2>", out);
  if (is_forbidden(s))
    fputs("<p>Report it: this page, <code>history</code> and "
          "<code>job.ini</code> are what its makers need.</p>",
          out);
  const char *const helps[] = {
      is_forbidden(s) ? NULL : remedy,
      s->badge == BADGE_SERVERS && replicas ? NULL : other_help(s, remedy),
      replicas};
  for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
    if (helps[i] && *helps[i]) {
      fputs("<p>", out);
      words_put(out, helps[i], database);
      fputs("</p>", out);
    }
}

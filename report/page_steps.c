// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a step script (report/page_steps.h).
#include "config.h"

#include "report/page_steps.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/badge.h"
#include "report/page.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Did the history of the steps break what the level claims?
static bool breaks_claim(const struct page_of_steps *p) {
  return p->checked && p->broken_by != ANOMALY_NONE && p->kept < p->claimed;
}

static bool was_seen(const struct page_of_steps *p) {
  return p->seen || (p->checked && p->broken_by != ANOMALY_NONE);
}

static void put_tag(FILE *out, const struct page_of_steps *p) {
  if (breaks_claim(p))
    page_tag(out, badge_words[BADGE_FORBIDDEN].colour,
             badge_words[BADGE_FORBIDDEN].tag);
  else if (was_seen(p) && p->checked)
    page_tag(out, badge_words[BADGE_ALLOWED].colour,
             badge_words[BADGE_ALLOWED].tag);
  else if (was_seen(p))
    page_tag(out, "warn", "Seen");
  else if (p->anomaly)
    page_tag(out, "good", "Prevented");
  else if (p->unexpected)
    page_tag(out, "warn", "Not as expected");
  else
    page_tag(out, "good", "As expected");
}

static void put_headline(FILE *out, const struct page_of_steps *p) {
  fputs("<h1>", out);
  put_markup(out, *p->title ? p->title : p->script);
  fputs("</h1>\n<p class=\"lede\">", out);
  if (p->seen)
    fprintf(out,
            "The steps were performed %" PRIu32
            " time%s. The anomaly was seen <b>%" PRIu32 " time%s</b>.",
            p->performances, p->performances == 1 ? "" : "s", p->seen,
            p->seen == 1 ? "" : "s");
  else
    fprintf(out, "The steps were performed %" PRIu32 " time%s.%s%s%s",
            p->performances, p->performances == 1 ? "" : "s",
            p->anomaly ? " The anomaly was <b>" : "",
            p->anomaly ? p->anomaly : "", p->anomaly ? "</b>." : "");
  fputs("</p>\n", out);
}

static void put_asked(FILE *out, const struct page_of_steps *p) {
  fprintf(out,
          "<div><h2>What was done</h2><p>%" PRIu32 " session%s took %" PRIu32
          " steps in the order of the script, at <b>",
          p->nsessions, p->nsessions == 1 ? "" : "s", p->nsteps);
  put_markup(out, p->level);
  const char *name = page_database_of(p->target, p->server);
  const bool article = !strncmp(name, "The ", strlen("The "));
  fprintf(out, "</b> of %s%s.</p><p>", article ? "t" : "", name + article);
  if (p->unexpected)
    fprintf(out,
            "In <b>%" PRIu32
            "</b> of them some step did something else than the script "
            "expects.",
            p->unexpected);
  else
    fputs("Every step did what the script expects.", out);
  fputs("</p></div>\n", out);
}

static void put_promise(FILE *out, const struct page_of_steps *p) {
  fprintf(out, "<div class=\"%s\"><h2>What the level promises</h2><p>",
          breaks_claim(p) ? "bad" : "good");
  if (p->claimed == ISOLATION_NONE)
    fputs("The level promises none of what is checked", out);
  else
    fprintf(out, "The level promises %s", isolation_title(p->claimed));
  page_put_manual_of(out, p->target, p->server);
  fputs(". ", out);
  if (!p->checked)
    fputs("The script speaks the database&rsquo;s own language, so that no "
          "history could be checked.",
          out);
  else if (p->broken_by == ANOMALY_NONE)
    fputs("What the sessions saw keeps every level.", out);
  else if (p->kept == ISOLATION_NONE)
    fprintf(out, "What the sessions saw keeps no level: %s.",
            anomaly_info(p->broken_by)->name);
  else
    fprintf(out, "What the sessions saw keeps %s, and no more: %s.",
            isolation_title(p->kept), anomaly_info(p->broken_by)->name);
  fputs("</p></div>\n", out);
}

static void put_meaning(FILE *out, const struct page_of_steps *p) {
  const struct database_words *database = words_of_target(p->target);
  if (!p->checked || p->broken_by == ANOMALY_NONE)
    return;
  const struct anomaly_words *words = words_of(p->broken_by);
  const char *remedy = words_remedy(database, p->server, p->broken_by);
  const char *replicas = words_replicas(words, database);
  fprintf(out,
          "<div><h2>In your application</h2><p>%s</p></div>\n"
          "<div><h2>What helps</h2><p>%s</p>",
          words->means, remedy ? remedy : words->helps);
  if (replicas)
    fprintf(out, "<p>%s</p>", replicas);
  fputs("</div>\n", out);
}

static void put_step(FILE *out, const struct page_of_steps *p,
                     const struct page_step *step) {
  // Its column names the session.
  const char *colon = strstr(step->text, ": ");
  const char *text = colon ? colon + strlen(": ") : step->text;
  fprintf(out, "<tr><th scope=\"row\" class=\"n\">%u</th>", step->line);
  for (uint32_t s = 0; s < p->nsessions; s++) {
    if (s != step->session) {
      fputs("<td></td>", out);
      continue;
    }
    fputs("<td><code>", out);
    put_markup(out, text);
    fprintf(out, "</code><br><span class=\"%s\">",
            !step->expected ? "bad"
            : step->blocked ? "warn"
                            : "soft");
    put_markup(out, step->result);
    fprintf(out, "%s</span></td>", step->expected ? "" : " (not expected)");
  }
  fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct page_of_steps *p) {
  page_section(out, "steps", "What each session did, and what came back");
  page_start_table(out, "The steps of the first performance, one after the "
                        "other, each with its line in the script");
  fputs("<thead><tr><th scope=\"col\" class=\"n\">line</th>", out);
  for (uint32_t s = 0; s < p->nsessions; s++)
    page_column(out, p->sessions[s]);
  fputs(PAGE_END_HEAD, out);
  for (uint32_t i = 0; i < p->nsteps; i++)
    put_step(out, p, &p->steps[i]);
  page_end_table(out);
  if (p->by_time)
    fputs("<p class=\"soft\">Blocking is told by time: the database did not "
          "say who waits.</p>\n",
          out);
  fputs("</section>\n", out);
}

void page_put_steps(FILE *out, const void *page) {
  const struct page_of_steps *p = page;
  char *about = xasprintf("%.*s at %s", page_server_length(p->server),
                          p->server, p->level);
  page_open_alone(out, *p->title ? p->title : p->script, "Step script", about);
  free(about);
  char *server = xasprintf("%.*s", page_server_length(p->server), p->server);
  page_bar(out, p->all_results, server, "");
  free(server);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  put_tag(out, p);
  put_headline(out, p);
  fputs("<div class=\"facts\">\n", out);
  put_asked(out, p);
  put_promise(out, p);
  put_meaning(out, p);
  fputs("</div>\n</section>\n", out);
  put_table(out, p);
  page_section(out, "again", "See it again");
  page_start_command(out);
  fputs("isostress steps -i ", out);
  page_shell_word(out, p->level);
  fprintf(out, " --repeat=%" PRIu32 " ", p->performances);
  page_shell_word(out, p->script);
  fputs(" ", out);
  page_shell_word(out, p->target);
  page_end_command(out);
  fputs("</section>\n", out);
  page_close(out, p->program);
}

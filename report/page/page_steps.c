// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a step script (report/page/page_steps.h).
#include "config.h"

#include "report/page/page_steps.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/page/columns.h"
#include "report/words/naming.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct promised_level steps_level_of(const struct page_of_steps *p) {
  return (struct promised_level){p->target, p->server, p->level, p->claimed,
                                 badge_names_several(p->target)};
}

// Did the history of the steps break what the level claims?
static bool breaks_claim(const struct page_of_steps *p) {
  return p->checked && p->broken_by != ANOMALY_NONE && p->kept < p->claimed;
}

static bool steps_was_seen(const struct page_of_steps *p) {
  return p->seen || (p->checked && p->broken_by != ANOMALY_NONE);
}

static struct subject subject_of(const struct page_of_steps *p) {
  struct subject subject = {
      .level = steps_level_of(p),
      .anomaly = p->checked && steps_was_seen(p) ? p->broken_by : p->tried,
      .unseen = !steps_was_seen(p),
  };
  subject.badge = badge_of_anomaly(&subject.level, subject.anomaly);
  if (p->checked && !subject.unseen && !breaks_claim(p) &&
      subject.badge != BADGE_UNDOCUMENTED &&
      anomaly_weakest(subject.anomaly) <= p->claimed)
    subject.badge = BADGE_ALLOWED;
  return subject;
}

static void put_steps_tag(FILE *out, const struct page_of_steps *p) {
  const struct subject subject = subject_of(p);
  const struct badge_words *badge = &badge_words[subject.badge];
  if (steps_was_seen(p) && subject.anomaly != ANOMALY_NONE)
    page_tag(out, badge->colour, badge->tag);
  else if (steps_was_seen(p))
    page_tag(out, "warn", "Seen");
  else if (p->anomaly)
    page_tag(out, "good", "Prevented");
  else if (p->unexpected)
    page_tag(out, "warn", "Not as expected");
  else
    page_tag(out, "good", "As expected");
}

static void put_steps_headline(FILE *out, const struct page_of_steps *p) {
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

static const char *steps_plural(uint32_t n) { return n == 1 ? "" : "s"; }

static void put_place_of_step(FILE *out, const struct page_of_steps *p) {
  fputs(" at <b>", out);
  page_level(out, p->level);
  fputs("</b> of ", out);
  naming_put_database(out, p->target, p->server);
}

// The verdict on the history of the steps.
static void put_steps_history(FILE *out, const struct page_of_steps *p) {
  if (!p->checked)
    fputs("<p>No history was checked: the script speaks the "
          "database&rsquo;s own language.</p>",
          out);
  else if (p->broken_by == ANOMALY_NONE)
    fputs("<p>The history of the steps keeps every level.</p>", out);
  else
    fprintf(out,
            "<p>The history of the steps keeps %s%s. %s breaks what is "
            "stronger.</p>",
            p->kept == ISOLATION_NONE ? "no level" : isolation_title(p->kept),
            p->kept == ISOLATION_NONE ? "" : " and no more",
            anomaly_info(p->broken_by)->name);
}

static void put_steps_asked(FILE *out, const struct page_of_steps *p) {
  const bool marked = p->seen || p->anomaly;
  fprintf(out,
          "<div><h2>What was asked</h2><p>%s %" PRIu32 " session%s in %" PRIu32
          " steps, in the order of the script,",
          marked ? "Can it be brought about by" : "Do", p->nsessions,
          steps_plural(p->nsessions), p->nsteps);
  if (!marked)
    fputs(" get what the script expects,", out);
  put_place_of_step(out, p);
  fputs("?</p><p>", out);
  if (p->seen)
    fprintf(out, "<b>Yes</b>, in %" PRIu32 " of %" PRIu32 " performance%s. ",
            p->seen, p->performances, steps_plural(p->performances));
  else if (marked)
    fprintf(out, "<b>No.</b> It was %s. ", p->anomaly);
  if (p->unexpected)
    fprintf(out,
            "In <b>%" PRIu32 "</b> of %" PRIu32
            " some step did something else than the script expects.",
            p->unexpected, p->performances);
  else
    fputs("Every step did what the script expects.", out);
  fputs("</p>", out);
  put_steps_history(out, p);
  fputs("</div>\n", out);
}

// The table of words says nothing about an anomaly without a name.
static void put_nameless(FILE *out, const struct page_of_steps *p) {
  fputs("<div class=\"open\"><h2>Does ", out);
  naming_put_database(out, p->target, p->server);
  fprintf(out, " promise %s?</h2><p>", steps_was_seen(p) ? "it" : "anything");
  if (steps_was_seen(p))
    fputs("<b>isostress cannot say</b>: what was seen has no name here. ", out);
  const struct promised_level level = steps_level_of(p);
  columns_put_documented(out, &level);
  fputs("</p></div>\n", out);
  if (steps_was_seen(p))
    fputs("<div><h2>In your application</h2><p>isostress cannot say: the first "
          "comment of the script may.</p></div>\n"
          "<div><h2>What helps</h2><p>isostress cannot say. Perform the script "
          "at a stronger level: <code>-i LEVEL</code>.</p></div>\n",
          out);
}

static void put_steps_columns(FILE *out, const struct page_of_steps *p) {
  const struct subject subject = subject_of(p);
  put_steps_asked(out, p);
  if (subject.anomaly == ANOMALY_NONE) {
    put_nameless(out, p);
    return;
  }
  columns_put_promise(out, &subject);
  if (subject.unseen)
    return;
  columns_put_application(out, subject.anomaly);
  columns_put_help(out, &subject);
  fputs("</div>\n", out);
}

static void put_steps_step(FILE *out, const struct page_of_steps *p,
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

static void put_steps_table(FILE *out, const struct page_of_steps *p) {
  page_section(out, "steps", "What each session did, and what came back");
  page_start_table(out, "The steps of the first performance, one after the "
                        "other, each with its line in the script");
  fputs("<thead><tr><th scope=\"col\" class=\"n\">line</th>", out);
  for (uint32_t s = 0; s < p->nsessions; s++)
    page_column(out, p->sessions[s]);
  fputs(PAGE_END_HEAD, out);
  for (uint32_t i = 0; i < p->nsteps; i++)
    put_steps_step(out, p, &p->steps[i]);
  page_end_table(out);
  if (p->by_time)
    fputs("<p class=\"soft\">Blocking is told by time: the database did not "
          "say who waits.</p>\n",
          out);
  fputs("</section>\n", out);
}

void page_put_steps(FILE *out, const void *page) {
  const struct page_of_steps *p = page;
  page_open(out, *p->title ? p->title : p->script);
  char *server = xasprintf("%.*s", naming_server_length(p->server), p->server);
  page_bar(out, p->all_results, server, "");
  free(server);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  put_steps_tag(out, p);
  put_steps_headline(out, p);
  fputs("<div class=\"facts\">\n", out);
  put_steps_columns(out, p);
  fputs("</div>\n</section>\n", out);
  put_steps_table(out, p);
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

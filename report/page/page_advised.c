// SPDX-License-Identifier: GPL-3.0-or-later
// Advice about the user's own scripts as a page (report/advised.h): what to do,
// which script needs which level, what was tried, and what each way costs.
#include "config.h"

#include "report/page/page.h"

#include "base/anomaly_names.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/page/sections.h"
#include "report/words/html.h"
#include "report/words/naming.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct advised_trial *trial_now(const struct advised *a) {
  return &a->levels[a->default_level];
}

static void put_of_hundred(FILE *out, const struct advised_trial *trial) {
  fprintf(out, "%.1f&nbsp;%%", advised_refused(trial));
}

static void put_per_second(FILE *out, const struct advised_trial *trial) {
  quantity_put_grouped(out, (uint64_t)(trial->rate + .5));
}

// ---- The top

static void put_advised_bar(FILE *out, const struct advised *a) {
  const time_t seconds = (time_t)(a->date / NS_PER_SECOND);
  char when[64] = "", about[256];
  struct tm utc;
  if (seconds && gmtime_r(&seconds, &utc))
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
  const int length = naming_server_length(a->server);
  snprintf(about, sizeof about,
           "%.*s, %" PRIu32 " script%s, %" PRIu32 " level%s, %.0f s each",
           length < 128 ? length : 128, a->server, a->nscripts,
           a->nscripts == 1 ? "" : "s", a->nlevels, a->nlevels == 1 ? "" : "s",
           a->seconds);
  page_bar(out, NULL, about, when);
}

static void put_advised_tag(FILE *out, const struct advised *a) {
  const struct advised_trial *now = trial_now(a);
  char *text = xasprintf("%s %s",
                         advised_is_safe(now)          ? "Safe at"
                         : advised_is_kept(now)        ? "Not decided at"
                         : now->decided || now->answer ? "Not safe at"
                                                       : "Not decided at",
                         naming_level(now->level));
  page_tag(out,
           advised_is_safe(now)          ? "good"
           : advised_is_kept(now)        ? "open"
           : now->decided || now->answer ? "warn"
                                         : "open",
           text);
  free(text);
}

static void put_advised_headline(FILE *out, const struct advised *a) {
  char *sentence;
  size_t bytes;
  FILE *words = text_stream(&sentence, &bytes);
  advised_put_sentence(words, a);
  fclose(words);
  fputs("<h1>", out);
  html_put(out, sentence);
  fputs("</h1>\n", out);
  free(sentence);
}

static void put_advised_lede(FILE *out, const struct advised *a) {
  fputs("<p class=\"lede\">", out);
  for (uint32_t i = 0; i < a->nscripts; i++) {
    fputs(i ? ", <code>" : "<code>", out);
    put_markup(out, a->scripts[i]);
    fputs("</code>", out);
  }
  fprintf(out, " ran together at each level of the database, %.0f s each.",
          a->seconds);
  if (trial_now(a)->headline) {
    putc(' ', out);
    put_markup(out, trial_now(a)->headline);
    putc('.', out);
  }
  fputs("</p>\n", out);
}

static void put_advised_question(FILE *out, const struct advised *a) {
  fputs("<div><h2>What was asked</h2><p>Which level do <b>these scripts</b> "
        "need, so that the result is the same as if they ran one after another",
        out);
  if (a->invariant) {
    fputs(", and the invariant <code>", out);
    put_markup(out, a->invariant);
    fputs("</code> holds", out);
  }
  fputs("?</p></div>\n", out);
}

static void put_what_to_do(FILE *out, const struct advised *a) {
  const struct advised_trial *now = trial_now(a);
  fputs("<div class=\"warn\"><h2>What to do</h2>", out);
  if (advised_is_safe(now))
    fputs("<p>Nothing: the default level is enough.</p>", out);
  else if (advised_is_kept(now))
    fputs("<p>The run broke nothing, but explore found an order that breaks "
          "the default level: <a href=\"#explore\">look at it</a>.</p>",
          out);
  else if (!a->after)
    fputs("<p>No change of a script that was tried is enough at the default "
          "level.</p>",
          out);
  if (a->after)
    fputs("<ul>", out);
  for (uint32_t i = 0; a->after && i < a->nremedies; i++)
    if (a->remedies[i].chosen) {
      fputs("<li><b>", out);
      put_markup(out, a->remedies[i].place);
      fputs("</b>: <code>", out);
      put_markup(out, a->remedies[i].instead);
      fputs("</code></li>", out);
    }
  if (a->after) {
    fputs("</ul><p><b>Tried: all kept</b>, ", out);
    put_of_hundred(out, a->after);
    fputs(" refused, ", out);
    put_per_second(out, a->after);
    fputs(" per second.</p>", out);
  }
  fputs("</div>\n", out);
}

static void put_without_change(FILE *out, const struct advised *a) {
  const struct advised_trial *level = advised_level(a);
  fputs("<div><h2>Without changing a script</h2><p>", out);
  if (level) {
    fputs("Everything at <b>", out);
    page_level(out, level->level);
    fputs("</b>, and try again what is refused: <b>all kept</b>, ", out);
    put_of_hundred(out, level);
    fputs(" refused, ", out);
    put_per_second(out, level);
    fputs(" per second.", out);
  } else {
    fputs("No level of this database is enough.", out);
  }
  fputs("</p></div>\n", out);
}

static void put_advised_facts(FILE *out, const struct advised *a) {
  fputs("<div class=\"facts\">\n", out);
  put_advised_question(out, a);
  put_what_to_do(out, a);
  put_without_change(out, a);
  fputs("<div><h2>What it does not show</h2><ul><li>Scripts that were not "
        "given.</li><li>Faults that this load meets too rarely: the pages of "
        "the runs have the chances.</li></ul></div>\n</div>\n",
        out);
}

// ---- Which script needs which level

static void put_advised_cell(FILE *out, const struct advised_trial *trial,
                             uint32_t script) {
  const struct advised_cell *cell = trial->cells ? &trial->cells[script] : NULL;
  const bool found = trial->decided && cell && cell->anomaly != ANOMALY_NONE;
  const char *colour = found                                   ? "warn"
                       : trial->decided && trial->serializable ? "good"
                                                               : "open";
  fprintf(out, "<td class=\"%s\" data-l=\"", colour);
  put_markup(out, naming_level(trial->level));
  fputs("\">", out);
  page_symbol(out, colour);
  fputs("<span><b>", out);
  if (found && trial->run) {
    fputs("<a href=\"", out);
    page_href(out, trial->run);
    fputs("/report.html\">", out);
  }
  advised_put_cell(out, trial, script);
  fputs(found && trial->run ? "</a></b><small>" : "</b><small>", out);
  if (found)
    put_markup(out, cell->place);
  fputs("</small></span></td>", out);
}

static void put_level_heads(FILE *out, const struct advised *a) {
  fputs("<thead><tr><th scope=\"col\">script</th>", out);
  for (uint32_t i = 0; i < a->nlevels; i++) {
    fputs("<th scope=\"col\">", out);
    page_level(out, a->levels[i].level);
    fputs(i == a->default_level ? "<small>its default</small></th>" : "</th>",
          out);
  }
  fputs(PAGE_END_HEAD, out);
}

static void put_figure_row(FILE *out, const struct advised *a,
                           const char *heading,
                           void put(FILE *, const struct advised_trial *)) {
  page_start_row(out, heading);
  for (uint32_t i = 0; i < a->nlevels; i++) {
    fputs("<td data-l=\"", out);
    put_markup(out, naming_level(a->levels[i].level));
    fputs("\">", out);
    put(out, &a->levels[i]);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

static void put_invariant_cell(FILE *out, const struct advised_trial *trial) {
  fputs(trial->invariant ? "<b class=\"good\">holds</b>"
        : trial->answer  ? "<b class=\"warn\">broken</b>"
                         : "not decided",
        out);
}

static void put_open_cell(FILE *out, const struct advised_trial *trial) {
  const char *why = advised_open(trial);
  if (why)
    put_markup(out, why);
}

static void put_explored_cell(FILE *out, const struct advised_trial *trial) {
  const enum explored_answer answer = trial->explored.answer;
  const char *colour = answer == EXPLORED_BREAKS ? "warn"
                       : answer == EXPLORED_KEPT ? "good"
                                                 : "open";
  if (answer != EXPLORED_NOT)
    fprintf(out, "<b class=\"%s\">%s</b>", colour,
            advised_explored_word(trial));
}

static void put_needs(FILE *out, const struct advised *a) {
  page_section(out, "levels", "Which script needs which level");
  page_start_table(out, "Each level with all scripts at once");
  put_level_heads(out, a);
  for (uint32_t s = 0; s < a->nscripts; s++) {
    page_start_row(out, a->scripts[s]);
    for (uint32_t i = 0; i < a->nlevels; i++)
      put_advised_cell(out, &a->levels[i], s);
    fputs("</tr>\n", out);
  }
  if (a->levels[0].asked)
    put_figure_row(out, a, "invariant", put_invariant_cell);
  bool open = false;
  for (uint32_t l = 0; l < a->nlevels; l++)
    open |= advised_open(&a->levels[l]) != NULL;
  if (open)
    put_figure_row(out, a, "not decided", put_open_cell);
  if (advised_is_explored(a))
    put_figure_row(out, a, "explore", put_explored_cell);
  put_figure_row(out, a, "refused", put_of_hundred);
  put_figure_row(out, a, "committed per second", put_per_second);
  page_end_table(out);
  fputs("<p class=\"key\">A finding belongs to the script whose change was "
        "lost, or whose check was undone. Its page is a click away.</p>\n"
        "</section>\n",
        out);
}

// ---- What was tried

static void put_remedy_row(FILE *out, const struct advised_remedy *r) {
  page_start_row(out, r->place);
  fputs("<td><code>", out);
  put_markup(out, r->now);
  fputs("</code></td><td><code>", out);
  put_markup(out, r->instead);
  fputs("</code></td>", out);
  page_cell(out, r->helps ? "good" : "warn",
            advised_is_kept(&r->trial) ? "all kept"
            : r->helps                 ? "this script is kept"
            : r->trial.trouble         ? "ended in errors"
                                       : "does not help");
  fputs("<td class=\"n\">", out);
  put_of_hundred(out, &r->trial);
  fputs("</td><td class=\"n\">", out);
  put_per_second(out, &r->trial);
  fputs("</td></tr>\n", out);
}

static void put_tried(FILE *out, const struct advised *a) {
  static const char columns[] = "script|now|instead|tried|#refused|#committed "
                                "per second";
  if (!a->nremedies)
    return;
  page_section(out, "change", "Changes that were tried");
  fputs("<p>At ", out);
  page_level(out, trial_now(a)->level);
  fputs(", one change after the other, each under the same load; those that "
        "helped a script stay for the next one.</p>\n",
        out);
  page_table(out, "Changes of the scripts", columns);
  for (uint32_t i = 0; i < a->nremedies; i++)
    put_remedy_row(out, &a->remedies[i]);
  page_end_table(out);
  fputs("</section>\n", out);
}

// ---- What each way costs

static void put_way(FILE *out, const struct advised *a, const char *before,
                    const char *name, const struct advised_trial *trial) {
  char *heading = xasprintf("%s%s", before, name);
  const double now = trial_now(a)->rate;
  page_start_row(out, heading);
  fprintf(out, "<td class=\"%s\">", advised_is_kept(trial) ? "good" : "warn");
  fputs(advised_is_kept(trial) ? "yes"
        : !trial->decided      ? "not decided"
        : trial->serializable && trial->asked && !trial->invariant
            ? "no: the invariant broke"
            : "no",
        out);
  fputs("</td><td class=\"n\">", out);
  put_of_hundred(out, trial);
  fputs("</td><td class=\"n\">", out);
  put_per_second(out, trial);
  if (trial != trial_now(a) && now > 0)
    fprintf(out, " <span class=\"soft\">(%+.0f&nbsp;%%)</span>",
            100 * (trial->rate - now) / now);
  fputs("</td><td>", out);
  put_markup(out, trial->trouble        ? trial->trouble
                  : advised_open(trial) ? advised_open(trial)
                  : trial->refusals     ? trial->refusals
                                        : "");
  fputs("</td></tr>\n", out);
  free(heading);
}

static void put_way_of_changes(FILE *out, const struct advised *a) {
  char *places;
  size_t bytes;
  FILE *words = text_stream(&places, &bytes);
  advised_put_chosen(words, a);
  fputs(" changed", words);
  fclose(words);
  char *name = plain_make(places);
  put_way(out, a, "", name, a->after);
  FREE_EACH(name, places);
}

static void put_ways(FILE *out, const struct advised *a) {
  static const char columns[] =
      "way|kept|#refused|#committed per second|in the database\xe2\x80\x99s "
      "words";
  page_section(out, "cost", "What each way costs");
  page_table(out, "All scripts at once", columns);
  for (uint32_t i = 0; i < a->nlevels; i++)
    put_way(out, a, "all at ", naming_level(a->levels[i].level), &a->levels[i]);
  if (a->after)
    put_way_of_changes(out, a);
  page_end_table(out);
  fputs("<p class=\"soft\">Committed counts what was kept. Throughput is that "
        "of this machine: compare the rows, not the numbers.</p>\n</section>\n",
        out);
}

// ---- The scripts, and how they were run

static bool is_hot(const struct advised *a, uint32_t script, uint32_t line) {
  bool hot = false;
  const char *const name = a->scripts[script];
  const size_t n = strlen(name);
  for (uint32_t i = 0; i < a->nlevels && !hot; i++) {
    const struct advised_cell *cell =
        a->levels[i].cells ? &a->levels[i].cells[script] : NULL;
    hot = cell && cell->place && strtoul(cell->place + n + 1, NULL, 10) == line;
  }
  return hot;
}

static void put_advised_script(FILE *out, const struct advised *a,
                               uint32_t script) {
  uint32_t line = 1;
  fputs("<h3>", out);
  put_markup(out, a->scripts[script]);
  fputs("</h3>\n<pre>", out);
  for (const char *p = a->texts[script]; *p; line++) {
    const size_t n = strcspn(p, "\n");
    char *text = xasprintf("%3u  %.*s", line, (int)n, p);
    fputs(is_hot(a, script, line) ? "<b class=\"warn\">" : "", out);
    put_markup(out, text);
    fputs(is_hot(a, script, line) ? "</b>\n" : "\n", out);
    free(text);
    p += n + (p[n] == '\n');
  }
  fputs("</pre>\n", out);
}

static void put_how_it_was_run(FILE *out, const struct advised *a) {
  page_section(out, "set", "How it was run");
  page_start_command(out);
  put_markup(out, a->command);
  page_end_command(out);
  fputs("<p>", out);
  put_markup(out, a->server);
  fputs("; ", out);
  put_markup(out, a->target);
  fputs("</p>\n</section>\n", out);
}

void page_put_advised(FILE *out, const struct advised *a) {
  page_open(out, "Advice for scripts");
  put_advised_bar(out, a);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  put_advised_tag(out, a);
  put_advised_headline(out, a);
  put_advised_lede(out, a);
  put_advised_facts(out, a);
  fputs("</section>\n", out);
  put_needs(out, a);
  page_put_explored_scripts(out, a);
  put_tried(out, a);
  put_ways(out, a);
  page_section(out, "scripts", "The scripts");
  for (uint32_t i = 0; i < a->nscripts; i++)
    put_advised_script(out, a, i);
  fputs("</section>\n", out);
  put_how_it_was_run(out, a);
  page_close(out, a->program);
}

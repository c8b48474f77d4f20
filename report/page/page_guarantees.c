// SPDX-License-Identifier: GPL-3.0-or-later
// The guarantees of a database as a page (report/words/guarantees.h): each
// level and each anomaly, whether the level promises to prevent it, and what
// was seen.
#include "config.h"

#include "report/words/guarantees.h"

#include "base/anomaly_names.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/page/columns.h"
#include "report/page/page.h"
#include "report/page/sections.h"
#include "report/words/advice.h"
#include "report/words/found.h"
#include "report/words/html.h"
#include "report/words/naming.h"
#include "report/words/quantity.h"
#include "report/words/scored.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
  const char *colour, *words, *legend;
} states[SCORED_STATES] = {
    [SCORED_NOT_TRIED] = {"none", "not tried", NULL},
    [SCORED_PREVENTED] = {"good", "prevented", "prevented, as promised"},
    [SCORED_UNSEEN] = {"open", "allowed, not seen", "allowed, not seen here"},
    [SCORED_SEEN] = {"warn", "allowed, seen", "allowed, and seen"},
    [SCORED_BROKEN] = {"bad", "FORBIDDEN AND SEEN",
                       "<b>FORBIDDEN AND SEEN</b>: a broken promise"},
};

// ---- Words

// "140", "9.1", "0.83"

// "lost update, write skew and 2 more", of the lines in this state; how many.
static uint32_t put_scorecard_names(const struct scored *s, uint32_t c,
                                    enum scored_state state, uint32_t most) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->nlines; i++) {
    if (scored_state_of(s, c, &s->lines[i]) != state)
      continue;
    if (n < most) {
      fputs(n ? ", " : "", s->out);
      scored_put_name(s, &s->lines[i], false);
    }
    n++;
  }
  if (n > most)
    fprintf(s->out, " and %" PRIu32 " more", n - most);
  return n;
}

static uint32_t count_broken(const struct scored *s) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    n += scored_leads(s->g, c) && scored_broken(s, c);
  return n;
}

static bool is_undecided_level(const struct guarantees *g) {
  bool undecided = false;
  for (uint32_t c = 0; c < g->ncolumns; c++)
    undecided |=
        !g->columns[c].stressed || g->columns[c].kept < g->columns[c].claimed;
  return undecided;
}

// ---- The top

static void put_scorecard_tag(const struct scored *s) {
  if (count_broken(s))
    page_tag(s->out, s->several ? "warn" : "bad",
             s->several ? "Seen across servers" : "Broken promise");
  else if (s->g->interrupted || is_undecided_level(s->g))
    page_tag(s->out, "open", s->g->interrupted ? "Interrupted" : "Undecided");
  else
    page_tag(s->out, "good", "Every promise kept");
}

static void put_scorecard_broken_levels(const struct scored *s) {
  const struct guarantees *g = s->g;
  const char *separator = "";
  uint32_t named = 0;
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    if (!scored_leads(g, c) || !scored_broken(s, c))
      continue;
    fputs(separator, s->out);
    page_level(s->out, g->columns[c].level);
    separator = ", ";
    named += scored_has(s, c, SCORED_BROKEN);
  }
  fputs(count_broken(s) == 1 ? " does" : " do", s->out);
  fprintf(s->out, " not keep what %s promise%s%s",
          count_broken(s) == 1 ? "it" : "they", count_broken(s) == 1 ? "s" : "",
          named ? ": " : ".");
  for (uint32_t c = 0; named && c < g->ncolumns; c++)
    if (scored_leads(g, c) && scored_has(s, c, SCORED_BROKEN)) {
      put_scorecard_names(s, c, SCORED_BROKEN, 4);
      fputc('.', s->out);
      named = 0;
    }
}

// The column of the database's default, or the first one.
static uint32_t default_column(const struct guarantees *g) {
  for (uint32_t c = 0; c < g->ncolumns; c++)
    if (g->columns[c].is_default)
      return c;
  return 0;
}

static void put_scorecard_headline(const struct scored *s) {
  const struct guarantees *g = s->g;
  const uint32_t c = default_column(g);
  fputs("<h1>", s->out);
  if (count_broken(s)) {
    put_scorecard_broken_levels(s);
  } else {
    fputs(s->name, s->out);
    fputs(g->interrupted || is_undecided_level(g)
              ? " broke no promise; not all of them were tried to the end."
              : " keeps what it promises.",
          s->out);
    if (g->ncolumns && scored_has(s, c, SCORED_SEEN)) {
      fputs(" At ", s->out);
      page_level(s->out, g->columns[c].level);
      fputs(", that leaves out ", s->out);
      put_scorecard_names(s, c, SCORED_SEEN, 3);
      fputc('.', s->out);
    }
  }
  fputs("</h1>\n", s->out);
}

static void put_scorecard_lede(const struct scored *s) {
  const uint32_t nall = scored_levels(s->g) * s->nlines;
  const uint32_t nuntried = scored_count(s, SCORED_NOT_TRIED);
  fprintf(s->out,
          "<p class=\"lede\">Of %" PRIu32
          " combinations of a level and an anomaly, <b class=\"good\">%" PRIu32
          "</b> are prevented as promised, <b class=\"warn\">%" PRIu32
          "</b> are allowed and were seen, <b class=\"open\">%" PRIu32
          "</b> are allowed and were not seen, and <b class=\"bad\">%" PRIu32
          "</b> are forbidden and were seen.",
          nall, scored_count(s, SCORED_PREVENTED), scored_count(s, SCORED_SEEN),
          scored_count(s, SCORED_UNSEEN), scored_count(s, SCORED_BROKEN));
  if (nuntried)
    fprintf(s->out, " %" PRIu32 " were not tried.", nuntried);
  fputs("</p>\n<ul class=\"legend\">\n", s->out);
  for (int i = 0; i < SCORED_STATES; i++)
    if (states[i].legend) {
      fprintf(s->out, "<li><span class=\"%s\">", states[i].colour);
      page_symbol(s->out, states[i].colour);
      fprintf(s->out, "</span> %s</li>\n", states[i].legend);
    }
  fputs("</ul>\n", s->out);
}

// ---- The grid

static void put_tries(FILE *out, const char *detail) {
  const char *slash = strchr(detail, '/');
  if (slash)
    fprintf(out, "%.*s of %s tries", (int)(slash - detail), detail, slash + 1);
}

// How often it was seen, or what kept it from occurring.
static void put_how(const struct scored *s, uint32_t c,
                    const struct scored_line *line) {
  const struct guarantee_cell *cell = scored_cell(s, c, line);
  const enum cell_kind kind = cell ? cell->kind : CELL_EMPTY;
  const double found = scored_rate(s, c, line);
  if (kind == CELL_SEEN)
    put_tries(s->out, cell->detail);
  if (found > 0) {
    fputs(kind == CELL_SEEN ? ", " : "", s->out);
    found_put_rate(s->out, anomaly_info(line->anomaly)->name, found);
    fputs(" per 1,000", s->out);
  } else if (kind == CELL_BLOCKED)
    fputs("one waits", s->out);
  else if (kind == CELL_ABORTED)
    fputs("one is refused", s->out);
  else if (kind == CELL_PREVENTED)
    fputs(scored_for_plain_reads(s, c, line) ? "never shown by plain reads"
                                             : "never shown",
          s->out);
  else if (kind == CELL_EMPTY && scored_tried(s, c, line))
    fputs("tried under load only", s->out);
  if (kind == CELL_ABORTED && !(found > 0)) {
    fputs(" (", s->out);
    put_markup(s->out, cell->detail);
    fputc(')', s->out);
  }
}

static bool is_marked_cell(const struct scored *s, uint32_t c) {
  return s->g->columns[c].is_default && scored_levels(s->g) > 1;
}

static void put_scorecard_column(const struct scored *s, uint32_t c) {
  fputs("<th scope=\"col\">", s->out);
  page_level(s->out, s->g->columns[c].level);
  if (is_marked_cell(s, c))
    fputs("<small>default</small>", s->out);
  fputs("</th>", s->out);
}

static void start_level(const struct scored *s, const char *level) {
  fputs("<tr><th scope=\"row\">", s->out);
  page_level(s->out, level);
  fputs("</th>", s->out);
}

static void put_state(const struct scored *s, uint32_t c,
                      const struct scored_line *line) {
  const enum scored_state state = scored_state_of(s, c, line);
  const bool across = state == SCORED_BROKEN && s->several;
  const char *colour = across ? "warn" : states[state].colour;
  fprintf(s->out, "<td class=\"%s\" data-l=\"", colour);
  put_markup(s->out, s->g->columns[c].level);
  fputs(is_marked_cell(s, c) ? ", the default\">" : "\">", s->out);
  if (state != SCORED_NOT_TRIED)
    page_symbol(s->out, colour);
  const char *words = across ? "seen across servers" : states[state].words;
  const struct guarantee_cell *cell = scored_cell(s, c, line);
  const char *run = scored_rate(s, c, line) > 0 ? scored_run(s, c, line) : NULL;
  const char *shown = run ? run : cell ? cell->page : NULL;
  if (shown)
    fprintf(s->out, "<span><b><a href=\"%s\">%s</a></b><small>", shown, words);
  else
    fprintf(s->out, "<span><b>%s</b><small>", words);
  put_how(s, c, line);
  fputs("</small></span></td>", s->out);
}

static void put_scorecard_line(const struct scored *s,
                               const struct scored_line *line) {
  fputs("<tr><th scope=\"row\">", s->out);
  scored_put_name(s, line, true);
  fputs("<small>", s->out);
  if (line->row)
    put_markup(s->out, line->row->meaning);
  else
    html_put(s->out, words_of(line->anomaly)->headline);
  fputs("</small></th>", s->out);
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    if (scored_leads(s->g, c))
      put_state(s, c, line);
  fputs("</tr>\n", s->out);
}

static void put_grid(const struct scored *s) {
  page_section(s->out, "levels", "What each level lets through");
  page_start_table(s->out, s->several ? "Step by step, each session at another "
                                        "host, and under random load"
                                      : "Step by step, and under random load");
  fputs("<thead><tr><th scope=\"col\">anomaly</th>", s->out);
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    if (scored_leads(s->g, c))
      put_scorecard_column(s, c);
  fputs(PAGE_END_HEAD, s->out);
  for (uint32_t i = 0; i < s->nlines; i++)
    put_scorecard_line(s, &s->lines[i]);
  page_end_table(s->out);
  fputs("<p class=\"key\">\xe2\x80\x9c"
        "3 of 3 tries\xe2\x80\x9d: sessions side "
        "by side, step by step. \xe2\x80\x9cper 1,000\xe2\x80\x9d: in 1,000 "
        "committed transactions under random load. \xe2\x80\x9cone "
        "waits\xe2\x80\x9d, \xe2\x80\x9cone is refused\xe2\x80\x9d: how the "
        "database prevented it.</p>\n</section>\n",
        s->out);
}

// ---- What to make of it

// The anomaly of a level that costs an application most: a lost update, else a
// write skew, else the first one.
static enum anomaly gravest(const struct scored *s, uint32_t c) {
  static const enum anomaly grave[] = {ANOMALY_LOST_UPDATE, ANOMALY_WRITE_SKEW};
  enum anomaly first = ANOMALY_NONE;
  bool seen[ANOMALY_COUNT] = {false};
  for (uint32_t i = 0; i < s->nlines; i++)
    if (scored_state_of(s, c, &s->lines[i]) == SCORED_SEEN) {
      seen[s->lines[i].anomaly] = true;
      first = first == ANOMALY_NONE ? s->lines[i].anomaly : first;
    }
  for (size_t i = 0; i < sizeof grave / sizeof *grave; i++)
    if (seen[grave[i]])
      return grave[i];
  return first;
}

static void put_scorecard_remedy(const struct scored *s, uint32_t c,
                                 enum anomaly anomaly) {
  const struct promised_level level = scored_level(s, c);
  const struct advice *advice[ADVICE_MOST];
  const uint32_t n = advice_for(&level, anomaly, advice);
  if (anomaly == ANOMALY_NONE)
    return;
  putc(' ', s->out);
  html_put(s->out, words_of(anomaly)->means);
  fprintf(s->out, " What helps against %s: ",
          anomaly_plain(anomaly_info(anomaly)->name));
  html_put(s->out, n ? advice[0]->text : words_of(anomaly)->helps);
}

static void put_cost(const struct scored *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  if (!column->stressed)
    return;
  fprintf(s->out, " It refused %.1f of 100 attempts under load, and committed ",
          100 * column->abort_share);
  quantity_put_grouped(s->out, (uint64_t)(column->throughput + 0.5));
  fputs(" transactions a second.", s->out);
}

static void put_advice_of(const struct scored *s, uint32_t c) {
  fputs("<li><b>", s->out);
  page_level(s->out, s->g->columns[c].level);
  fputs("</b>", s->out);
  if (scored_broken(s, c)) {
    fprintf(s->out, s->several ? " does not keep across servers what one "
                                 "server promises"
                               : " does not keep what it promises");
    fputs(scored_has(s, c, SCORED_BROKEN) ? ": " : "", s->out);
    put_scorecard_names(s, c, SCORED_BROKEN, ANOMALY_COUNT);
    fputs(s->several ? "."
                     : ". Report it: this page and the histories of the "
                       "runs are what its makers need.",
          s->out);
  } else if (scored_has(s, c, SCORED_SEEN)) {
    fputs(" lets through: ", s->out);
    put_scorecard_names(s, c, SCORED_SEEN, ANOMALY_COUNT);
    fputs(".", s->out);
    put_scorecard_remedy(s, c, gravest(s, c));
  } else if (scored_has(s, c, SCORED_PREVENTED) ||
             scored_has(s, c, SCORED_UNSEEN)) {
    fputs(" showed none of the anomalies.", s->out);
    put_cost(s, c);
  } else {
    fputs(" was not tried.", s->out);
  }
  fputs("</li>\n", s->out);
}

static void put_advice(const struct scored *s) {
  page_section(s->out, "advice", "What to make of it");
  fputs("<ul>\n", s->out);
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    if (scored_leads(s->g, c))
      put_advice_of(s, c);
  fputs("</ul>\n</section>\n", s->out);
}

// ---- Under load, and promises

static void put_kept(const struct scored *s,
                     const struct guarantee_column *column) {
  if (!column->stressed)
    fputs("<td>not tried</td><td></td><td></td>", s->out);
  else
    fprintf(s->out,
            "<td class=\"%s\">%s%s</td><td class=\"n\">%.2f&nbsp;%%</td>",
            column->violated                 ? "bad"
            : column->kept < column->claimed ? "open"
                                             : "good",
            isolation_name(column->kept),
            column->violated                 ? ", which breaks its promise"
            : column->kept < column->claimed ? ", undecided"
                                             : "",
            100 * column->abort_share);
  if (column->stressed)
    page_number(s->out, (uint64_t)(column->throughput + 0.5));
}

static void put_load_of(const struct scored *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  start_level(s, column->level);
  if (s->several)
    page_cell(s->out, "", column->endpoints);
  put_kept(s, column);
  fputs("<td>", s->out);
  fputs(scored_put_found(s, c, "") ? "</td></tr>\n" : "none</td></tr>\n",
        s->out);
}

static void put_scorecard_load(const struct scored *s) {
  page_section(s->out, "load", "Under random load");
  page_table(s->out,
             s->several ? "By how sessions are spread over the hosts"
                        : "The strongest level that was kept, and what it cost",
             s->several ? "level|endpoints|kept|#aborted|#committed per second|"
                          "anomalies in 1,000 committed"
                        : "level|kept|#aborted|#committed per second|anomalies "
                          "in 1,000 committed");
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    put_load_of(s, c);
  page_end_table(s->out);
  fputs("</section>\n", s->out);
}

static void put_promises(const struct scored *s) {
  page_section(s->out, "promises", "What is promised");
  page_table(s->out, "By the documentation of the levels",
             "level|what the documentation says|so it rules out");
  for (uint32_t c = 0; c < s->g->ncolumns; c++) {
    const char *separator = "";
    if (!scored_leads(s->g, c))
      continue;
    start_level(s, s->g->columns[c].level);
    const struct promised_level level = scored_level(s, c);
    fputs("<td>", s->out);
    columns_put_documented(s->out, &level);
    fputs("</td>", s->out);
    fputs("<td>", s->out);
    for (uint32_t i = 0; i < s->nlines; i++)
      if (scored_promised(s, c, &s->lines[i])) {
        fputs(separator, s->out);
        scored_put_name(s, &s->lines[i], false);
        separator = ", ";
      }
    fputs("</td></tr>\n", s->out);
  }
  page_end_table(s->out);
  fputs("<p class=\"soft\">", s->out);
  put_markup(s->out, s->g->server);
  page_put_manual_of(s->out, s->g->target, s->g->server);
  fputs("; ", s->out);
  put_markup(s->out, s->g->target);
  const char *const more[] = {s->g->left_out, s->g->failed};
  for (int i = 0; i < 2; i++)
    if (more[i]) {
      fputs("; ", s->out);
      put_markup(s->out, more[i]);
    }
  fputs("</p>\n</section>\n", s->out);
}

// The step script of the first anomaly that was seen.
static void put_scorecard_script(const struct scored *s) {
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    for (uint32_t r = 0; r < s->g->nrows; r++) {
      if (s->g->columns[c].cells[r].kind != CELL_SEEN)
        continue;
      fputs("<p>One anomaly at one level, step by step: the names of the "
            "scripts are in <code>isostress list scripts</code>.</p>\n",
            s->out);
      page_start_command(s->out);
      fputs("isostress steps ", s->out);
      page_shell_word(s->out, s->g->rows[r].name);
      fputs(" -i ", s->out);
      page_shell_word(s->out, s->g->columns[c].level);
      fputs(" ", s->out);
      page_shell_word(s->out, s->g->target);
      page_end_command(s->out);
      return;
    }
}

static void put_scorecard_again(const struct scored *s) {
  page_section(s->out, "again", "See it again");
  page_start_command(s->out);
  put_markup(s->out, s->g->command);
  page_end_command(s->out);
  put_scorecard_script(s);
  fputs("</section>\n", s->out);
}

static void put_scorecard_bar(const struct scored *s) {
  const time_t seconds = (time_t)(s->g->date / NS_PER_SECOND);
  char when[64] = "", about[256];
  struct tm utc;
  if (seconds && gmtime_r(&seconds, &utc))
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
  const int length = naming_server_length(s->g->server);
  snprintf(about, sizeof about, "%.*s, %" PRIu32 " level%s",
           length < 128 ? length : 128, s->g->server, scored_levels(s->g),
           scored_levels(s->g) == 1 ? "" : "s");
  page_bar(s->out, s->g->all_results, about, when);
}

void page_put_scorecard(FILE *out, const struct guarantees *g) {
  struct scored s;
  scored_begin(&s, out, g);
  page_open(out, "What each level keeps");
  put_scorecard_bar(&s);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  put_scorecard_tag(&s);
  put_scorecard_headline(&s);
  put_scorecard_lede(&s);
  fputs("</section>\n", out);
  put_grid(&s);
  put_advice(&s);
  put_scorecard_load(&s);
  put_promises(&s);
  put_scorecard_again(&s);
  page_close(out, g->program);
}

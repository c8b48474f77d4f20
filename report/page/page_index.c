// SPDX-License-Identifier: GPL-3.0-or-later
// The page of all results (report/page/index.h).  It is complete without its
// script, which shows a field to filter the rows by.
#include "config.h"

#include "report/page/index.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

// The words in which the runs of each kind are counted.
static const struct {
  const char *one, *several;
} counted[BADGES] = {
    [BADGE_FORBIDDEN] = {"broken promise", "broken promises"},
    [BADGE_ALLOWED] = {"seen and allowed", NULL},
    [BADGE_SERVERS] = {"allowed across servers", NULL},
    [BADGE_UNDOCUMENTED] = {"seen and not documented", NULL},
    [BADGE_BROKEN] = {"broken level", "broken levels"},
    [BADGE_POSSIBLE] = {"that can happen", NULL},
    [BADGE_UNDECIDED] = {"undecided", NULL},
    [BADGE_UNCHECKED] = {"not checked", NULL},
    [BADGE_NOTHING_DONE] = {"without a commit", NULL},
    [BADGE_BESIDE] = {"broken promise of a workload",
                      "broken promises of workloads"},
    [BADGE_INCOMPLETE] = {"kept in what was recorded", NULL},
    [BADGE_UNMET] = {"kept with a requirement not met",
                     "kept with requirements not met"},
    [BADGE_KEPT] = {"kept", NULL},
};

static uint32_t count_of_rows(const struct index *index, enum index_kind kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < index->nrows; i++)
    n += index->rows[i].kind == kind;
  return n;
}

static void put_index_page_count(FILE *out, const char *separator, uint32_t n,
                                 const char *what) {
  fprintf(out, "%s%" PRIu32 " %s%s", separator, n, what, n == 1 ? "" : "s");
}

static void put_badges(FILE *out, const struct index *index) {
  const char *separator = ": ";
  for (int b = 0; b < BADGES; b++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < index->nrows; i++)
      n += index->rows[i].kind == INDEX_RUN && (int)index->rows[i].badge == b;
    if (!n)
      continue;
    fprintf(out, "%s<b class=\"%s\">%" PRIu32 " %s</b>", separator,
            badge_words[b].colour, n,
            n > 1 && counted[b].several ? counted[b].several : counted[b].one);
    separator = ", ";
  }
}

static void put_index_page_lede(FILE *out, const struct index *index) {
  const uint32_t nsweeps = count_of_rows(index, INDEX_SWEEP);
  const uint32_t ncards = count_of_rows(index, INDEX_SCORECARD);
  const uint32_t npages = count_of_rows(index, INDEX_PAGE);
  fputs("<p class=\"lede\">", out);
  put_index_page_count(out, "", count_of_rows(index, INDEX_RUN), "run");
  put_badges(out, index);
  if (nsweeps)
    put_index_page_count(out, "; ", nsweeps, "sweep");
  if (ncards)
    put_index_page_count(out, "; ", ncards, "scorecard");
  if (npages)
    put_index_page_count(out, "; ", npages, "other page");
  fputs(".</p>\n", out);
}

static void put_meanings(FILE *out) {
  static const char *const meanings[][3] = {
      {"bad", "Broken promise",
       "the database documents that this cannot happen."},
      {"warn", "Seen, and allowed", "the level in use lets it happen."},
      {"good", "Kept in this run", "proved for this run, not for all."},
      {"open", "Undecided", "the check ran out of time or memory."},
  };
  fputs("<ul class=\"legend\">\n", out);
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    fprintf(out, "<li><b class=\"%s\">%s</b>: %s</li>\n", meanings[i][0],
            meanings[i][1], meanings[i][2]);
  fputs("</ul>\n", out);
}

static void put_troubles(FILE *out, const struct index *index) {
  for (uint32_t i = 0; i < index->ntroubles; i++) {
    fputs("<p class=\"note\">", out);
    put_markup(out, index->troubles[i]);
    fputs("</p>\n", out);
  }
}

static void put_filter(FILE *out) {
  fputs("<p class=\"filter\" hidden><label>Show what has <input "
        "type=\"search\" size=\"26\" placeholder=\"database, level, "
        "anomaly\"></label> "
        "<label>and is <select><option value=\"\">anything</option>"
        "<option value=\"bad\">a broken promise</option>"
        "<option value=\"warn\">seen and allowed</option>"
        "<option value=\"open\">open</option>"
        "<option value=\"good\">kept</option></select></label> <span "
        "role=\"status\">all</span></p>\n",
        out);
}

static void put_link(FILE *out, const struct index_row *row) {
  if (row->link) {
    fputs("<a href=\"", out);
    page_href(out, row->link);
    fputs("\">", out);
  }
  put_markup(out, row->name);
  fputs(row->link ? "</a>" : "", out);
}

static void put_small(FILE *out, const char *text) {
  if (!*text)
    return;
  fputs("<small>", out);
  put_markup(out, text);
  fputs("</small>", out);
}

static void put_date(FILE *out, uint64_t ns) {
  const time_t seconds = (time_t)(ns / NS_PER_SECOND);
  char text[32] = "";
  struct tm utc;
  if (gmtime_r(&seconds, &utc))
    strftime(text, sizeof text, "%Y-%m-%d %H:%M", &utc);
  fprintf(out, "<td class=\"nw soft\">%s</td>", text);
}

static void put_index_page_figures(FILE *out, const struct index_row *row) {
  fputs("<td class=\"n\" data-l=\"committed\">", out);
  quantity_put_grouped(out, row->committed);
  fputs("</td>", out);
  if (!row->measured) {
    fputs("<td></td><td></td>", out);
    return;
  }
  fprintf(out,
          "<td class=\"n\" data-l=\"aborted\">%.*f&nbsp;%%</td>"
          "<td class=\"n\" data-l=\"per second\">",
          row->aborted > 0 && row->aborted < 1 ? 2 : 1, row->aborted);
  if (*row->course)
    fprintf(out,
            "<svg class=\"course\" viewBox=\"0 0 90 20\" "
            "aria-hidden=\"true\"><path d=\"%s\"/></svg> ",
            row->course);
  quantity_put_grouped(out, quantity_whole_rate(row->committed, row->measured));
  fputs("</td>", out);
}

static void put_index_page_row(FILE *out, const struct index_row *row) {
  fprintf(out, "<tr data-v=\"%s\"><td>", row->colour);
  page_tag(out, row->colour, row->tag);
  put_small(out, row->detail);
  fputs("</td><th scope=\"row\">", out);
  put_link(out, row);
  put_small(out, row->about);
  put_small(out, row->target);
  fputs("</th>", out);
  if (row->kind == INDEX_RUN)
    put_index_page_figures(out, row);
  put_date(out, row->date);
  fputs("</tr>\n", out);
}

// The worst first; pages that have no verdict come last.
static const char *const colours[] = {"bad", "warn", "open", "good", "many"};
enum { RANKS = sizeof colours / sizeof *colours, SEEN = 1 };

// An anomaly that no document is about stands with those that are allowed.
static int rank_of_row(const struct index_row *row) {
  int rank = 0;
  if (row->kind == INDEX_RUN && row->badge == BADGE_UNDOCUMENTED)
    return SEEN;
  while (rank + 1 < RANKS && strcmp(row->colour, colours[rank]) != 0)
    rank++;
  return rank;
}

static void put_index_page_rows(FILE *out, const struct index *index,
                                bool runs) {
  for (int rank = 0; rank < RANKS; rank++)
    for (uint32_t i = 0; i < index->nrows; i++)
      if ((index->rows[i].kind == INDEX_RUN) == runs &&
          rank_of_row(&index->rows[i]) == rank)
        put_index_page_row(out, &index->rows[i]);
  page_end_table(out);
  fputs("</section>\n", out);
}

void index_put_page(FILE *out, const struct index *index, const char *program) {
  const uint32_t nruns = count_of_rows(index, INDEX_RUN);
  page_open(out, INDEX_TITLE);
  page_bar(out, NULL, "All results", "");
  fputs("<main>\n<section class=\"verdict\">\n<h1>Results</h1>\n", out);
  put_index_page_lede(out, index);
  put_meanings(out);
  put_filter(out);
  put_troubles(out, index);
  fputs("</section>\n", out);
  if (nruns) {
    page_section(out, "runs", "Runs");
    page_table(out, "The worst first, and of these the newest",
               "verdict|database and level|#committed|#aborted|#per "
               "second|begun (UTC)");
    put_index_page_rows(out, index, true);
  }
  if (nruns < index->nrows) {
    page_section(out, "others", "Sweeps, scorecards and other pages");
    page_table(out, "The worst first, and of these the newest",
               "verdict|of what|time (UTC)");
    put_index_page_rows(out, index, false);
  }
  page_close(out, program);
}

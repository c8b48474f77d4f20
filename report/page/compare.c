// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of several runs side by side (report/page/page.h), one table for
// the page and for text.
#include "config.h"

#include "report/page/page.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/page/sections.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// One figure of a run as text; `text` is a stream.
typedef void putter(FILE *text, const struct stored *s,
                    const struct json_value *run, const char *member);

static void put_compared_verdict(FILE *text, const struct stored *s,
                                 const struct json_value *run,
                                 const char *member) {
  (void)run, (void)member;
  page_verdict_words(text, s);
}

static void put_strongest(FILE *text, const struct stored *s,
                          const struct json_value *run, const char *member) {
  (void)run;
  fputs(json_text(json_member(s->document, KEY(all_levels)), member, ""), text);
}

static void put_member(FILE *text, const struct stored *s,
                       const struct json_value *run, const char *member) {
  (void)s;
  fputs(json_text(run, member, ""), text);
}

static void put_compared_count(FILE *text, const struct stored *s,
                               const struct json_value *run,
                               const char *member) {
  (void)s;
  if (run)
    fprintf(text, "%" PRIu64, json_whole(run, member, 0));
}

static void put_seconds(FILE *text, const struct stored *s,
                        const struct json_value *run, const char *member) {
  (void)s;
  if (run)
    fprintf(text, "%.1f s", json_real(run, member, 0) / 1e9);
}

static void put_throughput(FILE *text, const struct stored *s,
                           const struct json_value *run, const char *member) {
  const double seconds = json_real(run, KEY(measured_ns), 0) / 1e9;
  (void)s;
  if (seconds > 0)
    fprintf(text, "%.0f /s", json_real(run, member, 0) / seconds);
}

static void put_share(FILE *text, const struct stored *s,
                      const struct json_value *run, const char *member) {
  (void)s;
  if (run)
    fprintf(text, "%.2f %%",
            quantity_percent(json_whole(run, member, 0),
                             json_whole(run, KEY(begun), 0)));
}

// The greatest of all shapes: no shape is slower.
static void put_compared_latency(FILE *text, const struct stored *s,
                                 const struct json_value *run,
                                 const char *member) {
  double worst = 0;
  (void)s;
  for (const struct json_value *v = json_first(run, KEY(shapes)); v;
       v = v->next) {
    const double ns = json_real(json_member(v, KEY(latency)), member, 0);
    worst = ns > worst ? ns : worst;
  }
  const struct quantity q = quantity_duration(worst);
  if (worst > 0)
    fprintf(text, "%s %s", q.number, q.unit);
}

static void put_compared_found(FILE *text, const struct stored *s,
                               const struct json_value *run,
                               const char *member) {
  const struct json_value *found = json_member(stored_broken(s), KEY(found));
  const char *separator = "";
  (void)run, (void)member;
  for (const struct json_value *f = found ? found->first : NULL; f;
       f = f->next) {
    fprintf(text, "%s%" PRIu64 " %s", separator, json_whole(found, f->name, 0),
            f->name);
    separator = ", ";
  }
}

static const struct {
  const char *heading;
  putter *put;
  const char *member;
} rows[] = {
    {"verdict", put_compared_verdict, NULL},
    {"strongest level kept", put_strongest, KEY(strongest)},
    {"anomalies", put_compared_found, NULL},
    {"database", put_member, KEY(server)},
    {"target", put_member, KEY(target)},
    {"workload", put_member, KEY(workload)},
    {"level", put_member, KEY(level)},
    {"sessions", put_compared_count, KEY(clients)},
    {"duration", put_seconds, KEY(elapsed_ns)},
    {"throughput", put_throughput, KEY(committed)},
    {"attempts", put_compared_count, KEY(begun)},
    {"committed", put_compared_count, KEY(committed)},
    {"aborted", put_compared_count, KEY(aborted)},
    {"abort rate", put_share, KEY(aborted)},
    {"unknown", put_compared_count, KEY(unknown)},
    {"given up", put_compared_count, KEY(given_up)},
    {"p50, slowest shape", put_compared_latency, KEY(p50_ns)},
    {"p99, slowest shape", put_compared_latency, KEY(p99_ns)},
    {"longest", put_compared_latency, KEY(max_ns)},
};
enum { NROWS = sizeof rows / sizeof *rows };

// A figure, to be freed.
static char *compared_cell_of(const struct stored *s, size_t row) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  rows[row].put(out, s, json_member(s->document, KEY(run)), rows[row].member);
  fclose(out);
  return text;
}

// Settings in which the runs differ, one row each.
static bool differs(const struct stored *runs, uint32_t nruns,
                    const char *name) {
  for (uint32_t i = 1; i < nruns; i++) {
    const struct json_value *a = json_member(runs[0].document, KEY(run));
    const struct json_value *b = json_member(runs[i].document, KEY(run));
    if (strcmp(json_text(json_member(a, KEY(settings)), name, ""),
               json_text(json_member(b, KEY(settings)), name, "")) != 0)
      return true;
  }
  return false;
}

static const struct json_value *first_setting(const struct stored *runs) {
  const struct json_value *settings =
      json_member(json_member(runs[0].document, KEY(run)), KEY(settings));
  return settings ? settings->first : NULL;
}

static const char *compared_setting_of(const struct stored *s,
                                       const char *name) {
  return json_text(
      json_member(json_member(s->document, KEY(run)), KEY(settings)), name, "");
}

static void put_html_row(FILE *out, const char *heading, char **cells,
                         uint32_t n) {
  page_start_row(out, heading);
  for (uint32_t i = 0; i < n; i++)
    page_cell(out, "", cells[i]);
  fputs("</tr>\n", out);
}

static bool says_something(char **cells, uint32_t n) {
  bool any = false;
  for (uint32_t i = 0; i < n; i++)
    any |= cells[i][0] != '\0';
  return any;
}

// One row after another, as the caller wants them put.
typedef void row_putter(FILE *out, const char *heading, char **cells,
                        uint32_t n);
static void put_compared_rows(FILE *out, const struct stored *runs,
                              uint32_t nruns, row_putter *put) {
  char **cells = xcalloc(nruns, sizeof *cells);
  for (size_t row = 0; row < NROWS; row++) {
    for (uint32_t i = 0; i < nruns; i++)
      cells[i] = compared_cell_of(&runs[i], row);
    if (says_something(cells, nruns))
      put(out, rows[row].heading, cells, nruns);
    for (uint32_t i = 0; i < nruns; i++)
      free(cells[i]);
  }
  for (const struct json_value *s = first_setting(runs); s; s = s->next) {
    if (!differs(runs, nruns, s->name))
      continue;
    for (uint32_t i = 0; i < nruns; i++)
      cells[i] = xstrdup(compared_setting_of(&runs[i], s->name));
    char *heading = xasprintf("--%s", s->name);
    put(out, heading, cells, nruns);
    free(heading);
    for (uint32_t i = 0; i < nruns; i++)
      free(cells[i]);
  }
  free(cells);
}

void compare_put_figures(FILE *out, const struct stored *runs,
                         const char *const *names, uint32_t nruns) {
  page_section(out, "comparison", "All figures");
  page_start_table(out, "Figures, and the settings in which the runs differ");
  fputs("<thead><tr><td></td>", out);
  for (uint32_t i = 0; i < nruns; i++)
    page_column(out, names[i]);
  fputs(PAGE_END_HEAD, out);
  put_compared_rows(out, runs, nruns, put_html_row);
  page_end_table(out);
  fputs("</section>\n", out);
}

// A line per figure and run: columns of text would break where a server's
// version is long.
static void put_text_row(FILE *out, const char *heading, char **cells,
                         uint32_t n) {
  fprintf(out, "%s\n", heading);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "  %2" PRIu32 "  %s\n", i + 1, cells[i]);
}

void compare_put_text(FILE *out, const struct stored *runs,
                      const char *const *names, uint32_t nruns) {
  for (uint32_t i = 0; i < nruns; i++)
    fprintf(out, "%2" PRIu32 "  %s\n", i + 1, names[i]);
  put_compared_rows(out, runs, nruns, put_text_row);
}

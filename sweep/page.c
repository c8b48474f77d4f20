// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a sweep (sweep/page.h): its head, its panels, and how it was run.
#include "config.h"

#include "sweep/page.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/naming.h"
#include "sweep/page_parts.h"
#include "sweep/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- Panels

// Panels of one measure on one scale; a section for each.
static void put_sections(FILE *out, const struct panels *panels) {
  const struct grid *g = panels->grid;
  for (int i = 0; i < SHOWN; i++) {
    const struct shown_measure *shown = &sweep_shown[i];
    if (!sweep_shows(g->summary, shown))
      continue;
    page_section(out, shown->id, shown->heading);
    sweep_put_overlap(out, g, shown);
    panels_put_legend(out, panels);
    panels_put(out, panels, shown);
    fputs("</section>\n", out);
  }
}

// One panel of each measure, side by side.
static void put_section(FILE *out, const struct panels *panels) {
  const struct grid *g = panels->grid;
  page_section(out, "measured", "What was measured");
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(g->summary, &sweep_shown[i]))
      sweep_put_overlap(out, g, &sweep_shown[i]);
  panels_put_legend(out, panels);
  fputs("<div class=\"multiples\">\n", out);
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(g->summary, &sweep_shown[i]))
      panels_put_one(out, panels, &sweep_shown[i], 0, sweep_shown[i].heading);
  fputs("</div>\n</section>\n", out);
}

static void put_measures(FILE *out, const struct grid *g) {
  struct panels panels = panels_make(g);
  if (g->npanels == 1)
    put_section(out, &panels);
  else
    put_sections(out, &panels);
  panels_free(&panels);
}

// ---- How it was run

// Settings and facts that all runs share, a word or a sentence each.
static void put_shared_setting(FILE *out, const char *name, const char *text) {
  if (!*text)
    return;
  fputs("<dt>", out);
  put_markup(out, name);
  fputs("</dt><dd>", out);
  put_markup(out, text);
  fputs("</dd>\n", out);
}

static const char *common_server(const struct summary *s) {
  bool same = true;
  for (uint32_t c = 1; c < s->ncells; c++)
    same &= !strcmp(s->cells[c].server, s->cells[0].server);
  return same && s->ncells ? s->cells[0].server : "";
}

// The section of the job file, which ends the command, is no part of it.
static void put_sweep_command(FILE *out, const char *command) {
  const char *section = strstr(command, "  [");
  const size_t n = section ? (size_t)(section - command) : strlen(command);
  char *text = xasprintf("%.*s", (int)n, command);
  page_start_command(out);
  put_markup(out, text);
  page_end_command(out);
  free(text);
}

static void put_how_swept(FILE *out, const struct summary *s,
                          const char *command) {
  const struct sweep_times *t = &s->times;
  page_section(out, "how", "How it was run");
  put_sweep_command(out, command);
  fputs("<dl class=\"kv\">\n", out);
  for (uint32_t i = 0; i < s->naxes && s->ncells; i++)
    if (!summary_varies(s, i))
      put_shared_setting(out, s->runs->names[i], s->cells[0].values[i]);
  put_shared_setting(out, "order",
                     "random in each repetition, so that a change of the "
                     "machine does not fall on one setting");
  put_shared_setting(out, "server", common_server(s));
  if (t->took > 0)
    fprintf(out,
            "<dt>took</dt><dd>%.1f s: %.1f s setting up, %.1f s warm-up, %.1f "
            "s load, %.1f s checking, %.2f s the sweep's own</dd>\n",
            t->took, t->setup, t->warmup, t->load, t->checked, t->own);
  fprintf(out,
          "<dt>latency</dt><dd>from the %s start of a transaction to the end "
          "of its last attempt</dd>\n</dl>\n</section>\n",
          summary_latency_from(s));
}

// ---- The page

static void when_of(const struct summary *s, char *text, size_t room) {
  double first = INFINITY;
  for (uint32_t row = 0; row < s->runs->nrows; row++)
    first = fmin(first, table_number(s->runs, row, "started"));
  const time_t seconds = isfinite(first) ? (time_t)first : 0;
  struct tm utc;
  text[0] = '\0';
  if (seconds && gmtime_r(&seconds, &utc))
    strftime(text, room, "%Y-%m-%d %H:%M:%S UTC", &utc);
}

static void put_sweep_bar(FILE *out, const struct summary *s, const char *name,
                          const char *all_results) {
  char when[64];
  const char *server = common_server(s);
  char *about = xasprintf("%.*s%ssweep %s", naming_server_length(server),
                          server, *server ? ", " : "", name);
  when_of(s, when, sizeof when);
  page_bar(out, all_results, about, when);
  free(about);
}

void sweep_put_page(FILE *out, const struct summary *s, const char *name,
                    const char *command, const char *program,
                    const char *all_results) {
  struct grid g = grid_make(s);
  char *headline, tag[96];
  size_t bytes;
  FILE *text = text_stream(&headline, &bytes);
  sweep_put_headline(text, &g);
  fclose(text);
  snprintf(tag, sizeof tag, "Sweep: %" PRIu32 " setting%s, %" PRIu32 " run%s",
           s->ncells, s->ncells == 1 ? "" : "s", s->runs->nrows,
           s->runs->nrows == 1 ? "" : "s");
  page_open(out, headline);
  put_sweep_bar(out, s, name, all_results);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  page_tag(out, "many", tag);
  fputs("<h1>", out);
  put_markup(out, headline);
  fputs("</h1>\n", out);
  sweep_put_lede(out, &g);
  fputs("</section>\n", out);
  put_measures(out, &g);
  sweep_put_numbers(out, s);
  put_how_swept(out, s, command);
  sweep_put_runs(out, s);
  page_close(out, program);
  free(headline);
  grid_free(&g);
}

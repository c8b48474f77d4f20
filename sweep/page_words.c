// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences that the figures of a sweep make (sweep/page_parts.h).  Nothing
// is said to differ where the intervals overlap.
#include "config.h"

#include "sweep/page_parts.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct shown_measure sweep_shown[SHOWN] = {
    {MEASURE_ABORT_RATE, -1, "aborted", "Aborted attempts", "aborted attempts",
     PLOT_PERCENT, 100, NULL},
    {MEASURE_GIVEN_UP, MEASURE_RETRIES, "given-up", "Transactions given up",
     "transactions given up", PLOT_PERCENT, 100, NULL},
    {MEASURE_ANOMALIES, MEASURE_ANOMALIES, "anomalies",
     "Anomalies in 1,000 committed transactions", "anomalies", PLOT_NUMBER, 1,
     NULL},
    {MEASURE_FOUND, MEASURE_FOUND, "found",
     "Runs that show a violation, per hour", "violations found", PLOT_NUMBER, 1,
     NULL},
    {MEASURE_THROUGHPUT, -1, "throughput", "Committed per second",
     "commits per second", PLOT_NUMBER, 1, NULL},
    {MEASURE_P99, -1, "latency", "The slowest hundredth (p99)",
     "the time of the slowest hundredth", PLOT_DURATION, 1e6, NULL},
    {MEASURE_GENERATION, -1, "load", "Time of the load", "the time of the load",
     PLOT_DURATION, 1e9, "transactions"},
    {MEASURE_VERIFICATION, MEASURE_VERIFICATION, "check", "Time of the check",
     "the time of the check", PLOT_DURATION, 1e9, NULL},
};

static bool has_varied(const struct summary *s, const char *name) {
  const uint32_t axis = table_column(s->runs, name);
  return axis < s->naxes && summary_varies(s, axis);
}

bool sweep_shows(const struct summary *s, const struct shown_measure *shown) {
  return (shown->if_any < 0 || summary_has(s, (enum measure)shown->if_any)) &&
         (!shown->if_varied || has_varied(s, shown->if_varied));
}

// Axes whose values say alone what they are.
static bool is_level(const char *axis) {
  return !strcmp(axis, "isolation") || !strcmp(axis, "mix");
}

void sweep_put_value(FILE *out, const struct summary *s, uint32_t axis,
                     const char *value) {
  const char *name = s->runs->names[axis];
  if (!strcmp(name, "clients"))
    fprintf(out, "%s session%s", value, strcmp(value, "1") ? "s" : "");
  else if (is_level(name) || !strcmp(name, "target"))
    fputs(value, out);
  else
    fprintf(out, "%s %s", name, value);
}

// "at ser", "with 16 sessions"
static void put_cell_group(FILE *out, const struct grid *g,
                           const struct cell *cell, uint32_t axis) {
  if (axis == g->summary->naxes)
    return;
  fputs(is_level(g->summary->runs->names[axis]) ? "at " : "with ", out);
  sweep_put_value(out, g->summary, axis, cell->values[axis]);
}

// "23", "1.4", "fewer than 1", "none"
static void put_of_100(FILE *out, double share) {
  const double percent = 100 * share;
  if (percent >= 10)
    fprintf(out, "%.0f", percent);
  else if (percent >= 1)
    fprintf(out, "%.1f", percent);
  else
    fputs(percent > 0 ? "fewer than 1" : "none", out);
}

// ---- The headline

// Two cells of one comparison; high is NULL if there are no two.
struct extremes {
  const struct cell *high, *low;
  uint32_t axis; // in which they differ
  bool apart;    // their intervals do not overlap
};

static double abort_rate_of_cell(const struct cell *cell) {
  return cell->measures[MEASURE_ABORT_RATE].mean;
}

static double gap_of(const struct extremes *e, enum measure measure) {
  return e->high
             ? e->high->measures[measure].mean - e->low->measures[measure].mean
             : -1;
}

// Those that are apart tell more than any others, then those with the larger
// gap.
static bool tell_more(const struct extremes *one, const struct extremes *other,
                      enum measure measure) {
  if (one->apart != other->apart)
    return one->apart;
  return gap_of(one, measure) > gap_of(other, measure);
}

// Tries all pairs: the highest and the lowest may overlap where others do not.
static struct extremes extremes_of(const struct cell *const *cells, uint32_t n,
                                   enum measure measure) {
  struct extremes most = {0};
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++) {
      const struct extremes e = {
          .high = cells[i],
          .low = cells[k],
          .apart = cells_are_apart(cells[i], cells[k], measure)};
      if (i != k && gap_of(&e, measure) >= 0 && tell_more(&e, &most, measure))
        most = e;
    }
  return most;
}

static struct extremes find_widest(const struct grid *g) {
  struct extremes widest = {0};
  const struct cell **cells =
      xcalloc((size_t)g->nseries + g->nplaces, sizeof *cells);
  for (uint32_t i = 0; i < grid_ncomparisons(g); i++) {
    const uint32_t n = grid_compared(g, i, cells);
    struct extremes e = extremes_of(cells, n, MEASURE_ABORT_RATE);
    e.axis = grid_compared_axis(g, i);
    if (e.high && tell_more(&e, &widest, MEASURE_ABORT_RATE))
      widest = e;
  }
  free(cells);
  return widest;
}

static const struct cell *most_aborted(const struct summary *s) {
  const struct cell *most = NULL;
  for (uint32_t c = 0; c < s->ncells; c++)
    if (s->cells[c].nruns &&
        (!most || abort_rate_of_cell(&s->cells[c]) > abort_rate_of_cell(most)))
      most = &s->cells[c];
  return most;
}

static uint32_t count_verdicts(const struct summary *s, const char *verdict) {
  uint32_t n = 0;
  for (uint32_t row = 0; row < s->runs->nrows; row++)
    n += verdict ? !strcmp(table_text(s->runs, row, "verdict"), verdict)
                 : table_text(s->runs, row, "verdict")[0] != '\0';
  return n;
}

static void put_abort_difference(FILE *out, const struct grid *g,
                                 const struct extremes *e) {
  char *text;
  size_t bytes;
  FILE *group = text_stream(&text, &bytes);
  put_cell_group(group, g, e->high, e->axis);
  if (g->nseries > 1 && e->axis != g->series_axis) {
    fputc(' ', group);
    put_cell_group(group, g, e->high, g->series_axis);
  }
  fclose(group);
  fprintf(out, "%c%s, ", *text == 'a' ? 'A' : 'W', text + 1);
  put_of_100(out, abort_rate_of_cell(e->high));
  fputs(" of 100 attempts were aborted; ", out);
  put_cell_group(out, g, e->low, e->axis);
  fputs(", ", out);
  put_of_100(out, abort_rate_of_cell(e->low));
  putc('.', out);
  free(text);
}

void sweep_put_headline(FILE *out, const struct grid *g) {
  const struct summary *s = g->summary;
  const struct extremes e = find_widest(g);
  const struct cell *most = most_aborted(s);
  const uint32_t nbroken = count_verdicts(s, "violation");
  if (nbroken)
    fprintf(out, "%" PRIu32 " of %" PRIu32 " runs broke what was asked. ",
            nbroken, count_verdicts(s, NULL));
  const uint32_t nunmet = unmet_runs(s);
  if (nunmet)
    fprintf(out, "%" PRIu32 " of %" PRIu32 " runs %s not meet a requirement. ",
            nunmet, unmet_of_runs(s), nunmet == 1 ? "does" : "do");
  if (!most) {
    fputs("No run of this sweep took place.", out);
  } else if (!(abort_rate_of_cell(most) > 0)) {
    fputs("No attempt was aborted.", out);
  } else if (100 * abort_rate_of_cell(most) < 1) {
    fputs("Fewer than 1 of 100 attempts were aborted.", out);
  } else if (!e.high) {
    put_of_100(out, abort_rate_of_cell(most));
    fputs(" of 100 attempts were aborted.", out);
  } else if (e.high->nruns > 1 && e.low->nruns > 1 && !e.apart) {
    fputs("The intervals overlap: these runs do not tell the settings apart "
          "by aborted attempts.",
          out);
  } else {
    put_abort_difference(out, g, &e);
  }
}

// ---- The paragraph below it

static void put_settings_of(FILE *out, const struct summary *s,
                            const struct cell *cell) {
  const char *separator = "";
  for (uint32_t i = 0; i < s->naxes; i++) {
    if (!summary_varies(s, i))
      continue;
    char *text;
    size_t bytes;
    FILE *value = text_stream(&text, &bytes);
    sweep_put_value(value, s, i, cell->values[i]);
    fclose(value);
    fputs(separator, out);
    put_markup(out, text);
    free(text);
    separator = ", ";
  }
}

static void put_most(FILE *out, const struct summary *s) {
  const struct cell *most = most_aborted(s);
  if (!most || s->ncells < 2 || !(abort_rate_of_cell(most) > 0))
    return;
  const struct interval *m = &most->measures[MEASURE_ABORT_RATE];
  fputs("Most attempts were aborted with ", out);
  put_settings_of(out, s, most);
  const int digits = 100 * m->mean < 1 ? 3 : 1;
  fprintf(out, ": <b>%.*f</b>", digits, 100 * m->mean);
  if (!isnan(m->half))
    fprintf(out, " \xc2\xb1 %.*f", digits, 100 * m->half);
  fputs(" of 100. The application has to try them again. ", out);
}

static void put_verdict_counts(FILE *out, const struct summary *s) {
  const uint32_t nchecked = count_verdicts(s, NULL);
  const uint32_t nkept = count_verdicts(s, "pass");
  const uint32_t nbroken = count_verdicts(s, "violation");
  if (!nchecked)
    fputs("No run was checked.", out);
  else if (nkept == nchecked)
    fprintf(out, "All %" PRIu32 " runs that were checked %s.", nchecked,
            unmet_runs(s) ? "passed the check" : "kept what was asked");
  else
    fprintf(out,
            "Of %" PRIu32 " runs that were checked, <b class=\"%s\">%" PRIu32
            "</b> broke what was asked, %" PRIu32 " kept it, and %" PRIu32
            " were not decided.",
            nchecked, nbroken ? "bad" : "open", nbroken, nkept,
            nchecked - nkept - nbroken);
}

// In how many cells and runs each requirement is not met: the table of all
// numbers has what was measured.
static void put_unmet_note(FILE *out, const struct summary *s) {
  if (unmet_runs(s))
    fprintf(out,
            "<p class=\"note\"><strong>A requirement is not met</strong> in "
            "<b>%" PRIu32 "</b> of %" PRIu32 " runs. The column of verdicts "
            "in <a href=\"#numbers\">all numbers</a> says which one, and "
            "what was measured.</p>\n",
            unmet_runs(s), unmet_of_runs(s));
}

static void put_left_out(FILE *out, uint32_t n, const char *why) {
  if (n)
    fprintf(out, " %" PRIu32 " run%s %s, and do%s not count.", n,
            n == 1 ? "" : "s", why, n == 1 ? "es" : "");
}

void sweep_put_lede(FILE *out, const struct grid *g) {
  const struct summary *s = g->summary;
  uint32_t least = UINT32_MAX, most = 0, ntroubled = 0, ninterrupted = 0;
  for (uint32_t c = 0; c < s->ncells; c++) {
    least = s->cells[c].nruns < least ? s->cells[c].nruns : least;
    most = s->cells[c].nruns > most ? s->cells[c].nruns : most;
    ninterrupted += s->cells[c].ninterrupted;
    ntroubled += s->cells[c].ntroubled - s->cells[c].ninterrupted;
  }
  fputs("<p class=\"lede\">", out);
  put_most(out, s);
  put_verdict_counts(out, s);
  fputs("</p>\n", out);
  put_unmet_note(out, s);
  fputs("<p class=\"soft\">A dot is ", out);
  if (most > 1)
    fputs("the mean of ", out);
  if (least != most)
    fprintf(out, "%" PRIu32 " to ", least);
  fprintf(out,
          most > 1 ? "%" PRIu32 " runs; its line is the 95 %% interval."
                   : "%" PRIu32 " run, which has no interval.",
          most);
  put_left_out(out, ntroubled, "had trouble");
  put_left_out(out, ninterrupted,
               ninterrupted == 1 ? "was interrupted" : "were interrupted");
  fputs("</p>\n", out);
}

// ---- Overlaps

void sweep_put_overlap(FILE *out, const struct grid *g,
                       const struct shown_measure *shown) {
  const struct cell **cells =
      xcalloc((size_t)g->nseries + g->nplaces, sizeof *cells);
  uint32_t ncompared = 0, napart = 0;
  for (uint32_t i = 0; i < grid_ncomparisons(g); i++) {
    const uint32_t n = grid_compared(g, i, cells);
    const struct extremes e = extremes_of(cells, n, shown->measure);
    if (!e.high || e.high->nruns < 2 || e.low->nruns < 2)
      continue;
    ncompared++;
    napart += e.apart;
  }
  free(cells);
  if (!ncompared)
    return;
  fputs("<p>", out);
  if (!napart)
    fprintf(out,
            "By %s, all intervals overlap. Longer and more runs narrow them: "
            "<code>--time</code>, <code>--repetitions</code>.",
            shown->phrase);
  else if (napart == ncompared)
    fprintf(out, "By %s, some intervals are apart in each comparison.",
            shown->phrase);
  else
    fprintf(out,
            "By %s, some intervals are apart in %" PRIu32 " of %" PRIu32
            " comparisons; in the others all overlap.",
            shown->phrase, napart, ncompared);
  fputs("</p>\n", out);
}

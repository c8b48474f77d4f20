// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard for a terminal of 80 columns (report/words/guarantees.h): what
// each level lets through, what that is enough for, and what it costs.
#include "config.h"

#include "report/words/scored.h"

#include "base/anomaly_names.h"
#include "base/utf8.h"
#include "report/text/text.h"
#include "report/words/naming.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 28, GAP = 2, INDENT = 20 };

// ---- The table

static const char *const marks[SCORED_STATES] = {
    [SCORED_NOT_TRIED] = "", [SCORED_PREVENTED] = "-",   [SCORED_UNSEEN] = "o",
    [SCORED_SEEN] = "seen",  [SCORED_BROKEN] = "BROKEN",
};

static const char *mark_of(const struct scored *s, uint32_t c,
                           const struct scored_line *line) {
  const enum scored_state state = scored_state_of(s, c, line);
  return marks[state == SCORED_BROKEN && s->several ? SCORED_SEEN : state];
}

// A heading has three lines: READ, COMMITTED, (default).
enum { HEADINGS = 3 };

static const char *heading_of(const struct scored *s, uint32_t c, int line,
                              int *length) {
  const char *name = naming_level(s->g->columns[c].level);
  const char *blank = strchr(name, ' ');
  const bool marked = s->g->columns[c].is_default && scored_levels(s->g) > 1;
  const char *text = line == 0   ? name
                     : line == 1 ? (blank ? blank + 1 : name)
                     : marked    ? "(default)"
                                 : "";
  *length = line == 0 ? (int)(blank ? blank - name : 0) : (int)strlen(text);
  return text;
}

static int scored_width_of(const struct scored *s, uint32_t c) {
  int width = 0;
  for (uint32_t i = 0; i < s->nlines; i++) {
    const int length = (int)strlen(mark_of(s, c, &s->lines[i]));
    width = length > width ? length : width;
  }
  for (int line = 0; line < HEADINGS; line++) {
    int length;
    heading_of(s, c, line, &length);
    width = length > width ? length : width;
  }
  return width;
}

// Text cells after each other, without blanks at the end of a line.
struct cells {
  FILE *out;
  int blanks; // that the next text needs in front
};

static void put_scored_cell(struct cells *cells, const char *text, int length,
                            int width) {
  if (length) {
    fprintf(cells->out, "%*s%.*s", cells->blanks, "", length, text);
    cells->blanks = 0;
  }
  cells->blanks += width - length;
}

static void put_scored_heading(const struct scored *s, uint32_t from,
                               uint32_t to, int line) {
  struct cells cells = {s->out, LABEL};
  bool any = false;
  for (uint32_t c = from; c < to; c++) {
    int length;
    const char *text = heading_of(s, c, line, &length);
    if (scored_leads(s->g, c)) {
      put_scored_cell(&cells, text, length, scored_width_of(s, c) + GAP);
      any = any || length;
    }
  }
  if (any)
    putc('\n', s->out);
}

static void put_scored_line(const struct scored *s, uint32_t from, uint32_t to,
                            const struct scored_line *line) {
  char *name;
  size_t bytes;
  struct scored named = *s;
  named.out = text_stream(&name, &bytes);
  scored_put_name(&named, line, true);
  fclose(named.out);
  struct cells cells = {s->out, 0};
  put_scored_cell(&cells, name, (int)strlen(name), LABEL);
  for (uint32_t c = from; c < to; c++) {
    const char *mark = mark_of(s, c, line);
    if (scored_leads(s->g, c))
      put_scored_cell(&cells, mark, (int)strlen(mark),
                      scored_width_of(s, c) + GAP);
  }
  putc('\n', s->out);
  free(name);
}

// The column behind the last one that stands beside `from`.
static uint32_t end_of_table(const struct scored *s, uint32_t from) {
  int width = LABEL - GAP;
  uint32_t c = from;
  for (; c < s->g->ncolumns; c++) {
    width += scored_leads(s->g, c) ? GAP + scored_width_of(s, c) : 0;
    if (c > from && width > PLAIN_WIDTH)
      return c;
  }
  return c;
}

static void put_scored_tables(const struct scored *s) {
  for (uint32_t from = 0, to; from < s->g->ncolumns; from = to) {
    to = end_of_table(s, from);
    for (int line = 0; line < HEADINGS; line++)
      put_scored_heading(s, from, to, line);
    for (uint32_t i = 0; i < s->nlines; i++)
      put_scored_line(s, from, to, &s->lines[i]);
    putc('\n', s->out);
  }
  fputs(s->several
            ? "-: prevented   seen: across servers, or allowed\n"
            : "-: prevented   seen: allowed, and seen   o: allowed, not seen\n",
        s->out);
  fputs(s->several ? "o: allowed, not seen   nothing: not tried\n"
                   : "BROKEN: forbidden, and seen   nothing: not tried\n",
        s->out);
}

// ---- What a level is enough for

// The first anomaly that a level lets through decides.
static const struct {
  enum anomaly anomaly;
  const char *enough;
} uses[] = {
    {ANOMALY_ABORTED_READ,
     "estimates: a transaction may see what another one takes back."},
    {ANOMALY_FRACTURED_READ,
     "changes of one statement; not for a value that is read and then written, "
     "nor for figures of several rows that belong together."},
    {ANOMALY_LOST_UPDATE,
     "changes of one statement, and reports by plain reads; not for a value "
     "that is read and then written."},
    {ANOMALY_WRITE_SKEW, "whatever has no rule over several rows, such as "
                         "\"one of the two stays on call\"."},
    {ANOMALY_PHANTOM_WRITE_SKEW,
     "whatever has no rule over the rows that a search finds."},
    {ANOMALY_NONE, "whatever is right when transactions run one at a time."},
};

static bool lets_through(const struct scored *s, uint32_t c,
                         enum anomaly anomaly) {
  for (uint32_t i = 0; i < s->nlines; i++)
    if (s->lines[i].anomaly == anomaly)
      return !scored_promised(s, c, &s->lines[i]);
  const struct scored_line line = {NULL, 0, anomaly};
  return !scored_promised(s, c, &line);
}

static const char *scored_use_of(const struct scored *s, uint32_t c) {
  size_t i = 0;
  while (uses[i].anomaly != ANOMALY_NONE &&
         !lets_through(s, c, uses[i].anomaly))
    i++;
  return uses[i].enough;
}

static void put_broken_promises(const struct scored *s, uint32_t c) {
  const char *separator = ": ";
  fputs(s->several ? "not kept across servers" : "BROKEN PROMISE", s->out);
  for (uint32_t i = 0; i < s->nlines; i++)
    if (scored_state_of(s, c, &s->lines[i]) == SCORED_BROKEN) {
      fputs(separator, s->out);
      scored_put_name(s, &s->lines[i], false);
      separator = ", ";
    }
  fputs(". Promised: ", s->out);
}

static bool is_undecided(const struct scored *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  return !scored_broken(s, c) && column->stressed &&
         column->kept < column->claimed;
}

static bool was_loaded(const struct guarantee_column *column) {
  return column->stressed || column->stressed_rows;
}

static void put_use(const struct scored *s, uint32_t c) {
  if (!was_loaded(&s->g->columns[c])) {
    fputs("not tried", s->out);
    return;
  }
  if (scored_broken(s, c))
    put_broken_promises(s, c);
  fputs(scored_use_of(s, c), s->out);
  if (is_undecided(s, c))
    fputs(" UNDECIDED: no check under load came to its end.", s->out);
}

// ---- Under load

static void put_scored_found(const struct scored *s, uint32_t c) {
  if (!scored_put_found(s, c, "in 1,000 committed: "))
    fputs("no anomaly", s->out);
}

static void put_scored_load(const struct scored *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  if (column->endpoints)
    fprintf(s->out, "%s: ", column->endpoints);
  if (!was_loaded(column)) {
    fputs("not tried", s->out);
    return;
  }
  if (column->stressed) {
    quantity_put_grouped(s->out, (uint64_t)(column->throughput + 0.5));
    fprintf(s->out, "/s, %.2f %% refused; ", 100 * column->abort_share);
  }
  put_scored_found(s, c);
}

// A line of each level, or of each column, in front of which its name stands.
static void put_scored_levels(const struct scored *s, bool all,
                              const char *title,
                              void (*put)(const struct scored *s, uint32_t c)) {
  fprintf(s->out, "\n%s\n", title);
  for (uint32_t c = 0; c < s->g->ncolumns; c++) {
    char *text;
    size_t bytes;
    struct scored line = *s;
    if (!all && !scored_leads(s->g, c))
      continue;
    line.out = text_stream(&text, &bytes);
    put(&line, c);
    fclose(line.out);
    const char *name = naming_level(s->g->columns[c].level);
    const int label =
        (int)strlen(name) < INDENT - 4 ? INDENT - 4 : (int)strlen(name);
    fprintf(s->out, "  %-*s  ", label, name);
    plain_put_wrapped(s->out, text, (unsigned)label + 4, INDENT);
    free(text);
  }
}

void text_put_scorecard(FILE *out, const struct guarantees *g) {
  struct scored s;
  scored_begin(&s, out, g);
  fprintf(out, "database  %.*s\ntarget    %s\n",
          naming_server_length(g->server), g->server, g->target);
  if (g->left_out)
    fprintf(out, "left out  %s\n", g->left_out);
  if (g->failed) {
    fputs("failed    ", out);
    plain_put_wrapped(out, g->failed, 10, 10);
  }
  if (g->interrupted)
    fputs("interrupted: what is empty was not tried, and the last level not to "
          "its end\n",
          out);
  putc('\n', out);
  put_scored_tables(&s);
  put_scored_levels(&s, false, "Enough for:", put_use);
  put_scored_levels(&s, true, "Under random load:", put_scored_load);
}

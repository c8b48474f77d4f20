// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a scorecard, by level and anomaly (report/words/scored.h).
#include "config.h"

#include "report/words/scored.h"

#include "base/anomaly_names.h"
#include "report/words/found.h"
#include "report/words/naming.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

bool scored_leads(const struct guarantees *g, uint32_t c) {
  assert(c < g->ncolumns);
  return c == 0 || strcmp(g->columns[c].level, g->columns[c - 1].level) != 0;
}

uint32_t scored_end(const struct guarantees *g, uint32_t c) {
  for (c++; c < g->ncolumns && !scored_leads(g, c);)
    c++;
  return c;
}

// Load is told in the first of several rows of one anomaly: the others are of
// their steps alone.
static bool is_of_steps(const struct scored_line *line) {
  bool first = true;
  for (uint32_t r = 0; line->row && r < line->r; r++)
    first &= line->row[(int)r - (int)line->r].anomaly != line->anomaly;
  return !first;
}

// Write skew by reads of rows has two names, and one row.
static bool is_of_line(const struct scored_line *line, int a) {
  if (is_of_steps(line))
    return false;
  return a == (int)line->anomaly ||
         (line->anomaly == ANOMALY_WRITE_SKEW && a == ANOMALY_CYCLE_G2_ITEM);
}

double scored_found_in(const struct guarantee_column *column,
                       const struct scored_line *line) {
  double found = 0;
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    found += is_of_line(line, a) ? column->found[a] : 0;
  return found;
}

static double found_of(const struct scored *s, uint32_t c,
                       const struct scored_line *line) {
  double most = 0;
  for (uint32_t i = c; i < scored_end(s->g, c); i++) {
    const double found = scored_found_in(&s->g->columns[i], line);
    most = found > most ? found : most;
  }
  return most;
}

const char *scored_run(const struct scored *s, uint32_t c,
                       const struct scored_line *line) {
  for (uint32_t i = c; i < scored_end(s->g, c); i++)
    for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
      if (is_of_line(line, a) && s->g->columns[i].runs[a])
        return s->g->columns[i].runs[a];
  return NULL;
}

const struct guarantee_cell *scored_cell(const struct scored *s, uint32_t c,
                                         const struct scored_line *line) {
  assert(c < s->g->ncolumns && (!line->row || line->r < s->g->nrows));
  return line->row ? &s->g->columns[c].cells[line->r] : NULL;
}

struct promised_level scored_level(const struct scored *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  return (struct promised_level){s->g->target, s->g->server, column->level,
                                 column->claimed, s->several};
}

bool scored_for_plain_reads(const struct scored *s, uint32_t c,
                            const struct scored_line *line) {
  const struct promised_level level = scored_level(s, c);
  return line->row && line->anomaly != ANOMALY_CYCLE_G_SINGLE &&
         !promise_forbids(&level, line->anomaly) &&
         promise_to_plain_reads(&level, line->anomaly) == PROMISE_FORBIDDEN;
}

bool scored_promised(const struct scored *s, uint32_t c,
                     const struct scored_line *line) {
  const struct promised_level level = scored_level(s, c);
  return scored_for_plain_reads(s, c, line) ||
         anomaly_weakest(line->anomaly) <= level.claimed ||
         promise_forbids(&level, line->anomaly);
}

double scored_rate(const struct scored *s, uint32_t c,
                   const struct scored_line *line) {
  return scored_for_plain_reads(s, c, line) ? 0 : found_of(s, c, line);
}

static bool is_seen_in_scorecard(const struct scored *s, uint32_t c,
                                 const struct scored_line *line) {
  const struct guarantee_cell *cell = scored_cell(s, c, line);
  return (cell && cell->kind == CELL_SEEN) || scored_rate(s, c, line) > 0;
}

// The load reads and writes rows by their keys.
static bool needs_searches(enum anomaly a) {
  return a == ANOMALY_PHANTOM_READ || a == ANOMALY_PHANTOM_LONG_FORK ||
         a == ANOMALY_PHANTOM_WRITE_SKEW;
}

bool scored_tried(const struct scored *s, uint32_t c,
                  const struct scored_line *line) {
  const struct guarantee_cell *cell = scored_cell(s, c, line);
  return (cell && cell->kind != CELL_EMPTY) ||
         (s->g->columns[c].stressed && !needs_searches(line->anomaly) &&
          !is_of_steps(line));
}

enum scored_state scored_state_of(const struct scored *s, uint32_t c,
                                  const struct scored_line *line) {
  const bool promised = scored_promised(s, c, line);
  if (is_seen_in_scorecard(s, c, line))
    return promised ? SCORED_BROKEN : SCORED_SEEN;
  if (!scored_tried(s, c, line))
    return SCORED_NOT_TRIED;
  return promised ? SCORED_PREVENTED : SCORED_UNSEEN;
}

static bool was_tried_anywhere(const struct scored *s,
                               const struct scored_line *line) {
  uint32_t c = 0;
  while (c < s->g->ncolumns && !scored_tried(s, c, line))
    c++;
  return c < s->g->ncolumns;
}

// Which rows there are: the grid, two anomalies that need load, and whatever
// else came under load.
void scored_begin(struct scored *s, FILE *out, const struct guarantees *g) {
  bool taken[ANOMALY_COUNT] = {[ANOMALY_CYCLE_G2_ITEM] = true};
  *s = (struct scored){.out = out,
                       .g = g,
                       .name = naming_database(g->target, g->server),
                       .several = g->ncolumns && g->columns[0].endpoints};
  for (uint32_t r = 0; r < s->g->nrows; r++) {
    const struct scored_line line = {&s->g->rows[r], r, s->g->rows[r].anomaly};
    if (was_tried_anywhere(s, &line))
      s->lines[s->nlines++] = line;
    taken[s->g->rows[r].anomaly] = true;
  }
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    bool found = a == ANOMALY_NON_REPEATABLE_READS || a == ANOMALY_LONG_FORK;
    for (uint32_t c = 0; c < s->g->ncolumns; c++)
      found |= s->g->columns[c].found[a] > 0;
    if (found && !taken[a])
      s->lines[s->nlines++] = (struct scored_line){NULL, 0, (enum anomaly)a};
  }
}

uint32_t scored_count(const struct scored *s, enum scored_state state) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    for (uint32_t i = 0; scored_leads(s->g, c) && i < s->nlines; i++)
      n += scored_state_of(s, c, &s->lines[i]) == state;
  return n;
}

bool scored_has(const struct scored *s, uint32_t c, enum scored_state state) {
  uint32_t i = 0;
  while (i < s->nlines && scored_state_of(s, c, &s->lines[i]) != state)
    i++;
  return i < s->nlines;
}

bool scored_broken(const struct scored *s, uint32_t c) {
  bool broken = scored_has(s, c, SCORED_BROKEN);
  for (uint32_t i = c; i < scored_end(s->g, c); i++)
    broken |= s->g->columns[i].violated || s->g->columns[i].violated_rows;
  return broken;
}

uint32_t scored_levels(const struct guarantees *g) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < g->ncolumns; c++)
    n += scored_leads(g, c);
  return n;
}

void scored_put_name(const struct scored *s, const struct scored_line *line,
                     bool capital) {
  const char *name = anomaly_info(line->anomaly)->name;
  const char *plain = line->row ? line->row->heading : anomaly_plain(name);
  const int first = (unsigned char)plain[0];
  const bool stays = !line->row && !strcmp(plain, name);
  putc(stays ? first : capital ? toupper(first) : tolower(first), s->out);
  fputs(plain + 1, s->out);
}

bool scored_put_found(const struct scored *s, uint32_t c, const char *before) {
  bool any = false;
  for (uint32_t i = 0; i < s->nlines; i++) {
    const double found = scored_found_in(&s->g->columns[c], &s->lines[i]);
    if (!(found > 0))
      continue;
    fputs(any ? ", " : before, s->out);
    scored_put_name(s, &s->lines[i], false);
    fputs(scored_for_plain_reads(s, c, &s->lines[i]) ? " (no plain reads) "
                                                     : " ",
          s->out);
    found_put_rate(s->out, anomaly_info(s->lines[i].anomaly)->name, found);
    any = true;
  }
  return any;
}

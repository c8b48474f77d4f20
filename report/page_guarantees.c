// SPDX-License-Identifier: GPL-3.0-or-later
// The guarantees of a database as a page (report/guarantees.h): each level and
// each anomaly, whether the level promises to prevent it, and what was seen.
#include "config.h"

#include "report/guarantees.h"

#include "base/anomaly_names.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "report/advice.h"
#include "report/columns.h"
#include "report/page.h"
#include "report/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- What is known of a level and an anomaly

enum state { NOT_TRIED, PREVENTED, UNSEEN, SEEN, BROKEN, STATES };

static const struct {
  const char *colour, *words, *legend;
} states[STATES] = {
    [NOT_TRIED] = {"none", "not tried", NULL},
    [PREVENTED] = {"good", "prevented", "prevented, as promised"},
    [UNSEEN] = {"open", "allowed, not seen", "allowed, not seen here"},
    [SEEN] = {"warn", "allowed, seen", "allowed, and seen"},
    [BROKEN] = {"bad", "FORBIDDEN AND SEEN",
                "<b>FORBIDDEN AND SEEN</b>: a broken promise"},
};

// A row of the page: of the grid, or an anomaly that came under load only.
struct line {
  const struct guarantee_row *row; // NULL: under load only
  uint32_t r;                      // its number in the grid
  enum anomaly anomaly;
};

struct sheet {
  FILE *out;
  const struct guarantees *g;
  struct line lines[ANOMALY_COUNT * 2];
  uint32_t nlines;
  const char *name; // of the database
  bool several;     // hosts
};

static bool leads(const struct guarantees *g, uint32_t c) {
  return c == 0 || strcmp(g->columns[c].level, g->columns[c - 1].level) != 0;
}

// Columns of the same level: one for each way to spread sessions over hosts.
static uint32_t end_of_level(const struct guarantees *g, uint32_t c) {
  for (c++; c < g->ncolumns && !leads(g, c);)
    c++;
  return c;
}

static double found_of(const struct sheet *s, uint32_t c, enum anomaly a) {
  double most = 0;
  for (uint32_t i = c; i < end_of_level(s->g, c); i++)
    most = s->g->columns[i].found[a] > most ? s->g->columns[i].found[a] : most;
  return most;
}

static const struct guarantee_cell *cell_of(const struct sheet *s, uint32_t c,
                                            const struct line *line) {
  return line->row ? &s->g->columns[c].cells[line->r] : NULL;
}

static struct promised_level level_of(const struct sheet *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  return (struct promised_level){s->g->target, s->g->server, column->level,
                                 column->claimed, s->several};
}

// Is it promised to plain reads only, which the steps of the grid are?  What
// comes under load is then by reads of another kind.
static bool is_for_plain_reads(const struct sheet *s, uint32_t c,
                               const struct line *line) {
  const struct promised_level level = level_of(s, c);
  return line->row && line->anomaly != ANOMALY_CYCLE_G_SINGLE &&
         !promise_forbids(&level, line->anomaly) &&
         promise_to_plain_reads(&level, line->anomaly) == PROMISE_FORBIDDEN;
}

static bool is_promised(const struct sheet *s, uint32_t c,
                        const struct line *line) {
  const struct promised_level level = level_of(s, c);
  return is_for_plain_reads(s, c, line) ||
         anomaly_weakest(line->anomaly) <= level.claimed ||
         promise_forbids(&level, line->anomaly);
}

// In 1,000 committed transactions under load.
static double rate_of(const struct sheet *s, uint32_t c,
                      const struct line *line) {
  return is_for_plain_reads(s, c, line) ? 0 : found_of(s, c, line->anomaly);
}

static bool is_seen(const struct sheet *s, uint32_t c,
                    const struct line *line) {
  const struct guarantee_cell *cell = cell_of(s, c, line);
  return (cell && cell->kind == CELL_SEEN) || rate_of(s, c, line) > 0;
}

// The load reads and writes rows by their keys.
static bool needs_searches(enum anomaly a) {
  return a == ANOMALY_PHANTOM_READ || a == ANOMALY_PHANTOM_LONG_FORK ||
         a == ANOMALY_PHANTOM_WRITE_SKEW;
}

static bool was_tried(const struct sheet *s, uint32_t c,
                      const struct line *line) {
  const struct guarantee_cell *cell = cell_of(s, c, line);
  return (cell && cell->kind != CELL_EMPTY) ||
         (s->g->columns[c].stressed && !needs_searches(line->anomaly));
}

static enum state state_of(const struct sheet *s, uint32_t c,
                           const struct line *line) {
  const bool promised = is_promised(s, c, line);
  if (is_seen(s, c, line))
    return promised ? BROKEN : SEEN;
  if (!was_tried(s, c, line))
    return NOT_TRIED;
  return promised ? PREVENTED : UNSEEN;
}

static bool was_tried_anywhere(const struct sheet *s, const struct line *line) {
  uint32_t c = 0;
  while (c < s->g->ncolumns && !was_tried(s, c, line))
    c++;
  return c < s->g->ncolumns;
}

// Which rows there are: the grid, two anomalies that need load, and whatever
// else came under load.
static void take_lines(struct sheet *s) {
  bool taken[ANOMALY_COUNT] = {false};
  for (uint32_t r = 0; r < s->g->nrows; r++) {
    const struct line line = {&s->g->rows[r], r, s->g->rows[r].anomaly};
    if (was_tried_anywhere(s, &line))
      s->lines[s->nlines++] = line;
    taken[s->g->rows[r].anomaly] = true;
  }
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    bool found = a == ANOMALY_NON_REPEATABLE_READS || a == ANOMALY_LONG_FORK;
    for (uint32_t c = 0; c < s->g->ncolumns; c++)
      found |= s->g->columns[c].found[a] > 0;
    if (found && !taken[a])
      s->lines[s->nlines++] = (struct line){NULL, 0, (enum anomaly)a};
  }
}

static uint32_t count_states(const struct sheet *s, enum state state) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    for (uint32_t i = 0; leads(s->g, c) && i < s->nlines; i++)
      n += state_of(s, c, &s->lines[i]) == state;
  return n;
}

// ---- Words

// Names of Adya's stay as they are.
static void put_name(const struct sheet *s, const struct line *line,
                     bool capital) {
  const char *name = anomaly_info(line->anomaly)->name;
  const char *plain = line->row ? line->row->heading : anomaly_plain(name);
  const int first = (unsigned char)plain[0];
  const bool stays = !line->row && !strcmp(plain, name);
  putc(stays ? first : capital ? toupper(first) : tolower(first), s->out);
  fputs(plain + 1, s->out);
}

// "140", "9.1", "0.83"
static void put_rate(FILE *out, double rate) {
  fprintf(out, rate >= 100 ? "%.0f" : "%.2g", rate);
}

// "lost update, write skew and 2 more", of the lines in this state; how many.
static uint32_t put_names(const struct sheet *s, uint32_t c, enum state state,
                          uint32_t most) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->nlines; i++) {
    if (state_of(s, c, &s->lines[i]) != state)
      continue;
    if (n < most) {
      fputs(n ? ", " : "", s->out);
      put_name(s, &s->lines[i], false);
    }
    n++;
  }
  if (n > most)
    fprintf(s->out, " and %" PRIu32 " more", n - most);
  return n;
}

static bool has_state(const struct sheet *s, uint32_t c, enum state state) {
  uint32_t i = 0;
  while (i < s->nlines && state_of(s, c, &s->lines[i]) != state)
    i++;
  return i < s->nlines;
}

static bool is_broken(const struct sheet *s, uint32_t c) {
  bool broken = has_state(s, c, BROKEN);
  for (uint32_t i = c; i < end_of_level(s->g, c); i++)
    broken |= s->g->columns[i].violated;
  return broken;
}

static uint32_t count_broken(const struct sheet *s) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    n += leads(s->g, c) && is_broken(s, c);
  return n;
}

static uint32_t count_levels(const struct guarantees *g) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < g->ncolumns; c++)
    n += leads(g, c);
  return n;
}

static bool is_undecided(const struct guarantees *g) {
  bool undecided = false;
  for (uint32_t c = 0; c < g->ncolumns; c++)
    undecided |=
        !g->columns[c].stressed || g->columns[c].kept < g->columns[c].claimed;
  return undecided;
}

// ---- The top

static void put_tag(const struct sheet *s) {
  if (count_broken(s))
    page_tag(s->out, s->several ? "warn" : "bad",
             s->several ? "Seen across servers" : "Broken promise");
  else if (s->g->interrupted || is_undecided(s->g))
    page_tag(s->out, "open", s->g->interrupted ? "Interrupted" : "Undecided");
  else
    page_tag(s->out, "good", "Every promise kept");
}

static void put_broken_levels(const struct sheet *s) {
  const struct guarantees *g = s->g;
  const char *separator = "";
  uint32_t named = 0;
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    if (!leads(g, c) || !is_broken(s, c))
      continue;
    fputs(separator, s->out);
    page_put_level_name(s->out, g->columns[c].level);
    separator = ", ";
    named += has_state(s, c, BROKEN);
  }
  fputs(count_broken(s) == 1 ? " does" : " do", s->out);
  fprintf(s->out, " not keep what %s promise%s%s",
          count_broken(s) == 1 ? "it" : "they", count_broken(s) == 1 ? "s" : "",
          named ? ": " : ".");
  for (uint32_t c = 0; named && c < g->ncolumns; c++)
    if (leads(g, c) && has_state(s, c, BROKEN)) {
      put_names(s, c, BROKEN, 4);
      fputc('.', s->out);
      named = 0;
    }
}

static void put_headline(const struct sheet *s) {
  const struct guarantees *g = s->g;
  fputs("<h1>", s->out);
  if (count_broken(s)) {
    put_broken_levels(s);
  } else {
    fputs(s->name, s->out);
    fputs(g->interrupted || is_undecided(g)
              ? " broke no promise; not all of them were tried to the end."
              : " keeps what it promises.",
          s->out);
    if (g->ncolumns && has_state(s, 0, SEEN)) {
      fputs(" At ", s->out);
      page_put_level_name(s->out, g->columns[0].level);
      fputs(", that leaves out ", s->out);
      put_names(s, 0, SEEN, 3);
      fputc('.', s->out);
    }
  }
  fputs("</h1>\n", s->out);
}

static void put_lede(const struct sheet *s) {
  const uint32_t nall = count_levels(s->g) * s->nlines;
  const uint32_t nuntried = count_states(s, NOT_TRIED);
  fprintf(s->out,
          "<p class=\"lede\">Of %" PRIu32
          " combinations of a level and an anomaly, <b class=\"good\">%" PRIu32
          "</b> are prevented as promised, <b class=\"warn\">%" PRIu32
          "</b> are allowed and were seen, <b class=\"open\">%" PRIu32
          "</b> are allowed and were not seen, and <b class=\"bad\">%" PRIu32
          "</b> are forbidden and were seen.",
          nall, count_states(s, PREVENTED), count_states(s, SEEN),
          count_states(s, UNSEEN), count_states(s, BROKEN));
  if (nuntried)
    fprintf(s->out, " %" PRIu32 " were not tried.", nuntried);
  fputs("</p>\n<ul class=\"legend\">\n", s->out);
  for (int i = 0; i < STATES; i++)
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
static void put_how(const struct sheet *s, uint32_t c,
                    const struct line *line) {
  const struct guarantee_cell *cell = cell_of(s, c, line);
  const enum cell_kind kind = cell ? cell->kind : CELL_EMPTY;
  const double found = rate_of(s, c, line);
  if (kind == CELL_SEEN)
    put_tries(s->out, cell->detail);
  if (found > 0) {
    fputs(kind == CELL_SEEN ? ", " : "", s->out);
    put_rate(s->out, found);
    fputs(" per 1,000", s->out);
  } else if (kind == CELL_BLOCKED)
    fputs("one waits", s->out);
  else if (kind == CELL_ABORTED)
    fputs("one is refused", s->out);
  else if (kind == CELL_PREVENTED)
    fputs(is_for_plain_reads(s, c, line) ? "never shown by plain reads"
                                         : "never shown",
          s->out);
  else if (kind == CELL_EMPTY && was_tried(s, c, line))
    fputs("tried under load only", s->out);
  if (kind == CELL_ABORTED && !(found > 0)) {
    fputs(" (", s->out);
    put_markup(s->out, cell->detail);
    fputc(')', s->out);
  }
}

static void put_column(const struct sheet *s, uint32_t c) {
  fputs("<th scope=\"col\">", s->out);
  page_put_level_name(s->out, s->g->columns[c].level);
  fputs("</th>", s->out);
}

static void start_level(const struct sheet *s, const char *level) {
  fputs("<tr><th scope=\"row\">", s->out);
  page_put_level_name(s->out, level);
  fputs("</th>", s->out);
}

static void put_state(const struct sheet *s, uint32_t c,
                      const struct line *line) {
  const enum state state = state_of(s, c, line);
  const bool across = state == BROKEN && s->several;
  const char *colour = across ? "warn" : states[state].colour;
  fprintf(s->out, "<td class=\"%s\" data-l=\"", colour);
  put_markup(s->out, s->g->columns[c].level);
  fputs("\">", s->out);
  if (state != NOT_TRIED)
    page_symbol(s->out, colour);
  fprintf(s->out, "<span><b>%s</b><small>",
          across ? "seen across servers" : states[state].words);
  put_how(s, c, line);
  fputs("</small></span></td>", s->out);
}

static void put_line(const struct sheet *s, const struct line *line) {
  fputs("<tr><th scope=\"row\">", s->out);
  put_name(s, line, true);
  fputs("<small>", s->out);
  put_markup(s->out, line->row ? line->row->meaning
                               : words_of(line->anomaly)->headline);
  fputs("</small></th>", s->out);
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    if (leads(s->g, c))
      put_state(s, c, line);
  fputs("</tr>\n", s->out);
}

static void put_grid(const struct sheet *s) {
  page_section(s->out, "levels", "What each level lets through");
  page_start_table(s->out, s->several ? "Step by step, each session at another "
                                        "host, and under random load"
                                      : "Step by step, and under random load");
  fputs("<thead><tr><th scope=\"col\">anomaly</th>", s->out);
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    if (leads(s->g, c))
      put_column(s, c);
  fputs(PAGE_END_HEAD, s->out);
  for (uint32_t i = 0; i < s->nlines; i++)
    put_line(s, &s->lines[i]);
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
static enum anomaly gravest(const struct sheet *s, uint32_t c) {
  static const enum anomaly grave[] = {ANOMALY_LOST_UPDATE, ANOMALY_WRITE_SKEW};
  enum anomaly first = ANOMALY_NONE;
  bool seen[ANOMALY_COUNT] = {false};
  for (uint32_t i = 0; i < s->nlines; i++)
    if (state_of(s, c, &s->lines[i]) == SEEN) {
      seen[s->lines[i].anomaly] = true;
      first = first == ANOMALY_NONE ? s->lines[i].anomaly : first;
    }
  for (size_t i = 0; i < sizeof grave / sizeof *grave; i++)
    if (seen[grave[i]])
      return grave[i];
  return first;
}

static void put_remedy(const struct sheet *s, uint32_t c,
                       enum anomaly anomaly) {
  const struct promised_level level = level_of(s, c);
  const struct advice *advice[ADVICE_MOST];
  const uint32_t n = advice_for(&level, anomaly, advice);
  if (anomaly == ANOMALY_NONE)
    return;
  fprintf(s->out, " %s What helps against %s: %s", words_of(anomaly)->means,
          anomaly_plain(anomaly_info(anomaly)->name),
          n ? advice[0]->text : words_of(anomaly)->helps);
}

static void put_cost(const struct sheet *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  if (!column->stressed)
    return;
  fprintf(s->out, " It refused %.1f of 100 attempts under load, and committed ",
          100 * column->abort_share);
  page_grouped(s->out, (uint64_t)(column->throughput + 0.5));
  fputs(" transactions a second.", s->out);
}

static void put_advice_of(const struct sheet *s, uint32_t c) {
  fputs("<li><b>", s->out);
  page_put_level_name(s->out, s->g->columns[c].level);
  fputs("</b>", s->out);
  if (is_broken(s, c)) {
    fprintf(s->out, s->several ? " does not keep across servers what one "
                                 "server promises"
                               : " does not keep what it promises");
    fputs(has_state(s, c, BROKEN) ? ": " : "", s->out);
    put_names(s, c, BROKEN, ANOMALY_COUNT);
    fputs(s->several ? "."
                     : ". Report it: this page and the histories of the "
                       "runs are what its makers need.",
          s->out);
  } else if (has_state(s, c, SEEN)) {
    fputs(" lets through: ", s->out);
    put_names(s, c, SEEN, ANOMALY_COUNT);
    fputs(".", s->out);
    put_remedy(s, c, gravest(s, c));
  } else if (has_state(s, c, PREVENTED) || has_state(s, c, UNSEEN)) {
    fputs(" showed none of the anomalies.", s->out);
    put_cost(s, c);
  } else {
    fputs(" was not tried.", s->out);
  }
  fputs("</li>\n", s->out);
}

static void put_advice(const struct sheet *s) {
  page_section(s->out, "advice", "What to make of it");
  fputs("<ul>\n", s->out);
  for (uint32_t c = 0; c < s->g->ncolumns; c++)
    if (leads(s->g, c))
      put_advice_of(s, c);
  fputs("</ul>\n</section>\n", s->out);
}

// ---- Under load, and promises

static void put_kept(const struct sheet *s,
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

static void put_load_of(const struct sheet *s, uint32_t c) {
  const struct guarantee_column *column = &s->g->columns[c];
  const char *separator = "";
  start_level(s, column->level);
  if (s->several)
    page_cell(s->out, "", column->endpoints);
  put_kept(s, column);
  fputs("<td>", s->out);
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    if (!(column->found[a] > 0))
      continue;
    fprintf(s->out, "%s%s ", separator,
            anomaly_plain(anomaly_info((enum anomaly)a)->name));
    put_rate(s->out, column->found[a]);
    separator = ", ";
  }
  fputs(*separator ? "</td></tr>\n" : "none</td></tr>\n", s->out);
}

static void put_load(const struct sheet *s) {
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

static void put_promises(const struct sheet *s) {
  page_section(s->out, "promises", "What is promised");
  page_table(s->out, "By the documentation of the levels",
             "level|what the documentation says|so it rules out");
  for (uint32_t c = 0; c < s->g->ncolumns; c++) {
    const char *separator = "";
    if (!leads(s->g, c))
      continue;
    start_level(s, s->g->columns[c].level);
    const struct promised_level level = level_of(s, c);
    fputs("<td>", s->out);
    columns_put_documented(s->out, &level);
    fputs("</td>", s->out);
    fputs("<td>", s->out);
    for (uint32_t i = 0; i < s->nlines; i++)
      if (is_promised(s, c, &s->lines[i])) {
        fputs(separator, s->out);
        put_name(s, &s->lines[i], false);
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
  fputs("</p>\n</section>\n", s->out);
}

// The step script of the first anomaly that was seen.
static void put_script(const struct sheet *s) {
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

static void put_again(const struct sheet *s) {
  page_section(s->out, "again", "See it again");
  page_start_command(s->out);
  put_markup(s->out, s->g->command);
  page_end_command(s->out);
  put_script(s);
  fputs("</section>\n", s->out);
}

static void put_bar(const struct sheet *s) {
  const time_t seconds = (time_t)(s->g->date / NS_PER_SECOND);
  char when[64] = "", about[256];
  struct tm utc;
  if (seconds && gmtime_r(&seconds, &utc))
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
  const int length = page_server_length(s->g->server);
  snprintf(about, sizeof about, "%.*s, %" PRIu32 " level%s",
           length < 128 ? length : 128, s->g->server, count_levels(s->g),
           count_levels(s->g) == 1 ? "" : "s");
  page_bar(s->out, s->g->all_results, about, when);
}

void guarantees_put_page(FILE *out, const struct guarantees *g) {
  struct sheet s = {.out = out,
                    .g = g,
                    .name = page_database_of(g->target, g->server),
                    .several = g->ncolumns && g->columns[0].endpoints};
  take_lines(&s);
  page_open(out, "What each level keeps");
  put_bar(&s);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  put_tag(&s);
  put_headline(&s);
  put_lede(&s);
  fputs("</section>\n", out);
  put_grid(&s);
  put_advice(&s);
  put_load(&s);
  put_promises(&s);
  put_again(&s);
  page_close(out, g->program);
}

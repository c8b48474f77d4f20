// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a sweep by gnuplot (sweep/summary.h): a measure against one axis
// of numbers, a line for each combination of the others.
#include "config.h"

#include "base/units.h"
#include "sweep/summary.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct picture {
  const char *name;
  enum measure measure;
  const char *label;
  double scale;
} pictures[] = {
    {"abort-rate", MEASURE_ABORT_RATE, "aborted attempts (%)", 100},
    {"throughput", MEASURE_THROUGHPUT, "committed transactions a second", 1},
    {"latency", MEASURE_P99, "latency, 99th percentile (ms)", 1},
};
enum { NPICTURES = sizeof pictures / sizeof *pictures };

// The last number of a value such as "zipfian:0.99" or "16".
static bool number_of(const char *value, double *number) {
  const char *colon = strrchr(value, ':');
  return units_read_number(colon ? colon + 1 : value, number);
}

static bool is_numeric(const struct summary *s, uint32_t axis) {
  double first = 0, number;
  bool varies = false;
  for (uint32_t c = 0; c < s->ncells; c++) {
    if (!number_of(s->cells[c].values[axis], &number))
      return false;
    varies |= c && number != first;
    first = c ? first : number;
  }
  return varies;
}

static bool same_but(const struct summary *s, const struct cell *a,
                     const struct cell *b, uint32_t axis) {
  bool same = true;
  for (uint32_t i = 0; same && i < s->naxes; i++)
    same = i == axis || !strcmp(a->values[i], b->values[i]);
  return same;
}

// A cell stands for its series if no earlier one is of it.
static bool leads(const struct summary *s, uint32_t c, uint32_t axis) {
  bool first = true;
  for (uint32_t i = 0; first && i < c; i++)
    first = !same_but(s, &s->cells[i], &s->cells[c], axis);
  return first;
}

struct point {
  double x, y, half;
};

static int compare_points(const void *a, const void *b) {
  const struct point *p = a, *q = b;
  return (p->x > q->x) - (p->x < q->x);
}

static void put_points(FILE *out, const struct summary *s, uint32_t leader,
                       uint32_t axis, const struct picture *picture) {
  struct point *points = xcalloc(s->ncells, sizeof *points);
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    const struct interval *m = &cell->measures[picture->measure];
    if (!cell->nruns || !same_but(s, &s->cells[leader], cell, axis))
      continue;
    number_of(cell->values[axis], &points[n].x);
    points[n].y = picture->scale * m->mean;
    points[n++].half = isnan(m->half) ? 0 : picture->scale * m->half;
  }
  qsort(points, n, sizeof *points, compare_points);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "%.9g %.9g %.9g\n", points[i].x, points[i].y, points[i].half);
  fputs("e\n", out);
  free(points);
}

// In double quotes of gnuplot.
static void put_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      putc('\\', out);
    putc(*text == '\n' ? ' ' : *text, out);
  }
}

static void put_title(FILE *out, const struct summary *s, uint32_t leader,
                      uint32_t axis) {
  bool any = false;
  for (uint32_t i = 0; i < s->naxes; i++) {
    if (i == axis)
      continue;
    fputs(any ? ", " : "", out);
    put_text(out, s->cells[leader].values[i]);
    any = true;
  }
}

// What both terminals draw.
static void put_drawing(FILE *out, const struct summary *s, uint32_t axis,
                        const struct picture *picture) {
  bool any = false;
  fputs("plot ", out);
  for (uint32_t c = 0; c < s->ncells; c++) {
    if (!leads(s, c, axis))
      continue;
    fputs(any ? ", \\\n  " : "", out);
    fputs("'-' using 1:2:3 with yerrorlines title \"", out);
    put_title(out, s, c, axis);
    fputs("\"", out);
    any = true;
  }
  putc('\n', out);
  for (uint32_t c = 0; c < s->ncells; c++)
    if (leads(s, c, axis))
      put_points(out, s, c, axis, picture);
}

static bool spans_decades(const struct summary *s, uint32_t axis) {
  double low = INFINITY, high = 0, number;
  for (uint32_t c = 0; c < s->ncells; c++) {
    number_of(s->cells[c].values[axis], &number);
    low = number < low ? number : low;
    high = number > high ? number : high;
  }
  return low > 0 && high / low >= 8;
}

static void put_script(FILE *out, const struct summary *s, uint32_t axis,
                       const struct picture *picture, const char *base,
                       const char *command) {
  static const char *const terminals[][2] = {
      {"svg size 900,600 background rgb 'white'", "svg"},
      {"pngcairo size 900,600", "png"}};
  fprintf(out,
          "set xlabel \"%s\"\nset ylabel \"%s\"\nset yrange [0:*]\n"
          "set key outside below noenhanced\nset grid\nset offsets graph "
          "0.02, graph 0.02\n",
          s->runs->names[axis], picture->label);
  if (spans_decades(s, axis))
    fputs("set logscale x 2\n", out);
  fputs("set title \"", out);
  put_text(out, command);
  fputs("\\nmeans of repetitions with 95 % intervals\" noenhanced\n", out);
  for (int t = 0; t < 2; t++) {
    fprintf(out, "set terminal %s\nset output '%s.%s'\n", terminals[t][0], base,
            terminals[t][1]);
    put_drawing(out, s, axis, picture);
  }
}

// Lets gnuplot read the script; false if there is no gnuplot.
static bool draw(const char *directory, const char *script) {
  char *place = xstrdup(directory), *name = xstrdup(script);
  char program[] = "sh", dash[] = "-c";
  char text[] = "cd \"$0\" && exec gnuplot \"$1\" 2>/dev/null";
  char *words[] = {program, dash, text, place, name, NULL};
  pid_t pid;
  int status = 1;
  const bool started = !posix_spawnp(&pid, "sh", NULL, NULL, words, environ);
  if (started)
    waitpid(pid, &status, 0);
  free(place);
  free(name);
  return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int summary_plot(const struct summary *s, const char *directory,
                 const char *command, bool *drawn, struct error *error) {
  *drawn = true;
  for (uint32_t axis = 0; axis < s->naxes; axis++)
    for (int p = 0; p < NPICTURES && is_numeric(s, axis); p++) {
      char *base =
          xasprintf("%s-by-%s", pictures[p].name, s->runs->names[axis]);
      char *script = xasprintf("%s.gnuplot", base);
      char *path = xasprintf("%s/%s", directory, script);
      FILE *out = fopen(path, "w");
      if (out) {
        put_script(out, s, axis, &pictures[p], base, command);
        *drawn &= !fclose(out) && draw(directory, script);
      } else {
        error_set(error, "can not write %s: %s", path, strerror(errno));
      }
      free(path);
      free(script);
      free(base);
      if (!out)
        return -1;
    }
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts for gnuplot (sweep/plot.h).
#include "config.h"

#include "sweep/plot.h"

#include "base/memory.h"
#include "base/whole_file.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Okabe and Ito's colours, which can be told apart by everybody, darkest first;
// gnuplot's numbers of filled shapes.
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9",
                                      "#000000", "#999999"};
static const int shapes[] = {7, 5, 9, 13, 11, 15};
enum {
  NCOLOURS = sizeof colours / sizeof *colours,
  NSHAPES = sizeof shapes / sizeof *shapes,
  CAPTION_WIDTH = 110, // characters
};

// Between double quotes, where gnuplot would take what stands between
// backquotes for a command of the shell.
static void put_letter(FILE *out, char letter) {
  if (letter == '"' || letter == '\\')
    putc('\\', out);
  putc(letter == '\n' ? ' ' : letter == '`' ? '\'' : letter, out);
}

static void put_text(FILE *out, const char *text) {
  putc('"', out);
  for (; *text; text++)
    put_letter(out, *text);
  putc('"', out);
}

// In lines of at most CAPTION_WIDTH characters, unless a word is longer; a line
// break of its own ends a line as well.
static void put_caption(FILE *out, const char *text) {
  size_t column = 0;
  putc('"', out);
  while (*text) {
    const size_t word = strcspn(text, " \n");
    if (column && column + 1 + word > CAPTION_WIDTH) {
      fputs("\\n", out);
      column = 0;
    } else if (column) {
      putc(' ', out);
    }
    for (size_t i = 0; i < word; i++)
      put_letter(out, text[i]);
    column += word + 1;
    text += word;
    if (*text == '\n') {
      fputs("\\n", out);
      column = 0;
    }
    text += *text != '\0';
  }
  putc('"', out);
}

static void put_data(FILE *out, const struct plot *plot) {
  for (uint32_t p = 0; p < plot->npanels; p++)
    for (uint32_t s = 0; s < plot->panels[p].nseries; s++) {
      const struct plot_panel *panel = &plot->panels[p];
      const struct plot_series *series = &panel->series[s];
      fprintf(out, "$panel%uline%u << end\n", p, s);
      for (uint32_t i = 0; i < series->npoints; i++) {
        const struct plot_point *q = &series->points[i];
        fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", q->x, q->y, q->x_low,
                q->x_high, panel->decades ? fmax(q->y_low, 1e-9) : q->y_low,
                q->y_high);
      }
      fputs("end\n", out);
    }
}

static bool has_bars_sideways(const struct plot_panel *panel) {
  bool has = false;
  for (uint32_t s = 0; s < panel->nseries; s++)
    for (uint32_t i = 0; i < panel->series[s].npoints; i++)
      has |=
          panel->series[s].points[i].x_low < panel->series[s].points[i].x_high;
  return has;
}

// Room for the bars, unless they are so long that they would leave none for the
// values.
static double top_of(const struct plot_panel *panel) {
  double value = 0, bar = 0;
  for (uint32_t s = 0; s < panel->nseries; s++)
    for (uint32_t i = 0; i < panel->series[s].npoints; i++) {
      value = fmax(value, panel->series[s].points[i].y);
      bar = fmax(bar, panel->series[s].points[i].y_high);
    }
  return value > 0 ? 1.05 * fmin(bar, 2 * value) : 1;
}

// A twentieth of the width on both sides, and no negative shares or counts.
static void put_range(FILE *out, const struct plot_panel *panel) {
  double low = INFINITY, high = 0;
  for (uint32_t s = 0; s < panel->nseries; s++)
    for (uint32_t i = 0; i < panel->series[s].npoints; i++) {
      low = fmin(low, panel->series[s].points[i].x_low);
      high = fmax(high, panel->series[s].points[i].x_high);
    }
  if (panel->logarithmic && low > 0) {
    const double margin = pow(high / low, 0.05);
    fprintf(out, "set xrange [%.6g:%.6g]\n", low / margin, high * margin);
  } else {
    const double margin = high > low ? 0.05 * (high - low) : 0.05;
    fprintf(out, "set xrange [%.6g:%.6g]\n",
            panel->tics && isfinite(low) ? low - margin : -margin / 4,
            high + margin);
  }
}

// From half of the smallest value above zero, so that a bar that reaches zero
// leaves the others their room.
static void put_y_range(FILE *out, const struct plot_panel *panel) {
  double low = INFINITY, high = 0;
  for (uint32_t s = 0; s < panel->nseries; s++)
    for (uint32_t i = 0; i < panel->series[s].npoints; i++) {
      const struct plot_point *q = &panel->series[s].points[i];
      low = q->y > 0 ? fmin(low, q->y) : low;
      high = fmax(high, q->y);
    }
  if (panel->decades && high > 0)
    fprintf(out, "set logscale y\nset yrange [%.6g:%.6g]\n", low / 2,
            fmax(2 * high, 11 * low));
  else
    fprintf(out, "unset logscale y\nset yrange [0:%.6g]\n", top_of(panel));
}

static void put_tics(FILE *out, const struct plot_panel *panel) {
  fputs(panel->logarithmic ? "set logscale x\n" : "unset logscale x\n", out);
  if (!panel->tics) {
    fputs("set xtics auto\n", out);
    return;
  }
  fputs("set xtics (", out);
  for (uint32_t i = 0; i < panel->ntics; i++) {
    fputs(i ? ", " : "", out);
    put_text(out, panel->tics[i].text);
    fprintf(out, " %.9g", panel->tics[i].x);
  }
  fputs(")\n", out);
}

static void put_panel(FILE *out, const struct plot *plot, uint32_t p) {
  const struct plot_panel *panel = &plot->panels[p];
  const char *how = has_bars_sideways(panel) ? "1:2:3:4:5:6 with xyerrorlines"
                                             : "1:2:5:6 with yerrorlines";
  fputs("set xlabel ", out);
  put_text(out, panel->x_label);
  fputs(" offset 0,0.7\nset ylabel ", out);
  put_text(out, panel->y_label);
  putc('\n', out);
  put_y_range(out, panel);
  put_tics(out, panel);
  put_range(out, panel);
  fputs("plot ", out);
  for (uint32_t s = 0; s < panel->nseries; s++) {
    fprintf(out,
            "%s$panel%uline%u using %s lc rgb '%s' pt %d ps 0.9 lw 1.6 "
            "dt %u title ",
            s ? ", \\\n  " : "", p, s, how, colours[s % NCOLOURS],
            shapes[s % NSHAPES], 1 + s / NCOLOURS);
    put_text(out, panel->series[s].title);
  }
  if (panel->diagonal) {
    fputs(", \\\n  x lc rgb '#666666' dt 3 title ", out);
    put_text(out, panel->diagonal);
  }
  putc('\n', out);
}

static uint32_t lines_of_key(const struct plot *plot) {
  const uint32_t n =
      plot->panels[0].nseries + (plot->panels[0].diagonal != NULL);
  return (n + 1) / 2;
}

static void put_script(FILE *out, const void *context) {
  const struct plot *plot = context;
  const int width = plot->npanels > 1 ? 1200 : 900;
  const int height = 560 + 22 * (int)lines_of_key(plot);
  const char *const formats[][2] = {{"svg background rgb 'white'", "svg"},
                                    {"pngcairo", "png"}};
  put_data(out, plot);
  fputs("set grid\nset key outside below maxcols 2 samplen 2 noenhanced\n",
        out);
  for (int f = 0; f < 2; f++) {
    fprintf(out, "set terminal %s size %d,%d noenhanced\nset output '%s.%s'\n",
            formats[f][0], width, height, plot->name, formats[f][1]);
    fprintf(out, "set %s ",
            plot->npanels > 1 ? "multiplot layout 1,2 title" : "title");
    put_caption(out, plot->caption);
    fputs(" font ',11'\n", out);
    for (uint32_t p = 0; p < plot->npanels; p++)
      put_panel(out, plot, p);
    if (plot->npanels > 1)
      fputs("unset multiplot\n", out);
  }
}

// Lets gnuplot read the script; false if there is no gnuplot.
static bool let_draw(const char *directory, const char *script) {
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

int plot_draw(const struct plot *plot, const char *directory, bool *drawn,
              struct error *error) {
  char *script = xasprintf("%s.gnuplot", plot->name);
  char *path = xasprintf("%s/%s", directory, script);
  const int failed = whole_file_write(path, put_script, plot, error);
  if (!failed)
    *drawn &= let_draw(directory, script);
  free(path);
  free(script);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates from the mean of several crowds of walkers (explore/estimate.h).
#include "config.h"

#include "explore/estimate.h"

#include "base/random.h"
#include "explore/explorer.h"

#include <math.h>
#include <stdlib.h>

enum {
  CROWDS = 8,
  PLACES = 256,       // for walkers of a crowd, shared out to kinds
  PLACES_OF_KIND = 4, // for each kind at least
  CHOICES = 3         // that a walker makes before the next draw
};

// Student's t of 7 degrees of freedom for 99 %, for the logarithms of 8 values.
// Their tails are heavier than normal: with the t of 95 %, 2.365, the interval
// held the number that is known in as few as 80 % of the cases.
static const double errors = 3.499;
static const double FEW = .5; // for a crowd that found no history

struct walker {
  struct explore_task task;
  double counts; // for so many
};

struct walkers {
  struct walker *all;
  uint32_t n, room;
};

struct crowd {
  struct explorer *e;
  struct explore_options *options; // e's
  gsl_rng *random;
  bool drawn; // somebody was left out
};

static void add_estimate(struct walkers *walkers, struct explore_task task,
                         double counts) {
  ARRAY_RESERVE(walkers->all, walkers->n, walkers->room);
  walkers->all[walkers->n++] = (struct walker){task, counts};
}

static int by_kind(const void *a, const void *b) {
  const struct walker *x = a, *y = b;
  return (x->task.kind > y->task.kind) - (x->task.kind < y->task.kind);
}

// Draws of those of one kind: each is drawn as often, on average, as its share
// says, and counts for as many as that.
static void draw_kind(struct crowd *c, const struct walker *first, uint32_t n,
                      uint32_t places, struct walkers *to) {
  double all = 0, at = 0;
  for (uint32_t i = 0; i < n; i++)
    all += first[i].counts;
  const double step = all / places;
  double next = step * gsl_rng_uniform(c->random);
  for (uint32_t i = 0; i < n; i++) {
    double times = 0;
    for (at += first[i].counts; next < at; next += step)
      times++;
    if (n <= places)
      add_estimate(to, first[i].task, first[i].counts);
    else if (times > 0)
      add_estimate(to, first[i].task, times * step);
    else
      free(first[i].task.choices);
  }
  c->drawn |= n > places;
}

static uint32_t end_of_kind(const struct walkers *w, uint32_t first) {
  uint32_t end = first;
  while (end < w->n && w->all[end].task.kind == w->all[first].task.kind)
    end++;
  return end;
}

static void draw_walk(struct crowd *c, struct walkers *from,
                      struct walkers *to) {
  uint32_t nkinds = 0;
  if (from->n)
    qsort(from->all, from->n, sizeof *from->all, by_kind);
  for (uint32_t i = 0; i < from->n; i = end_of_kind(from, i))
    nkinds++;
  const uint32_t fair = PLACES / (nkinds + !nkinds);
  const uint32_t places = fair > PLACES_OF_KIND ? fair : PLACES_OF_KIND;
  for (uint32_t i = 0, end; i < from->n; i = end) {
    end = end_of_kind(from, i);
    draw_kind(c, &from->all[i], end - i, places, to);
  }
  from->n = 0;
}

// All go on, and are used up: how many histories end here.
static double advance(struct crowd *c, struct walkers *walkers,
                      struct walkers *next) {
  double histories = 0;
  c->options->cut_depth += CHOICES;
  for (uint32_t i = 0; i < walkers->n; i++) {
    const struct walker *w = &walkers->all[i];
    const uint64_t before = c->e->result->histories;
    struct tasks tasks = {0};
    c->options->cut = &tasks;
    explorer_run(c->e, &w->task);
    histories += w->counts * (double)(c->e->result->histories - before);
    for (uint32_t k = 0; k < tasks.n; k++)
      add_estimate(next, tasks.all[k], w->counts);
    tasks.n = 0;
    tasks_free(&tasks);
    free(w->task.choices);
  }
  walkers->n = 0;
  return histories;
}

static double estimate_once(struct crowd *c) {
  struct walkers walkers = {0}, next = {0};
  double histories = 0;
  c->options->cut_depth = 0;
  add_estimate(&walkers, (struct explore_task){.choices = NULL}, 1);
  while (walkers.n && !explore_is_stopped(c->options)) {
    histories += advance(c, &walkers, &next);
    draw_walk(c, &next, &walkers);
  }
  for (uint32_t i = 0; i < walkers.n; i++)
    free(walkers.all[i].task.choices);
  free(walkers.all);
  free(next.all);
  return histories;
}

// The interval of the mean of a log-normal distribution (Cox; in Zhou and Gao,
// "Confidence intervals for the log-normal mean", 1997): the estimates of
// crowds are skewed to the right, and where they differ much, those that are
// rare and large are likely not among them.
static void find_interval(struct estimate *e, const double *histories, int n) {
  double mean = 0, variance = 0;
  for (int i = 0; i < n; i++)
    mean += log(fmax(histories[i], FEW)) / n;
  for (int i = 0; i < n; i++)
    variance += pow(log(fmax(histories[i], FEW)) - mean, 2) / (n - 1);
  const double center = mean + variance / 2;
  const double half =
      errors * sqrt(variance / n + variance * variance / (2 * (n - 1)));
  e->low = fmin(e->histories, exp(center - half));
  e->high = fmax(e->histories, exp(center + half));
}

static void estimate_all(struct crowd *c, struct estimate *estimate) {
  double histories[CROWDS], sum = 0;
  int n = 0;
  do {
    histories[n] = estimate_once(c);
    sum += histories[n++];
  } while (c->drawn && n < CROWDS);
  const double mean = sum / n;
  *estimate = (struct estimate){.histories = mean,
                                .low = mean,
                                .high = mean,
                                .exact = !c->drawn,
                                .stopped = explore_is_stopped(c->options)};
  if (c->drawn)
    find_interval(estimate, histories, n);
}

int estimate_histories(const struct program *program,
                       const struct explore_options *options, uint64_t seed,
                       struct estimate *estimate, struct error *error) {
  struct explore_options o = *options;
  struct explore_result result;
  struct explorer e;
  struct crowd crowd = {.e = &e, .options = &o};
  o.leaf = NULL;
  o.counts_above = true;
  explorer_init(&e, program, &o, &result, error);
  crowd.random = random_stream(seed, 0, RANDOM_TEST);
  estimate_all(&crowd, estimate);
  gsl_rng_free(crowd.random);
  explorer_free(&e);
  return error->text[0] ? -1 : 0;
}

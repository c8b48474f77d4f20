// SPDX-License-Identifier: GPL-3.0-or-later
// Draws schedules (nemesis/schedule.h).
#include "config.h"

#include "nemesis/schedule.h"

#include "base/units.h"

#include <string.h>

enum { DRAWN_MAX = 16 };
#define MILLISECOND UINT64_C(1000000) // schedules are told in these

// Words of which each fault draws one, with a share each.
struct drawn_words {
  struct {
    const char *word;
    size_t length;
    double share;
  } words[DRAWN_MAX];
  uint32_t nwords;
  double shares; // their sum
};

struct span {
  uint64_t least, most; // ns
};

// "TIME" or "TIME..TIME".
static int read_span(const char *text, struct span *span, struct error *error) {
  char first[UNITS_TEXT] = "";
  const char *dots = strstr(text, "..");
  const size_t n = dots ? (size_t)(dots - text) : strlen(text);
  double least, most;
  if (n < sizeof first)
    memcpy(first, text, n);
  if (!units_read_time(first, &least) ||
      !units_read_time(dots ? dots + 2 : first, &most) || least <= 0 ||
      most < least || most > 1e17)
    return error_set_usage(
        error,
        "\"%s\" is no time such as 2s, nor one drawn between "
        "two, such as 2s..6s",
        text);
  *span = (struct span){(uint64_t)least, (uint64_t)most};
  return 0;
}

// WORD or WORD:SHARE.
static int take_drawn_word(struct drawn_words *words, const char *text,
                           size_t length, struct error *error) {
  const char *colon = memchr(text, ':', length);
  double share = 1;
  char number[UNITS_TEXT] = "";
  const size_t n = colon ? length - (size_t)(colon + 1 - text) : 0;
  if (colon && n < sizeof number)
    memcpy(number, colon + 1, n);
  if (colon && (!units_read_number(number, &share) || share <= 0))
    return error_set_usage(error,
                           "\"%.*s\" has no share above 0 after the "
                           "colon",
                           (int)length, text);
  if (words->nwords == DRAWN_MAX)
    return error_set_usage(error, "more than %d words to draw from", DRAWN_MAX);
  words->words[words->nwords].word = text;
  words->words[words->nwords].length = colon ? (size_t)(colon - text) : length;
  words->words[words->nwords++].share = share;
  words->shares += share;
  return 0;
}

// Words with commas between them.
static int read_drawn_words(struct drawn_words *words, const char *text,
                            struct error *error) {
  int failed = 0;
  *words = (struct drawn_words){0};
  while (!failed && *text) {
    const size_t n = strcspn(text, ",");
    failed = take_drawn_word(words, text, n, error);
    text += n + (text[n] == ',');
  }
  return failed;
}

static uint32_t draw_word(const struct drawn_words *words,
                          struct node_draw *draw) {
  double number = node_draw_number(draw, words->shares);
  uint32_t i = 0;
  while (i + 1 < words->nwords && number >= words->words[i].share)
    number -= words->words[i++].share;
  return i;
}

// Only what can be taken back is drawn.
static int check_drawn_actions(const struct drawn_words *actions,
                               struct error *error) {
  for (uint32_t i = 0; i < actions->nwords; i++) {
    const struct fault_action *action =
        fault_action_find(actions->words[i].word, actions->words[i].length);
    if (!action || !action->counter)
      return error_set_usage(
          error, "\"%.*s\" is no fault that another action takes back",
          (int)actions->words[i].length, actions->words[i].word);
  }
  return 0;
}

struct fault_drawing {
  struct drawn_words actions, nodes;
  struct span every, hold;
  struct node_draw *draw;
  const struct fault_scene *scene;
};

static uint64_t draw_span(const struct fault_drawing *d,
                          const struct span *span) {
  const uint64_t ns = node_draw_time(d->draw, span->least, span->most);
  const uint64_t rounded = ns / MILLISECOND * MILLISECOND;
  return rounded ? rounded : MILLISECOND;
}

// One fault at `at` and what takes it back, before the run ends.
static int draw_fault(struct fault_schedule *schedule,
                      const struct fault_drawing *d, uint64_t *at,
                      struct error *error) {
  const uint32_t a = draw_word(&d->actions, d->draw);
  const uint32_t n = draw_word(&d->nodes, d->draw);
  const uint64_t last = d->scene->duration - MILLISECOND;
  struct fault fault = {
      .at = *at,
      .action = fault_action_find(d->actions.words[a].word,
                                  d->actions.words[a].length),
  };
  if (node_set_read(&fault.nodes, d->nodes.words[n].word,
                    d->nodes.words[n].length, d->scene, d->draw, error) ||
      schedule_add(schedule, &fault, d->scene, error))
    return -1;
  *at += draw_span(d, &d->hold);
  fault.at = *at < last ? *at : last;
  const char *counter = fault.action->counter;
  fault.action = fault_action_find(counter, strlen(counter));
  if (fault.nodes.primary) // who was it then may be another one now
    fault.nodes = (struct node_set){.members = (1u << d->scene->nnodes) - 1};
  return schedule_add(schedule, &fault, d->scene, error);
}

static int draw_faults(struct fault_schedule *schedule,
                       const struct fault_drawing *d, struct error *error) {
  uint64_t at = draw_span(d, &d->every);
  int failed = 0;
  while (!failed && at + MILLISECOND < d->scene->duration) {
    failed = draw_fault(schedule, d, &at, error);
    at += draw_span(d, &d->every);
  }
  return !failed && !schedule->nfaults
             ? error_set_usage(error, "no fault is due before the run ends: "
                                      "give the run a longer time, or draw "
                                      "faults more often")
             : failed;
}

int schedule_draw(struct fault_schedule *schedule,
                  const struct nemesis *nemesis,
                  const struct fault_scene *scene, struct error *error) {
  struct fault_drawing d = {.scene = scene};
  if (!scene->duration)
    return error_set_usage(error, "faults are drawn for the time of a run, and "
                                  "this one has none: say how long it lasts");
  if (read_drawn_words(&d.actions, nemesis->actions, error) ||
      check_drawn_actions(&d.actions, error) ||
      read_drawn_words(&d.nodes, nemesis->nodes, error) ||
      read_span(nemesis->every, &d.every, error) ||
      read_span(nemesis->hold, &d.hold, error))
    return -1;
  d.draw = node_draw_new(scene);
  const int failed = draw_faults(schedule, &d, error);
  node_draw_free(d.draw);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a mix of isolation levels (cli/settings/mix.h).
#include "config.h"

#include "cli/settings/mix.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"
#include "drivers/drivers.h"

#include <stdlib.h>
#include <string.h>

static int add_mix_level(const struct driver *driver, const char *name,
                         double share, struct level_mix *mix,
                         struct error *error) {
  const struct driver_level *level = driver_level(driver, name, error);
  if (!level)
    return error_prefix(error, "mix");
  for (uint32_t i = 0; i < mix->count; i++)
    if (mix->level[i] == level)
      return error_set(error, "mix: level \"%s\" is named twice", level->name);
  if (mix->count == LEVEL_MIX_MOST)
    return error_set(error, "mix: at most %d levels can be mixed",
                     LEVEL_MIX_MOST);
  mix->level[mix->count] = level;
  mix->share[mix->count++] = share;
  return 0;
}

// Takes LEVEL[:SHARE], which the word is.
static int take_mix_word(const struct driver *driver, char *word,
                         struct level_mix *mix, struct error *error) {
  char *number = strrchr(word, ':');
  double share = 1;
  if (number)
    *number++ = '\0';
  if (!*word ||
      (number && (!units_read_number(number, &share) || !(share > 0))))
    return error_set(error,
                     "mix: \"%s%s%s\" is not a level and its share, such as "
                     "serializable:3",
                     word, number ? ":" : "", number ? number : "");
  return add_mix_level(driver, word, share, mix, error);
}

int mix_read(const struct driver *driver, const char *text,
             struct level_mix *mix, struct error *error) {
  int failed = 0;
  *mix = (struct level_mix){0};
  while (*text && !failed) {
    const size_t length = strcspn(text, ",");
    char *word = xasprintf("%.*s", (int)length, text);
    failed = take_mix_word(driver, word, mix, error);
    free(word);
    text += length + (text[length] == ',');
  }
  return failed;
}

// Adds the level unless it is there.
static void note_level(const struct driver_level *level,
                       struct level_mix *mix) {
  for (uint32_t i = 0; i < mix->count; i++)
    if (mix->level[i] == level)
      return;
  if (mix->count < LEVEL_MIX_MOST) { // a driver has fewer
    mix->level[mix->count] = level;
    mix->share[mix->count++] = 1;
  }
}

static int refuse_shape(const struct workload *workload, const char *word,
                        struct error *error) {
  const char *names[WORKLOAD_MAX_SHAPES + 1] = {NULL};
  for (uint32_t i = 0; i < workload_shapes(workload); i++)
    names[i] = workload->shapes[i].name;
  const char *near = nearest(word, names);
  return error_set(error,
                   "level-of: the workload %s has no shape \"%s\"%s%s; "
                   "`isostress list workloads` lists the shapes",
                   workload->name, word, near ? ", did you mean " : "",
                   near ? near : "");
}

// Takes SHAPE:LEVEL, which the word is.  `rest` is the level of "*".
static int take_shape(const struct driver *driver,
                      const struct workload *workload, char *word,
                      struct level_mix *mix, const struct driver_level **rest,
                      struct error *error) {
  char *name = strchr(word, ':');
  uint32_t shape = 0;
  if (!name || !name[1])
    return error_set(error,
                     "level-of: \"%s\" is not a shape and its level, such as "
                     "%s:serializable",
                     word, workload->shapes[0].name);
  *name++ = '\0';
  while (workload->shapes[shape].name &&
         strcmp(workload->shapes[shape].name, word))
    shape++;
  const bool is_rest = !strcmp(word, "*");
  if (!is_rest && !workload->shapes[shape].name)
    return refuse_shape(workload, word, error);
  const struct driver_level **at = is_rest ? rest : &mix->of_shape[shape];
  if (*at)
    return error_set(error, "level-of: \"%s\" is named twice", word);
  *at = driver_level(driver, name, error);
  return *at ? 0 : error_prefix(error, "level-of");
}

int mix_read_of_shapes(const struct driver *driver,
                       const struct workload *workload, const char *text,
                       struct level_mix *mix, struct error *error) {
  const struct driver_level *rest = NULL;
  int failed = 0;
  *mix = (struct level_mix){0};
  while (*text && !failed) {
    const size_t length = strcspn(text, ",");
    char *word = xasprintf("%.*s", (int)length, text);
    failed = take_shape(driver, workload, word, mix, &rest, error);
    free(word);
    text += length + (text[length] == ',');
  }
  for (uint32_t i = 0; i < workload_shapes(workload) && !failed; i++) {
    if (!mix->of_shape[i])
      mix->of_shape[i] = rest;
    if (!mix->of_shape[i])
      return error_set(error,
                       "level-of: the shape %s has no level: name it, or "
                       "*:LEVEL for all others",
                       workload->shapes[i].name);
    note_level(mix->of_shape[i], mix);
  }
  return failed;
}

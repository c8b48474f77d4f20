// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a mix of isolation levels (cli/settings/mix.h).
#include "config.h"

#include "cli/settings/mix.h"

#include "base/memory.h"
#include "base/units.h"
#include "drivers/drivers.h"

#include <stdlib.h>
#include <string.h>

static int add_level(const struct driver *driver, const char *name,
                     double share, struct level_mix *mix, struct error *error) {
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
static int take_word(const struct driver *driver, char *word,
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
  return add_level(driver, word, share, mix, error);
}

int mix_read(const struct driver *driver, const char *text,
             struct level_mix *mix, struct error *error) {
  int failed = 0;
  *mix = (struct level_mix){0};
  while (*text && !failed) {
    const size_t length = strcspn(text, ",");
    char *word = xasprintf("%.*s", (int)length, text);
    failed = take_word(driver, word, mix, error);
    free(word);
    text += length + (text[length] == ',');
  }
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Modes of transactions (steps/modes.h).
#include "config.h"

#include "steps/modes.h"

#include <string.h>
#include <strings.h>

enum { PHRASE_WORDS = 3, HOLDS_ANYWAY = SHELL_MODES };

static const struct {
  const char *words[PHRASE_WORDS];
  uint8_t mode; // enum shell_mode
} phrases[] = {
    {{"read", "only"}, SHELL_READ_ONLY},
    {{"deferrable"}, SHELL_DEFERRABLE},
    {{"with", "consistent", "snapshot"}, SHELL_SNAPSHOT},
    {{"read", "write"}, HOLDS_ANYWAY},
    {{"not", "deferrable"}, HOLDS_ANYWAY},
    {{"isolation", "level"}, HOLDS_ANYWAY},
    {{"transaction"}, HOLDS_ANYWAY},
};

uint32_t modes_phrase(const char *const *words, uint32_t nwords,
                      uint8_t *modes) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    uint32_t n = 0;
    while (n < PHRASE_WORDS && n < nwords && phrases[i].words[n] &&
           !strcasecmp(phrases[i].words[n], words[n]))
      n++;
    if (n < PHRASE_WORDS && phrases[i].words[n])
      continue;
    if (phrases[i].mode != HOLDS_ANYWAY)
      *modes |= (uint8_t)(1 << phrases[i].mode);
    return n;
  }
  return 0;
}

// In the words of the phrase.
static void put_mode(FILE *out, size_t phrase) {
  for (int n = 0; n < PHRASE_WORDS && phrases[phrase].words[n]; n++)
    fprintf(out, "%s%s", n ? " " : "", phrases[phrase].words[n]);
}

void modes_put(FILE *out, uint8_t modes) {
  const char *apart = "";
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    if (!(modes >> phrases[i].mode & 1))
      continue;
    fputs(apart, out);
    put_mode(out, i);
    apart = ", ";
  }
}

void modes_put_typed(FILE *out, const struct shell_commands *commands,
                     uint8_t modes) {
  const char *apart = " ";
  for (int mode = 0; mode < SHELL_MODES; mode++) {
    if (!(modes >> mode & 1))
      continue;
    fprintf(out, "%s%s", apart, commands->modes[mode]);
    apart = ", ";
  }
}

const char *modes_lacking(const struct shell_commands *commands,
                          uint8_t modes) {
  static const char *const names[SHELL_MODES] = {
      [SHELL_READ_ONLY] = "read only",
      [SHELL_DEFERRABLE] = "deferrable",
      [SHELL_SNAPSHOT] = "with consistent snapshot"};
  for (int mode = 0; mode < SHELL_MODES; mode++)
    if (modes >> mode & 1 && (!commands || !commands->modes[mode]))
      return names[mode];
  return NULL;
}

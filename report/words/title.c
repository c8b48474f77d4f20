// SPDX-License-Identifier: GPL-3.0-or-later
// The subject of a verdict, in words.
#include "config.h"

#include "report/words/title.h"

const char *title_of(const struct verdict *verdict, char *buffer) {
  question_in_words(&verdict->question, buffer, TITLE_ROOM);
  return buffer;
}

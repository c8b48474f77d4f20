// SPDX-License-Identifier: GPL-3.0-or-later
// The subject of a verdict, in words.
#ifndef REPORT_WORDS_TITLE_H
#define REPORT_WORDS_TITLE_H

#include "checker/verdict/verdict.h"

enum { TITLE_ROOM = 192 };

// "snapshot isolation", "snapshot isolation in real time without session
// order", "the level of each transaction"; in `buffer`, which has TITLE_ROOM
// bytes.
const char *title_of(const struct verdict *verdict, char *buffer);

#endif

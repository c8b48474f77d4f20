// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the word that a person probably meant, for sentences that end in "did
// you mean ...?".
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

// The word of the NULL-terminated list `words` that takes the fewest slips
// (a letter missing, added, replaced, or two neighbours swapped, whatever the
// case) to become `word`; an abbreviation counts as one slip.  The first one
// among equals.  NULL if none resembles it: more than half of the letters of
// `word` would have to be wrong.  The result is an element of `words`.
const char *nearest(const char *word, const char *const *words);

#endif

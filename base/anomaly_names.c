// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the names of anomalies (base/anomaly_names.h).
#include "config.h"

#include "base/anomaly_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct anomaly_name_row {
  const char *name, *plain;
  const char *also;    // others, with ", " between them
  const char *further; // others that are understood, and never printed
};

// Adya's wide classes, such as G-single, are other names of several rows: the
// text means the first of these.
static const struct anomaly_name_row rows[] = {
    {"ThinAirRead", "thin air read", "", ""},
    {"AbortedRead", "aborted read", "G1a, dirty read", ""},
    {"FutureRead", "future read", "", ""},
    {"NotMyLastWrite", "not my last write", "internal", ""},
    {"NotMyOwnWrite", "not my own write", "internal", ""},
    {"IntermediateRead", "intermediate read", "G1b", ""},
    {"NonRepeatableReads", "non-repeatable reads", "fuzzy read",
     "non-repeatable read, P2"},
    {"IncompatibleOrder", "incompatible order", "incompatible-order", ""},
    {"DuplicateElement", "duplicate element", "duplicate-elements", ""},
    {"LostElement", "lost element", "lost append", ""},
    {"SessionGuaranteeViolation", "session guarantee violation",
     "G-single-session", ""},
    {"FracturedRead", "fractured read", "G-single, read skew", ""},
    {"NonMonotonicRead", "non-monotonic read", "G-single", "OTV"},
    {"CausalityViolation", "causality violation", "G-single", ""},
    {"LongFork", "long fork", "G-nonadjacent", ""},
    {"LostUpdate", "lost update", "P4, G-single", ""},
    {"WriteSkew", "write skew", "G2-item", ""},
    {"StaleRead", "stale read", "realtime", ""},
    {"G0", "dirty write", "dirty write", ""},
    {"G1c", "circular reads", "circular information flow", ""},
    {"G-single", "G-single", "", ""},
    {"G-nonadjacent", "G-nonadjacent", "", ""},
    {"G2-item", "G2-item", "", ""},
    {"Phantom", "phantom", "P3", ""},
    {"LostWrite", "lost write", "acknowledged write lost", ""},
    {"ExtraRow", "extra row", "", ""},
    {"MissingRow", "missing row", "", ""},
    {"FracturedStatement", "fractured statement", "read skew by predicate", ""},
    {"PhantomRead", "phantom read", "A3, PMP", ""},
    {"PhantomLongFork", "phantom long fork", "long fork by predicate", ""},
    {"PhantomWriteSkew", "phantom write skew", "G2", ""},
};
enum { NROWS = sizeof rows / sizeof *rows };

static bool is_filler(char c) { return c == '-' || c == '_' || c == ' '; }

// Is the text the first `n` bytes of the word but for case, hyphens and blanks?
static bool spelled_alike(const char *text, const char *word, size_t n) {
  const char *end = word + n;
  for (;; text++, word++) {
    while (is_filler(*text))
      text++;
    while (word < end && is_filler(*word))
      word++;
    if (word == end || !*text)
      return word == end && !*text;
    if (tolower((unsigned char)*text) != tolower((unsigned char)*word))
      return false;
  }
}

static bool spelled_as(const char *text, const char *word) {
  return spelled_alike(text, word, strlen(word));
}

// The word of a list with commas behind this one; "" at its end.
static const char *next_word(const char *word) {
  word += strcspn(word, ",");
  return word + strspn(word, ", ");
}

static bool is_anomaly_among(const char *text, const char *list) {
  for (const char *word = list; *word; word = next_word(word))
    if (spelled_alike(text, word, strcspn(word, ",")))
      return true;
  return false;
}

static bool is_name_of(const char *text, const struct anomaly_name_row *row) {
  return spelled_as(text, row->name) || spelled_as(text, row->plain) ||
         is_anomaly_among(text, row->also) ||
         is_anomaly_among(text, row->further);
}

static const char *find_anomaly_name(const char *word, size_t length,
                                     const char *const *names) {
  for (; *names; names++)
    if (spelled_alike(*names, word, length))
      return *names;
  return NULL;
}

static const char *find_of(const char *list, const char *const *names) {
  const char *found = NULL;
  for (const char *word = list; *word && !found; word = next_word(word))
    found = find_anomaly_name(word, strcspn(word, ","), names);
  return found;
}

// The first of the row's names that is in the list.  Names of wide classes,
// which other rows have as well, come last.
static const char *find_any(const struct anomaly_name_row *row,
                            const char *const *names) {
  const char *const lists[] = {row->name, row->plain, row->further, row->also};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof lists / sizeof *lists && !found; i++)
    found = find_of(lists[i], names);
  return found;
}

static const struct anomaly_name_row *anomaly_row_of(const char *name) {
  for (size_t r = 0; r < NROWS; r++)
    if (!strcmp(rows[r].name, name))
      return &rows[r];
  return NULL;
}

const char *anomaly_also(const char *name) {
  const struct anomaly_name_row *row = anomaly_row_of(name);
  return row ? row->also : "";
}

const char *anomaly_plain(const char *name) {
  const struct anomaly_name_row *row = anomaly_row_of(name);
  return row ? row->plain : name;
}

const char *anomaly_meant(const char *text, const char *const *names) {
  const char *found = find_anomaly_name(text, strlen(text), names);
  for (size_t r = 0; r < NROWS && !found; r++)
    if (is_name_of(text, &rows[r]))
      found = find_any(&rows[r], names);
  return found;
}

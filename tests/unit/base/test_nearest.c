// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/nearest.h"
#include "tests/tap.h"

static const char *const options[] = {"isolation", "workload", "clients",
                                      "time",      "rate",     "read-ratio",
                                      "seed",      NULL};

static const char *meant(const char *word) {
  const char *near = nearest(word, options);
  return near ? near : "nothing";
}

static void one_slip_is_forgiven(void) {
  CHECK_STR(meant("isolaton"), "isolation");
  CHECK_STR(meant("isolattion"), "isolation");
  CHECK_STR(meant("isolotion"), "isolation");
  CHECK_STR(meant("ioslation"), "isolation");
  CHECK_STR(meant("ISOLATION"), "isolation");
}

static void the_fewest_slips_win(void) {
  CHECK_STR(meant("raet"), "rate");
  CHECK_STR(meant("tiem"), "time");
  CHECK_STR(meant("rtae"), "rate");
  CHECK_STR(meant("tine"), "time");
  CHECK_STR(meant("read_ration"), "read-ratio");
}

static void abbreviations_are_understood(void) {
  CHECK_STR(meant("iso"), "isolation");
  CHECK_STR(meant("read"), "read-ratio");
  CHECK_STR(meant("Work"), "workload");
}

static void strangers_are_not_suggested(void) {
  CHECK_STR(meant("banana"), "nothing");
  CHECK_STR(meant("x"), "nothing");
  CHECK_STR(meant(""), "nothing");
  const char *const none[] = {NULL};
  CHECK(nearest("isolation", none) == NULL);
}

static void long_words_are_cut(void) {
  char word[200];
  memset(word, 'i', sizeof word - 1);
  word[sizeof word - 1] = 0;
  CHECK_STR(meant(word), "nothing");
}

int main(void) {
  return TAP_RUN({"one slip is forgiven", one_slip_is_forgiven},
                 {"the fewest slips win", the_fewest_slips_win},
                 {"abbreviations are understood", abbreviations_are_understood},
                 {"strangers are not suggested", strangers_are_not_suggested},
                 {"long words are cut", long_words_are_cut});
}

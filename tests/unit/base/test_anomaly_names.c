// SPDX-License-Identifier: GPL-3.0-or-later
// Every name of an anomaly is understood wherever anomalies have names.
#include "config.h"

#include "base/anomaly_names.h"
#include "tests/tap.h"

#include <stddef.h>

static const char *const aims[] = {
    "AbortedRead", "NonMonotonicRead", "FracturedRead",      "LongFork",
    "LostUpdate",  "WriteSkew",        "CausalityViolation", NULL};
static const char *const scripts[] = {
    "g-single", "g-single-write", "g0",  "g1a", "g1c", "g2",
    "g2-item",  "long-fork",      "otv", "p4",  "pmp", NULL};

static const char *meant(const char *text, const char *const *names) {
  const char *found = anomaly_meant(text, names);
  return found ? found : "nothing";
}

static void spellings_are_alike(void) {
  CHECK_STR(meant("LostUpdate", aims), "LostUpdate");
  CHECK_STR(meant("lostupdate", aims), "LostUpdate");
  CHECK_STR(meant("lost-update", aims), "LostUpdate");
  CHECK_STR(meant("lost update", aims), "LostUpdate");
  CHECK_STR(meant("LOST_UPDATE", aims), "LostUpdate");
}

static void other_names_are_known(void) {
  CHECK_STR(meant("p4", aims), "LostUpdate");
  CHECK_STR(meant("G2-item", aims), "WriteSkew");
  CHECK_STR(meant("dirty read", aims), "AbortedRead");
  CHECK_STR(meant("g1a", aims), "AbortedRead");
  CHECK_STR(meant("otv", aims), "NonMonotonicRead");
  CHECK_STR(meant("read-skew", aims), "FracturedRead");
}

// A wide class means the row that people mean by it.
static void wide_classes_mean_the_usual_anomaly(void) {
  CHECK_STR(meant("g-single", aims), "FracturedRead");
  CHECK_STR(meant("g-nonadjacent", aims), "LongFork");
}

static void scripts_are_found_by_anomalies(void) {
  CHECK_STR(meant("LostUpdate", scripts), "p4");
  CHECK_STR(meant("write skew", scripts), "g2-item");
  CHECK_STR(meant("FracturedRead", scripts), "g-single");
  CHECK_STR(meant("NonMonotonicRead", scripts), "otv");
  CHECK_STR(meant("PhantomRead", scripts), "pmp");
  CHECK_STR(meant("dirty-write", scripts), "g0");
  CHECK_STR(meant("circular-reads", scripts), "g1c");
  CHECK_STR(meant("LongFork", scripts), "long-fork");
}

static void strangers_are_not_found(void) {
  CHECK_STR(meant("", aims), "nothing");
  CHECK_STR(meant("-", aims), "nothing");
  CHECK_STR(meant("Lost", aims), "nothing");
  CHECK_STR(meant("LostUpdates", aims), "nothing");
  CHECK_STR(meant("PhantomRead", aims), "nothing");
}

static void plain_names_are_words(void) {
  CHECK_STR(anomaly_plain("LostUpdate"), "lost update");
  CHECK_STR(anomaly_plain("G0"), "dirty write");
  CHECK_STR(anomaly_plain("G2-item"), "G2-item");
  CHECK_STR(anomaly_plain("SomethingElse"), "SomethingElse");
  CHECK_STR(anomaly_also("LostUpdate"), "P4, G-single");
  CHECK_STR(anomaly_also("ThinAirRead"), "");
  CHECK_STR(anomaly_also("SomethingElse"), "");
}

int main(void) {
  return TAP_RUN(
      {"spellings are alike", spellings_are_alike},
      {"other names are known", other_names_are_known},
      {"wide classes mean the usual anomaly",
       wide_classes_mean_the_usual_anomaly},
      {"scripts are found by anomalies", scripts_are_found_by_anomalies},
      {"strangers are not found", strangers_are_not_found},
      {"plain names are words", plain_names_are_words});
}

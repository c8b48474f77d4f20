// SPDX-License-Identifier: GPL-3.0-or-later
// The histories of the benchmarks (bench/histories.h).  They are made by the
// memory driver; those without times are siblings of PolySI's published
// benchmarks in the same format.
#include "config.h"

#include "bench/histories.h"

#include "base/memory.h"
#include "bench/process.h"
#include "recorder/files/reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct bench_history *bench_history(const char *name) {
  const struct bench_history *history = bench_histories;
  while (history->name && strcmp(history->name, name))
    history++;
  assert(history->name);
  return history;
}

char *bench_history_path(const struct bench_history *history,
                         const char *directory) {
  const char *given = getenv("ISOSTRESS_HISTORIES");
  if (history->options)
    return record(directory, history->name, history->options,
                  history->timeless);
  return given ? xasprintf("%s/%s", given, history->name) : NULL;
}

void bench_history_read(const char *path, struct history *history) {
  struct error error;
  if (history_read(path, NULL, history, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
}

const struct bench_history bench_histories[] = {
    {"general-rw.bincode", NULL, false, false},
    {"zipf.bincode", NULL, false, false},
    {"general-rw-sibling",
     "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 "
     "--distribution uniform --ops 8 --read-ratio 0.5 --max-tries 50",
     true, false},
    {"zipf-sibling",
     "--threads 1 -w general -i si -c 20 -t 100 -k 10000 "
     "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 50",
     true, false},
    {"write-heavy",
     "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 "
     "--distribution uniform --ops 8 --read-ratio 0.3 --max-tries 50",
     true, false},
    {"read-heavy",
     "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 "
     "--distribution uniform --ops 8 --read-ratio 0.95 --max-tries 50",
     true, false},
    {"long-transactions",
     "--threads 1 -w general -i ser -c 20 -t 100 -k 1000 "
     "--distribution uniform --ops 15 --read-ratio 0.5 --max-tries 50",
     true, false},
    {"hard-zipfian", // two of three attempts abort
     "--threads 1 -w general -i si -c 20 -t 16000 -k 100000 "
     "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 1",
     true, false},
    {"hard-uniform",
     "--threads 1 -w general -i si -c 20 -t 5000 -k 1000 "
     "--distribution uniform --ops 8 --read-ratio 0.5 --max-tries 100",
     true, false},
    {"compare-and-set", "-w cas -i sser -c 10 -t 10000 -k 1", false, false},
    {"million-si",
     "-w general -i si -c 20 -t 50000 -k 1000000 "
     "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 20",
     false, true},
    {"million-ser",
     "-w general -i ser -c 20 -t 50000 -k 1000000 "
     "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 20",
     false, true},
    {0},
};

// SPDX-License-Identifier: GPL-3.0-or-later
// The histories of the benchmarks (bench/histories.h).  They are made by the
// memory driver; those without times are siblings of PolySI's published
// benchmarks in the same format.  A million rows that are only inserted would
// take the memory driver too long, and are made up.
#include "config.h"

#include "bench/histories.h"

#include "base/memory.h"
#include "bench/process.h"
#include "recorder/files/reader.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Rows that are only inserted: every other transaction inserts row k into
// bucket k / 4, the others select the bucket before that.  Transactions of 20
// sessions overlap with those around them.

enum { INSERTS = 500000, SESSIONS = 20, BUCKET = 4, APART_NS = 20 };

// The number, from 1, of the statement that inserted the row, in the file.
static uint64_t writer_of(uint64_t row) {
  return row % SESSIONS * (INSERTS / SESSIONS) + row / SESSIONS + 1;
}

static void write_insert(FILE *out, uint64_t row) {
  const uint64_t begin = APART_NS * row;
  fprintf(out, "[ins t/%" PRIu64 "{b=%" PRIu64 "}]@%" PRIu64 "..%" PRIu64 "\n",
          row, row / BUCKET, begin, begin + 3 * APART_NS);
}

static void write_select(FILE *out, uint64_t row) {
  const uint64_t begin = APART_NS * row + 3 * APART_NS + 1;
  const int64_t bucket = (int64_t)(row / BUCKET) - 1;
  fprintf(out, "[sel t{b = %" PRId64 "}:", bucket);
  for (int i = 0; bucket >= 0 && i < BUCKET; i++) {
    const uint64_t seen = (uint64_t)bucket * BUCKET + (uint64_t)i;
    fprintf(out, " %" PRIu64 "@w%" PRIu64, seen, writer_of(seen));
  }
  fprintf(out, "]@%" PRIu64 "..%" PRIu64 "\n", begin, begin + APART_NS);
}

static void write_inserts(FILE *out) {
  fputs("table t(b):\n", out);
  for (uint64_t session = 0; session < SESSIONS; session++) {
    for (uint64_t row = session; row < INSERTS; row += SESSIONS) {
      write_insert(out, row);
      write_select(out, row);
    }
    if (session + 1 < SESSIONS)
      fputs("---\n", out);
  }
}

// --- All histories.

const struct bench_history *bench_history(const char *name) {
  const struct bench_history *history = bench_histories;
  while (history->name && strcmp(history->name, name))
    history++;
  assert(history->name);
  return history;
}

static char *make_up(const struct bench_history *history,
                     const char *directory) {
  char *text = xasprintf("%s/%s.txt", directory, history->name);
  FILE *out = fopen(text, "w");
  if (!out || (history->write(out), fclose(out))) {
    perror(text);
    exit(255);
  }
  return converted(text, directory, history->name, "isostress");
}

char *bench_history_path(const struct bench_history *history,
                         const char *directory) {
  const char *given = getenv("ISOSTRESS_HISTORIES");
  if (history->write)
    return make_up(history, directory);
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

#define ROWS                                                                   \
  "--threads 1 -w predicate -c 20 -k 3000 --predicates eq:.2,range:.8 "        \
  "--shares ro:.7,guard:.14,move:.08,delete:.04,claim:.04"

const struct bench_history bench_histories[] = {
    {.name = "general-rw.bincode"},
    {.name = "zipf.bincode"},
    {.name = "general-rw-sibling",
     .options =
         "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 "
         "--distribution uniform --ops 8 --read-ratio 0.5 --max-tries 50",
     .timeless = true},
    {.name = "zipf-sibling",
     .options =
         "--threads 1 -w general -i si -c 20 -t 100 -k 10000 "
         "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 50",
     .timeless = true},
    {.name = "write-heavy",
     .options =
         "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 "
         "--distribution uniform --ops 8 --read-ratio 0.3 --max-tries 50",
     .timeless = true},
    {.name = "read-heavy",
     .options =
         "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 "
         "--distribution uniform --ops 8 --read-ratio 0.95 --max-tries 50",
     .timeless = true},
    {.name = "long-transactions",
     .options =
         "--threads 1 -w general -i ser -c 20 -t 100 -k 1000 "
         "--distribution uniform --ops 15 --read-ratio 0.5 --max-tries 50",
     .timeless = true},
    // two of three attempts abort
    {.name = "hard-zipfian",
     .options =
         "--threads 1 -w general -i si -c 20 -t 16000 -k 100000 "
         "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 1",
     .timeless = true},
    {.name = "hard-uniform",
     .options =
         "--threads 1 -w general -i si -c 20 -t 5000 -k 1000 "
         "--distribution uniform --ops 8 --read-ratio 0.5 --max-tries 100",
     .timeless = true},
    {.name = "compare-and-set",
     .options = "-w cas -i sser -c 10 -t 10000 -k 1"},
    {.name = "million-si",
     .options =
         "-w general -i si -c 20 -t 50000 -k 1000000 "
         "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 20",
     .large = true},
    {.name = "million-ser",
     .options =
         "-w general -i ser -c 20 -t 50000 -k 1000000 "
         "--distribution zipfian:0.99 --ops 15 --read-ratio 0.5 --max-tries 20",
     .large = true},
    // 2.4 million operations on rows: two statements of ten rows in most
    // transactions.
    {.name = "rows", .options = ROWS " -i ser -t 6400", .rows = true},
    {.name = "rows-si", .options = ROWS " -i si -t 6400", .rows = true},
    {.name = "rows-skew",
     .options = ROWS " -i ser -t 6400 --bug PhantomWriteSkew:0.01",
     .rows = true},
    {.name = "rows-mixed", // all shapes of the workload
     .options = "--threads 1 -w predicate -i ser -c 20 -t 5000 -k 3000 "
                "--statements 3",
     .rows = true},
    {.name = "tpcc-3x18",
     .options = "--threads 1 -w tpcc -i ser -c 3 -t 18",
     .rows = true},
    {.name = "twitter-5x10",
     .options = "--threads 1 -w twitter -i ser -c 5 -t 10",
     .rows = true},
    {.name = "tpcc-10k",
     .options = "--threads 1 -w tpcc "
                "--level-of new-order:ser,payment:ser,*:si -c 4 -t 2500 "
                "--max-tries 2",
     .rows = true},
    {.name = "rows-million",
     .options = ROWS " -i ser -t 50000",
     .large = true,
     .rows = true},
    {.name = "inserts-million",
     .large = true,
     .rows = true,
     .write = write_inserts},
    {0},
};

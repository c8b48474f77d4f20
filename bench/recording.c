// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of recording an operation, beyond reading the clock, and how fast a
// history is read back compared with decompressing it alone.  The history is
// one of mini-transactions as a serial store would answer them, made up in
// advance.
//
//   bench/recording [TRANSACTIONS [DIRECTORY]]
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "recorder/files/reader.h"
#include "recorder/native/chunk.h"
#include "recorder/record/recording.h"

#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum { NSESSIONS = 20, NKEYS = 10000, MAX_OPS = 4, ROUNDS = 5 };

struct made_txn {
  uint64_t begin, end, value[MAX_OPS];
  uint32_t session, key[MAX_OPS];
  uint8_t nops, kind[MAX_OPS];
};

struct store {
  gsl_rng *random;
  gsl_ran_discrete_t *zipf;
  uint64_t value[NKEYS], written[NSESSIONS], now[NSESSIONS];
};

static void add_op(struct store *s, struct made_txn *t, uint32_t key,
                   bool write) {
  uint32_t i = t->nops++;
  if (write)
    s->value[key] = value_of_write(t->session, s->written[t->session]++);
  t->kind[i] = write ? OP_WRITE : OP_READ;
  t->key[i] = key;
  t->value[i] = s->value[key];
}

// One or two reads, each perhaps followed by a write of the same key.
static void make_txn(struct store *s, struct made_txn *t) {
  t->session = (uint32_t)gsl_rng_uniform_int(s->random, NSESSIONS);
  t->nops = 0;
  unsigned long shape = gsl_rng_uniform_int(s->random, 4);
  for (unsigned i = 0; i < 1 + shape % 2; i++) {
    uint32_t key = (uint32_t)gsl_ran_discrete(s->random, s->zipf);
    add_op(s, t, key, false);
    if (shape >= 1)
      add_op(s, t, key, true);
  }
  uint64_t *now = &s->now[t->session];
  t->begin = *now + 100 + gsl_rng_uniform_int(s->random, 500);
  t->end = *now = t->begin + 3000 + gsl_rng_uniform_int(s->random, 20000);
}

static struct made_txn *make_txns(uint32_t ntxns, uint64_t *nops) {
  struct store *s = xcalloc(1, sizeof *s);
  double weight[NKEYS];
  for (int i = 0; i < NKEYS; i++)
    weight[i] = 1 / pow(i + 1, 0.99);
  s->random = random_stream(1, 0, RANDOM_TEST);
  s->zipf = gsl_ran_discrete_preproc(NKEYS, weight);
  struct made_txn *txns = xmalloc(ntxns * sizeof *txns);
  for (uint32_t t = 0; t < ntxns; t++) {
    make_txn(s, &txns[t]);
    *nops += txns[t].nops;
  }
  gsl_ran_discrete_free(s->zipf);
  gsl_rng_free(s->random);
  free(s);
  return txns;
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const struct error *error) {
  fprintf(stderr, "%s\n", error->text);
  exit(255);
}

static void play(struct recording *r, const struct made_txn *txns,
                 uint32_t ntxns) {
  for (uint32_t i = 0; i < ntxns; i++) {
    const struct made_txn *t = &txns[i];
    struct session_log *log = recording_session_log(r, t->session);
    session_log_begin(log, ISOLATION_SER, t->begin);
    for (uint32_t op = 0; op < t->nops; op++)
      session_log_op(log, (enum op_kind)t->kind[op], t->key[op], t->value[op],
                     0, 0);
    session_log_end(log, OUTCOME_OK, CAUSE_NONE, t->end);
  }
}

static void measure_recording(const char *path, const struct made_txn *txns,
                              uint32_t ntxns, uint64_t nops) {
  struct recording *r;
  struct error error;
  unlink(path);
  double process = seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (recording_open(path, NSESSIONS, false, 0, "", NULL, &r, &error))
    die(&error);
  double thread = seconds(CLOCK_THREAD_CPUTIME_ID);
  play(r, txns, ntxns);
  thread = seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
  if (recording_close(r, &error))
    die(&error);
  process = seconds(CLOCK_PROCESS_CPUTIME_ID) - process;
  printf("recording: %.1f ns per operation in the session, %.1f ns in all "
         "threads\n",
         thread * 1e9 / (double)nops, process * 1e9 / (double)nops);
}

static double time_of_reading(const char *path) {
  struct history h;
  struct error error;
  double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (history_read(path, NULL, &h, &error))
    die(&error);
  double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  history_free(&h);
  return took;
}

// Reads the file and decompresses it piece by piece, as `zstd -d` does.
static double time_of_decompressing(const char *path, size_t *file_bytes,
                                    size_t *raw_bytes) {
  struct error error;
  struct chunk_header h;
  unsigned char *raw = xmalloc(16 << 20);
  ZSTD_DCtx *zstd = ZSTD_createDCtx();
  double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
  unsigned char *data = file_load(path, SIZE_MAX - 1, file_bytes, &error);
  if (!data)
    die(&error);
  *raw_bytes = 0;
  for (size_t at = FILE_HEADER_BYTES;
       chunk_header_load(data + at, *file_bytes - at, &h);
       at += h.header_bytes + (size_t)h.stored_bytes)
    if (h.compression == CHUNK_ZSTD)
      *raw_bytes += ZSTD_decompressDCtx(
          zstd, raw, 16 << 20, data + at + h.header_bytes, h.stored_bytes);
  double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  ZSTD_freeDCtx(zstd);
  free(data);
  free(raw);
  return took;
}

static void measure_reading(const char *path, uint64_t nops) {
  double best = INFINITY, alone = INFINITY;
  size_t file_bytes = 0, raw_bytes = 0;
  for (int i = 0; i < ROUNDS; i++) {
    best = fmin(best, time_of_reading(path));
    alone = fmin(alone, time_of_decompressing(path, &file_bytes, &raw_bytes));
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("file:      %.1f MB, %.2f bytes per operation; %.1f MB decompressed\n",
         (double)file_bytes / 1e6, (double)file_bytes / (double)nops,
         (double)raw_bytes / 1e6);
  printf(
      "reading:   %.1f ms of processor time, %.1f ns per operation, %.0f MB/s "
      "of columns; decompression alone %.1f ms: %.2f times\n",
      best * 1e3, best * 1e9 / (double)nops, (double)raw_bytes / best / 1e6,
      alone * 1e3, best / alone);
}

int main(int argc, char **argv) {
  uint32_t ntxns = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
  uint64_t nops = 0;
  char *path = xasprintf("%s/isostress-bench-%ld", argc > 2 ? argv[2] : "/tmp",
                         (long)getpid());
  struct made_txn *txns = make_txns(ntxns, &nops);
  printf("%" PRIu32 " mini-transactions of %d sessions, %" PRIu64
         " operations\n",
         ntxns, NSESSIONS, nops);
  for (int i = 0; i < ROUNDS; i++)
    measure_recording(path, txns, ntxns, nops);
  free(txns);
  measure_reading(path, nops);
  unlink(path);
  free(path);
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// How fast histories are read in each format that can be written, from the page
// cache, in a process of its own, with one thread: MB of the file per second of
// processor time, and the most memory that it took compared with what the
// history takes in memory.  Our own format is measured by its decompressed
// content, in which columns are narrow; the last column says of every format
// how many MB of history in memory it makes in a second.
//
//   bench/formats [THOUSANDS-OF-TRANSACTIONS]
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "recorder/chunk.h"
#include "recorder/file.h"
#include "recorder/writer.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SESSIONS = 20, OPS = 8, KEYS = 10000, LIST = 16, ROUNDS = 3 };

// A history of one version per key and session after the other: what is read is
// the newest that its session knows of.  `lists`: a quarter appends, a quarter
// reads of up to LIST elements; fewer transactions for the same size.
static struct history make(uint32_t ntxns, bool lists) {
  struct builder *b = builder_open();
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  uint64_t *newest = xcalloc(KEYS, sizeof *newest);
  struct value_list *list = xcalloc(KEYS, sizeof *list);
  uint64_t time = 1000000, sequence[SESSIONS] = {0};
  for (uint32_t t = 0; t < ntxns; t++, time += 1000) {
    const uint32_t s = t % SESSIONS;
    builder_txn(b, s, OUTCOME_OK, ISOLATION_SER, time, time + SESSIONS * 900);
    for (int i = 0; i < OPS / (lists ? 2 : 1); i++) {
      const uint64_t key = gsl_rng_uniform_int(random, KEYS);
      const bool writes = gsl_rng_uniform_int(random, 2);
      const uint64_t value = value_of_write(s, sequence[s]);
      sequence[s] += writes;
      if (!lists)
        builder_op(b, writes ? OP_WRITE : OP_READ, key,
                   writes ? value : newest[key]);
      else if (writes && list[key].count < LIST) {
        builder_op(b, OP_APPEND, key, value);
        value_list_push(&list[key], value);
      } else
        builder_list(b, key, list[key].values, list[key].count);
      newest[key] = writes ? value : newest[key];
    }
  }
  for (uint32_t k = 0; k < KEYS; k++)
    value_list_free(&list[k]);
  free(list);
  free(newest);
  gsl_rng_free(random);
  struct history h;
  struct error error;
  if (builder_finish(b, &h, &error))
    exit(255);
  return h;
}

static double history_megabytes(const struct history *h) {
  const double per_txn = 4 + 3 + (h->begin ? 16 : 0);
  const double per_op = 1 + 4 + 8 + 4;
  return ((double)h->ntxns * per_txn + (double)h->nops * per_op +
          h->nlists * 4.0 + h->list_first[h->nlists] * 12.0 + h->nkeys * 8.0) /
         1e6;
}

static double content_megabytes(const char *path, bool directory) {
  struct file_list list = {0};
  struct error error;
  struct stat st = {0};
  double bytes = 0;
  if (!directory && stat(path, &st) == 0)
    return (double)st.st_size / 1e6;
  file_list(path, "*", &list, &error);
  for (uint32_t i = 0; i < list.count; i++)
    bytes += stat(list.paths[i], &st) == 0 ? (double)st.st_size : 0;
  file_list_free(&list);
  return bytes / 1e6;
}

static double decompressed_megabytes(const char *path) {
  struct error error;
  struct chunk_header header;
  size_t bytes = 0;
  double raw = 0;
  unsigned char *data = file_load(path, SIZE_MAX - 1, &bytes, &error);
  for (size_t at = FILE_HEADER_BYTES;
       data && chunk_header_load(data + at, bytes - at, &header);
       at += header.header_bytes + (size_t)header.stored_bytes)
    raw += header.raw_bytes;
  free(data);
  return raw / 1e6;
}

struct cost {
  double seconds, megabytes; // of the processor, of memory beyond the start's
};

// In a child, which is told apart from what this process holds by its growth.
static struct cost read_once(const char *path, const char *format) {
  int ends[2];
  struct cost cost = {INFINITY, 0};
  if (pipe(ends))
    exit(255);
  pid_t pid = fork();
  if (pid == 0) {
    struct rusage before, after;
    struct history h;
    struct error error;
    mallopt(M_MMAP_MAX, 0); // as the program does
    getrusage(RUSAGE_SELF, &before);
    if (history_read(path, format, &h, &error)) {
      fprintf(stderr, "%s\n", error.text);
      _exit(1);
    }
    getrusage(RUSAGE_SELF, &after);
    cost.seconds =
        (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
        (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6 +
        (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
        (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) / 1e6;
    cost.megabytes = (double)(after.ru_maxrss - before.ru_maxrss) / 1e3 * 1.024;
    _exit(write(ends[1], &cost, sizeof cost) != sizeof cost);
  }
  int status;
  waitpid(pid, &status, 0);
  if (status || read(ends[0], &cost, sizeof cost) != sizeof cost)
    exit(255);
  close(ends[0]);
  close(ends[1]);
  return cost;
}

static void measure(const struct history *h, const double in_memory,
                    const struct history_format *format, const char *what) {
  char *path = xasprintf("/tmp/isostress-formats-%ld", (long)getpid());
  const bool directory = format->written_as == WRITTEN_DIRECTORY;
  struct error error;
  if (history_write(path, format, h, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
  struct cost best = {INFINITY, 0};
  for (int i = 0; i < ROUNDS; i++) {
    const struct cost cost = read_once(path, format->name);
    best.seconds = fmin(best.seconds, cost.seconds);
    best.megabytes = fmax(best.megabytes, cost.megabytes);
  }
  const double size = format->written_as == WRITTEN_FILE
                          ? decompressed_megabytes(path)
                          : content_megabytes(path, directory);
  printf("%-10s %-11s %8.1f %8.3f %8.0f %9.1f %7.2f %11.0f\n", what,
         format->name, size, best.seconds, size / best.seconds, best.megabytes,
         best.megabytes / in_memory, in_memory / best.seconds);
  fflush(stdout);
  char *command = xasprintf("rm -rf %s", path);
  if (system(command))
    exit(255);
  free(command);
  free(path);
}

int main(int argc, char **argv) {
  const double thousands = argc > 1 ? strtod(argv[1], NULL) : 200;
  printf("history    format      file MB    cpu s     MB/s memory MB   times  "
         "made MB/s\n");
  for (int lists = 0; lists < 2; lists++) {
    struct history h = make((uint32_t)(thousands * 1000), lists);
    // The child must not share what it would touch.
    const double in_memory = history_megabytes(&h);
    for (int f = 0; history_formats[f]; f++)
      if (history_formats[f]->write &&
          (!lists || history_formats[f]->says & SAYS_LISTS))
        measure(&h, in_memory, history_formats[f],
                lists ? "lists" : "registers");
    history_free(&h);
  }
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// How fast histories are read in each format, from the page cache, in a process
// of its own, with one thread: MB of the file per second of processor time, and
// the most memory that it took compared with what the history takes in memory.
// Our own format is measured by its decompressed content, in which columns are
// narrow; the last columns say of every format how many MB of history in memory
// it makes in a second, and how many million operations that is.  Of those
// files, or if none is given, of made-up histories.
//
//   bench/formats [THOUSANDS-OF-TRANSACTIONS [FORMAT...]]
//   bench/formats --files FILE...
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/random.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "recorder/native/chunk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SESSIONS = 20, KEYS = 10000, LIST = 16, ROUNDS = 3 };

// The shapes of transactions.  `lists`: half appends, half reads of up to LIST
// elements.
static const struct shape {
  const char *name;
  int ops, keys;
  bool lists;
} shapes[] = {{"registers", 8, KEYS, false},
              {"lists", 4, KEYS, true},
              {"calls", 1, 1, false}};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

enum { STORE_OPS = 4, STORE_KEYS = 20000 };

// A history of one version per key and session after the other: what is read is
// the newest that its session knows of.
static struct history make(uint32_t ntxns, const struct shape *shape) {
  struct builder *b = builder_open();
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  uint64_t *newest = xcalloc(KEYS, sizeof *newest);
  struct value_list *list = xcalloc(KEYS, sizeof *list);
  uint64_t time = 1000000, sequence[SESSIONS] = {0};
  for (uint32_t t = 0; t < ntxns; t++, time += 1000) {
    const uint32_t s = t % SESSIONS;
    builder_txn(b, s, OUTCOME_OK, ISOLATION_SER, time, time + SESSIONS * 900);
    for (int i = 0; i < shape->ops; i++) {
      const uint64_t key = gsl_rng_uniform_int(random, (unsigned)shape->keys);
      const bool writes = gsl_rng_uniform_int(random, 2);
      const uint64_t value = value_of_write(s, sequence[s]);
      sequence[s] += writes;
      if (!shape->lists)
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

// A log of a store of strings of which three tenths of the operations append,
// two put and five get, one after the other.
static void write_store(const char *path, uint32_t nops) {
  FILE *out = fopen(path, "w");
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  char **held = xcalloc(STORE_KEYS, sizeof *held);
  if (!out)
    exit(255);
  for (uint32_t i = 0; i < nops; i++) {
    const unsigned long key = gsl_rng_uniform_int(random, STORE_KEYS);
    const unsigned long kind = gsl_rng_uniform_int(random, 10);
    const char *f = kind < 3 ? "append" : kind < 5 ? "put" : "get";
    const char *before = held[key] && kind != 3 && kind != 4 ? held[key] : "";
    char *piece = xasprintf(kind < 5 ? "x %u %u y" : "", i % SESSIONS, i);
    char *after = xasprintf("%s%s", before, piece);
    for (int ok = 0; ok < 2; ok++) {
      fprintf(out, "{:process %u, :type :%s, :f :%s, :key \"%lu\", :value ",
              i % SESSIONS, ok ? "ok" : "invoke", f, key);
      fprintf(out, kind < 5 || ok ? "\"%s\"}\n" : "nil}\n",
              kind < 5 ? piece : after);
    }
    free(piece);
    free(held[key]);
    held[key] = after;
  }
  for (int k = 0; k < STORE_KEYS; k++)
    free(held[k]);
  free(held);
  gsl_rng_free(random);
  if (fclose(out))
    exit(255);
}

static double text_bytes(char *const *text, uint32_t n) {
  double bytes = 0;
  for (uint32_t i = 0; text && i < n; i++)
    bytes += (double)sizeof *text + (text[i] ? (double)strlen(text[i]) + 1 : 0);
  return bytes;
}

static double history_megabytes(const struct history *h) {
  const double per_txn = 4 + 3 + (h->begin ? 16 : 0);
  const double per_op =
      1 + 4 + 4 + (h->value ? 8 : 0) + (h->writes_before ? 4.0 / 64 : 0);
  const double per_element = 4 + (h->element_value ? 8 : 0);
  return ((double)h->ntxns * per_txn + (double)h->nops * per_op +
          h->nlists * 8.0 + h->nelements * per_element + h->nkeys * 8.0 +
          text_bytes(h->key_text, h->nkeys) +
          text_bytes(h->value_text, h->nvalue_texts)) /
         1e6;
}

// 0 for a directory.
static size_t file_bytes(const char *path) {
  struct stat st;
  return stat(path, &st) || !S_ISREG(st.st_mode) ? 0 : (size_t)st.st_size;
}

static double content_megabytes(const char *path, bool directory) {
  struct file_list list = {0};
  struct error error;
  double bytes = 0;
  if (!directory)
    return (double)file_bytes(path) / 1e6;
  file_list(path, "*", &list, &error);
  for (uint32_t i = 0; i < list.count; i++)
    bytes += (double)file_bytes(list.paths[i]);
  file_list_free(&list);
  return bytes / 1e6;
}

static double decompressed_megabytes(const char *path) {
  unsigned char head[CHUNK_HEADER_BYTES];
  struct chunk_header header;
  double raw = 0;
  FILE *in = fopen(path, "r");
  if (!in || fseek(in, FILE_HEADER_BYTES, SEEK_SET))
    exit(255);
  while (fread(head, 1, sizeof head, in) == sizeof head &&
         chunk_header_load(head, sizeof head, &header) &&
         !fseek(in, header.stored_bytes, SEEK_CUR))
    raw += header.raw_bytes;
  fclose(in);
  return raw / 1e6;
}

struct cost {
  double seconds, megabytes; // of the processor, of memory beyond the start's
  double in_memory;          // megabytes of the history that was made
  double nops;
};

// In a process of its own: reads the file and says what that cost.
static int read_here(const char *path, const char *format) {
  struct rusage before, after;
  struct history h;
  struct error error;
  getrusage(RUSAGE_SELF, &before);
  void *gap = pages_prepare(file_bytes(path)); // as the program does
  if (history_read(path, format, &h, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  getrusage(RUSAGE_SELF, &after);
  printf("%f %f %f %u\n",
         (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
             (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6 +
             (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
             (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) / 1e6,
         (double)(after.ru_maxrss - before.ru_maxrss) * 1024 / 1e6,
         history_megabytes(&h), h.nops);
  history_free(&h);
  free(gap);
  return 0;
}

static struct cost read_once(const char *path, const char *format) {
  struct cost cost = {INFINITY, 0, 0, 0};
  char program[4096];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n < 0 ? 0 : n] = 0;
  char *command = xasprintf("'%s' --read %s %s", program, path, format);
  FILE *child = popen(command, "r");
  if (!child ||
      fscanf(child, "%lf %lf %lf %lf", &cost.seconds, &cost.megabytes,
             &cost.in_memory, &cost.nops) != 4 ||
      pclose(child))
    exit(255);
  free(command);
  return cost;
}

static void measure(const char *path, const struct history_format *format,
                    const char *what) {
  struct cost best = {INFINITY, 0, 0, 0};
  for (int i = 0; i < ROUNDS; i++) {
    const struct cost cost = read_once(path, format->name);
    best.seconds = fmin(best.seconds, cost.seconds);
    best.megabytes = fmax(best.megabytes, cost.megabytes);
    best.in_memory = cost.in_memory;
    best.nops = cost.nops;
  }
  const double size =
      format->written_as == WRITTEN_FILE
          ? decompressed_megabytes(path)
          : content_megabytes(path, format->written_as == WRITTEN_DIRECTORY);
  printf("%-10s %-12s %7.1f %8.3f %8.0f %9.1f %7.2f %11.0f %8.1f\n", what,
         format->name, size, best.seconds, size / best.seconds, best.megabytes,
         best.megabytes / best.in_memory, best.in_memory / best.seconds,
         best.nops / 1e6 / best.seconds);
  fflush(stdout);
}

static char *scratch_path(void) {
  return xasprintf("/tmp/isostress-formats-%ld", (long)getpid());
}

static void remove_scratch(char *path) {
  char *command = xasprintf("rm -rf %s", path);
  if (system(command))
    exit(255);
  free(command);
  free(path);
}

static void measure_history(const struct history *h,
                            const struct history_format *format,
                            const char *what) {
  char *path = scratch_path();
  struct error error;
  if (history_write(path, format, h, NULL, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
  measure(path, format, what);
  remove_scratch(path);
}

static void measure_store(uint32_t nops, const struct history_format *format) {
  char *path = scratch_path();
  write_store(path, nops);
  measure(path, format, "store");
  remove_scratch(path);
}

static bool is_wanted(const struct history_format *format, char **names) {
  bool named = !*names;
  for (; *names; names++)
    named |= strcmp(*names, format->name) == 0;
  return named;
}

static bool can_say(const struct history_format *format,
                    const struct shape *shape) {
  return format->write && format->single == (shape->ops == 1) &&
         (!shape->lists || format->says & FEATURE_LISTS);
}

static void measure_made(uint32_t ntxns, char **names) {
  struct error error;
  const struct history_format *store =
      history_format_named("porcupine-kv", &error);
  for (int i = 0; i < NSHAPES; i++) {
    struct history h = make(ntxns, &shapes[i]);
    for (int f = 0; history_formats[f]; f++)
      if (is_wanted(history_formats[f], names) &&
          can_say(history_formats[f], &shapes[i]) &&
          history_formats[f] != store)
        measure_history(&h, history_formats[f], shapes[i].name);
    history_free(&h);
  }
  if (is_wanted(store, names))
    measure_store(ntxns * STORE_OPS, store);
}

static void measure_files(char **paths) {
  struct error error;
  for (; *paths; paths++) {
    const struct history_format *format = history_format_of(*paths, &error);
    if (!format) {
      fprintf(stderr, "%s\n", error.text);
      exit(255);
    }
    measure(*paths, format, "file");
  }
}

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "--read"))
    return read_here(argv[2], argv[3]);
  printf("history    format       file MB    cpu s     MB/s memory MB   times  "
         "made MB/s   Mops/s\n");
  if (argc > 1 && !strcmp(argv[1], "--files"))
    measure_files(argv + 2);
  else
    measure_made((uint32_t)(1000 * (argc > 1 ? strtod(argv[1], NULL) : 200)),
                 argv + (argc > 1 ? 2 : 1));
  return 0;
}

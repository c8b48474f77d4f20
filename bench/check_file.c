// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of `isostress check` as a whole process: reading a recorded file
// that is in the page cache, checking it, proving the verdict and printing it;
// and how long the decompression of the same bytes takes, in this process and
// by the program zstd (which has to be there).  Records the histories itself,
// with the memory driver: 20 sessions, 10,000 keys, zipfian.
//
//   bench/check_file [MILLIONS-OF-TRANSACTIONS...]
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "recorder/native/chunk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum { ROUNDS = 3, CLIENTS = 20, PIECE = 16 << 20 };

static const char *const levels[] = {"si", "ser", "sser"};
enum { NLEVELS = sizeof levels / sizeof *levels };

struct cost {
  double wall, cpu, megabytes;
};

static double seconds_of(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

// Runs a shell command and frees it; exits if it does not end with 0.
static struct cost run(char *command) {
  uint64_t start = clock_now();
  pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
  }
  int status = -1;
  struct rusage usage;
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
    fprintf(stderr, "failed: %s\n", command);
    exit(255);
  }
  free(command);
  return (struct cost){
      .wall = (double)(clock_now() - start) / (double)NS_PER_SECOND,
      .cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
      .megabytes = (double)usage.ru_maxrss / 1024};
}

// Every transaction is tried until it commits, so as many commit as are wanted;
// the attempts that abort are in the file as well.
static void record(const char *directory, const char *level, double millions) {
  run(xasprintf("exec ./isostress run memory: -c %d -k 10k "
                "--distribution=zipfian --threads=1 --seed=1 --check=none "
                "-i %s -t %.0f --max-tries=1000 -o %s >/dev/null 2>&1",
                CLIENTS, level, ceil(millions * 1e6 / CLIENTS), directory));
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Decompresses the frames of the chunks piece by piece, as `zstd -d` does with
// them behind each other in a file of their own.
static double decompress(const char *path, size_t *bytes, size_t *raw_bytes) {
  struct error error;
  struct chunk_header h;
  unsigned char *raw = xmalloc(PIECE);
  ZSTD_DCtx *zstd = ZSTD_createDCtx();
  double start = cpu_seconds();
  unsigned char *data = file_load(path, SIZE_MAX - 1, bytes, &error);
  *raw_bytes = 0;
  for (size_t at = FILE_HEADER_BYTES;
       data && chunk_header_load(data + at, *bytes - at, &h);
       at += h.header_bytes + (size_t)h.stored_bytes)
    if (h.compression == CHUNK_ZSTD)
      *raw_bytes += ZSTD_decompressDCtx(
          zstd, raw, PIECE, data + at + h.header_bytes, h.stored_bytes);
  free(data);
  double took = cpu_seconds() - start;
  ZSTD_freeDCtx(zstd);
  free(raw);
  return took;
}

// Writes the frames of the chunks behind each other.
static void extract_frames(const char *path, const char *to) {
  struct error error;
  struct chunk_header h;
  size_t bytes;
  unsigned char *data = file_load(path, SIZE_MAX - 1, &bytes, &error);
  FILE *out = fopen(to, "w");
  for (size_t at = FILE_HEADER_BYTES;
       data && out && chunk_header_load(data + at, bytes - at, &h);
       at += h.header_bytes + (size_t)h.stored_bytes)
    if (h.compression == CHUNK_ZSTD)
      fwrite(data + at + h.header_bytes, 1, h.stored_bytes, out);
  if (!out || fclose(out)) {
    fprintf(stderr, "%s: cannot be written\n", to);
    exit(255);
  }
  free(data);
}

// The best of several rounds.
static struct cost best_of(const char *command, const char *path) {
  struct cost best = {INFINITY, INFINITY, 0};
  for (int i = 0; i < ROUNDS; i++) {
    struct cost cost =
        run(xasprintf("exec %s %s >/dev/null 2>&1", command, path));
    best.wall = fmin(best.wall, cost.wall);
    best.cpu = fmin(best.cpu, cost.cpu);
    best.megabytes = fmax(best.megabytes, cost.megabytes);
  }
  return best;
}

// Records, checks and throws away; returns the seconds of processor time that
// a million transactions cost.
static double measure(const char *directory, const char *level,
                      double millions) {
  char *path = xasprintf("%s/latest/history", directory);
  record(directory, level, millions);
  size_t bytes = 0, raw = 0;
  double alone = INFINITY;
  for (int i = 0; i < ROUNDS; i++)
    alone = fmin(alone, decompress(path, &bytes, &raw));
  char *frames = xasprintf("%s/frames", directory);
  extract_frames(path, frames);
  const struct cost unzstd = best_of("zstd -dqc", frames);
  char *check = xasprintf("./isostress check -l %s", level);
  const struct cost cost = best_of(check, path);
  printf("%8.0f  %5s %8.3f %8.3f %7.0f %9.1f %9.1f %10.3f %10.3f %7.1f\n",
         millions * 1e6, level, cost.wall, cost.cpu, cost.megabytes,
         (double)bytes / 1e6, (double)raw / 1e6, alone, unzstd.cpu,
         cost.cpu / unzstd.cpu);
  fflush(stdout);
  free(check);
  free(frames);
  free(path);
  run(xasprintf("rm -rf %s", directory));
  return cost.cpu / millions;
}

int main(int argc, char **argv) {
  static const char *const sizes[] = {"1", "10"};
  const char *temporary = getenv("TMPDIR");
  char *directory = xasprintf("%s/isostress-check-%ld",
                              temporary ? temporary : "/tmp", (long)getpid());
  double first[NLEVELS] = {0};
  printf("committed  level   wall s    cpu s      MB   file MB    raw MB"
         "  unzstd s  zstd -d s   times\n");
  for (int i = 0; i < (argc > 1 ? argc - 1 : 2); i++)
    for (int l = 0; l < NLEVELS; l++) {
      double millions = strtod(argc > 1 ? argv[i + 1] : sizes[i], NULL);
      double cost = measure(directory, levels[l], millions);
      if (i == 0)
        first[l] = cost;
      else
        printf("%s: a transaction of %.0f million costs %.2f times as much\n",
               levels[l], millions, cost / first[l]);
    }
  free(directory);
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Decides which histories are checked as a stream, and has them checked
// (cli/jobs/streaming.h).
#include "config.h"

#include "cli/jobs/streaming.h"

#include "base/memory.h"
#include "recorder/files/reader.h"
#include "recorder/native/native.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  BYTES_OF_OPERATION = 50, // in memory, while its history is checked
  OPERATIONS_OF_BYTE = 8,  // of a file: no history is packed more densely that
                           // was recorded
  LEAST_MEMORY = 1 << 22,  // of a stream that nobody asked for
  BYTES_IN_BLOCK = 2000,   // of a transaction of a block that is put in order
  LEAST_BLOCK = 1 << 10,
  MOST_BLOCK = 1 << 22,
  BYTES_REMEMBERED = 40, // of a version that was overwritten
  LEAST_REMEMBERED = 1 << 12,
  MOST_REMEMBERED = 1 << 20,
};

// Is it a regular file that starts as those in our own format do?
static bool is_in_own_format(const char *path, const struct settings *settings,
                             size_t *bytes) {
  unsigned char head[FILE_MAGIC_BYTES];
  struct stat st;
  const char *format = settings->reading.format;
  if (format && strcmp(format, "isostress"))
    return false;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const bool regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
  const bool whole = regular && read(fd, head, sizeof head) == sizeof head;
  close(fd);
  *bytes = whole ? (size_t)st.st_size : 0;
  return whole && native_recognise(head, sizeof head);
}

static bool needs_memory(const struct settings *settings) {
  return settings->witness || settings->method != METHOD_ENGINE ||
         settings->levels >> LEVEL_AUTO & 1;
}

// Would a history of so many operations need more memory than there may be, and
// a stream of it perhaps not?
static bool is_too_large(uint64_t nops, size_t limit) {
  return limit >= LEAST_MEMORY && nops > limit / BYTES_OF_OPERATION;
}

int streaming_open(struct flow **flow, const char *path,
                   const struct settings *settings, size_t limit,
                   const volatile bool *stop, struct error *error) {
  struct error why;
  size_t bytes = 0;
  const bool asked = settings->stream == STREAM_ON;
  *flow = NULL;
  if (settings->stream == STREAM_OFF || needs_memory(settings))
    return 0;
  if (!is_in_own_format(path, settings, &bytes))
    return asked ? error_set(error,
                             "%s: --stream=on takes histories in isostress's "
                             "own format alone, which isostress convert makes "
                             "of others",
                             path)
                 : 0;
  if (!asked && !is_too_large((uint64_t)bytes * OPERATIONS_OF_BYTE, limit))
    return 0;
  *flow = flow_open(path, stop, asked ? error : &why);
  if (!*flow)
    return asked ? -1 : 0;
  const struct flow_facts *facts = flow_facts(*flow);
  if (!asked && (facts->nlists || !is_too_large(facts->nops, limit))) {
    flow_close(*flow);
    *flow = NULL;
  }
  return 0;
}

enum isolation streaming_level(struct flow *flow) {
  struct flow_txn first;
  struct error error;
  flow_rewind(flow);
  return flow_next(flow, &first, &error) > 0 ? (enum isolation)first.level
                                             : ISOLATION_NONE;
}

static uint32_t most_of_block(size_t limit) {
  const size_t most = limit / 2 / BYTES_IN_BLOCK;
  if (!limit || most > MOST_BLOCK)
    return MOST_BLOCK;
  return most > LEAST_BLOCK ? (uint32_t)most : LEAST_BLOCK;
}

// A sixteenth of the memory is for versions that were overwritten.
static uint32_t most_remembered(size_t limit) {
  uint32_t most = LEAST_REMEMBERED;
  while (most < MOST_REMEMBERED &&
         (!limit || most * 2 <= limit / 16 / BYTES_REMEMBERED))
    most *= 2;
  return most;
}

int streaming_check(struct flow *flow, const struct check_options *options,
                    size_t limit, struct history *history,
                    struct verdict *verdict, struct error *error) {
  struct stream_result result;
  const struct stream_options stream = {.check = *options,
                                        .most_block = most_of_block(limit),
                                        .guess.remembered =
                                            most_remembered(limit)};
  history_free(history);
  if (stream_check(flow, &stream, &result, error))
    return -1;
  const char *about = flow_facts(flow)->about;
  *verdict = result.verdict;
  *history = result.part;
  if (verdict->kind == VERDICT_VIOLATION)
    return 0;
  *history = (struct history){.nsessions = flow_facts(flow)->nsessions,
                              .nkeys = (uint32_t)result.nkeys,
                              .complete = true,
                              .about = about ? xstrdup(about) : NULL};
  return 0;
}

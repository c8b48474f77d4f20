// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads files of witnesses (cli/jobs/witness_file.h).
#include "config.h"

#include "cli/jobs/witness_file.h"

#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { READ_BYTES = 1 << 16 };

static void put_bytes(FILE *file, const void *context) {
  const struct witness_bytes *bytes = context;
  fwrite(bytes->bytes, 1, bytes->count, file);
}

int witness_keep(const char *path, const struct history *history,
                 const struct read_options *reading,
                 const struct verdict *verdict, struct error *error) {
  if (verdict->kind == VERDICT_UNDECIDED) {
    tell_user("%s was not written: what is undecided has no proof", path);
    return 0;
  }
  const struct witness_reading how = {(uint8_t)reading->initial,
                                      (uint8_t)reading->model};
  struct witness_bytes bytes = {0};
  witness_write(history, &how, verdict, &bytes);
  const int result = whole_file_write(path, put_bytes, &bytes, error);
  free(bytes.bytes);
  return result;
}

// Devices such as /dev/zero have no end.
static bool is_device(FILE *file) {
  struct stat st;
  return !fstat(fileno(file), &st) &&
         (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

int witness_load(const char *path, struct witness_bytes *bytes,
                 struct error *error) {
  *bytes = (struct witness_bytes){0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  size_t n;
  if (is_device(file)) {
    fclose(file);
    return error_set(error, "%s: is a device, not a file with a witness", path);
  }
  do {
    bytes->room = 2 * bytes->room + READ_BYTES;
    bytes->bytes = xrealloc(bytes->bytes, bytes->room, 1);
    n = fread(bytes->bytes + bytes->count, 1, bytes->room - bytes->count, file);
    bytes->count += n;
  } while (n > 0 && bytes->count == bytes->room);
  const int trouble = ferror(file) ? errno : 0;
  fclose(file);
  return trouble ? error_set(error, "%s: %s", path, strerror(trouble)) : 0;
}

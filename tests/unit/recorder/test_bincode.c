// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "recorder/files/reader.h"
#include "recorder/formats/content.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

// A file under construction.
struct bytes {
  unsigned char data[1024];
  size_t count;
};

static void put_number(struct bytes *b, uint64_t value) {
  for (int i = 0; i < 8; i++)
    b->data[b->count++] = (unsigned char)(value >> (8 * i));
}

static void put_text(struct bytes *b, const char *text) {
  put_number(b, strlen(text));
  memcpy(b->data + b->count, text, strlen(text));
  b->count += strlen(text);
}

static void put_event(struct bytes *b, bool write, uint64_t key, uint64_t value,
                      bool success) {
  b->data[b->count++] = write;
  put_number(b, key);
  put_number(b, value);
  b->data[b->count++] = success;
}

// Session 0: [w(7)=1 r(8)=0] committed, [w(7)=2] aborted; session 1: [r(7)=1,
// and a failed write].
static struct bytes two_sessions(void) {
  struct bytes b = {.count = 0};
  for (uint64_t i = 0; i < 5; i++)
    put_number(&b, i);
  put_text(&b, "a database");
  put_text(&b, "2022-08-17");
  put_text(&b, "");
  put_number(&b, 2);
  put_number(&b, 2);
  put_number(&b, 2);
  put_event(&b, true, 7, 1, true);
  put_event(&b, false, 8, 0, true);
  b.data[b.count++] = 1;
  put_number(&b, 1);
  put_event(&b, true, 7, 2, true);
  b.data[b.count++] = 0;
  put_number(&b, 1);
  put_number(&b, 2);
  put_event(&b, false, 7, 1, true);
  put_event(&b, true, 9, 5, false);
  b.data[b.count++] = 1;
  return b;
}

// The path, which ends in XXXXXX, is made a file's.
static void write_bytes(char *path, const unsigned char *data, size_t count) {
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, data, count) == (ssize_t)count);
  close(fd);
}

static int read_bytes(const unsigned char *data, size_t count,
                      struct history *history, struct error *error) {
  char path[] = "/tmp/isostress-bincode.XXXXXX";
  write_bytes(path, data, count);
  int status = history_read(path, "bincode", history, error);
  unlink(path);
  return status;
}

static void a_file_is_read(void) {
  const struct bytes b = two_sessions();
  struct history h;
  struct error error;
  CHECK_INT(read_bytes(b.data, b.count, &h, &error), 0);
  CHECK_INT(h.nsessions, 2);
  CHECK_INT(h.ntxns, 3);
  CHECK_INT(h.nops, 4);
  CHECK_INT(h.outcome[1], OUTCOME_ABORTED);
  CHECK_INT(h.kind[0], OP_WRITE);
  CHECK_INT(h.saw[1], SAW_INITIAL);
  CHECK_INT(h.saw[3], 0);
  CHECK_INT(h.key_number[h.key[0]], 7);
  history_free(&h);
}

static void it_is_recognised(void) {
  const struct bytes b = two_sessions();
  for (int i = 0; history_formats[i]; i++)
    CHECK((history_formats[i]->recognise
               ? history_formats[i]->recognise(b.data, b.count)
               : history_formats[i]->recognise_text((const char *)b.data)) ==
          (strcmp(history_formats[i]->name, "bincode") == 0));
}

// Every shorter file is refused with the place where it ends.
static void a_cut_file_is_refused(void) {
  const struct bytes b = two_sessions();
  for (size_t count = 0; count < b.count; count++) {
    struct history h = {0};
    struct error error = {0};
    CHECK_INT(read_bytes(b.data, count, &h, &error), -1);
    CHECK(strstr(error.text, ": byte ") && strstr(error.text, "expected"));
    history_free(&h);
  }
}

// No count makes it read beyond the end or take much memory, and whatever is
// accepted is a history.
static void damaged_bytes_do_no_harm(void) {
  const struct bytes b = two_sessions();
  for (size_t i = 0; i < b.count; i++)
    for (int value = 0; value < 256; value += 85) {
      struct bytes damaged = b;
      struct history h = {0};
      struct error error;
      damaged.data[i] ^= (unsigned char)value;
      if (read_bytes(damaged.data, damaged.count, &h, &error) == 0)
        CHECK(h.nops <= 5);
      history_free(&h);
    }
}

// Found by fuzzing: there is no room for operations where none were told.
static void nothing_may_have_been_done(void) {
  struct bytes b = {.count = 0};
  struct history h = {0};
  struct error error;
  for (uint64_t i = 0; i < 5; i++)
    put_number(&b, i);
  for (int i = 0; i < 3; i++)
    put_text(&b, "");
  put_number(&b, 1);
  put_number(&b, 1);
  put_number(&b, 1);
  put_event(&b, true, 9, 5, false);
  b.data[b.count++] = 1;
  if (CHECK(!read_bytes(b.data, b.count, &h, &error))) {
    const struct content content = content_of(&h);
    CHECK_INT(content.txns, 1);
    CHECK_INT(content.max, 0);
  }
  history_free(&h);
}

int main(void) {
  return TAP_RUN({"a file is read", a_file_is_read},
                 {"it is recognised", it_is_recognised},
                 {"a cut file is refused", a_cut_file_is_refused},
                 {"damaged bytes do no harm", damaged_bytes_do_no_harm},
                 {"nothing may have been done", nothing_may_have_been_done});
}

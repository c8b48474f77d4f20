// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of a key-value store of strings (recorder/formats/porcupine_kv.c): what
// gets saw of what was put and appended.
#include "config.h"

#include "base/memory.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A log of a key-value store.
static struct history read_store(const char *text) {
  char path[] = "/tmp/isostress-store.XXXXXX";
  struct history h = {0};
  struct error error = {0};
  const int fd = mkstemp(path);
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  CHECK_INT(history_read(path, "porcupine-kv", &h, &error), 0);
  unlink(path);
  return h;
}

// An empty string of a key-value store is what a key holds at first; a failed
// put need not say its own.
static void empty_strings_are_nothing(void) {
  static const char text[] =
      "{:process 0 :type :fail :f :put :key 1 :value \"\"}"
      "{:process 1 :type :ok :f :get :key 1 :value \"\"}";
  struct history h = read_store(text);
  CHECK(h.nops == 1 && h.kind[0] == OP_READ && h.saw[0] == SAW_INITIAL);
  history_free(&h);
}

// Checks the writes that the operations of a key-value store's log saw.
static void check_saw(const char *text, const uint32_t *saw, uint32_t nops) {
  struct history h = read_store(text);
  CHECK_INT(h.nops, nops);
  for (uint32_t op = 0; op < h.nops; op++)
    CHECK_INT(h.saw[op], saw[op]);
  history_free(&h);
}

#define CALL(process, f, value)                                                \
  "{:process " #process " :type :ok :f :" #f " :key 1 :value \"" value "\"}"

// A text that was appended once is not there twice, however often it is read.
static void no_append_is_read_twice(void) {
  static const uint32_t saw[] = {SAW_INITIAL, SAW_THIN_AIR, SAW_THIN_AIR,
                                 0,           SAW_THIN_AIR, SAW_INITIAL};
  check_saw(CALL(0, append, "a") CALL(1, get, "aa") CALL(1, get, "aa")
                CALL(1, get, "a") CALL(1, get, "aa") CALL(1, get, ""),
            saw, 6);
}

// Gets come before what they show is told of; some go on from others, some are
// the beginning of others, by turns, and some show what nobody wrote.
static void gets_show_pieces_in_any_order(void) {
  static const uint32_t saw[] = {9,
                                 8,
                                 SAW_THIN_AIR,
                                 11,
                                 10,
                                 SAW_THIN_AIR,
                                 SAW_THIN_AIR,
                                 10,
                                 SAW_INITIAL,
                                 8,
                                 9,
                                 0};
  check_saw(CALL(1, get, "<1><2>") CALL(1, get, "<1>") CALL(1, get, "<1><2")
                CALL(1, get, "<4>") CALL(1, get, "<1><2><3>")
                    CALL(1, get, "<4><3>") CALL(1, get, "<1><3>")
                        CALL(1, get, "<1><2><3>") CALL(2, append, "<1>")
                            CALL(3, append, "<2>") CALL(3, append, "<3>")
                                CALL(3, put, "<4>"),
            saw, 12);
}

// A text that was appended behind another one is not there alone.
static void no_append_is_read_alone(void) {
  static const uint32_t saw[] = {SAW_INITIAL, 0, 1, SAW_THIN_AIR, 0, 1};
  check_saw(CALL(0, append, "a") CALL(0, append, "b") CALL(1, get, "ab")
                CALL(1, get, "b") CALL(1, get, "a") CALL(1, get, "ab"),
            saw, 6);
}

// More than a new one is compared with.
static void a_key_shows_many_texts(void) {
  static const uint32_t saw[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0};
  check_saw(CALL(0, put, "a") CALL(0, put, "b") CALL(0, put, "c")
                CALL(0, put, "d") CALL(0, put, "e") CALL(0, put, "f")
                    CALL(1, get, "a") CALL(1, get, "b") CALL(1, get, "c")
                        CALL(1, get, "d") CALL(1, get, "e") CALL(1, get, "f")
                            CALL(1, get, "a"),
            saw, 13);
}

// A string with 'a' so many times in front of it.
static void tell(FILE *log, const char *f, int count, const char *end) {
  fprintf(log, "{:process 0 :type :ok :f :%s :key \"1\" :value \"", f);
  for (int i = 0; i < count; i++)
    fputc('a', log);
  fprintf(log, "%s\"}\n", end);
}

// Reads what was told, and frees it.
static int read_told(FILE *log, char **text, struct history *h,
                     struct error *error) {
  char path[] = "/tmp/isostress-store.XXXXXX";
  const int fd = mkstemp(path);
  fclose(log);
  CHECK(write(fd, *text, strlen(*text)) == (ssize_t)strlen(*text));
  close(fd);
  const int status = history_read(path, "porcupine-kv", h, error);
  unlink(path);
  free(*text);
  return status;
}

// Each string begins with the next one: every place of a get's result is
// reached in as many ways as there are strings.  The length of the log bounds
// the work.
static void strings_in_strings_are_refused(void) {
  enum { STRINGS = 400, GETS = 3, LONG = 32000 };
  struct history h;
  struct error error = {0};
  char *text;
  size_t size;
  FILE *log = open_memstream(&text, &size);
  for (int i = 1; i <= STRINGS; i++)
    tell(log, "append", i, "");
  for (int i = 0; i < GETS; i++)
    tell(log, "get", LONG - i, "b");
  CHECK_INT(read_told(log, &text, &h, &error), -1);
  CHECK(strstr(error.text, "a\"... cannot be taken apart: too many strings of "
                           "its key begin with others"));
}

// Strings of many lengths that only begin alike are taken apart, however few of
// them are a part of what a get returned.
static void strings_of_many_lengths_are_told_apart(void) {
  enum { STRINGS = 2000, GETS = 200, LONG = 100 };
  struct history h;
  struct error error = {0};
  char *text, end[16];
  size_t size;
  FILE *log = open_memstream(&text, &size);
  for (int i = 0; i < STRINGS; i++)
    tell(log, "put", i, "b");
  for (int i = 0; i < GETS; i++)
    tell(log, "get", i % LONG, "b");
  for (int i = 0; i < GETS; i++) {
    snprintf(end, sizeof end, "bbb%dc", i);
    tell(log, "get", LONG, end);
  }
  CHECK_INT(read_told(log, &text, &h, &error), 0);
  for (uint32_t op = STRINGS; op < h.nops; op++)
    CHECK_INT(h.saw[op], op < STRINGS + GETS ? (op - STRINGS) % LONG
                                             : (uint32_t)SAW_THIN_AIR);
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"empty strings are nothing", empty_strings_are_nothing},
      {"no append is read twice", no_append_is_read_twice},
      {"gets show pieces in any order", gets_show_pieces_in_any_order},
      {"no append is read alone", no_append_is_read_alone},
      {"a key shows many texts", a_key_shows_many_texts},
      {"strings in strings are refused", strings_in_strings_are_refused},
      {"strings of many lengths are told apart",
       strings_of_many_lengths_are_told_apart});
}

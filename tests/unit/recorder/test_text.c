// SPDX-License-Identifier: GPL-3.0-or-later
// The text notation of histories, and what is said of files that are none.
#include "config.h"

#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/isostress-test-text.XXXXXX";

static void write_file(const char *content, size_t bytes) {
  FILE *file = fopen(path, "w");
  CHECK(file && fwrite(content, 1, bytes, file) == bytes);
  CHECK(fclose(file) == 0);
}

static struct history read_text(const char *content) {
  struct history h;
  struct error error;
  write_file(content, strlen(content));
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

// The sentence, without the path and the colon, for a file that is refused.
static const char *refusal(const char *content, size_t bytes) {
  static struct error error;
  struct history h;
  write_file(content, bytes);
  CHECK_INT(history_read(path, NULL, &h, &error), -1);
  CHECK(strncmp(error.text, path, strlen(path)) == 0);
  CHECK(h.kind == NULL);
  return error.text + strlen(path);
}

static const char *complaint(const char *text) {
  static struct error error;
  struct history h;
  write_file(text, strlen(text));
  CHECK_INT(history_read(path, "text", &h, &error), -1);
  return error.text + strlen(path) + 1;
}

static void operations_and_marks_are_read(void) {
  struct history h = read_text("// a comment\n"
                               "# another\n"
                               "\n"
                               "[x:=1 y==2\tz==?] [x:1->3]!@5..8%ser\n"
                               "[ ]?\n"
                               "---\n"
                               "  [y:=2 z==0 l+=1 l==[1, 2] l==[]]%SI  // end\n"
                               "[y:?->4][0==0]");
  CHECK_INT(h.nsessions, 2);
  CHECK_INT(h.ntxns, 6);
  CHECK_INT(h.nops, 11);
  CHECK_INT(h.nkeys, 5);
  CHECK_INT(h.session_first[1], 3);
  CHECK_INT(h.outcome[0], OUTCOME_OK);
  CHECK_INT(h.outcome[1], OUTCOME_ABORTED);
  CHECK_INT(h.outcome[2], OUTCOME_UNKNOWN);
  CHECK_INT(h.level[0], ISOLATION_NONE);
  CHECK_INT(h.level[1], ISOLATION_SER);
  CHECK_INT(h.level[3], ISOLATION_SI);
  CHECK_INT(h.begin[1], 5);
  CHECK_INT(h.end[1], 8);
  CHECK(h.begin[0] == TIME_UNKNOWN && h.end[0] == TIME_UNKNOWN);
  CHECK_INT(h.saw[1], 4);
  CHECK_INT(h.saw[2], SAW_INITIAL);
  CHECK_INT(h.kind[3], OP_CAS);
  CHECK_INT(h.saw[3], 0);
  CHECK_INT(h.value[3], 3);
  CHECK_INT(h.kind[6], OP_APPEND);
  CHECK_INT(h.nlists, 2);
  CHECK_INT(h.element[0], 6);
  CHECK_INT(h.element[1], SAW_THIN_AIR);
  CHECK_INT(h.saw[9], SAW_INITIAL);
  char buffer[24];
  CHECK_STR(history_key(&h, h.key[6], buffer), "l");
  CHECK_STR(history_key(&h, h.key[10], buffer), "0");
  history_free(&h);
}

static void mistakes_are_placed(void) {
  static const struct {
    const char *text, *complaint;
  } cases[] = {
      {"[x:=1]\n  x:=2", "2:3: expected '[' at the start of a transaction"},
      {"[x:=1", "1:1: expected ']' at the end of the transaction"},
      {"[x:=1 // ]", "1:1: expected ']' at the end of the transaction"},
      {"[x:=?]", "1:5: expected a number"},
      {"[x==y]", "1:5: expected a number or '?'"},
      {"[x==[1 2]]", "1:8: expected ',' or ']' in the list"},
      {"[x:1=2]", "1:5: expected '->' and the new value"},
      {"[x=1]", "1:3: expected ':=', '==', '+=', '|=' or ':OLD->NEW' behind "
                "the key"},
      {"[x:=1,y:=2]", "1:6: expected a blank or ']' behind the operation"},
      {"[-:=1]", "1:2: expected the name of a key, or ']'"},
      {"[x:=18446744073709551616]", "1:5: the number is not below 2^64"},
      {"[x:=1]@7", "1:9: expected '..' and the end time"},
      {"[x:=1]@7..6", "1:8: the transaction ends before it begins"},
      {"[x:=1]%rr",
       "1:8: expected a level: none, rc, ra, cc, pc, si, ser or sser"},
      {"[x:=1]x", "1:7: expected '!', '?', '@BEGIN..END', '%LEVEL' or a blank "
                  "behind the transaction"},
      {"[x:=1]\n-- x", "2:4: expected nothing behind a line of dashes"},
      {"[aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg:=1]",
       "1:2: the name is longer than 64 bytes"},
      {"[x:=1]\n---\n[x:=1]!",
       " value 1 is written to key x twice, in session 0, transaction 0 and in "
       "session 1, transaction 0: values must be unique per key (or "
       "--duplicate-values=allow)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_STR(complaint(cases[i].text), cases[i].complaint);
  write_file("[x:=1]\0[x:=2]", 13);
  struct history h;
  struct error error;
  CHECK_INT(history_read(path, NULL, &h, &error), -1);
  CHECK_STR(error.text + strlen(path), ":1:7: a zero byte in a text file");
}

static void large_numbers_fit(void) {
  struct history h =
      read_text("[x:=4611686018427387903 x:=18446744073709551615]");
  CHECK_INT(h.value[0], INT64_C(4611686018427387903));
  char buffer[24];
  CHECK_STR(history_value(&h, h.value[1], buffer), "18446744073709551615");
  history_free(&h);
}

static void numbers_of_any_length_fit(void) {
  static const char digits[] = "8192736450918273645";
  uint64_t number = 0;
  char buffer[24];
  for (size_t n = 1; n < sizeof digits; n++) {
    char text[128];
    number = number * 10 + (uint64_t)(digits[n - 1] - '0');
    snprintf(text, sizeof text, "[x:=%.*s y:=0000%.*s]@1..%.*s", (int)n, digits,
             (int)n, digits, (int)n, digits);
    struct history h = read_text(text);
    snprintf(text, sizeof text, "%" PRIu64, number);
    CHECK_STR(history_value(&h, h.value[0], buffer), text);
    CHECK(h.value[1] == h.value[0] && h.end[0] == number);
    history_free(&h);
  }
  CHECK_STR(complaint("[x:=22345678901234567890]"),
            "1:5: the number is not below 2^64");
  CHECK_STR(complaint("[x:=1]@9223372036854775808.."),
            "1:8: the number is not below 2^63");
  CHECK_STR(complaint("[x:=1]@123456789012345678901234..7"),
            "1:8: the number is not below 2^64");
}

// Names of any length that differ in one character, at any place, differ.
static void names_of_any_length_differ(void) {
  enum { LONGEST = 12 };
  char text[4096] = "[", buffer[24];
  uint32_t nkeys = 0, wrong = 0;
  for (int twice = 0; twice < 2; twice++)
    for (int n = 1; n <= LONGEST; n++)
      for (int i = 0; i <= n; i++) {
        char name[LONGEST + 1] = "aaaaaaaaaaaa";
        name[n] = 0;
        if (i < n)
          name[i] = 'b';
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s==? ",
                 name);
        nkeys += !twice;
      }
  struct history h = read_text(strcat(text, "]"));
  CHECK_INT(h.nkeys, nkeys);
  CHECK_INT(h.nops, 2 * nkeys);
  for (uint32_t op = 0; op < nkeys; op++)
    wrong += h.key[op] != op || h.key[op + nkeys] != op;
  CHECK_INT(wrong, 0);
  CHECK_STR(history_key(&h, 0, buffer), "b");
  CHECK_STR(history_key(&h, nkeys - 2, buffer), "aaaaaaaaaaab");
  CHECK_STR(history_key(&h, nkeys - 1, buffer), "aaaaaaaaaaaa");
  history_free(&h);
}

static void foreign_files_are_named(void) {
#define STARTS " is no history that isostress can read; it looks like "
#define HINT                                                                   \
  ", but of no format that is known by its start: name the format with "       \
  "--format"
  CHECK_STR(refusal("", 0), " is empty, not a history");
  CHECK_STR(refusal("[{\"a\":1}]", 9), STARTS "JSON or EDN" HINT);
  CHECK_STR(refusal("[1, 2]", 6), STARTS "JSON or EDN" HINT);
  CHECK_STR(refusal("{:index 0}", 10), STARTS "JSON or EDN" HINT);
  CHECK_STR(refusal("\x1f\x8b\x08", 3),
            ": cannot be read: the gzip archive is cut off or damaged");
  CHECK_STR(refusal("SQLite format 3\0", 16),
            STARTS "an SQLite database, not a history of one");
  CHECK_STR(refusal("\0\1\2", 3), STARTS "binary data of a kind unknown here");
  CHECK_STR(refusal("hello\n", 6), STARTS "text of a kind unknown here");
#undef STARTS
}

static void what_is_no_file_is_said(void) {
  struct history h;
  struct error error;
  CHECK_INT(history_read("/nonexistent/x", NULL, &h, &error), -1);
  CHECK_STR(error.text, "/nonexistent/x: No such file or directory");
  CHECK_INT(history_read("/", NULL, &h, &error), -1);
  CHECK_STR(error.text, "/ is a directory, but not a history");
  CHECK_INT(history_read("/dev/zero", "text", &h, &error), -1);
  CHECK_STR(error.text,
            "/dev/zero is a device or pipe, not a file with a history");
  CHECK_INT(history_read(path, "no such", &h, &error), -1);
  CHECK(strstr(error.text, "no history format is named 'no such'"));
}

// Root may read every file, so it becomes somebody else for the time being.
static void an_unreadable_file_is_said(void) {
  struct history h;
  struct error error;
  uid_t me = geteuid();
  write_file("[x:=1]", 6);
  CHECK(chmod(path, 0) == 0);
  CHECK(me != 0 || seteuid(65534) == 0);
  CHECK_INT(history_read(path, NULL, &h, &error), -1);
  CHECK(seteuid(me) == 0);
  CHECK_STR(error.text + strlen(path), ": Permission denied");
  CHECK(chmod(path, 0600) == 0);
}

int main(void) {
  int fd = mkstemp(path);
  if (fd < 0)
    return 1;
  close(fd);
  int status =
      TAP_RUN({"operations and marks are read", operations_and_marks_are_read},
              {"mistakes are placed", mistakes_are_placed},
              {"large numbers fit", large_numbers_fit},
              {"numbers of any length fit", numbers_of_any_length_fit},
              {"names of any length differ", names_of_any_length_differ},
              {"foreign files are named", foreign_files_are_named},
              {"what is no file is said", what_is_no_file_is_said},
              {"an unreadable file is said", an_unreadable_file_is_said});
  unlink(path);
  return status;
}

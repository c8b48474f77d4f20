// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that start in the middle: what is read first is taken for what was
// there, and nothing else.
#include "config.h"

#include "checker/verdict/verdict.h"
#include "recorder/builder/first_reads.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

// The value of INITIAL_VALUE.
static const char *initial_value;

static int read_text(const char *format, const char *text, enum initial initial,
                     struct history *history, struct error *error) {
  char path[] = "/tmp/isostress-test.XXXXXX";
  const int fd = mkstemp(path);
  if (!CHECK(fd >= 0))
    return -1;
  FILE *file = fdopen(fd, "w");
  fputs(text, file);
  fclose(file);
  const struct read_options options = {.format = format,
                                       .initial = initial,
                                       .initial_value = initial_value,
                                       .duplicates = initial == INITIAL_VALUE
                                                         ? DUPLICATES_ALLOW
                                                         : DUPLICATES_REFUSE};
  const int result = history_read_with(path, &options, history, error);
  unlink(path);
  return result;
}

// Checks serializability of a history without sessions, where keys hold a value
// in real time.
static void check_format(const char *format, const char *text,
                         enum initial initial, enum verdict_kind kind,
                         enum anomaly anomaly) {
  struct history history;
  struct verdict verdict;
  struct error error;
  struct check_options options = {.question = {.level = ISOLATION_SER}};
  bool right = CHECK(read_text(format, text, initial, &history, &error) == 0);
  options.question.real_time =
      right && history.begin && initial == INITIAL_VALUE;
  if (right && CHECK(check(&history, &options, &verdict, &error) == 0)) {
    right &= CHECK(verdict.kind == kind);
    right &= CHECK(verdict.anomaly == anomaly);
    verdict_free(&verdict);
  }
  history_free(&history);
  if (!right)
    printf("# %s\n", text);
}

static void check_that(const char *text, enum initial initial,
                       enum verdict_kind kind, enum anomaly anomaly) {
  check_format("text", text, initial, kind, anomaly);
}

static const struct {
  const char *text;
  enum anomaly anomaly; // where first reads are taken
} examples[] = {
    {"[x==7]", ANOMALY_NONE},
    {"[x==7] [x==7 x:=1] [x==1]", ANOMALY_NONE},
    {"[x==7]@1..2 [x==8]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x==7]@1..2 [x==?]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x:7->1] [x:1->2]", ANOMALY_NONE},
    {"[x:7->1] [x==7]", ANOMALY_NONE},
    {"[x:7->1] [x:8->2]", ANOMALY_THIN_AIR_READ},
    {"[x:7->1] [x:7->2]", ANOMALY_LOST_UPDATE},
    {"[x==? x:?->1] [x==1]", ANOMALY_NONE},
    {"[x:?->1] [x:?->2]", ANOMALY_LOST_UPDATE},
    {"[x==0]@1..2 [x:?->1]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x:=0 x:?->1]", ANOMALY_NOT_MY_OWN_WRITE},
    {"[x==[7,8]] [x+=1] [x==[7,8,1]]", ANOMALY_NONE},
    {"[x==[7,8]]@1..2 [x==[7]]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x==[7]]@1..2 [x==[7,8]]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x==[7]]@1..2 [x==[]]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x==[]]@1..2 [x==[7]]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x+=1]@1..2 [x==[7,1]]@3..4", ANOMALY_NONE},
    {"[x==9]! [x==7]", ANOMALY_NONE},
    {"[x==[9]]! [x==[7]]", ANOMALY_NONE},
    {"[x==9]?@1..2 [x==7]@3..4", ANOMALY_NONE},
    {"[x==9 y:=1]?@1..2 [x==7]@3..4", ANOMALY_NONE},
    {"[x==9 y:=1]?@1..2 [x==7 y==1]@3..4", ANOMALY_THIN_AIR_READ},
    {"[x==[9]]?@1..2 [x==[7]]@3..4", ANOMALY_NONE},
};

static void first_reads(void) {
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    check_that(examples[i].text, INITIAL_FIRST_READ,
               examples[i].anomaly ? VERDICT_VIOLATION : VERDICT_PASS,
               examples[i].anomaly);
}

static void not_unless_asked_for(void) {
  check_that("[x==7]", INITIAL_IMPLICIT, VERDICT_VIOLATION,
             ANOMALY_THIN_AIR_READ);
  check_that("[x==[7]]", INITIAL_IMPLICIT, VERDICT_VIOLATION,
             ANOMALY_THIN_AIR_READ);
}

#define KNOSSOS(process, f, value)                                             \
  "{:process " process ", :type :invoke, :f " f ", :value " value "}\n"        \
  "{:process " process ", :type :ok, :f " f ", :value " value "}\n"
#define PORCUPINE(process, f, value)                                           \
  "INFO  jepsen.util - " process "\t:invoke\t" f "\t" value "\n"               \
  "INFO  jepsen.util - " process "\t:ok\t" f "\t" value "\n"

static void nothing_is_expected(void) {
  static const struct {
    const char *format, *text;
  } all[] = {
      {"text", "[x==? x:?->1]"},
      {"jsonl", "{\"ops\":[[\"r\",1,null],[\"cas\",1,null,1]]}"},
      {"knossos", KNOSSOS("0", ":read", "nil") KNOSSOS("0", ":cas", "[nil 1]")},
      {"porcupine",
       PORCUPINE("0", ":read", "nil") PORCUPINE("0", ":cas", "[nil 1]")},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    check_format(all[i].format, all[i].text, INITIAL_FIRST_READ, VERDICT_PASS,
                 ANOMALY_NONE);
    check_format(all[i].format, all[i].text, INITIAL_EXPLICIT,
                 VERDICT_VIOLATION, ANOMALY_THIN_AIR_READ);
  }
  check_that("[x:=0] [x:?->1]", INITIAL_EXPLICIT, VERDICT_VIOLATION,
             ANOMALY_THIN_AIR_READ);
  check_that("[x:=0] [x:0->1]", INITIAL_EXPLICIT, VERDICT_PASS, ANOMALY_NONE);
}

// Numbers and texts at the ends of what they may be, and what stands for what.
static void no_value_is_nothing(void) {
  static const char *const values[] = {
      "4611686018427387902", "4611686018427387903",  "4611686018427387904",
      "4611686022722355199", "4611686022722355200",  "9223372036854775807",
      "9223372036854775808", "18446744073709551615",
  };
  static const struct {
    const char *format, *before, *behind;
  } forms[] = {
      {"text", "[x:=", "] [x==?]"},
      {"text", "[x:=", "] [x:?->1]"},
      {"jsonl", "{\"ops\":[[\"w\",1,", "]]} {\"ops\":[[\"r\",1,null]]}"},
      {"jsonl", "{\"ops\":[[\"w\",1,", "]]} {\"ops\":[[\"cas\",1,null,1]]}"},
      {"dbcop-json", "[[{\"events\":[[\"w\",1,",
       "],[\"r\",1,null]],\"committed\":true}]]"},
  };
  char text[512];
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    for (size_t j = 0; j < sizeof forms / sizeof *forms; j++) {
      snprintf(text, sizeof text, "%s%s%s", forms[j].before, values[i],
               forms[j].behind);
      check_format(forms[j].format, text, INITIAL_EXPLICIT, VERDICT_VIOLATION,
                   ANOMALY_THIN_AIR_READ);
    }
}

#define WRITES_ZERO                                                            \
  KNOSSOS("0", ":txn", "[[:r 1 0]]")                                           \
  KNOSSOS("0", ":txn", "[[:w 1 3]]")                                           \
  KNOSSOS("0", ":txn", "[[:w 1 0]]") KNOSSOS("0", ":txn", "[[:r 1 0]]")

static void every_key_holds_a_value(void) {
  static const struct {
    const char *value, *format, *text;
    enum anomaly anomaly;
  } all[] = {
      {"0", "edn", WRITES_ZERO, ANOMALY_NONE},
      {"3", "edn", WRITES_ZERO, ANOMALY_STALE_READ},
      {"0", "edn", KNOSSOS("0", ":txn", "[[:r 1 nil]]"), ANOMALY_THIN_AIR_READ},
      {":a", "edn", KNOSSOS("0", ":txn", "[[:r 1 :a]]"), ANOMALY_NONE},
      {"\"a\"", "jsonl", "{\"ops\":[[\"r\",1,\"a\"]]}", ANOMALY_NONE},
      {"a", "jsonl", "{\"ops\":[[\"r\",1,\"a\"]]}", ANOMALY_THIN_AIR_READ},
      {"7", "text", "[x==7 y==7] [x:=1] [x==1]", ANOMALY_NONE},
      {"7", "text", "[x==0]", ANOMALY_THIN_AIR_READ},
      {"7", "text", "[x==?]", ANOMALY_THIN_AIR_READ},
      {"7", "text", "[x:=0] [x==0]", ANOMALY_NONE},
      {"7", "text", "[x:7->1] [x:7->2]", ANOMALY_LOST_UPDATE},
      {"7", "text", "[x==[]] [x==[7]]", ANOMALY_THIN_AIR_READ},
      {"0", "text", "[x==0]", ANOMALY_NONE},
      {"0", "text", "[x==?]", ANOMALY_THIN_AIR_READ},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    initial_value = all[i].value;
    check_format(all[i].format, all[i].text, INITIAL_VALUE,
                 all[i].anomaly ? VERDICT_VIOLATION : VERDICT_PASS,
                 all[i].anomaly);
  }
}

static void expected_values_stay(void) {
  struct history h;
  struct error error;
  char text[24];
  initial_value = "7";
  CHECK_INT(read_text("text", "[x:7->1]", INITIAL_VALUE, &h, &error), 0);
  CHECK_INT(h.saw[0], SAW_INITIAL);
  CHECK_STR(history_value(&h, history_expected(&h, 0), text), "7");
  history_free(&h);
}

static void unwritten_reads_are_counted(void) {
  static const struct {
    const char *text;
    enum initial initial;
    uint32_t reads, at_first;
    bool alike, written;
  } all[] = {
      {"[x==7 y==8] [x==7] [x==9]", INITIAL_IMPLICIT, 4, 3, false, false},
      {"[x==7 y==8] [x==7] [x==9]", INITIAL_FIRST_READ, 1, 0, true, false},
      {"[x==?]@1..2 [x==7]@3..4 [x==7]@5..6", INITIAL_IMPLICIT, 2, 0, true,
       false},
      {"[x==[7]] [x==[7,8]] [y==[]]", INITIAL_IMPLICIT, 2, 2, false, false},
      {"[x==7]! [x:=1] [x==1]", INITIAL_IMPLICIT, 0, 0, false, false},
      {"[x==7 y:=7] [z==7]", INITIAL_IMPLICIT, 2, 2, true, true},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct history h;
    struct error error;
    CHECK_INT(read_text("text", all[i].text, all[i].initial, &h, &error), 0);
    const struct unwritten found = history_unwritten(&h);
    CHECK_INT(found.reads, all[i].reads);
    CHECK_INT(found.at_first, all[i].at_first);
    CHECK_INT(found.alike, all[i].alike);
    CHECK_INT(found.written, all[i].written);
    history_free(&h);
  }
}

int main(void) {
  return TAP_RUN(
      {"first reads are taken for initial values", first_reads},
      {"first reads are initial values only if asked for",
       not_unless_asked_for},
      {"what expected nothing read nothing", nothing_is_expected},
      {"no value that is written is nothing", no_value_is_nothing},
      {"every key holds a value at first", every_key_holds_a_value},
      {"what was expected of an initial value stays", expected_values_stay},
      {"reads of what nobody wrote are counted", unwritten_reads_are_counted});
}

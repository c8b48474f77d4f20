// SPDX-License-Identifier: GPL-3.0-or-later
// Things that the tools of others write besides the plainest of their
// histories, and what is made of it.
#include "config.h"

#include "tests/kit/foreign.h"

// As tools have them that keep 64 bits of a number.
static void numbers_have_64_bits(void) {
#define LARGE "18446744073709551615"
#define TOO_LARGE "18446744073709551616"
#define AS_JSON_LINES                                                          \
  "{\"session\":0,\"ops\":[[\"w\",4611686018427387904," LARGE "]]}\n"
  static const struct foreign texts[] = {
      {"plume", "w(4611686018427387904," LARGE ",0,0)", AS_JSON_LINES},
      {"plume", "w(1," TOO_LARGE ",0,0)",
       ":1:5: expected the number of a value"},
      {"plume", "w(1,0" LARGE ",0,0)", ":1:5: expected the number of a value"},
      {"plume", "w(1,1,0,4611686018427387904)",
       ":1:9: expected the number of a transaction"},
      {"awdit", "w 4611686018427387904 " LARGE, AS_JSON_LINES},
      {"awdit", "w 1 " TOO_LARGE, ":1:5: expected a value"},
      {"dbcop-json", "[[{\"events\":[[\"w\",4611686018427387904," LARGE "]]}]]",
       AS_JSON_LINES},
      {"dbcop-json",
       "[[{\"events\":[{\"Write\":{\"variable\":4611686018427387904,"
       "\"version\":" LARGE "}}]}]]",
       AS_JSON_LINES},
      {"text", "[x:=" LARGE " x==4611686018427387902]",
       "{\"session\":0,\"ops\":[[\"w\",\"x\"," LARGE "],"
       "[\"r\",\"x\",4611686018427387902]]}\n"},
      {"text", "[x:=" TOO_LARGE "]", ":1:5: the number is not below 2^64"},
      {"dbcop-json", "[[{\"events\":[[\"w\",1," TOO_LARGE "]]}]]",
       ":1:21: expected the number of a version"},
      {"dbcop-json", "[[{\"events\":[[\"w\",5000000000000000000.5,1]]}]]",
       ":1:19: expected the number of a variable"},
  };
  CHECK_TEXTS(texts);
}

// As dbcop has it: a version like any other where somebody wrote it, and else
// nothing.
static void zero_is_initial_where_nobody_wrote_it(void) {
  static const struct foreign texts[] = {
      {"text",
       "[x:=0 y==0]\n--\n[x==0 x==? z==?] [x:0->5 y:0->6 y:?->7]\n--\n"
       "[l+=0 l==[0]] [z:0->0] [z==0]!",
       "{\"session\":0,\"ops\":[[\"w\",\"x\",0],[\"r\",\"y\",null]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",\"x\",0],[\"r\",\"x\",null],"
       "[\"r\",\"z\",null]]}\n"
       "{\"session\":1,\"ops\":[[\"cas\",\"x\",0,5],[\"cas\",\"y\",null,6],"
       "[\"cas\",\"y\",null,7]]}\n"
       "{\"session\":2,\"ops\":[[\"append\",\"l\",0],[\"r\",\"l\",[0]]]}\n"
       "{\"session\":2,\"ops\":[[\"cas\",\"z\",0,0]]}\n"
       "{\"session\":2,\"ops\":[[\"r\",\"z\",0]],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"},
      {"text", "[x==0]\n-\n[x:=0]!",
       "{\"session\":0,\"ops\":[[\"r\",\"x\",0]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",\"x\",0]],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"},
      {"dbcop-json",
       "[[{\"events\":[[\"r\",1,0],[\"r\",2,0],[\"r\",1,null]]},"
       "{\"events\":[[\"w\",1,0]]}]]",
       "{\"session\":0,\"ops\":[[\"r\",1,0],[\"r\",2,null],[\"r\",1,null]]}\n"
       "{\"session\":0,\"ops\":[[\"w\",1,0]]}\n"},
      {"text", "[x:=0]\n-\n[x:=0]",
       ": value 0 is written to key x twice, in session 0, transaction 0 and "
       "in session 1, transaction 0: values must be unique per key (or "
       "--duplicate-values=allow)"},
  };
  static const struct foreign implicit[] = {
      {"text", "[x:=0]",
       ": session 0, transaction 0 writes 0 to key x, which is its initial "
       "value: values must be unique (or --init=explicit, or "
       "--duplicate-values=allow)"},
  };
  CHECK_TEXTS(texts);
  initial = INITIAL_IMPLICIT;
  CHECK_TEXTS(implicit);
  initial = INITIAL_BY_FORMAT;
}

// Letters of any script, but no blanks, which are hard to see.
static void names_are_of_any_script(void) {
  static const struct foreign texts[] = {
      {"text", "[\xc3\xa9:=1 \xe6\x97\xa5_1==?] [x\xf0\x9d\x92\x9c:=2]",
       "{\"session\":0,\"ops\":[[\"w\",\"\xc3\xa9\",1],"
       "[\"r\",\"\xe6\x97\xa5_1\",null]]}\n"
       "{\"session\":0,\"ops\":[[\"w\",\"x\xf0\x9d\x92\x9c\",2]]}\n"},
      {NULL, "[\xc3\xa9:=1]",
       "{\"session\":0,\"ops\":[[\"w\",\"\xc3\xa9\",1]]}\n"},
      {"text", "[\xc2\xa0x:=1]", ":1:2: expected the name of a key, or ']'"},
      {"text", "[x\xe2\x80\x83:=1]",
       ":1:3: expected ':=', '==', '+=', '|=' or ':OLD->NEW' behind "
       "the key"},
      {"text", "[\xe3\x80\x80x:=1]",
       ":1:2: expected the name of a key, or ']'"},
      {"text", "[\xef\xbb\xbfx:=1]",
       ":1:2: expected the name of a key, or ']'"},
      {"text", "[\xe9:=1]", ":1:2: expected the name of a key, or ']'"},
      {"text", "[\xc3", ":1:2: expected the name of a key, or ']'"},
  };
  CHECK_TEXTS(texts);
}

static void one_of_two_times_may_be_known(void) {
  static const struct foreign texts[] = {
      {"text", "[x:=1]?@10.. [y:=1]@..20 [z:=1]@7..8 [z==1]",
       "{\"session\":0,\"ops\":[[\"w\",\"x\",1]],\"begin\":10,"
       "\"outcome\":\"unknown\",\"cause\":\"other\"}\n"
       "{\"session\":0,\"ops\":[[\"w\",\"y\",1]],\"end\":20}\n"
       "{\"session\":0,\"ops\":[[\"w\",\"z\",1]],\"begin\":7,\"end\":8}\n"
       "{\"session\":0,\"ops\":[[\"r\",\"z\",1]]}\n"},
      {"text", "[x:=1]@..", ":1:10: expected a number"},
      {"text", "[x:=1]@8..7", ":1:8: the transaction ends before it begins"},
  };
  CHECK_TEXTS(texts);
}

static void values_may_be_written_in_several_ways(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :process 0N :value [[:w 1N 3N] [:w -2N +4] "
       "[:w 9 4611686018427387904N]]}"
       "{:type :ok :process +1 :value [[:r 1 3] [:r -2 4N] "
       "[:r 9 4611686018427387904] [:r 5N2 nil]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,3],[\"w\",-2,4],"
       "[\"w\",9,4611686018427387904]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",1,3],[\"r\",-2,4],"
       "[\"r\",9,4611686018427387904],[\"r\",\"5N2\",null]]}\n"},
      {"jsonl",
       "{\"ops\":[[\"w\",\"\\ud83d\\ude00\",\"\\u00e9\\ud83dx\"],"
       "[\"r\",\"\xf0\x9f\x98\x80\",\"\xc3\xa9\\ud83dx\"]]}",
       "{\"session\":0,\"ops\":[[\"w\",\"\xf0\x9f\x98\x80\","
       "\"\xc3\xa9\xed\xa0\xbdx\"],[\"r\",\"\xf0\x9f\x98\x80\","
       "\"\xc3\xa9\xed\xa0\xbdx\"]]}\n"},
      {"edn",
       "^{:line 1} {:type ^:x ^{:m [^a b]} :ok, :e #inst \"2020\" "
       ":value #vec [#_[:r 1] ^int [:w 1 #long 2]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {"edn",
       "{:type :ok :process 0 :value [[:w 1 1.5] [:w 2 -2e3] [:w 3 1/2] "
       "[:w 4 3M] [:w 5 007] [:w 6 1.] [:w 7 1e] [:w 8 -0.5E+1]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,1.5],[\"w\",2,-2e3],"
       "[\"w\",3,\"1/2\"],[\"w\",4,\"3M\"],[\"w\",5,\"007\"],"
       "[\"w\",6,\"1.\"],[\"w\",7,\"1e\"],[\"w\",8,-0.5E+1]]}\n"},
  };
  CHECK_TEXTS(texts);
}

// Lists of no operations or sessions say that there is nothing; a transaction
// without operations is one.
static void nothing_is_no_transaction(void) {
  static const struct foreign texts[] = {
      {NULL, "[]", ""},
      {NULL, " [\n]\r\n", ""},
      {NULL, "()", ""},
      {NULL, "[[], []]", ""},
      {NULL, "[[[]]]",
       " is no history that isostress can read; it looks like JSON or EDN, but "
       "of "
       "no format that is known by its start: name the format with --format"},
      {NULL, "[[{\"events\":[],\"committed\":true}]]",
       "{\"session\":0,\"ops\":[]}\n"},
      {NULL, "[]!",
       "{\"session\":0,\"ops\":[],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"},
      {NULL, "[]\n[]",
       "{\"session\":0,\"ops\":[]}\n{\"session\":0,\"ops\":[]}\n"},
      {NULL, "// of nobody\n[]", "{\"session\":0,\"ops\":[]}\n"},
      {"text", "[]", "{\"session\":0,\"ops\":[]}\n"},
  };
  CHECK_TEXTS(texts);
}

static void sessions_begin_behind_dashes(void) {
  static const struct foreign texts[] = {
      {NULL, "-\n[x:=1]\n - \n[x==1]\n",
       "{\"session\":0,\"ops\":[[\"w\",\"x\",1]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}\n"},
      {NULL, "--\nw 1 2\n-\nr 1 2\n=\nr 1 2",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n{\"session\":0,\"ops\":[[\"r\","
       "1,2]]}\n{\"session\":1,\"ops\":[[\"r\",1,2]]}\n"},
      {NULL, "--\n// nothing", ""},
  };
  CHECK_TEXTS(texts);
}

// The sign of a format may stand behind a long comment, error or value.
static void the_format_is_seen_behind_what_is_long(void) {
  enum { LONG = 20000 };
  static const struct {
    const char *before, *behind;
  } texts[] = {
      {";", "\n{:type :ok :process 0 :value [[:w 1 2]]}"},
      {"{:error \"", "\" :value [[:w 1 2]] :process 0 :type :ok}"},
      {"{\"error\":\"", "\",\"value\":[[\"w\",1,2]],\"type\":\"ok\"}"},
      {"{\"note\":\"", "\",\"ops\":[[\"w\",1,2]]}"},
      {"{\"info\":\"", "\",\"data\":[[{\"events\":[[\"w\",1,2]]}]]}"},
      {"[{\"note\":\"",
       "\",\"sid\":0,\"ops\":[{\"t\":\"w\",\"k\":1,\"v\":2}]}]"},
  };
  char *text = xmalloc(LONG + 200);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const size_t n = strlen(texts[i].before), m = strlen(texts[i].behind);
    memset(text, 'x', LONG);
    memcpy(text, texts[i].before, n);
    memcpy(text + LONG, texts[i].behind, m);
    char *lines = as_lines(NULL, text, LONG + m);
    CHECK_STR(lines, "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n");
    free(lines);
  }
  free(text);
}

static void names_of_members_are_no_values(void) {
  static const struct foreign texts[] = {
      {NULL, "#jepsen.history.Op{:index 0 :type :ok :value [[:w 1 2]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {NULL,
       "{:took ##Inf :process 0 :type :ok :value [[:w 1 2] [:r 2 ##NaN]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2],[\"r\",2,\"##NaN\"]]}\n"},
      {NULL, "[{\"type\":\"invoke\",\"f\":\"acquire\",\"process\":1}]",
       ":1:44: expected the function txn, read, write or cas of a client "
       "before "
       "the end of the operation"},
      {NULL, "{\"report\":{\"ops\":[{\"events\":[]}]}}\n",
       " is no history that isostress can read; it looks like JSON or EDN, but "
       "of "
       "no format that is known by its start: name the format with --format"},
      {NULL, "{:valid? true, :workload {:type :bank, :process 1}}",
       " is no history that isostress can read; it looks like JSON or EDN, but "
       "of "
       "no format that is known by its start: name the format with --format"},
      {NULL, "{\"type\":\"ok\",\"value\":[[\"w\",\"ops\",\"events\"]]}",
       "{\"session\":0,\"ops\":[[\"w\",\"ops\",\"events\"]]}\n"},
      {NULL, "{\"value\" : [[\"w\",\"sid\",2]], \"type\" :\n\"ok\"}",
       "{\"session\":0,\"ops\":[[\"w\",\"sid\",2]]}\n"},
  };
  CHECK_TEXTS(texts);
}

#define MARK "\xef\xbb\xbf"

static void a_byte_order_mark_is_no_part_of_a_text(void) {
  static const struct foreign texts[] = {
      {NULL, MARK "{:type :ok :value [[:w 1 2]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {NULL, MARK "{\"ops\":[[\"w\",1,2]]}\r\n",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {NULL, MARK "[x:=1]\r\n[y:=1]\r\n",
       "{\"session\":0,\"ops\":[[\"w\",\"x\",1]]}\n"
       "{\"session\":0,\"ops\":[[\"w\",\"y\",1]]}\n"},
      {NULL, MARK "w(1,2,3,4)\r\n", "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {NULL, MARK "w 1 2", "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {NULL, MARK "w(1,2,3,x)", ":1:9: expected the number of a transaction"},
  };
  CHECK_TEXTS(texts);
}

// The text behind many blanks is whole, wherever the window on the file ends.
static void blanks_may_be_many(void) {
  static const struct foreign texts[] = {
      {"edn", "{:type :ok :process 0 :value [[:w 1| 123456789012]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,123456789012]]}\n"},
      {"edn", "{:type :ok :process 0 :value [[:w 1|123456789012]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,123456789012]]}\n"},
      {"edn", "{:type :ok |:process-of 1 :value [[:w 1 2]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {"text", "[|x:=123456789012]",
       "{\"session\":0,\"ops\":[[\"w\",\"x\",123456789012]]}\n"},
      {"veristrong", "1\n1 1 A|1 123456789012",
       "{\"session\":0,\"ops\":[[\"append\",1,123456789012]]}\n"},
      {"veristrong", "1\n1 1 R 1 1|123456789012",
       "{\"session\":0,\"ops\":[[\"r\",1,[123456789012]]]}\n"},
      {"awdit", "|w 1 123456789012",
       "{\"session\":0,\"ops\":[[\"w\",1,123456789012]]}\n"},
      {"awdit", "w 1 |123456789012",
       ":1:1: expected a line of less than 32 KiB"},
  };
  char *text = xmalloc(INPUT_ROOM + 100);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const size_t before = strcspn(texts[i].text, "|");
    const char *behind = texts[i].text + before + 1;
    for (size_t n = 0; n < strlen(behind) + 2; n++) {
      const size_t length = INPUT_ROOM - n;
      memset(text, ' ', length);
      memcpy(text, texts[i].text, before);
      memcpy(text + length, behind, strlen(behind));
      char *lines = as_lines(texts[i].format, text, length + strlen(behind));
      CHECK_STR(lines, texts[i].lines);
      free(lines);
    }
  }
  free(text);
}

// A count that the file cannot hold, be it wrong or the file cut off.
static void counts_are_no_larger_than_the_file(void) {
  char text[40 + 24 + 8 + 8 + 8] = {0};
  text[64] = 1; // session
  text[72] = 1; // transaction
  text[80] = 1; // event
  char *lines = as_lines("bincode", text, sizeof text);
  CHECK_STR(lines, ": byte 72: expected a number of transactions that the rest "
                   "of the file has room for");
  free(lines);
}

int main(void) {
  RUN_FOREIGN(
      {"numbers have 64 bits", numbers_have_64_bits},
      {"0 is initial where nobody wrote it",
       zero_is_initial_where_nobody_wrote_it},
      {"names are of any script", names_are_of_any_script},
      {"values may be written in several ways",
       values_may_be_written_in_several_ways},
      {"one of two times may be known", one_of_two_times_may_be_known},
      {"nothing is no transaction", nothing_is_no_transaction},
      {"sessions begin behind dashes", sessions_begin_behind_dashes},
      {"the format is seen behind what is long",
       the_format_is_seen_behind_what_is_long},
      {"names of members are no values", names_of_members_are_no_values},
      {"a byte order mark is no part of a text",
       a_byte_order_mark_is_no_part_of_a_text},
      {"blanks may be many", blanks_may_be_many},
      {"counts are no larger than the file",
       counts_are_no_larger_than_the_file});
}

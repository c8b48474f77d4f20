// SPDX-License-Identifier: GPL-3.0-or-later
// What the tools of others write besides the plainest of their histories, and
// what is made of it.
#include "config.h"

#include "tests/foreign_kit.h"

#include <endian.h>

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
       ":1:3: expected ':=', '==', '+=' or ':OLD->NEW' behind the key"},
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

static void writes_that_did_not_succeed_are_none(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :f :txn :process 0 :value [[:w 1 5 false] [:w 1 6 true] "
       "[:w 1 7] [:r 1 7 false] [:r 2 nil false] [:w 2 8 [false]]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,6],[\"w\",1,7],[\"r\",1,7],"
       "[\"r\",2,null],[\"w\",2,8]]}\n"},
      {NULL, // also as IsoVista has it, with nothing but operations
       "{\"value\":[[\"w\",1,5,false],[\"w\",1,6,true],[\"w\",1,7],"
       "[\"r\",1,7,false],[\"r\",2,\"nil\",false]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,6],[\"w\",1,7],[\"r\",1,7],"
       "[\"r\",2,null]]}\n"},
      {"viper-json",
       "{\"value\":[[\"i\",1,5,\"nil\",false,true],[\"d\",1,6,5,false,true],"
       "[\"i\",1,7,6,true,false,true,\"w\"],[\"d\",2,8,null]]}",
       "{\"session\":0,\"ops\":[[\"r\",1,null],[\"w\",1,5],[\"r\",1,5],"
       "[\"w\",1,6],[\"r\",1,6],[\"r\",2,null],[\"w\",2,8]]}\n"},
      {"viper-json", "{\"value\":[[\"i\",1,5]]}",
       ":1:19: expected what was read"},
      {"viper-json", "{\"value\":[[\"a\",1,5]]}",
       ":1:12: expected \"r\", \"w\", \"i\", \"d\" or \"range\""},
  };
  CHECK_TEXTS(texts);
}

// Viper's inserts, deletes and range queries, and Knossos' words.
static void edn_has_viper_s_and_knossos_operations(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :f :txn :process 0 :value [[:i 1 5 nil false true] "
       "[:d 1 6 5 false true] [:i 1 7 6 true false true :w] [:d 2 8 nil]]}",
       "{\"session\":0,\"ops\":[[\"r\",1,null],[\"w\",1,5],[\"r\",1,5],"
       "[\"w\",1,6],[\"r\",1,6],[\"r\",2,null],[\"w\",2,8]]}\n"},
      {"edn",
       "{:type :ok :process 0 :value [[:range 1 nil [{:id 1 :sk 1 :val 5} "
       "{:val nil :id :k} {:id 3 :val {:a 1}}] [{:id 4 :val 9}] false] "
       "[:range 1 2 nil] [:w 1 2]]}",
       "{\"session\":0,\"ops\":[[\"r\",1,5],[\"r\",\":k\",null],"
       "[\"r\",3,\"{:a 1}\"],[\"w\",1,2]]}\n"},
      {"edn",
       "{:type :invoke :f :txn :process 0 :value [[:write :x 1] [:read :y "
       "nil]]}"
       "{:type :ok :f :txn :process 0 :value [[:write :x 1] [:read :y 0]]}",
       "{\"session\":0,\"ops\":[[\"w\",\":x\",1],[\"r\",\":y\",0]],"
       "\"begin\":1,\"end\":2}\n"},
      {"edn", "{:type :ok :value [[:i 1 5]]}",
       ":1:27: expected what was read: "
       "nil or a value"},
      {"edn", "{:type :ok :value [[:i 1 nil nil]]}",
       ":1:26: expected the value that is written"},
      {"edn", "{:type :ok :value [[:range [1 {:id 1 :val 2}]]]}",
       ":1:46: expected an end of the range"},
      {"edn", "{:type :ok :value [[:range 1 2 [{:id 1}]]]}",
       ":1:39: expected id and val before the end of the row"},
      {"edn", "{:type :ok :value [[:range 1 2 5]]}", ":1:32: expected '['"},
      {"edn", "{:type :ok :value [[:x 1 2]]}",
       ":1:21: expected r, w, append, i, d or range"},
  };
  CHECK_TEXTS(texts);
}

// As in Porcupine's long logs of etcd, and behind what no client did.
static void logs_have_blanks_and_hints(void) {
  static const struct foreign texts[] = {
      {NULL,
       "INFO  jepsen.util - :nemesis \t:info :start \tnil\n"
       "INFO  jepsen.util - 0 \t:invoke :write \t7 \t:hint 0\n"
       "INFO  jepsen.util - 1 \t:invoke :read \tnil \t:hint 0\n"
       "INFO  jepsen.util - 0 \t:ok :write \t7 \t:hint 1\n"
       "INFO  jepsen.util - 1 \t:ok :read \t7 \t:hint 1\n"
       "INFO  jepsen.util - 1 \t:invoke :write \t8 \t:hint 0\n",
       "{\"session\":0,\"ops\":[[\"w\",0,7]],\"begin\":1,\"end\":3}\n"
       "{\"session\":1,\"ops\":[[\"r\",0,7]],\"begin\":2,\"end\":4}\n"
       "{\"session\":1,\"ops\":[[\"w\",0,8]],\"begin\":5,"
       "\"outcome\":\"unknown\",\"cause\":\"other\"}\n"},
      {NULL, "INFO  jepsen.util - 0 started\n",
       ": is not a history that can be read; it looks like text of a kind "
       "unknown here"},
  };
  CHECK_TEXTS(texts);
}

static void timekiller_has_words_and_names(void) {
  static const struct foreign texts[] = {
      {"timekiller",
       "[{\"sid\":\"b\",\"ops\":[{\"t\":\"Write\",\"k\":1,\"v\":2}]},"
       "{\"sid\":\"a\",\"ops\":[{\"t\":\"READ\",\"k\":1,\"v\":2}]},"
       "{\"sid\":7,\"ops\":[{\"t\":\"append\",\"k\":3,\"v\":4}]},"
       "{\"sid\":\"b\",\"ops\":[{\"t\":\"R\",\"k\":3,\"v\":[4]}]}]",
       "{\"session\":0,\"ops\":[[\"append\",3,4]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,2]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",3,[4]]]}\n"
       "{\"session\":2,\"ops\":[[\"r\",1,2]]}\n"},
      {"timekiller", "[{\"sid\":0,\"ops\":[{\"t\":\"re\",\"k\":1}]}]",
       ":1:23: expected r, w or a"},
      {"timekiller", "[{\"sid\":0,\"ops\":[{\"t\":\"\",\"k\":1}]}]",
       ":1:23: expected r, w or a"},
  };
  CHECK_TEXTS(texts);
}

// Timestamps are numbers, be they strings; what else is one is unknown.
static void timekiller_has_timestamps_as_strings(void) {
  static const struct foreign texts[] = {
      {"timekiller",
       "[{\"cts\":{\"l\":0,\"p\":\"4611686018427387903\"},"
       "\"ops\":[{\"k\":1,\"t\":\"w\",\"v\":2}],\"sid\":0,"
       "\"sts\":{\"l\":0,\"p\":\"320316484\"},\"tid\":50}]",
       "{\"session\":0,\"ops\":[[\"w\",1,2]],\"begin\":320316484,"
       "\"end\":4611686018427387903}\n"},
      {"timekiller",
       "[{\"sts\":{\"p\":\"\"},\"cts\":{\"p\":\"4611686018427387904\"},\"ops\":"
       "[],"
       "\"sid\":0},"
       "{\"sts\":{\"p\":\"1.5\"},\"cts\":{\"p\":\"12345678901234567890\"},"
       "\"ops\":[],\"sid\":0}]",
       "{\"session\":0,\"ops\":[]}\n{\"session\":0,\"ops\":[]}\n"},
  };
  CHECK_TEXTS(texts);
}

static void timekiller_has_numbers_in_strings(void) {
  static const struct foreign texts[] = {
      {"timekiller",
       "[{\"sid\":\"19\",\"ops\":[{\"t\":\"w\",\"k\":7,\"v\":\"2\"},"
       "{\"t\":\"r\",\"k\":\"7\",\"v\":2},{\"t\":\"r\",\"k\":\"8\",\"v\":\"0\"}"
       ","
       "{\"t\":\"w\",\"k\":\"-7\",\"v\":\"2 \"}]},"
       "{\"sid\":19,\"ops\":[{\"t\":\"a\",\"k\":\"9\",\"v\":3},"
       "{\"t\":\"r\",\"k\":9,\"v\":[\"3\"]}]}]",
       "{\"session\":0,\"ops\":[[\"w\",7,2],[\"r\",7,2],[\"r\",8,null],"
       "[\"w\",\"-7\",\"2 \"]]}\n"
       "{\"session\":0,\"ops\":[[\"append\",9,3],[\"r\",9,[3]]]}\n"},
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
       ": is not a history that can be read; it looks like JSON or EDN that "
       "starts as none of the formats: name its own with --format"},
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

// What tells the format may stand behind a long comment, error or value.
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
       ": is not a history that can be read; it looks like JSON or EDN that "
       "starts as none of the formats: name its own with --format"},
      {NULL, "{:valid? true, :workload {:type :bank, :process 1}}",
       ": is not a history that can be read; it looks like JSON or EDN that "
       "starts as none of the formats: name its own with --format"},
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

// What stands behind them is whole, wherever the window on the file ends.
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

// Appends, where 0 is a value like any other, and what is read of lists.
static void veristrong_is_read(void) {
#define APART                                                                  \
  ":4:4: expected the operations of a transaction, which has its number to "   \
  "itself, to stand together"
  static const struct foreign texts[] = {
      {NULL, "4\r\n7 5 A 1 0\r\n7 5 R 2 0\r\n1 6 R 1 2 0 3\r\n7 9 A 1 3",
       "{\"session\":0,\"ops\":[[\"r\",1,[0,3]]]}\n"
       "{\"session\":1,\"ops\":[[\"append\",1,0],[\"r\",2,[]]]}\n"
       "{\"session\":1,\"ops\":[[\"append\",1,3]]}\n"},
      {NULL, "1\n\n0 0 A 4611686018427387904 " LARGE "\n\n",
       "{\"session\":0,\"ops\":[[\"append\",4611686018427387904," LARGE
       "]]}\n"},
      {NULL, "2\n1 1 A 1 1\n",
       ":3:1: expected as many operations as the file "
       "says first, but it ends"},
      {NULL, "1\n1 1 A 1 1\n1 1 A 1 2",
       ":3:1: expected no more operations than the file says first"},
      {NULL, "3\n1 1 A 1 1\n1 2 A 1 2\n1 1 A 1 3", APART},
      {NULL, "3\n1 1 A 1 1\n1 1 A 1 2\n2 1 A 1 3", APART},
      {NULL, "1\n1 1 R 1 2 1\n", ":3:1: expected the next element of the list"},
      {NULL, "2\n1 1 R 1 2 1\n1 1 A 1 1",
       ":3:5: expected the number of a transaction"},
      {NULL, "1\n1 1 R 1 4294967295 1", ":2:9: expected the length of a list"},
      {NULL, "1\n1 1 A 1 -1", ":2:9: expected the value of an append"},
      {NULL, "1\n1 1 A 1 1x", ":2:9: expected the value of an append"},
      {NULL, "1\n1 1 A 1 " TOO_LARGE, ":2:9: expected the value of an append"},
      {NULL, "1\n1 1 A x 1", ":2:7: expected a key"},
      {"veristrong", "1\n1 1 W 1 1", ":2:5: expected A or R"},
      {"veristrong", "1\n1 x", ":2:3: expected the number of a transaction"},
      {"veristrong", "1\n4611686018427387904 1 A 1 1",
       ":2:1: expected the number of a session"},
      {"veristrong", "x", ":1:1: expected how many operations come"},
  };
  CHECK_TEXTS(texts);
}

static void dbcop_is_read_as_it_was(void) {
#define OLD_READ "{\"write\":false,\"variable\":7,\"value\":0,\"success\":true}"
#define OLD_FAILED_READ                                                        \
  "{\"write\":false,\"variable\":7,\"value\":9,\"success\":false}"
#define OLD_WRITE "{\"write\":true,\"variable\":7,\"value\":1,\"success\":true}"
#define OLD_FAILED_WRITE                                                       \
  "{\"write\":true,\"variable\":7,\"value\":9,\"success\":false}"
#define OLD_SECOND_WRITE                                                       \
  "{\"write\":true,\"variable\":7,\"value\":2,\"success\":true}"
#define SAYS_NOTHING                                                           \
  "expected Read or Write, or write, variable, value and success, before the " \
  "end of the event"
  static const struct foreign texts[] = {
      {NULL,
       "{\"params\":{\"id\":0,\"n_node\":2},\"data\":[[{\"events\":[" OLD_READ
       "," OLD_WRITE "," OLD_FAILED_READ "," OLD_FAILED_WRITE
       "],\"success\":true}],\n"
       "[{\"events\":[" OLD_SECOND_WRITE "],\"success\":false},"
       "{\"events\":[],\"success\":true}]]}",
       "{\"session\":0,\"ops\":[[\"r\",7,null],[\"w\",7,1]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",7,2]],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"
       "{\"session\":1,\"ops\":[]}\n"},
      {"dbcop-json",
       "[[{\"events\":[{\"success\":true,\"value\":4611686018427387904,"
       "\"variable\":1,\"write\":true}]}]]",
       "{\"session\":0,\"ops\":[[\"w\",1,4611686018427387904]]}\n"},
      {"dbcop-json", "[[{\"events\":[{\"write\":true,\"variable\":1}]}]]",
       ":1:40: " SAYS_NOTHING},
      {"dbcop-json", "[[{\"events\":[{}]}]]", ":1:15: " SAYS_NOTHING},
      {"dbcop-json", "[[{\"committed\":true}]]",
       ":1:20: expected a member events before the end of the transaction"},
      {"dbcop-json", "[[{\"events\":[{\"write\":1,\"variable\":7}]}]]",
       ":1:23: expected true or false"},
  };
  CHECK_TEXTS(texts);
}

// A count that the file can not hold, be it wrong or the file cut off.
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

enum { NOBODY = 0xbebeebee, COLLECTED = 0x66666666, DELETED = 0xabcdefab };

static void put_record(FILE *file, char what, const uint32_t *numbers, int n) {
  fputc(what, file);
  for (int i = 0; i < n; i++) {
    const uint64_t big = htobe64(numbers[i]);
    fwrite(&big, sizeof big, 1, file);
  }
}

// A transaction of Cobra's that writes what the next one reads.
static char *cobra_lines(const uint32_t write[3], const uint32_t read[4]) {
  static const uint32_t ids[] = {1, 2};
  char *text, *lines;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  put_record(file, 'S', &ids[0], 1);
  put_record(file, 'W', write, 3);
  put_record(file, 'C', &ids[0], 1);
  put_record(file, 'S', &ids[1], 1);
  put_record(file, 'R', read, 4);
  put_record(file, 'C', &ids[1], 1);
  fclose(file);
  lines = as_lines("cobra", text, length);
  free(text);
  return lines;
}

// That nobody wrote what was read is told by the transaction: any number may be
// an id.
static void cobra_names_the_transaction_that_was_read(void) {
  static const struct {
    uint32_t write[3], read[4];
    const char *lines;
  } cases[] = {
      {{10, 7, 0},
       {NOBODY, NOBODY, 7, 0},
       "{\"session\":0,\"ops\":[[\"w\",7,10]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",7,null]]}\n"},
      {{10, 7, 0},
       {0xdeadbeef, COLLECTED, 7, 0},
       "{\"session\":0,\"ops\":[[\"w\",7,10]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",7,null]]}\n"},
      {{COLLECTED, 7, 0},
       {1, COLLECTED, 7, 0},
       "{\"session\":0,\"ops\":[[\"w\",7,1717986918]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",7,1717986918]]}\n"},
      {{10, 7, 0},
       {NOBODY, 10, 7, 0},
       ": byte 85: expected the id of what was there first before here, as the "
       "transaction has it"},
      {{DELETED, 7, 99},
       {1, DELETED, 7, 0},
       ": byte 34: expected no delete before here, for reads of nothing do not "
       "tell one from another"},
      {{DELETED, 7, DELETED}, // as we write it
       {1, DELETED, 7, DELETED},
       "{\"session\":0,\"ops\":[[\"w\",7,2882400171]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",7,2882400171]]}\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *lines = cobra_lines(cases[i].write, cases[i].read);
    CHECK_STR(lines, cases[i].lines);
    free(lines);
  }
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
      {"writes that did not succeed are none",
       writes_that_did_not_succeed_are_none},
      {"EDN has Viper's and Knossos' operations",
       edn_has_viper_s_and_knossos_operations},
      {"logs have blanks and hints", logs_have_blanks_and_hints},
      {"TimeKiller has words and names", timekiller_has_words_and_names},
      {"TimeKiller has timestamps as strings",
       timekiller_has_timestamps_as_strings},
      {"TimeKiller has numbers in strings", timekiller_has_numbers_in_strings},
      {"nothing is no transaction", nothing_is_no_transaction},
      {"sessions begin behind dashes", sessions_begin_behind_dashes},
      {"the format is seen behind what is long",
       the_format_is_seen_behind_what_is_long},
      {"names of members are no values", names_of_members_are_no_values},
      {"a byte order mark is no part of a text",
       a_byte_order_mark_is_no_part_of_a_text},
      {"blanks may be many", blanks_may_be_many},
      {"VeriStrong is read", veristrong_is_read},
      {"dbcop is read as it was", dbcop_is_read_as_it_was},
      {"Cobra names the transaction that was read",
       cobra_names_the_transaction_that_was_read},
      {"counts are no larger than the file",
       counts_are_no_larger_than_the_file});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Things that one tool or another alone writes in its histories, and what
// becomes of them.
#include "config.h"

#include "tests/kit/foreign.h"

#include <endian.h>

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
       ":1:19: expected what was read: nil or a value"},
      {"viper-json", "{\"value\":[[\"a\",1,5]]}",
       ":1:12: expected r, w, append, add, i, d or range"},
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
       "[\"r\",3,\"{:a 1}\"],[\"r\",4,9],[\"w\",1,2]]}\n"},
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
       ":1:28: expected an end of the range: a whole number, or nil"},
      {"edn", "{:type :ok :value [[:range 1 2 [{:id 1}]]]}",
       ":1:39: expected id and val before the end of the row"},
      {"edn", "{:type :ok :value [[:range 1 2 5]]}", ":1:32: expected '['"},
      {"edn", "{:type :ok :value [[:x 1 2]]}",
       ":1:21: expected r, w, append, add, i, d or range"},
  };
  CHECK_TEXTS(texts);
}

// Rows that neither list has were not there yet; without both lists, nothing is
// known of them.
static void what_a_range_did_not_find_was_read_as_nothing(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :process 0 :value [[:range 1 3 [{:id 2 :val 5}] []]]}\n"
       "{:type :ok :process 1 :value [[:w 1 4] [:w 2 5] [:w 3 6 false] "
       "[:w 4 7] [:w -1 8]]}\n"
       "{:type :ok :process 1 :value [[:range -1 nil [] [{:id 4 :val 7}]]]}",
       "{\"session\":0,\"ops\":[[\"r\",1,null],[\"r\",2,5]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,4],[\"w\",2,5],[\"w\",4,7],"
       "[\"w\",-1,8]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",-1,null],[\"r\",1,null],"
       "[\"r\",2,null],[\"r\",4,7]]}\n"},
      {"edn",
       "{:type :ok :process 0 :value [[:range 1 3 [{:id 2 :val 5}]] "
       "[:range 1 3 nil []] [:range nil 0 [] []]]}\n"
       "{:type :ok :process 1 :value [[:w 1 4] [:w 2 5]]}",
       "{\"session\":0,\"ops\":[[\"r\",2,5]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,4],[\"w\",2,5]]}\n"},
      {"viper-json",
       "{\"value\":[[\"range\",\"nil\",\"nil\",[{\"id\":1,\"val\":5}],"
       "[{\"id\":2,\"val\":6}]]],\"isInitial\":true}"
       "{\"value\":[[\"range\",1,9,[{\"id\":1,\"val\":5}],[]],"
       "[\"range\",2,9,[],[{\"id\":2,\"val\":6}]]]}",
       "{\"session\":0,\"ops\":[[\"r\",2,4611686018427387903],"
       "[\"r\",1,null],[\"r\",2,null]]}\n"},
      {"edn", "{:type :ok :value [[:range :a 2 [] []]]}",
       ":1:28: expected an end of the range: a whole number, or nil"},
      {"edn", "{:type :ok :value [[:range 1 2 [] [5]]]}",
       ":1:36: expected '{'"},
  };
  CHECK_TEXTS(texts);
}

#define MADE "{:type :ok :process 0 :f :init :value {1 0, 2 1}}\n"
#define OF_ONE(ops) "{:type :ok :process 1 :f :txn :value [" ops "]}"
#define TABLE "{\"tables\":[\"t(v): 1{v=0} 2{v=1}\"],\"session\":0,"

// Rows that :init made are preloaded; whoever changes one found it so.
static void closed_predicates_are_rows_and_conditions(void) {
  static const struct foreign texts[] = {
      {NULL,
       MADE OF_ONE("[:rp :true {1 0 2 1}] [:rp [:= -1] {}] "
                   "[:rp [:mod 3 0] {1 0}] [:rp [:mod 3 1] {2 1}]"),
       TABLE "\"ops\":[\"sel t{TRUE}: 1@?{v=0} 2@?{v=1}\","
             "\"sel t{v = -1}:\",\"sel t{v % 3 = 0}: 1@?{v=0}\","
             "\"sel t{v % 3 = 1 OR v % 3 = -2}: 2@?{v=1}\"]}\n"},
      {NULL,
       MADE OF_ONE("[:insert 3 -7] [:w 4 5] [:w 1 2] [:delete 2] [:delete 5] "
                   "[:r 1 2] [:r 2 nil] [:r 3 -7]"),
       TABLE "\"ops\":[\"ins t/3{v=-7}\",\"ups t/4{v=5}\","
             "\"ups t/1@?{v=2}\",\"del t{id = 2}: 2@?\",\"del t{id = 5}:\","
             "\"sel t{id = 1}: 1@w3{v=2}\",\"sel t{id = 2}:\","
             "\"sel t{id = 3}: 3@w1{v=-7}\"]}\n"},
      {"closed-predicate",
       "{:type :ok :process 1 :f :txn :value [[:insert :x 1] [:insert :y 2] "
       "[:rp :true {:y 2 :x 1}]]}",
       "{\"tables\":[\"t(v)\"],\"session\":0,\"ops\":[\"ins t/1{v=1}\","
       "\"ins t/2{v=2}\",\"sel t{TRUE}: 2@w2{v=2} 1@w1{v=1}\"]}\n"},
      // A failed change is none, and an invoked one may be one.
      {NULL,
       MADE "{:type :fail :process 1 :f :txn :value [[:w 2 7] [:r 1 nil]]}\n"
            "{:type :invoke :process 1 :f :txn :value [[:rp :true nil] "
            "[:w 2 8]]}",
       TABLE "\"ops\":[\"ups t/2@?{v=7}\"],\"outcome\":\"aborted\","
             "\"cause\":\"other\"}\n"
             "{\"session\":0,\"ops\":[\"ups t/2@?{v=8}\"],\"begin\":2,"
             "\"outcome\":\"unknown\",\"cause\":\"other\"}\n"},
  };
  CHECK_TEXTS(texts);
}

static void closed_predicates_that_say_too_little_are_refused(void) {
  static const struct foreign texts[] = {
      {NULL, MADE OF_ONE("[:w 1 5]") "\n" OF_ONE("[:delete 1]"),
       ":3:51: expected at most one change of each key: the order of two is "
       "not known"},
      {NULL, MADE OF_ONE("[:insert 1 5]"),
       ":2:53: expected an insert of a key that :init did not make"},
      {"closed-predicate", MADE OF_ONE("[:w 1 0]"),
       ":2:48: expected a value that the key does not hold already"},
      {NULL, OF_ONE("[:rp :true {}]") "\n" MADE,
       ":2:49: expected one :init before all transactions that ended with :ok "
       "and has a map"},
      {NULL, OF_ONE("[:rp :true nil]"),
       ":1:55: expected the rows that :rp found, a map"},
      {NULL, OF_ONE("[:rp [:< 1] {}]"),
       ":1:45: expected the predicate :true, [:= 1] or [:mod 2 1]"},
      {NULL, OF_ONE("[:rp [:mod 0 0] {}]"),
       ":1:50: expected a modulus above 0"},
      {NULL, OF_ONE("[:rp [:mod 2 2] {}]"),
       ":1:52: expected a remainder from 0 to below the modulus"},
      {NULL, OF_ONE("[:rp :true {1 nil}]"),
       ":1:53: expected the value of a row, a whole number of 64 bits"},
      {NULL, OF_ONE("[:rp :true {1 1 :x 1}]"),
       ":1:55: expected keys that are all numbers, or all names"},
      {NULL, OF_ONE("[:rp :true {}] [:append 1 1]"),
       ":1:55: expected r, rp, w, insert or delete"},
      {"closed-predicate", "{:type :ok :process 1 :f :read :value nil}",
       ":1:42: expected a type, a process and the function init or txn before "
       "the end of the operation"},
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
       " is no history that isostress can read; it looks like text of a kind "
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
      {NULL, "1\n\n0 0 A 4611686018427387904 18446744073709551615\n\n",
       "{\"session\":0,\"ops\":[[\"append\",4611686018427387904,"
       "18446744073709551615"
       "]]}\n"},
      {NULL, "2\n1 1 A 1 1\n",
       ":3:1: expected as many operations as the file's first line says, but "
       "the file ends"},
      {NULL, "1\n1 1 A 1 1\n1 1 A 1 2",
       ":3:1: expected no more operations than the file's first line says"},
      {NULL, "3\n1 1 A 1 1\n1 2 A 1 2\n1 1 A 1 3", APART},
      {NULL, "3\n1 1 A 1 1\n1 1 A 1 2\n2 1 A 1 3", APART},
      {NULL, "1\n1 1 R 1 2 1\n", ":3:1: expected the next element of the list"},
      {NULL, "2\n1 1 R 1 2 1\n1 1 A 1 1",
       ":3:5: expected the number of a transaction"},
      {NULL, "1\n1 1 R 1 4294967295 1", ":2:9: expected the length of a list"},
      {NULL, "1\n1 1 A 1 -1", ":2:9: expected the value of an append"},
      {NULL, "1\n1 1 A 1 1x", ":2:9: expected the value of an append"},
      {NULL, "1\n1 1 A 1 18446744073709551616",
       ":2:9: expected the value of an append"},
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
#define FEATURE_NOTHING                                                        \
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
       ":1:40: " FEATURE_NOTHING},
      {"dbcop-json", "[[{\"events\":[{}]}]]", ":1:15: " FEATURE_NOTHING},
      {"dbcop-json", "[[{\"committed\":true}]]",
       ":1:20: expected a member events before the end of the transaction"},
      {"dbcop-json", "[[{\"events\":[{\"write\":1,\"variable\":7}]}]]",
       ":1:23: expected true or false"},
  };
  CHECK_TEXTS(texts);
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
       ": byte 85: expected the transaction to begin with the id of the "
       "initial state"},
      {{DELETED, 7, 99},
       {1, DELETED, 7, 0},
       ": byte 34: expected no delete before here, since reads of nothing "
       "cannot tell one delete from another"},
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
      {"writes that did not succeed are none",
       writes_that_did_not_succeed_are_none},
      {"EDN has Viper's and Knossos' operations",
       edn_has_viper_s_and_knossos_operations},
      {"closed predicates are rows and conditions",
       closed_predicates_are_rows_and_conditions},
      {"closed predicates that say too little are refused",
       closed_predicates_that_say_too_little_are_refused},
      {"what a range did not find was read as nothing",
       what_a_range_did_not_find_was_read_as_nothing},
      {"logs have blanks and hints", logs_have_blanks_and_hints},
      {"TimeKiller has words and names", timekiller_has_words_and_names},
      {"TimeKiller has timestamps as strings",
       timekiller_has_timestamps_as_strings},
      {"TimeKiller has numbers in strings", timekiller_has_numbers_in_strings},
      {"VeriStrong is read", veristrong_is_read},
      {"dbcop is read as it was", dbcop_is_read_as_it_was},
      {"Cobra names the transaction that was read",
       cobra_names_the_transaction_that_was_read});
}

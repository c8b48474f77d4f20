// SPDX-License-Identifier: GPL-3.0-or-later
// Things that Jepsen's tests write besides the plainest of histories, and what
// is made of it.
#include "config.h"

#include "tests/kit/foreign.h"

static void what_is_not_a_client_s_may_be_anything(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :info :process :nemesis :f :start :value [[:n1 :n2] [:n3]]}"
       "{:type :info :f :kill :value [{\"n1\" 3} #{n2}] :process :nemesis}"
       "{:type :info :f :kill :value [:x [[1 [2]] 3] 4] :process :nemesis}"
       "{:type :ok :process 0 :value [[:w 1 2]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {"elle-json",
       "{\"type\":\"info\",\"value\":[[[\"n1\"]],{}],\"process\":\"nemesis\"}"
       "{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,2]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"},
      {"edn", "{:type :ok :value [[:x 1] [2]] :process 3}",
       ":1:21: expected r, w, append, add, i, d or range"},
      {"edn", "{:type :info :value [[:x 1] [2 :process :nemesis}",
       ":1:23: expected r, w, append, add, i, d or range"},
      {"edn", "{:type :ok :f :delete :value 1 :process 3}",
       ":1:42: expected the function txn, read, write or cas of a client "
       "before the end of the operation"},
  };
  CHECK_TEXTS(texts);
}

static void processes_are_whole_numbers(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :process -1 :value [[:w 1 2]]}"
       "{:type :ok :process 18446744073709551614 :value [[:w 1 3]]}"
       "{:type :ok :process \"-1\" :value [[:w 1 4]]}"
       "{:type :info :process :-1 :value [[:w 1 5]]}"
       "{:type :info :process -1.5 :value [[:w 1 6]]}"
       "{:type :info :process - :value [[:w 1 7]]}"
       "{:type :ok :process :nemesis :value [[:w 1 8]]}"
       "{:type :invoke :process \"nemesis\" :value [[:w 1 9]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,3]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,2]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,4]]}\n"},
      {"elle-json",
       "{\"type\":\"ok\",\"process\":\"12\",\"value\":[[\"w\",1,2]]}"
       "{\"type\":\"ok\",\"process\":12,\"value\":[[\"w\",1,3]]}"
       "{\"type\":\"info\",\"process\":\"12 \",\"value\":[[\"w\",1,4]]}"
       "{\"type\":\"info\",\"process\":\"\",\"value\":[[\"w\",1,5]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"
       "{\"session\":0,\"ops\":[[\"w\",1,3]]}\n"},
      {"elle-json",
       "{\"type\":\"ok\",\"process\":\"client-1\",\"value\":[[\"w\",1,2]]}",
       ":1:54: expected a process of a client, which is a whole number, before "
       "the end of the operation"},
      {"edn", "{:process :c :value [[:w 1 2]] :type :fail}",
       ":1:43: expected a process of a client, which is a whole number, before "
       "the end of the operation"},
  };
  CHECK_TEXTS(texts);
}

// Without one, the next event without one is the completion of an invocation;
// nothing else says so.
static void invocations_without_a_process(void) {
#define NO_PROCESS                                                             \
  "expected a process, since another operation without one has not come "      \
  "back, before the end of the operation"
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :value [[:w 1 2]]}{:type :fail :value [[:w 1 3]]}"
       "{:process nil :type :info :value [[:w 1 4]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,3]],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"
       "{\"session\":2,\"ops\":[[\"w\",1,4]],\"outcome\":\"unknown\","
       "\"cause\":\"other\"}\n"},
      {"edn",
       "{:type :invoke :f :write :value 1}\n{:type :fail :f :write}\n"
       "{:type :ok :f :read :value 1}",
       "{\"session\":0,\"ops\":[[\"w\",0,1]],\"begin\":1,\"end\":2,"
       "\"outcome\":\"aborted\",\"cause\":\"other\"}\n"
       "{\"session\":1,\"ops\":[[\"r\",0,1]]}\n"},
      {"edn",
       "{:type :invoke :f :write :value 1}\n{:type :ok :f :write :value 1}\n"
       "{:type :invoke :f :read}\n{:type :ok :f :read :value 1}",
       "{\"session\":0,\"ops\":[[\"w\",0,1]],\"begin\":1,\"end\":2}\n"
       "{\"session\":1,\"ops\":[[\"r\",0,1]],\"begin\":3,\"end\":4}\n"},
      {"elle-json",
       "{\"type\":\"invoke\",\"client\":0,\"f\":\"write\",\"key\":1,\"value\":"
       "4}{\"type\":\"invoke\",\"client\":1,\"f\":\"write\",\"key\":1,"
       "\"value\":5}",
       ":1:116: " NO_PROCESS},
  };
  CHECK_TEXTS(texts);
}

static void keys_stand_before_values_of_registers(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :invoke :f :write :value [0 1] :process 0}"
       "{:type :ok :f :write :value [0 1] :process 0}"
       "{:type :ok :f :read :value [0 nil] :process 1}"
       "{:type :ok :f :cas :value [\"k\" [nil 7]] :process 1}"
       "{:value [\"k\" 7] :f :read :type :ok :process 2}"
       "{:type :fail :f :cas :value [0 [1 9]] :process 1}",
       "{\"session\":0,\"ops\":[[\"w\",0,1]],\"begin\":1,\"end\":2}\n"
       "{\"session\":1,\"ops\":[[\"r\",0,null]]}\n"
       "{\"session\":1,\"ops\":[[\"cas\",\"k\",null,7]]}\n"
       "{\"session\":1,\"ops\":[[\"cas\",0,1,9]],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"
       "{\"session\":2,\"ops\":[[\"r\",\"k\",7]]}\n"},
      {"edn",
       "{:type :ok :f :write :value [\"k\" \"v1\"] :process 0}"
       "{:type :ok :f :cas :value [\"k\" \"v1\" 3] :process 1}"
       "{:type :ok :f :cas :value [\"k\" nil \"v2\"] :process 0}",
       "{\"session\":0,\"ops\":[[\"w\",\"k\",\"v1\"]]}\n"
       "{\"session\":0,\"ops\":[[\"cas\",\"k\",null,\"v2\"]]}\n"
       "{\"session\":1,\"ops\":[[\"cas\",\"k\",\"v1\",3]]}\n"},
      {"edn", "{:type :ok :f :cas :value [1 2 3 4] :process 0}",
       ":1:34: expected a pair, such as [1 2], and ']'"},
      {"edn", "{:type :ok :value [1 2 3] :f :cas :process 0}",
       ":1:24: expected a pair, such as [1 2], and ']'"},
      // The elements of a set, in an order of its own, are no key and value.
      {"edn",
       "{:type :ok :f :write :value 1 :process 0}"
       "{:type :ok :f :read :value [1 2] :process 0}",
       ":1:85: expected a member value that is a vector of operations, or the "
       "value of a register, before the end of the operation"},
      {"edn", "{:type :ok :f :read :value [1 2 3] :process 0}",
       ":1:33: expected a pair, such as [1 2], and ']'"},
      {"edn", "{:type :ok :f :cas :value [1 [2 3 4]] :process 0}",
       ":1:35: expected two values and ']'"},
  };
  CHECK_TEXTS(texts);
}

// [VERSION VALUE] of a register, of which an invocation does not know one.
static void versions_are_no_keys(void) {
  static const struct foreign texts[] = {
      {"edn", "{:type :invoke :f :write :value [nil 3] :process 0}",
       ":1:51: expected a key that is not nil before the end of the operation"},
      {"edn", "{:type :invoke :f :read :value [nil nil] :process 0}",
       ":1:52: expected a key that is not nil before the end of the operation"},
      {"edn", "{:type :invoke :f :cas :value [nil [3 4]] :process 0}",
       ":1:53: expected a key that is not nil before the end of the operation"},
      {"elle-json",
       "{\"type\":\"invoke\",\"f\":\"write\",\"value\":[null,3],"
       "\"process\":0}",
       ":1:58: expected a key that is not nil before the end of the operation"},
      {"edn", "{:type :invoke :f :write :value [0 [nil 3]] :process 0}",
       ":1:55: expected a member value that is a vector of operations, or the "
       "value of a register, before the end of the operation"},
      {"edn", "{:type :ok :f :cas :value [nil 3] :process 0}",
       "{\"session\":0,\"ops\":[[\"cas\",0,null,3]]}\n"},
  };
  CHECK_TEXTS(texts);
}

// Equal ones of EDN are the same key, and what looks like one is none.
static void keys_may_be_collections(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :process 0 :value [[:w [1 2] 1] [:r (1N, +2) 1] "
       "[:w {:b 2, :a [nil]} 1] [:r {:a (nil) :b 2} 1] "
       "[:w #{\\] \"\\\\\\\"\" 1.5} 1] [:r #{1.5 \"\\\\\\\"\" \\]} 1] "
       "[:w {[3] #{}} 1] [:w nil 1] [:w true 1] [:w :k 1]]}",
       "{\"session\":0,\"ops\":[[\"w\",\"[1 2]\",1],[\"r\",\"[1 2]\",1],"
       "[\"w\",\"{:a [nil] :b 2}\",1],[\"r\",\"{:a [nil] :b 2}\",1],"
       "[\"w\",\"#{\\\"\\\\\\\\\\\\\\\"\\\" 1.5 \\\\]}\",1],"
       "[\"r\",\"#{\\\"\\\\\\\\\\\\\\\"\\\" 1.5 \\\\]}\",1],"
       "[\"w\",\"{[3] #{}}\",1],[\"w\",\"nil\",1],[\"w\",true,1],"
       "[\"w\",\":k\",1]]}\n"},
      {"elle-json",
       "{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",[1,\"a\",null],1],"
       "[\"w\",{\"b\":-2,\"a\":[]},1],[\"r\",{\"a\":[],\"b\":-2},1]]}",
       "{\"session\":0,\"ops\":[[\"w\",\"[1 \\\"a\\\" nil]\",1],"
       "[\"w\",\"{\\\"a\\\" [] \\\"b\\\" -2}\",1],"
       "[\"r\",\"{\\\"a\\\" [] \\\"b\\\" -2}\",1]]}\n"},
      {"edn",
       "{:type :ok :f :write :value [[1 2] 3] :process 0}"
       "{:type :ok :f :cas :value [[1 2] [3 4]] :process 0}"
       "{:type :ok :f :read :value [{} nil] :process 0}"
       "{:type :ok :f :read :value [[:r 1 2] [:r 3 nil]] :process 0}",
       "{\"session\":0,\"ops\":[[\"w\",\"[1 2]\",3]]}\n"
       "{\"session\":0,\"ops\":[[\"cas\",\"[1 2]\",3,4]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",\"{}\",null]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",1,2],[\"r\",3,null]]}\n"},
      {"edn", "{:type :ok :f :read :key [5] :value 6 :process 0}",
       "{\"session\":0,\"ops\":[[\"r\",\"[5]\",6]]}\n"},
      {"edn", "{:type :ok :key [1] :f :read :value 3 :process 0}",
       ":1:49: expected a member value that is a vector of operations, or the "
       "value of a register, before the end of the operation"},
      {"edn", "{:type :ok :value [[:w {1} 2]]}",
       ":1:27: expected a value for each key of the map"},
      {"edn", "{:type :ok :value [[:w\n[1 {2",
       ":2:6: expected a key, but the file ends"},
  };
  CHECK_TEXTS(texts);
}

static void values_may_be_collections(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :process 0 :value [[:append [] {:a 1}] [:append [] [2 #{}]] "
       "[:r [] [{:a 1} (2 #{})]] [:w 1 {:x #{}}] [:r 1 {:x #{}}]]}",
       "{\"session\":0,\"ops\":[[\"append\",\"[]\",\"{:a 1}\"],"
       "[\"append\",\"[]\",\"[2 #{}]\"],"
       "[\"r\",\"[]\",[\"{:a 1}\",\"[2 #{}]\"]],[\"w\",1,\"{:x #{}}\"],"
       "[\"r\",1,\"{:x #{}}\"]]}\n"},
      {"edn", "{:type :ok :process 0 :value [[:w 1 [2]]]}",
       ":1:37: expected the value that is written, which may be a vector or a "
       "set with --model=register"},
      {"edn", "{:type :ok :process 0 :value [[:w :x 0] [:r :x #{0}]]}",
       "{\"session\":0,\"ops\":[[\"add\",\":x\",0],"
       "[\"r\",\":x\",{\"set\":[0]}]]}\n"},
      {"edn",
       "{:type :ok :process 0 :f :write :value 3}"
       "{:type :info :process :nemesis :f :read :value #{3 [4]}}"
       "{:type :ok :process 0 :f :read :value #{3 [4]}}",
       ":1:137: expected the value of a register, which may be a set or a map "
       "with --model=register if one is written as a whole"},
      {"edn", "{:type :ok :process 0 :f :read :value {0 10, 1 10}}",
       ":1:39: expected the value of a register, which may be a set or a map "
       "with --model=register if one is written as a whole"},
      {"elle-json",
       "{\"type\":\"ok\",\"process\":0,\"f\":\"read\",\"value\":{\"0\":10}}",
       ":1:45: expected the value of a register, which may be a set or a map "
       "with --model=register if one is written as a whole"},
      {"edn", "{:type :ok :process 0 :f :read :value [1 #{3}]}",
       ":1:43: expected the value of a register, which may be a set or a map "
       "with --model=register if one is written as a whole"},
      {"edn", "{:type :ok :process 0 :value {0 1} :f :write}",
       ":1:45: expected a member value that is a vector of operations, or the "
       "value of a register, before the end of the operation"},
  };
  static const struct foreign registers[] = {
      {"edn", "{:type :ok :process 0 :value [[:w 1 [2 3]] [:r 1 (2 3)]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,\"[2 3]\"],[\"r\",1,\"[2 3]\"]]}\n"},
      {"elle-json",
       "{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,[2]],[\"r\",1,null]]"
       "}",
       "{\"session\":0,\"ops\":[[\"w\",1,\"[2]\"],[\"r\",1,null]]}\n"},
      {"edn", "{:type :ok :process 0 :value [[:append 1 2]]}",
       ":1:32: expected r or w, with --model=register"},
      {"edn", "{:type :ok :process 0 :f :read :value #{3 [4]}}",
       ": line 1 reads a list, a set or a map, and none is written as a whole: "
       "with --model=register it would be a value that nobody wrote; leave the "
       "option out"},
      {"edn",
       "{:type :ok :process 0 :f :write :value #{3 [4]}}"
       "{:type :ok :process 0 :f :read :value #{3 [4]}}",
       "{\"session\":0,\"ops\":[[\"w\",0,\"#{3 [4]}\"]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",0,\"#{3 [4]}\"]]}\n"},
      {"edn", "{:type :ok :f :cas :value [[1 2] [nil {:x 4}]] :process 0}",
       "{\"session\":0,\"ops\":[[\"cas\",\"[1 2]\",null,\"{:x 4}\"]]}\n"},
      {"edn",
       "{:type :ok :f :write :key [5] :value {6 7} :process 0}"
       "{:type :ok :f :read :key [5] :value {6 7} :process 0}",
       "{\"session\":0,\"ops\":[[\"w\",\"[5]\",\"{6 7}\"]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",\"[5]\",\"{6 7}\"]]}\n"},
      {"edn", "{:type :ok :process 0 :value [[:w 1 #{2}] [:r 1 #{2}]]}",
       "{\"session\":0,\"ops\":[[\"w\",1,\"#{2}\"],[\"r\",1,\"#{2}\"]]}\n"},
  };
  CHECK_TEXTS(texts);
  model = MODEL_REGISTER;
  CHECK_TEXTS(registers);
  model = MODEL_BY_CONTENT;
}

// A key that is long, and deep; what is no client's may be longer.
static void collections_are_bounded(void) {
  enum { LONG = 40000, DEEP = 300 };
  char *text = xmalloc(LONG + 200);
  const char *const sentences[] = {
      ": expected a key or a value of less than 32 KiB",
      ": expected brackets in brackets, 256 deep at most"};
  for (int deep = 0; deep < 2; deep++) {
    char *p = stpcpy(text, "{:type :ok :value [[:w [");
    for (int i = 0; i < (deep ? DEEP : LONG / 2); i++)
      p = stpcpy(p, deep ? "[" : "1 ");
    stpcpy(p, "] 2]]}");
    char *lines = as_lines("edn", text, strlen(text));
    CHECK(strstr(lines, sentences[deep]) != NULL);
    free(lines);
  }
  char *p =
      stpcpy(text, "{:type :info :process :nemesis :f :start :value {1 \"");
  memset(p, 'x', LONG);
  stpcpy(p + LONG, "\"}}{:type :ok :value [[:w 1 2]]}");
  char *lines = as_lines("edn", text, strlen(text));
  CHECK_STR(lines, "{\"session\":0,\"ops\":[[\"w\",1,2]]}\n");
  free(lines);
  free(text);
}

static void failures_need_not_repeat_what_was_invoked(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :invoke :f :cas :value [nil 2] :process 0}"
       "{:type :info :f :cas :value :timed-out :process 0}"
       "{:type :invoke :f :write :value 3 :process 1}"
       "{:type :fail :f :write :value [[:oh \"no\"]] :process 1}",
       "{\"session\":0,\"ops\":[[\"cas\",0,null,2]],\"begin\":1,\"end\":2,"
       "\"outcome\":\"unknown\",\"cause\":\"other\"}\n"
       "{\"session\":1,\"ops\":[[\"w\",0,3]],\"begin\":3,\"end\":4,"
       "\"outcome\":\"aborted\",\"cause\":\"other\"}\n"},
  };
  CHECK_TEXTS(texts);
}

// The time of an operation that was not invoked says nothing.
static void the_first_invocation_tells_whether_times_count(void) {
  static const struct foreign texts[] = {
      {"edn",
       "{:type :ok :process 0 :value []}"
       "{:type :invoke :process 1 :value [] :time 70}"
       "{:type :ok :process 1 :value [] :time 90}",
       "{\"session\":0,\"ops\":[]}\n"
       "{\"session\":1,\"ops\":[],\"begin\":70,\"end\":90}\n"},
      {"edn",
       "{:type :ok :process 0 :value [] :time 50}"
       "{:type :invoke :process 1 :value []}"
       "{:type :ok :process 1 :value [] :time 90}",
       "{\"session\":0,\"ops\":[]}\n"
       "{\"session\":1,\"ops\":[],\"begin\":2,\"end\":3}\n"},
  };
  CHECK_TEXTS(texts);
}

int main(void) {
  RUN_FOREIGN({"what is not a client's may be anything",
               what_is_not_a_client_s_may_be_anything},
              {"processes are whole numbers", processes_are_whole_numbers},
              {"invocations without a process", invocations_without_a_process},
              {"keys stand before values of registers",
               keys_stand_before_values_of_registers},
              {"versions are no keys", versions_are_no_keys},
              {"keys may be collections", keys_may_be_collections},
              {"values may be collections", values_may_be_collections},
              {"collections are bounded", collections_are_bounded},
              {"failures need not repeat what was invoked",
               failures_need_not_repeat_what_was_invoked},
              {"the first invocation tells whether times count",
               the_first_invocation_tells_whether_times_count});
}

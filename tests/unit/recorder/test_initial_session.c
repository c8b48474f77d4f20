// SPDX-License-Identifier: GPL-3.0-or-later
// The values that were there before everything: a session of Plume's text that
// does nothing but write 0, and what Viper's logs call initial; and what is
// nothing where 0 is a value.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "recorder/files/writer.h"
#include "tests/kit/made_history.h"

#include <unistd.h>

static char in[] = "/tmp/isostress-initial.XXXXXX";
static char out[] = "/tmp/isostress-initial-lines.XXXXXX";

static char *written(void) {
  struct error error;
  size_t bytes;
  return (char *)file_load(out, SIZE_MAX - 1, &bytes, &error);
}

static char *written_as(const struct read_options *options,
                        const struct history_format *format) {
  struct history h;
  struct error error = {0};
  CHECK(!history_read_with(in, options, &h, &error));
  CHECK_STR(error.text, "");
  CHECK(history_is_sound(&h));
  CHECK(!history_write(out, format, &h, NULL, &error));
  history_free(&h);
  return written();
}

static void check_lines_of(const char *source, const char *text,
                           enum initial initial, const char *target,
                           const char *lines) {
  const struct read_options options = {.format = source, .initial = initial};
  struct error error;
  const struct history_format *format = history_format_named(target, &error);
  FILE *file = fopen(in, "w");
  CHECK(file && fputs(text, file) >= 0 && !fclose(file));
  char *got = written_as(&options, format);
  CHECK_STR(got, lines);
  free(got);
}

static void check_lines(const char *text, enum initial initial,
                        const char *target, const char *lines) {
  check_lines_of("plume", text, initial, target, lines);
}

#define REST "w(1,5,1,1)\nr(1,0,1,2)\nr(2,0,1,2)\n"
#define REST_LINES                                                             \
  "{\"session\":1,\"ops\":[[\"w\",1,5]]}\n"                                    \
  "{\"session\":1,\"ops\":[[\"r\",1,null],[\"r\",2,null]]}\n"

static void it_is_what_was_there_first(void) {
  static const char *const texts[] = {
      "w(1,0,0,0)\nw(2,0,0,0)\n" REST,
      "w(1,0,0,0)\n" REST, // of the others it need not be said
      REST "w(1,0,0,0)\nw(2,0,0,0)\n",
      "w(1,0,0,0)\nw(2,0,0,3)\n" REST, // one by one
      "w(1,0,0,0)\n" REST "w(2,0,0,0)\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    check_lines(texts[i], INITIAL_BY_FORMAT, "jsonl", REST_LINES);
    check_lines(texts[i], INITIAL_BY_FORMAT, "awdit",
                "w 1 5\n---\nr 1 0\nr 2 0\n");
  }
}

static void else_zero_is_a_value(void) {
  static const struct {
    const char *text, *lines;
  } texts[] = {
      // Its other operations could come in between,
      {"w(1,0,0,0)\nw(1,5,0,1)\nr(1,0,1,2)\n",
       "{\"session\":0,\"ops\":[[\"w\",1,0]]}\n"
       "{\"session\":0,\"ops\":[[\"w\",1,5]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",1,0]]}\n"},
      {"w(1,0,0,0)\nr(2,0,0,0)\nr(1,0,1,2)\n",
       "{\"session\":0,\"ops\":[[\"w\",1,0],[\"r\",2,0]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",1,0]]}\n"},
      {"w(1,0,0,0)\nw(2,0,0,-1)\nr(1,0,1,2)\n",
       "{\"session\":0,\"ops\":[[\"w\",1,0]]}\n"
       "{\"session\":0,\"ops\":[[\"w\",2,0]],\"outcome\":\"aborted\","
       "\"cause\":\"other\"}\n"
       "{\"session\":1,\"ops\":[[\"r\",1,0]]}\n"},
      // and so could what another one does that writes it.
      {"w(1,0,0,0)\nw(2,0,1,1)\nr(1,0,1,2)\n",
       "{\"session\":0,\"ops\":[[\"w\",1,0]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",2,0]]}\n"
       "{\"session\":1,\"ops\":[[\"r\",1,0]]}\n"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check_lines(texts[i].text, INITIAL_BY_FORMAT, "jsonl", texts[i].lines);
  check_lines("w(1,0,0,0)\nr(1,0,1,2)\n", INITIAL_EXPLICIT, "jsonl",
              "{\"session\":0,\"ops\":[[\"w\",1,0]]}\n"
              "{\"session\":1,\"ops\":[[\"r\",1,0]]}\n");
}

#define FIRST                                                                  \
  "{\"value\":[[\"w\",1,5,true],[\"w\",2,6,true]],\"isInitial\":true}\n"
#define READS                                                                  \
  "{\"value\":[[\"r\",1,5,false],[\"r\",1,\"nil\",false]]}\n"                  \
  "{\"value\":[[\"r\",3,\"nil\",false],[\"w\",2,5,true]]}\n"

static void a_transaction_may_be_called_initial(void) {
  static const char *const texts[] = {READS FIRST, FIRST READS};
  for (size_t i = 0; i < 2; i++) {
    check_lines_of("viper-json", texts[i], INITIAL_BY_FORMAT, "jsonl",
                   "{\"session\":0,\"ops\":[[\"r\",1,null],"
                   "[\"r\",1,4611686018427387903]]}\n" // of thin air
                   "{\"session\":0,\"ops\":[[\"r\",3,null],[\"w\",2,5]]}\n");
    check_lines_of("viper-json", texts[i], INITIAL_BY_FORMAT, "awdit",
                   "r 1 0\nr 1 4611686018427387903\n---\nr 3 0\nw 2 5\n");
  }
  check_lines_of("viper-json", FIRST, INITIAL_EXPLICIT, "jsonl",
                 "{\"session\":0,\"ops\":[[\"w\",1,5],[\"w\",2,6]]}\n");
}

static void what_is_there_first_is_not_written(void) {
  static const char text[] = FIRST "{\"value\":[[\"w\",1,5,true]]}\n";
  const struct read_options options = {.format = "viper-json"};
  struct history h;
  struct error error;
  FILE *file = fopen(in, "w");
  CHECK(file && fputs(text, file) >= 0 && !fclose(file));
  CHECK(history_read_with(in, &options, &h, &error) < 0);
  CHECK(strstr(error.text, "writes 0 to key 1, which is its initial value"));
}

#define WRITES_0                                                               \
  "{\"sid\":1,\"ops\":[{\"t\":\"w\",\"k\":1,\"v\":0},{\"t\":\"r\",\"k\":1,"    \
  "\"v\":0}]}"
#define READS_NOTHING                                                          \
  "{\"sid\":0,\"ops\":[{\"t\":\"r\",\"k\":1,\"v\":null},{\"t\":\"r\",\"k\":2}" \
  "]}"
#define READS_0 "{\"sid\":0,\"ops\":[{\"t\":\"r\",\"k\":2,\"v\":0}]}"

static void nothing_is_not_a_zero_that_was_written(void) {
  static const struct {
    const char *text, *lines, *as_awdit;
  } texts[] = {
      {"[" READS_NOTHING "," READS_0 "," WRITES_0 "]",
       "{\"session\":0,\"ops\":[[\"r\",1,null],[\"r\",2,null]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",2,null]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,0],[\"r\",1,0]]}\n",
       "r 1 0\nr 2 0\n---\nr 2 0\n===\nw 1 1\nr 1 1\n"},
      {"[" READS_NOTHING "," READS_0 "]",
       "{\"session\":0,\"ops\":[[\"r\",1,null],[\"r\",2,null]]}\n"
       "{\"session\":0,\"ops\":[[\"r\",2,null]]}\n",
       "r 1 0\nr 2 0\n---\nr 2 0\n"},
      {"[" READS_0 "," WRITES_0 "]",
       "{\"session\":0,\"ops\":[[\"r\",2,null]]}\n"
       "{\"session\":1,\"ops\":[[\"w\",1,0],[\"r\",1,0]]}\n",
       "r 2 0\n===\nw 1 1\nr 1 1\n"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    check_lines_of("timekiller", texts[i].text, INITIAL_BY_FORMAT, "jsonl",
                   texts[i].lines);
    check_lines_of("timekiller", texts[i].text, INITIAL_BY_FORMAT, "awdit",
                   texts[i].as_awdit);
  }
}

static void nothing_is_nobodys_where_all_was_written(void) {
  static const struct {
    const char *format, *text, *key;
  } texts[] = {
      {"jsonl", "{\"ops\":[[\"r\",1,null],[\"w\",1,0]]}", "1"},
      {"dbcop-json", "[[{\"events\":[[\"r\",1,null],[\"w\",1,0]]}]]", "1"},
      {"text", "[x==? x:=0]", "\"x\""},
      {"timekiller",
       "[{\"ops\":[{\"t\":\"r\",\"k\":1},{\"t\":\"w\",\"k\":1,\"v\":0}]}]",
       "1"},
      {"viper-json", "{\"value\":[[\"r\",1,\"nil\"],[\"w\",1,0]]}", "1"},
      {"edn", "{:type :ok :value [[:r 1 nil] [:w 1 0]]}", "1"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *lines = xasprintf("{\"session\":0,\"ops\":[[\"r\",%s,"
                            "4611686018427387903],[\"w\",%s,0]]}\n",
                            texts[i].key, texts[i].key);
    check_lines_of(texts[i].format, texts[i].text, INITIAL_EXPLICIT, "jsonl",
                   lines);
    free(lines);
    lines = xasprintf("{\"session\":0,\"ops\":[[\"r\",%s,null],"
                      "[\"w\",%s,0]]}\n",
                      texts[i].key, texts[i].key);
    check_lines_of(texts[i].format, texts[i].text, INITIAL_FIRST_READ, "jsonl",
                   lines);
    free(lines);
  }
}

// At the end of the numbers, behind which there are texts.
static void nothing_is_no_other_value(void) {
#define TEXTS                                                                  \
  "[\"w\",2,\"a\"],[\"w\",3,4611686022722355201],"                             \
  "[\"w\",4,4611686022722355200],[\"r\",2,"
  static const struct {
    const char *largest, *as_awdit, *in_awdit, *in_jsonl;
  } ends[] = {
      {"4611686018427387902",
       "w 2 4611686018427387904\nw 3 4611686018427387905\n"
       "w 4 4611686018427387906\n",
       "4611686018427387903", "4611686018427387903"},
      {"4611686018427387903", "w 2 1\nw 3 2\nw 4 3\n", "4294967296",
       "4611686022722355202"},
  };
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char *text =
        xasprintf("{\"session\":0,\"ops\":[[\"w\",1,%s]," TEXTS "null]]}\n",
                  ends[i].largest);
    char *lines = xasprintf("w 1 %s\n%sr 2 %s\n", ends[i].largest,
                            ends[i].as_awdit, ends[i].in_awdit);
    check_lines_of("jsonl", text, INITIAL_EXPLICIT, "awdit", lines);
    free(lines);
    lines = xasprintf("{\"session\":0,\"ops\":[[\"w\",1,%s]," TEXTS "%s]]}\n",
                      ends[i].largest, ends[i].in_jsonl);
    check_lines_of("jsonl", text, INITIAL_EXPLICIT, "jsonl", lines);
    free(lines);
    free(text);
  }
}

int main(void) {
  close(mkstemp(in));
  close(mkstemp(out));
  const int status = TAP_RUN(
      {"the initial session wrote what was there first",
       it_is_what_was_there_first},
      {"without an initial session, zero is a value", else_zero_is_a_value},
      {"a transaction may be called initial",
       a_transaction_may_be_called_initial},
      {"what is there first is not written",
       what_is_there_first_is_not_written},
      {"nothing is not a zero that was written",
       nothing_is_not_a_zero_that_was_written},
      {"nothing is nobody's where all was written",
       nothing_is_nobodys_where_all_was_written},
      {"nothing is no other value", nothing_is_no_other_value});
  unlink(in);
  unlink(out);
  return status;
}

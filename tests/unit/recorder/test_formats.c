// SPDX-License-Identifier: GPL-3.0-or-later
// Histories in other tools' formats: what they say, what is said of damaged
// ones, and that none does any harm.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "tests/kit/made_history.h"

#include <sys/stat.h>
#include <unistd.h>

// The files of tests/histories/formats, and what is in them.
static const struct sample {
  const char *path, *format;
  uint32_t sessions, committed, aborted, unknown, operations;
  uint32_t initial, thin_air; // reads of these
} samples[] = {
    {"edn.edn", "edn", 3, 3, 1, 2, 8, 0, 0},
    {"edn-lists.edn", "edn", 3, 4, 0, 0, 9, 0, 0},
    {"edn-sets.edn", "edn", 3, 3, 1, 0, 12, 4, 0},
    {"sets.jsonl", "jsonl", 3, 3, 1, 0, 11, 4, 0},
    {"sets.hist", "text", 3, 4, 1, 0, 15, 4, 0},
    {"edn-collections.edn", "edn", 3, 3, 0, 0, 5, 1, 0},
    {"elle-collections.json", "elle-json", 3, 3, 0, 0, 5, 1, 0},
    {"edn-register.edn", "knossos", 2, 4, 1, 0, 5, 1, 0},
    {"elle.json", "elle-json", 3, 3, 0, 0, 5, 0, 0},
    {"lines.jsonl", "jsonl", 3, 3, 1, 1, 10, 1, 0},
    {"dbcop.json", "dbcop-json", 3, 3, 1, 0, 7, 1, 0},
    {"dbcop-compact.json", "dbcop-json", 3, 4, 0, 0, 6, 1, 0},
    {"dbcop-generated.json", "dbcop-json", 2, 3, 0, 0, 6, 1, 0},
    {"dbcop.hist", "text", 3, 3, 1, 0, 6, 0, 0},
    {"dbcop.bincode", "bincode", 3, 3, 1, 0, 6, 0, 0},
    {"polysi.txt", "plume", 3, 4, 0, 0, 6, 1, 0},
    {"plume.txt", "plume", 3, 2, 1, 0, 5, 2, 0},
    {"plume-mixed.txt", "plume", 3, 2, 1, 0, 5, 2, 0},
    {"awdit.txt", "awdit", 3, 4, 0, 0, 6, 1, 0},
    {"timekiller.json", "timekiller", 3, 4, 0, 0, 8, 1, 0},
    {"plume-list.edn", "edn", 3, 3, 1, 0, 6, 0, 0},
    {"porcupine-kv.edn", "porcupine-kv", 3, 5, 0, 1, 6, 1, 0},
    {"porcupine.log", "porcupine", 3, 3, 1, 1, 4, 0, 0},
    {"jepsen-history.txt", "jepsen", 4, 2, 1, 1, 6, 0, 0},
    {"jepsen.log", "jepsen", 2, 3, 0, 0, 3, 0, 0},
    {"etcd-report", "etcd-report", 2, 5, 0, 1, 6, 1, 0},
    {"cobra", "cobra", 3, 4, 0, 0, 6, 1, 0},
    {"cobra-timed.log", "cobra", 1, 1, 0, 0, 1, 0, 0},
    {"viper-edn", "edn", 3, 4, 0, 0, 9, 1, 0},
    {"viper-json", "viper-json", 2, 2, 0, 0, 6, 4, 0},
    {"viper-range", "viper-json", 2, 3, 0, 0, 13, 8, 0},
    {"closed-predicate.edn", "closed-predicate", 2, 3, 1, 1, 12, 9, 0},
    {"veristrong.txt", "veristrong", 3, 5, 0, 0, 7, 0, 0},
};
enum { NSAMPLES = sizeof samples / sizeof *samples };

static char *path_of(const char *name) {
  const char *top = getenv("TOP_SRCDIR");
  return xasprintf("%s/tests/histories/formats/%s", top ? top : ".", name);
}

static void check_sample(const struct sample *s, const struct history *h) {
  uint32_t by_outcome[OUTCOME_COUNT] = {0}, initial = 0, thin_air = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    by_outcome[h->outcome[t]]++;
  for (uint32_t op = 0; op < h->nops; op++)
    if (op_reads(h->kind[op]) && !op_is_list(h->kind[op])) {
      initial += h->saw[op] == SAW_INITIAL;
      thin_air += h->saw[op] == SAW_THIN_AIR;
    }
  for (uint32_t list = 0; list < h->nlists; list++)
    for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
      thin_air += h->element[i] == SAW_THIN_AIR;
  CHECK_INT(h->nsessions, s->sessions);
  CHECK_INT(by_outcome[OUTCOME_OK], s->committed);
  CHECK_INT(by_outcome[OUTCOME_ABORTED], s->aborted);
  CHECK_INT(by_outcome[OUTCOME_UNKNOWN], s->unknown);
  CHECK_INT(h->nops, s->operations);
  CHECK_INT(initial, s->initial);
  CHECK_INT(thin_air, s->thin_air);
  CHECK(history_is_sound(h));
}

static void they_are_recognised_and_read(void) {
  for (int i = 0; i < NSAMPLES; i++) {
    struct history h;
    struct error error = {0};
    char *path = path_of(samples[i].path);
    const struct history_format *format = history_format_of(path, &error);
    if (CHECK(format != NULL))
      CHECK_STR(format->name, samples[i].format);
    if (CHECK(history_read(path, NULL, &h, &error) == 0))
      check_sample(&samples[i], &h);
    if (tap_failures)
      printf("# in %s: %s\n", path, error.text);
    history_free(&h);
    free(path);
  }
}

// The content of a sample, or of its last file if it is a directory.
static unsigned char *content(const struct sample *s, size_t *bytes) {
  struct error error;
  struct file_list list = {0};
  struct stat st;
  char *path = path_of(s->path);
  CHECK(stat(path, &st) == 0);
  if (S_ISDIR(st.st_mode))
    CHECK(!file_list(path, "*", &list, &error) &&
          !file_list(path, "*/*", &list, &error) && list.count > 0);
  unsigned char *data =
      file_load(list.count ? list.paths[list.count - 1] : path, SIZE_MAX - 1,
                bytes, &error);
  CHECK(data && *bytes > 0);
  file_list_free(&list);
  free(path);
  return data;
}

// Reads bytes as a file of the format: what is accepted has to be sound, what
// is refused has to be refused with a sentence that starts with the path.
static int read_bytes(const unsigned char *data, size_t bytes,
                      const char *format) {
  char path[] = "/tmp/isostress-formats.XXXXXX";
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
  close(fd);
  struct history h;
  struct error error = {0};
  const int status = history_read(path, format, &h, &error);
  if (status == 0)
    CHECK(history_is_sound(&h));
  else
    CHECK(strncmp(error.text, path, strlen(path)) == 0 &&
          error.text[strlen(path)] == ':');
  history_free(&h);
  unlink(path);
  return status;
}

static bool has_sample(const struct history_format *format) {
  bool found = false;
  for (int i = 0; i < NSAMPLES; i++)
    found |= !strcmp(samples[i].format, format->name);
  return found;
}

static void cut_at_every_byte_they_do_no_harm(void) {
  for (int f = 0; history_formats[f]; f++) // ours is in test_salvage
    CHECK(has_sample(history_formats[f]) ||
          !strcmp(history_formats[f]->name, "isostress"));
  for (int i = 0; i < NSAMPLES; i++) {
    size_t bytes;
    unsigned char *data = content(&samples[i], &bytes);
    for (size_t n = 0; data && n < bytes; n++)
      read_bytes(data, n, samples[i].format);
    free(data);
  }
}

static void damaged_they_do_no_harm(void) {
  for (int i = 0; i < NSAMPLES; i++) {
    size_t bytes;
    unsigned char *data = content(&samples[i], &bytes);
    for (size_t at = 0; data && at < bytes; at++)
      for (unsigned mask = 1; mask < 256; mask *= 4) {
        data[at] ^= (unsigned char)mask;
        read_bytes(data, bytes, samples[i].format);
        data[at] ^= (unsigned char)mask;
      }
    free(data);
  }
}

// Every format has to say what it makes of every other's files.
static void taken_for_another_they_do_no_harm(void) {
  for (int i = 0; i < NSAMPLES; i++) {
    size_t bytes;
    unsigned char *data = content(&samples[i], &bytes);
    for (int f = 0; data && history_formats[f]; f++)
      read_bytes(data, bytes, history_formats[f]->name);
    free(data);
  }
}

static const char *complaint(const char *format, const char *text) {
  static struct error error;
  char path[] = "/tmp/isostress-formats.XXXXXX";
  struct history h;
  int fd = mkstemp(path);
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  CHECK_INT(history_read(path, format, &h, &error), -1);
  history_free(&h);
  unlink(path);
  return error.text + strlen(path);
}

static void mistakes_are_placed(void) {
  static const struct {
    const char *format, *text, *complaint;
  } cases[] = {
      {"edn", "{:type :ok, :process 1,\n :value [[:x 1 2]]}",
       ":2:11: expected r, w, append, add, i, d or range"},
      {"edn", "{:type :ok, :process 1, :value [[:r 1 [2 3",
       ":1:43: expected an "
       "element of the list, or ']', but the file ends"},
      {"edn", "{:type :maybe}", ":1:8: expected invoke, ok, fail or info"},
      {"edn", "{:process 1, :value [[:w 1 nil]]}",
       ":1:28: expected the value that is written"},
      {"edn", "[{:type :ok, :process 1, :value []}",
       ":1:36: expected the next operation, or ']' at the end of all, but the "
       "file ends"},
      {"edn",
       "{:type :ok :process 1 :value [[:w 1 1]]}\n"
       "{:type :ok :process 1 :value [[:w 1 1]]}",
       ": value 1 is written to key 1 twice, in session 0, transaction 0 and "
       "in session 0, transaction 1: values must be unique per key (or "
       "--duplicate-values=allow)"},
      {"edn",
       "{:type :invoke :process 1 :value []}\n"
       "{:type :invoke :process 1 :value []}",
       ":2:36: expected the completion of what this process invoked before"},
      {"edn", "{:type :ok \"",
       ":1:13: expected '\"' at the end of the string, "
       "but the file ends"},
      {"jsonl", "{\"ops\":[[\"w\",\"x\",null]]}",
       ":1:18: expected the value that is written"},
      {"jsonl", "{\"ops\":[],\"endpoint\":255}",
       ":1:22: expected the number of a host, from 0"},
      {"jsonl", "{\"session\":1}\n",
       ":1:13: expected a member ops before the end of the transaction"},
      {"jsonl", "{\"ops\":[],\"begin\":5,\"end\":4}",
       ":1:28: expected an end that is not before the begin"},
      {"plume", "w(1,2,3,4)\nr(1,2,x,4)",
       ":2:7: expected the number of a session"},
      {"awdit", "w 1 2\nx",
       ":2:1: expected r KEY VALUE, w KEY VALUE, --- or "
       "==="},
      {"dbcop-json", "[[{\"events\":[{\"Write\":{\"variable\":1}}]}]]",
       ":1:36: expected a variable and a version before the end of the event"},
      {"timekiller", "[{\"ops\":[{\"t\":\"q\"}]}]",
       ":1:15: expected r, w or a"},
      {"porcupine-kv",
       "{:process 0 :type :ok :f :put :key 1 :value \"ab\"}\n"
       "{:process 0 :type :ok :f :append :key 1 :value \"ab\"}",
       ": \"ab\" is appended to its key twice: reads cannot be taken apart"},
      {"porcupine-kv",
       "{:process 0 :type :ok :f :put :key 1 :value \"ab\"}\n"
       "{:process 0 :type :ok :f :append :key 1 :value \"a\"}\n"
       "{:process 0 :type :ok :f :append :key 1 :value \"b\"}\n"
       "{:process 0 :type :ok :f :get :key 1 :value \"ab\"}",
       ": \"ab\" can be taken apart in several ways"},
      {"porcupine-kv",
       "{:process :nemesis :type :info :f :start}\n"
       "{:process 0 :type :ok :f :delete :key 1 :value \"ab\"}",
       ":2:52: expected the function get, put or append of a client before the "
       "end of the operation"},
      {"porcupine-kv", "{:process :a :type :ok :f :put :key 1 :value \"ab\"}",
       ":1:50: expected a process, which is a whole number, before the end of "
       "the operation"},
      {"porcupine-kv",
       "{:process 0 :type :invoke :f :put :key 1 :value \"ab\"}\n"
       "{:process 0 :type :ok :f :put :key 1 :value \"b\"}",
       ": \"b\" differs from the operation that was invoked"},
      {"porcupine", "x jepsen.util - 0\t:invoke\t:swap\t1",
       ":1:27: expected :read, :write or :cas"},
      {"jepsen", "0\t:ok\t:swap\t1\n",
       ":1:13: expected the function txn, read, write or cas of a client "
       "before the end of the operation"},
      {"jepsen", "\n0\t:invoke\t:read\tnil\n0\t:invoke\t:read\tnil\n",
       ":3:17: expected the completion of what this process invoked before"},
      {"edn",
       "{:type :invoke :value [[:append 1 1]]}\n"
       "{:type :invoke :value [[:append 1 2]]}",
       ":2:38: expected a process, since another operation without one has not "
       "come back, before the end of the operation"},
      {"etcd-report",
       "{\"ClientId\":1,\"Input\":{\"Type\":\"range\",\"Range\":{\"Start\":1}}"
       "}",
       ":1:56: expected a key"},
      {"etcd-report",
       "{\"ClientId\":1,\"Input\":{\"Type\":\"range\"},\"Call\":5,\"Output\":{}"
       ","
       "\"Return\":4}",
       ":1:71: expected a return that is not before the call"},
      {"cobra", "X", ": byte 1: expected the letter S, R, W or C before here"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_STR(complaint(cases[i].format, cases[i].text), cases[i].complaint);
}

// Equal and backward clocks say nothing: the order of the events does.
static void real_time_is_the_order_of_events(void) {
  static const char text[] = "{:type :invoke :process 0 :time 5 :value []}"
                             "{:type :ok :process 0 :time 5 :value []}"
                             "{:type :invoke :process 1 :time 5 :value []}"
                             "{:type :invoke :process 2 :time 3 :value []}"
                             "{:type :ok :process 1 :time 4 :value []}"
                             "{:type :invoke :process 0 :value []}"
                             "{:type :ok :process 0 :time 9 :value []}"
                             "{:type :ok :process 2 :time 1 :value []}";
  char path[] = "/tmp/isostress-formats.XXXXXX";
  struct history h;
  struct error error;
  int fd = mkstemp(path);
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  CHECK_INT(history_read(path, NULL, &h, &error), 0);
  unlink(path);
  CHECK_INT(h.ntxns, 4); // of process 0 the first two
  CHECK(h.end[0] < h.begin[2] && h.end[0] < h.begin[3]);
  CHECK(h.end[2] < h.begin[1] && h.end[2] >= h.begin[3]);
  CHECK(h.end[3] >= h.begin[1] && h.end[1] >= h.begin[3]);
  history_free(&h);
}

// Brackets and discards in brackets and discards, and texts beyond the window.
static void depth_and_length_are_bounded(void) {
  enum { LARGE = 1 << 20 };
  static const char *const starts[] = {"{:x [", "{:x #_", "{:x \"",
                                       "{:x :", "{:x #"};
  char *text = xmalloc(LARGE + 1);
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    const size_t n = strlen(starts[i]);
    memset(text, starts[i][n - 1], LARGE);
    memcpy(text, starts[i], n);
    for (size_t at = n; starts[i][n - 1] == '_' && at + 2 < LARGE; at += 2)
      memcpy(text + at, "#_", 2);
    CHECK_INT(read_bytes((unsigned char *)text, LARGE, "edn"), -1);
  }
  static const char head[] = "{:type :ok :process 1 :error \"";
  static const char tail[] = "\" :value [[:w 1 1]]}";
  memset(text, 'x', LARGE);
  memcpy(text, head, sizeof head - 1);
  memcpy(text + LARGE - sizeof tail + 1, tail, sizeof tail - 1);
  CHECK_INT(read_bytes((unsigned char *)text, LARGE, "edn"), 0);
  free(text);
}

int main(void) {
  return TAP_RUN(
      {"they are recognised and read", they_are_recognised_and_read},
      {"mistakes are placed", mistakes_are_placed},
      {"real time is the order of events", real_time_is_the_order_of_events},
      {"cut at every byte they do no harm", cut_at_every_byte_they_do_no_harm},
      {"damaged they do no harm", damaged_they_do_no_harm},
      {"taken for another they do no harm", taken_for_another_they_do_no_harm},
      {"depth and length are bounded", depth_and_length_are_bounded});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples as step scripts: which order their operations get, and that
// what is written is read again as the same.
#include "config.h"

#include "recorder/files/reader.h"
#include "steps/commands.h"
#include "steps/interleave.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

// The text goes to a file of its own; the name is to be freed.
static char *write_file(const char *text) {
  char *path = xstrdup("/tmp/isostress-interleave-XXXXXX");
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
    abort();
  close(fd);
  return path;
}

static char *script_text(const struct script *script) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);
  script_put(file, script);
  fclose(file);
  return text;
}

static const struct script_names called = {.title = "T"};

// The script of all operations of a history; to be freed.
static char *script_of_all(const struct history *history, bool *sees_last) {
  struct script script;
  uint32_t ops[64];
  for (uint32_t op = 0; op < history->nops; op++)
    ops[op] = op;
  if (history->rows) {
    uint8_t statement[64], key[64];
    memset(statement, 1, sizeof statement);
    memset(key, 1, sizeof key);
    *sees_last =
        script_of_statements(history, statement, key, &called, &script);
  } else {
    *sees_last =
        script_of_history(history, ops, history->nops, &called, &script);
  }
  char *text = script_text(&script);
  script_free(&script);
  return text;
}

// Interleaves a history in the text notation.  Can each read see the version
// that was committed last?
static char *interleaved(const char *history_text, bool *sees_last) {
  struct history history = {0};
  struct error error = {0};
  char *path = write_file(history_text);
  CHECK_INT(history_read(path, "text", &history, &error), 0);
  unlink(path);
  free(path);
  char *text = script_of_all(&history, sees_last);
  history_free(&history);
  return text;
}

static void check_read_again(const char *text) {
  struct script script;
  struct error error = {0};
  char *path = write_file(text);
  CHECK_INT(script_read(path, &script, &error), 0);
  CHECK_STR(error.text, "");
  unlink(path);
  free(path);
  char *again = script_text(&script);
  CHECK_STR(again, text);
  free(again);
  script_free(&script);
}

// Every expectation also allows for the three other endings; without them, a
// script is easier to read.  In place.
static void leave_out_endings(char *text) {
  static const char endings[] = " | ok | aborts | blocks";
  char *found;
  while ((found = strstr(text, endings)))
    memmove(found, found + sizeof endings - 1,
            strlen(found + sizeof endings - 1) + 1);
}

// Is it this script, and read again as the same?  Frees the text.
static void check_text(char *text, const char *script) {
  check_read_again(text);
  leave_out_endings(text);
  CHECK_STR(text, script);
  free(text);
}

static void check_script(const char *history, const char *script) {
  bool sees_last;
  check_text(interleaved(history, &sees_last), script);
}

static void without_times_side_by_side(void) {
  check_script("[x==? x:=1]\n---\n[x==? x:=2]\n",
               "# T\n"
               "S0: begin\n"
               "S1: begin\n"
               "S0: read x => initial (seen)\n"
               "S1: read x => initial (seen)\n"
               "S0: write x v1 => ok (seen)\n"
               "S1: write x v2 => ok (seen)\n"
               "S0: commit => ok (seen)\n"
               "S1: commit => ok (seen)\n");
}

// The reader is first by its times, but saw what the writer wrote.
static void reads_follow_what_they_saw(void) {
  check_script("[x==1]@0..10\n---\n[x:=1]@5..30\n",
               "# T\n"
               "S0: begin\n"
               "S1: begin\n"
               "S1: write x v1 => ok (seen)\n"
               "S1: commit => ok (seen)\n"
               "S0: read x => v1 (seen)\n"
               "S0: commit => ok (seen)\n");
}

// A writer that was not seen commits only after the read, whatever the times.
static void unseen_writes_wait(void) {
  check_script("[x:=1]@0..10\n---\n[x==?]@20..30\n",
               "# T\n"
               "S0: begin\n"
               "S0: write x v1 => ok (seen)\n"
               "S1: begin\n"
               "S1: read x => initial (seen)\n"
               "S0: commit => ok (seen)\n"
               "S1: commit => ok (seen)\n");
}

static void aborted_writers_are_seen_before(void) {
  check_script("[x:=1]!\n---\n[x==1]\n", "# T\n"
                                         "S0: begin\n"
                                         "S1: begin\n"
                                         "S0: write x v1 => ok (seen)\n"
                                         "S1: read x => v1 (seen)\n"
                                         "S0: rollback => ok (seen)\n"
                                         "S1: commit => ok (seen)\n");
}

// If two transactions read each other's writes, one of them read before the
// other committed.
static void circles_are_written_first(void) {
  check_script("[x:=1 y==2]\n---\n[y:=2 x==1]\n",
               "# T\n"
               "S0: begin\n"
               "S1: begin\n"
               "S0: write x v1 => ok (seen)\n"
               "S1: write y v2 => ok (seen)\n"
               "S0: read y => v2 (seen)\n"
               "S0: commit => ok (seen)\n"
               "S1: read x => v1 (seen)\n"
               "S1: commit => ok (seen)\n");
}

static void lists_and_cas(void) {
  check_script("[l+=1]\n---\n[l==[1]]\n", "# T\n"
                                          "S0: begin\n"
                                          "S1: begin\n"
                                          "S0: append l v1 => ok (seen)\n"
                                          "S0: commit => ok (seen)\n"
                                          "S1: read l => [v1] (seen)\n"
                                          "S1: commit => ok (seen)\n");
  check_script("[x:?->1] [x:1->2]\n", "# T\n"
                                      "S0: begin\n"
                                      "S0: cas x initial v1 => ok (seen)\n"
                                      "S0: commit => ok (seen)\n"
                                      "S0: begin\n"
                                      "S0: cas x v1 v2 => ok (seen)\n"
                                      "S0: commit => ok (seen)\n");
}

// A long fork needs readers that see the old value before the new one; no order
// helps those that do not, nor sessions that go back.
static void some_reads_can_not_see_the_last(void) {
  static const struct {
    const char *history;
    bool sees_last;
  } cases[] = {
      {"[x:=1]\n---\n[y:=2]\n---\n[x==? y==2]\n---\n[y==? x==1]\n", true},
      {"[x:=1]\n---\n[y:=2]\n---\n[y==2 x==?]\n---\n[x==1 y==?]\n", false},
      {"[x:=1]\n---\n[x==1] [x==?]\n", false},
      {"[x:=1]\n---\n[x==1 y:=2]\n---\n[x==? y==2]\n", true},
      {"[x:=1]!\n---\n[x==1]\n", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool sees_last;
    char *text = interleaved(cases[i].history, &sees_last);
    if (!CHECK(sees_last == cases[i].sees_last))
      printf("# %s", text);
    free(text);
  }
}

// Each transaction goes to the host that it went to, and at its own level.
static void transactions_keep_host_and_level(void) {
  struct history history = {0};
  struct error error = {0};
  uint8_t hosts[] = {0, 0, 1};
  bool sees_last;
  char *path = write_file("[x:=1] [x:=2]\n---\n[x==2]\n");
  CHECK_INT(history_read(path, "text", &history, &error), 0);
  unlink(path);
  free(path);
  history.endpoint = hosts;
  history.level[0] = ISOLATION_SI;
  history.level[1] = ISOLATION_RC;
  history.level[2] = ISOLATION_SI;
  char *text = script_of_all(&history, &sees_last);
  check_read_again(text);
  leave_out_endings(text);
  CHECK_STR(text, "# T\n"
                  "S0: at 0\n"
                  "S0: begin si\n"
                  "S1: at 1\n"
                  "S1: begin si\n"
                  "S0: write x v1 => ok (seen)\n"
                  "S0: commit => ok (seen)\n"
                  "S0: begin rc\n"
                  "S0: write x v2 => ok (seen)\n"
                  "S0: commit => ok (seen)\n"
                  "S1: read x => v2 (seen)\n"
                  "S1: commit => ok (seen)\n");
  free(text);
  history.endpoint = NULL;
  history_free(&history);
}

static void take_step(struct step_result *results, uint32_t i, uint64_t begin) {
  results[i] = (struct step_result){.state = STEP_DONE, .begin = begin};
}

// The second write waits until the first transaction has committed; what its
// session does then was handed out before, but sent after.
static void commands_stand_where_they_were_sent(void) {
  struct script script;
  struct error error = {0};
  struct step_result results[6];
  char *text = NULL;
  size_t bytes = 0;
  char *path = write_file("A: begin\nB: begin\nA: write x a\nB: write x b\n"
                          "B: commit\nA: commit\n");
  CHECK_INT(script_read(path, &script, &error), 0);
  unlink(path);
  free(path);
  for (uint32_t i = 0; i < 4; i++)
    take_step(results, i, i + 1);
  take_step(results, 4, 9);
  take_step(results, 5, 5);
  static const struct driver driver = {.name = "sqlite"};
  static const struct typed_at at = {"sqlite:x.db", &driver, "serializable"};
  FILE *file = open_memstream(&text, &bytes);
  commands_put(file, &script, &at, results);
  fclose(file);
  const char *first = strstr(text, "-- Terminal A (A):\nBEGIN;");
  if (CHECK(first != NULL))
    CHECK_STR(first, "-- Terminal A (A):\nBEGIN;\n"
                     "\n-- Terminal B (B):\nBEGIN;\n"
                     "\n-- Terminal A (A):\nUPDATE t SET v = 1 WHERE k = 1;\n"
                     "\n-- Terminal B (B):\nUPDATE t SET v = 2 WHERE k = 1;\n"
                     "\n-- Terminal A (A):\nCOMMIT;\n"
                     "\n-- Terminal B (B):\nCOMMIT;\n"
                     "\n-- At the end, at any terminal:\n"
                     "SELECT k, v FROM t ORDER BY k;\n"
                     "-- returns 1,2 (b)\nDROP TABLE t;\n");
  free(text);
  script_free(&script);
}

static void statements_begin_with_the_rows_that_are_there(void) {
  check_script("table t(b): 7{b=3}\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n"
               "[sel t{b = 1}:, ins t/2{b=1}, sel t{b < 9}: 2@w2 7@?]\n",
               "# T\n"
               "table t (b): (7, 3)\n"
               "S0: begin\n"
               "S1: begin\n"
               "S0: select t where b = 1 => \"\" (seen)\n"
               "S1: select t where b = 1 => \"\" (seen)\n"
               "S0: insert t (1, 1) => \"1,1\" (seen)\n"
               "S1: insert t (2, 1) => \"2,1\" (seen)\n"
               "S1: select t where b < 9 => \"2,1 7,3\" (seen)\n"
               "S0: commit => ok (seen)\n"
               "S1: commit => ok (seen)\n");
}

// The reader missed the row that a transaction inserted, and later saw another
// one that it changed: its SELECT comes before the commit, whatever the times,
// and its UPDATE behind it.
static void rows_that_were_missed_wait(void) {
  check_script("table t(b): 7{b=3}\n"
               "[ins t/1{b=1}, upd t{id = 7}: 7@?{b=4}]@0..10\n---\n"
               "[sel t{b = 1}:, upd t{id = 7}: 7@w2{b=5}]@20..30\n",
               "# T\n"
               "table t (b): (7, 3)\n"
               "S0: begin\n"
               "S0: insert t (1, 1) => \"1,1\" (seen)\n"
               "S0: update t set b = 4 where id = 7 => \"7,4\" (seen)\n"
               "S1: begin\n"
               "S1: select t where b = 1 => \"\" (seen)\n"
               "S0: commit => ok (seen)\n"
               "S1: update t set b = 5 where id = 7 => \"7,5\" (seen)\n"
               "S1: commit => ok (seen)\n");
}

// PostgreSQL's READ COMMITTED: the UPDATE chose its rows before it waited.
static void updates_that_see_half_come_before_the_commit(void) {
  check_script("table t(b, v): 1{b=1,v=0} 2{b=1,v=5}\n"
               "[upd t{b = 1}: 1@?{b=1,v=1} 2@?{b=1,v=6}, ins "
               "t/3{b=1,v=1}]@0..10\n---\n"
               "[upd t{b = 1}: 1@w1{b=1,v=9} 2@w1{b=1,v=9}]@20..30\n",
               "# T\n"
               "table t (b, v): (1, 1, 0) (2, 1, 5)\n"
               "S0: begin\n"
               "S0: update t set v = v + 1 where b = 1 => \"1,1,1 2,1,6\" "
               "(seen)\n"
               "S0: insert t (3, 1, 1) => \"3,1,1\" (seen)\n"
               "S1: begin\n"
               "S1: update t set v = 9 where b = 1 => \"1,1,9 2,1,9\" (seen)\n"
               "S0: commit => ok (seen)\n"
               "S1: commit => ok (seen)\n");
}

// The first transaction is not chosen, nor is row 2: row 1 is as it left it.
static void others_leave_rows_that_are_there_at_first(void) {
  struct history history = {0};
  struct error error = {0};
  struct script script;
  const uint8_t statement[] = {0, 1, 1}, key[] = {1, 0};
  char *path = write_file("table t(b)\n[ins t/1{b=4}]\n[del t{b > 0}: 1@w1]\n"
                          "[ins t/2{b=1}]\n");
  CHECK_INT(history_read(path, "text", &history, &error), 0);
  CHECK(script_of_statements(&history, statement, key, &called, &script));
  check_text(script_text(&script),
             "# T\n"
             "table t (b): (1, 4)\n"
             "S0: begin\n"
             "S0: delete t where b > 0 => \"1,4\" (seen)\n"
             "S0: commit => ok (seen)\n"
             "S0: begin\n"
             "S0: insert t (2, 1) => \"\" (seen)\n"
             "S0: commit => ok (seen)\n");
  script_free(&script);
  history_free(&history);
  unlink(path);
  free(path);
}

// No operation stands behind it.
static void an_update_of_no_row_ends_the_history(void) {
  check_script("table t(b)\n[ins t/1{b=4}, upd t{b = 7}:]\n",
               "# T\n"
               "table t (b)\n"
               "S0: begin\n"
               "S0: insert t (1, 4) => \"1,4\" (seen)\n"
               "S0: update t where b = 7 => \"\" (seen)\n"
               "S0: commit => ok (seen)\n");
}

int main(void) {
  return TAP_RUN({"without times, side by side", without_times_side_by_side},
                 {"reads follow what they saw", reads_follow_what_they_saw},
                 {"writes that were not seen wait", unseen_writes_wait},
                 {"aborted writers are seen before they roll back",
                  aborted_writers_are_seen_before},
                 {"circles are written first", circles_are_written_first},
                 {"lists and compare-and-set", lists_and_cas},
                 {"some reads cannot see what was committed last",
                  some_reads_can_not_see_the_last},
                 {"transactions keep their host and level",
                  transactions_keep_host_and_level},
                 {"statements begin with the rows that are there",
                  statements_begin_with_the_rows_that_are_there},
                 {"rows that were missed wait", rows_that_were_missed_wait},
                 {"updates that see half come before the commit",
                  updates_that_see_half_come_before_the_commit},
                 {"others leave rows that are there at first",
                  others_leave_rows_that_are_there_at_first},
                 {"an update of no row ends the history",
                  an_update_of_no_row_ends_the_history},
                 {"commands stand where they were sent",
                  commands_stand_where_they_were_sent});
}

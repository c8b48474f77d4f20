// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of step scripts: what steps and expectations are, what is refused
// and where, and that any file is either read or refused.
#include "config.h"

#include "steps/script.h"
#include "steps/written.h"

#include "base/memory.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

static int read_bytes(const char *text, size_t bytes, struct script *script,
                      struct error *error) {
  char path[] = "/tmp/isostress-script-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes)
    abort();
  close(fd);
  const int failed = script_read(path, script, error);
  unlink(path);
  return failed;
}

static int read_text(const char *text, struct script *script,
                     struct error *error) {
  return read_bytes(text, strlen(text), script, error);
}

static void check_mistake(const char *text, const char *sentence) {
  struct script script;
  struct error error = {0};
  CHECK_INT(read_text(text, &script, &error), -1);
  const char *place = strchr(error.text, ':');
  CHECK_STR(place ? place + 1 : error.text, sentence);
  script_free(&script);
}

// NULL, texts and the like become SQL.
static void statements_become_sql(void) {
  static const struct {
    const char *table, *step, *schema, *sql;
  } cases[] = {
      {"table t (b): (1, 1) (2, 2)",
       "update t set id = 3 where b = 2 => \"3,2\"",
       "CREATE TABLE t (id bigint NOT NULL PRIMARY KEY, b bigint);\n"
       "INSERT INTO t VALUES (1, 1), (2, 2);\n",
       "UPDATE t set id = 3 where b = 2"},
      {"table t (owner): (1, NULL)", "select t where owner is null # free",
       "CREATE TABLE t (id bigint NOT NULL PRIMARY KEY, owner bigint);\n"
       "INSERT INTO t VALUES (1, NULL);\n",
       "SELECT * FROM t where owner is null ORDER BY id"},
      {"table t (name, n int): (1, 'a => # b', 2)", "delete t",
       "CREATE TABLE t (id bigint NOT NULL PRIMARY KEY, name varchar(100), "
       "n int);\nINSERT INTO t VALUES (1, 'a => # b', 2);\n",
       "DELETE FROM t "},
      {"table t (v)", "insert t (1, 'it''s')",
       "CREATE TABLE t (id bigint NOT NULL PRIMARY KEY, v bigint);\n",
       "INSERT INTO t VALUES (1, 'it''s')"},
      {"table t (v)", "select t where v = 0 for update skip locked limit 1",
       "CREATE TABLE t (id bigint NOT NULL PRIMARY KEY, v bigint);\n",
       "SELECT * FROM t where v = 0 ORDER BY id limit 1 for update skip "
       "locked"},
      {"schema: \"CREATE TABLE t (a int); CREATE TABLE u (a int)\"",
       "sql \"SELECT t.a FROM t, u WHERE t.a = u.a\"",
       "CREATE TABLE t (a int); CREATE TABLE u (a int);\n",
       "SELECT t.a FROM t, u WHERE t.a = u.a"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = xasprintf("%s\nA: begin\nA: %s\nA: commit\n", cases[i].table,
                           cases[i].step);
    struct script script;
    struct error error = {0};
    if (CHECK(!read_text(text, &script, &error))) {
      CHECK_STR(script.schema ? script.schema : "", cases[i].schema);
      CHECK_INT(script.steps[1].kind, STEP_SQL);
      CHECK_STR(script.steps[1].text, cases[i].sql);
      CHECK(!script.uses_sql && !script.ntables);
    }
    script_free(&script);
    free(text);
  }
}

static void numbers_stay_numbers(void) {
  static const char *const steps[] = {
      "select t where b = 1 for update", "update t set b = 2 where id = 3",
      "insert t (3, 1) or nothing", "delete t where b in (1, 2)"};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    char *text = xasprintf("table t (b): (1, 1)\nA: begin\nA: %s => \"a 'b\"\n",
                           steps[i]);
    struct script script;
    struct error error = {0};
    CHECK(!read_text(text, &script, &error));
    CHECK(!script.schema && script.ntables == 1);
    script_free(&script);
    free(text);
  }
}

static void images_are_rows(void) {
  static const char *const images[][2] = {{"(3,2)", "3,2"},
                                          {"(1,)", "1,NULL"},
                                          {"(1,\"a b\",)", "1,a b,NULL"},
                                          {"(1,\"a \"\"b\"\"\")", "1,a \"b\""},
                                          {"1,'it''s',NULL", "1,it's,NULL"},
                                          {"(,1)", "NULL,1"},
                                          {"1,'a\\'b'", "1,a'b"}};
  for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
    char *text;
    size_t bytes;
    FILE *out = text_stream(&text, &bytes);
    written_put_image(out, images[i][0]);
    fclose(out);
    CHECK_STR(text, images[i][1]);
    free(text);
  }
}

static void modes_are_read(void) {
  static const struct {
    const char *step, *level, *put;
  } begins[] = {
      {"begin", NULL, "A: begin"},
      {"begin read committed", "read committed", "A: begin read committed"},
      {"begin serializable read only, deferrable", "serializable",
       "A: begin serializable read only, deferrable"},
      {"begin isolation level repeatable read, READ ONLY", "repeatable read",
       "A: begin repeatable read read only"},
      {"begin transaction read write not deferrable", NULL, "A: begin"},
      {"begin with consistent snapshot => ok", NULL,
       "A: begin with consistent snapshot"},
  };
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    char *text = xasprintf("A: %s\nA: commit\n", begins[i].step);
    struct script script;
    struct error error = {0};
    if (CHECK(!read_text(text, &script, &error))) {
      CHECK_STR(script.steps[0].text ? script.steps[0].text : "",
                begins[i].level ? begins[i].level : "");
      char *put = script_step_text(&script, &script.steps[0]);
      CHECK_STR(put, begins[i].put);
      free(put);
    }
    script_free(&script);
    free(text);
  }
}

static void steps_are_read(void) {
  struct script script;
  struct error error = {0};
  CHECK_INT(read_text("# Title\nA: begin repeatable read\nB:begin\n"
                      "A: read x => initial | one (seen) | blocks\n\n"
                      "B: write x one # a comment\nB: cas x one two => ok\n"
                      "A: resumes => one\nB: commit => aborts 40001\n",
                      &script, &error),
            0);
  CHECK_STR(script.title, "Title");
  CHECK_INT(script.nsteps, 7);
  CHECK_INT(script.nsessions, 2);
  CHECK_INT(script.nkeys, 1);
  CHECK_INT(script.nvalues, 3);
  CHECK(script.marks_seen && !script.lists && !script.uses_sql);
  CHECK_STR(script.steps[0].text, "repeatable read");
  const struct step *read = &script.steps[2];
  CHECK_INT(read->line, 4);
  CHECK_INT(read->nexpectations, 3);
  CHECK_INT(read->expectations[0].values[0], SCRIPT_INITIAL);
  CHECK(read->expectations[1].seen && !read->expectations[0].seen);
  CHECK_INT(read->expectations[1].values[0], script.steps[3].value);
  CHECK_INT(read->expectations[2].kind, EXPECTED_BLOCKS);
  CHECK_INT(script.steps[4].expects, script.steps[3].value);
  CHECK_INT(script.steps[5].resumed, 2);
  CHECK_STR(script.steps[6].expectations[0].text, "40001");
  script_free(&script);
}

static void lists_and_sql_are_read(void) {
  struct script script;
  struct error error = {0};
  CHECK_INT(read_text("setup: \"SAY \\\"x\\\"\"\nA: begin\nA: append l a\n"
                      "A: read l => [a] | []\nA: sql \"SELECT 1\" => \"1\"\n",
                      &script, &error),
            0);
  CHECK(script.lists && script.uses_sql);
  CHECK_STR(script.setup[0], "SAY \"x\"");
  CHECK_INT(script.steps[2].expectations[0].nvalues, 1);
  CHECK_INT(script.steps[2].expectations[1].nvalues, 0);
  CHECK_STR(script.steps[3].expectations[0].text, "1");
  script_free(&script);
  CHECK_INT(
      read_text("A: begin\nA: command \"GET a\" => \"1\"\n", &script, &error),
      0);
  CHECK(script.uses_commands && !script.uses_sql);
  CHECK_STR(script.steps[1].text, "GET a");
  script_free(&script);
}

static void upkeep_is_read(void) {
  struct script script;
  struct error error = {0};
  CHECK_INT(read_text("A: at 1\nA: admin \"FLUSH\" # all\nB: begin\n"
                      "B: write x a\nB: node 2 pause\nB: commit\n"
                      "A: awaits x a\n",
                      &script, &error),
            0);
  CHECK(!script.uses_sql && !script.uses_commands);
  CHECK_INT(script.steps[0].kind, STEP_AT);
  CHECK_INT(script.steps[0].host, 1);
  CHECK_STR(script.steps[1].text, "FLUSH");
  CHECK_INT(script.steps[4].host, 2);
  CHECK_STR(script.steps[4].text, "pause");
  CHECK_INT(script.steps[6].expects, script.steps[3].value);
  script_free(&script);
}

static char *text_of(const struct script *script, uint32_t step) {
  return script_step_text(script, &script->steps[step]);
}

static void tables_and_statements_are_read(void) {
  static const char *const written[] = {
      "A: select t",
      "A: select t where b = 1 AND (NOT v > 2) for update",
      "A: insert t (3, 1, -2)",
      "A: insert t (3, 1, -2) or nothing",
      "A: update t set b = 2, v = v + 1 where id IN (1, 2)",
      "A: delete u where w % 3 = 1"};
  struct script script;
  struct error error = {0};
  CHECK_INT(read_text("table t (b, v): (1, 1, 10) (2, 2, -20)\ntable u (w)\n"
                      "A: begin\n"
                      "A: select t => \"1,1,10 2,2,-20\" | \"\" (seen)\n"
                      "A: select t WHERE b = 1 and not v>2 FOR UPDATE => ok\n"
                      "A: insert t (3,1,-2) # a row\n"
                      "A: insert t (3, 1, -2) OR NOTHING\n"
                      "A: update t SET b = 2, v = v+1 where id IN (1, 2)\n"
                      "A: delete u where w % 3 = 1 => \"\"\n",
                      &script, &error),
            0);
  CHECK_INT(script.ntables, 2);
  CHECK_INT(script.tables[0].nlisted, 2);
  CHECK_INT(script.tables[0].listed[5], -20);
  CHECK(script.marks_seen && !script.uses_sql);
  CHECK_STR(script.steps[1].expectations[0].text, "1,1,10 2,2,-20");
  for (uint32_t i = 0; i < 6; i++) {
    char *text = text_of(&script, i + 1);
    CHECK_STR(text, written[i]);
    free(text);
  }
  CHECK_INT(script.steps[4].statement->sort, STATEMENT_INSERT_NEW);
  script_free(&script);
}

static void mistakes_about_tables_are_told(void) {
  check_mistake("table t\n", "1: expected \"(\" in front of \"\"");
  check_mistake("table t (wid)\n",
                "1: every table has columns id, wid and prev; "
                "choose another name");
  check_mistake("table t (b): (1, 2) (1, 3)\n", "1: the key 1 is there twice");
  check_mistake("table t (b): (1)\n", "1: expected \",\" in front of \")\"");
  check_mistake("table t (b): (-1, 2)\n", "1: the key of a row is not below 0");
  check_mistake("table t (b)\ntable t (b)\n", "2: the table t is there twice");
  check_mistake("table t (b) A: begin\n",
                "1: expected : and rows, or the end of the line, behind the "
                "columns");
  check_mistake(
      "A: begin\nA: select t\n",
      "2: there is no table t; say its columns above, as in \"table t "
      "(b, v): (1, 10, 20)\"");
  check_mistake("table t (b)\nA: begin\nA: select t where c = 1\n",
                "3: character 1 of \"c = 1\": there is no column \"c\"");
  check_mistake(
      "table t (b)\nA: begin\nA: select t where b == 1 => ok\n",
      "3: character 4 of \"b == 1 \": expected an integer of 64 bits");
  check_mistake("table t (b)\nA: begin\nA: select t where b = $1\n",
                "3: a condition has numbers, not $1");
  check_mistake("table t (b)\nA: begin\nA: update t set c = 1\n",
                "3: expected a column of the table to set");
  check_mistake("table t (b)\nA: begin\nA: update t set b = 1, b = 2\n",
                "3: a column is set twice");
  check_mistake("table t (b)\nA: begin\nA: insert t (1, 2, 3)\n",
                "3: expected \")\" in front of \", 3)\"");
  check_mistake("table t (b)\nA: begin\nA: read x\n",
                " has keys as well as tables; a script has one or the other");
}

static void mistakes_are_told_by_line(void) {
  check_mistake("A: at x\n", "1: expected the number of a host, from 0");
  check_mistake("A: node 1\n",
                "1: expected what is done to node 1, such as pause");
  check_mistake("A: begin\nA: at 1\n",
                "2: A has a transaction open; commit or roll it back first");
  check_mistake("A: admin \"X\"\nA: read x\n",
                "2: A has no open transaction; begin one first");
  check_mistake("A: awaits x a\n", "1: nothing has written a to x before");
  check_mistake("A: begin\nA: append x a\nA: commit\nA: awaits x a\n",
                "4: a key that holds a list cannot be awaited");
  check_mistake("A: at 1 => ok\n",
                "1: expected the end of the line behind \"at\", of which "
                "nothing is expected but that it takes effect, in front of "
                "\"=> ok\"");
  check_mistake("A begin\n", "1: expected \"SESSION: STEP\", \"setup: "
                             "STATEMENT\" or \"table NAME (COLUMN, ...)\"");
  check_mistake("A:\n", "1: expected a step behind \"A:\"");
  check_mistake("A: begin\nA: begin\n",
                "2: A has a transaction open; commit or roll it back first");
  check_mistake("A: begin\nA: write x\n", "2: expected a value to write to x");
  check_mistake("A: begin\nA: write x initial\n",
                "2: initial is what a key holds before anything is written to "
                "it; choose another value");
  check_mistake("A: begin\nA: read x =>\n",
                "2: expected ok, blocks, aborts, a value, [a list] or \"rows\" "
                "behind =>");
  check_mistake("A: begin\nA: write x a => a\n",
                "2: only read and cas return a value; \"a\" is none of ok, "
                "blocks and aborts");
  check_mistake("A: begin\nA: read x y\n",
                "2: expected the end of the line, or => and what \"read\" is "
                "expected to do, in front of \"y\"");
  check_mistake("A: begin\nA: append x a\nA: write x b\n",
                "3: the keys of a script hold lists or single values, not "
                "both");
  check_mistake("A: begin\nA: append x a\nA: read x => a\n",
                "3: the keys hold lists: expect [a]");
  check_mistake("A: begin\nA: sql \"SELECT\n",
                "2: the text lacks its closing quote");
  check_mistake("A: resumes\n",
                "1: A has taken no step before that could resume");
  check_mistake("A: begin\nA: cas x a b\n",
                "2: nothing has written a to x before");
}

// Whatever is cut off or changed, the answer is a script or a sentence.
static void check_damage(const char *text, size_t size) {
  bool sound = true;
  for (size_t cut = 0; cut < size; cut++)
    for (int change = 0; change < 4; change++) {
      char bytes[600];
      struct script script;
      struct error error = {0};
      memcpy(bytes, text, size);
      if (change && cut < size - 1)
        bytes[cut] = " :\"("[change - 1];
      const int failed =
          read_bytes(bytes, change ? size - 1 : cut, &script, &error);
      sound &= failed ? error.text[0] != '\0' : script.nsteps > 0;
      script_free(&script);
    }
  CHECK(sound);
}

static void damaged_files_are_read_or_refused(void) {
  const char text[] = "# T\nsetup: \"X\"\nA: begin ser\nB: begin\n"
                      "A: write x a => ok (seen) | blocks | aborts 1\n"
                      "B: read x => a | initial\nA: sql \"Y\" => \"1,2\"\n"
                      "A: resumes\nA: rollback\nA: at 1\nA: node 0 stop\n"
                      "A: awaits x a\nA: admin \"Z\"\n";
  const char rows[] = "table t (b, v): (1, 2, 3) (2, 3, 4)\nA: begin\n"
                      "A: select t where b = 1 for update => \"1,2,3\"\n"
                      "A: insert t (3, 1, 2) or nothing\n"
                      "A: update t set b = 1, v = v + 2 where id IN (1, 2)\n"
                      "A: delete t where v % 2 = 1\n";
  check_damage(text, sizeof text);
  check_damage(rows, sizeof rows);
}

int main(void) {
  return TAP_RUN(
      {"a transaction has a level and modes", modes_are_read},
      {"NULL, texts and keys that change become SQL", statements_become_sql},
      {"numbers alone do not", numbers_stay_numbers},
      {"images of rows are told as rows", images_are_rows},

      {"steps and expectations", steps_are_read},
      {"lists and SQL", lists_and_sql_are_read},
      {"tables and statements", tables_and_statements_are_read},
      {"mistakes about tables are told", mistakes_about_tables_are_told},
      {"upkeep of the servers", upkeep_is_read},
      {"mistakes are told by line", mistakes_are_told_by_line},
      {"damaged files are read or refused", damaged_files_are_read_or_refused});
}

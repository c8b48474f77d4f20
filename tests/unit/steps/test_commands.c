// SPDX-License-Identifier: GPL-3.0-or-later
// Each shell gets the commands of its own: the level, the host, reads that are
// compared at the commit, writes that are queued for it.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "steps/commands.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// T1 and T2 read x, T3 reads y; T1 and T2 write what they read.
static const char lost_update[] = "T1: begin\nT2: begin\n"
                                  "T1: read x => initial (seen)\n"
                                  "T2: read x => initial (seen)\n"
                                  "T1: write x x1\nT1: commit\n"
                                  "T2: write x x2\nT2: commit\n"
                                  "T3: begin\nT3: read y\nT3: commit\n";

static void read_steps(const char *text, struct script *script) {
  char path[] = "/tmp/isostress-XXXXXX";
  struct error error = {0};
  FILE *file = fdopen(mkstemp(path), "w");
  fputs(text, file);
  fclose(file);
  if (!CHECK(!script_read(path, script, &error)))
    printf("# %s\n", error.text);
  unlink(path);
}

static const struct driver a_driver = {.name = "any"};

// The texts of the commands, with a line "NAME> " in front of each session's.
static char *typed_text(const char *steps, const char *target,
                        const char *level) {
  struct script script;
  struct arena arena = {0};
  struct typed_command *list;
  char *text;
  size_t bytes;
  const struct typed_at at = {target, &a_driver, level};
  read_steps(steps, &script);
  FILE *out = text_stream(&text, &bytes);
  if (CHECK(commands_known(&script, target))) {
    const uint32_t n = commands_list(&arena, &script, &at, NULL, &list);
    for (uint32_t i = 0; i < n; i++)
      fprintf(out, "%s> %s\n",
              list[i].session == COMMAND_OF_ANY
                  ? "any"
                  : script.sessions[list[i].session],
              list[i].text);
  }
  fclose(out);
  arena_free(&arena);
  script_free(&script);
  return text;
}

static void expect_typed(const char *target, const char *level,
                         const char *wanted) {
  char *text = typed_text(lost_update, target, level);
  CHECK_STR(text, wanted);
  free(text);
}

static void psql_is_given_levels(void) {
  expect_typed("postgres://me:secret@host/test", "read committed",
               "any> CREATE SCHEMA isostress_try;\n"
               "CREATE TABLE isostress_try.t (k bigint PRIMARY KEY, v "
               "bigint);\n"
               "INSERT INTO isostress_try.t VALUES (1, 0);  -- x\n"
               "INSERT INTO isostress_try.t VALUES (2, 0);  -- y\n"
               "T1> SET search_path = isostress_try;\n"
               "BEGIN ISOLATION LEVEL read committed;\n"
               "T2> SET search_path = isostress_try;\n"
               "BEGIN ISOLATION LEVEL read committed;\n"
               "T1> SELECT v FROM t WHERE k = 1;\n"
               "T2> SELECT v FROM t WHERE k = 1;\n"
               "T1> UPDATE t SET v = 1 WHERE k = 1;\n"
               "T1> COMMIT;\n"
               "T2> UPDATE t SET v = 2 WHERE k = 1;\n"
               "T2> COMMIT;\n"
               "T3> SET search_path = isostress_try;\n"
               "BEGIN ISOLATION LEVEL read committed;\n"
               "T3> SELECT v FROM t WHERE k = 2;\n"
               "T3> COMMIT;\n"
               "any> SELECT k, v FROM isostress_try.t ORDER BY k;\n"
               "any> DROP SCHEMA isostress_try CASCADE;\n");
}

#define REDIS_BEFORE "any> SET isostress_try:1 0\nSET isostress_try:2 0\n"
#define REDIS_AFTER                                                            \
  "any> GET isostress_try:1\nGET isostress_try:2\n"                            \
  "any> DEL isostress_try:1\nDEL isostress_try:2\n"

static void redis_cli_queues_writes(void) {
  expect_typed("redis://host", "multi",
               REDIS_BEFORE "T1> GET isostress_try:1\n"
                            "T2> GET isostress_try:1\n"
                            "T1> MULTI\nSET isostress_try:1 1\nEXEC\n"
                            "T2> MULTI\nSET isostress_try:1 2\nEXEC\n"
                            "T3> GET isostress_try:2\n" REDIS_AFTER);
  expect_typed("redis://host", "watch",
               REDIS_BEFORE "T1> WATCH isostress_try:1\nGET isostress_try:1\n"
                            "T2> WATCH isostress_try:1\nGET isostress_try:1\n"
                            "T1> MULTI\nSET isostress_try:1 1\nEXEC\n"
                            "T2> MULTI\nSET isostress_try:1 2\nEXEC\n"
                            "T3> WATCH isostress_try:2\nGET isostress_try:2\n"
                            "T3> MULTI\nEXEC\n" REDIS_AFTER);
}

// The beginning of a command for each of two hosts.
#define AT_A "etcdctl --endpoints=a:2379 "
#define AT_B "etcdctl --endpoints=b:77 "

#define READ_AND_COMPARE(etcdctl, option)                                      \
  "read1=$(" etcdctl "get isostress_try/1 -w fields" option ")\n"              \
  "echo \"$read1\" | sed -n 's/^\"Value\" : \"\\(.*\\)\"/\\1/p'\n"
#define WRITE_IF_UNCHANGED(etcdctl, value)                                     \
  etcdctl "txn <<END\n"                                                        \
          "mod(\"isostress_try/1\") = \"$(echo \"$read1\" | sed -n "           \
          "'s/^\"ModRevision\" : //p')\"\n\n"                                  \
          "put isostress_try/1 " value "\n\n\nEND\n"

static void etcdctl_compares_what_was_read(void) {
  expect_typed(
      "etcd://a,b:77?timeout=5s", "strict",
      "any> " AT_A "put isostress_try/1 0\n" AT_A "put isostress_try/2 0\n"
      "T1> " READ_AND_COMPARE(AT_A, "")    //
      "T2> " READ_AND_COMPARE(AT_A, "")    //
      "T1> " WRITE_IF_UNCHANGED(AT_A, "1") //
      "T2> " WRITE_IF_UNCHANGED(AT_A, "2") //
      "T3> " AT_A "get isostress_try/2 --print-value-only\n"
      "any> " AT_A "get isostress_try/1 --print-value-only\n" AT_A
      "get isostress_try/2 --print-value-only\n"
      "any> " AT_A "del isostress_try/1\n" AT_A "del isostress_try/2\n");
}

static void expect_line(const char *text, const char *line) {
  if (!CHECK(strstr(text, line)))
    printf("# %s is not in\n# %s\n", line, text);
}

// As the target does, but the password, which is nowhere.
static void etcdctl_logs_in(void) {
  static const char *const all[][2] = {
      {"etcd://a", "etcdctl --endpoints=a:2379 get"},
      {"etcd://a?tls=on", "etcdctl --endpoints=https://a:2379 get"},
      {"etcd://a?cacert=/c/a%20b&cert=c.pem&key=k.pem&tls=unverified",
       "etcdctl --endpoints=https://a:2379 --cacert='/c/a b' --cert='c.pem' "
       "--key='k.pem' --insecure-skip-tls-verify get"},
      {"etcd://a?cacert=c.pem",
       "etcdctl --endpoints=https://a:2379 --cacert='c.pem' get"},
      {"etcd://a?cacert=c.pem&tls=off", "etcdctl --endpoints=a:2379 get"},
      {"etcd://me:s%40cret@a",
       "etcdctl --endpoints=a:2379 --user='me' --password=\"$PASSWORD\" get"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char *text =
        typed_text("A: begin\nA: read x\nA: commit\n", all[i][0], "strict");
    expect_line(text, all[i][1]);
    CHECK(!strstr(text, "cret"));
    free(text);
  }
}

static void sessions_go_to_their_hosts(void) {
  char *text = typed_text("A: at 1\nA: begin\nA: read x\nA: commit\n"
                          "A: at 0\nA: begin\nA: write x a\nA: commit\n"
                          "B: begin\nB: cas x a b\nB: commit\n",
                          "etcd://a,b:77", "stale");
  expect_line(text, "A> " AT_B "get isostress_try/1 --print-value-only "
                    "--consistency=s\nA> " AT_A "txn <<END\n\n"
                    "put isostress_try/1 1\n\n\nEND\n");
  expect_line(text, "B> " AT_A "txn <<END\nvalue(\"isostress_try/1\") = \"1\"\n"
                    "\nput isostress_try/1 2\n\n\nEND\n");
  free(text);
  text = typed_text("A: at 1\nA: begin\nA: read x\nA: commit\n",
                    "redis://a,b:77", "multi");
  expect_line(text, "A> # connected to host 1 of the target, from 0\n");
  free(text);
}

static void some_have_no_shell(void) {
  struct script registers, lists;
  read_steps(lost_update, &registers);
  read_steps("A: begin\nA: append x a\nA: commit\n", &lists);
  CHECK(commands_known(&registers, "etcd://host"));
  CHECK(!commands_known(&lists, "etcd://host"));
  CHECK(commands_known(&lists, "redis://host"));
  CHECK(!commands_known(&registers, "memory:"));
  CHECK(!commands_known(&registers, "redis+lua://host"));
  CHECK(!commands_known(&registers, "file:/tmp/store"));
  script_free(&registers);
  script_free(&lists);
}

// As a person starts it, who wrote the target so.
static void heading_names_the_shell(void) {
  struct script script;
  char *text;
  size_t bytes;
  const struct typed_at at = {"mariadb://host", &a_driver, "serializable"};
  read_steps(lost_update, &script);
  FILE *out = text_stream(&text, &bytes);
  commands_put(out, &script, &at, NULL);
  fclose(out);
  expect_line(text, "-- First, at any terminal of mariadb:\n");
  expect_line(text, "SELECT v FROM t WHERE k = 1;  -- returned 0\n");
  expect_line(text, "-- returns 1,2 (x2) 2,0. T2 had not seen 1 (x1) when it "
                    "replaced that.\n");
  free(text);
  script_free(&script);
}

int main(void) {
  return TAP_RUN(
      {"psql is given levels", psql_is_given_levels},
      {"redis-cli queues writes", redis_cli_queues_writes},
      {"etcdctl compares what was read", etcdctl_compares_what_was_read},
      {"etcdctl logs in", etcdctl_logs_in},
      {"sessions go to their hosts", sessions_go_to_their_hosts},
      {"some have no shell", some_have_no_shell},
      {"the heading names the shell", heading_names_the_shell});
}

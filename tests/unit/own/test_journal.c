// SPDX-License-Identifier: GPL-3.0-or-later
// A run keeps what its sessions saw on disk, and reads it again
// (own/journal.h): as it was, without its end, and with any byte of it changed.
#include "config.h"

#include "base/memory.h"
#include "base/whole_file.h"
#include "own/history.h"
#include "own/journal.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static char *journal_path(void) {
  const char *directory = getenv("TMPDIR");
  return xasprintf("%s/journal.%ld", directory ? directory : "/tmp",
                   (long)getpid());
}

static const struct seen_version first = {0, 1, 1}, second = {0, 2, 1},
                                 lost = {0, 9, 9};

// One script, a table with one row, two sessions.
static void init_played_run(struct raw_run *run) {
  struct raw_scripts *scripts = xcalloc(1, sizeof *scripts);
  struct instrument_tables *tables = &run->tables;
  scripts->places = xcalloc(1, sizeof *scripts->places);
  scripts->places[0] = (struct raw_place){.at = xstrdup("a.sql:1"),
                                          .text = xstrdup("UPDATE t"),
                                          .changes_rows = true};
  scripts->nplaces = scripts->places_room = 1;
  scripts->schema_path = xstrdup("s.sql");
  scripts->schema = xstrdup("CREATE TABLE t (id int)");
  raw_run_init(run, scripts, NULL, 2);
  tables->all = xcalloc(1, sizeof *tables->all);
  char *columns[] = {(char[]){"id"}};
  tables->all[0] =
      (struct instrument_table){.name = xstrdup("t"),
                                .columns = texts_copy(columns, NULL, 1),
                                .ncolumns = 1};
  tables->n = tables->room = 1;
  tables->first = xcalloc(1, sizeof *tables->first);
  tables->first[0] = (struct version_change){
      .kind = 'I', .after = first, .key = 7, .image = xstrdup("(7)")};
  tables->nfirst = tables->first_room = 1;
}

static void free_played_run(struct raw_run *run) {
  struct raw_scripts *scripts = run->scripts;
  struct error error;
  raw_journal_close(run, &error);
  raw_run_free(run);
  raw_scripts_free(scripts);
}

static void note_reading(struct raw_run *run, uint32_t session, uint64_t now,
                         const struct seen_version *version) {
  const struct statement_times times = {now + 1, now + 2};
  struct instrument_answer answer = {0};
  ARRAY_RESERVE(answer.seen, answer.nseen, answer.seen_room);
  answer.seen[answer.nseen++] = *version;
  raw_log_begin(&run->logs[session], ISOLATION_RC, now);
  raw_log_statement(&run->logs[session], 0, false, &times, &answer);
  raw_log_end(&run->logs[session], OUTCOME_OK, CAUSE_NONE, now + 3);
  raw_journal_end(run, session, now + 3);
  instrument_answer_free(&answer);
}

// An UPDATE whose commit is sent; `answered`: and comes back.
static void note_update(struct raw_run *run, uint32_t session, uint64_t now,
                        bool answered) {
  const struct statement_times times = {now + 1, now + 2};
  struct instrument_answer answer = {0};
  struct raw_log *log = &run->logs[session];
  ARRAY_RESERVE(answer.changes, answer.nchanges, answer.changes_room);
  answer.changes[answer.nchanges++] =
      (struct version_change){.kind = 'U',
                              .before = first,
                              .after = second,
                              .writer = 2,
                              .key = -1,
                              .image = xstrdup("(8)")};
  raw_log_begin(log, ISOLATION_RC, now);
  raw_log_statement(log, 0, true, &times, &answer);
  log->statements[0].where = xstrdup("id = 7");
  log->statements[0].verb = SQL_VERB_UPDATE;
  log->statements[0].affected = 1;
  raw_journal_commit(run, session);
  if (answered) {
    raw_log_end(log, OUTCOME_OK, CAUSE_NONE, now + 3);
    raw_journal_end(run, session, now + 3);
  }
  instrument_answer_free(&answer);
}

// A run that is killed while the commit of session 1 is on its way.
static char *kill_run(const struct seen_version *read) {
  struct raw_run run;
  struct error error;
  char *path = journal_path();
  unlink(path);
  init_played_run(&run);
  CHECK(!raw_journal_open(path, "sqlite", "; about\n", &run, &error));
  note_reading(&run, 0, 100, read);
  note_update(&run, 1, 200, false);
  free_played_run(&run);
  return path;
}

static void what_was_sent_is_there(void) {
  struct killed_run killed;
  struct error error = {0};
  char *path = kill_run(&first);
  CHECK(!raw_journal_read(path, &killed, &error));
  CHECK_STR(error.text, "");
  CHECK_STR(killed.driver, "sqlite");
  CHECK_STR(killed.about, "; about\n");
  CHECK_STR(killed.scripts->places[0].at, "a.sql:1");
  CHECK_STR(killed.run.tables.all[0].columns[0], "id");
  CHECK_INT(killed.run.tables.first[0].key, 7);
  const struct raw_log *log = &killed.run.logs[1];
  CHECK_INT(log->ntxns, 1);
  CHECK_INT(log->txns[0].outcome, OUTCOME_UNKNOWN);
  CHECK(log->txns[0].end > 200);
  CHECK_STR(log->statements[0].where, "id = 7");
  CHECK_INT(log->changes[0].key, -1);
  CHECK_STR(log->changes[0].image, "(8)");
  CHECK_INT(killed.run.logs[0].txns[0].end, 103);
  killed_run_free(&killed);
  unlink(path);
  free(path);
}

static int make_history(const char *path, struct error *error,
                        struct history *history) {
  struct killed_run killed;
  struct raw_told told;
  int failed = raw_journal_read(path, &killed, error);
  if (!failed) {
    failed = raw_history_make(&killed.run, NULL, history, &told, error);
    raw_told_free(&told);
  }
  killed_run_free(&killed);
  return failed;
}

static void a_killed_run_has_a_history(void) {
  struct history history = {0};
  struct error error = {0};
  char *path = kill_run(&first);
  CHECK(!make_history(path, &error, &history));
  CHECK_STR(error.text, "");
  CHECK_INT(history.ntxns, 2);
  history_free(&history);
  unlink(path);
  free(path);
  path = kill_run(&lost);
  history = (struct history){0};
  CHECK(make_history(path, &error, &history));
  CHECK(strstr(error.text, "which was not noted") != NULL);
  history_free(&history);
  unlink(path);
  free(path);
}

static void the_run_reads_it_back(void) {
  struct raw_run run;
  struct error error = {0};
  char *path = journal_path();
  unlink(path);
  init_played_run(&run);
  CHECK(!raw_journal_open(path, "sqlite", "", &run, &error));
  note_reading(&run, 0, 100, &first);
  note_update(&run, 1, 200, true);
  note_reading(&run, 0, 300, &second);
  CHECK_INT(run.logs[0].ntxns, 0); // its memory does not grow
  CHECK(!raw_journal_close(&run, &error));
  CHECK(!raw_journal_read_back(path, &run, &error));
  CHECK_STR(error.text, "");
  CHECK_INT(run.logs[0].ntxns, 2);
  CHECK_INT(run.logs[0].seen[1].writer, 2);
  CHECK_INT(run.logs[1].txns[0].outcome, OUTCOME_OK);
  CHECK_INT(run.logs[1].txns[0].end, 203);
  free_played_run(&run);
  unlink(path);
  free(path);
}

struct bytes {
  unsigned char data[4096];
  size_t n;
};

static void put_bytes(FILE *file, const void *context) {
  const struct bytes *bytes = context;
  fwrite(bytes->data, 1, bytes->n, file);
}

static void load_bytes(const char *path, struct bytes *bytes) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  bytes->n = file ? fread(bytes->data, 1, sizeof bytes->data, file) : 0;
  if (file)
    fclose(file);
}

// Whatever it says: it ends, and it says why.
static void read_bytes(const char *path, const struct bytes *bytes) {
  struct killed_run killed;
  struct error error = {0};
  CHECK(!whole_file_write(path, put_bytes, bytes, &error));
  if (raw_journal_read(path, &killed, &error))
    CHECK(error.text[0] != '\0');
  killed_run_free(&killed);
}

// As somebody would who wants to be believed.
static void sign_chunks(struct bytes *bytes) {
  for (size_t at = 16; at + 12 <= bytes->n;) {
    uint32_t length;
    memcpy(&length, bytes->data + at, sizeof length);
    if (length > bytes->n - at - 12)
      return;
    const uint64_t sum = XXH3_64bits(bytes->data + at + 12, length);
    memcpy(bytes->data + at + 4, &sum, sizeof sum);
    at += 12 + (size_t)length;
  }
}

static void nothing_in_it_is_believed(void) {
  char *path = kill_run(&first);
  struct bytes whole, part;
  load_bytes(path, &whole);
  CHECK(whole.n > 100 && whole.n < sizeof whole.data);
  for (size_t n = 0; n < whole.n; n++) {
    part = whole;
    part.n = n;
    read_bytes(path, &part);
  }
  static const unsigned char changes[] = {1, 0x7f, 0x80, 0xff};
  for (size_t at = 16; at < whole.n; at++)
    for (size_t i = 0; i < sizeof changes; i++) {
      part = whole;
      part.data[at] ^= changes[i];
      sign_chunks(&part);
      read_bytes(path, &part);
    }
  unlink(path);
  free(path);
}

int main(void) {
  return TAP_RUN(
      {"what was sent before the end is there", what_was_sent_is_there},
      {"a killed run has a history, unless a change is lost",
       a_killed_run_has_a_history},
      {"a run reads its logs back", the_run_reads_it_back},
      {"no byte of a journal is believed", nothing_in_it_is_believed});
}

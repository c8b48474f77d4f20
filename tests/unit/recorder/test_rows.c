// SPDX-License-Identifier: GPL-3.0-or-later
// SQL statements and rows: told to a builder, written as text and as JSON
// lines, read back, and refused.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"
#include "report/text/statistics.h"
#include "tests/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/isostress-test-rows.XXXXXX";

static int read_as(const char *text, const char *format, struct history *h,
                   struct error *error) {
  const struct read_options options = {
      .format = format, .text = text, .text_bytes = strlen(text)};
  *error = (struct error){0};
  return history_read_with("rows.hist", &options, h, error);
}

static struct history read_text(const char *text) {
  struct history h;
  struct error error;
  CHECK_INT(read_as(text, NULL, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

static const char *refusal(const char *text) {
  static struct error error;
  struct history h;
  CHECK_INT(read_as(text, NULL, &h, &error), -1);
  CHECK(!h.kind && !h.rows);
  return error.text;
}

// The history as the format writes it; to be freed.
static char *written(const struct history *h, const char *format) {
  struct error error = {0};
  const struct history_format *f = history_format_named(format, &error);
  CHECK_INT(history_write(path, f, h, NULL, &error), 0);
  FILE *file = fopen(path, "r");
  char *text = xcalloc(1 << 16, 1);
  CHECK(file && fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static const char example[] =
    "table t(b, v): 7{b=2,v=2}\n"
    "table empty()\n"
    "[ins t/1{b=1,v=5} t/4{b=2,v=7}, ins empty/-3{}]\n"
    "---\n"
    "[sel t{b = 1 AND v > 2}: 1@w1, upd t{b = 1}: 1@w1{b=1,v=6}, del t{v = "
    "9}:]!\n"
    "[x:=1 sel t{b IN (1, 2)}: 1@w3{b=1,v=6} 4@w1 7@?, y:=2]%si\n"
    "[selu t{TRUE}:, ups t/7@?{b=0,v=-1}, del t{id = 4}: 4@w1, new t{id = 1}:]"
    "\n";

static void statements_become_operations(void) {
  struct history h = read_text(example);
  const struct rows *rows = h.rows;
  char buffer[24];
  CHECK_INT(h.ntxns, 4);
  CHECK_INT(h.nops, 12);
  CHECK_INT(rows->ntables, 2);
  CHECK_INT(rows->nstatements, 10);
  CHECK_INT(rows->txn_statement[1], 2);
  CHECK_INT(rows->txn_statement[4], 10);
  CHECK_INT(h.kind[0], OP_ROW_INSERT);
  CHECK_STR(history_key(&h, h.key[0], buffer), "t/1");
  CHECK_INT(h.kind[3], OP_ROW);
  CHECK_INT(h.saw[3], 0);
  CHECK_INT(h.kind[4], OP_ROW_UPDATE);
  CHECK_INT(h.saw[4], 0);
  CHECK_INT(h.kind[5], OP_WRITE);
  CHECK_INT(h.saw[6], 4);               // the version of an aborted one
  CHECK_INT(h.saw[8], SAW_INITIAL);     // was preloaded
  CHECK_INT(h.kind[10], OP_ROW_UPDATE); // an upsert that found a row
  CHECK_INT(h.kind[11], OP_ROW_DELETE);
  CHECK_INT(rows_version(&h, 4)[1], 6);
  CHECK(rows_version(&h, 11) == NULL);
  CHECK_INT(rows_version(&h, h.nops + h.key[8])[0], 2);
  CHECK(rows_version(&h, h.nops + h.key[0]) == NULL);
  const struct recorded_statement *s = &rows->statements[4]; // del t{v = 9}
  CHECK(s->sort == STATEMENT_DELETE && s->first == s->end && s->first == 5);
  history_free(&h);
}

static void conditions_are_evaluated(void) {
  struct history h = read_text(example);
  // sel t{b = 1 AND v > 2}
  CHECK(rows_satisfies(&h, 2, h.key[0], rows_version(&h, 0)));
  CHECK(!rows_satisfies(&h, 2, h.key[1], rows_version(&h, 1)));
  CHECK(!rows_satisfies(&h, 2, h.key[0], NULL));
  CHECK(!rows_satisfies(&h, 2, h.key[2], rows_version(&h, 2))); // other table
  // new t{id = 1} looks for what is not there.
  CHECK(rows_satisfies(&h, 9, h.key[0], NULL));
  CHECK(!rows_satisfies(&h, 9, h.key[0], rows_version(&h, 0)));
  CHECK(!rows_satisfies(&h, 9, h.key[1], NULL));
  history_free(&h);
}

static void both_formats_say_all(void) {
  struct history h = read_text(example);
  char *text = written(&h, "text"), *json = written(&h, "jsonl");
  CHECK_STR(text, "table t(b, v): 7{b=2,v=2}\n"
                  "table empty()\n"
                  "[ins t/1{b=1,v=5} t/4{b=2,v=7}, ins empty/-3{}]\n"
                  "---\n"
                  "[sel t{b = 1 AND v > 2}: 1@w1, upd t{b = 1}: "
                  "1@w1{b=1,v=6}, del t{v = 9}:]!\n"
                  "[x:=1 sel t{b IN (1, 2)}: 1@w3{b=1,v=6} 4@w1 7@?, y:=2]%si\n"
                  "[selu t{TRUE}:, ups t/7@?{b=0,v=-1}, del t{id = 4}: 4@w1, "
                  "new t{id = 1}:]\n");
  struct history from_json = read_text(json);
  char *again = written(&from_json, "text");
  CHECK_STR(again, text);
  free(text);
  free(json);
  free(again);
  history_free(&from_json);
  history_free(&h);
}

// The sessions of JSON lines come interleaved; stamps count lines.
static void sessions_may_be_interleaved(void) {
  struct history h = read_text(
      "{\"session\":1,\"tables\":[\"t(b)\"],\"ops\":[\"ins t/1{b=1}\"]}\n"
      "{\"session\":0,\"ops\":[\"upd t{b=1}: 1@w1{b=2}\"]}\n"
      "{\"session\":1,\"ops\":[\"sel t{b=2}: 1@w2\",\"sel t{b=1}:\"]}\n"
      "{\"session\":0,\"ops\":[\"sel t{b>0}: 1@w2{b=2}\"]}\n");
  CHECK_INT(h.ntxns, 4);
  CHECK_INT(h.kind[0], OP_ROW_UPDATE);
  CHECK_INT(h.saw[0], 2);
  CHECK_INT(h.saw[1], 0);
  CHECK_INT(h.saw[3], 0);
  CHECK_INT(h.rows->image[3], ROWS_NONE);
  CHECK_INT(rows_image(h.rows, h.rows->image[1])[0], 2);
  const struct recorded_statement *last = &h.rows->statements[4];
  CHECK(last->first == 4 && last->end == 4);
  CHECK_INT(h.rows->txn_statement[3], 3);
  char *text = written(&h, "text");
  CHECK_STR(text, "table t(b)\n"
                  "[upd t{b = 1}: 1@w2{b=2}]\n"
                  "[sel t{b > 0}: 1@w1{b=2}]\n"
                  "---\n"
                  "[ins t/1{b=1}]\n"
                  "[sel t{b = 2}: 1@w1, sel t{b = 1}:]\n");
  free(text);
  history_free(&h);
}

static void mistakes_are_named(void) {
  static const struct {
    const char *text, *sentence;
  } mistakes[] = {
      {"table t(b)\n[sel t{b = }:]", "rows.hist:2:8: character 5 of \"b = \": "
                                     "expected an integer of 64 bits"},
      {"table t(b)\n[sel t{c = 1}:]",
       "rows.hist:2:8: character 1 of \"c = 1\": there is no column \"c\""},
      {"table t(b)\n[ins t/1{c=1}]",
       "rows.hist:2:10: the table has no column c"},
      {"table t(b, c)\n[ins t/1{b=1}]",
       "rows.hist:2:14: expected all columns of the table before this"},
      {"table t(b)\n[sel u{b = 1}:]",
       "rows.hist:2:6: there is no table of that name before this: say its "
       "columns first, as in `table t(b, v)`"},
      {"table t(b)\n[ins t/1{b=1}]\n[sel t{b = 1}: 2@w1]",
       "rows.hist:3: nobody wrote row t/2@w1: w1 is no statement of this file "
       "that inserts or changes that row"},
      {"table t(b)\n[ins t/1{b=1}]\n[del t{b = 1}: 1@w1]\n[sel t{b=1}: 1@w2]",
       "rows.hist:4: nobody wrote row t/1@w2: w2 is no statement of this file "
       "that inserts or changes that row"},
      {"table t(b): 1{b=1}\n[sel t{b = 1}: 2@?]",
       "rows.hist:2: row t/2 was not preloaded: name the statement that wrote "
       "it, as in @w1, or preload it, as in `table t(...): 2{...}`"},
      {"table t(b)\n[ins t/1{b=1} t/1{b=2}]",
       "rows.hist:2: row t/1 is written twice by one statement"},
      {"table t(b)\n[sel t{b = 1}: 1]",
       "rows.hist:2:17: expected '@' and the version of the row that was "
       "found"},
      {"table t(b)\n[new t{b = 1}:]",
       "rows.hist:2:8: the condition of `new` says which keys: id = 1, or id "
       "IN (1, 2)"},
      {"table t(b)\n[sel t{b = $1}:]",
       "rows.hist:2:8: parameters have no values here: write numbers"},
      {"table t(b, id)\n",
       "rows.hist:1:12: the table has a column of that name already; every "
       "table has the key id"},
      {"{\"tables\":[\"t(b)\"],\"ops\":[]}\n{\"ops\":[\"sel t{c = 1}:\"]}",
       "rows.hist:2:16: character 1 of \"c = 1\": there is no column \"c\""},
      {"{\"tables\":[\"t(b)\"],\"ops\":[]}\n\n{\"ops\":[\"sel t{b = 1}: "
       "1@w1\"]}",
       "rows.hist:3: nobody wrote row t/1@w1: w1 is no statement of this file "
       "that inserts or changes that row"},
      {"{\"tables\":[\"t(b)\"],\"ops\":[\"ins t/1{b=1} x\"]}",
       "rows.hist:1:41: expected the end of the text"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    CHECK_STR(refusal(mistakes[i].text), mistakes[i].sentence);
}

static void other_formats_refuse(void) {
  struct history h = read_text(example);
  int nrefused = 0;
  for (int i = 0; history_formats[i]; i++) {
    const struct history_format *f = history_formats[i];
    struct error error = {0};
    if (!f->write || f->says & FEATURE_ROWS)
      continue;
    nrefused++;
    CHECK_INT(history_write(path, f, &h, NULL, &error), -1);
    CHECK(error.usage && strstr(error.text, "cannot represent SQL statements"));
  }
  CHECK(nrefused > 8);
  history_free(&h);
}

// A row and a register of one name are two keys, and a register may hold what
// a stamp is.
static void rows_are_no_registers(void) {
  const char text[] =
      "{\"tables\":[\"t(b)\"],\"ops\":[[\"w\",\"t/1\",1],\"ins t/1{b=1}\"]}\n"
      "{\"ops\":[[\"r\",\"t/1\",1],\"sel t{b=1}: 1@w1\"]}\n";
  struct history h = read_text(text);
  CHECK_INT(h.nkeys, 2);
  CHECK_INT(h.saw[2], 0);
  CHECK_INT(h.saw[3], 1);
  history_free(&h);
  const struct read_options explicit = {.initial = INITIAL_VALUE,
                                        .initial_value = "1",
                                        .duplicates = DUPLICATES_ALLOW,
                                        .text = text,
                                        .text_bytes = strlen(text)};
  struct error error;
  CHECK_INT(history_read_with("rows", &explicit, &h, &error), 0);
  CHECK_INT(h.saw[3], 1);
  history_free(&h);
}

static void as_registers_rows_are_read_and_written(void) {
  struct history h = read_text(example);
  struct history r = rows_as_registers(&h);
  CHECK(!r.rows && r.nops == h.nops);
  CHECK_INT(r.kind[0], OP_CAS);
  CHECK_INT(r.saw[0], SAW_INITIAL);
  CHECK_INT(r.kind[3], OP_READ);
  CHECK_INT(r.kind[4], OP_CAS);
  CHECK_INT(r.saw[4], 0);
  CHECK_INT(r.kind[11], OP_CAS);
  rows_as_registers_free(&r);
  history_free(&h);
}

static void random_histories_come_back(void) {
  gsl_rng *random = random_stream(35, 0, RANDOM_TEST);
  for (int round = 0; round < 50; round++) {
    struct builder *b = builder_open();
    struct history h;
    struct error error;
    const char *const columns[] = {"b", "v"};
    const uint32_t table = builder_table(b, "t", columns, 2);
    for (int64_t key = 0; key < 3; key++)
      builder_preload(b, table, key, (int64_t[]){key, -key});
    const struct predicate_columns names = builder_columns(b, table);
    struct predicate p;
    CHECK_INT(predicate_read(&p, "b = $1 OR v < $2", &names, &error), 0);
    const uint32_t condition = builder_condition(b, table, &p);
    CHECK_INT(builder_condition(b, table, &p), condition);
    uint64_t written_by[3] = {0}, n = 0;
    for (int t = 0; t < 20; t++) {
      builder_txn(b, gsl_rng_get(random) % 4, OUTCOME_OK, ISOLATION_SI,
                  TIME_UNKNOWN, TIME_UNKNOWN);
      const int64_t key = (int64_t)(gsl_rng_get(random) % 3);
      const bool writes = gsl_rng_get(random) % 2;
      const int64_t image[] = {(int64_t)(gsl_rng_get(random) % 9), t};
      const struct told_row row = {.key = key,
                                   .kind = writes ? OP_ROW_UPDATE : OP_ROW,
                                   .saw = written_by[key],
                                   .image = writes ? image : NULL};
      if (writes)
        written_by[key] = ++n;
      builder_statement(
          b, &(struct told_statement){
                 .sort = writes ? STATEMENT_UPDATE : STATEMENT_SELECT,
                 .table = table,
                 .condition = condition,
                 .parameters = (int64_t[]){t, -t},
                 .stamp = writes ? n : 0,
                 .rows = &row,
                 .nrows = gsl_rng_get(random) % 5 != 0 || writes});
    }
    CHECK_INT(builder_finish(b, &h, &error), 0);
    char *text = written(&h, "text"), *json = written(&h, "jsonl");
    struct history a = read_text(text), c = read_text(json);
    char *from_text = written(&a, "jsonl"), *from_json = written(&c, "text");
    CHECK_STR(from_text, json);
    CHECK_STR(from_json, text);
    free(text);
    free(json);
    free(from_text);
    free(from_json);
    history_free(&h);
    history_free(&a);
    history_free(&c);
  }
  gsl_rng_free(random);
}

static void figures_name_statements(void) {
  struct history h = read_text(example);
  struct history_statistics s;
  history_statistics(&h, &s);
  CHECK_INT(s.by_statement[STATEMENT_SELECT], 2);
  CHECK_INT(s.by_statement[STATEMENT_INSERT], 2);
  CHECK_INT(s.by_statement[STATEMENT_INSERT_NEW], 1);
  CHECK_INT(s.by_kind[OP_ROW_DELETE], 1);
  CHECK_INT(s.rows, 4);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  statistics_print(&h, &s, out);
  fclose(out);
  CHECK(strstr(text, "statements      10: 2 sel, 1 selu, 2 ins, 1 ups, 1 upd, "
                     "2 del, 1 new"));
  CHECK(strstr(text, "4 rows of 2 tables"));
  free(text);
  history_free(&h);
}

// The condition as the statement has it, with its numbers; to be freed.
static char *condition_of(const struct history *h, uint32_t statement) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  rows_write_condition(out, h->rows, &h->rows->statements[statement]);
  fclose(out);
  return text;
}

// More lists than are remembered, each told twice, so that some take the place
// of others.
static void statements_share_parameters(void) {
  enum { NEW_LISTS = 70000, AGAIN = 10 };
  char *text = NULL, expected[64];
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  fprintf(out, "table t(b, v):\n[");
  for (int i = 0; i < NEW_LISTS; i++)
    fprintf(out, "%ssel t{b = %d}:", i ? ", " : "", i);
  for (int i = 0; i < NEW_LISTS; i++)
    fprintf(out, ", sel t{b = %d AND v > %d}:", i % AGAIN, i % AGAIN);
  fprintf(out, "]\n");
  fclose(out);
  struct history h = read_text(text);
  free(text);
  CHECK_INT(h.rows->nstatements, 2 * NEW_LISTS);
  CHECK_INT(h.rows->nparameters, NEW_LISTS + 2 * AGAIN);
  int nwrong = 0;
  for (uint32_t s = 0; s < h.rows->nstatements; s++) {
    const int i = (int)s % NEW_LISTS;
    if (s < NEW_LISTS)
      snprintf(expected, sizeof expected, "b = %d", i);
    else
      snprintf(expected, sizeof expected, "b = %d AND v > %d", i % AGAIN,
               i % AGAIN);
    char *is = condition_of(&h, s);
    nwrong += strcmp(is, expected) != 0;
    free(is);
  }
  CHECK_INT(nwrong, 0);
  history_free(&h);
}

int main(void) {
  const int fd = mkstemp(path);
  if (fd < 0)
    return 1;
  close(fd);
  int status =
      TAP_RUN({"statements become operations", statements_become_operations},
              {"conditions are evaluated", conditions_are_evaluated},
              {"both formats say all", both_formats_say_all},
              {"sessions may be interleaved", sessions_may_be_interleaved},
              {"mistakes are named", mistakes_are_named},
              {"other formats refuse", other_formats_refuse},
              {"rows are no registers", rows_are_no_registers},
              {"as registers rows are read and written",
               as_registers_rows_are_read_and_written},
              {"random histories come back", random_histories_come_back},
              {"figures name statements", figures_name_statements},
              {"statements share parameters", statements_share_parameters});
  unlink(path);
  return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them, counts of anomalies, and the subject of a
// verdict: worked out by hand, at the edges of units and of digits.
#include "config.h"

#include "base/memory.h"
#include "report/words/found.h"
#include "report/words/quantity.h"
#include "report/words/title.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static void expect_duration(double ns, const char *number, const char *unit) {
  const struct quantity q = quantity_duration(ns);
  CHECK_STR(q.number, number);
  CHECK_STR(q.unit, unit);
}

static void durations_have_their_unit(void) {
  expect_duration(0, "0.00", "ns");
  expect_duration(1, "1.00", "ns");
  expect_duration(999, "999", "ns");
  expect_duration(1e3, "1.00", "us");
  expect_duration(412e3, "412", "us");
  expect_duration(1.2e6, "1.20", "ms");
  expect_duration(34.56e6, "34.6", "ms");
  expect_duration(1e9, "1.00", "s");
  expect_duration(3.5e9, "3.50", "s");
  expect_duration(3600e9, "3600", "s"); // there is no longer unit
}

// A number that is rounded up to the next digit has three of them yet.
static void durations_have_three_digits(void) {
  expect_duration(9.994e6, "9.99", "ms");
  expect_duration(9.996e6, "10.0", "ms");
  expect_duration(99.94e6, "99.9", "ms");
  expect_duration(99.96e6, "100", "ms");
  expect_duration(999.4e3, "999", "us");
  expect_duration(999.6e3, "1.00", "ms");
  expect_duration(999.6e6, "1.00", "s");
}

static void expect_grouped(uint64_t number, const char *wanted) {
  char text[QUANTITY_GROUPED];
  CHECK_STR(quantity_grouped(number, text), wanted);
  CHECK(quantity_grouped(number, text) == text);
  char *put;
  size_t bytes;
  FILE *out = text_stream(&put, &bytes);
  quantity_put_grouped(out, number);
  fclose(out);
  CHECK_STR(put, wanted);
  free(put);
}

static void thousands_are_grouped(void) {
  expect_grouped(0, "0");
  expect_grouped(7, "7");
  expect_grouped(999, "999");
  expect_grouped(1000, "1,000");
  expect_grouped(17117, "17,117");
  expect_grouped(100020, "100,020");
  expect_grouped(1000000, "1,000,000");
  expect_grouped(5000000009, "5,000,000,009");
  expect_grouped(UINT64_MAX, "18,446,744,073,709,551,615");
}

static void rates_and_shares(void) {
  CHECK(quantity_per_second(10, 2000000000) == 5);
  CHECK(quantity_per_second(10, 0) == 0);
  CHECK(quantity_per_second(0, 1) == 0);
  CHECK(quantity_seconds(1500000000) == 1.5);
  CHECK_INT(quantity_whole_rate(3, 2000000000), 2); // 1.5
  CHECK_INT(quantity_whole_rate(7, 5000000000), 1); // 1.4
  CHECK_INT(quantity_whole_rate(1, 0), 0);
  CHECK(quantity_percent(1, 4) == 25);
  CHECK(quantity_percent(4, 4) == 100);
  CHECK(quantity_percent(0, 4) == 0);
  CHECK(quantity_percent(3, 0) == 0);
}

static void expect_found(const char *anomaly, uint64_t count, bool more,
                         const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  found_put(out, anomaly, count, more);
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static void expect_rate(const char *anomaly, double rate, const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  found_put_rate(out, anomaly, rate);
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static void rates_have_three_digits(void) {
  expect_rate("LostUpdate", 74.44, "in 74.4 writes");
  expect_rate("AbortedRead", 3, "in 3 reads");
  expect_rate("LongFork", 0.0123, "0.0123 times");
  expect_rate("LongFork", 99.94, "99.9 times");
  expect_rate("LongFork", 99.96, "100 times");
  expect_rate("LongFork", 123.4, "123 times");
  expect_rate("LongFork", 1000, "1000 times");
}

static void anomalies_are_counted_in_their_unit(void) {
  expect_found("LostUpdate", 140, false, "in 140 writes");
  expect_found("LostUpdate", 1, false, "in 1 write");
  expect_found("LostUpdate", 1234, true, "in at least 1,234 writes");
  expect_found("AbortedRead", 1, false, "in 1 read");
  expect_found("NonRepeatableReads", 2, true, "in at least 2 reads");
  expect_found("WriteSkew", 1, false, "1 time");
  expect_found("WriteSkew", 3, false, "3 times");
  expect_found("WriteSkew", 1, true, "at least 1 time");
  expect_found("LongFork", 0, false, "0 times");
}

// Every anomaly that is a wrong read is counted in reads, and no other one.
static void reads_are_counted_as_reads(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const bool is_read = a <= ANOMALY_NON_REPEATABLE_READS;
    const bool is_write = a == ANOMALY_LOST_UPDATE;
    expect_found(anomaly_info((enum anomaly)a)->name, 2, false,
                 is_read    ? "in 2 reads"
                 : is_write ? "in 2 writes"
                            : "2 times");
  }
}

static void expect_title(struct question question, const char *wanted) {
  const struct verdict verdict = {.question = question};
  char buffer[TITLE_ROOM];
  CHECK_STR(title_of(&verdict, buffer), wanted);
  CHECK(title_of(&verdict, buffer) == buffer);
}

static void titles_name_the_question(void) {
  struct question q = question_usual();
  q.level = ISOLATION_SI;
  expect_title(q, "snapshot isolation");
  q.real_time = true;
  expect_title(q, "snapshot isolation in real time");
  q.session_order = false;
  expect_title(q, "snapshot isolation in real time without session order");
  q.level = ISOLATION_SSER; // has real time in its name
  q.session_order = true;
  expect_title(q, "strict serializability");
  q.level = ISOLATION_RC;
  expect_title(q, "read committed in real time (which permits stale reads)");
  q.recorded = true;
  expect_title(q, "the level of each transaction in real time");
  q.real_time = false;
  expect_title(q, "the level of each transaction");
}

// The longest title fits into the room.
static void all_terms_at_once(void) {
  const struct question all = {.level = ISOLATION_RC,
                               .recorded = true,
                               .session_order = false,
                               .real_time = true,
                               .rc_sees_session = true,
                               .by_items = true,
                               .plain_reads = true};
  expect_title(all,
               "the level of each transaction where reads see their session by "
               "returned rows alone by plain SELECTs alone in real time "
               "without session order");
}

int main(void) {
  return TAP_RUN(
      {"a duration has the unit in which it is at least 1",
       durations_have_their_unit},
      {"a duration has three digits, rounded or not",
       durations_have_three_digits},
      {"commas stand between thousands", thousands_are_grouped},
      {"no time has no rate, nothing has no share", rates_and_shares},
      {"how often an anomaly was found", anomalies_are_counted_in_their_unit},
      {"and how often among others, in three digits", rates_have_three_digits},
      {"wrong reads are counted as reads", reads_are_counted_as_reads},
      {"a title names level, time and session order", titles_name_the_question},
      {"a title with all terms has room", all_terms_at_once});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The badge of a stored report: is what was seen a fault of the database, a
// property of its level, or nothing that can be told?
#include "config.h"

#include "report/badge.h"
#include "tests/tap.h"

#define REPORT(members) "{\"schema\": \"isostress-report/1\"" members "}"
#define EXAMPLE(anomaly, weakest)                                              \
  "{\"anomaly\": \"" anomaly "\", \"also\": \"\", \"meaning\": \"\","          \
  " \"weakest_level_broken\": \"" weakest "\", \"level\": \"ser\","            \
  " \"transactions\": [{\"name\": \"0:0\", \"outcome\": \"committed\"}],"      \
  " \"sentence\": \"\"}"
#define VIOLATION(anomaly, weakest)                                            \
  ", \"verdict\": {\"verdict\": \"violation\", \"counterexample\": " EXAMPLE(  \
      anomaly, weakest) "}"
#define PASS ", \"verdict\": {\"verdict\": \"pass\"}"
#define COMMITTED(n) ", \"history\": {\"committed\": " n "}"
#define RUN(members) ", \"run\": {\"target\": \"postgresql://h\"" members "}"
#define RC ", \"level\": \"read committed\", \"claimed\": \"rc\""
#define SI ", \"level\": \"repeatable read\", \"claimed\": \"si\""

static enum badge badge_of_text(const char *text) {
  struct stored s;
  struct error error = {0};
  enum badge badge = BADGES;
  if (CHECK(!stored_of_bytes(&s, "report.json", text, strlen(text), &error)))
    badge = badge_of(&s);
  else
    printf("# %s\n", error.text);
  stored_free(&s);
  return badge;
}

struct badge_case {
  const char *text;
  enum badge badge;
};

static void expect_badges(const struct badge_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!CHECK(badge_of_text(cases[i].text) == cases[i].badge))
      printf("# \"%s\", not \"%s\": %s\n",
             badge_words[badge_of_text(cases[i].text)].tag,
             badge_words[cases[i].badge].tag, cases[i].text);
}
#define EXPECT_BADGES(cases) expect_badges(cases, sizeof cases / sizeof *cases)

static void no_violation(void) {
  static const struct badge_case cases[] = {
      {REPORT(""), BADGE_UNCHECKED},
      {REPORT(RUN(RC)), BADGE_UNCHECKED},
      {REPORT(", \"verdict\": {}"), BADGE_UNDECIDED},
      {REPORT(", \"verdict\": {\"verdict\": \"undecided\"}"), BADGE_UNDECIDED},
      {REPORT(PASS), BADGE_NOTHING_DONE},
      {REPORT(PASS COMMITTED("0")), BADGE_NOTHING_DONE},
      {REPORT(PASS COMMITTED("1")), BADGE_KEPT},
      {REPORT(PASS COMMITTED("1") RUN(RC)), BADGE_KEPT}};
  EXPECT_BADGES(cases);
}

// A level that was kept is not all that a run promises.
static void kept_and_not_all(void) {
  static const struct badge_case cases[] = {
      {REPORT(PASS COMMITTED("9") RUN(", \"shortfall\": {\"kind\": "
                                      "\"interrupted\"}")),
       BADGE_INCOMPLETE},
      {REPORT(PASS COMMITTED("9") RUN(", \"shortfall\": {\"kind\": "
                                      "\"invariant\"}")),
       BADGE_BESIDE},
      {REPORT(PASS COMMITTED("9") RUN(", \"shortfall\": {\"kind\": "
                                      "\"model\"}")),
       BADGE_BESIDE},
      {REPORT(RUN(", \"shortfall\": {\"kind\": \"model\"}")), BADGE_BESIDE},
      {REPORT(RUN(", \"shortfall\": {\"kind\": \"errors\"}")), BADGE_UNCHECKED},
      {REPORT(PASS COMMITTED("9") RUN(", \"requirements\": [{\"met\": true}, "
                                      "{\"met\": false}]")),
       BADGE_UNMET},
      {REPORT(PASS COMMITTED("9") RUN(", \"requirements\": [{\"met\": true}]")),
       BADGE_KEPT},
      // A requirement of which nobody says that it was met was not.
      {REPORT(PASS COMMITTED("9") RUN(", \"requirements\": [{}]")),
       BADGE_UNMET},
      // The gravest counts.
      {REPORT(PASS COMMITTED("9") RUN(", \"shortfall\": {\"kind\": \"errors\"},"
                                      " \"requirements\": [{\"met\": false}]")),
       BADGE_INCOMPLETE},
      {REPORT(VIOLATION("LostUpdate", "si")
                  RUN(SI ", \"shortfall\": {\"kind\": \"model\"}")),
       BADGE_FORBIDDEN}};
  EXPECT_BADGES(cases);
}

static void what_was_seen(void) {
  static const struct badge_case cases[] = {
      {REPORT(VIOLATION("LostUpdate", "si") RUN(SI)), BADGE_FORBIDDEN},
      {REPORT(VIOLATION("LostUpdate", "si") RUN(RC)), BADGE_ALLOWED},
      {REPORT(VIOLATION("AbortedRead", "rc") RUN(RC)), BADGE_FORBIDDEN},
      // It breaks less than its name says.
      {REPORT(VIOLATION("LostUpdate", "rc") RUN(RC)), BADGE_FORBIDDEN},
      // No run of ours recorded it.
      {REPORT(VIOLATION("LostUpdate", "si")), BADGE_BROKEN},
      // Nobody knows what an unknown database promises.
      {REPORT(VIOLATION("LostUpdate", "si") ", \"run\": {\"target\": \"x:\"}"),
       BADGE_UNDOCUMENTED},
      {REPORT(VIOLATION("LostUpdate", "si")
                  RUN(SI ", \"level_in_effect\": \"read committed\"")),
       BADGE_UNDOCUMENTED},
      // An old report without its counterexample.
      {REPORT(", \"verdict\": {\"verdict\": \"violation\"}" RUN(SI)),
       BADGE_UNDOCUMENTED}};
  EXPECT_BADGES(cases);
}

#define MIXED(weakest, one, other)                                             \
  REPORT(                                                                      \
      ", \"verdict\": {\"verdict\": \"violation\", \"counterexample\": {"      \
      "\"anomaly\": \"G2-item\", \"also\": \"\", \"meaning\": \"\","           \
      " \"weakest_level_broken\": \"" weakest "\", \"level\": \"none\","       \
      " \"transactions\": [{\"name\": \"0:0\", \"level\": \"" one              \
      "\", \"outcome\": \"committed\"}, {\"name\": \"1:0\", \"level\": "       \
      "\"" other "\", \"outcome\": \"committed\"}], \"sentence\": \"\"}}"      \
      ", \"run\": {\"target\": \"" MIXED_TARGET                                \
      "\", \"server\": \"\", \"level\": \"ser:1,rc:3\", \"claimed\": \"rc\"}")

// PostgreSQL promises SERIALIZABLE among transactions at SERIALIZABLE.
static void levels_of_their_own(void) {
#define MIXED_TARGET "postgresql://h"
  static const struct badge_case cases[] = {
      {MIXED("ser", "ser", "rc"), BADGE_ALLOWED},
      {MIXED("ser", "si", "ser"), BADGE_ALLOWED},
      {MIXED("ser", "ser", "ser"), BADGE_FORBIDDEN},
      {MIXED("si", "si", "ser"), BADGE_FORBIDDEN},
      {MIXED("si", "rc", "ser"), BADGE_UNDOCUMENTED},
      {MIXED("rc", "rc", "ser"), BADGE_FORBIDDEN}};
#undef MIXED_TARGET
#define MIXED_TARGET "mysql://h"
  static const struct badge_case others[] = {
      {MIXED("ser", "ser", "rc"), BADGE_UNDOCUMENTED},
      {MIXED("ser", "ser", "ser"), BADGE_FORBIDDEN}};
#undef MIXED_TARGET
  EXPECT_BADGES(cases);
  EXPECT_BADGES(others);
}

// A snapshot may be old: real time is no part of the promise.
static void in_real_time(void) {
  CHECK_INT(
      badge_of_text(REPORT(", \"verdict\": {\"verdict\": \"violation\", "
                           "\"real_time\": true, \"counterexample\": " EXAMPLE(
                               "StaleRead", "ser") "}" RUN(SI))),
      BADGE_ALLOWED);
}

#define BEYOND                                                                 \
  ", \"beyond\": {\"verdict\": \"violation\", \"counterexample\": " EXAMPLE(   \
      "WriteSkew", "ser") "}"

// Own scripts are held against a stronger level than the run was at.
static void beyond_the_level(void) {
  static const struct badge_case cases[] = {
      {REPORT(PASS COMMITTED("9") BEYOND RUN(SI)), BADGE_KEPT},
      {REPORT(PASS COMMITTED("9") BEYOND RUN(SI) ", \"own_scripts\": {}"),
       BADGE_ALLOWED},
      {REPORT(PASS COMMITTED("9") RUN(SI) ", \"own_scripts\": {}"),
       BADGE_KEPT}};
  EXPECT_BADGES(cases);
}

#define EXPLORED(members) ", \"explored\": {\"program\": \"p\"" members "}"
#define ON_DATABASE(level, claimed, seen)                                      \
  ", \"target\": \"postgresql://h\", \"database\": \"PostgreSQL 15\","         \
  " \"level_in_effect\": \"" level "\", \"claimed\": \"" claimed               \
  "\", \"seen\": " seen

// A program that can fail says nothing of a database, unless one that rules the
// anomaly out was seen to show it.
static void explored(void) {
  static const struct badge_case cases[] = {
      {REPORT(VIOLATION("LostUpdate", "si") EXPLORED("")), BADGE_POSSIBLE},
      {REPORT(VIOLATION("LostUpdate", "si")
                  EXPLORED(ON_DATABASE("repeatable read", "si", "0"))),
       BADGE_POSSIBLE},
      {REPORT(VIOLATION("LostUpdate", "si")
                  EXPLORED(ON_DATABASE("repeatable read", "si", "3"))),
       BADGE_FORBIDDEN},
      {REPORT(VIOLATION("LostUpdate", "si")
                  EXPLORED(ON_DATABASE("read committed", "rc", "3"))),
       BADGE_POSSIBLE},
      // An old report, which does not say how often it was seen.
      {REPORT(VIOLATION("LostUpdate", "si")
                  EXPLORED(", \"target\": \"postgresql://h\", "
                           "\"level_in_effect\": \"repeatable read\", "
                           "\"claimed\": \"si\"")),
       BADGE_POSSIBLE},
      {REPORT(PASS EXPLORED(ON_DATABASE("repeatable read", "si", "3"))),
       BADGE_POSSIBLE},
      {REPORT(VIOLATION("LostUpdate", "si")
                  EXPLORED(ON_DATABASE("repeatable read", "best", "3"))),
       BADGE_POSSIBLE}};
  EXPECT_BADGES(cases);
}

// ---- Single answers

static void one_anomaly(void) {
  const struct promised_level si = {"postgresql://h", "", "repeatable read",
                                    ISOLATION_SI, false},
                              rc = {"postgresql://h", "", "read committed",
                                    ISOLATION_RC, false},
                              redis = {"redis://a,b", "Redis 7", "multi",
                                       ISOLATION_RC, true},
                              unknown = {"x:", "", "repeatable read",
                                         ISOLATION_SI, false};
  CHECK_INT(badge_of_anomaly(&si, ANOMALY_LOST_UPDATE), BADGE_FORBIDDEN);
  CHECK_INT(badge_of_anomaly(&si, ANOMALY_WRITE_SKEW), BADGE_ALLOWED);
  CHECK_INT(badge_of_anomaly(&rc, ANOMALY_LOST_UPDATE), BADGE_ALLOWED);
  CHECK_INT(badge_of_anomaly(&unknown, ANOMALY_LOST_UPDATE),
            BADGE_UNDOCUMENTED);
  CHECK_INT(badge_of_anomaly(&si, ANOMALY_NONE), BADGE_UNDOCUMENTED);
  // A replica lags behind, of which one server cannot be accused.
  CHECK_INT(badge_of_anomaly(&redis, ANOMALY_ABORTED_READ), BADGE_SERVERS);
}

// Each transaction at its own level: nobody can say which of them promised.
static void of_mixed_levels(void) {
  const struct promised_level si = {"postgresql://h", "", "repeatable read",
                                    ISOLATION_SI, false};
  struct example e = {
      .anomaly = "LostUpdate", .weakest = ISOLATION_SI, .level = ISOLATION_SER};
  CHECK_INT(badge_of_example(&si, &e, false), BADGE_FORBIDDEN);
  CHECK_INT(badge_of_example(&si, &e, true), BADGE_ALLOWED);
  e.level = ISOLATION_NONE;
  CHECK_INT(badge_of_example(&si, &e, false), BADGE_UNDOCUMENTED);
  // A cycle of no name is judged by the level that it breaks.
  e = (struct example){
      .anomaly = "", .weakest = ISOLATION_SI, .level = ISOLATION_SER};
  CHECK_INT(badge_of_example(&si, &e, false), BADGE_FORBIDDEN);
  struct promised_level several = si;
  several.several = true;
  CHECK_INT(badge_of_example(&several, &e, false), BADGE_SERVERS);
  e.weakest = ISOLATION_SER;
  CHECK_INT(badge_of_example(&si, &e, false), BADGE_ALLOWED);
}

static void several_hosts(void) {
  CHECK(badge_names_several("postgresql://a,b/x"));
  CHECK(badge_names_several("redis://a:1,b:2,c:3"));
  CHECK(!badge_names_several("postgresql://a/x,y"));
  CHECK(!badge_names_several("postgresql://a?options=x,y"));
  CHECK(!badge_names_several("memory:a,b"));
  CHECK(!badge_names_several(""));
}

// Members that an old report lacks are empty.
static void the_level_of_a_run(void) {
  static const char text[] =
      REPORT(RUN(SI ", \"server\": \"PostgreSQL 15\", \"endpoints\": "
                    "[{}]") ", \"old\": {\"claimed\": \"best\", "
                            "\"endpoints\": []}");
  struct stored s;
  struct error error;
  CHECK_INT(stored_of_bytes(&s, "r", text, strlen(text), &error), 0);
  struct promised_level level = badge_level(json_member(s.document, "run"));
  CHECK_STR(level.target, "postgresql://h");
  CHECK_STR(level.server, "PostgreSQL 15");
  CHECK_STR(level.level, "repeatable read");
  CHECK_INT(level.claimed, ISOLATION_SI);
  CHECK(level.several);
  level = badge_level(json_member(s.document, "old"));
  CHECK_STR(level.target, "");
  CHECK_STR(level.server, "");
  CHECK_INT(level.claimed, ISOLATION_NONE);
  CHECK(!level.several);
  CHECK(!badge_is_unmet(NULL));
  stored_free(&s);
}

// Every badge has its words, and only what the database is to blame for is bad.
static void words_of_badges(void) {
  for (int b = 0; b < BADGES; b++) {
    const bool bad =
        b == BADGE_FORBIDDEN || b == BADGE_BROKEN || b == BADGE_BESIDE;
    if (CHECK(badge_words[b].tag && badge_words[b].colour)) {
      CHECK_INT(!strcmp(badge_words[b].colour, "bad"), bad);
      CHECK_INT(!strcmp(badge_words[b].colour, "good"), b == BADGE_KEPT);
    }
  }
}

int main(void) {
  return TAP_RUN({"no violation", no_violation},
                 {"a level that was kept is not all", kept_and_not_all},
                 {"what was seen, by level", what_was_seen},
                 {"levels of their own", levels_of_their_own},
                 {"what breaks real time alone", in_real_time},
                 {"own scripts beyond the level", beyond_the_level},
                 {"an explored program", explored},
                 {"single anomalies", one_anomaly},
                 {"mixed levels, and cycles without a name", of_mixed_levels},
                 {"targets of several hosts", several_hosts},
                 {"the level of a stored run", the_level_of_a_run},
                 {"every badge has its words", words_of_badges});
}

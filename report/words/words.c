// SPDX-License-Identifier: GPL-3.0-or-later
// The table of words (report/words/words.h).
#include "config.h"

#include "report/words/words.h"

#include "base/anomaly_names.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct anomaly_words anomalies[ANOMALY_COUNT] = {
    [ANOMALY_THIN_AIR_READ] =
        {.headline = "A transaction read a value that nobody wrote",
         .happened = "The value that a transaction read was written by no "
                     "transaction of the run.",
         .means =
             "An account shows \b950\b, and no booking explains the amount.",
         .helps = "Check what else writes to the table. If nothing does, this "
                  "is damage to data: check disk, memory and backups.",
         .clause = "a transaction never reads what was not committed"},
    [ANOMALY_ABORTED_READ] =
        {.headline = "A transaction read a change that was rolled back",
         .happened = "One transaction wrote a value and was rolled back. "
                     "Another one had read that value, and committed.",
         .means = "A deposit is entered and \brolled back\b. A withdrawal "
                  "has already been approved against it: the \bmoney never "
                  "existed\b.",
         .helps = "Use READ COMMITTED or a stronger level.",
         .clause = "a transaction never reads what was not committed"},
    [ANOMALY_FUTURE_READ] =
        {.headline = "A transaction read its own change before it made it",
         .happened = "A read returned the value that the same transaction "
                     "wrote only afterwards.",
         .means = "A balance already contains a deposit that is yet to be "
                  "booked: it is \bcounted twice\b.",
         .helps =
             "Report it to the maker of the database: no level allows this.",
         .clause = "a transaction never reads what was not committed"},
    [ANOMALY_NOT_MY_LAST_WRITE] =
        {.headline =
             "A transaction read its own older change, not its last one",
         .happened = "A transaction wrote a row twice and read it back. It got "
                     "the first of its own two values.",
         .means = "An order changes the quantity from \b2\b to \b3\b, "
                  "reads it back, and ships \b2\b.",
         .helps =
             "Report it to the maker of the database: no level allows this.",
         .clause = "a transaction sees its own last change"},
    [ANOMALY_NOT_MY_OWN_WRITE] =
        {.headline = "A transaction did not see its own change",
         .happened = "A transaction wrote a row and read it back. It got the "
                     "value of another transaction.",
         .means = "A booking takes \bseat 12\b, reads it back, sees "
                  "\banother name\b, and takes a second seat.",
         .helps =
             "Report it to the maker of the database: no level allows this.",
         .clause = "a transaction sees its own last change"},
    [ANOMALY_INTERMEDIATE_READ] =
        {.headline = "A transaction read a value that its writer replaced "
                     "before it committed",
         .happened =
             "A transaction wrote a row twice. Another one read the first of "
             "the two values, which was never the result of anything.",
         .means = "A price is set to \b0\b for a moment and then to "
                  "\b80\b, in one transaction. An order reads the \b0\b.",
         .helps = "Use READ COMMITTED or a stronger level.",
         .clause = "a transaction never reads what was not committed"},
    [ANOMALY_NON_REPEATABLE_READS] =
        {.headline = "A transaction read one row twice and got two values",
         .happened =
             "Between two reads of the same row in one transaction, another "
             "transaction changed it, and the second read showed that change.",
         .means = "An invoice reads the price twice: \b10\b for the line, "
                  "\b12\b for the total.",
         .helps = "Use REPEATABLE READ, which reads from one snapshot.",
         .clause = "a transaction reads everything as of one moment"},
    [ANOMALY_INCOMPATIBLE_ORDER] =
        {.headline = "Two reads of a list show its elements in two orders",
         .happened = "Two transactions read the same list. Neither result is "
                     "the beginning of the other.",
         .means = "Two people read one log of events, and each bases a "
                  "decision on \banother order\b of the same events.",
         .helps =
             "Report it to the maker of the database: no level allows this.",
         .clause = "all see the elements of a list in one order"},
    [ANOMALY_DUPLICATE_ELEMENT] =
        {.headline = "A list shows an element twice",
         .happened =
             "A value was appended once. A read of the list shows it twice.",
         .means = "One payment is entered once and \bbooked twice\b.",
         .helps =
             "Check whether a client sends a statement again after a lost "
             "answer. If none does, report it to the maker of the database.",
         .clause = "what was written once is there once"},
    [ANOMALY_LOST_ELEMENT] =
        {.headline = "A list lost an element",
         .happened = "A read shows an element before others. A second read "
                     "shows these others without it.",
         .means = "A payment was in the list of bookings, and is \bgone from "
                  "the middle\b of it.",
         .helps =
             "Report it to the maker of the database: no level allows this.",
         .clause = "what was committed stays"},
    [ANOMALY_SESSION_GUARANTEE_VIOLATION] =
        {.headline = "A session did not see what it had committed before",
         .happened = "A session committed a change. Its next transaction read "
                     "the row as it was before that change.",
         .means = "A customer reserves \bseat 12\b, loads the page again, and "
                  "the seat is \bfree\b. The customer reserves another one.",
         .helps = "Report it to the maker of the database: one server alone "
                  "never shows this.",
         .replicas = "Send a session to one server, where there are several. "
                     "Or wait until the replica has caught up before reading "
                     "there.",
         .clause = "who has seen or made a change does not miss it later"},
    [ANOMALY_NON_MONOTONIC_READ] =
        {.headline = "A transaction went back in time",
         .happened =
             "A transaction read a value that another one wrote. Then it read "
             "another row as it was before that same transaction.",
         .means = "A page shows a booking as \bpaid\b, and below it the "
                  "account \bwithout the payment\b.",
         .helps = "Use a level that reads from one snapshot, such as "
                  "REPEATABLE READ.",
         .clause = "a transaction reads everything as of one moment"},
    [ANOMALY_FRACTURED_READ] =
        {.headline = "A transaction saw half of another transaction",
         .happened = "One transaction changed two rows. Another one read both "
                     "of them and got one new value and one old value.",
         .means = "A transfer takes \b100\b from one account and adds it to "
                  "another. A report reads in between: \b100 is missing\b.",
         .helps =
             "Use a level that reads from one snapshot, such as REPEATABLE "
             "READ. Or read all rows that belong together in one statement.",
         .clause = "a transaction reads everything as of one moment"},
    [ANOMALY_CAUSALITY_VIOLATION] =
        {.headline =
             "A session missed a change that it had already seen the effect of",
         .happened = "A transaction read a change. A later one, which knew of "
                     "the first, read the row as it was before that change.",
         .means = "A customer sees \b“payment received”\b, opens the account, "
                  "and the payment is \bnot there\b. The customer pays again.",
         .helps = "Report it to the maker of the database: one server alone "
                  "never shows this.",
         .replicas = "Where there are several servers, send all reads of a "
                     "session to the one that it spoke to first. Or make it "
                     "wait until the other one has caught up.",
         .clause = "who has seen or made a change does not miss it later"},
    [ANOMALY_LONG_FORK] =
        {.headline = "Two sessions saw the same two changes in opposite orders",
         .happened = "One session saw change A without change B. Another one "
                     "saw B without A. They cannot both have looked at a state "
                     "that ever existed.",
         .means = "One page shows \border 1 paid, order 2 open\b; another "
                  "shows \border 2 paid, order 1 open\b. At most one of the "
                  "two was ever true, and both were acted upon.",
         .helps = "Use a serializable level.",
         .replicas = "Where reads are compared with each other, send them to "
                     "one server.",
         .clause = "all see commits in one and the same order"},
    [ANOMALY_LOST_UPDATE] =
        {.headline = "An update was lost",
         .happened = "Two transactions read the same row, both changed it, and "
                     "both committed. Neither saw the other's change, so one "
                     "change is gone.",
         .means = "Two clerks both see \b5 in stock\b. Each sells 1 and "
                  "writes \b4\b. Two are sold, but the stock fell by one.",
         .helps =
             "Lock the row when you read it: \fSELECT … FOR UPDATE\f. "
             "Or let the database calculate: \fSET n = n - 1\f "
             "instead of writing a number that the application worked out.",
         .clause = "of two transactions that change the same row at once, only "
                   "one commits"},
    [ANOMALY_WRITE_SKEW] =
        {.headline =
             "Each of two transactions changed what the other had just checked",
         .happened = "Each of the two read a row that the other one then "
                     "changed. Each decided by a value that was about to be "
                     "replaced.",
         .means = "Two accounts must hold at least \b100\b together, and "
                  "each holds 100. Two withdrawals of 100 each check the sum "
                  "(200), take from different accounts, and commit. Both "
                  "accounts are at \b0\b.",
         .helps = "Use a serializable level and try again when it refuses a "
                  "transaction. Or lock the rows that you check: \fSELECT "
                  "… FOR UPDATE\f. Or keep what must hold in one row, so "
                  "that both have to change it.",
         .clause =
             "the result is the same as if transactions ran one after another"},
    [ANOMALY_STALE_READ] =
        {.headline =
             "A transaction read old data after newer data had been committed",
         .happened = "A change was committed. A transaction that began "
                     "afterwards read the row as it was before.",
         .means = "A customer pays and gets the receipt. The next page says "
                  "\bnot paid\b.",
         .helps = "Read from the primary, or wait for replicas: what matters "
                  "is a read that must be current.",
         .clause =
             "what was committed before a transaction began is visible to it"},
    [ANOMALY_CYCLE_G0] =
        {.headline = "Two transactions overwrote each other in a mix",
         .happened =
             "Two transactions each wrote the same two rows. One row ended "
             "with the first one's value, the other row with the second one's.",
         .means = "Two sales of one car write the buyer and the invoice. "
                  "\bAnna\b gets the car, \bBen\b gets the invoice.",
         .helps = "Use READ UNCOMMITTED or any stronger level of a database "
                  "that locks rows for writing.",
         .clause =
             "the result is the same as if transactions ran one after another"},
    [ANOMALY_CYCLE_G1C] =
        {.headline = "Two transactions each read the other one's change",
         .happened = "Each of two transactions read a value that the other one "
                     "wrote. Each would have to come after the other.",
         .means = "Two price updates each calculate with the other one's "
                  "\bnew price\b. Neither result can be explained from the "
                  "prices before.",
         .helps = "Use READ COMMITTED or a stronger level.",
         .clause =
             "the result is the same as if transactions ran one after another"},
    [ANOMALY_CYCLE_G_SINGLE] =
        {.headline = "A transaction missed one change and knew another one "
                     "that depends on it",
         .happened = "A transaction read a row as it was before a change, and "
                     "comes after that change by what else it read.",
         .means = "A report adds an \bold balance\b to a \bnew booking\b.",
         .helps = "Use a level that reads from one snapshot, such as "
                  "REPEATABLE READ.",
         .clause = "a transaction reads everything as of one moment"},
    [ANOMALY_CYCLE_G_NONADJACENT] =
        {.headline =
             "Transactions saw changes in orders that contradict each other",
         .happened =
             "Several transactions each missed a change of another one, and no "
             "order of all of them explains what they read.",
         .means = "Two reports that are made at once \bcannot both be "
                  "true\b, and both are acted upon.",
         .helps = "Use a serializable level.",
         .replicas = "Where reads are compared with each other, send them to "
                     "one server.",
         .clause = "all see commits in one and the same order"},
    [ANOMALY_CYCLE_G2_ITEM] =
        {.headline = "Transactions each changed what others had just read",
         .happened =
             "Several transactions each read a row that another one of them "
             "then changed. No order of them explains what all of them read.",
         .means = "Each of several withdrawals checks a balance that "
                  "\banother one is about to change\b.",
         .helps = "Use a serializable level and try again when it refuses a "
                  "transaction. Or lock the rows that you check: \fSELECT "
                  "… FOR UPDATE\f.",
         .clause =
             "the result is the same as if transactions ran one after another"},
    [ANOMALY_PHANTOM] =
        {.headline = "A search missed rows, or found rows, that no order of "
                     "the transactions explains",
         .happened = "The rows that the statements returned fit no order of "
                     "the transactions.",
         .means = "A search for free rooms finds none, and a second one "
                  "\bfinds the room\b that the first one missed.",
         .helps = "Use a serializable level and try again when it refuses a "
                  "transaction.",
         .clause =
             "the result is the same as if transactions ran one after another"},
    [ANOMALY_LOST_WRITE] =
        {.headline = "A committed change is gone",
         .happened = "The database confirmed a commit. Later reads show the "
                     "row as if it had never happened.",
         .means = "A payment was \bconfirmed\b. After the failover the "
                  "order is \bunpaid\b again.",
         .helps =
             "Make commits durable before they are confirmed: flush on commit, "
             "and wait for a replica before a failover may happen.",
         .clause =
             "what was committed before a transaction began is visible to it"},
    [ANOMALY_EXTRA_ROW] =
        {.headline = "A statement returned a row that it cannot have found",
         .happened = "A statement returned one row twice, or a row whose "
                     "values do not fulfil its condition.",
         .means = "A search for \bopen\b orders returns one that is "
                  "\bpaid\b, or counts one order \btwice\b.",
         .helps =
             "Report it to the maker of the database: no level allows this.",
         .clause = "a search returns each row that matches once, and no other"},
    [ANOMALY_MISSING_ROW] =
        {.headline = "A search did not return a row that matches",
         .happened = "A row fulfilled the condition of a statement, and the "
                     "statement did not return it.",
         .means = "A search for open orders \bleaves one out\b, and nobody "
                  "ships it.",
         .helps = "Check the index that the search used: build it again and "
                  "repeat the search. Report it to the maker of the database.",
         .clause = "a search returns all rows that match"},
    [ANOMALY_FRACTURED_STATEMENT] =
        {.headline = "One statement saw half of a transaction",
         .happened = "A transaction changed several rows. One statement of "
                     "another transaction returned some of them as they were "
                     "before, and some as they were after.",
         .means = "One sum over all accounts counts the \bwithdrawal\b "
                  "without the \bdeposit\b.",
         .helps = "Use READ COMMITTED or a stronger level of a database whose "
                  "statements read from one snapshot.",
         .clause = "a statement reads everything as of one moment"},
    [ANOMALY_PHANTOM_READ] =
        {.headline = "A search that was repeated found other rows",
         .happened =
             "A transaction made the same search twice. In between, another "
             "one inserted, changed or deleted a row that matches.",
         .means = "A report counts \b10 orders\b, and lists \b11\b of them.",
         .helps = "Use REPEATABLE READ, which reads from one snapshot.",
         .clause = "a transaction reads everything as of one moment"},
    [ANOMALY_PHANTOM_LONG_FORK] =
        {.headline = "Two searches saw the same two changes in opposite orders",
         .happened = "One search found row A without row B. Another one found "
                     "B without A.",
         .means = "Two clerks each see \banother one\b of two bookings as "
                  "the only one.",
         .helps = "Use a serializable level.",
         .replicas = "Where reads are compared with each other, send them to "
                     "one server.",
         .clause = "all see commits in one and the same order"},
    [ANOMALY_PHANTOM_WRITE_SKEW] =
        {.headline = "Each of two transactions changed what the other had just "
                     "searched for",
         .happened =
             "Both transactions searched. Each then wrote a row, and the "
             "search of the other one would have had another result with it.",
         .means =
             "Two people book \bthe same room\b: each search found it free.",
         .helps = "Use a serializable level and try again when it refuses a "
                  "transaction. Or let a unique index or an exclusion "
                  "constraint refuse the second row.",
         .clause =
             "the result is the same as if transactions ran one after another"},
};

const struct anomaly_words *words_of(enum anomaly anomaly) {
  assert(anomaly < ANOMALY_COUNT);
  return &anomalies[anomaly];
}

enum anomaly words_anomaly(const char *name) {
  const char *names[ANOMALY_COUNT] = {NULL};
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    names[a - 1] = anomaly_info((enum anomaly)a)->name;
  const char *meant = anomaly_meant(name, names);
  for (int a = ANOMALY_NONE + 1; meant && a < ANOMALY_COUNT; a++)
    if (meant == names[a - 1])
      return (enum anomaly)a;
  return ANOMALY_NONE;
}

void words_put(FILE *out, const char *text,
               const struct driver_words *database) {
  const bool keys = database && database->has_keys;
  for (const char *c = text; *c;) {
    const size_t word = strcspn(c, " .,:;");
    if (keys && (word == 3 || word == 4) && !memcmp(c, "rows", word)) {
      fprintf(out, "key%s", word == 4 ? "s" : "");
      c += word;
    }
    for (; *c && !strchr(" .,:;", *c); c++)
      putc(*c, out);
    for (; *c && strchr(" .,:;", *c); c++)
      putc(*c, out);
  }
}

const char *words_replicas(const struct anomaly_words *words,
                           const struct driver_words *database) {
  return database && database->is_alone ? NULL : words->replicas;
}

const char *words_own_level(const struct driver_words *database,
                            const char *level) {
  const struct level_words *words = database ? database->levels : NULL;
  while (words && words->level && strcmp(words->level, level) != 0)
    words++;
  return words ? words->clause : NULL;
}

const char *words_level(enum isolation level) {
  static const char *const clauses[] = {
      [ISOLATION_NONE] = "none of what is checked",
      [ISOLATION_RC] = "nobody reads what is not committed",
      [ISOLATION_RA] = "nobody sees half of a transaction",
      [ISOLATION_CC] = "nobody misses what led to something that he has seen",
      [ISOLATION_PC] =
          "a transaction reads everything as of one moment, but two may change "
          "the same row at once",
      [ISOLATION_SI] =
          "a transaction reads everything as of one moment, and of two that "
          "change the same row at once only one commits",
      [ISOLATION_SER] =
          "the result is the same as if transactions ran one after another",
      [ISOLATION_SSER] = "the result is the same as if transactions ran one "
                         "after another, in the order of real time",
  };
  assert(level < ISOLATION_COUNT);
  return clauses[level];
}

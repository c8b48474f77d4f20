// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of `isostress help TOPIC` (cli/commands.h): tasks that need several
// options at once.
#include "config.h"

#include "cli/commands.h"

#include "cli/taken.h"

#include <stdio.h>
#include <string.h>

const struct topic topics[] = {
    {.name = "scripts",
     .summary = "may my SQL run at this level",
     .text =
         "Your own transactions are pgbench scripts, or files of SQL, beside a "
         "schema\n"
         "with its first rows.  The run says of each script whether it stays\n"
         "serializable at the level that you name; explore tries every "
         "interleaving of\n"
         "a few sessions.\n"
         "\n"
         "  isostress run --schema s.sql -w pay.pgbench@3,take.pgbench \\\n"
         "    -i \"read committed\" postgresql://me@localhost/test\n"
         "  isostress explore --schema s.sql pay.pgbench take.pgbench\n"
         "\n"
         "In run, @3 is a share of the transactions; in explore, three "
         "sessions.\n"
         "A schema, and between BEGIN and COMMIT of scripts \\set, \\if, "
         "\\else, \\endif,\n"
         "\\gset behind a SELECT, :client_id and comments:\n"
         "  CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
         "  INSERT INTO t VALUES (0, 100), (1, 100);\n"
         "\n"
         "Passed over everywhere: DROP, GRANT, COMMENT, ENGINE and other "
         "options of\n"
         "tables, quotes.  The tables are in a place of isostress's own; yours "
         "are not\n"
         "touched.  A level in BEGIN is passed over by explore, and on other "
         "databases\n"
         "than those that run any SQL; these refuse it: -i names the level.\n"
         "A transaction may also be a program: ./app.py@3 reads and writes "
         "lines\n"
         "(examples/programs/README.md says how).\n"
         "Nobody takes TRUNCATE, changes of the schema, SELECT ... INTO @v "
         "(write \\gset)\n"
         "or BEGIN IMMEDIATE (?begin=immediate).\n"
         "configs/applications/ has an example; PROGRAMS.md and TUTORIAL.md "
         "say more.\n"
         "\n"
         "Who takes which SQL.  What is refused is told at once, with file, "
         "line and\n"
         "what to write instead.\n"
         "  own  run on a database that runs any SQL, as it is: PostgreSQL, "
         "MariaDB,\n"
         "       SQLite; the list names a few of what such a database takes\n"
         "  row  run on other databases, as statements on rows of numbers\n"
         "  exp  explore, on rows of numbers; in a transaction a change names "
         "one row\n"
         "  txt  the condition in a history as text, and in steps of "
         "isostress's own\n"
         "Step scripts take what own takes, as `sql` steps behind a `schema:` "
         "line.\n"
         "\n",
     .list = taken_put},
    {.name = "ci",
     .summary = "a job that fails when a promise is broken",
     .text =
         "The exit status fails the job, and --junit makes a report for its "
         "page\n"
         "(also of check, scorecard and sweep):\n"
         "\n"
         "  isostress run -i \"repeatable read\" -T 60s --stop-on-violation "
         "\\\n"
         "    --require='p99<50ms,refused<5%' --junit=isolation.xml \\\n"
         "    postgresql://me@localhost/test\n"
         "\n"
         "Exit status: 0 the level was kept, 1 violation, 2 undecided, or "
         "interrupted\n"
         "before the end, 3 a requirement is not met, 254 wrong usage, 255 "
         "trouble.\n"
         "\n"
         "Keep results/runs as an artifact: report.html is one page, and\n"
         "`isostress check` takes the history again.  No file has a password.\n"
         "`isostress results --keep=20` bounds what is kept on a machine of "
         "your "
         "own.\n"
         "`isostress sweep --compare A B` fails, with 1, if two sweeps differ "
         "beyond\n"
         "noise.\n"},
    {.name = "levels",
     .summary = "what the levels mean, weakest first",
     .text =
         "  rc    read committed          no read of what was not committed\n"
         "  ra    read atomic             all or nothing of each other "
         "transaction\n"
         "  cc    causal consistency      nothing without what had led to it\n"
         "  pc    prefix consistency      all see the changes in one order\n"
         "  si    snapshot isolation      and of two that change a row at "
         "once, "
         "one\n"
         "                                commits: no update is lost\n"
         "  ser   serializability         as if transactions ran one after "
         "another\n"
         "  sser  strict serializability  and in the order of real time; of "
         "single\n"
         "                                operations: linearizability\n"
         "\n"
         "Each level forbids all that those before it forbid.  -i asks the "
         "database\n"
         "for a level, by the database's name or by ours; -l, --check says "
         "what "
         "the\n"
         "history is held against, without it what the database promises.\n"
         "\n"
         "  isostress list drivers       the levels of each database and its "
         "promises\n"
         "  isostress list anomalies     what can go wrong, by all of its "
         "names\n"
         "  isostress scorecard TARGET   what each level of a database really "
         "keeps\n"},
    {.name = NULL},
};

const struct topic *topic_find(const char *name) {
  for (const struct topic *t = topics; t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return NULL;
}

void help_of_topic(const struct topic *topic) {
  printf("isostress help %s: %s\n\n%s", topic->name, topic->summary,
         topic->text);
  if (topic->list)
    topic->list();
}

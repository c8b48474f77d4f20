// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of `isostress help TOPIC` (cli/commands.h): tasks that need several
// options at once, each on one screen.
#include "config.h"

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

const struct topic topics[] = {
    {"scripts", "may my SQL run at this level",
     "Your own transactions are pgbench scripts, beside a schema with its "
     "first\n"
     "rows.  The run says of each script whether it stays serializable at the\n"
     "level that you name; explore tries every interleaving of a few "
     "sessions.\n"
     "\n"
     "  isostress run --schema s.sql -w pay.pgbench@3,take.pgbench \\\n"
     "    -i \"read committed\" postgresql://me@localhost/test\n"
     "  isostress explore --schema s.sql pay.pgbench take.pgbench\n"
     "\n"
     "In run, @3 is a share of the transactions; in explore, three sessions.\n"
     "\n"
     "A schema may have:\n"
     "  CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);   bigint, "
     "smallint\n"
     "  INSERT INTO t VALUES (0, 100), (1, 100);\n"
     "and, passed over: IF NOT EXISTS, DROP, CREATE INDEX, KEY, DEFAULT 0, "
     "int(11),\n"
     "ENGINE and other options of tables, GRANT, SET, COMMENT.\n"
     "A script may have:\n"
     "  BEGIN; START TRANSACTION; COMMIT; END; ROLLBACK;\n"
     "  SELECT a, b AS c FROM t WHERE condition [FOR UPDATE|FOR SHARE] "
     "[\\gset]\n"
     "  SELECT COUNT(*), SUM(a), MIN(a), MAX(a) FROM t [WHERE condition] "
     "[\\gset]\n"
     "  UPDATE t SET a = e, ... WHERE condition\n"
     "  INSERT INTO t [(a, b)] VALUES (e, e), ... [ON CONFLICT DO NOTHING]\n"
     "  DELETE FROM t WHERE condition\n"
     "  \\set v e   \\if e   \\else   \\endif   :client_id   -- comments\n"
     "A statement ends in ; or, a SELECT, in \\gset.  Values are whole "
     "numbers.\n"
     "Conditions have = < >, AND, OR, NOT, IN (a, b), BETWEEN a AND b; tables "
     "may\n"
     "have another name, and quotes.  A level in BEGIN is passed over: -i "
     "names it.\n"
     "random(LOW, HIGH) and UPDATE or DELETE of several rows are for run "
     "alone.\n"
     "Joins, texts, NULL, GROUP BY, subselects and RETURNING are refused, "
     "with\n"
     "file and line.\n"
     "\n"
     "The tables are made under names of isostress's own; yours are not "
     "touched.\n"
     "configs/applications/ has an example; PROGRAMS.md and TUTORIAL.md say "
     "more.\n"},
    {"ci", "a job that fails when a promise is broken",
     "The exit status fails the job, and --junit makes a report for its page\n"
     "(also of check, scorecard and sweep):\n"
     "\n"
     "  isostress run -i \"repeatable read\" -T 60s --stop-on-violation \\\n"
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
     "`isostress results --keep=20` bounds what is kept on a machine of your "
     "own.\n"
     "`isostress sweep --compare A B` fails, with 1, if two sweeps differ "
     "beyond\n"
     "noise.\n"},
    {"levels", "what the levels mean, weakest first",
     "  rc    read committed          no read of what was not committed\n"
     "  ra    read atomic             all or nothing of each other "
     "transaction\n"
     "  cc    causal consistency      nothing without what had led to it\n"
     "  pc    prefix consistency      all see the changes in one order\n"
     "  si    snapshot isolation      and of two that change a row at once, "
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
     "for a level, by the database's name or by ours; -l, --check says what "
     "the\n"
     "history is held against, without it what the database promises.\n"
     "\n"
     "  isostress list drivers       the levels of each database and its "
     "promises\n"
     "  isostress list anomalies     what can go wrong, by all of its names\n"
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
}

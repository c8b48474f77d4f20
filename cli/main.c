// SPDX-License-Identifier: GPL-3.0-or-later
// isostress: finds the command that was asked for and runs it.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "cli/settings/redact.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMANDS_MAX = 24 };

enum status complain_of_command(const char *name) {
  const char *names[COMMANDS_MAX + 1] = {NULL};
  struct error error;
  for (size_t i = 0; commands[i].name; i++)
    names[i] = commands[i].name;
  const char *near = nearest(name, names);
  error_set(&error,
            near ? "there is no command \"%.64s\", did you mean isostress %s?"
                 : "there is no command \"%.64s\"; `isostress help` lists the "
                   "commands",
            name, near);
  return complain(STATUS_USAGE, &error);
}

const struct command *command_find(const char *name) {
  for (const struct command *c = commands; c->name; c++)
    if (!strcmp(c->name, name))
      return c;
  return NULL;
}

static enum status run_command_line(const struct command *command, int argc,
                                    char **argv) {
  struct arguments arguments;
  struct error error;
  enum status status = STATUS_KEPT;
  if (arguments_read(argc, argv, command->name, command->options, &arguments,
                     &error))
    status = complain(STATUS_USAGE, &error);
  else if (arguments.help)
    help_of_command(command, false);
  else
    status = command->run(&arguments);
  arguments_free(&arguments);
  return status;
}

static enum status start_program(int argc, char **argv) {
  struct error error;
  if (argc < 2) {
    error_set(&error, "say what to do, such as `isostress run sqlite:try.db`; "
                      "`isostress help` lists the commands");
    return complain(STATUS_USAGE, &error);
  }
  if (!strcmp(argv[1], "--version")) {
    puts("isostress " PACKAGE_VERSION);
    return STATUS_KEPT;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    help_overview();
    return STATUS_KEPT;
  }
  const struct command *command = command_find(argv[1]);
  if (!command)
    return complain_of_command(argv[1]);
  return run_command_line(command, argc - 2, argv + 2);
}

// Whoever may list processes can read the arguments of the program: goes on
// with a copy of them, and hides passwords in what is listed.
static char **hide_passwords(int argc, char **argv) {
  char **copies = xcalloc((size_t)argc + 1, sizeof *copies);
  for (int i = 0; i < argc; i++) {
    copies[i] = xstrdup(argv[i]);
    redact_in_place(argv[i]);
  }
  return copies;
}

static void free_copies(char **copies) {
  for (char **copy = copies; *copy; copy++)
    free(*copy);
  free(copies);
}

// Who reads the output may have seen enough, as head has.
static bool reader_is_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

// The cause is known only of what was still to be written.
static enum status close_output(void) {
  struct error error;
  const bool failed_before = ferror(stdout);
  const int failed = fflush(stdout);
  if ((!failed && !failed_before) || reader_is_gone())
    return STATUS_KEPT;
  if (failed)
    error_set(&error, "cannot write the result to stdout: %s", strerror(errno));
  else
    error_set(&error, "cannot write all of the result to stdout: the disk may "
                      "be full");
  return complain(STATUS_TROUBLE, &error);
}

int main(int argc, char **argv) {
  // A file that may not grow, like a full disk, and a reader that went away are
  // errors of writing, to be told in a sentence.
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  char **arguments = hide_passwords(argc, argv);
  enum status status = start_program(argc, arguments);
  status = status_worse(status, close_output());
  free_copies(arguments);
  return (int)status;
}

const struct command commands[] = {
    {"run",
     FOR_RUN,
     "[JOBFILE] [TARGET]",
     "put a database under load, record what was seen, check it",
     "TARGET is SCHEME:PLACE, such as sqlite:/tmp/try.db or memory:; see\n"
     "isostress list drivers.  JOBFILE is an INI file whose sections are runs\n"
     "and whose keys are the long options below.  `isostress help scripts` "
     "has\n"
     "the SQL that your own scripts may use.  Tables are made under "
     "isostress's\n"
     "own names; a table of that name that it did not make is refused.\n",
     {"run sqlite:try.db",
      "run -i \"repeatable read\" -k 100 mysql://me@localhost/test",
      "run --aim=LostUpdate --stop-on-violation "
      "postgresql://me@localhost/test"},
     run_command},
    {"check",
     FOR_CHECK,
     "HISTORY...",
     "check recorded histories against an isolation level",
     "One history gives a report.  Several histories, those of a directory, "
     "or\n"
     "several levels, give one line each: the path, the level,\n"
     "pass|violation|undecided and the anomaly, separated by tabs (in a path,\n"
     "\\t, \\n, \\r and \\\\ stand for a tab, line ends and a backslash).\n"
     "A file of lines {\"id\": NAME, \"history\": TEXT} holds many small\n"
     "histories; each gets a line or, with --output=json, one JSON object.\n"
     "HISTORY may be a pipe, and - is stdin.\n",
     {"check results/runs/latest", "check -l si,ser history.jsonl",
      "check -l ser --witness=proof --explain=pictures history.jsonl"},
     check_command},
    {"verify",
     FOR_VERIFY,
     "HISTORY WITNESS",
     "check the proof that check or run wrote with --witness",
     "Only the verifiers work, which share no code with the search for the\n"
     "proof.  Exit status 0 if the proof shows that the level was kept, 1 if "
     "it\n"
     "shows that the level was broken, 255 if it shows nothing about this\n"
     "history.\n",
     {"verify history.jsonl proof", "verify --format=jsonl history.jsonl proof",
      "verify --init=implicit history.jsonl proof"},
     verify_command},
    {"report",
     FOR_REPORT,
     "DIRECTORY...",
     "make the pages of stored runs again, and compare several",
     "The page report.html of each run, and the pictures of its "
     "counterexamples,\n"
     "are made again from its report.json.  Several runs are also shown side "
     "by\n"
     "side.  A directory that holds several runs, sweeps or scorecards, such "
     "as\n"
     "results, gets a page index.html that leads to each of them.\n",
     {"report results/runs/latest", "report results",
      "report --compare=compare.html results/runs/*"},
     report_command},
    {"results",
     FOR_RESULTS,
     "[DIRECTORY]...",
     "list the results that are kept, and remove old ones",
     "Lists runs, sweeps and scorecards, the newest first: verdict, level,\n"
     "target, begin, size and directory.  Without DIRECTORY those in "
     "results/runs\n"
     "and results/sweeps.  A sweep or scorecard counts as one.\n",
     {"results", "results --keep=20 results/runs",
      "results --older-than=720h --max-size=500M --dry-run"},
     results_command},
    {"stat",
     FOR_STAT,
     "HISTORY...",
     "describe recorded histories",
     "HISTORY may be a pipe, and - is stdin.\n",
     {"stat results/runs/latest", "stat history.jsonl",
      "stat --init=first-read history.jsonl"},
     stat_command},
    {"convert",
     FOR_CONVERT,
     "IN OUT",
     "write a history in another format",
     "stderr has a line for each thing that the format cannot represent.  IN "
     "may\n"
     "be the directory of a run, a pipe, or - for stdin.  OUT may be - for\n"
     "stdout; it is a directory if the format needs one.\n",
     {"convert results/runs/latest history.edn",
      "convert --strict history.edn history.jsonl",
      "convert --to=jsonl results/runs/latest -"},
     convert_command},
    {"generate",
     FOR_GENERATE,
     "OUT",
     "write a history without a database",
     "The built-in store executes the transactions of a workload, in an order "
     "and\n"
     "with a clock that the seed decides: the same options and seed make the "
     "same\n"
     "file.  The history keeps the level, or shows the anomaly of --bug.  OUT "
     "may be\n"
     "- for stdout; it is a directory if the format needs one.  In format\n"
     "isostress, memory does not grow with the history.\n",
     {"generate -w mt -k 1M -t 1M history",
      "generate -i si -w general --ops=20 --seed=7 history.edn",
      "generate --bug=LostUpdate:0.001 -c 20 history.hist"},
     generate_command},
    {"steps",
     FOR_STEPS,
     "SCRIPT... TARGET",
     "perform step scripts on a database",
     "A script says which session takes which step when, and what each step "
     "is\n"
     "expected to do: return a value, block, abort.  Exit status 1 if some "
     "step\n"
     "did something else.\n",
     {"steps g-single sqlite:try.db",
      "steps -i serializable g2-item postgresql://me@localhost/test",
      "steps --repeat=10 --save-history=first.jsonl p4 memory:"},
     steps_command},
    {"explore",
     FOR_EXPLORE,
     "PROGRAM... [TARGET]",
     "try every history of a program that a level allows",
     "A program (explore/PROGRAMS.md) says what sessions do in transactions, "
     "and\n"
     "asserts what must hold.  Each level is explored by itself.  For an "
     "assertion\n"
     "that fails at a level, the command shows a history with the fewest\n"
     "transactions that break it, and performs that history on the target, if\n"
     "there is one.  LEVEL is rc, rc-statement (READ COMMITTED as databases\n"
     "implement it), mysql-rr (InnoDB's REPEATABLE READ), ra, cc, pc, si, "
     "ser,\n"
     "or several with commas; without it the levels of the target, or\n"
     "rc-statement,ra,cc,si,ser.  Exit status 0 if all assertions hold at all\n"
     "levels asked for, 1 if some do not, 2 if not all histories were "
     "explored.\n",
     {"explore stock", "explore -i si,ser --robust my.program",
      "explore -i rc-statement stock postgresql://me@localhost/test"},
     explore_command},
    {"rank",
     0,
     "RUN_DIRECTORY TARGET",
     "let a run of scripts that was killed be judged in full",
     "A run of your own scripts whose process was killed has no history yet. "
     "Its\n"
     "directory has what the sessions saw, which check judges by the rows "
     "that\n"
     "statements came to.  Which rows fitted a condition, the database has to "
     "say:\n"
     "TARGET is the database of the run, or an empty one of the same kind.  "
     "The\n"
     "tables of an earlier run there are made anew.\n",
     {"rank results/runs/latest postgresql://me@localhost/test",
      "rank results/runs/latest mysql://me@localhost/test",
      "rank results/runs/latest sqlite:try.db"},
     rank_command},
    {"replay",
     FOR_REPLAY,
     "HISTORY|RUN_DIRECTORY TARGET",
     "perform a counterexample again, many times",
     "Checks the history, takes the transactions of the counterexample, and\n"
     "performs their operations on the target, many times, in the order in "
     "which\n"
     "they happened.  Exit status 1 if the level was broken again.\n",
     {"replay results/runs/latest mysql://me@localhost/test",
      "replay --level=ser --repeat=10 history.jsonl sqlite:try.db",
      "replay --level=ser --save-steps=case.steps history.jsonl memory:"},
     replay_command},
    {"sweep",
     FOR_SWEEP,
     "JOBFILE TARGET...|--compare A B",
     "measure abort rates over many settings",
     "JOBFILE may be one that comes with isostress, such as quick, "
     "abort-rates,\n"
     "levels, retries, offered-rate or soak: `isostress list sweeps` has all.\n"
     "In JOBFILE, settings may be lists (2,4,8) or ranges (10..10000 x10).  "
     "Every\n"
     "combination is run several times, in random order; the results are a "
     "table\n"
     "with 95 % intervals, JSON and pictures.  The same command continues a "
     "sweep\n"
     "that was interrupted.  --compare says whether two sweeps differ beyond\n"
     "noise; exit status 1 if they do.\n",
     {"sweep quick sqlite:try.db",
      "sweep --dry-run levels postgresql://me@localhost/test",
      "sweep --compare=results/sweeps/before results/sweeps/after"},
     sweep_command},
    {"repro",
     FOR_REPRO,
     "RECIPE [TARGET]|list|--all",
     "reproduce a known anomaly",
     "Starts the server that the recipe needs, puts it under load until the\n"
     "anomaly appears or the budget ends, shows the counterexample, and stops "
     "the\n"
     "server.  Exit status 0 if what the recipe expects happened, 2 if the "
     "recipe\n"
     "was interrupted, else 1.\n",
     {"repro list", "repro sqlite-shared-cache-aborted-read",
      "repro --budget=2m galera-stale-read"},
     repro_command},
    {"failover",
     FOR_FAILOVER,
     "KIND [NAME=VALUE...]",
     "say in how many failovers acknowledged writes are lost",
     "Starts a throw-away cluster, kills its first node under load, lets "
     "another\n"
     "one take over, and reads at the end what is there; again and again, each "
     "time\n"
     "with a new cluster.  Says in how many runs acknowledged writes were "
     "lost, "
     "how\n"
     "many, and for how long none was taken.  KIND is postgresql-standby,\n"
     "postgresql-sync, redis-replica, galera, etcd-3 or etcd-5.  Exit status 1 "
     "if\n"
     "writes were lost that the settings promise to keep, 2 if no host took "
     "over.\n",
     {"failover postgresql-standby", "failover --runs=5 postgresql-sync",
      "failover redis-replica appendonly=yes"},
     failover_command},
    {"scorecard",
     FOR_SCORECARD,
     "TARGET",
     "say what each level of a database really keeps",
     "Tests every isolation level and, if there are several hosts, every way "
     "to\n"
     "spread sessions over them: step by step with the grid of Hermitage, and\n"
     "under random load of the workloads mt, general, append and predicate.\n"
     "Exit status 1 if a level keeps less than it claims.\n",
     {"scorecard sqlite:try.db", "scorecard -T 1s -c 4 memory:",
      "scorecard -i \"repeatable read\" mysql://me@localhost/test"},
     scorecard_command},
    {"advise",
     FOR_ADVISE,
     "--schema FILE SCRIPT... TARGET",
     "say which level or which change your own transactions need",
     "Runs the scripts together at every level of the database, and says of "
     "each\n"
     "script whether it ran as if one after another, or which anomaly was "
     "found "
     "and\n"
     "where.  Where the default level does not do, changes are tried: a lock, "
     "a\n"
     "calculation by the database, a unique index, a level for one script "
     "alone.\n"
     "Whatever is advised was tried.  Exit status 1 if the default level does "
     "not\n"
     "do as the scripts are.\n",
     {"advise --schema shop.sql place.sql@5 restock.sql "
      "postgresql://me@localhost/test",
      "advise --schema s.sql --invariant 'SELECT sum(n) FROM t' --equals 7 "
      "a.sql "
      "postgresql://me@localhost/test",
      "advise -T 3s --junit=advice.xml --schema s.sql a.sql "
      "postgresql://me@localhost/test"},
     advise_command},
    {"scaffold",
     0,
     "python|node|java|c [DIRECTORY]",
     "write a driver for a database of your own",
     "Writes a driver that runs at once on a toy store, and a script that "
     "tests "
     "it,\n"
     "into DIRECTORY, by default my_driver.  Replace the toy store by calls of "
     "your\n"
     "database's client.  The driver speaks lines of JSON; the page PIPE.md is "
     "the\n"
     "whole protocol, for any language.\n",
     {"scaffold python", "scaffold node drivers/mine", "scaffold c"},
     scaffold_command},
    {"driver-test",
     FOR_DRIVER_TEST,
     "[--driver=DRIVER] [TARGET]",
     "test a driver of your own, or any other",
     "Tests a driver before its database: a driver with a mistake makes "
     "violations\n"
     "that are none.  In each check no two transactions conflict, or only one "
     "outcome\n"
     "is possible.  FAIL: the driver is wrong; status 1.  LOOK: the driver or "
     "the\n"
     "store is, and the sentence says how.  --: it cannot be asked of this "
     "store.\n"
     "Without --driver, the driver of TARGET is tested.\n",
     {"driver-test --driver='python3 my_driver.py'",
      "driver-test --driver=./my_driver.so mine:/tmp/x",
      "driver-test sqlite:/tmp/try.db"},
     driver_test_command},
    {"clean",
     FOR_CLEAN,
     "TARGET",
     "drop what runs left in a database",
     "Drops the tables or keys that runs on this target made, under the names "
     "that\n"
     "the target's options give them (table=, prefix=), and nothing else.  The "
     "command\n"
     "is refused while a run uses these names.\n",
     {"clean sqlite:bank.db", "clean postgresql://me@localhost/test",
      "clean 'redis://localhost?prefix=mine:'"},
     clean_command},
    {"server",
     0,
     "start KIND [NAME=VALUE...]|stop NAME|list|ACTION NAME NODE",
     "start and stop throw-away servers",
     "Kinds: postgresql, postgresql-standby, postgresql-sync, mariadb, galera, "
     "mysql, "
     "mysql-group,\n"
     "redis, redis-replica, valkey, etcd, etcd-3, etcd-5.  mariadb@11.8, "
     "mysql@9,\n"
     "postgresql@18 and the like are fetched from Debian when they are "
     "started;\n"
     "`isostress server` lists them.  A server runs in a temporary\n"
     "directory, on free ports, as an unprivileged user, until it is stopped;\n"
     "start prints its URIs.  NAME=VALUE are settings of the server, by its "
     "own\n"
     "names.\n"
     "ACTION is crash, start, stop, pause, resume, detach or promote, of one\n"
     "node; nodes are counted from 0.  `server faults NAME 'SECONDS ACTION "
     "NODE;\n"
     "...'` does several, each after so many seconds more.\n",
     {"server start postgresql",
      "server start mariadb innodb_snapshot_isolation=ON", "server stop all"},
     server_command},
    {"list",
     0,
     "[WHAT]...",
     "list what isostress knows",
     "WHAT is drivers, workloads, levels, anomalies, aims, formats, bugs, "
     "models\n"
     "or faults, or of the files that come with isostress: jobs, sweeps, "
     "programs,\n"
     "recipes or scripts.\n",
     {"list", "list drivers", "list workloads bugs"},
     list_command},
    {"help",
     0,
     "[COMMAND|TOPIC]...",
     "explain a command or a topic",
     "Topics: scripts, ci and levels.\n",
     {"help", "help run", "help scripts"},
     help_command},
    {.name = NULL},
};

// SPDX-License-Identifier: GPL-3.0-or-later
// The table of settings and how its rows are found (cli/settings/settings.h).
// What values look like is setting_values.c.
#include "config.h"

#include "cli/settings/settings.h"

#include "base/nearest.h"
#include "base/operation.h"

#include <assert.h>
#include <string.h>

static size_t row_of(const struct setting *setting) {
  return (size_t)(setting - settings_table);
}

const struct setting *setting_find(const char *name, unsigned commands) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands && !strcmp(s->name, name))
      return s;
  return NULL;
}

const struct setting *setting_find_letter(char letter, unsigned commands) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands && s->letter && s->letter == letter)
      return s;
  return NULL;
}

const char *setting_nearest(const char *name, unsigned commands) {
  const char *names[SETTING_COUNT_MAX + 1] = {NULL};
  size_t n = 0;
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands)
      names[n++] = s->name;
  return nearest(name, names);
}

void settings_default(struct settings *settings) {
  *settings = (struct settings){0};
  for (const struct setting *s = settings_table; s->name; s++) {
    struct error error;
    assert(row_of(s) < SETTING_COUNT_MAX);
    if (s->default_value && setting_read(settings, s, s->default_value, &error))
      assert(!"a default value that is none");
  }
}

int setting_give(struct settings *settings, const struct setting *setting,
                 const char *text, struct error *error) {
  if (setting_read(settings, setting, text, error))
    return -1;
  settings->given[row_of(setting)] = true;
  return 0;
}

void setting_give_run(struct settings *settings, const char *name,
                      const char *text) {
  struct error error;
  const struct setting *setting = setting_find(name, FOR_RUN);
  assert(setting);
  setting_give(settings, setting, text, &error);
}

bool setting_is_given(const struct settings *settings, const char *name) {
  const struct setting *setting = setting_find(name, ~0u);
  assert(setting);
  return settings->given[row_of(setting)];
}

#define FIELD(name) offsetof(struct settings, name)
#define YEAR (365.0 * 86400 * 1e9) // ns: far enough for any limit of time
#define READERS (FOR_CHECK | FOR_STAT | FOR_REPLAY | FOR_CONVERT | FOR_VERIFY)
#define MANY 1e15 // whole numbers of a double are exact

const struct setting settings_table[] = {
    {"target", 0, SETTING_TARGET,
     FOR_RUN | FOR_STEPS | FOR_REPLAY | FOR_REPRO | FOR_SCORECARD | FOR_EXPLORE,
     FIELD(target), NULL, 0, 0, "TARGET",
     "the database, also given without the option's name"},
    {"workload", 'w', SETTING_WORKLOAD, FOR_RUN, FIELD(workload), "mt", 0, 0,
     "NAME", "what transactions do; see isostress list workloads"},
    {"isolation", 'i', SETTING_TEXT,
     FOR_RUN | FOR_STEPS | FOR_REPLAY | FOR_SCORECARD | FOR_EXPLORE,
     FIELD(isolation), NULL, 0, 0, "LEVEL",
     "isolation level, in the database's words or ours; without it "
     "the database's default"},
    {"mix", 0, SETTING_TEXT, FOR_RUN, FIELD(mix), NULL, 0, 0, "LEVEL:SHARE,...",
     "isolation levels of which each transaction draws one, such as "
     "serializable:1,rc:3; instead of --isolation"},
    {"endpoints", 0, SETTING_ROUTING, FOR_RUN, FIELD(endpoints), "pin", 0, 0,
     "pin|hop|random|replica-reads",
     "which of the target's hosts a client speaks to: always the same, the "
     "next or a random one at each attempt, or for reading transactions one "
     "of those after the first"},
    {"clients", 'c', SETTING_COUNT, FOR_RUN | FOR_SCORECARD, FIELD(clients),
     "8", 1, VALUE_MAX_SESSIONS, "N", "sessions at once"},
    {"time", 'T', SETTING_TIME, FOR_RUN | FOR_SCORECARD | FOR_SWEEP,
     FIELD(time), "10s", 0, YEAR, "TIME",
     "how long to run; 0, or --transactions alone: no limit"},
    {"transactions", 't', SETTING_COUNT, FOR_RUN, FIELD(transactions), "0", 0,
     MANY, "N", "transactions per client; 0: no limit"},
    {"rate", 'R', SETTING_RATE, FOR_RUN, FIELD(rate), "0", 0, 1e9, "N",
     "transactions begun per second, all clients together; 0: as fast as "
     "possible"},
    {"keys", 'k', SETTING_COUNT, FOR_RUN | FOR_SCORECARD, FIELD(keys), "1000",
     1, (double)WORKLOAD_MAX_KEYS, "N", "keys in the database"},
    {"distribution", 0, SETTING_DISTRIBUTION, FOR_RUN, FIELD(distribution),
     "zipfian:0.99", 0, 0, "NAME[:N]",
     "uniform, zipfian:THETA, hotspot:OPS:KEYS (OPS of the operations go to "
     "KEYS of the keys) or exponential:OPS (to a tenth of the keys)"},
    {"ops", 0, SETTING_COUNT, FOR_RUN, FIELD(ops), "8", 1, PLAN_MAX_OPS, "N",
     "operations per transaction (general, append)"},
    {"read-ratio", 0, SETTING_SHARE, FOR_RUN, FIELD(read_ratio), "0", 0, 1,
     "SHARE", "share of reads (general, append); 0: the workload's own"},
    {"shares", 0, SETTING_TEXT, FOR_RUN, FIELD(shares), NULL, 0, 0,
     "SHAPE:N,...",
     "how often each shape of transaction comes, such as "
     "rmw1:0.5,ro:0.5; shapes not named do not come"},
    {"aim", 0, SETTING_TEXT, FOR_RUN, FIELD(aim), NULL, 0, 0, "ANOMALY",
     "favour what shows this anomaly: shapes, shared keys, pauses (mt); see "
     "isostress list bugs"},
    {"aim-check", 0, SETTING_SWITCH, FOR_RUN, FIELD(aim_check), "on", 0, 0,
     "on|off",
     "where an aim found something, run without it, as long at most, to say "
     "how much sooner that was"},
    {"long-share", 0, SETTING_SHARE, FOR_RUN, FIELD(long_share), "0", 0, 1,
     "SHARE", "share of long transactions (general)"},
    {"long-ops", 0, SETTING_COUNT, FOR_RUN, FIELD(long_ops), "150", 1,
     PLAN_MAX_OPS, "N", "operations of a long transaction (general)"},
    {"max-length", 0, SETTING_COUNT, FOR_RUN, FIELD(max_length), "32", 1, 1e6,
     "N", "elements after which a list is left alone (append)"},
    {"max-tries", 0, SETTING_COUNT, FOR_RUN, FIELD(max_tries), "1", 1, 1e6, "N",
     "attempts at a transaction that the database aborts"},
    {"resolve-unknown", 0, SETTING_SWITCH, FOR_RUN, FIELD(resolve_unknown),
     "off", 0, 0, NULL,
     "ask the database what became of a transaction whose answer was lost"},
    {"backoff", 0, SETTING_BACKOFF, FOR_RUN, FIELD(backoff), "none", 0, 0,
     "none|fixed:TIME|exponential:TIME",
     "pause before another attempt, drawn between half and one and a half of "
     "it; "
     "exponential: twice as long after each"},
    {"think-time", 0, SETTING_TIME, FOR_RUN, FIELD(think_time), "0", 0, YEAR,
     "TIME",
     "pause between the transactions of a client; a bare number is in seconds"},
    {"op-delay", 0, SETTING_TIME, FOR_RUN, FIELD(op_delay), "0", 0, YEAR,
     "TIME",
     "pause between the operations of a transaction, to widen races, such as "
     "500us or 2ms; a bare number is in seconds"},
    {"warmup", 0, SETTING_SHARE, FOR_RUN, FIELD(warmup), "0", 0, 0.9, "SHARE",
     "beginning of the run that is left out of the figures (not of the check)"},
    {"threads", 0, SETTING_COUNT, FOR_RUN, FIELD(threads), "0", 0, 4096, "N",
     "threads that the clients share; 0: one each; 1: the seed decides all "
     "(memory:)"},
    {"seed", 0, SETTING_SEED,
     FOR_RUN | FOR_STEPS | FOR_REPLAY | FOR_REPRO | FOR_SCORECARD | FOR_SWEEP |
         FOR_EXPLORE,
     FIELD(seed), NULL, 0, 0, "N",
     "same seed, same transactions; chosen at random without it"},
    {"op-times", 0, SETTING_SWITCH, FOR_RUN, FIELD(op_times), "off", 0, 0, NULL,
     "record the times of each operation as well"},
    {"record", 0, SETTING_SWITCH, FOR_RUN, FIELD(record), "on", 0, 0, "on|off",
     "record the history; nothing can be checked without it"},
    {"progress", 'P', SETTING_TIME, FOR_RUN, FIELD(progress), "1s", 0, YEAR,
     "TIME",
     "time between progress lines (10s where stderr is no terminal); "
     "0: none"},
    {"out", 'o', SETTING_TEXT, FOR_RUN | FOR_REPRO | FOR_SCORECARD | FOR_SWEEP,
     FIELD(out), "results/runs", 0, 0, "DIRECTORY",
     "where the directory of this run is made"},
    {"check", 0, SETTING_CHECK, FOR_RUN, FIELD(check), "claimed", 0, 0,
     "LEVEL|claimed|auto|recorded|none",
     "level to check; claimed: what the isolation level claims to be; auto: "
     "all of them; recorded: each transaction at its own"},
    {"stop-on-violation", 0, SETTING_SWITCH, FOR_RUN, FIELD(stop_on_violation),
     "off", 0, 0, NULL,
     "check while the run records, and end it at the first violation seen"},
    {"bug", 0, SETTING_BUG,
     FOR_RUN | FOR_STEPS | FOR_REPLAY | FOR_SCORECARD | FOR_EXPLORE, FIELD(bug),
     NULL, 0, 0, "BUG",
     "anomaly that memory: shall produce; see isostress list bugs"},
    {"driver", 0, SETTING_TEXT,
     FOR_RUN | FOR_STEPS | FOR_REPLAY | FOR_SCORECARD | FOR_EXPLORE,
     FIELD(driver), NULL, 0, 0, "FILE",
     "shared object with a driver of your own"},
    {"level", 'l', SETTING_LEVELS, FOR_CHECK | FOR_REPLAY, FIELD(levels), NULL,
     0, 0, "LEVEL,...",
     "levels to check: rc, ra, cc, pc, si, ser, sser; auto: all of them at "
     "once; recorded: each transaction at its own; without it what it was "
     "recorded at"},
    {"format", 0, SETTING_FORMAT, READERS, FIELD(reading.format), NULL, 0, 0,
     "NAME", "format of the files; without it recognised from their content"},
    {"init", 0, SETTING_INITIAL, READERS, FIELD(reading), "auto", 0, 0,
     "auto|implicit|explicit|first-read|VALUE",
     "what keys hold at first: 0 or nothing, which nobody wrote, what a "
     "transaction wrote, what was read first, or a value as reports print it; "
     "auto: as the format has it"},
    {"model", 0, SETTING_MODEL, READERS, FIELD(reading.model), "auto", 0, 0,
     "auto|register|list|cas",
     "what keys are of which only reads of nothing are known"},
    {"duplicate-values", 0, SETTING_DUPLICATES, READERS,
     FIELD(reading.duplicates), "refuse", 0, 0, "refuse|allow",
     "values that were written to a key twice: refuse the history, or let a "
     "read of one have seen any of the writes"},
    {"to", 0, SETTING_TEXT, FOR_CONVERT, FIELD(to), NULL, 0, 0, "NAME",
     "format to write; without it by the end of the file's name"},
    {"strict", 0, SETTING_SWITCH, FOR_CONVERT, FIELD(strict), "off", 0, 0, NULL,
     "write nothing if the format cannot say everything"},
    {"jobs", 'j', SETTING_COUNT, FOR_CHECK | FOR_EXPLORE, FIELD(jobs), "0", 0,
     1024, "N",
     "cores to use: for histories, or levels of one, at once, and to read "
     "each; 0: all"},
    {"timeout", 0, SETTING_TIME, FOR_RUN | FOR_CHECK | FOR_EXPLORE,
     FIELD(timeout), "0", 0, YEAR, "TIME",
     "give up a check after that long, undecided; 0: never"},
    {"memory", 0, SETTING_COUNT, FOR_RUN | FOR_CHECK | FOR_EXPLORE,
     FIELD(memory), "0", 0, MANY, "BYTES",
     "give up a check that needs more memory, such as 500M or 4G, undecided; "
     "0: all that is free"},
    {"compare", 0, SETTING_TEXT, FOR_REPORT | FOR_SWEEP, FIELD(compare), NULL,
     0, 0, "FILE",
     "write a page that shows the runs side by side; of sweeps, the "
     "directory of the one to compare with"},
    {"repetitions", 0, SETTING_COUNT, FOR_SWEEP, FIELD(repetitions), "4", 1,
     1000, "N",
     "runs of each combination; without it what the file says, or 4"},
    {"skip-impossible", 0, SETTING_SWITCH, FOR_SWEEP, FIELD(skip_impossible),
     "off", 0, 0, NULL, "leave combinations out that a target cannot run"},
    {"dry-run", 0, SETTING_SWITCH, FOR_SWEEP, FIELD(dry_run), "off", 0, 0, NULL,
     "say what would be run and how long it takes, and run nothing"},
    {"explain", 0, SETTING_TEXT, FOR_CHECK, FIELD(explain), NULL, 0, 0,
     "DIRECTORY",
     "write the report and the pictures of all counterexamples shown there"},
    {"witness", 0, SETTING_TEXT, FOR_RUN | FOR_CHECK, FIELD(witness), NULL, 0,
     0, "FILE", "write the proof of the verdict there, for isostress verify"},
    {"max", 0, SETTING_COUNT, FOR_RUN | FOR_CHECK, FIELD(max), "1", 0, 1e6, "N",
     "counterexamples shown of each anomaly, smallest first; 0: stop at the "
     "first and count none"},
    {"all", 0, SETTING_SWITCH, FOR_RUN | FOR_CHECK | FOR_REPRO | FOR_EXPLORE,
     FIELD(all), "off", 0, 0, NULL, "show all counterexamples that are found"},
    {"no-session-order", 0, SETTING_SWITCH, FOR_RUN | FOR_CHECK | FOR_REPLAY,
     FIELD(no_session_order), "off", 0, 0, NULL,
     "do not demand that a session sees its own transactions in order"},
    {"real-time", 0, SETTING_SWITCH, FOR_RUN | FOR_CHECK | FOR_REPLAY,
     FIELD(real_time), "off", 0, 0, NULL,
     "treat what had ended before a transaction began as if it were earlier in "
     "its session; at rc reads may still be stale"},
    {"repeat", 0, SETTING_COUNT, FOR_STEPS | FOR_REPLAY | FOR_EXPLORE,
     FIELD(repeat), "0", 0, 1e6, "N",
     "performances, each on keys of its own; 0: one of a script, 100 of a "
     "counterexample"},
    {"recreate", 0, SETTING_SWITCH, FOR_REPLAY, FIELD(recreate), "off", 0, 0,
     NULL,
     "make new, empty tables for each performance, for what depends on an "
     "empty "
     "index"},
    {"any", 0, SETTING_SWITCH, FOR_REPLAY, FIELD(any), "off", 0, 0, NULL,
     "rather than the counterexample that is shown, one of the same anomaly "
     "whose reads can all find what was committed last, if there is one"},
    {"budget", 0, SETTING_TIME, FOR_REPRO, FIELD(budget), "30s", 0, YEAR,
     "TIME", "give an anomaly up after so much time under load"},
    {"blocked-after", 0, SETTING_TIME,
     FOR_STEPS | FOR_REPLAY | FOR_SCORECARD | FOR_EXPLORE, FIELD(blocked_after),
     "500ms", 1e6, 60e9, "TIME",
     "after so long without an answer it is asked whether a step is blocked"},
    {"server", 0, SETTING_TEXT, FOR_STEPS, FIELD(server), NULL, 0, 0, "NAME",
     "the throw-away server whose nodes the script acts on, as `isostress "
     "server list` shows it"},
    {"save-history", 0, SETTING_TEXT, FOR_STEPS, FIELD(save_history), NULL, 0,
     0, "FILE",
     "write what the first performance did and read as a history, for "
     "isostress check"},
    {"save-steps", 0, SETTING_TEXT, FOR_REPLAY | FOR_EXPLORE, FIELD(save_steps),
     NULL, 0, 0, "FILE", "write the interleaving as a step script"},
    {"save-commands", 0, SETTING_TEXT, FOR_REPLAY, FIELD(save_commands), NULL,
     0, 0, "FILE", "write it as commands for the database's own shell"},
    {"output", 0, SETTING_OUTPUT,
     FOR_RUN | FOR_CHECK | FOR_STEPS | FOR_REPRO | FOR_SCORECARD | FOR_SWEEP |
         FOR_EXPLORE,
     FIELD(output), "text", 0, 0, "text|json", "how the result is printed"},
    {"schema", 0, SETTING_TEXT, FOR_EXPLORE, FIELD(schema), NULL, 0, 0, "FILE",
     "SQL file with the tables and their rows; the programs are then pgbench "
     "scripts, FILE or FILE@N for N sessions, and --robust holds"},
    {"assert-only", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(assert_only), "off",
     0, 0, NULL, "count neither outcomes nor what no serial order explains"},
    {"robust", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(robust), "off", 0, 0, NULL,
     "demand as well that every history is serializable"},
    {"first", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(first), "off", 0, 0, NULL,
     "leave a level at the first history that breaks an assertion"},
    {"repair", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(repair), "off", 0, 0, NULL,
     "try which single read for update makes all assertions hold"},
    {"allocate", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(allocate), "off", 0, 0,
     NULL, "find a weakest level for each transaction"},
    {"verify", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(verify), "off", 0, 0, NULL,
     "have the checker judge every history, not only those that are told"},
    {"max-ops", 0, SETTING_COUNT, FOR_EXPLORE, FIELD(max_ops), "256", 1, 4096,
     "N", "operations that a transaction may perform; more are refused"},
    {"part", 0, SETTING_TEXT, FOR_EXPLORE, FIELD(part), NULL, 0, 0, "I/N",
     "explore only part I of N, from 1; the counts of all parts add up, but "
     "for outcomes"},
    {"estimate", 0, SETTING_SWITCH, FOR_EXPLORE, FIELD(estimate), "off", 0, 0,
     NULL, "say about how many histories there are, and explore none"},
    {"sample", 0, SETTING_COUNT, FOR_EXPLORE, FIELD(sample), "0", 0, 1e12, "N",
     "take N histories at random, which may come again, and not all of them"},
    {"save", 0, SETTING_TEXT, FOR_EXPLORE, FIELD(save), NULL, 0, 0, "FILE",
     "write what is still to be explored there when the exploration is "
     "stopped; without it, after Ctrl-C, explore.left"},
    {"resume", 0, SETTING_TEXT, FOR_EXPLORE, FIELD(resume), NULL, 0, 0, "FILE",
     "go on with what was saved there, with the same programs and options"},
    {"algorithm", 0, SETTING_TEXT, FOR_EXPLORE, FIELD(algorithm), "ce", 0, 0,
     "ce|dfs",
     "ce: each history once; dfs: the baseline, which meets a history as often "
     "as its transactions have orders"},
    {NULL, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL},
};

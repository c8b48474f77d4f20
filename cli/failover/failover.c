// SPDX-License-Identifier: GPL-3.0-or-later
// One failover under load, and what several come to (cli/failover/failover.h).
#include "config.h"

#include "cli/failover/failover.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/random.h"
#include "cli/jobs/job.h"
#include "cli/settings/settings.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <string.h>

// How long after the start of the run the crash comes, in seconds: sessions
// have to connect and to write before.
enum { CRASH_FROM = 2, CRASH_WITHIN = 1 };

const struct failover_kind failover_kinds[] = {
    {"postgresql-standby", "0.2 promote 1", {"set", "append", NULL}},
    {"postgresql-sync", "0.2 promote 1", {"set", "append", NULL}},
    {"redis-replica", "0.2 promote 1", {"append", NULL, NULL}},
    {"galera", NULL, {"set", "append", NULL}},
    {"etcd-3", NULL, {"append", NULL, NULL}},
    {"etcd-5", NULL, {"append", NULL, NULL}},
    {NULL, NULL, {NULL, NULL, NULL}},
};

const struct failover_kind *failover_kind_find(const char *name,
                                               struct error *error) {
  enum { KINDS = sizeof failover_kinds / sizeof *failover_kinds };
  const size_t length = strcspn(name, "@");
  const char *names[KINDS] = {NULL};
  for (uint32_t i = 0; failover_kinds[i].name; i++) {
    names[i] = failover_kinds[i].name;
    if (strlen(names[i]) == length && !strncmp(names[i], name, length))
      return &failover_kinds[i];
  }
  const char *near = nearest(name, names);
  if (near)
    error_set_usage(error,
                    "there is no failover of \"%.64s\", did you mean %s?", name,
                    near);
  else
    error_set_usage(error,
                    "there is no failover of \"%.64s\"; there is one of the "
                    "throw-away servers postgresql-standby, postgresql-sync, "
                    "redis-replica, galera, etcd-3 and etcd-5",
                    name);
  return NULL;
}

// ---- One run

static int by_time(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static bool committed_a_write(const struct history *h, uint32_t txn) {
  for (uint32_t op = h->txn_first[txn]; op < h->txn_first[txn + 1]; op++)
    if (op_writes(h->kind[op]))
      return true;
  return false;
}

// The longest time between two commits of writes, one behind the other.
static uint64_t longest_silence(const struct history *h) {
  uint64_t *ends = xcalloc((size_t)h->ntxns + 1, sizeof *ends), longest = 0;
  size_t n = 0;
  for (uint32_t t = 0; h->end && t < h->ntxns; t++)
    if (h->outcome[t] == OUTCOME_OK && committed_a_write(h, t))
      ends[n++] = h->end[t];
  qsort(ends, n, sizeof *ends, by_time);
  for (size_t i = 1; i < n; i++)
    if (ends[i] - ends[i - 1] > longest)
      longest = ends[i] - ends[i - 1];
  free(ends);
  return longest;
}

static bool changed_hosts(const struct run_figures *f) {
  bool elsewhere = false;
  for (uint32_t i = 1; i < f->nendpoints; i++)
    elsewhere |= f->endpoints[i].committed > 0;
  return elsewhere && f->endpoints[0].committed > 0;
}

struct listening {
  struct failover *failover;
  struct failover_run *run;
};

static void take_first_server(struct failover *failover,
                              const struct run_figures *f) {
  if (failover->keeps_words[0] || failover->server[0])
    return;
  failover->keeps = f->keeps;
  snprintf(failover->keeps_words, sizeof failover->keeps_words, "%s",
           f->keeps_words);
  snprintf(failover->server, sizeof failover->server, "%s", f->server);
}

static void take_failover_report(void *context, const struct report *report) {
  const struct listening *listening = context;
  struct failover_run *run = listening->run;
  if (report->directory)
    snprintf(run->directory, sizeof run->directory, "%s", report->directory);
  if (!report->figures)
    return;
  take_first_server(listening->failover, report->figures);
  if (!report->history || !report->durable)
    return;
  const struct durability *d = &report->durable->is;
  run->promoted = changed_hosts(report->figures);
  run->acknowledged = d->acknowledged;
  run->lost = d->lost;
  run->transactions = d->transactions;
  run->unknown = d->unknown;
  run->took_effect = d->took_effect;
  run->loss = report->durable->loss;
  run->silence = longest_silence(report->history);
  run->broken = report->verdict && report->verdict->kind == VERDICT_VIOLATION;
}

static char *faults_of(const struct failover *failover,
                       const struct failover_kind *kind) {
  gsl_rng *random =
      random_stream(failover->seed, failover->count, RANDOM_ROUTE);
  const double at = CRASH_FROM + CRASH_WITHIN * gsl_rng_uniform(random);
  gsl_rng_free(random);
  return xasprintf("@%.3f kill 0%s%s", at, kind->after ? "; " : "",
                   kind->after ? kind->after : "");
}

// The dead node stays dead, for what the other ones have is looked at.
static void load_server(const struct failover *failover, const char *server,
                        const char *faults, const char *workload,
                        struct settings *settings) {
  char seed[24], time[32];
  snprintf(seed, sizeof seed, "%llu",
           (unsigned long long)(failover->seed + failover->count));
  snprintf(time, sizeof time, "%.3fs", (double)failover->time / 1e9);
  const char *const given[][2] = {
      {"server", server},     {"faults", faults},       {"settle", "0"},
      {"workload", workload}, {"endpoints", "primary"}, {"time", time},
      {"seed", seed},         {"out", failover->out},   {"progress", "0"},
      {"timeout", "60s"}};
  settings_default(settings, FOR_RUN);
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    setting_give_run(settings, given[i][0], given[i][1]);
}

int failover_run_next(struct failover *failover,
                      const struct failover_kind *kind, struct error *error) {
  struct failover_run *run = &failover->runs[failover->count];
  struct listening listening = {failover, run};
  struct settings settings;
  const uint32_t nworkloads = kind->workloads[1] ? 2 : 1;
  *run = (struct failover_run){
      .workload = kind->workloads[failover->count % nworkloads]};
  char *faults = faults_of(failover, kind);
  char *server = xasprintf("%s%s%s", failover->kind,
                           *failover->settings ? " " : "", failover->settings);
  load_server(failover, server, faults, run->workload, &settings);
  const enum status status =
      job_run_quietly("failover", &settings, take_failover_report, &listening);
  const bool ran = run->directory[0] && status != STATUS_USAGE;
  free(faults);
  free(server);
  if (!ran)
    return error_set(error, "the run did not take place");
  failover->count++;
  return 0;
}

// ---- All runs

void failover_add_up(const struct failover *failover,
                     struct failover_sum *sum) {
  uint64_t *silences = xcalloc((size_t)failover->count + 1, sizeof *silences);
  *sum = (struct failover_sum){.high = 1};
  for (uint32_t i = 0; i < failover->count; i++) {
    const struct failover_run *run = &failover->runs[i];
    if (!run->promoted)
      continue;
    silences[sum->promoted++] = run->silence;
    sum->lossy += run->lost > 0;
    sum->lost += run->lost;
    sum->most = run->lost > sum->most ? run->lost : sum->most;
    sum->against_promise |= run->loss == LOSS_AGAINST_PROMISE;
  }
  const double k = sum->lossy, n = sum->promoted;
  if (k > 0)
    sum->low = gsl_cdf_beta_Pinv(0.025, k, n - k + 1);
  if (k < n)
    sum->high = gsl_cdf_beta_Pinv(0.975, k + 1, n - k);
  qsort(silences, sum->promoted, sizeof *silences, by_time);
  if (sum->promoted) {
    sum->silence = silences[sum->promoted / 2];
    sum->longest = silences[sum->promoted - 1];
  }
  free(silences);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Targets of several hosts, and answers that were lost: which host a session
// speaks to, and what is made of a transaction after asking.
#include "config.h"

#include "tests/tap.h"
#include "tests/unit/runner/taped.h"
// after what it uses
#include "tests/unit/runner/proposed.h"

enum { HOSTS = 3 };

// Read-modify-writes and reads in turn.
static void turns_next(void *state, struct plan *plan) {
  struct proposed *proposed = state;
  const bool reads = proposed->n % 2;
  propose(proposed, plan);
  propose_op(plan, OP_READ, 0);
  if (!reads)
    propose_op(plan, OP_WRITE, 1);
}
static const struct workload turns_workload = {
    PROPOSED_COMMON, .name = "turns", .shapes = one_shape, .next = turns_next};

struct cluster {
  struct scripted_target hosts[HOSTS];
  struct endpoints endpoints;
  struct run_options options;
  struct run_figures figures;
};

static void cluster_init(struct cluster *c, enum routing routing,
                         uint32_t nsessions, scenario *script) {
  static char names[HOSTS][4] = {"a:1", "b:2", "c:3"};
  c->endpoints = (struct endpoints){.count = HOSTS};
  for (int i = 0; i < HOSTS; i++) {
    scripted_init(&c->hosts[i], &scripted_driver, i == 1 ? script : NULL);
    c->endpoints.targets[i] = &c->hosts[i].target;
    c->endpoints.names[i] = names[i];
  }
  c->options = options_for(&c->hosts[0], &turns_workload, 12);
  c->options.workload_options.nsessions = nsessions;
  c->options.threads = 1;
  c->options.endpoints = &c->endpoints;
  c->options.routing = routing;
}

static void cluster_run(struct cluster *c) {
  run_well(&c->options, &c->figures);
  CHECK_INT(c->figures.nendpoints, HOSTS);
  uint64_t begun = 0;
  for (int i = 0; i < HOSTS; i++) {
    CHECK_INT(c->hosts[i].open, 0);
    begun += c->figures.endpoints[i].begun;
  }
  CHECK_INT(begun, c->figures.begun);
  CHECK_INT(c->hosts[0].setups, 1);
  CHECK_INT(c->hosts[1].setups, 0);
}

static void cluster_fini(struct cluster *c) {
  run_figures_free(&c->figures);
  for (int i = 0; i < HOSTS; i++)
    scripted_fini(&c->hosts[i]);
}

static uint64_t begun(const struct cluster *c, int host, uint32_t session) {
  return c->hosts[host].calls[session][CALL_BEGIN];
}

static void pinned_sessions_stay(void) {
  struct cluster c;
  cluster_init(&c, ROUTING_PIN, 7, NULL);
  cluster_run(&c);
  for (uint32_t s = 0; s < 7; s++)
    for (uint32_t host = 0; host < HOSTS; host++) {
      CHECK_INT(begun(&c, (int)host, s), host == s % HOSTS ? 12 : 0);
      CHECK_INT(c.hosts[host].calls[s][CALL_CONNECT], host == s % HOSTS);
    }
  const struct endpoint_figures *second = &c.figures.endpoints[1];
  CHECK_STR(second->name, "b:2");
  CHECK_INT(second->begun, 24);
  CHECK_INT(second->committed, 24);
  CHECK_INT(second->nsessions, 2);
  CHECK_INT(second->sessions[1].session, 4);
  CHECK_INT(second->sessions[1].begun, 12);
  CHECK(strstr(taped_text(4), "[@1 r0="));
  cluster_fini(&c);
}

static void hopping_sessions_go_round(void) {
  struct cluster c;
  cluster_init(&c, ROUTING_HOP, 2, NULL);
  cluster_run(&c);
  for (uint32_t s = 0; s < 2; s++)
    for (int host = 0; host < HOSTS; host++)
      CHECK_INT(begun(&c, host, s), 4);
  CHECK(!strncmp(taped_text(0), "[@1 ", 4));
  cluster_fini(&c);
}

static void random_sessions_go_everywhere(void) {
  struct cluster c;
  cluster_init(&c, ROUTING_RANDOM, 4, NULL);
  c.options.transactions = 200;
  cluster_run(&c);
  for (uint32_t s = 0; s < 4; s++)
    for (int host = 0; host < HOSTS; host++)
      CHECK(begun(&c, host, s) > 20);
  cluster_fini(&c);
}

static void replicas_are_read_from(void) {
  struct cluster c;
  cluster_init(&c, ROUTING_REPLICAS, 3, NULL);
  cluster_run(&c);
  for (uint32_t s = 0; s < 3; s++) {
    const int replica = 1 + (int)s % 2, other = 3 - replica;
    CHECK_INT(begun(&c, 0, s), 6);
    CHECK_INT(begun(&c, replica, s), 6);
    CHECK_INT(c.hosts[0].calls[s][CALL_PUT], 6);
    CHECK_INT(c.hosts[replica].calls[s][CALL_PUT], 0);
    CHECK_INT(c.hosts[other].calls[s][CALL_CONNECT], 0);
  }
  cluster_fini(&c);
}

// The second host dies after a few transactions and never comes back.
static enum outcome dies(struct connection *connection, uint32_t session,
                         enum call call, uint64_t n) {
  (void)session;
  if (call == CALL_CONNECT)
    return n ? OUTCOME_ABORTED : OUTCOME_OK;
  if (call == CALL_ROLLBACK || n < 3)
    return OUTCOME_OK;
  connection->broken = true;
  return fails(connection, OUTCOME_ABORTED, CAUSE_CONNECTION, "dead");
}

static void hopping_sessions_pass_over_the_dead(void) {
  struct cluster c;
  cluster_init(&c, ROUTING_HOP, 2, dies);
  c.options.max_tries = 3;
  c.options.transactions = 60;
  cluster_run(&c);
  CHECK_INT(c.figures.end, RUN_DONE);
  CHECK_INT(c.figures.committed, 120);
  CHECK(c.figures.endpoints[1].committed <= 6);
  CHECK(c.figures.endpoints[1].aborted >= 2);
  cluster_fini(&c);
}

static void pinned_sessions_are_lost_with_their_host(void) {
  struct cluster c;
  cluster_init(&c, ROUTING_PIN, 3, dies);
  cluster_run(&c);
  CHECK_INT(c.figures.end, RUN_DONE);
  CHECK_INT(begun(&c, 0, 0), 12);
  CHECK_INT(begun(&c, 2, 2), 12);
  CHECK(begun(&c, 1, 1) < 12);
  cluster_fini(&c);
}

// ---- Hosts that have to follow

static int patience;
static int follows(struct target *target, const struct keyspace *keys,
                   struct error *error) {
  (void)error;
  CHECK(keys->run != 0);
  scripted(target)->keys = *keys;
  return ++patience > 3;
}
static int never_follows(struct target *target, const struct keyspace *keys,
                         struct error *error) {
  (void)target, (void)keys;
  return error_set(error, "no such table");
}

static void followers_are_waited_for(void) {
  struct cluster c;
  struct driver driver = scripted_driver;
  driver.follow = follows;
  patience = 0;
  cluster_init(&c, ROUTING_PIN, 3, NULL);
  for (int i = 0; i < HOSTS; i++)
    c.hosts[i].target.driver = &driver;
  cluster_run(&c);
  CHECK_INT(patience, 5);
  CHECK_INT(c.hosts[2].keys.nkeys, SCRIPTED_KEYS);
  cluster_fini(&c);
}

static void followers_that_can_not_are_refused(void) {
  struct cluster c;
  struct driver driver = scripted_driver;
  struct error error;
  driver.follow = never_follows;
  cluster_init(&c, ROUTING_PIN, 3, NULL);
  c.hosts[1].target.driver = &driver;
  CHECK_INT(run(&c.options, &c.figures, &error), -1);
  CHECK_STR(error.text, "no such table");
  cluster_fini(&c);
}

// ---- Lost answers

static enum outcome loses_answers(struct connection *connection,
                                  uint32_t session, enum call call,
                                  uint64_t n) {
  (void)session;
  if ((call != CALL_COMMIT && call != CALL_TRANSACT) || n % 8 != 2)
    return OUTCOME_OK;
  connection->broken = true;
  connection->token[0] = n + 1;
  return fails(connection, OUTCOME_UNKNOWN, CAUSE_CONNECTION, "lost");
}

static struct run_figures run_in_doubt(const struct driver *driver,
                                       scenario *script,
                                       const struct workload *workload) {
  struct scripted_target target;
  struct run_figures figures;
  scripted_init(&target, driver, script);
  struct run_options options = options_for(&target, workload, 20);
  options.threads = 1;
  options.resolve_unknown = true;
  run_well(&options, &figures);
  CHECK_INT(target.target.resolves, 1);
  scripted_fini(&target);
  return figures;
}

// A written value is found; the runner stops asking about transactions that
// only read.
static void values_that_are_there_prove_a_commit(void) {
  struct run_figures figures =
      run_in_doubt(&scripted_driver, loses_answers, &rmw_workload);
  CHECK_INT(figures.unknown, 0);
  CHECK(figures.resolved_committed >= 2);
  CHECK_INT(figures.committed, 20);
  run_figures_free(&figures);
  figures = run_in_doubt(&scripted_driver, loses_answers, &turns_workload);
  CHECK(figures.unknown > 0);
  CHECK_INT(figures.resolved_aborted, 0);
  run_figures_free(&figures);
}

// A transaction of this driver that is told to fail stores nothing.
static void values_that_are_not_there_prove_nothing(void) {
  struct run_figures figures =
      run_in_doubt(&one_shot_driver, loses_answers, &rmw_workload);
  CHECK(figures.unknown >= 2);
  CHECK_INT(figures.resolved_committed, 0);
  CHECK_INT(figures.resolved_aborted, 0);
  run_figures_free(&figures);
}

// Not for want of an answer.
static enum outcome half_done(struct connection *connection, uint32_t session,
                              enum call call, uint64_t n) {
  (void)session;
  return call == CALL_COMMIT && n == 2
             ? fails(connection, OUTCOME_UNKNOWN, CAUSE_OTHER, "half")
             : OUTCOME_OK;
}

static void what_took_effect_in_part_stays_unknown(void) {
  struct run_figures figures =
      run_in_doubt(&scripted_driver, half_done, &rmw_workload);
  CHECK_INT(figures.unknown, 1);
  CHECK_INT(figures.resolved_committed, 0);
  run_figures_free(&figures);
}

// The driver knows at the third question.
static int questions;
static enum outcome says_aborted(struct connection *connection,
                                 const uint64_t token[2]) {
  (void)connection;
  CHECK(token[0] % 8 == 3);
  return ++questions % 3 ? OUTCOME_UNKNOWN : OUTCOME_ABORTED;
}

static void drivers_are_asked_first(void) {
  struct driver driver = one_shot_driver;
  driver.resolve = says_aborted;
  questions = 0;
  struct run_figures figures =
      run_in_doubt(&driver, loses_answers, &rmw_workload);
  CHECK_INT(figures.unknown, 0);
  CHECK(figures.resolved_aborted >= 2);
  CHECK_INT(figures.aborted, figures.resolved_aborted);
  CHECK_INT(figures.by_cause[CAUSE_CONNECTION], figures.aborted);
  CHECK(strstr(taped_text(0), "]- "));
  run_figures_free(&figures);
}

int main(void) {
  return TAP_RUN(
      {"pinned sessions stay", pinned_sessions_stay},
      {"hopping sessions go round", hopping_sessions_go_round},
      {"random sessions go everywhere", random_sessions_go_everywhere},
      {"replicas are read from", replicas_are_read_from},
      {"hopping sessions pass over the dead",
       hopping_sessions_pass_over_the_dead},
      {"pinned sessions are lost with their host",
       pinned_sessions_are_lost_with_their_host},
      {"followers are waited for", followers_are_waited_for},
      {"followers that cannot are refused", followers_that_can_not_are_refused},
      {"values that are there prove a commit",
       values_that_are_there_prove_a_commit},
      {"values that are not there prove nothing",
       values_that_are_not_there_prove_nothing},
      {"what took effect in part stays unknown",
       what_took_effect_in_part_stays_unknown},
      {"drivers are asked first", drivers_are_asked_first});
}

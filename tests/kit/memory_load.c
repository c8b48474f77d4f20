// SPDX-License-Identifier: GPL-3.0-or-later
// Random transactions on the memory driver (tests/kit/memory_load.h).
#include "config.h"

#include "tests/kit/memory_load.h"

#include "base/memory.h"
#include "base/random.h"
#include "workload/workload.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client {
  struct connection *connection;
  gsl_rng *random;
  void *workload; // state of mt
  struct load_txn txn;
  bool open;
  uint32_t next_op, finished;
  uint64_t nwrites;
};

struct running {
  const struct load_options *options;
  const struct driver_level *level;
  struct target *target;
  struct client *clients;
  struct load load;
  uint32_t places;
  uint64_t now; // calls made
};

static const struct driver_level *level_of(enum isolation level) {
  const struct driver_level *l = memory_driver.levels;
  while (l->claimed != level)
    l++;
  return l;
}

struct target *load_target(const struct load_options *options) {
  const char *const values[] = {
      options->bug,     options->stale, options->lag, options->abort,
      options->unknown, options->lose,  NULL}; // full
  const struct target_spec spec = {.place = "",
                                   .values = values,
                                   .nsessions = options->nsessions,
                                   .seed = options->seed};
  const struct keyspace keys = {.nkeys = options->nkeys,
                                .lists = options->lists};
  struct error error;
  struct target *target;
  if (memory_driver.open(&spec, &target, &error) ||
      memory_driver.setup(target, &keys, &error)) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return target;
}

static void connect_client(struct running *r, uint32_t session) {
  struct error error;
  const int failed = memory_driver.connect(
      r->target, session, &r->clients[session].connection, &error);
  assert(!failed);
  (void)failed;
}

static const struct workload *mini_transactions(void) {
  struct error error;
  return workload_find("mt", &error);
}

static void add_op(struct load_txn *txn, unsigned kind, uint64_t key) {
  assert(txn->nops < LOAD_MAX_OPS);
  txn->ops[txn->nops++] = (struct load_op){.kind = kind, .key = key};
}

// r = read, w = write, of key x or y.
static const char *const shapes[] = {"rxry",   "rxryrx", "rxwx",     "rxrywxwy",
                                     "rxrywx", "rxwxrx", "rxwxwxrx", "rxwxwxwx",
                                     "wxwy",   "wx"};

static void plan_shape(const struct running *r, struct client *client) {
  const uint64_t nkeys = r->options->nkeys;
  const char *shape = shapes[gsl_rng_uniform_int(
      client->random, sizeof shapes / sizeof *shapes)];
  const uint64_t x = gsl_rng_uniform_int(client->random, nkeys);
  const uint64_t y =
      (x + 1 + gsl_rng_uniform_int(client->random, nkeys - 1)) % nkeys;
  for (; *shape; shape += 2)
    add_op(&client->txn, shape[0] == 'r' ? OP_READ : OP_WRITE,
           shape[1] == 'x' ? x : y);
}

static void plan(const struct running *r, struct client *client) {
  client->txn.nops = 0;
  if (client->workload) {
    struct plan plan;
    mini_transactions()->next(client->workload, &plan);
    for (uint32_t i = 0; i < plan.nops; i++)
      add_op(&client->txn, plan.ops[i].kind, plan.ops[i].key);
  } else
    plan_shape(r, client);
  for (uint32_t i = 0; r->options->lists && i < client->txn.nops; i++)
    client->txn.ops[i].kind |= OP_IS_LIST;
}

static void execute(struct running *r, struct client *client,
                    struct load_op *op) {
  if (op_writes(op->kind))
    op->value = value_of_write(client->txn.session, client->nwrites++);
  enum outcome outcome = OUTCOME_OK;
  switch (op->kind) {
  case OP_READ:
    outcome = memory_driver.get(client->connection, op->key, &op->value);
    break;
  case OP_WRITE:
    outcome = memory_driver.put(client->connection, op->key, op->value);
    break;
  case OP_READ_LIST:
    outcome = memory_driver.get_list(client->connection, op->key, &op->list);
    break;
  case OP_APPEND:
    outcome = memory_driver.append(client->connection, op->key, op->value);
    break;
  }
  assert(outcome == OUTCOME_OK);
  (void)outcome, (void)r;
}

static bool has_writes(const struct load_txn *txn) {
  for (uint32_t i = 0; i < txn->nops; i++)
    if (op_writes(txn->ops[i].kind))
      return true;
  return false;
}

static void finish(struct running *r, struct client *client) {
  struct load_txn *txn = &client->txn;
  txn->outcome = memory_driver.commit(client->connection);
  txn->ended = r->now;
  txn->place = LOAD_NO_PLACE;
  if (txn->outcome == OUTCOME_OK && has_writes(txn))
    txn->place = ++r->places;
  if (client->connection->broken) {
    memory_driver.disconnect(client->connection);
    connect_client(r, txn->session);
  }
  r->load.txns[r->load.ntxns++] = *txn;
  client->open = false;
  client->finished++;
}

// One call of one session.
static void step(struct running *r, uint32_t session) {
  struct client *client = &r->clients[session];
  r->now++;
  if (!client->open) {
    plan(r, client);
    client->txn.session = session;
    client->txn.number = client->finished;
    client->txn.begun_at = r->places;
    client->txn.begun = r->now;
    client->next_op = 0;
    client->open = true;
    memory_driver.begin(client->connection, r->level);
  } else if (client->next_op < client->txn.nops)
    execute(r, client, &client->txn.ops[client->next_op++]);
  else
    finish(r, client);
}

static void interleave(struct running *r) {
  const struct load_options *o = r->options;
  gsl_rng *random = random_stream(o->seed, 0, RANDOM_INTERLEAVE);
  const uint32_t all = o->nsessions * o->ntxns;
  while (r->load.ntxns < all) {
    const uint32_t s = (uint32_t)gsl_rng_uniform_int(random, o->nsessions);
    if (r->clients[s].finished < o->ntxns)
      step(r, s);
  }
  gsl_rng_free(random);
}

static void open_client(struct running *r, uint32_t session) {
  const struct load_options *o = r->options;
  struct client *client = &r->clients[session];
  connect_client(r, session);
  client->random = random_stream(o->seed, session, RANDOM_PLAN);
  if (o->mini) {
    struct workload_options options;
    workload_defaults(&options);
    options.seed = o->seed;
    options.nsessions = o->nsessions;
    options.nkeys = o->nkeys;
    options.distribution = DISTRIBUTION_UNIFORM;
    client->workload = mini_transactions()->open(&options, session);
  }
}

static void close_client(struct client *client) {
  memory_driver.disconnect(client->connection);
  gsl_rng_free(client->random);
  if (client->workload)
    mini_transactions()->close(client->workload);
}

struct load load_run(const struct load_options *o) {
  struct running r = {.options = o, .level = level_of(o->level)};
  r.target = load_target(o);
  r.load.txns = xcalloc(o->nsessions * o->ntxns, sizeof *r.load.txns);
  r.clients = xcalloc(o->nsessions, sizeof *r.clients);
  for (uint32_t s = 0; s < o->nsessions; s++)
    open_client(&r, s);
  interleave(&r);
  for (uint32_t s = 0; s < o->nsessions; s++)
    close_client(&r.clients[s]);
  memory_driver.close(r.target);
  free(r.clients);
  return r.load;
}

void load_free(struct load *load) {
  for (uint32_t t = 0; t < load->ntxns; t++)
    for (uint32_t i = 0; i < load->txns[t].nops; i++)
      value_list_free(&load->txns[t].ops[i].list);
  free(load->txns);
}

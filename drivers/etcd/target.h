// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, preparing and describing etcd, and the connections of sessions.
#ifndef DRIVERS_ETCD_TARGET_H
#define DRIVERS_ETCD_TARGET_H

#include <stdatomic.h>

#include "drivers/driver.h"
#include "drivers/etcd/link.h"

struct etcd_target {
  struct target base;
  struct authority authority;
  char *prefix;
  uint32_t timeout; // ms
  struct etcd_tls tls;
  // The comparison that says that no later run has made the keys, and the
  // revision that it names; setup makes both.
  char *claim;
  uint64_t marked;
  uint64_t lease;         // under which the keys are claimed; 0: they are not
  atomic_bool taken_over; // a later run has made the keys anew
};

// A transaction's knowledge of a key.
struct etcd_cell {
  uint64_t key;
  bool reads, writes; // what the plan does with it
  uint64_t revision;  // of its last change; 0 if it is absent
  uint64_t value;
  struct value_list list;
};

struct etcd_session {
  struct connection base;
  struct etcd_link link;
  struct etcd_cell *cells; // PLAN_MAX_OPS, their lists' memory kept
  uint32_t ncells;         // of the transaction under way
  uint64_t renewed;        // when it last renewed the lease
};

static inline struct etcd_target *etcd_of(struct target *target) {
  return (struct etcd_target *)target;
}
static inline struct etcd_session *
etcd_session_of(struct connection *connection) {
  return (struct etcd_session *)connection;
}

extern const struct driver_option etcd_options[];

// After a later run has made the keys anew no session goes on.
enum target_over etcd_over(struct target *base, struct error *error);

int etcd_open(const struct target_spec *spec, struct target **target,
              struct error *error);
void etcd_close(struct target *target);
int etcd_setup(struct target *target, const struct keyspace *keys,
               struct error *error);
int etcd_follow(struct target *target, const struct keyspace *keys,
                struct error *error);
int etcd_clean(struct target *target, uint64_t *removed, struct error *error);
void etcd_describe(struct target *target, char *text, size_t room);

int etcd_connect(struct target *target, uint32_t session,
                 struct connection **connection, struct error *error);
void etcd_disconnect(struct connection *connection);

// Opens a link to the target's host and logs in, within the time-out; -1 with a
// sentence.
int etcd_open_link(const struct etcd_target *target, uint32_t timeout_ms,
                   struct etcd_link *link, struct error *error);

// Keeps later runs from these keys: claims them, unless another run does; -1
// with a sentence then.
int etcd_claim_keys(struct etcd_target *target, struct etcd_link *link,
                    struct error *error);
// Renews the claim, now and then.
void etcd_claim_renew(struct etcd_session *session);
void etcd_claim_release(struct etcd_target *target);

#endif

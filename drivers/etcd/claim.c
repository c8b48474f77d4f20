// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps other runs from a run's keys (drivers/etcd/target.h).  etcd knows no
// connections: the claim is a key under a lease, which ends some seconds after
// the run that should renew it.  Session 0 does so between its transactions.
#include "config.h"

#include "drivers/etcd/target.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/claim.h"

#include <assert.h>
#include <stdlib.h>

// A run that was killed holds its claim for less time than others wait for it.
enum { LEASE_S = 6, RENEW_S = 2, RELEASE_MS = 2000 };
static_assert((int)LEASE_S < (int)CLAIM_PATIENCE, "a claim ends in time");

static char *claim_name(const struct etcd_target *target) {
  return xasprintf("%sclaim", target->prefix);
}

// The link's request about a lease; NULL if it fails.
static json_t *post_lease(struct etcd_link *link, const char *path,
                          uint64_t lease) {
  etcd_add(etcd_link_begin(link), "{\"ID\":\"%llu\"}",
           (unsigned long long)lease);
  return etcd_link_post(link, path);
}

static uint64_t grant_lease(struct etcd_link *link) {
  etcd_add(etcd_link_begin(link), "{\"TTL\":\"%d\"}", LEASE_S);
  json_t *answer = etcd_link_post(link, "/v3/lease/grant");
  const uint64_t lease = etcd_number(answer, "ID");
  json_decref(answer);
  return lease;
}

// Makes the key of the claim, unless it is there: 1, 0, or -1 if the request
// failed.
static int make_claim(const struct etcd_target *target, struct etcd_link *link,
                      uint64_t lease) {
  struct etcd_text *request = etcd_link_begin(link);
  char *name = claim_name(target);
  etcd_add_text(request, "{\"compare\":[{\"key\":", name);
  etcd_add(request, ",\"target\":\"CREATE\",\"result\":\"EQUAL\","
                    "\"create_revision\":\"0\"}],\"success\":[");
  etcd_add_text(request, "{\"request_put\":{\"key\":", name);
  etcd_add_text(request, ",\"value\":", "a run uses these keys");
  etcd_add(request, ",\"lease\":\"%llu\"}}]}", (unsigned long long)lease);
  free(name);
  json_t *answer = etcd_link_post(link, "/v3/kv/txn");
  const int made =
      answer ? json_is_true(json_object_get(answer, "succeeded")) : -1;
  json_decref(answer);
  return made;
}

// 1 if the claim is ours, 0 if it is another run's, -1 if a request failed.
static int try_to_claim(struct etcd_target *target, struct etcd_link *link) {
  const uint64_t lease = grant_lease(link);
  const int made = lease ? make_claim(target, link, lease) : -1;
  if (made > 0)
    target->lease = lease;
  else if (lease && !made)
    json_decref(post_lease(link, "/v3/lease/revoke", lease));
  return made;
}

int etcd_claim_keys(struct etcd_target *target, struct etcd_link *link,
                    struct error *error) {
  char *server = xasprintf("etcd at %s", link->where);
  char *names = xasprintf("keys %s*", target->prefix);
  struct claim_wait wait = {.server = server, .names = names};
  int claimed;
  do
    claimed = try_to_claim(target, link);
  while (!claimed && claim_again(&wait));
  if (claimed < 0)
    error_set(error, "%s: cannot claim keys: %s", server, link->text);
  else if (!claimed)
    claim_refuse(server, names, "prefix", false, error);
  free(names);
  free(server);
  return claimed > 0 ? 0 : -1;
}

void etcd_claim_renew(struct etcd_session *session) {
  const uint64_t lease = etcd_of(session->base.target)->lease;
  if (session->base.session || !lease)
    return;
  const uint64_t now = clock_now();
  if (now - session->renewed < RENEW_S * NS_PER_SECOND)
    return;
  session->renewed = now;
  json_decref(post_lease(&session->link, "/v3/lease/keepalive", lease));
}

void etcd_claim_release(struct etcd_target *target) {
  struct etcd_link link;
  struct error error;
  if (!target->lease)
    return;
  const uint32_t timeout =
      target->timeout < RELEASE_MS ? target->timeout : RELEASE_MS;
  if (!etcd_open_link(target, timeout, &link, &error)) {
    json_decref(post_lease(&link, "/v3/lease/revoke", target->lease));
    etcd_link_fini(&link);
  }
  target->lease = 0;
}

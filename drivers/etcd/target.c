// SPDX-License-Identifier: GPL-3.0-or-later
// From a list of hosts to a cluster with fresh keys (drivers/etcd/target.h).
#include "config.h"

#include "drivers/etcd/target.h"

#include "drivers/claim.h"
#include "drivers/options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The value of the prefix itself, so that setup never deletes foreign keys.
#define MARK "made by isostress, which deletes it in its next run"

enum option { PREFIX, TIMEOUT, TLS, CACERT, CAPATH, CERT, KEY, OPTIONS };

// A transaction may hold 128 operations unless etcd is told otherwise.
enum { DEFAULT_PORT = 2379, BATCH = 100 };

const struct driver_option etcd_options[OPTIONS + 1] = {
    [PREFIX] = {"prefix", "isostress:", "prefix of the names of keys"},
    [TIMEOUT] = {"timeout", "10s",
                 "how long to wait for an answer before the connection counts "
                 "as lost"},
    [TLS] = {"tls", NULL,
             "off, on, or unverified, which accepts any certificate; the "
             "default is on where one of the files below is given, else off"},
    [CACERT] = {"cacert", NULL, "file of certificates to trust"},
    [CAPATH] = {"capath", NULL, "directory of certificates to trust"},
    [CERT] = {"cert", NULL, "file of the client's certificate"},
    [KEY] = {"key", NULL, "file of the client's key"},
    {0},
};

// ---- The target

static int read_etcd_place(struct etcd_target *target, const char *place,
                           struct error *error) {
  if (strncmp(place, "//", 2))
    return error_set_usage(
        error, "an etcd cluster is written etcd://HOST:PORT,HOST:PORT");
  if (authority_read(&target->authority, place, "127.0.0.1", DEFAULT_PORT,
                     error))
    return -1;
  assert(target->authority.nhosts == 1);
  return *target->authority.path
             ? error_set_usage(error,
                               "etcd has no databases: nothing can stand "
                               "behind the hosts but ?prefix=NAME")
             : 0;
}

// libcurl says nothing of files that it cannot read.
static int copy_etcd_file(struct etcd_target *target, enum option option,
                          const char *const *values, const char **copy,
                          struct error *error) {
  const char *file = values[option];
  if (!file)
    return 0;
  if (access(file, R_OK))
    return error_set(error, "%s=%s cannot be read: %m",
                     etcd_options[option].name, file);
  *copy = arena_strdup(&target->authority.arena, file);
  return 0;
}

static int read_tls(struct etcd_target *target, const char *const *values,
                    struct error *error) {
  static const char *const ways[] = {"off", "on", "unverified", NULL};
  struct etcd_tls *tls = &target->tls;
  int way = values[CACERT] || values[CAPATH] || values[CERT];
  if (values[TLS] && (way = option_choice("tls", values[TLS], ways, error)) < 0)
    return -1;
  tls->on = way > 0;
  tls->verified = way == 1;
  return copy_etcd_file(target, CACERT, values, &tls->cacert, error) ||
                 copy_etcd_file(target, CAPATH, values, &tls->capath, error) ||
                 copy_etcd_file(target, CERT, values, &tls->cert, error) ||
                 copy_etcd_file(target, KEY, values, &tls->key, error)
             ? -1
             : 0;
}

static int read_etcd_options(struct etcd_target *target,
                             const char *const *values, struct error *error) {
  if (option_prefix(values[PREFIX], "_-.:/", error) ||
      read_tls(target, values, error) ||
      option_timeout(values[TIMEOUT], &target->timeout, error))
    return -1;
  target->prefix = xstrdup(values[PREFIX]);
  return 0;
}

int etcd_open(const struct target_spec *spec, struct target **target,
              struct error *error) {
  struct etcd_target *made = xcalloc(1, sizeof *made);
  if (curl_global_init(CURL_GLOBAL_DEFAULT))
    out_of_memory(0);
  if (read_etcd_place(made, spec->place, error) ||
      read_etcd_options(made, spec->values, error)) {
    etcd_close(&made->base);
    return -1;
  }
  *target = &made->base;
  return 0;
}

void etcd_close(struct target *base) {
  struct etcd_target *target = etcd_of(base);
  etcd_claim_release(target);
  arena_free(&target->authority.arena);
  free(target->prefix);
  free(target->claim);
  free(target);
  curl_global_cleanup();
}

// ---- Connections

// -1 with a sentence that says why the last request failed.
static int say_link_failure(const struct etcd_link *link, const char *what,
                            struct error *error) {
  return error_set(error, "etcd at %s%s%s: %s", link->where, *what ? ": " : "",
                   what, link->text);
}

static int greet_member(const struct etcd_target *target,
                        struct etcd_link *link, struct error *error) {
  const struct authority *authority = &target->authority;
  if (authority->user &&
      etcd_link_log_in(link, authority->user,
                       authority->password ? authority->password : ""))
    return say_link_failure(link, "", error);
  etcd_add(etcd_link_begin(link), "{}");
  json_t *answer = etcd_link_post(link, "/v3/maintenance/status");
  const int failed = answer ? 0 : say_link_failure(link, "", error);
  if (link->failure == CURLE_GOT_NOTHING && !target->tls.on)
    error_set(error, "etcd at %s: %s; if it wants TLS, say tls=on", link->where,
              link->text);
  json_decref(answer);
  return failed;
}

int etcd_open_link(const struct etcd_target *target, uint32_t timeout_ms,
                   struct etcd_link *link, struct error *error) {
  etcd_link_init(link, target->authority.hosts, &target->tls, timeout_ms);
  if (!greet_member(target, link, error))
    return 0;
  etcd_link_fini(link);
  return -1;
}

static int open_link(const struct etcd_target *target, struct etcd_link *link,
                     struct error *error) {
  return etcd_open_link(target, target->timeout, link, error);
}

// Posts the request; -1 with a sentence if it fails.
static int post(struct etcd_link *link, const char *path, const char *what,
                json_t **answer, struct error *error) {
  *answer = etcd_link_post(link, path);
  return *answer ? 0 : say_link_failure(link, what, error);
}

// Reads the value of the prefix itself, or "", and the revision of its last
// change; NULL with a sentence.  Unless it is asked for as the member knows it,
// the read waits until the member knows of all earlier writes.
static char *read_mark(const struct etcd_target *target, struct etcd_link *link,
                       bool as_known, uint64_t *revision, struct error *error) {
  json_t *answer;
  struct etcd_text *request = etcd_link_begin(link);
  etcd_add_text(request, "{\"key\":", target->prefix);
  etcd_add(request, "%s}", as_known ? ",\"serializable\":true" : "");
  if (post(link, "/v3/kv/range", "cannot look for keys", &answer, error))
    return NULL;
  const json_t *kv = json_array_get(json_object_get(answer, "kvs"), 0);
  char *mark = etcd_decoded(kv, "value");
  *revision = etcd_number(kv, "mod_revision");
  json_decref(answer);
  return mark;
}

static int say_taken_over(const struct etcd_target *target, const char *where,
                          struct error *error) {
  return error_set(error,
                   "etcd at %s: another run has taken over keys %s*; give each "
                   "run its own prefix",
                   where, target->prefix);
}

enum target_over etcd_over(struct target *base, struct error *error) {
  const struct etcd_target *target = etcd_of(base);
  if (!atomic_load(&target->taken_over))
    return OVER_NOT;
  char *where = authority_host_text(target->authority.hosts);
  say_taken_over(target, where, error);
  free(where);
  return OVER_STORE;
}

// No session goes on once a later run has made the keys anew.
static int check_mark(struct etcd_target *target, struct etcd_link *link,
                      struct error *error) {
  uint64_t revision = 0;
  char *mark = read_mark(target, link, true, &revision, error);
  if (!mark)
    return -1;
  free(mark);
  if (revision <= target->marked)
    return 0;
  atomic_store(&target->taken_over, true);
  return say_taken_over(target, link->where, error);
}

int etcd_connect(struct target *base, uint32_t number,
                 struct connection **connection, struct error *error) {
  struct etcd_session *session = xcalloc(1, sizeof *session);
  struct etcd_target *target = etcd_of(base);
  if (open_link(target, &session->link, error)) {
    free(session);
    return -1;
  }
  if (target->claim && check_mark(target, &session->link, error)) {
    etcd_link_fini(&session->link);
    free(session);
    return -1;
  }
  session->base.target = base;
  session->base.session = number;
  session->cells = xcalloc(PLAN_MAX_OPS, sizeof *session->cells);
  *connection = &session->base;
  return 0;
}

void etcd_disconnect(struct connection *connection) {
  struct etcd_session *session = etcd_session_of(connection);
  for (int i = 0; i < PLAN_MAX_OPS; i++)
    value_list_free(&session->cells[i].list);
  free(session->cells);
  etcd_link_fini(&session->link);
  free(session);
}

// ---- Setup

// From the prefix followed by a digit to what comes after all such names: ":"
// is what follows "9".
static void add_range_of_keys(struct etcd_text *request, const char *prefix) {
  char first[80], end[80];
  snprintf(first, sizeof first, "%s0", prefix);
  snprintf(end, sizeof end, "%s:", prefix);
  etcd_add_text(request, "\"key\":", first);
  etcd_add_text(request, ",\"range_end\":", end);
}

static char *etcd_mark_of_run(const struct keyspace *keys) {
  return xasprintf(MARK " (%llu)", (unsigned long long)keys->run);
}

static int check_owner(const struct etcd_target *target, struct etcd_link *link,
                       struct error *error) {
  json_t *answer;
  struct etcd_text *request = etcd_link_begin(link);
  etcd_add(request, "{");
  add_range_of_keys(request, target->prefix);
  etcd_add(request, ",\"limit\":1}");
  if (post(link, "/v3/kv/range", "cannot look for keys", &answer, error))
    return -1;
  const bool found = etcd_number(answer, "count");
  json_decref(answer);
  uint64_t revision;
  char *mark = read_mark(target, link, false, &revision, error);
  if (!mark)
    return -1;
  const bool marked = !strncmp(mark, MARK, strlen(MARK));
  free(mark);
  return found && !marked
             ? error_set(error,
                         "etcd at %s has keys %s* that were not made by "
                         "isostress; choose other names with prefix=NAME",
                         link->where, target->prefix)
             : 0;
}

// A run whose claim lapsed, since nobody renewed it in time, notices that
// another one has set its mark later: every transaction compares that.  A mark
// that was lost with everything else is no other run's.
static void watch_mark(struct etcd_target *target, uint64_t revision) {
  struct etcd_text claim = {0};
  etcd_add_text(&claim, "{\"key\":", target->prefix);
  etcd_add(&claim,
           ",\"target\":\"MOD\",\"result\":\"LESS\",\"mod_revision\":\"%llu\"}",
           (unsigned long long)revision + 1);
  free(target->claim);
  target->claim = claim.bytes;
  target->marked = revision;
}

// From then on no other run can write.
static int mark_etcd_keys(struct etcd_target *target, struct etcd_link *link,
                          const struct keyspace *keys, struct error *error) {
  json_t *answer;
  struct etcd_text *request = etcd_link_begin(link);
  char *mark = etcd_mark_of_run(keys);
  etcd_add_text(request, "{\"key\":", target->prefix);
  etcd_add_text(request, ",\"value\":", mark);
  etcd_add(request, "}");
  free(mark);
  if (post(link, "/v3/kv/put", "cannot set keys", &answer, error))
    return -1;
  watch_mark(target,
             etcd_number(json_object_get(answer, "header"), "revision"));
  json_decref(answer);
  return 0;
}

static void begin_claimed(const struct etcd_target *target,
                          struct etcd_link *link) {
  etcd_add(etcd_link_begin(link), "{\"compare\":[%s],\"success\":[",
           target->claim);
}

// `removed`, if it is not NULL: how many keys a deletion found.
static int post_claimed(const struct etcd_target *target,
                        struct etcd_link *link, const char *what,
                        uint64_t *removed, struct error *error) {
  json_t *answer;
  etcd_add(&link->request, "]}");
  if (post(link, "/v3/kv/txn", what, &answer, error))
    return -1;
  const bool ours = json_is_true(json_object_get(answer, "succeeded"));
  const json_t *response =
      json_array_get(json_object_get(answer, "responses"), 0);
  if (removed)
    *removed = etcd_number(json_object_get(response, "response_delete_range"),
                           "deleted");
  json_decref(answer);
  if (ours)
    return 0;
  char *server = xasprintf("etcd at %s", link->where);
  char *names = xasprintf("keys %s*", target->prefix);
  claim_refuse(server, names, "prefix", false, error);
  free(names);
  free(server);
  return -1;
}

static int delete_etcd_keys(const struct etcd_target *target,
                            struct etcd_link *link, uint64_t *removed,
                            struct error *error) {
  begin_claimed(target, link);
  etcd_add(&link->request, "{\"request_delete_range\":{");
  add_range_of_keys(&link->request, target->prefix);
  etcd_add(&link->request, "}}");
  return post_claimed(target, link, "cannot delete keys", removed, error);
}

static int make_etcd_keys(const struct etcd_target *target,
                          struct etcd_link *link, uint64_t nkeys,
                          struct error *error) {
  struct etcd_text *request = &link->request;
  for (uint64_t first = 0; first < nkeys; first += BATCH) {
    const uint64_t end = nkeys - first < BATCH ? nkeys : first + BATCH;
    begin_claimed(target, link);
    for (uint64_t key = first; key < end; key++) {
      etcd_add(request, "%s{\"request_put\":{\"key\":", key > first ? "," : "");
      etcd_add_key(request, target->prefix, key);
      etcd_add_text(request, ",\"value\":", "0");
      etcd_add(request, "}}");
    }
    if (post_claimed(target, link, "cannot set keys", NULL, error))
      return -1;
  }
  return 0;
}

int etcd_setup(struct target *base, const struct keyspace *keys,
               struct error *error) {
  struct etcd_target *target = etcd_of(base);
  const uint64_t nkeys = keys->preload && !keys->lists ? keys->nkeys : 0;
  struct etcd_link link;
  etcd_claim_release(target);
  if (open_link(target, &link, error))
    return -1;
  const int failed = check_owner(target, &link, error) ||
                     etcd_claim_keys(target, &link, error) ||
                     mark_etcd_keys(target, &link, keys, error) ||
                     delete_etcd_keys(target, &link, NULL, error) ||
                     make_etcd_keys(target, &link, nkeys, error);
  etcd_link_fini(&link);
  return failed ? -1 : 0;
}

static int delete_mark(const struct etcd_target *target, struct etcd_link *link,
                       struct error *error) {
  begin_claimed(target, link);
  etcd_add_text(&link->request,
                "{\"request_delete_range\":{\"key\":", target->prefix);
  etcd_add(&link->request, "}}");
  return post_claimed(target, link, "cannot delete keys", NULL, error);
}

// The mark of a run of its own keeps others from writing meanwhile; it goes
// last, so that a clean that is cut off can be made again.
int etcd_clean(struct target *base, uint64_t *removed, struct error *error) {
  struct etcd_target *target = etcd_of(base);
  const struct keyspace none = {.run = 0};
  struct etcd_link link;
  etcd_claim_release(target);
  if (open_link(target, &link, error))
    return -1;
  const int failed = check_owner(target, &link, error) ||
                     etcd_claim_keys(target, &link, error) ||
                     mark_etcd_keys(target, &link, &none, error) ||
                     delete_etcd_keys(target, &link, removed, error) ||
                     delete_mark(target, &link, error);
  etcd_link_fini(&link);
  return failed ? -1 : 0;
}

int etcd_follow(struct target *base, const struct keyspace *keys,
                struct error *error) {
  struct etcd_target *target = etcd_of(base);
  struct etcd_link link;
  if (open_link(target, &link, error))
    return -1;
  uint64_t revision;
  char *mark = read_mark(target, &link, false, &revision, error);
  char *ours = etcd_mark_of_run(keys);
  const int answer = mark ? !strcmp(mark, ours) : -1;
  if (answer == 1)
    watch_mark(target, revision);
  free(ours);
  free(mark);
  etcd_link_fini(&link);
  return answer;
}

// ---- What it is

static const char *text_of_member(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

// Name of the member with this number; "nobody" if there is none.
static const char *name_of_member(const json_t *members, const char *id) {
  size_t i;
  const json_t *member;
  json_array_foreach(members, i, member) {
    if (!strcmp(text_of_member(member, "ID"), id))
      return text_of_member(member, "name");
  }
  return "nobody";
}

void etcd_describe(struct target *base, char *text, size_t room) {
  struct etcd_link link;
  struct error error;
  *text = '\0';
  if (open_link(etcd_of(base), &link, &error))
    return;
  etcd_add(etcd_link_begin(&link), "{}");
  json_t *status = etcd_link_post(&link, "/v3/maintenance/status");
  json_t *list = etcd_link_post(&link, "/v3/cluster/member/list");
  const json_t *members = json_object_get(list, "members");
  const size_t n = json_array_size(members);
  if (status && n)
    snprintf(text, room, "etcd %s, %zu member%s, led by %s",
             text_of_member(status, "version"), n, n > 1 ? "s" : "",
             name_of_member(members, text_of_member(status, "leader")));
  json_decref(status);
  json_decref(list);
  etcd_link_fini(&link);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts, ports and passwords as they are written in targets.
#include "config.h"

#include "drivers/authority.h"
#include "tests/tap.h"

static void all_parts_are_found(void) {
  struct authority a;
  struct error error = {0};
  if (!CHECK(!authority_read(&a, "//me:p%40s%2Fs@db1:5433,[::1]:7,db3/2",
                             "127.0.0.1", 99, &error)))
    return;
  CHECK_STR(a.user, "me");
  CHECK_STR(a.password, "p@s/s");
  CHECK_STR(a.path, "2");
  CHECK_INT(a.nhosts, 3);
  CHECK_STR(a.hosts[0].name, "db1");
  CHECK_INT(a.hosts[0].port, 5433);
  CHECK_STR(a.hosts[1].name, "::1");
  CHECK_INT(a.hosts[1].port, 7);
  CHECK_STR(a.hosts[2].name, "db3");
  CHECK_INT(a.hosts[2].port, 99);
  arena_free(&a.arena);
}

static void parts_may_be_missing(void) {
  struct authority a;
  struct error error = {0};
  if (!CHECK(!authority_read(&a, "//:secret@", "127.0.0.1", 99, &error)))
    return;
  CHECK(!a.user);
  CHECK_STR(a.password, "secret");
  CHECK_STR(a.path, "");
  CHECK_INT(a.nhosts, 1);
  CHECK_STR(a.hosts[0].name, "127.0.0.1");
  CHECK_INT(a.hosts[0].port, 99);
  arena_free(&a.arena);
  if (!CHECK(!authority_read(&a, "//me:@", NULL, 0, &error)))
    return;
  CHECK_STR(a.user, "me");
  CHECK_STR(a.password, "");
  CHECK(!a.hosts[0].name && !a.hosts[0].port);
  arena_free(&a.arena);
  if (!CHECK(!authority_read(&a, "//me@h", NULL, 0, &error)))
    return;
  CHECK(!a.password);
  arena_free(&a.arena);
}

static void mistakes_are_refused_without_the_password(void) {
  static const char *const places[] = {
      "//:hush/hush@h",  "//:hush@hush@h", "//:hu%zzsh@h",     "//:hush@h:0",
      "//:hush@h:65536", "//:hush@h:x",    "//:hush@h:",       "//:hush@[::1",
      "//:hush@[::1]x",  "//:hush@h/%4",   "//:hush@h:1:hush", "//:hush%00@h",
  };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    struct authority a;
    struct error error = {0};
    if (!CHECK(authority_read(&a, places[i], "127.0.0.1", 99, &error)))
      printf("#   %s\n", places[i]);
    CHECK(*error.text && !strstr(error.text, "hush"));
  }
}

static void hosts_are_written_as_they_are_read(void) {
  static const char *const hosts[] = {"127.0.0.1:6379", "[::1]:7", "db3:99"};
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
    struct authority a;
    struct error error = {0};
    char place[32];
    snprintf(place, sizeof place, "//%s", hosts[i]);
    if (!CHECK(!authority_read(&a, place, NULL, 0, &error)))
      continue;
    char *text = authority_host_text(&a.hosts[0]);
    CHECK_STR(text, hosts[i]);
    free(text);
    arena_free(&a.arena);
  }
}

static void too_many_hosts_are_refused(void) {
  struct authority a;
  struct error error = {0};
  CHECK_INT(authority_read(&a, "//a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q",
                           "127.0.0.1", 99, &error),
            -1);
}

int main(void) {
  return TAP_RUN({"all parts are found", all_parts_are_found},
                 {"parts may be missing", parts_may_be_missing},
                 {"mistakes are refused without the password",
                  mistakes_are_refused_without_the_password},
                 {"hosts are written as they are read",
                  hosts_are_written_as_they_are_read},
                 {"too many hosts are refused", too_many_hosts_are_refused});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Targets that list several hosts.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/endpoints.h"
#include "tests/tap.h"

#include <stdlib.h>

// A driver that only remembers what it was asked to open.
struct remembered {
  struct target base;
  char place[100];
};

static int opened;

static int remember(const struct target_spec *spec, struct target **target,
                    struct error *error) {
  if (strstr(spec->place, "bad"))
    return error_set(error, "it is bad");
  struct remembered *remembered = xcalloc(1, sizeof *remembered);
  snprintf(remembered->place, sizeof remembered->place, "%s", spec->place);
  *target = &remembered->base;
  opened++;
  return 0;
}

static void forget(struct target *target) {
  opened--;
  free(target);
}

static const struct driver_level levels[] = {{"only", ISOLATION_SER}, {0}};
static const struct driver with_hosts = {.abi = DRIVER_ABI,
                                         .name = "fake",
                                         .hosts = true,
                                         .levels = levels,
                                         .open = remember,
                                         .close = forget};
static const struct driver without_hosts = {.abi = DRIVER_ABI,
                                            .name = "fake",
                                            .levels = levels,
                                            .open = remember,
                                            .close = forget};

static const struct driver_level weaker[] = {{"only", ISOLATION_SI}, {0}};
static const struct driver_level weakest[] = {{"only", ISOLATION_RC}, {0}};

static int open_target(const char *text, const struct driver *driver,
                       struct endpoints *endpoints, struct error *error) {
  *error = (struct error){0};
  return endpoints_open(text, driver, NULL, 1, 1, endpoints, error);
}

static const char *place(const struct endpoints *endpoints, int i) {
  return ((struct remembered *)endpoints->targets[i])->place;
}

static void the_weakest_host_decides_what_a_level_promises(void) {
  struct endpoints e;
  struct error error;
  if (!CHECK(!open_target("fake://a,b,c", &with_hosts, &e, &error)))
    return;
  CHECK_INT(endpoints_claim(&e, levels), ISOLATION_SER);
  e.targets[0]->levels = weaker;
  CHECK_INT(target_claim(e.targets[0], levels), ISOLATION_SI);
  CHECK_INT(endpoints_claim(&e, levels), ISOLATION_SI);
  e.targets[2]->levels = weakest;
  CHECK_INT(target_claim(e.targets[1], levels), ISOLATION_SER);
  CHECK_INT(endpoints_claim(&e, levels), ISOLATION_RC);
  endpoints_close(&e);
}

static void hosts_are_opened_one_by_one(void) {
  struct endpoints e;
  struct error error;
  CHECK(!open_target("fake://me:a,b@h1:1,[::1]:2,h3/base", &with_hosts, &e,
                     &error));
  CHECK_INT(e.count, 3);
  CHECK_STR(e.names[0], "h1:1");
  CHECK_STR(e.names[1], "[::1]:2");
  CHECK_STR(e.names[2], "h3");
  CHECK_STR(place(&e, 0), "//me:a,b@h1:1/base");
  CHECK_STR(place(&e, 1), "//me:a,b@[::1]:2/base");
  CHECK_STR(place(&e, 2), "//me:a,b@h3/base");
  endpoints_close(&e);
  CHECK_INT(opened, 0);
}

static void other_commas_are_left_alone(void) {
  static const struct {
    const char *text, *place, *name;
    const struct driver *driver;
  } cases[] = {
      {"fake://h", "//h", "h", &with_hosts},
      {"fake://h/a,b", "//h/a,b", "h", &with_hosts},
      {"fake:///a,b", "///a,b", "", &with_hosts},
      {"fake:/a,b", "/a,b", "", &with_hosts},
      {"fake://a,b/c", "//a,b/c", "a,b", &without_hosts},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct endpoints e;
    struct error error;
    if (!CHECK(!open_target(cases[i].text, cases[i].driver, &e, &error)))
      continue;
    CHECK_INT(e.count, 1);
    CHECK_STR(place(&e, 0), cases[i].place);
    CHECK_STR(e.names[0], cases[i].name);
    endpoints_close(&e);
  }
}

static void nothing_stays_open_after_a_mistake(void) {
  struct endpoints e;
  struct error error;
  CHECK(open_target("fake://a,b,bad", &with_hosts, &e, &error));
  CHECK_STR(error.text, "it is bad");
  CHECK_INT(opened, 0);
  CHECK(open_target("fake://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
                    &with_hosts, &e, &error));
  CHECK_STR(error.text, "a target can list 16 hosts, and not 17");
  CHECK(error.usage);
  CHECK_INT(opened, 0);
}

static void ways_have_names(void) {
  enum routing routing;
  struct error error = {0};
  for (int i = 0; i < ROUTING_COUNT; i++) {
    CHECK(!routing_parse(routing_name((enum routing)i), &routing, &error));
    CHECK_INT(routing, i);
  }
  CHECK(routing_parse("hopp", &routing, &error));
  CHECK_STR(error.text, "must be pin, hop, random, replica-reads or primary, "
                        "not \"hopp\"; did you "
                        "mean hop?");
  CHECK(routing_parse("7", &routing, &error));
  CHECK(strstr(error.text, "pin, hop, random, replica-reads or primary"));
}

int main(void) {
  return TAP_RUN({"hosts are opened one by one", hosts_are_opened_one_by_one},
                 {"other commas are left alone", other_commas_are_left_alone},
                 {"nothing stays open after a mistake",
                  nothing_stays_open_after_a_mistake},
                 {"the weakest host decides what a level promises",
                  the_weakest_host_decides_what_a_level_promises},
                 {"ways have names", ways_have_names});
}

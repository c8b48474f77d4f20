// SPDX-License-Identifier: GPL-3.0-or-later
// Shared objects as drivers: the example in examples/, and broken ones.
#include "config.h"

#include "base/clock.h"
#include "drivers/drivers.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *built(const char *name) {
  static char path[4096];
  const char *top = getenv("TOP_BUILDDIR");
  snprintf(path, sizeof path, "%s/%s", top ? top : ".", name);
  return path;
}

static void check_refused(const char *path, const char *wanted) {
  struct error error = {0};
  CHECK(driver_load(path, NS_PER_SECOND, &error) == NULL);
  if (!CHECK(!strncmp(error.text, path, strlen(path)) &&
             strstr(error.text, wanted)))
    printf("# said: %s\n", error.text);
}

static void broken_ones_are_refused(void) {
  check_refused(built("tests/drivers/wrong_abi.so"),
                ": was built for version 77 of drivers/driver.h, this "
                "isostress has version ");
  check_refused(built("tests/drivers/no_symbol.so"),
                ": is not a driver: it does not export `isostress_driver`");
  check_refused(built("tests/drivers/no_commit.so"),
                ": its driver lacks `commit`, which is required");
  check_refused(built("tests/drivers/no_levels.so"),
                ": its driver has no isolation level");
  check_refused(built("tests/drivers/no_execute.so"),
                ": its driver has some of `setup_tables`, `executes` and "
                "`execute`; it needs all of them or none");
}

static void what_is_no_shared_object_is_refused(void) {
  check_refused("/no/such.so", ": cannot be loaded as a driver: cannot open "
                               "shared object file: No such file");
  check_refused("no-such.so", ": cannot be loaded as a driver: cannot open "
                              "shared object file: No such file");
  check_refused("/.so", ": cannot be loaded as a driver: ");
}

static enum outcome write_one(struct connection *c, const struct driver *driver,
                              uint64_t key, uint64_t value) {
  CHECK_INT(driver->begin(c, driver->levels), OUTCOME_OK);
  CHECK_INT(driver->put(c, key, value), OUTCOME_OK);
  return driver->commit(c);
}

static uint64_t read_one(struct connection *c, const struct driver *driver,
                         uint64_t key) {
  uint64_t value = 99;
  CHECK_INT(driver->begin(c, driver->levels), OUTCOME_OK);
  CHECK_INT(driver->get(c, key, &value), OUTCOME_OK);
  CHECK_INT(driver->commit(c), OUTCOME_OK);
  return value;
}

static void run_transactions(const struct driver *driver,
                             struct target *target) {
  struct error error = {0};
  struct connection *a = NULL, *b = NULL;
  uint64_t found = 99;
  CHECK_INT(driver->setup(target, &(struct keyspace){.nkeys = 4}, &error), 0);
  CHECK_INT(driver->connect(target, 0, &a, &error), 0);
  CHECK_INT(driver->connect(target, 1, &b, &error), 0);
  CHECK_INT(read_one(a, driver, 3), VALUE_INITIAL);
  CHECK_INT(write_one(a, driver, 3, 7), OUTCOME_OK);
  CHECK_INT(read_one(b, driver, 3), 7);
  CHECK_INT(driver->begin(b, driver->levels), OUTCOME_OK);
  CHECK_INT(driver->cas(b, 3, 8, 9, &found), OUTCOME_OK);
  CHECK_INT(found, 7);
  CHECK_INT(driver->put(b, 2, 5), OUTCOME_OK);
  CHECK_INT(driver->get(b, 2, &found), OUTCOME_OK);
  CHECK_INT(found, 5);
  CHECK_INT(driver->rollback(b), OUTCOME_OK);
  CHECK_INT(read_one(a, driver, 2), VALUE_INITIAL);
  driver->disconnect(a);
  driver->disconnect(b);
}

static void the_example_is_loaded_and_works(void) {
  struct error error = {0};
  const struct driver *driver =
      driver_load(built("examples/file_driver.so"), NS_PER_SECOND, &error);
  if (!CHECK(driver != NULL)) {
    printf("# %s\n", error.text);
    return;
  }
  char path[] = "/tmp/isostress-test.XXXXXX", text[64];
  close(mkstemp(path));
  snprintf(text, sizeof text, "file:%s", path);
  struct target *target = NULL;
  CHECK_INT(target_open(text, driver, NULL, 2, 1, &target, &error), 0);
  if (target) {
    run_transactions(driver, target);
    target_close(target);
  }
  snprintf(text, sizeof text, "file:%s?sync=maybe", path);
  CHECK_INT(target_open(text, driver, NULL, 2, 1, &target, &error), -1);
  CHECK_STR(error.text, "sync=maybe: it can be yes or no");
  unlink(path);
}

// Whoever changes one of these raises DRIVER_ABI, and then the numbers here.
static void the_version_goes_with_the_structures(void) {
  CHECK_INT(DRIVER_ABI, 19);
  if (sizeof(void *) != 8)
    return;
  CHECK_INT(sizeof(struct driver), 336);
  CHECK_INT(sizeof(struct connection), 312);
  CHECK_INT(sizeof(struct target), 40);
  CHECK_INT(sizeof(struct error), 4097);
  CHECK_INT(sizeof(struct driver_level), 16);
  CHECK_INT(sizeof(struct driver_option), 24);
  CHECK_INT(sizeof(struct target_spec), 48);
  CHECK_INT(sizeof(struct keyspace), 32);
  CHECK_INT(sizeof(struct operation), 24);
  CHECK_INT(sizeof(struct statement), 56);
  CHECK_INT(sizeof(struct row_list), 48);
  CHECK_INT(sizeof(struct tables), 24);
  CHECK_INT(sizeof(struct table_spec), 72);
  CHECK_INT(sizeof(struct value_list), 16);
  CHECK_INT(sizeof(struct plan), 24);
}

int main(void) {
  return TAP_RUN(
      {"broken drivers are refused", broken_ones_are_refused},
      {"the version goes with the structures",
       the_version_goes_with_the_structures},
      {"what is no shared object is refused",
       what_is_no_shared_object_is_refused},
      {"the example is loaded and works", the_example_is_loaded_and_works});
}

# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += drivers/authority.c drivers/claim.c drivers/drivers.c \
	drivers/endpoints.c drivers/instrument.c drivers/load.c drivers/load_network.c drivers/memory/bugs.c \
	drivers/memory/commit.c drivers/memory/commits.c drivers/memory/forge.c \
	drivers/memory/memory.c drivers/memory/row_commit.c drivers/memory/row_store.c \
	drivers/memory/row_view.c drivers/memory/store.c drivers/memory/view.c drivers/memory/words.c drivers/options.c \
	drivers/routing.c drivers/sql_text/sql_after.c drivers/sql_text/sql_rows.c drivers/sql_text/sql_shape.c drivers/words.c
# Drivers in processes of their own.
libisostress_a_SOURCES += drivers/pipe/answer.c drivers/pipe/ask.c drivers/pipe/command.c \
	drivers/pipe/hello.c drivers/pipe/judge.c drivers/pipe/process.c drivers/pipe/request.c \
	drivers/pipe/session.c drivers/pipe/sql_send.c drivers/pipe/sql_verbs.c drivers/pipe/start.c drivers/pipe/target.c drivers/pipe/verbs.c
# Tests of drivers by their slots.
libisostress_a_SOURCES += drivers/probe/actor.c drivers/probe/alone.c drivers/probe/cas.c \
	drivers/probe/crowd.c drivers/probe/lists.c drivers/probe/probe.c drivers/probe/scene.c drivers/probe/together.c
# Words are there without the driver: reports come from elsewhere.
libisostress_a_SOURCES += drivers/etcd/words.c drivers/mysql/words.c drivers/postgresql/words.c \
	drivers/redis/words.c drivers/sqlite/words.c
if BUILD_SQLITE
libisostress_a_SOURCES += drivers/sqlite/sqlite.c drivers/sqlite/codes.c drivers/sqlite/database.c \
	drivers/sqlite/instrument.c drivers/sqlite/instrument_ask.c \
	drivers/sqlite/instrument_clean.c \
	drivers/sqlite/instrument_rank.c drivers/sqlite/instrument_setup.c drivers/sqlite/rows.c
endif

# The drivers that need a client library are one shared object, which the program
# loads when it is asked for one of them: starting takes four times as long with
# their libraries, and most commands need none.  Tests have them linked in.
noinst_LIBRARIES += libnetwork.a
libnetwork_a_SOURCES = drivers/network.c
if BUILD_LIBPQ
libnetwork_a_SOURCES += drivers/postgresql/postgresql.c drivers/postgresql/clean.c \
	drivers/postgresql/codes.c drivers/postgresql/connect.c drivers/postgresql/instrument.c \
	drivers/postgresql/instrument_ask.c drivers/postgresql/instrument_rank.c \
	drivers/postgresql/instrument_setup.c \
	drivers/postgresql/keeps.c drivers/postgresql/pipeline.c drivers/postgresql/resolve.c \
	drivers/postgresql/rows.c drivers/postgresql/session.c drivers/postgresql/sql.c \
	drivers/postgresql/target.c
endif
if BUILD_MARIADB
libnetwork_a_SOURCES += drivers/mysql/mysql.c drivers/mysql/clean.c drivers/mysql/codes.c \
	drivers/mysql/instrument.c drivers/mysql/instrument_ask.c drivers/mysql/instrument_choose.c \
	drivers/mysql/instrument_rank.c drivers/mysql/instrument_schema.c drivers/mysql/instrument_setup.c drivers/mysql/keeps.c \
	drivers/mysql/rows.c drivers/mysql/session.c drivers/mysql/sql.c \
	drivers/mysql/target.c
endif
if BUILD_HIREDIS
libnetwork_a_SOURCES += drivers/redis/redis.c drivers/redis/codes.c drivers/redis/exec.c \
	drivers/redis/keeps.c drivers/redis/lua.c drivers/redis/pipeline.c drivers/redis/session.c drivers/redis/target.c
endif
if BUILD_CURL
libnetwork_a_SOURCES += drivers/etcd/etcd.c drivers/etcd/claim.c drivers/etcd/codes.c \
	drivers/etcd/link.c drivers/etcd/target.c
endif
libnetwork_a_CFLAGS = $(AM_CFLAGS) -fPIC
NETWORK_LIBS = $(CURL_LIBS) $(HIREDIS_LIBS) $(MARIADB_LIBS) $(LIBPQ_LIBS)
networkdir = $(pkglibdir)
network_DATA = drivers/network.so
drivers/network.so: libnetwork.a $(srcdir)/drivers/network.map
	$(AM_V_CCLD)$(CC) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -o $@ \
	  -Wl,--version-script=$(srcdir)/drivers/network.map \
	  $(WHOLE_ARCHIVE) libnetwork.a $(NO_WHOLE_ARCHIVE) $(NETWORK_LIBS)
CLEANFILES += drivers/network.so
drivers/load_network.$(OBJEXT): AM_CPPFLAGS += -DNETWORK_DIR='"$(pkglibdir)"'

# A driver from outside the tree is compiled with these headers.
drivers_includedir = $(includedir)/isostress/drivers
drivers_include_HEADERS = drivers/driver.h
base_includedir = $(includedir)/isostress/base
base_include_HEADERS = base/error.h base/isolation.h base/operation.h base/outcome.h
sql_includedir = $(includedir)/isostress/sql
sql_include_HEADERS = sql/predicate.h sql/statement.h sql/tables.h
examplesdir = $(docdir)/examples
examples_DATA = examples/README.md examples/file_driver.c
examples_SCRIPTS = examples/elle-cli

UNIT_TESTS += tests/unit/drivers/test_authority tests/unit/drivers/test_driver_load \
	tests/unit/drivers/test_driver_words \
	tests/unit/drivers/test_drivers tests/unit/drivers/test_endpoints \
	tests/unit/drivers/test_memory_driver tests/unit/drivers/test_memory_levels \
	tests/unit/drivers/test_memory_rows tests/unit/drivers/test_memory_truth
if BUILD_SQLITE
UNIT_TESTS += tests/unit/drivers/test_sqlite tests/unit/drivers/test_sqlite_outcomes \
	tests/unit/drivers/test_sqlite_own tests/unit/drivers/test_sqlite_rows
endif
if BUILD_LIBPQ
UNIT_TESTS += tests/unit/drivers/test_postgresql
endif
if BUILD_MARIADB
UNIT_TESTS += tests/unit/drivers/test_mysql
endif
THREAD_TESTS += tests/unit/drivers/test_memory_driver
if BUILD_SQLITE
THREAD_TESTS += tests/unit/drivers/test_sqlite
tests_unit_drivers_test_sqlite_own_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=sqlite3_libversion_number
tests_unit_drivers_test_sqlite_rows_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=sqlite3_libversion,--wrap=sqlite3_libversion_number
endif

# The example sees the headers that will be installed and no others.  Each of the
# broken drivers is wrong in one way.
HEADERS_OF_DRIVERS = $(drivers_include_HEADERS) $(base_include_HEADERS) $(sql_include_HEADERS)
BUILD_DRIVER = $(CC) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -fPIC
BROKEN_DRIVERS = tests/drivers/wrong_abi.so tests/drivers/no_symbol.so \
	tests/drivers/no_commit.so tests/drivers/no_levels.so \
	tests/drivers/no_execute.so
check_DATA += examples/file_driver.so $(BROKEN_DRIVERS)
examples/headers.stamp: $(HEADERS_OF_DRIVERS)
	$(AM_V_at)rm -rf examples/include
	$(AM_V_at)$(MKDIR_P) examples/include/drivers examples/include/base examples/include/sql
	$(AM_V_at)for h in $(HEADERS_OF_DRIVERS); do \
	  cp $(srcdir)/$$h examples/include/$$h || exit 1; done
	$(AM_V_at)touch $@
examples/file_driver.so: examples/file_driver.c examples/headers.stamp
	$(AM_V_CC)$(BUILD_DRIVER) -Iexamples/include -o $@ \
	  $(srcdir)/examples/file_driver.c
tests/drivers/wrong_abi.so: BREAK = -DABI=77
tests/drivers/no_symbol.so: BREAK = -DSYMBOL=some_other_driver
tests/drivers/no_commit.so: BREAK = -DNO_COMMIT
tests/drivers/no_levels.so: BREAK = -DNO_LEVELS
tests/drivers/no_execute.so: BREAK = -DNO_EXECUTE
$(BROKEN_DRIVERS): tests/drivers/broken_driver.c drivers/driver.h
	$(AM_V_at)$(MKDIR_P) tests/drivers
	$(AM_V_CC)$(BUILD_DRIVER) $(BREAK) -I$(srcdir) -o $@ \
	  $(srcdir)/tests/drivers/broken_driver.c
CLEANFILES += examples/file_driver.so examples/headers.stamp $(BROKEN_DRIVERS)

# The answers of driver-test and scorecard about the engines of examples/drivers, and a
# page of each, in 15 minutes; they need npm, Java, and Debian's libh2-java and libhsqldb-java.
drivers-live: isostress$(EXEEXT)
	PATH=$(abs_top_builddir):$$PATH ISOSTRESS_FILES=$(abs_top_srcdir) \
	  PAGES=$(srcdir)/results/engines $(srcdir)/scripts/drivers_live.sh \
	  >$(srcdir)/results/engines.txt
.PHONY: drivers-live

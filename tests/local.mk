# SPDX-License-Identifier: GPL-3.0-or-later
# Every test may use the kit.
check_LIBRARIES = libtestkit.a
libtestkit_a_SOURCES = tests/kit/compare.c tests/kit/forge.c tests/kit/generate.c \
	tests/kit/long_history.c tests/kit/machine.c tests/kit/markup.c tests/kit/memory_axioms.c tests/kit/memory_load.c tests/kit/middle.c \
	tests/kit/random_program.c tests/kit/random_sql.c tests/kit/row_histories.c \
	tests/kit/set_histories.c tests/kit/tiny.c tests/kit/told.c
# Flags of tests that answer in the place of stop_is_set.
LDFLAGS_OF_STOP = $(AM_LDFLAGS) -Wl,--wrap=stop_is_set

# Rules that every file keeps.
check_SCRIPTS += tests/rules/contributing.sh tests/rules/english.sh tests/rules/exports.sh \
	tests/rules/format.sh tests/rules/includes.sh tests/rules/keys.sh \
	tests/rules/names.sh tests/rules/pictures.sh tests/rules/shell.sh

# On real servers.
check_SCRIPTS += tests/live/advice.sh tests/live/advise.sh tests/live/applications.sh tests/live/chances.sh \
	tests/live/clean.sh tests/live/client_certificates.sh tests/live/counters.sh \
	tests/live/endpoints_etcd.sh tests/live/endpoints_galera.sh \
	tests/live/endpoints_postgresql.sh tests/live/endpoints_redis.sh tests/live/etcd.sh tests/live/firebird.sh \
	tests/live/etcd_outcomes.sh tests/live/etcd_tls.sh tests/live/existence.sh tests/live/failover.sh \
	tests/live/explore.sh tests/live/full.sh tests/live/jepsen.sh tests/live/mixed.sh tests/live/mysql.sh \
	tests/live/mysql_conflicts.sh tests/live/mysql_losses.sh tests/live/mysql_refusals.sh \
	tests/live/mysql_rows.sh tests/live/neutral.sh tests/live/own_programs.sh tests/live/own_sql.sh tests/live/own_sql_mysql.sh tests/live/pgbench.sh \
	tests/live/pgbouncer.sh tests/live/postgresql.sh tests/live/postgresql_losses.sh \
	tests/live/postgresql_outcomes.sh tests/live/postgresql_resolve.sh \
	tests/live/postgresql_rows.sh tests/live/predicate.sh tests/live/redis.sh \
	tests/live/redis_lua.sh tests/live/redis_lua_outcomes.sh tests/live/redis_outcomes.sh \
	tests/live/redis_pipeline.sh tests/live/rehearse.sh tests/live/repro.sh tests/live/resolve.sh tests/live/scripts.sh \
	tests/live/faults.sh tests/live/servers.sh tests/live/steps.sh tests/live/stories.sh tests/live/taken.sh \
	tests/live/stories_replicas.sh tests/live/sweep.sh tests/live/terminals.sh \
	tests/live/transactions.sh tests/live/tutorial_own.sh tests/live/written_steps.sh tests/live/wrong_scheme.sh tests/corpus/run.sh
check_PROGRAMS += tests/live/advice_rows tests/live/lossy
if BUILD_CURL
check_PROGRAMS += tests/live/etcd_outcomes
endif
if BUILD_HIREDIS
check_PROGRAMS += tests/live/redis_lua_outcomes tests/live/redis_outcomes \
	tests/live/redis_pipeline
endif
if BUILD_LIBPQ
check_PROGRAMS += tests/live/neutral tests/live/postgresql_losses tests/live/postgresql_outcomes \
	tests/live/postgresql_resolve tests/live/postgresql_rows
endif
if BUILD_MARIADB
check_PROGRAMS += tests/live/mysql_conflicts tests/live/mysql_group tests/live/mysql_losses \
	tests/live/mysql_refusals tests/live/mysql_rows
endif
# Servers preload it, and they know nothing of sanitizers.
check_DATA += tests/live/full_disk.so
tests/live/full_disk.so: tests/live/full_disk.c
	$(AM_V_at)$(MKDIR_P) tests/live
	$(AM_V_CC)$(CC) $(CPPFLAGS) -D_GNU_SOURCE $(CFLAGS) $(LDFLAGS) -shared \
	  -fPIC -o $@ $(srcdir)/tests/live/full_disk.c
CLEANFILES += tests/live/full_disk.so

# The server of the second list comes from Debian sid, which does not always have it.
# Then they are skipped with this reason, but not in CI.
check-long: check-long-live
check-long-live:
	ISOSTRESS_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check \
	  TESTS="tests/live/advice.sh tests/live/etcd.sh tests/live/explore_random.sh tests/live/mysql.sh \
	    tests/live/postgresql.sh tests/live/redis.sh tests/live/redis_lua.sh \
	    tests/live/repro.sh tests/cli/scaffold.sh tests/corpus/run.sh"
	programs=`bash $(srcdir)/scripts/fetch_server.sh mysql@9` || \
	  test "$$CI" != true || exit; \
	ISOSTRESS_MYSQLD=$$programs/mysqld; export ISOSTRESS_MYSQLD; \
	ISOSTRESS_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check \
	  TESTS='tests/live/mysql_server.sh tests/live/mysql_group.sh \
	    tests/live/own_sql_mysql_server.sh tests/live/versions.sh'
# The drivers' own tests under the sanitizers.
check-long: check-long-sanitized
check-long-sanitized:
	for s in address,undefined thread; do \
	  $(MKDIR_P) sanitized-$$s && (cd sanitized-$$s && \
	    { test -f Makefile || \
	      $(abs_srcdir)/configure -q --enable-sanitizers=$$s; } && \
	    $(MAKE) $(AM_MAKEFLAGS) check TESTS='tests/live/brief.sh \
	      tests/live/etcd_outcomes.sh tests/live/mysql_conflicts.sh \
	      tests/live/mysql_losses.sh tests/live/mysql_refusals.sh tests/live/mysql_rows.sh \
	      tests/live/postgresql_losses.sh \
	      tests/live/postgresql_outcomes.sh \
	      tests/live/postgresql_resolve.sh tests/live/postgresql_rows.sh \
	      tests/live/redis_lua_outcomes.sh tests/live/redis_outcomes.sh \
	      tests/live/redis_pipeline.sh') || exit; done
.PHONY: check-long-sanitized
.PHONY: check-long-live

# The long tests: every fuzzer for a minute, or for FUZZ_SECONDS.
FUZZERS += history history:isostress history:jsonl history:text history:edn \
	history:closed-predicate \
	history:elle-json history:knossos history:porcupine history:jepsen history:etcd-report \
	history:porcupine-kv history:dbcop-json \
	history:bincode history:plume history:awdit history:cobra \
	history:viper-json history:timekiller history:veristrong
check-long: config.h
	bash $(srcdir)/tests/fuzz/run.sh $(FUZZERS)
check_PROGRAMS += tests/fuzz/mutate
check-long: check-long-mutants
check-long-mutants: isostress$(EXEEXT) tests/fuzz/mutate$(EXEEXT)
	bash $(srcdir)/tests/fuzz/mutants.sh .
.PHONY: check-long-mutants

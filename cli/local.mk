# SPDX-License-Identifier: GPL-3.0-or-later
bin_PROGRAMS += isostress
SETTINGS_SOURCES = cli/settings/levels.c cli/settings/own_driver.c cli/settings/redact.c cli/settings/settings.c \
	cli/settings/table.c cli/settings/values.c
isostress_SOURCES = $(SETTINGS_SOURCES) cli/advise/exploring.c cli/advise/levels.c cli/advise/propose.c cli/advise/repair.c cli/advise/trials.c cli/arguments.c cli/commands/advise.c cli/commands/check.c \
	cli/commands/check_logs.c cli/commands/clean.c cli/commands/collection.c \
	cli/commands/convert.c cli/commands/driver_test.c cli/commands/explore.c cli/commands/generate.c cli/commands/list.c cli/commands/rank.c cli/commands/replay.c \
	cli/commands/failover.c cli/commands/report.c cli/commands/repro.c cli/commands/results.c cli/commands/run.c \
	cli/commands/scaffold.c cli/commands/scorecard.c cli/commands/scorecard_column.c cli/commands/scorecard_failures.c cli/commands/scorecard_loads.c cli/commands/second_opinion.c cli/commands/server.c \
	cli/commands/stat.c cli/commands/steps.c cli/commands/sweep.c cli/commands/verify.c \
	cli/explore/choose.c cli/explore/estimates.c cli/explore/leaving.c cli/explore/levels.c \
	cli/explore/live.c cli/explore/outcomes.c cli/explore/page.c cli/explore/repair.c \
	cli/explore/scripts.c cli/explore/tell.c cli/explore/watching.c cli/help.c \
	cli/jobs/all_results.c \
	cli/jobs/by_hand.c cli/jobs/checking.c cli/jobs/counterexample.c \
	cli/jobs/converting.c cli/jobs/csv.c cli/jobs/daily_files.c cli/jobs/damage.c cli/jobs/early_notice.c cli/jobs/faulting.c cli/jobs/first_line.c cli/jobs/fleet_job.c \
	cli/jobs/first_violation.c cli/jobs/generating.c cli/jobs/histories.c cli/jobs/job.c cli/jobs/job_row.c \
	cli/jobs/job_tell.c cli/jobs/kept.c cli/jobs/killed.c cli/jobs/level_against.c cli/jobs/noted.c cli/jobs/page_note.c \
	cli/jobs/opinion.c cli/jobs/own_count.c cli/jobs/own_cycle.c cli/jobs/own_headline.c cli/jobs/own_history.c cli/jobs/own_places.c \
	cli/jobs/own_sql.c cli/jobs/own_story.c cli/jobs/own_values.c cli/jobs/raw_remedy.c cli/jobs/raw_story.c cli/jobs/rehearsing.c \
	cli/jobs/requirement.c cli/jobs/results.c cli/jobs/run_plan.c \
	cli/jobs/rundir.c cli/jobs/steps_of.c cli/jobs/streaming.c cli/jobs/suspected.c cli/jobs/watch.c cli/jobs/watch_rows.c \
	cli/jobs/witness_file.c cli/main.c cli/process/installed.c cli/process/jobs_pool.c \
	cli/process/entry.c cli/process/progress.c cli/process/scratch.c cli/process/signals.c cli/process/stdin_input.c \
	cli/process/terminal.c cli/failover/failover.c cli/failover/failover_tell.c cli/repro/recipe.c cli/repro/reproduce.c cli/servers/servers.c \
	cli/repro/staging.c cli/repro/steps_page.c cli/settings/idle.c cli/settings/jobfile.c cli/settings/mix.c \
	cli/settings/shares.c cli/status.c cli/sweeps/plan.c cli/sweeps/rows.c cli/sweeps/runs.c cli/sweeps/suite.c \
	cli/sweeps/sweepfile.c cli/taken.c cli/topics.c
isostress_CPPFLAGS = $(AM_CPPFLAGS) -DINSTALLED_DIR='"$(pkgdatadir)"'
# Drivers that are loaded find the functions of base/ in the program, which has
# all of them for this reason.
isostress_LDFLAGS = $(LDFLAGS_PROGRAM)
isostress_LDADD = $(WHOLE_ARCHIVE) libisostress.a $(NO_WHOLE_ARCHIVE) $(LIBS_CORE)
EXTRA_isostress_DEPENDENCIES = drivers/network.so $(srcdir)/drivers/exports.list

UNIT_TESTS += tests/unit/cli/test_jobfile tests/unit/cli/test_settings \
	tests/unit/cli/test_suspected tests/unit/cli/test_watch_rows
THREAD_TESTS += tests/cli/enough.sh
if BUILD_SQLITE
check_SCRIPTS += tests/cli/drivers.sh tests/cli/durability.sh
endif
check_SCRIPTS += tests/cli/applications.sh tests/cli/archives.sh tests/cli/browser.sh tests/cli/chances.sh \
	tests/cli/check.sh tests/cli/clean.sh tests/cli/collection.sh tests/cli/compare.sh \
	tests/cli/convert.sh tests/cli/counts.sh tests/cli/documented.sh tests/cli/driver_test.sh tests/cli/duplicates.sh tests/cli/elle_cli.sh \
	tests/cli/enough.sh tests/cli/examples.sh tests/cli/explore.sh tests/cli/explore_json.sh \
	tests/cli/explore_left.sh tests/cli/explore_mpi.sh tests/cli/ranks.sh tests/cli/explore_programs.sh \
	tests/cli/explore_sql.sh tests/cli/fetch_server.sh tests/cli/generate.sh tests/cli/hints.sh tests/cli/index.sh tests/cli/interrupted.sh \
	tests/cli/jepsen.sh tests/cli/jobs.sh tests/cli/limits.sh tests/cli/lost_update_of_rows.sh \
	tests/cli/method.sh tests/cli/models.sh tests/cli/names.sh tests/cli/numbers.sh \
	tests/cli/own_sql_sqlite.sh \
	tests/cli/pages.sh tests/cli/pipe.sh tests/cli/pipe_sql.sh tests/cli/pipes.sh tests/cli/predicate.sh tests/cli/report.sh \
	tests/cli/repro.sh tests/cli/require.sh tests/cli/results.sh tests/cli/rows.sh tests/cli/rows_among.sh tests/cli/rows_found_later.sh \
	tests/cli/run.sh tests/cli/same_verdicts.sh tests/cli/scaffold.sh tests/cli/scorecard.sh tests/cli/scripts.sh \
	tests/cli/sets.sh tests/cli/shortfall.sh tests/cli/steps.sh tests/cli/stories.sh tests/cli/stream.sh \
	tests/cli/sweep.sh tests/cli/sweep_page.sh tests/cli/taken.sh tests/cli/tarball.sh tests/cli/terminal.sh tests/cli/transactions_sqlite.sh tests/cli/trouble.sh \
	tests/cli/usage.sh tests/cli/witness.sh tests/cli/writing.sh tests/cli/written_steps.sh
tests_unit_cli_test_watch_rows_SOURCES = tests/unit/cli/test_watch_rows.c cli/jobs/watch_rows.c
tests_unit_cli_test_suspected_SOURCES = tests/unit/cli/test_suspected.c cli/jobs/suspected.c
tests_unit_cli_test_settings_SOURCES = tests/unit/cli/test_settings.c $(SETTINGS_SOURCES)
tests_unit_cli_test_jobfile_SOURCES = tests/unit/cli/test_jobfile.c cli/settings/idle.c \
	cli/settings/jobfile.c $(SETTINGS_SOURCES)
FUZZERS += program sql jobfile witness check

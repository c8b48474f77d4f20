# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += runner/connections.c runner/crew.c runner/doubt.c runner/execute.c runner/fleet.c \
	runner/level.c runner/limits.c runner/outage.c runner/pack.c runner/places.c runner/program.c runner/route.c \
	runner/run.c runner/series.c runner/session.c runner/setup.c runner/tally.c runner/tally_text.c runner/text.c

UNIT_TESTS += tests/unit/runner/test_pack tests/unit/runner/test_programs \
	tests/unit/runner/test_run_ends tests/unit/runner/test_run_opening \
	tests/unit/runner/test_run_pace tests/unit/runner/test_run_real \
	tests/unit/runner/test_run_routes tests/unit/runner/test_runner tests/unit/runner/test_series
THREAD_TESTS += tests/unit/runner/test_run_ends tests/unit/runner/test_run_opening \
	tests/unit/runner/test_run_pace tests/unit/runner/test_run_real \
	tests/unit/runner/test_run_routes tests/unit/runner/test_runner

# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += own/changes.c own/compute.c own/condition.c own/conditions.c own/draws.c own/history.c own/journal.c own/journal_read.c own/log.c own/noting.c own/play.c own/program.c own/program_turns.c own/rehearse.c own/run.c own/script.c own/variables.c own/versions.c own/words.c

UNIT_TESTS += tests/unit/own/test_condition tests/unit/own/test_journal tests/unit/own/test_program tests/unit/own/test_scripts_as_they_are

# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += steps/actor.c steps/commands.c steps/expected.c steps/instrumented.c steps/interleave.c \
	steps/judge.c steps/modes.c steps/one_shot.c steps/perform.c steps/plain_sql.c steps/script.c steps/sequence.c \
	steps/shell.c steps/statements.c steps/tables.c steps/typed.c steps/words.c steps/written.c

UNIT_TESTS += tests/unit/steps/test_commands tests/unit/steps/test_interleave tests/unit/steps/test_script

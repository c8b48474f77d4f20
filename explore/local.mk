# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += explore/as_history.c explore/branch.c explore/compute.c explore/declarations.c \
	explore/estimate.c explore/explore.c explore/expressions.c explore/frames.c \
	explore/interpret.c explore/levels.c explore/notation.c explore/orders.c \
	explore/outcomes.c explore/partial.c explore/program.c explore/repair.c \
	explore/saved.c explore/schedule.c explore/serial.c explore/share.c explore/statements.c \
	explore/states.c explore/story.c explore/story_script.c explore/survey.c explore/swap.c \
	explore/tables.c explore/task.c explore/together.c explore/tokens.c explore/valid.c explore/value.c

UNIT_TESTS += tests/explore/test_counts tests/explore/test_estimate tests/explore/test_explore \
	tests/explore/test_sql tests/explore/test_story

LONG_TESTS += tests/explore/test_explore tests/explore/test_sql tests/explore/test_story
# Its swaps may be wrong ones.
tests_explore_test_explore_SOURCES = tests/explore/test_explore.c tests/explore/swap_errors.h \
	tests/explore/swap_printed.c tests/explore/swap_untested.c tests/explore/swap_without_far.c
tests_explore_test_explore_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=swap_next

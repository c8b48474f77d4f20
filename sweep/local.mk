# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += sweep/axes.c sweep/codes.c sweep/compare.c sweep/grid.c \
	sweep/page.c sweep/page_numbers.c sweep/page_words.c sweep/panels.c \
	sweep/summary.c sweep/summary_write.c sweep/table.c \
	sweep/unmet.c

UNIT_TESTS += tests/unit/sweep/test_sweep

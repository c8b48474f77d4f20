# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += models/bank.c models/comments.c models/counter.c \
	models/dirty_reads.c models/elements.c models/guess.c models/hold.c models/log.c \
	models/long_fork.c models/models.c models/monotonic.c models/mutex.c models/row_logs.c \
	models/sequential.c models/set.c models/set_full.c models/tests.c

UNIT_TESTS += tests/unit/models/test_models

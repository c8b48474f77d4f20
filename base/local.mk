# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += base/anomaly_names.c base/clock.c base/error.c base/file.c \
	base/histogram.c base/ids.c base/interval.c base/io.c base/isolation.c base/json.c \
	base/json_read.c base/memory.c base/nearest.c base/notice.c base/operation.c base/outcome.c \
	base/pages.c base/parallel.c base/points.c base/ram.c base/random.c \
	base/sort.c base/stop.c base/units.c base/utf8.c base/whole_file.c

UNIT_TESTS += tests/unit/base/test_anomaly_names tests/unit/base/test_histogram \
	tests/unit/base/test_json tests/unit/base/test_json_read tests/unit/base/test_memory \
	tests/unit/base/test_nearest tests/unit/base/test_parallel tests/unit/base/test_points \
	tests/unit/base/test_ram
THREAD_TESTS += tests/unit/base/test_parallel

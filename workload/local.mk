# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += workload/aim.c workload/append.c workload/c_twitter.c workload/cas.c workload/daily.c \
	workload/general.c workload/invariant.c workload/jepsen.c workload/keys.c workload/mt.c \
	workload/planner.c workload/predicate.c workload/row_workload.c workload/rubis.c \
	workload/scripts.c workload/tpcc.c workload/tpcc_pc.c workload/twins.c workload/twitter.c \
	workload/workloads.c

UNIT_TESTS += tests/unit/workload/test_append tests/unit/workload/test_keys \
	tests/unit/workload/test_plans tests/unit/workload/test_predicate \
	tests/unit/workload/test_workloads
THREAD_TESTS += tests/unit/workload/test_workloads

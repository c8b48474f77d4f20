# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += sql/atomic.c sql/calculates.c sql/compute.c sql/dialect.c sql/draws.c sql/expressions.c sql/outline.c sql/predicate.c \
	sql/predicate_read.c sql/program.c sql/reading.c sql/refusals.c sql/schema.c sql/script.c sql/script_list.c \
	sql/scripts.c sql/statement.c sql/statements.c sql/tables.c sql/to_program.c sql/to_steps.c \
	sql/tokens.c

UNIT_TESTS += tests/unit/sql/test_outline tests/unit/sql/test_predicate \
	tests/unit/sql/test_tree
# PostgreSQL's own parser is only for this test, and only where it is installed.
tests_unit_sql_test_outline_parsed_LDADD = $(LDADD) -lpg_query
if HAVE_PG_QUERY
UNIT_TESTS += tests/unit/sql/test_outline_parsed
endif

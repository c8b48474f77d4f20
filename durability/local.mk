# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += durability/durability.c durability/final.c

UNIT_TESTS += tests/unit/durability/test_durability

# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += nemesis/actions.c nemesis/actor.c nemesis/draw.c nemesis/nodes.c nemesis/schedule.c

UNIT_TESTS += tests/unit/nemesis/test_schedule

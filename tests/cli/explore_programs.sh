#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The 25 benchmark programs have as many histories at cc, si and ser as the
# table says: those of 1 to 3 of each application were also counted by other
# programs, the small ones by brute force.
. "${TOP_SRCDIR:?}/tests/tap.sh"
export ISOSTRESS_FILES=$TOP_SRCDIR
cd "$work" || exit 1

plan 25
while read -r program cc si ser; do
  run isostress explore -i cc,si,ser --assert-only "$program"
  is "$(sed -n 's/^\(cc\|si\|ser\)  *\([0-9]*\) .*/\2/p' <<<"$out" | xargs)" "$cc $si $ser" \
    "$program has the histories of the table at cc, si and ser"
done <<'END'
courseware-1 216 138 72
courseware-2 46 45 34
courseware-3 12790 960 960
courseware-4 69 17 17
courseware-5 388 71 71
shopping-cart-1 444 114 81
shopping-cart-2 2934 605 480
shopping-cart-3 1594 338 338
shopping-cart-4 73192 852 852
shopping-cart-5 4686 780 780
tpcc-1 165 47 47
tpcc-2 747 101 99
tpcc-3 1593 116 116
tpcc-4 1714 102 102
tpcc-5 22603 539 539
twitter-1 36 18 18
twitter-2 876 122 122
twitter-3 1072 216 216
twitter-4 12915 1680 1680
twitter-5 12915 1680 1680
wikipedia-1 649 148 95
wikipedia-2 3610 388 292
wikipedia-3 2339 275 175
wikipedia-4 691 108 108
wikipedia-5 334399 1680 1680
END
